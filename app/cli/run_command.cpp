#include "app/cli/run_command.h"

#include "app/cli/checks.h"
#include "app/cli/onnx_model.h"
#include "app/cli/output_files.h"

#include "analyser/session/format.h"
#include "analyser/summary/summary.h"
#include "reports/core/text.h"
#include "reports/sqlite/writer.h"
#include "simcore/run/simulate.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace app::cli {

namespace {

using simcore::run::SimulateOptions;
using simcore::run::SimulateResult;

std::string commandLine(const Context& context) {
  std::string line = "tilescope-cli";
  for (const std::string& argument : context.arguments) {
    const bool plain = !argument.empty() && argument.find_first_of(" \t\n\"'\\$&|;<>()*?") == std::string::npos;
    line += plain ? " " + argument : " '" + argument + "'";
  }
  return line;
}

// The passes that fired, from the facts of a workload: name and count.
std::map<std::string, std::string> firedPasses(const std::map<std::string, std::string>& facts) {
  const std::string prefix = "pass.";
  std::map<std::string, std::string> fired;
  for (const auto& [key, value] : facts)
    if (key.starts_with(prefix) && value != "0") fired[key.substr(prefix.size())] = value;
  return fired;
}

void print(Context& context, const std::string& report, const SimulateResult& result, const std::vector<std::string>& files,
           const std::map<std::string, std::string>& fired, bool asJson) {
  const auto session = analyser::Session::open(report);
  const auto s = analyser::summary::summarise(*session, context.stop);
  if (asJson) {
    nlohmann::ordered_json history = nlohmann::ordered_json::object();
    for (const auto& [stream, values] : result.history) history[stream] = values;
    const nlohmann::ordered_json json{{"report", report},
                                      {"title", s.identity.title},
                                      {"state", s.outOfMemory ? "out_of_memory" : "fits"},
                                      {"total_cycles", s.cycles.total.value()},
                                      {"seconds", s.seconds},
                                      {"verdict", s.verdict.text()},
                                      {"outputs", files},
                                      {"passes", fired},
                                      {"values", history}};
    context.out << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
    return;
  }
  context.out << analyser::printable(s.identity.title) << " on " << s.identity.machine << "\n"
              << s.verdict.text() << "\n"
              << s.timeVerdict << "\n"
              << "report: " << analyser::printable(report) << " (" << analyser::formatBytes(s.identity.fileSize) << ")\n";
  std::string passes;
  for (const auto& [name, count] : fired) passes += (passes.empty() ? "" : ", ") + name + " " + count;
  if (!passes.empty()) context.out << "fused: " << passes << "\n";
  for (const auto& [stream, values] : result.history)
    if (values.size() > 1)
      context.out << analyser::printable(stream) << ": " << values.front() << " at first, " << values.back() << " after "
                  << analyser::formatCount(static_cast<int64_t>(values.size())) << " values\n";
  if (!files.empty()) context.out << "outputs: " << analyser::formatCount(static_cast<int64_t>(files.size())) << " files\n";
}

} // namespace

void RunCommand::declare(CLI::App& command) {
  command.add_option("GRAPH", m_request.graph, "a sample's name, an .onnx file, or a folder with model.onnx")->required();
  command.add_option("--machine", m_request.machine, "machine (see `machines`)")->capture_default_str();
  command.add_option("--ipus", m_request.ipus, "number of IPUs (default: the machine's)")->check(CLI::Range(1, 4096));
  declareParallelism(command);
  declareOnnxOptions(command, m_request.onnx);
  command.add_option("-o,--report", m_report, "report to write (default: NAME.tsr in this folder)");
  command
      .add_option(
          "--input", m_inputs,
          "NAME=FILE: value of an input, .pb (TensorProto) or .npy, or of a model's its numbers (rate=16000); may be repeated")
      ->allow_extra_args(false);
  command.add_option("--outputs", m_outputs, "folder for the outputs of the last run, as .npy files");
  command.add_option("--set", m_settings, "KEY=VALUE: parameter of a sample; may be repeated")->allow_extra_args(false);
  command.add_option("--precision", m_precision, "fp32 or fp16; of a sample with a parameter `type` its default")
      ->check(CLI::IsMember({"fp32", "fp16"}))
      ->each([this](const std::string&) { m_request.precisionGiven = true; })
      ->capture_default_str();
  command.add_option("--iterations", m_request.iterations, "how often to run the program")
      ->check(CLI::Range(int64_t(1), int64_t(1'000'000)))
      ->capture_default_str();
  command.add_option("--seed", m_request.seed, "seed of weights and made-up inputs")
      ->check(isWholeNumber())
      ->each([this](const std::string&) { m_seedGiven = true; })
      ->capture_default_str();
  command
      .add_option("--engine-option", m_engineOptions,
                  "KEY=VALUE: engine option under its Poplar name; may be repeated. POPLAR_ENGINE_OPTIONS (JSON) is read first")
      ->allow_extra_args(false);
  command.add_flag("--vertex-by-vertex", m_request.vertexByVertex,
                   "compute library operations tile by tile from what each tile has, as their plans cut them: slow, for small "
                   "graphs and machines; the same numbers up to rounding prove the plans");
  command.add_flag("--no-numbers", m_noNumbers, "time and memory only: no values are computed");
  command.add_flag("--json", m_json, "print JSON");
  declareProgress(command, m_progress);
}

