#include "simcore/compile/report_rows.h"
#include "simcore/compile/operand_rows.h"
#include "simcore/compile/packed_pairs.h"

#include "simcore/compile/liveness.h"
#include "simcore/graph/codelet_notes.h"
#include "simcore/graph/tile_sums.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace simcore::compile {

using namespace reports;

void writeMachine(const arch::Machine& m, ReportSink& sink) {
  MachineRow row;
  row.name = m.name;
  row.title = m.title;
  row.architecture = m.tile.architecture;
  row.ipus = m.ipus;
  row.tilesPerIpu = m.tilesPerIpu;
  row.ioTiles = m.ioTiles;
  row.workersPerTile = m.tile.workers;
  row.memoryPerTileBytes = m.tile.memory.value();
  row.interleavedStartBytes = m.tile.interleavedStart.value();
  row.elementBytes = m.tile.elementSize.value();
  row.clockHz = int64_t(m.clockHz);
  row.exchangeBytesPerCycle = m.exchange.bytesPerCycle;
  row.peakFp16FlopsPerSecond = m.peakHalfFlops;
  row.peakFp32FlopsPerSecond = m.peakFloatFlops;
  row.gridColumns = m.gridColumns;
  row.gridRows = m.gridRows;
  row.tileColumns = packDeltas(std::vector<int64_t>(m.tileColumns.begin(), m.tileColumns.end()));
  row.tileRows = packDeltas(std::vector<int64_t>(m.tileRows.begin(), m.tileRows.end()));
  sink.add(row);
}

TileSeriesRow tileSeries(const std::string& name, const std::string& unit, const std::vector<int64_t>& values) {
  TileSeriesRow row;
  row.name = name;
  row.unit = unit;
  row.tiles = int64_t(values.size());
  for (std::size_t t = 0; t < values.size(); ++t) {
    row.sum += values[t];
    if (values[t] > row.max) {
      row.max = values[t];
      row.maxTile = int64_t(t);
    }
  }
  row.byTile = packRuns(values);
  return row;
}

namespace {

template<class Id> std::optional<int64_t> idOrNull(Id id) {
  return id.valid() ? std::optional<int64_t>(id.value()) : std::nullopt;
}

Blob packPerTile(const PerTile& values, int64_t tiles) {
  const auto dense = values.dense(tiles);
  return packRuns(dense);
}

class StaticRows {
public:
  StaticRows(const Executable& e, StringPool& strings, ReportSink& sink)
      : m_e(e), m_graph(*e.graph), m_strings(strings), m_sink(sink), m_tiles(e.graph->tiles()) {}

  void write() {
    contexts();
    programSteps();
    stepVariables();
    exchanges();
    streams();
    variables();
    tiles();
    series();
    liveness();
    plans();
  }

private:
  void contexts() {
    for (std::size_t i = 0; i < m_graph.contexts().size(); ++i) {
      const auto& c = m_graph.contexts()[i];
      DebugContextRow row;
      row.id = int64_t(i);
      row.parentId = idOrNull(c.parent);
      row.nameId = m_strings.id(c.name);
      row.layerId = m_strings.id(c.layer);
      row.kindId = m_strings.id(c.kind);
      if (!c.details.empty()) row.detailsJson = c.details;
      m_sink.add(row);
    }
  }

  // The id of each step's row; -1 for steps that are not in the report.
  std::vector<int64_t> stepRows() const {
    std::vector<int64_t> rowId(m_e.program.steps.size(), -1);
    int64_t next = 0;
    for (std::size_t i = 0; i < m_e.program.steps.size(); ++i)
      if (m_e.program.steps[i].kind != StepKind::HostCompute) rowId[i] = next++;
    return rowId;
  }

