#include "simcore/codelets/sort.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/op_costs.h"
#include "simcore/codelets/vertex_state.h"

#include <algorithm>
#include <bit>

namespace simcore::codelets {

VertexSpec compareExchangeSpec(ElementType keys, bool values) {
  VertexState state;
  state.vectorList(1).scalar(4).numbers(1, 6);
  if (values) state.vectorList(1);
  return makeSpec(std::string("popops::CompareAndSwapAtDistance") + (values ? "KeyVal<" : "<") + codeletTypeName(keys) + ">",
                  VertexKind::Worker, VertexFamily::Sort, codeBytes(CodeClass::Compiled), state);
}

// Per pair: two loads, compare, move the result, branch, two stores, loop: 8; the values add two loads, two stores and an
// address. Keys narrower than a word need a read and a merge for each store.
VertexCost compareExchange(const arch::TileArchitecture&, ElementType keys, bool values, int64_t pairs) {
  const int64_t n = std::max<int64_t>(pairs, 0);
  const int64_t pair = 8 + (values ? 5 : 0) + (elementBytes(keys) < 4 ? 6 : 0);
  return {Cycles(18 + pair * n), Flops(isFloatingOnDevice(keys) ? n : 0)};
}

} // namespace simcore::codelets
