#include "simcore/samples/lstm.h"

#include "reports/core/text.h"
#include "simcore/samples/network.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

namespace simcore::samples {

using model::attributes;
using numerics::ElementType;
using numerics::HostTensor;
using Integers = std::vector<int64_t>;

namespace {

struct LstmShape {
  int64_t steps, batch, inputs, hidden;
};

// Weights of the four gates in the order of ONNX: input, output, forget, cell. `bias`: first those of the input, then those of
// the recurrence.
struct LstmWeights {
  std::string input, recurrence, bias;
};

LstmWeights weightsOf(Network& net, const std::string& name, const LstmShape& s) {
  return {net.parameter(name + ".weight_ih", {1, 4 * s.hidden, s.inputs}, s.hidden),
          net.parameter(name + ".weight_hh", {1, 4 * s.hidden, s.hidden}, s.hidden),
          net.parameter(name + ".bias", {1, 8 * s.hidden}, s.hidden)};
}

// x [steps, batch, inputs] -> [steps x batch, hidden] with one operator, which loops over a cell.
std::string asOperator(Network& net, const std::string& name, const std::string& x, const LstmShape& s) {
  const LstmWeights w = weightsOf(net, name, s);
  const std::string y =
      net.graph().add("LSTM", {x, w.input, w.recurrence, w.bias}, attributes({{"hidden_size", s.hidden}}), name);
  return net.graph().reshape(y, {s.steps * s.batch, s.hidden});
}

// The layer without a loop: one cell per step.
class UnrolledLstm {
public:
  UnrolledLstm(Network& net, std::string name, const LstmShape& s)
      : m_net(net), m_g(net.graph()), m_name(std::move(name)), m_s(s) {
    const LstmWeights w = weightsOf(net, m_name, s);
    m_input = m_g.reshape(w.input, {4 * s.hidden, s.inputs});
    if (s.steps > 1) m_recurrence = m_g.reshape(w.recurrence, {4 * s.hidden, s.hidden}); // a single step does not read the state
    m_biases = split(m_name + "/biases", m_g.reshape(w.bias, {8 * s.hidden}), 2, 0);
  }

  std::string build(const std::string& x) {
    const auto inputs = split(m_name + "/steps", m_g.reshape(x, {m_s.steps * m_s.batch, m_s.inputs}), m_s.steps, 0);
    std::vector<std::string> outputs;
    for (std::size_t t = 0; t < inputs.size(); ++t) outputs.push_back(cell(m_name + "/step" + std::to_string(t), inputs[t]));
    return outputs.size() == 1 ? outputs[0] : m_g.add("Concat", outputs, attributes({{"axis", int64_t(0)}}), m_name + "/outputs");
  }

private:
  std::vector<std::string> split(const std::string& name, const std::string& x, int64_t parts, int64_t axis) {
    if (parts == 1) return {x};
    const Integers sizes(std::size_t(parts), m_g.shape(x)[std::size_t(axis)] / parts);
    return m_g.addMany("Split", {x, m_g.integers(sizes)}, attributes({{"axis", axis}}),
                       std::vector<bool>(std::size_t(parts), true), name);
  }
  std::string gemm(const std::string& name, const std::string& x, const std::string& w, const std::string& bias) {
    return m_g.add("Gemm", {x, w, bias}, attributes({{"transB", int64_t(1)}}), name);
  }
  std::string multiplied(const std::string& name, const std::string& a, const std::string& b) {
    return m_g.add("Mul", {a, b}, {}, name);
  }

