#include "simcore/ops/reduce/reduce.h"

#include "popops/AllTrue.hpp"
#include "popops/Cast.hpp"
#include "popops/ElementWise.hpp"
#include "popops/NaN.hpp"
#include "popops/Reduce.hpp"
#include "simcore/numerics/reduce.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/elementwise/expression.h"
#include "simcore/ops/elementwise/fill.h"
#include "simcore/poplar/libs/library_call.h"
#include "simcore/poplar/libs/vertices.h"

#include <algorithm>
#include <cmath>
#include <istream>
#include <limits>
#include <ostream>

namespace popops {

using namespace simcore::poplar::names;
using poplar::ComputeSet;

namespace {

const char* const kOperationNames[] = {"ADD", "MUL", "MIN", "MAX", "LOGICAL_AND", "LOGICAL_OR", "SQUARE_ADD", "LOG_ADD"};

// The dimensions in ascending order without repetitions.
std::vector<std::size_t> axesOf(const sg::Tensor& in, std::vector<std::size_t> dims) {
  std::sort(dims.begin(), dims.end());
  dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
  if (!dims.empty() && dims.back() >= in.rank())
    throw poputil::poplibs_error("popops::reduce: " + in.getDebugStr() + " has no dimension " + std::to_string(dims.back()));
  return dims;
}

// The scale, as a scalar if it has one element; an invalid tensor without a scale.
sg::Tensor scaleOf(const ReduceParams& params) {
  if (!params.useScale) return {};
  const sg::Tensor scale = sp::inner(params.scale);
  return scale.numElements() == 1 ? scale.reshape({}) : scale;
}
ops::ReduceParams paramsOf(const ReduceParams& params) { return {sp::reduceOpOf(params.op), scaleOf(params), params.update}; }

// The result of a reduction of no elements.
double resultOfNone(Operation op, ElementType type) {
  const bool isReal = type == ElementType::Float || type == ElementType::Half;
  switch (op) {
  case Operation::MUL:
  case Operation::LOGICAL_AND: return 1;
  case Operation::MIN:
    if (isReal) return std::numeric_limits<double>::infinity();
    return type == ElementType::UInt32 ? std::numeric_limits<std::uint32_t>::max() : std::numeric_limits<std::int32_t>::max();
  case Operation::MAX:
  case Operation::LOG_ADD:
    if (isReal) return -std::numeric_limits<double>::infinity();
    return type == ElementType::UInt32 ? 0 : std::numeric_limits<std::int32_t>::min();
  default: return 0;
  }
}
void setToNone(const ops::OpBuilder& b, const sg::Tensor& out, const ReduceParams& params) {
  if (!params.update && out.numElements() > 0) ops::fill(b, out, resultOfNone(params.op, out.elementType()));
}

// Whether every element is a result: the dimensions have extent 1.
bool isPerElement(const sg::Tensor& in, const std::vector<std::size_t>& axes) {
  return std::all_of(axes.begin(), axes.end(), [&](std::size_t d) { return in.dim(d) == 1; });
}
// Writes every element, squared for SQUARE_ADD and times the scale, to its result.
void copyEach(const ops::OpBuilder& b, const sg::Tensor& x, const sg::Tensor& out, const ReduceParams& params) {
  const sg::Tensor in = x.reshape(out.shape());
  if (params.op != Operation::SQUARE_ADD && !params.useScale && !params.update && in.elementType() == out.elementType())
    return sp::copyTo(b, in, out);
  ops::Expression e = ops::_1;
  if (params.op == Operation::SQUARE_ADD) e = e * e;
  if (in.elementType() != out.elementType()) e = ops::Expression::cast(e, out.elementType());
  std::vector<sg::Tensor> operands{in};
  const auto placeholder = [&](const sg::Tensor& t) {
    operands.push_back(t);
    return ops::Expression::placeholder(operands.size());
  };
  if (params.useScale) {
    const sg::Tensor one = scaleOf(params);
    ops::Expression scale = placeholder(one);
    if (one.elementType() != out.elementType()) scale = ops::Expression::cast(scale, out.elementType());
    e = e * scale;
  }
  if (params.update) e = e + placeholder(out);
  ops::mapWithOutput(b, e, operands, out);
}

// The output may have more or fewer dimensions of extent 1, as in Poplar.
sg::Shape withoutOnes(sg::Shape shape) {
  shape.erase(std::remove(shape.begin(), shape.end(), 1), shape.end());
  return shape;
}

void reduceInto(const ops::OpBuilder& b, const sg::Tensor& in, const sg::Tensor& given, const std::vector<std::size_t>& dims,
                const ReduceParams& params) {
  const auto axes = axesOf(in, dims);
  const auto shape = simcore::numerics::reducedShape(in.shape(), axes, false);
  const sg::Tensor out = withoutOnes(shape) == withoutOnes(given.shape()) ? given.reshape(shape) : given;
  if (in.numElements() == 0) return setToNone(b, out, params);
  if (isPerElement(in, axes)) return copyEach(b, in, out, params);
  ops::reduceWithOutput(b, in, out, axes, paramsOf(params));
}

// Reductions as compute sets: each tile reduces its own outputs, shared among its workers. If an output has more than this many
// bytes of partials, or a single output more than 4,096 partials, a stage before combines about the square root of their number
// at a time.
constexpr int64_t kMostPartialBytes = 65536;

ComputeSet stage(Graph& graph, std::vector<ComputeSet>& sets, std::size_t number, const DebugContext& debugContext) {
  while (sets.size() <= number) sets.push_back(graph.addComputeSet(DebugContext(debugContext, "ReduceStage")));
  return sets[number];
}

void addStage(Graph& graph, const sg::Tensor& in, const sg::Tensor& out, const ReduceParams& params, ComputeSet set) {
  sg::Graph& g = sp::inner(graph);
  const auto mapping = g.getTileMapping(out);
  const int64_t workers = g.machine().tile.workers;
  for (std::size_t tile = 0; tile < mapping.size(); ++tile)
    for (const sg::Interval& i : mapping[tile]) {
      const int64_t share = (i.size() + workers - 1) / workers;
      for (int64_t at = i.begin; at < i.end; at += share) {
        const int64_t end = std::min(i.end, at + share);
        sp::addReduceVertex(g, sg::ComputeSetId(set.getId()), in.slice(at, end, 0), out.slice(at, end, 0),
                            simcore::graph::TileId(tile), params);
      }
    }
}

void reduceBySets(Graph& graph, const Tensor& input, const Tensor& output, const std::vector<std::size_t>& dims,
                  const ReduceParams& params, std::vector<ComputeSet>& sets, const DebugContext& debugContext) {
  sg::Graph& g = sp::inner(graph);
  const sg::Tensor whole = sp::inner(input), result = sp::inner(output);
  const auto axes = axesOf(whole, dims);
  const auto shape = simcore::numerics::reducedShape(whole.shape(), axes, false);
  if (withoutOnes(shape) != withoutOnes(result.shape()))
    throw poputil::poplibs_error("popops::reduceWithOutput: the result of " + whole.getDebugStr() + " is " +
                                 simcore::numerics::toString(shape) + ", the output is " + result.getDebugStr());
  for (const auto id : result.variables())
    if (!g.variable(id).mapped()) g.mapTensorLinearly(result);
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < whole.rank(); ++d)
    if (!std::binary_search(axes.begin(), axes.end(), d)) order.push_back(d);
  order.insert(order.end(), axes.begin(), axes.end());
  const int64_t outputs = result.numElements();
  if (outputs == 0 || (whole.numElements() == 0 && params.update)) return;
  if (whole.numElements() == 0) {
    const auto mapping = g.getTileMapping(result);
    const auto set = sg::ComputeSetId(stage(graph, sets, 0, debugContext).getId());
    for (std::size_t tile = 0; tile < mapping.size(); ++tile)
      for (const sg::Interval& i : mapping[tile])
        sp::addFillVertex(g, set, result.flatten().slice(i.begin, i.end, 0), simcore::graph::TileId(tile),
                          resultOfNone(params.op, result.elementType()));
    return;
  }
  sg::Tensor in = whole.dimShuffle(order).reshape({outputs, whole.numElements() / outputs});
  const sg::Tensor out = result.flatten();
  const int64_t partials = in.dim(1), bytes = partials * ops::elementBytes(in);
  std::size_t number = 0;
  ReduceParams last = params;
  if (bytes > kMostPartialBytes || (outputs == 1 && partials > 4096)) {
    int64_t cuts = int64_t(std::sqrt(double(partials)));
    while (partials % cuts != 0) --cuts;
    if (cuts > 1) {
      const ElementType type =
          in.elementType() == ElementType::Half && params.op != Operation::MAX ? ElementType::Float : in.elementType();
      const sg::Tensor middle =
          g.addVariable(type, {outputs * cuts}, "partials", sp::contextOf(graph, debugContext.getPathName()));
      g.mapTensorLinearly(middle);
      ReduceParams first(params.op);
      addStage(graph, in.reshape({outputs * cuts, partials / cuts}), middle, first, stage(graph, sets, number++, debugContext));
      in = middle.reshape({outputs, cuts});
      if (params.op == Operation::SQUARE_ADD) last.op = Operation::ADD;
    }
  }
  addStage(graph, in, out, last, stage(graph, sets, number, debugContext));
}

} // namespace

