// Records the simulator's phases as a host trace, with tilescope_trace like any program. After its construction every slice that
// any thread records, with or without this class, becomes a host slice of the report.
#pragma once

#include "reports/rows/report_sink.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace simcore::run {

class HostTimeline {
public:
  // Starts a recording in a temporary file without a name, unless one is running already, e.g. by TILESCOPE_TRACE. A second
  // timeline at the same time uses the recording of the first.
  explicit HostTimeline(std::string processName);
  ~HostTimeline();
  HostTimeline(const HostTimeline&) = delete;
  HostTimeline& operator=(const HostTimeline&) = delete;

  // A slice of the calling thread. It ends when the last copy of the returned handle is destroyed.
  std::shared_ptr<void> span(const std::string& name, const std::string& channel);

  // A slice in channel "engine" for a call that runs the device. The report links it to run.id `run` (-1: no link).
  std::shared_ptr<void> runSpan(const std::string& name, int64_t run);

  // Writes the process, its threads, a track of slices per thread, and the links to runs. Spans still open end with the latest
  // event. `stringId` returns the id of a name. If events did not fit into the recording, writes a report_issue.
  void writeTo(reports::ReportSink& sink, const std::function<int64_t(const std::string&)>& stringId, int64_t firstTrackId) const;

private:
  std::string m_process;
  int m_number;    // number of this timeline in the process; only its own runs are linked
  int m_file = -1; // file of its own recording; -1 if it uses another recording
};

} // namespace simcore::run
