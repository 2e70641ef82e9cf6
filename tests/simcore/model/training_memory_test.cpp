// Ways to make training fit or spread: replicas, sharded state, recomputation, functions for layers. None of them changes numbers.
#include "reports/core/error.h"
#include "simcore/compile/compiler.h"
#include "simcore/placement/parallelism.h"
#include "tests/simcore/model/tracks.h"
#include "tests/simcore/model/training_networks.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <functional>

using namespace simcore;
using graph::Program;
using graph::ProgramNode;
using model::Parallelism;
using model::Recompute;
using tests::lossesOf;
using tests::Outcome;
using tests::waves;

namespace {

struct TrainingRun {
  model::TrainingOptions options;
  Parallelism parallel;
  int ipus = 1, replicas = 1;
  int64_t tiles = 8;
};

graph::Workload training(const model::Model& network, TrainingRun run) {
  auto machine = arch::tinyMachine(int(run.tiles), run.ipus);
  machine.replicas = run.replicas;
  run.options.optimiser.learningRate = 0.05;
  auto load = model::trainingWorkload(network, "loss", run.options, machine, {}, run.parallel);
  tests::feedWaves(load, network);
  return load;
}

struct Cost {
  int64_t cycles = 0, peak = 0; // peak: bytes that are alive at once
};
Cost costOf(const graph::Workload& load) {
  Outcome outcome;
  tests::simulate(load, outcome, false);
  reports::NoProgress quiet;
  const auto executable = compile::compile(load.graph, load.programs, {}, quiet);
  int64_t always = 0;
  for (const auto& s : executable.storage)
    if (s.alwaysLive && s.category == reports::MemoryCategory::Variable) always += s.bytes.sum();
  return {outcome.result.cycles, always + *std::max_element(executable.liveCurve.begin(), executable.liveCurve.end())};
}

// Bytes that the replica sends over links in one run of the program.
int64_t linkBytes(const graph::Graph& g, const Program& p) {
  int64_t bytes = p->kind == ProgramNode::Kind::Rearrange ? p->traffic.linkBytesOut.sum() : 0;
  for (const auto& child : p->children) bytes += linkBytes(g, child);
  if (p->kind == ProgramNode::Kind::Call) bytes += linkBytes(g, g.functions()[p->function.value].body);
  return p->kind == ProgramNode::Kind::Repeat ? bytes * p->count : bytes;
}

int64_t bytesCalled(const graph::Workload& load, const std::string& ending) {
  int64_t bytes = 0;
  for (const auto& v : load.graph->variables())
    if (v.name.ends_with(ending)) bytes += v.bytesByTile().sum();
  return bytes;
}

int calls(const graph::Graph& g, const Program& p, const std::string& name) {
  int n = p->kind == ProgramNode::Kind::Call && p->name == name;
  for (const auto& child : p->children) n += calls(g, child, name);
  return n;
}

} // namespace

class TrainingMemoryTest : public QObject {
  Q_OBJECT
private slots:
  // Every replica sends 2 (R - 1) / R of the gradients' bytes.
  void gradientsGoRoundTheRing_data() {
    QTest::addColumn<int>("replicas");
    for (const int r : {2, 4, 16, 64}) QTest::addRow("%d", r) << r;
  }
  void gradientsGoRoundTheRing() {
    QFETCH(int, replicas);
    TrainingRun run;
    run.replicas = replicas;
    const auto network = tests::layersOfEqualWidth(4, 64, 3, false);
    const auto load = training(network, run);
    const double gradients = 3 * (64 * 64 + 64) * 4, expected = 2.0 * (replicas - 1) / replicas * gradients;
    const double sent = double(linkBytes(*load.graph, load.programs[0].program));
    QVERIFY2(sent >= expected && sent < 1.02 * expected, std::to_string(sent / expected).c_str());
    TrainingRun one;
    QCOMPARE(linkBytes(*load.graph, training(network, one).programs[0].program), int64_t(0));
  }

  void replicasOfIdenticalMicroBatchesTrainAsOne() {
    const auto network = tests::layersOfEqualWidth(4, 8, 3);
    TrainingRun one, four;
    four.replicas = 4;
    QCOMPARE(lossesOf(training(network, four), 2), lossesOf(training(network, one), 2));
  }

