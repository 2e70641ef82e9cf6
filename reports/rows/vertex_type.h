// Table `vertex_type`: A codelet: its code is on a tile once, its state per vertex.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct VertexTypeRow {
  int64_t id = 0;
  int64_t nameId = 0;
  std::string kind;
  int64_t codeBytes = 0;
  std::string provenance;
  std::optional<int64_t> fileId, line;

  static constexpr std::string_view kTable = "vertex_type";
  static constexpr std::string_view kMeaning = "A codelet: a tile stores its code once, and its state for each vertex.";
  template<class Row = VertexTypeRow> static constexpr auto columns() {
    return std::make_tuple(
        column("id", &Row::id, "vertex type id, from 0", "PRIMARY KEY"),
        column("name_id", &Row::nameId, "string id, e.g. poplin::ConvPartial1x1<half,half>"),
        column("kind", &Row::kind, "Vertex, MultiVertex or Supervisor"),
        column("code_bytes", &Row::codeBytes, "code size, bytes"),
        column("provenance", &Row::provenance, "source of the code size: estimated or measured"),
        column("file_id", &Row::fileId, "string id of the source file of its compute(); NULL if it was not compiled from a file"),
        column("line", &Row::line, "line of its compute() in that file; NULL if there is none"));
  }
};

} // namespace reports
