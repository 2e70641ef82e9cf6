#include "reports/core/error.h"
#include "simcore/graph/tensor.h"
#include "tests/simcore/graph/elements.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <numeric>
#include <random>

using namespace simcore::graph;
using simcore::numerics::ElementType;
using tests::elements;

namespace {

// The same, computed slowly: a dense array of element numbers, permuted and cut.
struct Dense {
  Shape shape;
  std::vector<int64_t> values;
};

int64_t count(const Shape& s) { return std::accumulate(s.begin(), s.end(), int64_t(1), std::multiplies<>()); }

Dense shuffled(const Dense& d, const std::vector<std::size_t>& order) {
  Dense out;
  for (std::size_t o : order) out.shape.push_back(d.shape[o]);
  const Shape strides = simcore::numerics::rowMajorStrides(d.shape);
  Shape index(order.size(), 0);
  for (int64_t i = 0; i < count(out.shape); ++i) {
    int64_t at = 0;
    for (std::size_t k = 0; k < order.size(); ++k) at += index[k] * strides[order[k]];
    out.values.push_back(d.values[std::size_t(at)]);
    for (std::size_t k = order.size(); k-- > 0;) {
      if (++index[k] < out.shape[k]) break;
      index[k] = 0;
    }
  }
  return out;
}

Dense sliced(const Dense& d, int64_t begin, int64_t end, std::size_t dimension) {
  Dense out{d.shape, {}};
  out.shape[dimension] = end - begin;
  int64_t inner = 1;
  for (std::size_t k = dimension + 1; k < d.shape.size(); ++k) inner *= d.shape[k];
  for (int64_t i = 0; i < int64_t(d.values.size()); ++i) {
    const int64_t at = i / inner % d.shape[dimension];
    if (at >= begin && at < end) out.values.push_back(d.values[std::size_t(i)]);
  }
  return out;
}

} // namespace

class TensorTest : public QObject {
  Q_OBJECT
private slots:
  void viewsNameTheRightElements() {
    const Tensor t(VariableId(0), ElementType::Float, {2, 3});
    QCOMPARE(elements(t.transpose()), (std::vector<int64_t>{0, 3, 1, 4, 2, 5}));
    QCOMPARE(elements(t.slice(1, 3, 1)), (std::vector<int64_t>{1, 2, 4, 5}));
    QCOMPARE(elements(t.reverse(1)), (std::vector<int64_t>{2, 1, 0, 5, 4, 3}));
    QCOMPARE(elements(t.subSample(2, 1)), (std::vector<int64_t>{0, 2, 3, 5}));
    QCOMPARE(elements(t[1]), (std::vector<int64_t>{3, 4, 5}));
    QCOMPARE(elements(t[1][2]), (std::vector<int64_t>{5}));
    QCOMPARE(elements(t.slice(0, 1).broadcast(2, 0)), (std::vector<int64_t>{0, 1, 2, 0, 1, 2}));
    const Tensor u(VariableId(1), ElementType::Float, {2, 1});
    QCOMPARE(elements(concat(t, u, 1)), (std::vector<int64_t>{0, 1, 2, 1000, 3, 4, 5, 1001}));
    QCOMPARE(elements(t.transpose().reshape({6})), (std::vector<int64_t>{0, 3, 1, 4, 2, 5}));
    const Tensor joined = concat(concat(t.flatten(), u.flatten(), 0), u.flatten(), 0).reshape({5, 2}); // joins in joins
    QCOMPARE(joined.shape(), (Shape{5, 2}));
    QCOMPARE(elements(joined.slice(2, 5)), (std::vector<int64_t>{4, 5, 1000, 1001, 1000, 1001}));
    QCOMPARE(elements(t.transpose().reshape({2, 3}).slice(1, 2)), (std::vector<int64_t>{4, 2, 5}));
  }

  void longChainsAgreeWithTheSlowWay() {
    std::mt19937 random(3);
    for (int round = 0; round < 300; ++round) {
      Dense d{{2, 3, 4}, {}};
      d.values.resize(24);
      std::iota(d.values.begin(), d.values.end(), 0);
      Tensor t(VariableId(0), ElementType::Float, d.shape);
      for (int step = 0; step < 6; ++step) {
        const std::size_t rank = d.shape.size();
        switch (random() % 4) {
        case 0: {
          std::vector<std::size_t> order(rank);
          std::iota(order.begin(), order.end(), std::size_t(0));
          std::shuffle(order.begin(), order.end(), random);
          t = t.dimShuffle(order);
          d = shuffled(d, order);
          break;
        }
        case 1: {
          const std::size_t dim = random() % rank;
          const int64_t begin = int64_t(random() % std::size_t(d.shape[dim])),
                        end = begin + 1 + int64_t(random() % std::size_t(d.shape[dim] - begin));
          t = t.slice(begin, end, dim);
          d = sliced(d, begin, end, dim);
          break;
        }
        case 2: { // a random factorisation of the element count
          int64_t left = count(d.shape);
          Shape s;
          for (int64_t f : {3, 2, 2}) {
            if (left % f == 0 && random() % 2) {
              s.push_back(f);
              left /= f;
            }
          }
          s.insert(s.begin() + std::ptrdiff_t(random() % (s.size() + 1)), left);
          t = t.reshape(s);
          d.shape = s;
          break;
        }
        default: {
          t = concat(t, t, 0);
          d.values.insert(d.values.end(), d.values.begin(), d.values.end());
          d.shape[0] *= 2;
          if (count(d.shape) > 200) step = 99;
        }
        }
        QCOMPARE(t.shape(), d.shape);
        QCOMPARE(elements(t), d.values);
      }
    }
  }

  void wholeVariablesAreKnownAndAliasesFound() {
    const Tensor t(VariableId(4), ElementType::Float, {4, 6});
    QVERIFY(t.reshape({2, 12}).wholeVariable() == VariableId(4));
    QVERIFY(!t.transpose().wholeVariable().valid());
    QVERIFY(!t.slice(0, 3).wholeVariable().valid());
    QVERIFY(!t.containsAliases());
    QVERIFY(concat(t, t.slice(0, 1)).containsAliases());
    // Variables of a long join come in order of first use, each once.
    std::vector<Tensor> parts;
    for (uint32_t i = 0; i < 100; ++i) parts.push_back(Tensor(VariableId(i % 40), ElementType::Float, {2}));
    const auto variables = concat(parts).variables();
    QCOMPARE(variables.size(), std::size_t(40));
    for (uint32_t i = 0; i < 40; ++i) QCOMPARE(variables[i], VariableId(i));
  }

  void wrongArgumentsNameTheShape() {
    const Tensor t(VariableId(0), ElementType::Float, {2, 3});
    QVERIFY_THROWS_EXCEPTION(reports::Error, t.slice(0, 4, 1));
    QVERIFY_THROWS_EXCEPTION(reports::Error, t.reshape({7}));
    QVERIFY_THROWS_EXCEPTION(reports::Error, t.dimShuffle({0, 0}));
    QVERIFY_THROWS_EXCEPTION(reports::Error, concat(t, t.transpose()));
    try {
      t.squeeze({1});
      QFAIL("a dimension of extent 3 was squeezed");
    } catch (const reports::Error& e) {
      QVERIFY(std::string(e.what()).find("2x3") != std::string::npos);
    }
  }
};

TILESCOPE_TEST(TensorTest)
#include "tensor_test.moc"
