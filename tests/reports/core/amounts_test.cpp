// Amounts per tile, read as runs, equal the same column read tile by tile.
#include "reports/core/amounts.h"
#include "reports/core/error.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <numeric>
#include <random>

using namespace reports;

namespace {
AmountRuns runsOf(const std::vector<int64_t>& values) { return {packRuns(values), values.size(), "x"}; }
} // namespace

class AmountsTest : public QObject {
  Q_OBJECT
private slots:
  void runsAreTheColumn() {
    std::mt19937_64 random(3);
    for (int round = 0; round < 200; ++round) {
      std::vector<int64_t> values(1 + random() % 40);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = i > 0 && random() % 3 ? values[i - 1] : int64_t(random() % 4);
      const AmountRuns runs = runsOf(values);
      QCOMPARE(runs.size(), values.size());
      QCOMPARE(runs.values(), values);
      QCOMPARE(runs.sum(), std::accumulate(values.begin(), values.end(), int64_t(0)));
      QCOMPARE(runs.positive(), int64_t(std::count_if(values.begin(), values.end(), [](int64_t v) { return v > 0; })));
      const auto most = std::max_element(values.begin(), values.end());
      QCOMPARE(runs.most().value, *most);
      QCOMPARE(int64_t(runs.most().begin), int64_t(most - values.begin()));
      for (std::size_t t = 0; t < values.size(); ++t) QCOMPARE(runs.at(t), values[t]);
      const int64_t begin = int64_t(random() % 50), end = int64_t(random() % 50);
      int64_t inside = 0;
      for (int64_t t = begin; t < std::min(end, int64_t(values.size())); ++t) inside += values[std::size_t(t)];
      QCOMPARE(runs.sumOf({begin, end}), inside);
    }
    QCOMPARE(runsOf({}).sum(), int64_t(0));
    QCOMPARE(runsOf({}).most().value, int64_t(0));
  }

  void stretchesAreOfBothColumns() {
    const std::vector<int64_t> a{1, 1, 1, 0, 0, 5}, b{2, 0, 0, 0, 7, 7};
    std::vector<int64_t> first, second;
    int stretches = 0;
    forEachStretch(runsOf(a), runsOf(b), [&](std::size_t begin, std::size_t end, int64_t x, int64_t y) {
      first.insert(first.end(), end - begin, x), second.insert(second.end(), end - begin, y);
      ++stretches;
    });
    QCOMPARE(first, a);
    QCOMPARE(second, b);
    QCOMPARE(stretches, 5);
  }

  void whatNoTileHoldsIsDamage() {
    QVERIFY_EXCEPTION_THROWN(runsOf({1, -1}), Error);
    QVERIFY_EXCEPTION_THROWN(runsOf({(int64_t(1) << 40) + 1}), Error);
    QVERIFY_EXCEPTION_THROWN(AmountRuns(packRuns(std::vector<int64_t>{1, 1}), 3, "x"), Error);
  }
};

TILESCOPE_TEST(AmountsTest)
#include "amounts_test.moc"
