// The bytes of an untrusted file. Only regular files up to a limit are read, because a FIFO would block and a device might
// never end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace reports {

// Throws Error: NotFound; InvalidInput for a file that is not regular, or has more than `mostBytes`; Io if it cannot be read. All
// name the file; `advice` says what to do about them.
std::string readRegularFile(const std::filesystem::path& file, std::int64_t mostBytes, std::string_view advice = {});

// CRC-32 of the content of a regular file, as eight hexadecimal digits; empty for anything else, and if it cannot be read.
std::string checksumOfFile(const std::filesystem::path& file);

// `count` bytes at `offset` of the file `location` in or below `folder`: external data of an existing `owner` ("model"). Rejected
// (InvalidInput): absolute or empty locations, any ".." part, NUL bytes, a symbolic link in any component, anything but a regular
// file with one hard link, ranges outside the file.
std::vector<std::byte> readFileBelow(const std::filesystem::path& folder, const std::string& location, std::int64_t offset,
                                     std::int64_t count, const std::string& owner);

} // namespace reports
