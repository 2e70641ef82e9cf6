// Objects that the host addresses by name: streams, remote buffers, handles and functions. Also programs that measure.
#include "poplar/CSRFunctions.hpp"
#include "poplar/CycleCount.hpp"
#include "poplar/Graph.hpp"
#include "poplar/RandomSeed.hpp"
#include "simcore/poplar/graph/handles.h"
#include "simcore/poplar/inner.h"

namespace poplar {

namespace graph = simcore::graph;
using simcore::poplar::asPoplar;
using simcore::poplar::asPoplarOr;
using simcore::poplar::inner;
using simcore::poplar::named;
using simcore::poplar::outer;
using simcore::poplar::warnOnce;

namespace {
graph::StreamOptions optionsOf(const OptionFlags& flags, ReplicatedStreamMode mode) {
  graph::StreamOptions options;
  options.mode =
      mode == ReplicatedStreamMode::BROADCAST ? graph::ReplicatedStreamMode::Broadcast : graph::ReplicatedStreamMode::Replicate;
  for (const auto& [name, value] : flags) {
    if (name == "bufferingDepth") {
      try {
        options.bufferingDepth = std::stoll(value);
      } catch (const std::exception&) {
        throw invalid_option("bufferingDepth: '" + value + "' is not a number of buffers");
      }
    } else if (name != "splitLimit" && name != "addressable") {
      warnOnce("stream option '" + name + "' is not known and has no effect");
    }
  }
  return options;
}
} // namespace

DataStream Graph::addHostToDeviceFIFO(StringRef handle, const Type& type, std::size_t elements, ReplicatedStreamMode mode,
                                      const OptionFlags& options) {
  return asPoplarOr<stream_connection_error>([&] {
    DataStream stream;
    stream.m_id = inner(*this).addHostToDeviceFifo(handle, inner(type), int64_t(elements), optionsOf(options, mode)).value;
    stream.m_handle = handle.cloneAsString();
    stream.m_type = DataStreamType::HostToDeviceFIFO;
    stream.m_elements = elements;
    stream.m_elementType = type;
    stream.m_mode = mode;
    stream.m_replicas = getReplicationFactor();
    return stream;
  });
}
DataStream Graph::addDeviceToHostFIFO(StringRef handle, const Type& type, std::size_t elements, ReplicatedStreamMode mode,
                                      const OptionFlags& options) {
  return asPoplarOr<stream_connection_error>([&] {
    DataStream stream;
    stream.m_id = inner(*this).addDeviceToHostFifo(handle, inner(type), int64_t(elements), optionsOf(options, mode)).value;
    stream.m_handle = handle.cloneAsString();
    stream.m_type = DataStreamType::DeviceToHostFIFO;
    stream.m_elements = elements;
    stream.m_elementType = type;
    stream.m_mode = mode;
    stream.m_replicas = getReplicationFactor();
    return stream;
  });
}
DataStream Graph::addDeviceToHostFIFO(StringRef handle, const Type& type, std::size_t elements, const OptionFlags& options) {
  return addDeviceToHostFIFO(handle, type, elements, ReplicatedStreamMode::REPLICATE, options);
}
RemoteBuffer Graph::addRemoteBuffer(StringRef handle, const Type& type, std::size_t elements, std::size_t repeats,
                                    bool rearrangeOnHost, bool optimiseMemory) {
  return asPoplarOr<stream_connection_error>([&] {
    const auto made =
        inner(*this).addRemoteBuffer(handle, inner(type), int64_t(elements), int64_t(repeats), rearrangeOnHost, optimiseMemory);
    RemoteBuffer buffer;
    buffer.m_id = made.id;
    buffer.m_handle = made.handle;
    buffer.m_elements = elements;
    buffer.m_repeats = repeats;
    buffer.m_elementType = type;
    buffer.m_rearrangeOnHost = rearrangeOnHost;
    buffer.m_optimiseMemory = optimiseMemory;
    simcore::poplar::ignoreArgument(rearrangeOnHost, "Graph::addRemoteBuffer", "rearrangeOnHost");
    simcore::poplar::ignoreArgument(optimiseMemory, "Graph::addRemoteBuffer", "optimiseMemory");
    return buffer;
  });
}
namespace {
[[noreturn]] void throwSecond(const char* call, const std::string& handle) {
  throw poplar_error(std::string("Graph::") + call + ": the graph has the handle '" + handle + "' already");
}
} // namespace
void Graph::createHostRead(StringRef handle, const Tensor& tensor, bool rearrangeOnHost) {
  simcore::poplar::ignoreArgument(rearrangeOnHost, "Graph::createHostRead", "rearrangeOnHost");
  const auto known = inner(*this).hostHandles().find(handle);
  if (known != inner(*this).hostHandles().end() && known->second.read) throwSecond("createHostRead", handle);
  asPoplarOr<tensor_io_state_error>([&] { inner(*this).createHostRead(handle, inner(tensor)); });
}
void Graph::createHostWrite(StringRef handle, const Tensor& tensor, bool rearrangeOnHost) {
  simcore::poplar::ignoreArgument(rearrangeOnHost, "Graph::createHostWrite", "rearrangeOnHost");
  const auto known = inner(*this).hostHandles().find(handle);
  if (known != inner(*this).hostHandles().end() && known->second.write) throwSecond("createHostWrite", handle);
  asPoplarOr<tensor_io_state_error>([&] { inner(*this).createHostWrite(handle, inner(tensor)); });
}
HostFunction Graph::addHostFunction(StringRef handle, ArrayRef<HostFunctionArgument> inputs,
                                    ArrayRef<HostFunctionArgument> outputs) {
  return asPoplarOr<stream_connection_error>([&] {
    const auto arguments = [](ArrayRef<HostFunctionArgument> list) {
      std::vector<graph::HostFunctionArgument> all;
      for (const auto& [type, elements] : list) all.push_back({inner(type), int64_t(elements)});
      return all;
    };
    auto made =
        std::make_shared<const graph::HostFunction>(inner(*this).addHostFunction(handle, arguments(inputs), arguments(outputs)));
    return HostFunction(handle, std::move(made));
  });
}
Function Graph::addFunction(const program::Program& program) {
  return asPoplar([&] {
    graph::Program body = inner(program);
    if (!body) body = graph::Sequence().program();
    return Function(inner(*this).addFunction("function " + std::to_string(inner(*this).functions().size()), body).value);
  });
}

FunctionBuffer Graph::addFunctionBuffer(const Function& function, FunctionBufferMappingType mapping) {
  if (std::size_t(function.id()) >= inner(*this).functions().size())
    throw poplar_error("Graph::addFunctionBuffer: the graph has no such function");
  return {function, mapping};
}

std::ostream& operator<<(std::ostream& out, const DataStream& stream) {
  return out << stream.type() << " '" << stream.handle() << "' of " << stream.numElements() << ' ' << stream.elementType();
}
std::ostream& operator<<(std::ostream& out, const RemoteBuffer& buffer) {
  return out << "RemoteBuffer '" << buffer.handle() << "' of " << buffer.getRepeats() << " x " << buffer.numElements() << ' '
             << buffer.elementType();
}

// ---- measuring --------------------------------------------------------------------------------------------------------

Tensor cycleCount(Graph& g, program::Sequence& sequence, unsigned tile, SyncType sync, const DebugContext& context) {
  return asPoplarOr<invalid_tile_mapping>([&] {
    const auto how = sync == SyncType::INTERNAL   ? graph::SyncType::Internal
                     : sync == SyncType::EXTERNAL ? graph::SyncType::External
                                                  : graph::SyncType::Global;
    const std::string name = context.getPathName();
    return outer(
        inner(g).cycleCount(inner(sequence), reports::TileId(std::size_t(tile)), how, name.empty() ? "cycleCount" : name));
  });
}
Tensor cycleCount(Graph& g, program::Sequence& sequence, unsigned tile, const DebugContext& context) {
  return cycleCount(g, sequence, tile, SyncType::INTERNAL, context);
}
std::vector<Tensor> cycleStamp(Graph& g, program::Sequence& sequence, const std::vector<unsigned>& tiles, SyncType sync,
                               const DebugContext& context) {
  std::vector<Tensor> stamps;
  sequence.add(program::Sync(sync, context));
  for (const unsigned tile : tiles) {
    const Tensor stamp = g.addVariable(UNSIGNED_INT, {2}, context);
    g.setTileMapping(stamp, tile);
    asPoplar([&] {
      inner(g).variable(inner(stamp).wholeVariable()).alwaysLive = true;
      auto node = std::make_shared<graph::ProgramNode>();
      node->kind = graph::ProgramNode::Kind::CycleStamp;
      node->name = context.getPathName().empty() ? "cycleStamp" : context.getPathName();
      node->count = 2;
      node->destination = inner(stamp);
      inner(sequence).add(std::move(node));
    });
    stamps.push_back(stamp);
  }
  return stamps;
}
Tensor cycleStamp(Graph& g, program::Sequence& sequence, unsigned tile, SyncType sync, const DebugContext& context) {
  return cycleStamp(g, sequence, std::vector<unsigned>{tile}, sync, context).at(0);
}

// ---- floating point and random numbers --------------------------------------------------------------------------------

FloatingPointBehaviour operator|(const FloatingPointBehaviour& a, const FloatingPointBehaviour& b) {
  return {a.inv || b.inv, a.div0 || b.div0, a.oflo || b.oflo, a.esr || b.esr, a.nanoo || b.nanoo};
}
FloatingPointBehaviour operator&(const FloatingPointBehaviour& a, const FloatingPointBehaviour& b) {
  return {a.inv && b.inv, a.div0 && b.div0, a.oflo && b.oflo, a.esr && b.esr, a.nanoo && b.nanoo};
}
FloatingPointBehaviour operator~(const FloatingPointBehaviour& a) { return {!a.inv, !a.div0, !a.oflo, !a.esr, !a.nanoo}; }

void setFloatingPointBehaviour(Graph& g, program::Sequence& program, const FloatingPointBehaviour& b,
                               const DebugContext& context) {
  asPoplar([&] {
    inner(g);
    inner(program).add(graph::program::setFloatingPointBehaviour({b.inv, b.div0, b.oflo, b.esr, b.nanoo}, context.getPathName()));
  });
}
void setFloatingPointBehaviour(Graph&, program::Sequence&, const Tensor&, const DebugContext&) {
  throw poplar_error("setFloatingPointBehaviour from a tensor is not simulated: give a FloatingPointBehaviour");
}
void setStochasticRounding(Graph& g, program::Sequence& program, bool enable, const DebugContext& context) {
  FloatingPointBehaviour b(false, false, false, enable, false);
  setFloatingPointBehaviour(g, program, b, context);
}
Tensor getAndModifyFloatingPointBehaviour(Graph&, program::Sequence&, const FloatingPointBehaviour&,
                                          const FloatingPointBehaviour&, const DebugContext&) {
  throw poplar_error("getAndModifyFloatingPointBehaviour is not simulated: use setFloatingPointBehaviour");
}

Tensor getHwSeeds(Graph& g, program::Sequence&, const DebugContext& context) {
  const std::size_t tiles = g.getTarget().getNumTiles(), workers = g.getTarget().getNumWorkerContexts();
  const Tensor seeds = g.addVariable(UNSIGNED_INT, {tiles, workers, 4}, context);
  for (std::size_t t = 0; t < tiles; ++t) g.setTileMapping(seeds[t], unsigned(t));
  g.setInitialValue(seeds, 0u);
  warnOnce("getHwSeeds gives zeros here: programs cannot read the seeds of the simulator's generators");
  return seeds;
}
void setHwSeeds(Graph&, const Tensor&, program::Sequence&, const DebugContext&) {
  warnOnce("setHwSeeds has no effect here: each worker's generator continues from its own state");
}

} // namespace poplar
