// Gradients of recurrent layers and of Einstein sums. A layer is unrolled: its steps are written as products and
// activations, which are computed again in the backward pass and differentiated one by one.
#include "simcore/model/parameters.h"
#include "simcore/model/training/gradient.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace simcore::model {

using numerics::RecurrentActivation;
using numerics::RecurrentKind;
using numerics::Shape;

namespace {

// One recurrent node written out. Shapes as in numerics/recurrent.h.
class Unrolled {
public:
  Unrolled(const GradientCall& call, RecurrentKind kind)
      : m_call(call), m_g(call.graph()), m_p(recurrentParameters(call.call(), kind)),
        m_batchFirst(call.call().attributes().integer("layout", 0) != 0) {
    const Shape& x = call.call().shape(0);
    m_steps = x[m_batchFirst ? 1 : 0];
    m_batch = x[m_batchFirst ? 0 : 1];
    m_hidden = m_p.hiddenSize;
    requireWholeSequences();
  }

  // Y, Y_h, Y_c in the node's layout.
  std::vector<std::string> build() {
    m_x = m_batchFirst ? m_g.transpose(m_call.input(0), {1, 0, 2}) : m_call.input(0);
    const std::int64_t directions = m_call.call().shape(1)[0];
    std::vector<std::string> outputs, hidden, cell;
    for (std::int64_t d = 0; d < directions; ++d) {
      const bool isReverse = d == 1 || m_p.direction == numerics::RecurrentDirection::Reverse;
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
  void requireWholeSequences() const {
    if (!m_call.call().has(4)) return;
    if (m_call.call().isKnown(4)) {
      const auto lengths = m_call.call().value(4).toIntegers();
      if (std::all_of(lengths.begin(), lengths.end(), [&](std::int64_t n) { return n == m_steps; })) return;
    }
    m_call.fail("sequences of different lengths");
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
    std::string name = f.name;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) { return char(std::tolower(letter)); });
    for (const char* plain : {"Sigmoid", "Tanh", "Relu", "Softsign", "Softplus"}) {
      std::string lower = plain;
      std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char letter) { return char(std::tolower(letter)); });
      if (name == lower) return m_g.add(plain, {y});
    }
    if (name == "hardsigmoid")
      return m_g.add("HardSigmoid", {y}, attributes({{"alpha", float(f.alpha)}, {"beta", float(f.beta)}}));
    if (name == "leakyrelu") return m_g.add("LeakyRelu", {y}, attributes({{"alpha", float(f.alpha)}}));
    if (name == "elu") return m_g.add("Elu", {y}, attributes({{"alpha", float(f.alpha)}}));
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
      const std::string x = slice(m_projected, t * m_batch, (t + 1) * m_batch, 0);
      if (m_p.kind == RecurrentKind::Lstm) lstmStep(x);
      if (m_p.kind == RecurrentKind::Gru) gruStep(x);
      if (m_p.kind == RecurrentKind::Rnn) m_h = activated(op("Add", x, recurrent(m_h)), 0, "Tanh");
      m_outputs[std::size_t(t)] = m_h;
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
  // The state is not clipped on its way out.
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
  bool m_batchFirst;
  std::int64_t m_steps = 0, m_batch = 0, m_hidden = 0;
  std::size_t m_direction = 0;
  std::string m_x, m_projected, m_recurrence, m_recurrenceBias, m_peepholes, m_h, m_c;
  std::vector<std::string> m_outputs;
};

template<RecurrentKind kind> void recurrentBack(const GradientCall& c) {
  Unrolled layer(c, kind);
  c.through([&] { return layer.build(); });
}

