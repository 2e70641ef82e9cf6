#include "simcore/samples/prng.h"

#include "simcore/codelets/random.h"
#include "simcore/codelets/xoroshiro.h"
#include "simcore/samples/sample_parts.h"

namespace simcore::samples {

using namespace graph;
using codelets::RandomKind;
using numerics::HostTensor;

namespace {

// What the six workers of each tile draw, vector by vector in turn.
HostTensor draw(RandomKind kind, bool half, int64_t tiles, int64_t n, int workers, uint64_t seed) {
  HostTensor t = HostTensor::uninitialised(ElementType::Float, {tiles, n});
  auto out = t.mutableValues<float>();
  const std::size_t width = kind == RandomKind::Uniform ? (half ? 4 : 2) : 1;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    std::vector<codelets::Xoroshiro128aox> generators;
    for (int w = 0; w < workers; ++w)
      generators.push_back(codelets::Xoroshiro128aox::forWorker(seed, uint32_t(w), uint32_t(tile)));
    const auto mine = out.subspan(std::size_t(tile * n), std::size_t(n));
    for (std::size_t i = 0, turn = 0; i < mine.size(); i += width, ++turn) {
      auto& generator = generators[turn % generators.size()];
      if (kind == RandomKind::Uniform) {
        const auto halves = half ? generator.uniformHalves() : std::array<float, 4>{};
        const auto floats = half ? std::array<float, 2>{} : generator.uniformFloats();
        for (std::size_t j = 0; j < width && i + j < mine.size(); ++j)
          mine[i + j] = codelets::uniformBetween(half ? halves[j] : floats[j], -1.0f, 1.0f);
      } else if (kind == RandomKind::Normal) {
        mine[i] = generator.normal();
      } else {
        mine[i] = generator.next() >> 63 ? 1.0f : 0.0f;
      }
    }
  }
  return t;
}

} // namespace

Sample prngSample() {
  Sample s;
  s.name = "prng";
  s.title = "Random numbers";
  s.text = "Every tile seeds its six generators and fills a tensor. The same seed and layout give the same numbers. A 64-bit "
           "draw takes one cycle, so a tile makes random numbers "
           "as fast as it can store them.";
  s.parameters = {{"n", "10000", "numbers on each tile"},
                  {"distribution", "uniform", "uniform, normal or bernoulli"},
                  typeParameter("float"),
                  {"tiles", "0", "tiles that draw; 0: all"},
                  {"model", "hardware", "hardware counts what the assembly does, published what its estimator says"},
                  ioParameter()};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const int64_t n = p.integer("n", 1, 1 << 24), tiles = tilesOf(p, o.machine);
    const ElementType type = typeOf(p);
    const std::string& name = p.choice("distribution", {"uniform", "normal", "bernoulli"});
    const RandomKind kind = name == "uniform"  ? RandomKind::Uniform
                            : name == "normal" ? RandomKind::Normal
                                               : RandomKind::Bernoulli;
    codelets::RandomOptions options;
    options.model = p.choice("model", {"hardware", "published"}) == "published" ? codelets::RandomModel::Published
                                                                                : codelets::RandomModel::Hardware;
    MeasuredGraph g("prng", std::to_string(n) + " " + name + " numbers on each tile", o.machine);
    const Tensor out = g.perTile(type, {tiles, n}, "numbers");
    const ops::OpBuilder builder = g.builder(g.main());
    ops::Superstep seed(builder, "setSeed");
    seed.add(codelets::setSeedSpec(), codelets::setSeed(o.machine.tile), {0, tiles});
    seed.execute({}, {});
    ops::Superstep step(builder, name);
    step.add(codelets::randomSpec(kind, type), codelets::random(o.machine.tile, kind, type, n, options), {0, tiles});
    const uint64_t masterSeed = uint64_t(o.seed) + 42;
    const int workers = o.machine.tile.workers;
    g.numbers(g.main(), name, {}, {out}, [=](const std::vector<HostTensor>&) {
      return std::vector<HostTensor>{draw(kind, type == ElementType::Half, tiles, n, workers, masterSeed)};
    });
    step.execute({}, {out});
    return g.finish(out, p.integer("io", 0, 1));
  };
  s.variant = {
      "tuned",
      {{"type", "half"}},
      "A draw of 64 bits makes four halves instead of two floats: the same numbers in fewer draws and stores. Cycles fall.",
      "cycles"};
  return s;
}

} // namespace simcore::samples
