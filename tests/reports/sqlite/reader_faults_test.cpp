// Wrong files: each is refused at once with its own message; none crashes or hangs.
#include "reports/core/text.h"
#include "reports/sqlite/checked_pages.h"
#include "reports/sqlite/query.h"
#include "reports/sqlite/reader.h"
#include "reports/sqlite/schema.h"
#include "reports/sqlite/writer.h"
#include "tests/support/file_bytes.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <sqlite3.h>
#include <sys/stat.h>

#include <ctime>
#include <fstream>
#include <random>

using namespace reports;
using tests::bytesOf;
using tests::tamper;
using tests::tamperReserving;
using tests::tamperUnchecked;
using tests::TemporaryFolder;
using tests::TinyReport;
namespace fs = std::filesystem;

namespace {

void writeAll(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// The error of opening, reading every row and every name, or an empty string; fails the test if it takes over 2 s of work (not of
// the clock: the machine may be busy).
std::string refusal(const fs::path& path, ErrorCode* code = nullptr, bool check = true) {
  const std::clock_t start = std::clock();
  std::string text;
  try {
    Reader reader(path);
    if (check) reader.quickCheck();
    forEachTable([&]<class Row>() { reader.forEach<Row>({}, {}, [](Row&) {}); });
    reader.strings();
  } catch (const Error& error) {
    text = error.what();
    if (code) *code = error.code();
  }
  const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  if (seconds > 2) QTest::qFail(("took " + std::to_string(seconds) + " s").c_str(), __FILE__, __LINE__);
  return text;
}

// All rows of every table, as a reader without faults sees them.
std::string everyRow(const fs::path& path) {
  Reader reader(path);
  std::string all;
  for (const auto& table : allTableTexts())
    runQuery(reader, "SELECT * FROM " + quotedName(table.name), {}, {},
             [&](const QueryResult&, const std::vector<SqlValue>& row) {
               for (const SqlValue& value : row)
                 std::visit(
                     [&]<class V>(const V& v) {
                       if constexpr (std::is_arithmetic_v<V>)
                         all += std::to_string(v);
                       else if constexpr (!std::is_same_v<V, SqlNull>)
                         all.append(v.begin(), v.end());
                       all += '|';
                     },
                     value);
               return true;
             });
  return all;
}

void expect(const fs::path& path, const char* words, ErrorCode wanted) {
  ErrorCode code = ErrorCode::Internal;
  const std::string text = refusal(path, &code);
  QVERIFY2(text.find(words) != std::string::npos, text.c_str());
  QVERIFY2(text.find('\n') == std::string::npos, text.c_str());
  QVERIFY2(text.find(displayText(path.filename().string())) != std::string::npos, text.c_str());
  QCOMPARE(errorCodeName(code), errorCodeName(wanted));
}

} // namespace

class ReaderFaultsTest : public QObject {
  Q_OBJECT
private slots:
  void wholeFileIsAccepted() { QCOMPARE(refusal(m_tiny.path()), std::string()); }

  void F1_emptyAndShort() {
    const fs::path path = m_folder / "f1.tsr";
    const std::string whole = bytesOf(m_tiny.path());
    writeAll(path, "");
    expect(path, "file is empty", ErrorCode::InvalidInput);
    for (const std::size_t n : {1, 50, 100, 511}) {
      writeAll(path, whole.substr(0, n));
      expect(path, "too short", ErrorCode::InvalidInput);
    }
    writeAll(path, std::string(4096, 'x'));
    expect(path, "not an SQLite file", ErrorCode::InvalidInput);
    fs::remove(path);
    expect(path, "no such file", ErrorCode::NotFound);
  }

  void F2_cutShort() {
    const std::string whole = bytesOf(m_tiny.path());
    const fs::path path = m_folder / "f2.tsr";
    for (const std::size_t n :
         {whole.size() / 4, whole.size() / 2, whole.size() - 4096, whole.size() - 1, std::size_t(777), std::size_t(4096)}) {
      writeAll(path, whole.substr(0, n));
      expect(path, "cut short", ErrorCode::Damaged);
    }
    std::string wrong = whole; // and with a header that hides it
    wrong[28] = wrong[29] = wrong[30] = 0;
    wrong[31] = 10;
    writeAll(path, wrong.substr(0, 10 * 4096));
    QVERIFY(!refusal(path).empty());
  }

