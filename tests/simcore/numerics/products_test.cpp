// Convolutions and products: the library path in float against the plain loops in double, and a few values by hand.
#include "reports/core/error.h"
#include "simcore/numerics/convolution.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/matmul.h"
#include "simcore/numerics/reduce.h"
#include "tests/simcore/numerics/random_tensor.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore::numerics;
using tests::difference;
using tests::randomTensor;

class ProductsTest : public QObject {
  Q_OBJECT
private slots:
  void convolutionAgreesWithPlainLoops_data() {
    QTest::addColumn<std::vector<std::int64_t>>("x");
    QTest::addColumn<std::vector<std::int64_t>>("w");
    QTest::addColumn<std::vector<std::int64_t>>("strides");
    QTest::addColumn<std::vector<std::int64_t>>("dilations");
    QTest::addColumn<std::vector<std::int64_t>>("pads");
    QTest::addColumn<int>("groups");
    using V = std::vector<std::int64_t>;
    QTest::newRow("plain") << V{2, 3, 9, 8} << V{5, 3, 3, 3} << V{} << V{} << V{} << 1;
    QTest::newRow("stride and uneven pads") << V{1, 4, 10, 11} << V{6, 4, 3, 2} << V{2, 3} << V{} << V{1, 0, 2, 1} << 1;
    QTest::newRow("dilated") << V{1, 4, 12, 12} << V{4, 4, 3, 3} << V{1, 2} << V{2, 3} << V{2, 3, 2, 3} << 1;
    QTest::newRow("grouped") << V{2, 6, 7, 7} << V{9, 2, 3, 3} << V{} << V{} << V{1, 1, 1, 1} << 3;
    QTest::newRow("depthwise") << V{1, 16, 8, 8} << V{16, 1, 3, 3} << V{2, 2} << V{} << V{1, 1, 1, 1} << 16;
    QTest::newRow("depthwise times two") << V{1, 5, 8, 8} << V{10, 1, 3, 3} << V{} << V{} << V{0, 1, 0, 1} << 5;
    QTest::newRow("one dimension") << V{2, 3, 20} << V{4, 3, 5} << V{2} << V{2} << V{1, 3} << 1;
    QTest::newRow("three dimensions") << V{1, 2, 5, 6, 7} << V{3, 2, 2, 3, 2} << V{1, 2, 1} << V{} << V{1, 0, 1, 0, 1, 0} << 1;
    QTest::newRow("pads beyond the kernel") << V{1, 1, 3, 3} << V{1, 1, 2, 2} << V{} << V{} << V{3, 3, 3, 3} << 1;
  }
  void convolutionAgreesWithPlainLoops() {
    QFETCH(std::vector<std::int64_t>, x);
    QFETCH(std::vector<std::int64_t>, w);
    QFETCH(std::vector<std::int64_t>, strides);
    QFETCH(std::vector<std::int64_t>, dilations);
    QFETCH(std::vector<std::int64_t>, pads);
    QFETCH(int, groups);
    const HostTensor input = randomTensor(x, 1), weights = randomTensor(w, 2), bias = randomTensor({w[0]}, 3);
    const Window window = makeWindow({w.begin() + 2, w.end()}, strides, dilations, pads);
    const HostTensor fast = convolution(input, weights, &bias, window, groups);
    const auto wide = [](const HostTensor& t) { return t.cast(ElementType::Double); };
    const HostTensor wideBias = wide(bias);
    QVERIFY(difference(fast, convolution(wide(input), wide(weights), &wideBias, window, groups)) < 1e-5);
    QVERIFY(fast.identicalTo(convolution(input, weights, &bias, window, groups))); // the same bits every time

    // A transposed convolution is the adjoint of the convolution: <conv(x), y> = <x, convT(y)>.
    const HostTensor y = randomTensor(fast.shape(), 4);
    const HostTensor unbiased = convolution(wide(input), wide(weights), nullptr, window, groups);
    std::vector<std::int64_t> extra;
    for (std::size_t i = 2; i < x.size(); ++i)
      extra.push_back(x[i] - ((fast.dim(i) - 1) * window.strides[i - 2] + window.span(i - 2) - window.padsBefore[i - 2] -
                              window.padsAfter[i - 2]));
    const HostTensor back = transposedConvolution(y, weights, nullptr, window, groups, extra);
    QCOMPARE(back.shape(), input.shape());
    const auto inner = [&](const HostTensor& a, const HostTensor& b) {
      return reduce(ReduceKind::Sum, binary(BinaryKind::Mul, wide(a).reshaped({a.count()}), wide(b).reshaped({b.count()})), {0},
                    false)
          .at(0);
    };
    const double left = inner(unbiased, y), right = inner(input, back);
    QVERIFY2(std::abs(left - right) < 1e-4 * (1 + std::abs(left)), qPrintable(QString("%1 and %2").arg(left).arg(right)));
  }

