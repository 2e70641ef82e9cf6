// The values of all variables while a program runs, in host memory and logical order. Half variables are stored as floats that a
// half can represent exactly, so kernels are fast and rounding is the machine's. Variables that user vertices access are in the
// memory of vertices instead, in the machine's format.
#pragma once

#include "simcore/graph/edge_view.h"
#include "simcore/graph/graph.h"
#include "simcore/graph/lasting_kernel.h"
#include "simcore/run/vertex_memory.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace simcore::run {

class TensorStore {
public:
  // `checkReads`: reading an element that was never written is an error. `seed`: for stochastic rounding and random numbers.
  // `runsVertices`: false if no vertex will run.
  explicit TensorStore(const graph::Graph& graph, bool checkReads = false, uint64_t seed = 0, bool runsVertices = true);

  // Selects the replica whose values these are; by default the first.
  void setReplica(std::size_t replica);
  // Elements of a view in its row-major order; never-written variables read as zero.
  numerics::HostTensor read(const graph::Tensor& view) const;
  numerics::HostTensor peek(const graph::Tensor& view) const; // like read(), but never an error
  // Converts to the variable's type; element count must match the view (throws Error(InvalidInput)).
  void write(const graph::Tensor& view, const numerics::HostTensor& value);
  // Stores results of arithmetic, rounded to half as the floating-point behaviour says.
  void writeResult(const graph::Tensor& view, const numerics::HostTensor& value);
  // Rounds in place results that are stored elsewhere; `number`: from reserveResults.
  void roundResult(std::span<float> halves, uint64_t number) const;
  uint64_t reserveResults(int64_t count);
  VertexMemory& vertexMemory() { return m_vertexMemory; }
  // For callers that access views through vertexMemory(): they check and record the elements themselves.
  bool checksReads() const { return m_checkReads; }
  void requireWritten(const graph::EdgeView& view) const;
  void noteWritten(const graph::EdgeView& view);
  // Makes the elements undefined.
  void forget(const graph::Tensor& view);

  void setFloatingPoint(const graph::FloatingPointBehaviour& behaviour) { m_floatingPoint = behaviour; }
  const graph::FloatingPointBehaviour& floatingPoint() const { return m_floatingPoint; }
  // The state of a step with a LastingKernel; empty before its first execution.
  graph::LastingState& stateOf(const graph::ProgramNode& step) {
    ++m_remembered;
    return m_states.try_emplace(&step, graph::LastingState{{}, m_seed, m_vertexMemory.replica}).first->second;
  }
  // Whether a run continues in the same manner from both states: all values are equal, and no random number was drawn in between.
  bool sameAs(const TensorStore& other) const;
  // Sets the step that is named in errors about values.
  void setWhere(const std::string& step) {
    if (m_checkReads) m_where = step;
  }

private:
  void give(graph::VariableId id, const numerics::HostTensor& given); // sets a variable's initial value
  numerics::HostTensor& value(graph::VariableId id) const;            // the value of a variable outside the memory of vertices
  void keep(const graph::Tensor& view, const numerics::HostTensor& given, const numerics::HostTensor& converted);
  void requireKnown(const graph::Tensor& view) const;
  void load(const graph::Region& region, graph::ElementType type, std::byte* to) const;
  void store(const graph::Region& region, graph::ElementType type, const std::byte* from);
  bool roundsSpecially() const { return m_floatingPoint.esr || m_floatingPoint.nanoo; }

  const graph::Graph* m_graph;
  mutable std::vector<numerics::HostTensor> m_values;
  mutable std::vector<bool> m_present;
  bool m_checkReads;
  VertexMemory m_vertexMemory;
  std::vector<std::vector<bool>> m_written; // by variable and element, if reads are checked
  graph::FloatingPointBehaviour m_floatingPoint;
  uint64_t m_seed, m_results = 0;
  std::map<const graph::ProgramNode*, graph::LastingState> m_states;
  int64_t m_remembered = 0; // number of calls of stateOf()
  std::string m_where;
};

} // namespace simcore::run
