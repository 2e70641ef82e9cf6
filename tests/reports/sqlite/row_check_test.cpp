// Impossible values in rows and between rows: each is an error that names table and row; none is accepted.
#include "reports/rows/exchange_pairs.h"
#include "reports/sqlite/consistency.h"
#include "reports/sqlite/reader.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <functional>

using namespace reports;
using tests::TemporaryFolder;
using tests::TinyReport;
namespace fs = std::filesystem;

class RowCheckTest : public QObject {
  Q_OBJECT
  TinyReport m_tiny;
  TemporaryFolder m_folder;

  // The error of `read` after some SQL changed the report; "no error" if there is none.
  std::string refusal(const QByteArray& sql, const std::function<void(Reader&)>& read) {
    const fs::path path = m_folder / "changed.tsr";
    fs::copy_file(m_tiny.path(), path, fs::copy_options::overwrite_existing);
    tests::tamper(path, sql.toStdString());
    try {
      Reader reader(path);
      read(reader);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  static void readAll(Reader& reader) {
    forEachTable([&]<class Row>() { reader.forEach<Row>({}, {}, [](Row&) {}); });
  }

private slots:
  void aSoundReportHasNone() {
    QCOMPARE(refusal("SELECT 1", readAll), std::string("no error"));
    QCOMPARE(refusal("SELECT 1", [](Reader& reader) { checkConsistency(reader); }), std::string("no error"));
  }
  void impossibleMeasures_data() {
    QTest::addColumn<QByteArray>("sql");
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char* sql, const char* words) { QTest::newRow(sql) << QByteArray(sql) << QByteArray(words); };
    row("UPDATE run SET cycles = -1 WHERE id = 0", "table run, row 0: impossible cycles -1");
    row("UPDATE run SET cycles = cycles + 1 WHERE id = 1", "table run, row 1: impossible cycles");
    row("UPDATE run SET compute_cycles = 4611686018427387904 WHERE id = 1",
        "row 1: impossible compute_cycles 4611686018427387904");
    row("UPDATE run SET flops = -1", "impossible flops");
    row("UPDATE operation SET exchange_cycles = -7 WHERE id = 1", "table operation, row 1: impossible exchange_cycles -7");
    row("UPDATE operation SET balance = 1.5", "impossible balance 1.5");
    row("UPDATE step_profile SET busy_cycles = -1", "table step_profile, row 0: impossible busy_cycles");
    row("UPDATE compute_set SET total_cycles = -1", "table compute_set, row 0: impossible total_cycles");
    row("UPDATE variable SET max_tile_bytes = total_bytes + 1", "table variable, row 0: impossible max_tile_bytes");
    row("UPDATE tile_series SET sum = -1", "table tile_series: impossible sum");
    row("UPDATE liveness_curve SET peak_bytes = -1", "table liveness_curve: impossible peak_bytes");
    row("UPDATE block_chunk SET records = 0", "table block_chunk, row 0: impossible records 0");
    row("UPDATE block_chunk SET tile = -1", "table block_chunk, row 0: impossible tile -1");
    row("UPDATE block_chunk SET end_cycle = -1", "table block_chunk, row 0: impossible end_cycle -1");
    row("UPDATE exchange SET total_bytes = -1", "table exchange, row 0: impossible total_bytes");
    row("UPDATE plan SET predicted_cycles = -1", "table plan, row 0: impossible predicted_cycles");
    row("UPDATE vertex_type SET code_bytes = -1", "table vertex_type, row 0: impossible code_bytes");
    row("UPDATE compute_set SET vertices = 9223372036854775807", "table compute_set, row 0: impossible vertices");
    row("UPDATE machine SET io_tiles = -5", "table machine: impossible io_tiles -5");
    row("UPDATE machine SET io_tiles = tiles_per_ipu + 1", "table machine: impossible io_tiles");
    row("UPDATE machine SET peak_fp16_flops_per_second = 9e999", "impossible peak_fp16_flops_per_second inf");
    row("UPDATE machine SET exchange_bytes_per_cycle = -1", "impossible exchange_bytes_per_cycle -1");
    row("UPDATE program_step SET activity = 77", "table program_step, row 0: impossible activity 77");
    row("UPDATE stream SET host_bytes = -5", "impossible host_bytes -5");
    row("UPDATE tile_series SET max_tile = 99999", "table tile_series: impossible max_tile 99999");
    row("UPDATE liveness_curve SET peak_step = steps", "table liveness_curve: impossible peak_step");
    row("UPDATE variable SET tiles = 99999", "table variable, row 0: impossible tiles 99999");
    row("INSERT OR REPLACE INTO metadata VALUES ('state', 'banana')",
        "table metadata: impossible value 'banana' of the key state");
    row("INSERT OR REPLACE INTO metadata VALUES ('replicas', '-3')", "impossible value '-3' of the key replicas");
    row("INSERT OR REPLACE INTO metadata VALUES ('samples', '4x')", "impossible value '4x' of the key samples");
    row("UPDATE compute_set_vertices SET cycles = -1", "table compute_set_vertices, row 0: impossible cycles");
  }
  void impossibleMeasures() {
    QFETCH(QByteArray, sql);
    QFETCH(QByteArray, words);
    const std::string text = refusal(sql, readAll);
    QVERIFY2(text.find(words.toStdString()) != std::string::npos, text.c_str());
  }
  void contradictions_data() {
    QTest::addColumn<QByteArray>("sql");
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char* sql, const char* words) { QTest::newRow(sql) << QByteArray(sql) << QByteArray(words); };
    row("DELETE FROM compute_set", "impossible: compute_set_id names no row of compute_set");
    row("DELETE FROM program_step WHERE parent_id IS NOT NULL", "names no row of program_step");
    row("DELETE FROM string", "name_id names no row of string");
    row("DELETE FROM step_move; DELETE FROM exchange_operand; DELETE FROM variable", "it names variables that do not exist");
    row("UPDATE step_move SET to_variable_id = 1000000", "to_variable_id names no row of variable");
    row("UPDATE exchange_operand SET variable_id = 1000000", "variable_id names no row of variable");
    row("DELETE FROM vertex_type", "vertex_type_id names no row of vertex_type");
    row("DELETE FROM exchange", "exchange_id names no row of exchange");
    row("UPDATE run SET start_cycle = 0", "table run, row 1: impossible: it begins before the previous run has ended");
    row("UPDATE run SET hidden_host_cycles = cycles + 1", "its hidden host cycles exceed its cycles");
    row("UPDATE operation SET compute_cycles = 1000000000000", "more cycles than all runs on all IPUs");
    row("UPDATE variable SET total_bytes = 1000000000000", "its bytes exceed the bytes on its largest tile x its tiles");
    row("UPDATE compute_set SET total_cycles = 1000000000000", "its cycles exceed the cycles of its slowest tile x its tiles");
    row("UPDATE liveness_curve SET steps = 0", "fewer steps than the program");
  }
  void contradictions() {
    QFETCH(QByteArray, sql);
    QFETCH(QByteArray, words);
    const std::string text = refusal(sql, [](Reader& reader) { checkConsistency(reader); });
    QVERIFY2(text.find(words.toStdString()) != std::string::npos, text.c_str());
  }
  // Pairs are decoded only on request.
  void damagedPairsAreNamed() {
    const auto all = [](Reader& reader) {
      reader.forEach<ExchangeRow>({}, {}, [&](const ExchangeRow& row) { decodePairs(row, std::size_t(reader.limits().tiles)); });
    };
    const auto query = [](Reader& reader) {
      Statement statement(reader.connection(), "SELECT count(*) FROM exchange_pair");
      statement.step();
    };
    QCOMPARE(refusal("SELECT 1", query), std::string("no error"));
    const std::string queried = refusal("UPDATE exchange SET pairs = x'01'", query);
    QVERIFY2(queried.find("damaged") != std::string::npos, queried.c_str());
    QCOMPARE(refusal("SELECT 1", all), std::string("no error"));
    const std::string cut = refusal("UPDATE exchange SET pairs = x'01'", all);
    QVERIFY2(cut.find("exchange.pairs") != std::string::npos, cut.c_str());
    const std::string other = refusal("UPDATE exchange SET pairs = x'01000102020102010201000108' WHERE pairs IS NOT NULL", all);
    QVERIFY2(other.find("exchange.pairs, row") != std::string::npos && other.find("by bytes_in_by_tile") != std::string::npos,
             other.c_str());
  }
};

TILESCOPE_TEST(RowCheckTest)
#include "row_check_test.moc"
