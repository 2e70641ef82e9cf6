#include "simcore/codelets/scan.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/op_costs.h"
#include "simcore/codelets/vertex_state.h"

#include <algorithm>

namespace simcore::codelets {

VertexSpec runningSumSpec(ElementType type) {
  VertexState state;
  state.onePtr().onePtr().scalar(4).scalar(4).scalar(4);
  return makeSpec(std::string("popops::CumulativeSum<") + codeletTypeName(type) + ">", VertexKind::Worker, VertexFamily::Reduce,
                  codeBytes(CodeClass::Compiled), state);
}

// Cycles: 20 to start, 6 per row, 4 per element. Elements narrower than a word are merged into it: 4 more per element.
VertexCost runningSum(const arch::TileArchitecture&, ElementType type, int64_t rows, int64_t rowLength) {
  const int64_t r = std::max<int64_t>(rows, 0), n = r * std::max<int64_t>(rowLength, 0);
  return {Cycles(20 + 6 * r + n * (elementBytes(type) < 4 ? 8 : 4)), Flops(isFloatingOnDevice(type) ? n : 0)};
}

} // namespace simcore::codelets
