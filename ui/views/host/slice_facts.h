// Facts about a run and a step of the device on the host's timeline, and the table of the flows of a slice with the slices at
// their other ends.
#pragma once

#include "analyser/host/host_timeline.h"
#include "ui/parts/fact_list.h"
#include "ui/tables/table.h"
#include "ui/theme/format.h"

#include <array>

namespace ui::host {

class OpenHost;

// A run of the device that the selected slice started: its link, and the ticks of each activity.
struct DeviceRun {
  analyser::host::LinkedRun link;
  std::array<int64_t, reports::kActivityCount> ticks{}; // of all IPUs, without scopes
  int ipus = 0;
};
DeviceRun deviceRun(analyser::host::HostTimeline& timeline, const analyser::host::LinkedRun& link, const std::stop_token& stop);
std::vector<shell::Fact> runFacts(const DeviceRun& run, const theme::Format& format);

// A step of the device on the host's axis.
struct DeviceStep {
  analyser::host::LinkedRun link;
  analyser::trace::Slice slice; // in cycles
};
std::vector<shell::Fact> stepFacts(const DeviceStep& step, reports::TickRange axis, const theme::Format& format);

// A flow of the selected slice with the slice at its other end.
struct FlowRow {
  reports::Flow flow;
  bool leaves = false; // the flow starts at the selected slice
  std::optional<analyser::trace::Slice> other;
  reports::TrackId otherTrack;
};
// Row ids are indices of `flows`.
std::shared_ptr<const tables::Table> flowTable(const std::vector<FlowRow>& flows, const OpenHost& host,
                                               const std::function<QString(reports::TrackId)>& threadOf);

} // namespace ui::host
