// The lines of a window in order. A line beyond a sensible length is cut.
#pragma once

#include "reports/exchange/byte_source.h"

#include <string_view>

namespace reports::exchange {

class TextLines {
public:
  explicit TextLines(Window& window) : m_window(window) {}
  // Without its line end; valid until the next call. False at the end.
  bool next(std::string_view& line);

private:
  Window& m_window;
};

} // namespace reports::exchange
