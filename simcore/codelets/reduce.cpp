// All formulas: poplibs popops reduction CycleEstimationFunctions, and poplin for the convolution partials; reference 9.3.
#include "simcore/codelets/reduce.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/op_costs.h"
#include "simcore/codelets/vertex_state.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace simcore::codelets {

using reports::ceilDiv;

namespace {

// Elements per 64-bit word: P in the reference.
int64_t pathWidth(const arch::TileArchitecture& tile, ElementType type) { return vectorWidth(tile, type); }

// Width A of the accumulators: 4 fp32 or 8 fp16 for sums, which have an accumulate instruction; one word for other operations.
int64_t accumulatorWidth(const arch::TileArchitecture& tile, const ReduceTypes& types) {
  const bool sums = types.op == ReduceOp::Add || types.op == ReduceOp::SquareAdd;
  return pathWidth(tile, types.partials) * (sums && isFloatingOnDevice(types.partials) ? 2 : 1);
}

bool isLogical(ReduceOp op) { return op == ReduceOp::LogicalAnd || op == ReduceOp::LogicalOr; }
// Logical operations and integers have no assembly loop, so compiled code runs.
bool isCompiled(const ReduceTypes& types) { return isLogical(types.op) || !isFloatingOnDevice(types.partials); }

// Cycles of the operation on one vector; log-add is 23 per two fp32 or 13 per four fp16.
int64_t opCycles(const ReduceTypes& types) {
  if (types.op == ReduceOp::LogAdd) return isHalf(types.partials) ? 13 : 23;
  return 1;
}

int64_t flopsOf(const ReduceTypes& types, int64_t outputs, int64_t partials) {
  if (!isFloatingOnDevice(types.partials) || isLogical(types.op)) return 0;
  const int64_t each = types.op == ReduceOp::SquareAdd ? 2 : types.op == ReduceOp::LogAdd ? 6 : 1;
  return outputs * (atLeastZero(partials - 1) * each + (types.scale ? 1 : 0) + (types.update ? 1 : 0));
}

// Converting a result to the output's type: fp32 add 5, fp16 add 7 + 1; scaling one more. An update reads the output: 2 cycles
// for whole words, up to 25 if half outputs share a word (the ends of the reference's range).
int64_t postCycles(const ReduceTypes& types) {
  const bool half = isHalf(types.output);
  return (half ? 8 : 5) + (types.scale ? 1 : 0) + (types.update ? (half ? 25 : 2) : 0);
}

// Compiled form: 7 + 24 + per output 8 + per piece 22 + (24 + op) per element.
int64_t compiledCycles(const ReduceTypes& types, int64_t outputs, int64_t partials, int64_t pieces) {
  return 7 + 24 + outputs * (8 + 22 * pieces + (24 + opCycles(types)) * partials);
}

VertexSpec reduceSpec(const char* base, const ReduceTypes& types, VertexState state, CodeClass code) {
  if (types.scale) state.onePtr();
  std::string name = std::string("popops::") + (types.scale ? "Scaled" : "") + base + "<" + reduceOpName(types.op) + "," +
                     codeletTypeName(types.partials) + "," + codeletTypeName(types.output) +
                     (types.update ? ",true>" : ",false>");
  return makeSpec(std::move(name), VertexKind::Worker, VertexFamily::Reduce, codeBytes(code), state);
}

} // namespace

const char* reduceOpName(ReduceOp op) {
  static constexpr const char* kNames[] = {"ReduceAdd", "ReduceSquareAdd", "ReduceMul", "ReduceMax",
                                           "ReduceMin", "ReduceAnd",       "ReduceOr",  "ReduceLogAdd"};
  return kNames[size_t(op)];
}

VertexSpec reduceToScalarSpec(const ReduceTypes& types) {
  VertexState state;
  state.onePtr().onePtr().scalar(4);
  return reduceSpec("ReduceSingleInput", types, state, CodeClass::ReduceFast);
}

