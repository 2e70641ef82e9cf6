// Imports the text that `perf script` prints: a header line a sample, then its call stack from the innermost frame out. A sample weighs as
// many events as its header says; a thread that sleeps is not drawn as busy. Samples without times are drawn as folded stacks are.
#pragma once

#include "reports/exchange/byte_source.h"
#include "reports/exchange/trace_assembly.h"

namespace reports::exchange {

bool looksLikePerfScript(std::string_view head);
void readPerfScript(Window& window, TraceAssembly& assembly);

} // namespace reports::exchange
