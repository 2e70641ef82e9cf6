// Pairs of tiles: there are few runs if neighbours are alike, runs equal the single pairs, and damaged runs are refused.
#include "reports/core/error.h"
#include "reports/core/tile_pairs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <map>
#include <random>

using namespace reports;

namespace {

using PairMap = std::map<std::pair<int64_t, int64_t>, int64_t>; // bytes by receiver and sender

PairMap mapOf(const std::vector<PairRun>& runs) {
  PairMap pairs;
  for (const PairRun& run : runs)
    for (int64_t to = run.receiver; run.receives(to); ++to)
      run.forEachSender(to, [&](int64_t from) { pairs[{to, from}] += run.bytes; });
  return pairs;
}

std::vector<PairRun> runsOf(const PairMap& pairs, std::size_t most = kMostPairRuns) {
  PairWriter writer(most);
  int64_t receiver = -1;
  for (const auto& [pair, bytes] : pairs) {
    if (pair.first != receiver) writer.receiver(receiver = pair.first);
    writer.take(pair.second, bytes);
  }
  return writer.finish();
}

void refuses(Blob blob, std::size_t tiles, const std::string& words) {
  try {
    unpackPairs(blob, tiles, "exchange.pairs");
  } catch (const Error& error) {
    QCOMPARE(error.code(), ErrorCode::Damaged);
    const std::string text = error.what();
    QVERIFY2(text.find("exchange.pairs") != std::string::npos && text.find(words) != std::string::npos, text.c_str());
    return;
  }
  QFAIL("nothing is refused");
}

} // namespace

class TilePairsTest : public QObject {
  Q_OBJECT
private slots:
  void neighboursThatAreAlikeAreOneRun() {
    PairMap broadcast, ring, all, pairs;
    for (int64_t to = 0; to < 100; ++to) {
      if (to > 0) broadcast[{to, 0}] = 64;
      ring[{to + 1, to}] = 8;
      pairs[{to, to ^ 1}] = 8;
      for (int64_t from = 0; from < 100; ++from)
        if (from != to) all[{to, from}] = 4;
    }
    QCOMPARE(runsOf(broadcast), (std::vector<PairRun>{{1, 99, 0, 1, 1, 0, 64}}));
    QCOMPARE(runsOf(ring), (std::vector<PairRun>{{1, 100, 0, 1, 1, 1, 8}}));
    QVERIFY(runsOf(all).size() <= 4);
    for (const PairMap& map : {broadcast, ring, all, pairs}) QCOMPARE(mapOf(runsOf(map)), map);
    PairWriter given(4); // all with all in one word: no tile takes anything from itself
    for (int64_t to = 0; to < 100; ++to) {
      if (to == 0)
        given.receiver(to), given.take(0, 4, 100);
      else
        QVERIFY(given.same(to));
    }
    const auto runs = given.finish();
    QCOMPARE(runs.size(), std::size_t(1));
    QCOMPARE(mapOf(runs), all);
  }

