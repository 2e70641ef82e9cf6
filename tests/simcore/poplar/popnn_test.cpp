#include "popnn/BatchNorm.hpp"
#include "popnn/CTCLoss.hpp"
#include "popnn/LayerNorm.hpp"
#include "popnn/LogSoftmax.hpp"
#include "popnn/Loss.hpp"
#include "popnn/NonLinearity.hpp"
#include "popnn/Pooling.hpp"
#include "popops/ElementWise.hpp"
#include "poprand/RandomGen.hpp"
#include "poputil/exceptions.hpp"
#include "tests/simcore/poplar/library_bench.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

using popnn::NonLinearityType;
using tests::isNear;
using tests::LibraryBench;

namespace {
std::vector<float> each(std::vector<float> values, const std::function<float(float)>& f) {
  for (float& v : values) v = f(v);
  return values;
}
} // namespace

class PopnnTest : public QObject {
  Q_OBJECT
private slots:
  // Classes of the library that programs name themselves.
  void verticesOfTheLibraryByName() {
    LibraryBench b;
    const auto set = b.graph.addComputeSet("set");
    std::vector<poplar::Tensor> values, indices;
    for (const bool isMax : {true, false}) {
      const std::string which = isMax ? "Max" : "Min", prefix = isMax ? "max" : "min";
      const auto v = b.graph.addVertex(set, "popnn::Reduce" + which + "ClassSparse<float, unsigned int>");
      const auto value = b.input({1}, {0}), index = b.input(poplar::UNSIGNED_INT, {1}, {0});
      b.graph.connect(v["activations"], b.input({4}, {2, 5, -1, 5}));
      b.graph.connect(v["labels"], b.input(poplar::UNSIGNED_INT, {4}, {10, 20, 30, 40}));
      b.graph.connect(v[prefix + "Value"], value[0]);
      b.graph.connect(v[prefix + "Index"], index[0]);
      b.graph.setTileMapping(v, 1);
      indices.push_back(index);
      values.push_back(value);
    }
    b.prog.add(poplar::program::Execute(set));
    for (std::size_t i = 0; i < 2; ++i) {
      b.keep("value" + std::to_string(i), values[i]);
      b.keep("index" + std::to_string(i), indices[i]);
    }
    b.run();
    QVERIFY(isNear(b.values("value0"), {5}) && isNear(b.values("index0"), {20}));
    QVERIFY(isNear(b.values("value1"), {-1}) && isNear(b.values("index1"), {30}));
    QVERIFY_THROWS_EXCEPTION(poplar::unknown_vertex_type, b.graph.addVertex(set, "popnn::ReduceMaxClassSparse<float,char>"));
  }

