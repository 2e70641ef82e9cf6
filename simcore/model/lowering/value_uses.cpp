// Reads of a variable that are still to come. A variable has a count of its names in use: a network that computes in place all along gives
// one variable a name for every node.
#include "simcore/model/graph/names_read.h"
#include "simcore/model/lowering/lowering_scope.h"

#include <algorithm>

namespace simcore::model {

bool LoweringScope::isLastRead(const std::string& name, int ipu) const {
  if (m_standIns.count(name)) return false;
  auto found = m_tensors.find(name);
  if (found == m_tensors.end()) return false;
  const auto copy = m_copies.find({name, ipu});
  graph::Tensor tensor = copy == m_copies.end() ? found->second : copy->second;
  if (m_routes && m_routes->knows(name) && !m_kept.count(name)) tensor = m_routes->known(name);
  if (!tensor.valid() || !tensor.wholeVariable().valid()) return false;
  const uint32_t variable = tensor.wholeVariable().value();
  const Names& names = m_namesOfVariable.at(variable);
  const auto known = m_variablesOfName.find(name);
  if (known == m_variablesOfName.end() || std::find(known->second.begin(), known->second.end(), variable) == known->second.end())
    return names.inUse == 0;
  const auto reads = m_reads.find(name);
  if (m_protected.count(name) || (reads != m_reads.end() && reads->second > 1)) return false;
  return names.inUse == (isInUse(name) ? 1 : 0);
}

void LoweringScope::nameVariables(const std::vector<graph::VariableId>& variables, const std::string& name) {
  const auto [entry, isNew] = m_variablesOfName.try_emplace(name);
  std::vector<uint32_t>& known = entry->second;
  const int use = isInUse(name) ? 1 : 0;
  for (const auto id : variables) { // each is there once
    if (!isNew && std::find(known.begin(), known.end(), id.value()) != known.end()) continue;
    known.push_back(id.value());
    Names& of = m_namesOfVariable[id.value()];
    of.names.push_back(&entry->first);
    of.inUse += use;
  }
}

void LoweringScope::countUse(const std::string& name, int change) {
  const auto variables = m_variablesOfName.find(name);
  if (variables == m_variablesOfName.end()) return;
  for (const uint32_t id : variables->second) m_namesOfVariable.at(id).inUse += change;
}

void LoweringScope::wasRead(const Node& node) {
  forEachNameRead(node, [&](const std::string& name) {
    if (--m_reads[name] == 0 && !m_protected.count(name)) countUse(name, -1);
  });
}

} // namespace simcore::model
