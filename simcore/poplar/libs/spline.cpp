#include "popops/SplineBasis.hpp"

#include "poplin/MatMul.hpp"
#include "popops/Cast.hpp"
#include "popops/DynamicSlice.hpp"
#include "popops/ElementWise.hpp"
#include "popops/SequenceSlice.hpp"
#include "popops/SplineWeighting.hpp"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/slice/slices.h"
#include "simcore/poplar/libs/library_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace popops {

using namespace simcore::poplar::names;
using simcore::codelets::BinaryOp;

namespace {

// Basis function k of the uniform B-splines of a degree, at v from 0 to 1 (Fey et al. 2018, SplineCNN).
double spline(unsigned degree, std::int64_t k, double v) {
  if (degree == 1) return k == 0 ? 1 - v : v;
  if (degree == 2) return k == 0 ? 0.5 * v * v - v + 0.5 : k == 1 ? -v * v + v + 0.5 : 0.5 * v * v;
  switch (k) {
  case 0: return (1 - v) * (1 - v) * (1 - v) / 6;
  case 1: return (3 * v * v * v - 6 * v * v + 4) / 6;
  case 2: return (-3 * v * v * v + 3 * v * v + 3 * v + 1) / 6;
  default: return v * v * v / 6;
  }
}

constexpr double kMostNumber = 2147483648.0; // indices are 32 bits

[[noreturn]] void refuse(const char* call, const std::string& what) {
  throw poplar::application_runtime_error(std::string(call) + ": " + what);
}

std::int64_t wholeNumber(double value, const char* tensor, std::int64_t at) {
  if (!(value >= 1 && value < kMostNumber))
    refuse("popops::splineBasis", fmt::format("{}[{}] is {}, but must be from 1 to 2^31 - 1", tensor, at, value));
  return std::int64_t(value);
}

std::vector<HostTensor> splines(const std::vector<HostTensor>& in, std::int64_t degree, std::int64_t count, ElementType type,
                                ElementType indexType) {
  const std::int64_t edges = in[0].dim(0), dims = in[0].dim(1);
  const std::vector<double> at = in[0].toDoubles(), sizes = in[1].toDoubles(), open = in[2].toDoubles();
  std::vector<double> basis, index;
  for (std::int64_t e = 0; e < edges; ++e)
    for (std::int64_t s = 0; s < count; ++s) {
      double product = 1;
      std::int64_t number = 0, stride = 1, rest = s;
      for (std::int64_t d = 0; d < dims; ++d) {
        const std::int64_t k = rest % (degree + 1), size = wholeNumber(sizes[std::size_t(d)], "kernelSize", d);
        rest /= degree + 1;
        const double v = at[std::size_t(e * dims + d)] * double(size - degree * std::int64_t(open[std::size_t(d)] != 0));
        if (!(std::abs(v) < kMostNumber))
          refuse("popops::splineBasis",
                 fmt::format("pseudo[{}][{}] is {}, too large for the kernel", e, d, at[std::size_t(e * dims + d)]));
        number += ((std::int64_t(std::floor(v)) + k) % size + size) % size * stride;
        if (__builtin_mul_overflow(stride, size, &stride) || double(stride) > kMostNumber)
          refuse("popops::splineBasis", "the product of all kernelSize is more than 2^31");
        product *= spline(unsigned(degree), k, v - std::floor(v));
      }
      basis.push_back(product);
      index.push_back(double(number));
    }
  return {HostTensor::of({edges, count}, basis).cast(type), HostTensor::of({edges, count}, index).cast(indexType)};
}

void require(bool fits, const char* call, const Tensor& t) {
  if (!fits)
    throw poputil::poplibs_error(std::string(call) + ": the tensor " + t.getDebugStr() +
                                 " does not have the shape that the others need");
}

} // namespace

void splineBasis(Graph& graph, const Tensor& pseudo, const Tensor& kernelSize, const Tensor& isOpenSpline, const Tensor& basis,
                 const Tensor& weightIndex, unsigned degree, Sequence& prog, const DebugContext& debugContext) {
  const char* call = "popops::splineBasis";
  if (degree < 1 || degree > 3) throw poputil::poplibs_error(std::string(call) + ": the degree must be 1, 2 or 3");
  require(pseudo.rank() == 2, call, pseudo);
  require(kernelSize.rank() == 1 && kernelSize.dim(0) == pseudo.dim(1), call, kernelSize);
  require(isOpenSpline.rank() == 1 && isOpenSpline.dim(0) == pseudo.dim(1), call, isOpenSpline);
  const auto count = std::size_t(std::llround(std::pow(degree + 1, double(pseudo.dim(1)))));
  require(basis.shape() == std::vector<std::size_t>{pseudo.dim(0), count}, call, basis);
  require(weightIndex.shape() == basis.shape(), call, weightIndex);
  sp::library(
      graph, prog, debugContext, "splineBasis",
      [](const ops::OpBuilder& b, const auto& pseudo, const auto& sizes, const auto& open, const auto& basis, const auto& index,
         const auto& degree) {
        const sg::Tensor out = sp::inner(basis), number = sp::inner(index);
        // per dimension: scale, integer part, position, and degree + 1 multiplications and additions
        const ops::OpBuilder timed = b.timeOnly();
        for (std::size_t i = 0; i < pseudo.dim(1) * (2 * degree + 4); ++i) ops::binary(timed, BinaryOp::Multiply, out, out);
        for (std::size_t i = 0; i < pseudo.dim(1) * 3; ++i) ops::binary(timed, BinaryOp::Add, number, number);
        const ElementType type = out.elementType(), indexType = number.elementType();
        const std::int64_t count = out.dim(1), by = std::int64_t(degree);
        b.compute(
            {sp::inner(pseudo), sp::inner(sizes), sp::inner(open)}, {out, number},
            [by, count, type, indexType](const std::vector<HostTensor>& in) { return splines(in, by, count, type, indexType); });
      },
      pseudo, kernelSize, isOpenSpline, basis, weightIndex, degree);
}

