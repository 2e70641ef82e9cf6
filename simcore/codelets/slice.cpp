#include "simcore/codelets/slice.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/op_costs.h"
#include "simcore/codelets/vertex_state.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace simcore::codelets {

using reports::ceilDiv;

namespace {

std::string sliceName(const char* slice, const char* update, SliceDirection direction, ElementType type) {
  return std::string("popops::") + (direction == SliceDirection::Slice ? slice : update) + "<" + codeletTypeName(type) + ">";
}

} // namespace

VertexSpec dynamicSlice1DSpec(SliceDirection direction, ElementType type) {
  VertexState state;
  state.onePtr().onePtr().onePtr().scalar(4).scalar(4).scalar(2).scalar(2);
  return makeSpec(sliceName("DynamicSlice1D", "DynamicUpdateSlice1D", direction, type), VertexKind::Multi, VertexFamily::Slice,
                  codeBytes(CodeClass::Slice), state);
}

// 25 + W x (39 + (24 + 2 x vector copies) x subs); 8-bit data 76 + (72 + 2 x vector copies). Workers share the region.
VertexCost dynamicSlice1D(const arch::TileArchitecture& tile, SliceDirection, ElementType type, int64_t regionElements,
                          int64_t subElements) {
  const int64_t copies = ceilDiv(ceilDiv(atLeastZero(regionElements), tile.workers), vectorWidth(tile, type));
  const bool bytes = elementBytes(type) == 1;
  const int64_t worker = (bytes ? 76 : 39) + ((bytes ? 72 : 24) + 2 * copies) * atLeastZero(subElements);
  return {Cycles(25 + tile.workers * worker), Flops(0)};
}

namespace {

struct Split {
  int64_t inRange, outOfRange;
};

// The offsets that one worker checks, split into those in range and those out of range.
Split splitOffsets(const LookUp& lookUp, int64_t offsets) {
  const double fraction = std::clamp(lookUp.inRangeFraction, 0.0, 1.0);
  const int64_t inRange = std::min(offsets, int64_t(std::ceil(double(offsets) * fraction)));
  return {inRange, offsets - inRange};
}

// Binary search for the first index in range: 20 + 20 log2(offsets).
int64_t searchCycles(int64_t offsets) { return 20 + 20 * int64_t(std::bit_width(uint64_t(std::max<int64_t>(offsets, 1)) - 1)); }

VertexSpec lookUpSpec(const std::string& base, const LookUp& lookUp, bool scaled) {
  VertexState state;
  state.span().onePtr().onePtr().scalar(4).scalar(4).scalar(2).scalar(2);
  if (scaled) state.onePtr();
  return makeSpec("popops::" + base + "<" + codeletTypeName(lookUp.type) + (lookUp.sorted ? ",sorted>" : ">"), VertexKind::Multi,
                  VertexFamily::Slice, codeBytes(CodeClass::Slice), state);
}

// W x (base + inRange x (19 + c x up(len / e)) + outOfRange x 8 [+ sorted: search + 15 per repeated entry + 9]); e / c: 4-byte
// 2/2, 2-byte 2/2, 1-byte 4/3. The workers share the offsets; for a single offset they share the vectors instead.
int64_t lookUpCycles(const arch::TileArchitecture& tile, const LookUp& lookUp, int64_t base) {
  const int64_t offsets = atLeastZero(lookUp.offsets), length = atLeastZero(lookUp.rowElements);
  const bool bytes = elementBytes(lookUp.type) == 1;
  int64_t vectors = ceilDiv(length, bytes ? 4 : 2);
  if (offsets == 1) vectors = ceilDiv(vectors, tile.workers);
  const Split split = splitOffsets(lookUp, ceilDiv(offsets, tile.workers));
  int64_t worker = base + split.inRange * (19 + (bytes ? 3 : 2) * vectors);
  if (lookUp.sorted)
    worker += searchCycles(offsets) + 15 * atLeastZero(lookUp.repeated) + 9;
  else
    worker += split.outOfRange * 8;
  return tile.workers * worker;
}

} // namespace

VertexSpec multiSliceSpec(const LookUp& lookUp) { return lookUpSpec("MultiSlice", lookUp, false); }
VertexCost multiSlice(const arch::TileArchitecture& tile, const LookUp& lookUp) {
  return {Cycles(lookUpCycles(tile, lookUp, 30)), Flops(0)};
}

VertexSpec multiUpdateSpec(const LookUp& lookUp) { return lookUpSpec("MultiUpdate", lookUp, false); }
VertexCost multiUpdate(const arch::TileArchitecture& tile, const LookUp& lookUp) {
  return {Cycles(lookUpCycles(tile, lookUp, 29)), Flops(0)};
}

VertexSpec multiUpdateOpSpec(const LookUp& lookUp, UpdateOp op, bool scaled, bool wideScale) {
  static constexpr const char* kNames[] = {"MultiUpdateAdd", "MultiUpdateMax", "MultiUpdateMul"};
  std::string base = std::string(scaled ? "Scaled" : "") + kNames[size_t(op)];
  if (wideScale) base += "Float";
  return lookUpSpec(base, lookUp, scaled);
}

// W x (3 + (29 four-byte | 30 two-byte) + scaled (4, + 2 four-byte) + sorted (search + 15) + inRange x (11 four-byte | 12
// two-byte, + 1 if two-byte scaled, + (atoms - 1) x (3, 4 if the scale is wider)) + outOfRange x 5). Rows of exactly 64 or 128
// bits: in range 8 or 16 (fp32), 9 or 12 (fp16), prologue - 1. Rows narrower than a word: + 20 per element. Each worker owns a
// share of the rows, so it checks every index but processes only a sixth of those in range.
VertexCost multiUpdateOp(const arch::TileArchitecture& tile, const LookUp& lookUp, UpdateOp, bool scaled, bool wideScale) {
  const int64_t offsets = atLeastZero(lookUp.offsets), length = atLeastZero(lookUp.rowElements);
  const int64_t size = elementBytes(lookUp.type), rowBytes = length * size;
  const bool fourByte = size >= 4, special = rowBytes == 8 || rowBytes == 16;
  const int64_t inRangeAll = splitOffsets(lookUp, offsets).inRange, inRange = ceilDiv(inRangeAll, tile.workers);

  int64_t each = fourByte ? 11 : 12;
  if (special)
    each = fourByte ? (rowBytes == 8 ? 8 : 16) : (rowBytes == 8 ? 9 : 12);
  else
    each += atLeastZero(ceilDiv(rowBytes, tile.dataPathBytes) - 1) * (wideScale ? 4 : 3);
  if (scaled && !fourByte) each += 1;
  if (rowBytes % 4 != 0) each += 20 * length;

  int64_t worker = 3 + (fourByte ? 29 : 30) - (special ? 1 : 0);
  if (scaled) worker += 4 + (fourByte ? 2 : 0);
  worker += inRange * each;
  worker += lookUp.sorted ? searchCycles(offsets) + 15 : (offsets - inRange) * 5;
  const int64_t flops = numerics::isFloating(lookUp.type) ? inRangeAll * length * (scaled ? 2 : 1) : 0;
  return {Cycles(tile.workers * worker), Flops(flops)};
}

} // namespace simcore::codelets
