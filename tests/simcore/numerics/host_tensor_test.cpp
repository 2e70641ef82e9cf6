#include "reports/core/error.h"
#include "simcore/numerics/host_tensor.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace simcore::numerics;

class HostTensorTest : public QObject {
  Q_OBJECT
private slots:
  void copiesShareUntilWritten() {
    HostTensor a = HostTensor::vector<float>({1, 2, 3, 4});
    HostTensor b = a;
    const HostTensor c = a.reshaped({2, 2});
    QVERIFY(a.sharesStorageWith(b));
    QVERIFY(a.sharesStorageWith(c));
    b.mutableValues<float>()[0] = 9;
    QCOMPARE(a.at(0), 1.0);
    QCOMPARE(c.at(0), 1.0);
    QCOMPARE(b.at(0), 9.0);
    QVERIFY(!a.sharesStorageWith(b));
  }

  void deferredElementsAreMadeOnceAndLate() {
    int made = 0;
    const HostTensor a = HostTensor::deferred(ElementType::Float, {3}, [&made] {
      ++made;
      return HostTensor::vector<float>({1, 1.0f / 3, 3});
    });
    const HostTensor shaped = a.reshaped({3, 1}), half = a.cast(ElementType::Half).reshaped({1, 3});
    HostTensor written = a;
    QCOMPARE(made, 0);
    QVERIFY(a.waits() && shaped.waits() && half.waits());
    QCOMPARE(half.at(1), 0.333251953125);
    QVERIFY(!a.waits() && !half.waits());
    written.mutableValues<float>()[0] = 9;
    QCOMPARE(shaped.at(0), 1.0);
    QCOMPARE(written.at(0), 9.0);
    QCOMPARE(written.at(2), 3.0);
    QCOMPARE(a.roundedToHalf().at(1), 0.333251953125);
    QCOMPARE(made, 1);
    const HostTensor wrong = HostTensor::deferred(ElementType::Float, {4}, [] { return HostTensor::vector<float>({1}); });
    QVERIFY_EXCEPTION_THROWN((void)wrong.at(0), reports::Error);
  }

  void largeZerosAreZeroAndOfTheirOwn() {
    HostTensor a(ElementType::Float, {1 << 19});
    const HostTensor b = a;
    a.mutableValues<float>()[7] = 1;
    QCOMPARE(a.at(7), 1.0);
    QCOMPARE(b.at(7), 0.0);
    QCOMPARE(b.at((1 << 19) - 1), 0.0);
  }

  void castsSaturateAndTruncate() {
    const float inf = std::numeric_limits<float>::infinity();
    const HostTensor x = HostTensor::vector<float>({1.9f, -1.9f, 300, -300, inf, std::nanf("")});
    QCOMPARE(x.cast(ElementType::Int8).toIntegers(), (std::vector<std::int64_t>{1, -1, 127, -128, 127, 0}));
    QCOMPARE(x.cast(ElementType::UInt8).toIntegers(), (std::vector<std::int64_t>{1, 0, 255, 0, 255, 0}));
    QCOMPARE(x.cast(ElementType::Bool).toIntegers(), (std::vector<std::int64_t>{1, 1, 1, 1, 1, 1}));
    QCOMPARE(HostTensor::vector<float>({1.0f / 3}).cast(ElementType::Half).at(0), 0.333251953125);
    QCOMPARE(HostTensor::vector<float>({1.0f / 3}).roundedToHalf().at(0), 0.333251953125);
  }

  void refusesShapesThatCannotBe() {
    const auto refused = [](const Shape& shape) {
      try {
        HostTensor tensor(ElementType::Float, shape);
      } catch (const reports::Error&) {
        return true;
      }
      return false;
    };
    QVERIFY(refused({-1, 2}));
    QVERIFY(refused({std::int64_t(1) << 40, std::int64_t(1) << 40}));
    QVERIFY(refused({std::int64_t(1) << 40, std::int64_t(1) << 40, 0})); // a zero does not hide the rest
    QVERIFY(refused({std::int64_t(1) << 47}));                           // more than any machine has
    QVERIFY(!refused({0, 5}));
    QVERIFY(!refused({}));
  }

  void wrongUseIsAnError() {
    const HostTensor x = HostTensor::vector<float>({1, 2});
    QVERIFY_EXCEPTION_THROWN((void)x.values<int>(), reports::Error);
    QVERIFY_EXCEPTION_THROWN((void)x.reshaped({3}), reports::Error);
    QVERIFY_EXCEPTION_THROWN((void)HostTensor::of<float>({3}, std::vector<float>{1, 2}), reports::Error);
  }

  void broadcastShapes() {
    QCOMPARE(broadcast({3, 1, 5}, {4, 1}), (Shape{3, 4, 5}));
    QCOMPARE(broadcast({}, {2, 0}), (Shape{2, 0}));
    QVERIFY_EXCEPTION_THROWN((void)broadcast({2, 3}, {2}), reports::Error);
  }

  void deviceTypesHaveNoSixtyFourBits() {
    for (int i = 0; i < kElementTypeCount; ++i) {
      const auto type = ElementType(i);
      QVERIFY(deviceSize(type) <= 4);
      QCOMPARE(deviceSize(deviceType(type)), hostSize(deviceType(type)));
      QCOMPARE(int(elementTypeOf(elementTypeName(type))), i);
    }
  }
};

TILESCOPE_TEST(HostTensorTest)
#include "host_tensor_test.moc"
