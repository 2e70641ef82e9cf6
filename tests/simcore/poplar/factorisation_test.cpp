// Factors of matrices: their product is the matrix, and they are triangles or orthogonal.
#include "poplin/Cholesky.hpp"
#include "poplin/TriangularSolve.hpp"
#include "poplin/experimental/LuFactorization.hpp"
#include "poplin/experimental/QRFactorization.hpp"
#include "poputil/exceptions.hpp"
#include "tests/simcore/poplar/library_bench.h"

#include <QTest>

using tests::isNear;
using tests::LibraryBench;

namespace {

using Matrix = std::vector<float>; // in rows

Matrix times(const Matrix& a, const Matrix& b, std::size_t rows, std::size_t inner) {
  const std::size_t columns = b.size() / inner;
  Matrix result(rows * columns, 0);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t i = 0; i < inner; ++i) result[r * columns + c] += a[r * inner + i] * b[i * columns + c];
  return result;
}

// Large on the diagonal, so that no pivot is small.
Matrix matrix(std::size_t rows, std::size_t columns) {
  Matrix values = LibraryBench::numbers(rows * columns, 0.25F);
  for (std::size_t i = 0; i < std::min(rows, columns); ++i) values[i * columns + i] += 4;
  return values;
}

Matrix identity(std::size_t n) {
  Matrix values(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) values[i * (n + 1)] = 1;
  return values;
}

} // namespace

class FactorisationTest : public QObject {
  Q_OBJECT

