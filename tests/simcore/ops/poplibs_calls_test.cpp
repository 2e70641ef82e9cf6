// Less common calls of poplin, popops, popnn and poprand in public programs, compared with plain loops.
#include "simcore/ops/move/copies.h"

#include "simcore/ops/conv/matmul_acc.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/elementwise/random.h"
#include "simcore/ops/network/losses.h"
#include "simcore/ops/slice/dynamic_slices.h"
#include "simcore/ops/slice/tied_rows.h"
#include "tests/simcore/ops/library_world.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <numeric>

using namespace simcore;
using namespace simcore::ops;
using codelets::LossKind;
using numerics::HostTensor;
using tests::bothWays;
using tests::errorOf;
using tests::has;
using tests::LibraryWorld;

namespace {
std::vector<float> counted(int64_t n) {
  std::vector<float> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), 0.0f);
  return v;
}
HostTensor integers(const std::vector<int32_t>& v) { return HostTensor::vector(v); }
HostTensor words(const std::vector<uint32_t>& v) { return HostTensor::vector(v); }
} // namespace

class PoplibsCallsTest : public QObject {
  Q_OBJECT
private slots:
  void productsThatAreAddedTo() {
    std::vector<double> expected;
    for (int64_t m = 0; m < 5; ++m)
      for (int64_t n = 0; n < 3; ++n) {
        double sum = 0;
        for (int64_t k = 0; k < 7; ++k) sum += double(m * 7 + k) * double(k * 3 + n) / 100;
        expected.push_back(1 - 0.5 * sum);
      }
    bothWays("matmulAcc",
             [](LibraryWorld& w) {
               std::vector<float> a = counted(35);
               for (float& v : a) v /= 100;
               const Tensor c = w.floats({5, 3}, std::vector<float>(15, 1));
               matmulAcc(w.builder, c, -0.5f, w.floats({5, 7}, a), w.floats({7, 3}, counted(21)));
               return std::vector{c};
             },
             {expected});
    LibraryWorld w(4);
    const Tensor x = w.floats({2, 2}, counted(4));
    QVERIFY(has(errorOf([&] { matmulAcc(w.builder, w.floats({4}, counted(4)), 1, x, x); }), "cannot be added to"));
  }

  void padsAndDuplicates() {
    bothWays("pad",
             [](LibraryWorld& w) {
               const Tensor x = w.floats({2, 3}, counted(6)), copy = duplicate(w.builder, x.transpose());
               zero(w.builder, x);
               return std::vector{pad(w.builder, copy, {0, 1}, {1, -1}, 9), copy, pad(w.builder, x, {0, 0}, {0, 0}),
                                  pad(w.builder, x, {-1, 0}, {0, -2})};
             },
             {{9, 0, 9, 1, 9, 2, 9, 9}, {0, 3, 1, 4, 2, 5}, {0, 0, 0, 0, 0, 0}, {0}});
    LibraryWorld w(4);
    QVERIFY(has(errorOf([&] { pad(w.builder, w.floats({2, 2}, counted(4)), {1}, {1, 1}); }), "pads of 1 and 2 dimensions"));
  }

  void slicesOfAnyDimension() {
    // x[i][j][k] = 20 i + 4 j + k
    bothWays("slices",
             [](LibraryWorld& w) {
               const Tensor x = w.floats({3, 5, 4}, counted(60)), two = w.input(ElementType::UInt32, words({2, 1})),
                            end = w.input(ElementType::Int32, integers({4}));
               return std::vector{dynamicSlice(w.builder, x, two.slice(0, 1), {0}, {1}),
                                  dynamicSlice(w.builder, x, two, {1, 2}, {1, 2}),
                                  dynamicSlice(w.builder, x.slice(0, 1), end, {1}, {2})}; // around the end
             },
             {[] {
                std::vector<double> v(20);
                std::iota(v.begin(), v.end(), 40.0);
                return v;
              }(),
              {9, 10, 29, 30, 49, 50},
              {16, 17, 18, 19, 0, 1, 2, 3}});
  }

