// Objects that the host finds by name (streams, remote buffers, host functions, handles), and measurements of programs.
#include "simcore/graph/graph.h"

#include "reports/core/error.h"

#include <algorithm>

namespace simcore::graph {

using reports::Error;
using reports::ErrorCode;

void Graph::requireFreeHandle(const std::string& handle) const {
  const auto taken = [&](const auto& list, auto nameOf) {
    return std::any_of(list.begin(), list.end(), [&](const auto& x) { return nameOf(x) == handle; });
  };
  if (handle.empty()) throw Error(ErrorCode::InvalidInput, "a handle must not be empty", "host handle");
  if (taken(streams(), [](const Stream& s) -> const std::string& { return s.name; }) ||
      taken(remoteBuffers(), [](const RemoteBuffer& b) -> const std::string& { return b.handle; }) ||
      taken(hostFunctions(), [](const HostFunction& f) -> const std::string& { return f.handle; }))
    throw Error(ErrorCode::InvalidInput, "the graph has a stream, remote buffer or host function of this handle already", handle);
}

StreamId Graph::addHostToDeviceFifo(std::string handle, ElementType type, int64_t elements, StreamOptions options) {
  return addStream({std::move(handle), StreamDirection::HostToDevice, type, elements, options});
}

StreamId Graph::addDeviceToHostFifo(std::string handle, ElementType type, int64_t elements, StreamOptions options) {
  return addStream({std::move(handle), StreamDirection::DeviceToHost, type, elements, options});
}

StreamId Graph::addStream(Stream stream) {
  requireFreeHandle(stream.name);
  if (stream.elements < 0 || stream.options.bufferingDepth < 0)
    throw Error(ErrorCode::InvalidInput,
                "a stream cannot move " + std::to_string(stream.elements) + " elements through " +
                    std::to_string(stream.options.bufferingDepth) + " buffers",
                stream.name);
  auto& streams = edit().streams;
  streams.push_back(std::move(stream));
  return {uint32_t(streams.size() - 1)};
}

RemoteBuffer Graph::addRemoteBuffer(std::string handle, ElementType type, int64_t elements, int64_t repeats, bool rearrangeOnHost,
                                    bool optimiseMemory) {
  requireFreeHandle(handle);
  if (elements < 1 || repeats < 1)
    throw Error(ErrorCode::InvalidInput,
                "a remote buffer cannot have " + std::to_string(repeats) + " rows of " + std::to_string(elements) + " elements",
                handle);
  auto& buffers = edit().remoteBuffers;
  buffers.push_back({uint32_t(buffers.size()), std::move(handle), type, elements, repeats, rearrangeOnHost, optimiseMemory});
  return buffers.back();
}

HostFunction Graph::addHostFunction(std::string handle, std::vector<HostFunctionArgument> inputs,
                                    std::vector<HostFunctionArgument> outputs) {
  requireFreeHandle(handle);
  HostFunction f;
  for (const auto& a : inputs)
    f.inputStreams.push_back(addDeviceToHostFifo(handle + ".in" + std::to_string(f.inputStreams.size()), a.type, a.elements));
  for (const auto& a : outputs)
    f.outputStreams.push_back(addHostToDeviceFifo(handle + ".out" + std::to_string(f.outputStreams.size()), a.type, a.elements));
  f.handle = std::move(handle);
  f.inputs = std::move(inputs);
  f.outputs = std::move(outputs);
  edit().hostFunctions.push_back(f);
  return f;
}

HostHandle& Graph::hostHandle(const std::string& handle, const Tensor& tensor) {
  if (!tensor.valid()) throw Error(ErrorCode::InvalidInput, "a host handle needs a tensor", handle);
  const auto found = hostHandles().find(handle);
  if (found != hostHandles().end() && found->second.tensor.contiguousRegions() != tensor.contiguousRegions())
    throw Error(ErrorCode::InvalidInput, "the handle names another tensor already", handle);
  for (const VariableId v : tensor.variables()) variable(v).alwaysLive = true; // the host may access it at any time
  HostHandle& h = edit().hostHandles[handle];
  h.tensor = tensor;
  return h;
}

void Graph::createHostRead(const std::string& handle, const Tensor& tensor) { hostHandle(handle, tensor).read = true; }
void Graph::createHostWrite(const std::string& handle, const Tensor& tensor) {
  requireWritable(tensor, handle);
  hostHandle(handle, tensor).write = true;
}

void Graph::requireWritable(const Tensor& tensor, const std::string& where) const {
  for (const VariableId v : tensor.variables())
    if (variable(v).category == MemoryCategory::Constant)
      throw Error(ErrorCode::InvalidInput, "'" + fullName(v) + "' is a constant, which nothing can write", where,
                  "use addVariable and setInitialValue");
}

Tensor Graph::cycleCount(Sequence& sequence, TileId tile, SyncType sync, const std::string& name) {
  const Tensor cycles = addVariable(ElementType::UInt32, {2}, name);
  setTileMapping(cycles, tile);
  variable(cycles.wholeVariable()).alwaysLive = true;
  const auto stamp = [&](int64_t end) {
    auto n = std::make_shared<ProgramNode>();
    n->kind = ProgramNode::Kind::CycleStamp;
    n->name = name;
    n->count = end;
    n->destination = cycles;
    return n;
  };
  Sequence measured(name);
  measured.add(program::sync(sync));
  measured.add(stamp(0));
  measured.add(sequence);
  measured.add(program::sync(sync));
  measured.add(stamp(1));
  sequence = std::move(measured);
  return cycles;
}

} // namespace simcore::graph
