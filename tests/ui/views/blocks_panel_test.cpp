#include "ui/views/trace/blocks_panel.h"

#include "reports/rows/block_records.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/parts/elided_label.h"
#include "ui/plot/histogram.h"
#include "ui/plot/step_plot.h"
#include "ui/tables/table_view.h"

#include <QScrollArea>
#include <QScrollBar>
#include <QTabWidget>

using reports::Cycles;

namespace {
bool hasTab(const tests::ViewWorld& world, const QString& title) {
  const auto* tabs = world.view->findChild<QTabWidget*>();
  for (int i = 0; i < tabs->count(); ++i)
    if (tabs->tabText(i) == title && tabs->isTabVisible(i)) return true;
  return false;
}
} // namespace

class BlocksPanelTest : public QObject {
  Q_OBJECT

private slots:
  void aRowIsABlockOnAnIpu() {
    analyser::trace::BlockProfile profile;
    analyser::trace::BlockTimes block;
    block.name = "stage/0", block.ipu = reports::IpuId(1), block.recorded = 12, block.lost = 3;
    block.total = Cycles(1200), block.median = Cycles(90), block.drift = 0.25;
    profile.blocks.push_back(block);
    block.recorded = 0, block.drift.reset();
    profile.blocks.push_back(block);
    const auto table = ui::trace::blockTable(profile, true);
    QCOMPARE(table->columns[1].title, QString("IPU"));
    const auto& row = table->rows.at(0).cells;
    QCOMPARE(row.size(), table->columns.size());
    QCOMPARE(std::get<int64_t>(row[1]), int64_t(1));
    QCOMPARE(std::get<int64_t>(row[2]), int64_t(12));
    QCOMPARE(std::get<int64_t>(row[3]), int64_t(3));
    QCOMPARE(std::get<double>(row.back()), 0.25);
    const auto& lost = table->rows.at(1).cells; // a block without recorded executions has no figures
    QVERIFY(std::holds_alternative<std::monostate>(lost.back()) && std::holds_alternative<std::monostate>(lost[6]));
    QCOMPARE(ui::trace::blockTable(profile, false)->columns.size(), table->columns.size() - 1);
    // The table of one IPU has only its blocks, with their original ids.
    profile.blocks.front().ipu = reports::IpuId(0);
    const auto own = ui::trace::blockTable(profile, false, reports::IpuId(1));
    QCOMPARE(own->rows.size(), std::size_t(1));
    QCOMPARE(own->rows.front().id, int64_t(1));
    QCOMPARE(own->rows.front().cells.size(), own->columns.size());
  }

  // Its least height leaves the plots of the trace their share of a window of 1920 x 1080: the page does not scroll.
  void theTabFitsALargeWindow() {
    tests::ViewWorld world;
    world.open("trace");
    world.view->resize(1718, 1000);
    QVERIFY(world.settle());
    auto* panel = world.view->findChild<ui::trace::BlocksPanel*>();
    world.view->findChild<QTabWidget*>()->setCurrentWidget(panel);
    QCoreApplication::processEvents();
    QTRY_VERIFY2(panel->minimumSizeHint().height() <= 260, qPrintable(QString::number(panel->minimumSizeHint().height())));
    auto* scroll = world.view->findChild<ui::shell::Page*>()->findChild<QScrollArea*>();
    QTRY_COMPARE(scroll->verticalScrollBar()->maximum(), 0);
  }

  // In the smallest window that is promised whole, no column of the table lies out of sight.
  void theTableFitsASmallWindow() {
    tests::ViewWorld world;
    world.open("trace");
    world.view->resize(1048, 700); // a window of 1280 without its rail and margins
    QVERIFY(world.settle());
    auto* panel = world.view->findChild<ui::trace::BlocksPanel*>();
    world.view->findChild<QTabWidget*>()->setCurrentWidget(panel);
    QCoreApplication::processEvents();
    auto* table = world.child<ui::tables::TableView>("Timed Blocks");
    const auto wide = [&] {
      int sum = 0;
      for (int c = 0; c < table->model()->columnCount(); ++c) sum += table->columnWidth(c);
      return sum;
    };
    QTRY_VERIFY2(wide() <= table->viewport()->width(),
                 qPrintable(QString("%1 of %2").arg(wide()).arg(table->viewport()->width())));
    const auto shown = [&] {
      int count = 0;
      for (int c = 0; c < table->model()->columnCount(); ++c) count += !table->isColumnHidden(c);
      return count;
    };
    const int few = shown();
    world.view->resize(1700, 900);
    QCoreApplication::processEvents();
    QVERIFY(shown() > few && shown() == table->model()->columnCount()); // there is room for all figures
    QVERIFY(wide() <= table->viewport()->width());
  }

  void theChosenBlockIsDrawn() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    QVERIFY(hasTab(world, "Blocks"));
    auto* panel = world.view->findChild<ui::trace::BlocksPanel*>();
    const auto profile = panel->profile();
    QVERIFY(profile && profile->blocks.size() == 2); // the loop, on two IPUs
    auto* tabs = world.view->findChild<QTabWidget*>();
    tabs->setCurrentWidget(panel);
    auto* table = world.child<ui::tables::TableView>("Timed Blocks");
    QVERIFY(table && table->model()->rowCount() >= 2);
    const auto* durations = world.child<ui::plot::StepPlot>("Duration of each execution of the Block");
    for (int i = 0; i < 2; ++i) {
      emit table->idsSelected({i});
      QCOMPARE(durations->scene().series.highest(), profile->blocks[std::size_t(i)].max.value());
    }
    const auto* verdict = world.child<ui::shell::ElidedLabel>("Timed Blocks in a sentence");
    QVERIFY2(verdict->whole().contains("none was lost"), qPrintable(verdict->whole()));
    QSignalSpy ranges(panel, &ui::trace::BlocksPanel::rangeRequested);
    emit table->idActivated(0);
    QCOMPARE(ranges.size(), 1);
  }

  void withoutBlocksThereIsNoTab() {
    tests::ViewWorld world;
    tests::tamper(world.report.path(), "DELETE FROM block_chunk");
    world.session = analyser::Session::open(world.report.path().string());
    world.open("trace");
    QVERIFY(world.settle());
    QVERIFY(!hasTab(world, "Blocks"));
  }
};

TILESCOPE_TEST(BlocksPanelTest)
#include "blocks_panel_test.moc"
