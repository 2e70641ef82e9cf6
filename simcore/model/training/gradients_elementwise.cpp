// Gradients of arithmetic and activations.
#include "simcore/model/training/gradient.h"

#include <cmath>

namespace simcore::model {

using numerics::ElementType;
using numerics::HostTensor;

namespace {

// A broadcast operand gets the sum over what it was repeated to.
void giveReduced(const GradientCall& c, std::size_t i, const std::string& gradient) {
  if (c.wants(i)) c.give(i, c.graph().reduceTo(gradient, c.call().shape(i)));
}
void requireNewBroadcast(const GradientCall& c) {
  if (c.node().opset < 7 && c.call().attributes().has("axis")) c.fail("broadcasts along an axis (before opset 7)");
}

std::string mul(const GradientCall& c, const std::string& a, const std::string& b) { return c.graph().add("Mul", {a, b}); }
std::string div(const GradientCall& c, const std::string& a, const std::string& b) { return c.graph().add("Div", {a, b}); }
std::string constant(const GradientCall& c, double value) { return c.graph().number(value, c.elementType()); }
std::string plus(const GradientCall& c, const std::string& a, double value) {
  return c.graph().add("Add", {a, constant(c, value)});
}
std::string negated(const GradientCall& c, const std::string& a) { return c.graph().add("Neg", {a}); }
// `gradient` where the condition holds, else 0.
std::string masked(const GradientCall& c, const std::string& condition, const std::string& gradient) {
  return c.graph().add("Where", {condition, gradient, constant(c, 0)});
}

void addition(const GradientCall& c) {
  requireNewBroadcast(c);
  for (std::size_t i = 0; i < c.node().inputs.size(); ++i) giveReduced(c, i, c.gradient());
}
void mean(const GradientCall& c) {
  const std::string share = c.graph().scaled(c.gradient(), 1.0 / double(c.node().inputs.size()));
  for (std::size_t i = 0; i < c.node().inputs.size(); ++i) giveReduced(c, i, share);
}
void subtraction(const GradientCall& c) {
  requireNewBroadcast(c);
  giveReduced(c, 0, c.gradient());
  if (c.wants(1)) giveReduced(c, 1, negated(c, c.gradient()));
}
void product(const GradientCall& c) {
  requireNewBroadcast(c);
  for (std::size_t i = 0; i < 2; ++i)
    if (c.wants(i)) giveReduced(c, i, mul(c, c.gradient(), c.input(1 - i)));
}
void quotient(const GradientCall& c) {
  requireNewBroadcast(c);
  if (!c.wants(0) && !c.wants(1)) return;
  const std::string scaled = div(c, c.gradient(), c.input(1));
  giveReduced(c, 0, scaled);
  if (c.wants(1)) giveReduced(c, 1, negated(c, mul(c, scaled, c.output())));
}
void power(const GradientCall& c) {
  requireNewBroadcast(c);
  const std::string &x = c.input(0), &exponent = c.input(1);
  if (c.wants(0)) {
    std::string slope;
    if (c.call().isKnown(1) && c.call().value(1).count() == 1) {
      const double e = c.call().value(1).at(0);
      slope = e == 2 ? x : c.graph().add("Pow", {x, constant(c, e - 1)});
      slope = c.graph().scaled(slope, e);
    } else {
      if (c.call().elementType(1) != c.elementType()) c.fail("base and exponent have different types");
      slope = mul(c, exponent, c.graph().add("Pow", {x, plus(c, exponent, -1)}));
    }
    giveReduced(c, 0, mul(c, c.gradient(), slope));
  }
  if (c.wants(1)) giveReduced(c, 1, mul(c, c.gradient(), mul(c, c.output(), c.graph().add("Log", {x}))));
}
// Max and Min: to the operands that are the result; on a tie to all of them.
void extremum(const GradientCall& c) {
  for (std::size_t i = 0; i < c.node().inputs.size(); ++i)
    if (c.wants(i)) giveReduced(c, i, masked(c, c.graph().add("Equal", {c.input(i), c.output()}), c.gradient()));
}
void where(const GradientCall& c) {
  const std::string zero = c.graph().number(0, c.call().elementType(1));
  if (c.wants(1)) giveReduced(c, 1, c.graph().add("Where", {c.input(0), c.gradient(), zero}));
  if (c.wants(2)) giveReduced(c, 2, c.graph().add("Where", {c.input(0), zero, c.gradient()}));
}
void identity(const GradientCall& c) { c.give(0, c.gradient()); }
void castBack(const GradientCall& c) {
  if (!c.wants(0)) return;
  static const std::map<ElementType, std::int64_t> numbers{
      {ElementType::Float, 1}, {ElementType::Half, 10}, {ElementType::Double, 11}, {ElementType::BFloat16, 16}};
  c.give(0, c.graph().add("Cast", {c.gradient()}, attributes({{"to", numbers.at(c.elementType())}})));
}
// Constant in steps: nothing flows back.
void flat(const GradientCall&) {}

void negation(const GradientCall& c) { c.give(0, negated(c, c.gradient())); }
void absolute(const GradientCall& c) { c.give(0, mul(c, c.gradient(), c.graph().add("Sign", {c.input(0)}))); }
void exponential(const GradientCall& c) { c.give(0, mul(c, c.gradient(), c.output())); }
void logarithm(const GradientCall& c) { c.give(0, div(c, c.gradient(), c.input(0))); }
void squareRoot(const GradientCall& c) { c.give(0, c.graph().scaled(div(c, c.gradient(), c.output()), 0.5)); }
void reciprocal(const GradientCall& c) { c.give(0, negated(c, mul(c, c.gradient(), mul(c, c.output(), c.output())))); }
void sine(const GradientCall& c) { c.give(0, mul(c, c.gradient(), c.graph().add("Cos", {c.input(0)}))); }
void cosine(const GradientCall& c) { c.give(0, negated(c, mul(c, c.gradient(), c.graph().add("Sin", {c.input(0)})))); }
void errorFunction(const GradientCall& c) {
  // 2 / sqrt(pi) e^(-x^2)
  const std::string bell = c.graph().add("Exp", {negated(c, mul(c, c.input(0), c.input(0)))});
  c.give(0, mul(c, c.gradient(), c.graph().scaled(bell, 2 / std::sqrt(M_PI))));
}
void softplus(const GradientCall& c) { c.give(0, mul(c, c.gradient(), c.graph().add("Sigmoid", {c.input(0)}))); }

// Activations with a codelet for their gradient, which reads the output (gelu: the input).
void nonLinearity(const GradientCall& c) {
  const std::string& type = c.node().opType;
  std::string kind = type;
  if (type == "Gelu") kind = c.call().attributes().text("approximate", "none") == "tanh" ? "GeluTanh" : "Gelu";
  c.give(0, c.graph().addOwn("NonLinearityGrad", {c.gradient(), type == "Gelu" ? c.input(0) : c.output()},
                             attributes({{"kind", kind}})));
}

std::string isPositive(const GradientCall& c) { return c.graph().add("Greater", {c.input(0), constant(c, 0)}); }
void leakyRelu(const GradientCall& c) {
  const double alpha = double(c.call().attributes().real("alpha", 0.01f));
  c.give(0, c.graph().add("Where", {isPositive(c), c.gradient(), c.graph().scaled(c.gradient(), alpha)}));
}
void elu(const GradientCall& c) {
  // Below zero y + alpha is the slope.
  const double alpha = double(c.call().attributes().real("alpha", 1.0f));
  c.give(0, c.graph().add("Where", {isPositive(c), c.gradient(), mul(c, c.gradient(), plus(c, c.output(), alpha))}));
}
void pRelu(const GradientCall& c) {
  const std::string positive = isPositive(c);
  if (c.wants(0)) c.give(0, c.graph().add("Where", {positive, c.gradient(), mul(c, c.gradient(), c.input(1))}));
  if (c.wants(1)) giveReduced(c, 1, c.graph().add("Where", {positive, constant(c, 0), mul(c, c.gradient(), c.input(0))}));
}
// Where the limits did not bite, input and output are equal.
void clip(const GradientCall& c) { c.give(0, masked(c, c.graph().add("Equal", {c.input(0), c.output()}), c.gradient())); }
void hardSigmoid(const GradientCall& c) {
  const double alpha = double(c.call().attributes().real("alpha", 0.2f));
  const std::string inside = c.graph().add(
      "And", {c.graph().add("Greater", {c.output(), constant(c, 0)}), c.graph().add("Less", {c.output(), constant(c, 1)})});
  c.give(0, masked(c, inside, c.graph().scaled(c.gradient(), alpha)));
}
void hardSwish(const GradientCall& c) {
  // (2x + 3) / 6 between -3 and 3, 0 below, 1 above.
  const std::string middle = mul(c, c.gradient(), plus(c, c.graph().scaled(c.input(0), 1.0 / 3), 0.5));
  const std::string above = c.graph().add("Where", {c.graph().add("Less", {c.input(0), constant(c, 3)}), middle, c.gradient()});
  c.give(0, masked(c, c.graph().add("Greater", {c.input(0), constant(c, -3)}), above));
}

constexpr GradientEntry kElementwiseGradients[] = {
    {"Add", addition},
    {"Sum", addition},
    {"Mean", mean},
    {"Sub", subtraction},
    {"Mul", product},
    {"Div", quotient},
    {"Pow", power},
    {"Max", extremum},
    {"Min", extremum},
    {"Where", where},
    {"Identity", identity},
    {"Cast", castBack},
    {"Floor", flat},
    {"Ceil", flat},
    {"Round", flat},
    {"Sign", flat},
    {"Neg", negation},
    {"Abs", absolute},
    {"Exp", exponential},
    {"Log", logarithm},
    {"Sqrt", squareRoot},
    {"Reciprocal", reciprocal},
    {"Sin", sine},
    {"Cos", cosine},
    {"Erf", errorFunction},
    {"Softplus", softplus},
    {"Relu", nonLinearity},
    {"Sigmoid", nonLinearity},
    {"Tanh", nonLinearity},
    {"Gelu", nonLinearity},
    {"LeakyRelu", leakyRelu},
    {"Elu", elu},
    {"PRelu", pRelu},
    {"Clip", clip},
    {"HardSigmoid", hardSigmoid},
    {"HardSwish", hardSwish},
};

} // namespace

std::span<const GradientEntry> elementwiseGradients() { return kElementwiseGradients; }

} // namespace simcore::model
