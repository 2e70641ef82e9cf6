// The graph of operations: from a network of 10,000 operations in 100 folders to boxes with places, folded and with all folders open.
#include "analyser/operations/data_flow.h"
#include "analyser/operations/layered_layout.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

using namespace analyser::operations;

namespace {

constexpr int kFolders = 100, kEach = 100;

struct Network {
  std::vector<TreeRow> tree;
  DataFlow flow;

  Network() {
    flow.isKnown = true;
    uint32_t random = 1;
    for (int f = 0; f < kFolders; ++f) {
      const int folder = int(tree.size());
      tree.push_back({fmt::format("layer{}", f), -1, 0, -1, kEach, {}});
      for (int i = 0; i < kEach; ++i) {
        const int operation = f * kEach + i;
        tree.push_back({fmt::format("op{}", i), folder, 1, operation, 1, {}});
        for (int k = 0; k < 3 && operation > 0; ++k) {
          random = random * 1664525u + 1013904223u;
          flow.edges.push_back({std::max(0, operation - 1 - int(random >> 8) % 40), operation, operation, false});
        }
        flow.variables[operation] = {"x", "half [64]", analyser::Bytes(128)};
      }
    }
  }
};

// Argument: 0 folded, 1 all folders open.
void graphAndPlaces(benchmark::State& state) {
  const Network network;
  std::size_t boxes = 0;
  for (auto _ : state) {
    const OperationGraph graph =
        operationGraph(network.tree, network.flow, std::vector<bool>(network.tree.size(), state.range(0) == 1));
    std::vector<LayoutEdge> edges;
    for (const GraphEdge& e : graph.edges) edges.push_back({e.from, e.to});
    const LayeredLayout layout = layeredLayout(graph.nodes.size(), edges);
    benchmark::DoNotOptimize(layout.width);
    boxes = graph.nodes.size();
  }
  state.counters["boxes"] = double(boxes);
}
BENCHMARK(graphAndPlaces)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

} // namespace
