// Gives every distinct text one string id, and writes it to the `string` table at its first use.
#pragma once

#include "reports/rows/report_sink.h"

#include <string>
#include <string_view>
#include <unordered_map>

namespace reports {

class StringPool {
public:
  explicit StringPool(ReportSink& sink) : m_sink(sink) {}
  int64_t id(std::string_view text);
  int64_t size() const { return int64_t(m_ids.size()); }

private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const noexcept { return std::hash<std::string_view>()(s); }
  };
  ReportSink& m_sink;
  std::unordered_map<std::string, int64_t, Hash, std::equal_to<>> m_ids;
};

} // namespace reports
