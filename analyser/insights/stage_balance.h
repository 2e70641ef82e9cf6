// How a pipeline's repeated layers would be cut so that its stages take about equally long, from the cycles of a run with another cut.
#pragma once

#include "analyser/operations/ipu_layers.h"

#include <optional>
#include <string>
#include <vector>

namespace analyser::insights {

// One stage of the run, in the order of the pipeline.
struct StageWork {
  Cycles busy;
  std::vector<operations::LayerWork> layers; // in program order
};
struct StageBalance {
  std::vector<int64_t> layers; // of every stage
  double longest = 1;          // its slowest stage, as a share of the slowest one of the run
  std::string cut() const;     // "layers:2,2,2,2"
};
// Layers are those with the most names that differ only in their last number ("layer0", "layer1", …); all other work stays in its stage. nullopt:
// fewer layers than stages, one that is on two stages, or no cut whose slowest stage is at least 3 % shorter.
std::optional<StageBalance> balancedStages(const std::vector<StageWork>& stages);

} // namespace analyser::insights
