// The further forms of popops' reductions: into an existing tensor, scaled, accumulated, several at once.
#include "simcore/ops/reduce/reduce.h"

#include "tests/simcore/ops/library_world.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <numeric>

using namespace simcore;
using namespace simcore::ops;
using codelets::ReduceOp;
using numerics::HostTensor;
using tests::bothWays;
using tests::errorOf;
using tests::has;
using tests::LibraryWorld;

namespace {
constexpr int64_t kRows = 37, kColumns = 5; // both prime: shares are ragged

std::vector<float> numbers() {
  std::vector<float> v(std::size_t(kRows * kColumns));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = float((i * 7919) % 101) / 50 - 1;
  return v;
}

// f over each column, or each row.
std::vector<double> folded(bool columns, double start, const std::function<double(double, double)>& f) {
  const std::vector<float> v = numbers();
  std::vector<double> out(std::size_t(columns ? kColumns : kRows), start);
  for (int64_t r = 0; r < kRows; ++r)
    for (int64_t c = 0; c < kColumns; ++c) {
      double& o = out[std::size_t(columns ? c : r)];
      o = f(o, double(v[std::size_t(r * kColumns + c)]));
    }
  return out;
}
double plus(double a, double b) { return a + b; }
} // namespace

class ReduceManyTest : public QObject {
  Q_OBJECT
private slots:
  void intoAPlaceThatIsGiven() {
    for (const std::size_t axis : {std::size_t(0), std::size_t(1)})
      bothWays("with output",
               [axis](LibraryWorld& w) {
                 const Tensor x = w.floats({kRows, kColumns}, numbers());
                 const Tensor one = w.graph->addVariable(ElementType::Float, {axis ? kRows : kColumns}, "on one tile");
                 w.graph->setTileMapping(one, reports::TileId(0));
                 const Tensor spread =
                     w.graph->addVariable(ElementType::Float, one.shape(), graph::VariableMappingMethod::Linear, "spread");
                 reduceWithOutput(w.builder, x, one, {axis});
                 reduceWithOutput(w.builder, x, spread, {axis}, {ReduceOp::Maximum});
                 return std::vector{one, spread};
               },
               {folded(axis == 0, 0, plus), folded(axis == 0, -9, [](double a, double b) { return std::max(a, b); })});
  }

  void scaledAndAddedTo() {
    std::vector<double> expected = folded(true, 0, [](double a, double b) { return a + b * b; });
    for (double& v : expected) v = 10 + 0.5 * v;
    bothWays("update",
             [](LibraryWorld& w) {
               const Tensor x = w.floats({kRows, kColumns}, numbers()), sum = w.floats({kColumns}, {10, 10, 10, 10, 10}),
                            half = w.floats({1}, {0.5f});
               reduceWithOutput(w.builder, x, sum, {0}, {ReduceOp::SquareAdd, half, true});
               return std::vector{sum};
             },
             {expected});
  }

  void severalShareTheirComputeSets() {
    const auto build = [](LibraryWorld& w) {
      const Tensor x = w.floats({kRows, kColumns}, numbers());
      return reduceMany(w.builder, {{x, {0}}, {x, {1}, {ReduceOp::Minimum}}, {x, {0, 1}, {ReduceOp::Maximum}}});
    };
    bothWays("many", build,
             {folded(true, 0, plus), folded(false, 9, [](double a, double b) { return std::min(a, b); }), {0.98 + 0.02}});
    LibraryWorld together(16), apart(16);
    build(together);
    const Tensor x = apart.floats({kRows, kColumns}, numbers());
    reduce(apart.builder, x, {0}, ReduceOp::Add, false);
    reduce(apart.builder, x, {1}, ReduceOp::Minimum, false);
    reduce(apart.builder, x, {0, 1}, ReduceOp::Maximum, false);
    QVERIFY(together.computeSets() < apart.computeSets());
    const auto cyclesOf = [](LibraryWorld& w) {
      run::Engine e(compile::compile(w.graph, {{"main", w.program.program()}}), {}, nullptr);
      e.run();
      return e.cycle();
    };
    QVERIFY(cyclesOf(together) < cyclesOf(apart));
    const std::vector<double> sums = folded(true, 0, plus);
    const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
    bothWays("many with outputs",
             [](LibraryWorld& w) {
               const Tensor y = w.floats({kRows, kColumns}, numbers()), a = w.floats({kColumns}, {0, 0, 0, 0, 0}),
                            b = w.floats({}, {1});
               reduceMany(w.builder, {{y, {0}}, {y, {0, 1}, {ReduceOp::Add, {}, true}}}, {a, b});
               return std::vector{a, b};
             },
             {folded(true, 0, plus), {1 + total}});
  }

