// A tensor is a view of variables: slicing, shuffling, reshaping, concatenating and broadcasting never copy an element.
// Inside it is a small tree: strided windows of one variable, joined along a dimension. A reshape that strides cannot say
// splits the window, so every chain of views is exact.
#pragma once

#include "reports/core/ids.h"
#include "simcore/numerics/element_type.h"
#include "simcore/numerics/shape.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace simcore::graph {

using numerics::ElementType;
using numerics::Shape;
using reports::VariableId;

// Elements [begin, end) of a variable in its row-major order.
struct Region {
  VariableId variable;
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
  bool operator==(const Region&) const = default;
};

class Tensor {
public:
  Tensor() = default; // not valid()
  // The whole of a variable.
  Tensor(VariableId variable, ElementType type, Shape shape);

  bool valid() const { return m_view != nullptr; }
  ElementType elementType() const;
  const Shape& shape() const;
  std::size_t rank() const { return shape().size(); }
  int64_t dim(std::size_t d) const { return shape()[d]; }
  int64_t numElements() const;

  // Views. Every one throws reports::Error(InvalidInput) that names the shape and the argument if it does not fit.
  Tensor slice(int64_t begin, int64_t end, std::size_t dimension = 0) const;
  Tensor slice(const std::vector<int64_t>& begin, const std::vector<int64_t>& end) const;
  Tensor operator[](int64_t index) const; // drops dimension 0
  Tensor reshape(Shape shape) const;
  Tensor flatten() const;
  Tensor dimShuffle(const std::vector<std::size_t>& order) const;
  Tensor transpose() const;                                    // reverses the dimensions
  Tensor expand(const std::vector<std::size_t>& before) const; // inserts dimensions of extent 1 before these
  Tensor squeeze(const std::vector<std::size_t>& dimensions) const;
  Tensor broadcast(int64_t n, std::size_t dimension) const;
  Tensor reverse(std::size_t dimension) const;
  Tensor subSample(int64_t stride, std::size_t dimension) const;

  // The elements in the view's row-major order, neighbours merged.
  std::vector<Region> contiguousRegions() const;
  // The variable this is all of, in order (reshaped at most); invalid otherwise.
  VariableId wholeVariable() const;
  // Variables the view touches, each once, in order of first use.
  std::vector<VariableId> variables() const;
  bool containsAliases() const;

  struct View; // how it is kept; only tensor.cpp looks inside
private:
  explicit Tensor(std::shared_ptr<const View> view) : m_view(std::move(view)) {}
  friend Tensor concat(const std::vector<Tensor>& tensors, std::size_t dimension);
  std::shared_ptr<const View> m_view;
};

Tensor concat(const std::vector<Tensor>& tensors, std::size_t dimension = 0);
inline Tensor concat(const Tensor& a, const Tensor& b, std::size_t dimension = 0) {
  return concat(std::vector<Tensor>{a, b}, dimension);
}

} // namespace simcore::graph
