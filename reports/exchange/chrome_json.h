// Imports Chrome's Trace Event Format: the array form (also without its end), the object form with traceEvents anywhere in it,
// several of these in sequence (joined packed files), and one event per line. Read as a stream. Every phase letter is shown or
// counted.
#pragma once

#include "reports/exchange/byte_source.h"
#include "reports/exchange/trace_assembly.h"

namespace reports::exchange {

// Whether the beginning of a text is such a trace.
bool looksLikeChromeJson(std::string_view head);

void readChromeJson(Window& window, TraceAssembly& assembly);

} // namespace reports::exchange