Tensor splineWeighting(Graph& graph, const Tensor& input, const Tensor& weight, const Tensor& basis, const Tensor& weightIndex,
                       Sequence& prog, const DebugContext& debugContext) {
  const char* call = "popops::splineWeighting";
  require(input.rank() == 2, call, input);
  require(weight.rank() == 3 && weight.dim(1) == input.dim(1), call, weight);
  require(basis.rank() == 2 && basis.dim(0) == input.dim(0), call, basis);
  require(weightIndex.shape() == basis.shape(), call, weightIndex);
  const DebugContext context(debugContext, "splineWeighting");
  const std::size_t edges = input.dim(0), in = input.dim(1), out = weight.dim(2), splines = basis.dim(1);
  const Tensor numbers = weightIndex.elementType() == poplar::UNSIGNED_INT
                             ? weightIndex
                             : cast(graph, weightIndex, poplar::UNSIGNED_INT, prog, DebugContext(context, "index"));
  const Tensor matrices = multiSlice(graph, weight.reshape({weight.dim(0), in * out}), numbers.reshape({edges * splines, 1}), {0},
                                     {1}, prog, SlicePlan(), {}, DebugContext(context, "matrices"))
                              .reshape({edges, splines * in, out});
  const Tensor scaled = mul(graph, basis.expand({2}).broadcast(unsigned(in), 2),
                            input.expand({1}).broadcast(unsigned(splines), 1), prog, DebugContext(context, "scaled"))
                            .reshape({edges, 1, splines * in});
  return poplin::matMulGrouped(graph, scaled, matrices, prog, input.elementType(), DebugContext(context, "sum"))
      .reshape({edges, out});
}

void sequenceSlice(Graph& graph, const Tensor& tIn, const Tensor& tOut, const Tensor& tN, const Tensor& tInOffset,
                   const Tensor& tOutOffset, bool zeroUnused, Sequence& prog, const DebugContext& debugContext) {
  const char* call = "popops::sequenceSlice";
  require(tIn.rank() >= 2, call, tIn);
  require(tOut.rank() >= 2 && tOut.elementType() == tIn.elementType() &&
              tIn.numElements() * tOut.dim(0) == tOut.numElements() * tIn.dim(0),
          call, tOut);
  require(tN.rank() == 1, call, tN);
  require(tInOffset.shape() == tN.shape(), call, tInOffset);
  require(tOutOffset.shape() == tN.shape(), call, tOutOffset);
  for (const Tensor& numbers : {tN, tInOffset, tOutOffset})
    if (numbers.elementType() != poplar::UNSIGNED_INT)
      throw poputil::poplibs_error(std::string(call) + ": the tensor " + numbers.getDebugStr() + " is not UNSIGNED_INT");
  if (tN.numElements() == 0 || tOut.numElements() == 0) return;
  sp::library(
      graph, prog, debugContext, "sequenceSlice",
      [](const ops::OpBuilder& b, const auto& tIn, const auto& tOut, const auto& n, const auto& from, const auto& to,
         const auto& zeroUnused) {
        const sg::Tensor target = sp::inner(tOut), source = sp::inner(tIn);
        const std::int64_t rows = target.dim(0), columns = target.numElements() / rows, given = source.dim(0); // rows is not 0
        const sg::Tensor in = source.reshape({given, columns}), out = target.reshape({rows, columns});
        const sg::Tensor numbers = b.output(ElementType::Int32, {rows}, "rows", b.linear(rows, ElementType::Int32));
        const sg::Tensor result = ops::multiSlice(b.timeOnly(), in, numbers);
        const bool zeros = zeroUnused;
        b.compute({in, out, sp::inner(n), sp::inner(from), sp::inner(to)}, {result},
                  ops::oneResult([rows, columns, given, zeros](const std::vector<HostTensor>& all) {
                    const std::vector<double> source = all[0].toDoubles();
                    std::vector<double> copy = zeros ? std::vector<double>(std::size_t(rows * columns), 0) : all[1].toDoubles();
                    for (std::int64_t i = 0; i < all[2].count(); ++i) {
                      const auto count = std::int64_t(all[2].at(i)), first = std::int64_t(all[3].at(i)),
                                 target = std::int64_t(all[4].at(i));
                      if (count == 0) continue;
                      if (first + count > given || target + count > rows)
                        refuse("popops::sequenceSlice",
                               fmt::format("run {} has {} rows and does not fit: it copies from row {} of {} to row {} of {}", i,
                                           count, first, given, target, rows));
                      std::copy_n(source.begin() + first * columns, count * columns, copy.begin() + target * columns);
                    }
                    return HostTensor::of(all[1].shape(), copy).cast(all[1].type());
                  }));
        sp::copyTo(b, result, out);
      },
      tIn, tOut, tN, tInOffset, tOutOffset, zeroUnused);
}

} // namespace popops
