#include "simcore/numerics/npy.h"

#include "reports/core/error.h"

#include <charconv>
#include <cstring>
#include <ostream>

namespace simcore::numerics {

using reports::Error;
using reports::ErrorCode;

namespace {

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

[[noreturn]] void failNpy(ErrorCode code, const std::string& message) { throw Error(code, message); }

// The text after `'key':` in the header's dictionary.
std::string_view valueOf(std::string_view header, const char* key) {
  const std::string quoted = "'" + std::string(key) + "'";
  const std::size_t at = header.find(quoted);
  if (at == std::string_view::npos) failNpy(ErrorCode::Damaged, "the .npy header lacks " + quoted);
  const std::size_t colon = header.find_first_not_of(' ', at + quoted.size());
  if (colon == std::string_view::npos || header[colon] != ':') failNpy(ErrorCode::Damaged, "the .npy header is malformed");
  const std::size_t start = header.find_first_not_of(' ', colon + 1);
  if (start == std::string_view::npos) failNpy(ErrorCode::Damaged, "the .npy header is malformed");
  return header.substr(start);
}

ElementType numpyType(std::string_view value) {
  if (value.size() < 5 || (value[0] != '\'' && value[0] != '"'))
    failNpy(ErrorCode::Unsupported, "the .npy file has a structured type");
  const std::string_view code = value.substr(2, 2);
  if (value[1] == '>' && code[1] != '1') failNpy(ErrorCode::Unsupported, "the .npy file is big-endian");
  for (const NumpyType& entry : kNumpyTypes)
    if (code == entry.code && value[4] == value[0]) return entry.type;
  failNpy(ErrorCode::Unsupported, "the .npy file has elements of type " + std::string(value.substr(0, 8)));
}

Shape numpyShape(std::string_view value) {
  const std::size_t end = value.find(')');
  if (value.empty() || value[0] != '(' || end == std::string_view::npos)
    failNpy(ErrorCode::Damaged, "the .npy header has no shape");
  Shape shape;
  for (std::size_t at = 1; at < end;) {
    at = value.find_first_not_of(" ,", at);
    if (at >= end) break;
    std::int64_t dim = 0;
    const auto parsed = std::from_chars(value.data() + at, value.data() + end, dim);
    if (parsed.ec != std::errc() || dim < 0 || shape.size() == 32) failNpy(ErrorCode::Damaged, "the .npy header has a bad shape");
    shape.push_back(dim);
    at = std::size_t(parsed.ptr - value.data());
  }
  return shape;
}

} // namespace

HostTensor parseNpy(const std::string& bytes) {
  if (bytes.size() < 12 || std::memcmp(bytes.data(), kMagic, 6) != 0) failNpy(ErrorCode::Damaged, "this is not an .npy file");
  const auto byte = [&](std::size_t i) { return std::size_t(static_cast<unsigned char>(bytes[i])); };
  const bool isLong = byte(6) >= 2;
  const std::size_t start = isLong ? 12 : 10;
  const std::size_t length = byte(8) | byte(9) << 8 | (isLong ? byte(10) << 16 | byte(11) << 24 : 0);
  if (length > kLargestHeader)
    failNpy(ErrorCode::Damaged,
            "the .npy header has " + std::to_string(length) + " bytes; the limit is " + std::to_string(kLargestHeader));
  if (start + length > bytes.size()) failNpy(ErrorCode::Damaged, "the .npy header is cut short");
  const std::string_view header(bytes.data() + start, length);
  const ElementType type = numpyType(valueOf(header, "descr"));
  if (valueOf(header, "fortran_order").substr(0, 4) == "True")
    failNpy(ErrorCode::Unsupported, "the .npy file is in Fortran order");
  const Shape shape = numpyShape(valueOf(header, "shape"));
  const std::size_t needed = std::size_t(elementCount(shape)) * hostSize(type);
  if (bytes.size() - start - length != needed)
    failNpy(ErrorCode::Damaged, "an array of " + toString(shape) + " needs " + std::to_string(needed) + " bytes, the file has " +
                                    std::to_string(bytes.size() - start - length));
  HostTensor tensor = HostTensor::uninitialised(type, shape);
  if (needed) std::memcpy(tensor.mutableRaw().data(), bytes.data() + start + length, needed);
  if (type == ElementType::Bool)
    for (std::byte& value : tensor.mutableRaw()) value = std::byte(value != std::byte(0));
  return tensor;
}

void writeNpy(std::ostream& stream, const HostTensor& original) {
  const bool hasNoCode = original.type() == ElementType::BFloat16 || isFloat8(original.type()); // types without a code in NumPy
  const HostTensor tensor = hasNoCode ? original.cast(ElementType::Float) : original;
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
  stream << start << header;
  stream.write(reinterpret_cast<const char*>(tensor.raw().data()), std::streamsize(tensor.byteCount()));
}

} // namespace simcore::numerics
