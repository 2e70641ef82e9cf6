// Links from an item of a report to related items: from a variable to the step that first writes it and the operation that made
// it, from an operation to its costliest step, from a vertex type to the step where it costs most. Reads whole tables, so use it
// for one item at a time.
#pragma once

#include "analyser/columns/subject.h"
#include "analyser/session/session.h"

#include <optional>

namespace analyser::program {

struct Related {
  std::string name;                  // of the item itself
  reports::VariableId variable;      // of a variable
  reports::ProgramStepId step;       // the item itself, the first step that writes it, or its costliest step; else invalid
  reports::OperationId operation;    // the item itself, or the operation that made it
  std::string operationName;         // empty if there is none
  std::optional<TileId> tile;        // of a tile
  std::optional<int64_t> vertexType; // vertex_type.id
  bool isAlwaysLive = false;         // of a variable; if true, no step begins its life
};
// Throws Error(NotFound) if the report has no such item.
Related relatedOf(Session& session, const columns::Subject& subject, std::stop_token stop = {});

} // namespace analyser::program
