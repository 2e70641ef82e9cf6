#include "simcore/samples/elementwise.h"

#include "reports/core/error.h"
#include "reports/core/text.h"
#include "simcore/codelets/elementwise.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/samples/sample_parts.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace simcore::samples {

using namespace graph;
using numerics::BinaryKind;
using numerics::HostTensor;
using numerics::UnaryKind;

namespace {

struct Operation {
  const char* name;
  std::optional<codelets::UnaryOp> unary;
  std::optional<codelets::BinaryOp> binary;
  UnaryKind unaryKind = UnaryKind::Abs;
  BinaryKind binaryKind = BinaryKind::Add;
  std::optional<UnaryKind> before; // of the numbers: what `unaryKind` is applied to
};

Operation one(const char* name, codelets::UnaryOp op, UnaryKind kind) {
  return {name, op, std::nullopt, kind, BinaryKind::Add, {}};
}
Operation two(const char* name, codelets::BinaryOp op, BinaryKind kind) {
  return {name, std::nullopt, op, UnaryKind::Abs, kind, {}};
}

const std::vector<Operation>& operations() {
  using U = codelets::UnaryOp;
  using B = codelets::BinaryOp;
  static const std::vector<Operation> all{two("add", B::Add, BinaryKind::Add),
                                          two("subtract", B::Subtract, BinaryKind::Sub),
                                          two("multiply", B::Multiply, BinaryKind::Mul),
                                          two("divide", B::Divide, BinaryKind::Div),
                                          two("maximum", B::Maximum, BinaryKind::Max),
                                          two("minimum", B::Minimum, BinaryKind::Min),
                                          two("sub", B::Subtract, BinaryKind::Sub),
                                          two("mul", B::Multiply, BinaryKind::Mul),
                                          two("div", B::Divide, BinaryKind::Div),
                                          two("max", B::Maximum, BinaryKind::Max),
                                          two("min", B::Minimum, BinaryKind::Min),
                                          two("pow", B::Power, BinaryKind::Pow),
                                          one("abs", U::Absolute, UnaryKind::Abs),
                                          one("neg", U::Negate, UnaryKind::Neg),
                                          one("erf", U::Erf, UnaryKind::Erf),
                                          two("power", B::Power, BinaryKind::Pow),
                                          one("absolute", U::Absolute, UnaryKind::Abs),
                                          one("negate", U::Negate, UnaryKind::Neg),
                                          one("exp", U::Exp, UnaryKind::Exp),
                                          one("log", U::Log, UnaryKind::Log),
                                          one("sqrt", U::Sqrt, UnaryKind::Sqrt),
                                          {"rsqrt", U::Rsqrt, {}, UnaryKind::Reciprocal, BinaryKind::Add, UnaryKind::Sqrt},
                                          {"square", U::Square, {}, UnaryKind::Abs, BinaryKind::Mul, {}},
                                          one("inverse", U::Inverse, UnaryKind::Reciprocal),
                                          one("tanh", U::Tanh, UnaryKind::Tanh),
                                          one("sigmoid", U::Sigmoid, UnaryKind::Sigmoid),
                                          one("relu", U::Relu, UnaryKind::Relu),
                                          one("gelu", U::GeluErf, UnaryKind::Gelu),
                                          one("sin", U::Sin, UnaryKind::Sin),
                                          one("cos", U::Cos, UnaryKind::Cos),
                                          one("floor", U::Floor, UnaryKind::Floor),
                                          one("ceil", U::Ceil, UnaryKind::Ceil),
                                          one("round", U::Round, UnaryKind::Round),
                                          one("signum", U::Signum, UnaryKind::Sign)};
  return all;
}

constexpr const char* kRotate = "rotate";

const Operation& operationOf(const Parameters& p) {
  std::vector<std::string> names{kRotate};
  for (const Operation& op : operations()) names.push_back(op.name);
  const std::string chosen = p.choice("op", names);
  static const Operation rotate{kRotate, {}, {}, UnaryKind::Abs, BinaryKind::Add, {}};
  for (const Operation& op : operations())
    if (op.name == chosen) return op;
  return rotate; // the only name without an entry
}

struct Costed {
  codelets::VertexSpec spec;
  codelets::VertexCost cost;
};

// Two rows turned by an angle in one vertex: per vector two loads and two stores, four float instructions beside them. The
// fixed cost of a worker is that of BinaryOp1D, which has as many pointers.
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
  using Tensors = std::vector<HostTensor>;
  if (op.unary == codelets::UnaryOp::Square)
    return [](const Tensors& x) { return Tensors{numerics::binary(BinaryKind::Mul, x[0], x[0])}; };
  if (op.unary)
    return [kind = op.unaryKind, before = op.before](const Tensors& x) {
      return Tensors{numerics::unary(kind, before ? numerics::unary(*before, x[0]) : x[0])};
    };
  if (op.binary) return [kind = op.binaryKind](const Tensors& x) { return Tensors{numerics::binary(kind, x[0], x[1])}; };
  return rotated;
}

} // namespace

Sample elementwiseSample() {
  Sample s;
  s.name = "elementwise";
  s.title = "An element-wise operation";
  s.text = "Each tile applies one operation to n elements of its own, so the cost does not depend on the number of tiles. "
           "Compare small and large n: the six workers share the "
           "elements in whole vectors, and starting them costs as much as some hundred additions.";
  s.parameters = {
      {"op", "add", "add, multiply, divide, exp, tanh, sqrt, rsqrt, square, … or rotate (two rows turned by an angle)"},
      {"n", "1024", "elements on each tile"},
      typeParameter("float"),
      {"tiles", "0", "tiles that compute; 0: all"},
      ioParameter()};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const Operation& op = operationOf(p);
    const int64_t n = p.integer("n", 1, 1 << 24), tiles = tilesOf(p, o.machine);
    const ElementType type = typeOf(p);
    MeasuredGraph g("elementwise",
                    std::string(op.name) + " of " + reports::counted(n, "element") + " on " + reports::counted(tiles, "tile"),
                    o.machine);
    const bool rotate = !op.unary && !op.binary;
    std::vector<Tensor> in{g.perTile(type, {tiles, n}, "x")}, out{g.perTile(type, {tiles, n}, "z")};
    if (!op.unary) in.push_back(g.perTile(type, {tiles, n}, "y"));
    if (rotate) out.push_back(g.perTile(type, {tiles, n}, "z1"));
    for (std::size_t i = 0; i < in.size(); ++i) g.initialiseUniform(in[i], uint64_t(o.seed) + i + 1);
    const Costed costed = costOf(o.machine.tile, op, type, n);
    const ops::OpBuilder builder = g.builder(g.main());
    ops::Superstep step(builder, op.name);
    step.add(costed.spec, costed.cost, {0, tiles});
    g.numbers(g.main(), op.name, in, out, kernelOf(op));
    step.execute(in, out);
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
