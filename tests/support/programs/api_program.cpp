// Suffix sums on two tiles of a GC200: a codelet, streams, a loop whose end depends on data, and a report of the run.
#include "reports/core/error.h"
#include "reports/sqlite/writer.h"
#include "simcore/run/simulate.h"

#include <iostream>
#include <numeric>

using namespace simcore;
using namespace simcore::graph;

// The equivalent of a class in a Poplar codelet file: fields, the computation of a vertex, the cycles of a worker.
static Codelet sumSuffix() {
  Codelet c;
  c.name = "SumSuffix";
  c.fields = {{"in", FieldDirection::Input, ElementType::Float}, {"out", FieldDirection::Output, ElementType::Float}};
  c.compute = [](VertexFields& v) {
    const auto in = v.values<float>("in");
    v.mutableValues<float>("out")[0] = std::accumulate(in.begin(), in.end(), 0.0f);
  };
  c.cycles = [](const auto& sizes) { return 12 + 2 * sizes.at("in"); };
  return c;
}

int main(int argc, char** argv) {
  try {
    const int64_t n = 4;
    auto graph = std::make_shared<Graph>(arch::findMachine("gc200", 1));
    graph->addCodelet(sumSuffix());

    const Tensor v1 = graph->addVariable(ElementType::Float, {n}, "v1"), v2 = graph->addVariable(ElementType::Float, {n}, "v2");
    const ComputeSetId sums = graph->addComputeSet("sums");
    for (int64_t i = 0; i < n; ++i) {
      const TileId tile(std::size_t(i) % 2);
      graph->setTileMapping(v1[i], tile);
      graph->setTileMapping(v2[i], tile);
      const VertexRef v = graph->addVertex(sums, "SumSuffix");
      graph->connect(v["in"], v1.slice(i, n));
      graph->connect(v["out"], v2.slice(i, i + 1));
      graph->setTileMapping(v, tile);
    }

    const StreamId toDevice = graph->addHostToDeviceFifo("in", ElementType::Float, n),
                   fromDevice = graph->addDeviceToHostFifo("out", ElementType::Float, n);
    Sequence main;
    main.add(program::copy(toDevice, v1));
    main.add(program::repeat(2, Sequence{program::execute(sums), program::copy(v2, v1)}, "twice"));
    main.add(program::printTensor("v2", v2));
    main.add(program::copy(v2, fromDevice));

    // With an engine, the program runs on values of the caller.
    const compile::Executable executable = compile::compile(graph, {{"main", main.program()}});
    run::Engine engine(executable, {}, nullptr);
    std::vector<float> in{1, 2, 3, 4}, out(4);
    engine.connectStream("in", in.data(), in.data() + n);
    engine.connectStream("out", out.data(), out.data() + n);
    engine.setPrintTensorStream(std::cout);
    engine.run();
    std::cout << "sum of all suffix sums " << out[0] << " after " << engine.cycle() << " cycles\n";

    // As a workload, the same program gives a report that `tilescope` opens.
    if (argc < 2) return 0;
    Workload load;
    load.name = "suffix-sums";
    load.graph = graph;
    load.programs = {{"main", main.program()}};
    load.inputs["in"] = {numerics::HostTensor::vector(in)};
    load.outputs = {"out"};
    run::SimulateOptions options;
    options.engine.printStream = &std::cout;
    reports::NoProgress quiet;
    run::HostTimeline timeline("suffix-sums");
    reports::Writer report(argv[1]);
    run::simulate(load, options, report, timeline, {}, quiet);
    report.commit();
    return 0;
  } catch (const reports::Error& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
