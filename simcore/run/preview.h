// A preview of a run: the graph, its inputs and outputs, and the memory plan of the tiles. No numbers are computed, so a preview
// takes only part of the time of a run.
#pragma once

#include "simcore/compile/compiler.h"
#include "simcore/graph/workload.h"

#include <string>
#include <vector>

namespace simcore::run {

struct Preview {
  // Values that the host sends or receives; for a stream, those of one transfer.
  struct Values {
    std::string name, type, shape;   // shape on the machine, "16x28x28"; empty for less than two dimensions
    int64_t elements = 0, bytes = 0; // bytes on the machine
  };
  struct Operation {
    std::string name, kind;
    int64_t bytes = 0; // of its variables over all tiles
  };
  std::vector<Values> inputs, outputs;
  std::vector<Operation> operations;                        // in the order of the program
  int64_t weights = 0, weightElements = 0, weightBytes = 0; // trained parameters on the machine
  // The memory plan: the same figures as in the report of the run. Bytes exclude gaps.
  int64_t tileBytes = 0; // memory of one tile
  int64_t maxTile = 0, maxTileBytes = 0, totalBytes = 0, alwaysLiveBytes = 0;
  int64_t maxTileWithGaps = 0, maxTileWithGapsBytes = 0; // the highest used address and its tile
  int64_t overflowTiles = 0;
  int plans = 1; // number of compiled plans
  bool fits() const { return overflowTiles == 0; }
};

// `executable`: the compiled workload; `plans`: the number of compiled plans.
Preview previewOf(const graph::Workload& workload, const compile::Executable& executable, int plans);

} // namespace simcore::run
