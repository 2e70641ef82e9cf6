// Triangular systems and Cholesky's factor by recursion: solve the first half, subtract its product from the second half, solve
// that.
#include "poplin/Cholesky.hpp"
#include "poplin/TriangularSolve.hpp"
#include "popops/ElementWise.hpp"
#include "popops/ScaledAdd.hpp"
#include "popops/Zero.hpp"
#include "poputil/exceptions.hpp"
#include "simcore/poplar/libs/library_call.h"

namespace poplin {

using namespace simcore::poplar::names;

namespace {

// The arguments that every level of a recursion needs.
struct Place {
  Graph& graph;
  Sequence& prog;
  const DebugContext& context;
  const OptionFlags& options;
};

Tensor grouped(const Tensor& t) {
  const unsigned rank = unsigned(t.rank());
  return t.reshape({t.numElements() / (t.dim(rank - 1) * t.dim(rank - 2)), t.dim(rank - 2), t.dim(rank - 1)});
}
Tensor turned(const Tensor& t) { return t.dimShuffle({0, 2, 1}); }
Tensor block(const Tensor& t, std::size_t row, std::size_t rows, std::size_t column, std::size_t columns) {
  return t.slice(row, row + rows, 1).slice(column, column + columns, 2);
}
// A copy of the matrix, mapped on the tiles.
Tensor copied(const Place& at, const Tensor& t, const char* name) {
  const Tensor copy =
      at.graph.addVariable(t.elementType(), t.shape(), poplar::VariableMappingMethod::LINEAR, DebugContext(at.context, name));
  at.prog.add(poplar::program::Copy(t, copy, false, at.context));
  return copy;
}
void requireSquare(const char* call, const Tensor& a) {
  const unsigned rank = unsigned(a.rank());
  if (rank < 2 || a.dim(rank - 1) != a.dim(rank - 2) || a.numElements() == 0)
    throw poputil::poplibs_error(std::string(call) + ": " + a.getDebugStr() + " is not a square matrix");
}

// Solves a x = b for a lower triangle a [G, n, n]; x replaces b [G, n, m].
void solveInPlace(const Place& at, const Tensor& a, const Tensor& b, bool unitDiagonal) {
  const std::size_t n = a.dim(1), half = n / 2;
  if (n == 1) {
    if (!unitDiagonal) popops::divInPlace(at.graph, b, a, at.prog, at.context, {});
    return;
  }
  const Tensor first = b.slice(0, half, 1), second = b.slice(half, n, 1);
  solveInPlace(at, block(a, 0, half, 0, half), first, unitDiagonal);
  matMulGroupedAcc(at.graph, second, -1.0F, block(a, half, n - half, 0, half), first, at.prog, at.context, at.options);
  solveInPlace(at, block(a, half, n - half, half, n - half), second, unitDiagonal);
}

// Writes the factor L to the lower triangle of a [G, n, n].
void factoriseInPlace(const Place& at, const Tensor& a) {
  const std::size_t n = a.dim(1), half = n / 2, rest = n - half;
  if (n == 1) {
    popops::sqrtInPlace(at.graph, a, at.prog, at.context);
    return;
  }
  const Tensor first = block(a, 0, half, 0, half), below = block(a, half, rest, 0, half), last = block(a, half, rest, half, rest);
  factoriseInPlace(at, first);
  solveInPlace(at, first, turned(below), false); // L21 L11^T = A21
  matMulGroupedAcc(at.graph, last, -1.0F, below, turned(below), at.prog, at.context, at.options);
  factoriseInPlace(at, last);
}

// A matrix whose rows (columns if `turns`) are each on as few tiles as possible, because a recursion takes halves of the rows.
Tensor operand(const char* call, Graph& graph, const Type& type, Sizes shape, bool turns, const DebugContext& context,
               const OptionFlags& options) {
  simcore::poplar::ignoreOptions(call, options);
  const std::size_t rank = shape.size();
  if (rank < 2) throw poputil::poplibs_error(std::string(call) + ": an operand must have at least two dimensions");
  if (!turns) return graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, context);
  std::swap(shape[rank - 1], shape[rank - 2]);
  const Tensor t = graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, context);
  return t.dimShufflePartial({unsigned(rank - 1), unsigned(rank - 2)}, {unsigned(rank - 2), unsigned(rank - 1)});
}

} // namespace

