#include "simcore/prepare/torch_export.h"

#include "reports/core/join.h"
#include "reports/core/text.h"
#include "simcore/onnx/onnx_notes.h"

#include <algorithm>

namespace simcore::model {

namespace {

bool isNoteOfTorch(const std::pair<std::string, std::string>& note) {
  return note.first == "producer" && note.second.starts_with("pytorch");
}

bool isOutput(const Graph& graph, const std::string& name) {
  return std::any_of(graph.outputs.begin(), graph.outputs.end(), [&](const auto& output) { return output.name == name; });
}

// The exporter of TorchScript names constants that it computed by their reader ("onnx::Conv_25"), that of torch 2 leaves a note.
bool hasFoldedNorms(const Model& read) {
  return std::any_of(read.notes.begin(), read.notes.end(), [](const auto& note) { return note.first == kFoldedNorms; }) ||
         std::any_of(read.graph.initialisers.begin(), read.graph.initialisers.end(),
                     [](const auto& constant) { return constant.first.starts_with("onnx::Conv"); });
}

// Batch norms that compute with their stored statistics.
bool hasFixedNorms(const Model& read) {
  return std::any_of(read.graph.nodes.begin(), read.graph.nodes.end(), [](const Node& node) {
    return node.opType == "BatchNormalization" && node.domain.empty() && node.attributes.integer("training_mode", 0) == 0;
  });
}

} // namespace

int separateEqualParameters(Model& read) {
  if (std::none_of(read.notes.begin(), read.notes.end(), isNoteOfTorch)) return 0;
  Graph& graph = read.graph;
  return int(std::erase_if(graph.nodes, [&](const Node& node) {
    if (node.opType != "Identity" || node.inputs.size() != 1 || node.outputs.size() != 1) return false;
    const auto same = graph.initialisers.find(node.inputs[0]);
    if (same == graph.initialisers.end() || !numerics::isFloating(same->second.type()) || isOutput(graph, node.outputs[0]))
      return false;
    const numerics::HostTensor value = same->second;
    return graph.initialisers.emplace(node.outputs[0], value).second;
  }));
}

std::string exportRemark(const Model& read, int separated) {
  if (std::none_of(read.notes.begin(), read.notes.end(), isNoteOfTorch)) return {};
  std::vector<std::string> remarks;
  if (hasFoldedNorms(read))
    remarks.emplace_back("batch norms are folded into the convolutions before them");
  else if (hasFixedNorms(read))
    remarks.emplace_back("batch norms keep their stored statistics");
  if (separated > 0)
    remarks.push_back(reports::counted(separated, "parameter is", "parameters are") +
                      " stored with an equal one, and trained apart");
  if (remarks.empty()) return {};
  return "the model was exported for inference: " + reports::joined(remarks, {}, "; ") +
         "; to train what torch trains, export it with torch.onnx.export(model.train(), …, "
         "training=torch.onnx.TrainingMode.TRAINING, "
         "do_constant_folding=False)";
}

} // namespace simcore::model
