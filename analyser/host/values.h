// What the call stacks of a trace measure: time, or the values of a profile, e.g. the objects and bytes of a heap, or the events of
// perf. Figures are about one value at a time, because a sum of objects and bytes means nothing.
#pragma once

#include "analyser/session/sentence.h"
#include "analyser/trace/call_tree.h"

#include <set>
#include <string>
#include <vector>

namespace analyser::host {

class HostTimeline;

struct MeasuredValue {
  enum class Unit : uint8_t { Time, Bytes, Count };
  std::string id;   // name of its channel, for links; empty: slices of threads, and samples that name no value
  std::string name; // "inuse_space"
  Unit unit = Unit::Time;
  int64_t ticksPerUnit = 1;
  bool isInTime = true; // false: stacks are side by side, without times
  std::vector<trace::CalledTrack> tracks;

  int64_t amount(int64_t ticks) const { return ticks / ticksPerUnit; } // nanoseconds, bytes, or a count
};

// At least one; the first one is shown if nothing else is chosen.
std::vector<MeasuredValue> valuesOf(HostTimeline& timeline, std::stop_token stop = {});
// The channels that the call stacks of samples are in.
std::set<std::string> sampleChannels(HostTimeline& timeline, std::stop_token stop = {});
// One line about a value; `isOnly`: there is no other one, so its name says nothing.
Sentence verdictOf(HostTimeline& timeline, const MeasuredValue& value, bool isOnly, std::stop_token stop = {});

} // namespace analyser::host
