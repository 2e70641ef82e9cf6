#include "reports/core/regular_file.h"

#include "reports/core/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

namespace reports {

namespace {

struct ReadDescriptor {
  explicit ReadDescriptor(int opened) : fd(opened) {}
  explicit ReadDescriptor(const std::filesystem::path& file)
      : fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~ReadDescriptor() {
    if (fd >= 0) ::close(fd);
  }
  ReadDescriptor(const ReadDescriptor&) = delete;
  ReadDescriptor& operator=(const ReadDescriptor&) = delete;
  ReadDescriptor& operator=(ReadDescriptor&& other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
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
    if (bytes > mostBytes) refuse(ErrorCode::InvalidInput, "is too long: the limit is " + std::to_string(mostBytes) + " bytes");
  };
  requireShort(facts.st_size);
  std::string bytes;
  bytes.resize(std::size_t(facts.st_size) + 1); // one more, to detect that it grew
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

namespace {

class FileBelow {
public:
  FileBelow(const std::string& location, const std::string& owner) : m_location(location), m_owner(owner) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorCode::InvalidInput, "external data '" + m_location.substr(0, m_location.find('\0')) + "' " + why, {},
                "it must be a plain file beside or below the " + m_owner);
  }

  std::vector<std::string> parts() const {
    if (m_location.empty()) refuse("has no file name");
    if (m_location.find('\0') != std::string::npos) refuse("has a NUL in its name");
    if (m_location.front() == '/' || m_location.find_first_of("\\:") != std::string::npos) refuse("is not a relative path");
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= m_location.size();) {
      const std::size_t end = std::min(m_location.find('/', at), m_location.size());
      std::string part = m_location.substr(at, end - at);
      if (part == "..") refuse("leaves the " + m_owner + "'s folder");
      if (!part.empty() && part != ".") parts.push_back(std::move(part));
      at = end + 1;
    }
    if (parts.empty()) refuse("has no file name");
    return parts;
  }

private:
  const std::string& m_location;
  const std::string& m_owner;
};

} // namespace

std::vector<std::byte> readFileBelow(const std::filesystem::path& folder, const std::string& location, std::int64_t offset,
                                     std::int64_t count, const std::string& owner) {
  const FileBelow file(location, owner);
  const std::vector<std::string> parts = file.parts();
  // Every component is opened relative to the previous one without following links, so nothing can be swapped in between.
  ReadDescriptor at(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (std::size_t i = 0; i < parts.size() && at.fd >= 0; ++i) {
    const int kind = i + 1 < parts.size() ? O_DIRECTORY : O_NONBLOCK;
    at = ReadDescriptor(::openat(at.fd, parts[i].c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | kind));
  }
  if (at.fd < 0)
    file.refuse(errno == ELOOP || errno == ENOTDIR ? "goes through a symbolic link"
                                                   : std::string("cannot be opened: ") + std::strerror(errno));
  struct stat facts {};
  if (::fstat(at.fd, &facts) != 0 || !S_ISREG(facts.st_mode)) file.refuse("is not a regular file");
  if (facts.st_nlink != 1) file.refuse("is a hard link to another file");
  if (offset < 0 || count < 0 || offset > facts.st_size || count > facts.st_size - offset)
    file.refuse("has " + std::to_string(facts.st_size) + " bytes, but the " + owner + " asks for " + std::to_string(count) +
                " from byte " + std::to_string(offset) + " on");
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t got = ::pread(at.fd, bytes.data() + done, bytes.size() - done, off_t(offset) + off_t(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Error(ErrorCode::Io, "external data '" + location + "' cannot be read");
    done += std::size_t(got);
  }
  return bytes;
}

std::string checksumOfFile(const std::filesystem::path& file) {
  std::error_code isNone;
  if (!std::filesystem::is_regular_file(file, isNone)) return {};
  std::ifstream in(file, std::ios::binary);
  std::array<char, 1 << 16> part;
  uLong sum = crc32_z(0, nullptr, 0);
  while (in.read(part.data(), part.size()), in.gcount() > 0)
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(part.data()), std::size_t(in.gcount()));
  return in.eof() ? fmt::format("{:08x}", sum) : std::string();
}

} // namespace reports
