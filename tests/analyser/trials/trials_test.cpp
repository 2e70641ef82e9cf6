// The catalogue of trials: every offered trial can be run from a report, and has the same title everywhere.
#include "analyser/session/repeat.h"
#include "analyser/trials/trials.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <set>

using namespace analyser;
using trials::Trial;

namespace {

std::vector<Trial> catalogue() {
  using namespace trials;
  return {halfPrecision(), recompute(),       lessRoom(),         halfSums(),
          halfState(),     offloadState(),    offloadWeights(),   offloadStateAndWeights(),
          keepOnChip(),    shardState(),      ioTiles(),          moreBatchesARun(),
          spreadWider(),   spreadWide(),      fewerFullerTiles(), pipelineOf(4),
          replicasOf(2),   microBatchesOf(8), batchOf(32),        balancedStages("layers:2,2")};
}

std::vector<Trial> trialsOf(const std::map<std::string, std::string>& facts, trials::Goal goal = trials::Goal::Memory) {
  const tests::TinyReport report({.ipus = 1, .tilesPerIpu = 4, .operations = 2});
  for (const auto& [key, value] : facts)
    tests::tamper(report.path(), "INSERT OR REPLACE INTO metadata (key, value) VALUES ('" + key + "', '" + value + "')");
  return trials::trialsOf(*Session::open(report.path().string()), goal);
}
std::set<std::string> titlesOf(const std::vector<Trial>& list) {
  std::set<std::string> titles;
  for (const Trial& trial : list) titles.insert(trial.title);
  return titles;
}

} // namespace

class TrialsTest : public QObject {
  Q_OBJECT
private slots:
  // A report may set only listed options, and a trial runs with the report's own arguments.
  void everyOptionMayBeRepeated() {
    for (const Trial& trial : catalogue()) {
      std::vector<std::string> words{"mlp"};
      words.insert(words.end(), trial.options.begin(), trial.options.end());
      const Repeat repeat = repeatOfWords(words);
      QCOMPARE(repeat.options, trial.options);
      QVERIFY2(repeat.left.empty() && repeat.reading.empty(), trial.title.c_str());
    }
  }
  void titlesAreOfOneChangeAndReasonsAreSentences() {
    std::map<std::string, std::vector<std::string>> known;
    for (const Trial& trial : catalogue()) {
      QVERIFY2(known.emplace(trial.title, trial.options).second, trial.title.c_str());
      QVERIFY2(!trial.why.empty() && trial.why.back() == '.', trial.title.c_str());
    }
    QCOMPARE(trials::lessRoom().options.back(), QString::number(trials::kLessRoom).toStdString());
    QCOMPARE(trials::halfPrecision().because("It fits then.").why, std::string("It fits then."));
  }
  void aReportIsOfferedWhatItLacks() {
    QVERIFY(trialsOf({}).empty()); // no model
    const auto inference = titlesOf(trialsOf({{"batch_size", "8"}, {"precision", "fp32"}}));
    QVERIFY(inference.contains("Half precision") && inference.contains("Lower available memory proportion"));
    QVERIFY(!inference.contains("Recompute activations") && !inference.contains("Offload the optimiser's state"));
    const auto training = titlesOf(trialsOf({{"batch_size", "8"}, {"precision", "fp16"}, {"parameter.training", "1"}}));
    QVERIFY(training.contains("Recompute activations") && training.contains("Offload the optimiser's state"));
    // An option is a separate argument: a file name that contains an option does not count.
    const auto given =
        titlesOf(trialsOf({{"batch_size", "8"}, {"command_line", "tilescope-cli run a--io-tiles.onnx --available-memory 0.4"}}));
    QVERIFY(!given.contains("Lower available memory proportion"));
    QVERIFY(
        titlesOf(trialsOf({{"batch_size", "8"}, {"command_line", "tilescope-cli run a--io-tiles.onnx"}}, trials::Goal::Cycles))
            .contains("I/O tiles"));
    QVERIFY(
        titlesOf(trialsOf({{"parameter.blocks", "rows"}}, trials::Goal::Cycles)).contains("Other tile mapping: blocks squares"));
  }
  // The batch is text of the report.
  void anImpossibleBatchIsNotDoubled() {
    const auto hasBatch = [](const char* batch) {
      const auto list = trialsOf({{"batch_size", "8"}, {"parameter.batch", batch}}, trials::Goal::Cycles);
      return std::any_of(list.begin(), list.end(), [](const Trial& t) { return t.title.starts_with("Batch "); });
    };
    QVERIFY(hasBatch("8"));
    for (const char* batch : {"9223372036854775807", "-4", "0", "8 rows"}) QVERIFY2(!hasBatch(batch), batch);
  }
  // No trial takes more memory if the program does not fit, or if the goal is memory.
  void noTrialGoesAgainstTheFinding() {
    const std::map<std::string, std::string> facts{
        {"batch_size", "8"}, {"precision", "fp16"}, {"parameter.training", "1"}, {"parameter.batch", "8"}};
    auto full = facts;
    full["state"] = "out_of_memory";
    const auto memory = trialsOf(facts, trials::Goal::Memory);
    QCOMPARE(memory.front().title, std::string("Recompute activations"));
    for (const char* more : {"Single precision", "I/O tiles", "Batch 16"})
      for (const auto& list : {memory, trialsOf(full, trials::Goal::Memory), trialsOf(full, trials::Goal::Cycles)})
        QVERIFY(!titlesOf(list).contains(more));
    QVERIFY(titlesOf(memory).contains("Batch 4") && !titlesOf(memory).contains(trials::fewerFullerTiles().title));
    const auto roomy = titlesOf(trialsOf(facts, trials::Goal::Cycles));
    QVERIFY(roomy.contains("I/O tiles") && roomy.contains("Batch 16") && roomy.contains(trials::fewerFullerTiles().title));
  }
};

TILESCOPE_TEST(TrialsTest)
#include "trials_test.moc"
