#include "reports/exchange/poplar_profile.h"

#include "reports/core/json.h"
#include "reports/core/text.h"
#include "reports/exchange/json_scan.h"
#include "reports/exchange/poplar_execution.h"
#include "reports/exchange/poplar_json.h"
#include "reports/exchange/poplar_memory.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace reports::exchange {

using nlohmann::json;

namespace {

constexpr std::size_t kMostBytes = std::size_t(1) << 30;
constexpr int kMostLevels = 512; // liveness is nested as deep as the program
constexpr int64_t kMostTiles = 1 << 20, kMostIpus = 256;

// Facts of the machines of Poplar's targets (ipu-reference 1.1): flops are per tile and cycle.
struct Architecture {
  const char *name, *title;
  int64_t memoryBytes, interleavedStart, fp16Flops, fp32Flops;
};
constexpr std::array<Architecture, 2> kArchitectures{
    {{"gc2", "GC2", 262'144, 131'072, 64, 16}, {"gc200", "GC200", 638'976, 212'992, 128, 32}}};
constexpr int64_t kElementBytes = 16'384, kWorkers = 6;
constexpr double kBytesPerCycle = 4;

std::string wholeText(Window& window, const std::string& file) {
  while (window.grow())
    if (window.size() > kMostBytes)
      throw Error(ErrorCode::InvalidInput, "the profile has more than 1 GiB of text", file, "profile a smaller model");
  return std::string(window.at(), window.size());
}

// Returns the complete parts of a truncated file.
json parsedProfile(const std::string& text, const std::string& file, TraceAssembly& assembly) {
  const JsonLimits limits{kMostBytes, kMostLevels};
  JsonToken ignored;
  if (JsonCursor(text).value(ignored) != Scan::More) return parseJsonBounded(text, file, limits);
  const json whole = parseJsonBounded(closedJson(text), file, limits);
  assembly.counts().mend(Mend::TornFile);
  return whole;
}

// `place` is the file that should name the machine.
MachineRow machineOf(const json& target, const json& lowered, const std::string& place) {
  const json& memoryInfo = memberOr(lowered, "targetMemoryInfo");
  const int64_t bytes = numberOr(memberOr(target, "bytesPerTile"), numberOr(memberOr(memoryInfo, "tileMemory"), 0));
  const Architecture& known = bytes > 0 && bytes <= kArchitectures[0].memoryBytes ? kArchitectures[0] : kArchitectures[1];
  const int64_t tiles = numberOr(memberOr(target, "numTiles"), numberOr(memberOr(lowered, "numTiles"), 0));
  MachineRow m;
  m.ipus = std::clamp<int64_t>(numberOr(memberOr(target, "numIPUs"), 1), 1, kMostIpus);
  m.tilesPerIpu = numberOr(memberOr(target, "tilesPerIPU"), tiles / m.ipus);
  if (m.tilesPerIpu >= 1 && m.tilesPerIpu > kMostTiles / m.ipus)
    throw Error(ErrorCode::InvalidInput,
                "the profile has " + std::to_string(m.ipus) + " x " + std::to_string(m.tilesPerIpu) + " tiles, more than " +
                    std::to_string(kMostTiles),
                place + ": target");
  if (m.tilesPerIpu < 1)
    throw Error(ErrorCode::InvalidInput, "the profile does not say how many tiles there are", place + ": target",
                "tilesPerIPU and numIPUs, or numTiles, belong there; if the file is cut, copy it again");
  m.name = known.name;
  m.title = textOr(memberOr(target, "type"), "IPU") + " (" + known.title + ")";
  m.architecture = known.name;
  m.workersPerTile = kWorkers;
  m.memoryPerTileBytes = bytes > 0 ? bytes : known.memoryBytes;
  m.interleavedStartBytes = numberOr(memberOr(memoryInfo, "interleavedMemoryStart"), known.interleavedStart);
  m.elementBytes = kElementBytes;
  m.clockHz = std::max<int64_t>(1, numberOr(memberOr(target, "clockFrequency"), 1'330'000'000));
  m.exchangeBytesPerCycle = kBytesPerCycle;
  m.peakFp16FlopsPerSecond = double(m.tilesPerIpu * known.fp16Flops) * double(m.clockHz);
  m.peakFp32FlopsPerSecond = double(m.tilesPerIpu * known.fp32Flops) * double(m.clockHz);
  m.gridColumns = int64_t(std::ceil(std::sqrt(double(m.tilesPerIpu))));
  m.gridRows = (m.tilesPerIpu + m.gridColumns - 1) / m.gridColumns;
  std::vector<int64_t> columns, rows;
  for (int64_t tile = 0; tile < m.tilesPerIpu; ++tile) {
    columns.push_back(tile % m.gridColumns);
    rows.push_back(tile / m.gridColumns);
  }
  m.tileColumns = packDeltas(columns);
  m.tileRows = packDeltas(rows);
  return m;
}

} // namespace

struct PoplarProfile::Parts {
  json graph, execution, lowered;
  std::string graphFile, executionFile, loweredFile;

  void take(json& part, std::string& of, json&& value, const std::string& file, const char* what) {
    if (!part.is_null())
      throw Error(ErrorCode::InvalidInput, std::string("there are two ") + what, file, "the other one is in " + of);
    part = std::move(value);
    of = file;
  }
};

PoplarProfile::PoplarProfile() : m_parts(std::make_unique<Parts>()) {}
PoplarProfile::~PoplarProfile() = default;

bool looksLikePoplarProfile(std::string_view head) {
  const auto start = head.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || head[start] != '{' || head.find("\"traceEvents\"") != std::string_view::npos)
    return false;
  for (const char* name : {"\"graphProfile\"", "\"executionProfile\"", "\"profilerMode\"", "\"computeSets\"", "\"vertexTypes\"",
                           "\"controlPrograms\"", "\"tilesPerIPU\"", "\"computeSetCyclesByTile\"", "\"targetMemoryInfo\"",
                           "\"equivalenceClassInterference\"", "\"allocationOrderByTile\""})
    if (head.find(name) != std::string_view::npos) return true;
  return false;
}

void PoplarProfile::add(Window& window, const std::string& file, TraceAssembly& assembly) {
  const std::string text = wholeText(window, file);
  json whole = parsedProfile(text, file, assembly);
  Parts& parts = *m_parts;
  bool any = false;
  const auto take = [&](json& part, std::string& of, json& value, const char* what) {
    parts.take(part, of, std::move(value), file, what);
    any = true;
  };
  if (whole.is_object()) {
    if (whole.contains("graphProfile")) take(parts.graph, parts.graphFile, whole["graphProfile"], "graph profiles");
    if (whole.contains("executionProfile"))
      take(parts.execution, parts.executionFile, whole["executionProfile"], "execution profiles");
    if (!any && whole.contains("vars")) {
      take(parts.lowered, parts.loweredFile, whole, "files of lowered variables");
    } else if (!any && (whole.contains("profilerMode") || whole.contains("simulation"))) {
      take(parts.execution, parts.executionFile, whole, "execution profiles");
    } else if (!any && whole.contains("target")) {
      take(parts.graph, parts.graphFile, whole, "graph profiles");
    }
  }
  if (!any && assembly.counts().mended[std::size_t(Mend::TornFile)] > 0)
    throw Error(ErrorCode::InvalidInput,
                "the file ends after " + std::to_string(text.size()) + " bytes, before the first complete profile entry", file,
                "copy it again, or profile again");
  if (!any)
    throw Error(ErrorCode::InvalidInput, "the file holds no graph profile, execution profile or lowered variables", file,
                "give the files that autoReport wrote: graph.json, execution.json or profile.json, vars.json");
}

PoplarProfile::Counts PoplarProfile::write(TraceAssembly& assembly) {
  const Parts& parts = *m_parts;
  if (parts.graph.is_null() && parts.execution.is_null() && parts.lowered.is_null()) return {};
  if (parts.graph.is_null() && !parts.execution.is_null())
    throw Error(ErrorCode::InvalidInput, "the execution profile needs its graph profile, which was not given",
                parts.executionFile, "import both: graph.json execution.json");
  ReportSink& sink = assembly.sink();
  const std::string place = parts.graph.is_null() ? parts.loweredFile : parts.graphFile;
  const MachineRow machine = machineOf(memberOr(parts.graph, "target"), parts.lowered, place);
  sink.add(machine);
  sink.add(ReportIssueRow{0, "notice", place,
                          "the profile has no floor plan; tiles are drawn in rows, in the order of their numbers", "", 1});
  PoplarMemory memory(machine, assembly.strings(), sink, place);
  memory.readLiveness(parts.graph);
  PoplarProgram program(parts.graph, machine, assembly.strings(), sink);
  program.write(parts.execution, memory.livenessSteps() == program.leaves().size());
  const bool fits = memory.write(parts.graph, parts.lowered, program);
  sink.add(MetadataRow{"state", fits ? "fits" : "out_of_memory"});
  // Counts that cannot be computed from parts, because edges and variables are not listed. If the profile lacks one, the report
  // does, too.
  for (const auto& [key, member] : {std::pair("graph.vertices", "numVertices"), std::pair("graph.edges", "numEdges"),
                                    std::pair("graph.variables", "numVars"), std::pair("graph.compute_sets", "numComputeSets")})
    if (const int64_t n = numberOr(memberOr(memberOr(parts.graph, "graph"), member), -1); n >= 0)
      sink.add(MetadataRow{key, std::to_string(n)});
  const PoplarRun run = writePoplarExecution(parts.execution, machine, program, assembly.strings(), sink);
  assembly.setFirstTrack(run.tracks);
  return {machine.ipus * machine.tilesPerIpu, int64_t(program.steps().size()), run.steps};
}

} // namespace reports::exchange
