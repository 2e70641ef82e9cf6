#include "simcore/poplar/libs/sparse.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace poputil {
TensorMetaDataBase::~TensorMetaDataBase() = default;
}

namespace simcore::poplar {

using ::popsparse::COOMatrix;
using ::popsparse::CSCMatrix;
using ::popsparse::CSRMatrix;

const SparseFacts& factsOf(const char* call, const ::poputil::TensorMetaData& data) {
  const auto* facts = dynamic_cast<const SparseFacts*>(data.getData());
  if (!facts) throw ::poputil::poplibs_error(std::string(call) + ": the sparse tensor was not made by a call of popsparse");
  return *facts;
}

::popsparse::SparsePlaces placesOf(const char* call, std::size_t groups, std::size_t rows, std::size_t columns,
                                   const std::array<std::size_t, 2>& block, std::size_t values) {
  if (groups != 1)
    throw ::poputil::poplibs_error(std::string(call) + ": " + std::to_string(groups) + " groups are not simulated, only one");
  if (block[0] == 0 || block[1] == 0 || rows % block[0] != 0 || columns % block[1] != 0)
    throw ::poputil::poplibs_error(std::string(call) + ": blocks of " + std::to_string(block[0]) + "x" +
                                   std::to_string(block[1]) + " do not divide a matrix of " + std::to_string(rows) + "x" +
                                   std::to_string(columns));
  return {rows, columns, block[0], block[1], values / (block[0] * block[1])};
}

namespace {

// Sorts the blocks by number.
template<class T> SparseBlocks<T> sorted(SparseBlocks<T> blocks, std::size_t size) {
  std::vector<std::size_t> order(blocks.numbers.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return blocks.numbers[a] < blocks.numbers[b]; });
  SparseBlocks<T> result;
  for (const std::size_t i : order) {
    result.numbers.push_back(blocks.numbers[i]);
    result.values.insert(result.values.end(), blocks.values.begin() + std::ptrdiff_t(i * size),
                         blocks.values.begin() + std::ptrdiff_t((i + 1) * size));
  }
  return result;
}
void require(bool holds, const char* what) {
  if (!holds) throw ::poputil::poplibs_error(std::string("popsparse: the sparse matrix ") + what);
}
template<class M> std::size_t sizeOf(const M& matrix) {
  require(matrix.getBlockSize() > 0, "has blocks without elements");
  return matrix.getBlockSize();
}
std::int64_t numberOf(std::size_t row, std::size_t column, const ::popsparse::Block& block, std::size_t columns) {
  require(row % block.getNumRowsInBlock() == 0 && column % block.getNumColumnsInBlock() == 0,
          "has a block that is not aligned to the block grid");
  require(column < columns, "has a column index outside of it");
  return std::int64_t(row / block.getNumRowsInBlock() * (columns / block.getNumColumnsInBlock()) +
                      column / block.getNumColumnsInBlock());
}

} // namespace

