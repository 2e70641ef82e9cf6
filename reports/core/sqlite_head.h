// Facts from the first bytes of an SQLite file (sqlite.org/fileformat.html, section 1.3). A report is an SQLite file with the
// application id below. A head may be shorter than the header; the fields beyond its end are then unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace reports {

inline constexpr int32_t kApplicationId = 0x54534350; // "TSCP"
inline constexpr std::size_t kSqliteHeadBytes = 100;

// The big-endian number in the `bytes` bytes at `at`; nothing if they extend beyond the head.
std::optional<int64_t> bigEndian(std::string_view head, std::size_t at, std::size_t bytes);

bool isSqlite(std::string_view head);
bool isReportHead(std::string_view head);
// The size of the database: number of pages x page size; nothing if the header is invalid.
std::optional<int64_t> databaseBytes(std::string_view head);

} // namespace reports
