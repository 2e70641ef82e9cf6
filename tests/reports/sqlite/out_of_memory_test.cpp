// Every allocation of writing and of reading a report fails in turn, of C++ and of SQLite: each ends as an error, none aborts, and
// what is there already stays.
#include "reports/sqlite/query.h"
#include "reports/sqlite/writer.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <sqlite3.h>

#include <cstdlib>
#include <new>

namespace {

// Allocations until one fails, of this thread while it is armed; below zero: none fails.
thread_local bool g_isArmed = false;
thread_local std::int64_t g_left = -1, g_seen = 0;

bool failsNow() {
  if (!g_isArmed) return false;
  ++g_seen;
  return g_left >= 0 && g_left-- == 0;
}
void* counted(std::size_t size, std::size_t alignment) {
  if (failsNow()) return nullptr;
  return alignment <= alignof(std::max_align_t) ? std::malloc(size ? size : 1)
                                                : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
void* countedOrThrow(std::size_t size, std::size_t alignment) {
  if (void* memory = counted(size, alignment)) return memory;
  throw std::bad_alloc();
}

sqlite3_mem_methods g_sqliteMemory;

// The allocator of SQLite can be replaced only while nothing of it is in use.
void countSqliteMemory() {
  sqlite3_shutdown();
  sqlite3_config(SQLITE_CONFIG_GETMALLOC, &g_sqliteMemory);
  sqlite3_mem_methods ours = g_sqliteMemory;
  ours.xMalloc = [](int size) { return failsNow() ? nullptr : g_sqliteMemory.xMalloc(size); };
  ours.xRealloc = [](void* memory, int size) { return failsNow() ? nullptr : g_sqliteMemory.xRealloc(memory, size); };
  sqlite3_config(SQLITE_CONFIG_MALLOC, &ours);
  sqlite3_initialize();
}
void restoreSqliteMemory() {
  sqlite3_shutdown();
  sqlite3_config(SQLITE_CONFIG_MALLOC, &g_sqliteMemory);
  sqlite3_initialize();
}

} // namespace

void* operator new(std::size_t size) { return countedOrThrow(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) { return countedOrThrow(size, std::size_t(alignment)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

class OutOfMemoryTest : public QObject {
  Q_OBJECT

  // How many allocations `work` makes; `left` >= 0: the one that fails. True if it ended with an error.
  template<class Work> bool endsWithError(std::int64_t left, Work&& work) {
    g_left = left;
    g_seen = 0;
    g_isArmed = true;
    bool failed = false;
    try {
      work();
    } catch (const reports::Error&) {
      failed = true;
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    g_isArmed = false;
    return failed;
  }

private slots:
  void initTestCase() { countSqliteMemory(); }
  void cleanupTestCase() { restoreSqliteMemory(); }

  void writingEndsWithAnError() {
    tests::TemporaryFolder folder;
    const auto path = folder / "a.tsr";
    tests::writeSyntheticReport(path);
    const auto write = [&] {
      reports::Writer writer(path);
      writer.add(reports::StringRow{0, "a name that is longer than what a string keeps within itself"});
      writer.add(reports::MetadataRow{"title", "new"});
      writer.commit();
    };
    QVERIFY(!endsWithError(-1, write));
    const std::int64_t calls = g_seen;
    QVERIFY(calls > 500);
    tests::writeSyntheticReport(path);
    std::int64_t errors = 0;
    for (std::int64_t n = 0; n < calls; ++n) {
      const bool failed = endsWithError(n, write);
      errors += failed;
      // SQLite may do without a piece of memory; then the report is whole.
      const std::string title = reports::Reader(path).metadata("title").value_or("");
      QVERIFY2(title == (failed ? "tiny" : "new"), std::to_string(n).c_str());
      if (!failed) tests::writeSyntheticReport(path);
      QCOMPARE(std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()),
               std::ptrdiff_t(1));
    }
    QVERIFY(errors > calls / 2);
  }

  void readingEndsWithAnError() {
    const tests::TinyReport report;
    const auto read = [&] {
      reports::Reader reader(report.path());
      QVERIFY(reader.rows<reports::RunRow>().size() > 0);
      reports::runQuery(reader, "SELECT name, sum(duration_ticks), replace(name, 'a', 'b') FROM slice GROUP BY name ORDER BY 2");
    };
    QVERIFY(!endsWithError(-1, read));
    const std::int64_t calls = g_seen;
    std::int64_t errors = 0;
    for (std::int64_t n = 0; n < calls; n += 1 + n / 400) errors += endsWithError(n, read); // the first ones all, then samples
    QVERIFY(errors > 200);
  }
};

TILESCOPE_TEST(OutOfMemoryTest)
#include "out_of_memory_test.moc"
