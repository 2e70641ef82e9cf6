// .pvti files: written files can be read again, and other layouts of the same tables are recognised.
#include "reports/core/error.h"
#include "reports/exchange/export.h"
#include "reports/sqlite/statement.h"
#include "reports/sqlite/writer.h"
#include "tests/reports/exchange/imported.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace reports;
using namespace reports::exchange;
using tests::Imported;

class PvtiTest : public QObject {
  Q_OBJECT

  static void make(const std::filesystem::path& file, const std::vector<const char*>& statements) {
    std::ofstream(file, std::ios::binary).flush();
    Connection connection(file, Connection::Mode::ReadWrite);
    for (const char* sql : statements) connection.execute(sql);
    connection.close();
  }
  static Imported imported(const std::filesystem::path& file) {
    ImportRequest request;
    request.files = {file};
    return tests::importFiles(request);
  }

private slots:
  void writtenAndReadAgain() {
    const tests::TinyReport report;
    const auto file = report.folder() / "a.pvti";
    std::ofstream(file, std::ios::binary).flush();
    Reader reader(report.path());
    NoProgress progress;
    ExportRequest request;
    const ExportCounts written = exportPvti(reader, request, file, progress, {});
    QVERIFY(written.slices > 0 && written.instants > 0 && written.counterSamples == 200);
    const Imported again = imported(file);
    QCOMPARE(again.result.files[0].format, TraceFormat::Pvti);
    QCOMPARE(again.counts().slices, written.slices);
    QCOMPARE(again.counts().instants, written.instants);
    QCOMPARE(again.counts().counterSamples, written.counterSamples);
    QCOMPARE(again.rows.rows<HeatmapRow>().size(), std::size_t(1));
    QCOMPARE(again.rows.rows<HeatmapRow>()[0].samples, int64_t(10));
    for (const int64_t n : again.result.total.mended) QCOMPARE(n, int64_t(0));
    // Times, to the nanosecond: the host's main thread.
    const auto slices = again.slices();
    const auto compile = std::find_if(slices.begin(), slices.end(), [](const auto& s) { return s.name == "compile"; });
    QVERIFY(compile != slices.end());
    QCOMPARE(compile->end - compile->start, int64_t(900'000));
    QVERIFY(again.rows.rows<HostProcessRow>()[0].startUnixNanoseconds.value_or(0) > 1'700'000'000'000'000'000);
  }

  // Another layout: text labels, begins and ends as numbers, microseconds, threads by tid.
  void otherLayoutsAreFoundOut() {
    const tests::TemporaryFolder folder;
    make(folder / "b.pvti",
         {"CREATE TABLE Channel (Id INTEGER PRIMARY KEY, Name TEXT)", "INSERT INTO Channel VALUES (7, 'poplar')",
          "CREATE TABLE Trace_Event (PID INT, TID INT, ChannelId INT, Label TEXT, TimeStamp INT, Event_Type INT, Json TEXT)",
          "INSERT INTO Trace_Event VALUES (10, 11, 7, 'outer', 1000, 0, NULL), (10, 11, 7, 'inner', 1100, 0, '{\"a\":1}'),"
          " (10, 11, 7, '', 1200, 1, NULL), (10, 11, 7, '', 1500, 1, NULL), (10, 12, 7, 'mark', 1300, 2, NULL),"
          " (10, 12, 7, 'open', 1400, 0, NULL), (10, 12, 7, 'odd', NULL, 0, NULL), (10, 12, 7, 'odd', 1, 9, NULL)",
          "CREATE TABLE unrelated (a, b)"});
    const Imported got = imported(folder / "b.pvti");
    QCOMPARE(got.counts().slices, int64_t(2));
    QCOMPARE(got.counts().instants, int64_t(1));
    QCOMPARE(got.mended(Mend::UnclosedBegins), int64_t(1));
    QCOMPARE(got.mended(Mend::EventsWithoutTime), int64_t(1));
    QCOMPARE(got.mended(Mend::EventsOfUnknownKind), int64_t(1));
    const auto slices = got.slices();
    QCOMPARE(slices.size(), std::size_t(3));
    QCOMPARE(slices[0].name, std::string("outer"));
    QCOMPARE(slices[0].end - slices[0].start, int64_t(500'000));
    QCOMPARE(slices[1].details, std::string("{\"a\":1}"));
    QCOMPARE(slices[1].depth, int64_t(1));
    QCOMPARE(got.rows.rows<ChannelRow>().at(0).name, std::string("poplar"));
  }
  // Unknown tables with rows are counted and named; points may refer to their series by a text.
  void unknownTablesAreCounted() {
    const tests::TemporaryFolder folder;
    make(folder / "c.pvti", {"CREATE TABLE events (thread_id INTEGER, label TEXT, timestamp INTEGER, duration INTEGER)",
                             "INSERT INTO events VALUES (1, 'x', 10, 5)", "CREATE TABLE empty (a)",
                             "CREATE TABLE whoknows (a, b)", "INSERT INTO whoknows VALUES (1, 2)",
                             "CREATE TABLE counters (id INTEGER, name TEXT, series TEXT, time INT, value REAL)",
                             "INSERT INTO counters VALUES (1, 'mem', 'host', 11, 1.5), (2, 'mem', 'host', 12, 2.5)"});
    const Imported got = imported(folder / "c.pvti");
    QCOMPARE(got.mended(Mend::TablesNotRead), int64_t(1));
    const auto issues = got.rows.rows<ReportIssueRow>();
    QVERIFY(std::any_of(issues.begin(), issues.end(),
                        [](const auto& issue) { return issue.message.find("whoknows") != std::string::npos; }));
    QCOMPARE(got.counts().counterSamples, int64_t(2));
    QCOMPARE(got.counts().counterSeries, int64_t(1));
    QCOMPARE(got.rows.rows<CounterSeriesRow>().at(0).graph, std::string("mem"));
    QCOMPARE(got.rows.rows<CounterSeriesRow>().at(0).name, std::string("host"));
  }

  // Damaged and foreign files give one clear error.
  void whatIsNone() {
    const tests::TemporaryFolder folder;
    make(folder / "none.pvti", {"CREATE TABLE people (id INTEGER, name TEXT)"});
    std::string message;
    try {
      imported(folder / "none.pvti");
    } catch (const Error& error) {
      message = error.what();
    }
    QVERIFY2(message.find("people") != std::string::npos, message.c_str());
    make(folder / "whole.pvti", {"CREATE TABLE events (thread_id INTEGER, label TEXT, timestamp INTEGER, duration INTEGER)",
                                 "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
                                 " INSERT INTO events SELECT 1, 'x', i * 10, 5 FROM n"});
    QCOMPARE(imported(folder / "whole.pvti").counts().slices, int64_t(5000));
    std::ifstream in(folder / "whole.pvti", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    int errors = 0;
    for (std::size_t cut = 1; cut < bytes.size(); cut += bytes.size() / 60) {
      std::ofstream(folder / "cut.pvti", std::ios::binary) << bytes.substr(0, cut);
      try {
        imported(folder / "cut.pvti");
      } catch (const Error&) {
        ++errors; // no other exception, no crash
      }
    }
    QVERIFY(errors > 0);
  }
};

TILESCOPE_TEST(PvtiTest)
#include "pvti_test.moc"
