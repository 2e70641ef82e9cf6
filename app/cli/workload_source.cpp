#include "app/cli/workload_source.h"

#include "app/cli/onnx_model.h"
#include "reports/core/error.h"
#include "reports/core/join.h"
#include "reports/core/spelling.h"
#include "reports/core/sqlite_head.h"
#include "simcore/model/graph/graph.h"
#include "simcore/onnx/onnx_file.h"
#include "simcore/onnx/tensor_files.h"
#include "simcore/placement/model_work.h"
#include "simcore/placement/parallelism.h"
#include "simcore/placement/written_cut.h"
#include "simcore/prepare/made_up.h"
#include "simcore/prepare/torch_export.h"
#include "simcore/samples/sample.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace app::cli {

namespace {

namespace fs = std::filesystem;
using reports::Error;
using reports::ErrorCode;
using simcore::graph::Workload;
using simcore::model::ModelRequest;
using simcore::model::NamedTensors;
using simcore::model::ResolvedModel;

// The first option that differs from its default, or null.
const char* firstSet(const simcore::model::Parallelism& p) {
  const std::pair<bool, const char*> given[] = {{p.stages > 0, "--pipeline"},
                                                {p.accumulation > 0, "--accumulation"},
                                                {p.shard != "auto", "--shard"},
                                                {p.recompute != simcore::model::Recompute::None, "--recompute"},
                                                {p.offloadWeights || p.offloadOptimiser || p.offloadActivations, "--offload"},
                                                {!p.checkpoints.empty(), "--checkpoint"},
                                                {p.shardState, "--shard-state"},
                                                {!p.outline, "--no-outline"},
                                                {p.halfSums, "--half-sums"},
                                                {p.halfState, "--half-state"},
                                                {p.halfPartials, "--partials half"},
                                                {p.unitScaling, "--unit-scaling"},
                                                {p.batchesPerStep > 1, "--batches-per-step"},
                                                {p.overlapIo != simcore::model::OverlapIo::InnerLoop, "--overlap-io"},
                                                {p.availableMemoryProportion != 0.6, "--available-memory"}};
  for (const auto& [set, option] : given)
    if (set) return option;
  return nullptr;
}

// The settings of a sample, including the training options that are also parameters of the sample.
std::map<std::string, std::string> settingsOf(const simcore::samples::Sample& sample, const WorkloadRequest& request) {
  static const std::map<std::string, std::string> parameters{{"--optimiser", "optimiser"},
                                                             {"--learning-rate", "lr"},
                                                             {"--momentum", "momentum"},
                                                             {"--weight-decay", "weight-decay"},
                                                             {"--trust-coefficient", "trust-coefficient"},
                                                             {"--epsilon", "epsilon"}};
  auto settings = request.settings;
  const auto agree = [](const auto& setting, const std::string& option, const std::string& word) {
    const auto& [name, taken] = *setting;
    if (taken != word)
      throw Error(ErrorCode::InvalidInput, "contradicts --set " + name + "=" + taken, option + " " + word,
                  "leave out one of them");
  };
  const simcore::samples::Parameters asked(sample.name, sample.parameters, request.settings);
  for (const auto& [option, word] : request.onnx.training) {
    const auto name = parameters.find(option);
    if (name == parameters.end())
      throw Error(ErrorCode::InvalidInput, "this option is for ONNX models, " + sample.name + " is a sample", option,
                  "a sample's parameters are set with --set");
    if (!asked.has(name->second)) throw Error(ErrorCode::InvalidInput, "the sample " + sample.name + " trains nothing", option);
    if (asked.text("training") == "0")
      throw Error(ErrorCode::InvalidInput, "the sample " + sample.name + " does not train in this run", option,
                  "add --set training=1");
    agree(settings.emplace(name->second, word).first, option, word);
  }
  // Compares the parameter with the option. Many samples lack the parameter; then only the option counts.
  if (const auto set = settings.find("accumulation"); set != settings.end() && request.parallel.accumulation > 0)
    agree(set, "--accumulation", std::to_string(request.parallel.accumulation));
  return settings;
}

simcore::arch::Machine asRequested(simcore::arch::Machine machine, const WorkloadRequest& request) {
  machine.vertexByVertex = request.vertexByVertex;
  machine.leastLinearBytes = request.leastLinearBytes;
  return simcore::arch::withIoTiles(std::move(machine), request.ioTiles);
}

// The machine for one replica.
simcore::arch::Machine machineOf(const WorkloadRequest& request, int ipus, int replicas,
                                 const simcore::model::Parallelism& parallel) {
  const int pipelineIpus =
      simcore::model::isWrittenCut(parallel.shard) ? 0 : parallel.stages; // a written cut may leave IPUs idle
  return asRequested(simcore::arch::replicaOf(simcore::arch::findMachine(request.machine, ipus), replicas, pipelineIpus),
                     request);
}

// Sets stages and replicas of a sample of a network. It has defaults for them, which any of the three options replaces.
void placeSample(const simcore::samples::Sample& sample, const WorkloadRequest& request,
                 simcore::samples::BuildOptions& options) {
  if (request.replicas > 0 || request.parallel.stages > 0 || request.ipus > 0) {
    options.machine = machineOf(request, request.ipus, std::max(1, request.replicas), request.parallel);
    return;
  }
  simcore::samples::placeAsShipped(sample, request.machine, options);
  options.machine = asRequested(std::move(options.machine), request);
}

Workload fromSample(const simcore::samples::Sample& sample, const WorkloadRequest& request, const std::stop_token& stop,
                    reports::Progress& progress) {
  if (const std::string option = request.onnx.givenOption(); !option.empty())
    throw Error(ErrorCode::InvalidInput, "this option is for ONNX models, " + sample.name + " is a sample", option,
                "a sample's parameters are set with --set");
  const auto refuse = [&](const char* option) {
    throw Error(ErrorCode::InvalidInput, "the sample " + sample.name + " places its work by itself", option,
                "this option is for ONNX models and samples of networks");
  };
  simcore::samples::BuildOptions options;
  options.parallel = request.parallel;
  if (sample.distributes) {
    placeSample(sample, request, options);
  } else {
    if (request.replicas > 1) refuse("--replicas");
    if (const char* option = firstSet(request.parallel)) refuse(option);
    if (request.ioTiles != 0) refuse("--io-tiles");
    if (request.leastLinearBytes != WorkloadRequest().leastLinearBytes) refuse("--linear-bytes");
    options.machine = machineOf(request, request.ipus, 1, {});
  }
  if (request.half) options.type = simcore::numerics::ElementType::Half;
  options.typeGiven = request.precisionGiven;
  options.seed = request.seed;
  options.iterations = request.iterations;
  options.stop = stop, options.progress = &progress;
  Workload load =
      sample.build(simcore::samples::Parameters(sample.name, sample.parameters, settingsOf(sample, request)), options);
  for (const auto& [name, file] : request.inputs) {
    const auto it = load.inputs.find(name);
    if (it == load.inputs.end()) {
      const std::string known = reports::joined(load.inputs, [](const auto& input) { return input.first; });
      throw Error(ErrorCode::NotFound, sample.name + " has no input '" + name + "'", "--input " + name,
                  known.empty() ? "it has none" : "it has " + known);
    }
    auto value = simcore::model::readTensorFile(file);
    if (!it->second.empty() && value.count() != it->second.front().count())
      throw Error(ErrorCode::InvalidInput,
                  "holds " + std::to_string(value.count()) + " elements, the input takes " +
                      std::to_string(it->second.front().count()),
                  file);
    it->second = {it->second.empty() ? value : value.cast(it->second.front().type())};
  }
  return load;
}

// The batch: by convention the first dimension of the first input, if it has two or more dimensions.
std::optional<int64_t> batchOf(const simcore::model::Model& model) {
  if (model.graph.inputs.empty()) return std::nullopt;
  const auto type = model.inputTypes.find(model.graph.inputs.front().name);
  if (type == model.inputTypes.end() || type->second.shape.size() < 2) return std::nullopt;
  return type->second.shape.front();
}

// Records the types of inputs and outputs; an added loss is one of the outputs.
void noteTypes(const simcore::model::Model& model, LoadedModel& loaded) {
  for (const auto& input : model.graph.inputs) loaded.inputs.emplace_back(input.name, model.inputTypes.at(input.name));
  for (const auto& output : model.graph.outputs) loaded.outputs.emplace_back(output.name, model.graph.types.at(output.name));
}

// Nodes that options name: first nodes of stages or shards, checkpoints, nodes that stay in fp16.
std::set<std::string> namedNodes(const WorkloadRequest& request) {
  std::set<std::string> named(request.parallel.checkpoints.begin(), request.parallel.checkpoints.end());
  named.insert(request.fp8Skipped.begin(), request.fp8Skipped.end());
  if (simcore::model::isWrittenCut(request.parallel.shard))
    for (const auto& part : simcore::model::readCut(request.parallel.shard).parts)
      if (!part.firstNode.empty()) named.insert(part.firstNode);
  return named;
}

} // namespace

