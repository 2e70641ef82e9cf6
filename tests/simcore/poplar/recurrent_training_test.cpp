// Training of recurrent layers: outputs against a plain loop, gradients against central differences of that loop.
#include "popnn/Gru.hpp"
#include "popnn/Lstm.hpp"
#include "poputil/exceptions.hpp"
#include "tests/simcore/poplar/library_bench.h"

#include <functional>

namespace {

using namespace poplar;
using tests::LibraryBench;
using Numbers = std::vector<double>;
namespace lstm = popnn::lstm;
namespace gru = popnn::gru;

constexpr std::size_t kT = 4, kN = 2, kI = 3, kH = 5;

Numbers numbers(std::size_t n, double scale, int seed) {
  Numbers v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = scale * std::sin(double(i) * 1.7 + seed);
  return v;
}
std::vector<float> floats(const Numbers& v) { return {v.begin(), v.end()}; }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// The parts of a layer in the order of the cell: a loss may depend on each.
struct Values {
  Numbers x, w, r, b, h, c, attention;
};
struct Outcome {
  Numbers steps, h, c; // [T, N, H], the last state
};
using Layer = std::function<Outcome(const Values&)>;

// A gate's sum of one sample: input, state, and biases.
struct Sums {
  const Values& v;
  std::size_t t, n;
  const double* state;
  double input(std::size_t g, std::size_t j) const {
    double s = 0;
    for (std::size_t i = 0; i < kI; ++i) s += v.x[(t * kN + n) * kI + i] * v.w[(g * kI + i) * kH + j];
    return s;
  }
  double ofState(std::size_t g, std::size_t j, const double* scale = nullptr) const {
    double s = 0;
    for (std::size_t i = 0; i < kH; ++i) s += state[i] * (scale ? scale[i] : 1) * v.r[(g * kH + i) * kH + j];
    return s;
  }
};

struct Cell {
  std::vector<unsigned> order{0, 1, 2, 3}; // LSTM: forget, input, candidate, output; GRU: reset, update, candidate
  std::vector<std::size_t> lengths;        // empty: all steps
  bool resetAfter = false;
  std::function<double(double)> act = [](double x) { return std::tanh(x); }, gate = sigmoid;
  std::size_t at(unsigned unit) const { return std::size_t(std::find(order.begin(), order.end(), unit) - order.begin()); }
  bool runs(std::size_t n, std::size_t t) const { return lengths.empty() || t < lengths[n]; }
};

Outcome lstmLoop(const Values& v, const Cell& cell) {
  Outcome out{Numbers(kT * kN * kH, 0), v.h, v.c};
  for (std::size_t t = 0; t < kT; ++t)
    for (std::size_t n = 0; n < kN; ++n) {
      if (!cell.runs(n, t)) continue;
      const Numbers before(out.h.begin() + long(n * kH), out.h.begin() + long((n + 1) * kH));
      const Sums sums{v, t, n, before.data()};
      for (std::size_t j = 0; j < kH; ++j) {
        const auto sum = [&](unsigned unit) {
          const std::size_t g = cell.at(unit);
          return sums.input(g, j) + sums.ofState(g, j) + v.b[g * kH + j];
        };
        double& c = out.c[n * kH + j];
        c = cell.gate(sum(0)) * c + cell.gate(sum(1)) * cell.act(sum(2));
        out.steps[(t * kN + n) * kH + j] = out.h[n * kH + j] = cell.gate(sum(3)) * cell.act(c);
      }
    }
  return out;
}

Outcome gruLoop(const Values& v, const Cell& cell) {
  Outcome out{Numbers(kT * kN * kH, 0), v.h, {}};
  const std::size_t g0 = cell.at(0), g1 = cell.at(1), g2 = cell.at(2);
  const auto bias = [&](std::size_t g, bool ofState, std::size_t j) {
    return cell.resetAfter ? v.b[(g * 2 + ofState) * kH + j] : ofState ? 0 : v.b[g * kH + j];
  };
  for (std::size_t t = 0; t < kT; ++t)
    for (std::size_t n = 0; n < kN; ++n) {
      if (!cell.runs(n, t)) continue;
      const Numbers before(out.h.begin() + long(n * kH), out.h.begin() + long((n + 1) * kH));
      const Sums sums{v, t, n, before.data()};
      Numbers reset(kH);
      for (std::size_t j = 0; j < kH; ++j)
        reset[j] = cell.gate(sums.input(g0, j) + sums.ofState(g0, j) + bias(g0, false, j) + bias(g0, true, j));
      for (std::size_t j = 0; j < kH; ++j) {
        double u = cell.gate(sums.input(g1, j) + sums.ofState(g1, j) + bias(g1, false, j) + bias(g1, true, j));
        if (!v.attention.empty()) u *= 1 - v.attention[n * kT + t];
        const double state =
            cell.resetAfter ? reset[j] * (sums.ofState(g2, j) + bias(g2, true, j)) : sums.ofState(g2, j, reset.data());
        const double fresh = cell.act(sums.input(g2, j) + bias(g2, false, j) + state);
        out.steps[(t * kN + n) * kH + j] = out.h[n * kH + j] = u * before[j] + (1 - u) * fresh;
      }
    }
  return out;
}

// The derivatives of `loss` by each of `numbers`, which are changed and changed back.
std::vector<float> derivatives(Numbers& numbers, const std::function<double()>& loss) {
  std::vector<float> d;
  for (double& x : numbers) {
    const double was = x, by = 1e-5;
    x = was + by;
    const double up = loss();
    x = was - by;
    const double down = loss();
    x = was;
    d.push_back(float((up - down) / (2 * by)));
  }
  return d;
}

Values values(std::size_t gates, std::size_t biases) {
  return {numbers(kT * kN * kI, 0.8, 1),
          numbers(gates * kI * kH, 0.6, 2),
          numbers(gates * kH * kH, 0.5, 3),
          numbers(biases * kH, 0.3, 4),
          numbers(kN * kH, 0.4, 5),
          numbers(kN * kH, 0.7, 6),
          {}};
}
double dot(const Numbers& a, const Numbers& b) {
  double s = 0;
  for (std::size_t i = 0; i < a.size(); ++i) s += a[i] * b[i];
  return s;
}

} // namespace

