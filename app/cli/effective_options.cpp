#include "app/cli/effective_options.h"

#include "reports/core/join.h"
#include "reports/core/regular_file.h"
#include "simcore/samples/sample.h"

#include <fmt/format.h>

namespace app::cli {

namespace {

std::string number(double value) { return fmt::format("{}", value); }
std::string yes(bool value) { return value ? "yes" : "no"; }
std::string listed(const std::vector<std::string>& words) { return words.empty() ? "none" : reports::joined(words); }

// The word of an input: for a file with the checksum of its content, so that two runs with other values in files of the same name
// differ.
std::string givenInput(const std::string& word) {
  const std::string sum = reports::checksumOfFile(word);
  return sum.empty() ? word : word + " (CRC-32 " + sum + ")";
}

void addTraining(const OnnxOptions& onnx, std::map<std::string, std::string>& options) {
  options["option.loss"] = onnx.loss.kind;
  options["option.labels"] = onnx.loss.labels;
  options["option.class-axis"] = onnx.loss.classAxis ? std::to_string(*onnx.loss.classAxis) : "by shape";
  options["option.ignore-index"] = onnx.loss.ignoreIndex ? std::to_string(*onnx.loss.ignoreIndex) : "none";
  options["option.label-smoothing"] = number(onnx.loss.labelSmoothing);
  options["option.loss-output"] = onnx.loss.output.empty() ? "the first" : onnx.loss.output;
  options["option.parameters"] = onnx.parameters.parameters.empty() ? "by the file" : listed(onnx.parameters.parameters);
  options["option.freeze"] = listed(onnx.parameters.freeze);
  options["option.buffers"] = listed(onnx.parameters.buffers);
  options["option.optimiser"] = onnx.optimiserName;
  const auto& o = onnx.optimiser;
  for (const auto& [name, value] : {std::pair<const char*, double>{"learning-rate", o.learningRate},
                                    {"momentum", o.momentum},
                                    {"weight-decay", o.weightDecay},
                                    {"trust-coefficient", o.trust},
                                    {"epsilon", o.epsilon}})
    options[std::string("option.") + name] = number(value);
}

} // namespace

std::map<std::string, std::string> effectiveOptions(const WorkloadRequest& request) {
  std::map<std::string, std::string> options;
  const auto* sample = sampleCalled(request.graph);
  for (const auto& [name, file] : request.inputs) options["option.input." + name] = givenInput(file);
  if (sample && !sample->distributes) return options; // the sample itself distributes its work
  const auto& p = request.parallel;
  options["option.shard"] = p.shard;
  options["option.partials"] = p.halfPartials ? "half" : "float";
  options["option.outline"] = yes(p.outline);
  options["option.memory-retries"] = std::to_string(request.memoryRetries);
  if (!p.checkpoints.empty()) options["option.checkpoint"] = listed(p.checkpoints);
  if (p.quarter) {
    options["option.fp8-scale"] = std::to_string(request.fp8Scale);
    options["option.fp8-skip"] = listed(request.fp8Skipped);
    options["option.fp8-history"] = std::to_string(request.fp8History);
  }
  options["option.unit-scaling"] = yes(p.unitScaling);
  if (sample) return options;
  options["option.train"] = yes(request.onnx.train);
  options["option.disable-pass"] = listed(request.onnx.disabledPasses);
  if (!request.onnx.shapes.empty()) options["option.shape"] = listed(request.onnx.shapes);
  if (request.onnx.batch > 0) options["option.batch"] = std::to_string(request.onnx.batch);
  if (request.onnx.train) addTraining(request.onnx, options);
  return options;
}

const std::vector<TracedOption>& tracedOptions() {
  using enum OptionTrace;
  static const std::vector<TracedOption> all{
      {"machine", Fact, "machine"},
      {"ipus", Fact, "machine"},
      {"replicas", Fact, "replicas"},
      {"pipeline", Fact, "pipeline_stages"},
      {"accumulation", Fact, "micro_batches"},
      {"batches-per-step", Fact, "batches_per_step"},
      {"shard", Option, ""},
      {"recompute", Fact, "recomputation"},
      {"checkpoint", Option, ""},
      {"offload", Fact, "offload"},
      {"shard-state", Fact, "sharded_state"},
      {"half-sums", Fact, "kept_in_fp16"},
      {"half-state", Fact, "kept_in_fp16"},
      {"available-memory", Fact, "available_memory"},
      {"memory-retries", Option, ""},
      {"no-outline", Option, "outline"},
      {"linear-bytes", Fact, "linear_bytes"},
      {"partials", Option, ""},
      {"io-tiles", Fact, "io_tiles"},
      {"overlap-io", Fact, "overlap_io"},
      {"shape", Option, ""},
      {"batch", Option, ""},
      {"disable-pass", Option, ""},
      {"train", Option, ""},
      {"loss", Option, ""},
      {"labels", Option, ""},
      {"class-axis", Option, ""},
      {"ignore-index", Option, ""},
      {"label-smoothing", Option, ""},
      {"loss-output", Option, ""},
      {"parameters", Option, ""},
      {"freeze", Option, ""},
      {"buffers", Option, ""},
      {"optimiser", Option, ""},
      {"learning-rate", Option, ""},
      {"momentum", Option, ""},
      {"weight-decay", Option, ""},
      {"trust-coefficient", Option, ""},
      {"epsilon", Option, ""},
      {"input", Option, ""},
      {"set", Fact, "parameter."},
      {"precision", Fact, "precision"},
      {"fp8-scale", Option, ""},
      {"fp8-skip", Option, ""},
      {"fp8-history", Option, ""},
      {"unit-scaling", Option, ""},
      {"iterations", Fact, "iterations"},
      {"seed", Fact, "seed"},
      {"engine-option", Fact, "engine option"},
      {"vertex-by-vertex", Fact, "numbers"},
      {"no-numbers", Fact, "has_numbers"},
      {"tag", Fact, "tag."},
      {"tags", Fact, "tag."},
      {"arguments", Option, ""},
      {"environment", Option, ""},
      {"folder", Option, ""},
      {"report", NoResult, ""},
      {"outputs", NoResult, ""},
      {"save-model", NoResult, ""},
      {"force", NoResult, ""},
      {"no-follow", NoResult, ""},
      {"memory-limit", NoResult, ""},
      {"dry-run", NoResult, ""},
      {"json", NoResult, ""},
      {"progress", NoResult, ""},
      {"help", NoResult, ""},
  };
  return all;
}

} // namespace app::cli
