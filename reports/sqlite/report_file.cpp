#include "reports/sqlite/report_file.h"

#include "reports/core/error.h"
#include "reports/core/sqlite_head.h"
#include "reports/core/text.h"
#include "reports/sqlite/schema.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace reports {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kLeastBytes = 512; // SQLite's smallest page
constexpr int64_t kMostBytes = int64_t(1) << 42;

class OpenFile {
public:
  // O_NONBLOCK: a FIFO without a writer must not block.
  explicit OpenFile(const fs::path& path) : m_fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~OpenFile() {
    if (m_fd >= 0) ::close(m_fd);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return m_fd; }

private:
  int m_fd;
};

// The file's name for messages, with visible line ends and resolved links.
std::string shown(const fs::path& given, const fs::path& real) {
  const std::string name = displayText(given.string());
  std::error_code ignored;
  return fs::is_symlink(given, ignored) ? name + " (link to " + displayText(real.string()) + ")" : name;
}

void requireRegular(const struct stat& st, const std::string& name) {
  if (S_ISDIR(st.st_mode)) throw Error(ErrorCode::Io, "is a directory, not a report", name, "name a .tsr file");
  if (!S_ISREG(st.st_mode)) throw Error(ErrorCode::Io, "is not a regular file", name, "name a .tsr file");
  if (st.st_size == 0) throw Error(ErrorCode::InvalidInput, "not a report: the file is empty", name, "make it again");
  if (st.st_size < kLeastBytes)
    throw Error(ErrorCode::InvalidInput, "not a report: the file is too short (" + std::to_string(st.st_size) + " bytes)", name);
  if (st.st_size > kMostBytes) throw Error(ErrorCode::Unsupported, "file is larger than 4 TiB", name);
}

// Empty if the file is shorter than a header.
std::string headOf(const OpenFile& open) {
  std::string head(kSqliteHeadBytes, '\0');
  if (::pread(open.fd(), head.data(), head.size(), 0) != ssize_t(head.size())) head.clear();
  return head;
}

void requireReport(std::string_view head, const std::string& name) {
  if (!isSqlite(head))
    throw Error(ErrorCode::InvalidInput, "not a report: not an SQLite file", name,
                "open a .tsr file; other formats need importing");
  if (!isReportHead(head)) throw Error(ErrorCode::InvalidInput, "an SQLite file, but not a Tilescope report", name);
}

void requireFinished(std::string_view head, const fs::path& real, const std::string& name) {
  for (const char* suffix : {"-journal", "-wal"}) {
    fs::path beside = real;
    beside += suffix;
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(beside, ignored)))
      throw Error(ErrorCode::Damaged, "unfinished report: " + displayText(beside.filename().string()) + " is beside it", name,
                  "wait until the program that writes it has finished, or make it again");
  }
  if (head[18] != 1 || head[19] != 1)
    throw Error(ErrorCode::Damaged, "unfinished report: it was left in write-ahead mode", name, "make it again");
}

void requireWhole(std::string_view head, int64_t bytes, const std::string& name) {
  const auto whole = databaseBytes(head);
  if (!whole) throw Error(ErrorCode::Damaged, "report is damaged: its header makes no sense", name, "make it again");
  if (bytes < *whole)
    throw Error(ErrorCode::Damaged, "report is cut short: " + std::to_string(bytes) + " of " + std::to_string(*whole) + " bytes",
                name, "copy it again");
}

} // namespace

ReportFile inspectReportFile(const fs::path& path) {
  if (path.empty()) throw Error(ErrorCode::InvalidInput, "a file name is missing", "", "name a .tsr file");
  ReportFile file;
  std::error_code error;
  file.realPath = fs::canonical(path, error);
  if (error) {
    const auto code = error == std::errc::no_such_file_or_directory ? ErrorCode::NotFound : ErrorCode::Io;
    throw Error(code, code == ErrorCode::NotFound ? "no such file" : "cannot open: " + error.message(),
                displayText(path.string()));
  }
  const std::string name = shown(path, file.realPath);
  const OpenFile open(file.realPath);
  struct stat st {};
  if (open.fd() < 0 || ::fstat(open.fd(), &st) != 0)
    throw Error(ErrorCode::Io, std::string("cannot open: ") + std::strerror(errno), name);
  requireRegular(st, name);
  const std::string head = headOf(open);
  if (head.empty()) throw Error(ErrorCode::Io, "cannot read the file", name);
  requireReport(head, name);
  requireFinished(head, file.realPath, name);
  file.schemaVersion = int32_t(*bigEndian(head, 60, 4));
  if (file.schemaVersion > kSchemaVersion)
    throw Error(ErrorCode::Unsupported,
                "report has schema version " + std::to_string(file.schemaVersion) + ", this program reads up to " +
                    std::to_string(kSchemaVersion),
                name, "open it with a newer Tilescope");
  requireWhole(head, st.st_size, name);
  file.bytes = st.st_size;
  return file;
}

bool isReport(const fs::path& path) {
  const OpenFile open(path);
  if (open.fd() < 0) {
    const int error = errno;
    throw Error(ErrorCode::Io, std::string("cannot open: ") + std::strerror(error), displayText(path.string()));
  }
  return isReportHead(headOf(open));
}

} // namespace reports
