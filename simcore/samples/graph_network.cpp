#include "simcore/samples/graph_network.h"

#include "reports/core/error.h"
#include "reports/core/option.h"
#include "reports/core/text.h"
#include "simcore/samples/drawn_graphs.h"
#include "simcore/samples/network.h"
#include "simcore/samples/sample_parts.h"

#include <fmt/format.h>

#include <cmath>

namespace simcore::samples {

using model::attributes;
using numerics::ElementType;
using numerics::HostTensor;
using Integers = std::vector<int64_t>;

namespace {

// Moves rows along the edges of a graph: gathers rows of nodes for edges, sums rows of edges at nodes.
class Messages {
public:
  Messages(Network& net, int64_t nodes, int64_t edges)
      : m_net(net), m_nodes(nodes), m_from(net.input("from", ElementType::Int32, {edges})),
        m_to(net.input("to", ElementType::Int32, {edges})) {}

  std::string ofSenders(const std::string& name, const std::string& x) { return m_net.embedding(name, x, m_from); }
  std::string ofReceivers(const std::string& name, const std::string& x) { return m_net.embedding(name, x, m_to); }
  std::string atReceivers(const std::string& name, const std::string& messages) { return sums(name, messages, m_to, m_nodes); }
  // Sums the rows with equal numbers: [count, columns].
  std::string sums(const std::string& name, const std::string& rows, const std::string& numbers, int64_t count) {
    model::GraphBuilder& g = m_net.graph();
    const std::string zeros = g.expand(g.number(0, ElementType::Float), {count, g.shape(rows)[1]});
    return g.add("ScatterND", {zeros, g.reshape(numbers, {g.shape(numbers)[0], 1}), rows},
                 attributes({{"reduction", std::string("add")}}), name);
  }
  // [nodes, 1]: the number of edges that end at each node, plus `more`.
  std::string degrees(const std::string& name, double more) {
    model::GraphBuilder& g = m_net.graph();
    const std::string ones = g.expand(g.number(1, ElementType::Float), {g.shape(m_to)[0], 1});
    const std::string count = atReceivers(name, ones);
    return more == 0 ? count : g.add("Add", {count, g.number(more, ElementType::Float)}, {}, name + "/more");
  }

private:
  Network& m_net;
  int64_t m_nodes;
  std::string m_from, m_to;
};

struct GnnShape {
  std::string kind, form;
  int64_t nodes, edges, features, hidden, layers, classes, edgeFeatures;
};

std::string op(Network& net, const char* type, const std::string& a, const std::string& b, const std::string& name) {
  return net.graph().add(type, {a, b}, {}, name);
}

// The messages along edges: the senders' values. With edge features, a dense layer of the features is added to them and ReLU
// applied.
std::string messagesOf(Network& net, Messages& m, const std::string& name, const std::string& x, const std::string& edgeValues) {
  const std::string said = m.ofSenders(name + "/gather", x);
  if (edgeValues.empty()) return said;
  const std::string ofEdges = net.linear(name + "/edges", edgeValues, net.graph().shape(x)[1]);
  return net.relu(name + "/message", net.sum(name + "/addEdges", said, ofEdges));
}

// Xu et al. 2019.
std::string ginLayer(Network& net, Messages& m, const std::string& name, const std::string& x, const std::string& edges,
                     int64_t out) {
  const std::string sum = m.atReceivers(name + "/aggregate", messagesOf(net, m, name, x, edges));
  const std::string own = net.relu(name + "/relu", net.linear(name + "/first", net.sum(name + "/addOwn", x, sum), out));
  return net.linear(name + "/second", own, out);
}
// Kipf and Welling 2017. `weights`: 1 / sqrt(degree) of each node, which counts itself as a neighbour.
std::string gcnLayer(Network& net, Messages& m, const std::string& name, const std::string& x, const std::string& weights,
                     int64_t out) {
  const std::string scaled = op(net, "Mul", net.linear(name + "/linear", x, out), weights, name + "/scaleSenders");
  const std::string sum = m.atReceivers(name + "/aggregate", m.ofSenders(name + "/gather", scaled));
  return op(net, "Mul", net.sum(name + "/addOwn", sum, scaled), weights, name + "/scaleReceivers");
}
// Hamilton et al. 2017, with the mean of the neighbours.
std::string sageLayer(Network& net, Messages& m, const std::string& name, const std::string& x, const std::string& edges,
                      const std::string& degrees, int64_t out) {
  const std::string sum = m.atReceivers(name + "/aggregate", messagesOf(net, m, name, x, edges));
  const std::string mean = op(net, "Div", sum, degrees, name + "/mean");
  return net.sum(name + "/add", net.linear(name + "/own", x, out), net.linear(name + "/neighbours", mean, out));
}

constexpr int64_t kNoClass = -100;

void lossOfKnown(Network& net, const std::string& scores, const std::string& labels) {
  model::GraphBuilder& g = net.graph();
  const std::string logs = g.add("LogSoftmax", {scores}, attributes({{"axis", int64_t(1)}}), "logSoftmax");
  g.output(g.add("NegativeLogLikelihoodLoss", {logs, labels}, attributes({{"ignore_index", kNoClass}}), "loss"));
}

// Features of nodes: noise around the mean of the node's class, which most neighbours share.
HostTensor featuresOf(const DrawnGraph& drawn, int64_t features, int64_t classes, uint64_t seed) {
  HostTensor x = uniformTensor({drawn.nodes, features}, seed);
  auto values = x.mutableValues<float>();
  for (int64_t i = 0; i < drawn.nodes; ++i)
    if (const int64_t c = drawn.part[std::size_t(i)]; c >= 0)
      values[std::size_t(i * features + c % std::min(features, classes))] += 0.5f;
  return x;
}

std::map<std::string, HostTensor> gnnBatch(const GnnShape& s, int64_t molecules, uint64_t seed) {
  const bool isPacked = s.form == "packed";
  // A full graph is the same in every batch; the blocks of a clustered graph differ.
  const uint64_t graphSeed = s.form == "full" ? seed / 100'000 : seed;
  const DrawnGraph drawn = isPacked ? packedMolecules(s.nodes, s.edges, molecules, graphSeed)
                                    : drawnCommunities(s.nodes, s.edges, s.classes, graphSeed);
  std::map<std::string, HostTensor> batch{{"from", HostTensor::of<int32_t>({s.edges}, drawn.from)},
                                          {"to", HostTensor::of<int32_t>({s.edges}, drawn.to)}};
  batch["x"] = featuresOf(drawn, s.features, s.classes, graphSeed);
  if (s.edgeFeatures) batch["edgeFeatures"] = uniformTensor({s.edges, s.edgeFeatures}, graphSeed + 1);
  std::vector<int32_t> labels;
  if (isPacked) {
    batch["molecule"] = HostTensor::of<int32_t>({s.nodes}, drawn.part);
    std::vector<int64_t> atoms(std::size_t(molecules), 0);
    for (const int32_t part : drawn.part) ++atoms[std::size_t(part)];
    for (int64_t m = 0; m < molecules; ++m) // the class is given by the size; the last molecule is padding
      labels.push_back(int32_t(m + 1 < molecules && atoms[std::size_t(m)] ? atoms[std::size_t(m)] % s.classes : kNoClass));
  } else {
    for (const int32_t part : drawn.part) labels.push_back(part < 0 ? int32_t(kNoClass) : part);
  }
  batch["labels"] = HostTensor::of<int32_t>({int64_t(labels.size())}, labels);
  return batch;
}

graph::Workload buildGnn(const Parameters& p, const BuildOptions& o) {
  GnnShape s;
  s.kind = p.choice("model");
  s.form = p.choice("graph");
  s.nodes = p.integer("nodes", 2, 1 << 20);
  s.edges = p.integer("edges", 1, 1 << 24);
  s.features = p.integer("features", 1, 1 << 14);
  s.hidden = p.integer("hidden", 1, 1 << 14);
  s.layers = p.integer("layers", 1, 64);
  s.classes = p.integer("classes", 2, 1 << 14);
  s.edgeFeatures = p.integer("edge-features", 0, 1 << 12);
  const int64_t molecules = p.integer("molecules", 2, 1 << 16);
  if (s.kind == "gcn" && s.edgeFeatures)
    throw reports::Error(reports::ErrorCode::InvalidInput, "GCN has no edge features", reports::option("set") + " edge-features",
                         "choose model=gin or model=sage");
  Network net("gnn", uint64_t(o.seed) + 91);
  model::GraphBuilder& g = net.graph();
  std::string x = net.input("x", ElementType::Float, {s.nodes, s.features});
  Messages m(net, s.nodes, s.edges);
  const std::string edges = s.edgeFeatures ? net.input("edgeFeatures", ElementType::Float, {s.edges, s.edgeFeatures}) : "";
  std::string weights;
  if (s.kind == "gcn") // a node is its own neighbour
    weights = g.add("Reciprocal", {g.add("Sqrt", {m.degrees("degrees", 1)}, {}, "degrees/root")}, {}, "degrees/weights");
  if (s.kind == "sage")
    weights = g.add("Max", {m.degrees("degrees", 0), g.number(1, ElementType::Float)}, {}, "degrees/atLeastOne");
  for (int64_t i = 0; i < s.layers; ++i) {
    const std::string name = fmt::format("layer{}", i);
    const bool isLast = i + 1 == s.layers && s.form != "packed";
    const int64_t out = isLast ? s.classes : s.hidden;
    x = s.kind == "gin"   ? ginLayer(net, m, name, x, edges, out)
        : s.kind == "gcn" ? gcnLayer(net, m, name, x, weights, out)
                          : sageLayer(net, m, name, x, edges, weights, out);
    if (!isLast) x = net.relu(name + "/activation", x);
  }
  if (s.form == "packed") {
    const std::string molecule = net.input("molecule", ElementType::Int32, {s.nodes});
    x = net.linear("head", m.sums("readout", x, molecule, molecules), s.classes);
    lossOfKnown(net, x, net.input("labels", ElementType::Int32, {molecules}));
  } else {
    lossOfKnown(net, x, net.input("labels", ElementType::Int32, {s.nodes}));
  }
  graph::Workload load = workloadOf(net, p, o, [&](int64_t i) { return gnnBatch(s, molecules, uint64_t(o.seed * 100'000 + i)); });
  load.title = fmt::format("{} of {} with {} nodes and {} edges{}",
                           s.kind == "gin"   ? "GIN"
                           : s.kind == "gcn" ? "GCN"
                                             : "GraphSAGE",
                           reports::counted(s.layers, "layer"), s.nodes, s.edges,
                           s.form == "packed"    ? ", packed molecules"
                           : s.form == "cluster" ? ", a block of a clustered graph per batch"
                                                 : "");
  return load;
}

// ---- SchNet ----------------------------------------------------------------------------------------------------------------

struct SchnetShape {
  int64_t nodes, edges, molecules, hidden, filters, gaussians, blocks;
  double cutoff;
};

// log(0.5 e^x + 0.5)
std::string shiftedSoftplus(Network& net, const std::string& name, const std::string& x) {
  model::GraphBuilder& g = net.graph();
  return g.add("Sub", {g.add("Softplus", {x}, {}, name), g.number(std::log(2.0), ElementType::Float)}, {}, name + "/shift");
}

std::string withoutBias(Network& net, const std::string& name, const std::string& x, int64_t out) {
  const int64_t in = net.graph().shape(x)[1];
  return net.graph().add("MatMul", {x, net.parameter(name + ".weight", {in, out}, in)}, {}, name);
}

// Schütt et al. 2018: a filter computed from the distance multiplies the messages of the neighbours.
std::string interaction(Network& net, Messages& m, const std::string& name, const std::string& x, const std::string& spread,
                        const std::string& fade, const SchnetShape& s) {
  const std::string wide = shiftedSoftplus(net, name + "/filter/act", net.linear(name + "/filter/first", spread, s.filters));
  const std::string filter = op(net, "Mul", net.linear(name + "/filter/second", wide, s.filters), fade, name + "/filter/cutoff");
  const std::string said = m.ofSenders(name + "/gather", withoutBias(net, name + "/in", x, s.filters));
  const std::string sum = m.atReceivers(name + "/aggregate", op(net, "Mul", said, filter, name + "/message"));
  const std::string y = shiftedSoftplus(net, name + "/act", net.linear(name + "/out", sum, s.hidden));
  return net.sum(name + "/residual", x, net.linear(name + "/last", y, s.hidden));
}

graph::Workload buildSchnet(const Parameters& p, const BuildOptions& o) {
  SchnetShape s;
  s.nodes = p.integer("atoms", 2, 1 << 18);
  s.edges = p.integer("edges", 1, 1 << 22);
  s.molecules = p.integer("molecules", 2, 1 << 14);
  s.hidden = p.integer("hidden", 1, 1 << 12);
  s.filters = p.integer("filters", 1, 1 << 12);
  s.gaussians = p.integer("gaussians", 2, 1 << 12);
  s.blocks = p.integer("blocks", 1, 64);
  s.cutoff = p.number("cutoff", 0.1, 100);
  Network net("schnet", uint64_t(o.seed) + 97);
  model::GraphBuilder& g = net.graph();
  const std::string kinds = net.input("kinds", ElementType::Int32, {s.nodes}),
                    positions = net.input("positions", ElementType::Float, {s.nodes, 3});
  Messages m(net, s.nodes, s.edges);
  const auto number = [&](double v) { return g.number(v, ElementType::Float); };
  const std::string apart = op(net, "Sub", m.ofSenders("distance/senders", positions),
                               m.ofReceivers("distance/receivers", positions), "distance/apart");
  const std::string square = g.add("ReduceSumSquare", {apart}, attributes({{"axes", Integers{1}}}), "distance/square");
  const std::string distance = g.add("Sqrt", {g.add("Add", {square, number(1e-6)}, {}, "distance/least")}, {}, "distance");
  std::vector<float> centres;
  for (int64_t i = 0; i < s.gaussians; ++i) centres.push_back(float(s.cutoff * double(i) / double(s.gaussians - 1)));
  const double width = s.cutoff / double(s.gaussians - 1);
  const std::string from =
      op(net, "Sub", distance, net.fixed("centres", HostTensor::of<float>({1, s.gaussians}, centres)), "spread/sub");
  const std::string spread =
      g.add("Exp",
            {g.add("Mul", {g.add("Mul", {from, from}, {}, "spread/square"), number(-0.5 / (width * width))}, {}, "spread/scale")},
            {}, "spread");
  const std::string angle = g.add("Mul", {distance, number(M_PI / s.cutoff)}, {}, "cutoff/angle");
  const std::string fade =
      g.add("Add", {g.add("Mul", {g.add("Cos", {angle}, {}, "cutoff/cos"), number(0.5)}, {}, "cutoff/half"), number(0.5)}, {},
            "cutoff");
  constexpr int64_t kKinds = 10; // chemical elements
  std::string x = net.embedding("kinds/embedding", net.parameter("kinds.weight", {kKinds, s.hidden}, kKinds), kinds);
  for (int64_t i = 0; i < s.blocks; ++i) x = interaction(net, m, fmt::format("block{}", i), x, spread, fade, s);
  const std::string half = shiftedSoftplus(net, "head/act", net.linear("head/first", x, std::max<int64_t>(1, s.hidden / 2)));
  const std::string molecule = net.input("molecule", ElementType::Int32, {s.nodes});
  const std::string energies = m.sums("readout", net.linear("head/second", half, 1), molecule, s.molecules);
  // The last molecule is padding, so its energy does not enter the loss.
  const std::string target = net.input("energies", ElementType::Float, {s.molecules, 1}),
                    isReal = net.input("isMolecule", ElementType::Float, {s.molecules, 1});
  net.squaredErrorOf(op(net, "Mul", energies, isReal, "head/mask"), target);
  graph::Workload load = workloadOf(net, p, o, [&](int64_t i) {
    const DrawnGraph drawn = packedAtoms(s.nodes, s.edges, s.molecules, s.cutoff, uint64_t(o.seed * 100'000 + i));
    std::vector<int32_t> elements;
    std::vector<float> energy(std::size_t(s.molecules), 0.0f), real(std::size_t(s.molecules), 0.0f);
    for (int64_t a = 0; a < s.nodes; ++a) {
      elements.push_back(int32_t(1 + a % 4));
      const auto part = std::size_t(drawn.part[std::size_t(a)]);
      if (int64_t(part) + 1 < s.molecules) energy[part] += 0.05f * float(1 + a % 4), real[part] = 1;
    }
    return std::map<std::string, HostTensor>{{"kinds", HostTensor::of<int32_t>({s.nodes}, elements)},
                                             {"positions", HostTensor::of<float>({s.nodes, 3}, drawn.positions)},
                                             {"from", HostTensor::of<int32_t>({s.edges}, drawn.from)},
                                             {"to", HostTensor::of<int32_t>({s.edges}, drawn.to)},
                                             {"molecule", HostTensor::of<int32_t>({s.nodes}, drawn.part)},
                                             {"energies", HostTensor::of<float>({s.molecules, 1}, energy)},
                                             {"isMolecule", HostTensor::of<float>({s.molecules, 1}, real)}};
  });
  load.title = fmt::format("SchNet, {}, {} atoms, {} pairs within {:g} angstrom", reports::counted(s.blocks, "block"), s.nodes,
                           s.edges, s.cutoff);
  return load;
}

void addTraining(Sample& s, const std::string& rate) {
  for (Parameter& parameter : trainingParameters("adam", rate)) s.parameters.push_back(std::move(parameter));
  s.distributes = true;
}

} // namespace

Sample gnn() {
  Sample s;
  s.name = "gnn";
  s.title = "Graph network in training";
  s.text =
      "A node sums the rows of its neighbours, and dense layers transform the sum. Each layer gathers a row per edge by the "
      "number of its "
      "sender and adds it at its receiver, by rows (multiSlice, multiUpdateAdd); look at these steps beside the products: in the "
      "default they take about three quarters of the products' cycles. model=gcn weighs a row by the degrees of both ends, "
      "model=sage "
      "takes the mean. Sizes are fixed before the run, so graph=packed fills a batch with whole molecules and pads it, and "
      "graph=cluster "
      "takes another block of a clustered graph each time; padding costs as much as data.";
  s.lesson = {{"tilescope:?view=operations&set.picture=cycles&set.rows=all",
               "The sums over neighbours (aggregate), one per layer, take the most cycles."},
              {"tilescope:?view=liveness&set.tab=notAlways",
               "The peak is in a sum over neighbours: its partial sums are as large as the rows that the tiles receive."},
              {"tilescope:?view=insights&set.list=findings",
               "Waiting for the host is the costliest finding: each byte that arrives brings little work."}};
  s.parameters = {{"model", "gin", "gin, gcn or sage (with the mean of the neighbours)", {"gin", "gcn", "sage"}},
                  {"graph",
                   "full",
                   "full: one graph; packed: molecules packed into a batch, classified one by one; cluster: another block of a "
                   "clustered graph in each batch",
                   {"full", "packed", "cluster"}},
                  {"nodes", "256", "nodes; the last one is padding"},
                  {"edges", "1024", "edges; unused ones connect the padding node with itself"},
                  {"features", "64", "features of a node"},
                  {"hidden", "64", "width of the layers"},
                  {"layers", "2", "layers"},
                  {"classes", "16", "classes of nodes or molecules"},
                  {"edge-features", "0", "features of an edge; 0: none"},
                  {"molecules", "16", "graph=packed: molecules of a batch; the last one is padding"}};
  addTraining(s, "0.01");
  s.build = buildGnn;
  s.variant = {"tuned",
               {{"optimiser", "sgd"}, {"momentum", "0"}, {"lr", "0.1"}},
               "Plain SGD instead of Adam: the update of small layers is a few vertices with many fields, and no moments are "
               "kept. Cycles fall.",
               "cycles"};
  return s;
}

Sample schnet() {
  Sample s;
  s.name = "schnet";
  s.title = "SchNet in training";
  s.text = "The energy of molecules from the positions of their atoms. The host finds the pairs within the cutoff (the radius "
           "graph); the machine computes their distances, spreads each over 50 gaussians, and computes from these a filter, by "
           "which the row of the neighbour is multiplied. Work is per pair, and there are 16 pairs per atom: look at the "
           "filter's two dense layers, which are most of the FLOPs, and at the rows gathered and added around them.";
  s.lesson = {{"tilescope:?view=operations&set.picture=cycles&set.rows=kind",
               "Products (Gemm) take the most cycles. Sums of gradients and sums over neighbours (ScatterND) follow."},
              {"tilescope:?view=operations&set.picture=cycles&set.rows=all",
               "The costliest single operation is the cosine of the cutoff: one number for each pair of atoms."},
              {"tilescope:?view=program&set.list=steps",
               "Six functions are called thirteen times: the blocks are equal, forwards and backwards."},
              {"tilescope:?view=insights&set.list=findings",
               "Exchange is the costliest finding: every block sends a row for each pair to its receiver."}};
  s.parameters = {{"atoms", "512", "atoms of a batch; the last one is padding"},
                  {"edges", "8192", "pairs of neighbours of a batch; unused ones connect the padding atom with itself"},
                  {"molecules", "32", "molecules of a batch; the last one is padding"},
                  {"hidden", "64", "width of an atom's row"},
                  {"filters", "64", "width of the filters"},
                  {"gaussians", "50", "gaussians that a distance is spread over"},
                  {"blocks", "4", "interaction blocks"},
                  {"cutoff", "6", "angstrom within which atoms are neighbours"}};
  addTraining(s, "0.001");
  s.build = buildSchnet;
  s.variant = {"tuned",
               {{"cutoff", "4"}, {"edges", "4096"}},
               "A shorter cutoff needs half of the pairs, and the work is per pair: gathered rows, filters and sums shrink with "
               "them. Cycles fall.",
               "cycles"};
  return s;
}

} // namespace simcore::samples
