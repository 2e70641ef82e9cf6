#include "app/cli/onnx_model.h"

#include "reports/core/error.h"
#include "simcore/model/onnx_reader.h"
#include "simcore/model/resolve_types.h"

#include <random>

namespace app::cli {

namespace {

namespace fs = std::filesystem;
using reports::Error;
using reports::ErrorCode;
using simcore::model::Model;
using simcore::numerics::ElementType;
using simcore::numerics::HostTensor;
using simcore::numerics::Shape;

std::string shapeText(const Shape& shape) {
  std::string text;
  for (const auto size : shape) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text.empty() ? "scalar" : text;
}

// Shapes for bindShapes(): those of given values; 1 for what is still open.
std::unordered_map<std::string, Shape> shapesOf(const Model& model, const NamedTensors& given) {
  std::unordered_map<std::string, Shape> shapes;
  for (const auto& input : model.graph.inputs) {
    if (const auto it = given.find(input.name); it != given.end()) {
      shapes[input.name] = it->second.shape();
    } else if (input.dims) {
      Shape shape;
      for (const auto& dim : *input.dims) shape.push_back(dim.size.value_or(1));
      shapes[input.name] = shape;
    }
  }
  return shapes;
}

void checkNames(const Model& model, const NamedTensors& given) {
  std::string known;
  for (const auto& input : model.graph.inputs) known += (known.empty() ? "" : ", ") + input.name;
  for (const auto& [name, value] : given) {
    const bool isInput =
        std::any_of(model.graph.inputs.begin(), model.graph.inputs.end(), [&](const auto& input) { return input.name == name; });
    if (!isInput)
      throw Error(ErrorCode::NotFound, "the model has no input '" + name + "'", model.file,
                  known.empty() ? "it has none" : "it has " + known);
  }
}

// Uniform in [-1, 1) for floating types; zero for the others, which are mostly indices and masks.
HostTensor madeUp(ElementType type, const Shape& shape, uint64_t seed) {
  if (!simcore::numerics::isFloating(type)) return HostTensor(type, shape);
  HostTensor value(ElementType::Float, shape);
  std::mt19937_64 random(seed);
  for (float& v : value.mutableValues<float>()) v = static_cast<float>(double(random() >> 11) * 0x1p-52 - 1.0);
  return value.cast(type);
}

} // namespace

std::optional<fs::path> findOnnxFile(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return path;
  if (fs::is_regular_file(path / "model.onnx", ignored)) return (path / "model.onnx").lexically_normal();
  return std::nullopt;
}

Model resolveModel(const fs::path& file, const NamedTensors& given, const std::stop_token& stop, reports::Progress& progress) {
  progress.phase("reading");
  Model model = simcore::model::readOnnx(file);
  checkNames(model, given);
  simcore::model::bindShapes(model, shapesOf(model, given));
  progress.phase("folding constants");
  simcore::model::resolveTypes(model, stop);
  return model;
}

std::map<std::string, std::vector<HostTensor>> inputValues(const Model& model, const NamedTensors& given, int64_t seed) {
  std::map<std::string, std::vector<HostTensor>> values;
  uint64_t number = 0;
  for (const auto& input : model.graph.inputs) {
    ++number;
    const auto type = model.inputTypes.find(input.name);
    if (type == model.inputTypes.end()) continue; // bindShapes() gave every input one
    const auto it = given.find(input.name);
    if (it == given.end()) {
      values[input.name] = {madeUp(type->second.type, type->second.shape, static_cast<uint64_t>(seed) * 1'000'003 + number)};
      continue;
    }
    if (it->second.type() != type->second.type || it->second.shape() != type->second.shape)
      throw Error(ErrorCode::InvalidInput,
                  "the value is " + std::string(simcore::numerics::elementTypeName(it->second.type())) + " " +
                      shapeText(it->second.shape()) + ", the input is " +
                      std::string(simcore::numerics::elementTypeName(type->second.type)) + " " + shapeText(type->second.shape),
                  model.file + ": input '" + input.name + "'");
    values[input.name] = {it->second};
  }
  return values;
}

} // namespace app::cli
