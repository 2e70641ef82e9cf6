#include "app/cli/onnx_model.h"

#include "reports/core/error.h"
#include "simcore/model/graph/resolve_types.h"
#include "simcore/model/onnx/tensor_files.h"

#include <algorithm>
#include <charconv>
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

// Shapes for bindShapes(): those of given values, then those asked for; an open batch is 1.
std::unordered_map<std::string, Shape> shapesOf(const Model& model, const ModelRequest& request) {
  std::unordered_map<std::string, Shape> shapes;
  for (const auto& input : model.graph.inputs) {
    const auto given = request.given.find(input.name);
    const auto asked = request.shapes.find(input.name);
    if (given != request.given.end()) {
      shapes[input.name] = given->second.shape();
      if (asked != request.shapes.end() && asked->second != given->second.shape())
        throw Error(ErrorCode::InvalidInput, "the given value has the shape " + shapeText(given->second.shape()),
                    "--shape " + input.name + "=" + shapeText(asked->second));
    } else if (asked != request.shapes.end()) {
      shapes[input.name] = asked->second;
    } else if (input.dims && !input.dims->empty() && !(*input.dims)[0].size &&
               std::all_of(input.dims->begin() + 1, input.dims->end(), [](const auto& dim) { return dim.size.has_value(); })) {
      Shape shape{1};
      for (std::size_t i = 1; i < input.dims->size(); ++i) shape.push_back(*(*input.dims)[i].size);
      shapes[input.name] = shape;
    }
  }
  return shapes;
}

template<class T> void checkNames(const Model& model, const T& given) {
  std::string known;
  for (const auto& input : model.graph.inputs) known += (known.empty() ? "" : ", ") + input.name;
  for (const auto& [name, value] : given) {
    const bool isInput = std::any_of(model.graph.inputs.begin(), model.graph.inputs.end(),
                                     [&name = name](const auto& input) { return input.name == name; });
    if (!isInput)
      throw Error(ErrorCode::NotFound, "the model has no input '" + name + "'", model.file,
                  known.empty() ? "it has none" : "it has " + known);
  }
}

