#include "simcore/codelets/pooling.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/conv_rows.h"
#include "simcore/codelets/op_costs.h"
#include "simcore/codelets/vertex_state.h"

#include <algorithm>

namespace simcore::codelets {

using reports::ceilDiv;

namespace {
constexpr int64_t kPerRow = 30, kSupervisor = 11;
}

VertexSpec poolingSpec(PoolKind kind, PoolPass pass, ElementType type, const PoolShape& shape) {
  // Rows are cut at the ends of the workers' shares. The lists hold the first row of each worker, the base addresses of each row,
  // and the runs of each row.
  const int64_t rows = worklistEntries(shape.rows, shape.rowLength) / 3;
  VertexState state;
  state.onePtr().onePtr();
  state.constantVector(6, 2).constantVector(2 * rows, 2);
  state.constantList(rows, rows * std::max<int64_t>(shape.kernelRows, 1) * 3, 2);
  for (int i = 0; i < 5; ++i) state.scalar(2);
  const bool max = kind == PoolKind::Max;
  if (max && pass == PoolPass::Backward) state.onePtr().onePtr(); // forward input and output
  const char* base = max ? (pass == PoolPass::Forward ? "MaxPooling" : "MaxPoolingGrad")
                         : (pass == PoolPass::Forward ? "SumPooling" : "SumPoolingGrad");
  return makeSpec(std::string("popnn::") + base + "<" + codeletTypeName(type) + ">", VertexKind::Multi, VertexFamily::Pooling,
                  codeBytes(CodeClass::ReduceGeneral), state);
}

// S + W x worst worker; a row of e positions costs, per kernel row, 30 + e x kernel columns x vectors x (3 | 5). An average also
// scales: one more cycle per output vector.
VertexCost pooling(const arch::TileArchitecture& tile, PoolKind kind, PoolPass pass, ElementType type, const PoolShape& shape) {
  const bool max = kind == PoolKind::Max;
  const int64_t kernel = std::max<int64_t>(shape.kernelRows, 0) * std::max<int64_t>(shape.kernelColumns, 0);
  if (shape.rows <= 0 || shape.rowLength <= 0 || shape.channels <= 0 || kernel == 0) return {Cycles(kSupervisor), Flops(0)};
  const int64_t vectors = ceilDiv(shape.channels, vectorWidth(tile, type));
  const int64_t each = max && pass == PoolPass::Backward ? 5 : 3, scaling = kind == PoolKind::Average ? 1 : 0;
  const WorkerSpread spread = spreadRows(shape.rows, shape.rowLength, tile.workers, kPerRow, [&](int64_t e) {
    return shape.kernelRows * (kPerRow + e * shape.kernelColumns * vectors * each) + e * vectors * scaling;
  });
  const int64_t outputs = shape.rows * shape.rowLength * shape.channels;
  const int64_t flops = pass == PoolPass::Forward ? outputs * (kernel - 1 + scaling) : outputs * (kernel + scaling);
  return {Cycles(kSupervisor + tile.workers * spread.worst), Flops(isFloatingOnDevice(type) ? flops : 0)};
}

} // namespace simcore::codelets
