// Files of other formats are refused by the format's name, with the command that converts them; so are our own reports.
#include "tests/reports/exchange/exported.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace reports;
using namespace reports::exchange;

class ForeignFormatsTest : public QObject {
  Q_OBJECT
private slots:
  void areNamed_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("command");
    const auto row = [](const std::string& bytes, const char* what, const char* command) {
      QTest::newRow(what) << QByteArray(bytes.data(), qsizetype(bytes.size())) << QString(what) << QString(command);
    };
    row("PERFILE2" + std::string(100, '\0'), "recording of perf", "perf script -i ");
    row("SIMPLEPERF\x01", "simpleperf", "stackcollapse.py");
    row("PK\x03\x04zip", "zip archive", "unzip ");
    row(std::string("\xfd") + "7zXZ", "xz", "xz -dk");
    row("1000 1700000052.321 openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY) = 3\n1000 1700000052.322 close(3)      = 0\n", "strace",
        "perf");
    row("read(3, \"a;b\", 12) = 12\nwrite(1, \"x\", 1) = 1\n+++ exited with 0 +++\n", "strace", "perf");
    row("<?xml version=\"1.0\"?><trace-query-result><node/></trace-query-result>", "xctrace", "inferno-collapse-xctrace ");
    row("version: 1\ncreator: callgrind-3\nevents: Ir\nfn=main\n1 2\n", "callgrind", "callgrind_annotate ");
    row("# callgrind format\nversion: 1\n", "callgrind", "perf record");
    row("desc: I1 cache: 32768 B\ncmd: ls\nevents: Ir Dr\nfl=a.c\nfn=main\n16 100 5\n", "cachegrind", "cg_annotate ");
    row(R"({"meta":{"version":24},"libs":[],"threads":[{"stackTable":{}}]})", "Firefox Profiler", "speedscope");
    row("<!DOCTYPE html>\n<html></html>", "HTML", "about:tracing");
    row("\n  libc`write+0x1\n  a.out`main+0x2\n    12\n\n  a.out`main+0x2\n   3\n", "dtrace", "stackcollapse.pl ");
    row("MemTotal:       16280000 kB\nMemFree:          901000 kB\nHugePages_Total:       0\nBuffers:          120000 kB\n",
        "meminfo", "linux.sys_stats");
    row("threads 8\nsockets 1\nmodel 85\n", "names and numbers", "--format folded");
    row("Name:\tsleep\nVmPeak:\t    5800 kB\nVmSize:\t    5800 kB\nVmLck:\t       0 kB\nVmRSS:\t     900 kB\n", "sizes of memory",
        "Perfetto");
    row("desc: (none)\ncmd: ./app 1\ntime_unit: i\n#-----------\nsnapshot=0\ntime=0\nmem_heap_B=0\n", "massif", "ms_print ");
    row("Flat profile:\n\nEach sample counts as 0.01 seconds.\n  %   cumulative   self              self     total\n"
        " 60.00      0.03     0.03        7     4.29     4.29  work\n",
        "gprof", "perf script");
    row("# To display the perf.data header info, please use --header/--header-only options.\n#\n# Samples: 3K of event 'cycles'\n"
        "# Event count (approx.): 12345\n#\n# Overhead  Command  Shared Object  Symbol\n    70.00%  app  app  [.] work\n",
        "perf report", "perf script");
    row("\n Performance counter stats for './app':\n\n          1,203.11 msec task-clock\n                 7 "
        "context-switches\n\n",
        "perf stat", "perf record");
    row(R"({"resourceSpans":[]})", "OpenTelemetry", "Chrome trace events");
    row(std::string("FLR\0\0", 5), "Flight Recorder", "jfrconv");
    row("\x7f"
        "ELF\x02",
        "a program", "trace file");
  }
  void areNamed() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, what);
    QFETCH(QString, command);
    try {
      tests::importText({bytes.data(), std::size_t(bytes.size())}, "some.file");
      QFAIL("imported");
    } catch (const Error& error) {
      QCOMPARE(error.code(), ErrorCode::InvalidInput);
      QVERIFY2(QString::fromStdString(error.message()).contains(what), error.message().c_str());
      QVERIFY2(QString::fromStdString(error.advice()).contains(command), error.advice().c_str());
      QVERIFY(error.where().find("some.file") != std::string::npos);
    }
  }
  // Our own reports are refused too, under any name and even with --format.
  void ownReportsAreNotTraces() {
    tests::TemporaryFolder folder;
    std::ofstream(folder / "t.json") << R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}])";
    tests::importTo(folder / "own.json", folder / "t.json");
    for (const auto format : {std::optional<TraceFormat>(), std::optional(TraceFormat::Pvti)}) {
      ImportRequest request;
      request.files = {folder / "t.json", folder / "own.json"};
      request.format = format;
      if (format) request.files.erase(request.files.begin());
      try {
        tests::importFiles(request);
        QFAIL("imported");
      } catch (const Error& error) {
        QVERIFY(error.message().find("report of Tilescope") != std::string::npos);
        QVERIFY(error.advice().find("tilescope-cli summary") != std::string::npos);
      }
    }
    std::filesystem::copy_file(folder / "own.json", folder / "own.tsr.gz");
    ImportRequest packed;
    packed.files = {folder / "own.tsr.gz"};
    QVERIFY(tests::has(tests::errorOf([&] { tests::importFiles(packed); }), "gunzip"));
  }
};

TILESCOPE_TEST(ForeignFormatsTest)
#include "foreign_formats_test.moc"
