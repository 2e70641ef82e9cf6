// Element-wise nodes: one fused map each.
#include "simcore/model/lowering/lowering_scope.h"
#include "simcore/model/lowering/lowering_support.h"
#include "simcore/model/parameters.h"
#include "simcore/numerics/elementwise.h"

#include <algorithm>
#include <optional>

namespace simcore::model {

using codelets::BinaryOp;
using codelets::CastTo;
using codelets::MapStep;
using codelets::TernaryOp;
using codelets::UnaryOp;
using graph::Tensor;
using numerics::ElementType;

namespace {

using Step = decltype(MapStep::op);

// The steps a codelet for the operator takes; parameters are immediates.
const std::vector<Step>& stepsOf(const std::string& type) {
  static const std::unordered_map<std::string, std::vector<Step>> table{
      {"Abs", {UnaryOp::Absolute}},
      {"Neg", {UnaryOp::Negate}},
      {"Sign", {UnaryOp::Signum}},
      {"Floor", {UnaryOp::Floor}},
      {"Ceil", {UnaryOp::Ceil}},
      {"Round", {UnaryOp::Round}},
      {"Exp", {UnaryOp::Exp}},
      {"Log", {UnaryOp::Log}},
      {"Sqrt", {UnaryOp::Sqrt}},
      {"Reciprocal", {UnaryOp::Inverse}},
      {"Erf", {UnaryOp::Erf}},
      {"Sin", {UnaryOp::Sin}},
      {"Cos", {UnaryOp::Cos}},
      {"Tan", {UnaryOp::Tan}},
      {"Asin", {UnaryOp::Asin}},
      {"Acos", {UnaryOp::Asin, BinaryOp::Subtract}},
      {"Atan", {BinaryOp::Atan2}},
      {"Asinh", {UnaryOp::Square, BinaryOp::Add, UnaryOp::Sqrt, BinaryOp::Add, UnaryOp::Log}},
      {"Acosh", {UnaryOp::Square, BinaryOp::Subtract, UnaryOp::Sqrt, BinaryOp::Add, UnaryOp::Log}},
      {"Atanh", {BinaryOp::Add, BinaryOp::Subtract, BinaryOp::Divide, UnaryOp::Log, BinaryOp::Multiply}},
      {"Not", {UnaryOp::LogicalNot}},
      {"IsNaN", {UnaryOp::IsNan}},
      {"IsInf", {UnaryOp::IsInf}},
      {"Relu", {UnaryOp::Relu}},
      {"Sigmoid", {UnaryOp::Sigmoid}},
      {"Tanh", {UnaryOp::Tanh}},
      {"Gelu", {UnaryOp::GeluErf}},
      {"Softplus", {UnaryOp::Exp, UnaryOp::Log1p}},
      {"Swish", {UnaryOp::Sigmoid, BinaryOp::Multiply}},
      {"Softsign", {UnaryOp::Absolute, BinaryOp::Add, BinaryOp::Divide}},
      {"Sinh", {UnaryOp::Exp, UnaryOp::Inverse, BinaryOp::Subtract, BinaryOp::Multiply}},
      {"Cosh", {UnaryOp::Exp, UnaryOp::Inverse, BinaryOp::Add, BinaryOp::Multiply}},
      {"HardSigmoid", {BinaryOp::Multiply, BinaryOp::Add, TernaryOp::Clamp}},
      {"HardSwish", {BinaryOp::Multiply, BinaryOp::Add, TernaryOp::Clamp, BinaryOp::Multiply}},
      {"Mish", {UnaryOp::Exp, UnaryOp::Log1p, UnaryOp::Tanh, BinaryOp::Multiply}},
      {"LeakyRelu", {BinaryOp::Multiply, BinaryOp::Maximum}},
      {"Elu", {UnaryOp::Expm1, BinaryOp::Multiply, TernaryOp::Select}},
      {"Celu", {BinaryOp::Multiply, UnaryOp::Expm1, BinaryOp::Multiply, TernaryOp::Select}},
      {"Selu", {UnaryOp::Expm1, BinaryOp::Multiply, TernaryOp::Select, BinaryOp::Multiply}},
      {"ThresholdedRelu", {BinaryOp::Greater, TernaryOp::Select}},
      {"Shrink", {BinaryOp::Greater, BinaryOp::Subtract, TernaryOp::Select}},
      {"Clip", {TernaryOp::Clamp}},
      {"Add", {BinaryOp::Add}},
      {"Sub", {BinaryOp::Subtract}},
      {"Mul", {BinaryOp::Multiply}},
      {"Div", {BinaryOp::Divide}},
      {"Pow", {BinaryOp::Power}},
      {"Mod", {BinaryOp::Remainder}},
      {"Min", {BinaryOp::Minimum}},
      {"Max", {BinaryOp::Maximum}},
      {"Sum", {BinaryOp::Add}},
      {"Mean", {BinaryOp::Add}},
      {"And", {BinaryOp::LogicalAnd}},
      {"Or", {BinaryOp::LogicalOr}},
      {"Xor", {BinaryOp::NotEqual}},
      {"Equal", {BinaryOp::Equal}},
      {"Less", {BinaryOp::Less}},
      {"LessOrEqual", {BinaryOp::LessEqual}},
      {"Greater", {BinaryOp::Greater}},
      {"GreaterOrEqual", {BinaryOp::GreaterEqual}},
      {"BitShift", {BinaryOp::ShiftLeft}},
      {"PRelu", {BinaryOp::Multiply, TernaryOp::Select}},
      {"Where", {TernaryOp::Select}}};
  return table.at(type);
}

bool isActivation(const std::string& type) { return type == "Relu" || type == "Sigmoid" || type == "Tanh"; }

codelets::NonLinearity nonLinearityOf(const std::string& type) {
  if (type == "Relu") return codelets::NonLinearity::Relu;
  return type == "Sigmoid" ? codelets::NonLinearity::Sigmoid : codelets::NonLinearity::Tanh;
}

// Limits that are computed come as one for each element.
ops::HostKernel clipping(const NodeLowering& n, const std::vector<std::size_t>& positions) {
  std::optional<numerics::HostTensor> known[2];
  bool given[2] = {false, false};
  for (std::size_t i = 0; i < 2; ++i) {
    given[i] = std::find(positions.begin(), positions.end(), i + 1) != positions.end();
    if (!given[i] && n.has(i + 1)) known[i] = n.call().value(i + 1);
  }
  return partKernel(n, [=](const std::vector<numerics::HostTensor>& in) {
    numerics::HostTensor y = in[0];
    std::size_t next = 1;
    for (std::size_t i = 0; i < 2; ++i) {
      if (!given[i] && !known[i]) continue;
      const numerics::HostTensor limit = given[i] ? in[next++] : known[i]->reshaped({});
      y = numerics::binary(i == 0 ? numerics::BinaryKind::Max : numerics::BinaryKind::Min, y, limit.cast(y.type()));
    }
    return y;
  });
}

void lowerMap(NodeLowering& n) {
  const std::string& type = n.node().opType;
  const bool isVariadic = type == "Min" || type == "Max" || type == "Sum" || type == "Mean";
  std::vector<Tensor> inputs;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i)
    if (n.has(i) && !n.isImmediate(i)) positions.push_back(i);
  const bool firstIsConstant = n.isImmediate(0);
  if (positions.empty() || (type == "Clip" && firstIsConstant)) positions.insert(positions.begin(), 0);
  for (const std::size_t i : positions) inputs.push_back(n.input(i));
  if (n.node().attributes.has("broadcast") && positions.back() == 1)
    inputs.back() = inputs.back().reshape(alignedShape(n.call()));
  const ops::OpBuilder& builder = n.parts();
  const ops::HostKernel kernel = type == "Clip" && positions.size() > 1 ? clipping(n, positions) : n.own(positions);
  const ElementType elements = inputs.back().elementType();
  if (isActivation(type) && numerics::isFloating(elements) && !firstIsConstant && n.mayOverwrite(0)) {
    ops::nonLinearityInPlace(builder, nonLinearityOf(type), inputs[0], kernel);
    return n.give(inputs[0]);
  }
  std::vector<MapStep> steps;
  const std::size_t repeats = isVariadic ? std::max<std::size_t>(1, n.call().inputCount() - 1) : 1;
  for (std::size_t i = 0; i < repeats; ++i)
    for (const Step& step : stepsOf(type)) steps.push_back({step, elements});
  if (type == "Mean") steps.push_back({BinaryOp::Multiply, elements});
  if (type == "Pow" && n.isImmediate(1) && n.call().value(1).at(0) == 2) steps = {{UnaryOp::Square, elements}};
  if (inputs[0].numElements() == numerics::elementCount(n.outputShape()) && n.mayOverwrite(0) && !firstIsConstant) {
    ops::mapInPlace(builder, type, steps, inputs, kernel);
    return n.give(inputs[0]);
  }
  n.give(ops::map(builder, type, steps, inputs, n.outputType(), n.outputShape(), kernel));
}

void lowerCast(NodeLowering& n) {
  const Tensor x = n.input(0);
  // Types that are the same on the machine (int64 and int32, float and double) need no step, but keep their own numbers.
  if (x.elementType() == n.outputType()) return n.giveView(x);
  const auto kernel = ops::oneResult(
      [to = n.scope().type(n.node().outputs[0]).type](const std::vector<numerics::HostTensor>& in) { return in[0].cast(to); });
  n.give(ops::map(n.parts(), "Cast", {{CastTo{n.outputType()}, x.elementType()}}, {x}, n.outputType(), n.outputShape(),
                  n.byVertices() ? kernel : ops::HostKernel{}));
}

constexpr LoweringEntry kElementwiseLowerings[] = {
    {"Abs", lowerMap},
    {"Neg", lowerMap},
    {"Sign", lowerMap},
    {"Floor", lowerMap},
    {"Ceil", lowerMap},
    {"Round", lowerMap},
    {"Exp", lowerMap},
    {"Log", lowerMap},
    {"Sqrt", lowerMap},
    {"Reciprocal", lowerMap},
    {"Erf", lowerMap},
    {"Sin", lowerMap},
    {"Cos", lowerMap},
    {"Tan", lowerMap},
    {"Asin", lowerMap},
    {"Acos", lowerMap},
    {"Atan", lowerMap},
    {"Asinh", lowerMap},
    {"Acosh", lowerMap},
    {"Atanh", lowerMap},
    {"Sinh", lowerMap},
    {"Cosh", lowerMap},
    {"Not", lowerMap},
    {"IsNaN", lowerMap},
    {"IsInf", lowerMap},
    {"Relu", lowerMap},
    {"Sigmoid", lowerMap},
    {"Tanh", lowerMap},
    {"Gelu", lowerMap},
    {"Softplus", lowerMap},
    {"Softsign", lowerMap},
    {"HardSigmoid", lowerMap},
    {"HardSwish", lowerMap},
    {"Mish", lowerMap},
    {"LeakyRelu", lowerMap},
    {"Elu", lowerMap},
    {"Celu", lowerMap},
    {"Selu", lowerMap},
    {"ThresholdedRelu", lowerMap},
    {"Shrink", lowerMap},
    {"Clip", lowerMap},
    {"Add", lowerMap},
    {"Sub", lowerMap},
    {"Mul", lowerMap},
    {"Div", lowerMap},
    {"Pow", lowerMap},
    {"Mod", lowerMap},
    {"Min", lowerMap},
    {"Max", lowerMap},
    {"Sum", lowerMap},
    {"Mean", lowerMap},
    {"And", lowerMap},
    {"Or", lowerMap},
    {"Xor", lowerMap},
    {"Equal", lowerMap},
    {"Less", lowerMap},
    {"LessOrEqual", lowerMap},
    {"Greater", lowerMap},
    {"GreaterOrEqual", lowerMap},
    {"BitShift", lowerMap},
    {"PRelu", lowerMap},
    {"Where", lowerMap},
    {"Cast", lowerCast},
    {"CastLike", lowerCast},
};

} // namespace

std::vector<MapStep> elementwiseSteps(const std::string& type, ElementType elements) {
  std::vector<MapStep> steps;
  for (const Step& step : stepsOf(type)) steps.push_back({step, elements});
  return steps;
}

std::span<const LoweringEntry> elementwiseLowerings() { return kElementwiseLowerings; }

} // namespace simcore::model
