// Tensors with elements grouped in memory for a vertex. The simulator's exchanges gather elements from any order, so regrouping
// leaves a tensor unchanged.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"
#include "poputil/VarStructure.hpp"

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace popops {
namespace rearrange {

bool canUseFastTranspose(const poplar::Target& target, const poplar::Type& type, unsigned numRows, unsigned numColumns,
                         unsigned numTranspositions);
// Transposes matrices of one shape: `mapping` lists the numbers of the matrices that each tile transposes, and getInOut(number)
// returns the flat input and output. Throws poplibs_error if one has another type or size.
void addTransposeVertices(poplar::Graph& graph, const poplar::ComputeSet& cs, const poplar::Type& dType, unsigned rows,
                          unsigned cols, const poplar::Graph::TileToTensorMapping& mapping,
                          std::function<std::pair<const poplar::Tensor, const poplar::Tensor>(std::size_t)> getInOut,
                          const poplar::DebugContext& debugContext = {});
// [.., rows, columns] -> [.., columns, rows], by vertices of the compute set.
poplar::Tensor partialTranspose(poplar::Graph& graph, const poplar::Tensor& in, const poplar::ComputeSet& cs,
                                const poplar::DebugContext& debugContext = {});
unsigned getMinimumRegroupGrainSize(const poplar::Type& type);
// These return `t` or `in` itself.
poplar::Tensor regroupTensor(poplar::Graph& graph, const poplar::Tensor& t, poplar::program::Sequence& copies,
                             const poplar::ComputeSet& transposeCS, const poputil::GroupingInfo& from,
                             const poputil::GroupingInfo& to, const poplar::DebugContext& debugContext = {});
poplar::Tensor regroupTensor(poplar::Graph& graph, const poplar::Tensor& t, std::vector<poplar::program::Copy>& copies,
                             const poplar::ComputeSet& transposeCS, const poputil::GroupingInfo& from,
                             const poputil::GroupingInfo& to, const poplar::DebugContext& debugContext = {});
poplar::Tensor regroupIfPossible(poplar::Graph& graph, const poplar::Tensor& t, poplar::program::Sequence& prog,
                                 const poputil::GroupingInfo& to, const poplar::DebugContext& debugContext = {});
poplar::Tensor regroupIfBeneficial(poplar::Graph& graph, const poplar::Tensor& in, const poplar::Tensor& ref,
                                   poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
poplar::Tensor regroupIfBeneficial(poplar::Graph& graph, const poplar::Tensor& in, const poplar::Tensor& ref,
                                   std::vector<poplar::program::Copy>& copies, poplar::ComputeSet transposeCS,
                                   const poplar::DebugContext& debugContext = {});
poplar::Tensor regroupIfBeneficial(poplar::Graph& graph, const poplar::Tensor& in, std::size_t preferredGrouping,
                                   poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});

} // namespace rearrange
} // namespace popops
