// Products in 8-bit floats: which nodes are converted, results computed from the rounded operands, and the savings on the machine.
#include "simcore/placement/quarter_products.h"

#include "reports/core/error.h"
#include "simcore/compile/compiler.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/lowering/lowering.h"
#include "simcore/numerics/float8.h"
#include "simcore/numerics/quantise.h"
#include "simcore/run/engine.h"
#include "tests/simcore/model/node_cases.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace tests;

namespace {

constexpr ElementType kQuarter = ElementType::Float8E4M3Fnuz;

arch::Machine smallC600(int tiles = 16) {
  arch::Machine machine = arch::findMachine("c600", 1);
  machine.tilesPerIpu = tiles;
  machine.tileColumns.resize(std::size_t(tiles));
  machine.tileRows.resize(std::size_t(tiles));
  return machine;
}

// A value in units of 2^scale, rounded to F143, as a real number.
double rounded(double value, int scale) {
  return std::ldexp(double(float(numerics::F8E4M3Fnuz(float(std::ldexp(value, -scale))))), scale);
}

int count(const model::Model& m, const std::string& type) {
  return int(std::count_if(m.graph.nodes.begin(), m.graph.nodes.end(), [&](const auto& n) { return n.opType == type; }));
}
const model::Node& nodeCalled(const model::Model& m, const std::string& name) {
  return *std::find_if(m.graph.nodes.begin(), m.graph.nodes.end(), [&](const auto& n) { return n.name == name; });
}

// Two products that read x, one of two activations, one of few terms, and the last.
struct Layers : Net {
  Layers() {
    const std::string x = real("x", {12, 64}, -3, 3);
    model.inputTypes["x"] = {ElementType::Float, {12, 64}};
    const std::string a = builder.add("MatMul", {x, weight("wa", {64, 48}, 0.1)}, {}, "a");
    const std::string b = builder.add("Gemm", {x, weight("wb", {48, 64}, 0.2), weight("bias", {48}, 1)},
                                      attributes({{"transB", std::int64_t(1)}}), "b");
    const std::string c = builder.add("MatMul", {a, builder.transpose(b, {1, 0})}, {}, "c");
    const std::string d = builder.add("MatMul", {c, weight("wd", {12, 40}, 0.1)}, {}, "d");
    out(builder.add("MatMul", {builder.add("Tanh", {d}), weight("we", {40, 8}, 0.1)}, {}, "e"));
  }
  std::string weight(const std::string& name, const Shape& shape, double size) {
    return builder.constant(name, numbers(shape, -size, size));
  }
};

struct Ran {
  HostTensor output;
  std::int64_t cycles = 0;
};
Ran ran(const model::Model& m, const Net& net, const arch::Machine& machine) {
  model::LoweringOptions options;
  options.precision = ElementType::Half;
  const auto load = model::lower(m, machine, options);
  reports::NoProgress none;
  const auto executable = compile::compile(load.graph, load.programs, {}, none);
  run::Engine engine(executable, {}, nullptr);
  for (const auto& [name, value] : net.values) engine.connectInput(name, {value});
  engine.run(0, "inference", {}, none);
  return {engine.received(m.graph.outputs[0].name).at(0), engine.cycle()};
}

double largestDifference(const HostTensor& a, const HostTensor& b) {
  double largest = 0;
  for (std::int64_t i = 0; i < a.count(); ++i) largest = std::max(largest, std::abs(a.at(i) - b.at(i)));
  return largest;
}

} // namespace

class QuarterProductsTest : public QObject {
  Q_OBJECT
private slots:
  void scalesPutTheLargestWeightWithinTheFormat() {
    const auto scale = [](float largest) { return numerics::quarterScale(HostTensor::vector<float>({0.01f, -largest, 0})); };
    QCOMPARE(scale(240), 0);
    QCOMPARE(scale(241), 1);
    QCOMPARE(scale(120), -1);
    QCOMPARE(scale(0.1f), -11);
    QCOMPARE(numerics::quarterScale(HostTensor(ElementType::Float, {3})), 0);
  }

  void productsWithWeightsAreConverted() {
    const Layers net;
    const model::Model m = model::withQuarterProducts(net.model, {}, smallC600());
    // x is cast once for both; few terms, two activations and the last stay.
    QCOMPARE(count(m, "QuarterCast"), 1);
    for (const char* name : {"a", "b"}) {
      QCOMPARE(m.graph.types.at(nodeCalled(m, name).inputs[0]).type, kQuarter);
      QCOMPARE(m.graph.types.at(nodeCalled(m, name).inputs[1]).type, kQuarter);
    }
    for (const char* name : {"c", "d", "e"})
      for (const std::string& input : nodeCalled(m, name).inputs) QCOMPARE(m.graph.types.at(input).type, ElementType::Float);
    QVERIFY(!m.graph.initialisers.count("wa") && m.graph.initialisers.count("wd")); // floats without readers are replaced
    QCOMPARE(m.graph.initialisers.at(nodeCalled(m, "a").inputs[1]).byteCount(), std::size_t(64 * 48));
  }

