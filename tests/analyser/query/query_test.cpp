#include "analyser/query/query.h"
#include "reports/core/error.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>
#include <nlohmann/json.hpp>

using namespace analyser;
using namespace analyser::query;

class QueryTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { m_session = Session::open(m_report.path().string()); }

  void runsASelect() {
    const Result r = query::run(*m_session, "SELECT ipus, clock_hz, 0.5 AS half, NULL AS n, tile_rows FROM machine");
    QCOMPARE(r.columns.size(), std::size_t(5));
    QCOMPARE(r.rows.size(), std::size_t(1));
    QCOMPARE(std::get<int64_t>(r.rows[0][0]), int64_t(2));
    QCOMPARE(std::get<double>(r.rows[0][2]), 0.5);
    QVERIFY(std::holds_alternative<analyser::query::Null>(r.rows[0][3]));
    QVERIFY(std::holds_alternative<BlobSize>(r.rows[0][4]));
    QVERIFY(!r.truncated);
  }
  void limitsRows() {
    const Result r = query::run(*m_session, "SELECT id FROM string ORDER BY id", {3});
    QCOMPARE(r.rows.size(), std::size_t(3));
    QVERIFY(r.truncated);
  }
  void limitsSize() {
    Limits limits;
    limits.maxBytes = Bytes(1 << 20);
    const std::string rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100) SELECT i, ";
    QCOMPARE(query::run(*m_session, rows + "printf('%.*c', 1000, 'x') FROM n", limits).rows.size(), std::size_t(100));
    try {
      query::run(*m_session, rows + "printf('%.*c', 100000, 'x') FROM n", limits);
      QFAIL("ten million characters are more than a mebibyte");
    } catch (const reports::Error& error) {
      const std::string text = error.what();
      QVERIFY2(text.find("more than 1.00 MiB") != std::string::npos && text.starts_with(m_report.path().string()), text.c_str());
    }
  }
  void refusesWhatIsNoSelect() {
    for (const char* sql : {"DELETE FROM string", "DROP TABLE run", "ATTACH 'x' AS y", "SELEC 1", "SELECT 1; SELECT 2", "",
                            "PRAGMA writable_schema = 1"})
      QVERIFY_EXCEPTION_THROWN(query::run(*m_session, sql), reports::Error);
  }
  void cancels() {
    std::stop_source stop;
    stop.request_stop();
    QVERIFY_EXCEPTION_THROWN(query::run(*m_session,
                                        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n",
                                        {}, stop.get_token()),
                             reports::Error);
  }
  void csvIsQuotedAndHarmless() {
    const Result r = query::run(*m_session, "SELECT 'a,b' AS x, 'say \"hi\"' AS y, '=cmd()' AS z, -5 AS n, NULL AS e");
    QCOMPARE(formatCsv(r), std::string("x,y,z,n,e\r\n\"a,b\",\"say \"\"hi\"\"\",'=cmd(),-5,\r\n"));
  }
  void jsonKeepsTypes() {
    const Result r = query::run(*m_session, "SELECT 1 AS i, 2.5 AS d, 'x' AS t, NULL AS n, x'0011' AS b, 9 AS i");
    const auto json = nlohmann::json::parse(formatJson(r));
    QCOMPARE(json[0]["i"].get<int>(), 1);
    QCOMPARE(json[0]["i_2"].get<int>(), 9);
    QCOMPARE(json[0]["d"].get<double>(), 2.5);
    QVERIFY(json[0]["n"].is_null());
    QCOMPARE(json[0]["b"]["blob_bytes"].get<int>(), 2);
  }
  void jsonOfAnyNumberOfRows() {
    QCOMPARE(formatJson(query::run(*m_session, "SELECT 1 AS i WHERE 0")), std::string("[]\n"));
    QCOMPARE(formatJson(query::run(*m_session, "SELECT 1 AS i UNION ALL SELECT 'a' || char(10)")),
             std::string("[\n  {\n    \"i\": 1\n  },\n  {\n    \"i\": \"a\\n\"\n  }\n]\n"));
  }
  void tableAligns() {
    const Result r = query::run(*m_session, "SELECT 'ab' AS name, 5 AS n UNION ALL SELECT 'ü', 1234");
    QCOMPARE(formatTable(r), std::string("name     n\n----  ----\nab       5\nü     1234\n"));
  }
  void namesInATableCannotBreakLines() {
    const Result r = query::run(*m_session, "SELECT 'a' || char(10) || 'b' AS x");
    QCOMPARE(formatTable(r), std::string("x\n------\na\\x0ab\n"));
  }
  void schemaListsTables() {
    const auto tables = query::schemaTables();
    const auto machine = std::find_if(tables.begin(), tables.end(), [](const auto& t) { return t.name == "machine"; });
    QVERIFY(machine != tables.end());
    QVERIFY(std::any_of(machine->columns.begin(), machine->columns.end(), [](const auto& c) { return c.name == "clock_hz"; }));
    for (const auto& t : tables)
      if (!t.decodes) query::run(*m_session, "SELECT * FROM \"" + t.name + "\" LIMIT 1");
  }

private:
  tests::TinyReport m_report;
  std::shared_ptr<Session> m_session;
};

TILESCOPE_TEST(QueryTest)
#include "query_test.moc"
