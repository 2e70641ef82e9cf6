#include "reports/exchange/poplar_execution.h"

#include "reports/core/categories.h"
#include "reports/core/text.h"
#include "reports/exchange/poplar_json.h"
#include "reports/rows/slice_track.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <numeric>

namespace reports::exchange {

using nlohmann::json;

namespace {

constexpr int kMostNesting = 1000;
constexpr int64_t kNotWritten = -1;

Activity activityOf(std::string_view kind, bool hasChildren) {
  if (kind == "OnTileExecute") return Activity::Compute;
  if (kind == "OnTileCopy") return Activity::OnTileCopy;
  if (kind == "DoExchange") return Activity::InternalExchange;
  if (kind == "GlobalExchange" || kind == "CrossReplicaCopy") return Activity::GlobalExchange;
  if (kind.starts_with("StreamCopy")) return Activity::HostStream;
  if (kind == "Sync" || kind == "SyncAns" || kind == "Sans") return Activity::Sync;
  return hasChildren ? Activity::Scope : Activity::Control;
}

int64_t sumOf(const std::vector<int64_t>& values) { return std::accumulate(values.begin(), values.end(), int64_t(0)); }
int64_t largestOf(const std::vector<int64_t>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

} // namespace

PoplarProgram::PoplarProgram(const json& graph, const MachineRow& machine, StringPool& strings, ReportSink& sink)
    : m_graph(graph), m_machine(machine), m_strings(strings), m_sink(sink) {
  m_onNoTile = packRuns(std::vector<int64_t>(std::size_t(machine.ipus * machine.tilesPerIpu)));
  numberExchanges();
  m_computeSets = int64_t(listOr(memberOr(graph, "computeSets"), "names").size());
  const json& programs = listOr(graph, "programs");
  m_stepOf.assign(programs.size(), kNotWritten);
  const auto addRoots = [&](const json& roots, const char* kind, const char* name) {
    for (std::size_t i = 0; i < roots.size(); ++i) {
      Step root;
      root.row.id = int64_t(m_steps.size());
      root.row.position = int64_t(i);
      root.row.kind = kind;
      root.row.activity = int64_t(Activity::Scope);
      root.name = name + std::string(" ") + std::to_string(i);
      m_steps.push_back(root);
      if (roots[i].is_number()) walk(numberOr(roots[i], kNotWritten), root.row.id, 0);
    }
  };
  json roots = memberOr(graph, "controlPrograms");
  if (!roots.is_array() && !programs.empty()) { // the roots are the programs that no other program names
    std::vector<bool> named(programs.size());
    for (const json& program : programs)
      for (const json& child : memberOr(program, "children"))
        if (const int64_t c = numberOr(child, kNotWritten); c >= 0 && c < int64_t(named.size())) named[std::size_t(c)] = true;
    roots = json::array();
    for (std::size_t p = 0; p < named.size(); ++p)
      if (!named[p]) roots.push_back(p);
  }
  if (roots.is_array()) addRoots(roots, "ControlProgram", "program");
  m_inControl = false;
  if (const json& functions = memberOr(graph, "functionPrograms"); functions.is_array())
    addRoots(functions, "Function", "function");
}

void PoplarProgram::numberExchanges() {
  const std::size_t tiles = std::size_t(m_machine.ipus * m_machine.tilesPerIpu);
  const json& all = memberOr(m_graph, "exchanges");
  const auto addKind = [&](const json& list, const char* kind) {
    // The profile has either one object per exchange, or one object of arrays with an entry per exchange.
    const std::size_t count =
        list.is_array() ? list.size() : memberOr(list, {"bytesReceivedByTile", "bytesSentByTile", "cyclesByTile"}).size();
    const auto field = [&](std::size_t i, const char* name) -> const json& {
      if (list.is_array()) return memberOr(list[i], name);
      const json& entries = memberOr(list, name);
      return entries.is_array() && i < entries.size() ? entries[i] : memberOr(json(), "");
    };
    for (std::size_t i = 0; i < count; ++i) {
      ExchangeRow row;
      row.id = int64_t(m_exchanges.size());
      row.kind = kind;
      row.nameId = m_strings.id(
          validUtf8(textOr(field(i, list.is_array() ? "name" : "names"), std::string(kind) + " exchange " + std::to_string(i))));
      std::vector<int64_t> in = numbersOf(field(i, "bytesReceivedByTile"), tiles),
                           out = numbersOf(field(i, "bytesSentByTile"), tiles);
      row.maxCycles = largestOf(numbersOf(field(i, "cyclesByTile"), tiles));
      const std::vector<int64_t> code = numbersOf(field(i, "codeBytesByTile"), tiles);
      row.codeBytes = sumOf(code);
      if (!code.empty()) row.codeByTile = packRuns(code);
      row.totalBytes = std::string_view(kind) == "host" ? std::max(sumOf(in), sumOf(out)) : sumOf(in);
      row.bytesInByTile = in.empty() ? m_onNoTile : packRuns(in);
      row.bytesOutByTile = out.empty() ? m_onNoTile : packRuns(out);
      m_exchanges.push_back(std::move(row));
    }
  };
  addKind(memberOr(all, {"internal", "internalExchanges"}), "internal");
  m_firstGlobal = int64_t(m_exchanges.size());
  addKind(memberOr(all, {"external", "externalExchanges", "global"}), "global");
  m_firstHost = int64_t(m_exchanges.size());
  addKind(memberOr(all, {"host", "hostExchanges"}), "host");
}

void PoplarProgram::walk(int64_t first, std::optional<int64_t> under, int64_t firstPosition) {
  struct Visit {
    int64_t program, parent, position;
    int depth;
  };
  const json& programs = listOr(m_graph, "programs");
  std::vector<Visit> todo{{first, under.value_or(0), firstPosition, 0}};
  while (!todo.empty()) {
    const Visit visit = todo.back();
    todo.pop_back();
    if (visit.program < 0 || visit.program >= int64_t(m_stepOf.size()) || visit.depth > kMostNesting ||
        m_stepOf[std::size_t(visit.program)] != kNotWritten) {
      ++m_shared;
      continue;
    }
    const json& program = programs[std::size_t(visit.program)];
    const json& children = memberOr(program, "children");
    Step step;
    ProgramStepRow& row = step.row;
    row.id = int64_t(m_steps.size());
    row.parentId = visit.parent;
    row.position = visit.position;
    row.kind = validUtf8(textOr(memberOr(program, "type"), "Program"));
    step.name = validUtf8(textOr(memberOr(program, "name"), ""));
    if (step.name.empty()) step.name = row.kind;
    const bool hasChildren = children.is_array() && !children.empty();
    const Activity activity = activityOf(row.kind, hasChildren);
    row.activity = int64_t(activity);
    if (const int64_t set = numberOr(memberOr(program, {"computeSet", "computeset", "computeSetIndex"}), kNotWritten);
        set >= 0 && set < m_computeSets)
      row.computeSetId = set;
    if (const int64_t exchange = numberOr(memberOr(program, {"exchange", "exchangeIndex"}), kNotWritten); exchange >= 0) {
      const int64_t base = activity == Activity::GlobalExchange ? m_firstGlobal
                           : activity == Activity::HostStream   ? m_firstHost
                                                                : 0;
      if (base + exchange < int64_t(m_exchanges.size())) row.exchangeId = base + exchange;
    }
    if (const int64_t count = numberOr(memberOr(program, {"repeatCount", "count"}), kNotWritten); count >= 0)
      row.repeatCount = count;
    m_stepOf[std::size_t(visit.program)] = row.id;
    if (!hasChildren && m_inControl) m_leaves.push_back(m_steps.size());
    m_steps.push_back(std::move(step));
    if (!hasChildren) continue;
    for (std::size_t i = children.size(); i-- > 0;)
      todo.push_back({numberOr(children[i], kNotWritten), int64_t(m_steps.size()) - 1, int64_t(i), visit.depth + 1});
  }
}

const PoplarProgram::Step* PoplarProgram::stepOf(int64_t program) const {
  if (program < 0 || program >= int64_t(m_stepOf.size()) || m_stepOf[std::size_t(program)] < 0) return nullptr;
  return &m_steps[std::size_t(m_stepOf[std::size_t(program)])];
}

void PoplarProgram::write(const json& execution, bool numbersLiveness) {
  if (numbersLiveness)
    for (std::size_t i = 0; i < m_leaves.size(); ++i) m_steps[m_leaves[i]].row.livenessStep = int64_t(i);
  for (Step& step : m_steps) {
    step.row.nameId = m_strings.id(step.name);
    m_sink.add(step.row);
  }
  writeComputeSets(execution);
  for (const ExchangeRow& row : m_exchanges) m_sink.add(row);
  if (m_shared > 0)
    m_sink.add(ReportIssueRow{0, "notice", "programs",
                              "programs are referenced more than once, or do not exist; each is shown at its first reference", "",
                              m_shared});
}

void PoplarProgram::writeComputeSets(const json& execution) {
  const std::size_t tiles = std::size_t(m_machine.ipus * m_machine.tilesPerIpu);
  const json& sets = memberOr(m_graph, "computeSets");
  const json &names = listOr(sets, "names"), &counts = listOr(sets, "vertexCounts"), &types = listOr(sets, "vertexTypes");
  const json& cycles = listOr(execution, "computeSetCyclesByTile");
  const json& vertexTypes = memberOr(m_graph, "vertexTypes");
  const json &typeNames = listOr(vertexTypes, "names"),
             &code = listOr(memberOr(memberOr(m_graph, "memory"), "byVertexType"), "codeBytes");
  for (std::size_t i = 0; i < typeNames.size(); ++i) {
    VertexTypeRow row;
    row.id = int64_t(i);
    row.nameId = m_strings.id(validUtf8(textOr(typeNames[i], "(no name)")));
    row.kind = "Vertex";
    row.codeBytes = i < code.size() ? numberOr(code[i], 0) : 0;
    row.provenance = "imported";
    m_sink.add(row);
  }
  std::vector<ComputeSetVerticesRow> parts;
  for (std::size_t i = 0; i < std::size_t(m_computeSets); ++i) {
    ComputeSetRow row;
    row.id = int64_t(i);
    row.nameId = m_strings.id(validUtf8(textOr(names[i], "(no name)")));
    if (i < cycles.size()) {
      const std::vector<int64_t> byTile = numbersOf(cycles[i], tiles);
      row.maxCycles = largestOf(byTile);
      row.totalCycles = sumOf(byTile);
      row.activeTiles = std::count_if(byTile.begin(), byTile.end(), [](int64_t c) { return c > 0; });
    }
    const bool listed = i < counts.size() && i < types.size() && counts[i].is_array() && types[i].is_array();
    std::map<int64_t, int64_t> byType;
    for (std::size_t k = 0; listed && k < std::min(counts[i].size(), types[i].size()); ++k)
      if (const int64_t type = numberOr(types[i][k], kNotWritten); type >= 0 && type < int64_t(typeNames.size()))
        byType[type] += numberOr(counts[i][k], 0);
    for (const auto& [type, vertices] : byType) {
      ComputeSetVerticesRow part;
      part.computeSetId = row.id;
      part.vertexTypeId = type;
      part.vertices = vertices;
      part.verticesByTile = m_onNoTile;
      row.vertices += vertices;
      parts.push_back(std::move(part));
    }
    m_sink.add(row);
  }
  for (const ComputeSetVerticesRow& part : parts) m_sink.add(part);
  if (!parts.empty())
    m_sink.add(ReportIssueRow{0, "notice", "computeSets",
                              "the profile does not have the tiles of vertices; they are shown on no tile", "", 1});
}

namespace {

// Writes the steps of the simulation to the tracks of the participating IPUs.
class ExecutionWriter {
public:
  ExecutionWriter(const MachineRow& machine, const PoplarProgram& program, StringPool& strings, ReportSink& sink)
      : m_machine(machine), m_program(program), m_strings(strings), m_sink(sink),
        m_idle(packRuns(std::vector<int64_t>(std::size_t(machine.tilesPerIpu)))) {}

