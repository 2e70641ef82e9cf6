// Samples of published research and applications against known answers: a posterior in closed form, the order of an integrator, the
// weights that a paper counts, a policy that finds what pays.
#include "simcore/samples/hmc.h"
#include "simcore/samples/sparse_bfs.h"
#include "simcore/samples/spiking.h"
#include "tests/simcore/samples/sample_run.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <vector>

using namespace simcore;
using tests::Settings;

namespace {

std::vector<double> numbersOf(const std::string& name, Settings settings) {
  settings["io"] = "1";
  tests::RunOptions options;
  options.numbers = true;
  return tests::runSample(name, settings, options)->result.outputs.at("result").at(0).toDoubles();
}

// Solves a x = b for a positive definite matrix, row after row.
std::vector<double> solved(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t row = i + 1; row < n; ++row) {
      const double factor = a[row][i] / a[i][i];
      for (std::size_t k = i; k < n; ++k) a[row][k] -= factor * a[i][k];
      b[row] -= factor * b[i];
    }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

// Mean of the posterior of a linear model with a bias: (XtX / noise^2 + 1 / prior^2) w = Xty / noise^2.
std::vector<double> posteriorMean(const samples::Regression& r) {
  const auto n = std::size_t(r.inputs) + 1;
  std::vector<std::vector<double>> a(n, std::vector<double>(n, 0));
  std::vector<double> b(n, 0);
  for (std::size_t i = 0; i < n; ++i) a[i][i] = 1 / (r.prior * r.prior);
  for (int64_t row = 0; row < r.rows; ++row) {
    const auto x = [&](std::size_t i) { return i + 1 == n ? 1.0 : r.x.at(row * r.inputs + int64_t(i)); };
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) a[i][k] += x(i) * x(k) / (r.noise * r.noise);
      b[i] += x(i) * r.y.at(row) / (r.noise * r.noise);
    }
  }
  return solved(a, b);
}

int64_t weightsOf(const std::string& name, const Settings& settings) {
  int64_t n = 0;
  for (const auto& [variable, tensor] : tests::buildSample(name, settings).variables) n += tensor.numElements();
  return n;
}

} // namespace

class ResearchSamplesTest : public QObject {
  Q_OBJECT
private slots:
  void drawsOfALinearModelHaveTheKnownMean_data() {
    QTest::addColumn<QString>("bias");
    for (const char* bias : {"sum", "column"}) QTest::newRow(bias) << QString(bias);
  }
  void drawsOfALinearModelHaveTheKnownMean() {
    QFETCH(QString, bias);
    const Settings settings{{"layers", "1"},  {"inputs", "3"},  {"rows", "40"},      {"noise", "0.2"},
                            {"draws", "300"}, {"step", "0.02"}, {"leapfrogs", "12"}, {"bias", bias.toStdString()}};
    const auto& sample = samples::findSample("hmc");
    const auto expected = posteriorMean(samples::regressionOf(samples::Parameters("hmc", sample.parameters, settings), 0));
    const auto got = numbersOf("hmc", settings);
    QCOMPARE(got.size(), expected.size() + 2);
    for (std::size_t i = 0; i < expected.size(); ++i)
      QVERIFY2(std::abs(got[i] - expected[i]) < 0.03,
               qPrintable(QString("weight %1 is %2 instead of %3").arg(i).arg(got[i]).arg(expected[i])));
    QVERIFY2(got[expected.size()] > 0.6, qPrintable(QString("taken %1").arg(got[expected.size()]))); // share of draws
  }

