#include "reports/sqlite/connection.h"

#include "reports/core/progress.h"
#include "reports/sqlite/checked_pages.h"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace reports {

namespace {
// As a URI, so that ? # % and any byte in a file name are literal.
std::string fileUri(const std::filesystem::path& file, std::string_view query) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string uri = "file:";
  const std::string path = std::filesystem::absolute(file).string();
  for (const char c : path) {
    const auto u = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '-' ||
                       c == '_' || c == '.' || c == '~';
    if (plain) {
      uri += c;
    } else {
      uri += '%';
      uri += kHex[u >> 4];
      uri += kHex[u & 15];
    }
  }
  return uri.append(query);
}
} // namespace

Connection::Connection(const std::filesystem::path& file, Mode mode, std::string name)
    : m_name(name.empty() ? file.string() : std::move(name)) {
  const bool immutable = mode == Mode::ReadImmutable;
  const int flags = (immutable ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_URI | SQLITE_OPEN_NOFOLLOW |
                    SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE;
  const int code = sqlite3_open_v2(fileUri(file, immutable ? "?immutable=1" : "").c_str(), &m_db, flags, checkedFileSystem());
  if (code != SQLITE_OK) {
    const std::string message = m_db ? sqlite3_errmsg(m_db) : sqlite3_errstr(code);
    sqlite3_close_v2(m_db);
    throw Error(ErrorCode::Io, "cannot open: " + message, m_name);
  }
  watchEvery(kUsualSteps);
}

Connection::~Connection() { sqlite3_close_v2(m_db); }

void Connection::close() {
  const int code = sqlite3_close(m_db);
  if (code != SQLITE_OK) fail(code, "close");
  m_db = nullptr;
}

void Connection::interrupt() {
  if (m_db) sqlite3_interrupt(m_db);
}

void Connection::execute(std::string_view sql) {
  m_stopped = m_timedOut = false;
  const int code = sqlite3_exec(m_db, std::string(sql).c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

int Connection::onProgress(void* self) {
  auto& c = *static_cast<Connection*>(self);
  if (c.m_stop.stop_requested())
    c.m_stopped = true;
  else if (c.m_deadline && std::chrono::steady_clock::now() >= *c.m_deadline)
    c.m_timedOut = true;
  return c.m_stopped || c.m_timedOut;
}

void Connection::watchEvery(int steps) { sqlite3_progress_handler(m_db, steps, &Connection::onProgress, this); }

void Connection::throwIfDue() {
  if (onProgress(this)) fail(SQLITE_INTERRUPT);
}

Connection::Watch::Watch(Connection& connection, std::stop_token stop, std::optional<std::chrono::milliseconds> time)
    : m_connection(connection), m_oldStop(std::exchange(connection.m_stop, std::move(stop))),
      m_oldDeadline(connection.m_deadline), m_oldTime(connection.m_time) {
  connection.m_stopped = connection.m_timedOut = false;
  connection.m_time = time;
  connection.m_deadline.reset();
  if (time) connection.m_deadline = std::chrono::steady_clock::now() + *time;
}

Connection::Watch::~Watch() {
  m_connection.m_stop = std::move(m_oldStop);
  m_connection.m_deadline = m_oldDeadline;
  m_connection.m_time = m_oldTime;
  m_connection.m_stopped = m_connection.m_timedOut = false;
}

// An error of the file with the operating system's reason, if it gave one.
Error Connection::ioError(const std::string& text) const {
  const int reason = m_db ? writeError(m_db) : 0;
  if (reason == 0) return Error(ErrorCode::Io, text, m_name);
  const bool isLimit = reason == EFBIG;
  return Error(ErrorCode::Io, text + ": " + std::strerror(reason), m_name,
               isLimit ? "allow larger files (ulimit -f), or write to another file system" : "");
}

void Connection::fail(int code, std::string_view doing) const {
  std::string text = m_db ? sqlite3_errmsg(m_db) : sqlite3_errstr(code);
  if (!doing.empty()) text = std::string(doing) + ": " + text;
  switch (code & 0xff) {
  case SQLITE_INTERRUPT:
    if (m_timedOut)
      throw Error(ErrorCode::Unsupported,
                  "query took longer than " + std::to_string(m_time.value_or(std::chrono::milliseconds(0)).count()) + " ms",
                  m_name, "ask for less, or raise the time limit");
    throw Cancelled();
  case SQLITE_IOERR:
    if (code != SQLITE_IOERR_DATA) throw ioError(text);
    throw Error(ErrorCode::Damaged,
                "report is damaged: page " + std::to_string(damagedPage(m_db).value_or(0)) + " is not as it was written", m_name,
                "copy it again or make it again");
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB: throw Error(ErrorCode::Damaged, "report is damaged or cut short: " + text, m_name, "make it again");
  case SQLITE_FULL: throw Error(ErrorCode::Io, "disk full", m_name, "free some space and try again");
  case SQLITE_CANTOPEN:
  case SQLITE_READONLY:
  case SQLITE_PERM: throw Error(ErrorCode::Io, text, m_name);
  case SQLITE_NOMEM: throw Error(ErrorCode::Unsupported, "needs more memory than a report may use", m_name, "ask for less");
  case SQLITE_AUTH:
    throw Error(ErrorCode::InvalidInput, "not allowed: reports are read-only (" + text + ")", m_name, "use SELECT");
  case SQLITE_TOOBIG: throw Error(ErrorCode::Unsupported, "a value is too big: " + text, m_name, "ask for less");
  case SQLITE_ERROR:
    if (text == "integer overflow")
      throw Error(ErrorCode::Damaged, "a sum overflows: the report holds impossible numbers", m_name,
                  "the report was made by a faulty program or is damaged; in a query use total() instead of sum()");
    throw Error(ErrorCode::InvalidInput, text, m_name);
  case SQLITE_CONSTRAINT: throw Error(ErrorCode::Internal, "row breaks a rule of its table: " + text, m_name);
  default: throw Error(ErrorCode::Io, text, m_name);
  }
}

} // namespace reports
