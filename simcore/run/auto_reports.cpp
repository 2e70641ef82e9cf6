#include "simcore/run/auto_reports.h"

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

} // namespace simcore::run