  // By vertices of a set of the caller: the same numbers as by a program.
  void activationsInASetOfTheCaller() {
    for (const poplar::Type type : {poplar::FLOAT, poplar::HALF}) {
      LibraryBench b;
      const std::vector<float> x = LibraryBench::numbers(40, 0.5F), g = LibraryBench::numbers(40, 0.25F);
      poplar::ComputeSet set = b.graph.addComputeSet("set");
      std::vector<std::string> names;
      std::vector<std::pair<std::string, poplar::Tensor>> kept;
      poplar::program::Sequence after;
      for (const auto kind : {NonLinearityType::RELU, NonLinearityType::SIGMOID, NonLinearityType::TANH, NonLinearityType::GELU,
                              NonLinearityType::GELU_ERF, NonLinearityType::SWISH}) {
        const auto in = b.input(type, {40}, x), same = b.input(type, {40}, x), grad = b.input(type, {40}, g);
        popnn::nonLinearityInPlace(b.graph, kind, same, set, "f");
        const auto gradient = popnn::nonLinearityInputGradient(b.graph, kind, in, grad, set);
        const std::string name = popnn::asString(kind);
        names.push_back(name);
        kept.emplace_back(name, same);
        kept.emplace_back(name + "'", gradient);
        kept.emplace_back(name + " as a program", popnn::nonLinearity(b.graph, kind, in, after));
        kept.emplace_back(name + "' as a program", popnn::nonLinearityInputGradient(b.graph, kind, in, grad, after));
      }
      b.prog.add(poplar::program::Execute(set));
      b.prog.add(after);
      for (const auto& [name, tensor] : kept) b.keep(name, tensor);
      b.run();
      for (const std::string& name : names) {
        QVERIFY2(isNear(b.values(name), b.values(name + " as a program"), 2e-3F), name.c_str());
        QVERIFY2(isNear(b.values(name + "'"), b.values(name + "' as a program"), 2e-3F), name.c_str());
      }
      QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error,
                               popnn::nonLinearityInPlace(b.graph, NonLinearityType::SOFTMAX, b.input(type, {40}, x), set));
    }
  }

  void activationsAndTheirGradients() {
    LibraryBench b;
    const std::vector<float> x = LibraryBench::numbers(8, 0.5F);
    const auto sigmoid = [](float v) { return 1 / (1 + std::exp(-v)); };
    const struct {
      NonLinearityType type;
      const char* name;
      std::function<float(float)> f;
      bool gradientOfInput;
    } cases[] = {{NonLinearityType::RELU, "relu", [](float v) { return std::max(v, 0.0F); }, false},
                 {NonLinearityType::SIGMOID, "sigmoid", sigmoid, false},
                 {NonLinearityType::TANH, "tanh", [](float v) { return std::tanh(v); }, false},
                 {NonLinearityType::HARD_SIGMOID, "hard", [](float v) { return std::clamp(0.2F * v + 0.5F, 0.0F, 1.0F); }, false},
                 {NonLinearityType::GELU_ERF, "gelu", [](float v) { return v / 2 * (1 + std::erf(v / std::sqrt(2.0F))); }, true},
                 {NonLinearityType::SWISH, "swish", [&](float v) { return v * sigmoid(v); }, true}};
    const auto ones = b.input({8}, std::vector<float>(8, 1));
    for (const auto& c : cases) {
      const auto in = b.input({8}, x);
      const auto out = popnn::nonLinearity(b.graph, c.type, in, b.prog, c.name);
      b.keep(c.name, out);
      b.keep(std::string(c.name) + "'",
             popnn::nonLinearityInputGradient(b.graph, c.type, c.gradientOfInput ? in : out, ones, b.prog));
    }
    b.run();
    for (const auto& c : cases) {
      QVERIFY2(isNear(b.values(c.name), each(x, c.f), 1e-4F), c.name);
      // By finite differences, except at a corner of the function.
      const auto slope = each(x, [&](float v) { return (c.f(v + 1e-2F) - c.f(v - 1e-2F)) / 2e-2F; });
      const auto given = b.values(std::string(c.name) + "'");
      for (std::size_t i = 0; i < x.size(); ++i)
        if (std::abs(x[i]) > 0.1F && std::abs(std::abs(x[i]) - 2.5F) > 0.1F)
          QVERIFY2(std::abs(given[i] - slope[i]) < 1e-3F, c.name);
    }
  }

  void softmaxesAddUpToOne() {
    LibraryBench b;
    const auto x = b.input({2, 3}, {1, 2, 3, -1, 0, 1}), half = b.input(poplar::HALF, {1, 2}, {0, 0});
    float scale = 0;
    b.keep("soft", popnn::softmaxStable(b.graph, x, b.prog));
    b.keep("log", popnn::logSoftmax(b.graph, x, b.prog));
    b.keep("scaled", popnn::nonLinearity(b.graph, NonLinearityType::SOFTMAX_SCALED, half, scale, b.prog));
    b.run();
    QCOMPARE(scale, 16384.0F);
    QVERIFY(isNear(b.values("scaled"), {8192, 8192}));
    const std::vector<float> row{0.09003057F, 0.24472848F, 0.66524094F};
    std::vector<float> two = row;
    two.insert(two.end(), row.begin(), row.end());
    QVERIFY(isNear(b.values("soft"), two));
    QVERIFY(isNear(b.values("log"), each(two, [](float v) { return std::log(v); })));
  }

  void lossesAreWrittenWhereAsked() {
    LibraryBench b;
    const std::vector<float> y{0.7F, 0.2F, 0.1F, 0.3F, 0.3F, 0.4F};
    const auto outputs = b.input({2, 3}, y), labels = b.input(poplar::UNSIGNED_INT, {2}, {0, 1});
    const auto loss = b.input({2}, {0, 0}), deltas = b.input({2, 3}, std::vector<float>(6, 0)),
               correct = b.input(poplar::UNSIGNED_INT, {1}, {9});
    b.prog.add(popnn::calcLoss(b.graph, outputs, labels, loss, deltas, correct, popnn::CROSS_ENTROPY_LOSS, "loss"));
    const auto squares = b.input({2}, {0, 0}), other = b.input({2, 3}, std::vector<float>(6, 0));
    b.prog.add(popnn::calcLoss(b.graph, outputs, b.input({2, 3}, {1, 0, 0, 0, 1, 0}), squares, other, popnn::SUM_SQUARED_LOSS));
    b.keep("loss", loss);
    b.keep("deltas", deltas);
    b.keep("correct", correct);
    b.keep("squares", squares);
    b.keep("place", popnn::argMax(b.graph, outputs, b.prog));
    b.run();
    QVERIFY(isNear(b.values("loss"), {-std::log(0.7F), -std::log(0.3F)}));
    QVERIFY(isNear(b.values("deltas"), {-0.3F, 0.2F, 0.1F, 0.3F, -0.7F, 0.4F}));
    QVERIFY(isNear(b.values("correct"), {1}));
    QVERIFY(isNear(b.values("squares"), {(0.09F + 0.04F + 0.01F) / 2, (0.09F + 0.49F + 0.16F) / 2}));
    QVERIFY(isNear(b.values("place"), {0, 2}));
  }

  void maskedLabelsHaveNoLoss() {
    for (const poplar::Type& type : {poplar::UNSIGNED_INT, poplar::INT}) {
      LibraryBench b;
      const auto outputs = b.input({3, 2}, {0.75F, 0.25F, 0.75F, 0.25F, 0, 1}), loss = b.input({3}, {9, 9, 9}),
                 deltas = b.input({3, 2}, std::vector<float>(6, 9)), correct = b.input(poplar::UNSIGNED_INT, {1}, {9});
      const auto labels = b.graph.addConstant(type, {3}, std::vector<unsigned>{1, MASKED_LABEL_CODE, 1});
      b.graph.setTileMapping(labels, 0);
      const auto squares = b.input({3}, {9, 9, 9}), others = b.input({3, 2}, std::vector<float>(6, 9));
      b.prog.add(popnn::calcLoss(b.graph, outputs, labels, loss, deltas, correct, popnn::CROSS_ENTROPY_LOSS));
      b.prog.add(popnn::calcLoss(b.graph, outputs, labels, squares, others, popnn::SUM_SQUARED_LOSS));
      b.keep("loss", loss);
      b.keep("deltas", deltas);
      b.keep("correct", correct);
      b.keep("squares", squares);
      b.keep("others", others);
      b.run();
      QVERIFY(isNear(b.values("loss"), {-std::log(0.25F), 0, 0}));
      QVERIFY(isNear(b.values("deltas"), {0.75F, -0.75F, 0, 0, 0, 0}));
      QVERIFY(isNear(b.values("correct"), {1}));
      QVERIFY(isNear(b.values("squares"), {0.5625F, 0, 0}));
      QVERIFY(isNear(b.values("others"), {0.75F, -0.75F, 0, 0, 0, 0}));
    }
  }

  // The other replica has the same samples: statistics of all are those of one.
  void normsOfReplicasAddTheirSums() {
    LibraryBench b;
    const auto acts = b.input({2, 4, 3}, LibraryBench::numbers(24, 0.5F)), gamma = b.input({4}, {1, 2, 3, 4}),
               grads = b.input({2, 4, 3}, LibraryBench::numbers(24));
    unsigned calls = 0;
    const auto twice = [&](poplar::Graph& graph, const std::vector<poplar::Tensor>& sums, poplar::program::Sequence& prog,
                           unsigned groupSize, const poplar::DebugContext& context, const poplar::OptionFlags&) {
      ++calls;
      std::vector<poplar::Tensor> all;
      for (const poplar::Tensor& sum : sums) all.push_back(popops::mul(graph, sum, float(groupSize), prog, context));
      return all;
    };
    for (const bool stable : {false, true}) {
      const std::string of = stable ? "stable " : "";
      const auto [mean, inverse] = popnn::bn::batchNormStatistics(b.graph, acts, 1e-5F, b.prog, false, stable);
      const auto [meanOfAll, inverseOfAll] =
          popnn::bn::distributedBatchNormStatistics(b.graph, acts, 1e-5F, b.prog, false, twice, 4, stable);
      b.keep(of + "mean", mean);
      b.keep(of + "inverse", inverse);
      b.keep(of + "mean of all", meanOfAll);
      b.keep(of + "inverse of all", inverseOfAll);
      if (stable) continue;
      b.keep("gradient", popnn::bn::batchNormGradients(b.graph, acts, grads, mean, inverse, gamma, b.prog));
      b.keep("gradient of all",
             popnn::bn::distributedBatchNormGradients(b.graph, acts, grads, mean, inverse, gamma, b.prog, twice, 4));
    }
    QCOMPARE(calls, 4U);
    const auto refused = [&] { popnn::bn::distributedBatchNormStatistics(b.graph, acts, 1e-5F, b.prog, false, twice, 3); };
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, refused());
    const auto fewer = [&] { popnn::bn::distributedBatchNormStatistics(b.graph, acts, 1e-5F, b.prog, false, twice, 1); };
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, fewer());
    const auto alone = [&] { popnn::bn::distributedBatchNormStatistics(b.graph, acts, 1e-5F, b.prog, false, {}, 4); };
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, alone());
    b.run();
    for (const char* name : {"mean", "inverse", "stable mean", "stable inverse", "gradient"})
      QVERIFY(isNear(b.values(std::string(name) + " of all"), b.values(name)));
  }

  void normsOfNoElements() {
    LibraryBench b;
    for (const bool stable : {false, true}) {
      const auto [mean, inverse] = popnn::gn::groupNormStatistics(b.graph, b.input({1, 3, 0}, {}), 1, b.prog, 1, false, stable);
      b.keep(stable ? "stable mean" : "mean", mean);
      b.keep(stable ? "stable inverse" : "inverse", inverse);
    }
    b.run();
    for (const char* name : {"mean", "stable mean"}) QCOMPARE(b.values(name), (std::vector<float>{0}));
    for (const char* name : {"inverse", "stable inverse"}) QCOMPARE(b.values(name), (std::vector<float>{1}));
  }

  void normsHaveMeanZero() {
    LibraryBench b;
    const std::vector<float> x = LibraryBench::numbers(24, 0.5F);
    const auto acts = b.input({2, 4, 3}, x), gamma = b.input({4}, {1, 1, 1, 1}), beta = b.input({4}, {0, 0, 0, 0});
    const auto [mean, inverse] = popnn::bn::batchNormStatistics(b.graph, acts, 1e-5F, b.prog, false, true);
    const auto [out, whitened] = popnn::bn::batchNormalise(b.graph, acts, gamma, beta, mean, inverse, b.prog);
    const auto [layerMean, layerInverse] = popnn::ln::layerNormStatistics(b.graph, acts, 1e-5F, b.prog, false);
    b.keep("mean", mean);
    b.keep("out", out);
    b.keep("layer", popnn::ln::layerNormWhiten(b.graph, acts, layerMean, layerInverse, b.prog));
    b.keep("gradient", popnn::bn::batchNormGradients(b.graph, whitened, b.input({2, 4, 3}, LibraryBench::numbers(24)), inverse,
                                                     gamma, b.prog));
    b.run();
    for (std::size_t c = 0; c < 4; ++c) {
      float sum = 0, squares = 0, gradient = 0;
      for (std::size_t n = 0; n < 2; ++n)
        for (std::size_t f = 0; f < 3; ++f) {
          const float v = b.values("out")[n * 12 + c * 3 + f];
          sum += v;
          squares += v * v;
          gradient += b.values("gradient")[n * 12 + c * 3 + f];
        }
      QVERIFY(std::abs(sum) < 1e-4F);
      QVERIFY(std::abs(squares / 6 - 1) < 1e-2F);
      QVERIFY(std::abs(gradient) < 1e-4F); // a shift of the input changes nothing
    }
    for (std::size_t n = 0; n < 2; ++n) {
      const auto layer = b.values("layer");
      QVERIFY(std::abs(std::accumulate(layer.begin() + std::ptrdiff_t(12 * n), layer.begin() + std::ptrdiff_t(12 * n + 12),
                                       0.0F)) < 1e-3F);
    }
  }

  void poolsTakeWindows() {
    LibraryBench b;
    const auto x = b.input({1, 1, 4, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
    const auto params = [](popnn::PoolingType type) {
      return popnn::pooling::PoolParams(type, {4, 4}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, 1, 1, poplar::FLOAT);
    };
    const auto max = popnn::pooling::pool(b.graph, params(popnn::PoolingType::MAX), x, b.prog, "max");
    b.keep("max", max);
    b.keep("avg", popnn::pooling::pool(b.graph, params(popnn::PoolingType::AVG), x, b.prog, "avg"));
    const auto ones = b.input({1, 1, 2, 2}, {1, 1, 1, 1});
    b.keep("back", popnn::pooling::poolInputGradient(b.graph, params(popnn::PoolingType::MAX), x, max, ones, false, b.prog));
    b.run();
    QVERIFY(isNear(b.values("max"), {6, 8, 14, 16}));
    QVERIFY(isNear(b.values("avg"), {3.5F, 5.5F, 11.5F, 13.5F}));
    QVERIFY(isNear(b.values("back"), {0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1}));
  }

  // Both elements of a window that equal its maximum get its gradient, or half of it each. What a negative padding cuts off gets 0.
  void equalMaximaShareTheGradient() {
    LibraryBench b;
    const auto x = b.input({1, 1, 5}, {9, 1, 1, 2, 3}), dy = b.input({1, 1, 2}, {4, 6});
    const popnn::pooling::PoolParams params(popnn::PoolingType::MAX, {5}, {2}, {2}, {-1}, {0}, 1, 1, poplar::FLOAT);
    const auto y = popnn::pooling::pool(b.graph, params, x, b.prog);
    b.keep("y", y);
    b.keep("all", popnn::pooling::poolInputGradient(b.graph, params, x, y, dy, false, b.prog));
    b.keep("shared", popnn::pooling::poolInputGradient(b.graph, params, x, y, dy, true, b.prog));
    const popnn::pooling::PoolParams sums(popnn::PoolingType::SUM, {5}, {2}, {2}, {-1}, {0}, 1, 1, poplar::FLOAT);
    b.keep("sum", popnn::pooling::poolInputGradient(b.graph, sums, 1, dy, b.prog));
    b.run();
    QVERIFY(isNear(b.values("y"), {1, 3}));
    QVERIFY(isNear(b.values("all"), {0, 4, 4, 0, 6}));
    QVERIFY(isNear(b.values("shared"), {0, 2, 2, 0, 6}));
    QVERIFY(isNear(b.values("sum"), {0, 4, 4, 6, 6}));
  }

  void poolsTakeVolumes() {
    LibraryBench b;
    std::vector<float> numbers(16);
    std::iota(numbers.begin(), numbers.end(), 0.0F);
    const auto x = b.input({1, 1, 2, 2, 4}, numbers), dy = b.input({1, 1, 1, 1, 2}, {8, 16});
    for (const auto type : {popnn::PoolingType::MAX, popnn::PoolingType::AVG}) {
      const std::string name = type == popnn::PoolingType::MAX ? "max" : "avg";
      const popnn::pooling::PoolParams params(type, {2, 2, 4}, {2, 2, 2}, {2, 2, 2}, {0, 0, 0}, {0, 0, 0}, 1, 1, poplar::FLOAT);
      const auto y = popnn::pooling::pool(b.graph, params, x, b.prog);
      b.keep(name, y);
      b.keep(name + "Grad", popnn::pooling::poolInputGradient(b.graph, params, x, y, dy, false, b.prog));
    }
    b.run();
    QVERIFY(isNear(b.values("max"), {13, 15}));
    QVERIFY(isNear(b.values("avg"), {6.5F, 8.5F}));
    QVERIFY(isNear(b.values("maxGrad"), {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 16}));
    QVERIFY(isNear(b.values("avgGrad"), {1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2}));
  }

  // Both limits occur, each about as often as the others, and large numbers have all their bits.
  void wholeNumbersIncludeBothLimits() {
    LibraryBench b;
    const auto like = b.input(poplar::INT, {4000}, std::vector<float>(4000, 0));
    b.keep("few", poprand::uniform(b.graph, nullptr, 0, like, poplar::INT, -2, 2, b.prog));
    const auto large = poprand::uniform(b.graph, nullptr, 1, like, poplar::INT, 0, 2147483647, b.prog);
    b.keep("odd", popops::rem(b.graph, large, 2, b.prog));
    b.keep("powers", poprand::logUniform(b.graph, nullptr, 2, like, poplar::INT, 1, 8, b.prog, 2));
    b.run();
    std::map<float, int> counts, powers;
    for (const float v : b.values("few")) ++counts[v];
    QCOMPARE(counts.size(), std::size_t(5));
    for (const auto& [value, count] : counts)
      QVERIFY2(value >= -2 && value <= 2 && count > 650 && count < 950, qPrintable(QString::number(count)));
    const auto odd = b.values("odd");
    const auto ones = std::count(odd.begin(), odd.end(), 1.0F);
    QVERIFY(ones > 1800 && ones < 2200);
    for (const float v : b.values("powers")) ++powers[v];
    QVERIFY(powers.begin()->first == 1 && powers.rbegin()->first <= 8 && powers[1] > powers[2] && powers[2] > powers[6]);
  }

  // Points in the unit square: two draws without a seed are independent.
  void drawsWithoutASeedAreIndependent() {
    LibraryBench b(512);
    const std::size_t n = 2'000'000;
    const auto like = b.graph.addVariable(poplar::FLOAT, {n}, poplar::VariableMappingMethod::LINEAR, "like");
    b.keep("x", poprand::uniform(b.graph, nullptr, 0, like, poplar::FLOAT, 0, 1, b.prog));
    b.keep("y", poprand::uniform(b.graph, nullptr, 0, like, poplar::FLOAT, 0, 1, b.prog));
    b.run();
    const auto x = b.values("x"), y = b.values("y");
    double inside = 0;
    for (std::size_t i = 0; i < n; ++i) inside += x[i] * x[i] + y[i] * y[i] <= 1;
    const double error = 4 * inside / double(n) - 3.14159265, deviation = 1.6422 / std::sqrt(double(n));
    QVERIFY2(std::abs(error) < 4 * deviation, std::to_string(error / deviation).c_str());
  }

  void randomNumbersFollowTheirSeed() {
    LibraryBench b;
    const auto like = b.input({2000}, std::vector<float>(2000, 1)), seed = b.input(poplar::UNSIGNED_INT, {2}, {1, 2});
    b.keep("a", poprand::uniform(b.graph, &seed, 0, like, poplar::FLOAT, -1, 3, b.prog));
    b.keep("same", poprand::uniform(b.graph, &seed, 0, like, poplar::FLOAT, -1, 3, b.prog));
    b.keep("other", poprand::uniform(b.graph, &seed, 1, like, poplar::FLOAT, -1, 3, b.prog));
    b.keep("normal", poprand::normal(b.graph, nullptr, 0, like, poplar::FLOAT, 2, 0.5, b.prog));
    b.keep("dropped", poprand::dropout(b.graph, &seed, 0, like, like, 0.75, 1 / 0.75, b.prog));
    b.run();
    const auto a = b.values("a"), normal = b.values("normal"), dropped = b.values("dropped");
    QVERIFY(a == b.values("same"));
    QVERIFY(a != b.values("other"));
    QVERIFY(*std::min_element(a.begin(), a.end()) >= -1 && *std::max_element(a.begin(), a.end()) <= 3);
    QVERIFY(std::abs(std::accumulate(a.begin(), a.end(), 0.0F) / 2000 - 1) < 0.15F);
    QVERIFY(std::abs(std::accumulate(normal.begin(), normal.end(), 0.0F) / 2000 - 2) < 0.06F);
    QVERIFY(std::abs(double(std::count(dropped.begin(), dropped.end(), 0.0F)) / 2000 - 0.25) < 0.05);
    b.runAgain();
    QVERIFY(a == b.values("a"));
    QVERIFY(normal != b.values("normal")); // generators go on
  }

  // The probability of a text is the sum over all ways to write it, a class a step; the gradient is compared with differences.
  void ctcLossIsThatOfAllAlignments() {
    const unsigned steps = 4, classes = 3, blank = 2;
    std::vector<float> logits(steps * 2 * classes);
    for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = 0.3F * float(int(i * 5 % 9) - 4);
    const unsigned texts[2][2] = {{0, 0}, {1, 0}}, lengths[2] = {4, 3}, letters[2] = {2, 1};
    const auto lossOf = [&](const std::vector<float>& x, unsigned b) {
      double all = 0;
      unsigned ways = 1;
      for (unsigned t = 0; t < lengths[b]; ++t) ways *= classes;
      for (unsigned way = 0; way < ways; ++way) {
        std::vector<unsigned> text;
        double probability = 1;
        unsigned before = blank;
        for (unsigned t = 0, rest = way; t < lengths[b]; ++t, rest /= classes) {
          const unsigned k = rest % classes;
          const float* row = &x[(t * 2 + b) * classes];
          double sum = 0;
          for (unsigned c = 0; c < classes; ++c) sum += std::exp(double(row[c]));
          probability *= std::exp(double(row[k])) / sum;
          if (k != blank && k != before) text.push_back(k);
          before = k;
        }
        if (text == std::vector<unsigned>(texts[b], texts[b] + letters[b])) all += probability;
      }
      return float(-std::log(all));
    };
    LibraryBench b;
    const auto plan = popnn::ctc::plan(b.graph, poplar::FLOAT, poplar::FLOAT, 2, steps, 2, classes);
    const poplar::Tensor x = b.input({steps, 2, classes}, logits), labels = b.input(poplar::UNSIGNED_INT, {2, 2}, {0, 0, 1, 0});
    const poplar::Tensor times = b.input(poplar::UNSIGNED_INT, {2}, {4, 3}), sizes = b.input(poplar::UNSIGNED_INT, {2}, {2, 1});
    const auto both = popnn::ctc::calcLossAndGradientLogits(b.graph, poplar::FLOAT, x, labels, times, sizes, b.prog, blank, plan);
    b.keep("loss", both.first);
    b.keep("gradient", both.second);
    b.keep("only", popnn::ctc::calcCTCLossLogits(b.graph, poplar::FLOAT, x, labels, times, sizes, b.prog, blank, plan));
    // Two equal letters need a blank between them: not possible in two steps.
    const poplar::Tensor two = b.input(poplar::UNSIGNED_INT, {2}, {2, 3});
    b.keep("impossible", popnn::ctc::calcCTCLossLogits(b.graph, poplar::FLOAT, x, labels, two, sizes, b.prog, blank, plan, {},
                                                       {{"zeroInfinity", "true"}}));
    b.run();
    QVERIFY(isNear(b.values("loss"), {lossOf(logits, 0), lossOf(logits, 1)}));
    QCOMPARE(b.values("only"), b.values("loss"));
    QCOMPARE(b.values("impossible")[0], 0.0F);
    const std::vector<float> gradient = b.values("gradient");
    for (std::size_t i = 0; i < logits.size(); ++i) {
      std::vector<float> up = logits, down = logits;
      up[i] += 0.01F, down[i] -= 0.01F;
      const unsigned text = unsigned(i / classes % 2);
      QVERIFY(isNear({gradient[i]}, {(lossOf(up, text) - lossOf(down, text)) / 0.02F}, 2e-3F));
    }
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error,
                             popnn::ctc::calcCTCLossLogits(b.graph, poplar::FLOAT, x, labels, times, sizes, b.prog, 3, plan));
  }
};

TILESCOPE_TEST(PopnnTest)
#include "popnn_test.moc"
