#include "reports/core/join.h"
#include "simcore/samples/sample.h"

#include "reports/core/error.h"
#include "reports/core/option.h"
#include "reports/core/spelling.h"
#include "simcore/placement/parallelism.h"
#include "simcore/samples/attention.h"
#include "simcore/samples/autoencoder.h"
#include "simcore/samples/belief_propagation.h"
#include "simcore/samples/bert.h"
#include "simcore/samples/chained_matmul.h"
#include "simcore/samples/custom_vertex.h"
#include "simcore/samples/efficientnet.h"
#include "simcore/samples/elementwise.h"
#include "simcore/samples/gaussian_blur.h"
#include "simcore/samples/gpt2.h"
#include "simcore/samples/graph_network.h"
#include "simcore/samples/group_conv.h"
#include "simcore/samples/halo_exchange.h"
#include "simcore/samples/heat.h"
#include "simcore/samples/hello_tiles.h"
#include "simcore/samples/hmc.h"
#include "simcore/samples/kge.h"
#include "simcore/samples/llm.h"
#include "simcore/samples/lstm.h"
#include "simcore/samples/matmul.h"
#include "simcore/samples/matvec.h"
#include "simcore/samples/mlp.h"
#include "simcore/samples/mnist_train.h"
#include "simcore/samples/monte_carlo.h"
#include "simcore/samples/pointer_chase.h"
#include "simcore/samples/prng.h"
#include "simcore/samples/resnet50.h"
#include "simcore/samples/rl_policy.h"
#include "simcore/samples/sales.h"
#include "simcore/samples/scaled_add.h"
#include "simcore/samples/sparse_bfs.h"
#include "simcore/samples/sparse_matmul.h"
#include "simcore/samples/spiking.h"
#include "simcore/samples/stencil.h"
#include "simcore/samples/tile_matmul.h"
#include "simcore/samples/triad.h"
#include "simcore/samples/triangles.h"
#include "simcore/samples/vae.h"
#include "simcore/samples/vit.h"
#include "simcore/samples/x_drop.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace simcore::samples {

using reports::Error;
using reports::ErrorCode;

namespace {

// "fp16" or "fp32" for a value of the parameter `type`; null for other types.
const char* precisionOf(const std::string& type) {
  static const std::map<std::string, const char*> precisions{{"half", "fp16"},    {"half4", "fp16"},  {"fp16", "fp16"},
                                                             {"float16", "fp16"}, {"float", "fp32"},  {"float2", "fp32"},
                                                             {"fp32", "fp32"},    {"float32", "fp32"}};
  const auto found = precisions.find(reports::plainSpelling(type));
  return found == precisions.end() ? nullptr : found->second;
}

// Records the precision of a sample with a parameter `type`, so that its rate is compared with the peak of this precision.
void tellPrecision(const Parameters& p, graph::Workload& load) {
  if (!p.has("type")) return;
  if (const char* precision = precisionOf(p.text("type"))) load.facts["precision"] = precision;
}

// Applies --precision to the parameters. Throws Error(InvalidInput) if the sample does not have that precision.
Parameters withPrecision(const Sample& s, const Parameters& given, const BuildOptions& options) {
  if (!options.typeGiven) return given;
  if (options.parallel.quarter && (!s.distributes || given.has("type")))
    throw Error(ErrorCode::InvalidInput, "the sample " + s.name + " has no products in 8-bit floats",
                reports::option("precision") + " fp8", "this option is for ONNX models and samples of networks");
  const bool half = options.type == numerics::ElementType::Half;
  const std::string option = half ? reports::option("precision") + " fp16" : reports::option("precision") + " fp32";
  if (given.has("type")) {
    if (!given.isGiven("type")) return given.given("type", half ? "half" : "float");
    const char* precision = precisionOf(given.text("type"));
    if (precision && option != std::string("{option precision} ") + precision)
      throw Error(ErrorCode::InvalidInput, "contradicts " + reports::option("set") + " type=" + given.text("type"), option,
                  "leave out one of them");
  } else if (half && !s.distributes) {
    throw Error(ErrorCode::InvalidInput, "the sample " + s.name + " computes only in fp32", option,
                "this option is for ONNX models, samples of networks and samples with a parameter `type`");
  }
  return given;
}

// Adds the parameter `variant` to the sample; build() then applies the variant's settings.
Sample withVariant(Sample s) {
  const Variant variant = s.variant;
  if (!variant.name.empty()) {
    const std::string settings =
        reports::joined(variant.settings, [](const auto& setting) { return setting.first + "=" + setting.second; });
    s.parameters.push_back(
        {"variant", "default", variant.name + ": " + settings + ", unless set otherwise", {"default", variant.name}});
  }
  const Sample plain = s;
  s.build = [plain, variant](const Parameters& asked, const BuildOptions& options) {
    const Parameters given = withPrecision(plain, asked, options);
    const bool other = !variant.name.empty() && given.choice("variant") == variant.name;
    const Parameters used = other ? given.with(variant.settings) : given;
    graph::Workload load = plain.build(used, options);
    load.parameters = used.all();
    for (const auto& [name, value] : used.meant()) load.parameters[name] = value;
    if (used.has("batch")) load.facts["batch_size"] = used.text("batch");
    tellPrecision(used, load);
    return load;
  };
  return s;
}

} // namespace

