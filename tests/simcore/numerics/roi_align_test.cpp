// Regions of feature maps and the inverse of a maximum pool: values by hand.
#include "reports/core/error.h"
#include "simcore/numerics/resize.h"
#include "simcore/numerics/roi_align.h"
#include "tests/simcore/numerics/random_tensor.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore::numerics;
using Doubles = std::vector<double>;

class RegionsTest : public QObject {
  Q_OBJECT

  // One image of 4 x 4 whose element (row, column) is 10 row + column: linear, so that bilinear samples are exact.
  static HostTensor ramp() {
    std::vector<float> values;
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 4; ++x) values.push_back(float(10 * y + x));
    return HostTensor::of({1, 1, 4, 4}, values);
  }

private slots:
  void meansOfARampAreItsMiddles() {
    RegionParameters p;
    p.height = p.width = 2;
    p.samples = 2;
    const HostTensor region = HostTensor::of({1, 4}, std::vector<float>{0.5f, 0.5f, 2.5f, 2.5f});
    const HostTensor image = HostTensor::vector<std::int64_t>({0});
    // Bins of one element around (0.5, 0.5), (0.5, 1.5) ...
    QCOMPARE(alignRegions(ramp(), region, image, p).toDoubles(), (Doubles{5.5, 6.5, 15.5, 16.5}));
    p.halfPixel = false;
    QCOMPARE(alignRegions(ramp(), region, image, p).toDoubles(), (Doubles{11, 12, 21, 22}));
    p.scale = 0.5;
    QVERIFY(alignRegions(ramp(), region, image, p).at(0) < 11);
    QVERIFY_EXCEPTION_THROWN((void)alignRegions(ramp(), region, HostTensor::vector<std::int64_t>({1}), p), reports::Error);
  }

  void maximaOfBins() {
    RegionParameters p;
    p.height = p.width = 2;
    const HostTensor region = HostTensor::of({2, 5}, std::vector<float>{0, 0, 0, 3, 3, 0, 2, 2, 9, 9});
    const HostTensor y = maxPoolRegions(ramp(), region, p);
    QCOMPARE(y.at(0), 11.0);
    QCOMPARE(y.at(3), 33.0);
    QCOMPARE(y.at(7), 0.0); // outside of the image
  }

  void unpoolingPutsElementsBack() {
    const HostTensor x = HostTensor::of({1, 1, 1, 2}, std::vector<float>{7, 8});
    QCOMPARE(unpool(x, HostTensor::of({1, 1, 1, 2}, std::vector<std::int64_t>{1, 2}), {1, 1, 1, 4}).toDoubles(),
             (Doubles{0, 7, 8, 0}));
    QVERIFY_EXCEPTION_THROWN((void)unpool(x, HostTensor::of({1, 1, 1, 2}, std::vector<std::int64_t>{1, 4}), {1, 1, 1, 4}),
                             reports::Error);
  }

  void shrinkingAxesRoundUp() {
    ResizeParameters p;
    p.coordinates = ResizeCoordinates::Asymmetric;
    p.rounding = NearestRounding::Shrinking;
    p.scales = {0.6, 1.5};
    // Rows 0 and ceil(1 / 0.6); columns floor(i / 1.5).
    const HostTensor x = HostTensor::of({4, 2}, std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7});
    QCOMPARE(resize(x, p).toDoubles(), (Doubles{0, 0, 1, 4, 4, 5}));
  }
};

TILESCOPE_TEST(RegionsTest)
#include "roi_align_test.moc"
