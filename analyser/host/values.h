// What the call stacks of a trace measure: time, or the values of a profile, e.g. the objects and bytes of a heap, or the events of
// perf. Figures are about one value at a time, because a sum of objects and bytes means nothing.
#pragma once

#include "analyser/session/sentence.h"
#include "analyser/trace/call_tree.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace analyser::host {

class HostTimeline;

// Counts the events of samples that have times: for each sample of a track, the events up to it.
class EventTally {
public:
  // Reads the samples of a track, which are its instants. A sample whose details name no number is one event.
  void add(HostTimeline& timeline, trace::TrackId track, std::stop_token stop = {});
  int64_t within(trace::TrackId track, trace::TickRange ticks) const;

private:
  struct Sums {
    std::vector<int64_t> ticks, upTo; // upTo: events before the next sample
  };
  std::map<uint32_t, Sums> m_tracks;
};

struct MeasuredValue {
  enum class Unit : uint8_t { Time, Bytes, Count };
  std::string id;   // name of its channel, for links; empty: slices of threads, and samples that name no value
  std::string name; // "inuse_space"
  Unit unit = Unit::Time;
  int64_t ticksPerUnit = 1;
  bool isInTime = true; // false: stacks are side by side, without times
  std::vector<trace::CalledTrack> tracks;
  std::set<uint8_t> channels;               // channels of its samples
  std::shared_ptr<const EventTally> events; // samples in time that count events; null: ticks are the value
  trace::TickRange range;                   // range of its stacks

  // Nanoseconds, bytes, or a count of this many ticks; with events, of this many events.
  int64_t amount(int64_t ticks) const { return ticks / ticksPerUnit; }
  int64_t amountIn(trace::TrackId track, trace::TickRange ticks) const {
    return events ? events->within(track, ticks) : amount(ticks.size());
  }
  trace::Weigh weigh() const; // for figures of its tracks, before amount(); empty: their ticks
  bool isPlainTime() const { return unit == Unit::Time && isInTime; }
};

// At least one; the first one is shown if nothing else is chosen. Events are counted at the times that tracks have now.
std::vector<MeasuredValue> valuesOf(HostTimeline& timeline, std::stop_token stop = {});
// The channels that the call stacks of samples are in.
std::set<std::string> sampleChannels(HostTimeline& timeline, std::stop_token stop = {});
// One line about a value. `isOnly`: the trace has no other value, so the line leaves its name out.
Sentence verdictOf(HostTimeline& timeline, const MeasuredValue& value, bool isOnly, std::stop_token stop = {});

} // namespace analyser::host
