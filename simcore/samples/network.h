// Models of network samples: layers with parameters drawn from a seed, and the training options that samples share.
#pragma once

#include "simcore/model/graph/graph_builder.h"
#include "simcore/model/training/training.h"
#include "simcore/samples/sample.h"

namespace simcore::samples {

class Network {
public:
  using SourceLocation = graph::SourceLocation;
  // `name` is the outermost debug context.
  Network(const std::string& name, uint64_t seed);

  model::GraphBuilder& graph() { return m_builder; }
  std::string input(const std::string& name, numerics::ElementType type, const numerics::Shape& shape);
  // Uniform in +-1/sqrt(fanIn), as in PyTorch; with `fanIn` 0 every element is `otherwise`. Drawn when first read, so a run that
  // is only timed has no weights.
  std::string parameter(const std::string& name, const numerics::Shape& shape, int64_t fanIn, double otherwise = 0);

  // A constant that training does not change.
  std::string fixed(const std::string& name, const numerics::HostTensor& value) {
    const std::string called = m_builder.constant(name, value);
    m_fixed.insert(called);
    return called;
  }
  const std::set<std::string>& fixedConstants() const { return m_fixed; }

  // Layers; each returns the name of its result.
  std::string conv(const model::NodeName& name, const std::string& x, int64_t outChannels, int64_t kernel);
  // `pad` elements on all sides.
  std::string conv(const model::NodeName& name, const std::string& x, int64_t outChannels, int64_t kernel, int64_t stride,
                   int64_t pad, bool bias, int64_t groups = 1);
  std::string maxPool(const model::NodeName& name, const std::string& x, int64_t kernel);
  std::string maxPool(const model::NodeName& name, const std::string& x, int64_t kernel, int64_t stride, int64_t pad);
  // With fixed statistics: a scale and a shift per channel. With `trains`: statistics over the batches of `replicasTogether`
  // neighbouring replicas.
  std::string batchNorm(const model::NodeName& name, const std::string& x, bool trains = false, int64_t replicasTogether = 1);
  std::string layerNorm(const model::NodeName& name, const std::string& x); // over the last dimension
  std::string groupNorm(const model::NodeName& name, const std::string& x, int64_t groups);
  std::string linear(const model::NodeName& name, const std::string& x, int64_t outputs);
  // One table row for each element of `indices`.
  std::string embedding(const model::NodeName& name, const std::string& table, const std::string& indices) {
    return m_builder.add("Gather", {table, indices}, {}, name);
  }
  // Drops elements with this probability; with 0 returns x.
  std::string dropout(const model::NodeName& name, const std::string& x, double ratio);
  // `form`: erf (none, as ONNX calls it) or tanh.
  std::string gelu(const model::NodeName& name, const std::string& x, const std::string& form = "none") {
    return m_builder.add("Gelu", {x}, model::attributes({{"approximate", form}}), name);
  }
  std::string sum(const model::NodeName& name, const std::string& a, const std::string& b) {
    return m_builder.add("Add", {a, b}, {}, name);
  }
  std::string relu(const model::NodeName& name, const std::string& x) { return m_builder.add("Relu", {x}, {}, name); }
  std::string flatten(const std::string& x);
  // Log-probabilities and their mean loss, as the outputs "predictions" and "loss".
  void classify(const std::string& scores, const std::string& labels, SourceLocation source = SourceLocation::current());
  // Like classify(), but the loss is the only output.
  void lossOf(const std::string& scores, const std::string& labels, SourceLocation source = SourceLocation::current());
  // Makes the mean squared difference the loss.
  void squaredErrorOf(const std::string& guessed, const std::string& targets, SourceLocation source = SourceLocation::current());

  // The finished model.
  const model::Model& model() const { return m_model; }

private:
  model::Model m_model;
  model::GraphBuilder m_builder;
  std::set<std::string> m_fixed;
  uint64_t m_seed, m_parameters = 0;
};

// The parameters of training: training, optimiser and the optimisers' own parameters, accumulation, loss-scale, clip.
std::vector<Parameter> trainingParameters(const std::string& optimiser, const std::string& rate);
// The parameter `loop` of networks that were published as programs: whether the host is called for every run (run/host_call.h).
Parameter loopParameter(const std::string& standard);
// The parameter `span` of networks with batch norms: the number of replicas that share the statistics of their batches in training.
Parameter batchNormSpan();
// The network as a workload: a training step, or inference if `training` is 0. `batches` returns the inputs of micro-batch i.
using Batches = std::function<std::map<std::string, numerics::HostTensor>(int64_t i)>;
graph::Workload workloadOf(const Network& network, const Parameters& parameters, const BuildOptions& options,
                           const Batches& batches);
// The workload of a network whose nodes are assigned to IPUs: `ipuOfNode` has the IPU of each node, in any order. Throws
// Error(InvalidInput) for a pipeline and for other options that cut a network.
graph::Workload workloadOf(const Network& network, const Parameters& parameters, const BuildOptions& options,
                           const Batches& batches, const std::vector<int>& ipuOfNode);

// Only the forward pass, without training parameters.
graph::Workload inferenceOf(const Network& network, const BuildOptions& options, const Batches& batches);

} // namespace simcore::samples
