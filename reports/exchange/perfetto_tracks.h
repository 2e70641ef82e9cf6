// The tracks in the descriptors of a Perfetto trace. A descriptor may come after the events of its track, so events wait in the
// track and get their thread, process, unit and parents at the end.
#pragma once

#include "reports/exchange/perfetto_rows.h"
#include "reports/exchange/proto_fields.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace reports::exchange {

// Identifies a track by machine and number. For a writer's default track, `sequence` is set instead.
struct PerfettoTrackKey {
  uint32_t machine = 0;
  uint64_t uuid = 0;
  uint32_t sequence = 0;
  auto operator<=>(const PerfettoTrackKey&) const = default;
};

struct PerfettoTrack {
  enum Ordering { Unknown = 0, Lexicographic = 1, Chronological = 2, Explicit = 3 };
  enum CounterType { Plain = 0, ThreadTime = 1, ThreadInstructions = 2 };
  struct Value {
    int64_t time = 0;
    double value = 0;
    uint32_t sequence = 0, epoch = 0; // values of an incremental counter are summed per writer, until its state is cleared
  };
  struct State {
    int64_t time = 0;
    std::optional<uint32_t> name; // without a name, only the previous state ends
    uint8_t channel = 0;
    std::string details;
    uint32_t order = 0; // order of the slice made from this state; flow events refer to the slice by it
  };
  uint64_t parent = 0;
  bool staysApart = false; // not merged with the kernel's marks on its thread
  bool isDescribed = false, isCounter = false, isState = false, isIncremental = false;
  std::optional<int64_t> pid, tid; // pid: of a process or thread track; tid: of a thread track; numbers of PerfettoRows
  std::string name, unit;
  CounterType counterType = Plain;
  double multiplier = 1;
  int ordering = Unknown;
  std::optional<int64_t> rank;
  std::size_t place = 0;             // position in file order
  std::optional<int64_t> firstEvent; // time of the track's first event
  PerfettoRow row;
  std::vector<Value> values;
  std::vector<State> states;
};

class PerfettoTracks {
public:
  PerfettoTracks(TraceAssembly& assembly, PerfettoRows& rows) : m_assembly(assembly), m_rows(rows) {}
  // Adds a TrackDescriptor; returns its track.
  PerfettoTrack& describe(std::string_view descriptor, uint32_t machine);
  PerfettoTrack& at(const PerfettoTrackKey& key); // creates it at first use
  const PerfettoTrack* find(const PerfettoTrackKey& key) const;
  // The process of a track or of its ancestors; the thread if one of them has a thread.
  std::optional<int64_t> processAbove(const PerfettoTrackKey& key) const;
  std::optional<std::pair<int64_t, std::optional<int64_t>>> threadAbove(const PerfettoTrackKey& key) const; // tid, pid
  void finish();                                                                                            // makes the rows
  const std::map<std::string, int64_t>& fieldsNotShown() const { return m_fields; }

private:
  void addField(const char* name);
  void readProcess(PerfettoTrack& track, std::string_view process, uint32_t machine);
  void readThread(PerfettoTrack& track, std::string_view thread, uint32_t machine);
  static void readCounter(PerfettoTrack& track, std::string_view counter);
  const PerfettoTrack* parentOf(const PerfettoTrackKey& key, const PerfettoTrack& track) const;
  std::string pathOf(const PerfettoTrackKey& key, const PerfettoTrack& track) const;
  std::string nameOf(const PerfettoTrackKey& key, const PerfettoTrack& track) const;
  std::map<PerfettoTrackKey, int64_t> ordered() const;
  void makeCounter(const PerfettoTrackKey& key, PerfettoTrack& track, const std::string& name);
  void makeStates(PerfettoTrack& track) const;
  TraceAssembly& m_assembly;
  PerfettoRows& m_rows;
  std::map<PerfettoTrackKey, PerfettoTrack> m_tracks;
  std::map<std::pair<int64_t, std::string>, int> m_counterNames;
  bool m_ordersProcesses = false, m_ordersThreads = false; // by the ranks of their tracks
  std::map<std::string, int64_t> m_fields;                 // fields of descriptors, with their counts
};

} // namespace reports::exchange
