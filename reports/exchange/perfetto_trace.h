// Imports Perfetto's protobuf traces: track events with interned names and several clocks, ftrace marks and scheduling, Android's
// frame timeline, counters. Field numbers are those of the public schema (https://github.com/google/perfetto,
// protos/perfetto/trace).
#pragma once

#include "reports/exchange/byte_source.h"
#include "reports/exchange/trace_assembly.h"

namespace reports::exchange {

bool looksLikePerfetto(std::string_view head);
void readPerfetto(Window& window, TraceAssembly& assembly);

} // namespace reports::exchange