LoadedModel loadModel(simcore::model::Model read, const fs::path& file, const WorkloadRequest& request,
                      const std::stop_token& stop, reports::Progress& progress) {
  const auto machine = machineOf(request, request.ipus, std::max(1, request.replicas), request.parallel);
  const OnnxOptions& onnx = request.onnx;
  if (!onnx.saveModel.empty() && !onnx.train)
    throw Error(ErrorCode::InvalidInput, "only training changes a model", "--save-model", "add --train");
  if (!onnx.training.empty() && !onnx.train)
    throw Error(ErrorCode::InvalidInput, "this option is for training, but the run is inference", onnx.training.begin()->first,
                "add --train");
  ModelRequest wanted;
  NamedTensors labels;
  wanted.shapes = shapesFrom(onnx.shapes);
  const auto notes = read.notes;
  for (const auto& [name, word] : request.inputs)
    if (onnx.train && name == onnx.loss.labels)
      labels.emplace(name, simcore::model::givenLabels(word));
    else
      wanted.given.emplace(name, simcore::model::givenValue(read, name, word));
  if (onnx.batch > 0) wanted.batch = onnx.batch;
  if (request.readsStoredInputs && wanted.given.empty() && wanted.shapes.empty() && !wanted.batch)
    wanted.given = simcore::model::storedInputs(read, file);
  wanted.disabledPasses = {onnx.disabledPasses.begin(), onnx.disabledPasses.end()};
  wanted.namedNodes = namedNodes(request);
  wanted.training = onnx.train;
  std::string trained, exported, notTrained;
  LoadedModel loaded;
  const std::string madeUp = reports::joined(simcore::model::sizesMadeUp(read, wanted.given));
  if (onnx.train) {
    const auto separated = simcore::model::separateEqualParameters(read);
    exported = simcore::model::exportRemark(read, separated);
    auto choice = onnx.parameters;
    choice.mayBeEmpty = !request.training.shownGradients.empty();
    auto chosen = simcore::model::chooseParameters(read, choice);
    trained = chosen.text(), notTrained = chosen.othersText();
    loaded.trained = chosen.trained;
    wanted.trained = std::move(chosen.trained);
  }
  wanted.seed = request.seed;
  wanted.half = request.half;
  wanted.valuesChange = request.valuesChange;
  simcore::model::Model declared; // the inputs without values
  declared.graph.inputs = read.graph.inputs;
  ResolvedModel resolved = resolveModel(std::move(read), wanted, stop, progress);
  auto& model = resolved.model;
  auto facts = resolved.facts();       // before the model is moved
  std::function<void()> beforeNumbers; // thrown later, because a program that does not fit is reported first
  try {
    if (request.numbers) inModel(file, [&] { simcore::model::requireAffordableNumbers(model); });
  } catch (const Error& error) {
    beforeNumbers = [error] { throw error; };
  }
  const auto batch = batchOf(model);
  NamedTensors given = wanted.given;
  given.insert(labels.begin(), labels.end());
  progress.phase("lowering");
  simcore::model::LoweringOptions options;
  if (request.half) options.precision = simcore::numerics::ElementType::Half;
  Workload& load = loaded.workload;
  std::map<std::string, std::vector<simcore::numerics::HostTensor>> inputs;
  if (onnx.train) {
    const auto givenLabels = labels.find(onnx.loss.labels);
    const auto loss =
        addLoss(model, onnx.loss, givenLabels == labels.end() ? std::nullopt : std::optional(givenLabels->second.shape()));
    if (const auto value = given.find(onnx.loss.labels); value != given.end() && !labels.empty())
      value->second = simcore::model::fitLabels(model, onnx.loss, value->second);
    inputs = inputValues(model, given, request.seed);
    noteTypes(model, loaded);
    simcore::model::TrainingOptions training = request.training;
    for (const std::string& name : training.shownGradients)
      if (const auto type = model.graph.types.find(name); type != model.graph.types.end())
        loaded.outputs.emplace_back(simcore::model::kGradientOf + name, type->second);
      else
        throw Error(ErrorCode::NotFound, "the model has no value of this name, or its operators were fused", name);
    training.optimiser = onnx.optimiser;
    training.optimiser.kind = simcore::model::optimiserKind(onnx.optimiserName);
    for (auto& group : training.groups) group.optimiser.kind = training.optimiser.kind;
    training.gradientsOnly = loaded.trained.empty();
    load = inModel(file, [&] {
      try {
        return simcore::model::trainingWorkload(std::move(model), loss.name, training, machine,
                                                {.lowering = options, .anchor = request.anchor, .everyN = request.everyN},
                                                request.parallel);
      } catch (const Error& error) { // the size of a gradient may depend on a value that only the user gives
        if (error.code() != ErrorCode::Unsupported) throw;
        throw simcore::model::withMadeUp(error, declared, wanted.given);
      }
    });
    load.facts["train.parameters"] = trained;
    if (!notTrained.empty()) load.facts["train.not_trained"] = notTrained;
    if (!exported.empty()) load.facts["train.export"] = exported;
    if (!loss.guess.empty()) load.facts["train.loss"] = loss.guess;
    if (file.filename() == "model.onnx") load.name = simcore::model::modelName(file);
  } else {
    noteTypes(model, loaded);
    inputs = inputValues(model, given, request.seed);
    load = inModel(file, [&] { return simcore::model::inferenceWorkload(model, machine, options, request.parallel); });
  }
  if (batch && *batch > 0) load.facts["batch_size"] = std::to_string(*batch);
  load.title = load.name; // names inside files mostly come from the exporter
  load.inputs = std::move(inputs);
  load.facts.merge(facts);
  if (!madeUp.empty()) load.facts["made_up"] = madeUp;
  for (const auto& [name, value] : notes) load.facts.emplace("model." + name, value);
  load.beforeNumbers = std::move(beforeNumbers);
  return loaded;
}

