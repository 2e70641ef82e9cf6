#include "simcore/compile/compiler.h"

#include "simcore/compile/liveness.h"
#include "simcore/compile/placement.h"
#include "simcore/compile/storage.h"

namespace simcore::compile {

Executable compile(std::shared_ptr<const graph::Graph> graph, const std::vector<NamedProgram>& programs, std::stop_token stop,
                   reports::Progress& progress, const PhaseHook& phase, const CompileOptions& options) {
  Executable e;
  e.graph = graph->snapshot();
  e.programs = programs;
  auto begin = [&](const char* name, double fraction) {
    reports::throwIfStopped(stop);
    progress.update(fraction);
    return phase ? phase(name) : nullptr;
  };
  progress.phase("compiling");
  {
    const auto span = begin("lowering", 0.0);
    e.program = lower(*e.graph, programs, stop, options.blocks);
  }
  {
    const auto span = begin("storage", 0.3);
    e.storage = machineStorage(*e.graph, e.program, options.instrument);
  }
  const int64_t ordinals = int64_t(e.program.ordinals.size());
  {
    const auto span = begin("liveness", 0.4);
    for (Storage& s : variableLiveness(*e.graph, e.program)) e.storage.push_back(std::move(s));
    addDemands(*e.graph, e.program, e.storage, options.strictPlaces);
    e.liveCurve = livenessCurve(e.storage, ordinals, {0, e.graph->tiles()});
  }
  {
    constexpr double kBefore = 0.6;
    const auto span = begin("allocation", kBefore);
    e.allocation = allocate(e.graph->machine(), e.storage, ordinals, stop,
                            [&](double placed) { progress.update(kBefore + (1.0 - kBefore) * placed); });
  }
  progress.update(1.0);
  return e;
}

} // namespace simcore::compile
