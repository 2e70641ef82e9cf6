// Element-wise, layout, indexing, reduction, pooling and normalisation kernels: values by hand and invariants.
#include "reports/core/error.h"
#include "simcore/numerics/einsum.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/indexing.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/matmul.h"
#include "simcore/numerics/normalisation.h"
#include "simcore/numerics/pooling.h"
#include "simcore/numerics/reduce.h"
#include "simcore/numerics/resize.h"
#include "tests/simcore/numerics/random_tensor.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace simcore::numerics;
using tests::difference;
using tests::randomTensor;
using Doubles = std::vector<double>;
using Integers = std::vector<std::int64_t>;

class KernelsTest : public QObject {
  Q_OBJECT
private slots:
  // A wide window moves over the channels; an infinity or NaN has an effect only while it is inside the window.
  void responseNormOfWideWindows() {
    for (const std::int64_t size : {64, 65, 99, 300, 1000}) {
      HostTensor x = randomTensor({2, 150, 3}, 9);
      auto values = x.mutableValues<float>();
      values[3 * 20 + 1] = std::numeric_limits<float>::infinity(), values[3 * 110 + 2] = std::numeric_limits<float>::quiet_NaN();
      const HostTensor y = localResponseNorm(x, size, 0.5, 0.6, 1.5);
      for (std::int64_t n = 0; n < 2; ++n)
        for (std::int64_t c = 0; c < 150; ++c)
          for (std::int64_t i = 0; i < 3; ++i) {
            double sum = 0;
            for (std::int64_t k = std::max<std::int64_t>(0, c - (size - 1) / 2); k <= std::min<std::int64_t>(149, c + size / 2);
                 ++k)
              sum += std::pow(x.at((n * 150 + k) * 3 + i), 2);
            const std::int64_t at = (n * 150 + c) * 3 + i;
            const double want = x.at(at) / std::pow(1.5 + 0.5 / double(size) * sum, 0.6);
            QVERIFY(std::isnan(want) ? std::isnan(y.at(at)) : std::abs(y.at(at) - want) < 1e-5);
          }
    }
  }

  void broadcastEqualsExplicitExpansion() {
    const HostTensor a = randomTensor({2, 1, 4, 1}, 1), b = randomTensor({3, 1, 5}, 2);
    const Shape shape{2, 3, 4, 5};
    for (const auto kind : {BinaryKind::Add, BinaryKind::Sub, BinaryKind::Mul, BinaryKind::Div, BinaryKind::Max})
      QVERIFY(binary(kind, a, b).identicalTo(binary(kind, expand(a, shape), expand(b, shape))));
    QVERIFY_EXCEPTION_THROWN((void)binary(BinaryKind::Add, a, a.cast(ElementType::Double)), reports::Error);
  }

  void integersWrapAndDivideSafely() {
    const auto least = std::numeric_limits<std::int32_t>::min();
    const HostTensor a = HostTensor::vector<std::int32_t>({least, 7, -7, 5}), b = HostTensor::vector<std::int32_t>({-1, 3, 3, 0});
    QCOMPARE(binary(BinaryKind::Div, a, b).toIntegers(), (Integers{least, 2, -2, 0}));
    QCOMPARE(binary(BinaryKind::Mod, a, b).toIntegers(), (Integers{0, 1, 2, 0}));
    QCOMPARE(binary(BinaryKind::Fmod, a, b).toIntegers(), (Integers{0, 1, -1, 0}));
    QCOMPARE(binary(BinaryKind::Add, HostTensor::scalar(least), HostTensor::scalar(std::int32_t(-1))).integerAt(0),
             std::int64_t(2147483647));
  }

  void nanTravelsThroughMaxAndRelu() {
    const float nan = std::nanf("");
    const HostTensor x = HostTensor::vector<float>({nan, 1});
    QVERIFY(std::isnan(binary(BinaryKind::Max, x, HostTensor::scalar(0.0f)).at(0)));
    QVERIFY(std::isnan(binary(BinaryKind::Min, HostTensor::scalar(0.0f), x).at(0)));
    QVERIFY(std::isnan(unary(UnaryKind::Relu, x).at(0)));
    const HostTensor low = HostTensor::scalar(0.5f);
    const float inf = std::numeric_limits<float>::infinity();
    QCOMPARE(clip(HostTensor::vector<float>({-inf, inf}), &low, nullptr).toDoubles(), (Doubles{0.5, double(inf)}));
  }

  void roundsHalvesToEven() {
    QCOMPARE(unary(UnaryKind::Round, HostTensor::vector<float>({0.5f, 1.5f, 2.5f, -0.5f})).toDoubles(), (Doubles{0, 2, 2, 0}));
  }

