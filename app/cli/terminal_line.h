// The line of a terminal on which progress is drawn. Any other output of a command, on either stream, clears it first, so that a
// result is never on the same line as "planning 40 %".
#pragma once

#include <ostream>
#include <streambuf>
#include <string_view>

namespace app::cli {

// Moves to the first column and clears the line.
inline constexpr std::string_view kClearLine = "\r\033[K";

class TerminalLine {
public:
  // Draws on `err`; both streams must be the terminal.
  TerminalLine(std::ostream& out, std::ostream& err);
  // The streams that a command prints to.
  std::ostream& out() { return m_outStream; }
  std::ostream& err() { return m_errStream; }

  void draw(std::string_view text);
  void clear();

private:
  // Passes everything on, after clearing the line.
  class Passing : public std::streambuf {
  public:
    Passing(std::ostream& to, TerminalLine& line) : m_to(to), m_line(line) {}

  protected:
    int_type overflow(int_type character) override;
    std::streamsize xsputn(const char* text, std::streamsize count) override;
    int sync() override;

  private:
    std::ostream& m_to;
    TerminalLine& m_line;
  };
  std::ostream &m_out, &m_err;
  Passing m_outPassing, m_errPassing;
  std::ostream m_outStream, m_errStream;
  bool m_isDrawn = false;
};

} // namespace app::cli
