#include "simcore/samples/work.h"

#include "reports/core/json.h"

#include <nlohmann/json.hpp>

namespace simcore::samples {

void tellWork(graph::Graph& graph, graph::DebugContextId context, int64_t flops) {
  graph::Plan plan;
  plan.context = context;
  plan.method = "work";
  plan.text = std::to_string(flops) + " floating-point operations of the problem";
  plan.details = reports::jsonText(nlohmann::json{{"work_flops", flops}});
  graph.addPlan(std::move(plan));
}

} // namespace simcore::samples
