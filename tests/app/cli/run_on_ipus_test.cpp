// `run` on several IPUs: sharded, as a pipeline, with replicas.
#include "analyser/insights/insights.h"
#include "analyser/trace/execution_trace.h"
#include "tests/app/cli/cli_runner.h"
#include "tests/simcore/model/model_files.h"
#include "tests/support/file_bytes.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

using tests::bytesOf;
using tests::cli;
using tests::Ran;
using tests::verifyFails;
namespace fs = std::filesystem;

namespace {

// Eight activations in a row.
std::string writeModel(const tests::TemporaryFolder& folder) {
  onnx::ModelProto model = tests::emptyModel(13);
  auto* graph = model.mutable_graph();
  tests::addValue(graph->add_input(), "x", {32, 64});
  tests::addValue(graph->add_output(), "h8", {32, 64});
  for (int i = 0; i < 8; ++i)
    tests::addNode(graph, i % 2 ? "Tanh" : "Sigmoid", {i ? "h" + std::to_string(i) : "x"}, {"h" + std::to_string(i + 1)});
  const std::string file = (folder / "chain.onnx").string();
  std::ofstream(file, std::ios::binary) << model.SerializeAsString();
  return file;
}

nlohmann::json query(const std::string& report, const std::string& sql) {
  return nlohmann::json::parse(cli({"query", report, sql, "--json"}).out);
}

} // namespace

class RunOnIpusTest : public QObject {
  Q_OBJECT
private slots:
  // One program over two IPUs: each step belongs to both IPUs, so every step is inside its operation.
  void theHaloBetweenIpusIsTheCause() {
    const tests::TemporaryFolder folder;
    const std::string one = (folder / "one.tsr").string(), two = (folder / "two.tsr").string();
    QCOMPARE(cli({"run", "heat", "--no-numbers", "-o", one}).code, 0);
    QCOMPARE(cli({"run", "heat", "--set", "ipus=2", "--ipus", "2", "--no-numbers", "-o", two}).code, 0);
    const auto findings = nlohmann::json::parse(cli({"compare", one, two, "--json"}).out)["findings"];
    QCOMPARE(findings[0]["key"].get<std::string>(), std::string("heat"));
    const auto text = findings[0]["text"].get<std::string>();
    QVERIFY2(text.find("exchange between IPUs +") != std::string::npos, text.c_str());
    for (const auto& finding : findings) QVERIFY(finding["key"] != "cycles.outside_operations");
  }
  // The advice for a pipeline with one slow stage has a trial, and the run saves what the trial foresees, within a tenth.
  void aBalancedPipelineSavesWhatIsForeseen() {
    const tests::TemporaryFolder folder;
    const auto cyclesOf = [&](const std::string& cut) {
      const std::string report = (folder / "cut.tsr").string();
      const Ran ran = cli({"run", "bert-pipeline", "--no-numbers", "--shard", cut, "-o", report});
      if (ran.code != 0) qWarning("%s", ran.err.c_str());
      return query(report, "SELECT sum(cycles) AS cycles FROM run")[0]["cycles"].get<int64_t>();
    };
    const int64_t before = cyclesOf("layers:1,4,2,1");
    const auto session = analyser::Session::open((folder / "cut.tsr").string());
    std::string cut;
    int64_t foreseen = 0;
    for (const auto& finding : analyser::insights::insights(*session).list) {
      for (const auto& trial : finding.trials)
        if (trial.options.front() == "--shard") cut = trial.options.back();
      for (const auto& part : finding.parts)
        if (part.name == "Balanced stages would save") foreseen = std::get<analyser::Cycles>(part.amount).value();
    }
    QCOMPARE(cut, std::string("layers:2,2,2,2"));
    const int64_t saved = before - cyclesOf(cut);
    QVERIFY2(std::abs(double(foreseen - saved)) < 0.1 * double(saved),
             qPrintable(QStringLiteral("%1 foreseen, %2 saved").arg(foreseen).arg(saved)));
  }
  // The bytes of an IPU are those that its tiles send and receive, not an even share of all.
  void trafficIsOfTheIpuThatHasIt() {
    const tests::TemporaryFolder folder;
    const std::string report = (folder / "pipeline.tsr").string();
    const Ran ran = cli({"run", writeModel(folder), "-o", report, "--machine", "bow-pod16", "--ipus", "2", "--pipeline", "2",
                         "--accumulation", "5", "--no-numbers"});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    const auto session = analyser::Session::open(report);
    analyser::trace::ExecutionTrace trace(*session);
    const auto of = query(report, "SELECT e.tile / 1472 AS ipu, sum(e.bytes_in * p.executions) AS bytes_in, "
                                  "sum(e.bytes_out * p.executions) AS bytes_out FROM exchange_tile e JOIN program_step s ON "
                                  "s.exchange_id = e.exchange_id JOIN (SELECT program_step_id, max(executions) AS executions "
                                  "FROM step_profile GROUP BY 1) p ON p.program_step_id = s.id JOIN exchange x ON x.id = "
                                  "e.exchange_id WHERE x.kind = 'global' GROUP BY 1 ORDER BY 1");
    const auto shown = trace.proportions(trace.range());
    QCOMPARE(shown.ipus.size(), std::size_t(2));
    QVERIFY(of.size() == 2 && of[0]["bytes_in"] != of[1]["bytes_in"]); // the first sends to the second
    for (std::size_t ipu = 0; ipu < 2; ++ipu) {
      QCOMPARE(shown.ipus[ipu].global.in.value(), of[ipu]["bytes_in"].get<int64_t>());
      QCOMPARE(shown.ipus[ipu].global.out.value(), of[ipu]["bytes_out"].get<int64_t>());
    }
  }
  void everyWayGivesTheSameOutputs() {
    const tests::TemporaryFolder folder;
    const std::string model = writeModel(folder);
    const auto run = [&](const std::string& name, std::vector<std::string> options) {
      std::vector<std::string> words{
          "run", model, "-o", (folder / (name + ".tsr")).string(), "--outputs", (folder / name).string()};
      words.insert(words.end(), options.begin(), options.end());
      const Ran ran = cli(words);
      QVERIFY2(ran.code == 0, ran.err.c_str());
    };
    run("one", {"--machine", "bow"});
    run("sharded", {"--machine", "bow-pod16", "--ipus", "4"});
    run("named", {"--machine", "bow-pod16", "--ipus", "2", "--shard", "node_h4"});
    run("pipeline", {"--machine", "bow-pod16", "--pipeline", "4", "--replicas", "4", "--accumulation", "5"});
    run("head beside embedding",
        {"--machine", "bow-pod16", "--pipeline", "3", "--shard", "node_h4,node_h6@0", "--replicas", "8", "--accumulation", "5"});
    const std::string expected = bytesOf(folder / "one" / "h8.npy");
    QVERIFY(!expected.empty());
    QVERIFY(bytesOf(folder / "sharded" / "h8.npy") == expected);
    QVERIFY(bytesOf(folder / "named" / "h8.npy") == expected);
    for (const char* pipeline : {"pipeline", "head beside embedding"})
      for (int m = 0; m < 5; ++m) QVERIFY(bytesOf(folder / pipeline / ("h8." + std::to_string(m) + ".npy")) == expected);
    const std::string report = (folder / "pipeline.tsr").string();
    QCOMPARE(query(report, "SELECT ipus AS n FROM machine")[0]["n"].get<int>(), 4); // one replica's
    QVERIFY(query(report, "SELECT value AS v FROM metadata WHERE key = 'replicas'")[0]["v"] == "4");
    QVERIFY(query(report, "SELECT value AS v FROM metadata WHERE key = 'micro_batches'")[0]["v"] == "5");
  }

