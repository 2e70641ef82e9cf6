// The report contains every option that changes a result, with its effective value.
#include "app/cli/effective_options.h"

#include "analyser/session/repeat.h"
#include "analyser/session/session.h"
#include "app/cli/options.h"
#include "tests/app/cli/cli_runner.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <fstream>
#include <set>

using namespace app::cli;

class EffectiveOptionsTest : public QObject {
  Q_OBJECT
  tests::TemporaryFolder m_folder;

  std::map<std::string, std::string> metadataOf(std::vector<std::string> words) {
    const std::string report = (m_folder / "r.tsr").string();
    words.insert(words.begin(), "run");
    words.insert(words.end(), {"--no-numbers", "-o", report});
    const auto ran = tests::cli(words);
    if (ran.code > 1) throw std::runtime_error(ran.err);
    return analyser::Session::open(report)->metadata();
  }

private slots:
  void everyOptionIsTraced() {
    std::set<std::string> known, listed;
    const CommandWords all = commandWords();
    for (const CommandWords& command : all.commands)
      if (command.name == "run")
        for (const OptionWords& option : command.options) known.insert(option.names.back().substr(2));
    QVERIFY(known.size() > 40);
    for (const TracedOption& option : tracedOptions()) {
      QVERIFY2(known.contains(option.name), option.name);
      listed.insert(option.name);
      QVERIFY2((option.trace == OptionTrace::Fact) == (std::string(option.key) != "" && option.trace != OptionTrace::Option),
               option.name);
    }
    for (const std::string& name : known) QVERIFY2(listed.contains(name), name.c_str());
  }
  // "Run again" takes every option that a report may set.
  void everyOptionIsRepeatedOrOfTheCall() {
    const std::set<std::string> ofTheCall{"report",       "outputs", "save-model", "force",   "no-follow",
                                          "memory-limit", "json",    "progress",   "dry-run", "help"};
    for (const CommandWords& command : commandWords().commands)
      if (command.name == "run")
        for (const OptionWords& option : command.options) {
          const std::string name = option.names.back().substr(2);
          QVERIFY2(ofTheCall.contains(name) != (analyser::repeatableOption("--" + name) != nullptr), name.c_str());
        }
  }
  void iterationsAreASetting() {
    QCOMPARE(metadataOf({"stencil", "--iterations", "3"}).at("iterations"), std::string("3")); // which has no samples
  }
  void aReportHasTheValuesThatHold() {
    const auto plain = metadataOf({"bert", "--set", "training=0"});
    QCOMPARE(plain.at("option.shard"), std::string("auto"));
    QCOMPARE(plain.at("option.partials"), std::string("float"));
    QCOMPARE(plain.at("option.outline"), std::string("yes"));
    QCOMPARE(plain.at("parameter.layers"), std::string("2")); // 0 stands for the preset's
    QCOMPARE(plain.at("parameter.hidden"), std::string("128"));
    const auto other = metadataOf({"bert", "--set", "training=0", "--set", "layers=3", "--no-outline", "--partials", "half",
                                   "--precision", "fp16", "--memory-retries", "1"});
    QCOMPARE(other.at("option.outline"), std::string("no"));
    QCOMPARE(other.at("option.partials"), std::string("half"));
    QCOMPARE(other.at("option.memory-retries"), std::string("1"));
    QCOMPARE(other.at("parameter.layers"), std::string("3"));
  }
  // Files of one name may hold other values.
  void contentsOfInputsAreCompared() {
    const std::string file = (m_folder / "x.npy").string();
    std::set<std::string> kept;
    for (const char* values : {"abcd", "abce", "abcd"}) {
      std::ofstream(file) << values;
      WorkloadRequest request;
      request.graph = "model.onnx", request.inputs = {{"x", file}, {"n", "16000"}};
      const auto options = effectiveOptions(request);
      QCOMPARE(options.at("option.input.n"), std::string("16000"));
      kept.insert(options.at("option.input.x"));
    }
    QCOMPARE(kept.size(), std::size_t(2));
    QVERIFY(kept.begin()->starts_with(file + " (CRC-32 "));
  }
  void compareNamesThem() {
    const std::string a = (m_folder / "a.tsr").string(), b = (m_folder / "b.tsr").string();
    QCOMPARE(tests::cli({"run", "mlp", "--no-numbers", "-o", a}).code, 0);
    QCOMPARE(tests::cli({"run", "mlp", "--no-numbers", "--partials", "half", "-o", b}).code, 0);
    const auto compared = tests::cli({"compare", a, b});
    QVERIFY2(compared.out.find("partials half instead of float") != std::string::npos, compared.out.c_str());
  }
};

TILESCOPE_TEST(EffectiveOptionsTest)
#include "effective_options_test.moc"
