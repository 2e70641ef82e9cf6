#include "poputil/Broadcast.hpp"
#include "poputil/TileMapping.hpp"
#include "poputil/Util.hpp"
#include "poputil/VarStructure.hpp"
#include "simcore/numerics/half.h"
#include "simcore/poplar/libs/library_call.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace poputil {

using namespace simcore::poplar::names;
using poplar::Interval;
using Mapping = std::vector<std::vector<Interval>>;

void expandToMatchRanks(Tensor& a, Tensor& b) {
  Tensor& smaller = a.rank() < b.rank() ? a : b;
  const std::size_t missing = std::max(a.rank(), b.rank()) - smaller.rank();
  if (missing > 0) smaller = smaller.expand(std::vector<std::size_t>(missing, 0));
}
void broadcastToMatch(Tensor& a, const std::vector<std::size_t>& shape) {
  const auto refuse = [&] {
    throw poplibs_error("poputil::broadcastToMatch: " + a.getDebugStr() + " does not broadcast to " +
                        simcore::numerics::toString(sp::sizesOf(shape)));
  };
  if (a.rank() > shape.size()) refuse();
  Tensor wide = a.rank() < shape.size() ? a.expand(std::vector<std::size_t>(shape.size() - a.rank(), 0)) : a;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (wide.dim(unsigned(d)) == shape[d]) continue;
    if (wide.dim(unsigned(d)) != 1) refuse();
    wide = wide.broadcast(unsigned(shape[d]), unsigned(d));
  }
  a = wide;
}

namespace {
std::vector<std::size_t> common(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b, bool& fits) {
  std::vector<std::size_t> shape(std::max(a.size(), b.size()), 1);
  for (std::size_t d = 1; d <= shape.size(); ++d) {
    const std::size_t x = d <= a.size() ? a[a.size() - d] : 1, y = d <= b.size() ? b[b.size() - d] : 1;
    fits &= x == y || x == 1 || y == 1;
    shape[shape.size() - d] = x == 1 ? y : x;
  }
  return shape;
}
std::vector<std::size_t> commonOrThrow(const Tensor& a, const std::vector<std::size_t>& b) {
  bool fits = true;
  const auto shape = common(a.shape(), b, fits);
  if (!fits)
    throw poplibs_error("poputil::broadcastToMatch: " + a.getDebugStr() + " does not broadcast with " +
                        simcore::numerics::toString(sp::sizesOf(b)));
  return shape;
}
} // namespace

void broadcastToMatch(Tensor& a, Tensor& b) {
  const auto shape = commonOrThrow(a, b.shape());
  broadcastToMatch(a, shape);
  broadcastToMatch(b, shape);
}
void broadcastToMatch(Tensor& a, Tensor& b, Tensor& c) {
  const auto shape = commonOrThrow(c, commonOrThrow(a, b.shape()));
  for (Tensor* t : {&a, &b, &c}) broadcastToMatch(*t, shape);
}
bool canBroadcastToMatch(const Tensor& a, const Tensor& b) {
  bool fits = true;
  common(a.shape(), b.shape(), fits);
  return fits;
}

void mergeAdjacentRegions(std::vector<Interval>& regions) {
  std::sort(regions.begin(), regions.end());
  std::vector<Interval> merged;
  for (const Interval& i : regions) {
    if (i.size() == 0) continue;
    if (!merged.empty() && merged.back().end() >= i.begin())
      merged.back() = Interval(merged.back().begin(), std::max(merged.back().end(), i.end()));
    else
      merged.push_back(i);
  }
  regions = merged;
}
void mergeAdjacentRegions(Mapping& mapping) {
  for (auto& regions : mapping) mergeAdjacentRegions(regions);
}
std::vector<Interval> flattenIntervals(const Mapping& intervals) {
  std::vector<Interval> all;
  for (const auto& tile : intervals) all.insert(all.end(), tile.begin(), tile.end());
  return all;
}
std::size_t intervalSequenceNumElements(const Mapping& sequence) {
  std::size_t n = 0;
  for (const auto& intervals : sequence)
    for (const Interval& i : intervals) n += i.size();
  return n;
}

