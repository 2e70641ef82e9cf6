#include "simcore/model/training/training.h"

#include "reports/core/error.h"
#include "simcore/model/graph/evaluate.h"
#include "tests/simcore/model/training_networks.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace simcore;
using model::attributes;
using model::GraphBuilder;
using model::OptimiserKind;
using model::OptimiserOptions;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;
using Values = std::vector<double>;

namespace {

// loss = mean((x w - y)^2) with x [4, 3], y [4, 2], w [3, 2].
model::Model regression() {
  model::Model m;
  m.file = "regression";
  m.opset = 17;
  GraphBuilder b(m.graph);
  m.inputTypes = {{"x", {ElementType::Float, {4, 3}}}, {"y", {ElementType::Float, {4, 2}}}};
  b.input("x", ElementType::Float, {4, 3});
  b.input("y", ElementType::Float, {4, 2});
  const std::string w = b.constant("w", HostTensor::of(Shape{3, 2}, std::vector<float>{0.1f, -0.2f, 0.3f, 0.4f, -0.5f, 0.6f}));
  const std::string error = b.add("Sub", {b.add("MatMul", {"x", w}, {}, "product"), "y"}, {}, "error");
  b.output(b.add("ReduceMean", {b.add("Mul", {error, error})}, attributes({{"keepdims", std::int64_t(0)}}), "loss"));
  return m;
}
HostTensor ramp(const Shape& shape, float from, float step) {
  HostTensor t(ElementType::Float, shape);
  float at = from;
  for (float& v : t.mutableValues<float>()) v = at, at += step;
  return t;
}
std::unordered_map<std::string, HostTensor> exampleInputs(int i = 0) {
  return {{"x", ramp({4, 3}, -1.0f + 0.1f * float(i), 0.17f)}, {"y", ramp({4, 2}, 0.5f, -0.2f * float(i + 1))}};
}

// One step of a training model on the host: every node in order, variables replaced at the end.
class HostTrainer {
public:
  explicit HostTrainer(const model::TrainingModel& t) : m_t(t), m_variables(t.variables.begin(), t.variables.end()) {}

  // Losses of the micro-batches.
  Values step(const std::vector<std::unordered_map<std::string, HostTensor>>& microBatches) {
    Values losses;
    for (const auto& inputs : microBatches) {
      auto values = run(0, m_t.microBatchNodes, inputs);
      losses.push_back(values.at(m_t.loss).at(0));
      for (const auto& node : m_t.model.graph.nodes)
        if (node.opType == "Accumulate") m_variables[node.inputs[0]] = values.at(node.outputs[0]);
      m_last = std::move(values);
    }
    const auto values = run(m_t.microBatchNodes, m_t.model.graph.nodes.size(), m_last);
    for (const auto& [variable, value] : m_t.written) m_variables[variable] = values.at(value);
    return losses;
  }
  Values variable(const std::string& name) const { return m_variables.at(name).toDoubles(); }

private:
  std::unordered_map<std::string, HostTensor> run(std::size_t from, std::size_t to,
                                                  std::unordered_map<std::string, HostTensor> values) {
    for (const auto& [name, value] : m_t.model.graph.initialisers) values[name] = value;
    for (const auto& [name, value] : m_variables) values[name] = value;
    for (std::size_t i = from; i < to; ++i) {
      const model::Node& node = m_t.model.graph.nodes[i];
      const auto results = model::evaluateNode(node, values);
      std::size_t at = 0;
      for (const std::string& output : node.outputs)
        if (!output.empty()) values[output] = results.at(at++);
    }
    return values;
  }

