// An SQLite file system that ends every page of a report with a checksum of the page and verifies it whenever a page is read, so
// that a file that was damaged after it was written gives an error instead of wrong numbers. A page has 16 reserved bytes, and
// header byte 20 says so: a mark and the page's number, so that no page of zeros and no other page passes for it, then a checksum
// of all before. The checksum is that of SQLite's own extension cksumvfs (https://sqlite.org/cksumvfs.html). Any SQLite tool reads
// such a file; one that changes it without this file system makes it a damaged one. Files of schema version 3 may have 8 reserved
// bytes, the checksum alone. Files without reserved bytes are read unverified.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

struct sqlite3;

namespace reports {

inline constexpr int kChecksumBytes = 8;

// The first reserved bytes of a page, which counts from 1.
inline constexpr int kMarkBytes = 8;
std::array<uint8_t, kMarkBytes> pageMark(int64_t page);

// Of a page without its last 8 bytes: two sums of its 32-bit little-endian words, each added to the other as they grow.
// The size is a multiple of 8.
std::array<uint8_t, kChecksumBytes> pageChecksum(std::span<const uint8_t> content);

// The name of the file system, which is registered at the first call; for sqlite3_open_v2. It sits on the default one.
const char* checkedFileSystem();

// Gives a new database, opened with this file system and empty, a checksum in every page. The page size must be set already.
void writeChecksums(sqlite3* db);
bool hasChecksums(sqlite3* db);
// The first page, from 1, that was read and does not have its checksum.
std::optional<int64_t> damagedPage(sqlite3* db);

} // namespace reports