  // Every page has a checksum, so a file with a changed bit is refused wherever the bit is, when the page is read: without a
  // check of the whole file first. The few bits that say how the file may be opened have messages of their own.
  void F3_bitFlips() {
    const std::string whole = bytesOf(m_tiny.path());
    const fs::path path = m_folder / "f3.tsr";
    const std::string sound = everyRow(m_tiny.path());
    std::mt19937 random(21);
    int unnoticed = 0;
    for (int seed = 0; seed < 1500; ++seed) {
      std::string bytes = whole;
      const int flips = 1 + int(random() % 8);
      for (int i = 0; i < flips; ++i) bytes[random() % bytes.size()] ^= char(1u << random() % 8);
      writeAll(path, bytes);
      if (!refusal(path, nullptr, false).empty()) continue;
      ++unnoticed; // pages that no row is on: those of indexes
      QCOMPARE(everyRow(path), sound);
      QVERIFY(!refusal(path).empty());
    }
    QVERIFY2(unnoticed < 500, std::to_string(unnoticed).c_str());
  }
  void F3_everyBitOfTheHeader() {
    const std::string whole = bytesOf(m_tiny.path());
    const fs::path path = m_folder / "f3.tsr";
    for (std::size_t bit = 0; bit < 800; ++bit) {
      std::string bytes = whole;
      bytes[bit / 8] ^= char(1u << bit % 8);
      writeAll(path, bytes);
      QVERIFY2(!refusal(path, nullptr, false).empty(), std::to_string(bit).c_str());
    }
  }
  void F3_theDamagedPageIsNamed() {
    std::string bytes = bytesOf(m_tiny.path());
    bytes[2 * 4096 + 100] ^= 4;
    const fs::path path = m_folder / "f3.tsr";
    writeAll(path, bytes);
    expect(path, "page 3 is not as it was written", ErrorCode::Damaged);
  }
  // A hole in a file reads as zeros, whose checksum is 0 as well; a disk may give one block in place of another.
  void anEmptyPageAndAPageElsewhereAreNoticed() {
    const std::string whole = bytesOf(m_tiny.path());
    const fs::path path = m_folder / "holes.tsr";
    const std::size_t pages = whole.size() / 4096;
    for (std::size_t page = 1; page < pages; ++page) {
      std::string bytes = whole;
      std::fill_n(bytes.begin() + std::ptrdiff_t(page * 4096), 4096, '\0');
      writeAll(path, bytes);
      QVERIFY2(refusal(path).find("is not as it was written") != std::string::npos, std::to_string(page).c_str());
      bytes = whole;
      std::copy_n(whole.begin() + std::ptrdiff_t((page == 1 ? 2 : page - 1) * 4096), 4096,
                  bytes.begin() + std::ptrdiff_t(page * 4096));
      writeAll(path, bytes);
      QVERIFY2(refusal(path).find("is not as it was written") != std::string::npos, std::to_string(page).c_str());
    }
  }
  void filesOfVersion3HaveAChecksumAlone() {
    const fs::path path = m_folder / "version3.tsr";
    tamperReserving(path, kChecksumBytes, copySql(3) + "COMMIT");
    std::string bytes = bytesOf(path);
    QCOMPARE(int(bytes[20]), kChecksumBytes);
    for (std::size_t page = 0; page < bytes.size(); page += 4096) {
      const std::size_t content = 4096 - kChecksumBytes;
      const auto sum = pageChecksum({reinterpret_cast<const uint8_t*>(bytes.data()) + page, content});
      std::copy(sum.begin(), sum.end(), bytes.begin() + std::ptrdiff_t(page + content));
    }
    writeAll(path, bytes);
    QCOMPARE(refusal(path), std::string());
    bytes[2 * 4096 + 100] ^= 4;
    writeAll(path, bytes);
    expect(path, "page 3 is not as it was written", ErrorCode::Damaged);
  }
  void filesWithoutChecksumsStillOpen() {
    const fs::path path = m_folder / "old.tsr";
    tamperUnchecked(path, copySql(kSchemaVersion) + "DELETE FROM metadata WHERE key = 'page_checksums'; COMMIT");
    QCOMPARE(int(bytesOf(path)[20]), 0);
    QCOMPARE(refusal(path), std::string());
    QCOMPARE(everyRow(path), everyRow(changed("DELETE FROM metadata WHERE key = 'page_checksums'")));
  }
  // The formula is public: that of SQLite's extension cksumvfs.
  void checksumsAreThoseOfCksumvfs() {
    std::vector<uint8_t> content(16);
    for (std::size_t i = 0; i < content.size(); ++i) content[i] = uint8_t(i);
    // words a b c d: s1 = a, s2 = b + s1; s1 += c + s2, s2 += d + s1
    const uint32_t a = 0x03020100, b = 0x07060504, c = 0x0b0a0908, d = 0x0f0e0d0c;
    const uint32_t s1 = a + c + (a + b), s2 = (a + b) + d + s1;
    std::array<uint8_t, kChecksumBytes> wanted;
    for (int i = 0; i < 4; ++i) {
      wanted[std::size_t(i)] = uint8_t(s1 >> 8 * i);
      wanted[std::size_t(i) + 4] = uint8_t(s2 >> 8 * i);
    }
    QVERIFY(pageChecksum(content) == wanted);
    for (const std::size_t size : {std::size_t(504), std::size_t(4088), std::size_t(8184)}) { // word for word
      content.resize(size);
      for (std::size_t i = 0; i < size; ++i) content[i] = uint8_t(i * i + i / 7);
      uint32_t first = 0, second = 0;
      const auto word = [&](std::size_t at) {
        return uint32_t(content[at]) | uint32_t(content[at + 1]) << 8 | uint32_t(content[at + 2]) << 16 |
               uint32_t(content[at + 3]) << 24;
      };
      for (std::size_t at = 0; at < size; at += 8) {
        first += word(at) + second;
        second += word(at + 4) + first;
      }
      const auto sum = pageChecksum(content);
      QCOMPARE(uint32_t(sum[0]) | uint32_t(sum[1]) << 8 | uint32_t(sum[2]) << 16 | uint32_t(sum[3]) << 24, first);
      QCOMPARE(uint32_t(sum[4]) | uint32_t(sum[5]) << 8 | uint32_t(sum[6]) << 16 | uint32_t(sum[7]) << 24, second);
    }
  }
  void F3_garbagePages() {
    const std::string whole = bytesOf(m_tiny.path());
    const fs::path path = m_folder / "f3.tsr";
    std::mt19937 random(22);
    int refused = 0;
    const int pages = int(whole.size() / 4096);
    for (int page = 0; page < pages; ++page) {
      std::string bytes = whole;
      for (int i = 0; i < 4096; ++i) bytes[std::size_t(page) * 4096 + std::size_t(i)] = char(random());
      writeAll(path, bytes);
      refused += !refusal(path).empty();
      refusal(path, nullptr, false); // and without the check first
    }
    QCOMPARE(refused, pages);
  }

