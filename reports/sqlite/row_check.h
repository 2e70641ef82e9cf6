// Range checks of rows while reading: a count from a file is checked before it sets the size of an allocation, and an impossible
// amount (negative cycles, parts that do not sum to their total) is an error, never shown as a fact.
#pragma once

#include "reports/rows/tables.h"

namespace reports {

// More than any existing machine (64 IPUs of 1472 tiles are 94,208 tiles).
inline constexpr int64_t kMaxIpus = 4096;
inline constexpr int64_t kMaxTilesPerIpu = 16384;
inline constexpr int64_t kMaxTiles = int64_t(1) << 22;

struct RowLimits {
  int64_t tiles = 0; // of the report's machine; 0 without one
};

// Longer than any real run (2^60 cycles are 19 years): sums of a few such values never overflow.
inline constexpr int64_t kMostCycles = int64_t(1) << 60;

// Vertices and edges of any graph: sums over tables never overflow.
inline constexpr int64_t kMostCount = int64_t(1) << 48;

// Throw Error(Damaged) naming the table, the row and the column.
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
void checkRow(const RunRow& row, const RowLimits& limits);
void checkRow(const ComputeSetRow& row, const RowLimits& limits);
void checkRow(const ComputeSetVerticesRow& row, const RowLimits& limits);
void checkRow(const ExchangeRow& row, const RowLimits& limits);
void checkRow(const OperationRow& row, const RowLimits& limits);
void checkRow(const PlanRow& row, const RowLimits& limits);
void checkRow(const ProgramStepRow& row, const RowLimits& limits);
void checkRow(const StepVariablesRow& row, const RowLimits& limits);
void checkRow(const BlockChunkRow& row, const RowLimits& limits);
void checkRow(const MetadataRow& row, const RowLimits& limits);
void checkRow(const StreamRow& row, const RowLimits& limits);
void checkRow(const StreamCopyRow& row, const RowLimits& limits);
void checkRow(const VertexTypeRow& row, const RowLimits& limits);
template<class Row> void checkRow(const Row&, const RowLimits&) {}

} // namespace reports
