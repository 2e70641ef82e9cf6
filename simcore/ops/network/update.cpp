#include "simcore/ops/network/update.h"

#include "simcore/ops/collective/collectives.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/reduce/reduce.h"

#include <cmath>
#include <numeric>
#include <optional>

namespace simcore::ops {

using codelets::BinaryOp;
using codelets::MapStep;
using codelets::ReduceOp;
using codelets::UnaryOp;

namespace {

// The squared norms of the parameter and of its update or gradient.
std::pair<Tensor, Tensor> squaredNorms(const UpdateByNorms& how, const Tensor& w, const Tensor& other,
                                       std::optional<ElementType> as = {}) {
  std::vector<std::size_t> all(w.rank());
  std::iota(all.begin(), all.end(), std::size_t(0));
  const auto squares = [&](const Tensor& t) { return reduce(how.builder, t, all, ReduceOp::SquareAdd, false, {}, as); };
  const Tensor weights = squares(w), length = squares(other);
  if (how.shards > 1) allReduce(how.builder, CollectiveOp::Add, {graph::concat(weights.reshape({1}), length.reshape({1}))});
  return {weights, length};
}

// Operations per element in the maps of Adam and similar optimisers.
constexpr std::initializer_list<decltype(MapStep::op)> kFirstMoment = {BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Add},
                                                       kSecondMoment = {UnaryOp::Square, BinaryOp::Multiply, BinaryOp::Multiply,
                                                                        BinaryOp::Add},
                                                       kRatio = {UnaryOp::Sqrt, BinaryOp::Add, BinaryOp::Divide,
                                                                 BinaryOp::Multiply};

template<class F> HostKernel eachOf(F f) { return oneResult(eachElement(f)); }

} // namespace

void updateBySgd(const OpBuilder& builder, const Tensor& w, const Tensor& g, const Tensor& velocity, bool decays,
                 bool isNesterov) {
  if (!velocity.valid()) {
    if (decays) mapInPlace(builder, "decay", {{BinaryOp::Multiply, w.elementType()}}, {w});
    return scaledAddTo(builder, w, g, -1);
  }
  scaledAddTo(builder, velocity, g, 1);
  if (decays) scaledAddTo(builder, velocity, w, 1);
  scaledAddTo(builder, w, velocity, -1);
  if (isNesterov) scaledAddTo(builder, w, g, -1);
}

void updateByAdam(const OpBuilder& builder, const Tensor& w, const Tensor& g, const Tensor& first, const Tensor& second,
                  const Tensor& step, bool byLargest) {
  const ElementType type = w.elementType();
  mapInPlace(builder, "firstMoment", mapSteps(type, kFirstMoment), {first, g});
  if (byLargest)
    mapInPlace(builder, "largestGradient", mapSteps(type, {UnaryOp::Absolute, BinaryOp::Multiply, BinaryOp::Maximum}),
               {second, g});
  else
    mapInPlace(builder, "secondMoment", mapSteps(type, kSecondMoment), {second, g});
  auto last = mapSteps(type, kRatio);
  if (byLargest) last.erase(last.begin()); // without the square root
  last.push_back({BinaryOp::Subtract, type});
  mapInPlace(builder, "weights", last, {w, first, second, step});
}

void updateBySquares(const OpBuilder& builder, const Tensor& w, const Tensor& g, const Tensor& squares, const Tensor& mean,
                     const Tensor& velocity) {
  const ElementType type = w.elementType();
  mapInPlace(builder, "secondMoment", mapSteps(type, {UnaryOp::Square, BinaryOp::Multiply, BinaryOp::Add}), {squares, g});
  if (mean.valid()) mapInPlace(builder, "meanGradient", mapSteps(type, kFirstMoment), {mean, g});
  std::vector<MapStep> ratio = mapSteps(type, {UnaryOp::Sqrt, BinaryOp::Add, BinaryOp::Divide});
  std::vector<Tensor> read{g, squares};
  if (mean.valid()) {
    const auto centred = mapSteps(type, {UnaryOp::Square, BinaryOp::Subtract});
    ratio.insert(ratio.begin(), centred.begin(), centred.end());
    read.push_back(mean);
  }
  if (velocity.valid()) {
    auto steps = ratio;
    for (const MapStep& step : mapSteps(type, {BinaryOp::Multiply, BinaryOp::Add})) steps.push_back(step);
    read.insert(read.begin(), velocity);
    mapInPlace(builder, "velocity", steps, read);
    return scaledAddTo(builder, w, velocity, -1);
  }
  ratio.push_back({BinaryOp::Subtract, type});
  read.insert(read.begin(), w);
  mapInPlace(builder, "weights", ratio, read);
}

void updateByLamb(const UpdateByNorms& how, const Tensor& w, const Tensor& g, const Tensor& first, const Tensor& second,
                  const Tensor& step) {
  const numerics::UpdateRule& r = how.rule;
  const OpBuilder& b = how.builder;
  const ElementType type = w.elementType();
  mapInPlace(b, "firstMoment", mapSteps(type, kFirstMoment), {first, g},
             eachOf([r](const auto& x) { return r.beta1 * x(0) + (1 - r.beta1) * x(1) / r.divisor; }));
  mapInPlace(b, "secondMoment", mapSteps(type, kSecondMoment), {second, g},
             eachOf([r](const auto& x) { return r.beta2 * x(0) + (1 - r.beta2) * (x(1) / r.divisor) * (x(1) / r.divisor); }));
  const Tensor update =
      map(b, "update", mapSteps(type, kRatio), {first, second, w, step}, type, w.shape(), eachOf([r](const auto& x) {
            const double correct1 = 1 - std::pow(r.beta1, x(3)), correct2 = 1 - std::pow(r.beta2, x(3));
            return x(0) / correct1 / (std::sqrt(x(1) / correct2) + r.epsilon) + r.decay * x(2);
          }));
  const auto [weights, length] = squaredNorms(how, w, update);
  const Tensor trust = map(b, "trustRatio", mapSteps(type, {BinaryOp::Divide, UnaryOp::Sqrt}), {weights, length}, type, {},
                           eachOf([](const auto& x) { return x(0) > 0 && x(1) > 0 ? std::sqrt(x(0) / x(1)) : 1.0; }));
  std::vector<Tensor> operands{w, update, trust};
  if (how.rate.valid()) operands.push_back(how.rate);
  mapInPlace(b, "weights", mapSteps(type, {BinaryOp::Multiply, BinaryOp::Subtract}), operands,
             eachOf([](const auto& x) { return x(0) - x(3) * x(2) * x(1); }));
}

// The rate times the trust ratio is a separate scalar.
void updateByLars(const UpdateByNorms& how, const Tensor& w, const Tensor& g, const Tensor& velocity) {
  const numerics::UpdateRule& r = how.rule;
  const OpBuilder& b = how.builder;
  const ElementType type = w.elementType();
  const auto [weights, length] = squaredNorms(how, w, g, ElementType::Float); // from scaled gradients
  std::vector<Tensor> norms{weights, length};
  if (how.rate.valid()) norms.push_back(how.rate);
  const Tensor rate = map(b, "trustRatio",
                          mapSteps(ElementType::Float, {UnaryOp::Sqrt, UnaryOp::Sqrt, BinaryOp::Multiply, BinaryOp::Add,
                                                        BinaryOp::Add, BinaryOp::Multiply, BinaryOp::Divide}),
                          norms, type, {}, eachOf([r](const auto& x) {
                            return x(2) * numerics::larsTrustRatio(std::sqrt(x(0)), std::sqrt(x(1)) / r.divisor, r);
                          }));
  const auto step = [r](const auto& x, int gradient, int weight, int scale) {
    return x(scale) * (x(gradient) / r.divisor + r.decay * x(weight));
  };
  // Joins the steps: decay x w, + g, times the rate, then those of `last`.
  const auto steps = [&](std::initializer_list<decltype(MapStep::op)> last) {
    auto all = mapSteps(type, {BinaryOp::Multiply, BinaryOp::Add, BinaryOp::Multiply});
    for (const MapStep& s : mapSteps(type, last)) all.push_back(s);
    return all;
  };
  if (!velocity.valid())
    return mapInPlace(b, "weights", steps({BinaryOp::Subtract}), {w, g, rate},
                      eachOf([step](const auto& x) { return x(0) - step(x, 1, 0, 2); }));
  mapInPlace(b, "velocity", steps({BinaryOp::Multiply, BinaryOp::Add}), {velocity, g, w, rate},
             eachOf([step, r](const auto& x) { return r.momentum * x(0) + step(x, 1, 2, 3); }));
  if (r.nesterov)
    mapInPlace(b, "weights", steps({BinaryOp::Multiply, BinaryOp::Add, BinaryOp::Subtract}), {w, g, velocity, rate},
               eachOf([step, r](const auto& x) { return x(0) - r.momentum * x(2) - step(x, 1, 0, 3); }));
  else
    mapInPlace(b, "weights", mapSteps(type, {BinaryOp::Subtract}), {w, velocity},
               eachOf([](const auto& x) { return x(0) - x(1); }));
}

} // namespace simcore::ops