  void moreIpusThanNodesAreIdle() {
    const tests::TemporaryFolder folder;
    const Ran ran = cli({"run", writeModel(folder), "--machine", "bow-pod16", "-o", (folder / "r.tsr").string(), "--no-numbers"});
    QVERIFY2(ran.code == 0, ran.err.c_str());
  }

  void partsOnFewerIpusLeaveTheOthersIdle() {
    const tests::TemporaryFolder folder;
    for (const std::vector<std::string>& cut : {std::vector<std::string>{"--shard", "node_h4"},
                                                {"--pipeline", "3", "--shard", "node_h4,node_h6@0", "--replicas", "4"}}) {
      std::vector<std::string> words{"run", writeModel(folder),          "--machine",   "bow-pod16",
                                     "-o",  (folder / "r.tsr").string(), "--no-numbers"};
      words.insert(words.end(), cut.begin(), cut.end());
      const Ran ran = cli(words);
      QVERIFY2(ran.code == 0, ran.err.c_str());
      QVERIFY2(ran.err.find("compute nothing") != std::string::npos, ran.err.c_str());
    }
  }

  void wrongCombinationsAreRefused_data() {
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("part");
    QTest::newRow("stages x replicas") << QStringList{"--pipeline", "4", "--replicas", "2"} << "8 IPUs, the machine has 16";
    QTest::newRow("replicas") << QStringList{"--replicas", "3"} << "cannot be shared by 3 replicas";
    QTest::newRow("too few micro-batches") << QStringList{"--pipeline", "4", "--replicas", "4", "--accumulation", "3"}
                                           << "--accumulation";
    QTest::newRow("nothing to accumulate") << QStringList{"--accumulation", "3"} << "--pipeline";
    QTest::newRow("more stages than nodes") << QStringList{"--pipeline", "16"} << "16 parts";
    QTest::newRow("no such layers") << QStringList{"--ipus", "2", "--shard", "layers:70,1"} << "--shard layers:70,1";
    QTest::newRow("no such count") << QStringList{"--ipus", "2", "--shard", "layers:a,1"} << "'a' is not a number of layers";
    QTest::newRow("no such node") << QStringList{"--ipus", "2", "--shard", "nothing"} << "nothing";
    QTest::newRow("a pipeline in one piece") << QStringList{"--pipeline", "16", "--shard", "none"} << "--shard none";
  }
  void wrongCombinationsAreRefused() {
    QFETCH(QStringList, options);
    QFETCH(QString, part);
    const tests::TemporaryFolder folder;
    std::vector<std::string> words{"run", writeModel(folder), "--machine", "bow-pod16", "-o", (folder / "x.tsr").string()};
    for (const QString& o : options) words.push_back(o.toStdString());
    verifyFails(cli(words), part.toStdString());
    QVERIFY(!fs::exists(folder / "x.tsr"));
  }

  void aSamplePlacesItsWorkItself() { verifyFails(cli({"run", "hello-tiles", "--replicas", "2"}), "--replicas"); }
};

TILESCOPE_TEST(RunOnIpusTest)
#include "run_on_ipus_test.moc"
