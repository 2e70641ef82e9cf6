#include "simcore/model/parameters.h"

#include "simcore/numerics/convolution.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace simcore::model {

using numerics::HostTensor;
using numerics::Shape;
using numerics::Window;
using reports::Error;
using reports::ErrorCode;

namespace {

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorCode::InvalidInput, message); }

Shape spatialOf(const Shape& shape) {
  if (shape.size() < 3) fail("the input needs a rank of 3 or more, not the shape " + numerics::toString(shape));
  return {shape.begin() + 2, shape.end()};
}

numerics::AutoPad autoPad(const Call& call) {
  const std::string mode = call.attributes().text("auto_pad", "NOTSET");
  if (mode == "NOTSET" || mode.empty()) return numerics::AutoPad::NotSet;
  if (mode == "VALID") return numerics::AutoPad::Valid;
  if (mode == "SAME_UPPER") return numerics::AutoPad::SameUpper;
  if (mode == "SAME_LOWER") return numerics::AutoPad::SameLower;
  fail("attribute 'auto_pad' is '" + mode + "'");
}

Window windowOf(const Call& call, const std::vector<std::int64_t>& kernel) {
  const Attributes& a = call.attributes();
  return numerics::makeWindow(kernel, a.integers("strides"), a.integers("dilations"), a.integers("pads"));
}

std::vector<std::int64_t> kernelOf(const Call& call, std::size_t weights) {
  const std::vector<std::int64_t> given = call.attributes().integers("kernel_shape");
  return given.empty() ? spatialOf(call.shape(weights)) : given;
}

} // namespace

std::size_t axisOf(const Call& call, std::int64_t standard, std::size_t rank) {
  return numerics::normaliseAxis(call.attributes().integer("axis", standard), rank);
}

ConvolutionParameters convolutionParameters(const Call& call, std::size_t weights) {
  ConvolutionParameters parameters{windowOf(call, kernelOf(call, weights)), call.attributes().integer("group", 1), {}};
  const Shape sizes = spatialOf(call.shape(0));
  if (sizes.size() != parameters.window.dimensions())
    fail("the kernel does not fit an input of " + numerics::toString(call.shape(0)));
  numerics::resolveAutoPad(parameters.window, autoPad(call), sizes);
  return parameters;
}

ConvolutionParameters transposedConvolutionParameters(const Call& call) {
  ConvolutionParameters parameters{windowOf(call, kernelOf(call, 1)), call.attributes().integer("group", 1),
                                   call.attributes().integers("output_padding")};
  Window& window = parameters.window;
  const Shape sizes = spatialOf(call.shape(0));
  if (sizes.size() != window.dimensions()) fail("the kernel does not fit an input of " + numerics::toString(call.shape(0)));
  if (parameters.outputPadding.empty()) parameters.outputPadding.assign(sizes.size(), 0);
  if (parameters.outputPadding.size() != sizes.size()) fail("output_padding does not fit the input");
  const numerics::AutoPad mode = autoPad(call);
  std::vector<std::int64_t> wanted = call.attributes().integers("output_shape");
  if (wanted.size() == sizes.size() + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (!wanted.empty() && wanted.size() != sizes.size()) fail("output_shape does not fit the input");
  const bool same = mode == numerics::AutoPad::SameUpper || mode == numerics::AutoPad::SameLower;
  if (wanted.empty() && !same) return parameters;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t output = wanted.empty() ? sizes[i] * window.strides[i] : wanted[i];
    const std::int64_t full = (sizes[i] - 1) * window.strides[i] + parameters.outputPadding[i] + window.span(i);
    const std::int64_t total = std::max<std::int64_t>(0, full - output);
    // A wanted size beyond the natural one is filled up behind.
    parameters.outputPadding[i] += std::max<std::int64_t>(0, output - full);
    window.padsBefore[i] = mode == numerics::AutoPad::SameUpper ? total / 2 : total - total / 2;
    window.padsAfter[i] = total - window.padsBefore[i];
  }
  return parameters;
}

