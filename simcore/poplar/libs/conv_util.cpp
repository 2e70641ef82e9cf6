#include "poplin/ConvUtil.hpp"

#include "poplin/FullyConnected.hpp"
#include "poplin/MeshGrid.hpp"
#include "poplin/MultiConvolution.hpp"
#include "poputil/exceptions.hpp"
#include "simcore/poplar/libs/library_call.h"

#include <algorithm>

namespace poplin {

using namespace simcore::poplar::names;
using Range = std::pair<unsigned, unsigned>;

namespace {

constexpr unsigned kNone = ~0u;

// The element of the input or kernel at position `place` of the transformed one; kNone for padding, a gap of the dilation or a
// truncated element.
unsigned elementAt(const ConvParams::InputTransform& t, unsigned dim, unsigned size, unsigned transformed, int64_t place) {
  if (t.flip[dim]) place = int64_t(transformed) - 1 - place;
  place -= t.paddingLower[dim];
  if (place < 0 || place % t.dilation[dim] != 0) return kNone;
  const int64_t element = place / t.dilation[dim] + t.truncationLower[dim];
  return element < int64_t(size) - t.truncationUpper[dim] ? unsigned(element) : kNone;
}
// The inverse: the position of an element in the transformed input or kernel; -1 if the element is truncated.
int64_t placeOf(const ConvParams::InputTransform& t, unsigned dim, unsigned size, unsigned transformed, unsigned element) {
  if (element < t.truncationLower[dim] || element >= size - t.truncationUpper[dim]) return -1;
  const int64_t place = int64_t(element - t.truncationLower[dim]) * t.dilation[dim] + t.paddingLower[dim];
  return t.flip[dim] ? int64_t(transformed) - 1 - place : place;
}
// The position in the transformed input where the window of an output begins; -1 for padding of the output.
int64_t firstPlace(unsigned dim, unsigned output, const ConvParams& p) {
  const auto& o = p.outputTransform;
  if (output < o.paddingLower[dim] || output + o.paddingUpper[dim] >= p.getOutputSize(dim)) return -1;
  return int64_t(output - o.paddingLower[dim]) * o.stride[dim] + o.truncationLower[dim];
}

// The smallest range that contains all numbers in [begin, end) for which `holds` is true.
template<class F> Range hull(Range range, F holds) {
  Range found{0, 0};
  for (unsigned i = range.first; i < range.second; ++i)
    if (holds(i)) found = {found.first == found.second ? i : found.first, i + 1};
  return found;
}
template<class F> bool any(Range range, F holds) {
  for (unsigned i = range.first; i < range.second; ++i)
    if (holds(i)) return true;
  return false;
}

} // namespace

unsigned getDilatedSize(unsigned size, unsigned dilation) { return size == 0 ? 0 : (size - 1) * dilation + 1; }

unsigned getInputIndex(unsigned dim, unsigned outputIndex, unsigned kernelIndex, const ConvParams& p) {
  const int64_t first = firstPlace(dim, outputIndex, p);
  const int64_t kernel =
      placeOf(p.kernelTransform, dim, unsigned(p.kernelShape[dim]), p.getTransformedKernelSize(dim), kernelIndex);
  if (first < 0 || kernel < 0) return kNone;
  return elementAt(p.inputTransform, dim, unsigned(p.inputFieldShape[dim]), p.getTransformedInputSize(dim), first + kernel);
}
unsigned getKernelIndex(unsigned dim, unsigned outputIndex, unsigned inputIndex, const ConvParams& p) {
  const int64_t first = firstPlace(dim, outputIndex, p);
  const int64_t input =
      placeOf(p.inputTransform, dim, unsigned(p.inputFieldShape[dim]), p.getTransformedInputSize(dim), inputIndex);
  if (first < 0 || input < first || input - first >= int64_t(p.getTransformedKernelSize(dim))) return kNone;
  return elementAt(p.kernelTransform, dim, unsigned(p.kernelShape[dim]), p.getTransformedKernelSize(dim), input - first);
}

Range getOutputRangeForKernelRange(unsigned dim, Range outputs, Range kernels, const ConvParams& p) {
  return hull(outputs,
              [&](unsigned o) { return any(kernels, [&](unsigned k) { return getInputIndex(dim, o, k, p) != kNone; }); });
}
Range getOutputRangeForKernelIndex(unsigned dim, Range outputs, unsigned kernel, const ConvParams& p) {
  return getOutputRangeForKernelRange(dim, outputs, {kernel, kernel + 1}, p);
}
Range getOutputRangeForInputRange(unsigned dim, Range outputs, Range inputs, const ConvParams& p) {
  return hull(outputs,
              [&](unsigned o) { return any(inputs, [&](unsigned i) { return getKernelIndex(dim, o, i, p) != kNone; }); });
}
Range getOutputRangeForInputIndex(unsigned dim, Range outputs, unsigned input, const ConvParams& p) {
  return getOutputRangeForInputRange(dim, outputs, {input, input + 1}, p);
}
Range getInputRange(unsigned dim, Range outputs, Range kernels, const ConvParams& p) {
  return hull({0, unsigned(p.inputFieldShape[dim])}, [&](unsigned i) {
    return any(outputs, [&](unsigned o) {
      const unsigned k = getKernelIndex(dim, o, i, p);
      return k != kNone && k >= kernels.first && k < kernels.second;
    });
  });
}
Range getKernelRange(unsigned dim, Range outputs, Range inputs, const ConvParams& p) {
  return hull({0, unsigned(p.kernelShape[dim])}, [&](unsigned k) {
    return any(outputs, [&](unsigned o) {
      const unsigned i = getInputIndex(dim, o, k, p);
      return i != kNone && i >= inputs.first && i < inputs.second;
    });
  });
}

// The gradient of the input convolves the deltas, dilated by the forward stride, with the reversed kernel. Padding of the forward
// pass becomes truncation, and truncation becomes padding.
ConvParams getGradientParams(const ConvParams& p) {
  p.validate();
  ConvParams g;
  g.inputType = g.outputType = p.inputType;
  g.batchSize = p.batchSize;
  g.inputFieldShape = p.getOutputFieldShape();
  g.kernelShape = p.kernelShape;
  g.inputChannelsPerConvGroup = p.outputChannelsPerConvGroup;
  g.outputChannelsPerConvGroup = p.inputChannelsPerConvGroup;
  g.numConvGroups = p.numConvGroups;
  const std::size_t fields = p.getNumFieldDims();
  g.inputTransform = ConvParams::InputTransform(fields);
  g.kernelTransform = p.kernelTransform;
  std::swap(g.kernelTransform.paddingLower, g.kernelTransform.paddingUpper);
  std::swap(g.kernelTransform.truncationLower, g.kernelTransform.truncationUpper);
  g.outputTransform = ConvParams::OutputTransform(fields);
  for (unsigned d = 0; d < fields; ++d) {
    if (p.inputTransform.flip[d] || p.kernelTransform.flip[d])
      throw poputil::poplibs_error("poplin::getGradientParams: flipped inputs and kernels are not simulated");
    const auto& o = p.outputTransform;
    const unsigned kernel = p.getTransformedKernelSize(d), whole = p.getTransformedInputSize(d) - kernel + 1;
    const unsigned outputs = unsigned(p.getOutputSize(d)) - o.paddingLower[d] - o.paddingUpper[d];
    g.inputTransform.truncationLower[d] = o.paddingLower[d];
    g.inputTransform.truncationUpper[d] = o.paddingUpper[d];
    g.inputTransform.dilation[d] = o.stride[d];
    g.inputTransform.paddingLower[d] = kernel - 1 + o.truncationLower[d];
    g.inputTransform.paddingUpper[d] = kernel - 1 + whole - o.truncationLower[d] - getDilatedSize(outputs, o.stride[d]);
    const auto& i = p.inputTransform;
    g.outputTransform.truncationLower[d] = i.paddingLower[d];
    g.outputTransform.truncationUpper[d] = i.paddingUpper[d];
    g.outputTransform.stride[d] = i.dilation[d];
    g.outputTransform.paddingLower[d] = i.truncationLower[d];
    g.outputTransform.paddingUpper[d] = i.truncationUpper[d];
  }
  return g;
}

// The gradient of the weights uses the deltas as kernel and the batch as input channels. The forward output stride becomes the
// kernel's dilation.
ConvParams getWeightUpdateParams(const ConvParams& p) {
  p.validate();
  ConvParams w = p;
  w.outputType = p.inputType;
  w.batchSize = p.inputChannelsPerConvGroup;
  w.inputChannelsPerConvGroup = p.batchSize;
  w.kernelShape = p.getOutputFieldShape();
  const std::size_t fields = p.getNumFieldDims();
  w.kernelTransform = ConvParams::InputTransform(fields);
  w.outputTransform = ConvParams::OutputTransform(fields);
  for (unsigned d = 0; d < fields; ++d) {
    const auto &k = p.kernelTransform, &from = p.inputTransform;
    const auto& o = p.outputTransform;
    if (k.flip[d] || from.flip[d])
      throw poputil::poplibs_error("poplin::getWeightUpdateParams: flipped inputs and kernels are not simulated");
    auto& deltas = w.kernelTransform;
    deltas.truncationLower[d] = o.paddingLower[d];
    deltas.truncationUpper[d] = o.paddingUpper[d];
    deltas.dilation[d] = o.stride[d];
    deltas.paddingLower[d] = o.truncationLower[d];
    auto& weights = w.outputTransform;
    const unsigned inside = p.getTruncatedKernelSize(d);
    weights.stride[d] = k.dilation[d];
    weights.truncationLower[d] = k.paddingLower[d];
    const unsigned last = k.paddingLower[d] + (inside == 0 ? 0 : (inside - 1) * k.dilation[d]);
    weights.truncationUpper[d] = unsigned(w.getUntransformedOutputSize(d)) - 1 - last;
    weights.paddingLower[d] = k.truncationLower[d];
    weights.paddingUpper[d] = k.truncationUpper[d];
  }
  return w;
}

// ---- several convolutions ---------------------------------------------------------------------------------------------

namespace multiconv {

namespace {
template<class T> const T& at(const std::vector<T>& args, unsigned index) {
  if (index >= args.size())
    throw poputil::poplibs_error("poplin::multiconv: convolution " + std::to_string(index) + " does not exist");
  return args[index];
}
} // namespace

Tensor createWeights(Graph& graph, const std::vector<CreateTensorArgs>& args, unsigned index, const OptionFlags& options,
                     PlanningCache* cache) {
  simcore::poplar::ignoreOptions("poplin::multiconv::createWeights", options);
  const auto& a = at(args, index);
  return poplin::createWeights(graph, a.params, DebugContext(a.name), a.options, cache);
}
Tensor createInput(Graph& graph, const std::vector<CreateTensorArgs>& args, unsigned index, const OptionFlags& options,
                   PlanningCache* cache) {
  simcore::poplar::ignoreOptions("poplin::multiconv::createInput", options);
  const auto& a = at(args, index);
  return poplin::createInput(graph, a.params, DebugContext(a.name), a.options, cache);
}
std::vector<Tensor> convolution(Graph& graph, const std::vector<ConvolutionArgs>& args, bool transposeAndFlipWeights,
                                Sequence& prog, const DebugContext& debugContext, const OptionFlags& options,
                                PlanningCache* cache) {
  simcore::poplar::ignoreOptions("poplin::multiconv::convolution", options);
  std::vector<Tensor> results;
  for (const auto& a : args)
    results.push_back(
        poplin::convolution(graph, a.inputs, a.weights, a.params, transposeAndFlipWeights, prog, debugContext, a.options, cache));
  return results;
}
void weightsTransposeChansFlipXY(Graph& graph, std::vector<ConvolutionArgs>& args, const std::vector<Tensor>& weightsIn,
                                 Sequence& prog, const OptionFlags& options, const DebugContext& debugContext,
                                 PlanningCache* cache) {
  simcore::poplar::ignoreOptions("poplin::multiconv::weightsTransposeChansFlipXY", options);
  if (args.size() != weightsIn.size())
    throw poputil::poplibs_error("poplin::multiconv: " + std::to_string(weightsIn.size()) + " weights for " +
                                 std::to_string(args.size()) + " convolutions");
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!args[i].weights.valid())
      args[i].weights =
          poplin::createWeights(graph, args[i].params, DebugContext(debugContext, "turned"), args[i].options, cache);
    poplin::weightsTransposeChansFlipXY(graph, weightsIn[i], args[i].weights, prog, debugContext);
  }
}
std::vector<Tensor> calculateWeightDeltas(Graph& graph, const std::vector<CalculateWeightDeltasArgs>& args, Sequence& prog,
                                          const DebugContext& debugContext, const OptionFlags& options, PlanningCache* cache) {
  simcore::poplar::ignoreOptions("poplin::multiconv::calculateWeightDeltas", options);
  std::vector<Tensor> results;
  for (const auto& a : args)
    results.push_back(
        poplin::calculateWeightDeltas(graph, a.zDeltas, a.activations, a.params, prog, debugContext, a.options, cache));
  return results;
}
void convolutionWeightUpdate(Graph& graph, const std::vector<ConvWeightUpdateArgs>& args, Sequence& prog,
                             const DebugContext& debugContext, const OptionFlags& options, PlanningCache* cache) {
  simcore::poplar::ignoreOptions("poplin::multiconv::convolutionWeightUpdate", options);
  for (const auto& a : args)
    poplin::convolutionWeightUpdate(graph, a.zDeltas, a.weights, a.activations, a.params, a.scale, prog, debugContext, a.options,
                                    cache);
}
void convolutionWeightUpdate(Graph& graph, const std::vector<ConvWeightUpdateArgsScalar>& args, Sequence& prog,
                             const DebugContext& debugContext, const OptionFlags& options, PlanningCache* cache) {
  simcore::poplar::ignoreOptions("poplin::multiconv::convolutionWeightUpdate", options);
  for (const auto& a : args)
    poplin::convolutionWeightUpdate(graph, a.zDeltas, a.weights, a.activations, a.params, a.scale, prog, debugContext, a.options,
                                    cache);
}

} // namespace multiconv

