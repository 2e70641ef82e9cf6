// Element order of operands and results in the planned problem.
#pragma once

#include "simcore/ops/conv/convolution.h"

#include <algorithm>

namespace simcore::ops {

// Converts 8-bit floats to the matrix unit's format.
numerics::HostTensor convOperand(const numerics::HostTensor& value);
// Cells of a convolution whose operands and result have the element order of the options.
HostKernel arrangedCells(HostKernel cells, const ConvOptions& options);

// Order of a product's batch dimensions: first those along which each matrix of b has separate rows of a, then those along which
// one matrix is shared. The plan treats the shared ones as rows.
struct ProductOrder {
  Shape batch, aFull, bFull;
  std::vector<std::size_t> toRows, back; // permutation of the dimensions of a and of the result to this order; its inverse

  ProductOrder(const Shape& result, const Shape& a, const Shape& b);
  bool isPlain() const { return std::is_sorted(toRows.begin(), toRows.end()); } // whether rows are in the order of a
};

// Converts operands of a product to those of the planned convolution, and the result back.
HostKernel productByCells(HostKernel cells, const ConvParams& params, const Shape& shape, const ConvOptions& options);

} // namespace simcore::ops
