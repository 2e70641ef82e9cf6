#include "analyser/host/activity.h"

#include <algorithm>

namespace analyser::host {

namespace {

// Adds the part of each column that a cell covers.
void spread(std::vector<float>& columns, trace::TickRange range, const trace::Cell& cell) {
  const trace::TickRange own = cell.ticks.clippedTo(range);
  if (own.empty() || columns.empty()) return;
  const double pixel = double(range.size()) / double(columns.size());
  const double first = double(own.begin - range.begin) / pixel, last = double(own.end - range.begin) / pixel;
  const auto density = static_cast<float>(cell.density());
  for (auto x = static_cast<std::size_t>(first); x < columns.size() && double(x) < last; ++x) {
    const double part = std::min(last, double(x) + 1) - std::max(first, double(x));
    columns[x] += static_cast<float>(part) * density;
  }
}

// Counts threads only: asynchronous tracks and other kinds have separate rows.
bool isThread(const Thread& thread) { return thread.depths > 0 && (thread.kind.empty() || thread.kind == "thread"); }

} // namespace

ActivityColumns activityColumns(HostTimeline& timeline, trace::TickRange range, int pixels, std::stop_token stop) {
  ActivityColumns columns;
  columns.range = range;
  if (range.empty() || pixels <= 0) return columns;
  columns.busyThreads.resize(static_cast<std::size_t>(pixels));
  for (const Process& process : timeline.processes())
    for (const Thread& thread : process.threads) {
      if (!isThread(thread)) continue;
      for (const trace::Cell& cell : timeline.slices().cells(thread.track, 0, range, pixels, stop).cells)
        spread(columns.busyThreads, range, cell);
    }
  DeviceRuns& device = timeline.device();
  if (device.isEmpty() || device.slices().tracks().empty()) return columns;
  columns.device.resize(static_cast<std::size_t>(pixels));
  for (const trace::Track& track : device.slices().tracks()) {
    // Scopes contain steps, so the deepest lane with slices shows when the IPU works.
    std::vector<float> busy(columns.device.size());
    for (int depth = 0; depth < track.depths; ++depth) {
      std::vector<float> lane(columns.device.size());
      for (const trace::Cell& cell : device.cells(track.id, depth, range, pixels, stop).cells)
        if (reports::Activity(cell.category) != reports::Activity::Scope) spread(lane, range, cell);
      for (std::size_t x = 0; x < lane.size(); ++x) busy[x] = std::max(busy[x], lane[x]);
    }
    for (std::size_t x = 0; x < busy.size(); ++x)
      columns.device[x] += std::min(1.0f, busy[x]) / float(device.slices().tracks().size());
  }
  return columns;
}

} // namespace analyser::host
