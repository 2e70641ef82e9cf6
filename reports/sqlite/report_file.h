// Looks at a file before SQLite does: is it a regular file, long enough, SQLite, a report, finished? Each "no" has its own
// message, because "cannot open" helps nobody.
#pragma once

#include <cstdint>
#include <filesystem>

namespace reports {

struct ReportFile {
  std::filesystem::path realPath; // symbolic links resolved
  int64_t bytes = 0;
  uint32_t schemaVersion = 0;
};

// Throws Error, see Reader.
ReportFile inspectReportFile(const std::filesystem::path& path);

} // namespace reports
