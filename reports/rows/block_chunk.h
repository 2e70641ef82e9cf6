// Table `block_chunk`: Up to 16,384 executions of Blocks that one tile timed, packed by column.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct BlockChunkRow {
  int64_t chunk = 0;
  int64_t ipu = 0;
  int64_t tile = 0;
  int64_t records = 0;
  int64_t endCycle = 0;
  Blob names;
  Blob steps;
  Blob kinds;
  Blob starts;
  Blob durations;
  Blob executions;

  static constexpr std::string_view kTable = "block_chunk";
  static constexpr std::string_view kMeaning =
      "Up to 16,384 executions of Blocks that one tile of an IPU timed (engine options profiler.*), in the order in which they "
      "ended; the table block_record of SQL unpacks them.";
  template<class Row = BlockChunkRow> static constexpr auto columns() {
    return std::make_tuple(
        column("chunk", &Row::chunk, "from 0", "PRIMARY KEY"), column("ipu", &Row::ipu, "IPU of the tile"),
        column("tile", &Row::tile, "tile that timed them, counted over all IPUs"),
        column("records", &Row::records, "number of records"),
        column("end_cycle", &Row::endCycle, "cycle in which the last of these executions ended"),
        column("names", &Row::names, "varint string id of the Block's name"),
        column("steps", &Row::steps, "delta: program_step.id of the Block or program; -1 for a scope of debug contexts"),
        column("kinds", &Row::kinds,
               "kind of each record, one byte: 0 a Block, 1 a program in an implicit Block, 2 a copy of the full buffer to the "
               "host, 3 executions lost because the buffer was full"),
        column("starts", &Row::starts, "delta: cycle in which the first step began"),
        column("durations", &Row::durations, "varint: cycles from the begin of the first step to the end of the last one"),
        column("executions", &Row::executions,
               "varint: executions in the record: 1, or the number of lost executions, or the number of equal loop iterations "
               "that were grouped because only time was simulated"));
  }
};

} // namespace reports