  static void shapes() {
    QTest::addColumn<int>("m");
    QTest::addColumn<int>("n");
    QTest::newRow("square") << 5 << 5;
    QTest::newRow("tall") << 6 << 3;
    QTest::newRow("one column") << 4 << 1;
    QTest::newRow("one element") << 1 << 1;
  }

private slots:
  void trianglesOfAMatrix_data() {
    shapes();
    QTest::newRow("wide") << 3 << 7;
    QTest::newRow("one row") << 1 << 4;
  }
  void trianglesOfAMatrix() {
    QFETCH(int, m);
    QFETCH(int, n);
    const auto rows = std::size_t(m), columns = std::size_t(n);
    LibraryBench b;
    const Matrix a = matrix(rows, columns);
    poplar::Tensor input = b.input({rows, columns}, a);
    const auto [lower, upper] = poplin::experimental::LUFactorization(b.graph, input, b.prog, "lu");
    b.keep("lower", lower);
    b.keep("upper", upper);
    b.keep("input", input);
    b.run();
    const Matrix l = b.values("lower"), u = b.values("upper");
    QCOMPARE(l.size(), rows * rows);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = r; c < rows; ++c) QCOMPARE(l[r * rows + c], r == c ? 1.0F : 0.0F);
      for (std::size_t c = 0; c < std::min(r, columns); ++c) QCOMPARE(u[r * columns + c], 0.0F);
    }
    QVERIFY(isNear(times(l, u, rows, rows), a));
    QVERIFY(isNear(b.values("input"), a)); // as it was
  }

  void orthogonalAndTriangle_data() { shapes(); }
  void orthogonalAndTriangle() {
    QFETCH(int, m);
    QFETCH(int, n);
    const auto rows = std::size_t(m), columns = std::size_t(n);
    LibraryBench b;
    Matrix a = matrix(rows, columns);
    if (columns > 2)
      for (std::size_t r = 0; r < rows; ++r) a[r * columns + 1] = 0; // a column without a direction
    poplar::Tensor r = b.input({rows, columns}, a), q = b.input({rows, rows}, identity(rows));
    poplin::experimental::QRFactorization(b.graph, r, q, b.prog, "qr");
    b.keep("q", q);
    b.keep("r", r);
    b.run();
    const Matrix orthogonal = b.values("q"), triangle = b.values("r");
    Matrix turned(orthogonal.size());
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < rows; ++j) turned[i * rows + j] = orthogonal[j * rows + i];
    QVERIFY(isNear(times(orthogonal, turned, rows, rows), identity(rows)));
    QVERIFY(isNear(times(orthogonal, triangle, rows, rows), a));
    for (std::size_t i = 1; i < rows; ++i)
      for (std::size_t j = 0; j < std::min(i, columns); ++j) QCOMPARE(triangle[i * columns + j], 0.0F);
  }

  // Every side and triangle, with operands as the library makes them; what is outside of the triangle is not read.
  void triangularSystemsOfEverySide_data() {
    QTest::addColumn<bool>("left");
    QTest::addColumn<bool>("lower");
    QTest::addColumn<bool>("unit");
    for (const bool left : {true, false})
      for (const bool lower : {true, false})
        for (const bool unit : {true, false})
          QTest::addRow("%s, %s%s", left ? "left" : "right", lower ? "lower" : "upper", unit ? ", unit" : "")
              << left << lower << unit;
  }
  void triangularSystemsOfEverySide() {
    QFETCH(bool, left);
    QFETCH(bool, lower);
    QFETCH(bool, unit);
    const std::size_t n = 5, m = 3, groups = 2;
    LibraryBench b;
    const Matrix values = LibraryBench::numbers(groups * n * m, 0.5F);
    Matrix given, whole;
    for (std::size_t g = 0; g < groups; ++g)
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t c = 0; c < n; ++c) {
          const bool inside = lower ? c < r : c > r;
          const float element = r == c   ? (unit ? 77.0F : 2.0F + float(r))
                                : inside ? 0.25F * float(int((r * 3 + c + g) % 5) - 2)
                                         : 99.0F;
          given.push_back(element);
          whole.push_back(r == c ? (unit ? 1.0F : element) : inside ? element : 0.0F);
        }
    const std::vector<std::size_t> shapeA{groups, n, n},
        shapeX = left ? std::vector<std::size_t>{groups, n, m} : std::vector<std::size_t>{groups, m, n};
    const auto a = poplin::createTriangularSolveInputLHS(b.graph, poplar::FLOAT, poplar::FLOAT, shapeA, shapeX, left, "a");
    const auto rhs = poplin::createTriangularSolveInputRHS(b.graph, poplar::FLOAT, poplar::FLOAT, shapeA, shapeX, left, "b");
    QVERIFY(a.shape() == shapeA && rhs.shape() == shapeX);
    b.prog.add(poplar::program::Copy(b.input(shapeA, given), a));
    b.prog.add(poplar::program::Copy(b.input(shapeX, values), rhs));
    b.keep("x", poplin::triangularSolve(b.graph, a, rhs, left, lower, unit, b.prog));
    b.run();
    const Matrix x = b.values("x");
    QCOMPARE(x.size(), values.size());
    for (std::size_t g = 0; g < groups; ++g) {
      const auto part = [&](const Matrix& all, std::size_t size) {
        return Matrix(all.begin() + std::ptrdiff_t(g * size), all.begin() + std::ptrdiff_t((g + 1) * size));
      };
      const Matrix t = part(whole, n * n), y = part(x, n * m);
      QVERIFY(isNear(left ? times(t, y, n, n) : times(y, t, m, n), part(values, n * m), 1e-4F));
    }
  }

  void factorsOfBothTriangles() {
    for (const bool lower : {true, false}) {
      LibraryBench b;
      const Matrix base = matrix(4, 4);
      Matrix turned(16);
      for (std::size_t i = 0; i < 16; ++i) turned[i % 4 * 4 + i / 4] = base[i];
      const Matrix positive = times(base, turned, 4, 4);
      const auto a = poplin::createCholeskyInput(b.graph, poplar::FLOAT, {4, 4}, lower, "a");
      b.prog.add(poplar::program::Copy(b.input({4, 4}, positive), a));
      b.keep("factor", poplin::cholesky(b.graph, a, lower, b.prog));
      b.run();
      const Matrix factor = b.values("factor");
      Matrix other(16);
      for (std::size_t i = 0; i < 16; ++i) other[i % 4 * 4 + i / 4] = factor[i];
      QVERIFY(isNear(lower ? times(factor, other, 4, 4) : times(other, factor, 4, 4), positive, 1e-4F));
      for (std::size_t r = 0; r < 4; ++r)
        for (std::size_t c = 0; c < 4; ++c)
          if (lower ? c > r : c < r) QCOMPARE(factor[r * 4 + c], 0.0F);
    }
  }

  void wrongShapesAreErrors() {
    LibraryBench b;
    poplar::Tensor wide = b.input({2, 3}, Matrix(6, 1)), q = b.input({2, 2}, identity(2)), row = b.input({3}, Matrix(3, 1));
    using poputil::poplibs_error;
    QVERIFY_THROWS_EXCEPTION(poplibs_error, poplin::experimental::QRFactorization(b.graph, wide, q, b.prog));
    QVERIFY_THROWS_EXCEPTION(poplibs_error, poplin::experimental::LUFactorization(b.graph, row, b.prog));
    QVERIFY_THROWS_EXCEPTION(poplibs_error,
                             poplin::experimental::createQRFactorizationMatrices(b.graph, poplar::FLOAT, 2, 3, "m"));
    const auto made = poplin::experimental::createQRFactorizationMatrices(b.graph, poplar::FLOAT, 3, 2, "m");
    QCOMPARE(made[1].shape(), (std::vector<std::size_t>{3, 3}));
  }
};

TILESCOPE_TEST(FactorisationTest)
#include "factorisation_test.moc"
