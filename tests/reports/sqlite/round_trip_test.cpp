// Every table is read back as it was written, and the synthetic report that other tests use is consistent.
#include "reports/core/categories.h"
#include "reports/rows/slice_decode.h"
#include "reports/sqlite/reader.h"
#include "reports/sqlite/schema.h"
#include "reports/sqlite/writer.h"
#include "tests/support/row_collector.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <map>
#include <random>

using namespace reports;
using tests::RowCollector;
using tests::TemporaryFolder;

namespace {

template<class Row> bool same(const Row& a, const Row& b) {
  return std::apply([&](const auto&... c) { return ((a.*c.member == b.*c.member) && ...); }, Row::columns());
}

// Rows with every kind of value, keys ascending.
class RowMaker {
public:
  template<class Row> Row make(int64_t key) {
    Row row;
    std::apply([&](const auto&... c) { (fill(row.*c.member), ...); }, Row::columns());
    const auto columns = Row::columns();
    setKey(row.*std::get<0>(columns).member, key);
    fixCounts(row);
    return row;
  }

private:
  void fill(int64_t& v) { v = int64_t(m_random() % 1000); }
  void fill(double& v) { v = double(m_random() % 1000) / 8; }
  void fill(std::string& v) { v = "Zeichen ü \xE2\x82\xAC '\"; " + std::string(m_random() % 20, 'x'); }
  void fill(Blob& v) {
    v.resize(m_random() % 40);
    for (auto& b : v) b = uint8_t(m_random());
  }
  template<class T> void fill(std::optional<T>& v) {
    if (m_random() % 2)
      fill(v.emplace());
    else
      v.reset();
  }
  void setKey(int64_t& v, int64_t key) { v = key; }
  void setKey(std::string& v, int64_t key) { v = "key " + std::to_string(key); }
  template<class T> void setKey(T&, int64_t) {}

  // Gives the fields that the reader checks valid values.
  template<class Row> void fixCounts(Row&) {}
  void fixCounts(MachineRow& r) {
    r.ipus = 4;
    r.tilesPerIpu = 1472;
    r.workersPerTile = 6;
    r.memoryPerTileBytes = 1 << 20;
    r.elementBytes = r.clockHz = r.gridColumns = r.gridRows = 1;
    r.ioTiles = 32;
  }
  void fixCounts(SliceChunkRow& r) {
    r.slices = 5;
    r.firstTick = r.trackId; // unique per place
    r.endTick = r.firstTick + 10;
  }
  void fixCounts(SliceLevelRow& r) {
    r.level = r.bucketShift = 3;
    r.buckets = 0;
  }
  void fixCounts(TileVariablesRow& r) { r.lowered = 0; }
  void fixCounts(LivenessCurveRow& r) { r.steps = 0; }
  void fixCounts(ProgramStepRow& r) { r.activity %= kActivityCount; }
  void fixCounts(VariableRow& r) {
    r.liveIntervalCount = 0;
    r.maxTileBytes = r.totalBytes;
  }
  void fixCounts(RunRow& r) { r.cycles = r.computeCycles + r.exchangeCycles + r.syncCycles + r.hostCycles + r.idleCycles; }
  void fixCounts(ComputeSetRow& r) { r.maxCycles += r.totalCycles; } // the longest of executions that differ
  void fixCounts(OperationRow& r) { r.balance = 0.5; }
  void fixCounts(TileSeriesRow& r) {
    r.sum += r.max;
    r.maxTile = 0;
  }
  void fixCounts(TrackRow& r) { r.endTick = r.firstTick + 1; }
  void fixCounts(HeatmapRow& r) { r.bins = 1; }
  void fixCounts(DetailsChunkRow& r) { r.firstId = r.chunk; }
  void fixCounts(RunLinkRow& r) { r.endTick = r.startTick; }
  void fixCounts(BlockChunkRow& r) { r.records = 5; }
  void fixCounts(MetadataRow& r) { r.key += "!"; }

  std::mt19937 m_random{7};
};

} // namespace

class RoundTripTest : public QObject {
  Q_OBJECT
private slots:
  void everyTable() {
    TemporaryFolder folder;
    RowMaker maker;
    RowCollector written;
    Writer writer(folder / "all.tsr");
    forEachTable([&]<class Row>() {
      const int rows = std::is_same_v<Row, MachineRow> ? 1 : 20;
      for (int64_t i = 0; i < rows; ++i) {
        const Row row = maker.template make<Row>(i);
        written.add(row);
        writer.add(row);
      }
    });
    writer.commit();
    Reader reader(folder / "all.tsr");
    int tables = 0;
    forEachTable([&]<class Row>() {
      ++tables;
      auto expected = written.rows<Row>();
      if constexpr (std::is_same_v<Row, MetadataRow>)
        expected.insert(expected.end(), {{kChecksumKey, "numbered"}, {"complete", "1"}});
      const auto read = reader.rows<Row>();
      QCOMPARE(read.size(), expected.size());
      for (std::size_t i = 0; i < read.size(); ++i) QVERIFY2(same(read[i], expected[i]), std::string(Row::kTable).c_str());
      QCOMPARE(reader.count<Row>(), int64_t(expected.size()));
    });
    QVERIFY(tables >= 37);
    reader.quickCheck();
  }

