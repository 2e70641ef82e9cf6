#include "simcore/samples/sales.h"

#include "simcore/samples/network.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

namespace simcore::samples {

using model::attributes;
using numerics::ElementType;
using numerics::HostTensor;

namespace {

// A feature of a shop or a day: its number of values and the width of its embedding, as in Guo and Berkhahn 2016.
struct Feature {
  const char* name;
  int64_t values, width;
};
constexpr Feature kFeatures[] = {{"shop", 1115, 10}, {"weekday", 7, 6}, {"day", 31, 10}, {"month", 12, 6},
                                 {"year", 3, 2},     {"promo", 2, 1},   {"state", 12, 6}};

struct Days {
  std::vector<std::vector<int32_t>> features;
  std::vector<float> sales;
};
// Sales rise and fall with the weekday and the month, in shops of different sizes.
Days drawDays(int64_t batch, uint64_t seed) {
  std::mt19937_64 random(seed * 0x9e3779b97f4a7c15ull + 23);
  Days days;
  days.features.resize(std::size(kFeatures));
  for (int64_t b = 0; b < batch; ++b) {
    for (std::size_t f = 0; f < std::size(kFeatures); ++f)
      days.features[f].push_back(int32_t(random() % uint64_t(kFeatures[f].values)));
    const auto of = [&](std::size_t f) { return double(days.features[f].back()) / double(kFeatures[f].values); };
    days.sales.push_back(float(of(0) + 0.5 * std::sin(2 * M_PI * of(1)) + 0.3 * std::cos(2 * M_PI * of(3)) + 0.4 * of(5)));
  }
  return days;
}

graph::Workload buildSales(const Parameters& p, const BuildOptions& given) {
  BuildOptions o = given;
  const int64_t batch = p.integer("batch", 1, 65536), width = p.integer("width", 2, 65536),
                batches = p.integer("batches", 1, 1 << 20);
  if (o.parallel.batchesPerStep == 1) o.parallel.batchesPerStep = batches;
  Network net("sales-forecast", uint64_t(o.seed) + 97);
  model::GraphBuilder& g = net.graph();
  std::vector<std::string> parts;
  for (const Feature& f : kFeatures) {
    const std::string name = f.name, indices = net.input(name, ElementType::Int32, {batch});
    parts.push_back(net.embedding(name + "/embedding", net.parameter(name + ".weight", {f.values, f.width}, 9), indices));
  }
  std::string x = g.add("Concat", parts, attributes({{"axis", int64_t(1)}}), "features");
  x = net.relu("relu1", net.linear("fc1", x, width));
  x = net.relu("relu2", net.linear("fc2", x, width / 2));
  const std::string guessed = g.reshape(net.linear("fc3", x, 1), {batch});
  net.squaredErrorOf(guessed, net.input("sales", ElementType::Float, {batch}));
  graph::Workload load = workloadOf(net, p, o, [&](int64_t i) {
    const Days days = drawDays(batch, uint64_t(o.seed * 100'000 + i));
    std::map<std::string, HostTensor> values{{"sales", HostTensor::vector(days.sales)}};
    for (std::size_t f = 0; f < std::size(kFeatures); ++f) values[kFeatures[f].name] = HostTensor::vector(days.features[f]);
    return values;
  });
  load.title = fmt::format("Sales forecast, layers of {} and {}, batch {}, {} batches a call", width, width / 2, batch,
                           o.parallel.batchesPerStep);
  return load;
}

} // namespace

Sample salesForecast() {
  Sample s;
  s.name = "sales-forecast";
  s.title = "Sales forecast with embeddings";
  s.text = "Seven features of a shop and a day have an embedding table each; the embeddings are concatenated to 41 numbers and "
           "pass three dense layers. All of it is small: a third of the time is host streams, because every input has a transfer "
           "of its own, a fifth is exchange, and the machine reaches 5 % of its peak. Look at the trace of a batch for the "
           "waits, and at batches=1000: one call of the host for 1,000 batches changes little, because each batch still has its "
           "transfers.";
  s.lesson = {{"tilescope:?view=operations&set.picture=cycles&set.rows=all",
               "The costliest operations are those of the second layer: two of its products and Adam's update of its weights."},
              {"tilescope:?view=operations&set.picture=cycles&set.rows=kind",
               "The gradients of the look-ups (MovementGrad) take more cycles than Adam's updates."},
              {"tilescope:?view=liveness&set.tab=notAlways",
               "The peak is in the gradient of the second layer's weights: its received operands (in) are the largest variable."},
              {"tilescope:?view=insights&set.list=findings",
               "Waiting for the host is the costliest finding: each of the seven features is a transfer of its own."}};
  s.parameters = {{"batch", "100", "days of a micro-batch"},
                  {"width", "1000", "outputs of the first layer; the second has half of it"},
                  {"batches", "8", "batches of a run (as {option batches-per-step})"}};
  for (Parameter& parameter : trainingParameters("adam", "0.001")) s.parameters.push_back(std::move(parameter));
  s.build = buildSales;
  s.distributes = true;
  s.variant = {
      "tuned",
      {{"optimiser", "sgd"}, {"momentum", "0"}, {"lr", "0.05"}},
      "Plain gradient descent: an update is one step per weight, without moments and division, and in a network this small the "
      "update is a large share of a batch. Cycles fall.",
      "cycles"};
  return s;
}

} // namespace simcore::samples