  PoplarRun write(const json& execution) {
    const json& simulation = memberOr(execution, "simulation");
    const json& steps = memberOr(simulation, "steps");
    if (!steps.is_array() || steps.empty()) return {};
    if (m_program.steps().empty()) {
      m_sink.add(ReportIssueRow{0, "warning", "simulation", "executed steps are not shown: the graph profile holds no programs",
                                "if it is cut, copy it again", int64_t(steps.size())});
      return {};
    }
    for (int64_t ipu = 0; ipu < m_machine.ipus; ++ipu) {
      TrackRow header;
      header.id = ipu;
      header.kind = "ipu";
      header.name = "IPU " + std::to_string(ipu);
      header.ipu = ipu;
      header.tickUnit = "cycle";
      header.provenance = "imported";
      m_tracks.emplace_back(m_sink, header);
    }
    for (const json& step : steps) add(step);
    finish();
    return {m_machine.ipus, int64_t(m_profiles.size())};
  }

private:
  void add(const json& entry) {
    const PoplarProgram::Step* step = m_program.stepOf(numberOr(memberOr(entry, "program"), -1));
    if (!step) {
      ++m_unknown;
      step = &m_program.steps().front();
    }
    const int64_t cycles = numberOr(memberOr(entry, "cycles"), 0);
    const int64_t from = numberOr(memberOr(entry, "cyclesFrom"), m_now);
    const int64_t to = std::max(from, numberOr(memberOr(entry, "cyclesTo"), from + cycles));
    const std::string name = validUtf8(textOr(memberOr(entry, "name"), step->name));
    const std::string kind = textOr(memberOr(entry, "type"), step->row.kind);
    Activity activity = activityOf(kind, false);
    if (activity == Activity::Control) activity = Activity(step->row.activity);
    const std::size_t perIpu = std::size_t(m_machine.tilesPerIpu);
    const std::vector<int64_t> byTile = numbersOf(memberOr(entry, "activeCyclesByTile"), perIpu * std::size_t(m_machine.ipus));
    const auto in = numbersOf(memberOr(entry, "bytesReceivedByTile"), perIpu * std::size_t(m_machine.ipus));
    const auto out = numbersOf(memberOr(entry, "bytesSentByTile"), perIpu * std::size_t(m_machine.ipus));
    for (int64_t ipu = 0; ipu < m_machine.ipus; ++ipu) {
      const auto part = [&](const std::vector<int64_t>& all) {
        if (all.empty()) return std::vector<int64_t>();
        const auto begin = all.begin() + ipu * m_machine.tilesPerIpu;
        return std::vector<int64_t>(begin, begin + m_machine.tilesPerIpu);
      };
      const std::vector<int64_t> own = part(byTile);
      if (!own.empty() && m_machine.ipus > 1 && activity == Activity::Compute && sumOf(own) == 0) continue;
      StepProfileRow row;
      row.id = int64_t(m_profiles.size());
      row.programStepId = step->row.id;
      row.ipu = ipu;
      row.cycles = to - from;
      row.executions = 1;
      row.activeTiles = own.empty() && m_machine.ipus == 1
                            ? std::min(numberOr(memberOr(entry, "activeTiles"), 0), m_machine.tilesPerIpu)
                            : std::count_if(own.begin(), own.end(), [](int64_t c) { return c > 0; });
      row.busyCycles = sumOf(own);
      row.bytesIn = sumOf(part(in));
      row.bytesOut = sumOf(part(out));
      row.firstTile = ipu * m_machine.tilesPerIpu;
      row.tiles = m_machine.tilesPerIpu;
      row.cyclesByTile = own.empty() ? m_idle : packRuns(own);
      SliceTrackBuilder& track = m_tracks[std::size_t(ipu)];
      track.add(1, from, to - from, m_strings.id(name), uint8_t(activity), row.id);
      m_profiles.push_back(std::move(row));
      if (activity == Activity::Compute) addTo(m_compute, own, ipu);
      if (activity == Activity::InternalExchange || activity == Activity::GlobalExchange) addTo(m_exchange, own, ipu);
    }
    m_busy[std::size_t(activity)] += to - from;
    m_first = m_profiles.empty() || m_first < 0 ? from : std::min(m_first, from);
    m_now = std::max(m_now, to);
  }
  void addTo(std::vector<int64_t>& sums, const std::vector<int64_t>& own, int64_t ipu) const {
    if (own.empty()) return;
    sums.resize(std::size_t(m_machine.tilesPerIpu * m_machine.ipus));
    for (std::size_t t = 0; t < own.size(); ++t) sums[std::size_t(ipu * m_machine.tilesPerIpu) + t] += own[t];
  }

