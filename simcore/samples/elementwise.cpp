#include "simcore/samples/elementwise.h"

#include "reports/core/error.h"
#include "reports/core/text.h"
#include "simcore/codelets/elementwise.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/samples/sample_parts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

namespace simcore::samples {

using namespace graph;
using numerics::BinaryKind;
using numerics::HostTensor;
using numerics::UnaryKind;

namespace {

using Numbers = std::function<HostTensor(const std::vector<HostTensor>&)>;

struct Operation {
  std::vector<std::string> names; // the report shows the first
  std::optional<codelets::UnaryOp> unary;
  std::optional<codelets::BinaryOp> binary;
  Numbers numbers;
};

Numbers one(UnaryKind kind) {
  return [kind](const std::vector<HostTensor>& x) { return numerics::unary(kind, x[0]); };
}
Numbers two(BinaryKind kind) {
  return [kind](const std::vector<HostTensor>& x) { return numerics::binary(kind, x[0], x[1]); };
}
// Operations that are only in this sample, as functions of an element.
Numbers each(float (*f)(float)) {
  return [f](const std::vector<HostTensor>& x) {
    HostTensor z = x[0];
    for (float& v : z.mutableValues<float>()) v = f(v);
    return z;
  };
}
HostTensor anglesOf(const std::vector<HostTensor>& x) {
  HostTensor z = x[0];
  auto out = z.mutableValues<float>();
  const auto other = x[1].values<float>();
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::atan2(out[i], other[i]);
  return z;
}

std::vector<Operation> unaryOperations() {
  using U = codelets::UnaryOp;
  const auto ofRoot = [](const std::vector<HostTensor>& x) {
    return numerics::unary(UnaryKind::Reciprocal, numerics::unary(UnaryKind::Sqrt, x[0]));
  };
  const auto squared = [](const std::vector<HostTensor>& x) { return numerics::binary(BinaryKind::Mul, x[0], x[0]); };
  return {{{"absolute", "abs"}, U::Absolute, {}, one(UnaryKind::Abs)},
          {{"negate", "neg"}, U::Negate, {}, one(UnaryKind::Neg)},
          {{"signum", "sign"}, U::Signum, {}, one(UnaryKind::Sign)},
          {{"exp"}, U::Exp, {}, one(UnaryKind::Exp)},
          {{"expm1"}, U::Expm1, {}, each([](float v) { return std::expm1(v); })},
          {{"log"}, U::Log, {}, one(UnaryKind::Log)},
          {{"log1p"}, U::Log1p, {}, each([](float v) { return std::log1p(v); })},
          {{"sqrt"}, U::Sqrt, {}, one(UnaryKind::Sqrt)},
          {{"rsqrt"}, U::Rsqrt, {}, ofRoot},
          {{"cbrt"}, U::Cbrt, {}, each([](float v) { return std::cbrt(v); })},
          {{"square"}, U::Square, {}, squared},
          {{"inverse", "reciprocal"}, U::Inverse, {}, one(UnaryKind::Reciprocal)},
          {{"tanh"}, U::Tanh, {}, one(UnaryKind::Tanh)},
          {{"sigmoid"}, U::Sigmoid, {}, one(UnaryKind::Sigmoid)},
          {{"relu"}, U::Relu, {}, one(UnaryKind::Relu)},
          {{"gelu"}, U::GeluErf, {}, one(UnaryKind::Gelu)},
          {{"erf"}, U::Erf, {}, one(UnaryKind::Erf)},
          {{"sin"}, U::Sin, {}, one(UnaryKind::Sin)},
          {{"cos"}, U::Cos, {}, one(UnaryKind::Cos)},
          {{"tan"}, U::Tan, {}, one(UnaryKind::Tan)},
          {{"asin"}, U::Asin, {}, one(UnaryKind::Asin)},
          {{"floor"}, U::Floor, {}, one(UnaryKind::Floor)},
          {{"ceil"}, U::Ceil, {}, one(UnaryKind::Ceil)},
          {{"round"}, U::Round, {}, one(UnaryKind::Round)},
          {{"trunc"}, U::Trunc, {}, each([](float v) { return std::trunc(v); })}};
}

std::vector<Operation> binaryOperations() {
  using B = codelets::BinaryOp;
  const auto differ = [](const std::vector<HostTensor>& x) {
    return numerics::unary(UnaryKind::Not, numerics::binary(BinaryKind::Equal, x[0], x[1]));
  };
  return {{{"add"}, {}, B::Add, two(BinaryKind::Add)},
          {{"subtract", "sub"}, {}, B::Subtract, two(BinaryKind::Sub)},
          {{"multiply", "mul"}, {}, B::Multiply, two(BinaryKind::Mul)},
          {{"divide", "div"}, {}, B::Divide, two(BinaryKind::Div)},
          {{"maximum", "max"}, {}, B::Maximum, two(BinaryKind::Max)},
          {{"minimum", "min"}, {}, B::Minimum, two(BinaryKind::Min)},
          {{"power", "pow"}, {}, B::Power, two(BinaryKind::Pow)},
          {{"remainder", "rem"}, {}, B::Remainder, two(BinaryKind::Fmod)},
          {{"atan2"}, {}, B::Atan2, anglesOf},
          {{"equal", "eq"}, {}, B::Equal, two(BinaryKind::Equal)},
          {{"not-equal", "ne"}, {}, B::NotEqual, differ},
          {{"less", "lt"}, {}, B::Less, two(BinaryKind::Less)},
          {{"less-equal", "le"}, {}, B::LessEqual, two(BinaryKind::LessOrEqual)},
          {{"greater", "gt"}, {}, B::Greater, two(BinaryKind::Greater)},
          {{"greater-equal", "ge"}, {}, B::GreaterEqual, two(BinaryKind::GreaterOrEqual)}};
}

// All operations with a published cost for floats; only `rotate` is neither unary nor binary.
const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = [] {
    std::vector<Operation> list = unaryOperations();
    for (Operation& op : binaryOperations()) list.push_back(std::move(op));
    list.push_back({{"rotate"}, {}, {}, {}});
    return list;
  }();
  return all;
}

const Operation& operationOf(const Parameters& p) {
  std::vector<std::string> names;
  for (const Operation& op : operations()) names.insert(names.end(), op.names.begin(), op.names.end());
  const std::string chosen = p.choice("op", names);
  return *std::find_if(operations().begin(), operations().end(), [&](const Operation& op) {
    return std::find(op.names.begin(), op.names.end(), chosen) != op.names.end();
  });
}

struct Costed {
  codelets::VertexSpec spec;
  codelets::VertexCost cost;
};

// Rotates two rows by an angle in one vertex: two loads, two stores and four float instructions per vector. A worker's fixed cost
// is that of BinaryOp1D, which has as many pointers.
Costed rotation(const arch::TileArchitecture& tile, ElementType type, int64_t n) {
  Costed c{codelets::binaryOp1DSpec(codelets::BinaryOp::Add, type), codelets::binaryOp1D(tile, codelets::BinaryOp::Add, type, 0)};
  c.spec.name = std::string("Rotation2d<") + (type == ElementType::Half ? "half" : "float") + ">";
  c.spec.edges = 5;
  const int64_t vectors =
      reports::ceilDiv(reports::ceilDiv(n, tile.workers), tile.vectorWidth(type == ElementType::Half ? 2 : 4));
  c.cost.cycles = c.cost.cycles + reports::Cycles(tile.workers * 4 * vectors);
  c.cost.flops = reports::Flops(6 * n);
  return c;
}

Costed costOf(const arch::TileArchitecture& tile, const Operation& op, ElementType type, int64_t n) {
  if (op.unary) return {codelets::unaryOp1DSpec(*op.unary, type), codelets::unaryOp1D(tile, *op.unary, type, n)};
  if (op.binary) return {codelets::binaryOp1DSpec(*op.binary, type), codelets::binaryOp1D(tile, *op.binary, type, n)};
  return rotation(tile, type, n);
}

std::vector<HostTensor> rotated(const std::vector<HostTensor>& in) {
  const double angle = 0.5;
  HostTensor z0 = in[0].cast(ElementType::Float), z1 = in[1].cast(ElementType::Float);
  const auto a = in[0].values<float>(), b = in[1].values<float>();
  auto out0 = z0.mutableValues<float>(), out1 = z1.mutableValues<float>();
  const float c = float(std::cos(angle)), s = float(std::sin(angle));
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float x = a[i], y = b[i];
    out0[i] = c * x - s * y;
    out1[i] = s * x + c * y;
  }
  return {z0, z1};
}

