#include "simcore/ops/elementwise/random.h"

#include "reports/core/error.h"
#include "simcore/codelets/xoroshiro.h"
#include "simcore/graph/lasting_kernel.h"
#include "simcore/ops/cells/pieces.h"

#include <fmt/format.h>

#include <cmath>
#include <span>

namespace simcore::ops {

using codelets::RandomKind;
using codelets::Xoroshiro128aox;
using graph::LastingState;
using numerics::HostTensor;

namespace {

uint64_t mixed(uint64_t v) { return mixedBits(v + 0x9e3779b97f4a7c15ull); }

// The seed for the replica of this state.
uint64_t seedOn(const RandomSeed& seed, const LastingState& state) {
  uint64_t value = seed.value;
  if (state.seed != 0 && !seed.fixed) value ^= mixed(state.seed);
  if (state.replica != 0) value ^= mixed(~uint64_t(state.replica));
  return value;
}

const char* nameOf(RandomKind kind) {
  switch (kind) {
  case RandomKind::Uniform: return "uniform";
  case RandomKind::Normal: return "normal";
  case RandomKind::TruncatedNormal: return "truncatedNormal";
  case RandomKind::Bernoulli: return "bernoulli";
  case RandomKind::Dropout: break;
  }
  throw reports::Error(reports::ErrorCode::Unsupported, "dropout changes an existing tensor and cannot fill one");
}

// One draw of a worker: a vector of values, or one value.
std::vector<float> drawVector(const RandomNumbers& n, bool half, Xoroshiro128aox& generator) {
  if (n.kind == RandomKind::Uniform) {
    std::vector<float> values;
    const auto add = [&](float u) { values.push_back(codelets::uniformBetween(u, float(n.low), float(n.high))); };
    if (half)
      for (const float u : generator.uniformHalves()) add(u);
    else
      for (const float u : generator.uniformFloats()) add(u);
    return values;
  }
  if (n.kind == RandomKind::Bernoulli) return {double(generator.next() >> 11) * 0x1p-53 < n.probability ? 1.0f : 0.0f};
  float v = generator.normal();
  if (n.kind == RandomKind::TruncatedNormal) {
    for (int64_t i = 1; i < n.options.truncationIterations && std::abs(v) > float(n.truncation); ++i) v = generator.normal();
    v = std::clamp(v, -float(n.truncation), float(n.truncation)); // if the last attempt is still outside
  }
  return {float(n.mean) + float(n.deviation) * v};
}

// Draws whole numbers from low to high - 1.
HostTensor drawIntegers(const RandomNumbers& n, ElementType type, int64_t elements, std::span<Xoroshiro128aox> generators) {
  const auto low = int64_t(std::ceil(n.low));
  const auto count = uint64_t(std::max<int64_t>(1, int64_t(std::ceil(n.high)) - low));
  std::vector<int64_t> values;
  for (int64_t i = 0; i < elements; ++i)
    values.push_back(low + int64_t(generators[std::size_t(i) % generators.size()].next() % count));
  return HostTensor::vector(values).cast(type);
}

// Draws the elements of a tile; its workers take turns.
HostTensor drawTile(const RandomNumbers& n, bool half, int64_t elements, std::span<Xoroshiro128aox> generators) {
  std::vector<float> values;
  for (std::size_t turn = 0; int64_t(values.size()) < elements; ++turn) {
    const auto more = drawVector(n, half, generators[turn % generators.size()]);
    values.insert(values.end(), more.begin(), more.end());
  }
  values.resize(std::size_t(elements));
  return HostTensor::vector(values);
}

} // namespace

namespace {
// Seeds the generators of these tiles; a seed of words on the machine is first sent to all of them.
void seedGenerators(const OpBuilder& b, const RandomSeed& seed, const PerTile& held) {
  std::vector<Tensor> reads;
  if (seed.words.valid()) {
    if (seed.words.numElements() != 2 || seed.words.elementType() != ElementType::UInt32)
      throw reports::Error(reports::ErrorCode::InvalidInput,
                           "a seed must be two uint32, the given one is " + seed.words.getDebugStr() + " " +
                               numerics::elementTypeName(seed.words.elementType()),
                           b.graph().fullName(b.context()));
    PerTile two, bytes;
    for (const auto& r : held.runs()) two.add(r.tiles, 2);
    bytes.add(two, 4);
    reads.push_back(b.buffer(ElementType::UInt32, "seed", bytes, reports::MemoryCategory::Message));
    b.exchange("broadcastSeed", {seed.words}, reads, b.trafficBlind(b.layoutOf(seed.words), two, 4));
  }
  Superstep seeding(b, "setSeed");
  for (const auto& r : held.runs()) seeding.add(codelets::setSeedSpec(), codelets::setSeed(b.tile()), r.tiles);
  seeding.execute(reads, {});
}

std::vector<Tensor> wordsOf(const RandomSeed& seed) {
  return seed.words.valid() ? std::vector<Tensor>{seed.words.flatten()} : std::vector<Tensor>{};
}

// The numbers that all tiles draw for a tensor.
struct Draws {
  Draws(const OpBuilder& b, const Tensor& x, const Distribution& where, const RandomNumbers& what, const RandomSeed& from)
      : numbers(what), seed(from), layout(where), shape(x.shape()), type(x.elementType()), workers(b.tile().workers) {}

