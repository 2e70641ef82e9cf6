#include "simcore/codelets/op_costs.h"

namespace simcore::codelets {

using reports::ceilDiv;

namespace {

struct Pair {
  OpCost floats, halves;
};

// "c / e" entries: c cycles for a whole iteration of e elements.
OpCost unrolled(int64_t cycles, int64_t elements) { return {cycles, elements, false, false, false}; }
// "v" entries: one iteration per vector, plus the loop overhead of the vertex.
OpCost vectorised(int64_t cycles, int64_t elements) { return {cycles, elements, true, false, false}; }
// Entries that call a routine per element.
OpCost routine(int64_t cycles, int64_t elements = 1) { return {cycles, elements, false, false, true}; }

// Table "Op tables", ipu-reference 9.1, unary columns. Entries with (+4) there are vector loops of one element.
Pair unaryTable(UnaryOp op, bool inPlace) {
  switch (op) {
  case UnaryOp::Absolute: return {vectorised(1, 1), vectorised(1, 1)};
  case UnaryOp::Exp: return {unrolled(6, 2), unrolled(4, 4)};
  case UnaryOp::Log: return inPlace ? Pair{unrolled(14, 2), unrolled(6, 4)} : Pair{unrolled(12, 2), unrolled(4, 4)};
  case UnaryOp::Tanh: return inPlace ? Pair{unrolled(10, 2), unrolled(2, 4)} : Pair{unrolled(12, 2), unrolled(4, 4)};
  case UnaryOp::Sigmoid: return inPlace ? Pair{unrolled(10, 2), unrolled(4, 4)} : Pair{unrolled(12, 2), unrolled(6, 4)};
  case UnaryOp::Sqrt: return {unrolled(10, 2), unrolled(23, 4)};
  case UnaryOp::Rsqrt: return {unrolled(8, 2), unrolled(19, 4)};
  case UnaryOp::Inverse: return {unrolled(6, 2), unrolled(15, 4)};
  case UnaryOp::Square:
  case UnaryOp::Negate: return {unrolled(2, 2), unrolled(2, 4)};
  case UnaryOp::Relu: return {unrolled(3, 2), unrolled(3, 4)};
  case UnaryOp::Erf: return {routine(41), routine(13)};
  case UnaryOp::GeluErf: return {routine(22), routine(16)};
  case UnaryOp::Sin:
  case UnaryOp::Cos: return {routine(2304), routine(25)};
  case UnaryOp::Tan: return {routine(5100), routine(5700)};
  case UnaryOp::Cbrt: return {vectorised(27, 2), vectorised(17, 4)};
  case UnaryOp::Floor:
  case UnaryOp::Ceil:
  case UnaryOp::Round: return {vectorised(2, 2), vectorised(2, 4)};
  case UnaryOp::Trunc: return {unrolled(3, 2), unrolled(11, 4)};
  case UnaryOp::Log1p: return {vectorised(18, 2), vectorised(18, 4)};
  case UnaryOp::Expm1: return {vectorised(4, 1), vectorised(5, 4)};
  case UnaryOp::Asin: return {routine(102), routine(102)};
  case UnaryOp::Signum: return {vectorised(5, 2), vectorised(5, 4)};
  case UnaryOp::IsNan: return {vectorised(3, 2), vectorised(3, 4)};
  case UnaryOp::IsInf:
  case UnaryOp::IsFinite: return {vectorised(5, 2), vectorised(5, 4)};
  case UnaryOp::BitwiseNot:
  case UnaryOp::CountLeadingZeros:
  case UnaryOp::LogicalNot:
  case UnaryOp::Popcount: break;
  }
  return {vectorised(1, 1), vectorised(1, 1)};
}

// Binary columns of the same tables. The vector loops of add, subtract and multiply are hand-written.
Pair binaryTable(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
  case BinaryOp::Subtract:
  case BinaryOp::Multiply: return {{1, 2, true, true, false}, {1, 4, true, true, false}};
  case BinaryOp::Divide: return {unrolled(10, 2), unrolled(21, 4)};
  case BinaryOp::Maximum:
  case BinaryOp::Minimum: return {unrolled(3, 2), unrolled(4, 4)};
  case BinaryOp::Power: return {routine(312), routine(325)};
  case BinaryOp::Remainder: return {routine(133, 2), routine(300, 4)};
  case BinaryOp::Atan2: return {routine(272, 2), routine(578, 4)};
  case BinaryOp::NotEqual: return {unrolled(20, 4), unrolled(11, 4)};
  case BinaryOp::VarianceToInvStdDev: return {unrolled(12, 2), unrolled(24, 4)};
  case BinaryOp::InvStdDevToVariance: return {unrolled(11, 2), unrolled(10, 2)};
  default: return {unrolled(14, 4), unrolled(9, 4)}; // the other comparisons
  }
}

// Integers and booleans: add, subtract, multiply 7 per element; division in software. Operations missing in the table (bitwise,
// shifts, comparisons of integers, logic) move the same words through the same pipe and are assumed to cost the same.
OpCost integerBinary(BinaryOp op, ElementType type) {
  const ElementType on = numerics::deviceType(type);
  const bool isSigned = on == ElementType::Int8 || on == ElementType::Int16 || on == ElementType::Int32;
  switch (op) {
  case BinaryOp::Divide: return routine(isSigned ? 277 : 265);
  case BinaryOp::Remainder: return routine(292);
  case BinaryOp::Power: return routine(312); // computed in float
  default: return unrolled(7, 1);
  }
}

} // namespace