  void tinyReport() {
    RowCollector rows;
    tests::writeSyntheticReport(rows);
    tests::TinyReport tiny;
    Reader reader(tiny.path());
    forEachTable([&]<class Row>() {
      QVERIFY2(!rows.rows<Row>().empty(), std::string(Row::kTable).c_str());
      std::size_t i = 0;
      reader.forEach<Row>({}, {}, [&](const Row& row) {
        if (i < rows.rows<Row>().size()) QVERIFY2(same(row, rows.rows<Row>()[i]), std::string(Row::kTable).c_str());
        ++i;
      });
    });
    QCOMPARE(reader.text(rows.rows<RunRow>().empty() ? -1 : 0), rows.text(0));
    QCOMPARE(reader.text(-1), std::string("(missing name)"));
    QCOMPARE(reader.text(1 << 30), std::string("(missing name)"));
    QCOMPARE(reader.machine()->tilesPerIpu, int64_t(8));
    QCOMPARE(reader.metadata("title"), std::optional<std::string>("tiny"));
    QCOMPARE(reader.metadata("no such key"), std::optional<std::string>());
  }

  void whereAndOrder() {
    tests::TinyReport tiny;
    Reader reader(tiny.path());
    const auto leaves = reader.rows<ProgramStepRow>("kind = ? AND id > ? ORDER BY id DESC LIMIT 2", {"DoExchange", 0});
    QCOMPARE(leaves.size(), std::size_t(2));
    QVERIFY(leaves[0].id > leaves[1].id);
    QVERIFY(!reader.first<ProgramStepRow>("id = ?", {-5}));
    QVERIFY_EXCEPTION_THROWN(reader.rows<ProgramStepRow>("id = ?"), Error);
    QVERIFY_EXCEPTION_THROWN(reader.rows<ProgramStepRow>("no_such_column = 1"), Error);
  }

  void cancelledReadEnds() {
    tests::TinyReport tiny;
    Reader reader(tiny.path());
    std::stop_source stop;
    int seen = 0;
    const auto readAll = [&] {
      reader.forEach<StringRow>(
          {}, {},
          [&](StringRow&) {
            if (++seen == 3) stop.request_stop();
          },
          stop.get_token());
    };
    QVERIFY_EXCEPTION_THROWN(readAll(), Cancelled);
    QCOMPARE(seen, 3);
    QVERIFY(reader.count<StringRow>() > 3); // and the reader still works
  }

  // Tile sums, categories, regions, liveness, cycles: the guaranteed invariants, on the report that other tests use.
  void tinyReportAddsUp_data() {
    QTest::addColumn<int>("ipus");
    QTest::addColumn<int>("tiles");
    QTest::addColumn<int>("operations");
    QTest::addColumn<int>("scale");
    QTest::newRow("tiny") << 2 << 8 << 3 << 1;
    QTest::newRow("one tile") << 1 << 1 << 1 << 1;
    QTest::newRow("wide") << 4 << 100 << 12 << 2;
  }
  void tinyReportAddsUp() {
    QFETCH(int, ipus);
    QFETCH(int, tiles);
    QFETCH(int, operations);
    QFETCH(int, scale);
    RowCollector rows;
    tests::writeSyntheticReport(rows, {ipus, tiles, operations, 0, scale, "case"});
    std::map<std::string, std::vector<int64_t>> series;
    for (const auto& row : rows.rows<TileSeriesRow>()) series[row.name] = unpackRuns(row.byTile, std::size_t(row.tiles), "x");
    for (const auto& row : rows.rows<TileVariablesRow>()) {
      const auto own = unpackVarints(row.ownBytes, std::size_t(row.lowered), "x");
      int64_t sum = 0, categories = 0;
      for (const int64_t v : own) sum += v;
      const auto t = std::size_t(row.tile);
      QCOMPARE(sum, series.at("memory.total")[t]);
      for (const auto& [name, values] : series)
        if (name.starts_with("memory.category.")) categories += values[t];
      QCOMPARE(categories, sum);
      QCOMPARE(series.at("memory.region.interleaved")[t] + series.at("memory.region.non_interleaved")[t], sum);
      QVERIFY(series.at("memory.total_with_gaps")[t] >= sum);
    }
    int64_t cycles = 0;
    for (const auto& run : rows.rows<RunRow>()) {
      QCOMPARE(run.computeCycles + run.exchangeCycles + run.syncCycles + run.hostCycles + run.idleCycles, run.cycles);
      QVERIFY(run.idleCycles >= 0);
      cycles += run.cycles;
    }
    for (const auto& track : rows.rows<TrackRow>())
      if (track.kind == "ipu") QVERIFY(track.endTick <= cycles);
    std::map<int64_t, int64_t> busyByTile;
    for (const auto& p : rows.rows<StepProfileRow>()) {
      const auto values = unpackRuns(p.cyclesByTile, std::size_t(p.tiles), "x");
      for (std::size_t i = 0; i < values.size(); ++i) {
        QVERIFY(values[i] <= p.cycles);
        busyByTile[p.firstTile + int64_t(i)] += values[i] * p.executions;
      }
    }
    for (const auto& [t, busy] : busyByTile) QVERIFY(busy <= cycles);
  }

  void secondReaderOfTheSameFile() {
    tests::TinyReport tiny;
    Reader a(tiny.path()), b(tiny.path());
    QCOMPARE(a.strings(), b.strings());
  }

  void issuesAreNumberedByTheSink() {
    TemporaryFolder folder;
    Writer writer(folder / "x.tsr");
    for (int i = 0; i < 3; ++i) writer.add(ReportIssueRow{0, "notice", "here", "odd", "", 1});
    writer.commit();
    const auto issues = Reader(folder / "x.tsr").rows<ReportIssueRow>();
    QCOMPARE(issues.size(), std::size_t(3));
    QCOMPARE(issues[2].id, int64_t(2));
  }
};

TILESCOPE_TEST(RoundTripTest)
#include "round_trip_test.moc"
