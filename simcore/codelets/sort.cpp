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

// Per pair: two loads, compare, move the result, branch, two stores, loop: 8. Values add two loads, two stores and an address.
// Keys narrower than a word need a read and a merge per store.
VertexCost compareExchange(const arch::TileArchitecture&, ElementType keys, bool values, int64_t pairs) {
  const int64_t n = std::max<int64_t>(pairs, 0);
  const int64_t pair = 8 + (values ? 5 : 0) + (elementBytes(keys) < 4 ? 6 : 0);
  return {Cycles(18 + pair * n), Flops(isFloatingOnDevice(keys) ? n : 0)};
}

namespace {
VertexSpec selectionSpec(const std::string& name, const VertexState& state) {
  return makeSpec("tilescope::" + name, VertexKind::Worker, VertexFamily::Sort, codeBytes(CodeClass::Compiled), state);
}
Flops comparisons(ElementType keys, int64_t count) { return Flops(isFloatingOnDevice(keys) ? count : 0); }
} // namespace

VertexSpec countAtLeastSpec(ElementType keys) {
  VertexState state;
  state.onePtr().onePtr().onePtr().scalar(4).scalar(4);
  return selectionSpec(std::string("CountAtLeast<") + codeletTypeName(keys) + ">", state);
}

// Per vector of the data path: compare, mask and add for each limit, with the load in the bundle of the first. The counts of a
// vector's lanes are summed and stored in six instructions per limit.
VertexCost countAtLeast(const arch::TileArchitecture& tile, ElementType keys, int64_t count, int64_t limits) {
  const int64_t vectors = reports::ceilDiv(count, std::max<int64_t>(1, tile.dataPathBytes / elementBytes(keys)));
  return {Cycles(24 + limits * (3 * vectors + 6)), comparisons(keys, count * limits)};
}

VertexSpec narrowLimitsSpec() {
  VertexState state;
  state.onePtr().onePtr().scalar(4).scalar(4).scalar(4);
  return selectionSpec("NarrowLimits", state);
}

// Per limit: two counts per load, one addition for each, and a comparison of the sum with k. Then the interval that contains the
// k-th key is halved once for each bit that the round finds, and the new limits are computed and stored.
VertexCost narrowLimits(const arch::TileArchitecture&, int64_t partials, int64_t limits) {
  return {Cycles(30 + limits * (reports::ceilDiv(partials, 2) + 8)), Flops(0)};
}

VertexSpec listAtLeastSpec(ElementType keys) {
  VertexState state;
  state.onePtr().onePtr().onePtr().scalar(4).scalar(4);
  return selectionSpec(std::string("ListAtLeast<") + codeletTypeName(keys) + ">", state);
}

// Per key: load, two comparisons and their results in integer registers, store of key and position, next position, two additions.
// A key narrower than a word needs a merge for its store.
VertexCost listAtLeast(const arch::TileArchitecture&, ElementType keys, int64_t count) {
  const int64_t each = 10 + (elementBytes(keys) < 4 ? 2 : 0);
  return {Cycles(24 + each * count), comparisons(keys, 2 * count)};
}

VertexSpec joinListsSpec(ElementType keys) {
  VertexState state;
  state.onePtr().onePtr().onePtr().scalar(4).scalar(4);
  return selectionSpec(std::string("JoinLists<") + codeletTypeName(keys) + ">", state);
}

// Per list: load both counts, two additions, next list. Per own list: its loop. Per skipped element: load, compare with the
// limit, branch. Per copied element also: load and store of key and position, and the count of equal keys.
VertexCost joinLists(const arch::TileArchitecture&, int64_t lists, int64_t own, int64_t skipped, int64_t copied) {
  return {Cycles(30 + 4 * lists + 10 * own + 3 * skipped + 8 * copied), Flops(0)};
}

} // namespace simcore::codelets
