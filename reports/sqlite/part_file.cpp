#include "reports/sqlite/part_file.h"

#include "reports/core/error.h"
#include "reports/core/text.h"
#include "reports/sqlite/report_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <random>
#include <utility>

namespace reports {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void failIo(const std::string& doing, const fs::path& path, int error) {
  if (error == ENOSPC || error == EDQUOT) throw Error(ErrorCode::Io, "disk full", path.string(), "free some space and try again");
  throw Error(ErrorCode::Io, doing + ": " + std::strerror(error), path.string(), error == ENOENT ? "make the folder first" : "");
}

// Part of the random number, so that only the machine of its process can treat a temporary file as stale.
std::string hostMark() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  uint32_t hash = 2166136261u; // FNV-1a
  for (const char* c = name; *c; ++c) hash = (hash ^ uint8_t(*c)) * 16777619u;
  char text[8];
  std::snprintf(text, sizeof text, "%04x", unsigned((hash ^ (hash >> 16)) & 0xffff));
  return text;
}

std::string randomMark() {
  std::random_device device;
  char text[16];
  std::snprintf(text, sizeof text, "%08x", unsigned(device()));
  return text;
}

fs::path directoryOf(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

// Reports, results of sweeps and outputs of runs hold command lines, paths, names and numbers of a user's program: only their
// owner may read them. Files whose name the user chose (exports, models) follow the umask.
mode_t modeOfNew(PartFile::Replaces replaces, PartFile::Links links) {
  return replaces == PartFile::Replaces::AnyFile && links == PartFile::Links::Follow ? 0666 : 0600;
}

// Uses O_EXCL and O_NOFOLLOW, so that it never writes through a link or a file that somebody planted under the name.
fs::path createTemporary(const fs::path& target, mode_t mode) {
  std::error_code error;
  const fs::path directory = fs::canonical(directoryOf(target), error); // SQLite rejects links in any part of the path
  if (error) failIo("cannot write here", target, error.value());
  for (int attempt = 0; attempt < 16; ++attempt) {
    fs::path path = directory / target.filename();
    path += ".part." + std::to_string(getpid()) + "." + hostMark() + randomMark();
    const int fd = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd >= 0) {
      ::close(fd);
      return path;
    }
    if (errno != EEXIST) failIo("cannot write here", target, errno);
  }
  failIo("cannot write here", target, EEXIST);
}

void syncPath(const fs::path& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
  if (fd < 0) failIo("cannot open to sync", path, errno);
  const int result = ::fsync(fd), error = errno;
  ::close(fd);
  // Some file systems cannot sync a directory; the rename is then as durable as possible.
  if (result != 0 && !((flags & O_DIRECTORY) && error == EINVAL)) failIo("cannot sync", path, error);
}

// Whether a process has ended. An ended process keeps its number until its parent collects it, which in a container may never
// happen.
bool hasEnded(int pid) {
  if (::kill(pid, 0) != 0) return errno == ESRCH;
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(in, text);
  const std::size_t name = text.rfind(") "); // the state follows the name
  return name != std::string::npos && name + 2 < text.size() && (text[name + 2] == 'Z' || text[name + 2] == 'X');
}

// Whether it is a temporary file, of any target, of a process that has ended, so that it will never be finished.
bool isStale(const std::string& name) {
  constexpr std::string_view kPart = ".part.";
  const std::size_t part = name.rfind(kPart);
  if (part == std::string::npos || part == 0) return false;
  const char* begin = name.data() + part + kPart.size();
  const char* end = name.data() + name.size();
  int pid = 0;
  const auto parsed = std::from_chars(begin, end, pid);
  const std::string mark(parsed.ptr, end);
  if (parsed.ec != std::errc() || pid <= 0 || mark.size() != 13 || mark[0] != '.') return false;
  if (mark.compare(1, 4, hostMark()) != 0) return false;
  return hasEnded(pid);
}

} // namespace

std::vector<fs::path> staleParts(const fs::path& target) {
  std::vector<fs::path> stale;
  const fs::path directory = directoryOf(target);
  // std::filesystem's iterators abort the process when memory runs out.
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(directory.c_str()), ::closedir);
  if (!folder) return stale; // a folder that cannot be listed counts as empty
  while (const dirent* entry = ::readdir(folder.get()))
    if (isStale(entry->d_name)) stale.push_back(directory / entry->d_name);
  return stale;
}

namespace {
// Follows links, even one to a file that does not exist yet.
fs::path placeOf(fs::path target) {
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, error)); ++links) {
    if (links == 40) failIo("cannot write here", target, ELOOP);
    const fs::path next = fs::read_symlink(target, error);
    if (error) failIo("cannot write here", target, error.value());
    target = directoryOf(target) / next; // an absolute path stays unchanged
  }
  return target;
}
} // namespace

