#include "simcore/samples/monte_carlo.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/random.h"
#include "simcore/codelets/vertex_state.h"
#include "simcore/codelets/xoroshiro.h"
#include "simcore/ops/reduce/reduce.h"
#include "simcore/samples/sample_parts.h"

#include <fmt/format.h>

#include <cmath>

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;
using reports::ceilDiv;

namespace {

struct Simulation {
  Option option;
  int64_t tiles = 1, workers = 6, samples = 1, steps = 1; // a sample is one path, or two antithetic ones
  bool antithetic = false;

  int64_t all() const { return tiles * workers; }
  int64_t samplesOf(int64_t worker) const { return samples / all() + (worker < samples % all() ? 1 : 0); }
};

double payoff(const Option& o, double logarithm) {
  const double difference = o.spot * std::exp(logarithm) - o.strike;
  return std::max(0.0, o.call ? difference : -difference);
}

// Per worker, with its own generator: the sum and the sum of squares of its discounted payoffs.
HostTensor sumsOf(const Simulation& s, uint64_t seed) {
  HostTensor sums(ElementType::Float, {s.all(), 2});
  auto out = sums.mutableValues<float>();
  const Option& o = s.option;
  const float dt = float(o.years) / float(s.steps), drift = float(o.rate - 0.5 * o.volatility * o.volatility) * dt,
              width = float(o.volatility) * std::sqrt(dt);
  const double discount = std::exp(-o.rate * o.years);
  for (int64_t w = 0; w < s.all(); ++w) {
    auto generator = codelets::Xoroshiro128aox::forWorker(seed, uint32_t(w % s.workers), uint32_t(w / s.workers));
    float sum = 0, squares = 0;
    for (int64_t i = 0; i < s.samplesOf(w); ++i) {
      float noise = 0;
      for (int64_t step = 0; step < s.steps; ++step) noise += generator.normal();
      const float trend = drift * float(s.steps), swing = width * noise;
      double value = payoff(o, double(trend + swing));
      if (s.antithetic) value = 0.5 * (value + payoff(o, double(trend - swing)));
      sum += float(discount * value);
      squares += float(discount * value * discount * value);
    }
    out[std::size_t(2 * w)] = sum;
    out[std::size_t(2 * w + 1)] = squares;
  }
  return sums;
}

// Two paths share each vector instruction. Per step and pair: a draw, a multiply and an add, and a subtraction for antithetic
// paths. At the end: an exponential (two instructions per pair, ipu-reference 9.1), the payoff and both sums.
int64_t workerCycles(const Simulation& s, int64_t samples) {
  constexpr int64_t kEntry = 24, kPerPair = 10;
  const int64_t perStep = s.antithetic ? 4 : 3, ends = s.antithetic ? 2 : 1;
  return kEntry + ceilDiv(samples, int64_t(2)) * (s.steps * perStep + ends * kPerPair);
}

void addPaths(ops::Superstep& superstep, const Simulation& s) {
  codelets::VertexState state;
  state.onePtr();
  for (int i = 0; i < 6; ++i) state.scalar(4);
  const auto spec = codelets::makeSpec("SimulatePaths", codelets::VertexKind::Worker, codelets::VertexFamily::User,
                                       codelets::codeBytes(codelets::CodeClass::Compiled), state);
  const auto add = [&](int64_t samples, TileRange tiles, int64_t perTile) {
    const int64_t flops = samples * (s.steps * 2 + (s.antithetic ? 16 : 8));
    if (perTile > 0 && tiles.begin < tiles.end)
      superstep.add(spec, {reports::Cycles(workerCycles(s, samples)), reports::Flops(flops)}, tiles, perTile);
  };
  // The first workers have one more sample.
  const int64_t least = s.samples / s.all(), more = s.samples % s.all();
  add(least + 1, {0, more / s.workers}, s.workers);
  if (more % s.workers) {
    add(least + 1, {more / s.workers, more / s.workers + 1}, more % s.workers);
    add(least, {more / s.workers, more / s.workers + 1}, s.workers - more % s.workers);
  }
  add(least, {ceilDiv(more, s.workers), s.tiles}, s.workers);
}

Simulation simulationOf(const Parameters& p, const arch::Machine& machine) {
  Simulation s;
  s.option = {p.number("spot", 1e-6, 1e9),   p.number("strike", 1e-6, 1e9), p.number("rate", -1, 1),
              p.number("volatility", 0, 10), p.number("years", 1e-6, 1000), p.choice("option") == "call"};
  s.tiles = tilesOf(p, machine);
  s.workers = machine.tile.workers;
  s.antithetic = p.integer("antithetic", 0, 1) == 1;
  s.steps = p.integer("steps", 1, 1 << 16);
  const int64_t paths = p.integer("paths", 2, 1'000'000'000);
  s.samples = s.antithetic ? ceilDiv(paths, int64_t(2)) : paths;
  return s;
}

Workload buildPricing(const Parameters& p, const BuildOptions& o) {
  const Simulation s = simulationOf(p, o.machine);
  MeasuredGraph g(
      "monte-carlo",
      fmt::format("{} paths of {} steps, Black-Scholes price {:.4f}", p.text("paths"), s.steps, blackScholes(s.option)),
      o.machine);
  const Tensor sums =
      g.laid(ElementType::Float, {s.all(), 2}, "sums", Distribution({s.all(), 2}, {s.tiles, 1}, {}, 0, o.machine.tiles()));
  const ops::OpBuilder builder = g.builder(g.main());
  ops::Superstep seeds(builder, "setSeed");
  seeds.add(codelets::setSeedSpec(), codelets::setSeed(o.machine.tile), {0, s.tiles});
  seeds.execute({}, {});
  ops::Superstep paths(builder, "paths");
  addPaths(paths, s);
  const uint64_t seed = uint64_t(o.seed) + 77;
  g.numbers(g.main(), "paths", {}, {sums},
            [s, seed](const std::vector<HostTensor>&) { return std::vector<HostTensor>{sumsOf(s, seed)}; });
  paths.execute({}, {sums});
  const Tensor total = ops::reduce(builder, sums, {0}, codelets::ReduceOp::Add, false);
  const Tensor result = g.graph().addVariable(ElementType::Float, {2}, "result", g.context());
  g.graph().setTileMapping(result, TileId(0));
  Codelet mean;
  mean.name = "PriceAndError";
  mean.fields = {{"sums", FieldDirection::Input}, {"result", FieldDirection::Output}};
  mean.cycles = [](const std::map<std::string, int64_t>&) { return int64_t(40); }; // two divisions, a root, loads and stores
  mean.flops = [](const std::map<std::string, int64_t>&) { return int64_t(6); };
  mean.compute = [n = double(s.samples)](VertexFields& f) {
    const auto in = f.values<float>("sums");
    auto out = f.mutableValues<float>("result");
    const double price = double(in[0]) / n, variance = std::max(0.0, double(in[1]) / n - price * price);
    out[0] = float(price);
    out[1] = float(std::sqrt(variance / std::max(1.0, n - 1)));
  };
  g.graph().addCodelet(mean);
  const ComputeSetId set = g.graph().addComputeSet("price", g.context());
  g.graph().setTileMapping(g.graph().addVertex(set, mean.name, {{"sums", total}, {"result", result}}), TileId(0));
  g.main().add(program::execute(set, g.context()));
  if (p.integer("io", 0, 1)) g.main().add(program::printTensor("price and standard error", result));
  return g.finish(result, p.integer("io", 0, 1));
}

} // namespace

double blackScholes(const Option& o) {
  const auto normal = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  const double discounted = o.strike * std::exp(-o.rate * o.years), deviation = o.volatility * std::sqrt(o.years);
  double call = std::max(0.0, o.spot - discounted);
  if (deviation > 0) {
    const double d1 = std::log(o.spot / discounted) / deviation + 0.5 * deviation;
    call = o.spot * normal(d1) - discounted * normal(d1 - deviation);
  }
  return o.call ? call : call - o.spot + discounted; // put-call parity
}

Sample monteCarlo() {
  Sample s;
  s.name = "monte-carlo";
  s.title = "Option prices by simulation";
  s.text = "Every worker of every tile draws the paths of a stock from its own hardware generator and sums the payoffs; one "
           "reduction makes the price, which the run prints with its standard error. Nothing is exchanged until the end, and all "
           "workers do the same: look at the tile balance, and at how small the reduction is. The title has the price by the "
           "closed formula to compare with. (A normal number of the hardware is the sum of twelve parts of a draw, five bits "
           "each: with steps=1 this shows in the price.)";
  s.lesson = {{"tilescope:?view=program&set.list=steps",
               "Each tile sets its seed and simulates its paths; then their sums are added and make the price."},
              {"tilescope:?view=trace&set.tab=range",
               "Computing takes more than ten times as many cycles as exchange: only sums of paths move."},
              {"tilescope:?view=insights&set.list=findings",
               "Waiting for the host is the costliest finding: even a result of a few bytes has its fixed cost."},
              {"tilescope:?view=memory&set.breakdown=category", "Vertex code takes more than half of the memory in use."}};
  s.parameters = {{"paths", "500000", "paths over all tiles"},
                  {"steps", "32", "time steps of a path"},
                  {"option", "call", "call or put, European", {"call", "put"}},
                  {"spot", "100", "price of the stock"},
                  {"strike", "100", "strike price of the option"},
                  {"rate", "0.05", "risk-free interest rate per year"},
                  {"volatility", "0.2", "volatility of the stock per year"},
                  {"years", "1", "years until the option expires"},
                  {"antithetic", "0", "on: each row of random numbers makes two paths, up and down", {"0", "1"}},
                  {"tiles", "0", "tiles that simulate; 0: all"},
                  {"io", "1", "on: prints the result and brings it to the host; the stream's time is host time", {"0", "1"}}};
  s.build = buildPricing;
  s.variant = {
      "tuned",
      {{"antithetic", "1"}},
      "Each row of random numbers makes two opposite paths: half the draws for the same number of paths, so cycles fall. "
      "Opposite errors cancel, so the standard error falls, too.",
      "cycles"};
  return s;
}

} // namespace simcore::samples
