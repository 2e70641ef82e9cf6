#include "simcore/graph/planned_pairs.h"

#include "simcore/graph/pair_memory.h"
#include "simcore/graph/row_boxes.h"
#include "simcore/graph/sender_check.h"
#include "tests/support/pair_map.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore::graph;
using tests::PairMap;
using tests::pairMapOf;
using Elements = reports::Range<int64_t>;

class PlannedPairsTest : public QObject {
  Q_OBJECT
private slots:
  void layoutsInOneOrder() {
    // Four elements on each of four tiles become two on each of eight others.
    const Distribution source({16}, {4}, {1}, 0, TileRange{0, 4}), target({16}, {8}, {1}, 0, TileRange{4, 12});
    const Traffic t = trafficInOrder(source, target, 4, 16);
    PairMap byHand;
    for (int64_t i = 0; i < 8; ++i) byHand[{4 + i, i / 2}] = 8;
    QCOMPARE(pairMapOf(t.pairs.runs()), byHand);
    QCOMPARE(t.bytesIn, trafficBlind(source, target.elementsByTile(), 4, 16).bytesIn); // no other costs
    // Cells wrap around at the last tile: the second half is on tiles 0 and 1.
    const Distribution turned({16}, {4}, {1}, 2, TileRange{0, 4});
    byHand.clear();
    for (int64_t i = 0; i < 8; ++i) byHand[{4 + i, (i / 2 + 2) % 4}] = 8;
    QCOMPARE(pairMapOf(trafficInOrder(turned, target, 4, 16).pairs.runs()), byHand);
    // Pairs from another IPU count as pairs of the links.
    const Traffic links = trafficInOrder(source, target, 4, 4);
    QVERIFY(links.pairs.empty());
    QCOMPARE(pairMapOf(links.linkPairs.runs()).at({11, 3}), int64_t(8));
  }

  void bytesAreThoseOfThePlan() {
    // Six elements on each of two tiles become four on each of three: the plan assumes that half of them is local. The middle one
    // takes two elements from both others, the last one all four.
    const Distribution source({12}, {2}, {1}, 0, TileRange{0, 16}), target({12}, {3}, {1}, 2, TileRange{0, 16});
    const Traffic t = trafficInOrder(source, target, 4, 16);
    QCOMPARE(t.bytesIn, PerTile::uniform({2, 5}, 8));
    QCOMPARE(pairMapOf(t.pairs.runs()), (PairMap{{{2, 0}, 8}, {{3, 0}, 4}, {{3, 1}, 4}, {{4, 1}, 8}}));
  }

  void tilesThatHoldAllAreNotReceivers() {
    // By the plan tile 0 receives a fourth of the bytes, but it already holds all of them: the sender is unknown.
    const Distribution source({16}, {2}, {1}, 0, TileRange{0, 4}), target({16}, {4}, {1}, 0, TileRange{0, 4});
    const Traffic t = trafficInOrder(source, target, 4, 4);
    QCOMPARE(t.bytesIn.at(0), int64_t(8));
    QVERIFY(t.pairs.empty());
  }

  void everyTileTakesAll() {
    const Distribution source({8}, {4}, {1}, 0, TileRange{0, 8});
    const Traffic t = trafficBlind(source, PerTile::uniform({0, 8}, 8), 4, 8);
    PairMap byHand;
    for (int64_t to = 0; to < 8; ++to)
      for (int64_t from = 0; from < 4; ++from)
        if (to != from) byHand[{to, from}] = to < 4 || from < 2 ? 8 : 4; // six words from three or four tiles
    QCOMPARE(pairMapOf(t.pairs.runs()), byHand);
  }

  void rowsOfABox() {
    // A row on each of four tiles; two columns of the first two rows.
    const Distribution rows({24}, {4}, {1}, 0, TileRange{0, 4});
    const std::vector<Box> boxes{Box{{{0, 2}, {1, 3}}}};
    const Takers takers = boxTakers(rows, {4, 6}, boxes, 0, {8, 9});
    const Traffic t = trafficBlind(rows, PerTile::uniform({8, 9}, 4), 4, 16, takers);
    QCOMPARE(pairMapOf(t.pairs.runs()), (PairMap{{{8, 0}, 8}, {{8, 1}, 8}}));
    QVERIFY(!boxTakers(Distribution({4, 6}, {2, 2}, {}, 0, 4), {24}, boxes, 0, {8, 9}).take); // of another grid
  }

