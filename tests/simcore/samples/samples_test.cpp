#include "reports/core/error.h"
#include "simcore/compile/compiler.h"
#include "simcore/run/simulate.h"
#include "simcore/samples/sample.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

#include <nlohmann/json.hpp>

#include <cmath>
#include <sstream>

using namespace simcore;
using samples::Parameters;
using Settings = std::map<std::string, std::string>;

namespace {

graph::Workload build(const std::string& name, const Settings& settings, const std::string& machine = "gc200", int ipus = 1) {
  const samples::Sample& sample = samples::findSample(name);
  samples::BuildOptions options;
  options.machine = arch::findMachine(machine, ipus);
  return sample.build(Parameters(name, sample.parameters, settings), options);
}

struct Outcome {
  run::SimulateResult result;
  tests::RowCollector rows;
};

void simulate(const graph::Workload& workload, bool numbers, Outcome& outcome) {
  run::SimulateOptions options;
  options.engine.numbers = numbers;
  std::ostringstream printed;
  options.engine.printStream = &printed;
  run::HostTimeline timeline("test");
  reports::NoProgress quiet;
  outcome.result = run::simulate(workload, options, outcome.rows, timeline, {}, quiet);
}

std::vector<double> resultOf(const std::string& name, Settings settings, const std::string& machine = "gc200", int ipus = 1) {
  settings["io"] = "1";
  Outcome outcome;
  simulate(build(name, settings, machine, ipus), true, outcome);
  const auto it = outcome.result.outputs.find("result");
  return it == outcome.result.outputs.end() ? std::vector<double>() : it->second.at(0).toDoubles();
}

// Small settings of a sample, so that its numbers take no time.
const std::map<std::string, Settings>& small() {
  static const std::map<std::string, Settings> all{
      {"mnist-train", {}},
      {"resnet50", {{"size", "32"}, {"width", "8"}, {"depth", "26"}}},
      {"resnext50", {{"size", "32"}, {"width", "8"}, {"groups", "4"}, {"depth", "26"}}},
      {"efficientnet", {{"size", "32"}}},
      {"vit", {{"size", "32"}, {"layers", "2"}}},
      {"vae", {{"batch", "4"}, {"hidden", "16"}}},
      {"rl-policy", {{"steps", "3"}, {"batch", "2"}, {"width", "32"}, {"hidden", "32"}}},
      {"spiking", {{"neurons", "64"}, {"steps", "5"}}},
      {"hmc", {{"leapfrogs", "5"}}},
      {"gpt2", {{"vocabulary", "500"}, {"sequence", "16"}}},
      {"sales-forecast", {{"width", "20"}, {"batch", "5"}}},
      {"autoencoder", {{"items", "500"}, {"width", "32"}, {"code", "32"}, {"batch", "4"}}},
      {"bert", {{"vocabulary", "500"}, {"sequence", "16"}}},
      {"bert-pipeline", {{"vocabulary", "500"}, {"sequence", "16"}}},
      {"attention", {{"hidden", "32"}, {"sequence", "16"}}},
      {"lstm", {{"steps", "4"}}},
      {"group-conv", {{"channels", "16"}, {"groups", "1,4,0"}, {"size", "9"}}},
      {"data-parallel", {{"width", "64"}}},
      {"offload", {{"width", "64"}}},
      {"overlapped-io", {{"width", "64"}, {"batch", "32"}, {"batches", "3"}}},
      {"sparse-bfs", {{"vertices", "300"}, {"tiles", "4"}}},
      {"triangle-count", {{"vertices", "300"}, {"tiles", "4"}}},
      {"belief-propagation", {{"rows", "9"}, {"columns", "13"}, {"rounds", "4"}, {"tiles", "3"}}},
      {"x-drop", {{"pairs", "20"}, {"length", "50"}, {"tiles", "3"}}},
      {"stencil", {{"width", "40"}, {"height", "30"}, {"steps", "4"}}},
      {"monte-carlo", {{"paths", "1000"}}},
      {"heat", {{"size", "40"}, {"steps", "6"}}},
      {"gaussian-blur", {{"width", "40"}, {"height", "30"}, {"iterations", "2"}}},
      {"matvec", {{"rows", "200"}, {"cols", "100"}}},
      {"tile-matmul", {{"n", "32"}, {"tiles", "8"}}},
      {"elementwise", {{"tiles", "8"}}},
      {"prng", {{"tiles", "4"}, {"n", "1000"}}},
      {"triad", {{"tiles", "4"}, {"n", "100"}}},
      {"sparse-matmul", {{"m", "64"}, {"k", "64"}, {"n", "16"}}},
      {"matmul", {{"m", "64"}, {"k", "64"}, {"n", "64"}}},
      {"chained-matmul", {{"a", "30"}, {"b", "20"}, {"c", "10"}, {"d", "8"}}}};
  return all;
}

const std::vector<std::pair<std::string, Settings>>& odd() {
  static const std::vector<std::pair<std::string, Settings>> all{
      {"tile-matmul", {{"n", "1"}, {"k", "1"}, {"m", "1"}, {"tiles", "1"}}},
      {"tile-matmul", {{"n", "13"}, {"k", "17"}, {"m", "19"}, {"tiles", "7"}, {"type", "float"}}},
      {"elementwise", {{"op", "exp"}, {"n", "1"}, {"tiles", "1"}, {"type", "half"}}},
      {"elementwise", {{"op", "rotate"}, {"n", "101"}, {"tiles", "3"}}},
      {"scaled-add", {{"n", "1"}}},
      {"scaled-add", {{"n", "61"}, {"type", "half"}, {"tiles", "5"}}},
      {"matvec", {{"rows", "1"}, {"cols", "1"}}},
      {"matvec", {{"rows", "97"}, {"cols", "89"}, {"streams", "1"}}},
      {"matvec", {{"rows", "5000"}, {"cols", "1"}}},
      {"matvec", {{"rows", "7"}, {"cols", "1009"}, {"split", "1009"}}},
      {"halo-exchange", {{"grid", "1x1"}, {"block", "1"}}},
      {"halo-exchange", {{"grid", "5x3"}, {"block", "7"}, {"approach", "explicit-one-tensor"}}},
      {"halo-exchange", {{"grid", "1x11"}, {"block", "2"}, {"approach", "explicit-many"}}},
      {"halo-exchange", {{"grid", "13x1"}, {"block", "3"}, {"approach", "explicit-grouped"}}},
      {"gaussian-blur", {{"width", "1"}, {"height", "1"}, {"iterations", "1"}}},
      {"gaussian-blur", {{"width", "31"}, {"height", "1"}, {"type", "float2"}, {"iterations", "1"}}},
      {"gaussian-blur", {{"width", "37"}, {"height", "41"}, {"type", "half4"}, {"iterations", "3"}}},
      {"gaussian-blur", {{"width", "17"}, {"height", "13"}, {"via", "conv"}, {"iterations", "1"}}},
      {"gaussian-blur",
       {{"width", "17"}, {"height", "13"}, {"via", "conv"}, {"iterations", "1"}, {"ipus", "4"}, {"type", "FP16"}}},
      {"heat", {{"size", "1"}, {"steps", "1"}}},
      {"heat", {{"size", "5"}, {"steps", "2"}, {"ipus", "16"}}},
      {"heat", {{"size", "9"}, {"steps", "2"}, {"ipus", "8"}, {"dims", "3"}}},
      {"heat", {{"size", "53"}, {"steps", "7"}}},
      {"heat", {{"dims", "3"}, {"size", "11"}, {"steps", "3"}}},
      {"heat", {{"equation", "aliev-panfilov"}, {"size", "23"}, {"steps", "2"}}},
      {"triad", {{"n", "1"}, {"tiles", "1"}}},
      {"triad", {{"n", "7"}, {"kernel", "copy"}, {"tiles", "2"}}},
      {"triad", {{"n", "101"}, {"kernel", "read"}, {"via", "compiled"}, {"tiles", "3"}}},
      {"matmul", {{"m", "1"}, {"k", "1"}, {"n", "1"}}},
      {"matmul", {{"m", "67"}, {"k", "31"}, {"n", "13"}, {"type", "half"}, {"streams", "1"}}},
      {"sparse-matmul", {{"m", "1"}, {"k", "1"}, {"n", "1"}}},
      {"sparse-matmul", {{"m", "67"}, {"k", "31"}, {"n", "13"}, {"block", "4"}, {"type", "float"}}},
      {"sparse-matmul", {{"m", "61"}, {"k", "59"}, {"n", "7"}, {"density", "1"}, {"mode", "dynamic"}}},
      {"chained-matmul", {{"a", "1"}, {"b", "1"}, {"c", "1"}, {"d", "1"}}},
      {"chained-matmul", {{"a", "13"}, {"b", "7"}, {"c", "31"}, {"d", "3"}, {"type", "half"}}},
      {"prng", {{"n", "1"}, {"tiles", "1"}}},
      {"prng", {{"n", "1009"}, {"tiles", "3"}, {"distribution", "normal"}, {"type", "half"}}},
      {"pointer-chase", {{"loads", "1"}}},
      {"custom-vertex", {{"n", "1"}, {"tiles", "1"}}},
  };
  return all;
}

QString text(const std::string& name, const Settings& settings) {
  std::string t = name;
  for (const auto& [key, value] : settings) t += " " + key + "=" + value;
  return QString::fromStdString(t);
}

} // namespace

