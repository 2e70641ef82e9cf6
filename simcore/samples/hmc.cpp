#include "simcore/samples/hmc.h"

#include "simcore/ops/ops.h"
#include "simcore/samples/sample_parts.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

namespace simcore::samples {

using namespace graph;
using codelets::ReduceOp;
using codelets::UnaryOp;
using numerics::HostTensor;
using ops::_1;
using ops::_2;
using ops::_3;
using ops::_4;
using ops::Expression;

namespace {

Expression squareOf(Expression x) { return Expression::unary(UnaryOp::Square, std::move(x)); }

// A dense network with tanh between its layers, as views of one vector of weights. So a step of the sampler is one operation for
// any number of layers. The bias follows the weights as an additional last row.
struct Layer {
  Tensor weights, bias, both; // [in, out], [1, out], [in + 1, out]
};

// Shapes of the layers' weights with the bias row.
std::vector<Shape> shapesOf(int64_t layers, int64_t inputs, int64_t hidden) {
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < layers; ++i) shapes.push_back({(i == 0 ? inputs : hidden) + 1, i + 1 == layers ? 1 : hidden});
  return shapes;
}

class Sampler {
public:
  Sampler(MeasuredGraph& g, const Parameters& p, const Regression& data, uint64_t seed)
      : m_g(g), m_data(data), m_seed(seed), m_step(p.number("step", 1e-9, 10)), m_leapfrogs(p.integer("leapfrogs", 1, 1 << 20)),
        m_draws(p.integer("draws", 1, 1 << 20)),
        m_shapes(shapesOf(p.integer("layers", 1, 16), data.inputs, p.integer("hidden", 1, 4096))) {
    m_x = variable({data.rows, data.inputs}, "x");
    m_y = variable({data.rows, 1}, "y");
    g.initialise(m_x, [x = data.x] { return x; });
    g.initialise(m_y, [y = data.y] { return y; });
    m_isColumn = p.choice("bias") == "column";
    if (m_isColumn) m_ones = variable({data.rows, 1}, "ones");
    m_weights = vector("weights");
    m_proposal = vector("proposal");
    int64_t at = 0;
    for (const Shape& shape : m_shapes) { // the layers are views of the proposal
      const int64_t n = numerics::elementCount(shape);
      const Tensor both = m_proposal.slice(at, at + n).reshape(shape);
      m_layers.push_back({both.slice(0, shape[0] - 1), both.slice(shape[0] - 1, shape[0]), both});
      at += n;
    }
    m_momentum = vector("momentum");
    m_sum = vector("sum");
    m_totals = variable({2}, "totals"); // sums over draws: proposals accepted, |error of the energy|
    m_program = Sequence("draw", g.context());
  }

  Tensor build() {
    m_g.initialise(m_weights, [shapes = m_shapes, n = m_weights.numElements(), seed = m_seed] {
      HostTensor first = uniformTensor({n}, seed + 5); // uniform, like the initial weights of networks
      auto v = first.mutableValues<float>();
      std::size_t at = 0;
      for (const Shape& shape : shapes)
        for (int64_t k = 0; k < numerics::elementCount(shape); ++k)
          v[at++] *= k / shape[1] + 1 == shape[0] ? 0.f : float(1 / std::sqrt(double(shape[0] - 1)));
      return first;
    });
    const ops::OpBuilder start = m_g.builder(m_g.main());
    ops::zero(start.within("sum", "fill"), m_sum);
    ops::zero(start.within("totals", "fill"), m_totals);
    if (m_isColumn) ops::fill(start.within("ones", "fill"), m_ones, 1);
    draw();
    m_g.main().add(program::repeat(m_draws, m_program, "draws", m_g.context()));
    const Tensor mean = ops::map(start.within("mean", "map"), _1 * (1.0 / double(m_draws)), {concat(m_sum, m_totals)}, "mean");
    return mean;
  }

private:
  Tensor variable(const Shape& shape, const std::string& name) {
    const Tensor t = m_g.graph().addVariable(ElementType::Float, shape, name, m_g.context());
    m_g.graph().mapTensorLinearly(t);
    return t;
  }
  Tensor vector(const std::string& name) {
    int64_t n = 0;
    for (const Shape& shape : m_shapes) n += numerics::elementCount(shape);
    return variable({n}, name);
  }
  // A layer's input. With a column of ones the product adds the bias, and the gradient of the weights includes that of the bias.
  Tensor inputOf(const Tensor& x) const { return m_isColumn ? concat(x, m_ones, 1) : x; }

  ops::OpBuilder in(Sequence& program, const std::string& name) { return m_g.builder(program).within(name, "hmc"); }

