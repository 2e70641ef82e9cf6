#include "simcore/samples/rl_policy.h"

#include "simcore/samples/network.h"

#include <fmt/format.h>

#include <random>

namespace simcore::samples {

using model::attributes;
using numerics::ElementType;
using numerics::HostTensor;

namespace {

struct Episodes {
  int64_t steps, batch, features, values, actions;
  int64_t all() const { return steps * batch; }
};

// Observations of the actors and the random actions they took. The right action is given by the first feature of the previous
// step, so a policy without memory cannot learn it. Advantage: the reward minus the mean reward of a random action.
struct Played {
  HostTensor observations, places, advantages; // places: indices of the actions in the scores of all steps
};
Played drawEpisodes(const Episodes& e, uint64_t seed) {
  std::mt19937_64 random(seed * 0x9e3779b97f4a7c15ull + 31);
  std::vector<int32_t> seen, places;
  std::vector<float> advantages;
  for (int64_t t = 0; t < e.steps; ++t)
    for (int64_t b = 0; b < e.batch; ++b) {
      for (int64_t f = 0; f < e.features; ++f) seen.push_back(int32_t(random() % uint64_t(e.values)));
      const auto before = std::size_t((std::max<int64_t>(0, t - 1) * e.batch + b) * e.features);
      const int64_t action = int64_t(random() % uint64_t(e.actions)), right = seen[before] % e.actions;
      places.push_back(int32_t((t * e.batch + b) * e.actions + action));
      advantages.push_back((action == right ? 1.f : 0.f) - 1.f / float(e.actions));
    }
  return {HostTensor::of<int32_t>({e.steps, e.batch, e.features}, seen), HostTensor::vector(places),
          HostTensor::vector(advantages)};
}

// Policy gradient (Williams 1992): the mean of -advantage * log(probability of the action taken), minus a fraction of the
// entropy, so that the policy keeps exploring.
void policyLoss(Network& net, const std::string& scores, const Episodes& e, double entropy) {
  model::GraphBuilder& g = net.graph();
  const std::string places = net.input("actions", ElementType::Int32, {e.all()}),
                    advantages = net.input("advantages", ElementType::Float, {e.all()});
  const std::string logs = g.add("LogSoftmax", {scores}, attributes({{"axis", int64_t(1)}}), "policy/logSoftmax");
  const std::string taken = g.reshape(net.embedding("loss/taken", g.reshape(logs, {e.all() * e.actions, 1}), places), {e.all()});
  const auto mean = [&](const std::string& name, const std::string& x) {
    return g.add("ReduceMean", {x}, attributes({{"keepdims", int64_t(0)}}), name);
  };
  const std::string gain = mean("loss/gain", g.add("Mul", {taken, advantages}, {}, "loss/weighted"));
  const std::string certainty =
      mean("loss/certainty", g.add("Mul", {g.add("Exp", {logs}, {}, "policy/chances"), logs}, {}, "loss/logs"));
  g.output(g.add("Sub", {g.scaled(certainty, entropy * double(e.actions)), gain}, {}, "loss"));
}

graph::Workload buildPolicy(const Parameters& p, const BuildOptions& given) {
  const Episodes e{p.integer("steps", 1, 1024), p.integer("batch", 1, 4096), p.integer("features", 1, 1024),
                   p.integer("values", 2, 1 << 20), p.integer("actions", 2, 1 << 16)};
  const int64_t width = p.integer("width", 1, 1 << 14), hidden = p.integer("hidden", 1, 1 << 14),
                embedding = p.integer("embedding", 1, 1 << 14);
  BuildOptions o = given;
  if (p.choice("state") == "sharded") o.parallel.shardState = true;
  Network net("rl-policy", uint64_t(o.seed) + 101);
  model::GraphBuilder& g = net.graph();
  const std::string seen = net.input("observations", ElementType::Int32, {e.steps, e.batch, e.features});
  std::string x = net.embedding("embedding", net.parameter("embedding.weight", {e.values, embedding}, 3), seen);
  x = net.relu("relu1", net.linear("fc1", g.reshape(x, {e.all(), e.features * embedding}), width));
  x = net.relu("relu2", net.linear("fc2", x, width));
  const std::string weights = net.parameter("lstm.weight_ih", {1, 4 * hidden, width}, hidden),
                    recurrence = net.parameter("lstm.weight_hh", {1, 4 * hidden, hidden}, hidden),
                    bias = net.parameter("lstm.bias", {1, 8 * hidden}, hidden);
  x = g.add("LSTM", {g.reshape(x, {e.steps, e.batch, width}), weights, recurrence, bias}, attributes({{"hidden_size", hidden}}),
            "lstm");
  policyLoss(net, net.linear("policy", g.reshape(x, {e.all(), hidden}), e.actions), e, p.number("entropy", 0, 1000));
  graph::Workload load = workloadOf(net, p, o, [&](int64_t i) {
    const Played played = drawEpisodes(e, uint64_t(o.seed * 100'000 + i));
    return std::map<std::string, HostTensor>{
        {"observations", played.observations}, {"actions", played.places}, {"advantages", played.advantages}};
  });
  load.title = fmt::format("Policy with an LSTM of {}, {} steps, batch {}, {} actions", hidden, e.steps, e.batch, e.actions);
  return load;
}

} // namespace

Sample rlPolicy() {
  Sample s;
  s.name = "rl-policy";
  s.title = "Policy with an LSTM, trained on four replicas";
  s.text = "Observations of 16 steps are looked up in an embedding table and pass two dense layers and an LSTM of 1,024. "
           "The output is a distribution over 32 actions; a policy gradient raises those with a higher advantage. Batches "
           "are small, because every update needs fresh episodes: each of the four replicas has eight, and the replicas sum "
           "their gradients after each batch. Look at the trace: the all-reduce of 6.7 million gradients takes nearly half "
           "of a step, and most of the rest is the LSTM, step by step forward and backward. With {option accumulation} 4 "
           "the gradients are summed once in four micro-batches.";
  s.lesson = {
      {"tilescope:?view=operations&set.picture=cycles&set.rows=all",
       "The all-reduce of the gradients takes the most cycles, more than four times those of the LSTM's forward pass."},
      {"tilescope:?view=trace&set.tab=range", "Global exchange takes more cycles than all computing on the tiles."},
      {"tilescope:?view=insights&set.list=findings",
       "Copies between IPUs are the costliest finding. An update after several micro-batches makes them rarer."},
      {"tilescope:?view=liveness&set.tab=notAlways",
       "The peak is in the backward pass of the LSTM: the received operands (in) of a product are the largest variable."}};
  s.parameters = {{"steps", "16", "steps of an episode"},
                  {"batch", "8", "episodes of a micro-batch, on each replica"},
                  {"features", "8", "features observed in a step, one integer each"},
                  {"values", "256", "values that a feature may have"},
                  {"embedding", "32", "embedding size of a value"},
                  {"width", "512", "outputs of the two dense layers"},
                  {"hidden", "1024", "size of the state"},
                  {"actions", "32", "actions to choose from"},
                  {"entropy", "0.01", "weight of the entropy in the loss, which keeps the policy exploring"}};
  for (Parameter& parameter : trainingParameters("adam", "0.001")) s.parameters.push_back(std::move(parameter));
  s.parameters.push_back({"state",
                          "whole",
                          "optimiser state of a replica: whole, or sharded (a quarter each; as {option shard-state})",
                          {"whole", "sharded"}});
  s.build = buildPolicy;
  s.distributes = true;
  s.replicas = 4;
  s.variant = {"tuned",
               {{"state", "sharded"}},
               "Every replica updates a quarter of the weights and keeps Adam's state only for them: the fullest tile needs less "
               "memory, and the bytes on the links stay the same.",
               "max_tile_bytes"};
  return s;
}

} // namespace simcore::samples
