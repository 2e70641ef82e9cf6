#include "simcore/model/lowering/node_lowering.h"

#include "simcore/model/graph/evaluate.h"
#include "simcore/model/lowering/lowering_scope.h"
#include "simcore/ops/cells/pieces.h"
#include "simcore/ops/collective/collectives.h"

#include <algorithm>
#include <unordered_map>

namespace simcore::model {

using graph::Tensor;

NodeLowering::NodeLowering(LoweringScope& scope, const Node& node, const ops::OpBuilder& builder, Call call)
    : m_scope(scope), m_node(node), m_builder(builder), m_time(builder.timeOnly()), m_call(std::move(call)) {}

Tensor NodeLowering::named(const std::string& name) {
  const Tensor tensor = m_scope.tensorOn(name, m_builder);
  m_read[name] = tensor;
  return tensor;
}

Tensor NodeLowering::input(std::size_t i) {
  m_call.type(i); // throws for an absent input
  return named(m_node.inputs[i]);
}

bool NodeLowering::isImmediate(std::size_t i) const { return m_call.isKnown(i) && m_call.value(i).count() == 1; }
bool NodeLowering::mayOverwrite(std::size_t i) {
  const std::string& name = m_node.inputs[i];
  return std::count(m_node.inputs.begin(), m_node.inputs.end(), name) == 1 && m_scope.isLastRead(name, m_builder.ipu()) &&
         m_scope.tensorOn(name, m_builder).elementType() == outputType();
}

const numerics::Shape& NodeLowering::outputShape(std::size_t i) const { return m_scope.type(m_node.outputs[i]).shape; }
ElementType NodeLowering::outputType(std::size_t i) const { return m_scope.deviceType(m_scope.type(m_node.outputs[i]).type); }

void NodeLowering::give(const Tensor& tensor, std::size_t i) {
  const Tensor shaped = tensor.shape() == outputShape(i) ? tensor : tensor.reshape(outputShape(i));
  m_computed[i] = shaped;
  m_scope.set(m_node.outputs[i], shaped);
}

void NodeLowering::giveView(const Tensor& tensor, std::size_t i) {
  m_scope.set(m_node.outputs[i], tensor.shape() == outputShape(i) ? tensor : tensor.reshape(outputShape(i)));
}

const ops::OpBuilder& NodeLowering::builder() {
  if (!byVertices()) return m_time;
  m_byParts = true;
  return m_builder;
}

const ops::OpBuilder& NodeLowering::positionBuilder() {
  m_byParts = true;
  return m_builder;
}

HostTensor NodeLowering::onMachine(const HostTensor& value) const {
  if (numerics::isFloat8(value.type())) return value; // already rounded more coarsely than any type on the machine
  return m_scope.deviceType(value.type()) == ElementType::Half ? value.cast(ElementType::Float).roundedToHalf() : value;
}

ops::HostKernel NodeLowering::hostKernel(const std::vector<std::size_t>& inputs, std::size_t output) const {
  if (!byVertices()) return {};
  std::unordered_map<std::string, HostTensor> immediates;
  std::vector<std::string> names;
  for (const std::size_t i : inputs) names.push_back(m_node.inputs[i]);
  for (const std::string& name : namesReadBy(m_node))
    if (std::find(names.begin(), names.end(), name) == names.end())
      if (const HostTensor* value = m_scope.constant(name)) immediates[name] = onMachine(*value);
  std::size_t position = 0; // evaluateNode() returns one value per named output
  for (std::size_t i = 0; i < output; ++i) position += !m_node.outputs[i].empty();
  Node node = m_node; // its operands are already expanded, so an attribute for aligning ranks is dropped
  if (node.attributes.has("broadcast")) node.attributes.all().erase("axis");
  return [node, names, immediates, position](const std::vector<HostTensor>& values) {
    auto all = immediates;
    for (std::size_t i = 0; i < names.size(); ++i) all[names[i]] = values[i];
    return Tensors{evaluateNode(node, all).at(position)};
  };
}

void NodeLowering::computeByCells(const Tensor& like) {
  if (byVertices()) m_cells = m_builder.layoutOf(like);
}

void NodeLowering::finish() {
  // Constants that no planner placed are mapped linearly.
  std::map<std::string_view, Tensor> constants; // in the order of their names
  for (const auto& [name, tensor] : m_read)
    if (m_scope.constant(name) && tensor.wholeVariable().valid()) constants.emplace(name, tensor);
  for (const auto& [name, tensor] : constants) m_time.layoutOf(tensor);
  if (m_computed.empty() || !m_builder.withNumbers() || m_byParts) return;
  if (m_averages) {
    std::vector<Tensor> from, to;
    for (const auto& [i, tensor] : m_computed) {
      from.push_back(named(m_node.inputs[i]));
      to.push_back(tensor);
    }
    return m_builder.compute(from, to, graph::meanOverReplicas());
  }
  // Values on the machine are read from there; other constants are part of the kernel, in the machine's precision.
  std::unordered_map<std::string, HostTensor> immediates;
  for (const std::string& name : namesReadBy(m_node)) {
    if (m_read.count(name)) continue;
    if (const HostTensor* value = m_scope.constant(name))
      immediates[name] = onMachine(*value);
    else
      named(name);
  }
  std::vector<std::string> names;
  std::vector<Tensor> inputs, outputs;
  std::vector<std::size_t> positions;
  for (const auto& [name, tensor] : std::map<std::string_view, Tensor>(m_read.begin(), m_read.end())) {
    names.emplace_back(name);
    inputs.push_back(tensor);
  }
  std::size_t position = 0; // position among the named outputs
  for (std::size_t i = 0; i < m_node.outputs.size(); ++i) {
    if (m_node.outputs[i].empty()) continue;
    if (const auto found = m_computed.find(i); found != m_computed.end()) {
      outputs.push_back(found->second);
      positions.push_back(position);
    }
    ++position;
  }
  ops::HostKernel kernel = [node = m_node, names, positions, immediates](const std::vector<HostTensor>& values) {
    std::unordered_map<std::string, HostTensor> all = immediates;
    for (std::size_t i = 0; i < names.size(); ++i) all[names[i]] = values[i];
    const Tensors results = evaluateNode(node, all);
    std::vector<HostTensor> chosen;
    for (const std::size_t at : positions) chosen.push_back(results[at]);
    return chosen;
  };
  if (m_neighbours > 1)
    return m_builder.compute(inputs, outputs, ops::withNeighbours(std::move(kernel), m_neighbours, m_call.shape(0)));
  if (m_cells.valid())
    m_builder.within(m_node.opType, "cellwise").compute(inputs, outputs, ops::onEachCell(std::move(kernel), m_cells));
  else
    m_builder.compute(inputs, outputs, std::move(kernel));
}

void lowerEstimated(NodeLowering& n, std::int64_t cyclesPerElement) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i)
    if (n.has(i) && !n.call().isKnown(i)) inputs.push_back(n.input(i));
  const ops::OpBuilder& b = n.timeBuilder();
  std::int64_t cycles = 0;
  for (std::size_t i = 0; i < n.node().outputs.size(); ++i) {
    if (n.node().outputs[i].empty()) continue;
    const numerics::Shape& shape = n.outputShape(i);
    n.give(ops::generate(b, n.node().opType, inputs, n.outputType(i), shape, cyclesPerElement, {}), i);
    cycles += reports::ceilDiv(numerics::elementCount(shape), b.tiles()) * cyclesPerElement;
  }
  b.recordPlan("estimated",
               n.node().opType + " has no planner: linear shares over the tiles, estimated at " +
                   std::to_string(cyclesPerElement) + " worker cycles an element",
               {{"workerCyclesPerElement", cyclesPerElement}}, {cycles, 0, true});
}

void lowerGeneric(NodeLowering& n) {
  constexpr std::int64_t kCyclesPerElement = 12;
  lowerEstimated(n, kCyclesPerElement);
}

} // namespace simcore::model
