#include "simcore/numerics/host_tensor.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace simcore::numerics;

namespace {

// The definition as it is published: sign, exponent with its bias, mantissa (Noune et al. 2022, arXiv 2206.02915, table 1; ONNX "Float
// stored in 8 bits").
struct Format {
  ElementType type;
  int mantissaBits, bias;
  double largest, smallestNormal, smallest;
  std::vector<int> nan, infinite; // codes without the sign; 0x80 of Fnuz has it
  double value(int code) const {
    const int exponent = (code & 0x7f) >> mantissaBits, mantissa = code & ((1 << mantissaBits) - 1);
    const double fraction = std::ldexp(double(mantissa), -mantissaBits);
    const double magnitude = exponent ? std::ldexp(1 + fraction, exponent - bias) : std::ldexp(fraction, 1 - bias);
    return code & 0x80 ? -magnitude : magnitude;
  }
  bool isNan(int code) const { return std::count(nan.begin(), nan.end(), code); }
  bool isInfinite(int code) const { return std::count(infinite.begin(), infinite.end(), code); }
  bool isFnuz() const { return nan == std::vector<int>{0x80}; }
};

const std::vector<Format>& formats() {
  static const std::vector<Format> all{
      {ElementType::Float8E4M3Fnuz, 3, 8, 240, 0x1p-7, 0x1p-10, {0x80}, {}},
      {ElementType::Float8E5M2Fnuz, 2, 16, 57344, 0x1p-15, 0x1p-17, {0x80}, {}},
      {ElementType::Float8E4M3Fn, 3, 7, 448, 0x1p-6, 0x1p-9, {0x7f, 0xff}, {}},
      {ElementType::Float8E5M2, 2, 15, 57344, 0x1p-14, 0x1p-16, {0x7d, 0x7e, 0x7f, 0xfd, 0xfe, 0xff}, {0x7c, 0xfc}}};
  return all;
}

HostTensor allCodes(ElementType type) {
  HostTensor codes = HostTensor::uninitialised(type, {256});
  for (int code = 0; code < 256; ++code) codes.mutableRaw()[std::size_t(code)] = std::byte(code);
  return codes;
}

int codeOf(ElementType type, float value) { return int(HostTensor::scalar(value).cast(type).raw()[0]); }

} // namespace

class Float8Test : public QObject {
  Q_OBJECT
private slots:
  void everyCodeHasItsPublishedValue() {
    for (const Format& f : formats()) {
      const std::vector<double> values = allCodes(f.type).toDoubles();
      double largest = 0, smallest = 1;
      for (int code = 0; code < 256; ++code) {
        const double value = values[std::size_t(code)];
        if (f.isNan(code)) {
          QVERIFY(std::isnan(value));
          continue;
        }
        if (f.isInfinite(code)) {
          QCOMPARE(value, code & 0x80 ? -HUGE_VAL : HUGE_VAL);
          continue;
        }
        QCOMPARE(value, f.value(code));
        QCOMPARE(std::signbit(value), bool(code & 0x80));
        largest = std::max(largest, value);
        if (value > 0) smallest = std::min(smallest, value);
        QCOMPARE(codeOf(f.type, float(value)), code); // and comes back
      }
      QCOMPARE(largest, f.largest);
      QCOMPARE(smallest, f.smallest);
      QCOMPARE(f.value(1 << f.mantissaBits), f.smallestNormal);
    }
  }

  void roundsToNearestEven() {
    for (const Format& f : formats())
      for (int code = 0; !f.isNan(code + 1) && !f.isInfinite(code + 1); ++code) {
        const float low = float(f.value(code)), high = float(f.value(code + 1)), middle = (low + high) / 2;
        QCOMPARE(codeOf(f.type, middle), code & 1 ? code + 1 : code);
        QCOMPARE(codeOf(f.type, std::nextafter(middle, 0.0f)), code);
        QCOMPARE(codeOf(f.type, std::nextafter(middle, 1e9f)), code + 1);
        if (code) QCOMPARE(codeOf(f.type, -middle), 0x80 | (code & 1 ? code + 1 : code));
      }
  }

  void saturatesOrDoesNot() {
    const float inf = std::numeric_limits<float>::infinity();
    for (const Format& f : formats()) {
      const HostTensor values = HostTensor::vector<float>({float(f.largest), float(f.largest * 1.02), 1e30f, inf, -1e30f, -inf});
      const double most = f.largest;
      QCOMPARE(values.cast(f.type).toDoubles(), (std::vector<double>{most, most, most, most, -most, -most}));
      const std::vector<double> plain = values.castUnsaturated(f.type).toDoubles();
      QCOMPARE(plain[0], most);
      QCOMPARE(plain[1], most); // below the tie with what would come next
      for (const std::size_t i : {2, 3, 4, 5}) {
        if (f.infinite.empty())
          QVERIFY(std::isnan(plain[i]));
        else
          QCOMPARE(plain[i], i > 3 ? -HUGE_VAL : HUGE_VAL);
      }
      QVERIFY(std::isnan(HostTensor::scalar(std::nanf("")).cast(f.type).at(0)));
      QCOMPARE(codeOf(f.type, -0.0f), f.isFnuz() ? 0 : 0x80);
      QCOMPARE(codeOf(f.type, float(-f.smallest / 4)), f.isFnuz() ? 0 : 0x80);
      QCOMPARE(codeOf(f.type, std::numeric_limits<float>::denorm_min()), 0);
    }
  }

  void theMachineHasTwoOfThem() {
    QVERIFY(isQuarter(ElementType::Float8E4M3Fnuz) && isQuarter(ElementType::Float8E5M2Fnuz));
    QVERIFY(!isQuarter(ElementType::Float8E4M3Fn) && !isQuarter(ElementType::Half) && !isFloat8(ElementType::Int8));
    QCOMPARE(deviceSize(ElementType::Float8E4M3Fnuz), std::size_t(1));
    // The others are stored there as halves, which represent every value.
    for (const ElementType type : {ElementType::Float8E4M3Fn, ElementType::Float8E5M2}) {
      QCOMPARE(deviceType(type), ElementType::Half);
      const std::vector<double> own = allCodes(type).toDoubles(), half = allCodes(type).cast(ElementType::Half).toDoubles();
      for (std::size_t i = 0; i < own.size(); ++i) QVERIFY(own[i] == half[i] || (std::isnan(own[i]) && std::isnan(half[i])));
    }
  }
};

TILESCOPE_TEST(Float8Test)
#include "float8_test.moc"