  void convolutionByHand() {
    const HostTensor x = HostTensor::of<float>({1, 1, 2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
    const HostTensor w = HostTensor::of<float>({1, 1, 1, 2}, std::vector<float>{10, 1});
    const HostTensor y = convolution(x, w, nullptr, makeWindow({1, 2}, {}, {}, {}), 1);
    QCOMPARE(y.toDoubles(), (std::vector<double>{12, 23, 45, 56}));
    QVERIFY_EXCEPTION_THROWN((void)convolution(x, w, nullptr, makeWindow({1, 2}, {}, {}, {}), 2), reports::Error);
    QVERIFY_EXCEPTION_THROWN((void)convolution(x, w, &x, makeWindow({1, 2}, {}, {}, {}), 1), reports::Error);
  }

  void automaticPads() {
    Window same = makeWindow({3}, {2}, {}, {});
    resolveAutoPad(same, AutoPad::SameUpper, {6});
    QCOMPARE(same.padsBefore[0], 0);
    QCOMPARE(same.padsAfter[0], 1);
    resolveAutoPad(same, AutoPad::SameLower, {6});
    QCOMPARE(same.padsBefore[0], 1);
    QCOMPARE(windowOutputSizes(same, {6}, false), (Shape{3}));
    QVERIFY_EXCEPTION_THROWN((void)windowOutputSizes(makeWindow({9}, {}, {}, {}), {6}, false), reports::Error);
    QVERIFY_EXCEPTION_THROWN((void)makeWindow({3}, {0}, {}, {}), reports::Error);
  }

  void matmulBroadcasts() {
    const HostTensor a = randomTensor({2, 1, 3, 4}, 5), b = randomTensor({5, 4, 2}, 6);
    const HostTensor y = matmul(a, b);
    QCOMPARE(y.shape(), (Shape{2, 5, 3, 2}));
    QVERIFY(difference(y, matmul(a.cast(ElementType::Double), b.cast(ElementType::Double))) < 1e-6);
    for (std::int64_t i = 0; i < 2; ++i)
      for (std::int64_t j = 0; j < 5; ++j) {
        const HostTensor one = matmul(slice(a, 0, i, 1).reshaped({3, 4}), slice(b, 0, j, 1).reshaped({4, 2}));
        QVERIFY(difference(slice(slice(y, 0, i, 1), 1, j, 1).reshaped({3, 2}), one) < 1e-6);
      }
    QCOMPARE(matmul(randomTensor({4}, 1), randomTensor({4}, 2)).shape(), Shape{});
    QCOMPARE(matmul(randomTensor({4}, 1), b).shape(), (Shape{5, 2}));
    QVERIFY_EXCEPTION_THROWN((void)matmul(a, randomTensor({3, 2}, 1)), reports::Error);
  }

  void gemmTransposesAndScales() {
    const HostTensor a = randomTensor({3, 4}, 1), b = randomTensor({4, 5}, 2), c = randomTensor({5}, 3);
    const HostTensor want = gemm(a.cast(ElementType::Double), b.cast(ElementType::Double), nullptr, 1, 0, false, false);
    QVERIFY(difference(gemm(transpose(a, {1, 0}), transpose(b, {1, 0}), nullptr, 1, 0, true, true), want) < 1e-6);
    const HostTensor scaled = gemm(a, b, &c, 2, 3, false, false);
    for (std::int64_t i = 0; i < 15; ++i) QVERIFY(std::abs(scaled.at(i) - (2 * want.at(i) + 3 * c.at(i % 5))) < 1e-5);
    QCOMPARE(gemm(HostTensor(ElementType::Float, {2, 0}), HostTensor(ElementType::Float, {0, 3}), nullptr, 1, 1, false, false)
                 .toDoubles(),
             std::vector<double>(6, 0.0));
  }
};

TILESCOPE_TEST(ProductsTest)
#include "products_test.moc"
