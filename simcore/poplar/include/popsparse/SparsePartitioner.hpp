// Converts a sparse matrix of the host to the tensors on the machine, and back. The values are in the order of the rows of
// blocks; unused positions are 0. More blocks than the parameters allow throw poputil::poplibs_error.
#pragma once

#include "poplar/OptionFlags.hpp"
#include "poplar/Target.hpp"
#include "poplar/Type.hpp"
#include "popsparse/FullyConnectedParams.hpp"
#include "popsparse/MatMulParams.hpp"
#include "popsparse/PlanningCache.hpp"
#include "popsparse/SparseStorageFormats.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace popsparse {

// The shape of the matrix and of its blocks, and `places`, the capacity in blocks.
struct SparsePlaces {
  std::size_t rows, columns, blockRows, blockColumns, places;
};

namespace dynamic {

template<class T> struct SparsityDataImpl {
  std::vector<std::size_t> metaInfo; // each fits an unsigned short
  std::vector<T> nzValues;
};

// T is float or double.
template<class T> class Partitioner {
public:
  Partitioner(const FullyConnectedParams& params, const poplar::Type& dataType, const poplar::Target& target,
              const poplar::OptionFlags& options, PlanningCache* cache = nullptr, std::string name = "");
  Partitioner(const MatMulParams& params, const poplar::Type& dataType, const poplar::Target& target,
              const poplar::OptionFlags& options, PlanningCache* cache = nullptr, std::string name = "");

  SparsityDataImpl<T> createSparsityDataImpl(const CSCMatrix<T>& matrix) const;
  SparsityDataImpl<T> createSparsityDataImpl(const CSRMatrix<T>& matrix) const;
  SparsityDataImpl<T> createSparsityDataImpl(const COOMatrix<T>& matrix) const;
  COOMatrix<T> sparsityDataImplToCOOMatrix(const SparsityDataImpl<T>& data) const;
  CSRMatrix<T> sparsityDataImplToCSRMatrix(const SparsityDataImpl<T>& data) const;
  CSCMatrix<T> sparsityDataImplToCSCMatrix(const SparsityDataImpl<T>& data) const;

private:
  SparsePlaces m_places;
};

} // namespace dynamic
namespace static_ {

template<class T> struct SparsityDataImpl {
  SparsityDataImpl(std::vector<T> values) : nzValues(std::move(values)) {}
  std::vector<T> nzValues;
};

template<class T> class Partitioner {
public:
  Partitioner(const MatMulParams& params, const poplar::Type& dataType, const poplar::Target& target,
              const poplar::OptionFlags& options, PlanningCache* cache = nullptr, std::string name = "");

  SparsityDataImpl<T> createSparsityDataImpl(const CSCMatrix<T>& matrix) const;
  SparsityDataImpl<T> createSparsityDataImpl(const CSRMatrix<T>& matrix) const;
  SparsityDataImpl<T> createSparsityDataImpl(const COOMatrix<T>& matrix) const;

private:
  std::size_t m_columns;
};

} // namespace static_
} // namespace popsparse