  std::string cell(const std::string& name, const std::string& x) {
    std::string gates = gemm(name + "/input", x, m_input, m_biases[0]);
    // The first state is zero, so its product is only the bias.
    gates = m_hidden.empty()
                ? m_net.sum(name + "/addBias", gates, m_biases[1])
                : m_net.sum(name + "/addRecurrence", gates, gemm(name + "/recurrence", m_hidden, m_recurrence, m_biases[1]));
    const auto parts = split(name + "/gates", gates, 4, 1);
    const auto gate = [&](std::size_t i, const char* what, const char* op) {
      return m_g.add(op, {parts[i]}, {}, name + "/" + what);
    };
    const std::string fresh = multiplied(name + "/candidate", gate(0, "inputGate", "Sigmoid"), gate(3, "cellGate", "Tanh"));
    const std::string output = gate(1, "outputGate", "Sigmoid");
    m_cell = m_cell.empty()
                 ? fresh
                 : m_net.sum(name + "/cell", fresh, multiplied(name + "/kept", gate(2, "forgetGate", "Sigmoid"), m_cell));
    m_hidden = multiplied(name + "/hidden", output, m_g.add("Tanh", {m_cell}, {}, name + "/tanh"));
    return m_hidden;
  }

  Network& m_net;
  model::GraphBuilder& m_g;
  std::string m_name;
  LstmShape m_s;
  std::string m_input, m_recurrence, m_hidden, m_cell;
  std::vector<std::string> m_biases;
};

// Waves whose length depends on the label: sequences of numbers instead of letters.
std::map<std::string, HostTensor> drawWaves(const LstmShape& s, int64_t kinds, uint64_t seed) {
  std::mt19937_64 random(seed * 0x9e3779b97f4a7c15ull + 19);
  std::vector<float> waves(std::size_t(s.steps * s.batch * s.inputs));
  std::vector<int32_t> labels(std::size_t(s.steps * s.batch));
  for (int64_t b = 0; b < s.batch; ++b) {
    const auto kind = int32_t(random() % uint64_t(kinds));
    const double start = double(random() % 1024) / 1024, rate = 0.5 * (kind + 1) / double(kinds); // at most half a wave per step
    for (int64_t t = 0; t < s.steps; ++t) {
      labels[std::size_t(t * s.batch + b)] = kind;
      for (int64_t i = 0; i < s.inputs; ++i)
        waves[std::size_t((t * s.batch + b) * s.inputs + i)] =
            float(std::sin(2 * M_PI * (start + rate * double(t) + double(i) / double(s.inputs))));
    }
  }
  return {{"waves", HostTensor::of<float>({s.steps, s.batch, s.inputs}, waves)}, {"labels", HostTensor::vector(labels)}};
}

// Every sequence steps through the alphabet with its own stride. A letter's label is the next letter.
struct Letters {
  HostTensor tokens, labels;
};
Letters drawLetters(const LstmShape& s, int64_t alphabet, uint64_t seed) {
  std::mt19937_64 random(seed * 0x9e3779b97f4a7c15ull + 11);
  std::vector<int32_t> tokens(std::size_t(s.steps * s.batch)), labels(tokens.size());
  for (int64_t b = 0; b < s.batch; ++b) {
    const int64_t start = int64_t(random() % uint64_t(alphabet)), stride = 1 + int64_t(random() % 3);
    for (int64_t t = 0; t < s.steps; ++t) {
      tokens[std::size_t(t * s.batch + b)] = int32_t((start + t * stride) % alphabet);
      labels[std::size_t(t * s.batch + b)] = int32_t((start + (t + 1) * stride) % alphabet);
    }
  }
  return {HostTensor::of<int32_t>({s.steps, s.batch}, tokens), HostTensor::vector(labels)};
}

graph::Workload buildLstm(const Parameters& p, const BuildOptions& o) {
  const LstmShape s{p.integer("steps", 1, 1 << 14), p.integer("batch", 1, 4096), p.integer("inputs", 1, 1 << 14),
                    p.integer("hidden", 1, 1 << 14)};
  const int64_t alphabet = p.integer("alphabet", 2, 1 << 20);
  const bool unrolled = p.choice("form") == "unrolled";
  const bool isLetters = p.choice("input") == "letters";
  const int64_t layers = p.integer("layers", 1, 64);
  Network net("lstm", uint64_t(o.seed) + 71);
  std::string x;
  if (isLetters) {
    const std::string tokens = net.input("tokens", ElementType::Int32, {s.steps, s.batch});
    x = net.embedding("embedding", net.parameter("embedding.weight", {alphabet, s.inputs}, 3), tokens);
  } else {
    x = net.input("waves", ElementType::Float, {s.steps, s.batch, s.inputs});
  }
  std::string y;
  for (int64_t i = 0; i < layers; ++i) {
    const std::string name = i == 0 ? "lstm" : fmt::format("lstm{}", i + 1);
    LstmShape layer = s;
    if (i > 0) {
      layer.inputs = s.hidden;
      x = net.graph().reshape(y, {s.steps, s.batch, s.hidden});
    }
    y = unrolled ? UnrolledLstm(net, name, layer).build(x) : asOperator(net, name, x, layer);
  }
  net.classify(net.linear("next", y, alphabet), net.input("labels", ElementType::Int32, {s.steps * s.batch}));
  graph::Workload load = workloadOf(net, p, o, [&](int64_t i) {
    const uint64_t seed = uint64_t(o.seed * 100'000 + i);
    if (!isLetters) return drawWaves(s, alphabet, seed);
    const Letters letters = drawLetters(s, alphabet, seed);
    return std::map<std::string, HostTensor>{{"tokens", letters.tokens}, {"labels", letters.labels}};
  });
  load.title = fmt::format("LSTM{}, {} steps, batch {}, {} inputs, hidden {}{}",
                           layers == 1 ? "" : " of " + reports::counted(layers, "layer"), s.steps, s.batch, s.inputs, s.hidden,
                           p.text("training") == "0" ? ", forward only" : "");
  return load;
}

} // namespace

Sample lstm() {
  Sample s;
  s.name = "lstm";
  s.title = "LSTM language model";
  s.text = "An embedding, one LSTM layer over all steps, and a layer that predicts the next letter. Each step needs the state of "
           "the step before, so the layer is a chain of small products that cannot fill the machine: look at the utilisation of "
           "the recurrent product, and at the share of exchange and sync in a step. With training=1 the backward pass walks the "
           "chain in the other direction and needs the values that every step kept. The published shapes: input=waves layers=2 "
           "hidden=256 steps=200 inputs=16 alphabet=8 form=operator batch=64 (inference), and layers of 512 to 2,048 with 25 or "
           "50 steps and batches of 16 to 128 (DeepBench, training).";
  s.lesson = {{"tilescope:?view=operations&set.picture=cycles&set.rows=kind",
               "Products (Gemm) take the most cycles; loss and predictions are the costliest single operations."},
              {"tilescope:?view=program&set.list=steps",
               "All steps after the first call one function, one after the other: each needs the state of the step before."},
              {"tilescope:?view=trace&set.tab=range",
               "Exchange and sync take more than half as many cycles as computing: the products of a step are small."},
              {"tilescope:?view=memory&set.breakdown=category",
               "Code takes most of the memory, more than the weights: control code, exchange code and vertices."}};
  s.parameters = {{"steps", "32", "letters of a sequence"},
                  {"batch", "8", "sequences of a micro-batch"},
                  {"inputs", "128", "size of the embedding"},
                  {"hidden", "256", "size of the state"},
                  {"alphabet", "64", "letters, or kinds of waves"},
                  {"layers", "1", "LSTM layers; each reads the output of the one before"},
                  {"input",
                   "letters",
                   "letters: embedded letters, the next one is predicted; waves: numbers, their kind is predicted",
                   {"letters", "waves"}},
                  {"form",
                   "unrolled",
                   "unrolled: a cell for every step; operator: one cell in a loop, all input products at once",
                   {"unrolled", "operator"}}};
  for (Parameter& parameter : trainingParameters("adam", "0.003")) {
    if (parameter.name == "training") parameter.defaultValue = "0";
    s.parameters.push_back(std::move(parameter));
  }
  s.build = buildLstm;
  s.distributes = true;
  s.variant = {
      "tuned",
      {{"form", "operator"}},
      "The operator computes the input products of all steps at once and runs one cell in a loop whose element-wise parts "
      "are fused: half the steps, syncs and exchanges for the same numbers. Cycles fall, and so does code on the fullest "
      "tile.",
      "cycles"};
  return s;
}

} // namespace simcore::samples
