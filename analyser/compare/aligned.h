// The rows of two reports aligned by stable keys: operations by name (or as pairing.h pairs them), variables by the operation
// that made them and their name within it.
#pragma once

#include "analyser/compare/operation_pairs.h"
#include "analyser/operations/operations.h"

namespace analyser::compare {

// Cycles of all runs by activity, as the mean of the IPUs. They sum to the cycles of the runs. Subtracting the cycles of the
// operations gives the cycles of steps outside operations.
struct MeanCycles {
  double work = 0, host = 0, sync = 0, idle = 0; // work: compute and exchange
};

// One side of a comparison, read once.
struct Side {
  summary::Summary summary;
  operations::Operations operations;
  SampleCounts samples;
  MeanCycles cycles;
  Bytes streamed; // between host and machine in all runs; 0 if unknown
};

// The prefix that all names of a side share, such as "old/". A graph is named after its file, so "old/conv1" and "new/conv1" are
// the same operation. Both prefixes are empty if a side has none, or if they are equal.
struct NameBeginnings {
  std::string base, other;
};
NameBeginnings nameBeginnings(const operations::Operations& base, const operations::Operations& other);
std::string withoutBeginning(const std::string& name, const std::string& beginning);

// All operations of both reports, changed or not. Order: pairs (in the order of the base), operations only in the base,
// operations only in the other report.
std::vector<OperationDifference> alignOperations(const Side& base, const Side& other, const PairingRules& rules);

// Live bytes at the peak of the liveness curve, by operation (its name in the base). Key "": bytes without an operation.
struct PeakOwners {
  std::map<std::string, std::pair<Bytes, Bytes>> bytes;
};
// Sets `c.variables` and `c.sameVariables`.
PeakOwners alignVariables(Session& base, Session& other, const std::vector<OperationDifference>& operations,
                          const NameBeginnings& beginnings, Comparison& c, const std::stop_token& stop);

} // namespace analyser::compare
