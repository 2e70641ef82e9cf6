// The runs of the device on the host's time axis. The report links a run to the host slice that started it and gives the run's
// begin and end in host time; its cycles are spread evenly between them. Simulated runs are therefore as long as their simulation
// took.
#pragma once

#include "analyser/trace/slices.h"

namespace analyser::host {

struct LinkedRun {
  int64_t run = 0; // run.id
  std::string name;
  trace::TickRange cycles; // of the device
  trace::TickRange host;   // nanoseconds of the report
  trace::TrackId track;    // of the host slice that started it
  int depth = 0;
  int64_t slice = 0; // its number

  double nanosecondsPerCycle() const { return cycles.empty() ? 0 : double(host.size()) / double(cycles.size()); }
  int64_t hostTick(int64_t cycle) const;
  int64_t cycle(int64_t hostTick) const;
};

class DeviceRuns {
public:
  explicit DeviceRuns(Session& session);

  // In order of host time. They shift together with the track of their host slice.
  const std::vector<LinkedRun>& runs() const { return m_runs; }
  bool isEmpty() const { return m_runs.empty(); }
  // The device's slices, in cycles.
  trace::Slices& slices() { return m_slices; }
  // The run that a host slice started; null if it started none.
  const LinkedRun* startedBy(trace::TrackId track, int depth, int64_t number) const;
  // The run at a host tick; null between runs.
  const LinkedRun* at(int64_t hostTick) const;
  // As trace::Slices::cells, in host nanoseconds: at most about 2 x pixels cells. Runs shorter than a few pixels are merged.
  trace::Cells cells(trace::TrackId track, int depth, trace::TickRange host, int pixels, std::stop_token stop = {});
  // The slice drawn at a host tick, in cycles.
  std::optional<trace::Slice> sliceAt(trace::TrackId track, int depth, int64_t hostTick);
  // Moves the runs that slices of this host track started.
  void shift(trace::TrackId track, int64_t nanoseconds);

private:
  void sort();
  trace::Slices m_slices;
  std::vector<LinkedRun> m_runs;
};

} // namespace analyser::host
