#include "ui/views/memory/memory_view.h"

#include "reports/sqlite/reader.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/parts/verdict_line.h"
#include "ui/plot/histogram.h"
#include "ui/plot/legend.h"
#include "ui/plot/step_plot.h"
#include "ui/plot/tile_map.h"
#include "ui/tables/table_view.h"
#include "ui/views/memory/memory_tables.h"
#include "ui/views/memory/tile_strip.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSlider>

#include <qcustomplot.h>

using reports::TileId;

namespace {
QPoint middleOf(ui::plot::StepPlot& plot, int64_t position) {
  return {int(plot.pixelAt(double(position))), int(plot.axes().center().y())};
}
} // namespace

class MemoryViewTest : public QObject {
  Q_OBJECT

private slots:
  void opensWithAnAnswer() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    QVERIFY(world.view->verdict().contains("Fits"));
    QVERIFY(world.child<ui::plot::StepPlot>("Memory per tile")->scene().series.highest() > 0);
  }

  void clickedTileHasAColumn() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    auto* plot = world.child<ui::plot::StepPlot>("Memory per tile");
    QTest::mouseClick(plot, Qt::LeftButton, {}, middleOf(*plot, 5));
    QCOMPARE(world.state.tiles(), (std::vector<TileId>{TileId(5)}));
    const auto counted = [&](const QString& of) { // whose bytes the lists of variables and exchanges have
      const auto labels = world.view->findChildren<QLabel*>();
      return std::count_if(labels.begin(), labels.end(), [&](const QLabel* l) { return l->text().endsWith(of); });
    };
    QVERIFY(world.settle());
    QCOMPARE(counted("rows of tile 5"), 4);
    QTest::mouseClick(plot, Qt::LeftButton, Qt::ShiftModifier, middleOf(*plot, 11));
    QCOMPARE(world.state.tiles().size(), std::size_t(2));
    QVERIFY(world.settle());
    QCOMPARE(counted("of the 2 selected tiles"), 4);
    const auto tree = world.child<ui::tables::TreeView>("Memory of the selected tiles")->rows().tree();
    QCOMPARE(tree->columns.size(), std::size_t(5)); // mean and median stay beside the tiles
    QCOMPARE(tree->columns[2].title, QStringLiteral("Tile 11"));
    QVERIFY(world.view->selectionText().startsWith(QString("2")));
  }

  void exchangesAreListedByPartnerTile() {
    tests::ViewWorld world;
    world.open("memory");
    world.state.setTiles({TileId(5)});
    QVERIFY(world.settle());
    auto* table = world.child<ui::tables::TableView>("Exchanges of the tiles");
    auto* by = world.child<QComboBox>("Rows of exchanges");
    const auto first = [&] { return table->model()->headerData(0, Qt::Horizontal).toString(); };
    QCOMPARE(first(), QString("Exchange"));
    by->setCurrentIndex(1);
    QCOMPARE(first(), QString("Operation"));
    by->setCurrentIndex(2);
    QCOMPARE(first(), QString("Partner tile"));
    QVERIFY(table->rows().shownRows() > 0);
    emit table->idActivated(3);
    QCOMPARE(world.state.tiles(), std::vector<TileId>{TileId(3)});
    QVERIFY(world.settle());
    QCOMPARE(first(), QString("Partner tile")); // the choice stays
  }

  void theStatusLineNamesTheVariable() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    QSignalSpy told(world.view.get(), &ui::shell::View::selectionTextChanged);
    auto* largest = world.child<ui::tables::TableView>("Largest variables");
    const auto row = largest->rows().table()->rows.front();
    world.state.setVariable(reports::VariableId(std::size_t(row.id)));
    QVERIFY(world.settle());
    QVERIFY(!told.isEmpty());
    const QString name = std::get<QString>(row.cells[0]);
    QVERIFY2(world.view->selectionText().startsWith(name + ": "), qPrintable(world.view->selectionText()));
    world.state.setTiles({TileId(5)}); // beside the tiles
    QVERIFY(world.settle());
    QVERIFY(world.view->selectionText().startsWith("Tile 5: ") && world.view->selectionText().contains(name));
    world.state.setVariable({});
    QVERIFY(!world.view->selectionText().contains(name));
  }

  void sharesOfTheDetailsAddUp() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    const auto check = [&](int shareColumn) {
      const auto tree = world.child<ui::tables::TreeView>("Memory of the selected tiles")->rows().tree();
      QCOMPARE(tree->columns.back().title, QString("Share"));
      double sum = 0;
      for (const auto& row : tree->rows) {
        const auto* share = std::get_if<double>(&row.cells[std::size_t(shareColumn)]);
        if (row.parent >= 0 && tree->rows[std::size_t(row.parent)].cells[0] == ui::tables::Cell(QString("By data type"))) {
          QVERIFY(share);
          sum += *share;
        }
      }
      QVERIFY2(std::abs(sum - 1) < 1e-9, qPrintable(QString::number(sum)));
      return;
    };
    check(4);
    const auto tree = world.child<ui::tables::TreeView>("Memory of the selected tiles")->rows().tree();
    QCOMPARE(std::get<int64_t>(tree->rows[0].cells[2]), std::get<int64_t>(tree->rows[0].cells[1]) / 16); // of sixteen tiles
    world.state.setTiles({TileId(5)});
    QVERIFY(world.settle());
    check(5);
  }

  // A heading that repeats the total has no share; its only part has a share of 100 %.
  void theOnlyPartIsAllOfIt() {
    analyser::memory::TileDetails details;
    details.columns = {"All tiles"};
    for (const auto& [title, depth] : {std::pair{"Memory excluding gaps", 0}, {"By memory region", 1}, {"Non-interleaved", 2}}) {
      auto& row = details.rows.emplace_back();
      row.title = title, row.depth = depth, row.values = {reports::Bytes(4096)};
    }
    const auto tree = ui::memory::detailsTree(details, 1);
    QVERIFY(std::holds_alternative<std::monostate>(tree->rows[1].cells.back()));
    QCOMPARE(std::get<double>(tree->rows[2].cells.back()), 1.0);
  }

  // The address map shows a tile that has the selected variable; the tile may be on another IPU than the fullest tile.
  void theMapFollowsTheVariable() {
    tests::ViewWorld world;
    const auto fullest = analyser::memory::fullestTile(analyser::memory::tileMemory(*world.session));
    // Only the first variable stays on the fullest tile: then some of the largest variables are on it and some are not.
    tests::tamper(world.report.path(),
                  "UPDATE tile_variables SET lowered = 1, variables = substr(variables, 1, 1), addresses = x'00', "
                  "sizes = x'40', own_bytes = x'40', reasons = x'', reason_variables = x'' WHERE tile = " +
                      std::to_string(fullest.value()));
    world.session = analyser::Session::open(world.report.path().string());
    world.open("memory");
    QVERIFY(world.settle());
    auto* places = world.child<ui::tables::TableView>("Variables of the tile");
    const auto isThere = [&](reports::VariableId variable, TileId tile) {
      return analyser::memory::variableSeries(*world.session, variable).values[tile.value()] > reports::Bytes();
    };
    reports::VariableId elsewhere, here;
    for (const auto& row : world.child<ui::tables::TableView>("Largest variables")->rows().table()->rows) {
      const reports::VariableId variable(std::size_t(row.id));
      (isThere(variable, fullest) ? here : elsewhere) = variable;
    }
    QVERIFY(elsewhere.valid() && here.valid());
    world.state.setVariable(here);
    QVERIFY(world.settle());
    const auto before = places->rows().table();
    QCOMPARE(places->selectedIds().size(), std::size_t(1));
    world.state.setVariable(elsewhere);
    QVERIFY(world.settle());
    QVERIFY(places->rows().table() != before);
    QCOMPARE(places->selectedIds().size(), std::size_t(1));
    world.state.setTiles({fullest}); // a chosen tile comes first
    QVERIFY(world.settle());
    QCOMPARE(places->rows().table()->rows.size(), before->rows.size());
    QVERIFY(places->selectedIds().empty());
  }

  void enterInLivenessLeadsToTheAddress() {
    tests::ViewWorld world;
    world.open("liveness");
    QVERIFY(world.settle());
    QSignalSpy left(world.view.get(), &ui::shell::View::viewRequested);
    auto* alive = world.child<ui::tables::TableView>("Variables alive at the step");
    emit alive->idActivated(alive->rows().table()->rows.front().id);
    QCOMPARE(left.size(), 1);
    QCOMPARE(left[0][0].toString(), QStringLiteral("memory"));
    const auto variable = world.state.variable();
    world.open("memory");
    QVERIFY(world.settle());
    QCOMPARE(world.view->findChild<QTabWidget*>()->currentIndex(), 1);
    QCOMPARE(world.state.variable(), variable);
    QCOMPARE(world.child<ui::tables::TableView>("Variables of the tile")->selectedIds().size(), std::size_t(1));
  }

  void theFullestTileIsSelectedWhenAskedFor() {
    tests::ViewWorld world;
    world.state.messages().send(ui::shell::ShowFullestTile{}); // by a banner, before the view was ever shown
    world.open("memory");
    QVERIFY(world.settle());
    QCOMPARE(world.state.tiles().size(), std::size_t(1));
    const auto fullest = world.state.tiles();
    QVERIFY(world.view->verdict().contains(QString("tile %1").arg(fullest[0].value())));
    world.state.setTiles({});
    world.state.messages().send(ui::shell::ShowFullestTile{}); // and while it is shown
    QCOMPARE(world.state.tiles(), fullest);
  }

  // The table has the numbers of the plot, and a selection in one selects in the other.
  void eachTileIsARow() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    auto* tabs = world.view->findChild<QTabWidget*>();
    auto* tiles = world.child<ui::tables::TableView>("Memory of each tile");
    QVERIFY(!tiles->rows().table()); // the tab was not shown yet
    for (int i = 0; i < tabs->count(); ++i)
      if (tabs->tabText(i) == "Tiles") tabs->setCurrentIndex(i);
    QVERIFY(world.settle());
    const auto memory = analyser::memory::tileMemory(*world.session, analyser::memory::Breakdown::ByCategory);
    QCOMPARE(tiles->rows().table()->rows.size(), memory.total.values.size());
    for (const auto& row : tiles->rows().table()->rows) {
      QCOMPARE(std::get<int64_t>(row.cells[2]), memory.total.values[std::size_t(row.id)].value());
      int64_t parts = 0;
      for (std::size_t c = 5; c < row.cells.size(); ++c) parts += std::get<int64_t>(row.cells[c]);
      QCOMPARE(parts, std::get<int64_t>(row.cells[2]));
    }
    world.state.setTiles({TileId(3), TileId(9)});
    QCOMPARE(tiles->selectedIds(), (std::vector<int64_t>{3, 9}));
    emit tiles->idsSelected({12});
    QCOMPARE(world.state.tiles(), (std::vector<TileId>{TileId(12)}));
    world.child<QComboBox>("IPU")->setCurrentIndex(2); // IPU 1 alone
    QVERIFY(world.settle());
    QCOMPARE(tiles->rows().table()->rows.size(), std::size_t(8));
    QCOMPARE(tiles->rows().table()->rows.front().id, int64_t(8));
  }

  void typedTilesAreSelected() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    auto* typed = world.child<QLineEdit>("Selected tiles");
    typed->clear();
    QTest::keyClicks(typed, "0, 3-4");
    QTest::keyClick(typed, Qt::Key_Return);
    QCOMPARE(world.state.tiles(), (std::vector<TileId>{TileId(0), TileId(3), TileId(4)}));
    typed->setText("99999");
    QTest::keyClick(typed, Qt::Key_Return);
    QCOMPARE(world.state.tiles().size(), std::size_t(3)); // a tile there is not changes nothing
  }

  void namesAreLookedForInTheTableInSight() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    auto* tabs = world.view->findChild<QTabWidget*>();
    const auto filterAt = [&](int tab) {
      tabs->setCurrentIndex(tab);
      if (!world.view->focusFilter()) return QString();
      const QWidget* focus = world.view->window()->focusWidget();
      return focus ? focus->accessibleName() : QString();
    };
    QCOMPARE(filterAt(0), QString("Filter of Largest variables")); // the tree has none
    QCOMPARE(tabs->currentIndex(), 2);
    QCOMPARE(filterAt(1), QString("Filter of Variables of the tile"));
    QCOMPARE(filterAt(3), QString("Filter of Compute sets on the tiles"));
    QCOMPARE(filterAt(4), QString("Filter of Vertices by type"));
    QCOMPARE(filterAt(5), QString("Filter of Exchanges of the tiles"));
  }

  void mapClickOnOneIpuMeansItsTile() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    world.child<QComboBox>("IPU")->setCurrentIndex(2); // IPU 1
    world.child<QComboBox>("Picture")->setCurrentIndex(1);
    QVERIFY(world.settle());
    auto* map = world.child<ui::plot::TileMap>("Floor plan by memory");
    QVERIFY(QTest::qWaitFor([&] { return map->isVisible() && map->cellOf(3).width() > 1; }));
    QTest::mouseClick(map, Qt::LeftButton, {}, map->cellOf(3).center().toPoint());
    QCOMPARE(world.state.tiles(), (std::vector<TileId>{TileId(8 + 3)}));
  }

  void stripAndTableShareASelection() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    world.view->findChild<QTabWidget*>()->setCurrentIndex(1);
    auto* strip = world.view->findChild<ui::memory::TileStrip*>();
    QSignalSpy clicked(strip, &ui::memory::TileStrip::variableClicked);
    int found = -1;
    QPoint at;
    for (int x = 0; x < strip->width() && found < 0; ++x) found = strip->variableAt(at = QPoint(x, strip->height() / 2));
    QVERIFY(found >= 0);
    QTest::mouseClick(strip, Qt::LeftButton, {}, at);
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(world.child<ui::tables::TableView>("Variables of the tile")->selectedIds(), (std::vector<int64_t>{found}));
  }

  void breakdownPartsSumToTheTotal() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    const int64_t byCategory = world.child<ui::plot::StepPlot>("Memory per tile")->scene().series.highest();
    world.child<QComboBox>("Breakdown")->setCurrentIndex(3);
    QVERIFY(world.settle());
    QCOMPARE(world.child<ui::plot::StepPlot>("Memory per tile")->scene().series.highest(), byCategory);
  }

  // The story "why is this tile fuller": a click on it, and the answer has bytes.
  void aSelectedTileSaysWhyItIsFuller() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    auto* plot = world.child<ui::plot::StepPlot>("Memory per tile");
    QTest::mouseClick(plot, Qt::LeftButton, {}, middleOf(*plot, 5));
    QVERIFY(world.settle());
    const auto* why = world.child<ui::shell::VerdictLine>("Why the tile is as full as it is");
    QVERIFY2(why->text().startsWith("Tile 5 holds ") && why->text().contains("median"), qPrintable(why->text()));
    const auto tree = world.child<ui::tables::TreeView>("Memory of the selected tiles")->rows().tree();
    QCOMPARE(tree->columns[4].title, QString("Over the median"));
    for (const auto& row : tree->rows)
      if (const auto* held = std::get_if<int64_t>(&row.cells[1]), *median = std::get_if<int64_t>(&row.cells[3]); held && median)
        QCOMPARE(std::get<int64_t>(row.cells[4]), *held - *median);
  }

  void everyFigureIsDrawnAndTheSliderMovesAlongTheSteps() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    auto* plot = world.child<ui::plot::StepPlot>("Memory per tile");
    auto* figure = world.child<QComboBox>("Figure");
    QCOMPARE(figure->count(), 1 + analyser::memory::kTileMetrics);
    auto* slider = world.child<QSlider>("Step of the picture");
    QVERIFY(!slider->isVisible());
    for (int f = 1; f < figure->count(); ++f) {
      figure->setCurrentIndex(f);
      QVERIFY(world.settle());
      const auto metric = analyser::memory::tileMetric(*world.session, analyser::memory::TileMetric(f - 1));
      QCOMPARE(plot->scene().series.highest(), metric.max);
      QVERIFY(slider->isVisible() && slider->maximum() > 3);
    }
    figure->setCurrentIndex(1);
    slider->setValue(3);
    QVERIFY(world.settle());
    const auto step = analyser::memory::costlySteps(*world.session)[2].step;
    QCOMPARE(world.state.step(), step);
    QCOMPARE(plot->scene().series.highest(),
             analyser::memory::tileMetric(*world.session, analyser::memory::TileMetric::Cycles, step).max);
    figure->setCurrentIndex(0);
    QVERIFY(world.settle());
    QVERIFY(plot->scene().series.highest() > 0 && !slider->isVisible());
  }

  // The verdict, the histogram and the tiles that a bar selects follow the figure in the plot.
  void theFigureHasItsOwnSentenceAndHistogram() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    auto* figure = world.child<QComboBox>("Figure");
    auto* histogram = world.child<ui::plot::Histogram>("Tiles by memory used");
    QVERIFY(histogram->accessibleDescription().contains("KiB"));
    figure->setCurrentIndex(1 + int(analyser::memory::TileMetric::Cycles));
    QVERIFY(world.settle());
    QCOMPARE(histogram->accessibleName(), QString("Tiles by compute cycles"));
    QVERIFY2(world.view->verdict().startsWith("Over the run tile"), qPrintable(world.view->verdict()));
    QVERIFY2(histogram->accessibleDescription().contains("cycles"), qPrintable(histogram->accessibleDescription()));
    const auto metric = analyser::memory::tileMetric(*world.session, analyser::memory::TileMetric::Cycles);
    world.state.setTiles({});
    emit histogram->barClicked(metric.max, metric.max + 1);
    QVERIFY(!world.state.tiles().empty());
    for (const auto tile : world.state.tiles()) QCOMPARE(metric.values[tile.value()], metric.max);
    figure->setCurrentIndex(0);
    QVERIFY(world.settle());
    QCOMPARE(histogram->accessibleName(), QString("Tiles by memory used"));
  }

  void expressionsFilterAndTotalsFollow() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    auto* table = world.child<ui::tables::TableView>("Largest variables");
    auto* filter = world.child<QLineEdit>("Filter of Largest variables");
    const int all = table->rows().shownRows();
    filter->setText("/conv[0-1].*/");
    const int some = table->rows().shownRows();
    QVERIFY(some > 1 && some < all);
    int64_t sum = 0;
    for (int row = 1; row <= some; ++row) {
      QVERIFY(table->model()->index(row, 0).data().toString().contains(QRegularExpression("conv[0-1]")));
      sum += table->model()->index(row, 1).data(ui::tables::PlainRole).toLongLong();
    }
    QVERIFY(table->model()->index(0, 0).data().toString().startsWith("Total"));
    QCOMPARE(table->model()->index(0, 1).data(ui::tables::PlainRole).toLongLong(), sum);
    table->selectRow(0);
    QVERIFY(table->selectedIds().empty());
    filter->setText("/conv[/");
    QCOMPARE(table->rows().shownRows(), 0);
    QVERIFY(!table->rows().filterProblem().isEmpty());
  }

  // The selected variable has a tab with its type and the operations and layers that made it.
  void aSelectedVariableTellsWhoMadeIt() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    auto* tabs = world.view->findChild<ui::shell::Page*>()->tabs();
    auto* debug = world.child<ui::tables::TreeView>("Debug information of the variable");
    QVERIFY(debug && !tabs->isTabVisible(tabs->indexOf(debug)));
    reports::VariableId made;
    world.session->reader().forEach<reports::VariableRow>("debug_context_id IS NOT NULL", {}, [&](const auto& row) {
      if (!made.valid()) made = reports::VariableId(std::size_t(row.id));
    });
    world.state.setVariable(made);
    QVERIFY(world.settle());
    QVERIFY(tabs->isTabVisible(tabs->indexOf(debug)));
    const auto tree = debug->rows().tree();
    QVERIFY(tree && tree->rows.size() > 2);
    const auto text = [&](std::size_t row, std::size_t column) { return std::get<QString>(tree->rows[row].cells[column]); };
    QCOMPARE(text(0, 0), QString("variable"));
    QVERIFY(!text(0, 1).isEmpty() && !text(1, 1).isEmpty());
    for (std::size_t i = 0; i < tree->rows.size(); ++i) QVERIFY(tree->rows[i].parent < int(i));
  }

  void theScaleAndTheBandAreChosenInTheView() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    const auto choose = [&](const QString& text) {
      for (QAction* action : world.view->findChildren<QAction*>())
        if (action->text() == text) action->trigger();
      return world.settle();
    };
    auto* curve = world.child<ui::plot::StepPlot>("Memory per tile");
    auto* legend = world.view->findChild<ui::plot::Legend*>();
    const auto entries = legend->shown().size();
    const double top = curve->findChild<QCustomPlot*>()->yAxis->range().upper;
    QVERIFY(choose("Show median and percentiles of the tiles"));
    QCOMPARE(legend->shown().size(), entries + 3);
    QVERIFY(curve->findChild<QCustomPlot*>()->yAxis->range().upper >= top); // the lines are inside
    QVERIFY(!curve->scene().isLogarithmic);
    QVERIFY(choose("Logarithmic scale"));
    QVERIFY(curve->scene().isLogarithmic);
    QCOMPARE(legend->shown().size(), entries + 3);
    QVERIFY(curve->findChild<QCustomPlot*>()->yAxis->range().lower > 0);
    QVERIFY(curve->scene().series.highest() <= curve->findChild<QCustomPlot*>()->yAxis->range().upper);
    for (std::size_t i = 0; i < entries; ++i) legend->setShown(int(i), false); // the legend hides lines as it hides areas
    const auto median = curve->scene().series.highest();
    QVERIFY(median > 0 && median <= int64_t(top));
    QVERIFY(choose("Logarithmic scale"));
    QVERIFY(!curve->scene().isLogarithmic);
    QCOMPARE(curve->findChild<QCustomPlot*>()->yAxis->range().lower, 0.0);
  }

  void exchangesOfATileLeadToTheirStep() {
    tests::ViewWorld world;
    world.open("memory");
    world.state.setTiles({TileId(2)});
    QVERIFY(world.settle());
    auto* table = world.child<ui::tables::TableView>("Exchanges of the tiles");
    QVERIFY(table->rows().shownRows() > 0);
    world.view->findChild<QTabWidget*>()->setCurrentIndex(5);
    const int first = table->rows().shownRows() > 1 ? 1 : 0;
    table->selectRow(first);
    QVERIFY(world.state.step().valid());
    QCOMPARE(int64_t(world.state.step().value()), table->rows().idAt(first));
  }

  void withoutAReportItSaysWhy() {
    tests::ViewWorld world;
    world.session = nullptr;
    world.open("memory");
    QVERIFY(!world.view->isBusy());
    bool said = false;
    for (const QLabel* label : world.view->findChildren<QLabel*>())
      said = said || (label->isVisible() && label->text() == "No report is open");
    QVERIFY(said);
  }
};

TILESCOPE_TEST(MemoryViewTest)
#include "memory_view_test.moc"
