// Checks a file before SQLite opens it: a regular file, long enough, SQLite, a report, finished? Each failed check has a specific
// message, because "cannot open" does not help.
#pragma once

#include <cstdint>
#include <filesystem>

namespace reports {

struct ReportFile {
  std::filesystem::path realPath; // symbolic links resolved
  int64_t bytes = 0;
  int32_t schemaVersion = 0;
};

// Throws Error, see Reader.
ReportFile inspectReportFile(const std::filesystem::path& path);

// Whether the file starts as a report does; it may be damaged, or of a version that cannot be read. Throws Error(Io) if it cannot
// be opened.
bool isReport(const std::filesystem::path& path);

} // namespace reports
