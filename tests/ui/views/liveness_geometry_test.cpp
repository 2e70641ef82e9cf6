#include "ui/views/liveness/liveness_geometry.h"

#include "tests/support/test_main.h"

#include <QTest>

using namespace ui::liveness;

class LivenessGeometryTest : public QObject {
  Q_OBJECT

private slots:
  void barsFollowTheVisibleRange() {
    std::vector<analyser::liveness::Lifetime> lives(2);
    lives[0].intervals = {{0, 10}, {50, 60}};
    lives[1].intervals = {{90, 100}};
    const auto bars = lifetimeBars(lives, {0, 60, 72, 672});
    QCOMPARE(bars.size(), std::size_t(2));
    QCOMPARE(bars[1].left, 572.0);
    QCOMPARE(bars[1].right, 672.0);
    QVERIFY(lifetimeBars(lives, {0, 0, 0, 600}).empty());
    // A zoomed range may begin and end within a step, and so may the bars.
    const StepAxis axis{9.5, 19.5, 72, 672};
    QCOMPARE(lifetimeBars(lives, axis)[0].right, axis.xOf(10));
    QCOMPARE(axis.stepAt(axis.xOf(12.5)), int64_t(12));
  }

  void oneStepStaysVisible() {
    std::vector<analyser::liveness::Lifetime> lives(1);
    lives[0].intervals = {{500'000, 500'001}};
    const auto bars = lifetimeBars(lives, {0, 1'000'000, 0, 100});
    QCOMPARE(bars.size(), std::size_t(1));
    QVERIFY(bars[0].right - bars[0].left >= 2);
  }

  void namesKeepOffTheBars() {
    const StepAxis axis{0, 100, 50, 1050};
    const auto place = [&](std::vector<LifetimeBar> bars, double wide) { return namePlace(axis, bars, wide); };
    const auto after = place({{0, 60, 100}}, 200), before = place({{0, 800, 1000}}, 200), on = place({{0, 60, 1040}}, 200),
               cut = place({{0, 300, 1000}}, 900), between = place({{0, 60, 300}, {0, 600, 1040}}, 200);
    QVERIFY(!after.isOnBar && after.left >= 100 && after.room == 200);
    QVERIFY(before.isBefore && before.left + before.room <= 800 && before.room == 200);
    QVERIFY(on.isOnBar && on.left >= 60 && on.left + on.room <= 1040);
    QVERIFY(cut.isOnBar && cut.room < 900);
    // A variable with two lifetimes: its name is between the bars, not on one of them.
    QVERIFY(!between.isOnBar && between.left >= 300 && between.left + between.room <= 600);
  }

  void rowsAlive() {
    std::vector<analyser::liveness::Lifetime> lives(3);
    lives[0].intervals = {{0, 5}};
    lives[1].intervals = {{5, 9}};
    lives[2].intervals = {{0, 2}, {4, 6}};
    QCOMPARE(rowsAliveAt(lives, 4), (std::vector<int>{0, 2}));
    QCOMPARE(rowsAliveAt(lives, 5), (std::vector<int>{1, 2}));
  }

  void ordinalOfProgramStep() {
    std::vector<analyser::liveness::Step> steps(2);
    steps[0].ordinal = 0, steps[0].programStep = reports::ProgramStepId(7);
    steps[1].ordinal = 1, steps[1].programStep = reports::ProgramStepId(9);
    QCOMPARE(ordinalOf(steps, reports::ProgramStepId(9)), int64_t(1));
    QCOMPARE(ordinalOf(steps, reports::ProgramStepId(8)), int64_t(-1));
  }
};

TILESCOPE_TEST(LivenessGeometryTest)
#include "liveness_geometry_test.moc"
