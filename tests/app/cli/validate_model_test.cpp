#include "analyser/summary/summary.h"
#include "simcore/validation/validation_case.h"
#include "tests/app/cli/cli_runner.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <regex>

using tests::cli;
using tests::Ran;
using tests::verifyFails;

namespace {

constexpr const char* kCases = R"({"cases": [
  {"id": "S1", "workload": "scaled-add", "set": {"n": 64, "type": "float"}, "machine": "gc200", "ipus": 1, "metric": "vertex_cycles_raw", "value": 375, "tolerance": 0.1, "kind": "hardware", "source": "a test"},
  {"id": "P1", "workload": "matvec", "set": {"rows": "10000", "cols": "1000"}, "machine": "gc200", "ipus": 1, "metric": "planner_cost", "value": 3996, "tolerance": "exact", "kind": "planner", "source": "a test"},
  {"id": "R1", "workload": "elementwise", "set": {"tiles": "4"}, "machine": "bow", "ipus": 1, "metric": "cycles", "value": 1, "tolerance": "report", "kind": "model", "source": "a test"},
  {"id": "U1", "workload": "no-such-sample", "set": {}, "machine": "bow", "ipus": 1, "metric": "cycles", "value": 1, "tolerance": 0.05, "kind": "model", "source": "a test"}
]})";

std::string write(const tests::TemporaryFolder& folder, const std::string& text) {
  const std::string file = (folder / "cases.json").string();
  std::ofstream(file) << text;
  return file;
}

std::vector<std::string> linesOf(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

} // namespace

