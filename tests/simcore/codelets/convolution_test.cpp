#include "tests/support/test_main.h"

#include "simcore/codelets/conv_rows.h"
#include "simcore/codelets/convolution.h"
#include "simcore/codelets/launch.h"

#include <QTest>

using namespace simcore;
using namespace simcore::codelets;

namespace {

Conv1x1 matrixProduct(int64_t positions, ElementType partials = ElementType::Half) {
  Conv1x1 conv;
  conv.types = {ElementType::Half, partials};
  conv.positions = positions;
  return conv;
}

} // namespace

class ConvolutionTest : public QObject {
  Q_OBJECT

  const arch::TileArchitecture m_tile = arch::findMachine("bow", 1).tile;
  const arch::TileArchitecture m_c600 = arch::findMachine("c600", 1).tile;

private slots:
  // Worked values of ipu-reference 9.4: [N,16] x [16,16], fp16, 16 units, 8 B/cycle weight loads.
  void workedTable_data() {
    QTest::addColumn<qint64>("positions");
    QTest::addColumn<qint64>("estimate");
    QTest::addColumn<double>("hardware"); // validation cases A1 to A6, counter pair removed
    QTest::addColumn<double>("tolerance");
    QTest::newRow("A1") << qint64(16) << qint64(409) << 402.0 << 0.03;
    QTest::newRow("A2") << qint64(32) << qint64(457) << 461.0 << 0.03;
    QTest::newRow("A3") << qint64(128) << qint64(841) << 845.3 << 0.03;
    QTest::newRow("A4") << qint64(256) << qint64(1345) << 1352.0 << 0.03;
    QTest::newRow("A5") << qint64(1024) << qint64(4417) << 4424.0 << 0.01;
    QTest::newRow("A6") << qint64(2048) << qint64(8521) << 8525.3 << 0.01;
  }
  void workedTable() {
    QFETCH(qint64, positions);
    QFETCH(qint64, estimate);
    QFETCH(double, hardware);
    QFETCH(double, tolerance);
    const Conv1x1 conv = matrixProduct(positions);
    const VertexCost cost = convPartial1x1(m_tile, conv);
    QCOMPARE(qint64(cost.cycles.value()), estimate);
    QCOMPARE(qint64(cost.flops.value()), 2 * positions * 16 * 16);
    const double withLaunch = double((cost.cycles + launchOverhead(convPartial1x1Spec(conv))).value());
    QVERIFY(std::abs(withLaunch / hardware - 1) <= tolerance);
  }

  // Many positions and input groups approach the peak of the datasheets: 128 fp16 and 32 fp32 flops a cycle on Mk2, 64
  // and 16 on Mk1 (the first input group also zeroes).
  void peaks_data() {
    QTest::addColumn<QString>("machine");
    QTest::addColumn<bool>("half");
    QTest::addColumn<double>("flopsPerCycle");
    QTest::newRow("gc200 half") << "gc200" << true << 128.0;
    QTest::newRow("gc200 float") << "gc200" << false << 32.0;
    QTest::newRow("gc2 half") << "gc2" << true << 64.0;
    QTest::newRow("gc2 float") << "gc2" << false << 16.0;
  }
  void peaks() {
    QFETCH(QString, machine);
    QFETCH(bool, half);
    QFETCH(double, flopsPerCycle);
    const arch::TileArchitecture tile = arch::findMachine(machine.toStdString(), 1).tile;
    const ElementType type = half ? ElementType::Half : ElementType::Float;
    Conv1x1 conv;
    conv.types = {type, type};
    conv.positions = 600000;
    conv.channels.inGroups = 200;
    conv.channels.inChannelsPerGroup = ampInputChannels(tile, type);
    conv.channels.outChannelsPerGroup = ampUnits(tile, type);
    const VertexCost cost = convPartial1x1(tile, conv);
    const double got = double(cost.flops.value()) / double(cost.cycles.value());
    QVERIFY2(got <= flopsPerCycle && got > 0.99 * flopsPerCycle, qPrintable(QString::number(got)));
  }

  // Later input groups skip the zeroing but load their own weights.
  void inputGroupsAddUp() {
    Conv1x1 conv = matrixProduct(128);
    conv.channels.inGroups = 3;
    const int64_t one = convPartial1x1(m_tile, matrixProduct(128)).cycles.value();
    // per extra group: 15 - 1 + 1 + 19 + 6 + 64 + 6 x (38 + 4 x 19 - 7) and 6 x 3 more set-up
    const int64_t extra = 15 + 19 + 6 + 64 + 6 * (38 + 4 * 19 - 7) + 18;
    QCOMPARE(convPartial1x1(m_tile, conv).cycles.value(), one + 2 * extra);
  }

