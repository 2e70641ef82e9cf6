// The execution trace: flame lanes of IPUs and the tiles under them on one time axis. The visible range
// is the window's; proportions and statistics are those of what is visible.
#pragma once

#include "analyser/trace/tile_cycles.h"
#include "ui/jobs/latest_job.h"
#include "ui/plot/timeline.h"
#include "ui/shell/flame_tab.h"
#include "ui/shell/slice_browser.h"
#include "ui/shell/view.h"
#include "ui/views/trace/trace_sources.h"

#include <map>
#include <set>

class QAction;
class QComboBox;
class QLabel;
class QSplitter;

namespace ui::plot {
class BarList;
class CellMap;
class Legend;
class StepPlot;
class Timeline;
} // namespace ui::plot
namespace ui::shell {
class DetailPanel;
class WrappedLabel;
} // namespace ui::shell
namespace ui::tables {
class FilteredTable;
class TableView;
struct Table;
} // namespace ui::tables

namespace ui::trace {

class BlocksPanel;
class PipelinePanel;

class GroupedLanes;

class TraceView : public shell::View {
  Q_OBJECT

public:
  explicit TraceView(const shell::ViewParts& parts);
  ~TraceView() override;

  void setSessions(shell::SessionPointer base, shell::SessionPointer other) override;
  bool isBusy() const override;
  QString selectionText() const override;
  bool focusFilter() override { return m_browser->focusSearch(); }
  std::vector<std::pair<QString, QString>> keys() const override;

protected:
  void forgetReport() override;
  void themeChanged() override;
  void formatChanged() override;
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  struct Opened {
    std::shared_ptr<OpenTrace> trace;
    std::map<int, std::set<reports::Activity>> occurring; // by IPU; -1: any
    bool storesAll = true;                                // executions
    std::unordered_map<int64_t, int64_t> folded;          // executions of a slice, by step profile, where it stands for several
  };
  struct RangeAnswer {
    analyser::trace::Proportions proportions;
    std::shared_ptr<const tables::Table> table;
  };
  struct Statistics {
    std::vector<analyser::trace::NameStatistics> rows;
    std::shared_ptr<const tables::Table> table;
  };
  struct Details {
    analyser::trace::SliceDetails slice;
    bool folded = false;
    std::optional<analyser::trace::TileCycles> cost; // none: of too many slices to count them
  };
  struct Waste {
    analyser::Sentence words;
    std::shared_ptr<const tables::Table> table;
  };
  void buildPlots();
  void buildTabs();
  QWidget* buildRangeTab();
  void connectPipeline();
  void connectBlocks();
  void connectPlots();
  void connectSelection();
  void open();
  std::optional<reports::IpuId> ipu() const; // that is shown; none: all
  void showLegend(const std::set<reports::Activity>& occurring);
  std::set<int> hiddenActivities() const;
  void showTrace();
  void buildGrouping();
  void fitLanes();
  void rangeMoved(reports::TickRange range);
  void readRange();
  void readCounts();
  void readStatistics();
  void readCalls();
  void readWaste();
  void showWaste(const Waste& waste);
  shell::FlameWords flameWords();
  void readDetails(const shell::SliceBrowser::Picked& picked);
  void showRange(const RangeAnswer& answer);
  void showDetails();
  void showIpusAtWork();
  void showTiles();
  void showMeasured();
  void showOutline();
  void buildTileOrder();
  void showMarks();
  reports::TickRange countedRange() const;
  QString sliceText() const;
  void followStep();
  void takeTab() override;
  void widen() override;
  void forgetHidden();
  int firstTile() const; // of the shown IPU
  std::optional<plot::Timeline::Hit> stepOf(reports::TileId tile, int64_t tick) const;
  plot::Card tileCard(reports::TileId tile, reports::Activity activity, int64_t tick) const;
  int64_t executionsOf(const plot::Slice& slice, const shell::SliceNote& note) const;
  plot::Card sliceCard(const plot::Slice& slice, const shell::SliceNote& note) const;

  shell::SessionPointer m_session;
  std::shared_ptr<OpenTrace> m_trace;
  std::shared_ptr<TraceReader> m_counting, m_tileTrace;
  jobs::LatestJob<Opened> m_openJob;
  jobs::LatestJob<RangeAnswer> m_rangeJob;
  jobs::LatestJob<Statistics> m_statisticsJob;
  jobs::LatestJob<std::shared_ptr<const shell::Calls>> m_callsJob;
  jobs::LatestJob<Waste> m_wasteJob;
  jobs::LatestJob<Details> m_detailJob;
  shell::SliceBrowser::Picked m_picked; // the selected slice; no track: none
  bool m_pipelineAsked = false;         // by a finding, until a slice is clicked
  reports::ProgramStepId m_step;        // selected here, or followed
  reports::ProgramStepId m_followed;    // of another view, while it is looked for

  shell::SliceBrowser* m_browser;
  plot::Timeline* m_timeline;            // the browser's
  std::shared_ptr<GroupedLanes> m_lanes; // what the timeline draws
  std::shared_ptr<TileCells> m_cells;    // what the picture of tiles draws
  struct {
    bool isGrouped = false, areTilesShown = true;
  } m_state;
  QAction *m_grouped, *m_byIdle, *m_tilesShown;
  QComboBox* m_ipus;
  plot::Legend* m_legend;
  std::vector<reports::Activity> m_activities; // of the legend's entries
  QSplitter* m_plots;
  plot::CellMap* m_tiles;
  QLabel* m_head; // of the shares
  plot::BarList* m_bars;
  tables::TableView* m_ipuTable;
  shell::DetailPanel* m_details;
  plot::StepPlot* m_cycles;
  tables::FilteredTable* m_statistics;
  shell::FlameTab* m_flames;
  tables::FilteredTable* m_waste;
  shell::WrappedLabel* m_wasteWords;
  PipelinePanel* m_pipeline;
  BlocksPanel* m_blocks;
  std::vector<int> m_marks;  // of the flags on the axis, by their place among the bookmarks
  bool m_isPipeline = false; // the report is of one, and its tab is there
};

} // namespace ui::trace
