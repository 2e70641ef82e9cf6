#include "simcore/onnx/tensor_files.h"

#include "reports/core/regular_file.h"
#include "reports/core/within.h"
#include "simcore/numerics/npy.h"
#include "simcore/onnx/tensor_proto.h"

#include <charconv>
#include <cstring>
#include <fstream>

namespace simcore::model {

std::uintmax_t requireReadable(const std::filesystem::path& file, std::uintmax_t limit) {
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  if (status.type() == std::filesystem::file_type::not_found) throw Error(ErrorCode::NotFound, "no such file", file.string());
  if (!std::filesystem::is_regular_file(status)) throw Error(ErrorCode::Io, "this is not a regular file", file.string());
  const std::uintmax_t size = std::filesystem::file_size(file, failure);
  if (failure) throw Error(ErrorCode::Io, failure.message(), file.string());
  if (size == 0) throw Error(ErrorCode::InvalidInput, "the file is empty", file.string());
  if (size > limit)
    throw Error(ErrorCode::InvalidInput, "the file has " + std::to_string(size) + " bytes; the limit is " + std::to_string(limit),
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

std::string called(const onnx::TensorProto& proto) {
  return proto.name().empty() ? std::string("a tensor") : "tensor '" + proto.name() + "'";
}

// The bytes as they are in memory; a Bool is normalised, because in C++ only the bytes 0 and 1 are valid bools.
HostTensor fromBytes(const onnx::TensorProto& proto, ElementType type, const Shape& shape, const void* bytes, std::size_t count) {
  const std::int64_t elements = numerics::elementCount(shape);
  if (count != std::size_t(elements) * numerics::hostSize(type))
    throw Error(ErrorCode::Damaged, called(proto) + " of " + numerics::toString(shape) + " " + numerics::elementTypeName(type) +
                                        " has " + std::to_string(count) + " bytes instead of " +
                                        std::to_string(std::size_t(elements) * numerics::hostSize(type)));
  HostTensor tensor = HostTensor::uninitialised(type, shape);
  std::byte* target = tensor.mutableRaw().data();
  if (type == ElementType::Bool)
    for (std::size_t i = 0; i < count; ++i) target[i] = std::byte(static_cast<const unsigned char*>(bytes)[i] != 0);
  else if (count)
    std::memcpy(target, bytes, count);
  return tensor;
}

// Makes a tensor of a typed repeated field, whose elements are at least as wide as the tensor's.
template<class T, class Field, class Convert>
HostTensor fromField(const onnx::TensorProto& proto, const Shape& shape, const Field& field, Convert convert) {
  if (field.size() != numerics::elementCount(shape))
    throw Error(ErrorCode::Damaged, called(proto) + " of " + numerics::toString(shape) + " has " + std::to_string(field.size()) +
                                        " values instead of " + std::to_string(numerics::elementCount(shape)));
  HostTensor tensor = HostTensor::uninitialised(numerics::ElementTypeOf<T>::kType, shape);
  T* target = tensor.mutableValues<T>().data();
  for (const auto value : field) *target++ = convert(value);
  return tensor;
}

bool hasFields(const onnx::TensorProto& proto) {
  return proto.float_data_size() + proto.double_data_size() + proto.int32_data_size() + proto.int64_data_size() +
             proto.uint64_data_size() + proto.string_data_size() >
         0;
}

HostTensor fromFields(const onnx::TensorProto& proto, ElementType type, const Shape& shape) {
  return numerics::visitAny(type, [&](auto zero) -> HostTensor {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, float>)
      return fromField<T>(proto, shape, proto.float_data(), [](float v) { return v; });
    else if constexpr (std::is_same_v<T, double>)
      return fromField<T>(proto, shape, proto.double_data(), [](double v) { return v; });
    else if constexpr (std::is_same_v<T, std::int64_t>)
      return fromField<T>(proto, shape, proto.int64_data(), [](std::int64_t v) { return v; });
    else if constexpr (std::is_same_v<T, std::uint64_t> || std::is_same_v<T, std::uint32_t>)
      return fromField<T>(proto, shape, proto.uint64_data(), [](std::uint64_t v) { return T(v); });
    else if constexpr (numerics::kStoresFloat<T>)
      return fromField<T>(proto, shape, proto.int32_data(), [](std::int32_t v) { return T::fromBits(decltype(T().bits())(v)); });
    else if constexpr (std::is_same_v<T, bool>)
      return fromField<T>(proto, shape, proto.int32_data(), [](std::int32_t v) { return v != 0; });
    else
      return fromField<T>(proto, shape, proto.int32_data(), [](std::int32_t v) { return T(v); });
  });
}

HostTensor fromExternal(const onnx::TensorProto& proto, ElementType type, const Shape& shape,
                        const std::filesystem::path& folder) {
  std::string location;
  std::int64_t offset = 0, length = -1;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() != "offset" && entry.key() != "length") continue;
    std::int64_t number = -1;
    const char* end = entry.value().data() + entry.value().size();
    const auto parsed = std::from_chars(entry.value().data(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end || number < 0)
      throw Error(ErrorCode::InvalidInput, called(proto) + " has external data with the " + entry.key() + " '" + entry.value() +
                                               "', which is not a whole number of at least 0");
    (entry.key() == "offset" ? offset : length) = number;
  }
  const std::int64_t needed = numerics::elementCount(shape) * std::int64_t(numerics::hostSize(type));
  if (length >= 0 && length != needed)
    throw Error(ErrorCode::InvalidInput, called(proto) + " of " + numerics::toString(shape) + " needs " + std::to_string(needed) +
                                             " bytes, its external data has " + std::to_string(length));
  const std::vector<std::byte> bytes = reports::readFileBelow(folder, location, offset, needed, "model");
  return fromBytes(proto, type, shape, bytes.data(), bytes.size());
}

} // namespace

