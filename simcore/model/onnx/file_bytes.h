// Bytes of files that may be anybody's: a whole file in memory, with an upper limit, so that a wrong path (a device, a huge file) is an
// error and not a hang, and the data that a model keeps in files beside it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace simcore::model {

// Throws reports::Error: NotFound, Io (not a regular file), InvalidInput (empty, or larger than `limit`); gives the size.
std::uintmax_t requireReadable(const std::filesystem::path& file, std::uintmax_t limit);
// Throws the same, and Io where the file cannot be read.
std::string readFileBytes(const std::filesystem::path& file, std::uintmax_t limit);

// Reads `count` bytes at `offset` of the file `location` relative to `folder`. Refused (InvalidInput): absolute or empty
// locations, any ".." part, NUL bytes, a symbolic link in any component, anything but a regular file with one hard link,
// ranges outside the file.
std::vector<std::byte> readExternalData(const std::filesystem::path& folder, const std::string& location, std::int64_t offset,
                                        std::int64_t count);

} // namespace simcore::model