void requireReplaceable(const fs::path& target, PartFile::Replaces replaces, PartFile::Links links) {
  const std::string name = displayText(target.string());
  if (std::error_code absent; links == PartFile::Links::Refuse && fs::is_symlink(fs::symlink_status(target, absent)))
    throw Error(ErrorCode::InvalidInput, "is a symbolic link, and its target would be replaced", name, "remove the link first");
  if (target == "-")
    throw Error(ErrorCode::InvalidInput, "this output must be a file, not standard output", name,
                "name a file; ./- is a file called -");
  if (target.filename().empty()) throw Error(ErrorCode::InvalidInput, "a file name is missing", name);
  std::error_code ignored;
  const fs::path folder = directoryOf(placeOf(target));
  if (::access(folder.c_str(), W_OK | X_OK) != 0) failIo("cannot write here", target, errno);
  const fs::file_status status = fs::status(target, ignored);
  if (!fs::exists(status)) return;
  if (fs::is_directory(status)) throw Error(ErrorCode::Io, "is a directory", name, "name a file to write to");
  if (!fs::is_regular_file(status)) throw Error(ErrorCode::Io, "is not a regular file", name, "name a file to write to");
  // A rename needs no write permission on the file itself; a missing one means that its owner wants to keep it. Root may write
  // anything, so the mode bits are checked, too.
  const bool isReadOnly =
      (status.permissions() & (fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write)) == fs::perms::none ||
      ::access(target.c_str(), W_OK) != 0;
  if (isReadOnly && replaces != PartFile::Replaces::ReadOnlyReports)
    throw Error(ErrorCode::Io, "is read-only", name, "name another file, or make this one writable");
  if (replaces == PartFile::Replaces::AnyFile || fs::file_size(target, ignored) == 0 || isReport(target)) return;
  throw Error(ErrorCode::InvalidInput, "exists and is not a report", name, "name another file, or remove it first");
}

PartFile::PartFile(fs::path target, Replaces replaces, Links links) : m_target(std::move(target)) {
  requireReplaceable(m_target, replaces, links);
  // A link created from now on is itself replaced by the rename.
  m_place = links == Links::Follow ? placeOf(m_target) : m_target;
  std::error_code ignored;
  for (const auto& path : staleParts(m_place)) fs::remove(path, ignored);
  m_path = createTemporary(m_place, modeOfNew(replaces, links));
  enlist();
  keepPermissions();
}

// Takes over the permissions of the replaced file, so that a private report stays private and a shared one stays shared.
void PartFile::keepPermissions() {
  struct stat old {};
  if (::stat(m_place.c_str(), &old) != 0) return;
  ::chmod(m_path.c_str(), (old.st_mode & 07777) | S_IRUSR | S_IWUSR);
  m_permissions = old.st_mode & 07777;
}

PartFile::~PartFile() {
  remove();
  delist();
}

// The parts of this process form an intrusive list, so that no allocation can fail.
namespace {
std::mutex g_partsMutex; // also held while a part's path changes
PartFile* g_parts = nullptr;
} // namespace

void PartFile::enlist() noexcept {
  const std::scoped_lock lock(g_partsMutex);
  m_next = std::exchange(g_parts, this);
}

void PartFile::delist() noexcept {
  const std::scoped_lock lock(g_partsMutex);
  for (PartFile** at = &g_parts; *at; at = &(*at)->m_next)
    if (*at == this) {
      *at = m_next;
      return;
    }
}

void PartFile::removeAll() noexcept {
  const std::scoped_lock lock(g_partsMutex);
  for (const PartFile* part = g_parts; part; part = part->m_next)
    if (!part->m_path.empty()) ::unlink(part->m_path.c_str());
}

void PartFile::remove() noexcept {
  const std::scoped_lock lock(g_partsMutex);
  if (!m_path.empty()) ::unlink(m_path.c_str());
  m_path.clear();
}

void PartFile::publish() {
  if (m_permissions && ::chmod(m_path.c_str(), *m_permissions) != 0) failIo("cannot keep the permissions", m_target, errno);
  syncPath(m_path, O_RDONLY);
  {
    const std::scoped_lock lock(g_partsMutex);
    if (::rename(m_path.c_str(), m_place.c_str()) != 0) failIo("cannot put the file in place", m_target, errno);
    m_path.clear();
  }
  syncPath(directoryOf(m_place), O_RDONLY | O_DIRECTORY);
}

} // namespace reports
