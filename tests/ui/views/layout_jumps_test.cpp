// What is under the pointer stays there: tabs and choices do not move when another one is chosen.
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"

#include <QTabBar>
#include <QTabWidget>

using namespace ui;

class LayoutJumpsTest : public QObject {
  Q_OBJECT

private slots:
  // Variables lifted the tabs, and the next tab dropped them again.
  void tabsOfMemoryStayWhereTheyAre() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    auto* tabs = world.view->findChild<QTabWidget*>();
    std::set<int> heights;
    for (int i = 0; i < tabs->count(); ++i) {
      if (!tabs->isTabVisible(i)) continue;
      tabs->setCurrentIndex(i);
      QVERIFY(world.settle());
      QTest::qWait(0);
      heights.insert(tabs->tabBar()->mapTo(world.view.get(), QPoint()).y());
    }
    QCOMPARE(heights.size(), std::size_t(1));
  }
};

TILESCOPE_TEST(LayoutJumpsTest)
#include "layout_jumps_test.moc"
