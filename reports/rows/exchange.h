// Table `exchange`: One exchange: internal (between tiles), global (between IPUs) or host.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct ExchangeRow {
  int64_t id = 0;
  std::string kind;
  int64_t nameId = 0;
  int64_t totalBytes = 0;
  int64_t messages = 0;
  int64_t maxCycles = 0;
  int64_t codeBytes = 0;
  Blob bytesInByTile;
  Blob bytesOutByTile;
  std::optional<Blob> codeByTile; // since version 7
  std::optional<Blob> pairs;      // since version 10; core/tile_pairs.h

  static constexpr std::string_view kTable = "exchange";
  static constexpr std::string_view kMeaning = "One exchange: internal (between tiles), global (between IPUs) or host.";
  template<class Row = ExchangeRow> static constexpr auto columns() {
    return std::make_tuple(column("id", &Row::id, "exchange id, from 0", "PRIMARY KEY"),
                           column("kind", &Row::kind, "internal, global or host"), column("name_id", &Row::nameId, "string id"),
                           column("total_bytes", &Row::totalBytes, "bytes received by all tiles together"),
                           column("messages", &Row::messages, "messages (contiguous transfers from one sender)"),
                           column("max_cycles", &Row::maxCycles, "cycles of the slowest tile"),
                           column("code_bytes", &Row::codeBytes, "exchange code over all tiles, bytes"),
                           column("bytes_in_by_tile", &Row::bytesInByTile, "runs: bytes received by each tile"),
                           column("bytes_out_by_tile", &Row::bytesOutByTile, "runs: bytes sent by each tile"),
                           column("code_by_tile", &Row::codeByTile, "runs: bytes of exchange code on each tile"),
                           column("pairs", &Row::pairs,
                                  "bytes by sender and receiver tile, packed as described under Pairs of tiles; NULL if only the "
                                  "totals of each tile are known, or if there are too many pairs"));
  }
};

} // namespace reports
