// Buffers text for a stream, in pieces of a megabyte, for all exporters of text.
#pragma once

#include "reports/core/error.h"

#include <ostream>
#include <string>
#include <string_view>

namespace reports::exchange {

class TextSink {
public:
  explicit TextSink(std::ostream& out) : m_out(out) {}
  TextSink& operator+=(std::string_view text) {
    m_text += text;
    return *this;
  }
  TextSink& operator+=(char c) {
    m_text += c;
    return *this;
  }
  // Call after each whole event. Throws Error(Io) if the stream fails.
  void pass() {
    if (m_text.size() >= kPiece) finish();
  }
  void finish() {
    m_out << m_text;
    m_text.clear();
    if (!m_out) throw Error(ErrorCode::Io, "cannot write the trace", "", "free some space and try again");
  }

private:
  static constexpr std::size_t kPiece = 1 << 20;
  std::ostream& m_out;
  std::string m_text;
};

} // namespace reports::exchange
