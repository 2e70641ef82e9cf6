#include "simcore/samples/vae.h"

#include "reports/core/text.h"
#include "simcore/samples/digits.h"
#include "simcore/samples/network.h"

#include <fmt/format.h>

namespace simcore::samples {

using model::attributes;
using numerics::ElementType;
using numerics::HostTensor;

namespace {

constexpr int64_t kPixels = 784;

// Dense layers with ReLU between them. Weights are passed by name, so that a pass can read them as they are or detached from
// training.
class Dense {
public:
  Dense(Network& net, std::string name, const std::vector<int64_t>& widths) : m_g(net.graph()), m_name(std::move(name)) {
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
      const std::string layer = fmt::format("{}/layer{}", m_name, i + 1);
      m_weights.push_back(net.parameter(layer + ".weight", {widths[i], widths[i + 1]}, widths[i]));
      m_biases.push_back(net.parameter(layer + ".bias", {1, widths[i + 1]}, widths[i]));
    }
  }
  Dense detached() const {
    Dense other = *this;
    for (auto* list : {&other.m_weights, &other.m_biases})
      for (std::string& w : *list) w = m_g.addOwn("Detach", {w}, {}, w + "/detached");
    return other;
  }

  std::string operator()(const std::string& pass, std::string x) {
    m_outputs.clear();
    for (std::size_t i = 0; i < m_weights.size(); ++i) {
      const std::string layer = fmt::format("{}/{}/layer{}", m_name, pass, i + 1);
      x = m_g.add("Add", {m_g.add("MatMul", {x, m_weights[i]}, {}, layer), m_biases[i]}, {}, layer + "/addBias");
      if (i + 1 < m_weights.size()) x = m_g.add("Relu", {x}, {}, layer + "/relu");
      m_outputs.push_back(x);
    }
    return x;
  }
  // The gradient of the last pass's input from the gradient of its output. It is written as nodes, because it is part of the
  // forward pass.
  std::string back(const std::string& pass, std::string gradient) {
    for (std::size_t i = m_weights.size(); i-- > 0;) {
      const std::string layer = fmt::format("{}/{}/layer{}", m_name, pass, i + 1);
      gradient = m_g.add("MatMul", {gradient, m_g.transpose(m_weights[i], {1, 0})}, {}, layer + "/gradient");
      if (i > 0)
        gradient = m_g.add("Where",
                           {m_g.add("Greater", {m_outputs[i - 1], m_g.number(0, ElementType::Float)}, {}, layer + "/isActive"),
                            gradient, m_g.number(0, ElementType::Float)},
                           {}, layer + "/reluGradient");
    }
    return gradient;
  }

private:
  model::GraphBuilder& m_g;
  std::string m_name;
  std::vector<std::string> m_weights, m_biases, m_outputs;
};

class ContrastiveVae {
public:
  ContrastiveVae(Network& net, const VaeShape& s)
      : m_net(net), m_g(net.graph()), m_s(s), m_encoder(net, "encoder", {kPixels, s.hidden, s.hidden, 2 * s.code}),
        m_decoder(net, "decoder", {s.code, s.hidden, s.hidden, kPixels}), m_fixed(m_decoder.detached()) {}