  void wideLoadsHalveTheWeightLoad() {
    Conv1x1 conv = matrixProduct(128);
    conv.wideLoads = true;
    QCOMPARE(convPartial1x1(m_tile, matrixProduct(128)).cycles.value() - convPartial1x1(m_tile, conv).cycles.value(), 32);
  }

  void nx1HandCount() {
    ConvNx1 conv;
    conv.types = {ElementType::Half, ElementType::Float};
    conv.rows = 6;
    conv.rowLength = 10;
    conv.kernelOuter = 3;
    conv.kernelInner = 3;
    const int64_t worst = 17 + 3 + 34 + 4 * 7 - 9, load = 64 + 15 + 3;
    const int64_t inner = 3 * (14 + 3 * (12 + load)) + 9 * (6 * worst + 9); // all workers alike: best + 9 counts
    const int64_t zero = 6 * (80 + 14 - 9);                                 // 60 x 16 floats, 480 words
    QCOMPARE(convPartialNx1(m_tile, conv).cycles.value(), 109 + 54 + 54 + 18 + 0 + 1 + 16 + 14 + 14 + inner + zero);
    QCOMPARE(convPartialNx1(m_tile, conv).flops.value(), 2 * 60 * 9 * 16 * 16);
  }

  // [N,32] x [32,16] in 8-bit floats: 46 + 21 + 46 + 131 + 64 + inner, and 108 + 64 + inner for each further group of 32 channels.
  void quarterHandCount() {
    Conv1x1 conv;
    conv.types = {ElementType::Float8E4M3Fnuz, ElementType::Half};
    conv.channels.inChannelsPerGroup = ampInputChannels(m_c600, conv.types.input);
    QCOMPARE(conv.channels.inChannelsPerGroup, 32);
    QCOMPARE(ampUnits(m_c600, conv.types.input), 16);
    conv.positions = 128; // 22 and 21 for a worker
    const int64_t first = 6 * (17 + 27 + 4 * 19 - 5), later = 6 * (17 + 27 + 4 * 19);
    QCOMPARE(convPartial1x1(m_c600, conv).cycles.value(), 46 + 21 + 46 + 131 + 64 + first);
    QCOMPARE(convPartial1x1(m_c600, conv).flops.value(), 2 * 128 * 32 * 16);
    conv.channels.inGroups = 3;
    QCOMPARE(convPartial1x1(m_c600, conv).cycles.value(), 46 + 21 + 46 + 131 + 64 + first + 2 * (108 + 64 + later));
    // 560 TFLOPS are 256 a cycle and tile, twice what halves reach.
    conv.positions = 100'000;
    const VertexCost cost = convPartial1x1(m_c600, conv);
    const double rate = double(cost.flops.value()) / double(cost.cycles.value());
    QVERIFY2(rate <= 256 && rate > 0.99 * 256, qPrintable(QString::number(rate)));
    QVERIFY(QString::fromStdString(convPartial1x1Spec(conv).name).contains("quarter,half"));
  }

  void quarterNx1HandCount() {
    ConvNx1 conv;
    conv.types = {ElementType::Float8E5M2Fnuz, ElementType::Half};
    conv.channels.inChannelsPerGroup = 32;
    conv.rows = 6;
    conv.rowLength = 10;
    conv.kernelOuter = 3;
    conv.kernelInner = 3;
    const int64_t worker = 18 + 22 + 29 + 4 * 7, load = 64;
    const int64_t inner = 3 * (33 + (54 + 13 + 36 + load) + 2 * (42 + 8 + 36 + load)) + 9 * (6 * worker + 9);
    const int64_t zero = 6 * (40 + 15 - 10); // 60 x 16 halves, 240 words
    QCOMPARE(convPartialNx1(m_c600, conv).cycles.value(), 83 + 37 + 58 + 61 + inner + zero);
    QCOMPARE(convPartialNx1(m_c600, conv).flops.value(), 2 * 60 * 9 * 32 * 16);
  }

  void horizontalMacHandCount() {
    ConvDirect conv;
    conv.types = {ElementType::Float, ElementType::Float};
    conv.channels.inChannelsPerGroup = 4;
    conv.channels.outChannelsPerGroup = 2;
    conv.rows = 6;
    conv.rowLength = 5;
    const int64_t dot = 3 + 4 + 2, worst = 32 + 19 + 5 * (7 + 2 * dot);
    const int64_t zero = 6 * (5 + 14 - 9); // 60 floats, 30 words
    QCOMPARE(convHorizontalMac(m_tile, conv).cycles.value(), 58 - 10 + zero + 23 + 15 + 10 + 6 * worst);
  }

