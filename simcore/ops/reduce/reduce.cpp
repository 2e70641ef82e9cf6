#include "simcore/ops/reduce/reduce.h"

#include "reports/core/error.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/normalisation.h"
#include "simcore/numerics/reduce.h"
#include "simcore/ops/cells/cellwise.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/reduce/reduce_lowering.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace simcore::ops {

using codelets::ReduceOp;
using numerics::HostTensor;

namespace {

numerics::ReduceKind kindOf(ReduceOp op) {
  switch (op) {
  case ReduceOp::Add: return numerics::ReduceKind::Sum;
  case ReduceOp::Maximum:
  case ReduceOp::LogicalOr: return numerics::ReduceKind::Max; // the values are 0 and 1
  case ReduceOp::Minimum:
  case ReduceOp::LogicalAnd: return numerics::ReduceKind::Min;
  case ReduceOp::Multiply: return numerics::ReduceKind::Prod;
  case ReduceOp::SquareAdd: return numerics::ReduceKind::SumSquare;
  case ReduceOp::LogAdd: return numerics::ReduceKind::LogSumExp;
  }
  return numerics::ReduceKind::Sum;
}

bool isLogical(ReduceOp op) { return op == ReduceOp::LogicalAnd || op == ReduceOp::LogicalOr; }

// One reduction: planned, emitted together with others, then given its numbers.
class Reduction {
public:
  // A new output gets the mapping of one of `others` with the same type and element count.
  Reduction(const OpBuilder& b, const SingleReduce& what, bool keepDims, const Tensor& given,
            OutputPlace place = OutputPlace::AsVariable, const std::vector<Tensor>& others = {})
      : m_b(b), m_what(what), m_keepDims(keepDims), m_x(b.local(what.in)), m_lowering(b, typesOf(given), what.params.scale) {
    const Shape shape = numerics::reducedShape(m_x.shape(), what.axes, keepDims);
    require(given, shape);
    const auto like = std::find_if(others.begin(), others.end(), [&](const Tensor& t) {
      return t.valid() && t.wholeVariable().valid() && t.numElements() == numerics::elementCount(shape) &&
             t.elementType() == typesOf(given).output;
    });
    m_out = m_lowering.plan(m_x, what.axes, shape, given, place, like == others.end() ? Tensor() : *like);
  }

  const ReduceLowering& lowering() const { return m_lowering; }
  const Tensor& out() const { return m_out; }

  void attach(HostKernel kernel) const {
    if (m_b.byCells() && m_x.numElements() > 0)
      kernel =
          cellwiseReduce(kindOf(m_what.params.op), m_b.layoutOf(m_x), m_x.shape(), m_what.axes, m_keepDims, m_lowering.group());
    else if (!kernel && m_b.withNumbers())
      kernel = oneResult([op = m_what.params.op, axes = m_what.axes, keepDims = m_keepDims](const std::vector<HostTensor>& in) {
        if (isLogical(op))
          return numerics::reduce(kindOf(op), in[0].cast(ElementType::Bool).cast(ElementType::Int32), axes, keepDims)
              .cast(ElementType::Bool);
        return numerics::reduce(kindOf(op), in[0], axes, keepDims);
      });
    if (!kernel) return;
    const ReduceParams& p = m_what.params;
    std::vector<Tensor> reads{m_x};
    if (p.scale.valid()) reads.push_back(p.scale);
    if (p.update) reads.push_back(m_out);
    if (reads.size() > 1)
      kernel = oneResult([kernel = std::move(kernel), scales = p.scale.valid(), updates = p.update,
                          shape = m_out.shape()](const std::vector<HostTensor>& in) {
        std::vector<double> values = kernel({in[0]}).at(0).toDoubles();
        const std::vector<double> before = updates ? in.back().toDoubles() : std::vector<double>(values.size(), 0.0);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = before[i] + values[i] * (scales ? in[1].at(0) : 1.0);
        return HostTensor::of(shape, values);
      });
    m_b.compute(reads, {m_out}, std::move(kernel));
  }

private:
  codelets::ReduceTypes typesOf(const Tensor& given) const {
    codelets::ReduceTypes types;
    types.op = m_what.params.op;
    types.partials = m_x.elementType();
    types.output = given.valid() ? given.elementType() : m_what.as.value_or(m_x.elementType());
    types.scale = m_what.params.scale.valid();
    types.update = m_what.params.update;
    return types;
  }
  void require(const Tensor& given, const Shape& shape) const {
    const auto refuse = [&](const std::string& what) {
      throw reports::Error(reports::ErrorCode::InvalidInput, what, m_b.graph().fullName(m_b.context()));
    };
    const ReduceParams& p = m_what.params;
    if (p.scale.valid() && p.scale.numElements() != 1) refuse("the scale " + p.scale.getDebugStr() + " is not one value");
    if (!given.valid()) {
      if (p.update) refuse("a reduction that updates its output needs the output tensor");
      return;
    }
    if (given.shape() != shape)
      refuse("the result of reducing " + m_x.getDebugStr() + " is " + numerics::toString(shape) + ", the output is " +
             given.getDebugStr());
    m_b.requireLocal(given);
  }

