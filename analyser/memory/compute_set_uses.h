// The compute sets with vertices on a tile, and these vertices.
#pragma once

#include "analyser/session/session.h"

#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace analyser::memory {

struct ComputeSetUse {
  reports::ProgramStepId step; // the first step that executes it
  std::string name, operation;
  std::string types;      // names of its vertex types, the most frequent first
  int64_t vertices = 0;   // on the selected tiles
  int64_t tiles = 0;      // selected tiles with a vertex
  int64_t executions = 0; // program steps that execute it
  Bytes stateBytes;       // of the vertices on the selected tiles; estimated: state of the compute set x share of its vertices
};
// Compute sets with vertices on the selected tiles (all if empty), most vertices first.
std::vector<ComputeSetUse> computeSetsOn(Session& session, std::span<const TileId> selection, std::stop_token stop = {});

} // namespace analyser::memory
