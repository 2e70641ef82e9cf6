#include "ui/plot/lane_painter.h"

#include "tests/support/test_main.h"

#include <QTest>

using namespace ui::plot;

class LanePainterTest : public QObject {
  Q_OBJECT

  static constexpr QRgb kSurface = 0xffffffff, kRed = 0xffff0000, kBlue = 0xff0000ff;
  const std::vector<QRgb> m_palette{kRed, kBlue};
  const std::set<int> m_none{};

  QImage paint(const std::vector<Slice>& slices, reports::TickRange range, const std::set<int>& hidden) {
    QImage image(100, 10, QImage::Format_RGB32);
    image.fill(kSurface);
    LanePainter(TimeScale(range, 100), m_palette, hidden, kSurface, kBlue).paint(image, 2, 6, slices);
    return image;
  }
  static Slice slice(int64_t begin, int64_t end, int colour, float share = 1, int count = 1) {
    Slice s;
    s.begin = begin, s.end = end, s.colour = colour, s.share = share, s.count = count;
    return s;
  }

private slots:
  void aSliceFarBelowAPixelIsStillSeen() {
    const QImage image = paint({slice(500000, 500001, 0)}, {0, 1000000}, m_none);
    QCOMPARE(image.pixel(50, 4), kRed);
    QCOMPARE(image.pixel(49, 4), kSurface);
    QCOMPARE(image.pixel(51, 4), kSurface);
  }
  // A column is a hundred ticks. A slice of 110 that begins in the middle of one is as wide as a pixel: it must not vanish between
  // its neighbours, wherever the columns' edges lie.
  void aSliceOfAPixelBetweenLongOnesIsSeenAtEveryOffset() {
    for (int offset = 0; offset < 100; offset += 7) {
      const int64_t begin = 5000 + offset;
      const QImage image =
          paint({slice(0, begin, 0), slice(begin, begin + 110, 1), slice(begin + 110, 10000, 0)}, {0, 10000}, m_none);
      const bool isSeen = image.pixel(50, 4) == kBlue || image.pixel(51, 4) == kBlue;
      QVERIFY2(isSeen, qPrintable(QString::number(offset)));
    }
  }
  void aCycleBetweenLongOnesIsSeen() {
    for (int64_t begin : {5000, 5001, 5050, 5099}) {
      const QImage image =
          paint({slice(0, begin, 0), slice(begin, begin + 1, 1), slice(begin + 1, 10000, 0)}, {0, 10000}, m_none);
      QCOMPARE(image.pixel(50, 4), kBlue);
      QCOMPARE(image.pixel(48, 4), kRed);
      QCOMPARE(image.pixel(51, 4), kRed);
    }
  }
  // A wide colour does not hide a colour that has only a few columns.
  void whatIsSeenInTwoColumnsKeepsThem() {
    const QImage image =
        paint({slice(0, 4990, 0), slice(4990, 4991, 1), slice(4991, 5190, 0), slice(5190, 5191, 1), slice(5191, 10000, 0)},
              {0, 10000}, m_none);
    QCOMPARE(image.pixel(49, 4), kBlue); // from the first, which has fifty
    QCOMPARE(image.pixel(50, 4), kRed);
    QCOMPARE(image.pixel(51, 4), kRed);
  }
  void theWidestOfAColumnWins() {
    const QImage image = paint({slice(5000, 5010, 0), slice(5010, 5090, 1), slice(5090, 5095, 0)}, {0, 10000}, m_none);
    QCOMPARE(image.pixel(50, 4), kBlue);
  }
  void onlyTheLaneIsTouched() {
    const QImage image = paint({slice(0, 100, 0)}, {0, 100}, m_none);
    QCOMPARE(image.pixel(10, 1), kSurface);
    QCOMPARE(image.pixel(10, 2), kRed);
    QCOMPARE(image.pixel(10, 7), kRed);
    QCOMPARE(image.pixel(10, 8), kSurface);
  }
  void hiddenColoursAreNotDrawn() {
    const QImage image = paint({slice(0, 50, 0), slice(50, 100, 1)}, {0, 100}, {0});
    QCOMPARE(image.pixel(10, 4), kSurface);
    QCOMPARE(image.pixel(75, 4), kBlue);
  }
  void aHardlyBusyBucketIsFaintButVisible() {
    const QImage image = paint({slice(0, 50, 0, 0.01f, 9), slice(50, 100, 0, 1.0f, 9)}, {0, 100}, m_none);
    QVERIFY(image.pixel(10, 4) != kSurface);
    QVERIFY(qGreen(image.pixel(10, 4)) > qGreen(image.pixel(75, 4)));
  }
  void aDeeperLaneCoversAShallowerOneInAStrip() {
    QImage image(100, 10, QImage::Format_RGB32);
    image.fill(kSurface);
    const std::vector<std::vector<Slice>> lanes{{slice(0, 100, 0)}, {slice(40, 60, 1)}};
    LanePainter(TimeScale({0, 100}, 100), m_palette, m_none, kSurface, kBlue).paintStacked(image, 0, 10, lanes);
    QCOMPARE(image.pixel(10, 4), kRed);
    QCOMPARE(image.pixel(50, 4), kBlue);
    QCOMPARE(image.pixel(99, 4), kRed);
  }
  void slicesOutsideTheRangeAndTheImageAreClipped() {
    const QImage image = paint({slice(-500, 10, 0), slice(90, 5000, 1)}, {0, 100}, m_none);
    QCOMPARE(image.pixel(0, 4), kRed);
    QCOMPARE(image.pixel(99, 4), kBlue);
    QImage small(40, 4, QImage::Format_RGB32);
    small.fill(kSurface);
    const std::vector<Slice> all{slice(0, 100, 0)};
    LanePainter(TimeScale({0, 100}, 100), m_palette, m_none, kSurface, kBlue).paint(small, -3, 99, all);
    QCOMPARE(small.pixel(39, 3), kRed);
  }
};

TILESCOPE_TEST(LanePainterTest)
#include "lane_painter_test.moc"
