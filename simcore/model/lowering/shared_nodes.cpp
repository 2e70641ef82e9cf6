#include "simcore/model/lowering/shared_nodes.h"

#include "simcore/model/graph/evaluate.h"
#include "simcore/model/lowering/outline.h"
#include "simcore/ops/move/copies.h"

#include <algorithm>

namespace simcore::model {

using graph::Sequence;
using graph::Tensor;

namespace {

// Operators whose exchanges and vertices cost more than copies of their operands.
constexpr const char* kShared[] = {"Conv", "FusedConv", "ConvDataGrad", "ConvWeightsGrad",
                                   "Gemm", "MatMul",    "AdamUpdate",   "LarsUpdate"};

// A stretch of a variable, e.g. a part of a table that products take in sequence. PopART's outlining also includes such products:
// the slices stay outside (serializematmuls.cpp, matmulSerialSlice) and are copied into the call.
bool isPartOfVariable(const Tensor& t) { return !t.wholeVariable().valid() && t.window().has_value(); }

// Whether no planner has mapped the tensor yet.
bool isFree(const graph::Graph& g, const Tensor& t) { return t.wholeVariable().valid() && !ops::variableOf(g, t).mapped(); }

bool mayShare(const Node& node) {
  return std::any_of(std::begin(kShared), std::end(kShared), [&](const char* type) { return node.opType == type; });
}

} // namespace

SharedNodes::SharedNodes(const Graph& source, const std::vector<std::size_t>& lowered, const std::vector<int>& ipuOfNode)
    : m_source(source), m_ipuOfNode(ipuOfNode) {
  for (const std::size_t n : lowered) {
    const Node& node = source.nodes[n];
    if (!mayShare(node)) continue;
    std::string signature = nodeSignature(source, node);
    if (signature.empty()) continue;
    signature += " on " + std::to_string(ipuOfNode.empty() ? 0 : ipuOfNode[n]);
    ++m_kinds[signature].left;
    m_signatures.emplace(&node, std::move(signature));
  }
  std::erase_if(m_signatures, [&](const auto& entry) { return m_kinds.at(entry.second).left < 2; });
  for (std::size_t n = 0; n < source.nodes.size(); ++n)
    for (const std::string& name : namesReadBy(source.nodes[n])) m_readers[name].push_back(n);
  for (const auto& output : source.outputs) m_outputs.insert(output.name);
}

bool SharedNodes::lower(LoweringScope& scope, const Node& node, const ops::OpBuilder& b) {
  const auto signature = m_signatures.find(&node);
  if (m_inside || signature == m_signatures.end()) return false;
  Kind& kind = m_kinds.at(signature->second);
  const bool isLast = kind.left-- <= 1;
  if (isLast && kind.functions.empty()) return false;
  const std::optional<Operands> operands = operandsOf(scope, node, b);
  if (!operands) return false;
  for (const Function& f : kind.functions)
    if (matches(b, f, *operands)) {
      call(scope, node, b, f, *operands);
      return true;
    }
  kind.isApart |= mayNotCopy(scope, b);
  if (isLast || kind.isApart) return false;
  kind.functions.push_back(makeFunction(scope, node, b, *operands));
  call(scope, node, b, kind.functions.back(), *operands);
  return true;
}

// Whether a function that was made for this node overflowed tiles in an earlier attempt.
bool SharedNodes::mayNotCopy(const LoweringScope& scope, const ops::OpBuilder& b) {
  const auto& shares = scope.options().memoryShares;
  if (!shares || shares->empty()) return false;
  const auto copies = shares->find(b.graph().fullName(b.context()) + "/" + graph::kOperandCopies);
  return copies != shares->end() && copies->second <= 0;
}

std::optional<SharedNodes::Operands> SharedNodes::operandsOf(LoweringScope& scope, const Node& node,
                                                             const ops::OpBuilder& b) const {
  Operands operands;
  for (const std::string& name : node.inputs) {
    if (name.empty() || std::find(operands.names.begin(), operands.names.end(), name) != operands.names.end()) continue;
    if (const numerics::HostTensor* value = scope.constant(name); value && isPartOfNode(*value)) {
      const auto raw = value->raw();
      operands.constants.emplace_back(reinterpret_cast<const char*>(raw.data()), raw.size());
      continue;
    }
    const Tensor actual = scope.tensorOn(name, b);
    if (!isFree(b.graph(), actual) && !ops::isWholeWithLayout(b.graph(), actual) && !isPartOfVariable(actual)) return {};
    operands.names.push_back(name);
    operands.actual.push_back(actual);
  }
  return operands;
}

bool SharedNodes::matches(const ops::OpBuilder& b, const Function& f, const Operands& operands) {
  const graph::Graph& g = b.graph();
  if (f.inputs.size() != operands.actual.size() || f.constants != operands.constants) return false;
  for (std::size_t i = 0; i < f.inputs.size(); ++i) {
    const Tensor &own = f.inputs[i], &actual = operands.actual[i];
    if (own.elementType() != actual.elementType() || own.shape() != actual.shape() || !ops::isWholeWithLayout(g, own))
      return false;
    if (isFree(g, actual)) continue;
    const graph::Distribution layout =
        isPartOfVariable(actual) ? b.linear(actual.numElements(), actual.elementType()) : ops::variableOf(g, actual).distribution;
    if (!layout.sameAs(ops::variableOf(g, own).distribution)) return false;
  }
  return true;
}

SharedNodes::Function SharedNodes::makeFunction(LoweringScope& scope, const Node& node, const ops::OpBuilder& b,
                                                const Operands& operands) {
  graph::Graph& g = b.graph();
  Function f;
  f.name = node.name.empty() ? node.opType : node.name;
  f.constants = operands.constants;
  f.context = b.context();
  const ops::OpBuilder at = b.within(graph::kOperandCopies, "CallCopy");
  const std::map<std::string, Tensor> outside = scope.standIns();
  std::map<std::string, Tensor> inside = outside;
  for (std::size_t i = 0; i < operands.names.size(); ++i) {
    const Tensor& actual = operands.actual[i];
    const std::string own = operands.names[i] + "/argument";
    f.inputs.push_back(isFree(g, actual) ? g.addVariable(actual.elementType(), actual.shape(), own, at.context())
                                         : ops::variableLike(at, actual, own));
    inside[operands.names[i]] = f.inputs.back();
  }
  Sequence body;
  ops::StageRoutes* routes = scope.routes();
  scope.standIn(inside);
  scope.followRoutes(nullptr);
  m_inside = true;
  scope.lowerItself(node, f.context, body, b.withNumbers());
  m_inside = false;
  scope.followRoutes(routes);
  for (const Tensor& input : f.inputs) (void)at.layoutOf(input); // maps inputs that no planner mapped
  for (const std::string& name : node.outputs) {
    f.outputs.push_back(name.empty() ? Tensor() : scope.tensor(name));
    f.inPlace.emplace_back();
    for (std::size_t i = 0; i < f.inputs.size() && !name.empty(); ++i)
      if (f.outputs.back().wholeVariable().valid() && f.outputs.back().wholeVariable() == f.inputs[i].wholeVariable())
        f.inPlace.back() = i;
  }
  scope.standIn(outside);
  f.id = g.addFunction(f.name, body.program());
  return f;
}

// Whether all readers add the result to persistent values on the node's IPU: SectionLowering lowers such sums right after the node.
bool SharedNodes::isAddedUpAtOnce(const LoweringScope& scope, const Node& node, const std::string& output) const {
  if (!scope.standIns().empty() || m_outputs.count(output)) return false; // in a layer's function, sums come after the call
  const auto readers = m_readers.find(output);
  if (readers == m_readers.end()) return false;
  const auto ipuOf = [&](std::size_t n) { return m_ipuOfNode.empty() ? 0 : m_ipuOfNode[n]; };
  return std::all_of(readers->second.begin(), readers->second.end(), [&](std::size_t n) {
    return addsUp(m_source.nodes[n]) && ipuOf(n) == ipuOf(std::size_t(&node - m_source.nodes.data()));
  });
}

void SharedNodes::call(LoweringScope& scope, const Node& node, const ops::OpBuilder& b, const Function& f,
                       const Operands& operands) const {
  graph::Graph& g = b.graph();
  const ops::OpBuilder& at = b;
  for (std::size_t i = 0; i < operands.actual.size(); ++i) {
    const Tensor& actual = operands.actual[i];
    if (isFree(g, actual)) {
      const graph::Distribution layout = ops::variableOf(g, f.inputs[i]).distribution;
      g.setDistribution(actual, layout);
    }
  }
  if (!operands.actual.empty()) ops::copyAlike(at, operands.actual, f.inputs);
  std::vector<graph::CalledFor> calledFor;
  if (f.context != b.context()) calledFor.push_back({f.context, b.context()});
  b.program().add(graph::program::call(f.id, f.name, {}, std::move(calledFor)));
  for (std::size_t o = 0; o < node.outputs.size(); ++o) {
    const std::string& name = node.outputs[o];
    if (name.empty()) continue;
    if (f.inPlace[o]) {
      const Tensor& actual = operands.actual[*f.inPlace[o]];
      ops::copyInto(at, f.outputs[o], actual);
      scope.set(name, actual);
    } else if (isAddedUpAtOnce(scope, node, name)) {
      scope.set(name, f.outputs[o]);
    } else {
      const Tensor own = ops::variableLike(at, f.outputs[o], name);
      ops::copyInto(at, f.outputs[o], own);
      scope.set(name, own);
    }
  }
}

} // namespace simcore::model
