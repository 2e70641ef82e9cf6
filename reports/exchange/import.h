// Reads trace files of other tools into a report. One function: it finds the format, reads each file as a stream, relates their
// clocks and writes the rows.
#pragma once

#include "reports/exchange/device_beside.h"
#include "reports/exchange/import_counts.h"
#include "reports/exchange/trace_writer.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace reports::exchange {

enum class TraceFormat {
  Chrome,
  Perfetto,
  PerfScript,
  Folded,
  Speedscope,
  Recording,
  Pvti,
  Poplar,
  CpuProfile,
  Ftrace,
  Pprof,
  Ninja
};

// "chrome", "perfetto", "perf-script", "folded", "speedscope", "recording", "pvti", "poplar", "cpuprofile", "ftrace", "pprof", "ninja".
std::string_view traceFormatName(TraceFormat format);
const std::vector<std::string>& traceFormatNames();
// Throws Error(NotFound) listing all formats.
TraceFormat traceFormatOf(const std::string& name);

// Recognises the format by the first unpacked bytes of the file. The file's name matters only for a protobuf that begins like
// text. Throws Error(InvalidInput) if no format matches, and Error(Io or NotFound).
TraceFormat recognise(const std::filesystem::path& file);

// A report whose device is combined with the traces: the n-th slice that starts a run is linked to the n-th run of the report.
struct DeviceBeside {
  std::filesystem::path report;
  std::string runs = "Engine::run"; // beginning of the names of slices that start a run
};

struct ImportRequest {
  std::vector<std::filesystem::path> files;
  std::optional<TraceFormat> format; // of all files; empty: each file's format is recognised
  Alignment alignment;
  std::string title; // of the report; empty: the first file's name
  std::optional<DeviceBeside> device;
};

struct ImportedFile {
  std::filesystem::path path;
  std::string name; // displayed name, with as many folders as needed to distinguish it from other files
  TraceFormat format = TraceFormat::Chrome;
  ImportCounts counts;
  std::string stopped = {}; // why unpacking ended early, e.g. "its checksum does not match its content"; empty if it did not
};
struct ImportResult {
  ImportCounts total;
  std::optional<LaidRuns> laid = {};          // set if the traces are combined with the device of a report
  int64_t tiles = 0, programs = 0, steps = 0; // of a device's profile; 0 without one
  std::vector<ImportedFile> files;
};

// The names of files, each with as many folders as needed to distinguish it: "a.json", "run1/b.json", "run2/b.json".
std::vector<std::string> distinctNames(const std::vector<std::filesystem::path>& files);

// Throws Error: NotFound, Io, InvalidInput (unknown format, an offset for a Poplar profile, which has no host clock), Damaged (nothing of a
// file is intact), Cancelled.
ImportResult importTraces(const ImportRequest& request, ReportSink& sink, Progress& progress, std::stop_token stop);

} // namespace reports::exchange
