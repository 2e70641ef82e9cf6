// Select, clamp, scaled add, cast and fill: the part of elementwise.h that does not use the op tables.
#include "simcore/codelets/elementwise.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/op_costs.h"
#include "simcore/codelets/vertex_state.h"
#include "simcore/codelets/workers.h"

#include <algorithm>
#include <bit>

namespace simcore::codelets {

using reports::ceilDiv;

namespace {
std::string typed(const char* base, ElementType type) { return std::string(base) + "<" + codeletTypeName(type) + ">"; }
std::string typed(const char* base, ElementType a, ElementType b) {
  return std::string(base) + "<" + codeletTypeName(a) + "," + codeletTypeName(b) + ">";
}
} // namespace

VertexSpec scaledAddSpec(ElementType data, ElementType scale, ScaledAddOptions options) {
  VertexState state;
  state.onePtr().onePtr().scalar(2).onePtr();
  if (options.form == ScaledAddForm::AxPlusBy) state.onePtr();
  const char* base = options.form == ScaledAddForm::Add        ? "popops::ScaledAddSupervisor"
                     : options.form == ScaledAddForm::Subtract ? "popops::ScaledSubtractSupervisor"
                                                               : "popops::aXPlusbYSupervisor";
  std::string name = std::string(base) + "<" + codeletTypeName(data) + "," + codeletTypeName(scale) +
                     (options.memoryConstrained ? ",true>" : ",false>");
  return makeSpec(std::move(name), VertexKind::Multi, VertexFamily::Elementwise, codeBytes(CodeClass::AssemblyLoop), state);
}

// Integers: 53 + 26 x (n/3) + 6 + (26 x rem) + 14, tile cycles. Floating point: supervisor plus W x the worst worker, which has
// one more whole vector. poplibs popopsCycleEstimators, reference 9.1 "ScaledAdd". The fp16 remainder of "5..18" is 5 for a word
// of two, 13 for a single element (read-modify-write), 18 for three.
VertexCost scaledAdd(const arch::TileArchitecture& tile, ElementType data, ElementType scale, int64_t elements,
                     ScaledAddOptions options) {
  const int64_t n = atLeastZero(elements), workers = tile.workers;
  if (!isFloatingOnDevice(data)) return {Cycles(53 + 26 * (n / 3) + 6 + 26 * (n % 3) + 14), Flops(0)};
  const bool axpby = options.form == ScaledAddForm::AxPlusBy;
  const bool mixed = isHalf(data) && isFloat(scale);
  const int64_t v = vectorWidth(tile, data), vectors = n / v, q = vectors / workers, rest = n % v;
  int64_t k = mixed ? (axpby ? 5 : 4) : 3;
  if (options.memoryConstrained && !mixed) k = q >= 16 ? 1 : 2;

  int64_t supervisor = 21 + 11 + (rest == 0 ? 7 : 13) + 12 + 6;
  if (axpby) supervisor += 12;
  if (options.form == ScaledAddForm::Subtract) supervisor += 7;
  int64_t worker = 15 + (q > 0 ? 6 + k * (q - 1) : 0) + 2 + 1;
  if (vectors % workers != 0) worker += 1;
  if (isFloat(data) && rest != 0) worker += 8;
  if (isHalf(data)) worker += ((rest & 2) ? 5 : 0) + ((rest & 1) ? 13 : 0);
  return {Cycles(supervisor + workers * worker), Flops((axpby ? 3 : 2) * n)};
}

namespace {

// Worker cycles of one contiguous cast: e elements per iteration, then one test per power of two below e. Between 8-bit integers
// and halves a software loop clamps; 8-bit floats and wider types are converted while storing.
int64_t castWorker(const arch::TileArchitecture& tile, ElementType from, ElementType to, int64_t elements) {
  const int64_t fromBytes = elementBytes(from), toBytes = elementBytes(to);
  const bool fromQuarter = numerics::isQuarter(from), toQuarter = numerics::isQuarter(to);
  if (fromQuarter && toQuarter) return 19 + 13 * ceilDiv(elements, 8);
  if (fromQuarter && toBytes == 1) return 19 + 28 * ceilDiv(elements, 8);
  if (fromBytes == 1 && toQuarter) return 19 + 37 * ceilDiv(elements, 8);
  if (fromBytes == 1 && isHalf(to) && !fromQuarter) return 4 + 14 + 9 * ceilDiv(elements, 4);
  if (isHalf(from) && toBytes == 1 && !toQuarter) return 4 + 4 + 19 + 16 * ceilDiv(elements, 4);
  const int64_t loads = tile.dataPathBytes / fromBytes, stores = tile.dataPathBytes / toBytes;
  int64_t e = std::min(2 * loads, stores), cycles = std::max(ceilDiv(e, loads), ceilDiv(e, stores));
  const auto isConverted = [](ElementType type, bool isQuarter) { return isFloatingOnDevice(type) || isQuarter; };
  if (!isConverted(from, fromQuarter) || !isConverted(to, toQuarter)) {
    e = 1;
    cycles = 2;
  }
  const int64_t rest = elements % e;
  const int64_t tests = std::countr_zero(uint64_t(e));
  return 19 + cycles * (elements / e) + tests + 2 * std::popcount(uint64_t(rest));
}

} // namespace

VertexSpec cast1DSpec(ElementType from, ElementType to) {
  VertexState state;
  state.onePtr().onePtr().scalar(4);
  return makeSpec(typed("popops::Cast1D", from, to), VertexKind::Multi, VertexFamily::Elementwise,
                  codeBytes(CodeClass::AssemblyLoop), state);
}

// 12 + W x (worker + 18). Same source.
VertexCost cast1D(const arch::TileArchitecture& tile, ElementType from, ElementType to, int64_t elements) {
  const int64_t mine = ceilDiv(atLeastZero(elements), tile.workers);
  return {Cycles(12 + tile.workers * (castWorker(tile, from, to, mine) + 18)), Flops(0)};
}

VertexSpec fillSpec(ElementType type) {
  VertexState state;
  state.span().scalar(elementBytes(type));
  return makeSpec(typed("popops::Fill", type), VertexKind::Worker, VertexFamily::Elementwise, codeBytes(CodeClass::AssemblyLoop),
                  state);
}

// Worker: 4-byte 16 + n/2 (+6 for an odd element), 2-byte 26 + n/4, 1-byte 28 + n/4; whole vectors. Same source.
VertexCost fill(const arch::TileArchitecture&, ElementType type, int64_t elements) {
  const int64_t n = atLeastZero(elements);
  switch (elementBytes(type)) {
  case 1: return {Cycles(28 + ceilDiv(n, 4)), Flops(0)};
  case 2: return {Cycles(26 + ceilDiv(n, 4)), Flops(0)};
  default: return {Cycles(16 + n / 2 + (n % 2 ? 6 : 0)), Flops(0)};
  }
}

} // namespace simcore::codelets