// 9 + max(A/P, op) x N/A + 5 + (N mod A) + 3, + 5 if the output is not fp32.
VertexCost reduceToScalar(const arch::TileArchitecture& tile, const ReduceTypes& types, int64_t elements) {
  const int64_t n = atLeastZero(elements), outputs = n > 0 ? 1 : 0;
  if (isCompiled(types)) return {Cycles(compiledCycles(types, outputs, n, 1)), Flops(flopsOf(types, outputs, n))};
  const int64_t a = accumulatorWidth(tile, types), p = pathWidth(tile, types.partials);
  const int64_t vectors = std::max(a / p, opCycles(types)) * (n / a);
  const int64_t extra = postCycles(types) - postCycles({types.op, types.partials, types.output});
  const int64_t cycles = 9 + vectors + 5 + n % a + 3 + (isFloat(types.output) ? 0 : 5) + extra;
  return {Cycles(cycles), Flops(flopsOf(types, outputs, n))};
}

VertexSpec reduceContiguousSpec(const ReduceTypes& types) {
  VertexState state;
  state.onePtr().onePtr().scalar(2).scalar(2);
  return reduceSpec("ContinuousReduce", types, state, CodeClass::ReduceFast);
}

// 7 + 10 + 12 x outs + outs x (N / min(A, P)).
VertexCost reduceContiguous(const arch::TileArchitecture& tile, const ReduceTypes& types, int64_t outputs,
                            int64_t partialsPerOutput) {
  const int64_t outs = atLeastZero(outputs), n = atLeastZero(partialsPerOutput);
  if (isCompiled(types)) return {Cycles(compiledCycles(types, outs, n, 1)), Flops(flopsOf(types, outs, n))};
  const int64_t width = std::min(accumulatorWidth(tile, types), pathWidth(tile, types.partials));
  const int64_t extra = postCycles(types) - postCycles({types.op, types.partials, types.output});
  return {Cycles(7 + 10 + outs * (12 + extra + opCycles(types) * ceilDiv(n, width))), Flops(flopsOf(types, outs, n))};
}

VertexSpec reduceStridedSpec(const ReduceTypes& types) {
  VertexState state;
  state.onePtr().onePtr().scalar(2).scalar(2).scalar(2).scalar(2);
  return reduceSpec("StridedReduce", types, state, CodeClass::ReduceFast);
}

// 5 + 11 + up(outs / gcd(min(A, P), stride)) x (3 + post + outerStrides x (3 + op x (partials - 1))).
VertexCost reduceStrided(const arch::TileArchitecture& tile, const ReduceTypes& types, int64_t outputs, int64_t partialsPerOutput,
                         int64_t stride, int64_t outerStrides) {
  const int64_t outs = atLeastZero(outputs), n = atLeastZero(partialsPerOutput);
  outerStrides = std::max<int64_t>(outerStrides, 1);
  const int64_t flops = flopsOf(types, outs, n * outerStrides);
  if (isCompiled(types)) return {Cycles(compiledCycles(types, outs, n * outerStrides, outerStrides)), Flops(flops)};
  const int64_t width = std::min(accumulatorWidth(tile, types), pathWidth(tile, types.partials));
  const int64_t together = stride > 0 ? std::gcd(width, stride) : 1;
  const int64_t column = 3 + postCycles(types) + outerStrides * (3 + opCycles(types) * atLeastZero(n - 1));
  return {Cycles(5 + 11 + ceilDiv(outs, together) * column), Flops(flops)};
}

namespace {

struct ConvReduceWidths {
  int64_t accumulator, path;
};
ConvReduceWidths convReduceWidths(const arch::TileArchitecture& tile, ElementType partials) {
  const int64_t path = pathWidth(tile, partials);
  return {2 * path, path};
}
// Storing an accumulator: 7 for fp32 to fp32, up to 10 if both sides are half.
int64_t convReduceStore(ElementType output, ElementType partials) {
  return 7 + (isHalf(output) ? 1 : 0) + (isHalf(partials) ? 2 : 0);
}
VertexSpec convReduceSpec(const char* base, ElementType output, ElementType partials, const VertexState& state) {
  return makeSpec(std::string("poplin::") + base + "<" + codeletTypeName(output) + "," + codeletTypeName(partials) + ">",
                  VertexKind::Multi, VertexFamily::Reduce, codeBytes(CodeClass::ReduceFast), state);
}
int64_t convReduceFlops(int64_t outputs, int64_t partials) { return outputs * atLeastZero(partials - 1); }

} // namespace

