// Search, stencil and option prices, compared with results of the host.
#include "reports/core/error.h"
#include "simcore/samples/monte_carlo.h"
#include "simcore/samples/sparse_bfs.h"
#include "tests/simcore/samples/sample_run.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace simcore;
using tests::Settings;

namespace {

std::unique_ptr<tests::SampleRun> simulated(const std::string& name, Settings settings) {
  settings["io"] = "1";
  tests::RunOptions options;
  options.numbers = true;
  return tests::runSample(name, settings, options);
}

std::vector<double> resultOf(const std::unique_ptr<tests::SampleRun>& done) {
  return done->result.outputs.at("result").at(0).toDoubles();
}

} // namespace

class SimulationSamplesTest : public QObject {
  Q_OBJECT
private slots:
  void searchFindsWhatTheHostFinds_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<int>("vertices");
    QTest::addColumn<int>("degree");
    QTest::addColumn<int>("source");
    for (const char* kind : {"random", "grid", "ring"})
      for (const int vertices : {2, 97, 700}) {
        QTest::newRow((std::string(kind) + std::to_string(vertices)).c_str()) << QString(kind) << vertices << 3 << vertices / 2;
      }
  }
  void searchFindsWhatTheHostFinds() {
    QFETCH(QString, kind);
    QFETCH(int, vertices);
    QFETCH(int, degree);
    QFETCH(int, source);
    const auto expected = samples::searchOnHost(samples::makeSparseGraph(kind.toStdString(), vertices, degree, 1), source);
    const int deepest = *std::max_element(expected.begin(), expected.end());
    for (const char* frontier : {"words", "bits"}) {
      const auto done = simulated("sparse-bfs", {{"kind", kind.toStdString()},
                                                 {"vertices", std::to_string(vertices)},
                                                 {"degree", std::to_string(degree)},
                                                 {"source", std::to_string(source)},
                                                 {"frontier", frontier},
                                                 {"tiles", "5"}});
      const auto levels = resultOf(done);
      QCOMPARE(levels.size(), expected.size());
      for (std::size_t v = 0; v < levels.size(); ++v) QCOMPARE(int(levels[v]), expected[v]);
      // The loop ran once per level, and once more to find an empty frontier.
      int64_t expansions = 0;
      for (const auto& step : done->rows.rows<reports::ProgramStepRow>())
        if (QString::fromStdString(done->rows.text(step.nameId)).endsWith("expand") && step.computeSetId)
          for (const auto& profile : done->rows.rows<reports::StepProfileRow>())
            if (profile.programStepId == step.id) expansions += profile.executions;
      QCOMPARE(expansions, int64_t(deepest + 1));
    }
  }

  void pricesAreThoseOfBlackAndScholes_data() {
    QTest::addColumn<QString>("option");
    QTest::addColumn<double>("strike");
    QTest::addColumn<int>("antithetic");
    for (const char* option : {"call", "put"})
      for (const double strike : {90.0, 100.0, 120.0})
        for (const int antithetic : {0, 1})
          QTest::newRow((std::string(option) + std::to_string(int(strike)) + (antithetic ? " antithetic" : "")).c_str())
              << QString(option) << strike << antithetic;
  }
  void pricesAreThoseOfBlackAndScholes() {
    QFETCH(QString, option);
    QFETCH(double, strike);
    QFETCH(int, antithetic);
    samples::Option o;
    o.strike = strike;
    o.call = option == "call";
    const auto result = resultOf(simulated("monte-carlo", {{"option", option.toStdString()},
                                                           {"strike", std::to_string(strike)},
                                                           {"antithetic", std::to_string(antithetic)},
                                                           {"paths", "100000"},
                                                           {"steps", "16"}}));
    QVERIFY2(std::abs(result[0] - samples::blackScholes(o)) < 3.5 * result[1],
             qPrintable(QString("%1 +- %2, formula %3").arg(result[0]).arg(result[1]).arg(samples::blackScholes(o))));
    QVERIFY(result[1] > 0 && result[1] < 0.1);
  }
  // A published value: S = 100, K = 100, r = 5 %, volatility 20 %, one year (Hull, Options, Futures and Other Derivatives).
  void formulaGivesThePublishedPrice() {
    QVERIFY(std::abs(samples::blackScholes({}) - 10.4506) < 1e-4);
    samples::Option put;
    put.call = false;
    QVERIFY(std::abs(samples::blackScholes(put) - 5.5735) < 1e-4);
  }
  void oppositePathsLowerTheError() {
    const auto plain = resultOf(simulated("monte-carlo", {{"paths", "20000"}})),
               opposite = resultOf(simulated("monte-carlo", {{"paths", "20000"}, {"antithetic", "1"}}));
    QVERIFY(opposite[1] < 0.8 * plain[1]);
  }
  void fewPathsOnManyTilesRun() {
    for (const char* paths : {"2", "7", "1001"})
      QVERIFY(simulated("monte-carlo", {{"paths", paths}, {"steps", "1"}, {"tiles", "3"}})->result.cycles > 0);
  }

  // Diffusion preserves the sum of values far from the border and obeys the maximum principle; the cut does not change numbers.
  void stencilsAgreeWhateverTheCut() {
    const Settings shape{{"width", "37"}, {"height", "23"}, {"steps", "5"}};
    Settings squares = shape;
    squares["variant"] = "tuned";
    const auto rows = resultOf(simulated("stencil", shape));
    QCOMPARE(rows.size(), std::size_t(37 * 23));
    QCOMPARE(resultOf(simulated("stencil", squares)), rows);
    const auto [low, high] = std::minmax_element(rows.begin(), rows.end());
    QVERIFY(*low >= 0 && *high <= 1);
    QVERIFY(rows[11 * 37 + 18] > 0.02 && rows[11 * 37 + 18] < 0.6); // smoothed
  }
  void oddStencilsRun() {
    for (const auto& [width, height] : {std::pair("1", "1"), std::pair("1", "97"), std::pair("101", "2")})
      for (const char* blocks : {"rows", "squares"})
        QVERIFY(simulated("stencil", {{"width", width}, {"height", height}, {"blocks", blocks}, {"steps", "3"}})->result.cycles >
                0);
  }
};

TILESCOPE_TEST(SimulationSamplesTest)
#include "simulation_samples_test.moc"
