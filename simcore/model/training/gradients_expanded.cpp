// Gradients of operators that are a few others: the others are written down and differentiated. Where a closed form is
// shorter, it is that.
#include "simcore/model/parameters.h"
#include "simcore/model/training/gradient.h"

#include <algorithm>
#include <cmath>

namespace simcore::model {

using numerics::HostTensor;
using numerics::Shape;

namespace {

// Values of a call in formulas: a constant becomes one of the input's type.
class Formula {
public:
  explicit Formula(const GradientCall& call) : m_call(call), m_graph(call.graph()) {}

  std::string operator()(const char* op, const std::string& a) const { return m_graph.add(op, {a}); }
  std::string operator()(const char* op, const std::string& a, const std::string& b) const { return m_graph.add(op, {a, b}); }
  std::string operator()(const char* op, const std::string& a, double b) const { return m_graph.add(op, {a, number(b)}); }
  std::string operator()(const char* op, double a, const std::string& b) const { return m_graph.add(op, {number(a), b}); }
  std::string where(const std::string& condition, const std::string& yes, const std::string& no) const {
    return m_graph.add("Where", {condition, yes, no});
  }
  std::string number(double value) const { return m_graph.number(value, m_call.elementType()); }

private:
  const GradientCall& m_call;
  GraphBuilder& m_graph;
};

double attribute(const GradientCall& c, const char* name, double standard) {
  return double(c.call().attributes().real(name, float(standard)));
}

void softsign(const GradientCall& c) {
  const Formula f(c);
  c.through([&] { return std::vector{f("Div", c.input(0), f("Add", f("Abs", c.input(0)), 1))}; });
}
void mish(const GradientCall& c) {
  const Formula f(c);
  c.through([&] { return std::vector{f("Mul", c.input(0), f("Tanh", f("Softplus", c.input(0))))}; });
}
void swish(const GradientCall& c) {
  const Formula f(c);
  c.through([&] { return std::vector{f("Mul", c.input(0), f("Sigmoid", c.input(0)))}; });
}
// The exponential only sees what is below zero, so that nothing overflows.
void scaledExponential(const GradientCall& c) {
  const Formula f(c);
  const bool isCelu = c.node().opType == "Celu";
  const double alpha = attribute(c, "alpha", isCelu ? 1 : 1.67326319217681884765625),
               gamma = isCelu ? 1 : attribute(c, "gamma", 1.05070102214813232421875), width = isCelu ? alpha : 1;
  c.through([&] {
    const std::string below = f("Sub", f("Exp", f("Mul", f("Min", c.input(0), 0), 1 / width)), 1);
    return std::vector{f("Mul", f("Add", f("Max", c.input(0), 0), f("Mul", below, alpha)), gamma)};
  });
}
void thresholdedRelu(const GradientCall& c) {
  const Formula f(c);
  const std::string above = f("Greater", c.input(0), attribute(c, "alpha", 1));
  c.give(0, f.where(above, c.gradient(), f.number(0)));
}
void shrink(const GradientCall& c) {
  const Formula f(c);
  const std::string outside = f("Greater", f("Abs", c.input(0)), attribute(c, "lambd", 0.5));
  c.give(0, f.where(outside, c.gradient(), f.number(0)));
}
void tangent(const GradientCall& c) {
  const Formula f(c);
  c.give(0, f("Mul", c.gradient(), f("Add", f("Mul", c.output(), c.output()), 1)));
}
void hyperbolic(const GradientCall& c) { // sinh' = cosh, cosh' = sinh
  const Formula f(c);
  c.give(0, f("Mul", c.gradient(), f(c.node().opType == "Sinh" ? "Cosh" : "Sinh", c.input(0))));
}
// 1 / sqrt(sign x^2 + constant), or without the root.
template<int sign, int constant, bool root, int factor = 1> void inverseFunction(const GradientCall& c) {
  const Formula f(c);
  const std::string square = f("Mul", c.input(0), c.input(0));
  const std::string inside = sign > 0 ? f("Add", square, constant) : f("Sub", double(constant), square);
  const std::string slope = f("Div", c.gradient(), root ? f("Sqrt", inside) : inside);
  c.give(0, factor < 0 ? f("Neg", slope) : slope);
}

// A remainder moves with its dividend; the divisor counts as often as it went in.
void remainder(const GradientCall& c) {
  const Formula f(c);
  if (c.wants(0)) c.give(0, c.graph().reduceTo(c.gradient(), c.call().shape(0)));
  if (!c.wants(1)) return;
  const std::string times = f("Div", f("Sub", c.output(), c.input(0)), c.input(1));
  c.give(1, c.graph().reduceTo(f("Mul", c.gradient(), times), c.call().shape(1)));
}

void cumulativeSum(const GradientCall& c) { // the sum of all later gradients
  Attributes a = c.call().attributes();
  a.set("reverse", std::int64_t(a.integer("reverse", 0) == 0));
  c.give(0, c.graph().add("CumSum", {c.gradient(), c.input(1)}, a));
}
void triangle(const GradientCall& c) {
  std::vector<std::string> inputs = c.node().inputs;
  inputs[0] = c.gradient();
  c.give(0, c.graph().add("Trilu", inputs, c.call().attributes()));
}

void topValues(const GradientCall& c) {
  if (c.gradient(0).empty()) return;
  const std::size_t axis = axisOf(c.call(), -1, c.call().shape(0).size());
  c.through([&] {
    Node again = c.node(); // opset and attributes as they are
    again.outputs = {"", c.node().outputs[0] + "/places"};
    const std::string places = c.graph().append(again)[1];
    return std::vector{c.graph().add("GatherElements", {c.input(0), places}, attributes({{"axis", std::int64_t(axis)}}))};
  });
}

void reducedProduct(const GradientCall& c) { // y / x, where no factor is zero
  const Formula f(c);
  const ReduceParameters p = reduceParameters(c.call());
  const Shape kept = numerics::reducedShape(c.call().shape(0), p.axes, true);
  const std::string scaled = f("Mul", c.graph().reshape(c.gradient(), kept), c.graph().reshape(c.output(), kept));
  c.give(0, f("Div", scaled, c.input(0)));
}
void logSum(const GradientCall& c) {
  const Formula f(c);
  const Shape kept = numerics::reducedShape(c.call().shape(0), reduceParameters(c.call()).axes, true);
  const std::string sums = f("Exp", c.graph().reshape(c.output(), kept));
  c.give(0, c.graph().expand(f("Div", c.graph().reshape(c.gradient(), kept), sums), c.call().shape(0)));
}

std::vector<std::int64_t> wide(const std::vector<std::size_t>& axes) { return {axes.begin(), axes.end()}; }

void unitNorm(const GradientCall& c) {
  const Formula f(c);
  const std::vector<std::int64_t> axis{std::int64_t(axisOf(c.call(), -1, c.call().shape(0).size()))};
  const char* norm = c.call().attributes().integer("p", 2) == 1 ? "ReduceL1" : "ReduceL2";
  c.through([&] { return std::vector{f("Div", c.input(0), c.graph().reduce(norm, c.input(0), axis, true))}; });
}

void meanVariance(const GradientCall& c) {
  const Formula f(c);
  std::vector<std::int64_t> axes = c.call().attributes().integers("axes");
  if (axes.empty()) axes = {0, 2, 3};
  axes = wide(numerics::normaliseAxes(axes, c.call().shape(0).size(), false));
  c.through([&] {
    const std::string centred = f("Sub", c.input(0), c.graph().reduce("ReduceMean", c.input(0), axes, true));
    const std::string variance = c.graph().reduce("ReduceMean", f("Mul", centred, centred), axes, true);
    return std::vector{f("Div", centred, f("Add", f("Sqrt", variance), 1e-9))};
  });
}

// x / (bias + alpha / size * sum of squares of the neighbouring channels)^beta
void localResponse(const GradientCall& c) {
  const Formula f(c);
  const std::int64_t size = c.call().attributes().requiredInteger("size"), channels = c.call().shape(0)[1];
  const double scale = attribute(c, "alpha", 1e-4) / double(size);
  c.through([&] {
    std::vector<std::int64_t> pads(2 * c.call().shape(0).size(), 0);
    pads[1] = (size - 1) / 2;
    pads[1 + c.call().shape(0).size()] = size - 1 - pads[1];
    const std::string squares = c.graph().add("Pad", {f("Mul", c.input(0), c.input(0)), c.graph().integers(pads)});
    std::string sum;
    for (std::int64_t i = 0; i < size; ++i) {
      const std::string part =
          c.graph().add("Slice", {squares, c.graph().integers({i}), c.graph().integers({i + channels}), c.graph().integers({1})});
      sum = sum.empty() ? part : f("Add", sum, part);
    }
    const std::string base = f("Add", f("Mul", sum, scale), attribute(c, "bias", 1));
    return std::vector{f("Mul", c.input(0), f("Pow", base, -attribute(c, "beta", 0.75)))};
  });
}

constexpr GradientEntry kExpandedGradients[] = {
    {"Softsign", softsign},
    {"Mish", mish},
    {"Swish", swish},
    {"Celu", scaledExponential},
    {"Selu", scaledExponential},
    {"ThresholdedRelu", thresholdedRelu},
    {"Shrink", shrink},
    {"Tan", tangent},
    {"Sinh", hyperbolic},
    {"Cosh", hyperbolic},
    {"Asin", inverseFunction<-1, 1, true>},
    {"Acos", inverseFunction<-1, 1, true, -1>},
    {"Atan", inverseFunction<1, 1, false>},
    {"Asinh", inverseFunction<1, 1, true>},
    {"Acosh", inverseFunction<1, -1, true>},
    {"Atanh", inverseFunction<-1, 1, false>},
    {"Mod", remainder},
    {"CumSum", cumulativeSum},
    {"Trilu", triangle},
    {"TopK", topValues},
    {"ReduceProd", reducedProduct},
    {"ReduceLogSum", logSum},
    {"LpNormalization", unitNorm},
    {"MeanVarianceNormalization", meanVariance},
    {"LRN", localResponse},
};

} // namespace

std::span<const GradientEntry> expandedGradients() { return kExpandedGradients; }

} // namespace simcore::model
