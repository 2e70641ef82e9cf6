// Makes a training step from an inference model: loss, backward pass, accumulation, clipping, optimiser. The parameters are no
// longer constants of the graph but variables that the step reads and writes.
#pragma once

#include "simcore/graph/workload.h"
#include "simcore/model/lowering/lowering.h"
#include "simcore/model/training/optimiser.h"

namespace simcore::model {

// The variable of TrainingOptions::rateChanges: one number.
inline constexpr const char* kLearningRate = "learningRate";
// Prefix of a value's name for its gradient in TrainingOptions::shownGradients (PopART's reservedGradientPrefix).
inline constexpr const char* kGradientOf = "Gradient___";

// Parameters with their own optimiser values; the kind is the optimiser's.
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
  // Automatic loss scale, starting at lossScale: it is halved after an update in which too many gradients came near the limit of
  // half precision, else doubled (PopART's rule: more than 1e-7 of the gradients above 1/8 of the largest half).
  bool automaticLossScale = false;
  double lossFactor = 1;    // gradients are taken of lossFactor x loss, and the update does not divide them (withUnitScaling())
  double clipNorm = 0;      // gradient clipping: largest global norm; 0: off
  bool rateChanges = false; // the learning rate is the variable kLearningRate, which a caller may write between runs
  std::int64_t accumulation = 1;           // micro-batches whose mean gradient makes one update
  std::vector<std::string> parameters;     // empty: Graph::trained, or else every floating constant of rank 1 or more
  std::vector<std::string> shownGradients; // values whose gradients are also outputs, named kGradientOf + value
  std::set<std::string> fixed;             // floating constants that training does not change
  bool gradientsOnly = false;              // no parameters: the program computes shownGradients and updates nothing
  std::vector<int> ipuOfNode;              // of each node of the model; empty: all on the first
  std::vector<int> stageOfNode;            // part of the cut, from 0 and not descending, on one IPU each; empty: like ipuOfNode
  int replicas = 1;                        // number of replicas whose mean gradient makes the update
  bool shardState = false;                 // each replica keeps and updates its share of the state (programming-model 3.5)
  std::int64_t shardAtLeast = 8192;        // least number of elements of a parameter for shardState
};

struct TrainingModel {
  Model model; // nodes of a micro-batch (paths fwd and bwd), then those of an update (wu)
  std::size_t forwardNodes = 0, microBatchNodes = 0;
  // By node of a micro-batch: the node itself, or the forward node whose gradient it contributes to.
  std::vector<std::size_t> forwardOf;
  // By node: a gradient is on the IPU of its forward node, an update on that of the parameter's first reader.
  std::vector<int> ipuOfNode;
  std::vector<int> stageOfNode; // by node of a micro-batch: its part of the cut; a gradient has the part of its forward node
  std::int64_t accumulation = 1;
  std::string loss;
  std::vector<std::string> parameters;
  std::set<std::string> statistics; // running means and variances of batch norms
  std::size_t keptStatistics = 0;   // number of statistics not updated, because several batches or replicas make an update
  std::map<std::string, numerics::HostTensor> variables;    // parameters, statistics, state, accumulators: initial values
  std::vector<std::pair<std::string, std::string>> written; // variable, name of its value after the step
  std::set<std::string> remote;                             // variables in remote buffers (placement/offload.cpp)
  // Remote buffers that hold several variables, or their shares, in sequence.
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

// `model` must be resolved (resolve_types.h); `loss` is a value of one element and becomes the first output. Throws the
// reports::Error of addGradients(), and InvalidInput for a parameter that is not a floating-point constant of the model.
TrainingModel makeTraining(Model model, const std::string& loss, const TrainingOptions& options);

// Recomputation: forward nodes are cloned into the backward pass, right before the first node that reads their values, so that their values
// need not be kept. The clones are ordinary nodes (path bwd/recompute), so liveness and trace show them without special code. `Recompute`
// says which forward values are recomputed for the backward pass instead of being kept (programming-model 3.8):
enum class Recompute {
  None,
  Standard,    // kept where the fewest bytes are live, in ranges that get shorter towards the loss
  NormOnly,    // only outputs of norms (and of activations right after them) are recomputed
  Checkpoints, // everything except the values in Parallelism::checkpoints and those after the last of them
  Pipeline     // everything except the inputs of a stage; the last stage keeps all
};
// "none", "standard", "norm-only", "checkpoints", "pipeline"; throws reports::Error(InvalidInput) listing them.
Recompute recomputeKind(const std::string& name);
const char* recomputeName(Recompute kind);

// Standard divides the N forward nodes of a stage into about 0.75 (sqrt(2 N) - 1) ranges, which get shorter towards its end, and
// keeps the live values at the position in each range where they are smallest (programming-model 3.8). Values between the last
// kept value and the loss are not recomputed. Values from other stages are always kept. `checkpoints` are names of nodes or
// values; throws Error(InvalidInput) for an unknown name, and for Pipeline without `pipeline`.
void addRecomputation(TrainingModel& training, Recompute kind, const std::vector<std::string>& checkpoints, bool pipeline);

// When an output leaves the machine (programming-model 3.1).
enum class Anchor { Final, EveryN, All, Sum };
struct TrainingLoweringOptions {
  LoweringOptions lowering;
  bool halfSums = false;           // sums of gradients have the machine type of their parameter, not float
  bool halfState = false;          // velocities and first moments have the machine type of their parameter, not float
  bool remoteStashes = false;      // the stashes of a pipeline are remote buffers
  bool pipeline = false;           // the IPUs of the machine work on different micro-batches (pipeline.h)
  std::int64_t batchesPerStep = 1; // updates in one run of the program
  Anchor anchor = Anchor::All;
  std::int64_t everyN = 1; // batches, a divisor of batchesPerStep
};
// One program "step": batchesPerStep times (accumulation times (inputs, fwd, bwd), wu). Anchors: All sends every output of every
// micro-batch, EveryN the last ones of every `everyN` batches, Sum their sum once per run, Final the last ones of the run. The caller fills
// Workload::inputs with one value per micro-batch. With `pipeline`, a batch is fill, main and flush of a pipeline with 2 P - 1 stages (P
// parts of the model), then wu; throws Error(InvalidInput) for fewer micro-batches than stages. Throws the errors of lower().
graph::Workload lowerTraining(const TrainingModel& training, const arch::Machine& machine,
                              const TrainingLoweringOptions& options = {});

} // namespace simcore::model
