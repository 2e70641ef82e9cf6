// Figures of the tiles besides memory: cycles, exchanged bytes, utilisation, live bytes; of the whole run or of
// one step of the program. The curve over tiles and the floor plan draw them like memory.
#pragma once

#include "analyser/session/sentence.h"
#include "analyser/session/session.h"

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace analyser::memory {

enum class TileMetric { Cycles, BytesIn, BytesOut, Utilisation, Alive };
inline constexpr int kTileMetrics = 5;
bool countsBytes(TileMetric metric);                 // false: cycles, or a share
std::string_view tileMetricTitle(TileMetric metric); // "Compute cycles", for people

struct TileMetricValues {
  TileMetric metric{};
  reports::ProgramStepId step; // invalid: of the whole run
  // One value per tile: cycles of work in compute steps and copies; bytes; utilisation in millionths of the cycles of the runs,
  // or of the step's duration on the tile's IPU. Alive: bytes of the variables live at the step; for the run, the maximum over
  // steps.
  std::vector<int64_t> values;
  int64_t sum = 0, max = 0;
  TileId maxTile; // the first tile with the maximum; invalid if all are zero
};
// A report without a run gives zeros. Throws Error(NotFound) for an unknown step.
TileMetricValues tileMetric(Session& session, TileMetric metric, reports::ProgramStepId step = {}, std::stop_token stop = {});

// "Over the run tile 12 computes most, 1.2 M cycles; 1,372 tiles compute, 0.9 M cycles in the mean, 100 do not", for the given
// tiles.
Sentence metricVerdict(const TileMetricValues& metric, std::span<const int> tiles);

// The steps with a cost, in program order: the positions of a slider over steps.
struct CostlyStep {
  reports::ProgramStepId step;
  std::string name, kind;
  reports::Activity activity{};
  Cycles cycles;          // of one execution
  int64_t executions = 0; // on the IPU that ran it most
};
std::vector<CostlyStep> costlySteps(Session& session, std::stop_token stop = {});

} // namespace analyser::memory