namespace {
// Elements of each part: whole grains, as evenly as the limits allow.
std::vector<std::size_t> sizesOfParts(std::size_t elements, unsigned grainSize, unsigned maxPartitions,
                                      unsigned minElementsPerPartition, unsigned maxElementsPerPartition) {
  if (elements == 0) return {};
  const std::size_t grain = std::max(1U, grainSize), grains = (elements + grain - 1) / grain;
  std::size_t parts = std::min<std::size_t>(std::max(1U, maxPartitions), grains);
  if (minElementsPerPartition > 0)
    parts = std::max<std::size_t>(1, std::min<std::size_t>(parts, elements / minElementsPerPartition));
  if (maxElementsPerPartition != UINT_MAX && maxElementsPerPartition > 0)
    parts = std::max<std::size_t>(parts, (elements + maxElementsPerPartition - 1) / maxElementsPerPartition);
  std::vector<std::size_t> sizes;
  for (std::size_t p = 0; p < parts; ++p)
    sizes.push_back(std::min(elements, grains * (p + 1) / parts * grain) - std::min(elements, grains * p / parts * grain));
  return sizes;
}
} // namespace

std::vector<Mapping> splitRegions(const Mapping& regions, unsigned grainSize, unsigned maxPartitions,
                                  unsigned minElementsPerPartition, unsigned maxElementsPerPartition,
                                  unsigned maxElementsPerRegion) {
  const std::size_t most = maxElementsPerRegion > 0 ? maxElementsPerRegion : ~std::size_t(0);
  std::vector<Mapping> split;
  std::size_t sequence = 0, region = 0, taken = 0; // the position of the next element
  for (std::size_t left : sizesOfParts(intervalSequenceNumElements(regions), grainSize, maxPartitions, minElementsPerPartition,
                                       maxElementsPerPartition)) {
    Mapping part;
    std::size_t ofSequence = 0, last = ~std::size_t(0);
    while (left > 0) {
      if (region == regions[sequence].size()) {
        ++sequence;
        region = 0;
        continue;
      }
      const Interval& whole = regions[sequence][region];
      const bool isNew = last != sequence || ofSequence == most;
      if (isNew && whole.size() > taken) {
        part.emplace_back();
        ofSequence = 0;
        last = sequence;
      }
      const std::size_t n = std::min({left, whole.size() - taken, most - ofSequence});
      if (n > 0) part.back().push_back(Interval(whole.begin() + taken, whole.begin() + taken + n));
      left -= n;
      taken += n;
      ofSequence += n;
      if (taken == whole.size()) {
        ++region;
        taken = 0;
      }
    }
    if (!part.empty()) split.push_back(std::move(part));
  }
  return split;
}
Mapping splitRegions(const std::vector<Interval>& regions, unsigned grainSize, unsigned maxPartitions,
                     unsigned minElementsPerPartition, unsigned maxElementsPerPartition, unsigned maxElementsPerRegion) {
  Mapping alone;
  for (const Interval& region : regions) alone.push_back({region});
  Mapping split;
  for (const Mapping& part :
       splitRegions(alone, grainSize, maxPartitions, minElementsPerPartition, maxElementsPerPartition, maxElementsPerRegion)) {
    split.emplace_back();
    for (const auto& sequence : part) split.back().insert(split.back().end(), sequence.begin(), sequence.end());
  }
  return split;
}
Mapping splitRegionsBetweenWorkers(const poplar::Target& target, const std::vector<Interval>& regions, unsigned grainSize,
                                   unsigned minElementsPerPartition, unsigned maxElementsPerPartition,
                                   unsigned maxElementsPerRegion) {
  return splitRegions(regions, grainSize, target.getNumWorkerContexts(), minElementsPerPartition, maxElementsPerPartition,
                      maxElementsPerRegion);
}
std::vector<Mapping> splitRegionsBetweenWorkers(const poplar::Target& target, const Mapping& regions, unsigned grainSize,
                                                unsigned minElementsPerPartition, unsigned maxElementsPerPartition,
                                                unsigned maxElementsPerRegion) {
  return splitRegions(regions, grainSize, target.getNumWorkerContexts(), minElementsPerPartition, maxElementsPerPartition,
                      maxElementsPerRegion);
}

