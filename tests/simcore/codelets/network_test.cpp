#include "tests/support/test_main.h"

#include "simcore/codelets/loss.h"
#include "simcore/codelets/nonlinearity.h"
#include "simcore/codelets/pooling.h"

#include <QTest>

using namespace simcore;
using namespace simcore::codelets;

// Non-linearities, losses and pooling: the vertices of ipu-reference 9.5.
class NetworkTest : public QObject {
  Q_OBJECT

  const arch::TileArchitecture m_tile = arch::findMachine("gc200", 1).tile;

private slots:
  void handCounts() {
    // 1200 floats: 600 vectors, 100 a worker
    QCOMPARE(nonLinearity1D(m_tile, NonLinearity::Relu, ElementType::Float, 1200).cycles.value(),
             9 + 6 * (20 + 2 + 1 + 99 + 1 + 1 + 3));
    QCOMPARE(nonLinearity1D(m_tile, NonLinearity::Sigmoid, ElementType::Half, 2400).cycles.value(),
             9 + 6 * (20 + 2 + 2 + 99 * 4 + 1 + 2 + 4));
    QCOMPARE(nonLinearity1D(m_tile, NonLinearity::Swish, ElementType::Float, 13, Placement::InPlace).cycles.value(),
             9 + 6 * (21 + 2 + 6 + 1 + 6 + 3 + 2 + 6));
    QCOMPARE(nonLinearityGrad1D(m_tile, NonLinearity::Tanh, ElementType::Float, 1200).cycles.value(),
             9 + 6 * (20 + 2 + 3 + 99 * 3 + 1 + 3 + 3));
    QCOMPARE(lossTransform(m_tile, LossKind::CrossEntropy, ElementType::Float, 10).cycles.value(), 95);
    QCOMPARE(lossTransform(m_tile, LossKind::SumSquared, ElementType::Float, 10).cycles.value(), 45);
    QCOMPARE(argMax(m_tile, ElementType::Float, 10).cycles.value(), 35);
    QCOMPARE(argMaxShared(m_tile, ElementType::Half, 600).cycles.value(), 9 + 6 * (17 + 99 * 3 + 13));
  }

  void flopCounts() {
    QCOMPARE(nonLinearity1D(m_tile, NonLinearity::Gelu, ElementType::Half, 100).flops.value(), 800);
    QCOMPARE(nonLinearity1D(m_tile, NonLinearity::Swish, ElementType::Half, 100).flops.value(), 200);
    QCOMPARE(nonLinearityGrad1D(m_tile, NonLinearity::Gelu, ElementType::Half, 100).flops.value(), 1500);
    QCOMPARE(nonLinearityGrad1D(m_tile, NonLinearity::Relu, ElementType::Half, 100).flops.value(), 100);
  }

  void poolingHandCount() {
    const PoolShape shape{6, 10, 8, 2, 2}; // one row a worker, two vectors of four halves
    const int64_t rows = 30 + 2 * (30 + 10 * 2 * 2 * 3);
    QCOMPARE(pooling(m_tile, PoolKind::Max, PoolPass::Forward, ElementType::Half, shape).cycles.value(), 11 + 6 * rows);
    QCOMPARE(pooling(m_tile, PoolKind::Max, PoolPass::Forward, ElementType::Half, shape).flops.value(), 60 * 8 * 3);
    QCOMPARE(pooling(m_tile, PoolKind::Average, PoolPass::Forward, ElementType::Half, shape).cycles.value(),
             11 + 6 * (rows + 20));
    QCOMPARE(pooling(m_tile, PoolKind::Max, PoolPass::Backward, ElementType::Half, shape).cycles.value(),
             11 + 6 * (30 + 2 * (30 + 10 * 2 * 2 * 5)));
  }

  void growthAndDegenerateSizes() {
    for (int kind = 0; kind <= int(NonLinearity::Swish); ++kind)
      for (const ElementType type : {ElementType::Float, ElementType::Half}) {
        int64_t before = 0;
        for (const int64_t n : {0LL, 1LL, 16LL, 1600LL, 1000000000LL}) {
          const int64_t cycles = nonLinearity1D(m_tile, NonLinearity(kind), type, n).cycles.value();
          QVERIFY(cycles > before);
          before = cycles;
          QVERIFY(nonLinearityGrad1D(m_tile, NonLinearity(kind), type, n).cycles.value() > 0);
        }
      }
    QVERIFY(pooling(m_tile, PoolKind::Sum, PoolPass::Forward, ElementType::Float, {0, 0, 0, 0, 0}).cycles.value() > 0);
    QVERIFY(pooling(m_tile, PoolKind::Sum, PoolPass::Forward, ElementType::Float, {1, 1, 1, 1, 1}).flops.value() == 0);
  }
};

TILESCOPE_TEST(NetworkTest)
#include "network_test.moc"
