#include "simcore/native/unit.h"

#include "reports/core/error.h"
#include "reports/core/user_places.h"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace simcore::native {

namespace fs = std::filesystem;
using reports::Error;
using reports::ErrorCode;

namespace {

constexpr int64_t kMostBytes = 1 << 30;
constexpr const char* kWhat = "compiled codelets"; // contents of the cache, for messages

// Opens a regular file of this user without following a link; -1 if it is anything else.
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

CodeCache::CodeCache(fs::path folder) : m_folder(folder.empty() ? reports::cacheFolder("codelets", kWhat) : std::move(folder)) {
  reports::requirePrivateFolder(m_folder, kWhat);
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
