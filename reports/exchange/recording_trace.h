// Reads a recording (*.tsrec) of tilescope_trace, see reports/recording/recording_format.h.
#pragma once

#include "reports/exchange/trace_assembly.h"

#include <filesystem>
#include <stop_token>
#include <string_view>

namespace reports::exchange {

bool looksLikeRecording(std::string_view head);

// Throws the same Errors as RecordingReader. Slices that are still open end with the latest event, and are counted.
void readRecording(const std::filesystem::path& file, TraceAssembly& assembly, const std::stop_token& stop);

} // namespace reports::exchange
