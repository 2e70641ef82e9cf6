#include "simcore/poplar/store/graph_fields.h"

#include <limits>

using simcore::poplar::Archive;

namespace reports {
template<class T> void fields(Archive& a, Range<T>& r) { a(r.begin, r.end); }
void fields(Archive& a, PairRun& p) { a(p.receiver, p.receivers, p.sender, p.senders, p.stride, p.shift, p.bytes); }
} // namespace reports

namespace simcore::arch {

void fields(Archive& a, TileArchitecture& t) {
  a(t.architecture, t.workers, t.memory, t.interleavedStart, t.elementSize, t.dataPathBytes, t.convUnitsHalf, t.convUnitsFloat,
    t.convUnitsQuarter, t.convInputsHalf, t.convInputsFloat, t.convInputsQuarter, t.convChainLength, t.coefficientBytesPerCycle,
    t.rptLimit);
}
void fields(Archive& a, ExchangeFabric& e) {
  a(e.bytesPerCycle, e.tilesPerBus, e.baseLatency, e.internalSync, e.messageOverhead);
}
void fields(Archive& a, HostLink& h) { a(h.bytesPerCycle, h.handshake, h.begin, h.end); }
void fields(Archive& a, IpuLink& l) {
  a(l.bytesPerSecond, l.linksPerPair, l.torus, l.secondsPerHop, l.setUpSeconds, l.secondsPerPiece);
}
void fields(Archive& a, Machine& m) {
  a(m.name, m.title, m.tile, m.exchange, m.host, m.link, m.clockHz, m.peakHalfFlops, m.peakFloatFlops, m.peakQuarterFlops,
    m.tilesPerIpu, m.ipus, m.ioTiles, m.replicas, m.ipuCounts, m.gridColumns, m.gridRows, m.tileColumns, m.tileRows,
    m.vertexByVertex, m.leastLinearBytes);
  constexpr int kMost = 1 << 20;
  if (m.tilesPerIpu < 1 || m.ipus < 1 || m.replicas < 1 || int64_t(m.tilesPerIpu) * m.ipus > kMost ||
      m.tileColumns.size() < std::size_t(m.tilesPerIpu) || m.tileRows.size() < std::size_t(m.tilesPerIpu))
    Archive::refuse("the machine has impossible sizes");
}

} // namespace simcore::arch