class SamplesTest : public QObject {
  Q_OBJECT

private slots:
  // A form offers the choices; a sentence that lists words and a list without the default would leave it a text field or lie.
  void choicesHaveTheDefault() {
    int lists = 0, switches = 0;
    for (const auto& sample : samples::catalogue())
      for (const auto& p : sample.parameters) {
        if (p.choices.empty()) continue;
        const bool isSwitch = p.choices == std::vector<std::string>{"0", "1"};
        isSwitch ? ++switches : ++lists;
        QVERIFY2(std::count(p.choices.begin(), p.choices.end(), p.defaultValue) == 1, (sample.name + " " + p.name).c_str());
        QVERIFY2(isSwitch == p.text.starts_with("on: "), (sample.name + " " + p.name).c_str());
      }
    QVERIFY(lists > 50 && switches > 20);
  }
  void defaultsBuildAndRun_data() {
    QTest::addColumn<QString>("name");
    for (const auto& sample : samples::catalogue()) QTest::newRow(sample.name.c_str()) << QString::fromStdString(sample.name);
  }
  // The defaults as they are, timed; smaller ones where the numbers would take long.
  void defaultsBuildAndRun() {
    QFETCH(QString, name);
    Outcome timed;
    simulate(build(name.toStdString(), {}), false, timed);
    QVERIFY(timed.result.cycles > 0);
    QVERIFY(timed.result.fits);
    const auto it = small().find(name.toStdString());
    if (name == "mnist-train") return; // its numbers are tested where training is
    Outcome numbers;
    simulate(build(name.toStdString(), it == small().end() ? Settings() : it->second), true, numbers);
    QVERIFY(numbers.result.cycles > 0);
  }

