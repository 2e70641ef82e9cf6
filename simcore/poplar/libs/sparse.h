// Shared by the calls of popsparse: the positions of the blocks of a sparse matrix, and products with it.
#pragma once

#include "popsparse/SparsePartitioner.hpp"
#include "poputil/TensorMetaData.hpp"
#include "simcore/poplar/libs/library_call.h"

#include <cstdint>

namespace simcore::poplar {

// The positions of a sparse tensor's blocks. `pattern`: the block numbers, row by row, if they are known when the graph is made.
struct SparseFacts : ::poputil::TensorMetaDataBase {
  ::popsparse::SparsePlaces places{};
  std::vector<std::int64_t> pattern;
};
// Throws poplibs_error for a tensor that no call of popsparse made.
const SparseFacts& factsOf(const char* call, const ::poputil::TensorMetaData& data);

// The shape and capacity of a sparse matrix. Throws poplibs_error if blocks do not divide rows and columns.
::popsparse::SparsePlaces placesOf(const char* call, std::size_t groups, std::size_t rows, std::size_t columns,
                                   const std::array<std::size_t, 2>& block, std::size_t values);

// The product of a sparse matrix, or its transpose, and a dense one. `meta` has each block's number as two unsigned shorts, all
// ones for an unused position. It is invalid if the pattern is known.
::poplar::Tensor sparseProduct(::poplar::Graph& graph, const SparseFacts& facts, const ::poplar::Tensor& meta,
                               const ::poplar::Tensor& values, const ::poplar::Tensor& dense, bool isTransposed,
                               ::poplar::program::Sequence& prog, const ::poplar::DebugContext& context);

// Numbers and values of the blocks, sorted by number. The elements of a block are in row-major order.
template<class T> struct SparseBlocks {
  std::vector<std::int64_t> numbers;
  std::vector<T> values;
};
template<class T> SparseBlocks<T> blocksOf(const ::popsparse::COOMatrix<T>& matrix, std::size_t columns);
template<class T> SparseBlocks<T> blocksOf(const ::popsparse::CSRMatrix<T>& matrix, std::size_t columns);
template<class T> SparseBlocks<T> blocksOf(const ::popsparse::CSCMatrix<T>& matrix, std::size_t columns);

} // namespace simcore::poplar