  void shardedStateIsOneShareOfIt_data() {
    QTest::addColumn<int>("optimiser");
    QTest::addColumn<double>("clip");
    QTest::newRow("adam") << int(model::OptimiserKind::Adam) << 0.0;
    QTest::newRow("lamb, clipped") << int(model::OptimiserKind::Lamb) << 0.1;
    QTest::newRow("rmsprop") << int(model::OptimiserKind::RmsProp) << 0.0;
    QTest::newRow("lars") << int(model::OptimiserKind::Lars) << 0.0;
  }
  void shardedStateIsOneShareOfIt() {
    QFETCH(int, optimiser);
    QFETCH(double, clip);
    const auto network = tests::layersOfEqualWidth(4, 96, 3, false); // 9,216 elements: above the least for sharding
    TrainingRun whole;
    whole.replicas = 8;
    whole.options.optimiser.kind = model::OptimiserKind(optimiser);
    whole.options.optimiser.momentum = 0.5; // lars alone asks for it
    whole.options.clipNorm = clip;
    TrainingRun sharded = whole;
    sharded.parallel.shardState = true;
    const auto a = training(network, whole), b = training(network, sharded);
    const double matrices = 3 * 96 * 96 * 4, biases = 3 * 96 * 4;
    int kinds = 0;
    for (const char* state : {"/firstMoment", "/secondMoment", "/velocity"}) {
      if (bytesCalled(a, state) == 0) continue; // RMSProp has the second only, LARS the velocity
      ++kinds;
      QVERIFY(std::abs(double(bytesCalled(a, state)) / (matrices + biases) - 1) < 0.01);
      QVERIFY(std::abs(double(bytesCalled(b, state)) / (matrices / 8 + biases) - 1) < 0.01);
    }
    QVERIFY(kinds > 0);
    // The ring moves as many bytes as for an all-reduce.
    QVERIFY(std::abs(double(linkBytes(*b.graph, b.programs[0].program)) / double(linkBytes(*a.graph, a.programs[0].program)) -
                     1) < 0.05);
    QCOMPARE(lossesOf(b, 2), lossesOf(a, 2));
    TrainingRun away = sharded; // a share can live in streaming memory
    away.parallel.offloadOptimiser = true;
    const auto c = training(network, away);
    QCOMPARE(lossesOf(c, 2), lossesOf(a, 2));
    int64_t elements = 0;
    for (const auto& buffer : c.graph->remoteBuffers()) elements += buffer.elements * buffer.repeats;
    QVERIFY2(elements <= 2 * 3 * 96 * 96 / 8 + 2048 * int64_t(c.graph->remoteBuffers().size()), std::to_string(elements).c_str());
    QVERIFY(!c.graph->remoteBuffers().empty());
  }

  void firstMomentsInHalfTakeHalfTheBytes() {
    TrainingRun whole;
    whole.options.optimiser.kind = model::OptimiserKind::Adam;
    whole.parallel.halfSums = true;
    TrainingRun half = whole;
    half.parallel.halfState = true;
    const auto network = tests::layersOfEqualWidth(4, 96, 3, false);
    const auto build = [&](const TrainingRun& run) {
      model::TrainingLoweringOptions lowering;
      lowering.lowering.precision = numerics::ElementType::Half;
      auto machine = arch::tinyMachine(8, 1);
      auto load = model::trainingWorkload(network, "loss", run.options, machine, lowering, run.parallel);
      tests::feedWaves(load, network);
      return load;
    };
    const auto a = build(whole), b = build(half);
    QCOMPARE(2 * bytesCalled(b, "/firstMoment"), bytesCalled(a, "/firstMoment"));
    QCOMPARE(bytesCalled(b, "/secondMoment"), bytesCalled(a, "/secondMoment"));
    half.parallel.offloadOptimiser = true; // a remote buffer has one type
    const auto c = build(half);
    std::set<numerics::ElementType> types;
    for (const auto& buffer : c.graph->remoteBuffers()) types.insert(buffer.type);
    QCOMPARE(types, (std::set{numerics::ElementType::Half, numerics::ElementType::Float}));
    QCOMPARE(lossesOf(c, 2), lossesOf(b, 2));
    QVERIFY_THROWS_EXCEPTION(reports::Error, training(network, half)); // fp32
  }

  void oneReplicaHasNothingToShare() {
    TrainingRun run;
    run.parallel.shardState = true;
    QVERIFY_THROWS_EXCEPTION(reports::Error, training(tests::layersOfEqualWidth(4, 8, 2), run));
  }

