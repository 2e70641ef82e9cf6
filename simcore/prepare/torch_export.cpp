#include "simcore/prepare/torch_export.h"

#include "reports/core/join.h"
#include "reports/core/text.h"
#include "simcore/onnx/onnx_notes.h"

#include <algorithm>
#include <iterator>

namespace simcore::model {

namespace {

bool isNoteOfTorch(const std::pair<std::string, std::string>& note) {
  return note.first == "producer" && note.second.starts_with("pytorch");
}

bool isOutput(const Graph& graph, const std::string& name) {
  return std::any_of(graph.outputs.begin(), graph.outputs.end(), [&](const auto& output) { return output.name == name; });
}

bool hasNote(const Model& read, const char* name) {
  return std::any_of(read.notes.begin(), read.notes.end(), [&](const auto& note) { return note.first == name; });
}

// torch's TorchScript exporter names each constant that it folded after the node that reads it ("onnx::Conv_25"). The exporter of
// torch 2 leaves a note.
bool hasFoldedNorms(const Model& read) {
  return hasNote(read, kFoldedNorms) ||
         std::any_of(read.graph.initialisers.begin(), read.graph.initialisers.end(),
                     [](const auto& constant) { return constant.first.starts_with("onnx::Conv"); });
}

// Whether the model has batch norms that compute with stored statistics.
bool hasFixedNorms(const Model& read) {
  return std::any_of(read.graph.nodes.begin(), read.graph.nodes.end(), [](const Node& node) {
    return node.opType == "BatchNormalization" && node.domain.empty() && node.attributes.integer("training_mode", 0) == 0;
  });
}

// "blocks.0.norm" for a node "/blocks/blocks.0/norm/LayerNormalization_3"; empty for a node of the model itself.
std::string moduleOf(const std::string& node) {
  std::string module;
  for (std::size_t at = 1, end = 0; node.starts_with('/') && (end = node.find('/', at)) != std::string::npos; at = end + 1) {
    const std::string part = node.substr(at, end - at), around = module.substr(module.rfind('.') + 1);
    if (!module.empty() && part.starts_with(around + "."))
      module += part.substr(around.size());
    else
      module += (module.empty() ? "" : ".") + part;
  }
  return module;
}

bool isWithin(const std::string& module, const std::string& outer) {
  return outer.empty() || module == outer || module.starts_with(outer + ".");
}

std::string withoutNumbers(const std::string& module) {
  std::string text;
  for (const char c : module)
    if (c < '0' || c > '9') text += c;
  return text;
}

bool isOneNumber(const numerics::HostTensor& value) {
  for (std::int64_t i = 1; i < value.count(); ++i)
    if (value.at(i) != value.at(0)) return false;
  return true;
}

// If the node is a norm and `name` one of torch's names for its parameters: the name of the parameter at this input ("weight").
// Else `name`.
std::string nameInNorm(const Node& node, std::size_t input, const std::string& name) {
  static const std::string kNames[] = {"", "weight", "bias", "running_mean", "running_var"};
  const std::size_t known = node.opType == "BatchNormalization" ? 5 : node.opType.ends_with("Normalization") ? 3 : 0;
  return input > 0 && input < known && std::find(kNames + 1, std::end(kNames), name) != std::end(kNames) ? kNames[input] : name;
}

constexpr std::int64_t kMostDeduplicated = 1024; // elements; from torch's DeduplicateInitializersPass

bool isEqual(const numerics::HostTensor& a, const numerics::HostTensor& b) {
  return a.type() == b.type() && a.shape() == b.shape() && std::ranges::equal(a.raw(), b.raw());
}

int separateByModules(Graph& graph) {
  int separated = 0;
  for (Node& node : graph.nodes) {
    const std::string module = moduleOf(node.name);
    if (module.empty()) continue;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const std::string name = node.inputs[i];
      const auto found = graph.initialisers.find(name);
      const std::size_t dot = name.rfind('.');
      if (found == graph.initialisers.end() || dot == std::string::npos || !numerics::isFloating(found->second.type()) ||
          found->second.count() > kMostDeduplicated)
        continue;
      const std::string owner = name.substr(0, dot), own = module + "." + nameInNorm(node, i, name.substr(dot + 1));
      const bool isOwn = isWithin(module, owner) || isWithin(owner, module);
      if (isOwn && (module != owner || own == name)) continue;
      if (!isOneNumber(found->second) && (isOwn || withoutNumbers(module) != withoutNumbers(owner))) continue;
      const numerics::HostTensor value = found->second;
      const auto [at, isNew] = graph.initialisers.emplace(own, value);
      if (!isNew && !isEqual(at->second, value)) continue; // another parameter has this name
      separated += isNew;
      node.inputs[i] = own;
    }
  }
  return separated;
}

} // namespace

Separated separateEqualParameters(Model& read) {
  if (std::none_of(read.notes.begin(), read.notes.end(), isNoteOfTorch)) return {};
  Graph& graph = read.graph;
  if (hasNote(read, kModulesOfNodes)) return {separateByModules(graph), true};
  const auto count = int(std::erase_if(graph.nodes, [&](const Node& node) {
    if (node.opType != "Identity" || node.inputs.size() != 1 || node.outputs.size() != 1) return false;
    const auto same = graph.initialisers.find(node.inputs[0]);
    if (same == graph.initialisers.end() || !numerics::isFloating(same->second.type()) || isOutput(graph, node.outputs[0]))
      return false;
    const numerics::HostTensor value = same->second;
    return graph.initialisers.emplace(node.outputs[0], value).second;
  }));
  return {count, false};
}

std::string exportRemark(const Model& read, const Separated& separated) {
  if (std::none_of(read.notes.begin(), read.notes.end(), isNoteOfTorch)) return {};
  std::vector<std::string> remarks;
  if (hasFoldedNorms(read))
    remarks.emplace_back("batch norms are folded into the convolutions before them");
  else if (hasFixedNorms(read))
    remarks.emplace_back("batch norms keep their stored statistics");
  std::string apart;
  if (separated.count > 0)
    apart = reports::counted(separated.count, "parameter is", "parameters are") + " stored with an equal one" +
            (separated.byModules ? " of another module" : "") + ", and trained apart";
  if (separated.byModules && remarks.empty()) return apart;
  if (!apart.empty()) remarks.push_back(apart);
  if (remarks.empty()) return {};
  return "the model was exported for inference: " + reports::joined(remarks, {}, "; ") +
         "; to train what torch trains, export it with torch.onnx.export(model.train(), …, "
         "training=torch.onnx.TrainingMode.TRAINING, "
         "do_constant_folding=False)";
}

} // namespace simcore::model
