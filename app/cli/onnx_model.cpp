#include "app/cli/onnx_model.h"

#include "reports/core/error.h"

#include <charconv>

namespace app::cli {

namespace fs = std::filesystem;
using reports::Error;
using reports::ErrorCode;
using simcore::numerics::Shape;

std::optional<fs::path> findOnnxFile(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return path;
  if (fs::is_regular_file(path / "model.onnx", ignored)) return (path / "model.onnx").lexically_normal();
  return std::nullopt;
}

std::map<std::string, Shape> shapesFrom(const std::vector<std::string>& words) {
  std::map<std::string, Shape> shapes;
  for (const std::string& word : words) {
    const auto refuse = [&](const std::string& why) {
      throw Error(ErrorCode::InvalidInput, why, "--shape " + word, "write it as NAME=1x3x224x224, or NAME=scalar");
    };
    const std::size_t equals = word.rfind('=');
    if (equals == std::string::npos || equals == 0) refuse("NAME= is missing");
    const std::string name = word.substr(0, equals), text = word.substr(equals + 1);
    Shape shape;
    const char *at = text.data(), *end = at + text.size();
    while (text != "scalar") {
      std::int64_t size = 0;
      const auto parsed = std::from_chars(at, end, size);
      if (parsed.ec != std::errc() || size < 0) refuse("'" + text + "' is not a shape");
      shape.push_back(size);
      at = parsed.ptr;
      if (at == end) break;
      if (*at++ != 'x') refuse("'" + text + "' is not a shape");
    }
    try {
      simcore::numerics::elementCount(shape);
    } catch (const Error& overflow) {
      refuse(overflow.message());
    }
    if (!shapes.emplace(name, shape).second) refuse("'" + name + "' is given twice");
  }
  return shapes;
}

} // namespace app::cli