class RecurrentTrainingTest : public QObject {
  Q_OBJECT

private slots:
  void lstm_data() {
    QTest::addColumn<bool>("all");
    QTest::addColumn<bool>("lengths");
    QTest::addColumn<bool>("other");
    QTest::newRow("every step") << true << false << false;
    QTest::newRow("the last step") << false << false << false;
    QTest::newRow("samples of different lengths") << true << true << false;
    QTest::newRow("the last step of different lengths") << false << true << false;
    QTest::newRow("another order, other activations") << true << false << true;
  }
  void lstm() {
    QFETCH(bool, all);
    QFETCH(bool, lengths);
    QFETCH(bool, other);
    Cell cell;
    LibraryBench bench;
    Graph& graph = bench.graph;
    lstm::LstmParams params(FLOAT, kN, kT, {kI, kH});
    if (lengths) {
      cell.lengths = {4, 2};
      const Tensor t = graph.addVariable(UNSIGNED_INT, {kN}, VariableMappingMethod::LINEAR, "lengths");
      graph.setInitialValue(t, ArrayRef<unsigned>({4, 2}));
      params = lstm::LstmParams(FLOAT, kN, kT, t, {kI, kH});
    }
    if (other) {
      cell.order = {2, 3, 0, 1};
      cell.act = [](double x) { return std::max(0.0, x); };
      cell.gate = [](double x) { return std::clamp(0.2 * x + 0.5, 0.0, 1.0); };
      params.cellOrder = {unitOf(2), unitOf(3), unitOf(0), unitOf(1)};
      params.activation = popnn::NonLinearityType::RELU;
      params.recurrentActivation = popnn::NonLinearityType::HARD_SIGMOID;
    }
    params.outputFullSequence = all;
    Values v = values(4, 4);
    const lstm::LstmState init{bench.input({kN, kH}, floats(v.h)), bench.input({kN, kH}, floats(v.c))};
    const lstm::LstmWeights weights{bench.input({4, kI, kH}, floats(v.w)), bench.input({4, kH, kH}, floats(v.r)),
                                    bench.input({4, kH}, floats(v.b))};
    const Tensor x = bench.input({kT, kN, kI}, floats(v.x));
    Tensor kept, inputGrad;
    const auto [out, lastCell] = lstm::lstmFwd(graph, params, init, x, weights, &kept, bench.prog, "fwd");
    // loss = sum of outputs times `given`, and of the last state times `last`
    const Numbers given = numbers(kT * kN * kH, 1, 7), last = numbers(kN * kH, 0.5, 8), lastCellGrad = numbers(kN * kH, 0.5, 9);
    const Tensor outGrad = all ? bench.input({kT, kN, kH}, floats(given)) : bench.input({kN, kH}, floats(last));
    lstm::LstmState lastGrad{all ? bench.input({kN, kH}, floats(last)) : Tensor(), bench.input({kN, kH}, floats(lastCellGrad))};
    lstm::LstmWeights grads;
    const lstm::LstmState first =
        lstm::lstmBwdWithWU(graph, params, bench.prog, init, kept, weights, x, out, outGrad, &lastGrad, &inputGrad, grads, "bwd");
    for (const auto& [name, t] : {std::pair("out", out),
                                  {"cell", lastCell},
                                  {"x", inputGrad},
                                  {"w", grads.inputWeights},
                                  {"r", grads.outputWeights},
                                  {"b", grads.biases},
                                  {"h", first.output},
                                  {"c", first.cellState}})
      bench.keep(name, t);
    bench.run();
    const Outcome wanted = lstmLoop(v, cell);
    QVERIFY(tests::isNear(bench.values("out"), floats(all ? wanted.steps : wanted.h)));
    QVERIFY(tests::isNear(bench.values("cell"), floats(wanted.c)));
    const auto loss = [&] {
      const Outcome o = lstmLoop(v, cell);
      return (all ? dot(o.steps, given) : 0) + dot(o.h, last) + dot(o.c, lastCellGrad);
    };
    for (const auto& [name, of] : {std::pair("x", &v.x), {"w", &v.w}, {"r", &v.r}, {"b", &v.b}, {"h", &v.h}, {"c", &v.c}})
      QVERIFY2(tests::isNear(bench.values(name), derivatives(*of, loss), 2e-5F), name);
  }

