// If memory or the disk fails at any moment while a report is written or read, the result is one error: the child process ends by
// itself, and the file is the complete old or the complete new report.
#include "app/cli/cli.h"
#include "app/cli/out_of_memory.h"
#include "reports/core/error.h"
#include "reports/sqlite/reader.h"
#include "tests/app/faults/system_faults.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <new>
#include <random>

using tests::Fault;
using tests::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

constexpr int kDone = 0, kError = 2, kNothingFailed = 10, kUnexpected = 11;

struct ChildEnd {
  int code = -1; // below zero: of the signal that ended it
  std::string error;
  std::int64_t events = 0;
};

// Runs `work`, which returns an exit code or throws, in a child process in which the n-th event of the kind fails.
ChildEnd inChild(const fs::path& folder, Fault fault, std::int64_t n, const std::function<int()>& work) {
  const fs::path errors = folder / "errors", events = folder / "events";
  const pid_t child = fork();
  if (child == 0) {
    alarm(100); // a hang is a failure too
    if (!freopen(errors.c_str(), "w", stderr)) _exit(kUnexpected);
    app::cli::endOnUncaught(); // as main() does
    int code = kUnexpected;
    try {
      tests::failOnce(fault, n);
      code = work();
    } catch (const reports::Error&) {
      code = kError;
    } catch (const std::bad_alloc&) { // the mains make an error of it
      code = kError;
    } catch (...) {
    }
    const std::int64_t seen = tests::faultEvents();
    const bool failed = tests::hasFailed();
    tests::failOnce(fault, -1);
    std::ofstream(events) << seen;
    std::cerr.flush();
    _exit(code == kDone && !failed ? kNothingFailed : code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ChildEnd end{WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), {}, 0};
  std::ifstream in(errors), count(events);
  end.error.assign(std::istreambuf_iterator<char>(in), {});
  count >> end.events;
  return end;
}

// The events at which to fail: all of the first ones, then fewer and fewer, each at a random position in its interval.
std::vector<std::int64_t> places(std::int64_t events, std::int64_t first, double growth) {
  std::mt19937_64 random(7);
  std::vector<std::int64_t> all;
  for (double at = 0; at < double(events); at = at < double(first) ? at + 1 : at * growth + 1) {
    const auto stretch = std::int64_t(at < double(first) ? 1 : at * (growth - 1) + 1);
    all.push_back(std::min(events - 1, std::int64_t(at) + std::int64_t(random() % std::uint64_t(stretch))));
  }
  return all;
}

void writeNamed(const fs::path& path, const char* title) {
  tests::ReportShape shape;
  shape.title = title;
  tests::writeSyntheticReport(path, shape);
}

int runQuietly(const std::vector<std::string>& arguments) {
  std::ofstream nowhere("/dev/null");
  return app::cli::runCommandLine(arguments, nowhere, std::cerr, false, {}, "tilescope-cli");
}

} // namespace

class FaultsTest : public QObject {
  Q_OBJECT

  // Fails `work` at every sampled event; `check` tests the remaining files. All work is done in child processes: this process opens
  // no report before them, because SQLite's allocator can only be replaced before its first use.
  template<class Prepare, class Check>
  void failEverywhere(Fault fault, std::int64_t first, double growth, Prepare prepare, const std::function<int()>& work,
                      Check check) {
    TemporaryFolder notes;
    prepare();
    const ChildEnd whole = inChild(notes.path(), fault, std::int64_t(1) << 60, work);
    QVERIFY2(whole.code == kNothingFailed, (std::to_string(whole.code) + ": " + whole.error).c_str());
    QVERIFY(whole.events > 10); // or nothing is tested
    const auto all = places(whole.events, first, growth);
    int errors = 0;
    for (const std::int64_t n : all) {
      prepare();
      const ChildEnd end = inChild(notes.path(), fault, n, work);
      const std::string what = "event " + std::to_string(n) + " of " + std::to_string(whole.events) + ": exit " +
                               std::to_string(end.code) + " " + end.error.substr(0, 1500);
      QVERIFY2(end.code == kDone || end.code == kError || end.code == kNothingFailed, what.c_str());
      QVERIFY2(end.error.find("internal error") == std::string::npos, what.c_str());
      errors += end.code == kError;
      if (const std::string left = check(end.code); !left.empty()) QFAIL((what + ": " + left).c_str());
    }
    qInfo("%lld events, %d places, %d errors", static_cast<long long>(whole.events), int(all.size()), errors);
    QVERIFY(errors > 0);
  }

