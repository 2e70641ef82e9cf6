#include "app/sdk/profile_values.h"

#include "reports/core/packed.h"
#include "reports/sqlite/reader.h"

namespace app::sdk {

using poplar::ProfileValue;
using Map = ProfileValue::Map;
using Vector = ProfileValue::Vector;

namespace {

Vector series(analyser::Session& session, const char* name) {
  Vector values;
  const auto row = session.reader().first<reports::TileSeriesRow>("name = ?", {std::string(name)});
  if (!row) return values;
  for (const int64_t value : reports::unpackRuns(row->byTile, std::size_t(row->tiles), "tile_series"))
    values.emplace_back(double(value));
  return values;
}

ProfileValue target(const analyser::Machine& machine) {
  return Map{{"type", "IPU"},
             {"architecture", machine.architecture},
             {"numIPUs", machine.ipus},
             {"tilesPerIPU", machine.tilesPerIpu},
             {"numTiles", machine.tiles()},
             {"bytesPerTile", double(machine.memoryPerTile.value())},
             {"totalMemory", double(machine.totalMemory().value())},
             {"clockFrequency", double(machine.clockHz)}};
}

} // namespace

ProfileValue graphProfile(analyser::Session& session, const analyser::summary::Summary& summary) {
  Vector names, counts;
  for (const auto& row : session.reader().rows<reports::ComputeSetRow>()) {
    names.emplace_back(session.text(row.nameId));
    counts.emplace_back(double(row.vertices));
  }
  Map categories;
  for (const auto& c : summary.memory.byCategory)
    categories[std::string(reports::memoryCategoryName(c.category))] = Map{{"total", double(c.bytes.value())}};
  Map memory{{"byTile",
              Map{{"total", series(session, "memory.total")}, {"totalIncludingGaps", series(session, "memory.total_with_gaps")}}},
             {"byCategory", categories},
             {"liveness", Map{{"alwaysLive", Map{{"bytesByTile", series(session, "memory.always_live")}}},
                              {"notAlwaysLive", Map{{"maxBytesByTile", series(session, "memory.peak_not_always_live")}}}}}};
  return Map{{"target", target(session.machine())},
             {"graph", Map{{"numVars", double(summary.graph.variables)},
                           {"numEdges", double(summary.graph.edges)},
                           {"numComputeSets", double(summary.graph.computeSets)},
                           {"numVertices", double(summary.graph.vertices)}}},
             {"computeSets", Map{{"names", names}, {"vertexCounts", counts}}},
             {"memory", memory}};
}

ProfileValue executionProfile(analyser::Session& session, const analyser::summary::Summary& summary) {
  Vector runs;
  for (const auto& run : summary.runs)
    runs.emplace_back(Map{
        {"name", run.name}, {"start", double(run.start.value())}, {"end", double(run.start.value() + run.cycles.total.value())}});
  return Map{{"profilerMode", "SIMULATED"},
             {"cycles", double(summary.cycles.total.value())},
             {"runs", runs},
             {"simulation", Map{{"cycles", double(summary.cycles.total.value())},
                                {"tileCycles", Map{{"compute", series(session, "cycles.compute")},
                                                   {"exchange", series(session, "cycles.exchange")}}}}}};
}

} // namespace app::sdk
