// The compiler: lowering, liveness, storage and allocation, in that order. An engine runs the result, and the static half of
// a report is written from it.
#pragma once

#include "reports/core/progress.h"
#include "simcore/compile/allocate.h"
#include "simcore/compile/lower.h"

#include <memory>
#include <vector>

namespace simcore::compile {

struct Executable {
  std::shared_ptr<const graph::Graph> graph; // a snapshot: later changes do not affect an engine
  std::vector<NamedProgram> programs;
  LoweredProgram program;
  std::vector<Storage> storage;
  Allocation allocation;
  std::vector<int64_t> liveCurve; // sum of all tiles, by ordinal, without always-live bytes
};

struct CompileOptions {
  bool instrument = true;   // a cycle counter per instrumented step on every tile
  BlockBuffer blocks = {};  // default: no Blocks are timed
  bool strictPlaces = true; // contradictory alignments of a variable by vertex fields are an error
};

// Called with the name of each phase when it begins; the host timeline shows the phases.
using PhaseHook = std::function<std::shared_ptr<void>(const char* phase)>;

// A graph that does not fit still compiles: check allocation().fits(). Throws for invalid programs.
Executable compile(std::shared_ptr<const graph::Graph> graph, const std::vector<NamedProgram>& programs, std::stop_token stop,
                   reports::Progress& progress, const PhaseHook& phase = {}, const CompileOptions& options = {});
inline Executable compile(std::shared_ptr<const graph::Graph> graph, const std::vector<NamedProgram>& programs) {
  reports::NoProgress none;
  return compile(std::move(graph), programs, {}, none);
}

} // namespace simcore::compile
