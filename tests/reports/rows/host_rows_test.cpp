// Instants, counters, heatmaps, flows and details: rows are read back; levels of detail equal a linear scan; damage is an error.
#include "reports/core/error.h"
#include "reports/rows/host_decode.h"
#include "reports/rows/host_writers.h"
#include "reports/rows/slice_track.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <limits>
#include <random>

using namespace reports;
using tests::RowCollector;

namespace {

template<class Row, class Decode> auto decodedRows(const RowCollector& rows, Decode&& decode) {
  decltype(decode(std::declval<const Row&>())) all;
  for (const Row& row : rows.rows<Row>())
    for (auto& entry : decode(row)) all.push_back(std::move(entry));
  return all;
}

int64_t hostIssues(const RowCollector& rows) {
  int64_t n = 0;
  for (const auto& issue : rows.rows<ReportIssueRow>()) n += issue.count;
  return n;
}

} // namespace

class HostRowsTest : public QObject {
  Q_OBJECT
private slots:
  void instantsAreKept() {
    std::mt19937_64 random(3);
    std::vector<Instant> wanted;
    for (int64_t i = 0, tick = 5; i < 2 * kSlicesPerChunk + 7; ++i, tick += int64_t(random() % 90))
      wanted.push_back({tick, uint32_t(random() % 50), uint8_t(random()), InstantScope(random() % 3), int32_t(random() % 9) - 1});
    RowCollector rows;
    InstantTrackBuilder builder(rows, 4);
    for (const Instant& i : wanted) builder.add(i);
    builder.finish();
    QCOMPARE(rows.rows<InstantChunkRow>().size(), std::size_t(3));
    QVERIFY(decodedRows<InstantChunkRow>(rows, decodeInstants) == wanted);
    QCOMPARE(hostIssues(rows), int64_t(0));
  }

  void timesThatGoBackAreMovedAndCounted() {
    RowCollector rows;
    InstantTrackBuilder builder(rows, 0);
    for (const int64_t tick : {int64_t(-5), int64_t(7), int64_t(3), std::numeric_limits<int64_t>::max()}) builder.add({tick});
    builder.finish();
    std::vector<int64_t> ticks;
    for (const Instant& i : decodedRows<InstantChunkRow>(rows, decodeInstants)) ticks.push_back(i.tick);
    QCOMPARE(ticks, (std::vector<int64_t>{0, 7, 7, kMaxTick}));
    QCOMPARE(hostIssues(rows), int64_t(3));
  }

  void countersAreKept() {
    std::mt19937_64 random(5);
    std::vector<CounterSample> wanted;
    for (int64_t i = 0, tick = 0; i < kSlicesPerChunk + 9; ++i, tick += int64_t(random() % 2000))
      wanted.push_back({tick, i % 3 ? double(random() % 100) : -1.5e300 / double(1 + random() % 7)});
    RowCollector rows;
    CounterBuilder builder(rows, {2, {}, "power", "rail", "W"});
    for (const auto& s : wanted) builder.add(s.tick, s.value);
    builder.add(wanted.back().tick, std::numeric_limits<double>::quiet_NaN());
    const CounterSeriesRow series = builder.finish();
    QVERIFY(decodedRows<CounterChunkRow>(rows, decodeCounter) == wanted);
    QCOMPARE(series.samples, int64_t(wanted.size()));
    QCOMPARE(series.lastTick, wanted.back().tick);
    QCOMPARE(hostIssues(rows), int64_t(1));
  }

  // Every level holds the same samples; each bucket's extremes are those of its samples.
  void counterLevelsAgreeWithAScan_data() {
    QTest::addColumn<int>("samples");
    QTest::addColumn<int>("step");
    QTest::newRow("one") << 1 << 1;
    QTest::newRow("dense") << 30000 << 3;
    QTest::newRow("sparse") << 5000 << 1000000;
    QTest::newRow("same tick") << 3000 << 0;
  }
  void counterLevelsAgreeWithAScan() {
    QFETCH(int, samples);
    QFETCH(int, step);
    std::mt19937_64 random(11);
    std::vector<CounterSample> all;
    RowCollector rows;
    CounterBuilder builder(rows, {0, {}, "x", "", ""});
    for (int64_t i = 0, tick = 12345; i < samples; ++i, tick += step ? int64_t(random() % uint64_t(2 * step)) : 0) {
      all.push_back({tick, double(random() % 1000) - 500});
      builder.add(tick, all.back().value);
    }
    builder.finish();
    const auto& levels = rows.rows<CounterLevelRow>();
    QVERIFY(!levels.empty() && levels.back().buckets <= 64);
    for (const auto& row : levels) {
      const CounterLevel level = decodeLevel(row);
      QVERIFY(row.level == 0 || row.bucketShift == levels[std::size_t(row.level) - 1].bucketShift + 1);
      std::size_t at = 0;
      for (const CounterBucket& bucket : level.buckets) {
        CounterBucket scan{bucket.index, 0, all[at].value, all[at].value, 0};
        for (; at < all.size() && all[at].tick >> level.shift == bucket.index; ++at, ++scan.samples) {
          scan.min = std::min(scan.min, all[at].value);
          scan.max = std::max(scan.max, all[at].value);
          scan.last = all[at].value;
        }
        QVERIFY(scan == bucket);
      }
      QCOMPARE(at, all.size());
    }
  }

