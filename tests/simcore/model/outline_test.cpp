// Layers that repeat, and where the search for them ends: it tries every length at every node of what may be a hostile file.
#include "simcore/model/graph/graph_builder.h"
#include "simcore/model/lowering/outline.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <numeric>

using namespace simcore::model;

namespace {

// Two layers of `nodes` nodes each; the nodes of a layer all differ.
std::vector<RepeatedLayers> twoLayersOf(int nodes) {
  Graph graph;
  GraphBuilder builder(graph);
  std::string x = builder.input("x", simcore::numerics::ElementType::Float, {2});
  for (int layer = 0; layer < 2; ++layer)
    for (int n = 0; n < nodes; ++n) x = builder.add("LeakyRelu", {x}, attributes({{"alpha", 0.001f * float(n + 1)}}));
  builder.output(x);
  std::vector<std::size_t> all(graph.nodes.size());
  std::iota(all.begin(), all.end(), 0);
  return repeatedLayers(graph, all);
}

} // namespace

class OutlineTest : public QObject {
  Q_OBJECT
private slots:
  void layersAreFound() {
    const auto found = twoLayersOf(1000);
    QCOMPARE(found.size(), std::size_t(1));
    QCOMPARE(found[0].layers.size(), std::size_t(2));
    QCOMPARE(found[0].layers[0].nodes.size(), std::size_t(1000));
  }
  // Layers that differ in the last bit of a float must not share a function.
  void signaturesCompareFloatsBitByBit() {
    Graph graph;
    GraphBuilder builder(graph);
    const std::string x = builder.input("x", simcore::numerics::ElementType::Float, {2});
    const float alpha = 0.1f, next = std::nextafter(alpha, 1.0f);
    for (const float value : {alpha, next, alpha}) builder.add("LeakyRelu", {x}, attributes({{"alpha", value}}));
    QVERIFY(nodeSignature(graph, graph.nodes[0]) != nodeSignature(graph, graph.nodes[1]));
    QCOMPARE(nodeSignature(graph, graph.nodes[0]), nodeSignature(graph, graph.nodes[2]));
  }
  // An unrolled loop: every step reads its own index, so no layer length fits, although each seems to at first.
  void stepsThatReadTheirOwnPlace() {
    Graph graph;
    GraphBuilder builder(graph);
    constexpr std::int64_t kSteps = 1500;
    const std::string all = builder.input("x", simcore::numerics::ElementType::Float, {kSteps, 2});
    std::string hidden = builder.input("h", simcore::numerics::ElementType::Float, {1, 2});
    for (std::int64_t t = 0; t < kSteps; ++t) {
      const std::string place =
          builder.constant("t" + std::to_string(t), simcore::numerics::HostTensor::vector(simcore::numerics::Shape{t}));
      const std::string step = builder.add("Gather", {all, place}, attributes({{"axis", std::int64_t(0)}}));
      hidden = builder.add("Tanh", {builder.add("Add", {builder.add("Mul", {hidden, hidden}), step})});
    }
    builder.output(hidden);
    std::vector<std::size_t> nodes(graph.nodes.size());
    std::iota(nodes.begin(), nodes.end(), 0);
    QCOMPARE(repeatedLayers(graph, nodes).size(), std::size_t(0));
  }
  void noLayerIsAsLongAsThis() { QCOMPARE(twoLayersOf(1100).size(), std::size_t(0)); }
};

TILESCOPE_TEST(OutlineTest)
#include "outline_test.moc"
