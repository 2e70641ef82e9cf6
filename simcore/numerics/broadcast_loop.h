// Loops row by row over an output shape and N inputs that broadcast to it. Adjacent dimensions with the same steps in all inputs
// are merged first, so the usual cases (same shape, scalar, per-channel) become one or two long rows.
#pragma once

#include "simcore/numerics/shape.h"

#include <array>
#include <cstddef>

namespace simcore::numerics {

template<std::size_t N> class BroadcastLoop {
public:
  // Every input shape must broadcast to `output`.
  BroadcastLoop(const Shape& output, const std::array<const Shape*, N>& inputs) {
    for (std::size_t axis = 0; axis < output.size(); ++axis) {
      if (output[axis] == 1) continue;
      std::array<std::int64_t, N> step{};
      for (std::size_t i = 0; i < N; ++i) step[i] = stride(*inputs[i], output.size() - axis);
      if (!m_dims.empty() && mergeable(step, output[axis])) {
        m_dims.back() *= output[axis];
        m_steps.back() = step;
      } else {
        m_dims.push_back(output[axis]);
        m_steps.push_back(step);
      }
    }
    if (m_dims.empty()) {
      m_dims.push_back(1);
      m_steps.push_back({});
    }
  }

  std::int64_t rowLength() const { return m_dims.back(); }
  // Per input, the number of elements to advance per output element of a row: 0 or 1.
  const std::array<std::int64_t, N>& rowSteps() const { return m_steps.back(); }

  // Calls f(outputOffset, inputOffsets) once per row.
  template<class F> void forEachRow(F&& f) const {
    const std::size_t outer = m_dims.size() - 1;
    std::int64_t rows = 1;
    for (std::size_t i = 0; i < outer; ++i) rows *= m_dims[i];
    if (rowLength() == 0) return;
    std::vector<std::int64_t> index(outer, 0);
    std::array<std::int64_t, N> offsets{};
    for (std::int64_t row = 0; row < rows; ++row) {
      f(row * rowLength(), offsets);
      for (std::size_t axis = outer; axis-- > 0;) {
        for (std::size_t i = 0; i < N; ++i) offsets[i] += m_steps[axis][i];
        if (++index[axis] < m_dims[axis]) break;
        index[axis] = 0;
        for (std::size_t i = 0; i < N; ++i) offsets[i] -= m_steps[axis][i] * m_dims[axis];
      }
    }
  }

private:
  // Stride of `shape` in the dimension that is `fromBack`-th from the back (1 = last); 0 if it broadcasts.
  static std::int64_t stride(const Shape& shape, std::size_t fromBack) {
    if (fromBack > shape.size() || shape[shape.size() - fromBack] == 1) return 0;
    return elementCount(shape, shape.size() - fromBack + 1, shape.size());
  }
  bool mergeable(const std::array<std::int64_t, N>& step, std::int64_t dim) const {
    for (std::size_t i = 0; i < N; ++i)
      if (m_steps.back()[i] != step[i] * dim) return false;
    return true;
  }

  Shape m_dims;
  std::vector<std::array<std::int64_t, N>> m_steps;
};

} // namespace simcore::numerics
