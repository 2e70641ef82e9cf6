// The layer of the model that each step works for, so that all steps of one layer can be found: forwards, backwards
// and of its weights.
#pragma once

#include "analyser/program/program_tree.h"

#include <string_view>
#include <unordered_map>

namespace analyser::program {

// "layer0" of a context "layer0/attention/query.weight", "fc1" of "fc1.weight", "layer1" of "into layer1/attention/query"; "Conv.1" as it is.
std::string layerOfName(std::string_view name);
// "layer0" of a whole name "bert/bwd/layer0/attention/query/GemmLhsGrad".
std::string layerOfPath(std::string_view path);
// "bwd" of "net/bwd/layer0/add": the training pass of an operation: fwd, bwd, wu, or recompute (which is within bwd). Empty for an
// operation without a pass.
std::string_view passOfPath(std::string_view path);
// The layer of each debug context: of the outermost one around it below the model and its phases (fwd, bwd, recompute, wu). Empty: none.
class ContextLayers {
public:
  ContextLayers(Session& session, const std::stop_token& stop);
  const std::string& of(int64_t context);

private:
  struct Context {
    int64_t parent = -1, name = 0;
  };
  Session& m_session;
  std::unordered_map<int64_t, Context> m_contexts;
  std::unordered_map<int64_t, std::string> m_layers; // by context
};
// Fills Node::layer: of a call from its name, which is the name of the operation it runs for; of other steps from their debug
// context. Steps of a function that layers share have the layer for which the function was made.
void nameLayers(Session& session, Program& program, const std::stop_token& stop);
// In the order of the program, each once.
std::vector<std::string> layersOf(const Program& program);

} // namespace analyser::program
