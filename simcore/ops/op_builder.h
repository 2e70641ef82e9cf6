// The environment of every op: the graph, the sequence to which it appends, and its debug context. Ops plan, create outputs with
// a layout, and append exchanges and compute sets. Their numbers are one kernel on whole tensors, attached once by the owner of
// the operation (the op itself, or a model node made of several ops). A builder covers the tiles of its graph on one IPU:
// planners see a machine with only these tiles, and everything they lay out or add is on `tileRange()`, which uses the machine's
// tile numbers even if the graph is virtual.
#pragma once

#include "simcore/codelets/vertex_cost.h"
#include "simcore/graph/graph.h"
#include "simcore/graph/memory_shares.h"
#include "simcore/ops/plan/cheapest.h"
#include "simcore/ops/plan/plan_facts.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace simcore::ops {

using graph::Distribution;
using graph::Graph;
using graph::HostKernel;
using graph::MemoryShares;
using graph::PerTile;
using graph::Sequence;
using graph::Shape;
using graph::Tensor;
using graph::TileRange;
using graph::Traffic;
using numerics::ElementType;
using reports::DebugContextId;

class OpBuilder {
public:
  // `withNumbers` false: ops only append time and the caller attaches the numbers with compute(). `ipu` counts the IPUs on which
  // the graph has tiles. Throws Error(InvalidInput) if the graph has no tiles there, or if they are not adjacent.
  OpBuilder(Graph& graph, Sequence& program, DebugContextId context, bool withNumbers = true, int ipu = 0);

  // A builder for a new debug context of layer "library" inside this one; `kind` is the library call, e.g. "convolution".
  OpBuilder within(const std::string& name, const std::string& kind) const;
  OpBuilder timeOnly() const;
  OpBuilder onIpu(int ipu) const; // an IPU of the machine
  // A builder with another share of a tile's memory for temporary data, from 0 to 1.
  OpBuilder withAvailableMemory(double proportion) const;
  OpBuilder withMemoryShares(std::shared_ptr<const MemoryShares> shares) const;
  OpBuilder into(Sequence& program) const { return OpBuilder(*this, program, m_context); }

  Graph& graph() const { return m_graph; }
  Sequence& program() const { return m_program; }
  DebugContextId context() const { return m_context; }
  bool withNumbers() const { return m_withNumbers; }
  // Whether numbers must be computed tile by tile, as cut by the plan.
  bool byCells() const { return m_withNumbers && m_graph.vertexByVertex(); }
  // The machine for planners: an IPU has tiles() tiles.
  const arch::Machine& machine() const { return m_machine ? *m_machine : m_graph.machine(); }
  const arch::TileArchitecture& tile() const { return m_graph.machine().tile; }
  int ipu() const { return m_ipu; } // number of the IPU in the machine
  // The share of a tile's memory that the plan of an op may use for temporary data: `asked` (default: the share of the builder), or
  // less if this operation has its own share.
  double availableMemoryProportion(std::optional<double> asked = {}) const;
  int64_t tiles() const { return m_tiles.size(); }
  TileRange tileRange() const { return m_tiles; }
  // A column with one value for each tile of the IPU.
  PerTile perTile(std::span<const int64_t> values) const { return PerTile::fromDense(values, tileRange().begin); }

  Tensor output(ElementType type, const Shape& shape, const std::string& name, const Distribution& layout) const;
  // A buffer with a size per tile from the planner; `type` only names the elements.
  Tensor buffer(ElementType type, const std::string& name, const PerTile& bytes, reports::MemoryCategory category,
                bool interleaved = false) const;
  // The layout of a tensor for planning: exact for a whole variable with a Distribution, else an estimate: linear, over as many
  // tiles as hold its variables (for a small view: as hold the view). An unmapped variable is mapped linearly first.
  Distribution layoutOf(const Tensor& tensor) const;
  Distribution linear(int64_t elements, ElementType type) const;
  // Spreads a whole variable over the tiles of the IPU.
  void mapLinearly(const Tensor& variable) const;
  // For ops that compute on the tiles of an operand: the tensor, or a copy on these tiles if a virtual graph has it elsewhere.
  Tensor local(const Tensor& tensor) const;
  // For ops that write a tensor in place. Throws Error(InvalidInput) naming it if a virtual graph has it elsewhere.
  void requireLocal(const Tensor& tensor) const;

