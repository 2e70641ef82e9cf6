// Imports the log of ninja (.ninja_log, versions 5 to 7): a slice for each command, on as many lanes as commands ran at once.
// The log has no time of day: each build's times count from its start, so the builds of a log are drawn one after another.
#pragma once

#include "reports/exchange/byte_source.h"
#include "reports/exchange/trace_assembly.h"

namespace reports::exchange {

bool looksLikeNinjaLog(std::string_view head);
void readNinjaLog(Window& window, TraceAssembly& assembly);

} // namespace reports::exchange
