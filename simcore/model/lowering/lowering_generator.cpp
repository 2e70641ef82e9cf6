// Random numbers, by the generators of the tiles that hold them (ops/random.h).
#include "simcore/model/lowering/node_lowering.h"
#include "simcore/model/parameters.h"
#include "simcore/numerics/elementwise.h"

namespace simcore::model {

using codelets::BinaryOp;
using codelets::CastTo;
using codelets::MapStep;
using codelets::RandomKind;
using graph::Tensor;
using numerics::ElementType;

namespace {

// A tensor of random numbers that lies like `like`, or evenly if there is none that the run computes.
Tensor drawn(NodeLowering& n, ElementType type, const ops::RandomNumbers& numbers, const std::optional<Tensor>& like = {}) {
  const ops::OpBuilder& b = n.placed();
  const bool follows = like && like->wholeVariable().valid();
  const Tensor x = b.output(type, n.outputShape(), "random",
                            follows ? b.layoutOf(*like) : b.linear(numerics::elementCount(n.outputShape()), type));
  ops::fillRandom(b, x, numbers, randomSeed(n.call()));
  return x;
}

// What has the shape of an input is computed with it next, so it lies like it.
std::optional<Tensor> likeInput(NodeLowering& n) {
  if (n.call().inputCount() == 0 || n.call().isKnown(0)) return {};
  return n.input(0);
}

void lowerNormal(NodeLowering& n) {
  ops::RandomNumbers numbers;
  numbers.kind = RandomKind::Normal;
  numbers.mean = double(n.call().attributes().real("mean", 0));
  numbers.deviation = double(n.call().attributes().real("scale", 1));
  n.give(drawn(n, n.outputType(), numbers, likeInput(n)));
}

void lowerUniform(NodeLowering& n) {
  ops::RandomNumbers numbers;
  numbers.low = double(n.call().attributes().real("low", 0));
  numbers.high = double(n.call().attributes().real("high", 1));
  n.give(drawn(n, n.outputType(), numbers, likeInput(n)));
}

// A chance for each element, so no codelet of the generator: uniform floats, always below one, and a comparison.
void lowerBernoulli(NodeLowering& n) {
  ops::RandomNumbers numbers;
  numbers.low = 0;
  numbers.high = 1 - 0x1p-24;
  const Tensor chances = n.input(0), u = drawn(n, ElementType::Float, numbers, chances);
  const ElementType to = n.outputType();
  std::vector<MapStep> steps{{BinaryOp::Less, ElementType::Float}, {CastTo{to}, ElementType::Bool}};
  if (chances.elementType() != ElementType::Float)
    steps.insert(steps.begin(), {CastTo{ElementType::Float}, chances.elementType()});
  n.give(ops::map(n.placed(), "bernoulli", steps, {u, chances}, to, n.outputShape(),
                  ops::oneResult([to](const std::vector<numerics::HostTensor>& in) {
                    return numerics::binary(numerics::BinaryKind::Less, in[0], in[1].cast(in[0].type())).cast(to);
                  })));
}

constexpr LoweringEntry kGeneratorLowerings[] = {
    {"RandomNormal", lowerNormal},       {"RandomNormalLike", lowerNormal}, {"RandomUniform", lowerUniform},
    {"RandomUniformLike", lowerUniform}, {"Bernoulli", lowerBernoulli},
};

} // namespace

std::span<const LoweringEntry> generatorLowerings() { return kGeneratorLowerings; }

} // namespace simcore::model