  void programSteps() {
    const std::vector<int64_t> rowId = stepRows();
    for (std::size_t i = 0; i < m_e.program.steps.size(); ++i) {
      const Step& s = m_e.program.steps[i];
      if (rowId[i] < 0) continue;
      ProgramStepRow row;
      row.id = rowId[i];
      if (s.parent >= 0) row.parentId = rowId[std::size_t(s.parent)];
      row.position = s.position;
      row.kind = stepKindName(s.kind);
      row.nameId = m_strings.id(s.name);
      row.debugContextId = idOrNull(s.context);
      row.activity = int64_t(s.activity);
      row.computeSetId = idOrNull(s.computeSet);
      if (s.exchange >= 0) row.exchangeId = s.exchange;
      if (s.kind == StepKind::Repeat) row.repeatCount = s.repeat;
      if (s.callee >= 0) row.calleeId = rowId[std::size_t(s.callee)];
      if (s.ordinal >= 0) row.livenessStep = s.ordinal;
      row.codeBytes = s.controlCode.sum();
      row.controlCodeId = controlCode(s.controlCode);
      m_sink.add(row);
      if (s.kind != StepKind::Call || !s.action) continue;
      for (const auto& pair : s.action->calledFor)
        m_sink.add(CallContextRow{row.id, int64_t(pair.inFunction.value()), int64_t(pair.caller.value())});
    }
    for (std::size_t o = 0; o < m_e.program.ordinals.size(); ++o) {
      LivenessStepRow row;
      row.ordinal = int64_t(o);
      row.programStepId = rowId[std::size_t(m_e.program.ordinals[o])];
      row.nameId = m_strings.id(m_e.program.steps[std::size_t(m_e.program.ordinals[o])].name);
      m_sink.add(row);
    }
  }

  // The row for a step's control code by tile. Equal columns share a row, because steps have only a few different sets of tiles,
  // also on many IPUs.
  std::optional<int64_t> controlCode(const PerTile& bytes) {
    if (bytes.empty()) return std::nullopt;
    std::vector<int64_t> key;
    for (const auto& r : bytes.runs()) key.insert(key.end(), {r.tiles.begin, r.tiles.end, r.value});
    const auto [known, isNew] = m_controlCodes.emplace(std::move(key), int64_t(m_controlCodes.size()));
    if (isNew) m_sink.add(ControlCodeRow{known->second, packPerTile(bytes, m_tiles)});
    return known->second;
  }

  // Rows of `variable` by variable of the graph; -1: none.
  std::vector<int64_t> variableRows() const {
    std::vector<int64_t> rows(m_graph.variables().size(), -1);
    for (std::size_t i = 0; i < m_e.storage.size(); ++i)
      if (m_e.storage[i].variable.valid()) rows[m_e.storage[i].variable.value()] = int64_t(i);
    return rows;
  }

  void stepVariables() {
    const std::vector<int64_t> rowId = stepRows(), storageOf = variableRows();
    const auto rowsOf = [&](const std::vector<VariableId>& variables) {
      std::vector<int64_t> ids;
      for (const VariableId v : variables)
        if (const int64_t id = storageOf[v.value()]; id >= 0) ids.push_back(id);
      std::sort(ids.begin(), ids.end());
      ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
      return ids;
    };
    for (std::size_t i = 0; i < m_e.program.steps.size(); ++i) {
      const Step& s = m_e.program.steps[i];
      if (rowId[i] < 0 || isControl(s.kind)) continue;
      const std::vector<int64_t> reads = rowsOf(s.reads), writes = rowsOf(s.writes);
      if (reads.empty() && writes.empty()) continue;
      StepVariablesRow row;
      row.programStepId = rowId[i];
      row.readCount = int64_t(reads.size());
      row.reads = packDeltas(reads);
      row.writtenCount = int64_t(writes.size());
      row.writes = packDeltas(writes);
      m_sink.add(row);
      if (reads.size() > 1 && writes.size() > 1) stepMoves(row.programStepId, s.moves, storageOf);
    }
  }

  void stepMoves(int64_t step, const std::vector<graph::VariableMove>& moves, const std::vector<int64_t>& storageOf) {
    std::set<std::pair<int64_t, int64_t>> rows;
    for (const auto& move : moves)
      if (const int64_t from = storageOf[move.from.value()], to = storageOf[move.to.value()]; from >= 0 && to >= 0)
        rows.emplace(from, to);
    for (const auto& [from, to] : rows) m_sink.add(StepMoveRow{step, from, to});
  }

  void exchanges() {
    const std::vector<int64_t> storageOf = variableRows();
    std::vector<int64_t> longest(m_e.program.exchanges.size(), 0);
    for (const Step& s : m_e.program.steps)
      if (s.exchange >= 0) longest[std::size_t(s.exchange)] = s.duration.value();
    for (std::size_t i = 0; i < m_e.program.exchanges.size(); ++i) {
      const Exchange& x = m_e.program.exchanges[i];
      ExchangeRow row;
      row.id = int64_t(i);
      row.kind = x.activity == Activity::HostStream ? "host" : x.activity == Activity::GlobalExchange ? "global" : "internal";
      row.nameId = m_strings.id(x.name);
      row.totalBytes = x.activity == Activity::HostStream ? x.bytesIn.sum() + x.bytesOut.sum() : x.bytesIn.sum();
      row.messages = x.messagesIn.sum();
      row.codeBytes = x.codeBytes.sum();
      row.bytesInByTile = packPerTile(x.bytesIn, m_tiles);
      row.bytesOutByTile = packPerTile(x.bytesOut, m_tiles);
      row.codeByTile = packPerTile(x.codeBytes, m_tiles);
      row.pairs = m_pairs.pack(x.pairs);
      row.maxCycles = longest[i];
      m_sink.add(row);
      addOperandRows(m_sink, row.id, x.notes, storageOf);
    }
  }

