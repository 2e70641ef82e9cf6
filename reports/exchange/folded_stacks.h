// Imports folded stacks: a line a stack, "outer;inner 12". Such a file has no time, so the stacks stand side by side as in a flame graph,
// one microsecond a sample.
#pragma once

#include "reports/exchange/byte_source.h"
#include "reports/exchange/trace_assembly.h"

namespace reports::exchange {

inline constexpr int64_t kNanosecondsPerFoldedSample = 1000;

bool looksLikeFoldedStacks(std::string_view head);
void readFoldedStacks(Window& window, TraceAssembly& assembly);

} // namespace reports::exchange
