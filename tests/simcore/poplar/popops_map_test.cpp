#include "poplar/exceptions.hpp"
#include "popops/Cast.hpp"
#include "popops/DynamicSlice.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Encoding.hpp"
#include "popops/Fill.hpp"
#include "popops/Loop.hpp"
#include "popops/ScaledAdd.hpp"
#include "popops/Zero.hpp"
#include "poputil/exceptions.hpp"
#include "tests/simcore/poplar/library_bench.h"

#include <cmath>

using tests::isNear;
using tests::LibraryBench;
namespace pe = popops::expr;

class PopopsMapTest : public QObject {
  Q_OBJECT
private slots:
  void namedFunctionsEqualTheirLoops() {
    LibraryBench b;
    const std::vector<float> x = LibraryBench::numbers(12), y = LibraryBench::numbers(12, 0.5F);
    const auto tx = b.input({3, 4}, x), ty = b.input({3, 4}, y);
    b.keep("add", popops::add(b.graph, tx, ty, b.prog, "add"));
    b.keep("sub", popops::sub(b.graph, 1.5F, tx, b.prog));
    b.keep("abs", popops::abs(b.graph, tx, b.prog));
    b.keep("max", popops::max(b.graph, tx, 0.25F, b.prog));
    b.keep("lt", popops::lt(b.graph, tx, ty, b.prog));
    b.keep("exp2", popops::exp2(b.graph, tx, b.prog));
    b.keep("round", popops::round(b.graph, ty, b.prog));
    b.keep("even", popops::nearbyint(b.graph, ty, b.prog));
    b.run();
    std::vector<float> add, sub, abs, max, lt, exp2, round, even;
    for (std::size_t i = 0; i < x.size(); ++i) {
      add.push_back(x[i] + y[i]);
      sub.push_back(1.5F - x[i]);
      abs.push_back(std::abs(x[i]));
      max.push_back(std::max(x[i], 0.25F));
      lt.push_back(x[i] < y[i] ? 1.0F : 0.0F);
      exp2.push_back(std::exp2(x[i]));
      round.push_back(std::round(y[i]));
      even.push_back(std::nearbyint(y[i]));
    }
    QVERIFY(isNear(b.values("add"), add));
    QVERIFY(isNear(b.values("sub"), sub));
    QVERIFY(isNear(b.values("abs"), abs));
    QVERIFY(isNear(b.values("max"), max));
    QVERIFY(isNear(b.values("lt"), lt));
    QVERIFY(isNear(b.values("exp2"), exp2));
    QVERIFY(isNear(b.values("round"), round));
    QVERIFY(isNear(b.values("even"), even));
  }

  void placesOfTheResultAreAsAsked() {
    LibraryBench b;
    const auto x = b.input({4}, {1, 2, 3, 4}), out = b.input({4}, {0, 0, 0, 0});
    popops::mulInPlace(b.graph, x, 2.0F, b.prog);
    popops::addWithOutput(b.graph, x, 1.0F, out, b.prog);
    b.keep("x", x);
    b.keep("out", out);
    b.run();
    QVERIFY(isNear(b.values("x"), {2, 4, 6, 8}));
    QVERIFY(isNear(b.values("out"), {3, 5, 7, 9}));
  }

  void expressionsNestAndBroadcast() {
    LibraryBench b;
    const auto x = b.input({2, 3}, {1, 2, 3, 4, 5, 6}), row = b.input({3}, {10, 20, 30}), column = b.input({2, 1}, {1, 2});
    b.keep("e", popops::map(b.graph, (pe::_1 - pe::_3) * pe::Const(2) + pe::_2, {x, row, column}, b.prog, "e"));
    b.keep("s", popops::map(b.graph, pe::Select(pe::Const(1.0F), -pe::_1, pe::_1 > 3), {x}, b.prog));
    b.keep("c", popops::map(b.graph, pe::Clamp(pe::_1, pe::Const(2), pe::Const(5)), {x}, b.prog));
    b.keep("i", popops::map(b.graph, pe::Cast(pe::_1, poplar::INT) / 2, {x}, b.prog));
    b.run();
    QVERIFY(isNear(b.values("e"), {10, 22, 34, 14, 26, 38}));
    QVERIFY(isNear(b.values("s"), {-1, -2, -3, 1, 1, 1}));
    QVERIFY(isNear(b.values("c"), {2, 2, 3, 4, 5, 5}));
    QVERIFY(isNear(b.values("i"), {0, 1, 1, 2, 2, 3}));
  }

