#include "simcore/ops/cellwise.h"

#include "reports/core/error.h"
#include "simcore/numerics/elementwise.h"

#include <algorithm>
#include <cstring>

namespace simcore::ops {

using graph::Box;
using numerics::HostTensor;

namespace {

// Calls f(offset in the tensor, offset in the box, elements) for each contiguous row of a box.
template<class F> void forEachRow(const Shape& shape, const Box& box, F f) {
  const std::size_t rank = shape.size();
  if (rank == 0) return f(int64_t(0), int64_t(0), int64_t(1));
  for (std::size_t d = 0; d < rank; ++d) {
    if (box.dims[d].begin < 0 || box.dims[d].end > shape[d])
      throw reports::Error(reports::ErrorCode::Internal, "a cell reaches outside its tensor");
    if (box.dims[d].empty()) return;
  }
  const Shape strides = numerics::rowMajorStrides(shape);
  const int64_t length = box.dims[rank - 1].size();
  std::vector<int64_t> index;
  for (const auto& r : box.dims) index.push_back(r.begin);
  int64_t at = 0;
  for (;;) {
    int64_t offset = 0;
    for (std::size_t d = 0; d < rank; ++d) offset += index[d] * strides[d];
    f(offset, at, length);
    at += length;
    std::size_t d = rank - 1;
    for (;;) { // next row: the last dimension is done
      if (d == 0) return;
      --d;
      if (++index[d] < box.dims[d].end) break;
      index[d] = box.dims[d].begin;
    }
  }
}

Shape shapeOf(const Box& box) {
  Shape s;
  for (const auto& r : box.dims) s.push_back(std::max<int64_t>(0, r.size()));
  return s;
}

// A cell of a layout of another shape is a stretch of the flattened tensor.
Shape gridShape(const Distribution& layout, const Shape& shape) {
  return layout.shape() == shape ? shape : Shape{numerics::elementCount(shape)};
}

} // namespace

HostTensor takeBox(const HostTensor& tensor, const Box& box) {
  HostTensor part = HostTensor::uninitialised(tensor.type(), shapeOf(box));
  const std::size_t size = numerics::hostSize(tensor.type());
  const auto from = tensor.raw();
  auto to = part.mutableRaw();
  forEachRow(tensor.shape(), box, [&](int64_t offset, int64_t at, int64_t n) {
    std::memcpy(to.data() + std::size_t(at) * size, from.data() + std::size_t(offset) * size, std::size_t(n) * size);
  });
  return part;
}

void putBox(HostTensor& tensor, const Box& box, const HostTensor& given) {
  const HostTensor part = given.cast(tensor.type());
  const std::size_t size = numerics::hostSize(tensor.type());
  const auto from = part.raw();
  auto to = tensor.mutableRaw();
  forEachRow(tensor.shape(), box, [&](int64_t offset, int64_t at, int64_t n) {
    std::memcpy(to.data() + std::size_t(offset) * size, from.data() + std::size_t(at) * size, std::size_t(n) * size);
  });
}

void addBox(HostTensor& tensor, const Box& box, const HostTensor& part) {
  const auto from = part.values<float>();
  auto to = tensor.mutableValues<float>();
  forEachRow(tensor.shape(), box, [&](int64_t offset, int64_t at, int64_t n) {
    for (int64_t i = 0; i < n; ++i) to[std::size_t(offset + i)] += from[std::size_t(at + i)];
  });
}

HostKernel cellwiseMap(HostKernel kernel, Distribution layout, Shape shape, ElementType outputType) {
  return [kernel = std::move(kernel), layout = std::move(layout), shape = std::move(shape),
          outputType](const std::vector<HostTensor>& in) {
    const Shape grid = gridShape(layout, shape);
    std::vector<HostTensor> whole;
    for (const HostTensor& t : in) whole.push_back((t.shape() == shape ? t : numerics::expand(t, shape)).reshaped(grid));
    HostTensor out(outputType == ElementType::Half ? ElementType::Float : outputType, grid);
    for (int64_t c = 0; c < layout.cells(); ++c) {
      Box box = layout.cell(c);
      std::vector<HostTensor> parts;
      for (const HostTensor& t : whole) parts.push_back(takeBox(t, box));
      putBox(out, box, kernel(parts).at(0));
    }
    return std::vector<HostTensor>{out.reshaped(shape)};
  };
}

HostKernel cellwiseReduce(numerics::ReduceKind kind, Distribution layout, Shape shape, std::vector<std::size_t> axes,
                          bool keepDims) {
  return [=](const std::vector<HostTensor>& in) {
    using numerics::BinaryKind;
    using numerics::ReduceKind;
    const HostTensor x = in[0].reshaped(shape);
    const ReduceKind combine = kind == ReduceKind::SumSquare ? ReduceKind::Sum : kind;
    const BinaryKind join = combine == ReduceKind::Max    ? BinaryKind::Max
                            : combine == ReduceKind::Min  ? BinaryKind::Min
                            : combine == ReduceKind::Prod ? BinaryKind::Mul
                                                          : BinaryKind::Add;
    const Shape kept = numerics::reducedShape(shape, axes, true);
    HostTensor out(x.type(), kept);
    std::vector<bool> first(std::size_t(out.count()), true);
    const Shape strides = numerics::rowMajorStrides(shape), outStrides = numerics::rowMajorStrides(kept);
    const bool aligned = layout.shape() == shape;
    for (int64_t c = 0; c < layout.cells(); ++c) {
      const Box cell = layout.cell(c);
      std::vector<Box> boxes;
      if (aligned) {
        boxes.push_back(cell);
      } else { // a stretch of the flattened tensor: element by element
        for (int64_t e = cell.dims[0].begin; e < cell.dims[0].end; ++e) {
          Box one;
          for (std::size_t d = 0; d < shape.size(); ++d)
            one.dims.push_back({e / strides[d] % shape[d], e / strides[d] % shape[d] + 1});
          boxes.push_back(std::move(one));
        }
      }
      for (const Box& box : boxes) {
        const HostTensor partial = numerics::reduce(kind, takeBox(x, box), axes, true);
        Box to = box;
        for (std::size_t a : axes) to.dims[a] = {0, 1};
        int64_t offset = 0;
        for (std::size_t d = 0; d < shape.size(); ++d) offset += to.dims[d].begin * outStrides[d];
        // Cells that hold the first partials of their outputs start them; later ones are combined. All outputs of a cell agree.
        const bool fresh = first[std::size_t(offset)];
        putBox(out, to, fresh ? partial : numerics::binary(join, takeBox(out, to), partial));
        forEachRow(kept, to,
                   [&](int64_t row, int64_t, int64_t n) { std::fill(first.begin() + row, first.begin() + row + n, false); });
      }
    }
    return std::vector<HostTensor>{out.reshaped(numerics::reducedShape(shape, axes, keepDims))};
  };
}

} // namespace simcore::ops
