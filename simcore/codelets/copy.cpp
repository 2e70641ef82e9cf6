#include "simcore/codelets/copy.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/op_costs.h"
#include "simcore/codelets/vertex_state.h"

#include <algorithm>

namespace simcore::codelets {

using reports::ceilDiv;

namespace {

// 400 aligned bytes take 67 to 83 cycles, 100 strided words 801 to 1158 (GC2, reference 9.9). The constants are fitted to these.
constexpr int64_t kCopyStart = 24;
constexpr int64_t kStridedWorker = 15, kStridedElement = 7;
constexpr int64_t kRowStart = 7;

int64_t atom(int64_t alignment) { return alignment >= 8 ? 8 : alignment >= 4 ? 4 : alignment >= 2 ? 2 : 1; }

} // namespace

VertexSpec memcpySpec(int64_t alignment) {
  VertexState state;
  state.onePtr().onePtr().scalar(4);
  return makeSpec("poplar_rt::Memcpy" + std::to_string(8 * atom(alignment)) + "Bit", VertexKind::Multi, VertexFamily::Copy,
                  codeBytes(CodeClass::CopyLoop), state);
}

// One atom per worker issue: 8, 4, 2 or 1 bytes per tile cycle.
VertexCost memcpyCycles(const arch::TileArchitecture& tile, int64_t bytes, int64_t alignment) {
  const int64_t atoms = ceilDiv(atLeastZero(bytes), atom(alignment));
  return {Cycles(kCopyStart + tile.workers * ceilDiv(atoms, tile.workers)), Flops(0)};
}

VertexSpec copy2DSpec(int64_t alignment, int64_t rows) {
  VertexState state;
  state.vectorList(rows).vectorList(rows);
  return makeSpec("poplar_rt::Memcpy2D" + std::to_string(8 * atom(alignment)) + "Bit", VertexKind::Multi, VertexFamily::Copy,
                  codeBytes(CodeClass::CopyLoop), state);
}

// Rows are distributed over the workers; each row has its own start-up cycles.
VertexCost copy2D(const arch::TileArchitecture& tile, int64_t rows, int64_t bytesPerRow, int64_t alignment) {
  const int64_t row = kRowStart + ceilDiv(atLeastZero(bytesPerRow), atom(alignment));
  return {Cycles(kCopyStart + tile.workers * ceilDiv(atLeastZero(rows), tile.workers) * row), Flops(0)};
}

VertexSpec stridedCopySpec(ElementType type) {
  VertexState state;
  state.onePtr().onePtr().scalar(4).scalar(2).scalar(2);
  return makeSpec(std::string("poplar_rt::StridedCopy<") + codeletTypeName(type) + ">", VertexKind::Multi, VertexFamily::Copy,
                  codeBytes(CodeClass::CopyLoop), state);
}

// 7 per element; an element narrower than a word is merged into the word, which takes 3 more.
VertexCost stridedCopy(const arch::TileArchitecture& tile, ElementType type, int64_t elements) {
  const int64_t each = kStridedElement + (elementBytes(type) < 4 ? 3 : 0);
  return {Cycles(tile.workers * (kStridedWorker + each * ceilDiv(atLeastZero(elements), tile.workers))), Flops(0)};
}

namespace {
int64_t transposeGrain(ElementType type) { return elementBytes(type) == 2 ? 4 : 2; }
} // namespace

bool hasFastTranspose(ElementType type, int64_t rows, int64_t columns) {
  const int64_t grain = transposeGrain(type), size = elementBytes(type);
  return (size == 2 || size == 4) && rows > 0 && columns > 0 && rows % grain == 0 && columns % grain == 0;
}

VertexSpec transposeSpec(ElementType type, bool fast) {
  VertexState state;
  state.onePtr().onePtr().scalar(2).scalar(2).scalar(2).scalar(2);
  return makeSpec(std::string(fast ? "popops::Transpose1D<" : "popops::TransposeElements<") + codeletTypeName(type) + ">",
                  VertexKind::Multi, VertexFamily::Copy, codeBytes(CodeClass::AssemblyLoop), state);
}

// Grain g = 4 (fp16) c = 4, g = 2 (fp32) c = 3; T = up(transposes / W). One grain: worker 29, or 37 + (T-2) c; one column
// of grains: 27 + T (35 + c (rows-2)); else 29 + T (18 + rows (12 + c (cols-2))). Total 7 + W x worst. Reference 9.7.
VertexCost transpose(const arch::TileArchitecture& tile, ElementType type, int64_t rows, int64_t columns, int64_t transposes) {
  transposes = atLeastZero(transposes);
  if (rows <= 0 || columns <= 0 || transposes == 0) return {Cycles(7), Flops(0)};
  if (!hasFastTranspose(type, rows, columns)) return stridedCopy(tile, type, rows * columns * transposes);
  const int64_t grain = transposeGrain(type), c = grain == 4 ? 4 : 3, each = ceilDiv(transposes, tile.workers);
  const int64_t r = rows / grain, k = columns / grain;
  int64_t worker = 0;
  if (r == 1 && k == 1)
    worker = each <= 1 ? 29 : 37 + (each - 2) * c;
  else if (k == 1)
    worker = 27 + each * (35 + c * (r - 2));
  else
    worker = 29 + each * (18 + r * (12 + c * (k - 2)));
  return {Cycles(7 + tile.workers * worker), Flops(0)};
}

Cycles rearrangementCycles(int64_t bytes2, int64_t bytes4, int64_t bytes8) {
  bytes2 = atLeastZero(bytes2);
  bytes4 = atLeastZero(bytes4);
  bytes8 = atLeastZero(bytes8);
  if (bytes2 + bytes4 + bytes8 == 0) return Cycles(0);
  return Cycles(587 + ceilDiv(515 * bytes2 + 313 * bytes4 + 44 * bytes8, 100)); // in hundredths, for integer arithmetic
}

} // namespace simcore::codelets