  void F4_otherProgramsFile() {
    const fs::path path = m_folder / "f4.tsr";
    tamper(path, "CREATE TABLE t (a)");
    expect(path, "not a Tilescope report", ErrorCode::InvalidInput);
  }

  void F5_olderSchema() { expect(changed("PRAGMA user_version = 0"), "schema version 0", ErrorCode::Unsupported); }
  void F6_newerSchema() {
    const std::string next = std::to_string(kSchemaVersion + 1), words = "schema version " + next + ", this program reads up to ";
    expect(changed("PRAGMA user_version = " + next), words.c_str(), ErrorCode::Unsupported);
    expect(changed("PRAGMA user_version = -1"), "schema version -1,", ErrorCode::Unsupported);
  }
  void F6_laterTablesAndColumnsAreIgnored() {
    QCOMPARE(refusal(changed("CREATE TABLE later (a INTEGER) STRICT; ALTER TABLE run ADD COLUMN later TEXT")), std::string());
  }

  void F7_viewInPlaceOfATable() {
    expect(changed("ALTER TABLE run RENAME TO real_run; CREATE VIEW run AS SELECT * FROM real_run"), "no table run",
           ErrorCode::Damaged);
    expect(changed("DROP TABLE string; CREATE VIEW string AS WITH RECURSIVE c(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM c) "
                   "SELECT id, 'x' AS text FROM c"),
           "no table string", ErrorCode::Damaged);
  }
  void F8_triggersAndComputedColumns() {
    QCOMPARE(refusal(changed("CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END")), std::string());
    expect(changed("ALTER TABLE channel DROP COLUMN name; ALTER TABLE channel ADD COLUMN name TEXT NOT NULL AS ('x')"),
           "column name: the column is computed", ErrorCode::Damaged);
    expect(changed("DROP TABLE channel; CREATE TABLE channel (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"), "not STRICT",
           ErrorCode::Damaged);
    expect(changed("DROP TABLE channel; CREATE TABLE channel (id INTEGER PRIMARY KEY, name BLOB NOT NULL) STRICT"),
           "not declared", ErrorCode::Damaged);
    expect(changed("ALTER TABLE channel DROP COLUMN name"), "column name: the column is missing", ErrorCode::Damaged);
  }

