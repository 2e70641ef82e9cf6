#include "poplin/MatMul.hpp"

#include "popops/ScaledAdd.hpp"
#include "popops/Zero.hpp"
#include "simcore/numerics/matmul.h"
#include "simcore/ops/conv/matmul_acc.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/move/copies.h"
#include "simcore/poplar/libs/conv_options.h"
#include "simcore/poplar/libs/library_call.h"

#include <functional>
#include <numeric>

namespace poplin {

using namespace simcore::poplar::names;

namespace {

std::string text(const Sizes& shape) { return simcore::numerics::toString(sp::sizesOf(shape)); }

std::size_t elements(const Sizes& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t(1), std::multiplies<>());
}

// [M, K] x [K, N], or groups of such matrices.
Sizes productShape(const char* call, const Sizes& a, const Sizes& b, std::size_t rank) {
  bool fits = a.size() == rank && b.size() == rank && a[rank - 1] == b[rank - 2];
  if (fits && rank == 3) fits = a[0] == b[0];
  if (!fits)
    throw poputil::poplibs_error(std::string(call) + ": shapes " + text(a) + " and " + text(b) + " cannot be multiplied");
  Sizes shape = a;
  shape[rank - 1] = b[rank - 1];
  return shape;
}

sg::Tensor product(const ops::OpBuilder& b, const sg::Tensor& x, const sg::Tensor& y, ElementType outputType,
                   const ops::ConvOptions& options) {
  if (outputType == x.elementType()) return ops::matmul(b, x, y, {}, options);
  // The plan gives the time and the host computes the numbers, with sums as exact as the result's type.
  const sg::Tensor out = ops::cast(b.timeOnly(), ops::matmul(b.timeOnly(), x, y, {}, options), outputType);
  if (b.withNumbers())
    b.compute({x, y}, {out},
              ops::oneResult([](const std::vector<HostTensor>& in) { return simcore::numerics::matmul(in[0], in[1]); }));
  return out;
}

Tensor multiply(const char* call, std::size_t rank, Graph& graph, const Tensor& a, const Tensor& b, Sequence& prog,
                const Type& outputType, const DebugContext& debugContext, const OptionFlags& options) {
  const auto read = sp::convOptionsOf(call, options);
  const Sizes shape = productShape(call, a.shape(), b.shape(), rank);
  if (a.elementType() != b.elementType())
    throw poputil::poplibs_error(std::string(call) + ": the operands have different types, " + a.elementType().toString() +
                                 " and " + b.elementType().toString());
  if (a.numElements() == 0 || b.numElements() == 0) { // a sum of no products is 0
    const Tensor none =
        graph.addVariable(outputType, shape, poplar::VariableMappingMethod::LINEAR, DebugContext(debugContext, "matMul"));
    popops::zero(graph, none, prog, debugContext);
    return none;
  }
  return sp::library(
      graph, prog, debugContext, "matMul",
      [](const ops::OpBuilder& builder, const auto& a, const auto& b, const auto& outputType, const auto& read) {
        return product(builder, sp::inner(a), sp::inner(b), sp::inner(outputType), read);
      },
      a, b, outputType, read);
}

void multiplyInto(const char* call, std::size_t rank, Graph& graph, const Tensor& a, const Tensor& b, const Tensor& out,
                  Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  if (productShape(call, a.shape(), b.shape(), rank) != out.shape())
    throw poputil::poplibs_error(std::string(call) + ": the product has another shape than the output " + out.getDebugStr());
  const Tensor made = multiply(call, rank, graph, a, b, prog, out.elementType(), debugContext, options);
  prog.add(poplar::program::Copy(made, out, false, debugContext));
}

void accumulate(const char* call, std::size_t rank, Graph& graph, const Tensor& c, float k, const Tensor& a, const Tensor& b,
                Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  if (productShape(call, a.shape(), b.shape(), rank) != c.shape())
    throw poputil::poplibs_error(std::string(call) + ": the product has another shape than the accumulator " + c.getDebugStr());
  if (a.numElements() == 0 || b.numElements() == 0) return;
  if (c.elementType() == a.elementType() && a.elementType() == b.elementType()) {
    const auto read = sp::convOptionsOf(call, options);
    sp::library(
        graph, prog, debugContext, "matMulAcc",
        [](const ops::OpBuilder& builder, const auto& c, const auto& k, const auto& a, const auto& b, const auto& read) {
          ops::matmulAcc(builder, sp::inner(c), k, sp::inner(a), sp::inner(b), read);
        },
        c, k, a, b, read);
    return;
  }
  const Tensor made = multiply(call, rank, graph, a, b, prog, c.elementType(), debugContext, options);
  popops::scaledAddTo(graph, c, made, k, prog, debugContext);
}
void accumulate(const char* call, std::size_t rank, Graph& graph, const Tensor& c, const Tensor& k, const Tensor& a,
                const Tensor& b, Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  const Tensor made = multiply(call, rank, graph, a, b, prog, c.elementType(), debugContext, options);
  popops::scaledAddTo(graph, c, made, k, prog, debugContext);
}

enum class Which { Left, Right, Output };

Tensor create(const char* call, Which which, std::size_t rank, Graph& graph, const Type& inputType, const Type& outputType,
              const Sizes& aShape, const Sizes& bShape, const DebugContext& debugContext, const OptionFlags& options) {
  const auto read = sp::convOptionsOf(call, options);
  const Sizes out = productShape(call, aShape, bShape, rank);
  const Sizes& shape = which == Which::Left ? aShape : which == Which::Right ? bShape : out;
  const Type& type = which == Which::Output ? outputType : inputType;
  const Tensor tensor = graph.addVariable(type, shape, debugContext);
  sp::library(graph, debugContext, "createMatMul", [&](const ops::OpBuilder& builder) {
    const sg::Tensor variable = sp::inner(tensor);
    if (which != Which::Right || variable.numElements() == 0 || elements(aShape) == 0) return builder.mapLinearly(variable);
    sp::layOutAsPlanned(builder, variable, [&](const ops::OpBuilder& scratch, const sg::Tensor& like) {
      const sg::Tensor a = scratch.graph().addVariable(like.elementType(), sp::sizesOf(aShape), "a");
      scratch.mapLinearly(a);
      ops::matmul(scratch, a, like, {}, read);
    });
  });
  return tensor;
}

} // namespace

