// Slices, parts, concatenation and padding.
#include "simcore/model/operators/family.h"
#include "simcore/numerics/layout.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <span>

namespace simcore::model {

using numerics::PadMode;

namespace {

// ---- parameters ------------------------------------------------------------------------------------------------------------

struct PadParameters {
  std::vector<std::int64_t> before, after;
  PadMode mode = PadMode::Constant;
  std::optional<HostTensor> value;
};

// CenterCropPad: the same number of elements on both sides; an odd element is at the end.
PadParameters centredParameters(const Call& call) {
  const Shape& shape = call.shape(0);
  const std::vector<std::int64_t> sizes = call.value(1).toIntegers();
  std::vector<std::int64_t> axes = call.attributes().integers("axes");
  for (std::size_t i = 0; axes.size() < shape.size() && !call.attributes().has("axes"); ++i) axes.push_back(std::int64_t(i));
  requireCount("CenterCropPad of " + std::to_string(axes.size()) + " axes", sizes.size(), axes.size(), "size");
  PadParameters p;
  p.before.assign(shape.size(), 0);
  p.after.assign(shape.size(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = numerics::normaliseAxis(axes[i], shape.size());
    if (sizes[i] < 0) refuseNode("CenterCropPad has the size " + std::to_string(sizes[i]));
    const std::int64_t more = sizes[i] - shape[axis];
    p.before[axis] = more / 2; // the smaller half; also for cropping, which rounds the start down
    p.after[axis] = more - p.before[axis];
  }
  return p;
}

PadParameters padParameters(const Call& call) {
  if (call.node().opType == "CenterCropPad") return centredParameters(call);
  PadParameters parameters;
  parameters.mode = chosen<PadMode>(
      "mode", call.attributes().text("mode", "constant"),
      {{"constant", PadMode::Constant}, {"edge", PadMode::Edge}, {"reflect", PadMode::Reflect}, {"wrap", PadMode::Wrap}});
  const std::size_t rank = call.shape(0).size();
  std::vector<std::int64_t> pads = call.integers(1, "pads");
  if (call.has(3)) { // since opset 18: only for these axes
    const std::vector<std::int64_t> axes = call.value(3).toIntegers();
    requireCount("Pad of " + std::to_string(axes.size()) + " axes", pads.size(), 2 * axes.size(), "size");
    std::vector<std::int64_t> all(2 * rank, 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::size_t axis = numerics::normaliseAxis(axes[i], rank);
      all[axis] = pads[i];
      all[rank + axis] = pads[axes.size() + i];
    }
    pads = all;
  }
  requireCount("Pad of " + std::to_string(rank) + " dimensions", pads.size(), 2 * rank, "size");
  parameters.before.assign(pads.begin(), pads.begin() + std::ptrdiff_t(rank));
  parameters.after.assign(pads.begin() + std::ptrdiff_t(rank), pads.end());
  if (call.has(2))
    parameters.value = call.value(2);
  else if (call.attributes().has("value"))
    parameters.value = HostTensor::full(call.elementType(0), {}, real(call, "value", 0));
  return parameters;
}

std::vector<numerics::SliceRange> sliceRanges(const Call& call) {
  const auto starts = call.integers(1, "starts"), ends = call.integers(2, "ends"), steps = call.integers(4, "steps");
  auto axes = call.integers(3, "axes");
  if (axes.empty()) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  requireCount("the list of ends of Slice", ends.size(), starts.size());
  requireCount("the list of axes of Slice", axes.size(), starts.size());
  if (!steps.empty()) requireCount("the list of steps of Slice", steps.size(), starts.size());
  std::vector<numerics::SliceRange> ranges;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    // Division by a step must not overflow for any int64.
    const std::int64_t step = steps.empty() ? 1 : std::max(steps[i], std::numeric_limits<std::int64_t>::min() + 1);
    ranges.push_back({numerics::normaliseAxis(axes[i], call.shape(0).size()), starts[i], ends[i], step});
  }
  return ranges;
}
// Start and size of every output along `axis`.
struct SplitParameters {
  std::size_t axis = 0;
  std::vector<std::int64_t> sizes;
};

SplitParameters splitParameters(const Call& call) {
  SplitParameters parameters{axisOf(call, 0, call.shape(0).size()), call.integers(1, "split")};
  const std::int64_t dim = call.shape(0)[parameters.axis];
  if (parameters.sizes.empty()) {
    const auto parts = std::int64_t(call.outputCount()), said = call.attributes().integer("num_outputs", parts);
    if (said != parts)
      refuseNode("attribute 'num_outputs' of Split is " + std::to_string(said) + ", but it has " + std::to_string(parts) +
                 " outputs");
    const std::int64_t size = (dim + parts - 1) / parts;
    for (std::int64_t at = 0, i = 0; i < parts; ++i, at += size)
      parameters.sizes.push_back(std::clamp<std::int64_t>(dim - at, 0, size));
  }
  std::int64_t total = 0;
  for (const std::int64_t size : parameters.sizes) {
    if (size < 0 || size > dim) refuseNode("Split has a part of " + std::to_string(size) + " out of " + std::to_string(dim));
    total += size;
  }
  if (total != dim) refuseNode("the parts of Split add up to " + std::to_string(total) + " instead of " + std::to_string(dim));
  return parameters;
}

// ---- types and numbers -----------------------------------------------------------------------------------------------------

Types inferConcat(const Call& call) {
  Shape shape = call.shape(0);
  const std::size_t axis = axisOf(call, 1, shape.size());
  for (std::size_t i = 1; i < call.inputCount(); ++i) {
    Shape other = call.shape(i);
    if (other.size() != shape.size())
      refuseNode("Concat cannot join " + numerics::toString(shape) + " and " + numerics::toString(other));
    const std::int64_t size = other[axis];
    other[axis] = shape[axis];
    if (other != shape)
      refuseNode("Concat cannot join " + numerics::toString(shape) + " and " + numerics::toString(call.shape(i)));
    shape[axis] += size;
  }
  return {{call.elementType(0), shape}};
}
Tensors concat(const Call& call) { return {numerics::concat(call.values(), axisOf(call, 1, call.shape(0).size()))}; }

Types inferSlice(const Call& call) {
  Shape shape = call.shape(0);
  for (const auto& range : sliceRanges(call)) shape[range.axis] = numerics::resolve(range, call.shape(0)[range.axis]).count;
  return {{call.elementType(0), shape}};
}
Tensors slice(const Call& call) { return {numerics::slice(call.value(0), sliceRanges(call))}; }

Types inferSplit(const Call& call) {
  const SplitParameters split = splitParameters(call);
  Types types;
  for (const std::int64_t size : split.sizes) {
    types.push_back(call.type(0));
    types.back().shape[split.axis] = size;
  }
  return types;
}
Tensors split(const Call& call) {
  const SplitParameters parameters = splitParameters(call);
  Tensors parts;
  std::int64_t at = 0;
  for (const std::int64_t size : parameters.sizes) {
    parts.push_back(numerics::slice(call.value(0), parameters.axis, at, size));
    at += size;
  }
  return parts;
}

std::int64_t paddedSize(std::int64_t size, std::int64_t before, std::int64_t after) {
  std::int64_t padded = 0;
  if (__builtin_add_overflow(size, before, &padded) || __builtin_add_overflow(padded, after, &padded))
    refuseNode("pads of " + std::to_string(before) + " and " + std::to_string(after) + " around " + std::to_string(size) +
               " elements are beyond 2^63");
  return padded;
}
Types inferPad(const Call& call) {
  const PadParameters pad = padParameters(call);
  Shape shape = call.shape(0);
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = paddedSize(shape[i], pad.before[i], pad.after[i]);
  return {{call.elementType(0), shape}};
}
Tensors pad(const Call& call) {
  const PadParameters parameters = padParameters(call);
  return {numerics::pad(call.value(0), parameters.before, parameters.after, parameters.mode,
                        parameters.value ? &*parameters.value : nullptr)};
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

// Elements that stay adjacent after a cut along `axis`.
std::int64_t runLength(const Shape& shape, std::size_t axis) { return numerics::elementCount(shape, axis, shape.size()); }

// Whether parts share elements. A view that joins them would have one element at several positions, which planners of other
// tensors and streams do not expect. Parts of the same variable (e.g. two halves) need not share elements.
bool sharesElements(const graph::Graph& g, const std::vector<Tensor>& parts) {
  std::vector<reports::VariableId> all;
  std::vector<std::size_t> begins{0}; // start of each part's variables, and the end
  for (const Tensor& part : parts) {
    const auto own = part.variables();
    all.insert(all.end(), own.begin(), own.end());
    begins.push_back(all.size());
  }
  std::vector<reports::VariableId> touched = all; // sorted, so that equal variables are adjacent
  std::sort(touched.begin(), touched.end());
  if (std::adjacent_find(touched.begin(), touched.end()) == touched.end()) return false;
  const auto isShared = [&](reports::VariableId variable) {
    const auto [first, last] = std::equal_range(touched.begin(), touched.end(), variable);
    return last - first > 1;
  };
  std::set<reports::VariableId> variables;
  std::int64_t inParts = 0, inVariables = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::span own(all.data() + begins[i], begins[i + 1] - begins[i]);
    if (std::none_of(own.begin(), own.end(), isShared)) continue;
    inParts += parts[i].numElements();
    variables.insert(own.begin(), own.end());
  }
  for (const auto variable : variables) inVariables += g.variable(variable).elements();
  return inParts > inVariables;
}

void lowerConcat(NodeLowering& n) {
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i) parts.push_back(n.input(i));
  const std::size_t axis = axisOf(n.call(), 1, parts[0].rank());
  const std::int64_t rows = numerics::elementCount(n.outputShape(), 0, axis) * std::int64_t(parts.size());
  // Views keep their pieces when joined: repeatedly joining an input with itself doubles them.
  const std::int64_t pieces = std::accumulate(parts.begin(), parts.end(), std::int64_t(0),
                                              [](std::int64_t sum, const Tensor& part) { return sum + part.pieces(); });
  if (std::max(rows, pieces) <= kMostPieces && !sharesElements(n.builder().graph(), parts))
    return n.giveView(graph::concat(parts, axis));
  const std::vector<std::size_t> all = dimensions(0, parts.size());
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

void lowerPad(NodeLowering& n) {
  const PadParameters p = padParameters(n.call());
  const Tensor x = n.input(0);
  // The pad value is a parameter, not a moved element.
  const auto where = ops::oneResult([p](const Tensors& in) { return numerics::pad(in[0], p.before, p.after, p.mode, nullptr); });
  n.give(ops::move(n.builder(), "Pad", {x}, n.outputType(), n.outputShape(), std::max<std::int64_t>(1, lastDimension(n)),
                   {n.byVertices() ? where : ops::HostKernel{}, 1, p.value ? p.value->at(0) : 0.0}));
}

// ---- gradient --------------------------------------------------------------------------------------------------------------

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
  if (p.mode != PadMode::Constant || cuts) return moveBack(c);
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

constexpr Operator kSlicingOperators[] = {
    {"Concat", 6, inferConcat, concat, lowerConcat, concatBack},
    {"CenterCropPad", 18, inferPad, pad, lowerPad, padBack},
    {"Pad", 6, inferPad, pad, lowerPad, padBack},
    {"Slice", 1, inferSlice, slice, lowerSlice, sliceBack},
    {"Split", 6, inferSplit, split, lowerSplit, splitBack},
};

} // namespace

std::span<const Operator> slicingOperators() { return kSlicingOperators; }

} // namespace simcore::model
