// Intervals, indices and small tensor functions for libraries and programs.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Interval.hpp"
#include "poplar/Program.hpp"
#include "poplar/Target.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/TensorCloneMethod.hpp"
#include "poplar/Type.hpp"

#include <algorithm>
#include <cassert>
#include <climits>
#include <cstddef>
#include <string>
#include <vector>

namespace poputil {

// Sorts intervals and joins neighbours.
void mergeAdjacentRegions(std::vector<poplar::Interval>& regions);
void mergeAdjacentRegions(std::vector<std::vector<poplar::Interval>>& mapping);
// The intervals of all tiles in one list, joined.
std::vector<poplar::Interval> flattenIntervals(const std::vector<std::vector<poplar::Interval>>& intervals);
// Distributes elements over at most `maxPartitions` parts in whole grains, as evenly as the limits allow.
std::vector<std::vector<poplar::Interval>> splitRegions(const std::vector<poplar::Interval>& regions, unsigned grainSize,
                                                        unsigned maxPartitions, unsigned minElementsPerPartition = 0,
                                                        unsigned maxElementsPerPartition = UINT_MAX,
                                                        unsigned maxElementsPerRegion = UINT_MAX);
std::vector<std::vector<poplar::Interval>> splitRegionsBetweenWorkers(const poplar::Target& target,
                                                                      const std::vector<poplar::Interval>& regions,
                                                                      unsigned grainSize, unsigned minElementsPerPartition = 0,
                                                                      unsigned maxElementsPerPartition = UINT_MAX,
                                                                      unsigned maxElementsPerRegion = UINT_MAX);
// The same for sequences of intervals, as from getSortedContiguousRegions: each part is a list of sequences; a sequence is cut at
// the end of a part.
std::vector<std::vector<std::vector<poplar::Interval>>> splitRegions(const std::vector<std::vector<poplar::Interval>>& regions,
                                                                     unsigned grainSize, unsigned maxPartitions,
                                                                     unsigned minElementsPerPartition = 0,
                                                                     unsigned maxElementsPerPartition = UINT_MAX,
                                                                     unsigned maxElementsPerRegion = UINT_MAX);
std::vector<std::vector<std::vector<poplar::Interval>>>
splitRegionsBetweenWorkers(const poplar::Target& target, const std::vector<std::vector<poplar::Interval>>& regions,
                           unsigned grainSize, unsigned minElementsPerPartition = 0, unsigned maxElementsPerPartition = UINT_MAX,
                           unsigned maxElementsPerRegion = UINT_MAX);
// For a tensor that was joined from slices at `intervals`: its intervals in the order that restores the original tensor.
std::vector<poplar::Interval> calculateUnshufflingIntervals(const std::vector<poplar::Interval>& intervals);

// The index of an element in each dimension from its index in row-major order, and back.
template<class T> std::vector<T> unflattenIndex(const std::vector<T>& shape, std::size_t index) {
  std::vector<T> place(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    place[d] = static_cast<T>(index % shape[d]);
    index /= shape[d];
  }
  return place;
}
template<class T> std::size_t flattenIndex(const std::vector<T>& shape, const std::vector<T>& indices) {
  assert(indices.size() == shape.size());
  std::size_t index = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) index = index * shape[d] + indices[d];
  return index;
}
std::size_t intervalSequenceNumElements(const std::vector<std::vector<poplar::Interval>>& sequence);

// Returns a copy on the tiles of the original.
poplar::Tensor duplicate(poplar::Graph& graph, const poplar::Tensor& in, poplar::program::Sequence& prog,
                         const poplar::DebugContext& debugContext = {},
                         poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
// n variables like the tensor, as one tensor with an additional first dimension.
poplar::Tensor cloneN(poplar::Graph& graph, const poplar::Tensor& tensor, unsigned n,
                      const poplar::DebugContext& debugContext = {},
                      poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
// Returns `splitCount` numbers that differ by at most 1 and sum to `rangeUpperBound`.
std::vector<int> balancedPartition(int rangeUpperBound, int splitCount);
// Returns the half nearest to `input`.
double castToDeviceHalfValue(const poplar::Target& target, double input);
// Whether the value survives a cast with a relative error of at most `tolerance`.
bool checkAccuracyWhenCast(const poplar::Target& target, double input, poplar::Type inputType, poplar::Type outputType,
                           double tolerance);
// Splits dimensions from `startDim` on into [dim / factor, ..] followed by [factor, ..], and the inverse.
poplar::Tensor factorDims(const poplar::Tensor& tensor, const std::vector<std::size_t>& factors, unsigned startDim = 0);
poplar::Tensor unfactorDims(const poplar::Tensor& tensor, unsigned numDims, unsigned startDim = 0);

} // namespace poputil
