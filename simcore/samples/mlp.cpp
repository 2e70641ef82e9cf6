#include "simcore/samples/mlp.h"

#include "simcore/samples/digits.h"
#include "simcore/samples/network.h"

namespace simcore::samples {

using numerics::ElementType;

namespace {

graph::Workload build(const Parameters& p, const BuildOptions& o) {
  const int64_t batch = p.integer("batch", 1, 65536), width = p.integer("width", 1, 65536), layers = p.integer("layers", 1, 64);
  Network net("mlp", uint64_t(o.seed) + 29);
  std::string x = net.input("images", ElementType::Float, {batch, 784});
  const std::string labels = net.input("labels", ElementType::Int32, {batch});
  for (int64_t i = 1; i < layers; ++i) x = net.relu("relu" + std::to_string(i), net.linear("fc" + std::to_string(i), x, width));
  net.classify(net.linear("fc" + std::to_string(layers), x, 10), labels);
  graph::Workload load = workloadOf(net, p, o, [&](int64_t i) {
    const DigitBatch digits = drawDigits(batch, uint64_t(o.seed * 100'000 + i));
    return std::map<std::string, numerics::HostTensor>{{"images", digits.images.reshaped({batch, 784})},
                                                       {"labels", digits.labels}};
  });
  load.title = std::to_string(layers) + " layers of " + std::to_string(width) + ", batch " + std::to_string(batch);
  return load;
}

} // namespace

Sample mlp() {
  Sample s;
  s.name = "mlp";
  s.title = "Fully connected network in training";
  s.text = "Layers of equal width on drawn digits, trained with the optimiser you choose. Look at the plans (summary --plans): "
           "the three products of a layer (forward, gradient of the input, gradient of "
           "the weights) have the same flops and different plans. Then compare optimisers: Adam keeps two values beside each "
           "weight, which shows as always-live memory.";
  s.parameters = {{"layers", "3", "fully connected layers"},
                  {"width", "256", "outputs of all but the last"},
                  {"batch", "32", "images of a micro-batch"}};
  for (Parameter& parameter : trainingParameters("adam", "0.001")) s.parameters.push_back(std::move(parameter));
  s.build = build;
  s.distributes = true;
  return s;
}

} // namespace simcore::samples