  const model::TrainingModel& m_t;
  std::unordered_map<std::string, HostTensor> m_variables, m_last;
};

Values update(OptimiserOptions options, Values w, const std::vector<Values>& gradients, double divisor = 1, Shape shape = {}) {
  model::Graph graph;
  GraphBuilder b(graph);
  if (shape.empty()) shape = {std::int64_t(w.size())};
  b.declare("w", {ElementType::Double, shape});
  b.declare("g", {ElementType::Double, shape});
  b.declare("step", {ElementType::Float, {}});
  const auto made =
      model::addUpdate(b, options, {{"w", "g"}}, divisor, b.number(options.learningRate, ElementType::Double), "step");
  std::unordered_map<std::string, HostTensor> values = graph.initialisers;
  values["w"] = HostTensor::vector(w).reshaped(shape);
  for (const auto& state : made.state) values[state.name] = state.value;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    values["g"] = HostTensor::vector(gradients[i]).reshaped(shape);
    values["step"] = HostTensor::scalar(float(i + 1));
    const auto results = model::evaluateNode(graph.nodes.at(0), values);
    for (std::size_t k = 0; k < made.written.size(); ++k) values[made.written[k].first] = results.at(k);
  }
  return values.at("w").toDoubles();
}

bool near(const Values& got, const Values& want) {
  for (std::size_t i = 0; i < want.size(); ++i)
    if (got.size() != want.size() || std::abs(got[i] - want[i]) > 2e-7) {
      qWarning("%.9g instead of %.9g", got[i], want[i]);
      return false;
    }
  return true;
}

} // namespace

class TrainingTest : public QObject {
  Q_OBJECT
private slots:
  // Two steps with gradients 0.5 then -0.25 from w = 1, worked out by hand (rate 0.1).
  void optimisersByHand() {
    const std::vector<Values> g{{0.5}, {-0.25}};
    OptimiserOptions o;
    o.learningRate = 0.1;
    QVERIFY(near(update(o, {1}, g), {1 - 0.05 + 0.025}));
    o.momentum = 0.5;
    QVERIFY(near(update(o, {1}, g), {1 - 0.05 - 0.1 * (0.25 - 0.25)}));
    o.nesterov = true; // v = 0.5: g + mv = 0.75; v = 0: -0.25
    QVERIFY(near(update(o, {1}, g), {1 - 0.075 + 0.025}));
    o = {};
    o.learningRate = 0.1;
    o.weightDecay = 0.5; // g = 1, w = 0.9; g = -0.25 + 0.45 = 0.2
    QVERIFY(near(update(o, {1}, g), {0.9 - 0.02}));

    o = {};
    o.kind = OptimiserKind::Adam;
    o.learningRate = 0.1;
    o.beta1 = 0.5;
    o.beta2 = 0.75;
    o.epsilon = 0;
    // Step 1: m^ = 0.5, v^ = 0.25 -> 1. Step 2: m = 0.125 - 0.125 = 0.
    QVERIFY(near(update(o, {1}, g), {0.9}));
    o.kind = OptimiserKind::AdamW;
    o.weightDecay = 0.5; // 1 - 0.1 (1 + 0.5) = 0.85; then 0.85 - 0.1 (0 + 0.425)
    QVERIFY(near(update(o, {1}, g), {0.85 - 0.0425}));
    o.kind = OptimiserKind::Lamb; // |w| / |r|: 1 - 0.1 * 1/1.5 * 1.5 = 0.9; then r = 0.45, factor 2: 0.9 - 0.1 * 0.9
    QVERIFY(near(update(o, {1}, g), {0.81}));
    o.kind = OptimiserKind::
        Adam; // decay in the gradient: g = 1 -> 0.9; g = 0.2: m = 0.35, m^ = 0.35/0.75, v = 0.75*0.25 + 0.25*0.04, v^ = v/0.4375
    QVERIFY(near(update(o, {1}, g), {0.9 - 0.1 * (0.35 / 0.75) / std::sqrt(0.1975 / 0.4375)}));

    o = {};
    o.kind = OptimiserKind::RmsProp;
    o.learningRate = 0.1;
    o.beta2 = 0.75;
    o.epsilon = 0; // v = 0.0625: 0.5/0.25 = 2; v = 0.046875 + 0.015625 = 0.0625: -1
    QVERIFY(near(update(o, {1}, g), {1 - 0.2 + 0.1}));
    o.kind = OptimiserKind::AdaGrad; // v = 0.25: 1; v = 0.3125
    QVERIFY(near(update(o, {1}, g), {0.9 + 0.1 * 0.25 / std::sqrt(0.3125)}));
    o.kind = OptimiserKind::RmsProp; // v = 0.125, m = 0.25
    o.beta2 = 0.5;
    o.centred = true;
    QVERIFY(near(update(o, {1}, {{0.5}}), {1 - 0.1 * 0.5 / std::sqrt(0.125 - 0.0625)}));
    o.centred = false, o.momentum = 0.5; // v = 0.125, then 0.1875; u = sqrt(2), then sqrt(2)/2 + 0.5 / sqrt(0.1875)
    QVERIFY(near(update(o, {1}, {{0.5}, {0.5}}), {1 - 0.1 * (1.5 * std::sqrt(2) + 0.5 / std::sqrt(0.1875))}));
    o.asTensorFlow = true, o.momentum = 0, o.epsilon = 0.375; // v = 0.5 + 0.125, and the epsilon is below the root
    QVERIFY(near(update(o, {1}, {{0.5}}), {1 - 0.1 * 0.5}));
    o.decayBeside = true, o.weightDecay = 0.5;
    QVERIFY(near(update(o, {1}, {{0.5}}), {1 - 0.1 * 0.5 - 0.1 * 0.5}));
    o = {};
    o.kind = OptimiserKind::AdaGrad;
    o.learningRate = 0.1;
    o.epsilon = 0.5; // 0.5 / (0.5 + 0.5)
    QVERIFY(near(update(o, {1}, {{0.5}}), {0.95}));
  }

