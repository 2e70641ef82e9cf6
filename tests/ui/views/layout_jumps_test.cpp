// What is under the pointer stays there: tabs and choices do not move when another one is chosen.
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/tables/table_view.h"
#include "ui/tables/tree_model.h"
#include "ui/views/insights/finding_panel.h"

#include <QPushButton>
#include <QSignalSpy>
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

  // In leaf rows it equals the cycles.
  void ownCyclesAreTheFirstColumnToGo() {
    tests::ViewWorld world;
    world.open("program");
    QVERIFY(world.settle());
    const auto tree = world.child<tables::TreeView>("Program")->rows().tree();
    QVERIFY(tree);
    const auto at =
        std::find_if(tree->columns.begin(), tree->columns.end(), [](const auto& column) { return column.title == "Own"; });
    if (at != tree->columns.end()) QVERIFY(at->isOptional && at + 1 == tree->columns.end());
  }

  // The name of an option in an advice was plain text.
  void anAdviceLeadsToItsField() {
    theme::Theme theme;
    insights::FindingPanel panel(theme);
    analyser::insights::Insight finding;
    finding.title = "Pipeline bubble";
    finding.advice = {"Balance the stages ({option shard} layers:2,2,2,2).", "Use fewer stages."};
    panel.setFinding(finding, {}, true, {});
    QSignalSpy asked(&panel, &insights::FindingPanel::fieldRequested);
    for (auto* button : panel.findChildren<QPushButton*>())
      if (button->accessibleName() == "Show the field shard in Run") button->click();
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked.front().front().toString(), QString("shard"));
    panel.setFinding(finding, {}, false, {}); // a report that does not name its graph
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    for (auto* button : panel.findChildren<QPushButton*>()) QVERIFY(!button->accessibleName().startsWith("Show the field"));
  }
};

TILESCOPE_TEST(LayoutJumpsTest)
#include "layout_jumps_test.moc"
