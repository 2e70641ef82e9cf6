// Products with sparse operands, against the same product of dense ones.
#include "popsparse/Embedding.hpp"
#include "popsparse/MatMul.hpp"
#include "popsparse/SparsePartitioner.hpp"
#include "popsparse/experimental/BlockSparseMatMul.hpp"
#include "poputil/exceptions.hpp"
#include "tests/simcore/poplar/library_bench.h"

#include <QTest>

#include <array>

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

using popsparse::CSRMatrix;
using Dynamic = popsparse::dynamic::MatMulParams;
using Static = popsparse::static_::MatMulParams;
namespace pd = popsparse::dynamic;

// A sparse matrix of 6 x 8 in blocks of these sizes, some of them not zero, and the same as a dense one.
struct Sample {
  explicit Sample(std::size_t blockRows, std::size_t blockColumns)
      : csr(std::array<std::size_t, 2>{blockRows, blockColumns}), dense(48, 0) {
    std::size_t at = 0;
    csr.rowIndices = {0};
    for (std::size_t r = 0; r < 6 / blockRows; ++r) {
      for (std::size_t c = 0; c < 8 / blockColumns; ++c) {
        if ((3 * r + c) % 3 != 1) continue;
        csr.columnIndices.push_back(c * blockColumns);
        for (std::size_t y = 0; y < blockRows; ++y)
          for (std::size_t x = 0; x < blockColumns; ++x) {
            csr.nzValues.push_back(0.5F * float(++at));
            dense[(r * blockRows + y) * 8 + c * blockColumns + x] = csr.nzValues.back();
          }
      }
      csr.rowIndices.push_back(csr.nzValues.size());
    }
    csr.numRows = 6, csr.numColumns = 8;
  }
  CSRMatrix<float> csr;
  std::vector<float> dense;
};
std::vector<float> transposed(const std::vector<float>& a, std::size_t rows, std::size_t columns) {
  std::vector<float> b;
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t r = 0; r < rows; ++r) b.push_back(a[r * columns + c]);
  return b;
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

  void dynamicProductsFollowTheirData_data() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::newRow("elements") << 1 << 1;
    QTest::newRow("blocks") << 2 << 4;
  }
  void dynamicProductsFollowTheirData() {
    QFETCH(int, rows);
    QFETCH(int, columns);
    const Sample w{std::size_t(rows), std::size_t(columns)};
    const pd::SparsityParams sparsity(pd::SparsityType::Block, pd::SparsityStructure::Unstructured,
                                      {{std::size_t(rows), std::size_t(columns)}});
    LibraryBench b;
    const auto params = Dynamic::createWithNzRatio(sparsity, 0.5, 1, 6, 8, 5);
    const auto layer = pd::FullyConnectedParams::createWithNzRatio(sparsity, 0.5, 5, 1, 8, 6);
    const pd::Partitioner<float> partitioner(params, poplar::FLOAT, b.graph.getTarget(), {});
    const auto data = partitioner.createSparsityDataImpl(w.csr);
    QCOMPARE(data.nzValues.size(), params.getNumNonZeroValues());
    // There and back, by way of each format.
    const auto back = partitioner.sparsityDataImplToCSRMatrix(data);
    QCOMPARE(back.nzValues, w.csr.nzValues);
    QCOMPARE(back.rowIndices, w.csr.rowIndices);
    QCOMPARE(back.columnIndices, w.csr.columnIndices);
    QCOMPARE(partitioner.createSparsityDataImpl(partitioner.sparsityDataImplToCSCMatrix(data)).metaInfo, data.metaInfo);
    QCOMPARE(partitioner.createSparsityDataImpl(partitioner.sparsityDataImplToCSCMatrix(data)).nzValues, data.nzValues);
    QCOMPARE(partitioner.createSparsityDataImpl(partitioner.sparsityDataImplToCOOMatrix(data)).nzValues, data.nzValues);

    const pd::SparseTensor made = pd::createSparseDenseMatMulLHS(b.graph, poplar::FLOAT, params, "w");
    QCOMPARE(made.getMetaInfoTensor().elementType(), poplar::UNSIGNED_SHORT);
    QCOMPARE(made.getMetaInfoTensor().numElements(), data.metaInfo.size());
    const std::vector<float> meta(data.metaInfo.begin(), data.metaInfo.end());
    b.graph.setInitialValue(made.getMetaInfoTensor(), poplar::ArrayRef<float>(meta));
    b.graph.setInitialValue(made.getNzValuesTensor(), poplar::ArrayRef<float>(data.nzValues));
    const std::vector<float> x = LibraryBench::numbers(40), g = LibraryBench::numbers(30, 0.5F);
    const poplar::Tensor in = b.input({1, 8, 5}, x), back5 = b.input({1, 6, 5}, g);
    b.keep("y", pd::sparseDenseMatMul(b.graph, made, in, b.prog));
    b.keep("turned", pd::sparseDenseMatMul(b.graph, made, back5, b.prog, true));
    b.keep("fwd", pd::fullyConnectedFwd(b.graph, made, in[0].transpose(), layer, b.prog));
    b.keep("gradA", pd::fullyConnectedGradA(b.graph, made, back5[0].transpose(), layer, b.prog));
    b.keep("gradW", pd::fullyConnectedSparseGradW(b.graph, made.getMetaInfoTensor(), back5[0].transpose(), in[0].transpose(),
                                                  layer, b.prog));
    const poplar::Tensor indices = b.input(poplar::UNSIGNED_INT, {3}, {4, 0, 4});
    b.keep("rows", pd::embeddingSlice(b.graph, made, indices, b.prog, layer));
    const std::vector<float> updates = LibraryBench::numbers(24, 2.0F);
    pd::embeddingUpdateAdd(b.graph, made, b.input({3, 8}, updates), indices, b.input({1}, {0.25F}), b.prog, layer);
    b.keep("after", made.getNzValuesTensor());
    b.run();
    const std::vector<float> turned = transposed(w.dense, 6, 8);
    QVERIFY(isNear(b.values("y"), matrixProduct(w.dense, x, 6, 8, 5)));
    QVERIFY(isNear(b.values("turned"), matrixProduct(turned, g, 8, 6, 5)));
    QVERIFY(isNear(b.values("fwd"), transposed(matrixProduct(w.dense, x, 6, 8, 5), 6, 5)));
    QVERIFY(isNear(b.values("gradA"), transposed(matrixProduct(turned, g, 8, 6, 5), 8, 5)));
    const std::vector<float> all = matrixProduct(g, transposed(x, 8, 5), 6, 5, 8), gradW = b.values("gradW"),
                             after = b.values("after");
    std::vector<float> row4(w.dense.begin() + 32, w.dense.begin() + 40), expected = row4;
    expected.insert(expected.end(), w.dense.begin(), w.dense.begin() + 8);
    expected.insert(expected.end(), row4.begin(), row4.end());
    QVERIFY(isNear(b.values("rows"), expected));
    const auto coo = partitioner.sparsityDataImplToCOOMatrix(data);
    const std::size_t size = coo.getBlockSize();
    for (std::size_t i = 0; i < coo.nzValues.size(); ++i) {
      const std::size_t r = coo.rowIndices[i / size] + i % size / std::size_t(columns),
                        c = coo.columnIndices[i / size] + i % size % std::size_t(columns);
      QVERIFY(isNear({gradW[i]}, {all[r * 8 + c]}));
      const float added = r == 4 ? updates[c] + updates[16 + c] : r == 0 ? updates[8 + c] : 0;
      QVERIFY(isNear({after[i]}, {coo.nzValues[i] + 0.25F * added}));
    }
  }

  void staticProductsKnowTheirPattern() {
    const Sample w(2, 4);
    LibraryBench b;
    const auto sd = Static::createForSparseDense(1, 6, 8, 5), ds = Static::createForDenseSparse(1, 5, 6, 8);
    const auto left = popsparse::static_::createSparseDenseMatMulLHS(b.graph, poplar::FLOAT, sd, w.csr, "left");
    const auto right = popsparse::static_::createDenseSparseMatMulRHS(b.graph, poplar::FLOAT, ds, w.csr, "right");
    const auto values =
        popsparse::static_::Partitioner<float>(sd, poplar::FLOAT, b.graph.getTarget(), {}).createSparsityDataImpl(w.csr);
    for (const auto& t : {left, right}) b.graph.setInitialValue(t.getNzValuesTensor(), poplar::ArrayRef<float>(values.nzValues));
    const std::vector<float> x = LibraryBench::numbers(40), g = LibraryBench::numbers(30, 0.5F);
    b.keep("sd", popsparse::static_::sparseDenseMatMul(b.graph, left, b.input({1, 8, 5}, x), b.prog));
    b.keep("ds", popsparse::static_::denseSparseMatMul(b.graph, b.input({1, 5, 6}, g), right, b.prog));
    b.run();
    QVERIFY(isNear(b.values("sd"), matrixProduct(w.dense, x, 6, 8, 5)));
    QVERIFY(isNear(b.values("ds"), matrixProduct(g, w.dense, 5, 6, 8)));
  }

  // Rows of blocks with 1, 2 and 0 blocks, in two groups, with and without a triangle.
  void softmaxOfBlocksIsThatOfRows() {
    namespace bs = popsparse::experimental;
    const std::vector<unsigned char> mask{1, 0, 1, 1, 0, 0, 1, 1};
    const std::size_t side = 2, across = 2, blocks = 5;
    for (const auto inside : {bs::SubBlockMask::None, bs::SubBlockMask::ZeroUpperTriangle, bs::SubBlockMask::ZeroLowerTriangle}) {
      LibraryBench b;
      const std::vector<float> x = LibraryBench::numbers(blocks * 4, 0.5F), g = LibraryBench::numbers(blocks * 4, 0.25F);
      const poplar::Tensor in = b.input({blocks, 4}, x), same = b.input({blocks, 4}, x), grad = b.input({blocks, 4}, g);
      const poplar::Tensor y = bs::bsSoftmax(b.graph, in, {{4, 4}}, {{2, 2}}, mask, inside, 2, b.prog, "softmax");
      bs::bsSoftmaxInPlace(b.graph, same, {{4, 4}}, {{2, 2}}, mask, inside, 2, b.prog);
      b.keep("y", y);
      b.keep("same", same);
      b.keep("grad", bs::bsSoftmaxGrad(b.graph, y, grad, {{4, 4}}, {{2, 2}}, mask, b.prog));
      b.run();
      std::vector<float> expected(x.size(), 0), gradient(x.size(), 0);
      std::size_t first = 0;
      for (std::size_t row = 0; row < mask.size() / across; ++row) {
        std::vector<std::size_t> columns;
        for (std::size_t c = 0; c < across; ++c)
          if (mask[row * across + c]) columns.push_back(c);
        for (std::size_t r = 0; r < side; ++r) {
          const auto forRow = [&](auto f) {
            for (std::size_t i = 0; i < columns.size(); ++i)
              for (std::size_t c = 0; c < side; ++c) {
                const std::size_t y0 = row % 2 * side + r, x0 = columns[i] * side + c;
                if (inside == bs::SubBlockMask::None || (inside == bs::SubBlockMask::ZeroUpperTriangle ? x0 <= y0 : x0 >= y0))
                  f((first + i) * 4 + r * side + c);
              }
          };
          float sum = 0, dot = 0;
          forRow([&](std::size_t i) { sum += std::exp(x[i]); });
          forRow([&](std::size_t i) { expected[i] = std::exp(x[i]) / sum; });
          forRow([&](std::size_t i) { dot += expected[i] * g[i]; });
          forRow([&](std::size_t i) { gradient[i] = expected[i] * (g[i] - dot); });
        }
        first += columns.size();
      }
      QVERIFY(isNear(b.values("y"), expected));
      QVERIFY(isNear(b.values("same"), expected));
      QVERIFY(isNear(b.values("grad"), gradient));
    }
    LibraryBench b;
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, bs::bsSoftmax(b.graph, b.input({4, 4}, LibraryBench::numbers(16)), {{4, 4}},
                                                                   {{2, 2}}, mask, bs::SubBlockMask::None, 2, b.prog));
  }

  void sparseMistakesAreNamed() {
    const Sample w(2, 4);
    LibraryBench b;
    const pd::SparsityParams sparsity(pd::SparsityType::Block, pd::SparsityStructure::Unstructured, {{2, 4}});
    const auto few = Dynamic::createWithNumNonZeroValues(sparsity, 8, 1, 6, 8, 5);
    const pd::Partitioner<float> partitioner(few, poplar::FLOAT, b.graph.getTarget(), {});
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, partitioner.createSparsityDataImpl(w.csr)); // two blocks, room for one
    const auto made = pd::createSparseDenseMatMulLHS(b.graph, poplar::FLOAT, few);
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error,
                             pd::sparseDenseMatMul(b.graph, made, b.input({1, 6, 5}, LibraryBench::numbers(30)), b.prog));
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error,
                             pd::sparseDenseMatMul(b.graph, {}, b.input({1, 8, 5}, LibraryBench::numbers(40)), b.prog));
    QVERIFY_THROWS_EXCEPTION(
        poputil::poplibs_error,
        pd::createSparseDenseMatMulLHS(b.graph, poplar::FLOAT, Dynamic::createWithNzRatio(sparsity, 0.5, 2, 6, 8, 5)));
  }
};

TILESCOPE_TEST(PopsparseTest)
#include "popsparse_test.moc"
