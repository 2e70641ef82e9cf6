#include "app/cli/summary_json.h"

#include "reports/core/json.h"

#include <nlohmann/json.hpp>

#include <charconv>

namespace app::cli {

namespace {

using Json = nlohmann::ordered_json;
using analyser::summary::Summary;

Json cyclesJson(const analyser::summary::CycleTotals& c) {
  return {{"compute", c.compute.value()},
          {"exchange", c.exchange.value()},
          {"sync", c.sync.value()},
          {"host", c.host.value()},
          {"idle", c.idle.value()}};
}

Json tileCyclesJson(const analyser::trace::TileCycles& cost) {
  Json json = {{"total", cost.total()}, {"wasted", cost.wasted()}};
  for (int kind = 0; kind < analyser::trace::kTileTimes; ++kind)
    json[std::string(analyser::trace::tileTimeName(analyser::trace::TileTime(kind)))] = cost.parts[std::size_t(kind)];
  return json;
}

Json memoryJson(const Summary& s) {
  const auto& m = s.memory;
  Json json = Json::object();
  json["total_bytes"] = m.total.value();
  json["total_with_gaps_bytes"] = m.totalWithGaps.value();
  json["available_bytes"] = m.available.value();
  json["bytes_per_tile"] = s.machine.memoryPerTile.value();
  json["max_tile_bytes"] = m.fullestWithoutGaps.bytes.value();
  json["max_tile"] = m.fullestWithoutGaps.tile.valid() ? Json(m.fullestWithoutGaps.tile.value()) : Json();
  json["max_tile_with_gaps_bytes"] = m.fullest.withGaps.value();
  json["max_tile_with_gaps"] = m.fullest.tile.valid() ? Json(m.fullest.tile.value()) : Json();
  json["overflow_tiles"] = m.overflowTiles;
  json["overflow_bytes"] = m.overflow.value();
  json["by_category"] = Json::object();
  for (const auto& c : m.byCategory) json["by_category"][std::string(reports::memoryCategoryName(c.category))] = c.bytes.value();
  json["by_region"] = {{"non_interleaved", m.nonInterleaved.value()}, {"interleaved", m.interleaved.value()}};
  json["always_live_bytes"] = m.alwaysLive.value();
  json["peak_not_always_live_bytes"] = m.peakNotAlwaysLive.value();
  json["peak_step"] = m.peakStep >= 0 ? Json(m.peakStep) : Json();
  return json;
}

Json runsJson(const Summary& s) {
  Json list = Json::array();
  for (const auto& run : s.runs)
    list.push_back({{"name", run.name},
                    {"start_cycle", run.start.value()},
                    {"total_cycles", run.cycles.total.value()},
                    {"cycles", cyclesJson(run.cycles)},
                    {"flops", run.flops.value()},
                    {"folded_iterations", run.foldedIterations}});
  return list;
}

// The peaks of the machine, with the used share of each: over the whole time, and over the time of the steps that use it.
Json peaksJson(const Summary& s) {
  Json json = Json::object();
  const auto orNull = [](const std::optional<double>& v) { return v ? Json(*v) : Json(nullptr); };
  for (const auto& p : s.peaks)
    json[p.name] = {{"peak_per_second", p.peak},
                    {"unit", p.unit},
                    {"share", orNull(p.share)},
                    {"share_while_busy", orNull(p.shareWhileBusy)}};
  return json;
}

Json listsJson(const Summary& s) {
  Json json = Json::object();
  json["plans"] = Json::array();
  for (const auto& p : s.plans)
    json["plans"].push_back({{"operation", p.operation},
                             {"method", p.method},
                             {"text", p.text},
                             {"predicted_cycles", p.predicted.value()},
                             {"temporary_bytes", p.temporary.value()}});
  json["issues"] = Json::array();
  for (const auto& i : s.issues)
    json["issues"].push_back(
        {{"severity", i.severity}, {"place", i.place}, {"message", i.message}, {"advice", i.advice}, {"count", i.count}});
  json["options"] = Json::object();
  for (const auto& o : s.options) json["options"][o.key] = o.value;
  json["metadata"] = Json::object();
  // Appended without a search, because keys of a report are unique; searching for each key in a hostile list would take minutes.
  auto& metadata = json["metadata"].get_ref<Json::object_t&>();
  for (const auto& [key, value] : s.metadata) metadata.emplace_back(key, value);
  return json;
}

// The number of replicas. They are equal, and the report shows the IPUs of one.
int replicasOf(const Summary& s) {
  int replicas = 1;
  for (const auto& [key, value] : s.metadata)
    if (key == "replicas") std::from_chars(value.data(), value.data() + value.size(), replicas);
  return replicas >= 1 && replicas <= 4096 ? replicas : 1;
}

Json jsonOf(const Summary& s) {
  Json json = Json::object();
  json["report"] = s.identity.path;
  json["title"] = s.identity.title;
  json["machine"] = s.machine.name;
  const int replicas = replicasOf(s);
  json["ipus"] = s.machine.ipus; // IPUs of one replica, as the report shows them
  json["replicas"] = replicas;
  json["machine_ipus"] = s.machine.ipus * replicas;
  json["tiles_per_ipu"] = s.machine.tilesPerIpu;
  json["clock_hz"] = s.machine.clockHz;
  json["state"] = s.fits() ? "fits" : "out_of_memory";
  json["verdict"] = s.verdict.text();
  json["total_cycles"] = s.cycles.total.value();
  json["seconds"] = s.seconds;
  json["flops"] = s.flops.value();
  json["flops_per_second"] = s.flopsPerSecond;
  json["peak_fraction"] = s.peakFraction;
  json["precision"] = s.precision;
  json["values_not_finite"] = s.valuesNotFinite; // of the outputs
  json["cycles"] = cyclesJson(s.cycles);
  json["tile_cycles"] = tileCyclesJson(s.tileCycles);
  if (s.cycles.hiddenHost > reports::Cycles()) json["hidden_host_cycles"] = s.cycles.hiddenHost.value(); // not part of the total
  json["memory"] = memoryJson(s);
  json["graph"] = {{"vertices", s.graph.vertices},          {"edges", s.graph.edges},
                   {"variables", s.graph.variables},        {"compute_sets", s.graph.computeSets},
                   {"vertex_types", s.graph.vertexTypes},   {"exchanges", s.graph.exchanges},
                   {"program_steps", s.graph.programSteps}, {"operations", s.graph.operations}};
  if (!s.graph.knowsEdges) json["graph"]["edges"] = nullptr;
  if (!s.graph.knowsVariables) json["graph"]["variables"] = nullptr;
  json["peaks"] = peaksJson(s);
  json["runs"] = runsJson(s);
  json.update(listsJson(s));
  return json;
}

void addFigures(const std::string& prefix, const Json& json, std::vector<BudgetFigure>& figures) {
  for (const auto& [key, value] : json.items()) {
    if (value.is_number()) figures.push_back({prefix + key, value.get<double>(), {}, {}});
    if (value.is_object()) addFigures(prefix + key + ".", value, figures);
  }
}

} // namespace

std::string summaryJson(const Summary& s) {
  Json json = jsonOf(s);
  if (s.machine.tiles() == 0) { // a host trace has no device, so these figures are absent, not 0
    json["state"] = "host_trace";
    for (const char* key : {"ipus", "machine_ipus", "tiles_per_ipu", "clock_hz", "total_cycles", "seconds", "flops",
                            "flops_per_second", "peak_fraction", "cycles", "tile_cycles", "memory", "graph"})
      json[key] = nullptr;
  }
  // A figure that the report lacks is null, not zero.
  for (const char* key :
       {"total_cycles", "seconds", "flops", "flops_per_second", "peak_fraction", "cycles", "tile_cycles", "memory"}) {
    const std::string figure = json[key].is_object() ? std::string(key) + "." : std::string(key);
    if (!missingFigure(s, figure).empty()) json[key] = nullptr;
  }
  return reports::jsonText(json, 2) + "\n";
}

BudgetFigures summaryFigures(const Summary& s) {
  BudgetFigures all;
  addFigures("", jsonOf(s), all.figures);
  addAbsentCategories(all.figures, {}); // their reason is set below, with that of all missing figures
  for (BudgetFigure& figure : all.figures) figure.missing = missingFigure(s, figure.key);
  if (!s.fits()) all.doesNotFit.push_back(s.identity.path);
  return all;
}

} // namespace app::cli
