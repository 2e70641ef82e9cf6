// Table `debug_context`: The origin of each step and variable: a tree from model layer to library stage.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct DebugContextRow {
  int64_t id = 0;
  std::optional<int64_t> parentId;
  int64_t nameId = 0;
  int64_t layerId = 0;
  int64_t kindId = 0;
  std::optional<std::string> detailsJson;

  static constexpr std::string_view kTable = "debug_context";
  static constexpr std::string_view kMeaning = "The origin of each step and variable: a tree from model layer to library stage.";
  template<class Row = DebugContextRow> static constexpr auto columns() {
    return std::make_tuple(
        column("id", &Row::id, "debug context id, from 0", "PRIMARY KEY"),
        column("parent_id", &Row::parentId, "enclosing context; NULL at the root"),
        column("name_id", &Row::nameId, "string id of the name within the parent"),
        column("layer_id", &Row::layerId, "string id of the layer: model, onnx, library, poplar"),
        column("kind_id", &Row::kindId,
               "string id of the kind: an operator type such as Conv, a library call such as matmul, or a stage"),
        column("details_json", &Row::detailsJson,
               "further facts as a JSON object (attributes, shapes, plan; source: file, line and function in the user's program; "
               "doc: the note of an ONNX node); NULL if none"));
  }
};

} // namespace reports