  void streams() {
    int64_t id = 0;
    for (const auto& s : m_graph.streams()) {
      StreamRow row;
      row.id = id++;
      row.name = s.name;
      row.direction = s.direction == graph::StreamDirection::HostToDevice ? "host_to_device" : "device_to_host";
      row.elementType = numerics::elementTypeName(s.type);
      row.elements = s.elements;
      row.rows = s.options.bufferingDepth;
      row.hostBytes = row.rows * s.elements * int64_t(numerics::deviceSize(s.type));
      m_sink.add(row);
    }
    for (const auto& b : m_graph.remoteBuffers()) {
      StreamRow row;
      row.id = id++;
      row.name = b.handle;
      row.direction = "remote_buffer";
      row.elementType = numerics::elementTypeName(b.type);
      row.elements = b.elements;
      row.rows = b.repeats;
      row.hostBytes = b.repeats * b.rowBytes();
      m_sink.add(row);
    }
  }

  void variables() {
    for (std::size_t i = 0; i < m_e.storage.size(); ++i) {
      const Storage& s = m_e.storage[i];
      VariableRow row;
      row.id = int64_t(i);
      row.nameId = m_strings.id(s.name);
      row.debugContextId = idOrNull(s.context);
      row.category = int64_t(s.category);
      if (s.variable.valid()) {
        const auto& v = m_graph.variable(s.variable);
        row.elementType = numerics::elementTypeName(numerics::deviceType(v.type));
        row.shape = v.shape.empty() ? "1" : numerics::toString(v.shape);
        row.elements = v.elements();
      } else if (s.elements > 0) {
        row.elementType = s.elementType;
        row.shape = std::to_string(s.elements);
        row.elements = s.elements;
      }
      row.totalBytes = s.bytes.sum();
      row.maxTileBytes = s.bytes.max();
      row.tiles = s.bytes.activeTiles();
      row.alwaysLive = s.alwaysLive;
      std::vector<int64_t> pairs;
      for (const auto& span : s.live) {
        pairs.push_back(span.begin);
        pairs.push_back(span.end);
      }
      row.liveIntervals = packDeltas(pairs);
      row.liveIntervalCount = int64_t(s.live.size());
      row.alignmentBytes = s.alignment;
      if (!s.demands.empty()) row.demandsId = m_strings.id(s.demands);
      m_sink.add(row);
    }
  }

  void tiles() {
    // Tiles with the same layout share the packed columns.
    std::vector<TileVariablesRow> packed;
    std::vector<int64_t> column;
    for (const TileLayout& l : m_e.allocation.layouts) {
      const auto columnOf = [&](auto valueOf) -> const std::vector<int64_t>& {
        column.resize(l.placements.size());
        std::transform(l.placements.begin(), l.placements.end(), column.begin(), valueOf);
        return column;
      };
      TileVariablesRow row;
      row.lowered = int64_t(l.placements.size());
      row.variables = packDeltas(columnOf([](const Placement& p) { return int64_t(p.storage); }));
      row.addresses = packDeltas(columnOf([](const Placement& p) { return p.address; }));
      row.sizes = packVarints(columnOf([](const Placement& p) { return p.size; }));
      row.ownBytes = packVarints(columnOf([](const Placement& p) { return p.ownBytes; }));
      row.reasons = packVarints(columnOf([](const Placement& p) { return int64_t(p.why); }));
      row.reasonVariables =
          packVarints(columnOf([](const Placement& p) { return p.other == UINT32_MAX ? 0 : int64_t(p.other) + 1; }));
      packed.push_back(std::move(row));
    }
    for (int64_t t = 0; t < m_tiles; ++t) {
      TileVariablesRow& row = packed[m_e.allocation.layoutOfTile[std::size_t(t)]];
      row.tile = t;
      m_sink.add(row);
    }
  }

  template<class F> void layoutSeries(const char* name, F f) {
    std::vector<int64_t> byLayout, values(static_cast<std::size_t>(m_tiles));
    for (const TileLayout& l : m_e.allocation.layouts) byLayout.push_back(f(l));
    for (std::size_t t = 0; t < values.size(); ++t) values[t] = byLayout[m_e.allocation.layoutOfTile[t]];
    seriesRow(name, "byte", values);
  }

