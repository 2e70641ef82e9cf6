#include "simcore/run/auto_reports.h"

#include "reports/core/error.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace simcore::run {

namespace {
constexpr const char* kDebugInfo = "debug.cbor";
}

std::vector<std::string> reportsAskedFor(const EngineOptionSet& options) {
  const auto asks = [&](const char* name) { return options.flag(options.isSet(name) ? name : "autoReport.all"); };
  const std::filesystem::path directory = options.text("autoReport.directory");
  std::vector<std::string> files;
  if (asks("autoReport.outputGraphProfile") || asks("autoReport.outputExecutionProfile"))
    files.push_back((directory / "profile.pop").string());
  if (asks("autoReport.outputDebugInfo")) files.push_back((directory / kDebugInfo).string());
  if (const char* file = std::getenv("TILESCOPE_REPORT"); file && *file) files.emplace_back(file);
  return files;
}

void writeAskedFor(const std::string& file, const std::function<void(const std::string&)>& writeReport) {
  std::error_code none;
  if (const auto folder = std::filesystem::path(file).parent_path(); !folder.empty())
    std::filesystem::create_directories(folder, none);
  if (isDebugInfo(file))
    writeDebugInfo(file);
  else
    writeReport(file);
}

bool isDebugInfo(const std::string& file) { return std::filesystem::path(file).filename() == kDebugInfo; }

void writeDebugInfo(const std::string& file) {
  const auto none = nlohmann::json::array();
  const auto bytes = nlohmann::json::to_cbor({{"contexts", none}, {"stringTable", none}});
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
  out.close();
  if (!out) throw reports::Error(reports::ErrorCode::Io, "the file cannot be written", file);
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
