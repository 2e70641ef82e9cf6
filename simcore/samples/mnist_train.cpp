#include "simcore/samples/mnist_train.h"

#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/normalisation.h"
#include "simcore/numerics/pooling.h"
#include "simcore/ops/ops.h"
#include "simcore/samples/digits.h"

#include <cmath>
#include <random>

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;

namespace {

// Builds the forward pass layer by layer; every layer is a context of the model.
class Network {
public:
  Network(Graph& g, Sequence& program, DebugContextId root, ElementType type, uint64_t seed) : m_graph(g), m_program(program), m_root(root), m_type(type), m_random(seed) {}

  Tensor conv(const std::string& name, const Tensor& x, int64_t outChannels, int64_t kernel) {
    const auto b = layer(name, "Conv");
    ops::ConvParams p;
    p.type = m_type;
    p.batch = x.dim(0);
    p.inChannels = x.dim(1);
    p.outChannels = outChannels;
    p.in = {x.dim(2), x.dim(3)};
    p.kernel = {kernel, kernel};
    const Tensor weights = parameter(name + ".weight", {outChannels, x.dim(1), kernel, kernel}, x.dim(1) * kernel * kernel, b.context());
    const Tensor y = ops::convolution(b, x, weights, p);
    ops::addBias(b, y, parameter(name + ".bias", {outChannels}, x.dim(1) * kernel * kernel, b.context()));
    return y;
  }

  Tensor maxPool(const std::string& name, const Tensor& x) {
    const auto b = layer(name, "MaxPool");
    ops::PoolParams p;
    p.kernel = p.stride = {2, 2};
    p.out = {x.dim(2) / 2, x.dim(3) / 2};
    const auto window = numerics::makeWindow({2, 2}, {2, 2}, {}, {});
    return ops::pool(b, x, p, [window](const std::vector<HostTensor>& in) { return std::vector<HostTensor>{numerics::maxPool(in[0], window, false)}; });
  }

  Tensor groupNorm(const std::string& name, const Tensor& x, int64_t groups) {
    const auto b = layer(name, "GroupNorm");
    const Tensor gamma = constant(name + ".weight", HostTensor::full(ElementType::Float, {x.dim(1)}, 1.0), b.context());
    const Tensor beta = constant(name + ".bias", HostTensor::full(ElementType::Float, {x.dim(1)}, 0.0), b.context());
    return ops::groupNorm(b, x, gamma, beta, groups, 1e-5f);
  }

  Tensor linear(const std::string& name, const Tensor& x, int64_t outputs) {
    const auto b = layer(name, "Gemm");
    const Tensor y = ops::matmul(b, x, parameter(name + ".weight", {x.dim(1), outputs}, x.dim(1), b.context()));
    ops::addBias(b, y, parameter(name + ".bias", {outputs}, x.dim(1), b.context()));
    return y;
  }

  void relu(const std::string& name, const Tensor& x) { ops::nonLinearityInPlace(layer(name, "Relu"), codelets::NonLinearity::Relu, x); }

  Tensor logSoftmax(const std::string& name, const Tensor& x) { return ops::softmax(layer(name, "LogSoftmax"), x, 1, true); }

  // Mean over the batch of minus the log-probability of the label.
  Tensor loss(const std::string& name, const Tensor& logProbabilities, const Tensor& labels) {
    const auto b = layer(name, "NegativeLogLikelihoodLoss");
    const auto t = b.timeOnly();
    const Tensor picked = ops::generic(t, "selectScalarFromRows", {logProbabilities, labels}, m_type, {labels.dim(0)}, 10, {});
    const Tensor sum = ops::reduce(t, picked, {0}, codelets::ReduceOp::Add, false);
    b.compute({logProbabilities, labels}, {sum}, [](const std::vector<HostTensor>& in) {
      double total = 0;
      for (int64_t i = 0; i < in[1].count(); ++i) total -= in[0].at(i * in[0].dim(1) + in[1].integerAt(i));
      return std::vector<HostTensor>{HostTensor::full(ElementType::Float, {}, total / double(in[1].count()))};
    });
    return sum;
  }

private:
  ops::OpBuilder layer(const std::string& name, const std::string& kind) { return ops::OpBuilder(m_graph, m_program, m_graph.addContext(m_root, name, "model", kind)); }

