// A report is complete or absent, whatever happens while it is written.
#include "reports/sqlite/reader.h"
#include "reports/sqlite/writer.h"
#include "tests/support/error_text.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/row_collector.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>
#include <thread>

using namespace reports;
using tests::FaultVfs;
using tests::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

void writeText(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::string title(const fs::path& path) { return Reader(path).metadata("title").value_or(""); }

int filesIn(const fs::path& folder) { return int(std::distance(fs::directory_iterator(folder), fs::directory_iterator())); }

void writeReport(const fs::path& path, const char* name, int64_t slices = 0) {
  tests::ReportShape shape;
  shape.title = name;
  shape.slices = slices;
  tests::writeSyntheticReport(path, shape);
}

} // namespace

class WriterTest : public QObject {
  Q_OBJECT
private slots:
  void withoutCommitNothingIsLeft() {
    TemporaryFolder folder;
    {
      Writer writer(folder / "a.tsr");
      writer.add(StringRow{0, "x"});
      QVERIFY(fs::exists(writer.temporary()));
      QVERIFY(!fs::exists(folder / "a.tsr"));
    }
    QCOMPARE(filesIn(folder.path()), 0);
  }

  void commitReplacesWhole() {
    TemporaryFolder folder;
    writeReport(folder / "a.tsr", "old");
    Reader old(folder / "a.tsr");
    writeReport(folder / "a.tsr", "new");
    QCOMPARE(filesIn(folder.path()), 1);
    QCOMPARE(old.metadata("title"), std::optional<std::string>("old")); // an open reader keeps what it had
    QCOMPARE(title(folder / "a.tsr"), std::string("new"));
  }

  void misuse() {
    TemporaryFolder folder;
    Writer writer(folder / "a.tsr");
    writer.add(StringRow{0, "x"});
    QVERIFY_EXCEPTION_THROWN(writer.add(StringRow{0, "the same id"}), Error);
    QVERIFY_EXCEPTION_THROWN(writer.commit(), Error); // a row is missing, so no report is written
    Writer good(folder / "b.tsr");
    good.commit();
    QVERIFY_EXCEPTION_THROWN(good.commit(), Error);
    QVERIFY_EXCEPTION_THROWN(good.add(StringRow{0, "late"}), Error);
    QVERIFY_EXCEPTION_THROWN(Writer(folder / "no/such/folder/a.tsr"), Error);
    QVERIFY_EXCEPTION_THROWN(Writer(folder.path()), Error);
    QVERIFY_EXCEPTION_THROWN(Writer(""), Error);
  }

  void notANumberIsRefused() {
    TemporaryFolder folder;
    Writer writer(folder / "a.tsr");
    MachineRow machine;
    machine.exchangeBytesPerCycle = std::numeric_limits<double>::quiet_NaN();
    QVERIFY_EXCEPTION_THROWN(writer.add(machine), Error);
  }

  void F22_targetBehindALinkedFolder() {
    TemporaryFolder folder;
    fs::create_directory(folder / "real");
    fs::create_directory_symlink(folder / "real", folder / "link");
    writeReport(folder / "link/a.tsr", "through a link");
    QCOMPARE(title(folder / "real/a.tsr"), std::string("through a link"));
    QCOMPARE(title(folder / "link/a.tsr"), std::string("through a link"));
  }

  void F23_F26_diskFull() { failEveryCall(FaultVfs::Call::Write, SQLITE_FULL, "disk full"); }
  void F26_writeFails() { failEveryCall(FaultVfs::Call::Write, SQLITE_IOERR_WRITE, "disk I/O error"); }
  void F26_syncFails() { failEveryCall(FaultVfs::Call::Sync, SQLITE_IOERR_FSYNC, "disk I/O error"); }

  void F25_killedAtAnyMoment() {
    TemporaryFolder folder;
    const fs::path path = folder / "a.tsr";
    writeReport(path, "old");
    std::mt19937 random(11);
    int leftovers = 0;
    for (int i = 0; i < 50; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        writeReport(path, "new", 100'000);
        _exit(0);
      }
      // waits because the kill must come at a random moment
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 40'000));
      kill(child, SIGKILL);
      int status = 0;
      waitpid(child, &status, 0);
      const std::string found = title(path);
      QVERIFY(found == "old" || found == "new");
      Reader(path).quickCheck();
      leftovers += int(staleParts(path).size());
      if (found == "new") writeReport(path, "old");
    }
    QVERIFY(leftovers > 0); // some were killed in the middle, or this test shows nothing
    writeReport(path, "last");
    QCOMPARE(staleParts(path).size(), std::size_t(0));
    QCOMPARE(filesIn(folder.path()), 1);
  }

