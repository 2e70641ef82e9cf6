// Combines a trace of a host with the device of a finished report: the new report has the device's tables and the trace's
// threads. The n-th `Engine::run` of the trace is linked to the n-th run of the report.
#pragma once

#include "reports/rows/host_decode.h"
#include "reports/rows/report_sink.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace reports::exchange {

class TraceAssembly;

// Passes rows on, and records the locations of slices whose name begins with `name`.
class RunFinder : public ForwardingSink<RunFinder> {
public:
  RunFinder(ReportSink& to, const std::string& name) : m_to(to), m_name(name) {}
  template<class Row> void receive(const Row& row) { m_to.add(row); }
  void receive(const StringRow& row);
  void receive(const SliceChunkRow& chunk);

  struct Found {
    SlicePlace place;
    int64_t start = 0, end = 0;
  };
  std::vector<Found> outermost();                             // outermost slices of each track, sorted by start
  bool isTooMany() const { return m_isTooMany; }              // true: there were too many slices, and not all were recorded
  void setFirstTrack(int64_t track) { m_firstTrack = track; } // slices of earlier tracks are ignored

private:
  ReportSink& m_to;
  std::string m_name;
  int64_t m_firstTrack = 0;
  std::set<uint32_t> m_ids; // string ids of these names
  std::vector<Found> m_found;
  bool m_isTooMany = false;
};

// Writes the device's rows; the assembly then numbers its tracks and texts after them. Call it before anything is read into the
// assembly.
void addDevice(Reader& report, TraceAssembly& assembly, const std::stop_token& stop);
struct LaidRuns {
  int64_t slices = 0, runs = 0; // slices of the trace that start a run, runs of the report
  int64_t linked() const { return std::min(slices, runs); }
};
// Links the slices to the runs in order. A run is drawn from the start of its slice for its own duration (cycles / clock), at
// most to the slice's end. Writes an issue if slices have no run, runs have no slice, or slices of several threads overlap.
LaidRuns linkRuns(Reader& report, const std::vector<RunFinder::Found>& slices, const std::string& name, ReportSink& sink);

} // namespace reports::exchange
