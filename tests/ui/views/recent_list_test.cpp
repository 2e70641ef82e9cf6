#include "ui/views/home/recent_list.h"

#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"
#include "ui/theme/theme.h"

#include <QFile>
#include <QSignalSpy>
#include <QTest>

class RecentListTest : public QObject {
  Q_OBJECT

  ui::theme::Theme m_theme;

private slots:
  // As many columns as fit, two lines at first, and every entry opens where it is drawn.
  void entriesFillTheWidth() {
    ui::home::RecentList list(m_theme);
    QList<QStringList> files;
    for (int i = 0; i < 9; ++i) files.append({QStringLiteral("/nowhere/%1.tsr").arg(i)});
    list.resize(1000, 10);
    list.setEntries(files);
    list.show();
    QCOMPARE(list.shown(), 6);
    QCOMPARE(list.cellOf(2).top(), list.cellOf(0).top());
    QVERIFY(list.cellOf(3).top() > list.cellOf(0).top());
    QVERIFY(list.cellOf(2).right() < list.width() && list.height() > list.cellOf(5).bottom());
    QSignalSpy removed(&list, &ui::home::RecentList::removeRequested); // they are not there: a click offers that
    QTest::mouseClick(&list, Qt::LeftButton, {}, list.cellOf(4).center());
    QCOMPARE(removed.size(), 1);
    QCOMPARE(removed[0][0].toStringList(), files[4]);
    list.setAllShown(true);
    QCOMPARE(list.shown(), 9);
    QVERIFY(list.height() > list.cellOf(8).bottom());
    list.resize(320, list.height());
    QTRY_COMPARE(list.cellOf(1).left(), list.cellOf(0).left()); // a narrow window has one column
  }

  // Beside a long name the size gives way, then the time: what tells reports apart stays.
  void aLongNameHasTheRoom() {
    const tests::TemporaryFolder folder;
    const auto entry = [&](const QString& name) {
      QFile file(QString::fromStdString((folder.path() / name.toStdString()).string()));
      if (file.open(QIODevice::WriteOnly)) file.write(QByteArray(2000, 'x'));
      return QStringList{file.fileName()};
    };
    const QString half = QString(28, 'w') + ".tsr", all = QString(60, 'w') + ".tsr";
    ui::home::RecentList list(m_theme);
    list.resize(500, 10);
    list.setEntries({entry("a.tsr"), entry(half), entry(all)});
    QVERIFY(list.factsBeside(0).contains("KiB") && list.factsBeside(0).contains("written"));
    QVERIFY2(!list.factsBeside(1).contains("KiB") && list.factsBeside(1).contains("written"), qPrintable(list.factsBeside(1)));
    QCOMPARE(list.factsBeside(2), QString());
  }
};

TILESCOPE_TEST(RecentListTest)
#include "recent_list_test.moc"
