// Determinants with both plans, compared with the kernel, and the planner's cuts.
#include "reports/core/error.h"
#include "simcore/numerics/determinant.h"
#include "simcore/ops/linalg/determinant.h"
#include "tests/simcore/ops/library_world.h"
#include "tests/support/test_main.h"

#include <cmath>
#include <random>
#include <set>

using namespace simcore;
using namespace simcore::ops;
using numerics::HostTensor;

namespace {

HostTensor squares(const Shape& shape) {
  std::mt19937_64 random(3);
  HostTensor t(ElementType::Float, shape);
  for (float& v : t.mutableValues<float>()) v = float(int64_t(random() % 65) - 32) / 32;
  return t;
}

HostTensor determinantsOf(const HostTensor& x, ElementType type, int tiles, bool vertexByVertex, std::string& method) {
  tests::LibraryWorld w(tiles, vertexByVertex);
  const Tensor out = ops::determinant(w.builder, w.input(type, x));
  method = w.graph->plans().at(0).method;
  return w.run({out})[0];
}

} // namespace

class DeterminantTest : public QObject {
  Q_OBJECT
private slots:
  void knownValues() {
    const HostTensor x = HostTensor::of(Shape{3, 2, 2}, std::vector<float>{1, 2, 3, 4, 0, 1, 1, 0, 2, 4, 1, 2});
    QCOMPARE(numerics::determinant(x).toDoubles(), (std::vector<double>{-2, -1, 0}));
    QVERIFY_THROWS_EXCEPTION(reports::Error, numerics::determinant(HostTensor(ElementType::Float, {2, 3})));
  }

  void everyCutAgrees() {
    std::set<std::string> methods;
    for (const Shape& shape :
         {Shape{1, 1}, Shape{2, 2}, Shape{5, 3, 3}, Shape{101, 4, 4}, Shape{1, 7, 7}, Shape{2, 31, 31}, Shape{53, 53}})
      for (const int tiles : {1, 3, 16, 61})
        for (const ElementType type : {ElementType::Float, ElementType::Half}) {
          // Half only for small matrices: larger determinants exceed its range.
          if (type == ElementType::Half && shape.back() > 7) continue;
          const HostTensor x = squares(shape);
          std::string method;
          const HostTensor once = determinantsOf(x, type, tiles, false, method),
                           cells = determinantsOf(x, type, tiles, true, method);
          methods.insert(method);
          QCOMPARE(cells.shape(), Shape(shape.begin(), shape.end() - 2));
          for (int64_t i = 0; i < once.count(); ++i)
            if (std::abs(once.at(i) - cells.at(i)) > (type == ElementType::Half ? 1e-2 : 1e-5) * (1 + std::abs(once.at(i))))
              QFAIL(qPrintable(QString("%1 on %2 tiles: %3 by cells, %4 at once")
                                   .arg(QString::fromStdString(numerics::toString(shape)))
                                   .arg(tiles)
                                   .arg(cells.at(i))
                                   .arg(once.at(i))));
        }
    QCOMPARE(methods, (std::set<std::string>{"elimination by a worker", "elimination by rows"}));
  }

  void planDealsMatricesOrRows() {
    const arch::Machine m = arch::findMachine("gc200", 1);
    const DeterminantPlan many = planDeterminant(m, ElementType::Float, 20000, 6),
                          one = planDeterminant(m, ElementType::Float, 1, 512);
    QVERIFY(many.whole && many.groups == m.tilesPerIpu && many.fits);
    QVERIFY(!one.whole && one.groups == 1 && one.rowCuts > 8 && one.fits);
    // A matrix too large for a tile is cut, however slow that is.
    const DeterminantPlan large = planDeterminant(m, ElementType::Float, 1, 2048);
    QVERIFY(large.fits && large.rowCuts * m.tile.memory.value() > 2048 * 2048 * 4);
  }
};

TILESCOPE_TEST(DeterminantTest)
#include "determinant_test.moc"
