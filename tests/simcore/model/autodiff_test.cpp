#include "simcore/model/training/autodiff.h"

#include "reports/core/error.h"
#include "simcore/model/lowering/lowering.h"
#include "simcore/run/simulate.h"
#include "tests/simcore/model/gradient_cases_expanded.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace tests;

namespace {

// The largest difference between gradients and central differences, relative to the largest gradient.
double differenceError(Problem& p, const std::string& y) {
  const std::string loss = p.lossOf(y);
  model::Model forward = p.model;
  forward.graph.outputs.push_back({loss, {}, {}});
  p.makeGradients(loss);
  const auto given = model::evaluate(p.model, p.values);
  double worst = 0, largest = 1e-3;
  for (std::size_t i = 0; i < p.wanted.size(); ++i)
    for (std::int64_t e = 0; e < given[i].count(); ++e) {
      const double step = p.isSingle ? 5e-3 : 1e-5;
      const auto lossAt = [&](double by) {
        auto moved = p.values;
        moved[p.wanted[i]].mutableValues<double>()[std::size_t(e)] += by;
        return model::evaluate(forward, moved)[0].at(0);
      };
      const double expected = (lossAt(step) - lossAt(-step)) / (2 * step);
      largest = std::max(largest, std::abs(expected));
      worst = std::max(worst, std::abs(expected - given[i].at(e)));
    }
  return worst / largest;
}

} // namespace

Q_DECLARE_METATYPE(Build)
Q_DECLARE_METATYPE(std::vector<double>)

namespace {
constexpr const char* kDrawn[] = {"Bernoulli", "EyeLike", "RandomNormalLike", "RandomUniformLike"};
} // namespace

class AutodiffTest : public QObject {
  Q_OBJECT

  void addRows() {
    QTest::addColumn<Build>("build");
    for (const Case& c : allGradientCases()) QTest::newRow(c.name) << c.build;
  }

private slots:
  void gradientsAreFiniteDifferences_data() { addRows(); }
  void gradientsAreFiniteDifferences() {
    QFETCH(Build, build);
    Problem problem;
    try {
      const double error = differenceError(problem, build(problem));
      QVERIFY2(error < (problem.isSingle ? 2e-3 : 1e-6), qPrintable(QString::number(error)));
    } catch (const reports::Error& e) {
      QFAIL(e.what());
    }
  }

