// Table `details_chunk`: JSON objects that host slices and instants point to by a details id.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct DetailsChunkRow {
  int64_t chunk = 0;
  int64_t firstId = 0;
  int64_t texts = 0;
  int64_t textBytes = 0;
  Blob sizes;
  Blob data;

  static constexpr std::string_view kTable = "details_chunk";
  static constexpr std::string_view kMeaning =
      "JSON objects with the arguments of host slices and instants. Slices and instants refer to them by details id (column "
      "refs); slices with equal arguments may share an id.";
  template<class Row = DetailsChunkRow> static constexpr auto columns() {
    return std::make_tuple(column("chunk", &Row::chunk, "from 0", "PRIMARY KEY"),
                           column("first_id", &Row::firstId, "details id of the first text; the next ones follow"),
                           column("texts", &Row::texts, "number of texts"),
                           column("text_bytes", &Row::textBytes, "size of all texts together, at most 64 MiB"),
                           column("sizes", &Row::sizes, "varint: bytes of each text"),
                           column("data", &Row::data, "the texts one after the other, compressed as one zstd frame"));
  }
};

} // namespace reports
