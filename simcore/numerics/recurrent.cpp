#include "simcore/numerics/recurrent.h"
#include "simcore/numerics/kernel_support.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/matmul.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>

namespace simcore::numerics {

namespace {

using Activation = std::function<float(float)>;

} // namespace

Activation recurrentFunction(const RecurrentActivation& wanted) {
  std::string name = wanted.name;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  const auto a = float(wanted.alpha), b = float(wanted.beta);
  if (name == "sigmoid") return [](float v) { return 1 / (1 + std::exp(-v)); };
  if (name == "tanh") return [](float v) { return std::tanh(v); };
  if (name == "relu") return [](float v) { return std::max(0.0f, v); };
  if (name == "affine") return [a, b](float v) { return a * v + b; };
  if (name == "leakyrelu") return [a](float v) { return v < 0 ? a * v : v; };
  if (name == "thresholdedrelu") return [a](float v) { return v > a ? v : 0; };
  if (name == "scaledtanh") return [a, b](float v) { return a * std::tanh(b * v); };
  if (name == "hardsigmoid") return [a, b](float v) { return std::max(0.0f, std::min(1.0f, a * v + b)); };
  if (name == "elu") return [a](float v) { return v < 0 ? a * std::expm1(v) : v; };
  if (name == "softsign") return [](float v) { return v / (1 + std::abs(v)); };
  if (name == "softplus") return [](float v) { return std::max(v, 0.0f) + std::log1p(std::exp(-std::abs(v))); };
  throw reports::Error(reports::ErrorCode::Unsupported, "the recurrent activation '" + wanted.name + "' is not supported");
}

namespace {

int gatesOf(RecurrentKind kind) { return kind == RecurrentKind::Lstm ? 4 : kind == RecurrentKind::Gru ? 3 : 1; }

// One direction: its weights, its state, and a step for one batch entry.
class Cell {
public:
  Cell(const RecurrentInputs& in, const RecurrentParameters& p, std::size_t direction)
      : m_p(p), m_hiddenSize(p.hiddenSize), m_gates(gatesOf(p.kind)), m_batch(in.x->dim(1)) {
    const auto part = [&](const HostTensor* tensor) {
      HostTensor one = slice(*tensor, 0, std::int64_t(direction), 1);
      return one.reshaped(Shape(one.shape().begin() + 1, one.shape().end()));
    };
    m_recurrence = part(in.recurrence);
    const std::int64_t steps = in.x->dim(0), inputs = in.x->dim(2), rows = m_gates * m_hiddenSize;
    m_inputBias.assign(std::size_t(rows), 0);
    m_stateBias = m_inputBias;
    if (in.bias) {
      const HostTensor bias = part(in.bias);
      const auto values = bias.values<float>();
      std::copy_n(values.begin(), rows, m_inputBias.begin());
      std::copy_n(values.begin() + rows, rows, m_stateBias.begin());
    }
    m_projected = gemm(in.x->reshaped({steps * m_batch, inputs}), part(in.weights), nullptr, 1, 0, false, true);
    const Shape state{m_batch, m_hiddenSize};
    m_hidden = in.hidden ? part(in.hidden) : HostTensor(ElementType::Float, state);
    m_cell = in.cell ? part(in.cell) : HostTensor(ElementType::Float, state);
    if (in.peepholes) m_peepholes = part(in.peepholes);
    setActivations(direction);
  }

