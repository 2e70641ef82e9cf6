// The way from one thing of a report to its relatives: from a variable to the step that writes it and the operation that made it, from an
// operation to its costliest step, from a vertex type to the step where it costs most. For one thing at a time: it may read whole tables.
#pragma once

#include "analyser/columns/subject.h"
#include "analyser/session/session.h"

#include <optional>

namespace analyser::program {

struct Related {
  std::string name;                  // of the thing itself
  reports::VariableId variable;      // of a variable
  reports::ProgramStepId step;       // itself, the one that first writes the variable, or the costliest; none: no step does
  reports::OperationId operation;    // itself, or the one that made it
  std::string operationName;         // empty: none
  std::optional<TileId> tile;        // of a tile
  std::optional<int64_t> vertexType; // vertex_type.id
  bool isAlwaysLive = false;         // of a variable: no step begins its life
};
// Throws Error(NotFound) if the report has no such thing.
Related relatedOf(Session& session, const columns::Subject& subject, std::stop_token stop = {});

} // namespace analyser::program
