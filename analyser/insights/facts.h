// The facts that rules read, gathered once: tile memory, operations, and every leaf step of the program with its cost.
#pragma once

#include "analyser/memory/tile_memory.h"
#include "analyser/operations/operations.h"
#include "analyser/program/program_tree.h"
#include "analyser/trace/tile_cycles.h"
#include "analyser/trials/trials.h"

#include <memory>

namespace analyser::insights {

struct StepFact {
  reports::ProgramStepId id;
  StringId name;
  std::string kind;
  reports::Activity activity{};
  Cycles cycles; // over the run, on the IPU that needs most
  trace::StepTileCycles cost;
  std::optional<int64_t> exchange, livenessStep;
  int operation = -1; // index of Operations::rows
};

struct Facts {
  Session& session;
  const Machine& machine;
  memory::TileMemory memory; // by category
  operations::Operations operations;
  std::vector<operations::Alike> alike =
      operations::alike(operations); // groups of similar operations: one of 24 similar layers alone is too small for a finding
  std::vector<StepFact> steps;
  trace::StepCosts costs; // by program step; includes all of `steps`
  std::shared_ptr<program::ProgramOnce> program;
  // Over all runs, of the critical IPU.
  Cycles runCycles = {}, computeCycles = {}, exchangeCycles = {}, syncCycles = {}, hostCycles = {}, idleCycles = {};
  // fp16: values take two bytes; fp8 counts as fp16, though operands of products take one byte.
  bool outOfMemory = false, fp16 = false, training = false, recomputes = false;
  int replicas = 1, stages = 1;
  int64_t runs = 0;
  std::stop_token stop;

  double shareOfRun(Cycles cycles) const { return runCycles > Cycles() ? ratio(cycles, runCycles) : 0; }
  Bytes allMemory() const { return machine.totalMemory(); }
  // Whether the report is of a model; only then do the options that place a model apply.
  bool isModel() const { return trials::isModel(session); }
  // Whether the run would accept --half-state or --shard-state: false if the option is already set.
  bool mayHalveState() const;
  bool mayShardState() const;
  // "model/fwd/conv1", or the step's own name if it does not belong to an operation.
  std::string placeOf(const StepFact& step) const;
  // Tile-cycles / number of tiles of the machine.
  Cycles asCycles(int64_t tileCycles) const { return Cycles(machine.tiles() > 0 ? tileCycles / machine.tiles() : 0); }
};

Facts gatherFacts(Session& session, std::stop_token stop);

} // namespace analyser::insights
