// Samples of published research and applications, compared with known answers: a posterior in closed form, the order of an
// integrator, the weight counts of a paper, a policy that finds the rewarded action.
#include "simcore/samples/belief_propagation.h"
#include "simcore/samples/hmc.h"
#include "simcore/samples/sparse_bfs.h"
#include "simcore/samples/spiking.h"
#include "simcore/samples/vae.h"
#include "simcore/samples/x_drop.h"
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

samples::Survey surveyOf(const Settings& settings) {
  const auto& sample = samples::findSample("belief-propagation");
  return samples::surveyOf(samples::Parameters(sample.name, sample.parameters, settings), 0);
}

// The least squares problem of a survey: its matrix has the precision of each point, and its solution is the means.
struct Heights {
  std::vector<std::vector<double>> matrix;
  std::vector<double> right;
};
Heights equationsOf(const samples::Survey& s) {
  const std::size_t n = s.heights.size();
  Heights h{std::vector<std::vector<double>>(n, std::vector<double>(n, 0)), std::vector<double>(n, 0)};
  for (std::size_t i = 0; i < n; ++i) {
    h.matrix[i][i] = s.heightPrecision;
    h.right[i] = s.heightPrecision * s.heights[i];
  }
  for (const auto& d : s.differences) {
    const auto a = std::size_t(d.first), b = std::size_t(d.second);
    h.matrix[a][a] += s.differencePrecision, h.matrix[b][b] += s.differencePrecision;
    h.matrix[a][b] -= s.differencePrecision, h.matrix[b][a] -= s.differencePrecision;
    h.right[a] -= s.differencePrecision * d.value, h.right[b] += s.differencePrecision * d.value;
  }
  return h;
}

// The whole matrix of cells, without windows: the best score of beginnings of two sequences, cells below the drop left out.
int32_t extendedInFull(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b, int32_t drop) {
  constexpr int32_t kNone = -1'000'000;
  std::vector<std::vector<int32_t>> score(a.size() + 1, std::vector<int32_t>(b.size() + 1, kNone));
  score[0][0] = 0;
  int32_t best = 0;
  for (std::size_t k = 1; k <= a.size() + b.size(); ++k) {
    int32_t most = best;
    for (std::size_t i = k > b.size() ? k - b.size() : 0; i <= std::min(k, a.size()); ++i) {
      const std::size_t j = k - i;
      int32_t& cell = score[i][j];
      if (i > 0) cell = std::max(cell, score[i - 1][j] - 1);
      if (j > 0) cell = std::max(cell, score[i][j - 1] - 1);
      if (i > 0 && j > 0) cell = std::max(cell, score[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 1 : -1));
      if (cell < best - drop) cell = kNone;
      most = std::max(most, cell);
    }
    best = most;
  }
  return best;
}

