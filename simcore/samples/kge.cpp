#include "simcore/samples/kge.h"

#include "reports/core/error.h"
#include "reports/core/option.h"
#include "reports/core/text.h"
#include "simcore/samples/network.h"

#include <fmt/format.h>

#include <random>

namespace simcore::samples {

using model::attributes;
using numerics::ElementType;
using numerics::HostTensor;
using Integers = std::vector<int64_t>;

namespace {

struct KgeShape {
  int64_t entities, relations, width, triples, negatives, shards; // triples and negatives: per shard
  bool isTransE;
  double margin;
  int64_t perPair() const { return (triples + negatives) / shards; } // rows that a shard sends to each shard, including itself
};

class KgeGraph {
public:
  KgeGraph(Network& net, const KgeShape& shape) : m_net(net), m_g(net.graph()), m_s(shape) {}

  std::vector<int> build() {
    const int shards = int(m_s.shards);
    std::vector<std::string> tables, sent;
    for (int i = 0; i < shards; ++i) {
      tables.push_back(m_net.parameter(fmt::format("entities{}.weight", i), {m_s.entities / m_s.shards, m_s.width}, m_s.width));
      const std::string rows = m_net.input(fmt::format("rows{}", i), ElementType::Int32, {m_s.shards * m_s.perPair()});
      const std::string picked = m_net.embedding(fmt::format("shard{}/rows", i), tables.back(), rows);
      sent.push_back(m_g.reshape(picked, {m_s.shards, m_s.perPair(), m_s.width}));
      tell(i);
    }
    const std::vector<std::string> received =
        shards == 1 ? sent : m_g.addOwnMany("AllToAll", sent, {}, std::vector<bool>(sent.size(), true), std::string("allToAll"));
    tell(0);
    const std::string relations = m_net.parameter("relations.weight", {m_s.relations, m_s.width}, m_s.width);
    std::string loss;
    for (int i = 0; i < shards; ++i) {
      const std::string own = lossOfShard(i, tables[std::size_t(i)], relations, received[std::size_t(i)]);
      tell(i);
      loss = loss.empty() ? own : m_net.sum(fmt::format("addLoss{}", i), loss, own);
      tell(0);
    }
    m_g.output(m_g.add("Mul", {loss, number(1.0 / double(shards))}, {}, "loss"));
    tell(0);
    return std::move(m_ipuOfNode);
  }

private:
  void tell(int ipu) { m_ipuOfNode.resize(m_g.graph().nodes.size(), ipu); }
  std::string number(double v) { return m_g.number(v, ElementType::Float); }

  // Scores [.., 1] of heads and relations with the tails of the same rows, or [.., negatives] with all tails.
  std::string scores(const std::string& name, const std::string& from, const std::string& tails, bool isEach) {
    const int64_t rows = m_g.shape(from)[0], others = m_g.shape(tails)[0];
    if (!m_s.isTransE) {
      if (!isEach)
        return m_g.add("MatMul", {from, m_g.add("Transpose", {tails}, attributes({{"perm", Integers{1, 0}}}), name + "/columns")},
                       {}, name);
      return m_g.add("ReduceSum", {m_g.add("Mul", {from, tails}, {}, name + "/products"), m_g.integers({1})}, {}, name);
    }
    const std::string apart =
        isEach ? m_g.add("Sub", {from, tails}, {}, name + "/apart")
               : m_g.add("Sub", {m_g.reshape(from, {rows, 1, m_s.width}), m_g.reshape(tails, {1, others, m_s.width})}, {},
                         name + "/apart");
    const std::string distance =
        m_g.add("ReduceL1", {apart}, attributes({{"axes", Integers{-1}}, {"keepdims", int64_t(isEach)}}), name + "/distance");
    return m_g.add("Sub", {number(m_s.margin), distance}, {}, name);
  }

