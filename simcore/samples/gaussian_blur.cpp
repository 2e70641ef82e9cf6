#include "simcore/samples/gaussian_blur.h"

#include "simcore/ops/collective/inter_ipu.h"
#include "simcore/ops/conv/convolution.h"
#include "simcore/samples/stencil_grid.h"

#include <algorithm>

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;

namespace {

constexpr int64_t kChannels = 4;
constexpr float kWeights[3] = {0.25f, 0.5f, 0.25f}; // the kernel is their outer product

// An image [height, width, 4] with zeros around it.
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

// A vector step has nine loads, a store and eleven float operations: the block with its rim is indexed anew for each load, so
// nothing stays in registers. Calibrated on the phases in a profile of the study (A22-phase, help page model-fidelity): one
// instruction of address arithmetic per step, the instructions per pixel, and 250 to enter the vertex. Blocks are copied before
// and after the exchange.
StencilGrid::Codelet codeletOf(const std::string& type) {
  StencilGrid::Codelet c;
  c.name = "GaussianBlur<" + type + ">";
  c.loop.loads = 9;
  c.loop.stores = 1;
  c.loop.floatOperations = 11;
  c.loop.addressing = 1;
  c.loop.perCell = type == "float" ? 3 : type == "float2" ? 0 : 4;
  c.loop.start = 250;
  c.loop.vectorSteps = type == "float" ? 4 : type == "float2" ? 2 : 1;
  c.flopsPerCell = 11 * kChannels;
  c.diagonals = true;
  c.stitch = true;
  c.timesCopied = 2;
  return c;
}

// The dimension that the published program cuts over IPUs: rows only if they divide more evenly than columns.
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

// The part of the image on one IPU, and the lines that it gets from its neighbours.
struct Part {
  int64_t begin = 0, length = 0;
  Tensor image, before, behind, weights;
  ops::ConvParams params;
};

// Channels first: [1, 4, height, width], the same image as for the stencil.
HostTensor partOfImage(int64_t height, int64_t width, std::size_t cut, int64_t begin, int64_t length, uint64_t seed) {
  const HostTensor pixels = uniformTensor({height, width, kChannels}, seed);
  Shape shape{height, width};
  shape[cut] = length;
  HostTensor t = HostTensor::uninitialised(ElementType::Float, {1, kChannels, shape[0], shape[1]});
  auto v = t.mutableValues<float>();
  for (int64_t i = 0; i < shape[0] * shape[1]; ++i) {
    const int64_t y = i / shape[1] + (cut == 0 ? begin : 0), x = i % shape[1] + (cut == 1 ? begin : 0);
    for (int64_t c = 0; c < kChannels; ++c)
      v[std::size_t(c * shape[0] * shape[1] + i)] = pixels.values<float>()[std::size_t((y * width + x) * kChannels + c)];
  }
  return t;
}

HostTensor diagonalWeights() {
  HostTensor t(ElementType::Float, {kChannels, kChannels, 3, 3});
  for (int64_t c = 0; c < kChannels; ++c)
    for (int64_t k = 0; k < 9; ++k)
      t.mutableValues<float>()[std::size_t((c * kChannels + c) * 9 + k)] = kWeights[k / 3] * kWeights[k % 3];
  return t;
}

// One dense convolution of four channels with the blur on the diagonal, as the published program calls popnn. With several IPUs
// each convolves its part, after an exchange of the lines at the edges.
class BlurByConvolution {
public:
  BlurByConvolution(MeasuredGraph& g, int64_t height, int64_t width, ElementType type, uint64_t seed)
      : m_g(g), m_cut(slabDimension(height, width, g.machine().ipus)) {
    const int64_t extent = m_cut == 0 ? height : width, length = reports::ceilDiv(extent, g.machine().ipus);
    for (int64_t begin = 0; begin < extent; begin += length) {
      Part part;
      part.begin = begin;
      part.length = std::min(length, extent - begin);
      part.params.type = type;
      part.params.inChannels = part.params.outChannels = kChannels;
      part.params.in = {height, width};
      part.params.in[m_cut] = part.length + (begin > 0) + (begin + part.length < extent);
      part.params.kernel = {3, 3};
      part.params.padLow = part.params.padHigh = {1, 1};
      part.params.padLow[m_cut] = begin == 0;
      part.params.padHigh[m_cut] = begin + part.length == extent;
      Shape shape{1, kChannels, height, width};
      shape[2 + m_cut] = part.length;
      const std::string suffix = g.machine().ipus > 1 ? std::to_string(m_parts.size()) : "";
      part.image = g.graph().addVariable(type, shape, "image" + suffix, g.context());
      part.weights = g.graph().addVariable(type, {kChannels, kChannels, 3, 3}, "weights" + suffix, g.context());
      g.initialise(part.image,
                   [=, cut = m_cut, length = part.length] { return partOfImage(height, width, cut, begin, length, seed); });
      g.initialise(part.weights, diagonalWeights);
      m_parts.push_back(std::move(part));
    }
  }

