#include "simcore/native/header_assembly.h"

#include "simcore/native/assembly.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>
#include <sstream>

namespace simcore::native {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostHeaders = 2000;
constexpr uintmax_t kMostBytes = 4 << 20;

// The names in `#include "x"` and `#include <x>`.
std::vector<std::string> includedNames(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::size_t at = line.find_first_not_of(" \t");
    if (at == std::string::npos || line[at] != '#') continue;
    at = line.find_first_not_of(" \t", at + 1);
    if (at == std::string::npos || line.compare(at, 7, "include") != 0) continue;
    const std::size_t open = line.find_first_of("\"<", at + 7);
    if (open == std::string::npos) continue;
    const std::size_t close = line.find(line[open] == '<' ? '>' : '"', open + 1);
    if (close != std::string::npos) names.push_back(line.substr(open + 1, close - open - 1));
  }
  return names;
}

std::vector<fs::path> includeFolders(const Words& flags) {
  std::vector<fs::path> folders;
  for (std::size_t i = 0; i < flags.size(); ++i)
    for (const std::string_view option : {"-I", "-iquote", "-isystem"}) {
      if (!flags[i].starts_with(option)) continue;
      if (flags[i].size() > option.size())
        folders.emplace_back(flags[i].substr(option.size()));
      else if (i + 1 < flags.size())
        folders.emplace_back(flags[i + 1]);
      break;
    }
  return folders;
}

} // namespace

PlainHeaders replaceHeaderAssembly(const std::string& text, const std::string& source, const Words& flags,
                                   const std::string& scratch) {
  PlainHeaders result;
  const std::vector<fs::path> folders = includeFolders(flags);
  std::set<fs::path> seen;
  std::vector<std::pair<fs::path, std::string>> open{{source, text}}; // files and their text
  nlohmann::json copies = nlohmann::json::array();
  for (std::size_t at = 0; at < open.size() && at < kMostHeaders; ++at) {
    const fs::path from = open[at].first.parent_path();
    for (const std::string& name : includedNames(open[at].second)) {
      std::vector<fs::path> places{from / name};
      for (const fs::path& folder : folders) places.push_back(folder / name);
      for (const fs::path& place : places) {
        std::error_code failed;
        const fs::path header = fs::absolute(place, failed).lexically_normal();
        if (failed || !fs::is_regular_file(header, failed) || fs::file_size(header, failed) > kMostBytes) continue;
        if (!seen.insert(header).second) break;
        std::string content = fileText(header.string());
        if (content.find("asm") != std::string::npos) {
          PlainSource plain = replaceAssembly(content);
          if (plain.isChanged) {
            const fs::path copy = fs::path(scratch) / fmt::format("header-{}", copies.size());
            writeText(copy.string(), plain.text);
            copies.push_back({{"type", "file"}, {"name", header.string()}, {"external-contents", copy.string()}});
            result.startedByName.insert(result.startedByName.end(), plain.startedByName.begin(), plain.startedByName.end());
          }
        }
        open.emplace_back(header, std::move(content));
        break;
      }
    }
  }
  if (copies.empty()) return result;
  const std::string overlay = fs::path(scratch) / "headers.yaml";
  writeText(overlay, nlohmann::json{{"version", 0}, {"use-external-names", false}, {"roots", copies}}.dump());
  result.flags = {"-ivfsoverlay", overlay};
  return result;
}

} // namespace simcore::native
