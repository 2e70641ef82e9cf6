// A graph ready to compile, with its programs, the data of its input streams and the output streams to keep. Samples and models
// are both converted to it.
#pragma once

#include "simcore/graph/graph.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace simcore::graph {

struct NamedProgram {
  std::string name;
  Program program;
};

struct Workload {
  std::string name;  // "mnist-train", "blazeface-front-128"
  std::string title; // for people
  std::shared_ptr<Graph> graph;
  std::vector<NamedProgram> programs;                              // program 0 is run in every iteration
  std::vector<std::size_t> before, after;                          // programs run once before or after the iterations, in order
  std::map<std::string, std::vector<numerics::HostTensor>> inputs; // by stream; the last value is repeated
  bool dataOfReplicas = false; // `inputs` has a value per replica in turn; else all replicas get the same
  std::map<std::string, numerics::HostTensor> remoteContents; // of remote buffers before the first run, by handle
  std::vector<std::string> outputs;                           // streams, in order
  std::map<std::string, std::string> parameters;              // user options and their values, for the report
  std::map<std::string, Tensor> variables;                    // trained parameters, which a caller may read after a run
  std::map<std::string, Shape> remoteVariables;               // trained parameters in the remote buffers "remote/<name>"
  std::map<std::string, Tensor> state;                        // other persistent tensors: the optimiser's state
  std::function<void()> beforeNumbers;      // throws if numbers would take too long; called if the program fits; may be empty
  std::map<std::string, std::string> facts; // additional rows of the report's metadata, e.g. pipeline_stages
};

} // namespace simcore::graph
