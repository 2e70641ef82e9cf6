#include "reports/core/error.h"
#include "simcore/run/rounding.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <set>

using namespace simcore;
using namespace simcore::graph;
using numerics::HostTensor;
using tests::errorOf;
using tests::HostWorld;
using tests::runOnce;

namespace {

std::vector<float> rounded(std::vector<float> values, FloatingPointBehaviour behaviour, uint64_t seed, uint64_t result = 0) {
  run::roundToHalf(values, behaviour, seed, result);
  return values;
}

FloatingPointBehaviour stochastic() {
  FloatingPointBehaviour b;
  b.esr = true;
  return b;
}

// Multiplies a half tensor by a factor, in a program that may change the floating-point behaviour first.
struct Scale : HostWorld {
  Tensor x;
  explicit Scale(float factor, int64_t n) {
    Codelet c;
    c.name = "Scale";
    c.fields = {{"x", FieldDirection::InOut}};
    c.compute = [factor](VertexFields& f) {
      for (float& v : f.mutableValues<float>("x")) v *= factor;
    };
    c.cycles = [](const auto&) { return int64_t(1); };
    graph->addCodelet(c);
    x = variable(ElementType::Half, {n}, "x");
  }
  Program scale() {
    const auto set = graph->addComputeSet("scale");
    graph->setTileMapping(graph->addVertex(set, "Scale", {{"x", x}}), reports::TileId(0));
    return program::execute(set);
  }
};

} // namespace

class FloatingPointTest : public QObject {
  Q_OBJECT
private slots:
  void stochasticRoundingIsRightOnAverage() {
    // Between 1 and the next half, 1 + 2^-10, at a quarter of the way; and between denormal halves.
    for (const auto& [value, low, step] : std::vector<std::tuple<float, float, float>>{
             {1.0f + 0.25f * 0x1p-10f, 1.0f, 0x1p-10f}, {-3.75f * 0x1p-24f, -3 * 0x1p-24f, -0x1p-24f}}) {
      const auto out = rounded(std::vector<float>(100'000, value), stochastic(), 42);
      double sum = 0;
      for (float v : out) {
        QVERIFY(v == low || v == low + step);
        sum += (double(v) - double(low)) / double(step);
      }
      const double wanted = (double(value) - double(low)) / double(step);
      QVERIFY2(std::abs(sum / 100'000 - wanted) < 0.01, std::to_string(sum / 100'000).c_str());
    }
  }

  void whatHalfHoldsStaysAsItIs() {
    const std::vector<float> exact{0, 1, -2.5f, 65504, 0x1p-24f, -0x1p-14f, 1 + 0x1p-10f};
    QCOMPARE(rounded(exact, stochastic(), 7), exact);
    QVERIFY(std::isinf(rounded({1e6f}, stochastic(), 7)[0]));
    QVERIFY(std::isnan(rounded({NAN}, stochastic(), 7)[0]));
  }

  void aSeedRepeatsAndAnotherDiffers() {
    const std::vector<float> values(1000, 1.0001f);
    QCOMPARE(rounded(values, stochastic(), 1), rounded(values, stochastic(), 1));
    QVERIFY(rounded(values, stochastic(), 1) != rounded(values, stochastic(), 2));
    QVERIFY(rounded(values, stochastic(), 1, 0) != rounded(values, stochastic(), 1, 1)); // not the bits of the result before
  }

  void theEngineRoundsAsItsOptionAndTheProgramSay() {
    const auto distinct = [](bool option, bool inProgram, uint64_t seed) {
      Scale w(1.0f + 0.5f * 0x1p-10f, 500);
      if (inProgram) w.main.add(program::setFloatingPointBehaviour(stochastic()));
      w.main.add(w.scale());
      run::EngineOptions options;
      options.seed = seed;
      options.floatingPoint.esr = option;
      run::Engine e(w.compile(), options, nullptr);
      e.writeTensor(w.x, HostTensor::full(ElementType::Half, {500}, 1));
      runOnce(e);
      return e.readTensor(w.x).toDoubles();
    };
    const auto kinds = [](const std::vector<double>& v) { return std::set<double>(v.begin(), v.end()).size(); };
    QCOMPARE(kinds(distinct(false, false, 1)), std::size_t(1)); // nearest, ties to even: all 1
    QCOMPARE(kinds(distinct(true, false, 1)), std::size_t(2));
    QCOMPARE(kinds(distinct(false, true, 1)), std::size_t(2));
    QCOMPARE(distinct(true, false, 1), distinct(true, false, 1));
    QVERIFY(distinct(true, false, 1) != distinct(true, false, 2));
  }

  void overflowIsInfiniteOrNoNumberOrAnError() {
    for (int mode = 0; mode < 3; ++mode) {
      Scale w(100, 2);
      w.main.add(w.scale());
      run::EngineOptions options;
      options.floatingPoint.nanoo = mode == 1;
      options.floatingPoint.oflo = mode == 2;
      run::Engine e(w.compile(), options, nullptr);
      e.writeTensor(w.x, HostTensor::vector<float>({2, 1000}));
      const std::string text = errorOf([&] { runOnce(e); });
      if (mode == 2) {
        QVERIFY2(text.find("'x'") != std::string::npos && text.find("scale") != std::string::npos, text.c_str());
        continue;
      }
      QCOMPARE(text, std::string());
      const auto values = e.readTensor(w.x).toDoubles();
      QCOMPARE(values[0], 200.0);
      QVERIFY(mode == 1 ? std::isnan(values[1]) : std::isinf(values[1]));
    }
  }
};

TILESCOPE_TEST(FloatingPointTest)
#include "floating_point_test.moc"
