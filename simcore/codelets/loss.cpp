#include "simcore/codelets/loss.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/vertex_state.h"

#include <algorithm>

namespace simcore::codelets {

namespace {
constexpr int64_t kWorkerStart = 5; // cycles before the loop, as for other worker vertices in the reference
}

VertexSpec lossTransformSpec(LossKind kind, ElementType type) {
  VertexState state;
  state.onePtr().onePtr().onePtr().onePtr().scalar(4);
  const char* base = kind == LossKind::SumSquared ? "LossSumSquaredTransform" : "LossCrossEntropyTransform";
  return makeSpec(std::string("popnn::") + base + "<" + codeletTypeName(type) + ">", VertexKind::Worker,
                  VertexFamily::Nonlinearity, codeBytes(CodeClass::Compiled), state);
}

// Worker cycles per element: 9 for softmax cross-entropy, 4 for the sum of squares.
VertexCost lossTransform(const arch::TileArchitecture&, LossKind kind, ElementType, int64_t elements) {
  const int64_t n = std::max<int64_t>(elements, 0), each = kind == LossKind::SumSquared ? 4 : 9;
  return {Cycles(kWorkerStart + each * n), Flops(3 * n)};
}

namespace {
VertexSpec largestOf(ElementType type, VertexKind kind, const char* name) {
  VertexState state;
  state.span().onePtr().onePtr().scalar(4);
  return makeSpec(std::string("popnn::") + name + "<" + codeletTypeName(type) + ">", kind, VertexFamily::Nonlinearity,
                  codeBytes(CodeClass::Compiled), state);
}
} // namespace

VertexSpec argMaxSpec(ElementType type) { return largestOf(type, VertexKind::Worker, "ReduceMaxClassSparse"); }
VertexSpec argMaxSharedSpec(ElementType type) { return largestOf(type, VertexKind::Multi, "ReduceMaxClassGather"); }

// About 3 per element: one comparison each.
VertexCost argMax(const arch::TileArchitecture&, ElementType type, int64_t elements) {
  const int64_t n = std::max<int64_t>(elements, 0);
  return {Cycles(kWorkerStart + 3 * n), Flops(numerics::isFloating(type) ? n : 0)};
}

// 9 + W x (17 + 3 per element after the first + 13), popnn's estimate of ReduceMaxClassGather.
VertexCost argMaxShared(const arch::TileArchitecture& tile, ElementType type, int64_t elements) {
  const int64_t n = std::max<int64_t>(elements, 1), ofWorker = reports::ceilDiv(n, tile.workers);
  return {Cycles(9 + tile.workers * (17 + 3 * (ofWorker - 1) + 13)), Flops(numerics::isFloating(type) ? n : 0)};
}

} // namespace simcore::codelets
