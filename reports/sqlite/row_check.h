// Range checks of rows as they are read: a count from a file never decides an allocation before it is known to be possible.
// Fields that only label or measure are not checked; fields that size, index or shift are.
#pragma once

#include "reports/rows/tables.h"

namespace reports {

// Beyond any machine there is (64 IPUs of 1472 tiles are 94,208).
inline constexpr int64_t kMaxIpus = 4096;
inline constexpr int64_t kMaxTilesPerIpu = 16384;
inline constexpr int64_t kMaxTiles = int64_t(1) << 22;

struct RowLimits {
  int64_t tiles = 0; // of the report's machine; 0 if it has none
};

// Throw Error(Damaged) naming the table and the column.
void checkRow(const MachineRow& row, const RowLimits& limits);
void checkRow(const SliceChunkRow& row, const RowLimits& limits);
void checkRow(const SliceLevelRow& row, const RowLimits& limits);
void checkRow(const StepProfileRow& row, const RowLimits& limits);
void checkRow(const TileSeriesRow& row, const RowLimits& limits);
void checkRow(const TileVariablesRow& row, const RowLimits& limits);
void checkRow(const LivenessCurveRow& row, const RowLimits& limits);
void checkRow(const VariableRow& row, const RowLimits& limits);
void checkRow(const TrackRow& row, const RowLimits& limits);
void checkRow(const HeatmapRow& row, const RowLimits& limits);
void checkRow(const HostThreadRow& row, const RowLimits& limits);
void checkRow(const RunLinkRow& row, const RowLimits& limits);
template<class Row> void checkRow(const Row&, const RowLimits&) {}

} // namespace reports
