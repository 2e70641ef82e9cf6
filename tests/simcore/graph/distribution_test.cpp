#include "simcore/graph/distribution.h"
#include "tests/support/pair_map.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>

using namespace simcore::graph;

using tests::PairMap;
using tests::pairMapOf;

class DistributionTest : public QObject {
  Q_OBJECT
private slots:
  void cellsTileTheShapeExactly() {
    for (int64_t rows : {1, 7, 13})
      for (int64_t columns : {1, 5, 16})
        for (int64_t a : {1, 2, 3, 7})
          for (int64_t b : {1, 4, 5}) {
            const Distribution d({rows, columns}, {a, b}, {1, 2}, 3, 40);
            std::set<std::pair<int64_t, int64_t>> seen;
            for (int64_t c = 0; c < d.cells(); ++c) {
              const Box box = d.cell(c);
              for (int64_t i = box.dims[0].begin; i < box.dims[0].end; ++i)
                for (int64_t j = box.dims[1].begin; j < box.dims[1].end; ++j) QVERIFY(seen.insert({i, j}).second);
              QCOMPARE(d.cellOn(d.tileOf(c)), c);
            }
            QCOMPARE(int64_t(seen.size()), rows * columns);
            QCOMPARE(d.elementsByTile().sum(), rows * columns);
            QVERIFY(d.elementsByTile().max() <= d.maxElements());
          }
  }

  // Every tile has the elements of its cells, both for even grids (computed in runs) and for others (cell by cell). Cells may wrap.
  void elementsAreThoseOfTheCells() {
    int walked = 0, even = 0;
    for (const int64_t rows : {6, 7, 12})
      for (const int64_t columns : {5, 8})
        for (const int64_t depth : {1, 6})
          for (const int64_t a : {1, 2, 3, 5})
            for (const int64_t b : {1, 2, 4})
              for (const int64_t first : {0, 3, 38}) {
                const Distribution d({rows, columns, depth}, {a, b, depth / 2 + 1}, {1, 1, 1}, first, TileRange{100, 160});
                for (const Distribution& grid : {d, d.flattened()}) {
                  std::vector<int64_t> byTile(160, 0);
                  for (int64_t c = 0; c < grid.cells(); ++c) byTile[std::size_t(grid.tileOf(c))] += grid.cell(c).volume();
                  QCOMPARE(grid.elementsByTile().dense(160), byTile);
                  QCOMPARE(grid.elementsByTile().runs().size(), PerTile::fromDense(byTile, 0).runs().size());
                }
                ++(columns % (d.cells() > 0 ? d.splits()[1] : 1) ? walked : even);
              }
    QVERIFY(walked > 0 && even > 0);
  }

  void trafficCountsEveryRemoteElementOnce() {
    const Distribution rows({8, 8}, {8, 1}, {1, 1}, 0, 8), columns({8, 8}, {1, 8}, {1, 1}, 0, 8);
    std::vector<Box> boxes;
    for (int64_t c = 0; c < columns.cells(); ++c) boxes.push_back(columns.cell(c));
    const Traffic t = trafficTo(rows, boxes, 0, {0, 8}, 4);
    // A transpose of an 8 x 8 matrix: each tile keeps one element and receives seven, from seven senders.
    QCOMPARE(t.bytesIn.max(), int64_t(28));
    QCOMPARE(t.totalIn(), int64_t(8 * 28));
    QCOMPARE(t.messagesIn.max(), int64_t(7));
    QCOMPARE(t.localBytes.sum(), int64_t(8 * 4));
    std::vector<Box> same;
    for (int64_t c = 0; c < rows.cells(); ++c) same.push_back(rows.cell(c));
    QVERIFY(trafficTo(rows, same, 0, {0, 8}, 4).empty());
  }

  void aBroadcastLeavesItsTileOnce() {
    const Distribution one({16}, {1}, {1}, 0, 8);
    std::vector<Box> all(8, one.cell(0));
    const Traffic t = trafficTo(one, all, 0, {0, 8}, 4);
    QCOMPARE(t.totalIn(), int64_t(7 * 64));
    QCOMPARE(t.bytesOut.sum(), int64_t(64));
    QCOMPARE(t.messagesOut.sum(), int64_t(1));
    QCOMPARE(pairMapOf(t.pairs.runs()).size(), std::size_t(7)); // of 64 bytes each: seven times what leaves the tile
    QCOMPARE(pairMapOf(t.pairs.runs()).at({7, 0}), int64_t(64));
  }

