// SQL of the user: read-only, within limits; the tables that decode packed columns agree with the rows.
#include "reports/rows/block_records.h"
#include "reports/rows/slice_decode.h"
#include "reports/sqlite/query.h"
#include "tests/support/row_collector.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QTest>

#include <sqlite3.h>

#include <thread>

using namespace reports;

namespace {
const char* const kEndless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
}

class QueryTest : public QObject {
  Q_OBJECT
private slots:
  void F44_writingIsRefused_data() {
    QTest::addColumn<QByteArray>("sql");
    for (const char* sql : {"DELETE FROM run",
                            "INSERT INTO run DEFAULT VALUES",
                            "UPDATE run SET cycles = 1",
                            "DROP TABLE run",
                            "CREATE TABLE x (a)",
                            "CREATE TEMP TABLE x (a)",
                            "CREATE VIEW v AS SELECT 1",
                            "ATTACH 'other.db' AS o",
                            "VACUUM",
                            "VACUUM INTO 'copy.db'",
                            "PRAGMA journal_mode = DELETE",
                            "PRAGMA writable_schema = ON",
                            "PRAGMA query_only = OFF",
                            "PRAGMA user_version = 7",
                            "BEGIN",
                            "SAVEPOINT s",
                            "REINDEX",
                            "ANALYZE",
                            "SELECT load_extension('x')",
                            "SELECT 1; SELECT 2",
                            "SELECT 1; DELETE FROM run",
                            "CREATE VIRTUAL TABLE s USING slice",
                            "DELETE FROM slice",
                            "",
                            "   -- nothing",
                            "SELEC 1",
                            "SELECT * FROM no_such_table"})
      QTest::newRow(sql) << QByteArray(sql);
  }
  void F44_writingIsRefused() {
    QFETCH(QByteArray, sql);
    try {
      runQuery(*m_reader, sql.toStdString());
      QFAIL("ran");
    } catch (const Error& error) {
      QCOMPARE(errorCodeName(error.code()), errorCodeName(ErrorCode::InvalidInput));
      QVERIFY(!std::string(error.what()).empty());
    }
    QCOMPARE(one("SELECT count(*) FROM run"), int64_t(2)); // and all is as before
  }

