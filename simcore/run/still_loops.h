// Loops that stand still: an iteration that leaves every value as it found it is repeated by all that follow, so their numbers and the times of
// their vertices are known. Benchmarks are such loops: they do the same work a thousand times. Reports do not differ: each iteration is
// recorded.
#pragma once

#include "simcore/compile/lowered_program.h"
#include "simcore/run/step_way.h"
#include "simcore/run/tensor_store.h"

#include <map>
#include <optional>
#include <vector>

namespace simcore::run {

class StillLoops {
public:
  // Counted cycles of the steps of one iteration, in order.
  using Costs = std::vector<std::shared_ptr<const StepCost>>;

  StillLoops(const compile::LoweredProgram& program, const graph::Graph& graph) : m_program(program), m_graph(graph) {}

  // Whether the iterations of a Repeat depend on variables alone: they copy and run compiled codelets, which ask for no random number,
  // clock or output.
  bool canStandStill(int repeat);
  // Iterations that are compared with the one before: few enough to cost little, and after those in which codelets are guarded.
  static bool isCompared(int64_t iteration, int64_t iterations) {
    constexpr int64_t kFirst = 3, kWorthwhile = 4;
    return iteration >= kFirst && ((iteration + 1) & iteration) == 0 && iterations - iteration > kWorthwhile;
  }

  struct Still {
    int repeat = -1;
    TensorStore first;
    std::vector<TensorStore> others; // of the other replicas
    Costs costs;
  };
  // Copies the values before an iteration. Empty if there is no memory for the copy.
  static std::optional<Still> before(int repeat, const TensorStore& first, const std::vector<TensorStore>& others);
  // After that iteration: null if a value has changed.
  const Still* compared(Still before, const TensorStore& first, const std::vector<TensorStore>& others);
  // The same for a loop that begins with the values at which it stood still the last time.
  const Still* standing(int repeat, const TensorStore& first, const std::vector<TensorStore>& others);

private:
  bool dependsOnVariables(int step) const;
  const Still* keptIf(bool same, int repeat);

  const compile::LoweredProgram& m_program;
  const graph::Graph& m_graph;
  std::map<int, bool> m_can;    // by step
  std::map<int, int> m_changed; // comparisons in vain, by step
  std::optional<Still> m_still; // the last loop that stood still
};

} // namespace simcore::run
