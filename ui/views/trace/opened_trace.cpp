#include "ui/views/trace/opened_trace.h"

#include "analyser/trace/pipeline.h"
#include "ui/views/trace/activity_legend.h"

namespace ui::trace {

using reports::Activity;

namespace {

// For each IPU, and for all together, the activities that the legend lists: those that take time. They are read from the
// pyramids, because the first plot must not wait for a hundred million slices.
std::map<int, std::set<Activity>> occurringIn(analyser::trace::ExecutionTrace& trace, const std::stop_token& stop) {
  std::map<int, std::set<Activity>> activities{{-1, {Activity::Scope}}};
  for (const auto& track : trace.tracks())
    for (int depth = 0; depth < track.depths; ++depth) {
      const auto busy = trace.slices().busyTicks(track.id, depth, trace.range(), stop);
      for (const Activity a : kLegend) {
        if (busy.ticks[std::size_t(a)] == 0) continue;
        activities[-1].insert(a);
        if (track.ipu) activities[int(track.ipu->value())].insert(a);
      }
    }
  for (auto& [ipu, occurring] : activities) occurring.insert(Activity::Idle); // tiles wait in every trace
  return activities;
}

} // namespace

OpenedTrace openTrace(const std::shared_ptr<const analyser::Session>& base, const std::stop_token& stop) {
  OpenedTrace opened;
  opened.trace = std::make_shared<OpenTrace>(base);
  opened.occurring = opened.trace->reader().use([&](auto& trace) {
    opened.storesAll = analyser::trace::storesAllExecutions(trace.slices().session(), stop);
    opened.folded = analyser::trace::executionsOfFolded(trace.slices().session(), stop);
    return occurringIn(trace, stop);
  });
  return opened;
}

} // namespace ui::trace
