// The host's side of a report in nanoseconds: processes, threads, nested slices. Drawing questions are those of trace::Slices.
#pragma once

#include "analyser/session/sentence.h"
#include "analyser/trace/slices.h"

namespace analyser::host {

struct Thread {
  std::string name;
  trace::TrackId track;
  int depths = 0;
  int64_t slices = 0;
};
struct Process {
  std::string name, provenance;
  std::optional<int64_t> pid;
  std::vector<Thread> threads;
};
struct LabelStatistics {
  std::string label, channel;
  int64_t count = 0;
  Nanoseconds total, self, min, max; // as of trace::NameStatistics
  Nanoseconds sum;
  double mean() const { return count ? double(sum.value()) / double(count) : 0; }
};

class HostTimeline {
public:
  explicit HostTimeline(Session& session);

  trace::Slices& slices() { return m_slices; }
  const std::vector<Process>& processes() const { return m_processes; }
  const std::string& channel(uint8_t id) const;
  trace::TickRange range() const { return m_slices.range(); }
  // Slices that touch the range, by name; longest total first.
  std::vector<LabelStatistics> statistics(trace::TickRange range, std::stop_token stop = {});
  Sentence verdict(std::stop_token stop = {});

private:
  Session& m_session;
  trace::Slices m_slices;
  std::vector<Process> m_processes;
  std::vector<std::string> m_channels;
};

} // namespace analyser::host
