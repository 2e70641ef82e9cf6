#include "simcore/placement/trial_lowering.h"

#include "simcore/model/lowering/outline.h"
#include "simcore/model/lowering/stream_lowering.h"
#include "simcore/ops/plan/program_cost.h"

#include <algorithm>

namespace simcore::model {

namespace {

// The share of an operation's own variables that is assumed to be live at the same time.
constexpr double kAtOnce = 0.75;

arch::Machine oneIpuOf(arch::Machine machine) {
  machine.ipus = machine.replicas = 1;
  return machine;
}

// Drops the memory shares of single operations, so that the cut stays the same if the program is planned again (run/fit.h).
LoweringOptions withoutPlaces(LoweringOptions options) {
  options.ipuOfNode.clear();
  options.stageOfNode.clear();
  options.memoryShares = nullptr;
  return options;
}

} // namespace

TrialLowering::TrialLowering(const Model& model, arch::Machine machine, const LoweringOptions& options)
    : m_model(model), m_options(withoutPlaces(options)), m_load(emptyWorkload(model, oneIpuOf(std::move(machine)))),
      m_scope(model.graph, nullptr, *m_load.graph, m_load.graph->addContext({}, m_load.name, "model", "", {}, graph::kNoSource),
              m_options) {
  m_load.graph->keepPairs(false);
}

void TrialLowering::addInputs() {
  const auto nowhere = [&](int) -> graph::Sequence& { return m_unused; };
  StreamLowering(m_scope).lowerInputs(m_model, m_load, nowhere, nowhere);
}

void TrialLowering::addVariable(const std::string& name, const numerics::HostTensor& value) {
  m_scope.keepVariable(name, m_load.graph->addVariable(m_scope.deviceType(value.type()), value.shape(), name), m_unused);
}

std::int64_t TrialLowering::bytesOf(const TensorType& type) const {
  return numerics::elementCount(type.shape) * std::int64_t(numerics::deviceSize(m_scope.deviceType(type.type)));
}

TrialLowering::Cost TrialLowering::costOf(const Node& node) {
  const std::string signature = nodeSignature(m_model.graph, node);
  const auto known = m_known.find(signature);
  if (!signature.empty() && known != m_known.end() && known->second.cycles > 0) {
    for (const std::string& name : node.outputs) {
      if (name.empty()) continue;
      const TensorType& type = m_scope.type(name);
      const auto tensor = m_load.graph->addVariable(m_scope.deviceType(type.type), type.shape, name);
      ops::OpBuilder(*m_load.graph, m_unused, m_scope.contexts().root()).mapLinearly(tensor);
      m_scope.set(name, tensor);
    }
    m_scope.uses().wasRead(node);
    return known->second;
  }
  const std::size_t before = m_load.graph->variables().size();
  graph::Sequence program;
  m_scope.lowerNodes(std::span<const Node>(&node, 1), program, false);
  const ops::ProgramCost whole = ops::programCost(*m_load.graph, *program.program());
  Cost cost{whole.cycles, 0, whole.steps, m_kinds++};
  const auto& variables = m_load.graph->variables();
  std::int64_t made = 0, results = 0;
  for (std::size_t i = before; i < variables.size(); ++i)
    if (!variables[i].alwaysLive && !variables[i].initial)
      made += std::max(variables[i].bytes().value(), variables[i].extraBytes.sum());
  for (const std::string& name : node.outputs)
    if (!name.empty()) results += bytesOf(m_scope.type(name));
  cost.temporaryBytes = std::max(results, std::int64_t(kAtOnce * double(made)));
  return m_known[signature] = cost;
}

} // namespace simcore::model