PoolParameters poolParameters(const Call& call) {
  const Shape sizes = spatialOf(call.shape(0));
  PoolParameters parameters;
  if (call.node().opType.rfind("Global", 0) == 0) {
    parameters.window = numerics::makeWindow(sizes, {}, {}, {});
    return parameters;
  }
  const std::vector<std::int64_t> kernel = call.attributes().integers("kernel_shape");
  if (kernel.size() != sizes.size()) fail("the kernel does not fit an input of " + numerics::toString(call.shape(0)));
  parameters.window = windowOf(call, kernel);
  parameters.ceiling = call.attributes().integer("ceil_mode", 0) != 0;
  parameters.countPads = call.attributes().integer("count_include_pad", 0) != 0;
  parameters.columnMajor = call.attributes().integer("storage_order", 0) != 0;
  numerics::resolveAutoPad(parameters.window, autoPad(call), sizes);
  return parameters;
}

PadParameters padParameters(const Call& call) {
  PadParameters parameters;
  const std::string mode = call.attributes().text("mode", "constant");
  if (mode == "constant")
    parameters.mode = numerics::PadMode::Constant;
  else if (mode == "edge")
    parameters.mode = numerics::PadMode::Edge;
  else if (mode == "reflect")
    parameters.mode = numerics::PadMode::Reflect;
  else if (mode == "wrap")
    parameters.mode = numerics::PadMode::Wrap;
  else
    fail("attribute 'mode' of Pad is '" + mode + "'");
  const std::size_t rank = call.shape(0).size();
  std::vector<std::int64_t> pads = call.integers(1, "pads");
  if (call.has(3)) { // since opset 18: of these axes only
    const std::vector<std::int64_t> axes = call.value(3).toIntegers();
    if (pads.size() != 2 * axes.size()) fail("Pad needs two sizes per axis");
    std::vector<std::int64_t> all(2 * rank, 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::size_t axis = numerics::normaliseAxis(axes[i], rank);
      all[axis] = pads[i];
      all[rank + axis] = pads[axes.size() + i];
    }
    pads = all;
  }
  if (pads.size() != 2 * rank) fail("Pad needs two sizes per dimension");
  parameters.before.assign(pads.begin(), pads.begin() + std::ptrdiff_t(rank));
  parameters.after.assign(pads.begin() + std::ptrdiff_t(rank), pads.end());
  if (call.has(2))
    parameters.value = call.value(2);
  else if (call.attributes().has("value"))
    parameters.value = HostTensor::full(call.elementType(0), {}, double(call.attributes().real("value", 0)));
  return parameters;
}

std::vector<numerics::SliceRange> sliceRanges(const Call& call) {
  const auto starts = call.integers(1, "starts"), ends = call.integers(2, "ends"), steps = call.integers(4, "steps");
  auto axes = call.integers(3, "axes");
  if (axes.empty()) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (ends.size() != starts.size() || axes.size() != starts.size() || (!steps.empty() && steps.size() != starts.size()))
    fail("the starts, ends, axes and steps of Slice differ in number");
  std::vector<numerics::SliceRange> ranges;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    // Steps of a whole int64 range must not overflow when they are divided by.
    const std::int64_t step = steps.empty() ? 1 : std::max(steps[i], std::numeric_limits<std::int64_t>::min() + 1);
    ranges.push_back({numerics::normaliseAxis(axes[i], call.shape(0).size()), starts[i], ends[i], step});
  }
  return ranges;
}

