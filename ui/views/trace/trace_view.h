// The execution trace: flame lanes of IPUs and the tiles below them on one time axis. The visible range is the window's;
// proportions and statistics cover the visible range.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/parts/slice_browser.h"
#include "ui/parts/view.h"
#include "ui/plot/timeline.h"
#include "ui/views/trace/activity_legend.h"
#include "ui/views/trace/range_tabs.h"
#include "ui/views/trace/slice_panel.h"
#include "ui/views/trace/trace_cards.h"

class QAction;
class QComboBox;
class QSplitter;

namespace ui::plot {
class CellMap;
}

namespace ui::trace {

class BlocksPanel;
class PipelinePanel;
class SqlLane;

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
  void buildPlots();
  void buildTabs();
  void connectPipeline();
  void connectBlocks();
  void connectPlots();
  void connectSelection();
  void open();
  std::optional<reports::IpuId> ipu() const; // the displayed one; none: all
  void showTrace();
  void buildGrouping();
  void fitLanes();
  void rangeMoved(reports::TickRange range);
  void readDetails(const shell::SliceBrowser::Picked& picked);
  void showVerdict(const analyser::Sentence& ofRange);
  void showTiles();
  void showMeasured();
  void showOutline();
  void addToMenu(QMenu* menu, QWidget* plot);
  void buildTileOrder();
  void showMarks();
  RangeTabs::Query query() const;
  bool isWhole() const;
  void followStep();
  void takeTab() override;
  void widen() override;
  void forgetHidden();

  shell::SessionPointer m_session;
  std::shared_ptr<OpenTrace> m_trace;
  std::shared_ptr<TraceReader> m_counting, m_tileTrace;
  jobs::LatestJob<OpenedTrace> m_openJob;
  shell::SliceBrowser::Picked m_picked; // the selected slice; no track: none
  bool m_pipelineAsked = false;         // a finding opened the pipeline tab, and no slice has been clicked since
  reports::ProgramStepId m_step;        // selected here or in another view
  reports::ProgramStepId m_followed;    // a step of another view, while it is searched for

  shell::SliceBrowser* m_browser;
  plot::Timeline* m_timeline;            // the browser's
  std::shared_ptr<GroupedLanes> m_lanes; // what the timeline draws
  std::shared_ptr<TileCells> m_cells;    // the cells in the plot of tiles
  std::unique_ptr<TraceCards> m_cards;
  struct {
    bool isGrouped = false, areTilesShown = true;
  } m_state;
  QAction *m_grouped, *m_byIdle, *m_tilesShown;
  QComboBox* m_ipus;
  ActivityLegend* m_legend;
  QSplitter* m_plots;
  SqlLane* m_sqlLane; // below the lanes
  plot::CellMap* m_tiles;
  SlicePanel* m_details;
  PipelinePanel* m_pipeline;
  BlocksPanel* m_blocks;
  std::vector<int> m_marks;            // index of the bookmark of each flag on the axis
  bool m_isPipeline = false;           // the report has a pipeline, and its tab exists
  std::unique_ptr<RangeTabs> m_ranges; // destroyed first, because it asks the view for its range
};

} // namespace ui::trace
