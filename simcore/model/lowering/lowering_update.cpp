// Weight updates on the machine: parameter and state are variables and change where they lie; gradients come to them. State
// is always float (lowering_training.cpp): squares of gradients and counts of steps do not fit half precision.
#include "simcore/codelets/copy.h"
#include "simcore/model/lowering/lowering_scope.h"
#include "simcore/model/lowering/lowering_support.h"
#include "simcore/model/lowering/node_lowering.h"
#include "simcore/model/lowering/row_transfer.h"
#include "simcore/model/parallel/state_shards.h"
#include "simcore/model/training/optimiser.h"

#include <cmath>
#include <numeric>

namespace simcore::model {

using codelets::BinaryOp;
using codelets::MapStep;
using codelets::ReduceOp;
using codelets::UnaryOp;
using graph::Tensor;
using numerics::ElementType;

namespace {

std::int64_t shardsOf(const NodeLowering& n) { return n.call().attributes().integer("shards", 1); }

// State lies like its parameter.
Tensor stateLike(NodeLowering& n, std::size_t i, const Tensor& parameter) {
  const Tensor state = n.input(i);
  graph::Graph& g = n.time().graph();
  const auto id = state.wholeVariable();
  if (id.valid() && !g.variable(id).mapped()) {
    const graph::Distribution layout = n.time().layoutOf(parameter);
    g.setDistribution(state, layout.shape() == state.shape() ? layout : layout.flattened());
  }
  return state;
}

std::size_t mergedIn(const NodeLowering& n) { return std::size_t(n.call().attributes().integer(kMerged, 1)); }

// The tensors of an update: all of them whole, or this replica's shares of all. Those of a merged one are one after the other.
class UpdateOperands {
public:
  explicit UpdateOperands(NodeLowering& n) : m_n(n), m_shards(shardsOf(n)), m_count(mergedIn(n)) {
    const Tensor whole = n.input(0);
    m_parameter = m_count > 1 ? joined(0) : whole;
    if (m_shards > 1) {
      const ops::OpBuilder& b = n.time();
      m_parameter = addShare(b, whole.elementType(), whole.shape(), "ownShare", m_shards);
      const auto& held = b.graph().variable(m_parameter.wholeVariable()).extraBytes;
      graph::PerTile elements;
      for (const auto& r : held.runs()) elements.add(r.tiles, r.value / ops::elementBytes(whole));
      b.exchange("ownShare", {whole}, {m_parameter}, graph::trafficBlind(b.layoutOf(whole), elements, ops::elementBytes(whole)));
    }
  }
  Tensor parameter() const { return held(m_parameter); }
  Tensor gradient() { return m_count > 1 ? joined(m_count) : held(m_n.input(1)); }
  Tensor rate() { return m_n.input(2 * m_count); }
  Tensor step() { return m_n.input(m_n.call().inputCount() - 1); }
  bool hasState() const { return m_n.has(2 * m_count + 1); }
  Tensor state(std::size_t which) {
    const std::size_t first = 2 * m_count + 1 + which * m_count;
    if (m_count > 1) {
      for (std::size_t k = 0; k < m_count; ++k) stateLike(m_n, first + k, m_n.input(k));
      return joined(first);
    }
    if (m_shards > 1) {
      const Tensor state = m_n.input(first);
      if (!m_n.time().graph().variable(state.wholeVariable()).mapped()) makeShare(m_n.time(), state, m_shards);
    } else {
      stateLike(m_n, first, m_parameter);
    }
    return held(m_n.input(first));
  }
  void give(std::size_t states) {
    // The norms of lamb are of the whole parameter.
    if (m_shards == 1 && m_count == 1 && m_n.call().attributes().text("mode", "") != "lamb") m_n.computeByCells(m_parameter);
    for (std::size_t k = 0; k < m_count; ++k) m_n.give(m_count > 1 ? m_n.input(k) : m_parameter, k);
    for (std::size_t i = 0; i < states * m_count; ++i) m_n.give(m_n.input(2 * m_count + 1 + i), m_count + i);
  }

private:
  Tensor held(const Tensor& t) const { return m_shards > 1 ? heldPart(t, m_shards) : t; }
  Tensor joined(std::size_t first) {
    std::vector<Tensor> parts;
    for (std::size_t k = 0; k < m_count; ++k) parts.push_back(m_n.input(first + k).flatten());
    return graph::concat(parts);
  }

