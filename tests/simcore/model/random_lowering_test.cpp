// Random nodes on the machine: each draws its own numbers, the same every time, in the requested range, different from other nodes.
#include "simcore/model/graph/resolve_types.h"
#include "simcore/model/lowering/lowering.h"
#include "simcore/model/lowering/outline.h"
#include "simcore/model/training/training.h"
#include "simcore/placement/parallelism.h"
#include "simcore/run/engine.h"
#include "simcore/run/simulate.h"
#include "tests/simcore/model/node_cases.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <array>
#include <cmath>

using namespace tests;

namespace {

struct Drawn {
  std::vector<HostTensor> outputs;
  std::vector<graph::Plan> plans;
};

Drawn drawnBy(const std::function<void(Net&)>& build, int tiles = 61) {
  Net net(17);
  build(net);
  for (const auto& [name, value] : net.values) net.model.inputTypes[name] = {value.type(), value.shape()};
  model::resolveTypes(net.model);
  const auto load = model::lower(net.model, arch::tinyMachine(tiles), {});
  reports::NoProgress none;
  const auto executable = compile::compile(load.graph, load.programs, {}, none);
  run::Engine engine(executable, {}, nullptr);
  for (const auto& [name, value] : net.values) engine.connectInput(name, {value});
  engine.run(0, "inference", {}, none);
  Drawn d;
  for (const auto& output : net.model.graph.outputs) d.outputs.push_back(engine.received(output.name).at(0));
  d.plans = load.graph->plans();
  return d;
}

struct Statistics {
  double mean = 0, deviation = 0, least = INFINITY, most = -INFINITY;
};
Statistics statisticsOf(const HostTensor& x) {
  Statistics s;
  double squares = 0;
  for (const double v : x.toDoubles()) {
    s.mean += v / double(x.count());
    squares += v * v / double(x.count());
    s.least = std::min(s.least, v);
    s.most = std::max(s.most, v);
  }
  s.deviation = std::sqrt(squares - s.mean * s.mean);
  return s;
}

double correlation(const HostTensor& a, const HostTensor& b) {
  const Statistics x = statisticsOf(a), y = statisticsOf(b);
  double sum = 0;
  for (std::int64_t i = 0; i < a.count(); ++i) sum += (a.at(i) - x.mean) * (b.at(i) - y.mean);
  return sum / double(a.count()) / (x.deviation * y.deviation);
}

// In training, with this ratio; its result and its mask.
std::vector<std::string> addDropout(model::GraphBuilder& b, const std::string& x, float ratio) {
  model::Node node;
  node.opType = "Dropout";
  node.opset = 17;
  node.inputs = {x, b.constant("ratio", HostTensor::scalar(ratio)), b.constant("training", HostTensor::scalar(true))};
  node.outputs = {"dropped", "mask"};
  return b.append(node, {b.type(x), {ElementType::Bool, b.shape(x)}});
}

// A product [16, 32], the result of `drop` on it, and its mean as the loss.
template<class Drop> model::TrainingModel trainingThrough(Drop drop) {
  model::Model m;
  m.opset = 17;
  model::GraphBuilder b(m.graph);
  m.inputTypes["x"] = {ElementType::Float, {16, 32}};
  const std::string x = b.input("x", ElementType::Float, {16, 32}),
                    w = b.constant("w", HostTensor::full(ElementType::Float, {32, 32}, 0.03));
  const std::string dropped = drop(b, b.add("MatMul", {x, w}));
  b.output(b.add("ReduceMean", {dropped}, attributes({{"keepdims", std::int64_t(0)}}), "loss"));
  model::resolveTypes(m);
  return model::makeTraining(m, m.graph.outputs[0].name, {});
}

constexpr std::int64_t kWeights = 256;

// Zero weights after one step on the mean of their dropout (rate 1/2): -1 times the share of the replicas that kept each.
std::vector<double> afterOneStep(int replicas, std::int64_t seed, bool dataOfReplicas = false) {
  model::Model m;
  m.opset = 17;
  model::GraphBuilder b(m.graph);
  m.inputTypes["x"] = {ElementType::Float, {kWeights}};
  const std::string x = b.input("x", ElementType::Float, {kWeights}),
                    w = b.constant("w", HostTensor::full(ElementType::Float, {kWeights}, 0));
  m.graph.trained = {w};
  const std::string dropped = addDropout(b, b.add("Add", {x, w}), 0.5f)[0];
  b.output(b.add("ReduceMean", {dropped}, attributes({{"keepdims", std::int64_t(0)}}), "loss"));
  const std::string loss = m.graph.outputs[0].name;
  model::resolveTypes(m);
  auto machine = arch::tinyMachine(16);
  machine.replicas = replicas;
  model::TrainingOptions training;
  training.optimiser.learningRate = kWeights / 2.0;
  auto load = model::trainingWorkload(m, loss, training, machine, {}, {});
  load.inputs[x] = std::vector(std::size_t(dataOfReplicas ? replicas : 1), HostTensor::full(ElementType::Float, {kWeights}, 0));
  load.dataOfReplicas = dataOfReplicas;
  run::SimulateOptions options;
  options.readState = true;
  options.seed = seed;
  run::HostTimeline timeline("test");
  reports::NoProgress quiet;
  RowCollector rows;
  return run::simulate(load, options, rows, timeline, {}, quiet).variables.at(w).toDoubles();
}

std::int64_t countOf(const std::vector<double>& values, const std::function<bool(double)>& wanted) {
  return std::count_if(values.begin(), values.end(), wanted);
}

} // namespace