  void transposeMovesEveryElement() {
    const HostTensor x = randomTensor({3, 17, 1, 19}, 3);
    for (const std::vector<std::size_t>& order :
         {std::vector<std::size_t>{0, 1, 3, 2}, {3, 2, 1, 0}, {1, 3, 0, 2}, {0, 3, 1, 2}}) {
      const HostTensor y = transpose(x, order);
      const Shape from = rowMajorStrides(x.shape()), to = rowMajorStrides(y.shape());
      for (std::int64_t i = 0; i < y.count(); ++i) {
        std::int64_t at = 0;
        for (std::size_t axis = 0; axis < 4; ++axis) at += i / to[axis] % y.dim(axis) * from[order[axis]];
        QCOMPARE(y.at(i), x.at(at));
      }
    }
    QVERIFY_EXCEPTION_THROWN((void)transpose(x, {0, 1, 1, 2}), reports::Error);
  }

  void splittingAndJoiningIsTheIdentity() {
    const HostTensor x = randomTensor({4, 6, 5}, 4);
    for (std::size_t axis = 0; axis < 3; ++axis)
      QVERIFY(concat({slice(x, axis, 0, 2), slice(x, axis, 2, x.dim(axis) - 2)}, axis).identicalTo(x));
    QCOMPARE(slice(HostTensor::vector<float>({0, 1, 2, 3, 4}), {{0, -1, -100, -2}}).toDoubles(), (Doubles{4, 2, 0}));
    QCOMPARE(slice(x, {{1, 4, 2, 1}}).count(), 0);
    // Backwards: a start before the front is the front, the largest end means all.
    const HostTensor five = HostTensor::vector<float>({0, 1, 2, 3, 4});
    QCOMPARE(slice(five, {{0, -9, std::numeric_limits<std::int64_t>::min(), -1}}).toDoubles(), (Doubles{0}));
    QCOMPARE(slice(five, {{0, 3, std::numeric_limits<std::int64_t>::max(), -2}}).toDoubles(), (Doubles{3, 1}));
    QCOMPARE(slice(HostTensor(ElementType::Float, {0, 2}), {{0, 1, 5, -1}}).count(), 0);
  }

  void padsByMode() {
    const HostTensor x = HostTensor::vector<float>({1, 2, 3}), nine = HostTensor::scalar(9.0f);
    QCOMPARE(pad(x, {2}, {1}, PadMode::Constant, &nine).toDoubles(), (Doubles{9, 9, 1, 2, 3, 9}));
    QCOMPARE(pad(x, {2}, {1}, PadMode::Edge, nullptr).toDoubles(), (Doubles{1, 1, 1, 2, 3, 3}));
    QCOMPARE(pad(x, {2}, {1}, PadMode::Reflect, nullptr).toDoubles(), (Doubles{3, 2, 1, 2, 3, 2}));
    QCOMPARE(pad(x, {-1}, {1}, PadMode::Constant, nullptr).toDoubles(), (Doubles{2, 3, 0}));
  }

  void gatherAndScatterAreInverse() {
    const HostTensor x = randomTensor({5, 3}, 5), order = HostTensor::vector<std::int64_t>({3, 0, -1, 1, 2});
    const HostTensor gathered = gather(x, order, 0);
    const HostTensor zero(ElementType::Float, {5, 3});
    QVERIFY(scatterNd(zero, HostTensor::of<std::int64_t>({5, 1}, std::vector<std::int64_t>{3, 0, -1, 1, 2}), gathered,
                      ScatterReduction::None)
                .identicalTo(x));
    QVERIFY_EXCEPTION_THROWN((void)gather(x, HostTensor::vector<std::int64_t>({5}), 0), reports::Error);
    QVERIFY_EXCEPTION_THROWN((void)gather(x, HostTensor::vector<std::int64_t>({-6}), 0), reports::Error);
  }

  void reductionsAgreeWhateverTheLayout() {
    const HostTensor x = randomTensor({3, 4, 5, 37}, 6);
    for (const auto kind : {ReduceKind::Sum, ReduceKind::Mean, ReduceKind::Max, ReduceKind::Min, ReduceKind::L1, ReduceKind::L2,
                            ReduceKind::SumSquare, ReduceKind::LogSumExp})
      for (const std::vector<std::size_t>& axes : {std::vector<std::size_t>{3}, {0}, {1, 2}, {0, 2}, {1, 3}, {0, 1, 2, 3}}) {
        const HostTensor direct = reduce(kind, x, axes, true);
        QVERIFY(difference(direct, reduce(kind, x.cast(ElementType::Double), axes, true)) < 1e-5);
      }
    QCOMPARE(reduce(ReduceKind::Sum, HostTensor(ElementType::Float, {0, 2}), {0}, false).toDoubles(), (Doubles{0, 0}));
    QVERIFY_EXCEPTION_THROWN((void)reduce(ReduceKind::Max, HostTensor(ElementType::Float, {0, 2}), {0}, false), reports::Error);
  }

