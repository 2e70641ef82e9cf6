// Reduction vertices. The planner chooses one by the memory layout of an output's partials on the tile; each function here
// returns the cost of one vertex. Source: ipu-reference 9.3 (poplibs reduction CycleEstimationFunctions).
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/codelets/vertex_cost.h"
#include "simcore/numerics/element_type.h"

namespace simcore::codelets {

using numerics::ElementType;

enum class ReduceOp { Add, SquareAdd, Multiply, Maximum, Minimum, LogicalAnd, LogicalOr, LogAdd };
const char* reduceOpName(ReduceOp op);

struct ReduceTypes {
  ReduceOp op = ReduceOp::Add;
  ElementType partials = ElementType::Float;
  ElementType output = ElementType::Float;
  bool scale = false;  // the result is multiplied by a scalar
  bool update = false; // the result is added to the old value of the output
};

// Worker: `elements` contiguous partials to one scalar.
VertexSpec reduceToScalarSpec(const ReduceTypes& types);
VertexCost reduceToScalar(const arch::TileArchitecture& tile, const ReduceTypes& types, int64_t elements);

// Worker: the partials of each output are one contiguous region, and the regions of all outputs are adjacent.
VertexSpec reduceContiguousSpec(const ReduceTypes& types);
VertexCost reduceContiguous(const arch::TileArchitecture& tile, const ReduceTypes& types, int64_t outputs,
                            int64_t partialsPerOutput);

// Worker: partial p of output o is at offset p * stride + o, as in a sum of columns. The pattern repeats `outerStrides` times.
VertexSpec reduceStridedSpec(const ReduceTypes& types);
VertexCost reduceStrided(const arch::TileArchitecture& tile, const ReduceTypes& types, int64_t outputs, int64_t partialsPerOutput,
                         int64_t stride, int64_t outerStrides = 1);

// MultiVertex: adds the partial sums of a convolution (poplin ReduceAdd). Single input: one region holds all partials in
// sequence; multi-input: one pointer per partial.
VertexSpec convReduceSingleInputSpec(ElementType output, ElementType partials);
VertexCost convReduceSingleInput(const arch::TileArchitecture& tile, ElementType output, ElementType partials, int64_t outputs,
                                 int64_t partialCount, bool interleaved = false);
VertexSpec convReduceMultiInputSpec(ElementType output, ElementType partials, int64_t partialCount);
VertexCost convReduceMultiInput(const arch::TileArchitecture& tile, ElementType output, ElementType partials, int64_t outputs,
                                int64_t partialCount);

// The cost of the Worker vertex for a layout: the partials of an output are adjacent (scalar or contiguous form) or, with
// `outputsInnermost`, rows of outputs (strided form). For planners that split a reduction over workers themselves. `rowOutputs`:
// stride between the partials of an output if the outputs are innermost; 0: the number of outputs.
VertexCost reduceBest(const arch::TileArchitecture& tile, const ReduceTypes& types, int64_t outputs, int64_t partialsPerOutput,
                      bool outputsInnermost, int64_t rowOutputs = 0);
// Distribution of a tile's `outputs` over its workers. If the outputs are innermost, in grains of a 64-bit word of partials, so
// that each worker reads whole vectors of a row (popops reduction, ReductionConnection). A single output goes to one worker.
struct WorkerShare {
  int64_t workers = 1, outputs = 1; // outputs of the worker with most
};
WorkerShare shareOfWorkers(const arch::TileArchitecture& tile, const ReduceTypes& types, int64_t outputs, bool outputsInnermost);
VertexSpec reduceBestSpec(const ReduceTypes& types, int64_t outputs, bool outputsInnermost);

} // namespace simcore::codelets
