// Reads the data of the memory view on worker threads, for one report or for two. Steps and variables of B are found by the names
// of A's.
#pragma once

#include "analyser/memory/tile_memory.h"
#include "ui/parts/reports_of_view.h"
#include "ui/views/memory/memory_tabs.h"

namespace ui::memory {

// Steps for the two sliders: steps with a cost, and liveness steps. For two reports, the steps of A.
struct MemorySteps {
  std::vector<StepBar::Step> costly, liveness;
};
MemorySteps readSteps(const shell::ReportsOfView& reports, const std::stop_token& stop);

struct ChosenVariables { // the selected variables
  using Curves = std::vector<std::shared_ptr<const analyser::memory::TileSeries>>;
  Curves curves, inOther; // inOther: of B, null for a variable that B lacks
  TilePlaces home;        // the tile that holds most of the first variable
  TilePlaces homeInOther; // the same tile in B
};
ChosenVariables readVariables(const shell::ReportsOfView& reports, const std::vector<reports::VariableId>& ids,
                              const std::stop_token& stop);

} // namespace ui::memory
