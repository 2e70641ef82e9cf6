// Pairs the steps of two lists of siblings, by name if they have one. The steps of an added layer stay unpaired, and the steps
// after it keep their partners.
#pragma once

#include "analyser/program/program_tree.h"

#include <span>
#include <string>
#include <vector>

namespace analyser::compare {

// The model's name: the first part of the names of steps, if one such part has more than half of the cycles; else empty.
std::string rootOfNames(const program::Program& program);

// Pairs siblings of two programs. Rules, the first one first:
// - steps whose kind and full name occur once in both lists, if their order is the same in both;
// - equal names between two such pairs, then equal names anywhere;
// - functions, loops and sequences that share at least half of the steps inside;
// - equal labels.
class StepPairs {
public:
  StepPairs(const program::Program& base, const program::Program& other);
  // For each step of `inOther`, its partner from `inBase`, or -1. All steps are indices of Program::nodes.
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
