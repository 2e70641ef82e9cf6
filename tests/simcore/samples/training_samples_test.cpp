// The training samples learn with all options, and one of their steps is fast to compile and simulate.
#include "reports/core/error.h"
#include "simcore/run/simulate.h"
#include "simcore/samples/masked_sentences.h"
#include "simcore/samples/sample.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QTest>

#include <cmath>

using namespace simcore;
using samples::Parameters;
using Settings = std::map<std::string, std::string>;

namespace {

run::SimulateResult runSample(const std::string& name, const Settings& settings, int iterations, bool half = false,
                              tests::RowCollector* rows = nullptr) {
  const samples::Sample& sample = samples::findSample(name);
  samples::BuildOptions build;
  build.machine = arch::findMachine("bow", 1);
  build.iterations = iterations;
  if (half) build.type = numerics::ElementType::Half;
  const auto workload = sample.build(Parameters(name, sample.parameters, settings), build);
  run::SimulateOptions options;
  options.iterations = iterations;
  run::HostTimeline timeline("test");
  reports::NoProgress quiet;
  tests::RowCollector own;
  return run::simulate(workload, options, rows ? *rows : own, timeline, {}, quiet);
}

double meanOf(const std::vector<double>& values, std::size_t from, std::size_t to) {
  double sum = 0;
  for (std::size_t i = from; i < to; ++i) sum += values.at(i);
  return sum / double(to - from);
}

int64_t alwaysLiveBytes(const std::string& name, const Settings& settings) {
  const samples::Sample& sample = samples::findSample(name);
  samples::BuildOptions build;
  build.machine = arch::findMachine("bow", 1);
  const auto workload = sample.build(Parameters(name, sample.parameters, settings), build);
  int64_t bytes = 0;
  for (const auto& v : workload.graph->variables())
    if (v.alwaysLive) bytes += v.bytes().value();
  return bytes;
}

} // namespace

class TrainingSamplesTest : public QObject {
  Q_OBJECT
private slots:
  void mnistLossFallsBelowAThird() {
    const auto result = runSample("mnist-train", {}, 200);
    const auto& loss = result.history.at("loss");
    QCOMPARE(loss.size(), std::size_t(200));
    QVERIFY2(meanOf(loss, 190, 200) < loss[0] / 3, qPrintable(QString::number(meanOf(loss, 190, 200))));
    QVERIFY(loss[0] != loss[1]); // other digits, other weights
    QCOMPARE(result.outputs.at("predictions").at(0).shape(), (numerics::Shape{16, 10}));
  }

