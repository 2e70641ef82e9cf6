#include "simcore/model/onnx/file_bytes.h"

#include "reports/core/error.h"

#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace simcore::model {

using reports::Error;
using reports::ErrorCode;

std::uintmax_t requireReadable(const std::filesystem::path& file, std::uintmax_t limit) {
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  if (status.type() == std::filesystem::file_type::not_found)
    throw Error(ErrorCode::NotFound, "there is no such file", file.string());
  if (!std::filesystem::is_regular_file(status)) throw Error(ErrorCode::Io, "this is not a regular file", file.string());
  const std::uintmax_t size = std::filesystem::file_size(file, failure);
  if (failure) throw Error(ErrorCode::Io, failure.message(), file.string());
  if (size == 0) throw Error(ErrorCode::InvalidInput, "the file is empty", file.string());
  if (size > limit)
    throw Error(ErrorCode::InvalidInput,
                "the file has " + std::to_string(size) + " bytes, more than the " + std::to_string(limit) + " that are read",
                file.string());
  return size;
}

std::string readFileBytes(const std::filesystem::path& file, std::uintmax_t limit) {
  const std::uintmax_t size = requireReadable(file, limit);
  std::string bytes(std::size_t(size), '\0');
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(bytes.data(), std::streamsize(size))) throw Error(ErrorCode::Io, "the file cannot be read", file.string());
  return bytes;
}

namespace {

class Descriptor {
public:
  explicit Descriptor(int fd) : m_fd(fd) {}
  ~Descriptor() {
    if (m_fd >= 0) ::close(m_fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(m_fd, other.m_fd);
    return *this;
  }
  int get() const { return m_fd; }

private:
  int m_fd;
};

[[noreturn]] void refuse(const std::string& location, const std::string& why) {
  throw Error(ErrorCode::InvalidInput, "external data '" + location + "' " + why, {},
              "it must be a plain file beside or below the model");
}

std::vector<std::string> partsOf(const std::string& location) {
  if (location.empty()) refuse(location, "has no file name");
  if (location.find('\0') != std::string::npos) refuse(location.substr(0, location.find('\0')), "has a NUL in its name");
  if (location.front() == '/' || location.find('\\') != std::string::npos || location.find(':') != std::string::npos)
    refuse(location, "is not a relative path");
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= location.size();) {
    const std::size_t end = std::min(location.find('/', at), location.size());
    std::string part = location.substr(at, end - at);
    if (part == "..") refuse(location, "leaves the model's folder");
    if (!part.empty() && part != ".") parts.push_back(std::move(part));
    at = end + 1;
  }
  if (parts.empty()) refuse(location, "has no file name");
  return parts;
}

} // namespace

std::vector<std::byte> readExternalData(const std::filesystem::path& folder, const std::string& location, std::int64_t offset,
                                        std::int64_t count) {
  const std::vector<std::string> parts = partsOf(location);
  // Every component is opened relative to the one before without following links, so nothing can be swapped in between.
  Descriptor at(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (std::size_t i = 0; i < parts.size() && at.get() >= 0; ++i) {
    const int kind = i + 1 < parts.size() ? O_DIRECTORY : O_NONBLOCK;
    at = Descriptor(::openat(at.get(), parts[i].c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | kind));
  }
  if (at.get() < 0) refuse(location, errno == ELOOP || errno == ENOTDIR ? "goes through a symbolic link" : "cannot be opened");
  struct stat status {};
  if (::fstat(at.get(), &status) != 0 || !S_ISREG(status.st_mode)) refuse(location, "is not a regular file");
  if (status.st_nlink != 1) refuse(location, "is a hard link to another file");
  if (offset < 0 || count < 0 || offset > status.st_size || count > status.st_size - offset)
    refuse(location, "is too short for the range the model asks for");
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t got = ::pread(at.get(), bytes.data() + done, bytes.size() - done, off_t(offset) + off_t(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Error(ErrorCode::Io, "external data '" + location + "' cannot be read");
    done += std::size_t(got);
  }
  return bytes;
}

} // namespace simcore::model
