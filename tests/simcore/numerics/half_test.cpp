#include "simcore/numerics/half.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <limits>

using simcore::numerics::BFloat16;
using simcore::numerics::halfBits;
using simcore::numerics::halfValue;

class HalfTest : public QObject {
  Q_OBJECT
private slots:
  void everyHalfSurvivesTheRoundTrip() {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const float value = halfValue(std::uint16_t(bits));
      if (std::isnan(value)) {
        QVERIFY(std::isnan(halfValue(halfBits(value))));
        continue;
      }
      QCOMPARE(halfBits(value), std::uint16_t(bits));
    }
  }

  // Rounds to the nearer neighbour; ties go to the even one.
  void roundsToNearestEven() {
    for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
      const float low = halfValue(std::uint16_t(bits)), high = halfValue(std::uint16_t(bits + 1)), middle = (low + high) / 2;
      QCOMPARE(halfBits(middle), std::uint16_t(bits & 1 ? bits + 1 : bits));
      QCOMPARE(halfBits(std::nextafter(middle, 0.0f)), std::uint16_t(bits));
      QCOMPARE(halfBits(std::nextafter(middle, 1e9f)), std::uint16_t(bits + 1));
      QCOMPARE(halfBits(-middle), std::uint16_t(0x8000u | (bits & 1 ? bits + 1 : bits)));
    }
  }

  void edges() {
    QCOMPARE(halfBits(65504.0f), std::uint16_t(0x7bff));
    QCOMPARE(halfBits(65519.996f), std::uint16_t(0x7bff));
    QCOMPARE(halfBits(65520.0f), std::uint16_t(0x7c00));
    QCOMPARE(halfBits(std::numeric_limits<float>::infinity()), std::uint16_t(0x7c00));
    QCOMPARE(halfBits(-std::numeric_limits<float>::infinity()), std::uint16_t(0xfc00));
    QCOMPARE(halfBits(std::ldexp(1.0f, -24)), std::uint16_t(1)); // the smallest denormal
    QCOMPARE(halfBits(std::ldexp(1.0f, -25)), std::uint16_t(0)); // tie to even: zero
    QCOMPARE(halfBits(std::ldexp(1.5f, -25)), std::uint16_t(1));
    QCOMPARE(halfBits(-0.0f), std::uint16_t(0x8000));
    QVERIFY(std::isnan(halfValue(halfBits(std::numeric_limits<float>::quiet_NaN()))));
  }

  void bfloat16() {
    QCOMPARE(BFloat16(1.0f).bits(), std::uint16_t(0x3f80));
    QCOMPARE(float(BFloat16(1.00390625f)), 1.0f);      // a tie goes to the even mantissa
    QCOMPARE(float(BFloat16(1.01171875f)), 1.015625f); // and upwards here
    QVERIFY(std::isnan(float(BFloat16(std::numeric_limits<float>::quiet_NaN()))));
  }
};

TILESCOPE_TEST(HalfTest)
#include "half_test.moc"