// Uniform in [-1, 1) for floating types; of others masks are one, so that something is looked at, and the rest, mostly indices, is
// zero. Made when they are read: a run without numbers has none.
HostTensor madeUp(const std::string& name, ElementType type, const Shape& shape, uint64_t seed) {
  if (!simcore::numerics::isFloating(type))
    return HostTensor::deferred(type, shape, [type, shape, isMask = name.find("mask") != std::string::npos] {
      return HostTensor::full(type, shape, isMask ? 1 : 0);
    });
  return HostTensor::deferred(type, shape, [type, shape, seed] {
    HostTensor value(ElementType::Float, shape);
    std::mt19937_64 random(seed);
    for (float& v : value.mutableValues<float>()) v = static_cast<float>(double(random() >> 11) * 0x1p-52 - 1.0);
    return value.cast(type);
  });
}

} // namespace

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
    if (equals == std::string::npos || equals == 0) refuse("there is no NAME=");
    const std::string name = word.substr(0, equals), text = word.substr(equals + 1);
    Shape shape;
    const char *at = text.data(), *end = at + text.size();
    while (text != "scalar") {
      std::int64_t size = 0;
      const auto parsed = std::from_chars(at, end, size);
      if (parsed.ec != std::errc() || size < 0) refuse("'" + text + "' is no shape");
      shape.push_back(size);
      at = parsed.ptr;
      if (at == end) break;
      if (*at++ != 'x') refuse("'" + text + "' is no shape");
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

std::vector<HostTensor> numberedTensors(const fs::path& folder, const std::string& prefix,
                                        const std::vector<simcore::model::ValueDeclaration>& declared) {
  for (const auto& value : declared)
    if (!value.type) throw Error(ErrorCode::Unsupported, "'" + value.name + "' is not a tensor of numbers");
  std::vector<HostTensor> tensors;
  for (;;) {
    const std::string stem = prefix + std::to_string(tensors.size());
    fs::path file = folder / (stem + ".pb");
    if (!fs::exists(file)) file = folder / (stem + ".npy");
    if (!fs::exists(file)) return tensors;
    const bool isDeclared = tensors.size() < declared.size();
    tensors.push_back(isDeclared ? simcore::model::readTensorFile(file, *declared[tensors.size()].type)
                                 : simcore::model::readTensorFile(file));
  }
}

HostTensor givenValue(const Model& model, const std::string& name, const std::string& word) {
  std::vector<double> numbers;
  const char *at = word.data(), *end = at + word.size();
  while (at < end) {
    double number = 0;
    const auto parsed = std::from_chars(at, end, number);
    if (parsed.ec != std::errc() || (parsed.ptr != end && (*parsed.ptr != ',' || parsed.ptr + 1 == end))) break;
    numbers.push_back(number);
    at = parsed.ptr == end ? end : parsed.ptr + 1;
  }
  const auto input = std::find_if(model.graph.inputs.begin(), model.graph.inputs.end(),
                                  [&](const auto& declared) { return declared.name == name; });
  std::error_code ignored;
  if (at != end || numbers.empty() || fs::exists(word, ignored) || input == model.graph.inputs.end() || !input->type)
    return simcore::model::readTensorFile(word);
  const auto count = std::int64_t(numbers.size());
  Shape shape = count == 1 ? Shape{} : Shape{count};
  if (input->dims) {
    Shape declared;
    for (const auto& dim : *input->dims) declared.push_back(dim.size.value_or(input->dims->size() == 1 ? count : 1));
    if (simcore::numerics::elementCount(declared) == count) shape = declared;
  }
  return HostTensor::of(shape, numbers).cast(*input->type);
}

NamedTensors inputsInOrder(const Model& model, std::vector<HostTensor> values) {
  NamedTensors named;
  if (values.size() > model.graph.inputs.size())
    throw Error(ErrorCode::InvalidInput,
                std::to_string(values.size()) + " inputs are given, the model has " + std::to_string(model.graph.inputs.size()));
  for (std::size_t i = 0; i < values.size(); ++i) named.emplace(model.graph.inputs[i].name, std::move(values[i]));
  return named;
}

NamedTensors storedInputs(const Model& model, const fs::path& file) {
  const fs::path set = file.parent_path() / "test_data_set_0";
  std::error_code ignored;
  if (!fs::is_directory(set, ignored)) return {};
  return inputsInOrder(model, numberedTensors(set, "input_", model.graph.inputs));
}

std::map<std::string, std::string> ResolvedModel::facts() const {
  std::map<std::string, std::string> facts;
  for (const auto& count : fusions) facts["pass." + count.pass] = std::to_string(count.fired);
  return facts;
}

namespace {
// Given inputs that are taken as constants: shapes and axes are integers, conditions and sizes single values.
NamedTensors likelyParameters(const NamedTensors& given) {
  NamedTensors constants;
  for (const auto& [name, value] : given)
    if (!simcore::numerics::isFloating(value.type()) || value.count() <= 1) constants.insert({name, value});
  return constants;
}

Model typedModel(const Model& read, const ModelRequest& request, const NamedTensors& constants, bool observes,
                 const std::stop_token& stop) {
  Model model = read;
  simcore::model::bindConstants(model, constants);
  simcore::model::bindShapes(model, shapesOf(model, request));
  if (!observes) {
    simcore::model::resolveTypes(model, stop);
    return model;
  }
  NamedTensors values;
  for (const auto& [name, list] : inputValues(model, request.given, request.seed)) values.emplace(name, list.at(0));
  const auto types = simcore::model::observeTypes(model, values, stop);
  simcore::model::resolveTypes(model, stop, &types);
  return model;
}
} // namespace

ResolvedModel resolveModel(Model read, const ModelRequest& request, const std::stop_token& stop, reports::Progress& progress) {
  checkNames(read, request.given);
  checkNames(read, request.shapes);
  if (request.ignoresDeclaredShapes)
    for (auto& input : read.graph.inputs)
      if (request.given.count(input.name)) input.dims.reset();
  progress.phase("folding constants");
  ResolvedModel resolved;
  const NamedTensors parameters = likelyParameters(request.given);
  std::optional<Error> first; // what is wrong with the model as it is read says most
  for (const int attempt : {0, 1, 2}) {
    try {
      resolved.model = typedModel(read, request, attempt == 0 ? NamedTensors{} : parameters, attempt == 2, stop);
      break;
    } catch (const reports::Cancelled&) {
      throw;
    } catch (const Error& error) {
      // A branch that these values do not take need not fit these shapes.
      const bool mayBeBranch = error.code() == ErrorCode::InvalidInput && attempt == 0 && !parameters.empty();
      if (!first) first = error;
      if (mayBeBranch || (error.code() == ErrorCode::Unsupported && attempt < 2)) continue;
      throw first->code() == ErrorCode::InvalidInput ? *first : error;
    }
  }
  progress.phase("fusing");
  resolved.fusions = simcore::model::fuse(resolved.model, request.disabledPasses, request.training);
  return resolved;
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
      values[input.name] = {
          madeUp(input.name, type->second.type, type->second.shape, static_cast<uint64_t>(seed) * 1'000'003 + number)};
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
