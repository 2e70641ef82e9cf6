#include "simcore/samples/network.h"

#include "reports/core/error.h"
#include "reports/core/option.h"
#include "simcore/numerics/optimiser.h"
#include "simcore/placement/parallelism.h"

#include <cmath>
#include <random>

namespace simcore::samples {

using model::attributes;
using model::NodeName;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;
using Integers = std::vector<int64_t>;

Network::Network(const std::string& name, uint64_t seed) : m_builder(m_model.graph), m_seed(seed) {
  m_model.file = name;
  m_model.graph.name = name;
  m_model.opset = 17;
}

std::string Network::input(const std::string& name, ElementType type, const Shape& shape) {
  m_model.inputTypes[name] = {type, shape};
  return m_builder.input(name, type, shape);
}

std::string Network::parameter(const std::string& name, const Shape& shape, int64_t fanIn, double otherwise) {
  ++m_parameters;
  if (fanIn <= 0) return m_builder.constant(name, HostTensor::full(ElementType::Float, shape, otherwise));
  const uint64_t seed = m_seed * 0x9e3779b97f4a7c15ull + m_parameters;
  return m_builder.constant(name, HostTensor::deferred(ElementType::Float, shape, [shape, seed, fanIn] {
                              std::mt19937_64 random(seed);
                              const double bound = 1.0 / std::sqrt(double(fanIn));
                              HostTensor value = HostTensor::uninitialised(ElementType::Float, shape);
                              for (float& v : value.mutableValues<float>())
                                v = float((double(random() >> 11) * 0x1p-52 - 1.0) * bound);
                              return value;
                            }));
}

std::string Network::conv(const NodeName& name, const std::string& x, int64_t outChannels, int64_t kernel) {
  return conv(name, x, outChannels, kernel, 1, 0, true);
}

std::string Network::conv(const NodeName& name, const std::string& x, int64_t outChannels, int64_t kernel, int64_t stride,
                          int64_t pad, bool bias, int64_t groups) {
  const int64_t in = m_builder.shape(x)[1] / groups, fanIn = in * kernel * kernel;
  std::vector<std::string> inputs{x, parameter(name.text + ".weight", {outChannels, in, kernel, kernel}, fanIn)};
  if (bias) inputs.push_back(parameter(name.text + ".bias", {outChannels}, fanIn));
  return m_builder.add("Conv", inputs,
                       attributes({{"kernel_shape", Integers{kernel, kernel}},
                                   {"strides", Integers{stride, stride}},
                                   {"pads", Integers{pad, pad, pad, pad}},
                                   {"group", groups}}),
                       name);
}

std::string Network::maxPool(const NodeName& name, const std::string& x, int64_t kernel, int64_t stride, int64_t pad) {
  return m_builder.add("MaxPool", {x},
                       attributes({{"kernel_shape", Integers{kernel, kernel}},
                                   {"strides", Integers{stride, stride}},
                                   {"pads", Integers{pad, pad, pad, pad}}}),
                       name);
}

std::string Network::batchNorm(const NodeName& name, const std::string& x, bool trains, int64_t replicasTogether) {
  const Shape channels{m_builder.shape(x)[1]};
  model::Attributes statistics;
  if (trains) statistics.set("training_mode", int64_t(1));
  if (trains && replicasTogether > 1) statistics.set("replicas_together", replicasTogether);
  return m_builder.add("BatchNormalization",
                       {x, parameter(name.text + ".weight", channels, 0, 1), parameter(name.text + ".bias", channels, 0),
                        parameter(name.text + ".mean", channels, 0), parameter(name.text + ".variance", channels, 0, 1)},
                       statistics, name);
}

std::string Network::layerNorm(const NodeName& name, const std::string& x) {
  const Shape width{m_builder.shape(x).back()};
  return m_builder.add("LayerNormalization",
                       {x, parameter(name.text + ".weight", width, 0, 1), parameter(name.text + ".bias", width, 0)},
                       attributes({{"axis", int64_t(-1)}}), name);
}

std::string Network::maxPool(const NodeName& name, const std::string& x, int64_t kernel) {
  return maxPool(name, x, kernel, kernel, 0);
}

std::string Network::groupNorm(const NodeName& name, const std::string& x, int64_t groups) {
  const int64_t channels = m_builder.shape(x)[1];
  const std::vector<std::string> inputs{x, parameter(name.text + ".weight", {channels}, 0, 1),
                                        parameter(name.text + ".bias", {channels}, 0)};
  return m_builder.add("GroupNormalization", inputs, attributes({{"num_groups", groups}}), name, "ai.graphcore");
}

std::string Network::linear(const NodeName& name, const std::string& x, int64_t outputs) {
  const int64_t in = m_builder.shape(x)[1];
  const std::string weights = parameter(name.text + ".weight", {in, outputs}, in);
  return m_builder.add("Gemm", {x, weights, parameter(name.text + ".bias", {outputs}, in)}, {}, name);
}

std::string Network::dropout(const NodeName& name, const std::string& x, double ratio) {
  if (ratio <= 0) return x;
  // The nodes that replace a Dropout in training (graph/expansion.h).
  const std::string seed = m_builder.addOwn("DropoutSeed", {}, {}, {name.text + "/seed", name.source});
  return m_builder.addOwn("SeededDropout", {x, seed}, attributes({{"ratio", float(ratio)}}), name);
}

std::string Network::flatten(const std::string& x) {
  const Shape& shape = m_builder.shape(x);
  return m_builder.reshape(x, {shape[0], numerics::elementCount(shape, 1, shape.size())});
}

void Network::classify(const std::string& scores, const std::string& labels, SourceLocation source) {
  const std::string logs = m_builder.add("LogSoftmax", {scores}, attributes({{"axis", int64_t(1)}}), {"predictions", source});
  m_builder.output(logs);
  m_builder.output(m_builder.add("NegativeLogLikelihoodLoss", {logs, labels}, {}, {"loss", source}));
}

void Network::lossOf(const std::string& scores, const std::string& labels, SourceLocation source) {
  const std::string logs = m_builder.add("LogSoftmax", {scores}, attributes({{"axis", int64_t(1)}}), {"logSoftmax", source});
  m_builder.output(m_builder.add("NegativeLogLikelihoodLoss", {logs, labels}, {}, {"loss", source}));
}

void Network::squaredErrorOf(const std::string& guessed, const std::string& targets, SourceLocation source) {
  const std::string error = m_builder.add("Sub", {guessed, targets}, {}, {"loss/error", source});
  const std::string square = m_builder.add("Mul", {error, error}, {}, {"loss/square", source});
  m_builder.output(m_builder.add("ReduceMean", {square}, attributes({{"keepdims", int64_t(0)}}), {"loss", source}));
}

std::vector<Parameter> trainingParameters(const std::string& optimiser, const std::string& rate) {
  return {{"training", "1", "on: forward, backward and weight update; off: forward only", {"0", "1"}},
          {"optimiser", optimiser, "rule of the weight update", model::optimiserNames()},
          {"lr", rate, "learning rate"},
          {"momentum", "0.9", "momentum of sgd and lars, and of rmsprop if it is set"},
          {"nesterov", "0", "on: Nesterov momentum", {"0", "1"}},
          {"weight-decay", "0", "weight decay"},
          {"trust-coefficient", "0.001", "trust coefficient of lars"},
          {"epsilon", "1e-8", "added to the divisor of the optimiser: adam and its variants, lars, rmsprop, adagrad"},
          {"accumulation", "0", "micro-batches that make one update; 0: 4 per stage of a pipeline, else 1"},
          {"loss-scale", "1", "factor of the loss in the backward pass; auto: starts at 65,536 and follows the gradients"},
          {"clip", "0", "gradient clipping: largest global norm; 0: off"}};
}

Parameter loopParameter(const std::string& standard) {
  const std::string text =
      "where the loop over runs is; host: each run begins with a call of the host, 1.87 ms per IPU for at most "
      "64 IPUs; device: without calls";
  if (standard != "auto") return {"loop", standard, text, {"host", "device"}};
  return {"loop", standard, text + "; auto: host, except in the preset tiny", {"auto", "host", "device"}};
}

Parameter batchNormSpan() {
  return {"span", "1", "in training: number of neighbouring replicas that share batch norm statistics; 0: fixed statistics"};
}

namespace {
// The data of a long run repeat after each epoch. Every micro-batch still has its own value, which is drawn when it is delivered
// and then freed (simulate()), so memory does not grow with the iterations.
constexpr std::size_t kMostDrawnBytes = std::size_t(256) << 20;

void addBatches(graph::Workload& load, int64_t count, const Batches& batches, const BuildOptions& options) {
  std::size_t drawn = 0; // bytes of the first epoch
  int64_t epoch = 0;     // micro-batches
  if (options.progress) options.progress->phase("drawing the data of " + std::to_string(count) + " micro-batches");
  for (int64_t i = 0; i < count; ++i) {
    reports::throwIfStopped(options.stop);
    if (options.progress) options.progress->update(double(i) / double(count));
    const bool isFirst = drawn < kMostDrawnBytes;
    if (isFirst) ++epoch;
    for (auto& [name, value] : batches(i % epoch)) {
      if (isFirst) drawn += value.byteCount();
      load.inputs[name].push_back(std::move(value));
    }
  }
}
} // namespace

namespace {
graph::Workload placedTraining(const Network& network, model::TrainingOptions training, const BuildOptions& o,
                               const model::Parallelism& parallel, model::TrainingLoweringOptions lowering,
                               const std::vector<int>& ipuOfNode) {
  training.ipuOfNode = ipuOfNode;
  training.accumulation = parallel.microBatches();
  training.replicas = o.machine.replicas;
  lowering.lowering.availableMemoryProportion = parallel.availableMemoryProportion;
  lowering.lowering.memoryShares = parallel.memoryShares;
  lowering.lowering.halfPartials = parallel.halfPartials;
  lowering.batchesPerStep = parallel.batchesPerStep;
  lowering.halfSums = parallel.halfSums, lowering.halfState = parallel.halfState;
  return model::lowerTraining(model::makeTraining(network.model(), "loss", training), o.machine, lowering);
}
void refuseCuts(const model::Parallelism& p) {
  const auto refuse = [](const char* option) {
    throw reports::Error(reports::ErrorCode::InvalidInput, "this sample assigns its nodes to IPUs itself",
                         reports::option(option), "leave the option out");
  };
  if (p.stages > 0) refuse("pipeline");
  if (p.shard != "auto") refuse("shard");
  if (p.recompute != model::Recompute::None) refuse("recompute");
  if (p.offloadWeights || p.offloadOptimiser || p.offloadActivations) refuse("offload");
  if (p.shardState) refuse("shard-state");
  if (p.unitScaling) refuse("unit-scaling");
  if (p.quarter) refuse("precision");
}

bool hostRepeats(const Parameters& p) {
  if (!p.has("loop")) return false;
  const std::string loop = p.choice("loop");
  return loop == "host" || (loop == "auto" && p.text("preset") != "tiny");
}
} // namespace

graph::Workload workloadOf(const Network& network, const Parameters& p, const BuildOptions& o, const Batches& batches) {
  return workloadOf(network, p, o, batches, {});
}

graph::Workload workloadOf(const Network& network, const Parameters& p, const BuildOptions& o, const Batches& batches,
                           const std::vector<int>& ipuOfNode) {
  if (!ipuOfNode.empty()) refuseCuts(o.parallel);
  const bool trains = p.integer("training", 0, 1) == 1;
  model::Parallelism parallel = o.parallel;
  if (const int64_t given = p.integer("accumulation", 0, 1 << 20); parallel.accumulation == 0) parallel.accumulation = given;
  p.means("accumulation", parallel.microBatches());
  const int64_t microBatches = parallel.microBatchesOfStep();
  model::TrainingLoweringOptions lowering;
  lowering.lowering.precision = o.type;
  graph::Workload load;
  if (trains) {
    model::TrainingOptions t;
    t.optimiser.kind = model::optimiserKind(p.text("optimiser"));
    t.optimiser.learningRate = p.number("lr", 0, 1e6);
    t.optimiser.momentum = p.number("momentum", 0, 1);
    if (t.optimiser.kind == model::OptimiserKind::RmsProp && !p.isGiven("momentum"))
      t.optimiser.momentum = 0; // the default of torch and Keras
    t.optimiser.nesterov = p.integer("nesterov", 0, 1) == 1;
    t.optimiser.weightDecay = p.number("weight-decay", 0, 1e6);
    t.optimiser.trust = p.number("trust-coefficient", 0, 1e6);
    t.optimiser.epsilon = p.number("epsilon", 0, 1e6);
    t.automaticLossScale = p.text("loss-scale") == "auto";
    t.lossScale = t.automaticLossScale ? 65'536 : p.number("loss-scale", 1e-6, 1e9);
    if (parallel.unitScaling && !p.isGiven("loss-scale")) { // the sample's own loss scale is for gradients without unit scaling
      t.lossScale = 1;
      p.means("loss-scale", 1);
    }
    t.clipNorm = p.number("clip", 0, 1e9);
    t.fixed = network.fixedConstants();
    load = ipuOfNode.empty() ? model::trainingWorkload(network.model(), "loss", t, o.machine, lowering, parallel)
                             : placedTraining(network, t, o, parallel, lowering, ipuOfNode);
  } else if (!ipuOfNode.empty()) {
    lowering.lowering.ipuOfNode = ipuOfNode;
    lowering.lowering.batchesPerStep = parallel.batchesPerStep;
    load = model::lower(network.model(), o.machine, lowering.lowering);
  } else {
    load = model::inferenceWorkload(network.model(), o.machine, lowering.lowering, parallel);
  }
  if (hostRepeats(p)) load.facts["loop"] = "host";
  load.dataOfReplicas = trains && o.machine.replicas > 1; // each replica trains on its own part of the data
  addBatches(load, o.iterations * microBatches * (load.dataOfReplicas ? o.machine.replicas : 1), batches, o);
  return load;
}

graph::Workload inferenceOf(const Network& network, const BuildOptions& o, const Batches& batches) {
  model::LoweringOptions lowering;
  lowering.precision = o.type;
  graph::Workload load = model::inferenceWorkload(network.model(), o.machine, lowering, o.parallel);
  addBatches(load, o.iterations * o.parallel.microBatchesOfStep(), batches, o);
  return load;
}

} // namespace simcore::samples
