#include "tests/app/cli/cli_runner.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <fstream>
#include <set>
#include <sstream>

using tests::cli;
using tests::Ran;
using tests::verifyFails;

class CliTest : public QObject {
  Q_OBJECT
private slots:
  void helpAndVersion() {
    const Ran help = cli({"--help"});
    QCOMPARE(help.code, 0);
    for (const char* command : {"machines", "samples", "run", "summary", "query", "compare", "onnx-test"}) {
      QVERIFY2(help.out.find(command) != std::string::npos, command);
      const Ran own = cli({command, "--help"});
      QCOMPARE(own.code, 0);
      QVERIFY(own.out.find("--json") != std::string::npos);
      QCOMPARE(own.err, std::string());
    }
    QCOMPARE(cli({"help"}).out, help.out);
    QCOMPARE(cli({"help", "query"}).out, cli({"query", "--help"}).out);
    QVERIFY(cli({"run", "--help"}).out.find("--progress TEXT:{auto,json,none}=auto\n") != std::string::npos);
    const Ran version = cli({"--version"});
    QCOMPARE(version.code, 0);
    QVERIFY2(version.out.starts_with("tilescope-cli 0."), version.out.c_str());
  }
  void wrongArguments_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("part");
    QTest::newRow("unknown command") << QStringList{"summry"} << "summary was probably meant";
    QTest::newRow("no report") << QStringList{"summary"} << "REPORT";
    QTest::newRow("unknown option") << QStringList{"summary", "--nope", "x"} << "--nope";
    QTest::newRow("unknown format") << QStringList{"query", "x", "SELECT 1", "--format", "xml"} << "--format";
    QTest::newRow("one report to compare") << QStringList{"compare", "x"} << "OTHER";
    QTest::newRow("line breaks") << QStringList{"a\nb"} << "a b";
    QTest::newRow("whose help") << QStringList{"compare", "x"} << "see tilescope-cli compare --help";
    QTest::newRow("help of nothing") << QStringList{"help", "summry"} << "summary was probably meant";
    QTest::newRow("empty report") << QStringList{"summary", ""} << "REPORT: a name is missing";
    QTest::newRow("empty folder") << QStringList{"onnx-test", ""} << "DIR: a name is missing";
    QTest::newRow("empty graph") << QStringList{"run", ""} << "GRAPH: a name is missing";
    QTest::newRow("empty cases") << QStringList{"validate-model", "--cases", ""} << "--cases: a name is missing";
    for (const char* option : {"--report", "--outputs", "--save-model"})
      QTest::newRow(option) << QStringList{"run", "hello-tiles", option, ""} << "a name is missing";
    for (const char* option : {"--momentum", "--available-memory"})
      QTest::newRow(option) << QStringList{"run", "mlp", option, "nan"} << "'nan' is not a number from 0 to 1";
    QTest::newRow("endless query") << QStringList{"query", "x", "SELECT 1", "--time-limit", "nan"} << "--time-limit";
    QTest::newRow("less than no rows") << QStringList{"query", "x", "SELECT 1", "--limit", "-1"} << "--limit";
    QTest::newRow("two formats") << QStringList{"query", "x", "SELECT 1", "--json", "--format", "csv"}
                                 << "--format excludes --json";
    QTest::newRow("no budget") << QStringList{"compare", "x", "y", "--fail-if", "2%"} << "--fail-if 2%: this is not KEY>LIMIT";
    QTest::newRow("no limit") << QStringList{"summary", "x", "--fail-if", "seconds>"} << "'' is not a number";
    QTest::newRow("limit of nothing") << QStringList{"summary", "x", "--fail-if", "seconds>nan"} << "'nan' is not a number";
    QTest::newRow("share of nothing") << QStringList{"summary", "x", "--fail-if", "seconds>2%"} << "percentage";
    QTest::newRow("file in no folder") << QStringList{"run", "no-such-folder/m.onnx"}
                                       << "no-such-folder/m.onnx: the file does not exist";
    QTest::newRow("folder without a model") << QStringList{"run", "/"} << "/: this folder has no model.onnx";
    QTest::newRow("device") << QStringList{"run", "/dev/null"} << "/dev/null: is not a regular file";
    QTest::newRow("nothing to overlap with")
        << QStringList{"run", "mlp", "--no-numbers", "--overlap-io", "loops"} << "add --io-tiles N";
  }
  void wrongArguments() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, part);
    std::vector<std::string> list;
    for (const QString& a : arguments) list.push_back(a.toStdString());
    verifyFails(cli(list), part.toStdString());
  }
  void badFiles_data() {
    QTest::addColumn<QString>("file");
    for (const char* file : {"missing.tsr", "empty.tsr", "foreign.tsr", "cut.tsr", "folder"}) QTest::newRow(file) << file;
  }
  void badFiles() {
    QFETCH(QString, file);
    const auto path = (m_report.folder() / file.toStdString()).string();
    std::filesystem::create_directories(m_report.folder() / "folder");
    std::ofstream(m_report.folder() / "empty.tsr").close();
    std::ofstream(m_report.folder() / "foreign.tsr") << std::string(5000, 'x');
    std::filesystem::copy_file(m_report.path(), m_report.folder() / "cut.tsr", std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(m_report.folder() / "cut.tsr", std::filesystem::file_size(m_report.path()) / 2);
    verifyFails(cli({"summary", path}), file.toStdString());
    verifyFails(cli({"query", path, "SELECT 1"}), file.toStdString());
    verifyFails(cli({"compare", m_report.path().string(), path}), file.toStdString());
  }
  void machinesAndSamples() {
    const auto machines = nlohmann::json::parse(cli({"machines", "--json"}).out);
    std::set<std::string> names;
    for (const auto& m : machines) names.insert(m["name"].get<std::string>());
    for (const char* name : {"gc2", "gc200", "bow"}) QVERIFY2(names.contains(name), name);
    const auto samples = nlohmann::json::parse(cli({"samples", "--json"}).out);
    QVERIFY(std::any_of(samples.begin(), samples.end(), [](const auto& s) { return s["name"] == "mnist-train"; }));
    // The window makes lists and switches of them.
    const auto mnist = nlohmann::json::parse(cli({"samples", "mnist-train", "--json"}).out);
    std::string choices;
    for (const auto& p : mnist["parameters"])
      if (p["name"] == "training" || p["name"] == "optimiser" || p["name"] == "lr") choices += p["choices"].dump();
    QVERIFY2(choices.starts_with("[\"0\",\"1\"][\"sgd\",\"adam\"") && choices.ends_with("][]"), choices.c_str());
    QVERIFY(cli({"samples"}).out.find("--set batch=16") != std::string::npos);
    QVERIFY(cli({"machines"}).out.find("GC200") != std::string::npos);
  }
  void summaryHasTheKeysScriptsRelyOn() {
    const Ran ran = cli({"summary", m_report.path().string(), "--json"});
    QCOMPARE(ran.code, 0);
    const auto json = nlohmann::json::parse(ran.out);
    QVERIFY(json["machine"] == "tiny");
    QVERIFY(json["ipus"] == 2);
    QVERIFY(json["tiles_per_ipu"] == 8);
    int64_t parts = 0;
    for (const char* key : {"compute", "exchange", "sync", "host", "idle"}) parts += json["cycles"].at(key).get<int64_t>();
    QCOMPARE(parts, json["total_cycles"].get<int64_t>());
    QVERIFY(json["seconds"].get<double>() > 0);
    QVERIFY(json["flops"].get<int64_t>() > 0);
    const auto& memory = json["memory"];
    int64_t bytes = 0;
    for (const auto& [name, value] : memory.at("by_category").items()) bytes += value.get<int64_t>();
    QCOMPARE(bytes, memory.at("total_bytes").get<int64_t>());
    for (const char* key : {"max_tile_bytes", "max_tile", "overflow_tiles", "always_live_bytes", "peak_not_always_live_bytes"})
      QVERIFY2(memory.at(key).is_number_integer(), key);
  }
  void summaryText() {
    const Ran ran = cli({"summary", m_report.path().string()});
    QCOMPARE(ran.code, 0);
    for (const char* part : {"Fits: fullest tile", "Target:", "Memory Usage:", "Execution:", "notice: node conv0"})
      QVERIFY2(ran.out.find(part) != std::string::npos, part);
    const Ran plans = cli({"summary", m_report.path().string(), "--plans"});
    QVERIFY(plans.out.find("model/conv0") != std::string::npos && plans.out.find("AMP") != std::string::npos);
    QVERIFY(cli({"summary", m_report.path().string(), "--steps"}).out.find("Execution steps:") != std::string::npos);
  }
  void errorsAreShortWhateverTheyName() {
    const Ran ran = cli({"run", std::string(200'000, 'x')});
    QCOMPARE(ran.code, 2);
    QVERIFY2(ran.err.size() < 2200, std::to_string(ran.err.size()).c_str());
  }
  void queries() {
    const auto path = m_report.path().string();
    QCOMPARE(cli({"query", path, "SELECT ipus, tiles_per_ipu FROM machine"}).out,
             std::string("ipus  tiles_per_ipu\n----  -------------\n   2              8\n"));
    QCOMPARE(cli({"query", path, "SELECT name FROM track ORDER BY id LIMIT 1", "--format", "csv"}).out,
             std::string("name\r\nIPU 0\r\n"));
    QVERIFY(nlohmann::json::parse(cli({"query", path, "SELECT 1 AS x", "--json"}).out)[0]["x"] == 1);
    const Ran cut = cli({"query", path, "SELECT id FROM string", "--limit", "2"});
    QCOMPARE(cut.code, 0);
    QVERIFY(cut.err.find("only the first 2 rows") != std::string::npos);
    verifyFails(cli({"query", path, "DELETE FROM string"}), "not allowed");
    verifyFails(cli({"query", path, "SELEC"}), "syntax error");
  }
  void comparing() {
    const auto a = m_report.path().string(), b = m_other.path().string();
    const Ran same = cli({"compare", a, a});
    QCOMPARE(same.code, 0);
    QCOMPARE(same.out + same.err, std::string("No difference: both reports say the same.\n"));
    const Ran text = cli({"compare", a, b});
    QCOMPARE(text.code, 0);
    QVERIFY(text.out.find("Total cycles") != std::string::npos);
    const auto ab = nlohmann::json::parse(cli({"compare", a, b, "--json"}).out);
    const auto ba = nlohmann::json::parse(cli({"compare", b, a, "--json"}).out);
    QCOMPARE(ab["totals"]["total_cycles"]["difference"].get<int64_t>(),
             -ba["totals"]["total_cycles"]["difference"].get<int64_t>());
  }
  // A trace without a device has no device figures, not even zeros.
  void aTraceOfAHostHasNoFiguresOfADevice() {
    const tests::TemporaryFolder folder;
    std::ofstream(folder / "a.json")
        << R"([{"ph":"X","name":"work","pid":1,"tid":1,"ts":1,"dur":5},{"ph":"X","name":"rest","pid":1,"tid":2,"ts":2,"dur":1}])";
    const std::string report = (folder / "a.tsr").string();
    QCOMPARE(cli({"import", (folder / "a.json").string(), "-o", report}).code, 0);
    const Ran text = cli({"summary", report});
    QVERIFY2(text.out.find("2 threads, 2 slices") != std::string::npos && text.out.find("Tiles") == std::string::npos,
             text.out.c_str());
    const auto json = nlohmann::json::parse(cli({"summary", report, "--json"}).out);
    QCOMPARE(json["state"].get<std::string>(), std::string("host_trace"));
    QVERIFY(json["total_cycles"].is_null() && json["memory"].is_null() && json["graph"].is_null());
    QCOMPARE(cli({"summary", report, "--fail-if", "total_cycles>5"}).code, 2);
  }
  // --offset moves one file: an ambiguous file name is refused; with enough of the path it is accepted.
  void offsetsMoveOneFile() {
    const tests::TemporaryFolder folder;
    std::vector<std::string> files;
    for (const char* run : {"run1", "run2"}) {
      std::filesystem::create_directory(folder / run);
      files.push_back((folder / run / "x.json").string());
      std::ofstream(files.back())
          << R"([{"ph":"X","name":"work","pid":1,"tid":1,"ts":1,"dur":5},{"ph":"E","pid":1,"tid":1,"ts":9}])";
    }
    const std::string report = (folder / "a.tsr").string();
    const auto imported = [&](const std::string& offset) {
      return cli({"import", files[0], files[1], "-o", report, "--offset", offset});
    };
    verifyFails(imported("x.json=+3ms"), "x.json names several files: " + files[0] + ", " + files[1]);
    verifyFails(imported("y.json=+3ms"), "y.json");
    verifyFails(imported("=+3ms"), "not imported");
    for (const std::string& name : {std::string("run2/x.json"), files[1]}) {
      const Ran ran = imported(name + "=+3ms");
      QCOMPARE(ran.code, 0);
      QVERIFY2(ran.out.find("; 3.01 ms.") != std::string::npos, ran.out.c_str());
      // Two inputs with the same name are shown with their folders.
      for (const char* run : {"run1/x.json: Ends", "run2/x.json: Ends"})
        QVERIFY2(ran.out.find(run) != std::string::npos, ran.out.c_str());
      const Ran rows = cli({"query", report, "SELECT name FROM host_process ORDER BY id"});
      QVERIFY2(rows.out.find("(run1/x.json)") != std::string::npos && rows.out.find("(run2/x.json)") != std::string::npos,
               rows.out.c_str());
    }
    const std::string profile = TILESCOPE_SOURCE_DIR "/tests/reports/exchange/poplar/graph.json";
    verifyFails(cli({"import", profile, "-o", report, "--offset", "graph.json=+3ms"}), "cannot be moved");
    QCOMPARE(cli({"import", profile, "-o", report}).code, 0);
  }
  // A figure that a profile does not have is absent, not 0.
  void absentNumbersOfAProfileStayAbsent() {
    const tests::TemporaryFolder folder;
    const std::string report = (folder / "a.tsr").string();
    const auto imported = [&](const char* graph) {
      std::ofstream(folder / "graph.json") << R"({"target":{"numIPUs":1,"tilesPerIPU":4},"graph":)" << graph << "}";
      QCOMPARE(cli({"import", (folder / "graph.json").string(), "-o", report}).code, 0);
    };
    imported(R"({"numVertices":7})");
    QVERIFY(cli({"summary", report}).out.find("not in this file\n  Number of variables") != std::string::npos);
    const auto absent = nlohmann::json::parse(cli({"summary", report, "--json"}).out)["graph"];
    QVERIFY(absent["edges"].is_null() && absent["variables"].is_null());
    QCOMPARE(absent["vertices"].get<int>(), 7);
    imported(R"({"numVertices":7,"numEdges":20,"numVars":0})");
    const auto said = nlohmann::json::parse(cli({"summary", report, "--json"}).out)["graph"];
    QCOMPARE(said["edges"].get<int>(), 20);
    QCOMPARE(said["variables"].get<int>(), 0);
  }
  // Errors are found when the sweep is planned, not by each of its tasks.
  void aSweepKnowsItsGraphAndItsParameters() {
    const tests::TemporaryFolder folder;
    const auto plan = [&](const std::string& spec) {
      std::ofstream(folder / "spec.json") << spec;
      return cli({"sweep", "plan", (folder / "spec.json").string(), "-o", (folder / "sweep").string()});
    };
    verifyFails(plan(R"({"graph": "mnist-tran", "parameters": {"batch": [4]}})"), "mnist-tran");
    verifyFails(plan(R"({"graph": "mnist-train", "parameters": {"batch": [4], "bogus": [1]}})"), "bogus");
    verifyFails(plan(R"({"graph": "mnist-train", "parameters": {"batch": [4]}, "cases": [{"batch": 8, "size": 1}]})"), "size");
    verifyFails(plan(R"({"graph": "mnist-train", "arguments": ["--machin", "x"], "parameters": {"batch": [4]}})"), "--machin");
    verifyFails(plan(R"({"graph": "mlp", "parameters": {"batch": [4, "1.0"], "width": [64, 128]}})"),
                "'1.0' is not a whole number");
    verifyFails(plan(R"({"graph": "mlp", "parameters": {"optimiser": ["sgd", "foo"]}})"), "'foo'");
    verifyFails(plan(R"({"graph": "mlp", "parameters": {"--precision": ["fp32", "fp99"]}})"), "fp99");
    QVERIFY(!std::filesystem::exists(folder / "sweep" / "manifest.jsonl"));
    // Five heads divide a hidden size of 320 but not 128: only these runs fail, not the plan.
    QCOMPARE(
        plan(R"({"graph": "bert", "parameters": {"heads": [2, 5], "hidden": [128, 320], "layers": [1], "sequence": [16]}})").code,
        0);
    const Ran one = plan(R"({"graph": "mnist-train", "parameters": {"batch": [4]}})");
    QVERIFY2(one.code == 0 && one.out.starts_with("1 run: "), (one.out + one.err).c_str());
    const Ran job = cli({"sweep", "emit", (folder / "sweep" / "manifest.jsonl").string(), "--for", "k8s"});
    QVERIFY2(job.out.find("parallelism: 1\n") != std::string::npos, job.out.c_str());
    const Ran slurm = cli({"sweep", "emit", (folder / "sweep" / "manifest.jsonl").string(), "--for", "slurm"});
    QVERIFY2(slurm.out.find("/slurm.log'\n") != std::string::npos, slurm.out.c_str()); // where errors of tasks are read
  }
  void budgets() {
    const auto a = m_report.path().string(), b = m_other.path().string();
    const auto compared = [&](const std::string& base, const std::string& other, const std::string& budget) {
      return cli({"compare", base, other, "--fail-if", budget});
    };
    QCOMPARE(compared(a, a, "total_cycles>0").code, 0);
    QCOMPARE(compared(a, a, "total_cycles<-1%").code, 0);
    QCOMPARE(compared(a, b, "total_cycles>0").code, 1);
    QCOMPARE(compared(b, a, "total_cycles>0").code, 0); // it got less
    QCOMPARE(compared(b, a, "total_cycles < 0").code, 1);
    QCOMPARE(compared(a, b, "total_cycles>+1000000%").code, 0);
    const Ran over = compared(a, b, "total_cycles>+2%");
    QCOMPARE(over.code, 1);
    QVERIFY(!over.out.empty());
    QVERIFY2(over.err.starts_with("over budget: total_cycles>+2%: it is +") && over.err.ends_with(" %\n"), over.err.c_str());
    verifyFails(compared(a, b, "total_cycle>0"), "similar ones are total_cycles");
    verifyFails(compared(a, b, "cycles/sample>0"), "total_cycles.per_sample");
    const auto helpOf = [](const char* command) { return QString::fromStdString(cli({command, "--help"}).out).simplified(); };
    for (const char* key : {" total_cycles ", " memory.by_category.variable ", ".per_sample"})
      QVERIFY2(helpOf("compare").contains(key), key);
    QVERIFY(helpOf("summary").contains(" memory.by_category.variable"));
    // No percentage of 0 can be taken, so any growth exceeds the limit.
    const tests::TinyReport with, without;
    tests::tamper(without.path(), "UPDATE run SET idle_cycles = idle_cycles + sync_cycles, sync_cycles = 0");
    const Ran grown = compared(without.path().string(), with.path().string(), "cycles.sync>+5%");
    QVERIFY2(grown.code == 1 && grown.err.ends_with(" and was 0, so it has no percentage\n"), grown.err.c_str());
    // Twice the samples in the same time is half of it for each.
    verifyFails(compared(a, b, "total_cycles.per_sample>0"), "does not state its number of samples");
    tests::tamper(with.path(), "INSERT INTO metadata VALUES ('samples', '32'), ('batch_size', '32')");
    tests::tamper(without.path(), "INSERT INTO metadata VALUES ('samples', '16'), ('batch_size', '16')");
    const auto base = without.path().string(), twice = with.path().string();
    QCOMPARE(compared(base, twice, "total_cycles.per_sample>-49%").code, 0);
    QCOMPARE(compared(base, twice, "total_cycles.per_sample>-51%").code, 1);
    QCOMPARE(cli({"compare", a, b, "--fail-if", "total_cycles>1e15", "--fail-if", "memory.by_category.variable>0"}).code, 1);

    const auto json = nlohmann::json::parse(cli({"summary", a, "--json"}).out);
    const std::string bytes = std::to_string(json["memory"]["max_tile_bytes"].get<int64_t>());
    QCOMPARE(cli({"summary", a, "--fail-if", "memory.max_tile_bytes>" + bytes}).code, 0); // at the limit is within it
    QCOMPARE(cli({"summary", a, "--fail-if", "memory.max_tile_bytes<" + bytes}).code, 0);
    const Ran none = cli({"summary", a, "--fail-if", "memory.max_tile_bytes>0", "--json"});
    QCOMPARE(none.code, 1);
    QVERIFY(nlohmann::json::parse(none.out) == json);
    QCOMPARE(none.err, "over budget: memory.max_tile_bytes>0: it is " + bytes + "\n");
    QCOMPARE(cli({"summary", a, "--fail-if", "memory.by_category.globalMessage<0"}).code, 0);
  }
  void aBrokenOutputIsAnError() {
    std::ostringstream err;
    std::ostream broken(nullptr); // a stream without a buffer fails every write, as a full disk does
    QCOMPARE(app::cli::runCommandLine({"machines"}, broken, err, false, {}), 2);
    QVERIFY(err.str().find("cannot write the output") != std::string::npos);
  }
  void cancelling() {
    std::stop_source stop;
    stop.request_stop();
    const Ran ran = cli({"summary", m_report.path().string()}, stop.get_token());
    QCOMPARE(ran.code, 2);
    QCOMPARE(ran.err, std::string("tilescope-cli: cancelled\n"));
  }

private:
  tests::TinyReport m_report, m_other{tests::ReportShape{2, 8, 5, 0, 3}};
};

TILESCOPE_TEST(CliTest)
#include "cli_test.moc"