  // Leapfrog steps lose energy with the square of their length, and only if the gradient is that of the energy.
  void energyErrorIsOfSecondOrder() {
    const auto error = [](const char* step, const char* leapfrogs) {
      const auto result = numbersOf("hmc", {{"inputs", "4"},
                                            {"hidden", "6"},
                                            {"rows", "20"},
                                            {"noise", "0.5"},
                                            {"draws", "1"},
                                            {"step", step},
                                            {"leapfrogs", leapfrogs}});
      return result.back();
    };
    const double coarse = error("0.04", "8"), fine = error("0.02", "16");
    QVERIFY2(coarse > 1e-4 && coarse / fine > 3 && coarse / fine < 5, qPrintable(QString("%1 and %2").arg(coarse).arg(fine)));
  }
  // The same draws, whichever way the biases go.
  void formsOfTheBiasAgree() {
    const Settings shape{{"inputs", "5"}, {"hidden", "7"}, {"rows", "9"}, {"leapfrogs", "3"}, {"draws", "2"}};
    Settings column = shape;
    column["bias"] = "column";
    const auto sum = numbersOf("hmc", shape), other = numbersOf("hmc", column);
    QCOMPARE(sum.size(), std::size_t(5 * 7 + 7 + 7 * 7 + 7 + 7 + 1 + 2));
    QCOMPARE(other.size(), sum.size());
    for (std::size_t i = 0; i + 1 < sum.size(); ++i) QVERIFY2(std::abs(other[i] - sum[i]) < 1e-4, qPrintable(QString::number(i)));
  }

