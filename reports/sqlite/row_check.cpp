#include "reports/sqlite/row_check.h"

#include "reports/core/categories.h"
#include "reports/core/error.h"
#include "reports/core/text.h"
#include "reports/rows/block_records.h"
#include "reports/rows/host_writers.h"
#include "reports/rows/slice_track.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

namespace reports {

namespace {
// A row for errors: "table run, row 3".
struct Place {
  std::string_view table;
  int64_t row = -1; // the id; -1 if the table's rows need no number
};

[[noreturn]] void impossible(const std::string& what, const Place& place) {
  throw Error(ErrorCode::Damaged, "impossible " + what,
              "table " + std::string(place.table) + (place.row >= 0 ? ", row " + std::to_string(place.row) : ""),
              "the report was made by a faulty program or is damaged");
}
void between(int64_t value, int64_t least, int64_t most, const Place& place, const char* column) {
  if (value < least || value > most) impossible(std::string(column) + " " + std::to_string(value), place);
}
void isRate(double value, std::string_view table, const char* column) {
  if (!(value >= 0 && std::isfinite(value))) impossible(std::string(column) + " " + std::to_string(value), Place{table});
}
void between(int64_t value, int64_t least, int64_t most, std::string_view table, const char* column) {
  between(value, least, most, Place{table}, column);
}

struct Measure {
  const char* column;
  int64_t value;
};
void notNegative(const Place& place, std::initializer_list<Measure> measures) {
  for (const auto& [column, value] : measures) between(value, 0, std::numeric_limits<int64_t>::max(), place, column);
}
void areCounts(const Place& place, std::initializer_list<Measure> measures) {
  for (const auto& [column, value] : measures) between(value, 0, kMostCount, place, column);
}
void areCycles(const Place& place, std::initializer_list<Measure> measures) {
  for (const auto& [column, value] : measures) between(value, 0, kMostCycles, place, column);
}
} // namespace

void checkRow(const MachineRow& row, const RowLimits&) {
  between(row.ipus, 1, kMaxIpus, row.kTable, "ipus");
  between(row.tilesPerIpu, 1, kMaxTilesPerIpu, row.kTable, "tiles_per_ipu");
  between(row.ipus * row.tilesPerIpu, 1, kMaxTiles, row.kTable, "ipus times tiles_per_ipu");
  between(row.workersPerTile, 1, 1024, row.kTable, "workers_per_tile");
  between(row.memoryPerTileBytes, 1, int64_t(1) << 40, row.kTable, "memory_per_tile_bytes");
  between(row.interleavedStartBytes, 0, row.memoryPerTileBytes, row.kTable, "interleaved_start_bytes");
  between(row.elementBytes, 1, row.memoryPerTileBytes, row.kTable, "element_bytes");
  between(row.clockHz, 1, int64_t(1) << 50, row.kTable, "clock_hz");
  between(row.gridColumns, 1, kMaxTilesPerIpu, row.kTable, "grid_columns");
  between(row.gridRows, 1, kMaxTilesPerIpu, row.kTable, "grid_rows");
  between(row.ioTiles, 0, row.tilesPerIpu, row.kTable, "io_tiles");
  isRate(row.exchangeBytesPerCycle, row.kTable, "exchange_bytes_per_cycle");
  isRate(row.peakFp16FlopsPerSecond, row.kTable, "peak_fp16_flops_per_second");
  isRate(row.peakFp32FlopsPerSecond, row.kTable, "peak_fp32_flops_per_second");
}

// Checks the keys that the analyses rely on: the state and counts. Other keys may have any text.
void checkRow(const MetadataRow& row, const RowLimits&) {
  static constexpr std::string_view kCounts[] = {"replicas",   "samples",       "iterations",
                                                 "batch_size", "micro_batches", "pipeline_stages"};
  if (row.key == "state" && row.value != "fits" && row.value != "out_of_memory")
    impossible("value '" + displayText(row.value) + "' of the key state", {row.kTable});
  if (std::find(std::begin(kCounts), std::end(kCounts), row.key) == std::end(kCounts)) return;
  int64_t count = 0;
  const auto [end, error] = std::from_chars(row.value.data(), row.value.data() + row.value.size(), count);
  if (error != std::errc() || end != row.value.data() + row.value.size() || count < 1 || count > kMostCount)
    impossible("value '" + displayText(row.value) + "' of the key " + row.key, {row.kTable});
}

void checkRow(const SliceChunkRow& row, const RowLimits&) {
  between(row.depth, 0, kMaxDepth - 1, row.kTable, "depth");
  between(row.slices, 1, kSlicesPerChunk, row.kTable, "slices");
  between(row.firstTick, 0, kMaxTick, row.kTable, "first_tick");
  between(row.endTick, row.firstTick, kMaxTick, row.kTable, "end_tick");
}

void checkRow(const SliceLevelRow& row, const RowLimits&) {
  between(row.depth, 0, kMaxDepth - 1, row.kTable, "depth");
  between(row.level, 0, 63, row.kTable, "level");
  between(row.bucketShift, 0, 62, row.kTable, "bucket_shift");
  between(row.buckets, 0, int64_t(row.data.size()), row.kTable, "buckets");
}

void checkRow(const StepProfileRow& row, const RowLimits& limits) {
  between(row.firstTile, 0, limits.tiles, row.kTable, "first_tile");
  between(row.tiles, 0, limits.tiles - row.firstTile, row.kTable, "tiles");
  const Place place{row.kTable, row.id};
  areCycles(place, {{"cycles", row.cycles}, {"busy_cycles", row.busyCycles}});
  notNegative(place,
              {{"executions", row.executions}, {"bytes_in", row.bytesIn}, {"bytes_out", row.bytesOut}, {"flops", row.flops}});
  between(row.activeTiles, 0, limits.tiles, place, "active_tiles");
  between(row.sliceExecutions.value_or(1), 1, kMostCycles, place, "slice_executions");
}

void checkRow(const TileSeriesRow& row, const RowLimits& limits) {
  between(row.tiles, 0, limits.tiles, row.kTable, "tiles");
  between(row.max, 0, kMostCycles, row.kTable, "max");
  between(row.sum, row.max, std::numeric_limits<int64_t>::max(), row.kTable, "sum");
  if (row.tiles > 0) between(row.maxTile, 0, row.tiles - 1, row.kTable, "max_tile");
}

void checkRow(const TileVariablesRow& row, const RowLimits& limits) {
  between(row.tile, 0, limits.tiles - 1, row.kTable, "tile");
  between(row.lowered, 0, int64_t(row.variables.size()), row.kTable, "lowered");
}

void checkRow(const LivenessCurveRow& row, const RowLimits&) {
  between(row.steps, 0, int64_t(row.notAlwaysLiveBytes.size()), row.kTable, "steps");
  between(row.alwaysLiveBytes, 0, kMostCycles, row.kTable, "always_live_bytes");
  between(row.peakBytes, 0, kMostCycles, row.kTable, "peak_bytes");
  if (row.steps > 0) between(row.peakStep, 0, row.steps - 1, row.kTable, "peak_step");
}

void checkRow(const VariableRow& row, const RowLimits& limits) {
  between(row.liveIntervalCount, 0, int64_t(row.liveIntervals.size()) / 2, row.kTable, "live_interval_count");
  const Place place{row.kTable, row.id};
  notNegative(place, {{"elements", row.elements}, {"total_bytes", row.totalBytes}, {"alignment_bytes", row.alignmentBytes}});
  between(row.tiles, 0, limits.tiles, place, "tiles");
  between(row.maxTileBytes, 0, row.totalBytes, place, "max_tile_bytes");
}

void checkRow(const TrackRow& row, const RowLimits&) {
  between(row.depths, 0, kMaxDepth, row.kTable, "depths");
  between(row.firstTick, 0, kMaxTick, row.kTable, "first_tick");
  between(row.endTick, row.firstTick, kMaxTick, row.kTable, "end_tick");
}

void checkRow(const HeatmapRow& row, const RowLimits&) { between(row.bins, 1, kMaxHeatmapBins, row.kTable, "bins"); }

void checkRow(const HostThreadRow& row, const RowLimits&) { between(row.trackId, 0, TrackId::kNone - 1, row.kTable, "track_id"); }

void checkRow(const RunLinkRow& row, const RowLimits&) {
  between(row.trackId, 0, TrackId::kNone - 1, row.kTable, "track_id");
  between(row.depth, 0, kMaxDepth - 1, row.kTable, "depth");
  between(row.startTick, 0, kMaxTick, row.kTable, "start_tick");
  between(row.endTick, row.startTick, kMaxTick, row.kTable, "end_tick");
}

void checkRow(const RunRow& row, const RowLimits&) {
  const Place place{row.kTable, row.id};
  areCycles(place, {{"start_cycle", row.startCycle},
                    {"cycles", row.cycles},
                    {"compute_cycles", row.computeCycles},
                    {"exchange_cycles", row.exchangeCycles},
                    {"sync_cycles", row.syncCycles},
                    {"host_cycles", row.hostCycles},
                    {"hidden_host_cycles", row.hiddenHostCycles},
                    {"idle_cycles", row.idleCycles}});
  notNegative(place, {{"flops", row.flops}, {"folded_iterations", row.foldedIterations}});
  const int64_t parts = row.computeCycles + row.exchangeCycles + row.syncCycles + row.hostCycles + row.idleCycles;
  if (parts != row.cycles)
    impossible("cycles " + std::to_string(row.cycles) + ": their parts sum to " + std::to_string(parts), place);
}

void checkRow(const ComputeSetRow& row, const RowLimits& limits) {
  const Place place{row.kTable, row.id};
  areCounts(place, {{"vertices", row.vertices}, {"edges", row.edges}});
  notNegative(place, {{"flops", row.flops}});
  // max_cycles may exceed total_cycles: it is the maximum over executions, while the total is their mean.
  areCycles(place, {{"max_cycles", row.maxCycles}, {"total_cycles", row.totalCycles}, {"worker_cycles", row.workerCycles}});
  between(row.activeTiles, 0, limits.tiles, place, "active_tiles");
}

void checkRow(const ComputeSetVerticesRow& row, const RowLimits&) {
  const Place place{row.kTable, row.computeSetId};
  areCycles(place, {{"cycles", row.cycles}});
  notNegative(place, {{"vertices", row.vertices},
                      {"flops", row.flops},
                      {"state_bytes", row.stateBytes},
                      {"edge_pointer_bytes", row.edgePointerBytes},
                      {"descriptor_bytes", row.descriptorBytes}});
}

void checkRow(const ExchangeRow& row, const RowLimits&) {
  const Place place{row.kTable, row.id};
  areCycles(place, {{"max_cycles", row.maxCycles}});
  notNegative(place, {{"total_bytes", row.totalBytes}, {"messages", row.messages}, {"code_bytes", row.codeBytes}});
}

void checkRow(const OperationRow& row, const RowLimits&) {
  const Place place{row.kTable, row.id};
  areCycles(place, {{"compute_cycles", row.computeCycles},
                    {"exchange_cycles", row.exchangeCycles},
                    {"sync_cycles", row.syncCycles},
                    {"host_cycles", row.hostCycles}});
  notNegative(place, {{"flops", row.flops},
                      {"vertices", row.vertices},
                      {"exchange_bytes", row.exchangeBytes},
                      {"code_bytes", row.codeBytes},
                      {"variable_bytes", row.variableBytes}});
  if (row.balance && !(*row.balance >= 0 && *row.balance <= 1 + 1e-9))
    impossible("balance " + std::to_string(*row.balance), place);
}

void checkRow(const PlanRow& row, const RowLimits&) {
  areCycles({row.kTable, row.id}, {{"predicted_cycles", row.predictedCycles}});
  notNegative({row.kTable, row.id}, {{"temporary_bytes", row.temporaryBytes}});
}

void checkRow(const ProgramStepRow& row, const RowLimits&) {
  const Place place{row.kTable, row.id};
  between(row.activity, 0, kActivityCount - 1, place, "activity");
  notNegative(place, {{"position", row.position},
                      {"repeat_count", row.repeatCount.value_or(0)},
                      {"liveness_step", row.livenessStep.value_or(0)},
                      {"code_bytes", row.codeBytes}});
}

void checkRow(const StreamRow& row, const RowLimits&) {
  notNegative({row.kTable, row.id}, {{"elements", row.elements}, {"rows", row.rows}, {"host_bytes", row.hostBytes}});
}

void checkRow(const StepVariablesRow& row, const RowLimits&) {
  notNegative({row.kTable, row.programStepId}, {{"read_count", row.readCount}, {"written_count", row.writtenCount}});
}

void checkRow(const BlockChunkRow& row, const RowLimits& limits) {
  const Place place{row.kTable, row.chunk};
  between(row.ipu, 0, kMaxIpus - 1, place, "ipu");
  between(row.tile, 0, limits.tiles - 1, place, "tile");
  between(row.records, 1, kBlockRecordsPerChunk, place, "records");
  areCycles(place, {{"end_cycle", row.endCycle}});
}

void checkRow(const StreamCopyRow& row, const RowLimits&) {
  notNegative({row.kTable, row.programStepId}, {{"bytes", row.bytes}, {"executions", row.executions}});
}

void checkRow(const VertexTypeRow& row, const RowLimits&) {
  notNegative({row.kTable, row.id}, {{"code_bytes", row.codeBytes}, {"line", row.line.value_or(0)}});
}

} // namespace reports
