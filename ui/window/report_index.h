// Everything a report names, for one search over all of it: operations, program steps and variables with what each costs.
// Read once on a worker; a search is then a walk over plain strings, which is quick enough for every key pressed.
#pragma once

#include "analyser/session/session.h"

#include <QString>

#include <vector>

namespace ui::shell {

struct NamedThing {
  enum class Kind { Operation, Step, Variable };
  Kind kind = Kind::Operation;
  QString name, what;          // what: "Gemm", "OnTileExecute", "Vertex code"
  int64_t cost = 0;            // cycles of all executions, or bytes of a variable over all tiles
  reports::ProgramStepId step; // of an operation its costliest; none: it ran none
  reports::VariableId variable;
  reports::OperationId operation;
};

// By kind, the costliest first.
using ReportIndex = std::vector<NamedThing>;

ReportIndex readIndex(analyser::Session& session, std::stop_token stop);

struct NamesFound {
  std::vector<const NamedThing*> shown; // at most the requested number of each kind
  std::size_t left = 0;                 // found and not shown
};
// Things in whose name or kind every word occurs, whatever its case; or whose name fits the expression between slashes. One that is no
// expression fits nothing.
NamesFound findNames(const ReportIndex& index, const QString& words, std::size_t mostOfEach);

} // namespace ui::shell
