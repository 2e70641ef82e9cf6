// Fusion passes: their results for the forms that exporters write, equal numbers, and less work for the machine.
#include "simcore/fusion/fusion.h"

#include "reports/core/error.h"
#include "simcore/model/graph/evaluate.h"
#include "tests/simcore/model/sketch.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <functional>

using namespace simcore;
using model::attributes;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;
using tests::distance;
using tests::MachineRun;
using tests::onMachine;
using tests::Sketch;
using Integers = std::vector<std::int64_t>;

namespace {

using Draw = std::function<std::string(Sketch&)>;

std::string softmax(Sketch& s) {
  const std::string x = s.input("x", {4, 6});
  const std::string e = s.op("Exp", s.op("Sub", x, s.builder.reduce("ReduceMax", x, {1}, true)));
  return s.op("Div", e, s.builder.reduce("ReduceSum", e, {1}, true));
}
std::string layerNorm(Sketch& s, bool twice, bool affine) {
  const std::string x = s.input("x", {2, 5, 8}), mean = s.builder.reduce("ReduceMean", x, {-1}, true);
  const std::string centred = s.op("Sub", x, mean), again = twice ? s.op("Sub", x, mean) : centred;
  const std::string square = twice ? s.op("Mul", again, again) : s.op("Pow", again, s.number(2));
  const std::string variance = s.builder.reduce("ReduceMean", square, {-1}, true);
  std::string y = s.op("Div", centred, s.op("Sqrt", s.op("Add", variance, s.number(1e-5))));
  if (!affine) return s.op("Relu", y);
  y = s.op("Mul", y, s.weight("gamma", {8}));
  return s.op("Add", y, s.weight("beta", {1, 1, 8}));
}
// As torch exports it: scale and shift are [channels, 1, 1], or made so by a node.
std::string groupNorm(Sketch& s, bool unsqueezed) {
  const std::string x = s.input("x", {2, 6, 4, 5});
  const std::string groups = s.builder.reshape(x, {2, 3, 40});
  const auto filled = [&](const char* name, double value) {
    return s.builder.constant(name, HostTensor::full(ElementType::Float, {3}, value));
  };
  std::string y =
      s.builder.reshape(s.builder.add("InstanceNormalization", {groups, filled("ones", 1), filled("zeros", 0)}), {2, 6, 4, 5});
  const auto parameter = [&](const char* name) {
    if (!unsqueezed) return s.weight(name, {6, 1, 1});
    return s.builder.add("Unsqueeze", {s.weight(name, {6}), s.builder.integers({1, 2})});
  };
  y = s.op("Mul", y, parameter("gamma"));
  return s.op("Add", y, parameter("beta"));
}
std::string geluErf(Sketch& s) {
  const std::string x = s.op("Mul", s.input("x", {3, 7}), s.number(3));
  const std::string curve = s.op("Add", s.op("Erf", s.op("Div", x, s.number(M_SQRT2))), s.number(1));
  return s.op("Mul", s.op("Mul", x, curve), s.number(0.5));
}
std::string geluHalfFirst(Sketch& s) {
  const std::string x = s.input("x", {3, 7});
  const std::string curve = s.op("Add", s.number(1), s.op("Erf", s.op("Mul", s.number(M_SQRT1_2), x)));
  return s.op("Mul", s.op("Mul", s.number(0.5), x), curve);
}
std::string geluTanh(Sketch& s) {
  const std::string x = s.input("x", {3, 7});
  const std::string inner = s.op("Add", x, s.op("Mul", s.op("Pow", x, s.number(3)), s.number(0.044715)));
  const std::string curve = s.op("Add", s.op("Tanh", s.op("Mul", inner, s.number(std::sqrt(2 / M_PI)))), s.number(1));
  return s.op("Mul", s.op("Mul", x, s.number(0.5)), curve);
}
std::string swish(Sketch& s) {
  const std::string x = s.input("x", {3, 7});
  return s.op("Mul", x, s.op("Sigmoid", x));
}
// Graph networks sum messages like this: an index of rows, expanded to all columns.
std::string expandedRows(Sketch& s, bool gathers) {
  const std::string x = s.input("x", {24, 16});
  std::vector<std::int64_t> rows;
  for (int i = 0; i < 40; ++i) rows.push_back(i * 7 % 24);
  s.values["rows"] = HostTensor::vector(rows).reshaped({40, 1});
  s.model.inputTypes["rows"] = {ElementType::Int64, {40, 1}};
  const std::string wide = s.builder.expand(s.builder.input("rows", ElementType::Int64, {40, 1}), {40, 16});
  if (gathers) return s.op("GatherElements", x, wide, model::attributes({{"axis", std::int64_t(0)}}));
  return s.builder.add("ScatterElements", {x, wide, s.input("updates", {40, 16})},
                       model::attributes({{"axis", std::int64_t(0)}, {"reduction", std::string("add")}}));
}
// Detectors write the boxes of a level like this: the index of a row with several dimensions.
std::string expandedBoxes(Sketch& s, bool gathers) {
  const std::string x = s.input("x", {24, 4, 3, 2});
  std::vector<std::int64_t> rows;
  for (int i = 0; i < 9; ++i) rows.push_back(i * 7 % 24);
  s.values["rows"] = HostTensor::vector(rows).reshaped({9, 1, 1, 1});
  s.model.inputTypes["rows"] = {ElementType::Int64, {9, 1, 1, 1}};
  const std::string wide = s.builder.expand(s.builder.input("rows", ElementType::Int64, {9, 1, 1, 1}), {9, 4, 3, 2});
  if (gathers) return s.op("GatherElements", x, wide, model::attributes({{"axis", std::int64_t(0)}}));
  return s.builder.add("ScatterElements", {x, wide, s.input("updates", {9, 4, 3, 2})},
                       model::attributes({{"axis", std::int64_t(-4)}}));
}
std::string hardSwish(Sketch& s) {
  const std::string x = s.op("Mul", s.input("x", {3, 7}), s.number(5));
  const std::string clipped = s.builder.add("Clip", {s.op("Add", x, s.number(3)), s.number(0), s.number(6)});
  return s.op("Div", s.op("Mul", x, clipped), s.number(6));
}
// torch exports a loss of log-probabilities as one node, beside the log-probabilities that the model returns.
std::string classLoss(Sketch& s, bool lossFirst) {
  const std::string x = s.input("x", {6, 5, 3});
  std::vector<std::int64_t> classes;
  for (int i = 0; i < 18; ++i) classes.push_back(i * 7 % 5);
  s.values["classes"] = HostTensor::vector(classes).reshaped({6, 3});
  s.model.inputTypes["classes"] = {ElementType::Int64, {6, 3}};
  const std::string labels = s.builder.input("classes", ElementType::Int64, {6, 3});
  std::string loss;
  const auto addLoss = [&] {
    loss = s.op("SoftmaxCrossEntropyLoss", x, labels, attributes({{"ignore_index", std::int64_t(2)}}));
  };
  if (lossFirst) addLoss();
  const std::string logs = s.op("LogSoftmax", x, {}, attributes({{"axis", std::int64_t(-2)}}));
  if (!lossFirst) addLoss();
  return s.op("Add", logs, loss);
}
std::string conv(Sketch& s, const std::string& x, const std::string& name, std::int64_t channels, bool bias) {
  std::vector<std::string> inputs{x, s.weight(name + ".w", {channels, s.builder.shape(x)[1], 3, 3})};
  if (bias) inputs.push_back(s.weight(name + ".b", {channels}));
  return s.builder.add("Conv", inputs, attributes({{"pads", Integers{1, 1, 1, 1}}}), name);
}
std::string norm(Sketch& s, const std::string& x, const std::string& name) {
  const Shape c{s.builder.shape(x)[1]};
  return s.builder.add("BatchNormalization",
                       {x, s.weight(name + ".g", c, 0.5f, 2), s.weight(name + ".b", c), s.weight(name + ".m", c),
                        s.weight(name + ".v", c, 0.5f, 2)},
                       {}, name);
}
std::string convNorm(Sketch& s) { return norm(s, conv(s, s.input("x", {1, 8, 9, 9}), "c", 16, true), "n"); }
std::string convRelu(Sketch& s) { return s.op("Relu", conv(s, s.input("x", {1, 8, 9, 9}), "c", 16, true)); }
std::string residualBlock(Sketch& s) {
  const std::string x = s.input("x", {1, 16, 9, 9});
  const std::string inner = s.builder.add("Clip", {norm(s, conv(s, x, "c1", 16, false), "n1"), s.number(0), s.number(6)});
  return s.builder.add("Relu", {s.builder.add("Add", {x, norm(s, conv(s, inner, "c2", 16, true), "n2")}, {}, "sum")}, {}, "last");
}
// One head split as exporters do: [B, S, H D] to [B, H, S, D], keys straight to [B, H, D, S].
std::string attention(Sketch& s, bool mask, bool causal = false) {
  const std::string x = s.input("x", {2, 6, 8});
  const auto head = [&](const char* name, const Integers& order) {
    const std::string projected = s.op("MatMul", x, s.weight(name, {8, 8}));
    return s.builder.transpose(s.builder.reshape(projected, {2, 6, 2, 4}), order);
  };
  const std::string q = head("q", {0, 2, 1, 3}), k = head("k", {0, 2, 3, 1}), v = head("v", {0, 2, 1, 3});
  std::string scores = s.op("Div", s.op("MatMul", q, k), s.number(2));
  if (mask) scores = s.op("Add", scores, s.weight("mask", {2, 1, 1, 6}));
  if (causal) {
    std::vector<std::int64_t> lower;
    for (int i = 0; i < 36; ++i) lower.push_back(i % 6 <= i / 6);
    const HostTensor below = HostTensor::of(Shape{1, 1, 6, 6}, lower).cast(ElementType::Bool);
    scores = s.builder.add("Where", {s.builder.constant("below", below), scores, s.number(-10000)});
  }
  const std::string p = s.op("Softmax", scores, {}, attributes({{"axis", std::int64_t(-1)}}));
  return s.builder.reshape(s.builder.transpose(s.op("MatMul", p, v), {0, 2, 1, 3}), {2, 6, 8});
}
std::string attentionOfPlainKeys(Sketch& s) {
  const std::string q = s.input("q", {3, 5, 4}), k = s.input("k", {3, 7, 4}), v = s.input("v", {3, 7, 2});
  const std::string scores = s.op("MatMul", s.op("Mul", q, s.number(0.5)), s.builder.transpose(k, {0, 2, 1}));
  return s.op("MatMul", s.op("Softmax", scores, {}, attributes({{"axis", std::int64_t(2)}})), v);
}

// Remains of exporters: a cast to the same type, a product with 1, a sum with 0, a power of 1.
std::string noOps(Sketch& s) {
  const std::string x = s.builder.add("Cast", {s.input("x", {300, 7})}, attributes({{"to", std::int64_t(1)}}));
  const std::string y = s.op("Mul", s.number(1), s.op("Add", s.op("Relu", x), s.number(0)));
  return s.op("Exp", s.op("Pow", s.builder.expand(y, {300, 7}), s.number(1)));
}
// Two groups of three heads, whose keys and values a decoder of Llama's kind repeats.
std::string groupedHeads(Sketch& s, std::int64_t queries) {
  const auto repeated = [&](const char* name) {
    const std::string apart = s.builder.add("Unsqueeze", {s.input(name, {2, 2, 5, 4}), s.builder.integers({2})});
    return s.builder.reshape(s.builder.expand(apart, {2, 2, 3, 5, 4}), {2, 6, 5, 4});
  };
  const std::string keys = s.builder.transpose(repeated("k"), {0, 1, 3, 2}), values = repeated("v");
  std::string scores = s.op("MatMul", s.input("q", {2, 6, queries, 4}), keys);
  scores = s.op("Add", s.op("Div", scores, s.number(2)), s.weight("mask", {2, 1, queries, 5}));
  return s.op("MatMul", s.op("Softmax", scores, {}, attributes({{"axis", std::int64_t(-1)}})), values);
}
std::string transposedOperands(Sketch& s) {
  const std::string a = s.builder.transpose(s.input("a", {3, 6, 5}), {0, 2, 1}),
                    b = s.builder.transpose(s.input("b", {7, 6}), {1, 0});
  return s.op("MatMul", a, b);
}
// Constants are equal although a file has one for each use.
std::string equalNodes(Sketch& s) {
  const std::string x = s.input("x", {40, 16});
  const auto branch = [&] { return s.op("Sigmoid", s.op("Mul", s.op("Exp", x), s.number(0.5))); };
  const std::string first = branch();
  return s.op("Mul", first, s.op("Add", branch(), s.number(2)));
}

} // namespace