  void recomputationCostsCyclesAndSavesMemory_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("stages");
    for (const int stages : {0, 4})
      for (const Recompute kind : {Recompute::Standard, Recompute::NormOnly, Recompute::Checkpoints, Recompute::Pipeline})
        if (stages > 0 || kind != Recompute::Pipeline)
          QTest::addRow("%s, %d stages", model::recomputeName(kind), stages) << int(kind) << stages;
  }
  void recomputationCostsCyclesAndSavesMemory() {
    QFETCH(int, kind);
    QFETCH(int, stages);
    const auto network = tests::layersOfEqualWidth(32, 16, 8);
    TrainingRun plain;
    plain.parallel.stages = stages;
    plain.parallel.accumulation = 7;
    plain.parallel.outline = false;
    plain.ipus = std::max(1, stages);
    if (stages) plain.parallel.shard = "layer2.product,layer4.product,layer6.product";
    TrainingRun again = plain;
    again.parallel.recompute = Recompute(kind);
    if (Recompute(kind) == Recompute::Checkpoints) again.parallel.checkpoints = {"layer2.norm", "layer5.norm"};
    const auto a = training(network, plain), b = training(network, again);
    const Cost before = costOf(a), after = costOf(b);
    QVERIFY2(after.cycles > before.cycles, std::to_string(double(after.cycles) / double(before.cycles)).c_str());
    QVERIFY2(after.cycles < 1.5 * before.cycles, std::to_string(double(after.cycles) / double(before.cycles)).c_str());
    QVERIFY2(after.peak < before.peak, std::to_string(double(after.peak) / double(before.peak)).c_str());
    QCOMPARE(lossesOf(b, 2), lossesOf(a, 2));
    std::set<std::string> contexts;
    for (const auto& c : b.graph->contexts()) contexts.insert(c.name);
    QVERIFY(contexts.count("recompute"));
  }

  void recomputationErrors() {
    const auto network = tests::layersOfEqualWidth(4, 8, 3);
    TrainingRun run;
    run.parallel.recompute = Recompute::Pipeline;
    QVERIFY_THROWS_EXCEPTION(reports::Error, training(network, run));
    run.parallel.recompute = Recompute::Checkpoints;
    run.parallel.checkpoints = {"no such node"};
    QVERIFY_THROWS_EXCEPTION(reports::Error, training(network, run));
    run.parallel.recompute = Recompute::Standard;
    run.parallel.checkpoints = {"layer1.product"};
    QVERIFY_THROWS_EXCEPTION(reports::Error, training(network, run));
    QVERIFY_THROWS_EXCEPTION(reports::Error, model::recomputeKind("some"));
  }

  void offloadedThingsLiveInRemoteBuffers_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<int>("stages");
    for (const int stages : {0, 3})
      for (const char* what : {"weights", "optimiser", "activations", "all"})
        QTest::addRow("%s, %d stages", what, stages) << what << stages;
  }
  void offloadedThingsLiveInRemoteBuffers() {
    QFETCH(QString, what);
    QFETCH(int, stages);
    const auto network = tests::layersOfEqualWidth(32, 48, 6);
    TrainingRun here;
    here.options.optimiser.kind = model::OptimiserKind::Adam;
    here.parallel.stages = stages;
    here.parallel.accumulation = 5;
    here.ipus = std::max(1, stages);
    TrainingRun remote = here;
    remote.parallel.offloadWeights = what == "weights" || what == "all";
    remote.parallel.offloadOptimiser = what == "optimiser" || what == "all";
    remote.parallel.offloadActivations = what == "activations" || what == "all";
    const auto a = training(network, here), b = training(network, remote);
    QCOMPARE(lossesOf(b, 2), lossesOf(a, 2));
    QVERIFY(!b.graph->remoteBuffers().empty());
    QVERIFY(a.graph->remoteBuffers().empty());
    const Cost before = costOf(a), after = costOf(b);
    QVERIFY2(after.cycles > before.cycles, std::to_string(double(after.cycles) / double(before.cycles)).c_str());
    QVERIFY2(after.peak < before.peak, std::to_string(double(after.peak) / double(before.peak)).c_str());
  }

  void sumsOfGradientsCanBeHalf() {
    const auto network = tests::layersOfEqualWidth(4, 16, 2);
    for (const bool half : {false, true}) {
      model::TrainingOptions options;
      options.accumulation = 4;
      model::TrainingLoweringOptions lowering;
      lowering.lowering.precision = numerics::ElementType::Half;
      lowering.halfSums = half;
      const auto load = model::lowerTraining(model::makeTraining(network, "loss", options), arch::tinyMachine(8), lowering);
      int sums = 0;
      for (const auto& v : load.graph->variables())
        if (v.name.ends_with("/accumulator")) {
          QCOMPARE(v.type, half ? numerics::ElementType::Half : numerics::ElementType::Float);
          ++sums;
        }
      QCOMPARE(sums, 8);
    }
  }

  // In fp32 a loss scale that is a power of two changes no result, even if it varies from step to step.
  void automaticLossScaleChangesNothingInFloat() {
    const auto network = tests::layersOfEqualWidth(4, 16, 4);
    for (const int stages : {0, 2}) {
      TrainingRun plain;
      plain.parallel.stages = stages;
      plain.parallel.accumulation = 4;
      plain.ipus = std::max(1, stages);
      TrainingRun automatic = plain;
      automatic.options.automaticLossScale = true;
      automatic.options.lossScale = 1 << 20;
      const auto a = lossesOf(training(network, plain), 2), b = lossesOf(training(network, automatic), 2);
      QCOMPARE(b.size(), a.size());
      for (std::size_t i = 0; i < a.size(); ++i) QVERIFY(std::abs(b[i] - a[i]) < 1e-5 * std::abs(a[i]));
    }
  }

  // Too few layers for a function of whole layers: the forward products of all layers share a function.
  void equalNodesShareAFunction() {
    const auto network = tests::layersOfEqualWidth(4, 16, 3);
    TrainingRun shared, inlined;
    inlined.parallel.outline = false;
    const auto a = training(network, inlined), b = training(network, shared);
    QCOMPARE(lossesOf(b, 2), lossesOf(a, 2));
    QVERIFY(a.graph->functions().empty());
    int saved = 0; // products that have no code of their own
    std::string all;
    for (const auto& f : b.graph->functions()) {
      int n = 0;
      for (const auto& p : b.programs) n += calls(*b.graph, p.program, f.name);
      all += f.name + " " + std::to_string(n) + ", ";
      QVERIFY2(n >= 2, all.c_str());
      saved += n - 1;
    }
    QVERIFY2(saved >= 3, all.c_str());
  }

  // If replanning (run/fit.h) excludes operand copies of some nodes, these nodes are lowered without a shared function.
  void nodesWithoutOperandCopiesShareNothing() {
    const auto network = tests::layersOfEqualWidth(4, 16, 3);
    TrainingRun run;
    const auto shared = training(network, run);
    graph::MemoryShares none;
    for (const auto& v : shared.graph->variables())
      if (v.name.ends_with("/argument")) none[shared.graph->fullName(v.context)] = 0;
    QVERIFY(!none.empty());
    QVERIFY2(none.begin()->first.ends_with(std::string("/") + graph::kOperandCopies), none.begin()->first.c_str());
    run.parallel.memoryShares = std::make_shared<const graph::MemoryShares>(none);
    const auto apart = training(network, run);
    QVERIFY(apart.graph->functions().empty());
    QCOMPARE(lossesOf(apart, 2), lossesOf(shared, 2));
  }

  void repeatedLayersAreFunctions_data() {
    QTest::addColumn<int>("stages");
    QTest::addColumn<int>("recompute");
    QTest::newRow("one IPU") << 0 << int(Recompute::None);
    QTest::newRow("pipeline") << 2 << int(Recompute::None);
    QTest::newRow("pipeline, recomputed") << 2 << int(Recompute::Pipeline);
    QTest::newRow("pipeline, recomputed by layers") << 2 << int(Recompute::Standard);
  }
  void repeatedLayersAreFunctions() {
    QFETCH(int, stages);
    QFETCH(int, recompute);
    const auto network = tests::layersOfEqualWidth(4, 16, 12);
    TrainingRun outlined;
    outlined.parallel.stages = stages;
    outlined.parallel.accumulation = 8;
    outlined.parallel.recompute = Recompute(recompute);
    outlined.ipus = std::max(1, stages);
    if (stages) outlined.parallel.shard = "layer6.product";
    TrainingRun inlined = outlined;
    inlined.parallel.outline = false;
    const auto a = training(network, inlined), b = training(network, outlined);
    QCOMPARE(lossesOf(b, 2), lossesOf(a, 2));
    // One forward and one backward function per IPU, called by every layer. Recomputation of a whole stage is another function.
    int functions = 0, callsOfThem = 0;
    const auto countCalls = [&](const Program& p, const std::string& name) { return calls(*b.graph, p, name); };
    for (const auto& f : b.graph->functions()) {
      if (f.name.find("(shared by ") == std::string::npos) continue;
      ++functions;
      for (const auto& p : b.programs) callsOfThem += countCalls(p.program, f.name);
      for (const auto& other : b.graph->functions()) callsOfThem += countCalls(other.body, f.name);
    }
    QCOMPARE(functions, 2 * outlined.ipus + (Recompute(recompute) == Recompute::Pipeline ? 1 : 0));
    QVERIFY2(callsOfThem >= 18, std::to_string(callsOfThem).c_str());
    const auto products = [](const graph::Graph& g) {
      int64_t n = 0;
      for (const auto& set : g.computeSets()) n += g.fullName(set.context).find("/matmul") != std::string::npos;
      return n;
    };
    // With recomputation by layers, the recomputation at both ends of an IPU's layers is inline.
    const double most = Recompute(recompute) == Recompute::Standard ? 0.45 : 0.25;
    const double share = double(products(*b.graph)) / double(products(*a.graph));
    QVERIFY2(share < most, std::to_string(share).c_str());
  }
};

TILESCOPE_TEST(TrainingMemoryTest)
#include "training_memory_test.moc"
