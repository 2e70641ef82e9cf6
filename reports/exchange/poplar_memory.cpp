#include "reports/exchange/poplar_memory.h"

#include "reports/core/categories.h"
#include "reports/core/text.h"
#include "reports/exchange/poplar_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

namespace reports::exchange {

using nlohmann::json;

namespace {

// The bytes of each tile, from an array or from an object that splits them by region.
std::vector<int64_t> bytesByTile(const json& value, std::size_t tiles) {
  if (value.is_array()) return numbersOf(value, tiles);
  if (const auto total = numbersOf(memberOr(value, "total"), tiles); !total.empty()) return total;
  std::vector<int64_t> sum;
  if (!value.is_object()) return sum;
  for (const auto& part : value) {
    const auto bytes = numbersOf(part, tiles);
    if (!bytes.empty()) sum.resize(tiles);
    for (std::size_t t = 0; t < bytes.size(); ++t) sum[t] += bytes[t];
  }
  return sum;
}

struct LoweredPart {
  int64_t variable, address, size;
};

} // namespace

PoplarMemory::PoplarMemory(const MachineRow& machine, StringPool& strings, ReportSink& sink, std::string place)
    : m_machine(machine), m_strings(strings), m_sink(sink), m_place(std::move(place)) {}

PoplarMemory::Variable& PoplarMemory::variable(const std::string& name) {
  const auto [found, isNew] = m_variableOf.try_emplace(name, m_variables.size());
  if (isNew) {
    Variable made;
    made.row.id = int64_t(m_variables.size());
    made.name = name;
    m_variables.push_back(std::move(made));
  }
  return m_variables[found->second];
}

std::vector<int64_t>& PoplarMemory::series(const std::string& name) {
  auto& values = m_series[name];
  values.resize(std::size_t(m_machine.ipus * m_machine.tilesPerIpu));
  return values;
}

// The nodes of byProgram are the programs; its leaves are the steps.
void PoplarMemory::readLiveness(const json& graph) {
  const json& liveness = memberOr(memberOr(graph, "memory"), "liveness");
  const json& always = memberOr(liveness, "alwaysLive");
  const auto add = [&](const json& list, std::optional<std::size_t> step) {
    if (!list.is_array()) return;
    for (const json& entry : list) {
      const std::string name = validUtf8(textOr(memberOr(entry, "name"), ""));
      if (name.empty()) continue;
      Variable& v = variable(name);
      v.row.totalBytes = std::max(v.row.totalBytes, numberOr(memberOr(entry, {"bytes", "size", "sizeBytes"}), 0));
      if (!step)
        v.row.alwaysLive = 1;
      else if (v.alive.empty() || v.alive.back() != *step)
        v.alive.push_back(*step);
    }
  };
  add(memberOr(always, "variables"), {});
  std::vector<const json*> todo;
  const auto push = [&](const json& nodes) {
    if (nodes.is_array())
      for (std::size_t i = nodes.size(); i-- > 0;) todo.push_back(&nodes[i]);
    else if (nodes.is_object())
      todo.push_back(&nodes);
  };
  for (push(memberOr(memberOr(liveness, "notAlwaysLive"), "byProgram")); !todo.empty();) {
    const json& node = *todo.back();
    todo.pop_back();
    const json& children = memberOr(node, "children");
    if (children.is_array() && !children.empty()) {
      push(children);
      continue;
    }
    add(memberOr(node, "variables"), m_alive.size());
    m_alive.push_back(numberOr(memberOr(node, "bytes"), 0));
  }
}

void PoplarMemory::readTiles(const json& memory) {
  const std::size_t tiles = std::size_t(m_machine.ipus * m_machine.tilesPerIpu);
  const json& byTile = memberOr(memory, "byTile");
  const auto take = [&](const char* name, const json& value) {
    if (auto bytes = bytesByTile(value, tiles); !bytes.empty()) m_series[name] = std::move(bytes);
  };
  take("memory.total", memberOr(byTile, "total"));
  take("memory.total_with_gaps", memberOr(byTile, "totalIncludingGaps"));
  for (const json* categories :
       {&byTile, &memberOr(byTile, {"byCategory", "category"}), &memberOr(memory, {"byCategory", "category"})}) {
    if (!categories->is_object()) continue;
    for (const auto& [name, value] : categories->items())
      if (memoryCategoryFromName(name))
        if (auto bytes = bytesByTile(value, tiles); !bytes.empty()) m_series["memory.category." + name] = std::move(bytes);
  }
  const json& liveness = memberOr(memory, "liveness");
  take("memory.always_live", memberOr(memberOr(liveness, "alwaysLive"), "bytesByTile"));
  take("memory.peak_not_always_live", memberOr(memberOr(liveness, "notAlwaysLive"), "maxBytesByTile"));
}

void PoplarMemory::readLowered(const json& lowered) {
  const json& list = listOr(lowered, "vars");
  if (list.empty()) return;
  const std::size_t tiles = std::size_t(m_machine.ipus * m_machine.tilesPerIpu);
  std::vector<std::vector<LoweredPart>> parts(tiles);
  int64_t elsewhere = 0;
  const bool hasTotals = m_series.contains("memory.total");
  for (const json& entry : list) {
    const int64_t tile = numberOr(memberOr(entry, "tile"), -1), size = numberOr(memberOr(entry, "sizeBytes"), 0);
    if (tile < 0 || tile >= int64_t(tiles) || memberOr(entry, "allocated") == json(false)) {
      ++elsewhere;
      continue;
    }
    Variable& v = variable(validUtf8(textOr(memberOr(entry, "name"), "(no name)")));
    const bool constant = memberOr(entry, "isConstant") == json(true);
    v.row.category = int64_t(memoryCategoryFromName(textOr(memberOr(entry, "category"), ""))
                                 .value_or(constant ? MemoryCategory::Constant : MemoryCategory::Variable));
    v.row.alwaysLive |= int64_t(memberOr(entry, "alwaysLive") == json(true));
    v.row.alignmentBytes = numberOr(memberOr(entry, "alignment"), 0);
    parts[std::size_t(tile)].push_back({v.row.id, numberOr(memberOr(entry, "offset"), 0), size});
  }
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    auto& own = parts[tile];
    std::stable_sort(own.begin(), own.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
    std::vector<int64_t> ids, addresses, sizes, ownBytes;
    int64_t covered = 0, total = 0;
    std::map<int64_t, int64_t> byVariable;
    for (const LoweredPart& part : own) {
      const int64_t end = part.address + part.size, fresh = std::max<int64_t>(0, end - std::max(part.address, covered));
      ids.push_back(part.variable);
      addresses.push_back(part.address);
      sizes.push_back(part.size);
      ownBytes.push_back(fresh);
      covered = std::max(covered, end);
      total += fresh;
      byVariable[part.variable] += part.size;
      if (hasTotals) continue;
      const auto category = MemoryCategory(m_variables[std::size_t(part.variable)].row.category);
      series("memory.category." + std::string(memoryCategoryName(category)))[tile] += fresh;
    }
    for (const auto& [id, bytes] : byVariable) {
      VariableRow& row = m_variables[std::size_t(id)].row;
      if (row.tiles == 0) row.totalBytes = 0;
      row.totalBytes += bytes;
      row.maxTileBytes = std::max(row.maxTileBytes, bytes);
      ++row.tiles;
    }
    if (!hasTotals) {
      series("memory.total")[tile] = total;
      series("memory.total_with_gaps")[tile] = covered;
    }
    m_sink.add(TileVariablesRow{int64_t(tile),
                                int64_t(own.size()),
                                packDeltas(ids),
                                packDeltas(addresses),
                                packVarints(sizes),
                                packVarints(ownBytes),
                                {},
                                {}});
  }
  if (elsewhere > 0)
    m_sink.add(ReportIssueRow{0, "notice", m_place,
                              "lowered variables are not allocated, or name a tile that does not exist; they were left out", "",
                              elsewhere});
}

bool PoplarMemory::write(const json& graph, const json& lowered, const PoplarProgram& program) {
  readTiles(memberOr(graph, "memory"));
  readLowered(lowered);
  for (Variable& v : m_variables) {
    v.row.nameId = m_strings.id(v.name);
    if (v.row.maxTileBytes == 0) v.row.maxTileBytes = v.row.totalBytes;
    std::vector<int64_t> intervals;
    for (const std::size_t step : v.row.alwaysLive ? std::vector<std::size_t>() : v.alive) {
      if (!intervals.empty() && intervals.back() == int64_t(step))
        ++intervals.back();
      else
        intervals.insert(intervals.end(), {int64_t(step), int64_t(step) + 1});
    }
    v.row.liveIntervals = packDeltas(intervals);
    v.row.liveIntervalCount = int64_t(intervals.size() / 2);
    m_sink.add(v.row);
  }
  bool fits = true;
  if (const auto with = m_series.find("memory.total_with_gaps"); with != m_series.end()) {
    std::vector<int64_t> overflow;
    for (const int64_t bytes : with->second) overflow.push_back(std::max<int64_t>(0, bytes - m_machine.memoryPerTileBytes));
    fits = std::all_of(overflow.begin(), overflow.end(), [](int64_t o) { return o == 0; });
    m_series["memory.overflow"] = std::move(overflow);
  }
  for (const auto& [name, values] : m_series) {
    TileSeriesRow row{
        name, "byte", std::accumulate(values.begin(), values.end(), int64_t(0)), 0, 0, int64_t(values.size()), packRuns(values)};
    const auto largest = std::max_element(values.begin(), values.end());
    row.max = *largest;
    row.maxTile = largest - values.begin();
    if (name == "memory.always_live") m_alwaysLive = row.sum;
    m_sink.add(row);
  }
  writeLiveness(program);
  return fits;
}

void PoplarMemory::writeLiveness(const PoplarProgram& program) {
  if (m_alive.empty() || program.leaves().empty()) return;
  LivenessCurveRow curve;
  curve.scope = "all";
  curve.steps = int64_t(m_alive.size());
  curve.alwaysLiveBytes = m_alwaysLive;
  const auto peak = std::max_element(m_alive.begin(), m_alive.end());
  curve.peakBytes = *peak;
  curve.peakStep = peak - m_alive.begin();
  curve.notAlwaysLiveBytes = packDeltas(m_alive);
  m_sink.add(curve);
  for (std::size_t i = 0; i < m_alive.size(); ++i) {
    const auto& step = program.steps()[program.leaves()[std::min(i, program.leaves().size() - 1)]];
    m_sink.add(LivenessStepRow{int64_t(i), step.row.id, m_strings.id(step.name)});
  }
  if (m_alive.size() != program.leaves().size())
    m_sink.add(ReportIssueRow{0, "notice", m_place,
                              "liveness and the programs have different numbers of steps; names are assigned by position", "",
                              int64_t(m_alive.size())});
}

} // namespace reports::exchange
