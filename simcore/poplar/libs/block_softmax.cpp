// Softmax of the rows of a block-sparse matrix. Block rows with the same number of blocks become one dense matrix, which takes
// one softmax.
#include "popnn/NonLinearity.hpp"
#include "popops/ElementWise.hpp"
#include "popsparse/experimental/BlockSparse.hpp"
#include "poputil/TileMapping.hpp"
#include "poputil/exceptions.hpp"
#include "simcore/poplar/libs/names.h"

#include <algorithm>
#include <map>
#include <string>

namespace popsparse::experimental {

using namespace simcore::poplar::names;
namespace pe = popops::expr;

namespace {

class BlockRows {
public:
  BlockRows(const char* call, const Tensor& sparse, const std::array<int, 2>& dim, const std::array<int, 2>& block,
            const std::vector<unsigned char>& sparsity, std::size_t groups)
      : m_rows(std::size_t(block[0])), m_columns(std::size_t(block[1])) {
    if (block[0] <= 0 || block[1] <= 0 || dim[0] <= 0 || dim[1] <= 0 || dim[0] % block[0] || dim[1] % block[1])
      throw poputil::poplibs_error(std::string(call) + ": a matrix of " + std::to_string(dim[0]) + " x " +
                                   std::to_string(dim[1]) + " cannot be divided into blocks of " + std::to_string(block[0]) +
                                   " x " + std::to_string(block[1]));
    const std::size_t down = std::size_t(dim[0]) / m_rows, across = std::size_t(dim[1]) / m_columns;
    if (groups == 0) groups = sparsity.size() / (down * across);
    if (groups == 0 || sparsity.size() != groups * down * across)
      throw poputil::poplibs_error(std::string(call) + ": the mask has " + std::to_string(sparsity.size()) +
                                   " entries instead of " + std::to_string(down * across) + " for each of " +
                                   std::to_string(std::max<std::size_t>(groups, 1)) + " groups");
    std::size_t next = 0;
    for (std::size_t row = 0; row < groups * down; ++row) {
      std::vector<Place> blocks;
      for (std::size_t column = 0; column < across; ++column)
        if (sparsity[row * across + column]) blocks.push_back({next++, row % down, column});
      if (!blocks.empty()) m_bySize[blocks.size()].push_back(std::move(blocks));
    }
    m_count = next;
    require(call, sparse);
  }
  void require(const char* call, const Tensor& sparse) const {
    if (sparse.shape() != std::vector<std::size_t>{m_count, m_rows * m_columns})
      throw poputil::poplibs_error(std::string(call) + ": " + sparse.getDebugStr() + " must have the shape [" +
                                   std::to_string(m_count) + ", " + std::to_string(m_rows * m_columns) + "]");
  }

