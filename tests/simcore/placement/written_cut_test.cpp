// Cuts as users write them: parts by the names of nodes or by layers, several of them on one IPU.
#include "reports/core/error.h"
#include "simcore/placement/parallelism.h"
#include "simcore/placement/written_cut.h"
#include "tests/simcore/model/tracks.h"
#include "tests/simcore/model/training_networks.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using model::Parallelism;

namespace {

std::vector<int> ipusOf(const std::string& text) {
  std::vector<int> ipus;
  for (const auto& part : model::readCut(text).parts) ipus.push_back(part.ipu);
  return ipus;
}

// The text of the error, or empty; it must name the option and its value.
template<class Do> std::string refusalOf(const std::string& text, Do what) {
  try {
    what();
  } catch (const reports::Error& error) {
    const std::string all = error.what();
    const bool names = error.code() == reports::ErrorCode::InvalidInput && all.find(text) != std::string::npos &&
                       all.find("shard") != std::string::npos;
    return names ? all : "does not name the field: " + all;
  }
  return {};
}

// The network with the first layer's weight in the last layer too.
model::Model tied(int layers) {
  model::Model network = tests::layersOfEqualWidth(4, 32, layers);
  const std::string last = "layer" + std::to_string(layers - 1) + ".product";
  for (model::Node& node : network.graph.nodes)
    if (node.name == last) node.inputs[1] = "layer0.w";
  return network;
}

graph::Workload cutTraining(const model::Model& network, int ipus, const Parallelism& p, bool adam = true) {
  model::TrainingOptions options;
  options.optimiser.learningRate = 0.05;
  if (adam) options.optimiser.kind = model::OptimiserKind::Adam;
  auto load = model::trainingWorkload(network, "loss", options, arch::tinyMachine(16, ipus), {}, p);
  tests::feedWaves(load, network);
  return load;
}

} // namespace

class WrittenCutTest : public QObject {
  Q_OBJECT
private slots:
  void partsHaveIpus() {
    QCOMPARE(ipusOf("a,b"), (std::vector<int>{0, 1, 2}));
    QCOMPARE(ipusOf("a,b@0,c"), (std::vector<int>{0, 1, 0, 2}));
    QCOMPARE(ipusOf("layers:3,7,7,7"), (std::vector<int>{0, 1, 2, 3}));
    QCOMPARE(ipusOf("layers:3,7,7,7,0@0"), (std::vector<int>{0, 1, 2, 3, 0}));
    QCOMPARE(ipusOf("layers:3@1,7,7@1"), (std::vector<int>{1, 0, 1}));
    QCOMPARE(ipusOf("layers:3,3@2"), (std::vector<int>{0, 2}));
    QCOMPARE(ipusOf("@1,a@3"), (std::vector<int>{1, 3}));
    QCOMPARE(model::readCut("layers:3,3@2").ipus(), 3);
    QCOMPARE(model::readCut("layers:3,7,7,7,0@0").ipus(), 4);
    QCOMPARE(model::readCut("a@1,b@0").parts[1].firstNode, std::string("a"));
    // An @ that is not followed by a number belongs to the name.
    QCOMPARE(model::readCut("a@b").parts[1].firstNode, std::string("a@b"));
    QCOMPARE(model::readCut("layers:2.5,0.5").parts[0].halfLayers, std::int64_t(5));
  }

