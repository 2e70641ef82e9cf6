#include "reports/core/error.h"

namespace reports {

namespace {
std::string oneLine(const std::string& message, const std::string& where, const std::string& advice) {
  std::string line;
  if (!where.empty()) line += where + ": ";
  line += message;
  if (!advice.empty()) line += " (" + advice + ")";
  for (std::size_t at = line.find('\0'); at != std::string::npos; at = line.find('\0', at))
    line.replace(at, 1, "\\x00"); // else what() would end at the NUL
  return line;
}
} // namespace

const char* errorCodeName(ErrorCode code) {
  switch (code) {
  case ErrorCode::InvalidInput: return "invalid input";
  case ErrorCode::NotFound: return "not found";
  case ErrorCode::Unsupported: return "unsupported";
  case ErrorCode::Damaged: return "damaged";
  case ErrorCode::OutOfMemory: return "out of memory";
  case ErrorCode::NotConnected: return "not connected";
  case ErrorCode::Io: return "input/output";
  case ErrorCode::Cancelled: return "cancelled";
  case ErrorCode::Internal: return "internal";
  }
  return "internal";
}

Error::Error(ErrorCode code, std::string message, std::string where, std::string advice)
    : std::runtime_error(oneLine(message, where, advice)), m_code(code), m_message(std::move(message)), m_where(std::move(where)),
      m_advice(std::move(advice)) {}

Error::Error(const Error& other) = default;
Error& Error::operator=(const Error& other) = default;
Error::~Error() = default;

Cancelled::Cancelled() : Error(ErrorCode::Cancelled, "cancelled") {}
Cancelled::~Cancelled() = default;

Error Error::within(const std::string& prefix) const {
  return Error(m_code, m_message, m_where.empty() ? prefix : prefix + ": " + m_where, m_advice);
}

} // namespace reports
