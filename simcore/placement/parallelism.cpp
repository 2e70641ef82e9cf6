#include "simcore/placement/parallelism.h"

#include "reports/core/error.h"
#include "reports/core/join.h"
#include "reports/core/option.h"
#include "reports/core/text.h"
#include "reports/core/within.h"
#include "simcore/placement/model_work.h"
#include "simcore/placement/sharding.h"
#include "simcore/placement/unit_scaling.h"
#include "simcore/placement/written_cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace simcore::model {

int Parallelism::ipusOfPipeline() const { return stages > 0 && isWrittenCut(shard) ? readCut(shard).ipus() : stages; }

namespace {

WrittenCut cutFor(const Parallelism& p, const arch::Machine& machine) {
  WrittenCut cut = readCut(p.shard);
  const std::string parts = reports::counted(int64_t(cut.parts.size()), "part");
  if (cut.ipus() > machine.ipus) // IPUs without a part are idle
    throw Error(ErrorCode::InvalidInput,
                "the cut has " + parts + " on " + reports::counted(cut.ipus(), "IPU") + ", a replica has " +
                    reports::counted(machine.ipus, "IPU"),
                reports::option("shard") + " " + p.shard);
  if (p.stages > 0 && int(cut.parts.size()) != p.stages)
    throw Error(ErrorCode::InvalidInput, "the cut has " + parts + ", the pipeline has " + reports::counted(p.stages, "stage"),
                reports::option("pipeline") + " " + std::to_string(p.stages),
                "every part of " + reports::option("shard") + " " + p.shard + " is a stage");
  return cut;
}

// The IPUs of a model's nodes; empty if all are on the first IPU. `automatic` returns the balanced cut for a number of IPUs.
Sharding placesOf(const Model& model, const arch::Machine& machine, const Parallelism& p,
                  const std::function<Sharding(int ipus)>& automatic) {
  if (p.shard == "auto") {
    if (machine.ipus == 1) return {};
    // If the model has fewer nodes than there are IPUs, some IPUs stay idle. A pipeline, however, needs a node for each stage.
    const int nodes = int(std::min<std::size_t>(4096, model.graph.nodes.size()));
    return automatic(p.stages > 0 ? machine.ipus : std::min(machine.ipus, nodes));
  }
  if (isWrittenCut(p.shard)) return cutAt(model, cutFor(p, machine));
  if (p.stages > 1)
    throw Error(ErrorCode::InvalidInput, "a pipeline of " + std::to_string(p.stages) + " stages needs a model that is cut",
                reports::option("shard") + " none");
  return {};
}

// Stages of the pipeline: one more than its IPUs if the automatic cut puts two parts on one IPU.
int stagesOf(const Sharding& places, const Parallelism& p) {
  return places.stageOfNode.empty() ? p.stages : places.stageOfNode.back() + 1;
}

[[noreturn]] void onlyTraining(const std::string& option) {
  throw Error(ErrorCode::InvalidInput, "this option is for training, but the run is inference", option);
}

const char* overlapOf(const Parallelism& p) {
  if (p.overlapIo == OverlapIo::Off) return "off";
  if (p.microBatchesOfStep() == 1) return "none: a run is one batch";
  return p.overlapIo == OverlapIo::Loops ? "all loops" : "inner loop";
}

// Adds the fact `key` with the names whose condition is true, separated by commas; nothing if no condition is true.
void addNames(graph::Workload& load, const char* key, std::initializer_list<std::pair<bool, const char*>> of) {
  std::vector<std::string> names;
  for (const auto& [isSo, name] : of)
    if (isSo) names.emplace_back(name);
  if (!names.empty()) load.facts[key] = reports::joined(names);
}

// Adds the facts about the parallelism to the report.
void addFacts(const Parallelism& p, int stages, graph::Workload& load) {
  if (const int tiles = load.graph->machine().ioTiles; tiles > 0) {
    load.facts["io_tiles"] = std::to_string(tiles);
    load.facts["overlap_io"] = overlapOf(p);
  }
  const arch::Machine& machine = load.graph->machine();
  if (machine.leastLinearBytes != arch::Machine().leastLinearBytes)
    load.facts["linear_bytes"] = std::to_string(machine.leastLinearBytes);
  if (p.availableMemoryProportion != Parallelism().availableMemoryProportion)
    load.facts["available_memory"] = fmt::format("{}", p.availableMemoryProportion);
  if (p.batchesPerStep > 1) load.facts["batches_per_step"] = std::to_string(p.batchesPerStep);
  if (p.stages > 0) load.facts["pipeline_stages"] = std::to_string(stages);
  if (p.stages > 0 || p.accumulation > 1) load.facts["micro_batches"] = std::to_string(p.microBatches());
  if (p.recompute != Recompute::None) load.facts["recomputation"] = recomputeName(p.recompute);
  addNames(load, "offload",
           {{p.offloadWeights, "weights"}, {p.offloadOptimiser, "optimiser"}, {p.offloadActivations, "activations"}});
  addNames(load, "sharded_state", {{p.shardState, "optimiser"}});
  addNames(load, "kept_in_fp16", {{p.halfSums, "sums of gradients"}, {p.halfState, "optimiser state"}});
}

} // namespace

