// Nodes that move elements. What strides can say in few pieces becomes a view; the rest is moved once, because every later
// reader would otherwise fetch element by element.
#include "simcore/model/node_lowering.h"
#include "simcore/model/parameters.h"

namespace simcore::model {

using graph::Tensor;
using numerics::Shape;

namespace {

// Pieces of memory above which a view is not worth it.
constexpr std::int64_t kMostPieces = 2048;

void lowerView(NodeLowering& n) { n.giveView(n.input(0)); }

void lowerDropout(NodeLowering& n) {
  if (n.call().wantsOutput(1)) return lowerGeneric(n);
  n.giveView(n.input(0));
}

// Elements that stay neighbours when everything up to `axis` is cut.
std::int64_t runLength(const Shape& shape, std::size_t axis) { return numerics::elementCount(shape, axis, shape.size()); }

void giveMoved(NodeLowering& n, const std::vector<Tensor>& inputs, std::int64_t run, std::size_t output = 0) {
  n.give(ops::move(n.time(), n.node().opType, inputs, n.outputType(output), n.outputShape(output), std::max<std::int64_t>(1, run),
                   {}),
         output);
}

void lowerTranspose(NodeLowering& n) {
  const Tensor x = n.input(0);
  const auto order = permutation(n.call());
  // Dimensions of 1 may go anywhere without moving an element.
  std::size_t last = 0;
  bool ordered = true;
  for (const std::size_t axis : order) {
    if (x.dim(axis) == 1) continue;
    ordered = ordered && axis >= last;
    last = axis;
  }
  if (ordered) return n.giveView(x);
  n.give(ops::transpose(n.time(), x, order));
}

void lowerConcat(NodeLowering& n) {
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i) parts.push_back(n.input(i));
  const std::size_t axis = axisOf(n.call(), 1, parts[0].rank());
  const std::int64_t pieces = numerics::elementCount(n.outputShape(), 0, axis) * std::int64_t(parts.size());
  if (pieces <= kMostPieces) return n.giveView(graph::concat(parts, axis));
  giveMoved(n, parts, runLength(parts[0].shape(), axis));
}

void lowerSlice(NodeLowering& n) {
  Tensor view = n.input(0);
  std::size_t innermost = 0;
  bool steps = false;
  const auto ranges = sliceRanges(n.call());
  for (const auto& range : ranges) {
    innermost = std::max(innermost, range.axis);
    steps = steps || range.step != 1;
  }
  const std::int64_t pieces = steps ? kMostPieces + 1 : numerics::elementCount(n.outputShape(), 0, innermost);
  if (pieces > kMostPieces) return giveMoved(n, {view}, steps ? 1 : runLength(n.outputShape(), innermost));
  for (const auto& range : ranges) {
    const auto resolved = numerics::resolve(range, view.dim(range.axis));
    view = view.slice(resolved.first, resolved.first + resolved.count, range.axis);
  }
  n.giveView(view);
}

void lowerSplit(NodeLowering& n) {
  const Tensor x = n.input(0);
  const SplitParameters split = splitParameters(n.call());
  const bool isView = numerics::elementCount(x.shape(), 0, split.axis) <= kMostPieces;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < split.sizes.size() && i < n.node().outputs.size(); ++i) {
    if (n.call().wantsOutput(i)) {
      if (isView)
        n.giveView(x.slice(at, at + split.sizes[i], split.axis), i);
      else
        giveMoved(n, {x}, runLength(n.outputShape(i), split.axis), i);
    }
    at += split.sizes[i];
  }
}

// Padding, repeating, gathering, interpolating by the nearest: only positions change.
void lowerMove(NodeLowering& n) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i)
    if (n.has(i) && (i == 0 || !n.call().isKnown(i))) inputs.push_back(n.input(i));
  giveMoved(n, inputs, n.outputShape().empty() ? 1 : n.outputShape().back());
}

void lowerGather(NodeLowering& n) {
  const std::size_t axis = axisOf(n.call(), 0, n.call().shape(0).size());
  const std::int64_t row = numerics::elementCount(n.call().shape(0), axis + 1, n.call().shape(0).size());
  if (n.call().isKnown(1)) return giveMoved(n, {n.input(0)}, row);
  n.give(ops::gatherRows(n.time(), n.input(0), n.input(1), n.outputShape(), {}));
}

void lowerResize(NodeLowering& n) {
  if (n.call().attributes().text("mode", "nearest") == "nearest") return giveMoved(n, {n.input(0)}, 1);
  constexpr std::int64_t kCyclesPerElement = 16; // four taps of a bilinear interpolation
  n.give(ops::generic(n.time(), "resize", {n.input(0)}, n.outputType(), n.outputShape(), kCyclesPerElement, {}));
}

constexpr LoweringEntry kEntries[] = {
    {"Identity", lowerView},
    {"Reshape", lowerView},
    {"Flatten", lowerView},
    {"Squeeze", lowerView},
    {"Unsqueeze", lowerView},
    {"Dropout", lowerDropout},
    {"Transpose", lowerTranspose},
    {"Concat", lowerConcat},
    {"Slice", lowerSlice},
    {"Split", lowerSplit},
    {"Pad", lowerMove},
    {"Tile", lowerMove},
    {"Expand", lowerMove},
    {"DepthToSpace", lowerMove},
    {"SpaceToDepth", lowerMove},
    {"Gather", lowerGather},
    {"GatherElements", lowerMove},
    {"GatherND", lowerMove},
    {"ReverseSequence", lowerMove},
    {"Resize", lowerResize},
    {"Upsample", lowerResize},
};

} // namespace

std::span<const LoweringEntry> layoutLowerings() { return kEntries; }

} // namespace simcore::model
