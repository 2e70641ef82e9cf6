#include "simcore/model/onnx/tensor_files.h"

#include "reports/core/within.h"
#include "simcore/model/onnx/tensor_proto.h"

#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace simcore::model {

using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;
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

namespace {

constexpr std::uintmax_t kLargestTensorFile = std::uintmax_t(1) << 31;
constexpr std::size_t kLargestHeader = 1 << 16;
constexpr char kMagic[] = "\x93NUMPY";

struct NumpyType {
  const char* code;
  ElementType type;
};
constexpr NumpyType kNumpyTypes[] = {{"f4", ElementType::Float},  {"f2", ElementType::Half},   {"f8", ElementType::Double},
                                     {"i1", ElementType::Int8},   {"i2", ElementType::Int16},  {"i4", ElementType::Int32},
                                     {"i8", ElementType::Int64},  {"u1", ElementType::UInt8},  {"u2", ElementType::UInt16},
                                     {"u4", ElementType::UInt32}, {"u8", ElementType::UInt64}, {"b1", ElementType::Bool}};

[[noreturn]] void fail(ErrorCode code, const std::string& message) { throw Error(code, message); }

// The text after `'key':` in the header's dictionary.
std::string_view valueOf(std::string_view header, const char* key) {
  const std::string quoted = "'" + std::string(key) + "'";
  const std::size_t at = header.find(quoted);
  if (at == std::string_view::npos) fail(ErrorCode::Damaged, "the .npy header lacks " + quoted);
  const std::size_t colon = header.find_first_not_of(' ', at + quoted.size());
  if (colon == std::string_view::npos || header[colon] != ':') fail(ErrorCode::Damaged, "the .npy header is malformed");
  const std::size_t start = header.find_first_not_of(' ', colon + 1);
  if (start == std::string_view::npos) fail(ErrorCode::Damaged, "the .npy header is malformed");
  return header.substr(start);
}

ElementType numpyType(std::string_view value) {
  if (value.size() < 5 || (value[0] != '\'' && value[0] != '"'))
    fail(ErrorCode::Unsupported, "the .npy file has a structured type");
  const std::string_view code = value.substr(2, 2);
  if (value[1] == '>' && code[1] != '1') fail(ErrorCode::Unsupported, "the .npy file is big-endian");
  for (const NumpyType& entry : kNumpyTypes)
    if (code == entry.code && value[4] == value[0]) return entry.type;
  fail(ErrorCode::Unsupported, "the .npy file has elements of type " + std::string(value.substr(0, 8)));
}

Shape numpyShape(std::string_view value) {
  const std::size_t end = value.find(')');
  if (value.empty() || value[0] != '(' || end == std::string_view::npos) fail(ErrorCode::Damaged, "the .npy header has no shape");
  Shape shape;
  for (std::size_t at = 1; at < end;) {
    at = value.find_first_not_of(" ,", at);
    if (at >= end) break;
    std::int64_t dim = 0;
    const auto parsed = std::from_chars(value.data() + at, value.data() + end, dim);
    if (parsed.ec != std::errc() || dim < 0 || shape.size() == 32) fail(ErrorCode::Damaged, "the .npy header has a bad shape");
    shape.push_back(dim);
    at = std::size_t(parsed.ptr - value.data());
  }
  return shape;
}

HostTensor parseNpy(const std::string& bytes) {
  if (bytes.size() < 12 || std::memcmp(bytes.data(), kMagic, 6) != 0) fail(ErrorCode::Damaged, "this is not an .npy file");
  const auto byte = [&](std::size_t i) { return std::size_t(static_cast<unsigned char>(bytes[i])); };
  const bool isLong = byte(6) >= 2;
  const std::size_t start = isLong ? 12 : 10;
  const std::size_t length = byte(8) | byte(9) << 8 | (isLong ? byte(10) << 16 | byte(11) << 24 : 0);
  if (length > kLargestHeader || start + length > bytes.size()) fail(ErrorCode::Damaged, "the .npy header is cut short");
  const std::string_view header(bytes.data() + start, length);
  const ElementType type = numpyType(valueOf(header, "descr"));
  if (valueOf(header, "fortran_order").substr(0, 4) == "True") fail(ErrorCode::Unsupported, "the .npy file is in Fortran order");
  const Shape shape = numpyShape(valueOf(header, "shape"));
  const std::size_t needed = std::size_t(numerics::elementCount(shape)) * numerics::hostSize(type);
  if (bytes.size() - start - length != needed)
    fail(ErrorCode::Damaged, "an array of " + numerics::toString(shape) + " needs " + std::to_string(needed) +
                                 " bytes, the file has " + std::to_string(bytes.size() - start - length));
  HostTensor tensor = HostTensor::uninitialised(type, shape);
  if (needed) std::memcpy(tensor.mutableRaw().data(), bytes.data() + start + length, needed);
  if (type == ElementType::Bool)
    for (std::byte& value : tensor.mutableRaw()) value = std::byte(value != std::byte(0));
  return tensor;
}

HostTensor parseProto(const std::string& bytes) {
  onnx::TensorProto proto;
  if (!proto.ParseFromString(bytes)) fail(ErrorCode::Damaged, "this is not a whole ONNX tensor");
  if (proto.data_location() == onnx::TensorProto::EXTERNAL)
    fail(ErrorCode::Unsupported, "a tensor file must hold its data itself");
  return tensorOf(proto, {});
}

} // namespace

HostTensor readTensorFile(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  if (extension != ".pb" && extension != ".npy")
    throw Error(ErrorCode::InvalidInput, "tensors are read from .pb and .npy files", file.string());
  const std::string bytes = readFileBytes(file, kLargestTensorFile);
  return reports::within(file.string(), [&] { return extension == ".npy" ? parseNpy(bytes) : parseProto(bytes); });
}

HostTensor readTensorFile(const std::filesystem::path& file, ElementType declared) {
  HostTensor tensor = readTensorFile(file);
  if (declared != ElementType::BFloat16 || tensor.type() != ElementType::UInt16) return tensor;
  HostTensor result = HostTensor::uninitialised(declared, tensor.shape());
  if (tensor.byteCount()) std::memcpy(result.mutableRaw().data(), tensor.raw().data(), tensor.byteCount());
  return result;
}

void writeNpy(const std::filesystem::path& file, const HostTensor& original) {
  const HostTensor tensor = original.type() == ElementType::BFloat16 ? original.cast(ElementType::Float) : original;
  std::string code;
  for (const NumpyType& entry : kNumpyTypes)
    if (entry.type == tensor.type()) code = entry.code;
  std::string shape;
  for (const std::int64_t dim : tensor.shape()) shape += std::to_string(dim) + ", ";
  std::string header =
      std::string("{'descr': '") + (code[1] == '1' ? "|" : "<") + code + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize((header.size() + 11 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  std::string start(kMagic, 6);
  start += {'\x01', '\x00', char(header.size() & 0xff), char(header.size() >> 8)};
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << start << header;
  stream.write(reinterpret_cast<const char*>(tensor.raw().data()), std::streamsize(tensor.byteCount()));
  stream.close();
  if (!stream) throw Error(ErrorCode::Io, "the file cannot be written", file.string());
}

} // namespace simcore::model
