// A whole file in memory, with an upper limit, so that a wrong path (a device, a huge file) is an error and not a hang.
#pragma once

#include <filesystem>
#include <string>

namespace simcore::model {

// Throws reports::Error: NotFound, Io (not a regular file), InvalidInput (empty, or larger than `limit`); gives the size.
std::uintmax_t requireReadable(const std::filesystem::path& file, std::uintmax_t limit);
// Throws the same, and Io where the file cannot be read.
std::string readFileBytes(const std::filesystem::path& file, std::uintmax_t limit);

} // namespace simcore::model
