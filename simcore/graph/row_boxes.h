// Converts contiguous ranges of elements, counted row by row, to boxes of the tensor's shape, and boxes to ranges.
#pragma once

#include "simcore/graph/distribution.h"

namespace simcore::graph {

// Calls f(box) with boxes that together are the elements [begin, end) of a tensor of this shape, in order; at most two per
// dimension.
template<class F> void forEachRowBox(reports::Range<int64_t> elements, const Shape& shape, F f) {
  Box box;
  for (const int64_t extent : shape) box.dims.push_back({0, extent});
  const auto within = [&](const auto& self, std::size_t d, int64_t begin, int64_t end) -> void {
    if (begin >= end) return;
    if (d == shape.size()) return f(std::as_const(box));
    int64_t inner = 1;
    for (std::size_t k = d + 1; k < shape.size(); ++k) inner *= shape[k];
    const int64_t first = begin / inner, last = (end - 1) / inner;
    const auto row = [&](int64_t at, int64_t from, int64_t to) {
      box.dims[d] = {at, at + 1};
      self(self, d + 1, from, to);
      for (std::size_t k = d; k < shape.size(); ++k) box.dims[k] = {0, shape[k]};
    };
    if (first == last) return row(first, begin - first * inner, end - first * inner);
    const int64_t whole = first + (begin > first * inner), wholeEnd = last + (end == (last + 1) * inner);
    if (whole > first) row(first, begin - first * inner, inner);
    if (whole < wholeEnd) {
      box.dims[d] = {whole, wholeEnd};
      f(std::as_const(box));
      box.dims[d] = {0, shape[d]};
    }
    if (wholeEnd == last) row(last, 0, end - last * inner);
  };
  within(within, 0, elements.begin, elements.end);
}

// Calls f(elements) for the contiguous ranges of a box of a tensor of this shape, in order, until f returns false.
template<class F> void forEachRowStretch(const Shape& shape, const Box& box, F f) {
  if (box.volume() == 0) return;
  int64_t inner = 1; // product of the dimensions that the box covers completely
  std::size_t d = shape.size();
  while (d > 0 && box.dims[d - 1].size() == shape[d - 1]) inner *= shape[--d];
  if (d == 0) {
    f(reports::Range<int64_t>{0, inner});
    return;
  }
  const std::size_t cut = d - 1;
  std::vector<int64_t> at(cut);
  for (std::size_t k = 0; k < cut; ++k) at[k] = box.dims[k].begin;
  for (;;) {
    int64_t row = 0;
    for (std::size_t k = 0; k < cut; ++k) row = row * shape[k] + at[k];
    row *= shape[cut];
    if (!f(reports::Range<int64_t>{(row + box.dims[cut].begin) * inner, (row + box.dims[cut].end) * inner})) return;
    std::size_t k = cut;
    while (k > 0 && ++at[k - 1] == box.dims[k - 1].end) --k, at[k] = box.dims[k].begin;
    if (k == 0) return;
  }
}

} // namespace simcore::graph