namespace simcore::graph {

// ---- tile mappings ----------------------------------------------------------------------------------------------------

static void fields(Archive& a, PerTile::Run& r) { a(r.tiles, r.value); }
void fields(Archive& a, PerTile& p) {
  std::vector<PerTile::Run> runs = a.reads() ? std::vector<PerTile::Run>() : p.runs();
  a(runs);
  if (!a.reads()) return;
  p = PerTile();
  for (const auto& r : runs) {
    if (r.tiles.begin < 0 || r.tiles.end < r.tiles.begin) Archive::refuse("a range of tiles is invalid");
    p.add(r.tiles, r.value);
  }
}

void fields(Archive& a, Distribution& d) {
  bool valid = d.valid(), flat = d.grid() != nullptr, estimate = d.isEstimate();
  uint64_t laidFor = d.laidFor();
  a(valid, flat, estimate, laidFor);
  if (!valid) {
    if (a.reads()) d = Distribution();
    return;
  }
  Distribution made;
  if (flat) {
    Distribution grid = a.reads() ? Distribution() : *d.grid();
    int64_t matrices = d.gridMatrices();
    a(grid, matrices);
    if (!grid.valid()) Archive::refuse("a layout has no cells");
    made = grid.flattened(matrices);
  } else {
    Shape shape = d.shape();
    std::vector<int64_t> splits = d.splits(), parts;
    for (std::size_t i = 0; !a.reads() && i < shape.size(); ++i) parts.push_back(d.part(i));
    int64_t first = d.firstTile();
    TileRange tiles = a.reads() ? TileRange{} : d.tiles();
    a(shape, splits, parts, first, tiles);
    bool fits = splits.size() == shape.size() && parts.size() == shape.size() && tiles.begin >= 0 && tiles.size() > 0;
    for (std::size_t i = 0; fits && i < shape.size(); ++i) fits = splits[i] > 0 && parts[i] > 0;
    if (!fits) Archive::refuse("a layout does not fit its shape");
    made = Distribution(shape, splits, parts, first, tiles);
  }
  if (estimate) made = made.estimated();
  made = made.laidFor(laidFor);
  if (a.reads())
    d = made;
  else if (!made.sameAs(d))
    throw reports::Error(reports::ErrorCode::Unsupported, "a layout of a tensor cannot be kept in a file", "executable");
}

static void fields(Archive& a, SharedPairs& p) {
  Pairs runs = a.reads() ? Pairs() : p.runs();
  a(runs);
  if (a.reads()) p = SharedPairs(std::move(runs));
}
static void fields(Archive& a, LayoutNote& n) { a(n.cut, n.tiles); }
static void fields(Archive& a, MoveNote& n) { a(n.variable, n.elements, n.bytes, n.held, n.wanted); }
static void fields(Archive& a, LinkFlow& f) { a(f.from, f.to, f.bytes, f.pieces); }
void fields(Archive& a, Traffic& t) {
  a(t.bytesIn, t.bytesOut, t.messagesIn, t.messagesOut, t.sharedIn, t.latencyIn, t.pairs, t.notes, t.localBytes, t.linkBytesIn,
    t.linkBytesOut, t.linkFlows, t.linkPairs);
}

static void fields(Archive& a, MappingRun& r) { a(r.begin, r.tile); }
static void fields(Archive& a, Interval& i) { a(i.begin, i.end); }
void fields(Archive& a, DebugContext& c) { a(c.parent, c.name, c.layer, c.kind, c.details); }
void fields(Archive& a, Variable& v) {
  a(v.name, v.type, v.shape, v.context, v.category, v.mapping, v.distribution, v.extraBytes, v.initial, v.initialParts,
    v.replicaIndex, v.alwaysLive, v.interleaved, v.followsVertex, v.alignment);
  if (!a.reads()) return;
  const int64_t elements = numerics::elementCount(v.shape);
  if (v.initial && v.initial->count() != elements)
    Archive::refuse("a variable has another number of initial values than elements");
  int64_t at = 0;
  for (const auto& r : v.mapping) {
    if (r.begin < at || r.begin > elements) Archive::refuse("a mapping reaches beyond its variable");
    at = r.begin;
  }
  for (const auto& i : v.initialParts)
    if (i.begin < 0 || i.end < i.begin || i.end > elements) Archive::refuse("initial values reach beyond their variable");
}

// ---- vertices ---------------------------------------------------------------------------------------------------------

void fields(Archive& a, VertexType& t) {
  a(t.name, t.kind, t.codeBytes, t.stateBytes, t.edgePointerBytes, t.edges, t.workerStackBytes, t.fieldDataBytes, t.launchCycles,
    t.codelet);
}
static void fields(Archive& a, VertexRun& r) {
  a(r.type, r.tiles, r.perTile, r.cycles, r.flops, r.fieldDataBytes, r.listBytes, r.constantBytes);
}
static void fields(Archive& a, EdgeView& e) {
  Tensor view = a.reads() || !e.valid() ? Tensor() : e.flatten();
  a(view);
  if (a.reads()) e = view.valid() ? EdgeView(view) : EdgeView();
}
static void fields(Archive& a, StateValue& s) { a(s.field, s.element, s.value); }
static void fields(Archive& a, UserVertex& v) { a(v.type, v.tile, v.edges, v.state, v.cycles); }
void fields(Archive& a, ComputeSet& c) {
  a(c.name, c.context, c.runs, c.vertices, c.flops, c.reads, c.writes, c.partialWrites, c.copies);
}

// ---- streams and handles of the host ----------------------------------------------------------------------------------

void fields(Archive& a, Stream& s) { a(s.name, s.direction, s.type, s.elements, s.options.bufferingDepth, s.options.mode); }
void fields(Archive& a, RemoteBuffer& b) {
  a(b.id, b.handle, b.type, b.elements, b.repeats, b.rearrangeOnHost, b.optimiseMemory);
}
static void fields(Archive& a, HostFunctionArgument& f) { a(f.type, f.elements); }
static void fields(Archive& a, StreamId& s) { a(s.value); }
void fields(Archive& a, HostFunction& f) { a(f.handle, f.inputs, f.outputs, f.inputStreams, f.outputStreams); }
void fields(Archive& a, HostHandle& h) { a(h.tensor, h.read, h.write); }
void fields(Archive& a, Plan& p) { a(p.context, p.method, p.text, p.details, p.predicted, p.temporary); }

// ---- programs ---------------------------------------------------------------------------------------------------------

static void fields(Archive& a, CalledFor& c) { a(c.inFunction, c.caller); }
static void fields(Archive& a, VariableMove& m) { a(m.from, m.to); }
void fields(Archive& a, ProgramNode& n) {
  a(n.kind, n.name, n.context, n.cases, n.computeSet, n.source, n.destination, n.count, n.stream, n.remoteBuffer, n.offset,
    n.function.value, n.calledFor, n.floatingPoint.inv, n.floatingPoint.div0, n.floatingPoint.oflo, n.floatingPoint.esr,
    n.floatingPoint.nanoo, n.sync, n.reads, n.writes, n.moves, n.traffic, n.copyCycles, n.copyRuns, n.inputs, n.outputs);
  if (n.kind > ProgramNode::Kind::CycleStamp) Archive::refuse("a program has an unknown kind");
}

} // namespace simcore::graph