  std::string lossOfShard(int shard, const std::string& table, const std::string& relations, const std::string& received) {
    const std::string name = fmt::format("shard{}", shard);
    const int64_t each = m_s.triples / m_s.shards, wrong = m_s.negatives / m_s.shards;
    const auto parts = m_g.addMany("Split", {received, m_g.integers({each, wrong})}, attributes({{"axis", int64_t(1)}}),
                                   {true, true}, name + "/split");
    const std::string tails = m_g.reshape(parts[0], {m_s.triples, m_s.width}),
                      others = m_g.reshape(parts[1], {m_s.negatives, m_s.width});
    const std::string heads = m_net.embedding(name + "/heads", table,
                                              m_net.input(fmt::format("heads{}", shard), ElementType::Int32, {m_s.triples})),
                      links = m_net.embedding(name + "/relations", relations,
                                              m_net.input(fmt::format("relations{}", shard), ElementType::Int32, {m_s.triples}));
    const std::string from = m_g.add(m_s.isTransE ? "Add" : "Mul", {heads, links}, {}, name + "/from");
    const auto mean = [&](const std::string& x, const char* what) {
      const std::string soft = m_g.add("Softplus", {x}, {}, name + "/" + what + "/softplus");
      return m_g.add("ReduceMean", {soft}, attributes({{"keepdims", int64_t(0)}}), name + "/" + what);
    };
    const std::string right = m_g.add("Neg", {scores(name + "/scores", from, tails, true)}, {}, name + "/negate");
    return m_net.sum(name + "/loss", mean(right, "ofTriples"),
                     mean(scores(name + "/scoresOfNegatives", from, others, false), "ofNegatives"));
  }