std::ostream& operator<<(std::ostream& out, const Operation& operation) { return out << kOperationNames[int(operation)]; }
std::istream& operator>>(std::istream& in, Operation& operation) {
  std::string name;
  in >> name;
  for (int i = 0; i < int(std::size(kOperationNames)); ++i)
    if (name == kOperationNames[i]) {
      operation = Operation(i);
      return in;
    }
  throw poputil::poplibs_error("popops: unknown operation " + name);
}

namespace {
// Among logarithms a scale is added, and an update adds the numbers whose logarithms are in the output.
bool isScaledLog(const ReduceParams& params) { return params.op == Operation::LOG_ADD && (params.useScale || params.update); }

Tensor scaledLog(Graph& graph, const Tensor& in, const Type& outType, const std::vector<std::size_t>& dims,
                 const ReduceParams& params, Sequence& prog, const DebugContext& debugContext) {
  const Tensor sum = reduce(graph, in, outType, dims, {Operation::LOG_ADD}, prog, debugContext);
  if (params.useScale) {
    const Tensor scale = params.scale.numElements() == 1 ? params.scale.reshape({}) : params.scale;
    addInPlace(graph, sum, scale.elementType() == outType ? scale : cast(graph, scale, outType, prog, debugContext), prog,
               debugContext);
  }
  return sum;
}
void refuseScaledLog(const ReduceParams& params) {
  if (isScaledLog(params))
    throw poputil::poplibs_error(
        "popops::reduce: LOG_ADD with a scale or an update is simulated in a Sequence, not in compute sets");
}
} // namespace