std::vector<Interval> calculateUnshufflingIntervals(const std::vector<Interval>& intervals) {
  std::vector<std::pair<std::size_t, Interval>> placed; // original begin of each slice, and its interval in the joined tensor
  std::size_t at = 0;
  for (const Interval& interval : intervals) {
    placed.emplace_back(interval.begin(), Interval(at, at + interval.size()));
    at += interval.size();
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Interval> places;
  for (const auto& each : placed) places.push_back(each.second);
  return places;
}

Tensor duplicate(Graph& graph, const Tensor& in, poplar::program::Sequence& prog, const DebugContext& debugContext,
                 poplar::TensorCloneMethod method) {
  const Tensor copy = graph.clone(in, debugContext, method);
  prog.add(poplar::program::Copy(in, copy, false, debugContext));
  return copy;
}
Tensor cloneN(Graph& graph, const Tensor& tensor, unsigned n, const DebugContext& debugContext,
              poplar::TensorCloneMethod method) {
  return graph.cloneN(tensor, n, debugContext, method);
}
std::vector<int> balancedPartition(int rangeUpperBound, int splitCount) {
  if (splitCount < 1)
    throw poplibs_error("poputil::balancedPartition: splitCount is " + std::to_string(splitCount) + ", but must be at least 1");
  std::vector<int> parts(std::size_t(splitCount), rangeUpperBound / splitCount);
  for (int i = 0; i < rangeUpperBound % splitCount; ++i) ++parts[std::size_t(i)];
  return parts;
}
double castToDeviceHalfValue(const poplar::Target&, double input) { return double(float(simcore::numerics::Half(float(input)))); }
bool checkAccuracyWhenCast(const poplar::Target& target, double input, poplar::Type inputType, poplar::Type outputType,
                           double tolerance) {
  if (inputType != poplar::FLOAT || outputType != poplar::HALF)
    throw poplibs_error("poputil::checkAccuracyWhenCast: only casts from FLOAT to HALF are checked");
  return std::abs(castToDeviceHalfValue(target, input) - input) <= std::abs(input) * tolerance;
}
Tensor factorDims(const Tensor& tensor, const std::vector<std::size_t>& factors, unsigned startDim) {
  const auto shape = tensor.shape();
  const std::size_t n = factors.size();
  if (startDim + n > shape.size())
    throw poplibs_error("poputil::factorDims: " + tensor.getDebugStr() + " has too few dimensions for " + std::to_string(n) +
                        " factors from dimension " + std::to_string(startDim) + " on");
  std::vector<std::size_t> cut(shape.begin(), shape.begin() + startDim);
  for (std::size_t i = 0; i < n; ++i) {
    if (factors[i] == 0 || shape[startDim + i] % factors[i] != 0)
      throw poplibs_error("poputil::factorDims: " + std::to_string(factors[i]) + " is not a factor of dimension " +
                          std::to_string(startDim + i) + " of " + tensor.getDebugStr());
    cut.push_back(shape[startDim + i] / factors[i]);
    cut.push_back(factors[i]);
  }
  cut.insert(cut.end(), shape.begin() + std::ptrdiff_t(startDim + n), shape.end());
  std::vector<unsigned> order(startDim);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t half = 0; half < 2; ++half)
    for (std::size_t i = 0; i < n; ++i) order.push_back(unsigned(startDim + 2 * i + half));
  for (std::size_t d = startDim + 2 * n; d < cut.size(); ++d) order.push_back(unsigned(d));
  return tensor.reshape(cut).dimShuffle(order);
}
Tensor unfactorDims(const Tensor& tensor, unsigned numDims, unsigned startDim) {
  const auto shape = tensor.shape();
  if (startDim + 2 * numDims > shape.size())
    throw poplibs_error("poputil::unfactorDims: " + tensor.getDebugStr() + " has too few dimensions for " +
                        std::to_string(2 * numDims) + " from dimension " + std::to_string(startDim) + " on");
  std::vector<unsigned> order(startDim);
  std::iota(order.begin(), order.end(), 0U);
  std::vector<std::size_t> joined(shape.begin(), shape.begin() + startDim);
  for (unsigned i = 0; i < numDims; ++i) {
    order.push_back(startDim + i);
    order.push_back(startDim + numDims + i);
    joined.push_back(shape[startDim + i] * shape[startDim + numDims + i]);
  }
  for (std::size_t d = startDim + 2 * numDims; d < shape.size(); ++d) {
    order.push_back(unsigned(d));
    joined.push_back(shape[d]);
  }
  return tensor.dimShuffle(order).reshape(joined);
}

namespace {

// The largest divisor d of the last dimension such that every d neighbouring elements are contiguous in a variable.
unsigned groupOf(const sg::Tensor& t) {
  if (t.rank() == 0 || t.numElements() == 0) return 1;
  int64_t group = t.dim(t.rank() - 1), at = 0;
  for (const sg::Region& r : t.contiguousRegions()) {
    at += r.size();
    group = std::gcd(group, at); // a group must not cross the end of a region
  }
  return unsigned(group);
}

} // namespace

