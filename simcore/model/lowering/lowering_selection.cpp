// Operators that choose: how much they choose was observed, and is planned for.
#include "simcore/model/lowering/lowering_support.h"
#include "simcore/model/parameters.h"
#include "simcore/ops/sort/nonzero.h"
#include "simcore/ops/vision/nms.h"

namespace simcore::model {

namespace {

void lowerNonZero(NodeLowering& n) {
  const graph::Tensor x = n.input(0);
  if (x.rank() == 0) return lowerGeneric(n);
  n.give(gathered(n, ops::nonZero(n.parts(), x, n.outputShape()[1])));
}

void lowerSuppression(NodeLowering& n) {
  for (std::size_t i = 2; i < n.call().inputCount(); ++i)
    if (n.has(i) && !n.call().isKnown(i)) return lowerGeneric(n);
  n.give(gathered(
      n, ops::nonMaxSuppression(n.parts(), n.input(0), n.input(1), suppressionParameters(n.call()), n.outputShape()[0])));
}

constexpr LoweringEntry kSelectionLowerings[] = {{"NonZero", lowerNonZero}, {"NonMaxSuppression", lowerSuppression}};

} // namespace

std::span<const LoweringEntry> selectionLowerings() { return kSelectionLowerings; }

} // namespace simcore::model
