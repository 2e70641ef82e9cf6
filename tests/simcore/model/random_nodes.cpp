#include "tests/simcore/model/random_nodes.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tests {

std::int64_t Draw::integer(std::int64_t low, std::int64_t high) {
  return low + std::int64_t(m_random() % std::uint64_t(high - low + 1));
}

std::int64_t Draw::size(std::int64_t most) {
  static const std::vector<std::int64_t> sizes{1, 1, 2, 2, 3, 3, 4, 5, 5, 6, 7, 8, 11, 13, 16, 17, 31, 61, 67};
  static const std::vector<std::int64_t> large{127, 131, 257, 521, 1021};
  return std::min(oneOf(chance(0.03) ? large : sizes), most);
}

Shape Draw::shape(std::size_t leastRank, std::size_t mostRank, bool mayBeEmpty, std::int64_t most) {
  Shape shape(std::size_t(integer(std::int64_t(leastRank), std::int64_t(mostRank))), 1);
  std::int64_t left = chance(0.05) ? 10 * most : most;
  for (std::int64_t& dim : shape) {
    dim = size(std::max<std::int64_t>(1, left));
    left /= dim;
  }
  for (std::size_t i = shape.size(); i > 1; --i) std::swap(shape[i - 1], shape[std::size_t(integer(0, std::int64_t(i) - 1))]);
  if (mayBeEmpty && !shape.empty() && chance(0.02)) oneOf(std::vector<std::int64_t*>{&shape.front(), &shape.back()})[0] = 0;
  return shape;
}

Shape Draw::broadcastable(const Shape& to) {
  Shape shape = to;
  for (std::int64_t& dim : shape)
    if (chance(0.3)) dim = 1;
  if (chance(0.4)) shape.erase(shape.begin(), shape.begin() + integer(0, std::int64_t(shape.size())));
  return shape;
}

std::int64_t Draw::written(std::size_t axis, std::size_t rank) {
  return chance(0.4) ? std::int64_t(axis) - std::int64_t(rank) : std::int64_t(axis);
}
std::int64_t Draw::axis(std::size_t rank) { return written(std::size_t(integer(0, std::int64_t(rank) - 1)), rank); }

Integers Draw::order(std::size_t rank) {
  Integers order(rank);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = rank; i > 1; --i) std::swap(order[i - 1], order[std::size_t(integer(0, std::int64_t(i) - 1))]);
  return order;
}
Integers Draw::axes(std::size_t rank, bool mayBeNone) {
  Integers chosen = order(rank);
  chosen.resize(std::size_t(integer(mayBeNone || rank == 0 ? 0 : 1, std::int64_t(rank))));
  for (std::int64_t& axis : chosen) axis = written(std::size_t(axis), rank);
  return chosen;
}

std::string Draw::operand(const std::string& name, const HostTensor& value) {
  return chance(0.2) ? m_net.builder.constant(name, value) : m_net.value(name, value);
}
std::string Draw::real(const std::string& name, const Shape& shape, double low, double high) {
  return operand(name, m_net.numbers(shape, low, high).cast(m_floating));
}
std::string Draw::whole(const std::string& name, const Shape& shape, std::int64_t low, std::int64_t high, ElementType type) {
  return operand(name, m_net.whole(shape, low, high, type));
}
std::string Draw::number(const std::string& name, const Shape& shape, ElementType type, double low, double high) {
  if (numerics::isFloating(type)) return operand(name, m_net.numbers(shape, low, high).cast(type));
  return whole(name, shape, std::int64_t(low), std::int64_t(high) + 1, type);
}
ElementType Draw::floating() {
  return oneOf(std::vector{ElementType::Float, ElementType::Float, ElementType::Float, ElementType::Half, ElementType::Double});
}
ElementType Draw::arithmetic() {
  return oneOf(std::vector{ElementType::Float, ElementType::Float, ElementType::Half, ElementType::Double, ElementType::Int32,
                           ElementType::Int64});
}

