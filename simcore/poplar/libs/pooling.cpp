#include "popnn/Pooling.hpp"

#include "popops/Pad.hpp"
#include "poputil/Util.hpp"
#include "simcore/ops/conv/conv3d.h"
#include "simcore/ops/conv/field_convolution.h"
#include "simcore/ops/pool/pooling.h"
#include "simcore/poplar/libs/library_call.h"

#include <algorithm>
#include <ostream>

namespace popnn::pooling {

using namespace simcore::poplar::names;
using simcore::codelets::PoolKind;

namespace {

ops::PoolParams windowOf(const PoolParams& p) {
  const std::size_t fields = p.getNumFieldDims();
  if (fields < 1 || fields > 3)
    throw poputil::poplibs_error("popnn::pooling: one to three field dimensions are simulated, not " + std::to_string(fields));
  ops::PoolParams q;
  q.kind = p.poolingType == PoolingType::MAX   ? PoolKind::Max
           : p.poolingType == PoolingType::AVG ? PoolKind::Average
                                               : PoolKind::Sum;
  const auto out = p.getOutputFieldShape();
  for (std::size_t i = fields == 3 ? 1 : 0; i < fields; ++i) { // the first of three is depthOf()
    const std::size_t d = 2 - fields + i;
    q.kernel[d] = int64_t(p.kernelShape[i]);
    q.stride[d] = p.stride[i];
    q.padLow[d] = std::max(0, p.inputTruncationOrPaddingLower[i]);
    q.padHigh[d] = std::max(0, p.inputTruncationOrPaddingUpper[i]);
    q.out[d] = int64_t(out[i]);
  }
  return q;
}

// The window over the first of three field dimensions.
ops::DepthWindow depthOf(const PoolParams& p) {
  ops::DepthWindow w;
  w.padLow = std::max(0, p.inputTruncationOrPaddingLower[0]);
  w.padHigh = std::max(0, p.inputTruncationOrPaddingUpper[0]);
  w.in = int64_t(p.inputFieldShape[0]);
  w.out = int64_t(p.getOutputFieldShape()[0]);
  w.kernel = int64_t(p.kernelShape[0]);
  w.stride = p.stride[0];
  return w;
}

void requireInput(const PoolParams& p, const Tensor& in) {
  std::vector<std::size_t> shape{p.batchSize, p.numChannels};
  shape.insert(shape.end(), p.inputFieldShape.begin(), p.inputFieldShape.end());
  if (in.shape() != shape)
    throw poputil::poplibs_error("popnn::pooling: the input " + in.getDebugStr() + " must have the shape " +
                                 simcore::numerics::toString(sp::sizesOf(shape)));
}

sg::Tensor cut(const PoolParams& p, sg::Tensor x) {
  for (std::size_t i = 0; i < p.getNumFieldDims(); ++i) {
    const int64_t low = std::max(0, -p.inputTruncationOrPaddingLower[i]), high = std::max(0, -p.inputTruncationOrPaddingUpper[i]);
    x = x.slice(low, x.dim(2 + i) - high, 2 + i);
  }
  return x;
}

// A gradient of the cut input, with zeros for what was cut off.
Tensor uncut(Graph& graph, const PoolParams& p, const Tensor& gradient, Sequence& prog, const DebugContext& debugContext) {
  std::vector<std::ptrdiff_t> low{0, 0}, high{0, 0};
  for (std::size_t i = 0; i < p.getNumFieldDims(); ++i) {
    low.push_back(std::max(0, -p.inputTruncationOrPaddingLower[i]));
    high.push_back(std::max(0, -p.inputTruncationOrPaddingUpper[i]));
  }
  const auto isZero = [](std::ptrdiff_t n) { return n == 0; };
  const bool whole = std::all_of(low.begin(), low.end(), isZero) && std::all_of(high.begin(), high.end(), isZero);
  if (whole) return gradient;
  return poputil::duplicate(graph, popops::pad(graph, gradient, low, high), prog, DebugContext(debugContext, "uncut"));
}

} // namespace

std::vector<std::size_t> PoolParams::getOutputFieldShape() const {
  std::vector<std::size_t> shape;
  for (std::size_t i = 0; i < inputFieldShape.size(); ++i) {
    const long long in =
        static_cast<long long>(inputFieldShape[i]) + inputTruncationOrPaddingLower[i] + inputTruncationOrPaddingUpper[i];
    const long long kernel = static_cast<long long>(kernelShape[i]);
    if (stride[i] == 0) throw poputil::poplibs_error("popnn::pooling: the stride of dimension " + std::to_string(i) + " is 0");
    if (in < kernel)
      throw poputil::poplibs_error("popnn::pooling: the window of " + std::to_string(kernel) +
                                   " is larger than the padded input of " + std::to_string(in));
    shape.push_back(std::size_t((in - kernel) / stride[i] + 1));
  }
  return shape;
}
std::vector<std::size_t> getOutputFieldShape(const PoolParams& params) { return params.getOutputFieldShape(); }
const char* asString(const PoolingType& type) {
  return type == PoolingType::MAX ? "max" : type == PoolingType::AVG ? "avg" : "sum";
}
std::ostream& operator<<(std::ostream& out, const PoolParams& params) {
  out << asString(params.poolingType) << " pooling of " << params.batchSize << " x " << params.numChannels;
  for (const std::size_t extent : params.inputFieldShape) out << " x " << extent;
  return out;
}
std::uint64_t getFwdFlops(const PoolParams& params) {
  std::uint64_t n = params.batchSize * params.numChannels;
  for (const std::size_t extent : params.getOutputFieldShape()) n *= extent;
  for (const std::size_t extent : params.kernelShape) n *= extent;
  return n;
}
std::uint64_t getBwdFlops(const PoolParams& params) { return params.poolingType == PoolingType::MAX ? 0 : getFwdFlops(params); }

namespace {
double perfectCycles(const Graph& graph, const PoolParams& params, std::uint64_t flops) {
  const auto& target = graph.getTarget();
  return double(flops) / (double(target.getVectorWidth(params.dType)) * target.getNumTiles());
}
} // namespace
double getFwdPerfectCycleCount(const Graph& graph, const PoolParams& params) {
  return perfectCycles(graph, params, getFwdFlops(params));
}
double getBwdPerfectCycleCount(const Graph& graph, const PoolParams& params) {
  return perfectCycles(graph, params, getBwdFlops(params));
}

Tensor pool(Graph& graph, const PoolParams& params, const Tensor& in, Sequence& prog, const DebugContext& debugContext,
            const OptionFlags& options) {
  sp::ignoreOptions("popnn::pooling::pool", options);
  requireInput(params, in);
  return sp::library(
      graph, prog, debugContext, "pool",
      [](const ops::OpBuilder& b, const auto& params, const auto& in) {
        if (params.getNumFieldDims() == 3) return ops::pool3d(b, cut(params, sp::inner(in)), windowOf(params), depthOf(params));
        const sg::Tensor out = ops::pool(b, ops::asImage(cut(params, sp::inner(in))), windowOf(params));
        return params.getNumFieldDims() == 1 ? out.squeeze({2}) : out;
      },
      params, in);
}

Tensor poolInputGradient(Graph& graph, const PoolParams& params, const Tensor& in, const Tensor& pooled,
                         const Tensor& pooledGradient, bool useScaledGradient, Sequence& prog, const DebugContext& debugContext,
                         const OptionFlags& options) {
  sp::ignoreOptions("popnn::pooling::poolInputGradient", options);
  requireInput(params, in);
  if (params.poolingType != PoolingType::MAX)
    return poolInputGradient(graph, params, 1, pooledGradient, prog, debugContext, options);
  if (useScaledGradient && params.getNumFieldDims() == 3)
    throw poputil::poplibs_error(
        "popnn::pooling::poolInputGradient: scaled gradients of three field dimensions are not simulated");
  const Tensor gradient = sp::library(
      graph, prog, debugContext, "poolInputGradient",
      [](const ops::OpBuilder& b, const auto& params, const auto& in, const auto& pooled, const auto& pooledGradient,
         const auto& useScaledGradient) {
        ops::PoolParams window = windowOf(params);
        window.ties = useScaledGradient ? ops::MaximumTies::Shared : ops::MaximumTies::All;
        if (params.getNumFieldDims() == 3)
          return ops::pool3dGrad(b, cut(params, sp::inner(in)), sp::inner(pooled), sp::inner(pooledGradient), window,
                                 depthOf(params));
        const sg::Tensor out = ops::poolGrad(b, ops::asImage(cut(params, sp::inner(in))), ops::asImage(sp::inner(pooled)),
                                             ops::asImage(sp::inner(pooledGradient)), window);
        return params.getNumFieldDims() == 1 ? out.squeeze({2}) : out;
      },
      params, in, pooled, pooledGradient, useScaledGradient);
  return uncut(graph, params, gradient, prog, debugContext);
}
Tensor poolInputGradient(Graph& graph, const PoolParams& params, const unsigned, const Tensor& pooledGradient, Sequence& prog,
                         const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("popnn::pooling::poolInputGradient", options);
  if (params.poolingType == PoolingType::MAX)
    throw poputil::poplibs_error("popnn::pooling::poolInputGradient: max pooling needs its input");
  const Tensor gradient = sp::library(
      graph, prog, debugContext, "poolInputGradient",
      [](const ops::OpBuilder& b, const auto& params, const auto& pooledGradient) {
        sg::Shape shape{int64_t(params.batchSize), int64_t(params.numChannels)};
        for (std::size_t i = 0; i < params.getNumFieldDims(); ++i)
          shape.push_back(int64_t(params.inputFieldShape[i]) + std::min(0, params.inputTruncationOrPaddingLower[i]) +
                          std::min(0, params.inputTruncationOrPaddingUpper[i]));
        if (params.getNumFieldDims() == 3)
          return ops::pool3dGrad(b, shape, sp::inner(pooledGradient), windowOf(params), depthOf(params));
        const sg::Tensor out =
            ops::poolGrad(b, ops::imageShape(shape), ops::asImage(sp::inner(pooledGradient)), windowOf(params));
        return params.getNumFieldDims() == 1 ? out.squeeze({2}) : out;
      },
      params, pooledGradient);
  return uncut(graph, params, gradient, prog, debugContext);
}

} // namespace popnn::pooling