  NodeLowering& m_n;
  std::int64_t m_shards;
  std::size_t m_count;
  Tensor m_parameter;
};

std::vector<MapStep> steps(ElementType type, std::initializer_list<decltype(MapStep::op)> operations) {
  std::vector<MapStep> list;
  for (const auto& op : operations) list.push_back({op, type});
  return list;
}

void lowerSgd(NodeLowering& n) {
  UpdateOperands of(n);
  const Tensor w = of.parameter(), g = of.gradient();
  const Attributes& a = n.call().attributes();
  const ElementType type = w.elementType();
  const bool decays = a.real("weight_decay", 0) != 0;
  if (!of.hasState()) {
    if (decays) ops::mapInPlace(n.time(), "decay", {{BinaryOp::Multiply, type}}, {w});
    ops::scaledAddTo(n.time(), w, g, -1);
    return of.give(0);
  }
  const Tensor v = of.state(0);
  ops::scaledAddTo(n.time(), v, g, 1);
  if (decays) ops::scaledAddTo(n.time(), v, w, 1);
  ops::scaledAddTo(n.time(), w, v, -1);
  if (a.integer("nesterov", 0)) ops::scaledAddTo(n.time(), w, g, -1);
  of.give(1);
}

// The squared norms of the parameter and its update; those of shares are added up over the replicas.
std::pair<Tensor, Tensor> squaredNorms(NodeLowering& n, const Tensor& w, const Tensor& update) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < w.rank(); ++i) all.push_back(i);
  const Tensor weights = ops::reduce(n.time(), w, all, ReduceOp::SquareAdd, false),
               length = ops::reduce(n.time(), update, all, ReduceOp::SquareAdd, false);
  if (shardsOf(n) > 1)
    ops::allReduce(n.time(), ops::CollectiveOp::Add, {graph::concat(weights.reshape({1}), length.reshape({1}))});
  return {weights, length};
}

// Lamb needs two norms of the whole parameter between its maps, so its parts say their numbers one by one.
void lambByVertices(NodeLowering& n, const Tensor& w, const Tensor& g, const Tensor& m, const Tensor& v) {
  using Values = std::vector<numerics::HostTensor>;
  const Attributes& a = n.call().attributes();
  const double b1 = double(a.real("beta1", 0.9f)), b2 = double(a.real("beta2", 0.999f)),
               epsilon = double(a.real("epsilon", 1e-8f)), decay = double(a.real("weight_decay", 0)),
               divisor = double(a.real("gradient_divisor", 1));
  const Tensor step = n.input(5), rate = n.input(2);
  const ElementType type = w.elementType();
  // A kernel that computes each element from those of its inputs.
  const auto each = [](std::function<double(const std::vector<double>&)> f) {
    return ops::oneResult([f = std::move(f)](const Values& in) {
      std::vector<double> out, at(in.size());
      for (std::int64_t i = 0; i < in[0].count(); ++i) {
        for (std::size_t k = 0; k < at.size(); ++k) at[k] = in[k].at(i);
        out.push_back(f(at));
      }
      return numerics::HostTensor::of(in[0].shape(), out).cast(in[0].type());
    });
  };
  ops::mapInPlace(n.parts(), "firstMoment", steps(type, {BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Add}), {m, g},
                  each([=](const auto& x) { return b1 * x[0] + (1 - b1) * x[1] / divisor; }));
  ops::mapInPlace(n.parts(), "secondMoment",
                  steps(type, {UnaryOp::Square, BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Add}), {v, g},
                  each([=](const auto& x) { return b2 * x[0] + (1 - b2) * (x[1] / divisor) * (x[1] / divisor); }));
  const Tensor update =
      ops::map(n.parts(), "update", steps(type, {UnaryOp::Sqrt, BinaryOp::Add, BinaryOp::Divide, BinaryOp::Multiply}),
               {m, v, w, step}, type, w.shape(), each([=](const auto& x) {
                 return x[0] / (1 - std::pow(b1, x[3])) / (std::sqrt(x[1] / (1 - std::pow(b2, x[3]))) + epsilon) + decay * x[2];
               }));
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < w.rank(); ++i) all.push_back(i);
  const Tensor weights = ops::reduce(n.parts(), w, all, ReduceOp::SquareAdd, false),
               length = ops::reduce(n.parts(), update, all, ReduceOp::SquareAdd, false);
  const Tensor trust = ops::map(n.parts(), "trustRatio", steps(type, {BinaryOp::Divide, UnaryOp::Sqrt}), {weights, length}, type,
                                {}, each([](const auto& x) { return x[0] > 0 && x[1] > 0 ? std::sqrt(x[0] / x[1]) : 1.0; }));
  ops::mapInPlace(n.parts(), "weights", steps(type, {BinaryOp::Multiply, BinaryOp::Subtract}), {w, update, trust, rate},
                  each([](const auto& x) { return x[0] - x[3] * x[2] * x[1]; }));
}

