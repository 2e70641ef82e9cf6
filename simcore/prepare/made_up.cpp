#include "simcore/prepare/made_up.h"

#include <algorithm>
#include <map>
#include <set>

namespace simcore::model {

namespace {

// By operator: the inputs that are sizes, offsets or numbers of iterations.
const std::map<std::string, std::vector<std::size_t>>& sizesOfOperators() {
  static const std::map<std::string, std::vector<std::size_t>> sizes{
      {"Slice", {1, 2}}, {"Range", {0, 1}},        {"Expand", {1}}, {"Reshape", {1}}, {"Loop", {0}},
      {"Tile", {1}},     {"ConstantOfShape", {0}}, {"OneHot", {1}}, {"Split", {1}},   {"Pad", {1}}};
  return sizes;
}

// Whether the result contains integers of this input. False, for example, for the indices of Gather, which only select values of
// another tensor.
bool passesOn(const Node& node, std::size_t input) {
  static const std::set<std::string> kOfAll{"Add", "Sub", "Mul", "Div", "Min", "Max", "Concat"};
  static const std::set<std::string> kOfFirst{"Identity", "Cast",      "Squeeze",   "Unsqueeze", "Reshape",
                                              "Slice",    "ReduceMax", "ReduceSum", "Gather",    "ReduceMin"};
  return kOfAll.count(node.opType) || (input == 0 && kOfFirst.count(node.opType));
}

// Whether a size is computed from a value named in `from`. Adds to `from` the names of the values that are computed from these.
bool givesSize(const Graph& graph, std::set<std::string>& from) {
  const auto& sizes = sizesOfOperators();
  for (const Node& node : graph.nodes) {
    const auto places = sizes.find(node.opType);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i].empty() || !from.count(node.inputs[i])) continue;
      if (places != sizes.end() && std::find(places->second.begin(), places->second.end(), i) != places->second.end())
        return true;
      if (passesOn(node, i)) from.insert(node.outputs.begin(), node.outputs.end());
    }
    for (const auto& [key, attribute] : node.attributes.all())
      if (const auto* sub = std::get_if<std::shared_ptr<const Graph>>(&attribute))
        if (std::set<std::string> inner = from; givesSize(**sub, inner)) return true;
    from.erase("");
  }
  return false;
}

} // namespace

std::vector<std::string> sizesMadeUp(const Model& read, const NamedTensors& given) {
  std::vector<std::string> names;
  for (const auto& input : read.graph.inputs) {
    const bool isInteger = input.type && !numerics::isFloating(*input.type) && *input.type != ElementType::Bool;
    if (!isInteger || given.count(input.name)) continue;
    if (std::set<std::string> from{input.name}; givesSize(read.graph, from)) names.push_back(input.name);
  }
  return names;
}

} // namespace simcore::model
