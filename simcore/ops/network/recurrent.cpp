#include "simcore/ops/network/recurrent.h"

#include "reports/core/error.h"
#include "simcore/numerics/layout.h"
#include "simcore/ops/cells/cellwise.h"
#include "simcore/ops/conv/convolution.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/move/movement.h"
#include "simcore/ops/slice/slices.h"

#include <fmt/format.h>

#include <algorithm>

namespace simcore::ops {

using codelets::BinaryOp;
using codelets::MapStep;
using codelets::TernaryOp;
using codelets::UnaryOp;
using numerics::HostTensor;
using numerics::RecurrentKind;

namespace {

using Values = std::vector<float>;
using Activation = std::function<float(float)>;

// A kernel that computes each element from the inputs' values at that position.
HostKernel elementKernel(std::function<float(const Values&)> f) {
  return oneResult([f = std::move(f)](const std::vector<HostTensor>& in) {
    std::vector<std::vector<double>> all;
    all.reserve(in.size());
    for (const HostTensor& t : in) all.push_back(t.toDoubles());
    std::vector<double> out(all[0].size());
    Values v(in.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      for (std::size_t k = 0; k < v.size(); ++k) v[k] = float(all[k][i]);
      out[i] = double(f(v));
    }
    return HostTensor::of(in[0].shape(), out).cast(in[0].type());
  });
}

// The operands of the vertices of a step.
struct GateMath {
  std::vector<Activation> f;
  float clip = 0;
  bool bias = false, lengths = false, inputForget = false;

  std::size_t terms() const { return bias ? 4 : 2; } // of a gate's sum
  float clipped(float v) const { return clip > 0 ? std::clamp(v, -clip, clip) : v; }
  float sum(const Values& v, std::size_t at) const {
    float s = 0;
    for (std::size_t i = 0; i < terms(); ++i) s += v[at + i];
    return clipped(s);
  }
  // If lengths differ, the last two values are the length of the sequence and the step.
  bool ended(const Values& v) const { return lengths && v[v.size() - 1] >= v[v.size() - 2]; }
};

class RecurrentLowering {
public:
  RecurrentLowering(const OpBuilder& b, const RecurrentLayer& l)
      : m_b(b), m_l(l), m_steps(l.x.dim(0)), m_batch(l.x.dim(1)), m_inputs(l.x.dim(2)), m_size(l.recurrence.dim(1)),
        m_gates(l.recurrence.dim(0) / l.recurrence.dim(1)), m_type(l.x.elementType()) {
    const std::size_t wanted = m_gates == 4 ? 3 : m_gates == 3 ? 2 : 1;
    auto names = l.activations;
    if (names.empty())
      names = m_gates == 1 ? std::vector<numerics::RecurrentActivation>{{"Tanh"}}
                           : std::vector<numerics::RecurrentActivation>{{"Sigmoid"}, {"Tanh"}, {"Tanh"}};
    if (names.size() < wanted)
      throw reports::Error(reports::ErrorCode::InvalidInput,
                           fmt::format("a recurrent operator has {} activations, but needs {}", names.size(), wanted));
    m_math.clip = float(l.parameters.clip);
    m_math.bias = l.bias.valid();
    m_math.lengths = l.lengths.valid();
    m_math.inputForget = l.parameters.inputForget;
    for (std::size_t i = 0; i < wanted; ++i) m_math.f.push_back(numerics::recurrentFunction(names[i]));
  }

