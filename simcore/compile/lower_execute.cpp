// Lowering of compute sets: fetch remote operands, run the vertices, send remote results.
#include "reports/core/error.h"
#include "simcore/compile/exchange_traffic.h"
#include "simcore/compile/race_check.h"
#include "simcore/compile/step_builder.h"
#include "simcore/compile/stop_check.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace simcore::compile {

using graph::ProgramNode;
using graph::Tensor;
using graph::Traffic;

std::vector<VariableId> unique(std::vector<VariableId> v) {
  std::sort(v.begin(), v.end());
  v.erase(std::unique(v.begin(), v.end()), v.end());
  return v;
}

std::vector<VariableId> partlyWritten(const graph::Graph& graph, std::vector<graph::Region> regions) {
  const auto order = [](const auto& a, const auto& b) { return std::tie(a.variable, a.begin) < std::tie(b.variable, b.begin); };
  if (!std::is_sorted(regions.begin(), regions.end(), order)) tbb::parallel_sort(regions.begin(), regions.end(), order);
  std::vector<VariableId> partly;
  for (std::size_t i = 0; i < regions.size();) {
    const VariableId id = regions[i].variable;
    int64_t covered = 0; // elements covered from 0 on without a gap
    for (; i < regions.size() && regions[i].variable == id; ++i)
      if (regions[i].begin <= covered) covered = std::max(covered, regions[i].end);
    if (covered < graph.variable(id).elements()) partly.push_back(id);
  }
  return partly;
}

std::vector<VariableId> partlyWritten(const graph::Graph& graph, const Tensor& view) {
  if (view.wholeVariable().valid()) return {};
  return partlyWritten(graph, view.contiguousRegions());
}

void StepBuilder::requireConnected(const graph::ComputeSet& set) const {
  std::vector<bool> connected;
  StopCheck check(m_stop);
  for (std::size_t i = 0; i < set.vertices.size(); ++i) {
    check();
    const auto& v = set.vertices[i];
    const auto& codelet = m_graph.codeletOf(v);
    const auto missing = [&](const std::string& field) {
      throw reports::Error(reports::ErrorCode::InvalidInput,
                           "field '" + field + "' of vertex " + std::to_string(i) + " (" + codelet.name + ") is not connected",
                           "compute set '" + m_graph.pathOf(set) + "'", "connect a tensor to every field");
    };
    connected.assign(codelet.fields.size(), false);
    int64_t element = 0;
    for (std::size_t e = 0; e < v.edges.size(); ++e) {
      const auto& [field, tensor] = v.edges[e];
      element = e > 0 && v.edges[e - 1].first == field ? element + 1 : 0;
      if (!tensor.valid()) missing(codelet.fields[field].name + "[" + std::to_string(element) + "]");
      connected[field] = true;
    }
    for (std::size_t f = 0; f < connected.size(); ++f)
      if (!connected[f] && codelet.fields[f].shape != graph::FieldShape::VectorList) missing(codelet.fields[f].name);
  }
}

namespace {
PerTile sum(PerTile a, const PerTile& b) {
  a.add(b);
  return a;
}
} // namespace

namespace {
// Padding of a buffer, so that each field in it is aligned. The size of an aligned field is rounded up to its alignment, once for
// all vertices of the tile that read it.
class FieldPadding {
public:
  void add(const graph::CodeletField& field, const graph::EdgeView& view, int64_t tile) {
    const int64_t alignment = std::max(field.minAlign, field.interleaved ? 16 : 4);
    if (alignment <= 4) return;
    const auto regions = view.contiguousRegions();
    if (regions.empty() || !m_seen.insert({regions[0].variable, regions[0].begin, regions.back().end, tile}).second) return;
    const int64_t bytes = view.numElements() * int64_t(numerics::deviceSize(view.elementType()));
    m_bytes[tile] += reports::roundUp(bytes, alignment) - reports::roundUp(bytes, 4);
  }
  PerTile bytes() const {
    PerTile column;
    for (const auto& [tile, n] : m_bytes) column.add({tile, tile + 1}, n);
    return column;
  }

private:
  std::set<std::tuple<VariableId, int64_t, int64_t, int64_t>> m_seen;
  std::map<int64_t, int64_t> m_bytes;
};
} // namespace

namespace {
// The elements that the vertices of a compute set read and write, and the elements among them on other tiles.
class VertexTouches {
public:
  VertexTouches(const graph::Graph& graph, const graph::ComputeSet& set, const std::stop_token& stop)
      : reads(set.reads), writes(set.writes), m_graph(graph), m_in(graph, RemoteTouches::Direction::ToUser),
        m_out(graph, RemoteTouches::Direction::FromUser) {
    StopCheck check(stop);
    for (const auto& v : set.vertices) {
      check();
      if (v.tile.valid()) add(v); // costOf reports vertices without a tile
    }
    in = m_in.traffic();
    reports::throwIfStopped(stop);
    out = m_out.traffic();
    reads = unique(std::move(reads));
    writes = unique(std::move(writes));
  }