  Workload build(int64_t iterations, bool io) {
    Sequence body;
    if (m_parts.size() > 1) exchangeEdges(body);
    std::vector<Tensor> images, blurred;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
      blurred.push_back(convolved(m_g.builder(body), i));
      images.push_back(m_parts[i].image);
    }
    // Each result has the layout of the next convolution's input.
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
      m_g.graph().setDistribution(images[i], m_g.graph().variable(blurred[i].wholeVariable()).distribution);
      body.add(program::copy(blurred[i], images[i], "back", m_g.context()));
    }
    m_g.main().add(program::repeat(2 * iterations, body, "iterations", m_g.context()));
    return m_g.finish(images.size() == 1 ? images[0] : concat(images, 2 + m_cut), io);
  }

private:
  Tensor convolved(const ops::OpBuilder& builder, std::size_t i) const {
    const Part& part = m_parts[i];
    std::vector<Tensor> operand;
    for (const Tensor& t : {part.before, part.image, part.behind})
      if (t.valid()) operand.push_back(t);
    return ops::convolution(builder.onIpu(int(i)), operand.size() == 1 ? operand[0] : concat(operand, 2 + m_cut), part.weights,
                            part.params);
  }

  // The layout of a part's blurred image, so that its edges are sent from these tiles. It is found by lowering the convolution
  // into a temporary graph.
  Distribution layoutOf(std::size_t i) const {
    MeasuredGraph scratch("layout", "layout", m_g.machine());
    const Part& part = m_parts[i];
    Shape in = part.image.shape();
    in[2 + m_cut] = part.params.in[m_cut];
    Sequence nowhere;
    const Tensor image = scratch.graph().addVariable(part.params.type, in, "image", scratch.context()),
                 weights = scratch.graph().addVariable(part.params.type, part.weights.shape(), "weights", scratch.context());
    const Tensor out = ops::convolution(scratch.builder(nowhere).onIpu(int(i)), image, weights, part.params);
    return scratch.graph().variable(out.wholeVariable()).distribution;
  }

  void exchangeEdges(Sequence& body) {
    const ops::OpBuilder builder = m_g.builder(body);
    for (std::size_t i = 0; i < m_parts.size(); ++i) m_g.graph().setDistribution(m_parts[i].image, layoutOf(i));
    std::vector<ops::IpuCopy> copies;
    const auto send = [&](const Tensor& edge, std::size_t to, Tensor& there, const char* name) {
      there = ops::destinationOn(builder, edge, int(to), name + std::to_string(to));
      copies.push_back({edge, there});
    };
    for (std::size_t i = 0; i + 1 < m_parts.size(); ++i) {
      Part &low = m_parts[i], &high = m_parts[i + 1];
      send(low.image.slice(low.length - 1, low.length, 2 + m_cut), i + 1, high.before, "before");
      send(high.image.slice(0, 1, 2 + m_cut), i, low.behind, "behind");
    }
    ops::interIpuCopies(builder, "edges", copies);
  }

  MeasuredGraph& m_g;
  std::size_t m_cut; // 0: rows, 1: columns
  std::vector<Part> m_parts;
};

} // namespace

Sample gaussianBlur() {
  Sample s;
  s.name = "gaussian-blur";
  s.title = "Gaussian blur";
  s.text = "A 3 x 3 blur of an image of four channels. An iteration is two blur steps, from one buffer to the other and "
           "back, as the published program counts. Compare float, float2 and half4: the same loop over one, two or four "
           "channels at once. via=conv uses the convolution planner instead.";
  s.lesson = {{"tilescope:?view=program&set.list=steps",
               "A repeat of two supersteps: rims are exchanged, then the blurred image is written beside the old one."},
              {"tilescope:?view=trace&set.tab=range",
               "Copies within tiles take more than eight times as many cycles as the exchange of the rims."},
              {"tilescope:?view=insights&set.list=findings",
               "Copies within tiles are the costliest finding: rims are put beside the block before a vertex reads them."},
              {"tilescope:?view=memory&set.breakdown=category",
               "Variables are the largest category: the image before and after, and both as blocks with rims."}};
  s.parameters = {{"width", "499", "pixels per row of the image"},
                  {"height", "302", "rows of the image"},
                  {"type", "float", "float, float2 or half4; half is half4", {"float", "float2", "half4"}},
                  {"iterations", "10", "iterations of two steps"},
                  {"via", "stencil", "stencil or conv", {"stencil", "conv"}},
                  ipusParameter(),
                  ioParameter()};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const int64_t width = p.integer("width", 1, 100'000), height = p.integer("height", 1, 100'000),
                  iterations = p.integer("iterations", 1, 10'000'000);
    const bool convolution = p.choice("via") == "conv", io = p.integer("io", 0, 1);
    MeasuredGraph g("gaussian-blur", "Gaussian blur of " + std::to_string(width) + " x " + std::to_string(height),
                    machineOf(p, o));
    const uint64_t seed = uint64_t(o.seed) + 1;
    const std::string type = p.choice("type", {"float", "float2", "half4", "half", "fp16", "float16", "fp32", "float32"});
    const bool half = type.starts_with("half") || type.ends_with("16");
    if (convolution)
      return BlurByConvolution(g, height, width, half ? ElementType::Half : ElementType::Float, seed).build(iterations, io);
    return viaStencil(g, height, width, iterations, half ? "half4" : type == "float2" ? "float2" : "float", seed, io);
  };
  s.variant = {"tuned",
               {{"type", "half4"}},
               "All four channels of a pixel are one vector of halves: one load, one multiply-add and one store instead of "
               "four each. Cycles fall.",
               "cycles"};
  return s;
}

} // namespace simcore::samples
