// Vertices that map elements to elements: unary, binary, broadcasts, select, clamp, scaled add, cast, fill, fused maps. 1D
// vertices are MultiVertices over one contiguous region (tile cycles; the six workers share the region). 2D vertices are Worker
// vertices over rows (worker cycles), of which a caller makes up to six per tile. Source: ipu-reference 9.1.
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/codelets/vertex_cost.h"
#include "simcore/numerics/element_type.h"

#include <span>
#include <variant>

namespace simcore::codelets {

using numerics::ElementType;

enum class UnaryOp {
  Absolute,
  Asin,
  BitwiseNot,
  Cbrt,
  Ceil,
  Cos,
  Erf,
  Exp,
  Expm1,
  Floor,
  GeluErf,
  Inverse,
  IsFinite,
  IsInf,
  IsNan,
  Log,
  Log1p,
  LogicalNot,
  Negate,
  Relu,
  Round,
  Rsqrt,
  Sigmoid,
  Signum,
  Sin,
  Sqrt,
  Square,
  Tan,
  Tanh,
  Trunc,
  CountLeadingZeros,
  Popcount,
};
inline constexpr int kUnaryOpCount = int(UnaryOp::Popcount) + 1;

enum class BinaryOp {
  Add,
  Atan2,
  BitwiseAnd,
  BitwiseOr,
  BitwiseXor,
  Divide,
  Equal,
  Greater,
  GreaterEqual,
  InvStdDevToVariance,
  Less,
  LessEqual,
  LogicalAnd,
  LogicalOr,
  Maximum,
  Minimum,
  Multiply,
  NotEqual,
  Power,
  Remainder,
  ShiftLeft,
  ShiftRight,
  Subtract,
  VarianceToInvStdDev,
};
inline constexpr int kBinaryOpCount = int(BinaryOp::VarianceToInvStdDev) + 1;

// Poplar's names in vertex types, e.g. "ADD", "INV_STD_DEV_TO_VARIANCE".
const char* unaryOpName(UnaryOp op);
const char* binaryOpName(BinaryOp op);
bool isComparison(BinaryOp op); // the result is Bool

enum class Placement { OutOfPlace, InPlace };

// `type` is the inputs' type. Counts are in output elements.
VertexSpec unaryOp1DSpec(UnaryOp op, ElementType type, Placement where = Placement::OutOfPlace);
VertexCost unaryOp1D(const arch::TileArchitecture& tile, UnaryOp op, ElementType type, int64_t elements,
                     Placement where = Placement::OutOfPlace);

VertexSpec binaryOp1DSpec(BinaryOp op, ElementType type, Placement where = Placement::OutOfPlace);
VertexCost binaryOp1D(const arch::TileArchitecture& tile, BinaryOp op, ElementType type, int64_t elements,
                      Placement where = Placement::OutOfPlace);

// One side is a scalar on the tile.
VertexSpec broadcastScalar1DSpec(BinaryOp op, ElementType type, Placement where = Placement::OutOfPlace);
VertexCost broadcastScalar1D(const arch::TileArchitecture& tile, BinaryOp op, ElementType type, int64_t elements,
                             Placement where = Placement::OutOfPlace);
// A matrix [rows, columns] and a vector with one element per row (outer) or per column (inner, e.g. a bias).
VertexSpec broadcastVectorOuterSpec(BinaryOp op, ElementType type, Placement where = Placement::OutOfPlace);
VertexCost broadcastVectorOuter(const arch::TileArchitecture& tile, BinaryOp op, ElementType type, int64_t rows, int64_t columns);
VertexSpec broadcastVectorInnerSpec(BinaryOp op, ElementType type, Placement where = Placement::OutOfPlace);
VertexCost broadcastVectorInner(const arch::TileArchitecture& tile, BinaryOp op, ElementType type, int64_t rows, int64_t columns);

// y += a x and similar; a is a constant or a scalar tensor on the tile.
enum class ScaledAddForm { Add, Subtract, AxPlusBy };
struct ScaledAddOptions {
  ScaledAddForm form = ScaledAddForm::Add;
  bool memoryConstrained = false; // operands are in different memory elements, which allows the faster loop
};
VertexSpec scaledAddSpec(ElementType data, ElementType scale, ScaledAddOptions options = {});
VertexCost scaledAdd(const arch::TileArchitecture& tile, ElementType data, ElementType scale, int64_t elements,
                     ScaledAddOptions options = {});

VertexSpec cast1DSpec(ElementType from, ElementType to);
VertexCost cast1D(const arch::TileArchitecture& tile, ElementType from, ElementType to, int64_t elements);

// Worker vertex: writes one value to a contiguous region. Zero is a fill with 0.
VertexSpec fillSpec(ElementType type);
VertexCost fill(const arch::TileArchitecture& tile, ElementType type, int64_t elements);

enum class TernaryOp { Select, Clamp };
struct CastTo {
  ElementType to = ElementType::Float;
};
struct MapStep {
  std::variant<UnaryOp, BinaryOp, TernaryOp, CastTo> op;
  ElementType type = ElementType::Float; // of the step's inputs
};
// One generated codelet for a whole expression: one launch, then the inner loops of all steps in sequence. `inputs`: number of
// tensors read; with InPlace the first of them is the output itself.
VertexSpec fusedMapSpec(std::span<const MapStep> steps, ElementType outputType, int inputs,
                        Placement where = Placement::OutOfPlace);
VertexCost fusedMap(const arch::TileArchitecture& tile, std::span<const MapStep> steps, int64_t elements);

} // namespace simcore::codelets
