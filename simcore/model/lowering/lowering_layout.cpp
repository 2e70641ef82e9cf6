// Nodes that move elements. What strides can say in few pieces becomes a view; the rest is moved once, because every later
// reader would otherwise fetch element by element.
#include "simcore/model/lowering/node_lowering.h"
#include "simcore/model/parameters.h"

#include <numeric>

namespace simcore::model {

using graph::Tensor;
using numerics::Shape;

namespace {

// Pieces of memory above which a view is not worth it.
constexpr std::int64_t kMostPieces = 2048;

void lowerView(NodeLowering& n) { n.giveView(n.input(0)); }

void lowerDropout(NodeLowering& n) {
  if (n.call().wantsOutput(1)) // in inference everything stays
    n.give(ops::generate(n.parts(), "mask", {}, n.outputType(1), n.outputShape(1), 1, {},
                         [](const std::vector<numerics::HostTensor>&, const std::vector<std::int64_t>& at) {
                           return numerics::HostTensor::full(numerics::ElementType::Bool, {std::int64_t(at.size())}, 1);
                         }),
           1);
  n.giveView(n.input(0));
}

// Elements that stay neighbours when everything up to `axis` is cut.
std::int64_t runLength(const Shape& shape, std::size_t axis) { return numerics::elementCount(shape, axis, shape.size()); }

// A new tensor from inputs `from` of the node, whose operator only moves elements; the first `movable` of them are what moves.
void giveMoved(NodeLowering& n, const std::vector<std::size_t>& from, std::int64_t run, std::size_t output = 0,
               std::size_t movable = SIZE_MAX, double fill = 0) {
  std::vector<Tensor> inputs;
  for (const std::size_t i : from) inputs.push_back(n.input(i));
  n.give(ops::move(n.parts(), n.node().opType, inputs, n.outputType(output), n.outputShape(output),
                   std::max<std::int64_t>(1, run), {n.own(from, output), movable, fill}),
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
  n.give(ops::transpose(n.parts(), x, order));
}

void lowerConcat(NodeLowering& n) {
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i) parts.push_back(n.input(i));
  const std::size_t axis = axisOf(n.call(), 1, parts[0].rank());
  const std::int64_t pieces = numerics::elementCount(n.outputShape(), 0, axis) * std::int64_t(parts.size());
  if (pieces <= kMostPieces) return n.giveView(graph::concat(parts, axis));
  std::vector<std::size_t> all(parts.size());
  std::iota(all.begin(), all.end(), 0);
  giveMoved(n, all, runLength(parts[0].shape(), axis));
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
  if (pieces > kMostPieces) return giveMoved(n, {0}, steps ? 1 : runLength(n.outputShape(), innermost));
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
        giveMoved(n, {0}, runLength(n.outputShape(i), split.axis), i);
    }
    at += split.sizes[i];
  }
}

std::int64_t lastDimension(NodeLowering& n) { return n.outputShape().empty() ? 1 : n.outputShape().back(); }

// Repeating, rearranging in blocks: only positions change, and only by what is known beforehand.
void lowerMove(NodeLowering& n) {
  std::vector<std::size_t> from{0};
  for (std::size_t i = 1; i < n.call().inputCount(); ++i)
    if (n.has(i) && !n.call().isKnown(i)) from.push_back(i);
  giveMoved(n, from, lastDimension(n), 0, 1);
}

void lowerPad(NodeLowering& n) {
  const PadParameters p = padParameters(n.call());
  const Tensor x = n.input(0);
  // The value is not an element that moves.
  const auto where = ops::oneResult(
      [p](const std::vector<numerics::HostTensor>& in) { return numerics::pad(in[0], p.before, p.after, p.mode, nullptr); });
  n.give(ops::move(n.parts(), "Pad", {x}, n.outputType(), n.outputShape(), std::max<std::int64_t>(1, lastDimension(n)),
                   {n.byVertices() ? where : ops::HostKernel{}, 1, p.value ? p.value->at(0) : 0.0}));
}

// Known indices: a movement like any other. Else rows of a table that the run looks up.
void lowerGather(NodeLowering& n) {
  const Shape& shape = n.call().shape(0);
  const std::size_t axis = axisOf(n.call(), 0, shape.size());
  const std::int64_t row = numerics::elementCount(shape, axis + 1, shape.size());
  if (n.call().isKnown(1)) return giveMoved(n, {0}, row);
  const Tensor x = n.input(0), indices = n.input(1);
  const std::int64_t before = numerics::elementCount(shape, 0, axis);
  if (before == 1) return n.give(ops::multiSlice(n.parts(), x.reshape({shape[axis], row}), indices.flatten()));
  // The gathered dimension becomes the first, as popops does it, and goes back afterwards.
  const Tensor table = x.reshape({before, shape[axis], row}).dimShuffle({1, 0, 2}).reshape({shape[axis], before * row});
  const Tensor rows = ops::multiSlice(n.parts(), table, indices.flatten());
  n.give(ops::transpose(n.parts(), rows.reshape({indices.numElements(), before, row}), {1, 0, 2}));
}

constexpr LoweringEntry kLayoutLowerings[] = {
    {"Identity", lowerView},        {"Reshape", lowerView},      {"Flatten", lowerView},
    {"Squeeze", lowerView},         {"Unsqueeze", lowerView},    {"Dropout", lowerDropout},
    {"Transpose", lowerTranspose},  {"Concat", lowerConcat},     {"Slice", lowerSlice},
    {"Split", lowerSplit},          {"Pad", lowerPad},           {"Tile", lowerMove},
    {"Expand", lowerMove},          {"DepthToSpace", lowerMove}, {"SpaceToDepth", lowerMove},
    {"Gather", lowerGather},        {"Compress", lowerMove},     {"Trilu", lowerMove},
    {"ReverseSequence", lowerMove},
};

} // namespace

std::span<const LoweringEntry> layoutLowerings() { return kLayoutLowerings; }

} // namespace simcore::model