namespace {

Workload fromOnnx(const fs::path& file, const WorkloadRequest& request, const std::stop_token& stop,
                  reports::Progress& progress) {
  if (!request.settings.empty())
    throw Error(ErrorCode::InvalidInput, "a model has no parameters", "--set " + request.settings.begin()->first,
                "--set is for samples");
  progress.phase("reading");
  return loadModel(simcore::model::readOnnx(file), file, request, stop, progress).workload;
}

} // namespace

std::map<std::string, std::string> keyValues(const std::vector<std::string>& words, const std::string& option) {
  std::map<std::string, std::string> pairs;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(ErrorCode::InvalidInput, "'" + word + "' is not of the form NAME=VALUE", option);
    if (!pairs.emplace(word.substr(0, equals), word.substr(equals + 1)).second)
      throw Error(ErrorCode::InvalidInput, "'" + word.substr(0, equals) + "' is given twice", option);
  }
  return pairs;
}

namespace {
// Throws for a word that is not a graph. A word that looks like a path is treated as a path; any other word may be a misspelt
// sample name.
[[noreturn]] void refuseGraph(const std::string& word) {
  const std::string advice = "name a sample, an .onnx file or a folder with model.onnx; `samples` lists the samples";
  std::error_code error;
  const fs::file_status status = fs::status(word, error);
  if (fs::is_directory(status)) throw Error(ErrorCode::NotFound, "this folder has no model.onnx", word, advice);
  if (fs::exists(status)) throw Error(ErrorCode::Io, "is not a regular file", word, advice);
  if (error && status.type() != fs::file_type::not_found)
    throw Error(ErrorCode::Io, "cannot open: " + error.message(), word, advice);
  if (word.find('/') != std::string::npos || word.ends_with(".onnx"))
    throw Error(ErrorCode::NotFound, "the file does not exist", word, advice);
  std::vector<std::string> samples;
  for (const auto& sample : simcore::samples::catalogue()) samples.push_back(sample.name);
  const std::string meant = reports::likelyMeant(word, samples),
                    near = meant.empty() ? reports::joined(reports::nearestNames(word, samples, 3)) : std::string();
  throw Error(ErrorCode::NotFound, "'" + word + "' is not a sample, an .onnx file or a folder with model.onnx", "",
              (!meant.empty()  ? meant + " was probably meant; "
               : !near.empty() ? "similar samples are " + near + "; "
                               : std::string()) +
                  "`samples` lists the samples");
}

// The file of a model. Throws if the word is not a file of a model, or if it is a report.
fs::path modelFileOf(const std::string& word) {
  const auto file = findOnnxFile(word);
  if (!file) refuseGraph(word);
  std::string head(reports::kSqliteHeadBytes, '\0');
  std::ifstream(*file, std::ios::binary).read(head.data(), std::streamsize(head.size()));
  if (reports::isSqlite(head))
    throw Error(ErrorCode::InvalidInput, "is a report or another database, not a model", file->string(),
                "open a report with `tilescope " + file->string() +
                    "`; `run` takes a sample, an .onnx file or a folder with model.onnx");
  return *file;
}
} // namespace