  const OpBuilder& m_b;
  SingleReduce m_what;
  bool m_keepDims;
  Tensor m_x, m_out;
  ReduceLowering m_lowering;
};

} // namespace

Tensor reduce(const OpBuilder& builder, const Tensor& x, const std::vector<std::size_t>& axes, ReduceOp op, bool keepDims,
              HostKernel kernel, std::optional<ElementType> as) {
  const OpBuilder b = builder.within("reduce", "reduce");
  const Reduction reduction(b, {x, axes, {op, {}, false}, as}, keepDims, {});
  emitStages(b, {reduction.lowering()});
  reduction.attach(std::move(kernel));
  return reduction.out();
}

void reduceWithOutput(const OpBuilder& builder, const Tensor& x, const Tensor& out, const std::vector<std::size_t>& axes,
                      const ReduceParams& params) {
  const OpBuilder b = builder.within("reduce", "reduce");
  const Reduction reduction(b, {x, axes, params, {}}, false, out);
  emitStages(b, {reduction.lowering()});
  reduction.attach({});
}

std::vector<Tensor> reduceMany(const OpBuilder& builder, const std::vector<SingleReduce>& reductions,
                               const std::vector<Tensor>& outputs, const Tensor& near, OutputPlace place) {
  if (reductions.empty()) return {};
  if (!outputs.empty() && outputs.size() != reductions.size())
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         std::to_string(outputs.size()) + " outputs for " + std::to_string(reductions.size()) + " reductions",
                         builder.graph().fullName(builder.context()));
  const OpBuilder b = builder.within("reduceMany", "reduce");
  std::vector<Reduction> planned;
  std::vector<ReduceLowering> lowerings;
  std::vector<Tensor> results{near};
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    const Reduction& r = planned.emplace_back(b, reductions[i], false, outputs.empty() ? Tensor() : outputs[i], place, results);
    lowerings.push_back(r.lowering());
    results.push_back(r.out());
  }
  emitStages(b, lowerings);
  for (const Reduction& r : planned) r.attach({});
  results.erase(results.begin());
  return results;
}

Tensor allTrue(const OpBuilder& builder, const Tensor& x) {
  std::vector<std::size_t> axes(x.rank());
  std::iota(axes.begin(), axes.end(), std::size_t(0));
  if (x.elementType() != ElementType::Bool)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         x.getDebugStr() + " is " + numerics::elementTypeName(x.elementType()) + ", not bool", "allTrue",
                         "compare it with something first");
  return reduce(builder, x, axes, ReduceOp::LogicalAnd, false);
}

Tensor softmax(const OpBuilder& builder, const Tensor& operand, std::size_t axis, bool logarithm, HostKernel kernel) {
  const OpBuilder b = builder.within(logarithm ? "logSoftmax" : "softmax", "softmax");
  const Tensor x = b.local(operand);
  // Vertex by vertex, the parts compute the numbers, else one kernel.
  const bool parts = b.byCells();
  const OpBuilder t = parts ? b : b.timeOnly();
  using codelets::BinaryOp;
  using codelets::UnaryOp;
  const Tensor largest = reduce(t, x, {axis}, ReduceOp::Maximum, true);
  const Tensor shifted = binary(t, BinaryOp::Subtract, x, largest);
  const Tensor exponent = unary(t, UnaryOp::Exp, shifted);
  const Tensor sum = reduce(t, exponent, {axis}, ReduceOp::Add, true);
  Tensor out;
  if (logarithm) {
    out = binary(t, BinaryOp::Subtract, shifted, unary(t, UnaryOp::Log, sum));
  } else {
    out = binary(t, BinaryOp::Multiply, exponent, unary(t, UnaryOp::Inverse, sum));
  }
  if (parts) return out;
  if (!kernel && b.withNumbers())
    kernel = [axis, logarithm](const std::vector<HostTensor>& in) {
      return std::vector<HostTensor>{logarithm ? numerics::logSoftmax(in[0], axis) : numerics::softmax(in[0], axis)};
    };
  if (kernel) b.compute({x}, {out}, std::move(kernel));
  return out;
}

namespace {

HostTensor scaled(const HostTensor& x, double factor) {
  return numerics::binary(numerics::BinaryKind::Mul, x, HostTensor::full(x.type(), {}, factor));
}

// Computes 1 / sqrt(variance + epsilon) from sums and sums of squares.
HostKernel inverseDeviation(double count, double epsilon) {
  return oneResult([count, epsilon](const std::vector<HostTensor>& in) {
    std::vector<double> out;
    for (int64_t i = 0; i < in[0].count(); ++i) {
      const double mean = in[1].at(i) / count;
      out.push_back(1 / std::sqrt(std::max(0.0, in[0].at(i) / count - mean * mean) + epsilon));
    }
    return HostTensor::of(in[0].shape(), out).cast(in[0].type());
  });
}

} // namespace

