// The cost tables of unary and binary operations, separate from the vertices that use them (ipu-reference 9.1). An entry is
// `cycles` per `elements` elements; entries marked as vector loops also pay the loop's loads and stores.
#pragma once

#include "simcore/codelets/elementwise.h"

namespace simcore::codelets {

struct OpCost {
  int64_t cycles = 1;
  int64_t elements = 1;    // per iteration
  bool vectorLoop = false; // the vertex adds its loop overhead to every iteration
  bool assembly = false;   // hand-written: the smallest loop overhead
  bool function = false;   // calls a software routine per element: long code
};

OpCost unaryCost(UnaryOp op, ElementType type, Placement where);
OpCost binaryCost(BinaryOp op, ElementType type);
OpCost broadcastCost(BinaryOp op, ElementType type);

// Number of floating-point operations per element (ipu-reference 11); 0 for integers.
int64_t unaryFlops(UnaryOp op, ElementType type);
int64_t binaryFlops(BinaryOp op, ElementType type);

// Worker cycles of one worker's loop over `elements`, without the vertex's own overhead.
int64_t unaryLoop(const OpCost& cost, int64_t elements);
int64_t binaryLoop(const OpCost& cost, int64_t elements);
int64_t broadcastLoop(const OpCost& cost, int64_t elements);

// Checks of types that all vertex families use.
inline bool isHalf(ElementType type) {
  const ElementType on = numerics::deviceType(type);
  return on == ElementType::Half || on == ElementType::BFloat16;
}
inline bool isFloat(ElementType type) { return numerics::deviceType(type) == ElementType::Float; }
inline bool isFloatingOnDevice(ElementType type) { return isHalf(type) || isFloat(type); }
inline int64_t elementBytes(ElementType type) { return int64_t(numerics::deviceSize(type)); }
inline int64_t vectorWidth(const arch::TileArchitecture& tile, ElementType type) {
  return tile.vectorWidth(int(elementBytes(type)));
}

} // namespace simcore::codelets
