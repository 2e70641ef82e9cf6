// Element-wise functions: arithmetic, comparisons, logic, activations. One line of kFunctions defines a function completely. This
// file has over 500 lines because all functions are defined in it.
#include "simcore/model/operators/family.h"

#include <cmath>
#include <functional>
#include <unordered_map>

namespace simcore::model {

using codelets::CastTo;
using codelets::NonLinearity;
using codelets::TernaryOp;

namespace {

// ---- types -------------------------------------------------------------------------------------------------------------------

// Refuses inputs that an operator does not have: a third input of Relu, for example, is a mistake in the file.
void requireNoMoreInputs(const Call& call, std::size_t most) {
  for (std::size_t i = most; i < call.inputCount(); ++i)
    if (call.has(i))
      refuseNode(call.node().opType + " has " + std::to_string(most) + (most == 1 ? " input" : " inputs") + ", not " +
                 std::to_string(call.inputCount()));
}

// Before opset 7 the second operand aligned with the first at an axis instead of the end.
Shape alignedShape(const Call& call) {
  const Shape& right = call.shape(1);
  if (call.opset() >= 7 || !call.attributes().integer("broadcast", 0) || !call.attributes().has("axis")) return right;
  const std::size_t rank = call.shape(0).size();
  const std::size_t axis = numerics::normaliseAxis(call.attributes().integer("axis", 0), rank);
  Shape shape = right;
  if (axis + right.size() < rank) shape.insert(shape.end(), rank - axis - right.size(), 1);
  return shape;
}

Types inferUnary(const Call& call) {
  requireNoMoreInputs(call, 1);
  return inferSame(call);
}
Types inferTest(const Call& call) { return {{ElementType::Bool, call.shape(0)}}; }
Types inferBinary(const Call& call) {
  requireNoMoreInputs(call, 2);
  return {{call.elementType(0), numerics::broadcast(call.shape(0), alignedShape(call))}};
}
Types inferComparison(const Call& call) { return {{ElementType::Bool, inferBinary(call)[0].shape}}; }
Types inferVariadic(const Call& call) {
  Shape shape = call.shape(0);
  for (std::size_t i = 1; i < call.inputCount(); ++i) shape = numerics::broadcast(shape, call.shape(i));
  return {{call.elementType(0), shape}};
}
Types inferWhere(const Call& call) {
  return {{call.elementType(1), numerics::broadcast(call.shape(0), numerics::broadcast(call.shape(1), call.shape(2)))}};
}
Types inferCast(const Call& call) { return {{elementTypeOf(call, call.attributes().requiredInteger("to")), call.shape(0)}}; }
Types inferCastLike(const Call& call) { return {{call.elementType(1), call.shape(0)}}; }

// ---- numbers -----------------------------------------------------------------------------------------------------------------

constexpr float kSeluAlpha = 1.67326319217681884765625f, kSeluGamma = 1.05070102214813232421875f;

template<UnaryKind kind> Tensors unary(const Call& call) { return {numerics::unary(kind, call.value(0))}; }
// Functions with one or two parameters, which are the attributes with these names.
template<UnaryKind kind>
Tensors unary(const Call& call, const char* alpha, float first, const char* beta = "", float second = 0) {
  return {numerics::unary(kind, call.value(0), real(call, alpha, first), *beta ? real(call, beta, second) : 0)};
}
template<BinaryKind kind> Tensors binary(const Call& call) {
  return {numerics::binary(kind, call.value(0), call.value(1).reshaped(alignedShape(call)))};
}
template<BinaryKind kind> Tensors variadic(const Call& call) {
  HostTensor result = call.value(0);
  for (std::size_t i = 1; i < call.inputCount(); ++i) result = numerics::binary(kind, result, call.value(i));
  return {result};
}
Tensors mean(const Call& call) {
  const HostTensor sum = variadic<BinaryKind::Add>(call)[0];
  return {numerics::binary(BinaryKind::Div, sum, HostTensor::full(sum.type(), {}, double(call.inputCount())))};
}
Tensors modulo(const Call& call) {
  return call.attributes().integer("fmod", 0) ? binary<BinaryKind::Fmod>(call) : binary<BinaryKind::Mod>(call);
}
Tensors bitShift(const Call& call) {
  return call.attributes().text("direction", "") == "RIGHT" ? binary<BinaryKind::BitShiftRight>(call)
                                                            : binary<BinaryKind::BitShiftLeft>(call);
}
Tensors bitwiseNot(const Call& call) { // -x - 1, which wraps for unsigned types
  const HostTensor& x = call.value(0);
  return {numerics::binary(BinaryKind::Sub, numerics::unary(UnaryKind::Neg, x), HostTensor::full(x.type(), {}, 1))};
}
template<class Combine> Tensors bitwise(const Call& call, Combine combine) {
  const HostTensor a = numerics::expand(call.value(0), numerics::broadcast(call.shape(0), call.shape(1)));
  const HostTensor b = numerics::expand(call.value(1), a.shape());
  HostTensor result = a;
  const auto combined = [&](auto zero) {
    using T = decltype(zero);
    const auto x = a.values<T>(), y = b.values<T>();
    auto to = result.mutableValues<T>();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = T(combine(x[i], y[i]));
  };
  switch (a.type()) {
  case ElementType::Int8: combined(std::int8_t()); break;
  case ElementType::Int16: combined(std::int16_t()); break;
  case ElementType::Int32: combined(std::int32_t()); break;
  case ElementType::Int64: combined(std::int64_t()); break;
  case ElementType::UInt8: combined(std::uint8_t()); break;
  case ElementType::UInt16: combined(std::uint16_t()); break;
  case ElementType::UInt32: combined(std::uint32_t()); break;
  case ElementType::UInt64: combined(std::uint64_t()); break;
  default: refuseNode("bitwise operations need integers");
  }
  return {result};
}
Tensors bitwiseAnd(const Call& call) { return bitwise(call, std::bit_and()); }
Tensors bitwiseOr(const Call& call) { return bitwise(call, std::bit_or()); }
Tensors bitwiseXor(const Call& call) { return bitwise(call, std::bit_xor()); }
Tensors gelu(const Call& call) {
  return call.attributes().text("approximate", "none") == "tanh" ? unary<UnaryKind::GeluTanh>(call)
                                                                 : unary<UnaryKind::Gelu>(call);
}
Tensors pRelu(const Call& call) {
  // PRelu's slope, one per channel of an image, may lack the trailing dimensions (opset 6).
  const Shape& x = call.shape(0);
  HostTensor slope = call.value(1);
  if (call.opset() < 7 && slope.rank() == 1 && x.size() > 2 && slope.dim(0) == x[1]) {
    Shape shape(x.size() - 1, 1);
    shape[0] = x[1];
    slope = slope.reshaped(shape);
  }
  return {numerics::binary(BinaryKind::PRelu, call.value(0), slope)};
}
Tensors isInf(const Call& call) {
  return {numerics::unary(UnaryKind::IsInf, call.value(0), double(call.attributes().integer("detect_negative", 1)),
                          double(call.attributes().integer("detect_positive", 1)))};
}
Tensors where(const Call& call) { return {numerics::where(call.value(0), call.value(1), call.value(2))}; }
Tensors clip(const Call& call) {
  const HostTensor& x = call.value(0);
  const auto limit = [&](std::size_t i, const char* name) -> std::optional<HostTensor> {
    if (call.has(i)) return call.value(i);
    if (!call.attributes().has(name)) return std::nullopt;
    return HostTensor::full(x.type(), {}, double(call.attributes().real(name, 0)));
  };
  const auto low = limit(1, "min"), high = limit(2, "max");
  return {numerics::clip(x, low ? &*low : nullptr, high ? &*high : nullptr)};
}
// A cast to an 8-bit float saturates, unless the node has saturate = 0 (Cast 19).
bool saturates(const Call& call) { return call.attributes().integer("saturate", 1) != 0; }
HostTensor castOf(bool saturates, const HostTensor& x, ElementType to) { return saturates ? x.cast(to) : x.castUnsaturated(to); }
template<Types (*infer)(const Call&)> Tensors cast(const Call& call) {
  return {castOf(saturates(call), call.value(0), infer(call)[0].type)};
}
Tensors swish(const Call& call) {
  return {numerics::binary(BinaryKind::Mul, call.value(0), numerics::unary(UnaryKind::Sigmoid, call.value(0)))};
}

// Activations with a codelet for their gradient, which reads the output (gelu: the input).
struct NonLinearityRow {
  const char* kind;
  NonLinearity codelet;
  UnaryKind function;
};
constexpr NonLinearityRow kNonLinearities[] = {
    {"Relu", NonLinearity::Relu, UnaryKind::Relu},         {"Sigmoid", NonLinearity::Sigmoid, UnaryKind::Sigmoid},
    {"Tanh", NonLinearity::Tanh, UnaryKind::Tanh},         {"Gelu", NonLinearity::GeluErf, UnaryKind::Gelu},
    {"GeluTanh", NonLinearity::Gelu, UnaryKind::GeluTanh},
};
const NonLinearityRow& nonLinearityOf(const std::string& kind) {
  for (const NonLinearityRow& row : kNonLinearities)
    if (kind == row.kind) return row;
  refuseNode("no activation is called '" + kind + "'");
}
Tensors nonLinearityGrad(const Call& call) {
  return {
      numerics::activationGradient(nonLinearityOf(call.attributes().text("kind", "")).function, call.value(0), call.value(1))};
}

// ---- plan --------------------------------------------------------------------------------------------------------------------

// Clip on cells: a limit computed in the run is an input with one value per element, a known limit is a constant.
ops::HostKernel clipping(const NodeLowering& n, const std::vector<std::size_t>& positions) {
  std::optional<HostTensor> known[2];
  bool given[2] = {false, false};
  for (std::size_t i = 0; i < 2; ++i) {
    given[i] = std::find(positions.begin(), positions.end(), i + 1) != positions.end();
    if (!given[i] && n.has(i + 1)) known[i] = n.call().value(i + 1);
  }
  return partKernel(n, [=](const Tensors& in) {
    HostTensor y = in[0];
    std::size_t next = 1;
    for (std::size_t i = 0; i < 2; ++i) {
      if (!given[i] && !known[i]) continue;
      const HostTensor limit = given[i] ? in[next++] : known[i]->reshaped({});
      y = numerics::binary(i == 0 ? BinaryKind::Max : BinaryKind::Min, y, limit.cast(y.type()));
    }
    return y;
  });
}

// The steps of one node. An operator with any number of operands has a step per operand after the first.
std::vector<MapStep> stepsOf(const NodeLowering& n, ElementType elements) {
  const std::string& type = n.node().opType;
  if (type == "Pow" && n.isImmediate(1)) // as popops does
    for (const auto& [exponent, op] :
         {std::pair{2.0, UnaryOp::Square}, {0.5, UnaryOp::Sqrt}, {-0.5, UnaryOp::Rsqrt}, {-1.0, UnaryOp::Inverse}})
      if (n.call().value(1).at(0) == exponent) return {{op, elements}};
  const std::vector<MapStep> once = elementwiseSteps(type, elements);
  std::vector<MapStep> steps = once;
  if (operatorFor(n.node()).has(kVariadic))
    for (std::size_t i = 2; i < n.call().inputCount(); ++i) steps.insert(steps.end(), once.begin(), once.end());
  if (type == "Mean") steps.push_back({BinaryOp::Multiply, elements});
  return steps;
}

void lowerMap(NodeLowering& n) {
  const std::string& type = n.node().opType;
  std::vector<Tensor> inputs;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i)
    if (n.has(i) && !n.isImmediate(i)) positions.push_back(i);
  const bool firstIsConstant = n.isImmediate(0);
  if (positions.empty() || (type == "Clip" && firstIsConstant)) positions.insert(positions.begin(), 0);
  for (const std::size_t i : positions) inputs.push_back(n.input(i));
  if (n.node().attributes.has("broadcast") && positions.back() == 1)
    inputs.back() = inputs.back().reshape(alignedShape(n.call()));
  const ops::OpBuilder& builder = n.builder();
  const ops::HostKernel kernel = type == "Clip" && positions.size() > 1 ? clipping(n, positions) : n.hostKernel(positions);
  const ElementType elements = inputs.back().elementType();
  if (operatorFor(n.node()).has(kNonLinear) && numerics::isFloating(elements) && !firstIsConstant && n.mayOverwrite(0)) {
    ops::nonLinearityInPlace(builder, nonLinearityOf(type).codelet, inputs[0], kernel);
    return n.give(inputs[0]);
  }
  // The tanh form is popnn's own codelet; the erf form is not vectorised.
  if (type == "Gelu" && n.call().attributes().text("approximate", "none") == "tanh" && numerics::isFloating(elements) &&
      !firstIsConstant) {
    if (!n.mayOverwrite(0)) return n.give(ops::nonLinearity(builder, codelets::NonLinearity::Gelu, inputs[0], kernel));
    ops::nonLinearityInPlace(builder, codelets::NonLinearity::Gelu, inputs[0], kernel);
    return n.give(inputs[0]);
  }
  const std::vector<MapStep> steps = stepsOf(n, elements);
  if (inputs[0].numElements() == numerics::elementCount(n.outputShape()) && n.mayOverwrite(0) && !firstIsConstant) {
    ops::mapInPlace(builder, type, steps, inputs, kernel);
    return n.give(inputs[0]);
  }
  n.give(ops::map(builder, type, steps, inputs, n.outputType(), n.outputShape(), kernel));
}

void lowerCast(NodeLowering& n) {
  const Tensor x = n.input(0);
  const ElementType to = n.scope().type(n.node().outputs[0]).type;
  // Types that are the same on the machine (int64 and int32, float and double) need no step, but keep their own numbers. An 8-bit
  // float held as a half on the machine must be rounded to 8 bits.
  const bool rounds = numerics::isFloat8(to) && !numerics::isFloat8(n.call().elementType(0));
  if (x.elementType() == n.outputType() && !rounds) return n.giveView(x);
  const auto kernel =
      ops::oneResult([to, saturates = saturates(n.call())](const Tensors& in) { return castOf(saturates, in[0], to); });
  n.give(ops::map(n.builder(), "Cast", {{CastTo{n.outputType()}, x.elementType()}}, {x}, n.outputType(), n.outputShape(),
                  n.byVertices() ? kernel : ops::HostKernel{}));
}

void lowerNonLinearityGrad(NodeLowering& n) {
  const NonLinearity codelet = nonLinearityOf(n.call().attributes().text("kind", "")).codelet;
  n.give(ops::nonLinearityGrad(n.builder(), codelet, n.input(0), n.input(1), n.hostKernel({0, 1})));
}

// ---- gradients ---------------------------------------------------------------------------------------------------------------

// In the formulas x, y and dy are the input, the output and the gradient of the output.
using F = const Formula&;
// The gradient of the only input, given as a formula.
template<auto formula> void slope(const GradientCall& c) { c.give(0, formula(Formula(c))); }
// The function as a formula of other operators, whose gradients are used.
template<auto formula> void through(const GradientCall& c) {
  const Formula f(c);
  c.through([&] { return std::vector{formula(f)}; });
}
// Piecewise constant functions: no gradient.
void flat(const GradientCall&) {}

std::string isPositive(F f) { return f("Greater", f.x, 0); }
// `gradient` if the condition holds, else 0.
std::string masked(F f, const std::string& condition, const std::string& gradient) {
  return f.where(condition, gradient, f.number(0));
}

// A broadcast operand gets the sum over its repetitions.
void giveReduced(const GradientCall& c, std::size_t i, const std::string& gradient) {
  if (c.wants(i)) c.give(i, c.graph().reduceTo(gradient, c.call().shape(i)));
}
void requireNewBroadcast(const GradientCall& c) {
  if (c.node().opset < 7 && c.call().attributes().has("axis")) c.fail("broadcasts along an axis (before opset 7)");
}

void additionBack(const GradientCall& c) {
  requireNewBroadcast(c);
  for (std::size_t i = 0; i < c.node().inputs.size(); ++i) giveReduced(c, i, c.gradient());
}
void averageBack(const GradientCall& c) {
  const std::string share = c.graph().scaled(c.gradient(), 1.0 / double(c.node().inputs.size()));
  for (std::size_t i = 0; i < c.node().inputs.size(); ++i) giveReduced(c, i, share);
}
void subtractionBack(const GradientCall& c) {
  requireNewBroadcast(c);
  giveReduced(c, 0, c.gradient());
  if (c.wants(1)) giveReduced(c, 1, Formula(c)("Neg", c.gradient()));
}
void productBack(const GradientCall& c) {
  requireNewBroadcast(c);
  for (std::size_t i = 0; i < 2; ++i)
    if (c.wants(i)) giveReduced(c, i, Formula(c)("Mul", c.gradient(), c.input(1 - i)));
}
void quotientBack(const GradientCall& c) {
  requireNewBroadcast(c);
  if (!c.wants(0) && !c.wants(1)) return;
  const Formula f(c);
  const std::string scaled = f("Div", f.dy, c.input(1));
  giveReduced(c, 0, scaled);
  if (c.wants(1)) giveReduced(c, 1, f("Neg", f("Mul", scaled, f.y)));
}
void powerBack(const GradientCall& c) {
  requireNewBroadcast(c);
  const Formula f(c);
  const ElementType own = c.call().elementType(1);
  const auto as = [&](const std::string& x, ElementType type) {
    return c.graph().add("Cast", {x}, attributes({{"to", onnxTypeOf(type)}}));
  };
  const std::string exponent = own == c.elementType() ? c.input(1) : as(c.input(1), c.elementType());
  if (c.wants(0)) {
    std::string factor;
    if (c.call().isKnown(1) && c.call().value(1).count() == 1) {
      const double e = c.call().value(1).at(0);
      if (e == 0) return;
      if (e == 1) return giveReduced(c, 0, f.dy);
      factor = c.graph().scaled(e == 2 ? f.x : f("Pow", f.x, e - 1), e);
    } else {
      factor = f("Mul", exponent, f("Pow", f.x, f("Add", exponent, -1)));
      factor = f.where(f("Equal", exponent, 0), f.number(0), factor); // 0^-1 is infinite
    }
    giveReduced(c, 0, f("Mul", f.dy, factor));
  }
  if (!c.wants(1)) return;
  const std::string logarithm = f("Log", f.where(f("Equal", f.x, 0), f.number(1), f.x)); // 0^e is 0 for all e above 0
  const std::string ofExponent = f("Mul", f.dy, f("Mul", f.y, logarithm));
  giveReduced(c, 1, own == c.elementType() ? ofExponent : as(ofExponent, own));
}
// y = x - d * trunc(x / d) or floor: the gradient is dy for the dividend, and -dy times the quotient for the divisor.
void moduloBack(const GradientCall& c) {
  const Formula f(c);
  giveReduced(c, 0, f.dy);
  if (c.wants(1)) giveReduced(c, 1, f("Mul", f.dy, f("Div", f("Sub", f.y, f.x), c.input(1))));
}
// Max and Min: the operands that equal the result share the gradient.
void selectedBack(const GradientCall& c) {
  const Formula f(c);
  const std::size_t operands = c.node().inputs.size();
  if (operands == 1) return c.give(0, f.dy);
  std::string count;
  for (std::size_t i = 0; i < operands; ++i) {
    const std::string one = f.where(f("Equal", c.input(i), f.y), f.number(1), f.number(0));
    count = count.empty() ? one : f("Add", count, one);
  }
  const std::string share = f("Div", f.dy, count);
  for (std::size_t i = 0; i < operands; ++i)
    if (c.wants(i)) giveReduced(c, i, masked(f, f("Equal", c.input(i), f.y), share));
}
// The gradient goes to the input where input and output are equal, else to the limit.
void clipBack(const GradientCall& c) {
  const Formula f(c);
  if (c.wants(0)) c.give(0, masked(f, f("Equal", f.x, f.y), f.dy));
  for (std::size_t i = 1; i < c.node().inputs.size(); ++i)
    if (!c.input(i).empty() && c.wants(i)) giveReduced(c, i, masked(f, f(i == 1 ? "Less" : "Greater", f.x, c.input(i)), f.dy));
}
void whereBack(const GradientCall& c) {
  const Formula f(c);
  const std::string zero = c.graph().number(0, c.call().elementType(1));
  if (c.wants(1)) giveReduced(c, 1, f.where(c.input(0), f.dy, zero));
  if (c.wants(2)) giveReduced(c, 2, f.where(c.input(0), zero, f.dy));
}
void pReluBack(const GradientCall& c) {
  const Formula f(c);
  const std::string positive = isPositive(f);
  if (c.wants(0)) c.give(0, f.where(positive, f.dy, f("Mul", f.dy, c.input(1))));
  if (c.wants(1)) {
    const std::string zero = f.number(0);
    giveReduced(c, 1, f.where(positive, zero, f("Mul", f.dy, f.x)));
  }
}
void castBack(const GradientCall& c) {
  if (c.wants(0)) c.give(0, c.graph().add("Cast", {c.gradient()}, attributes({{"to", onnxTypeOf(c.elementType())}})));
}
void nonLinearityBack(const GradientCall& c) {
  const std::string& type = c.node().opType;
  std::string kind = type;
  if (type == "Gelu") kind = c.call().attributes().text("approximate", "none") == "tanh" ? "GeluTanh" : "Gelu";
  c.give(0, c.graph().addOwn("NonLinearityGrad", {c.gradient(), type == "Gelu" ? c.input(0) : c.output()},
                             attributes({{"kind", kind}})));
}

// The gradient of inverse functions: dy / sqrt(sign x^2 + constant), or without the root.
template<int sign, int constant, bool root> std::string inverseFunction(F f) {
  const std::string square = f("Mul", f.x, f.x);
  const std::string inside = sign > 0 ? f("Add", square, constant) : f("Sub", double(constant), square);
  return f("Div", f.dy, root ? f("Sqrt", inside) : inside);
}
// max(x, 0) + alpha (e^(min(x, 0) / width) - 1). The exponential reads only negative values, so it cannot overflow.
std::string scaledExponential(F f, double alpha, double width) {
  const std::string below = f("Mul", f("Sub", f("Exp", f("Mul", f("Min", f.x, 0), 1 / width)), 1), alpha);
  return f("Add", f("Max", f.x, 0), below);
}
std::string leakyReluBack(F f) {
  const std::string positive = isPositive(f);
  return f.where(positive, f.dy, f.scaled(f.dy, f.attribute("alpha", 0.01f)));
}
std::string exponentialBack(F f, double alpha, double gamma = 1) { // the slope is y + alpha gamma for x <= 0
  const std::string positive = isPositive(f), above = gamma == 1 ? f.dy : f.scaled(f.dy, gamma);
  return f.where(positive, above, f("Mul", f.dy, f("Add", f.y, alpha * gamma)));
}
std::string hardSigmoidBack(F f) {
  const std::string above = f("Greater", f.y, 0);
  const std::string inside = f("And", above, f("Less", f.y, 1));
  return masked(f, inside, f.scaled(f.dy, f.attribute("alpha", 0.2f)));
}
std::string hardSwishBack(F f) { // slope: 0 below -3, (2x + 3) / 6 up to 3, then 1
  const std::string middle = f("Mul", f.dy, f("Add", f.scaled(f.x, 1.0 / 3), 0.5));
  const std::string above = f.where(f("Less", f.x, 3), middle, f.dy);
  return masked(f, f("Greater", f.x, -3), above);
}
std::string errorFunctionBack(F f) { // slope 2 / sqrt(pi) e^(-x^2)
  const std::string bell = f("Exp", f("Neg", f("Mul", f.x, f.x)));
  return f("Mul", f.dy, f.scaled(bell, 2 / std::sqrt(M_PI)));
}

// ---- the table ---------------------------------------------------------------------------------------------------------------

// Operations per element: those of popops' map expressions; parameters are immediates.
struct Steps {
  using Step = decltype(MapStep::op);
  constexpr Steps(std::initializer_list<Step> steps) {
    for (const Step& step : steps) list[count++] = step;
  }
  std::array<Step, 5> list{};
  std::size_t count = 0;
};
struct MapFunction {
  const char* type;
  int since;
  Types (*infer)(const Call&);
  Tensors (*kernel)(const Call&);
  Steps steps;
  void (*gradient)(const GradientCall&) = nullptr;
  unsigned traits = kPlain;
  void (*lower)(NodeLowering&) = lowerMap;
};

// One function, one entry.
// clang-format off
using U = UnaryKind;
using B = BinaryKind;
constexpr MapFunction kFunctions[] = {
    // Arithmetic of two operands, which broadcast.
    {"Add", 1, inferBinary, binary<B::Add>, {BinaryOp::Add}, additionBack},
    {"Sub", 1, inferBinary, binary<B::Sub>, {BinaryOp::Subtract}, subtractionBack},
    {"Mul", 1, inferBinary, binary<B::Mul>, {BinaryOp::Multiply}, productBack},
    {"Div", 1, inferBinary, binary<B::Div>, {BinaryOp::Divide}, quotientBack},
    {"Pow", 1, inferBinary, binary<B::Pow>, {BinaryOp::Power}, powerBack},
    {"Mod", 10, inferBinary, modulo, {BinaryOp::Remainder}, moduloBack},
    {"BitShift", 11, inferBinary, bitShift, {BinaryOp::ShiftLeft}},
    // Operators with any number of operands.
    {"Min", 1, inferVariadic, variadic<B::Min>, {BinaryOp::Minimum}, selectedBack, kVariadic},
    {"Max", 1, inferVariadic, variadic<B::Max>, {BinaryOp::Maximum}, selectedBack, kVariadic},
    {"Sum", 1, inferVariadic, variadic<B::Add>, {BinaryOp::Add}, additionBack, kVariadic},
    {"Mean", 1, inferVariadic, mean, {BinaryOp::Add}, averageBack, kVariadic},
    // Logic and comparisons.
    {"And", 1, inferBinary, binary<B::And>, {BinaryOp::LogicalAnd}},
    {"Or", 1, inferBinary, binary<B::Or>, {BinaryOp::LogicalOr}},
    {"Xor", 1, inferBinary, binary<B::Xor>, {BinaryOp::NotEqual}},
    {"Equal", 1, inferComparison, binary<B::Equal>, {BinaryOp::Equal}},
    {"Less", 1, inferComparison, binary<B::Less>, {BinaryOp::Less}},
    {"LessOrEqual", 12, inferComparison, binary<B::LessOrEqual>, {BinaryOp::LessEqual}},
    {"Greater", 1, inferComparison, binary<B::Greater>, {BinaryOp::Greater}},
    {"GreaterOrEqual", 12, inferComparison, binary<B::GreaterOrEqual>, {BinaryOp::GreaterEqual}},
    {"BitwiseAnd", 18, inferBinary, bitwiseAnd, {BinaryOp::BitwiseAnd}},
    {"BitwiseOr", 18, inferBinary, bitwiseOr, {BinaryOp::BitwiseOr}},
    {"BitwiseXor", 18, inferBinary, bitwiseXor, {BinaryOp::BitwiseXor}},
    {"BitwiseNot", 18, inferUnary, bitwiseNot, {UnaryOp::BitwiseNot}},
    {"Not", 1, inferUnary, unary<U::Not>, {UnaryOp::LogicalNot}},
    {"IsNaN", 9, inferTest, unary<U::IsNaN>, {UnaryOp::IsNan}},
    {"IsInf", 10, inferTest, isInf, {UnaryOp::IsInf}},
    {"Where", 9, inferWhere, where, {TernaryOp::Select}, whereBack},
    // Functions of one number.
    {"Abs", 1, inferUnary, unary<U::Abs>, {UnaryOp::Absolute}, slope<[](F f) { return f("Mul", f.dy, f("Sign", f.x)); }>},
    {"Neg", 1, inferUnary, unary<U::Neg>, {UnaryOp::Negate}, slope<[](F f) { return f("Neg", f.dy); }>},
    {"Sign", 9, inferUnary, unary<U::Sign>, {UnaryOp::Signum}, flat},
    {"Floor", 1, inferUnary, unary<U::Floor>, {UnaryOp::Floor}, flat},
    {"Ceil", 1, inferUnary, unary<U::Ceil>, {UnaryOp::Ceil}, flat},
    {"Round", 11, inferUnary, unary<U::Round>, {UnaryOp::Round}, flat},
    {"Exp", 1, inferUnary, unary<U::Exp>, {UnaryOp::Exp}, slope<[](F f) { return f("Mul", f.dy, f.y); }>},
    {"Log", 1, inferUnary, unary<U::Log>, {UnaryOp::Log}, slope<[](F f) { return f("Div", f.dy, f.x); }>},
    {"Sqrt", 1, inferUnary, unary<U::Sqrt>, {UnaryOp::Sqrt}, slope<[](F f) { return f.scaled(f("Div", f.dy, f.y), 0.5); }>},
    {"Reciprocal", 1, inferUnary, unary<U::Reciprocal>, {UnaryOp::Inverse},
     slope<[](F f) { return f("Neg", f("Mul", f.dy, f("Mul", f.y, f.y))); }>},
    {"Erf", 9, inferUnary, unary<U::Erf>, {UnaryOp::Erf}, slope<errorFunctionBack>},
    {"Sin", 7, inferUnary, unary<U::Sin>, {UnaryOp::Sin}, slope<[](F f) { return f("Mul", f.dy, f("Cos", f.x)); }>},
    {"Cos", 7, inferUnary, unary<U::Cos>, {UnaryOp::Cos}, slope<[](F f) { return f("Neg", f("Mul", f.dy, f("Sin", f.x))); }>},
    {"Tan", 7, inferUnary, unary<U::Tan>, {UnaryOp::Tan},
     slope<[](F f) { return f("Mul", f.dy, f("Add", f("Mul", f.y, f.y), 1)); }>},
    {"Asin", 7, inferUnary, unary<U::Asin>, {UnaryOp::Asin}, slope<inverseFunction<-1, 1, true>>},
    {"Acos", 7, inferUnary, unary<U::Acos>, {UnaryOp::Asin, BinaryOp::Subtract},
     slope<[](F f) { return f("Neg", inverseFunction<-1, 1, true>(f)); }>},
    {"Atan", 7, inferUnary, unary<U::Atan>, {BinaryOp::Atan2}, slope<inverseFunction<1, 1, false>>},
    {"Sinh", 9, inferUnary, unary<U::Sinh>, {UnaryOp::Exp, UnaryOp::Inverse, BinaryOp::Subtract, BinaryOp::Multiply},
     slope<[](F f) { return f("Mul", f.dy, f("Cosh", f.x)); }>},
    {"Cosh", 9, inferUnary, unary<U::Cosh>, {UnaryOp::Exp, UnaryOp::Inverse, BinaryOp::Add, BinaryOp::Multiply},
     slope<[](F f) { return f("Mul", f.dy, f("Sinh", f.x)); }>},
    {"Asinh", 9, inferUnary, unary<U::Asinh>, {UnaryOp::Square, BinaryOp::Add, UnaryOp::Sqrt, BinaryOp::Add, UnaryOp::Log},
     slope<inverseFunction<1, 1, true>>},
    {"Acosh", 9, inferUnary, unary<U::Acosh>, {UnaryOp::Square, BinaryOp::Subtract, UnaryOp::Sqrt, BinaryOp::Add, UnaryOp::Log},
     slope<inverseFunction<1, -1, true>>},
    {"Atanh", 9, inferUnary, unary<U::Atanh>,
     {BinaryOp::Add, BinaryOp::Subtract, BinaryOp::Divide, UnaryOp::Log, BinaryOp::Multiply},
     slope<inverseFunction<-1, 1, false>>},
    // Activations; the defaults of alpha, beta, gamma, lambd and bias are those of ONNX.
    {"Relu", 1, inferUnary, unary<U::Relu>, {UnaryOp::Relu}, nonLinearityBack, kActivation | kFusible | kNonLinear},
    {"Sigmoid", 1, inferUnary, unary<U::Sigmoid>, {UnaryOp::Sigmoid}, nonLinearityBack, kActivation | kFusible | kNonLinear},
    {"Tanh", 1, inferUnary, unary<U::Tanh>, {UnaryOp::Tanh}, nonLinearityBack, kActivation | kFusible | kNonLinear},
    {"Gelu", 20, inferUnary, gelu, {UnaryOp::GeluErf}, nonLinearityBack, kActivation},
    {"Softplus", 1, inferUnary, unary<U::Softplus>, {UnaryOp::Exp, UnaryOp::Log1p},
     slope<[](F f) { return f("Mul", f.dy, f("Sigmoid", f.x)); }>, kFusible},
    {"Softsign", 1, inferUnary, unary<U::Softsign>, {UnaryOp::Absolute, BinaryOp::Add, BinaryOp::Divide},
     through<[](F f) { return f("Div", f.x, f("Add", f("Abs", f.x), 1)); }>},
    {"Mish", 18, inferUnary, unary<U::Mish>, {UnaryOp::Exp, UnaryOp::Log1p, UnaryOp::Tanh, BinaryOp::Multiply},
     through<[](F f) { return f("Mul", f.x, f("Tanh", f("Softplus", f.x))); }>},
    {"HardSigmoid", 1, inferUnary, [](const Call& c) { return unary<U::HardSigmoid>(c, "alpha", 0.2f, "beta", 0.5f); },
     {BinaryOp::Multiply, BinaryOp::Add, TernaryOp::Clamp}, slope<hardSigmoidBack>, kActivation | kFusible},
    {"HardSwish", 14, inferUnary, unary<U::HardSwish>,
     {BinaryOp::Multiply, BinaryOp::Add, TernaryOp::Clamp, BinaryOp::Multiply}, slope<hardSwishBack>, kActivation | kFusible},
    {"LeakyRelu", 1, inferUnary, [](const Call& c) { return unary<U::LeakyRelu>(c, "alpha", 0.01f); },
     {BinaryOp::Multiply, BinaryOp::Maximum}, slope<leakyReluBack>, kActivation | kFusible},
    {"Elu", 1, inferUnary, [](const Call& c) { return unary<U::Elu>(c, "alpha", 1); },
     {UnaryOp::Expm1, BinaryOp::Multiply, TernaryOp::Select}, slope<[](F f) { return exponentialBack(f, f.attribute("alpha", 1)); }>, kFusible},
    {"Celu", 12, inferUnary, [](const Call& c) { return unary<U::Celu>(c, "alpha", 1); },
     {BinaryOp::Multiply, UnaryOp::Expm1, BinaryOp::Multiply, TernaryOp::Select},
     through<[](F f) { return scaledExponential(f, f.attribute("alpha", 1), f.attribute("alpha", 1)); }>},
    {"Selu", 1, inferUnary, [](const Call& c) { return unary<U::Selu>(c, "alpha", kSeluAlpha, "gamma", kSeluGamma); },
     {UnaryOp::Expm1, BinaryOp::Multiply, TernaryOp::Select, BinaryOp::Multiply},
     slope<[](F f) { return exponentialBack(f, f.attribute("alpha", kSeluAlpha), f.attribute("gamma", kSeluGamma)); }>, kFusible},
    {"ThresholdedRelu", 10, inferUnary, [](const Call& c) { return unary<U::ThresholdedRelu>(c, "alpha", 1); },
     {BinaryOp::Greater, TernaryOp::Select},
     slope<[](F f) { return masked(f, f("Greater", f.x, f.attribute("alpha", 1)), f.dy); }>},
    {"Shrink", 9, inferUnary, [](const Call& c) { return unary<U::Shrink>(c, "lambd", 0.5f, "bias", 0); },
     {BinaryOp::Greater, BinaryOp::Subtract, TernaryOp::Select},
     slope<[](F f) { return masked(f, f("Greater", f("Abs", f.x), f.attribute("lambd", 0.5f)), f.dy); }>},
    {"PRelu", 1, inferSame, pRelu, {BinaryOp::Multiply, TernaryOp::Select}, pReluBack},
    {"Clip", 6, inferSame, clip, {TernaryOp::Clamp}, clipBack, kActivation | kFusible},
    // Changes of type.
    {"Cast", 6, inferCast, cast<inferCast>, {}, castBack, kPlain, lowerCast},
    {"CastLike", 15, inferCastLike, cast<inferCastLike>, {}, castBack, kPlain, lowerCast},
};

// Operators of other domains.
constexpr MapFunction kSwish = {"Swish", 1, inferUnary, swish, {UnaryOp::Sigmoid, BinaryOp::Multiply},
                             through<[](F f) { return f("Mul", f.x, f("Sigmoid", f.x)); }>, kFusible};
// clang-format on

Operator rowOf(const MapFunction& f, const char* domain) {
  return {f.type, f.since, f.infer, f.kernel, f.lower, f.gradient, f.traits | kElementwise, domain};
}

} // namespace

std::vector<MapStep> elementwiseSteps(const std::string& type, ElementType elements) {
  static const auto table = [] {
    std::unordered_map<std::string, const Steps*> map{{kSwish.type, &kSwish.steps}};
    for (const MapFunction& f : kFunctions) map[f.type] = &f.steps;
    return map;
  }();
  const Steps& found = *table.at(type);
  std::vector<MapStep> steps;
  for (std::size_t i = 0; i < found.count; ++i) steps.push_back({found.list[i], elements});
  return steps;
}

std::span<const Operator> elementwiseOperators() {
  static const auto table = [] {
    std::vector<Operator> rows;
    for (const MapFunction& f : kFunctions) rows.push_back(rowOf(f, ""));
    rows.push_back(rowOf(kSwish, kOwnDomain));
    rows.push_back({"Gelu", 1, inferUnary, gelu, lowerMap, nonLinearityBack, kElementwise | kActivation, "com.microsoft"});
    rows.push_back({"NonLinearityGrad", 1, inferSame, nonLinearityGrad, lowerNonLinearityGrad, nullptr, kPlain, kOwnDomain});
    return rows;
  }();
  return table;
}

} // namespace simcore::model
