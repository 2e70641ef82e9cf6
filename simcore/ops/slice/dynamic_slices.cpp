#include "simcore/ops/slice/dynamic_slices.h"

#include "reports/core/error.h"
#include "simcore/codelets/slice.h"
#include "simcore/graph/planned_pairs.h"
#include "simcore/ops/cells/pieces.h"
#include "simcore/ops/slice/slice_rows.h"
#include "simcore/ops/slice/slices.h"

#include <algorithm>
#include <numeric>

namespace simcore::ops {

using graph::Box;
using numerics::HostTensor;

namespace {

// The permutation that moves the dimension to the front, and its inverse.
std::vector<std::size_t> toFront(std::size_t rank, std::size_t dimension) {
  std::vector<std::size_t> order{dimension};
  for (std::size_t d = 0; d < rank; ++d)
    if (d != dimension) order.push_back(d);
  return order;
}
std::vector<std::size_t> fromFront(std::size_t rank, std::size_t dimension) {
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < rank; ++d) order.push_back(d == dimension ? 0 : d < dimension ? d + 1 : d);
  return order;
}

Tensor asRows(const Tensor& x, std::size_t dimension) {
  const int64_t rows = x.dim(dimension);
  return x.dimShuffle(toFront(x.rank(), dimension)).reshape({rows, rows ? x.numElements() / rows : 0});
}

void require(const OpBuilder& b, const Tensor& x, const Tensor& offsets, const std::vector<std::size_t>& dims,
             const std::vector<int64_t>& sizes) {
  const auto refuse = [&](const std::string& what) {
    throw reports::Error(reports::ErrorCode::InvalidInput, "tensor " + x.getDebugStr() + " cannot be sliced: " + what,
                         b.graph().fullName(b.context()));
  };
  if (dims.size() != sizes.size() || offsets.numElements() != int64_t(dims.size()))
    refuse(std::to_string(dims.size()) + " dimensions are given with " + std::to_string(sizes.size()) + " sizes and " +
           std::to_string(offsets.numElements()) + " offsets");
  if (!numerics::isInteger(offsets.elementType()))
    refuse("the offsets are " + std::string(elementTypeName(offsets.elementType())) + ", not integers");
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (dims[i] >= x.rank() || sizes[i] < 1 || sizes[i] > x.dim(dims[i]))
      refuse("it has no slice of " + std::to_string(sizes[i]) + " along dimension " + std::to_string(dims[i]));
}

// One tile copies its columns of `rows` rows of x [T, n], which must be sliceable.
struct RowSlice {
  RowSlice(const OpBuilder& b, const Tensor& table, int64_t count) : layout(b.layoutOf(table)), rows(count) {
    part = Distribution({rows, layout.shape()[1]}, {1, layout.splits()[1]}, {1, layout.cell(0).dims[1].size()},
                        layout.firstTile(), layout.tiles());
  }
  // The index is sent to every tile that slices.
  Tensor broadcast(const OpBuilder& b, const Tensor& index) const {
    PerTile one, bytes;
    for (const auto& r : layout.elementsByTile().runs()) one.add(r.tiles, 1);
    bytes.add(one, kIndexBytes);
    const Tensor local = b.buffer(index.elementType(), "index", bytes, reports::MemoryCategory::Message);
    b.exchange("broadcastIndex", {index}, {local}, b.trafficBlind(b.layoutOf(index), one, kIndexBytes));
    return local;
  }
  void step(const OpBuilder& b, codelets::SliceDirection direction, ElementType type, const std::vector<Tensor>& reads,
            const Tensor& out) const {
    Superstep step(b, direction == codelets::SliceDirection::Slice ? "dynamicSlice" : "dynamicUpdate");
    for (const auto& r : layout.elementsByTile().runs())
      step.add(codelets::dynamicSlice1DSpec(direction, type),
               codelets::dynamicSlice1D(b.tile(), direction, type, r.value / layout.shape()[0], rows), r.tiles);
    step.execute(reads, {out});
  }

