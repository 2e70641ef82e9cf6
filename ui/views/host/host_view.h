// The host's timeline: processes, threads, nested slices, instants and counters on a time axis in nanoseconds. Below the thread
// that runs the device are the device's steps on the same axis. The range belongs to this view, because the execution trace
// counts cycles.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/parts/slice_browser.h"
#include "ui/parts/view.h"
#include "ui/views/host/argument_tree.h"
#include "ui/views/host/host_figures.h"
#include "ui/views/host/host_rows.h"
#include "ui/views/host/row_order.h"
#include "ui/views/host/slice_facts.h"

class QAbstractItemView;
class QSplitter;

namespace ui::plot {
class Legend;
}
namespace ui::shell {
class DetailPanel;
}
namespace ui::tables {
class TableView;
} // namespace ui::tables

namespace ui::host {

class CounterLanes;

class HostView : public shell::View {
  Q_OBJECT

public:
  explicit HostView(const shell::ViewParts& parts);
  ~HostView() override;

  void setSessions(shell::SessionPointer base, shell::SessionPointer other) override;
  bool isBusy() const override;
  QString selectionText() const override;
  bool focusFilter() override { return m_browser->focusSearch(); }
  std::vector<std::pair<QString, QString>> keys() const override;

protected:
  void formatChanged() override;
  void resizeEvent(QResizeEvent* event) override;

private:
  // Facts about the selected slice that are read from the report.
  using Arguments = std::vector<analyser::host::Argument>;
  struct About {
    Arguments arguments;
    std::vector<FlowRow> flows;
    std::optional<DeviceRun> run; // the device run that the slice started
  };
  struct PickedInstant {
    plot::Slice mark;
    shell::SliceNote note;
    QString thread;
    Arguments arguments;
  };
  void buildPlot();
  void buildMenu();
  void showRows();
  void fitCounters();
  void readAbout();
  void showAbout(const About& about);
  void readInstant(int track, const plot::Slice& mark);
  void showInstant(const PickedInstant& instant);
  void readStep(int track, int lane, const plot::Slice& mark);
  void showStep(const DeviceStep& step);
  void moveProcess(const QPoint& from, int64_t ticks, bool ended);
  void setOffsets(std::map<int64_t, int64_t> offsets, bool ended);
  void showFlows(const std::vector<FlowRow>& flows);
  void buildTabs();
  void cancelSelection();
  void open();
  void showTrace();
  void showLegend();
  void showValue();
  bool hasTimeAxis() const; // false: the axis has the unit of a profile's value
  void addWays(QAbstractItemView& table);
  void addRowWays();
  HostFigures::Query query() const; // the range of the ruler, or the visible one
  void rangeMoved();
  void setMeasured(reports::TickRange range);
  void setColours(Colours colours);
  void showPicked();
  plot::Card sliceCard(const plot::Slice& slice, const shell::SliceNote& note) const;
  int64_t eventsOf(const analyser::host::MeasuredValue& value, const plot::Slice& slice) const;
  const HostRows* rows() const;
  plot::Card deviceCard(const plot::Slice& slice, const shell::SliceNote& note) const;
  QString threadOf(reports::TrackId track) const;
  QString selectedText() const;
  QString nameOf(const analyser::trace::Slice& slice) const;
  QString nameOf(const PickedInstant& instant) const;

  shell::SessionPointer m_session;
  std::shared_ptr<OpenHost> m_host;
  jobs::LatestJob<std::shared_ptr<OpenHost>> m_openJob;
  jobs::LatestJob<About> m_aboutJob;
  // At most one of the three is selected.
  std::optional<shell::SliceBrowser::Picked> m_picked;
  std::optional<DeviceStep> m_step;
  std::optional<PickedInstant> m_instant;
  std::vector<FlowRow> m_flows; // of the picked slice
  RowOrder m_order;
  std::vector<OpenHost::Channel> m_channels; // in the legend
  std::map<int64_t, int64_t> m_dragged;      // offsets when a drag began
  jobs::LatestJob<OpenHost::Moved> m_moveJob;
  jobs::LatestJob<std::optional<DeviceStep>> m_stepJob;
  jobs::LatestJob<Arguments> m_instantJob;

  Colours m_colours = Colours::Automatic;
  bool m_busiestFirst = false, m_areas = true, m_derived = true;
  shell::SliceBrowser* m_browser;
  plot::Legend* m_legend;
  QSplitter* m_split = nullptr; // timeline and charts
  bool m_splitMoved = false;    // by the user
  bool m_isLow = false;         // the window is: charts are lower, and the minimap's height goes to the threads
  CounterLanes* m_counters;
  std::unique_ptr<HostFigures> m_figures;
  tables::TableView* m_flowTable;
  shell::DetailPanel* m_details;
  ArgumentTree* m_arguments;
};

} // namespace ui::host
