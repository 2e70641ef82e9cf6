// The outcome of one run of a sweep: a small JSON file beside its report, written whole and last. A run without a record counts
// as not done. Except for the elapsed time, a repeated run gives an equal record.
#pragma once

#include "analyser/summary/summary.h"
#include "analyser/sweep/manifest.h"

#include <cstdint>
#include <map>
#include <optional>

namespace analyser::sweep {

enum class State { Done, DoesNotFit, Failed };
const char* stateName(State state); // "done", "does_not_fit", "failed"

struct Record {
  std::string key;
  State state = State::Failed;
  std::string message;                   // of a failed run: its last line of output
  std::map<std::string, double> figures; // total_cycles, memory.max_tile_bytes …, the keys of kFigures; empty if it failed
  double wallSeconds = 0;                // not part of the outcome
  bool isFinal() const { return state != State::Failed; } // a failed run is repeated
};

// The figures of a record, in the order of the merged table.
inline constexpr const char* kFigures[] = {"total_cycles",
                                           "seconds",
                                           "cycles.compute",
                                           "cycles.exchange",
                                           "cycles.sync",
                                           "cycles.host",
                                           "cycles.idle",
                                           "flops",
                                           "samples",
                                           "memory.max_tile_bytes",
                                           "memory.total_bytes",
                                           "memory.always_live_bytes",
                                           "memory.peak_not_always_live_bytes",
                                           "memory.overflow_tiles"};

// Files of a run under the sweep's folder: runs/<key>.tsr, .json, .lease
std::filesystem::path reportFile(const std::filesystem::path& folder, const std::string& key);
std::filesystem::path recordFile(const std::filesystem::path& folder, const std::string& key);
std::filesystem::path leaseFile(const std::filesystem::path& folder, const std::string& key);

// The figures that kFigures lists.
std::map<std::string, double> figuresOf(const Session& session, const summary::Summary& summary);
// Reads the figures from a finished report. Throws as Session::open does.
Record recordOfReport(const std::string& key, const std::filesystem::path& report);
// Reads the figures from the output of `run --json`, which has read the report already; nothing if the output is incomplete.
std::optional<Record> recordOfAnswer(const std::string& key, const std::string& json);
std::string recordText(const Record& record);
// Nothing if the file is missing, is not a record of this key,
// or has impossible figures: then the run must be repeated.
std::optional<Record> readRecord(const std::filesystem::path& file, const std::string& key);

} // namespace analyser::sweep
