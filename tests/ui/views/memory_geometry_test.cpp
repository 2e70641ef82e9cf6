#include "ui/views/memory/memory_geometry.h"

#include "tests/support/test_main.h"
#include "ui/parts/tile_field.h"

#include <QTest>

using namespace ui::memory;
using reports::Bytes;
using reports::TileId;

namespace {

analyser::Machine machine(int ipus, int tiles) {
  analyser::Machine m;
  m.ipus = ipus, m.tilesPerIpu = tiles;
  m.gridColumns = 2, m.gridRows = tiles / 2;
  return m;
}

analyser::memory::PlacedVariable variable(int64_t address, int64_t size) {
  analyser::memory::PlacedVariable v;
  v.address = Bytes(address), v.size = Bytes(size);
  return v;
}

} // namespace

class MemoryGeometryTest : public QObject {
  Q_OBJECT

private slots:
  void percentilesAreValuesOfTiles() {
    std::vector<int64_t> along;
    for (int tile = 0; tile < 100; ++tile) along.push_back((tile * 37) % 100 + 1); // 1 to 100, in no order
    constexpr double kShares[] = {0, 0.05, 0.5, 0.95, 1};
    const auto at = ui::memory::percentiles(along, kShares).front().at;
    const int64_t expected[] = {1, 5, 50, 95, 100};
    for (std::size_t i = 0; i < at.size(); ++i) QCOMPARE(at[i], expected[i]);
    QCOMPARE(ui::memory::percentiles({}, kShares).front().at.front(), int64_t(0));
    // Each of two groups has its own percentiles.
    const auto groups = ui::memory::percentiles(along, kShares, {0, 1});
    QCOMPARE(groups.size(), std::size_t(2));
    for (const auto value : groups[0].at) QCOMPARE(value, along[0]);
    QCOMPARE(groups[1].positions.size(), int64_t(99));
    QCOMPARE(groups[1].at.back(), int64_t(100));
  }

  void onePointAnIpuIsTheSumOfItsTiles() {
    const TileAxis axis = tileAxis(machine(3, 4), -1, Order::Ipus);
    QCOMPARE(axis.size(), 3);
    std::vector<Bytes> byTile;
    for (int tile = 0; tile < 12; ++tile) byTile.emplace_back(int64_t(1) << tile);
    QCOMPARE(*valuesAlong(axis, byTile), (std::vector<int64_t>{0x00f, 0x0f0, 0xf00}));
    QCOMPARE(axis.tilesAt(1).front(), 4);
    QCOMPARE(axis.positionOf[11], 2);
    const std::vector<TileId> selected{TileId(2), TileId(3), TileId(8)};
    QCOMPARE(selectionAlong(axis, selected).size(), std::size_t(2)); // IPU 0 once, IPU 2
    QVERIFY(ipuMarks(machine(3, 4), axis).empty());
    QCOMPARE(tileAxis(machine(3, 4), 1, Order::Ipus).size(), 1);
  }

  void smallPartsAreFoldedAndNothingIsLost() {
    std::vector<analyser::memory::TileSeries> parts;
    for (const int64_t size : {5, 100, 1, 70, 2}) {
      analyser::memory::TileSeries part;
      part.title = std::to_string(size);
      part.values = {Bytes(size), Bytes(size)};
      part.sum = Bytes(2 * size);
      parts.push_back(part);
    }
    const auto kept = foldSmallParts(parts, 2);
    QCOMPARE(kept.size(), std::size_t(3));
    QCOMPARE(kept[0].title, std::string("100")); // in their order
    QCOMPARE(kept[1].title, std::string("70"));
    QCOMPARE(kept[2].title, std::string("3 smaller categories"));
    QCOMPARE(kept[2].values, (std::vector<Bytes>{Bytes(8), Bytes(8)}));
    QCOMPARE(kept[2].sum, Bytes(16));
    QCOMPARE(foldSmallParts(parts, 4).size(), std::size_t(5)); // one alone keeps its name
  }

  void axisOfOneIpu() {
    const TileAxis axis = tileAxis(machine(2, 4), 1, Order::Software);
    QCOMPARE(axis.tiles, (std::vector<int>{4, 5, 6, 7}));
    QCOMPARE(axis.positionOf[0], -1);
    QCOMPARE(axis.positionOf[6], 2);
  }

