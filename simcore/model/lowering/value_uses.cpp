#include "simcore/model/lowering/value_uses.h"

#include "simcore/model/graph/names_read.h"

#include <algorithm>

namespace simcore::model {

ValueUses::ValueUses(const Graph& source) {
  for (const Node& node : source.nodes) forEachNameRead(node, [&](const std::string& name) { ++m_reads[name]; });
  for (const auto& output : source.outputs) ++m_reads[output.name];
}

void ValueUses::addName(const std::vector<graph::VariableId>& variables, const std::string& name) {
  const auto [entry, isNew] = m_variablesOfName.try_emplace(name);
  std::vector<uint32_t>& known = entry->second;
  const int use = isInUse(name) ? 1 : 0;
  for (const auto id : variables) { // each occurs once
    if (!isNew && std::find(known.begin(), known.end(), id.value()) != known.end()) continue;
    known.push_back(id.value());
    Names& of = m_namesOfVariable[id.value()];
    of.names.push_back(&entry->first);
    of.inUse += use;
  }
}

void ValueUses::nameAlike(const graph::Tensor& original, const graph::Tensor& copy) {
  for (const auto from : original.variables()) {
    const auto names = m_namesOfVariable[from.value()].names;
    for (const auto id : copy.variables())
      if (id != from)
        for (const std::string* other : names) addName({id}, *other);
  }
}

bool ValueUses::isLastRead(const std::string& name, graph::VariableId id) const {
  const uint32_t variable = id.value();
  const Names& names = m_namesOfVariable.at(variable);
  const auto known = m_variablesOfName.find(name);
  if (known == m_variablesOfName.end() || std::find(known->second.begin(), known->second.end(), variable) == known->second.end())
    return names.inUse == 0;
  const auto reads = m_reads.find(name);
  if (m_protected.count(name) || (reads != m_reads.end() && reads->second > 1)) return false;
  return names.inUse == (isInUse(name) ? 1 : 0);
}

void ValueUses::countUse(const std::string& name, int change) {
  const auto variables = m_variablesOfName.find(name);
  if (variables == m_variablesOfName.end()) return;
  for (const uint32_t id : variables->second) m_namesOfVariable.at(id).inUse += change;
}

void ValueUses::wasRead(const Node& node) {
  forEachNameRead(node, [&](const std::string& name) {
    if (--m_reads[name] == 0 && !m_protected.count(name)) countUse(name, -1);
  });
}

} // namespace simcore::model