HostTensor tensorOf(const onnx::TensorProto& proto, const std::filesystem::path& folder) {
  const std::optional<ElementType> type = elementTypeOfOnnx(proto.data_type());
  if (!type) {
    const std::string name = onnx::TensorProto::DataType_IsValid(proto.data_type())
                                 ? onnx::TensorProto::DataType_Name(onnx::TensorProto::DataType(proto.data_type()))
                                 : "number " + std::to_string(proto.data_type());
    throw Error(ErrorCode::Unsupported, called(proto) + " has elements of type " + name + ", which is not supported");
  }
  const Shape shape(proto.dims().begin(), proto.dims().end());
  numerics::elementCount(shape);
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) return fromExternal(proto, *type, shape, folder);
  if (proto.has_raw_data() && hasFields(proto))
    throw Error(ErrorCode::Damaged, called(proto) + " has its values twice: as raw_data and in a typed field");
  if (proto.has_raw_data()) return fromBytes(proto, *type, shape, proto.raw_data().data(), proto.raw_data().size());
  return fromFields(proto, *type, shape);
}

namespace {

constexpr std::uintmax_t kLargestTensorFile = std::uintmax_t(1) << 31;
HostTensor parseProto(const std::string& bytes) {
  onnx::TensorProto proto;
  if (!proto.ParseFromString(bytes)) throw Error(ErrorCode::Damaged, "this is not a whole ONNX tensor");
  if (proto.data_location() == onnx::TensorProto::EXTERNAL)
    throw Error(ErrorCode::Unsupported, "a tensor file must hold its data itself");
  return tensorOf(proto, {});
}

} // namespace

HostTensor readTensorFile(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  if (extension != ".pb" && extension != ".npy")
    throw Error(ErrorCode::InvalidInput, "tensors are read from .pb and .npy files", file.string());
  const std::string bytes = readFileBytes(file, kLargestTensorFile);
  return reports::within(file.string(), [&] { return extension == ".npy" ? numerics::parseNpy(bytes) : parseProto(bytes); });
}

HostTensor readTensorFile(const std::filesystem::path& file, ElementType declared) {
  HostTensor tensor = readTensorFile(file);
  const bool isCode = (declared == ElementType::BFloat16 && tensor.type() == ElementType::UInt16) ||
                      (numerics::isFloat8(declared) && tensor.type() == ElementType::UInt8);
  if (!isCode) return tensor;
  HostTensor result = HostTensor::uninitialised(declared, tensor.shape());
  if (tensor.byteCount()) std::memcpy(result.mutableRaw().data(), tensor.raw().data(), tensor.byteCount());
  return result;
}

void writeNpy(const std::filesystem::path& file, const HostTensor& tensor) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  numerics::writeNpy(stream, tensor);
  stream.close();
  if (!stream) throw Error(ErrorCode::Io, "the file cannot be written", file.string());
}

} // namespace simcore::model
