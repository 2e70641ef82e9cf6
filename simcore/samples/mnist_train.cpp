#include "simcore/samples/mnist_train.h"

#include "simcore/samples/digits.h"
#include "simcore/samples/network.h"

namespace simcore::samples {

using numerics::ElementType;

namespace {

graph::Workload buildMnist(const Parameters& p, const BuildOptions& o) {
  const int64_t batch = p.integer("batch", 1, 4096);
  Network net("mnist-train", uint64_t(o.seed) + 17);
  const std::string images = net.input("images", ElementType::Float, {batch, 1, 28, 28}),
                    labels = net.input("labels", ElementType::Int32, {batch});
  std::string x = net.conv("conv1", images, 5, 3);
  x = net.maxPool("pool1", x, 2);
  x = net.conv("conv2", x, 12, 5);
  x = net.groupNorm("norm", x, 3);
  x = net.relu("relu", net.linear("fc1", net.flatten(x), 100));
  const std::string scores = net.linear("fc2", x, 10);
  if (p.integer("predictions", 0, 1))
    net.classify(scores, labels);
  else
    net.lossOf(scores, labels);
  graph::Workload load = workloadOf(net, p, o, [&](int64_t i) {
    const DigitBatch digits = drawDigits(batch, uint64_t(o.seed * 100'000 + i));
    return std::map<std::string, numerics::HostTensor>{{"images", digits.images}, {"labels", digits.labels}};
  });
  load.title = "MNIST network, batch " + std::to_string(batch) + (p.text("training") == "0" ? ", forward only" : "");
  return load;
}

} // namespace

Sample mnistTrain() {
  Sample s;
  s.name = "mnist-train";
  s.title = "MNIST network in training";
  s.text = "Conv 1 to 5, max-pool, conv 5 to 12, group norm, two fully connected layers and a loss, on digits that the "
           "sample draws; backward pass and weight update included. Small models are mostly code: look at Memory by "
           "category, then at Liveness for the hump of activations that grows through fwd and falls through bwd, and at the "
           "trace for the cost of fwd, bwd and wu. {option iterations} 200 trains for 200 steps; {option outputs} DIR writes "
           "the loss of each of them to DIR/loss.history.npy.";
  s.lesson = {{"tilescope:?view=memory&set.breakdown=category",
               "Exchange code, vertex code and control code take more than the variables: a small model is mostly code."},
              {"tilescope:?view=liveness&set.tab=notAlways",
               "The peak is in the backward pass: a convolution receives its operands while activations of the forward pass "
               "are still kept."},
              {"tilescope:?view=trace&set.tab=flames",
               "The backward pass (bwd) takes more cycles than the forward pass (fwd); the weight update (wu) is short."},
              {"tilescope:?view=insights&set.list=findings",
               "Waiting for the host is the costliest finding. Each finding shows its evidence, and many have a trial."}};
  s.parameters = {{"batch", "16", "images of a micro-batch"},
                  {"predictions", "1", "on: log-probabilities go to the host with the loss; off: the loss alone", {"0", "1"}}};
  for (Parameter& parameter : trainingParameters("sgd", "0.01")) s.parameters.push_back(std::move(parameter));
  s.build = buildMnist;
  s.distributes = true;
  s.variant = {"tuned",
               {{"predictions", "0"}},
               "Only the loss goes to the host: a step has one stream fewer, and no wait for it. Cycles fall.",
               "cycles"};
  return s;
}

} // namespace simcore::samples
