// Made-up reports that are complete and consistent in themselves: totals equal sums, liveness follows from intervals, cycles
// from step profiles, addresses from an allocation. TinyReport is the smallest; the shape makes any size for benchmarks.
//
// The program: `init` (stream the weights in) and `main`: stream images in, call a function, repeat { sync; for each
// operation exchange and compute, every third also an on-tile copy; all-reduce if there are several IPUs }, stream loss out.
// IPU tracks have three depths: 0 the run, 1 operations, 2 steps. Track ids: IPUs first, then host threads.
#pragma once

#include "reports/rows/report_sink.h"
#include "tests/support/temporary_folder.h"

#include <filesystem>

namespace tests {

struct ReportShape {
  int ipus = 2;
  int tilesPerIpu = 8;
  int operations = 3;
  int64_t slices = 0; // approximate number of slices; the loop runs at least four iterations
  int scale = 1;      // multiplies tensor bytes and compute cycles, as a bigger batch would
  const char* title = "tiny";
  int ioTiles = 0; // the last tiles of each IPU; with I/O tiles, streams run on separate tracks, after those of the host
};

void writeSyntheticReport(reports::ReportSink& sink, const ReportShape& shape = {});
void writeSyntheticReport(const std::filesystem::path& file, const ReportShape& shape = {});

// A tiny report in its own folder, which is removed at the end.
class TinyReport {
public:
  explicit TinyReport(const ReportShape& shape = {});
  const std::filesystem::path& path() const { return m_path; }
  const std::filesystem::path& folder() const { return m_folder.path(); } // for files beside it

private:
  TemporaryFolder m_folder;
  std::filesystem::path m_path;
};

} // namespace tests
