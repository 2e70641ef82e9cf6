// Reductions over dimensions, running sums and positions of extrema. Global pools are reductions over the field.
#include "simcore/model/operators/convolution.h"

#include <algorithm>
#include <optional>

namespace simcore::model {

namespace {

// ---- parameters ------------------------------------------------------------------------------------------------------------

struct ReduceParameters {
  std::vector<std::size_t> axes;
  bool keepDims = true;
};

bool keepsDimensions(const Call& call) { return call.attributes().integer("keepdims", 1) != 0; }
ReduceParameters reduceParameters(const Call& call) {
  ReduceParameters parameters;
  const std::vector<std::int64_t> axes = call.integers(1, "axes");
  const bool nothing = axes.empty() && call.attributes().integer("noop_with_empty_axes", 0) != 0;
  parameters.axes = numerics::normaliseAxes(axes, call.shape(0).size(), !nothing);
  parameters.keepDims = keepsDimensions(call);
  return parameters;
}

// The reduced axes; for a global pool the field.
std::vector<std::size_t> reducedAxes(const Call& call) {
  return call.node().opType.starts_with("Global") ? spatialAxes(call) : reduceParameters(call).axes;
}

// ---- types and numbers -----------------------------------------------------------------------------------------------------

// A global pool is a reduction, which is faster than one huge window.
template<ReduceKind kind> Tensors globalPool(const Call& call) {
  return {numerics::reduce(kind, call.value(0), spatialAxes(call), true)};
}

Types inferReduce(const Call& call) {
  const ReduceParameters p = reduceParameters(call);
  return {{call.elementType(0), numerics::reducedShape(call.shape(0), p.axes, p.keepDims)}};
}
template<ReduceKind kind> Tensors reduce(const Call& call) {
  const ReduceParameters p = reduceParameters(call);
  // noop_with_empty_axes returns the input itself, without the reduction's function.
  if (p.axes.empty() && !call.shape(0).empty()) return {call.value(0)};
  return {numerics::reduce(kind, call.value(0), p.axes, p.keepDims)};
}

Types inferArg(const Call& call) {
  const std::size_t axis = axisOf(call, 0, call.shape(0).size());
  return {{ElementType::Int64, numerics::reducedShape(call.shape(0), {axis}, keepsDimensions(call))}};
}
template<bool largest> Tensors arg(const Call& call) {
  return {numerics::argReduce(call.value(0), axisOf(call, 0, call.shape(0).size()), largest, keepsDimensions(call),
                              call.attributes().integer("select_last_index", 0) != 0)};
}

Tensors cumulativeSum(const Call& call) {
  const std::size_t axis = numerics::normaliseAxis(call.value(1).integerAt(0), call.shape(0).size());
  return {numerics::cumulativeSum(call.value(0), axis, call.attributes().integer("exclusive", 0) != 0,
                                  call.attributes().integer("reverse", 0) != 0)};
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

template<bool kLargest> void lowerArg(NodeLowering& n) {
  const Attributes& a = n.call().attributes();
  const Tensor x = n.input(0);
  n.give(ops::argReduce(n.builder(), x, axisOf(n.call(), 0, x.rank()), kLargest, keepsDimensions(n.call()),
                        a.integer("select_last_index", 0) != 0));
}

void lowerCumSum(NodeLowering& n) {
  const Attributes& a = n.call().attributes();
  const Tensor x = n.input(0);
  const auto along = [&](std::size_t axis) {
    return ops::cumulativeSum(n.builder(), x, axis, a.integer("exclusive", 0) != 0, a.integer("reverse", 0) != 0);
  };
  if (n.call().isKnown(1)) return n.give(along(numerics::normaliseAxis(n.call().value(1).integerAt(0), x.rank())));
  // The axis is known only at run time: computes the sums along every axis and selects one.
  Tensor sum = along(0);
  const auto rank = std::int64_t(x.rank());
  for (std::int64_t k = 1; k < rank; ++k)
    sum = ops::map(n.builder(), "chosenAxis",
                   {{codelets::BinaryOp::Equal, ElementType::Int32}, {codelets::TernaryOp::Select, x.elementType()}},
                   {sum, along(std::size_t(k)), n.input(1).reshape({})}, x.elementType(), x.shape(),
                   partKernel(n, [k, rank](const Tensors& in) {
                     const std::int64_t axis = in[2].count() ? in[2].integerAt(0) : 0;
                     return axis == k || axis == k - rank ? in[1] : in[0];
                   }));
  n.give(sum);
}

ReduceOp reduceOpOf(const std::string& type) {
  if (type == "ReduceMax" || type == "GlobalMaxPool") return ReduceOp::Maximum;
  if (type == "ReduceMin") return ReduceOp::Minimum;
  if (type == "ReduceProd") return ReduceOp::Multiply;
  return type == "ReduceL2" || type == "ReduceSumSquare" ? ReduceOp::SquareAdd : ReduceOp::Add;
}

// The final step turns a sum into a mean, a sum of squares into a norm, or a sum into its logarithm.
struct AfterReduce {
  MapStep step;
  ops::HostKernel kernel;
};
std::optional<AfterReduce> afterReduce(const NodeLowering& n, double count, ElementType type) {
  const std::string& name = n.node().opType;
  const auto of = [&](UnaryKind kind) {
    return partKernel(n, [kind](const Tensors& in) { return numerics::unary(kind, in[0]); });
  };
  if (name == "ReduceMean" || name == "GlobalAveragePool")
    return AfterReduce{{BinaryOp::Multiply, type}, partKernel(n, [count](const Tensors& in) {
                         return numerics::binary(BinaryKind::Div, in[0], HostTensor::full(in[0].type(), {}, count));
                       })};
  if (name == "ReduceL2") return AfterReduce{{UnaryOp::Sqrt, type}, of(UnaryKind::Sqrt)};
  if (name.starts_with("ReduceLog")) return AfterReduce{{UnaryOp::Log, type}, of(UnaryKind::Log)};
  return {};
}

// Lowers the reduction and the maps before and after it, which depend on the operator. A sum of halves that a later map reduces
// stays float, because it may exceed the range of half.
void lowerReduce(NodeLowering& n) {
  const std::string& type = n.node().opType;
  const std::vector<std::size_t> axes = reducedAxes(n.call());
  Tensor x = n.input(0);
  const ElementType element = x.elementType();
  if (axes.empty())
    return n.give(ops::map(n.builder(), type, {{UnaryOp::Absolute, element}}, {x}, element, x.shape(), n.hostKernel({0})));
  const std::int64_t count = x.numElements() / std::max<std::int64_t>(1, numerics::elementCount(n.outputShape()));
  const bool isWide = element == ElementType::Half && afterReduce(n, double(count), element);
  const ElementType sums = isWide ? ElementType::Float : element;
  if (type == "ReduceL1") x = ops::unary(n.builder(), UnaryOp::Absolute, x);
  if (type == "ReduceLogSumExp") {
    std::vector<MapStep> steps{{UnaryOp::Exp, sums}};
    if (isWide) steps.insert(steps.begin(), {codelets::CastTo{sums}, element});
    x = ops::map(n.builder(), "Exp", steps, {x}, sums, x.shape(),
                 partKernel(n, [](const Tensors& in) { return numerics::unary(UnaryKind::Exp, in[0]); }));
  }
  Tensor y = ops::reduce(n.builder(), x, axes, reduceOpOf(type), keepsDimensions(n.call()), {}, sums);
  if (const auto after = afterReduce(n, double(count), sums)) {
    if (isWide)
      y = ops::map(n.builder(), "scale", {after->step, {codelets::CastTo{element}, sums}}, {y}, element, y.shape(),
                   after->kernel);
    else
      ops::mapInPlace(n.builder(), "scale", {after->step}, {y}, after->kernel);
  }
  n.give(y);
}

// ---- gradient --------------------------------------------------------------------------------------------------------------

void cumulativeSum(const GradientCall& c) { // the sum of all later gradients
  Attributes a = c.call().attributes();
  a.set("reverse", std::int64_t(a.integer("reverse", 0) == 0));
  c.give(0, c.graph().add("CumSum", {c.gradient(), c.input(1)}, a));
}

// The gradients of reductions are formulas of the input and of two values whose reduced dimensions are restored as 1.
class Reduced : public Formula {
  const GradientCall& m_call;
  const Shape m_kept = numerics::reducedShape(m_call.call().shape(0), reducedAxes(m_call.call()), true);

  std::string kept(const std::string& value) const { return m_call.graph().reshape(value, m_kept); }

public:
  explicit Reduced(const GradientCall& c) : Formula(c), m_call(c) {}

  const std::string sum = kept(dy); // the gradient of the result
  std::string result() const { return kept(y); }
  std::string expanded(const std::string& value) const { return m_call.graph().expand(value, m_call.call().shape(0)); }
  std::string total(const std::string& value) const { return m_call.graph().reduceTo(value, m_kept); }
  std::string product(const std::string& value) const {
    const std::vector<std::size_t> axes = reducedAxes(m_call.call());
    if (axes.empty()) return value;
    return m_call.graph().reduce("ReduceProd", value, {axes.begin(), axes.end()}, true);
  }
  std::string isZero(const std::string& value) const { return (*this)("Equal", value, 0); }
  // Number of elements that were reduced to one.
  double count() const {
    const std::int64_t results = std::max<std::int64_t>(1, numerics::elementCount(m_kept));
    return double(numerics::elementCount(m_call.call().shape(0)) / results);
  }
};
using R = const Reduced&;
template<auto formula> void reduced(const GradientCall& c) { c.give(0, formula(Reduced(c))); }

std::string ofSum(R r) { return r.expanded(r.sum); }
std::string ofMean(R r) { return r.expanded(r.scaled(r.sum, 1.0 / r.count())); }
std::string ofExtremum(R r) { // equal elements share the gradient
  const std::string ones = r.where(r("Equal", r.x, r.result()), r.number(1), r.number(0));
  return r("Mul", ones, r("Div", r.sum, r.total(ones)));
}
// The product of all other elements: 0 if one of them is 0.
std::string ofProduct(R r) {
  const std::string zero = r.isZero(r.x), mark = r.where(zero, r.number(1), r.number(0)), rest = r.where(zero, r.number(1), r.x);
  const std::string others = r("Mul", r.sum, r("Div", r.product(rest), rest));
  return r.where(r("Equal", r.total(mark), mark), others, r.number(0));
}
std::string ofSquares(R r) { return r.scaled(r("Mul", r.x, r.sum), 2); }
std::string ofNorm1(R r) { return r("Mul", r("Sign", r.x), r.sum); }
std::string ofNorm2(R r) { // 0 at the origin, because the norm has no derivative there
  return r("Mul", r.x, r.where(r.isZero(r.result()), r.number(0), r("Div", r.sum, r.result())));
}
std::string ofLogSum(R r) { return r.expanded(r("Div", r.sum, r("Exp", r.result()))); }
std::string ofLogSumExp(R r) { return r("Mul", r("Exp", r("Sub", r.x, r.result())), r.sum); }

constexpr Operator kReductionOperators[] = {
    {"GlobalAveragePool", 1, inferGlobal, globalPool<ReduceKind::Mean>, lowerReduce, reduced<ofMean>},
    {"GlobalMaxPool", 1, inferGlobal, globalPool<ReduceKind::Max>, lowerReduce, reduced<ofExtremum>},
    {"ReduceL1", 1, inferReduce, reduce<ReduceKind::L1>, lowerReduce, reduced<ofNorm1>},
    {"ReduceL2", 1, inferReduce, reduce<ReduceKind::L2>, lowerReduce, reduced<ofNorm2>},
    {"ReduceLogSum", 1, inferReduce, reduce<ReduceKind::LogSum>, lowerReduce, reduced<ofLogSum>},
    {"ReduceLogSumExp", 1, inferReduce, reduce<ReduceKind::LogSumExp>, lowerReduce, reduced<ofLogSumExp>},
    {"ReduceMax", 1, inferReduce, reduce<ReduceKind::Max>, lowerReduce, reduced<ofExtremum>},
    {"ReduceMean", 1, inferReduce, reduce<ReduceKind::Mean>, lowerReduce, reduced<ofMean>},
    {"ReduceMin", 1, inferReduce, reduce<ReduceKind::Min>, lowerReduce, reduced<ofExtremum>},
    {"ReduceProd", 1, inferReduce, reduce<ReduceKind::Prod>, lowerReduce, reduced<ofProduct>},
    {"ReduceSum", 1, inferReduce, reduce<ReduceKind::Sum>, lowerReduce, reduced<ofSum>},
    {"ReduceSumSquare", 1, inferReduce, reduce<ReduceKind::SumSquare>, lowerReduce, reduced<ofSquares>},
    {"ArgMax", 1, inferArg, arg<true>, lowerArg<true>},
    {"ArgMin", 1, inferArg, arg<false>, lowerArg<false>},
    {"CumSum", 11, inferSame, cumulativeSum, lowerCumSum, cumulativeSum},
};

} // namespace

std::span<const Operator> reductionOperators() { return kReductionOperators; }

} // namespace simcore::model
