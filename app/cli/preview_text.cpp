#include "app/cli/preview_text.h"

#include "analyser/session/format.h"
#include "analyser/session/shell_line.h"
#include "reports/core/join.h"
#include "reports/core/json.h"
#include "reports/core/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace app::cli {

namespace {

using analyser::formatBytes;
using analyser::formatCount;
using analyser::printable;
using simcore::run::Preview;

constexpr std::size_t kListed = 20; // operations that the text lists

std::string titleOf(const simcore::graph::Workload& workload) { return workload.title.empty() ? workload.name : workload.title; }

std::string bytes(int64_t n) { return formatBytes(reports::Bytes(n)); }

// Kinds with their number of operations, most first.
std::vector<std::pair<std::string, int64_t>> kindsOf(const Preview& preview) {
  std::vector<std::pair<std::string, int64_t>> kinds;
  for (const auto& o : preview.operations) {
    const auto it = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == o.kind; });
    it == kinds.end() ? void(kinds.emplace_back(o.kind, 1)) : void(++it->second);
  }
  std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return kinds;
}

std::string valuesText(const char* title, const std::vector<Preview::Values>& values) {
  std::string text;
  for (const auto& v : values)
    text += fmt::format("{:<9}{}: {} {} {}, {}\n", text.empty() ? title : "", printable(v.name),
                        v.shape.empty() ? formatCount(v.elements) : v.shape, v.type, v.elements == 1 ? "value" : "values",
                        bytes(v.bytes));
  return text;
}

nlohmann::ordered_json valuesJson(const std::vector<Preview::Values>& values) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& v : values) {
    list.push_back({{"name", v.name}, {"type", v.type}, {"elements", v.elements}, {"bytes", v.bytes}});
    if (!v.shape.empty()) list.back()["shape"] = v.shape;
  }
  return list;
}

constexpr std::size_t kListedVariables = 5; // variables that the text lists

// The fullest tiles, the contents of the first one, and changes that may make the program fit.
std::string memoryText(const PreviewMemory& m, bool fits) {
  if (m.fullest.empty()) return {};
  const auto line = [](const char* title, const std::string& words) { return fmt::format("{:<9}{}\n", title, words); };
  std::string text = line("fullest", reports::joined(m.fullest, [&](const PreviewMemory::Tile& t) {
                            return fmt::format("tile {} {}", t.tile.value(), formatBytes(fits ? t.bytes : t.withGaps));
                          }));
  text += line("", printable(m.why));
  for (const PreviewMemory::Part& part : m.parts)
    text += fmt::format("         {:<28} {:>10}, median tile {:>10}\n", printable(part.name), formatBytes(part.bytes),
                        formatBytes(part.median));
  for (std::size_t i = 0; i < std::min(kListedVariables, m.variables.size()); ++i)
    text += line(i == 0 ? "largest" : "", fmt::format("{} ({}), {}", printable(m.variables[i].name), m.variables[i].category,
                                                      formatBytes(m.variables[i].bytes)));
  for (std::size_t i = 0; i < m.changes.size(); ++i)
    text += line(i == 0 ? "try" : "",
                 fmt::format("{}  ({})", analyser::shellLine(m.changes[i].options), printable(m.changes[i].why)));
  return text;
}

nlohmann::ordered_json fullestJson(const PreviewMemory& m) {
  using Json = nlohmann::ordered_json;
  Json tiles = Json::array(), parts = Json::array(), variables = Json::array();
  for (const auto& t : m.fullest)
    tiles.push_back({{"tile", t.tile.value()}, {"bytes", t.bytes.value()}, {"bytes_with_gaps", t.withGaps.value()}});
  for (const auto& p : m.parts)
    parts.push_back({{"name", p.name}, {"bytes", p.bytes.value()}, {"median_bytes", p.median.value()}});
  for (const auto& v : m.variables) variables.push_back({{"name", v.name}, {"category", v.category}, {"bytes", v.bytes.value()}});
  return {{"tiles", tiles}, {"why", m.why}, {"categories", parts}, {"variables", variables}};
}

} // namespace