Tensor createTriangularSolveInputLHS(Graph& graph, const Type& inputType, const Type&, const Sizes& aShape, const Sizes&,
                                     bool leftSide, const DebugContext& debugContext, const OptionFlags& options,
                                     PlanningCache*) {
  return operand("poplin::createTriangularSolveInputLHS", graph, inputType, aShape, !leftSide, debugContext, options);
}
Tensor createTriangularSolveInputRHS(Graph& graph, const Type& inputType, const Type&, const Sizes&, const Sizes& bShape,
                                     bool leftSide, const DebugContext& debugContext, const OptionFlags& options,
                                     PlanningCache*) {
  return operand("poplin::createTriangularSolveInputRHS", graph, inputType, bShape, !leftSide, debugContext, options);
}

Tensor triangularMask(Graph& graph, const Tensor& a, bool lower, bool unitDiagonal, Sequence& prog,
                      const DebugContext& debugContext) {
  requireSquare("poplin::triangularMask", a);
  const std::size_t n = a.dim(unsigned(a.rank()) - 1);
  std::vector<float> kept(n * n), added(n * n);
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t column = 0; column < n; ++column) {
      const bool diagonal = row == column;
      kept[row * n + column] = diagonal ? (unitDiagonal ? 0.0F : 1.0F) : (row > column) == lower ? 1.0F : 0.0F;
      added[row * n + column] = diagonal && unitDiagonal ? 1.0F : 0.0F;
    }
  const auto constant = [&](const std::vector<float>& values) {
    const Tensor t = graph.addConstant(a.elementType(), {n, n}, values, debugContext);
    graph.setTileMapping(t, 0);
    return t;
  };
  // A selection instead of a product with a mask, because values outside the triangle may be NaN.
  namespace pe = popops::expr;
  return popops::map(graph, pe::Select(pe::_1, pe::_3, pe::_2 > 0.5F), {a, constant(kept), constant(added)}, prog, debugContext);
}

Tensor triangularSolve(Graph& graph, const Tensor& a, const Tensor& b, bool leftSide, bool lower, bool unitDiagonal,
                       Sequence& prog, const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  requireSquare("poplin::triangularSolve", a);
  const unsigned rank = unsigned(b.rank());
  const std::size_t n = a.dim(unsigned(a.rank()) - 1);
  if (rank != a.rank() || b.dim(leftSide ? rank - 2 : rank - 1) != n)
    throw poputil::poplibs_error("poplin::triangularSolve: the shapes of " + a.getDebugStr() + " and " + b.getDebugStr() +
                                 " do not match");
  const Place at{graph, prog, debugContext, options};
  const Tensor x = copied(at, b, "x");
  // A system from the right is the transposed system from the left; an upper triangle is a reversed lower one.
  Tensor matrix = grouped(a), unknowns = grouped(x);
  bool isLower = lower;
  if (!leftSide) {
    matrix = turned(matrix);
    unknowns = turned(unknowns);
    isLower = !isLower;
  }
  if (!isLower) {
    matrix = matrix.reverse(1).reverse(2);
    unknowns = unknowns.reverse(1);
  }
  solveInPlace(at, matrix, unknowns, unitDiagonal);
  return x;
}

Tensor createCholeskyInput(Graph& graph, const Type& type, const Sizes& shape, bool lower, const DebugContext& debugContext,
                           const OptionFlags& options, PlanningCache*) {
  return operand("poplin::createCholeskyInput", graph, type, shape, !lower, debugContext, options);
}
void choleskyInPlace(Graph& graph, const Tensor& a, bool lower, Sequence& prog, const DebugContext& debugContext,
                     OptionFlags options, PlanningCache*) {
  requireSquare("poplin::cholesky", a);
  const Tensor matrix = lower ? grouped(a) : turned(grouped(a)); // U^T is L
  factoriseInPlace({graph, prog, debugContext, options}, matrix);
  const Tensor factor = triangularMask(graph, a, lower, false, prog, debugContext);
  prog.add(poplar::program::Copy(factor, a, false, debugContext));
}
Tensor cholesky(Graph& graph, const Tensor& a, bool lower, Sequence& prog, const DebugContext& debugContext, OptionFlags options,
                PlanningCache* cache) {
  const Tensor factor = copied({graph, prog, debugContext, options}, a, "factor");
  choleskyInPlace(graph, factor, lower, prog, debugContext, options, cache);
  return factor;
}

} // namespace poplin
