#include "simcore/ops/reduce/reduce_pairs.h"

#include "tests/support/pair_map.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore::ops;
using simcore::graph::Distribution;
using simcore::graph::PerTile;
using simcore::graph::TileRange;
using tests::PairMap;
using tests::pairMapOf;

class ReducePairsTest : public QObject {
  Q_OBJECT
private slots:
  void partialsOfAGrid() {
    // A quarter of four rows and columns on each of four tiles; sums over the rows on four other tiles.
    const Distribution x({4, 4}, {2, 2}, {}, 0, TileRange{0, 4}), sums({4}, {4}, {1}, 0, TileRange{8, 12});
    const PartialPlaces places(x, {4, 4}, {0});
    PairMap byHand;
    for (int64_t c = 0; c < 4; ++c)
      for (int64_t half = 0; half < 2; ++half) byHand[{8 + c, 2 * half + c / 2}] = 4;
    QCOMPARE(pairMapOf(places.pairsTo(sums, 1, 2, PerTile::uniform({8, 12}, 8)).runs()), byHand);
    // One partial per element: element 2 c + half of an intermediate stage has the partial of one half.
    const Distribution between({8}, {8}, {1}, 0, TileRange{8, 16});
    byHand.clear();
    for (int64_t c = 0; c < 4; ++c)
      for (int64_t half = 0; half < 2; ++half) byHand[{8 + 2 * c + half, 2 * half + c / 2}] = 4;
    QCOMPARE(pairMapOf(places.pairsTo(between, 2, 1, PerTile::uniform({8, 16}, 4)).runs()), byHand);
  }

  void partialsOfRows() {
    // Rows of six elements over tiles of four: sums along rows have partials on two tiles each, and the second tile has two.
    const Distribution x({12}, {3}, {1}, 0, TileRange{0, 3}), sums({2}, {2}, {1}, 0, TileRange{8, 10});
    QCOMPARE(pairMapOf(PartialPlaces(x, {2, 6}, {1}).pairsTo(sums, 1, 2, PerTile::uniform({8, 10}, 8)).runs()),
             (PairMap{{{8, 0}, 4}, {{8, 1}, 4}, {{9, 1}, 4}, {{9, 2}, 4}}));
    // Sums along columns: with three rows of four elements, every tile has a part of each column.
    QCOMPARE(pairMapOf(PartialPlaces(x, {3, 4}, {0}).pairsTo(sums, 1, 3, PerTile::uniform({8, 10}, 24)).runs()).size(),
             std::size_t(6));
    QVERIFY(!PartialPlaces(x, {2, 3, 2}, {0, 2}).isKnown()); // neither first nor last
  }
};

TILESCOPE_TEST(ReducePairsTest)
#include "reduce_pairs_test.moc"