const std::vector<Sample>& catalogue() {
  static const std::vector<Sample> samples = [] {
    struct Row {
      Sample (*make)();
      const char *group, *names;
    };
    static constexpr Row rows[] = {
        {mnistTrain, "Networks", "MNIST, CNN, tutorial"},
        {mlp, "Networks", "fully connected, perceptron, MNIST"},
        {resnet50, "Networks", "ResNet-50, ResNet-101, ResNet-152, v1.5, ImageNet"},
        {resnext50, "Networks", "ResNeXt-50, ResNeXt-101, ImageNet"},
        {efficientnet, "Networks", "EfficientNet-B0, EfficientNet-B4, MobileNet, depthwise"},
        {vit, "Networks", "ViT, DINO, vision transformer"},
        {lstm, "Networks", "LSTM, recurrent, RNN"},
        {autoencoder, "Networks", "recommender, Netflix"},
        {vae, "Networks", "VAE, Markov chain"},
        {salesForecast, "Networks", "Rossmann, tabular"},
        {rlPolicy, "Networks", "reinforcement learning"},
        {gnn, "Graph networks", "GIN, GCN, GraphSAGE, Cluster-GCN, PyG, PyTorch Geometric, message passing"},
        {schnet, "Graph networks", "SchNet, molecules, PyG"},
        {kge, "Graph networks", "TransE, DistMult, BESS, knowledge graph, OGB WikiKG"},
        {llm, "Language models", "Llama 2, TinyLlama, decoding, KV cache, SparQ, grouped-query attention, int4"},
        {gpt2, "Language models", "GPT-2, GPT, causal"},
        {bert, "Language models", "BERT-base, BERT-large, RoBERTa, SQuAD"},
        {attention, "Language models", "transformer, multi-head"},
        {bertPipeline, "Several IPUs", "BERT, pipeline"},
        {dataParallel, "Several IPUs", "replicas, all-reduce"},
        {offload, "Several IPUs", "streaming memory, Adam"},
        {overlappedIo, "Several IPUs", "I/O tiles"},
        {matmulSample, "Building blocks", "GEMM, matrix product"},
        {chainedMatmul, "Building blocks", "GEMM"},
        {sparseMatmul, "Building blocks", "popsparse, block sparse"},
        {groupConv, "Building blocks", "depthwise, grouped convolution"},
        {matvec, "Building blocks", "GEMV"},
        {helloTiles, "Building blocks", "tutorial"},
        {customVertex, "Building blocks", "codelet, tutorial"},
        {sparseBfs, "Research", "breadth-first search, graph500"},
        {triangleCount, "Research", "triangles"},
        {beliefPropagation, "Research", "factor graph, Gaussian belief propagation"},
        {xDrop, "Research", "sequence alignment, genomics"},
        {stencil, "Research", "finite differences"},
        {heat, "Research", "heat equation, Aliev-Panfilov"},
        {gaussianBlur, "Research", "image filter"},
        {haloExchange, "Research", "ghost cells"},
        {monteCarlo, "Research", "options, finance, Black-Scholes"},
        {hmc, "Research", "Hamiltonian Monte Carlo, MCMC, Bayesian"},
        {spiking, "Research", "neurons, neuromorphic"},
        // Measurements of single operations; validate-model compares most of them with published ones.
        {tileMatmul, "Measurements", "AMP"},
        {elementwiseSample, "Measurements", "popops"},
        {scaledAddSample, "Measurements", "AXPY"},
        {triad, "Measurements", "STREAM, memory bandwidth"},
        {prngSample, "Measurements", "poprand"},
        {pointerChase, "Measurements", "latency"}};
    std::vector<Sample> all;
    for (const Row& row : rows) {
      all.push_back(withVariant(row.make()));
      all.back().group = row.group, all.back().names = row.names;
    }
    return all;
  }();
  return samples;
}