  void F9_manyTablesAndColumns() {
    // Written into the schema directly: creating 10^5 tables properly takes minutes.
    const std::string tables =
        "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL "
        "SELECT x + 1 FROM c LIMIT 100000) SELECT 'table', 't' || x, 't' || x, 2, 'CREATE TABLE t' || x || ' (a)' FROM c";
    std::string columns = "CREATE TABLE wide (c0", longName = "CREATE TABLE \"" + std::string(900'000, 'n') + "\" (a);";
    for (int i = 1; i < 1999; ++i) columns += ", c" + std::to_string(i);
    QVERIFY(!refusal(changed(tables)).empty());
    QVERIFY(refusal(changed(columns + ")")).find("no such") == std::string::npos); // opens or is refused, within 2 s
    refusal(changed(longName));
  }

  void F10_hugeCounts_data() {
    QTest::addColumn<QByteArray>("sql");
    for (const char* sql : {"UPDATE machine SET ipus = -1", "UPDATE machine SET tiles_per_ipu = 9223372036854775807",
                            "UPDATE machine SET ipus = 0", "UPDATE machine SET ipus = 4096, tiles_per_ipu = 16384",
                            "UPDATE machine SET clock_hz = 0", "INSERT INTO machine SELECT * FROM machine",
                            "UPDATE step_profile SET tiles = 4611686018427387904", "UPDATE tile_series SET tiles = -4",
                            "UPDATE slice_chunk SET slices = 1000000000", "UPDATE slice_chunk SET end_tick = -1",
                            "UPDATE slice_level SET bucket_shift = 200", "UPDATE slice_level SET buckets = 1000000000000",
                            "UPDATE tile_variables SET lowered = 1000000000", "UPDATE tile_variables SET tile = tile + 1000",
                            "UPDATE liveness_curve SET steps = 1000000000", "UPDATE variable SET live_interval_count = -1",
                            "UPDATE track SET depths = 1000000000", "UPDATE string SET id = id + 1000000000000"})
      QTest::newRow(sql) << QByteArray(sql);
  }
  void F10_hugeCounts() {
    QFETCH(QByteArray, sql);
    ErrorCode code = ErrorCode::Internal;
    const std::string text = refusal(changed(sql.toStdString()), &code);
    QVERIFY(!text.empty());
    QCOMPARE(errorCodeName(code), errorCodeName(ErrorCode::Damaged));
  }

  // A record contains text for an integer column: only a change of the file's bytes can do that.
  void F16_wrongStorageClass() {
    const fs::path path =
        changed("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE "
                "name = 'run'; PRAGMA writable_schema = RESET; UPDATE run SET cycles = 'many'; "
                "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = sql || ' STRICT' WHERE name = 'run'");
    ErrorCode code = ErrorCode::Internal;
    const std::string text = refusal(path, &code, false);
    QVERIFY2(text.find("column cycles should hold an integer and holds text") != std::string::npos, text.c_str());
    QCOMPARE(errorCodeName(code), errorCodeName(ErrorCode::Damaged));
    Reader reader(path);
    QCOMPARE(reader.rows<TrackRow>().size(), std::size_t(4)); // other tables still work
    QVERIFY_EXCEPTION_THROWN(reader.quickCheck(), Error);
  }

  void F17_namesOfAnyBytes() {
    const fs::path path =
        changed("UPDATE string SET text = CAST(x'41FF42' AS TEXT) WHERE id = 0; UPDATE string SET text = "
                "CAST(x'610062' AS TEXT) WHERE id = 1; UPDATE string SET text = printf('%.*c', 1000000, 'n') WHERE id = 2");
    Reader reader(path);
    QCOMPARE(reader.text(0), std::string("A\xEF\xBF\xBD"
                                         "B"));
    QCOMPARE(reader.text(1), std::string("a\0b", 3));
    QCOMPARE(reader.text(2).size(), std::size_t(1'000'000));
  }

  void F21_journalOrLogBeside() {
    for (const char* suffix : {"-journal", "-wal"}) {
      const fs::path path = changed("");
      fs::path beside = path;
      beside += suffix;
      writeAll(beside, "");
      expect(path, "unfinished report", ErrorCode::Damaged);
      fs::remove(beside);
    }
    const fs::path path = changed("");
    tamperUnchecked(path, "PRAGMA journal_mode = WAL");
    expect(path, "unfinished report", ErrorCode::Damaged);
    expect(changed("DELETE FROM metadata WHERE key = 'complete'"), "never completed", ErrorCode::Damaged);
  }

  void F22_readOnly() {
    const fs::path folder = m_folder / "read-only";
    fs::create_directory(folder);
    fs::copy_file(m_tiny.path(), folder / "a.tsr");
    fs::permissions(folder / "a.tsr", fs::perms::owner_read);
    fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
    QCOMPARE(refusal(folder / "a.tsr"), std::string());
    fs::permissions(folder, fs::perms::owner_all);
    QCOMPARE(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), std::ptrdiff_t(1));
  }

