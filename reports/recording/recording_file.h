// The file of the open recording, and the program's curves and heatmaps.
#pragma once

#include "reports/recording/recording_format.h"
#include "reports/recording/tilescope_trace.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace tilescope_trace {

struct SeriesName {
  std::string graph, unit, series;
};
struct HeatmapName {
  std::string name, unit;
  std::vector<double> edges;
};

// Read by every event; constant until the next start() or stop().
struct RecordingClock {
  std::atomic<std::uint64_t> generation{0}; // number of the recording in this process, from 1; 0: nothing is being recorded
  std::atomic<std::int64_t> start{0};       // in nanoseconds of CLOCK_MONOTONIC
  std::atomic<std::int64_t> deadline{0};    // in nanoseconds since the start
};
inline RecordingClock recordingClock;

class RecordingFile {
public:
  bool open(const Options& options);
  void close();
  std::string name() const;

  bool selects(const std::string& channel) const; // without a lock

  // Maps the next chunk of the recording `generation`; null at the limit, on a full disk, or after the end of that recording.
  format::ChunkHeader* newChunk(std::uint64_t generation, std::uint32_t thread, std::uint32_t sequence);
  static void unmap(format::ChunkHeader* chunk);
  std::uint32_t newThread() { return m_threads.fetch_add(1); }
  void lose(); // counts one event
  // like lose(), but without a lock; the count is written when the file is closed
  void countLost() { m_lost.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t lost() const { return m_lost.load(); }

  std::uint32_t addSeries(SeriesName name);
  std::uint32_t addHeatmap(HeatmapName name);
  // Series and heatmaps stay at their addresses until the process ends.
  const SeriesName& series(std::uint32_t number) const;
  const HeatmapName& heatmap(std::uint32_t number) const;

  // After a fork the parent continues; the child starts its own recording.
  void lockForFork() { m_mutex.lock(); }
  void unlockInParent() { m_mutex.unlock(); }
  void restartInChild();

private:
  bool openLocked(const Options& options);
  bool giveUp(const std::string& unfinished, int reason); // prints why and removes the file; returns false
  void closeLocked();

  mutable std::mutex m_mutex;
  Options m_options;
  // The channels of the open recording; null: all channels. The lists of earlier recordings are not deleted, because another
  // thread may read them.
  std::atomic<const std::vector<std::string>*> m_chosen{nullptr};
  std::string m_name;
  int m_file = -1;
  format::Header* m_header = nullptr;
  std::uint64_t m_chunks = 0, m_generations = 0;
  bool m_isFull = false;
  std::atomic<std::uint64_t> m_lost{0};
  std::atomic<std::uint32_t> m_threads{0};
  std::deque<SeriesName> m_series;
  std::deque<HeatmapName> m_heatmaps;
};

// The file of this process. Lives until the process ends.
RecordingFile& recordingFile();

} // namespace tilescope_trace
