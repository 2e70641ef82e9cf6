// The automatic cut: the parts of a model, and which of them share an IPU.
#include "simcore/ops/plan/cut_search.h"
#include "simcore/placement/sharding.h"
#include "tests/simcore/model/tracks.h"
#include "tests/simcore/model/training_networks.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using model::Parallelism;
using ops::CutWish;
using ops::NodeCosts;

namespace {

constexpr std::size_t kLayers = 8;
constexpr std::int64_t kTable = 60, kCopy = 40, kLayer = 10;

// A look-up, layers of two nodes and a head nearly as slow as a layer. With `isTied` the head reads the table of the look-up.
NodeCosts languageModel(bool isTied) {
  NodeCosts costs;
  const std::size_t nodes = 2 * kLayers + 2;
  auto& passes = costs.inner;
  passes.cycles.assign(nodes, 50);
  passes.cycles.front() = 1;
  passes.cycles.back() = 90;
  passes.temporaryBytes.assign(nodes, 0);
  passes.keptBy.resize(nodes);
  costs.last = passes;
  costs.codeOf.resize(nodes);
  costs.crossing.assign(nodes, 1);
  costs.weights.push_back({{0}, kTable, kCopy, 0});
  if (isTied)
    costs.weights.back().readers.push_back(nodes - 1);
  else
    costs.weights.push_back({{nodes - 1}, kTable, kCopy, 0});
  for (std::size_t i = 0; i < nodes; ++i) {
    const bool inLayer = i > 0 && i + 1 < nodes;
    costs.layerOf.push_back(inLayer ? std::pair(i - (i + 1) % 2, i - (i + 1) % 2 + 2) : std::pair(i, i));
    if (inLayer && i % 2) costs.weights.push_back({{i}, kLayer, kLayer, 0});
  }
  return costs;
}

CutWish pipelineOf(int ipus, std::int64_t memoryBytes) {
  CutWish wish;
  wish.ipus = ipus;
  wish.memoryBytes = memoryBytes;
  wish.isTraining = wish.isPipeline = true;
  wish.microBatches = 1000;
  return wish;
}

// Nodes of each part.
std::vector<int> sizes(const ops::FoundCut& cut) {
  std::vector<int> sizes(cut.ipuOfPart.size(), 0);
  for (const int part : cut.partOfNode) ++sizes[std::size_t(part)];
  return sizes;
}

// A slow product between two fast ones that share a table; the last one reads it transposed.
model::Model tiedAtBothEnds() {
  model::Model m;
  m.file = "tied";
  m.opset = 17;
  model::GraphBuilder b(m.graph);
  for (const char* name : {"x", "y"}) {
    m.inputTypes[name] = {numerics::ElementType::Float, {8, 16}};
    b.input(name, numerics::ElementType::Float, {8, 16});
  }
  const std::string table = b.constant("some numbers", tests::waves({16, 256}, 1, 0.05f));
  std::string h = b.add("MatMul", {"x", table}, {}, "first");
  h = b.add("MatMul", {h, b.constant("w", tests::waves({256, 256}, 2, 0.02f))}, {}, "slow");
  h = b.add("MatMul", {h, b.add("Transpose", {table}, {}, "turned")}, {}, "last");
  const std::string error = b.add("Sub", {h, "y"}, {}, "error");
  b.output(b.add("ReduceMean", {b.add("Mul", {error, error})}, model::attributes({{"keepdims", std::int64_t(0)}}), "loss"));
  return m;
}

graph::Workload adamSteps(const model::Model& network, const arch::Machine& machine, const Parallelism& p) {
  model::TrainingOptions options;
  options.optimiser.kind = model::OptimiserKind::Adam;
  options.optimiser.learningRate = 0.05;
  auto load = model::trainingWorkload(network, "loss", options, machine, {}, p);
  tests::feedWaves(load, network);
  return load;
}

} // namespace

class CutSearchTest : public QObject {
  Q_OBJECT
private slots:
  // If the memory is large enough for two copies of the table, every IPU has one part.
  void partsAreEven() {
    const NodeCosts costs = languageModel(true);
    const auto cut = ops::searchCut(costs, pipelineOf(3, 1000));
    QCOMPARE(cut.ipuOfPart, (std::vector<int>{0, 1, 2}));
    QCOMPARE(sizes(cut), (std::vector<int>{7, 6, 5})); // at the ends of layers
  }