  void learns_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QString>("settings");
    QTest::addColumn<bool>("half");
    QTest::newRow("half, scaled, clipped, accumulated")
        << "mnist-train"
        << "loss-scale=64 accumulation=4 clip=3 nesterov=1 weight-decay=0.0001" << true;
    QTest::newRow("sgd") << "mlp"
                         << "optimiser=sgd lr=0.05" << false;
    QTest::newRow("adam") << "mlp"
                          << "optimiser=adam" << false;
    QTest::newRow("adam, half") << "mlp"
                                << "optimiser=adam" << true;
    QTest::newRow("adamw") << "mlp"
                           << "optimiser=adamw weight-decay=0.01" << false;
    QTest::newRow("lamb") << "mlp"
                          << "optimiser=lamb lr=0.02" << false;
    QTest::newRow("lars") << "mlp"
                          << "optimiser=lars lr=0.2 trust-coefficient=0.2 epsilon=0 momentum=0.5" << false;
    QTest::newRow("rmsprop") << "mlp"
                             << "optimiser=rmsprop" << false;
    QTest::newRow("adagrad") << "mlp"
                             << "optimiser=adagrad lr=0.01" << false;
    QTest::newRow("one layer") << "mlp"
                               << "layers=1 lr=0.01" << false;
  }
  void learns() {
    QFETCH(QString, sample);
    QFETCH(QString, settings);
    QFETCH(bool, half);
    Settings given;
    for (const QString& pair : settings.split(' '))
      given[pair.section('=', 0, 0).toStdString()] = pair.section('=', 1).toStdString();
    const auto loss = runSample(sample.toStdString(), given, 40, half).history.at("loss");
    const double last = meanOf(loss, loss.size() - 5, loss.size());
    QVERIFY2(last < loss[0] * 0.6, qPrintable(QString("%1 to %2").arg(loss[0]).arg(last)));
  }

  void forwardOnlyLearnsNothing() {
    const auto trained = runSample("mnist-train", {}, 1), forward = runSample("mnist-train", {{"training", "0"}}, 1);
    QVERIFY(forward.cycles < trained.cycles);
    // The first loss is that of the same weights on the same digits.
    QCOMPARE(forward.history.at("loss"), trained.history.at("loss"));
  }

  // The loss is the mean of two cross entropies: of the answers' start and of their end.
  void lossOfQuestionsIsThatOfBothPlaces() {
    samples::SentenceShape shape;
    shape.batch = 3, shape.sequence = 24, shape.vocabulary = 100, shape.padded = true;
    const auto asked = samples::questions(shape, 0);
    const auto tokens = asked.at("tokens").values<int32_t>(), sentences = asked.at("sentences").values<int32_t>(),
               starts = asked.at("startPlaces").values<int32_t>(), ends = asked.at("endPlaces").values<int32_t>();
    Settings settings{{"head", "qa"},        {"batch", "3"},  {"sequence", "24"},
                      {"vocabulary", "100"}, {"layers", "1"}, {"training", "0"}};
    const auto outputs = runSample("bert", settings, 1).outputs;
    const auto &start = outputs.at("start").at(0), &end = outputs.at("end").at(0);
    QCOMPARE(start.shape(), (numerics::Shape{3, 24}));
    double expected = 0;
    for (int64_t row = 0; row < 3; ++row) {
      const auto first = std::size_t(row * 24), at = first + std::size_t(starts[std::size_t(row)]);
      QCOMPARE(tokens[at], tokens[first + 1]); // the word that was asked for, and never before
      for (std::size_t i = first + 3; i < at; ++i) QVERIFY(tokens[i] != tokens[at]);
      const int32_t last = ends[std::size_t(row)];
      QVERIFY(last >= starts[std::size_t(row)] && last < 24 && sentences[first + std::size_t(last)] == 1);
      double chances = 0;
      for (int64_t i = 0; i < 24; ++i) chances += std::exp(start.at(row * 24 + i));
      QVERIFY(std::abs(chances - 1) < 1e-4);
      expected -= (start.at(int64_t(at)) + end.at(int64_t(first) + last)) / 6;
    }
    QVERIFY2(std::abs(outputs.at("loss").at(0).at(0) - expected) < 1e-4, qPrintable(QString::number(expected)));
    settings["training"] = "1";
    settings["dropout"] = "0";
    QVERIFY(std::abs(runSample("bert", settings, 1).history.at("loss").at(0) - expected) < 1e-3);
  }
  void questionsAreLearned() {
    const auto loss = runSample("bert",
                                {{"head", "qa"},
                                 {"layers", "1"},
                                 {"hidden", "32"},
                                 {"sequence", "16"},
                                 {"batch", "16"},
                                 {"vocabulary", "68"},
                                 {"dropout", "0"},
                                 {"lr", "0.005"}},
                                150)
                          .history.at("loss");
    QVERIFY2(meanOf(loss, 130, 150) < 0.85 * loss[0], qPrintable(QString::number(meanOf(loss, 130, 150))));
  }
  void questionsAreRefusedWhereTheyCannotBeAsked() {
    QVERIFY_EXCEPTION_THROWN(runSample("bert", {{"head", "qa"}, {"mask", "packed"}}, 1), reports::Error);
    QVERIFY_EXCEPTION_THROWN(runSample("bert", {{"head", "qa"}, {"sequence", "3"}}, 1), reports::Error);
  }

  void optimiserStateIsAlwaysLive() {
    const int64_t none = alwaysLiveBytes("mlp", {{"optimiser", "sgd"}, {"momentum", "0"}}),
                  one = alwaysLiveBytes("mlp", {{"optimiser", "sgd"}}), two = alwaysLiveBytes("mlp", {{"optimiser", "adam"}});
    constexpr int64_t kWeights = 4 * (784 * 256 + 256 + 256 * 256 + 256 + 256 * 10 + 10), kScalars = 64; // e.g. count of steps
    QVERIFY(none >= kWeights && none <= kWeights + kScalars);
    QVERIFY(one >= 2 * kWeights && one <= 2 * kWeights + kScalars);
    QVERIFY(two >= 3 * kWeights && two <= 3 * kWeights + kScalars);
  }

  void stepsAreQuick() {
    tests::RowCollector rows;
    QElapsedTimer timer;
    timer.start();
    const auto result = runSample("mnist-train", {}, 1, false, &rows);
    QVERIFY(result.fits);
    QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
  }
};

TILESCOPE_TEST(TrainingSamplesTest)
#include "training_samples_test.moc"
