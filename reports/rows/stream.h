// Table `stream`: A host stream or remote buffer.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct StreamRow {
  int64_t id = 0;
  std::string name;
  std::string direction;
  std::string elementType;
  int64_t elements = 0;
  int64_t rows = 1;
  int64_t hostBytes = 0;

  static constexpr std::string_view kTable = "stream";
  static constexpr std::string_view kMeaning = "A host stream or remote buffer.";
  template<class Row = StreamRow> static constexpr auto columns() {
    return std::make_tuple(
        column("id", &Row::id, "stream id, from 0", "PRIMARY KEY"), column("name", &Row::name, "handle"),
        column("direction", &Row::direction, "host_to_device, device_to_host or remote_buffer"),
        column("element_type", &Row::elementType, "element type"), column("elements", &Row::elements, "elements of one transfer"),
        column("rows", &Row::rows, "rows of a remote buffer; for a stream, the number of transfers that it buffers"),
        column("host_bytes", &Row::hostBytes, "host memory of its rows, bytes"));
  }
};

} // namespace reports