void lowerAdam(NodeLowering& n) {
  UpdateOperands of(n);
  const Tensor w = of.parameter(), g = of.gradient(), m = of.state(0), v = of.state(1), step = of.step();
  const ElementType type = w.elementType();
  if (n.call().attributes().text("mode", "adam") == "lamb" && n.byVertices() && shardsOf(n) == 1) {
    lambByVertices(n, w, g, m, v);
    return of.give(2);
  }
  ops::mapInPlace(n.time(), "firstMoment", steps(type, {BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Add}), {m, g});
  ops::mapInPlace(n.time(), "secondMoment", steps(type, {UnaryOp::Square, BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Add}),
                  {v, g});
  const auto ratio = steps(type, {UnaryOp::Sqrt, BinaryOp::Add, BinaryOp::Divide, BinaryOp::Multiply});
  if (n.call().attributes().text("mode", "adam") == "lamb") {
    const Tensor update = ops::map(n.time(), "update", ratio, {m, v, w, step}, type, w.shape());
    const auto [weights, length] = squaredNorms(n, w, update);
    const Tensor trust =
        ops::map(n.time(), "trustRatio", steps(type, {BinaryOp::Divide, UnaryOp::Sqrt}), {weights, length}, type, {});
    ops::mapInPlace(n.time(), "weights", steps(type, {BinaryOp::Multiply, BinaryOp::Subtract}), {w, update, trust});
  } else {
    auto last = ratio;
    last.push_back({BinaryOp::Subtract, type});
    ops::mapInPlace(n.time(), "weights", last, {w, m, v, step});
  }
  of.give(2);
}

void lowerSquares(NodeLowering& n) {
  UpdateOperands of(n);
  const Tensor w = of.parameter(), g = of.gradient(), v = of.state(0);
  const ElementType type = w.elementType();
  ops::mapInPlace(n.time(), "secondMoment", steps(type, {UnaryOp::Square, BinaryOp::Multiply, BinaryOp::Add}), {v, g});
  ops::mapInPlace(n.time(), "weights", steps(type, {UnaryOp::Sqrt, BinaryOp::Add, BinaryOp::Divide, BinaryOp::Subtract}),
                  {w, g, v});
  of.give(1);
}

void lowerAccumulate(NodeLowering& n) {
  const Tensor gradient = n.input(1), sum = stateLike(n, 0, gradient);
  ops::scaledAddTo(n.time(), sum, gradient, 1);
  n.computeByCells(sum);
  n.give(sum);
}
void lowerSetZero(NodeLowering& n) {
  if (const std::size_t count = mergedIn(n); count > 1) {
    std::vector<Tensor> parts;
    for (std::size_t k = 0; k < count; ++k) parts.push_back(n.input(k).flatten());
    ops::zero(n.time(), graph::concat(parts));
    for (std::size_t k = 0; k < count; ++k) n.give(n.input(k), k);
    return;
  }
  const Tensor x = n.input(0);
  ops::zero(n.time(), x);
  n.computeByCells(x);
  n.give(x);
}
void lowerCountStep(NodeLowering& n) {
  const Tensor count = n.input(0);
  ops::mapInPlace(n.parts(), "count", steps(count.elementType(), {BinaryOp::Add}), {count}, n.own({0}));
  n.give(count);
}

