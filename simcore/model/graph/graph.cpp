#include "simcore/model/graph/graph.h"

#include "reports/core/option.h"
#include "reports/core/within.h"
#include "simcore/model/graph/names_read.h"

#include <algorithm>

namespace simcore::model {

void Attributes::failKind(const std::string& name) {
  throw Error(ErrorCode::InvalidInput, "attribute '" + name + "' has the wrong kind");
}
void Attributes::failMissing(const std::string& name) {
  throw Error(ErrorCode::InvalidInput, "attribute '" + name + "' is missing");
}

const numerics::HostTensor& Attributes::tensor(const std::string& name) const {
  const auto found = m_values.find(name);
  if (found == m_values.end()) failMissing(name);
  if (const auto* value = std::get_if<numerics::HostTensor>(&found->second)) return *value;
  failKind(name);
}

const Graph& Attributes::graph(const std::string& name) const {
  const auto found = m_values.find(name);
  if (found == m_values.end()) failMissing(name);
  if (const auto* value = std::get_if<std::shared_ptr<const Graph>>(&found->second)) return **value;
  failKind(name);
}

std::int64_t Attributes::requiredInteger(const std::string& name) const {
  if (!has(name)) failMissing(name);
  return integer(name, 0);
}

std::string Node::label() const {
  if (!name.empty()) return "node '" + name + "'";
  for (const std::string& output : outputs)
    if (!output.empty()) return "node of '" + output + "'";
  return "a node of type " + opType;
}

namespace {

constexpr std::pair<std::int64_t, numerics::ElementType> kTypeNumbers[] = {{1, numerics::ElementType::Float},
                                                                           {2, numerics::ElementType::UInt8},
                                                                           {3, numerics::ElementType::Int8},
                                                                           {4, numerics::ElementType::UInt16},
                                                                           {5, numerics::ElementType::Int16},
                                                                           {6, numerics::ElementType::Int32},
                                                                           {7, numerics::ElementType::Int64},
                                                                           {9, numerics::ElementType::Bool},
                                                                           {10, numerics::ElementType::Half},
                                                                           {11, numerics::ElementType::Double},
                                                                           {12, numerics::ElementType::UInt32},
                                                                           {13, numerics::ElementType::UInt64},
                                                                           {16, numerics::ElementType::BFloat16},
                                                                           {17, numerics::ElementType::Float8E4M3Fn},
                                                                           {18, numerics::ElementType::Float8E4M3Fnuz},
                                                                           {19, numerics::ElementType::Float8E5M2},
                                                                           {20, numerics::ElementType::Float8E5M2Fnuz}};

} // namespace

std::optional<numerics::ElementType> elementTypeOfOnnx(std::int64_t number) {
  for (const auto& [n, type] : kTypeNumbers)
    if (n == number) return type;
  return std::nullopt;
}

std::int64_t onnxTypeOf(numerics::ElementType type) {
  for (const auto& [n, t] : kTypeNumbers)
    if (t == type) return n;
  return 0;
}

namespace {

template<class F> void forEachSubgraph(const Node& node, F f) {
  for (const auto& [name, value] : node.attributes.all())
    if (const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&value)) f(name, **graph);
}

// All names that a node reads, including those of its subgraphs.
std::set<std::string> namesRead(const Node& node) {
  std::set<std::string> names(node.inputs.begin(), node.inputs.end());
  names.erase("");
  forEachSubgraph(node, [&](const std::string&, const Graph& graph) { names.merge(outerNames(graph)); });
  return names;
}

[[noreturn]] void failAt(const Node& node, const std::string& message) {
  throw Error(ErrorCode::InvalidInput, message, node.label());
}

void sortLevel(Graph& graph, const std::set<std::string>& outer) {
  const std::size_t count = graph.nodes.size();
  std::unordered_map<std::string, std::size_t> producer;
  std::set<std::string> given = outer;
  for (const auto& input : graph.inputs) given.insert(input.name);
  for (const auto& [name, tensor] : graph.initialisers) given.insert(name);
  for (std::size_t i = 0; i < count; ++i)
    for (const std::string& output : graph.nodes[i].outputs) {
      if (output.empty()) continue;
      const bool shadows = given.count(output) && !outer.count(output);
      if (shadows || !producer.emplace(output, i).second) failAt(graph.nodes[i], "the value '" + output + "' is defined twice");
    }
  std::vector<std::vector<std::size_t>> readers(count);
  std::vector<std::size_t> missing(count, 0);
  for (std::size_t i = 0; i < count; ++i)
    forEachNameRead(graph.nodes[i], [&](const std::string& name) {
      const auto found = producer.find(name);
      if (found != producer.end()) {
        readers[found->second].push_back(i);
        ++missing[i];
      } else if (!given.count(name)) {
        failAt(graph.nodes[i], "nothing defines the input '" + name + "'");
      }
    });
  std::set<std::size_t> ready; // sorted, to keep the file's order if possible
  for (std::size_t i = 0; i < count; ++i)
    if (!missing[i]) ready.insert(i);
  std::vector<Node> sorted;
  sorted.reserve(count);
  while (!ready.empty()) {
    const std::size_t i = *ready.begin();
    ready.erase(ready.begin());
    sorted.push_back(std::move(graph.nodes[i]));
    for (const std::size_t reader : readers[i])
      if (--missing[reader] == 0) ready.insert(reader);
  }
  if (sorted.size() != count)
    for (std::size_t i = 0; i < count; ++i)
      if (missing[i]) failAt(graph.nodes[i], "the graph has a cycle through this node");
  graph.nodes = std::move(sorted);
  for (const auto& output : graph.outputs)
    if (!producer.count(output.name) && !given.count(output.name))
      throw Error(ErrorCode::InvalidInput, "nothing defines the output '" + output.name + "' of the graph");
  for (const auto& [name, at] : producer) given.insert(name);
  for (Node& node : graph.nodes)
    for (auto& [name, value] : node.attributes.all())
      if (auto* sub = std::get_if<std::shared_ptr<const Graph>>(&value)) {
        auto copy = std::make_shared<Graph>(**sub);
        sortLevel(*copy, given);
        *sub = std::move(copy);
      }
}

} // namespace