  // Draws at run time; `in` ends with the words of the seed, if it has words. `state`: the generators after the previous call.
  // A number seeds them once, and later calls continue; words on the machine seed them at every call.
  HostTensor all(const std::vector<HostTensor>& in, LastingState& state) const {
    auto* generators = std::any_cast<Generators>(&state.memory);
    if (!generators || seed.words.valid()) generators = &state.memory.emplace<Generators>(seeded(in, state));
    const bool integers = numbers.kind == RandomKind::Uniform && !numerics::isFloating(type);
    Pieces out(integers ? type : ElementType::Float, layout);
    for (int64_t c = 0; c < layout.cells(); ++c) {
      const auto own = std::span(*generators).subspan(std::size_t(c * workers), std::size_t(workers));
      const int64_t elements = layout.cell(c).volume();
      out.put(c, integers ? drawIntegers(numbers, type, elements, own)
                          : drawTile(numbers, type == ElementType::Half, elements, own));
    }
    return out.assemble(shape);
  }

private:
  using Generators = std::vector<Xoroshiro128aox>; // of all workers of all cells, in sequence

  Generators seeded(const std::vector<HostTensor>& in, const LastingState& state) const {
    const bool onMachine = seed.words.valid();
    const uint64_t master = onMachine ? mixed(wordsIn(in) ^ mixed(seed.value)) : seedOn(seed, state);
    Generators generators;
    generators.reserve(std::size_t(layout.cells() * workers));
    for (int64_t c = 0; c < layout.cells(); ++c) {
      const uint64_t tile = uint64_t(layout.tileOf(c));
      const uint32_t modifier = onMachine ? uint32_t(mixed(master + tile)) : uint32_t(tile);
      for (int w = 0; w < workers; ++w) generators.push_back(Xoroshiro128aox::forWorker(master, uint32_t(w), modifier));
    }
    return generators;
  }
  static uint64_t wordsIn(const std::vector<HostTensor>& in) {
    return uint64_t(uint32_t(in.back().integerAt(0))) | uint64_t(uint32_t(in.back().integerAt(1))) << 32;
  }

