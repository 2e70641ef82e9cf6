// Adds elements around tensors. The results are views: no element is copied.
#pragma once

#include "poplar/Graph.hpp"
#include "poplar/Tensor.hpp"

#include <cstddef>
#include <vector>

namespace popops {
namespace padding {

enum class Type {
  EDGE,   // repeats the element at the edge
  REFLECT // the inner elements in reverse, without the one at the edge
};
// Tile of new elements: NONE leaves it to the caller, ZERO is tile 0, EDGE the tile of the neighbour.
enum class MappingMethod { NONE, ZERO, EDGE };

} // namespace padding

// Add this many elements before and after, along each dimension or along one; negative numbers cut. They throw poplibs_error for
// lists that do not have one number per dimension.
poplar::Tensor pad(poplar::Graph& graph, const poplar::Tensor& tensor, const std::vector<std::ptrdiff_t>& paddingLower,
                   const std::vector<std::ptrdiff_t>& paddingUpper, float value = 0.0f,
                   padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
poplar::Tensor pad(poplar::Graph& graph, const poplar::Tensor& tensor, const std::vector<std::ptrdiff_t>& paddingLower,
                   const std::vector<std::ptrdiff_t>& paddingUpper, int value,
                   padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
// Pads with one element of a tensor.
poplar::Tensor pad(poplar::Graph& graph, const poplar::Tensor& tensor, const std::vector<std::ptrdiff_t>& paddingLower,
                   const std::vector<std::ptrdiff_t>& paddingUpper, const poplar::Tensor& value,
                   padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
poplar::Tensor pad(poplar::Graph& graph, const poplar::Tensor& tensor, std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper,
                   unsigned dim, float value = 0.0f, padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
poplar::Tensor pad(poplar::Graph& graph, const poplar::Tensor& tensor, std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper,
                   unsigned dim, int value, padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
poplar::Tensor pad(poplar::Graph& graph, const poplar::Tensor& tensor, std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper,
                   unsigned dim, const poplar::Tensor& value,
                   padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
// Pads with the tensor's own elements.
poplar::Tensor pad(const poplar::Tensor& tensor, const std::vector<std::ptrdiff_t>& paddingLower,
                   const std::vector<std::ptrdiff_t>& paddingUpper, padding::Type type);
poplar::Tensor pad(const poplar::Tensor& tensor, std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper, unsigned dim,
                   padding::Type type);

} // namespace popops
