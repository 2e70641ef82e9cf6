// Expressions of popops::expr and element-wise calls: numbers against the C++ operators they are written with.
#include "simcore/ops/elementwise/expression.h"

#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/elementwise/elementwise_numbers.h"
#include "tests/simcore/ops/library_world.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

using namespace simcore;
using namespace simcore::ops;
using codelets::BinaryOp;
using codelets::UnaryOp;
using numerics::HostTensor;
using tests::bothWays;
using tests::errorOf;
using tests::has;
using tests::LibraryWorld;

namespace {
const std::vector<float> kX{-2.5f, -1, 0.25f, 1, 2, 3.5f, 4, 7, 8, 9, 10.5f, 100}, kY{1, 2, 3, -4, 0.5f, 6, 7, 8, 9, 10, 11, 12};

// kX and kY, twelve elements as a matrix and as it is broadcast.
std::vector<std::vector<double>> each(const std::function<double(double, double)>& f) {
  std::vector<double> out;
  for (std::size_t i = 0; i < kX.size(); ++i) out.push_back(f(double(kX[i]), double(kY[i])));
  return {out};
}

void checkMap(const char* what, const Expression& e, const std::function<double(double, double)>& f, double tolerance = 1e-5) {
  bothWays(
      what,
      [&](LibraryWorld& w) {
        return std::vector{map(w.builder, e, {w.floats({3, 4}, kX), w.floats({3, 4}, kY)})};
      },
      each(f), tolerance);
}

std::vector<double> words(BinaryOp op, int32_t a, int32_t b) {
  return binaryNumbers(op, HostTensor::scalar(a), HostTensor::scalar(b)).toDoubles();
}
} // namespace

class ExpressionTest : public QObject {
  Q_OBJECT
private slots:
  void operatorsAndConstants() {
    checkMap("arithmetic", (_1 - _2) * 2.0 + 1 / _2, [](double x, double y) { return (x - y) * 2 + 1 / y; });
    checkMap("remainder", _1 % _2, [](double x, double y) { return std::fmod(x, y); });
    checkMap("comparison", (_1 > _2 && !(_2 == 7)) || _1 <= -2, [](double x, double y) { return (x > y && y != 7) || x <= -2; });
    checkMap("negation", -_1 + 3, [](double x, double) { return 3 - x; });
    checkMap("select", Expression::select(_1, _2 * 10, _1 != 1), [](double x, double y) { return x != 1 ? x : y * 10; });
    checkMap("clamp", Expression::clamp(_1, 0, _2 + 1), [](double x, double y) { return std::min(std::max(x, 0.0), y + 1); });
    checkMap("functions", Expression::unary(UnaryOp::Sqrt, Expression::unary(UnaryOp::Square, _1) + 1),
             [](double x, double) { return std::sqrt(x * x + 1); });
    checkMap("operand", _2, [](double, double y) { return y; });
    checkMap("constant", Expression(4.5), [](double, double) { return 4.5; });
    checkMap("integers", Expression::cast((Expression::cast(_1, ElementType::Int32) << 2) & 12, ElementType::Float),
             [](double x, double) { return double((int(x) << 2) & 12); });
  }

  void operandsBroadcast() {
    bothWays(
        "row and column",
        [](LibraryWorld& w) {
          const Tensor row = w.floats({4}, {1, 2, 3, 4}), column = w.floats({3, 1}, {10, 20, 30}), all = w.floats({3, 4}, kX);
          const Tensor sum = map(w.builder, _1 + _2, {row, column});
          mapInPlace(w.builder, _1 * 0 + _2 + _3, {all, row, column});
          return std::vector{sum, all};
        },
        {{11, 12, 13, 14, 21, 22, 23, 24, 31, 32, 33, 34}, {11, 12, 13, 14, 21, 22, 23, 24, 31, 32, 33, 34}});
  }