// ---- plans and grids --------------------------------------------------------------------------------------------------

namespace fc {
std::vector<std::pair<MatMulParams, OptionFlags>> getMatMulPrePlanParameters(FullyConnectedParams p, OptionFlags options,
                                                                             poplar::Type type, bool inferenceOnly) {
  const auto product = [&](std::size_t rows, std::size_t inner, std::size_t columns) {
    MatMulParams m;
    m.inputType = m.outputType = type;
    m.aShape = {p.numGroups, rows, inner};
    m.bShape = {p.numGroups, inner, columns};
    return std::make_pair(m, options);
  };
  std::vector<std::pair<MatMulParams, OptionFlags>> all{product(p.batchSize, p.inputSize, p.outputSize)};
  if (inferenceOnly) return all;
  all.push_back(product(p.batchSize, p.outputSize, p.inputSize));
  all.push_back(product(p.inputSize, p.batchSize, p.outputSize));
  return all;
}
} // namespace fc

Tensor linspace(Graph& graph, const poplar::Type& type, float left, float right, std::size_t count,
                const DebugContext& debugContext) {
  if (count < 2) throw poputil::poplibs_error("poplin::linspace: at least two numbers are needed");
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = float(left + double(right - left) * double(i) / double(count - 1));
  const Tensor line = graph.addConstant(type, {count}, values, debugContext);
  graph.setTileMapping(line, 0);
  return line;
}
std::vector<Tensor> meshgrid2d(Graph&, Tensor x, Tensor y) {
  if (x.rank() != 1 || y.rank() != 1) throw poputil::poplibs_error("poplin::meshgrid2d: coordinates must have one dimension");
  return {x.expand({0}).broadcast(unsigned(y.dim(0)), 0), y.expand({1}).broadcast(unsigned(x.dim(0)), 1)};
}

} // namespace poplin