  void gru_data() {
    QTest::addColumn<bool>("after");
    QTest::addColumn<bool>("all");
    QTest::addColumn<bool>("attention");
    QTest::addColumn<bool>("lengths");
    QTest::newRow("reset before the product") << false << true << false << false;
    QTest::newRow("reset after it") << true << true << false << false;
    QTest::newRow("the last step") << false << false << false << false;
    QTest::newRow("reset after it, the last step") << true << false << false << false;
    QTest::newRow("attention") << false << true << true << false;
    QTest::newRow("attention, reset after the product, lengths") << true << true << true << true;
    QTest::newRow("lengths") << false << true << false << true;
  }
  void gru() {
    QFETCH(bool, after);
    QFETCH(bool, all);
    QFETCH(bool, attention);
    QFETCH(bool, lengths);
    Cell cell;
    cell.order = {0, 1, 2};
    cell.resetAfter = after;
    LibraryBench bench;
    Graph& graph = bench.graph;
    gru::GruParams params(FLOAT, kN, kT, {kI, kH});
    params.resetAfter = after;
    params.outputFullSequence = all;
    Tensor steps;
    if (lengths) {
      cell.lengths = {3, 4};
      steps = graph.addVariable(UNSIGNED_INT, {kN}, VariableMappingMethod::LINEAR, "lengths");
      graph.setInitialValue(steps, ArrayRef<unsigned>({3, 4}));
    }
    Values v = values(3, after ? 6 : 3);
    const Tensor init = bench.input({kN, kH}, floats(v.h)), x = bench.input({kT, kN, kI}, floats(v.x));
    const gru::GruWeights weights{
        bench.input({3, kI, kH}, floats(v.w)), bench.input({3, kH, kH}, floats(v.r)),
        bench.input(after ? std::vector<std::size_t>{3, 2, kH} : std::vector<std::size_t>{3, kH}, floats(v.b))};
    Tensor scores;
    if (attention) {
      v.attention = numbers(kN * kT, 0.4, 10);
      scores = bench.input({kN, kT}, floats(v.attention));
    }
    const Numbers given = numbers(kT * kN * kH, 1, 7);
    const Tensor outGrad = bench.input(all ? std::vector<std::size_t>{kT, kN, kH} : std::vector<std::size_t>{kN, kH},
                                       floats(Numbers(given.begin(), given.begin() + long((all ? kT : 1) * kN * kH))));
    Tensor kept, inputGrad, scoreGrad, out, first;
    gru::GruWeights grads;
    if (attention && lengths) {
      out = gru::auGruFwd(graph, params, init, x, steps, weights, &kept, scores, bench.prog);
      first = gru::auGruBwdWithWU(graph, params, bench.prog, init, kept, weights, x, steps, out, outGrad, &inputGrad, grads,
                                  scores, &scoreGrad, {}, {}, nullptr);
    } else if (attention) {
      out = gru::auGruFwd(graph, params, init, x, weights, &kept, scores, bench.prog);
      first = gru::auGruBwdWithWU(graph, params, bench.prog, init, kept, weights, x, out, outGrad, &inputGrad, grads, scores,
                                  &scoreGrad, {}, {}, nullptr);
    } else if (lengths) {
      out = gru::gruFwd(graph, params, init, x, steps, weights, &kept, bench.prog);
      first = gru::gruBwdWithWU(graph, params, bench.prog, init, kept, weights, x, steps, out, outGrad, &inputGrad, grads, {}, {},
                                nullptr);
    } else {
      out = gru::gruFwd(graph, params, init, x, weights, &kept, bench.prog);
      first =
          gru::gruBwdWithWU(graph, params, bench.prog, init, kept, weights, x, out, outGrad, &inputGrad, grads, {}, {}, nullptr);
    }
    for (const auto& [name, t] : {std::pair("out", out),
                                  {"x", inputGrad},
                                  {"w", grads.inputWeights},
                                  {"r", grads.outputWeights},
                                  {"b", grads.biases},
                                  {"h", first}})
      bench.keep(name, t);
    if (attention) bench.keep("attention", scoreGrad);
    bench.run();
    const Outcome wanted = gruLoop(v, cell);
    QVERIFY(tests::isNear(bench.values("out"), floats(all ? wanted.steps : wanted.h)));
    const auto loss = [&] {
      const Outcome o = gruLoop(v, cell);
      const Numbers& of = all ? o.steps : o.h;
      return dot(of, given);
    };
    std::vector<std::pair<const char*, Numbers*>> parts{{"x", &v.x}, {"w", &v.w}, {"r", &v.r}, {"b", &v.b}, {"h", &v.h}};
    if (attention) parts.emplace_back("attention", &v.attention);
    for (const auto& [name, of] : parts) QVERIFY2(tests::isNear(bench.values(name), derivatives(*of, loss), 2e-5F), name);
  }

