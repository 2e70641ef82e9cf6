// Whole programs as users of PopLibs write them, compared with plain loops.
#include "simcore/ops/ops.h"

#include "tests/simcore/run/host_world.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace simcore;
using namespace simcore::graph;
using ops::_1;
using ops::_2;
using ops::_3;
using ops::_4;
using tests::HostWorld;

namespace {
ops::OpBuilder builderOf(HostWorld& w, Sequence& program) {
  return ops::OpBuilder(*w.graph, program, w.graph->addContext({}, "program", "user", ""));
}
Tensor linear(HostWorld& w, ElementType type, const Shape& shape, const std::string& name) {
  return w.graph->addVariable(type, shape, VariableMappingMethod::Linear, name);
}
} // namespace

class LibraryProgramsTest : public QObject {
  Q_OBJECT
private slots:
  // A stencil made of slices and one map: the lattice programs.
  void heatBySlices() {
    constexpr int64_t n = 18;
    HostWorld w(7);
    Sequence body;
    const ops::OpBuilder b = builderOf(w, body);
    const Tensor t = linear(w, ElementType::Float, {n, n}, "t");
    w.graph->setInitialValue(t, 0.0f);
    w.graph->setInitialValue(t[0], 100.0f);
    const auto part = [&](int64_t row, int64_t column) { return t.slice({row, column}, {n - 2 + row, n - 2 + column}); };
    const Tensor next = ops::map(b, (_1 + _2 + _3 + _4) * 0.25, {part(0, 1), part(2, 1), part(1, 0), part(1, 2)});
    body.add(program::copy(next, part(1, 1)));
    w.main.add(program::repeat(25, body));
    run::Engine e(w.compile(), {}, nullptr);
    e.run();
    std::vector<double> r(n * n, 0);
    for (int64_t j = 0; j < n; ++j) r[std::size_t(j)] = 100;
    for (int k = 0; k < 25; ++k) {
      const std::vector<double> q = r;
      const auto at = [&](int64_t i, int64_t j) { return q[std::size_t(i * n + j)]; };
      for (int64_t i = 1; i < n - 1; ++i)
        for (int64_t j = 1; j < n - 1; ++j)
          r[std::size_t(i * n + j)] = (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1)) / 4;
    }
    const std::vector<double> got = e.readTensor(t).toDoubles();
    for (std::size_t i = 0; i < r.size(); ++i) QVERIFY(std::abs(got[i] - r[i]) < 1e-4);
  }

  // Random numbers in a loop, seeds that are incremented on the machine, an accumulating reduction.
  void piByThrowing() {
    HostWorld w(13);
    Sequence body;
    const ops::OpBuilder b = builderOf(w, body);
    constexpr int64_t n = 5000;
    const Tensor x = linear(w, ElementType::Float, {n}, "x"), y = linear(w, ElementType::Float, {n}, "y"),
                 hits = linear(w, ElementType::Float, {}, "hits"), seed = linear(w, ElementType::UInt32, {2}, "seed");
    w.graph->setInitialValue(seed, std::vector<uint32_t>{42, 7});
    w.graph->setInitialValue(hits, 0.0f);
    ops::RandomNumbers unit;
    unit.low = 0;
    ops::fillRandom(b, x, unit, ops::RandomSeed(seed, 1));
    ops::fillRandom(b, y, unit, ops::RandomSeed(seed, 2));
    const Tensor inside = ops::map(b, ops::Expression::cast(_1 * _1 + _2 * _2 <= 1, ElementType::Float), {x, y});
    ops::reduceWithOutput(b, inside, hits, {0}, {codelets::ReduceOp::Add, {}, true});
    ops::mapInPlace(b, _1 + 1, {seed.slice(0, 1)});
    w.main.add(program::repeat(20, body));
    run::Engine e(w.compile(), {}, nullptr);
    e.run();
    const double pi = 4 * e.readTensor(hits).at(0) / double(20 * n);
    QVERIFY2(std::abs(pi - M_PI) < 0.025, std::to_string(pi).c_str()); // five standard deviations
    QCOMPARE(e.readTensor(seed).integerAt(0), int64_t(62));
  }

  // Softmax regression: a step is a function, the loop ends when the loss is small, data come by callbacks.
  void regressionUntilTheLossIsSmall() {
    constexpr int64_t kBatch = 16, kFeatures = 6, kClasses = 3;
    HostWorld w(11);
    Sequence step;
    const ops::OpBuilder b = builderOf(w, step);
    const Tensor x = linear(w, ElementType::Float, {kBatch, kFeatures}, "x"),
                 labels = linear(w, ElementType::UInt32, {kBatch}, "y");
    const Tensor weights = w.graph->addVariable(ElementType::Float, {kFeatures, kClasses}, "weights"); // the product places it
    const StreamId xs = w.graph->addHostToDeviceFifo("x", ElementType::Float, kBatch * kFeatures, {2}),
                   ys = w.graph->addHostToDeviceFifo("y", ElementType::UInt32, kBatch),
                   losses = w.graph->addDeviceToHostFifo("loss", ElementType::Float, 1);
    step.add(program::copy(xs, x));
    step.add(program::copy(ys, labels));
    const Tensor p = ops::softmax(b, ops::matmul(b, x, weights), 1, false);
    const ops::Loss loss = ops::calcLoss(b, codelets::LossKind::CrossEntropy, p, labels);
    ops::matmulAcc(b, weights, -0.5f / float(kBatch), x.transpose(), loss.deltas);
    const Tensor mean = ops::reduce(b, loss.loss, {0}, codelets::ReduceOp::Add, false);
    ops::mapInPlace(b, _1 * (1.0 / double(kBatch)), {mean});
    const Tensor more = ops::map(b, _1 > 0.2, {mean});
    step.add(program::copy(mean.flatten(), losses));
    const FunctionId run = w.graph->addFunction("step", step.program());
    w.main.add(program::call(run));
    w.main.add(program::repeatWhileTrue(Sequence(), more, Sequence(program::call(run))));
    w.graph->setInitialValue(weights, 0.0f);
    w.graph->createHostRead("weights", weights);

    std::vector<float> data(kBatch * kFeatures);
    std::vector<uint32_t> classes(kBatch);
    for (int64_t i = 0; i < kBatch; ++i) {
      classes[std::size_t(i)] = uint32_t(i % kClasses);
      for (int64_t k = 0; k < kFeatures; ++k)
        data[std::size_t(i * kFeatures + k)] = float((i * 37 + k * 11) % 17) / 17 + (k % kClasses == i % kClasses ? 1.0f : 0.0f);
    }
    run::Engine e(w.compile(), {}, nullptr);
    std::vector<double> told;
    e.connectStreamToCallback("x", [&](void* to) { std::copy(data.begin(), data.end(), static_cast<float*>(to)); });
    e.connectStreamToCallback("y", [&](void* to) { std::copy(classes.begin(), classes.end(), static_cast<uint32_t*>(to)); });
    e.connectStreamToCallback("loss", [&](void* from) { told.push_back(double(*static_cast<float*>(from))); });
    e.run();

    // The same in plain loops.
    std::vector<double> plain(kFeatures * kClasses, 0), expected;
    do {
      std::vector<double> gradient(plain.size(), 0);
      double sum = 0;
      for (std::size_t i = 0; i < kBatch; ++i) {
        std::vector<double> out(kClasses, 0);
        for (std::size_t c = 0; c < kClasses; ++c)
          for (std::size_t k = 0; k < kFeatures; ++k) out[c] += double(data[i * kFeatures + k]) * plain[k * kClasses + c];
        double total = 0;
        for (double& v : out) total += v = std::exp(v);
        sum -= std::log(out[classes[i]] / total);
        for (std::size_t c = 0; c < kClasses; ++c)
          for (std::size_t k = 0; k < kFeatures; ++k)
            gradient[k * kClasses + c] += double(data[i * kFeatures + k]) * (out[c] / total - (classes[i] == c ? 1 : 0));
      }
      for (std::size_t i = 0; i < plain.size(); ++i) plain[i] -= 0.5 / double(kBatch) * gradient[i];
      expected.push_back(sum / double(kBatch));
    } while (expected.back() > 0.2);
    QVERIFY(expected.size() > 5);
    QCOMPARE(told.size(), expected.size());
    for (std::size_t i = 0; i < told.size(); ++i) QVERIFY(std::abs(told[i] - expected[i]) < 1e-4);
    std::vector<float> got(plain.size());
    e.readTensor("weights", got.data(), got.data() + got.size());
    for (std::size_t i = 0; i < got.size(); ++i) QVERIFY(std::abs(double(got[i]) - plain[i]) < 1e-3);
  }
};

TILESCOPE_TEST(LibraryProgramsTest)
#include "library_programs_test.moc"
