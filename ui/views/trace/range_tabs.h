// The tabs of figures over a range of the trace: shares per IPU, statistics by name, wasted tile-cycles, and the flame graph. All
// but the shares are counted only while their tab is visible, because counting reads every slice.
#pragma once

#include "analyser/trace/tile_cycles.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/flame_tab.h"
#include "ui/parts/track_source.h"
#include "ui/views/trace/trace_sources.h"

#include <QObject>

#include <optional>

class QLabel;
class QTabWidget;

namespace ui::plot {
class BarList;
}
namespace ui::shell {
class ViewFields;
class WrappedLabel;
} // namespace ui::shell
namespace ui::tables {
class FilteredTable;
class TableView;
struct Table;
} // namespace ui::tables
namespace ui::theme {
class Theme;
}

namespace ui::trace {

class RangeTabs : public QObject {
  Q_OBJECT

public:
  struct Query {
    std::shared_ptr<TraceReader> reader; // null: nothing is open
    reports::TickRange range;
    std::optional<reports::IpuId> ipu; // none: all
    std::set<int> hidden;              // activities
    bool isMeasured = false;           // the ruler gives the range
    bool isWhole = true;               // the trace holds every execution
  };
  // `query` returns the range to count now. The view puts the widgets into `tabs`.
  RangeTabs(const theme::Theme& theme, jobs::JobBoard& jobs, QTabWidget& tabs, std::function<Query()> query);

  QWidget* shares() const { return m_shares; }
  tables::FilteredTable* statistics() const { return m_statistics; }
  tables::FilteredTable* waste() const { return m_waste; }
  shell::FlameTab* flames() const { return m_flames; }
  std::vector<jobs::JobBase*> jobs() { return {&m_sharesJob, &m_statisticsJob, &m_callsJob, &m_wasteJob}; }
  void addFields(shell::ViewFields& fields);
  void setFormat(const theme::Format& format);
  void showTitles(); // titles name the visible range or the ruler's
  void forget();     // drops the content; the view drops the jobs
  void read();
  void readStatistics();
  void showShares();

signals:
  void sharesShown(const analyser::Sentence& verdict);
  void failed(const QString& message);
  void sliceChosen(const ui::shell::Found& slice);
  void rangeRequested(reports::TickRange range);

private:
  struct Shares {
    analyser::trace::Proportions proportions;
    std::shared_ptr<const tables::Table> table;
  };
  struct Statistics {
    std::vector<analyser::trace::NameStatistics> rows;
    std::shared_ptr<const tables::Table> table;
  };
  struct Waste {
    analyser::Sentence words;
    std::shared_ptr<const tables::Table> table;
  };
  QWidget* buildShares();
  shell::FlameWords flameWords();
  void readShares();
  void readShown();
  void readCalls();
  void readWaste();
  void showWaste();
  std::function<void(const reports::Error&)> failure(const QString& message); // "The range could not be measured: %1"

  const theme::Theme& m_theme;
  QTabWidget& m_tabs;
  std::function<Query()> m_query;
  theme::Format m_format;
  std::shared_ptr<TraceReader> m_reader; // its names label the flame graph
  jobs::LatestJob<Shares> m_sharesJob;
  jobs::LatestJob<Statistics> m_statisticsJob;
  jobs::LatestJob<std::shared_ptr<const shell::Calls>> m_callsJob;
  jobs::LatestJob<Waste> m_wasteJob;
  QLabel* m_head; // of the shares
  plot::BarList* m_bars;
  tables::TableView* m_ipuTable;
  QWidget* m_shares;
  tables::FilteredTable *m_statistics, *m_waste;
  shell::WrappedLabel* m_wasteWords;
  shell::FlameTab* m_flames;
};

} // namespace ui::trace
