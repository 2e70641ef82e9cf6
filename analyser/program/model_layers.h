// The layer of the model that each step works for, to find all steps of one layer: its forward and backward pass and its weight
// update.
#pragma once

#include "analyser/program/program_tree.h"

#include <map>
#include <string_view>
#include <unordered_map>

namespace analyser::program {

// "layer0" for the context "layer0/attention/query.weight", "fc1" for "fc1.weight", "layer1" for "into layer1/attention/query";
// "Conv.1" stays.
std::string layerOfName(std::string_view name);
// "layer0" for the full name "bert/bwd/layer0/attention/query/GemmLhsGrad".
std::string layerOfPath(std::string_view path);
// "bwd" for "net/bwd/layer0/add": the training pass of an operation: fwd,
// bwd, wu, or recompute (which is within bwd). Empty without a pass.
std::string_view passOfPath(std::string_view path);
// The layer of each debug context: below the model and its phases (fwd, bwd, recompute, wu), the outermost module that is one of
// a numbered series ("encoder/layers/layer.3") or does not contain such a series ("head"). Empty: no layer.
class ContextLayers {
public:
  ContextLayers(Session& session, const std::stop_token& stop);
  const std::string& of(int64_t context);
  // The layer for the full name of an operation ("bert/bwd/encoder/layers/layer.3/query/MatMul").
  std::string ofPath(std::string_view path) const;

private:
  struct Context {
    int64_t parent = -1, name = 0;
    bool isOperation = false; // has a kind
  };
  struct Module {
    std::map<std::string, std::size_t, std::less<>> children;
    bool isOpen = false; // its children are layers, or contain layers
    bool isNumbered = false;
  };
  std::vector<std::string> partsOf(int64_t context, bool* isUpdate = nullptr) const;
  void addModules(const std::vector<std::string>& parts);
  void openModules();
  std::string layerOf(const std::vector<std::string>& parts) const;

  Session& m_session;
  std::unordered_map<int64_t, Context> m_contexts;
  std::unordered_map<int64_t, std::string> m_layers; // by context
  std::vector<Module> m_modules;                     // the first is the model; parents before their children
  std::map<std::string, std::string, std::less<>>
      m_layerOfWeights; // layers by their module name in PyTorch: "layer1.0" for "layer1/layer1.0"
};
// Sets Node::layer: for a call from its name, which is that of the operation it runs for; for other steps from their debug
// context. Steps of a shared function have the layer for which the function was made.
void nameLayers(Session& session, Program& program, const std::stop_token& stop);
// In program order, each once.
std::vector<std::string> layersOf(const Program& program);

} // namespace analyser::program