  // Attaches the numbers of the whole operation, if this builder has numbers.
  void compute(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs, HostKernel kernel) const;
  // Adds a row to the report's plans for this op; `details` in the order in which the report has them.
  void recordPlan(const std::string& method, const std::string& text, const PlanFacts& details, const PlanCost& cost) const;
  void exchange(const std::string& name, const std::vector<Tensor>& from, const std::vector<Tensor>& to, const Traffic& traffic,
                const PerTile& copyCycles = {}, int64_t copyRuns = 1, std::vector<graph::VariableMove> moves = {}) const;
  // Traffic from `source` to boxes on these tiles (graph::trafficTo), or to a number of elements per tile (graph::trafficBlind).
  Traffic trafficTo(const Distribution& source, const std::vector<graph::Box>& boxes, int64_t firstTile,
                    int64_t elementBytes) const {
    return graph::trafficTo(source, boxes, firstTile, m_tiles, elementBytes, m_graph.machine().tilesPerIpu, m_graph.keepsPairs());
  }
  Traffic trafficBlind(const Distribution& source, const PerTile& elementsNeeded, int64_t elementBytes,
                       const graph::Takers& takers = {}) const {
    return graph::trafficBlind(source, elementsNeeded, elementBytes, m_graph.machine().tilesPerIpu, takers, m_graph.keepsPairs());
  }
  // Traffic from tensors that may be laid out row by row: tiles need `elements` of them, namely those of their boxes.
  Traffic trafficTo(const Distribution& source, const Shape& shape, const std::vector<graph::Box>& boxes, int64_t firstTile,
                    const PerTile& elements, int64_t elementBytes) const;
  Traffic trafficInOrder(const Distribution& source, const Distribution& target, int64_t elementBytes) const {
    return graph::trafficInOrder(source, target, elementBytes, m_graph.machine().tilesPerIpu, m_graph.keepsPairs());
  }

private:
  OpBuilder(const OpBuilder& other, Sequence& program, DebugContextId context)
      : m_graph(other.m_graph), m_program(program), m_context(context), m_withNumbers(other.m_withNumbers), m_ipu(other.m_ipu),
        m_availableMemory(other.m_availableMemory), m_shares(other.m_shares), m_tiles(other.m_tiles), m_machine(other.m_machine) {
  }
  void place();
  bool isForeign(const Tensor& tensor) const;

  Graph& m_graph;
  Sequence& m_program;
  DebugContextId m_context;
  bool m_withNumbers;
  int m_ipu;
  double m_availableMemory = kAvailableMemoryProportion;
  std::shared_ptr<const MemoryShares> m_shares; // null: none
  TileRange m_tiles;
  std::shared_ptr<const arch::Machine> m_machine; // the machine that a virtual graph sees; else null
};

// A compute set that is filled with runs of library vertices and executed at the end.
class Superstep {
public:
  Superstep(const OpBuilder& builder, const std::string& name);
  void add(const codelets::VertexSpec& spec, const codelets::VertexCost& cost, TileRange tiles, int64_t perTile = 1);
  // One call per run of equal values; `f(value)` returns the spec and cost of a tile with this value.
  template<class F> void forEachRun(const PerTile& values, F f) {
    for (const auto& r : values.runs()) {
      const auto [spec, cost] = f(r.value);
      add(spec, cost, r.tiles);
    }
  }
  void copies(); // marks on-tile copies instead of compute
  void execute(const std::vector<Tensor>& reads, const std::vector<Tensor>& writes);

private:
  const OpBuilder& m_builder;
  graph::ComputeSetId m_set;
};

// A kernel with one result, from a function that computes it.
template<class F> HostKernel oneResult(F f) {
  return [f = std::move(f)](const std::vector<numerics::HostTensor>& in) { return std::vector<numerics::HostTensor>{f(in)}; };
}

// oneResult() if ops compute numbers vertex by vertex. Else no kernel, because the kernel of the whole operation has the numbers.
template<class F> HostKernel partKernel(const OpBuilder& builder, F f) {
  return builder.byCells() ? oneResult(std::move(f)) : HostKernel{};
}
// Computes each element of the result from the elements of the inputs at the same position: in f(x), x(i) is the element of input
// i. The result has the type of the input `like`. For partKernel() and oneResult().
template<class F> auto eachElement(F f, std::size_t like = 0) {
  return [f = std::move(f), like](const std::vector<numerics::HostTensor>& in) {
    std::vector<double> out;
    for (int64_t at = 0; at < in[0].count(); ++at) out.push_back(double(f([&](std::size_t i) { return in[i].at(at); })));
    return numerics::HostTensor::of(in[0].shape(), out).cast(in[like].type());
  };
}

// Bytes of an element on the machine.
inline int64_t elementBytes(ElementType type) { return int64_t(numerics::deviceSize(type)); }
inline int64_t elementBytes(const Tensor& t) { return elementBytes(t.elementType()); }

} // namespace simcore::ops
