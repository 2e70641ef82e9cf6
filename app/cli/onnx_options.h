// What `run` can be told about an ONNX model beyond its inputs: shapes, passes, and training with a loss of its own.
#pragma once

#include "simcore/model/graph/graph.h"
#include "simcore/model/training/optimiser.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace app::cli {

struct OnnxOptions {
  std::vector<std::string> shapes; // "NAME=1x3x224x224"
  std::vector<std::string> disabledPasses;
  bool train = false;
  std::string loss = "cross-entropy", labels = "labels", output; // output: the first if empty
  std::string optimiserName = "sgd";
  simcore::model::OptimiserOptions optimiser;
  std::string saveModel;                       // file
  std::map<std::string, std::string> training; // options of a loss and an optimiser that were given, with their words

  // The option of the command line that only a model has a use for; empty if none was given.
  std::string givenOption() const;
};
void declareOnnxOptions(CLI::App& command, OnnxOptions& options);

// Appends the loss to a typed model and, where it needs one, an input for the labels. Returns the name of the loss. Throws
// Error(InvalidInput) for an output that does not fit the loss, NotFound for one that is not there.
std::string addLoss(simcore::model::Model& model, const OnnxOptions& options);

// The model of `file` with the trained parameters.
void saveTrained(const std::string& file, const std::map<std::string, simcore::numerics::HostTensor>& parameters,
                 const std::string& target);

} // namespace app::cli
