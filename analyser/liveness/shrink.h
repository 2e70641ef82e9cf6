// The parts of the peak, and by how much the peak would fall without each: the answer to "what must shrink to fit". A part that
// is alive only beside others of equal size at another step gains little: the peak moves there.
#pragma once

#include "analyser/liveness/liveness.h"

namespace analyser::liveness {

struct ShrinkPart {
  std::string title; // of the category
  reports::MemoryCategory category{};
  Bytes alwaysLive, atPeak; // at the peak step; atPeak is not always live
  Bytes gain;               // by how much the peak falls without the category
};
struct Shrink {
  Bytes peak, capacity;          // of the scope, always-live memory included
  Bytes excess;                  // peak - capacity; below 0: what is spare
  std::vector<ShrinkPart> parts; // largest gain first; the bytes sum to the peak as far as the report knows its variables
  Sentence verdict;
};
// `curve` and `scope` are of the same tiles.
Shrink shrinkOf(Session& session, const Curve& curve, const ScopeBytes& scope, std::stop_token stop = {});

// By how much the peak of the curve falls without each of the variables; 0 for one that the scope does not hold.
std::vector<Bytes> gainsOf(Session& session, const Curve& curve, const ScopeBytes& scope,
                           const std::vector<LiveVariable>& variables, std::stop_token stop = {});

} // namespace analyser::liveness