Q_DECLARE_METATYPE(Draw)

class FusionTest : public QObject {
  Q_OBJECT
private slots:
  void pass_data() {
    QTest::addColumn<Draw>("draw");
    QTest::addColumn<QString>("pass");
    QTest::addColumn<QString>("made");
    const auto row = [](const char* name, Draw draw, const char* pass, const char* made) {
      QTest::newRow(name) << draw << QString(pass) << QString(made);
    };
    row("softmax", softmax, "softmax", "Softmax");
    row(
        "layer norm", [](Sketch& s) { return layerNorm(s, false, true); }, "layer-norm", "LayerNormalization");
    row(
        "layer norm, centred twice", [](Sketch& s) { return layerNorm(s, true, true); }, "layer-norm", "LayerNormalization");
    row(
        "layer norm alone", [](Sketch& s) { return layerNorm(s, false, false); }, "layer-norm", "LayerNormalization");
    row(
        "group norm", [](Sketch& s) { return groupNorm(s, false); }, "group-norm", "GroupNormalization");
    row(
        "group norm of vectors", [](Sketch& s) { return groupNorm(s, true); }, "group-norm", "GroupNormalization");
    row("gelu erf", geluErf, "gelu", "Gelu");
    row("gelu half first", geluHalfFirst, "gelu", "Gelu");
    row("gelu tanh", geluTanh, "gelu", "Gelu");
    row(
        "gathered rows", [](Sketch& s) { return expandedRows(s, true); }, "rows", "GatherND");
    row(
        "scattered rows", [](Sketch& s) { return expandedRows(s, false); }, "rows", "ScatterND");
    row(
        "gathered boxes", [](Sketch& s) { return expandedBoxes(s, true); }, "rows", "GatherND");
    row(
        "scattered boxes", [](Sketch& s) { return expandedBoxes(s, false); }, "rows", "ScatterND");
    row("swish", swish, "swish", "Swish");
    row("hard swish", hardSwish, "swish", "HardSwish");
    row("conv norm", convNorm, "conv-batch-norm", "Conv");
    row("conv relu", convRelu, "conv-activation", "FusedConv");
    row("residual", residualBlock, "conv-residual", "FusedConv");
    row(
        "attention", [](Sketch& s) { return attention(s, false); }, "attention", "Attention");
    row(
        "attention with a mask", [](Sketch& s) { return attention(s, true); }, "attention", "Attention");
    row(
        "causal attention", [](Sketch& s) { return attention(s, false, true); }, "attention", "Attention");
    row("no-ops", noOps, "no-ops", "Exp");
    row(
        "grouped heads of one query", [](Sketch& s) { return groupedHeads(s, 1); }, "grouped-heads", "MatMul");
    row(
        "grouped heads of four queries", [](Sketch& s) { return groupedHeads(s, 4); }, "grouped-heads", "MatMul");
    row("transposed operands", transposedOperands, "transposed-operands", "MatMul");
    row(
        "loss behind log-probabilities", [](Sketch& s) { return classLoss(s, false); }, "class-loss",
        "NegativeLogLikelihoodLoss");
    row(
        "loss before log-probabilities", [](Sketch& s) { return classLoss(s, true); }, "class-loss", "NegativeLogLikelihoodLoss");
    row("equal nodes", equalNodes, "equal-nodes", "Sigmoid");
    row("attention of plain keys", attentionOfPlainKeys, "attention", "Attention");
  }
  // The pass applies, numbers stay the same, steps and cycles decrease; without the pass the model is unchanged.
  void pass() {
    QFETCH(Draw, draw);
    QFETCH(QString, pass);
    QFETCH(QString, made);
    try {
      Sketch plain, fused, off;
      for (Sketch* s : {&plain, &fused, &off}) s->builder.output(draw(*s));
      std::map<std::string, int> fired;
      for (const auto& count : model::fuse(fused.model, {})) fired[count.pass] = count.fired;
      QVERIFY(fired.at(pass.toStdString()) >= 1);
      QVERIFY(fused.nodes(made.toStdString()) >= 1);
      const auto counts = model::fuse(off.model, {"all"});
      QVERIFY(counts.empty() && off.model.graph.nodes.size() == plain.model.graph.nodes.size());
      const auto want = model::evaluate(plain.model, plain.values)[0];
      const double largest = [&] {
        double most = 1;
        for (const double v : want.toDoubles()) most = std::max(most, std::abs(v));
        return most;
      }();
      QVERIFY(distance(model::evaluate(fused.model, fused.values)[0], want) < 1e-5 * largest);
      const MachineRun before = onMachine(plain), after = onMachine(fused);
      QVERIFY(distance(after.output, want) < 1e-5 * largest);
      QVERIFY2(after.steps < before.steps, qPrintable(QString("%1 steps, %2 before").arg(after.steps).arg(before.steps)));
      QVERIFY2(after.cycles < before.cycles, qPrintable(QString("%1 cycles, %2 before").arg(after.cycles).arg(before.cycles)));
    } catch (const reports::Error& e) {
      QFAIL(qPrintable(QString(e.what()) + " " + QString::fromStdString(e.where())));
    }
  }

