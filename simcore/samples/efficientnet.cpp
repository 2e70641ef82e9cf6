#include "simcore/samples/efficientnet.h"

#include "reports/core/error.h"
#include "reports/core/option.h"
#include "simcore/samples/network.h"
#include "simcore/samples/striped_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace simcore::samples {

using numerics::ElementType;

namespace {

// Scaling of Tan and Le 2019: factors for width and depth, and the size of the images.
struct Scaling {
  const char* name;
  double width, depth;
  int64_t size;
};
constexpr Scaling kScalings[] = {
    {"b0", 1.0, 1.0, 224}, {"b1", 1.0, 1.1, 240}, {"b2", 1.1, 1.2, 260}, {"b3", 1.2, 1.4, 300}, {"b4", 1.4, 1.8, 380}};

// Stages of B0: number of blocks, output channels, and the kernel and stride of the first block.
struct Stage {
  int64_t blocks, channels, kernel, stride;
};
constexpr Stage kStages[] = {{1, 16, 3, 1},  {2, 24, 3, 2},  {2, 40, 5, 2}, {3, 80, 3, 2},
                             {3, 112, 5, 1}, {4, 192, 5, 2}, {1, 320, 3, 1}};

// Channels times width, rounded to a multiple of 8, but to at least 90 % of the product.
int64_t widened(int64_t channels, double width) {
  const double wanted = double(channels) * width;
  const int64_t rounded = std::max<int64_t>(8, int64_t(wanted + 4) / 8 * 8);
  return double(rounded) < 0.9 * wanted ? rounded + 8 : rounded;
}

// Groups of a group norm: graphcore/examples, vision/cnns/tensorflow1/training/configs.yml, efficientnet_b4_16ipus_base.
constexpr int64_t kNormGroups = 4;

struct EfficientNetForm {
  std::string norm;
  int64_t groupSize = 1, expansion = 6; // groupSize: channels per group of the spatial convolution; 1: depthwise
  int64_t span = 0;                     // replicas per batch norm, as in ResNet; 0: fixed statistics
};

class EfficientNet {
public:
  EfficientNet(Network& net, EfficientNetForm form) : m_net(net), m_g(net.graph()), m_form(std::move(form)) {}

  std::string build(std::string x, const Scaling& s, int64_t classes) {
    x = normalised("stem", x, widened(32, s.width), 3, 2, true);
    for (std::size_t stage = 0; stage < std::size(kStages); ++stage) {
      const Stage& of = kStages[stage];
      const auto blocks = int64_t(std::ceil(double(of.blocks) * s.depth));
      for (int64_t i = 0; i < blocks; ++i)
        x = block(fmt::format("stage{}/block{}", stage + 1, i), x, widened(of.channels, s.width), of.kernel,
                  i == 0 ? of.stride : 1, stage == 0 ? 1 : m_form.expansion);
    }
    x = normalised("head", x, widened(1280, s.width), 1, 1, true);
    return m_net.linear("fc", m_net.flatten(m_g.add("GlobalAveragePool", {x}, {}, "globalPool")), classes);
  }

private:
  // x times its sigmoid.
  std::string swish(const std::string& name, const std::string& x) {
    return m_g.add("Mul", {x, m_g.add("Sigmoid", {x}, {}, name + "/sigmoid")}, {}, name);
  }

  std::string normalised(const std::string& name, const std::string& in, int64_t channels, int64_t kernel, int64_t stride,
                         bool active, int64_t groups = 1) {
    std::string x = m_net.conv(name + "/conv", in, channels, kernel, stride, kernel / 2, m_form.norm == "folded", groups);
    if (m_form.norm == "batch") x = m_net.batchNorm(name + "/norm", x, m_form.span > 0, m_form.span);
    if (m_form.norm == "group") x = m_net.groupNorm(name + "/norm", x, kNormGroups);
    return active ? swish(name + "/swish", x) : x;
  }

  // x times a factor per channel, which two dense layers compute from the channel means (squeeze and excitation).
  std::string excited(const std::string& name, const std::string& x, int64_t squeezed) {
    std::string y = m_g.add("GlobalAveragePool", {x}, {}, name + "/squeeze");
    y = swish(name + "/swish", m_net.conv(name + "/reduce", y, squeezed, 1));
    y = m_g.add("Sigmoid", {m_net.conv(name + "/expand", y, m_g.shape(x)[1], 1)}, {}, name + "/sigmoid");
    return m_g.add("Mul", {x, y}, {}, name + "/scale");
  }

  std::string block(const std::string& name, const std::string& in, int64_t channels, int64_t kernel, int64_t stride,
                    int64_t expansion) {
    const int64_t inChannels = m_g.shape(in)[1], wide = inChannels * expansion;
    // As many whole groups as possible (graphcore/examples, vision/cnns/tensorflow1, Models/efficientnet.py).
    const int64_t groups = std::max<int64_t>(1, wide / m_form.groupSize);
    if (wide % groups)
      throw reports::Error(reports::ErrorCode::InvalidInput,
                           fmt::format("{} channels do not divide into groups of {}", wide, m_form.groupSize),
                           reports::option("set") + " group-size", "1, 2, 4, 8 and 16 do");
    std::string x = expansion == 1 ? in : normalised(name + "/widen", in, wide, 1, 1, true);
    x = normalised(name + "/spatial", x, wide, kernel, stride, true, groups);
    x = excited(name + "/excite", x, std::max<int64_t>(1, inChannels / 4));
    x = normalised(name + "/narrow", x, channels, 1, 1, false);
    return stride == 1 && inChannels == channels ? m_net.sum(name + "/add", x, in) : x;
  }