  void F25_partsOfTheLivingStay() {
    TemporaryFolder folder;
    Writer first(folder / "a.tsr");
    QVERIFY(staleParts(folder / "a.tsr").empty());
    writeText(folder / "a.tsr.part.1.notours", "");
    writeText(folder / "a.tsr.part.999999999.00000000000x", ""); // another machine's
    writeText(folder / "b.tsr.part.999999999.000000000000", "");
    Writer second(folder / "a.tsr");
    QVERIFY(fs::exists(first.temporary()));
    QCOMPARE(filesIn(folder.path()), 5);
  }

  void F27_twoWritersOfOneName() {
    TemporaryFolder folder;
    const fs::path path = folder / "a.tsr";
    for (int round = 0; round < 10; ++round) {
      std::thread one([&] { writeReport(path, "one"); }), two([&] { writeReport(path, "two"); });
      one.join();
      two.join();
      const std::string found = title(path);
      QVERIFY(found == "one" || found == "two");
      Reader(path).quickCheck();
      QCOMPARE(filesIn(folder.path()), 1);
    }
  }

  // The random part cannot be guessed. The flags refuse a planted link, so the file is new and ours.
  void F29_temporaryIsNewAndNotALink() {
    TemporaryFolder folder;
    Writer a(folder / "a.tsr"), b(folder / "a.tsr");
    QVERIFY(a.temporary() != b.temporary());
    QVERIFY(!fs::is_symlink(a.temporary()));
    QCOMPARE(fs::hard_link_count(a.temporary()), std::uintmax_t(1));
    // A link planted as the target does no harm.
    writeText(folder / "precious", "keep");
    fs::create_symlink(folder / "precious", folder / "c.tsr");
    QVERIFY_EXCEPTION_THROWN(writeReport(folder / "c.tsr", "c"), Error);
    QCOMPARE(fs::file_size(folder / "precious"), std::uintmax_t(4));
  }

  void onlyAReportIsReplaced() {
    TemporaryFolder folder;
    writeText(folder / "notes.txt", "keep");
    QVERIFY_EXCEPTION_THROWN(Writer(folder / "notes.txt"), Error);
    QCOMPARE(fs::file_size(folder / "notes.txt"), std::uintmax_t(4));
    writeText(folder / "other.db", "");
    Connection(folder / "other.db", Connection::Mode::ReadWrite).execute("CREATE TABLE t (a)");
    QVERIFY_EXCEPTION_THROWN(Writer(folder / "other.db"), Error);
    QCOMPARE(mkfifo((folder / "fifo").c_str(), 0600), 0);
    fs::create_symlink("fifo", folder / "to_fifo");
    for (const char* name : {"fifo", "to_fifo"}) QVERIFY_EXCEPTION_THROWN(Writer(folder / name), Error);
    QVERIFY(fs::is_fifo(folder / "fifo"));
    QVERIFY_EXCEPTION_THROWN(PartFile(folder / "fifo", PartFile::Replaces::AnyFile), Error);
    writeText(folder / "empty", "");
    writeReport(folder / "empty", "new");
    QCOMPARE(title(folder / "empty"), std::string("new"));
  }

  void aDashIsNotStandardOutput() {
    QVERIFY(tests::has(tests::errorOf([] { PartFile("-", PartFile::Replaces::AnyFile); }), "standard output"));
    QVERIFY(tests::has(tests::errorOf([] { Writer("-"); }), "./- is a file called -"));
  }

