// Views that are built from other views.
#include "simcore/graph/tensor.h"
#include "simcore/graph/tensor_error.h"

#include <algorithm>
#include <tuple>

namespace simcore::graph {

Tensor Tensor::slices(const std::vector<Interval>& intervals, std::size_t dimension) const {
  std::vector<Tensor> parts;
  for (const Interval& i : intervals) parts.push_back(slice(i, dimension));
  if (parts.empty()) return slice(0, 0, dimension);
  return concat(parts, dimension);
}

Tensor Tensor::index(const std::vector<int64_t>& indices) const {
  Tensor t = *this;
  for (const int64_t i : indices) t = t[i];
  return t;
}

Tensor Tensor::flatten(std::size_t firstDimension, std::size_t endDimension) const {
  if (firstDimension >= endDimension || endDimension > rank())
    badView("has no dimensions " + std::to_string(firstDimension) + " to " + std::to_string(endDimension), *this);
  int64_t together = 1;
  for (std::size_t d = firstDimension; d < endDimension; ++d) together *= dim(d);
  return reshapePartial(firstDimension, endDimension, {together});
}

Tensor Tensor::reshapePartial(std::size_t begin, std::size_t end, const Shape& part) const {
  if (begin > end || end > rank()) badView("has no dimensions " + std::to_string(begin) + " to " + std::to_string(end), *this);
  const Shape& old = shape();
  Shape s(old.begin(), old.begin() + std::ptrdiff_t(begin));
  s.insert(s.end(), part.begin(), part.end());
  s.insert(s.end(), old.begin() + std::ptrdiff_t(end), old.end());
  return reshape(s);
}

Tensor Tensor::dimShufflePartial(const std::vector<std::size_t>& source, const std::vector<std::size_t>& destination) const {
  std::vector<std::size_t> order(rank(), rank());
  std::vector<bool> moved(rank(), false);
  if (source.size() != destination.size()) badView("a partial dimShuffle needs a destination for every source", *this);
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] >= rank() || destination[i] >= rank() || moved[source[i]] || order[destination[i]] != rank())
      badView("a partial dimShuffle must name dimensions once", *this);
    order[destination[i]] = source[i];
    moved[source[i]] = true;
  }
  std::size_t next = 0;
  for (auto& place : order) {
    if (place != rank()) continue;
    while (moved[next]) ++next;
    place = next++;
  }
  return dimShuffle(order);
}

Tensor Tensor::dimRoll(std::size_t dimension, std::size_t newPlace) const { return dimShufflePartial({dimension}, {newPlace}); }

Tensor Tensor::upsample(int64_t scale, std::size_t dimension) const {
  if (dimension >= rank() || scale < 1)
    badView("cannot be upsampled " + std::to_string(scale) + " times along dimension " + std::to_string(dimension), *this);
  if (scale == 1 || numElements() == 0) {
    Shape s = shape();
    s[dimension] *= scale;
    return scale == 1 ? *this : reshape(s);
  }
  return expand({dimension + 1}).broadcast(scale, dimension + 1).flatten(dimension, dimension + 2);
}

bool Tensor::containsAliases() const {
  std::vector<Region> regions = contiguousRegions();
  std::sort(regions.begin(), regions.end(),
            [](const Region& a, const Region& b) { return std::tie(a.variable, a.begin) < std::tie(b.variable, b.begin); });
  for (std::size_t i = 1; i < regions.size(); ++i)
    if (regions[i].variable == regions[i - 1].variable && regions[i].begin < regions[i - 1].end) return true;
  return false;
}

bool Tensor::intersects(const Tensor& other) const {
  std::vector<Region> a = contiguousRegions(), b = other.contiguousRegions();
  const auto before = [](const Region& x, const Region& y) {
    return std::tie(x.variable, x.begin, x.end) < std::tie(y.variable, y.begin, y.end);
  };
  std::sort(a.begin(), a.end(), before);
  std::sort(b.begin(), b.end(), before);
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i].variable == b[j].variable && a[i].begin < b[j].end && b[j].begin < a[i].end) return true;
    const bool first = std::tie(a[i].variable, a[i].end) < std::tie(b[j].variable, b[j].end);
    ++(first ? i : j);
  }
  return false;
}

} // namespace simcore::graph
