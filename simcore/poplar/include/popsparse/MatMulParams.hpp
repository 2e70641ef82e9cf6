// The sizes of products with a sparse operand: [groups, m, k] sparse x [groups, k, n] dense. The simulator supports only one
// group; other numbers throw poputil::poplibs_error.
#pragma once

#include "popsparse/SparsityParams.hpp"

#include <cstddef>
#include <ostream>

namespace popsparse {
namespace dynamic {

class MatMulParams {
public:
  // At most `nzRatio` of the elements, from 0 to 1, are not zero.
  static MatMulParams createWithNzRatio(const SparsityParams& sparsityParams, double nzRatio, std::size_t groups, std::size_t m,
                                        std::size_t k, std::size_t n);
  static MatMulParams createWithNumNonZeroValues(const SparsityParams& sparsityParams, std::size_t numNonZeroElems,
                                                 std::size_t groups, std::size_t m, std::size_t k, std::size_t n);
  const SparsityParams& getSparsityParams() const { return m_sparsity; }
  std::size_t getNumGroups() const { return m_groups; }
  std::size_t getM() const { return m_m; }
  std::size_t getK() const { return m_k; }
  std::size_t getN() const { return m_n; }
  double getNzRatio() const { return m_nzRatio; }
  std::size_t getNumNonZeroValues() const; // rounded to whole blocks

private:
  MatMulParams(const SparsityParams& sparsity, double nzRatio, std::size_t groups, std::size_t m, std::size_t k, std::size_t n);
  SparsityParams m_sparsity;
  double m_nzRatio;
  std::size_t m_groups, m_m, m_k, m_n;
};
bool operator<(const MatMulParams& a, const MatMulParams& b);
bool operator==(const MatMulParams& a, const MatMulParams& b);
bool operator!=(const MatMulParams& a, const MatMulParams& b);
std::ostream& operator<<(std::ostream& out, const MatMulParams& params);

} // namespace dynamic
namespace static_ {

class MatMulParams {
public:
  static MatMulParams createForSparseDense(std::size_t groups, std::size_t m, std::size_t k, std::size_t n);
  // [groups, n, k] dense x [groups, k, m] sparse.
  static MatMulParams createForDenseSparse(std::size_t groups, std::size_t n, std::size_t k, std::size_t m);
  std::size_t getNumGroups() const { return m_groups; }
  std::size_t getM() const { return m_m; }
  std::size_t getK() const { return m_k; }
  std::size_t getN() const { return m_n; }
  bool isTransposed() const { return m_isTransposed; }

private:
  MatMulParams(std::size_t groups, std::size_t m, std::size_t k, std::size_t n, bool isTransposed);
  std::size_t m_groups, m_m, m_k, m_n;
  bool m_isTransposed;
};
bool operator<(const MatMulParams& a, const MatMulParams& b);
bool operator==(const MatMulParams& a, const MatMulParams& b);
bool operator!=(const MatMulParams& a, const MatMulParams& b);
std::ostream& operator<<(std::ostream& out, const MatMulParams& params);

} // namespace static_
} // namespace popsparse
