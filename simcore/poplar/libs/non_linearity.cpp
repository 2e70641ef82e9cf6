#include "popnn/NonLinearity.hpp"

#include "popnn/LogSoftmax.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Reduce.hpp"
#include "simcore/numerics/elementwise.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/reduce/reduce.h"
#include "simcore/poplar/libs/library_call.h"
#include "simcore/poplar/libs/vertices.h"

#include <array>
#include <istream>
#include <ostream>

namespace popnn {

using namespace simcore::poplar::names;
namespace pe = popops::expr;
using Kind = simcore::codelets::NonLinearity;
using simcore::numerics::UnaryKind;

namespace {

struct Named {
  NonLinearityType type;
  const char* text;
  const char* word; // name in text
};
constexpr std::array<Named, 10> kNames{{{NonLinearityType::SIGMOID, "sigmoid", "sigmoid"},
                                        {NonLinearityType::HARD_SIGMOID, "hard sigmoid", "hard_sigmoid"},
                                        {NonLinearityType::RELU, "relu", "relu"},
                                        {NonLinearityType::TANH, "tanh", "tanh"},
                                        {NonLinearityType::GELU, "gelu", "gelu"},
                                        {NonLinearityType::GELU_ERF, "gelu_erf", "gelu_erf"},
                                        {NonLinearityType::SWISH, "swish", "swish"},
                                        {NonLinearityType::SOFTMAX, "softmax", "softmax"},
                                        {NonLinearityType::SOFTMAX_STABLE, "softmax (stable)", "softmax_stable"},
                                        {NonLinearityType::SOFTMAX_SCALED, "softmax (scaled, stable)", "softmax_scaled"}}};

bool isSoftmax(NonLinearityType type) {
  return type == NonLinearityType::SOFTMAX || type == NonLinearityType::SOFTMAX_STABLE ||
         type == NonLinearityType::SOFTMAX_SCALED;
}

Kind kindOf(NonLinearityType type) {
  switch (type) {
  case NonLinearityType::SIGMOID: return Kind::Sigmoid;
  case NonLinearityType::RELU: return Kind::Relu;
  case NonLinearityType::TANH: return Kind::Tanh;
  case NonLinearityType::GELU: return Kind::Gelu;
  case NonLinearityType::GELU_ERF: return Kind::GeluErf;
  case NonLinearityType::SWISH: return Kind::Swish;
  case NonLinearityType::HARD_SIGMOID:
  case NonLinearityType::SOFTMAX:
  case NonLinearityType::SOFTMAX_STABLE:
  case NonLinearityType::SOFTMAX_SCALED: break;
  }
  throw poputil::poplibs_error("popnn: an unknown activation function");
}

const auto kHardSigmoid = pe::Clamp(pe::_1 * 0.2 + 0.5, pe::Const(0.0), pe::Const(1.0));
constexpr float kHalfScale = 16384; // keeps small probabilities in the range of half

float scalingOf(NonLinearityType type, const Tensor& tensor) {
  return type == NonLinearityType::SOFTMAX_SCALED && tensor.elementType() == poplar::HALF ? kHalfScale : 1.0F;
}

Tensor softmaxOf(Graph& graph, NonLinearityType type, const Tensor& tensor, Sequence& prog, const DebugContext& debugContext) {
  if (tensor.rank() == 0) throw poputil::poplibs_error("popnn: softmax needs a tensor with at least one dimension");
  const Tensor out = sp::library(
      graph, prog, debugContext, "softmax",
      [](const ops::OpBuilder& b, const auto& tensor) { return ops::softmax(b, sp::inner(tensor), tensor.rank() - 1, false); },
      tensor);
  if (const float scale = scalingOf(type, tensor); scale != 1) popops::mulInPlace(graph, out, scale, prog, debugContext);
  return out;
}

} // namespace

const char* asString(const NonLinearityType& type) {
  for (const Named& n : kNames)
    if (n.type == type) return n.text;
  throw poputil::poplibs_error("popnn: an unknown activation function");
}
std::ostream& operator<<(std::ostream& out, const NonLinearityType& type) { return out << asString(type); }
std::istream& operator>>(std::istream& in, NonLinearityType& type) {
  std::string word;
  in >> word;
  for (const Named& n : kNames)
    if (word == n.word) {
      type = n.type;
      return in;
    }
  throw poputil::poplibs_error("popnn: unknown activation function \"" + word + "\"");
}

Tensor nonLinearity(Graph& graph, NonLinearityType type, Tensor tensor, Sequence& prog, const DebugContext& debugContext) {
  if (isSoftmax(type)) return softmaxOf(graph, type, tensor, prog, debugContext);
  if (type == NonLinearityType::HARD_SIGMOID) return popops::map(graph, kHardSigmoid, {tensor}, prog, debugContext);
  return sp::library(
      graph, prog, debugContext, "nonLinearity",
      [](const ops::OpBuilder& b, const auto& type, const auto& tensor) {
        return ops::nonLinearity(b, kindOf(type), sp::inner(tensor));
      },
      type, tensor);
}
void nonLinearityInPlace(Graph& graph, NonLinearityType type, Tensor tensor, Sequence& prog, const DebugContext& debugContext) {
  if (isSoftmax(type)) {
    prog.add(poplar::program::Copy(softmaxOf(graph, type, tensor, prog, debugContext), tensor, false, debugContext));
  } else if (type == NonLinearityType::HARD_SIGMOID) {
    popops::mapInPlace(graph, kHardSigmoid, {tensor}, prog, debugContext);
  } else {
    sp::library(
        graph, prog, debugContext, "nonLinearity",
        [](const ops::OpBuilder& b, const auto& type, const auto& tensor) {
          ops::nonLinearityInPlace(b, kindOf(type), sp::inner(tensor));
        },
        type, tensor);
  }
}
Tensor nonLinearity(Graph& graph, NonLinearityType type, Tensor tensor, float& nonLinearityScaling, Sequence& prog,
                    const DebugContext& debugContext) {
  nonLinearityScaling = scalingOf(type, tensor);
  return nonLinearity(graph, type, tensor, prog, debugContext);
}
void nonLinearityInPlace(Graph& graph, NonLinearityType type, Tensor tensor, float& nonLinearityScaling, Sequence& prog,
                         const DebugContext& debugContext) {
  nonLinearityScaling = scalingOf(type, tensor);
  nonLinearityInPlace(graph, type, tensor, prog, debugContext);
}

Tensor nonLinearityInputGradient(Graph& graph, NonLinearityType type, Tensor act, Tensor outGradient, Sequence& prog,
                                 const DebugContext& debugContext) {
  if (act.shape() != outGradient.shape())
    throw poputil::poplibs_error("popnn::nonLinearityInputGradient: " + act.getDebugStr() + " and " + outGradient.getDebugStr() +
                                 " have different shapes");
  if (isSoftmax(type)) { // y (d - sum of y d)
    const Tensor sum = popops::reduce(graph, popops::mul(graph, act, outGradient, prog, debugContext), act.elementType(),
                                      {act.rank() - 1}, popops::Operation::ADD, prog, debugContext);
    const Tensor wide = sum.expand({sum.rank()});
    return popops::map(graph, pe::_1 * (pe::_2 - pe::_3), {act, outGradient, wide}, prog, debugContext);
  }
  if (type == NonLinearityType::HARD_SIGMOID)
    return popops::map(graph, pe::Select(pe::_2 * 0.2, pe::_2 * 0.0, pe::Abs(pe::_1) <= 2.5), {act, outGradient}, prog,
                       debugContext);
  if (type == NonLinearityType::SWISH) { // s (1 + x (1 - s))
    const auto s = pe::Sigmoid(pe::_1);
    return popops::map(graph, pe::_2 * s * (1.0 + pe::_1 * (1.0 - s)), {act, outGradient}, prog, debugContext);
  }
  const UnaryKind kind = type == NonLinearityType::SIGMOID ? UnaryKind::Sigmoid
                         : type == NonLinearityType::RELU  ? UnaryKind::Relu
                         : type == NonLinearityType::TANH  ? UnaryKind::Tanh
                         : type == NonLinearityType::GELU  ? UnaryKind::GeluTanh
                                                           : UnaryKind::Gelu;
  return sp::library(
      graph, prog, debugContext, "nonLinearityInputGradient",
      [](const ops::OpBuilder& b, const auto& kind, const auto& type, const auto& outGradient, const auto& act) {
        return ops::nonLinearityGrad(b, kindOf(type), sp::inner(outGradient), sp::inner(act),
                                     ops::oneResult([kind](const std::vector<simcore::numerics::HostTensor>& in) {
                                       return simcore::numerics::activationGradient(kind, in[0], in[1]);
                                     }));
      },
      kind, type, outGradient, act);
}

namespace {
Kind kindInSet(NonLinearityType type) {
  if (isSoftmax(type) || type == NonLinearityType::HARD_SIGMOID)
    throw poputil::poplibs_error(std::string("popnn: ") + asString(type) +
                                 " takes more than one compute set: give a Sequence instead");
  return kindOf(type);
}
// f(tile, interval) for each interval of the flattened tensor.
template<class F> void forIntervals(sg::Graph& graph, const sg::Tensor& flat, F f) {
  const auto mapping = graph.getTileMapping(flat);
  for (std::size_t tile = 0; tile < mapping.size(); ++tile)
    for (const sg::Interval& i : mapping[tile]) f(sg::TileId(tile), i);
}
} // namespace

void nonLinearityInPlace(Graph& graph, NonLinearityType type, Tensor tensor, poplar::ComputeSet& cs, const DebugContext&) {
  const Kind kind = kindInSet(type);
  sp::inLibrary([&] {
    const sg::Tensor x = sp::inner(tensor).flatten();
    forIntervals(sp::inner(graph), x, [&](sg::TileId tile, const sg::Interval& i) {
      sp::addNonLinearityVertex(sp::inner(graph), sg::ComputeSetId(cs.getId()), kind, x.slice(i), x.slice(i), tile);
    });
  });
}
void nonLinearityInPlace(Graph& graph, NonLinearityType type, Tensor tensor, float& nonLinearityScaling, poplar::ComputeSet& cs,
                         const DebugContext& debugContext) {
  nonLinearityScaling = 1;
  nonLinearityInPlace(graph, type, tensor, cs, debugContext);
}
Tensor nonLinearityInputGradient(Graph& graph, NonLinearityType type, Tensor act, Tensor outGradient, poplar::ComputeSet& cs,
                                 const DebugContext& debugContext) {
  const Kind kind = kindInSet(type);
  if (act.shape() != outGradient.shape())
    throw poputil::poplibs_error("popnn::nonLinearityInputGradient: " + act.getDebugStr() + " and " + outGradient.getDebugStr() +
                                 " have different shapes");
  const Tensor result = graph.clone(act, debugContext);
  sp::inLibrary([&] {
    const sg::Tensor at = sp::inner(act).flatten(), from = sp::inner(outGradient).flatten(), to = sp::inner(result).flatten();
    forIntervals(sp::inner(graph), to, [&](sg::TileId tile, const sg::Interval& i) {
      sp::addNonLinearityGradVertex(sp::inner(graph), sg::ComputeSetId(cs.getId()), kind, from.slice(i), at.slice(i), to.slice(i),
                                    tile);
    });
  });
  return result;
}

Tensor logSoftmax(Graph& graph, Tensor tensor, Sequence& prog, const DebugContext& debugContext) {
  return sp::library(
      graph, prog, debugContext, "logSoftmax",
      [](const ops::OpBuilder& b, const auto& tensor) { return ops::softmax(b, sp::inner(tensor), tensor.rank() - 1, true); },
      tensor);
}
void logSoftmaxInPlace(Graph& graph, Tensor tensor, Sequence& prog, const DebugContext& debugContext) {
  prog.add(poplar::program::Copy(logSoftmax(graph, tensor, prog, debugContext), tensor, false, debugContext));
}

} // namespace popnn
