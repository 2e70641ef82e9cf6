#include "simcore/ops/elementwise/random.h"

#include "popops/ElementWise.hpp"
#include "poprand/RandomGen.hpp"
#include "simcore/ops/move/copies.h"
#include "simcore/poplar/libs/library_call.h"

#include <cmath>
#include <map>

namespace poprand {

using namespace simcore::poplar::names;
using simcore::codelets::RandomKind;

namespace {

// Each call without a seed uses a generator of its own, which is seeded once per engine.
ops::RandomSeed seedOf(const Graph& graph, const Tensor* seed, uint32_t modifier) {
  if (!seed) return {ops::mixedBits(uint64_t(sp::inner(graph).computeSets().size()) * 2654435761U + modifier + 1)};
  const sg::Tensor words = sp::inner(*seed);
  if (words.numElements() != 2 || words.elementType() != ElementType::UInt32)
    throw poputil::poplibs_error("poprand: the seed " + words.getDebugStr() + " must have two elements of the type UNSIGNED_INT");
  return {words.flatten(), modifier};
}

Tensor draw(Graph& graph, const char* kind, const Tensor* seed, uint32_t modifier, const Tensor& reference, const Type& outType,
            const ops::RandomNumbers& numbers, Sequence& prog, const DebugContext& debugContext) {
  const ops::RandomSeed from = seedOf(graph, seed, modifier);
  return sp::library(
      graph, prog, debugContext, kind,
      [](const ops::OpBuilder& b, const auto& outType, const auto& reference, const auto& numbers, const auto& from) {
        const ElementType type = sp::inner(outType);
        const sg::Tensor like = sp::inner(reference);
        const sg::Tensor out = b.output(type, like.shape(), "out", b.layoutOf(like).laidOut());
        ops::fillRandom(b, out, numbers, from);
        return out;
      },
      outType, reference, numbers, from);
}

} // namespace

Tensor uniform(Graph& graph, const Tensor* seed, uint32_t seedModifier, const Tensor& reference, const Type& outType,
               double minVal, double maxVal, Sequence& prog, const DebugContext& debugContext) {
  ops::RandomNumbers numbers;
  numbers.kind = RandomKind::Uniform;
  numbers.low = minVal;
  const bool whole = !simcore::numerics::isFloating(sp::inner(outType));
  numbers.high = whole ? std::floor(maxVal) + 1 : maxVal; // whole numbers include maxVal
  return draw(graph, "uniform", seed, seedModifier, reference, outType, numbers, prog, debugContext);
}
Tensor logUniform(Graph& graph, const Tensor* seed, uint32_t seedModifier, const Tensor& reference, const Type& outType,
                  double minVal, double maxVal, Sequence& prog, double base, const DebugContext& debugContext) {
  if (minVal <= 0 || maxVal < minVal || base <= 0 || base == 1)
    throw poputil::poplibs_error(
        "poprand::logUniform: limits and base must be above 0, minVal at most maxVal, and the base not 1");
  const bool whole = !simcore::numerics::isFloating(sp::inner(outType));
  if (whole) minVal = std::ceil(minVal), maxVal = std::floor(maxVal);
  const Tensor out = uniform(graph, seed, seedModifier, reference, whole ? poplar::FLOAT : outType,
                             std::log(minVal) / std::log(base), std::log(maxVal) / std::log(base), prog, debugContext);
  if (whole) { // a power may be rounded to just above or below a limit
    namespace pe = popops::expr;
    const pe::Clamp power(pe::Pow(pe::Const(float(base)), pe::_1), pe::Const(float(minVal)), pe::Const(float(maxVal)));
    return popops::map(graph, pe::Cast(power, outType), {out}, prog, debugContext);
  }
  popops::mapInPlace(graph, popops::expr::Pow(popops::expr::Const(base), popops::expr::_1), {out}, prog, debugContext);
  return out;
}
Tensor bernoulli(Graph& graph, const Tensor* seed, uint32_t seedModifier, const Tensor& reference, const Type& outType,
                 double prob, Sequence& prog, const DebugContext& debugContext) {
  ops::RandomNumbers numbers;
  numbers.kind = RandomKind::Bernoulli;
  numbers.probability = prob;
  return draw(graph, "bernoulli", seed, seedModifier, reference, outType, numbers, prog, debugContext);
}
Tensor normal(Graph& graph, const Tensor* seed, uint32_t seedModifier, const Tensor& reference, const Type& outType, double mean,
              double stdDev, Sequence& prog, const DebugContext& debugContext) {
  ops::RandomNumbers numbers;
  numbers.kind = RandomKind::Normal;
  numbers.mean = mean;
  numbers.deviation = stdDev;
  return draw(graph, "normal", seed, seedModifier, reference, outType, numbers, prog, debugContext);
}
Tensor truncatedNormal(Graph& graph, const Tensor* seed, uint32_t seedModifier, const Tensor& reference, const Type& outType,
                       double mean, double stdDev, double alpha, Sequence& prog, const DebugContext& debugContext) {
  ops::RandomNumbers numbers;
  numbers.kind = RandomKind::TruncatedNormal;
  numbers.mean = mean;
  numbers.deviation = stdDev;
  numbers.truncation = alpha;
  return draw(graph, "truncatedNormal", seed, seedModifier, reference, outType, numbers, prog, debugContext);
}

Tensor dropout(Graph& graph, const Tensor* seed, const uint32_t seedModifier, const Tensor& input, const Tensor& reference,
               double keepProbability, double scale, bool outputClonesReference, Sequence& prog,
               const DebugContext& debugContext) {
  simcore::poplar::ignoreArgument(!outputClonesReference, "poprand::dropout", "outputClonesRef");
  if (input.shape() != reference.shape())
    throw poputil::poplibs_error("poprand::dropout: " + input.getDebugStr() + " does not have the shape of the reference");
  const ops::RandomSeed from = seedOf(graph, seed, seedModifier);
  return sp::library(
      graph, prog, debugContext, "dropout",
      [](const ops::OpBuilder& b, const auto& input, const auto& keepProbability, const auto& scale, const auto& from) {
        return ops::dropout(b, sp::inner(input), keepProbability, scale, from, true);
      },
      input, keepProbability, scale, from);
}
Tensor dropout(Graph& graph, const Tensor* seed, const uint32_t seedModifier, const Tensor& input, const Tensor& reference,
               double keepProbability, double scale, Sequence& prog, const DebugContext& debugContext) {
  return dropout(graph, seed, seedModifier, input, reference, keepProbability, scale, false, prog, debugContext);
}
Tensor shapedDropout(Graph& graph, const Tensor* seed, const uint32_t seedModifier, const Tensor& input, const Tensor& reference,
                     double keepProbability, double scale, Sequence& prog, const DebugContext& debugContext) {
  const Tensor kept = bernoulli(graph, seed, seedModifier, reference, input.elementType(), keepProbability, prog, debugContext);
  return popops::map(graph, popops::expr::_1 * popops::expr::_2 * scale, {input, kept}, prog, debugContext);
}

void setSeed(Graph&, const Tensor&, uint32_t, Sequence&, const DebugContext&) {
  sp::warnOnce("poprand::setSeed has no effect here: vertices, and calls without a seed, keep the simulator's seeds");
}

} // namespace poprand