  // Uniform in +-1/sqrt(fan in), as the network's original framework draws it.
  Tensor parameter(const std::string& name, const Shape& shape, int64_t fanIn, DebugContextId context) {
    HostTensor value(ElementType::Float, shape);
    const double bound = 1.0 / std::sqrt(double(fanIn));
    for (float& v : value.mutableValues<float>()) v = float((double(m_random() >> 11) * 0x1p-52 - 1.0) * bound);
    return constant(name, value, context);
  }

  Tensor constant(const std::string& name, const HostTensor& value, DebugContextId context) {
    const Tensor t = m_graph.addVariable(m_type, value.shape(), name, context);
    m_graph.setInitialValue(t, value);
    return t;
  }

  Graph& m_graph;
  Sequence& m_program;
  DebugContextId m_root;
  ElementType m_type;
  std::mt19937_64 m_random;
};

Workload build(const Parameters& p, const BuildOptions& o) {
  const int64_t batch = p.integer("batch", 1, 4096);
  auto g = std::make_shared<Graph>(o.machine);
  const auto model = g->addContext({}, "mnist", "model", "");
  const auto forward = g->addContext(model, "fwd", "model", "");
  const Tensor images = g->addVariable(o.type, {batch, 1, 28, 28}, "images", model), labels = g->addVariable(ElementType::Int32, {batch}, "labels", model);
  g->mapTensorLinearly(images);
  g->mapTensorLinearly(labels);

  Sequence body;
  Network net(*g, body, forward, o.type, uint64_t(o.seed) + 17);
  Tensor x = net.conv("conv1", images, 5, 3);
  x = net.maxPool("pool1", x);
  x = net.conv("conv2", x, 12, 5);
  x = net.groupNorm("norm", x, 3);
  x = net.linear("fc1", x.reshape({batch, x.numElements() / batch}), 100);
  net.relu("relu", x);
  x = net.linear("fc2", x, 10);
  x = net.logSoftmax("logSoftmax", x);
  const Tensor loss = net.loss("loss", x, labels);

  const StreamId imageStream = g->addHostToDeviceFifo("images", o.type, images.numElements()), labelStream = g->addHostToDeviceFifo("labels", ElementType::Int32, batch),
                 predictions = g->addDeviceToHostFifo("predictions", o.type, x.numElements()), lossStream = g->addDeviceToHostFifo("loss", o.type, 1);
  Sequence main;
  main.add(program::copy(imageStream, images, "images", model));
  main.add(program::copy(labelStream, labels, "labels", model));
  main.add(body);
  main.add(program::copy(x, predictions, "predictions", model));
  main.add(program::copy(loss, lossStream, "loss", model));

  Workload load;
  load.name = "mnist-train";
  load.title = "MNIST network, batch " + std::to_string(batch);
  load.graph = g;
  load.programs = {{"step", main.program()}};
  for (int64_t i = 0; i < o.iterations; ++i) {
    DigitBatch digits = drawDigits(batch, uint64_t(o.seed * 1000 + i));
    load.inputs["images"].push_back(digits.images);
    load.inputs["labels"].push_back(digits.labels);
  }
  load.outputs = {"predictions", "loss"};
  return load;
}

} // namespace

Sample mnistTrain() {
  Sample s;
  s.name = "mnist-train";
  s.title = "MNIST network";
  s.text = "Conv 1 to 5, max-pool, conv 5 to 12, group norm, two fully connected layers and a loss, on digits the sample draws itself. Small models are mostly code: look at "
           "Memory by category, then at the trace for the share of exchange and sync between the short compute sets.";
  s.parameters = {{"batch", "16", "images of a step"}};
  s.build = build;
  return s;
}

} // namespace simcore::samples