template<class T> SparseBlocks<T> blocksOf(const COOMatrix<T>& m, std::size_t columns) {
  const std::size_t count = m.nzValues.size() / sizeOf(m);
  require(m.rowIndices.size() == count && m.columnIndices.size() == count,
          "has different numbers of row indices, column indices and blocks");
  SparseBlocks<T> blocks{{}, m.nzValues};
  for (std::size_t i = 0; i < count; ++i) blocks.numbers.push_back(numberOf(m.rowIndices[i], m.columnIndices[i], m, columns));
  return sorted(std::move(blocks), m.getBlockSize());
}
template<class T> SparseBlocks<T> blocksOf(const CSRMatrix<T>& m, std::size_t columns) {
  const std::size_t size = sizeOf(m), count = m.nzValues.size() / size;
  require(m.columnIndices.size() == count && !m.rowIndices.empty() && m.rowIndices.back() == m.nzValues.size(),
          "has row indices whose last element is not the number of values");
  require(std::is_sorted(m.rowIndices.begin(), m.rowIndices.end()), "has row indices that decrease");
  SparseBlocks<T> blocks{{}, m.nzValues};
  for (std::size_t row = 0; row + 1 < m.rowIndices.size(); ++row)
    for (std::size_t i = m.rowIndices[row] / size; i < m.rowIndices[row + 1] / size; ++i)
      blocks.numbers.push_back(numberOf(row * m.getNumRowsInBlock(), m.columnIndices[i], m, columns));
  require(blocks.numbers.size() == count, "has row indices that do not begin with 0");
  return sorted(std::move(blocks), size);
}
template<class T> SparseBlocks<T> blocksOf(const CSCMatrix<T>& m, std::size_t columns) {
  const std::size_t size = sizeOf(m), count = m.nzValues.size() / size;
  require(m.rowIndices.size() == count && !m.columnIndices.empty() && m.columnIndices.back() == m.nzValues.size(),
          "has column indices whose last element is not the number of values");
  require(std::is_sorted(m.columnIndices.begin(), m.columnIndices.end()), "has column indices that decrease");
  SparseBlocks<T> blocks;
  const std::size_t rows = m.getNumRowsInBlock(), across = m.getNumColumnsInBlock();
  for (std::size_t column = 0; column + 1 < m.columnIndices.size(); ++column)
    for (std::size_t i = m.columnIndices[column] / size; i < m.columnIndices[column + 1] / size; ++i) {
      blocks.numbers.push_back(numberOf(m.rowIndices[i], column * across, m, columns));
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < across; ++c) blocks.values.push_back(m.nzValues[i * size + c * rows + r]);
    }
  require(blocks.numbers.size() == count, "has column indices that do not begin with 0");
  return sorted(std::move(blocks), size);
}
template SparseBlocks<float> blocksOf(const COOMatrix<float>&, std::size_t);
template SparseBlocks<float> blocksOf(const CSRMatrix<float>&, std::size_t);
template SparseBlocks<float> blocksOf(const CSCMatrix<float>&, std::size_t);
template SparseBlocks<double> blocksOf(const COOMatrix<double>&, std::size_t);
template SparseBlocks<double> blocksOf(const CSRMatrix<double>&, std::size_t);
template SparseBlocks<double> blocksOf(const CSCMatrix<double>&, std::size_t);

} // namespace simcore::poplar

