// Finds a cut of a pipeline's repeated layers for which all stages take about equally long, from the cycles of a run with another
// cut.
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
  std::vector<int64_t> layers; // number of layers of each stage
  double longest = 1;          // slowest stage with this cut / slowest stage of the run
  std::string cut() const;     // "layers:2,2,2,2"
};
// The layers are the largest group of names that differ only in their last number ("layer0", "layer1", …); all other work stays
// in its stage. nullopt if there are fewer layers than stages, a layer is on two stages, or no cut makes the slowest stage at
// least 3 % shorter.
std::optional<StageBalance> balancedStages(const std::vector<StageWork>& stages);

} // namespace analyser::insights
