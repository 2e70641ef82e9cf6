// The host's side of two reports: how often and how long each label ran, aligned by channel and label.
#pragma once

#include "analyser/compare/compare.h"
#include "analyser/host/host_timeline.h"

namespace analyser::compare {

struct HostDifference {
  Nanoseconds base, other;             // from the first to the last slice, instant or sample
  std::vector<LabelDifference> labels; // all labels of both traces, largest absolute difference first
  Sentence verdict;
};
HostDifference hostDifference(Session& base, Session& other, std::stop_token stop = {});

} // namespace analyser::compare
