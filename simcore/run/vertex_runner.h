// Runs the vertices of compute sets, tiles in parallel: lambdas on a view of their fields, compiled code on the object it
// expects. Results, errors and times do not depend on the number of threads. The cycles of compiled code are counted while it
// runs: once per form, or every time if they depend on data.
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
  bool estimatesWin = false;               // the estimate counts if a vertex also has cycles counted from code
  bool zerosBeside = false;                // a read beside a field gets zeros, a write is lost, with a warning; else errors
  int64_t maxInstructions = 1'000'000'000; // per call of a counting body (a second or two); more are an error
};

// The sentence about a codelet that writes its Input `field`.
std::string writesAnInput(const std::string& codelet, const std::string& field);
// The sentences about a codelet that reads or writes beside `field`, or beside its own members if that is empty.
std::string readsBeside(const std::string& codelet, const std::string& field);
std::string writesBeside(const std::string& codelet, const std::string& field);

class VertexRunner {
public:
  VertexRunner(const graph::Graph& graph, VertexOptions options) : m_graph(graph), m_options(options) {}

  // Null if the cost is known from compilation. If vertices fail, throws the error of the one with the lowest index; results of
  // other vertices so far stay. `step`: the name in errors.
  std::shared_ptr<const StepCost> run(graph::ComputeSetId id, const std::string& step, TensorStore& tensors,
                                      const MachineNow& now, const std::stop_token& stop);

  // Codelets and their Inputs that were written, with the number of vertex executions in which this happened.
  using WrittenInputs = std::map<std::pair<std::string, std::string>, int64_t>;
  const WrittenInputs& writtenInputs() const { return m_writtenInputs; }
  // Codelets and their fields beside which they read or wrote, with `zerosBeside`.
  using FieldsBeside = std::set<std::pair<std::string, std::string>>;
  const FieldsBeside& readsBeside() const { return m_readsBeside; }
  const FieldsBeside& writesBeside() const { return m_writesBeside; }

private:
  // Whether a value written to an Input stays in its tensor, and when others see it.
  enum class InputStays : char { Unknown, No, AtOnce, AtTheEnd };
  struct Set {
    std::unique_ptr<VertexPlan> plan;
    bool dependsOnData = false, asksMachine = false;
    std::vector<const VertexMemory::Globals*> globals; // of the libraries of its vertices
    // Only filled for sets with counted vertices.
    std::vector<int64_t> cycles; // by vertex of the plan
    std::set<uint32_t> countedTypes;
    std::vector<int64_t> cyclesOfTile; // by tile of the plan
    compile::ComputeCost ofRuns;       // cost of its library vertices
    std::deque<std::shared_ptr<const StepCost>> costs;
    std::unordered_multimap<std::size_t, int64_t> costsByHash;
    std::shared_ptr<const StepCost> last;
    // Made when an Input is first written.
    std::optional<EdgeRegions> readers;
    std::vector<InputStays> inputStays; // by position of the plan
  };
  class Execution;
  Set& prepared(graph::ComputeSetId id, const VertexMemory& memory);
  static void price(Set& set, const graph::ComputeSet& given);

  const graph::Graph& m_graph;
  VertexOptions m_options;
  std::map<graph::ComputeSetId, Set> m_sets;
  WrittenInputs m_writtenInputs;
  FieldsBeside m_readsBeside, m_writesBeside;
};

} // namespace simcore::run
