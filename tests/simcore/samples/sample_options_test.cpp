// Rules for all samples: they obey the command line's precision and use no memory before it is needed.
#include "reports/core/error.h"
#include "simcore/compile/compiler.h"
#include "simcore/run/simulate.h"
#include "simcore/samples/sample.h"
#include "tests/simcore/samples/sample_run.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <sstream>

using namespace simcore;

namespace {

samples::BuildOptions withType(numerics::ElementType type) {
  samples::BuildOptions options;
  options.machine = arch::findMachine("gc200", 1);
  options.type = type;
  options.typeGiven = true;
  return options;
}

graph::Workload built(const std::string& name, const tests::Settings& settings, const samples::BuildOptions& options) {
  const auto& sample = samples::findSample(name);
  return sample.build(samples::Parameters(name, sample.parameters, settings), options);
}

std::vector<double> valuesOf(const std::string& op) {
  const auto workload =
      built("elementwise", {{"op", op}, {"n", "50"}, {"tiles", "2"}, {"io", "1"}}, withType(numerics::ElementType::Float));
  tests::RowCollector rows;
  run::HostTimeline timeline("test");
  reports::NoProgress quiet;
  return run::simulate(workload, {}, rows, timeline, {}, quiet).outputs.at("result").at(0).toDoubles();
}

} // namespace

class SampleOptionsTest : public QObject {
  Q_OBJECT
private slots:
  // Published programs of PopART and PopTorch are called by the host for every run, that of TensorFlow is not.
  void publishedProgramsSayWhereTheirLoopIs() {
    const auto loopOf = [](const char* name, tests::Settings settings) {
      for (const char* size : {"layers", "hidden", "heads"})
        if (std::string(name) != "resnet50") settings[size] = std::string(size) == "hidden" ? "16" : "1";
      if (std::string(name) == "resnet50") settings.insert({{"size", "32"}, {"width", "4"}, {"depth", "26"}});
      const auto load = built(name, settings, withType(numerics::ElementType::Half));
      const auto loop = load.facts.find("loop");
      return loop == load.facts.end() ? std::string("device") : loop->second;
    };
    for (const char* name : {"bert", "gpt2", "vit"}) {
      QCOMPARE(loopOf(name, {}), std::string("device")); // the preset tiny
      QCOMPARE(loopOf(name, {{"preset", "large"}}), std::string("host"));
      QCOMPARE(loopOf(name, {{"preset", "large"}, {"loop", "device"}}), std::string("device"));
      QCOMPARE(loopOf(name, {{"loop", "host"}}), std::string("host"));
    }
    QCOMPARE(loopOf("resnet50", {}), std::string("device"));
    QCOMPARE(loopOf("resnet50", {{"loop", "host"}}), std::string("host"));
  }

