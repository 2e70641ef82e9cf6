// The content of a stranger's report is shown as plain text, and only as much of it as a window can hold.
#include "reports/rows/metadata.h"
#include "reports/sqlite/writer.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/listed.h"
#include "ui/parts/elided_label.h"
#include "ui/parts/fact_list.h"
#include "ui/parts/page.h"
#include "ui/parts/state_page.h"
#include "ui/state/settings.h"
#include "ui/window/main_window.h"
#include "ui/window/message_bar.h"

#include <QFile>
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

#include <sys/resource.h>

#include <cstdio>

using namespace ui;
using tests::listed;

class HostileReportTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  theme::Theme m_theme;

  static shell::ViewList views() {
    return {listed("summary"), listed("memory"), listed("liveness"), listed("program"), listed("operations"), listed("trace")};
  }
  QString write(const QString& name, const std::string& title, int facts) {
    const QString file = m_folder.filePath(name);
    reports::Writer writer(file.toStdString());
    for (int i = 0; i < facts; ++i) writer.add(reports::MetadataRow{"fact." + std::to_string(i), std::string(20, 'v')});
    tests::writeSyntheticReport(writer, {.ipus = 1, .tilesPerIpu = 4, .operations = 2, .title = title.c_str()});
    writer.commit();
    return file;
  }
  static bool showsAll(shell::MainWindow& window, const QString& file) {
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.openReports({file});
    if (!QTest::qWaitFor([&] { return finished.count() > 0; }, 20000)) return false;
    for (const auto& entry : window.views()) {
      window.showView(entry.id);
      if (!QTest::qWaitFor([&] { return window.currentView() && !window.currentView()->isBusy(); }, 20000)) return false;
    }
    return true;
  }

  static qint64 peakKibibytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  }

private slots:
  void noLabelReadsTags() {
    const QString file = write("<b>bold<img src=x>.tsr", "<img src=\"file:///etc/hostname\"> & <b>title</b>", 1);
    shell::Settings settings(m_folder.filePath("tags.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    QVERIFY(showsAll(window, file));
    int labels = 0;
    for (const auto* label : window.findChildren<QLabel*>()) {
      ++labels;
      QVERIFY2(label->textFormat() == Qt::PlainText, qPrintable(label->text()));
    }
    QVERIFY(labels > 30);
    // A tooltip that Qt would interpret as HTML shows the tags as text.
    for (const auto* widget : window.findChildren<QWidget*>())
      QVERIFY2(!widget->toolTip().contains("<img"), qPrintable(widget->toolTip()));
  }

  void aBookOfATitleIsCut() {
    const QString file = write("title.tsr", std::string(4'000'000, 'T'), 1);
    shell::Settings settings(m_folder.filePath("title.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    QVERIFY(showsAll(window, file));
    for (const auto* label : window.findChildren<QLabel*>())
      QVERIFY2(label->text().size() < 10'000, qPrintable(label->text().left(50)));
  }

  void ofManyFactsTheFirstAreShown() {
    const QString file = write("facts.tsr", "many facts", 500'000);
    const qint64 before = peakKibibytes();
    shell::Settings settings(m_folder.filePath("facts.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    QVERIFY(showsAll(window, file));
    window.showView("summary");
    bool isSaid = false;
    for (const auto* list : window.findChildren<shell::FactList*>()) {
      QVERIFY2(list->findChildren<shell::ElidedLabel*>().size() < 300, qPrintable(list->accessibleName()));
      isSaid = isSaid || list->valueOf("and more").contains("not shown");
    }
    QVERIFY(isSaid);
    QVERIFY2(peakKibibytes() < before + 1024 * 1024, qPrintable(QString::number(peakKibibytes() - before)));
  }

  void aProgramOfFiftyThousandLevelsIsShownFlattened() {
    const QString file = write("deep.tsr", "deep", 1);
    tests::tamper(file.toStdString(),
                  "WITH RECURSIVE n(i) AS (SELECT 1000000 UNION ALL SELECT i + 1 FROM n WHERE i < 1049999) INSERT "
                  "INTO program_step (id, parent_id, position, kind, name_id, activity, code_bytes) SELECT i, CASE "
                  "WHEN i > 1000000 THEN i - 1 END, 0, 'Sequence', 0, 8, 0 FROM n");
    shell::Settings settings(m_folder.filePath("deep.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    QVERIFY(showsAll(window, file));
    window.showView("program");
    bool isSaid = false;
    for (const auto* label : window.currentView()->findChildren<QLabel*>())
      isSaid = isSaid || label->text().contains("The tree shows 256 levels");
    QVERIFY(isSaid);
    int trees = 0;
    for (auto* tree : window.currentView()->findChildren<QTreeView*>()) {
      tree->expandAll(); // which Qt does by calling itself
      tree->scrollToBottom();
      tree->grab();
      ++trees;
    }
    QVERIFY(trees > 0);
  }

  // The open report stays complete, even for views that are first shown after the file was replaced.
  void aReplacedReportStaysReadable_data() {
    QTest::addColumn<bool>("isDeleted");
    QTest::newRow("replaced") << false;
    QTest::newRow("deleted") << true;
  }
  void aReplacedReportStaysReadable() {
    QFETCH(bool, isDeleted);
    const QString file = write("open.tsr", "the old one", 1);
    const QString other = write("next.tsr", "the new one", 1);
    shell::Settings settings(m_folder.filePath("replaced.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    window.showView("summary");
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.openReports({file});
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 20000);
    QTRY_VERIFY_WITH_TIMEOUT(window.currentView() && !window.currentView()->isBusy(), 20000);
    if (isDeleted)
      QVERIFY(QFile::remove(file));
    else
      QCOMPARE(std::rename(other.toUtf8().constData(), file.toUtf8().constData()), 0);
    const auto* bar = window.findChild<shell::MessageBar*>();
    QVERIFY(bar);
    QTRY_VERIFY_WITH_TIMEOUT(bar->text().contains("open.tsr"), 20000);
    QCOMPARE(bar->text().contains("was deleted"), isDeleted);
    QCOMPARE(bar->text().contains("changed on disk"), !isDeleted);
    for (const auto& entry : window.views()) {
      window.showView(entry.id);
      QTRY_VERIFY_WITH_TIMEOUT(window.currentView() && !window.currentView()->isBusy(), 20000);
      for (const auto* state : window.currentView()->findChildren<shell::StatePage*>())
        QVERIFY2(!state->isVisible(), qPrintable(entry.id)); // neither an error nor "nothing to show"
      const auto* page = window.currentView()->findChild<shell::Page*>();
      QVERIFY2(page && !page->verdict().isEmpty(), qPrintable(entry.id));
    }
  }
};

TILESCOPE_TEST(HostileReportTest)
#include "hostile_report_test.moc"