SplitParameters splitParameters(const Call& call) {
  SplitParameters parameters{axisOf(call, 0, call.shape(0).size()), call.integers(1, "split")};
  const std::int64_t dim = call.shape(0)[parameters.axis];
  if (parameters.sizes.empty()) {
    const auto parts = std::int64_t(call.outputCount()), size = (dim + parts - 1) / parts;
    for (std::int64_t at = 0, i = 0; i < parts; ++i, at += size)
      parameters.sizes.push_back(std::clamp<std::int64_t>(dim - at, 0, size));
  }
  std::int64_t total = 0;
  for (const std::int64_t size : parameters.sizes) {
    if (size < 0 || size > dim) fail("Split has a part of " + std::to_string(size));
    total += size;
  }
  if (total != dim) fail("the parts of Split do not add up to the " + std::to_string(dim) + " of its input");
  return parameters;
}

std::vector<std::size_t> permutation(const Call& call) {
  const std::size_t rank = call.shape(0).size();
  std::vector<std::size_t> result;
  if (!call.attributes().has("perm"))
    for (std::size_t i = rank; i-- > 0;) result.push_back(i);
  for (const std::int64_t axis : call.attributes().integers("perm")) result.push_back(numerics::normaliseAxis(axis, rank));
  if (result.size() != rank || std::set<std::size_t>(result.begin(), result.end()).size() != rank)
    fail("the permutation of Transpose does not fit the shape " + numerics::toString(call.shape(0)));
  return result;
}

namespace {

Shape reshapeTarget(const Call& call) {
  const Shape& from = call.shape(0);
  Shape shape = call.integers(1, "shape");
  const bool keepZero = call.attributes().integer("allowzero", 0) != 0;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && !keepZero) {
      if (i >= from.size()) fail("Reshape copies a dimension that " + numerics::toString(from) + " does not have");
      shape[i] = from[i];
    } else if (shape[i] == -1) {
      if (open) fail("Reshape leaves two dimensions open");
      open = i;
    } else if (shape[i] < 0) {
      fail("Reshape has the dimension " + std::to_string(shape[i]));
    }
  }
  if (open) {
    shape[*open] = 1;
    const std::int64_t known = numerics::elementCount(shape), total = numerics::elementCount(from);
    if (known == 0 ? total != 0 : total % known != 0)
      fail("a tensor of " + numerics::toString(from) + " does not divide into the shape of Reshape");
    shape[*open] = known ? total / known : 0;
  }
  return shape;
}

Shape squeezed(const Call& call) {
  const Shape& from = call.shape(0);
  std::vector<std::int64_t> axes = call.integers(1, "axes");
  if (axes.empty())
    for (std::size_t i = 0; i < from.size(); ++i)
      if (from[i] == 1) axes.push_back(std::int64_t(i));
  const auto removed = numerics::normaliseAxes(axes, from.size(), false);
  for (const std::size_t axis : removed)
    if (from[axis] != 1) fail("Squeeze cannot remove dimension " + std::to_string(axis) + " of " + numerics::toString(from));
  return numerics::reducedShape(from, removed, false);
}

Shape unsqueezed(const Call& call) {
  const std::vector<std::int64_t> axes = call.integers(1, "axes");
  const std::size_t rank = call.shape(0).size() + axes.size();
  const auto added = numerics::normaliseAxes(axes, rank, false);
  if (added.size() != axes.size()) fail("Unsqueeze names a dimension twice");
  Shape shape = call.shape(0);
  for (const std::size_t axis : added) shape.insert(shape.begin() + std::ptrdiff_t(axis), 1);
  return shape;
}

} // namespace

Shape reshapedShape(const Call& call) {
  const std::string& type = call.node().opType;
  Shape shape;
  if (type == "Squeeze")
    shape = squeezed(call);
  else if (type == "Unsqueeze")
    shape = unsqueezed(call);
  else if (type == "Flatten") {
    const Shape& from = call.shape(0);
    const std::int64_t axis = call.attributes().integer("axis", 1), rank = std::int64_t(from.size());
    if (axis < -rank || axis > rank) fail("the axis of Flatten is outside the shape " + numerics::toString(from));
    const auto at = std::size_t(axis < 0 ? axis + rank : axis);
    shape = {numerics::elementCount(from, 0, at), numerics::elementCount(from, at, from.size())};
  } else
    shape = reshapeTarget(call);
  if (numerics::elementCount(shape) != numerics::elementCount(call.shape(0)))
    fail("a tensor of " + numerics::toString(call.shape(0)) + " cannot become " + numerics::toString(shape));
  return shape;
}

