#include "simcore/samples/mlp.h"

#include "reports/core/text.h"
#include "simcore/placement/parallelism.h"
#include "simcore/samples/digits.h"
#include "simcore/samples/network.h"

namespace simcore::samples {

using numerics::ElementType;

namespace {

graph::Workload build(const std::string& name, const Parameters& p, const BuildOptions& o) {
  const int64_t batch = p.integer("batch", 1, 65536), width = p.integer("width", 1, 65536), layers = p.integer("layers", 1, 64);
  Network net(name, uint64_t(o.seed) + 29);
  std::string x = net.input("images", ElementType::Float, {batch, 784});
  const std::string labels = net.input("labels", ElementType::Int32, {batch});
  for (int64_t i = 1; i < layers; ++i) x = net.relu("relu" + std::to_string(i), net.linear("fc" + std::to_string(i), x, width));
  net.classify(net.linear("fc" + std::to_string(layers), x, 10), labels);
  graph::Workload load = workloadOf(net, p, o, [&](int64_t i) {
    const DigitBatch digits = drawDigits(batch, uint64_t(o.seed * 100'000 + i));
    return std::map<std::string, numerics::HostTensor>{{"images", digits.images.reshaped({batch, 784})},
                                                       {"labels", digits.labels}};
  });
  load.title = reports::counted(layers, "layer") + " of " + std::to_string(width) + ", batch " + std::to_string(batch);
  return load;
}

std::vector<Parameter> parameters(const std::string& layers, const std::string& width) {
  std::vector<Parameter> list{{"layers", layers, "fully connected layers"},
                              {"width", width, "outputs of each layer but the last"},
                              {"batch", "32", "images of a micro-batch"}};
  for (Parameter& parameter : trainingParameters("adam", "0.001")) list.push_back(std::move(parameter));
  return list;
}

} // namespace

Sample mlp() {
  Sample s;
  s.name = "mlp";
  s.title = "Fully connected network in training";
  s.text = "Layers of equal width on drawn digits, trained with the optimiser you choose. Look at the plans (summary {option "
           "plans}): the three products of a layer (forward, gradient of the input, gradient of the weights) have the same flops "
           "and different plans. Then compare optimisers: Adam keeps two more values per weight, which show as always-live "
           "memory.";
  s.lesson = {{"tilescope:?view=operations&set.picture=cycles&set.rows=all",
               "Adam's update of the first layer's weights takes the most cycles, more than any product."},
              {"tilescope:?view=operations&set.picture=cycles&set.rows=kind",
               "There are eight products: three for each layer, but two for the first, whose input needs no gradient."},
              {"tilescope:?view=liveness&set.tab=notAlways",
               "The peak is in the gradient of the first weights: its received operands (in) are the largest variable."},
              {"tilescope:?view=memory&set.breakdown=category",
               "Vertex code takes more memory than the variables: the network is small for the machine."}};
  s.parameters = parameters("3", "256");
  s.build = [](const Parameters& p, const BuildOptions& o) { return build("mlp", p, o); };
  s.distributes = true;
  s.variant = {
      "tuned",
      {{"optimiser", "sgd"}, {"momentum", "0"}, {"lr", "0.05"}},
      "Plain gradient descent keeps nothing beside the weights: the two moments of Adam leave the always-live memory, and "
      "the update is one step per weight.",
      "max_tile_bytes"};
  return s;
}

Sample dataParallel() {
  Sample s;
  s.name = "data-parallel";
  s.title = "Four replicas, one model";
  s.text = "The same network on four IPUs, each with its own part of the batch. All take the same time, so the trace shows one; "
           "the numbers are those of all four, and the loss is listed for each. After the backward pass the gradients go around "
           "a ring until every replica has their sum: look at the global exchanges of the all-reduce in the trace, and at their "
           "smaller share when {option accumulation} makes an update rarer. In Memory, Adam's state is the largest part of the "
           "always-live bytes, equal on every replica.";
  s.lesson = {{"tilescope:?view=operations&set.picture=cycles&set.rows=all",
               "The all-reduce of the gradients takes more cycles than all other operations together."},
              {"tilescope:?view=trace&set.tab=range",
               "The all-reduce is global exchange between backward pass and update: gradients go around a ring until every "
               "replica has their sum."},
              {"tilescope:?view=insights&set.list=findings",
               "Copies between IPUs are the costliest finding: an update after several micro-batches makes them rarer."},
              {"tilescope:?view=liveness&set.tab=always",
               "Adam's two moments take more than the weights in the always-live memory of every replica."}};
  s.parameters = parameters("4", "1024");
  s.parameters.push_back({"state",
                          "whole",
                          "optimiser state of a replica: whole, or sharded (a quarter each; as {option shard-state})",
                          {"whole", "sharded"}});
  s.build = [](const Parameters& p, const BuildOptions& given) {
    BuildOptions o = given;
    if (p.choice("state") == "sharded") o.parallel.shardState = true;
    return build("data-parallel", p, o);
  };
  s.distributes = true;
  s.replicas = 4;
  s.variant = {
      "tuned",
      {{"state", "sharded"}},
      "Every replica keeps and updates a quarter of Adam's state: gradients are reduce-scattered, the new weights gathered. "
      "The bytes on the links stay the same, and the state on a tile falls to a quarter.",
      "max_tile_bytes"};
  return s;
}

Sample offload() {
  Sample s;
  s.name = "offload";
  s.title = "Optimiser state in streaming memory";
  s.text = "Three wide layers trained with Adam, whose two moments take twice the memory of the weights and are needed once "
           "per step. Look at Memory by variable for the moments, then at the same step with place=remote: fewer bytes are "
           "always live, and the weight update gains loads and stores of remote buffers, which take host time.";
  s.lesson = {{"tilescope:?view=operations&set.picture=cycles&set.rows=kind",
               "Adam's updates take more cycles than the matrix products of forward and backward pass."},
              {"tilescope:?view=memory&set.tab=largest",
               "Adam keeps two moments per weight: together they take twice the memory of the weights."},
              {"tilescope:?view=liveness&set.tab=always",
               "The moments are always live, although only the update reads them. With place=remote they leave the chip."}};
  s.parameters = parameters("3", "1024");
  s.parameters.push_back({"place",
                          "chip",
                          "where the state is: chip, or remote (streaming memory; as {option offload} optimiser)",
                          {"chip", "remote"}});
  s.build = [](const Parameters& p, const BuildOptions& given) {
    BuildOptions o = given;
    if (p.choice("place") == "remote") o.parallel.offloadOptimiser = true;
    return build("offload", p, o);
  };
  s.distributes = true;
  s.variant = {
      "tuned",
      {{"place", "remote"}},
      "Adam's moments are in streaming memory and come to the tiles only for the update of their weight: the fullest tile needs "
      "less memory. The cost is loads and stores at the rate of the host link, which take many times as long as this small step. "
      "With {option accumulation} 64, the moments are loaded and stored only once per 64 micro-batches.",
      "max_tile_bytes"};
  return s;
}

Sample overlappedIo() {
  Sample s;
  s.name = "overlapped-io";
  s.title = "Transfers beside the work";
  s.text = "Twelve layers classify eight batches of 256 images. By default an IPU waits while the images of a batch arrive and "
           "the predictions leave: host streams and compute alternate in the trace. With io-tiles=32, 32 tiles serve only the "
           "host: they have a lane of their own in the trace and load the next batch while the other tiles compute. Look "
           "at the summary for hidden and exposed transfer time; at layers=2, where compute is too short to hide the transfers; "
           "and in Memory, at the buffers on the last tiles.";
  s.lesson = {{"tilescope:?view=trace&set.tab=range",
               "Host streams and computing alternate: all tiles wait while a batch arrives and predictions leave."},
              {"tilescope:?view=insights&set.list=findings",
               "Waiting for the host is the costliest finding; I/O tiles would transfer beside the work."},
              {"tilescope:?view=operations&set.picture=cycles&set.rows=all",
               "The first layer takes the most cycles: an image has more values than a layer has outputs."}};
  s.parameters = parameters("12", "512");
  for (Parameter& parameter : s.parameters) {
    if (parameter.name == "batch") parameter.defaultValue = "256";
    if (parameter.name == "training") parameter.defaultValue = "0";
  }
  s.parameters.push_back({"batches", "8", "batches of a run (as {option batches-per-step})"});
  s.parameters.push_back({"io-tiles", "0", "tiles of each IPU that only serve the host"});
  s.build = [](const Parameters& p, const BuildOptions& given) {
    BuildOptions o = given;
    const int64_t tiles = p.integer("io-tiles", 0, 1 << 20), batches = p.integer("batches", 1, 1 << 20);
    if (o.machine.ioTiles == 0) o.machine = arch::withIoTiles(o.machine, tiles);
    if (o.parallel.batchesPerStep == 1) o.parallel.batchesPerStep = batches;
    return build("overlapped-io", p, o);
  };
  s.distributes = true;
  s.variant = {"tuned",
               {{"io-tiles", "32"}},
               "Compute has 32 tiles fewer, and every batch has an exchange from the I/O tiles to the others; in return the "
               "host's transfers run beside the compute, and a batch takes the longer of both instead of their sum.",
               "cycles"};
  return s;
}

} // namespace simcore::samples