std::string previewText(const simcore::graph::Workload& workload, const Preview& p, const PreviewMemory& memory) {
  const auto& machine = workload.graph->machine();
  std::string text = fmt::format("{} on {}\n", printable(titleOf(workload)), reports::counted(machine.ipus, "IPU"));
  text +=
      p.fits()
          ? fmt::format(
                "Fits: {} of {} on the fullest tile ({}), with gaps up to {}; {} over all {} tiles without gaps, {} of it always "
                "live.\n",
                bytes(p.maxTileBytes), bytes(p.tileBytes), p.maxTile, bytes(p.maxTileWithGapsBytes), bytes(p.totalBytes),
                formatCount(machine.tiles()), bytes(p.alwaysLiveBytes))
          : fmt::format("Does not fit: with gaps {} on tile {} of {}; {}, {} over all {} tiles without gaps.\n",
                        bytes(p.maxTileWithGapsBytes), p.maxTileWithGaps, bytes(p.tileBytes),
                        reports::counted(p.overflowTiles, "tile overflows", "tiles overflow"), bytes(p.totalBytes),
                        formatCount(machine.tiles()));
  if (p.weights > 0)
    text += fmt::format("{:<9}{} in {}, {}\n", "weights", formatCount(p.weightElements), reports::counted(p.weights, "tensor"),
                        bytes(p.weightBytes));
  if (p.plans > 1)
    text += fmt::format("{:<9}{}, {}\n", "plans", p.plans,
                        p.fits() ? "the last with less available memory for some operations" : "none fits; this is the first");
  if (const auto trained = workload.facts.find("train.parameters"); trained != workload.facts.end())
    text += fmt::format("{:<9}{}\n", "trained", printable(trained->second));
  text += valuesText("inputs", p.inputs) + valuesText("outputs", p.outputs);
  const std::string kinds =
      reports::joined(kindsOf(p), [](const auto& kind) { return formatCount(kind.second) + " " + printable(kind.first); });
  text += fmt::format("{:<9}{}{}{}\n", "graph", reports::counted(int64_t(p.operations.size()), "operation"),
                      kinds.empty() ? "" : ": ", kinds);
  for (std::size_t i = 0; i < std::min(kListed, p.operations.size()); ++i)
    text += fmt::format("         {} ({}), {}\n", printable(p.operations[i].name), printable(p.operations[i].kind),
                        bytes(p.operations[i].bytes));
  if (p.operations.size() > kListed)
    text += fmt::format("         and {} more; --json lists all\n", formatCount(int64_t(p.operations.size() - kListed)));
  text += memoryText(memory, p.fits());
  return text + "No numbers were computed and no report was kept.\n";
}

std::string previewJson(const simcore::graph::Workload& workload, const Preview& p, const PreviewMemory& memory) {
  const auto& machine = workload.graph->machine();
  nlohmann::ordered_json kinds = nlohmann::ordered_json::object();
  for (const auto& [kind, count] : kindsOf(p)) kinds[kind] = count;
  auto operations = nlohmann::ordered_json::array();
  for (const auto& o : p.operations) operations.push_back({{"name", o.name}, {"kind", o.kind}, {"bytes", o.bytes}});
  const auto fact = [&](const char* name) {
    const auto found = workload.facts.find(name);
    return found == workload.facts.end() ? nlohmann::ordered_json() : nlohmann::ordered_json(found->second);
  };
  auto changes = nlohmann::ordered_json::array();
  for (const auto& change : memory.changes)
    changes.push_back({{"title", change.title}, {"options", change.options}, {"why", change.why}});
  const nlohmann::ordered_json json{
      {"title", titleOf(workload)},
      {"machine", machine.name},
      {"ipus", machine.ipus},
      {"tiles", machine.tiles()},
      {"state", p.fits() ? "fits" : "out_of_memory"},
      {"plans", p.plans},
      {"trained", fact("train.parameters")},
      {"not_trained", fact("train.not_trained")},
      {"memory",
       {{"max_tile_bytes", p.maxTileBytes},
        {"max_tile", p.maxTile},
        {"max_tile_with_gaps_bytes", p.maxTileWithGapsBytes},
        {"max_tile_with_gaps", p.maxTileWithGaps},
        {"tile_bytes", p.tileBytes},
        {"total_bytes", p.totalBytes},
        {"always_live_bytes", p.alwaysLiveBytes},
        {"overflow_tiles", p.overflowTiles}}},
      {"fullest", fullestJson(memory)},
      {"changes", changes},
      {"weights", {{"tensors", p.weights}, {"elements", p.weightElements}, {"bytes", p.weightBytes}}},
      {"inputs", valuesJson(p.inputs)},
      {"outputs", valuesJson(p.outputs)},
      {"kinds", kinds},
      {"operations", operations}};
  return reports::jsonText(json, 2) + "\n";
}

} // namespace app::cli
