#include "tests/support/test_main.h"

#include "simcore/codelets/workers.h"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <random>

using namespace simcore::codelets;
using reports::Cycles;

namespace {

// The definition, one vertex at a time.
int64_t scheduleOneByOne(const std::vector<WorkerRun>& runs, int workers) {
  std::vector<int64_t> freeAt(size_t(workers), 0);
  for (const WorkerRun& run : runs)
    for (int64_t i = 0; i < run.count; ++i) *std::min_element(freeAt.begin(), freeAt.end()) += run.workerCycles.value();
  return workers * *std::max_element(freeAt.begin(), freeAt.end());
}

// Without idle workers.
Cycles busyWorkerCycles(const std::vector<WorkerRun>& runs) {
  Cycles sum{0};
  for (const WorkerRun& run : runs) sum += run.workerCycles * run.count;
  return sum;
}

// Grain by grain, the first workers first.
std::vector<int64_t> splitAmongWorkers(int64_t elements, int64_t grain, int workers) {
  workers = std::max(workers, 1);
  grain = std::max<int64_t>(grain, 1);
  std::vector<int64_t> shares(size_t(workers), 0);
  const int64_t grains = (elements + grain - 1) / grain;
  int64_t left = std::max<int64_t>(elements, 0);
  for (int worker = 0; worker < workers; ++worker) {
    const int64_t mine = grains / workers + (worker < grains % workers ? 1 : 0);
    shares[size_t(worker)] = std::min(left, mine * grain);
    left -= shares[size_t(worker)];
  }
  return shares;
}

} // namespace

class WorkersTest : public QObject {
  Q_OBJECT

private slots:
  void equalVerticesTakeWholeRounds() {
    for (const int64_t count : {0LL, 1LL, 5LL, 6LL, 7LL, 48LL, 100003LL}) {
      const WorkerRun run{count, Cycles(77)};
      QCOMPARE(scheduleWorkers({&run, 1}, 6).value(), (count + 5) / 6 * 77 * 6);
    }
  }

  // Validation case A13: 48 dot vertices of 77 cycles and 7 reductions of 9 on the fullest tile.
  void matrixVectorTutorial() {
    const WorkerRun dots{48, Cycles(77)}, reductions{7, Cycles(9)};
    QCOMPARE(scheduleWorkers({&dots, 1}, 6).value(), 3696);
    QCOMPARE(scheduleWorkers({&reductions, 1}, 6).value(), 108);
  }

  void agreesWithPlainListScheduling() {
    std::mt19937 random(7);
    for (int round = 0; round < 400; ++round) {
      std::vector<WorkerRun> runs(1 + random() % 5);
      for (WorkerRun& run : runs) run = {int64_t(random() % 40), Cycles(random() % 30)};
      const int workers = 1 + int(random() % 6);
      QCOMPARE(scheduleWorkers(runs, workers).value(), scheduleOneByOne(runs, workers));
    }
  }

  void neverBelowTheBusyTime() {
    const std::vector<WorkerRun> runs{{10, Cycles(100)}, {3, Cycles(7)}, {1, Cycles(500)}};
    QCOMPARE(busyWorkerCycles(runs).value(), 1000 + 21 + 500);
    QVERIFY(scheduleWorkers(runs, 6) >= busyWorkerCycles(runs));
  }

  void hugeRunsAreQuickAndExact() {
    const std::vector<WorkerRun> runs{{1, Cycles(1000)}, {1000000000000, Cycles(13)}, {5, Cycles(1)}};
    const int64_t cycles = scheduleWorkers(runs, 6).value();
    const int64_t busy = busyWorkerCycles(runs).value();
    QVERIFY(cycles >= busy && cycles - busy < 6 * 13 + 6);
  }

  void splitsCoverEverythingInGrains() {
    for (const int64_t n : {0LL, 1LL, 2LL, 5LL, 13LL, 171LL, 1024LL, 99991LL})
      for (const int64_t grain : {1LL, 2LL, 4LL}) {
        const std::vector<int64_t> shares = splitAmongWorkers(n, grain, 6);
        QCOMPARE(std::accumulate(shares.begin(), shares.end(), int64_t(0)), n);
        QCOMPARE(*std::max_element(shares.begin(), shares.end()), largestShare(n, grain, 6));
        QVERIFY(std::is_sorted(shares.rbegin(), shares.rend()));
        QVERIFY(std::count_if(shares.begin(), shares.end(), [grain](int64_t s) { return s % grain != 0; }) <= 1);
      }
  }

  void oddWorkerCounts() {
    QCOMPARE(scheduleWorkers({}, 6).value(), 0);
    const WorkerRun run{4, Cycles(10)};
    QCOMPARE(scheduleWorkers({&run, 1}, 1).value(), 40);
    QCOMPARE(scheduleWorkers({&run, 1}, 0).value(), 0);
  }
};

TILESCOPE_TEST(WorkersTest)
#include "workers_test.moc"
