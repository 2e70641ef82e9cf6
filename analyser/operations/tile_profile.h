// The cycles that the steps of one operation take on every tile.
#pragma once

#include "analyser/operations/operation_steps.h"

namespace analyser::operations {

struct TileProfile {
  std::vector<Cycles> compute, exchange; // by tile of the machine, over the run; compute with on-tile copies
  TileId slowest;                        // of compute; invalid where it computes nothing
  Cycles mean;                           // of compute, over the tiles that compute
  int64_t active = 0;                    // tiles that compute
  Sentence verdict;                      // without a full stop; empty where it neither computes nor exchanges
};
// Of the steps among `steps` that belong to `operation` (index of Operations::rows). A step that several operations share counts with
// this one's part.
TileProfile tileProfile(Session& session, std::span<const OperationStep> steps, int operation, std::stop_token stop = {});

} // namespace analyser::operations
