// Makes a training step out of an inference model: loss, backward pass, accumulation, clipping, optimiser. The parameters
// leave the constants of the graph and become variables that the step reads and writes.
#pragma once

#include "simcore/graph/workload.h"
#include "simcore/model/lowering/lowering.h"
#include "simcore/model/training/optimiser.h"

namespace simcore::model {

// The variable of TrainingOptions::rateChanges: one number.
inline constexpr const char* kLearningRate = "learningRate";
// In front of the name of a value: that of its gradient in TrainingOptions::shownGradients (PopART's reservedGradientPrefix).
inline constexpr const char* kGradientOf = "Gradient___";

// Parameters with optimiser values of their own; the kind is the optimiser's.
struct ParameterGroup {
  std::set<std::string> parameters;
  OptimiserOptions optimiser;
};
// The variable of a group's learning rate if TrainingOptions::rateChanges; groups count from 0.
std::string groupRate(std::size_t group);

struct TrainingOptions {
  OptimiserOptions optimiser;
  std::vector<ParameterGroup> groups;
  double lossScale = 1; // the backward pass computes gradients of lossScale x loss
  // Starts at lossScale; halved after an update in which too many gradients came near the end of half precision, else doubled
  // (PopART's automatic loss scale: more than 1e-7 of them above 1/8 of the greatest half).
  bool automaticLossScale = false;
  double lossFactor = 1;    // gradients are those of lossFactor x loss, and the update does not divide them (withUnitScaling())
  double clipNorm = 0;      // gradient clipping: largest global norm; 0: off
  bool rateChanges = false; // the learning rate is the variable kLearningRate, which a caller may write between runs
  std::int64_t accumulation = 1;           // micro-batches whose mean gradient makes one update
  std::vector<std::string> parameters;     // empty: Graph::trained, and without it every floating constant of rank 1 and more
  std::vector<std::string> shownGradients; // values whose gradients are outputs too, called kGradientOf + value
  std::set<std::string> fixed;             // floating constants that stay as they are
  bool gradientsOnly = false;              // no parameters: the program computes shownGradients and updates nothing
  std::vector<int> ipuOfNode;              // of each node of the model; empty: all on the first
  std::vector<int> stageOfNode;            // part of the cut, from 0 on and not falling, on one IPU each; empty: as ipuOfNode
  int replicas = 1;                        // whose mean gradient makes the update
  bool shardState = false;                 // each replica keeps and updates its share of the state (programming-model 3.5) …
  std::int64_t shardAtLeast = 8192;        // … for parameters with at least this number of elements
};

struct TrainingModel {
  Model model; // nodes of a micro-batch (paths fwd and bwd), then those of an update (wu)
  std::size_t forwardNodes = 0, microBatchNodes = 0;
  std::vector<std::size_t> forwardOf; // of each node of a micro-batch: itself, or the node whose gradient it helps to make
  std::vector<int> ipuOfNode;         // of all nodes: gradients where their nodes are, updates where parameters are read first
  std::vector<int> stageOfNode;       // of the nodes of a micro-batch: part of the cut, a gradient with its node
  std::int64_t accumulation = 1;
  std::string loss;
  std::vector<std::string> parameters;
  std::set<std::string> statistics; // running means and variances of batch norms
  std::size_t keptStatistics = 0;   // number of statistics not updated, because several batches or replicas make an update
  std::map<std::string, numerics::HostTensor> variables;    // parameters, statistics, state, accumulators: first values
  std::vector<std::pair<std::string, std::string>> written; // variable, name of its value after the step
  std::set<std::string> remote;                             // variables that live in remote buffers (offload.h)
  // Remote buffers that hold several variables, or the shares of them, one after the other.
  struct RemoteGroup {
    std::vector<std::string> variables;
    std::int64_t shards = 1;
  };
  std::map<std::string, RemoteGroup> remoteGroups; // by name of the buffer

  // The IPU of each part of the cut.
  std::vector<int> ipuOfPart() const;
  bool isParameter(const std::string& variable) const {
    return std::find(parameters.begin(), parameters.end(), variable) != parameters.end();
  }
};

// `model` must be resolved (resolve_types.h); `loss` is a value of one element and becomes the first output. Throws
// reports::Error as addGradients() does, InvalidInput for a parameter that is not a floating-point constant of the model.
TrainingModel makeTraining(Model model, const std::string& loss, const TrainingOptions& options);

// Recomputation: forward nodes are cloned into the backward pass, right before the first node that reads their values, so that
// their values need not be kept. The clones are ordinary nodes (path bwd/recompute), so liveness and trace show them without
// special code.
// Which forward values are computed again for the backward pass instead of being kept (programming-model 3.8):
enum class Recompute {
  None,
  Standard,    // kept where least is alive, in stretches that get shorter towards the loss
  NormOnly,    // only outputs of norms (and of activations right behind them) are computed again
  Checkpoints, // everything but Parallelism::checkpoints and what comes after the last of them
  Pipeline     // everything but what enters a stage; the last stage keeps all
};
// "none", "standard", "norm-only", "checkpoints", "pipeline"; throws reports::Error(InvalidInput) listing them.
Recompute recomputeKind(const std::string& name);
const char* recomputeName(Recompute kind);

// Standard divides the N forward nodes of a stage into about 0.75 (sqrt(2 N) - 1) ranges, which get shorter towards its end, and
// keeps the values alive at the place in each range where they are smallest (programming-model 3.8). Values between the last kept
// value and the loss are not recomputed. Values from other stages are always kept. `checkpoints` are names of nodes or values;
// throws Error(InvalidInput) for a name that is not in the model, and for Pipeline without `pipeline`.
void addRecomputation(TrainingModel& training, Recompute kind, const std::vector<std::string>& checkpoints, bool pipeline);

// When an output leaves the machine (programming-model 3.1).
enum class Anchor { Final, EveryN, All, Sum };
struct TrainingLoweringOptions {
  LoweringOptions lowering;
  bool halfSums = false;           // sums of gradients have the type of their parameter on the machine, not float
  bool halfState = false;          // so have velocities and first moments
  bool remoteStashes = false;      // of a pipeline
  bool pipeline = false;           // the IPUs of the machine work on different micro-batches (pipeline.h)
  std::int64_t batchesPerStep = 1; // updates in one run of the program
  Anchor anchor = Anchor::All;
  std::int64_t everyN = 1; // batches, a divisor of batchesPerStep
};
// One program "step": batchesPerStep times (accumulation times (inputs, fwd, bwd), wu). Anchors: All sends every output of
// every micro-batch, Sum their sum once a run, Final the last ones. The caller fills Workload::inputs with one value per
// micro-batch. As a pipeline a batch is fill, main, flush of 2 P - 1 stages, then wu; throws Error(InvalidInput) for fewer
// micro-batches than stages. Throws as lower() does.
graph::Workload lowerTraining(const TrainingModel& training, const arch::Machine& machine,
                              const TrainingLoweringOptions& options = {});

struct UnitScaled {
  Model model;
  double lossFactor = 1; // by which the loss's gradient begins
};
// Unit scaling (unit_scaling.cpp). Needs resolveTypes() and a loss. Throws Error(Unsupported) naming the node for a network it would not be
// right for.
UnitScaled withUnitScaling(Model model, const std::string& loss);

} // namespace simcore::model