  // Tan and Le 2019 tell 5.3 and 19 million, Dosovitskiy et al. 2020 86 million; exact counts are those of the published code.
  void weightsAreAsManyAsPublished_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QString>("preset");
    QTest::addColumn<qlonglong>("weights");
    QTest::newRow("EfficientNet-B0") << "efficientnet"
                                     << "b0" << qlonglong(5'288'548);
    QTest::newRow("EfficientNet-B4") << "efficientnet"
                                     << "b4" << qlonglong(19'341'616);
    QTest::newRow("ViT-Ti/16") << "vit"
                               << "tiny" << qlonglong(5'717'416);
    QTest::newRow("ViT-S/16") << "vit"
                              << "small" << qlonglong(22'050'664);
    QTest::newRow("ViT-B/16") << "vit"
                              << "base" << qlonglong(86'567'656);
  }
  void weightsAreAsManyAsPublished() {
    QFETCH(QString, sample);
    QFETCH(QString, preset);
    QFETCH(qlonglong, weights);
    try {
      QCOMPARE(qlonglong(weightsOf(sample.toStdString(), {{"preset", preset.toStdString()}, {"training", "1"}})), weights);
    } catch (const std::exception& error) {
      QFAIL(error.what());
    }
  }
  // 0.39 and 1.26 thousand million multiply-adds; norms, activations and the softmax are a little more.
  void flopsAreAsManyAsPublished() {
    const auto flops = [](const char* name) { return double(tests::figuresOf(tests::runSample(name, {})).at("flops")); };
    QVERIFY2(std::abs(flops("efficientnet") / 0.78e9 - 1) < 0.08, qPrintable(QString::number(flops("efficientnet"))));
    QVERIFY2(std::abs(flops("vit") / 2.52e9 - 1) < 0.08, qPrintable(QString::number(flops("vit"))));
  }

  void neuronsFireAsInAPlainLoop_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("density");
    QTest::addColumn<int>("neurons");
    for (const char* type : {"float", "half"})
      for (const char* density : {"0", "0.1", "1"})
        for (const int neurons : {1, 97})
          QTest::newRow(qPrintable(QString("%1 %2 %3").arg(type, density).arg(neurons)))
              << QString(type) << QString(density) << neurons;
  }
  void neuronsFireAsInAPlainLoop() {
    QFETCH(QString, type);
    QFETCH(QString, density);
    QFETCH(int, neurons);
    const Settings settings{{"neurons", std::to_string(neurons)},
                            {"density", density.toStdString()},
                            {"steps", "40"},
                            {"batch", "3"},
                            {"type", type.toStdString()}};
    const auto& sample = samples::findSample("spiking");
    const auto n = samples::spikingNetworkOf(samples::Parameters("spiking", sample.parameters, settings), 0);
    const auto weights = n.weights.values<float>(), drive = n.drive.values<float>();
    const auto count = std::size_t(neurons);
    std::vector<double> expected(3 * count, 0);
    for (std::size_t b = 0; b < 3; ++b) {
      std::vector<float> potential(count, 0), spikes(count, 0);
      for (int step = 0; step < 40; ++step) {
        std::vector<float> received(count, 0);
        for (std::size_t from = 0; from < count; ++from)
          for (std::size_t to = 0; to < count; ++to) received[to] += spikes[from] * weights[from * count + to];
        for (std::size_t i = 0; i < count; ++i) {
          potential[i] = potential[i] * float(samples::SpikingNetwork::kLeak) + received[i] + drive[b * count + i];
          spikes[i] = potential[i] >= float(samples::SpikingNetwork::kThreshold) ? 1.f : 0.f;
          potential[i] -= spikes[i];
          expected[b * count + i] += double(spikes[i]);
        }
      }
    }
    QCOMPARE(numbersOf("spiking", settings), expected);
    if (neurons > 1) QVERIFY(*std::max_element(expected.begin(), expected.end()) > 2);
  }

  void trianglesAreThoseOfAPlainLoop_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<int>("vertices");
    QTest::addColumn<int>("degree");
    for (const char* kind : {"random", "grid", "ring"})
      for (const int vertices : {2, 3, 61, 200})
        for (const int degree : {0, 4, 12})
          QTest::newRow(qPrintable(QString("%1 %2 %3").arg(kind).arg(vertices).arg(degree)))
              << QString(kind) << vertices << degree;
  }
  void trianglesAreThoseOfAPlainLoop() {
    QFETCH(QString, kind);
    QFETCH(int, vertices);
    QFETCH(int, degree);
    const auto graph = samples::makeSparseGraph(kind.toStdString(), vertices, degree, 1);
    std::vector<std::vector<bool>> edge(std::size_t(vertices), std::vector<bool>(std::size_t(vertices), false));
    for (int v = 0; v < vertices; ++v)
      for (int32_t e = graph.offsets[std::size_t(v)]; e < graph.offsets[std::size_t(v) + 1]; ++e)
        edge[std::size_t(v)][std::size_t(graph.neighbours[std::size_t(e)])] = true;
    double expected = 0;
    for (std::size_t a = 0; a < edge.size(); ++a)
      for (std::size_t b = a + 1; b < edge.size(); ++b)
        for (std::size_t c = b + 1; edge[a][b] && c < edge.size(); ++c) expected += edge[a][c] && edge[b][c];
    if (kind == "grid") QCOMPARE(expected, 0.0);
    if (kind == "ring" && vertices > 60 && degree == 4) QCOMPARE(expected, double(vertices));
    for (const char* lists : {"all", "needed"})
      QCOMPARE(numbersOf("triangle-count", {{"kind", kind.toStdString()},
                                            {"vertices", std::to_string(vertices)},
                                            {"degree", std::to_string(degree)},
                                            {"tiles", "3"},
                                            {"lists", lists}}),
               std::vector<double>{expected});
  }

  // Actions by chance gain nothing on average; the right one depends on the step before.
  void aPolicyFindsTheActionThatPays() {
    tests::RunOptions options;
    options.numbers = true;
    options.replicas = 1;
    options.iterations = 120;
    try {
      const auto run = tests::runSample("rl-policy",
                                        {{"steps", "4"},
                                         {"batch", "24"},
                                         {"features", "1"},
                                         {"values", "4"},
                                         {"actions", "4"},
                                         {"embedding", "8"},
                                         {"width", "24"},
                                         {"hidden", "24"},
                                         {"lr", "0.01"},
                                         {"entropy", "0"}},
                                        options);
      const auto& loss = run->result.history.at("loss");
      const auto mean = [&](std::size_t from) {
        double sum = 0;
        for (std::size_t i = from; i < from + 20; ++i) sum += loss.at(i) / 20;
        return sum;
      };
      QVERIFY2(mean(100) < mean(0) - 0.1, qPrintable(QString("%1 to %2").arg(mean(0)).arg(mean(100))));
    } catch (const std::exception& error) {
      QFAIL(error.what());
    }
  }
};

TILESCOPE_TEST(ResearchSamplesTest)
#include "research_samples_test.moc"