Tensor matMul(Graph& graph, const Tensor& a, const Tensor& b, Sequence& prog, const Type& outputType,
              const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  return multiply("poplin::matMul", 2, graph, a, b, prog, outputType, debugContext, options);
}
Tensor matMul(Graph& graph, const Tensor& a, const Tensor& b, Sequence& prog, const DebugContext& debugContext,
              const OptionFlags& options, PlanningCache*) {
  return multiply("poplin::matMul", 2, graph, a, b, prog, a.elementType(), debugContext, options);
}
void matMulWithOutput(Graph& graph, const Tensor& a, const Tensor& b, Tensor& out, Sequence& prog,
                      const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  multiplyInto("poplin::matMulWithOutput", 2, graph, a, b, out, prog, debugContext, options);
}
Tensor matMulGrouped(Graph& graph, const Tensor& a, const Tensor& b, Sequence& prog, const Type& outputType,
                     const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  return multiply("poplin::matMulGrouped", 3, graph, a, b, prog, outputType, debugContext, options);
}
void matMulGroupedWithOutput(Graph& graph, const Tensor& a, const Tensor& b, Tensor& out, Sequence& prog,
                             const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  multiplyInto("poplin::matMulGroupedWithOutput", 3, graph, a, b, out, prog, debugContext, options);
}
void matMulAcc(Graph& graph, const Tensor& c, float k, const Tensor& a, const Tensor& b, Sequence& prog,
               const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  accumulate("poplin::matMulAcc", 2, graph, c, k, a, b, prog, debugContext, options);
}
void matMulAcc(Graph& graph, const Tensor& c, const Tensor& k, const Tensor& a, const Tensor& b, Sequence& prog,
               const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  accumulate("poplin::matMulAcc", 2, graph, c, k, a, b, prog, debugContext, options);
}
void matMulGroupedAcc(Graph& graph, const Tensor& c, float k, const Tensor& a, const Tensor& b, Sequence& prog,
                      const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  accumulate("poplin::matMulGroupedAcc", 3, graph, c, k, a, b, prog, debugContext, options);
}
void matMulGroupedAcc(Graph& graph, const Tensor& c, const Tensor& k, const Tensor& a, const Tensor& b, Sequence& prog,
                      const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  accumulate("poplin::matMulGroupedAcc", 3, graph, c, k, a, b, prog, debugContext, options);
}