  void trainingComputesWhatInferenceDoes() {
    LibraryBench bench;
    Graph& graph = bench.graph;
    const lstm::LstmParams params(HALF, kN, kT, {kI, kH});
    const Values v = values(4, 4);
    const auto half = [&](const std::vector<std::size_t>& shape, const Numbers& of) {
      return bench.input(HALF, shape, floats(of));
    };
    const lstm::LstmState init{half({kN, kH}, v.h), half({kN, kH}, v.c)};
    const lstm::LstmWeights weights{half({4, kI, kH}, v.w), half({4, kH, kH}, v.r), half({4, kH}, v.b)};
    const Tensor x = half({kT, kN, kI}, v.x);
    Tensor kept;
    bench.keep("plain", lstm::lstmFwd(graph, params, init, x, weights, nullptr, bench.prog).first);
    bench.keep("kept", lstm::lstmFwd(graph, params, init, x, weights, &kept, bench.prog).first);
    bench.run();
    QVERIFY(tests::isNear(bench.values("kept"), bench.values("plain"), 4e-3F));
  }

  void intermediatesOfAnotherLayerAreRefused() {
    LibraryBench bench;
    const lstm::LstmParams params(FLOAT, kN, kT, {kI, kH});
    const Tensor t = bench.input({kT, 7, kN, kH}, std::vector<float>(kT * 7 * kN * kH, 0));
    const Tensor any = bench.input({1}, {0});
    QVERIFY_EXCEPTION_THROWN(lstm::lstmBwd(bench.graph, params, bench.prog, {any, any}, t, {any, any, any}, any, any, any,
                                           static_cast<Tensor*>(nullptr), nullptr, nullptr),
                             poputil::poplibs_error);
  }

private:
  static BasicLstmCellUnit unitOf(int unit) { return BasicLstmCellUnit(unit); }
};

TILESCOPE_TEST(RecurrentTrainingTest)
#include "recurrent_training_test.moc"
