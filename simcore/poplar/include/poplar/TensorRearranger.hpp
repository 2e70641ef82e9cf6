// An order of a tensor's elements in which its parts are contiguous in memory, for tensors of the same size and lists of intervals.
#pragma once

#include "poplar/ArrayRef.hpp"
#include "poplar/Interval.hpp"
#include "poplar/Tensor.hpp"

#include <utility>
#include <vector>

namespace poplar {

class TensorRearranger {
public:
  TensorRearranger() = default; // not valid()
  // The intervals of the original tensor, in their new order; together they are all its elements.
  explicit TensorRearranger(std::vector<Interval> order) : m_order(std::move(order)) {}

  bool valid() const { return !m_order.empty(); }
  // A vector of the tensor's elements in the new order, and back. Throw poplar_error for another number of elements.
  Tensor rearrange(const Tensor& tensor) const;
  Tensor undoRearrangement(const Tensor& tensor) const;
  // The same elements as intervals of the rearranged tensor, and back.
  std::vector<Interval> rearrange(ArrayRef<Interval> intervals) const;
  std::vector<Interval> undoRearrangement(ArrayRef<Interval> intervals) const;

private:
  std::vector<Interval> m_order;
};

} // namespace poplar
