// Remaining uses of values: the future reads of each name, and the names of each variable. A variable counts its used names,
// because a network that computes in place everywhere has one name per node for the same variable.
#pragma once

#include "simcore/graph/tensor.h"
#include "simcore/model/graph/graph.h"

#include <unordered_map>
#include <unordered_set>

namespace simcore::model {

class ValueUses {
public:
  explicit ValueUses(const Graph& source);

  // From now on the name also refers to these variables.
  void addName(const std::vector<graph::VariableId>& variables, const std::string& name);
  void addName(const graph::Tensor& tensor, const std::string& name) { addName(tensor.variables(), name); }
  // Names `copy` as the variables of `original`, because readers of other views of the original may read the copy instead.
  void nameAlike(const graph::Tensor& original, const graph::Tensor& copy);

  // Whether the next read of the name, which refers to this variable, is the last read of the whole variable.
  bool isLastRead(const std::string& name, graph::VariableId variable) const;
  void wasRead(const Node& node);
  // Values that must not be overwritten: model inputs and values of an outer scope.
  void protect(const std::string& name) {
    changeUse(name, [&] { m_protected.insert(name); });
  }
  void unprotect(const std::string& name) {
    changeUse(name, [&] { m_protected.erase(name); });
  }

private:
  // Whether the value of the name is still needed after the next read.
  bool isInUse(const std::string& name) const {
    const auto reads = m_reads.find(name);
    return m_protected.count(name) || (reads != m_reads.end() && reads->second > 0);
  }
  template<class F> void changeUse(const std::string& name, F change) {
    const bool before = isInUse(name);
    change();
    if (const bool now = isInUse(name); now != before) countUse(name, now ? 1 : -1);
  }
  void countUse(const std::string& name, int change);

  std::unordered_map<std::string, int> m_reads; // number of future reads
  // The names of a variable, and the number of names in use: an element read in place throughout a network has very many names.
  struct Names {
    std::vector<const std::string*> names; // keys of m_variablesOfName; a joined value names each of its variables
    int inUse = 0;
  };
  std::unordered_map<uint32_t, Names> m_namesOfVariable;
  std::unordered_map<std::string, std::vector<uint32_t>> m_variablesOfName;
  std::unordered_set<std::string> m_protected;
};

} // namespace simcore::model
