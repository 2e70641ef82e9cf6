// Plans again if tiles overflow, as users did by hand. Operations whose temporary data is live at the overflow get a smaller
// share of the tile's memory, then the whole program is planned and compiled again. A program is compiled only once if it fits,
// if its overflow has no planned operation, or if the operations could not give back enough.
#pragma once

#include "simcore/compile/compiler.h"
#include "simcore/graph/memory_shares.h"
#include "simcore/graph/workload.h"

#include <functional>
#include <optional>

namespace simcore::run {

struct Replanning {
  std::function<graph::Workload(const graph::MemoryShares&)> build; // the same workload with these shares; null: never plan again
  // Attempts per strategy: up to `most` with small reductions, `most` - 1 with strict ones, `most` per larger reserve when only a few bytes
  // are missing, up to 3 x `most` that give back free bytes, `most` that undo the most expensive reduction.
  int most = 3;
};

struct FittedProgram {
  std::optional<graph::Workload> workload; // if it was planned again
  compile::Executable executable;
  int plans = 1;              // number of compiled plans
  graph::MemoryShares shares; // shares of the plan taken
};

// Whether bytes between temporaries count as lost. The allocator closes most gaps if all live data fits at every step.
enum class Gaps { MayClose, Stay };

// Other plans have other exchange code, so a tile keeps 1/kReservePart of its memory free.
inline constexpr int64_t kReservePart = 128;

// Shares with which no tile would overflow if everything else stayed the same; empty if this is impossible or everything fits already.
// `known`: the shares of the current plan.
graph::MemoryShares sharesToFit(const compile::Executable& executable, const graph::MemoryShares& known = {},
                                Gaps gaps = Gaps::MayClose, int64_t reserve = kReservePart);

// The first plan that fits; else the very first plan, compiled once more (not counted in `plans`). If a plan fits, free bytes are
// given back, and the most expensive reduction is undone if its operation takes more than twice as long. Both are repeated while
// the program fits and the planners predict fewer cycles.
FittedProgram compileToFit(const graph::Workload& workload, const Replanning& replanning,
                           const std::function<compile::Executable(const graph::Workload&)>& compile);

} // namespace simcore::run