class ValidateModelTest : public QObject {
  Q_OBJECT
private slots:
  // Case A16: the summary of a report and validate-model count worker cycles in the same way as the published profile.
  void theSummaryHasThePublishedCycles() {
    const tests::TemporaryFolder folder;
    const std::string report = (folder / "halo.tsr").string();
    std::vector<std::string> arguments{"run", "halo-exchange", "--machine", "gc2", "--no-numbers", "-o", report};
    for (const char* setting : {"approach=implicit", "grid=608x2", "block=100", "iterations=10", "vertex_cycles=100"})
      arguments.insert(arguments.end(), {"--set", setting});
    QCOMPARE(cli(arguments).code, 0);
    const auto session = analyser::Session::open(report);
    const auto averages = analyser::summary::summarise(*session).tileAverages;
    QCOMPARE(averages.computeWithIdleThreads.value(), int64_t(12'000));
    QCOMPARE(averages.computeWithoutIdleThreads.value(), int64_t(2'000));
  }
  void theTableHasALineACaseAndATotal() {
    const tests::TemporaryFolder folder;
    const Ran ran = cli({"validate-model", "--cases", write(folder, kCases)});
    QCOMPARE(ran.code, 1); // one of them is outside
    const auto lines = linesOf(ran.out);
    QCOMPARE(lines.size(), std::size_t(7)); // head, four cases, why one cannot run, total
    QVERIFY(std::regex_match(lines[0], std::regex(R"(ID +WORKLOAD +PUBLISHED +SIMULATED +ERROR +TOLERANCE +VERDICT)")));
    QVERIFY2(std::regex_match(
                 lines[1],
                 std::regex(R"(S1 +scaled-add n=64 type=float on gc200: vertex_cycles_raw +375 +379 +\+1\.1 % +10 % +pass)")),
             lines[1].c_str());
    QVERIFY2(
        std::regex_match(
            lines[2], std::regex(R"(P1 +matvec cols=1000 rows=10000 on gc200: planner_cost +3996 +3996 +\+0\.0 % +exact +pass)")),
        lines[2].c_str());
    QVERIFY2(std::regex_match(lines[3], std::regex(R"(R1 .* report +report)")), lines[3].c_str());
    QVERIFY2(std::regex_match(lines[4], std::regex(R"(U1 .* 1 +- +- +5 % +unsupported)")), lines[4].c_str());
    QVERIFY(lines[5].find("no sample is called 'no-such-sample'") != std::string::npos);
    QCOMPARE(lines[6], std::string("2 within tolerance, 1 outside, median error 0.5 %"));
  }

  void jsonHoldsTheCasesAndWhatCameOut() {
    const tests::TemporaryFolder folder;
    const Ran ran = cli({"validate-model", "--json", "--cases", write(folder, kCases)});
    QCOMPARE(ran.code, 1);
    const auto json = nlohmann::json::parse(ran.out);
    QCOMPARE(json.size(), std::size_t(1));
    const auto& cases = json.at("cases");
    QCOMPARE(cases.size(), std::size_t(4));
    for (const char* member : {"id", "workload", "set", "machine", "ipus", "metric", "value", "tolerance", "kind", "source",
                               "simulated", "error", "verdict"})
      for (const auto& c : cases) QVERIFY2(c.contains(member), member);
    QCOMPARE(cases[0].at("simulated").get<double>(), 379.0);
    QCOMPARE(cases[0].at("verdict").get<std::string>(), std::string("pass"));
    QVERIFY(std::abs(cases[0].at("error").get<double>() - 4.0 / 375) < 1e-12);
    QCOMPARE(cases[2].at("verdict").get<std::string>(), std::string("report"));
    QVERIFY(cases[3].at("simulated").is_null() && cases[3].at("error").is_null());
    QCOMPARE(cases[3].at("verdict").get<std::string>(), std::string("unsupported"));
  }

  // One case by itself, without a machine, its parameters as JSON writers without integers give them.
  void aCaseByItself() {
    const tests::TemporaryFolder folder;
    const Ran ran = cli({"validate-model", "--cases",
                         write(folder, R"({"id": "S", "workload": "scaled-add", "set": {"n": 64.0, "type": "float"}, "metric":
                                          "vertex_cycles_raw", "value": 375, "tolerance": 0.1})")});
    QVERIFY2(ran.code == 0, (ran.out + ran.err).c_str());
    QVERIFY2(ran.out.find("scaled-add n=64 type=float on gc200") != std::string::npos, ran.out.c_str());
  }

  void theShippedCasesEndWithTheTotal() {
    const Ran ran = cli({"validate-model"});
    QCOMPARE(ran.code, 0); // whatever their total says; --help tells
    const auto lines = linesOf(ran.out);
    QVERIFY2(std::regex_match(lines.back(), std::regex(R"(\d+ within tolerance, \d+ outside, median error \d+\.\d %)")),
             lines.back().c_str());
  }

  // Whole models: options of `run`, a throughput, and whether the chip held it. One that says `fits` alone has no number.
  void aWholeModelIsJudgedByTimeAndMemory() {
    const tests::TemporaryFolder folder;
    const std::string file = write(folder, R"([
      {"id": "T", "title": "tiny", "family": "small nets", "workload": "mlp", "machine": "gc200", "options": "--precision fp16",
       "metric": "samples_per_second", "value": 1, "tolerance": 0.1, "fits": true},
      {"id": "L", "workload": "bert", "set": {"preset": "large"}, "machine": "gc200", "options": "--precision fp16", "fits": false},
      {"id": "O", "workload": "mlp", "options": "--no-such-option 1", "fits": true}])");
    const Ran table = cli({"validate-model", "--cases", file});
    QCOMPARE(table.code, 1);
    const auto lines = linesOf(table.out);
    QVERIFY2(std::regex_search(lines.at(1), std::regex(R"(^T +tiny: samples_per_second +1 .* fail +\d+ % +fits +fits +pass$)")),
             lines.at(1).c_str());
    QVERIFY2(std::regex_search(lines.at(2), std::regex(R"(report +\d{3,} % +too large +too large +pass$)")), lines.at(2).c_str());
    QVERIFY2(table.out.find("--no-such-option") != std::string::npos, table.out.c_str());
    QVERIFY2(table.out.find("memory: 2 of 3 verdicts as on the chip") != std::string::npos, table.out.c_str());
    QVERIFY2(table.out.find("small nets: 1 case, simulated / published") != std::string::npos, table.out.c_str());
    const auto one = cli({"validate-model", "--cases", file, "--only", "L", "--json"});
    QCOMPARE(one.code, 0);
    const auto cases = nlohmann::json::parse(one.out).at("cases");
    QCOMPARE(cases.size(), std::size_t(1));
    QCOMPARE(cases[0].at("simulated_fits").get<bool>(), false);
    QVERIFY(cases[0].at("fullest_tile").get<double>() > 1);
    QCOMPARE(cases[0].at("memory_verdict").get<std::string>(), std::string("pass"));
    QVERIFY(cases[0].at("simulated").is_null());
    verifyFails(cli({"validate-model", "--cases", file, "--only", "X"}), "no case is called 'X'");
  }

  // A case may have engine options: with a host call in every run the throughput is lower.
  void aCaseMayHaveEngineOptions() {
    const tests::TemporaryFolder folder;
    const std::string file = write(folder, R"([
      {"id": "D", "workload": "mlp", "machine": "gc200", "options": "--precision fp16", "metric": "run_seconds", "value": 1,
       "tolerance": "report", "fits": true},
      {"id": "H", "workload": "mlp", "machine": "gc200", "metric": "run_seconds", "value": 1, "tolerance": "report", "fits": true,
       "options": "--precision fp16 --engine-option tilescope.hostCalls=true"},
      {"id": "W", "workload": "mlp", "options": "--precision fp16 --engine-option tilescope.hostCalls=perhaps", "fits": true}])");
    const Ran ran = cli({"validate-model", "--cases", file, "--json"});
    QCOMPARE(ran.code, 1);
    const auto cases = nlohmann::json::parse(ran.out).at("cases");
    const double device = cases[0].at("simulated"), called = cases[1].at("simulated");
    QVERIFY2(std::abs(called - device - 1.87e-3) < 1e-6, ran.out.c_str());
    QVERIFY2(cases[2].at("problem").get<std::string>().find("neither true nor false") != std::string::npos, ran.out.c_str());
  }

  // The shipped models are read without a fault; running all of them takes minutes.
  void theShippedModelsAreWhole() {
    const Ran ran = cli({"validate-model", "--models", "--only", "M12"});
    QCOMPARE(ran.code, 0);
    QVERIFY2(ran.out.find("M12") != std::string::npos && ran.out.find("unsupported") == std::string::npos, ran.out.c_str());
    for (const auto& c : simcore::validation::builtInModels()) {
      QVERIFY2(c.fault.empty() && c.remark.empty(), (c.id + ": " + c.fault + c.remark).c_str());
      QVERIFY2(c.fits && !c.source.empty() && !c.title.empty() && !c.options.empty(), c.id.c_str());
      QVERIFY2(c.options.find("--engine-option") == std::string::npos, c.id.c_str()); // one model of the machine for all
    }
  }

  void verticesOfSamplesHaveBothNumbers() {
    const tests::TemporaryFolder folder;
    qputenv("XDG_CACHE_HOME", folder.path().c_str());
    const Ran table = cli({"validate-model", "--codelets", "--only", "custom-vertex"});
    if (table.code == 77) QSKIP("clang is not installed: codelets cannot be compiled");
    QCOMPARE(table.code, 0);
    QVERIFY2(std::regex_search(table.out,
                               std::regex("custom-vertex +SumSuffix<float> +in\\[64\\], out\\[1\\] +840 +\\d+ +\\d\\.\\d\\d\n")),
             table.out.c_str());
    QVERIFY(table.out.find("PUBLISHED") == std::string::npos); // no measured codelet was asked for
    const auto tables = nlohmann::json::parse(cli({"validate-model", "--codelets", "--only", "custom-vertex,C6", "--json"}).out);
    QCOMPARE(tables.at("codelets").size(), std::size_t(1));
    const auto sample = tables.at("samples").at(0);
    QCOMPARE(sample.at("formula_cycles").get<int>(), 840);
    QCOMPARE(sample.at("ratio").get<double>(), sample.at("counted_cycles").get<double>() / 840);
    verifyFails(cli({"validate-model", "--codelets", "--only", "stencil"}), "no codelet or sample with a codelet");
    qunsetenv("XDG_CACHE_HOME");
  }

  void aBadFileIsOneClearError() {
    const tests::TemporaryFolder folder;
    verifyFails(cli({"validate-model", "--cases", (folder / "absent.json").string()}), "absent.json");
    verifyFails(cli({"validate-model", "--cases", write(folder, "{")}), "cases.json");
    verifyFails(cli({"validate-model", "--cases", write(folder, R"({"cases": 3})")}), "not a list");
  }

  void aBadCaseIsALineOfTheTable() {
    const tests::TemporaryFolder folder;
    const std::string file = write(
        folder, R"([{"id": "A"}, 7, {"id": "B", "workload": "elementwise", "metric": "cycles", "value": 0, "tolerance": 1}])");
    const Ran table = cli({"validate-model", "--cases", file});
    QCOMPARE(table.code, 1);
    QVERIFY2(table.out.find("entry 1, case A: 'workload' is missing") != std::string::npos, table.out.c_str());
    QVERIFY2(table.out.find("0 within tolerance, 3 outside") != std::string::npos, table.out.c_str());
    const auto cases = nlohmann::json::parse(cli({"validate-model", "--json", "--cases", file}).out).at("cases");
    QCOMPARE(cases[1].at("id").get<std::string>(), std::string("entry 2"));
    QVERIFY(cases[2].at("simulated").get<double>() > 0 && cases[2].at("error").is_null()); // no relative error if the value is 0
  }
};

TILESCOPE_TEST(ValidateModelTest)
#include "validate_model_test.moc"