  void F28_linksAndOddFiles() {
    const fs::path link = m_folder / "link.tsr", loop = m_folder / "loop.tsr", fifo = m_folder / "fifo.tsr";
    fs::create_symlink(m_tiny.path(), link);
    QCOMPARE(refusal(link), std::string());
    QCOMPARE(Reader(link).realPath(), fs::canonical(m_tiny.path()));
    fs::create_symlink("loop.tsr", loop);
    expect(loop, "symbolic links", ErrorCode::Io);
    mkfifo(fifo.c_str(), 0600);
    expect(fifo, "not a regular file", ErrorCode::Io);
    expect("/dev/zero", "not a regular file", ErrorCode::Io);
    expect(m_folder.path(), "is a directory", ErrorCode::Io);
    const fs::path empty = m_folder / "empty", toEmpty = m_folder / "to-empty.tsr";
    writeAll(empty, "");
    fs::create_symlink(empty, toEmpty);
    const std::string text = refusal(toEmpty);
    QVERIFY2(text.find("link to " + fs::canonical(empty).string()) != std::string::npos, text.c_str());
  }

  void F30_oddNames() {
    for (const char* name :
         {"with space.tsr", "q?mode=rw.tsr", "#hash%41.tsr", "new\nline.tsr", "bytes\xFF\xFE.tsr", "-dash.tsr", "ü€.tsr"}) {
      const fs::path path = m_folder / name;
      tests::writeSyntheticReport(path);
      QCOMPARE(refusal(path), std::string());
      writeAll(path, "");
      expect(path, "file is empty", ErrorCode::InvalidInput);
    }
  }

  void F19_replacedWhileOpen() {
    const fs::path path = changed("");
    Reader reader(path);
    tests::ReportShape other;
    other.title = "other";
    tests::writeSyntheticReport(path, other);
    QCOMPARE(reader.metadata("title"), std::optional<std::string>("tiny"));
  }
  void F20_truncatedWhileOpen() {
    const fs::path path = changed("");
    Reader reader(path);
    fs::resize_file(path, 4096);
    QVERIFY_EXCEPTION_THROWN(forEachTable([&]<class Row>() { reader.rows<Row>(); }), Error);
  }

private:
  // `changed` gives a copy of the tiny report after some SQL.
  // SQL that begins to copy the tiny report, row by row, into a new file of this schema version.
  std::string copySql(int32_t version) const {
    std::string sql = "ATTACH '" + m_tiny.path().string() + "' AS tiny; PRAGMA user_version = " + std::to_string(version) +
                      "; PRAGMA application_id = " + std::to_string(kApplicationId) + "; BEGIN;";
    for (const auto& table : allTableTexts())
      sql += createTableSql(table) + "; INSERT INTO " + quotedName(table.name) + " SELECT * FROM tiny." + quotedName(table.name) +
             ";";
    for (const auto& index : indexSql()) sql += index + ";";
    return sql;
  }
  fs::path changed(const std::string& sql) {
    const fs::path path = m_folder / ("changed" + std::to_string(m_copies++) + ".tsr");
    fs::copy_file(m_tiny.path(), path);
    if (!sql.empty()) tamper(path, sql);
    return path;
  }
  TemporaryFolder m_folder;
  TinyReport m_tiny;
  int m_copies = 0;
};

TILESCOPE_TEST(ReaderFaultsTest)
#include "reader_faults_test.moc"
