#include "popnn/Loss.hpp"

#include "popops/Cast.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Reduce.hpp"
#include "popops/TopK.hpp"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/network/losses.h"
#include "simcore/ops/reduce/reduce.h"
#include "simcore/ops/sort/sort.h"
#include "simcore/poplar/libs/library_call.h"

namespace popnn {

using namespace simcore::poplar::names;
namespace pe = popops::expr;
using simcore::codelets::LossKind;

namespace {

struct LossTensors {
  Tensor outputs, expected, loss, deltas, deltasScale, outputScale, numCorrect; // the last three may be invalid
};

void requireShapes(const LossTensors& t) {
  if (t.outputs.rank() != 2)
    throw poputil::poplibs_error("popnn::calcLoss: outputs " + t.outputs.getDebugStr() + " must have the shape [N, C]");
  const std::size_t rows = t.outputs.dim(0);
  const bool isClass = t.expected.rank() == 1 && t.expected.dim(0) == rows;
  if (!isClass && t.expected.shape() != t.outputs.shape())
    throw poputil::poplibs_error("popnn::calcLoss: expected " + t.expected.getDebugStr() +
                                 " must hold one class per row, or have the shape of the outputs");
  if (t.deltas.shape() != t.outputs.shape())
    throw poputil::poplibs_error("popnn::calcLoss: deltas " + t.deltas.getDebugStr() + " must have the shape of the outputs " +
                                 t.outputs.getDebugStr());
  if (t.loss.rank() != 1 || t.loss.dim(0) != rows)
    throw poputil::poplibs_error("popnn::calcLoss: the loss " + t.loss.getDebugStr() +
                                 " must have one element per row of the outputs");
  if (t.numCorrect.valid() && t.numCorrect.numElements() != 1)
    throw poputil::poplibs_error("popnn::calcLoss: numCorrect " + t.numCorrect.getDebugStr() + " must have one element");
}

void copyCast(Graph& graph, const Tensor& from, const Tensor& to, Sequence& prog, const DebugContext& debugContext) {
  if (from.elementType() == to.elementType())
    prog.add(poplar::program::Copy(from.reshape(to.shape()), to, false, debugContext));
  else
    popops::castWithOutput(graph, from.reshape(to.shape()), to, prog, debugContext);
}

// Loss and deltas for target outputs [N, C].
void lossOfOutputs(Graph& graph, const Tensor& y, const LossTensors& t, LossType lossType, Sequence& prog,
                   const DebugContext& debugContext) {
  const bool squares = lossType == SUM_SQUARED_LOSS;
  popops::mapWithOutput(graph, pe::_1 - pe::_2, {y, t.expected}, t.deltas, prog, debugContext);
  const Tensor each = squares ? popops::map(graph, pe::Square(pe::_1) * 0.5, {t.deltas}, prog, debugContext)
                              : popops::map(graph, -(pe::_2 * pe::Log(pe::_1)), {y, t.expected}, prog, debugContext);
  popops::reduceWithOutput(graph, each, t.loss, {1}, popops::Operation::ADD, prog, debugContext);
  if (!t.numCorrect.valid()) return;
  const Tensor hits =
      popops::eq(graph, argMax(graph, y, prog, debugContext), argMax(graph, t.expected, prog, debugContext), prog, debugContext);
  const Tensor counted = popops::reduce(graph, popops::cast(graph, hits, poplar::INT, prog, debugContext), poplar::INT, {0},
                                        popops::Operation::ADD, prog, debugContext);
  copyCast(graph, counted, t.numCorrect, prog, debugContext);
}

// Rows whose label is MASKED_LABEL_CODE have no loss and no gradient.
void maskRows(Graph& graph, const LossTensors& t, Sequence& prog, const DebugContext& debugContext) {
  const poplar::Type type = t.expected.elementType();
  if (type != poplar::UNSIGNED_INT && type != poplar::INT) return;
  const pe::Const code = type == poplar::INT ? pe::Const(int(MASKED_LABEL_CODE)) : pe::Const(MASKED_LABEL_CODE);
  const Tensor everyClass = t.expected.expand({1}).broadcast(unsigned(t.deltas.dim(1)), 1);
  const auto mask = [&](const Tensor& values, const Tensor& labels) {
    const auto kept = pe::Select(pe::_1, pe::Const(values.elementType(), 0), pe::_2 != code);
    popops::mapInPlace(graph, kept, {values, labels}, prog, debugContext);
  };
  mask(t.loss, t.expected);
  mask(t.deltas, everyClass);
}

Program calculate(Graph& graph, const LossTensors& t, LossType lossType, const DebugContext& debugContext) {
  requireShapes(t);
  Sequence prog(debugContext);
  Tensor y = t.outputs;
  if (t.outputScale.valid())
    y = popops::map(graph, pe::_1 / pe::Cast(pe::_2, y.elementType()), {y, t.outputScale}, prog, debugContext);
  if (t.expected.rank() == 2) {
    lossOfOutputs(graph, y, t, lossType, prog, debugContext);
  } else {
    const auto result = sp::library(
        graph, prog, debugContext, "calcLoss",
        [](const ops::OpBuilder& b, const auto& lossType, const auto& y, const auto& expected) {
          return ops::calcLoss(b, lossType == SUM_SQUARED_LOSS ? LossKind::SumSquared : LossKind::CrossEntropy, sp::inner(y),
                               sp::inner(expected));
        },
        lossType, y, t.expected);
    copyCast(graph, sp::outer(result.loss), t.loss, prog, debugContext);
    copyCast(graph, sp::outer(result.deltas), t.deltas, prog, debugContext);
    if (t.numCorrect.valid()) copyCast(graph, sp::outer(result.correct), t.numCorrect, prog, debugContext);
    maskRows(graph, t, prog, debugContext);
  }
  if (t.deltasScale.valid())
    popops::mapInPlace(graph, pe::_1 * pe::Cast(pe::_2, t.deltas.elementType()), {t.deltas, t.deltasScale}, prog, debugContext);
  return prog;
}

} // namespace

Program calcLoss(Graph& graph, const Tensor& modelOutputs, const Tensor& expected, const Tensor& loss, const Tensor& deltas,
                 LossType lossType, const DebugContext& debugContext) {
  return calculate(graph, {modelOutputs, expected, loss, deltas, {}, {}, {}}, lossType, debugContext);
}
Program calcLoss(Graph& graph, const Tensor& modelOutputs, const Tensor& expected, const Tensor& loss, const Tensor& deltas,
                 const Tensor& numCorrect, LossType lossType, const DebugContext& debugContext) {
  return calculate(graph, {modelOutputs, expected, loss, deltas, {}, {}, numCorrect}, lossType, debugContext);
}
Program calcLoss(Graph& graph, const Tensor& modelOutputs, const Tensor& expected, const Tensor& loss, const Tensor& deltas,
                 const Tensor& deltasScale, const Tensor& modelOutputScaling, LossType lossType,
                 const DebugContext& debugContext) {
  return calculate(graph, {modelOutputs, expected, loss, deltas, deltasScale, modelOutputScaling, {}}, lossType, debugContext);
}
Program calcLoss(Graph& graph, const Tensor& modelOutputs, const Tensor& expected, const Tensor& loss, const Tensor& deltas,
                 const Tensor& deltasScale, const Tensor& modelOutputScaling, const Tensor& numCorrect, LossType lossType,
                 const DebugContext& debugContext) {
  return calculate(graph, {modelOutputs, expected, loss, deltas, deltasScale, modelOutputScaling, numCorrect}, lossType,
                   debugContext);
}

Program calcAccuracy(Graph& graph, const Tensor& modelOutputs, const Tensor& expected, const Tensor& numCorrect,
                     const DebugContext& debugContext) {
  Sequence prog(debugContext);
  const Tensor best = argMax(graph, modelOutputs, prog, debugContext);
  const Tensor wanted = expected.rank() == 2 ? argMax(graph, expected, prog, debugContext) : expected;
  const Tensor hits = popops::map(graph, pe::Cast(pe::_1 == pe::Cast(pe::_2, poplar::UNSIGNED_INT), poplar::INT), {best, wanted},
                                  prog, debugContext);
  copyCast(graph, popops::reduce(graph, hits, poplar::INT, {0}, popops::Operation::ADD, prog, debugContext), numCorrect, prog,
           debugContext);
  return prog;
}

namespace {
Tensor place(Graph& graph, const Tensor& input, bool largest, Sequence& prog, const DebugContext& debugContext) {
  if (input.rank() != 2) throw poputil::poplibs_error("popnn::argMax: " + input.getDebugStr() + " must have the shape [N, C]");
  return sp::library(
      graph, prog, debugContext, largest ? "argMax" : "argMin",
      [](const ops::OpBuilder& b, const auto& input, const auto& largest) {
        return ops::cast(b, ops::argReduce(b, sp::inner(input), 1, largest, false, false), ElementType::UInt32);
      },
      input, largest);
}
std::pair<Tensor, Tensor> valueAndPlace(Graph& graph, const Tensor& input, bool largest, Sequence& prog,
                                        const DebugContext& debugContext) {
  const Tensor at = place(graph, input, largest, prog, debugContext);
  return {popops::reduce(graph, input, input.elementType(), {1}, largest ? popops::Operation::MAX : popops::Operation::MIN, prog,
                         debugContext),
          at};
}
} // namespace

Tensor argMax(Graph& graph, const Tensor& input, Sequence& prog, const DebugContext& debugContext) {
  return place(graph, input, true, prog, debugContext);
}
Tensor argMin(Graph& graph, const Tensor& input, Sequence& prog, const DebugContext& debugContext) {
  return place(graph, input, false, prog, debugContext);
}
std::pair<Tensor, Tensor> maxAndArgMax(Graph& graph, const Tensor& input, Sequence& prog, const DebugContext& debugContext) {
  return valueAndPlace(graph, input, true, prog, debugContext);
}
std::pair<Tensor, Tensor> minAndArgMin(Graph& graph, const Tensor& input, Sequence& prog, const DebugContext& debugContext) {
  return valueAndPlace(graph, input, false, prog, debugContext);
}
Tensor topK(Graph& graph, const Tensor& input, Tensor& indices, unsigned k, bool sort, Sequence& prog,
            const DebugContext& debugContext) {
  auto [values, places] = popops::topKWithPermutation(
      graph, prog, input, popops::TopKParams(k, true, sort ? popops::SortOrder::DESCENDING : popops::SortOrder::NONE),
      debugContext);
  indices = places.expand({1});
  return values.expand({1});
}

} // namespace popnn