void refuseTrainingOptions(const Parallelism& p) {
  if (p.quarter && p.quarter->history > 0) onlyTraining(reports::option("fp8-history"));
  if (p.recompute != Recompute::None) onlyTraining(reports::option("recompute"));
  if (p.shardState) onlyTraining(reports::option("shard-state"));
  if (p.halfSums) onlyTraining(reports::option("half-sums"));
  if (p.halfState) onlyTraining(reports::option("half-state"));
  if (p.unitScaling) onlyTraining(reports::option("unit-scaling"));
  if (p.offloadWeights) onlyTraining(reports::option("offload") + " weights");
  if (p.offloadOptimiser) onlyTraining(reports::option("offload") + " optimiser");
  if (p.offloadActivations) onlyTraining(reports::option("offload") + " activations");
}

graph::Workload inferenceWorkload(const Model& given, const arch::Machine& machine, LoweringOptions lowering,
                                  const Parallelism& p) {
  refuseTrainingOptions(p);
  const std::optional<Model> converted =
      p.quarter ? std::optional(withQuarterProducts(given, *p.quarter, machine)) : std::nullopt;
  const Model& model = converted ? *converted : given;
  if (p.accumulation > 1 && p.stages == 0)
    throw Error(ErrorCode::InvalidInput, "only a pipeline takes several micro-batches in a run", reports::option("accumulation"),
                "add " + reports::option("pipeline") + " STAGES");
  if (machine.vertexByVertex) requireSmallForVertices(model);
  lowering.outline = p.outline;
  lowering.availableMemoryProportion = p.availableMemoryProportion;
  lowering.memoryShares = p.memoryShares;
  lowering.halfPartials = p.halfPartials;
  lowering.batchesPerStep = p.batchesPerStep;
  lowering.overlapIo = p.overlapIo;
  Sharding places = placesOf(model, machine, p, [&](int ipus) { return shard(model, machine, ipus, lowering, p); });
  const int stages = stagesOf(places, p);
  lowering.ipuOfNode = std::move(places.ipuOfNode);
  if (p.stages > 0) lowering.stageOfNode = std::move(places.stageOfNode);
  if (p.stages > 0 && lowering.ipuOfNode.empty()) lowering.ipuOfNode.assign(model.graph.nodes.size(), 0);
  graph::Workload load =
      p.stages > 0 ? lowerPipeline(model, machine, lowering, p.microBatchesOfStep()) : lower(model, machine, lowering);
  addFacts(p, stages, load);
  return load;
}

