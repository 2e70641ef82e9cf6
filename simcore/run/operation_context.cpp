#include "simcore/run/operation_context.h"

namespace simcore::run {

int64_t operationContext(const graph::Graph& graph, graph::DebugContextId context) {
  int64_t model = -1, library = -1;
  for (graph::DebugContextId c = context; c.valid(); c = graph.contexts()[c.value()].parent) {
    const auto& x = graph.contexts()[c.value()];
    if (x.kind.empty()) continue; // only a name
    if (x.layer == "onnx" || x.layer == "model") model = int64_t(c.value());
    if (x.layer == "library" || x.layer == "poplar") library = int64_t(c.value());
  }
  return model >= 0 ? model : library;
}

} // namespace simcore::run
