// Exit codes for scripts: a budget passes only if its figure was read, a test passes only if something was tested.
#include "tests/app/cli/cli_runner.h"
#include "tests/simcore/model/model_files.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"

#include <fstream>

using tests::cli;
using tests::Ran;
using tests::verifyFails;
namespace fs = std::filesystem;

class ExitCodesTest : public QObject {
  Q_OBJECT

  tests::TinyReport m_report;
  tests::TemporaryFolder m_folder;

  // A copy of the report after `sql`.
  std::string changed(const std::string& sql) {
    const fs::path path = m_folder / "changed.tsr";
    fs::copy_file(m_report.path(), path, fs::copy_options::overwrite_existing);
    tests::tamper(path, sql);
    return path.string();
  }
  Ran budget(const std::string& report, const std::string& text) { return cli({"summary", report, "--fail-if", text}); }

  // Adds two inputs and stores them, and the sum, as a test case.
  fs::path addingCase(const char* name) {
    onnx::ModelProto model = tests::emptyModel(13);
    auto* graph = model.mutable_graph();
    for (const char* input : {"a", "b"}) tests::addValue(graph->add_input(), input, {2});
    tests::addValue(graph->add_output(), "sum", {2});
    tests::addNode(graph, "Add", {"a", "b"}, {"sum"});
    const fs::path folder = m_folder / name, set = folder / "test_data_set_0";
    fs::create_directories(set);
    std::ofstream(folder / "model.onnx", std::ios::binary) << model.SerializeAsString();
    writePair(set / "input_0.pb", 1);
    writePair(set / "input_1.pb", 2);
    writePair(set / "output_0.pb", 3);
    return folder;
  }
  static void writePair(const fs::path& file, float value) {
    onnx::TensorProto tensor;
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_dims(2);
    for (int i = 0; i < 2; ++i) tensor.add_float_data(value);
    std::ofstream(file, std::ios::binary) << tensor.SerializeAsString();
  }

private slots:
  // Figures of hosts, and of traces that hold no slices.
  void figuresOfTracesAreSaidToBeOfTraces() {
    const auto trace = [&](const char* name, int end) {
      const fs::path json = m_folder / (std::string(name) + ".json"), report = m_folder / (std::string(name) + ".tsr");
      std::ofstream(json) << "[{\"ph\":\"i\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":0},"
                          << "{\"ph\":\"C\",\"name\":\"c\",\"pid\":1,\"tid\":1,\"ts\":" << end << ",\"args\":{\"v\":1}},"
                          << "{\"ph\":\"i\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":" << end << "}]";
      if (cli({"import", json.string(), "-o", report.string()}).code != 0) throw std::runtime_error("not imported");
      return report.string();
    };
    const std::string a = trace("a", 1000), b = trace("b", 1500), simulated = m_report.path().string();
    const Ran compared = cli({"compare", a, b});
    QVERIFY2(compared.out.find("The host ran 50.0 % longer; neither holds slices") != std::string::npos, compared.out.c_str());
    QCOMPARE(cli({"compare", a, b, "--fail-if", "host.seconds>+20%"}).code, 1);
    verifyFails(cli({"compare", a, simulated, "--fail-if", "host.seconds>0"}),
                "only a comparison of two host traces has this figure");
    QCOMPARE(cli({"compare", simulated, simulated, "--fail-if", "cycles.hidden_host>0"}).code, 0);
  }
  void aBudgetOnAMissingFigureIsAnError() {
    const std::string noRun = changed("DELETE FROM run_link; DELETE FROM run");
    for (const char* key :
         {"total_cycles", "seconds", "flops", "flops_per_second", "peak_fraction", "cycles.compute", "tile_cycles.wasted"})
      verifyFails(budget(noRun, std::string(key) + ">1e15"), "the report holds no run");
    QCOMPARE(budget(noRun, "memory.max_tile_bytes>1e15").code, 0);
    const std::string noMemory = changed("DELETE FROM tile_series");
    for (const char* key :
         {"memory.total_bytes", "memory.max_tile_bytes", "memory.by_category.variable", "memory.overflow_tiles"})
      verifyFails(budget(noMemory, std::string(key) + ">1e15"), "the report holds no tile memory");
    QCOMPARE(budget(noMemory, "total_cycles>1e15").code, 0);
    const std::string noLiveness =
        changed("DELETE FROM liveness_curve; DELETE FROM tile_series WHERE name = 'memory.always_live'");
    verifyFails(budget(noLiveness, "memory.always_live_bytes>1e15"), "the report holds no liveness");
    const std::string noProfile = changed("DELETE FROM step_profile");
    verifyFails(budget(noProfile, "tile_cycles.imbalance>1"), "the report holds no profile of its compute steps");
  }

  void missingFiguresAreNoZerosInTheSummary() {
    const std::string noMemory = changed("DELETE FROM tile_series");
    const Ran text = cli({"summary", noMemory});
    QVERIFY2(text.out.find("the report holds no tile memory") != std::string::npos &&
                 text.out.find("Excluding Gaps") == std::string::npos,
             text.out.c_str());
    QVERIFY(cli({"summary", noMemory, "--json"}).out.find("\"memory\": null") != std::string::npos);
    const std::string noProfile = changed("DELETE FROM step_profile");
    QVERIFY(cli({"summary", noProfile}).out.find("are wasted") == std::string::npos);
    QVERIFY(cli({"summary", noProfile, "--json"}).out.find("\"tile_cycles\": null") != std::string::npos);
  }

  void aMissingFigureOfEitherReportIsAnError() {
    const std::string noRun = changed("DELETE FROM run_link; DELETE FROM run"), whole = m_report.path().string();
    verifyFails(cli({"compare", noRun, whole, "--fail-if", "total_cycles>+2%"}), "changed.tsr: the report holds no run");
    verifyFails(cli({"compare", whole, noRun, "--fail-if", "total_cycles>+2%"}), "changed.tsr: the report holds no run");
    QCOMPARE(cli({"compare", whole, noRun, "--fail-if", "memory.max_tile_bytes>0"}).code, 0);
    const std::string noMemory = changed("DELETE FROM tile_series");
    verifyFails(cli({"compare", noMemory, noMemory, "--fail-if", "memory.by_category.variable>0"}),
                "the report holds no tile memory");
  }

  void limitsHaveBlanksAndUnits() {
    const std::string report = m_report.path().string();
    const double bytes = [&] {
      const Ran ran = cli({"summary", report, "--fail-if", "memory.total_bytes>0"});
      return std::stod(ran.err.substr(ran.err.rfind(": it is ") + 8));
    }();
    const auto codeOf = [&](const std::string& words) { return budget(report, words).code; };
    const std::string above = std::to_string(bytes / 1024 + 0.01), below = std::to_string(bytes / 1024 - 0.01);
    QCOMPARE(codeOf("memory.total_bytes > " + above + " KiB"), 0);
    QCOMPARE(codeOf("memory.total_bytes < " + below + "KiB"), 0);
    QCOMPARE(codeOf("memory.total_bytes>" + above + "kB"), 1);
    QCOMPARE(codeOf("memory.by_category.variable < 1 GiB"), 1);
    QCOMPARE(codeOf("total_cycles > 1000 G"), 0);
    QCOMPARE(codeOf("total_cycles > 0.001 k"), 1);
    QCOMPARE(codeOf("total_cycles > 1 KiB"), 2); // KiB is not a unit of cycles
    QCOMPARE(codeOf("total_cycles > 1 parsec"), 2);
    // A name must be complete, or be the last part of exactly one name.
    QCOMPARE(cli({"compare", report, report, "--fail-if", "op(\"model/conv0\").cycles>0"}).code, 0);
    QCOMPARE(cli({"compare", report, report, "--fail-if", "op(\"conv0\").cycles>0"}).code, 0);
    QCOMPARE(cli({"compare", report, report, "--fail-if", "op(\"onv0\").cycles>0"}).code, 2);
    QCOMPARE(cli({"compare", report, report, "--fail-if", "total_cycles > + 2 %"}).code, 2);
    QCOMPARE(cli({"compare", report, report, "--fail-if", "total_cycles > +2 %"}).code, 0);
  }

  void aBudgetOfAProgramThatDoesNotFitFails() {
    for (const char* sql : {"UPDATE metadata SET value = 'out_of_memory' WHERE key = 'state'"}) {
      const std::string report = changed(sql), whole = m_report.path().string();
      for (const Ran& ran :
           {budget(report, "total_cycles>1e15"), cli({"compare", whole, report, "--fail-if", "total_cycles>1e15"}),
            cli({"compare", report, whole, "--fail-if", "total_cycles>1e15"})}) {
        QCOMPARE(ran.code, 1);
        QVERIFY2(ran.err.starts_with("does not fit: ") && ran.err.find("changed.tsr") != std::string::npos, ran.err.c_str());
      }
      QCOMPARE(cli({"summary", report}).code, 0); // no question was asked
    }
  }

  void aBudgetOnAnImpossibleFigureIsAnError() {
    for (const char* sql :
         {"UPDATE run SET cycles = -cycles", "UPDATE run SET cycles = 9223372036854775807",
          "UPDATE run SET compute_cycles = cycles + 1", "UPDATE tile_series SET sum = 5 WHERE name = 'memory.total'",
          "UPDATE compute_set SET vertices = -5", "UPDATE compute_set SET vertices = 9223372036854775807"})
      QCOMPARE(budget(changed(sql), "total_cycles>1e18").code, 2);
  }

  void aTestWithoutStoredValuesIsAnError() {
    const fs::path folder = addingCase("none");
    fs::remove_all(folder / "test_data_set_0");
    verifyFails(cli({"onnx-test", folder.string()}), "nothing is tested");
  }

  void aMissingOrExtraFileOfATestIsNamed() {
    const fs::path folder = addingCase("files"), set = folder / "test_data_set_0";
    const auto reason = [&] { return cli({"onnx-test", folder.string()}); };
    QCOMPARE(reason().code, 0);
    fs::rename(set / "input_0.pb", set / "kept");
    const Ran gap = reason();
    QCOMPARE(gap.code, 1);
    QVERIFY2(gap.out.find("input_0.pb: no such file, though input_1.pb is there") != std::string::npos, gap.out.c_str());
    verifyFails(cli({"run", folder.string(), "-o", (m_folder / "r.tsr").string()}), "input_0.pb: no such file");
    fs::rename(set / "kept", set / "input_0.pb");
    fs::rename(set / "input_1.pb", set / "kept");
    const Ran missing = reason();
    QCOMPARE(missing.code, 1);
    QVERIFY2(missing.out.find("input_1.pb: the input 'b' has no file here") != std::string::npos, missing.out.c_str());
    verifyFails(cli({"run", folder.string(), "-o", (m_folder / "r.tsr").string()}), "the input 'b' has no file here");
    fs::rename(set / "kept", set / "input_1.pb");
    writePair(set / "output_1.pb", 1);
    const Ran extra = reason();
    QCOMPARE(extra.code, 1);
    QVERIFY2(extra.out.find("output_1.pb: the model has no output of this number, only 1 output") != std::string::npos,
             extra.out.c_str());
  }

  void validatingNothingIsAnError() {
    const fs::path file = m_folder / "cases.json";
    std::ofstream(file) << R"({"cases": []})";
    verifyFails(cli({"validate-model", "--cases", file.string()}), "the file holds no case");
  }
};

TILESCOPE_TEST(ExitCodesTest)
#include "exit_codes_test.moc"
