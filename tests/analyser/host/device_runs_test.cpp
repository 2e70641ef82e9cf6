#include "analyser/host/activity.h"
#include "analyser/host/heatmaps.h"
#include "analyser/trace/call_tree.h"
#include "tests/support/called_tracks.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>

using namespace analyser;
using host::HostTimeline;

// The device, derived rows, heatmaps and offsets on the host's axis. In the report run 0 lasts from 950,000 to 2,950,000 ns.
class DeviceRunsTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    m_session = Session::open(m_report.path().string());
    m_host = std::make_unique<HostTimeline>(*m_session);
  }
  void cleanup() { m_host.reset(); }

  void aSliceLeadsToItsRun() {
    host::DeviceRuns& device = m_host->device();
    QCOMPARE(device.runs().size(), std::size_t(1));
    const host::LinkedRun& run = device.runs()[0];
    QCOMPARE(run.host, (trace::TickRange{950'000, 2'950'000}));
    QCOMPARE(run.hostTick(run.cycles.begin), run.host.begin);
    QCOMPARE(run.hostTick(run.cycles.end), run.host.end);
    QCOMPARE(run.cycle(run.hostTick((run.cycles.begin + run.cycles.end) / 2)) / 10, (run.cycles.begin + run.cycles.end) / 2 / 10);
    QCOMPARE(device.startedBy(run.track, run.depth, run.slice), &run);
    QVERIFY(!device.startedBy(run.track, run.depth, run.slice + 1));
    QVERIFY(device.at(950'000) && device.at(2'949'999));
    QVERIFY(!device.at(949'999) && !device.at(2'950'000));
  }
  // The drawn steps are those of the run, in its order and at its times; none is outside the run.
  void stepsLieWithinTheRun() {
    host::DeviceRuns& device = m_host->device();
    const host::LinkedRun run = device.runs()[0];
    const trace::Track& ipu = device.slices().tracks().at(0);
    int64_t drawn = 0;
    for (int depth = 0; depth < ipu.depths; ++depth) {
      const auto own = device.slices().slices(ipu.id, depth, run.cycles, 1'000'000);
      const auto cells = device.cells(ipu.id, depth, m_host->range(), 4'000'000).cells;
      int64_t slices = 0, before = run.host.begin;
      for (const trace::Cell& cell : cells) {
        QVERIFY(cell.ticks.begin >= before && cell.ticks.end <= run.host.end);
        before = cell.ticks.begin;
        slices += cell.exact ? 1 : cell.slices;
      }
      QVERIFY(slices <= int64_t(own.size()));
      if (!own.empty()) QVERIFY(slices > 0);
      drawn += slices;
      if (cells.empty() || !cells[0].exact) continue;
      const auto found = device.sliceAt(ipu.id, depth, (cells[0].ticks.begin + cells[0].ticks.end) / 2);
      QVERIFY(found.has_value());
    }
    QVERIFY2(drawn > 2, qPrintable(QString::number(drawn)));
    QVERIFY(!device.sliceAt(ipu.id, 0, 100));
    QVERIFY(device.cells(ipu.id, 0, {0, 900'000}, 500).cells.empty());
    // From afar the run is one cell.
    const auto far = device.cells(ipu.id, 0, {0, 1'000'000'000}, 100).cells;
    QCOMPARE(far.size(), std::size_t(1));
    QCOMPARE(far[0].ticks, run.host);
    QVERIFY(far[0].slices >= 2 && far[0].density() <= 1);
  }
  // A process with a time offset has the same slices, instants, flows, statistics and run, only later.
  void anOffsetMovesAllOfAProcess() {
    constexpr int64_t kLater = 123'457;
    const auto& main = m_host->processes()[0].threads[0];
    const auto before = m_host->range();
    const auto slices = m_host->slices().slices(main.track, 1, before, 100);
    const auto instants = m_host->instants(main.track, before, 100);
    const auto statistics = m_host->statistics(before);
    const auto stream = m_host->processes()[0].threads[1].track;
    const auto flow = m_host->flowsOf(stream, m_host->slices().slices(stream, 0, before, 10)[0], 10).at(0);
    m_host->setOffset(m_host->processes()[0].id, Nanoseconds(kLater));
    const auto after = m_host->range();
    QCOMPARE(after, (trace::TickRange{before.begin + kLater, before.end + kLater}));
    const auto moved = m_host->slices().slices(main.track, 1, after, 100);
    QCOMPARE(moved.size(), slices.size());
    for (std::size_t i = 0; i < moved.size(); ++i) {
      QCOMPARE(moved[i].ticks.begin, slices[i].ticks.begin + kLater);
      QCOMPARE(m_host->slices().sliceAt(main.track, 1, moved[i].ticks.begin)->number, slices[i].number);
      QCOMPARE(m_host->slices().previous(main.track, 1, moved[i].ticks.end)->number, slices[i].number);
    }
    const auto cells = m_host->slices().cells(main.track, 1, after, 100'000).cells;
    QCOMPARE(cells.at(0).ticks.begin, moved[0].ticks.begin);
    QCOMPARE(m_host->instants(main.track, after, 100).at(1).tick, instants.at(1).tick + kLater);
    const auto now = m_host->statistics(after);
    QCOMPARE(now.size(), statistics.size());
    for (std::size_t i = 0; i < now.size(); ++i) QCOMPARE(now[i].total, statistics[i].total);
    const auto movedFlow = m_host->flowsOf(stream, m_host->slices().slices(stream, 0, after, 10)[0], 10).at(0);
    QCOMPARE(movedFlow.fromTick, flow.fromTick + kLater);
    QCOMPARE(m_host->device().runs()[0].host.begin, 950'000 + kLater);
    m_host->setOffset(m_host->processes()[0].id, Nanoseconds(0));
    QCOMPARE(m_host->range(), before);
    QCOMPARE(m_host->device().runs()[0].host.begin, int64_t(950'000));
  }
  // Busy threads, summed over the columns, are the time that outermost slices cover.
  void busyThreadsAddUp() {
    const auto range = m_host->range();
    for (const int pixels : {1, 100, 1777}) {
      const auto columns = host::activityColumns(*m_host, range, pixels);
      double sum = 0;
      for (const float v : columns.busyThreads) sum += v;
      double covered = 0;
      for (const auto& track : m_host->slices().tracks())
        covered += double(m_host->slices().busyTicks(track.id, 0, range).total());
      QVERIFY(std::abs(sum * double(range.size()) / pixels - covered) < covered / 1000);
      QCOMPARE(columns.device.size(), std::size_t(pixels));
      for (const float v : columns.device) QVERIFY(v >= 0 && v <= 1.001f);
    }
    const auto early = host::activityColumns(*m_host, {0, 900'000}, 50);
    for (const float v : early.device) QCOMPARE(v, 0.0f); // no run yet
  }
  void heatmapColumnsKeepEveryCount() {
    const auto maps = host::heatmaps(*m_session);
    QCOMPARE(maps.size(), std::size_t(1));
    QCOMPARE(maps[0].bins(), 3);
    for (const int pixels : {1, 4, 1000}) {
      int64_t counts = 0;
      const auto columns = host::heatmapColumns(*m_session, maps[0], m_host->range(), pixels);
      for (const auto& column : columns) counts += column.total();
      QCOMPARE(counts, int64_t(10 * 11));
      QVERIFY(columns.size() <= std::size_t(pixels + 1));
    }
    QCOMPARE(host::heatmapColumns(*m_session, maps[0], {1, 280'001}, 1000).size(), std::size_t(1));
  }
  // Bottom-up tree: the totals of the roots are the self times of the tree, and the callers of a name sum to its self time.
  void bottomUpAddsUp() {
    const auto down = trace::callTree(m_host->slices(), tests::calledTracks(*m_host), m_host->range(), 1000);
    const auto up = trace::bottomUp(down, 1000);
    int64_t selves = 0, roots = 0;
    std::set<uint32_t> names;
    for (const auto& node : down) selves += node.self;
    for (const auto& node : up) {
      if (node.parent >= 0) continue;
      roots += node.total;
      QVERIFY(names.insert(node.name.value()).second); // once each
    }
    QCOMPARE(roots, selves);
    const auto pass =
        std::find_if(down.begin(), down.end(), [&](const auto& n) { return m_session->text(n.name) == "lowering"; });
    QVERIFY(pass != down.end());
    const auto within = trace::withinName(down, pass->name);
    QCOMPARE(within[0].parent, -1);
    QCOMPARE(within[0].total, pass->total);
    QVERIFY(within.size() > 1);
    QVERIFY(trace::withinName(down, StringId(std::size_t(0xfffffff))).empty());
  }
  void durationsOfALabel() {
    const auto list = m_host->statistics(m_host->range());
    for (const auto& s : list) {
      auto durations = m_host->durations(m_host->range(), s.name, s.category, 1000);
      QCOMPARE(int64_t(durations.size()), s.count);
      QCOMPARE(*std::max_element(durations.begin(), durations.end()), s.max);
    }
    QCOMPARE(m_host->durations(m_host->range(), list[0].name, uint8_t(list[0].category + 1), 1000).size(), std::size_t(0));
  }

private:
  tests::TinyReport m_report;
  std::shared_ptr<Session> m_session;
  std::unique_ptr<HostTimeline> m_host;
};

TILESCOPE_TEST(DeviceRunsTest)
#include "device_runs_test.moc"