  void physicalOrderKeepsEveryTile() {
    const analyser::Machine m = machine(2, 8);
    TileAxis axis = tileAxis(m, -1, Order::Physical);
    std::vector<int> sorted = axis.tiles;
    std::sort(sorted.begin(), sorted.end());
    for (int tile = 0; tile < m.tiles(); ++tile) {
      QCOMPARE(sorted[std::size_t(tile)], tile);
      QCOMPARE(axis.tiles[std::size_t(axis.positionOf[std::size_t(tile)])], tile);
    }
  }

  void selectionMergesNeighbours() {
    const TileAxis axis = tileAxis(machine(1, 10), -1, Order::Software);
    const std::vector<TileId> tiles{TileId(1), TileId(2), TileId(5)};
    const auto spans = selectionAlong(axis, tiles);
    QCOMPARE(spans.size(), std::size_t(2));
    QVERIFY(spans[0] == (reports::Range<int64_t>{1, 3}));
    QVERIFY(spans[1] == (reports::Range<int64_t>{5, 6}));
  }

  void textOfTilesReadsBack() {
    const std::vector<TileId> tiles{TileId(0), TileId(1), TileId(4), TileId(5), TileId(6), TileId(9)};
    const QString text = ui::shell::tilesText(tiles);
    QCOMPARE(text, QStringLiteral("0, 1, 4-6, 9"));
    QVERIFY(analyser::memory::parseTileSelection(machine(1, 10), text.toStdString()) == tiles);
  }

  void marksBeginEveryIpu() {
    const analyser::Machine m = machine(3, 4);
    const auto marks = ipuMarks(m, tileAxis(m, -1, Order::Software));
    QCOMPARE(marks.size(), std::size_t(3));
    QCOMPARE(marks[2].first, int64_t(8));
    QVERIFY(ipuMarks(m, tileAxis(m, 0, Order::Software)).empty());
  }

  void sumSkipsHiddenParts() {
    analyser::memory::TileSeries a, b;
    a.values = {Bytes(1), Bytes(2)}, b.values = {Bytes(10), Bytes(20)};
    const auto sum = sumOfShown({a, b}, {true, false});
    QVERIFY(sum == (std::vector<Bytes>{Bytes(1), Bytes(2)}));
    QVERIFY(sumOfShown({a, b}, {false, false}) == (std::vector<Bytes>{Bytes(0), Bytes(0)}));
  }

  void overlapsGetLanesOthersTheWholeHeight() {
    analyser::memory::TileLayout layout;
    layout.capacity = Bytes(1000);
    layout.variables = {variable(0, 100), variable(200, 100), variable(250, 100), variable(350, 10)};
    const Strip strip = layoutStrip(layout, stripExtent(layout), 1000, 4);
    QCOMPARE(strip.pieces.size(), std::size_t(4));
    QCOMPARE(strip.pieces[0].lanes, 1);
    QCOMPARE(strip.pieces[1].lanes, 2);
    QCOMPARE(strip.pieces[2].lane, 1);
    QCOMPARE(strip.pieces[3].lanes, 1);
    QCOMPARE(strip.pieces[1].left, 200.0);
    QCOMPARE(strip.pieces[1].right, 300.0);
  }

  void tinyVariableStaysVisible() {
    analyser::memory::TileLayout layout;
    layout.capacity = Bytes(1'000'000);
    layout.variables = {variable(500'000, 1)};
    const Strip strip = layoutStrip(layout, stripExtent(layout), 100, 4);
    QCOMPARE(strip.pieces.size(), std::size_t(1));
    QVERIFY(strip.pieces[0].right - strip.pieces[0].left >= 1);
  }

  void extentCoversWhatOverflows() {
    analyser::memory::TileLayout layout;
    layout.capacity = Bytes(100);
    layout.variables = {variable(90, 30)};
    QCOMPARE(stripExtent(layout).end, int64_t(120));
  }

  void addressStepsArePowersOfTwoApart() {
    const int64_t step = addressStep({0, 638976}, 1000, 100);
    QCOMPARE(step, int64_t(0x10000));
    QVERIFY(double(step) / 638976 * 1000 >= 100);
  }
};

TILESCOPE_TEST(MemoryGeometryTest)
#include "memory_geometry_test.moc"
