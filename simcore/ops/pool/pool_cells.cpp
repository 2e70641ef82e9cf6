#include "simcore/ops/pool/pool_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace simcore::ops {

using codelets::PoolKind;
using numerics::HostTensor;

namespace {

struct Window {
  std::vector<std::array<int64_t, 2>> inside; // existing input positions (row, column)
  int64_t padded = 1;                         // taps inside the padded input
};

Window windowAt(const PoolParams& p, const Shape& x, int64_t row, int64_t column) {
  Window w;
  const int64_t out[2] = {row, column};
  std::vector<int64_t> taps[2];
  for (std::size_t d = 0; d < 2; ++d) {
    int64_t padded = 0;
    for (int64_t k = 0; k < p.kernel[d]; ++k) {
      const int64_t at = out[d] * p.stride[d] - p.padLow[d] + k * p.dilation[d];
      if (at >= 0 && at < x[2 + d]) taps[d].push_back(at);
      if (at < x[2 + d] + p.padHigh[d]) ++padded;
    }
    w.padded *= padded;
  }
  for (const int64_t r : taps[0])
    for (const int64_t c : taps[1]) w.inside.push_back({r, c});
  return w;
}

int64_t divisor(const PoolParams& p, const Window& w) {
  return std::max<int64_t>(1, p.countPads ? w.padded : int64_t(w.inside.size()));
}

// The first maximum of a window in plane (n, c), as a position in the flattened x.
int64_t largest(const HostTensor& x, const Window& w, int64_t plane) {
  int64_t best = -1;
  for (const auto& at : w.inside) {
    const int64_t position = (plane * x.dim(2) + at[0]) * x.dim(3) + at[1];
    if (best < 0 || x.at(position) > x.at(best)) best = position;
  }
  return best;
}

// The share of a window's gradient that the element at `at` gets.
double shareOfMaximum(const HostTensor& x, const Window& w, int64_t plane, int64_t at, MaximumTies ties) {
  const int64_t best = largest(x, w, plane);
  if (ties == MaximumTies::First) return best == at ? 1 : 0;
  if (best < 0 || x.at(best) != x.at(at)) return 0;
  if (ties == MaximumTies::All) return 1;
  const auto count = std::count_if(w.inside.begin(), w.inside.end(), [&](const auto& tap) {
    return x.at((plane * x.dim(2) + tap[0]) * x.dim(3) + tap[1]) == x.at(best);
  });
  return 1 / double(count);
}

HostTensor result(const std::vector<double>& values, ElementType type) {
  return HostTensor::of({int64_t(values.size())}, values).cast(type);
}

} // namespace

PositionKernel poolForward(const PoolParams& p) {
  return [p](const std::vector<HostTensor>& in, const std::vector<int64_t>& positions) {
    const HostTensor& x = in[0];
    std::vector<double> values;
    for (const int64_t at : positions) {
      const int64_t column = at % p.out[1], row = at / p.out[1] % p.out[0], plane = at / (p.out[0] * p.out[1]);
      const Window w = windowAt(p, x.shape(), row, column);
      if (p.kind == PoolKind::Max) {
        const int64_t best = largest(x, w, plane);
        values.push_back(best < 0 ? -std::numeric_limits<double>::infinity() : x.at(best));
        continue;
      }
      double sum = 0;
      for (const auto& tap : w.inside) {
        const double v = x.at((plane * x.dim(2) + tap[0]) * x.dim(3) + tap[1]);
        sum += p.power > 0 ? std::pow(std::abs(v), p.power) : v;
      }
      if (p.power > 0)
        sum = std::pow(sum, 1 / p.power);
      else if (p.kind == PoolKind::Average)
        sum /= double(divisor(p, w));
      values.push_back(sum);
    }
    return result(values, x.type());
  };
}

PositionKernel poolIndices(const PoolParams& p) {
  return [p](const std::vector<HostTensor>& in, const std::vector<int64_t>& positions) {
    const HostTensor& x = in[0];
    std::vector<int64_t> values;
    for (const int64_t at : positions) {
      const int64_t plane = at / (p.out[0] * p.out[1]);
      const int64_t best = largest(x, windowAt(p, x.shape(), at / p.out[1] % p.out[0], at % p.out[1]), plane);
      if (best < 0 || in.size() > 1) {
        values.push_back(best < 0 ? -1 : in[1].integerAt(best));
        continue;
      }
      const int64_t row = best / x.dim(3) % x.dim(2), column = best % x.dim(3);
      values.push_back(p.columnMajor ? plane * x.dim(2) * x.dim(3) + column * x.dim(2) + row : best);
    }
    return HostTensor::vector(values);
  };
}

PositionKernel poolBackward(const PoolParams& p, const Shape& shape) {
  return [p, shape](const std::vector<HostTensor>& in, const std::vector<int64_t>& positions) {
    const bool isMax = p.kind == PoolKind::Max;
    const HostTensor& dy = in.back();
    std::vector<double> values;
    for (const int64_t at : positions) {
      const int64_t position[2] = {at / shape[3] % shape[2], at % shape[3]}, plane = at / (shape[2] * shape[3]);
      // By dimension: outputs whose windows may contain the element.
      std::vector<int64_t> outs[2];
      for (std::size_t d = 0; d < 2; ++d)
        for (int64_t k = 0; k < p.kernel[d]; ++k) {
          const int64_t start = position[d] + p.padLow[d] - k * p.dilation[d];
          if (start >= 0 && start % p.stride[d] == 0 && start / p.stride[d] < p.out[d]) outs[d].push_back(start / p.stride[d]);
        }
      double sum = 0;
      for (const int64_t r : outs[0])
        for (const int64_t c : outs[1]) {
          const Window w = windowAt(p, shape, r, c);
          const double g = dy.at((plane * p.out[0] + r) * p.out[1] + c);
          if (isMax)
            sum += g * shareOfMaximum(in[0], w, plane, at, p.ties);
          else
            sum += g / double(p.kind == PoolKind::Average ? divisor(p, w) : 1);
        }
      values.push_back(sum);
    }
    return result(values, dy.type());
  };
}

} // namespace simcore::ops