  std::vector<VariableId> reads, writes;
  std::vector<graph::Region> written;
  Traffic in, out;
  FieldPadding inPadding, outPadding;

private:
  void add(const graph::UserVertex& v) {
    const auto& codelet = m_graph.codeletOf(v);
    const int64_t tile = int64_t(v.tile.value());
    for (const auto& [index, edge] : v.edges) {
      const auto& view = edge; // clang 14 cannot capture a structured binding
      const auto& field = codelet.fields[index];
      if (field.direction != graph::FieldDirection::Output) {
        if (m_in.add(view, tile)) inPadding.add(field, view, tile);
        view.forEachRegion([&](const graph::Region& r) { note(reads, r.variable); });
      }
      if (field.direction == graph::FieldDirection::Input) continue;
      if (m_out.add(view, tile)) outPadding.add(field, view, tile);
      view.forEachRegion([&](const graph::Region& r) {
        if (note(writes, r.variable)) m_graph.requireWritable(view, codelet.name + "." + field.name);
        if (!written.empty() && written.back().variable == r.variable && written.back().end == r.begin)
          written.back().end = r.end;
        else
          written.push_back(r);
      });
    }
  }
  // Adds a variable to a list. Millions of vertices use few variables, often in sequence, so repetitions are dropped at once.
  static bool note(std::vector<VariableId>& list, VariableId v) {
    if (!list.empty() && list.back() == v) return false;
    list.push_back(v);
    return true;
  }

  const graph::Graph& m_graph;
  RemoteTouches m_in, m_out;
};
} // namespace

void StepBuilder::execute(const ProgramNode& n) {
  const graph::ComputeSet& set = m_graph.computeSet(n.computeSet);
  const DebugContextId context = n.context.valid() ? n.context : set.context;
  const std::string name = nameOf(context, set.name);
  requireConnected(set);
  VertexTouches touches(m_graph, set, m_stop);
  requireNoRaces(m_graph, set, m_stop);
  const Traffic &in = touches.in, &out = touches.out;
  const int64_t first =
      in.empty() ? int64_t(m_out.ordinals.size()) : exchangeStep(name + "/exchange", context, in, {touches.reads, {}});
  Step& s = computeStep(n, set, name, context);
  s.reads = touches.reads;
  s.writes = touches.writes;
  s.partialWrites = partlyWritten(m_graph, std::move(touches.written));
  s.partialWrites.insert(s.partialWrites.end(), set.partialWrites.begin(), set.partialWrites.end());
  s.partialWrites = unique(std::move(s.partialWrites));
  const int64_t executed = int64_t(m_out.ordinals.size());
  if (!in.empty())
    buffer(set, name + "/received", context, sum(sum(in.bytesIn, in.linkBytesIn), touches.inPadding.bytes()), {first, executed});
  if (!out.empty()) { // partial writes, because local elements are already in place
    exchangeStep(name + "/exchangeOut", context, out, {{}, touches.writes, touches.writes});
    buffer(set, name + "/sent", context, sum(sum(out.bytesOut, out.linkBytesOut), touches.outPadding.bytes()),
           {executed - 1, int64_t(m_out.ordinals.size())});
  }
}

Step& StepBuilder::computeStep(const ProgramNode& n, const graph::ComputeSet& set, const std::string& name,
                               DebugContextId context) {
  m_out.costs.resize(m_graph.computeSets().size());
  ComputeCost& cost = m_out.costs[n.computeSet.value()];
  if (cost.types.empty()) cost = costOf(m_graph, set, m_stop);
  m_out.vertices += cost.vertices;
  m_out.edges += cost.edges;
  Step& s = leaf(set.copies ? StepKind::OnTileCopy : StepKind::OnTileExecute,
                 set.copies ? Activity::OnTileCopy : Activity::Compute, name, context);
  s.computeSet = n.computeSet;
  s.action = set.vertices.empty() ? nullptr : &n;
  s.cycles = cost.cycles;
  s.duration = Cycles(cost.cycles.max());
  s.flops = cost.flops;
  s.workerCycles = cost.workerCycles;
  s.planned = !set.runs.empty();
  return s;
}

void StepBuilder::buffer(const graph::ComputeSet& set, std::string name, DebugContextId context, PerTile bytes,
                         reports::Range<int64_t> live) {
  Storage b;
  std::vector<uint32_t> types;
  for (const auto& v : set.vertices)
    if (types.empty() || types.back() != v.type) types.push_back(v.type);
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  // Vertices read elements of other tiles from the buffer, so the buffer has the strictest alignment of all fields.
  for (const uint32_t type : types)
    for (const auto& f : m_graph.codelets()[std::size_t(m_graph.vertexTypes()[type].codelet)].fields) {
      b.alignment = std::max({b.alignment, f.minAlign, f.interleaved ? 16 : 4});
      b.interleaved |= f.interleaved;
    }
  b.name = std::move(name);
  b.context = context;
  b.category = MemoryCategory::Message;
  b.bytes = std::move(bytes);
  b.alwaysLive = false;
  b.live = {live};
  m_out.buffers.push_back(std::move(b));
}

} // namespace simcore::compile
