// The common form of all planners of library ops: a planner makes candidates, estimates the cost of each on the slowest tile, and
// keeps the cheapest. A candidate that needs more memory than allowed is chosen only if no other candidate fits.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace simcore::ops {

// The share of a tile's memory for the temporary data of an op (availableMemoryProportion of poplibs).
inline constexpr double kAvailableMemoryProportion = 0.6;

struct PlanCost {
  int64_t cycles = 0, temporaryBytes = 0;
  bool fits = true;   // within the allowed memory
  int64_t lesser = 0; // last criterion if all others are equal: smaller is better

  // Order of preference: plans that fit come first; then fewer cycles, or fewer bytes if neither fits.
  friend bool operator<(const PlanCost& a, const PlanCost& b) {
    if (a.fits != b.fits) return a.fits;
    if (!a.fits) return std::tie(a.temporaryBytes, a.cycles, a.lesser) < std::tie(b.temporaryBytes, b.cycles, b.lesser);
    return std::tie(a.cycles, a.temporaryBytes, a.lesser) < std::tie(b.cycles, b.temporaryBytes, b.lesser);
  }
};

// Estimated costs of a candidate. It is the base of all plans, so that cycles, memory and their comparison are defined once. A plan
// with further costs hides cycles() and cost().
struct PlanEstimate {
  // Sums over all iterations. `exchange` is the transfer of operands; `reduce` is all work on partial sums, with their exchange.
  int64_t exchangeCycles = 0, transformCycles = 0, computeCycles = 0, reduceCycles = 0;
  int64_t temporaryBytes = 0;
  bool fits = true; // within the allowed memory

  int64_t cycles() const { return exchangeCycles + transformCycles + computeCycles + reduceCycles; }
  PlanCost cost(int64_t lesser = 0) const { return {cycles(), temporaryBytes, fits, lesser}; }
};

// The cheapest of the candidates offered so far, the first of equal ones. A `Plan` has PlanCost cost() const.
template<class Plan> class Cheapest {
public:
  void offer(const Plan& plan) { offer(plan, plan.cost()); }
  void offer(const Plan& plan, const PlanCost& cost) {
    if (m_found && !(cost < m_cost)) return;
    m_plan = plan;
    m_cost = cost;
    m_found = true;
  }
  bool found() const { return m_found; }
  // Only meaningful if found().
  const PlanCost& cost() const { return m_cost; }
  // Throws std::logic_error without a candidate.
  const Plan& plan() const {
    if (!m_found) throw std::logic_error("a planner had no candidate");
    return m_plan;
  }

private:
  Plan m_plan;
  PlanCost m_cost;
  bool m_found = false;
};

} // namespace simcore::ops
