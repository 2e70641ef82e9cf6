// Turns the words on the command line into a workload: a sample's name, an .onnx file, or a folder with model.onnx.
#pragma once

#include "app/cli/onnx_options.h"
#include "reports/core/progress.h"
#include "simcore/graph/workload.h"
#include "simcore/placement/parallelism.h"
#include "simcore/run/fit.h"

#include <filesystem>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace simcore::samples {
struct Sample;
}

namespace app::cli {

struct WorkloadRequest {
  std::string graph;
  std::string machine = "gc200";
  int ipus = 0; // 0: the machine's default
  bool half = false, precisionGiven = false;
  int fp8Scale = -3; // --fp8-scale and --fp8-skip, for readPrecision()
  bool fp8Given = false;
  std::int64_t fp8History = 0;
  std::vector<std::string> fp8Skipped;
  bool vertexByVertex = false; // computes numbers of library ops tile by tile
  bool numbers = true;         // the run will compute numbers
  int64_t seed = 0, iterations = 1;
  int replicas = 0; // 0: one, or the sample's default
  int64_t ioTiles = 0;
  int64_t leastLinearBytes = 128; // see arch::Machine
  simcore::model::Parallelism parallel;
  int memoryRetries = 3;                    // number of new plans while tiles overflow
  OnnxOptions onnx;                         // for a model
  simcore::model::TrainingOptions training; // for a model, in addition to the optimiser in `onnx` and the settings in `parallel`
  simcore::model::Anchor anchor = simcore::model::Anchor::All; // outputs that leave the machine in training
  int64_t everyN = 1;
  bool readsStoredInputs = true;               // for a model: the run uses the input values stored beside its file
  bool valuesChange = false;                   // for a model: later runs have other inputs
  std::map<std::string, std::string> settings; // of a sample
  std::map<std::string, std::string> inputs;   // files by name of the input
};

// The sample with this name; null: the graph is a file.
const simcore::samples::Sample* sampleCalled(const std::string& name);
// Throws an Error if loadWorkload() would not find the graph, or if the sample lacks a parameter of the settings. Does not read a
// model.
void requireGraph(const std::string& graph, const std::map<std::string, std::string>& settings);
simcore::graph::Workload loadWorkload(const WorkloadRequest& request, const std::stop_token& stop, reports::Progress& progress);

// A model as a workload, with facts for the caller.
struct LoadedModel {
  simcore::graph::Workload workload;
  using Types = std::vector<std::pair<std::string, simcore::model::TensorType>>;
  Types inputs, outputs;         // of one micro-batch, in the model's order
  std::set<std::string> trained; // the parameters that training changes
};
// `file` is the model's origin, for messages and for the inputs stored beside it.
LoadedModel loadModel(simcore::model::Model read, const std::filesystem::path& file, const WorkloadRequest& request,
                      const std::stop_token& stop, reports::Progress& progress);
// Makes another plan if tiles overflow: the same request, with less memory for some operations. Samples that distribute their
// work themselves are planned only once.
simcore::run::Replanning replanningOf(WorkloadRequest request, std::stop_token stop);

// "KEY=VALUE" words of one option as a map. Throws Error(InvalidInput) naming the option for a word without '=' or a key
// given twice.
std::map<std::string, std::string> keyValues(const std::vector<std::string>& words, const std::string& option);

} // namespace app::cli