  void wrongCutsAreRefused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("says");
    QTest::newRow("no number") << "layers:3,x"
                               << "'x' is not a number of layers";
    QTest::newRow("thirds") << "layers:3.3,3"
                            << "'3.3' is not a number of layers";
    QTest::newRow("negative") << "layers:-1,3"
                              << "'-1' is not a number of layers";
    QTest::newRow("nothing") << "layers:"
                             << "the cut lists no layers";
    QTest::newRow("empty part") << "layers:3,,3"
                                << "'' is not a number of layers";
    QTest::newRow("neighbours") << "layers:3,3@0"
                                << "parts 0 and 1 follow each other on IPU 0";
  }
  void wrongCutsAreRefused() {
    QFETCH(QString, text);
    QFETCH(QString, says);
    const std::string refusal = refusalOf(text.toStdString(), [&] { (void)model::readCut(text.toStdString()); });
    QVERIFY2(refusal.find(says.toStdString()) != std::string::npos, refusal.c_str());
  }

  // A node in front, six layers of three nodes, three nodes of the loss behind.
  void layersAreCounted() {
    const auto network = tests::layersOfEqualWidth(4, 32, 6, false, true);
    const auto sizes = [&](const std::string& text) {
      const auto s = model::cutAt(network, model::readCut(text));
      std::vector<int> count;
      for (std::size_t i = 0; i < s.stageOfNode.size(); ++i) {
        count.resize(std::size_t(s.stageOfNode[i]) + 1);
        ++count[std::size_t(s.stageOfNode[i])];
      }
      return count;
    };
    const int behind = int(network.graph.nodes.size()) - 19;
    QCOMPARE(sizes("layers:2,4"), (std::vector<int>{1 + 6, 12 + behind}));
    QCOMPARE(sizes("layers:0,2,4,0@0"), (std::vector<int>{1, 6, 12, behind}));
    const auto s = model::cutAt(network, model::readCut("layers:0,6,0@0"));
    QCOMPARE(s.ipuOfNode.front(), 0);
    QCOMPARE(s.ipuOfNode[1], 1);
    QCOMPARE(s.ipuOfNode.back(), 0);
    for (const char* text : {"layers:2,3", "layers:2,0,4", "layers:6,0.5"}) {
      const std::string refusal = refusalOf(text, [&] { (void)model::cutAt(network, model::readCut(text)); });
      QVERIFY2(refusal.find("part") != std::string::npos, refusal.c_str());
    }
  }

  // A layer of two products, with a wide value between them and a narrow value after the first, is divided at the narrow value.
  void aHalfLayerEndsWhereTheFewestBytesPass() {
    model::Model m;
    m.file = "halves";
    m.opset = 17;
    model::GraphBuilder b(m.graph);
    m.inputTypes["x"] = {numerics::ElementType::Float, {4, 8}};
    b.input("x", numerics::ElementType::Float, {4, 8});
    std::string h = b.add("Neg", {"x"}, {}, "front");
    for (int i = 0; i < 4; ++i) {
      const std::string n = "layer" + std::to_string(i);
      h = b.add("MatMul", {h, b.constant(n + ".in", tests::waves({8, 32}, i))}, {}, n + ".in");
      h = b.add("Relu", {h}, {}, n + ".relu");
      h = b.add("MatMul", {h, b.constant(n + ".out", tests::waves({32, 8}, i))}, {}, n + ".out");
      h = b.add("Neg", {h}, {}, n + ".behind");
      h = b.add("MatMul", {h, b.constant(n + ".wide", tests::waves({8, 64}, i))}, {}, n + ".wide");
      h = b.add("Tanh", {h}, {}, n + ".tanh");
      h = b.add("MatMul", {h, b.constant(n + ".back", tests::waves({64, 8}, i))}, {}, n + ".back");
    }
    b.output(h);
    const auto s = model::cutAt(m, model::readCut("layers:1.5,2.5"));
    for (std::size_t i = 0; i < m.graph.nodes.size(); ++i) {
      const std::string& name = m.graph.nodes[i].name;
      if (name == "layer1.out") QCOMPARE(s.stageOfNode[i], 0);
      if (name == "layer1.wide") QCOMPARE(s.stageOfNode[i], 1);
    }
  }

  // Several stages on an IPU compute the same numbers as one IPU, wherever values are stashed or recomputed.
  void trainsAsOneIpuDoes_data() {
    QTest::addColumn<QString>("shard");
    QTest::addColumn<int>("ipus");
    QTest::addColumn<int>("stages");
    for (const auto& [text, ipus, stages] : {std::tuple("layers:1,2,2,0@0", 3, 4), std::tuple("layers:1,1,1@0,1,1@0", 3, 5),
                                             std::tuple("layer2.product,layer4.product@0", 2, 3)}) {
      QTest::addRow("%s", text) << text << ipus << stages;
      QTest::addRow("%s without a pipeline", text) << text << ipus << 0;
    }
  }
  void trainsAsOneIpuDoes() {
    QFETCH(QString, shard);
    QFETCH(int, ipus);
    QFETCH(int, stages);
    for (const bool ties : {false, true}) {
      const auto network = ties ? tied(5) : tests::layersOfEqualWidth(4, 32, 5);
      Parallelism one;
      one.accumulation = 12;
      const auto expected = tests::lossesOf(cutTraining(network, 1, one), 2);
      QCOMPARE(expected.size(), std::size_t(24));
      const auto check = [&](const char* what, auto change) {
        Parallelism p = one;
        p.shard = shard.toStdString();
        p.stages = stages;
        change(p);
        const auto got = tests::lossesOf(cutTraining(network, ipus, p), 2);
        QCOMPARE(got.size(), expected.size());
        for (std::size_t i = 0; i < got.size(); ++i)
          QVERIFY2(std::abs(got[i] - expected[i]) <= 1e-5 * std::abs(expected[i]),
                   (std::string(what) + ": loss " + std::to_string(i) + " is " + std::to_string(got[i]) + " instead of " +
                    std::to_string(expected[i]))
                       .c_str());
      };
      check("plain", [](Parallelism& p) { p.outline = false; });
      check("computed again, in streaming memory", [](Parallelism& p) {
        p.recompute = model::Recompute::Standard;
        p.offloadWeights = p.offloadOptimiser = p.offloadActivations = true;
      });
      if (stages > 0) check("stages computed again", [](Parallelism& p) { p.recompute = model::Recompute::Pipeline; });
    }
  }

  // A weight that two stages of an IPU read has one gradient sum, and its gradients do not wait for each other.
  void stagesOfAnIpuShareASum() {
    Parallelism p;
    p.accumulation = 12;
    p.stages = 4;
    p.shard = "layers:2,1,1,1@0";
    const auto load = cutTraining(tied(5), 3, p);
    int sums = 0;
    for (const auto& v : load.graph->variables()) {
      sums += v.name.starts_with("layer0.w/accumulator");
      QVERIFY2(!v.name.starts_with("stash/") || v.name.find("layer0.w") == std::string::npos, v.name.c_str());
    }
    QCOMPARE(sums, 1);
    std::set<std::string> functions;
    for (const auto& f : load.graph->functions()) functions.insert(f.name);
    for (const char* name : {"stage0/fwd", "stage2/fwd", "stage3/fwd+bwd", "stage0/bwd"}) QVERIFY2(functions.count(name), name);
  }

  // IPUs before, between and after the parts: the losses are those of one IPU, and an idle IPU has no vertex and no cycle.
  void ipusWithoutPartAreIdle() {
    const auto network = tests::layersOfEqualWidth(4, 32, 4);
    Parallelism one;
    one.shard = "none";
    one.accumulation = 12;
    const auto expected = tests::lossesOf(cutTraining(network, 1, one), 2);
    for (const int stages : {0, 2, 3})
      for (const bool gap : {false, true}) {
        Parallelism p;
        p.accumulation = 12;
        p.stages = stages;
        p.shard = stages == 2 ? (gap ? "layers:2@1,2@3" : "layers:2,2") : (gap ? "layers:2@1,1@3,1@1" : "layers:2,1,1");
        const auto load = cutTraining(network, 4, p);
        const auto losses = tests::lossesOf(load, 2);
        QCOMPARE(losses.size(), expected.size());
        for (std::size_t i = 0; i < losses.size(); ++i) QVERIFY2(std::abs(losses[i] - expected[i]) < 1e-4, p.shard.c_str());
      }
  }

  void cutsAndPipelinesMustAgree() {
    const auto network = tests::layersOfEqualWidth(4, 32, 5);
    Parallelism p;
    p.accumulation = 12;
    p.shard = "layers:1,2,2,0@0";
    p.stages = 3;
    QVERIFY_THROWS_EXCEPTION(reports::Error, cutTraining(network, 3, p));
    p.stages = 4;
    QVERIFY_THROWS_EXCEPTION(reports::Error, cutTraining(network, 2, p));
    QCOMPARE(p.ipusOfPipeline(), 3);
    // Inference too may have more stages than IPUs; pipeline_test has its numbers.
    p.accumulation = 12;
    QCOMPARE(model::inferenceWorkload(network, arch::tinyMachine(16, 3), {}, p).graph->machine().ipus, 3);
    p.stages = 0, p.accumulation = 0;
    auto load = model::inferenceWorkload(network, arch::tinyMachine(16, 3), {}, p);
    tests::feedWaves(load, network);
    QCOMPARE(tests::lossesOf(load, 1).size(), std::size_t(1));
  }
};

TILESCOPE_TEST(WrittenCutTest)
#include "written_cut_test.moc"
