// The data of a trace that the view reads before its first plot.
#pragma once

#include "ui/views/trace/trace_sources.h"

#include <unordered_map>

namespace ui::trace {

struct OpenedTrace {
  std::shared_ptr<OpenTrace> trace;
  std::map<int, std::set<reports::Activity>> occurring; // by IPU; -1: any
  bool storesAll = true;                                // whether the trace has every execution
  std::unordered_map<int64_t, int64_t> folded;          // by step profile: executions per slice, if more than one
};
// Call on a worker.
OpenedTrace openTrace(const std::shared_ptr<const analyser::Session>& base, const std::stop_token& stop);

} // namespace ui::trace
