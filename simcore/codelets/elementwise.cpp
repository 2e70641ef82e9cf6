#include "simcore/codelets/elementwise.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/op_costs.h"
#include "simcore/codelets/vertex_state.h"
#include "simcore/codelets/workers.h"

#include <algorithm>
#include <array>

namespace simcore::codelets {

using reports::ceilDiv;

namespace {

constexpr int64_t kBase = 11; // supervisor cycles of every MultiVertex here (ipu-reference 9, S)

int64_t perWorker(const arch::TileArchitecture& tile, int64_t elements) { return ceilDiv(elements, tile.workers); }

std::string vertexName(const char* base, Placement where, const char* op, ElementType type) {
  return std::string("popops::") + base + (where == Placement::InPlace ? "InPlace" : "") + "<" + op + "," +
         codeletTypeName(type) + ">";
}

Bytes opCode(bool function, CodeClass otherwise) { return codeBytes(function ? CodeClass::LongFunction : otherwise); }

bool unaryCallsRoutine(UnaryOp op, ElementType type) { return unaryCost(op, type, Placement::OutOfPlace).function; }
bool binaryCallsRoutine(BinaryOp op, ElementType type) { return binaryCost(op, type).function; }

VertexCost cost(int64_t cycles, int64_t flops) { return {Cycles(cycles), Flops(flops)}; }

} // namespace

const char* unaryOpName(UnaryOp op) {
  static constexpr std::array<const char*, kUnaryOpCount> kNames = {"ABSOLUTE",
                                                                    "ASIN",
                                                                    "BITWISE_NOT",
                                                                    "CBRT",
                                                                    "CEIL",
                                                                    "COS",
                                                                    "ERF",
                                                                    "EXP",
                                                                    "EXPM1",
                                                                    "FLOOR",
                                                                    "GELU_ERF",
                                                                    "INVERSE",
                                                                    "IS_FINITE",
                                                                    "IS_INF",
                                                                    "IS_NAN",
                                                                    "LOGARITHM",
                                                                    "LOGARITHM_ONE_PLUS",
                                                                    "LOGICAL_NOT",
                                                                    "NEGATE",
                                                                    "RELU",
                                                                    "ROUND",
                                                                    "RSQRT",
                                                                    "SIGMOID",
                                                                    "SIGNUM",
                                                                    "SIN",
                                                                    "SQRT",
                                                                    "SQUARE",
                                                                    "TAN",
                                                                    "TANH",
                                                                    "TRUNC",
                                                                    "COUNT_LEADING_ZEROS",
                                                                    "POPCOUNT"};
  return kNames[size_t(op)];
}

const char* binaryOpName(BinaryOp op) {
  static constexpr std::array<const char*, kBinaryOpCount> kNames = {"ADD",
                                                                     "ATAN2",
                                                                     "BITWISE_AND",
                                                                     "BITWISE_OR",
                                                                     "BITWISE_XOR",
                                                                     "DIVIDE",
                                                                     "EQUAL",
                                                                     "GREATER_THAN",
                                                                     "GREATER_THAN_EQUAL",
                                                                     "INV_STD_DEV_TO_VARIANCE",
                                                                     "LESS_THAN",
                                                                     "LESS_THAN_EQUAL",
                                                                     "LOGICAL_AND",
                                                                     "LOGICAL_OR",
                                                                     "MAXIMUM",
                                                                     "MINIMUM",
                                                                     "MULTIPLY",
                                                                     "NOT_EQUAL",
                                                                     "POWER",
                                                                     "REMAINDER",
                                                                     "SHIFT_LEFT",
                                                                     "SHIFT_RIGHT",
                                                                     "SUBTRACT",
                                                                     "VARIANCE_TO_INV_STD_DEV"};
  return kNames[size_t(op)];
}

bool isComparison(BinaryOp op) {
  switch (op) {
  case BinaryOp::Equal:
  case BinaryOp::NotEqual:
  case BinaryOp::Less:
  case BinaryOp::LessEqual:
  case BinaryOp::Greater:
  case BinaryOp::GreaterEqual: return true;
  default: return false;
  }
}

VertexSpec unaryOp1DSpec(UnaryOp op, ElementType type, Placement where) {
  VertexState state;
  if (where == Placement::InPlace)
    state.span();
  else
    state.span().onePtr();
  return makeSpec(vertexName("UnaryOp1D", where, unaryOpName(op), type), VertexKind::Multi, VertexFamily::Elementwise,
                  opCode(unaryCallsRoutine(op, type), CodeClass::AssemblyLoop), state);
}

// W x (17 | 33 exp, + inner) + 9 + S; in place W x (55 + inner) + 9 + S. poplibs popopsCycleEstimators, reference 9.1.
VertexCost unaryOp1D(const arch::TileArchitecture& tile, UnaryOp op, ElementType type, int64_t elements, Placement where) {
  elements = atLeastZero(elements);
  const int64_t overhead = where == Placement::InPlace ? 55 : op == UnaryOp::Exp ? 33 : 17;
  const int64_t inner = unaryLoop(unaryCost(op, type, where), perWorker(tile, elements));
  return cost(tile.workers * (overhead + inner) + 9 + kBase, elements * unaryFlops(op, type));
}

VertexSpec binaryOp1DSpec(BinaryOp op, ElementType type, Placement where) {
  VertexState state;
  state.span().onePtr();
  if (where == Placement::OutOfPlace) state.onePtr();
  return makeSpec(vertexName("BinaryOp1D", where, binaryOpName(op), type), VertexKind::Multi, VertexFamily::Elementwise,
                  opCode(binaryCallsRoutine(op, type), CodeClass::AssemblyLoop), state);
}

// W x (29 fp32 | 26, + inner) + S; in place W x (58 + inner) + S. poplibs popopsCycleEstimators, reference 9.1.
VertexCost binaryOp1D(const arch::TileArchitecture& tile, BinaryOp op, ElementType type, int64_t elements, Placement where) {
  elements = atLeastZero(elements);
  const int64_t overhead = where == Placement::InPlace ? 58 : isFloat(type) ? 29 : 26;
  const int64_t inner = binaryLoop(binaryCost(op, type), perWorker(tile, elements));
  return cost(tile.workers * (overhead + inner) + kBase, elements * binaryFlops(op, type));
}

namespace {
VertexSpec broadcastSpec(const char* base, BinaryOp op, ElementType type, Placement where, const VertexState& state,
                         VertexKind kind) {
  return makeSpec(vertexName(base, where, binaryOpName(op), type), kind, VertexFamily::Elementwise,
                  opCode(binaryCallsRoutine(op, type), CodeClass::Broadcast), state);
}
} // namespace

VertexSpec broadcastScalar1DSpec(BinaryOp op, ElementType type, Placement where) {
  VertexState state;
  state.span().onePtr();
  if (where == Placement::OutOfPlace) state.onePtr();
  return broadcastSpec("BroadcastScalar1D", op, type, where, state, VertexKind::Multi);
}

// W x (20 + up(n_w / v) x (c + 1 assembly | c + 4)) + S. Same source; the in-place form runs the same loop.
VertexCost broadcastScalar1D(const arch::TileArchitecture& tile, BinaryOp op, ElementType type, int64_t elements, Placement) {
  elements = atLeastZero(elements);
  const int64_t inner = broadcastLoop(broadcastCost(op, type), perWorker(tile, elements));
  return cost(tile.workers * (20 + inner) + kBase, elements * binaryFlops(op, type));
}

VertexSpec broadcastVectorOuterSpec(BinaryOp op, ElementType type, Placement where) {
  VertexState state;
  state.span().onePtr().scalar(2).scalar(2);
  if (where == Placement::OutOfPlace) state.onePtr();
  return broadcastSpec("BroadcastVectorOuterByRow", op, type, where, state, VertexKind::Multi);
}

// W x (15 + rows per worker x (7 aligned | 25, + loop)) + S; a row is aligned if it consists of whole 64-bit words. Same source.
VertexCost broadcastVectorOuter(const arch::TileArchitecture& tile, BinaryOp op, ElementType type, int64_t rows,
                                int64_t columns) {
  rows = atLeastZero(rows);
  columns = atLeastZero(columns);
  const bool aligned = columns * elementBytes(type) % tile.dataPathBytes == 0;
  const int64_t row = (aligned ? 7 : 25) + broadcastLoop(broadcastCost(op, type), columns);
  return cost(tile.workers * (15 + perWorker(tile, rows) * row) + kBase, rows * columns * binaryFlops(op, type));
}

VertexSpec broadcastVectorInnerSpec(BinaryOp op, ElementType type, Placement where) {
  VertexState state;
  state.span().onePtr().scalar(2).scalar(2);
  if (where == Placement::OutOfPlace) state.onePtr();
  return broadcastSpec("BroadcastVectorInner1D", op, type, where, state, VertexKind::Multi);
}

namespace {
// Cycles of a worker that adds a vector of halves to each of `blocks` blocks (poplibs popopsCycleEstimators.cpp,
// VectorInnerAdd_core_half): eight elements of the vector stay in registers while the worker loops over the blocks, two cycles
// per block.
int64_t vectorInnerAddHalf(int64_t length, int64_t blocks) {
  if (blocks == 0) return 1;
  const int64_t scalar = 6 + length * (5 + 9 * blocks);
  if (length > 2048) return 3 + scalar;
  if (length % 8 == 0) return blocks == 1 ? 11 + 7 * (length / 8) : 12 + length / 8 * (15 + 2 * (blocks - 1));
  if (blocks < 2) return 7 + scalar;
  return 9 + (length % 4 == 0 ? 6 + length / 4 * (13 + 2 * (blocks / 2 - 1) + blocks % 2) : scalar);
}
// The same for a product (VectorInnerMul_core_half): four elements at a time.
int64_t vectorInnerMulHalf(int64_t length, int64_t blocks) {
  return length % 4 == 0 ? 9 + length / 4 * (7 + 2 * blocks) : 8 + length * (5 + 9 * blocks);
}
} // namespace

// Sums and products of halves have a published formula, with 27 and 24 cycles per worker to start. Other functions load two
// operands per vector, so they have the loop of BinaryOp1D, and the outer form's overheads per vertex and row.
VertexCost broadcastVectorInner(const arch::TileArchitecture& tile, BinaryOp op, ElementType type, int64_t rows,
                                int64_t columns) {
  rows = atLeastZero(rows);
  columns = atLeastZero(columns);
  if (type == ElementType::Half && (op == BinaryOp::Add || op == BinaryOp::Multiply)) {
    const int64_t blocks = perWorker(tile, rows);
    const int64_t worker =
        op == BinaryOp::Add ? 27 + vectorInnerAddHalf(columns, blocks) : 24 + vectorInnerMulHalf(columns, blocks);
    return cost(tile.workers * worker + 11, rows * columns * binaryFlops(op, type));
  }
  const bool aligned = columns * elementBytes(type) % tile.dataPathBytes == 0;
  const int64_t row = (aligned ? 7 : 25) + binaryLoop(binaryCost(op, type), columns);
  return cost(tile.workers * (15 + perWorker(tile, rows) * row) + kBase, rows * columns * binaryFlops(op, type));
}

namespace {

struct StepCost {
  int64_t cycles = 0, flops = 0;
  bool function = false;
};

struct StepVisitor {
  const arch::TileArchitecture& tile;
  ElementType type;
  int64_t elements;

