#include "analyser/trials/trials.h"

#include "analyser/session/metadata_count.h"
#include "analyser/session/repeat.h"
#include "analyser/session/run_options.h"

#include <utility>

namespace analyser::trials {

Trial halfPrecision() { return {"Half precision", {"--precision", "fp16"}, "Values take two bytes instead of four."}; }
Trial recompute() {
  return {"Recompute activations", {"--recompute", "standard"}, "Activations are computed again instead of kept."};
}
Trial lessRoom() {
  return {
      "Lower available memory proportion", {"--available-memory", "0.3"}, "Convolutions and products plan with half the memory."};
}
Trial halfSums() {
  return {"Sums of gradients in half precision", {"--half-sums"}, "Sums of gradients take two bytes per value."};
}
Trial halfState() {
  return {"State of the optimiser in half precision", {"--half-state"}, "Its values take two bytes instead of four."};
}
Trial offloadState() {
  return {"Offload the optimiser's state", {"--offload", "optimiser"}, "It waits in streaming memory until the update."};
}
Trial offloadWeights() {
  return {"Offload the weights", {"--offload", "weights"}, "Weights wait in streaming memory until a layer needs them."};
}
Trial offloadStateAndWeights() {
  return {"Offload the optimiser's state and the weights",
          {"--offload", "optimiser,weights"},
          "The state moves once per update, the weights in every pass."};
}
Trial keepOnChip() {
  return {"Keep all on the chip",
          {"--offload", "none"},
          "Nothing is moved for an update; Memory shows whether all fits on the chip."};
}
Trial shardState() { return {"Shard the optimiser's state", {"--shard-state"}, "Every replica keeps its share of the state."}; }
Trial ioTiles() {
  return {"I/O tiles",
          {"--io-tiles", "32", "--overlap-io", "inner", "--batches-per-step", "8"},
          "32 tiles of each IPU transfer while the others work."};
}
Trial moreBatchesARun() {
  return {"Eight batches per run", {"--batches-per-step", "8"}, "The host is called once for eight batches."};
}
Trial spreadWider() {
  return {"Other tile mapping: spread wider",
          {"--linear-bytes", "32"},
          "A tile may have as little as 32 bytes of a tensor without a planner."};
}
Trial spreadWide() {
  return {"Other tile mapping: spread wide",
          {"--linear-bytes", "128"},
          "Tensors without a planner spread over as many tiles as possible."};
}
Trial fewerFullerTiles() {
  return {"Other tile mapping: fewer, fuller tiles",
          {"--linear-bytes", "1024"},
          "A tile gets at least 1 KiB of a tensor without a planner: less exchange."};
}
Trial pipelineOf(int stages) {
  return {"As a pipeline", {"--pipeline", std::to_string(stages)}, "Every IPU works on another micro-batch."};
}
Trial balancedStages(const std::string& cut) {
  return {"Balance the stages", {"--shard", cut}, "All stages wait for the slowest one."};
}
Trial replicasOf(int64_t replicas) {
  const std::string count = std::to_string(replicas);
  return {count + " replicas", {"--replicas", count}, "Each group of IPUs works on its own samples."};
}
Trial microBatchesOf(int64_t count) {
  const std::string text = std::to_string(count);
  return {text + " micro-batches", {"--accumulation", text}, "Fill and flush are paid once for more work."};
}
Trial batchOf(int64_t samples) {
  const std::string text = std::to_string(samples);
  return {"Batch " + text, {"--set", "batch=" + text}, "More samples at once; compare the figures per sample."};
}

bool isOfProgram(const Session& session) { return isProgram(repeatOf(session.metadata("command_line"), {}).graph); }
bool isModel(const Session& session) { return !session.metadata("batch_size").empty(); }
bool trains(const Session& session) { return session.metadata("parameter.training") == "1" || runHasOption(session, "--train"); }

namespace {

// Samples that place their work themselves have parameters for the placement.
void addMappings(const Session& session, std::vector<Trial>& trials) {
  const auto add = [&](const std::string& name, const std::string& value, const char* why) {
    trials.push_back({"Other tile mapping: " + name + " " + value, {"--set", name + "=" + value}, why});
  };
  const auto says = [&](const char* name) { return session.metadata(std::string("parameter.") + name); };
  if (const std::string blocks = says("blocks"); blocks == "rows" || blocks == "squares")
    add("blocks", blocks == "rows" ? "squares" : "rows",
        "Whole rows have two neighbours each; squares have a shorter edge to exchange.");
  if (const std::string split = says("split"); !split.empty())
    add("split", split == "1" ? "0" : "1",
        split == "1" ? "The planner finds how many column segments are best."
                     : "Rows alone: no partial sums to exchange, fewer tiles share a row.");
  if (const std::string tiles = says("tiles"); !tiles.empty()) {
    const int64_t all = session.machine().tiles();
    const bool areAll = tiles == "0" || tiles == std::to_string(all);
    add("tiles", areAll ? std::to_string(all / 2) : "0",
        areAll ? "On half of the tiles: less exchange, more work for each." : "On all tiles.");
  }
}

// The batch size; 0 if the report has none that can be doubled.
int64_t batchSize(const Session& session) {
  constexpr int64_t kMostSamples = int64_t(1) << 40;
  const auto batch = metadataCount(session, "parameter.batch");
  return batch && *batch <= kMostSamples ? *batch : 0;
}

} // namespace

std::vector<Trial> trialsOf(const Session& session, Goal goal) {
  std::vector<Trial> trials;
  if (isOfProgram(session)) return trials;
  const bool ofMemory = goal == Goal::Memory, isFull = session.metadata("state") == "out_of_memory";
  if (!ofMemory) addMappings(session, trials);
  if (!isModel(session)) return trials;
  const auto isGiven = [&](std::string_view option) { return runHasOption(session, option); };
  const std::string precision = session.metadata("precision");
  if (precision == "fp32")
    trials.push_back(halfPrecision().because("Values take two bytes, and the units do more work per cycle."));
  if (precision == "fp8" && !isFull && !ofMemory)
    trials.push_back(halfPrecision().because("Shows how much products in 8-bit floats save."));
  if (ofMemory) {
    if (trains(session) && !isGiven("--recompute")) trials.push_back(recompute());
    if (const int64_t batch = batchSize(session); batch > 1)
      trials.push_back(batchOf(batch / 2).because("Fewer samples at once need fewer activations."));
    if (!isGiven("--available-memory")) trials.push_back(lessRoom());
    if (trains(session) && session.metadata("offload").empty()) trials.push_back(offloadState());
  }
  if (session.machine().ipus == 1 && !isGiven("--pipeline"))
    trials.push_back({"Two pipeline stages", {"--pipeline", "2", "--ipus", "2"}, "Each stage has its own IPU."});
  if (ofMemory) return trials;
  if (const int64_t batch = batchSize(session); batch > 0 && !isFull) trials.push_back(batchOf(batch * 2));
  if (isGiven("--linear-bytes"))
    trials.push_back(spreadWide());
  else if (!isFull)
    trials.push_back(fewerFullerTiles());
  if (!isGiven("--io-tiles") && !isFull) trials.push_back(ioTiles());
  return trials;
}

} // namespace analyser::trials
