#include "simcore/samples/spiking.h"

#include "simcore/ops/ops.h"
#include "simcore/samples/sample_parts.h"

#include <fmt/format.h>

#include <random>

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;
using ops::Expression;

namespace {

Workload buildSpiking(const Parameters& p, const BuildOptions& o) {
  const SpikingNetwork n = spikingNetworkOf(p, o.seed);
  const ElementType type = typeOf(p);
  MeasuredGraph g("spiking", fmt::format("{} spiking neurons, batch {}, {} steps", n.neurons, n.batch, n.steps), o.machine);
  const auto state = [&](ElementType of, const std::string& name) {
    const Tensor t = g.graph().addVariable(of, {n.batch, n.neurons}, name, g.context());
    g.graph().mapTensorLinearly(t);
    return t;
  };
  const Tensor weights =
      g.graph().addVariable(type, {n.neurons, n.neurons}, "weights", g.context()); // gets the mapping that the product needs
  const Tensor drive = state(ElementType::Float, "drive"), potential = state(ElementType::Float, "potential"),
               counts = state(ElementType::Float, "counts");
  // A neuron's spike is on the tile of its potential. A linear mapping would put the spikes of type half on half as many tiles.
  const Tensor spikes = g.graph().clone(type, potential, "spikes", g.context());
  g.initialise(weights, [value = n.weights, type] { return value.cast(type); });
  g.initialise(drive, [value = n.drive] { return value; });
  const ops::OpBuilder start = g.builder(g.main());
  for (const Tensor& t : {potential, counts, spikes}) ops::zero(start, t);
  Sequence step("step", g.context());
  const ops::OpBuilder b = g.builder(step);
  using ops::_1, ops::_2, ops::_3;
  const Tensor received = ops::matmul(b, spikes, weights);
  ops::mapInPlace(b, _1 * SpikingNetwork::kLeak + Expression::cast(_2, ElementType::Float) + _3, {potential, received, drive},
                  "integrate");
  ops::mapWithOutput(b, Expression::cast(_1 >= SpikingNetwork::kThreshold, type), {potential}, spikes, "fire");
  ops::mapInPlace(b, _1 - Expression::cast(_2, ElementType::Float), {potential, spikes}, "reset");
  ops::mapInPlace(b, _1 + Expression::cast(_2, ElementType::Float), {counts, spikes}, "count");
  g.main().add(program::repeat(n.steps, step, "steps", g.context()));
  return g.finish(counts, p.integer("io", 0, 1));
}

} // namespace

SpikingNetwork spikingNetworkOf(const Parameters& p, int64_t seed) {
  SpikingNetwork n{p.integer("neurons", 1, 1 << 14), p.integer("batch", 1, 4096), p.integer("steps", 1, 1 << 24), {}, {}};
  const auto density = uint64_t(p.number("density", 0, 1) * 1024);
  n.weights = HostTensor::deferred(ElementType::Float, {n.neurons, n.neurons}, [count = n.neurons, density, seed] {
    std::mt19937_64 random(uint64_t(seed) * 0x9e3779b97f4a7c15ull + 41);
    HostTensor weights(ElementType::Float, {count, count});
    auto v = weights.mutableValues<float>();
    for (int64_t i = 0; i < count * count; ++i)
      if (random() % 1024 < density) v[std::size_t(i)] = (i / count * 5 < count * 4 ? 1.f : -4.f) / 64;
    return weights;
  });
  std::mt19937_64 random(uint64_t(seed) * 0x9e3779b97f4a7c15ull + 43);
  std::vector<float> drive;
  for (int64_t i = 0; i < n.batch * n.neurons; ++i) drive.push_back(float(random() % 13) / 64);
  n.drive = HostTensor::of<float>({n.batch, n.neurons}, drive);
  return n;
}

Sample spiking() {
  Sample s;
  s.name = "spiking";
  s.title = "Spiking neurons";
  s.text = "In each step, each of 1,024 neurons loses a sixteenth of its potential, adds its own drive and the input from "
           "neurons that fired, and fires when it reaches the threshold. Spikes are zeros and ones, so a step moves few bytes "
           "and most of its products are with zero; yet the product with all weights is half of the cycles. Look at its share of "
           "the peak FLOP rate, and at the maps after it: the 1,024 potentials are on 32 tiles, and each of four maps costs a "
           "sync for a handful of elements. With batch=64 the same weights serve 64 networks in three times as many cycles. io=1 "
           "gives how often each neuron fired.";
  s.lesson = {{"tilescope:?view=program&set.list=steps",
               "A step: the spikes times the weights, then the potentials are integrated, fire and are reset."},
              {"tilescope:?view=trace&set.tab=range", "Computing takes more than five times as many cycles as exchange."},
              {"tilescope:?view=insights&set.list=findings",
               "Unused tiles are the costliest finding, then low use of the matrix units: the spikes of a step are one vector."},
              {"tilescope:?view=memory&set.tab=largest", "The weights are the largest variable, and always live."}};
  s.parameters = {{"neurons", "1024", "neurons"}, {"density", "0.1", "probability that one neuron is connected to another"},
                  {"steps", "100", "time steps"}, {"batch", "1", "networks with the same weights and different drives"},
                  typeParameter("float"),         ioParameter()};
  s.build = buildSpiking;
  s.variant = {"tuned",
               {{"type", "half"}},
               "Weights and spikes in half precision, potentials in single: half the bytes and a product of twice the rate. "
               "The spikes are the same, because weights of 64ths and their sums are exact. Cycles fall a little.",
               "cycles"};
  return s;
}

} // namespace simcore::samples
