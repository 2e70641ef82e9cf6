#include "tests/support/test_main.h"

#include "simcore/codelets/elementwise.h"
#include "simcore/codelets/launch.h"

#include <QTest>

using namespace simcore;
using namespace simcore::codelets;

class ElementwiseTest : public QObject {
  Q_OBJECT

  const arch::TileArchitecture m_tile = arch::findMachine("bow", 1).tile;

private slots:
  // Worked values of ipu-reference 9.1.
  void binaryAddWorkedValues() {
    QCOMPARE(binaryOp1D(m_tile, BinaryOp::Add, ElementType::Float, 10).cycles.value(), 203);
    QCOMPARE(binaryOp1D(m_tile, BinaryOp::Add, ElementType::Float, 1024).cycles.value(), 1733);
    QCOMPARE(binaryOp1D(m_tile, BinaryOp::Add, ElementType::Float, 1024).flops.value(), 1024);
  }

  void scaledAddWorkedValues() {
    const auto cycles = [&](int64_t n) { return scaledAdd(m_tile, ElementType::Float, ElementType::Float, n).cycles.value(); };
    QCOMPARE(cycles(64), 279);
    QCOMPARE(cycles(128), 369);
    QCOMPARE(cycles(512), 945);
  }

  void handCountedCases() {
    // 6 x (26 + up(171/4) x 3) + 11
    QCOMPARE(binaryOp1D(m_tile, BinaryOp::Add, ElementType::Half, 1024).cycles.value(), 6 * (26 + 43 * 3) + 11);
    // divide 10 per two: 6 x (29 + 86 x 10) + 11
    QCOMPARE(binaryOp1D(m_tile, BinaryOp::Divide, ElementType::Float, 1024).cycles.value(), 6 * (29 + 860) + 11);
    QCOMPARE(binaryOp1D(m_tile, BinaryOp::Add, ElementType::Int32, 60).cycles.value(), 6 * (26 + 70) + 11);
    QCOMPARE(binaryOp1D(m_tile, BinaryOp::Divide, ElementType::UInt32, 6).cycles.value(), 6 * (26 + 265) + 11);
    QCOMPARE(unaryOp1D(m_tile, UnaryOp::Exp, ElementType::Float, 600).cycles.value(), 6 * (33 + 50 * 6) + 20);
    QCOMPARE(unaryOp1D(m_tile, UnaryOp::Tanh, ElementType::Half, 2400, Placement::InPlace).cycles.value(),
             6 * (55 + 100 * 2) + 20);
    // vector loop: (27 + 4) x 5 / 2 rounded up = 78
    QCOMPARE(unaryOp1D(m_tile, UnaryOp::Cbrt, ElementType::Float, 30).cycles.value(), 6 * (17 + 78) + 20);
    QCOMPARE(broadcastScalar1D(m_tile, BinaryOp::Multiply, ElementType::Float, 1200).cycles.value(), 6 * (20 + 200) + 11);
    QCOMPARE(broadcastVectorOuter(m_tile, BinaryOp::Add, ElementType::Float, 12, 8).cycles.value(), 6 * (15 + 2 * (7 + 8)) + 11);
    QCOMPARE(scaledAdd(m_tile, ElementType::Int32, ElementType::Int32, 10).cycles.value(), 53 + 26 * 3 + 6 + 26 + 14);
  }

  void castFollowsTheWiderBeat() {
    // float to half: 4 elements in 2 cycles; 100 a worker: 19 + 2 x 25 + 2 tests
    QCOMPARE(cast1D(m_tile, ElementType::Float, ElementType::Half, 600).cycles.value(), 12 + 6 * (19 + 50 + 2 + 18));
    // half to float: 2 elements in one cycle
    QCOMPARE(cast1D(m_tile, ElementType::Half, ElementType::Float, 600).cycles.value(), 12 + 6 * (19 + 50 + 1 + 18));
    QCOMPARE(cast1D(m_tile, ElementType::Int32, ElementType::Float, 600).cycles.value(), 12 + 6 * (19 + 200 + 18));
  }

  // 8-bit floats convert on their way to memory: a store of 8 for two loads of 4 halves; 8-bit integers are clamped by a software loop.
  void castsOfEightBits() {
    const auto quarter = ElementType::Float8E4M3Fnuz, other = ElementType::Float8E5M2Fnuz;
    const auto cycles = [&](ElementType from, ElementType to) { return cast1D(m_tile, from, to, 4800).cycles.value(); };
    QCOMPARE(cycles(ElementType::Half, quarter), 12 + 6 * (19 + 2 * 100 + 3 + 18));
    QCOMPARE(cycles(quarter, ElementType::Half), 12 + 6 * (19 + 200 + 2 + 18));
    QCOMPARE(cycles(quarter, other), 12 + 6 * (19 + 13 * 100 + 18));
    QCOMPARE(cycles(quarter, ElementType::Int8), 12 + 6 * (19 + 28 * 100 + 18));
    QCOMPARE(cycles(ElementType::Int8, quarter), 12 + 6 * (19 + 37 * 100 + 18));
    QCOMPARE(cycles(ElementType::Half, ElementType::Int8), 12 + 6 * (8 + 19 + 16 * 200 + 18));
    QCOMPARE(cycles(ElementType::UInt8, ElementType::Half), 12 + 6 * (4 + 14 + 9 * 200 + 18));
  }