namespace popsparse {

namespace sp = simcore::poplar;

namespace {
std::size_t wholeBlocks(double ratio, std::size_t elements, const std::array<std::size_t, 2>& block) {
  const std::size_t size = block[0] * block[1];
  return (std::size_t(std::ceil(ratio * double(elements) - 1e-6)) + size - 1) / size * size;
}
void requireRatio(const char* call, double ratio) {
  if (!(ratio >= 0 && ratio <= 1))
    throw poputil::poplibs_error(std::string(call) + ": the ratio of non-zeros is " + std::to_string(ratio) +
                                 ", but must be from 0 to 1");
}
} // namespace

namespace dynamic {

std::ostream& operator<<(std::ostream& out, const SparsityType& type) {
  return out << (type == SparsityType::Element ? "Element" : "Block");
}
std::ostream& operator<<(std::ostream& out, const SparsityStructure&) { return out << "Unstructured"; }
std::ostream& operator<<(std::ostream& out, const SparsityParams& p) {
  return out << "{ type: " << p.type << ", structure: " << p.structure << ", block dimensions: " << p.blockDimensions[0] << 'x'
             << p.blockDimensions[1] << " }";
}
bool operator<(const SparsityParams& a, const SparsityParams& b) { return a.blockDimensions < b.blockDimensions; }
bool operator==(const SparsityParams& a, const SparsityParams& b) { return a.blockDimensions == b.blockDimensions; }
bool operator!=(const SparsityParams& a, const SparsityParams& b) { return !(a == b); }

MatMulParams::MatMulParams(const SparsityParams& sparsity, double nzRatio, std::size_t groups, std::size_t m, std::size_t k,
                           std::size_t n)
    : m_sparsity(sparsity), m_nzRatio(nzRatio), m_groups(groups), m_m(m), m_k(k), m_n(n) {
  requireRatio("popsparse::dynamic::MatMulParams", nzRatio);
}
MatMulParams MatMulParams::createWithNzRatio(const SparsityParams& sparsityParams, double nzRatio, std::size_t groups,
                                             std::size_t m, std::size_t k, std::size_t n) {
  return {sparsityParams, nzRatio, groups, m, k, n};
}
MatMulParams MatMulParams::createWithNumNonZeroValues(const SparsityParams& sparsityParams, std::size_t numNonZeroElems,
                                                      std::size_t groups, std::size_t m, std::size_t k, std::size_t n) {
  return {sparsityParams, double(numNonZeroElems) / double(groups * m * k), groups, m, k, n};
}
std::size_t MatMulParams::getNumNonZeroValues() const {
  return wholeBlocks(m_nzRatio, m_groups * m_m * m_k, m_sparsity.blockDimensions);
}
namespace {
auto keyOf(const MatMulParams& p) {
  return std::make_tuple(p.getSparsityParams().blockDimensions, p.getNzRatio(), p.getNumGroups(), p.getM(), p.getK(), p.getN());
}
auto keyOf(const FullyConnectedParams& p) {
  return std::make_tuple(p.getSparsityParams().blockDimensions, p.getNzRatio(), p.getNumGroups(), p.getBatchSize(),
                         p.getInputChannels(), p.getOutputChannels());
}
} // namespace
bool operator<(const MatMulParams& a, const MatMulParams& b) { return keyOf(a) < keyOf(b); }
bool operator==(const MatMulParams& a, const MatMulParams& b) { return keyOf(a) == keyOf(b); }
bool operator!=(const MatMulParams& a, const MatMulParams& b) { return !(a == b); }
std::ostream& operator<<(std::ostream& out, const MatMulParams& p) {
  return out << "{ groups: " << p.getNumGroups() << ", m: " << p.getM() << ", k: " << p.getK() << ", n: " << p.getN()
             << ", nzRatio: " << p.getNzRatio() << ", sparsity: " << p.getSparsityParams() << " }";
}

FullyConnectedParams::FullyConnectedParams(const SparsityParams& sparsity, double nzRatio, std::size_t batch, std::size_t groups,
                                           std::size_t in, std::size_t out)
    : m_sparsity(sparsity), m_nzRatio(nzRatio), m_batch(batch), m_groups(groups), m_in(in / std::max<std::size_t>(1, groups)),
      m_out(out / std::max<std::size_t>(1, groups)) {
  requireRatio("popsparse::dynamic::FullyConnectedParams", nzRatio);
}
FullyConnectedParams FullyConnectedParams::createWithNzRatio(const SparsityParams& sparsityParams, double nzRatio,
                                                             std::size_t batchSize, std::size_t numGroups,
                                                             std::size_t inputChannels, std::size_t outputChannels) {
  return {sparsityParams, nzRatio, batchSize, numGroups, inputChannels, outputChannels};
}
FullyConnectedParams FullyConnectedParams::createWithNumNonZeroValues(const SparsityParams& sparsityParams,
                                                                      std::size_t numNonZeroElems, std::size_t batchSize,
                                                                      std::size_t numGroups, std::size_t inputChannels,
                                                                      std::size_t outputChannels) {
  const double all = double(inputChannels * outputChannels) / double(std::max<std::size_t>(1, numGroups));
  return {sparsityParams, double(numNonZeroElems) / all, batchSize, numGroups, inputChannels, outputChannels};
}
std::size_t FullyConnectedParams::getNumNonZeroValues() const {
  return wholeBlocks(m_nzRatio, m_groups * m_in * m_out, m_sparsity.blockDimensions);
}
bool operator<(const FullyConnectedParams& a, const FullyConnectedParams& b) { return keyOf(a) < keyOf(b); }
bool operator==(const FullyConnectedParams& a, const FullyConnectedParams& b) { return keyOf(a) == keyOf(b); }
bool operator!=(const FullyConnectedParams& a, const FullyConnectedParams& b) { return !(a == b); }
std::ostream& operator<<(std::ostream& out, const FullyConnectedParams& p) {
  return out << "{ batchSize: " << p.getBatchSize() << ", groups: " << p.getNumGroups()
             << ", inputChannels: " << p.getInputChannels() << ", outputChannels: " << p.getOutputChannels()
             << ", nzRatio: " << p.getNzRatio() << ", sparsity: " << p.getSparsityParams() << " }";
}

namespace {
constexpr std::size_t kNone = 0xFFFF; // in both halves: an unused position

template<class T> SparsityDataImpl<T> placed(const sp::SparseBlocks<T>& blocks, const SparsePlaces& p) {
  if (blocks.numbers.size() > p.places)
    throw poputil::poplibs_error("popsparse::dynamic::Partitioner: the matrix has " + std::to_string(blocks.numbers.size()) +
                                 " non-zero blocks, the parameters allow " + std::to_string(p.places));
  SparsityDataImpl<T> data;
  for (const std::int64_t number : blocks.numbers) {
    if (number >= std::int64_t(p.rows / p.blockRows * (p.columns / p.blockColumns)))
      throw poputil::poplibs_error("popsparse::dynamic::Partitioner: a row index is outside of the " + std::to_string(p.rows) +
                                   " rows");
    data.metaInfo.push_back(std::size_t(number) & 0xFFFF);
    data.metaInfo.push_back(std::size_t(number) >> 16);
  }
  data.metaInfo.resize(2 * p.places, kNone);
  data.nzValues = blocks.values;
  data.nzValues.resize(p.places * p.blockRows * p.blockColumns);
  return data;
}
template<class M> void requireBlocks(const M& matrix, const SparsePlaces& p) {
  if (matrix.getNumRowsInBlock() != p.blockRows || matrix.getNumColumnsInBlock() != p.blockColumns)
    throw poputil::poplibs_error("popsparse::dynamic::Partitioner: the matrix and the parameters have different block sizes");
}
} // namespace

template<class T>
Partitioner<T>::Partitioner(const FullyConnectedParams& params, const poplar::Type&, const poplar::Target&,
                            const poplar::OptionFlags& options, PlanningCache*, std::string)
    : m_places(sp::placesOf("popsparse::dynamic::Partitioner", params.getNumGroups(), params.getOutputChannels(),
                            params.getInputChannels(), params.getSparsityParams().blockDimensions,
                            params.getNumNonZeroValues())) {
  sp::ignoreOptions("popsparse::dynamic::Partitioner", options);
}
template<class T>
Partitioner<T>::Partitioner(const MatMulParams& params, const poplar::Type&, const poplar::Target&,
                            const poplar::OptionFlags& options, PlanningCache*, std::string)
    : m_places(sp::placesOf("popsparse::dynamic::Partitioner", params.getNumGroups(), params.getM(), params.getK(),
                            params.getSparsityParams().blockDimensions, params.getNumNonZeroValues())) {
  sp::ignoreOptions("popsparse::dynamic::Partitioner", options);
}
template<class T> SparsityDataImpl<T> Partitioner<T>::createSparsityDataImpl(const CSCMatrix<T>& matrix) const {
  requireBlocks(matrix, m_places);
  return placed(sp::blocksOf(matrix, m_places.columns), m_places);
}
template<class T> SparsityDataImpl<T> Partitioner<T>::createSparsityDataImpl(const CSRMatrix<T>& matrix) const {
  requireBlocks(matrix, m_places);
  return placed(sp::blocksOf(matrix, m_places.columns), m_places);
}
template<class T> SparsityDataImpl<T> Partitioner<T>::createSparsityDataImpl(const COOMatrix<T>& matrix) const {
  requireBlocks(matrix, m_places);
  return placed(sp::blocksOf(matrix, m_places.columns), m_places);
}
template<class T> COOMatrix<T> Partitioner<T>::sparsityDataImplToCOOMatrix(const SparsityDataImpl<T>& data) const {
  const SparsePlaces& p = m_places;
  const std::size_t size = p.blockRows * p.blockColumns, across = p.columns / p.blockColumns;
  COOMatrix<T> matrix(p.rows, p.columns, {}, {}, {}, {{p.blockRows, p.blockColumns}});
  for (std::size_t i = 0; 2 * i + 1 < data.metaInfo.size(); ++i) {
    if (data.metaInfo[2 * i] == kNone && data.metaInfo[2 * i + 1] == kNone) continue;
    const std::size_t number = data.metaInfo[2 * i] | data.metaInfo[2 * i + 1] << 16;
    if (number >= p.rows / p.blockRows * across || data.nzValues.size() < (i + 1) * size)
      throw poputil::poplibs_error("popsparse::dynamic::Partitioner: the data belong to a matrix with other parameters");
    matrix.rowIndices.push_back(number / across * p.blockRows);
    matrix.columnIndices.push_back(number % across * p.blockColumns);
    matrix.nzValues.insert(matrix.nzValues.end(), data.nzValues.begin() + std::ptrdiff_t(i * size),
                           data.nzValues.begin() + std::ptrdiff_t((i + 1) * size));
  }
  return matrix;
}
template<class T> CSRMatrix<T> Partitioner<T>::sparsityDataImplToCSRMatrix(const SparsityDataImpl<T>& data) const {
  const COOMatrix<T> c = sparsityDataImplToCOOMatrix(data); // its blocks are sorted by rows
  std::vector<std::size_t> ends(m_places.rows / m_places.blockRows + 1, 0);
  for (const std::size_t row : c.rowIndices) ends[row / m_places.blockRows + 1] += c.getBlockSize();
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  return {c.numRows, c.numColumns, c.nzValues, c.columnIndices, ends, c.getBlockDimensions()};
}
template<class T> CSCMatrix<T> Partitioner<T>::sparsityDataImplToCSCMatrix(const SparsityDataImpl<T>& data) const {
  const COOMatrix<T> c = sparsityDataImplToCOOMatrix(data);
  const std::size_t rows = m_places.blockRows, columns = m_places.blockColumns, size = rows * columns;
  std::vector<std::size_t> order(c.rowIndices.size()), places, ends(m_places.columns / columns + 1, 0);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return c.columnIndices[a] < c.columnIndices[b]; });
  std::vector<T> values;
  for (const std::size_t i : order) {
    places.push_back(c.rowIndices[i]);
    ends[c.columnIndices[i] / columns + 1] += size;
    for (std::size_t x = 0; x < columns; ++x)
      for (std::size_t y = 0; y < rows; ++y) values.push_back(c.nzValues[i * size + y * columns + x]);
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  return {c.numRows, c.numColumns, values, ends, places, c.getBlockDimensions()};
}
template class Partitioner<float>;
template class Partitioner<double>;

} // namespace dynamic

