// What the first bytes of a file say about it, if it is an SQLite file (sqlite.org/fileformat.html, section 1.3). A report is one with the
// application id below. A head may be shorter than the header: what is missing is then unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace reports {

inline constexpr int32_t kApplicationId = 0x54534350; // "TSCP"
inline constexpr std::size_t kSqliteHeadBytes = 100;

// The number of `bytes` bytes at `at`, the highest first; nothing behind the end of the head.
std::optional<int64_t> bigEndian(std::string_view head, std::size_t at, std::size_t bytes);

bool isSqlite(std::string_view head);
bool isReportHead(std::string_view head);
// The size of the database: pages times their size. Nothing if the header makes no sense.
std::optional<int64_t> databaseBytes(std::string_view head);

} // namespace reports