  void permissionsAreKept() {
    TemporaryFolder folder;
    const fs::path path = folder / "a.tsr";
    for (const auto mode : {0600u, 0640u, 0664u}) {
      writeReport(path, "old");
      fs::permissions(path, fs::perms(mode));
      writeReport(path, "new");
      QCOMPARE(unsigned(fs::status(path).permissions()), mode);
    }
  }
  void aNewReportIsOfItsOwnerOnly() {
    TemporaryFolder folder;
    const mode_t before = ::umask(0);
    writeReport(folder / "a.tsr", "new");
    {
      PartFile page(folder / "a.html", PartFile::Replaces::AnyFile);
      page.publish();
      PartFile ofSweep(folder / "a.json", PartFile::Replaces::AnyFile, PartFile::Links::Refuse);
      ofSweep.publish();
    }
    ::umask(before);
    QCOMPARE(unsigned(fs::status(folder / "a.tsr").permissions()), 0600u);
    QCOMPARE(unsigned(fs::status(folder / "a.html").permissions()), 0666u);
    QCOMPARE(unsigned(fs::status(folder / "a.json").permissions()), 0600u);
  }
  void aLimitOfTheSystemIsNamed() {
    TemporaryFolder folder;
    auto* const before = std::signal(SIGXFSZ, SIG_IGN);
    rlimit old{};
    getrlimit(RLIMIT_FSIZE, &old);
    rlimit few = old;
    few.rlim_cur = 16384;
    setrlimit(RLIMIT_FSIZE, &few);
    const std::string text = tests::errorOf([&] { writeReport(folder / "a.tsr", "a"); });
    setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, before);
    QVERIFY2(text.find("File too large (allow larger files (ulimit -f)") != std::string::npos, text.c_str());
    QCOMPARE(filesIn(folder.path()), 0);
  }
  void aReadOnlyReportIsReplacedOnlyIfAskedFor() {
    TemporaryFolder folder;
    const fs::path path = folder / "a.tsr";
    writeReport(path, "old");
    fs::permissions(path, fs::perms(0444));
    QVERIFY_EXCEPTION_THROWN(writeReport(path, "new"), Error);
    QCOMPARE(title(path), std::string("old"));
    QCOMPARE(filesIn(folder.path()), 1);
    Writer(path, PartFile::Replaces::ReadOnlyReports).commit();
    QCOMPARE(title(path), std::string());
    QCOMPARE(unsigned(fs::status(path).permissions()), 0444u);
  }
  void F25_partsOfOtherReportsAreClearedToo() {
    TemporaryFolder folder;
    const pid_t child = fork();
    if (child == 0) {
      new Writer(folder / "b.tsr"); // dies in the middle
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    QCOMPARE(filesIn(folder.path()), 1);
    writeReport(folder / "a.tsr", "a");
    QCOMPARE(filesIn(folder.path()), 1);
  }

  void aLinkIsWrittenThrough() {
    TemporaryFolder folder;
    fs::create_directory(folder / "real");
    writeReport(folder / "real/a.tsr", "old");
    fs::create_symlink("real/a.tsr", folder / "a.tsr");
    fs::create_symlink("a.tsr", folder / "b.tsr");
    writeReport(folder / "b.tsr", "new");
    QCOMPARE(title(folder / "real/a.tsr"), std::string("new"));
    QVERIFY(fs::is_symlink(folder / "a.tsr") && fs::is_symlink(folder / "b.tsr"));
    fs::create_symlink("real/later.tsr", folder / "later.tsr"); // to a file that is not there yet
    writeReport(folder / "later.tsr", "later");
    QCOMPARE(title(folder / "real/later.tsr"), std::string("later"));
    QCOMPARE(filesIn(folder / "real"), 2);
    fs::create_symlink("round.tsr", folder / "round.tsr");
    QVERIFY_EXCEPTION_THROWN(Writer(folder / "round.tsr"), Error);
  }

private:
  // Fails the n-th call, for n = 0, 1, 2, … until the report is written: each time one clean error, and the old report stays.
  void failEveryCall(FaultVfs::Call call, int code, const char* message) {
    TemporaryFolder folder;
    const fs::path path = folder / "a.tsr";
    writeReport(path, "old");
    int64_t calls = 0;
    {
      FaultVfs counting(call, -1, code);
      writeReport(folder / "count.tsr", "x");
      calls = counting.calls();
    }
    QVERIFY(calls > 0);
    fs::remove(folder / "count.tsr");
    for (int64_t n = 0; n < calls; ++n) {
      std::string caught;
      {
        FaultVfs fault(call, n, code);
        try {
          writeReport(path, "new");
        } catch (const Error& error) {
          caught = error.what();
          QCOMPARE(int(error.code()), int(ErrorCode::Io));
          QVERIFY2(error.where().find("a.tsr") != std::string::npos, caught.c_str());
        }
      }
      QVERIFY2(caught.find(message) != std::string::npos, caught.c_str());
      QCOMPARE(filesIn(folder.path()), 1);
      QCOMPARE(title(path), std::string("old"));
    }
    {
      FaultVfs fault(call, calls, code);
      writeReport(path, "new");
    }
    QCOMPARE(title(path), std::string("new"));
  }
};

TILESCOPE_TEST(WriterTest)
#include "writer_test.moc"
