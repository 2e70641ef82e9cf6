#include "reports/sqlite/row_check.h"

#include "reports/core/error.h"
#include "reports/rows/host_writers.h"
#include "reports/rows/slice_track.h"

namespace reports {

namespace {
void require(bool possible, std::string_view table, const char* column, int64_t value) {
  if (!possible)
    throw Error(ErrorCode::Damaged, std::string("impossible ") + column + " " + std::to_string(value),
                "table " + std::string(table), "the report was made by a faulty program or is damaged");
}
void between(int64_t value, int64_t least, int64_t most, std::string_view table, const char* column) {
  require(value >= least && value <= most, table, column, value);
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
}

void checkRow(const TileSeriesRow& row, const RowLimits& limits) { between(row.tiles, 0, limits.tiles, row.kTable, "tiles"); }

void checkRow(const TileVariablesRow& row, const RowLimits& limits) {
  between(row.tile, 0, limits.tiles - 1, row.kTable, "tile");
  between(row.lowered, 0, int64_t(row.variables.size()), row.kTable, "lowered");
}

void checkRow(const LivenessCurveRow& row, const RowLimits&) {
  between(row.steps, 0, int64_t(row.notAlwaysLiveBytes.size()), row.kTable, "steps");
}

void checkRow(const VariableRow& row, const RowLimits&) {
  between(row.liveIntervalCount, 0, int64_t(row.liveIntervals.size()) / 2, row.kTable, "live_interval_count");
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

} // namespace reports