  Distribution layout, part;
  int64_t rows;
};

// Copies `rows` rows of `from`, from row `fromRow` on, to `to` from row `toRow` on. Both wrap around and have the same columns.
void moveRows(HostTensor& to, const HostTensor& from, int64_t toRow, int64_t fromRow, int64_t rows) {
  const int64_t columns = to.dim(1);
  for (int64_t i = 0; i < rows; ++i) {
    Box source, target;
    source.dims = {{(fromRow + i) % from.dim(0), (fromRow + i) % from.dim(0) + 1}, {0, columns}};
    target.dims = {{(toRow + i) % to.dim(0), (toRow + i) % to.dim(0) + 1}, {0, columns}};
    putBox(to, target, takeBox(from, source));
  }
}

Tensor sliceRows(const OpBuilder& b, const Tensor& table, const Tensor& index, int64_t rows) {
  const Tensor x = sliceable(b, table);
  const RowSlice slice(b, x, rows);
  const Tensor out = b.output(x.elementType(), {rows, x.dim(1)}, "slice", slice.part);
  slice.step(b, codelets::SliceDirection::Slice, x.elementType(), {x, slice.broadcast(b, index)}, out);
  b.compute({x, index.flatten()}, {out}, oneResult([slice, byCells = b.byCells()](const std::vector<HostTensor>& in) {
              const int64_t at = rowOf(in[1], 0, in[0].dim(0));
              HostTensor all = HostTensor::uninitialised(in[0].type(), slice.part.shape());
              if (!byCells) {
                moveRows(all, in[0], 0, at, slice.rows);
                return all;
              }
              const Pieces held(in[0], slice.layout);
              Pieces made(in[0].type(), slice.part);
              for (int64_t c = 0; c < slice.part.cells(); ++c) {
                HostTensor mine = HostTensor::uninitialised(in[0].type(), {slice.rows, held.piece(c).dim(1)});
                moveRows(mine, held.piece(c), 0, at, slice.rows);
                made.put(c, mine);
              }
              return made.assemble(slice.part.shape());
            }));
  return out;
}

void updateRows(const OpBuilder& b, const Tensor& table, const Tensor& given, const Tensor& index) {
  const Tensor x = sliceable(b, table);
  const RowSlice slice(b, x, given.dim(0));
  std::vector<Tensor> reads{given, slice.broadcast(b, index)};
  if (const Distribution from = b.layoutOf(given); !from.sameAs(slice.part)) {
    PerTile bytes;
    bytes.add(slice.part.elementsByTile(), elementBytes(given));
    const Tensor in = b.buffer(given.elementType(), "rows", bytes, reports::MemoryCategory::Message);
    b.exchange("gatherRows", {given}, {in},
               b.trafficTo(from, slice.part.shape(), graph::cellsOf(slice.part), slice.part.firstTile(),
                           slice.part.elementsByTile(), elementBytes(given)));
    reads.push_back(in);
  }
  slice.step(b, codelets::SliceDirection::Update, x.elementType(), reads, x);
  b.compute({x, given, index.flatten()}, {x}, oneResult([slice, byCells = b.byCells()](const std::vector<HostTensor>& in) {
              const int64_t at = rowOf(in[2], 0, in[0].dim(0));
              HostTensor all = in[0];
              if (!byCells) {
                moveRows(all, in[1], at, 0, slice.rows);
                return all;
              }
              const Pieces held(in[0], slice.layout), rows(in[1], slice.part);
              Pieces made(in[0].type(), slice.layout);
              for (int64_t c = 0; c < slice.layout.cells(); ++c) {
                HostTensor mine = held.piece(c);
                moveRows(mine, rows.piece(c), at, 0, slice.rows);
                made.put(c, mine);
              }
              return made.assemble(all.shape());
            }));
  // A tensor that was converted to another layout is converted back.
  if (x.contiguousRegions() != table.contiguousRegions())
    b.program().add(graph::program::copy(x, table, "fromSliceable", b.context()));
}

} // namespace

Tensor sliceableTensor(const OpBuilder& builder, ElementType type, const Shape& shape, const std::vector<std::size_t>& dims,
                       const std::string& name) {
  const std::size_t rank = shape.size();
  if (dims.empty())
    throw reports::Error(reports::ErrorCode::InvalidInput, "a tensor to slice needs at least one sliced dimension", name);
  for (const std::size_t d : dims)
    if (d >= rank)
      throw reports::Error(reports::ErrorCode::InvalidInput,
                           "a tensor " + numerics::toString(shape) + " has no dimension " + std::to_string(d) + " to slice",
                           name);
  Shape front;
  for (const std::size_t d : toFront(rank, dims[0])) front.push_back(shape[d]);
  const int64_t rows = front[0], columns = std::accumulate(front.begin() + 1, front.end(), int64_t(1), std::multiplies<>());
  return sliceableVariable(builder, type, rows, columns, name).reshape(front).dimShuffle(fromFront(rank, dims[0]));
}

Tensor dynamicSlice(const OpBuilder& builder, const Tensor& x, const Tensor& offsets, const std::vector<std::size_t>& dims,
                    const std::vector<int64_t>& sizes) {
  const OpBuilder b = builder.within("dynamicSlice", "dynamicSlice");
  require(b, x, offsets, dims, sizes);
  const Tensor at = offsets.flatten();
  Tensor t = b.local(x);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    Shape front = t.dimShuffle(toFront(t.rank(), dims[i])).shape();
    front[0] = sizes[i];
    t = sliceRows(b, asRows(t, dims[i]), at.slice(int64_t(i), int64_t(i) + 1), sizes[i])
            .reshape(front)
            .dimShuffle(fromFront(front.size(), dims[i]));
  }
  return t;
}

void dynamicUpdate(const OpBuilder& builder, const Tensor& x, const Tensor& part, const Tensor& offsets,
                   const std::vector<std::size_t>& dims, const std::vector<int64_t>& sizes) {
  const OpBuilder b = builder.within("dynamicUpdate", "dynamicUpdate");
  require(b, x, offsets, dims, sizes);
  b.requireLocal(x);
  Shape wanted = x.shape();
  for (std::size_t i = 0; i < dims.size(); ++i) wanted[dims[i]] = sizes[i];
  if (part.shape() != wanted)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         "the slice " + part.getDebugStr() + " must have the shape " + numerics::toString(wanted),
                         b.graph().fullName(b.context()));
  if (dims.empty()) return;
  const Tensor first = offsets.flatten().slice(0, 1);
  if (dims.size() == 1) return updateRows(b, asRows(x, dims[0]), asRows(part, dims[0]), first);
  // The slice along the first dimension is extracted, changed along the others and written back.
  const std::vector<std::size_t> otherDims(dims.begin() + 1, dims.end());
  const std::vector<int64_t> otherSizes(sizes.begin() + 1, sizes.end());
  const Tensor slab = dynamicSlice(b, x, first, {dims[0]}, {sizes[0]});
  dynamicUpdate(b, slab, part, offsets.flatten().slice(1, offsets.numElements()), otherDims, otherSizes);
  updateRows(b, asRows(x, dims[0]), asRows(slab, dims[0]), first);
}

} // namespace simcore::ops
