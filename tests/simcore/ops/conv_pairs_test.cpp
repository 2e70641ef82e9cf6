#include "simcore/ops/conv/conv_pairs.h"
#include "tests/support/pair_map.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>

using namespace simcore;
using namespace simcore::ops;

using tests::PairMap;
using tests::pairMapOf;

class ConvPairsTest : public QObject {
  Q_OBJECT
private slots:
  void everyTileTakesFromTheOthersOfItsGroup() {
    std::vector<GroupMember> members;
    for (int64_t tile = 0; tile < 6; ++tile) members.push_back({tile, tile % 2, 3, 8, 0});
    PairMap byHand;
    for (int64_t to = 0; to < 6; ++to)
      for (int64_t from = to % 2; from < 6; from += 2)
        if (from != to) byHand[{to, from}] = 8;
    QCOMPARE(pairMapOf(pairsWithinGroups(members)), byHand);
    for (auto& member : members) member.filling = 2; // with the first of them
    for (auto& [pair, bytes] : byHand)
      if (pair.second == (pair.first < 2 ? pair.first + 2 : pair.first % 2)) bytes = 10;
    QCOMPARE(pairMapOf(pairsWithinGroups(members)), byHand);
    members.pop_back(); // a group that is not whole
    QVERIFY(pairsWithinGroups(members).empty());
  }

  // Cells with the same outputs all have different partial sums of them.
  void placesAreAllDifferent() {
    ConvPlan plan;
    plan.batchSplit = 2, plan.groupSplit = 3, plan.outSplit = 2, plan.fieldSplit = {2, 3}, plan.inSplit = 4;
    for (const bool product : {false, true}) {
      std::set<std::pair<int64_t, int64_t>> seen;
      for (int64_t cell = 0; cell < plan.tiles(); ++cell) {
        const ConvCellPlace place = placeOf(plan, product, cell);
        QVERIFY(place.partial >= 0 && place.partial < plan.partialSums());
        QVERIFY(place.outputs >= 0 && place.outputs < plan.tiles() / plan.partialSums());
        QVERIFY(seen.emplace(place.outputs, place.partial).second);
      }
    }
    // Input channels are innermost; in a product they come before batch and output channels.
    QCOMPARE(placeOf(plan, false, 5).outputs, int64_t(1));
    QCOMPARE(placeOf(plan, false, 5).partial, int64_t(1));
    QCOMPARE(placeOf(plan, true, 5).outputs, int64_t(1));
    QCOMPARE(placeOf(plan, true, 5).partial, int64_t(1));
    QCOMPARE(placeOf(plan, true, 17).outputs, int64_t(5));
    QCOMPARE(placeOf(plan, true, 17).partial, int64_t(0));
  }

  // Two output splits, two rows and two input splits: tiles that differ only in the row share weights.
  void tilesThatWantTheSameWeightsHoldThem() {
    ConvPlan plan;
    plan.outSplit = 2, plan.fieldSplit = {2, 1}, plan.inSplit = 2;
    const graph::Distribution weights({64}, {8}, {1}, 0, 8);
    for (const bool product :
         {false, true}) { // output channels, rows, input channels; of a product rows, input and output channels
      const ConvWeightHolders holding(plan, product, {1, 2, 1}, {0, 8}, weights);
      const graph::PerTile bytes = graph::PerTile::uniform({0, 8}, 16);
      graph::PlannedPairs pairs(weights, bytes);
      PairMap byHand;
      for (int64_t cell = 0; cell < 8; ++cell) {
        pairs.receiver(cell);
        QVERIFY(holding.takeFromSharers(pairs, cell, 2, true));
        byHand[{cell, cell ^ (product ? 4 : 2)}] = 16;
      }
      QCOMPARE(pairMapOf(pairs.finish()), byHand);
    }
  }

  void inputsOfAProduct() {
    ConvParams p;
    p.product = true;
    p.groups = 2, p.inChannels = 4, p.in = {3, 1};
    // [2, 3, 4] in rows, six elements on a tile. The middle channels of rows 1 and 2 of the second matrix are elements 17, 18 and 21, 22.
    const graph::Distribution source({24}, {4}, {1}, 0, TileRange{0, 4});
    const graph::PerTile bytes = graph::PerTile::uniform({8, 9}, 16);
    const ConvOptions::InputPlace place;
    const ConvInputOrder order(p, place, {2, 3, 4}, source);
    QVERIFY(order.isKnown());
    graph::PlannedPairs pairs(source, bytes);
    pairs.receiver(8);
    order.take(pairs, graph::Box{{{0, 1}, {5, 7}, {1, 3}, {0, 1}}});
    QCOMPARE(pairMapOf(pairs.finish()), (PairMap{{{8, 2}, 4}, {{8, 3}, 12}}));
    QVERIFY(!ConvInputOrder(p, place, {2, 3, 2}, source).isKnown()); // elements that are used twice
  }
};

TILESCOPE_TEST(ConvPairsTest)
#include "conv_pairs_test.moc"
