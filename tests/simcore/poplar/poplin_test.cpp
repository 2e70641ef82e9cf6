#include "poplin/ConvPreplan.hpp"
#include "poplin/ConvUtil.hpp"
#include "poplin/Convolution.hpp"
#include "poplin/MatMul.hpp"
#include "poputil/exceptions.hpp"
#include "tests/simcore/poplar/library_bench.h"

using poplin::ConvParams;
using tests::isNear;
using tests::LibraryBench;

namespace {

std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b, std::size_t m, std::size_t k,
                           std::size_t n) {
  std::vector<float> c(m * n, 0);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t l = 0; l < k; ++l) c[i * n + j] += a[i * k + l] * b[l * n + j];
  return c;
}

// One image of one channel, a square kernel: element by element as the parameters say.
std::vector<float> convolved(const std::vector<float>& x, const std::vector<float>& w, int in, int kernel, int stride, int pad,
                             int dilation, int spread = 1) {
  const int wide = (in - 1) * spread + 1 + 2 * pad, out = (wide - ((kernel - 1) * dilation + 1)) / stride + 1;
  std::vector<float> y(std::size_t(out * out), 0);
  const auto at = [&](int r, int c) {
    r -= pad;
    c -= pad;
    if (r < 0 || c < 0 || r % spread || c % spread || r / spread >= in || c / spread >= in) return 0.0F;
    return x[std::size_t(r / spread * in + c / spread)];
  };
  for (int r = 0; r < out; ++r)
    for (int c = 0; c < out; ++c)
      for (int i = 0; i < kernel; ++i)
        for (int j = 0; j < kernel; ++j)
          y[std::size_t(r * out + c)] +=
              at(r * stride + i * dilation, c * stride + j * dilation) * w[std::size_t(i * kernel + j)];
  return y;
}

} // namespace

class PoplinTest : public QObject {
  Q_OBJECT
private slots:
  void productsAreThoseOfLoops() {
    LibraryBench b;
    const std::vector<float> x = LibraryBench::numbers(15), y = LibraryBench::numbers(20, 0.5F);
    const auto a = b.input({3, 5}, x), c = b.input({5, 4}, y), sum = b.input({3, 4}, std::vector<float>(12, 1)),
               scale = b.input({}, {2}), more = b.input({3, 4}, std::vector<float>(12, 0));
    poplin::matmul::PlanningCache cache;
    const poplar::OptionFlags options{{"availableMemoryProportion", "0.6"}, {"partialsType", "float"}};
    b.keep("plain", poplin::matMul(b.graph, a, c, b.prog, poplar::FLOAT, "mm", options, &cache));
    poplin::matMulAcc(b.graph, sum, 0.5F, a, c, b.prog, "acc");
    poplin::matMulAcc(b.graph, more, scale, a, c, b.prog);
    b.keep("sum", sum);
    b.keep("more", more);
    const auto ga = b.input({2, 2, 3}, LibraryBench::numbers(12)), gb = b.input({2, 3, 2}, LibraryBench::numbers(12, 1));
    b.keep("grouped", poplin::matMulGrouped(b.graph, ga, gb, b.prog, poplar::FLOAT, "g"));
    b.run();
    const std::vector<float> expected = product(x, y, 3, 5, 4);
    std::vector<float> half, twice, grouped;
    for (const float v : expected) half.push_back(1 + v / 2), twice.push_back(2 * v);
    for (std::size_t g = 0; g < 2; ++g) {
      const auto p = LibraryBench::numbers(12), q = LibraryBench::numbers(12, 1);
      const auto r = product({p.begin() + std::ptrdiff_t(6 * g), p.end()}, {q.begin() + std::ptrdiff_t(6 * g), q.end()}, 2, 3, 2);
      grouped.insert(grouped.end(), r.begin(), r.end());
    }
    QVERIFY(isNear(b.values("plain"), expected));
    QVERIFY(isNear(b.values("sum"), half));
    QVERIFY(isNear(b.values("more"), twice));
    QVERIFY(isNear(b.values("grouped"), grouped));
  }

  void halvesCanGiveFloats() {
    LibraryBench b;
    const auto a = b.input(poplar::HALF, {1, 2}, {1, 1}), c = b.input(poplar::HALF, {2, 1}, {2048, 1});
    b.keep("float", poplin::matMul(b.graph, a, c, b.prog, poplar::FLOAT));
    b.keep("half", poplin::matMul(b.graph, a, c, b.prog));
    b.run();
    QVERIFY(isNear(b.values("float"), {2049}, 0));
    QVERIFY(isNear(b.values("half"), {2048}, 0)); // half cannot represent 2049
  }

