// Recognises files of known formats that no importer reads. Names the format, and the command that converts the file into a
// trace.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace reports::exchange {

struct ForeignFormat {
  std::string what;   // "a profile of callgrind"
  std::string advice; // contains the command, if there is one
};

// By the first unpacked bytes of the file; the command contains the path.
std::optional<ForeignFormat> foreignFormat(std::string_view head, const std::filesystem::path& file);

} // namespace reports::exchange