Whitened whiten(const OpBuilder& builder, const Tensor& operand, const std::vector<std::size_t>& axes,
                const std::vector<Tensor>& parameters, double epsilon) {
  using codelets::BinaryOp;
  const OpBuilder& t = builder;
  const Tensor x = t.local(operand);
  const ElementType type = x.elementType();
  // popnn's default: float. A small variance is the difference of two large sums and is lost in float. Vertex by vertex, the host
  // computes in double although the machine uses float, like the kernels of the fast path.
  const ElementType statistics = t.byCells() ? ElementType::Double : type == ElementType::Half ? ElementType::Float : type;
  double count = 1;
  for (const std::size_t a : axes) count *= double(x.dim(a));
  const auto ifNumbers = [&](HostKernel kernel) { return t.withNumbers() ? std::move(kernel) : HostKernel{}; };
  Whitened result;
  // Both sums in one pass over x.
  const auto sums = reduceMany(t, {{x, axes, {ReduceOp::Add}, statistics}, {x, axes, {ReduceOp::SquareAdd}, statistics}});
  const Shape kept = numerics::reducedShape(x.shape(), axes, true);
  const Tensor sum = sums[0].reshape(kept), power = sums[1].reshape(kept);
  result.inverseDeviation =
      map(t, "invStdDev",
          {{BinaryOp::Multiply, statistics}, {BinaryOp::Subtract, statistics}, {BinaryOp::VarianceToInvStdDev, statistics}},
          {power, sum}, statistics, power.shape(), ifNumbers(inverseDeviation(count, epsilon)));
  std::vector<Tensor> inputs{x, sum, result.inverseDeviation};
  std::vector<codelets::MapStep> steps{{BinaryOp::Subtract, type}, {BinaryOp::Multiply, type}};
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    inputs.push_back(parameters[i]);
    steps.push_back({i == 0 ? BinaryOp::Multiply : BinaryOp::Add, type});
  }
  result.sum = sum;
  result.out = map(t, "whiten", steps, inputs, type, x.shape(), ifNumbers(oneResult([count](const std::vector<HostTensor>& in) {
                     using numerics::BinaryKind;
                     const ElementType as = in[0].type();
                     HostTensor y = numerics::binary(BinaryKind::Sub, in[0], scaled(in[1].cast(as), 1 / count));
                     y = numerics::binary(BinaryKind::Mul, y, in[2].cast(as));
                     if (in.size() > 3) y = numerics::binary(BinaryKind::Mul, y, in[3].cast(as));
                     if (in.size() > 4) y = numerics::binary(BinaryKind::Add, y, in[4].cast(as));
                     return y;
                   })));
  return result;
}

Tensor normalise(const OpBuilder& builder, const Tensor& x, const std::vector<std::size_t>& axes,
                 const std::vector<Tensor>& parameters, double epsilon, HostKernel kernel) {
  const OpBuilder b = builder.within("norm", "norm");
  // Vertex by vertex, the parts compute the numbers, else one kernel.
  const Tensor out = whiten(b.byCells() ? b : b.timeOnly(), x, axes, parameters, epsilon).out;
  if (kernel && !b.byCells()) {
    std::vector<Tensor> all{x};
    all.insert(all.end(), parameters.begin(), parameters.end());
    b.compute(all, {out}, std::move(kernel));
  }
  return out;
}

Tensor groupNorm(const OpBuilder& builder, const Tensor& x, const Tensor& gamma, const Tensor& beta, int64_t groups,
                 float epsilon) {
  // Viewed as [N, groups, channels per group, positions], the statistics are over the last two axes.
  const int64_t batch = x.dim(0), channels = x.dim(1), inGroup = channels / groups,
                positions = x.numElements() / (batch * channels);
  const Tensor grouped = x.reshape({batch, groups, inGroup, positions});
  const Shape perChannel{1, groups, inGroup, 1};
  HostKernel kernel;
  const Shape &shape = x.shape(), &seen = grouped.shape();
  if (builder.withNumbers())
    kernel = oneResult([shape, seen, groups, epsilon](const std::vector<HostTensor>& in) {
      const auto flat = [](const HostTensor& t) { return t.reshaped({t.count()}); };
      return numerics::groupNorm(in[0].reshaped(shape), flat(in[1]), flat(in[2]), groups, epsilon).reshaped(seen);
    });
  return normalise(builder, grouped, {2, 3}, {gamma.reshape(perChannel), beta.reshape(perChannel)}, double(epsilon),
                   std::move(kernel))
      .reshape(shape);
}

} // namespace simcore::ops
