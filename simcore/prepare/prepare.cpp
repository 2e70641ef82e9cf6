#include "simcore/prepare/prepare.h"
#include "simcore/prepare/batch.h"

#include "reports/core/error.h"
#include "reports/core/join.h"
#include "reports/core/option.h"
#include "reports/core/text.h"
#include "reports/core/within.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/graph/graph_builder.h"
#include "simcore/model/graph/resolve_types.h"
#include "simcore/onnx/tensor_files.h"
#include "simcore/prepare/observe_types.h"
#include "simcore/prepare/unroll.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>

namespace simcore::model {

namespace fs = std::filesystem;
using reports::joined;
using reports::option;

namespace {

std::string shapeText(const Shape& shape) {
  std::string text;
  for (const auto size : shape) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text.empty() ? "scalar" : text;
}

// Shapes for bindShapes(): those of given values, else those asked for; an open batch is 1.
std::unordered_map<std::string, Shape> shapesOf(const Model& model, const ModelRequest& request) {
  std::unordered_map<std::string, Shape> shapes;
  for (const auto& input : model.graph.inputs) {
    const auto given = request.given.find(input.name);
    const auto asked = request.shapes.find(input.name);
    if (given != request.given.end()) {
      shapes[input.name] = given->second.shape();
      if (asked != request.shapes.end() && asked->second != given->second.shape())
        throw Error(ErrorCode::InvalidInput, "the given value has the shape " + shapeText(given->second.shape()) + " instead",
                    option("shape") + " " + input.name + "=" + shapeText(asked->second));
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

std::string dimensionNames(const Model& model) {
  std::vector<std::string> names;
  for (const auto& input : model.graph.inputs)
    for (std::size_t i = 0; input.dims && i < input.dims->size(); ++i)
      if (const Dimension& dim = (*input.dims)[i]; !dim.size && !dim.symbol.empty())
        if (std::find(names.begin(), names.end(), dim.symbol) == names.end()) names.push_back(dim.symbol);
  return joined(names);
}

template<class T> void checkNames(const Model& model, const T& given, bool mayBeDimension) {
  const std::string known = joined(model.graph.inputs, &ValueDeclaration::name);
  const std::string dimensions = mayBeDimension ? dimensionNames(model) : std::string();
  for (const auto& [name, value] : given) {
    const bool isInput = std::any_of(model.graph.inputs.begin(), model.graph.inputs.end(),
                                     [&name = name](const auto& input) { return input.name == name; });
    if (!isInput)
      throw Error(ErrorCode::NotFound,
                  "the model has no input '" + name + "'" + (dimensions.empty() ? "" : " and no such dimension"), model.file,
                  (known.empty() ? "it has none" : "it has " + known) +
                      (dimensions.empty() ? "" : ", and the dimensions " + dimensions));
  }
}

// Explains how to give an input its open sizes: by their names, or by a shape with as many dimensions as the input.
std::string shapeAdvice(const ValueDeclaration& input) {
  constexpr std::int64_t kImage[] = {1, 3, 224, 224};
  constexpr std::int64_t kOther = 16;
  const auto& dims = *input.dims;
  std::string named, whole;
  bool allNamed = true;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t size = dims[i].size.value_or(dims.size() == 4 ? kImage[i] : i == 0 ? 1 : kOther);
    whole += (whole.empty() ? "" : "x") + std::to_string(size);
    if (dims[i].size) continue;
    allNamed &= !dims[i].symbol.empty();
    const std::string one = option("shape") + " " + dims[i].symbol + "=" + std::to_string(size);
    if (named.find(one) == std::string::npos) named += (named.empty() ? "" : " ") + one;
  }
  whole = option("shape") + " " + input.name + "=" + whole;
  return allNamed ? "give sizes by their names, for example " + named + ", or all of this input: " + whole
                  : "give all sizes, for example " + whole;
}

// Throws the errors of bindShapes() with advice.
void requireShapes(const Model& model, const std::unordered_map<std::string, Shape>& shapes) {
  for (const auto& input : model.graph.inputs) {
    const auto given = shapes.find(input.name);
    if (!input.dims) continue;
    const auto& dims = *input.dims;
    for (std::size_t i = 0; i < dims.size() && given == shapes.end(); ++i)
      if (!dims[i].size)
        throw Error(ErrorCode::InvalidInput,
                    fmt::format("dimension {}{} of input '{}' is not fixed in the model", i,
                                dims[i].symbol.empty() ? "" : " ('" + dims[i].symbol + "')", input.name),
                    model.file, shapeAdvice(input));
    if (given == shapes.end() || given->second.size() != dims.size() || dims.empty() || !dims[0].size) continue;
    const Shape& shape = given->second;
    bool onlyBatch = *dims[0].size != shape[0];
    for (std::size_t i = 1; i < dims.size(); ++i) onlyBatch &= !dims[i].size || *dims[i].size == shape[i];
    if (onlyBatch)
      throw Error(ErrorCode::InvalidInput,
                  fmt::format("dimension 0 of input '{}' is {} in the model, not {}", input.name, *dims[0].size, shape[0]),
                  model.file, fmt::format("{} {} runs the file with another batch", option("batch"), shape[0]));
  }
}

// Floating values are uniform in [-1, 1). Values of other types are 1 in masks, so that these select something, and else 0,
// because most are indices. Values are made when they are read, so a run without numbers never makes them.
HostTensor madeUp(const std::string& name, ElementType type, const Shape& shape, std::uint64_t seed) {
  if (!numerics::isFloating(type))
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

// Throws for a gap in the numbering, which would shift the values after it.
void requireNoLaterTensor(const fs::path& folder, const std::string& prefix, std::size_t missing) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string(), extension = entry.path().extension().string();
    if (!name.starts_with(prefix) || (extension != ".pb" && extension != ".npy")) continue;
    std::size_t number = 0;
    const auto parsed = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
    if (parsed.ec == std::errc() && number > missing)
      throw Error(ErrorCode::NotFound, "no such file, though " + name + " is there",
                  (folder / (prefix + std::to_string(missing) + ".pb")).string());
  }
}
} // namespace

std::vector<HostTensor> numberedTensors(const fs::path& folder, const std::string& prefix,
                                        const std::vector<ValueDeclaration>& declared) {
  for (const auto& value : declared)
    if (!value.type) throw Error(ErrorCode::Unsupported, "'" + value.name + "' is not a tensor of numbers");
  std::vector<HostTensor> tensors;
  for (;;) {
    const std::string stem = prefix + std::to_string(tensors.size());
    fs::path file = folder / (stem + ".pb");
    if (!fs::exists(file)) file = folder / (stem + ".npy");
    if (!fs::exists(file)) {
      requireNoLaterTensor(folder, prefix, tensors.size());
      return tensors;
    }
    const bool isDeclared = tensors.size() < declared.size();
    tensors.push_back(isDeclared ? readTensorFile(file, *declared[tensors.size()].type) : readTensorFile(file));
  }
}

namespace {
// The numbers in a list with commas; empty if the word is a file or something else.
std::optional<std::vector<double>> numbersOf(const std::string& word) {
  std::vector<double> numbers;
  const char *at = word.data(), *end = at + word.size();
  while (at < end) {
    double number = 0;
    const auto parsed = std::from_chars(at, end, number);
    if (parsed.ec != std::errc() || (parsed.ptr != end && (*parsed.ptr != ',' || parsed.ptr + 1 == end))) break;
    numbers.push_back(number);
    at = parsed.ptr == end ? end : parsed.ptr + 1;
  }
  std::error_code ignored;
  if (at != end || numbers.empty() || fs::exists(word, ignored)) return {};
  return numbers;
}
} // namespace

HostTensor givenLabels(const std::string& word) {
  const auto numbers = numbersOf(word);
  return numbers ? HostTensor::vector(*numbers) : readTensorFile(word);
}

HostTensor givenValue(const Model& model, const std::string& name, const std::string& word) {
  const auto numbers = numbersOf(word);
  const auto input = std::find_if(model.graph.inputs.begin(), model.graph.inputs.end(),
                                  [&](const auto& declared) { return declared.name == name; });
  if (!numbers || input == model.graph.inputs.end() || !input->type) return readTensorFile(word);
  const auto count = std::int64_t(numbers->size());
  Shape shape = count == 1 ? Shape{} : Shape{count};
  if (input->dims) {
    Shape declared;
    for (const auto& dim : *input->dims) declared.push_back(dim.size.value_or(input->dims->size() == 1 ? count : 1));
    if (numerics::elementCount(declared) == count) shape = declared;
  }
  return HostTensor::of(shape, *numbers).cast(*input->type);
}

void requireEveryTensor(const fs::path& folder, const std::string& prefix, std::size_t stored,
                        const std::vector<ValueDeclaration>& declared) {
  if (stored == declared.size()) return;
  const std::string kind = prefix.substr(0, prefix.find('_'));
  if (stored > declared.size()) {
    fs::path extra = folder / (prefix + std::to_string(declared.size()) + ".pb");
    if (!fs::exists(extra)) extra.replace_extension(".npy");
    throw Error(ErrorCode::InvalidInput,
                "the model has no " + kind + " of this number, only " + reports::counted(int64_t(declared.size()), kind),
                extra.string());
  }
  throw Error(ErrorCode::NotFound, "the " + kind + " '" + declared[stored].name + "' has no file here",
              (folder / (prefix + std::to_string(stored) + ".pb")).string());
}

NamedTensors inputsInOrder(const Model& model, std::vector<HostTensor> values) {
  NamedTensors named;
  for (std::size_t i = 0; i < values.size(); ++i) named.emplace(model.graph.inputs[i].name, std::move(values[i]));
  return named;
}

NamedTensors storedInputs(const Model& model, const fs::path& file) {
  const fs::path set = file.parent_path() / "test_data_set_0";
  std::error_code ignored;
  if (!fs::is_directory(set, ignored)) return {};
  auto values = numberedTensors(set, "input_", model.graph.inputs);
  requireEveryTensor(set, "input_", values.size(), model.graph.inputs);
  return inputsInOrder(model, std::move(values));
}

std::map<std::string, std::string> ResolvedModel::facts() const {
  std::map<std::string, std::string> facts;
  for (const auto& count : fusions) facts["pass." + count.pass] = std::to_string(count.fired);
  if (!clamped.empty()) facts["clamped"] = joined(clamped);
  if (!batch.empty()) facts["model.batch"] = batch;
  const auto isBFloat = [](const auto& value) { return value.second.type == ElementType::BFloat16; };
  if (std::any_of(model.graph.types.begin(), model.graph.types.end(), isBFloat)) facts["bf16"] = "fp32";
  return facts;
}

namespace {
// The given inputs that become constants of the model: integers, which may be shapes and axes, and single values, which may be
// conditions and sizes.
NamedTensors likelyParameters(const NamedTensors& given) {
  NamedTensors constants;
  for (const auto& [name, value] : given)
    if (!numerics::isFloating(value.type()) || value.count() <= 1) constants.insert({name, value});
  return constants;
}

Model typedModel(const Model& read, const ModelRequest& request, const NamedTensors& constants, bool observes,
                 const AdaptNode& adapt, const std::stop_token& stop) {
  Model model = read;
  bindConstants(model, constants);
  const auto shapes = shapesOf(model, request);
  requireShapes(model, shapes);
  bindShapes(model, shapes);
  model.graph.trained = request.trained;
  if (!observes) {
    resolveTypes(model, stop, nullptr, adapt);
    return model;
  }
  NamedTensors values;
  for (const auto& [name, list] : inputValues(model, request.given, request.seed)) values.emplace(name, list.at(0));
  const auto types = observeTypes(model, values, stop);
  resolveTypes(model, stop, &types, adapt);
  return model;
}

std::vector<std::string> clampToHalf(Graph& graph) {
  // Masks use -1e9, the smallest float, or any negative number that is large enough. A large positive number below this limit may
  // be a scale.
  constexpr double kStandsForInfinity = 1e9;
  std::vector<std::string> clamped;
  for (auto& [name, value] : graph.initialisers) {
    if (value.type() != ElementType::Float) continue;
    const auto isBeyond = [](float v) {
      return std::isfinite(v) && (double(v) < -kLargestHalf || double(v) >= kStandsForInfinity);
    };
    const auto values = std::as_const(value).values<float>();
    if (std::none_of(values.begin(), values.end(), isBeyond)) continue;
    for (float& v : value.mutableValues<float>())
      if (isBeyond(v)) v = std::copysign(float(kLargestHalf), v);
    clamped.push_back(name);
  }
  std::sort(clamped.begin(), clamped.end());
  return clamped;
}

constexpr std::size_t kMostConnections = 10'000;

void requireFew(std::size_t count, const char* owner, const char* what, const std::string& place) {
  if (count > kMostConnections)
    throw Error(ErrorCode::Unsupported,
                fmt::format("the {} has {} {}; at most {} are supported", owner, count, what, kMostConnections), place);
}

// Throws if there are too many host streams: each input and output of the model has a stream and a transfer of its own, and all
// inputs and outputs of a node are live at the same time.
void requireFewConnections(const Model& model) {
  requireFew(model.graph.inputs.size(), "model", "inputs", model.file);
  requireFew(model.graph.outputs.size(), "model", "outputs", model.file);
  for (const Node& node : model.graph.nodes) {
    const std::string place = model.file + ": " + node.label();
    requireFew(node.inputs.size(), "node", "inputs", place);
    requireFew(node.outputs.size(), "node", "outputs", place);
  }
}
} // namespace

namespace {
// Infers the types of the file with its own batch, which show where values hold the batch. If a type depends on a value, only the
// types before it are known.
void noteOldShapes(const Model& file, const Model& read, const ModelRequest& request, Batch& batch, const std::stop_token& stop) {
  try {
    Model model = file;
    auto shapes = shapesOf(read, request);
    batch.restore(shapes);
    bindShapes(model, shapes);
    Unroller loops;
    const AdaptNode note = [&](const Node& node, const NodeValues& values) {
      return node.opType == "Loop" ? loops.unrolled(node, values) : batch.noted(node, values);
    };
    model.graph.trained = request.trained;
    resolveTypes(model, stop, nullptr, note);
    batch.noted(model.graph);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::Cancelled) throw;
  }
}
} // namespace

Error withMadeUp(const Error& error, const Model& read, const NamedTensors& given) {
  std::vector<std::string> names;
  for (const auto& input : read.graph.inputs)
    if (input.type && !numerics::isFloating(*input.type) && *input.type != ElementType::Bool && !given.count(input.name))
      names.push_back(input.name);
  if (names.empty()) return error;
  std::string advice = joined(names) + (names.size() == 1 ? " is not given and is made up" : " are not given and are made up") +
                       " (0): if shapes depend on it, " + option("input") + " " + names.back() + "=0,3,4 gives its values";
  if (!error.advice().empty()) advice = error.advice() + "; " + advice;
  return {error.code(), error.message(), error.where(), advice};
}

ResolvedModel resolveModel(Model read, const ModelRequest& given, const std::stop_token& stop, reports::Progress& progress) {
  requireFewConnections(read);
  ModelRequest request = given;
  bindSymbols(read.graph, request.shapes);
  std::optional<Batch> batch;
  const Model before = request.batch ? read : Model();
  if (request.batch) reports::within(read.file, [&] { batch.emplace(read.graph, *request.batch); });
  Unroller loops;
  const AdaptNode adapt = [&](const Node& node, const NodeValues& values) {
    if (node.opType == "Loop") return loops.unrolled(node, values);
    return batch ? batch->adapted(node, values) : std::vector<Node>();
  };
  checkNames(read, request.given, false);
  checkNames(read, request.shapes, true);
  if (request.ignoresDeclaredShapes)
    for (auto& input : read.graph.inputs)
      if (request.given.count(input.name)) input.dims.reset();
  progress.phase("folding constants");
  ResolvedModel resolved;
  const NamedTensors parameters = likelyParameters(request.given);
  std::optional<Error> first; // the first error is reported, because it is about the model as it was read
  if (batch && batch->changesFile()) noteOldShapes(before, read, request, *batch, stop);
  const int last = request.valuesChange ? 1 : 2;
  for (int attempt = 0; attempt <= last; ++attempt) {
    if (batch) batch->begin();
    try {
      resolved.model = typedModel(read, request, attempt == 0 ? NamedTensors{} : parameters, attempt == 2, adapt, stop);
      if (batch) batch->requireOneBatch(resolved.model);
      break;
    } catch (const reports::Cancelled&) {
      throw;
    } catch (const Error& error) {
      // The node may be in a branch that these values do not take.
      const bool mayBeBranch = error.code() == ErrorCode::InvalidInput && attempt == 0 && !parameters.empty();
      if (!first) first = error;
      if (mayBeBranch || (error.code() == ErrorCode::Unsupported && attempt < last)) continue;
      if (batch) throw batch->explained(*first);
      throw withMadeUp(first->code() == ErrorCode::InvalidInput ? *first : error, read, request.given);
    }
  }
  progress.phase("fusing");
  resolved.fusions = fuse(resolved.model, request.disabledPasses, request.training, request.namedNodes);
  if (batch) resolved.batch = batch->text();
  if (request.half) resolved.clamped = clampToHalf(resolved.model.graph);
  return resolved;
}

std::map<std::string, std::vector<HostTensor>> inputValues(const Model& model, const NamedTensors& given, std::int64_t seed) {
  std::map<std::string, std::vector<HostTensor>> values;
  uint64_t number = 0;
  for (const auto& input : model.graph.inputs) {
    ++number;
    const auto type = model.inputTypes.find(input.name);
    if (type == model.inputTypes.end()) continue; // bindShapes() has given every input a type
    const auto it = given.find(input.name);
    if (it == given.end()) {
      values[input.name] = {
          madeUp(input.name, type->second.type, type->second.shape, static_cast<uint64_t>(seed) * 1'000'003 + number)};
      continue;
    }
    if (it->second.type() != type->second.type || it->second.shape() != type->second.shape)
      throw Error(ErrorCode::InvalidInput,
                  "the value is " + std::string(numerics::elementTypeName(it->second.type())) + " " +
                      shapeText(it->second.shape()) + ", the input is " +
                      std::string(numerics::elementTypeName(type->second.type)) + " " + shapeText(type->second.shape),
                  model.file + ": input '" + input.name + "'");
    values[input.name] = {it->second};
  }
  return values;
}

namespace {

constexpr double kRoundsToInfinity = 65520;

// The largest finite magnitude in float results.
double largest(const Tensors& results) {
  double most = 0;
  for (const HostTensor& result : results) {
    if (result.type() != numerics::ElementType::Float) continue;
    for (const float v : result.values<float>())
      if (std::isfinite(v)) most = std::max(most, std::abs(double(v)));
  }
  return most;
}

bool isFinite(const Tensors& results) {
  for (const HostTensor& result : results)
    if (result.type() == numerics::ElementType::Float)
      for (const float v : result.values<float>())
        if (!std::isfinite(v)) return false;
  return true;
}

} // namespace

std::optional<HalfOverflow> leavesHalfRange(const Model& model, const NamedTensors& inputs, const std::stop_token& stop) {
  std::optional<HalfOverflow> first, firstInfinite;
  const auto note = [&](const std::string& place, double value) {
    if (!first && value >= kRoundsToInfinity) first = {place, value};
  };
  for (const auto& [name, value] : inputs) note("input '" + name + "'", largest({value}));
  EvaluationOptions options;
  options.halfPrecision = true;
  options.stop = stop;
  options.observesSubgraphs = true;
  options.observe = [&](const Node& node, const Tensors& results) {
    const std::string place = node.label() + " (" + node.opType + ")";
    note(place, largest(results));
    if (!firstInfinite && !isFinite(results)) firstInfinite = {place, std::nullopt};
  };
  const Tensors outputs = evaluate(model, inputs, options);
  // If only constants are infinite in fp16, they may be harmless (a mask) or the cause of the failure.
  return first || isFinite(outputs) ? first : firstInfinite;
}

std::vector<HostTensor> outputsOfRounded(const Model& model, const NamedTensors& inputs, const std::stop_token& stop) {
  Model rounded = model;
  for (auto& [name, value] : rounded.graph.initialisers) value = value.roundedToHalf();
  NamedTensors given;
  for (const auto& [name, value] : inputs) given.emplace(name, value.roundedToHalf());
  EvaluationOptions options;
  options.stop = stop;
  return evaluate(rounded, given, options);
}

} // namespace simcore::model