  void seriesRow(const std::string& name, const char* unit, const std::vector<int64_t>& values) {
    m_sink.add(tileSeries(name, unit, values));
  }

  void series() {
    layoutSeries("memory.total", [](const TileLayout& l) { return l.totalBytes; });
    layoutSeries("memory.total_with_gaps", [](const TileLayout& l) { return l.extentBytes; });
    layoutSeries("memory.overflow", [](const TileLayout& l) { return l.overflowBytes; });
    layoutSeries("memory.always_live", [](const TileLayout& l) { return l.alwaysLiveBytes; });
    layoutSeries("memory.peak_not_always_live", [](const TileLayout& l) { return l.peakNotAlwaysLiveBytes; });
    layoutSeries("memory.region.interleaved", [](const TileLayout& l) { return l.interleavedBytes; });
    layoutSeries("memory.region.non_interleaved",
                 [](const TileLayout& l) { return l.totalBytes - l.interleavedBytes - l.overflowBytes; });
    // All categories in one pass, because the placements of a long program exceed the cache.
    std::vector<std::array<int64_t, kMemoryCategoryCount>> byCategory;
    for (const TileLayout& l : m_e.allocation.layouts) {
      auto& bytes = byCategory.emplace_back();
      for (const Placement& p : l.placements) bytes[std::size_t(m_e.storage[p.storage].category)] += p.ownBytes;
    }
    for (std::size_t c = 0; c < kMemoryCategoryCount; ++c) {
      const std::string name = "memory.category." + std::string(memoryCategoryName(MemoryCategory(c)));
      layoutSeries(name.c_str(),
                   [&](const TileLayout& l) { return byCategory[std::size_t(&l - m_e.allocation.layouts.data())][c]; });
    }
    graph::TileSums in(m_tiles), out(m_tiles);
    for (const Exchange& x : m_e.program.exchanges) {
      if (x.activity != Activity::InternalExchange) continue;
      in.add(x.bytesIn);
      out.add(x.bytesOut);
    }
    seriesRow("exchange.bytes_in", "byte", in.dense());
    seriesRow("exchange.bytes_out", "byte", out.dense());
  }

  void curve(const std::string& scope, graph::TileRange tiles) {
    LivenessCurveRow row;
    row.scope = scope;
    const auto values = livenessCurve(m_e.storage, int64_t(m_e.program.ordinals.size()), tiles);
    row.steps = int64_t(values.size());
    for (const Storage& s : m_e.storage)
      if (s.alwaysLive)
        for (const auto& r : s.bytes.runs()) row.alwaysLiveBytes += r.value * r.tiles.clippedTo(tiles).size();
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] > row.peakBytes) {
        row.peakBytes = values[i];
        row.peakStep = int64_t(i);
      }
    row.notAlwaysLiveBytes = packDeltas(values);
    m_sink.add(row);
  }

  void liveness() {
    curve("all", {0, m_tiles});
    const int64_t perIpu = m_graph.machine().tilesPerIpu;
    for (int64_t i = 0; i < m_graph.machine().ipus; ++i) curve("ipu." + std::to_string(i), {i * perIpu, (i + 1) * perIpu});
    curve("tile." + std::to_string(m_e.allocation.maxTile), {m_e.allocation.maxTile, m_e.allocation.maxTile + 1});
  }

  void plans() {
    for (std::size_t i = 0; i < m_graph.plans().size(); ++i) {
      const auto& p = m_graph.plans()[i];
      PlanRow row;
      row.id = int64_t(i);
      row.debugContextId = p.context.valid() ? int64_t(p.context.value()) : 0;
      row.method = p.method;
      row.text = p.text;
      row.detailsJson = p.details.empty() ? "{}" : p.details;
      row.predictedCycles = p.predicted.value();
      row.temporaryBytes = p.temporary.value();
      m_sink.add(row);
    }
  }

  const Executable& m_e;
  const graph::Graph& m_graph;
  StringPool& m_strings;
  ReportSink& m_sink;
  const int64_t m_tiles;
  PackedPairs m_pairs{m_tiles};
  std::map<std::vector<int64_t>, int64_t> m_controlCodes; // rows of control_code, by their runs
};

class ComputeSetRows {
public:
  ComputeSetRows(const Executable& e, const CountedSets& counted, StringPool& strings, ReportSink& sink)
      : m_e(e), m_graph(*e.graph), m_counted(counted), m_strings(strings), m_sink(sink) {}

