#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/parts/flame_tab.h"
#include "ui/plot/flame_graph.h"
#include "ui/plot/timeline.h"

#include <QComboBox>
#include <QLabel>
#include <QTabWidget>
#include <QTest>

// The flame graph of the execution trace: of the IPUs that are shown, in the range that is shown.
class TraceFlameTest : public QObject {
  Q_OBJECT

  // Boxes that can be hit along the row of roots.
  static int roots(const ui::plot::FlameGraph& graph) {
    std::set<int> boxes;
    for (int x = 0; x < graph.width(); ++x)
      if (const int box = graph.boxAt({x, 4}); box >= 0) boxes.insert(box);
    return int(boxes.size());
  }

private slots:
  void addsUpWhatIsShown() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    auto* tab = world.view->findChild<ui::shell::FlameTab*>();
    auto* graph = tab->findChild<ui::plot::FlameGraph*>();
    QVERIFY(graph->boxAt({4, 4}) < 0); // nobody looked yet
    world.view->findChild<ui::shell::Page*>()->tabs()->setCurrentWidget(tab);
    QVERIFY(world.settle());
    const int runs = roots(*graph);
    QVERIFY(runs > 0); // of both IPUs together
    const QString note = tab->findChild<QLabel*>()->text();
    QVERIFY(!note.isEmpty());

    auto* timeline = world.view->findChild<ui::plot::Timeline*>();
    const auto all = timeline->visibleRange();
    timeline->showExactly({all.begin, all.begin + all.size() / 4});
    QVERIFY(world.settle());
    QVERIFY(tab->findChild<QLabel*>()->text() != note);

    // Bottom-up: the steps are the roots, more than one.
    auto* order = world.child<QComboBox>("Order of the flame graph");
    QTest::keyClick(order, Qt::Key_Down);
    QVERIFY(roots(*graph) > runs);
  }
};

TILESCOPE_TEST(TraceFlameTest)
#include "trace_flame_test.moc"