class RandomLoweringTest : public QObject {
  Q_OBJECT
private slots:
  void numbersAreAsWideAsAskedFor() {
    const auto made = drawnBy([](Net& n) {
      n.out("RandomNormal", {}, attributes({{"shape", Integers{64, 63}}, {"mean", 3.0f}, {"scale", 0.5f}}));
      n.out("RandomUniform", {}, attributes({{"shape", Integers{64, 63}}, {"low", -1.0f}, {"high", 3.0f}}));
      n.out("Bernoulli", {n.value("p", HostTensor::full(ElementType::Float, {64, 63}, 0.25))});
    });
    const Statistics normal = statisticsOf(made.outputs[0]), uniform = statisticsOf(made.outputs[1]),
                     coin = statisticsOf(made.outputs[2]);
    QVERIFY(std::abs(normal.mean - 3) < 0.05 && std::abs(normal.deviation - 0.5) < 0.03);
    QVERIFY(std::abs(uniform.mean - 1) < 0.1 && std::abs(uniform.deviation - 4 / std::sqrt(12)) < 0.05);
    QVERIFY(uniform.least >= -1 && uniform.most <= 3 && uniform.least < -0.9 && uniform.most > 2.9);
    QVERIFY(std::abs(coin.mean - 0.25) < 0.03 && coin.least == 0 && coin.most == 1);
    QCOMPARE(std::count_if(made.plans.begin(), made.plans.end(), [](const auto& p) { return p.method == "random"; }), 3);
  }

  // Two rows of unnormalised logarithms, drawn 4,000 times: 1/8, 3/8, 4/8 and never, never, always.
  void classesAreDrawnByTheirChances() {
    const auto made = drawnBy([](Net& n) {
      const float never = -INFINITY;
      const std::string x =
          n.value("logits", HostTensor::of<float>({2, 3}, {std::log(2.f), std::log(6.f), std::log(8.f), never, never, 5.f}));
      model::Node node;
      node.opType = node.name = "Multinomial";
      node.opset = 17;
      node.inputs = {x};
      node.outputs = {"drawn"};
      node.attributes = attributes({{"sample_size", std::int64_t(4000)}, {"seed", 3.0f}, {"dtype", std::int64_t(7)}});
      n.out(n.builder.append(node, {{ElementType::Int64, {2, 4000}}}).at(0));
    });
    const HostTensor& drawn = made.outputs.at(0);
    QVERIFY(drawn.type() == ElementType::Int64 && drawn.shape() == (Shape{2, 4000}));
    std::array<int, 3> counts{};
    for (std::int64_t i = 0; i < 4000; ++i) {
      ++counts.at(std::size_t(drawn.integerAt(i)));
      QCOMPARE(drawn.integerAt(4000 + i), std::int64_t(2));
    }
    for (std::size_t i = 0; i < 3; ++i) QVERIFY(std::abs(counts[i] - std::array{500, 1500, 2000}[i]) < 100); // three deviations
  }

  // Probabilities of 0 and 1 give certain results.
  void certaintyIsCertain() {
    const auto made = drawnBy([](Net& n) {
      n.out("Bernoulli", {n.value("never", HostTensor::full(ElementType::Float, {9973}, 0))});
      n.out("Bernoulli", {n.value("always", HostTensor::full(ElementType::Float, {9973}, 1))});
    });
    QCOMPARE(statisticsOf(made.outputs[0]).most, 0.0);
    QCOMPARE(statisticsOf(made.outputs[1]).least, 1.0);
  }

