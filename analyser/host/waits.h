// The host's work while the device waits: the time between runs of the device, by label, on the thread that starts the next run.
// Only for imported host traces: in a report of the simulator, the host's time is the time of the simulation.
#pragma once

#include "analyser/columns/column.h"
#include "analyser/host/host_timeline.h"

#include <optional>

namespace analyser::host {

struct WaitLabel {
  std::string label; // empty: no slice covers this time
  StringId name;
  int64_t count = 0; // waits in which it occurs
  Nanoseconds total; // self time: nested slices are subtracted
  double share = 0;  // of all waiting time
};
struct Waits {
  Nanoseconds span; // from the begin of the first run to the end of the last one
  Nanoseconds idle; // part of `span` that is not within a run
  int64_t waits = 0;
  std::vector<WaitLabel> labels; // longest first
  double share() const { return span > Nanoseconds() ? double(idle.value()) / double(span.value()) : 0; }
};
std::optional<Waits> waitsOf(HostTimeline& timeline, std::stop_token stop = {});
Sentence wordsOf(const Waits& waits);
const columns::Columns<WaitLabel>& waitColumns();

} // namespace analyser::host