  // Without groups to divide channels into, an instance norm stays.
  void groupNormNeedsGroups() {
    for (const auto& [shape, grouped] :
         {std::pair{Shape{2, 6, 4, 5}, Shape{240}}, std::pair{Shape{2, 0, 4, 5}, Shape{2, 0, 40}}}) {
      Sketch s;
      const std::string groups = s.builder.reshape(s.input("x", shape), grouped);
      const std::string one = s.builder.constant("one", HostTensor::full(ElementType::Float, {1}, 1));
      const std::string zero = s.builder.constant("zero", HostTensor::full(ElementType::Float, {1}, 0));
      s.builder.output(s.builder.reshape(s.builder.add("InstanceNormalization", {groups, one, zero}), shape));
      model::fuse(s.model, {});
      QCOMPARE(s.nodes("GroupNormalization"), 0);
    }
  }

  // Every step still leads to the nodes of the file.
  void originsAreKept() {
    Sketch s;
    s.builder.output(residualBlock(s));
    model::fuse(s.model, {});
    QCOMPARE(s.model.graph.nodes.size(), std::size_t(2));
    QStringList types;
    for (const auto& origin : s.model.graph.nodes[1].fused) types << QString::fromStdString(origin.opType);
    QCOMPARE(types, (QStringList{"Conv", "BatchNormalization", "Add", "Relu"}));
    QCOMPARE(s.model.graph.nodes[1].name, std::string("c2"));
    QCOMPARE(s.model.graph.initialisers.count("c1.w"), std::size_t(0)); // the folded weights took its place
    const MachineRun run = onMachine(s);
    for (const char* name : {"c1", "c2", "last"}) QVERIFY2(run.contexts.count(name), name);
  }

