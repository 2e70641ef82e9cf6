#include "simcore/codelets/elimination.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore::codelets;

class EliminationTest : public QObject {
  Q_OBJECT

  const simcore::arch::TileArchitecture m_tile = simcore::arch::findMachine("gc200", 1).tile;

private slots:
  // Counted from the loops, see the source: start 20, search 5 a row, 8 a row and 3 for two elements to update it.
  void countedFromTheLoops() {
    QCOMPARE(determinant(m_tile, 0).cycles.value(), 20);
    QCOMPARE(determinant(m_tile, 1).cycles.value(), 20 + 16 + 5 + 4);
    // Steps with 2, 1 and 0 rows left.
    QCOMPARE(determinant(m_tile, 3).cycles.value(), 20 + 3 * 16 + 6 * 5 + (2 + 1 + 1) * 4 + 2 * (8 + 3) + 1 * (8 + 3));
    QCOMPARE(determinant(m_tile, 3).flops.value(), 3 * 2 + 2 * (1 + 4) + 1 * (1 + 2));
    QCOMPARE(pivotSearch(m_tile, 7, 9).cycles.value(), 20 + 7 * 5 + 5 * 2);
    QCOMPARE(pivotChoice(m_tile, 4, 3).cycles.value(), 20 + 10 + 4 * 5 + 2 * 2);
    QCOMPARE(eliminateRows(m_tile, 5, 11).cycles.value(), 20 + 6 + 5 * (8 + 6 * 3));
    QCOMPARE(eliminateRows(m_tile, 5, 11).flops.value(), 5 * 23);
  }

  void degenerateSizes() {
    for (const int64_t n : {-3LL, 0LL, 1LL, 100003LL}) {
      QVERIFY(pivotSearch(m_tile, n, n).cycles.value() > 0 && pivotChoice(m_tile, n, n).cycles.value() > 0);
      QVERIFY(eliminateRows(m_tile, n, n).cycles.value() > 0 && eliminateRows(m_tile, n, n).flops.value() >= 0);
    }
  }

  void statesAndCodeAreCounted() {
    for (const VertexSpec& spec : {determinantSpec(), pivotSearchSpec(), pivotChoiceSpec(), eliminateRowsSpec()})
      QVERIFY(spec.kind == VertexKind::Worker && spec.code.value() > 0 && spec.state.value() > 0 && spec.edges >= 2);
  }
};

TILESCOPE_TEST(EliminationTest)
#include "elimination_test.moc"
