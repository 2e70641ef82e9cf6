// Programs that drive their engine themselves get the report that simulate() gives.
#include "simcore/run/host_call.h"
#include "simcore/run/simulate.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace simcore;
using namespace simcore::graph;
using tests::errorOf;
using tests::has;
using tests::HostWorld;

namespace {
Workload workloadOf(HostWorld& w) {
  const Tensor x = w.variable(ElementType::Float, {4}, "x");
  w.main.add(program::copy(w.graph->addHostToDeviceFifo("in", ElementType::Float, 4), x));
  w.main.add(w.addOne(x, 2));
  w.graph->createHostRead("x", x);
  Workload load;
  load.name = "driven";
  load.graph = w.graph;
  load.programs = {{"main", w.main.program()}};
  load.inputs["in"] = {numerics::HostTensor::vector<float>({1, 2, 3, 4})};
  return load;
}
} // namespace

class ReportedEngineTest : public QObject {
  Q_OBJECT
private slots:
  void runsOfTheCallerAreReported() {
    HostWorld w;
    const Workload load = workloadOf(w);
    tests::RowCollector rows;
    run::HostTimeline timeline("driven");
    reports::NoProgress quiet;
    run::ReportedEngine reported(load, {}, rows, timeline, {}, quiet);
    QVERIFY(reported.fits());
    float next = 0;
    reported.engine().connectStreamToCallback("in", [&](void* to) { std::fill_n(static_cast<float*>(to), 4, ++next); });
    std::vector<float> got(4), sums;
    for (int i = 0; i < 3; ++i) {
      if (i == 1) reported.engine().disableExecutionProfiling();
      if (i == 2) reported.engine().enableExecutionProfiling();
      reported.engine().run(0, "turn " + std::to_string(i));
      reported.engine().readTensor("x", got.data(), got.data() + 4);
      sums.push_back(got[3]);
    }
    reported.finish();
    QCOMPARE(sums, (std::vector<float>{2, 3, 4}));
    std::vector<std::string> names;
    for (const auto& r : rows.rows<reports::RunRow>()) names.push_back(r.name);
    QCOMPARE(names, (std::vector<std::string>{"turn 0", "turn 2"}));
  }

  // A report of the runs so far is complete, and so is the next one.
  void reportsAreWrittenInBetween() {
    HostWorld w;
    const Workload load = workloadOf(w);
    reports::RowLog log;
    run::HostTimeline timeline("driven");
    reports::NoProgress quiet;
    run::SimulateOptions options;
    options.rowsWhenAsked = true;
    run::ReportedEngine reported(load, options, log, timeline, {}, quiet);
    reported.engine().connectInput("in", load.inputs.at("in"));
    const auto course = [](const tests::RowCollector& rows) {
      std::vector<int64_t> sums{int64_t(rows.rows<reports::MachineRow>().size()), int64_t(rows.rows<reports::RunRow>().size())};
      for (const auto& row : rows.rows<reports::TrackRow>()) sums.push_back(row.kind == "ipu" ? row.slices : 0);
      for (const auto& row : rows.rows<reports::StepProfileRow>()) sums.push_back(row.executions);
      return sums;
    };
    tests::RowCollector first, second, again, plain;
    reported.engine().run(0, "one");
    reported.writeTo(first, log);
    reported.restart();
    reported.engine().connectInput("in", load.inputs.at("in"));
    reported.engine().run(0, "two");
    reported.writeTo(second, log);
    reported.writeTo(again, log);
    QCOMPARE(first.rows<reports::RunRow>().size(), std::size_t(1));
    QCOMPARE(second.rows<reports::RunRow>().size(), std::size_t(2));
    QCOMPARE(course(second), course(again));
    run::ReportedEngine atOnce(load, {}, plain, timeline, {}, quiet);
    atOnce.engine().connectInput("in", load.inputs.at("in"));
    atOnce.engine().run(0, "one");
    atOnce.finish();
    QCOMPARE(course(first), course(plain));
    QCOMPARE(first.rows<reports::TileSeriesRow>().size(), plain.rows<reports::TileSeriesRow>().size());
  }

  // The same sequence of runs gives the same steps and the same memory.
  void theSameAsSimulate() {
    HostWorld w;
    const Workload load = workloadOf(w);
    reports::NoProgress quiet;
    tests::RowCollector driven, simulated;
    run::HostTimeline one("driven"), two("driven");
    {
      run::ReportedEngine reported(load, {}, driven, one, {}, quiet);
      reported.engine().connectInput("in", load.inputs.at("in"));
      reported.engine().run(0, "main #0");
      reported.finish();
    }
    run::simulate(load, {}, simulated, two, {}, quiet);
    QVERIFY(!driven.rows<reports::ProgramStepRow>().empty());
    QCOMPARE(driven.rows<reports::ProgramStepRow>().size(), simulated.rows<reports::ProgramStepRow>().size());
    QCOMPARE(driven.rows<reports::RunRow>().at(0).name, simulated.rows<reports::RunRow>().at(0).name);
    QCOMPARE(driven.rows<reports::RunRow>().at(0).cycles, simulated.rows<reports::RunRow>().at(0).cycles);
    QCOMPARE(driven.rows<reports::TileSeriesRow>().size(), simulated.rows<reports::TileSeriesRow>().size());
    QCOMPARE(driven.rows<reports::OperationRow>().size(), simulated.rows<reports::OperationRow>().size());
  }

