#include "simcore/numerics/kernel_support.h"
#include "simcore/numerics/layout.h"

namespace simcore::numerics {

namespace {

// For each output index of one dimension, its source index; -1 for the constant.
std::vector<std::int64_t> sourceIndices(std::int64_t dim, std::int64_t before, std::int64_t after, PadMode mode) {
  constexpr std::int64_t kMost = std::int64_t(1) << 40;
  if (before > kMost || after > kMost) failKernel("Pad makes a dimension too large");
  if (before < -dim || after < -dim || dim + before + after < 0) failKernel("Pad removes more elements than there are");
  const std::int64_t total = dim + before + after;
  if (total > kMost) failKernel("Pad makes a dimension too large");
  std::vector<std::int64_t> indices(std::size_t(total), -1);
  if (dim == 0 && mode != PadMode::Constant && total > 0) failKernel("Pad cannot repeat elements of an empty dimension");
  for (std::int64_t i = 0; i < total; ++i) {
    std::int64_t from = i - before;
    if (from < 0 || from >= dim) {
      if (mode == PadMode::Constant) continue;
      if (mode == PadMode::Edge) from = from < 0 ? 0 : dim - 1;
      if (mode == PadMode::Wrap) from = ((from % dim) + dim) % dim;
      if (mode == PadMode::Reflect) {
        const std::int64_t period = dim > 1 ? 2 * (dim - 1) : 1;
        from = ((from % period) + period) % period;
        if (from >= dim) from = period - from;
      }
    }
    indices[std::size_t(i)] = from;
  }
  return indices;
}

} // namespace

HostTensor pad(const HostTensor& x, const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& after, PadMode mode,
               const HostTensor* value) {
  if (before.size() != x.rank() || after.size() != x.rank()) failKernel("Pad needs two sizes per dimension");
  if (value && (value->count() != 1 || value->type() != x.type()))
    failKernel(std::string("the value of Pad must be one ") + elementTypeName(x.type()));
  if (x.rank() == 0) return x;
  std::vector<std::vector<std::int64_t>> sources;
  Shape shape;
  for (std::size_t i = 0; i < x.rank(); ++i) {
    sources.push_back(sourceIndices(x.dim(i), before[i], after[i], mode));
    shape.push_back(std::int64_t(sources[i].size()));
  }
  HostTensor result = HostTensor::uninitialised(x.type(), shape);
  const Shape strides = rowMajorStrides(x.shape());
  visitBySize(x.type(), [&](auto zero) {
    using T = decltype(zero);
    const T fill = value ? *rawAs<T>(*value) : T{};
    const T* source = rawAs<T>(x);
    T* target = mutableRawAs<T>(result);
    const std::vector<std::int64_t>& last = sources.back();
    const std::int64_t n = shape.back(), rows = n ? result.count() / n : 0;
    std::vector<std::int64_t> index(shape.size() - 1, 0);
    for (std::int64_t row = 0; row < rows; ++row, target += n) {
      std::int64_t offset = 0;
      bool inside = true;
      for (std::size_t axis = 0; axis < index.size(); ++axis) {
        const std::int64_t from = sources[axis][std::size_t(index[axis])];
        inside = inside && from >= 0;
        offset += from * strides[axis];
      }
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t from = last[std::size_t(i)];
        target[i] = inside && from >= 0 ? source[offset + from] : fill;
      }
      for (std::size_t axis = index.size(); axis-- > 0;) {
        if (++index[axis] < shape[axis]) break;
        index[axis] = 0;
      }
    }
  });
  return result;
}

} // namespace simcore::numerics