  // A part may begin at a node that does nothing, which a run names by the node or by its value.
  void namedNodesStay() {
    Sketch s;
    s.builder.output(noOps(s));
    const auto nodes = s.model.graph.nodes;
    model::fuse(s.model, {}, false, {nodes[0].outputs[0], nodes[2].name.empty() ? nodes[2].outputs[0] : nodes[2].name});
    const auto& left = s.model.graph.nodes;
    QCOMPARE(left.size(), std::size_t(4)); // Cast, Relu, Add, Exp
    QCOMPARE(left[0].opType, std::string("Cast"));
    QCOMPARE(left[2].opType, std::string("Add"));
    QCOMPARE(s.model.graph.outputs.size(), std::size_t(1));
  }

  void originsOfDroppedNodesAreKept_data() {
    QTest::addColumn<Draw>("draw");
    QTest::addColumn<QStringList>("dropped");
    QTest::newRow("no-ops") << Draw(noOps) << QStringList{"Add", "Cast", "Mul", "Pow", "Relu"};
    QTest::newRow("equal nodes") << Draw(equalNodes) << QStringList{"Exp", "Exp", "Mul", "Mul", "Sigmoid", "Sigmoid"};
    QTest::newRow("grouped heads") << Draw([](Sketch& s) {
      return groupedHeads(s, 1);
    }) << QStringList{"Expand", "Expand", "MatMul", "MatMul", "Reshape", "Reshape", "Transpose", "Unsqueeze", "Unsqueeze"};
    QTest::newRow("transposed operands") << Draw(transposedOperands) << QStringList{"MatMul", "Transpose", "Transpose"};
  }
  void originsOfDroppedNodesAreKept() {
    QFETCH(Draw, draw);
    QFETCH(QStringList, dropped);
    Sketch s;
    s.builder.output(draw(s));
    std::set<std::string> names;
    for (const auto& node : s.model.graph.nodes) names.insert(node.name.empty() ? node.outputs.at(0) : node.name);
    model::fuse(s.model, {});
    QStringList types;
    for (const auto& node : s.model.graph.nodes) {
      if (node.fused.empty()) names.erase(node.name.empty() ? node.outputs.at(0) : node.name);
      for (const auto& origin : node.fused) types << QString::fromStdString(origin.opType), names.erase(origin.name);
    }
    types.sort();
    QCOMPARE(types, dropped);
    QCOMPARE(names, std::set<std::string>()); // every node of the file is somewhere
  }

