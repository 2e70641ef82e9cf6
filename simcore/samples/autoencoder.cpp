#include "simcore/samples/autoencoder.h"

#include "simcore/samples/network.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <random>

namespace simcore::samples {

using model::attributes;
using numerics::ElementType;
using numerics::HostTensor;

namespace {

struct RatingsShape {
  int64_t batch, items, rated; // rated: items that each person rated
};

struct Ratings {
  std::vector<int32_t> items, places; // places: positions in the flattened scores of all people and items
  std::vector<float> ratings;
};

// Ratings of drawn people and items: each has a position on a circle, and a rating falls with their distance.
Ratings drawRatings(const RatingsShape& s, uint64_t seed) {
  std::mt19937_64 random(seed * 0x9e3779b97f4a7c15ull + 17);
  Ratings all;
  std::vector<int32_t> order(static_cast<std::size_t>(s.items));
  std::iota(order.begin(), order.end(), 0);
  for (int64_t person = 0; person < s.batch; ++person) {
    const double taste = double(random() % 4096) / 4096;
    for (int64_t r = 0; r < s.rated; ++r) { // different items
      std::swap(order[std::size_t(r)], order[std::size_t(r + int64_t(random() % uint64_t(s.items - r)))]);
      const int32_t item = order[std::size_t(r)];
      all.items.push_back(item);
      all.places.push_back(int32_t(person * s.items + item));
      all.ratings.push_back(float(3 + 2 * std::cos(2 * M_PI * (taste - double(item % 997) / 997))));
    }
  }
  return all;
}

// Dense layers down to the code, and up again through the same weights (Kuchaiev and Ginsburg 2017). A person rates few items, so
// the first layer's input is mostly 0 and its output is a weighted sum of a few rows of the weights.
class TiedLayers {
public:
  TiedLayers(Network& net, int64_t items, const std::vector<int64_t>& widths) : m_net(net), m_g(net.graph()) {
    int64_t in = items;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      m_weights.push_back(net.parameter(fmt::format("layer{}.weight", i + 1), {in, widths[i]}, in < 4096 ? in : 512));
      m_inputs.push_back(in);
      m_outputs.push_back(widths[i]);
      in = widths[i];
    }
  }

  std::string encoded(const std::string& name, const std::string& items, const std::string& ratings, const RatingsShape& s) {
    const std::string rows = m_net.embedding(name + "/layer1/rows", m_weights[0], items); // [batch, rated, width]
    const std::string sum =
        m_g.add("MatMul", {m_g.reshape(ratings, {s.batch, 1, s.rated}), rows}, {}, name + "/layer1/sumOfRows");
    std::string x =
        active(name + "/layer1", m_net.sum(name + "/layer1/addBias", m_g.reshape(sum, {s.batch, m_outputs[0]}), bias(0)));
    return deeper(name, x);
  }
  // Applies the same layers to an input with the ratings of all items.
  std::string encoded(const std::string& name, const std::string& all) {
    return deeper(name, active(name + "/layer1", m_g.add("Gemm", {all, m_weights[0], bias(0)}, {}, name + "/layer1")));
  }
  std::string decoded(const std::string& name, std::string x) {
    for (std::size_t i = m_weights.size(); i-- > 0;) {
      const std::string layer = fmt::format("{}/layer{}", name, 2 * m_weights.size() - i);
      x = m_g.add("Gemm", {x, m_weights[i], backBias(i)}, attributes({{"transB", int64_t(1)}}), layer);
      if (i > 0) x = active(layer, x); // the last layer gives the scores, without an activation
    }
    return x;
  }

private:
  std::string deeper(const std::string& name, std::string x) {
    for (std::size_t i = 1; i < m_weights.size(); ++i) {
      const std::string layer = fmt::format("{}/layer{}", name, i + 1);
      x = active(layer, m_g.add("Gemm", {x, m_weights[i], bias(i)}, {}, layer));
    }
    return x;
  }
  std::string active(const std::string& name, const std::string& x) { return m_g.add("Selu", {x}, {}, name + "/selu"); }
  std::string bias(std::size_t i) { return once(m_biases, fmt::format("layer{}.bias", i + 1), m_outputs[i]); }
  std::string backBias(std::size_t i) { return once(m_biases, fmt::format("layer{}.backBias", i + 1), m_inputs[i]); }
  std::string once(std::map<std::string, std::string>& known, const std::string& name, int64_t width) {
    std::string& value = known[name];
    if (value.empty()) value = m_net.parameter(name, {width}, 0);
    return value;
  }