  // One codelet computes the whole expression and writes the result in place.
  void inPlaceAndIntoWhatIsThere() {
    bothWays("in place",
             [](LibraryWorld& w) {
               const Tensor x = w.floats({3, 4}, kX), y = w.floats({3, 4}, kY), z = w.graph->clone(y, "z"),
                            flag = w.graph->clone(ElementType::Bool, y, "flag");
               mapInPlace(w.builder, _1 + _2 * 2, {x, y});
               mapInPlace(w.builder, _2 - 1, {z, y}); // the first operand is not read
               mapWithOutput(w.builder, _1 < _2, {x, y}, flag);
               return std::vector{x, z, flag};
             },
             {each([](double x, double y) { return x + 2 * y; })[0], each([](double, double y) { return y - 1; })[0],
              each([](double x, double y) { return x + 2 * y < y; })[0]});
    LibraryWorld w(16);
    map(w.builder, (_1 + 1) * (_1 - 1), {w.floats({3, 4}, kX)});
    QCOMPARE(w.computeSets(), std::size_t(1));
    QVERIFY(has(w.graph->vertexTypes().at(0).name, "FusedMap<ADD,SUBTRACT,MULTIPLY"));
    LibraryWorld checked(16);
    const Tensor x = checked.floats({4}, {1, 2, 3, 4}), unread = checked.graph->clone(x, "unread");
    mapInPlace(checked.builder, _2 * _2, {unread, x});
    run::EngineOptions options;
    options.checkReads = true;
    run::Engine e(compile::compile(checked.graph, {{"main", checked.program.program()}}), options, nullptr);
    e.writeTensor(x, HostTensor::vector(std::vector<float>{1, 2, 3, 4}));
    e.run();
    QCOMPARE(e.readTensor(unread).toDoubles(), (std::vector<double>{1, 4, 9, 16}));
  }

  void halvesRoundAtEveryStep() {
    bothWays(
        "half",
        [](LibraryWorld& w) {
          const Tensor x = w.input(ElementType::Half, HostTensor::vector(std::vector<float>{1, 2048, 60000}));
          return std::vector{
              map(w.builder, (_1 + 1) * 1.0 - 1, {x}),
              map(w.builder, Expression::cast(Expression::cast(_1, ElementType::Half) + 0.5, ElementType::Float), {x})};
        },
        {{1, 2047, 60000}, {1.5, 2048, 60000}}, 0);
  }

  void callsByName() {
    bothWays(
        "unary and binary in place",
        [](LibraryWorld& w) {
          const Tensor x = w.floats({3, 4}, kX), y = w.floats({3, 4}, kY);
          unaryInPlace(w.builder, UnaryOp::Absolute, x);
          binaryInPlace(w.builder, BinaryOp::Subtract, x, y);
          return std::vector{x, unary(w.builder, UnaryOp::IsFinite, y), nonLinearity(w.builder, codelets::NonLinearity::Relu, y)};
        },
        {each([](double x, double y) { return std::abs(x) - y; })[0], std::vector<double>(12, 1),
         each([](double, double y) { return std::max(y, 0.0); })[0]});
  }

