// The list of all tables, and the interface that receives their rows. A new table is one header and one line here.
#pragma once

#include "reports/rows/block_chunk.h"
#include "reports/rows/call_context.h"
#include "reports/rows/channel.h"
#include "reports/rows/compute_set.h"
#include "reports/rows/compute_set_vertices.h"
#include "reports/rows/control_code.h"
#include "reports/rows/counter_chunk.h"
#include "reports/rows/counter_level.h"
#include "reports/rows/counter_series.h"
#include "reports/rows/debug_context.h"
#include "reports/rows/details_chunk.h"
#include "reports/rows/engine_option.h"
#include "reports/rows/exchange.h"
#include "reports/rows/exchange_operand.h"
#include "reports/rows/flow_chunk.h"
#include "reports/rows/heatmap.h"
#include "reports/rows/heatmap_chunk.h"
#include "reports/rows/host_process.h"
#include "reports/rows/host_thread.h"
#include "reports/rows/instant_chunk.h"
#include "reports/rows/liveness_curve.h"
#include "reports/rows/liveness_step.h"
#include "reports/rows/machine.h"
#include "reports/rows/metadata.h"
#include "reports/rows/operation.h"
#include "reports/rows/plan.h"
#include "reports/rows/program_step.h"
#include "reports/rows/report_issue.h"
#include "reports/rows/run.h"
#include "reports/rows/run_link.h"
#include "reports/rows/slice_chunk.h"
#include "reports/rows/slice_level.h"
#include "reports/rows/step_move.h"
#include "reports/rows/step_profile.h"
#include "reports/rows/step_variables.h"
#include "reports/rows/stream.h"
#include "reports/rows/stream_copy.h"
#include "reports/rows/string_table.h"
#include "reports/rows/tile_series.h"
#include "reports/rows/tile_variables.h"
#include "reports/rows/track.h"
#include "reports/rows/variable.h"
#include "reports/rows/vertex_type.h"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace reports {

template<class... Rows> struct TypeList {};

// In the order of SCHEMA.md and of creation.
using AllTables =
    TypeList<MetadataRow, MachineRow, EngineOptionRow, StringRow, DebugContextRow, HostProcessRow, HostThreadRow, TrackRow,
             SliceChunkRow, SliceLevelRow, ChannelRow, ProgramStepRow, ComputeSetRow, VertexTypeRow, ComputeSetVerticesRow,
             ExchangeRow, VariableRow, TileVariablesRow, TileSeriesRow, LivenessCurveRow, LivenessStepRow, RunRow, StepProfileRow,
             StreamRow, StreamCopyRow, OperationRow, PlanRow, ReportIssueRow, InstantChunkRow, CounterSeriesRow, CounterChunkRow,
             CounterLevelRow, HeatmapRow, HeatmapChunkRow, FlowChunkRow, DetailsChunkRow, RunLinkRow, StepVariablesRow,
             CallContextRow, BlockChunkRow, StepMoveRow, ControlCodeRow, ExchangeOperandRow>;

// The number of a row's table in AllTables, to pass rows on without a template: as the number and a pointer to the row.
template<class Row, class... Rows> constexpr std::size_t tableNumber(TypeList<Rows...>) {
  static_assert((std::is_same_v<Row, Rows> || ...), "not the row of a table");
  std::size_t number = 0;
  (void)((std::is_same_v<Row, Rows> ? false : (++number, true)) && ...);
  return number;
}
template<class Row> inline constexpr std::size_t kTableNumber = tableNumber<Row>(AllTables{});

// Calls f.template operator()<Row>() for every table.
template<class F, class... Rows> void forEachTable(TypeList<Rows...>, F&& f) { (f.template operator()<Rows>(), ...); }
template<class F> void forEachTable(F&& f) { forEachTable(AllTables{}, std::forward<F>(f)); }

} // namespace reports
