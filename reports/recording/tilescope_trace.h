// Records what a host program does around the machine: slices of time, instants, counters and heatmaps, of every thread.
// The recording is one file that is whole at any moment: records are written straight into the mapped file, so a process
// that is killed loses nothing it had recorded. `tilescope-cli import FILE` and the window open it.
//
// Nothing is recorded, and a call costs one comparison, until recording is switched on: by the environment variable
// TILESCOPE_TRACE (or PVTI_OPTIONS), a JSON object, or by start(). Keys, all optional:
//   {"enable": true, "directory": ".", "file": "run.tsrec", "channels": ["io", "train"], "duration": 60, "limit": 2000000000}
// `duration` is in seconds and `limit` in bytes; 0 means without end. A value that is not a JSON object switches recording
// on with defaults.
//
// Every call may be made by any thread. C++11, no dependencies. Linux.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>
#if __cplusplus >= 201703L
#include <string_view>
#endif

namespace tilescope_trace {

// Text that a call only reads.
class Text {
public:
  Text() = default;
  Text(const char* text, std::size_t size) : m_begin(text), m_size(size) {}
  Text(const char* text) : m_begin(text), m_size(std::strlen(text)) {}
  Text(const std::string& text) : m_begin(text.data()), m_size(text.size()) {}
#if __cplusplus >= 201703L
  Text(std::string_view text) : m_begin(text.data()), m_size(text.size()) {}
  operator std::string_view() const { return {m_begin, m_size}; }
#endif
  const char* data() const { return m_begin; }
  std::size_t size() const { return m_size; }

private:
  const char* m_begin = "";
  std::size_t m_size = 0;
};

struct Options {
  bool enable = true;
  std::string directory = ".";
  std::string file;                  // name inside `directory`; empty: program, start time and process id
  std::vector<std::string> channels; // empty: all
  double durationSeconds = 0;        // 0: until the process ends
  std::uint64_t limitBytes = 0;      // 0: no limit. Later events are counted and dropped.
  bool followsForks = true;          // a forked process records to a separate file
};

// Reads the JSON of TILESCOPE_TRACE or PVTI_OPTIONS; null means off, unreadable text means on with defaults.
Options parseOptions(const char* json);

// Opens a recording. Returns false, with one line on stderr, if the file cannot be made. One recording is open at a time: start()
// ends the previous one.
bool start(const Options& options);
// Ends the recording; later events are not recorded. Called automatically at exit.
void stop();
bool isRecording();
// The current or the last recording's file; empty if there was none.
std::string fileName();
// Events dropped so far because the limit was reached or the disk was full.
std::uint64_t lostEvents();

// A source of events with its own colour. Keep it alive as long as it is used; static is usual.
class Channel {
public:
  explicit Channel(std::string name, bool enabled = true);
  const std::string& name() const { return m_name; }
  std::size_t id() const { return m_id; } // its number among the channels of this process, in order of construction
  void enable(bool enabled) { m_enabled = enabled; }
  bool isEnabled() const { return m_enabled; } // the value set by enable()
  bool isActive() const;                       // enabled, recording, and not excluded by the options

private:
  std::string m_name;
  std::size_t m_id;
  std::atomic<bool> m_enabled;
  mutable std::atomic<std::uint64_t> m_selection{0}; // the last recording that was asked, and whether it includes this channel
};

// One slice from construction to destruction. Slices of one thread nest.
class Scope {
public:
  // `metadata`: JSON text, stored as it is.
  Scope(const Channel& channel, Text label, Text metadata = {});
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

private:
  bool m_open;
};

// Slices that do not follow the scopes of the code. end() closes the innermost open slice of the calling thread with this channel
// and label.
void begin(const Channel& channel, Text label, Text metadata = {});
void end(const Channel& channel, Text label);
void instant(const Channel& channel, Text label, Text metadata = {});
// Names the calling thread.
void nameThread(Text name);

// A curve of values over time.
class Series {
public:
  void add(double value) const;

private:
  friend class Graph;
  explicit Series(std::uint32_t id) : m_id(id) {}
  std::uint32_t m_id;
};

// Curves that share an axis. `unit` is shown beside the axis, e.g. "%".
class Graph {
public:
  explicit Graph(std::string name, std::string unit = {});
  Series addSeries(std::string name) const;

private:
  std::string m_name, m_unit;
};

// A histogram over time: each add() counts values between edges. `edges` ascend; n edges make n - 1 bins, and two more count the
// values below and above.
class Heatmap {
public:
  Heatmap(std::string name, std::vector<double> edges, std::string unit = {});
  void add(const std::vector<double>& values) const;

private:
  std::uint32_t m_id;
  std::vector<double> m_edges;
};

} // namespace tilescope_trace

#define TILESCOPE_TRACE_JOIN2(a, b) a##b
#define TILESCOPE_TRACE_JOIN(a, b) TILESCOPE_TRACE_JOIN2(a, b)
// One slice for the rest of the enclosing block.
#define TILESCOPE_TRACE_SCOPE(channel, label)                                                                                    \
  const ::tilescope_trace::Scope TILESCOPE_TRACE_JOIN(tilescopeScope, __LINE__)((channel), (label))
