#include "simcore/model/parallel/io_tiles.h"

#include "reports/core/error.h"

#include <algorithm>
#include <numeric>

namespace simcore::model {

arch::Machine withIoTiles(arch::Machine machine, std::int64_t ioTiles) {
  if (ioTiles < 0 || ioTiles >= machine.tilesPerIpu)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         std::to_string(ioTiles) + " I/O tiles leave none that compute: an IPU of " + machine.name + " has " +
                             std::to_string(machine.tilesPerIpu) + " tiles",
                         "--io-tiles",
                         "take as many as hold the bytes of a batch's inputs and outputs, e.g. 32, and fewer than " +
                             std::to_string(machine.tilesPerIpu));
  machine.ioTiles = int(ioTiles);
  if (ioTiles > 0) machine.title += ", " + std::to_string(ioTiles) + " I/O tiles each IPU";
  return machine;
}

graph::Graph computeGraph(const arch::Machine& machine) {
  graph::Graph whole(machine);
  if (machine.ioTiles == 0) return whole;
  std::vector<std::int64_t> compute(std::size_t(machine.computeTiles()));
  std::iota(compute.begin(), compute.end(), 0);
  return whole.createVirtualGraph(compute);
}

graph::Tensor hostBuffer(graph::Graph& graph, const graph::Tensor& value, const std::string& name,
                         reports::DebugContextId context, int ipu) {
  const arch::Machine& machine = graph.machine();
  const std::int64_t end = std::int64_t(ipu + 1) * machine.tilesPerIpu, elements = value.numElements(),
                     size = std::int64_t(numerics::deviceSize(value.elementType()));
  const graph::Tensor buffer = graph.addVariable(value.elementType(), value.shape(), name, context);
  graph.setDistribution(buffer,
                        graph::Distribution::linear(std::max<std::int64_t>(1, elements), size, 0, {end - machine.ioTiles, end},
                                                    std::max<std::int64_t>(1, machine.tile.dataPathBytes / size)));
  return buffer;
}

} // namespace simcore::model
