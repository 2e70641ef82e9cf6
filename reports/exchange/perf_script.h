// Imports the text that `perf script` prints: a header line per sample, then its call stack from the innermost frame out. The
// weight of a sample is the number of events in its header. A sleeping thread is not drawn as busy. Samples without times are
// drawn like folded stacks.
#pragma once

#include "reports/exchange/byte_source.h"
#include "reports/exchange/trace_assembly.h"

namespace reports::exchange {

bool looksLikePerfScript(std::string_view head);
void readPerfScript(Window& window, TraceAssembly& assembly);

} // namespace reports::exchange
