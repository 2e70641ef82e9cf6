// Texts as one zstd frame. The size of the text is stored beside it and checked first, so that a small frame cannot unpack to
// more than a reader allows.
#pragma once

#include "reports/core/packed.h"

#include <string>

namespace reports {

Blob compress(std::string_view text);

// Throws Error(Damaged) naming `what` unless the frame holds exactly `bytes` bytes.
std::string decompress(std::span<const uint8_t> frame, std::size_t bytes, std::string_view what);

} // namespace reports
