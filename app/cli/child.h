// A process that this one starts and watches: its exit code, its duration, and its last line on standard error (Streams::Read).
// It ends when this process ends, even if this process is killed.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace app::cli {

struct ChildStart {
  enum class Streams {
    Read, // standard error is read here, standard output goes to the file `output` (empty: discarded)
    Same, // writes to the standard output and standard error of this process
    Error // both streams go to this process's standard error
  };
  std::vector<std::string> words = {}; // the first is the program's file
  std::string output = {};
  Streams streams = Streams::Read;
  std::string folder = {};                                  // its working folder; empty: that of this process
  std::optional<std::vector<std::string>> environment = {}; // "NAME=VALUE"; none: the environment of this process
  bool hasGroup = false; // starts a process group without ignored or blocked signals, for askToEnd() and kill()
};

class Child {
public:
  static constexpr int kNoFolder = 126, kNoProgram = 127; // exit codes if the program could not start, as in a shell

  // Throws Error(Io) if the file for the output or the process fails.
  explicit Child(const ChildStart& start);
  ~Child(); // kills it if it is still running
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int descriptor() const { return m_pipe; } // readable when check() has work; -1 once the child closed it
  bool check();                             // reads the available output; true once the child has ended
  bool endsWithin(std::chrono::milliseconds most);
  void askToEnd();
  void kill();

  int exitCode() const { return m_exitCode; } // -1 if a signal ended it
  int signal() const { return m_signal; }     // 0 if none did
  const std::string& lastLine() const { return m_lastLine; }
  const std::string& lineBeforeLast() const { return m_lineBeforeLast; }
  double seconds() const;

private:
  void readPipe();
  void send(int signal);
  void take(const char* bytes, std::size_t count);
  int m_pid = -1, m_pipe = -1, m_exitCode = -1, m_signal = 0;
  bool m_hasGroup = false, m_ended = false;
  std::string m_line, m_lastLine, m_lineBeforeLast;
  std::chrono::steady_clock::time_point m_start, m_end;
};

} // namespace app::cli
