// The steps of two execution traces that take longer in the other one, which shows where a run became slower. A step is
// identified by its path in the program, so the "exchange" of two layers are different steps.
#pragma once

#include "analyser/trace/slices.h"

namespace analyser::compare {

struct StepGrowth {
  // The execution whose duration grew most; the n-th execution in the base is compared with the n-th in the other. An empty range
  // if the report has none.
  struct Place {
    reports::TrackId track;
    int depth = 0;
    reports::TickRange ticks;
  };
  std::string name;                      // the path
  int64_t base = 0, other = 0;           // ticks of all executions on all tracks
  int64_t baseCount = 0, otherCount = 0; // executions
  Place inBase, inOther;
  int64_t difference() const { return other - base; }
  bool isNew() const { return inBase.ticks.empty(); }
};

// Steps are aligned by their path in the program (slices without one by name) and kind of activity; scopes, which only contain
// steps, are left out. Largest growth first.
std::vector<StepGrowth> slowerSteps(trace::Slices& base, trace::Slices& other, std::stop_token stop = {});

} // namespace analyser::compare
