#include "analyser/compare/operation_pairs.h"

#include "tests/support/test_main.h"

#include <QTest>

using namespace analyser::compare;
using analyser::operations::Operation;
using analyser::operations::Operations;

namespace {
Operation rowOf(const char* name, int64_t cycles, std::vector<int> ipus = {0}) {
  Operation o;
  o.name = name, o.kind = "matmul", o.ipus = std::move(ipus);
  o.compute = o.total = reports::Cycles(cycles);
  return o;
}
QStringList namesOf(const OperationsOfBoth& both) {
  QStringList names;
  for (const auto& row : both.all.rows) names << QString::fromStdString(row.name);
  return names;
}
} // namespace

class OperationPairsTest : public QObject {
  Q_OBJECT

private slots:
  // In the base's order, then those of the other, in the folder of their neighbours.
  void oneListHasTheRowsOfBoth() {
    Operations a, b;
    a.rows = {rowOf("old/x", 10), rowOf("old/gone", 20), rowOf("old/y", 30)};
    b.rows = {rowOf("new/y", 33), rowOf("new/x", 10), rowOf("new/added", 5)};
    b.rows.back().kind = "reduce"; // else it would be a guess for the one that is gone
    const auto both = operationsOfBoth(a, b, operationPairs(a, {}, b, {}, {}));
    QCOMPARE(namesOf(both), (QStringList{"old/x", "old/gone", "old/y", "old/added"}));
    QCOMPARE(both.pairs[0].inOther, 1);
    QCOMPARE(both.pairs[1].presence(), Presence::BaseOnly);
    QCOMPARE(both.pairs[2].inOther, 0);
    QCOMPARE(both.pairs[3].presence(), Presence::OtherOnly);
    QCOMPARE(operationsVerdict(both.pairs, a, b).text(),
             std::string("3 of 4 operations differ: 2 slower, 1 faster; most old/gone -20 cycles."));
    // Every operation that differs is counted once.
    Operations c = a;
    c.rows[0].codeBytes = reports::Bytes(8), c.rows[1].compute = reports::Cycles(1),
    c.rows[2].compute = c.rows[2].total = reports::Cycles(31);
    QCOMPARE(operationsVerdict(operationPairs(a, {}, c, {}, {}), a, c).text(),
             std::string("3 of 3 operations differ: 1 slower, 0 faster, 1 with the same cycles but other memory, 1 with the same "
                         "cycles and memory but another name or other parts; most old/y +1 cycles."));
    QCOMPARE(operationsVerdict(operationPairs(a, {}, a, {}, {}), a, a).text(), std::string("All 3 operations cost the same."));
    QCOMPARE(operationsVerdict({}, {}, {}).text(), std::string("Neither report lists operations."));
  }

  void rowsOfLayersPairByNameAndNumber() {
    Operations a, b;
    a.rows = {rowOf("call", 1), rowOf("call", 2), rowOf("gone", 3)};
    b.rows = {rowOf("call", 4), rowOf("added", 5), rowOf("call", 6), rowOf("call", 7)};
    const auto both = layersOfBoth(a, b);
    QCOMPARE(namesOf(both), (QStringList{"call", "call", "gone", "added", "call"}));
    QCOMPARE(both.pairs[0].inOther, 0);
    QCOMPARE(both.pairs[1].inOther, 2);
    QCOMPARE(both.pairs[2].inOther, -1);
    QCOMPARE(both.pairs[4].inOther, 3);
  }

  void anOperationThatMovedIsTwoRowsByIpu() {
    Operations a, b;
    a.rows = {rowOf("x", 10), rowOf("y", 20, {1})};
    b.rows = {rowOf("x", 11), rowOf("y", 20, {0})};
    const auto both = operationsOfBoth(a, b, operationPairs(a, {}, b, {}, {}));
    QCOMPARE(both.pairs.size(), std::size_t(2));
    const auto apart = apartByIpus(both, a, b);
    QCOMPARE(apart.pairs.size(), std::size_t(3));
    QCOMPARE(apart.all.rows[1].ipus, std::vector<int>{1});
    QCOMPARE(apart.all.rows[2].ipus, std::vector<int>{0});
    QCOMPARE(apart.pairs[2].presence(), Presence::OtherOnly);
  }
};

TILESCOPE_TEST(OperationPairsTest)
#include "operation_pairs_test.moc"
