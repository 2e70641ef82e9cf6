// Reads .pvti files of the PopVision trace library: SQLite databases whose tables and columns are discovered (pvti_tables.h).
#pragma once

#include "reports/exchange/trace_assembly.h"

#include <filesystem>
#include <stop_token>

namespace reports::exchange {

bool looksLikePvti(std::string_view head); // any SQLite file
// Times are microseconds, or nanoseconds if the column's name says so. Rows that are not events are counted. Throws
// Error(InvalidInput) if no table holds events, Error(Damaged or Io) if SQLite cannot read the file.
void readPvti(const std::filesystem::path& file, TraceAssembly& assembly, const std::stop_token& stop);

} // namespace reports::exchange