// Several IPUs, and what makes a model fit on them.
void RunCommand::declareParallelism(CLI::App& command) {
  simcore::model::Parallelism& p = m_request.parallel;
  const std::string group = "Several IPUs and training";
  command
      .add_option("--replicas", m_request.replicas,
                  "data-parallel replicas of a model, each on its share of the IPUs; their time is the same, so the report shows "
                  "the IPUs "
                  "of one and says how many replicas there are")
      ->check(CLI::Range(1, 4096))
      ->group(group);
  command
      .add_option("--pipeline", p.stages,
                  "run a model as a pipeline of this many stages, one IPU each; stages x replicas must be the number of IPUs")
      ->check(CLI::Range(1, 4096))
      ->group(group);
  command
      .add_option("--accumulation", p.accumulation,
                  "micro-batches of a weight update in training, of a run of a pipeline in inference (default: 4 for each stage "
                  "of a pipeline)")
      ->check(CLI::Range(int64_t(1), int64_t(1'000'000)))
      ->group(group);
  command
      .add_option(
          "--shard", p.shard,
          "how a model is cut over the IPUs of a replica: auto (balanced cycles), none (all on the first), or NAME,NAME,...: the "
          "first node of every IPU but the first")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--recompute", m_recompute,
                  "what training computes again for the backward pass instead of keeping it: none, standard (kept where least is "
                  "alive), norm-only, checkpoints (all but --checkpoint), pipeline (all but what enters a stage)")
      ->check(CLI::IsMember({"none", "standard", "norm-only", "checkpoints", "pipeline"}))
      ->capture_default_str()
      ->group(group);
  command.add_option("--checkpoint", p.checkpoints, "node or value that --recompute checkpoints keeps; may be repeated")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--offload", m_offload,
                  "keep in streaming memory and load when needed: weights, optimiser, activations, with commas or repeated")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"weights", "optimiser", "activations"}))
      ->group(group);
  command
      .add_flag("--shard-state", p.shardState,
                "replicated tensor sharding: every replica keeps and updates its share of the optimiser's state")
      ->group(group);
  command
      .add_flag("--half-sums", p.halfSums,
                "with --precision fp16 gradients of micro-batches are summed up in fp16 (PopART's default), not in fp32")
      ->group(group);
  command
      .add_option("--available-memory", p.availableMemoryProportion,
                  "share of a tile's memory that a convolution or matrix product may take while it runs "
                  "(availableMemoryProportion)")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--batches-per-step", p.batchesPerStep,
                  "batches (in training: weight updates) that one run of the program does (PopART's batchesPerStep)")
      ->check(CLI::Range(int64_t(1), int64_t(1'000'000)))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--io-tiles", m_request.ioTiles,
                  "tiles of each IPU that do nothing but transfers with the host, its last ones (PopART's numIOTiles)")
      ->capture_default_str()
      ->group(group);
  command
      .add_option(
          "--overlap-io", m_overlapIo,
          "with --io-tiles, what transfers run beside: off (nothing; PopART's JustInTime), inner (the loop of micro-batches, or "
          "of batches if there is no other; OverlapInnerLoop) or loops (both loops of training; OverlapLoops)")
      ->check(CLI::IsMember({"off", "inner", "loops"}))
      ->capture_default_str()
      ->group(group);
  command.add_flag("!--no-outline", p.outline, "no functions for repeated layers: every layer has code of its own")->group(group);
}

RunFiles RunCommand::runFiles() const {
  RunFiles files{m_report, m_outputs, m_request.onnx.saveModel, {}};
  if (const auto file = findOnnxFile(m_request.graph)) files.read.push_back(*file);
  for (const auto& [name, file] : m_request.inputs) files.read.emplace_back(file);
  return files;
}

