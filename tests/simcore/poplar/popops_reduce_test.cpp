#include "popops/AllTrue.hpp"
#include "popops/DynamicSlice.hpp"
#include "popops/ElementWise.hpp"
#include "popops/EncodingConstants.hpp"
#include "popops/Gather.hpp"
#include "popops/NaN.hpp"
#include "popops/Pad.hpp"
#include "popops/Reduce.hpp"
#include "popops/SelectScalarFromRows.hpp"
#include "popops/Sort.hpp"
#include "popops/TopK.hpp"
#include "popops/UpdateScalarInRows.hpp"
#include "poputil/exceptions.hpp"
#include "tests/simcore/poplar/library_bench.h"

#include <cmath>
#include <limits>

using tests::isNear;
using tests::LibraryBench;

class PopopsReduceTest : public QObject {
  Q_OBJECT
private slots:
  void outputsMayHaveDimensionsOfOne() {
    LibraryBench b;
    const poplar::Tensor x = b.input({2, 3}, {1, 2, 3, 4, 5, 6}), row = b.input({1, 3}, {0, 0, 0}), one = b.input({1}, {0});
    popops::reduceWithOutput(b.graph, x, row, {0}, popops::Operation::ADD, b.prog);
    std::vector<poplar::ComputeSet> sets;
    popops::reduceWithOutput(b.graph, x.flatten(), one, {0}, popops::Operation::MAX, sets);
    for (const poplar::ComputeSet& set : sets) b.prog.add(poplar::program::Execute(set));
    const poplar::Tensor count = b.input({}, {2});
    popops::addInPlace(b.graph, count, one, b.prog); // a scalar and [1]
    b.keep("count", count);
    b.keep("row", row);
    b.keep("one", one);
    b.run();
    QCOMPARE(b.values("row"), (std::vector<float>{5, 7, 9}));
    QCOMPARE(b.values("one"), (std::vector<float>{6}));
    QCOMPARE(b.values("count"), (std::vector<float>{8}));
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error,
                             popops::reduceWithOutput(b.graph, x, b.input({2}, {0, 0}), {0}, popops::Operation::ADD, b.prog));
  }

  // As in Poplar, with no input element the result is the identity of the operation, and an update changes nothing.
  void reductionsOfNoElements() {
    LibraryBench b;
    const poplar::Tensor none = b.input({2, 0}, {}), kept = b.input({2}, {3, 4}), given = b.input({2}, {3, 4});
    b.keep("sum", popops::reduce(b.graph, none, {1}, popops::Operation::ADD, b.prog));
    b.keep("least", popops::reduce(b.graph, none, {1}, popops::Operation::MIN, b.prog));
    QCOMPARE(popops::reduce(b.graph, none, {0}, popops::Operation::ADD, b.prog).numElements(), std::size_t(0));
    popops::reduceWithOutput(b.graph, none, kept, {1}, {popops::Operation::ADD, true}, b.prog);
    popops::reduceWithOutput(b.graph, none, given, {1}, popops::Operation::MUL, b.prog);
    std::vector<poplar::Tensor> outputs;
    popops::reduceMany(b.graph, {popops::SingleReduceOp(none, {1}, {popops::Operation::MUL})}, outputs, b.prog);
    b.keep("many", outputs.at(0));
    std::vector<poplar::ComputeSet> sets;
    b.keep("sets", popops::reduce(b.graph, none, poplar::FLOAT, {1}, popops::Operation::MAX, sets));
    for (const poplar::ComputeSet& set : sets) b.prog.add(poplar::program::Execute(set));
    b.keep("kept", kept);
    b.keep("given", given);
    b.run();
    constexpr float infinite = std::numeric_limits<float>::infinity();
    QCOMPARE(b.values("sum"), (std::vector<float>{0, 0}));
    QCOMPARE(b.values("least"), (std::vector<float>{infinite, infinite}));
    QCOMPARE(b.values("kept"), (std::vector<float>{3, 4}));
    QCOMPARE(b.values("given"), (std::vector<float>{1, 1}));
    QCOMPARE(b.values("many"), (std::vector<float>{1, 1}));
    QCOMPARE(b.values("sets"), (std::vector<float>{-infinite, -infinite}));
  }

  void scalesMayHaveOneDimension() {
    LibraryBench b;
    const poplar::Tensor x = b.input({2}, {1, 2}), scale = b.input({1}, {0.5F}), out = b.input({}, {9});
    popops::reduceWithOutput(b.graph, x, out, {0}, {popops::Operation::ADD, false, scale}, b.prog);
    b.keep("each", popops::reduce(b.graph, x, {}, {popops::Operation::ADD, false, scale}, b.prog));
    b.keep("first", popops::reduce(b.graph, x[0], {}, {popops::Operation::ADD, false, scale}, b.prog));
    b.keep("out", out);
    b.run();
    QCOMPARE(b.values("out"), (std::vector<float>{1.5F}));
    QCOMPARE(b.values("each"), (std::vector<float>{0.5F, 1}));
    QCOMPARE(b.values("first"), (std::vector<float>{0.5F}));
  }

  void sumsAreThoseOfLoops() {
    LibraryBench b;
    const auto x = b.input({2, 3}, {1, 2, 3, 4, 5, 6});
    const auto scale = b.input({}, {0.5F}), out = b.input({2}, {100, 200});
    b.keep("columns", popops::reduce(b.graph, x, poplar::FLOAT, {0}, popops::Operation::ADD, b.prog, "r"));
    b.keep("most", popops::reduce(b.graph, x, {1, 0}, {popops::Operation::MAX}, b.prog));
    b.keep("squares", popops::reduce(b.graph, x, {1}, popops::Operation::SQUARE_ADD, b.prog));
    popops::reduceWithOutput(b.graph, x, out, {1}, {popops::Operation::ADD, true, scale}, b.prog);
    b.keep("out", out);
    b.keep("ones", popops::reduce(b.graph, x.expand({1}), {1}, popops::Operation::SQUARE_ADD, b.prog));
    b.keep("copies", popops::reduce(b.graph, x.expand({1}), {1}, popops::Operation::ADD, b.prog));
    b.keep("same", popops::reduce(b.graph, x, {}, popops::Operation::ADD, b.prog));
    b.run();
    QVERIFY(isNear(b.values("columns"), {5, 7, 9}));
    QVERIFY(isNear(b.values("most"), {6}));
    QVERIFY(isNear(b.values("squares"), {14, 77}));
    QVERIFY(isNear(b.values("out"), {103, 207.5F}));
    QVERIFY(isNear(b.values("ones"), {1, 4, 9, 16, 25, 36}));
    QVERIFY(isNear(b.values("copies"), {1, 2, 3, 4, 5, 6}));
    QVERIFY(isNear(b.values("same"), {1, 2, 3, 4, 5, 6}));
  }

  void computeSetsGiveTheSame() {
    LibraryBench b;
    const std::vector<float> values = LibraryBench::numbers(6000, 0.5F);
    const auto x = b.input({2, 3000}, values), all = b.input({6000}, values);
    std::vector<poplar::ComputeSet> sets;
    const auto rows = popops::reduce(b.graph, x, poplar::FLOAT, {1}, popops::Operation::ADD, sets);
    const auto most = popops::reduce(b.graph, x, poplar::FLOAT, {0, 1}, popops::Operation::MAX, sets);
    const auto sum = b.input({}, {1});
    popops::reduceWithOutput(b.graph, all, sum, {0}, {popops::Operation::SQUARE_ADD, true}, sets);
    QVERIFY(sets.size() >= 2); // this many partials need an intermediate stage
    for (const auto& set : sets) b.prog.add(poplar::program::Execute(set));
    b.keep("rows", rows);
    b.keep("most", most);
    b.keep("sum", sum);
    b.run();
    float first = 0, second = 0, squares = 1, largest = values[0];
    for (std::size_t i = 0; i < values.size(); ++i) {
      (i < 3000 ? first : second) += values[i];
      squares += values[i] * values[i];
      largest = std::max(largest, values[i]);
    }
    QVERIFY(isNear(b.values("rows"), {first, second}));
    QVERIFY(isNear(b.values("most"), {largest}));
    QVERIFY(isNear(b.values("sum"), {squares}, 1e-4F));
  }

  void manyAtOnce() {
    LibraryBench b;
    const auto x = b.input({2, 2}, {1, 2, 3, 4}), y = b.input({3}, {1, 2, 4});
    std::vector<poplar::Tensor> outputs;
    popops::reduceMany(
        b.graph,
        {popops::SingleReduceOp(x, {0}, {popops::Operation::ADD}), popops::SingleReduceOp(y, {0}, {popops::Operation::MUL})},
        outputs, b.prog, "many");
    QCOMPARE(outputs.size(), std::size_t(2));
    b.keep("x", outputs[0]);
    b.keep("y", outputs[1]);
    b.keep("true", popops::allTrue(b.graph, b.input(poplar::BOOL, {3}, {1, 1, 1}), b.prog));
    b.keep("false", popops::allTrue(b.graph, b.input(poplar::BOOL, {3}, {1, 0, 1}), b.prog));
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, popops::allTrue(b.graph, y, b.prog));
    b.keep("nan", popops::hasNaN(b.graph, b.input({2}, {1, std::numeric_limits<float>::quiet_NaN()}), b.prog));
    b.keep("none", popops::hasNaNOrInf(b.graph, y, b.prog));
    b.run();
    QVERIFY(isNear(b.values("x"), {4, 6}));
    QVERIFY(isNear(b.values("y"), {8}));
    QVERIFY(isNear(b.values("true"), {1}));
    QVERIFY(isNear(b.values("false"), {0}));
    QVERIFY(isNear(b.values("nan"), {1}));
    QVERIFY(isNear(b.values("none"), {0}));
  }

  void slicesAreWhereTheOffsetSays() {
    LibraryBench b;
    const auto x = b.input({4, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    const auto at = b.input(poplar::UNSIGNED_INT, {1}, {2}), both = b.input(poplar::UNSIGNED_INT, {2}, {1, 1});
    const auto rows = b.input(poplar::UNSIGNED_INT, {3, 1}, {3, 0, 3}),
               new_rows = b.input({3, 1, 3}, {1, 1, 1, 2, 2, 2, 3, 3, 3});
    b.keep("row", popops::dynamicSlice(b.graph, x, at, {0}, {1}, b.prog));
    b.keep("box", popops::dynamicSlice(b.graph, x, both, {0, 1}, {2, 2}, b.prog));
    b.keep("rows", popops::multiSlice(b.graph, x, rows, {0}, {1}, b.prog, popops::SlicePlan(), {}));
    b.keep("gathered", popops::gather(b.graph, x, b.input(poplar::UNSIGNED_INT, {2}, {2, 0}), 1, b.prog, {}));
    const auto table = b.input({4, 3}, std::vector<float>(12, 1)), set = b.input({4, 3}, std::vector<float>(12, 0));
    popops::multiUpdateAdd(b.graph, table, new_rows, rows, b.input({}, {10}), {0}, {1}, b.prog, popops::SlicePlan(), {});
    popops::multiUpdate(b.graph, set, new_rows, rows, {0}, {1}, b.prog, popops::SlicePlan(), {});
    popops::dynamicUpdate(b.graph, x, b.input({1, 3}, {-1, -2, -3}), at, {0}, {1}, b.prog);
    b.keep("table", table);
    b.keep("set", set);
    b.keep("x", x);
    b.run();
    QVERIFY(isNear(b.values("row"), {6, 7, 8}));
    QVERIFY(isNear(b.values("box"), {4, 5, 7, 8}));
    QVERIFY(isNear(b.values("rows"), {9, 10, 11, 0, 1, 2, 9, 10, 11}));
    QVERIFY(isNear(b.values("gathered"), {2, 0, 5, 3, 8, 6, 11, 9}));
    QVERIFY(isNear(b.values("table"), {21, 21, 21, 1, 1, 1, 1, 1, 1, 41, 41, 41}));
    QVERIFY(isNear(b.values("set"), {2, 2, 2, 0, 0, 0, 0, 0, 0, 3, 3, 3}));
    QVERIFY(isNear(b.values("x"), {0, 1, 2, 3, 4, 5, -1, -2, -3, 9, 10, 11}));
  }

  // Single elements along any dimension of a tensor of any rank.
  void lookUpsAlongAnyDimension() {
    LibraryBench b;
    const auto line = b.input({4}, {0, 1, 2, 3}), sums = b.input({4}, {0, 0, 0, 0}), x = b.input({2, 3}, {0, 1, 2, 3, 4, 5});
    const auto at = b.input(poplar::UNSIGNED_INT, {2, 1}, {2, 0});
    const popops::SlicePlan plan;
    const poplar::Tensor elements = popops::multiSlice(b.graph, line, at, {0}, {1}, b.prog, plan, {}),
                         columns = popops::multiSlice(b.graph, x, at, {1}, {1}, b.prog, plan, {});
    QCOMPARE(columns.shape(), (std::vector<std::size_t>{2, 2, 1}));
    popops::multiUpdateAdd(b.graph, sums, b.input({2, 1}, {5, 6}), at, b.input({}, {2}), {0}, {1}, b.prog, plan, {});
    popops::multiUpdate(b.graph, x, b.input({2, 2, 1}, {-1, -2, -3, -4}), at, {1}, {1}, b.prog, plan, {});
    b.keep("elements", elements);
    b.keep("columns", columns);
    b.keep("sums", sums);
    b.keep("x", x);
    b.run();
    QCOMPARE(b.values("elements"), (std::vector<float>{2, 0}));
    QCOMPARE(b.values("columns"), (std::vector<float>{2, 5, 0, 3}));
    QCOMPARE(b.values("sums"), (std::vector<float>{12, 0, 10, 0}));
    QCOMPARE(b.values("x"), (std::vector<float>{-3, 1, -1, -4, 4, -2}));
  }

  // Index 4 of 4 rows: with remapOutOfBoundIndices the first row, with paddingIndexUsed a row of zeros that no update changes.
  void optionsForIndicesOutsideOfTheRows() {
    for (const bool pads : {false, true}) {
      LibraryBench b;
      const poplar::OptionFlags options{{pads ? "paddingIndexUsed" : "remapOutOfBoundIndices", "true"}};
      const auto x = b.input({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), sums = b.input({4, 2}, std::vector<float>(8, 0));
      const auto at = b.input(poplar::UNSIGNED_INT, {2, 1}, {4, 3});
      const popops::SlicePlan plan;
      b.keep("rows", popops::multiSlice(b.graph, x, at, {0}, {1}, b.prog, plan, options));
      b.keep("known", popops::multiSlice(b.graph, x, std::vector<unsigned>{4, 3}, 0, b.prog, {}, options));
      popops::multiUpdateAdd(b.graph, sums, b.input({2, 1, 2}, {1, 2, 3, 4}), at, b.input({}, {1}), {0}, {1}, b.prog, plan,
                             options);
      b.keep("sums", sums);
      b.run();
      const float first = pads ? 0 : 1;
      QCOMPARE(b.values("rows"), (std::vector<float>{first, 2 * first, 7, 8}));
      QCOMPARE(b.values("known"), b.values("rows"));
      QCOMPARE(b.values("sums"), (std::vector<float>{first, 2 * first, 0, 0, 0, 0, 3, 4}));
    }
  }

  // A masked row keeps its elements and gives 0, an index that no column has gives NaN.
  void oneElementOfEachRow() {
    LibraryBench b;
    const std::vector<float> numbers{1, 2, 3, 4, 5, 6, 7, 8};
    const auto x = b.input({4, 2}, numbers), at = b.input(poplar::UNSIGNED_INT, {4}, {1, 0, 2, 0});
    const auto masked = b.graph.addConstant(poplar::UNSIGNED_INT, {4}, std::vector<unsigned>{MASKED_LABEL_CODE, 1, 0, 1});
    b.graph.setTileMapping(masked, 0);
    b.keep("selected", popops::selectScalarFromRows(b.graph, x, at, b.prog));
    b.keep("kept", popops::selectScalarFromRows(b.graph, x, masked, b.prog));
    const auto less = b.input({4, 2}, numbers), rest = b.input({4, 2}, numbers);
    popops::updateScalarInRows(b.graph, less, at, b.prog);
    popops::updateScalarInRows(b.graph, rest, masked, b.prog);
    b.keep("less", less);
    b.keep("rest", rest);
    b.run();
    QVERIFY(std::isnan(b.values("selected")[2]));
    QCOMPARE(b.values("selected")[0], 2.0F);
    QCOMPARE(b.values("kept"), (std::vector<float>{0, 4, 5, 8}));
    QVERIFY(std::isnan(b.values("less")[4]) && std::isnan(b.values("less")[5]));
    QCOMPARE(b.values("less")[1], 1.0F);
    QCOMPARE(b.values("rest"), (std::vector<float>{1, 2, 3, 3, 4, 6, 7, 7}));
  }

  void padsAreViews() {
    LibraryBench b;
    const auto x = b.input({2, 2}, {1, 2, 3, 4});
    const auto zeros = popops::pad(b.graph, x, {1, 0}, {0, 1}), nines = popops::pad(b.graph, x, 1, 0, 1, 9);
    const auto edge = popops::pad(x, 1, 1, 1, popops::padding::Type::EDGE),
               reflected = popops::pad(x, 1, 1, 1, popops::padding::Type::REFLECT);
    b.keep("zeros", zeros);
    b.keep("nines", nines);
    b.keep("edge", edge);
    b.keep("reflected", reflected);
    b.run();
    QVERIFY(isNear(b.values("zeros"), {0, 0, 0, 1, 2, 0, 3, 4, 0}));
    QVERIFY(isNear(b.values("nines"), {9, 1, 2, 9, 3, 4}));
    QVERIFY(isNear(b.values("edge"), {1, 1, 2, 2, 3, 3, 4, 4}));
    QVERIFY(isNear(b.values("reflected"), {2, 1, 2, 1, 4, 3, 4, 3}));
  }

  void largestAndSmallestComeInTheirOrder() {
    LibraryBench b;
    const auto x = b.input({2, 4}, {3, 1, 4, 2, 8, 6, 5, 7}),
               names = b.input(poplar::INT, {2, 4}, {10, 11, 12, 13, 14, 15, 16, 17});
    const auto [values, places] =
        popops::topKWithPermutation(b.graph, b.prog, x, popops::TopKParams(2, false, popops::SortOrder::ASCENDING), "small");
    const auto [keys, taken] =
        popops::topKKeyValue(b.graph, b.prog, x, names, popops::TopKParams(2, true, popops::SortOrder::DESCENDING));
    b.keep("values", values);
    b.keep("places", places);
    b.keep("keys", keys);
    b.keep("taken", taken);
    b.keep("up", popops::topK(b.graph, b.prog, x, popops::TopKParams(2, true, popops::SortOrder::ASCENDING)));
    b.keep("sorted", popops::sort(b.graph, x, 1, b.prog));
    b.keep("named", popops::sortKeyValue(b.graph, x, names, 1, b.prog));
    b.run();
    QVERIFY(isNear(b.values("values"), {1, 2, 5, 6}));
    QVERIFY(isNear(b.values("places"), {1, 3, 2, 1}));
    QVERIFY(isNear(b.values("keys"), {4, 3, 8, 7}));
    QVERIFY(isNear(b.values("taken"), {12, 10, 14, 17}));
    QVERIFY(isNear(b.values("up"), {3, 4, 7, 8}));
    QVERIFY(isNear(b.values("sorted"), {1, 2, 3, 4, 5, 6, 7, 8}));
    QVERIFY(isNear(b.values("named"), {11, 13, 10, 12, 16, 15, 17, 14}));
  }

  void sizesOfTopKThatDoNotFitAreNamed() {
    LibraryBench b;
    const auto errorOf = [&](const poplar::Tensor& x) {
      try {
        popops::topK(b.graph, b.prog, x, popops::TopKParams(5, true, popops::SortOrder::NONE));
        return std::string();
      } catch (const poputil::poplibs_error& e) {
        return std::string(e.what());
      }
    };
    const std::string few = errorOf(b.input({4}, {1, 2, 3, 4})), scalar = errorOf(b.input({}, {1}));
    QVERIFY2(few.find("k is 5, but the last dimension of ") != std::string::npos && few.ends_with(" has fewer elements"),
             few.c_str());
    QVERIFY2(scalar.ends_with(" has no dimension to select from"), scalar.c_str());
  }
};

TILESCOPE_TEST(PopopsReduceTest)
#include "popops_reduce_test.moc"
