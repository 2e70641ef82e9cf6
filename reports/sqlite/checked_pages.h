// An SQLite file system that ends every page of a report with a checksum of the page and verifies it whenever a page is read, so
// that damage to the file gives an error instead of wrong numbers. A page has 16 reserved bytes, as header byte 20 says: a mark
// and the page's number, so that neither a page of zeros nor another page is accepted, then a checksum of everything before. The
// checksum is that of SQLite's own extension cksumvfs (https://sqlite.org/cksumvfs.html). Any SQLite tool reads such a file; if
// it changes the file without this file system, the file counts as damaged. Files of schema version 3 may have 8 reserved bytes,
// only for the checksum. Files without reserved bytes are read unverified.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

struct sqlite3;

namespace reports {

inline constexpr int kChecksumBytes = 8;

// The first reserved bytes of a page. Pages count from 1.
inline constexpr int kMarkBytes = 8;
std::array<uint8_t, kMarkBytes> pageMark(int64_t page);

// For a page without its last 8 bytes: two running sums of its 32-bit little-endian words, each added to the other. The size is a
// multiple of 8.
std::array<uint8_t, kChecksumBytes> pageChecksum(std::span<const uint8_t> content);

// The name of the file system, which is registered at the first call; for sqlite3_open_v2. It uses the default one.
const char* checkedFileSystem();

// Starts checksums in every page of a new, empty database opened with this file system. The page size must be set already.
void writeChecksums(sqlite3* db);
bool hasChecksums(sqlite3* db);
// The first page (from 1) that was read with a wrong checksum.
std::optional<int64_t> damagedPage(sqlite3* db);
// The errno of the first write that failed; 0 if none did. SQLite itself forgets it when a transaction ends.
int writeError(sqlite3* db);

} // namespace reports
