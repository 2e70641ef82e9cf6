// Compaction and non-maximum suppression against plain loops, at once and vertex by vertex.
#include "simcore/codelets/sort.h"
#include "simcore/ops/plan/exchange_estimate.h"
#include "simcore/ops/sort/nonzero.h"
#include "simcore/ops/sort/selection.h"
#include "simcore/ops/sort/sort.h"
#include "simcore/ops/vision/nms.h"
#include "tests/simcore/ops/library_world.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace simcore;
using numerics::HostTensor;
using numerics::Shape;

class SelectionTest : public QObject {
  Q_OBJECT
private slots:
  void placesOfWhatIsNotZero() {
    for (const Shape& shape : {Shape{1}, Shape{13}, Shape{5, 7}, Shape{2, 3, 11}}) {
      const int64_t n = numerics::elementCount(shape);
      std::vector<float> x;
      std::vector<double> places;
      for (int64_t i = 0; i < n; ++i) {
        x.push_back(i * 5 % 3 == 0 ? -0.5F : 0);
        if (x.back() != 0) places.push_back(double(i));
      }
      std::vector<double> coordinates;
      for (std::size_t d = 0; d < shape.size(); ++d)
        for (const double place : places) {
          const int64_t stride =
              std::accumulate(shape.begin() + std::ptrdiff_t(d) + 1, shape.end(), int64_t(1), std::multiplies<>());
          coordinates.push_back(double(int64_t(place) / stride % shape[d]));
        }
      const auto count = int64_t(places.size());
      tests::bothWays("places", [&](auto& w) { return std::vector{ops::placesOfNonZero(w.builder, w.floats(shape, x), count)}; },
                      {places});
      tests::bothWays("coordinates", [&](auto& w) { return std::vector{ops::nonZero(w.builder, w.floats(shape, x), count)}; },
                      {coordinates});
    }
  }

  void fewerThanAskedForEndInTheNumberOfElements() {
    tests::bothWays("fewer",
                    [](auto& w) {
                      return std::vector{ops::placesOfNonZero(w.builder, w.floats({4}, {0, 1, 0, 0}), 3)};
                    },
                    {{1, 4, 4}});
  }

  void digits() {
    tests::bothWays("digits",
                    [](auto& w) {
                      const auto x = w.input(numerics::ElementType::Int64, HostTensor::vector<int64_t>({0, 7, 123, 59}));
                      return std::vector{ops::digitOf(w.builder, x, 10, 6), ops::digitOf(w.builder, x, 10, 0),
                                         ops::digitOf(w.builder, x, 1, 5)};
                    },
                    {{0, 0, 0, 5}, {0, 0, 12, 5}, {0, 2, 3, 4}});
  }

  // 128 of 2,048 positions in 32 rows, as SparQ reads them: a network sorts runs of 128 first, counting finds the 128th alone. In short
  // rows the network takes less.
  void countingSuitsLongRows() {
    const arch::Machine machine = arch::findMachine("gc200", 1);
    const auto counted = ops::planSelection(machine, numerics::ElementType::Half, 32, 2048, 128);
    QVERIFY(counted.fits && counted.share * counted.cuts >= 2048 && counted.tileRows * counted.rowCuts >= 32);
    QVERIFY(counted.rounds * counted.bits >= 16);
    const auto sorted = ops::planTopK(machine, numerics::ElementType::Half, 32, 2048, 128);
    QVERIFY2(3 * counted.cycles() < 2 * sorted.cycles(),
             qPrintable(QString("%1 and %2 cycles").arg(counted.cycles()).arg(sorted.cycles())));
    QVERIFY(ops::planSelection(machine, numerics::ElementType::Half, 1, 10, 2).cycles() >
            ops::planTopK(machine, numerics::ElementType::Half, 1, 10, 2).cycles());
  }