ReduceParameters reduceParameters(const Call& call) {
  ReduceParameters parameters;
  const std::vector<std::int64_t> axes = call.integers(1, "axes");
  const bool nothing = axes.empty() && call.attributes().integer("noop_with_empty_axes", 0) != 0;
  parameters.axes = numerics::normaliseAxes(axes, call.shape(0).size(), !nothing);
  parameters.keepDims = call.attributes().integer("keepdims", 1) != 0;
  return parameters;
}

SoftmaxParameters softmaxParameters(const Call& call) {
  const Shape& from = call.shape(0);
  if (call.opset() >= 13) return {from, axisOf(call, -1, from.size())};
  const std::int64_t axis = call.attributes().integer("axis", 1);
  const std::size_t at = axis == std::int64_t(from.size()) ? from.size() : numerics::normaliseAxis(axis, from.size());
  return {{numerics::elementCount(from, 0, at), numerics::elementCount(from, at, from.size())}, 1};
}

numerics::RecurrentParameters recurrentParameters(const Call& call, numerics::RecurrentKind kind) {
  const Attributes& a = call.attributes();
  numerics::RecurrentParameters p;
  p.kind = kind;
  p.hiddenSize = a.integer("hidden_size", call.shape(2).empty() ? 0 : call.shape(2).back());
  const std::string direction = a.text("direction", "forward");
  if (direction == "reverse")
    p.direction = numerics::RecurrentDirection::Reverse;
  else if (direction == "bidirectional")
    p.direction = numerics::RecurrentDirection::Bidirectional;
  else if (direction != "forward")
    throw Error(ErrorCode::InvalidInput, "attribute 'direction' is '" + direction + "'");
  const std::vector<float> alphas = a.reals("activation_alpha"), betas = a.reals("activation_beta");
  for (const std::string& name : a.texts("activations")) {
    // Parameters are listed for the activations in turn; those left out have the operator's own defaults.
    numerics::RecurrentActivation activation{name, 0, 0};
    const std::size_t i = p.activations.size();
    activation.alpha = i < alphas.size() ? double(alphas[i]) : name == "LeakyRelu" ? 0.01 : name == "HardSigmoid" ? 0.2 : 1;
    activation.beta = i < betas.size() ? double(betas[i]) : name == "HardSigmoid" ? 0.5 : name == "ScaledTanh" ? 1 : 0;
    p.activations.push_back(activation);
  }
  p.clip = double(a.real("clip", 0));
  p.inputForget = a.integer("input_forget", 0) != 0;
  p.linearBeforeReset = a.integer("linear_before_reset", 0) != 0;
  return p;
}

namespace {
bool isGiven(const Call& call, std::size_t i) { return call.has(i) && numerics::elementCount(call.shape(i)) > 0; }
} // namespace

