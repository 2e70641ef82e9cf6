// Reads the lines of a window in order; also text with the line ends of old Macs. Very long lines are cut.
#pragma once

#include "reports/exchange/byte_source.h"

#include <string_view>

namespace reports::exchange {

// The character that ends the lines of a text: '\r' if no line ends with '\n', as on old Macs.
char lineEndOf(std::string_view text);

class TextLines {
public:
  explicit TextLines(Window& window) : m_window(window) {}
  // Without its line end; valid until the next call. False at the end.
  bool next(std::string_view& line);

private:
  Window& m_window;
  char m_lineEnd = '\0'; // unknown before the first line
};

} // namespace reports::exchange