  void lambUsesNormsOfTheWholeParameter() {
    OptimiserOptions o;
    o.kind = OptimiserKind::Lamb;
    o.learningRate = 0.5;
    o.epsilon = 0;
    // The first step's r is the sign of g: norm sqrt(2); |w| = 5.
    QVERIFY(near(update(o, {3, 4}, {{1, -2}}), {3 - 0.5 * 5 / std::sqrt(2.0), 4 + 0.5 * 5 / std::sqrt(2.0)}));
  }

  void larsByHand() {
    OptimiserOptions o;
    o.kind = OptimiserKind::Lars;
    o.learningRate = 0.3;
    o.weightDecay = 0.1;
    o.trust = 0.5;
    o.epsilon = 0.5;
    // |w| = 5, |g| = 4 / 2: 0.5 * 5 / (2 + 0.5 + 0.5) = 2.5 / 3; of g + decay w = (0.3, 2.4) a quarter is taken.
    QVERIFY(near(update(o, {3, 4}, {{0, 4}}, 2, {2, 1}), {3 - 0.075, 4 - 0.6}));
    QVERIFY(near(update(o, {3, 4}, {{0, 2}}), {3, 4 - 0.6}));            // one dimension: neither ratio nor decay
    QVERIFY(near(update(o, {0, 0}, {{0, 2}}, 1, {2, 1}), {0, -0.6}));    // a norm is 0: the plain rate
    QVERIFY(near(update(o, {3, 4}, {{0, 0}}, 1, {2, 1}), {2.91, 3.88})); // |g| = 0: plain rate, with decay
  }

