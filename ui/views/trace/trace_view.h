// What every IPU and every tile does at every moment: flame lanes and the tiles under them on one time axis. The visible range
// is the window's; proportions and statistics are those of what is visible.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/shell/view.h"
#include "ui/views/trace/trace_sources.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QSplitter;

namespace ui::plot {
class BarList;
class CellMap;
class Legend;
class StepPlot;
class Timeline;
} // namespace ui::plot
namespace ui::shell {
class FactList;
}
namespace ui::tables {
class FilteredTable;
class TableView;
struct Table;
} // namespace ui::tables

namespace ui::trace {

class TraceView : public shell::View {
  Q_OBJECT

public:
  explicit TraceView(const shell::ViewParts& parts);
  ~TraceView() override;

  void setSessions(shell::SessionPointer base, shell::SessionPointer other) override;
  bool isBusy() const override;
  QString selectionText() const override { return m_selection; }
  bool focusFilter() override;
  std::vector<std::pair<QString, QString>> keys() const override;

protected:
  void themeChanged() override;
  void formatChanged() override;

private:
  struct RangeAnswer {
    analyser::trace::Proportions proportions;
    std::shared_ptr<const tables::Table> table;
  };
  struct Statistics {
    std::vector<analyser::trace::NameStatistics> rows;
    std::shared_ptr<const tables::Table> table;
  };
  void buildTools();
  void buildPlots();
  void buildTabs();
  QWidget* buildDetails();
  void connectPlots();
  void open();
  void showTrace();
  void rangeMoved(reports::TickRange range);
  void readRange();
  void readStatistics();
  void readSlice(int track, int lane, const plot::Slice& slice);
  void showRange(const RangeAnswer& answer);
  void showDetails(const analyser::trace::SliceDetails& details);
  void find(bool forward);
  plot::Card sliceCard(const plot::Slice& slice, const shell::SliceNote& note) const;

  shell::SessionPointer m_session;
  std::shared_ptr<SharedTrace> m_trace;
  std::shared_ptr<shell::TrackSource> m_source;
  jobs::LatestJob<std::shared_ptr<SharedTrace>> m_openJob;
  jobs::LatestJob<RangeAnswer> m_rangeJob;
  jobs::LatestJob<Statistics> m_statisticsJob;
  jobs::LatestJob<analyser::trace::SliceDetails> m_sliceJob;
  jobs::LatestJob<std::optional<shell::Found>> m_findJob;
  QString m_selection;
  int64_t m_findFrom = -1;

  QLineEdit* m_search;
  QComboBox* m_ipus;
  plot::Legend* m_legend;
  QSplitter* m_plots;
  plot::Timeline* m_timeline;
  plot::CellMap* m_tiles;
  plot::BarList* m_bars;
  tables::TableView* m_ipuTable;
  QWidget* m_details;
  QLabel* m_title;
  shell::FactList* m_facts;
  plot::StepPlot* m_cycles;
  tables::FilteredTable* m_statistics;
};

} // namespace ui::trace
