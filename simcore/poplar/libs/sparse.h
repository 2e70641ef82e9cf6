// Shared by the calls of popsparse: the positions of the blocks of a sparse matrix, and products with it.
#pragma once

#include "popsparse/SparsePartitioner.hpp"
#include "poputil/TensorMetaData.hpp"
#include "simcore/poplar/libs/library_call.h"

#include <cstdint>

namespace simcore::poplar {

// Kept with a sparse tensor. `pattern`: numbers of the blocks, row by row, if they are known when the graph is made.
struct SparseFacts : ::poputil::TensorMetaDataBase {
  ::popsparse::SparsePlaces places{};
  std::vector<std::int64_t> pattern;
};
// Throws poplibs_error for a tensor that no call of popsparse made.
const SparseFacts& factsOf(const char* call, const ::poputil::TensorMetaData& data);

// Places of blocks in a matrix of rows x columns; throws poplibs_error if the blocks do not divide it.
::popsparse::SparsePlaces placesOf(const char* call, std::size_t groups, std::size_t rows, std::size_t columns,
                                   const std::array<std::size_t, 2>& block, std::size_t values);

// The product of a sparse and a dense matrix, or of its transpose. `meta` has a block's number as two unsigned shorts, all ones where there is
// none; it is invalid for a known pattern.
::poplar::Tensor sparseProduct(::poplar::Graph& graph, const SparseFacts& facts, const ::poplar::Tensor& meta,
                               const ::poplar::Tensor& values, const ::poplar::Tensor& dense, bool isTransposed,
                               ::poplar::program::Sequence& prog, const ::poplar::DebugContext& context);

// Numbers and values of the blocks, sorted by number. Elements of a block are along its rows.
template<class T> struct SparseBlocks {
  std::vector<std::int64_t> numbers;
  std::vector<T> values;
};
template<class T> SparseBlocks<T> blocksOf(const ::popsparse::COOMatrix<T>& matrix, std::size_t columns);
template<class T> SparseBlocks<T> blocksOf(const ::popsparse::CSRMatrix<T>& matrix, std::size_t columns);
template<class T> SparseBlocks<T> blocksOf(const ::popsparse::CSCMatrix<T>& matrix, std::size_t columns);

} // namespace simcore::poplar
