#include "reports/core/error.h"
#include "simcore/graph/tensor.h"
#include "tests/simcore/graph/elements.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <functional>

using namespace simcore;
using namespace simcore::graph;
using tests::elements;

namespace {
Tensor tensor(Shape shape, std::size_t variable = 0) {
  return Tensor(reports::VariableId(variable), ElementType::Float, std::move(shape));
}
} // namespace

class TensorViewsTest : public QObject {
  Q_OBJECT
private slots:
  void slicesOfIntervalsFollowEachOther() {
    const Tensor t = tensor({6});
    QCOMPARE(elements(t.slice(Interval{1, 3})), (std::vector<int64_t>{1, 2}));
    QCOMPARE(elements(t.slices({{4, 6}, {0, 1}})), (std::vector<int64_t>{4, 5, 0}));
    QCOMPARE(t.slices({}).numElements(), int64_t(0));
    QCOMPARE(elements(tensor({2, 3}).slices({{2, 3}, {0, 1}}, 1)), (std::vector<int64_t>{2, 0, 5, 3}));
  }

  void dimensionsJoinSplitAndRoll() {
    const Tensor t = tensor({2, 3, 4});
    QCOMPARE(t.flatten(1, 3).shape(), (Shape{2, 12}));
    QCOMPARE(t.reshapePartial(1, 2, {3, 1}).shape(), (Shape{2, 3, 1, 4}));
    QCOMPARE(t.reshapePartial(2, 3, {2, 2}).shape(), (Shape{2, 3, 2, 2}));
    QCOMPARE(t.dimRoll(2).shape(), (Shape{4, 2, 3}));
    QCOMPARE(t.dimRoll(0, 2).shape(), (Shape{3, 4, 2}));
    QCOMPARE(elements(t.dimRoll(2)), elements(t.dimShuffle({2, 0, 1})));
    QCOMPARE(t.dimShufflePartial({0, 2}, {2, 1}).shape(), (Shape{3, 4, 2}));
    QCOMPARE(elements(t.index({1, 2})), (std::vector<int64_t>{20, 21, 22, 23}));
    QCOMPARE(t.shapeToString(), numerics::toString(t.shape()));
  }

  void overlapsAndAliasesAreKnown() {
    const Tensor a = tensor({8}), b = tensor({8}, 1);
    QVERIFY(a.slice(0, 5).intersects(a.slice(4, 8)));
    QVERIFY(!a.slice(0, 4).intersects(a.slice(4, 8)));
    QVERIFY(!a.intersects(b));
    QVERIFY(concat(b, a.slice(0, 1)).intersects(concat(a.slice(0, 3), a.slice(7, 8))));
    QVERIFY(a.isParallelWriteable() && a.isContiguous());
    QVERIFY(!a.slice(0, 1).broadcast(3, 0).isParallelWriteable());
    QVERIFY(!a.reverse(0).isContiguous());
  }

  void impossibleViewsSaySo() {
    const Tensor t = tensor({2, 3});
    for (const auto& f : std::vector<std::function<void()>>{[&] { t.flatten(1, 3); }, [&] { t.flatten(1, 1); },
                                                            [&] { t.reshapePartial(0, 1, {3}); }, [&] { t.dimRoll(2); },
                                                            [&] {
                                                              t.dimShufflePartial({0, 0}, {0, 1});
                                                            },
                                                            [&] {
                                                              t.dimShufflePartial({0}, {0, 1});
                                                            },
                                                            [&] {
                                                              t.index({0, 3});
                                                            },
                                                            [&] {
                                                              t.slices({{2, 5}});
                                                            }})
      QVERIFY_THROWS_EXCEPTION(reports::Error, f());
  }
};

TILESCOPE_TEST(TensorViewsTest)
#include "tensor_views_test.moc"
