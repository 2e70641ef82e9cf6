// The simulator's own phases as a host trace. They are recorded with tilescope_trace, as any program would: from here on every
// slice that any thread records, with or without this class, becomes a host slice of the report.
#pragma once

#include "reports/rows/report_sink.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace simcore::run {

class HostTimeline {
public:
  // Starts a recording in a temporary file without a name, unless one is running already, e.g. by TILESCOPE_TRACE. A second timeline at
  // the same time uses the recording of the first.
  explicit HostTimeline(std::string processName);
  ~HostTimeline();
  HostTimeline(const HostTimeline&) = delete;
  HostTimeline& operator=(const HostTimeline&) = delete;

  // A slice of the calling thread; it ends when the last copy of the returned handle goes.
  std::shared_ptr<void> span(const std::string& name, const std::string& channel);

  // The same in channel "engine", of a call that runs the device: the report links the slice to run.id `run` (-1: to none).
  std::shared_ptr<void> runSpan(const std::string& name, int64_t run);

  // Writes one process, its threads, a track of slices for each, and the links to runs. Spans still open are written as if they ended with the latest event.
  // `stringId` gives the id of a name. Events that did not fit into the recording are a report_issue.
  void writeTo(reports::ReportSink& sink, const std::function<int64_t(const std::string&)>& stringId, int64_t firstTrackId) const;

private:
  std::string m_process;
  int m_number;    // number of this timeline in the process: a link refers to runs of one engine
  int m_file = -1; // of the own recording; -1 if it uses another
};

} // namespace simcore::run
