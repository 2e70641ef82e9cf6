// Detects loops that stand still: if an iteration changes no value, all following iterations do the same, so their numbers and
// the times of their vertices are known. Benchmarks often are such loops, which repeat the same work a thousand times. Reports do
// not change, because each iteration is recorded.
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
  // The counted costs of the steps of one iteration, in order.
  using Costs = std::vector<std::shared_ptr<const StepCost>>;

  StillLoops(const compile::LoweredProgram& program, const graph::Graph& graph) : m_program(program), m_graph(graph) {}

  // Whether the iterations of a Repeat depend only on variables: they copy data, run library operations, and run compiled
  // codelets that do not ask for random numbers, the clock or output.
  bool canStandStill(int repeat);
  // Whether an iteration is compared with the one before. Only few are, to save time, and only after the iterations in which
  // codelets are guarded.
  static bool isCompared(int64_t iteration, int64_t iterations) {
    constexpr int64_t kFirst = 3, kWorthwhile = 4;
    return iteration >= kFirst && ((iteration + 1) & iteration) == 0 && iterations - iteration > kWorthwhile;
  }

  struct Still {
    int repeat = -1;
    TensorStore first;
    std::vector<TensorStore> others; // values of the other replicas
    Costs costs;
  };
  // Copies the values before an iteration. nullopt if there is too little memory for the copy.
  static std::optional<Still> before(int repeat, const TensorStore& first, const std::vector<TensorStore>& others);
  // Compares the values after the iteration. Null if a value has changed.
  const Still* compared(Still before, const TensorStore& first, const std::vector<TensorStore>& others);
  // The last loop that stood still, if it is `repeat` and all values are the same as then; else null.
  const Still* standing(int repeat, const TensorStore& first, const std::vector<TensorStore>& others);

private:
  bool dependsOnVariables(int step) const;
  const Still* keptIf(bool same, int repeat);

  const compile::LoweredProgram& m_program;
  const graph::Graph& m_graph;
  std::map<int, bool> m_can;    // by step
  std::map<int, int> m_changed; // comparisons in which a value had changed, by step
  std::optional<Still> m_still; // the last loop that stood still
};

} // namespace simcore::run
