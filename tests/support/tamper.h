// Changes a report by SQL with all protections off, as a hostile author would. Page checksums stay correct; for damaged pages use
// other means.
#pragma once

#include "reports/sqlite/checked_pages.h"

#include <QTest>

#include <sqlite3.h>

#include <filesystem>
#include <string>

namespace tests {

inline void tamper(const std::filesystem::path& path, const std::string& sql, const char* fileSystem, int reservedBytes = -1) {
  sqlite3* db = nullptr;
  QCOMPARE(sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, fileSystem), SQLITE_OK);
  if (reservedBytes >= 0) sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reservedBytes);
  char* message = nullptr;
  sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message);
  QVERIFY2(!message, message);
  sqlite3_close(db);
}
inline void tamper(const std::filesystem::path& path, const std::string& sql) { tamper(path, sql, reports::checkedFileSystem()); }
// Writes without checksums, like another program.
inline void tamperUnchecked(const std::filesystem::path& path, const std::string& sql) { tamper(path, sql, nullptr); }
// A new file whose pages end with `reservedBytes` bytes that SQLite does not use.
inline void tamperReserving(const std::filesystem::path& path, int reservedBytes, const std::string& sql) {
  tamper(path, sql, nullptr, reservedBytes);
}

} // namespace tests
