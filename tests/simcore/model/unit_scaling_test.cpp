// Unit scaling: a dense network starts with activations, weights and gradients of unit variance, which makes 8-bit gradients as
// good as those in fp32; and the network trains.

#include "reports/core/error.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/training/autodiff.h"
#include "simcore/model/training/training.h"
#include "simcore/placement/parallelism.h"
#include "simcore/placement/quarter_products.h"
#include "simcore/placement/unit_scaling.h"
#include "tests/simcore/model/node_cases.h"
#include "tests/simcore/model/tracks.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace tests;

namespace {

constexpr std::int64_t kRows = 256, kInputs = 128, kWidth = 256, kClasses = 10;

// Layers of `activation` with weights as PyTorch draws them, uniform in +-1 / sqrt(fan in), on normal inputs.
struct Dense : Net {
  explicit Dense(const std::string& activation = "Relu", int layers = 5) {
    std::normal_distribution<float> normal;
    HostTensor x(ElementType::Float, {kRows, kInputs});
    for (float& v : x.mutableValues<float>()) v = normal(random);
    HostTensor labels(ElementType::Int32, {kRows});
    for (auto& v : labels.mutableValues<std::int32_t>()) v = std::int32_t(random() % kClasses);
    std::string h = value("x", x);
    value("labels", labels);
    for (const auto& [name, tensor] : values) model.inputTypes[name] = {tensor.type(), tensor.shape()};
    for (int i = 0; i < layers; ++i) {
      const std::int64_t in = i == 0 ? kInputs : kWidth, out = i + 1 == layers ? kClasses : kWidth;
      weights.push_back("w" + std::to_string(i));
      builder.constant(weights.back(), numbers({in, out}, -1 / std::sqrt(double(in)), 1 / std::sqrt(double(in))));
      products.push_back(builder.add("MatMul", {h, weights.back()}, {}, "product" + std::to_string(i)));
      h = i + 1 == layers ? products.back() : builder.add(activation, {products.back()});
    }
    builder.output(builder.add("NegativeLogLikelihoodLoss", {builder.add("LogSoftmax", {h}, axis(1)), "labels"}, {}, "loss"));
  }
  std::vector<std::string> weights, products;
};

// A transformer block with a residual connection around attention and around a feed-forward part, between a table of words and its product.
struct Block : Net {
  Block() {
    constexpr std::int64_t kTokens = 32, kHidden = 64, kHeads = 2, kWords = 50;
    HostTensor tokens(ElementType::Int32, {kTokens}), labels(ElementType::Int32, {kTokens});
    for (auto& v : tokens.mutableValues<std::int32_t>()) v = std::int32_t(random() % kWords);
    for (auto& v : labels.mutableValues<std::int32_t>()) v = std::int32_t(random() % kWords);
    value("tokens", tokens), value("labels", labels);
    for (const auto& [name, tensor] : values) model.inputTypes[name] = {tensor.type(), tensor.shape()};
    const std::string table = weight("table", {kWords, kHidden});
    std::string x = builder.add("Add", {builder.add("Gather", {table, "tokens"}), weight("places", {kTokens, kHidden})});
    const auto norm = [&](const std::string& name, const std::string& y) {
      const std::string gain = builder.constant(name + ".gain", HostTensor::full(ElementType::Float, {kHidden}, 1));
      const std::string offset = builder.constant(name + ".offset", HostTensor(ElementType::Float, {kHidden}));
      weights.push_back(gain), weights.push_back(offset);
      return builder.add("LayerNormalization", {y, gain, offset});
    };
    const auto product = [&](const std::string& name, const std::string& y, std::int64_t width) {
      return builder.add("MatMul", {y, weight(name, {builder.shape(y)[1], width})}, {}, name + ".product");
    };
    const std::string y = norm("before", x);
    const auto heads = [&](const std::string& name, const std::vector<std::int64_t>& order) {
      return builder.transpose(builder.reshape(product(name, y, kHidden), {kTokens, kHeads, kHidden / kHeads}), order);
    };
    const std::string scores = builder.scaled(builder.add("MatMul", {heads("q", {1, 0, 2}), heads("k", {1, 2, 0})}),
                                              1 / std::sqrt(double(kHidden / kHeads)));
    const std::string context = builder.add("MatMul", {builder.add("Softmax", {scores}, axis(-1)), heads("v", {1, 0, 2})});
    x = builder.add("Add",
                    {x, product("out", builder.reshape(builder.transpose(context, {1, 0, 2}), {kTokens, kHidden}), kHidden)});
    const std::string wide = builder.add("Gelu", {product("up", norm("middle", x), 4 * kHidden)});
    x = builder.add("Add", {x, product("down", wide, kHidden)});
    const std::string words = builder.add("Gemm", {norm("after", x), table}, attributes({{"transB", std::int64_t(1)}}), "head");
    builder.output(builder.add("NegativeLogLikelihoodLoss", {builder.add("LogSoftmax", {words}, axis(1)), "labels"}, {}, "loss"));
  }
  std::string weight(const std::string& name, const Shape& shape) {
    const double bound = 1 / std::sqrt(double(shape[0]));
    weights.push_back(builder.constant(name, numbers(shape, -bound, bound)));
    return name;
  }
  std::vector<std::string> weights;
};

// Layers on [2, 4, 6] rows: a trained vector as a factor, a bias and a factor with dimensions of extent 1, and a product that is an output.
struct Deep : Net {
  Deep() {
    HostTensor labels(ElementType::Int32, {8});
    for (auto& v : labels.mutableValues<std::int32_t>()) v = std::int32_t(random() % 5);
    real("x", {2, 4, 6});
    value("labels", labels);
    for (const auto& [name, tensor] : values) model.inputTypes[name] = {tensor.type(), tensor.shape()};
    const auto weight = [&](const std::string& name, const Shape& shape) {
      weights.push_back(builder.constant(name, numbers(shape, 0.1, 0.6)));
      return name;
    };
    std::string h = builder.add("MatMul", {"x", weight("in", {6, 7})}, {}, "hidden");
    h = builder.add("Mul", {h, weight("gain", {7})});
    h = builder.add("Mul", {h, weight("wideGain", {4, 1})});
    h = builder.add("Tanh", {builder.add("Add", {h, weight("bias", {1, 1, 7})})});
    h = builder.add("MatMul", {h, weight("out", {7, 5})}, {}, "logits");
    builder.output(h);
    const std::string rows = builder.add("LogSoftmax", {builder.reshape(h, {8, 5})}, axis(1));
    builder.output(builder.add("NegativeLogLikelihoodLoss", {rows, "labels"}, {}, "loss"));
  }
  std::vector<std::string> weights;
};

arch::Machine smallC600() {
  arch::Machine machine = arch::findMachine("c600", 1);
  machine.tilesPerIpu = 16;
  machine.tileColumns.resize(16);
  machine.tileRows.resize(16);
  return machine;
}

double rootMeanSquare(const HostTensor& t) {
  double sum = 0;
  for (const double v : t.toDoubles()) sum += v * v;
  return std::sqrt(sum / double(t.count()));
}

// Values and gradients of the first step, by name; gradients of weights are called after them.
template<class AnyNet> std::map<std::string, HostTensor> firstStep(model::Model m, const AnyNet& net, double lossFactor) {
  const auto gradients = model::addGradients(m.graph, "loss", net.weights, lossFactor);
  std::map<std::string, HostTensor> found;
  model::EvaluationOptions options;
  options.observe = [&](const model::Node& node, const model::Tensors& outputs) {
    for (std::size_t i = 0; i < std::min(outputs.size(), node.outputs.size()); ++i) found[node.outputs[i]] = outputs[i];
  };
  model::GraphBuilder builder(m.graph);
  for (const auto& [weights, gradient] : gradients) builder.output(gradient);
  model::evaluate(m, net.values, options);
  for (const auto& [weights, gradient] : gradients) found["d " + weights] = found.at(gradient);
  return found;
}

double cosine(const HostTensor& a, const HostTensor& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::int64_t i = 0; i < a.count(); ++i) ab += a.at(i) * b.at(i), aa += a.at(i) * a.at(i), bb += b.at(i) * b.at(i);
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

model::Model inEightBits(model::Model m, bool unitScaled) {
  model::QuarterProducts options;
  options.trains = true, options.unitScaled = unitScaled;
  return model::withQuarterProducts(std::move(m), options, smallC600());
}

} // namespace

