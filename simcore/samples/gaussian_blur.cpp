#include "simcore/samples/gaussian_blur.h"

#include "reports/core/error.h"
#include "simcore/ops/convolution.h"
#include "simcore/samples/stencil_grid.h"

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;

namespace {

constexpr int64_t kChannels = 4;
constexpr float kWeights[3] = {0.25f, 0.5f, 0.25f}; // the kernel is their outer product

// [height, width, 4] with zeros around.
std::vector<HostTensor> blur(const HostTensor& in) {
  const int64_t height = in.dim(0), width = in.dim(1);
  HostTensor result(ElementType::Float, in.shape());
  const auto u = in.values<float>();
  auto out = result.mutableValues<float>();
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      for (int64_t dy = -1; dy <= 1; ++dy)
        for (int64_t dx = -1; dx <= 1; ++dx) {
          if (y + dy < 0 || y + dy >= height || x + dx < 0 || x + dx >= width) continue;
          for (int64_t c = 0; c < kChannels; ++c)
            out[std::size_t((y * width + x) * kChannels + c)] +=
                kWeights[dy + 1] * kWeights[dx + 1] * u[std::size_t(((y + dy) * width + x + dx) * kChannels + c)];
        }
  return {result};
}

// Nine loads, a store and eleven float operations a vector step; the block with its rim is indexed from scratch each time,
// so nothing stays in registers. 3 and 8 are calibrated on A20 and A21 (help page model-fidelity).
StencilGrid::Codelet codeletOf(const std::string& type) {
  StencilGrid::Codelet c;
  c.name = "GaussianBlur<" + type + ">";
  c.loop.loads = 9;
  c.loop.stores = 1;
  c.loop.floatOperations = 11;
  c.loop.addressing = 3;
  c.loop.perCell = 8;
  c.loop.vectorSteps = type == "float" ? 4 : type == "float2" ? 2 : 1;
  c.flopsPerCell = 11 * kChannels;
  c.diagonals = true;
  c.stitch = true;
  return c;
}

// The published program cuts the rows only if they divide more evenly among the IPUs than the columns.
std::size_t slabDimension(int64_t height, int64_t width, int64_t ipus) {
  return double(height % ipus) / double(height) < double(width % ipus) / double(width) ? 0 : 1;
}

Workload viaStencil(MeasuredGraph& g, int64_t height, int64_t width, int64_t iterations, const std::string& type, uint64_t seed,
                    bool io) {
  const auto& machine = g.machine();
  const Shape shape{height, width};
  const std::size_t cut = slabDimension(height, width, machine.ipus);
  Shape slab = shape;
  slab[cut] = reports::ceilDiv(slab[cut], machine.ipus);
  StencilGrid grid(g, shape, cut, blocksByAspect(slab, machine.tilesPerIpu, 1),
                   type == "half4" ? ElementType::Half : ElementType::Float, kChannels);
  g.initialiseUniform(grid.front(), seed);
  const HostKernel kernel = [](const std::vector<HostTensor>& in) { return blur(in[0]); };
  Sequence body;
  grid.step(body, codeletOf(type), false, kernel);
  grid.step(body, codeletOf(type), true, kernel);
  g.main().add(program::repeat(iterations, body, "iterations", g.context()));
  return g.finish(grid.front(), io);
}

// One dense convolution of four channels with the blur on the diagonal, as the published program asks popnn for it.
Workload viaConvolution(MeasuredGraph& g, int64_t height, int64_t width, int64_t iterations, ElementType type, uint64_t seed,
                        bool io) {
  if (g.machine().ipus > 1)
    throw reports::Error(reports::ErrorCode::Unsupported, "the convolution runs on one IPU", "--set via",
                         "use via=stencil on several IPUs");
  const Tensor image = g.graph().addVariable(type, {1, kChannels, height, width}, "image", g.context());
  const Tensor weights = g.graph().addVariable(type, {kChannels, kChannels, 3, 3}, "weights", g.context());
  ops::ConvParams params;
  params.type = type;
  params.inChannels = params.outChannels = kChannels;
  params.in = {height, width};
  params.kernel = {3, 3};
  params.padLow = params.padHigh = {1, 1};
  g.initialise(image, [height, width, seed] { // the same image as the stencil blurs, channels first
    const HostTensor pixels = uniformTensor({height, width, kChannels}, seed);
    HostTensor t = HostTensor::uninitialised(ElementType::Float, {1, kChannels, height, width});
    auto v = t.mutableValues<float>();
    for (int64_t i = 0; i < height * width; ++i)
      for (int64_t c = 0; c < kChannels; ++c)
        v[std::size_t(c * height * width + i)] = pixels.values<float>()[std::size_t(i * kChannels + c)];
    return t;
  });
  g.initialise(weights, [] {
    HostTensor t(ElementType::Float, {kChannels, kChannels, 3, 3});
    for (int64_t c = 0; c < kChannels; ++c)
      for (int64_t k = 0; k < 9; ++k)
        t.mutableValues<float>()[std::size_t((c * kChannels + c) * 9 + k)] = kWeights[k / 3] * kWeights[k % 3];
    return t;
  });
  Sequence body;
  const Tensor blurred = ops::convolution(g.builder(body), image, weights, params);
  const auto layout = g.graph().variable(blurred.wholeVariable()).distribution;
  g.graph().setDistribution(image, layout); // the next convolution finds its input where this one leaves it
  body.add(program::copy(blurred, image, "back", g.context()));
  g.main().add(program::repeat(2 * iterations, body, "iterations", g.context()));
  return g.finish(image, io);
}

} // namespace

Sample gaussianBlur() {
  Sample s;
  s.name = "gaussian-blur";
  s.title = "Gaussian blur";
  s.text = "A 3 x 3 blur of an image of four channels. An iteration blurs there and back again, two steps, as the published "
           "program counts. Compare float, float2 and half4: the same "
           "loop over one, two or four channels at once. via=conv asks the convolution planner instead.";
  s.parameters = {{"width", "499", "of the image"},
                  {"height", "302", "of the image"},
                  {"type", "float", "float, float2 or half4; half is half4"},
                  {"iterations", "10", "iterations of two steps"},
                  {"via", "stencil", "stencil or conv"},
                  ipusParameter(),
                  ioParameter()};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const int64_t width = p.integer("width", 1, 100'000), height = p.integer("height", 1, 100'000),
                  iterations = p.integer("iterations", 1, 10'000'000);
    const bool convolution = p.choice("via", {"stencil", "conv"}) == "conv", io = p.integer("io", 0, 1);
    MeasuredGraph g("gaussian-blur", "Gaussian blur of " + std::to_string(width) + " x " + std::to_string(height),
                    machineOf(p, o));
    const uint64_t seed = uint64_t(o.seed) + 1;
    if (convolution) {
      const std::string type = p.choice("type", {"float", "half", "half4", "float2", "fp16", "fp32"});
      return viaConvolution(g, height, width, iterations,
                            type.starts_with("half") || type == "fp16" ? ElementType::Half : ElementType::Float, seed, io);
    }
    const std::string type = p.choice("type", {"float", "float2", "half4", "half"});
    return viaStencil(g, height, width, iterations, type == "half" ? "half4" : type, seed, io);
  };
  s.variant = {"tuned",
               {{"type", "half4"}},
               "All four channels of a pixel are one vector of halves: one load, one multiply-add and one store where there were "
               "four. Cycles fall.",
               "cycles"};
  return s;
}

} // namespace simcore::samples