  // Outputs of all layers at the proposal; the last one is the prediction of the network.
  std::vector<Tensor> forward(const ops::OpBuilder& b) {
    std::vector<Tensor> outputs;
    Tensor x = m_x;
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
      const ops::OpBuilder layer = b.within(fmt::format("layer{}", i + 1), "dense");
      const bool isLast = i + 1 == m_layers.size();
      if (m_isColumn) {
        x = ops::matmul(layer, inputOf(x), m_layers[i].both);
        if (!isLast) x = ops::unary(layer, UnaryOp::Tanh, x);
      } else {
        const Tensor product = ops::matmul(layer, x, m_layers[i].weights);
        const Expression sum = _1 + _2;
        x = ops::map(layer, isLast ? sum : Expression::unary(UnaryOp::Tanh, sum), {product, m_layers[i].bias},
                     isLast ? "addBias" : "addBiasTanh");
      }
      outputs.push_back(x);
    }
    return outputs;
  }

  // momentum -= factor * the gradient of the negative logarithm of the posterior
  void push(Sequence& program, const std::string& name, double factor) {
    const ops::OpBuilder b = in(program, name);
    const std::vector<Tensor> outputs = forward(b.within("forward", "network"));
    const ops::OpBuilder back = b.within("backward", "network");
    std::vector<Tensor> gradients(m_layers.size());
    Tensor delta = ops::map(back, (_1 - _2) * (1 / (m_data.noise * m_data.noise)), {outputs.back(), m_y}, "residual");
    for (std::size_t i = m_layers.size(); i-- > 0;) {
      const ops::OpBuilder layer = back.within(fmt::format("layer{}", i + 1), "dense");
      const Tensor ofWeights = ops::matmul(layer, inputOf(i == 0 ? m_x : outputs[i - 1]).transpose(), delta).flatten();
      gradients[i] = m_isColumn ? ofWeights : concat(ofWeights, ops::reduce(layer, delta, {0}, ReduceOp::Add, false).flatten());
      if (i > 0)
        delta = ops::map(layer, _1 * (1.0 - squareOf(_2)),
                         {ops::matmul(layer, delta, m_layers[i].weights.transpose()), outputs[i - 1]}, "tanhGradient");
    }
    ops::mapInPlace(b, _1 - (_2 + _3 * (1 / (m_data.prior * m_data.prior))) * factor, {m_momentum, concat(gradients), m_proposal},
                    "push");
  }

  // The negative logarithm of the joint density of weights and momentum, up to a constant.
  Tensor energy(const std::string& name) {
    const ops::OpBuilder b = in(m_program, name);
    const Tensor misses = ops::map(b, squareOf((_1 - _2) * (1 / m_data.noise)), {forward(b).back(), m_y}, "misses"),
                 others = ops::map(b, squareOf(_1 * (1 / m_data.prior)) + squareOf(_2), {m_proposal, m_momentum}, "others");
    return ops::reduce(b, concat(misses.flatten(), others), {0}, ReduceOp::Add, false).reshape({1});
  }

  void drift(Sequence& program) { ops::scaledAddTo(in(program, "drift"), m_proposal, m_momentum, float(m_step)); }

  void draw() {
    const ops::OpBuilder b = in(m_program, "momentum");
    ops::RandomNumbers normal;
    normal.kind = codelets::RandomKind::Normal;
    ops::fillRandom(b, m_momentum, normal, m_seed + 1);
    m_program.add(program::copy(m_weights, m_proposal, "start", m_g.context()));
    const Tensor before = energy("energyBefore");
    push(m_program, "firstHalf", m_step / 2);
    if (m_leapfrogs > 1) {
      Sequence leapfrog("leapfrog", m_g.context());
      drift(leapfrog);
      push(leapfrog, "gradient", m_step);
      m_program.add(program::repeat(m_leapfrogs - 1, leapfrog, "leapfrogs", m_g.context()));
    }
    drift(m_program);
    push(m_program, "lastHalf", m_step / 2);
    choose(before, energy("energyAfter"));
  }

  // Metropolis: accepts the proposal with probability exp((before - after) / 2); the energies are twice the physical ones.
  void choose(const Tensor& before, const Tensor& after) {
    const ops::OpBuilder b = in(m_program, "choose");
    const Tensor chance = variable({1}, "chance");
    ops::RandomNumbers uniform;
    uniform.low = 0;
    ops::fillRandom(b, chance, uniform, m_seed + 2);
    const Tensor isTaken = ops::map(b, Expression::unary(UnaryOp::Log, _1) < (_2 - _3) * 0.5, {chance, before, after}, "isTaken");
    ops::mapInPlace(b, Expression::select(_2, _1, _3), {m_weights, m_proposal, isTaken}, "take");
    ops::mapInPlace(b, _1 + _2, {m_sum, m_weights}, "sum");
    ops::mapInPlace(b, _1 + Expression::cast(_2, ElementType::Float), {m_totals.slice(0, 1), isTaken}, "count");
    ops::mapInPlace(b, _1 + Expression::unary(UnaryOp::Absolute, _2 - _3) * 0.5, {m_totals.slice(1, 2), before, after}, "error");
  }

