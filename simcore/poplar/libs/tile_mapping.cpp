#include "poputil/TileMapping.hpp"

#include "poputil/Util.hpp"
#include "simcore/ops/collective/inter_ipu.h"
#include "simcore/poplar/libs/library_call.h"

#include <algorithm>
#include <map>
#include <set>

namespace poputil {

using namespace simcore::poplar::names;
using poplar::Interval;
using poplar::Target;
using Mapping = std::vector<std::vector<Interval>>;

namespace {

constexpr unsigned kLeastBytes = 128; // of a share

std::size_t ceilDiv(std::size_t a, std::size_t b) { return b == 0 ? 0 : (a + b - 1) / b; }

std::size_t count(const std::vector<std::size_t>& shape) {
  std::size_t n = 1;
  for (const std::size_t extent : shape) n *= extent;
  return n;
}

// Distributes whole grains over the tiles from `offset` on.
Mapping linear(std::size_t tiles, std::size_t elements, std::size_t least, std::size_t grain, unsigned offset, bool ascending) {
  Mapping mapping(tiles);
  grain = std::max<std::size_t>(1, grain);
  const std::size_t grains = ceilDiv(elements, grain), leastGrains = std::max<std::size_t>(1, ceilDiv(least, grain));
  const std::size_t used = std::max<std::size_t>(1, std::min(tiles, grains / leastGrains));
  for (std::size_t i = 0; i < used; ++i) {
    const std::size_t begin = std::min(elements, grains * i / used * grain),
                      end = std::min(elements, grains * (i + 1) / used * grain);
    if (begin == end) continue;
    mapping[transformTileIndex(unsigned(i), unsigned(tiles), offset, ascending)].push_back(Interval(begin, end));
  }
  return mapping;
}

unsigned leastElements(const Target& target, const poplar::Type& type) {
  const std::size_t size = target.getTypeSize(type);
  return unsigned(ceilDiv(kLeastBytes, size));
}

} // namespace

unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending) {
  return ascending ? (tile + offset) % numTiles : (numTiles - 1 - (tile + offset) % numTiles);
}
unsigned invTransformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending) {
  const unsigned place = ascending ? tile : numTiles - 1 - tile;
  return (place + numTiles - offset % numTiles) % numTiles;
}

Mapping calcLinearTileMapping(const Graph& graph, std::vector<std::size_t> shape, unsigned minElementsPerTile, unsigned grainSize,
                              unsigned offset, bool ascendingOrder) {
  return linear(graph.getTarget().getNumTiles(), count(shape), minElementsPerTile, grainSize, offset, ascendingOrder);
}
Mapping calcLinearTileMapping(const Target& target, std::vector<std::size_t> shape, unsigned minElementsPerTile,
                              unsigned grainSize, unsigned offset, bool ascendingOrder) {
  return linear(target.getNumTiles(), count(shape), minElementsPerTile, grainSize, offset, ascendingOrder);
}
Mapping calcLinearTileMapping(const Target& target, const std::vector<std::size_t> shape, poplar::Type elementType,
                              unsigned offset, bool ascendingOrder) {
  return linear(target.getNumTiles(), count(shape), leastElements(target, elementType), target.getVectorWidth(elementType),
                offset, ascendingOrder);
}
Mapping calcLinearTileMapping(const Graph& graph, const Tensor& tensor, unsigned offset, bool ascendingOrder) {
  return calcLinearTileMapping(graph.getTarget(), tensor.shape(), tensor.elementType(), offset, ascendingOrder);
}
std::pair<Graph::TileToTensorMapping, unsigned> calcLinearTileMappingAndNewOffset(const Graph& graph, const Tensor& tensor,
                                                                                  unsigned offset) {
  Mapping mapping = calcLinearTileMapping(graph, tensor, offset);
  const auto used = std::count_if(mapping.begin(), mapping.end(), [](const auto& tile) { return !tile.empty(); });
  return {std::move(mapping), unsigned((offset + std::size_t(used)) % graph.getTarget().getNumTiles())};
}

void mapTensorLinearly(Graph& graph, const Tensor& tensor, unsigned minElementsPerTile, unsigned grainSize) {
  graph.setTileMapping(tensor, calcLinearTileMapping(graph, tensor.shape(), minElementsPerTile, grainSize));
}
void mapTensorLinearly(Graph& graph, const Tensor& tensor) { graph.setTileMapping(tensor, calcLinearTileMapping(graph, tensor)); }
void mapTensorLinearlyWithOffset(Graph& graph, const Tensor& tensor, unsigned minElementsPerTile, unsigned grainSize,
                                 unsigned offset, bool ascendingOrder) {
  graph.setTileMapping(tensor,
                       calcLinearTileMapping(graph, tensor.shape(), minElementsPerTile, grainSize, offset, ascendingOrder));
}
void mapTensorLinearlyWithOffset(Graph& graph, const Tensor& tensor, unsigned offset, bool ascendingOrder) {
  graph.setTileMapping(tensor, calcLinearTileMapping(graph, tensor, offset, ascendingOrder));
}

std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t>& shape, std::size_t seed) {
  std::size_t mixed = seed;
  for (const std::size_t extent : shape) mixed = (mixed ^ extent) * 0x9e3779b97f4a7c15ULL + (mixed >> 29);
  return numTiles == 0 ? 0 : mixed % numTiles;
}
std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t>& shape) {
  return chooseMappingOffset(numTiles, shape, 0x9e3779b9U);
}