  // Three steps against a plain loop, in which the velocity holds the rate.
  void larsIsThePublishedLoop() {
    for (const bool nesterov : {false, true}) {
      OptimiserOptions o;
      o.kind = OptimiserKind::Lars;
      o.learningRate = 2;
      o.weightDecay = 0.01;
      o.trust = 0.02;
      o.epsilon = 0;
      o.momentum = 0.75;
      o.nesterov = nesterov;
      const std::size_t size = 12;
      Values w(size), v(size, 0);
      for (std::size_t i = 0; i < size; ++i) w[i] = std::sin(double(i));
      const Values start = w;
      std::vector<Values> gradients(3, Values(size));
      for (std::size_t s = 0; s < 3; ++s)
        for (std::size_t i = 0; i < size; ++i) gradients[s][i] = std::cos(double(3 * s + i * i));
      for (const Values& g : gradients) {
        double weights = 0, length = 0;
        for (std::size_t i = 0; i < size; ++i) weights += w[i] * w[i], length += g[i] * g[i];
        weights = std::sqrt(weights), length = std::sqrt(length);
        const double rate = 2 * 0.02 * weights / (length + 0.01 * weights);
        for (std::size_t i = 0; i < size; ++i) {
          const double u = rate * (g[i] + 0.01 * w[i]);
          v[i] = 0.75 * v[i] + u;
          w[i] -= nesterov ? 0.75 * v[i] + u : v[i];
        }
      }
      QVERIFY(near(update(o, start, gradients, 1, {3, 4}), w));
    }
  }

  // Biases, scales and shifts are updated at once without norms, matrices one by one with them.
  void larsMergesWhatItDoesNotAdapt() {
    model::TrainingOptions options;
    options.optimiser.kind = OptimiserKind::Lars;
    options.optimiser.weightDecay = 0.25;
    const auto training = model::makeTraining(tests::layersOfEqualWidth(8, 4, 10), "loss", options);
    int adapted = 0;
    std::int64_t merged = 0;
    for (const auto& node : training.model.graph.nodes) {
      if (node.opType != "LarsUpdate") continue;
      const bool adapts = node.attributes.integer("adapts", 1) != 0;
      QCOMPARE(node.attributes.real("weight_decay", -1), adapts ? 0.25f : 0.0f);
      QCOMPARE(node.attributes.integer(model::kMerged, 1) > 1, !adapts);
      adapted += adapts;
      if (!adapts) merged += node.attributes.integer(model::kMerged, 1);
    }
    QCOMPARE(adapted, 10);
    QCOMPARE(merged, std::int64_t(30));
  }

  void gradientDivisorDivides() {
    OptimiserOptions o;
    o.learningRate = 1;
    QVERIFY(near(update(o, {1}, {{8}}, 16), {0.5}));
  }