Tensor reduce(Graph& graph, const Tensor& in, const Type& outType, const std::vector<std::size_t>& dims, ReduceParams params,
              Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("popops::reduce", options);
  if (isScaledLog(params) && !params.update) return scaledLog(graph, in, outType, dims, params, prog, debugContext);
  if (params.update) throw poputil::poplibs_error("popops::reduce: an update needs an output: use reduceWithOutput");
  return sp::library(
      graph, prog, debugContext, "reduce",
      [](const ops::OpBuilder& b, const auto& in, const auto& outType, const auto& dims, const auto& params) {
        const sg::Tensor x = sp::inner(in);
        const auto axes = axesOf(x, dims);
        const auto shape = simcore::numerics::reducedShape(x.shape(), axes, false);
        if (x.numElements() == 0) {
          const int64_t count = simcore::numerics::elementCount(shape);
          const sg::Tensor none = b.output(sp::inner(outType), shape, "out", b.linear(count, sp::inner(outType)));
          setToNone(b, none, params);
          return none;
        }
        if (!isPerElement(x, axes)) return ops::reduceMany(b, {{x, axes, paramsOf(params), sp::inner(outType)}}).at(0);
        const sg::Tensor out = b.output(sp::inner(outType), shape, "out", b.layoutOf(x).laidOut());
        copyEach(b, x, out, params);
        return out;
      },
      in, outType, dims, params);
}
Tensor reduce(Graph& graph, const Tensor& in, const std::vector<std::size_t>& dims, ReduceParams params, Sequence& prog,
              const DebugContext& debugContext, const OptionFlags& options) {
  return reduce(graph, in, in.elementType(), dims, params, prog, debugContext, options);
}
void reduceWithOutput(Graph& graph, const Tensor& in, const Tensor& out, const std::vector<std::size_t>& dims,
                      ReduceParams params, Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("popops::reduceWithOutput", options);
  if (isScaledLog(params)) {
    namespace pe = expr;
    const Tensor sum = scaledLog(graph, in, out.elementType(), dims, params, prog, debugContext).reshape(out.shape());
    if (params.update)
      mapInPlace(graph, pe::Max(pe::_1, pe::_2) + pe::Log1p(pe::Exp(-pe::Abs(pe::_1 - pe::_2))), {out, sum}, prog, debugContext);
    else
      prog.add(poplar::program::Copy(sum, out, false, debugContext));
    return;
  }
  sp::library(
      graph, prog, debugContext, "reduce",
      [](const ops::OpBuilder& b, const auto& in, const auto& out, const auto& dims, const auto& params) {
        reduceInto(b, sp::inner(in), sp::inner(out), dims, params);
      },
      in, out, dims, params);
}

