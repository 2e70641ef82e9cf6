#include "analyser/memory/tile_memory.h"
#include "analyser/memory/tile_metrics.h"

#include "analyser/memory/tile_details.h"
#include "analyser/program/program_tree.h"
#include "reports/core/error.h"
#include "reports/sqlite/reader.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <numeric>

using namespace analyser;
using namespace analyser::memory;

class TileMetricsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { m_session = Session::open(m_report.path().string()); }

  void everyTileHasAValueAndTheyAddUp() {
    for (int m = 0; m < kTileMetrics; ++m) {
      const auto metric = tileMetric(*m_session, TileMetric(m));
      QCOMPARE(metric.values.size(), std::size_t(16));
      QCOMPARE(metric.sum, std::accumulate(metric.values.begin(), metric.values.end(), int64_t(0)));
      QVERIFY(metric.max > 0);
      QCOMPARE(metric.values[metric.maxTile.value()], metric.max);
    }
    const auto used = tileMetric(*m_session, TileMetric::Utilisation);
    QVERIFY(used.max <= 1'000'000);
  }
  // The steps one by one, as often as they ran, are the whole run; profiles of one step may differ, so that those which do are left out.
  void cyclesOfStepsSumToTheRun() {
    std::vector<int64_t> sum(16, 0);
    m_session->reader().forEach<reports::StepProfileRow>({}, {}, [&](const reports::StepProfileRow& row) {
      const auto step = m_session->reader().first<reports::ProgramStepRow>("id = ?", {row.programStepId});
      if (step->activity != int64_t(reports::Activity::Compute) && step->activity != int64_t(reports::Activity::OnTileCopy))
        return;
      const auto cycles = reports::unpackRuns(row.cyclesByTile, std::size_t(row.tiles), "cycles");
      for (std::size_t i = 0; i < cycles.size(); ++i) sum[std::size_t(row.firstTile) + i] += cycles[i] * row.executions;
    });
    QCOMPARE(tileMetric(*m_session, TileMetric::Cycles).values, sum);
  }
  // At each step a tile's layout has the same live bytes as the metric. Step value <= maximum of all steps <= the tile's memory.
  void whatIsAliveIsOfTheLayout() {
    const auto most = tileMetric(*m_session, TileMetric::Alive);
    const auto total = tileMemory(*m_session).total;
    std::size_t steps = 0;
    m_session->reader().forEach<reports::ProgramStepRow>(
        "liveness_step IS NOT NULL", {}, [&](const reports::ProgramStepRow& row) {
          ++steps;
          const auto at = tileMetric(*m_session, TileMetric::Alive, reports::ProgramStepId(std::size_t(row.id)));
          for (std::size_t tile = 0; tile < at.values.size(); ++tile) {
            int64_t expected = 0;
            for (const auto& v : tileLayout(*m_session, TileId(tile)).variables)
              if (!v.isGap && v.isLiveAt(*row.livenessStep)) expected += v.size.value();
            QCOMPARE(at.values[tile], expected);
            QVERIFY(at.values[tile] <= most.values[tile]);
            QVERIFY(most.values[tile] <= total.values[tile].value());
          }
        });
    QVERIFY(steps > 3);
  }
  void theVerdictCountsTheGivenTiles() {
    TileMetricValues metric;
    metric.metric = TileMetric::Cycles;
    metric.values = {0, 300, 500, 9000, 0, 100};
    const std::vector<int> some{0, 1, 2, 4, 5}, idle{0, 4};
    QCOMPARE(metricVerdict(metric, some).text(),
             std::string("Over the run tile 2 computes most, 500 cycles; 3 tiles compute, 300 cycles in the mean; 2 do not."));
    QCOMPARE(metricVerdict(metric, idle).text(), std::string("Over the run no tile of this IPU computes anything."));
    metric.metric = TileMetric::Utilisation;
    metric.step = reports::ProgramStepId(7);
    metric.values = {250'000, 750'000};
    QCOMPARE(metricVerdict(metric, std::vector<int>{0, 1}).text(),
             std::string("In this step tile 1 takes part most, 75.0 % of the time; 2 tiles take part, 50.0 % in the mean."));
  }
  void bytesOfTheRunAreThoseOfTheProgram() {
    const auto received = tileMetric(*m_session, TileMetric::BytesIn), sent = tileMetric(*m_session, TileMetric::BytesOut);
    int64_t all = 0;
    m_session->reader().forEach<reports::ExchangeRow>({}, {}, [&](const reports::ExchangeRow& row) {
      m_session->reader().forEach<reports::ProgramStepRow>("exchange_id = ?", {row.id}, [&](const reports::ProgramStepRow& step) {
        std::map<int64_t, int64_t> byIpu;
        m_session->reader().forEach<reports::StepProfileRow>(
            "program_step_id = ?", {step.id},
            [&](const reports::StepProfileRow& profile) { byIpu[profile.ipu.value_or(-1)] += profile.executions; });
        int64_t most = 0;
        for (const auto& [ipu, count] : byIpu) most = std::max(most, count);
        all += row.totalBytes * most;
      });
    });
    QCOMPARE(received.sum, all);
    QVERIFY(sent.sum > 0);
  }
  void aStepIsOneExecution() {
    const auto steps = costlySteps(*m_session);
    QVERIFY(!steps.empty());
    for (const CostlyStep& step : steps) {
      QVERIFY(step.cycles > Cycles() && step.executions > 0);
      const auto metric = tileMetric(*m_session, TileMetric::Cycles, step.step);
      QVERIFY2(metric.max <= step.cycles.value(), step.name.c_str());
      const auto row = m_session->reader().first<reports::ProgramStepRow>("id = ?", {int64_t(step.step.value())});
      const auto activity = reports::Activity(row->activity);
      const bool isWork = activity == reports::Activity::Compute || activity == reports::Activity::OnTileCopy;
      QCOMPARE(metric.max > 0, isWork); // an exchange computes nothing
      QVERIFY(tileMetric(*m_session, TileMetric::Utilisation, step.step).max <= 1'000'000);
    }
    QVERIFY_EXCEPTION_THROWN(tileMetric(*m_session, TileMetric::Cycles, reports::ProgramStepId(99999)), reports::Error);
  }
  // Two variables share memory if their addresses overlap, and each lists the other.
  void sharingIsMutual() {
    const TileLayout layout = tileLayout(*m_session, TileId(3));
    const auto shared = sharedMemory(layout);
    QCOMPARE(shared.size(), layout.variables.size());
    std::size_t pairs = 0;
    for (std::size_t a = 0; a < shared.size(); ++a)
      for (std::size_t b = 0; b < shared.size(); ++b) {
        const auto &x = layout.variables[a], &y = layout.variables[b];
        const bool meet = a != b && !x.isGap && !y.isGap && x.size > Bytes() && y.size > Bytes() &&
                          x.address < y.address + y.size && y.address < x.address + x.size;
        QCOMPARE(std::find(shared[a].begin(), shared[a].end(), int(b)) != shared[a].end(), meet);
        pairs += meet;
      }
    QVERIFY(pairs > 0);
  }

private:
  tests::TinyReport m_report{{.ipus = 2, .tilesPerIpu = 8, .operations = 5}};
  std::shared_ptr<Session> m_session;
};

TILESCOPE_TEST(TileMetricsTest)
#include "tile_metrics_test.moc"