  RecurrentOutputs run() {
    const Tensor all = product(m_b, m_l.x.reshape({m_steps * m_batch, m_inputs}), m_l.weights);
    m_projected = sliceable(m_b, all.reshape({m_steps, m_batch * m_gates * m_size}));
    RecurrentOutputs out;
    m_h = out.hidden = state(m_l.hidden, "hidden");
    if (m_l.parameters.kind == RecurrentKind::Lstm) m_c = out.cell = state(m_l.cell, "cell");
    const Tensor steps = sliceableVariable(m_b, m_type, m_steps, m_batch * m_size, "outputs");
    const double first = m_l.reverse ? double(m_steps - 1) : 0;
    m_step = generate(m_b, "firstStep", {}, ElementType::Int32, {1}, 1, {},
                      [first](const std::vector<HostTensor>&, const std::vector<int64_t>& at) {
                        return HostTensor::full(ElementType::Int32, {int64_t(at.size())}, first);
                      });
    graph::Sequence body;
    step(m_b.into(body), steps);
    m_b.program().add(graph::program::repeat(m_steps, body, "steps", m_b.context()));
    record();
    out.steps = steps.reshape({m_steps, m_batch, m_size});
    return out;
  }

private:
  // a [.., K] x the transposed matrix w [n, K].
  Tensor product(const OpBuilder& b, const Tensor& a, const Tensor& w) const {
    const Shape& shape = w.shape();
    ConvOptions options;
    options.arrangeWeights = [shape](const HostTensor& v) { return numerics::transpose(v.reshaped(shape), {1, 0}); };
    return matmul(b, a, w.reshape({w.dim(1), w.dim(0)}), {}, options);
  }

  // Products dominate the cost of a layer; their plans have the details.
  void record() const {
    ConvParams p;
    p.type = m_type;
    p.inChannels = m_inputs;
    p.outChannels = m_gates * m_size;
    p.in = {m_steps * m_batch, 1};
    const int64_t before = planConvolution(m_b.machine(), p, {m_b.availableMemoryProportion()}).cycles();
    p.inChannels = m_size;
    p.in = {m_batch, 1};
    const ConvPlan step = planConvolution(m_b.machine(), p, {m_b.availableMemoryProportion()});
    m_b.recordPlan(
        "input product before the loop",
        fmt::format("{} steps of [{}, {}] x [{}, {}], {} gates", m_steps, m_batch, m_size, m_size, m_gates * m_size, m_gates),
        {{"steps", m_steps},
         {"batch", m_batch},
         {"hidden", m_size},
         {"gates", m_gates},
         {"predicted", {{"before", before}, {"step", step.cycles()}}}},
        {before + m_steps * step.cycles(), step.temporaryBytes});
  }

  // A variable for a state, with its initial value.
  Tensor state(const Tensor& initial, const std::string& name) const {
    const Tensor t = m_b.output(m_type, {m_batch, m_size}, name, m_b.linear(m_batch * m_size, m_type));
    zero(m_b, t);
    if (initial.valid())
      update(m_b, "initial", t, {initial}, {{BinaryOp::Add, m_type}}, {initial.reshape({m_batch, m_size})},
             [](const Values& v) { return v[1]; });
    return t;
  }

  // target = f(target, operands) element by element; `reads`: the whole tensors that contain the operands, for the exchange.
  void update(const OpBuilder& b, const std::string& name, const Tensor& target, const std::vector<Tensor>& reads,
              const std::vector<MapStep>& steps, const std::vector<Tensor>& operands,
              std::function<float(const Values&)> f) const {
    std::vector<Tensor> inputs{target};
    inputs.insert(inputs.end(), reads.begin(), reads.end());
    mapInPlace(b.timeOnly(), name, steps, inputs);
    if (!b.byCells()) return;
    inputs = {target};
    inputs.insert(inputs.end(), operands.begin(), operands.end());
    const Shape shape{m_batch, m_size};
    std::vector<Tensor> shaped;
    shaped.reserve(inputs.size());
    for (const Tensor& t : inputs) shaped.push_back(t.numElements() == m_batch * m_size ? t.reshape(shape) : t);
    b.compute(shaped, {target}, cellwiseMap(elementKernel(std::move(f)), b.layoutOf(target), shape, m_type));
  }

