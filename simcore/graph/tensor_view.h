// The tree behind a Tensor. These functions do not check what they are given; the methods of Tensor do.
#pragma once

#include "simcore/graph/tensor.h"

namespace simcore::graph {

// Either a window (children empty): element i of the view is offset + sum(index[d] * strides[d]) of the variable;
// or children joined along `dimension`.
struct Tensor::View {
  ElementType type;
  Shape shape;
  VariableId variable;
  std::shared_ptr<const std::string> name; // of the variable
  int64_t variableSize = 0;
  int64_t offset = 0;
  Shape strides;
  std::size_t dimension = 0;
  std::vector<std::shared_ptr<const View>> children;
  int depth = 0;      // of the tree
  int64_t pieces = 1; // windows of the tree; a child that occurs twice counts twice
};

using View = Tensor::View;
using ViewPtr = std::shared_ptr<const View>;

// Children of equal shape but for this dimension. Throws Error(Unsupported) for more pieces than can be planned.
ViewPtr join(std::vector<ViewPtr> children, std::size_t dimension);
ViewPtr sliceView(const View& v, std::size_t dimension, int64_t begin, int64_t end);
ViewPtr shuffleView(const View& v, const std::vector<std::size_t>& order);
ViewPtr retyped(const View& v, ElementType type);

// A window reshaped without splitting, or null.
ViewPtr reshapeWindow(const View& v, const Shape& shape);
// One dimension, in row-major order: a window, or windows joined without nesting.
ViewPtr flattenView(const View& v);
// Gives a one-dimensional view a shape: splits along the first dimension where pieces end inside a row.
ViewPtr shapeFlat(const View& flat, const Shape& shape);
// Adds the regions of a one-dimensional view, neighbours merged.
void collectRegions(const View& flat, std::vector<Region>& regions);

// Tensor::toNumbers() and its inverse.
void writeView(const View& v, std::vector<int64_t>& out);
ViewPtr readView(std::span<const int64_t> numbers, const std::function<int64_t(VariableId)>& elementsOf);

} // namespace simcore::graph
