// For each category, the bytes at the peak and the reduction of the peak without it: shows what must shrink to make the program
// fit. The reduction is small if, without the category, another step needs nearly as much as the peak.
#pragma once

#include "analyser/liveness/life_index.h"
#include "analyser/liveness/liveness.h"

#include <memory>

namespace analyser::liveness {

struct ShrinkPart {
  std::string title; // of the category
  reports::MemoryCategory category{};
  Bytes alwaysLive, atPeak; // at the peak step; atPeak excludes always-live bytes
  Bytes gain;               // reduction of the peak without the category
};
struct Shrink {
  Bytes peak, capacity;          // of the scope, always-live memory included
  Bytes excess;                  // peak - capacity; below 0: unused memory
  std::vector<ShrinkPart> parts; // largest gain first; the bytes sum to the peak if the report has all its variables
  Sentence verdict;
};
// `curve` and `scope` are for the same tiles.
Shrink shrinkOf(Session& session, const Curve& curve, const ScopeBytes& scope, std::stop_token stop = {});

// The reduction of a curve's peak without a variable.
class Gains {
public:
  // `lives` and `curve` are for the same tiles.
  Gains(std::shared_ptr<const LifeIndex> lives, const Curve& curve);
  // In the order of the variables; 0 for a variable that is not on the tiles.
  std::vector<Bytes> of(const std::vector<LiveVariable>& variables) const;

private:
  // The largest value in any range of steps, in logarithmic time: a tree of maxima. 0 for an empty range.
  Bytes most(int64_t begin, int64_t end) const;

  std::shared_ptr<const LifeIndex> m_lives;
  Bytes m_peak;
  std::size_t m_steps;
  std::vector<Bytes> m_tree;
};

} // namespace analyser::liveness
