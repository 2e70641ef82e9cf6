#include "tests/support/test_main.h"

#include "simcore/codelets/random.h"
#include "simcore/codelets/xoroshiro.h"

#include <QTest>

#include <cmath>

using namespace simcore;
using namespace simcore::codelets;

class RandomTest : public QObject {
  Q_OBJECT

private slots:
  // ipu-reference 10.
  void generatorVectors() {
    struct Vector {
      uint64_t s0, s1;
      uint64_t out[6];
      uint64_t after0, after1;
    };
    static constexpr Vector kVectors[] = {
        {1,
         2,
         {0x0000000000000003, 0x008000300000c003, 0x013840e038000363, 0xa080fed030c4c36e, 0x1ac0684f18388404, 0x0310283837b21945},
         0x20a4b7d02cde0540,
         0x78380a203682834c},
        {1,
         0,
         {0x0000000000000001, 0x0080001000004001, 0x0018406018000121, 0x8080563010444126, 0x19d06c0b1818c401, 0x01d8201235894067},
         0x111c55701485c420,
         0x589408001d820124},
        {0x0123456789abcdef,
         0xfedcba9876543210,
         {0xffffffffffffffff, 0xf77c0992a3a0e991, 0x92c55b7bdf804d24, 0x782ce0eff0fa17b8, 0x824e53b78e98d16e, 0x3aea14047ffa24ae},
         0xacc17d12714a5f7b,
         0xf82d44fbcec22677},
        {0xffffffffffffffff,
         0xffffffffffffffff,
         {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffbffc, 0x0073ffeff000001f, 0x0fffc5e017bfc09e, 0x70f40deefffcdf03},
         0xff07f20e0f3c1f1f,
         0xffc1f00730431eef}};
    for (const Vector& vector : kVectors) {
      Xoroshiro128aox generator(vector.s0, vector.s1);
      for (const uint64_t expected : vector.out) QCOMPARE(generator.next(), expected);
      QCOMPARE(generator.s0(), vector.after0);
      QCOMPARE(generator.s1(), vector.after1);
    }
  }

  void workersDrawApart() {
    Xoroshiro128aox byHand(42, (uint64_t(9) << 32) | 3);
    for (int i = 0; i < 15; ++i) byHand.next();
    Xoroshiro128aox seeded = Xoroshiro128aox::forWorker(42, 3, 9);
    QCOMPARE(seeded.next(), byHand.next());
    QVERIFY(Xoroshiro128aox::forWorker(42, 0).next() != Xoroshiro128aox::forWorker(42, 1).next());
  }

  void momentsOfUniformAndNormal() {
    Xoroshiro128aox generator = Xoroshiro128aox::forWorker(1, 0);
    double sum = 0, squares = 0, low = 1, high = -1;
    const int draws = 20000;
    for (int i = 0; i < draws; ++i)
      for (const float u : generator.uniformFloats()) {
        sum += u;
        squares += double(u) * u;
        low = std::min<double>(low, u);
        high = std::max<double>(high, u);
      }
    QVERIFY(low >= -0.5 && low < -0.49 && high < 0.5 && high > 0.49);
    QVERIFY(std::abs(sum / (2 * draws)) < 0.01);
    QVERIFY(std::abs(squares / (2 * draws) - 1.0 / 12) < 0.002);
    sum = squares = 0;
    for (int i = 0; i < draws; ++i) {
      const double z = generator.normal();
      sum += z;
      squares += z * z;
    }
    QVERIFY(std::abs(sum / draws) < 0.03);
    QVERIFY(std::abs(squares / draws - 1) < 0.05);
    QCOMPARE(uniformBetween(-0.5f, 2.0f, 6.0f), 2.0f);
    QCOMPARE(uniformBetween(0.0f, 2.0f, 6.0f), 4.0f);
  }

  void vertexCycles() {
    const arch::TileArchitecture tile = arch::findMachine("gc200", 1).tile;
    QCOMPARE(setSeed(tile).cycles.value(), 176);
    RandomOptions published;
    published.model = RandomModel::Published;
    QCOMPARE(random(tile, RandomKind::Uniform, ElementType::Float, 1024, published).cycles.value(), 4 + 4 * 32 + 132);
    QCOMPARE(random(tile, RandomKind::Uniform, ElementType::Half, 1024, published).cycles.value(), 4 + 4 * 64 + 144);
    QCOMPARE(random(tile, RandomKind::Uniform, ElementType::Float, 1024).cycles.value(), 4 + 4 * 512 + 132);
    QCOMPARE(random(tile, RandomKind::Normal, ElementType::Half, 1025).cycles.value(), 4 + 4 * 257 + 144 + 12);
    QCOMPARE(random(tile, RandomKind::Dropout, ElementType::Half, 1024).cycles.value(), 6 + 144 + 512);
    for (const RandomKind kind :
         {RandomKind::Uniform, RandomKind::Normal, RandomKind::TruncatedNormal, RandomKind::Bernoulli, RandomKind::Dropout})
      for (const ElementType type : {ElementType::Float, ElementType::Half, ElementType::Int32}) {
        const int64_t none = random(tile, kind, type, 0).cycles.value();
        QVERIFY(none > 0 && none < 300);
        QVERIFY(random(tile, kind, type, 1000000000).cycles.value() > 100000000);
      }
  }
};

TILESCOPE_TEST(RandomTest)
#include "random_test.moc"
