#include "simcore/model/lowering/stream_lowering.h"

#include "simcore/ops/program/host_transfer.h"

namespace simcore::model {

void StreamLowering::lowerInputs(const Model& model, graph::Workload& load, const ProgramOfStage& toDevice,
                                 const ProgramOfStage& loadFrom) {
  graph::Graph& target = m_scope.target();
  const reports::DebugContextId context = m_scope.contexts().root();
  ops::StageRoutes* routes = m_scope.routes();
  graph::Sequence none;
  for (const auto& input : model.graph.inputs) {
    const TensorType& type = model.inputTypes.at(input.name);
    const ElementType onDevice = m_scope.deviceType(type.type);
    const graph::Tensor tensor = target.addVariable(onDevice, type.shape, input.name, context);
    const int ipu = m_scope.ipuOfFirstReader(input.name), stage = m_scope.stageOf(m_scope.firstReader(input.name));
    if (routes) routes->enter(stage, nullptr);
    if (target.machine().ipus == 1)
      target.mapTensorLinearly(tensor);
    else
      ops::OpBuilder(target, none, context, true, ipu).mapLinearly(tensor);
    m_scope.set(input.name, tensor);
    m_scope.uses().protect(input.name);
    const auto stream = target.addHostToDeviceFifo(input.name, onDevice, tensor.numElements());
    load.inputs[input.name] = {};
    if (target.machine().ioTiles == 0) {
      toDevice(stage).add(graph::program::copy(stream, tensor, input.name, context));
      continue;
    }
    const graph::Tensor buffer = ops::hostBuffer(target, tensor, input.name + "/io", context, ipu);
    loadFrom(stage).add(graph::program::copy(stream, buffer, input.name, context));
    toDevice(stage).add(graph::program::copy(buffer, tensor, "ioTileCopy/" + input.name, context));
  }
}

void StreamLowering::send(const graph::Tensor& value, graph::StreamId stream, const std::string& name, graph::Sequence& toHost,
                          graph::Sequence& store) {
  graph::Graph& target = m_scope.target();
  const reports::DebugContextId context = m_scope.contexts().root();
  if (target.machine().ioTiles == 0) return toHost.add(graph::program::copy(value, stream, name, context));
  const graph::Tensor buffer = ops::hostBuffer(target, value, name + "/io", context, std::max(0, ops::ipuOf(target, value)));
  toHost.add(graph::program::copy(value, buffer, "ioTileCopy/" + name, context));
  store.add(graph::program::copy(buffer, stream, name, context));
}

void StreamLowering::lowerOutputs(graph::Workload& load, const ProgramOfStage& toHost, const ProgramOfStage& store) {
  graph::Graph& target = m_scope.target();
  const reports::DebugContextId context = m_scope.contexts().root();
  const ops::StageRoutes* routes = m_scope.routes();
  load.outputs = outputStreams(m_scope.source());
  for (std::size_t i = 0; i < m_scope.source().outputs.size(); ++i) {
    const std::string& name = m_scope.source().outputs[i].name;
    const graph::Tensor value = m_scope.tensor(name);
    if (m_scope.constant(name)) { // no node has read it, so it is not placed yet
      graph::Sequence none;
      ops::OpBuilder(target, none, context).layoutOf(value);
    }
    const auto stream = target.addDeviceToHostFifo(load.outputs[i], value.elementType(), value.numElements());
    const int stage = routes && routes->knows(name) ? routes->stageOf(name) : std::max(0, ops::ipuOf(target, value));
    send(value, stream, load.outputs[i], toHost(stage), store(stage));
  }
}

} // namespace simcore::model