  void F44_endlessIsStopped() {
    QElapsedTimer clock;
    clock.start();
    try {
      runQuery(*m_reader, kEndless, {100, std::chrono::milliseconds(300)});
      QFAIL("ended");
    } catch (const Error& error) {
      QCOMPARE(errorCodeName(error.code()), errorCodeName(ErrorCode::Unsupported));
      QVERIFY(error.message().find("longer than 300 ms") != std::string::npos);
    }
    QVERIFY(clock.elapsed() < 2000);
    QCOMPARE(one("SELECT 1"), int64_t(1));
  }
  void F44_cancel() {
    std::stop_source stop;
    std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50)); // waits because the statement gives no signal when it begins
      stop.request_stop();
    });
    QVERIFY_EXCEPTION_THROWN(runQuery(*m_reader, kEndless, {}, stop.get_token()), Cancelled);
    {
      std::jthread interrupter([&](const std::stop_token& ended) {
        while (!ended.stop_requested()) m_reader->interrupt(); // one before the statement has begun does nothing
      });
      QVERIFY_EXCEPTION_THROWN(runQuery(*m_reader, kEndless), Cancelled);
    }
    QCOMPARE(one("SELECT 1"), int64_t(1));
  }
  void F44_rowsAreCapped() {
    const auto result =
        runQuery(*m_reader, "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 10000000) SELECT x FROM c",
                 {500, std::chrono::seconds(5)});
    QCOMPARE(result.rows.size(), std::size_t(500));
    QVERIFY(result.truncated);
    QVERIFY(!runQuery(*m_reader, "SELECT 1", {1}).truncated);
  }
  void F44_bigValues() {
    for (const char* sql :
         {"SELECT zeroblob(900000000)", "SELECT group_concat(h) FROM (SELECT hex(zeroblob(1000000)) AS h FROM string), string"}) {
      try {
        runQuery(*m_reader, sql, {10, std::chrono::seconds(5)});
        QFAIL("ran");
      } catch (const Error& error) {
        QCOMPARE(errorCodeName(error.code()), errorCodeName(ErrorCode::Unsupported));
      }
    }
    QVERIFY_EXCEPTION_THROWN(runQuery(*m_reader, "SELECT sum(x) FROM (SELECT 9223372036854775807 AS x UNION ALL SELECT 1)"),
                             Error);
  }

  // Each of these would take hours in O(n^2), within one SQLite step that the time limit cannot interrupt.
  void F44_longFunctionsAreLinear() {
    const std::string a = "printf('%.*c', 8000000, 'a')", ab = "(printf('%.*c', 4000000, 'a') || 'b')";
    for (const std::string& sql : {"instr(" + a + ", " + ab + ")", "length(replace(" + a + ", " + ab + ", 'c')) - 8000000",
                                   "length(trim(" + a + ", printf('%.*c', 4000000, 'b') || 'a'))"})
      QVERIFY2(runQuery(*m_reader, "SELECT " + sql).rows.at(0).at(0) == SqlValue(int64_t(0)), sql.c_str());
  }
  void F44_longRowsAreRefused() {
    std::string columns = "zeroblob(15000000)";
    for (int i = 0; i < 5; ++i) columns += ", zeroblob(15000000)";
    try {
      runQuery(*m_reader, "SELECT " + columns);
      QFAIL("ran");
    } catch (const Error& error) {
      QVERIFY2(std::string(error.what()).find("a row is longer than 64 MiB") != std::string::npos, error.what());
    }
  }
  void F44_aCancelBetweenRowsIsSeen() {
    std::stop_source stop;
    int rows = 0;
    QVERIFY_EXCEPTION_THROWN(runQuery(*m_reader, "SELECT 1 UNION ALL SELECT 2", {}, stop.get_token(),
                                      [&](const QueryResult&, const std::vector<SqlValue>&) {
                                        ++rows;
                                        return stop.request_stop();
                                      }),
                             Cancelled);
    QCOMPARE(rows, 1);
  }
  // Our functions give the same results as SQLite's own.
  void functionsAreThoseOfSqlite() {
    sqlite3* own = nullptr;
    QCOMPARE(sqlite3_open(":memory:", &own), SQLITE_OK);
    const std::vector<std::string> values{"'abcabc'", "'bc'", "''", "'\u00e9a\u00e9'", "'a'", "x'616263'", "x'6263'",
                                          "x''",      "NULL", "12", "'  a b '",        "1.5"};
    int compared = 0;
    const auto compare = [&](const std::string& expression) {
      const std::string sql = "SELECT quote(" + expression + ")";
      sqlite3_stmt* statement = nullptr;
      QCOMPARE(sqlite3_prepare_v2(own, sql.c_str(), -1, &statement, nullptr), SQLITE_OK);
      QCOMPARE(sqlite3_step(statement), SQLITE_ROW);
      const std::string wanted = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
      sqlite3_finalize(statement);
      QCOMPARE(std::get<std::string>(runQuery(*m_reader, sql).rows.at(0).at(0)), wanted);
      ++compared;
    };
    for (const std::string& a : values) {
      for (const char* function : {"trim", "ltrim", "rtrim"}) compare(std::string(function) + "(" + a + ")");
      for (const std::string& b : values) {
        for (const char* function : {"instr", "trim", "ltrim", "rtrim"})
          compare(std::string(function) + "(" + a + ", " + b + ")");
        compare("replace(" + a + ", " + b + ", 'xy')");
      }
    }
    sqlite3_close(own);
    QCOMPARE(compared, 12 * (3 + 12 * 5));
  }

  void valuesKeepTheirType() {
    const auto result = runQuery(*m_reader, "SELECT 1 AS a, 2.5, 'x', NULL, x'01' AS \"b c\"");
    QCOMPARE(result.columns.front(), std::string("a"));
    QCOMPARE(result.columns.back(), std::string("b c"));
    QVERIFY(result.rows.at(0) == (std::vector<SqlValue>{int64_t(1), 2.5, std::string("x"), SqlNull(), Blob{1}}));
  }
  void rowsCanBeEnded() {
    int seen = 0;
    runQuery(*m_reader, "SELECT id FROM string", {}, {}, [&](const QueryResult& result, const std::vector<SqlValue>& row) {
      return result.columns.size() == row.size() && ++seen < 4;
    });
    QCOMPARE(seen, 4);
  }

  void slicesAgreeWithChunks() {
    int64_t row = 0;
    const auto result = runQuery(*m_reader, "SELECT track_id, depth, start_tick, duration_ticks, name, ref FROM slice");
    m_reader->forEach<SliceChunkRow>("1 ORDER BY track_id, depth, first_tick", {}, [&](const SliceChunkRow& chunk) {
      const auto slices = decodeChunk(chunk);
      for (std::size_t i = 0; i < slices.size(); ++i, ++row) {
        const std::vector<SqlValue> expected{
            chunk.trackId,          chunk.depth, slices.starts[i], slices.durations[i], m_reader->text(slices.names[i]),
            int64_t(slices.refs[i])};
        QVERIFY(result.rows.at(std::size_t(row)) == expected);
      }
    });
    QCOMPARE(int64_t(result.rows.size()), row);
    QVERIFY(row > 100);
  }

  void blockRecordsAgreeWithChunks() {
    std::size_t row = 0;
    const auto result = runQuery(
        *m_reader, "SELECT ipu, tile, name, kind, cycles_from, cycles_to, executions, program_step_id FROM block_record");
    m_reader->forEach<BlockChunkRow>("1 ORDER BY chunk", {}, [&](const BlockChunkRow& chunk) {
      for (const BlockRecord& r : decodeBlocks(chunk)) {
        const std::vector<SqlValue> expected{chunk.ipu,
                                             chunk.tile,
                                             m_reader->text(r.nameId),
                                             std::string(blockRecordKindName(r.kind)),
                                             r.startCycle,
                                             r.endCycle(),
                                             r.executions,
                                             SqlValue{}};
        QVERIFY(result.rows.at(row++) == expected);
      }
    });
    QCOMPARE(result.rows.size(), row);
    QVERIFY(row >= 8);
  }

  // A condition that limits the decoded rows gives the same result as one that does not (+x hides the column from the query plan).
  void narrowingChangesNothing_data() {
    QTest::addColumn<QByteArray>("table");
    QTest::addColumn<QByteArray>("plain");
    const std::pair<const char*, const char*> cases[] = {
        {"slice", "track_id = 1"},
        {"slice", "track_id = 0 AND depth = 2 AND start_tick >= 700 AND start_tick < 4000"},
        {"slice", "start_tick <= 656"},
        {"slice", "start_tick = 656"},
        {"slice", "start_tick > 1.5 AND track_id IN (0, 2)"},
        {"slice", "start_tick > 'text'"},
        {"slice", "track_id = NULL"},
        {"block_record", "ipu = 1"},
        {"block_record", "tile = 0 AND cycles_from > 3000"},
        {"execution_step", "ipu = 1 AND start_cycle > 3000"},
        {"execution_step", "ipu = 1.0 AND start_cycle BETWEEN 0 AND 800"},
        {"lowered_variable", "tile = 3"},
        {"lowered_variable", "tile >= 4 AND tile < 6"},
        {"tile_value", "series = 'memory.total'"},
        {"tile_value", "series = 'memory.total' AND tile = 2"},
        {"liveness_point", "scope = 'ipu.1'"},
        {"step_tile", "step_profile_id <= 3"},
        {"exchange_tile", "exchange_id = 2"},
        {"control_code_tile", "control_code_id = 0"},
        {"exchange_pair", "exchange_id = (SELECT min(id) FROM exchange WHERE pairs IS NOT NULL)"},
        {"compute_set_tile", "compute_set_id = 1 AND vertex_type_id = 1"},
    };
    for (const auto& [table, plain] : cases) QTest::addRow("%s: %s", table, plain) << QByteArray(table) << QByteArray(plain);
  }
  void narrowingChangesNothing() {
    QFETCH(QByteArray, table);
    QFETCH(QByteArray, plain);
    QByteArray hidden = plain;
    for (const char* column : {"track_id", "depth", "start_tick", "ipu ", "start_cycle", "tile ", "series", "scope",
                               "step_profile_id", "exchange_id", "control_code_id", "compute_set_id", "vertex_type_id"})
      hidden.replace(column, QByteArray("+") + column);
    const std::string select = "SELECT * FROM " + table.toStdString() + " WHERE ";
    const auto narrow = runQuery(*m_reader, select + plain.toStdString());
    const auto wide = runQuery(*m_reader, select + hidden.toStdString());
    QVERIFY(narrow.rows == wide.rows);
    QVERIFY(!narrow.rows.empty() || plain.contains("NULL") || plain.contains("text"));
  }

  void tablesAddUp() {
    QCOMPARE(one("SELECT sum(own_bytes) FROM lowered_variable"), one("SELECT sum FROM tile_series WHERE name = 'memory.total'"));
    QCOMPARE(one("SELECT sum(value) FROM tile_value WHERE series = 'cycles.compute'"),
             one("SELECT sum FROM tile_series WHERE name = 'cycles.compute'"));
    QCOMPARE(one("SELECT max(not_always_live_bytes) FROM liveness_point WHERE scope = 'all'"),
             one("SELECT peak_bytes FROM liveness_curve WHERE scope = 'all'"));
    QCOMPARE(one("SELECT sum(cycles) FROM step_tile"), one("SELECT sum(busy_cycles) FROM step_profile"));
    QCOMPARE(one("SELECT sum(bytes_in) FROM exchange_tile"), one("SELECT sum(total_bytes) FROM exchange"));
    QCOMPARE(one("SELECT sum(c.bytes) FROM program_step s JOIN control_code_tile c ON c.control_code_id = s.control_code_id"),
             one("SELECT sum(code_bytes) FROM program_step"));
    QVERIFY(one("SELECT count(*) FROM exchange_pair") > 0);
    QCOMPARE(one("SELECT sum(bytes) FROM exchange_pair"), one("SELECT sum(total_bytes) FROM exchange WHERE pairs IS NOT NULL"));
    QCOMPARE(
        one("SELECT count(*) FROM exchange_pair p JOIN exchange_tile t ON t.exchange_id = p.exchange_id AND t.tile = p.receiver "
            "AND t.bytes_in = p.bytes"), // of this report a tile has one sender
        one("SELECT count(*) FROM exchange_pair"));
    QCOMPARE(one("SELECT sum(vertices) FROM compute_set_tile"), one("SELECT sum(vertices) FROM compute_set"));
    QCOMPARE(one("SELECT CAST(round(sum(cycles)) AS INTEGER) FROM compute_set_tile"),
             one("SELECT sum(cycles) FROM compute_set_vertices"));
    QCOMPARE(
        one("SELECT count(*) FROM execution_step e JOIN step_profile p ON p.id = e.step_profile_id WHERE e.cycles = p.cycles"),
        one("SELECT count(*) FROM execution_step"));
    QCOMPARE(one("SELECT sum(e.cycles) FROM execution_step e JOIN program_step s ON s.id = e.program_step_id WHERE e.ipu = 0 AND "
                 "activity_name(s.activity) IN ('compute', 'on-tile copy')"),
             one("SELECT sum(compute_cycles) FROM run"));
  }

  // The variables live at a step add up to the liveness curve; the always-live ones to its constant part.
  void lifetimesAddUpToTheCurve() {
    QCOMPARE(one("SELECT max(bytes) FROM (SELECT sum(v.bytes) AS bytes FROM liveness_step l JOIN variable_lifetime v ON "
                 "v.always_live = 0 "
                 "AND v.first_step <= l.ordinal AND l.ordinal < v.end_step GROUP BY l.ordinal)"),
             one("SELECT peak_bytes FROM liveness_curve WHERE scope = 'all'"));
    QCOMPARE(one("SELECT sum(bytes) FROM variable_lifetime WHERE always_live = 1"),
             one("SELECT always_live_bytes FROM liveness_curve WHERE scope = 'all'"));
    QCOMPARE(one("SELECT count(*) FROM variable_lifetime WHERE variable_id = 1"),
             one("SELECT max(live_interval_count, always_live) FROM variable WHERE id = 1"));
  }

  void pathsAreTheNamesFromTheRoot() {
    QCOMPARE(one("SELECT count(*) FROM operation WHERE path(debug_context_id) <> name"), int64_t(0));
    QVERIFY(one("SELECT count(*) FROM debug_context WHERE path(id) LIKE '%/%'") > 0);
    const auto row = runQuery(*m_reader, "SELECT path(-1), path('x'), path(NULL), path(1000000)").rows.at(0);
    for (const SqlValue& value : row) QVERIFY(value == SqlValue());
  }

  void namesOfNumbers() {
    const auto row = runQuery(*m_reader, "SELECT text(0), text(-1), text('x'), activity_name(0), activity_name(99), "
                                         "memory_category_name(2), memory_category_name(NULL)")
                         .rows.at(0);
    QVERIFY(row[0] == SqlValue(m_reader->text(0)));
    QVERIFY(row[3] == SqlValue(std::string("compute")));
    QVERIFY(row[5] == SqlValue(std::string("vertexCode")));
    for (const int i : {1, 2, 4, 6}) QVERIFY(row[std::size_t(i)] == SqlValue());
    QCOMPARE(one("SELECT count(*) FROM slice WHERE category = 'stream' AND track_id = 3"), int64_t(5));
    QCOMPARE(one("SELECT count(*) FROM lowered_variable WHERE category IS NULL OR name IS NULL"), int64_t(0));
  }

private:
  int64_t one(const char* sql) { return std::get<int64_t>(runQuery(*m_reader, sql).rows.at(0).at(0)); }
  tests::TinyReport m_tiny;
  std::unique_ptr<Reader> m_reader = std::make_unique<Reader>(m_tiny.path());
};

TILESCOPE_TEST(QueryTest)
#include "query_test.moc"