ops::HostKernel total(const NodeLowering& n) {
  return partKernel(n, [](const std::vector<numerics::HostTensor>& in) {
    double sum = 0;
    for (const numerics::HostTensor& t : in) sum += t.at(0);
    return numerics::HostTensor::full(in[0].type(), in[0].shape(), sum);
  });
}

// A square sum of each gradient where it lies, then of all of them.
void lowerSquareSum(NodeLowering& n) {
  const std::int64_t shards = shardsOf(n);
  const ops::OpBuilder& builder = shards > 1 ? n.time() : n.parts();
  std::vector<Tensor> sums;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i) {
    const Tensor gradient = shards > 1 ? heldPart(n.input(i), shards) : n.input(i).flatten();
    sums.push_back(ops::reduce(builder, gradient, {0}, ReduceOp::SquareAdd, false, {}, ElementType::Float));
  }
  const std::vector<MapStep> expression(sums.size(), MapStep{BinaryOp::Add, ElementType::Float});
  const Tensor sum = ops::map(builder, "squareSum", expression, sums, ElementType::Float, {}, total(n));
  if (shards > 1) ops::allReduce(n.time(), ops::CollectiveOp::Add, {sum.reshape({1})});
  n.give(sum);
}
void lowerClipFactor(NodeLowering& n) {
  std::vector<Tensor> sums;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i) sums.push_back(n.input(i));
  std::vector<MapStep> expression(sums.size() - 1, MapStep{BinaryOp::Add, ElementType::Float});
  for (const MapStep& step : steps(ElementType::Float, {UnaryOp::Sqrt, BinaryOp::Maximum, BinaryOp::Divide}))
    expression.push_back(step);
  std::vector<std::size_t> all(sums.size());
  std::iota(all.begin(), all.end(), 0);
  n.give(ops::map(n.parts(), "clipFactor", expression, sums, ElementType::Float, {}, n.own(all)));
}
// popops' gatherStatistics with two bins, for which a comparison and a sum stand.
void lowerCountLarge(NodeLowering& n) {
  const std::int64_t shards = shardsOf(n);
  const ops::OpBuilder& builder = shards > 1 ? n.time() : n.parts();
  const double limit = double(n.call().attributes().real("limit", 1));
  std::vector<Tensor> counts;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i) {
    const Tensor gradient = shards > 1 ? heldPart(n.input(i), shards) : n.input(i).flatten();
    const ElementType type = gradient.elementType();
    const Tensor large = ops::map(builder, "large", steps(type, {UnaryOp::Absolute, BinaryOp::Greater}), {gradient}, type,
                                  gradient.shape(), partKernel(n, [limit](const std::vector<numerics::HostTensor>& in) {
                                    std::vector<double> out;
                                    for (const double v : in[0].toDoubles()) out.push_back(std::abs(v) <= limit ? 0 : 1);
                                    return numerics::HostTensor::of(in[0].shape(), out).cast(in[0].type());
                                  }));
    counts.push_back(ops::reduce(builder, large, {0}, ReduceOp::Add, false, {}, ElementType::Float));
  }
  const std::vector<MapStep> expression(counts.size(), MapStep{BinaryOp::Add, ElementType::Float});
  const Tensor count = ops::map(builder, "count", expression, counts, ElementType::Float, {}, total(n));
  if (shards > 1) ops::allReduce(n.time(), ops::CollectiveOp::Add, {count.reshape({1})});
  n.give(count);
}
void lowerUnscaleFactor(NodeLowering& n) {
  n.give(ops::map(n.parts(), "factor", steps(ElementType::Float, {BinaryOp::Divide}), {n.input(0)}, ElementType::Float, {},
                  n.own({0})));
}
void lowerLossScaleUpdate(NodeLowering& n) {
  const Tensor scale = n.input(0);
  std::vector<Tensor> operands{scale};
  for (std::size_t i = 1; i < n.call().inputCount(); ++i) operands.push_back(n.input(i));
  std::vector<MapStep> expression(operands.size(), MapStep{BinaryOp::Add, ElementType::Float});
  for (const MapStep& step : steps(ElementType::Float, {BinaryOp::Greater, BinaryOp::Multiply})) expression.push_back(step);
  std::vector<std::size_t> all(operands.size());
  std::iota(all.begin(), all.end(), 0);
  ops::mapInPlace(n.parts(), "scale", expression, operands, n.own(all));
  n.give(scale);
}
void lowerScaleGradient(NodeLowering& n) {
  const Tensor gradient = n.input(0);
  const Tensor part = shardsOf(n) > 1 ? heldPart(gradient, shardsOf(n)) : gradient;
  ops::mapInPlace(n.time(), "scale", steps(part.elementType(), {BinaryOp::Multiply}), {part, n.input(1)});
  if (shardsOf(n) == 1) n.computeByCells(gradient);
  n.give(gradient);
}

