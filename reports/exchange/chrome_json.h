// Imports Chrome's Trace Event Format: the array form (also without its end), the object form with traceEvents anywhere in it,
// several of these behind one another (packed files that were joined), and one event a line. Read as a stream; each event is used and forgotten. Every phase letter is either shown or counted.
#pragma once

#include "reports/exchange/byte_source.h"
#include "reports/exchange/trace_assembly.h"

namespace reports::exchange {

// Whether the beginning of a text is such a trace.
bool looksLikeChromeJson(std::string_view head);

void readChromeJson(Window& window, TraceAssembly& assembly);

} // namespace reports::exchange