  void runsSayWhatPairsSay() {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
      PairMap pairs;
      const int tiles = 2 + int(random() % 12), kinds = 1 + int(random() % 3), density = 1 + int(random() % 4);
      for (int to = 0; to < tiles; ++to)
        for (int from = 0; from < tiles; ++from)
          if (from != to && int(random() % 4) < density) pairs[{to, from}] = 4 * (1 + int(random() % unsigned(kinds)));
      const auto runs = runsOf(pairs);
      QCOMPARE(mapOf(runs), pairs);
      QCOMPARE(unpackPairs(packPairs(runs), std::size_t(tiles), "x"), runs);
      PairMap swept;
      PairSweep sweep(runs);
      int64_t last = -1;
      while (sweep.next()) {
        QVERIFY(sweep.receiver() > last);
        last = sweep.receiver();
        for (const auto& [from, bytes] : sweep.senders()) QVERIFY(swept.emplace(std::pair(last, from), bytes).second);
      }
      QCOMPARE(swept, pairs);
      std::vector<int64_t> received(std::size_t(tiles), 0);
      for (const auto& [pair, bytes] : pairs) received[std::size_t(pair.first)] += bytes;
      QCOMPARE(bytesReceived(runs, std::size_t(tiles)), received);
      for (const PairRun& run : runs)
        for (int64_t to = run.receiver; run.receives(to); ++to)
          for (int64_t from = 0; from < tiles; ++from) {
            int found = 0;
            run.forEachSender(to, [&](int64_t sender) { found += sender == from; });
            QCOMPARE(run.sends(from, to), found);
          }
    }
  }

  // Runs of several parts of an exchange may name a pair twice.
  void aPairOfSeveralRunsIsSummedUp() {
    PairSweep sweep({{5, 2, 0, 2, 1, 0, 8}, {2, 1, 3, 1, 1, 0, 4}, {6, 1, 1, 1, 1, 0, 100}});
    using Senders = std::vector<std::pair<int64_t, int64_t>>;
    QVERIFY(sweep.next());
    QCOMPARE(sweep.receiver(), int64_t(2));
    QVERIFY(sweep.next() && sweep.next());
    QCOMPARE(sweep.receiver(), int64_t(6));
    QCOMPARE(sweep.senders(), (Senders{{0, 8}, {1, 108}}));
    QVERIFY(!sweep.next());
    QVERIFY(!sweep.next());
  }

  void tooManyRunsAreNone() {
    PairMap pairs;
    for (int64_t to = 0; to < 20; ++to) pairs[{to, 40}] = 4 * (to + 1);
    QCOMPARE(runsOf(pairs, 20).size(), std::size_t(20));
    QVERIFY(runsOf(pairs, 19).empty());
    PairMap uneven; // the receiver before the last has too many runs, and the last one has room again
    for (int64_t to = 0; to < 10; ++to) uneven[{to, 40}] = 4 * (to + 1);
    for (int64_t from = 41; from < 51; ++from) uneven[{20, from}] = 4 * from;
    uneven[{30, 40}] = 4;
    QVERIFY(runsOf(uneven, 15).empty());
    QCOMPARE(mapOf(runsOf(uneven, 21)), uneven);
    PairWriter alike(4); // receivers that join the one before add no runs
    for (int64_t to = 0; to < 8; ++to) {
      if (to > 0) {
        QVERIFY(alike.same(to));
        continue;
      }
      alike.receiver(to);
      for (int64_t n = 0; n < 4; ++n) alike.take(20 + 3 * n * n, 4 * (n + 1));
    }
    QVERIFY(!alike.full());
    QCOMPARE(pairsIn(alike.finish()), int64_t(8 * 4));
  }

  // Senders 1 and 3 of receiver 2 are one run that skips the receiver. For another receiver, the same run would include sender 2.
  void aRunAroundItsReceiverIsNoOthers() {
    PairWriter writer;
    writer.receiver(2);
    writer.take(1, 8), writer.take(3, 8);
    QVERIFY(!writer.same(5));
    writer.receiver(5);
    writer.take(1, 8), writer.take(3, 8);
    QCOMPARE(mapOf(writer.finish()), (PairMap{{{2, 1}, 8}, {{2, 3}, 8}, {{5, 1}, 8}, {{5, 3}, 8}}));
  }

  // Long lists are compressed; lists of the same runs on other tiles differ only in their first bytes.
  void longListsAreCompressed() {
    std::vector<PairRun> runs;
    for (int32_t i = 0; i < 1000; ++i) runs.push_back({i, 1, i / 3, 1 + i % 2, 1, 0, 8 + i % 5});
    const Blob packed = packPairs(runs);
    QCOMPARE(int(packed[0]), 0);
    QVERIFY(packed.size() < 1000);
    QCOMPARE(unpackPairs(packed, 1000, "x"), runs);
    const Blob moved = movedPairs(packed, 5000);
    QVERIFY(std::equal(packed.begin() + 4, packed.end(), moved.begin() + 5, moved.end())); // the tile takes two bytes
    std::vector<PairRun> further = unpackPairs(moved, 6000, "x");
    for (PairRun& run : further) run.receiver -= 5000, run.sender -= 5000;
    QCOMPARE(further, runs);
    refuses(moved, 5999, "tile 5999 of 5999");
    // A short one is as it is.
    const std::vector<PairRun> one{{0, 4, 4, 2, 2, 0, 16}}, there{{10, 4, 14, 2, 2, 0, 16}};
    QCOMPARE(unpackPairs(movedPairs(packPairs(one), 10), 20, "x"), there);
    Blob cut = packed, wide{0, 0xff, 0xff, 0xff, 0xff, 0x0f, 100}, large{0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f};
    cut.resize(cut.size() / 2);
    refuses(cut, 1000, "cut short");
    refuses(wide, 1000, "tile 4294967295");
    refuses(large, 1000, "4294967295 packed bytes");
    refuses({0, 5}, 1000, "cut short");
  }

  // A few hundred bytes in a report: the maximum number of runs, each with all tiles, for one receiver.
  void aBombIsRefused() {
    const std::vector<PairRun> runs(kMostPairRuns, PairRun{0, 1, 1, 5886, 1, 0, 1});
    const Blob blob = packPairs(runs);
    QVERIFY(blob.size() < 400);
    refuses(blob, 5888, "more than there can be");
    // Sums of exchanges have all tiles a few times.
    const std::vector<PairRun> four(4, PairRun{0, 64, 0, 64, 1, 0, 8}), five(5, PairRun{0, 1, 0, 64, 1, 0, 8});
    QCOMPARE(unpackPairs(packPairs(four), 64, "x"), four);
    refuses(packPairs(five), 64, "more than there can be");
  }

  void damageIsNamed() {
    const std::vector<PairRun> sound{{0, 4, 4, 2, 2, 0, 16}};
    QCOMPARE(unpackPairs(packPairs(sound), 7, "x"), sound);
    refuses(packPairs(sound), 6, "tile 6 of 6");
    refuses(packPairs(std::vector<PairRun>{{0, 4, 2, 1, 1, -1, 16}}), 8, "tile -1 of 8");
    refuses(packPairs(std::vector<PairRun>{{0, 4, 2, 1, 1, 0, 0}}), 8, "0 bytes");
    refuses(packPairs(std::vector<PairRun>{{0, 0, 2, 1, 1, 0, 4}}), 8, "without receivers");
    Blob cut = packPairs(sound), longer = cut, many{0xff, 0xff, 0xff, 0xff, 0x0f};
    cut.pop_back();
    longer.push_back(0);
    refuses(cut, 8, "cut short");
    refuses(longer, 8, "more than 1 runs");
    refuses(many, 8, "4294967295 runs");
    refuses({}, 8, "cut short");
    std::mt19937 random(3);
    for (int round = 0; round < 2000; ++round) { // whatever the bytes are, only Error(Damaged) comes
      Blob blob(random() % 24);
      for (auto& b : blob) b = uint8_t(random() % (round % 2 ? 256 : 8));
      try {
        for (const PairRun& run : unpackPairs(blob, 64, "x")) QVERIFY(run.bytes > 0);
      } catch (const Error& error) {
        QCOMPARE(error.code(), ErrorCode::Damaged);
      }
    }
  }
};

TILESCOPE_TEST(TilePairsTest)
#include "tile_pairs_test.moc"