unsigned detectInnermostGrouping(const Graph&, const Tensor& tensor) {
  if (tensor.rank() == 0) throw poplibs_error("poputil::detectInnermostGrouping: the tensor has no dimensions");
  return sp::inLibrary([&] { return groupOf(sp::inner(tensor)); });
}

std::vector<GroupingInfo> detectDimGroupings(const Graph&, const Tensor& tensor) {
  return sp::inLibrary([&] {
    std::vector<GroupingInfo> groupings;
    const sg::Tensor t = sp::inner(tensor);
    const std::size_t rank = t.rank();
    // Each round takes the dimension with the most neighbours contiguous in memory, then continues within the remaining
    // dimensions.
    sg::Tensor rest = t;
    std::vector<bool> done(rank, false);
    for (std::size_t round = 0; round < rank; ++round) {
      unsigned best = 1;
      std::size_t which = rank;
      for (std::size_t d = 0; d < rank; ++d) {
        if (done[d] || rest.dim(d) == 1) continue;
        std::vector<std::size_t> order;
        for (std::size_t o = 0; o < rank; ++o)
          if (o != d) order.push_back(o);
        order.push_back(d);
        for (std::size_t o = rank; o < rest.rank(); ++o) order.push_back(o); // the groups of earlier rounds
        const sg::Tensor moved = rest.dimShuffle(order);
        int64_t inner = 1;
        for (std::size_t o = rank; o < rest.rank(); ++o) inner *= rest.dim(o);
        sg::Shape shape(moved.shape().begin(), moved.shape().begin() + std::ptrdiff_t(rank));
        shape.back() *= inner;
        const unsigned group = groupOf(moved.reshape(shape));
        if (group % inner == 0 && group / inner > best) {
          best = unsigned(group / inner);
          which = d;
        }
      }
      if (which == rank) break;
      done[which] = true;
      groupings.emplace_back(unsigned(which), best);
      sg::Shape cut = rest.shape();
      cut[which] /= best;
      cut.insert(cut.begin() + std::ptrdiff_t(which) + 1, best);
      std::vector<std::size_t> order;
      for (std::size_t o = 0; o < cut.size(); ++o)
        if (o != which + 1) order.push_back(o);
      order.insert(order.begin() + std::ptrdiff_t(rank), which + 1);
      rest = rest.reshape(cut).dimShuffle(order);
    }
    return groupings;
  });
}

Tensor createPartitionableTensor(Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& shape,
                                 const std::vector<std::size_t>& nPartitions, const DebugContext& debugContext) {
  if (shape.size() != nPartitions.size())
    throw poplibs_error("poputil::createPartitionableTensor: nPartitions has " + std::to_string(nPartitions.size()) +
                        " numbers for " + std::to_string(shape.size()) + " dimensions");
  std::vector<std::size_t> order;
  std::vector<std::size_t> inside;
  std::vector<std::size_t> outside;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (nPartitions[d] == 0 || shape[d] % nPartitions[d] != 0)
      throw poplibs_error("poputil::createPartitionableTensor: dimension " + std::to_string(d) + " of " +
                          std::to_string(shape[d]) + " elements cannot be divided into " + std::to_string(nPartitions[d]) +
                          " partitions");
    outside.push_back(nPartitions[d]);
    inside.push_back(shape[d] / nPartitions[d]);
  }
  std::vector<std::size_t> all(outside);
  all.insert(all.end(), inside.begin(), inside.end());
  const Tensor tensor = graph.addVariable(type, all, debugContext);
  return unfactorDims(tensor, unsigned(shape.size()));
}
void iterateTensorPartitions(const Tensor& tensor, const std::vector<std::size_t>& nPartitions,
                             const std::function<void(const std::vector<std::size_t>& part, const Tensor& view)>& f) {
  std::vector<std::size_t> sizes;
  std::size_t parts = 1;
  for (std::size_t d = 0; d < nPartitions.size(); ++d) {
    sizes.push_back(tensor.dim(unsigned(d)) / nPartitions[d]);
    parts *= nPartitions[d];
  }
  for (std::size_t i = 0; i < parts; ++i) {
    const auto part = unflattenIndex(nPartitions, i);
    std::vector<std::size_t> begin, end;
    for (std::size_t d = 0; d < part.size(); ++d) {
      begin.push_back(part[d] * sizes[d]);
      end.push_back((part[d] + 1) * sizes[d]);
    }
    f(part, tensor.slice(begin, end));
  }
}

} // namespace poputil
