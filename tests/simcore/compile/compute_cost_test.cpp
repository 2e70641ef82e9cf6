#include "reports/core/error.h"
#include "simcore/compile/compute_cost.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using namespace simcore::graph;

namespace {

// Vertices with one field whose size is the number of worker cycles; counts the calls of the estimate.
struct CountedWorld {
  std::shared_ptr<int> asked = std::make_shared<int>(0);
  Graph graph{arch::tinyMachine(4)};
  ComputeSetId set;
  Tensor x;

  CountedWorld() {
    Codelet c;
    c.name = "Size";
    c.fields = {{"x", FieldDirection::Input}};
    c.cycles = [n = asked](const auto& sizes) {
      ++*n;
      return sizes.at("x");
    };
    graph.addCodelet(std::move(c));
    x = graph.addVariable(ElementType::Float, {1000}, "x");
    graph.mapTensorLinearly(x);
    set = graph.addComputeSet("set");
  }
  VertexRef vertex(int64_t size, std::size_t tile) {
    const VertexRef v = graph.addVertex(set, "Size", {{"x", x.slice(0, size)}});
    graph.setTileMapping(v, TileId(tile));
    return v;
  }
  compile::ComputeCost cost() const { return compile::costOf(graph, graph.computeSet(set)); }
};

} // namespace

class ComputeCostTest : public QObject {
  Q_OBJECT
private slots:
  void sixWorkersShareATile() {
    CountedWorld w;
    for (int i = 0; i < 7; ++i) w.vertex(10, 1); // two rounds of six slots
    const auto c = w.cost();
    QCOMPARE(c.cycles.at(1), int64_t(2 * 6 * 10));
    QCOMPARE(c.cycles.activeTiles(), int64_t(1));
    QCOMPARE(c.workerCycles, int64_t(70));
    QCOMPARE(c.vertices, int64_t(7));
    QCOMPARE(c.edges, int64_t(7));
    QCOMPARE(c.types.size(), std::size_t(1));
    QCOMPARE(c.types[0].count.at(1), int64_t(7));
    QCOMPARE(c.types[0].cycles, int64_t(70));
  }

  void verticesMayComeInAnyOrderOfTiles() {
    CountedWorld w;
    for (int i = 0; i < 12; ++i) w.vertex(10 + i % 3, std::size_t(3 - i % 4));
    const auto c = w.cost();
    QCOMPARE(c.cycles.activeTiles(), int64_t(4));
    QCOMPARE(c.types[0].count.sum(), int64_t(12));
    for (int64_t t = 0; t < 4; ++t) QCOMPARE(c.types[0].count.at(t), int64_t(3));
  }

  void equalVerticesAreEstimatedOnce() {
    CountedWorld w;
    for (int i = 0; i < 1000; ++i) w.vertex(1 + i % 5, std::size_t(i % 4));
    w.cost();
    QCOMPARE(*w.asked, 5);
  }

  void aGivenEstimateWinsForItsVertexOnly() {
    CountedWorld w;
    w.graph.setPerfEstimate(w.vertex(10, 0), 500);
    w.vertex(10, 1);
    w.graph.setPerfEstimate(w.vertex(10, 2), 7);
    const auto c = w.cost();
    QCOMPARE(c.cycles.at(0), int64_t(6 * 500));
    QCOMPARE(c.cycles.at(1), int64_t(6 * 10));
    QCOMPARE(c.cycles.at(2), int64_t(6 * 7));
  }

  // A stop request while millions of vertices are priced does not wait for the last vertex.
  void pricingCanBeStopped() {
    CountedWorld w;
    std::stop_source stop;
    Codelet c;
    c.name = "Stops";
    c.fields = {{"x", FieldDirection::Input}};
    c.state = {"n"};
    c.cycles = [&](const auto&) {
      stop.request_stop();
      return ++*w.asked;
    };
    w.graph.addCodelet(c);
    constexpr int kVertices = 20'000;
    for (int i = 0; i < kVertices; ++i) { // all of them different
      const VertexRef v = w.graph.addVertex(w.set, "Stops", {{"x", w.x.slice(0, 1)}});
      w.graph.setTileMapping(v, TileId(0));
      w.graph.setInitialValue(v, "n", i);
    }
    QVERIFY_EXCEPTION_THROWN(compile::costOf(w.graph, w.graph.computeSet(w.set), stop.get_token()), reports::Error);
    QVERIFY2(*w.asked < kVertices / 2, std::to_string(*w.asked).c_str());
  }

  void aVertexOnNoTileIsAnError() {
    CountedWorld w;
    w.graph.addVertex(w.set, "Size", {{"x", w.x}});
    QVERIFY_EXCEPTION_THROWN(w.cost(), reports::Error);
  }
};

TILESCOPE_TEST(ComputeCostTest)
#include "compute_cost_test.moc"
