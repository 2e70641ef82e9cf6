// LU by recursion on halves of the columns, QR by one reflection for each column.
#include "poplin/MatMul.hpp"
#include "poplin/TriangularSolve.hpp"
#include "poplin/experimental/LuFactorization.hpp"
#include "poplin/experimental/QRFactorization.hpp"
#include "popops/Cast.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Reduce.hpp"
#include "popops/Zero.hpp"
#include "poputil/TileMapping.hpp"
#include "simcore/poplar/libs/library_call.h"

#include <algorithm>

namespace poplin::experimental {

using namespace simcore::poplar::names;
namespace pe = popops::expr;

namespace {

Tensor part(const Tensor& t, std::size_t row, std::size_t rowEnd, std::size_t column, std::size_t columnEnd) {
  return t.slice(row, rowEnd, 0).slice(column, columnEnd, 1);
}

Tensor copyOf(Graph& graph, const Tensor& t, Sequence& prog, const DebugContext& context) {
  const Tensor copy = graph.addVariable(t.elementType(), t.shape(), poplar::VariableMappingMethod::LINEAR, context);
  prog.add(poplar::program::Copy(t, copy, false, context));
  return copy;
}

void eliminate(Graph& graph, const Tensor& a, Sequence& prog, const DebugContext& context) {
  const std::size_t m = a.dim(0), n = a.dim(1), half = std::min(m, n) / 2;
  if (m == 1) return;
  if (n == 1) {
    popops::mapInPlace(graph, pe::_1 / pe::_2, {a.slice(1, m, 0).flatten(), a.slice(0, 1, 0).flatten()}, prog, context);
    return;
  }
  const std::size_t cut = std::max<std::size_t>(1, half);
  eliminate(graph, part(a, 0, m, 0, cut), prog, context);
  const Tensor right = part(a, 0, cut, cut, n);
  const Tensor solved = triangularSolve(graph, part(a, 0, cut, 0, cut), right, true, true, true, prog, context);
  prog.add(poplar::program::Copy(solved, right, false, context));
  const Tensor rest = part(a, cut, m, cut, n);
  matMulAcc(graph, rest, -1.0F, part(a, cut, m, 0, cut), solved, prog, context);
  eliminate(graph, rest, prog, context);
}

// The matrix with `other` at positions where `keeps` is false.
template<class Keeps, class Other>
Tensor chosen(Graph& graph, const Tensor& a, std::size_t columns, Keeps&& keeps, Other&& other, Sequence& prog,
              const DebugContext& context) {
  const std::size_t rows = a.dim(0);
  std::vector<float> kept, others;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      kept.push_back(keeps(r, c) ? 1.0F : 0.0F);
      others.push_back(other(r, c));
    }
  const auto constant = [&](const std::vector<float>& values) {
    const Tensor t = graph.addConstant(poplar::FLOAT, {rows, columns}, values, context);
    poputil::mapTensorLinearly(graph, t);
    return t;
  };
  const Tensor elsewhere = constant(others);
  const Tensor from =
      columns > a.dim(1) ? poplar::concat(a, part(elsewhere, 0, rows, a.dim(1), columns), 1) : part(a, 0, rows, 0, columns);
  return popops::map(graph, pe::Select(pe::_1, pe::_3, pe::_2 > 0.5F), {from, constant(kept), elsewhere}, prog, context);
}

Tensor squares(Graph& graph, const Tensor& v, Sequence& prog, const DebugContext& context) {
  return popops::reduce(graph, v, {0}, {popops::Operation::SQUARE_ADD}, prog, context);
}

} // namespace

