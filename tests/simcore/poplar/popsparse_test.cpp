// Products with sparse operands, against the same product of dense ones.
#include "popsparse/experimental/BlockSparseMatMul.hpp"
#include "poputil/exceptions.hpp"
#include "tests/simcore/poplar/library_bench.h"

#include <QTest>

using popsparse::experimental::BSMatMulParams;
using popsparse::experimental::SubBlockMask;
using tests::isNear;
using tests::LibraryBench;

namespace {

// [rows, columns] from blocks that are rows of `blocks`, in the order of the mask.
std::vector<float> denseOf(const std::vector<float>& blocks, const std::vector<unsigned char>& mask, std::size_t rows,
                           std::size_t columns, std::size_t blockRows, std::size_t blockColumns) {
  std::vector<float> all(rows * columns, 0);
  std::size_t at = 0;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (!mask[i]) continue;
    const std::size_t y = i / (columns / blockColumns) * blockRows, x = i % (columns / blockColumns) * blockColumns;
    for (std::size_t r = 0; r < blockRows; ++r)
      for (std::size_t c = 0; c < blockColumns; ++c) all[(y + r) * columns + x + c] = blocks[at++];
  }
  return all;
}

std::vector<float> matrixProduct(const std::vector<float>& a, const std::vector<float>& b, std::size_t m, std::size_t k,
                                 std::size_t n, bool isTransposed = false) {
  std::vector<float> result(m * n, 0);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t x = 0; x < k; ++x) result[i * n + j] += a[i * k + x] * (isTransposed ? b[j * k + x] : b[x * n + j]);
  return result;
}

} // namespace

class PopsparseTest : public QObject {
  Q_OBJECT
private slots:
  void denseTimesSparse_data() {
    QTest::addColumn<bool>("isTransposed");
    QTest::newRow("as it is") << false;
    QTest::newRow("transposed") << true;
  }
  void denseTimesSparse() {
    QFETCH(bool, isTransposed);
    // [8, 32] x [32, 24] with blocks of 16 x 8: the last columns have none.
    const std::vector<unsigned char> mask =
        isTransposed ? std::vector<unsigned char>{1, 0, 1, 1, 0, 0} : std::vector<unsigned char>{1, 1, 0, 0, 1, 0};
    LibraryBench b;
    const std::vector<float> x = LibraryBench::numbers(8 * 32, 0.5F), w = LibraryBench::numbers(3 * 128, 0.25F);
    const BSMatMulParams params({8, 32, 24}, {8, 16, 8}, mask, isTransposed, poplar::FLOAT, poplar::FLOAT, poplar::FLOAT);
    QCOMPARE(popsparse::experimental::createBSMatMulInputRHS(b.graph, params, "w").shape(), (std::vector<std::size_t>{3, 128}));
    b.keep("y", popsparse::experimental::bsMatMul(b.graph, params, b.prog, b.input({8, 32}, x), b.input({3, 128}, w), {}, "bs"));
    b.run();
    const std::vector<float> whole = isTransposed ? denseOf(w, mask, 24, 32, 8, 16) : denseOf(w, mask, 32, 24, 16, 8);
    QVERIFY(isNear(b.values("y"), matrixProduct(x, whole, 8, 32, 24, isTransposed)));
  }

  void groupsHaveTheirOwnMasks() {
    LibraryBench b;
    const std::vector<unsigned char> mask{1, 0, 0, 0}; // the second group has no block
    const std::vector<float> x = LibraryBench::numbers(16 * 16, 0.5F), w = LibraryBench::numbers(64, 0.25F);
    const BSMatMulParams params({8, 16, 8}, {8, 8, 8}, mask, false, poplar::FLOAT, poplar::FLOAT, poplar::FLOAT, 2);
    b.keep("y", popsparse::experimental::bsMatMul(b.graph, params, b.prog, b.input({16, 16}, x), b.input({1, 64}, w)));
    b.run();
    std::vector<float> expected = matrixProduct(x, denseOf(w, {1, 0}, 16, 8, 8, 8), 8, 16, 8);
    expected.resize(2 * 64, 0.0F);
    QVERIFY(isNear(b.values("y"), expected));
  }

  void wantedBlocksOfAProduct() {
    LibraryBench b;
    const std::vector<float> x = LibraryBench::numbers(16 * 8, 0.5F), y = LibraryBench::numbers(8 * 16, 0.25F);
    const BSMatMulParams params({16, 8, 16}, {8, 8, 8}, {1, 0, 1, 1}, poplar::FLOAT, poplar::FLOAT, poplar::FLOAT,
                                SubBlockMask::ZeroUpperTriangle);
    b.keep("z", popsparse::experimental::bsMatMul(b.graph, params, b.prog, b.input({16, 8}, x), b.input({8, 16}, y)));
    b.run();
    const std::vector<float> whole = matrixProduct(x, y, 16, 8, 16);
    std::vector<float> expected;
    for (const auto& [row, column] : {std::pair(0, 0), std::pair(8, 0), std::pair(8, 8)})
      for (int r = row; r < row + 8; ++r)
        for (int c = column; c < column + 8; ++c) expected.push_back(c > r ? 0.0F : whole[std::size_t(r * 16 + c)]);
    QVERIFY(isNear(b.values("z"), expected));
  }

  void wrongSizesAreErrors() {
    const auto params = [](int block, std::size_t blocks) {
      return BSMatMulParams({16, 16, 16}, {block, 8, 8}, std::vector<unsigned char>(blocks, 1), false, poplar::FLOAT,
                            poplar::FLOAT, poplar::FLOAT);
    };
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, params(4, 4));
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, params(8, 5));
    LibraryBench b;
    const auto x = b.input({16, 8}, std::vector<float>(128, 1)), w = b.input({4, 64}, std::vector<float>(256, 1));
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, popsparse::experimental::bsMatMul(b.graph, params(8, 4), b.prog, x, w));
  }
};

TILESCOPE_TEST(PopsparseTest)
#include "popsparse_test.moc"
