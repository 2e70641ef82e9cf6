#include "ui/plot/split_bar.h"

#include "tests/support/test_main.h"
#include "ui/plot/histogram.h"
#include "ui/theme/theme.h"

#include <QSignalSpy>
#include <QTest>

#include <numeric>

using namespace ui::plot;

class SplitBarTest : public QObject {
  Q_OBJECT

private slots:
  void widthsFillTheBar() {
    const auto widths = splitWidths({90, 9, 1, 0.0001}, 101);
    QCOMPARE(std::accumulate(widths.begin(), widths.end(), 0), 101);
    QVERIFY(widths[3] >= 2);
    QVERIFY(widths[0] > widths[1]);
  }

  void nothingHasNoWidth() {
    QCOMPARE(splitWidths({0, 5, -1}, 50), (std::vector<int>{0, 50, 0}));
    QCOMPARE(splitWidths({0, 0}, 50), (std::vector<int>{0, 0}));
  }

  void histogramCountsEveryValue() {
    const std::vector<int64_t> values{0, 100, 1023, 1024, 5000, 70000};
    const auto bars = histogramOf(values, 1024, 16);
    QVERIFY(bars.size() <= 16);
    int64_t count = 0;
    for (std::size_t i = 0; i < bars.size(); ++i) {
      count += bars[i].count;
      if (i) QCOMPARE(bars[i].begin, bars[i - 1].end);
    }
    QCOMPARE(count, int64_t(values.size()));
    QVERIFY(bars.front().begin <= 0 && bars.back().end > 70000);
    QVERIFY(histogramOf({}, 1024, 16).empty());
  }

  // The highest bar may be below the label of the limit: its number must not overlap the label.
  void theLabelOfTheLimitHasItsOwnLine() {
    const ui::theme::Theme theme;
    Histogram histogram(theme, QStringLiteral("Tiles"));
    histogram.resize(400, 150);
    histogram.setBars({{0, 10, 1}, {10, 20, 5}}, QStringLiteral("tiles"));
    const int line = QFontMetrics(theme.small()).height(), number = line;
    for (const int limit : {0, 20, 1000}) { // none, at the end, too far off to be shown: the line has the name, too
      histogram.setLimit(limit, QStringLiteral("limit"));
      QVERIFY(histogram.barRect(1).top() >= line + number);
    }
  }

  void clickNamesTheInterval() {
    const ui::theme::Theme theme;
    Histogram histogram(theme, QStringLiteral("Tiles"));
    histogram.resize(400, 150);
    histogram.setBars({{0, 10, 5}, {10, 20, 1}}, QStringLiteral("tiles"));
    QSignalSpy clicked(&histogram, &Histogram::barClicked);
    QTest::mouseClick(&histogram, Qt::LeftButton, {}, histogram.barRect(1).center().toPoint());
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked[0][0].toLongLong(), 10);
    QCOMPARE(clicked[0][1].toLongLong(), 20);
  }
};

TILESCOPE_TEST(SplitBarTest)
#include "split_bar_test.moc"