int RunCommand::run(Context& context) {
  m_request.half = m_precision == "fp16";
  simcore::model::Parallelism& parallel = m_request.parallel;
  parallel.recompute = simcore::model::recomputeKind(m_recompute);
  const auto offloads = [&](const char* what) { return std::find(m_offload.begin(), m_offload.end(), what) != m_offload.end(); };
  using simcore::model::OverlapIo;
  parallel.overlapIo = m_overlapIo == "off" ? OverlapIo::Off : m_overlapIo == "loops" ? OverlapIo::Loops : OverlapIo::InnerLoop;
  parallel.offloadWeights = offloads("weights");
  parallel.offloadOptimiser = offloads("optimiser");
  parallel.offloadActivations = offloads("activations");
  m_request.inputs = keyValues(m_inputs, "--input");
  m_request.settings = keyValues(m_settings, "--set");
  simcore::run::EngineOptionSet engineOptions;
  if (const char* json = std::getenv("POPLAR_ENGINE_OPTIONS"); json && *json)
    engineOptions.readJson(json, "POPLAR_ENGINE_OPTIONS");
  for (const auto& [name, value] : keyValues(m_engineOptions, "--engine-option"))
    engineOptions.set(name, value, "--engine-option");
  for (const std::string& name : engineOptions.unknown())
    context.err << "note: engine option '" << analyser::printable(name) << "' is not known and has no effect\n";
  if (engineOptions.isSet("prng.seed") && !m_seedGiven) m_request.seed = engineOptions.integer("prng.seed");
  if (m_noNumbers && !m_outputs.empty())
    throw reports::Error(reports::ErrorCode::InvalidInput, "there are no outputs without numbers", "--outputs",
                         "leave out --no-numbers");
  if (m_noNumbers && !m_request.onnx.saveModel.empty())
    throw reports::Error(reports::ErrorCode::InvalidInput, "nothing is trained without numbers", "--save-model",
                         "leave out --no-numbers");
  requireSafe(runFiles(), {}); // before the graph is made, which takes a while
  const auto progress = makeProgress(context, m_progress);
  simcore::run::HostTimeline timeline("tilescope-cli");
  auto loading = timeline.span("load the graph", "load");
  const auto workload = loadWorkload(m_request, context.stop, *progress);
  loading.reset();
  if (const auto overlap = workload.facts.find("overlap_io");
      overlap != workload.facts.end() && overlap->second.starts_with("none"))
    context.err << "note: a run of one batch loads nothing ahead of its work; add --batches-per-step or --accumulation\n";
  if (m_report.empty()) m_report = fileName(workload.name) + ".tsr";
  requireSafe(runFiles(), workload.outputs);

  SimulateOptions options;
  options.engine.numbers = !m_noNumbers;
  options.engine.printStream = &context.err;
  options.iterations = m_request.iterations;
  options.seed = m_request.seed;
  options.engineOptions = std::move(engineOptions);
  options.metadata = {{"command_line", commandLine(context)},
                      {"tool", "tilescope-cli"},
                      {"tool_version", TILESCOPE_VERSION},
                      {"precision", m_precision}};
  if (m_request.vertexByVertex) options.metadata["numbers"] = "vertex by vertex";
  if (workload.graph->machine().replicas > 1) options.metadata["replicas"] = std::to_string(workload.graph->machine().replicas);
  for (const auto& [name, value] : workload.facts) options.metadata[name] = value;
  SimulateResult result;
  {
    reports::Writer writer(m_report); // without commit() it leaves nothing behind
    result = simcore::run::simulate(workload, options, writer, timeline, context.stop, *progress);
    progress->phase("finishing the report");
    if (!m_outputs.empty() && result.fits) makeFolder(m_outputs);
    writer.commit();
    progress->update(1);
  }
  if (const int ipus = workload.graph->machine().ipus; result.idleIpus > 0 && result.idleIpus < ipus)
    context.err << "note: " << reports::counted(result.idleIpus, "IPU") << " of " << ipus
                << (result.idleIpus == 1 ? " computes" : " compute") << " nothing; shares of the peak count all\n";
  if (!result.fits && (!m_outputs.empty() || !m_request.onnx.saveModel.empty()))
    context.err << "note: the model does not fit, so no numbers were computed and no outputs are written\n";
  std::vector<std::string> files;
  if (!m_outputs.empty() && result.fits) files = writeOutputs(m_outputs, result);
  if (!m_request.onnx.saveModel.empty() && result.fits) {
    saveTrained(findOnnxFile(m_request.graph)->string(), result.variables, m_request.onnx.saveModel);
    files.push_back(m_request.onnx.saveModel);
  }
  print(context, m_report, result, files, firedPasses(workload.facts), m_json);
  return result.fits ? kDone : kAnswerIsNo;
}

} // namespace app::cli
