// Every name in a report, for one search over all of them: operations, program steps and variables with their costs. Read once on
// a worker; a search is then a pass over plain strings, fast enough for every key.
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
  reports::ProgramStepId step; // for an operation, its costliest step; invalid: it has none
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
// Items whose name or kind contains every word, ignoring case, or whose name matches the expression between slashes. An invalid expression
// matches nothing.
NamesFound findNames(const ReportIndex& index, const QString& words, std::size_t mostOfEach);

} // namespace ui::shell
