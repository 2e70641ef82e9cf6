// The header of an SQLite file, read from its bytes.
#include "reports/core/sqlite_head.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace reports;

namespace {
std::string head(int64_t pageBytes, int64_t pages, uint32_t application) {
  std::string bytes("SQLite format 3");
  bytes.resize(kSqliteHeadBytes);
  const auto put = [&](std::size_t at, std::size_t count, uint64_t number) {
    for (std::size_t i = count; i-- > 0; number >>= 8) bytes[at + i] = char(number & 0xff);
  };
  put(16, 2, uint64_t(pageBytes));
  put(28, 4, uint64_t(pages));
  put(68, 4, application);
  return bytes;
}
} // namespace

class SqliteHeadTest : public QObject {
  Q_OBJECT
private slots:
  void aReportHasItsApplicationId() {
    const std::string report = head(4096, 3, uint32_t(kApplicationId)), other = head(4096, 3, 7);
    QVERIFY(isSqlite(report) && isReportHead(report));
    QVERIFY(isSqlite(other) && !isReportHead(other));
    for (const std::string& no : {std::string(), std::string("SQLite format 3"), std::string(100, '\0'), "x" + report})
      QVERIFY2(!isSqlite(no) && !isReportHead(no), no.c_str());
    QVERIFY(isSqlite(report.substr(0, 16)) && !isReportHead(report.substr(0, 71)));
  }
  void theSizeIsPagesTimesTheirSize() {
    QCOMPARE(databaseBytes(head(4096, 3, 0)), std::optional<int64_t>(12'288));
    QCOMPARE(databaseBytes(head(1, 0xffffffff, 0)), std::optional<int64_t>(65'536 * int64_t(0xffffffff)));
    for (const int64_t odd : {0, 256, 1000}) QVERIFY(!databaseBytes(head(odd, 3, 0)));
    QVERIFY(!databaseBytes(head(4096, 0, 0)) && !databaseBytes(head(4096, 3, 0).substr(0, 31)));
  }
  void numbersBehindTheEndAreUnknown() {
    QCOMPARE(bigEndian("\x01\xff", 0, 2), std::optional<int64_t>(511));
    QVERIFY(!bigEndian("\x01\xff", 1, 2));
  }
};

TILESCOPE_TEST(SqliteHeadTest)
#include "sqlite_head_test.moc"