  void heatmapsAreKept() {
    RowCollector rows;
    HeatmapRow header;
    header.name = "latency";
    HeatmapBuilder builder(rows, header, {0, 1, 2, 4, 8});
    std::vector<Histogram> wanted;
    for (int64_t i = 0; i < 40000; ++i) wanted.push_back({i * 3, {i % 5, 0, 0, i % 2}});
    for (const Histogram& h : wanted) builder.add(h.tick, h.counts);
    const HeatmapRow row = builder.finish();
    QCOMPARE(heatmapEdges(row), (std::vector<double>{0, 1, 2, 4, 8}));
    QVERIFY(rows.rows<HeatmapChunkRow>().size() > 1);
    QVERIFY(decodedRows<HeatmapChunkRow>(rows, [&](const HeatmapChunkRow& r) { return decodeHeatmap(r, row.bins); }) == wanted);
    QVERIFY_EXCEPTION_THROWN(HeatmapBuilder(rows, header, {1}), Error);
    QVERIFY_EXCEPTION_THROWN(HeatmapBuilder(rows, header, {1, 1}), Error);
  }

  void flowsAreKept() {
    std::mt19937_64 random(2);
    std::vector<Flow> wanted;
    for (int64_t i = 0; i < kSlicesPerChunk + 3; ++i)
      wanted.push_back({{int64_t(random() % 20), int64_t(random() % 30), int64_t(random() % 100000)},
                        {int64_t(random() % 20), int64_t(random() % 30), int64_t(random() % 100000)},
                        i * 10,
                        int64_t(random() % 1000000),
                        uint32_t(random() % 9),
                        uint8_t(random() % 9),
                        int64_t(random() % 5000)});
    RowCollector rows;
    FlowWriter writer(rows);
    for (const Flow& f : wanted) writer.add(f);
    writer.finish();
    QVERIFY(decodedRows<FlowChunkRow>(rows, decodeFlows) == wanted);
  }

  void detailsAreKeptAndShared() {
    RowCollector rows;
    DetailsWriter writer(rows);
    QCOMPARE(writer.add(""), int64_t(-1));
    QCOMPARE(writer.add("{\"a\":1}"), int64_t(0));
    QCOMPARE(writer.add("{\"a\":1}"), int64_t(0));
    QCOMPARE(writer.add("{\"b\":1}"), int64_t(1));
    QCOMPARE(writer.add(std::string(std::size_t(kMaxDetailsText) + 1, ' ')), int64_t(-1));
    const std::string large(3 << 20, 'x');
    QCOMPARE(writer.add(large), int64_t(2)); // larger than the intended size of a chunk
    QCOMPARE(writer.add("{}"), int64_t(3));
    writer.finish();
    const auto texts = decodedRows<DetailsChunkRow>(rows, decodeDetails);
    QVERIFY(texts == (std::vector<std::string>{"{\"a\":1}", "{\"b\":1}", large, "{}"}));
    QCOMPARE(rows.rows<DetailsChunkRow>().at(1).firstId, int64_t(3));
  }

  void damageIsAnError() {
    RowCollector rows;
    InstantTrackBuilder instants(rows, 0);
    for (int64_t i = 0; i < 20; ++i) instants.add({i * 7, 1, 2, InstantScope::Process, 3});
    instants.finish();
    DetailsWriter details(rows);
    details.add("{\"a\":12345678}");
    details.finish();
    auto instant = rows.rows<InstantChunkRow>()[0];
    instant.gaps.pop_back();
    QVERIFY_EXCEPTION_THROWN(decodeInstants(instant), Error);
    instant = rows.rows<InstantChunkRow>()[0];
    instant.scopes[4] = 3;
    QVERIFY_EXCEPTION_THROWN(decodeInstants(instant), Error);
    auto text = rows.rows<DetailsChunkRow>()[0];
    text.textBytes = 13;
    QVERIFY_EXCEPTION_THROWN(decodeDetails(text), Error);
    text = rows.rows<DetailsChunkRow>()[0];
    text.data.pop_back();
    QVERIFY_EXCEPTION_THROWN(decodeDetails(text), Error);
    text = rows.rows<DetailsChunkRow>()[0];
    text.textBytes = int64_t(1) << 60;
    QVERIFY_EXCEPTION_THROWN(decodeDetails(text), Error);
  }
};

TILESCOPE_TEST(HostRowsTest)
#include "host_rows_test.moc"
