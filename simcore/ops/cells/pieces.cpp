#include "simcore/ops/cells/pieces.h"

#include "reports/core/error.h"

#include <cstring>

namespace simcore::ops {

using graph::Box;
using numerics::HostTensor;
using reports::Error;
using reports::ErrorCode;

namespace {
ElementType hostForm(ElementType type) { return type == ElementType::Half ? ElementType::Float : type; }
} // namespace

Pieces::Pieces(ElementType type, const Distribution& layout) : m_layout(layout), m_type(hostForm(type)) {
  if (layout.cells() > 0)
    for (const auto& r : layout.cell(0).dims) m_parts.push_back(std::max<int64_t>(1, r.size()));
  m_pieces.resize(std::size_t(layout.cells()));
  m_present.resize(m_pieces.size(), false);
}

Pieces::Pieces(const HostTensor& whole, const Distribution& layout) : Pieces(whole.type(), layout) {
  const HostTensor grid = whole.reshaped(layout.shape());
  for (int64_t c = 0; c < cells(); ++c) put(c, takeBox(grid, box(c)));
}

void Pieces::put(int64_t cell, const HostTensor& value) {
  const auto i = std::size_t(cell);
  if (m_present[i]) throw Error(ErrorCode::Internal, "two vertices wrote cell " + std::to_string(cell));
  Shape shape;
  for (const auto& r : box(cell).dims) shape.push_back(std::max<int64_t>(0, r.size()));
  m_pieces[i] = value.cast(m_type).reshaped(shape);
  m_present[i] = true;
}

std::pair<std::size_t, int64_t> Pieces::place(int64_t element) const {
  const Shape& shape = m_layout.shape();
  int64_t cell = 0, at = 0, stride = 1, cellStride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const int64_t index = element % shape[d], part = index / m_parts[d],
                  extent = std::min(shape[d], (part + 1) * m_parts[d]) - part * m_parts[d];
    element /= shape[d];
    at += index % m_parts[d] * stride;
    stride *= extent;
    cell += part * cellStride;
    cellStride *= m_layout.splits()[d];
  }
  return {std::size_t(cell), at};
}

double Pieces::at(int64_t element) const {
  const auto [piece, at] = place(element);
  return m_pieces.at(piece).at(at);
}

void Pieces::copyElement(int64_t from, HostTensor& target, int64_t to) const {
  const auto [piece, at] = place(from);
  const std::size_t size = numerics::hostSize(m_type);
  if (target.type() != m_type) throw Error(ErrorCode::Internal, "a vertex copies between types");
  std::memcpy(target.mutableRaw().data() + std::size_t(to) * size, m_pieces.at(piece).raw().data() + std::size_t(at) * size,
              size);
}

HostTensor Pieces::fetch(const Box& wanted) const {
  Shape shape;
  for (const auto& r : wanted.dims) shape.push_back(std::max<int64_t>(0, r.size()));
  HostTensor out(m_type, shape);
  for (int64_t c = 0; c < cells(); ++c) {
    const Box mine = box(c), both = wanted.intersection(mine);
    if (both.volume() == 0) continue;
    Box from = both, to = both;
    for (std::size_t d = 0; d < both.dims.size(); ++d) {
      from.dims[d] = {both.dims[d].begin - mine.dims[d].begin, both.dims[d].end - mine.dims[d].begin};
      to.dims[d] = {both.dims[d].begin - wanted.dims[d].begin, both.dims[d].end - wanted.dims[d].begin};
    }
    putBox(out, to, takeBox(piece(c), from));
  }
  return out;
}

HostTensor Pieces::assemble(const Shape& shape) const {
  HostTensor out(m_type, m_layout.shape());
  int64_t covered = 0;
  for (int64_t c = 0; c < cells(); ++c) {
    if (!m_present[std::size_t(c)]) throw Error(ErrorCode::Internal, "no vertex wrote cell " + std::to_string(c));
    putBox(out, box(c), piece(c));
    covered += box(c).volume();
  }
  if (covered != out.count()) throw Error(ErrorCode::Internal, "the cells of a layout do not cover its tensor");
  return out.reshaped(shape);
}

HostKernel onEachCell(HostKernel whole, Distribution layout) {
  return [whole = std::move(whole), layout = std::move(layout)](const std::vector<HostTensor>& values) {
    const int64_t elements = numerics::elementCount(layout.shape());
    std::vector<HostTensor> out;
    std::vector<std::vector<HostTensor>> cells;
    for (int64_t c = 0; c < layout.cells(); ++c) {
      std::vector<HostTensor> parts;
      for (const HostTensor& v : values)
        parts.push_back(v.count() == elements ? takeBox(v.reshaped(layout.shape()), layout.cell(c)) : v);
      cells.push_back(whole(parts));
    }
    for (std::size_t i = 0; i < cells[0].size(); ++i) {
      Pieces result(cells[0][i].type(), layout);
      for (int64_t c = 0; c < layout.cells(); ++c) result.put(c, cells[std::size_t(c)][i]);
      out.push_back(result.assemble(layout.shape()));
    }
    return out;
  };
}

} // namespace simcore::ops
