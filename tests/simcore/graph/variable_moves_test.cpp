// A copy of several variables: which variable is copied to which.
#include "simcore/graph/variable_moves.h"

#include "simcore/arch/machine.h"
#include "simcore/graph/graph.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using graph::Tensor;
using graph::VariableMove;

class VariableMovesTest : public QObject {
  Q_OBJECT

  graph::Graph m_graph{arch::tinyMachine(2)};
  Tensor variable(const char* name, int64_t elements) {
    return m_graph.addVariable(numerics::ElementType::Float, {elements}, name);
  }
  static graph::VariableId idOf(const Tensor& tensor) { return tensor.variables().front(); }

private slots:
  void regionsOfDifferentLengthsMeet() {
    const Tensor a = variable("a", 4), b = variable("b", 6), c = variable("c", 7), d = variable("d", 3);
    const auto moves = graph::movesOf(graph::concat({a, b}), graph::concat({c, d})); // c takes all of a and half of b
    std::vector<VariableMove> expected{{idOf(a), idOf(c)}, {idOf(b), idOf(c)}, {idOf(b), idOf(d)}};
    std::sort(expected.begin(), expected.end());
    QVERIFY(moves == expected);
  }
  void partsThatAreAsLongMeetOnce() {
    const Tensor a = variable("a", 4), b = variable("b", 4), c = variable("c", 4), d = variable("d", 4);
    std::vector<VariableMove> expected{{idOf(a), idOf(d)}, {idOf(b), idOf(c)}};
    std::sort(expected.begin(), expected.end());
    QVERIFY(graph::movesOf(graph::concat({a, b}), graph::concat({d, c})) == expected);
  }
  void oneBecomesAllItIsCopiedTo() {
    const Tensor a = variable("a", 8), b = variable("b", 4), c = variable("c", 4);
    QCOMPARE(graph::movesOf(a, graph::concat({b, c})).size(), std::size_t(2));
    QCOMPARE(graph::movesOf(a.slice(0, 4), b).size(), std::size_t(1));
  }
};

TILESCOPE_TEST(VariableMovesTest)
#include "variable_moves_test.moc"
