#include "simcore/graph/planned_pairs.h"

#include "simcore/graph/pair_memory.h"
#include "simcore/graph/row_boxes.h"
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
    // From another IPU they are those of the links.
    const Traffic links = trafficInOrder(source, target, 4, 4);
    QVERIFY(links.pairs.empty());
    QCOMPARE(pairMapOf(links.linkPairs.runs()).at({11, 3}), int64_t(8));
  }

  void bytesAreThoseOfThePlan() {
    // Six elements on each of two tiles become four on each of three: a plan thinks that half of them is there. The middle one takes
    // two elements from both others, the last one all four.
    const Distribution source({12}, {2}, {1}, 0, TileRange{0, 16}), target({12}, {3}, {1}, 2, TileRange{0, 16});
    const Traffic t = trafficInOrder(source, target, 4, 16);
    QCOMPARE(t.bytesIn, PerTile::uniform({2, 5}, 8));
    QCOMPARE(pairMapOf(t.pairs.runs()), (PairMap{{{2, 0}, 8}, {{3, 0}, 4}, {{3, 1}, 4}, {{4, 1}, 8}}));
  }

  void tilesThatHoldAllAreNotReceivers() {
    // The plan says that tile 0 takes a fourth of the bytes, but it has all it takes: whom from is not known.
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
        if (to != from) byHand[{to, from}] = to < 4 ? 8 : 6; // 24 bytes from three or four tiles
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

  // Small tensors that begin on another tile each have pairs from memory; they are those that are worked out anew.
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
        QCOMPARE(int64_t(elements.size()), end - begin);
        for (int64_t i = 0; i < end - begin; ++i) QCOMPARE(elements[std::size_t(i)], begin + i);
      }
  }
};

TILESCOPE_TEST(PlannedPairsTest)
#include "planned_pairs_test.moc"
