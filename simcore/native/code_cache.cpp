#include "simcore/native/unit.h"

#include "reports/core/error.h"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace simcore::native {

namespace fs = std::filesystem;
using reports::Error;
using reports::ErrorCode;

namespace {

constexpr int64_t kMostBytes = 1 << 30;

fs::path absoluteOf(const char* variable) {
  const char* value = std::getenv(variable);
  const fs::path path = value ? value : "";
  return path.is_absolute() ? path : fs::path(); // a relative one is to be ignored (XDG base directories)
}

fs::path usualFolder() {
  fs::path base = absoluteOf("XDG_CACHE_HOME");
  if (base.empty()) {
    fs::path home = absoluteOf("HOME");
    // Not a shared folder for temporary files: whoever made the cache there first could put code into it.
    if (const passwd* user = home.empty() ? getpwuid(geteuid()) : nullptr) home = user->pw_dir;
    if (!home.is_absolute())
      throw Error(ErrorCode::NotFound, "compiled codelets have no home folder to be kept in", "",
                  "set HOME or XDG_CACHE_HOME to an absolute path");
    base = home / ".cache";
  }
  return base / "tilescope" / "codelets";
}

// A plain file of this user, opened without following a link; -1 if it is something else.
int openOwn(const fs::path& file, int64_t& size) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  struct stat facts {};
  if (descriptor >= 0 && fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == geteuid() &&
      facts.st_size <= kMostBytes) {
    size = facts.st_size;
    return descriptor;
  }
  if (descriptor >= 0) close(descriptor);
  return -1;
}

} // namespace

CodeCache::CodeCache(fs::path folder) : m_folder(folder.empty() ? usualFolder() : std::move(folder)) {
  std::error_code failed;
  fs::create_directories(m_folder.parent_path(), failed);
  if (mkdir(m_folder.c_str(), 0700) != 0 && errno != EEXIST)
    throw Error(ErrorCode::Io, std::string("the folder for compiled codelets cannot be made: ") + std::strerror(errno),
                m_folder.string(), "set XDG_CACHE_HOME to a folder of yours");
  struct stat facts {};
  if (lstat(m_folder.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode) || facts.st_uid != geteuid())
    throw Error(ErrorCode::Io, "the folder for compiled codelets is a link or belongs to another user", m_folder.string(),
                "remove it, or set XDG_CACHE_HOME to a folder of yours");
  if ((facts.st_mode & 0777) != 0700) fs::permissions(m_folder, fs::perms::owner_all, failed);
}

std::string CodeCache::read(const std::string& name) const {
  int64_t size = 0;
  const int file = openOwn(m_folder / name, size);
  if (file < 0) return {};
  std::string bytes(std::size_t(size), '\0');
  std::size_t done = 0;
  for (ssize_t n = 1; done < bytes.size() && n > 0; done += std::size_t(std::max<ssize_t>(n, 0)))
    n = ::read(file, bytes.data() + done, bytes.size() - done);
  close(file);
  bytes.resize(done);
  return bytes;
}

void CodeCache::write(const std::string& name, std::string_view bytes) const {
  static std::atomic<int> made = 0;
  const std::string part = (m_folder / fmt::format("{}.{}.{}.part", name, getpid(), ++made)).string();
  const int file = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return;
  bool isWhole = true;
  while (!bytes.empty() && isWhole) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n <= 0 && errno != EINTR) isWhole = false;
    if (n > 0) bytes.remove_prefix(std::size_t(n));
  }
  if (close(file) != 0 || !isWhole || rename(part.c_str(), (m_folder / name).c_str()) != 0) unlink(part.c_str());
}

ScratchFolder::ScratchFolder(const fs::path& parent) {
  std::string pattern = (parent / "work-").string() + std::string(6, 'X'); // mkdtemp() replaces them
  if (!mkdtemp(pattern.data()))
    throw Error(ErrorCode::Io, std::string("cannot be written: ") + std::strerror(errno), parent.string(),
                "look at the folder's permissions and free space");
  m_path = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(m_path, ignored);
}

std::string fileText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void writeText(const std::string& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw Error(ErrorCode::Io, "cannot be written", path, "look at the folder's permissions and free space");
}

} // namespace simcore::native