  // Advances all batch entries for which `active` is true.
  void step(std::int64_t time, const std::vector<bool>& active) {
    const HostTensor before = m_hidden;
    const HostTensor recurrent = gemm(before, m_recurrence, nullptr, 1, 0, false, true);
    const std::int64_t rows = m_gates * m_hiddenSize;
    HostTensor candidates;
    if (m_p.kind == RecurrentKind::Gru && !m_p.linearBeforeReset) candidates = resetProduct(time, before, recurrent);
    float* hidden = m_hidden.mutableValues<float>().data();
    float* cell = m_cell.mutableValues<float>().data();
    for (std::int64_t b = 0; b < m_batch; ++b) {
      if (!active[std::size_t(b)]) continue;
      const float* x = m_projected.values<float>().data() + (time * m_batch + b) * rows;
      const float* r = recurrent.values<float>().data() + b * rows;
      float* h = hidden + b * m_hiddenSize;
      for (std::int64_t i = 0; i < m_hiddenSize; ++i) {
        if (m_p.kind == RecurrentKind::Rnn) h[i] = m_f(sum(x, r, i));
        if (m_p.kind == RecurrentKind::Lstm) h[i] = lstm(x, r, i, cell[b * m_hiddenSize + i]);
        if (m_p.kind == RecurrentKind::Gru)
          h[i] = gru(x, r, candidates.count() ? candidates.values<float>().data() + b * m_hiddenSize : nullptr, i, h[i]);
      }
    }
  }

  const HostTensor& hidden() const { return m_hidden; }
  const HostTensor& cell() const { return m_cell; }

private:
  void setActivations(std::size_t direction) {
    const std::size_t wanted = m_p.kind == RecurrentKind::Lstm ? 3 : m_p.kind == RecurrentKind::Gru ? 2 : 1;
    std::vector<RecurrentActivation> names = m_p.activations;
    if (names.empty()) {
      names = {{"Sigmoid"}, {"Tanh"}, {"Tanh"}};
      if (m_p.kind == RecurrentKind::Rnn) names = {{"Tanh"}};
      names.resize(wanted);
      direction = 0;
    }
    if (names.size() < (direction + 1) * wanted)
      failKernel("a recurrent operator has " + std::to_string(names.size()) + " activations, but needs " +
                 std::to_string((direction + 1) * wanted));
    m_f = recurrentFunction(names[direction * wanted]);
    if (wanted > 1) m_g = recurrentFunction(names[direction * wanted + 1]);
    if (wanted > 2) m_h = recurrentFunction(names[direction * wanted + 2]);
  }

  float clipped(float v) const { return m_p.clip > 0 ? std::clamp(v, -float(m_p.clip), float(m_p.clip)) : v; }
  float sum(const float* x, const float* r, std::int64_t at) const {
    return clipped(x[at] + r[at] + m_inputBias[std::size_t(at)] + m_stateBias[std::size_t(at)]);
  }

  // Gates in the order input, output, forget, cell.
  float lstm(const float* x, const float* r, std::int64_t i, float& cell) const {
    const std::int64_t n = m_hiddenSize;
    const float* p = m_peepholes.count() ? m_peepholes.values<float>().data() : nullptr;
    const auto peep = [&](std::int64_t gate, float state) { return p ? p[gate * n + i] * state : 0.0f; };
    const float in = m_f(clipped(sum(x, r, i) + peep(0, cell)));
    const float forget = m_p.inputForget ? 1 - in : m_f(clipped(sum(x, r, 2 * n + i) + peep(2, cell)));
    cell = forget * cell + in * m_g(sum(x, r, 3 * n + i));
    return m_f(clipped(sum(x, r, n + i) + peep(1, cell))) * m_h(cell);
  }

  // Gates in the order update, reset, hidden. `candidate`: (reset * h) R, if the reset comes before the product; else null.
  float gru(const float* x, const float* r, const float* candidate, std::int64_t i, float before) const {
    const std::int64_t n = m_hiddenSize, at = 2 * n + i;
    const float update = m_f(sum(x, r, i)), reset = m_f(sum(x, r, n + i));
    const float state = candidate ? candidate[i] + m_stateBias[std::size_t(at)] : reset * (r[at] + m_stateBias[std::size_t(at)]);
    const float fresh = m_g(clipped(x[at] + m_inputBias[std::size_t(at)] + state));
    return (1 - update) * fresh + update * before;
  }