  void operandsAreMadeWhereThePlanWantsThem() {
    LibraryBench b;
    const auto a = poplin::createMatMulInputLHS(b.graph, poplar::FLOAT, {8, 16}, {16, 8}, "a");
    const auto c = poplin::createMatMulInputRHS(b.graph, poplar::FLOAT, {8, 16}, {16, 8}, "c");
    const auto out = poplin::createMatMulOutput(b.graph, poplar::FLOAT, {8, 16}, {16, 8}, "out");
    for (const auto& t : {a, c, out}) QCOMPARE(b.graph.getTileMapping(t).size(), std::size_t(4)); // throws if it is not complete
    QVERIFY(out.shape() == std::vector<std::size_t>({8, 8}));
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, poplin::createMatMulInputLHS(b.graph, poplar::FLOAT, {8, 16}, {8, 8}, "a"));
    QVERIFY_THROWS_EXCEPTION(poplar::invalid_option, poplin::matMul(b.graph, a, c, b.prog, "mm", {{"partialsType", "double"}}));
  }

  void convolutionsFollowTheirParameters() {
    LibraryBench b;
    const std::vector<float> x = LibraryBench::numbers(36), w = LibraryBench::numbers(9, 0.5F);
    const auto in = b.input({1, 1, 6, 6}, x), weights = b.input({1, 1, 1, 3, 3}, w);
    ConvParams plain(poplar::FLOAT, 1, {6, 6}, {3, 3}, 1, 1, 1);
    ConvParams strided = plain;
    strided.outputTransform.stride = {2, 2};
    strided.inputTransform.paddingLower = strided.inputTransform.paddingUpper = {1, 1};
    ConvParams dilated = plain;
    dilated.kernelTransform.dilation = {2, 2};
    ConvParams spread = plain;
    spread.inputTransform.dilation = {2, 2};
    spread.inputTransform.paddingLower = spread.inputTransform.paddingUpper = {2, 2};
    ConvParams cut = plain;
    cut.outputTransform.truncationLower = {1, 0};
    cut.outputTransform.truncationUpper = {0, 2};
    QVERIFY(strided.getOutputFieldShape() == std::vector<std::size_t>({3, 3}));
    b.keep("plain", poplin::convolution(b.graph, in, weights, plain, false, b.prog, "c"));
    b.keep("strided", poplin::convolution(b.graph, in, weights, strided, false, b.prog));
    b.keep("dilated", poplin::convolution(b.graph, in, weights, dilated, false, b.prog));
    b.keep("spread", poplin::convolution(b.graph, in, weights, spread, false, b.prog));
    b.keep("cut", poplin::convolution(b.graph, in, weights, cut, false, b.prog));
    b.keep("turned", poplin::convolution(b.graph, in, weights, plain, true, b.prog));
    b.run();
    const std::vector<float> whole = convolved(x, w, 6, 3, 1, 0, 1);
    QVERIFY(isNear(b.values("plain"), whole));
    QVERIFY(isNear(b.values("strided"), convolved(x, w, 6, 3, 2, 1, 1)));
    QVERIFY(isNear(b.values("dilated"), convolved(x, w, 6, 3, 1, 0, 2)));
    QVERIFY(isNear(b.values("spread"), convolved(x, w, 6, 3, 1, 2, 1, 2)));
    std::vector<float> part;
    for (std::size_t r = 1; r < 4; ++r)
      for (std::size_t c = 0; c < 2; ++c) part.push_back(whole[r * 4 + c]);
    QVERIFY(isNear(b.values("cut"), part));
    QVERIFY(isNear(b.values("turned"), convolved(x, {w.rbegin(), w.rend()}, 6, 3, 1, 0, 1)));
  }

  void weightGradientsAreSumsOverPositions() {
    LibraryBench b;
    const std::vector<float> x = LibraryBench::numbers(16), d = LibraryBench::numbers(9, 0.5F);
    const ConvParams params(poplar::FLOAT, 1, {4, 4}, {2, 2}, 1, 1, 1);
    const auto deltas =
        poplin::calculateWeightDeltas(b.graph, b.input({1, 1, 3, 3}, d), b.input({1, 1, 4, 4}, x), params, b.prog);
    const auto biases = b.input({1}, {1});
    poplin::convolutionBiasUpdate(b.graph, b.input({1, 1, 3, 3}, d), biases, 2.0F, {}, b.prog);
    b.keep("deltas", deltas);
    b.keep("biases", biases);
    b.run();
    float sum = 0;
    for (const float v : d) sum += v;
    QVERIFY(isNear(b.values("deltas"), convolved(x, d, 4, 3, 1, 0, 1)));
    QVERIFY(isNear(b.values("biases"), {1 + 2 * sum}));
    QVERIFY(poplin::createWeights(b.graph, params, "w").shape() == std::vector<std::size_t>({1, 1, 1, 2, 2}));
  }

  // The convolution of its parameters is the gradient that the library computes.
  void weightGradientsHaveParametersOfTheirOwn() {
    ConvParams plain(poplar::FLOAT, 2, {7, 6}, {3, 2}, 2, 3, 2);
    ConvParams odd = plain;
    odd.outputTransform.stride = {2, 1};
    odd.inputTransform.paddingLower = {1, 2};
    odd.inputTransform.paddingUpper = {2, 0};
    odd.kernelTransform.dilation = {2, 1};
    for (const ConvParams& params : {plain, odd}) {
      LibraryBench b;
      const auto field = params.getOutputFieldShape();
      const auto x = b.input({2, 4, 7, 6}, LibraryBench::numbers(2 * 4 * 42));
      const auto d = b.input({2, 6, field[0], field[1]}, LibraryBench::numbers(12 * field[0] * field[1], 0.5F));
      const ConvParams of = poplin::getWeightUpdateParams(params);
      QVERIFY(of.getOutputFieldShape() == params.kernelShape);
      // Channels of a group and the batch change places.
      const auto in = x.reshapePartial(1, 2, {2, 2}).dimShuffle({2, 1, 0, 3, 4}).reshapePartial(1, 3, {4});
      const auto kernel = d.reshapePartial(1, 2, {2, 3}).dimShuffle({1, 2, 0, 3, 4});
      const auto made = poplin::convolution(b.graph, in, kernel, of, false, b.prog).reshapePartial(1, 2, {2, 3});
      b.keep("made", made.dimShuffle({1, 2, 0, 3, 4}));
      b.keep("deltas", poplin::calculateWeightDeltas(b.graph, d, x, params, b.prog));
      b.run();
      QVERIFY(isNear(b.values("made"), b.values("deltas")));
      std::ostringstream report;
      poplin::reportWeightUpdatePlanInfo(report, b.graph, params);
      QVERIFY(!report.str().empty());
    }
  }

  // A cut output has a loop of its own here.
  void weightGradientsOfACutOutput() {
    ConvParams params(poplar::FLOAT, 1, {8}, {3}, 1, 1, 1);
    params.outputTransform.stride = {2};
    params.outputTransform.truncationLower = {1};
    params.kernelTransform.paddingLower = {1};
    LibraryBench b;
    const std::size_t outputs = params.getOutputFieldShape()[0];
    const std::vector<float> x = LibraryBench::numbers(8), d = LibraryBench::numbers(outputs, 0.5F);
    const ConvParams of = poplin::getWeightUpdateParams(params);
    b.keep("made", poplin::convolution(b.graph, b.input({1, 1, 8}, x), b.input({1, 1, 1, outputs}, d), of, false, b.prog));
    b.run();
    std::vector<float> expected(3, 0);
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t o = 0; o < outputs; ++o) expected[k] += d[o] * x[1 + 2 * o + k + 1];
    QVERIFY(isNear(b.values("made"), expected));
  }

  void plansAreMadeInAdvanceAndWeightsTurned() {
    LibraryBench b;
    poplin::PlanningCache cache;
    const poplar::Target target = b.graph.getTarget();
    const poplar::OptionFlags options{{"partialsType", "float"}};
    const poplin::MatMulParams product{poplar::FLOAT, poplar::FLOAT, {8, 16}, {16, 4}};
    const std::set<poplin::MatMulPlanParams> products{{&target, product, &options}};
    poplin::MatMulToConvOptions converted;
    const auto convolutions = poplin::matMulGetConvPlanParams(products, converted);
    QCOMPARE(convolutions.size(), std::size_t(1));
    QVERIFY(std::get<2>(*convolutions.begin()) == &converted.at(&options));
    const ConvParams layer = std::get<1>(*convolutions.begin());
    QVERIFY(layer.getOutputFieldShape() == std::vector<std::size_t>{8} && layer.getNumOutputChans() == 4);
    poplin::preplan(convolutions, products, cache);
    QCOMPARE(cache.size(), std::size_t(2));
    const ConvParams backward(poplar::FLOAT, 1, {8}, {1}, 4, 16, 1);
    const std::vector<float> w = LibraryBench::numbers(64);
    b.keep("turned", poplin::fullyConnectedWeightTranspose(b.graph, b.input({1, 4, 16, 1}, w), backward, b.prog));
    b.run();
    std::vector<float> turned;
    for (std::size_t c = 0; c < 16; ++c)
      for (std::size_t r = 0; r < 4; ++r) turned.push_back(w[r * 16 + c]);
    QVERIFY(isNear(b.values("turned"), turned, 0));
  }
};

TILESCOPE_TEST(PoplinTest)
#include "poplin_test.moc"
