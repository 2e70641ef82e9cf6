#include "analyser/operations/tile_profile.h"

#include "reports/core/amounts.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace analyser::operations {

namespace {

using Sums = std::vector<double>; // by tile

int64_t rounded(double value) {
  constexpr double kMost = 9e18; // a damaged report may exceed all integers
  return std::llround(std::clamp(value, -kMost, kMost));
}

// Sums steps per tile. A step may count only in part, so sums are rounded once, at the end.
class Profiler {
public:
  Profiler(Session& session, const std::stop_token& stop)
      : m_session(session), m_stop(stop), m_tiles(static_cast<std::size_t>(session.machine().tiles())) {
    for (Sums* sums : {&m_compute, &m_exchange, &m_global, &m_received, &m_sent, &m_flops, &m_vertices, &m_code, &m_host})
      sums->resize(m_tiles);
  }

  void add(const OperationStep& step) {
    switch (step.node.activity) {
    case reports::Activity::Compute:
    case reports::Activity::OnTileCopy: addVertices(step, addCycles(step, m_compute)); break;
    case reports::Activity::InternalExchange: addExchange(step, addCycles(step, m_exchange)); break;
    case reports::Activity::GlobalExchange: addExchange(step, addCycles(step, m_global)); break;
    case reports::Activity::HostStream: addExchange(step, addCycles(step, m_host)); break;
    default: break;
    }
  }

  // Adds only the vertices of one type.
  void addType(const OperationStep& step, int64_t vertexType) {
    if (!step.node.computeSet.valid()) return;
    OperationStep whole = step;
    whole.share = 1;
    Sums cycles(m_tiles), own(m_tiles), all(m_tiles);
    const double executions = addCycles(whole, cycles);
    double wanted = 0;
    m_session.reader().forEach<reports::ComputeSetVerticesRow>(
        "compute_set_id = ?", {int64_t(step.node.computeSet.value())},
        [&](const reports::ComputeSetVerticesRow& row) {
          if (row.vertices <= 0) return;
          const reports::AmountRuns vertices(row.verticesByTile, m_tiles, "compute_set_vertices.vertices_by_tile");
          const double each = 1 / double(row.vertices);
          add(vertices, 0, double(row.cycles) * each, all);
          if (row.vertexTypeId != vertexType) return;
          wanted += double(row.cycles) * executions;
          add(vertices, 0, double(row.cycles) * each, own);
          add(vertices, 0, 1, m_vertices), add(vertices, 0, double(row.flops) * each * executions, m_flops);
        },
        m_stop);
    double sum = 0;
    for (std::size_t t = 0; t < m_tiles; ++t) {
      own[t] = all[t] > 0 ? cycles[t] * own[t] / all[t] : 0;
      sum += own[t];
    }
    for (std::size_t t = 0; sum > 0 && t < m_tiles; ++t) m_compute[t] += own[t] * wanted / sum;
  }

  TileProfile result() const {
    TileProfile p;
    for (const auto& [sums, into] :
         {std::pair{&m_compute, &p.compute}, {&m_exchange, &p.exchange}, {&m_global, &p.globalExchange}})
      for (const double sum : *sums) into->emplace_back(rounded(sum));
    for (const auto& [sums, into] : {std::pair{&m_received, &p.received},
                                     {&m_sent, &p.sent},
                                     {&m_flops, &p.flops},
                                     {&m_vertices, &p.vertices},
                                     {&m_code, &p.code}})
      for (const double sum : *sums) into->push_back(rounded(sum));
    double sum = 0;
    for (std::size_t t = 0; t < m_tiles; ++t) {
      if (p.compute[t] <= Cycles()) continue;
      ++p.active, sum += m_compute[t];
      if (!p.slowest.valid() || p.compute[t] > p.compute[p.slowest.value()]) p.slowest = TileId(t);
    }
    if (p.active > 0) p.mean = Cycles(rounded(sum / double(p.active)));
    return p;
  }

private:
  // The operation's share of the executions, on the IPU with most of them.
  double addCycles(const OperationStep& step, Sums& sums) {
    double ofAll = 0;
    std::map<int64_t, double> executions; // by IPU; profiles without an IPU count in `ofAll`
    m_session.reader().forEach<reports::StepProfileRow>(
        "program_step_id = ? AND executions > 0", {int64_t(step.node.id.value())},
        [&](const reports::StepProfileRow& row) {
          (row.ipu ? executions[*row.ipu] : ofAll) += double(row.executions);
          if (row.firstTile < 0) return; // damaged
          const reports::AmountRuns cycles(row.cyclesByTile, static_cast<std::size_t>(row.tiles), "step_profile.cycles_by_tile");
          add(cycles, static_cast<std::size_t>(row.firstTile), double(row.executions) * step.share, sums);
        },
        m_stop);
    double most = 0;
    for (const auto& [ipu, count] : executions) most = std::max(most, count);
    return ofAll + most;
  }

  void addBlob(const reports::Blob& blob, std::string_view what, double factor, Sums& sums) const {
    add(reports::AmountRuns(blob, m_tiles, what), 0, factor, sums);
  }
  void add(const reports::AmountRuns& amounts, std::size_t first, double factor, Sums& sums) const {
    for (const reports::ValueRun& run : amounts.runs())
      for (std::size_t t = first + run.begin; run.value > 0 && t < std::min(first + run.end, m_tiles); ++t)
        sums[t] += double(run.value) * factor;
  }

