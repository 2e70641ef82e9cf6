// The stages of reductions: the tiles of partials, the exchange, the tiles of outputs. All stages are planned before any is
// appended to a program, so that several reductions can share the compute sets of their stages (popops' reduceMany).
#pragma once

#include "simcore/codelets/reduce.h"
#include "simcore/ops/op_builder.h"
#include "simcore/ops/reduce/reduce.h"

#include <functional>
#include <string>
#include <vector>

namespace simcore::ops {

struct ReduceStage {
  struct Gather { // exchanged before the stage
    std::string name;
    Tensor from, to;
    Traffic traffic;
  };
  struct Vertices {
    codelets::VertexSpec spec;
    codelets::VertexCost cost;
    TileRange tiles;
    int64_t perTile = 1;
  };
  std::string name;
  std::vector<Gather> gathers;
  std::vector<Vertices> vertices;
  std::vector<Tensor> reads;
  Tensor out;
};

class ReduceLowering {
public:
  // `scale` is one value on the machine, required if `types.scale`; the builder must outlive the lowering.
  ReduceLowering(const OpBuilder& builder, const codelets::ReduceTypes& types, const Tensor& scale = {});

  // Plans the reduction of `axes`. Outputs go into `given`, with its mapping, or into a new tensor of `outShape`, which has the
  // mapping of `near` if that is valid and the outputs leave the tiles of their partials anyway.
  Tensor plan(const Tensor& x, const std::vector<std::size_t>& axes, const Shape& outShape, const Tensor& given,
              OutputPlace place, const Tensor& near = {});
  const std::vector<ReduceStage>& stages() const { return m_stages; }
  // Partials that the middle stage combines at once; 1 without a middle stage.
  int64_t group() const { return m_group; }

  struct Split;

private:
  void record(const Split& split, int stages) const;
  void partialsAreOutputs();
  Tensor partialStage(const Tensor& x, const Distribution& layout, const Split& split);
  void stage(const std::string& name, std::vector<Tensor> reads, const Tensor& out, const PerTile& elements, int64_t outputs,
             int64_t partials, bool outputsInnermost, bool last);
  // `rowOutputs`: elements from one row of partials to the next, if the outputs are innermost.
  void workers(ReduceStage& stage, TileRange tiles, int64_t outputs, int64_t partials, bool outputsInnermost, bool last,
               int64_t rowOutputs);
  void finish(ReduceStage& stage);
  // Returns the sender/receiver pairs for the bytes that tiles receive.
  using PairsOf = std::function<graph::SharedPairs(const PerTile&)>;
  PairsOf inOrder(const Tensor& from, const Tensor& out, int64_t ways) const;
  void gatherStage(const std::string& name, const Tensor& from, const Tensor& out, int64_t ways, bool last,
                   const PairsOf& pairsOf);

  const OpBuilder& m_b;
  codelets::ReduceTypes m_types;
  Tensor m_scale;
  codelets::ReduceTypes m_last; // types of the last stage, which computes the outputs, and may scale and update
  std::vector<ReduceStage> m_stages;
  int64_t m_group = 1, m_cycles = 0, m_slowest = 0;
};

// Appends the stages of all reductions, with equal stage numbers in one compute set.
void emitStages(const OpBuilder& builder, const std::vector<ReduceLowering>& reductions);

} // namespace simcore::ops
