#include "app/cli/terminal_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <string>

namespace app::cli {

TerminalLine::TerminalLine(std::ostream& out, std::ostream& err)
    : m_out(out), m_err(err), m_outPassing(out, *this), m_errPassing(err, *this), m_outStream(&m_outPassing),
      m_errStream(&m_errPassing) {}

namespace {
// A line that is wider than the terminal wraps, and clearing it would leave its first rows.
std::string fitting(std::string_view text) {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::string(text);
  const std::size_t most = size.ws_col - 1u; // the last column wraps in some terminals
  std::size_t letters = 0, end = 0;          // end: after the letters that fit together with the dots
  for (std::size_t at = 0; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) continue; // not the first byte of a letter in UTF-8
    if (letters + 1 == most) end = at;
    if (++letters > most) return std::string(text.substr(0, end)) + "…";
  }
  return std::string(text);
}
} // namespace

void TerminalLine::draw(std::string_view text) {
  m_out.flush(); // earlier output stays above
  m_err << kClearLine << fitting(text) << std::flush;
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