const simcore::samples::Sample* sampleCalled(const std::string& name) {
  for (const auto& s : simcore::samples::catalogue())
    if (s.name == name) return &s;
  return nullptr;
}

void requireGraph(const std::string& graph, const std::map<std::string, std::string>& settings) {
  if (const auto* sample = sampleCalled(graph)) {
    (void)simcore::samples::Parameters(sample->name, sample->parameters, settings);
    return;
  }
  (void)modelFileOf(graph);
}

Workload loadWorkload(const WorkloadRequest& request, const std::stop_token& stop, reports::Progress& progress) {
  progress.phase("loading");
  reports::throwIfStopped(stop);
  if (const auto* sample = sampleCalled(request.graph)) return fromSample(*sample, request, stop, progress);
  return fromOnnx(modelFileOf(request.graph), request, stop, progress);
}

simcore::run::Replanning replanningOf(WorkloadRequest request, std::stop_token stop) {
  simcore::run::Replanning replanning;
  replanning.most = request.memoryRetries;
  const auto* sample = sampleCalled(request.graph);
  if (request.memoryRetries == 0 || (sample && !sample->distributes)) return replanning;
  replanning.build = [request = std::move(request), stop = std::move(stop)](const simcore::graph::MemoryShares& shares) mutable {
    request.parallel.memoryShares = std::make_shared<const simcore::graph::MemoryShares>(shares);
    reports::NoProgress quiet;
    return loadWorkload(request, stop, quiet);
  };
  return replanning;
}

} // namespace app::cli
