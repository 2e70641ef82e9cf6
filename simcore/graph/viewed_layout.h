// The tiles that hold the elements of a view: the layout of its variable, and the strides with which the view reads it.
#pragma once

#include "simcore/graph/distribution.h"
#include "simcore/graph/row_boxes.h"

#include <algorithm>

namespace simcore::graph {

struct ViewedLayout {
  Distribution layout; // of the variable; its elements are numbered row by row
  int64_t offset = 0;  // element of the variable that is the view's first element
  Shape shape, strides;

  // Calls f(elements) for the contiguous ranges of the variable that a box of the view reads, until f returns false.
  template<class F> bool forEachStretch(const Box& box, F f) const {
    std::vector<std::size_t> dims; // dimensions with several elements, smallest stride first; a repeated element counts once
    int64_t begin = offset;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (box.dims[d].empty()) return true;
      begin += box.dims[d].begin * strides[d];
      if (strides[d] > 0 && box.dims[d].size() > 1) dims.push_back(d);
    }
    std::stable_sort(dims.begin(), dims.end(), [&](std::size_t a, std::size_t b) { return strides[a] < strides[b]; });
    int64_t length = 1;
    std::size_t inner = 0;
    for (; inner < dims.size() && strides[dims[inner]] == length; ++inner) length *= box.dims[dims[inner]].size();
    std::vector<int64_t> at(dims.size(), 0);
    for (;;) {
      if (!f(reports::Range<int64_t>{begin, begin + length})) return false;
      std::size_t d = inner;
      for (; d < dims.size(); ++d) {
        begin += strides[dims[d]];
        if (++at[d] < box.dims[dims[d]].size()) break;
        begin -= at[d] * strides[dims[d]];
        at[d] = 0;
      }
      if (d == dims.size()) return true;
    }
  }
  // The same for a range of the view's elements, numbered row by row.
  template<class F> void forEachStretch(reports::Range<int64_t> elements, F f) const {
    bool wantsMore = true;
    forEachRowBox(elements, shape, [&](const Box& box) { wantsMore = wantsMore && forEachStretch(box, f); });
  }
};

} // namespace simcore::graph