  MeasuredGraph& m_g;
  const Regression& m_data;
  uint64_t m_seed;
  double m_step;
  int64_t m_leapfrogs, m_draws;
  std::vector<Shape> m_shapes;
  bool m_isColumn = false;
  Tensor m_x, m_y, m_ones, m_weights, m_proposal, m_momentum, m_sum, m_totals;
  std::vector<Layer> m_layers;
  Sequence m_program;
};

Workload buildHmc(const Parameters& p, const BuildOptions& o) {
  const Regression data = regressionOf(p, o.seed);
  MeasuredGraph g("hmc",
                  fmt::format("{} weights by Hamiltonian Monte Carlo, {} draws of {} leapfrog steps",
                              p.text("layers") + " layers of", p.text("draws"), p.text("leapfrogs")),
                  o.machine);
  const Tensor result = Sampler(g, p, data, uint64_t(o.seed) + 61).build();
  return g.finish(result, p.integer("io", 0, 1));
}

} // namespace

Regression regressionOf(const Parameters& p, int64_t seed) {
  Regression r{p.integer("rows", 1, 1 << 20),
               p.integer("inputs", 1, 4096),
               p.number("noise", 1e-6, 1e6),
               p.number("prior", 1e-6, 1e6),
               {},
               {}};
  r.x = uniformTensor({r.rows, r.inputs}, uint64_t(seed) + 3);
  // Targets: a wave of the first input plus a linear function of the others.
  std::mt19937_64 random(uint64_t(seed) * 0x9e3779b97f4a7c15ull + 7);
  std::normal_distribution<double> noise(0, r.noise);
  std::vector<float> y;
  const auto x = r.x.values<float>();
  for (int64_t row = 0; row < r.rows; ++row) {
    const float* values = x.data() + row * r.inputs;
    double sum = std::sin(3 * double(values[0]));
    for (int64_t i = 1; i < r.inputs; ++i) sum += double(values[i]) * (i % 2 ? 1.0 : -1.0) / double(r.inputs);
    y.push_back(float(sum + noise(random)));
  }
  r.y = HostTensor::of<float>({r.rows, 1}, y);
  return r;
}

Sample hmc() {
  Sample s;
  s.name = "hmc";
  s.title = "Bayesian network by Hamiltonian Monte Carlo";
  s.text = "The weights of a three-layer network are not trained but sampled from their posterior. Each draw starts with a "
           "random momentum, follows Newton's equations for 1,000 leapfrog steps (each is a gradient over 200 rows and two "
           "updates), and is then accepted or rejected. All of it runs on the machine, in one program without the host. "
           "Look at the trace inside a leapfrog: a product of 200 x 40 leaves each tile a handful of rows, so a dozen steps "
           "of a few hundred cycles alternate with exchange and sync, and the machine reaches a third of a percent of its "
           "peak. The result has the mean of every weight, the acceptance rate, and the mean error of the energy, which "
           "would be zero for infinitely small steps.";
  s.lesson = {
      {"tilescope:?view=program&set.list=steps", "Two repeats, one in the other: draws, and the leapfrog steps of a draw."},
      {"tilescope:?view=trace&set.tab=range",
       "Exchange and sync together take more than two thirds as many cycles as computing: the layers are small."},
      {"tilescope:?view=insights&set.list=findings",
       "Unused tiles are the costliest finding: the network is small for the machine."},
      {"tilescope:?view=memory&set.breakdown=category",
       "Exchange code is the largest category: each product moves data in its own way."}};
  s.parameters = {{"layers", "3", "dense layers; 1: a linear model"},
                  {"inputs", "22", "inputs of the network, numbers per row"},
                  {"hidden", "40", "outputs of all layers but the last"},
                  {"rows", "200", "rows of the data"},
                  {"leapfrogs", "1000", "leapfrog steps per draw"},
                  {"draws", "1", "draws of a run"},
                  {"step", "0.0005", "time of a leapfrog step"},
                  {"noise", "0.1", "standard deviation of the measured values"},
                  {"prior", "1", "standard deviation of a weight in the prior"},
                  {"bias",
                   "sum",
                   "gradient of a bias: a sum over all rows, or a column of ones in the layer's product (column)",
                   {"sum", "column"}},
                  ioParameter()};
  s.build = buildHmc;
  s.variant = {
      "tuned",
      {{"bias", "column"}},
      "A column of ones beside every layer's input makes the bias a row of the weights: the products add it and sum up its "
      "gradient, so each leapfrog loses three reductions over 200 rows, each with three stages and an exchange. Cycles "
      "fall.",
      "cycles"};
  return s;
}

} // namespace simcore::samples
