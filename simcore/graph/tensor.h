// A tensor is a view of variables: slicing, shuffling, reshaping, concatenating and broadcasting never copy an element.
// Internally it is a small tree of strided windows of variables, joined along dimensions. If strides cannot express a reshape,
// the window is split, so every chain of views is exact.
#pragma once

#include "reports/core/ids.h"
#include "simcore/numerics/element_type.h"
#include "simcore/numerics/shape.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
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

// Elements [begin, end) of a tensor.
struct Interval {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
  bool operator==(const Interval&) const = default;
};

// A contiguous range of a variable with `variableElements` elements.
struct Window {
  Region region;
  int64_t variableElements = 0;
};
// A window of a variable with one stride for each dimension of the view.
struct StridedWindow {
  VariableId variable;
  int64_t variableElements = 0, offset = 0;
  Shape strides;
};
// over 40 methods because it mirrors Poplar's public Tensor
class Tensor {
public:
  Tensor() = default; // not valid()
  // A whole variable; views of it keep its name.
  Tensor(VariableId variable, ElementType type, Shape shape, std::shared_ptr<const std::string> name = nullptr);
  Tensor(const Window& window, ElementType type); // a tensor of one dimension

  bool valid() const { return m_view != nullptr; }
  ElementType elementType() const;
  const Shape& shape() const;
  std::size_t rank() const { return shape().size(); }
  int64_t dim(std::size_t d) const { return d < rank() ? shape()[d] : noDimension(d); }
  int64_t numElements() const;

  // Views. Throw reports::Error(InvalidInput) naming the shape and the argument if they do not match.
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
  Tensor upsample(int64_t scale, std::size_t dimension) const; // every element `scale` times in sequence
  Tensor slice(Interval interval, std::size_t dimension = 0) const { return slice(interval.begin, interval.end, dimension); }
  Tensor slices(const std::vector<Interval>& intervals, std::size_t dimension = 0) const; // joined in this order
  Tensor index(const std::vector<int64_t>& indices) const;                                // t[i][j]…
  Tensor flatten(std::size_t firstDimension, std::size_t endDimension) const;
  // Replaces dimensions [begin, end) by this shape.
  Tensor reshapePartial(std::size_t begin, std::size_t end, const Shape& shape) const;
  Tensor dimShufflePartial(const std::vector<std::size_t>& source, const std::vector<std::size_t>& destination) const;
  Tensor dimRoll(std::size_t dimension, std::size_t newPlace = 0) const; // moves one dimension, keeps the order of the others
  // The same bytes as another type: between whole numbers of equal size, and between 4-byte whole numbers and floats.
  Tensor reinterpret(ElementType type) const;

  // The elements in the view's row-major order; adjacent regions are merged.
  std::vector<Region> contiguousRegions() const;
  // The view as one window, if its elements are contiguous in one variable.
  std::optional<Window> window() const;
  // The view as one window with strides; nullopt for views that join several windows.
  std::optional<StridedWindow> stridedWindow() const;
  // The variable, if the view is the whole variable in order (it may be reshaped); else invalid.
  VariableId wholeVariable() const;
  // Variables in the view, each once, in order of first use.
  std::vector<VariableId> variables() const;
  // Number of windows in the view; a window that occurs twice counts twice. It measures the cost of a pass over the view.
  int64_t pieces() const;
  bool containsAliases() const;
  bool isParallelWriteable() const { return !containsAliases(); }
  bool isContiguous() const { return contiguousRegions().size() <= 1; }
  bool intersects(const Tensor& other) const;
  std::string shapeToString() const { return numerics::toString(shape()); }
  // Debug path of its variables, and its shape: "net/weights [3x4]".
  std::string getDebugStr() const;

  // The tree as numbers, for files; empty for an invalid tensor.
  std::vector<int64_t> toNumbers() const;
  // The inverse of toNumbers(). `elementsOf` returns the size of a variable, -1 if it does not exist. Throws Error(Damaged) for
  // numbers that are not a tensor of these variables.
  static Tensor ofNumbers(std::span<const int64_t> numbers, const std::function<int64_t(VariableId)>& elementsOf);

  struct View; // the internal form (tensor_view.h)
private:
  explicit Tensor(std::shared_ptr<const View> view) : m_view(std::move(view)) {}
  [[noreturn]] int64_t noDimension(std::size_t d) const;
  friend Tensor concat(const std::vector<Tensor>& tensors, std::size_t dimension);
  std::shared_ptr<const View> m_view;
};

// Whether reinterpret() can convert between the two.
bool canReinterpret(ElementType from, ElementType to);

Tensor concat(const std::vector<Tensor>& tensors, std::size_t dimension = 0);
inline Tensor concat(const Tensor& a, const Tensor& b, std::size_t dimension = 0) {
  return concat(std::vector<Tensor>{a, b}, dimension);
}

} // namespace simcore::graph