  void oddShapesRun() {
    for (const auto& [name, settings] : odd()) {
      Outcome outcome;
      try {
        simulate(build(name, settings), true, outcome);
      } catch (const reports::Error& error) {
        QFAIL(qPrintable(text(name, settings) + ": " + error.what()));
      }
      QVERIFY2(outcome.result.cycles > 0, qPrintable(text(name, settings)));
    }
  }

  void everyTextSaysWhatToLookAt() {
    for (const auto& sample : samples::catalogue()) {
      QVERIFY2(sample.text.size() > 80, sample.name.c_str());
      for (const auto& parameter : sample.parameters)
        QVERIFY2(!parameter.text.empty(), (sample.name + "." + parameter.name).c_str());
    }
  }

  void timeDoesNotDependOnNumbers() {
    for (const auto& [name, settings] : {std::pair<std::string, Settings>{"heat", {{"size", "40"}, {"steps", "301"}}},
                                         {"gaussian-blur", {{"width", "30"}, {"height", "20"}, {"iterations", "100"}}}}) {
      Outcome with, without;
      simulate(build(name, settings), true, with);
      simulate(build(name, settings), false, without);
      QCOMPARE(with.result.cycles, without.result.cycles);
    }
  }

  // A constant field stays constant under diffusion; the total heat in the middle of a large plate is preserved.
  void heatSpreads() {
    const auto values = resultOf("heat", {{"size", "29"}, {"steps", "9"}});
    QCOMPARE(values.size(), std::size_t(29 * 29));
    double low = 1e9, high = -1e9;
    for (const double v : values) {
      low = std::min(low, v);
      high = std::max(high, v);
    }
    QVERIFY(low >= 0.0 && high <= 1.0); // the maximum principle
    QVERIFY(std::abs(values[14 * 29 + 14] - values[14 * 29 + 15]) < 0.3);
  }

