#include "simcore/samples/resnet50.h"

#include "simcore/samples/network.h"
#include "simcore/samples/striped_images.h"

#include <fmt/format.h>

namespace simcore::samples {

using numerics::ElementType;
using numerics::HostTensor;

namespace {

// Number of groups of the 3 x 3 convolutions, and channels per group in the first stage.
struct Cardinality {
  int64_t groups = 1, width = 64;
};

// The network of He et al. 2015 with bottleneck blocks and the stride in the 3 x 3 convolution. With groups it is that of Xie et
// al. 2016.
class ResNet {
public:
  // `replicasTogether` replicas share the statistics of a batch norm; 0: fixed statistics.
  ResNet(Network& net, std::string norm, int64_t replicasTogether, Cardinality cardinality)
      : m_net(net), m_norm(std::move(norm)), m_replicasTogether(replicasTogether), m_cardinality(cardinality) {}

  std::string build(std::string x, const std::vector<int64_t>& blocks, int64_t width, int64_t classes) {
    x = m_net.maxPool("pool", normalised("stem", x, width, 7, 2, true), 3, 2, 1);
    for (std::size_t stage = 0; stage < blocks.size(); ++stage)
      for (int64_t i = 0; i < blocks[stage]; ++i)
        x = bottleneck(fmt::format("stage{}/block{}", stage + 1, i), x, width << stage, m_cardinality.width << stage,
                       stage > 0 && i == 0 ? 2 : 1);
    x = m_net.graph().add("GlobalAveragePool", {x}, {}, "globalPool");
    return m_net.linear("fc", m_net.flatten(x), classes);
  }

private:
  // Convolution, norm and optionally activation. A folded norm is the bias of the convolution.
  std::string normalised(const std::string& name, const std::string& in, int64_t channels, int64_t kernel, int64_t stride,
                         bool active, int64_t groups = 1) {
    std::string x = m_net.conv(name + "/conv", in, channels, kernel, stride, kernel / 2, m_norm == "folded", groups);
    if (m_norm == "batch") x = m_net.batchNorm(name + "/norm", x, m_replicasTogether > 0, m_replicasTogether);
    // Groups of at least eight channels: group norm was published with 32 groups for 256 channels.
    if (m_norm == "group") x = m_net.groupNorm(name + "/norm", x, std::max<int64_t>(1, channels / 8));
    return active ? m_net.relu(name + "/relu", x) : x;
  }

  std::string bottleneck(const std::string& name, const std::string& in, int64_t width, int64_t ofGroup, int64_t stride) {
    const int64_t groups = m_cardinality.groups;
    std::string x = normalised(name + "/reduce", in, groups * ofGroup, 1, 1, true);
    x = normalised(name + "/spatial", x, groups * ofGroup, 3, stride, true, groups);
    x = normalised(name + "/expand", x, 4 * width, 1, 1, false);
    const bool fits = stride == 1 && m_net.graph().shape(in)[1] == 4 * width;
    const std::string shortcut = fits ? in : normalised(name + "/shortcut", in, 4 * width, 1, stride, false);
    return m_net.relu(name + "/relu", m_net.sum(name + "/add", x, shortcut));
  }

