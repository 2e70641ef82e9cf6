#include "analyser/trace/tile_cycles.h"

#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>

using namespace analyser;
using namespace analyser::trace;
using reports::Activity;

class TileCyclesTest : public QObject {
  Q_OBJECT
private slots:
  void aComputeStepIsBusyUnusedAndUnbalanced() {
    const std::vector<BusyRun> runs{{2, 100}, {1, 40}, {5, 0}};
    const TileCycles cost = tileCyclesOf(Activity::Compute, runs, 10, {0, 100}); // two tiles are not in the runs
    QCOMPARE(cost[TileTime::Busy], int64_t(240));
    QCOMPARE(cost[TileTime::Imbalance], int64_t(60));
    QCOMPARE(cost[TileTime::Unused], int64_t(700));
    QCOMPARE(cost.total(), int64_t(1000));
    QCOMPARE(cost.wasted(), int64_t(760));
    QVERIFY(cost.largestWaste() == TileTime::Unused);
  }
  void partsOfAStepSumToTheStep() {
    const std::vector<BusyRun> runs{{2, 100}, {1, 40}, {5, 0}, {3, 77}};
    const TileCycles whole = tileCyclesOf(Activity::OnTileCopy, runs, 16, {0, 100});
    for (int64_t cut = 0; cut <= 100; ++cut) {
      TileCycles sum = tileCyclesOf(Activity::OnTileCopy, runs, 16, {0, cut});
      sum += tileCyclesOf(Activity::OnTileCopy, runs, 16, {cut, 100});
      QCOMPARE(sum, whole);
    }
  }
  void everyPartHasTextsOfItsOwn() {
    std::set<std::string_view> texts;
    for (int k = 0; k < kTileTimes; ++k)
      for (const std::string_view text : {tileTimeTitle(TileTime(k)), tileTimeName(TileTime(k)), tileTimeMeaning(TileTime(k))})
        QVERIFY(!text.empty() && texts.insert(text).second);
    QCOMPARE(tileTimeTitle(TileTime::Idle), std::string_view("Idle"));
  }
  void allTilesWaitForExchangeSyncAndHost() {
    const std::vector<BusyRun> runs{{3, 10}};
    for (const auto& [activity, kind] : {std::pair{Activity::InternalExchange, TileTime::Exchange},
                                         {Activity::GlobalExchange, TileTime::Exchange},
                                         {Activity::Sync, TileTime::Sync},
                                         {Activity::HostStream, TileTime::Host}}) {
      const TileCycles cost = tileCyclesOf(activity, runs, 8, {0, 10});
      QCOMPARE(cost[kind], int64_t(80));
      QCOMPARE(cost.total(), int64_t(80));
    }
  }
  // The two ways to the same number: from the profiles of all steps, and from the slices of the trace.
  void stepsAndTraceAgree() {
    for (const tests::ReportShape& shape :
         {tests::ReportShape{1, 8, 5}, tests::ReportShape{2, 8, 7}, tests::ReportShape{4, 6, 3}}) {
      const tests::TinyReport report(shape);
      const auto session = Session::open(report.path().string());
      ExecutionTrace trace(*session);
      TileCycles fromTrace, fromSteps;
      for (const IpuTileCycles& ipu : tileCyclesOfRange(trace, trace.range())) {
        QCOMPARE(ipu.cost.total(), ipu.tiles * trace.range().size());
        fromTrace += ipu.cost;
      }
      for (const auto& [step, cost] : tileCyclesBySteps(*session)) fromSteps += cost.cost;
      fromSteps[TileTime::Idle] = fromTrace[TileTime::Idle];
      QCOMPARE(fromSteps, fromTrace);
    }
  }
  void anyRangeSumsToTilesTimesCycles() {
    const tests::TinyReport report(tests::ReportShape{2, 8, 7});
    const auto session = Session::open(report.path().string());
    ExecutionTrace trace(*session);
    const TickRange all = trace.range();
    for (int64_t i = 0; i < 60; ++i) {
      const int64_t a = all.begin + i * 7919 % all.size(), b = all.begin + i * 104729 % all.size();
      const TickRange range{std::min(a, b), std::max(a, b)};
      std::map<uint32_t, TileCycles> halves;
      const int64_t middle = range.begin + range.size() / 3;
      for (const TickRange half : {TickRange{range.begin, middle}, TickRange{middle, range.end}})
        for (const IpuTileCycles& ipu : tileCyclesOfRange(trace, half)) halves[uint32_t(ipu.track.value())] += ipu.cost;
      for (const IpuTileCycles& ipu : tileCyclesOfRange(trace, range)) {
        QCOMPARE(ipu.cost.total(), ipu.tiles * range.size());
        QCOMPARE(ipu.cost, halves[uint32_t(ipu.track.value())]);
        for (const int64_t part : ipu.cost.parts) QVERIFY(part >= 0);
      }
    }
  }
};

TILESCOPE_TEST(TileCyclesTest)
#include "tile_cycles_test.moc"