  void constantsTakeTheTypeOfTheTensor() {
    LibraryBench b;
    const auto half = b.input(poplar::HALF, {2}, {1, 2}), whole = b.input(poplar::UNSIGNED_INT, {2}, {5, 6});
    const auto a = popops::mul(b.graph, half, 0.5F, b.prog);
    const auto c = popops::add(b.graph, whole, 1, b.prog);
    QVERIFY(a.elementType() == poplar::HALF);
    QVERIFY(c.elementType() == poplar::UNSIGNED_INT);
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, popops::add(b.graph, whole, 0.5F, b.prog));
    b.keep("a", a);
    b.keep("c", c);
    b.run();
    QVERIFY(isNear(b.values("a"), {0.5F, 1}));
    QVERIFY(isNear(b.values("c"), {6, 7}));
  }

  void shiftsKeepOrLoseTheSign() {
    LibraryBench b;
    const auto x = b.input(poplar::INT, {2}, {-8, 8});
    b.keep("kept", popops::shiftRightSignExtend(b.graph, x, 1, b.prog));
    b.keep("lost", popops::shiftRight(b.graph, x, 28, b.prog));
    b.run();
    QVERIFY(isNear(b.values("kept"), {-4, 4}));
    QVERIFY(isNear(b.values("lost"), {15, 0}));
  }

  void bitsOfWordsAreCounted() {
    LibraryBench b;
    const auto x = b.input(poplar::INT, {4}, {0, 1, 255, -1}), u = b.input(poplar::UNSIGNED_INT, {1}, {8});
    b.keep("set", popops::popcount(b.graph, x, b.prog));
    b.keep("zeros", popops::countLeadingZeros(b.graph, x, b.prog));
    popops::countLeadingZerosInPlace(b.graph, u, b.prog);
    b.keep("u", u);
    b.run();
    QVERIFY(isNear(b.values("set"), {0, 1, 8, 32}));
    QVERIFY(isNear(b.values("zeros"), {32, 31, 24, 0}));
    QVERIFY(isNear(b.values("u"), {28}));
  }

  void shapesThatDoNotFitAreNamed() {
    LibraryBench b;
    const auto x = b.input({4}, {1, 2, 3, 4}), y = b.input({3}, {1, 2, 3});
    try {
      popops::add(b.graph, x, y, b.prog);
      QFAIL("it was accepted");
    } catch (const poputil::poplibs_error& e) {
      QVERIFY2(QString(e.what()).contains("input"), e.what());
    }
  }

  void fillsCastsAndCountsWrite() {
    LibraryBench b;
    const auto zero = b.input({5}, {1, 1, 1, 1, 1}), fill = b.input({5}, {0, 0, 0, 0, 0}),
               part = b.input({6}, {1, 1, 1, 1, 1, 1});
    popops::zero(b.graph, zero, b.prog);
    popops::fill(b.graph, fill, b.prog, 2.5F);
    const auto set = b.graph.addComputeSet("zero");
    popops::zero(b.graph, part.slice(0, 3), 1, set);
    popops::fill(b.graph, part.slice(3, 5), 2, set, 7);
    b.prog.add(poplar::program::Execute(set));
    const auto count = b.graph.addVariable(poplar::UNSIGNED_INT, {4}, poplar::VariableMappingMethod::LINEAR, "count");
    popops::iota(b.graph, count, 3U, b.prog);
    const auto casts = b.graph.addComputeSet("cast");
    const auto whole = popops::cast(b.graph, fill, poplar::INT, casts);
    b.prog.add(poplar::program::Execute(casts));
    b.keep("zero", zero);
    b.keep("fill", fill);
    b.keep("part", part);
    b.keep("count", count);
    b.keep("whole", whole);
    b.run();
    QVERIFY(isNear(b.values("zero"), {0, 0, 0, 0, 0}));
    QVERIFY(isNear(b.values("fill"), {2.5F, 2.5F, 2.5F, 2.5F, 2.5F}));
    QVERIFY(isNear(b.values("part"), {0, 0, 0, 7, 7, 1}));
    QVERIFY(isNear(b.values("count"), {3, 4, 5, 6}));
    QVERIFY(isNear(b.values("whole"), {2, 2, 2, 2, 2}));
  }

  void scaledAdditionsHaveTheirForms() {
    LibraryBench b;
    const std::vector<float> start{1, 2};
    const auto y = b.input({2}, {10, 20}), scale = b.input({}, {0.5F}), half = b.input(poplar::HALF, {2}, {1, 1});
    const auto a = b.input({2}, start), c = b.input({2}, start), d = b.input({2}, start), e = b.input({2}, start),
               f = b.input({2}, start);
    popops::scaledAddTo(b.graph, a, y, 2.0F, b.prog);
    popops::scaledSubtractFrom(b.graph, c, y, scale, b.prog);
    popops::scaledAddTo(b.graph, d, 3.0F, y, 0.1F, b.prog);
    popops::scaledAddTo(b.graph, e, scale, y, scale, b.prog, popops::ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY);
    popops::scaledAddTo(b.graph, f, half, 4.0F, b.prog);
    b.keep("a", a);
    b.keep("c", c);
    b.keep("d", d);
    b.keep("e", e);
    b.keep("f", f);
    b.run();
    QVERIFY(isNear(b.values("a"), {21, 42}));
    QVERIFY(isNear(b.values("c"), {-4, -8}));
    QVERIFY(isNear(b.values("d"), {4, 8}));
    QVERIFY(isNear(b.values("e"), {5.5F, 11}));
    QVERIFY(isNear(b.values("f"), {5, 6}));
  }

  void loopsCount() {
    LibraryBench b;
    const auto sum = b.input(poplar::UNSIGNED_INT, {1}, {0}), times = b.input(poplar::INT, {1}, {0}),
               limit = b.input(poplar::INT, {1}, {7});
    b.prog.add(popops::countedLoop(b.graph, 2, 10, 3, [&](const poplar::Tensor& i) {
      poplar::program::Sequence body;
      popops::addInPlace(b.graph, sum, i, body);
      return body;
    }));
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, popops::countedLoop(b.graph, 2, 2, 1, [](const poplar::Tensor&) {
                               return poplar::program::Sequence();
                             }));
    poplar::program::Sequence body;
    popops::addInPlace(b.graph, times, 1, body);
    b.prog.add(popops::countedForLoop(b.graph, 1, limit, 2, body));
    b.keep("sum", sum);
    b.keep("times", times);
    b.run();
    QVERIFY(isNear(b.values("sum"), {2 + 5 + 8}));
    QVERIFY(isNear(b.values("times"), {3})); // 1, 3, 5
  }

  void expressionsHaveNames() {
    namespace pe = popops::expr;
    LibraryBench b;
    const std::vector<poplar::Tensor> in{b.input({1}, {1}), b.input(poplar::UNSIGNED_INT, {1}, {1})};
    const pe::Any e = pe::Select(pe::_1 * -2.5F, pe::Cast(pe::_2, poplar::FLOAT), pe::Not(pe::_1 > pe::_1));
    QCOMPARE(e.name(in),
             std::string("SELECT_MULTIPLY_float_1_m2z5_Cast_unsigned_int_2_float_LOGICAL_NOT_GREATER_THAN_float_1_float_1"));
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, pe::Any(pe::_3).name(in));
    pe::Add sum = pe::_1 + pe::_2;
    sum = pe::_2 + pe::_1;
    QVERIFY(pe::deepEquals(sum, pe::_2 + pe::_1) && !pe::deepEquals(sum, pe::_1 + pe::_2));
  }

  // As on the machine, one operation has vertices only for some types; an expression of several is a codelet of its own.
  void operationsRefuseTypesWithoutVertices() {
    LibraryBench b;
    const auto f = b.input({2}, {4, 0}), i = b.input(poplar::INT, {2}, {4, -1}), t = b.input(poplar::BOOL, {2}, {1, 0});
    const auto u = b.input(poplar::UNSIGNED_INT, {2}, {4, 1});
    try {
      popops::logicalNot(b.graph, f, b.prog);
      QFAIL("logicalNot of FLOAT is accepted");
    } catch (const poplar::unknown_vertex_type& e) {
      const std::string text = e.what();
      QVERIFY2(text.find("LOGICAL_NOT") != std::string::npos && text.find("float") != std::string::npos, text.c_str());
    }
    using poplar::unknown_vertex_type;
    QVERIFY_EXCEPTION_THROWN(popops::sqrt(b.graph, t, b.prog), unknown_vertex_type);
    QVERIFY_EXCEPTION_THROWN(popops::exp(b.graph, i, b.prog), unknown_vertex_type);
    QVERIFY_EXCEPTION_THROWN(popops::neg(b.graph, u, b.prog), unknown_vertex_type);
    QVERIFY_EXCEPTION_THROWN(popops::add(b.graph, t, t, b.prog), unknown_vertex_type);
    QVERIFY_EXCEPTION_THROWN(popops::logicalAnd(b.graph, f, f, b.prog), unknown_vertex_type);
    QVERIFY_EXCEPTION_THROWN(popops::bitwiseAnd(b.graph, f, f, b.prog), unknown_vertex_type);
    QVERIFY_EXCEPTION_THROWN(popops::sinInPlace(b.graph, i, b.prog), unknown_vertex_type);
    b.keep("sqrt", popops::sqrt(b.graph, popops::abs(b.graph, i, b.prog), b.prog)); // INT has a vertex
    b.keep("not", popops::logicalNot(b.graph, t, b.prog));
    b.keep("equal", popops::eq(b.graph, t, t, b.prog));
    b.run();
    QVERIFY(isNear(b.values("sqrt"), {2, 1}));
    QVERIFY(isNear(b.values("not"), {0, 1}));
    QVERIFY(isNear(b.values("equal"), {1, 1}));
  }

  void classesBecomeOneHot() {
    LibraryBench b;
    const auto at = b.input(poplar::UNSIGNED_INT, {3}, {2, 0, 1}), out = b.input({3, 3}, std::vector<float>(9, 5));
    popops::encodeOneHot(b.graph, at, out, b.prog);
    b.keep("out", out);
    b.run();
    QVERIFY(isNear(b.values("out"), {0, 0, 1, 1, 0, 0, 0, 1, 0}));
  }

  // A cache of lines for remote rows: on few tiles it does not fit.
  void largeTablesAreSpreadOverMoreTiles() {
    LibraryBench b(1024);
    const poplar::Tensor table = popops::createSliceableTensor(b.graph, poplar::FLOAT, {10000, 1024}, {0}, {1});
    std::size_t tiles = 0, most = 0;
    for (const auto& regions : b.graph.getTileMapping(table)) {
      std::size_t elements = 0;
      for (const auto& region : regions) elements += region.size();
      tiles += elements > 0;
      most = std::max(most, elements);
    }
    QCOMPARE(tiles, std::size_t(1024));
    QCOMPARE(most, std::size_t(10000));
  }
};

TILESCOPE_TEST(PopopsMapTest)
#include "popops_map_test.moc"