unsigned getTileImbalance(const Graph::TileToTensorMapping& mapping, unsigned minElementsPerTile, unsigned grainSize) {
  std::size_t most = 0, all = 0;
  for (const auto& tile : mapping) {
    std::size_t here = 0;
    for (const Interval& i : tile) here += i.size();
    most = std::max(most, here);
    all += here;
  }
  const std::size_t grain = std::max(1U, grainSize);
  const std::size_t balanced =
      std::max<std::size_t>(minElementsPerTile, ceilDiv(ceilDiv(all, grain), std::max<std::size_t>(1, mapping.size())) * grain);
  return most > balanced ? unsigned(most - balanced) : 0;
}
unsigned getTileImbalance(const Graph& graph, const Tensor& tensor, unsigned minElementsPerTile, unsigned grainSize) {
  return getTileImbalance(graph.getTileMapping(tensor), minElementsPerTile, grainSize);
}

Tensor cloneToIpu(Graph& graph, const Tensor& tensor, unsigned dstIPU, const DebugContext& debugContext,
                  poplar::TensorCloneMethod method) {
  const unsigned tiles = graph.getTarget().getTilesPerIPU();
  if (dstIPU >= graph.getTarget().getNumIPUs())
    throw poplibs_error("poputil::cloneToIpu: the graph has no IPU " + std::to_string(dstIPU));
  const Tensor copy = graph.clone(tensor, debugContext, method);
  const auto mapping = graph.getTileMapping(tensor);
  Graph::TileToTensorMapping moved(graph.getTarget().getNumTiles());
  for (std::size_t tile = 0; tile < mapping.size(); ++tile)
    for (const Interval& i : mapping[tile]) moved[dstIPU * tiles + tile % tiles].push_back(i);
  graph.setTileMapping(copy, moved);
  return copy;
}
Tensor cloneToGraph(Graph& srcGraph, Graph& dstGraph, const Tensor& tensor, const DebugContext& debugContext,
                    poplar::TensorCloneMethod method) {
  auto mapping = srcGraph.getTileMapping(tensor);
  const std::size_t tiles = dstGraph.getTarget().getNumTiles();
  for (std::size_t tile = tiles; tile < mapping.size(); ++tile)
    if (!mapping[tile].empty())
      throw poplibs_error("poputil::cloneToGraph: " + tensor.getDebugStr() + " is on tile " + std::to_string(tile) +
                          ", but the other graph has " + std::to_string(tiles) + " tiles");
  mapping.resize(tiles);
  const Tensor copy = srcGraph.clone(tensor, debugContext, method);
  dstGraph.setTileMapping(copy, mapping);
  return copy;
}
Tensor copyToIpu(Graph& graph, const Tensor& tensor, poplar::program::Sequence& prog, unsigned dstIPU,
                 const DebugContext& debugContext, poplar::TensorCloneMethod method) {
  const Tensor copy = cloneToIpu(graph, tensor, dstIPU, debugContext, method);
  prog.add(poplar::program::Copy(tensor, copy, false, debugContext));
  return copy;
}
Tensor createIpuCopy(Graph& graph, const Tensor& tensor, unsigned dstIpu, Tensor& copySrc, Tensor& copyDst,
                     const DebugContext& debugContext, poplar::TensorCloneMethod method) {
  copySrc = tensor;
  copyDst = cloneToIpu(graph, tensor, dstIpu, debugContext, method);
  return copyDst;
}
std::pair<Tensor, unsigned> cloneAndExpandAliasing(Graph& graph, const Tensor& tensor, unsigned offset,
                                                   const DebugContext& debugContext) {
  const Tensor copy = graph.addVariable(tensor.elementType(), tensor.shape(), debugContext);
  auto [mapping, next] = calcLinearTileMappingAndNewOffset(graph, copy, offset);
  graph.setTileMapping(copy, mapping);
  return {copy, next};
}

namespace {
bool isSplit(const Graph& graph, const Tensor& tensor, unsigned dimension, unsigned tilesTogether) {
  const auto mapping = graph.getTileMapping(tensor);
  std::vector<unsigned> place(tensor.numElements(), ~0U);
  for (std::size_t tile = 0; tile < mapping.size(); ++tile)
    for (const Interval& i : mapping[tile])
      std::fill(place.begin() + i.begin(), place.begin() + i.end(), unsigned(tile) / tilesTogether);
  const std::size_t extent = tensor.dim(dimension);
  std::size_t inner = 1;
  for (std::size_t d = dimension + 1; d < tensor.rank(); ++d) inner *= tensor.dim(unsigned(d));
  for (std::size_t e = 0; e + inner < place.size(); ++e)
    if (e / inner % extent + 1 < extent && place[e] != place[e + inner]) return true;
  return false;
}
} // namespace

bool dimIsSplitOverTiles(const Graph& graph, const Tensor& tensor, unsigned dimension) {
  return isSplit(graph, tensor, dimension, 1);
}
bool dimIsSplitOverIPUs(const Graph& graph, const Tensor& tensor, unsigned dimension) {
  return isSplit(graph, tensor, dimension, graph.getTarget().getTilesPerIPU());
}

Tensor createBroadcastOperand(Graph& graph, const Tensor& fullTensor, const poplar::Type& type, unsigned dim, bool ditherMapping,
                              const DebugContext& debugContext) {
  const Tensor operand = graph.addVariable(type, {fullTensor.dim(dim)}, debugContext);
  mapTensorLinearlyWithOffset(
      graph, operand, ditherMapping ? unsigned(chooseMappingOffset(graph.getTarget().getNumTiles(), fullTensor.shape())) : 0);
  return operand;
}

} // namespace poputil