  void outerProductPaths() {
    QCOMPARE(outerProduct(m_tile, ElementType::Float, 10, 2, 16).cycles.value(), 25 + 2 * (11 + 10 * (6 + 5)));
    QCOMPARE(outerProduct(m_tile, ElementType::Half, 10, 1, 10).cycles.value(), 25 + 10 + 10 * (10 + 25));
  }

  // The matrix unit is faster than the dot-product form on the same work; on depthwise work the grouped form is faster than it.
  void methodsRankAsExpected() {
    ConvDirect direct;
    direct.types = {ElementType::Half, ElementType::Float};
    direct.rows = 16;
    direct.rowLength = 16;
    QVERIFY(convPartial1x1(m_tile, matrixProduct(256, ElementType::Float)).cycles < convHorizontalMac(m_tile, direct).cycles);

    ConvDirect depthwise = direct;
    depthwise.kernelElements = 9;
    depthwise.channels = {8, 1, 1, 1, 1};
    ConvDirect blocks = depthwise;
    blocks.channels.convGroups = 1;
    QVERIFY(convVerticalMac(m_tile, blocks, 8).cycles < convHorizontalMac(m_tile, depthwise).cycles);
    QCOMPARE(convVerticalMac(m_tile, blocks, 8).flops.value(), convHorizontalMac(m_tile, depthwise).flops.value());
  }

  void growthAndDegenerateSizes() {
    int64_t before = 0;
    for (const int64_t n : {0LL, 1LL, 7LL, 101LL, 1009LL, 1000003LL, 1000000007LL}) {
      const VertexCost cost = convPartial1x1(m_tile, matrixProduct(n));
      QVERIFY(cost.cycles.value() > before);
      before = cost.cycles.value();
      ConvNx1 nx1;
      nx1.rows = 3;
      nx1.rowLength = n;
      QVERIFY(convPartialNx1(m_tile, nx1).cycles.value() > 0);
      ConvSlic slic;
      slic.rows = n;
      QVERIFY(convSlic(m_tile, slic).cycles.value() > 0);
      ConvDirect direct;
      direct.rowLength = n;
      QVERIFY(convHorizontalMac(m_tile, direct).cycles.value() > 0);
      QVERIFY(convVerticalMac(m_tile, direct, 4).cycles.value() > 0);
      QVERIFY(convZero(m_tile, ElementType::Float, n).cycles.value() > 0);
      QVERIFY(convCast(m_tile, ElementType::Float, ElementType::Half, n).cycles.value() > 0);
    }
    Conv1x1 none = matrixProduct(16);
    none.channels.outGroups = 0;
    QCOMPARE(convPartial1x1(m_tile, none).flops.value(), 0);
  }

  void rowsSplitAcrossWorkersCostMore() {
    ConvNx1 long1, short6;
    long1.rows = 1, long1.rowLength = 600;
    short6.rows = 200, short6.rowLength = 3;
    QVERIFY(convPartialNx1(m_tile, long1).cycles < convPartialNx1(m_tile, short6).cycles);
    QCOMPARE(convPartialNx1(m_tile, long1).flops.value(), convPartialNx1(m_tile, short6).flops.value());
  }

  // A single row is not cut inside, so each worker has one run: it costs as much as the same number of rows with one position each.
  void aSingleRowIsSharedLikeRowsOfOne() {
    const auto partition = [](int64_t e) { return 5 * e; }; // nothing for the begin of a run, so that its cuts cost nothing
    for (int64_t positions = 0; positions < 40; ++positions) {
      const WorkerSpread row = spreadRows(1, positions, 6, 7, partition), column = spreadRows(positions, 1, 6, 7, partition);
      QCOMPARE(row.worst, column.worst);
      QCOMPARE(row.best, column.best);
    }
    const auto withBegin = [](int64_t e) { return 100 + e; };
    QCOMPARE(spreadRows(1, 13, 6, 7, withBegin).worst, int64_t(7 + 103)); // 3 positions, the other workers 2
    QCOMPARE(spreadRows(1, 13, 6, 7, withBegin).best, int64_t(7 + 102));
    QCOMPARE(spreadRows(13, 1, 6, 7, withBegin).worst, int64_t(7 + 3 * 101));
    QCOMPARE(spreadRows(1, 5, 6, 7, withBegin).best, int64_t(0));
  }
};

TILESCOPE_TEST(ConvolutionTest)
#include "convolution_test.moc"