namespace static_ {

MatMulParams::MatMulParams(std::size_t groups, std::size_t m, std::size_t k, std::size_t n, bool isTransposed)
    : m_groups(groups), m_m(m), m_k(k), m_n(n), m_isTransposed(isTransposed) {}
MatMulParams MatMulParams::createForSparseDense(std::size_t groups, std::size_t m, std::size_t k, std::size_t n) {
  return {groups, m, k, n, false};
}
MatMulParams MatMulParams::createForDenseSparse(std::size_t groups, std::size_t n, std::size_t k, std::size_t m) {
  return {groups, m, k, n, true};
}
namespace {
auto keyOf(const MatMulParams& p) { return std::make_tuple(p.getNumGroups(), p.getM(), p.getK(), p.getN(), p.isTransposed()); }
} // namespace
bool operator<(const MatMulParams& a, const MatMulParams& b) { return keyOf(a) < keyOf(b); }
bool operator==(const MatMulParams& a, const MatMulParams& b) { return keyOf(a) == keyOf(b); }
bool operator!=(const MatMulParams& a, const MatMulParams& b) { return !(a == b); }
std::ostream& operator<<(std::ostream& out, const MatMulParams& p) {
  return out << "{ groups: " << p.getNumGroups() << ", m: " << p.getM() << ", k: " << p.getK() << ", n: " << p.getN()
             << ", transposed: " << p.isTransposed() << " }";
}

template<class T>
Partitioner<T>::Partitioner(const MatMulParams& params, const poplar::Type&, const poplar::Target&,
                            const poplar::OptionFlags& options, PlanningCache*, std::string)
    : m_columns(params.isTransposed() ? params.getM() : params.getK()) {
  sp::ignoreOptions("popsparse::static_::Partitioner", options);
}
template<class T> SparsityDataImpl<T> Partitioner<T>::createSparsityDataImpl(const CSCMatrix<T>& matrix) const {
  return sp::blocksOf(matrix, m_columns).values;
}
template<class T> SparsityDataImpl<T> Partitioner<T>::createSparsityDataImpl(const CSRMatrix<T>& matrix) const {
  return sp::blocksOf(matrix, m_columns).values;
}
template<class T> SparsityDataImpl<T> Partitioner<T>::createSparsityDataImpl(const COOMatrix<T>& matrix) const {
  return sp::blocksOf(matrix, m_columns).values;
}
template class Partitioner<float>;
template class Partitioner<double>;

} // namespace static_
} // namespace popsparse