  // With tilescope.hostCalls every run begins with a host call, which takes longer the more IPUs the host serves.
  void aHostCallComesBeforeEveryRun() {
    HostWorld w;
    const Workload load = workloadOf(w);
    reports::NoProgress quiet;
    const auto cyclesOf = [&](bool calls) {
      run::SimulateOptions options;
      options.iterations = 3;
      options.engineOptions.set("tilescope.hostCalls", calls ? "true" : "false", "test");
      tests::RowCollector rows;
      run::HostTimeline timeline("driven");
      return run::simulate(load, options, rows, timeline, {}, quiet).cycles;
    };
    const int64_t call = run::hostCallCycles(w.graph->machine());
    QCOMPARE(call, int64_t(std::llround(1.87e-3 * w.graph->machine().clockHz)));
    QCOMPARE(cyclesOf(true), cyclesOf(false) + 3 * call);
    arch::Machine pod = arch::findMachine("bow-pod256", 8);
    pod.replicas = 32;
    QCOMPARE(run::hostCallCycles(pod), int64_t(std::llround(64 * 1.87e-3 * pod.clockHz))); // a host for every 64 IPUs
  }

  // A workload whose loop is on the host is called for every run; the engine option has the last word. The report says what was counted.
  void theLoopOfAWorkloadDecides() {
    HostWorld w;
    Workload load = workloadOf(w);
    const auto counted = [&](const char* option) {
      run::SimulateOptions options;
      if (*option) options.engineOptions.set("tilescope.hostCalls", option, "test");
      tests::RowCollector rows;
      run::HostTimeline timeline("driven");
      reports::NoProgress quiet;
      const int64_t cycles = run::simulate(load, options, rows, timeline, {}, quiet).cycles;
      for (const auto& row : rows.rows<reports::EngineOptionRow>())
        if (row.key == "tilescope.hostCalls") return std::tuple(cycles, row.value == "true", row.isDefault != 0);
      return std::tuple(cycles, false, false);
    };
    const int64_t call = run::hostCallCycles(w.graph->machine()), without = std::get<0>(counted(""));
    QCOMPARE(counted(""), std::tuple(without, false, true));
    load.facts["loop"] = "host";
    QCOMPARE(counted(""), std::tuple(without + call, true, true));
    QCOMPARE(counted("false"), std::tuple(without, false, false));
  }

  void whatDoesNotFitIsReportedAndNotRun() {
    HostWorld w;
    Workload load = workloadOf(w);
    const Tensor big = w.variable(ElementType::Float, {1 << 20}, "big", 1);
    w.main.add(program::copy(big, w.variable(ElementType::Float, {1 << 20}, "copy", 1)));
    load.programs = {{"main", w.main.program()}};
    tests::RowCollector rows;
    run::HostTimeline timeline("driven");
    reports::NoProgress quiet;
    run::ReportedEngine reported(load, {}, rows, timeline, {}, quiet);
    QVERIFY(!reported.fits());
    reported.engine().run();
    reported.finish();
    QVERIFY(!rows.rows<reports::ReportIssueRow>().empty());
    run::SimulateOptions strict;
    strict.engineOptions.set("debug.allowOutOfMemory", "false", "test");
    tests::RowCollector none;
    QVERIFY(has(errorOf([&] { run::ReportedEngine(load, strict, none, timeline, {}, quiet); }), "out of memory"));
  }

  // A codelet without a cycle estimate is an issue in the report, or an error if an option asks for it.
  void unknownCyclesAreSaid() {
    HostWorld w;
    graph::Codelet silent;
    silent.name = "Silent";
    silent.fields = {{"x", graph::FieldDirection::InOut}};
    w.graph->addCodelet(silent);
    const auto x = w.variable(ElementType::Float, {4}, "x");
    const auto set = w.graph->addComputeSet("work");
    w.graph->setTileMapping(w.graph->addVertex(set, "Silent", {{"x", x}}), reports::TileId(std::size_t(1)));
    w.main.add(program::execute(set));
    Workload load = workloadOf(w);
    load.programs = {{"main", w.main.program()}};
    tests::RowCollector rows, none;
    run::HostTimeline timeline("driven");
    reports::NoProgress quiet;
    run::ReportedEngine(load, {}, rows, timeline, {}, quiet).finish();
    const auto& issues = rows.rows<reports::ReportIssueRow>();
    QCOMPARE(issues.size(), std::size_t(1));
    QCOMPARE(issues[0].place, std::string("codelet Silent"));
    QCOMPARE(issues[0].count, int64_t(1));
    run::SimulateOptions strict;
    strict.engineOptions.set("tilescope.allowUnknownCycles", "false", "test");
    QVERIFY(has(errorOf([&] { run::ReportedEngine(load, strict, none, timeline, {}, quiet); }), "codelet Silent"));
  }
};

TILESCOPE_TEST(ReportedEngineTest)
#include "reported_engine_test.moc"
