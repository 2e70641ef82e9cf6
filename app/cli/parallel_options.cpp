#include "app/cli/parallel_options.h"

#include "app/cli/options.h"

#include <algorithm>

namespace app::cli {

namespace {

using simcore::model::OverlapIo;
using simcore::model::Parallelism;

constexpr int kMostIpus = 4096;
constexpr int64_t kMostBatches = 1'000'000;
const char* const kGroup = "Several IPUs and training";

// Options for the IPUs on which a model runs, and for the samples per run.
void declareCuts(Options& command, WorkloadRequest& request) {
  Parallelism& p = request.parallel;
  command
      .addOption("--replicas", request.replicas,
                 "data-parallel replicas of a model, each on its share of the IPUs; all take the same time, so the report shows "
                 "the IPUs of one replica and the number of replicas")
      .check(isInRange(1, kMostIpus))
      .group(kGroup);
  command
      .addOption("--pipeline", p.stages,
                 "run a model as a pipeline of this many stages; unless --shard names a cut with several on one IPU, stages x "
                 "replicas must be the number of IPUs")
      .check(isInRange(1, kMostIpus))
      .group(kGroup);
  command
      .addOption("--accumulation", p.accumulation,
                 "micro-batches of a weight update in training, of a run of a pipeline in inference (default: 4 for each stage "
                 "of a pipeline)")
      .check(isInRange(1, kMostBatches))
      .group(kGroup);
  command
      .addOption("--batches-per-step", p.batchesPerStep,
                 "batches (in training: weight updates) per run of the program (PopART's batchesPerStep)")
      .check(isInRange(1, kMostBatches))
      .showDefault()
      .group(kGroup);
  command
      .addOption(
          "--shard", p.shard,
          "how a model is cut over the IPUs of a replica: auto (the fastest cut that fits; in a pipeline the last part may share "
          "an "
          "IPU with an earlier one), none (all on the first), NAME,NAME,... (the "
          "first "
          "node of every part but the first) or layers:COUNT,COUNT,... (layers of every part, 2.5 ends in the middle of one); "
          "@N after a part names its IPU: layers:3,7,7,7,0@0 has everything before and after the layers on IPU 0")
      .showDefault()
      .group(kGroup);
}

// Options for off-chip storage and recomputation.
void declareMemory(Options& command, WorkloadRequest& request) {
  Parallelism& p = request.parallel;
  command
      .addWord(
          "--recompute", [&p](const std::string& kind) { p.recompute = simcore::model::recomputeKind(kind); },
          "activations that training recomputes for the backward pass: none, standard (all but those at points with the fewest "
          "live bytes), norm-only, checkpoints (all but --checkpoint), pipeline (all but the inputs of a stage)")
      .check(isOneOf({"none", "standard", "norm-only", "checkpoints", "pipeline"}))
      .showDefault("none")
      .group(kGroup);
  command.addOption("--checkpoint", p.checkpoints, "node or value that --recompute checkpoints keeps; may be repeated")
      .oneValueEach()
      .group(kGroup);
  command
      .addWords(
          "--offload",
          [&p](const std::vector<std::string>& given) {
            const auto has = [&](const char* what) { return std::find(given.begin(), given.end(), what) != given.end(); };
            if (has("none") && given.size() > 1)
              throw reports::Error(reports::ErrorCode::InvalidInput, "none cannot be combined with other values", "--offload",
                                   "give none, or weights, optimiser and activations");
            p.offloadWeights = has("weights"), p.offloadOptimiser = has("optimiser"), p.offloadActivations = has("activations");
          },
          "keep in streaming memory and load when needed: weights, optimiser, activations, separated by commas or repeated; none "
          "(the "
          "default)")
      .delimiter(',')
      .oneValueEach()
      .check(isOneOf({"weights", "optimiser", "activations", "none"}))
      .group(kGroup);
  command
      .addFlag("--shard-state", p.shardState,
               "replicated tensor sharding: every replica keeps and updates its share of the optimiser's state")
      .group(kGroup);
  command
      .addFlag("--half-sums", p.halfSums,
               "with --precision fp16 or fp8 gradients of micro-batches are summed up in fp16 (PopART's default), not in fp32")
      .group(kGroup);
  command
      .addFlag("--half-state", p.halfState,
               "with --precision fp16 or fp8 velocities (sgd, lars) and first moments (adam, lamb) are kept in fp16, not in fp32")
      .group(kGroup);
  command
      .addOption("--available-memory", p.availableMemoryProportion,
                 "share of a tile's memory that an operation may take while it runs (availableMemoryProportion)")
      .check(isBetween(0, 1))
      .showDefault()
      .group(kGroup);
  command
      .addOption(
          "--memory-retries", request.memoryRetries,
          "how often to plan again if tiles overflow, with less available memory for the operations that run then; 0: never")
      .check(isInRange(0, 8))
      .showDefault()
      .group(kGroup);
  command
      .addWord(
          "--partials", [&p](const std::string& word) { p.halfPartials = word == "half"; },
          "type of the partial sums of products and convolutions in fp16: half (PopART's partialsTypeMatMuls, TensorFlow's and "
          "PyTorch's half partials) or float; those in fp32 are summed in fp32")
      .check(isOneOf({"half", "float"}))
      .showDefault("float")
      .group(kGroup);
  command
      .addFlag(
          "--no-outline", [&p] { p.outline = false; }, "no functions for repeated layers: every layer has its own code")
      .group(kGroup);
}

void declareIoTiles(Options& command, WorkloadRequest& request) {
  command
      .addOption("--linear-bytes", request.leastLinearBytes,
                 "tile mapping of tensors without a planner: minimum bytes of a tensor per tile; more means fewer, "
                 "fuller tiles and less exchange (mapTensorLinearly's minElementsPerTile)")
      .check(isInRange(1, int64_t(1) << 20))
      .showDefault()
      .group(kGroup);
  command
      .addOption("--io-tiles", request.ioTiles,
                 "tiles of each IPU that do nothing but transfers with the host, its last ones (PopART's numIOTiles)")
      .showDefault()
      .group(kGroup);
  command
      .addWord(
          "--overlap-io",
          [&p = request.parallel](const std::string& word) {
            p.overlapIo = word == "off" ? OverlapIo::Off : word == "loops" ? OverlapIo::Loops : OverlapIo::InnerLoop;
          },
          "with --io-tiles, loops that transfers overlap: off (none; PopART's JustInTime), inner (the loop of micro-batches, or "
          "of batches if it is the only one; OverlapInnerLoop) or loops (both loops of training; OverlapLoops)")
      .check(isOneOf({"off", "inner", "loops"}))
      .showDefault("inner")
      .group(kGroup);
}

} // namespace

void declareParallelOptions(Options& command, WorkloadRequest& request) {
  declareCuts(command, request);
  declareMemory(command, request);
  declareIoTiles(command, request);
}

} // namespace app::cli