  HostTensor resetProduct(std::int64_t time, const HostTensor& before, const HostTensor& recurrent) const {
    const std::int64_t n = m_hiddenSize, rows = 3 * n;
    HostTensor reset = before;
    float* values = reset.mutableValues<float>().data();
    for (std::int64_t b = 0; b < m_batch; ++b)
      for (std::int64_t i = 0; i < n; ++i)
        values[b * n + i] *= m_f(sum(m_projected.values<float>().data() + (time * m_batch + b) * rows,
                                     recurrent.values<float>().data() + b * rows, n + i));
    return gemm(reset, slice(m_recurrence, 0, 2 * n, n), nullptr, 1, 0, false, true);
  }

  const RecurrentParameters& m_p;
  std::int64_t m_hiddenSize, m_gates, m_batch;
  HostTensor m_recurrence, m_projected, m_hidden, m_cell, m_peepholes;
  std::vector<float> m_inputBias, m_stateBias;
  Activation m_f, m_g, m_h;
};

void requireShape(const HostTensor* tensor, const Shape& shape, const char* what) {
  if (tensor && (tensor->shape() != shape || tensor->type() != ElementType::Float))
    failKernel(std::string(what) + " of a recurrent operator should be float " + toString(shape) + ", not " +
               elementTypeName(tensor->type()) + " " + toString(tensor->shape()));
}

} // namespace

RecurrentResult recurrent(const RecurrentInputs& in, const RecurrentParameters& p) {
  requireRank(*in.x, 3, "the input of a recurrent operator");
  const std::int64_t steps = in.x->dim(0), batch = in.x->dim(1), n = p.hiddenSize;
  const std::int64_t directions = p.direction == RecurrentDirection::Bidirectional ? 2 : 1, rows = gatesOf(p.kind) * n;
  if (n < 1 || n > (1 << 24))
    failKernel("the hidden size of a recurrent operator is " + std::to_string(n) + ", not 1 to " + std::to_string(1 << 24));
  requireShape(in.x, in.x->shape(), "the input");
  requireShape(in.weights, {directions, rows, in.x->dim(2)}, "the weights");
  requireShape(in.recurrence, {directions, rows, n}, "the recurrence weights");
  requireShape(in.bias, {directions, 2 * rows}, "the bias");
  requireShape(in.hidden, {directions, batch, n}, "the initial state");
  requireShape(in.cell, {directions, batch, n}, "the initial cell state");
  requireShape(in.peepholes, {directions, 3 * n}, "the peepholes");
  std::vector<std::int64_t> lengths(std::size_t(batch), steps);
  if (in.lengths) lengths = in.lengths->toIntegers();
  if (std::int64_t(lengths.size()) != batch)
    failKernel("a recurrent operator has " + std::to_string(lengths.size()) + " lengths for a batch of " + std::to_string(batch));
  for (const std::int64_t length : lengths)
    if (length < 0 || length > steps)
      failKernel("a sequence length of " + std::to_string(length) + " is not within the " + std::to_string(steps) +
                 " steps of the input");
  RecurrentResult result{HostTensor(ElementType::Float, {steps, directions, batch, n}), {}, {}};
  std::vector<HostTensor> hidden, cells;
  for (std::int64_t d = 0; d < directions; ++d) {
    const bool reverse = p.direction == RecurrentDirection::Reverse || d == 1;
    Cell cell(in, p, std::size_t(d));
    for (std::int64_t i = 0; i < steps; ++i) {
      const std::int64_t time = reverse ? steps - 1 - i : i;
      std::vector<bool> active;
      active.reserve(lengths.size());
      for (const std::int64_t length : lengths) active.push_back(time < length);
      cell.step(time, active);
      float* out = result.outputs.mutableValues<float>().data() + (time * directions + d) * batch * n;
      const float* state = cell.hidden().values<float>().data();
      for (std::int64_t b = 0; b < batch; ++b)
        if (active[std::size_t(b)]) std::copy_n(state + b * n, n, out + b * n);
    }
    hidden.push_back(cell.hidden().reshaped({1, batch, n}));
    cells.push_back(cell.cell().reshaped({1, batch, n}));
  }
  result.hidden = concat(hidden, 0);
  result.cell = concat(cells, 0);
  return result;
}

} // namespace simcore::numerics
