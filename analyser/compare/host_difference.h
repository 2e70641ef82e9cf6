// The host's side of two reports: how often and how long each label ran, aligned by channel and label. Profiles of another value
// than time, e.g. the bytes of a heap, are compared by that value.
#pragma once

#include "analyser/compare/compare.h"
#include "analyser/host/host_timeline.h"

namespace analyser::compare {

struct HostDifference {
  std::string value; // the value that both profiles measure, e.g. inuse_space; empty: time
  Unit unit = Unit::Seconds;
  // Nanoseconds from the first to the last slice, instant or sample. Of another value: its sum over all stacks.
  int64_t base = 0, other = 0;
  std::vector<LabelDifference> labels; // all labels of both traces, largest absolute difference first
  Sentence verdict;
};
HostDifference hostDifference(Session& base, Session& other, std::stop_token stop = {});

} // namespace analyser::compare