class UnitScalingTest : public QObject {
  Q_OBJECT
private slots:
  void everythingBeginsWithUnitVariance_data() {
    QTest::addColumn<QString>("activation");
    for (const char* name : {"Relu", "Tanh", "Sigmoid"}) QTest::newRow(name) << name;
  }
  void everythingBeginsWithUnitVariance() {
    QFETCH(QString, activation);
    const Dense net(activation.toStdString());
    const model::UnitScaled unit = model::withUnitScaling(net.model, "loss");
    const auto values = firstStep(unit.model, net, unit.lossFactor);
    const auto verifyUnit = [&](const std::string& what, const HostTensor& t, double least, double most) {
      const double size = rootMeanSquare(t);
      QVERIFY2(size > least && size < most, qPrintable(QString("%1: %2").arg(what.c_str()).arg(size)));
    };
    for (const std::string& product : net.products) verifyUnit(product, values.at(product), 0.7, 1.3);
    for (const std::string& weights : net.weights) {
      verifyUnit(weights, unit.model.graph.initialisers.at(weights), 0.999, 1.001);
      // Rows with a common mean have larger sums.
      verifyUnit("d " + weights, values.at("d " + weights), 0.5, 4);
    }
  }

  // The same network without unit scaling: the gradients fall below the smallest number of F152, 2^-17.
  void withoutItGradientsAreTiny() {
    const Dense net;
    const auto values = firstStep(net.model, net, 1);
    QVERIFY(rootMeanSquare(values.at("d w0")) < 0x1p-10);
    QVERIFY(rootMeanSquare(values.at(net.products[3])) < 0.1);
  }

