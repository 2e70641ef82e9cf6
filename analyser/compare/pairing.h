// Pairs the operations of two reports. Equal names pair first; renamed operations
// pair by kind, position between paired neighbours, similarity of the names and
// amount of work, with a confidence. Mirrored inputs give the mirrored pairing.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace analyser::compare {

// Names are unique within a list. `work` is a size that a rename does not change, e.g. FLOPs per sample; 0 if unknown.
struct PairItem {
  std::string name, kind;
  double work = 0;
};

struct PairingRules {
  std::vector<std::pair<std::string, std::string>> together; // base name, other name: always paired
  std::set<std::string> apart;                               // names in either list that pair only with themselves
  double leastConfidence = 0.5;                              // for pairs with different names; above 1: equal names only
};

struct Pair {
  int base = 0, other = 0; // indices
  double confidence = 1;   // 1: the same name, or paired by a rule
};
struct Pairing {
  std::vector<Pair> pairs;              // by base index
  std::vector<int> baseOnly, otherOnly; // ascending
};

// The same rules, with base and other exchanged.
PairingRules mirrored(PairingRules rules);

// Throws Error(NotFound) for a rule whose name is in no list.
Pairing pairUp(const std::vector<PairItem>& base, const std::vector<PairItem>& other, const PairingRules& rules = {});

} // namespace analyser::compare
