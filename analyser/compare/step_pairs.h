// Which steps of two lists of siblings are the same: by name where names are, so that the steps of an added layer have no partner and those
// behind it keep theirs.
#pragma once

#include "analyser/program/program_tree.h"

#include <span>
#include <string>
#include <vector>

namespace analyser::compare {

// The part of most names before the first "/", the model's name; empty if no name has most of the cycles.
std::string rootOfNames(const program::Program& program);

// Pairs siblings of two programs. In order: steps whose kind and full name occur once in both, as far as they come in one order; equal names
// between two such pairs, then anywhere; functions, loops and sequences of which most steps inside are alike; equal labels.
class StepPairs {
public:
  StepPairs(const program::Program& base, const program::Program& other);
  // Both are indices of Program::nodes. For each of `inOther`, its partner of `inBase`; -1: none.
  std::vector<int> of(std::span<const int> inBase, std::span<const int> inOther) const;

private:
  std::vector<std::string> fullKeys(const program::Program& program, std::span<const int> nodes, const std::string& root) const;
  std::vector<std::size_t> kindsInside(const program::Program& program, int node) const;
  void pairAlike(std::span<const int> inBase, std::span<const int> inOther, std::vector<int>& pairs,
                 std::vector<bool>& taken) const;

  const program::Program &m_base, &m_other;
  std::string m_rootOfBase, m_rootOfOther; // empty: names are compared whole
};

} // namespace analyser::compare
