#include "simcore/model/lowering.h"

#include "reports/core/progress.h"
#include "simcore/model/evaluate.h"
#include "simcore/model/lowering_scope.h"
#include "simcore/model/node_lowering.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace simcore::model {

using numerics::ElementType;
using numerics::HostTensor;
using reports::Error;
using reports::ErrorCode;

LoweringScope::LoweringScope(const Graph& source, LoweringScope* outer, graph::Graph& target,
                             reports::DebugContextId context, const LoweringOptions& options)
    : m_source(source), m_outer(outer), m_target(target), m_context(context), m_options(options) {
  for (const Node& node : source.nodes)
    for (const std::string& name : namesReadBy(node)) ++m_reads[name];
  for (const auto& output : source.outputs) ++m_reads[output.name];
}

ElementType LoweringScope::deviceType(ElementType type) const {
  if (type == ElementType::Float) return m_options.precision;
  return type == ElementType::BFloat16 ? ElementType::Half : type;
}

const HostTensor* LoweringScope::constant(const std::string& name) const {
  const auto found = m_source.initialisers.find(name);
  if (found != m_source.initialisers.end()) return &found->second;
  if (m_source.types.count(name) || !m_outer) return nullptr;
  return m_outer->constant(name);
}

const TensorType& LoweringScope::type(const std::string& name) const {
  const auto found = m_source.types.find(name);
  if (found != m_source.types.end()) return found->second;
  if (!m_outer) throw Error(ErrorCode::Internal, "the value '" + name + "' has no type");
  return m_outer->type(name);
}

void LoweringScope::set(const std::string& name, const graph::Tensor& tensor) {
  m_tensors[name] = tensor;
  for (const auto id : tensor.variables()) m_namesOfVariable[id.value()].insert(name);
}

graph::Tensor LoweringScope::tensor(const std::string& name) {
  const auto found = m_tensors.find(name);
  if (found != m_tensors.end()) return found->second;
  const auto weight = m_source.initialisers.find(name);
  if (weight == m_source.initialisers.end()) {
    if (!m_outer) throw Error(ErrorCode::Internal, "the value '" + name + "' was not lowered");
    return m_outer->tensor(name);
  }
  const HostTensor& value = weight->second;
  const graph::Tensor variable = m_target.addVariable(deviceType(value.type()), value.shape(), name, m_context);
  m_target.setInitialValue(variable, value);
  m_protected.insert(name);
  set(name, variable);
  return variable;
}

bool LoweringScope::isLastRead(const std::string& name) const {
  const auto found = m_tensors.find(name);
  if (found == m_tensors.end() || !found->second.wholeVariable().valid()) return false;
  for (const std::string& other : m_namesOfVariable.at(found->second.wholeVariable().value())) {
    const auto reads = m_reads.find(other);
    if (m_protected.count(other) || (reads != m_reads.end() && reads->second > (other == name ? 1 : 0))) return false;
  }
  return true;
}

void LoweringScope::wasRead(const Node& node) {
  for (const std::string& name : namesReadBy(node)) --m_reads[name];
}

void LoweringScope::lowerNodes(graph::Sequence& program, bool withNumbers) {
  for (const Node& node : m_source.nodes) {
    try {
      lowerNode(node, program, withNumbers);
    } catch (const reports::Cancelled&) {
      throw;
    } catch (const Error& error) {
      throw error.within(node.label());
    }
    wasRead(node);
  }
}

void LoweringScope::lowerNode(const Node& node, graph::Sequence& program, bool withNumbers) {
  nlohmann::json details{{"op", node.opType}, {"opset", node.opset}};
  if (!node.domain.empty()) details["domain"] = node.domain;
  const std::string name = !node.name.empty() ? node.name : node.opType + "(" + node.outputs.at(0) + ")";
  const auto context = m_target.addContext(m_context, name, "onnx", node.opType, details.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  std::vector<std::optional<Call::Operand>> operands;
  for (const std::string& input : node.inputs)
    if (input.empty())
      operands.emplace_back();
    else
      operands.push_back(Call::Operand{type(input), constant(input)});
  const auto notHere = [](const Graph&, const Tensors&) -> Tensors { throw Error(ErrorCode::Internal, "a subgraph was run while lowering"); };
  NodeLowering lowering(*this, node, ops::OpBuilder(m_target, program, context, withNumbers),
                        Call(node, std::move(operands), notHere, {}));
  const LowerFunction lower = loweringFor(node);
  (lower ? lower : lowerGeneric)(lowering);
  lowering.finish();
}

graph::Workload lower(const Model& model, const arch::Machine& machine, const LoweringOptions& options) {
  graph::Workload load;
  const std::filesystem::path file(model.file);
  load.name = file.filename() == "model.onnx" && file.has_parent_path() ? file.parent_path().filename().string() : file.stem().string();
  load.title = model.graph.name.empty() ? load.name : model.graph.name;
  load.graph = std::make_shared<graph::Graph>(machine);
  graph::Graph& g = *load.graph;
  const auto root = g.addContext({}, load.name, "model", "");
  try {
    LoweringScope scope(model.graph, nullptr, g, root, options);
    graph::Sequence main;
    for (const auto& input : model.graph.inputs) {
      const TensorType& type = model.inputTypes.at(input.name);
      const ElementType onDevice = scope.deviceType(type.type);
      const graph::Tensor tensor = g.addVariable(onDevice, type.shape, input.name, root);
      g.mapTensorLinearly(tensor);
      scope.set(input.name, tensor);
      scope.protect(input.name);
      main.add(graph::program::copy(g.addHostToDeviceFifo(input.name, onDevice, tensor.numElements()), tensor, input.name, root));
      load.inputs[input.name] = {};
    }
    scope.lowerNodes(main, true);
    for (const auto& output : model.graph.outputs) {
      const graph::Tensor tensor = scope.tensor(output.name);
      main.add(graph::program::copy(tensor, g.addDeviceToHostFifo(output.name, tensor.elementType(), tensor.numElements()), output.name, root));
      load.outputs.push_back(output.name);
    }
    load.programs = {{"inference", main.program()}};
  } catch (const reports::Cancelled&) {
    throw;
  } catch (const Error& error) {
    throw error.within(model.file);
  }
  return load;
}

} // namespace simcore::model
