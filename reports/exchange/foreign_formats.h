// Recognises files that users try to import and that no importer reads. Names their format and the command that makes a trace of them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace reports::exchange {

struct ForeignFormat {
  std::string what;   // "a profile of callgrind"
  std::string advice; // with the command, if there is one
};

// By the first unpacked bytes of the file; the command contains the path.
std::optional<ForeignFormat> foreignFormat(std::string_view head, const std::filesystem::path& file);

} // namespace reports::exchange
