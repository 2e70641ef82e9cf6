// The simulator's own phases as a host trace: spans of wall-clock time on threads, kept in memory while the work goes on and
// written as tracks of host slices. Thread-safe; spans on one thread nest by scope.
#pragma once

#include "reports/rows/report_sink.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace simcore::run {

class HostTimeline {
public:
  explicit HostTimeline(std::string processName);

  // Ends when the last copy of the returned handle goes.
  std::shared_ptr<void> span(std::string name, const std::string& channel);
  // Names the calling thread; the first thread that opens a span is "main" otherwise.
  void nameThread(std::string name);

  // Spans still open are written as if they ended now. `stringId` gives the id of a name.
  void writeTo(reports::ReportSink& sink, const std::function<int64_t(const std::string&)>& stringId, int64_t firstTrackId) const;

private:
  using Clock = std::chrono::steady_clock;
  struct Span {
    std::string name;
    int channel = 0, depth = 0;
    int64_t start = 0, end = -1; // nanoseconds since the timeline began
  };
  struct Lane {
    std::string name;
    std::vector<Span> spans; // in order of start
    int open = 0;
  };
  int64_t now() const;
  Lane& lane();
  int channelId(const std::string& name);

  std::string m_process;
  Clock::time_point m_begin = Clock::now();
  int64_t m_beginUnix = 0;
  mutable std::mutex m_mutex;
  std::vector<std::unique_ptr<Lane>> m_lanes;
  std::map<std::thread::id, Lane*> m_laneOf;
  std::vector<std::string> m_channels;
};

} // namespace simcore::run