  // Every sender's bytes differ from its share by at most one word.
  void bytesAreInProportion() {
    const Distribution source({1000}, {37}, {1}, 3, TileRange{0, 64}); // 36 tiles of 28, and one of 20
    const PerTile bytes = PerTile::uniform({100, 101}, 4 * 1501);
    for (const Elements taken : {Elements{0, 1000}, Elements{13, 990}, Elements{5, 77}, Elements{20, 29}}) {
      PlannedPairs pairs(source, bytes);
      pairs.receiver(100);
      pairs.take(taken);
      const Pairs runs = pairs.finish();
      QVERIFY(!runs.empty());
      int64_t sum = 0;
      for (const auto& [pair, sent] : pairMapOf(runs)) {
        const Elements cell{(pair.second - 3) * 28, std::min<int64_t>(1000, (pair.second - 2) * 28)};
        const double part = double(cell.clippedTo(taken).size()) / double(taken.size()) * 4 * 1501;
        QVERIFY(std::abs(double(sent) - part) <= 4);
        QCOMPARE(sent % 4, int64_t(0));
        sum += sent;
      }
      QCOMPARE(sum, int64_t(4 * 1501));
    }
  }

  void guessesHaveNoPairs() {
    const Distribution real({16}, {4}, {1}, 0, TileRange{0, 4}), other({16}, {8}, {1}, 0, TileRange{4, 12}),
        guess = real.estimated();
    QVERIFY(!trafficInOrder(real, other, 4, 16).pairs.empty());
    QVERIFY(trafficInOrder(guess, other, 4, 16).pairs.empty());
    QVERIFY(trafficInOrder(real, other.estimated(), 4, 16).pairs.empty());
    QVERIFY(trafficTo(guess, {Box{{{0, 16}}}}, 8, {0, 16}, 4, 16).pairs.empty());
    QVERIFY(guess.flattened().isEstimate() && guess.permuted({0}).isEstimate() && guess.movedTo({4, 8}).isEstimate());
    QVERIFY(trafficInOrder(guess.flattened(), other, 4, 16).pairs.empty());
    QCOMPARE(trafficInOrder(guess, other, 4, 16).bytesIn, trafficInOrder(real, other, 4, 16).bytesIn);
    QVERIFY(!guess.laidOut().isEstimate());
  }

  // 3 x 3 cells of 10 x 10 elements are flattened to 9 cells of 12: tiles would hold different elements.
  void flattenedCellsMustBeThoseOfTheGrid() {
    const Distribution target({100}, {5}, {1}, 0, TileRange{16, 21});
    QVERIFY(!Distribution({10, 10}, {3, 3}, {}, 0, 16).flattened().isCertain());
    QVERIFY(trafficInOrder(Distribution({10, 10}, {3, 3}, {}, 0, 16).flattened(), target, 4, 32).pairs.empty());
    QVERIFY(!trafficInOrder(Distribution({10, 10}, {5, 2}, {}, 0, 16).flattened(), target, 4, 32).pairs.empty());
  }

  void cellsThatAreNotRows() {
    QVERIFY(liesInRows(Distribution({4, 6}, {4, 2}, {}, 0, 8)));
    QVERIFY(liesInRows(Distribution({4, 6}, {2, 1}, {}, 0, 8)));
    QVERIFY(!liesInRows(Distribution({4, 6}, {2, 2}, {}, 0, 8)));
    QVERIFY(!liesInRows(Distribution({4, 6}, {2, 2}, {}, 0, 8).flattened()));
    // A row of six elements is on two tiles, three each.
    const Distribution quarters({4, 6}, {2, 2}, {}, 0, TileRange{0, 4}), rows({24}, {4}, {1}, 0, TileRange{8, 12});
    PairMap byHand;
    for (int64_t row = 0; row < 4; ++row)
      for (int64_t half = 0; half < 2; ++half) byHand[{8 + row, row / 2 * 2 + half}] = 12;
    QCOMPARE(pairMapOf(trafficInOrder(quarters.flattened(), rows, 4, 16).pairs.runs()), byHand);
    PairMap back;
    for (const auto& [pair, bytes] : byHand) back[{pair.second, pair.first}] = bytes;
    QCOMPARE(pairMapOf(trafficInOrder(rows, quarters.flattened(), 4, 16).pairs.runs()), back);
    // The grid of a product [rows, columns] is columns by rows: two halves of the columns, each with all three rows.
    const Distribution product = Distribution({1, 4, 3, 1}, {1, 2, 1, 1}, {}, 0, TileRange{0, 2}).flattened(1);
    QVERIFY(!liesInRows(product));
    const Distribution threes({12}, {3}, {1}, 0, TileRange{8, 11});
    byHand.clear();
    for (int64_t row = 0; row < 3; ++row) byHand[{8 + row, 0}] = byHand[{8 + row, 1}] = 8;
    QCOMPARE(pairMapOf(trafficInOrder(product, threes, 4, 16).pairs.runs()), byHand);
    QVERIFY(liesInRows(Distribution({1, 4, 3, 1}, {1, 2, 1, 1}, {}, 0, TileRange{0, 2}).flattened(2))); // a matrix on each
  }

