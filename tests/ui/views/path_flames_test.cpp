#include "ui/views/program/path_flames.h"

#include "tests/support/test_main.h"

#include <QTest>

using analyser::compare::Presence;
using analyser::compare::ProgramDifference;
using ui::program::flameBoxes;

class PathFlamesTest : public QObject {
  Q_OBJECT

  static void add(ProgramDifference& d, int parent, int64_t base, int64_t other) {
    analyser::compare::ProgramDifferenceNode node;
    node.parent = parent, node.base = reports::Cycles(base), node.other = reports::Cycles(other);
    node.presence = base && other ? Presence::Both : base ? Presence::BaseOnly : Presence::OtherOnly;
    d.nodes.push_back(node);
  }
  static ProgramDifference tree() {
    ProgramDifference d;
    add(d, -1, 100, 80); // 0: a root with
    add(d, 0, 60, 50);   // 1
    add(d, 0, 20, 0);    // 2: gone
    add(d, 0, 20, 30);   // 3
    return d;
  }

private slots:
  void boxesAreAsWideAsTheyAreInB() {
    const auto boxes = flameBoxes(tree(), false);
    QCOMPARE(boxes.size(), std::size_t(3));
    QCOMPARE(boxes[0].value, int64_t(80));
    QCOMPARE(boxes[1].value, int64_t(50));
    QCOMPARE(boxes[2].value, int64_t(30));
    QCOMPARE(boxes[2].parent, 0);
    QCOMPARE(boxes[2].colour, 3); // its node
  }
  void vanishedStepsAreShownOnDemandAndStayInside() {
    const auto boxes = flameBoxes(tree(), true);
    QCOMPARE(boxes.size(), std::size_t(4));
    QVERIFY(boxes[2].isGone && !boxes[3].isGone);
    QCOMPARE(boxes[2].value, int64_t(20));
    int64_t inside = 0;
    for (const auto& box : boxes)
      if (box.parent == 0) inside += box.value;
    QCOMPARE(boxes[0].value, inside);
  }
  void nothingIsShownOfNothing() {
    QVERIFY(flameBoxes({}, true).empty());
    ProgramDifference gone;
    add(gone, -1, 10, 0);
    QVERIFY(flameBoxes(gone, false).empty());
    QCOMPARE(flameBoxes(gone, true).size(), std::size_t(1));
  }
};

TILESCOPE_TEST(PathFlamesTest)
#include "path_flames_test.moc"