// Inputs of one type that go round the ring together: few rounds cost little latency, and none needs a buffer for everything.
std::vector<std::pair<ElementType, std::vector<std::size_t>>> ringLoads(NodeLowering& n, std::size_t count) {
  constexpr std::int64_t kBytes = std::int64_t(16) << 20;
  std::vector<std::pair<ElementType, std::vector<std::size_t>>> loads;
  std::map<ElementType, std::pair<std::size_t, std::int64_t>> open; // by type: which load, its bytes
  for (std::size_t i = 0; i < count; ++i) {
    const Tensor input = n.input(i);
    const ElementType type = input.elementType();
    const std::int64_t bytes = input.numElements() * ops::elementBytes(type);
    auto load = open.find(type);
    if (load == open.end() || load->second.second + bytes > kBytes) {
      open[type] = {loads.size(), 0};
      load = open.find(type);
      loads.push_back({type, {}});
    }
    loads[load->second.first].second.push_back(i);
    load->second.second += bytes;
  }
  return loads;
}
void lowerAllReduce(NodeLowering& n) {
  n.averageOverReplicas();
  for (const auto& [type, inputs] : ringLoads(n, n.call().inputCount())) {
    std::vector<Tensor> parts;
    for (const std::size_t i : inputs) parts.push_back(n.input(i).flatten());
    ops::allReduce(n.parts(), ops::CollectiveOp::Mean, {graph::concat(parts)});
    for (const std::size_t i : inputs) n.give(n.input(i), i);
  }
}
// The ring leaves the shares of all gradients one after the other; a copy on each tile parts them.
void lowerReduceScatter(NodeLowering& n) {
  n.averageOverReplicas();
  const std::int64_t replicas = n.call().attributes().integer("replicas", 1);
  for (const auto& [type, inputs] : ringLoads(n, n.call().inputCount())) {
    std::vector<Tensor> parts, shares;
    graph::PerTile copies;
    for (const std::size_t i : inputs) {
      parts.push_back(n.input(i).flatten());
      shares.push_back(addShare(n.time(), type, n.outputShape(i), "share", replicas));
      copies.add(n.time().graph().variable(shares.back().wholeVariable()).extraBytes);
      n.give(shares.back(), i);
    }
    const auto reduced = ops::reduceScatter(n.time(), ops::CollectiveOp::Mean, {graph::concat(parts)});
    graph::PerTile cycles;
    for (const auto& r : copies.runs()) cycles.add(r.tiles, codelets::memcpyCycles(n.time().tile(), r.value, 4).cycles.value());
    n.time().exchange("shares", reduced, shares, {}, cycles);
  }
}
void lowerAllGather(NodeLowering& n) {
  const std::size_t count = n.call().inputCount() / 2;
  const std::int64_t replicas = n.call().attributes().integer("replicas", 1);
  for (const auto& [type, inputs] : ringLoads(n, count)) {
    std::vector<Tensor> held, whole;
    for (const std::size_t i : inputs) {
      held.push_back(heldPart(n.input(i), replicas));
      whole.push_back(n.input(count + i));
    }
    const Tensor all = ops::allGather(n.time(), {graph::concat(held)}).at(0);
    for (std::size_t k = 0; k < inputs.size(); ++k) { // back to the layout of the parameter
      const graph::Distribution layout = n.time().layoutOf(whole[k]);
      n.time().exchange("parameter", {all}, {whole[k]},
                        graph::trafficBlind(layout, layout.elementsByTile(), ops::elementBytes(whole[k])));
      n.give(whole[k], inputs[k]);
    }
  }
}