NodeCase randomNode(std::uint64_t seed) {
  static const std::vector<RandomFamily> families = [] {
    std::vector<RandomFamily> all;
    for (const auto& some : {randomElementwise(), randomMovements(), randomSelections(), randomNeural()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  NodeCase made{"drawn by " + std::to_string(seed),
                [seed](Net& net) {
                  Draw draw(net, seed);
                  families[std::size_t(seed % families.size())](draw);
                },
                17};
  return made;
}

namespace {

void unaryFunction(Draw& d) {
  struct Function {
    const char* type;
    double low, high;
    bool ofIntegers = false;
  };
  static const std::vector<Function> functions{
      {"Abs", -9, 9, true}, {"Neg", -9, 9, true},   {"Sign", -9, 9, true}, {"Floor", -3, 3},
      {"Ceil", -3, 3},      {"Round", -3, 3},       {"Exp", -2, 2},        {"Log", 0.1, 3},
      {"Sqrt", 0.1, 3},     {"Reciprocal", 0.3, 3}, {"Erf", -2, 2},        {"Sin", -3, 3},
      {"Cos", -3, 3},       {"Tan", -1, 1},         {"Asin", -0.9, 0.9},   {"Acos", -0.9, 0.9},
      {"Atan", -2, 2},      {"Asinh", -2, 2},       {"Acosh", 1.2, 3},     {"Atanh", -0.8, 0.8},
      {"Sinh", -2, 2},      {"Cosh", -2, 2},        {"Relu", -9, 9, true}, {"Sigmoid", -3, 3},
      {"Tanh", -2, 2},      {"Gelu", -2, 2},        {"Softplus", -2, 2},   {"Softsign", -2, 2},
      {"HardSwish", -5, 5}, {"HardSigmoid", -4, 4}, {"Mish", -2, 2},       {"LeakyRelu", -1, 1},
      {"Elu", -2, 2},       {"Celu", -2, 2},        {"Selu", -2, 2},       {"ThresholdedRelu", -2, 3},
      {"Shrink", -2, 2},    {"IsNaN", -1, 1},       {"IsInf", -1, 1}};
  const Function& f = d.oneOf(functions);
  const std::string type = f.type;
  model::Attributes a;
  const auto maybe = [&](const char* name, float low, float high) {
    if (d.chance(0.5)) a.set(name, low + (high - low) * float(d.integer(0, 8)) / 8);
  };
  if (type == "LeakyRelu" || type == "Elu" || type == "Celu" || type == "Selu" || type == "HardSigmoid" ||
      type == "ThresholdedRelu")
    maybe("alpha", 0.25f, 1.75f);
  if (type == "HardSigmoid") maybe("beta", 0.1f, 0.9f);
  if (type == "Selu") maybe("gamma", 0.5f, 1.5f);
  if (type == "Shrink") maybe("lambd", 0.1f, 1.1f);
  if (type == "Shrink") maybe("bias", -0.5f, 0.5f);
  if (type == "IsInf" && d.chance(0.5)) a.set(d.word({"detect_negative", "detect_positive"}), std::int64_t(0));
  if (type == "Gelu" && d.chance(0.5)) a.set("approximate", std::string("tanh"));
  const ElementType elements = f.ofIntegers ? d.arithmetic() : d.floating();
  const Shape shape = d.shape(0, 5);
  if (numerics::isFloating(elements) && d.chance(type[0] == 'I' ? 1 : 0.1)) { // numbers that are none
    HostTensor x = d.net().numbers(shape, f.low, f.high);
    for (float& v : x.mutableValues<float>())
      if (d.chance(0.1))
        v = d.oneOf(std::vector{0.0f, -0.0f, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::quiet_NaN()});
    return d.net().out(type, {d.operand("x", x.cast(elements))}, a);
  }
  d.net().out(type, {d.number("x", shape, elements, f.low, f.high)}, a);
}

void binaryFunction(Draw& d) {
  const std::string type = d.word({"Add", "Sub", "Mul", "Div", "Pow", "PRelu", "Mod", "Fmod"});
  const bool remainder = type == "Mod" || type == "Fmod";
  const ElementType elements = type == "Mod"                      ? d.oneOf(std::vector{ElementType::Int32, ElementType::Int64})
                               : type == "Pow" || type == "PRelu" ? d.floating()
                                                                  : d.arithmetic();
  const Shape shape = d.shape(0, 5);
  const bool turned = type != "PRelu" && d.chance(0.3); // the first operand is the one that broadcasts
  const Shape other = d.broadcastable(shape);
  const bool divides = type == "Div" || remainder;
  const bool negative = type == "PRelu" || (remainder && d.chance(0.5));
  const std::string a = d.number("a", turned ? other : shape, elements, type == "Pow" ? 0.5 : -9, type == "Pow" ? 3 : 9),
                    b = d.number("b", turned ? shape : other, elements,
                                 negative  ? -9
                                 : divides ? 1
                                           : -2,
                                 negative  ? -1
                                 : divides ? 9
                                           : 2);
  const bool fmod = type == "Fmod" || (type == "Mod" && d.chance(0.3));
  d.net().out(remainder ? "Mod" : type, {a, b}, fmod ? attributes({{"fmod", std::int64_t(1)}}) : model::Attributes{});
}

void comparison(Draw& d) {
  const ElementType elements = d.arithmetic();
  const Shape shape = d.shape(0, 4), other = d.broadcastable(shape);
  const bool turned = d.chance(0.3);
  d.net().out(d.word({"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"}),
              {d.number("a", turned ? other : shape, elements, -2, 2), d.number("b", turned ? shape : other, elements, -2, 2)});
}

void logic(Draw& d) {
  const Shape shape = d.shape(0, 4);
  if (d.chance(0.2)) return d.net().out("Not", {d.whole("a", shape, 0, 2, ElementType::Bool)});
  if (d.chance(0.4))
    return d.net().out(
        "BitShift",
        {d.whole("a", shape, 0, 999, ElementType::UInt32), d.whole("b", d.broadcastable(shape), 0, 9, ElementType::UInt32)},
        attributes({{"direction", std::string(d.word({"LEFT", "RIGHT"}))}}));
  d.net().out(d.word({"And", "Or", "Xor"}),
              {d.whole("a", shape, 0, 2, ElementType::Bool), d.whole("b", d.broadcastable(shape), 0, 2, ElementType::Bool)});
}

void variadic(Draw& d) {
  const char* type = d.word({"Min", "Max", "Sum", "Mean"});
  const ElementType elements = *type == 'M' && type[1] != 'e' ? d.arithmetic() : d.floating();
  const Shape shape = d.shape(0, 4);
  std::vector<std::string> inputs;
  const std::int64_t count = d.integer(1, 4), whole = d.integer(0, count - 1);
  for (std::int64_t i = 0; i < count; ++i)
    inputs.push_back(d.number("x" + std::to_string(i), i == whole ? shape : d.broadcastable(shape), elements, -9, 9));
  d.net().out(type, inputs);
}

void choice(Draw& d) {
  const Shape shape = d.shape(0, 4);
  const ElementType elements = d.arithmetic();
  const std::int64_t whole = d.integer(0, 2);
  d.net().out("Where", {d.whole("c", whole == 0 ? shape : d.broadcastable(shape), 0, 2, ElementType::Bool),
                        d.number("a", whole == 1 ? shape : d.broadcastable(shape), elements, -9, 9),
                        d.number("b", whole == 2 ? shape : d.broadcastable(shape), elements, -9, 9)});
}

void clipping(Draw& d) {
  const ElementType elements = d.arithmetic();
  std::vector<std::string> inputs{d.number("x", d.shape(0, 4), elements, -9, 9)};
  inputs.push_back(d.chance(0.7) ? d.number("low", {}, elements, -5, 0) : "");
  if (d.chance(0.7)) inputs.push_back(d.number("high", {}, elements, 1, 6));
  d.net().out("Clip", inputs);
}

void casting(Draw& d) {
  static const std::vector<ElementType> types{ElementType::Float, ElementType::Half,  ElementType::Double, ElementType::Int32,
                                              ElementType::Int64, ElementType::Int8,  ElementType::UInt8,  ElementType::Bool,
                                              ElementType::Int16, ElementType::UInt16};
  static const std::vector<std::int64_t> numbers{1, 10, 11, 6, 7, 3, 2, 9, 5, 4};
  const std::string x = d.number("x", d.shape(0, 4), d.oneOf(types), 0, 9);
  if (d.chance(0.3)) return d.net().out("CastLike", {x, d.number("like", d.shape(0, 2), d.oneOf(types), 0, 1)});
  d.net().out("Cast", {x}, attributes({{"to", d.oneOf(numbers)}}));
}

} // namespace

std::vector<RandomFamily> randomElementwise() {
  return {unaryFunction, unaryFunction, binaryFunction, binaryFunction, comparison, logic, variadic, choice, clipping, casting};
}

} // namespace tests
