#include "simcore/codelets/random.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/op_costs.h"
#include "simcore/codelets/vertex_state.h"

#include <algorithm>

namespace simcore::codelets {

using reports::ceilDiv;

namespace {

// Full range: n/2 + 132 + 4 cycles; limited range: 6 n/2 + 132.
int64_t uniformInteger(int64_t n, bool fullRange) { return fullRange ? ceilDiv(n, 2) + 132 + 4 : 6 * ceilDiv(n, 2) + 132; }

int64_t bernoulliSetUp(ElementType type) { return isFloat(type) ? 21 : isHalf(type) ? 22 : 23; }

} // namespace

VertexSpec randomSpec(RandomKind kind, ElementType type) {
  static constexpr const char* kNames[] = {"UniformSupervisor", "NormalSupervisor", "TruncatedNormalSupervisor",
                                           "BernoulliSupervisor", "DropoutSupervisor"};
  VertexState state;
  state.span().scalar(4).scalar(4).scalar(2);
  if (kind == RandomKind::Dropout) state.onePtr();
  return makeSpec(std::string("poprand::") + kNames[size_t(kind)] + "<" + codeletTypeName(type) + ">", VertexKind::Multi,
                  VertexFamily::Random, codeBytes(CodeClass::Random), state);
}

// poprandCycleEstimators, reference 9.6: uniform 4 + 4 up(n/vw) + (22 | 24) W + (4 | 12 remainder); normal 4 + 4 up(n/v) + (22 |
// 24) W + (3 | 12 remainder); truncated normal 4 + up(n/v) x ((11 | 12) iterations + 5) + (26 | 28) W; Bernoulli 4 + up(n/vw) +
// (21..23) W; dropout 6 + 24 W + 2 up(n/v) + (1 | 9).
VertexCost random(const arch::TileArchitecture& tile, RandomKind kind, ElementType type, int64_t elements,
                  RandomOptions options) {
  const int64_t n = std::max<int64_t>(elements, 0), v = vectorWidth(tile, type), workers = tile.workers;
  const bool half = isHalf(type), rest = n % v != 0;
  const int64_t wide = options.model == RandomModel::Published ? (half ? 16 : 32) : v;
  const int64_t setUp = (half ? 24 : 22) * workers;
  int64_t cycles = 0;
  switch (kind) {
  case RandomKind::Uniform:
    if (!isFloatingOnDevice(type))
      cycles = uniformInteger(n, options.fullRangeInteger);
    else
      cycles = 4 + 4 * ceilDiv(n, wide) + setUp + (rest ? (half ? 12 : 4) : 0);
    break;
  case RandomKind::Normal: cycles = 4 + 4 * ceilDiv(n, v) + setUp + (rest ? (half ? 12 : 3) : 0); break;
  case RandomKind::TruncatedNormal:
    cycles = 4 + ceilDiv(n, v) * ((half ? 12 : 11) * std::max<int64_t>(options.truncationIterations, 1) + 5) +
             (half ? 28 : 26) * workers;
    break;
  case RandomKind::Bernoulli: cycles = 4 + ceilDiv(n, wide) + bernoulliSetUp(type) * workers; break;
  case RandomKind::Dropout: cycles = 6 + 24 * workers + 2 * ceilDiv(n, v) + (rest ? (half ? 9 : 1) : 0); break;
  }
  return {Cycles(cycles), Flops(isFloatingOnDevice(type) ? n : 0)};
}

VertexSpec setSeedSpec() {
  VertexState state;
  state.onePtr().scalar(4).scalar(4);
  return makeSpec("poprand::SetSeedSupervisor", VertexKind::Multi, VertexFamily::Random, codeBytes(CodeClass::Random), state);
}

// 14 + 27 W cycles.
VertexCost setSeed(const arch::TileArchitecture& tile) { return {Cycles(14 + 27 * tile.workers), Flops(0)}; }

} // namespace simcore::codelets
