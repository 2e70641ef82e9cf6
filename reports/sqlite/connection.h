// One owned SQLite connection. Only this class turns SQLite's result codes into reports::Error. A connection belongs to one
// thread; only interrupt() may be called from another.
#pragma once

#include "reports/core/error.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

struct sqlite3;

namespace reports {

class Connection {
public:
  enum class Mode {
    ReadImmutable, // finished reports: no locks, no journal, nothing written
    ReadWrite,     // an existing file that only this process uses
  };
  // `name` is the connection's name in messages; if empty, the file's path.
  Connection(const std::filesystem::path& file, Mode mode, std::string name = {});
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void execute(std::string_view sql); // one statement; rows are discarded
  void close();                       // throws if SQLite cannot close; the destructor does not
  void interrupt();                   // any thread: ends the running statement with Error(Cancelled)

  sqlite3* handle() const { return m_db; }
  const std::string& name() const { return m_name; } // for messages

  // During its life, statements end with Error(Cancelled) once `stop` is requested, or after `time` with Error(Unsupported,
  // "query took longer than …"). One is active at a time: the newest.
  class Watch {
  public:
    Watch(Connection& connection, std::stop_token stop, std::optional<std::chrono::milliseconds> time = {});
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

  private:
    Connection& m_connection;
    std::stop_token m_oldStop;
    std::optional<std::chrono::steady_clock::time_point> m_oldDeadline;
    std::optional<std::chrono::milliseconds> m_oldTime;
  };

  // Checks the stop token and the clock every `steps` steps of SQLite's virtual machine; a smaller number costs more time.
  static constexpr int kUsualSteps = 4000; // some 50 microseconds
  void watchEvery(int steps);
  // Throws the same errors, for work between the rows of a statement.
  void throwIfDue();

  // Turns a failed result code into its exception; `doing` describes the attempted action.
  [[noreturn]] void fail(int code, std::string_view doing = {}) const;

private:
  Error ioError(const std::string& text) const;
  static int onProgress(void* self);
  sqlite3* m_db = nullptr;
  std::string m_name;
  std::stop_token m_stop;
  std::optional<std::chrono::steady_clock::time_point> m_deadline;
  std::optional<std::chrono::milliseconds> m_time;
  mutable bool m_stopped = false, m_timedOut = false;
};

} // namespace reports
