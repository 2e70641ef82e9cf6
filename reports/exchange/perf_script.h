// Imports the text that `perf script` prints: a header line a sample, then its call stack from the innermost frame out. Names are
// tidied as stackcollapse-perf does, so that folded stacks of the report are what flame-graph tools make of the same text.
#pragma once

#include "reports/exchange/byte_source.h"
#include "reports/exchange/trace_assembly.h"

namespace reports::exchange {

bool looksLikePerfScript(std::string_view head);
void readPerfScript(Window& window, TraceAssembly& assembly);

// "java 25607/25608 [000] 7628263.042515: 1001001 cycles:" in its parts.
struct PerfHeader {
  std::string_view command, event, rest; // `rest`: behind the event
  int64_t pid = -1, tid = -1;            // pid is -1 where only a thread is named
  int64_t time = 0;                      // nanoseconds
};
std::optional<PerfHeader> parsePerfHeader(std::string_view line);

} // namespace reports::exchange