  // Results with equal numbers of elements are on the same tiles, even of different operations; combining them needs no exchange.
  void resultsOfEqualSizeLieAlike() {
    LibraryWorld w(16);
    const Tensor x = w.floats({64, 8}, std::vector<float>(512, 1));
    const auto sums = reduceMany(w.builder, {{x, {0}}, {x, {0}, {ReduceOp::SquareAdd}}});
    const auto later = reduceMany(w.builder, {{x, {0}, {ReduceOp::Maximum}}}, {}, sums[0]);
    const auto lies = [&](const Tensor& t) { return w.builder.layoutOf(t); };
    QVERIFY(lies(sums[1]).sameAs(lies(sums[0])));
    QVERIFY(lies(later[0]).sameAs(lies(sums[0])));
    QVERIFY(!lies(reduceMany(w.builder, {{x, {0}}})[0]).sameAs(lies(sums[0]))); // else the next ones go to the next tiles
  }

  void truths() {
    for (const bool all : {true, false}) {
      std::vector<float> v(23, 1);
      if (!all) v[17] = 0;
      bothWays("allTrue",
               [&](LibraryWorld& w) {
                 const Tensor x = w.input(ElementType::Bool, HostTensor::vector(v));
                 return std::vector{allTrue(w.builder, x), reduce(w.builder, x, {0}, ReduceOp::LogicalOr, false)};
               },
               {{all ? 1.0 : 0.0}, {1}});
    }
    LibraryWorld w(4);
    QVERIFY(has(errorOf([&] { allTrue(w.builder, w.floats({2}, {1, 1})); }), "not bool"));
  }

  // Programs reduce thousands of small views: all on the first tile would overflow it.
  void smallViewsAreReducedWhereTheyAre() {
    LibraryWorld w(61);
    const Tensor x = w.graph->addVariable(ElementType::Float, {20, 3}, "x");
    for (int64_t row = 0; row < 20; ++row) w.graph->setTileMapping(x[row], reports::TileId(uint32_t(3 * row)));
    for (int64_t row = 0; row < 20; ++row) {
      const graph::Distribution where = w.builder.layoutOf(x[row]);
      QCOMPARE(where.firstTile(), 3 * row);
      QCOMPARE(where.cells(), int64_t(1));
    }
    const Tensor column = x.slice(4, 9, 0).slice(1, 2, 1).flatten(); // five elements on tiles 12, 15, ..
    QCOMPARE(w.builder.layoutOf(column).firstTile(), int64_t(12));
    QCOMPARE(w.builder.layoutOf(column).cells(), int64_t(5));
  }

  void mistakesAreNamed() {
    LibraryWorld w(4);
    const Tensor x = w.floats({kRows, kColumns}, numbers()), y = w.floats({kRows}, std::vector<float>(kRows, 0));
    QVERIFY(has(errorOf([&] { reduceWithOutput(w.builder, x, y, {0}); }), "the output is input1 [37]"));
    QVERIFY(has(errorOf([&] { reduceWithOutput(w.builder, x, y, {1}, {ReduceOp::Add, y}); }), "is not one value"));
    QVERIFY(has(errorOf([&] { reduceMany(w.builder, {{x, {0}, {ReduceOp::Add, {}, true}}}); }), "needs the output tensor"));
    QVERIFY(has(errorOf([&] { reduceMany(w.builder, {{x, {0}}}, {y, y}); }), "2 outputs for 1 reductions"));
  }
};

TILESCOPE_TEST(ReduceManyTest)
#include "reduce_many_test.moc"
