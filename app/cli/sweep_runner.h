// Runs a slice of a sweep's manifest, some configurations at a time, each as a separate process. Configurations with a record are
// skipped, so the same slice can be run again after any failure: a kill, a lost node, a full disk.
#pragma once

#include "analyser/sweep/record.h"
#include "app/cli/command.h"

#include <chrono>
#include <cstddef>

namespace app::cli {

struct SweepSlice {
  std::filesystem::path manifest;   // its folder holds the results
  std::size_t index = 0, count = 0; // count 0: all runs from index on
  std::string program;              // the tilescope-cli that does the runs
  int jobs = 0;                     // runs at the same time
  bool keepsReports = true;
  std::vector<std::filesystem::path>
      readable; // files and folders that options of the runs may name, besides the manifest's folder
  std::vector<std::filesystem::path> executable; // programs that the runs may start, in any folder
  std::chrono::seconds lease{60}, timeout{0};    // timeout 0: none
};

struct SweepOutcome {
  int64_t done = 0, doesNotFit = 0, failed = 0, already = 0; // `already`: had a record before, or got one from another process
  std::vector<std::string> failures;                         // "batch 64: why"
};

// Whether the file is in the folder or in one below it, after links are resolved.
bool isBelow(const std::filesystem::path& file, const std::filesystem::path& folder);

// Throws Error: those of readManifest, Io if results cannot be written, Cancelled.
SweepOutcome runSlice(const SweepSlice& slice, const std::stop_token& stop, reports::Progress& progress);

} // namespace app::cli
