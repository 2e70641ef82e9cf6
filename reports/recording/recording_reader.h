// Reads a recording (*.tsrec) of tilescope_trace, also while it is being written: read() gives the events since the previous
// call. Damage loses only the affected events: they are counted, and reading continues with the next chunk.
#pragma once

#include "reports/recording/recording_format.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace reports {

// Receives the events of a recording. Times are nanoseconds since the recording began; `thread` starts at 0. The events of one
// thread come in order of time, in blocks; blocks of different threads are not ordered.
class RecordingEvents {
public:
  virtual ~RecordingEvents() = default;
  virtual void thread(std::uint32_t thread, std::int64_t threadId) = 0; // before its first event
  virtual void threadName(std::uint32_t thread, std::string_view name) = 0;
  virtual void begin(std::uint32_t thread, std::int64_t time, std::string_view channel, std::string_view label) = 0;
  virtual void end(std::uint32_t thread, std::int64_t time) = 0; // the innermost open slice
  virtual void endNamed(std::uint32_t thread, std::int64_t time, std::string_view channel, std::string_view label) = 0;
  virtual void instant(std::uint32_t thread, std::int64_t time, std::string_view channel, std::string_view label) = 0;
  virtual void metadata(std::uint32_t thread, std::string_view json) = 0; // for the begin or instant just before
  // Numbers of series and heatmaps are global in the recording. A definition may be repeated by another thread.
  virtual void series(std::uint32_t number, std::string_view graph, std::string_view unit, std::string_view name) = 0;
  virtual void sample(std::uint32_t number, std::int64_t time, double value) = 0;
  virtual void heatmap(std::uint32_t number, std::string_view name, std::string_view unit, const std::vector<double>& edges) = 0;
  // One more count than edges: the first is below all edges, the last at or above the last edge.
  virtual void heatmapSample(std::uint32_t number, std::int64_t time, const std::vector<std::uint32_t>& counts) = 0;
};

// Bytes of events in a recording so far. They grow inside the file, so its size and time do not show it. 0 if it is not a
// recording.
std::uint64_t recordedBytes(const std::filesystem::path& file);

class RecordingReader {
public:
  // Throws Error(InvalidInput) if the file is not a recording or has a later version, Error(Io) if it cannot be read.
  explicit RecordingReader(std::filesystem::path file);

  const tilescope_trace::format::Header& header() const { return m_header; }
  std::string processName() const;
  void read(RecordingEvents& events);
  std::uint64_t lostEvents() const { return m_header.lostEvents; } // dropped by the recorder
  std::int64_t damagedChunks() const { return m_damaged; }

private:
  struct Thread {
    std::map<std::uint32_t, std::uint64_t> chunks; // file offset by sequence, of chunks that are unread or may still grow
    std::uint32_t next = 0;                        // sequence of the next chunk to read
    std::uint32_t read = 0;                        // bytes of that chunk already read
    std::vector<std::string> strings;
  };
  class Records;
  void readHeader();
  void findChunks(RecordingEvents& events);
  void readThread(std::uint32_t number, Thread& thread, RecordingEvents& events);

  std::filesystem::path m_file;
  tilescope_trace::format::Header m_header;
  std::uint64_t m_chunksSeen = 0;
  std::map<std::uint32_t, Thread> m_threads;
  std::int64_t m_damaged = 0;
};

} // namespace reports
