// The program of a training step: loops around micro-batches and updates, and where outputs leave.
#include "simcore/model/lowering_scope.h"
#include "simcore/model/training.h"
#include "simcore/ops/ops.h"

#include <algorithm>
#include <filesystem>

namespace simcore::model {

using graph::Sequence;
using graph::Tensor;
using numerics::ElementType;
using reports::Error;
using reports::ErrorCode;

namespace {

class TrainingLowering {
public:
  TrainingLowering(const TrainingModel& training, const arch::Machine& machine, const TrainingLoweringOptions& options)
      : m_t(training), m_options(options), m_source(training.model.graph) {
    m_load.name = std::filesystem::path(training.model.file).stem().string();
    m_load.title = m_source.name.empty() ? m_load.name : m_source.name;
    m_load.graph = std::make_shared<graph::Graph>(machine);
    m_root = m_load.graph->addContext({}, m_load.name, "model", "");
  }

  graph::Workload lower() {
    if (m_options.batchesPerStep < 1 || m_options.everyN < 1 ||
        (m_options.anchor == Anchor::EveryN && m_options.batchesPerStep % m_options.everyN))
      throw Error(ErrorCode::InvalidInput, "batches per step must be at least 1 and a multiple of the anchor's period");
    graph::Graph& g = *m_load.graph;
    LoweringScope scope(m_source, nullptr, g, m_root, m_options.lowering);
    m_scope = &scope;
    for (const auto& [name, value] : m_t.variables) {
      // Optimiser state and sums keep their type whatever the precision of weights and activations.
      const bool isParameter = std::find(m_t.parameters.begin(), m_t.parameters.end(), name) != m_t.parameters.end();
      const ElementType type = isParameter ? scope.deviceType(value.type()) : value.type();
      const Tensor variable = g.addVariable(type, value.shape(), name, m_root);
      g.setInitialValue(variable, value);
      scope.set(name, variable);
      scope.protect(name);
    }
    Sequence micro;
    addInputs(micro);
    const std::span<const Node> nodes(m_source.nodes);
    scope.lowerNodes(nodes.subspan(0, m_t.microBatchNodes), micro, true);
    addStreams();
    if (m_options.anchor == Anchor::All) send(micro, m_outputs);
    if (m_options.anchor == Anchor::Sum) sumUp(micro);
    Sequence batch;
    addLoop(batch, micro, m_t.accumulation, "microBatches");
    scope.lowerNodes(nodes.subspan(m_t.microBatchNodes), batch, true);
    m_load.programs = {{"step", aroundBatches(batch).program()}};
    return std::move(m_load);
  }

private:
  void addInputs(Sequence& program) {
    graph::Graph& g = *m_load.graph;
    for (const auto& input : m_source.inputs) {
      const TensorType& type = m_source.types.at(input.name);
      const ElementType onDevice = m_scope->deviceType(type.type);
      const Tensor tensor = g.addVariable(onDevice, type.shape, input.name, m_root);
      g.mapTensorLinearly(tensor);
      m_scope->set(input.name, tensor);
      m_scope->protect(input.name);
      program.add(
          graph::program::copy(g.addHostToDeviceFifo(input.name, onDevice, tensor.numElements()), tensor, input.name, m_root));
      m_load.inputs[input.name] = {};
    }
  }

  void addStreams() {
    for (const auto& output : m_source.outputs) {
      const Tensor tensor = m_scope->tensor(output.name);
      m_outputs.push_back(tensor);
      m_streams.push_back(m_load.graph->addDeviceToHostFifo(output.name, tensor.elementType(), tensor.numElements()));
      m_load.outputs.push_back(output.name);
    }
  }

  void send(Sequence& program, const std::vector<Tensor>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      program.add(graph::program::copy(values[i], m_streams[i], m_load.outputs[i], m_root));
  }

  // Sums of the outputs beside them, from zero at every run.
  void sumUp(Sequence& micro) {
    for (std::size_t i = 0; i < m_outputs.size(); ++i) {
      const std::string name = m_load.outputs[i] + "/sum";
      const Tensor sum = m_load.graph->addVariable(m_outputs[i].elementType(), m_outputs[i].shape(), name, m_root);
      ops::OpBuilder builder(*m_load.graph, micro, m_load.graph->addContext(m_root, name, "model", "anchor"));
      m_load.graph->setDistribution(sum, builder.linear(sum.numElements(), sum.elementType()));
      ops::zero(builder.into(m_before), sum);
      ops::scaledAddTo(builder, sum, m_outputs[i], 1);
      m_sums.push_back(sum);
    }
  }

  void addLoop(Sequence& program, const Sequence& body, std::int64_t times, const std::string& name) {
    if (times == 1)
      program.add(body);
    else
      program.add(graph::program::repeat(times, body, name, m_root));
  }

  Sequence aroundBatches(const Sequence& batch) {
    Sequence step;
    if (!m_before.empty()) step.add(m_before);
    if (m_options.anchor == Anchor::EveryN) {
      Sequence period;
      addLoop(period, batch, m_options.everyN, "batches");
      send(period, m_outputs);
      addLoop(step, period, m_options.batchesPerStep / m_options.everyN, "periods");
      return step;
    }
    addLoop(step, batch, m_options.batchesPerStep, "batches");
    if (m_options.anchor == Anchor::Final) send(step, m_outputs);
    if (m_options.anchor == Anchor::Sum) send(step, m_sums);
    return step;
  }

  const TrainingModel& m_t;
  const TrainingLoweringOptions& m_options;
  const Graph& m_source;
  graph::Workload m_load;
  reports::DebugContextId m_root;
  LoweringScope* m_scope = nullptr;
  std::vector<Tensor> m_outputs, m_sums;
  std::vector<graph::StreamId> m_streams;
  Sequence m_before;
};

} // namespace

graph::Workload lowerTraining(const TrainingModel& training, const arch::Machine& machine,
                              const TrainingLoweringOptions& options) {
  try {
    return TrainingLowering(training, machine, options).lower();
  } catch (const reports::Cancelled&) {
    throw;
  } catch (const Error& error) {
    throw error.within(training.model.file);
  }
}

} // namespace simcore::model