#define TILESCOPE_CREATE(NAME, WHICH)                                                                                            \
  Tensor createMatMul##NAME(Graph& graph, const Type& inputType, const Type& outputType, const Sizes& aShape,                    \
                            const Sizes& bShape, const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) { \
    return create("poplin::createMatMul" #NAME, Which::WHICH, 2, graph, inputType, outputType, aShape, bShape, debugContext,     \
                  options);                                                                                                      \
  }                                                                                                                              \
  Tensor createMatMul##NAME(Graph& graph, const Type& dataType, const Sizes& aShape, const Sizes& bShape,                        \
                            const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {                      \
    return create("poplin::createMatMul" #NAME, Which::WHICH, 2, graph, dataType, dataType, aShape, bShape, debugContext,        \
                  options);                                                                                                      \
  }                                                                                                                              \
  Tensor createMatMulGrouped##NAME(Graph& graph, const Type& inputType, const Type& outputType, const Sizes& aShape,             \
                                   const Sizes& bShape, const DebugContext& debugContext, const OptionFlags& options,            \
                                   PlanningCache*) {                                                                             \
    return create("poplin::createMatMulGrouped" #NAME, Which::WHICH, 3, graph, inputType, outputType, aShape, bShape,            \
                  debugContext, options);                                                                                        \
  }
TILESCOPE_CREATE(InputLHS, Left)
TILESCOPE_CREATE(InputRHS, Right)
TILESCOPE_CREATE(Output, Output)
#undef TILESCOPE_CREATE

namespace {
Tensor preArrange(const char* call, std::size_t rank, Graph& graph, const Sizes& aShape, const Tensor& b, Sequence& prog,
                  const Type& outputType, const DebugContext& debugContext, const OptionFlags& options) {
  const Tensor arranged =
      create(call, Which::Right, rank, graph, b.elementType(), outputType, aShape, b.shape(), debugContext, options);
  prog.add(poplar::program::Copy(b, arranged, false, debugContext));
  return arranged;
}
} // namespace

Tensor preArrangeMatMulInputRHS(Graph& graph, const Sizes& aShape, const Tensor& b, Sequence& prog, const Type& outputType,
                                const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  return preArrange("poplin::preArrangeMatMulInputRHS", 2, graph, aShape, b, prog, outputType, debugContext, options);
}
Tensor preArrangeMatMulInputRHS(Graph& graph, const Sizes& aShape, const Tensor& b, Sequence& prog,
                                const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  return preArrange("poplin::preArrangeMatMulInputRHS", 2, graph, aShape, b, prog, b.elementType(), debugContext, options);
}
Tensor preArrangeMatMulGroupedInputRHS(Graph& graph, const Sizes& aShape, const Tensor& b, Sequence& prog, const Type& outputType,
                                       const DebugContext& debugContext, const OptionFlags& options, PlanningCache*) {
  return preArrange("poplin::preArrangeMatMulGroupedInputRHS", 3, graph, aShape, b, prog, outputType, debugContext, options);
}

Tensor transposeGroupedMatrix(const Tensor& a) { return a.dimShuffle({0, 2, 1}); }

} // namespace poplin
