// Products of matrices. One of the matrices is sparse in blocks that are known when the graph is made.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"
#include "popsparse/experimental/BlockSparse.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace popsparse {
namespace experimental {

class BSMatMulImpl;

// Shapes and sparsity of [M, K] x [K, N]. `dim` is {M, K, N}; `blockSize` is the block's extent in each of them: a divisor of the
// dimension and a multiple of 16 for HALF, of 8 for FLOAT. A sparsity mask has one byte per block in row-major order, group after
// group; 0 marks a zero block. Throws poplibs_error for sizes and masks that do not match.
class BSMatMulParams {
public:
  // The right operand is sparse. With `rhsNeedTranspose` its mask and its blocks are those of [N, K], before the transposition.
  BSMatMulParams(const std::array<int, 3>& dim, const std::array<int, 3>& blockSize,
                 const std::vector<unsigned char>& rhsSparsity, bool rhsNeedTranspose, poplar::Type inDataType,
                 poplar::Type outDataType, poplar::Type partialDataType, unsigned numGroupsIn = 1);
  // The operands are dense; only these blocks of the result are computed.
  BSMatMulParams(const std::array<int, 3>& dim, const std::array<int, 3>& blockSize,
                 const std::vector<unsigned char>& resSparsity, poplar::Type inDataType, poplar::Type outDataType,
                 poplar::Type partialDataType, SubBlockMask subBlockMask = SubBlockMask::None, unsigned numGroupsIn = 1);
  BSMatMulParams(BSMatMulParams&& other);
  ~BSMatMulParams();

  std::unique_ptr<BSMatMulImpl> impl;
};

// A dense operand is [groups * rows, columns], a sparse one [non-zero blocks, elements of a block]; both have the input type.
poplar::Tensor createBSMatMulInputLHS(poplar::Graph& graph, const BSMatMulParams& bsMatMul,
                                      const poplar::DebugContext& debugContext, const poplar::OptionFlags& options = {});
poplar::Tensor createBSMatMulInputRHS(poplar::Graph& graph, const BSMatMulParams& bsMatMul,
                                      const poplar::DebugContext& debugContext, const poplar::OptionFlags& options = {});

// Returns [groups * M, N], or [blocks, elements of a block] for a sparse result. Throws poplibs_error for operands of other
// shapes. Options have no effect; a warning names each once.
poplar::Tensor bsMatMul(poplar::Graph& graph, const BSMatMulParams& bsMatMul, poplar::program::Sequence& prog,
                        const poplar::Tensor& lhsMatrix, const poplar::Tensor& rhsMatrix, const poplar::OptionFlags& options = {},
                        const poplar::DebugContext& debugContext = {});

} // namespace experimental
} // namespace popsparse
