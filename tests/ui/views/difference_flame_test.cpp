#include "ui/views/compare/difference_flame.h"

#include "tests/support/test_main.h"

#include <QTest>

using analyser::compare::Presence;
using analyser::compare::ProgramDifference;
using ui::compare::flameFrames;

class DifferenceFlameTest : public QObject {
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
    add(d, 0, 20, 30);   // 2
    add(d, 0, 20, 0);    // 3: gone
    return d;
  }

private slots:
  void framesAreAsWideAsTheyAreInB() {
    const auto frames = flameFrames(tree(), -1, false, 800);
    QCOMPARE(frames.size(), std::size_t(3));
    QCOMPARE(frames[0].width, 800.0);
    QCOMPARE(frames[1].width, 500.0);
    QCOMPARE(frames[2].left, 500.0);
    QCOMPARE(frames[2].width, 300.0);
    QCOMPARE(frames[2].row, 1);
  }
  void vanishedFramesAreShownOnDemandAndChildrenStayInside() {
    const auto frames = flameFrames(tree(), -1, true, 1000);
    QCOMPARE(frames.size(), std::size_t(4));
    double end = 0;
    for (const auto& frame : frames) {
      if (frame.row != 1) continue;
      QCOMPARE(frame.left, end);
      end += frame.width;
    }
    QCOMPARE(end, 1000.0);
    QCOMPARE(frames[3].width, 200.0);
  }
  void anEnteredFrameFillsTheWidth() {
    const auto frames = flameFrames(tree(), 2, false, 640);
    QCOMPARE(frames.size(), std::size_t(1));
    QCOMPARE(frames[0].node, 2);
    QCOMPARE(frames[0].row, 0);
    QCOMPARE(frames[0].width, 640.0);
  }
  void nothingIsNarrowerThanAPixel() {
    for (const auto& frame : flameFrames(tree(), -1, true, 7)) QVERIFY(frame.width >= 1);
    QVERIFY(flameFrames({}, -1, false, 100).empty());
    QVERIFY(flameFrames(tree(), 3, false, 100).empty());
  }
};

TILESCOPE_TEST(DifferenceFlameTest)
#include "difference_flame_test.moc"