  // y = A x on 2 x 2 tiles: each takes its half of x, of which every tile holds a quarter.
  void pairsOfAMatrixTimesAVector() {
    const Distribution x({8}, {4}, {1}, 0, 4);
    std::vector<Box> halves;
    for (int tile = 0; tile < 4; ++tile) halves.push_back({{{tile % 2 * 4, tile % 2 * 4 + 4}}});
    const Traffic t = trafficTo(x, halves, 0, {0, 4}, 4);
    const PairMap byHand{{{0, 1}, 8}, {{1, 2}, 8}, {{1, 3}, 8}, {{2, 0}, 8}, {{2, 1}, 8}, {{3, 2}, 8}};
    QCOMPARE(pairMapOf(t.pairs.runs()), byHand);
    QVERIFY(trafficTo(x, halves, 0, {0, 4}, 4, 0, false).pairs.empty());
    // From another IPU the pairs are those of the links.
    const Traffic links = trafficTo(x, halves, 0, {4, 8}, 4, 4);
    QVERIFY(links.pairs.empty());
    QCOMPARE(pairMapOf(links.linkPairs.runs()).size(), std::size_t(8));
    QCOMPARE(pairMapOf(links.linkPairs.runs()).at({7, 3}), int64_t(8));
  }

  // The intersections of every box with every cell, one by one.
  void pairsAreIntersections() {
    int checked = 0;
    for (const int64_t rows : {5, 12})
      for (const int64_t a : {1, 3, 4})
        for (const int64_t b : {1, 2, 5})
          for (const int64_t first : {0, 17})
            for (const int64_t wide : {0, 1, 3}) {
              const Distribution source({rows, 9, 4}, {a, b, 2}, {1, 1, 1}, first, 40),
                  target({rows, 9, 4}, {2, 3, 1}, {1, 1, 1}, 2, 40);
              std::vector<Box> boxes;
              for (int64_t c = 0; c < target.cells(); ++c) {
                Box box = target.cell(c);
                for (std::size_t d = 0; d < 3; ++d)
                  box.dims[d] = {std::max<int64_t>(0, box.dims[d].begin - wide),
                                 std::min(source.shape()[d], box.dims[d].end + wide)};
                boxes.push_back(std::move(box));
              }
              PairMap wanted;
              for (std::size_t i = 0; i < boxes.size(); ++i)
                for (int64_t c = 0; c < source.cells(); ++c) {
                  const int64_t to = (2 + int64_t(i)) % 40, bytes = 2 * boxes[i].intersection(source.cell(c)).volume();
                  if (bytes > 0 && to != source.tileOf(c)) wanted[{to, source.tileOf(c)}] = bytes;
                }
              const Traffic t = trafficTo(source, boxes, 2, {0, 40}, 2);
              QCOMPARE(pairMapOf(t.pairs.runs()), wanted);
              QCOMPARE(PerTile::fromDense(reports::bytesReceived(t.pairs.runs(), 40)), t.bytesIn);
              ++checked;
            }
    QVERIFY(checked > 100);
  }

  void aSumKnowsItsPairsIfAllPartsDo() {
    const Distribution one({16}, {1}, {1}, 0, 8), two({16}, {2}, {1}, 0, 8);
    const std::vector<Box> all(8, one.cell(0));
    Traffic sum = trafficTo(one, all, 0, {0, 8}, 4);
    sum.add(Traffic());
    sum.add(trafficTo(two, all, 0, {0, 8}, 4));
    QCOMPARE(PerTile::fromDense(reports::bytesReceived(sum.pairs.runs(), 8)), sum.bytesIn);
    sum.add(trafficBlind(two, PerTile::uniform({0, 8}, 8), 4)); // knows volumes only
    QVERIFY(sum.pairs.empty());
    sum.add(trafficTo(one, all, 0, {0, 8}, 4));
    QVERIFY(sum.pairs.empty());
    // One tile that sends everything needs no boxes.
    const Traffic blind = trafficBlind(one, PerTile::uniform({8, 16}, 16), 4, 16);
    QCOMPARE(blind.pairs.runs(), (Pairs{{8, 8, 0, 1, 1, 0, 64}}));
  }
};

TILESCOPE_TEST(DistributionTest)
#include "distribution_test.moc"
