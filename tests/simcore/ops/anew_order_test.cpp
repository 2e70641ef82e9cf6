// The order in which products lay operands out anew: every element is in one share, and boxes come from the tiles that hold them.
#include "simcore/ops/conv/conv_anew.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <map>

using namespace simcore;
using graph::Box;
using graph::Distribution;

class AnewOrderTest : public QObject {
  Q_OBJECT

  using Element = std::array<int64_t, 4>; // batch, channel of all groups, row, column
  template<class F> static void forEach(const Box& box, F f) {
    for (int64_t n = box.dims[0].begin; n < box.dims[0].end; ++n)
      for (int64_t c = box.dims[1].begin; c < box.dims[1].end; ++c)
        for (int64_t h = box.dims[2].begin; h < box.dims[2].end; ++h)
          for (int64_t w = box.dims[3].begin; w < box.dims[3].end; ++w) f(Element{n, c, h, w});
  }

private slots:
  void boxesComeFromTheirHolders_data() {
    QTest::addColumn<int>("groups");
    QTest::addColumn<int>("channels");
    QTest::addColumn<int>("grain");
    QTest::addRow("whole groups of channels") << 1 << 16 << 4;
    QTest::addRow("a last group of channels with padding") << 1 << 10 << 4;
    QTest::addRow("several groups") << 3 << 8 << 4;
    QTest::addRow("several groups with padding") << 3 << 6 << 4;
    QTest::addRow("a grain above the channels") << 2 << 3 << 16;
  }
  void boxesComeFromTheirHolders() {
    QFETCH(int, groups);
    QFETCH(int, channels);
    QFETCH(int, grain);
    const ops::AnewOrder order(2, groups, channels, {5, 3}, grain);
    const Distribution shares = order.shares(7, 0, graph::TileRange{0, 100});
    std::map<Element, int64_t> tileOf;
    for (int64_t c = 0; c < shares.cells(); ++c)
      order.forEachBox(shares.cell(c).dims[0], [&](const Box& box) {
        forEach(box, [&](const Element& e) { QVERIFY(tileOf.emplace(e, shares.tileOf(c)).second); });
      });
    QCOMPARE(int64_t(tileOf.size()), int64_t(2) * groups * channels * 5 * 3);
    // Boxes with whole grains of channels: the senders are the holders of their elements. Padding counts with its channels.
    const bool isPadded = channels % std::min(grain, channels) != 0;
    for (const Box& box : {Box{{{0, 2}, {0, int64_t(groups) * channels}, {0, 5}, {0, 3}}},
                           Box{{{1, 2}, {0, int64_t(groups) * channels}, {2, 4}, {0, 3}}},
                           Box{{{0, 1}, {0, std::min(grain, channels)}, {0, 5}, {1, 2}}}}) {
      std::map<int64_t, int64_t> expected;
      forEach(box, [&](const Element& e) { expected[tileOf.at(e)] += 4; });
      graph::PerTile bytes;
      bytes.add({90, 91}, box.volume() * 4);
      graph::PlannedPairs pairs(shares, bytes);
      pairs.receiver(90);
      order.take(pairs, box);
      std::map<int64_t, int64_t> sent;
      for (const reports::PairRun& run : pairs.finish()) run.forEachSender(90, [&](int64_t from) { sent[from] += run.bytes; });
      int64_t sum = 0;
      for (const auto& [tile, amount] : sent) {
        sum += amount;
        QVERIFY(expected.contains(tile));
        if (!isPadded) QCOMPARE(amount, expected[tile]);
      }
      QCOMPARE(sum, box.volume() * 4);
      QCOMPARE(sent.size(), expected.size());
    }
  }
};

TILESCOPE_TEST(AnewOrderTest)
#include "anew_order_test.moc"
