#include "reports/exchange/scheduling_order.h"
#include "tests/support/test_main.h"

#include <QTest>

using reports::exchange::SchedulingChange;
using reports::exchange::SchedulingOrder;

class SchedulingOrderTest : public QObject {
  Q_OBJECT
private slots:
  // Eight CPUs one after another, as in a trace whose buffers were read once.
  void changesOfAllCpusComeInOrderOfTime() {
    constexpr int kCpus = 8, kOfCpu = 40'000;
    SchedulingOrder order;
    for (int cpu = 0; cpu < kCpus; ++cpu)
      for (int i = 0; i < kOfCpu; ++i) {
        SchedulingChange change;
        change.time = 1'000'000'000'000 + int64_t(i) * 5'000, change.cpu = cpu, change.thread = i % 50, change.name = i % 50 + 7;
        change.previous = i % 3 == 0 ? -1 : 12, change.previousState = i % 3 - 1, change.priority = 120;
        change.kind = i % 5 == 0 ? SchedulingChange::Waking : SchedulingChange::Switch;
        order.add(change);
      }
    int64_t taken = 0;
    order.takeAll([&](const SchedulingChange& change) {
      const int64_t i = taken / kCpus;
      QCOMPARE(change.time, 1'000'000'000'000 + i * 5'000);
      QCOMPARE(change.cpu, taken % kCpus); // equal times stay in the order of the file
      QCOMPARE(change.thread, i % 50);
      QCOMPARE(change.name, i % 50 + 7);
      QCOMPARE(change.previous, int64_t(i % 3 == 0 ? -1 : 12));
      QCOMPARE(change.previousState, i % 3 - 1);
      QCOMPARE(change.priority, int64_t(120));
      QCOMPARE(change.kind, i % 5 == 0 ? SchedulingChange::Waking : SchedulingChange::Switch);
      ++taken;
    });
    QCOMPARE(taken, int64_t(kCpus) * kOfCpu);
    order.takeAll([&](const SchedulingChange&) { ++taken; });
    QCOMPARE(taken, int64_t(kCpus) * kOfCpu); // they were dropped
  }
};

TILESCOPE_TEST(SchedulingOrderTest)
#include "scheduling_order_test.moc"
