// The columns of tables of the trace: steps by name, Blocks, stages of a pipeline, activity of each IPU.
#pragma once

#include "analyser/columns/column.h"
#include "analyser/columns/subject.h"
#include "analyser/trace/blocks.h"
#include "analyser/trace/pipeline.h"
#include "analyser/trace/tile_cycles.h"

namespace analyser::trace {

const columns::Columns<NameStatistics>& statisticsColumns();
const columns::Columns<BlockTimes>& blockColumns();
inline columns::Subjects subjectsOf(const BlockTimes& block) { return columns::about(columns::Thing::Step, block.step); }

struct StageRow {
  const Pipeline* pipeline = nullptr;
  const PipelineStage* stage = nullptr;
  std::string holds = {}; // layers of the model
};
std::vector<StageRow> stagesOf(const Pipeline& pipeline);
const columns::Columns<StageRow>& stageColumns();

const columns::Columns<IpuTileCycles>& wasteColumns(); // a row without an IPU is the sum of all
// Only routes with bytes get columns.
columns::Columns<IpuProportions> proportionColumns(const Proportions& proportions);

} // namespace analyser::trace
