#include "analyser/query/query.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

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
