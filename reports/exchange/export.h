// Writes the timelines of a report in formats of other tools: Chrome's JSON, Perfetto's protobuf, folded stacks, .pvti. Host
// times are unchanged. Device cycles become nanoseconds, placed below the host slice that started each run.
#pragma once

#include "reports/core/progress.h"
#include "reports/core/range.h"
#include "reports/sqlite/reader.h"

#include <filesystem>
#include <iosfwd>
#include <optional>

namespace reports::exchange {

struct ExportRequest {
  bool device = true, host = true;
  std::optional<TickRange> range; // nanoseconds from the start: only slices that touch it; without a range, all
  bool byCycles = false;          // folded stacks: values are cycles (device only), else nanoseconds
};

struct ExportCounts {
  int64_t slices = 0, instants = 0, counterSamples = 0, flows = 0, tracks = 0, stacks = 0;
  int64_t samples = 0;   // call stacks at points in time; only Perfetto has them as samples, other formats as instants
  int64_t notFinite = 0; // omitted counter samples: infinite values, which the format cannot store
};

// Throw Error(InvalidInput) if the report, or its part in the range, has none of the requested contents; Error(Io) if `out`
// fails; Cancelled.
ExportCounts exportChromeJson(Reader& reader, const ExportRequest& request, std::ostream& out, Progress& progress,
                              std::stop_token stop);
ExportCounts exportPerfetto(Reader& reader, const ExportRequest& request, std::ostream& out, Progress& progress,
                            std::stop_token stop);
ExportCounts exportFolded(Reader& reader, const ExportRequest& request, std::ostream& out, Progress& progress,
                          std::stop_token stop);
// Fills `file`, an existing empty file, with an SQLite database. It has no flows.
ExportCounts exportPvti(Reader& reader, const ExportRequest& request, const std::filesystem::path& file, Progress& progress,
                        std::stop_token stop);

} // namespace reports::exchange