  // A step on the whole is the gradient step of mean squares worked out directly.
  void stepFollowsTheGradient() {
    model::TrainingOptions options;
    options.optimiser.learningRate = 0.1;
    const auto training = model::makeTraining(regression(), "loss", options);
    QCOMPARE(training.parameters, std::vector<std::string>{"w"});
    HostTrainer trainer(training);
    const auto inputs = exampleInputs();
    const Values x = inputs.at("x").toDoubles(), y = inputs.at("y").toDoubles();
    Values w = trainer.variable("w"), expected = w;
    double loss = 0;
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 2; ++c) {
        double e = -y[std::size_t(r) * 2 + std::size_t(c)];
        for (int k = 0; k < 3; ++k) e += x[std::size_t(r) * 3 + std::size_t(k)] * w[std::size_t(k) * 2 + std::size_t(c)];
        loss += e * e / 8;
        for (int k = 0; k < 3; ++k)
          expected[std::size_t(k) * 2 + std::size_t(c)] -= 0.1 * 2 * e * x[std::size_t(r) * 3 + std::size_t(k)] / 8;
      }
    const Values losses = trainer.step({inputs});
    QVERIFY(near(losses, {loss}));
    QVERIFY(near(trainer.variable("w"), expected));
    QVERIFY(trainer.step({inputs})[0] < losses[0]);
  }

  void lossScaleChangesNothing() {
    model::TrainingOptions plain, scaled;
    scaled.lossScale = 1024;
    const auto a = model::makeTraining(regression(), "loss", plain), b = model::makeTraining(regression(), "loss", scaled);
    HostTrainer x(a), y(b);
    x.step({exampleInputs()});
    y.step({exampleInputs()});
    QVERIFY(near(y.variable("w"), x.variable("w")));
  }

  // Two micro-batches make the update of their mean gradient, twice over (so sums start from zero again).
  void accumulationIsTheMean() {
    model::TrainingOptions options;
    options.optimiser.learningRate = 0.2;
    options.optimiser.momentum = 0.9;
    auto accumulating = options;
    accumulating.accumulation = 2;
    const auto one = model::makeTraining(regression(), "loss", options),
               two = model::makeTraining(regression(), "loss", accumulating);
    HostTrainer same(one), twice(two);
    for (int i = 0; i < 2; ++i) {
      same.step({exampleInputs()});
      twice.step({exampleInputs(), exampleInputs()});
    }
    QVERIFY(near(twice.variable("w"), same.variable("w")));
    QVERIFY(near(twice.variable("w/accumulator"), Values(6, 0)));
    HostTrainer different(two);
    different.step({exampleInputs(), exampleInputs(3)});
    different.step({exampleInputs(), exampleInputs(3)});
    QVERIFY(different.variable("w") != same.variable("w"));
  }

  void clippingLimitsTheNorm() {
    model::TrainingOptions options;
    options.optimiser.learningRate = 1;
    for (const auto& [scale, accumulation] : {std::pair(1.0, 1), std::pair(64.0, 2)}) {
      options.lossScale = scale;
      options.accumulation = accumulation;
      options.clipNorm = 0.01;
      const auto clipped = model::makeTraining(regression(), "loss", options);
      HostTrainer trainer(clipped);
      const Values before = trainer.variable("w");
      trainer.step(std::vector(std::size_t(accumulation), exampleInputs()));
      const Values after = trainer.variable("w");
      double moved = 0;
      for (std::size_t i = 0; i < after.size(); ++i) moved += (after[i] - before[i]) * (after[i] - before[i]);
      QVERIFY2(std::abs(std::sqrt(moved) - 0.01) < 1e-6, qPrintable(QString::number(std::sqrt(moved))));
    }
    options = {};
    options.clipNorm = 1e6; // does not bite
    const auto loose = model::makeTraining(regression(), "loss", options), none = model::makeTraining(regression(), "loss", {});
    HostTrainer a(loose), b(none);
    a.step({exampleInputs()});
    b.step({exampleInputs()});
    QVERIFY(near(a.variable("w"), b.variable("w")));
  }

  // Halved while gradients come near the end of half precision, doubled while they do not.
  void lossScaleFollowsTheGradients() {
    for (const double start : {65536.0 * 65536, 1.0}) {
      model::TrainingOptions options;
      options.automaticLossScale = true;
      options.lossScale = start;
      options.optimiser.learningRate = 0.05;
      model::TrainingOptions unscaled;
      unscaled.optimiser = options.optimiser;
      const auto training = model::makeTraining(regression(), "loss", options),
                 plain = model::makeTraining(regression(), "loss", unscaled);
      HostTrainer trainer(training), expected(plain);
      for (int i = 0; i < 3; ++i) {
        trainer.step({exampleInputs(i)});
        expected.step({exampleInputs(i)});
      }
      QCOMPARE(trainer.variable("lossScale"), Values{start > 1 ? start / 8 : 8});
      QVERIFY(near(trainer.variable("w"), expected.variable("w")));
    }
  }

  void stagesAreTheOutermostContexts() {
    model::TrainingOptions options;
    options.optimiser.momentum = 0.9;
    options.accumulation = 4;
    const auto training = model::makeTraining(regression(), "loss", options);
    std::set<std::string> stages;
    for (std::size_t i = 0; i < training.model.graph.nodes.size(); ++i) {
      const auto& path = training.model.graph.nodes[i].path;
      stages.insert(path.at(0));
      QCOMPARE(path[0] == "wu", i >= training.microBatchNodes);
    }
    QCOMPARE(stages, (std::set<std::string>{"fwd", "bwd", "wu"}));
    const auto load = model::lowerTraining(training, arch::findMachine("gc200", 1));
    std::set<std::string> top;
    const auto& contexts = load.graph->contexts();
    for (const auto& c : contexts)
      if (c.parent.valid() && !contexts[c.parent.value()].parent.valid()) top.insert(c.name);
    QCOMPARE(top, stages);
    // Parameter, velocity and sum stay on the machine and start with the values given.
    int variables = 0;
    for (const auto& v : load.graph->variables())
      if (training.variables.count(v.name)) {
        QVERIFY(v.alwaysLive && v.initial);
        ++variables;
      }
    QCOMPARE(variables, 3);
  }

  void anchorsDecideHowOftenOutputsLeave_data() {
    QTest::addColumn<int>("anchor");
    QTest::addColumn<int>("copies");
    // 6 updates of 3 micro-batches, every 2nd batch.
    QTest::newRow("final") << int(model::Anchor::Final) << 1;
    QTest::newRow("sum") << int(model::Anchor::Sum) << 1;
    QTest::newRow("every 2") << int(model::Anchor::EveryN) << 3;
    QTest::newRow("all") << int(model::Anchor::All) << 18;
  }
  void anchorsDecideHowOftenOutputsLeave() {
    QFETCH(int, anchor);
    QFETCH(int, copies);
    model::TrainingOptions options;
    options.accumulation = 3;
    model::TrainingLoweringOptions lowering;
    lowering.anchor = model::Anchor(anchor);
    lowering.batchesPerStep = 6;
    lowering.everyN = 2;
    const auto load =
        model::lowerTraining(model::makeTraining(regression(), "loss", options), arch::findMachine("gc200", 1), lowering);
    using Kind = graph::ProgramNode::Kind;
    const std::function<std::int64_t(const graph::Program&, Kind)> count = [&](const graph::Program& p, Kind kind) {
      std::int64_t n = p->kind == kind;
      for (const auto& child : p->children) n += count(child, kind);
      return p->kind == Kind::Repeat ? n * p->count : n;
    };
    QCOMPARE(count(load.programs[0].program, Kind::TensorToStream), std::int64_t(copies));
    QCOMPARE(count(load.programs[0].program, Kind::StreamToTensor), std::int64_t(2 * 18));
  }

  void onlyWhatLearnsIsTrained() {
    auto m = regression();
    GraphBuilder b(m.graph);
    b.output(b.add("Mul", {"product", b.constant("unrelated", ramp({2}, 1, 1))}));
    const auto training = model::makeTraining(m, "loss", {});
    QCOMPARE(training.parameters, std::vector<std::string>{"w"});
    QVERIFY(training.model.graph.initialisers.count("unrelated"));
    QCOMPARE(training.model.graph.outputs.at(0).name, std::string("loss"));
  }

  void errors() {
    model::TrainingOptions options;
    options.parameters = {"x"};
    QVERIFY_EXCEPTION_THROWN(model::makeTraining(regression(), "loss", options), reports::Error);
    options = {};
    options.accumulation = 0;
    QVERIFY_EXCEPTION_THROWN(model::makeTraining(regression(), "loss", options), reports::Error);
    QVERIFY_EXCEPTION_THROWN(model::makeTraining(regression(), "error", {}), reports::Error);
    QVERIFY_EXCEPTION_THROWN(model::optimiserKind("sgdm"), reports::Error);
    model::TrainingLoweringOptions lowering;
    lowering.anchor = model::Anchor::EveryN;
    lowering.batchesPerStep = 3;
    lowering.everyN = 2;
    QVERIFY_EXCEPTION_THROWN(
        model::lowerTraining(model::makeTraining(regression(), "loss", {}), arch::findMachine("gc200", 1), lowering),
        reports::Error);
  }
};

TILESCOPE_TEST(TrainingTest)
#include "training_test.moc"