  // Every operation with a plan also computes numbers.
  void everyOperationHasNumbers() {
    const HostTensor x = HostTensor::vector(std::vector<float>{0.25f, 0.5f}), i = HostTensor::vector(std::vector<int32_t>{6, -3}),
                     t = HostTensor::of(Shape{2}, std::vector<float>{1, 0}).cast(ElementType::Bool);
    for (int op = 0; op < codelets::kUnaryOpCount; ++op) {
      const auto u = UnaryOp(op);
      const bool ofBits = u == UnaryOp::BitwiseNot || u == UnaryOp::CountLeadingZeros || u == UnaryOp::Popcount;
      const HostTensor& in = ofBits ? i : u == UnaryOp::LogicalNot ? t : x;
      QCOMPARE(unaryNumbers(u, in).count(), int64_t(2));
      QCOMPARE(unaryNumbers(u, in).type() == ElementType::Bool, isTest(u) || u == UnaryOp::LogicalNot);
    }
    for (int op = 0; op < codelets::kBinaryOpCount; ++op) {
      const auto b = BinaryOp(op);
      const bool bits = b == BinaryOp::BitwiseAnd || b == BinaryOp::BitwiseOr || b == BinaryOp::BitwiseXor ||
                        b == BinaryOp::ShiftLeft || b == BinaryOp::ShiftRight;
      const HostTensor& in = bits ? i : b == BinaryOp::LogicalAnd || b == BinaryOp::LogicalOr ? t : x;
      QCOMPARE(binaryNumbers(b, in, in).count(), int64_t(2));
    }
    const auto close = [](UnaryOp op, float v, double wanted) {
      return std::abs(unaryNumbers(op, HostTensor::scalar(v)).at(0) - wanted) < 1e-6;
    };
    QVERIFY(close(UnaryOp::Cbrt, 27, 3) && close(UnaryOp::Expm1, 1e-4f, std::expm1(1e-4)) &&
            close(UnaryOp::Log1p, 1, std::log(2)));
    QVERIFY(close(UnaryOp::Trunc, -2.7f, -2) && close(UnaryOp::Rsqrt, 16, 0.25) && close(UnaryOp::Square, -3, 9));
    QVERIFY(close(UnaryOp::IsInf, -INFINITY, 1) && close(UnaryOp::IsFinite, NAN, 0));
    QCOMPARE(words(BinaryOp::BitwiseAnd, 12, 10), std::vector<double>{8});
    QCOMPARE(words(BinaryOp::BitwiseOr, 12, 10), std::vector<double>{14});
    QCOMPARE(words(BinaryOp::BitwiseXor, -1, 1), std::vector<double>{-2});
    QCOMPARE(words(BinaryOp::ShiftLeft, 3, 31), std::vector<double>{-2147483648.0});
    QCOMPARE(words(BinaryOp::ShiftRight, -1, 28), std::vector<double>{15});
    QCOMPARE(words(BinaryOp::ShiftLeft, 1, 40), std::vector<double>{0});
    QCOMPARE(unaryNumbers(UnaryOp::BitwiseNot, HostTensor::scalar(int32_t(5))).toDoubles(), std::vector<double>{-6});
    const HostTensor bits = HostTensor::vector(std::vector<int32_t>{0, 1, 255, -1});
    QCOMPARE(unaryNumbers(UnaryOp::CountLeadingZeros, bits).toDoubles(), (std::vector<double>{32, 31, 24, 0}));
    QCOMPARE(unaryNumbers(UnaryOp::Popcount, bits).toDoubles(), (std::vector<double>{0, 1, 8, 32}));
    const auto pair = [](BinaryOp op, float a, float b) {
      return binaryNumbers(op, HostTensor::scalar(a), HostTensor::scalar(b)).at(0);
    };
    QVERIFY(std::abs(pair(BinaryOp::VarianceToInvStdDev, 3, 1) - 0.5) < 1e-6);
    QVERIFY(std::abs(pair(BinaryOp::InvStdDevToVariance, 0.5f, 1) - 3) < 1e-6);
    QVERIFY(std::abs(pair(BinaryOp::Atan2, 1, -1) - std::atan2(1.0, -1.0)) < 1e-6);
  }

  void mistakesAreNamed() {
    LibraryWorld w(4);
    const Tensor x = w.floats({2}, {1, 2}), i = w.input(ElementType::Int32, HostTensor::vector(std::vector<int32_t>{1, 2}));
    const std::string types = errorOf([&] { map(w.builder, _1 + _2, {x, i}); });
    QVERIFY2(has(types, "ADD") && has(types, "float") && has(types, "int32"), types.c_str());
    QVERIFY(has(errorOf([&] { map(w.builder, _1 + _3, {x, x}); }), "the expression uses _3, but the map has only 2 operands"));
    QVERIFY(has(errorOf([&] { mapInPlace(w.builder, _1 < 2, {x}); }), "does not fit input0 [2] float"));
    QVERIFY(has(errorOf([&] { mapWithOutput(w.builder, _1, {w.floats({3}, {1, 2, 3})}, x); }), "3"));
    QVERIFY(has(errorOf([&] { map(w.builder, Expression::select(_1, _1, _1), {x}); }), "bool"));
    QVERIFY(has(errorOf([&] { map(w.builder, Expression(1), {}); }), "at least one tensor"));
  }
};

TILESCOPE_TEST(ExpressionTest)
#include "expression_test.moc"
