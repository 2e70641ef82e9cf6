// Lowering of data movement: syncs, exchanges, copies, and transfers to and from the host.
#include "reports/core/error.h"
#include "simcore/codelets/copy.h"
#include "simcore/compile/exchange_plan.h"
#include "simcore/compile/exchange_traffic.h"
#include "simcore/compile/step_builder.h"
#include "simcore/graph/variable_moves.h"

#include <algorithm>

namespace simcore::compile {

using graph::ProgramNode;
using graph::Tensor;
using graph::Traffic;
using Kind = ProgramNode::Kind;
using reports::Error;
using reports::ErrorCode;

void StepBuilder::syncStep(DebugContextId context, bool external, const std::vector<bool>& sets, bool beyondReplica) {
  Step& s = leaf(StepKind::Sync, Activity::Sync, external ? "External" : "Internal", context);
  s.external = external;
  const auto& machine = m_graph.machine();
  if (!external) {
    s.duration = machine.exchange.internalSync;
  } else if (beyondReplica) {
    s.duration = machine.globalSync();
  } else {
    const auto first = std::find(sets.begin(), sets.end(), true) - sets.begin();
    const auto last = std::find(sets.rbegin(), sets.rend(), true).base() - sets.begin() - 1;
    s.duration = machine.globalSync(m_sets.ipuOf(int(last)) - m_sets.ipuOf(int(first)) + 1);
  }
  s.cycles = cyclesOn(sets, s.duration);
}

namespace {
// Exchanges with more copies than this are compared by variable only.
constexpr std::size_t kMostCompared = 32;
// The name of a merged exchange is not extended further once it has this many characters.
constexpr std::size_t kLongName = 160;

bool disjoint(const std::vector<VariableId>& a, const std::vector<VariableId>& b) {
  return std::none_of(a.begin(), a.end(), [&](VariableId v) { return std::find(b.begin(), b.end(), v) != b.end(); });
}

void join(Exchange& e, const graph::TileTraffic& more) {
  e.add(more);
  e.codeBytes = exchangeCode(e);
}
} // namespace

bool StepBuilder::independent(int step, const Moved& m) const {
  const Step& s = m_out.steps[std::size_t(step)];
  if (disjoint(m.writes, s.reads) && disjoint(m.writes, s.writes) && disjoint(m.reads, s.writes)) return true;
  const auto copies = m_copiesOf.find(step);
  if (copies == m_copiesOf.end() || !m.source.valid() || copies->second.size() > kMostCompared) return false;
  return std::none_of(copies->second.begin(), copies->second.end(), [&](const auto& c) {
    return m.destination.intersects(c.first) || m.destination.intersects(c.second) || m.source.intersects(c.second);
  });
}

int StepBuilder::independentExchange(const Moved& moved) const {
  for (int i = int(m_out.steps.size()) - 1; i >= 0; --i) {
    const Step& s = m_out.steps[std::size_t(i)];
    const bool ofCopy = s.kind == StepKind::OnTileCopy && !s.computeSet.valid();
    if (s.parent != m_parent || (s.kind != StepKind::DoExchange && !ofCopy) || s.gathers || !independent(i, moved)) return -1;
    if (s.kind == StepKind::DoExchange) return s.planned == moved.planned ? i : -1;
  }
  return -1;
}

void StepBuilder::joinExchange(int step, const std::string& name, const Traffic& traffic, const Moved& moved) {
  Step& s = m_out.steps[std::size_t(step)];
  Exchange& e = m_out.exchanges[std::size_t(s.exchange)];
  join(e, traffic);
  if (s.name.size() < kLongName) s.name += " + " + name;
  e.name = s.name;
  s.cycles = internalExchangeCycles(m_graph.machine(), e);
  s.duration = Cycles(s.cycles.max());
  s.reads.insert(s.reads.end(), moved.reads.begin(), moved.reads.end());
  s.writes.insert(s.writes.end(), moved.writes.begin(), moved.writes.end());
  s.partialWrites.insert(s.partialWrites.end(), moved.partialWrites.begin(), moved.partialWrites.end());
  s.partialWrites = unique(std::move(s.partialWrites));
  if (moved.moves.empty()) s.moves.clear(); // if one part has no moves, the joined step has none
  if (!s.moves.empty()) s.moves.insert(s.moves.end(), moved.moves.begin(), moved.moves.end());
}

int64_t StepBuilder::exchangeStep(const std::string& name, DebugContextId context, const Traffic& traffic, const Moved& moved) {
  int64_t from = int64_t(m_out.ordinals.size());
  if (!traffic.bytesIn.empty()) {
    int at = independentExchange(moved);
    const std::vector<bool> sets = m_sets.touchedBy({&traffic.bytesIn, &traffic.bytesOut});
    if (at >= 0 && m_sets.perIpu() > 1) { // cannot join if the previous barrier was of other sets
      const Exchange& before = m_out.exchanges[std::size_t(m_out.steps[std::size_t(at)].exchange)];
      if (m_sets.touchedBy({&before.bytesIn, &before.bytesOut}) != sets) at = -1;
    }
    if (at >= 0) { // joins the exchanges: one barrier and one start for both
      joinExchange(at, name, traffic, moved);
      from = m_out.steps[std::size_t(at)].ordinal;
    } else {
      syncStep(context, false, sets);
      Exchange e;
      e.name = name;
      join(e, traffic);
      Step& s = leaf(StepKind::DoExchange, Activity::InternalExchange, name, context);
      at = m_out.ordinals.back();
      s.cycles = internalExchangeCycles(m_graph.machine(), e);
      addExchange(s, std::move(e), moved);
      s.planned = moved.planned;
    }
    if (moved.source.valid()) m_copiesOf[at].push_back({moved.source, moved.destination});
  }
  if (!traffic.linkBytesIn.empty()) globalStep(name, context, traffic, moved);
  return from;
}

void StepBuilder::globalStep(const std::string& name, DebugContextId context, const Traffic& traffic, const Moved& moved) {
  const std::vector<bool> linked = m_sets.touchedBy({&traffic.linkBytesIn, &traffic.linkBytesOut});
  const auto beyond = [&](const graph::LinkFlow& f) { return std::max(f.from, f.to) >= m_graph.machine().ipus; };
  syncStep(context, true, linked, std::any_of(traffic.linkFlows.begin(), traffic.linkFlows.end(), beyond));
  Exchange e;
  e.linkFlows = traffic.linkFlows;
  e.activity = Activity::GlobalExchange;
  e.name = name;
  e.bytesIn = traffic.linkBytesIn;
  e.bytesOut = traffic.linkBytesOut;
  e.pairs = traffic.linkPairs;
  for (const PerTile* bytes : {&e.bytesIn, &e.bytesOut}) // a loop over packets of 256 bytes and their table, as for the host
    for (const auto& r : bytes->runs()) e.codeBytes.add(r.tiles, 48 + 4 * reports::ceilDiv(r.value, 256));
  Step& s = leaf(StepKind::GlobalExchange, Activity::GlobalExchange, name, context);
  s.cycles = cyclesOn(linked, globalExchangeCycles(m_graph.machine(), e));
  addExchange(s, std::move(e), moved);
}

void StepBuilder::addExchange(Step& s, Exchange e, const Moved& moved) {
  s.duration = Cycles(s.cycles.max());
  s.exchange = int(m_out.exchanges.size());
  s.reads = moved.reads;
  s.writes = moved.writes;
  s.partialWrites = moved.partialWrites;
  s.moves = moved.moves;
  m_out.exchanges.push_back(std::move(e));
}

void StepBuilder::copyStep(const std::string& name, DebugContextId context, const Copies& copies, std::vector<VariableId> reads,
                           std::vector<VariableId> writes) {
  Step& s = leaf(StepKind::OnTileCopy, Activity::OnTileCopy, name, context);
  s.cycles = copies.cycles;
  s.copyRuns = copies.runs;
  s.duration = Cycles(s.cycles.max());
  s.reads = std::move(reads);
  s.writes = std::move(writes);
}

StepBuilder::Copies StepBuilder::copiesOf(const Pieces& pieces, numerics::ElementType type) const {
  const auto& tile = m_graph.machine().tile;
  const int64_t size = int64_t(numerics::deviceSize(type));
  Copies copies;
  for (const auto& r : pieces.bytes.runs())
    for (int64_t t = r.tiles.begin; t < r.tiles.end; ++t) {
      const int64_t count = pieces.count.at(t), each = r.value / std::max<int64_t>(1, count);
      const int64_t alignment = each % 8 == 0 ? 8 : each % 4 == 0 ? 4 : each % 2 == 0 ? 2 : 1;
      const auto cost = count <= 1     ? codelets::memcpyCycles(tile, r.value, alignment)
                        : each <= size ? codelets::stridedCopy(tile, type, r.value / size)
                                       : codelets::copy2D(tile, count, each, alignment);
      copies.cycles.add({t, t + 1}, cost.cycles.value());
      // One run per row; single elements at a stride are one run per worker.
      copies.runs.add({t, t + 1}, each <= size ? std::min<int64_t>(count, tile.workers) : count);
    }
  return copies;
}

void StepBuilder::staging(std::string name, DebugContextId context, const PerTile& bytes, reports::Range<int64_t> live) {
  if (bytes.empty()) return;
  Storage b;
  b.name = std::move(name);
  b.context = context;
  b.category = MemoryCategory::Message;
  for (const auto& r : bytes.runs()) b.bytes.add(r.tiles, reports::roundUp(r.value, 4));
  b.alwaysLive = false;
  b.live = {live};
  m_out.buffers.push_back(std::move(b));
}

void StepBuilder::copy(const ProgramNode& n) {
  const std::string name = nameOf(n.context, n.name.empty() ? "Copy" : n.name);
  if (!n.destination.wholeVariable().valid() && n.destination.containsAliases())
    throw Error(ErrorCode::InvalidInput, "the destination of a copy has elements twice, so their final values are undefined",
                m_graph.variable(n.destination.variables()[0]).name, "copy to views without broadcasts or overlaps");
  m_graph.requireWritable(n.destination, name);
  const CopyParts parts = copyParts(m_graph, n.source, n.destination);
  Moved moved{n.source.variables(), n.destination.variables(), partlyWritten(m_graph, n.destination), n.source, n.destination};
  moved.moves = graph::movesOf(n.source, n.destination);
  const auto type = n.source.elementType();
  const std::size_t before = m_out.steps.size();
  const int64_t from = int64_t(m_out.ordinals.size());
  if (!parts.gather.bytes.empty()) { // earlier exchanges cannot include the gathered parts
    copyStep(name + "/Gather", n.context, copiesOf(parts.gather, type), moved.reads, {});
    m_out.steps.back().gathers = true;
  }
  exchangeStep(name, n.context, parts.traffic, moved);
  if (!parts.scatter.bytes.empty()) {
    copyStep(name + "/Scatter", n.context, copiesOf(parts.scatter, type), {}, moved.writes);
    m_out.steps.back().partialWrites = unique(moved.writes); // elements of whole words are already in place
  }
  const reports::Range<int64_t> moving{from, int64_t(m_out.ordinals.size())};
  staging(name + "/gathered", n.context, parts.gather.bytes, moving);
  staging(name + "/toScatter", n.context, parts.scatter.bytes, moving);
  // The elements move with the last step of the copy. If that was joined with an earlier exchange, or moves nothing, a separate
  // step is added.
  if (!parts.local.bytes.empty() || m_out.steps.size() == before) {
    copyStep(name + "/OnTileCopy", n.context, copiesOf(parts.local, type), moved.reads, moved.writes);
    m_out.steps.back().moves = moved.moves;
    m_copiesOf[int(m_out.steps.size()) - 1].push_back({n.source, n.destination});
  }
  Step& last = m_out.steps.back();
  last.action = &n;
  if (last.partialWrites.empty()) last.partialWrites = moved.partialWrites;
}

void StepBuilder::rearrange(const ProgramNode& n) {
  const std::string name = nameOf(n.context, n.name);
  const std::size_t before = m_out.steps.size();
  Moved moved{n.reads, n.writes, {}, {}, {}, true, n.moves};
  if (n.reads.size() == 1 || n.writes.size() == 1) moved.moves = graph::everyMove(n.reads, n.writes);
  exchangeStep(name, n.context, n.traffic, moved);
  if (!n.copyCycles.empty()) {
    PerTile runs;
    for (const auto& r : n.copyCycles.runs()) runs.add(r.tiles, n.copyRuns);
    copyStep(name + "/OnTileCopy", n.context, {n.copyCycles, std::move(runs)}, n.reads, n.writes);
    m_out.steps.back().moves = moved.moves;
  }
  for (std::size_t i = before; i < m_out.steps.size(); ++i) m_out.steps[i].planned = true;
}

PerTile StepBuilder::bytesOf(const Tensor& tensor) const {
  PerTile bytes;
  if (const VariableId whole = tensor.wholeVariable(); whole.valid()) return m_graph.variable(whole).bytesByTile();
  const int64_t size = int64_t(numerics::deviceSize(tensor.elementType()));
  std::vector<int64_t> dense(std::size_t(m_graph.tiles()), 0);
  const auto mapping = m_graph.getTileMapping(tensor);
  for (std::size_t tile = 0; tile < mapping.size(); ++tile)
    for (const auto& i : mapping[tile]) dense[tile] += i.size() * size;
  for (auto& b : dense) b = reports::roundUp(b, 4); // whole words, like every exchange
  return PerTile::fromDense(dense);
}

std::vector<PerTile> StepBuilder::stretchesOf(const Tensor& tensor) const {
  if (tensor.wholeVariable().valid()) return {bytesOf(tensor)};
  std::map<VariableId, int64_t> elements;
  for (const auto& r : tensor.contiguousRegions()) elements[r.variable] += r.size();
  std::vector<PerTile> stretches;
  bool parts = false;
  for (const auto& [id, n] : elements) {
    const auto& v = m_graph.variable(id);
    if (n == v.elements())
      stretches.push_back(v.bytesByTile());
    else
      parts = true;
  }
  if (!parts) return stretches;
  PerTile rest = bytesOf(tensor); // bytes of variables that the tensor covers only in part
  for (const PerTile& whole : stretches)
    for (const auto& r : whole.runs()) rest.add(r.tiles, -r.value);
  stretches.push_back(std::move(rest));
  return stretches;
}

int StepBuilder::hostSteps(const std::string& name, DebugContextId context, const HostMove& move) {
  const auto& host = m_graph.machine().host;
  const std::vector<bool> sets = m_sets.touchedBy({&move.bytes}); // the host waits only for sets that hold the data
  syncStep(context, true, sets);
  const int first = int(m_out.steps.size());
  const auto part = [&](StepKind kind, Cycles duration) -> Step& {
    Step& step = leaf(kind, Activity::HostStream, name, context);
    step.duration = duration;
    step.cycles = cyclesOn(sets, duration);
    return step;
  };
  part(StepKind::StreamCopyBegin, host.begin);
  // The link limits the transfer, and so does the exchange port of the tile with the most bytes.
  const double moving =
      std::max(double(move.total) / host.bytesPerCycle, m_graph.machine().exchange.transferCycles(double(move.bytes.max())));
  Step& mid = part(StepKind::StreamCopyMid, Cycles(host.handshake.value() + move.extra.value() + int64_t(moving)));
  Exchange e;
  e.activity = Activity::HostStream;
  e.name = name;
  (move.in ? e.bytesIn : e.bytesOut) = move.bytes;
  for (const auto& r : mid.cycles.runs()) e.codeBytes.add(r.tiles, kHostBarrierCode);
  for (const PerTile& stretch : move.stretches) {
    const HostTransferCost cost = hostTransferCost(m_graph.machine(), stretch, move.in);
    e.codeBytes.add(cost.codeBytes);
    e.packets.add(cost.packets);
  }
  mid.exchange = int(m_out.exchanges.size());
  m_out.exchanges.push_back(std::move(e));
  part(StepKind::StreamCopyEnd, host.end);
  return first;
}

void StepBuilder::hostTransfer(const ProgramNode& n, const std::string& name, const Tensor& tensor, bool in, Cycles extra) {
  if (in) m_graph.requireWritable(tensor, name);
  const int64_t total = tensor.numElements() * int64_t(numerics::deviceSize(tensor.elementType()));
  const int at = hostSteps(name, n.context, {bytesOf(tensor), total, stretchesOf(tensor), in, extra});
  Step &first = m_out.steps[std::size_t(at)], &mid = m_out.steps[std::size_t(at) + 1];
  first.action = mid.action = &n;
  if (n.offset.valid()) first.reads = n.offset.variables(); // the host must know the rows
  (in ? mid.writes : mid.reads) = tensor.variables();
  if (in) mid.partialWrites = partlyWritten(m_graph, tensor);
}

void StepBuilder::blockFlushes() {
  const BlockBuffer& buffer = m_out.blockBuffer;
  if (buffer.bytes == 0 || !buffer.flushed) return;
  const auto& machine = m_graph.machine();
  const int64_t bytes = reports::roundUp(buffer.bytes, 4);
  for (int ipu = 0; ipu < machine.ipus; ++ipu) {
    const int id = root(StepKind::Function, "BlockFlush/IPU " + std::to_string(ipu), {});
    m_out.blockFlushes.push_back(id);
    m_parent = id;
    const int64_t tile = int64_t(ipu) * machine.tilesPerIpu + buffer.tile;
    const PerTile sent = PerTile::uniform({tile, tile + 1}, bytes);
    hostSteps("BlockFlush", {}, {sent, bytes, {sent}, false, Cycles(0)});
    m_parent = -1;
  }
}

void StepBuilder::stream(const ProgramNode& n) {
  const auto& s = m_graph.stream(n.stream);
  const bool in = n.kind == Kind::StreamToTensor;
  const Tensor& tensor = in ? n.destination : n.source;
  if (in != (s.direction == graph::StreamDirection::HostToDevice))
    throw Error(ErrorCode::InvalidInput,
                in ? "the stream goes to the host, so a copy cannot read it"
                   : "the stream comes from the host, so a copy cannot write it",
                s.name);
  if (tensor.numElements() != s.elements || numerics::deviceType(tensor.elementType()) != numerics::deviceType(s.type))
    throw Error(ErrorCode::InvalidInput,
                "the stream moves " + std::to_string(s.elements) + " " + numerics::elementTypeName(s.type) + ", the tensor has " +
                    std::to_string(tensor.numElements()) + " " + numerics::elementTypeName(tensor.elementType()),
                s.name);
  hostTransfer(n, nameOf(n.context, n.name.empty() ? s.name : n.name), tensor, in, Cycles(0));
}

void StepBuilder::remote(const ProgramNode& n) {
  const auto& buffers = m_graph.remoteBuffers();
  if (n.remoteBuffer.id >= buffers.size() || buffers[n.remoteBuffer.id].handle != n.remoteBuffer.handle)
    throw Error(ErrorCode::InvalidInput, "the remote buffer belongs to another graph", n.remoteBuffer.handle);
  const bool in = n.kind == Kind::RemoteToTensor;
  // Every further row is a separate command: 73 cycles on its way to the host (ipu-reference 6).
  const int64_t rows = n.offset.valid() ? n.offset.numElements() : 1;
  hostTransfer(n, nameOf(n.context, n.name.empty() ? n.remoteBuffer.handle : n.name), in ? n.destination : n.source, in,
               Cycles(73 * (rows - 1)));
}

} // namespace simcore::compile
