// The bytes of a file that somebody else may have made. Only regular files are read, because a FIFO would block and a device never end,
// and none beyond a limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace reports {

// Throws Error: NotFound; InvalidInput for another kind of file, or one of more than `mostBytes`; Io if it cannot be read. All name the
// file; `advice` says what to do about them.
std::string readRegularFile(const std::filesystem::path& file, std::int64_t mostBytes, std::string_view advice = {});

} // namespace reports
