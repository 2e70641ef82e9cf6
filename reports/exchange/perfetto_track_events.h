// Track events of Perfetto: slices, instants, counters, states and flows of tracks, and the events of Chrome's older format among
// them.
#pragma once

#include "reports/exchange/perfetto_clocks.h"
#include "reports/exchange/perfetto_sequence.h"
#include "reports/exchange/perfetto_tracks.h"

#include <map>
#include <string>
#include <vector>

namespace reports::exchange {

class PerfettoTrackEvents {
public:
  PerfettoTrackEvents(TraceAssembly& assembly, PerfettoRows& rows, PerfettoTracks& tracks, const PerfettoClocks& clocks)
      : m_assembly(assembly), m_rows(rows), m_tracks(tracks), m_clocks(clocks), m_source(assembly.sources().size() - 1) {}
  // Adds a TrackEvent. `time` is its packet's time; older events have their own.
  void add(std::string_view event, std::optional<int64_t> time, PerfettoSequence& sequence);
  void finish();
  const std::map<std::string, int64_t>& fieldsNotShown() const { return m_fields; }

private:
  struct Event {
    uint64_t type = 0;
    std::optional<uint64_t> track;
    std::string name, category, details;
    bool hasName = false;
    bool isOfWriter = false; // belongs to its writer's thread: an older event without a track, or with track 0
    std::optional<double> value;
    std::vector<uint64_t> flows, ends, counters, realCounters;
    std::vector<int64_t> values;
    std::vector<double> reals;
    std::optional<int64_t> deltaUs, absoluteUs, threadDeltaUs, threadAbsoluteUs, instructionsDelta, instructionsAbsolute;
    std::optional<int64_t> threadTime; // nanoseconds
    // Set for an event that was converted from Chrome's JSON.
    char phase = 0;
    std::optional<int64_t> durationUs, threadDurationUs, pidOverride, tidOverride, bindId;
    uint64_t id = 0, direction = 0, scope = 0;
    enum IdKind { NoId, Unscoped, Local, Global } idKind = NoId;
    std::string idScope;
    bool bindsEnclosing = false;
  };
  // Asynchronous events wait until the processes of their tracks are known.
  struct Waiting {
    int64_t time;
    char phase;
    PerfettoTrackKey track;
    std::optional<int64_t> pid;
    uint32_t name;
    std::string text, category, details, id;
    bool isLocal;
  };
  Event read(std::string_view bytes, const PerfettoSequence& sequence);
  void readMore(const ProtoField& f, Event& event, const PerfettoSequence& sequence);
  void readLegacy(std::string_view legacy, Event& event, const PerfettoSequence& sequence);
  void addCallstack(Event& event, const ProtoField& field, const PerfettoSequence& sequence);
  std::string looked(const std::map<uint64_t, std::string>& names, uint64_t iid);
  std::optional<int64_t> timeOf(const Event& event, std::optional<int64_t> time, PerfettoSequence& sequence);
  void readThreadClock(Event& event, PerfettoSequence& sequence) const;
  PerfettoTrackKey keyOf(const Event& event, const PerfettoSequence& sequence) const;
  PerfettoRow& rowOf(const Event& event, const PerfettoTrackKey& key, const PerfettoSequence& sequence);
  void addCounters(Event& event, int64_t time, PerfettoSequence& sequence);
  void addValue(uint64_t uuid, int64_t time, double value, Event* event, PerfettoSequence& sequence);
  void addFlows(const Event& event, PerfettoRow& row, FlowPoint point, const PerfettoTrackKey& key);
  void addShown(Event& event, int64_t time, PerfettoSequence& sequence);
  void addState(const Event& event, const PerfettoTrackKey& key, PerfettoTrack& track, PerfettoTrack::State state);
  bool addLegacy(Event& event, const PerfettoTrackKey& key, PerfettoRow& row, FlowPoint point, const PerfettoSequence& sequence);
  void addAsync(const Waiting& one);
  uint64_t flowNumber(const std::string& key);

  TraceAssembly& m_assembly;
  PerfettoRows& m_rows;
  PerfettoTracks& m_tracks;
  const PerfettoClocks& m_clocks;
  std::size_t m_source;
  std::vector<Waiting> m_waiting;
  std::map<std::string, uint64_t> m_flows;
  std::map<std::string, int64_t> m_fields; // fields that are not shown, with their counts
};

} // namespace reports::exchange
