// Visits the names that a node reads, without copies: every pass over a graph reads them, and a node may have hundreds of inputs.
#pragma once

#include "simcore/model/graph/graph.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace simcore::model {

// A set of names stored elsewhere.
class NameSet {
public:
  explicit NameSet(std::size_t atMost) : m_isHashed(atMost > kFew) {
    if (m_isHashed)
      m_slots.resize(std::bit_ceil(2 * atMost));
    else
      m_slots.reserve(atMost);
  }
  // Whether the name is new. Insert at most `atMost` different names (see the constructor).
  bool insert(const std::string& name) {
    const auto isName = [&](const std::string* known) { return *known == name; };
    if (!m_isHashed) {
      if (std::any_of(m_slots.begin(), m_slots.end(), isName)) return false;
      m_slots.push_back(&name);
      return true;
    }
    const std::size_t last = m_slots.size() - 1;
    std::size_t at = std::hash<std::string_view>()(name) & last;
    for (; m_slots[at]; at = (at + 1) & last)
      if (isName(m_slots[at])) return false;
    m_slots[at] = &name;
    return true;
  }

private:
  static constexpr std::size_t kFew = 8; // names that are compared one by one
  bool m_isHashed;
  std::vector<const std::string*> m_slots;
};

// Calls f with the node's inputs, then with the outer names that its subgraphs use; each once.
template<class F> void forEachNameRead(const Node& node, F f) {
  std::vector<std::set<std::string>> ofSubgraphs;
  std::size_t atMost = node.inputs.size();
  for (const auto& [name, value] : node.attributes.all())
    if (const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&value))
      atMost += ofSubgraphs.emplace_back(outerNames(**graph)).size();
  NameSet known(atMost);
  const auto visit = [&](const auto& names) {
    for (const std::string& name : names)
      if (!name.empty() && known.insert(name)) f(name);
  };
  visit(node.inputs);
  for (const auto& outer : ofSubgraphs) visit(outer);
}

} // namespace simcore::model
