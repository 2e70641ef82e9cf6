// A whole report as one web page, from the window.
#include "analyser/session/session.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"
#include "ui/jobs/job_board.h"
#include "ui/window/page_saver.h"

#include <QFile>
#include <QSignalSpy>
#include <QTest>

class PageSaverTest : public QObject {
  Q_OBJECT

private slots:
  void writesThePageOrSaysWhyNot() {
    const tests::TinyReport report{tests::ReportShape{1, 8, 7}};
    const ui::shell::SessionPointer session = analyser::Session::open(report.path().string());
    const tests::TemporaryFolder folder;
    ui::jobs::JobBoard jobs;
    ui::shell::PageSaver saver(jobs, nullptr);
    QSignalSpy saved(&saver, &ui::shell::PageSaver::saved), failed(&saver, &ui::shell::PageSaver::failed);

    const QString file = QString::fromStdString((folder / "page.html").string());
    saver.save(session, file);
    QTRY_COMPARE(saved.count(), 1);
    QFile page(file);
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QByteArray text = page.readAll();
    QVERIFY(text.startsWith("<!DOCTYPE html>") && text.trimmed().endsWith("</html>"));
    QCOMPARE(saved.first().at(1).toLongLong(), text.size());

    saver.save(session, QString::fromStdString((folder / "absent" / "page.html").string()));
    QTRY_COMPARE(failed.count(), 1);
    QCOMPARE(saved.count(), 1);

    // A second request during the first is refused with an error; the first is completed.
    const QString second = QString::fromStdString((folder / "second.html").string());
    saver.save(session, file);
    saver.save(session, second);
    QCOMPARE(failed.count(), 2);
    QTRY_COMPARE(saved.count(), 2);
    QCOMPARE(saved.last().at(0).toString(), file);
    QVERIFY(!QFile::exists(second));
  }
};

TILESCOPE_TEST(PageSaverTest)
#include "page_saver_test.moc"
