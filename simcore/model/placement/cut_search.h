// Searches the cut of a model over the IPUs of a replica: one part for each IPU, in the order of the nodes, or one part more, the last,
// which shares the IPU of an earlier part that is no neighbour, as the head of a language model does that of its embedding. Among cuts that
// fit the one with the fastest slowest IPU is taken; if none fits, one whose fullest IPU is over its memory by least.
#pragma once

#include "simcore/model/placement/node_costs.h"

#include <vector>

namespace simcore::model {

struct FoundCut {
  std::vector<int> partOfNode, ipuOfPart;
};

struct CutWish {
  int ipus = 1;
  std::int64_t memoryBytes = 0; // of an IPU
  bool isTraining = false, isPipeline = false;
  std::int64_t microBatches = 1; // of a run of the pipeline
};

// The model must have at least as many nodes as there are IPUs.
FoundCut searchCut(const NodeCosts& costs, const CutWish& wish);

} // namespace simcore::model