  void eightBitGradientsAreGoodWithItAndPoorWithout() {
    const Dense net("Relu", 10); // gradients get smaller from layer to layer, below the 2^-17 of F152
    const auto worst = [&](const model::Model& exact, const model::Model& eight, double factor) {
      const auto a = firstStep(exact, net, factor), b = firstStep(eight, net, factor);
      double least = 1;
      for (const std::string& weights : net.weights) least = std::min(least, cosine(a.at("d " + weights), b.at("d " + weights)));
      return least;
    };
    const model::UnitScaled unit = model::withUnitScaling(net.model, "loss");
    const double with = worst(unit.model, inEightBits(unit.model, true), unit.lossFactor);
    const double without = worst(net.model, inEightBits(net.model, false), 1);
    const QString found = QString("cosines %1 with unit scaling, %2 without").arg(with).arg(without);
    qInfo("%s", qPrintable(found));
    QVERIFY2(with > 0.75, qPrintable(found));
    QVERIFY2(without < 0.3, qPrintable(found));
  }

  void lossFallsAsInHalfPrecision() {
    const Dense net;
    const auto losses = [&](bool eight) {
      model::Parallelism p;
      p.unitScaling = true;
      if (eight) p.quarter.emplace();
      model::TrainingOptions options;
      options.optimiser.kind = model::optimiserKind("adam");
      options.optimiser.learningRate = 0.05;
      model::TrainingLoweringOptions lowering;
      lowering.lowering.precision = ElementType::Half;
      auto load = model::trainingWorkload(net.model, "loss", options, smallC600(), lowering, p);
      for (const auto& [name, value] : net.values) load.inputs[name] = {value};
      return lossesOf(load, 12);
    };
    const std::vector<double> half = losses(false), eight = losses(true);
    QCOMPARE(half.size(), std::size_t(12));
    QCOMPARE(eight.size(), half.size());
    QVERIFY2(half.back() < 0.8 * half.front(), qPrintable(QString("%1 to %2").arg(half.front()).arg(half.back())));
    QVERIFY2(std::abs(eight.back() - half.back()) < 0.15 * half.front(),
             qPrintable(QString("%1 in fp8, %2 in fp16").arg(eight.back()).arg(half.back())));
    QVERIFY(eight.back() != half.back());
  }

