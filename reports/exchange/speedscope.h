// Imports speedscope's JSON (https://www.speedscope.app/file-format-schema.json): evented and sampled profiles, each as a thread,
// and its oldest form with the frames beside the profile. Each sample keeps its weight and unit in its details.
#pragma once

#include "reports/exchange/byte_source.h"
#include "reports/exchange/trace_assembly.h"

namespace reports::exchange {

bool looksLikeSpeedscope(std::string_view head);
// Nanoseconds per unit; empty for units that are not times (bytes, none).
std::optional<int64_t> speedscopeNanoseconds(std::string_view unit);
void readSpeedscope(Window& window, TraceAssembly& assembly);

} // namespace reports::exchange
