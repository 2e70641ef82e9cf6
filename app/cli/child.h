// A process that this one starts and watches: its last line on standard error, its exit code, its duration. It ends with this process, even if
// this process is killed.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace app::cli {

class Child {
public:
  // Its standard output goes to the file `output` (empty: discarded). Throws Error(Io) if the file or the process fails.
  explicit Child(const std::vector<std::string>& commandLine, const std::string& output = {});
  ~Child(); // kills it if it is still running
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int descriptor() const { return m_pipe; } // readable when check() has work; -1 once the child closed it
  bool check();                             // reads the available output; true once the child has ended
  void kill();

  int exitCode() const { return m_exitCode; } // -1 if a signal ended it
  int signal() const { return m_signal; }     // 0 if none did
  const std::string& lastLine() const { return m_lastLine; }
  const std::string& lineBeforeLast() const { return m_lineBeforeLast; }
  double seconds() const;

private:
  void readPipe();
  void take(const char* bytes, std::size_t count);
  int m_pid = -1, m_pipe = -1, m_exitCode = -1, m_signal = 0;
  bool m_ended = false;
  std::string m_line, m_lastLine, m_lineBeforeLast;
  std::chrono::steady_clock::time_point m_start, m_end;
};

} // namespace app::cli
