// The host's side of a report in nanoseconds: processes, threads, nested slices. Queries for drawing have the form of
// trace::Slices.
#pragma once

#include "analyser/host/device_runs.h"
#include "analyser/host/values.h"
#include "analyser/session/sentence.h"
#include "analyser/trace/call_tree.h"
#include "reports/rows/host_decode.h"

#include <unordered_map>

namespace analyser::host {

struct Thread {
  std::string name, kind; // kind: see host_thread.kind; empty for a thread
  std::optional<int64_t> tid;
  int64_t instants = 0;
  trace::TrackId track;
  int depths = 0;
  int64_t slices = 0;
};
struct Process {
  int64_t id = 0; // host_process.id
  std::string name, provenance;
  std::optional<int64_t> pid;
  std::vector<Thread> threads;
  std::string clock; // see host_process.clock; empty if unknown
};
// Whether the slices of the track are not what a thread did: states, sums, asynchronous spans.
bool isWorkOfNoThread(const Thread& thread);
struct LabelStatistics {
  std::string label, channel;
  StringId name;
  uint8_t category = 0;       // of the channel
  int64_t count = 0, cut = 0; // see trace::NameStatistics
  // In the unit of the value that is counted: nanoseconds, bytes or a count. See trace::NameStatistics.
  int64_t total = 0, self = 0, min = 0, max = 0, sum = 0, wholeSum = 0;
  int64_t median = 0, p95 = 0; // of the slices entirely inside the range (nearest rank)
  int64_t whole() const { return count - cut; }
  double mean() const { return whole() ? double(wholeSum) / double(whole()) : 0; } // of slices entirely inside the range
};

class HostTimeline {
public:
  explicit HostTimeline(Session& session);

  trace::Slices& slices() { return m_slices; }
  const std::vector<Process>& processes() const { return m_processes; }
  // Tracks whose slices enter the statistics. Some traces store sums as slices; their tracks are left out.
  std::vector<trace::TrackId> countedTracks() const;
  // The tracks that count for the value at this index: its own, or those whose slices are times like its slices.
  std::vector<trace::TrackId> countedTracks(const std::vector<MeasuredValue>& values, std::size_t chosen) const;
  // Whether all slices of threads are call stacks of a profiler.
  bool isSampled() const;
  const std::string& channel(uint8_t id) const; // "(no channel)" if it has no name
  bool hasName(uint8_t channel) const { return channel < m_channels.size() && !m_channels[channel].empty(); }
  // From the first to the last slice, instant or sample.
  trace::TickRange range() const { return m_range; }
  // The device's runs on the same axis.
  DeviceRuns& device() { return m_device; }
  // Shifts a process: all queries and results use its times plus this offset. For traces whose clocks disagree.
  void setOffset(int64_t process, Nanoseconds offset);
  Nanoseconds offset(std::optional<int64_t> process) const; // of the process with this host_process.id; 0 without a process
  // Slices that touch the range, by label and channel; largest total first. Of one of the values in its unit, or of all tracks
  // in nanoseconds.
  std::vector<LabelStatistics> statistics(trace::TickRange range, std::stop_token stop = {});
  std::vector<LabelStatistics> statistics(trace::TickRange range, const std::vector<MeasuredValue>& values, std::size_t chosen,
                                          std::stop_token stop = {});
  // Durations of the slices with this label and channel that are entirely inside the range, or their amounts of `value`; at most
  // `limit`.
  std::vector<int64_t> durations(trace::TickRange range, StringId label, uint8_t channel, std::size_t limit,
                                 const MeasuredValue& value = {}, std::stop_token stop = {});
  // About the value that valuesOf() lists first, or about another one of them.
  Sentence verdict(std::stop_token stop = {});
  Sentence verdict(const std::vector<MeasuredValue>& values, std::size_t chosen, std::stop_token stop = {});

  // Instant events of a track in the range, in order of time; stops after `limit`.
  std::vector<reports::Instant> instants(trace::TrackId track, trace::TickRange range, std::size_t limit,
                                         std::stop_token stop = {});
  // The JSON a slice or an instant points to; empty if there is none.
  std::string details(int64_t id);
  // Arrows that leave or reach a slice; at most `limit`.
  std::vector<reports::Flow> flowsOf(trace::TrackId track, const trace::Slice& slice, std::size_t limit,
                                     std::stop_token stop = {});
  // The slice or instant that an arrow leaves or reaches at a tick; an instant as a slice without duration.
  std::optional<trace::Slice> flowEnd(const reports::SlicePlace& place, int64_t tick, std::stop_token stop = {});
  bool hasFlows() const { return m_flows > 0; }

private:
  void readExtent();
  std::vector<LabelStatistics> statisticsOf(const std::vector<trace::TrackId>& tracks, trace::TickRange range,
                                            const MeasuredValue& value, const std::stop_token& stop);
  Session& m_session;
  trace::Slices m_slices;
  DeviceRuns m_device;
  std::unordered_map<int64_t, int64_t> m_offsets; // by host_process.id
  std::vector<Process> m_processes;
  std::vector<std::string> m_channels;
  std::vector<int64_t> m_series;
  trace::TickRange m_range{};
  int64_t m_flows = 0;
};

} // namespace analyser::host