  // Many queries are one attention, which is faster without the groups.
  void groupsOfManyQueriesStayAnAttention() {
    Sketch s;
    s.builder.output(groupedHeads(s, 256));
    std::map<std::string, int> fired;
    for (const auto& count : model::fuse(s.model, {})) fired[count.pass] = count.fired;
    QCOMPARE(fired.at("grouped-heads"), 0);
    QCOMPARE(fired.at("attention"), 1);
  }

  // They write nodes of the standard, which have gradients.
  void trainingHasTheRewrites() {
    const auto count = [](const Draw& draw, const char* pass) {
      Sketch s;
      s.builder.output(draw(s));
      int fired = 0;
      for (const auto& one : model::fuse(s.model, {}, true)) fired += one.pass == pass ? one.fired : 0;
      return fired;
    };
    QVERIFY(count(equalNodes, "equal-nodes") >= 1);
    QVERIFY(count([](Sketch& s) { return groupedHeads(s, 1); }, "grouped-heads") >= 1);
    QVERIFY(count(noOps, "no-ops") >= 1);
  }

  // Names that hold the separators of another key.
  void nodesOfAwkwardNamesStayApart() {
    Sketch s;
    const std::string x = s.input("a\n<b", {4, 6}), y = s.input("b", {4, 6});
    const std::string p = s.input("c\n<a", {4, 6});
    s.builder.output(s.op("Add", s.op("Mul", p, y), s.op("Mul", s.input("c", {4, 6}), x)));
    model::fuse(s.model, {});
    QCOMPARE(s.nodes("Mul"), 2);
  }

