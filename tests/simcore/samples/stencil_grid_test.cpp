// How the stencil samples cut their grids, against what published runs printed.
#include "simcore/samples/stencil_grid.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore::samples;
using Splits = std::vector<int64_t>;

class StencilGridTest : public QObject {
  Q_OBJECT
private slots:
  // Grids of 320^3 on one IPU and 403^3 on two have largest parts of 14 x 40 x 40 and 18 x 26 x 51 cells (3D_test.log of
  // TszwangKo/FYP_IPU_DEVITO); borders are not computed.
  void cutsAreThePublishedOnes() {
    QCOMPARE(blocksByFactors({318, 318, 318}, 1472), Splits({23, 8, 8}));
    QCOMPARE(blocksByFactors({401, 401, 200}, 1472), Splits({23, 16, 4}));
    QCOMPARE(blocksByFactors({7998, 7998}, 1472), Splits({46, 32}));
    QCOMPARE(blocksByFactors({9998, 4999}, 1472), Splits({64, 23}));
  }
  void smallGridsHaveNoMorePartsThanCells() {
    QCOMPARE(blocksByFactors({1, 1}, 1472), Splits({1, 1}));
    const Splits splits = blocksByFactors({5, 2, 3}, 1216);
    for (std::size_t d = 0; d < 3; ++d) QVERIFY(splits[d] >= 1 && splits[d] <= std::vector<int64_t>({5, 2, 3})[d]);
  }
  void workersShareABlock() {
    for (const bool wordRows : {false, true})
      for (const simcore::numerics::Shape& block :
           {simcore::numerics::Shape{174, 250}, {1, 254}, {5, 8}, {1, 1}, {7, 3}, {14, 40, 40}, {1, 2, 9}}) {
        if (block.size() == 3 && !wordRows) continue;
        int64_t cells = 0, workers = 0, most = 0;
        for (const WorkerBlock& w : workerBlocks(block, 6, wordRows)) {
          cells += w.rows * w.columns * w.workers;
          workers += w.workers;
          most = std::max(most, w.rows * w.columns);
        }
        QCOMPARE(cells, simcore::numerics::elementCount(block));
        QVERIFY(workers >= 1 && workers <= 6);
        QCOMPARE(workerBlocks(block, 6, wordRows).front().rows * workerBlocks(block, 6, wordRows).front().columns, most);
      }
    // Three dimensions: two by three parts of the block, each with all the depth.
    const auto parts = workerBlocks({14, 40, 40}, 6, true);
    QCOMPARE(parts.front().rows, int64_t(7 * 14));
    QCOMPARE(parts.front().workers, int64_t(2));
    // Fewer rows than workers: whole rows only while the longest share is the smaller that way.
    QCOMPARE(workerBlocks({5, 8}, 6, true).front().columns, int64_t(8));
    QCOMPARE(workerBlocks({1, 254}, 6, true).front().columns, int64_t(43));
  }
};

TILESCOPE_TEST(StencilGridTest)
#include "stencil_grid_test.moc"