  // Validation cases A7 and A8, net of the counter pair: the launch constant was calibrated here.
  void agreesWithHardware() {
    const auto spec = binaryOp1DSpec(BinaryOp::Add, ElementType::Float);
    const int64_t launch = launchOverhead(spec).value(), pair = kCounterPair.value();
    const int64_t a7 = binaryOp1D(m_tile, BinaryOp::Add, ElementType::Float, 1024).cycles.value() + launch;
    QVERIFY2(std::abs(a7 - (1860 - pair)) * 100 <= 5 * (1860 - pair), qPrintable(QString::number(a7)));
    const int64_t sizes[] = {64, 128, 512}, raw[] = {375, 467, 1043};
    for (int i = 0; i < 3; ++i) {
      const int64_t got = scaledAdd(m_tile, ElementType::Float, ElementType::Float, sizes[i]).cycles.value() + launch + pair;
      QVERIFY2(std::abs(got - raw[i]) * 100 <= 10 * raw[i], qPrintable(QString::number(got)));
    }
  }

  // Validation case A25: a = b + s c with operands in different memory elements moves 46.55 TB/s on a GC200.
  void triadReachesMemoryBandwidth() {
    const arch::Machine gc200 = arch::findMachine("gc200", 1);
    const int64_t n = 7500 * 6;
    const Cycles cycles =
        scaledAdd(gc200.tile, ElementType::Float, ElementType::Float, n, {ScaledAddForm::Add, true}).cycles + kDefaultLaunch;
    const double bytesPerSecond = double(12 * n * gc200.tilesPerIpu) / double(cycles.value()) * gc200.clockHz;
    QVERIFY2(std::abs(bytesPerSecond / 46.55e12 - 1) < 0.03, qPrintable(QString::number(bytesPerSecond)));
  }

  void everyOpGrowsWithElements() {
    for (const ElementType type : {ElementType::Float, ElementType::Half, ElementType::Int32, ElementType::Bool}) {
      for (int op = 0; op < kBinaryOpCount; ++op)
        checkGrowth([&](int64_t n) { return binaryOp1D(m_tile, BinaryOp(op), type, n); });
      for (int op = 0; op < kUnaryOpCount; ++op) checkGrowth([&](int64_t n) { return unaryOp1D(m_tile, UnaryOp(op), type, n); });
      checkGrowth([&](int64_t n) { return fill(m_tile, type, n - n % 4); });
      checkGrowth([&](int64_t n) { return broadcastScalar1D(m_tile, BinaryOp::Multiply, type, n); });
    }
  }

  void fusedMapSavesAllButOneOverhead() {
    const MapStep steps[] = {
        {BinaryOp::Multiply, ElementType::Float}, {BinaryOp::Add, ElementType::Float}, {UnaryOp::Tanh, ElementType::Float}};
    const int64_t n = 6000;
    const VertexCost fused = fusedMap(m_tile, steps, n);
    const int64_t loops = 500 * 3 + 500 * 3 + 500 * 12; // 1000 elements a worker, two at a time
    QCOMPARE(fused.cycles.value(), 6 * (29 + loops) + 11);
    QCOMPARE(fused.flops.value(), 3 * n);
    const int64_t apart = 2 * binaryOp1D(m_tile, BinaryOp::Add, ElementType::Float, n).cycles.value() +
                          unaryOp1D(m_tile, UnaryOp::Tanh, ElementType::Float, n).cycles.value();
    QVERIFY(fused.cycles.value() < apart);
  }

  void fusedMapNamesTellCodeletsApart() {
    const MapStep add[] = {{BinaryOp::Add, ElementType::Float}}, mul[] = {{BinaryOp::Multiply, ElementType::Float}};
    const VertexSpec a = fusedMapSpec(add, ElementType::Float, 2), b = fusedMapSpec(mul, ElementType::Float, 2);
    QVERIFY(a.name != b.name);
    QVERIFY(a.name != fusedMapSpec(add, ElementType::Float, 3).name);
    QCOMPARE(a.edges, 3);
    QCOMPARE(fusedMapSpec(add, ElementType::Float, 2, Placement::InPlace).edges, 2);
  }

  void namesAreThoseOfPoplar() {
    QCOMPARE(binaryOp1DSpec(BinaryOp::Add, ElementType::Float).name, std::string("popops::BinaryOp1D<ADD,float>"));
    QCOMPARE(unaryOp1DSpec(UnaryOp::Log1p, ElementType::Half, Placement::InPlace).name,
             std::string("popops::UnaryOp1DInPlace<LOGARITHM_ONE_PLUS,half>"));
    QCOMPARE(std::string(unaryOpName(UnaryOp::Trunc)), std::string("TRUNC"));
    QCOMPARE(std::string(binaryOpName(BinaryOp::VarianceToInvStdDev)), std::string("VARIANCE_TO_INV_STD_DEV"));
    // 64-bit types live as 32-bit ones on the machine: one codelet.
    QCOMPARE(binaryOp1DSpec(BinaryOp::Add, ElementType::Int64).name, binaryOp1DSpec(BinaryOp::Add, ElementType::Int32).name);
  }

  void stateFollowsFields() {
    // output span (8), two pointers (4 each)
    QCOMPARE(binaryOp1DSpec(BinaryOp::Add, ElementType::Float).state.value(), 16);
    QCOMPARE(binaryOp1DSpec(BinaryOp::Add, ElementType::Float, Placement::InPlace).state.value(), 12);
  }

private:
  template<class F> void checkGrowth(F&& costOf) {
    int64_t before = -1;
    for (const int64_t n : {-5LL, 0LL, 1LL, 2LL, 7LL, 97LL, 1000LL, 10007LL, 1000000LL, 1000000000LL}) {
      const VertexCost cost = costOf(n);
      QVERIFY(cost.cycles.value() > 0);
      QVERIFY(cost.cycles.value() >= before);
      QVERIFY(cost.flops.value() >= 0);
      before = cost.cycles.value();
    }
    QVERIFY(before > 100000000); // a thousand million elements take time: nothing overflowed
  }
};

TILESCOPE_TEST(ElementwiseTest)
#include "elementwise_test.moc"
