// Packed columns: values survive packing, and no input bytes cause reads out of bounds, allocations beyond the count, or faults
// other than Error(Damaged).
#include "reports/core/error.h"
#include "reports/core/packed.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <limits>
#include <random>

using namespace reports;

class PackedTest : public QObject {
  Q_OBJECT
private slots:
  void roundTrip_data() {
    QTest::addColumn<int>("bits");
    for (const int bits : {0, 1, 7, 8, 14, 31, 32, 63}) QTest::addRow("%d bits", bits) << bits;
  }
  void roundTrip() {
    QFETCH(int, bits);
    std::mt19937_64 random(5);
    for (const std::size_t count : {0, 1, 2, 100, 5000}) {
      std::vector<int64_t> positive, any, runs;
      for (std::size_t i = 0; i < count; ++i) {
        const auto v = bits == 0 ? 0 : int64_t(random() >> (64 - bits));
        positive.push_back(v);
        any.push_back(random() % 2 ? v : -v - 1);
        runs.push_back(i > 0 && random() % 8 ? runs.back() : any.back());
      }
      QCOMPARE(unpackVarints(packVarints(positive), count, "x"), positive);
      QCOMPARE(unpackDeltas(packDeltas(any), count, "x"), any);
      QCOMPARE(unpackRuns(packRuns(runs), count, "x"), runs);
    }
  }

  void extremes() {
    const std::vector<int64_t> v{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), 0, -1,
                                 std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
    QCOMPARE(unpackDeltas(packDeltas(v), v.size(), "x"), v);
    QCOMPARE(unpackRuns(packRuns(v), v.size(), "x"), v);
  }

  void layout() {
    QVERIFY(packVarints(std::vector<int64_t>{300}) == (Blob{0xAC, 0x02}));
    QVERIFY(packDeltas(std::vector<int64_t>{5, 3}) == (Blob{10, 3}));
    QVERIFY(packRuns(std::vector<int64_t>{7, 7, 7, 6}) == (Blob{3, 14, 1, 1}));
  }

  void wrongCountIsDamage() {
    const std::vector<int64_t> v{1, 2, 3};
    for (const std::size_t count : {std::size_t(0), std::size_t(2), std::size_t(4), std::size_t(1) << 60}) {
      QVERIFY_EXCEPTION_THROWN(unpackVarints(packVarints(v), count, "x"), Error);
      QVERIFY_EXCEPTION_THROWN(unpackDeltas(packDeltas(v), count, "x"), Error);
      QVERIFY_EXCEPTION_THROWN(unpackRuns(packRuns(v), count, "x"), Error);
    }
  }

  void randomBytes() {
    std::mt19937 random(9);
    int refused = 0, accepted = 0;
    for (int seed = 0; seed < 20'000; ++seed) {
      Blob bytes(random() % 40);
      for (auto& b : bytes) b = uint8_t(random() % 2 ? random() % 8 : random());
      const std::size_t count = random() % 30;
      const auto attempt = [&](auto unpack) {
        try {
          QCOMPARE(unpack(bytes, count, "x").size(), count);
          ++accepted;
        } catch (const Error& error) {
          QCOMPARE(int(error.code()), int(ErrorCode::Damaged));
          ++refused;
        }
      };
      attempt(unpackVarints);
      attempt(unpackDeltas);
      attempt(unpackRuns);
    }
    QVERIFY(refused > 1000 && accepted > 100);
  }

  void overlongVarintIsDamage() {
    const Blob bytes(11, 0x80);
    PackedReader reader(bytes, "x");
    QVERIFY_EXCEPTION_THROWN(reader.varint(), Error);
  }
};

TILESCOPE_TEST(PackedTest)
#include "packed_test.moc"
