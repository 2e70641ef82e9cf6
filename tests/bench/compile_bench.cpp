// The cost of compiling if every vertex is the user's own: 10^6 and 10^7 calls of addVertex in one compute set, two edges each,
// a third of the inputs on another tile. The bound is 20 s and 4 GiB for 10^7, graph included.
#include "simcore/compile/compiler.h"
#include "simcore/graph/graph.h"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

using namespace simcore;

namespace {

std::shared_ptr<graph::Graph> graphOf(int64_t vertices, graph::ComputeSetId& set) {
  auto g = std::make_shared<graph::Graph>(arch::findMachine("gc200", 1));
  graph::Codelet codelet;
  codelet.name = "Double";
  codelet.fields = {{"in", graph::FieldDirection::Input, graph::ElementType::Float},
                    {"out", graph::FieldDirection::Output, graph::ElementType::Float}};
  codelet.cycles = [](const auto& sizes) { return 20 + 2 * sizes.at("in"); };
  g->addCodelet(std::move(codelet));
  const graph::Tensor x = g->addVariable(graph::ElementType::Float, {vertices, 2}, "x"),
                      y = g->addVariable(graph::ElementType::Float, {vertices, 2}, "y");
  g->mapTensorLinearly(x);
  g->mapTensorLinearly(y);
  set = g->addComputeSet("double");
  const int64_t perTile = reports::ceilDiv(vertices, g->tiles());
  for (int64_t i = 0; i < vertices; ++i) {
    const int64_t from = i % 3 == 0 ? (i + 2 * perTile) % vertices : i;
    const auto v = g->addVertex(set, "Double", {{"in", x.slice(from, from + 1)}, {"out", y.slice(i, i + 1)}});
    g->setTileMapping(v, reports::TileId(std::size_t(i / perTile)));
  }
  return g;
}

double peakMebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) / 1024;
}

void BM_CompileUserVertices(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    graph::ComputeSetId set;
    const auto g = graphOf(state.range(0), set);
    state.counters["graph_MiB"] = peakMebibytes();
    state.ResumeTiming();
    reports::NoProgress quiet;
    const auto executable = compile::compile(g, {{"main", graph::program::execute(set)}}, {}, quiet);
    benchmark::DoNotOptimize(executable.program.vertices);
    state.counters["peak_MiB"] = peakMebibytes();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_CompileUserVertices)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kSecond)->Iterations(1);

// The graph alone: the cost before compilation.
void BM_BuildUserVertices(benchmark::State& state) {
  for (auto _ : state) {
    graph::ComputeSetId set;
    benchmark::DoNotOptimize(graphOf(state.range(0), set));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_BuildUserVertices)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kSecond)->Iterations(1);

// Allocates the activations of a training step: half of the temporaries live until their layer's backward pass, half live for one
// step. All of the long-lived ones overlap in time, so ten times the layers give a hundred times the pairs.
void BM_PlaceStairs(benchmark::State& state) {
  const int64_t layers = state.range(0);
  std::vector<compile::Storage> storage;
  for (int64_t i = 0; i < layers; ++i)
    for (const int64_t end : {2 * layers - i, i + 1}) {
      compile::Storage s;
      s.bytes = graph::PerTile::uniform({0, 1}, 16 + 4 * (i * 7919 % 29));
      s.alwaysLive = false;
      s.live = {{i, end}};
      storage.push_back(std::move(s));
    }
  const arch::Machine machine = arch::findMachine("gc200", 1);
  for (auto _ : state) benchmark::DoNotOptimize(compile::allocate(machine, storage, 2 * layers, {}).maxTileBytes);
  state.SetItemsProcessed(state.iterations() * layers);
}
BENCHMARK(BM_PlaceStairs)->Arg(400)->Arg(4'000)->Unit(benchmark::kMillisecond);

} // namespace