  // The loss of images whose pixels are 0 or 1.
  void build(const std::string& x) {
    m_x = x;
    const std::string both = m_encoder("code", x);
    m_mean = columns("mean", both, 0), m_logDeviation = columns("logDeviation", both, m_s.code);
    const std::string noise = normal("noise");
    const std::string code = add("code", m_mean, mul("code/spread", exp("deviation", m_logDeviation), noise));
    if (m_s.draws == 0) return finish(sub("bound", density("code", code), joint("code", m_decoder, code)));
    // The chain starts at the encoder's code and follows the density of code and image; no gradient flows through it.
    std::string drawn = m_g.addOwn("Detach", {code}, {}, "chain/start");
    for (int64_t i = 0; i < m_s.draws; ++i) drawn = next(fmt::format("chain/draw{}", i), drawn);
    drawn = m_g.addOwn("Detach", {drawn}, {}, "chain/end");
    // The encoder is trained on its bound and towards the end of the chain, the decoder to make that end more probable. (The
    // published gradient has a third term for the encoder, the score of the chain's start. It is left out, because on average it
    // is only noise.)
    const std::string encoder = sub("bound", density("code", code), joint("code", m_fixed, code)),
                      decoder = add("contrast", joint("drawn", m_decoder, drawn), density("drawn", drawn));
    finish(sub("divergence", encoder, decoder));
  }

private:
  std::string add(const std::string& name, const std::string& a, const std::string& b) { return m_net.sum(name, a, b); }
  std::string sub(const std::string& name, const std::string& a, const std::string& b) {
    return m_g.add("Sub", {a, b}, {}, name);
  }
  std::string mul(const std::string& name, const std::string& a, const std::string& b) {
    return m_g.add("Mul", {a, b}, {}, name);
  }
  std::string exp(const std::string& name, const std::string& a) { return m_g.add("Exp", {a}, {}, name); }
  std::string scaled(const std::string& a, double factor) { return m_g.scaled(a, factor); }
  std::string columns(const std::string& name, const std::string& x, int64_t first) {
    return m_g.add("Slice", {x, m_g.integers({first}), m_g.integers({first + m_s.code}), m_g.integers({1})}, {}, name);
  }
  std::string sumOfRow(const std::string& name, const std::string& x) {
    return m_g.add("ReduceSum", {x, m_g.integers({1})}, attributes({{"keepdims", int64_t(1)}}), name);
  }
  std::string random(const char* type, const std::string& name, int64_t columns) {
    return m_g.add(type, {}, attributes({{"shape", std::vector<int64_t>{m_s.batch, columns}}, {"seed", float(++m_randoms)}}),
                   name);
  }
  std::string normal(const std::string& name) { return random("RandomNormal", name, m_s.code); }

  // Logarithm of p(x, z) per image, up to a constant: pixels are Bernoulli variables, codes are normal.
  std::string joint(const std::string& pass, Dense& decoder, const std::string& z) {
    const std::string logits = decoder(pass, z), name = "joint/" + pass;
    m_logits = logits;
    const std::string pixels =
        sub(name + "/pixels", mul(name + "/shown", m_x, logits), m_g.add("Softplus", {logits}, {}, name + "/either"));
    return sub(name, sumOfRow(name + "/picture", pixels), scaled(sumOfRow(name + "/code", mul(name + "/square", z, z)), 0.5));
  }
  // Logarithm of q(z | x) per image, up to a constant.
  std::string density(const std::string& pass, const std::string& z) {
    const std::string name = "density/" + pass;
    const std::string miss =
        mul(name + "/miss", sub(name + "/offset", z, m_mean), exp(name + "/precision", scaled(m_logDeviation, -1)));
    return scaled(add(name, scaled(sumOfRow(name + "/misses", mul(name + "/square", miss, miss)), 0.5),
                      sumOfRow(name + "/spread", m_logDeviation)),
                  -1);
  }
  // Gradient of the logarithm of p(x, z) at the arguments of the last joint().
  std::string slope(const std::string& name, const std::string& z) {
    const std::string miss = sub(name + "/miss", m_x, m_g.add("Sigmoid", {m_logits}, {}, name + "/shown"));
    return sub(name, m_fixed.back(name, miss), z);
  }

  // One step of Hamiltonian Monte Carlo for the code of each image.
  std::string next(const std::string& name, const std::string& start) {
    const std::string first = normal(name + "/momentum");
    const std::string before = energy(name + "/before", joint(name + "/before", m_fixed, start), first);
    std::string z = start, p = add(name + "/firstHalf", first, scaled(slope(name + "/before", start), m_s.step / 2)),
                end = before;
    for (int64_t i = 1; i <= m_s.leapfrogs; ++i) {
      const std::string at = fmt::format("{}/leapfrog{}", name, i);
      z = add(at + "/drift", z, scaled(p, m_s.step));
      const std::string density = joint(at, m_fixed, z);
      const bool isLast = i == m_s.leapfrogs;
      p = add(at + "/push", p, scaled(slope(at, z), isLast ? m_s.step / 2 : m_s.step));
      if (isLast) end = energy(name + "/after", density, p);
    }
    const std::string chance = m_g.add("Log", {random("RandomUniform", name + "/chance", 1)}, {}, name + "/logChance");
    const std::string isTaken = m_g.add("Less", {chance, sub(name + "/lost", before, end)}, {}, name + "/isTaken");
    return m_g.add("Where", {isTaken, z, start}, {}, name + "/choose");
  }
  std::string energy(const std::string& name, const std::string& joint, const std::string& p) {
    return sub(name, scaled(sumOfRow(name + "/kinetic", mul(name + "/square", p, p)), 0.5), joint);
  }