  void severalIpusGiveTheSameNumbers() {
    const Settings heat{{"size", "37"}, {"steps", "5"}}, blur{{"width", "41"}, {"height", "29"}, {"iterations", "2"}};
    QCOMPARE(resultOf("heat", heat, "gc200", 4), resultOf("heat", heat));
    QCOMPARE(resultOf("gaussian-blur", blur, "gc2", 2), resultOf("gaussian-blur", blur, "gc2", 1));
    // Cut into rows or columns, with parts of one line at the end.
    for (const auto& [width, height, ipus] : {std::tuple("41", "29", 2), {"29", "40", 4}, {"17", "3", 2}}) {
      const Settings conv{{"width", width}, {"height", height}, {"iterations", "2"}, {"via", "conv"}};
      const auto one = resultOf("gaussian-blur", conv, "gc2", 1), several = resultOf("gaussian-blur", conv, "gc2", ipus);
      QCOMPARE(several.size(), one.size());
      for (std::size_t i = 0; i < one.size(); ++i) QVERIFY(std::abs(several[i] - one[i]) < 1e-5);
    }
  }

  void severalIpusExchangeOverLinks() {
    Outcome outcome;
    simulate(build("heat", {{"size", "64"}, {"steps", "4"}}, "gc200", 2), false, outcome);
    int links = 0;
    for (const auto& step : outcome.rows.rows<reports::ProgramStepRow>()) links += step.kind == "GlobalExchange";
    QCOMPARE(links, 2);
  }

  // Both ways to blur are the same blur, the stencil pixel by pixel and the convolution channel by channel.
  void blurAgreesWithItsConvolution() {
    const int64_t width = 23, height = 17;
    Settings settings{{"width", "23"}, {"height", "17"}, {"iterations", "2"}};
    const auto stencil = resultOf("gaussian-blur", settings);
    settings["via"] = "conv";
    const auto conv = resultOf("gaussian-blur", settings);
    QCOMPARE(conv.size(), stencil.size());
    for (int64_t i = 0; i < width * height; ++i)
      for (int64_t c = 0; c < 4; ++c)
        QVERIFY(std::abs(conv[std::size_t(c * width * height + i)] - stencil[std::size_t(i * 4 + c)]) < 1e-5);
  }

  void matvecMultiplies() {
    const graph::Workload load = build("matvec", {{"rows", "31"}, {"cols", "17"}, {"streams", "1"}});
    Outcome outcome;
    simulate(load, true, outcome);
    const auto& matrix = load.inputs.at("inputMatrix").at(0);
    const auto& vector = load.inputs.at("inputVector").at(0);
    const auto& out = outcome.result.outputs.at("result").at(0);
    for (int64_t r = 0; r < 31; ++r) {
      double sum = 0;
      for (int64_t c = 0; c < 17; ++c) sum += matrix.at(r * 17 + c) * vector.at(c);
      QVERIFY(std::abs(out.at(r) - sum) < 1e-5);
    }
  }

  void matvecKeepsItsCostTable() {
    Outcome outcome;
    simulate(build("matvec", {}), false, outcome);
    const auto& plans = outcome.rows.rows<reports::PlanRow>();
    QCOMPARE(plans.size(), std::size_t(2));
    QCOMPARE(plans[0].predictedCycles, int64_t(3996));
    QCOMPARE(plans[1].predictedCycles, int64_t(53807));
    const auto table = nlohmann::json::parse(plans[0].detailsJson).at("table");
    QCOMPARE(table.size(), std::size_t(999)); // the tutorial tries every split below the number of columns
    QVERIFY(table[6][0] == 7 && table[6][1] == 3996);
    QVERIFY(plans[0].text.find("colsAxisSplit=7, total cost=3996 (compute cost=3696, exchange cost=143, reduce exchange cost=49, "
                               "reduce compute cost=108)") != std::string::npos);
  }

