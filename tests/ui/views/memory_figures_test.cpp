// Other figures than memory in the Memory view, the steps they are of, and sums of its tables.
#include "analyser/liveness/liveness.h"
#include "analyser/memory/program_uses.h"
#include "analyser/memory/tile_metrics.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/plot/legend.h"
#include "ui/plot/step_plot.h"
#include "ui/shell/elided_label.h"

#include <QAction>
#include <QComboBox>
#include <QSlider>

class MemoryFiguresTest : public QObject {
  Q_OBJECT

private slots:
  // Steps have the numbers of liveness; bytes that are alive are held against the tile's memory, and every figure has percentiles.
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
    QVERIFY(plot->yAxis->range().upper >= double(world.session->machine().memoryPerTile.value()));
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

  // Of another IPU than the one that is shown there are no figures: 0 B would be a lie.
  void aTileBesideTheChosenIpuHasNoFigure() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    world.state.setTiles({reports::TileId(1)});
    world.child<QComboBox>("IPU")->setCurrentIndex(2);
    QVERIFY(world.settle());
    QVERIFY2(world.view->selectionText().startsWith("Tile 1 not on IPU 1"), qPrintable(world.view->selectionText()));
    QVERIFY(!world.view->selectionText().contains("0 B"));
  }

  // Exchange code by exchange, with what belongs to none, is that of the categories.
  void exchangesAddUpToTheirCategories() {
    tests::ViewWorld world;
    const auto byCategory = analyser::memory::tileMemory(*world.session, analyser::memory::Breakdown::ByCategory);
    const auto uses = analyser::memory::exchangesOn(*world.session, {});
    reports::Bytes code, categories;
    for (const auto& use : uses) code += use.codeHere.value_or(reports::Bytes());
    for (const auto& part : byCategory.parts)
      if (part.category && analyser::memory::isExchangeCode(*part.category)) categories += part.sum;
    const auto rest = analyser::memory::codeOfNoExchange(byCategory, uses, {});
    QCOMPARE(code + rest, std::max(code, categories));
  }
};

TILESCOPE_TEST(MemoryFiguresTest)
#include "memory_figures_test.moc"
