#include "simcore/numerics/convolution.h"
#include "simcore/numerics/dnnl_support.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/kernel_support.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/matmul.h"
#include "simcore/numerics/ordered_convolution.h"

namespace simcore::numerics {

namespace {

using dnnl::memory;

Shape spatial(const Shape& shape) { return {shape.begin() + 2, shape.end()}; }

void requireOperands(const Shape& x, const Shape& weights, const Window& window, std::int64_t groups) {
  if (x.size() < 3 || weights.size() != x.size())
    failKernel("a convolution cannot take weights of " + toString(weights) + " to an input of " + toString(x));
  if (window.kernel != spatial(weights))
    failKernel("the kernel shape is " + toString(window.kernel) + ", but the weights are " + toString(weights));
  for (const std::int64_t channels : {x[1], weights[0]})
    if (groups < 1 || channels % groups)
      failKernel("the " + std::to_string(channels) + " channels of a convolution do not divide into " + std::to_string(groups) +
                 " groups");
}

memory::dims less(const std::vector<std::int64_t>& dilations) {
  memory::dims result(dilations);
  for (auto& dilation : result) --dilation; // oneDNN counts the gaps between taps: 0 for adjacent taps
  return result;
}

// Weights in oneDNN's order: [g, out / g, in / g, kernel...] when grouped. ONNX stores the weights of a transposed convolution
// as [in, out / g, kernel...]; strides express this without moving elements.
memory::desc weightDescription(const Shape& weights, std::int64_t groups, bool transposed) {
  const Shape plain = rowMajorStrides(weights);
  Shape dims, strides;
  const std::int64_t first = weights[0] / groups;
  if (groups > 1) {
    dims.push_back(groups);
    strides.push_back(first * plain[0]);
  }
  if (transposed) {
    dims.insert(dims.end(), {weights[1], first});
    strides.insert(strides.end(), {plain[1], plain[0]});
  } else {
    dims.insert(dims.end(), {first, weights[1]});
    strides.insert(strides.end(), {plain[0], plain[1]});
  }
  dims.insert(dims.end(), weights.begin() + 2, weights.end());
  strides.insert(strides.end(), plain.begin() + 2, plain.end());
  return dnnlStrided(dims, strides);
}

template<class Primitive>
void execute(const typename Primitive::primitive_desc& description, const HostTensor& x, const HostTensor& weights,
             const memory::desc& weightLayout, const HostTensor* bias, HostTensor& result) {
  const memory source = dnnlReordered(dnnlView(dnnlPlain(x.shape()), x), description.src_desc());
  const memory filter = dnnlReordered(dnnlView(weightLayout, weights), description.weights_desc());
  const memory plain = dnnlTarget(dnnlPlain(result.shape()), result);
  const bool inPlace = description.dst_desc() == plain.get_desc();
  memory target = inPlace ? plain : memory(description.dst_desc(), dnnlEngine());
  std::unordered_map<int, memory> arguments{{DNNL_ARG_SRC, source}, {DNNL_ARG_WEIGHTS, filter}, {DNNL_ARG_DST, target}};
  if (bias) arguments.insert({DNNL_ARG_BIAS, dnnlView(dnnlPlain(bias->shape()), *bias)});
  Primitive(description).execute(dnnlStream(), arguments);
  if (!inPlace) dnnl::reorder(target, plain).execute(dnnlStream(), target, const_cast<memory&>(plain));
  dnnlStream().wait();
}

void convolveFloat(const HostTensor& x, const HostTensor& weights, const Window& w, std::int64_t groups, HostTensor& result) {
  using Conv = dnnl::convolution_forward;
  const memory::desc layout = weightDescription(weights.shape(), groups, false);
  const memory::desc filter(layout.dims(), memory::data_type::f32, memory::format_tag::any);
  const auto kind = dnnl::prop_kind::forward_inference;
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const memory::dims strides(w.strides), before(w.padsBefore), after(w.padsAfter), dilations = less(w.dilations);
  const Conv::desc description(kind, algorithm, dnnlAny(x.shape()), filter, dnnlAny(result.shape()), strides, dilations, before,
                               after);
  execute<Conv>(Conv::primitive_desc(description, dnnlEngine()), x, weights, layout, nullptr, result);
}

void deconvolveFloat(const HostTensor& x, const HostTensor& weights, const HostTensor* bias, const Window& w, std::int64_t groups,
                     HostTensor& result) {
  using Deconv = dnnl::deconvolution_forward;
  const memory::desc layout = weightDescription(weights.shape(), groups, true);
  const memory::desc filter(layout.dims(), memory::data_type::f32, memory::format_tag::any);
  const auto kind = dnnl::prop_kind::forward_inference;
  const auto algorithm = dnnl::algorithm::deconvolution_direct;
  memory::dims after(w.padsAfter);
  // oneDNN derives the output padding from the sizes, but the pads must agree with them exactly.
  for (std::size_t i = 0; i < after.size(); ++i)
    after[i] = (x.dim(i + 2) - 1) * w.strides[i] + w.span(i) - w.padsBefore[i] - result.dim(i + 2);
  const memory::dims strides(w.strides), before(w.padsBefore), dilations = less(w.dilations);
  const auto description = bias ? Deconv::desc(kind, algorithm, dnnlAny(x.shape()), filter, dnnlPlain(bias->shape()),
                                               dnnlAny(result.shape()), strides, dilations, before, after)
                                : Deconv::desc(kind, algorithm, dnnlAny(x.shape()), filter, dnnlAny(result.shape()), strides,
                                               dilations, before, after);
  execute<Deconv>(Deconv::primitive_desc(description, dnnlEngine()), x, weights, layout, bias, result);
}

// Visits every (output element, input element, weight element) of a convolution; `transposed` exchanges the spatial positions of
// input and output. Used only for double and integers, where clarity matters more than speed.
template<class F> void forEachProduct(const Shape& small, const Shape& large, const Shape& kernel, const Window& w, F f) {
  const std::int64_t positions = elementCount(small), taps = elementCount(kernel);
  for (std::int64_t p = 0; p < positions; ++p)
    for (std::int64_t t = 0; t < taps; ++t) {
      std::int64_t restP = p, restT = t, at = 0, stride = 1;
      bool inside = true;
      for (std::size_t i = kernel.size(); i-- > 0; stride *= large[i]) {
        const std::int64_t q = restP % small[i] * w.strides[i] + restT % kernel[i] * w.dilations[i] - w.padsBefore[i];
        inside = inside && q >= 0 && q < large[i];
        at += q * stride;
        restP /= small[i];
        restT /= kernel[i];
      }
      if (inside) f(p, at, t);
    }
}

template<class T>
void convolvePlain(const HostTensor& x, const HostTensor& weights, const HostTensor* bias, const Window& w, std::int64_t groups,
                   bool transposed, HostTensor& result) {
  const std::int64_t inputs = x.dim(1) / groups, outputs = result.dim(1) / groups;
  const std::int64_t inSize = elementCount(spatial(x.shape())), outSize = elementCount(spatial(result.shape()));
  const std::int64_t taps = elementCount(w.kernel);
  const T* source = x.values<T>().data();
  const T* filter = weights.values<T>().data();
  T* target = result.mutableValues<T>().data();
  for (std::int64_t n = 0; n < x.dim(0); ++n)
    for (std::int64_t o = 0; o < result.dim(1); ++o) {
      T* out = target + (n * result.dim(1) + o) * outSize;
      std::fill_n(out, outSize, bias ? bias->values<T>()[std::size_t(o)] : T{});
      const std::int64_t group = o / outputs;
      for (std::int64_t c = 0; c < inputs; ++c) {
        const T* in = source + (n * x.dim(1) + group * inputs + c) * inSize;
        const std::int64_t row = transposed ? (group * inputs + c) * outputs + o % outputs : o * inputs + c;
        const T* k = filter + row * taps;
        if (transposed)
          forEachProduct(spatial(x.shape()), spatial(result.shape()), w.kernel, w,
                         [&](std::int64_t p, std::int64_t at, std::int64_t t) { out[at] = T(out[at] + in[p] * k[t]); });
        else
          forEachProduct(spatial(result.shape()), spatial(x.shape()), w.kernel, w,
                         [&](std::int64_t p, std::int64_t at, std::int64_t t) { out[p] = T(out[p] + in[at] * k[t]); });
      }
    }
}

void requireBias(const HostTensor* bias, std::int64_t channels) {
  if (bias && bias->shape() != Shape{channels})
    failKernel("the bias of a convolution should have " + std::to_string(channels) + " elements, not " + toString(bias->shape()));
}

} // namespace

Shape convolutionShape(const Shape& x, const Shape& weights, const Window& window, std::int64_t groups) {
  requireOperands(x, weights, window, groups);
  if (weights[1] != x[1] / groups)
    failKernel("an input of " + std::to_string(x[1]) + " channels in " + std::to_string(groups) + " groups needs weights of " +
               std::to_string(x[1] / groups) + " channels, not of the shape " + toString(weights));
  Shape shape{x[0], weights[0]};
  const Shape sizes = windowOutputSizes(window, spatial(x), false);
  shape.insert(shape.end(), sizes.begin(), sizes.end());
  return shape;
}

HostTensor convolution(const HostTensor& x, const HostTensor& weights, const HostTensor* bias, const Window& window,
                       std::int64_t groups, const HostTensor* addend) {
  requireSameType(x, weights, "a convolution");
  Shape shape = convolutionShape(x.shape(), weights.shape(), window, groups);
  requireBias(bias, shape[1]);
  if (addend && addend->shape() != shape) failKernel("the addend of a convolution does not have the shape of its result");
  if (isNarrowFloat(x.type())) {
    const HostTensor wideBias = bias ? bias->cast(ElementType::Float) : HostTensor();
    const HostTensor wideAddend = addend ? addend->cast(ElementType::Float) : HostTensor();
    return convolution(x.cast(ElementType::Float), weights.cast(ElementType::Float), bias ? &wideBias : nullptr, window, groups,
                       addend ? &wideAddend : nullptr)
        .cast(x.type());
  }
  HostTensor result = HostTensor::uninitialised(x.type(), std::move(shape));
  if (result.count() == 0) return result;
  const bool isFloat = x.type() == ElementType::Float && x.rank() <= 5 && x.count() && weights.count();
  if (isFloat && hasOrderedConvolution(x.shape(), weights.shape(), window, groups)) {
    orderedConvolution(x, weights, bias, addend, window, groups, result);
    return result;
  }
  if (isFloat) // adds the bias last, as in the fixed order
    withDnnlErrors("a convolution", [&] { convolveFloat(x, weights, window, groups, result); });
  else
    visitNumeric("a convolution", x.type(),
                 [&](auto zero) { convolvePlain<decltype(zero)>(x, weights, nullptr, window, groups, false, result); });
  if (addend) result = binary(BinaryKind::Add, result, *addend);
  if (!bias) return result;
  Shape channels(result.rank(), 1);
  channels[1] = result.dim(1);
  return binary(BinaryKind::Add, result, bias->reshaped(channels));
}

Shape transposedConvolutionShape(const Shape& x, const Shape& weights, const Window& window, std::int64_t groups,
                                 const std::vector<std::int64_t>& outputPadding) {
  requireOperands(x, weights, window, groups);
  if (weights[0] != x[1])
    failKernel("ConvTranspose's weights of " + toString(weights) + " need " + std::to_string(weights[0]) +
               " channels, the input has " + std::to_string(x[1]));
  Shape shape{x[0], weights[1] * groups};
  const Shape sizes = transposedOutputSizes(window, spatial(x), outputPadding);
  shape.insert(shape.end(), sizes.begin(), sizes.end());
  return shape;
}

HostTensor transposedConvolution(const HostTensor& x, const HostTensor& weights, const HostTensor* bias, const Window& window,
                                 std::int64_t groups, const std::vector<std::int64_t>& outputPadding) {
  requireSameType(x, weights, "a transposed convolution");
  Shape shape = transposedConvolutionShape(x.shape(), weights.shape(), window, groups, outputPadding);
  requireBias(bias, shape[1]);
  if (isNarrowFloat(x.type())) {
    const HostTensor wideBias = bias ? bias->cast(ElementType::Float) : HostTensor();
    return transposedConvolution(x.cast(ElementType::Float), weights.cast(ElementType::Float), bias ? &wideBias : nullptr, window,
                                 groups, outputPadding)
        .cast(x.type());
  }
  HostTensor result = HostTensor::uninitialised(x.type(), std::move(shape));
  if (result.count() == 0) return result;
  // oneDNN needs an output padding smaller than the stride; the plain loops handle all other cases.
  bool usual = x.type() == ElementType::Float && x.rank() <= 5 && x.count() && weights.count();
  for (std::size_t i = 0; i < outputPadding.size(); ++i) usual = usual && outputPadding[i] < window.strides[i];
  if (usual)
    withDnnlErrors("a transposed convolution", [&] { deconvolveFloat(x, weights, bias, window, groups, result); });
  else
    visitNumeric("a transposed convolution", x.type(),
                 [&](auto zero) { convolvePlain<decltype(zero)>(x, weights, bias, window, groups, true, result); });
  return result;
}

HostTensor convolutionDataGradient(const HostTensor& gradient, const HostTensor& weights, const Window& w, std::int64_t groups,
                                   const Shape& x) {
  std::vector<std::int64_t> more; // elements at the end that no window reads
  for (std::size_t d = 0; d < w.dimensions(); ++d)
    more.push_back(x[2 + d] - ((gradient.dim(2 + d) - 1) * w.strides[d] + w.span(d) - w.padsBefore[d] - w.padsAfter[d]));
  return transposedConvolution(gradient, weights, nullptr, w, groups, more);
}

// One product for every tap of the kernel: [groups, M, N positions] x [groups, N positions, C].
HostTensor convolutionWeightsGradient(const HostTensor& given, const HostTensor& dy, const Window& w, std::int64_t groups,
                                      const Shape& weights) {
  const std::int64_t batch = dy.dim(0), positions = elementCount(dy.shape(), 2, dy.rank());
  const std::int64_t inner = given.dim(1) / groups, outer = dy.dim(1) / groups;
  std::vector<std::int64_t> before{0, 0}, after{0, 0};
  before.insert(before.end(), w.padsBefore.begin(), w.padsBefore.end());
  after.insert(after.end(), w.padsAfter.begin(), w.padsAfter.end());
  const HostTensor x = pad(given, before, after, PadMode::Constant, nullptr);
  const HostTensor left =
      transpose(dy.reshaped({batch, groups, outer, positions}), {1, 2, 0, 3}).reshaped({groups, outer, batch * positions});
  std::vector<HostTensor> taps;
  const std::int64_t count = elementCount(w.kernel);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i;
    std::vector<SliceRange> ranges;
    for (std::size_t d = w.dimensions(); d-- > 0; rest /= w.kernel[d]) {
      const std::int64_t start = rest % w.kernel[d] * w.dilations[d];
      ranges.push_back({2 + d, start, start + (dy.dim(2 + d) - 1) * w.strides[d] + 1, w.strides[d]});
    }
    const HostTensor seen = slice(x, ranges).reshaped({batch, groups, inner, positions});
    const HostTensor right = transpose(seen, {1, 0, 3, 2}).reshaped({groups, batch * positions, inner});
    taps.push_back(matmul(left, right).reshaped({groups * outer, inner, 1}));
  }
  return concat(taps, 2).reshaped(weights);
}

HostTensor turnedKernel(const HostTensor& weights, std::int64_t groups) {
  Shape shape = weights.shape(); // all taps in one dimension, so that reversing it reverses every field dimension
  const std::int64_t outs = shape[0] / groups, ins = shape[1], taps = elementCount(shape, 2, shape.size());
  const HostTensor swapped = transpose(weights.reshaped({groups, outs, ins, taps}), {0, 2, 1, 3});
  shape[0] = groups * ins;
  shape[1] = outs;
  return slice(swapped, {{3, -1, -taps - 1, -1}}).reshaped(shape);
}

} // namespace simcore::numerics
