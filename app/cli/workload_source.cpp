#include "app/cli/workload_source.h"

#include "app/cli/onnx_model.h"
#include "reports/core/error.h"
#include "simcore/model/pipeline.h"
#include "simcore/model/replication.h"
#include "simcore/model/sharding.h"
#include "simcore/model/tensor_files.h"
#include "simcore/samples/sample.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace app::cli {

namespace {

namespace fs = std::filesystem;
using reports::Error;
using reports::ErrorCode;
using simcore::graph::Workload;

const simcore::samples::Sample* sampleCalled(const std::string& name) {
  for (const auto& s : simcore::samples::catalogue())
    if (s.name == name) return &s;
  return nullptr;
}

// Where the nodes go, for a model on several IPUs.
std::vector<int> placesOf(const simcore::model::Model& model, const simcore::arch::Machine& machine,
                          const WorkloadRequest& request, const simcore::model::LoweringOptions& options) {
  if (request.shard == "auto") {
    // A model of few nodes leaves IPUs idle; as a pipeline it must have a node for each stage.
    const int nodes = int(std::min<std::size_t>(4096, model.graph.nodes.size()));
    return simcore::model::shard(model, machine, request.stages > 0 ? machine.ipus : std::min(machine.ipus, nodes), options)
        .ipuOfNode;
  }
  if (request.shard == "none") {
    if (request.stages > 1)
      throw Error(ErrorCode::InvalidInput,
                  "a pipeline of " + std::to_string(request.stages) + " stages needs a model that is cut", "--shard none");
    return {};
  }
  std::vector<std::string> names;
  std::istringstream words(request.shard);
  for (std::string name; std::getline(words, name, ',');) names.push_back(name);
  if (int(names.size()) + 1 != machine.ipus)
    throw Error(ErrorCode::InvalidInput,
                std::to_string(names.size()) + " cuts make " + std::to_string(names.size() + 1) + " parts, a replica has " +
                    std::to_string(machine.ipus) + " IPUs",
                "--shard " + request.shard);
  return simcore::model::shardAt(model, names).ipuOfNode;
}

Workload fromSample(const simcore::samples::Sample& sample, const WorkloadRequest& request) {
  if (request.replicas > 1 || request.stages > 0 || request.microBatches > 0 || request.shard != "auto")
    throw Error(ErrorCode::InvalidInput, "the sample " + sample.name + " places its work by itself",
                request.stages > 0         ? "--pipeline"
                : request.replicas > 1     ? "--replicas"
                : request.microBatches > 0 ? "--accumulation"
                                           : "--shard",
                "these options are for ONNX models");
  simcore::samples::BuildOptions options;
  options.machine = simcore::arch::findMachine(request.machine, request.ipus);
  if (request.half) options.type = simcore::numerics::ElementType::Half;
  options.seed = request.seed;
  options.iterations = request.iterations;
  Workload load = sample.build(simcore::samples::Parameters(sample.name, sample.parameters, request.settings), options);
  for (const auto& parameter : sample.parameters) {
    const auto given = request.settings.find(parameter.name);
    load.parameters[parameter.name] = given == request.settings.end() ? parameter.defaultValue : given->second;
  }
  for (const auto& [name, file] : request.inputs) {
    const auto it = load.inputs.find(name);
    if (it == load.inputs.end()) {
      std::string known;
      for (const auto& [stream, values] : load.inputs) known += (known.empty() ? "" : ", ") + stream;
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

Workload fromOnnx(const fs::path& file, const WorkloadRequest& request, const std::stop_token& stop,
                  reports::Progress& progress) {
  if (!request.settings.empty())
    throw Error(ErrorCode::InvalidInput, "a model has no parameters", "--set " + request.settings.begin()->first,
                "--set is for samples");
  if (request.microBatches > 0 && request.stages == 0)
    throw Error(ErrorCode::InvalidInput, "only a pipeline takes several micro-batches in a run", "--accumulation",
                "add --pipeline STAGES");
  const auto machine =
      simcore::model::replicaOf(simcore::arch::findMachine(request.machine, request.ipus), request.replicas, request.stages);
  NamedTensors given;
  for (const auto& [name, path] : request.inputs) given.emplace(name, simcore::model::readTensorFile(path));
  const auto model = resolveModel(file, given, stop, progress);
  progress.phase("lowering");
  simcore::model::LoweringOptions options;
  if (request.half) options.precision = simcore::numerics::ElementType::Half;
  if (machine.ipus > 1 || request.shard != "auto") options.ipuOfNode = placesOf(model, machine, request, options);
  if (request.stages > 0 && options.ipuOfNode.empty()) options.ipuOfNode.assign(model.graph.nodes.size(), 0);
  const int64_t microBatches = request.microBatches > 0 ? request.microBatches : kMicroBatchesPerStage * request.stages;
  Workload load = request.stages > 0 ? simcore::model::lowerPipeline(model, machine, options, microBatches)
                                     : simcore::model::lower(model, machine, options);
  load.title = load.name; // names inside of files are mostly those of the exporter
  load.inputs = inputValues(model, given, request.seed);
  return load;
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

Workload loadWorkload(const WorkloadRequest& request, const std::stop_token& stop, reports::Progress& progress) {
  progress.phase("loading");
  reports::throwIfStopped(stop);
  if (const auto* sample = sampleCalled(request.graph)) return fromSample(*sample, request);
  if (const auto file = findOnnxFile(request.graph)) return fromOnnx(*file, request, stop, progress);
  std::string known;
  for (const auto& s : simcore::samples::catalogue()) known += (known.empty() ? "" : ", ") + s.name;
  throw Error(ErrorCode::NotFound, "no sample, no .onnx file and no folder with model.onnx is called '" + request.graph + "'", "",
              "samples: " + known);
}

} // namespace app::cli