graph::Workload trainingWorkload(Model model, const std::string& loss, TrainingOptions options, const arch::Machine& machine,
                                 TrainingLoweringOptions lowering, const Parallelism& p) {
  if (p.unitScaling) {
    if (options.lossScale != 1 || options.automaticLossScale)
      throw Error(ErrorCode::InvalidInput, "unit scaling and a loss scale cannot be combined", reports::option("unit-scaling"),
                  "leave out one of them");
    UnitScaled scaled = reports::within(model.file, [&] { return withUnitScaling(model, loss, options.fixed); });
    model = std::move(scaled.model);
    options.lossFactor = scaled.lossFactor;
  }
  if (p.quarter) {
    QuarterProducts quarter = *p.quarter;
    quarter.trains = true, quarter.unitScaled = p.unitScaling;
    if (quarter.history > 0 && (p.microBatches() > 1 || machine.replicas > 1))
      throw Error(ErrorCode::InvalidInput,
                  "the history of largest values works only with one micro-batch per update and one replica",
                  reports::option("fp8-history"), "leave it out, or use no accumulation, pipeline or replicas");
    if (quarter.history > 0 && machine.ipus > 1)
      throw Error(ErrorCode::InvalidInput, "the history of largest values works only on one IPU", reports::option("fp8-history"),
                  "leave it out, or use one IPU");
    model = withQuarterProducts(std::move(model), quarter, machine);
  }
  if (machine.vertexByVertex) requireSmallForVertices(model);
  lowering.lowering.availableMemoryProportion = p.availableMemoryProportion;
  lowering.lowering.memoryShares = p.memoryShares;
  lowering.lowering.halfPartials = p.halfPartials;
  lowering.lowering.overlapIo = p.overlapIo;
  lowering.batchesPerStep = p.batchesPerStep;
  options.accumulation = p.microBatches();
  options.replicas = machine.replicas;
  options.shardState = p.shardState;
  if (p.shardState && machine.replicas == 1)
    throw Error(ErrorCode::InvalidInput, "there is one replica, which keeps all of the optimiser's state",
                reports::option("shard-state"), "add " + reports::option("replicas") + " N");
  if (!p.checkpoints.empty() && p.recompute != Recompute::Checkpoints)
    throw Error(ErrorCode::InvalidInput, "checkpoints need {option recompute} checkpoints",
                reports::option("checkpoint") + " " + p.checkpoints[0]);
  const bool isHalf = lowering.lowering.precision == numerics::ElementType::Half ||
                      std::any_of(model.graph.initialisers.begin(), model.graph.initialisers.end(),
                                  [](const auto& value) { return value.second.type() == numerics::ElementType::Half; });
  if (p.halfSums && !isHalf)
    throw Error(ErrorCode::InvalidInput, "the weights are in fp32, and so are the sums of their gradients",
                reports::option("half-sums"), "add " + reports::option("precision") + " fp16");
  if (p.halfState && !isHalf)
    throw Error(ErrorCode::InvalidInput, "the weights are in fp32, and so is the state of the optimiser",
                reports::option("half-state"), "add " + reports::option("precision") + " fp16");
  const auto made = [&](Model given) {
    TrainingModel training = makeTraining(std::move(given), loss, options);
    if (p.quarter && p.quarter->history > 0) addHistories(training, *p.quarter);
    return training;
  };
  const Sharding places =
      placesOf(model, machine, p, [&](int ipus) { return shardTraining(made(model), machine, ipus, lowering.lowering, p); });
  options.ipuOfNode = places.ipuOfNode;
  options.stageOfNode = places.stageOfNode;
  lowering.pipeline = p.stages > 0;
  lowering.lowering.outline = p.outline;
  TrainingModel training = made(std::move(model));
  addRecomputation(training, p.recompute, p.checkpoints, lowering.pipeline);
  addOffload(training, p, machine.tilesPerIpu);
  lowering.remoteStashes = p.offloadActivations;
  lowering.halfSums = p.halfSums;
  lowering.halfState = p.halfState;
  graph::Workload load = lowerTraining(training, machine, lowering);
  addFacts(p, stagesOf(places, p), load);
  return load;
}

} // namespace simcore::model
