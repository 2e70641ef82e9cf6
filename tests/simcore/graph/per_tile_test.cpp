#include "simcore/graph/tile_sums.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <random>

using namespace simcore::graph;

class PerTileTest : public QObject {
  Q_OBJECT
private slots:
  void agreesWithADenseArrayWhateverTheOrder() {
    std::mt19937 random(7);
    for (int round = 0; round < 50; ++round) {
      std::vector<int64_t> dense(97, 0), other(97, 0);
      PerTile p, q;
      for (int i = 0; i < 12; ++i) {
        const int64_t a = int64_t(random() % 97), b = int64_t(random() % 98), v = int64_t(random() % 5);
        p.add({std::min(a, b), std::max(a, b)}, v);
        for (int64_t t = std::min(a, b); t < std::max(a, b); ++t) dense[std::size_t(t)] += v;
        q.maxWith(PerTile::uniform({a, a + 1}, v));
        other[std::size_t(a)] = std::max(other[std::size_t(a)], v);
      }
      QCOMPARE(p.dense(97), dense);
      QCOMPARE(q.dense(97), other);
      int64_t sum = 0, active = 0;
      for (int64_t v : dense) {
        sum += v;
        active += v != 0;
      }
      QCOMPARE(p.sum(), sum);
      QCOMPARE(p.activeTiles(), active);
      QCOMPARE(p.max(), *std::max_element(dense.begin(), dense.end()));
      for (int64_t t = 0; t < 97; ++t) QCOMPARE(p.at(t), dense[std::size_t(t)]);
      QVERIFY(PerTile::fromDense(dense) == p);
      q.add(p, 3);
      for (std::size_t t = 0; t < 97; ++t) QCOMPARE(q.at(int64_t(t)), other[t] + 3 * dense[t]);
    }
  }
  // A sum computed from the changes between tiles equals the sum of the runs, even with negative values.
  void sumsOfManyAreThoseOfRuns() {
    std::mt19937 random(11);
    constexpr int64_t kTiles = 61;
    simcore::graph::TileSums sums(kTiles);
    PerTile expected;
    for (int i = 0; i < 200; ++i) {
      const int64_t begin = int64_t(random() % kTiles), end = begin + int64_t(random() % uint64_t(kTiles - begin + 1));
      const PerTile value = PerTile::uniform({begin, end}, int64_t(random() % 9) - 4);
      const auto factor = int64_t(random() % 3);
      sums.add(value, factor);
      expected.add(value, factor);
      sums.add({begin, end}, i);
      expected.add({begin, end}, i);
    }
    QCOMPARE(sums.dense(), expected.dense(kTiles));
    QVERIFY(sums.perTile() == expected);
    QVERIFY(simcore::graph::TileSums(kTiles).perTile().empty());
  }
  void runsOfATemporaryOutliveIt() {
    int64_t sum = 0;
    for (const auto& r : PerTile::uniform({3, 9}, 4).runs()) sum += r.value * r.tiles.size();
    QCOMPARE(sum, int64_t(24));
  }
};

TILESCOPE_TEST(PerTileTest)
#include "per_tile_test.moc"
