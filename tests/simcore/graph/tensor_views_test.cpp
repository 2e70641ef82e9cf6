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

  void tensorsOfNoElementsHaveEveryView() {
    const Tensor t = tensor({0, 4}), u = tensor({3, 0}, 1);
    QCOMPARE(t.flatten().shape(), (Shape{0}));
    QCOMPARE(t.reshape({4, 0}).transpose().shape(), (Shape{0, 4}));
    QCOMPARE(concat(u, u).reshape({2, 0, 5}).flatten(1, 3).shape(), (Shape{2, 0}));
    QCOMPARE(t.reverse(0).subSample(2, 1).broadcast(3, 1).upsample(2, 0).shape(), (Shape{0, 6}));
    QVERIFY(t.flatten().contiguousRegions().empty() && t.variables().size() == 1);
    QVERIFY(t.reshape({4, 0}).wholeVariable().valid());
  }

  // Thousands of tensors that are appended one by one are kept as a list, whatever views are made of them.
  void appendingInALoopMakesAList() {
    const Tensor t = tensor({4});
    Tensor front = t.slice(0, 1), back = front;
    constexpr int kTimes = 20'000;
    for (int i = 1; i < kTimes; ++i) {
      front = concat(front, t.slice(i % 4, i % 4 + 1));
      back = concat(t.slice(i % 4, i % 4 + 1), back);
    }
    QCOMPARE(front.numElements(), int64_t(kTimes));
    QCOMPARE(elements(front.slice(4001, 4004)), (std::vector<int64_t>{1, 2, 3}));
    QCOMPARE(elements(back.reverse(0).slice(4001, 4004)), (std::vector<int64_t>{1, 2, 3}));
    QCOMPARE(elements(front.reshape({kTimes / 4, 4}).transpose()[2].slice(0, 2)), (std::vector<int64_t>{2, 2}));
  }

  void impossibleViewsSaySo() {
    const Tensor t = tensor({2, 3});
    QVERIFY_THROWS_EXCEPTION(reports::Error, t.dim(2));
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
