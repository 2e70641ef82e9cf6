#include "poplin/Convolution.hpp"

#include "popops/ElementWise.hpp"
#include "popops/Reduce.hpp"
#include "popops/ScaledAdd.hpp"
#include "simcore/numerics/convolution.h"
#include "simcore/ops/conv/field_convolution.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/move/copies.h"
#include "simcore/poplar/libs/conv_options.h"
#include "simcore/poplar/libs/library_call.h"

#include <algorithm>
#include <numeric>
#include <ostream>

namespace poplin {

using namespace simcore::poplar::names;
using simcore::numerics::Window;
using List = std::vector<int64_t>;

namespace {

// Adds zeros around dimension d, or cuts it.
sg::Tensor padded(const ops::OpBuilder& b, const sg::Tensor& x, std::size_t d, int64_t before, int64_t after) {
  if (before == 0 && after == 0) return x;
  List low(x.rank(), 0), high(x.rank(), 0);
  low[d] = before;
  high[d] = after;
  return ops::pad(b, x, low, high);
}

// Puts zeros between the elements of dimension d.
sg::Tensor spread(const ops::OpBuilder& b, const sg::Tensor& x, std::size_t d, int64_t dilation) {
  if (dilation == 1 || x.dim(d) == 0) return x;
  const sg::Tensor wide = padded(b, x.expand({d + 1}), d + 1, 0, dilation - 1);
  sg::Shape shape = x.shape();
  shape[d] *= dilation;
  return wide.reshape(shape).slice(0, (x.dim(d) - 1) * dilation + 1, d);
}

struct Later {
  bool dilation = false, padding = false;
};
// Cuts, dilates, pads and flips the last dimensions. The members of `later` leave the dilation or the padding to the window of the
// convolution.
sg::Tensor transformed(const ops::OpBuilder& b, sg::Tensor x, const ConvParams::InputTransform& t, std::size_t firstField,
                       Later later) {
  for (std::size_t i = 0; i < t.dilation.size(); ++i) {
    const std::size_t d = firstField + i;
    x = padded(b, x, d, -int64_t(t.truncationLower[i]), -int64_t(t.truncationUpper[i]));
    if (!later.dilation) x = spread(b, x, d, t.dilation[i]);
    if (!later.padding) x = padded(b, x, d, t.paddingLower[i], t.paddingUpper[i]);
    if (t.flip[i]) x = x.reverse(d);
  }
  return x;
}

bool isAll(const std::vector<unsigned>& values, unsigned value) {
  return std::all_of(values.begin(), values.end(), [&](unsigned v) { return v == value; });
}

// Weights of the forward pass [G, Cout, Cin, kernel ..] -> weights of the backward pass: channels exchanged, kernel reversed.
sg::Tensor turned(const sg::Tensor& weights) {
  std::vector<std::size_t> order(weights.rank());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::swap(order[1], order[2]);
  sg::Tensor w = weights.dimShuffle(order);
  for (std::size_t d = 3; d < w.rank(); ++d) w = w.reverse(d);
  return w;
}

// The window of the convolution. `dilates`, `pads`: it applies the kernel's dilation, the input's padding; else the tensors are
// already transformed.
Window windowOf(const ConvParams& p, bool dilates, bool pads) {
  Window w;
  for (unsigned d = 0; d < p.getNumFieldDims(); ++d) {
    w.kernel.push_back(dilates ? p.getTruncatedKernelSize(d) : p.getTransformedKernelSize(d));
    w.dilations.push_back(dilates ? p.kernelTransform.dilation[d] : 1);
    w.strides.push_back(p.outputTransform.stride[d]);
    // a flip exchanges the two ends
    const bool flip = p.inputTransform.flip[d];
    const int64_t low = flip ? p.inputTransform.paddingUpper[d] : p.inputTransform.paddingLower[d];
    const int64_t high = flip ? p.inputTransform.paddingLower[d] : p.inputTransform.paddingUpper[d];
    w.padsBefore.push_back(pads ? low : 0);
    w.padsAfter.push_back(pads ? high : 0);
  }
  return w;
}

sg::Tensor convolve(const ops::OpBuilder& b, const sg::Tensor& in, const sg::Tensor& weights, const ConvParams& p, bool turns,
                    const ops::ConvOptions& options) {
  const std::size_t fields = p.getNumFieldDims();
  const auto& o = p.outputTransform;
  const bool cuts = !isAll(o.truncationLower, 0) || !isAll(o.truncationUpper, 0);
  const bool dilates = isAll(p.kernelTransform.paddingLower, 0) && isAll(p.kernelTransform.paddingUpper, 0);
  sg::Tensor w = turns ? turned(weights) : weights;
  w = transformed(b, w, p.kernelTransform, 3, {.dilation = dilates, .padding = dilates});
  sg::Shape flat(w.shape().begin() + 1, w.shape().end());
  flat[0] *= w.dim(0);
  sg::Tensor x = transformed(b, in, p.inputTransform, 2, {.dilation = false, .padding = !cuts});
  for (std::size_t i = 0; cuts && i < fields; ++i) // inputs of truncated outputs are cut
    x = padded(b, x, 2 + i, -int64_t(o.truncationLower[i]), -int64_t(o.truncationUpper[i]));
  // The plan gives the time and the host computes the numbers, with sums as exact as the result's type.
  const sg::Tensor kernel = w.reshape(flat);
  const Window window = windowOf(p, dilates, !cuts);
  const auto type = sp::inner(p.outputType);
  sg::Tensor out = ops::convolution(b.timeOnly(), x, kernel, window, int64_t(p.numConvGroups), options);
  if (out.elementType() != type) out = ops::cast(b.timeOnly(), out, type);
  sg::Shape shape{int64_t(p.batchSize), int64_t(p.getNumOutputChans())};
  for (unsigned i = 0; i < fields; ++i) shape.push_back(int64_t(p.getOutputSize(i)) - o.paddingLower[i] - o.paddingUpper[i]);
  out = out.reshape(shape);
  if (b.withNumbers())
    b.compute({x, kernel}, {out},
              ops::oneResult([window, groups = int64_t(p.numConvGroups)](const std::vector<HostTensor>& values) {
                return simcore::numerics::convolution(values[0], values[1], nullptr, window, groups);
              }));
  for (std::size_t i = 0; i < fields; ++i) out = padded(b, out, 2 + i, o.paddingLower[i], o.paddingUpper[i]);
  return out;
}

Sizes inputShape(const ConvParams& p) {
  Sizes shape{p.batchSize, p.getNumInputChans()};
  shape.insert(shape.end(), p.inputFieldShape.begin(), p.inputFieldShape.end());
  return shape;
}
Sizes weightShape(const ConvParams& p, bool turns = false) {
  Sizes shape{p.numConvGroups, turns ? p.inputChannelsPerConvGroup : p.outputChannelsPerConvGroup,
              turns ? p.outputChannelsPerConvGroup : p.inputChannelsPerConvGroup};
  shape.insert(shape.end(), p.kernelShape.begin(), p.kernelShape.end());
  return shape;
}
Sizes outputShape(const ConvParams& p) {
  Sizes shape{p.batchSize, p.getNumOutputChans()};
  const Sizes field = p.getOutputFieldShape();
  shape.insert(shape.end(), field.begin(), field.end());
  return shape;
}

void requireShape(const char* call, const char* what, const Tensor& t, const Sizes& shape) {
  if (t.shape() != shape)
    throw poputil::poplibs_error(std::string(call) + ": " + what + " " + t.getDebugStr() + " must have the shape " +
                                 simcore::numerics::toString(sp::sizesOf(shape)));
}

std::uint64_t flops(const ConvParams& p) {
  std::uint64_t n = 2 * p.batchSize * p.getNumOutputChans() * p.inputChannelsPerConvGroup;
  for (unsigned d = 0; d < p.getNumFieldDims(); ++d) n *= p.getOutputSize(d) * p.kernelShape[d];
  return n;
}
double perfectCycles(const Graph& graph, const ConvParams& p) {
  const auto& target = graph.getTarget();
  const bool half = p.inputType == poplar::HALF;
  const double perCycle = 2.0 * (half ? 64 : 16); // operations: a multiplication and an addition each
  return double(flops(p)) / (perCycle * target.getNumTiles());
}

} // namespace

std::uint64_t getFwdFlops(const ConvParams& params) { return flops(params); }
std::uint64_t getBwdFlops(const ConvParams& params) { return flops(params); }
std::uint64_t getWuFlops(const ConvParams& params) { return flops(params); }
double getFwdPerfectCycleCount(const Graph& graph, const ConvParams& params) { return perfectCycles(graph, params); }
double getBwdPerfectCycleCount(const Graph& graph, const ConvParams& params) { return perfectCycles(graph, params); }
double getWuPerfectCycleCount(const Graph& graph, const ConvParams& params) { return perfectCycles(graph, params); }

Tensor createInput(Graph& graph, const ConvParams& params, const DebugContext& debugContext, const OptionFlags& options,
                   PlanningCache*) {
  params.validate();
  sp::convOptionsOf("poplin::createInput", options);
  return graph.addVariable(params.inputType, inputShape(params), poplar::VariableMappingMethod::LINEAR, debugContext);
}
Tensor createConvOutput(Graph& graph, const ConvParams& params, const DebugContext& debugContext, const OptionFlags& options,
                        PlanningCache*) {
  params.validate();
  sp::convOptionsOf("poplin::createConvOutput", options);
  return graph.addVariable(params.outputType, outputShape(params), poplar::VariableMappingMethod::LINEAR, debugContext);
}
Tensor createWeights(Graph& graph, const ConvParams& params, const DebugContext& debugContext, const OptionFlags& options,
                     PlanningCache*) {
  params.validate();
  const auto read = sp::convOptionsOf("poplin::createWeights", options);
  const Tensor weights = graph.addVariable(params.inputType, weightShape(params), debugContext);
  sp::library(graph, debugContext, "createWeights", [&](const ops::OpBuilder& b) {
    sp::layOutAsPlanned(b, sp::inner(weights), [&](const ops::OpBuilder& scratch, const sg::Tensor& like) {
      const sg::Tensor x = scratch.graph().addVariable(like.elementType(), sp::sizesOf(inputShape(params)), "x");
      scratch.mapLinearly(x);
      convolve(scratch, x, like, params, false, read);
    });
  });
  return weights;
}
Tensor createBiases(Graph& graph, const Tensor& activations, const DebugContext& debugContext) {
  if (activations.rank() < 2)
    throw poputil::poplibs_error("poplin::createBiases: activations " + activations.getDebugStr() + " have no channels");
  return graph.addVariable(activations.elementType(), {activations.dim(1)}, poplar::VariableMappingMethod::LINEAR, debugContext);
}
Tensor createBiases(Graph& graph, const Tensor& activations, const ConvParams&, const DebugContext& debugContext,
                    const OptionFlags& options, PlanningCache*) {
  sp::ignoreOptions("poplin::createBiases", options);
  return createBiases(graph, activations, debugContext);
}

Tensor convolution(Graph& graph, const Tensor& in, const Tensor& weights, const ConvParams& params, bool transposeAndFlipWeights,
                   Sequence& prog, const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  const auto read = sp::convOptionsOf("poplin::convolution", options);
  params.validate();
  requireShape("poplin::convolution", "the input", in, inputShape(params));
  requireShape("poplin::convolution", "the weights", weights, weightShape(params, transposeAndFlipWeights));
  if (in.elementType() != params.inputType || weights.elementType() != params.inputType)
    throw poputil::poplibs_error("poplin::convolution: input and weights must have the type " + params.inputType.toString());
  return sp::library(
      graph, prog, debugContext, "convolution",
      [](const ops::OpBuilder& b, const auto& in, const auto& weights, const auto& params, const auto& transposeAndFlipWeights,
         const auto& read) { return convolve(b, sp::inner(in), sp::inner(weights), params, transposeAndFlipWeights, read); },
      in, weights, params, transposeAndFlipWeights, read);
}
void convolutionWithOutput(Graph& graph, const Tensor& in, const Tensor& weights, const Tensor& out, const ConvParams& params,
                           bool transposeAndFlipWeights, Sequence& prog, const DebugContext& debugContext,
                           const OptionFlags& options, PlanningCache* cache) {
  const Tensor made = convolution(graph, in, weights, params, transposeAndFlipWeights, prog, debugContext, options, cache);
  requireShape("poplin::convolutionWithOutput", "the output", out, made.shape());
  prog.add(poplar::program::Copy(made, out, false, debugContext));
}

void weightsTransposeChansFlipXY(Graph&, const Tensor& weightsIn, const Tensor& weightsOut, Sequence& prog,
                                 const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("poplin::weightsTransposeChansFlipXY", options);
  prog.add(poplar::program::Copy(sp::inLibrary([&] { return sp::outer(turned(sp::inner(weightsIn))); }), weightsOut, false,
                                 debugContext));
}

Tensor calculateWeightDeltas(Graph& graph, const Tensor& zDeltas, const Tensor& activations, const ConvParams& params,
                             Sequence& prog, const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  const auto read = sp::convOptionsOf("poplin::calculateWeightDeltas", options);
  params.validate();
  requireShape("poplin::calculateWeightDeltas", "the input", activations, inputShape(params));
  requireShape("poplin::calculateWeightDeltas", "the deltas", zDeltas, outputShape(params));
  const ConvParams::InputTransform none(params.getNumFieldDims());
  ConvParams::InputTransform kernel = params.kernelTransform;
  kernel.dilation = none.dilation;
  const auto& o = params.outputTransform;
  if (kernel != none || !isAll(o.truncationLower, 0) || !isAll(o.truncationUpper, 0) || !isAll(o.paddingLower, 0) ||
      !isAll(o.paddingUpper, 0))
    throw poputil::poplibs_error(
        "poplin::calculateWeightDeltas: a truncated, padded or flipped kernel or output is not simulated");
  return sp::library(
      graph, prog, debugContext, "calculateWeightDeltas",
      [](const ops::OpBuilder& b, const auto& params, const auto& activations, const auto& zDeltas, const auto& read) {
        ConvParams::InputTransform before = params.inputTransform;
        const sg::Tensor x = transformed(b, sp::inner(activations), before, 2, {.dilation = false, .padding = true});
        sg::Shape shape = sp::sizesOf(weightShape(params));
        sg::Shape flat(shape.begin() + 1, shape.end());
        flat[0] *= shape[0];
        const sg::Tensor d = sp::inner(zDeltas);
        const Window window = windowOf(params, true, true);
        const int64_t groups = int64_t(params.numConvGroups);
        const sg::Tensor out = ops::convolutionWeightsGradient(b.timeOnly(), x, d, window, groups, flat, read).reshape(shape);
        if (b.withNumbers())
          b.compute(
              {x, d}, {out}, ops::oneResult([window, groups, flat, shape](const std::vector<HostTensor>& values) {
                return simcore::numerics::convolutionWeightsGradient(values[0], values[1], window, groups, flat).reshaped(shape);
              }));
        return out;
      },
      params, activations, zDeltas, read);
}
void convolutionWeightUpdate(Graph& graph, const Tensor& zDeltas, const Tensor& weights, const Tensor& activations,
                             ConvParams params, const Tensor& scale, Sequence& prog, const DebugContext& debugContext,
                             const OptionFlags& options, PlanningCache* cache) {
  popops::scaledAddTo(graph, weights,
                      calculateWeightDeltas(graph, zDeltas, activations, params, prog, debugContext, options, cache), scale, prog,
                      debugContext);
}
void convolutionWeightUpdate(Graph& graph, const Tensor& zDeltas, const Tensor& weights, const Tensor& activations,
                             ConvParams params, float scale, Sequence& prog, const DebugContext& debugContext,
                             const OptionFlags& options, PlanningCache* cache) {
  popops::scaledAddTo(graph, weights,
                      calculateWeightDeltas(graph, zDeltas, activations, params, prog, debugContext, options, cache), scale, prog,
                      debugContext);
}

namespace {
Tensor channelSums(Graph& graph, const Tensor& deltas, const poplar::Type& type, Sequence& prog,
                   const DebugContext& debugContext) {
  Sizes dims{0};
  for (std::size_t d = 2; d < deltas.rank(); ++d) dims.push_back(d);
  return popops::reduce(graph, deltas, type, dims, popops::Operation::ADD, prog, debugContext);
}
} // namespace

void convolutionBiasUpdate(Graph& graph, const Tensor& zDeltas, const Tensor& biases, const Tensor& scale,
                           const OptionFlags& options, Sequence& prog, const DebugContext& debugContext) {
  sp::convOptionsOf("poplin::convolutionBiasUpdate", options);
  popops::scaledAddTo(graph, biases, channelSums(graph, zDeltas, biases.elementType(), prog, debugContext), scale, prog,
                      debugContext);
}
void convolutionBiasUpdate(Graph& graph, const Tensor& zDeltas, const Tensor& biases, float scale, const OptionFlags& options,
                           Sequence& prog, const DebugContext& debugContext) {
  sp::convOptionsOf("poplin::convolutionBiasUpdate", options);
  popops::scaledAddTo(graph, biases, channelSums(graph, zDeltas, biases.elementType(), prog, debugContext), scale, prog,
                      debugContext);
}
void addBias(Graph& graph, const Tensor& in, const Tensor& biases, Sequence& prog, const DebugContext& debugContext) {
  if (in.rank() < 2 || biases.rank() != 1 || biases.dim(0) != in.dim(1))
    throw poputil::poplibs_error("poplin::addBias: biases " + biases.getDebugStr() + " must have one element per channel of " +
                                 in.getDebugStr());
  sp::library(
      graph, prog, debugContext, "addBias",
      [](const ops::OpBuilder& b, const auto& in, const auto& biases) { ops::addBias(b, sp::inner(in), sp::inner(biases)); }, in,
      biases);
}

} // namespace poplin