void reduceWithOutput(Graph& graph, const Tensor& in, const Tensor& out, const std::vector<std::size_t>& dims,
                      ReduceParams params, std::vector<ComputeSet>& computeSets, const DebugContext& debugContext,
                      const OptionFlags& options) {
  sp::ignoreOptions("popops::reduceWithOutput", options);
  refuseScaledLog(params);
  sp::inLibrary([&] { reduceBySets(graph, in, out, dims, params, computeSets, debugContext); });
}
Tensor reduce(Graph& graph, const Tensor& in, const Type& outType, const std::vector<std::size_t>& dims, ReduceParams params,
              std::vector<ComputeSet>& computeSets, const DebugContext& debugContext, const OptionFlags& options) {
  return sp::inLibrary([&] {
    const sg::Tensor x = sp::inner(in);
    const auto shape = simcore::numerics::reducedShape(x.shape(), axesOf(x, dims), false);
    const Tensor out = graph.addVariable(outType, sp::outerShape(shape), poplar::VariableMappingMethod::LINEAR, debugContext);
    reduceWithOutput(graph, in, out, dims, params, computeSets, debugContext, options);
    return out;
  });
}
Tensor reduce(Graph& graph, const Tensor& in, const std::vector<std::size_t>& dims, ReduceParams params,
              std::vector<ComputeSet>& computeSets, const DebugContext& debugContext, const OptionFlags& options) {
  return reduce(graph, in, in.elementType(), dims, params, computeSets, debugContext, options);
}

void reduceMany(Graph& graph, const std::vector<SingleReduceOp>& reductions, std::vector<Tensor>& outputs, Sequence& prog,
                const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("popops::reduceMany", options);
  if (!outputs.empty() && outputs.size() != reductions.size())
    throw poputil::poplibs_error("popops::reduceMany: " + std::to_string(outputs.size()) + " outputs for " +
                                 std::to_string(reductions.size()) + " reductions");
  const bool plain = std::none_of(reductions.begin(), reductions.end(), [](const SingleReduceOp& r) {
    const sg::Tensor in = sp::inner(r.in);
    return in.numElements() == 0 || isPerElement(in, axesOf(in, r.dims)) || isScaledLog(r.params);
  });
  if (!plain) { // makes the reductions one after the other
    std::vector<Tensor> made;
    for (std::size_t i = 0; i < reductions.size(); ++i) {
      const SingleReduceOp& r = reductions[i];
      if (outputs.empty())
        made.push_back(reduce(graph, r.in, r.useOutType ? r.outType : r.in.elementType(), r.dims, r.params, prog, debugContext));
      else
        reduceWithOutput(graph, r.in, outputs[i], r.dims, r.params, prog, debugContext);
    }
    if (outputs.empty()) outputs = made;
    return;
  }
  const auto given = sp::inner(poplar::ArrayRef<Tensor>(outputs));
  const auto results = sp::library(
      graph, prog, debugContext, "reduceMany",
      [](const ops::OpBuilder& b, const auto& reductions, const auto& given) {
        std::vector<ops::SingleReduce> all;
        for (const SingleReduceOp& r : reductions) {
          const sg::Tensor x = sp::inner(r.in);
          all.push_back({x, axesOf(x, r.dims), paramsOf(r.params), sp::inner(r.useOutType ? r.outType : r.in.elementType())});
        }
        return ops::reduceMany(b, all, given);
      },
      reductions, given);
  if (outputs.empty())
    for (const sg::Tensor& t : results) outputs.push_back(sp::outer(t));
}

Tensor allTrue(Graph& graph, Tensor tensor, Sequence& prog, const DebugContext& debugContext) {
  if (tensor.elementType() != poplar::BOOL)
    throw poputil::poplibs_error("popops::allTrue: " + tensor.getDebugStr() + " is not BOOL");
  return sp::library(
      graph, prog, debugContext, "allTrue",
      [](const ops::OpBuilder& b, const auto& tensor) { return ops::allTrue(b, sp::inner(tensor)); }, tensor);
}

namespace {
Tensor anyOf(Graph& graph, const Tensor& tensor, bool infinite, Sequence& prog, const DebugContext& debugContext,
             const char* kind) {
  return sp::library(
      graph, prog, debugContext, kind,
      [](const ops::OpBuilder& b, const auto& tensor, const auto& infinite) {
        const sg::Tensor x = sp::inner(tensor).flatten();
        const ops::Expression finds = infinite ? !ops::Expression::unary(simcore::codelets::UnaryOp::IsFinite, ops::_1)
                                               : ops::Expression::unary(simcore::codelets::UnaryOp::IsNan, ops::_1);
        const sg::Tensor found = ops::map(b, finds, {x});
        return ops::reduceMany(b, {{found, {0}, {simcore::codelets::ReduceOp::LogicalOr, {}, false}, ElementType::Bool}}).at(0);
      },
      tensor, infinite);
}
} // namespace

Tensor hasNaN(Graph& graph, const Tensor& tensor, Sequence& prog, const DebugContext& debugContext) {
  return anyOf(graph, tensor, false, prog, debugContext, "hasNaN");
}
Tensor hasNaNOrInf(Graph& graph, const Tensor& tensor, Sequence& prog, const DebugContext& debugContext) {
  return anyOf(graph, tensor, true, prog, debugContext, "hasNaNOrInf");
}

} // namespace popops