  void addExchange(const OperationStep& step, double executions) {
    if (!step.node.exchange.valid()) return;
    const auto row = m_session.reader().first<reports::ExchangeRow>("id = ?", {int64_t(step.node.exchange.value())});
    if (!row) return;
    addBlob(row->bytesInByTile, "exchange.bytes_in_by_tile", executions * step.share, m_received);
    addBlob(row->bytesOutByTile, "exchange.bytes_out_by_tile", executions * step.share, m_sent);
    if (row->codeByTile) addBlob(*row->codeByTile, "exchange.code_by_tile", step.share, m_code);
  }

  void addVertices(const OperationStep& step, double executions) {
    if (!step.node.computeSet.valid()) return;
    m_session.reader().forEach<reports::ComputeSetVerticesRow>(
        "compute_set_id = ?", {int64_t(step.node.computeSet.value())},
        [&](const reports::ComputeSetVerticesRow& row) {
          const reports::AmountRuns vertices(row.verticesByTile, m_tiles, "compute_set_vertices.vertices_by_tile");
          const double flops = row.vertices > 0 ? double(row.flops) / double(row.vertices) * executions * step.share : 0;
          add(vertices, 0, step.share, m_vertices), add(vertices, 0, flops, m_flops);
        },
        m_stop);
  }

  Session& m_session;
  const std::stop_token& m_stop;
  std::size_t m_tiles;
  Sums m_compute, m_exchange, m_global, m_received, m_sent, m_flops, m_vertices, m_code, m_host;
};

Sentence verdictOfCycles(const TileProfile& p) {
  Sentence words;
  std::vector<Cycles> exchanged = p.exchange;
  for (std::size_t t = 0; t < exchanged.size(); ++t) exchanged[t] += p.globalExchange[t];
  const auto longest = std::max_element(exchanged.begin(), exchanged.end());
  const bool exchanges = longest != exchanged.end() && *longest > Cycles();
  if (p.slowest.valid()) {
    words << p.active << (p.active == 1 ? " tile computes" : " tiles compute") << "; the slowest, tile "
          << std::to_string(p.slowest.value()) << ", takes " << p.compute[p.slowest.value()] << " (mean: " << p.mean << ")";
    if (exchanges) words << "; ";
  }
  if (!exchanges) return words;
  const auto asLong = std::count(exchanged.begin(), exchanged.end(), *longest);
  if (asLong == 1)
    words << "tile " << std::to_string(longest - exchanged.begin()) << " sends and receives longest, " << *longest;
  else
    words << int64_t(asLong) << " tiles send and receive longest, " << *longest << " each";
  return words;
}

// The tile with the maximum, and the mean of the tiles above zero.
struct Most {
  std::size_t tile = 0;
  int64_t value = 0, mean = 0, tiles = 0;
};
Most mostOf(const std::vector<int64_t>& values) {
  Most most;
  double sum = 0;
  for (std::size_t t = 0; t < values.size(); ++t) {
    if (values[t] <= 0) continue;
    ++most.tiles, sum += double(values[t]);
    if (values[t] > most.value) most.tile = t, most.value = values[t];
  }
  if (most.tiles > 0) most.mean = rounded(sum / double(most.tiles));
  return most;
}

template<class Amount>
void addMost(Sentence& words, const std::vector<int64_t>& values, const char* verb, const char* unit = "") {
  const Most most = mostOf(values);
  if (most.tiles == 0) return;
  if (!words.empty()) words << "; ";
  words << "tile " << std::to_string(most.tile) << " " << verb << " most, " << Amount(most.value) << unit;
  if (most.tiles > 1) words << " (mean of " << most.tiles << " tiles: " << Amount(most.mean) << ")";
}

} // namespace

TileProfile tileProfile(Session& session, std::span<const OperationStep> steps, std::span<const int> operations,
                        std::stop_token stop) {
  Profiler profiler(session, stop);
  for (const OperationStep& step : steps)
    if (std::binary_search(operations.begin(), operations.end(), step.operation)) profiler.add(step);
  return profiler.result();
}

TileProfile vertexTypeProfile(Session& session, std::span<const OperationStep> steps, std::span<const int> operations,
                              const std::string& type, std::stop_token stop) {
  Profiler profiler(session, stop);
  const auto text = session.findText(type);
  const auto row = text ? session.reader().first<reports::VertexTypeRow>("name_id = ?", {int64_t(text->value())}) : std::nullopt;
  for (const OperationStep& step : steps)
    if (row && std::binary_search(operations.begin(), operations.end(), step.operation)) profiler.addType(step, row->id);
  return profiler.result();
}

Sentence tileVerdict(const TileProfile& p, TileMeasure measure) {
  Sentence words;
  switch (measure) {
  case TileMeasure::Cycles: return verdictOfCycles(p);
  case TileMeasure::Bytes: addMost<Bytes>(words, p.received, "receives"), addMost<Bytes>(words, p.sent, "sends"); break;
  case TileMeasure::Flops: addMost<int64_t>(words, p.flops, "computes", " FLOPs"); break;
  case TileMeasure::Vertices: addMost<int64_t>(words, p.vertices, "has", " vertices"); break;
  case TileMeasure::Code: addMost<Bytes>(words, p.code, "has", " of exchange code"); break;
  }
  return words;
}

} // namespace analyser::operations
