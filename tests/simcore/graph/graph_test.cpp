#include "reports/core/error.h"
#include "simcore/graph/graph.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using namespace simcore::graph;

class GraphTest : public QObject {
  Q_OBJECT
private slots:
  void theLastMappingWins() {
    Graph g(arch::tinyMachine(8));
    const Tensor t = g.addVariable(ElementType::Float, {10}, "t");
    QVERIFY(!g.variable(VariableId(0)).mapped());
    for (std::size_t tile = 0; tile < 8; ++tile) g.setTileMapping(t, TileId(tile));
    g.setTileMapping(t.slice(2, 5), TileId(1));
    g.setTileMapping(t.slice(4, 7), TileId(2));
    const auto mapping = g.getTileMapping(t);
    QCOMPARE(mapping[1], (std::vector<Interval>{{2, 4}}));
    QCOMPARE(mapping[2], (std::vector<Interval>{{4, 7}}));
    QCOMPARE(mapping[7], (std::vector<Interval>{{0, 2}, {7, 10}}));
    QVERIFY(g.variable(VariableId(0)).mapped());
    QCOMPARE(g.variable(VariableId(0)).bytesByTile().sum(), int64_t(40));
  }

  void mappingOfAViewIsInTheViewsOrder() {
    Graph g(arch::tinyMachine(4));
    const Tensor t = g.addVariable(ElementType::Float, {2, 2}, "t");
    for (std::size_t i = 0; i < 4; ++i) g.setTileMapping(t.flatten().slice(int64_t(i), int64_t(i) + 1), TileId(i));
    QCOMPARE(g.getTileMapping(t.transpose())[2], (std::vector<Interval>{{1, 2}}));
  }

  void linearMappingKeepsVectorsWholeAndFillsTilesFirst() {
    Graph g(arch::tinyMachine(16));
    const Tensor small = g.addVariable(ElementType::Float, {40}, "small"),
                 large = g.addVariable(ElementType::Float, {1000}, "large");
    g.mapTensorLinearly(small);
    g.mapTensorLinearly(large);
    // At least 128 bytes a tile: 40 floats fit on two tiles (poputil's rule, ipu-reference 8).
    QCOMPARE(g.variable(VariableId(0)).bytesByTile().activeTiles(), int64_t(2));
    QCOMPARE(g.variable(VariableId(1)).bytesByTile().activeTiles(), int64_t(16));
    QCOMPARE(g.variable(VariableId(1)).bytesByTile().max() % 8, int64_t(0));
    QCOMPARE(g.variable(VariableId(1)).bytesByTile().sum(), int64_t(4000));
  }

  void mistakesNameTheObject() {
    Graph g(arch::tinyMachine(4));
    const Tensor t = g.addVariable(ElementType::Float, {4}, "weights");
    try {
      g.setTileMapping(t, TileId(4));
      QFAIL("tile 4 of 4 was accepted");
    } catch (const reports::Error& e) {
      QVERIFY(std::string(e.what()).find("weights") != std::string::npos);
      QVERIFY(std::string(e.what()).find("0 to 3") != std::string::npos);
    }
    QVERIFY_THROWS_EXCEPTION(reports::Error, g.addVertex(g.addComputeSet("cs"), "Nothing"));
    Codelet c;
    c.name = "C";
    c.fields = {{"in", FieldDirection::Input}};
    g.addCodelet(c);
    QVERIFY_THROWS_EXCEPTION(reports::Error, g.addVertex(g.addComputeSet("cs"), "C", {{"out", t}}));
  }
};

TILESCOPE_TEST(GraphTest)
#include "graph_test.moc"
