// Networks as exporters write them cost what the samples of the same networks cost: layers of torch_geometric (edges as rows of one
// tensor, an index that is expanded to all columns, weights for each edge) and a block of Llama as transformers writes it.
#include "simcore/compile/compiler.h"
#include "simcore/fusion/fusion.h"
#include "simcore/model/graph/graph_builder.h"
#include "simcore/model/lowering/lowering.h"
#include "simcore/run/engine.h"
#include "tests/simcore/samples/sample_run.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace simcore;
using model::attributes;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;
using tests::Settings;
using Integers = std::vector<std::int64_t>;

namespace {

// Cycles without the host's of the operations whose names begin so.
std::int64_t cyclesOf(const tests::RowCollector& rows, const std::vector<std::string>& beginnings) {
  std::int64_t cycles = 0;
  for (const auto& row : rows.rows<reports::OperationRow>())
    for (const std::string& beginning : beginnings)
      if (row.name.starts_with(beginning)) cycles += row.computeCycles + row.exchangeCycles + row.syncCycles;
  return cycles;
}

struct Exported {
  Exported() : g(model.graph) { model.file = "exported"; }

  std::string input(const std::string& name, ElementType type, const Shape& shape) {
    model.inputTypes[name] = {type, shape};
    return g.input(name, type, shape);
  }
  std::string weight(const Shape& shape) {
    return g.constant("weight", HostTensor::deferred(ElementType::Float, shape,
                                                     [shape] { return HostTensor::full(ElementType::Float, shape, 0.01); }));
  }
  std::string filled(double value, const Shape& shape) {
    return g.constant("filled", HostTensor::full(ElementType::Float, shape, value));
  }
  std::string number(double value) { return filled(value, {}); }
  std::string op(const char* type, const std::string& a, const std::string& b) { return g.add(type, {a, b}); }
  std::string gathered(const std::string& x, const std::string& rows) {
    return g.add("Gather", {x, rows}, attributes({{"axis", std::int64_t(0)}}));
  }
  std::string scattered(const std::string& into, const std::string& index, const std::string& values) {
    return g.add("ScatterElements", {into, index, values},
                 attributes({{"axis", std::int64_t(0)}, {"reduction", std::string("add")}}));
  }
  std::string linear(const std::string& x, std::int64_t out, bool bias = true) {
    const std::string w = weight({out, g.shape(x).back()});
    return bias ? g.add("Gemm", {x, w, weight({out})}, attributes({{"transB", std::int64_t(1)}}))
                : op("MatMul", x, weight({g.shape(x).back(), out}));
  }
  std::int64_t deviceCycles() {
    model::fuse(model, {});
    const auto workload = model::lower(model, arch::findMachine("gc200", 1));
    run::SimulateOptions options;
    options.engine.numbers = false;
    tests::RowCollector rows;
    run::HostTimeline timeline("test");
    reports::NoProgress quiet;
    run::simulate(workload, options, rows, timeline, {}, quiet);
    return cyclesOf(rows, {""});
  }

  model::Model model;
  model::GraphBuilder g;
};

constexpr std::int64_t kNodes = 256, kEdges = 1024, kWidth = 64, kClasses = 16;

// Layers as torch_geometric's message passing writes them.
struct GraphLayers : Exported {
  GraphLayers() {
    x = input("x", ElementType::Float, {kNodes, kWidth});
    const std::string edges = input("edge_index", ElementType::Int64, {2, kEdges});
    for (std::int64_t i = 0; i < 2; ++i) ends[i] = gathered(edges, g.constant("end", HostTensor::scalar(i)));
  }
  // scatter(values, index): the index is expanded to all columns.
  std::string sums(const std::string& values, const std::string& index) {
    const std::int64_t width = g.shape(values)[1];
    const std::string wide = g.expand(g.reshape(index, {g.shape(index)[0], 1}), {g.shape(index)[0], width});
    return scattered(filled(0, {kNodes, width}), wide, values);
  }
  std::string gin(const std::string& h, std::int64_t out) {
    const std::string sum = op("Add", sums(gathered(h, ends[0]), ends[1]), op("Mul", h, number(1)));
    return linear(g.add("Relu", {linear(sum, out)}), out);
  }
  // gcn_norm() is called in every layer.
  std::string gcn(const std::string& h, std::int64_t out) {
    Integers own;
    for (std::int64_t i = 0; i < kNodes; ++i) own.push_back(i);
    const auto withSelf = [&](const std::string& end) {
      return g.add("Concat", {end, g.constant("loop", HostTensor::vector(own))}, attributes({{"axis", std::int64_t(0)}}));
    };
    const std::string row = withSelf(ends[0]), column = withSelf(ends[1]), ones = filled(1, {kEdges + kNodes});
    const std::string root = op("Pow", scattered(filled(0, {kNodes}), column, ones), number(-0.5));
    const std::string isInfinite = op("Equal", root, number(INFINITY));
    const std::string degree = g.add("Where", {isInfinite, number(0), root});
    const std::string weights = op("Mul", op("Mul", gathered(degree, row), ones), gathered(degree, column));
    const std::string messages = op("Mul", g.reshape(weights, {kEdges + kNodes, 1}), gathered(linear(h, out, false), row));
    return op("Add", sums(messages, column), weight({out}));
  }
  std::string sage(const std::string& h, std::int64_t out) {
    const std::string count = g.add("Clip", {scattered(filled(0, {kNodes}), ends[1], filled(1, {kEdges})), number(1)});
    const std::string mean = op("Div", sums(gathered(h, ends[0]), ends[1]), g.reshape(count, {kNodes, 1}));
    return op("Add", linear(mean, out), linear(h, out, false));
  }