  void nodesDrawTheirOwnNumbersEveryTimeTheSame() {
    const auto build = [](Net& n) {
      const std::string x = n.real("x", {64, 63});
      for (int i = 0; i < 2; ++i) n.out("RandomNormalLike", {x});
      for (const float seed : {1.0f, 2.0f, 2.0f}) n.out("RandomNormalLike", {x}, attributes({{"seed", seed}}));
    };
    const auto once = drawnBy(build), again = drawnBy(build);
    for (std::size_t i = 0; i < once.outputs.size(); ++i) QVERIFY(once.outputs[i].identicalTo(again.outputs[i]));
    QVERIFY(once.outputs[3].identicalTo(once.outputs[4])); // equal seeds
    for (const auto& [a, b] : std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {0, 2}, {2, 3}}) {
      const double together = correlation(once.outputs[a], once.outputs[b]);
      QVERIFY2(std::abs(together) < 0.1, qPrintable(QString("%1 and %2 correlate by %3").arg(a).arg(b).arg(together)));
    }
  }

  // Two layers of a model must not become one function that draws the same for both.
  void nodesThatDrawAreLikeNoOther() {
    for (const bool seeded : {false, true}) {
      Net net(17);
      const std::string x = net.real("x", {64});
      const auto a = seeded ? attributes({{"seed", 5.0f}}) : model::Attributes{};
      net.out("RandomNormalLike", {x}, a);
      net.out("RandomNormalLike", {x}, a);
      const auto& nodes = net.model.graph.nodes;
      const std::string first = model::nodeSignature(net.model.graph, nodes[0]),
                        second = model::nodeSignature(net.model.graph, nodes[1]);
      QCOMPARE(first.empty(), !seeded);
      QCOMPARE(first, second);
    }
  }

  void dropoutDropsInTraining() {
    const HostTensor x = HostTensor::full(ElementType::Float, {64, 63}, 3);
    for (const float ratio : {0.25f, 0.0f}) {
      const auto made = drawnBy([&](Net& n) {
        for (const std::string& name : addDropout(n.builder, n.value("x", x), ratio)) n.out(name);
      });
      const double kept = statisticsOf(made.outputs[1]).mean;
      QVERIFY2(std::abs(kept - (1 - double(ratio))) < 0.03, qPrintable(QString::number(kept)));
      for (std::int64_t i = 0; i < x.count(); ++i)
        QVERIFY(std::abs(made.outputs[0].at(i) - (made.outputs[1].at(i) != 0 ? 3 / (1 - double(ratio)) : 0)) < 1e-5);
    }
  }

  // The gradient is let through where the forward pass let the value through: both read one mask.
  void theGradientOfDropoutReadsItsMask() {
    const model::TrainingModel training =
        trainingThrough([](model::GraphBuilder& b, const std::string& product) { return addDropout(b, product, 0.5f)[0]; });
    int draws = 0;
    std::vector<std::string> masks;
    for (const model::Node& node : training.model.graph.nodes) {
      draws += node.opType == "RandomUniformLike";
      if (node.opType == "Where") masks.push_back(node.inputs[0]);
    }
    QCOMPARE(draws, 1);
    QCOMPARE(masks, (std::vector<std::string>{"mask", "mask"}));
  }

  // Without the mask as a result only a seed is kept: the same elements are dropped again, for any layout of the operand.
  void equalSeedsDropTheSameElements() {
    const HostTensor x = HostTensor::full(ElementType::Float, {48, 63}, 3);
    const auto made = drawnBy([&](Net& n) {
      model::GraphBuilder& b = n.builder;
      const std::string ones = n.value("x", x), seed = b.addOwn("DropoutSeed", {}), other = b.addOwn("DropoutSeed", {});
      const auto drop = [&](const std::string& of, const std::string& with) {
        return b.addOwn("SeededDropout", {of, with}, attributes({{"ratio", 0.25f}}));
      };
      // Columns are contiguous after the product.
      const std::string product =
          b.add("MatMul", {ones, b.constant("w", HostTensor::full(ElementType::Float, {63, 63}, 1. / 63))});
      for (const std::string& y : {drop(ones, seed), drop(product, seed), drop(ones, other)}) n.out(y);
    });
    const double kept = statisticsOf(made.outputs[0]).mean;
    QVERIFY2(std::abs(kept - 3) < 0.1, qPrintable(QString::number(kept)));
    std::int64_t different = 0;
    for (std::int64_t i = 0; i < x.count(); ++i) {
      const double v = made.outputs[0].at(i);
      QVERIFY(v == 0 || std::abs(v - 4) < 1e-5);
      QVERIFY(std::abs(v - made.outputs[1].at(i)) < 1e-4);
      different += (v == 0) != (made.outputs[2].at(i) == 0);
    }
    QVERIFY2(std::abs(double(different) / double(x.count()) - 2 * 0.25 * 0.75) < 0.05, qPrintable(QString::number(different)));
  }

  void theGradientOfDropoutDropsWithItsSeed() {
    const model::TrainingModel training = trainingThrough([](model::GraphBuilder& b, const std::string& product) {
      model::Node node;
      node.opType = "Dropout";
      node.opset = 17;
      node.inputs = {product, b.constant("ratio", HostTensor::scalar(0.5f)), b.constant("training", HostTensor::scalar(true))};
      node.outputs = {"dropped"};
      return b.append(node, {{ElementType::Float, {16, 32}}})[0];
    });
    std::vector<std::string> seeds, read;
    for (const model::Node& n : training.model.graph.nodes) {
      if (n.opType == "DropoutSeed") seeds.push_back(n.outputs[0]);
      if (n.opType == "SeededDropout") read.push_back(n.inputs[1]);
    }
    QCOMPARE(seeds.size(), std::size_t(1));
    QCOMPARE(read, (std::vector<std::string>{seeds[0], seeds[0]}));
    // Layers with dropout may share a function: its seeds continue from call to call.
    for (const model::Node& n : training.model.graph.nodes) QVERIFY(!model::nodeSignature(training.model.graph, n).empty());
  }

  void replicasDropDifferentElements() {
    const auto isBetween = [](double v) { return v < -0.01 && v > -0.99; };
    QCOMPARE(countOf(afterOneStep(1, 0), isBetween), 0);
    const std::vector<double> four = afterOneStep(4, 0);
    const std::int64_t between = countOf(four, isBetween); // 14 of 16 in the mean
    QVERIFY2(std::abs(double(between) / kWeights - 14. / 16) < 0.08, qPrintable(QString::number(between)));
    double mean = 0;
    for (const double v : four) mean += v / kWeights;
    QVERIFY2(std::abs(mean + 0.5) < 0.06, qPrintable(QString::number(mean)));
    QCOMPARE(afterOneStep(4, 0, true), four); // data of their own that happen to be equal
  }

  void theSeedOfARunChangesWhatIsDropped() {
    const std::vector<double> first = afterOneStep(1, 0), other = afterOneStep(1, 1);
    QCOMPARE(afterOneStep(1, 1), other);
    std::int64_t different = 0;
    for (std::size_t i = 0; i < first.size(); ++i) different += first[i] != other[i];
    QVERIFY2(std::abs(double(different) / kWeights - 0.5) < 0.12, qPrintable(QString::number(different)));
  }

  // The backward pass reads the mask that was drawn; it does not draw another one.
  void whatIsDrawnIsNotRecomputed() {
    model::Model m;
    m.opset = 17;
    model::GraphBuilder b(m.graph);
    m.inputTypes["x"] = {ElementType::Float, {16, 32}};
    std::string h = b.input("x", ElementType::Float, {16, 32});
    for (int i = 0; i < 8; ++i) {
      const std::string n = "layer" + std::to_string(i),
                        w = b.constant(n + ".w", HostTensor::full(ElementType::Float, {32, 32}, 0.03 * (i + 1)));
      const std::string mask = b.add("RandomUniform", {}, attributes({{"shape", Integers{16, 32}}}), n + ".mask");
      h = b.add("Mul", {b.add("Tanh", {b.add("MatMul", {h, w}, {}, n + ".product")}, {}, n + ".tanh"), mask}, {}, n + ".drop");
    }
    b.output(b.add("ReduceMean", {h}, attributes({{"keepdims", std::int64_t(0)}}), "loss"));
    const std::string loss = m.graph.outputs[0].name;
    model::TrainingModel training = model::makeTraining(m, loss, {});
    model::addRecomputation(training, model::Recompute::Standard, {}, false);
    int again = 0, masks = 0;
    for (const model::Node& node : training.model.graph.nodes) {
      again += node.outputs[0].starts_with("recompute/");
      masks += node.opType == "RandomUniform";
    }
    QVERIFY(again > 0);
    QCOMPARE(masks, 8);
  }
};

TILESCOPE_TEST(RandomLoweringTest)
#include "random_lowering_test.moc"
