// Runs the vertices of compute sets, tiles in parallel: lambdas on a view of their fields, compiled code on the object it expects. Its
// results, its errors and its times do not depend on the number of threads. The cycles of a vertex of compiled code are counted while
// it runs: once for all of a form, or every time if they depend on data.
#pragma once

#include "simcore/compile/compute_cost.h"
#include "simcore/run/edge_regions.h"
#include "simcore/run/step_way.h"
#include "simcore/run/tensor_store.h"
#include "simcore/run/vertex_faults.h"
#include "simcore/run/vertex_machine.h"
#include "simcore/run/vertex_plan.h"

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <unordered_map>

namespace simcore::run {

struct VertexOptions {
  bool estimatesWin = false;               // if a vertex has both an estimate and cycles counted from code
  int64_t maxInstructions = 1'000'000'000; // of one call of a body that counts, then Error: a second or two
};

// The sentence about a codelet that writes its Input `field`.
std::string writesAnInput(const std::string& codelet, const std::string& field);

class VertexRunner {
public:
  VertexRunner(const graph::Graph& graph, VertexOptions options) : m_graph(graph), m_options(options) {}

  // Null if the cost is known from compilation. Throws the error of the vertex with the lowest index that has one; results of
  // other vertices so far stay. `step`: the name in errors.
  std::shared_ptr<const StepCost> run(graph::ComputeSetId id, const std::string& step, TensorStore& tensors,
                                      const MachineNow& now, const std::stop_token& stop);

  // Codelets and their Inputs that they were seen to write, with the number of executions of a vertex in which it was seen.
  using WrittenInputs = std::map<std::pair<std::string, std::string>, int64_t>;
  const WrittenInputs& writtenInputs() const { return m_writtenInputs; }

private:
  // Whether what a vertex writes to an Input stays in its tensor, and when others see it.
  enum class InputStays : char { Unknown, No, AtOnce, AtTheEnd };
  struct Set {
    std::unique_ptr<VertexPlan> plan;
    bool dependsOnData = false, asksMachine = false;
    std::vector<const VertexMemory::Globals*> globals; // of the libraries of its vertices
    // Only filled for sets with counted vertices.
    std::vector<int64_t> cycles; // by vertex of the plan
    std::set<uint32_t> countedTypes;
    std::vector<int64_t> cyclesOfTile; // by tile of the plan
    compile::ComputeCost ofRuns;       // its library vertices
    std::deque<std::shared_ptr<const StepCost>> costs;
    std::unordered_multimap<std::size_t, int64_t> costsByHash;
    std::shared_ptr<const StepCost> last;
    // Made at the first write to an Input.
    std::optional<EdgeRegions> readers;
    std::vector<InputStays> inputStays; // by place of the plan
  };
  class Execution;
  Set& prepared(graph::ComputeSetId id, const VertexMemory& memory);
  static void price(Set& set, const graph::ComputeSet& given);

  const graph::Graph& m_graph;
  VertexOptions m_options;
  std::map<graph::ComputeSetId, Set> m_sets;
  WrittenInputs m_writtenInputs;
};

} // namespace simcore::run