  Tensor gate(const Tensor& t, int64_t g) const { return t.slice(g * m_size, (g + 1) * m_size, t.rank() - 1); }
  std::vector<MapStep> mapSteps(std::initializer_list<decltype(MapStep::op)> operations) const {
    std::vector<MapStep> list = ops::mapSteps(m_type, operations);
    if (m_l.lengths.valid()) list.push_back({TernaryOp::Select, m_type});
    return list;
  }

  // The terms of a gate's sum: its input, its state, and both biases if given.
  void addTerms(std::vector<Tensor>& operands, const Tensor& x, const Tensor& r, int64_t g) const {
    operands.push_back(gate(x, g));
    operands.push_back(gate(r, g));
    if (!m_l.bias.valid()) return;
    operands.push_back(gate(m_l.bias, g));
    operands.push_back(gate(m_l.bias, m_gates + g));
  }
  // Entries whose sequence has ended keep their state; their outputs stay zero.
  std::vector<Tensor> withMask(std::vector<Tensor> operands) const {
    if (m_l.lengths.valid()) {
      operands.push_back(m_l.lengths.reshape({m_batch, 1}));
      operands.push_back(m_step);
    }
    return operands;
  }

  void step(const OpBuilder& b, const Tensor& outputs) {
    const Tensor x = dynamicSlice(b, m_projected, m_step).reshape({m_batch, m_gates * m_size});
    const Tensor r = product(b, m_h, m_l.recurrence);
    switch (m_l.parameters.kind) {
    case RecurrentKind::Lstm: lstm(b, x, r); break;
    case RecurrentKind::Gru: gru(b, x, r); break;
    case RecurrentKind::Rnn: {
      std::vector<Tensor> operands;
      addTerms(operands, x, r, 0);
      update(b, "state", m_h, {x, r}, mapSteps({BinaryOp::Add, BinaryOp::Add, UnaryOp::Tanh}), withMask(operands),
             [m = m_math](const Values& v) { return m.ended(v) ? v[0] : m.f[0](m.sum(v, 1)); });
    }
    }
    Tensor y = m_h;
    if (m_l.lengths.valid()) {
      y = b.output(m_type, {m_batch, m_size}, "masked", b.layoutOf(m_h));
      update(b, "mask", y, {m_h}, {{TernaryOp::Select, m_type}}, withMask({m_h}),
             [m = m_math](const Values& v) { return m.ended(v) ? 0.0f : v[1]; });
    }
    dynamicUpdate(b, outputs, y.flatten(), m_step);
    const float by = m_l.reverse ? -1 : 1;
    mapInPlace(b, "nextStep", {{BinaryOp::Add, ElementType::Int32}}, {m_step},
               b.byCells() ? elementKernel([by](const Values& v) { return v[0] + by; }) : HostKernel{});
  }

  // Gates in the order input, output, forget, cell.
  void lstm(const OpBuilder& b, const Tensor& x, const Tensor& r) {
    const bool peeps = m_l.peepholes.valid();
    const std::size_t n = m_math.terms();
    std::vector<Tensor> operands, last;
    for (const int64_t g : {0, 2, 3}) addTerms(operands, x, r, g);
    addTerms(last, x, r, 1);
    last.push_back(m_c);
    if (peeps) {
      operands.push_back(gate(m_l.peepholes, 0));
      operands.push_back(gate(m_l.peepholes, 2));
      last.push_back(gate(m_l.peepholes, 1));
    }
    std::vector<Tensor> reads{x, r};
    if (m_l.bias.valid()) reads.push_back(m_l.bias);
    update(b, "cellState", m_c, reads,
           mapSteps({BinaryOp::Add, UnaryOp::Sigmoid, BinaryOp::Add, UnaryOp::Sigmoid, BinaryOp::Add, UnaryOp::Tanh,
                     BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Add}),
           withMask(operands), [m = m_math, n, peeps](const Values& v) {
             if (m.ended(v)) return v[0];
             const float pi = peeps ? v[1 + 3 * n] * v[0] : 0, pf = peeps ? v[2 + 3 * n] * v[0] : 0;
             const float in = m.f[0](m.clipped(m.sum(v, 1) + pi));
             const float forget = m.inputForget ? 1 - in : m.f[0](m.clipped(m.sum(v, 1 + n) + pf));
             return forget * v[0] + in * m.f[1](m.sum(v, 1 + 2 * n));
           });
    reads.push_back(m_c);
    update(b, "output", m_h, reads, mapSteps({BinaryOp::Add, UnaryOp::Sigmoid, UnaryOp::Tanh, BinaryOp::Multiply}),
           withMask(last), [m = m_math, n, peeps](const Values& v) {
             if (m.ended(v)) return v[0];
             const float cell = v[1 + n], peep = peeps ? v[2 + n] * cell : 0;
             return m.f[0](m.clipped(m.sum(v, 1) + peep)) * m.f[2](cell);
           });
  }

