// Imports profiles of pprof (profile.proto, mostly packed with gzip), as Go, gperftools, JAX and many services write them: call
// stacks with several values each, without times. Each value is a lane of stacks side by side, like folded stacks.
#pragma once

#include "reports/exchange/byte_source.h"
#include "reports/exchange/trace_assembly.h"

namespace reports::exchange {

bool looksLikePprof(std::string_view head);
void readPprof(Window& window, TraceAssembly& assembly);

} // namespace reports::exchange
