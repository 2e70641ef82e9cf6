#include "simcore/model/lowering/node_signature.h"

#include "simcore/model/operator.h"

#include <bit>
#include <sstream>

namespace simcore::model {

std::string nodeSignature(const Graph& graph, const Node& node) {
  if (operatorFor(node).isRandom && !node.attributes.has("seed")) return {}; // draws its own numbers
  std::ostringstream text;
  text << node.domain << ':' << node.opType;
  for (const auto* names : {&node.inputs, &node.outputs}) {
    text << '|';
    for (const std::string& name : *names) {
      const auto type = graph.types.find(name);
      if (name.empty())
        text << "-,";
      else if (type == graph.types.end())
        return {}; // of a graph around this one
      else
        text << int(type->second.type) << numerics::toString(type->second.shape) << (graph.initialisers.count(name) ? "c," : ",");
    }
  }
  for (const auto& [name, value] : node.attributes.all()) {
    text << name << '=' << value.index() << ':';
    if (const auto* integer = std::get_if<std::int64_t>(&value))
      text << *integer;
    else if (const auto* real = std::get_if<float>(&value))
      text << std::bit_cast<std::uint32_t>(*real); // decimal digits would make near neighbours equal
    else if (const auto* word = std::get_if<std::string>(&value))
      text << *word;
    else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value))
      text << numerics::toString(*integers);
    else
      return {};
  }
  return text.str();
}

} // namespace simcore::model
