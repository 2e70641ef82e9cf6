#include "simcore/ops/cells/cellwise.h"

#include "reports/core/error.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/ops/cells/pieces.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <span>

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
    for (;;) { // next row, because the last dimension is complete
      if (d == 0) return;
      --d;
      if (++index[d] < box.dims[d].end) break;
      index[d] = box.dims[d].begin;
    }
  }
}

std::vector<HostTensor> nothing(ElementType type, const Shape& shape) { return {HostTensor(type, shape)}; }

Shape shapeOf(const Box& box) {
  Shape s;
  for (const auto& r : box.dims) s.push_back(std::max<int64_t>(0, r.size()));
  return s;
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

HostKernel cellwiseMap(HostKernel kernel, Distribution layout, Shape shape, ElementType outputType,
                       std::vector<HostTensor> immediates) {
  return [kernel = std::move(kernel), layout = std::move(layout), shape = std::move(shape), outputType,
          immediates = std::move(immediates)](const std::vector<HostTensor>& in) {
    if (numerics::elementCount(shape) == 0) return nothing(outputType, shape);
    std::vector<HostTensor> whole;
    for (const auto* list : {&in, &immediates})
      for (const HostTensor& t : *list)
        whole.push_back((t.shape() == shape ? t : numerics::expand(t, shape)).reshaped(layout.shape()));
    Pieces out(outputType, layout);
    for (int64_t c = 0; c < layout.cells(); ++c) {
      std::vector<HostTensor> parts;
      for (const HostTensor& t : whole) parts.push_back(takeBox(t, out.box(c)));
      out.put(c, kernel(parts).at(0));
    }
    return std::vector<HostTensor>{out.assemble(shape)};
  };
}

std::vector<int64_t> positionsOf(const Shape& shape, const Box& box) {
  std::vector<int64_t> positions;
  forEachRow(shape, box, [&](int64_t offset, int64_t, int64_t n) {
    for (int64_t i = 0; i < n; ++i) positions.push_back(offset + i);
  });
  return positions;
}

HostKernel cellwiseGenerate(PositionKernel kernel, Distribution layout, Shape shape, ElementType outputType) {
  return [kernel = std::move(kernel), layout = std::move(layout), shape = std::move(shape),
          outputType](const std::vector<HostTensor>& in) {
    if (numerics::elementCount(shape) == 0) return nothing(outputType, shape);
    Pieces out(outputType, layout);
    for (int64_t c = 0; c < layout.cells(); ++c) out.put(c, kernel(in, positionsOf(layout.shape(), out.box(c))));
    return std::vector<HostTensor>{out.assemble(shape)};
  };
}

HostKernel cellwiseMove(HostKernel where, std::vector<Distribution> from, std::size_t movable, Distribution to, Shape shape,
                        double fill) {
  return [where = std::move(where), from = std::move(from), movable, to = std::move(to), shape = std::move(shape),
          fill](const std::vector<HostTensor>& in) {
    if (numerics::elementCount(shape) == 0) return nothing(in.at(0).type(), shape);
    std::vector<HostTensor> positions;
    std::vector<Pieces> pieces;
    std::vector<int64_t> begins{0};
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (i >= movable) {
        positions.push_back(in[i]);
        continue;
      }
      HostTensor p = HostTensor::uninitialised(ElementType::Int64, in[i].shape());
      const auto values = p.mutableValues<int64_t>();
      std::iota(values.begin(), values.end(), begins.back() + 1);
      begins.push_back(begins.back() + p.count());
      positions.push_back(std::move(p));
      if (in[i].count() == 0)
        pieces.emplace_back(in[i].type(), Distribution());
      else
        pieces.emplace_back(in[i], from[i]);
    }
    const std::vector<int64_t> map = where(positions).at(0).toIntegers();
    Pieces out(in.at(0).type(), to);
    for (int64_t c = 0; c < to.cells(); ++c) {
      const auto elements = positionsOf(to.shape(), out.box(c));
      HostTensor cell = HostTensor::full(in[0].type(), {int64_t(elements.size())}, fill);
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const int64_t source = map.at(std::size_t(elements[i])) - 1;
        if (source < 0) continue;
        const auto input = std::size_t(std::upper_bound(begins.begin(), begins.end(), source) - begins.begin()) - 1;
        pieces[input].copyElement(source - begins[input], cell, int64_t(i));
      }
      out.put(c, cell);
    }
    return std::vector<HostTensor>{out.assemble(shape)};
  };
}

namespace {

double start(numerics::ReduceKind kind, double v) { return kind == numerics::ReduceKind::SumSquare ? v * v : v; }

double joined(numerics::ReduceKind kind, double a, double b) {
  using numerics::ReduceKind;
  switch (kind) {
  case ReduceKind::Max: return std::isnan(a) || a > b ? a : b;
  case ReduceKind::Min: return std::isnan(a) || a < b ? a : b;
  case ReduceKind::Prod: return a * b;
  case ReduceKind::LogSumExp: return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
  default: return a + b;
  }
}

double combined(numerics::ReduceKind kind, std::span<const double> values) {
  double result = values[0];
  for (const double v : values.subspan(1)) result = joined(kind, result, v);
  return result;
}

} // namespace

HostKernel cellwiseReduce(numerics::ReduceKind kind, Distribution layout, Shape shape, const std::vector<std::size_t>& axes,
                          bool keepDims, int64_t group) {
  return oneResult([=](const std::vector<HostTensor>& in) {
    const Shape kept = numerics::reducedShape(shape, axes, true), strides = numerics::rowMajorStrides(shape);
    Shape outStrides = numerics::rowMajorStrides(kept);
    for (const std::size_t a : axes) outStrides[a] = 0;
    const Pieces x(in[0], layout);
    std::vector<std::vector<double>> partials(std::size_t(numerics::elementCount(kept)));
    for (int64_t c = 0; c < layout.cells(); ++c) {
      std::map<int64_t, double> local; // partial results of the tile, by output
      const auto positions = positionsOf(layout.shape(), layout.cell(c));
      for (std::size_t i = 0; i < positions.size(); ++i) {
        int64_t out = 0;
        for (std::size_t d = 0; d < shape.size(); ++d) out += positions[i] / strides[d] % shape[d] * outStrides[d];
        const double v = start(kind, x.piece(c).at(int64_t(i)));
        const auto [it, first] = local.try_emplace(out, v);
        if (!first) it->second = joined(kind, it->second, v);
      }
      for (const auto& [out, value] : local) partials[std::size_t(out)].push_back(value);
    }
    std::vector<double> results;
    for (const auto& list : partials) {
      if (list.empty()) throw reports::Error(reports::ErrorCode::Internal, "an output of a reduction has no partials");
      std::vector<double> middle; // results of the intermediate stage
      for (std::size_t i = 0; i < list.size(); i += std::size_t(group))
        middle.push_back(combined(kind, std::span(list).subspan(i, std::min(std::size_t(group), list.size() - i))));
      results.push_back(combined(kind, middle));
    }
    return HostTensor::of(numerics::reducedShape(shape, axes, keepDims), results); // rounded to the result's type when stored
  });
}

} // namespace simcore::ops
