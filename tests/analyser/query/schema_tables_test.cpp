#include "analyser/memory/tile_details.h"
#include "analyser/query/query.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <map>

using namespace analyser;

class SchemaTablesTest : public QObject {
  Q_OBJECT
private slots:
  // Every table and column that the browser lists can be queried.
  void everyTableAndColumnCanBeQueried() {
    const tests::TinyReport report(tests::ReportShape{1, 4, 2});
    const auto session = Session::open(report.path().string());
    const auto tables = query::schemaTables();
    QVERIFY(tables.size() > 20);
    QVERIFY(tables.front().decodes);
    for (const auto& table : tables) {
      QVERIFY2(!table.meaning.empty() && !table.columns.empty(), table.name.c_str());
      std::string sql = "SELECT ";
      for (const auto& column : table.columns) sql += (sql == "SELECT " ? "\"" : ", \"") + column.name + "\"";
      const auto result = query::run(*session, sql + " FROM \"" + table.name + "\" LIMIT 1");
      QCOMPARE(result.columns.size(), table.columns.size());
    }
  }
  // One number for one thing: the query has the cycles that Memory's table of vertices has.
  void vertexTypesCountAllExecutions() {
    const tests::TinyReport report(tests::ReportShape{2, 4, 3});
    const auto session = Session::open(report.path().string());
    std::map<std::string, int64_t> wanted, byTile;
    for (const auto& use : memory::verticesByType(*session, {})) wanted[use.type] = use.tileCycles.value();
    int checked = 0;
    for (const auto& example : query::exampleQueries()) {
      if (!example.name.starts_with("Vertex types by cycles")) continue;
      ++checked;
      std::map<std::string, double> found;
      for (const auto& row : query::run(*session, example.sql).rows) {
        const auto& cycles = row.back();
        const auto& value = example.name == "Vertex types by cycles" ? row[2] : cycles;
        found[std::get<std::string>(row[0])] +=
            std::holds_alternative<double>(value) ? std::get<double>(value) : double(std::get<int64_t>(value));
      }
      for (const auto& [type, cycles] : wanted) QCOMPARE(std::llround(found[type]), cycles);
    }
    QCOMPARE(checked, 2);
  }
  void everyExampleRuns() {
    const tests::TinyReport report(tests::ReportShape{1, 4, 2});
    const auto session = Session::open(report.path().string());
    for (const auto& example : query::exampleQueries()) {
      const auto result = query::run(*session, example.sql);
      QVERIFY2(!result.columns.empty() && !example.name.empty(), example.sql.c_str());
    }
  }
};

TILESCOPE_TEST(SchemaTablesTest)
#include "schema_tables_test.moc"
