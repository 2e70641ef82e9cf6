// Tile mappings of tensors: linear mappings, copies on another IPU, and queries.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Target.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/TensorCloneMethod.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace poputil {

// Intervals of the flattened tensor for each tile: equal contiguous shares of whole grains, with at least `minElementsPerTile` on
// each tile that has any. The first share is on tile `offset`; the next follow upwards (downwards if not `ascendingOrder`) and
// wrap around at the end.
std::vector<std::vector<poplar::Interval>> calcLinearTileMapping(const poplar::Graph& graph, std::vector<std::size_t> shape,
                                                                 unsigned minElementsPerTile, unsigned grainSize,
                                                                 unsigned offset = 0, bool ascendingOrder = true);
std::vector<std::vector<poplar::Interval>> calcLinearTileMapping(const poplar::Target& target, std::vector<std::size_t> shape,
                                                                 unsigned minElementsPerTile, unsigned grainSize,
                                                                 unsigned offset = 0, bool ascendingOrder = true);
// The same with at least 128 bytes per tile, in grains of the type's vector width.
std::vector<std::vector<poplar::Interval>> calcLinearTileMapping(const poplar::Graph& graph, const poplar::Tensor& tensor,
                                                                 unsigned offset = 0, bool ascendingOrder = true);
std::vector<std::vector<poplar::Interval>> calcLinearTileMapping(const poplar::Target& target,
                                                                 const std::vector<std::size_t> shape, poplar::Type elementType,
                                                                 unsigned offset = 0, bool ascendingOrder = true);
// Also returns the tile where the next tensor may begin.
std::pair<poplar::Graph::TileToTensorMapping, unsigned>
calcLinearTileMappingAndNewOffset(const poplar::Graph& graph, const poplar::Tensor& tensor, unsigned offset = 0);

void mapTensorLinearly(poplar::Graph& graph, const poplar::Tensor& tensor, unsigned minElementsPerTile, unsigned grainSize);
void mapTensorLinearly(poplar::Graph& graph, const poplar::Tensor& tensor);
void mapTensorLinearlyWithOffset(poplar::Graph& graph, const poplar::Tensor& tensor, unsigned minElementsPerTile,
                                 unsigned grainSize, unsigned offset, bool ascendingOrder = true);
void mapTensorLinearlyWithOffset(poplar::Graph& graph, const poplar::Tensor& tensor, unsigned offset = 0,
                                 bool ascendingOrder = true);

// A first tile derived from the shape alone, so that small tensors are not all on tile 0.
std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t>& shape);
std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t>& shape, std::size_t seed);
// How many more elements the fullest tile has than in a balanced mapping.
unsigned getTileImbalance(const poplar::Graph::TileToTensorMapping& mapping, unsigned minElementsPerTile = 0,
                          unsigned grainSize = 1);
unsigned getTileImbalance(const poplar::Graph& graph, const poplar::Tensor& tensor, unsigned minElementsPerTile = 0,
                          unsigned grainSize = 1);

class TensorUseTrackerState;

// Records which tiles use which elements, and maps the elements there. Elements with several users are divided among them.
class TensorUseTracker {
public:
  enum class MappingMethod {
    OptimizeHaloRegions,         // elements that two neighbouring tiles both use are on the first of them
    ConstrainMappingToUsedTiles, // no element is on a tile that does not use its neighbours, even if a grain is cut
    None
  };

  // `ascendingMappingOrder` and `startTile`: as for transformTileIndex. Calls throw poplibs_error for a tile that it does not have.
  explicit TensorUseTracker(unsigned numTiles, unsigned startTile = 0, bool ascendingMappingOrder = true);
  TensorUseTracker(const TensorUseTracker& other);
  TensorUseTracker(TensorUseTracker&& other) noexcept;
  TensorUseTracker& operator=(const TensorUseTracker& other);
  TensorUseTracker& operator=(TensorUseTracker&& other) noexcept;
  ~TensorUseTracker();

  void add(const poplar::Graph& graph, unsigned tile, const poplar::Tensor& tensor);
  void add(TensorUseTracker other);
  // Assigns each element to one tile: whole grains of `grainSize` elements, at least `minElementsPerTile` if a tile gets any.
  // `extendPartialUsage`: unused elements go where their neighbours are.
  void resolve(const poplar::Graph& graph, unsigned grainSize, unsigned minElementsPerTile, bool extendPartialUsage = false,
               MappingMethod mappingMethod = MappingMethod::None);
  // The same, and maps the variables so.
  void mapTensorsByUse(poplar::Graph& graph, unsigned grainSize, unsigned minElementsPerTile, bool extendPartialUsage = false,
                       MappingMethod mappingMethod = MappingMethod::None);
  bool empty() const;

private:
  std::unique_ptr<TensorUseTrackerState> m_state;
};

// A variable like `tensor` on another IPU of the graph, each element on the tile of the same number.
poplar::Tensor cloneToIpu(poplar::Graph& graph, const poplar::Tensor& tensor, unsigned dstIPU,
                          const poplar::DebugContext& debugContext = {},
                          poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
// Like cloneToIpu(), and `prog` copies the value.
poplar::Tensor copyToIpu(poplar::Graph& graph, const poplar::Tensor& tensor, poplar::program::Sequence& prog, unsigned dstIPU,
                         const poplar::DebugContext& debugContext = {},
                         poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
// A variable like `tensor` in another virtual graph, each element on the tile of the same number.
poplar::Tensor cloneToGraph(poplar::Graph& srcGraph, poplar::Graph& dstGraph, const poplar::Tensor& tensor,
                            const poplar::DebugContext& debugContext = {},
                            poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
// Like copyToIpu() without the copy: the caller copies `copySrc` to `copyDst`.
poplar::Tensor createIpuCopy(poplar::Graph& graph, const poplar::Tensor& tensor, unsigned dstIpu, poplar::Tensor& copySrc,
                             poplar::Tensor& copyDst, const poplar::DebugContext& debugContext = {},
                             poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);
// A variable with the shape of `tensor` and no repeated elements, mapped linearly from tile `offset` on, and the next offset.
std::pair<poplar::Tensor, unsigned> cloneAndExpandAliasing(poplar::Graph& graph, const poplar::Tensor& tensor,
                                                           unsigned offset = 0, const poplar::DebugContext& debugContext = {});

// Whether elements that differ only in this dimension are on several tiles, or IPUs.
bool dimIsSplitOverTiles(const poplar::Graph& graph, const poplar::Tensor& tensor, unsigned dimension);
bool dimIsSplitOverIPUs(const poplar::Graph& graph, const poplar::Tensor& tensor, unsigned dimension);

// A vector [dim(dim)] that broadcasts to `fullTensor`, mapped linearly.
poplar::Tensor createBroadcastOperand(poplar::Graph& graph, const poplar::Tensor& fullTensor, const poplar::Type& type,
                                      unsigned dim, bool ditherMapping = false, const poplar::DebugContext& debugContext = {});

unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending);
unsigned invTransformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending);

} // namespace poputil
