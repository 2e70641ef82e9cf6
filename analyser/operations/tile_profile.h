// The cycles, bytes, FLOPs, vertices and code of the steps of operations, by tile.
#pragma once

#include "analyser/operations/operation_steps.h"

#include <span>

namespace analyser::operations {

// All by tile of the machine. Cycles, bytes and FLOPs are totals of the run; vertices and code count once.
struct TileProfile {
  std::vector<Cycles> compute;                  // with on-tile copies
  std::vector<Cycles> exchange, globalExchange; // between tiles; between IPUs
  std::vector<int64_t> received, sent;          // bytes
  std::vector<int64_t> flops;                   // FLOPs of a compute set, split by each tile's share of its vertices of a type
  std::vector<int64_t> vertices, code;          // code: bytes of exchange code; 0 if the report does not have it
  TileId slowest;                               // in compute; invalid if it computes nothing
  Cycles mean;                                  // in compute, over the tiles that compute
  int64_t active = 0;                           // tiles that compute
};
// Sums the `steps` that belong to `operations` (ascending indices of Operations::rows). A step that several operations share
// counts in proportion to their shares.
TileProfile tileProfile(Session& session, std::span<const OperationStep> steps, std::span<const int> operations,
                        std::stop_token stop = {});

// The part of one vertex type in its steps. A tile's cycles in a step are split in proportion to the cycles of its vertices of
// each type, so that the sum over tiles is the report's: compute_set_vertices.cycles x executions.
TileProfile vertexTypeProfile(Session& session, std::span<const OperationStep> steps, std::span<const int> operations,
                              const std::string& type, std::stop_token stop = {});

enum class TileMeasure { Cycles, Bytes, Flops, Vertices, Code };
// The tile with the maximum, and the mean; without a full stop. Empty if all tiles are zero.
Sentence tileVerdict(const TileProfile& profile, TileMeasure measure);

} // namespace analyser::operations
