#include "simcore/ops/conv/field_convolution.h"

#include "simcore/numerics/convolution.h"
#include "simcore/numerics/layout.h"
#include "simcore/ops/move/movement.h"

#include <algorithm>

namespace simcore::ops {

using numerics::HostTensor;

Tensor asImage(const Tensor& x) { return x.rank() == 3 ? x.reshape(imageShape(x.shape())) : x; }
Shape imageShape(const Shape& s) { return s.size() == 3 ? Shape{s[0], s[1], 1, s[2]} : s; }

numerics::Window imageWindow(const numerics::Window& w) {
  if (w.dimensions() != 1) return w;
  return {{1, w.kernel[0]}, {1, w.strides[0]}, {1, w.dilations[0]}, {0, w.padsBefore[0]}, {0, w.padsAfter[0]}};
}

numerics::Window planeWindow(const numerics::Window& w) {
  const auto tail = [](const std::vector<int64_t>& v) { return std::vector<int64_t>(v.begin() + 1, v.end()); };
  return {tail(w.kernel), tail(w.strides), tail(w.dilations), tail(w.padsBefore), tail(w.padsAfter)};
}

DepthWindow depthWindow(const numerics::Window& w, int64_t in, int64_t out) {
  return {in, out, w.kernel[0], w.strides[0], w.dilations[0], w.padsBefore[0], w.padsAfter[0]};
}

namespace {

// Parameters of a plan for these operands; for a volume those of its planes.
ConvParams fieldParams(const Tensor& x, const Tensor& weights, const numerics::Window& window, int64_t groups) {
  ConvParams p;
  p.type = x.elementType();
  p.batch = x.dim(0);
  p.groups = groups;
  p.inChannels = weights.dim(1);
  p.outChannels = weights.dim(0) / groups;
  p.in = {x.dim(x.rank() - 2), x.dim(x.rank() - 1)};
  setWindow(p, window.dimensions() == 3 ? planeWindow(window) : window);
  return p;
}

// Zeros around and between the elements of the last two of four dimensions: element i moves to first + i * stride.
struct ZeroInsertion {
  Shape shape;
  std::array<int64_t, 2> stride{1, 1}, first{0, 0};
};
// Returns the tensor itself if every element keeps its position.
Tensor insertZeros(const OpBuilder& b, const Tensor& x, const ZeroInsertion& zeros) {
  bool stays = zeros.shape == x.shape();
  for (std::size_t d = 0; d < 2; ++d) stays &= zeros.first[d] == 0 && (zeros.stride[d] == 1 || x.dim(2 + d) == 1);
  if (stays) return x;
  const HostKernel where = oneResult([zeros](const std::vector<HostTensor>& in) {
    HostTensor out(in[0].type(), zeros.shape);
    const auto from = in[0].values<int64_t>();
    const auto to = out.mutableValues<int64_t>();
    const int64_t height = in[0].dim(2), width = in[0].dim(3), rows = zeros.shape[2], columns = zeros.shape[3];
    for (int64_t i = 0; i < in[0].count(); ++i) {
      const int64_t row = zeros.first[0] + i / width % height * zeros.stride[0],
                    column = zeros.first[1] + i % width * zeros.stride[1];
      if (row < 0 || row >= rows || column < 0 || column >= columns) continue;
      to[std::size_t((i / (height * width) * rows + row) * columns + column)] = from[std::size_t(i)];
    }
    return out;
  });
  return move(b, "insertZeros", {x}, x.elementType(), zeros.shape, 1, {b.byCells() ? where : HostKernel{}});
}

// Weights [G * M, C, kernel..] in the shape of the transposed convolution's weights, [G * C, M, kernel..].
Tensor turned(const Tensor& w, int64_t groups) {
  Shape shape = w.shape();
  shape[0] = w.dim(1) * groups;
  shape[1] = w.dim(0) / groups;
  return w.reshape(shape);
}

// A convolution over x with zeros between its elements: zeros within a plane are inserted here, those between planes are planes
// that the gathering of depths leaves empty.
Tensor transposedVolume(const OpBuilder& b, const Tensor& x, const Tensor& w, const numerics::Window& given, int64_t groups,
                        const Shape& result, ConvOptions options) {
  const auto reach = [&](std::size_t d) { return (given.kernel[d] - 1) * given.dilations[d]; };
  ZeroInsertion zeros{{x.dim(0), x.dim(1) * x.dim(2), 0, 0}, {given.strides[1], given.strides[2]}, {}};
  for (std::size_t d = 1; d < 3; ++d) { // pads included
    zeros.shape[1 + d] = result[2 + d] + reach(d);
    zeros.first[d - 1] = reach(d) - given.padsBefore[d];
  }
  const Tensor spread = insertZeros(b, x.reshape({zeros.shape[0], zeros.shape[1], x.dim(3), x.dim(4)}), zeros)
                            .reshape({x.dim(0), x.dim(1), x.dim(2), zeros.shape[2], zeros.shape[3]});
  const numerics::Window window = numerics::makeWindow(given.kernel, {}, given.dilations, {});
  const Tensor back = turned(w, groups);
  DepthWindow depth = depthWindow(window, x.dim(2), result[2]);
  depth.padLow = reach(0) - given.padsBefore[0];
  depth.spread = given.strides[0];
  depth.turnedWeights = true;
  options.arrangeWeights = [from = w.shape(), to = back.shape(), groups](const HostTensor& v) {
    Shape part = from; // the full depth, or a tap of it
    part[2] = v.count() * from[2] / numerics::elementCount(from);
    return numerics::turnedKernel(v.reshaped(part), groups).reshaped({to[0], to[1] * part[2], to[3], to[4]});
  };
  return conv3d(b, spread, back, fieldParams(spread, back, window, groups), depth, options);
}

} // namespace

Tensor convolution(const OpBuilder& b, const Tensor& x, const Tensor& weights, const numerics::Window& window, int64_t groups,
                   const ConvOptions& options) {
  if (window.dimensions() == 3) {
    const int64_t depth = numerics::windowOutputSizes(window, Shape(x.shape().begin() + 2, x.shape().end()), false)[0];
    return conv3d(b, x, weights, fieldParams(x, weights, window, groups), depthWindow(window, x.dim(2), depth), options);
  }
  const Tensor image = asImage(x), w = asImage(weights);
  return convolution(b, image, w, fieldParams(image, w, window, groups), {}, options);
}

Tensor transposedConvolution(const OpBuilder& b, const Tensor& x, const Tensor& weights, const numerics::Window& window,
                             int64_t groups, const Shape& result, const ConvOptions& given) {
  if (window.dimensions() == 3) return transposedVolume(b, x, weights, window, groups, result, given);
  const Tensor image = asImage(x), w = asImage(weights);
  const numerics::Window f = imageWindow(window);
  const Shape out = imageShape(result);
  ZeroInsertion zeros{{x.dim(0), x.dim(1), 0, 0}, {f.strides[0], f.strides[1]}, {}};
  for (std::size_t d = 0; d < 2; ++d) { // pads included
    const int64_t reach = (f.kernel[d] - 1) * f.dilations[d];
    zeros.shape[2 + d] = out[2 + d] + reach;
    zeros.first[d] = reach - f.padsBefore[d];
  }
  const Tensor spread = insertZeros(b, image, zeros), back = turned(w, groups);
  ConvOptions options = given;
  options.arrangeWeights = [shape = w.shape(), groups](const HostTensor& v) {
    return numerics::turnedKernel(v.reshaped(shape), groups);
  };
  return convolution(b, spread, back, fieldParams(spread, back, numerics::makeWindow(f.kernel, {}, f.dilations, {}), groups), {},
                     options);
}

Tensor convolutionDataGradient(const OpBuilder& b, const Tensor& gradient, const Tensor& weights, const numerics::Window& window,
                               int64_t groups, const Shape& result, const ConvOptions& given) {
  if (window.dimensions() == 3) return transposedVolume(b, gradient, weights, window, groups, result, given);
  const numerics::Window f = imageWindow(window);
  const Shape x = imageShape(result), w = imageShape(weights.shape());
  const Tensor dy = asImage(gradient);
  ConvParams p;
  p.type = dy.elementType();
  p.batch = x[0];
  p.groups = groups;
  p.inChannels = w[0] / groups;
  p.outChannels = w[1];
  p.kernel = {f.kernel[0], f.kernel[1]};
  p.dilation = {f.dilations[0], f.dilations[1]};
  ZeroInsertion zeros{dy.shape(), {f.strides[0], f.strides[1]}, {}};
  ConvOptions options = given;
  options.arrangeWeights = [w, groups](const HostTensor& v) { return numerics::turnedKernel(v.reshaped(w), groups); };
  // A kernel of one tap multiplies an element of the gradient or a zero, so zeros are inserted after the convolution (poplin's
  // dilatePostConv).
  if (f.kernel[0] == 1 && f.kernel[1] == 1) {
    p.in = {dy.dim(2), dy.dim(3)};
    zeros.shape = x;
    for (std::size_t d = 0; d < 2; ++d) zeros.first[d] = -f.padsBefore[d];
    return insertZeros(b, convolution(b, dy, weights, p, {}, options), zeros);
  }
  for (std::size_t d = 0; d < 2; ++d) {
    int64_t in = (dy.dim(2 + d) - 1) * f.strides[d] + 1, low = f.span(d) - 1 - f.padsBefore[d];
    const int64_t high = x[2 + d] + f.span(d) - 1 - in - low;
    // A pad larger than the kernel cuts off rows of the gradient.
    in += std::min<int64_t>(0, low) + std::min<int64_t>(0, high);
    zeros.first[d] = std::min<int64_t>(0, low);
    p.padLow[d] = std::max<int64_t>(0, low);
    p.padHigh[d] = std::max<int64_t>(0, high);
    p.in[d] = zeros.shape[2 + d] = in;
  }
  return convolution(b, insertZeros(b, dy, zeros), weights, p, {}, options);
}

namespace {

// Swapped roles: the gradient is the kernel, the images are the summed channels.
ConvParams swappedRoles(const numerics::Window& f, const Shape& x, const Shape& dy, const Shape& w, ElementType type,
                        int64_t groups) {
  ConvParams p;
  p.type = type;
  p.groups = groups;
  p.batch = w[1];
  p.inChannels = x[0];
  p.outChannels = w[0] / groups;
  for (std::size_t d = 0; d < 2; ++d) {
    p.kernel[d] = dy[2 + d];
    p.stride[d] = f.dilations[d];
    p.dilation[d] = f.strides[d];
    p.padLow[d] = f.padsBefore[d];
    // Elements that the stride skipped are not read.
    const int64_t needed = (f.kernel[d] - 1) * f.dilations[d] + f.strides[d] * (dy[2 + d] - 1) + 1;
    p.in[d] = std::min(x[2 + d], needed - f.padsBefore[d]);
    p.padHigh[d] = needed - f.padsBefore[d] - p.in[d];
  }
  return p;
}

// One product: sums over every position of every image, and the taps of the kernel are rows.
ConvParams expandedField(const Shape& dy, const Shape& w, ElementType type, int64_t groups) {
  ConvParams p;
  p.type = type;
  p.groups = groups;
  p.inChannels = dy[0] * numerics::elementCount(dy, 2, dy.size());
  p.outChannels = w[0] / groups;
  p.in = {numerics::elementCount(w, 1, w.size()), 1};
  return p;
}

// Swaps images and channels within each group; elements that the stride skipped are cut off.
HostTensor imagesAsChannels(const HostTensor& x, int64_t groups, const ConvParams& p) {
  const int64_t images = x.dim(0), channels = x.dim(1) / groups;
  const HostTensor read = numerics::slice(x, {{2, 0, p.in[0], 1}, {3, 0, p.in[1], 1}});
  return numerics::transpose(read.reshaped({images, groups, channels, p.in[0], p.in[1]}), {2, 1, 0, 3, 4})
      .reshaped({channels, groups * images, p.in[0], p.in[1]});
}

// Every tap of every position of every image: [1, groups * positions, channels * taps, 1].
HostTensor expandedPositions(const HostTensor& x, const numerics::Window& w, int64_t groups, const Shape& dy) {
  const int64_t images = x.dim(0), channels = x.dim(1) / groups, taps = numerics::elementCount(w.kernel),
                outputs = numerics::elementCount(dy, 2, dy.size()), field = numerics::elementCount(x.shape(), 2, x.rank());
  HostTensor out(x.type(), {1, groups * images * outputs, channels * taps, 1});
  const auto to = out.mutableValues<float>();
  const auto from = x.values<float>();
  // The input position of a tap of an output inside a plane, or -1.
  const auto placeOf = [&](int64_t output, int64_t tap) {
    int64_t place = 0, stride = 1;
    for (std::size_t d = w.dimensions(); d-- > 0; output /= dy[2 + d], tap /= w.kernel[d]) {
      const int64_t at = output % dy[2 + d] * w.strides[d] + tap % w.kernel[d] * w.dilations[d] - w.padsBefore[d];
      if (at < 0 || at >= x.dim(2 + d)) return int64_t(-1);
      place += at * stride;
      stride *= x.dim(2 + d);
    }
    return place;
  };
  std::size_t at = 0;
  for (int64_t g = 0; g < groups; ++g)
    for (int64_t i = 0; i < images * outputs; ++i)
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t t = 0; t < taps; ++t, ++at) {
          const int64_t place = placeOf(i % outputs, t), plane = i / outputs * x.dim(1) + g * channels + c;
          if (place >= 0) to[at] = from[std::size_t(plane * field + place)];
        }
  return out;
}

// The part of the images for a part of the plan's input: its bounding box.
graph::Box imagesOf(const graph::Box& box, const numerics::Window& w, int64_t groups, bool expands, const Shape& x,
                    const Shape& dy) {
  const auto &rows = box.dims[1], &columns = box.dims[expands ? 2 : 0];
  const int64_t channels = x[1] / groups, images = x[0], outputs = dy[2] * dy[3], taps = expands ? w.kernel[0] * w.kernel[1] : 1,
                perGroup = images * (expands ? outputs : 1);
  graph::Box of;
  of.dims.resize(4);
  const int64_t group = rows.begin / perGroup, lastGroup = (rows.end - 1) / perGroup, first = rows.begin % perGroup,
                last = (rows.end - 1) % perGroup;
  of.dims[1] = {group * channels + columns.begin / taps, lastGroup * channels + reports::ceilDiv(columns.end, taps)};
  if (!expands) {
    of.dims[0] = group == lastGroup ? reports::Range<int64_t>{first, last + 1} : reports::Range<int64_t>{0, images};
    of.dims[2] = box.dims[2], of.dims[3] = box.dims[3];
    return of;
  }
  of.dims[2] = {0, x[2]}, of.dims[3] = {0, x[3]};
  of.dims[0] =
      group == lastGroup ? reports::Range<int64_t>{first / outputs, last / outputs + 1} : reports::Range<int64_t>{0, images};
  if (group != lastGroup || first / outputs != last / outputs) return of;
  // Positions of one image: rows of it, or a part of one row.
  const int64_t row = first % outputs / dy[3], lastRow = last % outputs / dy[3];
  const std::array<std::pair<int64_t, int64_t>, 2> made{std::pair(row, lastRow), row == lastRow
                                                                                     ? std::pair(first % dy[3], last % dy[3])
                                                                                     : std::pair<int64_t, int64_t>(0, dy[3] - 1)};
  for (std::size_t d = 0; d < 2; ++d) {
    const int64_t begin = made[d].first * w.strides[d] - w.padsBefore[d],
                  end = made[d].second * w.strides[d] - w.padsBefore[d] + w.dilations[d] * (w.kernel[d] - 1) + 1;
    of.dims[2 + d] = {std::clamp<int64_t>(begin, 0, x[2 + d] - 1), std::clamp<int64_t>(end, 1, x[2 + d])};
    if (of.dims[2 + d].begin >= of.dims[2 + d].end) of.dims[2 + d].end = of.dims[2 + d].begin + 1;
  }
  return of;
}

// Options with the element order of the operands of the weights' gradient for the chosen plan.
ConvOptions weightsGradientOperands(ConvOptions o, const numerics::Window& w, const ConvParams& p, bool expands, const Shape& x,
                                    const Shape& dy) {
  const int64_t groups = p.groups, images = dy[0], outs = dy[1] / groups, outputs = numerics::elementCount(dy, 2, dy.size());
  const auto asFloat = [](const HostTensor& v) { return v.cast(ElementType::Float); };
  o.arrangeInput = [=](const HostTensor& v) {
    const HostTensor image = asFloat(v).reshaped(x);
    return expands ? expandedPositions(image, w, groups, dy) : imagesAsChannels(image, groups, p);
  };
  if (x.size() == 4) o.inputPlace = {x, [=](const graph::Box& box) { return imagesOf(box, w, groups, expands, x, dy); }, {}};
  if (x.size() == 4)
    o.inputPlace.key = {expands,         x[0],           x[1],          x[2],         x[3],         dy[2],
                        dy[3],           w.kernel[0],    w.kernel[1],   w.strides[0], w.strides[1], w.padsBefore[0],
                        w.padsBefore[1], w.dilations[0], w.dilations[1]};
  o.arrangeWeights = [=](const HostTensor& v) {
    const HostTensor kernels = numerics::transpose(asFloat(v).reshaped({images, groups, outs, outputs}), {1, 2, 0, 3});
    return expands ? kernels.reshaped({groups * outs, images * outputs, 1, 1})
                   : kernels.reshaped({groups * outs, images, dy[2], dy[3]});
  };
  o.resultInOrder = expands;
  // [channels, outs, taps] or already [outs, channels * taps]; in either case returned in the shape of the plan's result.
  o.arrangeResult = [=](const HostTensor& v) { return expands ? v : numerics::transpose(v, {1, 0, 2, 3}).reshaped(v.shape()); };
  return o;
}

} // namespace

Tensor convolutionWeightsGradient(const OpBuilder& b, const Tensor& given, const Tensor& gradient, const numerics::Window& window,
                                  int64_t groups, const Shape& weights, const ConvOptions& options) {
  const ElementType type = given.elementType();
  const numerics::Window f = imageWindow(window);
  const Shape x = imageShape(given.shape()), dy = imageShape(gradient.shape()), w = imageShape(weights);
  const ConvParams expanded = expandedField(dy, w, type, groups);
  bool expands = true; // swapped roles over three dimensions would have a kernel as deep as the result
  ConvParams p = expanded;
  if (window.dimensions() < 3) {
    const ConvParams swapped = swappedRoles(f, x, dy, w, type, groups);
    const ConvPlan first = planConvolution(b.machine(), swapped, options),
                   second = planConvolution(b.machine(), expanded, options);
    expands = first.fits != second.fits ? second.fits : second.cycles() < first.cycles();
    if (!expands) p = swapped;
  }
  return convolution(b, given, gradient, p, {}, weightsGradientOperands(options, f, p, expands, x, dy));
}

} // namespace simcore::ops