HostKernel kernelOf(const Operation& op) {
  if (!op.numbers) return rotated;
  return [&op](const std::vector<HostTensor>& x) { return std::vector<HostTensor>{op.numbers(x)}; };
}

} // namespace

Sample elementwiseSample() {
  Sample s;
  s.name = "elementwise";
  s.title = "An element-wise operation";
  s.text = "Each tile applies one operation to n elements of its own, so the cost does not depend on the number of tiles. "
           "Compare small and large n: the six workers share the "
           "elements in whole vectors, and starting them costs as much as some hundred additions.";
  s.lesson = {{"tilescope:?view=program&set.list=steps", "One compute set adds x and y on every tile: no exchange, no sync."},
              {"tilescope:?view=memory&set.tab=largest", "The three vectors x, y and z are equally large."},
              {"tilescope:?view=liveness&set.tab=notAlways", "All variables except the result z are always live."}};
  s.parameters = {{"op", "add",
                   "add, multiply, divide, maximum, pow, atan2, less, …; exp, log, tanh, sqrt, rsqrt, sin, erf, …; or rotate "
                   "(two rows turned by "
                   "an angle)"},
                  {"n", "1024", "elements on each tile"},
                  typeParameter("float"),
                  {"tiles", "0", "tiles that compute; 0: all"},
                  ioParameter()};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const Operation& op = operationOf(p);
    const int64_t n = p.integer("n", 1, 1 << 24), tiles = tilesOf(p, o.machine);
    const ElementType type = typeOf(p);
    MeasuredGraph g("elementwise",
                    op.names[0] + " of " + reports::counted(n, "element") + " on " + reports::counted(tiles, "tile"), o.machine);
    const bool rotate = !op.unary && !op.binary;
    const ElementType result = op.binary && codelets::isComparison(*op.binary) ? ElementType::Bool : type;
    std::vector<Tensor> in{g.perTile(type, {tiles, n}, "x")}, out{g.perTile(result, {tiles, n}, "z")};
    if (!op.unary) in.push_back(g.perTile(type, {tiles, n}, "y"));
    if (rotate) out.push_back(g.perTile(type, {tiles, n}, "z1"));
    for (std::size_t i = 0; i < in.size(); ++i) g.initialiseUniform(in[i], uint64_t(o.seed) + i + 1);
    const Costed costed = costOf(o.machine.tile, op, type, n);
    const ops::OpBuilder builder = g.builder(g.main());
    ops::Superstep step(builder, op.names[0]);
    step.add(costed.spec, costed.cost, {0, tiles});
    g.numbers(g.main(), op.names[0], in, out, kernelOf(op));
    step.execute(in, out);
    g.moves(tiles * n * (int64_t(in.size()) * ops::elementBytes(type) + int64_t(out.size()) * ops::elementBytes(result)));
    return g.finish(out[0], p.integer("io", 0, 1));
  };
  s.variant = {"tuned",
               {{"type", "half"}},
               "Vectors of four halves instead of two floats: loads, the operation and the store serve twice as many elements. "
               "Cycles fall.",
               "cycles"};
  return s;
}

} // namespace simcore::samples
