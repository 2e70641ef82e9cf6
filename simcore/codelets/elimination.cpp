#include "simcore/codelets/elimination.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/op_costs.h"
#include "simcore/codelets/vertex_state.h"

#include <algorithm>

namespace simcore::codelets {

using reports::ceilDiv;

namespace {

// Worker cycles of the parts of an elimination step.
constexpr int64_t kStart = 20;         // state fields into registers, and return
constexpr int64_t kCompare = 5;        // load element, magnitude, compare, branch or two moves, next address
constexpr int64_t kRow = 8;            // factor's element, product, row address, loop set-up, test whether the row was a pivot
constexpr int64_t kInverse = 6;        // 1 / pivot, as in the table of unary operations
constexpr int64_t kBookkeeping = 10;   // product of pivots, sign, positions of two rows
constexpr int64_t kUpdateOfVector = 3; // like a scaled add in float
constexpr int64_t kCopyOfVector = 2;   // a load and a store

int64_t vectors(const arch::TileArchitecture& tile, int64_t columns) {
  return ceilDiv(std::max<int64_t>(0, columns), vectorWidth(tile, ElementType::Float));
}

VertexSpec specOf(const char* name, CodeClass code, const VertexState& state) {
  return makeSpec(std::string("popops::") + name + "<float>", VertexKind::Worker, VertexFamily::Reduce, codeBytes(code), state);
}

} // namespace

VertexSpec determinantSpec() {
  VertexState state;
  state.onePtr().onePtr().scalar(4);
  return specOf("Determinant", CodeClass::LongFunction, state);
}

// Step k: searches n - k rows, exchanges two rows (two loads and two stores per vector), and updates n - k - 1 rows right of the
// pivot's column.
VertexCost determinant(const arch::TileArchitecture& tile, int64_t n) {
  int64_t cycles = kStart, flops = 0;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t left = n - k - 1;
    cycles += kBookkeeping + kInverse + (left + 1) * kCompare + vectors(tile, left + 1) * 2 * kCopyOfVector +
              left * (kRow + vectors(tile, left) * kUpdateOfVector);
    flops += 2 + left * (1 + 2 * left);
  }
  return {Cycles(cycles), Flops(flops)};
}

VertexSpec pivotSearchSpec() {
  VertexState state;
  state.onePtr().onePtr().onePtr().onePtr().scalar(4).scalar(4);
  return specOf("PivotSearch", CodeClass::Compiled, state);
}

VertexCost pivotSearch(const arch::TileArchitecture& tile, int64_t rows, int64_t columns) {
  return {Cycles(kStart + std::max<int64_t>(0, rows) * kCompare + vectors(tile, columns) * kCopyOfVector), Flops(0)};
}

VertexSpec pivotChoiceSpec() {
  VertexState state;
  state.onePtr().onePtr().onePtr().scalar(4).scalar(4);
  return specOf("PivotChoice", CodeClass::Compiled, state);
}

VertexCost pivotChoice(const arch::TileArchitecture& tile, int64_t candidates, int64_t columns) {
  return {Cycles(kStart + kBookkeeping + std::max<int64_t>(0, candidates) * kCompare + vectors(tile, columns) * kCopyOfVector),
          Flops(1)};
}

VertexSpec eliminateRowsSpec() {
  VertexState state;
  state.onePtr().onePtr().onePtr().scalar(4).scalar(4);
  return specOf("EliminateRows", CodeClass::Compiled, state);
}

VertexCost eliminateRows(const arch::TileArchitecture& tile, int64_t rows, int64_t columns) {
  const int64_t n = std::max<int64_t>(0, rows), width = std::max<int64_t>(0, columns);
  return {Cycles(kStart + kInverse + n * (kRow + vectors(tile, width) * kUpdateOfVector)), Flops(n * (1 + 2 * width))};
}

} // namespace simcore::codelets
