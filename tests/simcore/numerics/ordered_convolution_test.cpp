// This kernel guarantees the order of summation, so results are compared bit by bit with plain loops.
#include "simcore/numerics/convolution.h"
#include "simcore/numerics/ordered_convolution.h"
#include "tests/simcore/numerics/random_tensor.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace simcore::numerics;

class OrderedConvolutionTest : public QObject {
  Q_OBJECT
private slots:
  void bits_data() {
    QTest::addColumn<QList<int>>("sizes"); // N C H W M ky kx stride dilation pad groups
    QTest::newRow("3x3") << QList<int>{1, 16, 9, 11, 24, 3, 3, 1, 1, 1, 1};
    QTest::newRow("channels beyond a block") << QList<int>{2, 21, 6, 30, 17, 3, 3, 1, 1, 1, 1};
    QTest::newRow("few channels") << QList<int>{1, 3, 16, 16, 16, 3, 3, 2, 1, 1, 1};
    QTest::newRow("1x1") << QList<int>{1, 300, 5, 7, 40, 1, 1, 1, 1, 0, 1};
    QTest::newRow("1x1 with a stride") << QList<int>{1, 64, 9, 9, 16, 1, 1, 2, 1, 0, 1};
    QTest::newRow("dilated") << QList<int>{1, 8, 20, 20, 8, 3, 5, 1, 2, 3, 1};
    QTest::newRow("channels in parts") << QList<int>{1, 700, 12, 31, 20, 3, 3, 1, 4, 4, 1};
    QTest::newRow("channels of 1x1 in parts") << QList<int>{1, 2600, 5, 7, 18, 1, 1, 1, 1, 0, 1};
    QTest::newRow("taps beyond the image") << QList<int>{1, 16, 7, 20, 16, 3, 3, 1, 9, 9, 1};
    QTest::newRow("parts with a stride") << QList<int>{2, 400, 13, 40, 16, 3, 3, 2, 6, 6, 1};
    QTest::newRow("groups") << QList<int>{1, 32, 8, 8, 32, 3, 3, 1, 1, 1, 2};
    QTest::newRow("one row") << QList<int>{2, 12, 0, 50, 10, 1, 5, 3, 1, 2, 1};
  }
  void bits() {
    QFETCH(QList<int>, sizes);
    const std::int64_t n = sizes[0], c = sizes[1], h = sizes[2], w = sizes[3], m = sizes[4], ky = sizes[5], kx = sizes[6];
    const bool flat = h == 0;
    const Shape x = flat ? Shape{n, c, w} : Shape{n, c, h, w};
    const Shape weights = flat ? Shape{m, c / sizes[10], kx} : Shape{m, c / sizes[10], ky, kx};
    const auto both = [&](std::int64_t value) { return flat ? Shape{value} : Shape{value, value}; };
    Shape pads = both(sizes[9]);
    pads.insert(pads.end(), pads.begin(), pads.end());
    const Window window = makeWindow({weights.begin() + 2, weights.end()}, both(sizes[7]), both(sizes[8]), pads);
    if (!hasOrderedConvolution(x, weights, window, sizes[10])) QSKIP("this processor has no fused multiply-add");
    const HostTensor in = tests::randomTensor(x, 1), filter = tests::randomTensor(weights, 2), bias = tests::randomTensor({m}, 3);
    const HostTensor addend = tests::randomTensor(convolutionShape(x, weights, window, sizes[10]), 4);
    for (const HostTensor* added : {static_cast<const HostTensor*>(nullptr), &addend}) {
      const HostTensor got = convolution(in, filter, &bias, window, sizes[10], added);
      const HostTensor want = plain(in, filter, bias, added, window, sizes[10], got.shape());
      QVERIFY(got.identicalTo(want));
    }
  }

private:
  static HostTensor plain(const HostTensor& x, const HostTensor& weights, const HostTensor& bias, const HostTensor* addend,
                          const Window& w, std::int64_t groups, const Shape& shape) {
    HostTensor result(ElementType::Float, shape);
    const bool flat = x.rank() == 3;
    const std::int64_t h = flat ? 1 : x.dim(2), wd = x.dim(x.rank() - 1), oh = flat ? 1 : shape[2], ow = shape.back();
    const std::int64_t ky = flat ? 1 : w.kernel[0], kx = w.kernel.back(), c = weights.dim(1), m = shape[1] / groups;
    const std::int64_t block = c < 8 ? 1 : ky * kx == 1 ? 128 : 8;
    auto out = result.mutableValues<float>();
    for (std::int64_t n = 0; n < shape[0]; ++n)
      for (std::int64_t o = 0; o < shape[1]; ++o)
        for (std::int64_t y = 0; y < oh; ++y)
          for (std::int64_t at = 0; at < ow; ++at) {
            const std::size_t here = std::size_t(((n * shape[1] + o) * oh + y) * ow + at);
            float total = addend ? addend->values<float>()[here] : 0;
            for (std::int64_t from = 0; from < c; from += block) {
              float sum = 0;
              for (std::int64_t i = 0; i < ky; ++i)
                for (std::int64_t j = 0; j < kx; ++j)
                  for (std::int64_t k = from; k < std::min(c, from + block); ++k) {
                    const std::int64_t iy = flat ? 0 : y * w.strides[0] + i * w.dilations[0] - w.padsBefore[0];
                    const std::int64_t ix = at * w.strides.back() + j * w.dilations.back() - w.padsBefore.back();
                    if (iy < 0 || ix < 0 || iy >= h || ix >= wd) continue;
                    sum = std::fma(weights.values<float>()[std::size_t(((o * c + k) * ky + i) * kx + j)],
                                   x.values<float>()[std::size_t(((n * x.dim(1) + o / m * c + k) * h + iy) * wd + ix)], sum);
                  }
              total += sum;
            }
            out[here] = total + bias.values<float>()[std::size_t(o)];
          }
    return result;
  }
};

TILESCOPE_TEST(OrderedConvolutionTest)
#include "ordered_convolution_test.moc"