// "ij,jk->ik" as operands and result; blanks are gone, an ellipsis stands as capital letters.
struct Equation {
  std::vector<std::string> operands;
  std::string result;
};
Equation equationOf(const GradientCall& c) {
  std::string text = c.call().attributes().text("equation", "");
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  Equation e;
  std::string left = text.substr(0, arrow);
  for (std::size_t at = 0; at <= left.size();) {
    const std::size_t end = std::min(left.find(',', at), left.size());
    e.operands.push_back(left.substr(at, end - at));
    at = end + 1;
  }
  if (e.operands.size() != c.node().inputs.size()) c.fail("its equation has another number of operands");
  std::size_t most = 0;
  for (std::size_t i = 0; i < e.operands.size(); ++i)
    if (e.operands[i].find("...") != std::string::npos)
      most = std::max(most, c.call().shape(i).size() + 3 - e.operands[i].size());
  // Broadcast dimensions get the capital letters that nobody else has, the last of them for the last dimension.
  std::string free;
  for (char letter = 'Z'; letter >= 'A' && free.size() < most; --letter)
    if (text.find(letter) == std::string::npos) free.insert(free.begin(), letter);
  const auto spelled = [&](std::string term, std::size_t rank) {
    const std::size_t dots = term.find("...");
    return dots == std::string::npos ? term : term.replace(dots, 3, free.substr(free.size() - (rank + 3 - term.size())));
  };
  for (std::size_t i = 0; i < e.operands.size(); ++i) e.operands[i] = spelled(e.operands[i], c.call().shape(i).size());
  if (arrow != std::string::npos) {
    std::string result = text.substr(arrow + 2);
    const std::size_t dots = result.find("...");
    e.result = dots == std::string::npos ? result : result.replace(dots, 3, free);
    return e;
  }
  // Without an arrow: the broadcast dimensions, then the letters that occur once, in their order.
  std::map<char, int> count;
  for (const std::string& operand : e.operands)
    for (const char letter : operand) ++count[letter];
  e.result = free;
  for (const auto& [letter, n] : count)
    if (n == 1 && free.find(letter) == std::string::npos) e.result += letter;
  return e;
}

// The gradient of one operand is the Einstein sum of the result's gradient and the other operands; dimensions that only this
// operand has were summed, so they are repeated.
void einsumBack(const GradientCall& c) {
  const Equation e = equationOf(c);
  GraphBuilder& g = c.graph();
  for (std::size_t i = 0; i < e.operands.size(); ++i) {
    if (!c.wants(i)) continue;
    const std::string& own = e.operands[i];
    for (const char letter : own)
      if (std::count(own.begin(), own.end(), letter) > 1) c.fail("a letter that one operand has twice");
    std::string equation = e.result, present;
    std::vector<std::string> inputs{c.gradient()};
    std::set<char> known(e.result.begin(), e.result.end());
    for (std::size_t other = 0; other < e.operands.size(); ++other) {
      if (other == i) continue;
      equation += "," + e.operands[other];
      inputs.push_back(c.input(other));
      known.insert(e.operands[other].begin(), e.operands[other].end());
    }
    Shape kept = c.call().shape(i);
    for (std::size_t d = 0; d < own.size(); ++d) {
      if (known.count(own[d]))
        present += own[d];
      else
        kept[d] = 1;
    }
    std::string dx = g.add("Einsum", inputs, attributes({{"equation", equation + "->" + present}}));
    // A dimension of 1 that was broadcast comes back in its full size.
    Shape full = kept;
    for (std::size_t d = 0, at = 0; d < own.size(); ++d)
      if (known.count(own[d])) full[d] = g.shape(dx)[at++];
    dx = g.reduceTo(g.reshape(dx, full), kept);
    c.give(i, g.expand(dx, c.call().shape(i)));
  }
}

constexpr GradientEntry kSequenceGradients[] = {
    {"LSTM", recurrentBack<RecurrentKind::Lstm>},
    {"GRU", recurrentBack<RecurrentKind::Gru>},
    {"RNN", recurrentBack<RecurrentKind::Rnn>},
    {"Einsum", einsumBack},
};

} // namespace

std::span<const GradientEntry> sequenceGradients() { return kSequenceGradients; }

} // namespace simcore::model
