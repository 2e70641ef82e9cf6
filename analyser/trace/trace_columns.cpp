#include "analyser/trace/trace_columns.h"

#include <cmath>

namespace analyser::trace {

using columns::Columns;
using columns::Kind;
using columns::knownIf;
using columns::Sum;

const Columns<NameStatistics>& statisticsColumns() {
  using Row = NameStatistics;
  static const Columns<Row> columns = {
      {"name", "Name", Kind::Name, "", &Row::text},
      {"activity", "Activity", Kind::Text, "", [](const Row& s) { return reports::activityName(reports::Activity(s.category)); }},
      {"count", "Count", Kind::Count, "Slices that touch the range", &Row::count},
      {"cut", "Cut", Kind::Count, "Slices that an end of the range cuts; Total and Self count only the part inside the range",
       &Row::cut},
      {"total", "Total", Kind::Cycles, "Within the range", &Row::total},
      {"self", "Self", Kind::Cycles, "Cycles that the steps and scopes inside do not cover", &Row::self},
      {"mean", "Mean", Kind::Cycles, "Of slices entirely inside the range",
       [](const Row& s) { return knownIf(s.whole() > 0, std::llround(s.mean())); }},
      {"shortest", "Shortest", Kind::Cycles, "Of slices entirely inside the range",
       [](const Row& s) { return knownIf(s.whole() > 0, s.min); }},
      {"longest", "Longest", Kind::Cycles, "Of slices entirely inside the range",
       [](const Row& s) { return knownIf(s.whole() > 0, s.max); }}};
  return columns;
}

namespace {
// A value that is unknown for a block without a timed execution.
template<class F> auto ofTimed(F of) {
  return [of](const BlockTimes& b) { return b.recorded > 0 ? columns::cellOf(std::invoke(of, b)) : columns::Cell(); };
}
} // namespace

const Columns<BlockTimes>& blockColumns() {
  using Row = BlockTimes;
  static const Columns<Row> columns = {
      {"block", "Block", Kind::Name, "Whole name of the Block, program or scope", &Row::name},
      {"ipu", "IPU", Kind::Count, "", &Row::ipu},
      {"executions", "Executions", Kind::Count, "That were timed", &Row::recorded, Sum::Yes},
      {"lost", "Lost", Kind::Count, "Not timed, because the buffer on the tile was full", &Row::lost, Sum::Yes},
      {"total", "Total", Kind::Cycles, "Of all timed executions", &Row::total},
      {"share", "Share", Kind::Percent, "Total / cycles of all runs", ofTimed(&Row::shareOfRuns)},
      {"min", "Min", Kind::Cycles, "", ofTimed(&Row::min)},
      {"median", "Median", Kind::Cycles, "", ofTimed(&Row::median)},
      {"p95", "p95", Kind::Cycles, "95 % of the executions took at most this long", ofTimed(&Row::p95)},
      {"max", "Max", Kind::Cycles, "", ofTimed(&Row::max)},
      {"mean", "Mean", Kind::Cycles, "", ofTimed([](const Row& b) { return std::llround(b.mean); })},
      {"deviation", "Deviation", Kind::Cycles, "Standard deviation of the executions",
       ofTimed([](const Row& b) { return std::llround(b.deviation); })},
      {"drift", "Drift", Kind::PercentDelta, "Mean of the last tenth of the executions / mean of the first tenth - 1",
       &Row::drift}};
  return columns;
}

std::vector<StageRow> stagesOf(const Pipeline& pipeline) {
  std::vector<StageRow> rows;
  for (const PipelineStage& stage : pipeline.stages) rows.push_back({&pipeline, &stage});
  return rows;
}

namespace {
std::string stageTitle(const StageRow& row) {
  const bool isSlowest = row.pipeline->slowest >= 0 && row.stage == &row.pipeline->stages[std::size_t(row.pipeline->slowest)];
  return "IPU " + std::to_string(row.stage->ipu.value()) + (isSlowest ? ", slowest" : "");
}

std::optional<double> overTheMean(const StageRow& row) {
  const Cycles mean = row.pipeline->meanBusy();
  return knownIf(mean > Cycles(), mean > Cycles() ? ratio(row.stage->busy, mean) - 1 : 0.0);
}
} // namespace

const Columns<StageRow>& stageColumns() {
  using Row = StageRow;
  static const Columns<Row> columns = {
      {"ipu", "IPU", Kind::Text, "", &stageTitle},
      {"holds", "Holds", Kind::Text, "Layers of the model that it works for, in the order of the program", &Row::holds},
      {"working", "Working", Kind::Cycles, "Cycles with a step of any kind, in fill, main and flush",
       [](const Row& r) { return r.stage->busy; }},
      {"perMicroBatch", "A micro-batch", Kind::Cycles, "Working cycles / micro-batches",
       [](const Row& r) { return knownIf(r.pipeline->microBatches > 0, r.stage->perMicroBatch); }},
      {"overTheMean", "Over the mean", Kind::PercentDelta,
       "Time of the stage / mean of all stages - 1: all stages wait for the slowest", &overTheMean},
      {"waits", "Waits", Kind::Cycles, "Cycles waiting for other stages (fill, main, flush)",
       [](const Row& r) { return r.stage->waiting; }},
      {"bubble", "Bubble", Kind::Percent, "Waits / cycles of the three phases", [](const Row& r) { return r.stage->bubble; }}};
  return columns;
}

const Columns<IpuTileCycles>& wasteColumns() {
  using Row = IpuTileCycles;
  static const Columns<Row> columns = [] {
    Columns<Row> list = {{"ipu", "IPU", Kind::Text, "",
                          [](const Row& r) {
                            return r.ipu.valid() ? "IPU " + std::to_string(r.ipu.value()) + (r.io ? ", I/O tiles" : "")
                                                 : std::string("All");
                          }},
                         {"wasted", "Wasted tile-cycles", Kind::TileCycles,
                          "Tile-cycles in which tiles neither compute nor copy: tiles × cycles − busy",
                          [](const Row& r) { return r.cost.wasted(); }}};
    for (int k = 0; k < kTileTimes; ++k)
      list.push_back({columns::idOf(tileTimeTitle(TileTime(k))), std::string(tileTimeTitle(TileTime(k))), Kind::Percent,
                      std::string(tileTimeMeaning(TileTime(k))) + ", of tiles × cycles of the range",
                      [k](const Row& r) { return knownIf(r.cost.total() > 0, r.cost.share(TileTime(k))); }});
    return list;
  }();
  return columns;
}

namespace {

struct Way {
  Traffic IpuProportions::*of;
  const char *inId, *outId, *in, *out, *meaning;
};
constexpr Way kWays[] = {{&IpuProportions::internal, "internalIn", "internalOut", "Internal in", "Internal out",
                          "Bytes exchanged within the IPU; exchanges that the range cuts count proportionally"},
                         {&IpuProportions::global, "globalIn", "globalOut", "Global in", "Global out",
                          "Bytes exchanged with other IPUs; exchanges that the range cuts count proportionally"},
                         {&IpuProportions::host, "fromHost", "toHost", "From host", "To host",
                          "Bytes of stream copies; those that the range cuts count proportionally"}};

std::optional<Cycles> idleOf(const IpuProportions& ipu) {
  for (const ActivityShare& share : ipu.shares)
    if (share.activity == reports::Activity::Idle) return share.cycles;
  return std::nullopt;
}

} // namespace

Columns<IpuProportions> proportionColumns(const Proportions& proportions) {
  using Row = IpuProportions;
  Columns<Row> columns = {
      {"ipu", "IPU", Kind::Text, "",
       [](const Row& r) { return "IPU " + std::to_string(r.ipu.valid() ? r.ipu.value() : 0) + (r.io ? ", I/O" : ""); }},
      {"tilesBusy", "Tiles busy", Kind::Percent, "Tile-cycles in which tiles compute or copy, of tiles × cycles",
       &Row::tileUtilisation},
      {"inComputeSteps", "In compute steps", Kind::Percent, "Busy tile-cycles while compute steps run, of tiles × their cycles",
       [](const Row& r) { return knownIf(r.computeBalance > 0, r.computeBalance); }},
      {"idle", "Idle", Kind::Cycles, "Cycles of the range without a step of the IPU", &idleOf}};
  for (const Way& way : kWays) {
    const bool isUsed = std::any_of(proportions.ipus.begin(), proportions.ipus.end(),
                                    [&](const Row& r) { return (r.*way.of).in > Bytes() || (r.*way.of).out > Bytes(); });
    if (!isUsed) continue;
    columns.push_back({way.inId, way.in, Kind::Bytes, way.meaning, [of = way.of](const Row& r) { return (r.*of).in; }});
    columns.push_back({way.outId, way.out, Kind::Bytes, way.meaning, [of = way.of](const Row& r) { return (r.*of).out; }});
  }
  columns.push_back(
      {"work", "Work", Kind::Flops, "Floating-point operations; steps that the range cuts count proportionally", &Row::flops});
  return columns;
}

} // namespace analyser::trace
