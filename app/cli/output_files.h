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
  std::string report, outputs, savedModel;                                     // a file, a folder, a file; empty: not written
  std::vector<std::filesystem::path> read;                                     // the graph's file and those of --input
  reports::PartFile::Replaces replaces = reports::PartFile::Replaces::Reports; // by the report
  reports::PartFile::Links links = reports::PartFile::Links::Follow;           // of the report
  bool replacesOutputs = false;        // may also replace files in the folder that no run has written
  std::vector<std::string> asked = {}; // copies of the report that engine options ask for (auto_reports.h)
};
// Before anything is computed. Throws Error(InvalidInput or Io) naming the option if an output would overwrite a file that is
// read, or a file of another kind.
void requireSafe(const RunFiles& files, const std::vector<std::string>& streams);

// NAME.npy, or NAME.0.npy, NAME.1.npy … for a stream that delivered more than once in the last run; NAME.history.npy for single
// values, such as a loss, of all runs. Streams whose file names would be equal get numbers.
std::vector<std::string> writeOutputs(const std::filesystem::path& folder, const simcore::run::SimulateResult& result);
// The copies of a report that is complete. Throws Error(Io).
void writeCopies(const RunFiles& files);
void makeFolder(const std::filesystem::path& folder);

// Puts `file` in place as a whole after `write` has filled the path it gets; otherwise leaves the old file. Throws Error(Io) naming `file`.
void writeWhole(const std::filesystem::path& file, const std::function<void(const std::filesystem::path&)>& write,
                reports::PartFile::Links links = reports::PartFile::Links::Follow);
// The same for a text in a folder that may belong to someone else: rejects a link in place of `file`.
void writeText(const std::filesystem::path& file, const std::string& text);

} // namespace app::cli
