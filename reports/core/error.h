// The one family of exceptions. Every failure that a user can cause ends as an Error: what went wrong, where (a file, a node, a
// row), and what to do about it. Errors are caught in the two mains and in the window's jobs; code in between adds a location
// with within() (reports/core/within.h), or recovers.
#pragma once

#include <stdexcept>
#include <string>

namespace reports {

enum class ErrorCode {
  InvalidInput, // the user's file, option or graph is wrong
  NotFound,     // a file, table, tensor or name does not exist
  Unsupported,  // valid, but this version does not support it
  Damaged,      // a truncated or corrupted report or model
  OutOfMemory,  // a graph does not fit the machine
  NotConnected, // a stream or host function that a program uses is connected to nothing
  Io,           // the operating system refused
  Cancelled,    // the user asked to stop
  Internal,     // a bug of ours
};

// The stable lower-case name of a code, for JSON output and tests.
const char* errorCodeName(ErrorCode code);

class Error : public std::runtime_error {
public:
  // `where` names the file, node or table; `advice` says what to do. Either may be empty.
  Error(ErrorCode code, std::string message, std::string where = {}, std::string advice = {});
  // Not inline: hundreds of sources throw errors.
  Error(const Error& other);
  Error& operator=(const Error& other);
  ~Error() override;

  ErrorCode code() const { return m_code; }
  const std::string& message() const { return m_message; }
  const std::string& where() const { return m_where; }
  const std::string& advice() const { return m_advice; }

  // The same error with `prefix` before its location, e.g. the file around a node.
  Error within(const std::string& prefix) const;

private:
  ErrorCode m_code;
  std::string m_message, m_where, m_advice;
};

class Cancelled : public Error {
public:
  Cancelled();
  ~Cancelled() override;
};

} // namespace reports