  void finish() {
    const int64_t root = 0, start = std::max<int64_t>(0, m_first);
    RunRow run;
    run.name = m_program.steps()[std::size_t(root)].name;
    run.programStepId = root;
    run.startCycle = start;
    run.cycles = m_now - start;
    run.provenance = "imported";
    const auto of = [&](Activity a) { return std::min(m_busy[std::size_t(a)], run.cycles); };
    run.computeCycles = of(Activity::Compute) + of(Activity::OnTileCopy);
    run.exchangeCycles = of(Activity::InternalExchange) + of(Activity::GlobalExchange);
    run.syncCycles = of(Activity::Sync);
    run.hostCycles = of(Activity::HostStream);
    run.idleCycles = std::max<int64_t>(0, run.cycles - run.computeCycles - run.exchangeCycles - run.syncCycles - run.hostCycles);
    m_sink.add(run);
    for (SliceTrackBuilder& track : m_tracks) {
      track.add(0, start, run.cycles, m_strings.id(run.name), uint8_t(Activity::Scope), -1);
      track.finish();
    }
    for (const StepProfileRow& row : m_profiles) m_sink.add(row);
    for (const auto& [name, values] : {std::pair("cycles.compute", &m_compute), std::pair("cycles.exchange", &m_exchange)}) {
      if (values->empty()) continue;
      TileSeriesRow row{name, "cycle", sumOf(*values), largestOf(*values), 0, int64_t(values->size()), packRuns(*values)};
      row.maxTile = std::max_element(values->begin(), values->end()) - values->begin();
      m_sink.add(row);
    }
    if (m_unknown > 0)
      m_sink.add(ReportIssueRow{0, "notice", "simulation",
                                "steps name a program that is not in the graph profile; they count for the first program", "",
                                m_unknown});
  }

  const MachineRow& m_machine;
  const PoplarProgram& m_program;
  StringPool& m_strings;
  ReportSink& m_sink;
  Blob m_idle; // cycles by tile, all of them 0
  std::vector<SliceTrackBuilder> m_tracks;
  std::vector<StepProfileRow> m_profiles;
  std::vector<int64_t> m_compute, m_exchange;
  std::array<int64_t, kActivityCount> m_busy{};
  int64_t m_now = 0, m_first = -1, m_unknown = 0;
};

} // namespace

PoplarRun writePoplarExecution(const json& execution, const MachineRow& machine, const PoplarProgram& program,
                               StringPool& strings, ReportSink& sink) {
  return ExecutionWriter(machine, program, strings, sink).write(execution);
}

} // namespace reports::exchange
