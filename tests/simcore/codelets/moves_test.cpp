#include "tests/support/test_main.h"

#include "simcore/codelets/copy.h"
#include "simcore/codelets/roi_align.h"
#include "simcore/codelets/slice.h"
#include "simcore/codelets/sort.h"
#include "simcore/codelets/sparse.h"

#include <QTest>

using namespace simcore;
using namespace simcore::codelets;

// Copies, slices, sparse products and sorting: vertices that mostly move words.
class MovesTest : public QObject {
  Q_OBJECT

  const arch::TileArchitecture m_tile = arch::findMachine("gc200", 1).tile;

private slots:
  // 8, 4, 2 and 1 bytes a cycle (ipu-reference 9.9).
  void copyRates() {
    const int64_t bytes = 600000;
    for (const int64_t alignment : {8LL, 4LL, 2LL, 1LL}) {
      const double rate = double(bytes) / double(memcpyCycles(m_tile, bytes, alignment).cycles.value());
      QVERIFY(rate <= double(alignment) && rate > 0.99 * double(alignment));
    }
    QCOMPARE(memcpySpec(16).name, memcpySpec(8).name);
    QVERIFY(memcpySpec(4).name != memcpySpec(8).name);
  }

  // GC2 figures for 100 floats: aligned copies 67 to 83 cycles, strided ones 801 to 1158.
  void copyObservations() {
    const arch::TileArchitecture gc2 = arch::findMachine("gc2", 1).tile;
    const int64_t aligned = memcpyCycles(gc2, 400, 8).cycles.value();
    QVERIFY(aligned >= 67 && aligned <= 83);
    const int64_t strided = stridedCopy(gc2, ElementType::Float, 100).cycles.value();
    QVERIFY(strided >= 801 && strided <= 1158);
  }

  // Validation case A43: 8 KiB between regions, 1,308 cycles on a C600, within 25 %.
  void copyOf8KiB() {
    const int64_t cycles = memcpyCycles(m_tile, 8192, 8).cycles.value();
    QVERIFY(std::abs(cycles - 1308) * 4 <= 1308);
  }

  // Per worker: a bin costs 42 cycles, plus each sample and each vector of channels.
  void binsOfRegions() {
    RegionBins work{6, 1, 1, 4};
    QCOMPARE(regionBins(m_tile, RegionRead::Bilinear, ElementType::Float, work).cycles.value(), 11 + 6 * (42 + 2 + 24 + 16 + 16));
    QCOMPARE(regionBins(m_tile, RegionRead::Bilinear, ElementType::Float, work).flops.value(), 6 * 4 * 4 * 2);
    work.heldFraction = 0.5; // taps of rows that are elsewhere are tested, not read
    QCOMPARE(regionBins(m_tile, RegionRead::Bilinear, ElementType::Float, work).cycles.value(), 11 + 6 * (42 + 2 + 24 + 16 + 8));
    work = {7, 9, 1, 4};
    QCOMPARE(regionBins(m_tile, RegionRead::Elements, ElementType::Float, work).cycles.value(),
             11 + 6 * 2 * (42 + 2 + 9 * 3 * 2));
    QCOMPARE(regionBins(m_tile, RegionRead::Elements, ElementType::Half, work).cycles.value(), 11 + 6 * 2 * (42 + 1 + 9 * 3));
    work.bins = 0;
    QCOMPARE(regionBins(m_tile, RegionRead::Bilinear, ElementType::Float, work).cycles.value(), 11);
    QVERIFY(regionBinsSpec(RegionRead::Bilinear, true, ElementType::Half).name !=
            regionBinsSpec(RegionRead::Bilinear, false, ElementType::Half).name);
  }

  void rearrangement() {
    QCOMPARE(rearrangementCycles(0, 0, 0).value(), 0);
    QCOMPARE(rearrangementCycles(100, 0, 0).value(), 587 + 515);
    QCOMPARE(rearrangementCycles(0, 100, 0).value(), 587 + 313);
    QCOMPARE(rearrangementCycles(0, 0, 100).value(), 587 + 44);
    QVERIFY(rearrangementCycles(1000000000, 1000000000, 1000000000).value() > 8000000000);
  }

  // ipu-reference 9.7.
  void transposes() {
    QCOMPARE(transpose(m_tile, ElementType::Half, 4, 4, 6).cycles.value(), 7 + 6 * 29);
    QCOMPARE(transpose(m_tile, ElementType::Half, 4, 4, 30).cycles.value(), 7 + 6 * (37 + 3 * 4));
    QCOMPARE(transpose(m_tile, ElementType::Half, 16, 4, 12).cycles.value(), 7 + 6 * (27 + 2 * (35 + 4 * 2)));
    QCOMPARE(transpose(m_tile, ElementType::Float, 8, 8, 1).cycles.value(), 7 + 6 * (29 + 18 + 4 * (12 + 3 * 2)));
    QVERIFY(!hasFastTranspose(ElementType::Half, 6, 8));
    QVERIFY(hasFastTranspose(ElementType::Float, 6, 8));
    QVERIFY(transpose(m_tile, ElementType::Half, 33, 31).cycles > transpose(m_tile, ElementType::Half, 32, 32).cycles);
  }