VertexSpec convReduceSingleInputSpec(ElementType output, ElementType partials) {
  VertexState state;
  state.onePtr().onePtr().scalar(2).scalar(2).scalar(2);
  return convReduceSpec("ReduceAddSingleInput", output, partials, state);
}

// 33 + W x (20 + (b x partials + h) x up(loops / W)), loops = outs / A, b = A / (path x (1 | 2 interleaved)).
VertexCost convReduceSingleInput(const arch::TileArchitecture& tile, ElementType output, ElementType partials, int64_t outputs,
                                 int64_t partialCount, bool interleaved) {
  const int64_t outs = atLeastZero(outputs), count = atLeastZero(partialCount);
  const ConvReduceWidths widths = convReduceWidths(tile, partials);
  const int64_t loops = ceilDiv(ceilDiv(outs, widths.accumulator), tile.workers);
  const int64_t beats = widths.accumulator / (widths.path * (interleaved ? 2 : 1));
  const int64_t cycles = 33 + tile.workers * (20 + (beats * count + convReduceStore(output, partials)) * loops);
  return {Cycles(cycles), Flops(convReduceFlops(outs, count))};
}

VertexSpec convReduceMultiInputSpec(ElementType output, ElementType partials, int64_t partialCount) {
  VertexState state;
  state.onePtr().vectorList(partialCount).scalar(2).scalar(2);
  return convReduceSpec("ReduceAdd", output, partials, state);
}

// W x (32 + ((A/path + 1) x partials + 6..9) x loops/W + remainder (2 x partials + 11..13)). A store takes one cycle less than in
// the single-input form; the store of the remainder takes four more than there, at most 13.
VertexCost convReduceMultiInput(const arch::TileArchitecture& tile, ElementType output, ElementType partials, int64_t outputs,
                                int64_t partialCount) {
  const int64_t outs = atLeastZero(outputs), count = atLeastZero(partialCount);
  const ConvReduceWidths widths = convReduceWidths(tile, partials);
  const int64_t loops = ceilDiv(outs / widths.accumulator, tile.workers), store = convReduceStore(output, partials) - 1;
  const int64_t vector = (widths.accumulator / widths.path + 1) * count + store;
  const int64_t rest = outs % widths.accumulator != 0 ? 2 * count + std::min<int64_t>(store + 5, 13) : 0;
  return {Cycles(tile.workers * (32 + vector * loops + rest)), Flops(convReduceFlops(outs, count))};
}

VertexCost reduceBest(const arch::TileArchitecture& tile, const ReduceTypes& types, int64_t outputs, int64_t partialsPerOutput,
                      bool outputsInnermost, int64_t rowOutputs) {
  if (outputs == 1) return reduceToScalar(tile, types, partialsPerOutput);
  if (outputsInnermost) return reduceStrided(tile, types, outputs, partialsPerOutput, std::max(outputs, rowOutputs));
  return reduceContiguous(tile, types, outputs, partialsPerOutput);
}

WorkerShare shareOfWorkers(const arch::TileArchitecture& tile, const ReduceTypes& types, int64_t outputs, bool outputsInnermost) {
  const bool readsVectors = outputsInnermost && !isCompiled(types);
  const int64_t grain = readsVectors ? std::min(accumulatorWidth(tile, types), pathWidth(tile, types.partials)) : 1;
  const int64_t grains = std::max<int64_t>(1, ceilDiv(outputs, grain)), used = std::min<int64_t>(tile.workers, grains);
  return {used, std::min(outputs, ceilDiv(grains, used) * grain)};
}

VertexSpec reduceBestSpec(const ReduceTypes& types, int64_t outputs, bool outputsInnermost) {
  if (outputs == 1) return reduceToScalarSpec(types);
  return outputsInnermost ? reduceStridedSpec(types) : reduceContiguousSpec(types);
}

} // namespace simcore::codelets
