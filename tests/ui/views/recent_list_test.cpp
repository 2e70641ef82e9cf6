#include "ui/views/home/recent_list.h"

#include "tests/support/test_main.h"
#include "ui/theme/theme.h"

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
};

TILESCOPE_TEST(RecentListTest)
#include "recent_list_test.moc"