  void randomNumbersDependOnSeedAndTileOnly() {
    const auto a = resultOf("prng", {{"n", "100"}, {"tiles", "3"}}), b = resultOf("prng", {{"n", "100"}, {"tiles", "5"}});
    QVERIFY(std::equal(a.begin(), a.end(), b.begin())); // more tiles add numbers, they change none
    QVERIFY(a[0] != a[100]);
  }

  // Half of all the ones of a density: the product of non-zeros only.
  void sparseCountsNonZeros() {
    Outcome outcome;
    simulate(build("sparse-matmul", {{"m", "1024"}, {"k", "1024"}, {"n", "128"}, {"density", "0.25"}}), false, outcome);
    const double flops = double(outcome.rows.rows<reports::RunRow>()[0].flops), expected = 2.0 * 1024 * 1024 * 128 * 0.25;
    QVERIFY(std::abs(flops / expected - 1) < 0.05);
  }

  // The next operand is the result in another order: with blocks it costs on every tile, without it is a plain copy; a product
  // that is not square has none. The result is the same.
  void sparseResultsBecomeTheNextOperand() {
    const auto cycles = [](Settings settings, const char* block, const char* loop) {
      settings["block"] = block;
      settings["loop"] = loop;
      Outcome outcome;
      simulate(build("sparse-matmul", settings), false, outcome);
      return outcome.result.cycles;
    };
    const Settings square{{"m", "512"}, {"k", "512"}, {"n", "256"}}, oblong{{"m", "512"}, {"k", "256"}, {"n", "256"}};
    QVERIFY(cycles(square, "16", "1") > cycles(square, "16", "0") + 1000);
    QVERIFY(cycles(square, "1", "1") > cycles(square, "1", "0"));
    QVERIFY(cycles(square, "1", "1") < cycles(square, "1", "0") + 500);
    QCOMPARE(cycles(oblong, "16", "1"), cycles(oblong, "16", "0"));
    for (const char* block : {"1", "8"}) {
      const Settings few{{"m", "40"}, {"k", "40"}, {"n", "9"}, {"density", "0.3"}, {"type", "float"}, {"block", block}};
      Settings alone = few;
      alone["loop"] = "0";
      QCOMPARE(resultOf("sparse-matmul", few), resultOf("sparse-matmul", alone));
    }
  }

  void halfSumsSaveExchangeAndNeedHalfOperands() {
    const auto simulated = [](const char* partials) {
      Outcome outcome;
      simulate(build("matmul", {{"m", "2048"}, {"k", "2048"}, {"n", "1024"}, {"type", "half"}, {"partials", partials}}), false,
               outcome);
      return outcome.result.cycles;
    };
    QVERIFY(simulated("half") < simulated("float"));
    QVERIFY_EXCEPTION_THROWN(build("matmul", {{"type", "float"}, {"partials", "half"}}), reports::Error);
  }

  void unknownParametersAreNamed() {
    for (const auto& [name, settings] : {std::pair<std::string, Settings>{"heat", {{"siez", "3"}}},
                                         {"heat", {{"size", "0"}}},
                                         {"halo-exchange", {{"grid", "9"}}},
                                         {"triad", {{"kernel", "dot"}}},
                                         {"sparse-matmul", {{"block", "3"}}}}) {
      try {
        build(name, settings);
        QFAIL(qPrintable(text(name, settings)));
      } catch (const reports::Error& error) {
        QCOMPARE(error.code(), reports::ErrorCode::InvalidInput);
        QVERIFY(QString::fromStdString(error.where()).contains(QString::fromStdString(settings.begin()->first)));
      }
    }
  }
};

TILESCOPE_TEST(SamplesTest)
#include "samples_test.moc"
