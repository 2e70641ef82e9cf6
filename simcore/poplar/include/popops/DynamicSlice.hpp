// Slices at positions known only at run time. dynamicSlice takes one slice, at an offset in each of the given dimensions;
// multiSlice and multiUpdate read or change many rows of a table (dims {0}, sizes {1}) at a list of indices.
#pragma once

#include "poplar/ArrayRef.hpp"
#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"

#include <cstddef>
#include <memory>
#include <ostream>
#include <vector>

namespace popops {

// How a table is split over tiles for look-ups. The simulator plans each call separately and uses a plan only to lay out the
// table in createSliceableTensor().
class SlicePlan {
public:
  SlicePlan();
  ~SlicePlan();
  SlicePlan(const SlicePlan& other);
  SlicePlan(SlicePlan&& other) noexcept;
  SlicePlan& operator=(const SlicePlan& other);
  SlicePlan& operator=(SlicePlan&& other) noexcept;
  friend std::ostream& operator<<(std::ostream& out, const SlicePlan& plan);
  friend bool operator<(const SlicePlan& a, const SlicePlan& b) noexcept;
  friend bool operator==(const SlicePlan& a, const SlicePlan& b) noexcept;

  struct Inside;
  explicit SlicePlan(std::shared_ptr<const Inside> inside);

private:
  std::shared_ptr<const Inside> m_inside;
};
std::ostream& operator<<(std::ostream& out, const SlicePlan& plan);
bool operator<(const SlicePlan& a, const SlicePlan& b) noexcept;
bool operator==(const SlicePlan& a, const SlicePlan& b) noexcept;
inline bool operator!=(const SlicePlan& a, const SlicePlan& b) noexcept { return !(a == b); }

// A variable for slices of `sizes` along `dims`, laid out so that slicing along the first of `dims` needs no exchange.
poplar::Tensor createSliceableTensor(poplar::Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& shape,
                                     const std::vector<std::size_t>& dims, const std::vector<std::size_t>& sizes,
                                     std::size_t minGrainSize = 0, const poplar::DebugContext& debugContext = {});
poplar::Tensor createSliceableTensor(poplar::Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& shape,
                                     const std::vector<std::size_t>& dims, const std::vector<std::size_t>& sizes,
                                     const SlicePlan& plan, const poplar::OptionFlags& options,
                                     const poplar::DebugContext& debugContext = {});
// Creates [groupSize, shape ..].
poplar::Tensor createGroupedSliceableTensor(poplar::Graph& graph, const poplar::Type& type, const std::size_t groupSize,
                                            const std::vector<std::size_t>& shape, const std::vector<std::size_t>& dims,
                                            const std::vector<std::size_t>& sizes, const SlicePlan& plan,
                                            const poplar::OptionFlags& options, const poplar::DebugContext& debugContext = {});
// A variable [numIndices, slice ..] for slices of a tensor, or of a tensor of this shape.
poplar::Tensor createSliceTensor(poplar::Graph& graph, const poplar::Tensor& tensor, const std::vector<std::size_t>& dims,
                                 const std::vector<std::size_t>& sizes, std::size_t numIndices,
                                 const poplar::DebugContext& debugContext = {});
poplar::Tensor createSliceTensor(poplar::Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& shape,
                                 const std::vector<std::size_t>& dims, const std::vector<std::size_t>& sizes,
                                 std::size_t numIndices, const SlicePlan& plan, const poplar::OptionFlags& options,
                                 const poplar::DebugContext& debugContext = {});
poplar::Tensor createGroupedSliceTensor(poplar::Graph& graph, const poplar::Type& type, const std::size_t groupSize,
                                        const std::vector<std::size_t>& shape, const std::vector<std::size_t>& dims,
                                        const std::vector<std::size_t>& sizes, const std::size_t numIndices,
                                        const SlicePlan& plan, const poplar::OptionFlags& options,
                                        const poplar::DebugContext& debugContext = {});
// UNSIGNED_INT [numIndices, dims.size()], and [groupSize, numIndices, dims.size()].
poplar::Tensor createIndicesTensor(poplar::Graph& graph, const std::vector<std::size_t>& dims, std::size_t numIndices,
                                   const SlicePlan& plan, const poplar::OptionFlags& options,
                                   const poplar::DebugContext& debugContext = {});
poplar::Tensor createGroupedIndicesTensor(poplar::Graph& graph, const std::size_t groupSize, const std::vector<std::size_t>& dims,
                                          const std::size_t numIndices, const SlicePlan& plan, const poplar::OptionFlags& options,
                                          const poplar::DebugContext& debugContext = {});
// A variable of numSlices[i] slices along dims[i], each of the shape of `slice`.
poplar::Tensor createSliceableTensorFromSlice(poplar::Graph& graph, const poplar::Tensor& slice,
                                              const std::vector<std::size_t>& dims, const std::vector<std::size_t>& numSlices,
                                              const poplar::DebugContext& debugContext = {});

// `offset` has one UNSIGNED_INT for each of `dims`; a slice that extends beyond the end continues at the beginning. Throw
// poplibs_error if the lists differ in length, a dimension does not exist, or a size exceeds it.
poplar::Tensor dynamicSlice(poplar::Graph& graph, const poplar::Tensor& tensor, const poplar::Tensor& offset,
                            const std::vector<std::size_t>& dims, const std::vector<std::size_t>& sizes,
                            poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                            const poplar::OptionFlags& options = {});
poplar::Tensor createDynamicSliceOutput(poplar::Graph& graph, const poplar::Tensor& tensor, const poplar::Tensor& offset,
                                        const std::vector<std::size_t>& dims, const std::vector<std::size_t>& sizes,
                                        const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
void dynamicSliceWithOutput(poplar::Graph& graph, const poplar::Tensor& output, const poplar::Tensor& tensor,
                            const poplar::Tensor& offset, const std::vector<std::size_t>& dims,
                            const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                            const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
poplar::Graph::TileToTensorMapping getSliceMapping(poplar::Graph& graph, const poplar::Tensor& tensor,
                                                   const std::vector<std::size_t>& dims, const std::vector<std::size_t>& sizes);
// Writes `slice` into `tensor` at the offset.
void dynamicUpdate(poplar::Graph& graph, const poplar::Tensor& tensor, const poplar::Tensor& slice, const poplar::Tensor& offset,
                   const std::vector<std::size_t>& dims, const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                   const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});

// `offsets` [N, dims.size()] -> [N, slice ..]. With several dimensions or sizes above 1 each slice is taken separately.
poplar::Tensor multiSlice(poplar::Graph& graph, const poplar::Tensor& tensor, const poplar::Tensor& offsets,
                          const std::vector<std::size_t>& dims, const std::vector<std::size_t>& sizes,
                          poplar::program::Sequence& prog, const SlicePlan& plan, const poplar::OptionFlags& options,
                          const poplar::DebugContext& debugContext = {});
// [G, ..] and offsets [G, N, dims.size()] -> [G, N, slice ..].
poplar::Tensor groupedMultiSlice(poplar::Graph& graph, const poplar::Tensor& tensor, const poplar::Tensor& offsets,
                                 const std::vector<std::size_t>& dims, const std::vector<std::size_t>& sizes,
                                 poplar::program::Sequence& prog, const SlicePlan& plan, const poplar::OptionFlags& options,
                                 const poplar::DebugContext& debugContext = {});
// For offsets known when the graph is built: the slices are joined as views and copied.
poplar::Tensor multiSlice(poplar::Graph& graph, const poplar::Tensor& tensor, poplar::ArrayRef<unsigned> offsets, std::size_t dim,
                          poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                          const poplar::OptionFlags& options = {});

// Rows of `tensor` are replaced by those of `slices` [N, slice ..], in the order of the offsets; Add, Max and Mul combine them
// instead. `scale` is one element.
void multiUpdate(poplar::Graph& graph, const poplar::Tensor& tensor, const poplar::Tensor& slices, const poplar::Tensor& offsets,
                 const std::vector<std::size_t>& dims, const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                 const SlicePlan& plan, const poplar::OptionFlags& options, const poplar::DebugContext& debugContext = {});
void multiUpdateAdd(poplar::Graph& graph, const poplar::Tensor& tensor, const poplar::Tensor& slices,
                    const poplar::Tensor& offsets, const poplar::Tensor& scale, const std::vector<std::size_t>& dims,
                    const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog, const SlicePlan& plan,
                    const poplar::OptionFlags& options, const poplar::DebugContext& debugContext = {});
void multiUpdateMax(poplar::Graph& graph, const poplar::Tensor& tensor, const poplar::Tensor& slices,
                    const poplar::Tensor& offsets, const std::vector<std::size_t>& dims, const std::vector<std::size_t>& sizes,
                    poplar::program::Sequence& prog, const SlicePlan& plan, const poplar::OptionFlags& options,
                    const poplar::DebugContext& debugContext = {});
void multiUpdateMul(poplar::Graph& graph, const poplar::Tensor& tensor, const poplar::Tensor& slices,
                    const poplar::Tensor& offsets, const std::vector<std::size_t>& dims, const std::vector<std::size_t>& sizes,
                    poplar::program::Sequence& prog, const SlicePlan& plan, const poplar::OptionFlags& options,
                    const poplar::DebugContext& debugContext = {});
void multiUpdateAdd(poplar::Graph& graph, const poplar::Tensor& tensor, const poplar::Tensor& slices,
                    poplar::ArrayRef<unsigned> offsets, const poplar::Tensor& scale, std::size_t dim,
                    poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                    const poplar::OptionFlags& options = {});
void groupedMultiUpdate(poplar::Graph& graph, const poplar::Tensor& tensor, const poplar::Tensor& slices,
                        const poplar::Tensor& offsets, const std::vector<std::size_t>& dims,
                        const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog, const SlicePlan& plan,
                        const poplar::OptionFlags& options, const poplar::DebugContext& debugContext = {});
void groupedMultiUpdateAdd(poplar::Graph& graph, const poplar::Tensor& tensor, const poplar::Tensor& slices,
                           const poplar::Tensor& offsets, const poplar::Tensor& scale, const std::vector<std::size_t>& dims,
                           const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog, const SlicePlan& plan,
                           const poplar::OptionFlags& options, const poplar::DebugContext& debugContext = {});
void groupedMultiUpdateMax(poplar::Graph& graph, const poplar::Tensor& tensor, const poplar::Tensor& slices,
                           const poplar::Tensor& offsets, const std::vector<std::size_t>& dims,
                           const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog, const SlicePlan& plan,
                           const poplar::OptionFlags& options, const poplar::DebugContext& debugContext = {});
void groupedMultiUpdateMul(poplar::Graph& graph, const poplar::Tensor& tensor, const poplar::Tensor& slices,
                           const poplar::Tensor& offsets, const std::vector<std::size_t>& dims,
                           const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog, const SlicePlan& plan,
                           const poplar::OptionFlags& options, const poplar::DebugContext& debugContext = {});

namespace embedding {

// Plans a table of `numEntries` rows of `outputSize` elements, with `numLookups` look-ups at once. Option:
// availableMemoryProportion.
SlicePlan plan(const poplar::Graph& graph, const poplar::Type& dataType, const std::size_t numEntries,
               const std::size_t outputSize, const std::vector<std::size_t>& numLookups, const poplar::OptionFlags& options);
SlicePlan plan(const poplar::Graph& graph, const poplar::Type& dataType, const std::size_t groupSize,
               const std::size_t numEntries, const std::size_t outputSize, const std::vector<std::size_t>& numLookups,
               const poplar::OptionFlags& options);

// The arguments of plan().
struct SlicePlanningParameters {
  SlicePlanningParameters(const poplar::Graph& graphOfTable, const poplar::Type& type, const std::size_t groups,
                          const std::size_t rows, const std::size_t columns, const std::vector<std::size_t>& lookUps,
                          const poplar::OptionFlags& options)
      : graph(graphOfTable), dataType(type), groupSize(groups), numEntries(rows), outputSize(columns), numLookups(lookUps),
        optionFlags(options) {}
  SlicePlanningParameters(const poplar::Graph& graphOfTable, const poplar::Type& type, const std::size_t rows,
                          const std::size_t columns, const std::vector<std::size_t>& lookUps, const poplar::OptionFlags& options)
      : SlicePlanningParameters(graphOfTable, type, 1, rows, columns, lookUps, options) {}

  const poplar::Graph& graph;
  const poplar::Type dataType;
  const std::size_t groupSize;
  const std::size_t numEntries;
  const std::size_t outputSize;
  const std::vector<std::size_t> numLookups;
  const poplar::OptionFlags optionFlags;
};
std::vector<SlicePlan> planMultiple(const std::vector<SlicePlanningParameters>& parameters);

} // namespace embedding
} // namespace popops
