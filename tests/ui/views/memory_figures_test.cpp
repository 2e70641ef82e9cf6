// Other figures than memory in the Memory view, the steps they are of, and sums of its tables.
#include "analyser/liveness/liveness.h"
#include "analyser/memory/tile_metrics.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/parts/elided_label.h"
#include "ui/plot/legend.h"
#include "ui/plot/step_plot.h"
#include "ui/views/memory/exchange_tab.h"
#include "ui/views/memory/memory_tables.h"

#include <QAction>
#include <QComboBox>
#include <QSlider>

#include <qcustomplot.h>

class MemoryFiguresTest : public QObject {
  Q_OBJECT

private slots:
  // Steps have the numbers of Liveness; live bytes are compared with the tile's memory, and every figure has percentiles.
  void theMenuActsOnEveryFigureAndStepsHaveOneNumber() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    auto* plot = world.child<ui::plot::StepPlot>("Memory per tile");
    auto* figure = world.child<QComboBox>("Figure");
    auto* slider = world.child<QSlider>("Step of the picture");
    const auto action = [&](const QString& text) {
      for (QAction* a : world.view->findChild<ui::shell::Page*>()->viewMenu()->actions())
        if (a->text() == text) return a;
      return static_cast<QAction*>(nullptr);
    };
    figure->setCurrentIndex(1 + int(analyser::memory::TileMetric::Alive));
    QVERIFY(world.settle());
    const auto steps = analyser::liveness::stepsOf(*world.session);
    QCOMPARE(slider->maximum(), int(steps.size()));
    slider->setValue(3);
    QVERIFY(world.settle());
    QCOMPARE(world.state.step(), steps[2].programStep);
    const auto told = [&](const QString& words) {
      for (const auto* label : world.view->findChildren<ui::shell::ElidedLabel*>())
        if (label->whole().startsWith(words)) return true;
      return false;
    };
    QVERIFY(told(QString("Step %1 (0 to %2)").arg(steps[2].ordinal).arg(steps.size() - 1)));
    auto* scale = action("Scale to the tile's memory");
    auto* band = action("Show median and percentiles of the tiles");
    QVERIFY(scale->isEnabled());
    if (!scale->isChecked()) scale->trigger();
    QVERIFY(plot->findChild<QCustomPlot*>()->yAxis->range().upper >= double(world.session->machine().memoryPerTile.value()));
    const auto* legend = world.view->findChild<ui::plot::Legend*>();
    const std::size_t before = legend->shown().size();
    band->trigger();
    QVERIFY(world.settle());
    QCOMPARE(legend->shown().size(), before + 3); // the median and two percentiles
    figure->setCurrentIndex(1 + int(analyser::memory::TileMetric::Cycles));
    QVERIFY(world.settle());
    QVERIFY(!scale->isEnabled()); // cycles have no memory to be held against
  }

  // A step that another view selects is the one the map of addresses shows.
  void theAddressMapFollowsTheSelectedStep() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    auto* slider = world.child<QSlider>("Step of the memory map");
    QCOMPARE(slider->value(), 0);
    const auto steps = analyser::liveness::stepsOf(*world.session);
    world.state.setStep(steps[4].programStep);
    QCOMPARE(slider->value(), 5);
  }

  // A tile of an IPU that is not shown has no figures: 0 B would be wrong.
  void aTileBesideTheChosenIpuHasNoFigure() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    world.state.setTiles({reports::TileId(1)});
    world.child<QComboBox>("IPU")->setCurrentIndex(2);
    QVERIFY(world.settle());
    QVERIFY2(world.view->selectionText().startsWith("Tile 1: not on IPU 1"), qPrintable(world.view->selectionText()));
    QVERIFY(!world.view->selectionText().contains("0 B"));
  }

  // The code of all exchanges plus the code of no exchange equals the code categories, for all tiles and for some.
  void exchangesAddUpToTheirCategories() {
    using reports::Bytes, reports::TileId;
    analyser::memory::TileMemory memory;
    const auto part = [&](reports::MemoryCategory category, std::vector<int64_t> values) {
      analyser::memory::TileSeries series;
      series.category = category;
      for (const int64_t v : values) series.values.emplace_back(v), series.sum += Bytes(v);
      memory.parts.push_back(std::move(series));
    };
    part(reports::MemoryCategory::InternalExchangeCode, {300, 500});
    part(reports::MemoryCategory::HostExchangeCode, {40, 0});
    part(reports::MemoryCategory::Variable, {9000, 9000}); // not exchange code
    const auto usesOf = [](int64_t first, int64_t second) {
      std::vector<analyser::memory::ExchangeUse> uses(2);
      uses[0].codeHere = Bytes(first), uses[0].code = Bytes(first), uses[0].kind = "internal";
      uses[1].codeHere = Bytes(second), uses[1].code = Bytes(second), uses[1].kind = "host";
      return uses;
    };
    const auto all = usesOf(780, 25);
    const Bytes rest = analyser::memory::codeOfNoExchange(memory, all, {});
    QCOMPARE(rest, Bytes(35));
    const std::vector<TileId> second{TileId(1)};
    QCOMPARE(analyser::memory::codeOfNoExchange(memory, usesOf(500, 0), second), Bytes());
    analyser::Machine machine;
    machine.ipus = 1, machine.tilesPerIpu = 8;
    const auto tablesOf = [&](const std::vector<analyser::memory::ExchangeUse>& uses, bool isOfAll) {
      const analyser::memory::PartnerUse partner{
          .tile = TileId(3), .received = Bytes(7), .sent = Bytes(5), .estimated = Bytes(2), .exchanges = 4},
          host{.tile = {},
               .end = analyser::memory::Partners::End::Host,
               .received = Bytes(1),
               .sent = {},
               .estimated = {},
               .exchanges = 1};
      return ui::memory::exchangeTables({uses, {partner, host}}, machine, rest, isOfAll);
    };
    const auto ofAll = tablesOf(all, true), ofSome = tablesOf(all, false);
    int64_t sum = 0, operations = 0;
    for (const auto& row : ofAll.bySteps->rows) sum += std::get<int64_t>(row.cells[2]);
    for (const auto& row : ofAll.byOperations->rows) operations += std::get<int64_t>(row.cells[3]);
    QCOMPARE(sum, int64_t(840));
    QCOMPARE(operations, int64_t(840));
    QCOMPARE(ofAll.bySteps->columns.size() + 1, ofSome.bySteps->columns.size()); // one says the same
    const auto& partner = ofSome.byPartners->rows[0];
    QCOMPARE(partner.id, int64_t(3));
    QCOMPARE(partner.cells, (std::vector<ui::tables::Cell>{int64_t(3), int64_t(7), int64_t(5), int64_t(4), int64_t(2)}));
    QCOMPARE(ofSome.byPartners->rows[1].id, int64_t(-1));
    QCOMPARE(std::get<QString>(ofSome.byPartners->rows[1].cells[0]), QString("the host"));
    auto partners = all; // the column says which bytes are known and which are estimated
    partners[0].partners = {.senders = {{TileId(12), 896}, {TileId(4), 64}}, .receivers = {}, .senderCount = 2};
    partners[1].partners = {.areEstimated = true, .senders = {}, .receivers = {{TileId(0), 16}}, .receiverCount = 1};
    const auto shown = tablesOf(partners, false).bySteps;
    QCOMPARE(std::get<QString>(shown->rows[0].cells[8]), QString::fromUtf8("from tile 12 (896 B) and 1 more: 4 (64 B)"));
    QCOMPARE(std::get<QString>(shown->rows[1].cells[8]), QString::fromUtf8("to tile 0 (≈ 16 B)"));
    QVERIFY(shown->columns[8].tip.contains("in proportion"));
    auto unknown = all;
    unknown[1].codeHere.reset(); // an older report
    QCOMPARE(analyser::memory::codeOfNoExchange(memory, unknown, {}), Bytes());
  }
  // The tab Tiles is the table of the curve: its figure is in the column after the tile number.
  void theFigureOfTheCurveIsInTheTable() {
    analyser::memory::TileMemory memory;
    memory.ipus = 2, memory.tilesPerIpu = 1;
    memory.total.values = {reports::Bytes(100), reports::Bytes(200)};
    QCOMPARE(ui::memory::tileTable(memory)->columns[1].title, QString("IPU"));
    analyser::memory::TileMetricValues figure;
    figure.metric = analyser::memory::TileMetric::Cycles, figure.values = {7, 9};
    const auto cycles = ui::memory::tileTable(memory, &figure);
    QCOMPARE(cycles->columns[1].title, QString("Compute cycles"));
    QCOMPARE(cycles->columns[1].kind, ui::tables::Kind::Cycles);
    QCOMPARE(cycles->rows[1].cells[1], ui::tables::Cell(int64_t(9)));
    QCOMPARE(cycles->rows[1].cells[3], ui::tables::Cell(int64_t(200))); // memory stays
    figure.metric = analyser::memory::TileMetric::Utilisation, figure.values = {500'000, 1'000'000};
    QCOMPARE(ui::memory::tileTable(memory, &figure)->rows[0].cells[1], ui::tables::Cell(0.5));
  }

  void partnersAreSaidInFewWords() {
    analyser::memory::Partners partners{
        .senders = {{reports::TileId(12), 896}, {reports::TileId(4), 64}, {reports::TileId(5), 8}},
        .receivers = {},
        .senderCount = 3};
    QCOMPARE(ui::memory::partnersText(partners), QString::fromUtf8("from tile 12 (896 B) and 2 more: 4 (64 B), 5 (8 B)"));
    partners.senderCount = 9;
    partners.receivers = {{reports::TileId(7), 128}}, partners.receiverCount = 1;
    QCOMPARE(ui::memory::partnersText(partners),
             QString::fromUtf8("from tile 12 (896 B) and 8 more: 4 (64 B), 5 (8 B), …; to tile 7 (128 B)"));
    partners.senders.clear(), partners.senderCount = 0;
    QCOMPARE(ui::memory::partnersText(partners), QString::fromUtf8("to tile 7 (128 B)"));
    partners.areEstimated = true, partners.receivers = {{reports::TileId(7), 12.4}, {reports::TileId(8), 0.2}},
    partners.receiverCount = 2;
    QCOMPARE(ui::memory::partnersText(partners), QString::fromUtf8("to tile 7 (≈ 12 B) and 1 more: 8 (≈ <1 B)"));
    QCOMPARE(ui::memory::partnersText({.end = analyser::memory::Partners::End::OtherReplicas, .senders = {}, .receivers = {}}),
             QString::fromUtf8("tiles of other replicas"));
  }
};

TILESCOPE_TEST(MemoryFiguresTest)
#include "memory_figures_test.moc"
