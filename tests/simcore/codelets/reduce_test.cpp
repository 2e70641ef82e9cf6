#include "tests/support/test_main.h"

#include "simcore/codelets/reduce.h"
#include "simcore/codelets/scan.h"

#include <QTest>

using namespace simcore;
using namespace simcore::codelets;

class ReduceTest : public QObject {
  Q_OBJECT

  const arch::TileArchitecture m_tile = arch::findMachine("gc200", 1).tile;
  static constexpr ReduceTypes kFloats{ReduceOp::Add, ElementType::Float, ElementType::Float};
  static constexpr ReduceTypes kHalves{ReduceOp::Add, ElementType::Half, ElementType::Half};

private slots:
  // Hand counts of ipu-reference 9.3.
  void scalar() {
    QCOMPARE(reduceToScalar(m_tile, kFloats, 1023).cycles.value(), 9 + 2 * 255 + 5 + 3 + 3);
    QCOMPARE(reduceToScalar(m_tile, kHalves, 1024).cycles.value(), 9 + 2 * 128 + 5 + 0 + 3 + 5);
    QCOMPARE(reduceToScalar(m_tile, kFloats, 1023).flops.value(), 1022);
    const ReduceTypes logAdd{ReduceOp::LogAdd, ElementType::Float, ElementType::Float};
    QCOMPARE(reduceToScalar(m_tile, logAdd, 100).cycles.value(), 9 + 23 * 50 + 5 + 3);
    QCOMPARE(reduceToScalar(m_tile, logAdd, 100).flops.value(), 99 * 6);
  }
  void contiguous() { QCOMPARE(reduceContiguous(m_tile, kFloats, 10, 64).cycles.value(), 17 + 10 * (12 + 32)); }
  void strided() {
    QCOMPARE(reduceStrided(m_tile, kFloats, 8, 100, 8).cycles.value(), 16 + 4 * (3 + 5 + 3 + 99));
    // an odd stride leaves one output at a time
    QCOMPARE(reduceStrided(m_tile, kFloats, 7, 100, 7).cycles.value(), 16 + 7 * (3 + 5 + 3 + 99));
    QCOMPARE(reduceStrided(m_tile, kHalves, 8, 100, 8).cycles.value(), 16 + 2 * (3 + 8 + 3 + 99));
  }
  void compiledForLogicAndIntegers() {
    const ReduceTypes logic{ReduceOp::LogicalAnd, ElementType::Bool, ElementType::Bool};
    QCOMPARE(reduceToScalar(m_tile, logic, 10).cycles.value(), 31 + 8 + 22 + 25 * 10);
    QCOMPARE(reduceToScalar(m_tile, logic, 10).flops.value(), 0);
  }
  void convolutionPartials() {
    // 96 outputs: 24 loops of 4, 4 per worker; two words a partial
    QCOMPARE(convReduceSingleInput(m_tile, ElementType::Float, ElementType::Float, 96, 5).cycles.value(),
             33 + 6 * (20 + (2 * 5 + 7) * 4));
    QCOMPARE(convReduceSingleInput(m_tile, ElementType::Float, ElementType::Float, 96, 5, true).cycles.value(),
             33 + 6 * (20 + (1 * 5 + 7) * 4));
    QCOMPARE(convReduceMultiInput(m_tile, ElementType::Float, ElementType::Float, 96, 5).cycles.value(),
             6 * (32 + (3 * 5 + 6) * 4));
    QCOMPARE(convReduceMultiInput(m_tile, ElementType::Float, ElementType::Float, 97, 5).cycles.value(),
             6 * (32 + (3 * 5 + 6) * 4 + 10 + 11));
  }

  void growthAndDegenerateSizes() {
    for (int op = 0; op <= int(ReduceOp::LogAdd); ++op)
      for (const ElementType type : {ElementType::Float, ElementType::Half, ElementType::Int32}) {
        const ReduceTypes types{ReduceOp(op), type, type, true, true};
        int64_t before = 0;
        for (const int64_t n : {0LL, 1LL, 16LL, 160LL, 1000000000LL}) {
          for (const bool innermost : {false, true}) {
            const VertexCost cost = reduceBest(m_tile, types, 3, n, innermost);
            QVERIFY(cost.cycles.value() > 0 && cost.flops.value() >= 0);
          }
          const int64_t cycles = reduceBest(m_tile, types, 1, n, false).cycles.value();
          QVERIFY(cycles >= before);
          before = cycles;
        }
      }
    QVERIFY(reduceStrided(m_tile, kFloats, 0, 0, 0).cycles.value() > 0);
    QVERIFY(convReduceMultiInput(m_tile, ElementType::Half, ElementType::Half, 0, 0).cycles.value() > 0);
  }

  // Counted from the loop: 20 to start, 6 a row, 4 an element, and 4 more where an element is narrower than a word.
  void runningSums() {
    QCOMPARE(runningSum(m_tile, ElementType::Float, 3, 10).cycles.value(), 20 + 3 * 6 + 30 * 4);
    QCOMPARE(runningSum(m_tile, ElementType::Half, 3, 10).cycles.value(), 20 + 3 * 6 + 30 * 8);
    QCOMPARE(runningSum(m_tile, ElementType::Float, 3, 10).flops.value(), 30);
    QCOMPARE(runningSum(m_tile, ElementType::Int32, 3, 10).flops.value(), 0);
    QVERIFY(runningSum(m_tile, ElementType::Float, 0, 0).cycles.value() > 0);
    QVERIFY(runningSumSpec(ElementType::Float).name != runningSumSpec(ElementType::Half).name);
  }

  void namesTellCodeletsApart() {
    QVERIFY(reduceToScalarSpec(kFloats).name != reduceToScalarSpec(kHalves).name);
    const ReduceTypes update{ReduceOp::Add, ElementType::Float, ElementType::Float, false, true};
    QVERIFY(reduceStridedSpec(kFloats).name != reduceStridedSpec(update).name);
    QCOMPARE(reduceBestSpec(kFloats, 1, true).name, reduceToScalarSpec(kFloats).name);
  }
};

TILESCOPE_TEST(ReduceTest)
#include "reduce_test.moc"
