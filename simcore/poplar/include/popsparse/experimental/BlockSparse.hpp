// Matrices that are sparse in blocks: a tensor [non-zero blocks, elements of a block], and a mask with one byte per block in
// row-major order, group after group; 0 marks a zero block. Throws poplibs_error for masks and tensors that do not match.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

#include <array>
#include <vector>

namespace popsparse {
namespace experimental {

// The elements that are zero in a block on the diagonal: those above it, or below it.
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
// The gradient of the softmax's input, from its result and the gradient of the result. The mask may have several groups.
poplar::Tensor bsSoftmaxGrad(poplar::Graph& graph, poplar::Tensor sparseOut, poplar::Tensor sparseOutGrad,
                             const std::array<int, 2>& dim, const std::array<int, 2>& blockSize,
                             const std::vector<unsigned char>& sparsity, poplar::program::Sequence& prog,
                             const poplar::DebugContext& debugContext = {});

} // namespace experimental
} // namespace popsparse