  // Not fused: values that are outputs or have another reader, and other formulas.
  void othersAreLeftAlone() {
    Sketch read;
    const std::string x = read.input("x", {1, 8, 5, 5}), y = conv(read, x, "c", 8, true);
    read.builder.output(read.op("Relu", y));
    read.builder.output(y);
    model::fuse(read.model, {});
    QCOMPARE(read.nodes("Conv"), 1);
    QCOMPARE(read.nodes("FusedConv"), 0);

    Sketch other;
    const std::string z = other.input("x", {3, 7});
    const std::string curve = other.op("Add", other.op("Erf", other.op("Div", z, other.number(1.5))), other.number(1));
    other.builder.output(other.op("Mul", other.op("Mul", z, curve), other.number(0.5)));
    model::fuse(other.model, {});
    QCOMPARE(other.nodes("Gelu"), 0);

    Sketch axes; // a mean over the first dimension is not a layer norm
    const std::string a = axes.input("x", {4, 6}), mean = axes.builder.reduce("ReduceMean", a, {0}, true);
    const std::string centred = axes.op("Sub", a, mean);
    const std::string variance = axes.builder.reduce("ReduceMean", axes.op("Pow", centred, axes.number(2)), {0}, true);
    axes.builder.output(axes.op("Div", centred, axes.op("Sqrt", axes.op("Add", variance, axes.number(1e-5)))));
    model::fuse(axes.model, {});
    QCOMPARE(axes.nodes("LayerNormalization"), 0);
  }