std::set<std::string> outerNames(const Graph& graph) {
  std::set<std::string> read, defined;
  for (const auto& input : graph.inputs) defined.insert(input.name);
  for (const auto& [name, tensor] : graph.initialisers) defined.insert(name);
  for (const Node& node : graph.nodes) {
    read.merge(namesRead(node));
    defined.insert(node.outputs.begin(), node.outputs.end());
  }
  for (const auto& output : graph.outputs) read.insert(output.name);
  for (const std::string& name : defined) read.erase(name);
  return read;
}

std::string modelName(const std::filesystem::path& file) {
  if (file.filename() != "model.onnx" || !file.has_parent_path()) return file.stem().string();
  return std::filesystem::absolute(file).lexically_normal().parent_path().filename().string(); // also for "./model.onnx"
}

void sortNodes(Graph& graph) { sortLevel(graph, {}); }

namespace {

numerics::Shape boundShape(const ValueDeclaration& input, const numerics::Shape* given) {
  const std::string advice =
      "give it with " + reports::option("shape") + " " + input.name + "=…, for example " + input.name + "=1x3x224x224";
  if (!input.dims) {
    if (given) return *given;
    throw Error(ErrorCode::InvalidInput, "the shape of input '" + input.name + "' is not known", {}, advice);
  }
  if (given && given->size() != input.dims->size())
    throw Error(ErrorCode::InvalidInput, "input '" + input.name + "' has " + std::to_string(input.dims->size()) +
                                             " dimensions, not the shape " + numerics::toString(*given));
  numerics::Shape shape;
  for (std::size_t i = 0; i < input.dims->size(); ++i) {
    const Dimension& dim = (*input.dims)[i];
    if (dim.size && given && *dim.size != (*given)[i])
      throw Error(ErrorCode::InvalidInput, "dimension " + std::to_string(i) + " of input '" + input.name + "' is " +
                                               std::to_string(*dim.size) + " in the model, not " + std::to_string((*given)[i]));
    if (!dim.size && !given)
      throw Error(ErrorCode::InvalidInput,
                  "dimension " + std::to_string(i) + (dim.symbol.empty() ? "" : " ('" + dim.symbol + "')") + " of input '" +
                      input.name + "' is not fixed in the model",
                  {}, advice);
    shape.push_back(dim.size ? *dim.size : (*given)[i]);
  }
  numerics::elementCount(shape); // call only for its check: throws for negative and overflowing sizes
  return shape;
}

} // namespace

void bindShapes(Model& model, const std::unordered_map<std::string, numerics::Shape>& shapes) {
  std::set<std::string> names;
  for (const ValueDeclaration& input : model.graph.inputs) {
    names.insert(input.name);
    if (!input.type) throw Error(ErrorCode::Unsupported, "input '" + input.name + "' is not a tensor of numbers", model.file);
    const auto given = shapes.find(input.name);
    model.inputTypes[input.name] = {*input.type, reports::within(model.file, [&] {
                                      return boundShape(input, given == shapes.end() ? nullptr : &given->second);
                                    })};
  }
  for (const auto& [name, shape] : shapes)
    if (!names.count(name)) throw Error(ErrorCode::InvalidInput, "the model has no input '" + name + "'", model.file);
}

void bindConstants(Model& model, const std::unordered_map<std::string, numerics::HostTensor>& values) {
  auto& inputs = model.graph.inputs;
  for (const auto& [name, value] : values) {
    const auto found =
        std::find_if(inputs.begin(), inputs.end(), [&name = name](const auto& input) { return input.name == name; });
    if (found == inputs.end()) throw Error(ErrorCode::InvalidInput, "the model has no input '" + name + "'", model.file);
    if (found->type && *found->type != value.type())
      throw Error(ErrorCode::InvalidInput, "input '" + name + "' has elements of another type", model.file);
    inputs.erase(found);
    model.inputTypes.erase(name);
    model.graph.initialisers[name] = value;
  }
}

} // namespace simcore::model
