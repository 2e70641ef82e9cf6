// Weights and optimiser state after training, compared with those of the same network trained on one IPU: losses alone would
// not show a state that is lost or an update that is made twice.
#include "reports/core/error.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/layout.h"
#include "simcore/placement/parallelism.h"
#include "tests/simcore/model/tracks.h"
#include "tests/simcore/model/training_networks.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace simcore;
using model::OptimiserKind;
using model::Parallelism;

namespace {

constexpr int kUpdates = 3;

struct Setting {
  model::TrainingOptions options;
  Parallelism parallel;
  int ipus = 1, replicas = 1;
};

using Variables = std::map<std::string, numerics::HostTensor>;

Variables trained(const model::Model& network, Setting s, bool dataOfReplicas = false) {
  auto machine = arch::tinyMachine(16, s.ipus);
  machine.replicas = s.replicas;
  s.options.optimiser.learningRate = 0.05;
  auto load = model::trainingWorkload(network, "loss", s.options, machine, {}, s.parallel);
  tests::feedWaves(load, network);
  load.dataOfReplicas = dataOfReplicas;
  run::SimulateOptions options;
  options.iterations = kUpdates;
  options.readState = true;
  run::HostTimeline timeline("test");
  reports::NoProgress quiet;
  tests::RowCollector rows;
  const auto result = run::simulate(load, options, rows, timeline, {}, quiet);
  return result.fits ? result.variables : Variables();
}

bool isSum(const std::string& name) { return name.find("/accumulator") != std::string::npos; }

// Every variable of `want` that is in `got`; parameters must be there. Sums are zero after an update on both.
QString difference(const Variables& got, const Variables& want, const std::set<std::string>& mayBeAway) {
  for (const auto& [name, expected] : want) {
    const auto found = got.find(name);
    if (found == got.end()) {
      if (mayBeAway.count(name.substr(name.find('/') == std::string::npos ? 0 : name.find('/')))) continue;
      return QString::fromStdString(name + " is missing");
    }
    const auto a = found->second.toDoubles(), b = expected.toDoubles();
    if (a.size() != b.size()) return QString::fromStdString(name + " has another size");
    double largest = 0;
    for (const double v : b) largest = std::max(largest, std::abs(v));
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!(std::abs(a[i] - b[i]) <= 2e-5 * largest + 1e-9))
        return QString::fromStdString(name + "[" + std::to_string(i) + "] is " + std::to_string(a[i]) + " instead of " +
                                      std::to_string(b[i]));
  }
  return {};
}

} // namespace

