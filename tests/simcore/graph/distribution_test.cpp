#include "simcore/graph/distribution.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>

using namespace simcore::graph;

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

  // Grids that are told apart by their even parts and those that are walked give every tile what its cell has; cells may wrap around.
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
  }
};

TILESCOPE_TEST(DistributionTest)
#include "distribution_test.moc"