  // A part of 4 rows x 130 on 61 tiles is re-laid with 3 columns on each of 44; rows of other parts count as zeros.
  void rowsOfATiedTable() {
    std::vector<double> taken, sums(12 * 130);
    for (const int row : {11, 0, 4, 11})
      for (int c = 0; c < 130; ++c) taken.push_back(row * 130 + c);
    std::iota(sums.begin(), sums.end(), 0.0);
    for (const int row : {11, 0, 4, 11})
      for (int c = 0; c < 130; ++c) sums[std::size_t(row * 130 + c)] += 1;
    bothWays("tied rows",
             [](LibraryWorld& w) {
               const Tensor x = w.floats({12, 130}, counted(12 * 130)), at = w.input(ElementType::UInt32, words({11, 0, 4, 11}));
               const Tensor rows = tiedRows(w.builder, x, at, 3);
               addToTiedRows(w.builder, x, at, w.floats({4, 130}, std::vector<float>(4 * 130, 1)), 3);
               return std::vector{rows, x};
             },
             {taken, sums});
    LibraryWorld w(61);
    tiedRows(w.builder, w.floats({12, 130}, counted(12 * 130)), w.input(ElementType::UInt32, words({1})), 3);
    QCOMPARE(w.graph->plans().at(0).text, std::string("3 parts of 4 rows, 3 columns on each of 44 tiles"));
  }

  void updatesOfAnyDimension() {
    std::vector<double> rows(12), cells(24, 0);
    std::iota(rows.begin(), rows.end(), 0.0);
    for (std::size_t i = 0; i < 4; ++i) rows[8 + i] = 100 + double(i);
    for (const std::size_t i : {13u, 14u, 17u, 18u}) cells[i] = 7; // [1][0..1][1..2] of [2][3][4]
    bothWays("updates",
             [](LibraryWorld& w) {
               const Tensor x = w.floats({3, 4}, counted(12)), at = w.input(ElementType::UInt32, words({1, 0, 1})),
                            two = w.input(ElementType::UInt32, words({2}));
               dynamicUpdate(w.builder, x, w.floats({1, 4}, {100, 101, 102, 103}), two, {0}, {1});
               const Tensor y = sliceableTensor(w.builder, ElementType::Float, {2, 3, 4}, {1}, "sliceable");
               zero(w.builder, y);
               dynamicUpdate(w.builder, y, w.floats({1, 2, 2}, {7, 7, 7, 7}), at, {0, 1, 2}, {1, 2, 2});
               return std::vector{x, y};
             },
             {rows, cells});
    LibraryWorld w(4);
    const Tensor x = w.floats({3, 4}, counted(12)), one = w.input(ElementType::UInt32, words({1}));
    QVERIFY(has(errorOf([&] { dynamicSlice(w.builder, x, one, {2}, {1}); }), "along dimension 2"));
    QVERIFY(has(errorOf([&] { dynamicSlice(w.builder, x, one, {0, 1}, {1, 1}); }), "2 dimensions"));
    QVERIFY(has(errorOf([&] { dynamicSlice(w.builder, x, x[0][0], {0}, {1}); }), "float"));
    QVERIFY(has(errorOf([&] { dynamicUpdate(w.builder, x, x, one, {0}, {1}); }), "must have the shape 1x4"));
  }

  // A tensor made for slices is sliced in place.
  void sliceableTensorsNeedNoRearrangement() {
    const auto exchanged = [](bool sliceable) {
      LibraryWorld w(16);
      const Tensor x = sliceable ? sliceableTensor(w.builder, ElementType::Float, {64, 9}, {0}, "x")
                                 : w.graph->addVariable(ElementType::Float, {64, 9}, graph::VariableMappingMethod::Linear, "x");
      dynamicSlice(w.builder, x, w.input(ElementType::UInt32, words({3})), {0}, {1});
      int64_t bytes = 0;
      for (const auto& e : compile::compile(w.graph, {{"main", w.program.program()}}).program.exchanges) bytes += e.bytesIn.sum();
      return bytes;
    };
    QVERIFY2(exchanged(true) < 200, std::to_string(exchanged(true)).c_str()); // the index
    QVERIFY(exchanged(false) > 1000);
  }

  void lossesAndTheirGradients() {
    const std::vector<float> outputs{0.1f, 0.7f, 0.2f, 0.5f, 0.25f, 0.25f};
    const auto build = [&](LossKind kind) {
      return [&, kind](LibraryWorld& w) {
        const Loss l = calcLoss(w.builder, kind, w.floats({2, 3}, outputs), w.input(ElementType::UInt32, words({1, 2})));
        return std::vector{l.loss, l.deltas, l.correct};
      };
    };
    const std::vector<double> deltas{0.1, -0.3, 0.2, 0.5, 0.25, -0.75};
    bothWays("cross entropy", build(LossKind::CrossEntropy), {{-std::log(0.7), -std::log(0.25)}, deltas, {1}});
    bothWays("sum squared", build(LossKind::SumSquared), {{(0.01 + 0.09 + 0.04) / 2, (0.25 + 0.0625 + 0.5625) / 2}, deltas, {1}});
    bothWays(
        "one-hot",
        [](LibraryWorld& w) {
          return std::vector{encodeOneHot(w.builder, w.input(ElementType::Int32, integers({2, -1, 0})), 3, ElementType::Half)};
        },
        {{0, 0, 1, 0, 0, 0, 1, 0, 0}});
    LibraryWorld w(4);
    QVERIFY(has(errorOf([&] {
                  calcLoss(w.builder, LossKind::SumSquared, w.floats({2, 3}, outputs), w.floats({2}, {0, 1}));
                }),
                "do not fit together"));
  }

