#include "analyser/tables/report_tables.h"

#include "analyser/host/host_columns.h"
#include "analyser/host/values.h"
#include "analyser/insights/largest.h"
#include "analyser/liveness/liveness_columns.h"
#include "analyser/memory/memory_columns.h"
#include "analyser/operations/operation_columns.h"
#include "analyser/program/program_columns.h"
#include "analyser/trace/trace_columns.h"

#include <array>
#include <numeric>

namespace analyser::tables {

namespace {

using columns::Table;
using columns::tableOf;

Table categories(const Asked& asked) {
  const memory::TileMemory tiles = memory::tileMemory(asked.session, memory::Breakdown::ByCategory, asked.stop);
  return tableOf(memory::partColumns(tiles.total.sum), memory::partsWithBytes(tiles), "bytes");
}

Table tiles(const Asked& asked) {
  const memory::TileMemory memory = memory::tileMemory(asked.session, memory::Breakdown::ByCategory, asked.stop);
  std::vector<std::size_t> rows(memory.total.values.size());
  std::iota(rows.begin(), rows.end(), std::size_t(0));
  if (!asked.tiles.empty())
    std::erase_if(rows, [&](std::size_t tile) {
      return std::find(asked.tiles.begin(), asked.tiles.end(), TileId(int64_t(tile))) == asked.tiles.end();
    });
  return tableOf(memory::tileColumns(memory), rows);
}

Table variables(const Asked& asked) {
  return tableOf(memory::variableColumns(), memory::topVariables(asked.session, SIZE_MAX, asked.tiles, asked.stop), "bytes");
}

Table vertices(const Asked& asked) {
  return tableOf(memory::vertexColumns(), memory::verticesByType(asked.session, asked.tiles, asked.stop), "vertices");
}

Table computeSets(const Asked& asked) {
  return tableOf(memory::computeSetColumns(), memory::computeSetsOn(asked.session, asked.tiles, asked.stop), "vertices");
}

Table exchanges(const Asked& asked) {
  return tableOf(memory::exchangeColumns(false), memory::exchangesOn(asked.session, asked.tiles, asked.stop).uses, "code");
}

constexpr std::size_t kLargestOfEachKind = 20;

Table largest(const Asked& asked) {
  return tableOf(insights::largestColumns(), insights::largestParts(asked.session, asked.tiles, kLargestOfEachKind, asked.stop));
}

Table peak(const Asked& asked) {
  liveness::LiveAtStep live;
  if (const liveness::Curve curve = liveness::curve(asked.session, "all"); !curve.notAlwaysLive.empty())
    live = liveness::liveAt(asked.session, curve.peakStep, asked.stop);
  std::vector<liveness::LiveRow> rows;
  for (const liveness::LiveVariable& v : live.notAlwaysLive) rows.push_back({&v, live.notAlwaysLiveBytes});
  return tableOf(columns::without(liveness::liveColumns(), {"saves"}), rows, "bytes");
}

Table steps(const Asked& asked) {
  const liveness::Liveness l = liveness::liveness(asked.session, "all", asked.stop);
  return tableOf(liveness::stepColumns(l.curve), l.steps);
}

Table program(const Asked& asked) {
  const program::Program program = program::programTree(asked.session, asked.stop);
  return tableOf(program::nodeColumns(program), program.nodes);
}

Table operations(const Asked& asked) {
  return tableOf(operations::operationColumns(), operations::operations(asked.session, asked.stop).rows, "cycles");
}

Table names(const Asked& asked) {
  trace::ExecutionTrace trace(asked.session);
  if (trace.tracks().empty() || trace.range().empty())
    return tableOf(trace::statisticsColumns(), std::vector<trace::NameStatistics>());
  return tableOf(trace::statisticsColumns(), trace.statistics(trace.range(), {}, asked.stop), "total");
}

Table waste(const Asked& asked) {
  trace::ExecutionTrace trace(asked.session);
  return tableOf(trace::wasteColumns(), trace.tracks().empty() ? std::vector<trace::IpuTileCycles>()
                                                               : trace::tileCyclesOfRange(trace, trace.range(), asked.stop));
}

Table stages(const Asked& asked) {
  trace::ExecutionTrace trace(asked.session);
  const auto pipeline = trace.tracks().empty() ? std::nullopt : trace::pipeline(trace, asked.stop);
  return tableOf(trace::stageColumns(), pipeline ? trace::stagesOf(*pipeline) : std::vector<trace::StageRow>());
}

Table blocks(const Asked& asked) {
  return tableOf(trace::blockColumns(), trace::blockProfile(asked.session, asked.stop).blocks, "total");
}

Table host(const Asked& asked) {
  host::HostTimeline host(asked.session);
  const auto values = host::valuesOf(host, asked.stop); // the first one is what the window shows at first
  return tableOf(host::labelColumns(values.front()), host.statistics(host.range(), values, 0, asked.stop), "total");
}

constexpr std::array kTables{
    ReportTable{"categories", "memory by category", &categories},
    ReportTable{"tiles", "memory of each tile", &tiles, true},
    ReportTable{"variables", "variables and constants", &variables, true},
    ReportTable{"vertices", "vertices by type", &vertices, true},
    ReportTable{"compute-sets", "compute sets", &computeSets, true},
    ReportTable{"exchanges", "exchanges", &exchanges, true},
    ReportTable{"largest", "the 20 largest items of each kind in memory", &largest, true},
    ReportTable{"peak", "variables alive at the peak of liveness that are not always alive", &peak},
    ReportTable{"liveness", "steps of liveness in the order of the program", &steps},
    ReportTable{"program", "steps of the program, parents before children", &program},
    ReportTable{"operations", "operations", &operations},
    ReportTable{"names", "executed steps by name", &names},
    ReportTable{"waste", "tile-cycles of each IPU by use", &waste},
    ReportTable{"stages", "stages of a pipeline", &stages},
    ReportTable{"blocks", "timed Blocks", &blocks},
    ReportTable{"host", "slices of the host by label", &host},
};

} // namespace

std::span<const ReportTable> reportTables() { return kTables; }

const ReportTable* reportTable(std::string_view name) {
  const auto at = std::find_if(kTables.begin(), kTables.end(), [&](const ReportTable& t) { return t.name == name; });
  return at == kTables.end() ? nullptr : &*at;
}

} // namespace analyser::tables
