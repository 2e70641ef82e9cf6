// Rows derived from slices: the number of busy threads, and the utilisation of the device over time.
#pragma once

#include "analyser/host/host_timeline.h"

namespace analyser::host {

// One value per pixel column: the mean over its time.
struct ActivityColumns {
  trace::TickRange range;
  std::vector<float> busyThreads; // threads with an open slice
  std::vector<float> device;      // 0 to 1: IPUs that run a step; empty if no run is linked
};
ActivityColumns activityColumns(HostTimeline& timeline, trace::TickRange range, int pixels, std::stop_token stop = {});

} // namespace analyser::host