  // Seeds on the machine: other seed words or modifiers give other numbers, equal ones give equal numbers.
  void numbersOfSeedsOnTheMachine() {
    const auto drawn = [](const std::vector<uint32_t>& seed, uint32_t modifier, bool cells) {
      LibraryWorld w(5, cells);
      const Tensor x = w.floats({101}, std::vector<float>(101, 0)), s = w.input(ElementType::UInt32, words(seed));
      fillRandom(w.builder, x, {}, RandomSeed(s, modifier));
      return w.run({x})[0].toDoubles();
    };
    const auto first = drawn({1, 2}, 0, false);
    QCOMPARE(drawn({1, 2}, 0, true), first);
    QVERIFY(drawn({1, 3}, 0, false) != first && drawn({2, 2}, 0, false) != first && drawn({1, 2}, 1, false) != first);
    LibraryWorld w(5);
    const Tensor x = w.floats({101}, std::vector<float>(101, 0));
    QVERIFY(has(errorOf([&] { fillRandom(w.builder, x, {}, RandomSeed(x)); }), "a seed must be two uint32"));
  }

  // Two tensors from one seed, with few elements per tile, are not correlated.
  void tensorsOfOneSeedAreIndependent() {
    constexpr int64_t n = 100000;
    for (const uint32_t low : {1u, 2u, 3u}) {
      LibraryWorld w(1000);
      const Tensor x = w.floats({n}, std::vector<float>(n, 0)), y = w.floats({n}, std::vector<float>(n, 0)),
                   s = w.input(ElementType::UInt32, words({low, 0}));
      RandomNumbers unit;
      unit.low = 0;
      fillRandom(w.builder, x, unit, RandomSeed(s, 1));
      fillRandom(w.builder, y, unit, RandomSeed(s, 2));
      const auto drawn = w.run({x, y});
      double hits = 0;
      for (int64_t i = 0; i < n; ++i) hits += drawn[0].at(i) * drawn[0].at(i) + drawn[1].at(i) * drawn[1].at(i) <= 1;
      QVERIFY2(std::abs(4 * hits / double(n) - M_PI) < 0.026, std::to_string(4 * hits / double(n)).c_str()); // five deviations
    }
  }

  void dropoutKeepsWithAProbability() {
    const auto dropped = [](double keep, bool cells) {
      LibraryWorld w(5, cells);
      const Tensor x = w.floats({10007}, std::vector<float>(10007, 3)), s = w.input(ElementType::UInt32, words({8, 9}));
      return w.run({dropout(w.builder, x, keep, 1 / keep, RandomSeed(s))})[0].toDoubles();
    };
    const auto half = dropped(0.75, false);
    QCOMPARE(dropped(0.75, true), half);
    double kept = 0;
    for (const double v : half) {
      QVERIFY(v == 0 || v == 4);
      kept += v != 0;
    }
    QVERIFY2(std::abs(kept / 10007 - 0.75) < 0.02, std::to_string(kept).c_str()); // five standard deviations
    QCOMPARE(dropped(1, false), std::vector<double>(10007, 3));
    LibraryWorld w(4);
    QVERIFY(has(errorOf([&] { dropout(w.builder, w.floats({1}, {1}), 0, 1, 1); }), "probability"));
  }

  // A seed drawn on the machine drops the same elements in every use; another number gives another seed.
  void drawnSeedsDropTheSameAgain() {
    const auto drawn = [](uint64_t number, bool cells) {
      LibraryWorld w(5, cells);
      const Tensor x = w.floats({1009}, std::vector<float>(1009, 3)), seed = drawSeed(w.builder, number);
      const auto drop = [&] { return dropout(w.builder, x, 0.5, 2, RandomSeed(seed), true); };
      const Tensor first = drop(), again = drop();
      return w.run({seed, first, again});
    };
    const auto one = drawn(1, false), byVertices = drawn(1, true), two = drawn(2, false);
    QCOMPARE(one[0].count(), int64_t(2));
    QCOMPARE(one[1].toDoubles(), one[2].toDoubles());
    for (std::size_t i = 0; i < one.size(); ++i) QVERIFY(one[i].identicalTo(byVertices[i]));
    QVERIFY(!one[0].identicalTo(two[0]));
    QVERIFY(!one[1].identicalTo(two[1]));
  }
};

TILESCOPE_TEST(PoplibsCallsTest)
#include "poplibs_calls_test.moc"