  // Calls f(size) for each number of blocks in a row. Its result is [rows, columns of the blocks] and is cut into blocks again.
  template<class F> Tensor blocksOf(F f) const {
    std::vector<Tensor> blocks(m_count);
    for (const auto& [size, rows] : m_bySize) {
      const Tensor dense = f(size);
      for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t b = 0; b < size; ++b)
          blocks[rows[r][b].block] =
              dense.slice({r * m_rows, b * m_columns}, {(r + 1) * m_rows, (b + 1) * m_columns}).flatten().expand({0});
    }
    if (blocks.empty()) throw poputil::poplibs_error("popsparse: all blocks of the matrix are zero");
    return poplar::concat(blocks);
  }
  Tensor dense(const Tensor& sparse, std::size_t size) const {
    std::vector<Tensor> all;
    for (const auto& blocks : m_bySize.at(size)) {
      std::vector<Tensor> row;
      for (const Place& p : blocks) row.push_back(sparse[p.block].reshape({m_rows, m_columns}));
      all.push_back(poplar::concat(row, 1));
    }
    return poplar::concat(all);
  }
  // By element: whether it is inside the triangle that `inside` keeps.
  std::vector<bool> mask(std::size_t size, SubBlockMask inside) const {
    std::vector<bool> counts;
    for (const auto& blocks : m_bySize.at(size))
      for (std::size_t r = 0; r < m_rows; ++r)
        for (const Place& p : blocks)
          for (std::size_t c = 0; c < m_columns; ++c) {
            const std::size_t row = p.row * m_rows + r, column = p.column * m_columns + c;
            counts.push_back(inside == SubBlockMask::None ||
                             (inside == SubBlockMask::ZeroUpperTriangle ? column <= row : column >= row));
          }
    return counts;
  }

private:
  struct Place {
    std::size_t block, row, column;
  };
  std::size_t m_rows, m_columns, m_count = 0;
  std::map<std::size_t, std::vector<std::vector<Place>>> m_bySize;
};

Tensor softmaxOfRows(Graph& graph, const Tensor& rows, const std::vector<bool>& counts, bool hasMask, Sequence& prog,
                     const DebugContext& context) {
  if (!hasMask) return popnn::softmaxStable(graph, rows, prog, context);
  std::vector<unsigned> values(counts.begin(), counts.end());
  const Tensor mask = graph.addConstant(poplar::BOOL, rows.shape(), values, DebugContext(context, "mask"));
  poputil::mapTensorLinearly(graph, mask);
  const double lowest = rows.elementType() == poplar::HALF ? -65504.0 : -3.0e38;
  const Tensor kept =
      popops::map(graph, pe::Select(pe::_1, pe::Const(rows.elementType(), lowest), pe::_2), {rows, mask}, prog, context);
  const Tensor all = popnn::softmaxStable(graph, kept, prog, context);
  return popops::map(graph, pe::Select(pe::_1, pe::Const(rows.elementType(), 0), pe::_2), {all, mask}, prog, context);
}

} // namespace

Tensor bsSoftmax(Graph& graph, Tensor sparseTensor, const std::array<int, 2>& dim, const std::array<int, 2>& blockSize,
                 const std::vector<unsigned char>& sparsity, SubBlockMask subBlockMaskType, unsigned numGroups, Sequence& prog,
                 const DebugContext& debugContext) {
  if (numGroups == 0) throw poputil::poplibs_error("bsSoftmax: numGroups must be at least 1");
  const BlockRows rows("bsSoftmax", sparseTensor, dim, blockSize, sparsity, numGroups);
  return rows.blocksOf([&](std::size_t size) {
    return softmaxOfRows(graph, rows.dense(sparseTensor, size), rows.mask(size, subBlockMaskType),
                         subBlockMaskType != SubBlockMask::None, prog, debugContext);
  });
}
void bsSoftmaxInPlace(Graph& graph, Tensor sparseTensor, const std::array<int, 2>& dim, const std::array<int, 2>& blockSize,
                      const std::vector<unsigned char>& sparsity, SubBlockMask subBlockMaskType, unsigned numGroups,
                      Sequence& prog, const DebugContext& debugContext) {
  const Tensor result = bsSoftmax(graph, sparseTensor, dim, blockSize, sparsity, subBlockMaskType, numGroups, prog, debugContext);
  prog.add(poplar::program::Copy(result, sparseTensor, false, debugContext));
}
Tensor bsSoftmaxGrad(Graph& graph, Tensor sparseOut, Tensor sparseOutGrad, const std::array<int, 2>& dim,
                     const std::array<int, 2>& blockSize, const std::vector<unsigned char>& sparsity, Sequence& prog,
                     const DebugContext& debugContext) {
  const BlockRows rows("bsSoftmaxGrad", sparseOut, dim, blockSize, sparsity, 0);
  rows.require("bsSoftmaxGrad", sparseOutGrad);
  return rows.blocksOf([&](std::size_t size) {
    return popnn::nonLinearityInputGradient(graph, popnn::NonLinearityType::SOFTMAX, rows.dense(sparseOut, size),
                                            rows.dense(sparseOutGrad, size), prog, debugContext);
  });
}

} // namespace popsparse::experimental
