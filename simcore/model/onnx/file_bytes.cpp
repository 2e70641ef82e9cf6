#include "simcore/model/onnx/file_bytes.h"

#include "reports/core/error.h"

#include <fstream>

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

} // namespace simcore::model