  void write() {
    for (std::size_t i = 0; i < m_graph.vertexTypes().size(); ++i) writeType(int64_t(i));
    for (std::size_t i = 0; i < m_graph.computeSets().size(); ++i) writeSet(i);
  }

private:
  const graph::Codelet* codeletOf(const graph::VertexType& type) const {
    return type.codelet < 0 ? nullptr : &m_graph.codelets()[std::size_t(type.codelet)];
  }

  void writeType(int64_t id) {
    static constexpr const char* kKinds[] = {"Vertex", "MultiVertex", "Supervisor"};
    const auto& t = m_graph.vertexTypes()[std::size_t(id)];
    VertexTypeRow row;
    row.id = id;
    row.nameId = m_strings.id(t.name);
    row.kind = kKinds[int(t.kind)];
    row.codeBytes = t.codeBytes;
    row.provenance = "estimated";
    if (const auto* codelet = codeletOf(t); codelet && codelet->native && !codelet->native->sourceFile.empty()) {
      row.fileId = m_strings.id(codelet->native->sourceFile);
      row.line = codelet->native->sourceLine;
    }
    m_sink.add(row);
  }

  void writeSet(std::size_t index) {
    const auto& set = m_graph.computeSets()[index];
    static const ComputeCost kNever; // no program executes the set
    const ComputeCost& cost = index < m_e.program.costs.size() ? m_e.program.costs[index] : kNever;
    const auto counted = m_counted.find(int64_t(index));
    const CountedSet* taken = counted == m_counted.end() ? nullptr : &counted->second;
    ComputeSetRow row;
    row.id = int64_t(index);
    row.nameId = m_strings.id(set.name);
    row.debugContextId = idOrNull(set.context);
    row.vertices = cost.vertices;
    row.edges = cost.edges;
    row.activeTiles = taken ? taken->activeTiles : cost.cycles.activeTiles();
    row.maxCycles = taken ? taken->maxCycles : cost.cycles.max();
    row.totalCycles = taken ? taken->mean(taken->tileCycles) : cost.cycles.sum();
    row.workerCycles = taken ? taken->mean(taken->workerCycles) : cost.workerCycles;
    row.flops = cost.flops;
    m_sink.add(row);
    for (const auto& share : cost.types) writeVertices(row.id, share, taken);
  }

  std::optional<std::string> cyclesFrom(const ComputeCost::TypeShare& share, const CountedSet* taken) const {
    const graph::Codelet* const codelet = codeletOf(m_graph.vertexTypes()[share.type]);
    if (!codelet) return "formula";
    if (taken && taken->ofTypes.contains(share.type)) return "code" + unpricedIn(*codelet);
    return share.cycles > 0 ? std::optional<std::string>("given") : std::nullopt;
  }
  static std::string unpricedIn(const graph::Codelet& codelet) {
    std::string names;
    for (const std::string& name : graph::notesOf(codelet).unpriced)
      names += (names.empty() ? ", without a price: " : ", ") + name;
    return names;
  }

  void writeVertices(int64_t set, const ComputeCost::TypeShare& share, const CountedSet* taken) {
    const auto& t = m_graph.vertexTypes()[share.type];
    ComputeSetVerticesRow row;
    row.computeSetId = set;
    row.vertexTypeId = share.type;
    row.vertices = share.count.sum();
    row.cycles = share.cycles;
    row.cyclesFrom = cyclesFrom(share, taken);
    if (taken && taken->ofTypes.contains(share.type) && codeletOf(t)) row.cycles = taken->mean(taken->ofTypes.at(share.type));
    row.flops = share.flops;
    row.stateBytes = row.vertices * t.stateBytes;
    row.edgePointerBytes = row.vertices * t.edgePointerBytes;
    row.descriptorBytes = share.fieldData.sum() + share.lists.sum();
    row.verticesByTile = packPerTile(share.count, m_graph.tiles());
    m_sink.add(row);
  }

  const Executable& m_e;
  const graph::Graph& m_graph;
  const CountedSets& m_counted;
  StringPool& m_strings;
  ReportSink& m_sink;
};

} // namespace

void writeExecutable(const Executable& executable, StringPool& strings, ReportSink& sink) {
  StaticRows(executable, strings, sink).write();
}

void writeComputeSets(const Executable& executable, const CountedSets& counted, StringPool& strings, ReportSink& sink) {
  ComputeSetRows(executable, counted, strings, sink).write();
}

} // namespace simcore::compile