  RandomNumbers numbers;
  RandomSeed seed;
  Distribution layout;
  Shape shape;
  ElementType type;
  int workers;
};

template<class F> graph::LastingKernel lasting(F f) { // with one result
  return {[f = std::move(f)](const std::vector<HostTensor>& in, LastingState& state) {
    return std::vector<HostTensor>{f(in, state)};
  }};
}
} // namespace

uint64_t mixedBits(uint64_t number) {
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9ull;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebull;
  return number ^ (number >> 31);
}

void fillRandom(const OpBuilder& builder, const Tensor& x, const RandomNumbers& numbers, const RandomSeed& seed) {
  const OpBuilder b = builder.within(nameOf(numbers.kind), "random");
  b.requireLocal(x);
  const Distribution layout = b.layoutOf(x);
  const PerTile held = layout.elementsByTile();
  const auto draw = [&](int64_t elements) {
    return codelets::random(b.tile(), numbers.kind, x.elementType(), elements, numbers.options);
  };
  const int64_t seeded = codelets::setSeed(b.tile()).cycles.value(), drawn = draw(held.max()).cycles.value();
  b.recordPlan("random",
               fmt::format("{} elements on {} tiles, {} generators each", x.numElements(), layout.cells(), b.tile().workers),
               {{"predicted", {{"seed", seeded}, {"draw", drawn}}}}, {seeded + drawn});
  seedGenerators(b, seed, held);
  Superstep step(b, nameOf(numbers.kind));
  for (const auto& r : held.runs()) step.add(codelets::randomSpec(numbers.kind, x.elementType()), draw(r.value), r.tiles);
  step.execute({}, {x});
  b.compute(wordsOf(seed), {x}, lasting([draws = Draws(b, x, layout, numbers, seed)](const auto& in, LastingState& state) {
              return draws.all(in, state);
            }));
}

Tensor dropout(const OpBuilder& builder, const Tensor& operand, double keep, double scale, const RandomSeed& seed,
               bool byElement) {
  const OpBuilder b = builder.within("dropout", "random");
  if (!(keep > 0 && keep <= 1))
    throw reports::Error(reports::ErrorCode::InvalidInput, "the probability to keep an element must be above 0 and at most 1",
                         b.graph().fullName(b.context()));
  const Tensor x = b.local(operand);
  const Distribution layout = b.layoutOf(x);
  const PerTile held = layout.elementsByTile();
  const Tensor out = b.output(x.elementType(), x.shape(), "out", layout);
  const auto drop = [&](int64_t elements) { return codelets::random(b.tile(), RandomKind::Dropout, x.elementType(), elements); };
  const int64_t seeded = codelets::setSeed(b.tile()).cycles.value(), drawn = drop(held.max()).cycles.value();
  b.recordPlan("random",
               fmt::format("{} elements on {} tiles, kept with probability {:g}", x.numElements(), layout.cells(), keep),
               {{"predicted", {{"seed", seeded}, {"drop", drawn}}}}, {seeded + drawn});
  seedGenerators(b, seed, held);
  Superstep step(b, "dropout");
  for (const auto& r : held.runs()) step.add(codelets::randomSpec(RandomKind::Dropout, x.elementType()), drop(r.value), r.tiles);
  step.execute({x}, {out});
  RandomNumbers ones;
  ones.kind = RandomKind::Bernoulli;
  ones.probability = keep;
  std::vector<Tensor> reads{x};
  for (const Tensor& words : wordsOf(seed)) reads.push_back(words);
  const Distribution numbersLie = byElement ? b.linear(x.numElements(), x.elementType()) : layout;
  b.compute(reads, {out}, lasting([draws = Draws(b, x, numbersLie, ones, seed), scale](const auto& in, LastingState& state) {
              std::vector<double> values = in[0].toDoubles();
              const std::vector<double> kept = draws.all(in, state).toDoubles();
              for (std::size_t i = 0; i < values.size(); ++i) values[i] = kept[i] != 0 ? values[i] * scale : 0;
              return HostTensor::of(in[0].shape(), values).cast(in[0].type());
            }));
  return out;
}

Tensor drawSeed(const OpBuilder& builder, const RandomSeed& number) {
  const OpBuilder b = builder.within("drawSeed", "random");
  const Tensor words = b.output(ElementType::UInt32, {2}, "words", b.linear(2, ElementType::UInt32));
  RandomNumbers integers;
  integers.options.fullRangeInteger = true;
  Superstep step(b, "drawSeed");
  const PerTile held = b.layoutOf(words).elementsByTile();
  const auto draw = [&](int64_t count) {
    return codelets::random(b.tile(), RandomKind::Uniform, ElementType::UInt32, count, integers.options);
  };
  const int64_t drawn = draw(held.max()).cycles.value();
  b.recordPlan("random", "two words of a seed", {{"predicted", {{"draw", drawn}}}}, {drawn});
  for (const auto& r : held.runs())
    step.add(codelets::randomSpec(RandomKind::Uniform, ElementType::UInt32), draw(r.value), r.tiles);
  step.execute({}, {words});
  b.compute({}, {words}, lasting([number](const auto&, LastingState& state) {
              auto* generator = std::any_cast<Xoroshiro128aox>(&state.memory);
              if (!generator)
                generator = &state.memory.emplace<Xoroshiro128aox>(Xoroshiro128aox::forWorker(seedOn(number, state), 0, 0));
              const uint64_t both = generator->next();
              HostTensor two(ElementType::UInt32, {2});
              two.mutableValues<uint32_t>()[0] = uint32_t(both), two.mutableValues<uint32_t>()[1] = uint32_t(both >> 32);
              return two;
            }));
  return words;
}

} // namespace simcore::ops