  // ipu-reference 9.2.
  void slices() {
    QCOMPARE(dynamicSlice1D(m_tile, SliceDirection::Slice, ElementType::Float, 120, 3).cycles.value(),
             25 + 6 * (39 + (24 + 2 * 10) * 3));
    QCOMPARE(dynamicSlice1D(m_tile, SliceDirection::Slice, ElementType::UInt8, 480, 1).cycles.value(),
             25 + 6 * (76 + 72 + 2 * 10));
  }

  void lookUps() {
    LookUp lookUp;
    lookUp.offsets = 600;
    lookUp.inRangeFraction = 0.25;
    lookUp.rowElements = 64;
    QCOMPARE(multiSlice(m_tile, lookUp).cycles.value(), 6 * (30 + 25 * (19 + 2 * 32) + 75 * 8));
    QCOMPARE(multiUpdate(m_tile, lookUp).cycles.value(), 6 * (29 + 25 * (19 + 2 * 32) + 75 * 8));
    // 150 in range, 25 a worker; 32 words of 64 bit
    QCOMPARE(multiUpdateOp(m_tile, lookUp, UpdateOp::Add, true).cycles.value(), 6 * (3 + 29 + 6 + 25 * (11 + 31 * 3) + 575 * 5));
    QCOMPARE(multiUpdateOp(m_tile, lookUp, UpdateOp::Add, true).flops.value(), 150 * 64 * 2);
    lookUp.rowElements = 2; // one 64-bit region
    QCOMPARE(multiUpdateOp(m_tile, lookUp, UpdateOp::Add, false).cycles.value(), 6 * (3 + 28 + 25 * 8 + 575 * 5));
    lookUp.sorted = true;
    QVERIFY(multiUpdateOp(m_tile, lookUp, UpdateOp::Add, false).cycles.value() < 6 * (3 + 28 + 25 * 8 + 575 * 5));
    LookUp single;
    single.offsets = 1;
    single.rowElements = 1200;
    QCOMPARE(multiSlice(m_tile, single).cycles.value(), 6 * (30 + 19 + 2 * 100));
  }

  // ipu-reference 9.8: fp16 with eight dense columns does eight multiply-adds in three worker cycles.
  void sparseElements() {
    SparseProduct product;
    product.type = ElementType::Half;
    product.rows = 10;
    product.nonZerosPerRow = 20;
    product.denseColumns = 8;
    product.buckets = {3, 1, 2};
    QCOMPARE(sparseDenseElements(m_tile, product).cycles.value(), 30 + 32 * 2 * 2 + (1 * 47 + 46) + 6 * (28 + 10 * (15 + 60)));
    product.nonZerosPerRow = 100000;
    const VertexCost cost = sparseDenseElements(m_tile, product);
    const double macsPerCycle = double(cost.flops.value()) / 2 / double(cost.cycles.value());
    QVERIFY(std::abs(macsPerCycle - 8.0 / 3) < 0.01);
    product.type = ElementType::Float;
    product.denseColumns = 7;
    product.nonZerosPerRow = 5;
    product.buckets = {};
    QCOMPARE(sparseDenseElements(m_tile, product).cycles.value(), 30 + 47 + 46 + 6 * (30 + 10 * (13 + 12 + 15 + 18 + 18 + 1)));
  }

  void sparseBlocks() {
    SparseProduct product;
    product.type = ElementType::Half;
    product.rows = 2;
    product.nonZerosPerRow = 3;
    product.denseColumns = 10;
    QCOMPARE(sparseDenseBlocks(m_tile, product, ElementType::Half, 16).cycles.value(),
             40 + 46 + 56 + 6 * (64 + 3 + 12) + 2 + 6 * (22 + 6 * (22 + 40)));
    QCOMPARE(sparseDenseBlocks(m_tile, product, ElementType::Half, 16).flops.value(), 2 * 6 * 6 * 256 * 10);
  }

  void sorting() {
    QVERIFY(compareExchange(m_tile, ElementType::Float, true, 100).cycles >
            compareExchange(m_tile, ElementType::Float, false, 100).cycles);
  }

  void degenerateSizes() {
    for (const int64_t n : {-3LL, 0LL, 1LL, 7LL, 1000000007LL}) {
      for (const ElementType type : {ElementType::Float, ElementType::Half, ElementType::UInt8}) {
        QVERIFY(transpose(m_tile, type, n, 3).cycles.value() > 0);
        QVERIFY(stridedCopy(m_tile, type, n).cycles.value() > 0);
        QVERIFY(dynamicSlice1D(m_tile, SliceDirection::Slice, type, n, 1).cycles.value() > 0);
        QVERIFY(compareExchange(m_tile, type, true, n).cycles.value() > 0);
        LookUp lookUp;
        lookUp.type = type;
        lookUp.offsets = n;
        lookUp.rowElements = 3;
        QVERIFY(multiSlice(m_tile, lookUp).cycles.value() > 0);
        QVERIFY(multiUpdateOp(m_tile, lookUp, UpdateOp::Max, true).cycles.value() > 0);
      }
      QVERIFY(memcpyCycles(m_tile, n, 8).cycles.value() > 0);
      QVERIFY(copy2D(m_tile, n, 8, 4).cycles.value() > 0);
    }
  }
};

TILESCOPE_TEST(MovesTest)
#include "moves_test.moc"
