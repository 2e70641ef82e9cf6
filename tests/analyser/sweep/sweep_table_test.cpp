#include "analyser/sweep/sweep_table.h"
#include "reports/sqlite/connection.h"
#include "reports/sqlite/statement.h"
#include "tests/support/error_text.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <fstream>

using namespace analyser::sweep;

class SweepTableTest : public QObject {
  Q_OBJECT
private slots:
  void aRecordIsReadAsItWasWritten() {
    const tests::TinyReport report;
    const std::string key(64, 'a');
    Record r = recordOfReport(key, report.path());
    r.wallSeconds = 0.25;
    QVERIFY(r.state == State::Done && r.figures.at("total_cycles") > 0);
    const auto file = report.folder() / "r.json";
    std::ofstream(file) << recordText(r);
    const auto read = readRecord(file, key);
    QVERIFY(read && read->figures == r.figures && read->wallSeconds == 0.25);
    QVERIFY(!readRecord(file, std::string(64, 'b')));
    std::ofstream(file) << recordText(r).substr(0, 40); // cut short
    QVERIFY(!readRecord(file, key));
    QVERIFY(!readRecord(report.folder() / "none.json", key));
  }
  // The answer of a run has the figures of its report; an incomplete answer, or one of an older program, is replaced by the report.
  void theAnswerOfARunIsItsRecord() {
    const tests::TinyReport report;
    const std::string key(64, 'a');
    const Record r = recordOfReport(key, report.path());
    const auto answer = [](const nlohmann::json& figures, const char* state) {
      return nlohmann::json{{"state", state}, {"figures", figures}, {"outputs", nlohmann::json::array()}}.dump(2);
    };
    const auto read = recordOfAnswer(key, answer(r.figures, "fits"));
    QVERIFY(read && read->key == key && read->state == State::Done && read->figures == r.figures);
    QVERIFY(recordOfAnswer(key, answer(r.figures, "out_of_memory"))->state == State::DoesNotFit);
    const std::string whole = answer(r.figures, "fits");
    for (const std::string& text :
         {std::string(), std::string("done\n"), whole.substr(0, whole.size() / 2), answer({{"total_cycles", -1}}, "fits"),
          answer({{"flops", 1}}, "fits"), std::string("{\"state\": \"fits\", \"total_cycles\": 7}")})
      QVERIFY2(!recordOfAnswer(key, text), text.c_str());
  }
  // A record with impossible figures is not used: the run counts as missing and is repeated.
  void impossibleFiguresAreNoRecord() {
    const tests::TemporaryFolder folder;
    const std::string key(64, 'a');
    const auto reads = [&](const std::string& figures) {
      std::ofstream(folder / "r.json") << "{\"key\": \"" + key + "\", \"state\": \"done\", \"figures\": {" + figures + "}}";
      return readRecord(folder / "r.json", key).has_value();
    };
    QVERIFY(reads("\"total_cycles\": 7, \"samples\": 0"));
    for (const char* figures : {"", "\"samples\": 1", "\"total_cycles\": -1", "\"total_cycles\": 7, \"flops\": -0.5",
                                "\"total_cycles\": 1e400", "\"total_cycles\": \"7\""})
      QVERIFY2(!reads(figures), figures);
  }
  void aSweepIsReadAsFarAsItRan() {
    const tests::TemporaryFolder folder;
    const Manifest m = write(folder, 5);
    put(folder, m, 0, 100, 50), put(folder, m, 1, 80, 60), put(folder, m, 2, 120, 55);
    Record failed;
    failed.key = m.configurations[3].key, failed.message = "batch, \"4\" is too large";
    std::ofstream(recordFile(folder.path(), failed.key)) << recordText(failed);
    const SweepTable t = readSweep(folder.path());
    QCOMPARE(t.done, int64_t(3));
    QCOMPARE(t.failed, int64_t(1));
    QCOMPARE(t.missing, int64_t(1));
    QVERIFY(t.points[0].isOptimal && t.points[1].isOptimal && !t.points[2].isOptimal);
    QVERIFY2(tests::has(t.verdict.text(), "1 failed"), t.verdict.text().c_str());
    const std::string csv = sweepCsv(t);
    QCOMPARE(std::count(csv.begin(), csv.end(), '\n'), std::ptrdiff_t(6));
    QVERIFY2(tests::has(csv, "\"batch, \"\"4\"\" is too large\""), csv.c_str());
  }
  void aCellRunsInNoSpreadsheetAndColoursNoTerminal() {
    const tests::TemporaryFolder folder;
    const Manifest m = write(folder, 1);
    Record failed;
    failed.key = m.configurations[0].key, failed.message = "=1+1 \x1b[31mred";
    std::ofstream(recordFile(folder.path(), failed.key)) << recordText(failed);
    const std::string csv = sweepCsv(readSweep(folder.path()));
    QVERIFY2(tests::has(csv, ",'=1+1 "), csv.c_str());
    QVERIFY2(!tests::has(csv, "\x1b"), csv.c_str());
    QVERIFY2(tests::has(csv, ",failed,0,1,"), csv.c_str()); // the parameter stays a number
  }
  void theDatabaseHoldsEveryRun() {
    const tests::TemporaryFolder folder;
    const Manifest m = write(folder, 4);
    put(folder, m, 2, 100, 50);
    const auto file = folder.path() / "sweep.db";
    std::ofstream(file).flush();
    writeSweepDatabase(readSweep(folder.path()), file);
    reports::Connection db(file, reports::Connection::Mode::ReadImmutable);
    reports::Statement rows(db, "SELECT state, batch, total_cycles FROM point ORDER BY number");
    for (int i = 0; i < 4; ++i) {
      QVERIFY(rows.step());
      QCOMPARE(std::get<std::string>(rows.value(0)), std::string(i == 2 ? "done" : "missing"));
      QCOMPARE(std::get<std::string>(rows.value(1)), std::to_string(i + 1));
      QCOMPARE(rows.isNull(2), i != 2);
    }
    QVERIFY(!rows.step());
  }
  void samplesDivideCycles() {
    const tests::TemporaryFolder folder;
    const Manifest m = write(folder, 2);
    put(folder, m, 0, 100, 50, 1), put(folder, m, 1, 150, 50, 2);
    const SweepTable t = readSweep(folder.path());
    QCOMPARE(*cyclesOf(t.points[1]), 75.0);
    QVERIFY(!t.points[0].isOptimal && t.points[1].isOptimal);
  }
  void theVerdictNamesWhatTheSweepVaries() {
    const tests::TemporaryFolder one, two;
    put(one, write(one, 1), 0, 100, 50, 1);
    QVERIFY(!tests::has(readSweep(one.path()).verdict.text(), " with "));
    put(two, write(two, 2), 0, 100, 50, 1);
    QVERIFY(tests::has(readSweep(two.path()).verdict.text(), " with batch 1."));
  }
  // If the machines have different clocks, the front is computed with times, not with cycles.
  void runsOfDifferentClocksAreComparedByTime() {
    const tests::TemporaryFolder folder;
    const Manifest m = write(folder, 3);
    put(folder, m, 0, 1000, 50, 2, 1e-6), put(folder, m, 1, 1100, 50, 2, 0.8e-6), put(folder, m, 2, 1050, 60, 2, 0.9e-6);
    const SweepTable t = readSweep(folder.path());
    QVERIFY(t.isOfClocks);
    QCOMPARE(*effortOf(t, t.points[1]), 0.4e-6);
    QVERIFY(!t.points[0].isOptimal && t.points[1].isOptimal && !t.points[2].isOptimal);
    QVERIFY2(tests::has(t.verdict.text(), "least time per sample: 400 ns, 550 cycles with batch 2"), t.verdict.text().c_str());
    put(folder, m, 1, 1100, 50, 2, 1.1e-6), put(folder, m, 2, 1050, 60, 2, 1.05e-6); // at one clock
    const SweepTable same = readSweep(folder.path());
    QVERIFY(!same.isOfClocks && same.points[0].isOptimal && !same.points[1].isOptimal);
  }
  void theHeadOfAnOptionIsItsName() {
    const tests::TemporaryFolder folder;
    std::filesystem::create_directory(folder.path() / "runs");
    std::ofstream(folder.path() / "manifest.jsonl")
        << manifestText(planSweep(R"({"graph": "mlp", "parameters": {"--precision": ["fp16"], "@1+1": [1]}})", "spec"));
    const std::string csv = sweepCsv(readSweep(folder.path()));
    QVERIFY2(csv.starts_with("key,state,optimal,--precision,'@1+1,"), csv.c_str());
  }
  void whatIsExcludedIsAParameterOfTheSweep() {
    const auto plan = [](const std::string& exclude) {
      return planSweep(
          R"({"graph": "mlp", "parameters": {"batch": [1, 2]}, "cases": [{"width": 8}], "exclude": [)" + exclude + "]}", "spec");
    };
    QCOMPARE(plan(R"({"batch": 2}, {"width": 9})").configurations.size(), std::size_t(2));
    const std::string error = tests::errorOf([&] { plan(R"({"bach": 2})"); });
    QVERIFY2(tests::has(error, "'bach'") && tests::has(error, "there are batch, width"), error.c_str());
  }

private:
  static Manifest write(const tests::TemporaryFolder& folder, int runs) {
    std::string list;
    for (int i = 1; i <= runs; ++i) list += (i > 1 ? "," : "") + std::to_string(i);
    const Manifest m = planSweep("{\"graph\": \"mlp\", \"parameters\": {\"batch\": [" + list + "]}}", "spec");
    std::filesystem::create_directory(folder.path() / "runs");
    std::ofstream(folder.path() / "manifest.jsonl") << manifestText(m);
    return m;
  }
  static void put(const tests::TemporaryFolder& folder, const Manifest& m, std::size_t i, double cycles, double bytes,
                  double samples = 0, double seconds = 0) {
    Record r;
    r.key = m.configurations[i].key, r.state = State::Done;
    r.figures = {{"total_cycles", cycles}, {"memory.max_tile_bytes", bytes}};
    if (samples > 0) r.figures["samples"] = samples;
    if (seconds > 0) r.figures["seconds"] = seconds;
    std::ofstream(recordFile(folder.path(), r.key)) << recordText(r);
  }
};

TILESCOPE_TEST(SweepTableTest)
#include "sweep_table_test.moc"