// The values of a transfer one after the other, or this replica's shares of them.
Tensor transferred(const NodeLowering& n, const std::vector<Tensor>& values) {
  if (values.size() == 1) return shardsOf(n) > 1 ? heldPart(values[0], shardsOf(n)) : values[0];
  std::vector<Tensor> parts;
  for (const Tensor& value : values) parts.push_back(shardsOf(n) > 1 ? heldPart(value, shardsOf(n)) : value.flatten());
  return graph::concat(parts);
}

// The buffer is named in the node; where the loaded values lie is up to who reads them first.
void lowerRemoteLoad(NodeLowering& n) {
  const std::string& name = n.call().attributes().text("buffer", "");
  const ops::OpBuilder b(n.time().graph(), n.time().program(), n.time().context(), true, n.time().ipu());
  std::vector<Tensor> values;
  for (std::size_t i = 0; i < n.node().outputs.size(); ++i) {
    const std::string& variable = n.node().outputs.size() > 1 ? n.node().inputs[i] : name;
    values.push_back(
        b.graph().addVariable(n.scope().remoteType(variable, n.outputType(i)), n.outputShape(i), variable, b.context()));
    if (shardsOf(n) > 1) makeShare(b, values.back(), shardsOf(n));
  }
  const Tensor all = transferred(n, values);
  const auto buffer = n.scope().remoteBuffer(name, all, b);
  rowsFromHost(b, {buffer.elements, buffer.repeats}, all, [&](const Tensor& t, const Tensor& row) {
    return row.valid() ? graph::program::copy(buffer, t, row, name, b.context())
                       : graph::program::copy(buffer, t, name, b.context());
  });
  for (std::size_t i = 0; i < values.size(); ++i) n.giveView(values[i], i);
}
void lowerRemoteStore(NodeLowering& n) {
  const std::string& name = n.call().attributes().text("buffer", "");
  const ops::OpBuilder b(n.time().graph(), n.time().program(), n.time().context(), true, n.time().ipu());
  std::vector<Tensor> values;
  for (std::size_t i = 0; i < n.node().inputs.size(); ++i) values.push_back(n.input(i));
  const Tensor all = transferred(n, values);
  const auto buffer = n.scope().remoteBuffer(name, all, b);
  rowsToHost(b, {buffer.elements, buffer.repeats}, all, [&](const Tensor& t, const Tensor& row) {
    return row.valid() ? graph::program::copy(t, buffer, row, name, b.context())
                       : graph::program::copy(t, buffer, name, b.context());
  });
  for (std::size_t i = 0; i < values.size(); ++i) n.giveView(values[i], i);
}

constexpr LoweringEntry kUpdateLowerings[] = {
    {"CountLarge", lowerCountLarge},
    {"UnscaleFactor", lowerUnscaleFactor},
    {"LossScaleUpdate", lowerLossScaleUpdate},
    {"RemoteLoad", lowerRemoteLoad},
    {"RemoteStore", lowerRemoteStore},
    {"SgdUpdate", lowerSgd},
    {"AdamUpdate", lowerAdam},
    {"RmsPropUpdate", lowerSquares},
    {"AdaGradUpdate", lowerSquares},
    {"Accumulate", lowerAccumulate},
    {"SetZero", lowerSetZero},
    {"CountStep", lowerCountStep},
    {"ClipFactor", lowerClipFactor},
    {"SquareSum", lowerSquareSum},
    {"ScaleGradient", lowerScaleGradient},
    {"AllReduce", lowerAllReduce},
    {"ReduceScatter", lowerReduceScatter},
    {"AllGather", lowerAllGather},
};

} // namespace

std::span<const LoweringEntry> updateLowerings() { return kUpdateLowerings; }

} // namespace simcore::model
