// The tiles of the selected operation: always of the one that is selected, however quickly.
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/parts/elided_label.h"
#include "ui/plot/step_plot.h"
#include "ui/tables/table_view.h"
#include "ui/views/operations/tile_tab.h"

#include <QComboBox>
#include <QTabWidget>

using namespace ui;

class TileTabTest : public QObject {
  Q_OBJECT

  static bool openTiles(tests::ViewWorld& world) {
    world.open("operations");
    if (!world.settle()) return false;
    auto* tabs = world.view->findChild<QTabWidget*>();
    tabs->setCurrentWidget(world.view->findChild<operations::TileTab*>());
    return world.settle();
  }
  static QString words(const tests::ViewWorld& world) {
    return world.child<shell::ElidedLabel>("The operation's tiles in a sentence")->whole();
  }

private slots:
  void theSelectedOperationIsShown() {
    tests::ViewWorld world;
    QVERIFY(openTiles(world));
    QStringList seen;
    for (const int64_t operation : {0, 1, 2}) {
      auto* table = world.child<tables::TableView>("Operations");
      table->selectIds({operation});
      emit table->idsSelected({operation});
      QVERIFY(world.settle());
      QVERIFY2(words(world).contains("tile"), qPrintable(words(world)));
      seen << words(world);
    }
    seen.removeDuplicates();
    QVERIFY(seen.size() > 1);
    // Select another one and go back before the first answer arrives.
    auto* table = world.child<tables::TableView>("Operations");
    emit table->idsSelected({1});
    emit table->idsSelected({2});
    QVERIFY(world.settle());
    QCOMPARE(words(world), seen.back());
    QVERIFY(world.child<plot::StepPlot>("The operation per tile")->scene().series.highest() > 0);
  }

  // A row of any list has steps and tiles, and other views show one of its steps.
  void groupsAndLayersHaveStepsToo() {
    tests::ViewWorld world;
    QVERIFY(openTiles(world));
    auto* rows = world.child<QComboBox>("Rows");
    auto* tabs = world.view->findChild<QTabWidget*>();
    auto* steps = world.child<tables::TableView>("Program steps of the operation");
    int layers = 0;
    for (int i = 2; i < rows->count(); ++i) { // by kind, and every layer
      rows->setCurrentIndex(i);
      emit rows->activated(i);
      QVERIFY(world.settle());
      auto* table = world.child<tables::TableView>("Operations");
      const auto last = int64_t(table->rows().table()->rows.size()) - 1;
      emit table->idsSelected({last});
      QVERIFY(world.settle());
      QVERIFY2(steps->model()->rowCount() > 0, qPrintable(rows->itemText(i)));
      QVERIFY(!world.state.operation().valid() && world.state.step().valid());
      QVERIFY(tabs->isTabVisible(tabs->indexOf(world.view->findChild<operations::TileTab*>())));
      ++layers;
    }
    QVERIFY(layers >= 2);
  }

  // One operation has one maker, a kind has many.
  void theMakerOfAnOperationIsShown() {
    tests::ViewWorld world;
    world.open("operations");
    QVERIFY(world.settle());
    auto* tabs = world.view->findChild<QTabWidget*>();
    auto* maker = world.child<tables::TreeView>("Debug information of the operation");
    QVERIFY(maker && tabs->isTabVisible(tabs->indexOf(maker)));
    QVERIFY(maker->model()->rowCount() > 0);
    auto* rows = world.child<QComboBox>("Rows");
    rows->setCurrentIndex(1);
    emit rows->activated(1); // the tree: its first row is a folder
    QVERIFY(world.settle());
    auto* tree = world.child<tables::TreeView>("Operations by name");
    emit tree->idSelected(0);
    QVERIFY(world.settle());
    QVERIFY(!tabs->isTabVisible(tabs->indexOf(maker)));
  }

  void everyMeasureHasItsSentence() {
    tests::ViewWorld world;
    QVERIFY(openTiles(world));
    auto* measure = world.child<QComboBox>("Measure of the tiles");
    QStringList seen;
    for (int i = 0; i < measure->count(); ++i) {
      measure->setCurrentIndex(i);
      emit measure->activated(i);
      seen << words(world);
    }
    seen.removeDuplicates();
    QCOMPARE(seen.size(), measure->count());
  }

  void aClickSelectsTheTile() {
    tests::ViewWorld world;
    QVERIFY(openTiles(world));
    auto* plot = world.child<plot::StepPlot>("The operation per tile");
    emit plot->positionClicked(5, Qt::NoModifier);
    QCOMPARE(world.state.tiles(), std::vector<reports::TileId>{reports::TileId(5)});
    emit plot->positionClicked(7, Qt::ShiftModifier);
    QCOMPARE(world.state.tiles().size(), std::size_t(2));
  }

  void anotherReportLeavesNothing() {
    tests::ViewWorld world;
    QVERIFY(openTiles(world));
    QVERIFY(!words(world).isEmpty());
    world.view->setSessions(nullptr, nullptr);
    QVERIFY(words(world).isEmpty());
    QCOMPARE(world.child<plot::StepPlot>("The operation per tile")->scene().series.highest(), int64_t(0));
  }
};

TILESCOPE_TEST(TileTabTest)
#include "tile_tab_test.moc"
