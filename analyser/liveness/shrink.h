// The parts of the peak, and by how much the peak would fall without each: the answer to "what must shrink to fit". The gain
// of a part is small if other parts are about as large at another step: the peak moves there.
#pragma once

#include "analyser/liveness/life_index.h"
#include "analyser/liveness/liveness.h"

#include <memory>

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

// By how much the peak of a curve falls without a variable.
class Gains {
public:
  // `lives` and `curve` are of the same tiles.
  Gains(std::shared_ptr<const LifeIndex> lives, const Curve& curve);
  // In the order of the variables; 0 for one that the tiles do not hold.
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
