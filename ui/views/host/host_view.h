// What the host does while the machine waits: processes, threads and nested slices on a time axis in nanoseconds. This axis is
// the view's own: it shares nothing with the cycles of the execution trace.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/shell/view.h"
#include "ui/views/host/host_source.h"

class QLabel;
class QLineEdit;

namespace ui::plot {
class Legend;
class Timeline;
} // namespace ui::plot
namespace ui::shell {
class FactList;
}
namespace ui::tables {
class FilteredTable;
}

namespace ui::host {

class HostView : public shell::View {
  Q_OBJECT

public:
  explicit HostView(const shell::ViewParts& parts);
  ~HostView() override;

  void setSessions(shell::SessionPointer base, shell::SessionPointer other) override;
  bool isBusy() const override;
  QString selectionText() const override { return m_selection; }
  bool focusFilter() override;
  std::vector<std::pair<QString, QString>> keys() const override;

protected:
  void formatChanged() override;

private:
  struct Statistics {
    std::vector<analyser::host::LabelStatistics> rows;
    std::shared_ptr<const tables::Table> table;
  };
  struct Picked {
    analyser::trace::Slice slice;
    QString thread;
    bool folded = false;
  };
  void buildTools();
  void buildTabs();
  void open();
  void showTrace();
  void readStatistics();
  void pick(int track, int lane, const plot::Slice& slice);
  void showPicked(const Picked& picked);
  void find(const QString& text, bool forward);
  plot::Card sliceCard(const plot::Slice& slice, const shell::SliceNote& note) const;
  QString threadOf(int track) const;

  shell::SessionPointer m_session;
  std::shared_ptr<SharedHost> m_host;
  std::shared_ptr<shell::TrackSource> m_source;
  jobs::LatestJob<std::shared_ptr<SharedHost>> m_openJob;
  jobs::LatestJob<Statistics> m_statisticsJob;
  jobs::LatestJob<Picked> m_pickJob;
  jobs::LatestJob<std::optional<shell::Found>> m_findJob;
  QString m_selection;
  int64_t m_findFrom = -1;

  QLineEdit* m_search;
  plot::Legend* m_legend;
  plot::Timeline* m_timeline;
  tables::FilteredTable* m_statistics;
  QWidget* m_details;
  QLabel* m_title;
  shell::FactList* m_facts;
};

} // namespace ui::host