  // The machine computes the same numbers, and every backward node has a planner.
  void loweredGradientsAgree_data() { addRows(); }
  void loweredGradientsAgree() {
    QFETCH(Build, build);
    Problem problem;
    try {
      problem.makeGradients(problem.lossOf(build(problem)));
      const auto expected = model::evaluate(problem.model, problem.values);
      problem.model.inputTypes.clear();
      for (const auto& [name, value] : problem.values) problem.model.inputTypes[name] = {value.type(), value.shape()};
      auto workload = model::lower(problem.model, arch::findMachine("gc200", 1));
      for (const auto& [name, value] : problem.values) workload.inputs[name] = {value};
      RowCollector rows;
      run::HostTimeline timeline("test");
      reports::NoProgress quiet;
      const auto result = run::simulate(workload, {}, rows, timeline, {}, quiet);
      QVERIFY(result.fits && result.cycles > 0);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto& got = result.outputs.at(problem.model.graph.outputs[i].name).at(0);
        QCOMPARE(got.count(), expected[i].count());
        for (std::int64_t e = 0; e < got.count(); ++e)
          QVERIFY(std::abs(got.at(e) - expected[i].at(e)) <= 1e-9 * (1 + std::abs(expected[i].at(e))));
      }
    } catch (const reports::Error& e) {
      QFAIL(e.what());
    }
  }

  void scaleMultiplies() {
    Problem p;
    const std::string y = p.builder.reduce("ReduceSum", p.input("x", {3}), {0}, false);
    const auto gradients = model::addGradients(p.model.graph, y, {"x"}, 8);
    p.model.graph.outputs.push_back({gradients.at("x"), {}, {}});
    QCOMPARE(model::evaluate(p.model, p.values)[0].toDoubles(), std::vector<double>(3, 8));
  }

  void unreadGradientsLeaveNoNodes() {
    Problem p;
    const std::string x = p.input("x", {2, 2}), w = p.input("w", {2, 2});
    const std::string y = p.builder.reduce("ReduceSum", p.builder.add("MatMul", {x, w}), {0, 1}, false);
    const std::size_t before = p.model.graph.nodes.size();
    const auto gradients = model::addGradients(p.model.graph, y, {"w"});
    QCOMPARE(gradients.size(), std::size_t(1));
    int products = 0;
    for (std::size_t i = before; i < p.model.graph.nodes.size(); ++i) {
      products += p.model.graph.nodes[i].opType == "Gemm";
      QCOMPARE(p.model.graph.nodes[i].path.at(0), std::string("bwd"));
    }
    QCOMPARE(products, 1);
  }

  void errorsNameOperatorAndNode() {
    Problem p;
    const std::string x = p.input("x", {3});
    const std::string y = p.builder.reduce("ReduceSum", p.builder.add("Hardmax", {x}, {}, "running"), {0}, false);
    try {
      model::addGradients(p.model.graph, y, {"x"});
      QFAIL("no error");
    } catch (const reports::Error& e) {
      const QString text = QString::fromStdString(std::string(e.what()) + e.where());
      QVERIFY2(text.contains("Hardmax") && text.contains("running"), qPrintable(text));
    }
    Problem q;
    QVERIFY_EXCEPTION_THROWN(model::addGradients(q.model.graph, q.builder.add("Exp", {q.input("x", {3})}), {"x"}),
                             reports::Error);
    Problem r;
    r.input("x", {});
    r.input("other", {});
    QVERIFY_EXCEPTION_THROWN(model::addGradients(r.model.graph, r.builder.add("Exp", {"x"}), {"other"}), reports::Error);
  }

  // Steps of a recurrent node are written out: a file asks for millions of them in a few bytes, and an LSTM has four gates in each.
  void longLoopsAreRefused_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<int>("steps");
    QTest::addColumn<int>("gates");
    QTest::addColumn<QString>("words");
    QTest::newRow("RNN") << "RNN" << 5'000'000 << 1 << "it would unroll 5000000 steps, more than 2048";
    QTest::newRow("GRU") << "GRU" << 1366 << 3 << "it would unroll 1366 steps, more than 1365";
    QTest::newRow("LSTM") << "LSTM" << 1025 << 4 << "it would unroll 1025 steps, more than 1024";
  }
  void longLoopsAreRefused() {
    QFETCH(QString, type);
    QFETCH(int, steps);
    QFETCH(int, gates);
    QFETCH(QString, words);
    model::Graph graph;
    model::GraphBuilder builder(graph);
    const auto real = simcore::numerics::ElementType::Float;
    const std::string x = builder.input("x", real, {steps, 1, 2}), w = builder.input("w", real, {1, 3 * gates, 2}),
                      r = builder.input("r", real, {1, 3 * gates, 3});
    const std::string y =
        builder.add(type.toStdString(), {x, w, r}, model::attributes({{"hidden_size", std::int64_t(3)}}), "loop");
    const std::string loss = builder.add("ReduceSum", {y}, model::attributes({{"keepdims", std::int64_t(0)}}));
    try {
      model::addGradients(graph, loss, {"w"});
      QFAIL("a loop of this length was unrolled");
    } catch (const reports::Error& error) {
      QVERIFY2(QString(error.what()).contains(words), error.what());
      QVERIFY2(error.where().find("loop") != std::string::npos, error.where().c_str());
    }
  }

  // Differences of values cannot tell these: slopes at ties, at zero and beyond a limit, which are torch's here.
  void slopesWithoutDifferences_data() {
    using Numbers = std::vector<double>;
    QTest::addColumn<Numbers>("x");
    QTest::addColumn<Numbers>("other");
    QTest::addColumn<Build>("build");
    QTest::addColumn<Numbers>("ofX");
    QTest::addColumn<Numbers>("ofOther");
    const auto two = [](const char* type) { return [type](Problem& p) { return p.builder.add(type, {"x", "other"}); }; };
    const auto reduced = [](const char* type) { return [type](Problem& p) { return p.builder.reduce(type, "x", {0}, false); }; };
    const auto row = [](const char* name) -> QTestData& { return QTest::newRow(name); };
    row("largest of equals") << Numbers{3, 1, 3} << Numbers{} << Build(reduced("ReduceMax")) << Numbers{0.5, 0, 0.5} << Numbers{};
    row("least of equals") << Numbers{1, 1, 1} << Numbers{} << Build(reduced("ReduceMin")) << Numbers(3, 1. / 3) << Numbers{};
    row("product with one zero") << Numbers{2, 0, 5} << Numbers{} << Build(reduced("ReduceProd")) << Numbers{0, 10, 0}
                                 << Numbers{};
    row("product with two zeros") << Numbers{0, 0, 5} << Numbers{} << Build(reduced("ReduceProd")) << Numbers{0, 0, 0}
                                  << Numbers{};
    row("norm at the origin") << Numbers{0, 0, 0} << Numbers{} << Build(reduced("ReduceL2")) << Numbers{0, 0, 0} << Numbers{};
    row("larger of two") << Numbers{1, 2, 3} << Numbers{1, 5, 2} << Build(two("Max")) << Numbers{0.5, 0, 1} << Numbers{0.5, 1, 0};
    row("power of zero") << Numbers{0, 2, 0} << Numbers{0, 0, 2} << Build(two("Pow")) << Numbers{0, 0, 0}
                         << Numbers{0, std::log(2.), 0};
    const auto selu = [](Problem& p) {
      return p.builder.add("Selu", {"x"}, model::attributes({{"alpha", 1.5f}, {"gamma", 2.0f}}));
    };
    row("SELU at zero") << Numbers{0, 1} << Numbers{} << Build(selu) << Numbers{3, 2} << Numbers{};
    for (const std::int64_t axis : {-1, 0}) // one scale, or one for each row; values beyond 127 steps get nothing
      row(axis < 0 ? "quantised" : "quantised by rows") << Numbers{-5, 0.26, 1, 3} << Numbers{} << Build([axis](Problem& p) {
        const std::vector<double> scales(axis < 0 ? 1 : 4, 1. / 64);
        const auto scale = axis < 0 ? HostTensor::full(ElementType::Double, {}, 1. / 64) : HostTensor::vector(scales);
        const auto zero = HostTensor::full(ElementType::Int8, scale.shape(), 3);
        const std::vector<std::string> by{p.builder.constant("scale", scale), p.builder.constant("zero", zero)};
        const auto a = axis < 0 ? model::Attributes() : model::attributes({{"axis", axis}});
        return p.builder.add("DequantizeLinear", {p.builder.add("QuantizeLinear", {"x", by[0], by[1]}, a), by[0], by[1]}, a);
      }) << Numbers{0, 1, 1, 0} << Numbers{};
    row("lower limit") << Numbers{-2, 4, 1} << Numbers{1} << Build([](Problem& p) {
      return p.builder.add("Clip", {"x", p.builder.reshape("other", {})});
    }) << Numbers{0, 1, 1}
                       << Numbers{1};
  }
  void slopesWithoutDifferences() {
    QFETCH(std::vector<double>, x);
    QFETCH(std::vector<double>, other);
    QFETCH(Build, build);
    QFETCH(std::vector<double>, ofX);
    QFETCH(std::vector<double>, ofOther);
    Problem p;
    std::vector<std::string> wanted;
    for (const auto& [name, values] : {std::pair("x", x), std::pair("other", other)}) {
      if (values.empty()) continue;
      wanted.push_back(p.input(name, {std::int64_t(values.size())}));
      const ElementType type = p.values.at(name).type();
      p.values[name] = HostTensor::of({std::int64_t(values.size())}, values).cast(type);
    }
    std::string y = build(p);
    if (!p.builder.shape(y).empty()) y = p.builder.reduce("ReduceSum", y, {0}, false);
    const auto gradients = model::addGradients(p.model.graph, y, wanted);
    p.model.graph.outputs.clear();
    for (const std::string& name : wanted) p.model.graph.outputs.push_back({gradients.at(name), {}, {}});
    const auto got = model::evaluate(p.model, p.values);
    QCOMPARE(got.at(0).toDoubles(), ofX);
    if (!ofOther.empty()) QCOMPARE(got.at(1).toDoubles(), ofOther);
  }

  // x * detached(x): the gradient is x, not 2 x; values that only a detached value reads have no gradient.
  void nothingFlowsBackThroughADetachedValue() {
    Problem p;
    const std::string x = p.input("x", {3}), y = p.input("y", {3});
    const std::string product = p.builder.add("Mul", {x, p.builder.addOwn("Detach", {x})});
    const std::string sum = p.builder.add("Add", {product, p.builder.addOwn("Detach", {y})});
    const std::string loss = p.builder.add("ReduceSum", {sum}, model::attributes({{"keepdims", std::int64_t(0)}}));
    const auto gradients = model::addGradients(p.model.graph, loss, {"x"});
    p.model.graph.outputs = {{gradients.at("x"), {}, {}}};
    QCOMPARE(model::evaluate(p.model, p.values).at(0).toDoubles(), p.values.at("x").toDoubles());
  }

  // They read only the shape, or a probability: the gradient of x + draw(x) is that of x.
  void whatIsDrawnHasNoGradient() {
    for (const char* type : kDrawn) {
      Problem p;
      const std::string x = p.input("x", {3, 3}, 0.1, 0.9);
      const std::string sum = p.builder.add("Add", {x, p.builder.add(type, {x})});
      const std::string loss = p.builder.add("ReduceSum", {sum}, model::attributes({{"keepdims", std::int64_t(0)}}));
      const auto gradients = model::addGradients(p.model.graph, loss, {"x"});
      p.model.graph.outputs = {{gradients.at("x"), {}, {}}};
      QCOMPARE(model::evaluate(p.model, p.values).at(0).toDoubles(), std::vector<double>(9, 1));
    }
  }

  // Every operator with a gradient is in one of the cases above.
  void everyGradientIsTested() {
    // Constant, identity, random, or the same function as another (BatchNormalization in training becomes BatchNormTraining,
    // GroupNormalization GroupNormTraining).
    std::set<std::string> seen{"Round",
                               "Ceil",
                               "Sign",
                               "Dropout",
                               "SeededDropout",
                               "GatherND",
                               "SpaceToDepth",
                               "Detach",
                               "BatchNormTraining",
                               "GroupNormTraining",
                               "QuantizeLinear",
                               "DequantizeLinear", // slopesWithoutDifferences()
                               "AllToAll",         // on several IPUs (graph_network_test.cpp)
                               "QuarterCast"};     // whose rounding is passed through (unit_scaling_test.cpp)
    seen.insert(std::begin(kDrawn), std::end(kDrawn));
    for (const Case& c : allGradientCases()) {
      Problem p;
      c.build(p);
      for (const auto& node : p.model.graph.nodes) seen.insert(node.opType);
    }
    int known = 0;
    for (const auto* op : model::allOperators()) {
      if (!op->gradient) continue;
      ++known;
      QVERIFY2(seen.count(op->type), op->type);
    }
    QVERIFY(known >= 60);
  }
};

TILESCOPE_TEST(AutodiffTest)
#include "autodiff_test.moc"
