// Every view follows a selection and understands it in the same way; figures of a selection contain nothing else.
#include "analyser/compare/compare.h"
#include "analyser/memory/tile_details.h"
#include "analyser/operations/operations.h"
#include "analyser/summary/summary.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/parts/fact_list.h"
#include "ui/plot/legend.h"
#include "ui/plot/step_plot.h"
#include "ui/plot/timeline.h"
#include "ui/tables/table_view.h"
#include "ui/views/operations/operations_tables.h"

#include <QItemSelectionModel>
#include <QTabWidget>

using namespace ui;

class SelectionTest : public QObject {
  Q_OBJECT

private slots:
  void aVariableSelectedBeforeMemoryWasShownIsFollowed() {
    tests::ViewWorld world;
    const auto largest = analyser::memory::topVariables(*world.session, 3);
    world.state.setVariable(largest[1].variable);
    world.open("memory");
    QVERIFY(world.settle());
    QCOMPARE(world.child<tables::TableView>("Largest variables")->selectedIds(),
             std::vector<int64_t>{int64_t(largest[1].variable.value())});
    const QString name = QString::fromStdString(largest[1].name);
    QVERIFY2(world.view->selectionText().contains(name), qPrintable(world.view->selectionText()));
  }

  void severalVariablesDrawSeveralCurves() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    const auto entries = [&] { return world.view->findChild<plot::Legend*>()->shown().size(); };
    const auto before = entries();
    auto* table = world.child<tables::TableView>("Largest variables");
    const auto select = [&](int row, QItemSelectionModel::SelectionFlags how) {
      table->selectionModel()->select(table->model()->index(row, 0), how | QItemSelectionModel::Rows);
    };
    select(1, QItemSelectionModel::ClearAndSelect); // row 0 has the totals
    QVERIFY(world.settle());
    QCOMPARE(entries(), before + 1);
    select(3, QItemSelectionModel::Select); // Ctrl+click
    QVERIFY(world.settle());
    QCOMPARE(entries(), before + 2);
    QCOMPARE(table->selectedIds().size(), std::size_t(2));
    QVERIFY2(world.view->selectionText().contains("more curve"), qPrintable(world.view->selectionText()));
    world.state.setVariable({});
    QVERIFY(world.settle());
    QCOMPARE(entries(), before);
  }

  // Escape on the floor plan and clicks beside its tiles select no tile, in particular none of another IPU.
  void noTileIsNone() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    world.state.setTiles({reports::TileId(3)});
    auto* map = world.view->findChild<QWidget*>(); // the floor plan, found by its name
    for (auto* widget : world.view->findChildren<QWidget*>())
      if (widget->accessibleName() == "Floor plan by memory") map = widget;
    QCOMPARE(map->accessibleName(), QString("Floor plan by memory"));
    QTest::keyClick(map, Qt::Key_Escape);
    QVERIFY(world.state.tiles().empty());
  }

  void doubleClickShowsTheSliceAlone() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    auto* timeline = world.child<plot::Timeline>("Execution trace");
    std::optional<QPoint> place;
    std::optional<plot::Timeline::Hit> hit;
    for (int y = timeline->height() - 1; y > 0 && !place; y -= 3)
      for (int x = timeline->width() - 1; x > 0 && !place; x -= 7)
        if (hit = timeline->hitAt({x, y}); hit && hit->slice.count == 1 && hit->lane == 2) place = QPoint(x, y);
    QVERIFY(place);
    QTest::mouseDClick(timeline, Qt::LeftButton, {}, *place);
    QCOMPARE(timeline->visibleRange(), (reports::TickRange{hit->slice.begin, hit->slice.end}));
    QCOMPARE(world.state.range(), timeline->visibleRange());
    QVERIFY(world.settle());
  }

  void theLimitStandsBesideWhatIsHidden() {
    tests::ViewWorld world;
    world.open("liveness");
    QVERIFY(world.settle());
    const auto caption = [&] { return world.child<plot::StepPlot>("Memory alive per program step")->scene().limitLabel; };
    auto* legend = world.view->findChild<plot::Legend*>();
    legend->setShown(0, true);
    const auto capacity = world.session->machine().totalMemory(); // of all IPUs
    QCOMPARE(caption(), "available: " + world.state.format().bytes(capacity));
    legend->setShown(0, false);
    QVERIFY2(caption().startsWith("available besides always-live memory: "), qPrintable(caption()));
    QVERIFY(!caption().contains(world.state.format().bytes(capacity)));
  }

  void aStepThatHoldsOthersTellsOfThem() {
    tests::ViewWorld world;
    world.open("program");
    QVERIFY(world.settle());
    const auto program = analyser::program::programTree(*world.session);
    auto* facts = world.child<shell::FactList>("Facts about the step");
    for (const auto& node : program.nodes) {
      world.state.setStep(node.id);
      QVERIFY(world.settle());
      QVERIFY2(node.children == 0 || !world.view->selectionText().contains(" in 0"), qPrintable(world.view->selectionText()));
      QCOMPARE(facts->valueOf("Steps inside").isEmpty(), node.children == 0);
      QVERIFY(facts->valueOf("Executions") != "0");
    }
    // All views show the same number of program steps.
    const auto summary = analyser::summary::summarise(*world.session);
    QVERIFY2(QString::fromStdString(program.verdict.text()).contains(QString("%1 program steps").arg(summary.graph.programSteps)),
             program.verdict.text().c_str());
  }

  void memoryOfAnOperationIsOneNumber() {
    tests::ViewWorld world;
    const tests::TinyReport other({.ipus = 2, .tilesPerIpu = 8, .operations = 4, .scale = 2});
    const auto target = analyser::Session::open(other.path().string());
    const auto operations = analyser::operations::operations(*world.session);
    const auto table = operations::entryTable(operations::operationEntries(operations), "Operation", {"memory"});
    std::map<QString, int64_t> bytes;
    for (const auto& row : table->rows) bytes[std::get<QString>(row.cells[0])] = std::get<int64_t>(row.cells.back());
    const auto comparison = analyser::compare::compare(*world.session, *target);
    QVERIFY(!comparison.operations.empty());
    for (const auto& o : comparison.operations) {
      QVERIFY(o.base.memory().value() > 0);
      QCOMPARE(o.base.memory().value(), bytes[QString::fromStdString(o.name)]);
    }
  }
};

TILESCOPE_TEST(SelectionTest)
#include "selection_test.moc"
