#include "simcore/run/operation_context.h"

namespace simcore::run {

namespace {
// Operators that contain nodes; a whole model may be in a branch.
bool isControlFlow(const std::string& kind) { return kind == "If" || kind == "Loop" || kind == "Scan"; }
} // namespace

int64_t operationContext(const graph::Graph& graph, graph::DebugContextId context) {
  int64_t model = -1, control = -1, library = -1;
  for (graph::DebugContextId c = context; c.valid(); c = graph.contexts()[c.value()].parent) {
    const auto& x = graph.contexts()[c.value()];
    if (x.kind.empty()) continue; // only a name
    if (x.layer == "onnx" && isControlFlow(x.kind))
      control = control < 0 ? int64_t(c.value()) : control; // the innermost
    else if (x.layer == "onnx" || x.layer == "model")
      model = int64_t(c.value());
    if (x.layer == "library" || x.layer == "poplar") library = int64_t(c.value());
  }
  return model >= 0 ? model : control >= 0 ? control : library;
}

} // namespace simcore::run