  void namesCanBeLeftOut() {
    const Layers net;
    const model::Model m = model::withQuarterProducts(net.model, {-3, {"a"}}, smallC600());
    QCOMPARE(m.graph.types.at(nodeCalled(m, "a").inputs[1]).type, ElementType::Float);
    QCOMPARE(m.graph.types.at(nodeCalled(m, "b").inputs[1]).type, kQuarter);
    QVERIFY(has(errorOf([&] { model::withQuarterProducts(net.model, {-3, {"nobody"}}, smallC600()); }), "nobody"));
  }

  void otherMachinesSayWhichOneHasIt() {
    const Layers net;
    QVERIFY(has(errorOf([&] { model::withQuarterProducts(net.model, {}, arch::findMachine("gc200", 1)); }), "c600"));
  }

  // Against products of the operands rounded one by one, in double.
  void numbersComeFromRoundedOperands() {
    Layers net;
    net.model.graph.outputs.clear();
    net.builder.output("a");
    const HostTensor x = net.values.at("x"), w = net.model.graph.initialisers.at("wa");
    const model::Model m = model::withQuarterProducts(net.model, {-4, {}}, smallC600());
    const HostTensor y = model::evaluate(m, net.values).at(0);
    const int scale = numerics::quarterScale(w);
    double moved = 0;
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < 48; ++j) {
        double sum = 0, exact = 0;
        for (int k = 0; k < 64; ++k) {
          sum += rounded(x.at(i * 64 + k), -4) * rounded(w.at(k * 48 + j), scale);
          exact += x.at(i * 64 + k) * w.at(k * 48 + j);
        }
        QVERIFY(std::abs(y.at(i * 48 + j) - sum) < 1e-5);
        moved = std::max(moved, std::abs(sum - exact));
      }
    QVERIFY2(moved > 0.01 && moved < 0.2, qPrintable(QString::number(moved))); // three bits of a mantissa are seen
  }

  void theMachineComputesTheSame() {
    const Layers net;
    const model::Model m = model::withQuarterProducts(net.model, {}, smallC600());
    const HostTensor host = model::evaluate(m, net.values, {.halfPrecision = true, .stop = {}, .observe = {}}).at(0);
    for (const bool vertices : {false, true}) {
      arch::Machine machine = smallC600();
      machine.vertexByVertex = vertices;
      const double difference = largestDifference(ran(m, net, machine).output, host);
      QVERIFY2(difference < 0.05, qPrintable(QString("%1 by vertices %2").arg(difference).arg(vertices)));
    }
  }

  void convolutionsAreConverted() {
    Net net;
    net.model.inputTypes["x"] = {ElementType::Float, {2, 64, 9, 7}};
    const std::string x = net.real("x", {2, 64, 9, 7}, -2, 2);
    const auto conv = [&](const std::string& name, const std::string& from, std::int64_t in, std::int64_t out,
                          std::int64_t group) {
      const std::string w = net.builder.constant(name + ".w", net.numbers({out, in / group, 3, 3}, -0.1, 0.1));
      const std::string b = net.builder.constant(name + ".b", net.numbers({out}, -1, 1));
      return net.builder.add("Conv", {from, w, b}, attributes({{"pads", Integers{1, 1, 1, 1}}, {"group", group}}), name);
    };
    const std::string y = conv("first", x, 64, 64, 1);
    net.out(conv("last", conv("grouped", y, 64, 64, 4), 64, 16, 1));
    const model::Model m = model::withQuarterProducts(net.model, {}, smallC600());
    QCOMPARE(m.graph.types.at(nodeCalled(m, "first").inputs[0]).type, kQuarter);
    QCOMPARE(m.graph.types.at(nodeCalled(m, "grouped").inputs[0]).type, ElementType::Float); // sums of 16
    const HostTensor host = model::evaluate(m, net.values, {.halfPrecision = true, .stop = {}, .observe = {}}).at(0);
    const HostTensor exact = model::evaluate(net.model, net.values).at(0);
    QVERIFY(largestDifference(host, exact) > 0.01);
    for (const bool vertices : {false, true}) {
      arch::Machine machine = smallC600();
      machine.vertexByVertex = vertices;
      QVERIFY(largestDifference(ran(m, net, machine).output, host) < 0.05);
    }
  }

  // Four layers of 256: the products take fewer cycles, and the weights half the memory.
  void largeProductsAreFasterAndSmaller() {
    Net net;
    net.model.inputTypes["x"] = {ElementType::Float, {256, 256}};
    std::string h = net.real("x", {256, 256});
    for (int i = 0; i < 4; ++i)
      h = net.builder.add("Relu",
                          {net.builder.add("MatMul", {h, net.builder.constant("w", net.numbers({256, 256}, -0.1, 0.1))})});
    net.out(h);
    const model::Model m = model::withQuarterProducts(net.model, {}, smallC600());
    const std::int64_t half = ran(net.model, net, smallC600()).cycles, quarter = ran(m, net, smallC600()).cycles;
    QVERIFY2(quarter < half, qPrintable(QString("%1 against %2").arg(quarter).arg(half)));
  }
};

TILESCOPE_TEST(QuarterProductsTest)
#include "quarter_products_test.moc"
