// The operations of two reports as rows of both: pairs as pairing.h finds them, and operations that only one report has.
#pragma once

#include "analyser/compare/compare.h"
#include "analyser/operations/operations.h"

namespace analyser::compare {

struct OperationPair {
  std::string name, otherName;   // otherName: empty unless renamed; the second operation of a name ends in "#2"
  int inBase = -1, inOther = -1; // indices of Operations::rows; -1: this report lacks it
  double confidence = 1;         // of the pairing
  Presence presence() const { return inBase < 0 ? Presence::OtherOnly : inOther < 0 ? Presence::BaseOnly : Presence::Both; }
};
// Pairs in the base's order, then those only in the base, then only in the other.
std::vector<OperationPair> operationPairs(const operations::Operations& base, const SampleCounts& baseSamples,
                                          const operations::Operations& other, const SampleCounts& otherSamples,
                                          const PairingRules& rules);

// The operations of both reports in one list, for a tree or groups over both. `all.rows[i]` is the operation of `pairs[i]`: the
// base's if it has one, else the other's.
struct OperationsOfBoth {
  std::vector<OperationPair> pairs; // those of the base in program order, then those only in the other
  operations::Operations all;
};
OperationsOfBoth operationsOfBoth(const operations::Operations& base, const operations::Operations& other,
                                  std::vector<OperationPair> pairs);
// For layers: rows with equal names are a pair, the n-th with the n-th.
OperationsOfBoth layersOfBoth(const operations::Operations& base, const operations::Operations& other);
// An operation that runs on different IPUs in the two reports becomes two rows, so that the sum of an IPU equals the sum in its
// report.
OperationsOfBoth apartByIpus(const OperationsOfBoth& both, const operations::Operations& base,
                             const operations::Operations& other);

// "12 of 40 operations differ: 5 slower, 7 faster; most conv1 +14,012 cycles." `what`: the noun for the rows.
Sentence operationsVerdict(const std::vector<OperationPair>& pairs, const operations::Operations& base,
                           const operations::Operations& other, const std::string& what = "operations");

} // namespace analyser::compare