  // SparQ with a cache in the tiles' memory: 32 heads, 2,048 positions of 128 components in halves, of which 32 components of all
  // and 128 whole positions are read. Counts, barriers and messages alone take longer than SparQ saves, however a row is cut
  // (help page samples).
  void selectingTakesLongerThanTheReadingThatItSaves() {
    const arch::Machine machine = arch::findMachine("gc200", 1);
    constexpr auto kHalf = numerics::ElementType::Half;
    constexpr int64_t kHeads = 32, kPositions = 2048, kHead = 128, kBits = 16;
    const auto readingAll = [&](int64_t positions) {
      return double(2 * 2 * kHeads * positions * kHead) / double(machine.tilesPerIpu * machine.tile.dataPathBytes);
    };
    const auto savedAt = [&](int64_t positions) {
      const double whole = 128.0 / double(positions);
      return readingAll(positions) * (1 - (32.0 / kHead + whole) / 2 - whole / 2);
    };
    const auto leastAt = [&](int64_t positions) {
      int64_t least = INT64_MAX;
      for (int64_t cuts = 1; cuts <= machine.tilesPerIpu / kHeads; ++cuts)
        for (int64_t bits = 1; bits <= kBits; ++bits)
          for (const int64_t splits : {1, 2, 3, 6}) {
            const int64_t keys = reports::ceilDiv(reports::ceilDiv(positions, cuts), splits),
                          limits = reports::ceilDiv((int64_t(1) << bits) - 1, machine.tile.workers / splits);
            const int64_t round =
                machine.tile.workers * codelets::countAtLeast(machine.tile, kHalf, keys, limits).cycles.value() +
                (cuts > 1 ? ops::exchangeEstimate(machine, 0, cuts) : 0);
            least = std::min(least, reports::ceilDiv(kBits, bits) * round);
          }
      return least;
    };
    const int64_t least = leastAt(kPositions);
    QCOMPARE(std::lround(readingAll(kPositions) / 10), 285L);
    QCOMPARE(std::lround(savedAt(kPositions) / 10), 232L);
    QVERIFY2(least > 5'000 && double(least) > 2 * savedAt(kPositions), qPrintable(QString::number(least)));
    QVERIFY(ops::planSelection(machine, kHalf, kHeads, kPositions, 128).cycles() > least);
    // Counts alone take as long as all that is saved up to about 6,700 positions.
    QVERIFY(double(leastAt(6'144)) > savedAt(6'144) && double(leastAt(7'168)) < savedAt(7'168));
  }

  // A tile has the keys, and lists with a place for each of them.
  void memoryHasTheLists() {
    const arch::Machine machine = arch::findMachine("gc200", 1);
    const auto plan = ops::planSelection(machine, numerics::ElementType::Half, 32, 2048, 128);
    const int64_t keys = plan.tileRows * plan.share * 2;
    QVERIFY2(plan.temporaryBytes > 5 * keys, qPrintable(QString::number(plan.temporaryBytes)));
  }

  // Two classes over four boxes of one picture: the second box overlaps the first by nine tenths, the third by a third.
  void boxesThatOverlapTheBestGo() {
    const std::vector<float> boxes{0, 0, 1, 1, 0, 0.1F, 1, 1, 0, 0.5F, 1, 1.5F, 5, 5, 6, 6};
    const std::vector<float> scores{0.5F, 0.9F, 0.8F, 0.3F, 0.9F, 0.9F, 0.1F, 0.95F};
    const auto kept = [&](double overlap, int64_t most, std::optional<double> threshold, std::vector<double> expected) {
      numerics::SuppressionParameters p;
      p.maximumPerClass = most;
      p.overlapThreshold = overlap;
      p.scoreThreshold = threshold;
      tests::bothWays("kept",
                      [&](auto& w) {
                        return std::vector{ops::nonMaxSuppression(w.builder, w.floats({1, 4, 4}, boxes),
                                                                  w.floats({1, 2, 4}, scores), p, int64_t(expected.size() / 3))};
                      },
                      {expected});
    };
    kept(0.5, 4, {}, {0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 1, 3, 0, 1, 0, 0, 1, 2});
    kept(0.2, 4, {}, {0, 0, 1, 0, 0, 3, 0, 1, 3, 0, 1, 0});
    kept(0.5, 1, {}, {0, 0, 1, 0, 1, 3});
    kept(0.5, 4, 0.4, {0, 0, 1, 0, 0, 2, 0, 1, 3, 0, 1, 0});
    kept(1, 100, 0.85, {0, 0, 1, 0, 1, 3, 0, 1, 0, 0, 1, 1}); // only the winner itself goes; equal scores in their order
  }

  // Rows of several pictures keep their number; boxes about their centres are the same boxes.
  void everyPictureHasItsBoxes() {
    numerics::SuppressionParameters p;
    p.maximumPerClass = 2;
    p.overlapThreshold = 0.3;
    p.centreFormat = true;
    tests::bothWays(
        "pictures",
        [&](auto& w) {
          const auto boxes = w.floats({2, 2, 4}, {0.5F, 0.5F, 1, 1, 0.6F, 0.5F, 1, 1, 0.5F, 0.5F, 1, 1, 3, 3, 1, 1});
          return std::vector{ops::nonMaxSuppression(w.builder, boxes, w.floats({2, 1, 2}, {0.2F, 0.7F, 0.2F, 0.7F}), p, 3)};
        },
        {{0, 0, 1, 1, 0, 1, 1, 0, 0}});
  }
};

TILESCOPE_TEST(SelectionTest)
#include "selection_test.moc"
