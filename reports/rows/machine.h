// Table `machine`: The simulated machine: exactly one row.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct MachineRow {
  std::string name;
  std::string title;
  std::string architecture;
  int64_t ipus = 0;
  int64_t tilesPerIpu = 0;
  int64_t ioTiles = 0;
  int64_t workersPerTile = 0;
  int64_t memoryPerTileBytes = 0;
  int64_t interleavedStartBytes = 0;
  int64_t elementBytes = 0;
  int64_t clockHz = 0;
  double exchangeBytesPerCycle = 0;
  double peakFp16FlopsPerSecond = 0;
  double peakFp32FlopsPerSecond = 0;
  int64_t gridColumns = 0;
  int64_t gridRows = 0;
  Blob tileColumns;
  Blob tileRows;

  static constexpr std::string_view kTable = "machine";
  static constexpr std::string_view kMeaning = "The simulated machine: exactly one row.";
  template<class Row = MachineRow> static constexpr auto columns() {
    return std::make_tuple(
        column("name", &Row::name, "machine name as given to --machine, e.g. gc200"),
        column("title", &Row::title, "name for people, e.g. GC200"),
        column("architecture", &Row::architecture, "gc2, gc200 or bow"), column("ipus", &Row::ipus, "number of IPUs"),
        column("tiles_per_ipu", &Row::tilesPerIpu, "tiles an IPU offers to programs"),
        column("io_tiles", &Row::ioTiles,
               "I/O tiles of each IPU, its last ones, which only transfer with the host; included in tiles_per_ipu; 0 if the "
               "machine has none"),
        column("workers_per_tile", &Row::workersPerTile, "worker contexts of a tile"),
        column("memory_per_tile_bytes", &Row::memoryPerTileBytes, "SRAM of one tile, bytes"),
        column("interleaved_start_bytes", &Row::interleavedStartBytes,
               "offset in the tile where interleaved memory begins; code must be below"),
        column("element_bytes", &Row::elementBytes, "size of one memory element, bytes"),
        column("clock_hz", &Row::clockHz, "tile clock in hertz: seconds = cycles / clock_hz"),
        column("exchange_bytes_per_cycle", &Row::exchangeBytesPerCycle, "bytes a tile sends or receives per cycle"),
        column("peak_fp16_flops_per_second", &Row::peakFp16FlopsPerSecond,
               "peak of one IPU in floating-point operations per second, fp16"),
        column("peak_fp32_flops_per_second", &Row::peakFp32FlopsPerSecond, "the same for fp32"),
        column("grid_columns", &Row::gridColumns, "columns of the physical floor plan of one IPU"),
        column("grid_rows", &Row::gridRows, "rows of the physical floor plan"),
        column("tile_columns", &Row::tileColumns,
               "delta-packed column of each tile of one IPU on the floor plan, tiles_per_ipu values"),
        column("tile_rows", &Row::tileRows, "delta-packed row of each tile, tiles_per_ipu values"));
  }
};

} // namespace reports
