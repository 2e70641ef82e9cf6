#include "simcore/run/auto_reports.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>

namespace simcore::run {

std::vector<std::string> reportsAskedFor(const std::map<std::string, std::string>& engineOptions) {
  const auto isTrue = [&](const char* name) {
    const auto it = engineOptions.find(name);
    return it != engineOptions.end() && (it->second == "true" || it->second == "1");
  };
  std::vector<std::string> files;
  const auto directory = engineOptions.find("autoReport.directory");
  if (isTrue("autoReport.all") || isTrue("autoReport.outputGraphProfile") || isTrue("autoReport.outputExecutionProfile"))
    files.push_back((std::filesystem::path(directory == engineOptions.end() ? "." : directory->second) / "profile.pop").string());
  if (const char* file = std::getenv("TILESCOPE_REPORT"); file && *file) files.emplace_back(file);
  return files;
}

std::map<std::string, std::string> metadataOfRun() {
  const char* const text = std::getenv("TILESCOPE_RUN");
  const nlohmann::json json = nlohmann::json::parse(text ? text : "", nullptr, false);
  if (!json.is_object()) return {};
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : json.items())
    if (value.is_string() && (key == "command_line" || key == "working_directory" || key.starts_with("tag.") ||
                              key.starts_with("option.") || key.starts_with("parameter.")))
      metadata[key] = value;
  return metadata;
}

} // namespace simcore::run
