// Sparse matrices on the host. A matrix of blocks has the first row and column of each block, and the elements of a block one
// after the other.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace popsparse {

struct Block {
  std::size_t getNumRowsInBlock() const { return blockDimensions[0]; }
  std::size_t getNumColumnsInBlock() const { return blockDimensions[1]; }
  std::size_t getBlockSize() const { return blockDimensions[0] * blockDimensions[1]; }
  std::array<std::size_t, 2> getBlockDimensions() const { return blockDimensions; }

protected:
  using Sizes = std::array<std::size_t, 2>;
  explicit Block(const Sizes& sizes) : blockDimensions(sizes) {}
  std::array<std::size_t, 2> blockDimensions;
};

// The common part of the three formats; rows and columns may stay 0 if the operation has its own.
template<class T> struct SparseMatrix : Block {
  std::size_t numRows = 0;
  std::size_t numColumns = 0;
  std::vector<T> nzValues;
  std::vector<std::size_t> columnIndices;
  std::vector<std::size_t> rowIndices;

protected:
  explicit SparseMatrix(const Sizes& block) : Block(block) {}
  SparseMatrix(std::size_t rows, std::size_t columns, std::vector<T> values, std::vector<std::size_t> columnPlaces,
               std::vector<std::size_t> rowPlaces, const Sizes& block)
      : Block(block), numRows(rows), numColumns(columns), nzValues(std::move(values)), columnIndices(std::move(columnPlaces)),
        rowIndices(std::move(rowPlaces)) {}
};

// COO: the row and column of each block.
template<class T> struct COOMatrix : SparseMatrix<T> {
  COOMatrix(std::vector<T> values, std::vector<std::size_t> columns, std::vector<std::size_t> rows,
            const std::array<std::size_t, 2>& block = {{1, 1}})
      : SparseMatrix<T>(0, 0, std::move(values), std::move(columns), std::move(rows), block) {}
  COOMatrix(std::size_t rowCount, std::size_t columnCount, std::vector<T> values, std::vector<std::size_t> columns,
            std::vector<std::size_t> rows, const std::array<std::size_t, 2>& block = {{1, 1}})
      : SparseMatrix<T>(rowCount, columnCount, std::move(values), std::move(columns), std::move(rows), block) {}
  COOMatrix(std::size_t numNZValues, const std::array<std::size_t, 2>& block = {{1, 1}}) : SparseMatrix<T>(block) {
    this->nzValues.resize(numNZValues);
    this->rowIndices.resize(numNZValues / this->getBlockSize());
    this->columnIndices.resize(numNZValues / this->getBlockSize());
  }
  COOMatrix(const std::array<std::size_t, 2>& block = {{1, 1}}) : SparseMatrix<T>(block) {}
};

// CSC: the row of each block, and for each column of blocks the position of its first value. The elements of a block are in
// column-major order.
template<class T> struct CSCMatrix : SparseMatrix<T> {
  CSCMatrix(std::vector<T> values, std::vector<std::size_t> columns, std::vector<std::size_t> rows,
            const std::array<std::size_t, 2>& block = {{1, 1}})
      : SparseMatrix<T>(0, 0, std::move(values), std::move(columns), std::move(rows), block) {}
  CSCMatrix(std::size_t rowCount, std::size_t columnCount, std::vector<T> values, std::vector<std::size_t> columns,
            std::vector<std::size_t> rows, const std::array<std::size_t, 2>& block = {{1, 1}})
      : SparseMatrix<T>(rowCount, columnCount, std::move(values), std::move(columns), std::move(rows), block) {}
  CSCMatrix(std::size_t numNZValues, std::size_t columnCount, const std::array<std::size_t, 2>& block = {{1, 1}})
      : SparseMatrix<T>(block) {
    this->nzValues.resize(numNZValues);
    this->rowIndices.resize(numNZValues / this->getBlockSize());
    this->columnIndices.resize(columnCount / block[1] + 1);
  }
  CSCMatrix(const std::array<std::size_t, 2>& block = {{1, 1}}) : SparseMatrix<T>(block) {}
};

// CSR: the column of each block, and for each row of blocks the position of its first value. The elements of a block are in
// row-major order.
template<class T> struct CSRMatrix : SparseMatrix<T> {
  CSRMatrix(std::vector<T> values, std::vector<std::size_t> columns, std::vector<std::size_t> rows,
            const std::array<std::size_t, 2>& block = {{1, 1}})
      : SparseMatrix<T>(0, 0, std::move(values), std::move(columns), std::move(rows), block) {}
  CSRMatrix(std::size_t rowCount, std::size_t columnCount, std::vector<T> values, std::vector<std::size_t> columns,
            std::vector<std::size_t> rows, const std::array<std::size_t, 2>& block = {{1, 1}})
      : SparseMatrix<T>(rowCount, columnCount, std::move(values), std::move(columns), std::move(rows), block) {}
  CSRMatrix(std::size_t numNZValues, std::size_t rowCount, const std::array<std::size_t, 2>& block = {{1, 1}})
      : SparseMatrix<T>(block) {
    this->nzValues.resize(numNZValues);
    this->columnIndices.resize(numNZValues / this->getBlockSize());
    this->rowIndices.resize(rowCount / block[0] + 1);
  }
  CSRMatrix(const std::array<std::size_t, 2>& block = {{1, 1}}) : SparseMatrix<T>(block) {}
};

} // namespace popsparse
