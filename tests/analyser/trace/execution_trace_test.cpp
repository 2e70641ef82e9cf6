#include "analyser/trace/execution_trace.h"
#include "reports/sqlite/connection.h"
#include "reports/sqlite/reader.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <span>

using namespace analyser;
using namespace analyser::trace;

class ExecutionTraceTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    m_session = Session::open(m_report.path().string());
    m_trace = std::make_unique<ExecutionTrace>(*m_session);
  }
  void cleanupTestCase() { m_trace.reset(); }

  void detailsOfAStep() {
    const auto found = m_trace->statistics(m_trace->range(), "conv0/compute");
    QCOMPARE(found.size(), std::size_t(1));
    const auto slice = m_trace->slices().sliceAt(found[0].firstTrack, found[0].firstDepth, found[0].first.begin);
    QVERIFY(slice.has_value());
    const SliceDetails d = m_trace->details(found[0].firstTrack, *slice);
    QVERIFY(d.isStep);
    QCOMPARE(d.kind, std::string("OnTileExecute"));
    QCOMPARE(d.operation, std::string("model/conv0"));
    QCOMPARE(d.activity, reports::Activity::Compute);
    QCOMPARE(d.cyclesByTile.size(), std::size_t(8));
    Cycles busy;
    for (const Cycles c : d.cyclesByTile) busy += c;
    QCOMPARE(d.busyCycles, busy);
    QCOMPARE(d.cycles, *std::max_element(d.cyclesByTile.begin(), d.cyclesByTile.end()));
    QVERIFY(std::abs(d.balance - ratio(busy, d.cycles) / 8) < 1e-12);
  }
  // A range inside a step has a share of the step's work and bytes in proportion to its cycles.
  void aRangeInsideAStepHasItsPart() {
    const auto found = m_trace->statistics(m_trace->range(), "conv0/compute");
    const auto slice = *m_trace->slices().sliceAt(found[0].firstTrack, found[0].firstDepth, found[0].first.begin);
    const SliceDetails d = m_trace->details(found[0].firstTrack, slice);
    QVERIFY(d.flops.value() > 0 && slice.duration() > 4);
    const TickRange part{slice.ticks.begin + slice.duration() / 4, slice.ticks.begin + slice.duration() / 2};
    for (const IpuProportions& ipu : m_trace->proportions(part).ipus) {
      if (ipu.track != found[0].firstTrack) continue;
      const double expected = double(d.flops.value()) * double(part.size()) / double(slice.duration());
      QVERIFY2(std::abs(double(ipu.flops.value()) - expected) <= 1, qPrintable(QString::number(ipu.flops.value())));
    }
  }
  void profileIdsMayHaveGaps() {
    const tests::TinyReport gaps({.ipus = 2, .tilesPerIpu = 8, .operations = 3});
    {
      reports::Connection file(gaps.path(), reports::Connection::Mode::ReadWrite);
      file.execute("DELETE FROM step_profile WHERE id = (SELECT min(id) FROM step_profile)");
      file.close();
    }
    const auto session = Session::open(gaps.path().string());
    ExecutionTrace trace(*session);
    const auto last = session->reader().first<reports::StepProfileRow>("1 ORDER BY id DESC", {});
    QVERIFY(last.has_value());
    QVERIFY(trace.profileCount() > last->id); // else the last steps count for nothing
    const auto ids = profilesOf(*session, reports::ProgramStepId(std::size_t(last->programStepId)));
    QVERIFY(std::find(ids.begin(), ids.end(), last->id) != ids.end());
    QVERIFY(profilesOf(*session, reports::ProgramStepId()).empty());
  }
  // If several IPUs are equally busy, the verdict names one and gives the number of the others.
  void ipusThatAreAsBusyAreCounted() {
    const tests::TinyReport made({.ipus = 4, .tilesPerIpu = 8, .operations = 3});
    const auto session = Session::open(made.path().string());
    ExecutionTrace trace(*session);
    const Proportions p = trace.proportions(trace.range());
    const auto idle = [](const IpuProportions& ipu) { return ipu.shares.back().fraction; };
    double least = 1;
    for (const IpuProportions& ipu : p.ipus) least = std::min(least, idle(ipu));
    const auto alike = std::count_if(p.ipus.begin(), p.ipus.end(), [&](const auto& ipu) { return idle(ipu) <= least + 0.01; });
    const std::string verdict = p.verdict.text(), words = std::to_string(alike - 1) + " other IPU";
    QVERIFY2((verdict.find(words) != std::string::npos) == (alike > 1) && verdict.find("critical IPU") != std::string::npos,
             verdict.c_str());
  }

  // The second track becomes the track of I/O tiles: it shows these, the first one the other tiles, and both belong to one IPU.
  void ioTilesHaveATrackBesideTheirIpu() {
    const tests::TinyReport made({.ipus = 2, .tilesPerIpu = 8, .operations = 3});
    {
      reports::Connection file(made.path(), reports::Connection::Mode::ReadWrite);
      file.execute("UPDATE machine SET io_tiles = 3");
      file.execute("UPDATE track SET kind = 'ipu_io', ipu = 0 WHERE id = 1");
      file.close();
    }
    const auto session = Session::open(made.path().string());
    ExecutionTrace trace(*session);
    QCOMPARE(trace.tracks().size(), std::size_t(2));
    const Track &work = trace.tracks()[0], &io = trace.tracks()[1];
    QVERIFY(!work.isIo() && io.isIo());
    QCOMPARE(tilesOf(work, session->machine()), (reports::Range<int64_t>{0, 5}));
    QCOMPARE(tilesOf(io, session->machine()), (reports::Range<int64_t>{5, 8}));
    QVERIFY(session->machine().isIo(TileId(5)) && !session->machine().isIo(TileId(4)) && session->machine().isIo(TileId(15)));
    const Proportions p = trace.proportions(trace.range());
    QVERIFY(!p.ipus[0].io && p.ipus[1].io);
    const std::string verdict = p.verdict.text();
    QVERIFY2(verdict.find("critical") == std::string::npos, verdict.c_str());
    QVERIFY2(verdict.find("its I/O tiles exchange with the host") != std::string::npos, verdict.c_str());
    // Steps of the first track are drawn on its tiles only.
    const TileGrid grid = trace.tileGrid(work.range, TileId(0), 8, 8, 50);
    bool drawn = false;
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 50; ++column) {
        const auto& cell = grid.cells[std::size_t(row) * 50 + std::size_t(column)];
        if (cell.busy > 0 && row < 5) drawn = true;
        if (row >= 5) QCOMPARE(cell.busy, 0.0F); // the profiles of the second track are of tiles 8 to 15
      }
    QVERIFY(drawn);
  }
  // Computing tiles that wait for I/O tiles count as host streams, as in the summary, not as idle.
  void waitingForIoTilesIsNoIdleness() {
    const tests::TinyReport made({.ipus = 1, .tilesPerIpu = 8, .operations = 3, .ioTiles = 3});
    const auto session = Session::open(made.path().string());
    ExecutionTrace trace(*session);
    const auto track = std::find_if(trace.tracks().begin(), trace.tracks().end(), [](const Track& t) { return !t.isIo(); });
    const std::string verdict = trace.proportions({track->range.begin, trace.range().end + track->range.size()}).verdict.text();
    QVERIFY2(verdict.find("% waiting for its I/O tiles") != std::string::npos && verdict.find("idle") == std::string::npos,
             verdict.c_str());
  }
  void detailsOfAScope() {
    const auto found = m_trace->statistics(m_trace->range(), "model/conv0");
    const auto scope = std::find_if(found.begin(), found.end(), [](const auto& n) { return n.text == "model/conv0"; });
    QVERIFY(scope != found.end());
    const auto slice = m_trace->slices().sliceAt(scope->firstTrack, scope->firstDepth, scope->first.begin);
    const SliceDetails d = m_trace->details(scope->firstTrack, *slice);
    QVERIFY(!d.isStep);
    QCOMPARE(d.operation, std::string("model/conv0"));
    QCOMPARE(d.cycles.value(), slice->duration());
    // The scope holds the same as this range of its track.
    QVERIFY(d.inside);
    Cycles all;
    for (const auto& share : d.inside->shares) all += share.cycles;
    QCOMPARE(all, d.cycles);
    const auto whole = m_trace->proportions(slice->ticks);
    for (const auto& ipu : whole.ipus)
      if (ipu.track == scope->firstTrack) QCOMPARE(d.inside->flops, ipu.flops);
    QVERIFY(!d.steps.empty());
    int64_t busy = 0;
    for (const auto& n : d.steps) busy += n.sum;
    QVERIFY2(busy <= d.cycles.value(), "steps of one track overlap");
    QVERIFY(std::is_sorted(d.steps.begin(), d.steps.end(), [](const auto& a, const auto& b) { return a.total > b.total; }));
    for (const auto& n : d.steps) QCOMPARE(n.total, n.sum); // also that of a step named like its scope
  }
  void proportionsOfTheWholeAgreeWithTheRuns() {
    const Proportions p = m_trace->proportions(m_trace->range());
    QCOMPARE(p.ipus.size(), std::size_t(2));
    Cycles compute, exchange, sync, host;
    m_session->reader().forEach<reports::RunRow>({}, {}, [&](const reports::RunRow& r) {
      compute += Cycles(r.computeCycles);
      exchange += Cycles(r.exchangeCycles);
      sync += Cycles(r.syncCycles);
      host += Cycles(r.hostCycles);
    });
    const auto of = [&](reports::Activity a) { return p.ipus[0].shares[std::size_t(a)].cycles; };
    QCOMPARE(of(reports::Activity::Compute) + of(reports::Activity::OnTileCopy), compute);
    QCOMPARE(of(reports::Activity::InternalExchange) + of(reports::Activity::GlobalExchange), exchange);
    QCOMPARE(of(reports::Activity::Sync), sync);
    QCOMPARE(of(reports::Activity::HostStream), host);
    // The share of compute equals that of the summary: on-tile copies are part of it.
    const bool copies = of(reports::Activity::OnTileCopy) > Cycles();
    QCOMPARE(p.verdict.text().find("compute and copies") != std::string::npos, copies);
    const std::string ofOne = m_trace->proportions(m_trace->range(), {}, IpuId(0)).verdict.text();
    QCOMPARE(ofOne.find("compute and copies") != std::string::npos, copies);
  }
  void proportionsSumToOneInAnyRange() {
    const auto whole = m_trace->range();
    for (const auto range : {whole, TickRange{whole.begin + 123, whole.begin + 4567}, TickRange{whole.end - 1, whole.end + 50}}) {
      for (const IpuProportions& ipu : m_trace->proportions(range).ipus) {
        double sum = 0;
        for (const ActivityShare& s : ipu.shares) sum += s.fraction;
        QVERIFY(std::abs(sum - 1) < 1e-12);
        QVERIFY(ipu.tileUtilisation >= 0 && ipu.tileUtilisation <= 1);
        QVERIFY(ipu.computeBalance >= 0 && ipu.computeBalance <= 1);
      }
    }
  }
  void utilisationOfTheWholeIsThatOfTheProfiles() {
    double busy = 0;
    m_session->reader().forEach<reports::StepProfileRow>(
        "ipu = 0 AND program_step_id IN (SELECT id FROM program_step WHERE activity <= 1)", {},
        [&](const reports::StepProfileRow& r) { busy += double(r.busyCycles) * double(r.executions); });
    const auto p = m_trace->proportions(m_trace->range());
    QVERIFY(std::abs(p.ipus[0].tileUtilisation - busy / (8 * double(m_trace->range().size()))) < 1e-9);
  }
  // The sum over the grid is the busy tile time of the profiles, at any resolution of the grid.
  void gridKeepsTheBusyTime_data() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::newRow("one cell") << 1 << 1;
    QTest::newRow("coarse") << 3 << 10;
    QTest::newRow("rows of tiles") << 16 << 500;
    QTest::newRow("fine") << 16 << 4000;
  }
  void gridKeepsTheBusyTime() {
    QFETCH(int, rows);
    QFETCH(int, columns);
    const TileGrid grid = m_trace->tileGrid(m_trace->range(), TileId(0), 16, rows, columns);
    QCOMPARE(grid.rows, rows);
    QCOMPARE(grid.cells.size(), std::size_t(rows) * std::size_t(columns));
    double found = 0, expected = 0;
    for (int r = 0; r < rows; ++r) {
      const int tiles = (r + 1) * 16 / rows - r * 16 / rows;
      for (int c = 0; c < columns; ++c)
        found += double(grid.cells[std::size_t(r) * std::size_t(columns) + std::size_t(c)].busy) * tiles;
    }
    found *= double(m_trace->range().size()) / columns;
    m_session->reader().forEach<reports::StepProfileRow>(
        {}, {}, [&](const reports::StepProfileRow& r) { expected += double(r.busyCycles) * double(r.executions); });
    QVERIFY2(std::abs(found / expected - 1) < 1e-3, qPrintable(QString("%1 %2").arg(found).arg(expected)));
  }
  // With few slices the sketch equals the exact grid. With many it has the same busy time by activity, except steps that run once.
  void sketchesComeCloseToTheGrid() {
    QVERIFY(m_trace->tileSketch(m_trace->range(), TileId(0), 16, 4, 20).isExact);
    const tests::TinyReport made({.ipus = 1, .tilesPerIpu = 8, .operations = 3, .slices = 3 * ExecutionTrace::kSketched});
    const auto session = Session::open(made.path().string());
    ExecutionTrace trace(*session);
    const TileGrid exact = trace.tileGrid(trace.range(), TileId(0), 8, 8, 100);
    const TileGrid sketch = trace.tileSketch(trace.range(), TileId(0), 8, 8, 100);
    QVERIFY(exact.isExact && !sketch.isExact);
    QCOMPARE(sketch.cells.size(), exact.cells.size());
    double difference = 0;
    int sameActivity = 0;
    for (std::size_t i = 0; i < exact.cells.size(); ++i) {
      difference += std::abs(double(sketch.cells[i].busy) - double(exact.cells[i].busy));
      sameActivity += sketch.cells[i].activity == exact.cells[i].activity;
    }
    QVERIFY2(difference / double(exact.cells.size()) < 0.05, qPrintable(QString::number(difference)));
    QVERIFY2(sameActivity > int(exact.cells.size()) * 9 / 10, qPrintable(QString::number(sameActivity)));
  }
  // The executions of a whole report come from profiles, those of a range from slices. Two halves sum to the whole.
  void proportionsOfTheWholeAreThoseOfItsParts() {
    const auto range = m_trace->range();
    const int64_t middle = range.begin + range.size() / 2;
    const Proportions whole = m_trace->proportions(range);
    const Proportions parts[] = {m_trace->proportions({range.begin, middle}), m_trace->proportions({middle, range.end})};
    for (std::size_t i = 0; i < whole.ipus.size(); ++i) {
      int64_t bytes = 0, flops = 0;
      double busy = 0;
      for (const Proportions& part : parts) {
        bytes += part.ipus[i].bytesIn.value(), flops += part.ipus[i].flops.value();
        busy += part.ipus[i].tileUtilisation * double(part.range.size());
      }
      QVERIFY(std::abs(whole.ipus[i].bytesIn.value() - bytes) <= 1 &&
              std::abs(whole.ipus[i].flops.value() - flops) <= 1); // rounded
      QVERIFY(std::abs(busy / double(range.size()) - whole.ipus[i].tileUtilisation) < 1e-6);
    }
  }
  // Profiles that disagree with the slices, for instance if iterations are folded, are not used.
  void foldedExecutionsDoNotCount() {
    const tests::TinyReport folded({.ipus = 2, .tilesPerIpu = 8, .operations = 3});
    const auto shares = [&] {
      const auto session = Session::open(folded.path().string());
      ExecutionTrace trace(*session);
      return trace.proportions(trace.range()).ipus.at(0);
    };
    const IpuProportions before = shares();
    {
      reports::Connection file(folded.path(), reports::Connection::Mode::ReadWrite);
      file.execute("UPDATE step_profile SET executions = executions * 10");
      file.close();
    }
    const IpuProportions after = shares();
    QCOMPARE(after.flops, before.flops);
    QCOMPARE(after.tileUtilisation, before.tileUtilisation);
  }
  void gridShowsEachTileAtWork() {
    const auto found = m_trace->statistics(m_trace->range(), "conv0/compute");
    const auto slice = *m_trace->slices().sliceAt(found[0].firstTrack, found[0].firstDepth, found[0].first.begin);
    const SliceDetails d = m_trace->details(found[0].firstTrack, slice);
    // One column per cycle: tile t computes for its own cycles, then waits.
    const TileGrid grid = m_trace->tileGrid(slice.ticks, d.firstTile, 8, 8, int(slice.duration()));
    for (int t = 0; t < 8; ++t)
      for (int64_t c = 0; c < slice.duration(); ++c) {
        const GridCell& cell = grid.cells[std::size_t(t) * std::size_t(grid.columns) + std::size_t(c)];
        const bool works = c < d.cyclesByTile[std::size_t(t)].value();
        QCOMPARE(cell.activity, works ? reports::Activity::Compute : reports::Activity::Idle);
        QCOMPARE(cell.busy, works ? 1.0f : 0.0f);
      }
  }
  // Another order of the tiles only permutes the rows; a grouped row is the mean of the tiles at its positions.
  void gridOfTilesInAnotherOrder() {
    const auto range = m_trace->range();
    const auto order = m_trace->tilesByIdle(range, TileId(0), 16, false);
    QCOMPARE(order.size(), std::size_t(16));
    const TileGrid plain = m_trace->tileGrid(range, TileId(0), 16, 16, 40), once = m_trace->tileGrid(range, TileId(0), 16, 16, 1);
    const TileGrid sorted = m_trace->gridOf(order, range, 16, 40, false), folded = m_trace->gridOf(order, range, 4, 40, false);
    QCOMPARE(sorted.rows, 16);
    QCOMPARE(folded.rows, 4);
    bool moved = false;
    for (std::size_t row = 0; row < 16; ++row) {
      const auto tile = std::size_t(order[row].value());
      moved = moved || tile != row;
      for (std::size_t c = 0; c < 40; ++c) {
        QCOMPARE(sorted.cells[row * 40 + c].activity, plain.cells[tile * 40 + c].activity);
        QVERIFY(std::abs(sorted.cells[row * 40 + c].busy - plain.cells[tile * 40 + c].busy) < 1e-4f);
      }
      if (row % 8 > 0) QVERIFY(once.cells[order[row - 1].value()].busy <= once.cells[tile].busy); // the most idle first
      QCOMPARE(m_session->machine().ipuOf(order[row]), IpuId(row / 8));                           // of each IPU
    }
    QVERIFY(moved);
    for (std::size_t row = 0; row < 4; ++row)
      for (std::size_t c = 0; c < 40; ++c) {
        float busy = 0;
        for (std::size_t i = 0; i < 4; ++i) busy += sorted.cells[(row * 4 + i) * 40 + c].busy / 4;
        QVERIFY(std::abs(folded.cells[row * 40 + c].busy - busy) < 1e-3f);
      }
    QVERIFY(m_trace->gridOf(std::span(order).subspan(8, 4), range, 4, 40, false).cells.size() == 160);
    QVERIFY(m_trace->tilesByIdle({0, 0}, TileId(0), 16, false).size() <= 16);
    QVERIFY(m_trace->tilesByIdle(range, TileId(99), 16, false).empty());
  }
  void gridOfNothingIsEmpty() {
    QVERIFY(m_trace->tileGrid({0, 0}, TileId(0), 16, 4, 4).cells.empty());
    QVERIFY(m_trace->tileGrid({0, 100}, TileId(99), 16, 4, 4).cells.empty());
    QVERIFY(m_trace->tileGrid({0, 100}, TileId(0), 16, 0, 4).cells.empty());
  }

private:
  tests::TinyReport m_report{tests::ReportShape{2, 8, 3, 2000}};
  std::shared_ptr<Session> m_session;
  std::unique_ptr<ExecutionTrace> m_trace;
};

TILESCOPE_TEST(ExecutionTraceTest)
#include "execution_trace_test.moc"