  void topKIsSorted() {
    const HostTensor x = HostTensor::of<float>({1, 5}, std::vector<float>{3, 9, 1, 9, 4});
    const TopK top = topK(x, 3, 1, true);
    QCOMPARE(top.values.toDoubles(), (Doubles{9, 9, 4}));
    QCOMPARE(top.indices.toIntegers(), (Integers{1, 3, 4}));
    QVERIFY_EXCEPTION_THROWN((void)topK(x, 6, 1, true), reports::Error);
  }

  void poolingCountsWhatItShould() {
    const HostTensor ones = HostTensor::full(ElementType::Float, {1, 1, 5, 5}, 1);
    const Window window = makeWindow({3, 3}, {2, 2}, {}, {1, 1, 1, 1});
    const HostTensor without = averagePool(ones, window, false, false), with = averagePool(ones, window, false, true);
    for (std::int64_t i = 0; i < without.count(); ++i) QCOMPARE(without.at(i), 1.0);
    QVERIFY(std::abs(with.at(0) - 4.0 / 9) < 1e-6);
    QCOMPARE(maxPool(ones, makeWindow({2, 2}, {2, 2}, {}, {}), true).shape(), (Shape{1, 1, 3, 3}));
    HostTensor indices;
    const HostTensor x = randomTensor({2, 3, 6, 7}, 7), most = maxPool(x, window, false, &indices);
    QVERIFY(most.identicalTo(maxPool(x, window, false)));
    for (std::int64_t i = 0; i < most.count(); ++i) QCOMPARE(x.at(indices.integerAt(i)), most.at(i));
  }