  // Equal nodes stay apart if they draw random numbers or their value leaves the graph; a no-op stays if it makes an output.
  void whatMustStayStays() {
    Sketch random;
    random.input("x", {4});
    const auto noise = [&] { return random.builder.add("RandomUniform", {}, attributes({{"shape", Integers{4}}})); };
    random.builder.output(random.op("Add", noise(), random.op("Mul", noise(), random.number(2))));
    model::fuse(random.model, {});
    QCOMPARE(random.nodes("RandomUniform"), 2);

    Sketch outputs;
    const std::string x = outputs.input("x", {4, 6});
    outputs.builder.output(outputs.op("Exp", x));
    outputs.builder.output(outputs.op("Exp", x));
    outputs.builder.output(outputs.op("Mul", x, outputs.number(1)));
    model::fuse(outputs.model, {});
    QCOMPARE(outputs.nodes("Exp"), 2);
    QCOMPARE(outputs.nodes("Mul"), 1);

    Sketch wide; // a sum with 0 that has another shape does something
    wide.builder.output(wide.op("Exp", wide.op("Add", wide.input("x", {6}),
                                               wide.builder.constant("zeros", HostTensor::full(ElementType::Float, {1, 1}, 0)))));
    model::fuse(wide.model, {});
    QCOMPARE(wide.nodes("Add"), 1);
  }

  void trainingKeepsWhatHasGradients() {
    Sketch s;
    s.builder.output(residualBlock(s));
    for (const auto& count : model::fuse(s.model, {}, true)) QVERIFY(count.pass != "conv-activation");
    QCOMPARE(s.nodes("FusedConv"), 0);
  }

  void unknownNamesAreRefused() {
    Sketch s;
    try {
      model::fuse(s.model, {"no-such-pass"});
      QFAIL("no error");
    } catch (const reports::Error& e) {
      QVERIFY(QString(e.what()).contains("no-such-pass"));
    }
  }
};

TILESCOPE_TEST(FusionTest)
#include "fusion_test.moc"
