// Reads the data of the memory view on worker threads, of one report or of two: steps and variables of B are those with the names of A's.
#pragma once

#include "analyser/memory/tile_memory.h"
#include "ui/parts/reports_of_view.h"
#include "ui/views/memory/memory_tabs.h"

namespace ui::memory {

// The program's steps for the two sliders: those with a cost, and those of liveness. With two reports, the steps of A.
struct MemorySteps {
  std::vector<StepBar::Step> costly, liveness;
};
MemorySteps readSteps(const shell::ReportsOfView& reports, const std::stop_token& stop);

struct ChosenVariables { // the selected ones
  using Curves = std::vector<std::shared_ptr<const analyser::memory::TileSeries>>;
  Curves curves, inOther; // of two reports: null where B has no variable of the name
  TilePlaces home;        // the tile that holds most of the first
  TilePlaces homeInOther; // the same tile in B
};
ChosenVariables readVariables(const shell::ReportsOfView& reports, const std::vector<reports::VariableId>& ids,
                              const std::stop_token& stop);

} // namespace ui::memory
