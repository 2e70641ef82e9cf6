// Training on several IPUs: the same weights as on one, in less memory or time.
#include "reports/core/error.h"
#include "simcore/placement/parallelism.h"
#include "simcore/placement/sharding.h"
#include "tests/simcore/model/tracks.h"
#include "tests/simcore/model/training_networks.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using model::Parallelism;
using tests::lossesOf;
using tests::Outcome;
using tests::Track;
using tests::waves;

namespace {

graph::Workload training(const model::Model& network, int ipus, const Parallelism& p, int64_t tiles = 8, int replicas = 1,
                         model::TrainingOptions options = {}) {
  auto machine = arch::tinyMachine(int(tiles), ipus);
  machine.replicas = replicas;
  if (options.optimiser.learningRate == 0.01) options.optimiser.learningRate = 0.1;
  auto load = model::trainingWorkload(network, "loss", options, machine, {}, p);
  tests::feedWaves(load, network);
  return load;
}

bool close(const std::vector<double>& got, const std::vector<double>& want, double tolerance = 1e-5) {
  if (got.size() != want.size() || got.empty()) {
    qWarning("%zu losses instead of %zu", got.size(), want.size());
    return false;
  }
  for (std::size_t i = 0; i < got.size(); ++i)
    if (std::abs(got[i] - want[i]) > tolerance * std::abs(want[i])) {
      qWarning("loss %zu is %.9g instead of %.9g", i, got[i], want[i]);
      return false;
    }
  return true;
}

} // namespace

class PipelinedTrainingTest : public QObject {
  Q_OBJECT
private slots:
  void trainsToTheSameWeightsAsOneIpu_data() {
    QTest::addColumn<int>("ipus");
    QTest::addColumn<int>("stages");
    for (const int ipus : {1, 2, 4, 8}) QTest::addRow("pipeline of %d", ipus) << ipus << ipus;
    for (const int ipus : {2, 4}) QTest::addRow("sharded over %d", ipus) << ipus << 0;
  }
  void trainsToTheSameWeightsAsOneIpu() {
    QFETCH(int, ipus);
    QFETCH(int, stages);
    const auto network = tests::layersOfEqualWidth(4, 8, 5);
    Parallelism p;
    p.accumulation = 16;
    model::TrainingOptions adam;
    adam.optimiser.kind = model::OptimiserKind::Adam;
    adam.clipNorm = 0.5;
    for (const auto& options : {model::TrainingOptions(), adam}) {
      const auto expected = lossesOf(training(network, 1, p, 8, 1, options), 3);
      QCOMPARE(expected.size(), std::size_t(48));
      QVERIFY(std::abs(expected[32] - expected[0]) > 1e-3 * expected[0]);
      Parallelism several = p;
      several.stages = stages;
      QVERIFY(close(lossesOf(training(network, ipus, several, 8, 1, options), 3), expected));
    }
  }

  void stagesHaveNamesAndPhases() {
    Parallelism p;
    p.stages = 3;
    p.accumulation = 8;
    const auto load = training(tests::layersOfEqualWidth(4, 8, 3), 3, p);
    std::set<std::string> functions;
    for (const auto& f : load.graph->functions()) functions.insert(f.name);
    for (const char* name : {"stage0/fwd", "stage1/fwd", "stage2/fwd+bwd", "stage1/bwd", "stage0/bwd"})
      QVERIFY2(functions.count(name), name);
    Outcome got;
    tests::simulate(load, got, false);
    const auto phases = tests::trackOf(got.rows, 0).phases;
    for (const char* name : {"fill", "main", "flush"}) QVERIFY2(std::count(phases.begin(), phases.end(), name) == 1, name);
  }

  // A stash for the backward pass has 2 x (number of later IPUs) + 1 entries; the last IPU has no stash.
  void stashesHaveAnEntryForEveryMicroBatchOnItsWay() {
    Parallelism p;
    p.stages = 4;
    p.accumulation = 8;
    const auto load = training(tests::layersOfEqualWidth(4, 8, 8), 4, p);
    std::map<int64_t, std::set<int64_t>> entriesOnIpu;
    for (const auto& v : load.graph->variables())
      if (v.name.starts_with("stash/")) {
        QVERIFY(v.alwaysLive);
        entriesOnIpu[v.extraBytes.runs().front().tiles.begin / 8].insert(v.shape.at(0));
      }
    QCOMPARE(entriesOnIpu.size(), std::size_t(3));
    for (int ipu = 0; ipu < 3; ++ipu) QCOMPARE(entriesOnIpu[ipu], (std::set<int64_t>{2 * (3 - ipu) + 1}));
  }

  void balancedStagesAreBusyAsTheFormulaSays() {
    constexpr int kStages = 4;
    const auto network = tests::layersOfEqualWidth(256, 512, 4 * kStages, false, true);
    for (const int microBatches : {7, 16, 48}) {
      Parallelism p;
      p.stages = kStages;
      p.accumulation = microBatches;
      p.shard = "layer4.product,layer8.product,layer12.product";
      Outcome got;
      tests::simulate(training(network, kStages, p, 16), got, false);
      const double formula = double(microBatches) / double(microBatches + kStages - 1);
      for (int ipu = 0; ipu < kStages; ++ipu) {
        const double utilisation = double(tests::trackOf(got.rows, ipu).busy) / double(got.result.cycles);
        QVERIFY2(std::abs(utilisation / formula - 1) < 0.03,
                 (std::to_string(utilisation) + " instead of " + std::to_string(formula)).c_str());
      }
    }
  }

  void tooFewMicroBatchesAreRefused() {
    Parallelism p;
    p.stages = 4;
    p.accumulation = 6;
    QVERIFY_THROWS_EXCEPTION(reports::Error, training(tests::layersOfEqualWidth(4, 8, 4), 4, p));
  }

  void theCutWeighsForwardAndBackward() {
    const auto network = tests::layersOfEqualWidth(64, 128, 12, false, true);
    const auto s = model::shardTraining(model::makeTraining(network, "loss", {}), arch::tinyMachine(4, 4), 4, {});
    QVERIFY(std::is_sorted(s.ipuOfNode.begin(), s.ipuOfNode.end()));
    QCOMPARE(s.ipuOfNode.size(), network.graph.nodes.size());
    for (const auto cycles : s.cycles)
      QVERIFY2(cycles > 0 && std::abs(double(cycles) / double(s.cycles[0]) - 1) < 0.1, std::to_string(cycles).c_str());
    QVERIFY(s.weightBytes[0] >= 3 * 2 * 128 * 128 * 4 / 2);
  }
};

TILESCOPE_TEST(PipelinedTrainingTest)
#include "pipelined_training_test.moc"