  void finish(const std::string& ofPictures) {
    m_g.output(m_g.add("ReduceMean", {ofPictures}, attributes({{"keepdims", int64_t(0)}}), "loss"));
  }

  Network& m_net;
  model::GraphBuilder& m_g;
  VaeShape m_s;
  Dense m_encoder, m_decoder, m_fixed;
  std::string m_x, m_mean, m_logDeviation, m_logits;
  int m_randoms = 0;
};

graph::Workload buildVae(const Parameters& p, const BuildOptions& o) {
  const VaeShape s{p.integer("batch", 1, 65536), p.integer("hidden", 1, 1 << 14), p.integer("code", 1, 4096),
                   p.integer("draws", 0, 64),    p.integer("leapfrogs", 1, 64),   p.number("step", 1e-9, 10)};
  Network net("vae", uint64_t(o.seed) + 107);
  addVae(net, s, net.input("images", ElementType::Float, {s.batch, kPixels}));
  graph::Workload load = workloadOf(net, p, o, [&](int64_t i) {
    const uint64_t seed = uint64_t(o.seed * 100'000 + i);
    return std::map<std::string, HostTensor>{
        {"images", HostTensor::deferred(ElementType::Float, {s.batch, kPixels}, [n = s.batch, seed] {
           HostTensor images = drawDigits(n, seed).images.reshaped({n, kPixels});
           for (float& pixel : images.mutableValues<float>()) pixel = pixel > 0.5f ? 1.f : 0.f;
           return images;
         })}};
  });
  load.title = fmt::format("VAE with a code of {}, {} of {}, batch {}", s.code, reports::counted(s.draws, "draw"),
                           reports::counted(s.leapfrogs, "leapfrog step"), s.batch);
  return load;
}

} // namespace

void addVae(Network& net, const VaeShape& shape, const std::string& images) { ContrastiveVae(net, shape).build(images); }

Sample vae() {
  Sample s;
  s.name = "vae";
  s.title = "Variational autoencoder with contrastive divergence";
  s.text =
      "The encoder samples a latent code for each drawn digit, and a Markov chain moves that code to where the decoder finds "
      "the image more likely: two draws of Hamiltonian Monte Carlo, five leapfrog steps each, inside the training step. Every "
      "leapfrog runs the decoder forward and backward, only for a gradient. Look at Operations by name: chain/ is three fifths "
      "of the cycles, though it trains nothing. The vertex and control code of the chain shows in Memory, but the chain hardly "
      "changes Liveness: no gradient flows back through it, so no activations are kept for a backward pass. With draws=0 it is "
      "a plain variational autoencoder.";
  s.lesson = {
      {"tilescope:?view=operations&set.picture=cycles&set.rows=kind",
       "Products (MatMul) take the most cycles; most of them belong to the Markov chain."},
      {"tilescope:?view=program&set.list=steps", "Eleven functions are called sixty times: the steps of the chain are equal."},
      {"tilescope:?view=trace&set.tab=range",
       "Exchange and sync take more than half as many cycles as computing: the products of the chain are small."},
      {"tilescope:?view=memory&set.breakdown=category", "Exchange code and control code are both larger than the variables."}};
  s.parameters = {{"batch", "100", "images of a micro-batch"},
                  {"hidden", "200", "outputs of the hidden layers"},
                  {"code", "10", "latent size"},
                  {"draws", "2", "draws of the chain; 0: none"},
                  {"leapfrogs", "5", "leapfrog steps per draw"},
                  {"step", "0.05", "time of a leapfrog step"}};
  for (Parameter& parameter : trainingParameters("adam", "0.001")) s.parameters.push_back(std::move(parameter));
  s.build = buildVae;
  s.distributes = true;
  s.variant = {"tuned",
               {{"draws", "0"}},
               "A plain variational autoencoder without the chain: a training step of six small products, their gradients "
               "and the update. Cycles fall; the difference is the cost of the better codes.",
               "cycles"};
  return s;
}

} // namespace simcore::samples