  // Runs in a child process too, see above; empty if the report is the complete old or new one.
  static std::string faultOfReport(const fs::path& report, bool mustBeNew, const fs::path& notes) {
    const ChildEnd end = inChild(notes, Fault::Allocation, std::int64_t(1) << 60, [&] {
      reports::Reader reader(report);
      reader.quickCheck();
      const std::string title = reader.metadata("title").value_or("");
      return mustBeNew ? (title == "new" ? 0 : 3) : title == "new" || title == "old" ? 0 : 4;
    });
    if (end.code == kNothingFailed) return {};
    return end.code == 3 ? "done, and yet the report is the old one"
                         : "the report is not whole (" + std::to_string(end.code) + ")";
  }

private slots:
  void aReportIsWritten_data() {
    QTest::addColumn<int>("fault");
    QTest::newRow("operator new") << int(Fault::Allocation);
    QTest::newRow("memory of SQLite") << int(Fault::SqliteAllocation);
    QTest::newRow("calls about files") << int(Fault::FileCall);
  }
  void aReportIsWritten() {
    QFETCH(int, fault);
    TemporaryFolder folder, notes;
    const fs::path report = folder / "a.tsr", old = notes / "old.tsr";
    inChild(notes.path(), Fault::Allocation, std::int64_t(1) << 60, [&] { return writeNamed(old, "old"), 0; });
    QVERIFY(fs::exists(old));
    const auto prepare = [&] {
      for (const auto& entry : fs::directory_iterator(folder.path())) fs::remove(entry);
      fs::copy_file(old, report);
    };
    failEverywhere(
        Fault(fault), Fault(fault) == Fault::FileCall ? 1000 : 60, 1.06, prepare, [&] { return writeNamed(report, "new"), 0; },
        [&](int code) -> std::string {
          const auto files = std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
          if (files != 1) return "files are left over";
          return faultOfReport(report, code == kDone, notes.path());
        });
  }

  void aReportIsRead_data() { aReportIsWritten_data(); }
  void aReportIsRead() {
    QFETCH(int, fault);
    TemporaryFolder folder, notes;
    const fs::path report = folder / "a.tsr";
    inChild(notes.path(), Fault::Allocation, std::int64_t(1) << 60, [&] { return writeNamed(report, "new"), 0; });
    failEverywhere(
        Fault(fault), Fault(fault) == Fault::FileCall ? 1000 : 40, 1.1, [] {},
        [&] {
          return runQuietly({"query", report.string(), "SELECT count(*), sum(duration_ticks) FROM slice"});
        },
        [](int) -> std::string { return {}; });
  }

  // JSON's destructors allocate, so memory may run out where an exception cannot be thrown.
  void aReportIsSummedUp_data() {
    QTest::addColumn<bool>("asJson");
    QTest::newRow("as text") << false;
    QTest::newRow("as JSON") << true;
  }
  void aReportIsSummedUp() {
    QFETCH(bool, asJson);
    TemporaryFolder folder;
    const fs::path report = folder / "a.tsr";
    inChild(folder.path(), Fault::Allocation, std::int64_t(1) << 60, [&] { return writeNamed(report, "new"), 0; });
    std::vector<std::string> words{"summary", report.string()};
    if (asJson) words.emplace_back("--json");
    failEverywhere(
        Fault::Allocation, 60, 1.02, [] {}, [&] { return runQuietly(words); }, [](int) -> std::string { return {}; });
  }

  void aRunIsReported_data() { aReportIsWritten_data(); }
  void aRunIsReported() {
    QFETCH(int, fault);
    TemporaryFolder folder;
    const auto prepare = [&] {
      for (const auto& entry : fs::directory_iterator(folder.path())) fs::remove(entry);
    };
    failEverywhere(
        Fault(fault), Fault(fault) == Fault::FileCall ? 400 : 3, Fault(fault) == Fault::FileCall ? 1.1 : 1.35, prepare,
        [&] {
          return runQuietly({"run", "mlp", "--set", "layers=1", "--set", "width=16", "-o", (folder / "r.tsr").string()});
        },
        [&](int code) -> std::string {
          for (const auto& entry : fs::directory_iterator(folder.path()))
            if (entry.path().extension() != ".tsr") return "left over: " + entry.path().filename().string();
          if (code == kDone && !fs::exists(folder / "r.tsr")) return "exit code 0 without a report";
          return {};
        });
  }
};

TILESCOPE_TEST(FaultsTest)
#include "faults_test.moc"
