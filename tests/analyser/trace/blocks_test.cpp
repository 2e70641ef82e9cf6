// Figures of timed Blocks on records made by hand.
#include "analyser/trace/blocks.h"
#include "reports/rows/block_records.h"
#include "reports/rows/string_pool.h"
#include "reports/sqlite/writer.h"
#include "tests/support/row_collector.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QTest>

#include <filesystem>

using namespace analyser;
using namespace analyser::trace;
using reports::BlockRecord;
using reports::BlockRecordKind;

namespace {

struct Made {
  int64_t ipu = 0;
  const char* name = "a";
  int64_t cycles = 0, executions = 1;
  BlockRecordKind kind = BlockRecordKind::Block;
};

// The rows of a synthetic report with these Block records in place of its own, one behind the other in time.
class Report {
public:
  explicit Report(const std::vector<Made>& records) {
    tests::RowCollector rows;
    tests::writeSyntheticReport(rows, {.ipus = 2, .tilesPerIpu = 8, .operations = 2});
    tests::RowCollector blocks;
    reports::BlockRecordWriter writer(blocks);
    int64_t next = int64_t(rows.rows<reports::StringRow>().size()), now = 0;
    std::map<std::string, int64_t> names;
    for (const Made& m : records) {
      const auto [at, isNew] = names.try_emplace(m.name, next);
      next += isNew;
      writer.add(m.ipu, m.ipu * 8, {at->second, -1, now, m.cycles, m.executions, m.kind});
      now += m.cycles;
    }
    writer.finish();
    reports::Writer file(m_folder / "blocks.tsr");
    reports::forEachTable([&]<class Row>() {
      if constexpr (std::is_same_v<Row, reports::BlockChunkRow>)
        for (const auto& row : blocks.rows<Row>()) file.add(row);
      else
        for (const auto& row : rows.rows<Row>()) {
          file.add(row);
          if constexpr (std::is_same_v<Row, reports::RunRow>) cyclesOfRuns += row.cycles;
        }
      if constexpr (std::is_same_v<Row, reports::StringRow>)
        for (const auto& [text, id] : names) m_names[id] = text;
      if constexpr (std::is_same_v<Row, reports::StringRow>)
        for (const auto& [id, text] : m_names) {
          Row row;
          row.id = id;
          row.text = text;
          file.add(row);
        }
    });
    reports::EngineOptionRow option;
    option.key = "profiler.blocks.bufferSize";
    option.value = "1000";
    file.add(option);
    file.commit();
    session = Session::open((m_folder / "blocks.tsr").string());
  }
  std::shared_ptr<Session> session;
  int64_t cyclesOfRuns = 0;
  int64_t fileBytes() const { return int64_t(std::filesystem::file_size(m_folder / "blocks.tsr")); }

private:
  tests::TemporaryFolder m_folder;
  std::map<int64_t, std::string> m_names;
};

} // namespace

class BlocksTest : public QObject {
  Q_OBJECT
private slots:
  void figuresAreExact() {
    std::vector<Made> records;
    for (int64_t i = 1; i <= 20; ++i) records.push_back({0, "a", 100 * i}); // 100, 200 … 2000
    records.push_back({1, "a", 50});
    records.push_back({0, "b", 7});
    const Report report(records);
    const BlockProfile p = blockProfile(*report.session);
    QVERIFY(hasBlockRecords(*report.session));
    QCOMPARE(p.blocks.size(), std::size_t(3));
    const BlockTimes& a = p.blocks[0];
    QCOMPARE(a.name, std::string("a"));
    QCOMPARE(a.ipu, IpuId(0));
    QCOMPARE(a.recorded, int64_t(20));
    QCOMPARE(a.total, Cycles(21000));
    QCOMPARE(a.shareOfRuns, 21000.0 / double(report.cyclesOfRuns));
    QCOMPARE(a.min, Cycles(100));
    QCOMPARE(a.median, Cycles(1000));
    QCOMPARE(a.p95, Cycles(1900));
    QCOMPARE(a.max, Cycles(2000));
    QCOMPARE(a.mean, 1050.0);
    QVERIFY(std::abs(a.deviation - 100 * std::sqrt((400.0 - 1) / 12)) < 1e-9); // of the numbers 1 to 20
    QVERIFY(a.drift.has_value());
    QCOMPARE(*a.drift, 1950.0 / 150.0 - 1); // two executions are a tenth
    QCOMPARE(a.durations.front(), int64_t(100));
    QCOMPARE(a.durations.back(), int64_t(2000));
    QCOMPARE(a.first, (reports::Range<int64_t>{0, 100}));
    int64_t counted = 0;
    for (const auto& bar : a.histogram) {
      counted += bar.executions;
      QCOMPARE(bar.end - bar.begin, Cycles(100));
    }
    QCOMPARE(counted, int64_t(20));
    QCOMPARE(p.blocks[1].ipu, IpuId(1));
    QCOMPARE(p.blocks[1].tile, TileId(8));
    QVERIFY(!p.blocks[2].drift); // fewer than ten executions
    QCOMPARE(p.verdict.text(), std::string("22 executions were timed, none was lost"));
  }

  void whatWasLostIsSaidAndInNoFigure() {
    const Report report({{0, "a", 10}, {0, "a", 30}, {0, "a", 999, 6, BlockRecordKind::Overflow}});
    const BlockProfile p = blockProfile(*report.session);
    QCOMPARE(p.lost, int64_t(6));
    QCOMPARE(p.blocks[0].lost, int64_t(6));
    QCOMPARE(p.blocks[0].executions(), int64_t(8));
    QCOMPARE(p.blocks[0].max, Cycles(30));
    const std::string text = p.verdict.text();
    QVERIFY2(text.starts_with("6 of 8 executions were lost: the buffer of 1,000 bytes was full; --engine-option "
                              "profiler.blocks.bufferSize=") ||
                 text.starts_with("6 of 8 executions were lost: the buffer of 1000 bytes was full"),
             text.c_str());
  }

  void foldedTurnsWeighAsManyAsTheyAre() {
    const Report report({{0, "a", 100}, {0, "a", 8 * 200, 8}, {0, "a", 400}, {0, "flush", 5000, 2, BlockRecordKind::Flush}});
    const BlockProfile p = blockProfile(*report.session);
    QCOMPARE(p.blocks.size(), std::size_t(1));
    const BlockTimes& a = p.blocks[0];
    QCOMPARE(a.recorded, int64_t(10));
    QCOMPARE(a.median, Cycles(200));
    QCOMPARE(a.mean, 210.0);
    QCOMPARE(*a.drift, 3.0);
    QCOMPARE(p.flushes, int64_t(2));
    QCOMPARE(p.flushCycles, Cycles(5000));
    const std::string text = p.verdict.text();
    QVERIFY2(text.find("; 2 copies of the full buffer to the host took 5,000 cycles, ") != std::string::npos &&
                 text.ends_with(" of the run"),
             text.c_str());
  }

  void aReportWithoutHasNone() {
    const Report report({});
    QVERIFY(!hasBlockRecords(*report.session));
    QVERIFY(blockProfile(*report.session).empty());
  }

  void aMillionRecordsAreSmall() {
    std::vector<Made> records;
    for (int64_t i = 0; i < 1'000'000; ++i) records.push_back({0, "a", 1000 + i % 7});
    const Report report(records);
    QVERIFY2(report.fileBytes() < 10'000'000, qPrintable(QString::number(report.fileBytes())));
    QCOMPARE(blockProfile(*report.session).recorded, int64_t(1'000'000));
  }
};

TILESCOPE_TEST(BlocksTest)
#include "blocks_test.moc"
