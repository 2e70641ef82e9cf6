// Reports of every published schema version open as they are. An older file is made from today's by taking away what later
// versions brought.
#include "reports/sqlite/reader.h"
#include "reports/sqlite/schema.h"
#include "reports/sqlite/upgrade.h"
#include "tests/support/file_bytes.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>

using namespace reports;

namespace {

void executeAll(const std::filesystem::path& file, const std::vector<std::string>& statements) {
  for (const auto& sql : statements) tests::tamper(file, sql);
}

void makeOlder(const std::filesystem::path& file, int version) {
  std::vector<std::string> sql;
  const auto& all = schemaAdditions();
  for (auto step = all.rbegin(); step != all.rend(); ++step) { // a column goes before its table
    const SchemaAddition& a = *step;
    if (a.version <= version) continue;
    sql.push_back(a.column.empty() ? "DROP TABLE " + quotedName(a.table)
                                   : "ALTER TABLE " + quotedName(a.table) + " DROP COLUMN " + quotedName(a.column));
  }
  sql.push_back("PRAGMA user_version = " + std::to_string(version));
  sql.push_back("VACUUM");
  executeAll(file, sql);
}

} // namespace

class UpgradeTest : public QObject {
  Q_OBJECT
private slots:
  void everyVersionOpens_data() {
    QTest::addColumn<int>("version");
    for (int v = 1; v < kSchemaVersion; ++v) QTest::addRow("%d", v) << v;
  }
  void everyVersionOpens() {
    QFETCH(int, version);
    tests::TinyReport today, older;
    makeOlder(older.path(), version);
    const std::string before = tests::bytesOf(older.path());
    Reader now(today.path()), then(older.path());
    int compared = 0;
    forEachTable([&]<class Row>() {
      const auto rows = then.rows<Row>();
      if (!tableIsSince(Row::kTable, version)) {
        QVERIFY2(rows.empty(), std::string(Row::kTable).c_str());
        return;
      }
      const auto wanted = now.rows<Row>();
      QCOMPARE(rows.size(), wanted.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto same = [&](const auto& c) {
          if (columnIsSince(Row::kTable, c.name, version)) return rows[i].*c.member == wanted[i].*c.member;
          return rows[i].*c.member == std::decay_t<decltype(rows[i].*c.member)>();
        };
        const bool all = std::apply([&](const auto&... c) { return (same(c) && ...); }, Row::columns());
        QVERIFY2(all, std::string(Row::kTable).c_str());
      }
      ++compared;
    });
    QVERIFY(compared > 20);
    then.quickCheck();
    QCOMPARE(then.count<HostProcessRow>(), int64_t(1)); // through the view
    // A file from before the host timeline has no samples and no clocks; a later one has today's.
    const auto counted = [](Reader& reader) {
      Statement statement(reader.connection(), "SELECT count(*), (SELECT count(clock) FROM host_process) FROM counter_sample");
      return statement.step() ? std::pair(statement.value(0), statement.value(1)) : std::pair<SqlValue, SqlValue>();
    };
    const std::pair<SqlValue, SqlValue> none{int64_t(0), int64_t(0)};
    QVERIFY(counted(now) != none);
    QVERIFY(counted(then) == (tableIsSince("counter_series", version) ? counted(now) : none));
    QCOMPARE(tests::bytesOf(older.path()), before);
  }

  void onlyWhatTheFileShouldHaveIsMissing() {
    tests::TinyReport older;
    makeOlder(older.path(), 1);
    executeAll(older.path(), {"DROP TABLE stream"});
    QVERIFY_EXCEPTION_THROWN(Reader(older.path()), Error);
    tests::TinyReport today;
    executeAll(today.path(), {"DROP TABLE counter_series"});
    QVERIFY_EXCEPTION_THROWN(Reader(today.path()), Error);
  }

  // A file with an old version number may hold any data under the name of a newer table; the reader ignores it.
  void tablesOfLaterVersionsAreNotReadFromOlderFiles() {
    tests::TinyReport older;
    makeOlder(older.path(), 1);
    executeAll(older.path(), {"CREATE VIEW counter_series AS SELECT 1 AS id", "CREATE TABLE run_link (run_id TEXT)",
                              "INSERT INTO run_link VALUES ('x')"});
    Reader reader(older.path());
    QCOMPARE(reader.count<CounterSeriesRow>(), int64_t(0));
    QCOMPARE(reader.count<RunLinkRow>(), int64_t(0));
    QVERIFY(reader.rows<RunLinkRow>().empty());
  }

  void nothingCanBeWrittenToWhatIsLaidOver() {
    tests::TinyReport older;
    makeOlder(older.path(), 1);
    Reader reader(older.path());
    for (const char* sql :
         {"INSERT INTO run_link VALUES (0, 0, 0, 0, 0, 0)", "DROP VIEW host_process", "CREATE TEMP TABLE x (a)"})
      QVERIFY_EXCEPTION_THROWN(reader.connection().execute(sql), Error);
  }

  void everyAdditionIsOfTheSchema() {
    std::set<std::pair<std::string, std::string>> columns;
    for (const TableText& t : allTableTexts()) {
      columns.insert({t.name, ""});
      for (const ColumnText& c : t.columns)
        if (c.nullable) columns.insert({t.name, c.name});
    }
    for (const SchemaAddition& a : schemaAdditions()) {
      QVERIFY(a.version >= 2 && a.version <= kSchemaVersion);
      QVERIFY2(columns.contains({std::string(a.table), std::string(a.column)}), std::string(a.table).c_str());
    }
  }
};

TILESCOPE_TEST(UpgradeTest)
#include "upgrade_test.moc"
