// Matrices that are sparse in blocks: a tensor [blocks that are not zero, elements of a block], and a mask with a byte for each block in row-major
// order, 0 for one that is zero, those of groups one after the other. Throws poplibs_error for masks and tensors that do not go together.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

#include <array>
#include <vector>

namespace popsparse {
namespace experimental {

// Elements of a block on the diagonal that are zero: those above it, or below it.
enum class SubBlockMask { None, ZeroUpperTriangle, ZeroLowerTriangle };

// The softmax of each row [of a group], over the elements that are not zero; `dim` are rows and columns of a group.
poplar::Tensor bsSoftmax(poplar::Graph& graph, poplar::Tensor sparseTensor, const std::array<int, 2>& dim,
                         const std::array<int, 2>& blockSize, const std::vector<unsigned char>& sparsity,
                         SubBlockMask subBlockMaskType, unsigned numGroups, poplar::program::Sequence& prog,
                         const poplar::DebugContext& debugContext = {});
void bsSoftmaxInPlace(poplar::Graph& graph, poplar::Tensor sparseTensor, const std::array<int, 2>& dim,
                      const std::array<int, 2>& blockSize, const std::vector<unsigned char>& sparsity,
                      SubBlockMask subBlockMaskType, unsigned numGroups, poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {});
// The gradient of its input, from its result and the gradient of that. The mask may have several groups.
poplar::Tensor bsSoftmaxGrad(poplar::Graph& graph, poplar::Tensor sparseOut, poplar::Tensor sparseOutGrad,
                             const std::array<int, 2>& dim, const std::array<int, 2>& blockSize,
                             const std::vector<unsigned char>& sparsity, poplar::program::Sequence& prog,
                             const poplar::DebugContext& debugContext = {});

} // namespace experimental
} // namespace popsparse
