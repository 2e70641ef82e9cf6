#include "app/cli/lease.h"

#include "reports/core/error.h"
#include "reports/core/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <random>
#include <sstream>

namespace app::cli {

namespace fs = std::filesystem;

namespace {

std::string hostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

// The start time of a process, which distinguishes it from a later one with the same PID. Empty without a process, or for a
// zombie.
std::string startOf(long pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string word;
  for (int i = 0; i < 20 && fields >> word; ++i)
    if (i == 0 && (word == "Z" || word == "X")) return {}; // the state is the first field
  return text.empty() ? std::string() : word;
}

std::string contentOfThisProcess() {
  std::random_device random;
  return hostName() + " " + std::to_string(getpid()) + " " + startOf(getpid()) + " " + std::to_string(random()) + "\n";
}

// Empty if the file is gone: it may be released at any time.
std::string readWhole(const fs::path& file) {
  constexpr std::int64_t kMostBytes = 4096;
  try {
    return reports::readRegularFile(file, kMostBytes, "it is not a lease of a sweep: move it away");
  } catch (const reports::Error& error) {
    if (error.code() != reports::ErrorCode::NotFound) throw;
    return {};
  }
}

bool isStale(const fs::path& file, const std::string& content, std::chrono::seconds lifetime) {
  struct stat facts {};
  if (stat(file.c_str(), &facts) != 0) return true; // released meanwhile
  std::istringstream words(content);
  std::string host, start;
  long pid = 0;
  if (words >> host >> pid >> start; host == hostName() && pid > 0) return startOf(pid) != start;
  return std::time(nullptr) - facts.st_mtime > lifetime.count();
}

// True if this call made the file.
bool make(const fs::path& file, const std::string& content) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0 && errno == EEXIST) return false;
  const auto refuse = [&] {
    throw reports::Error(reports::ErrorCode::Io, std::string("cannot be written: ") + std::strerror(errno), file.string(),
                         "free some space, then run the same command again: finished runs are kept");
  };
  if (fd < 0) refuse();
  const bool isWritten = write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size());
  close(fd);
  if (!isWritten) {
    unlink(file.c_str());
    refuse();
  }
  return true;
}

} // namespace

std::optional<Lease> Lease::take(const fs::path& file, std::chrono::seconds lifetime) {
  const std::string content = contentOfThisProcess();
  if (make(file, content)) return Lease(file, content);
  const std::string other = readWhole(file);
  if (!isStale(file, other, lifetime)) return std::nullopt;
  // If several processes find the lease void, only one of them succeeds in renaming it. If a fresh lease was made in between, it
  // is put back.
  const fs::path aside = file.string() + ".stale." + std::to_string(getpid()) + "." + std::to_string(std::random_device()());
  if (std::rename(file.c_str(), aside.c_str()) == 0) {
    if (readWhole(aside) != other) (void)link(aside.c_str(), file.c_str());
    unlink(aside.c_str());
  }
  if (make(file, content)) return Lease(file, content);
  return std::nullopt;
}

void Lease::removeStale(const fs::path& file, std::chrono::seconds lifetime) {
  std::error_code ignored;
  if (fs::exists(file, ignored) && isStale(file, readWhole(file), lifetime)) unlink(file.c_str());
}

Lease::Lease(Lease&& other) noexcept : m_file(std::move(other.m_file)), m_content(std::move(other.m_content)) {
  other.m_file.clear();
}

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this == &other) return *this;
  release();
  m_file = std::move(other.m_file), m_content = std::move(other.m_content);
  other.m_file.clear();
  return *this;
}

Lease::~Lease() { release(); }

void Lease::refresh() const { utimensat(AT_FDCWD, m_file.c_str(), nullptr, 0); }

void Lease::release() noexcept {
  if (m_file.empty()) return;
  try {
    if (readWhole(m_file) == m_content) unlink(m_file.c_str()); // unless another process took the task over
  } catch (...) {
  }
  m_file.clear();
}

} // namespace app::cli