  void softmaxSumsToOne() {
    const HostTensor x = binary(BinaryKind::Mul, randomTensor({3, 50, 4}, 8), HostTensor::scalar(200.0f));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const HostTensor y = softmax(x, axis), sums = reduce(ReduceKind::Sum, y, {axis}, false);
      for (const double sum : sums.toDoubles()) QVERIFY(std::abs(sum - 1) < 1e-5);
      QVERIFY(difference(unary(UnaryKind::Exp, logSoftmax(x, axis)), y) < 1e-4);
    }
  }

  void normalisationsGiveZeroMeanAndUnitVariance() {
    const HostTensor x = binary(BinaryKind::Add, randomTensor({2, 6, 5, 7}, 9), HostTensor::scalar(100.0f));
    const HostTensor one = HostTensor::full(ElementType::Float, {6}, 1), zero = HostTensor::full(ElementType::Float, {6}, 0);
    for (const std::int64_t groups : {1, 2, 6}) {
      const HostTensor y = groupNorm(x, one, zero, groups, 0).reshaped({2 * groups, 6 / groups * 35});
      for (const double mean : reduce(ReduceKind::Mean, y, {1}, false).toDoubles()) QVERIFY(std::abs(mean) < 1e-3);
      for (const double square : reduce(ReduceKind::Mean, binary(BinaryKind::Mul, y, y), {1}, false).toDoubles())
        QVERIFY(std::abs(square - 1) < 1e-3);
    }
    const Moments moments = channelMoments(x);
    const HostTensor y = batchNorm(x, one, zero, moments.mean, moments.variance, 0);
    for (const double mean : channelMoments(y).mean.toDoubles()) QVERIFY(std::abs(mean) < 1e-3);
    const HostTensor layer = layerNorm(x, HostTensor::scalar(1.0f), nullptr, 2, 0).output;
    for (const double mean : reduce(ReduceKind::Mean, layer, {2, 3}, false).toDoubles()) QVERIFY(std::abs(mean) < 1e-3);
  }

  void lossByHand() {
    const HostTensor logs = HostTensor::of<float>({2, 3}, std::vector<float>{-1, -2, -3, -4, -5, -6});
    const HostTensor targets = HostTensor::vector<std::int32_t>({2, 0}), weights = HostTensor::vector<float>({1, 1, 3});
    QCOMPARE(negativeLogLikelihood(logs, targets, nullptr, LossReduction::None, nullptr).toDoubles(), (Doubles{3, 4}));
    QCOMPARE(negativeLogLikelihood(logs, targets, &weights, LossReduction::Mean, nullptr).at(0), 3.25);
    const std::int64_t ignored = 0;
    QCOMPARE(negativeLogLikelihood(logs, targets, nullptr, LossReduction::Mean, &ignored).at(0), 3.0);
    QVERIFY_EXCEPTION_THROWN(
        (void)negativeLogLikelihood(logs, HostTensor::vector<std::int32_t>({3, 0}), nullptr, LossReduction::Sum, nullptr),
        reports::Error);
  }

  void einsumIsWhatItSays() {
    const HostTensor a = randomTensor({3, 4}, 1), b = randomTensor({4, 5}, 2), square = randomTensor({3, 3}, 3);
    QVERIFY(difference(einsum("ij,jk->ik", {a, b}), matmul(a, b)) < 1e-6);
    QVERIFY(einsum("ij->ji", {a}).identicalTo(transpose(a, {1, 0})));
    QVERIFY(std::abs(einsum("ii", {square}).at(0) - (square.at(0) + square.at(4) + square.at(8))) < 1e-6);
    QVERIFY(difference(einsum("ij,jk,kl->il", {a, b, randomTensor({5, 2}, 4)}), matmul(matmul(a, b), randomTensor({5, 2}, 4))) <
            1e-5);
    QVERIFY_EXCEPTION_THROWN((void)einsum("ij,kj->ik", {a, b}), reports::Error);
    QVERIFY_EXCEPTION_THROWN((void)einsum("i;j", {a}), reports::Error);
  }

  void resizeKeepsAConstantImage() {
    const HostTensor x = HostTensor::full(ElementType::Float, {1, 2, 4, 5}, 3);
    for (const auto mode : {ResizeMode::Nearest, ResizeMode::Linear, ResizeMode::Cubic}) {
      ResizeParameters p;
      p.mode = mode;
      p.scales = {1, 1, 2.5, 0.6};
      const HostTensor y = resize(x, p);
      QCOMPARE(y.shape(), (Shape{1, 2, 10, 3}));
      for (const double value : y.toDoubles()) QVERIFY(std::abs(value - 3) < 1e-5);
    }
  }

  // More outputs than the block whose taps are held at once; the half-pixel rule gives each value in closed form.
  void resizeOfALongDimension() {
    constexpr std::int64_t kInputs = 10'001, kOutputs = 4 * kInputs;
    std::vector<float> ramp(std::size_t(2 * kInputs));
    for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = float(i % std::size_t(kInputs));
    const auto value = [](std::int64_t i) { return std::clamp((double(i) + 0.5) / 4 - 0.5, 0.0, double(kInputs - 1)); };
    for (const bool image : {true, false}) { // rows and columns at once, or one dimension after the other
      const Shape shape = image ? Shape{1, 2, kInputs} : Shape{2, kInputs, 1};
      const HostTensor x = HostTensor::vector(ramp).reshaped(shape);
      ResizeParameters p;
      p.mode = ResizeMode::Linear;
      p.scales = image ? std::vector<double>{1, 1, 4} : std::vector<double>{1, 4, 1};
      if (image) p.scales[1] = 2;
      const HostTensor y = resize(x, p);
      QCOMPARE(y.count(), (image ? 4 : 2) * kOutputs);
      for (std::int64_t row = 0; row < y.count() / kOutputs; ++row)
        for (std::int64_t i = 0; i < kOutputs; ++i)
          if (std::abs(y.at(row * kOutputs + i) - value(i)) > 1e-2)
            QFAIL(
                qPrintable(QString("row %1, output %2: %3, not %4").arg(row).arg(i).arg(y.at(row * kOutputs + i)).arg(value(i))));
      if (image) continue;
      // Gradient of the ramp: each input gets the weights of the outputs that read it; they sum to the number of outputs.
      const HostTensor back = resizeGradient(HostTensor::full(ElementType::Float, y.shape(), 1), shape, p);
      double sum = 0;
      for (const double g : back.toDoubles()) sum += g;
      QCOMPARE(sum, 2.0 * double(kOutputs));
      QCOMPARE(back.at(kInputs + 5'000), 4.0);
    }
  }

  void halfIsComputedInFloatAndRoundedOnce() {
    const HostTensor a = randomTensor({4, 4}, 1).cast(ElementType::Half), b = randomTensor({4, 4}, 2).cast(ElementType::Half);
    QVERIFY(matmul(a, b).identicalTo(matmul(a.cast(ElementType::Float), b.cast(ElementType::Float)).cast(ElementType::Half)));
    QVERIFY(binary(BinaryKind::Mul, a, b)
                .identicalTo(
                    binary(BinaryKind::Mul, a.cast(ElementType::Float), b.cast(ElementType::Float)).cast(ElementType::Half)));
  }
};

TILESCOPE_TEST(KernelsTest)
#include "kernels_test.moc"
