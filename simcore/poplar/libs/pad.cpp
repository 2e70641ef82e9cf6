#include "popops/Pad.hpp"

#include "poputil/TileMapping.hpp"
#include "simcore/ops/move/copies.h"
#include "simcore/poplar/libs/library_call.h"

#include <algorithm>

namespace popops {

using namespace simcore::poplar::names;
using Amounts = std::vector<std::ptrdiff_t>;

namespace {

void requireAmounts(const Tensor& tensor, const Amounts& lower, const Amounts& upper) {
  if (lower.size() != tensor.rank() || upper.size() != tensor.rank())
    throw poputil::poplibs_error("popops::pad: there must be one lower and one upper padding per dimension of " +
                                 tensor.getDebugStr() + ", but " + std::to_string(lower.size()) + " and " +
                                 std::to_string(upper.size()) + " are given");
}

Amounts along(const Tensor& tensor, unsigned dim, std::ptrdiff_t amount) {
  if (dim >= tensor.rank())
    throw poputil::poplibs_error("popops::pad: " + tensor.getDebugStr() + " has no dimension " + std::to_string(dim));
  Amounts amounts(tensor.rank(), 0);
  amounts[dim] = amount;
  return amounts;
}

Tensor padWith(Graph& graph, const Tensor& tensor, const Amounts& lower, const Amounts& upper, double value,
               padding::MappingMethod method) {
  requireAmounts(tensor, lower, upper);
  if (method == padding::MappingMethod::NONE) // the caller maps the result, so it must learn that the constant is mapped
    sp::warnOnce("popops::pad: new elements are mapped although MappingMethod::NONE leaves that to the program");
  return sp::library(graph, {}, "pad", [&](const ops::OpBuilder& b) {
    return ops::pad(b, sp::inner(tensor), {lower.begin(), lower.end()}, {upper.begin(), upper.end()}, value);
  });
}

} // namespace

Tensor pad(Graph& graph, const Tensor& tensor, const Amounts& lower, const Amounts& upper, float value,
           padding::MappingMethod method) {
  return padWith(graph, tensor, lower, upper, double(value), method);
}
Tensor pad(Graph& graph, const Tensor& tensor, const Amounts& lower, const Amounts& upper, int value,
           padding::MappingMethod method) {
  return padWith(graph, tensor, lower, upper, value, method);
}
Tensor pad(Graph& graph, const Tensor& tensor, std::ptrdiff_t lower, std::ptrdiff_t upper, unsigned dim, float value,
           padding::MappingMethod method) {
  return padWith(graph, tensor, along(tensor, dim, lower), along(tensor, dim, upper), double(value), method);
}
Tensor pad(Graph& graph, const Tensor& tensor, std::ptrdiff_t lower, std::ptrdiff_t upper, unsigned dim, int value,
           padding::MappingMethod method) {
  return padWith(graph, tensor, along(tensor, dim, lower), along(tensor, dim, upper), value, method);
}

Tensor pad(Graph&, const Tensor& tensor, const Amounts& lower, const Amounts& upper, const Tensor& value,
           padding::MappingMethod) {
  requireAmounts(tensor, lower, upper);
  if (value.numElements() != 1)
    throw poputil::poplibs_error("popops::pad: the value " + value.getDebugStr() + " must have one element");
  Tensor padded = tensor;
  for (unsigned d = 0; d < tensor.rank(); ++d) {
    const std::size_t begin = std::size_t(std::max<std::ptrdiff_t>(0, -lower[d]));
    const std::size_t end = padded.dim(d) - std::size_t(std::max<std::ptrdiff_t>(0, -upper[d]));
    padded = padded.slice(begin, std::max(begin, end), d);
    const auto margin = [&](std::ptrdiff_t n) {
      auto shape = padded.shape();
      shape[d] = std::size_t(n);
      std::size_t elements = 1;
      for (const std::size_t extent : shape) elements *= extent;
      return value.flatten().broadcast(unsigned(elements), 0).reshape(shape);
    };
    std::vector<Tensor> parts;
    if (lower[d] > 0) parts.push_back(margin(lower[d]));
    parts.push_back(padded);
    if (upper[d] > 0) parts.push_back(margin(upper[d]));
    padded = poplar::concat(parts, d);
  }
  return padded;
}
Tensor pad(Graph& graph, const Tensor& tensor, std::ptrdiff_t lower, std::ptrdiff_t upper, unsigned dim, const Tensor& value,
           padding::MappingMethod method) {
  return pad(graph, tensor, along(tensor, dim, lower), along(tensor, dim, upper), value, method);
}

Tensor pad(const Tensor& tensor, std::ptrdiff_t lower, std::ptrdiff_t upper, unsigned dim, padding::Type type) {
  return pad(tensor, along(tensor, dim, lower), along(tensor, dim, upper), type);
}
Tensor pad(const Tensor& tensor, const Amounts& lower, const Amounts& upper, padding::Type type) {
  requireAmounts(tensor, lower, upper);
  Tensor padded = tensor;
  for (unsigned d = 0; d < tensor.rank(); ++d) {
    const std::size_t begin = std::size_t(std::max<std::ptrdiff_t>(0, -lower[d]));
    const std::size_t end = padded.dim(d) - std::size_t(std::max<std::ptrdiff_t>(0, -upper[d]));
    padded = padded.slice(begin, std::max(begin, end), d);
    const std::size_t low = std::size_t(std::max<std::ptrdiff_t>(0, lower[d])),
                      high = std::size_t(std::max<std::ptrdiff_t>(0, upper[d]));
    const std::size_t n = padded.dim(d);
    const std::size_t needed = type == padding::Type::REFLECT ? std::max(low, high) + 1 : 1;
    if ((low || high) && n < needed)
      throw poputil::poplibs_error("popops::pad: " + tensor.getDebugStr() + " has " + std::to_string(n) +
                                   " elements in dimension " + std::to_string(d) + ", but the padding needs at least " +
                                   std::to_string(needed));
    const Tensor inside = padded;
    std::vector<Tensor> parts;
    if (type == padding::Type::EDGE) {
      if (low) parts.push_back(inside.slice(0, 1, d).broadcast(unsigned(low), d));
      parts.push_back(inside);
      if (high) parts.push_back(inside.slice(n - 1, n, d).broadcast(unsigned(high), d));
    } else {
      if (low) parts.push_back(inside.slice(1, 1 + low, d).reverse(d));
      parts.push_back(inside);
      if (high) parts.push_back(inside.slice(n - 1 - high, n - 1, d).reverse(d));
    }
    padded = poplar::concat(parts, d);
  }
  return padded;
}

} // namespace popops
