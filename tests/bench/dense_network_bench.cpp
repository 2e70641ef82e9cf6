// The cost of a model that grows: a dense network, in which every layer reads all before it, from its nodes to an executable.
// Layers make 12 channels each and products are small, so time is that of lowering, planning, exchanges, liveness and places.
// `per_layer` would be the same for every number of layers if layers were alike. Their inputs grow with the square, and the first
// twenty have so few channels that they need no sums of partials: the mean layer of 50 has 13 % fewer vertices than that of 400
// (onnx-models.md has the figures). In training the gradient of a layer's result is a sum over all layers behind it.
#include "simcore/compile/compiler.h"
#include "simcore/placement/parallelism.h"
#include "simcore/samples/network.h"

#include <benchmark/benchmark.h>

using namespace simcore;

namespace {

samples::Network denseNetwork(int64_t layers) {
  samples::Network net("dense", 7);
  std::vector<std::string> made{net.input("images", numerics::ElementType::Float, {1, 24, 14, 14})};
  for (int64_t i = 0; i < layers; ++i) {
    const std::string name = "layer" + std::to_string(i);
    const std::string all =
        made.size() == 1 ? made[0] : net.graph().add("Concat", made, model::attributes({{"axis", int64_t(1)}}), name + "/all");
    made.push_back(net.relu(name + "/relu", net.conv(name + "/conv", all, 12, 1, 1, 0, false)));
  }
  net.graph().output(made.back());
  return net;
}

graph::Workload trainingOf(const samples::Network& net, const samples::BuildOptions& options) {
  model::TrainingLoweringOptions lowering;
  lowering.lowering.precision = options.type;
  return model::trainingWorkload(net.model(), "loss", {}, options.machine, lowering, options.parallel);
}

void BM_LowerDenseTraining(benchmark::State& state) {
  samples::Network net = denseNetwork(state.range(0));
  const auto last = net.model().graph.outputs.back().name;
  net.squaredErrorOf(last, net.input("target", numerics::ElementType::Float, net.graph().shape(last)));
  samples::BuildOptions options;
  options.machine = arch::findMachine("gc200", 1);
  options.type = numerics::ElementType::Half;
  for (auto _ : state) benchmark::DoNotOptimize(trainingOf(net, options).graph->computeSets().size());
  state.counters["per_layer"] =
      benchmark::Counter(double(state.range(0)), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_LowerDenseTraining)->Arg(50)->Arg(100)->Arg(200)->Arg(400)->Unit(benchmark::kSecond)->Iterations(1);

void BM_CompileDenseNetwork(benchmark::State& state) {
  const samples::Network net = denseNetwork(state.range(0));
  samples::BuildOptions options;
  options.machine = arch::findMachine("gc200", 1);
  options.type = numerics::ElementType::Half;
  for (auto _ : state) {
    const graph::Workload load =
        samples::inferenceOf(net, options, [](int64_t) { return std::map<std::string, numerics::HostTensor>(); });
    reports::NoProgress quiet;
    benchmark::DoNotOptimize(compile::compile(load.graph, load.programs, {}, quiet).program.steps);
  }
  state.counters["per_layer"] =
      benchmark::Counter(double(state.range(0)), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_CompileDenseNetwork)->Arg(50)->Arg(100)->Arg(200)->Arg(400)->Unit(benchmark::kSecond)->Iterations(1);

} // namespace
