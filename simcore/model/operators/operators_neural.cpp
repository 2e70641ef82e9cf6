// Convolutions, matrix products and pooling.
#include "simcore/model/parameters.h"
#include "simcore/numerics/convolution.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/matmul.h"
#include "simcore/numerics/pooling.h"

#include <algorithm>
#include <cstdlib>

namespace simcore::model {

using numerics::ElementType;
using numerics::HostTensor;
using numerics::ReduceKind;
using numerics::Shape;
using reports::Error;
using reports::ErrorCode;

namespace {

Types inferConvolution(const Call& call) {
  const ConvolutionParameters p = convolutionParameters(call);
  return {{call.elementType(0), numerics::convolutionShape(call.shape(0), call.shape(1), p.window, p.groups)}};
}
Tensors convolution(const Call& call) {
  const ConvolutionParameters p = convolutionParameters(call);
  return {numerics::convolution(call.value(0), call.value(1), call.optional(2), p.window, p.groups)};
}

Types inferTransposed(const Call& call) {
  const ConvolutionParameters p = transposedConvolutionParameters(call);
  return {{call.elementType(0),
           numerics::transposedConvolutionShape(call.shape(0), call.shape(1), p.window, p.groups, p.outputPadding)}};
}
Tensors transposedConvolution(const Call& call) {
  const ConvolutionParameters p = transposedConvolutionParameters(call);
  return {numerics::transposedConvolution(call.value(0), call.value(1), call.optional(2), p.window, p.groups, p.outputPadding)};
}

Types inferMatmul(const Call& call) { return {{call.elementType(0), numerics::matmulShape(call.shape(0), call.shape(1))}}; }
Tensors matmul(const Call& call) { return {numerics::matmul(call.value(0), call.value(1))}; }

Types inferGemm(const Call& call) {
  const Shape &a = call.shape(0), &b = call.shape(1);
  if (a.size() != 2 || b.size() != 2)
    throw Error(ErrorCode::InvalidInput,
                "Gemm multiplies matrices, not " + numerics::toString(a) + " by " + numerics::toString(b));
  const bool transposeA = call.attributes().integer("transA", 0) != 0, transposeB = call.attributes().integer("transB", 0) != 0;
  if (a[transposeA ? 0 : 1] != b[transposeB ? 1 : 0])
    throw Error(ErrorCode::InvalidInput, "Gemm cannot multiply " + numerics::toString(a) + " by " + numerics::toString(b));
  return {{call.elementType(0), {a[transposeA ? 1 : 0], b[transposeB ? 0 : 1]}}};
}
Tensors gemm(const Call& call) {
  return {numerics::gemm(call.value(0), call.value(1), call.optional(2), double(call.attributes().real("alpha", 1)),
                         double(call.attributes().real("beta", 1)), call.attributes().integer("transA", 0) != 0,
                         call.attributes().integer("transB", 0) != 0)};
}

Types inferPool(const Call& call) {
  const PoolParameters p = poolParameters(call);
  const Shape shape = numerics::poolShape(call.shape(0), p.window, p.ceiling);
  return {{call.elementType(0), shape}, {ElementType::Int64, shape}};
}
Tensors maxPool(const Call& call) {
  const PoolParameters p = poolParameters(call);
  if (!call.wantsOutput(1)) return {numerics::maxPool(call.value(0), p.window, p.ceiling)};
  HostTensor indices;
  HostTensor values = numerics::maxPool(call.value(0), p.window, p.ceiling, &indices, p.columnMajor);
  return {values, indices};
}
Tensors averagePool(const Call& call) {
  const PoolParameters p = poolParameters(call);
  return {numerics::averagePool(call.value(0), p.window, p.ceiling, p.countPads)};
}
Tensors lpPool(const Call& call) {
  const PoolParameters p = poolParameters(call);
  return {numerics::lpPool(call.value(0), p.window, p.ceiling, double(call.attributes().integer("p", 2)))};
}

std::vector<std::size_t> spatialAxes(const Call& call) {
  if (call.shape(0).size() < 3) throw Error(ErrorCode::InvalidInput, "global pooling needs a rank of 3 or more");
  std::vector<std::size_t> axes;
  for (std::size_t i = 2; i < call.shape(0).size(); ++i) axes.push_back(i);
  return axes;
}
Types inferGlobal(const Call& call) {
  return {{call.elementType(0), numerics::reducedShape(call.shape(0), spatialAxes(call), true)}};
}
// A global pool is a reduction, which is faster than one huge window.
template<ReduceKind kind> Tensors globalPool(const Call& call) {
  return {numerics::reduce(kind, call.value(0), spatialAxes(call), true)};
}

// The same with 8-bit values and zero points, in 32-bit integers.
HostTensor withoutZeroPoint(const Call& call, std::size_t input, std::size_t zeroPoint, std::size_t channelAxis) {
  const HostTensor wide = call.value(input).cast(ElementType::Int32);
  if (!call.has(zeroPoint)) return wide;
  HostTensor zero = call.value(zeroPoint).cast(ElementType::Int32);
  if (zero.count() > 1) {
    Shape shape(wide.rank(), 1);
    shape[channelAxis] = zero.count();
    zero = zero.reshaped(shape);
  } else {
    zero = zero.reshaped({});
  }
  return numerics::binary(numerics::BinaryKind::Sub, wide, zero);
}
// Sums of products in integers go through the float kernels, which are far faster: over so few products at once that every sum
// stays below 2^24, up to where float counts exactly.
std::int64_t exactProducts(const HostTensor& a, const HostTensor& b) {
  const auto largest = [](const HostTensor& t) {
    std::int64_t most = 1;
    for (const std::int32_t v : t.values<std::int32_t>()) most = std::max(most, std::abs(std::int64_t(v)));
    return most;
  };
  return (std::int64_t(1) << 24) / (largest(a) * largest(b));
}
// `perIndex` products belong to one index of the dimension that is summed over.
template<class Product>
HostTensor integerProduct(const HostTensor& a, std::size_t axisA, const HostTensor& b, std::size_t axisB, std::int64_t perIndex,
                          Product product) {
  const std::int64_t dim = a.dim(axisA), step = exactProducts(a, b) / perIndex;
  if (step == 0 || dim == 0) return product(a, b);
  HostTensor sum;
  for (std::int64_t at = 0; at < dim; at += step) {
    const std::int64_t count = std::min(step, dim - at);
    const HostTensor left = numerics::slice(a, axisA, at, count).cast(ElementType::Float);
    const HostTensor right = numerics::slice(b, axisB, at, count).cast(ElementType::Float);
    const HostTensor part = product(left, right).cast(ElementType::Int32);
    sum = at == 0 ? part : numerics::binary(numerics::BinaryKind::Add, sum, part);
  }
  return sum;
}

Types inferMatmulInteger(const Call& call) { return {{ElementType::Int32, numerics::matmulShape(call.shape(0), call.shape(1))}}; }
Tensors matmulInteger(const Call& call) {
  const std::size_t rank = call.shape(0).size(), rightRank = call.shape(1).size();
  const HostTensor a = withoutZeroPoint(call, 0, 2, rank < 2 ? 0 : rank - 2), b = withoutZeroPoint(call, 1, 3, rightRank - 1);
  return {integerProduct(a, rank - 1, b, rightRank < 2 ? 0 : rightRank - 2, 1,
                         [](const HostTensor& x, const HostTensor& y) { return numerics::matmul(x, y); })};
}
Types inferConvolutionInteger(const Call& call) {
  const ConvolutionParameters p = convolutionParameters(call);
  return {{ElementType::Int32, numerics::convolutionShape(call.shape(0), call.shape(1), p.window, p.groups)}};
}
Tensors convolutionInteger(const Call& call) {
  const ConvolutionParameters p = convolutionParameters(call);
  const HostTensor x = withoutZeroPoint(call, 0, 2, 1), w = withoutZeroPoint(call, 1, 3, 0);
  const auto product = [&](const HostTensor& a, const HostTensor& b) {
    return numerics::convolution(a, b, nullptr, p.window, p.groups);
  };
  if (p.groups > 1) { // groups stay together; they mostly sum over few channels
    if (numerics::elementCount(w.shape(), 1, w.rank()) > exactProducts(x, w)) return {product(x, w)};
    return {product(x.cast(ElementType::Float), w.cast(ElementType::Float)).cast(ElementType::Int32)};
  }
  return {integerProduct(x, 1, w, 1, numerics::elementCount(p.window.kernel), product)};
}

constexpr Operator kNeuralOperators[] = {
    {"Conv", inferConvolution, convolution},
    {"ConvTranspose", inferTransposed, transposedConvolution},
    {"MatMul", inferMatmul, matmul},
    {"Gemm", inferGemm, gemm},
    {"MaxPool", inferPool, maxPool},
    {"AveragePool", inferPool, averagePool},
    {"LpPool", inferPool, lpPool},
    {"GlobalLpPool", inferGlobal, lpPool},
    {"GlobalAveragePool", inferGlobal, globalPool<ReduceKind::Mean>},
    {"GlobalMaxPool", inferGlobal, globalPool<ReduceKind::Max>},
    {"MatMulInteger", inferMatmulInteger, matmulInteger},
    {"ConvInteger", inferConvolutionInteger, convolutionInteger},
};

} // namespace

std::span<const Operator> neuralOperators() { return kNeuralOperators; }

} // namespace simcore::model
