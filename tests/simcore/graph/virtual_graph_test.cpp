#include "reports/core/error.h"
#include "simcore/graph/graph.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using namespace simcore::graph;
using tests::errorOf;

namespace {
std::vector<int64_t> tilesOf(const Graph& g, const Tensor& t) {
  std::vector<int64_t> tiles;
  const auto mapping = g.getTileMapping(t);
  for (std::size_t tile = 0; tile < mapping.size(); ++tile)
    if (!mapping[tile].empty()) tiles.push_back(int64_t(tile));
  return tiles;
}
} // namespace

class VirtualGraphTest : public QObject {
  Q_OBJECT
private slots:
  void aRangeCountsItsTilesFromZero() {
    Graph g(arch::tinyMachine(16));
    Graph half = g.createVirtualGraph(4, 12);
    QCOMPARE(half.tiles(), int64_t(8));
    QCOMPARE(half.getTarget().tiles(), 8);
    const Tensor t = half.addVariable(ElementType::Float, {8}, "t");
    half.setTileMapping(t, TileId(3));
    QCOMPARE(tilesOf(g, t), (std::vector<int64_t>{7}));
    QCOMPARE(tilesOf(half, t), (std::vector<int64_t>{3}));
    half.mapTensorLinearly(t, 1);
    QCOMPARE(g.getTileMapping(t)[4].size(), std::size_t(1)); // 32 bytes: all on the first tile of the range
    const Tensor large = half.addVariable(ElementType::Float, {8 * 64}, VariableMappingMethod::Linear, "large");
    QCOMPARE(tilesOf(g, large), (std::vector<int64_t>{4, 5, 6, 7, 8, 9, 10, 11}));
    QCOMPARE(half.getTopLevelGraph().tiles(), int64_t(16));
  }

  void aListGivesTheOrderAndIsTakenOnEveryIpu() {
    Graph g(arch::tinyMachine(8, 2));
    Graph io = g.createVirtualGraph(std::vector<int64_t>{6, 1});
    QCOMPARE(io.tiles(), int64_t(4));
    QCOMPARE(io.getTarget().ipus, 2);
    QCOMPARE(io.getTarget().tilesPerIpu, 2);
    for (std::size_t i = 0; i < 4; ++i) {
      const Tensor t = io.addVariable(ElementType::Float, {1}, "t");
      io.setTileMapping(t, TileId(i));
      QCOMPARE(tilesOf(g, t), (std::vector<int64_t>{std::vector<int64_t>{6, 1, 14, 9}[i]}));
    }
    QCOMPARE(g.createVirtualGraph(3).tiles(), int64_t(6)); // the first three of each IPU
    QCOMPARE(g.createVirtualGraph(int64_t(8), 16).getTarget().ipus, 1);
  }

  void virtualGraphsOfVirtualGraphsCompose() {
    Graph g(arch::tinyMachine(16));
    Graph inner = g.createVirtualGraph(std::vector<int64_t>{2, 4, 6, 8, 10}).createVirtualGraph(1, 3);
    const Tensor t = inner.addVariable(ElementType::Float, {1}, "t");
    inner.setTileMapping(t, TileId(1));
    QCOMPARE(tilesOf(g, t), (std::vector<int64_t>{6}));
  }

  void verticesAreTranslatedToo() {
    Graph g(arch::tinyMachine(16));
    Codelet c;
    c.name = "C";
    c.fields = {{"x", FieldDirection::Input}};
    g.addCodelet(c);
    Graph part = g.createVirtualGraph(10, 12);
    const Tensor x = part.addVariable(ElementType::Float, {1}, "x");
    part.setTileMapping(x, TileId(0));
    const auto set = part.addComputeSet("cs");
    part.setTileMapping(part.addVertex(set, "C", {{"x", x}}), TileId(1));
    QCOMPARE(g.computeSet(set).vertices[0].tile.value(), std::size_t(11));
  }

  void mistakesNameTileAndTensor() {
    Graph g(arch::tinyMachine(8));
    Graph part = g.createVirtualGraph(0, 4);
    const Tensor t = g.addVariable(ElementType::Float, {2}, "weights");
    QVERIFY(errorOf([&] { part.setTileMapping(t, TileId(4)); }).find("0 to 3") != std::string::npos);
    QVERIFY(errorOf([&] { part.setTileMapping(t, TileId(4)); }).find("weights") != std::string::npos);
    g.setTileMapping(t, TileId(6));
    QVERIFY(errorOf([&] { part.getTileMapping(t); }).find("weights") != std::string::npos);
    QVERIFY(errorOf([&] { g.createVirtualGraph(4, 9); }).find("tile 8") != std::string::npos);
    QVERIFY(errorOf([&] { g.createVirtualGraph(std::vector<int64_t>{1, 1}); }).find("twice") != std::string::npos);
    QVERIFY(!errorOf([&] { g.createVirtualGraph(3, 3); }).empty());
  }

  void aCloneLiesWhereTheOriginalLies() {
    Graph g(arch::tinyMachine(4));
    const Tensor t = g.addVariable(ElementType::Float, {2, 2}, "t");
    for (std::size_t i = 0; i < 4; ++i) g.setTileMapping(t.flatten().slice(int64_t(i), int64_t(i) + 1), TileId(i));
    const Tensor copy = g.clone(ElementType::Half, t.transpose(), "copy");
    QCOMPARE(copy.elementType(), ElementType::Half);
    QCOMPARE(g.getTileMapping(copy), g.getTileMapping(t.transpose()));
    QCOMPARE(g.getTileMapping(g.clone(t, "same")), g.getTileMapping(t));
  }

  void aSnapshotKeepsWhatWas() {
    Graph g(arch::tinyMachine(4));
    const Tensor t = g.addVariable(ElementType::Float, {1}, "before");
    g.setTileMapping(t, TileId(1));
    const auto then = g.snapshot();
    g.setTileMapping(t, TileId(2));
    g.addVariable(ElementType::Float, {1}, "later");
    QCOMPARE(then->variables().size(), std::size_t(1));
    QCOMPARE(tilesOf(*then, t), (std::vector<int64_t>{1}));
    QCOMPARE(tilesOf(g, t), (std::vector<int64_t>{2}));
  }
};

TILESCOPE_TEST(VirtualGraphTest)
#include "virtual_graph_test.moc"
