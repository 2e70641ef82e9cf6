#include "reports/exchange/text_lines.h"

namespace reports::exchange {

namespace {
constexpr std::size_t kMostLineBytes = 16u << 20;
}

char lineEndOf(std::string_view text) {
  const bool isMac = text.find('\r') != std::string_view::npos && text.find('\n') == std::string_view::npos;
  return isMac ? '\r' : '\n';
}

bool TextLines::next(std::string_view& line) {
  if (m_lineEnd == '\0') {
    if (m_window.size() == 0) m_window.grow();
    m_lineEnd = lineEndOf({m_window.at(), m_window.size()});
  }
  std::size_t searched = 0;
  for (;;) {
    const std::string_view rest(m_window.at(), m_window.size());
    std::size_t end = rest.find(m_lineEnd, searched);
    const bool cut = end == std::string_view::npos && rest.size() > kMostLineBytes;
    if (end == std::string_view::npos && !cut) {
      searched = rest.size();
      if (m_window.grow()) continue; // grow() moves the text, even if it reads nothing
      if (m_window.size() == 0) return false;
    }
    const bool hasEnd = end != std::string_view::npos;
    if (!hasEnd) end = m_window.size();
    line = {m_window.at(), end};
    if (line.ends_with('\r')) line.remove_suffix(1);
    m_window.advanceTo(m_window.at() + end + (hasEnd ? 1 : 0));
    return true;
  }
}

} // namespace reports::exchange