OpCost unaryCost(UnaryOp op, ElementType type, Placement where) {
  if (!isFloatingOnDevice(type) && !unaryTable(op, false).floats.function) return vectorised(1, 1);
  const Pair pair = unaryTable(op, where == Placement::InPlace);
  return isHalf(type) ? pair.halves : pair.floats;
}

OpCost binaryCost(BinaryOp op, ElementType type) {
  if (!isFloatingOnDevice(type)) return integerBinary(op, type);
  const Pair pair = binaryTable(op);
  return isHalf(type) ? pair.halves : pair.floats;
}

OpCost broadcastCost(BinaryOp op, ElementType type) {
  const OpCost base = binaryCost(op, type);
  if (!isFloatingOnDevice(type)) return base.function ? base : unrolled(6, 1);
  const bool half = isHalf(type);
  switch (op) {
  case BinaryOp::Divide: return half ? unrolled(8, 2) : unrolled(6, 2);
  case BinaryOp::Maximum:
  case BinaryOp::Minimum: return half ? unrolled(3, 4) : unrolled(3, 2);
  default: break;
  }
  if (isComparison(op)) return half ? unrolled(8, 4) : unrolled(12, 4);
  return base;
}

int64_t unaryFlops(UnaryOp op, ElementType type) {
  if (!isFloatingOnDevice(type) || op == UnaryOp::BitwiseNot || op == UnaryOp::LogicalNot) return 0;
  return op == UnaryOp::GeluErf ? 8 : 1;
}

int64_t binaryFlops(BinaryOp op, ElementType type) {
  if (!isFloatingOnDevice(type)) return 0;
  switch (op) {
  case BinaryOp::Remainder: return 3;
  case BinaryOp::VarianceToInvStdDev:
  case BinaryOp::InvStdDevToVariance: return 2;
  case BinaryOp::BitwiseAnd:
  case BinaryOp::BitwiseOr:
  case BinaryOp::BitwiseXor:
  case BinaryOp::LogicalAnd:
  case BinaryOp::LogicalOr:
  case BinaryOp::ShiftLeft:
  case BinaryOp::ShiftRight: return 0;
  default: return 1;
  }
}

// Vector loops: up((c + 4) x m / v). Other entries: up(m / u) x c.
int64_t unaryLoop(const OpCost& cost, int64_t elements) {
  if (cost.vectorLoop) return ceilDiv((cost.cycles + 4) * elements, cost.elements);
  return ceilDiv(elements, cost.elements) * cost.cycles;
}

// Vector loops: up(m / v) x (c + 2 for add, subtract and multiply | c + 5). Other entries: up(m / u) x c.
int64_t binaryLoop(const OpCost& cost, int64_t elements) {
  const int64_t loop = cost.vectorLoop ? (cost.assembly ? 2 : 5) : 0;
  return ceilDiv(elements, cost.elements) * (cost.cycles + loop);
}

// Vector loops: up(m / v) x (c + 1 assembly | c + 4). Other entries: up(m / u) x c.
int64_t broadcastLoop(const OpCost& cost, int64_t elements) {
  const int64_t loop = cost.vectorLoop ? (cost.assembly ? 1 : 4) : 0;
  return ceilDiv(elements, cost.elements) * (cost.cycles + loop);
}

} // namespace simcore::codelets