  Network& m_net;
  model::GraphBuilder& m_g;
  EfficientNetForm m_form;
};

graph::Workload buildEfficientNet(const Parameters& p, const BuildOptions& o) {
  std::vector<std::string> names;
  for (const Scaling& scaling : kScalings) names.emplace_back(scaling.name);
  const std::string wanted = p.choice("preset", names);
  const Scaling& scaling =
      *std::find_if(std::begin(kScalings), std::end(kScalings), [&](const Scaling& s) { return wanted == s.name; });
  PictureShape pictures{p.integer("batch", 1, 1024), p.integer("size", 0, 4096), p.integer("classes", 1, 1 << 20)};
  if (pictures.size == 0) pictures.size = scaling.size;
  p.means("size", pictures.size);
  const bool trains = p.integer("training", 0, 1) == 1;
  Network net("efficientnet", uint64_t(o.seed) + 59);
  const EfficientNetForm form{p.choice("norm"), p.integer("group-size", 1, 64), p.integer("expansion", 1, 16),
                              trains ? p.integer("span", 0, 256) : 0};
  const std::string images = net.input("images", ElementType::Float, {pictures.batch, 3, pictures.size, pictures.size});
  const std::string scores = EfficientNet(net, form).build(images, scaling, pictures.classes);
  if (trains)
    net.lossOf(scores, net.input("labels", ElementType::Int32, {pictures.batch}));
  else
    net.graph().output(net.graph().add("Softmax", {scores}, {}, "predictions"));
  graph::Workload load =
      workloadOf(net, p, o, [&](int64_t i) { return stripedBatch(pictures, uint64_t(o.seed * 100'000 + i) + 1, trains); });
  load.title =
      fmt::format("EfficientNet-B{}, groups of {}, expansion {}, batch {} of {} x {}, {}", wanted.substr(1), form.groupSize,
                  form.expansion, pictures.batch, pictures.size, pictures.size, trains ? "training" : "inference");
  return load;
}

} // namespace

Sample efficientnet() {
  Sample s;
  s.name = "efficientnet";
  s.title = "EfficientNet with random weights";
  s.text = "Blocks that expand the channels with a 1 x 1 convolution, filter them with a depthwise one, scale them by their "
           "means (squeeze and excitation) and reduce them again. Few flops, but a depthwise convolution has one channel per "
           "group and the matrix unit wants 16: look at the share of the peak FLOP rate that the spatial convolutions reach in "
           "Operations. Squeeze and excitation reduces an image to one number per channel, spreads it out again, and takes more "
           "cycles than those convolutions. The variant is the network as it was changed for these machines. Presets up to b4 "
           "fit one IPU, b0 in training too; norm=group is the norm for small batches.";
  s.lesson = {
      {"tilescope:?view=operations&set.picture=cycles&set.rows=all",
       "The three costliest operations are depthwise convolutions (spatial), although they have few FLOPs."},
      {"tilescope:?view=operations&set.picture=cycles&set.rows=kind",
       "Averages over the image (GlobalAveragePool) take about as many cycles as the norms; there is one in each block."},
      {"tilescope:?view=insights&set.list=findings",
       "Exchange is the costliest finding; several convolutions hardly use the matrix units."},
      {"tilescope:?view=memory&set.breakdown=category", "Exchange code is the largest category, larger than the variables."}};
  s.parameters = {
      {"preset", "b0", "b0, b1, b2, b3 or b4", {"b0", "b1", "b2", "b3", "b4"}},
      {"batch", "1", "images of a micro-batch"},
      {"size", "0", "pixels along each side; 0: the preset's"},
      {"group-size", "1", "channels per group of the spatial convolutions, more if they do not divide evenly; 1: depthwise"},
      {"expansion", "6", "factor by which a block expands its channels"},
      {"classes", "1000", "outputs of the last layer"},
      {"norm",
       "batch",
       "batch (in training with the statistics of the batch), group (of 4 groups), or folded (batch norm in its convolution)",
       {"batch", "group", "folded"}},
      batchNormSpan()};
  for (Parameter& parameter : trainingParameters("rmsprop", "0.001")) {
    if (parameter.name == "training") parameter.defaultValue = "0";
    s.parameters.push_back(std::move(parameter));
  }
  s.build = buildEfficientNet;
  s.distributes = true;
  s.variant = {
      "tuned",
      {{"group-size", "16"}, {"expansion", "4"}},
      "Groups of 16 channels fill the matrix unit, and an expansion of 4 instead of 6 makes up for their additional products "
      "(Masters et al. 2021): about the same flops in fewer cycles.",
      "cycles"};
  return s;
}

} // namespace simcore::samples
