// Options of `run` for an ONNX model beyond its inputs: shapes, passes, and training with an added loss.
#pragma once

#include "app/cli/options.h"
#include "simcore/model/training/optimiser.h"
#include "simcore/prepare/parameters.h"
#include "simcore/prepare/prepare.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace app::cli {

struct OnnxOptions {
  std::vector<std::string> shapes; // "NAME=1x3x224x224", or "NAME=16" for a symbolic dimension
  int64_t batch = 0;               // 0: the batch in the file
  std::vector<std::string> disabledPasses;
  bool train = false;
  simcore::model::LossRequest loss;
  simcore::model::ParameterChoice parameters;
  std::string optimiserName = "sgd";
  simcore::model::OptimiserOptions optimiser;
  std::string saveModel;                       // file
  std::map<std::string, std::string> training; // given options of a loss and an optimiser, with their words

  // The given option that applies only to a model; empty if none was given.
  std::string givenOption() const;
};
void declareOnnxOptions(Options& command, OnnxOptions& options);

// Writes the model of `file` with the trained parameters.
void saveTrained(const std::string& file, const std::map<std::string, simcore::numerics::HostTensor>& parameters,
                 const std::string& target);

} // namespace app::cli
