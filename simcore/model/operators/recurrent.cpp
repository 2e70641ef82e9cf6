// LSTM, GRU and RNN. The gradient unrolls the steps and differentiates them.
#include "simcore/numerics/recurrent.h"
#include "reports/core/spelling.h"
#include "simcore/model/operators/family.h"
#include "simcore/numerics/layout.h"

#include <algorithm>
#include <optional>

namespace simcore::model {

using numerics::RecurrentActivation;
using numerics::RecurrentDirection;
using numerics::RecurrentKind;

namespace {

// ---- parameters ------------------------------------------------------------------------------------------------------------

numerics::RecurrentParameters recurrentParameters(const Call& call, numerics::RecurrentKind kind) {
  const Attributes& a = call.attributes();
  numerics::RecurrentParameters p;
  p.kind = kind;
  const Shape& recurrence = call.shape(2);
  p.hiddenSize = recurrence.empty() ? 0 : recurrence.back();
  if (const std::int64_t hidden = a.integer("hidden_size", p.hiddenSize); hidden != p.hiddenSize)
    refuseNode("attribute 'hidden_size' is " + std::to_string(hidden) + ", but the weights of the recurrence are " +
               numerics::toString(recurrence));
  p.direction = chosen<RecurrentDirection>("direction", a.text("direction", "forward"),
                                           {{"forward", RecurrentDirection::Forward},
                                            {"reverse", RecurrentDirection::Reverse},
                                            {"bidirectional", RecurrentDirection::Bidirectional}});
  const std::vector<float> alphas = a.reals("activation_alpha"), betas = a.reals("activation_beta");
  for (const std::string& name : a.texts("activations")) {
    // Parameters are listed in the order of the activations; missing ones have the operator's defaults.
    numerics::RecurrentActivation activation{name, 0, 0};
    const std::size_t i = p.activations.size();
    activation.alpha = i < alphas.size() ? double(alphas[i]) : name == "LeakyRelu" ? 0.01 : name == "HardSigmoid" ? 0.2 : 1;
    activation.beta = i < betas.size() ? double(betas[i]) : name == "HardSigmoid" ? 0.5 : name == "ScaledTanh" ? 1 : 0;
    p.activations.push_back(activation);
  }
  p.clip = double(a.real("clip", 0));
  p.inputForget = a.integer("input_forget", 0) != 0;
  p.linearBeforeReset = a.integer("linear_before_reset", 0) != 0;
  return p;
}

// ---- types and numbers -----------------------------------------------------------------------------------------------------

bool isBatchFirst(const Call& call) { return call.attributes().integer("layout", 0) != 0; }

void requireOperand(const Call& call, std::size_t i, const Shape& shape) {
  if (call.shape(i) != shape)
    refuseNode("input " + std::to_string(i) + " of " + call.node().opType + " is " + numerics::toString(call.shape(i)) +
               " instead of " + numerics::toString(shape));
}

template<RecurrentKind kind> Types inferRecurrent(const Call& call) {
  const auto p = recurrentParameters(call, kind);
  const Shape& x = call.shape(0);
  if (x.size() != 3) refuseNode("a recurrent operator needs an input of rank 3");
  const std::int64_t directions = p.direction == RecurrentDirection::Bidirectional ? 2 : 1, n = p.hiddenSize;
  const std::int64_t rows = n * (kind == RecurrentKind::Lstm ? 4 : kind == RecurrentKind::Gru ? 3 : 1);
  const std::int64_t batch = isBatchFirst(call) ? x[0] : x[1];
  const Shape state = isBatchFirst(call) ? Shape{batch, directions, n} : Shape{directions, batch, n};
  requireOperand(call, 1, {directions, rows, x[2]});
  requireOperand(call, 2, {directions, rows, n});
  if (call.has(3)) requireOperand(call, 3, {directions, 2 * rows});
  if (call.has(4)) requireOperand(call, 4, {batch});
  if (call.has(5)) requireOperand(call, 5, state);
  if (kind == RecurrentKind::Lstm && call.has(6)) requireOperand(call, 6, state);
  if (kind == RecurrentKind::Lstm && call.has(7)) requireOperand(call, 7, {directions, 3 * n});
  const auto type = call.elementType(0);
  if (isBatchFirst(call))
    return {{type, {x[0], x[1], directions, n}}, {type, {x[0], directions, n}}, {type, {x[0], directions, n}}};
  return {{type, {x[0], directions, x[1], n}}, {type, {directions, x[1], n}}, {type, {directions, x[1], n}}};
}

template<RecurrentKind kind> Tensors recurrent(const Call& call) {
  const bool batchFirst = isBatchFirst(call);
  const auto type = call.elementType(0);
  std::vector<std::optional<HostTensor>> given(8);
  for (std::size_t i = 0; i < 8; ++i) {
    if (!call.has(i)) continue;
    given[i] = i == 4 ? call.value(i) : call.value(i).cast(ElementType::Float);
    if (batchFirst && (i == 0 || i == 5 || i == 6)) given[i] = numerics::transpose(*given[i], {1, 0, 2});
  }
  if (!given[0] || !given[1] || !given[2]) refuseNode("a recurrent operator needs its input and two weights");
  const auto at = [&](std::size_t i) { return given[i] ? &*given[i] : nullptr; };
  const bool isLstm = kind == RecurrentKind::Lstm;
  const auto result =
      numerics::recurrent({at(0), at(1), at(2), at(3), at(4), at(5), isLstm ? at(6) : nullptr, isLstm ? at(7) : nullptr},
                          recurrentParameters(call, kind));
  Tensors outputs{result.outputs, result.hidden, result.cell};
  if (batchFirst)
    outputs = {numerics::transpose(outputs[0], {2, 0, 1, 3}), numerics::transpose(outputs[1], {1, 0, 2}),
               numerics::transpose(outputs[2], {1, 0, 2})};
  for (HostTensor& output : outputs) output = output.cast(type);
  return outputs;
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

// The state tensors of both directions in ONNX's order: [D, B, H], or [B, D, H] with the batch first.
Tensor together(const std::vector<Tensor>& states, bool batchFirst) {
  std::vector<Tensor> parts;
  for (const Tensor& t : states) parts.push_back(t.reshape({1, t.dim(0), t.dim(1)}));
  const Tensor all = parts.size() == 1 ? parts[0] : graph::concat(parts, 0);
  return batchFirst ? all.dimShuffle({1, 0, 2}) : all;
}

template<RecurrentKind kind> void lowerRecurrent(NodeLowering& n) {
  const auto p = recurrentParameters(n.call(), kind);
  const bool batchFirst = n.call().attributes().integer("layout", 0) != 0;
  const std::size_t directions = p.direction == RecurrentDirection::Bidirectional ? 2 : 1;
  // Moves the direction to the front and the batch to the second place.
  const auto ordered = [&](const Tensor& t) { return batchFirst ? t.dimShuffle({1, 0, 2}) : t; };
  const auto direction = [&](std::size_t i, std::size_t d, bool isState) -> Tensor {
    if (!n.has(i)) return {};
    const Tensor all = isState ? ordered(n.input(i)) : n.input(i);
    if (directions > 1) n.timeBuilder().layoutOf(all); // a weight is placed as a whole before its halves are read
    return all.dim(0) == 1 ? all.reshape(Shape(all.shape().begin() + 1, all.shape().end())) : all[std::int64_t(d)];
  };
  std::vector<Tensor> steps, hidden, cells;
  for (std::size_t d = 0; d < directions; ++d) {
    ops::RecurrentLayer layer;
    layer.parameters = p;
    layer.reverse = p.direction == RecurrentDirection::Reverse || d == 1;
    const std::size_t each = kind == RecurrentKind::Lstm ? 3 : kind == RecurrentKind::Gru ? 2 : 1;
    for (std::size_t i = d * each; i < (d + 1) * each && i < p.activations.size(); ++i)
      layer.activations.push_back(p.activations[i]);
    layer.x = ordered(n.input(0));
    layer.weights = direction(1, d, false);
    layer.recurrence = direction(2, d, false);
    layer.bias = direction(3, d, false);
    if (n.has(4)) layer.lengths = n.input(4);
    layer.hidden = direction(5, d, true);
    if (kind == RecurrentKind::Lstm) {
      layer.cell = direction(6, d, true);
      layer.peepholes = direction(7, d, false);
    }
    const auto out = ops::recurrent(n.builder(), layer);
    steps.push_back(out.steps.reshape({out.steps.dim(0), 1, out.steps.dim(1), out.steps.dim(2)}));
    hidden.push_back(out.hidden);
    cells.push_back(out.cell);
  }
  if (n.call().wantsOutput(0)) {
    const Tensor all = directions == 1 ? steps[0] : graph::concat(steps, 1); // [T, D, B, H]
    n.give(gathered(n, batchFirst ? all.dimShuffle({2, 0, 1, 3}) : all), 0);
  }
  if (n.call().wantsOutput(1)) n.give(together(hidden, batchFirst), 1);
  if (n.call().wantsOutput(2)) n.give(together(cells, batchFirst), 2);
}

// ---- gradient --------------------------------------------------------------------------------------------------------------

// Limits for unrolling: steps, and gates over all steps. A gate becomes about thirty nodes forward and backward; this many
// compile within 20 seconds, and their code already exceeds a tile.
constexpr std::int64_t kMostUnrolledSteps = 2048, kMostUnrolledGates = 4096;

// One unrolled recurrent node. Shapes as in numerics/recurrent.h.
class Unrolled {
public:
  Unrolled(const GradientCall& call, RecurrentKind kind)
      : m_call(call), m_g(call.graph()), m_p(recurrentParameters(call.call(), kind)),
        m_batchFirst(call.call().attributes().integer("layout", 0) != 0) {
    const Shape& x = call.call().shape(0);
    m_steps = x[m_batchFirst ? 1 : 0];
    m_batch = x[m_batchFirst ? 0 : 1];
    m_hidden = m_p.hiddenSize;
    const std::int64_t gates = kind == RecurrentKind::Lstm  ? 4
                               : kind == RecurrentKind::Gru ? 3
                                                            : 1,
                       most = std::min(kMostUnrolledSteps, kMostUnrolledGates / gates);
    if (const std::int64_t all = m_steps * call.call().shape(1)[0]; all > most)
      m_call.fail("it would unroll " + std::to_string(all) + " steps, more than " + std::to_string(most));
    m_isCut = hasShortSequences();
  }

  // Y, Y_h, Y_c in the node's layout.
  std::vector<std::string> build() {
    m_x = m_batchFirst ? m_g.transpose(m_call.input(0), {1, 0, 2}) : m_call.input(0);
    const std::int64_t directions = m_call.call().shape(1)[0];
    std::vector<std::string> outputs, hidden, cell;
    for (std::int64_t d = 0; d < directions; ++d) {
      const bool isReverse = d == 1 || m_p.direction == RecurrentDirection::Reverse;
      runDirection(d, isReverse);
      outputs.push_back(m_g.reshape(joined(m_outputs), {m_steps, 1, m_batch, m_hidden}));
      hidden.push_back(m_g.reshape(m_h, {1, m_batch, m_hidden}));
      if (m_p.kind == RecurrentKind::Lstm) cell.push_back(m_g.reshape(m_c, {1, m_batch, m_hidden}));
    }
    std::vector<std::string> results{concat(outputs, 1), concat(hidden, 0)};
    if (!cell.empty()) results.push_back(concat(cell, 0));
    if (!m_batchFirst) return results;
    results[0] = m_g.transpose(results[0], {2, 0, 1, 3});
    for (std::size_t i = 1; i < results.size(); ++i) results[i] = m_g.transpose(results[i], {1, 0, 2});
    return results;
  }

private:
  bool hasShortSequences() const {
    if (!m_call.call().has(4)) return false;
    if (!m_call.call().isKnown(4)) return true;
    const auto lengths = m_call.call().value(4).toIntegers();
    return std::any_of(lengths.begin(), lengths.end(), [&](std::int64_t n) { return n != m_steps; });
  }
  // Mask [batch, 1] of the sequences that have not ended at step t.
  std::string goesOn(std::int64_t t) {
    const std::string step = m_g.constant("step", HostTensor::full(m_call.call().elementType(4), {}, double(t)));
    return m_g.add("Greater", {m_g.reshape(m_call.input(4), {m_batch, 1}), step});
  }

  std::string op(const char* type, const std::string& a, const std::string& b) { return m_g.add(type, {a, b}); }
  std::string slice(const std::string& x, std::int64_t begin, std::int64_t end, std::int64_t axis) {
    return m_g.add("Slice", {x, m_g.integers({begin}), m_g.integers({end}), m_g.integers({axis})});
  }
  std::string concat(const std::vector<std::string>& parts, std::int64_t axis) {
    return parts.size() == 1 ? parts[0] : m_g.add("Concat", parts, attributes({{"axis", axis}}));
  }
  std::string joined(const std::vector<std::string>& rows) { return concat(rows, 0); }
  // Input `i` of direction `d`, without that dimension.
  std::string ofDirection(std::size_t i, std::int64_t d, const Shape& shape) {
    const bool turned = m_batchFirst && (i == 5 || i == 6); // states
    const std::string x = turned ? m_g.transpose(m_call.input(i), {1, 0, 2}) : m_call.input(i);
    return m_g.reshape(slice(x, d, d + 1, 0), shape);
  }
  std::string gate(const std::string& x, std::int64_t i) { return slice(x, i * m_hidden, (i + 1) * m_hidden, 1); }

  std::string activated(const std::string& x, std::size_t which, const char* standard) {
    const std::size_t count = m_p.kind == RecurrentKind::Lstm ? 3 : m_p.kind == RecurrentKind::Gru ? 2 : 1;
    const std::size_t at = m_direction * count + which;
    RecurrentActivation f{standard};
    if (at < m_p.activations.size()) f = m_p.activations[at];
    std::string y = x;
    if (m_p.clip > 0) {
      const auto type = m_call.elementType();
      y = m_g.add("Clip", {y, m_g.number(-m_p.clip, type), m_g.number(m_p.clip, type)});
    }
    for (const char* plain : {"Sigmoid", "Tanh", "Relu", "Softsign", "Softplus"})
      if (reports::sameName(f.name, plain)) return m_g.add(plain, {y});
    if (reports::sameName(f.name, "HardSigmoid"))
      return m_g.add("HardSigmoid", {y}, attributes({{"alpha", float(f.alpha)}, {"beta", float(f.beta)}}));
    for (const char* withAlpha : {"LeakyRelu", "Elu"})
      if (reports::sameName(f.name, withAlpha)) return m_g.add(withAlpha, {y}, attributes({{"alpha", float(f.alpha)}}));
    m_call.fail("its activation " + f.name);
  }

  void runDirection(std::int64_t d, bool isReverse) {
    const std::int64_t inputs = m_call.call().shape(0)[2], rows = m_call.call().shape(1)[1];
    m_direction = std::size_t(d);
    m_outputs.assign(std::size_t(m_steps), "");
    m_projected =
        op("MatMul", m_g.reshape(m_x, {m_steps * m_batch, inputs}), m_g.transpose(ofDirection(1, d, {rows, inputs}), {1, 0}));
    m_recurrence = m_g.transpose(ofDirection(2, d, {rows, m_hidden}), {1, 0});
    m_recurrenceBias.clear();
    if (m_call.call().has(3)) {
      const std::string biases = ofDirection(3, d, {1, 2 * rows});
      m_projected = op("Add", m_projected, slice(biases, 0, rows, 1));
      m_recurrenceBias = slice(biases, rows, 2 * rows, 1);
    }
    const std::string zero = m_g.expand(m_g.number(0, m_call.elementType()), {m_batch, m_hidden});
    m_h = m_call.call().has(5) ? ofDirection(5, d, {m_batch, m_hidden}) : zero;
    if (m_p.kind == RecurrentKind::Lstm) {
      m_c = m_call.call().has(6) ? ofDirection(6, d, {m_batch, m_hidden}) : zero;
      m_peepholes = m_call.call().has(7) ? ofDirection(7, d, {1, 3 * m_hidden}) : "";
    }
    for (std::int64_t i = 0; i < m_steps; ++i) {
      const std::int64_t t = isReverse ? m_steps - 1 - i : i;
      const std::string x = slice(m_projected, t * m_batch, (t + 1) * m_batch, 0), h = m_h, cell = m_c;
      if (m_p.kind == RecurrentKind::Lstm) lstmStep(x);
      if (m_p.kind == RecurrentKind::Gru) gruStep(x);
      if (m_p.kind == RecurrentKind::Rnn) m_h = activated(op("Add", x, recurrent(m_h)), 0, "Tanh");
      m_outputs[std::size_t(t)] = m_h;
      if (!m_isCut) continue;
      const std::string there = goesOn(t); // an ended sequence keeps its states, its results are 0
      m_outputs[std::size_t(t)] = m_g.add("Where", {there, m_h, zero});
      m_h = m_g.add("Where", {there, m_h, h});
      if (m_p.kind == RecurrentKind::Lstm) m_c = m_g.add("Where", {there, m_c, cell});
    }
  }

  std::string recurrent(const std::string& h) {
    const std::string y = op("MatMul", h, m_recurrence);
    return m_recurrenceBias.empty() ? y : op("Add", y, m_recurrenceBias);
  }

  std::string peeped(const std::string& x, std::int64_t which, const std::string& cell) {
    return m_peepholes.empty() ? x : op("Add", x, op("Mul", gate(m_peepholes, which), cell));
  }

  // Gates in the order input, output, forget, cell; peepholes input, output, forget.
  void lstmStep(const std::string& x) {
    const std::string sum = op("Add", x, recurrent(m_h));
    const std::string in = activated(peeped(gate(sum, 0), 0, m_c), 0, "Sigmoid");
    const std::string forget = m_p.inputForget ? m_g.add("Sub", {m_g.number(1, m_call.elementType()), in})
                                               : activated(peeped(gate(sum, 2), 2, m_c), 0, "Sigmoid");
    m_c = op("Add", op("Mul", forget, m_c), op("Mul", in, activated(gate(sum, 3), 1, "Tanh")));
    const std::string out = activated(peeped(gate(sum, 1), 1, m_c), 0, "Sigmoid");
    m_h = op("Mul", out, m_p.clip > 0 ? unclipped(m_c, 2, "Tanh") : activated(m_c, 2, "Tanh"));
  }
  // Applies an activation to a value that is not clipped first: the cell state in the output.
  std::string unclipped(const std::string& x, std::size_t which, const char* standard) {
    const double clip = std::exchange(m_p.clip, 0);
    const std::string y = activated(x, which, standard);
    m_p.clip = clip;
    return y;
  }

  // Gates in the order update, reset, hidden.
  void gruStep(const std::string& x) {
    const std::string all = recurrent(m_h);
    const std::string update = activated(op("Add", gate(x, 0), gate(all, 0)), 0, "Sigmoid");
    const std::string reset = activated(op("Add", gate(x, 1), gate(all, 1)), 0, "Sigmoid");
    std::string candidate;
    if (m_p.linearBeforeReset) {
      candidate = op("Mul", reset, gate(all, 2));
    } else {
      candidate = op("MatMul", op("Mul", reset, m_h), gate(m_recurrence, 2));
      if (!m_recurrenceBias.empty()) candidate = op("Add", candidate, gate(m_recurrenceBias, 2));
    }
    candidate = activated(op("Add", gate(x, 2), candidate), 1, "Tanh");
    // (1 - z) candidate + z h
    m_h = op("Add", candidate, op("Mul", update, op("Sub", m_h, candidate)));
  }

  const GradientCall& m_call;
  GraphBuilder& m_g;
  numerics::RecurrentParameters m_p;
  bool m_batchFirst, m_isCut = false;
  std::int64_t m_steps = 0, m_batch = 0, m_hidden = 0;
  std::size_t m_direction = 0;
  std::string m_x, m_projected, m_recurrence, m_recurrenceBias, m_peepholes, m_h, m_c;
  std::vector<std::string> m_outputs;
};

template<RecurrentKind kind> void recurrentBack(const GradientCall& c) {
  Unrolled layer(c, kind);
  c.through([&] { return layer.build(); });
}

constexpr Operator kRecurrentOperators[] = {
    {"GRU", 6, inferRecurrent<RecurrentKind::Gru>, recurrent<RecurrentKind::Gru>, lowerRecurrent<RecurrentKind::Gru>,
     recurrentBack<RecurrentKind::Gru>},
    {"LSTM", 6, inferRecurrent<RecurrentKind::Lstm>, recurrent<RecurrentKind::Lstm>, lowerRecurrent<RecurrentKind::Lstm>,
     recurrentBack<RecurrentKind::Lstm>},
    {"RNN", 6, inferRecurrent<RecurrentKind::Rnn>, recurrent<RecurrentKind::Rnn>, lowerRecurrent<RecurrentKind::Rnn>,
     recurrentBack<RecurrentKind::Rnn>},
};

} // namespace

std::span<const Operator> recurrentOperators() { return kRecurrentOperators; }

} // namespace simcore::model
