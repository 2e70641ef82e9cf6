#include "reports/core/sqlite_head.h"

namespace reports {

std::optional<int64_t> bigEndian(std::string_view head, std::size_t at, std::size_t bytes) {
  if (at + bytes > head.size()) return std::nullopt;
  int64_t number = 0;
  for (const char byte : head.substr(at, bytes)) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

bool isSqlite(std::string_view head) {
  using namespace std::string_view_literals;
  return head.starts_with("SQLite format 3\0"sv);
}
bool isReportHead(std::string_view head) { return isSqlite(head) && bigEndian(head, 68, 4) == kApplicationId; }

std::optional<int64_t> databaseBytes(std::string_view head) {
  const auto pages = bigEndian(head, 28, 4);
  if (!pages || *pages == 0) return std::nullopt;
  const int64_t raw = *bigEndian(head, 16, 2), pageBytes = raw == 1 ? 65'536 : raw;
  const bool isSound = pageBytes >= 512 && (pageBytes & (pageBytes - 1)) == 0;
  return isSound ? std::optional(*pages * pageBytes) : std::nullopt;
}

} // namespace reports
