// Imports folded stacks: one stack per line, "outer;inner 12". Such a file has no time, so the stacks are side by side as in a
// flame graph, one microsecond per sample.
#pragma once

#include "reports/exchange/byte_source.h"
#include "reports/exchange/folded_tree.h"

namespace reports::exchange {

bool looksLikeFoldedStacks(std::string_view head);
void readFoldedStacks(Window& window, TraceAssembly& assembly);

} // namespace reports::exchange
