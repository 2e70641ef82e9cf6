// Dangling, cyclic and duplicate ids: every analysis ends, with an answer or an Error. Faults F13 and F14 of
// tests/FAULTS.md.
#include "reports/core/error.h"
#include "reports/sqlite/reader.h"
#include "reports/sqlite/schema.h"
#include "tests/support/every_analysis.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"

#include <QTest>

namespace {

struct Outcomes {
  int answers = 0, errors = 0;
};

// Lets internal errors, and exceptions other than Error, pass.
Outcomes outcomesOf(const std::filesystem::path& report) {
  Outcomes outcomes;
  try {
    const auto session = analyser::Session::open(report.string());
    tests::everyAnalysis(*session, [&](auto&& question) {
      try {
        question();
        ++outcomes.answers;
      } catch (const reports::Error& error) {
        if (error.code() == reports::ErrorCode::Internal) throw;
        ++outcomes.errors;
      }
    });
  } catch (const reports::Error& error) {
    if (error.code() == reports::ErrorCode::Internal) throw;
    ++outcomes.errors;
  }
  return outcomes;
}

} // namespace

class DamagedIdsTest : public QObject {
  Q_OBJECT

  // Columns that hold ids of other rows: every column whose name ends with "_id".
  static std::vector<std::pair<std::string, std::string>> references() {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& table : reports::allTableTexts())
      for (const auto& column : table.columns)
        if (column.name.ends_with("_id")) all.emplace_back(table.name, column.name);
    return all;
  }
  static void everyReferenceBecomes(const std::string& value) {
    int errors = 0, answers = 0;
    for (const auto& [table, column] : references()) {
      const tests::TinyReport report;
      // OR IGNORE: some are keys, of which no two may be equal.
      tests::tamper(report.path(), "UPDATE OR IGNORE " + table + " SET " + column + " = " + value);
      const Outcomes outcomes = outcomesOf(report.path());
      QVERIFY2(outcomes.answers + outcomes.errors > 0, (table + "." + column).c_str());
      answers += outcomes.answers, errors += outcomes.errors;
    }
    qInfo("%d answers, %d errors", answers, errors);
    QVERIFY(answers > 0);
  }

private slots:
  void theSoundReportHasAnAnswerToAll() {
    const tests::TinyReport report;
    QCOMPARE(outcomesOf(report.path()).errors, 0);
    QVERIFY(references().size() > 20);
  }
  void F14_danglingIdsOfEveryTable_data() {
    QTest::addColumn<QString>("value");
    for (const char* value : {"999999999", "-1", "-9223372036854775808", "9223372036854775807", "4294967296"})
      QTest::newRow(value) << value;
  }
  void F14_danglingIdsOfEveryTable() {
    QFETCH(QString, value);
    everyReferenceBecomes(value.toStdString());
  }
  // A hostile author leaves the keys out; each row is then there twice.
  void F14_everyRowTwice() {
    int doubled = 0;
    for (const auto& table : reports::allTableTexts()) {
      const tests::TinyReport report;
      const std::string name = reports::quotedName(table.name);
      const auto rows = [&] {
        reports::Reader reader(report.path());
        reports::Statement count(reader.connection(), "SELECT count(*) FROM " + name);
        count.step();
        return std::get<int64_t>(count.value(0));
      };
      const int64_t before = rows();
      tests::tamper(report.path(),
                    "CREATE TABLE twice AS SELECT * FROM " + name + "; DELETE FROM " + name +
                        "; PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, ' PRIMARY KEY', '') "
                        "WHERE name = '" +
                        table.name + "' AND NOT EXISTS (SELECT 1 FROM sqlite_schema AS i WHERE i.tbl_name = '" + table.name +
                        "' AND i.name LIKE 'sqlite_autoindex%')");
      const std::string fill = "INSERT OR IGNORE INTO " + name + " SELECT * FROM twice; ";
      tests::tamper(report.path(), fill + fill + "DROP TABLE twice");
      const Outcomes outcomes = outcomesOf(report.path());
      QVERIFY2(outcomes.answers + outcomes.errors > 0, table.name.c_str());
      try {
        doubled += before > 0 && rows() == 2 * before;
      } catch (const reports::Error&) { // the table of the machine has one row
      }
    }
    qInfo("%d tables", doubled);
    QVERIFY(doubled >= 10);
  }
  void F13_parentsThatAreTheirOwnAncestors() {
    int tables = 0;
    for (const auto& [table, column] : references()) {
      if (column != "parent_id") continue;
      ++tables;
      for (const char* parent : {"id", "(id + 1) % (SELECT count(*) FROM %1)", "(id + 2) % 3"}) {
        const tests::TinyReport report;
        tests::tamper(report.path(), "UPDATE " + table + " SET parent_id = " +
                                         QString(parent).replace("%1", QString::fromStdString(table)).toStdString());
        const Outcomes outcomes = outcomesOf(report.path());
        QVERIFY2(outcomes.answers > 0, table.c_str());
      }
    }
    QVERIFY(tables >= 2);
  }
};

TILESCOPE_TEST(DamagedIdsTest)
#include "damaged_ids_test.moc"
