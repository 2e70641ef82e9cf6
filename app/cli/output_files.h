// The files of a run beside its report: tensors as .npy and the trained model. A file that a run reads is never overwritten, and
// each file is whole or absent.
#pragma once

#include "reports/sqlite/part_file.h"
#include "simcore/run/simulate.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace app::cli {

// A stream's name as a file name; the name may contain slashes.
std::string fileName(std::string name);

struct RunFiles {
  std::string report, outputs, savedModel; // a file, a folder, a file; empty: not written
  std::vector<std::filesystem::path> read; // files that the run reads: the graph's file and those of --input
  reports::PartFile::Replaces replaces = reports::PartFile::Replaces::Reports; // which files the report may replace
  reports::PartFile::Links links = reports::PartFile::Links::Follow;           // whether the report's name may be a link
  bool replacesOutputs = false;        // whether files in the folder that no run has written may be replaced, too
  std::vector<std::string> asked = {}; // copies of the report that engine options ask for (auto_reports.h)
};
// Call it before anything is computed. Throws Error(InvalidInput or Io) naming the option if an output would overwrite a file
// that is read, or a file of another kind.
void requireSafe(const RunFiles& files, const std::vector<std::string>& streams);

// Writes the outputs: NAME.npy, or NAME.0.npy, NAME.1.npy … for a stream that delivered more than once in the last run;
// NAME.history.npy for single values, such as a loss, of all runs. Streams whose file names would be equal get numbers.
std::vector<std::string> writeOutputs(const std::filesystem::path& folder, const simcore::run::SimulateResult& result);
// Writes the requested copies of a complete report. Throws Error(Io).
void writeCopies(const RunFiles& files);
void makeFolder(const std::filesystem::path& folder);

// Calls `write` with the path of a temporary file, which then replaces `file`. If it fails, the old file stays. Throws Error(Io)
// naming `file`.
void writeWhole(const std::filesystem::path& file, const std::function<void(const std::filesystem::path&)>& write,
                reports::PartFile::Links links = reports::PartFile::Links::Follow);
// Writes a text in the same manner. The folder may belong to someone else, so a link instead of `file` is rejected.
void writeText(const std::filesystem::path& file, const std::string& text);

} // namespace app::cli