namespace {
// Since opset 18 scales, sizes and the region may be those of some axes only.
void onAllAxes(numerics::ResizeParameters& p, const std::vector<std::int64_t>& axes, const Shape& shape) {
  const std::size_t rank = shape.size(), n = axes.size();
  std::vector<double> scales(rank, 1), region(2 * rank, 0);
  std::fill(region.begin() + std::ptrdiff_t(rank), region.end(), 1);
  Shape sizes = shape;
  const auto fits = [&](std::size_t count, std::size_t wanted) {
    if (count && count != wanted) fail("the axes of Resize do not fit its scales, sizes or region");
    return count != 0;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t axis = numerics::normaliseAxis(axes[i], rank);
    if (fits(p.scales.size(), n)) scales[axis] = p.scales[i];
    if (fits(p.sizes.size(), n)) sizes[axis] = p.sizes[i];
    if (!fits(p.region.size(), 2 * n)) continue;
    region[axis] = p.region[i];
    region[rank + axis] = p.region[n + i];
  }
  if (!p.scales.empty()) p.scales = scales;
  if (!p.sizes.empty()) p.sizes = sizes;
  if (!p.region.empty()) p.region = region;
}

// One scale for all axes: the smallest or the largest of those that the sizes ask for.
void keepAspectRatio(numerics::ResizeParameters& p, const std::string& policy, std::vector<std::int64_t> axes,
                     const Shape& shape) {
  if (policy != "not_larger" && policy != "not_smaller") fail("attribute 'keep_aspect_ratio_policy' is '" + policy + "'");
  if (p.sizes.size() != shape.size()) fail("the sizes of Resize do not fit the shape " + numerics::toString(shape));
  if (axes.empty()) {
    axes.resize(shape.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  std::optional<double> scale;
  for (const std::int64_t axis : axes) {
    const std::size_t i = numerics::normaliseAxis(axis, shape.size());
    const double own = double(p.sizes[i]) / double(std::max<std::int64_t>(1, shape[i]));
    scale = !scale ? own : policy == "not_larger" ? std::min(*scale, own) : std::max(*scale, own);
  }
  p.scales.assign(shape.size(), 1);
  for (const std::int64_t axis : axes) {
    const std::size_t i = numerics::normaliseAxis(axis, shape.size());
    p.scales[i] = *scale;
    p.sizes[i] = std::int64_t(std::floor(*scale * double(shape[i]) + 0.5));
  }
}
} // namespace

numerics::ResizeParameters resizeParameters(const Call& call) {
  using Coordinates = numerics::ResizeCoordinates;
  using Rounding = numerics::NearestRounding;
  const Attributes& a = call.attributes();
  numerics::ResizeParameters p;
  p.mode = chosen<numerics::ResizeMode>("mode", a.text("mode", "nearest"),
                                        {{"nearest", numerics::ResizeMode::Nearest},
                                         {"linear", numerics::ResizeMode::Linear},
                                         {"bilinear", numerics::ResizeMode::Linear},
                                         {"cubic", numerics::ResizeMode::Cubic}});
  const bool isOld = call.node().opType == "Upsample" || call.opset() < 11;
  p.coordinates = chosen<Coordinates>("coordinate_transformation_mode",
                                      a.text("coordinate_transformation_mode", isOld ? "asymmetric" : "half_pixel"),
                                      {{"half_pixel", Coordinates::HalfPixel},
                                       {"pytorch_half_pixel", Coordinates::PytorchHalfPixel},
                                       {"align_corners", Coordinates::AlignCorners},
                                       {"asymmetric", Coordinates::Asymmetric},
                                       {"tf_crop_and_resize", Coordinates::TfCropAndResize},
                                       {"tf_half_pixel_for_nn", Coordinates::TfHalfPixelForNearest}});
  p.rounding = chosen<Rounding>("nearest_mode", a.text("nearest_mode", isOld ? "" : "round_prefer_floor"),
                                {{"round_prefer_floor", Rounding::PreferFloor},
                                 {"round_prefer_ceil", Rounding::PreferCeil},
                                 {"floor", Rounding::Floor},
                                 {"ceil", Rounding::Ceil},
                                 {"", Rounding::Shrinking}});
  p.cubicCoefficient = double(a.real("cubic_coeff_a", -0.75f));
  p.excludeOutside = a.integer("exclude_outside", 0) != 0;
  p.extrapolationValue = double(a.real("extrapolation_value", 0));
  const std::size_t scales = isOld ? 1 : 2;
  if (isGiven(call, scales)) p.scales = call.value(scales).toDoubles();
  for (const float scale : a.reals("scales")) p.scales.push_back(double(scale));
  if (!isOld && isGiven(call, 3)) p.sizes = call.value(3).toIntegers();
  if (!isOld && isGiven(call, 1)) p.region = call.value(1).toDoubles();
  if (a.integer("antialias", 0))
    throw Error(ErrorCode::Unsupported, "Resize with antialias (opset " + std::to_string(call.opset()) + ") is not supported");
  if (a.has("axes")) onAllAxes(p, a.integers("axes"), call.shape(0));
  if (const std::string policy = a.text("keep_aspect_ratio_policy", "stretch"); policy != "stretch" && !p.sizes.empty())
    keepAspectRatio(p, policy, a.integers("axes"), call.shape(0));
  return p;
}

numerics::RegionParameters regionParameters(const Call& call) {
  const Attributes& a = call.attributes();
  numerics::RegionParameters p;
  p.scale = double(a.real("spatial_scale", 1));
  if (call.node().opType == "MaxRoiPool") {
    const std::vector<std::int64_t> size = a.integers("pooled_shape");
    if (size.size() != 2) throw Error(ErrorCode::InvalidInput, "attribute 'pooled_shape' needs two sizes");
    p.height = size[0];
    p.width = size[1];
    return p;
  }
  p.height = a.integer("output_height", 1);
  p.width = a.integer("output_width", 1);
  p.samples = a.integer("sampling_ratio", 0);
  p.takesMaximum = chosen<bool>("mode", a.text("mode", "avg"), {{"avg", false}, {"max", true}});
  p.halfPixel = chosen<bool>("coordinate_transformation_mode",
                             a.text("coordinate_transformation_mode", call.opset() < 16 ? "output_half_pixel" : "half_pixel"),
                             {{"half_pixel", true}, {"output_half_pixel", false}});
  return p;
}

Shape pooledShape(const Call& call) {
  const numerics::Window w = poolParameters(call).window;
  Shape shape = call.shape(0);
  for (std::size_t i = 0; i < w.dimensions(); ++i)
    shape[i + 2] = (shape[i + 2] - 1) * w.strides[i] + w.kernel[i] - w.padsBefore[i] - w.padsAfter[i];
  return shape;
}

std::uint64_t randomSeed(const Call& call) {
  std::uint64_t seed = 1469598103934665603u; // FNV-1a
  const auto mix = [&](unsigned char byte) { seed = (seed ^ std::uint64_t(byte)) * 1099511628211u; };
  if (call.attributes().has("seed")) {
    const auto bits = std::bit_cast<std::uint32_t>(call.attributes().real("seed", 0));
    for (int byte = 0; byte < 4; ++byte) mix(static_cast<unsigned char>(bits >> 8 * byte));
  } else {
    for (const char c : call.node().outputs.at(0)) mix(static_cast<unsigned char>(c)); // names of nodes may be equal
  }
  // The finaliser of splitmix64: a tile's generator turns seeds of few different bits into numbers that go together.
  seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9u;
  seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebu;
  return seed ^ (seed >> 31);
}

Shape alignedShape(const Call& call) {
  const Shape& right = call.shape(1);
  if (call.opset() >= 7 || !call.attributes().integer("broadcast", 0) || !call.attributes().has("axis")) return right;
  const std::size_t rank = call.shape(0).size();
  const std::size_t axis = numerics::normaliseAxis(call.attributes().integer("axis", 0), rank);
  Shape shape = right;
  if (axis + right.size() < rank) shape.insert(shape.end(), rank - axis - right.size(), 1);
  return shape;
}

numerics::SuppressionParameters suppressionParameters(const Call& call) {
  numerics::SuppressionParameters p;
  if (call.has(2)) p.maximumPerClass = call.value(2).integerAt(0);
  if (call.has(3)) p.overlapThreshold = call.value(3).at(0);
  if (call.has(4)) p.scoreThreshold = call.value(4).at(0);
  p.centreFormat = call.attributes().integer("center_point_box", 0) != 0;
  return p;
}

} // namespace simcore::model
