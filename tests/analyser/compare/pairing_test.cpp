#include "analyser/compare/pairing.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <random>

using namespace analyser::compare;

class PairingTest : public QObject {
  Q_OBJECT
private slots:
  void equalNamesPairWhereverTheyAre() {
    const auto p = pairUp({{"a", "k"}, {"b", "k"}, {"c", "k"}}, {{"c", "k"}, {"a", "k"}, {"b", "k"}});
    QCOMPARE(p.pairs.size(), std::size_t(3));
    for (const Pair& pair : p.pairs) QCOMPARE(pair.confidence, 1.0);
  }
  void aRenamedItemPairsBetweenItsNeighbours() {
    const auto p = pairUp({{"in", "x"}, {"encoder/3/ffn", "matmul", 100}, {"out", "x"}},
                          {{"in", "x"}, {"block/3/ffn", "matmul", 100}, {"out", "x"}});
    QCOMPARE(p.pairs.size(), std::size_t(3));
    QVERIFY(p.pairs[1].confidence > 0.7 && p.pairs[1].confidence < 1);
  }
  void anotherKindNeverPairs() {
    const auto p = pairUp({{"layer1", "conv", 5}}, {{"layer1b", "matmul", 5}});
    QVERIFY(p.pairs.empty());
    QCOMPARE(p.baseOnly, std::vector<int>{0});
    QCOMPARE(p.otherOnly, std::vector<int>{0});
  }
  void rulesOverrule() {
    const std::vector<PairItem> a{{"fc1", "matmul", 5}, {"fc2", "matmul", 5}}, b{{"fc1", "matmul", 5}, {"dense2", "matmul", 5}};
    QCOMPARE(pairUp(a, b).pairs.size(), std::size_t(2));
    QCOMPARE(pairUp(a, b, {{}, {"fc2"}, 0.5}).pairs.size(), std::size_t(1));
    QCOMPARE(pairUp(a, b, {{}, {}, 2}).pairs.size(), std::size_t(1));
    const auto crossed = pairUp(a, b, {{{"fc1", "dense2"}}, {}, 2});
    QCOMPARE(crossed.pairs.size(), std::size_t(1));
    QCOMPARE(crossed.pairs[0].other, 1);
    const std::string error = tests::errorOf([&] { pairUp(a, b, {{{"fc9", "dense2"}}, {}, 2}); });
    QVERIFY2(tests::has(error, "fc9"), error.c_str());
    const std::string apart = tests::errorOf([&] { pairUp(a, b, {{}, {"fc9"}, 0.5}); });
    QVERIFY2(tests::has(apart, "fc9") && tests::has(apart, "--apart"), apart.c_str());
  }
  void theOtherWayRoundIsTheMirror() {
    std::mt19937 random(7);
    for (int round = 0; round < 50; ++round) {
      std::vector<PairItem> a, b;
      for (int i = 0; i < 40; ++i) {
        const std::string n = std::to_string(i), kind = random() % 3 ? "matmul" : "conv";
        if (random() % 8) a.push_back({"layer" + n + "/x", kind, double(random() % 3)});
        if (random() % 8) b.push_back({(random() % 2 ? "layer" : "block") + n + "/x", kind, double(random() % 3)});
      }
      const auto ab = pairUp(a, b), ba = pairUp(b, a);
      QCOMPARE(ab.baseOnly, ba.otherOnly);
      QCOMPARE(ab.otherOnly, ba.baseOnly);
      for (const Pair& p : ab.pairs)
        QVERIFY(std::any_of(ba.pairs.begin(), ba.pairs.end(), [&](const Pair& q) {
          return q.base == p.other && q.other == p.base && q.confidence == p.confidence;
        }));
    }
  }
  void manyUnpairedItemsArePairedByNumber() {
    std::vector<PairItem> a, b;
    for (int i = 0; i < 3000; ++i) {
      a.push_back({"old/" + std::to_string(i), "matmul", 1});
      b.push_back({"new/" + std::to_string(i), "matmul", 1});
    }
    const auto p = pairUp(a, b);
    QCOMPARE(p.pairs.size(), a.size());
    for (const Pair& pair : p.pairs) QCOMPARE(pair.base, pair.other);
  }
};

TILESCOPE_TEST(PairingTest)
#include "pairing_test.moc"
