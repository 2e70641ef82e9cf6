#include "app/cli/terminal_line.h"

namespace app::cli {

TerminalLine::TerminalLine(std::ostream& out, std::ostream& err)
    : m_out(out), m_err(err), m_outPassing(out, *this), m_errPassing(err, *this), m_outStream(&m_outPassing),
      m_errStream(&m_errPassing) {}

void TerminalLine::draw(std::string_view text) {
  m_out.flush(); // earlier output stays above
  m_err << kClearLine << text << std::flush;
  m_isDrawn = true;
}

void TerminalLine::clear() {
  if (!m_isDrawn) return;
  m_isDrawn = false;
  m_err << kClearLine << std::flush;
}

TerminalLine::Passing::int_type TerminalLine::Passing::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  const char c = traits_type::to_char_type(character);
  return xsputn(&c, 1) == 1 ? character : traits_type::eof();
}

std::streamsize TerminalLine::Passing::xsputn(const char* text, std::streamsize count) {
  m_line.clear();
  m_to.write(text, count);
  return m_to ? count : 0;
}

int TerminalLine::Passing::sync() { return m_to.flush() ? 0 : -1; }

} // namespace app::cli