  // Gates in the order update, reset, hidden.
  void gru(const OpBuilder& b, const Tensor& x, const Tensor& r) {
    const std::size_t n = m_math.terms();
    const bool bias = m_l.bias.valid(), late = m_l.parameters.linearBeforeReset;
    std::vector<Tensor> reads{x, r};
    if (bias) reads.push_back(m_l.bias);
    Tensor candidate = gate(r, 2);
    if (!late) { // the reset is applied to the state before its product
      const Tensor reset = b.output(m_type, {m_batch, m_size}, "reset", b.layoutOf(m_h));
      std::vector<Tensor> operands{m_h};
      addTerms(operands, x, r, 1);
      reads.push_back(m_h);
      update(b, "reset", reset, reads, mapSteps({BinaryOp::Add, UnaryOp::Sigmoid, BinaryOp::Multiply}), operands,
             [m = m_math](const Values& v) { return m.f[0](m.sum(v, 2)) * v[1]; });
      reads.back() = candidate = product(b, reset, m_l.recurrence.slice(2 * m_size, 3 * m_size, 0));
    }
    std::vector<Tensor> operands;
    addTerms(operands, x, r, 0);
    addTerms(operands, x, r, 1);
    operands.push_back(gate(x, 2));
    operands.push_back(candidate);
    if (bias) {
      operands.push_back(gate(m_l.bias, 2));
      operands.push_back(gate(m_l.bias, 5));
    }
    update(b, "state", m_h, reads,
           mapSteps({BinaryOp::Add, UnaryOp::Sigmoid, BinaryOp::Add, UnaryOp::Tanh, BinaryOp::Subtract, BinaryOp::Multiply,
                     BinaryOp::Multiply, BinaryOp::Add}),
           withMask(operands), [m = m_math, n, bias, late](const Values& v) {
             if (m.ended(v)) return v[0];
             const float update = m.f[0](m.sum(v, 1)), reset = m.f[0](m.sum(v, 1 + n));
             const std::size_t at = 1 + 2 * n;
             const float fromInput = v[at] + (bias ? v[at + 2] : 0), fromState = v[at + 1] + (bias ? v[at + 3] : 0);
             const float fresh = m.f[1](m.clipped(fromInput + (late ? reset * fromState : fromState)));
             return (1 - update) * fresh + update * v[0];
           });
  }

  const OpBuilder m_b;
  const RecurrentLayer m_l;
  int64_t m_steps, m_batch, m_inputs, m_size, m_gates;
  ElementType m_type;
  GateMath m_math;
  Tensor m_projected, m_h, m_c, m_step;
};

} // namespace

RecurrentOutputs recurrent(const OpBuilder& builder, const RecurrentLayer& layer) {
  const char* name = layer.parameters.kind == RecurrentKind::Lstm  ? "lstm"
                     : layer.parameters.kind == RecurrentKind::Gru ? "gru"
                                                                   : "rnn";
  return RecurrentLowering(builder.within(name, name), layer).run();
}

} // namespace simcore::ops
