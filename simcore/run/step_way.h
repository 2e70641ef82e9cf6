// How an execution of a step differs from the compiled step.
#pragma once

#include "simcore/graph/per_tile.h"

#include <compare>
#include <map>
#include <memory>

namespace simcore::run {

// The counted cost of one execution of a compute set; executions of equal cost share one.
struct StepCost {
  int64_t number = 0; // from 0, per compute set
  graph::PerTile cycles;
  int64_t duration = 0, workerCycles = 0;
  std::map<uint32_t, int64_t> ofTypes; // worker cycles by vertex type, for types whose vertices are counted
};

struct StepWay {
  int64_t wait = 0;                               // additional cycles of waiting
  int64_t times = 1;                              // iterations of a folded loop that are one slice
  std::shared_ptr<const StepCost> cost = nullptr; // null: as compiled
  bool operator==(const StepWay& o) const { return (*this <=> o) == 0; }
  std::strong_ordering operator<=>(const StepWay& o) const {
    const auto number = [](const StepWay& w) { return w.cost ? w.cost->number : -1; };
    if (const auto c = wait <=> o.wait; c != 0) return c;
    if (const auto c = times <=> o.times; c != 0) return c;
    return number(*this) <=> number(o);
  }
};

} // namespace simcore::run