  void sendersAreThoseOfThePlan() {
    const SharedPairs pairs(Pairs{{8, 4, 0, 4, 1, 0, 16}});
    QVERIFY(sendersAgree(pairs, PerTile::uniform({0, 4}, 4)));
    QVERIFY(!sendersAgree(pairs, PerTile::uniform({0, 3}, 4)));
    QVERIFY(sendersAgree(pairs, PerTile())); // rounded down to nothing
    QVERIFY(sendersAgree(SharedPairs(Pairs{{8, 1, 0, 64, 1, 0, 16}}), PerTile::uniform({0, 63}, 4)));
    QVERIFY(!sendersAgree(SharedPairs(std::make_shared<const Pairs>(pairs.runs()), 1), PerTile::uniform({0, 4}, 4)));
  }

  // Small tensors that each begin on another tile use cached pairs, which equal newly computed ones.
  void smallTensorsAnywhere() {
    const Distribution layout({64}, {16}, {1}, 0, TileRange{0, 16});
    for (int64_t first = 0; first < 16; ++first) {
      const Distribution source({8}, {3}, {1}, first, TileRange{0, 16});
      Takers takers;
      takers.take = [&](PlannedPairs& pairs) {
        for (int64_t c = 0; c < 16; ++c) {
          if (!pairs.wants(layout.tileOf(c))) continue;
          pairs.receiver(layout.tileOf(c));
          pairs.take(Elements{c / 2, c / 2 + 1});
        }
      };
      const PerTile need = PerTile::uniform({0, 16}, 2);
      const Traffic alone = trafficBlind(source, need, 4, 16, takers);
      takers.key = {99};
      const Traffic known = trafficBlind(source, need, 4, 16, takers);
      QCOMPARE(pairMapOf(known.pairs.runs()), pairMapOf(alone.pairs.runs()));
      QCOMPARE(known.pairs.empty(), alone.pairs.empty());
      if (!known.pairs.empty()) QCOMPARE(PerTile::fromDense(reports::bytesReceived(known.pairs.runs(), 16)), known.bytesIn);
    }
  }

  void repeatsAreShared() {
    const auto pairsAt = [](int64_t base) {
      return remembered(PairKey(base).add(1234), [=] { return Pairs{{int32_t(base + 1), 1, int32_t(base), 1, 1, 0, 4}}; });
    };
    const SharedPairs first = pairsAt(100), second = pairsAt(300);
    QCOMPARE(first.parts()[0].runs.get(), second.parts()[0].runs.get());
    QCOMPARE(second.runs(), (Pairs{{301, 1, 300, 1, 1, 0, 4}}));
  }

  void stretchesAreBoxes() {
    const simcore::numerics::Shape shape{2, 3, 4};
    for (int64_t begin = 0; begin < 24; ++begin)
      for (int64_t end = begin; end <= 24; ++end) {
        std::vector<int64_t> elements;
        forEachRowBox({begin, end}, shape, [&](const Box& box) {
          for (int64_t i = box.dims[0].begin; i < box.dims[0].end; ++i)
            for (int64_t j = box.dims[1].begin; j < box.dims[1].end; ++j)
              for (int64_t k = box.dims[2].begin; k < box.dims[2].end; ++k) elements.push_back((i * 3 + j) * 4 + k);
        });
        Box corner{{{begin % 2, 2}, {begin % 3, end % 4}, {end % 2, 4}}};
        std::vector<int64_t> stretched, counted;
        forEachRowStretch(shape, corner, [&](Elements stretch) {
          for (int64_t e = stretch.begin; e < stretch.end; ++e) stretched.push_back(e);
          return true;
        });
        for (int64_t i = corner.dims[0].begin; i < corner.dims[0].end; ++i)
          for (int64_t j = corner.dims[1].begin; j < corner.dims[1].end; ++j)
            for (int64_t k = corner.dims[2].begin; k < corner.dims[2].end; ++k) counted.push_back((i * 3 + j) * 4 + k);
        QCOMPARE(stretched, counted);
        QCOMPARE(int64_t(elements.size()), end - begin);
        for (int64_t i = 0; i < end - begin; ++i) QCOMPARE(elements[std::size_t(i)], begin + i);
      }
  }
};

TILESCOPE_TEST(PlannedPairsTest)
#include "planned_pairs_test.moc"