  // All readers of a value give its gradient in one unit, so that the gradient of each parameter is the plain one times a constant.
  void gradientsHaveTheDirectionOfThePlainOnes() {
    const Block net;
    model::UnitScaled unit = model::withUnitScaling(net.model, "loss");
    const auto scaled = firstStep(unit.model, net, unit.lossFactor);
    int identities = 0;
    for (model::Node& node : unit.model.graph.nodes) { // the same forward pass with the factors of plain gradients
      identities += node.opType == "Identity";
      for (const char* factor : {model::kUnitInput, model::kUnitWeights, model::kUnitBias}) node.attributes.all().erase(factor);
    }
    QVERIFY(identities > 0); // the block needs factors at other nodes than products
    const auto plain = firstStep(unit.model, net, 1);
    for (const std::string& name : net.weights) {
      const QString found = QString("%1: cosine %2, size %3")
                                .arg(name.c_str())
                                .arg(cosine(scaled.at("d " + name), plain.at("d " + name)))
                                .arg(rootMeanSquare(scaled.at("d " + name)));
      QVERIFY2(cosine(scaled.at("d " + name), plain.at("d " + name)) > 0.99999, qPrintable(found));
      // Rows with a common mean have larger sums.
      QVERIFY2(rootMeanSquare(scaled.at("d " + name)) > 0x1p-6 && rootMeanSquare(scaled.at("d " + name)) < 64, qPrintable(found));
    }
    double least = 1;
    for (const std::string& name : net.weights) least = std::min(least, rootMeanSquare(plain.at("d " + name)));
    QVERIFY2(least < 0x1p-10, qPrintable(QString::number(least)));
  }

  void vectorsStayAndOutputsKeepTheirNames() {
    const Deep net;
    model::UnitScaled unit = model::withUnitScaling(net.model, "loss");
    for (const char* name : {"gain", "wideGain", "bias"})
      QCOMPARE(unit.model.graph.initialisers.at(name).toDoubles(), net.model.graph.initialisers.at(name).toDoubles());
    const auto scaled = firstStep(unit.model, net, unit.lossFactor);
    QVERIFY(scaled.count("logits"));
    QCOMPARE(scaled.at("logits").shape(), (Shape{2, 4, 5}));
    for (model::Node& node : unit.model.graph.nodes)
      for (const char* factor : {model::kUnitInput, model::kUnitWeights, model::kUnitBias}) node.attributes.all().erase(factor);
    const auto plain = firstStep(unit.model, net, 1);
    for (const std::string& name : net.weights)
      QVERIFY2(cosine(scaled.at("d " + name), plain.at("d " + name)) > 0.9999, name.c_str());
  }

  void whatItIsNotRightForIsRefused() {
    Net other;
    other.model.inputTypes["x"] = {ElementType::Float, {4, 8}};
    const std::string x = other.real("x", {4, 8});
    const std::string y = other.builder.add("MatMul", {x, other.builder.constant("w", other.numbers({8, 3}, -1, 1))}, {}, "y");
    other.out(other.builder.add("ReduceMean", {y}, {}, "loss"));
    QVERIFY(has(errorOf([&] { model::withUnitScaling(other.model, "loss"); }), "ReduceMean"));
    Net divided;
    divided.model.inputTypes["x"] = {ElementType::Float, {4, 8}};
    const std::string by = divided.builder.constant("by", divided.numbers({8}, 1, 2));
    divided.out(divided.builder.add("Div", {divided.real("x", {4, 8}), by}, {}, "loss"));
    QVERIFY(has(errorOf([&] { model::withUnitScaling(divided.model, "loss"); }), "divides by a value that is trained"));
  }
};

TILESCOPE_TEST(UnitScalingTest)
#include "unit_scaling_test.moc"
