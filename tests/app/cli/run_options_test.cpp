// `run` never ignores an option silently: the option takes effect, or the run is refused, or a note says that it has no effect.
#include "analyser/session/session.h"
#include "reports/sqlite/reader.h"
#include "tests/app/cli/cli_runner.h"
#include "tests/simcore/model/model_files.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

using tests::cli;
using tests::Ran;
using tests::verifyFails;
namespace fs = std::filesystem;

namespace {

// Sets a variable of the environment for a scope.
class Environment {
public:
  Environment(const char* name, const char* value) : m_name(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(m_name); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

private:
  const char* m_name;
};

} // namespace

class RunOptionsTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;
  std::string report(const std::string& name = "r") const { return (m_folder / (name + ".tsr")).string(); }
  // Runs without numbers and gives the summary.
  nlohmann::json summaryOf(std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    words.insert(words.end(), {"--no-numbers", "-o", report()});
    const Ran ran = cli(words);
    if (ran.code != 0) throw std::runtime_error(ran.err);
    return nlohmann::json::parse(cli({"summary", report(), "--json"}).out);
  }
  std::string bigModel(const std::string& name, const std::vector<std::int64_t>& dims) const {
    onnx::ModelProto model = tests::emptyModel(13);
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", dims);
    tests::addValue(graph->add_output(), "y", dims);
    tests::addNode(graph, "Relu", {"x"}, {"y"});
    const std::string file = (m_folder / name).string();
    std::ofstream(file, std::ios::binary) << model.SerializeAsString();
    return file;
  }

private slots:
  // The error suggests the option that was probably meant, even if a required option is missing because of the misspelling.
  void aMisspeltOptionGetsAHint() {
    verifyFails(cli({"run", "mlp", "--optimizer", "adam"}), "--optimiser was probably meant");
    verifyFails(cli({"import", "a.json", "--ouput", "b.tsr"}), "--output was probably meant");
    const Ran far = cli({"summary", "a.tsr", "--unheard-of"});
    verifyFails(far, "unknown option --unheard-of");
  }
  // Every command takes the same options for the report's name.
  void theReportIsNamedAlike() {
    std::ofstream(m_folder / "a.folded") << "main;work 3\n";
    for (const char* option : {"-o", "--report", "--output"}) {
      QCOMPARE(cli({"import", (m_folder / "a.folded").string(), option, report("imported")}).code, 0);
      QCOMPARE(cli({"run", "hello-tiles", option, report("run")}).code, 0);
      QVERIFY(fs::remove(report("run")));
    }
  }
  // "none" cancels the offloading in a report's own command line; together with another value it is an error.
  void offloadNoneKeepsAllOnTheChip() {
    const std::vector<std::string> words{"run", "mlp", "--dry-run", "--json"};
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.begin(), words.begin(), words.end());
      return cli(more);
    };
    const Ran none = with({"--offload", "none"}), plain = with({}), both = with({"--offload", "none,weights"});
    QCOMPARE(none.code, plain.code);
    QCOMPARE(nlohmann::json::parse(none.out)["memory"].dump(), nlohmann::json::parse(plain.out)["memory"].dump());
    QCOMPARE(both.code, 2);
    QVERIFY2(both.err.find("none cannot be combined") != std::string::npos, both.err.c_str());
  }

  void aDryRunSaysWhatTheRunTakes() {
    const std::vector<std::string> words{"run", "mnist-train", "--set", "batch=8", "--machine", "bow"};
    auto dry = words;
    dry.insert(dry.end(), {"--dry-run", "--json"});
    const auto files = [&] { return std::distance(fs::directory_iterator(m_folder.path()), {}); };
    const auto before = files();
    const Ran ran = cli(dry);
    QCOMPARE(ran.code, 0);
    QCOMPARE(files(), before);
    const auto said = nlohmann::json::parse(ran.out);
    const auto summary = summaryOf({words.begin() + 1, words.end()});
    for (const char* key : {"max_tile_bytes", "max_tile_with_gaps_bytes", "total_bytes", "always_live_bytes"})
      QCOMPARE(said["memory"][key].get<int64_t>(), summary["memory"][key].get<int64_t>());
    QVERIFY(!said["inputs"].empty() && !said["outputs"].empty() && !said["operations"].empty());
    const auto images =
        std::find_if(said["inputs"].begin(), said["inputs"].end(), [](const auto& v) { return v["name"] == "images"; });
    QVERIFY(images != said["inputs"].end());
    QVERIFY2((*images)["shape"].get<std::string>().starts_with("8x"), images->dump().c_str());
    QVERIFY(said["weights"]["elements"].get<int64_t>() > 0);
    int64_t counted = 0;
    for (const auto& [kind, count] : said["kinds"].items()) counted += count.get<int64_t>();
    QCOMPARE(counted, int64_t(said["operations"].size()));
  }

  // The operations that a run will report, also where layers share functions.
  void aDryRunNamesTheOperationsOfTheReport() {
    const std::vector<std::string> what{"bert", "--set", "layers=4", "--set", "hidden=64", "--no-numbers"};
    std::vector<std::string> dry{"run"}, real{"run"};
    dry.insert(dry.end(), what.begin(), what.end()), real.insert(real.end(), what.begin(), what.end());
    dry.insert(dry.end(), {"--dry-run", "--json"}), real.insert(real.end(), {"-o", report("shared")});
    const Ran plan = cli(dry);
    QCOMPARE(cli(real).code, 0);
    std::multiset<std::string> planned, reported;
    const auto said = nlohmann::json::parse(plan.out);
    for (const auto& o : said.at("operations")) planned.insert(o.at("name").get<std::string>());
    const auto session = analyser::Session::open(report("shared"));
    session->reader().forEach<reports::OperationRow>({}, {}, [&](const reports::OperationRow& o) { reported.insert(o.name); });
    QVERIFY(!reported.empty());
    QVERIFY2(planned == reported, qPrintable(QString("%1 against %2").arg(planned.size()).arg(reported.size())));
  }
  // The forecast has the fullest tile of the report of the run, and the changes of its Insights.
  void aDryRunSaysWhatBreaks() {
    const std::vector<std::string> words{"run",   "mnist-train", "--machine",        "gc2",
                                         "--set", "batch=4096",  "--memory-retries", "0"};
    auto dry = words, real = words;
    dry.insert(dry.end(), {"--dry-run", "--json"}), real.insert(real.end(), {"--no-numbers", "-o", report("full")});
    const Ran plan = cli(dry);
    QCOMPARE(plan.code, 1);
    QCOMPARE(cli(real).code, 1);
    const auto said = nlohmann::json::parse(plan.out);
    const auto sql = [&](const std::string& query) {
      return nlohmann::json::parse(cli({"query", report("full"), query, "--json"}).out);
    };
    const auto& fullest = said.at("fullest").at("tiles").at(0);
    const std::string tile = std::to_string(fullest.at("tile").get<int64_t>());
    const auto held = sql("SELECT value FROM tile_value WHERE series = 'memory.total_with_gaps' AND tile = " + tile);
    QCOMPARE(fullest.at("bytes_with_gaps").get<int64_t>(), held[0]["value"].get<int64_t>());
    int64_t parts = 0;
    for (const auto& part : said.at("fullest").at("categories")) parts += part.at("bytes").get<int64_t>();
    QCOMPARE(parts, held[0]["value"].get<int64_t>());
    const auto largest =
        sql("SELECT name, own_bytes FROM lowered_variable WHERE tile = " + tile + " ORDER BY own_bytes DESC LIMIT 1");
    QCOMPARE(said.at("fullest").at("variables").at(0).at("bytes").get<int64_t>(), largest[0]["own_bytes"].get<int64_t>());
    nlohmann::json changes = nlohmann::json::array();
    for (const auto& finding : nlohmann::json::parse(cli({"insights", report("full"), "--json"}).out))
      if (finding["rule"] == "memory.out-of-memory") changes = finding["trials"];
    QVERIFY(!changes.empty());
    QCOMPARE(said.at("changes").dump(), changes.dump());
  }
  void aDryRunOfWhatDoesNotFitSaysNo() {
    const Ran ran = cli({"run", "elementwise", "--set", "n=300000", "--dry-run"});
    QCOMPARE(ran.code, 1);
    QVERIFY2(ran.out.find("Does not fit: ") != std::string::npos, ran.out.c_str());
  }

  // A configuration that ran on the chip fits after the convolutions at its memory peak are planned with less memory.
  void runsThatOverflowArePlannedAgain() {
    std::vector<std::string> words{
        "run",         "resnet50",    "--machine", "gc2",        "--set", "batch=8",         "--set",
        "norm=folded", "--precision", "fp16",      "--partials", "half",  "--engine-option", "debug.instrument=false",
        "--dry-run",   "--json"};
    const Ran again = cli(words);
    QCOMPARE(again.code, 0);
    const auto fitting = nlohmann::json::parse(again.out);
    QCOMPARE(fitting["state"].get<std::string>(), std::string("fits"));
    QVERIFY(fitting["plans"].get<int>() > 1);
    words.insert(words.end(), {"--memory-retries", "0"});
    const Ran once = cli(words);
    QCOMPARE(once.code, 1);
    const auto full = nlohmann::json::parse(once.out);
    QCOMPARE(full["state"].get<std::string>(), std::string("out_of_memory"));
    QCOMPARE(full["plans"].get<int>(), 1);
    QVERIFY(fitting["memory"]["max_tile_bytes"].get<int64_t>() < full["memory"]["max_tile_bytes"].get<int64_t>());
  }

  void aDryRunHasNoUseForFiles() {
    for (const char* option : {"--report", "--outputs"})
      verifyFails(cli({"run", "triad", "--dry-run", option, report("none")}), std::string(option));
    QVERIFY(!fs::exists(report("none")));
  }

  void precisionIsObeyedOrRefused_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("expected"); // the report's precision, or a part of the error
    const QStringList half{"--precision", "fp16"}, single{"--precision", "fp32"};
    for (const char* sample : {"heat", "hello-tiles", "custom-vertex", "matvec", "halo-exchange", "triad", "pointer-chase",
                               "sparse-bfs", "stencil", "monte-carlo"}) {
      QTest::newRow((std::string(sample) + " fp16").c_str()) << QStringList{sample} + half << "only in fp32";
      QTest::newRow((std::string(sample) + " fp32").c_str()) << QStringList{sample} + single << "fp32";
    }
    for (const char* sample : {"chained-matmul", "gaussian-blur", "elementwise", "scaled-add", "prng", "sparse-matmul",
                               "tile-matmul", "group-conv", "matmul"}) {
      QTest::newRow((std::string(sample) + " half").c_str()) << QStringList{sample} + half << "fp16";
      QTest::newRow((std::string(sample) + " single").c_str()) << QStringList{sample} + single << "fp32";
    }
    QTest::newRow("set wins") << QStringList{"elementwise", "--set", "type=half"} << "fp16";
    QTest::newRow("agree") << QStringList{"elementwise", "--set", "type=half"} + half << "fp16";
    QTest::newRow("contradict") << QStringList{"elementwise", "--set", "type=float"} + half << "contradicts --set type=float";
    QTest::newRow("default") << QStringList{"tile-matmul"} << "fp16";
    QTest::newRow("via conv") << QStringList{"gaussian-blur", "--set", "via=conv"} + half << "fp16";
  }
  void precisionIsObeyedOrRefused() {
    QFETCH(QStringList, words);
    QFETCH(QString, expected);
    std::vector<std::string> list;
    for (const QString& word : words) list.push_back(word.toStdString());
    if (expected.startsWith("fp") && expected.size() == 4) {
      try {
        QCOMPARE(summaryOf(list)["precision"].get<std::string>(), expected.toStdString());
      } catch (const std::exception& error) {
        QFAIL(error.what());
      }
      return;
    }
    list.insert(list.begin(), "run");
    verifyFails(cli(list), expected.toStdString());
  }
  // The window offers a precision only if a sample has no type parameter of its own.
  void samplesTellWhatTheyDoWithAPrecision() {
    std::map<std::string, std::string> kinds;
    for (const auto& sample : nlohmann::json::parse(cli({"samples", "--json"}).out)) kinds[sample["name"]] = sample["precision"];
    QCOMPARE(kinds.at("mlp"), std::string("chosen"));
    QCOMPARE(kinds.at("tile-matmul"), std::string("type"));
    QCOMPARE(kinds.at("heat"), std::string("fp32"));
  }
  // Operands of products take one byte per element less, and the peak FLOPs are those of 8-bit products.
  void eightBitFloats() {
    const std::vector<std::string> network{"mlp",   "--set",     "training=0", "--set", "layers=5",
                                           "--set", "width=512", "--machine",  "c600"};
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.begin(), network.begin(), network.end());
      return summaryOf(more);
    };
    const auto half = with({"--precision", "fp16"}), eight = with({"--precision", "fp8"}),
               skipping = with({"--precision", "fp8", "--fp8-skip", "fc2", "--fp8-scale", "0"});
    QCOMPARE(eight["precision"].get<std::string>(), std::string("fp8"));
    const auto peak = [](const auto& s) {
      return s["flops_per_second"].template get<double>() / s["peak_fraction"].template get<double>();
    };
    QVERIFY(std::abs(peak(eight) / 560e12 - 1) < 1e-6 && std::abs(peak(half) / 280e12 - 1) < 1e-6);
    const auto alwaysLive = [](const auto& s) { return s["memory"]["always_live_bytes"].template get<int64_t>(); };
    // One byte less per weight, except in the last layer. Code differs too: products of halves may swap their operands on other tiles.
    const int64_t weights = 784 * 512 + 3 * 512 * 512, saved = alwaysLive(half) - alwaysLive(eight);
    QVERIFY2(saved > weights / 3 && saved <= 2 * weights, qPrintable(QString::number(saved)));
    QVERIFY(alwaysLive(skipping) > alwaysLive(eight)); // fc2 takes two bytes, and shares no function with fc3 and fc4
    verifyFails(cli({"run", "mlp", "--set", "training=0", "--unit-scaling"}), "--unit-scaling");
  }
  void halfIsFasterWhereItIsObeyed() {
    const auto cycles = [&](const std::string& precision) {
      return summaryOf({"elementwise", "--set", "n=4096", "--precision", precision})["total_cycles"].get<int64_t>();
    };
    QVERIFY(cycles("fp16") < cycles("fp32"));
  }

  void samplesTrainAsTheOptionsSay() {
    const auto parameters =
        summaryOf({"mnist-train", "--optimiser", "adam", "--learning-rate", "0.5", "--momentum", "0.25", "--weight-decay",
                   "0.125", "--trust-coefficient", "0.75", "--epsilon", "0.0625"})["metadata"];
    QVERIFY(parameters["parameter.optimiser"] == "adam" && parameters["parameter.lr"] == "0.5");
    QVERIFY(parameters["parameter.momentum"] == "0.25" && parameters["parameter.weight-decay"] == "0.125");
    QVERIFY(parameters["parameter.trust-coefficient"] == "0.75" && parameters["parameter.epsilon"] == "0.0625");
    // The always-live bytes depend on the optimiser: Adam keeps state besides the weights.
    const auto alwaysLive = [&](const char* optimiser) {
      return summaryOf({"mlp", "--optimiser", optimiser})["memory"]["always_live_bytes"].get<int64_t>();
    };
    QVERIFY(alwaysLive("adam") > alwaysLive("sgd"));
  }
  void uselessOptionsAreRefused_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("part");
    QTest::newRow("loss of a sample") << QStringList{"mnist-train", "--loss", "mse"} << "--loss";
    QTest::newRow("labels of a sample") << QStringList{"mnist-train", "--labels", "l"} << "--labels";
    QTest::newRow("output of a sample") << QStringList{"mnist-train", "--loss-output", "o"} << "--loss-output";
    QTest::newRow("nothing to train") << QStringList{"matmul", "--optimiser", "adam"} << "trains nothing";
    QTest::newRow("not in training") << QStringList{"lstm", "--learning-rate", "1"} << "--set training=1";
    QTest::newRow("contradiction") << QStringList{"mlp", "--optimiser", "sgd", "--set", "optimiser=adam"} << "contradicts";
    QTest::newRow("micro-batches") << QStringList{"mnist-train", "--accumulation", "4", "--set", "accumulation=8"}
                                   << "contradicts --set accumulation=8";
    QTest::newRow("outline") << QStringList{"matmul", "--no-outline"} << "--no-outline";
    QTest::newRow("sums in fp32") << QStringList{"mlp", "--half-sums"} << "--precision fp16";
    for (const char* option : {"--optimiser=adam", "--loss=mse", "--learning-rate=1", "--momentum=0.5", "--weight-decay=1",
                               "--trust-coefficient=1", "--epsilon=1", "--labels=l", "--loss-output=y"})
      QTest::newRow(option) << QStringList{"MODEL", option} << "add --train";
    QTest::newRow("seed too large") << QStringList{"mlp", "--seed", "99999999999999999999"} << "64 bits";
    QTest::newRow("seed no number") << QStringList{"mlp", "--seed", "1x"} << "--seed";
    QTest::newRow("rate below 0") << QStringList{"mlp", "--learning-rate", "-1"} << "'-1' is not a number of 0 or more";
    QTest::newRow("threads") << QStringList{"hello-tiles", "--engine-option", "opt.maxCompilationThreads=-1"} << "less than 0";
  }
  void uselessOptionsAreRefused() {
    QFETCH(QStringList, words);
    QFETCH(QString, part);
    std::vector<std::string> list{"run", "-o", report("refused")};
    for (const QString& word : words) list.push_back(word == "MODEL" ? bigModel("small.onnx", {2, 3}) : word.toStdString());
    const Ran ran = cli(list);
    verifyFails(ran, part.toStdString());
    QVERIFY(ran.err.size() < 250); // no range of three hundred digits
    QVERIFY(!fs::exists(report("refused")));
  }

  // The inputs are 1.6 TB, more than this computer has.
  void withoutNumbersThereAreNoInputs() {
    const Ran product =
        cli({"run", "matmul", "--no-numbers", "--set", "m=600000", "--set", "k=600000", "--set", "n=16", "-o", report()});
    QVERIFY2(product.code == 1, product.err.c_str());
    // The same with numbers: the program does not fit, so none are computed.
    const Ran model =
        cli({"run", bigModel("big.onnx", {600'000, 600'000}), "-o", report("big"), "--outputs", (m_folder / "none").string()});
    QVERIFY2(model.code == 1, model.err.c_str());
    QVERIFY2(model.err.find("no numbers were computed") != std::string::npos, model.err.c_str());
    QVERIFY(!fs::exists(m_folder / "none"));
    QVERIFY(cli({"summary", report("big")}).out.find("Does not fit") != std::string::npos);
  }

  // A tag on the command line replaces the one in the file; members of inner objects get names, elements of lists do not.
  void tagsAreKeptInTheReport() {
    const std::string file = (m_folder / "tags.json").string();
    std::ofstream(file)
        << R"({"commit": "old", "optimizer": {"lr": 0.5, "betas": [0.9, 0.99]}, "nothing": null, "is final": true})";
    const auto metadata = summaryOf({"scaled-add", "--tags", file, "--tag", "commit=1f3a", "--tag", "why=a=b"})["metadata"];
    QCOMPARE(metadata["tag.commit"].get<std::string>(), std::string("1f3a"));
    QCOMPARE(metadata["tag.why"].get<std::string>(), std::string("a=b"));
    QCOMPARE(metadata["tag.optimizer.lr"].get<std::string>(), std::string("0.5"));
    QCOMPARE(metadata["tag.optimizer.betas"].get<std::string>(), std::string("[0.9,0.99]"));
    QCOMPARE(metadata["tag.nothing"].get<std::string>(), std::string("null"));
    QCOMPARE(metadata["tag.is final"].get<std::string>(), std::string("true"));
    QVERIFY(!metadata.contains("tag.optimizer"));
  }

  void tagsThatAreNoneAreRefused() {
    const std::string file = (m_folder / "tags.json").string();
    verifyFails(cli({"run", "scaled-add", "-o", report(), "--tag", "commit"}), "is not of the form NAME=VALUE");
    verifyFails(cli({"run", "scaled-add", "-o", report(), "--tag", " =1"}), "a tag needs a name");
    verifyFails(cli({"run", "scaled-add", "-o", report(), "--tags", (m_folder / "none.json").string()}), "none.json");
    std::ofstream(file) << R"({"a.b": 1, "a": {"b": 2}})";
    verifyFails(cli({"run", "scaled-add", "-o", report(), "--tags", file}), "the tag 'a.b' is given twice");
    std::ofstream(file) << "[1, 2]";
    verifyFails(cli({"run", "scaled-add", "-o", report(), "--tags", file}), "tags must be a JSON object");
    std::ofstream(file) << "{\"a\": \"" << std::string(2 << 20, 'x') << "\"}";
    verifyFails(cli({"run", "scaled-add", "-o", report(), "--tags", file}), "tags.json");
    nlohmann::json many;
    for (int i = 0; i < 1001; ++i) many["t" + std::to_string(i)] = i;
    std::ofstream(file) << many;
    verifyFails(cli({"run", "scaled-add", "-o", report(), "--tags", file}), "1,000 tags");
    std::ofstream(file) << R"({"a": 1})";
    verifyFails(cli({"run", "scaled-add", "-o", file, "--tags", file}), "tags.json"); // what a run reads it never writes over
  }

  void engineOptionsWithoutEffectAreTold() {
    const std::vector<std::string> run{"run", "hello-tiles", "--no-numbers", "-o", report()};
    {
      const Environment set("POPLAR_ENGINE_OPTIONS", R"({"foo.bar":"1","debug.instrument":"true"})");
      const Ran ran = cli(run);
      QCOMPARE(ran.code, 0);
      QCOMPARE(ran.err, std::string("note: engine option 'foo.bar' is not known and has no effect\n"));
    }
    const Environment empty("POPLAR_ENGINE_OPTIONS", "");
    const Ran ran = cli(run);
    QCOMPARE(ran.code, 0);
    QCOMPARE(ran.err, std::string());
  }
  void reportsOfPoplarsOptionsAreCopies() {
    const auto folder = m_folder / "asked" / "deep";
    const std::string json = nlohmann::json{{"autoReport.all", true}, {"autoReport.directory", folder.string()}}.dump();
    const Environment set("POPLAR_ENGINE_OPTIONS", json.c_str());
    std::vector<std::string> run{"run", "hello-tiles", "--no-numbers", "-o", report()};
    const auto bytesOf = [](const std::filesystem::path& file) {
      std::ifstream in(file, std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(in), {});
    };
    for (int again = 0; again < 2; ++again) { // the second run replaces the files of the first
      const Ran ran = cli(run);
      QVERIFY2(ran.code == 0 && ran.err.empty(), ran.err.c_str());
      QVERIFY(!bytesOf(report()).empty());
      QCOMPARE(bytesOf(folder / "profile.pop"), bytesOf(report()));
      QVERIFY(std::filesystem::exists(folder / "debug.cbor"));
    }
    run.back() = (folder / "profile.pop").string(); // the report itself is what is asked for
    QCOMPARE(cli(run).code, 0);
    std::ofstream(folder / "profile.pop") << "a text of the user's";
    run.back() = report();
    verifyFails(cli(run), "profile.pop");
    QCOMPARE(bytesOf(folder / "profile.pop"), std::string("a text of the user's"));
    run.insert(run.end(), {"--engine-option", "autoReport.all=false"});
    QCOMPARE(cli(run).code, 0);
    QCOMPARE(cli({"run", "hello-tiles", "--dry-run"}).code, 0); // which writes no report
    QCOMPARE(bytesOf(folder / "profile.pop"), std::string("a text of the user's"));
  }
  void threadsThatNobodyHasAreNotMade() {
    const Ran ran = cli({"run", "hello-tiles", "--engine-option", "opt.maxCompilationThreads=1000000000", "-o", report()});
    QVERIFY2(ran.code == 0, ran.err.c_str());
  }
  void aSeedOfZeroIsASeed() {
    const auto seedOf = [&](std::vector<std::string> words) {
      words.insert(words.begin(), {"hello-tiles", "--engine-option", "prng.seed=5"});
      return summaryOf(words)["metadata"]["seed"].get<std::string>();
    };
    QCOMPARE(seedOf({}), std::string("5"));
    QCOMPARE(seedOf({"--seed", "0"}), std::string("0"));
  }

  void idleIpusAreTold() {
    const Ran one = cli({"run", "matmul", "--no-numbers", "--ipus", "2", "-o", report()});
    QCOMPARE(one.code, 0);
    QCOMPARE(one.err, std::string("note: 1 IPU of 2 computes nothing; shares of the peak are of all IPUs\n"));
    const auto issues = nlohmann::json::parse(cli({"summary", report(), "--json"}).out)["issues"];
    QCOMPARE(issues.size(), std::size_t(1));
    QVERIFY(issues[0]["advice"].get<std::string>().find("use 1 IPU") != std::string::npos);
    const Ran all = cli({"run", "triad", "--no-numbers", "--ipus", "2", "-o", report()});
    QCOMPARE(all.err, std::string());
  }
  void jsonTellsTheIpusOfTheMachine() {
    const auto json = summaryOf({"mlp", "--ipus", "8", "--replicas", "4"});
    QVERIFY(json["ipus"] == 2 && json["replicas"] == 4 && json["machine_ipus"] == 8);
    const auto plain = summaryOf({"hello-tiles"});
    QVERIFY(plain["ipus"] == 1 && plain["replicas"] == 1 && plain["machine_ipus"] == 1);
  }

  void aQueryHasATimeLimit() {
    summaryOf({"hello-tiles"});
    const std::string endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    verifyFails(cli({"query", report(), endless, "--time-limit", "0.05"}), "longer than 50 ms");
    QCOMPARE(cli({"query", report(), "SELECT 1", "--time-limit", "60"}).code, 0);
    // SQL functions that do not check the time limit: padding byte by byte, and json_patch(), which is O(n^2) in the members.
    for (const char* wide :
         {"printf('%.*c', 900000000, 'x')", "format('%*d', 900000000, 1)", "printf('%900000000d', 1)",
          "format('%d %.*s', 1, 20000000, 'x')", "printf('%.*c', '900000000x', 'x')", "format('%9000000d%9000000d', 1, 2)"})
      verifyFails(cli({"query", report(), QString("SELECT length(%1)").arg(wide).toStdString()}), "wider than 16 MiB");
    verifyFails(cli({"query", report(), "SELECT json_patch('{}', '{}')"}), "json_patch");
    const auto padded = cli({"query", report(), "SELECT format('%05.1f|%-6s|%d%%|%*d', 3.14159, 'ab', 7, 2, 1700000000) AS x"});
    QVERIFY2(padded.out.find("003.1|ab    |7%|1700000000") != std::string::npos, padded.out.c_str());
    verifyFails(cli({"query", report(), "SELECT 1", "--time-limit", "0"}), "--time-limit");
  }
  void columnsOfPlansAreAsWideAsTheirWords() {
    summaryOf({"resnet50", "--set", "size=32", "--set", "depth=26"});
    std::istringstream lines(cli({"summary", report(), "--plans"}).out);
    std::string line;
    std::getline(lines, line);
    const std::size_t plan = line.find("PLAN"), cycles = line.find("CYCLES") + 6;
    int rows = 0;
    while (std::getline(lines, line)) {
      QVERIFY2(line.size() > plan && line[plan - 1] == ' ' && line[plan] != ' ', line.c_str());
      QVERIFY2(std::isdigit(static_cast<unsigned char>(line[cycles - 1])) && line[cycles] == ' ', line.c_str());
      ++rows;
    }
    QVERIFY(rows > 10);
  }
};

TILESCOPE_TEST(RunOptionsTest)
#include "run_options_test.moc"
