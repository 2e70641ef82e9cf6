// Gradients of nodes that move elements, and of reductions. Whatever only moves elements has one gradient: every element
// goes back to where it came from, and those that were repeated are summed (MovementGrad).
#include "simcore/model/operators/reversed_node.h"
#include "simcore/model/parameters.h"
#include "simcore/model/training/gradient.h"

#include <algorithm>

namespace simcore::model {

using numerics::Shape;

namespace {

void reshapeBack(const GradientCall& c) {
  if (c.wants(0)) c.give(0, c.graph().reshape(c.gradient(), c.call().shape(0)));
}

void transposeBack(const GradientCall& c) {
  const auto order = permutation(c.call());
  std::vector<std::int64_t> inverse(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) inverse[order[i]] = std::int64_t(i);
  c.give(0, c.graph().transpose(c.gradient(), inverse));
}

std::string sliceOf(const GradientCall& c, const std::string& x, std::size_t axis, std::int64_t begin, std::int64_t end) {
  return c.graph().add("Slice",
                       {x, c.graph().integers({begin}), c.graph().integers({end}), c.graph().integers({std::int64_t(axis)})});
}

void concatBack(const GradientCall& c) {
  const std::size_t axis = axisOf(c.call(), 1, c.call().shape(0).size());
  std::int64_t at = 0;
  for (std::size_t i = 0; i < c.node().inputs.size(); ++i) {
    const std::int64_t size = c.call().shape(i)[axis];
    if (c.wants(i)) c.give(i, sliceOf(c, c.gradient(), axis, at, at + size));
    at += size;
  }
}

void splitBack(const GradientCall& c) {
  const SplitParameters split = splitParameters(c.call());
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < split.sizes.size(); ++i) {
    std::string part = c.gradient(i);
    if (part.empty()) { // nothing reads this part
      Shape shape = c.call().shape(0);
      shape[split.axis] = split.sizes[i];
      part = c.graph().expand(c.graph().number(0, c.elementType()), shape);
    }
    parts.push_back(part);
  }
  c.give(0, c.graph().add("Concat", parts, attributes({{"axis", std::int64_t(split.axis)}})));
}

void moveBack(const GradientCall& c) { giveReversed(c, "MovementGrad"); }

void sliceBack(const GradientCall& c) {
  const auto ranges = sliceRanges(c.call());
  std::vector<std::int64_t> pads(2 * c.call().shape(0).size(), 0);
  for (const auto& range : ranges) {
    const auto r = numerics::resolve(range, c.call().shape(0)[range.axis]);
    if (r.step != 1) return moveBack(c);
    pads[range.axis] = r.first;
    pads[range.axis + c.call().shape(0).size()] = c.call().shape(0)[range.axis] - r.first - r.count;
  }
  c.give(0, c.graph().add("Pad", {c.gradient(), c.graph().integers(pads)}));
}

void padBack(const GradientCall& c) {
  const PadParameters p = padParameters(c.call());
  const bool cuts = std::any_of(p.before.begin(), p.before.end(), [](auto n) { return n < 0; }) ||
                    std::any_of(p.after.begin(), p.after.end(), [](auto n) { return n < 0; });
  if (p.mode != numerics::PadMode::Constant || cuts) return moveBack(c);
  std::vector<std::int64_t> starts, ends, axes;
  for (std::size_t i = 0; i < p.before.size(); ++i) {
    if (p.before[i] == 0 && p.after[i] == 0) continue;
    starts.push_back(p.before[i]);
    ends.push_back(p.before[i] + c.call().shape(0)[i]);
    axes.push_back(std::int64_t(i));
  }
  if (axes.empty()) return c.give(0, c.gradient());
  c.give(0,
         c.graph().add("Slice", {c.gradient(), c.graph().integers(starts), c.graph().integers(ends), c.graph().integers(axes)}));
}

void expandBack(const GradientCall& c) {
  if (c.wants(0)) c.give(0, c.graph().reduceTo(c.gradient(), c.call().shape(0)));
}

void dropoutBack(const GradientCall& c) { c.give(0, c.gradient()); }

// Reductions: the gradient with the reduced dimensions put back as 1.
struct Reduced {
  std::string gradient;
  Shape kept;
  std::int64_t count = 1; // elements that made one
};
std::string keptOutput(const GradientCall& c, const Reduced& r) { return c.graph().reshape(c.output(), r.kept); }
Reduced reducedOf(const GradientCall& c) {
  const Shape& x = c.call().shape(0);
  std::vector<std::size_t> axes;
  if (c.node().opType.rfind("Global", 0) == 0)
    for (std::size_t i = 2; i < x.size(); ++i) axes.push_back(i);
  else
    axes = reduceParameters(c.call()).axes;
  const Shape kept = numerics::reducedShape(x, axes, true);
  return {c.graph().reshape(c.gradient(), kept), kept,
          numerics::elementCount(x) / std::max<std::int64_t>(1, numerics::elementCount(kept))};
}
void sumBack(const GradientCall& c) {
  const Shape& x = c.call().shape(0);
  c.give(0, c.graph().expand(reducedOf(c).gradient, x));
}
void meanBack(const GradientCall& c) {
  const Reduced r = reducedOf(c);
  c.give(0, c.graph().expand(c.graph().scaled(r.gradient, 1.0 / double(r.count)), c.call().shape(0)));
}
void extremumBack(const GradientCall& c) {
  const Reduced r = reducedOf(c);
  c.give(0, c.graph().add("Where", {c.graph().add("Equal", {c.input(0), keptOutput(c, r)}), r.gradient,
                                    c.graph().number(0, c.elementType())}));
}
void sumSquareBack(const GradientCall& c) {
  c.give(0, c.graph().scaled(c.graph().add("Mul", {c.input(0), reducedOf(c).gradient}), 2));
}
void norm2Back(const GradientCall& c) {
  const Reduced r = reducedOf(c);
  c.give(0, c.graph().add("Mul", {c.input(0), c.graph().add("Div", {r.gradient, keptOutput(c, r)})}));
}
void norm1Back(const GradientCall& c) {
  c.give(0, c.graph().add("Mul", {c.graph().add("Sign", {c.input(0)}), reducedOf(c).gradient}));
}
void logSumExpBack(const GradientCall& c) {
  const Reduced r = reducedOf(c);
  c.give(0, c.graph().add("Mul", {c.graph().add("Exp", {c.graph().add("Sub", {c.input(0), keptOutput(c, r)})}), r.gradient}));
}

constexpr GradientEntry kLayoutGradients[] = {
    {"Reshape", reshapeBack},
    {"Flatten", reshapeBack},
    {"Squeeze", reshapeBack},
    {"Unsqueeze", reshapeBack},
    {"Dropout", dropoutBack},
    {"Transpose", transposeBack},
    {"Concat", concatBack},
    {"Split", splitBack},
    {"Slice", sliceBack},
    {"Pad", padBack},
    {"Expand", expandBack},
    {"Tile", moveBack},
    {"Gather", moveBack},
    {"GatherElements", moveBack},
    {"GatherND", moveBack},
    {"DepthToSpace", moveBack},
    {"SpaceToDepth", moveBack},
    {"ReduceSum", sumBack},
    {"ReduceMean", meanBack},
    {"GlobalAveragePool", meanBack},
    {"ReduceMax", extremumBack},
    {"ReduceMin", extremumBack},
    {"GlobalMaxPool", extremumBack},
    {"ReduceSumSquare", sumSquareBack},
    {"ReduceL2", norm2Back},
    {"ReduceL1", norm1Back},
    {"ReduceLogSumExp", logSumExpBack},
};

} // namespace

std::span<const GradientEntry> layoutGradients() { return kLayoutGradients; }

} // namespace simcore::model