  // IPU 0 has room for the table and two layers. With the head on the same IPU as the table, the other IPUs have three layers each.
  void theHeadGoesToTheTableItShares() {
    const auto cut = ops::searchCut(languageModel(true), pipelineOf(3, 85));
    QCOMPARE(cut.ipuOfPart, (std::vector<int>{0, 1, 2, 0}));
    QCOMPARE(sizes(cut)[0] + sizes(cut)[3], 6);
    QCOMPARE(cut.partOfNode.front(), 0);
    QCOMPARE(cut.partOfNode.back(), 3);
  }
  void aHeadWithATableOfItsOwnDoesNot() {
    const auto cut = ops::searchCut(languageModel(false), pipelineOf(3, 85));
    QCOMPARE(cut.ipuOfPart, (std::vector<int>{0, 1, 2}));
  }
  // Early nodes may be dearer in the last part than in another: a cut that has none of them there does not pay for it.
  void earlyNodesMayCostAnythingInTheLastPart() {
    NodeCosts costs = languageModel(false);
    const auto even = ops::searchCut(costs, pipelineOf(3, 1000));
    for (std::size_t i = 0; i < kLayers; ++i) costs.last.cycles[i] = 100000;
    const auto cut = ops::searchCut(costs, pipelineOf(3, 1000));
    QCOMPARE(cut.ipuOfPart, even.ipuOfPart);
    QCOMPARE(cut.partOfNode, even.partOfNode);
  }
  // One more stage needs two more micro-batches.
  void fewMicroBatchesDoNotFillAnotherStage() {
    CutWish wish = pipelineOf(3, 85);
    wish.microBatches = 6;
    QCOMPARE(ops::searchCut(languageModel(true), wish).ipuOfPart.size(), std::size_t(3));
    wish.isPipeline = false; // then all IPUs work in turn, and nothing is won
    QCOMPARE(ops::searchCut(languageModel(true), wish).ipuOfPart.size(), std::size_t(3));
  }

  // A stage keeps its values once for each micro-batch under way, so earlier stages get fewer layers where memory is short.
  void earlierStagesKeepMore() {
    NodeCosts costs = languageModel(false);
    const auto plain = ops::searchCut(costs, pipelineOf(3, 1000));
    costs.weights.clear();
    for (std::size_t i = 0; i < costs.nodes(); ++i) {
      costs.inner.keptBy[i] = {i};
      costs.inner.keptBytes.push_back(2);
    }
    costs.last.keptBy = costs.inner.keptBy;
    costs.last.keptBytes = costs.inner.keptBytes;
    const auto cut = ops::searchCut(costs, pipelineOf(3, 36));
    QVERIFY(sizes(cut).front() < sizes(plain).front());
    QVERIFY(sizes(cut)[0] * 5 * 2 <= 38 || cut.ipuOfPart.size() > 3);
  }

  // If no cut fits, the result is the cut that exceeds the memory by the fewest bytes.
  void theLeastOverflowIsTaken() {
    const auto cut = ops::searchCut(languageModel(false), pipelineOf(3, 20));
    QCOMPARE(cut.ipuOfPart.size(), std::size_t(3));
    QVERIFY(sizes(cut).front() <= 3 && sizes(cut).back() <= 4); // a table and the weight of a layer, 70
    QVERIFY(sizes(cut)[1] <= 14);
  }

  // A training step whose last part shares IPU 0 with the first: the table is stored once, and the numbers equal those of one IPU.
  void aTiedTableTrainsAsOnOneIpu() {
    const auto network = tiedAtBothEnds();
    Parallelism p;
    p.accumulation = 32;
    const auto expected = tests::lossesOf(adamSteps(network, arch::tinyMachine(4, 1), p), 2);
    p.stages = 2;
    const auto load = adamSteps(network, arch::tinyMachine(4, 2), p);
    QCOMPARE(load.facts.at("pipeline_stages"), std::string("3"));
    int tables = 0, sums = 0;
    for (const auto& v : load.graph->variables()) {
      tables += v.name == "some numbers";
      sums += v.name.starts_with("some numbers/accumulator");
    }
    QCOMPARE(sums, 1);
    QCOMPARE(tables, 1);
    const auto got = tests::lossesOf(load, 2);
    QCOMPARE(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      QVERIFY2(std::abs(got[i] - expected[i]) <= 1e-5 * std::abs(expected[i]), std::to_string(got[i]).c_str());
  }
};

TILESCOPE_TEST(CutSearchTest)
#include "cut_search_test.moc"
