#include "simcore/ops/program/host_transfer.h"

#include "simcore/codelets/slice.h"

#include <algorithm>
#include <numeric>

namespace simcore::ops {

using graph::Sequence;
using graph::Tensor;
using numerics::ElementType;
using numerics::HostTensor;

namespace {

constexpr std::int64_t kRowBytes = 1024; // bytes of a row on each tile

// Shared by both directions: the variable for one row, and the number of rows.
struct Loop {
  Loop(const OpBuilder& b, const Rows& rows, const Tensor& tensor) : size(elementBytes(tensor)) {
    const ElementType type = tensor.elementType();
    layout = b.linear(rows.elements, type);
    staging = b.output(type, {rows.elements}, "row", layout);
    row = b.output(ElementType::Int32, {1}, "rowNumber", b.linear(1, ElementType::Int32));
    b.graph().setInitialValue(row, HostTensor(ElementType::Int32, {1}));
    for (const auto& r : layout.elementsByTile().runs())
      cycles.add(r.tiles, codelets::dynamicSlice1D(b.tile(), codelets::SliceDirection::Update, type, r.value, 1).cycles.value());
  }
  graph::Traffic traffic() const { return graph::trafficBlind(layout, layout.elementsByTile(), size); }

  std::int64_t size;
  graph::Distribution layout;
  Tensor staging, row;
  graph::PerTile cycles;
};

HostTensor nextRow(const HostTensor& row, std::int64_t count) {
  return HostTensor::vector(std::vector<std::int32_t>{std::int32_t((row.integerAt(0) + 1) % count)});
}
// Bytes of row `at` that belong to a tensor of `bytes`.
std::size_t bytesInRow(std::size_t bytes, std::size_t rowBytes, std::size_t at) {
  return std::min(rowBytes, bytes - std::min(bytes, at * rowBytes));
}

} // namespace

Rows rowsOf(const OpBuilder& b, std::int64_t elements, ElementType type) {
  const std::int64_t most = std::max<std::int64_t>(1, b.tiles() * kRowBytes / elementBytes(type));
  if (elements <= most) return {elements, 1};
  return {most, reports::ceilDiv(elements, most)};
}

void rowsFromHost(const OpBuilder& b, const Rows& rows, const Tensor& tensor, const RowProgram& move) {
  if (rows.count == 1) return b.program().add(move(tensor.flatten(), {}));
  const Loop loop(b, rows, tensor);
  // The first row is moved before the loop: nothing of the tensor needs to be live before it, but all of it before the other
  // rows.
  const auto oneRow = [&](Sequence& program, bool first) {
    const OpBuilder in = b.into(program);
    program.add(move(loop.staging, loop.row));
    std::vector<Tensor> reads{loop.staging, loop.row};
    if (!first) reads.push_back(tensor);
    in.exchange("spread", reads, {tensor, loop.row}, loop.traffic(), loop.cycles);
    in.compute({tensor, loop.staging, loop.row}, {tensor, loop.row}, [count = rows.count](const std::vector<HostTensor>& x) {
      HostTensor whole = x[0];
      const std::size_t rowBytes = x[1].byteCount(), at = std::size_t(x[2].integerAt(0));
      const std::size_t bytes = bytesInRow(whole.byteCount(), rowBytes, at);
      auto raw = whole.mutableRaw();
      std::copy_n(x[1].raw().begin(), bytes, raw.begin() + std::ptrdiff_t(at * rowBytes));
      return std::vector<HostTensor>{whole, nextRow(x[2], count)};
    });
  };
  Sequence others;
  oneRow(b.program(), true);
  oneRow(others, false);
  b.program().add(graph::program::repeat(rows.count - 1, others, "rows", b.context()));
}

void rowsToHost(const OpBuilder& b, const Rows& rows, const Tensor& tensor, const RowProgram& move) {
  if (rows.count == 1) return b.program().add(move(tensor.flatten(), {}));
  const Loop loop(b, rows, tensor);
  Sequence body;
  const OpBuilder out = b.into(body);
  out.exchange("collect", {tensor, loop.row}, {loop.staging}, loop.traffic(), loop.cycles);
  out.compute({tensor, loop.row}, {loop.staging}, [elements = rows.elements](const std::vector<HostTensor>& x) {
    HostTensor row(x[0].type(), {elements});
    const std::size_t rowBytes = row.byteCount(), at = std::size_t(x[1].integerAt(0));
    const std::size_t bytes = bytesInRow(x[0].byteCount(), rowBytes, at);
    auto raw = row.mutableRaw();
    std::copy_n(x[0].raw().begin() + std::ptrdiff_t(std::min(at * rowBytes, x[0].byteCount())), bytes, raw.begin());
    return std::vector<HostTensor>{row};
  });
  body.add(move(loop.staging, loop.row));
  out.exchange("count", {loop.row}, {loop.row}, {}, graph::PerTile::uniform({b.tileRange().begin, b.tileRange().begin + 1}, 30));
  out.compute({loop.row}, {loop.row},
              [count = rows.count](const std::vector<HostTensor>& x) { return std::vector<HostTensor>{nextRow(x[0], count)}; });
  b.program().add(graph::program::repeat(rows.count, body, "rows", b.context()));
}

graph::Graph computeGraph(const arch::Machine& machine) {
  graph::Graph whole(machine);
  if (machine.ioTiles == 0) return whole;
  std::vector<std::int64_t> compute(std::size_t(machine.computeTiles()));
  std::iota(compute.begin(), compute.end(), 0);
  return whole.createVirtualGraph(compute);
}

graph::Tensor hostBuffer(graph::Graph& graph, const graph::Tensor& value, const std::string& name,
                         reports::DebugContextId context, int ipu) {
  const arch::Machine& machine = graph.machine();
  const std::int64_t end = std::int64_t(ipu + 1) * machine.tilesPerIpu, elements = value.numElements(),
                     size = std::int64_t(numerics::deviceSize(value.elementType()));
  const graph::Tensor buffer = graph.addVariable(value.elementType(), value.shape(), name, context);
  graph.setDistribution(buffer,
                        graph::Distribution::linear(std::max<std::int64_t>(1, elements), size, 0, {end - machine.ioTiles, end},
                                                    std::max<std::int64_t>(1, machine.tile.dataPathBytes / size)));
  return buffer;
}

} // namespace simcore::ops
