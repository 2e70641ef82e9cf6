#include "analyser/sweep/record.h"

#include "analyser/session/metadata_count.h"
#include "analyser/summary/summary.h"
#include "reports/core/error.h"
#include "reports/core/json.h"
#include "reports/core/regular_file.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace analyser::sweep {

namespace fs = std::filesystem;

namespace {

fs::path runFile(const fs::path& folder, const std::string& key, const char* extension) {
  return folder / "runs" / (key + extension);
}

std::optional<State> stateOf(const std::string& name) {
  for (const State state : {State::Done, State::DoesNotFit, State::Failed})
    if (name == stateName(state)) return state;
  return std::nullopt;
}

} // namespace

const char* stateName(State state) {
  return state == State::Done ? "done" : state == State::DoesNotFit ? "does_not_fit" : "failed";
}

fs::path reportFile(const fs::path& folder, const std::string& key) { return runFile(folder, key, ".tsr"); }
fs::path recordFile(const fs::path& folder, const std::string& key) { return runFile(folder, key, ".json"); }
fs::path leaseFile(const fs::path& folder, const std::string& key) { return runFile(folder, key, ".lease"); }

std::map<std::string, double> figuresOf(const Session& session, const summary::Summary& s) {
  const auto& c = s.cycles;
  const auto& m = s.memory;
  std::map<std::string, double> figures{{"total_cycles", double(c.total.value())},
                                        {"seconds", s.seconds},
                                        {"cycles.compute", double(c.compute.value())},
                                        {"cycles.exchange", double(c.exchange.value())},
                                        {"cycles.sync", double(c.sync.value())},
                                        {"cycles.host", double(c.host.value())},
                                        {"cycles.idle", double(c.idle.value())},
                                        {"flops", double(s.flops.value())},
                                        {"memory.max_tile_bytes", double(m.fullestWithoutGaps.bytes.value())},
                                        {"memory.total_bytes", double(m.total.value())},
                                        {"memory.always_live_bytes", double(m.alwaysLive.value())},
                                        {"memory.peak_not_always_live_bytes", double(m.peakNotAlwaysLive.value())},
                                        {"memory.overflow_tiles", double(m.overflowTiles)}};
  if (const auto samples = metadataCount(session, "samples"); samples.value_or(0) > 0) figures["samples"] = double(*samples);
  return figures;
}

Record recordOfReport(const std::string& key, const fs::path& report) {
  const auto session = Session::open(report.string());
  const summary::Summary s = summary::summarise(*session);
  return {key, s.outOfMemory ? State::DoesNotFit : State::Done, {}, figuresOf(*session, s), 0};
}

namespace {
// False if a figure is impossible, so that a run cannot have measured it.
bool readFigures(const nlohmann::json& json, Record& record) {
  for (const auto& [name, value] : json.items()) {
    const auto figure = value.get<double>();
    if (!std::isfinite(figure) || figure < 0) return false;
    record.figures[name] = figure;
  }
  return record.state != State::Done || record.figures.contains("total_cycles");
}
} // namespace

std::optional<Record> recordOfAnswer(const std::string& key, const std::string& json) {
  try {
    const nlohmann::json answer = reports::parseJsonBounded(json, "the answer of a run");
    Record r;
    r.key = key, r.state = answer.at("state").get<std::string>() == "fits" ? State::Done : State::DoesNotFit;
    return readFigures(answer.at("figures"), r) ? std::optional(std::move(r)) : std::nullopt;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const reports::Error&) {
    return std::nullopt;
  }
}

std::string recordText(const Record& record) {
  nlohmann::ordered_json json{{"key", record.key}, {"state", stateName(record.state)}};
  if (!record.message.empty()) json["message"] = record.message;
  nlohmann::ordered_json figures = nlohmann::ordered_json::object();
  for (const char* name : kFigures)
    if (const auto it = record.figures.find(name); it != record.figures.end()) figures[name] = it->second;
  json["figures"] = std::move(figures);
  json["wall_seconds"] = record.wallSeconds;
  return reports::jsonText(json, 2) + "\n";
}

std::optional<Record> readRecord(const fs::path& file, const std::string& key) {
  constexpr std::int64_t kMostBytes = 16 << 20;
  try {
    const nlohmann::json json = reports::parseJsonBounded(reports::readRegularFile(file, kMostBytes), file.string());
    const auto state = stateOf(json.at("state").get<std::string>());
    if (json.at("key").get<std::string>() != key || !state) return std::nullopt;
    Record r;
    r.key = key, r.state = *state, r.message = json.value("message", std::string());
    r.wallSeconds = json.value("wall_seconds", 0.0);
    if (!readFigures(json.at("figures"), r)) return std::nullopt;
    return r;
  } catch (const reports::Error&) {
    return std::nullopt;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

} // namespace analyser::sweep
