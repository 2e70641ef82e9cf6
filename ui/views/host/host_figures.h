// The tabs of figures over a range of the host's timeline: statistics by label, call tree and flame graph. Each is counted only
// while its tab is visible, because counting reads every slice and filling a table takes longer than a frame.
#pragma once

#include "analyser/host/waits.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/flame_tab.h"
#include "ui/theme/format.h"
#include "ui/views/host/host_source.h"

#include <QObject>

class QComboBox;
class QTabWidget;

namespace ui::shell {
class ViewFields;
}
namespace ui::tables {
class FilteredTable;
class TreeView;
} // namespace ui::tables

namespace ui::host {

class LabelTab;
class SliceTab;

class HostFigures : public QObject {
  Q_OBJECT

public:
  struct Query {
    std::shared_ptr<OpenHost> host; // null: nothing is open
    reports::TickRange range;
    bool isMeasured = false; // the ruler gives the range
    std::set<int> hidden;    // channels whose slices do not count as calls
  };
  // `query` returns the range to count now. The view puts the widgets into `tabs`.
  HostFigures(const theme::Theme& theme, jobs::JobBoard& jobs, QTabWidget& tabs, std::function<Query()> query);

  LabelTab* statistics() const { return m_statistics; }
  tables::TreeView* calls() const { return m_calls; }
  QComboBox* values() const { return m_values; }
  shell::FlameTab* flames() const { return m_flames; }
  SliceTab* slices() const { return m_slices; }
  tables::FilteredTable* waits() const { return m_waits; } // what the host does while the device waits
  std::vector<jobs::JobBase*> jobs();
  void addFields(shell::ViewFields& fields);
  void setFormat(const theme::Format& format);
  void showTitles(); // updates which range is counted
  void forget();     // drops the content; the view drops the jobs
  void read();       // reads the data of the visible tab
  void redraw();     // after a change of colours
  void timesMoved(); // after processes were moved in time
  // Lists the values of a trace. Keeps the chosen one if the trace has it.
  void listValues(const OpenHost& host);
  std::size_t value() const; // index in the list of values
  std::size_t chosenOf(const OpenHost& host) const;

signals:
  void failed(const QString& message);
  void labelActivated(const QString& label); // a double-click
  void valueChosen();

private:
  struct Statistics {
    reports::TickRange range;
    std::vector<analyser::host::LabelStatistics> rows;
    std::shared_ptr<const tables::Table> table;
    analyser::host::MeasuredValue value;
  };
  struct CallTables {
    std::shared_ptr<const shell::Calls> calls;
    std::shared_ptr<const tables::Tree> tree;
  };
  void readStatistics(const Query& query);
  void readCalls(const Query& query);
  void readWaits(const Query& query);
  shell::FlameWords flameWords();
  QString amountText(int64_t ticks) const;
  void offerValue(const QString& id);
  void showNote(const OpenHost& host);

  const theme::Theme& m_theme;
  QTabWidget& m_tabs;
  std::function<Query()> m_query;
  std::shared_ptr<OpenHost> m_host; // its names label the flame graph
  theme::Format m_format;
  jobs::LatestJob<Statistics> m_statisticsJob;
  jobs::LatestJob<CallTables> m_callsJob;
  LabelTab* m_statistics;
  tables::TreeView* m_calls;
  QComboBox* m_values; // what is shown and counted; the data of an item is the value's id, empty for the first one
  shell::FlameTab* m_flames;
  SliceTab* m_slices;
  tables::FilteredTable* m_waits;
  jobs::LatestJob<std::optional<analyser::host::Waits>> m_waitsJob;
  std::shared_ptr<OpenHost> m_waitsOf; // whose waits the table shows
};

} // namespace ui::host
