#include "simcore/ops/random.h"

#include "reports/core/error.h"
#include "simcore/codelets/xoroshiro.h"
#include "simcore/ops/pieces.h"

#include <cmath>

namespace simcore::ops {

using codelets::RandomKind;
using codelets::Xoroshiro128aox;
using numerics::HostTensor;

namespace {

const char* nameOf(RandomKind kind) {
  switch (kind) {
  case RandomKind::Uniform: return "uniform";
  case RandomKind::Normal: return "normal";
  case RandomKind::TruncatedNormal: return "truncatedNormal";
  case RandomKind::Bernoulli: return "bernoulli";
  case RandomKind::Dropout: break;
  }
  throw reports::Error(reports::ErrorCode::Unsupported, "dropout scales a tensor and does not fill one");
}

// One draw of a worker: as many values as a vector has, or one.
std::vector<float> draw(const RandomNumbers& n, bool half, Xoroshiro128aox& generator) {
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
    v = std::clamp(v, -float(n.truncation), float(n.truncation)); // what is left after the last try
  }
  return {float(n.mean) + float(n.deviation) * v};
}

HostTensor drawTile(const RandomNumbers& n, bool half, int64_t elements, uint64_t seed, int64_t tile, int workers) {
  std::vector<Xoroshiro128aox> generators;
  generators.reserve(std::size_t(workers));
  for (int w = 0; w < workers; ++w) generators.push_back(Xoroshiro128aox::forWorker(seed, uint32_t(w), uint32_t(tile)));
  std::vector<float> values;
  for (std::size_t turn = 0; int64_t(values.size()) < elements; ++turn) {
    const auto more = draw(n, half, generators[turn % generators.size()]);
    values.insert(values.end(), more.begin(), more.end());
  }
  values.resize(std::size_t(elements));
  return HostTensor::vector(values);
}

} // namespace

void fillRandom(const OpBuilder& builder, const Tensor& x, const RandomNumbers& numbers, uint64_t seed) {
  const OpBuilder b = builder.within(nameOf(numbers.kind), "random");
  b.requireLocal(x);
  const Distribution layout = b.layoutOf(x);
  const PerTile held = layout.elementsByTile();
  Superstep seeding(b, "setSeed");
  for (const auto& r : held.runs()) seeding.add(codelets::setSeedSpec(), codelets::setSeed(b.tile()), r.tiles);
  seeding.execute({}, {});
  Superstep step(b, nameOf(numbers.kind));
  for (const auto& r : held.runs())
    step.add(codelets::randomSpec(numbers.kind, x.elementType()),
             codelets::random(b.tile(), numbers.kind, x.elementType(), r.value, numbers.options), r.tiles);
  step.execute({}, {x});
  b.compute({}, {x},
            oneResult([numbers, seed, layout, shape = x.shape(), half = x.elementType() == ElementType::Half,
                       workers = b.tile().workers](const std::vector<HostTensor>&) {
              Pieces out(ElementType::Float, layout);
              for (int64_t c = 0; c < layout.cells(); ++c)
                out.put(c, drawTile(numbers, half, layout.cell(c).volume(), seed, layout.tileOf(c), workers));
              return out.assemble(shape);
            }));
}

} // namespace simcore::ops