  std::string x, ends[2];
};

std::int64_t cyclesOfLayers(const std::string& kind) {
  GraphLayers net;
  std::string h = net.x;
  for (int layer = 0; layer < 2; ++layer) {
    const std::int64_t out = layer == 0 ? kWidth : kClasses;
    h = kind == "gin" ? net.gin(h, out) : kind == "gcn" ? net.gcn(h, out) : net.sage(h, out);
    if (layer == 0) h = net.g.add("Relu", {h});
  }
  const std::string labels = net.input("labels", ElementType::Int64, {kNodes});
  net.g.output(net.g.add("SoftmaxCrossEntropyLoss", {h, labels}));
  return net.deviceCycles();
}

// A block of Llama with cached keys and values that decodes one token.
struct LlamaBlock : Exported {
  static constexpr std::int64_t kHidden = 512, kHeads = 8, kGroups = 2, kHead = kHidden / kHeads, kCached = 127, kInner = 1408;

  std::string norm(const std::string& h) {
    const std::string mean = g.reduce("ReduceMean", op("Pow", h, number(2)), {-1}, true);
    const std::string root = g.add("Sqrt", {op("Add", mean, number(1e-6))});
    return op("Mul", filled(1, {kHidden}), op("Mul", h, op("Div", number(1), root)));
  }
  std::string heads(const std::string& h, std::int64_t count) {
    return g.transpose(g.reshape(linear(h, count * kHead, false), {1, 1, count, kHead}), {0, 2, 1, 3});
  }
  // x cos + rotate_half(x) sin.
  std::string turned(const std::string& h, const std::string& cosines, const std::string& sines) {
    const auto halves =
        g.addMany("Split", {h, g.integers({kHead / 2, kHead / 2})}, attributes({{"axis", std::int64_t(3)}}), {true, true});
    const std::string swapped = g.add("Concat", {g.add("Neg", {halves[1]}), halves[0]}, attributes({{"axis", std::int64_t(3)}}));
    return op("Add", op("Mul", h, cosines), op("Mul", swapped, sines));
  }
  // The cache with the new token, and the same repeated for every head of a group.
  std::string repeated(const char* name, const std::string& made) {
    const std::string cache = input(name, ElementType::Float, {1, kGroups, kCached, kHead});
    const std::string all = g.add("Concat", {cache, made}, attributes({{"axis", std::int64_t(2)}}));
    g.output(all);
    const std::string apart = g.add("Unsqueeze", {all, g.integers({2})});
    return g.reshape(g.expand(apart, {1, kGroups, kHeads / kGroups, kCached + 1, kHead}), {1, kHeads, kCached + 1, kHead});
  }
  std::int64_t cycles() {
    const std::string x = input("x", ElementType::Float, {1, 1, kHidden}),
                      position = input("position", ElementType::Int64, {1, 1});
    const std::string cosines = g.reshape(gathered(weight({2048, kHead}), position), {1, 1, 1, kHead}),
                      sines = g.reshape(gathered(weight({2048, kHead}), position), {1, 1, 1, kHead});
    const std::string h = norm(x);
    const std::string q = turned(heads(h, kHeads), cosines, sines), k = turned(heads(h, kGroups), cosines, sines);
    const std::string keys = repeated("keys", k), values = repeated("values", heads(h, kGroups));
    std::string scores = op("Div", op("MatMul", q, g.transpose(keys, {0, 1, 3, 2})), number(std::sqrt(double(kHead))));
    scores = op("Add", scores, input("mask", ElementType::Float, {1, 1, 1, kCached + 1}));
    const std::string p = g.add("Softmax", {scores}, attributes({{"axis", std::int64_t(-1)}}));
    const std::string same = g.add("Cast", {p}, attributes({{"to", std::int64_t(1)}})); // softmax(dtype=float32).to(query.dtype)
    const std::string joined = g.reshape(g.transpose(op("MatMul", same, values), {0, 2, 1, 3}), {1, 1, kHidden});
    const std::string y = op("Add", x, linear(joined, kHidden, false)), inner = norm(y);
    const std::string gate = linear(inner, kInner, false);
    const std::string wide = op("Mul", op("Mul", gate, g.add("Sigmoid", {gate})), linear(inner, kInner, false));
    g.output(op("Add", y, linear(wide, kHidden, false)));
    return deviceCycles();
  }
};

void compareCycles(std::int64_t exported, std::int64_t sample) {
  const double off = 100 * (double(exported) / double(sample) - 1);
  const QString text = QString("exported %1, sample %2 cycles: %3 %").arg(exported).arg(sample).arg(off, 0, 'f', 1);
  qInfo("%s", qPrintable(text));
  QVERIFY2(std::abs(off) <= 10, qPrintable(text));
}

} // namespace

class ExportedNetworksTest : public QObject {
  Q_OBJECT
private slots:
  void graphNetworks_data() {
    QTest::addColumn<QString>("kind");
    for (const char* kind : {"gin", "gcn", "sage"}) QTest::newRow(kind) << kind;
  }
  void graphNetworks() {
    QFETCH(QString, kind);
    const Settings settings{{"model", kind.toStdString()}, {"training", "0"}};
    compareCycles(cyclesOfLayers(kind.toStdString()), cyclesOf(tests::runSample("gnn", settings)->rows, {""}));
  }

  void llamaBlock() {
    const auto sample = tests::runSample("llm", {{"layers", "1"}, {"prompt", "127"}, {"part", "127"}, {"tokens", "1"}});
    compareCycles(LlamaBlock().cycles(), cyclesOf(sample->rows, {"llm/token/layer0", "llm/token/cosines", "llm/token/sines"}));
  }
};

TILESCOPE_TEST(ExportedNetworksTest)
#include "exported_networks_test.moc"