class TrainedWeightsTest : public QObject {
  Q_OBJECT
private slots:
  void areThoseOfOneIpu_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<double>("momentum");
    QTest::addColumn<bool>("nesterov");
    QTest::newRow("sgd") << int(OptimiserKind::Sgd) << 0.0 << false;
    QTest::newRow("momentum") << int(OptimiserKind::Sgd) << 0.9 << false;
    QTest::newRow("nesterov") << int(OptimiserKind::Sgd) << 0.9 << true;
    for (const auto kind :
         {OptimiserKind::Adam, OptimiserKind::AdamW, OptimiserKind::Lamb, OptimiserKind::RmsProp, OptimiserKind::AdaGrad})
      QTest::newRow(model::optimiserName(kind)) << int(kind) << 0.0 << false;
    QTest::newRow("lars") << int(OptimiserKind::Lars) << 0.0 << false;
    QTest::newRow("lars, momentum") << int(OptimiserKind::Lars) << 0.9 << false;
    QTest::newRow("lars, nesterov") << int(OptimiserKind::Lars) << 0.9 << true;
  }
  void areThoseOfOneIpu() {
    QFETCH(int, kind);
    QFETCH(double, momentum);
    QFETCH(bool, nesterov);
    // Four small parameters a layer, which one IPU updates together; matrices of 96 x 96 are not among them.
    const int64_t width = kind == int(OptimiserKind::Adam) ? 96 : 32;
    const auto network = tests::layersOfEqualWidth(4, width, 5);
    Setting one;
    one.options.shardAtLeast = width * width;
    one.options.optimiser.kind = OptimiserKind(kind);
    one.options.optimiser.momentum = momentum;
    one.options.optimiser.nesterov = nesterov;
    one.options.optimiser.weightDecay = 0.01;
    one.options.optimiser.trust = 0.5; // lars alone asks for it
    one.parallel.accumulation = 8;
    one.parallel.outline = false;
    const Variables want = trained(network, one);
    QCOMPARE(std::count_if(
                 want.begin(), want.end(),
                 [](const auto& v) { return !isSum(v.first) && v.first[0] == 'l' && v.first.find('/') == std::string::npos; }),
             20);
    const auto state = std::count_if(want.begin(), want.end(),
                                     [](const auto& v) { return v.first.ends_with("Moment") || v.first.ends_with("/velocity"); });
    const bool two = kind == int(OptimiserKind::Adam) || kind == int(OptimiserKind::AdamW) || kind == int(OptimiserKind::Lamb);
    const bool byMomentum = kind == int(OptimiserKind::Sgd) || kind == int(OptimiserKind::Lars);
    QCOMPARE(state, two ? 40 : byMomentum && momentum == 0 ? 0 : 20);

    const auto check = [&](const char* what, auto change, const std::set<std::string>& mayBeAway = {}) {
      Setting s = one;
      change(s);
      const QString text = difference(trained(network, s), want, mayBeAway);
      QVERIFY2(text.isEmpty(), qPrintable(QString(what) + ": " + text));
    };
    const std::set<std::string> remote{"/firstMoment", "/secondMoment", "/velocity"};
    const auto pipeline = [](Setting& s) { s.ipus = s.parallel.stages = 4; };
    check("pipeline and shares", [&](Setting& s) {
      pipeline(s);
      s.replicas = 4;
      s.parallel.shardState = true;
    });
    check(
        "shares in streaming memory",
        [&](Setting& s) {
          pipeline(s);
          s.replicas = 4;
          s.parallel.shardState = s.parallel.offloadOptimiser = true;
        },
        remote);
    if (kind != int(OptimiserKind::Adam)) return; // placement does not depend on the optimiser: one is enough
    check("outlined", [](Setting& s) { s.parallel.outline = true; });
    check("sharded over 4 IPUs", [](Setting& s) { s.ipus = 4; });
    check("pipeline", pipeline);
    check("outlined pipeline, recomputed", [&](Setting& s) {
      pipeline(s);
      s.parallel.outline = true;
      s.parallel.recompute = model::Recompute::Pipeline;
    });
    check("pipeline, recomputed by layers", [&](Setting& s) {
      pipeline(s);
      s.parallel.recompute = model::Recompute::Standard;
    });
    check("replicas", [](Setting& s) { s.replicas = 4; });
    check("replicas with shares of the state", [](Setting& s) {
      s.replicas = 4;
      s.parallel.shardState = true;
    });
    check(
        "everything in streaming memory",
        [&](Setting& s) {
          pipeline(s);
          s.parallel.offloadWeights = s.parallel.offloadOptimiser = s.parallel.offloadActivations = true;
        },
        remote);
  }

  // R replicas with different micro-batches make the same update as one replica with all of them.
  void replicasAverageTheirGradients_data() {
    QTest::addColumn<bool>("shares");
    QTest::addColumn<int>("stages");
    QTest::addColumn<bool>("remote");
    QTest::newRow("all-reduce") << false << 0 << false;
    QTest::newRow("shares of the state") << true << 0 << false;
    QTest::newRow("pipeline") << true << 2 << false;
    QTest::newRow("pipeline, stashes in streaming memory") << false << 2 << true;
  }
  void replicasAverageTheirGradients() {
    QFETCH(bool, shares);
    QFETCH(int, stages);
    QFETCH(bool, remote);
    const auto network = tests::layersOfEqualWidth(4, 32, 4);
    Setting one;
    one.options.shardAtLeast = 1024;
    one.options.optimiser.kind = OptimiserKind::Adam;
    one.options.clipNorm = 0.5;
    one.parallel.accumulation = 16;
    const Variables want = trained(network, one);
    Setting four = one;
    four.replicas = 4;
    four.parallel.accumulation = 4;
    four.parallel.shardState = shares;
    four.parallel.stages = stages;
    four.parallel.offloadActivations = remote;
    four.ipus = std::max(1, stages);
    const QString text = difference(trained(network, four, true), want, {});
    QVERIFY2(text.isEmpty(), qPrintable(text));
    // If all replicas get the same data, the update differs.
    QVERIFY(!difference(trained(network, four, false), want, {}).isEmpty());
  }

  // Batch norms of two replicas with shared statistics train like one replica with both batches combined.
  void replicasShareStatistics() {
    constexpr std::int64_t kRows = 6;
    const auto network = [](std::int64_t rows, std::int64_t together) {
      model::Model m;
      m.file = "norm";
      m.opset = 17;
      model::GraphBuilder b(m.graph);
      for (const char* name : {"x", "y"}) {
        m.inputTypes[name] = {numerics::ElementType::Float, {rows, 4, 3}};
        b.input(name, numerics::ElementType::Float, {rows, 4, 3});
      }
      const auto channels = [&](const char* name, int seed) {
        return b.constant(name, numerics::binary(numerics::BinaryKind::Add, tests::waves({4}, seed, 0.3f),
                                                 numerics::HostTensor::full(numerics::ElementType::Float, {4}, 1)));
      };
      model::Attributes a;
      a.set("training_mode", std::int64_t(1));
      if (together > 1) a.set("replicas_together", together);
      const std::vector<std::string> inputs{"x", channels("scale", 1), channels("shift", 2), channels("mean", 3),
                                            channels("variance", 4)};
      const std::string h = b.addMany("BatchNormalization", inputs, a, {true}, "norm")[0];
      const std::string error = b.add("Sub", {b.add("Mul", {h, h}), "y"}, {}, "error");
      b.output(b.add("ReduceMean", {b.add("Mul", {error, error})}, model::attributes({{"keepdims", std::int64_t(0)}}), "loss"));
      return m;
    };
    const auto weights = [&](int replicas, std::int64_t rows, std::int64_t together) {
      auto machine = arch::tinyMachine(16);
      machine.replicas = replicas;
      model::TrainingOptions training;
      training.optimiser.learningRate = 0.05;
      auto load = model::trainingWorkload(network(rows, together), "loss", training, machine, {}, {});
      for (const char* input : {"x", "y"})
        for (int i = 0; i < 6; i += int(rows / kRows)) {
          const auto batch = [&](int at) { return tests::waves({kRows, 4, 3}, at + (*input == 'x' ? 0 : 20)); };
          load.inputs[input].push_back(rows == kRows ? batch(i) : numerics::concat({batch(i), batch(i + 1)}, 0));
        }
      load.dataOfReplicas = true;
      run::SimulateOptions options;
      options.iterations = kUpdates;
      run::HostTimeline timeline("test");
      reports::NoProgress quiet;
      tests::RowCollector report;
      return run::simulate(load, options, report, timeline, {}, quiet).variables;
    };
    const Variables want = weights(1, 2 * kRows, 1);
    QVERIFY(want.size() >= 2);
    const QString text = difference(weights(2, kRows, 2), want, {});
    QVERIFY2(text.isEmpty(), qPrintable(text));
    QVERIFY(!difference(weights(2, kRows, 1), want, {}).isEmpty()); // each with its own
  }

  // The backward pass and the recomputation of a norm read the statistics of the forward pass, and the weights are the same.
  void statisticsAreComputedOnce() {
    model::Model network;
    network.file = "norms";
    network.opset = 17;
    model::GraphBuilder b(network.graph);
    for (const char* name : {"x", "y"}) {
      network.inputTypes[name] = {numerics::ElementType::Float, {6, 4}};
      b.input(name, numerics::ElementType::Float, {6, 4});
    }
    std::string h = "x";
    constexpr int kLayers = 4;
    for (int i = 0; i < kLayers; ++i) {
      const std::string at = "layer" + std::to_string(i);
      const auto channels = [&](const char* what, int seed) {
        return b.constant(at + what, numerics::binary(numerics::BinaryKind::Add, tests::waves({4}, seed + i, 0.3f),
                                                      numerics::HostTensor::full(numerics::ElementType::Float, {4}, 1)));
      };
      h = b.add("MatMul", {h, b.constant(at + ".w", tests::waves({4, 4}, 30 + i))}, {}, at + "/product");
      h = b.add("BatchNormalization",
                {h, channels(".scale", 1), channels(".shift", 2), channels(".mean", 3), channels(".variance", 4)},
                model::attributes({{"training_mode", std::int64_t(1)}}), at + "/norm");
      h = b.add("Relu", {h}, {}, at + "/relu");
    }
    const std::string error = b.add("Sub", {h, "y"}, {}, "error");
    b.output(b.add("ReduceMean", {b.add("Mul", {error, error})}, model::attributes({{"keepdims", std::int64_t(0)}}), "loss"));
    Setting kept, again;
    again.parallel.recompute = model::Recompute::Checkpoints;
    again.parallel.checkpoints = {"layer1/relu"};
    const Variables want = trained(network, kept);
    QVERIFY(!want.empty());
    const QString text = difference(trained(network, again), want, {});
    QVERIFY2(text.isEmpty(), qPrintable(text));
    for (const Setting* s : {&kept, &again}) {
      const auto load = model::trainingWorkload(network, "loss", {}, arch::tinyMachine(16), {}, s->parallel);
      int statistics = 0, applied = 0;
      for (const auto& context : load.graph->contexts()) {
        statistics += context.kind == "batchNormStatistics";
        applied += context.kind == "BatchNormApply";
      }
      QCOMPARE(statistics, kLayers);
      QCOMPARE(applied, s == &again ? 1 : 0); // the result of the second is not read
    }
  }

  // Every transfer of an output has a value of each replica.
  void outputsAreThoseOfAllReplicas() {
    const auto network = tests::layersOfEqualWidth(4, 8, 2);
    auto machine = arch::tinyMachine(8);
    machine.replicas = 2;
    Parallelism p;
    p.accumulation = 3;
    auto load = model::trainingWorkload(network, "loss", {}, machine, {}, p);
    tests::feedWaves(load, network);
    load.dataOfReplicas = true;
    const auto losses = tests::lossesOf(load, 1);
    machine.replicas = 1;
    p.accumulation = 6;
    auto all = model::trainingWorkload(network, "loss", {}, machine, {}, p);
    tests::feedWaves(all, network);
    QCOMPARE(losses, tests::lossesOf(all, 1));
    QCOMPARE(losses.size(), std::size_t(6));
  }

  // A weight whose only reader is an unread view still gets a tile mapping, wherever it is stored.
  void weightsThatNobodyUses_data() {
    QTest::addColumn<int>("stages");
    QTest::addColumn<bool>("remote");
    QTest::newRow("one IPU") << 0 << false;
    QTest::newRow("pipeline") << 2 << false;
    QTest::newRow("streaming memory") << 2 << true;
  }
  void weightsThatNobodyUses() {
    QFETCH(int, stages);
    QFETCH(bool, remote);
    auto network = tests::layersOfEqualWidth(4, 40, 2);
    model::GraphBuilder b(network.graph);
    // One weight without other readers, and one that a layer reads too.
    for (const std::string& weight : {b.constant("lonely", tests::waves({40, 40}, 3)), std::string("layer1.w")})
      b.add("Reshape", {weight, b.integers({-1})}, {}, "unread " + weight);
    Setting s;
    s.ipus = std::max(1, stages);
    s.parallel.stages = stages;
    s.parallel.accumulation = 3;
    s.parallel.offloadWeights = remote;
    try {
      QCOMPARE(trained(network, s).size() > 8, true);
      s.parallel = {};
      auto load = model::inferenceWorkload(network, arch::tinyMachine(16), {}, s.parallel);
      tests::feedWaves(load, network);
      QCOMPARE(tests::lossesOf(load, 1).size(), std::size_t(1));
    } catch (const reports::Error& error) {
      QFAIL(error.what());
    }
  }

  // As in training, equal layers of an inference stage share a function.
  void stagesOfInferenceHaveFunctionsForLayers() {
    const auto network = tests::layersOfEqualWidth(4, 32, 12);
    std::vector<double> losses[2];
    std::size_t sets[2] = {};
    for (const bool outline : {false, true}) {
      Parallelism p;
      p.stages = 2;
      p.accumulation = 4;
      p.outline = outline;
      auto load = model::inferenceWorkload(network, arch::tinyMachine(16, 2), {}, p);
      tests::feedWaves(load, network);
      losses[outline] = tests::lossesOf(load, 1);
      sets[outline] = load.graph->computeSets().size();
    }
    QCOMPARE(losses[1].size(), std::size_t(4));
    QCOMPARE(losses[1], losses[0]);
    QVERIFY2(sets[1] * 3 < sets[0], std::to_string(double(sets[1]) / double(sets[0])).c_str());
  }
};

TILESCOPE_TEST(TrainedWeightsTest)
#include "trained_weights_test.moc"
