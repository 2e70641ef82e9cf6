#include "analyser/summary/summary.h"

#include "analyser/memory/verdict.h"
#include "analyser/session/debug_contexts.h"
#include "analyser/session/format.h"
#include "analyser/session/metadata_count.h"
#include "analyser/session/output_values.h"
#include "analyser/summary/peaks.h"
#include "analyser/summary/vertex_cycles.h"
#include "reports/core/amounts.h"
#include "reports/sqlite/reader.h"

#include <limits>
#include <unordered_map>

namespace analyser::summary {

namespace {

int64_t number(Session& session, std::string_view sql) {
  reports::Statement statement(session.reader().connection(), sql);
  int64_t value = 0;
  if (statement.step() && !statement.isNull(0)) statement.read(0, value, sql);
  return reports::addAmounts(0, value, sql);
}

// Counts of a graph whose parts an imported profile does not list; false if the profile lacks the counts, too.
bool takeImported(Session& session, const char* key, int64_t& count) {
  const auto said = metadataCount(session, key);
  count = said.value_or(count);
  return said.has_value();
}

GraphCounts countGraph(Session& session) {
  GraphCounts g;
  g.vertices = number(session, "SELECT sum(vertices) FROM compute_set");
  g.edges = number(session, "SELECT sum(edges) FROM compute_set");
  g.variables = number(session, "SELECT count(*) FROM variable");
  g.computeSets = number(session, "SELECT count(*) FROM compute_set");
  g.vertexTypes = number(session, "SELECT count(*) FROM vertex_type");
  g.exchanges = number(session, "SELECT count(*) FROM exchange");
  g.programSteps = number(session, "SELECT count(*) FROM program_step");
  g.operations = number(session, "SELECT count(*) FROM operation");
  if (session.metadata("provenance") != "imported") return g;
  takeImported(session, "graph.vertices", g.vertices);
  takeImported(session, "graph.compute_sets", g.computeSets);
  g.knowsEdges = takeImported(session, "graph.edges", g.edges) || g.edges > 0;
  g.knowsVariables = takeImported(session, "graph.variables", g.variables) || g.variables > 0;
  return g;
}

void readRuns(Session& session, Summary& s, const std::stop_token& stop) {
  session.reader().forEach<reports::RunRow>(
      {}, {},
      [&](reports::RunRow& row) {
        Run run;
        run.id = row.id;
        run.name = std::move(row.name);
        run.start = Cycles(row.startCycle);
        run.cycles = {Cycles(row.cycles),     Cycles(row.computeCycles), Cycles(row.exchangeCycles),  Cycles(row.syncCycles),
                      Cycles(row.hostCycles), Cycles(row.idleCycles),    Cycles(row.hiddenHostCycles)};
        run.flops = Flops(row.flops);
        run.foldedIterations = row.foldedIterations;
        run.provenance = std::move(row.provenance);
        // No part exceeds the total, so only the total can overflow; it does not include hidden cycles.
        s.cycles.total = Cycles(reports::addAmounts(s.cycles.total.value(), row.cycles, "table run, cycles"));
        s.cycles.compute += run.cycles.compute;
        s.cycles.exchange += run.cycles.exchange;
        s.cycles.sync += run.cycles.sync;
        s.cycles.host += run.cycles.host;
        s.cycles.idle += run.cycles.idle;
        s.cycles.hiddenHost =
            Cycles(reports::addAmounts(s.cycles.hiddenHost.value(), row.hiddenHostCycles, "table run, hidden_host_cycles"));
        s.flops = Flops(reports::addAmounts(s.flops.value(), row.flops, "table run, flops"));
        s.runs.push_back(std::move(run));
      },
      stop);
  s.seconds = s.machine.seconds(s.cycles.total);
  s.precision = session.metadata("precision");
  s.flopsPerSecond = s.seconds > 0 ? double(s.flops.value()) / s.seconds : 0;
  s.peakFlopsPerSecond = s.machine.peakFlopsPerSecond(s.precision) * s.machine.ipus;
  s.peakFraction = s.peakFlopsPerSecond > 0 ? s.flopsPerSecond / s.peakFlopsPerSecond : 0;
}

TileBytes tileBytes(const memory::TileMemory& m, std::size_t tile) {
  TileBytes t;
  t.tile = TileId(tile);
  t.bytes = m.total.values[tile];
  t.withGaps = m.totalWithGaps.values[tile];
  t.overflow = m.overflow.values[tile];
  t.fraction = m.capacity > Bytes() ? ratio(t.withGaps, m.capacity) : 0;
  return t;
}

// At most 17 bins of a round width from the emptiest to the fullest tile.
std::vector<HistogramBin> histogramOf(const std::vector<Bytes>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (high == values.end() || *low < Bytes() || *high <= Bytes()) return {};
  int64_t width = 64;
  while (width * 16 < high->value() - low->value()) width *= 2;
  const int64_t first = low->value() / width;
  std::vector<HistogramBin> bins(static_cast<std::size_t>(high->value() / width - first + 1));
  for (std::size_t i = 0; i < bins.size(); ++i)
    bins[i] = {Bytes((first + int64_t(i)) * width), Bytes((first + int64_t(i) + 1) * width), 0};
  for (const Bytes v : values) ++bins[static_cast<std::size_t>(v.value() / width - first)].tiles;
  return bins;
}

void readLiveness(Session& session, MemoryTotals& m) {
  if (const auto all = session.reader().first<reports::LivenessCurveRow>("scope = 'all'")) {
    m.hasLiveness = true;
    m.alwaysLive = Bytes(all->alwaysLiveBytes);
    m.peakNotAlwaysLive = Bytes(all->peakBytes);
    m.peakStep = all->peakStep;
  } else if (const auto series = memory::tileSeries(session, "memory.always_live")) {
    m.hasLiveness = true;
    m.alwaysLive = series->sum;
  }
}

MemoryTotals memoryTotals(Session& session, const memory::TileMemory& tiles) {
  MemoryTotals m;
  m.total = tiles.total.sum;
  m.totalWithGaps = tiles.totalWithGaps.sum;
  m.available = session.machine().totalMemory();
  m.overflow = tiles.overflow.sum;
  m.overflowTiles = tiles.overflowTiles;
  m.median = double(tiles.median.value());
  if (const auto s = memory::tileSeries(session, "memory.region.non_interleaved")) m.nonInterleaved = s->sum;
  if (const auto s = memory::tileSeries(session, "memory.region.interleaved")) m.interleaved = s->sum;
  readLiveness(session, m);
  for (const memory::TileSeries& part : tiles.parts)
    if (part.category) m.byCategory.push_back({*part.category, part.sum, part.max, part.maxTile});
  std::sort(m.byCategory.begin(), m.byCategory.end(),
            [](const CategoryBytes& a, const CategoryBytes& b) { return a.category < b.category; });
  m.histogram = histogramOf(tiles.total.values);
  if (tiles.total.values.empty()) return m;
  m.fullestWithoutGaps = tileBytes(tiles, tiles.total.maxTile.value());
  std::vector<std::size_t> order(tiles.total.values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const std::size_t kept = std::min<std::size_t>(5, order.size());
  // Sorted by contents without gaps: gaps are similar on all tiles, and the verdict is about contents, too.
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(), [&](auto a, auto b) {
    const auto& bytes = tiles.total.values;
    return std::tuple(bytes[b], a) < std::tuple(bytes[a], b);
  });
  for (std::size_t i = 0; i < kept; ++i) m.fullestTiles.push_back(tileBytes(tiles, order[i]));
  m.fullest = tileBytes(tiles, tiles.totalWithGaps.maxTile.value());
  return m;
}

void readLists(Session& session, Summary& s) {
  auto& reader = session.reader();
  reader.forEach<reports::EngineOptionRow>("1 ORDER BY key", {}, [&](reports::EngineOptionRow& row) {
    s.options.push_back({std::move(row.key), std::move(row.value), row.isDefault != 0});
  });
  const OperationNames operations(session);              // plans are made for library calls, one level below
  std::unordered_map<int64_t, reports::OperationId> ids; // by context
  reader.forEach<reports::OperationRow>({}, {}, [&](const reports::OperationRow& row) {
    ids.emplace(row.debugContextId, reports::OperationId(std::size_t(row.id)));
  });
  reader.forEach<reports::PlanRow>({}, {}, [&](reports::PlanRow& row) {
    Plan p{row.id,
           {},
           std::move(row.method),
           std::move(row.text),
           std::move(row.detailsJson),
           Cycles(row.predictedCycles),
           Bytes(row.temporaryBytes),
           {}};
    p.operation = operations.of(row.debugContextId);
    if (const auto context = operations.contextOf(row.debugContextId)) p.operationId = ids[*context];
    s.plans.push_back(std::move(p));
  });
  reader.forEach<reports::ReportIssueRow>({}, {}, [&](reports::ReportIssueRow& row) {
    if (isNotFinite(row)) s.valuesNotFinite += row.count;
    s.issues.push_back({std::move(row.severity), std::move(row.place), std::move(row.message), std::move(row.advice), row.count});
  });
  s.metadata.assign(session.metadata().begin(), session.metadata().end());
}

std::string timeVerdictOf(const Summary& s) {
  if (s.cycles.total == Cycles()) return s.outOfMemory ? "Not run: the program does not fit." : "This report holds no execution.";
  std::string text = formatSeconds(s.seconds) + " (" + formatCycles(s.cycles.total) + ")";
  std::vector<std::pair<Cycles, std::string>> parts{{s.cycles.compute, "compute"},
                                                    {s.cycles.exchange, "exchange"},
                                                    {s.cycles.sync, "sync"},
                                                    {s.cycles.host, "host streams"},
                                                    {s.cycles.idle, "idle"}};
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  const char* before = ": ";
  for (const auto& [cycles, name] : parts) {
    if (cycles == Cycles()) continue;
    text += before + formatPercent(ratio(cycles, s.cycles.total)) + " " + name;
    before = ", ";
  }
  if (s.cycles.hiddenHost > Cycles())
    text += "; host streams are hidden for another " + formatPercent(ratio(s.cycles.hiddenHost, s.cycles.total));
  if (s.flops.value() > 0) {
    text += "; " + formatRate(s.flopsPerSecond, "FLOP/s");
    if (s.peakFraction > 0) text += ", " + formatPercent(s.peakFraction) + " of peak";
  }
  return text + ".";
}

} // namespace

std::string missingFigure(const Summary& s, std::string_view key) {
  const auto isIn = [&](std::initializer_list<std::string_view> prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view prefix) { return key.starts_with(prefix); });
  };
  if (key.starts_with("peaks.") && (key.ends_with(".share") || key.ends_with(".share_while_busy")) && s.runs.empty())
    return "the report holds no run";
  if (isIn({"total_cycles", "seconds", "flops", "peak_fraction", "cycles.", "tile_cycles.", "hidden_host_cycles"}) &&
      s.runs.empty())
    return "the report holds no run";
  if (isIn({"tile_cycles."}) && s.cycles.compute > Cycles() && s.tileCycles[trace::TileTime::Busy] == 0)
    return "the report holds no profile of its compute steps";
  if (isIn({"tile_cycles."}) && s.tileCycles.total() == std::numeric_limits<int64_t>::max())
    return "the tile-cycles of the report overflow: the profile of a step has impossible values";
  if (isIn({"ipus", "replicas", "machine_ipus", "tiles_per_ipu", "clock_hz"}) && s.machine.tiles() == 0)
    return "the report has no machine";
  if (key == "peak_fraction" && s.peakFlopsPerSecond <= 0) return "the report does not say the machine's peak";
  if (isIn({"memory."}) && s.memory.total == Bytes()) return "the report holds no tile memory";
  if (isIn({"memory.always_live", "memory.peak_not_always_live"}) && !s.memory.hasLiveness) return "the report holds no liveness";
  const auto& g = s.graph;
  const bool hasGraph = g.vertices || g.variables || g.computeSets || g.exchanges || g.programSteps || g.operations;
  return isIn({"graph."}) && !hasGraph ? "the report holds no graph" : "";
}

Summary summarise(Session& session, std::stop_token stop) {
  Summary s;
  s.identity = session.identity();
  s.machine = session.machine();
  s.outOfMemory = s.identity.outOfMemory;
  s.graph = countGraph(session);
  reports::throwIfStopped(stop);
  readRuns(session, s, stop);
  const memory::TileMemory tiles = memory::tileMemory(session, memory::Breakdown::ByCategory, stop);
  s.memory = memoryTotals(session, tiles);
  s.verdict = tiles.verdict;
  s.tileCycles = trace::tileCyclesOfRuns(session, stop);
  addVertexCycles(session, s, stop);
  readLists(session, s);
  s.timeVerdict = timeVerdictOf(s);
  s.peaks = peakUses(session, s, stop);
  return s;
}

Sentence wasteVerdict(const Summary& s) {
  return missingFigure(s, "tile_cycles.wasted").empty() ? trace::wasteSentence(s.tileCycles) : Sentence();
}

} // namespace analyser::summary
