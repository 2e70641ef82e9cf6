#include "reports/core/regular_file.h"

#include "reports/core/error.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace reports {

namespace {

struct ReadDescriptor {
  explicit ReadDescriptor(const std::filesystem::path& file)
      : fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~ReadDescriptor() {
    if (fd >= 0) ::close(fd);
  }
  ReadDescriptor(const ReadDescriptor&) = delete;
  ReadDescriptor& operator=(const ReadDescriptor&) = delete;
  int fd;
};

} // namespace

std::string readRegularFile(const std::filesystem::path& file, std::int64_t mostBytes, std::string_view advice) {
  const auto refuse = [&](ErrorCode code, const std::string& why) { throw Error(code, why, file.string(), std::string(advice)); };
  const ReadDescriptor open(file);
  struct stat facts {};
  if (open.fd < 0 || ::fstat(open.fd, &facts) != 0)
    refuse(errno == ENOENT || errno == ENOTDIR ? ErrorCode::NotFound : ErrorCode::Io,
           std::string("cannot be read: ") + std::strerror(errno));
  if (!S_ISREG(facts.st_mode)) refuse(ErrorCode::InvalidInput, S_ISDIR(facts.st_mode) ? "is a folder" : "is not a regular file");
  const auto requireShort = [&](std::int64_t bytes) {
    if (bytes > mostBytes)
      refuse(ErrorCode::InvalidInput, "is too long: more than the " + std::to_string(mostBytes) + " bytes that are read");
  };
  requireShort(facts.st_size);
  std::string bytes;
  bytes.resize(std::size_t(facts.st_size) + 1); // one more, to see whether it grew
  std::size_t at = 0;
  for (;;) {
    const ssize_t n = ::read(open.fd, bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(ErrorCode::Io, std::string("cannot be read: ") + std::strerror(errno));
    if (n == 0) break;
    at += std::size_t(n);
    requireShort(std::int64_t(at));
    if (at == bytes.size()) bytes.resize(2 * at);
  }
  bytes.resize(at);
  return bytes;
}

} // namespace reports
