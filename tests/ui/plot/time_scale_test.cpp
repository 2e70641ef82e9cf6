#include "ui/plot/time_scale.h"
#include "ui/plot/time_scene.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <random>

using namespace ui::plot;
using reports::TickRange;

class TimeScaleTest : public QObject {
  Q_OBJECT

private slots:
  // The pointer's time has the digits of a pixel: neighbours differ, far out and far in.
  void thePointerHasTheResolutionOfTheZoom() {
    TickFormat format;
    format.isNanoseconds = true;
    for (const double perPixel : {0.125, 1.0, 60.0, 1e4, 1e7}) {
      const int64_t tick = 12'345'678'901, next = tick + std::max<int64_t>(1, int64_t(perPixel));
      QVERIFY2(format.at(tick, perPixel) != format.at(next, perPixel), qPrintable(format.at(tick, perPixel)));
    }
    QVERIFY(format.at(12'345'678'901, 1e9).size() < format.at(12'345'678'901, 1).size());
  }

  void ticksLandInTheColumnTheyCameFrom() {
    std::mt19937_64 random(7);
    for (int i = 0; i < 2000; ++i) {
      const int64_t begin = int64_t(random() % (int64_t(1) << 58)), size = 1 + int64_t(random() % (int64_t(1) << (1 + i % 57)));
      const TimeScale scale({begin, begin + size}, 1 + int(random() % 4000));
      const int64_t tick = begin + int64_t(random() % uint64_t(size));
      const int column = scale.columnOf(tick);
      QVERIFY(column >= 0 && column < scale.width());
      QVERIFY(scale.tickAt(column) <= tick);
      if (column + 1 < scale.width()) QVERIFY(scale.tickAt(column + 1) + 1 >= tick || scale.ticksPerPixel() < 1);
    }
  }

  void neighbouringCyclesStayApartFarFromZero() {
    const int64_t far = int64_t(1) << 60; // 2^60 + 1 is not a double
    const TimeScale scale({far, far + 100}, 1000);
    QCOMPARE(scale.xOf(far + 1), 10.0);
    QCOMPARE(scale.xOf(far + 2), 20.0);
    QCOMPARE(scale.tickAt(10.5), far + 1);
  }

  void anEventOfOneCycleAlwaysHasAColumn() {
    const TimeScale scale({0, int64_t(1) << 50}, 800);
    for (int64_t at = 0; at < (int64_t(1) << 50); at += (int64_t(1) << 43) + 12345)
      QCOMPARE(scale.columnsOf({at, at + 1}).size(), 1);
    QVERIFY(scale.columnsOf({-10, 0}).empty());
    QCOMPARE(scale.columnsOf({-10, 1}).begin, 0);
  }

  void degenerateScalesDoNotDivideByZero() {
    const TimeScale empty({5, 5}, 0);
    QCOMPARE(empty.width(), 1);
    QCOMPARE(empty.visible().size(), 1);
    QCOMPARE(empty.columnOf(5), 0);
    QCOMPARE(TimeScale({9, 3}, 10).visible(), (TickRange{9, 10}));
  }

  void zoomKeepsTheTickUnderThePointer() {
    const TickRange extent{0, 1000000};
    TimeScale scale({200000, 600000}, 1000);
    const int64_t under = scale.tickAt(250);
    for (int i = 0; i < 10; ++i) {
      scale = TimeScale(scale.zoomed(0.8, 250, extent), 1000);
      QVERIFY(std::abs(scale.tickAt(250) - under) <= std::max(2.0, scale.ticksPerPixel() * 2));
    }
    for (int i = 0; i < 60; ++i) scale = TimeScale(scale.zoomed(1.25, 250, extent), 1000);
    QCOMPARE(scale.visible(), extent);
    for (int i = 0; i < 200; ++i) scale = TimeScale(scale.zoomed(0.5, 500, extent), 1000);
    QVERIFY(scale.visible().size() >= 8 && scale.visible().size() <= 1000 / 8);
  }

  void panStopsAtTheEnds() {
    const TickRange extent{100, 1100};
    const TimeScale scale({400, 600}, 200);
    QCOMPARE(scale.panned(50, extent), (TickRange{450, 650}));
    QCOMPARE(scale.panned(-9999, extent), (TickRange{100, 300}));
    QCOMPARE(scale.panned(9999, extent), (TickRange{900, 1100}));
  }

  void axisUnitsFollowTheZoom() {
    const ui::theme::Format cycles;
    QCOMPARE(timeTicks(TimeScale({0, 4000000}, 1000), cycles).unit, QString("M cycles"));
    QCOMPARE(timeTicks(TimeScale({0, 900}, 1000), cycles).unit, QString("cycles"));
    const ui::theme::Format time({ui::theme::TimeUnit::Seconds, {}}, 1e9);
    QCOMPARE(timeTicks(TimeScale({0, 4000000}, 1000), time).unit, QString("ms"));
    QCOMPARE(timeTicks(TimeScale({0, 4000}, 1000), time).unit, QString("µs"));
    QCOMPARE(nanosecondTicks(TimeScale({0, 3000000000}, 1000)).unit, QString("s"));
  }

  void axisLabelsAreDistinctAndSpaced() {
    const ui::theme::Format cycles;
    for (const TickRange range :
         {TickRange{0, 10}, TickRange{123456789, 123456999}, TickRange{0, int64_t(1) << 52}, TickRange{999999, 1000007}}) {
      const TimeScale scale(range, 1200);
      const TimeTicks ticks = timeTicks(scale, cycles);
      QVERIFY(!ticks.ticks.empty());
      for (std::size_t i = 1; i < ticks.ticks.size(); ++i) {
        QVERIFY(ticks.ticks[i].label != ticks.ticks[i - 1].label);
        QVERIFY(scale.xOf(ticks.ticks[i].at) - scale.xOf(ticks.ticks[i - 1].at) >= 100);
      }
    }
  }
};

TILESCOPE_TEST(TimeScaleTest)
#include "time_scale_test.moc"