  Network& m_net;
  model::GraphBuilder& m_g;
  const KgeShape m_s;
  std::vector<int> m_ipuOfNode;
};

// Drawn triples (h, r, t) with t = h + 17 r + 1, which can be learnt; negatives are drawn uniformly. A triple belongs to the
// shard of its head; its tails are spread evenly over the shards.
std::map<std::string, HostTensor> kgeBatch(const KgeShape& s, uint64_t seed) {
  std::mt19937_64 random(seed * 0x9e3779b97f4a7c15ull + 11);
  const int64_t perShard = s.entities / s.shards, each = s.triples / s.shards, wrong = s.negatives / s.shards;
  std::vector<std::vector<int32_t>> rows(std::size_t(s.shards)), heads(std::size_t(s.shards)), relations(std::size_t(s.shards));
  const auto below = [&](int64_t limit) { return int64_t(random() % uint64_t(limit)); };
  std::vector<std::vector<std::vector<int32_t>>> tails(std::size_t(s.shards),
                                                       std::vector<std::vector<int32_t>>(std::size_t(s.shards)));
  for (int64_t shard = 0; shard < s.shards; ++shard)
    for (int64_t other = 0; other < s.shards; ++other)
      for (int64_t i = 0; i < each; ++i) {
        // Entity e is row e / shards of shard e % shards.
        const int64_t tail = below(perShard) * s.shards + other, relation = below(s.relations);
        const int64_t before = ((tail - 17 * relation - 1) % s.entities + s.entities) % s.entities;
        heads[std::size_t(shard)].push_back(int32_t((before / s.shards) % perShard));
        relations[std::size_t(shard)].push_back(int32_t(relation));
        tails[std::size_t(other)][std::size_t(shard)].push_back(int32_t(tail / s.shards));
      }
  std::map<std::string, HostTensor> batch;
  for (int64_t shard = 0; shard < s.shards; ++shard) {
    for (int64_t to = 0; to < s.shards; ++to) {
      auto& own = rows[std::size_t(shard)];
      const auto& wanted = tails[std::size_t(shard)][std::size_t(to)];
      own.insert(own.end(), wanted.begin(), wanted.end());
      for (int64_t i = 0; i < wrong; ++i) own.push_back(int32_t(below(perShard)));
    }
    const auto put = [&](const char* name, const std::vector<int32_t>& values) {
      batch[fmt::format("{}{}", name, shard)] = HostTensor::of<int32_t>({int64_t(values.size())}, values);
    };
    put("rows", rows[std::size_t(shard)]);
    put("heads", heads[std::size_t(shard)]);
    put("relations", relations[std::size_t(shard)]);
  }
  return batch;
}

graph::Workload buildKge(const Parameters& p, const BuildOptions& o) {
  KgeShape s;
  s.shards = o.machine.ipus;
  s.entities = p.integer("entities", 2, 1 << 26);
  s.relations = p.integer("relations", 1, 1 << 16);
  s.width = p.integer("width", 1, 1 << 14);
  s.triples = p.integer("triples", 1, 1 << 20);
  s.negatives = p.integer("negatives", 1, 1 << 20);
  s.isTransE = p.choice("score") == "transe";
  s.margin = p.number("margin", 0, 1e6);
  for (const auto& [name, value] : {std::pair{"entities", s.entities}, {"triples", s.triples}, {"negatives", s.negatives}})
    if (value % s.shards)
      throw reports::Error(reports::ErrorCode::InvalidInput,
                           fmt::format("{} {} cannot be shared equally by {}", value, name, reports::counted(s.shards, "IPU")),
                           reports::option("set") + " " + name, "give a multiple of the number of IPUs");
  Network net("kge", uint64_t(o.seed) + 101);
  const std::vector<int> ipuOfNode = KgeGraph(net, s).build();
  graph::Workload load = workloadOf(
      net, p, o, [&](int64_t i) { return kgeBatch(s, uint64_t(o.seed * 100'000 + i)); }, ipuOfNode);
  load.title =
      fmt::format("{}, {} entities of width {} on {}, {} triples and {} negatives per IPU", s.isTransE ? "TransE" : "DistMult",
                  s.entities, s.width, reports::counted(s.shards, "IPU"), s.triples, s.negatives);
  return load;
}

} // namespace

Sample kge() {
  Sample s;
  s.name = "kge";
  s.title = "Knowledge graph embeddings in training";
  s.text = "Entities are sharded over the IPUs of {option ipus}; a triple belongs to the IPU of its head. Each IPU gathers the "
           "tails and "
           "the sampled negatives that the others need, one all-to-all exchanges them over the links, and their gradients come "
           "back by another "
           "(as in BESS). With 4 IPUs look at AllToAll: a batch of four times the triples takes less than a third more cycles. "
           "The update of "
           "the tables is the largest operation, because it goes over all rows. score=distmult compares triples and negatives by "
           "one product.";
  s.lesson = {{"tilescope:?view=operations&set.picture=cycles&set.rows=all",
               "The update of the entities takes the most cycles: it goes over all rows, also those that no triple used."},
              {"tilescope:?view=liveness&set.tab=notAlways",
               "At the peak two gradients of the whole table are live: that of the heads, and that of tails and negatives."},
              {"tilescope:?view=liveness&set.tab=always",
               "Adagrad keeps a number for every weight: as much always-live memory as the table itself."},
              {"tilescope:?view=insights&set.list=findings",
               "Waiting for the host is the costliest finding: each batch of triples comes from there."}};
  s.parameters = {
      {"score",
       "transe",
       "transe: margin - |head + relation - tail|; distmult: the sum of head x relation x tail",
       {"transe", "distmult"}},
      {"entities", "20000", "entities, a multiple of the IPUs"},
      {"relations", "40", "relations"},
      {"width", "64", "numbers of an embedding"},
      {"triples", "128", "triples of each IPU, a multiple of the IPUs"},
      {"negatives", "64", "sampled tails of each IPU, with which all its triples are compared; a multiple of the IPUs"},
      {"margin", "12", "transe: score at distance 0"}};
  for (Parameter& parameter : trainingParameters("adagrad", "0.05")) s.parameters.push_back(std::move(parameter));
  s.build = buildKge;
  s.distributes = true;
  s.variant = {"tuned",
               {{"score", "distmult"}},
               "DistMult scores all negatives by one matrix product instead of a distance for every pair, element by element. "
               "Cycles fall.",
               "cycles"};
  return s;
}

} // namespace simcore::samples