  Network& m_net;
  model::GraphBuilder& m_g;
  std::vector<std::string> m_weights;
  std::vector<int64_t> m_inputs, m_outputs;
  std::map<std::string, std::string> m_biases;
};

graph::Workload buildAutoencoder(const Parameters& p, const BuildOptions& o) {
  RatingsShape s{p.integer("batch", 1, 65536), p.integer("items", 2, 1 << 20), p.integer("rated", 1, 1 << 16)};
  s.rated = std::min(s.rated, s.items);
  const int64_t width = p.integer("width", 1, 65536), code = p.integer("code", 1, 65536);
  const bool gathers = p.choice("input") == "rows";
  Network net("autoencoder", uint64_t(o.seed) + 83);
  model::GraphBuilder& g = net.graph();
  TiedLayers layers(net, s.items, {width, width, code});
  std::string encoded;
  if (gathers) {
    const std::string items = net.input("items", ElementType::Int32, {s.batch, s.rated});
    encoded = layers.encoded("encoder", items, net.input("ratings", ElementType::Float, {s.batch, s.rated}), s);
  } else {
    encoded = layers.encoded("encoder", net.input("allRatings", ElementType::Float, {s.batch, s.items}));
  }
  const std::string scores = layers.decoded("decoder", encoded);
  const std::string places = net.input("places", ElementType::Int32, {s.batch * s.rated}),
                    targets = net.input("targets", ElementType::Float, {s.batch * s.rated});
  // The loss reads only the scores of rated items.
  const std::string guessed =
      g.reshape(net.embedding("loss/rated", g.reshape(scores, {s.batch * s.items, 1}), places), {s.batch * s.rated});
  net.squaredErrorOf(guessed, targets);
  graph::Workload load = workloadOf(net, p, o, [&](int64_t i) {
    const Ratings drawn = drawRatings(s, uint64_t(o.seed * 100'000 + i));
    const HostTensor ratings = HostTensor::vector(drawn.ratings);
    std::map<std::string, HostTensor> values{{"places", HostTensor::vector(drawn.places)}, {"targets", ratings}};
    if (gathers) {
      values["items"] = HostTensor::of<int32_t>({s.batch, s.rated}, drawn.items);
      values["ratings"] = ratings.reshaped({s.batch, s.rated});
      return values;
    }
    HostTensor all(ElementType::Float, {s.batch, s.items});
    auto v = all.mutableValues<float>();
    for (std::size_t k = 0; k < drawn.places.size(); ++k) v[std::size_t(drawn.places[k])] = drawn.ratings[k];
    values["allRatings"] = all;
    return values;
  });
  load.title = fmt::format("Autoencoder of {} items, layers of {}, {} and {}, batch {}", s.items, width, width, code, s.batch);
  return load;
}

} // namespace

Sample autoencoder() {
  Sample s;
  s.name = "autoencoder";
  s.title = "Recommender as a tied autoencoder";
  s.text = "Six dense layers learn the ratings of 17,768 films: three encode a person's ratings to 1,024 numbers, three decode "
           "them with the same weights. Look at Operations: the last layer, which scores every film, and its gradients are most "
           "of the flops. The first layer uses the same table. With input=rows this layer has hardly any flops, because a "
           "person rated few films: it fetches the rows of these films and sums them. The gradient of the table is then the sum "
           "of two parts: an update of rows from the first layer, and a product from the last.";
  s.lesson = {{"tilescope:?view=operations&set.picture=cycles&set.rows=all",
               "The costliest operations are the last layer, the first layer and their gradients: both use the table of all "
               "films."},
              {"tilescope:?view=liveness&set.tab=always",
               "The table (layer1.weight) and its velocity are the largest variables, equally large and always live."},
              {"tilescope:?view=insights&set.list=findings",
               "Waiting for the host is the costliest finding: the ratings of all films arrive for every person."}};
  s.parameters = {{"batch", "64", "people of a micro-batch"},
                  {"items", "17768", "films"},
                  {"rated", "128", "films that a person rated"},
                  {"width", "512", "outputs of the first and the second layer"},
                  {"code", "1024", "outputs of the third layer"},
                  {"input",
                   "dense",
                   "dense: a rating for every film, most of them zero; rows: only the ratings that exist",
                   {"dense", "rows"}}};
  for (Parameter& parameter : trainingParameters("sgd", "0.001")) s.parameters.push_back(std::move(parameter));
  s.build = buildAutoencoder;
  s.distributes = true;
  s.variant = {"tuned",
               {{"input", "rows"}},
               "The first layer fetches the rows of rated films and sums them instead of multiplying a vector that is "
               "mostly zeros: the product, its gradient and 4.5 MB of input from the host disappear. Cycles fall.",
               "cycles"};
  return s;
}

} // namespace simcore::samples