const Sample& findSample(const std::string& name) {
  for (const Sample& s : catalogue())
    if (reports::sameName(s.name, name)) return s;
  std::vector<std::string> names;
  for (const Sample& s : catalogue()) names.push_back(s.name);
  const std::string meant = reports::likelyMeant(name, names);
  throw Error(ErrorCode::NotFound, "no sample is called '" + name + "'", "",
              meant.empty() ? "known: " + reports::joined(names) : meant + " was probably meant");
}

void placeAsShipped(const Sample& sample, const std::string& machine, BuildOptions& options) {
  options.parallel.stages = sample.stages;
  const int ipus = sample.replicas * std::max(1, sample.stages);
  options.machine = arch::replicaOf(arch::findMachine(machine, ipus > 1 ? ipus : 0), sample.replicas, sample.stages);
}

Parameters::Parameters(const std::string& sample, const std::vector<Parameter>& known,
                       const std::map<std::string, std::string>& given) {
  for (const Parameter& p : known) m_values[p.name] = p.defaultValue, m_choices[p.name] = p.choices;
  for (const auto& [spelt, value] : given) {
    const auto same = std::find_if(known.begin(), known.end(),
                                   [&, &name = spelt](const Parameter& p) { return reports::sameName(p.name, name); });
    if (same == known.end()) {
      std::vector<std::string> names;
      for (const Parameter& p : known) names.push_back(p.name);
      const std::string meant = reports::likelyMeant(spelt, names);
      throw Error(ErrorCode::InvalidInput, "sample " + sample + " has no parameter '" + spelt + "'",
                  reports::option("set") + " " + spelt,
                  (meant.empty() ? std::string() : meant + " was probably meant; ") +
                      (names.empty() ? "it has none" : "it has " + reports::joined(names)));
    }
    if (!m_given.emplace(same->name, value).second)
      throw Error(ErrorCode::InvalidInput, same->name + " is given twice", reports::option("set") + " " + spelt,
                  "leave out one of them");
    m_values[same->name] = value;
  }
}

Parameters Parameters::with(const std::map<std::string, std::string>& defaults) const {
  Parameters other = *this;
  for (const auto& [name, value] : defaults)
    if (!m_given.count(name)) other.m_values.at(name) = value;
  return other;
}

Parameters Parameters::given(const std::string& name, const std::string& value) const {
  Parameters other = *this;
  other.m_given[name] = other.m_values.at(name) = value;
  return other;
}

int64_t Parameters::integer(const std::string& name, int64_t low, int64_t high) const {
  const std::string& t = text(name);
  int64_t v = 0;
  const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), v);
  if (error != std::errc() || end != t.data() + t.size() || v < low || v > high)
    throw Error(ErrorCode::InvalidInput,
                "'" + t + "' is not a whole number from " + std::to_string(low) + " to " + std::to_string(high),
                reports::option("set") + " " + name);
  return v;
}

double Parameters::number(const std::string& name, double low, double high) const {
  const std::string& t = text(name);
  double v = 0;
  const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), v);
  if (error != std::errc() || end != t.data() + t.size() || !(v >= low && v <= high))
    throw Error(ErrorCode::InvalidInput,
                "'" + t + "' is not a number from " + std::to_string(low) + " to " + std::to_string(high),
                reports::option("set") + " " + name);
  return v;
}

std::string Parameters::choice(const std::string& name, const std::vector<std::string>& allowed) const {
  const std::string& t = text(name);
  for (const std::string& a : allowed)
    if (reports::sameName(a, t)) return a;
  throw Error(ErrorCode::InvalidInput, "'" + t + "' is not one of " + reports::joined(allowed),
              reports::option("set") + " " + name);
}

} // namespace simcore::samples