// Mean and variance of the latent of an image: p(latent | image), integrated numerically along a line.
struct Moments {
  double mean = 0, variance = 0;
};
Moments codeOf(const model::Graph& graph, const std::vector<double>& picture) {
  const auto dense = [&](const std::string& layer, std::vector<double> x, bool isLast) {
    const auto &weights = graph.initialisers.at("decoder/" + layer + ".weight"),
               &bias = graph.initialisers.at("decoder/" + layer + ".bias");
    const int64_t outputs = weights.dim(1);
    std::vector<double> y;
    for (int64_t o = 0; o < outputs; ++o) {
      double sum = bias.at(o);
      for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * weights.at(int64_t(i) * outputs + o);
      y.push_back(isLast ? sum : std::max(0.0, sum));
    }
    return y;
  };
  std::vector<double> codes, logs;
  for (double code = -6; code < 6; code += 0.02) {
    const auto logits = dense("layer3", dense("layer2", dense("layer1", {code}, false), false), true);
    double log = -code * code / 2;
    for (std::size_t i = 0; i < logits.size(); ++i) log += picture[i] * logits[i] - std::log1p(std::exp(logits[i]));
    codes.push_back(code);
    logs.push_back(log);
  }
  const double most = *std::max_element(logs.begin(), logs.end());
  double all = 0, first = 0, second = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const double share = std::exp(logs[i] - most);
    all += share, first += share * codes[i], second += share * codes[i] * codes[i];
  }
  return {first / all, second / all - first * first / all / all};
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
  // The same samples for both layouts of the biases.
  void formsOfTheBiasAgree() {
    const Settings shape{{"inputs", "5"}, {"hidden", "7"}, {"rows", "9"}, {"leapfrogs", "3"}, {"draws", "2"}};
    Settings column = shape;
    column["bias"] = "column";
    const auto sum = numbersOf("hmc", shape), other = numbersOf("hmc", column);
    QCOMPARE(sum.size(), std::size_t(5 * 7 + 7 + 7 * 7 + 7 + 7 + 1 + 2));
    QCOMPARE(other.size(), sum.size());
    for (std::size_t i = 0; i + 1 < sum.size(); ++i) QVERIFY2(std::abs(other[i] - sum[i]) < 1e-4, qPrintable(QString::number(i)));
  }

  // The autoencoder's chain samples latents from the posterior p(code | image), whatever the encoder's start. Its steps are long
  // enough that some proposals must be rejected.
  void chainOfTheAutoencoderDrawsFromThePosterior() {
    const samples::VaeShape shape{1500, 24, 1, 10, 3, 0.45};
    samples::Network net("vae", 5);
    const std::vector<double> picture(784, 1.0);
    samples::addVae(net, shape, net.input("images", numerics::ElementType::Float, {shape.batch, 784}));
    net.graph().output("chain/end");
    net.graph().output("chain/start");
    const Moments expected = codeOf(net.model().graph, picture);
    samples::BuildOptions build;
    build.machine = arch::findMachine(tests::kBaselineMachine, 1);
    const auto load = samples::inferenceOf(net, build, [&](int64_t) {
      return std::map<std::string, numerics::HostTensor>{
          {"images", numerics::HostTensor::full(numerics::ElementType::Float, {shape.batch, 784}, 1)}};
    });
    run::HostTimeline timeline("test");
    reports::NoProgress quiet;
    tests::RowCollector rows;
    const auto outputs = run::simulate(load, {}, rows, timeline, {}, quiet).outputs;
    const auto momentsOf = [&](const char* name) {
      const std::vector<double> codes = outputs.at(name).at(0).toDoubles();
      Moments m;
      for (const double c : codes) m.mean += c / double(codes.size());
      for (const double c : codes) m.variance += (c - m.mean) * (c - m.mean) / double(codes.size());
      return m;
    };
    const Moments start = momentsOf("chain/start"), end = momentsOf("chain/end");
    const auto text = [](const Moments& m) { return QString("%1 and %2").arg(m.mean).arg(m.variance); };
    const QString all = "start " + text(start) + ", end " + text(end) + ", expected " + text(expected);
    QVERIFY2(std::abs(end.mean - expected.mean) < 4 * std::sqrt(expected.variance / double(shape.batch)), qPrintable(all));
    QVERIFY2(std::abs(end.variance / expected.variance - 1) < 0.15, qPrintable(all));
    // Samples from the encoder or from the prior would not pass.
    QVERIFY2(std::abs(start.mean - expected.mean) > 0.2 && std::abs(expected.mean) > 0.2, qPrintable(all));
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

  // On a line belief propagation gives exact means and variances once messages have passed between all points.
  void beliefsOnALineAreExact() {
    for (const char* layout : {"rows", "blocks"}) {
      const Settings settings{{"rows", "1"}, {"columns", "23"}, {"rounds", "22"}, {"tiles", "2"}, {"layout", layout}};
      const Heights h = equationsOf(surveyOf(settings));
      const std::vector<double> means = solved(h.matrix, h.right), got = numbersOf("belief-propagation", settings);
      QCOMPARE(got.size(), 2 * means.size());
      for (std::size_t i = 0; i < means.size(); ++i) {
        std::vector<double> unit(means.size(), 0);
        unit[i] = 1;
        QVERIFY2(std::abs(got[2 * i] - means[i]) < 1e-5, qPrintable(QString("mean of %1 is %2").arg(i).arg(got[2 * i])));
        QVERIFY2(std::abs(got[2 * i + 1] - solved(h.matrix, unit)[i]) < 1e-6, qPrintable(QString::number(i)));
      }
      Settings fewer = settings;
      fewer["rounds"] = "11"; // the ends have not heard of each other
      QVERIFY(std::abs(numbersOf("belief-propagation", fewer)[0] - means[0]) > 1e-5);
    }
  }
  // On a grid, which has cycles, the means are exact after convergence; the variances are below the true ones (Weiss and
  // Freeman 2001).
  void beliefsOnAGridHaveTheMeansOfTheDirectSolution_data() {
    QTest::addColumn<QString>("layout");
    QTest::addColumn<int>("tiles");
    for (const char* layout : {"rows", "blocks"})
      for (const int tiles : {1, 4, 7}) QTest::newRow(qPrintable(QString("%1 %2").arg(layout).arg(tiles))) << layout << tiles;
  }
  void beliefsOnAGridHaveTheMeansOfTheDirectSolution() {
    QFETCH(QString, layout);
    QFETCH(int, tiles);
    const Settings settings{{"rows", "7"},
                            {"columns", "9"},
                            {"rounds", "150"},
                            {"difference", "0.4"},
                            {"layout", layout.toStdString()},
                            {"tiles", std::to_string(tiles)}};
    const Heights h = equationsOf(surveyOf(settings));
    const std::vector<double> means = solved(h.matrix, h.right), got = numbersOf("belief-propagation", settings);
    QCOMPARE(got.size(), 2 * means.size());
    double farthest = 0;
    for (std::size_t i = 0; i < means.size(); ++i) farthest = std::max(farthest, std::abs(got[2 * i] - means[i]));
    QVERIFY2(farthest < 2e-5, qPrintable(QString::number(farthest)));
    std::vector<double> unit(means.size(), 0);
    unit[31] = 1; // in the middle
    const double variance = solved(h.matrix, unit)[31];
    QVERIFY2(got[63] < variance && got[63] > 0.5 * variance, qPrintable(QString("%1 and %2").arg(got[63]).arg(variance)));
  }

  void alignmentsAreThoseOfTheFullMatrix_data() {
    QTest::addColumn<QString>("drop");
    QTest::addColumn<QString>("errors");
    QTest::addColumn<QString>("deal");
    for (const char* drop : {"0", "4", "15", "5000"})
      for (const char* errors : {"0", "0.1", "0.4"})
        for (const char* deal : {"order", "longest"})
          QTest::newRow(qPrintable(QString("%1 %2 %3").arg(drop, errors, deal))) << drop << errors << deal;
  }
  void alignmentsAreThoseOfTheFullMatrix() {
    QFETCH(QString, drop);
    QFETCH(QString, errors);
    QFETCH(QString, deal);
    const Settings settings{{"pairs", "29"},
                            {"length", "60"},
                            {"tiles", "2"},
                            {"drop", drop.toStdString()},
                            {"errors", errors.toStdString()},
                            {"deal", deal.toStdString()}};
    const auto& sample = samples::findSample("x-drop");
    const auto pairs = samples::seededPairsOf(samples::Parameters("x-drop", sample.parameters, settings), 0);
    std::vector<double> expected;
    bool isWhole = false; // a pair without errors is aligned from end to end
    for (const auto& p : pairs) {
      const auto beforeA = std::vector<uint8_t>(p.a.rend() - p.seedA, p.a.rend()),
                 beforeB = std::vector<uint8_t>(p.b.rend() - p.seedB, p.b.rend());
      const auto begin = samples::SeededPair::kSeed;
      const std::vector<uint8_t> afterA(p.a.begin() + p.seedA + begin, p.a.end()),
          afterB(p.b.begin() + p.seedB + begin, p.b.end());
      QVERIFY(std::equal(p.a.begin() + p.seedA, p.a.begin() + p.seedA + begin, p.b.begin() + p.seedB));
      expected.push_back(
          double(begin + extendedInFull(beforeA, beforeB, drop.toInt()) + extendedInFull(afterA, afterB, drop.toInt())));
      isWhole |= p.a == p.b && expected.back() == double(p.a.size());
    }
    if (errors == "0") QVERIFY(isWhole);
    QCOMPARE(numbersOf("x-drop", settings), expected);
  }
  // The search drops unrelated sequences after some antidiagonals, and follows related ones in a window much narrower than they are.
  void aDroppedScoreEndsTheSearch() {
    const std::vector<uint8_t> same(400, 2), other(400, 1);
    const auto alike = samples::extend(same, same, 15, 1000), unlike = samples::extend(same, other, 15, 1000);
    QCOMPARE(alike.score, 400);
    QCOMPARE(unlike.score, 0);
    QCOMPARE(unlike.antidiagonals, int64_t(2 * 15 + 2)); // fifteen bases of each are unlike; two more find nothing alive
    QVERIFY(alike.antidiagonals == 800 && alike.cells < 800 * 40);
    QCOMPARE(samples::extend(same, same, 15, 1).score, 0);    // no room for the two cells beside the first
    QCOMPARE(samples::extend(same, same, 15, 40).score, 400); // for all that are alive
    QCOMPARE(samples::extend({}, same, 15, 1000).score, 0);
  }

  // Random actions have an average reward of 0; the right action depends on the step before.
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
