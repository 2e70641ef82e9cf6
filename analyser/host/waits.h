// The host's work while the device waits: the time between the device's runs by label of the thread that starts them. Only for a trace that
// was laid beside a device: in a report of the simulator itself the host's time is that of the simulation.
#pragma once

#include "analyser/columns/column.h"
#include "analyser/host/host_timeline.h"

#include <optional>

namespace analyser::host {

struct WaitLabel {
  std::string label; // empty: the thread recorded nothing
  StringId name;
  int64_t count = 0; // waits in which it occurs
  Nanoseconds total; // without the slices inside it
  double share = 0;  // of all waits
};
struct Waits {
  Nanoseconds span; // from the begin of the first run to the end of the last one
  Nanoseconds idle; // of it between runs
  int64_t waits = 0;
  std::vector<WaitLabel> labels; // longest first
  double share() const { return span > Nanoseconds() ? double(idle.value()) / double(span.value()) : 0; }
};
std::optional<Waits> waitsOf(HostTimeline& timeline, std::stop_token stop = {});
Sentence wordsOf(const Waits& waits);
const columns::Columns<WaitLabel>& waitColumns();

} // namespace analyser::host