  StepCost operator()(UnaryOp op) const {
    const OpCost c = unaryCost(op, type, Placement::OutOfPlace);
    return {unaryLoop(c, elements), unaryFlops(op, type), c.function};
  }
  StepCost operator()(BinaryOp op) const {
    const OpCost c = binaryCost(op, type);
    return {binaryLoop(c, elements), binaryFlops(op, type), c.function};
  }
  StepCost operator()(TernaryOp op) const {
    if (op == TernaryOp::Select) return {5 * elements, 0, false};
    return {2 * ceilDiv(elements, vectorWidth(tile, type)), isFloatingOnDevice(type) ? 2 : 0, false};
  }
  StepCost operator()(CastTo cast) const {
    const int64_t wide = std::min(vectorWidth(tile, type), vectorWidth(tile, cast.to));
    return {ceilDiv(elements, wide), 0, false};
  }
};

} // namespace

VertexSpec fusedMapSpec(std::span<const MapStep> steps, ElementType outputType, int inputs, Placement where) {
  VertexState state;
  state.span();
  for (int i = where == Placement::InPlace ? 1 : 0; i < inputs; ++i) state.onePtr();
  std::string name = "popops::map::FusedMap<";
  int64_t longSteps = 0;
  for (const MapStep& step : steps) {
    if (const auto* unary = std::get_if<UnaryOp>(&step.op))
      name += unaryOpName(*unary);
    else if (const auto* binary = std::get_if<BinaryOp>(&step.op))
      name += binaryOpName(*binary);
    else if (const auto* cast = std::get_if<CastTo>(&step.op))
      name += std::string("CAST_") + codeletTypeName(cast->to);
    else
      name += std::get<TernaryOp>(step.op) == TernaryOp::Select ? "SELECT" : "CLAMP";
    name += ',';
    longSteps += std::visit(StepVisitor{{}, step.type, 1}, step.op).function ? 1 : 0;
  }
  name += std::string(codeletTypeName(outputType)) + (where == Placement::InPlace ? ",in-place," : ",") + std::to_string(inputs) +
          ">";
  return makeSpec(std::move(name), VertexKind::Multi, VertexFamily::Elementwise, fusedCodeBytes(int64_t(steps.size()), longSteps),
                  state);
}

// The overhead of one vertex (that of BinaryOp1D) plus the inner loops of all steps. Reference 9.1 and programming-model 2.2.
VertexCost fusedMap(const arch::TileArchitecture& tile, std::span<const MapStep> steps, int64_t elements) {
  elements = atLeastZero(elements);
  const int64_t mine = perWorker(tile, elements);
  int64_t inner = 0, flops = 0;
  for (const MapStep& step : steps) {
    const StepCost c = std::visit(StepVisitor{tile, step.type, mine}, step.op);
    inner += c.cycles;
    flops += c.flops * elements;
  }
  const bool floats = steps.empty() || isFloat(steps.front().type);
  return cost(tile.workers * ((floats ? 29 : 26) + inner) + kBase, flops);
}

} // namespace simcore::codelets