std::pair<Tensor, Tensor> LUFactorization(Graph& graph, Tensor& input, Sequence& seq, const DebugContext& debugContext) {
  if (input.rank() != 2 || input.numElements() == 0)
    throw poputil::poplibs_error("poplin::experimental::LUFactorization: " + input.getDebugStr() + " is not a matrix");
  const Tensor a = input.elementType() == poplar::FLOAT ? copyOf(graph, input, seq, debugContext)
                                                        : popops::cast(graph, input, poplar::FLOAT, seq, debugContext);
  eliminate(graph, a, seq, debugContext);
  const auto one = [](std::size_t r, std::size_t c) { return r == c ? 1.0F : 0.0F; };
  const auto zero = [](std::size_t, std::size_t) { return 0.0F; };
  const std::size_t columns = a.dim(1);
  const Tensor lower = chosen(
      graph, a, a.dim(0), [&](std::size_t r, std::size_t c) { return r > c && c < columns; }, one, seq, debugContext);
  const Tensor upper = chosen(
      graph, a, columns, [](std::size_t r, std::size_t c) { return c >= r; }, zero, seq, debugContext);
  return {lower, upper};
}

std::array<Tensor, 2> createQRFactorizationMatrices(Graph& graph, const poplar::Type& type, const std::size_t m,
                                                    const std::size_t n, const DebugContext& debugContext) {
  if (m < n || n == 0)
    throw poputil::poplibs_error("poplin::experimental::createQRFactorizationMatrices: there must be at least as many rows as "
                                 "columns and one column, but " +
                                 std::to_string(m) + " rows and " + std::to_string(n) + " columns are given");
  using poplar::VariableMappingMethod;
  return {graph.addVariable(type, {m, n}, VariableMappingMethod::LINEAR, DebugContext(debugContext, "A")),
          graph.addVariable(type, {m, m}, VariableMappingMethod::LINEAR, DebugContext(debugContext, "Q"))};
}

void QRFactorization(Graph& graph, Tensor& A, Tensor& Q, Sequence& prog, const DebugContext& debugContext,
                     const OptionFlags& options) {
  simcore::poplar::ignoreOptions("poplin::experimental::QRFactorization", options);
  const bool isMatrix = A.rank() == 2 && A.numElements() > 0 && A.dim(0) >= A.dim(1);
  if (!isMatrix || Q.shape() != std::vector<std::size_t>{A.dim(0), A.dim(0)} || A.elementType() != Q.elementType())
    throw poputil::poplibs_error("poplin::experimental::QRFactorization: " + A.getDebugStr() + " and " + Q.getDebugStr() +
                                 " must have one type and the shapes [M, N] and [M, M] with M >= N > 0");
  const std::size_t m = A.dim(0), n = A.dim(1);
  const poplar::Type type = A.elementType();
  for (std::size_t k = 0; k < n && k + 1 < m; ++k) {
    // The reflection along v = x - alpha e maps the column x to (alpha, 0, ..).
    const Tensor v = copyOf(graph, part(A, k, m, k, k + 1).flatten(), prog, debugContext);
    const Tensor length = squares(graph, v, prog, debugContext);
    popops::mapInPlace(graph, pe::Select(pe::_1 + pe::Sqrt(pe::_2), pe::_1 - pe::Sqrt(pe::_2), pe::_1 >= 0.0F),
                       {v.slice(0, 1, 0), length.reshape({1})}, prog, debugContext);
    const Tensor own = squares(graph, v, prog, debugContext);
    const Tensor beta =
        popops::map(graph, pe::Select(pe::Const(type, 2) / pe::_1, pe::Const(type, 0), pe::_1 > 0.0F), {own}, prog, debugContext);
    const Tensor row = v.expand({0}), column = v.expand({1});
    const Tensor below = part(A, k, m, k, n), right = part(Q, 0, m, k, m);
    const Tensor ofA = matMul(graph, row, below, prog, type, debugContext);
    popops::mapInPlace(graph, pe::_1 * pe::_2, {ofA, beta}, prog, debugContext);
    matMulAcc(graph, below, -1.0F, column, ofA, prog, debugContext);
    const Tensor ofQ = matMul(graph, right, column, prog, type, debugContext);
    popops::mapInPlace(graph, pe::_1 * pe::_2, {ofQ, beta}, prog, debugContext);
    matMulAcc(graph, right, -1.0F, ofQ, row, prog, debugContext);
    popops::zero(graph, part(A, k + 1, m, k, k + 1), prog, debugContext);
  }
}

} // namespace poplin::experimental