  Network& m_net;
  std::string m_norm;
  int64_t m_replicasTogether;
  Cardinality m_cardinality;
};

// The published programs send images as bytes (eight_bit_io) and normalise them on the machine to mean 0 and deviation 1.
std::string normalisedBytes(Network& net, const numerics::Shape& shape) {
  model::GraphBuilder& g = net.graph();
  const std::string bytes = net.input("images", ElementType::UInt8, shape);
  const std::string values = g.add("Cast", {bytes}, model::attributes({{"to", int64_t(1)}}), "images/cast");
  const auto each = [&](const char* name, double value) {
    return net.fixed(name, HostTensor::full(ElementType::Float, {1, shape[1], 1, 1}, value));
  };
  const std::string centred = g.add("Sub", {values, each("images.mean", kByteMean)}, {}, "images/centre");
  return g.add("Mul", {centred, each("images.scale", 1 / kByteDeviation)}, {}, "images/scale");
}

std::vector<int64_t> blocksOf(const Parameters& p) {
  const std::string depth = p.choice("depth");
  if (depth == "26") return {2, 2, 2, 2};
  if (depth == "50") return {3, 4, 6, 3};
  return depth == "101" ? std::vector<int64_t>{3, 4, 23, 3} : std::vector<int64_t>{3, 8, 36, 3};
}

graph::Workload buildResnet(const Parameters& p, const BuildOptions& o, const std::string& name) {
  const int64_t batch = p.integer("batch", 1, 1024), size = p.integer("size", 1, 4096),
                classes = p.integer("classes", 1, 1 << 20), width = p.integer("width", 1, 1024);
  const bool trains = p.integer("training", 0, 1) == 1;
  Cardinality cardinality{p.integer("groups", 1, 1024), p.integer("width-per-group", 0, 1024)};
  if (cardinality.width == 0) cardinality.width = width;
  p.means("width-per-group", cardinality.width);
  const bool areBytes = p.choice("images") == "uint8";
  Network net(name, uint64_t(o.seed) + 53);
  const std::string images =
      areBytes ? normalisedBytes(net, {batch, 3, size, size}) : net.input("images", ElementType::Float, {batch, 3, size, size});
  const int64_t span = p.integer("span", 0, 256);
  const std::string scores =
      ResNet(net, p.choice("norm"), trains ? span : 0, cardinality).build(images, blocksOf(p), width, classes);
  if (trains)
    net.lossOf(scores, net.input("labels", ElementType::Int32, {batch}));
  else
    net.graph().output(net.graph().add("Softmax", {scores}, {}, "predictions"));
  graph::Workload load = workloadOf(net, p, o, [&](int64_t i) {
    return stripedBatch({batch, size, classes, areBytes}, uint64_t(o.seed * 100'000 + i) + 1, trains);
  });
  const std::string network = cardinality.groups == 1
                                  ? "ResNet-" + p.text("depth")
                                  : fmt::format("ResNeXt-{} {} x {}d", p.text("depth"), cardinality.groups, cardinality.width);
  load.title = fmt::format("{}, batch {}, {}, {} norm", network, batch, trains ? "training" : "inference", p.text("norm"));
  return load;
}

// The parameters with the defaults of the published ResNet-50, or those in `other`.
std::vector<Parameter> resnetParameters(const std::map<std::string, std::string>& other) {
  std::vector<Parameter> list{
      {"batch", "1", "images of a micro-batch"},
      {"size", "224", "pixels along each side"},
      {"images",
       "float",
       "float: the host sends normalised values in the precision of the run; uint8: it sends bytes, which the machine normalises",
       {"float", "uint8"}},
      {"depth", "50", "26, 50, 101 or 152 layers", {"26", "50", "101", "152"}},
      {"width", "64", "channels of the first stage"},
      {"groups", "1", "groups of the 3 x 3 convolutions; ResNeXt has 32"},
      {"width-per-group", "0", "channels of a group in the first stage; 0: the width"},
      {"classes", "1000", "outputs of the last layer"},
      {"norm",
       "batch",
       "batch (in training with the statistics of the batch), group, or folded (batch norm in weights and bias of its "
       "convolution)",
       {"batch", "group", "folded"}},
      batchNormSpan(),
      loopParameter("device")}; // MLPerf's program: batches_per_step 100,000
  for (Parameter& parameter : trainingParameters("sgd", "0.001")) list.push_back(std::move(parameter));
  for (Parameter& parameter : list) {
    if (parameter.name == "training") parameter.defaultValue = "0";
    if (const auto found = other.find(parameter.name); found != other.end()) parameter.defaultValue = found->second;
  }
  return list;
}

} // namespace

Sample resnet50() {
  Sample s;
  s.name = "resnet50";
  s.title = "ResNet-50 with random weights";
  s.text = "The convolutional network built layer by layer, in inference or, with training=1 (which fits one IPU with {option "
           "precision} fp16), with its backward pass and update. Look at the operations: the 3 x 3 convolutions in the middle "
           "reach the highest share of the peak FLOP rate, the last stage has too few pixels for all tiles, and the norms "
           "between convolutions add steps that hardly compute. The plans (summary {option plans}) show how the cut moves from "
           "pixels to channels as the image shrinks.";
  s.lesson = {{"tilescope:?view=operations&set.picture=cycles&set.rows=all",
               "The first convolution (stem/conv) takes the most cycles of all operations."},
              {"tilescope:?view=operations&set.picture=cycles&set.rows=kind",
               "Convolutions take most cycles and nearly all FLOPs; the norms between them are steps with hardly any FLOPs."},
              {"tilescope:?view=operations&set.picture=roofline&set.rows=all",
               "In every stage the 3 x 3 convolutions (spatial) reach more FLOPs per cycle than the 1 x 1 convolutions around "
               "them."},
              {"tilescope:?view=liveness&set.tab=notAlways",
               "The peak is in the convolution of a shortcut: its received operands (in) are the largest variable."},
              {"tilescope:?view=memory&set.breakdown=category",
               "Exchange code takes more than vertex code and control code together: each convolution moves data in its own "
               "way."}};
  s.parameters = resnetParameters({});
  s.build = [](const Parameters& p, const BuildOptions& o) { return buildResnet(p, o, "resnet50"); };
  s.distributes = true;
  s.variant = {
      "tuned",
      {{"norm", "folded"}},
      "In inference a batch norm is a scale and a shift, which the weights and bias of the convolution before it can take "
      "over: 53 steps over all activations disappear, and cycles fall.",
      "cycles"};
  return s;
}

Sample resnext50() {
  Sample s;
  s.name = "resnext50";
  s.title = "ResNeXt-50 32x4d with random weights";
  s.text = "ResNet-50 whose 3 x 3 convolutions have 32 groups of 4 channels and more, so they have 1/32 of the products of "
           "ungrouped convolutions of the same width. Look at their share of the peak FLOP rate: the matrix unit wants 16 "
           "channels and gets 4 in the first stage, so several groups are computed side by side and most multiplications are "
           "with zeros; from stage 3 on a group fills the unit. Most cycles are those of the 1 x 1 convolutions around them. "
           "depth=101 is the larger network; with training=1 it needs {option precision} fp16 and {option pipeline} 2 or more.";
  s.lesson = {
      {"tilescope:?view=operations&set.picture=cycles&set.rows=all",
       "The first convolution (stem/conv) takes the most cycles of all operations."},
      {"tilescope:?view=operations&set.picture=cycles&set.rows=kind",
       "Convolutions take the most cycles. The norms come second, with less than a hundredth of the FLOPs."},
      {"tilescope:?view=liveness&set.tab=notAlways",
       "The peak is in the first convolution of stage 2: its received operands (in) are the largest variable."},
      {"tilescope:?view=memory&set.breakdown=category",
       "Exchange code takes more than vertex code and control code together: each convolution moves data in its own way."}};
  s.parameters = resnetParameters({{"groups", "32"}, {"width-per-group", "4"}});
  s.build = [](const Parameters& p, const BuildOptions& o) { return buildResnet(p, o, "resnext50"); };
  s.distributes = true;
  s.variant = {
      "tuned",
      {{"norm", "folded"}},
      "Batch norms become weights and bias of the convolutions before them, as inference was published: 53 steps over all "
      "activations disappear, and cycles fall.",
      "cycles"};
  return s;
}

} // namespace simcore::samples
