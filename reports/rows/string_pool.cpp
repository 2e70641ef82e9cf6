#include "reports/rows/string_pool.h"

namespace reports {

int64_t StringPool::id(std::string_view text) {
  const auto found = m_ids.find(text);
  if (found != m_ids.end()) return found->second;
  const auto id = int64_t(m_ids.size());
  m_ids.emplace(std::string(text), id);
  m_sink.add(StringRow{id, std::string(text)});
  return id;
}

} // namespace reports
