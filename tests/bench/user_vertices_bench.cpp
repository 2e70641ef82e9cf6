// The host's cost of running user vertices: 10^6 of one float in one compute set, and 8,832 (six per GC200 tile) of 7,308 floats
// (the rows of a heat equation), compared with the same loop in plain C++ on all cores. Their body is a lambda (0), or compiled
// from source (1).
#include "simcore/native/library.h"
#include "simcore/run/engine.h"

#include <benchmark/benchmark.h>
#include <malloc.h>
#include <tbb/parallel_for.h>

#include <filesystem>
#include <fstream>

using namespace simcore;

namespace {

struct World {
  std::shared_ptr<graph::Graph> graph = std::make_shared<graph::Graph>(arch::findMachine("gc200", 1));
  graph::Tensor x;
  compile::Executable executable;

  static graph::Codelet compiled() {
    const auto file = std::filesystem::temp_directory_path() / "tilescope-bench-triple.cpp";
    std::ofstream(file)
        << "#include <poplar/Vertex.hpp>\nstruct Triple : poplar::Vertex {\n  poplar::InOut<poplar::Vector<float>> x;\n"
           "  void compute() { for (float& v : x) v = 3 * v + 1; }\n};\n";
    return native::compileCodelets({{file}, {}, 2, {}}).codelets.at(0);
  }
  static graph::Codelet lambda() {
    graph::Codelet codelet;
    codelet.name = "Triple";
    codelet.fields = {{"x", graph::FieldDirection::InOut, graph::ElementType::Float}};
    codelet.compute = [](graph::VertexFields& f) {
      for (float& v : f.mutableValues<float>("x")) v = 3 * v + 1;
    };
    codelet.cycles = [](const auto& sizes) { return 20 + 2 * sizes.at("x"); };
    return codelet;
  }

  World(int64_t vertices, int64_t size, bool isCompiled) {
    graph->addCodelet(isCompiled ? compiled() : lambda());
    x = graph->addVariable(graph::ElementType::Float, {vertices, size}, "x");
    const auto set = graph->addComputeSet("triple");
    const int64_t perTile = reports::ceilDiv(vertices, graph->tiles());
    for (int64_t i = 0; i < vertices; ++i) {
      const reports::TileId tile(std::size_t(i / perTile));
      graph->setTileMapping(x[i], tile);
      graph->setTileMapping(graph->addVertex(set, "Triple", {{"x", x[i]}}), tile);
    }
    executable = compile::compile(graph, {{"main", graph::program::execute(set)}});
  }
};

double heapBytes() {
  const auto m = mallinfo2();
  return double(m.uordblks + m.hblkhd);
}

void BM_RunUserVertices(benchmark::State& state) {
  const int64_t vertices = state.range(0), size = state.range(1);
  World world(vertices, size, state.range(2) == 1);
  const double before = heapBytes();
  run::Engine engine(world.executable, {}, nullptr);
  for (int i = 0; i < 2; ++i) engine.run(); // the first two are guarded for one vertex of each form
  state.counters["engine_B_per_vertex"] = (heapBytes() - before) / double(vertices);
  for (auto _ : state) engine.run();
  state.SetItemsProcessed(state.iterations() * vertices);
}
BENCHMARK(BM_RunUserVertices)
    ->Args({1'000'000, 1, 0})
    ->Args({1'000'000, 1, 1})
    ->Args({8'832, 7'308, 0})
    ->Args({8'832, 7'308, 1})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void BM_PlainLoop(benchmark::State& state) {
  const int64_t vertices = state.range(0), size = state.range(1);
  std::vector<float> x(std::size_t(vertices * size));
  for (auto _ : state) {
    tbb::parallel_for(int64_t(0), vertices, [&](int64_t i) {
      for (float *v = x.data() + i * size, *end = v + size; v < end; ++v) *v = 3 * *v + 1;
    });
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * vertices);
}
BENCHMARK(BM_PlainLoop)->Args({1'000'000, 1})->Args({8'832, 7'308})->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
