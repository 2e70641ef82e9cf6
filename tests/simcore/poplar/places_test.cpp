// Slices at indices known only at run time, triangular systems, recurrent layers: compared with plain loops.
#include "poplin/Cholesky.hpp"
#include "poplin/ConvUtil.hpp"
#include "poplin/MeshGrid.hpp"
#include "poplin/MultiConvolution.hpp"
#include "poplin/TriangularSolve.hpp"
#include "popnn/Gru.hpp"
#include "popnn/Lstm.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Gather.hpp"
#include "popops/GatherStatistics.hpp"
#include "popops/NormaliseImage.hpp"
#include "popops/Rearrange.hpp"
#include "popops/Scatter.hpp"
#include "tests/simcore/poplar/library_bench.h"

#include <numeric>

namespace {

using poplar::Tensor;
using tests::isNear;
using tests::LibraryBench;

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

} // namespace

class PlacesTest : public QObject {
  Q_OBJECT

private slots:
  void gatherTakesParts() {
    LibraryBench b;
    std::vector<float> x(24);
    std::iota(x.begin(), x.end(), 0.0F);
    const Tensor in = b.input({4, 3, 2}, x), at = b.input(poplar::UNSIGNED_INT, {2, 2}, {3, 1, 0, 2});
    // Vectors (row, column): the pairs x[3][1] and x[0][2], as columns of the result.
    b.keep("elements", popops::gather(b.graph, in, at, 1, {0}, {1, 1, 2}, {0, 1}, {0, 1}, b.prog));
    // Two rows from each index.
    const Tensor from = b.input(poplar::UNSIGNED_INT, {2}, {2, 0});
    b.keep("windows", popops::gather(b.graph, in, from, 1, {1, 2, 3}, {2, 3, 2}, {}, {0}, b.prog));
    b.run();
    QCOMPARE(b.values("elements"), (std::vector<float>{20, 4, 21, 5}));
    std::vector<float> windows(x.begin() + 12, x.end());
    windows.insert(windows.end(), x.begin(), x.begin() + 12);
    QCOMPARE(b.values("windows"), windows);
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, popops::gather(b.graph, in, at, 1, {0}, {1, 1}, {0, 1}, {0, 1}, b.prog));
  }

  void scatterReplacesAndCombines() {
    LibraryBench b;
    const std::vector<float> x(12, 1.0F);
    const Tensor rows = b.input({4, 3}, x), columns = b.input({4, 3}, x), sums = b.input({4, 3}, x);
    const Tensor at = b.input(poplar::UNSIGNED_INT, {2, 1}, {2, 0}), same = b.input(poplar::UNSIGNED_INT, {2, 1}, {1, 1});
    const Tensor updates = b.input({2, 3}, {10, 20, 30, 40, 50, 60}), tall = b.input({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
    popops::scatter(b.graph, rows, at, updates, 1, {1}, {0}, {0}, b.prog);
    popops::scatter(b.graph, columns, at, tall, 1, {1}, {1}, {1}, b.prog);
    popops::UpdateComputationFunc add = [](poplar::Graph& g, Tensor& old, Tensor& update, poplar::program::Sequence& prog) {
      return popops::add(g, old, update, prog);
    };
    popops::scatter(b.graph, sums, same, updates, 1, {1}, {0}, {0}, add, b.prog);
    const Tensor one = b.input({1}, {1}), zeros = b.input(poplar::UNSIGNED_INT, {3}, {0, 0, 0});
    popops::scatter(b.graph, one, zeros, b.input({3}, {1, 2, 3}), 1, {1}, {0}, {0}, add, b.prog);
    b.keep("one", one);
    const Tensor nowhere = b.input(poplar::UNSIGNED_INT, {0, 1}, {}), nothing = b.input({0, 3}, {});
    popops::scatter(b.graph, sums, nowhere, nothing, 1, {1}, {0}, {0}, b.prog);
    popops::scatter(b.graph, sums, nowhere, nothing, 1, {1}, {0}, {0}, add, b.prog);
    b.keep("rows", rows);
    b.keep("columns", columns);
    b.keep("sums", sums);
    b.run();
    QCOMPARE(b.values("rows"), (std::vector<float>{40, 50, 60, 1, 1, 1, 10, 20, 30, 1, 1, 1}));
    QCOMPARE(b.values("columns"), (std::vector<float>{5, 1, 1, 6, 1, 2, 7, 1, 3, 8, 1, 4}));
    QCOMPARE(b.values("one"), (std::vector<float>{7}));
    QCOMPARE(b.values("sums"), (std::vector<float>{1, 1, 1, 51, 71, 91, 1, 1, 1, 1, 1, 1}));
  }

  void histogramsImagesAndTransposes() {
    LibraryBench b;
    const Tensor x = b.input({6}, {-3, 0, 1, 1.5F, 2, 9}), levels = b.input({2}, {0.5F, 2});
    b.keep("counts", popops::histogram(b.graph, x, levels, false, b.prog));
    b.keep("amounts", popops::histogram(b.graph, x, levels, true, b.prog));
    const Tensor image = b.input({1, 3}, {10, 20, 30});
    const Tensor normalised =
        popops::normaliseImage(b.graph, b.prog, image, 0.5F, b.input({3}, {1, 2, 3}), b.input({3}, {2, 1, 0.5F}));
    const auto set = b.graph.addComputeSet("transpose");
    const Tensor turned = popops::rearrange::partialTranspose(b.graph, b.input({2, 3}, {1, 2, 3, 4, 5, 6}), set);
    const Tensor matrices = b.input({2, 6}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
                 transposed = b.graph.addVariable(poplar::FLOAT, {2, 6}, poplar::VariableMappingMethod::LINEAR, "transposed");
    const auto pair = [&](std::size_t i) { return std::pair<const Tensor, const Tensor>(matrices[i], transposed[i]); };
    popops::rearrange::addTransposeVertices(b.graph, set, poplar::FLOAT, 3, 2, {{{0, 1}}, {{1, 2}}}, pair);
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error,
                             popops::rearrange::addTransposeVertices(b.graph, set, poplar::FLOAT, 3, 3, {{{0, 1}}}, pair));
    b.prog.add(poplar::program::Execute(set));
    b.prog.add(poplar::program::Copy(normalised, normalised)); // all of it can be written
    b.keep("image", normalised);
    b.keep("turned", turned);
    b.keep("transposed", transposed);
    b.run();
    QCOMPARE(b.values("counts"), (std::vector<float>{2, 2, 2}));
    QCOMPARE(b.values("amounts"), (std::vector<float>{1, 2, 3}));
    QCOMPARE(b.values("image"), (std::vector<float>{8, 8, 6, 0}));
    QCOMPARE(b.values("turned"), (std::vector<float>{1, 4, 2, 5, 3, 6}));
    QCOMPARE(b.values("transposed"), (std::vector<float>{1, 3, 5, 2, 4, 6, 7, 9, 11, 8, 10, 12}));
  }

  void triangularSystemsAreSolved() {
    LibraryBench b;
    const std::vector<float> lower{2, 99, 99, 1, 4, 99, -1, 0.5F, 5}; // what is above is not read
    const Tensor a = b.input({3, 3}, lower), rhs = b.input({3, 2}, {2, 4, 9, -2, 5, 1});
    const Tensor upper = b.input({3, 3}, {2, 1, -1, 99, 4, 0.5F, 99, 99, 5});
    b.keep("left", poplin::triangularSolve(b.graph, a, rhs, true, true, false, b.prog));
    b.keep("right", poplin::triangularSolve(b.graph, upper, rhs.transpose(), false, false, false, b.prog));
    b.keep("unit", poplin::triangularSolve(b.graph, a, rhs, true, true, true, b.prog));
    // A = L L^T of L = {{2,0},{3,1}}.
    const Tensor square = b.input({2, 2}, {4, 6, 6, 10});
    b.keep("lower", poplin::cholesky(b.graph, square, true, b.prog));
    b.keep("upper", poplin::cholesky(b.graph, square, false, b.prog));
    b.run();
    std::vector<float> x(6), unit(6);
    const std::vector<float> r{2, 4, 9, -2, 5, 1};
    for (std::size_t c = 0; c < 2; ++c)
      for (std::size_t row = 0; row < 3; ++row) {
        float sum = r[row * 2 + c], one = sum;
        for (std::size_t k = 0; k < row; ++k) {
          sum -= lower[row * 3 + k] * x[k * 2 + c];
          one -= lower[row * 3 + k] * unit[k * 2 + c];
        }
        x[row * 2 + c] = sum / lower[row * 3 + row];
        unit[row * 2 + c] = one;
      }
    QVERIFY(isNear(b.values("left"), x));
    QVERIFY(isNear(b.values("unit"), unit));
    // x U = r^T is the transposed system with the same numbers.
    QVERIFY(isNear(b.values("right"), {x[0], x[2], x[4], x[1], x[3], x[5]}));
    QVERIFY(isNear(b.values("lower"), {2, 0, 3, 1}));
    QVERIFY(isNear(b.values("upper"), {2, 3, 0, 1}));
  }

  void gradientsOfConvolutionsAreConvolutions() {
    LibraryBench b;
    poplin::ConvParams p(poplar::FLOAT, 1, {6}, {3}, 1, 1, 1);
    p.outputTransform.stride = {2};
    p.inputTransform.paddingLower = {1};
    const std::vector<float> w{1, 2, 3}, d{1, 10, 100};
    const poplin::ConvParams g = poplin::getGradientParams(p);
    QCOMPARE(g.getOutputFieldShape(), std::vector<std::size_t>{6});
    const Tensor weights = b.input({1, 1, 1, 3}, w), turned = b.graph.clone(weights, "turned");
    poplin::weightsTransposeChansFlipXY(b.graph, weights, turned, b.prog);
    b.keep("gradient", poplin::multiconv::convolution(b.graph, {{b.input({1, 1, 3}, d), turned, g, {}}}, false, b.prog).at(0));
    b.run();
    std::vector<float> expected(6);
    for (int o = 0; o < 3; ++o)
      for (int k = 0; k < 3; ++k) {
        const unsigned i = poplin::getInputIndex(0, unsigned(o), unsigned(k), p);
        QCOMPARE(i, 2 * o + k - 1 < 0 ? ~0u : unsigned(2 * o + k - 1));
        if (i == ~0u) continue;
        expected[i] += d[std::size_t(o)] * w[std::size_t(k)];
        QCOMPARE(poplin::getKernelIndex(0, unsigned(o), i, p), unsigned(k));
      }
    QCOMPARE(b.values("gradient"), expected);
    QCOMPARE(poplin::getInputRange(0, {1, 2}, {0, 3}, p), std::make_pair(1U, 4U));
  }

  void bytesAreSeenAsAnotherType() {
    LibraryBench b;
    const Tensor x = b.input({4}, {1, -2, 0.5F, 0}), bits = x.reinterpret(poplar::UNSIGNED_INT);
    // The sign is the highest bit.
    const Tensor unsigned1 = popops::map(b.graph, popops::expr::_1 & 0x7FFFFFFFU, {bits}, b.prog, "amount");
    b.keep("amounts", unsigned1.reinterpret(poplar::FLOAT));
    popops::mapInPlace(b.graph, popops::expr::_1 ^ 0x80000000U, {bits.slice(0, 2)}, b.prog, "turn");
    b.keep("turned", x);
    const Tensor whole = b.graph.addVariable(poplar::INT, {2}, poplar::VariableMappingMethod::LINEAR, "whole");
    b.graph.setInitialValue(whole.reinterpret(poplar::FLOAT), poplar::ArrayRef<float>({1, 2}));
    b.keep("whole", whole.reinterpret(poplar::FLOAT));
    b.run();
    QCOMPARE(b.values("amounts"), (std::vector<float>{1, 2, 0.5F, 0}));
    QCOMPARE(b.values("turned"), (std::vector<float>{-1, 2, 0.5F, 0}));
    QCOMPARE(b.values("whole"), (std::vector<float>{1, 2}));
    QVERIFY_THROWS_EXCEPTION(poplar::poplar_error, x.reinterpret(poplar::HALF));
  }

  void gridsAreConstantsAndViews() {
    LibraryBench b;
    const Tensor x = poplin::linspace(b.graph, poplar::FLOAT, -1, 1, 3), y = poplin::linspace(b.graph, poplar::FLOAT, 0, 1, 2);
    const auto grid = poplin::meshgrid2d(b.graph, x, y);
    const Tensor sums = popops::add(b.graph, grid[0], grid[1], b.prog);
    b.keep("sums", sums);
    b.run();
    QCOMPARE(b.values("sums"), (std::vector<float>{-1, 0, 1, 0, 1, 2}));
  }

  void recurrentLayersFollowTheirFormulas() {
    LibraryBench b;
    const std::size_t steps = 3, in = 2, out = 2;
    const std::vector<float> x{0.5F, -1, 1, 0.25F, -0.5F, 2};
    const popnn::lstm::LstmParams lstm(poplar::FLOAT, 1, steps, {in, out});
    const std::vector<float> w = LibraryBench::numbers(16, 0.1F), u = LibraryBench::numbers(16, -0.2F),
                             bias = LibraryBench::numbers(8, 0.3F);
    const popnn::lstm::LstmWeights weights{b.input({4, in, out}, w), b.input({4, out, out}, u), b.input({4, out}, bias)};
    const popnn::lstm::LstmState start{b.input({1, out}, {0, 0}), b.input({1, out}, {0, 0})};
    const Tensor sequence = b.input({steps, 1, in}, x);
    const auto [outputs, cell] = popnn::lstm::lstmFwd(b.graph, lstm, start, sequence, weights, nullptr, b.prog, "lstm");
    b.keep("outputs", outputs);
    b.keep("cell", cell);
    const popnn::gru::GruParams gru(poplar::FLOAT, 1, steps, {in, out});
    const std::vector<float> gw(w.begin(), w.begin() + 12), gu(u.begin(), u.begin() + 12), gb(bias.begin(), bias.begin() + 6);
    const popnn::gru::GruWeights gruWeights{b.input({3, in, out}, gw), b.input({3, out, out}, gu), b.input({3, out}, gb)};
    b.keep("gru", popnn::gru::gruFwd(b.graph, gru, start.output, sequence, gruWeights, nullptr, b.prog, "gru"));
    b.run();
    // gate g of unit j: bias + x W + h U.
    const auto gate = [&](const std::vector<float>& wg, const std::vector<float>& ug, const std::vector<float>& bg, std::size_t g,
                          std::size_t j, std::size_t t, const float* h) {
      float sum = bg[g * out + j];
      for (std::size_t i = 0; i < in; ++i) sum += x[t * in + i] * wg[(g * in + i) * out + j];
      for (std::size_t i = 0; i < out; ++i) sum += h[i] * ug[(g * out + i) * out + j];
      return sum;
    };
    float h[2] = {}, c[2] = {}, s[2] = {};
    std::vector<float> expected, states;
    for (std::size_t t = 0; t < steps; ++t) {
      float next[2], reset[2], kept[2], state[2];
      for (std::size_t j = 0; j < out; ++j) {
        c[j] = sigmoid(gate(w, u, bias, 0, j, t, h)) * c[j] +
               sigmoid(gate(w, u, bias, 1, j, t, h)) * std::tanh(gate(w, u, bias, 2, j, t, h));
        next[j] = sigmoid(gate(w, u, bias, 3, j, t, h)) * std::tanh(c[j]);
        reset[j] = sigmoid(gate(gw, gu, gb, 0, j, t, s)) * s[j];
        kept[j] = sigmoid(gate(gw, gu, gb, 1, j, t, s));
      }
      for (std::size_t j = 0; j < out; ++j)
        state[j] = kept[j] * s[j] + (1 - kept[j]) * std::tanh(gate(gw, gu, gb, 2, j, t, reset));
      for (std::size_t j = 0; j < out; ++j) {
        h[j] = next[j];
        s[j] = state[j];
        expected.push_back(h[j]);
        states.push_back(s[j]);
      }
    }
    QVERIFY(isNear(b.values("outputs"), expected));
    QVERIFY(isNear(b.values("cell"), {c[0], c[1]}));
    QVERIFY(isNear(b.values("gru"), states));
  }
};

TILESCOPE_TEST(PlacesTest)
#include "places_test.moc"
