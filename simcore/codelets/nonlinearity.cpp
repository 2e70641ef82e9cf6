#include "simcore/codelets/nonlinearity.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/op_costs.h"
#include "simcore/codelets/vertex_state.h"

#include <algorithm>

namespace simcore::codelets {

using reports::ceilDiv;

namespace {

struct LoopCosts {
  int64_t single, vector; // o and o_v in the reference: cycles alone, and inside the vector loop
};

LoopCosts forwardCosts(NonLinearity kind, bool half) {
  switch (kind) {
  case NonLinearity::Relu: return {1, 1};
  case NonLinearity::Sigmoid: return half ? LoopCosts{2, 4} : LoopCosts{5, 10};
  case NonLinearity::Tanh: return half ? LoopCosts{1, 2} : LoopCosts{5, 10};
  case NonLinearity::Gelu: return half ? LoopCosts{5, 5} : LoopCosts{10, 10};
  case NonLinearity::GeluErf: return half ? LoopCosts{15, 15} : LoopCosts{30, 30};
  case NonLinearity::Swish: return half ? LoopCosts{3, 5} : LoopCosts{6, 11};
  }
  return {1, 1};
}

// Gradients take 3 cycles per vector (relu, sigmoid, tanh); gelu's gradient costs as much as gelu; swish's gradient also computes
// the function.
LoopCosts gradientCosts(NonLinearity kind, bool half) {
  switch (kind) {
  case NonLinearity::Relu:
  case NonLinearity::Sigmoid:
  case NonLinearity::Tanh: return {3, 3};
  default: return forwardCosts(kind, half);
  }
}

// [2 + o + (q-1) x o_v + 1 + o if q > 0] + 3 fp32 (4 fp16) + remainders (2 + o for a pair of halves, 3 + o for one).
int64_t regionCycles(const LoopCosts& o, bool half, int64_t q, int64_t rest) {
  int64_t cycles = half ? 4 : 3;
  if (q > 0) cycles += 2 + o.single + (q - 1) * o.vector + 1 + o.single;
  if (half && (rest & 2)) cycles += 2 + o.single;
  if (rest & 1) cycles += (half ? 3 : 2) + o.single;
  return cycles;
}

int64_t forwardFlops(NonLinearity kind) {
  switch (kind) {
  case NonLinearity::Gelu:
  case NonLinearity::GeluErf: return 8;
  case NonLinearity::Swish: return 2;
  default: return 1;
  }
}

int64_t gradientFlops(NonLinearity kind) {
  switch (kind) {
  case NonLinearity::Gelu:
  case NonLinearity::GeluErf: return 15;
  case NonLinearity::Swish: return 5;
  case NonLinearity::Sigmoid:
  case NonLinearity::Tanh: return 2;
  case NonLinearity::Relu: break;
  }
  return 1;
}

VertexSpec spec(const char* base, NonLinearity kind, ElementType type, VertexKind vertexKind, const VertexState& state) {
  return makeSpec(std::string("popnn::") + base + "<" + codeletTypeName(type) + "," + nonLinearityName(kind) + ">", vertexKind,
                  VertexFamily::Nonlinearity, codeBytes(CodeClass::AssemblyLoop), state);
}

} // namespace

const char* nonLinearityName(NonLinearity kind) {
  static constexpr const char* kNames[] = {"RELU", "SIGMOID", "TANH", "GELU", "GELU_ERF", "SWISH"};
  return kNames[size_t(kind)];
}

VertexSpec nonLinearity1DSpec(NonLinearity kind, ElementType type, Placement where) {
  const bool inPlace = where == Placement::InPlace;
  VertexState state;
  state.onePtr().scalar(4);
  if (!inPlace) state.onePtr();
  return spec(inPlace ? "NonLinearity1DInPlace" : "NonLinearity1D", kind, type, VertexKind::Multi, state);
}

// 9 + W x (20 + 1 for swish in place + region), q = up((n / v) / W). Reference 9.5.
VertexCost nonLinearity1D(const arch::TileArchitecture& tile, NonLinearity kind, ElementType type, int64_t elements,
                          Placement where) {
  const int64_t n = std::max<int64_t>(elements, 0), v = vectorWidth(tile, type);
  const int64_t region = regionCycles(forwardCosts(kind, isHalf(type)), isHalf(type), ceilDiv(n / v, tile.workers), n % v);
  const int64_t swish = kind == NonLinearity::Swish && where == Placement::InPlace ? 1 : 0;
  return {Cycles(9 + tile.workers * (20 + swish + region)), Flops(n * forwardFlops(kind))};
}

VertexSpec nonLinearityGrad1DSpec(NonLinearity kind, ElementType type) {
  VertexState state;
  state.onePtr().onePtr().onePtr().scalar(4);
  return spec("NonLinearityGrad1D", kind, type, VertexKind::Multi, state);
}

// Like the forward form, with the loop of the gradient.
VertexCost nonLinearityGrad1D(const arch::TileArchitecture& tile, NonLinearity kind, ElementType type, int64_t elements) {
  const int64_t n = std::max<int64_t>(elements, 0), v = vectorWidth(tile, type);
  const int64_t region = regionCycles(gradientCosts(kind, isHalf(type)), isHalf(type), ceilDiv(n / v, tile.workers), n % v);
  return {Cycles(9 + tile.workers * (20 + region)), Flops(n * gradientFlops(kind))};
}

} // namespace simcore::codelets
