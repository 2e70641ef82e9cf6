// Profiles in the documented layout, made by hand: two IPUs of four tiles, six steps. Every number in the report is in the files.
#include "reports/core/amounts.h"
#include "reports/core/packed.h"
#include "reports/sqlite/writer.h"
#include "tests/reports/exchange/imported.h"
#include "tests/support/file_bytes.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace reports;
using namespace reports::exchange;

namespace {

const std::filesystem::path kProfiles = TILESCOPE_SOURCE_DIR "/tests/reports/exchange/poplar";

tests::Imported importProfiles(std::initializer_list<const char*> names) {
  ImportRequest request;
  for (const char* name : names) request.files.push_back(kProfiles / name);
  return tests::importFiles(request);
}

std::vector<int64_t> seriesOf(const tests::Imported& report, const std::string& name) {
  for (const auto& row : report.rows.rows<TileSeriesRow>())
    if (row.name == name) return unpackRuns(row.byTile, std::size_t(row.tiles), name);
  return {};
}

} // namespace

class PoplarProfileTest : public QObject {
  Q_OBJECT
private slots:
  void graphAndExecution() {
    const tests::Imported report = importProfiles({"execution.json", "graph.json"});
    QCOMPARE(report.result.files[0].format, TraceFormat::Poplar);
    const MachineRow machine = report.rows.rows<MachineRow>().at(0);
    QCOMPARE(machine.ipus, int64_t(2));
    QCOMPARE(machine.tilesPerIpu, int64_t(4));
    QCOMPARE(machine.memoryPerTileBytes, int64_t(638'976));
    QCOMPARE(machine.clockHz, int64_t(1'330'000'000));
    QVERIFY((seriesOf(report, "memory.total") == std::vector<int64_t>{1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700}));
    QCOMPARE(seriesOf(report, "memory.total_with_gaps").back(), int64_t(1900));
    QCOMPARE(seriesOf(report, "memory.category.vertexCode").at(3), int64_t(400));
    QCOMPARE(seriesOf(report, "memory.always_live").at(0), int64_t(700));
    QCOMPARE(seriesOf(report, "memory.peak_not_always_live").at(7), int64_t(300));
    QCOMPARE(seriesOf(report, "memory.overflow").at(7), int64_t(0));
    // The program: a control program with a sequence of six leaves, and a function.
    const auto& steps = report.rows.rows<ProgramStepRow>();
    QCOMPARE(steps.size(), std::size_t(10));
    QCOMPARE(steps[0].kind, std::string("ControlProgram"));
    QCOMPARE(report.rows.text(steps[4].nameId), std::string("conv/Convolve"));
    QCOMPARE(steps[4].computeSetId.value_or(-1), int64_t(0));
    QCOMPARE(steps[4].livenessStep.value_or(-1), int64_t(2));
    QCOMPARE(steps[2].exchangeId.value_or(-1), int64_t(2)); // exchanges are numbered: internal, global, host
    QCOMPARE(steps[8].kind, std::string("Function"));
    const auto& sets = report.rows.rows<ComputeSetRow>();
    QCOMPARE(sets.at(0).vertices, int64_t(12));
    QCOMPARE(sets.at(0).maxCycles, int64_t(500));
    QCOMPARE(report.rows.rows<VertexTypeRow>().at(0).codeBytes, int64_t(320));
    QCOMPARE(report.rows.rows<ExchangeRow>().at(1).totalBytes, int64_t(8 * 128));
    // Liveness.
    const LivenessCurveRow curve = report.rows.rows<LivenessCurveRow>().at(0);
    QVERIFY((unpackDeltas(curve.notAlwaysLiveBytes, 6, "") == std::vector<int64_t>{800, 1600, 2400, 800, 800, 400}));
    QCOMPARE(curve.peakStep, int64_t(2));
    QCOMPARE(curve.alwaysLiveBytes, int64_t(8 * 700));
    const auto& variables = report.rows.rows<VariableRow>();
    QCOMPARE(variables.size(), std::size_t(3));
    QCOMPARE(report.rows.text(variables[2].nameId), std::string("out"));
    QVERIFY((unpackDeltas(variables[2].liveIntervals, 2, "") == std::vector<int64_t>{1, 5}));
    // Execution: the run and six steps on the first IPU, five on the second, which did not take part in the last.
    const RunRow run = report.rows.rows<RunRow>().at(0);
    QCOMPARE(run.cycles, int64_t(2000));
    QCOMPARE(run.computeCycles, int64_t(700));
    QCOMPARE(run.exchangeCycles, int64_t(340));
    QCOMPARE(run.syncCycles, int64_t(60));
    QCOMPARE(run.hostCycles, int64_t(900));
    const auto& tracks = report.rows.rows<TrackRow>();
    QCOMPARE(tracks.at(0).slices, int64_t(7));
    QCOMPARE(tracks.at(1).slices, int64_t(6));
    QCOMPARE(tracks.at(1).endTick, int64_t(2000));
    const auto& profiles = report.rows.rows<StepProfileRow>();
    QCOMPARE(profiles.size(), std::size_t(11));
    QCOMPARE(seriesOf(report, "cycles.compute").at(0), int64_t(700));
    QCOMPARE(seriesOf(report, "cycles.compute").at(7), int64_t(430));
  }

  // Addresses of lowered variables, alone and with the graph.
  void loweredVariables() {
    const tests::Imported report = importProfiles({"vars.json"});
    QCOMPARE(report.rows.rows<TileVariablesRow>().size(), std::size_t(8));
    QCOMPARE(seriesOf(report, "memory.total").at(5), int64_t(500)); // 300, and 200 that two share
    QCOMPARE(seriesOf(report, "memory.total_with_gaps").at(5), int64_t(504));
    QCOMPARE(report.rows.rows<VariableRow>().at(0).totalBytes, int64_t(2400));
    const tests::Imported both = importProfiles({"graph.json", "vars.json"});
    QCOMPARE(seriesOf(both, "memory.total").at(0), int64_t(1000)); // the graph profile's own total
    QCOMPARE(both.rows.rows<VariableRow>().at(0).tiles, int64_t(8));
    QCOMPARE(both.rows.rows<MachineRow>().at(0).interleavedStartBytes, int64_t(319'488));
    QVERIFY(both.rows.rows<RunRow>().empty()); // nothing ran: no zeros
  }

  // With a trace of the host, the device keeps the first tracks.
  void besideAHostTrace() {
    const tests::TemporaryFolder folder;
    std::ofstream(folder / "host.json") << R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1}])";
    ImportRequest request;
    request.files = {kProfiles / "graph.json", kProfiles / "execution.json", folder / "host.json"};
    Writer writer(folder / "out.tsr");
    NoProgress progress;
    QCOMPARE(importTraces(request, writer, progress, {}).total.slices, int64_t(1));
    writer.commit(); // ids do not collide
    const tests::Imported again = tests::importFiles(request);
    QCOMPARE(again.rows.rows<HostThreadRow>().at(0).trackId, int64_t(2));
  }

  void mistakesAreNamed() {
    const auto messageOf = [](std::initializer_list<const char*> names) {
      try {
        importProfiles(names);
      } catch (const Error& error) {
        return error.message();
      }
      return std::string();
    };
    QCOMPARE(messageOf({"execution.json"}), std::string("the execution profile needs its graph profile, which was not given"));
    QCOMPARE(messageOf({"graph.json", "graph.json"}), std::string("there are two graph profiles"));
    const auto textMessage = [](const char* text) {
      try {
        tests::importText(text, "x.json", TraceFormat::Poplar);
      } catch (const Error& error) {
        return error.message();
      }
      return std::string();
    };
    QCOMPARE(textMessage("{\"a\":1}"), std::string("the file holds no graph profile, execution profile or lowered variables"));
    QCOMPARE(textMessage("{\"target\":{}}"), std::string("the profile does not say how many tiles there are"));
    QVERIFY(!textMessage("{\"target\":{").empty());
  }

  // Programs that refer to themselves, numbers out of range and arrays of wrong length are counted and do not crash the import.
  void oddProfiles() {
    const tests::Imported report = tests::importText(
        R"({"target":{"tilesPerIPU":2,"numIPUs":1},"controlPrograms":[0,5,-1],"programs":[{"type":"Sequence","children":[0,1,1,"x",9]},)"
        R"({"type":7,"computeSet":99,"exchange":-3}],"computeSets":{"names":["a"],"vertexCounts":3,"vertexTypes":[[1e300]]},)"
        R"("memory":{"byTile":{"total":[1e300,-5],"totalIncludingGaps":[1]},"liveness":{"notAlwaysLive":{"byProgram":{"bytes":-1}}}}})",
        "odd.json", TraceFormat::Poplar);
    QCOMPARE(report.rows.rows<ProgramStepRow>().size(), std::size_t(5));
    QVERIFY((seriesOf(report, "memory.total") == std::vector<int64_t>{int64_t(1) << 40, 0}));
    bool counted = false;
    for (const auto& issue : report.rows.rows<ReportIssueRow>()) counted |= issue.place == "programs" && issue.count == 6;
    QVERIFY(counted);
  }

  // The numbers of edges and variables come from the file; without them in the file they are absent, not 0.
  void absentNumbersStayAbsent() {
    const auto factsOf = [](const tests::Imported& report) {
      std::map<std::string, std::string> facts;
      for (const auto& row : report.rows.rows<MetadataRow>())
        if (row.key.starts_with("graph.")) facts[row.key] = row.value;
      return facts;
    };
    using Facts = std::map<std::string, std::string>;
    QCOMPARE(factsOf(importProfiles({"graph.json"})),
             (Facts{{"graph.compute_sets", "2"}, {"graph.edges", "60"}, {"graph.variables", "5"}, {"graph.vertices", "24"}}));
    std::string text = tests::bytesOf(kProfiles / "graph.json");
    const std::string said = "\"numEdges\":60,\"numVars\":5,";
    text.erase(text.find(said), said.size());
    QCOMPARE(factsOf(tests::importText(text, "graph.json")), (Facts{{"graph.compute_sets", "2"}, {"graph.vertices", "24"}}));
  }
  // Steps that name programs of a graph profile without programs are counted.
  void stepsWithoutProgramsAreCounted() {
    const tests::TemporaryFolder folder;
    std::ofstream(folder / "graph.json") << "{\"target\":{\"numIPUs\":2,\"tilesPerIPU\":4}}";
    ImportRequest request;
    request.files = {folder / "graph.json", kProfiles / "execution.json"};
    const tests::Imported report = tests::importFiles(request);
    int64_t steps = 0;
    for (const auto& issue : report.rows.rows<ReportIssueRow>())
      if (issue.place == "simulation") steps += issue.count;
    QCOMPARE(steps, int64_t(6));
  }
};

TILESCOPE_TEST(PoplarProfileTest)
#include "poplar_profile_test.moc"
