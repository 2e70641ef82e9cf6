// Lifetimes and bytes of all variables of a scope, read once: each step is then computed from memory, even with a million steps.
// About 80 bytes per variable; names are read only for the variables in a result.
#pragma once

#include "analyser/liveness/intervals.h"
#include "analyser/liveness/liveness.h"
#include "analyser/session/debug_contexts.h"

namespace analyser::liveness {

// The order of tables: largest first; ties: the first in the report.
inline bool larger(const LiveVariable& a, const LiveVariable& b) {
  return std::tie(b.bytes, a.variable) < std::tie(a.bytes, b.variable);
}

// A variable that is live at some of a range of steps.
struct LiveInRange {
  LiveVariable variable;          // `live` reaches from the first interval that overlaps the range to the last one
  int64_t births = 0, deaths = 0; // number of its intervals that begin in the range, and that end in it
};
struct LiveRange {
  reports::Range<int64_t> steps;
  std::vector<LiveInRange> variables; // not always live, largest first
  Bytes bytes;                        // sum over `variables`; they need not be live at the same time
  int64_t births = 0, deaths = 0;
  Bytes peak; // largest value of the curve in the range, without always-live variables
  int64_t peakStep = 0;
};

class LifeIndex {
public:
  explicit LifeIndex(Session& session, const ScopeBytes& scope = {}, std::stop_token stop = {});

  // Variables that are always live, largest first, and their sum.
  const std::vector<LiveVariable>& alwaysLive() const { return m_alwaysLive; }
  Bytes alwaysLiveBytes() const { return m_alwaysLiveBytes; }
  // Variables live at a step but not always; leaves `alwaysLive` empty. `session` must be the session given to the constructor.
  LiveAtStep at(Session& session, int64_t step, std::stop_token stop = {}) const;

  // Variables live at some of the steps but not always. `curve` has the scope of the index.
  LiveRange during(Session& session, reports::Range<int64_t> steps, const Curve& curve, std::stop_token stop = {}) const;

  // Bytes of a variable in the scope; 0 if it is unknown.
  Bytes bytesOf(reports::VariableId variable) const;
  // Half-open, ascending; empty if the variable is always live or unknown.
  std::span<const Interval> intervalsOf(reports::VariableId variable) const;

private:
  struct Life {
    reports::VariableId variable;
    std::size_t firstInterval = 0, intervals = 0;
    Bytes bytes, maxTile;
    int64_t tiles = 0, name = 0;
    std::optional<int64_t> debugContext;
    reports::MemoryCategory category{};
  };
  void add(Session& session, const reports::VariableRow& row, const ScopeBytes& scope);
  LiveVariable variableOf(Session& session, const Life& life) const;
  std::span<const Interval> intervalsOf(const Life& life) const {
    return std::span(m_intervals).subspan(life.firstInterval, life.intervals);
  }
  const Life* find(reports::VariableId variable) const;

  OperationNames m_operations;
  std::vector<Life> m_lives; // by variable
  std::vector<Interval> m_intervals;
  std::vector<LiveVariable> m_alwaysLive;
  Bytes m_alwaysLiveBytes;
};

} // namespace analyser::liveness