  void everySampleObeysThePrecisionOrRefusesIt() {
    int obeyed = 0, refused = 0;
    for (const samples::Sample& sample : samples::catalogue()) {
      if (sample.distributes) continue; // models, whose nodes follow it
      const bool hasType =
          std::any_of(sample.parameters.begin(), sample.parameters.end(), [](const auto& p) { return p.name == "type"; });
      const std::string error = tests::errorOf([&] {
        const auto load = built(sample.name, {}, withType(numerics::ElementType::Half));
        if (load.facts.at("precision") != "fp16") throw reports::Error(reports::ErrorCode::Internal, "it is not obeyed");
      });
      QVERIFY2(hasType ? error.empty() : tests::has(error, "only in fp32"), (sample.name + ": " + error).c_str());
      ++(hasType ? obeyed : refused);
    }
    QVERIFY(obeyed >= 9 && refused >= 10);
  }
  void theTypeOfTheUserAndThePrecisionMustAgree() {
    const auto half = withType(numerics::ElementType::Half);
    QVERIFY(tests::has(tests::errorOf([&] { built("prng", {{"type", "fp32"}}, half); }), "contradicts {option set} type=fp32"));
    QCOMPARE(built("prng", {{"type", "float16"}}, half).parameters.at("type"), std::string("float16"));
    // The precision is a user setting like any other: a variant does not replace it.
    const auto single = withType(numerics::ElementType::Float);
    QCOMPARE(built("prng", {{"variant", "tuned"}}, single).parameters.at("type"), std::string("float"));
  }
  void squaresAndInverseRoots() {
    const auto square = valuesOf("square"), size = valuesOf("abs"), root = valuesOf("sqrt"), inverse = valuesOf("rsqrt");
    int positive = 0;
    for (std::size_t i = 0; i < size.size(); ++i) {
      QVERIFY(std::abs(square[i] - size[i] * size[i]) < 1e-6);
      if (!(root[i] > 0)) continue;
      QVERIFY(std::abs(inverse[i] * root[i] - 1) < 1e-5);
      ++positive;
    }
    QVERIFY(positive > 20);
  }
  // Each operation under all its names runs in both types, on numbers.
  void operationsByAllTheirNames() {
    const std::string names = tests::errorOf([] {
      built("elementwise", {{"op", "juggle"}}, withType(numerics::ElementType::Float));
    });
    std::istringstream list(names.substr(names.find("not one of ") + 11));
    int count = 0;
    for (std::string name; std::getline(list, name, ',');) {
      name = name.substr(name.find_first_not_of(' '));
      if (name.find(' ') != std::string::npos) name = name.substr(0, name.find(' '));
      ++count;
      const auto values = valuesOf(name);
      QCOMPARE(values.size(), std::size_t(100));
      QVERIFY2(std::any_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }), name.c_str());
      tests::RowCollector rows;
      run::HostTimeline timeline("test");
      reports::NoProgress quiet;
      run::SimulateOptions options;
      options.engine.numbers = false;
      const auto half = built("elementwise", {{"op", name}, {"n", "50"}}, withType(numerics::ElementType::Half));
      QVERIFY2(run::simulate(half, options, rows, timeline, {}, quiet).cycles > 0, name.c_str());
    }
    QVERIFY(count >= 55);
    const auto x = valuesOf("add"), less = valuesOf("lt"), more = valuesOf("ge"), differ = valuesOf("ne"), equal = valuesOf("eq");
    for (std::size_t i = 0; i < x.size(); ++i) {
      QCOMPARE(less[i] + more[i], 1.0);
      QCOMPARE(differ[i] + equal[i], 1.0);
    }
  }
  // Other plans have other exchange code, so a slightly fuller tile is possible, by at most a thirtieth of a tile.
  void lessAvailableMemoryGivesNoFullerTile() {
    const std::vector<std::pair<std::string, tests::Settings>> models = {
        {"mnist-train", {}},
        {"attention", {}},
        {"bert", {{"layers", "2"}}},
        {"resnet50", {{"batch", "1"}}},
        {"resnet50", {{"batch", "2"}, {"training", "1"}, {"norm", "batch"}, {"momentum", "0.9"}}},
        {"lstm", {}},
        {"group-conv", {}},
        {"chained-matmul", {}}};
    for (const auto& [name, settings] : models) {
      std::int64_t least = INT64_MAX;
      for (const double share : {1.0, 0.6, 0.25, 0.1, 0.05, 0.02}) {
        auto options = withType(numerics::ElementType::Half);
        options.parallel.availableMemoryProportion = share;
        const auto load = built(name, settings, options);
        const auto executable = compile::compile(load.graph, load.programs);
        const std::int64_t bytes = executable.allocation.maxTileBytes, tile = load.graph->machine().tile.memory.value();
        QVERIFY2(
            bytes <= least || bytes - least <= tile / 30,
            (name + " with " + std::to_string(share) + ": " + std::to_string(bytes) + " after " + std::to_string(least)).c_str());
        least = std::min(least, bytes);
      }
    }
  }

  void inputsOfAProductAreMadeWhenTheyAreRead() {
    const auto load = built("matmul", {{"m", "300000"}, {"k", "300000"}, {"n", "16"}, {"streams", "1"}},
                            withType(numerics::ElementType::Float));
    QCOMPARE(load.inputs.at("A").at(0).count(), int64_t(300'000) * 300'000); // 360 GB, were they here
    auto options = withType(numerics::ElementType::Float);
    options.iterations = 3000; // 10 GB of digits that take minutes to draw
    const auto digits = built("mlp", {{"batch", "1024"}, {"width", "16"}}, options);
    QCOMPARE(digits.inputs.at("images").size(), std::size_t(3000));
  }
};

TILESCOPE_TEST(SampleOptionsTest)
#include "sample_options_test.moc"
