// A test per rule: a graph made to have just that fault, compiled and run by the simulator, and one without any; over 500 lines because
// every rule has its graph here.
#include "analyser/insights/insights.h"
#include "reports/sqlite/writer.h"
#include "simcore/ops/conv/convolution.h"
#include "simcore/run/simulate.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>

using namespace analyser::insights;
using namespace simcore;
using namespace simcore::graph;

namespace {

constexpr int kTiles = 32;

// A machine of 32 tiles, one even operation of 100,000 elements a tile, and room for a fault.
class FaultGraph {
public:
  explicit FaultGraph(int ipus = 1, int tiles = kTiles, int64_t evenElements = 20000)
      : m_graph(std::make_shared<Graph>(arch::tinyMachine(tiles, ipus))) {
    Codelet work;
    work.name = "Work";
    work.fields = {{"x", FieldDirection::InOut}};
    work.cycles = [](const auto& sizes) { return 10 + 10 * sizes.at("x"); };
    m_graph->addCodelet(work);
    Codelet make;
    make.name = "Make";
    make.fields = {{"out", FieldDirection::Output}};
    make.cycles = [](const auto& sizes) { return 10 + sizes.at("out"); };
    m_graph->addCodelet(make);
    Codelet fast;
    fast.name = "Fast";
    fast.fields = {{"x", FieldDirection::InOut}};
    fast.cycles = [](const auto&) { return 50; };
    m_graph->addCodelet(fast);
    Codelet wide;
    wide.name = "Wide";
    wide.fields = {{"x", FieldDirection::InOut}};
    wide.fields[0].interleaved = true;
    wide.cycles = [](const auto&) { return 50; };
    m_graph->addCodelet(wide);
    Codelet code;
    code.name = "Huge";
    code.fields = {{"x", FieldDirection::InOut}};
    code.cycles = [](const auto&) { return 50; };
    code.codeBytes = 150000;
    m_graph->addCodelet(code);
    if (evenElements > 0) operation("even", std::vector<int64_t>(std::size_t(tiles * ipus), evenElements));
  }

  Graph& graph() { return *m_graph; }
  Sequence& main() { return m_main; }
  static TileId tile(std::size_t n) { return TileId(n); }

  // One vertex a tile, of the given sizes; 0: none.
  void operation(const std::string& name, const std::vector<int64_t>& sizes, const std::string& codelet = "Work",
                 std::size_t first = 0) {
    const auto context = m_graph->addContext({}, name, "library", "Operation");
    const auto set = m_graph->addComputeSet(name, context);
    for (std::size_t t = 0; t < sizes.size(); ++t) {
      if (sizes[t] == 0) continue;
      const Tensor x = on(name + "/x" + std::to_string(t), sizes[t], first + t);
      m_graph->setTileMapping(m_graph->addVertex(set, codelet, {{"x", x}}), tile(first + t));
    }
    m_main.add(program::execute(set));
  }
  Tensor on(const std::string& name, int64_t elements, std::size_t where) {
    const Tensor x = m_graph->addVariable(ElementType::Float, {elements}, name);
    m_graph->setTileMapping(x, tile(where));
    return x;
  }
  void copy(const Tensor& from, const Tensor& to, const std::string& name) {
    m_main.add(program::copy(from, to, name, m_graph->addContext({}, name, "library", "Copy")));
  }

  Insights insights(std::map<std::string, std::string> metadata = {{"precision", "fp32"}}) {
    const std::filesystem::path file = m_folder / "fault.tsr";
    Workload load;
    load.name = load.title = "fault";
    load.graph = m_graph;
    load.programs = {{"main", m_main.program()}};
    run::SimulateOptions options;
    options.engine.numbers = false;
    options.metadata = std::move(metadata);
    {
      reports::Writer writer(file);
      run::HostTimeline timeline("test");
      reports::NoProgress none;
      run::simulate(load, options, writer, timeline, {}, none);
      writer.commit();
    }
    const auto session = analyser::Session::open(file.string());
    return analyser::insights::insights(*session);
  }

private:
  std::shared_ptr<Graph> m_graph;
  Sequence m_main;
  tests::TemporaryFolder m_folder;
};

const Insight* findingOf(const Insights& all, const std::string& rule) {
  for (const Insight& i : all.list)
    if (i.rule == rule) return &i;
  return nullptr;
}

QByteArray listed(const Insights& all) {
  std::string text;
  for (const Insight& i : all.list) text += i.rule + ": " + i.what.text() + "\n";
  return QByteArray::fromStdString(text);
}

// Every finding says these to its reader; parts are there where a saving has any.
void verifyComplete(const Insight& i) {
  QVERIFY2(!i.title.empty() && !i.what.empty() && !i.where.empty(), i.rule.c_str());
  QVERIFY2((i.bytes > analyser::Bytes()) != (i.cycles > analyser::Cycles()), i.rule.c_str());
  QVERIFY2(i.share > 0, i.rule.c_str());
  QVERIFY2(!i.evidence.view.empty() && !i.evidence.words.empty(), i.rule.c_str());
  QVERIFY2(!i.advice.empty(), i.rule.c_str());
}

constexpr int kManyTiles = 64;

// Every tile has a row and wants a column: a word from each of the others.
void transpose(FaultGraph& g, int k) {
  const auto matrix = [&](const std::string& name) {
    const Tensor m = g.graph().addVariable(ElementType::Float, {kManyTiles, kManyTiles}, name + std::to_string(k));
    for (int t = 0; t < kManyTiles; ++t) g.graph().setTileMapping(m.slice(t, t + 1), TileId(std::size_t(t)));
    return m;
  };
  g.copy(matrix("a").dimShuffle({1, 0}), matrix("b"), "transpose" + std::to_string(k));
}

// A variable of so many elements a tile, alive in two steps.
void addTemporary(FaultGraph& g, const std::string& name, int64_t elements) {
  const Tensor big = g.graph().addVariable(ElementType::Float, {kTiles * elements}, name);
  g.graph().mapTensorLinearly(big);
  const auto make = g.graph().addComputeSet("make " + name), use = g.graph().addComputeSet("use " + name);
  for (std::size_t t = 0; t < kTiles; ++t) {
    const Tensor part = big.slice(int64_t(t) * elements, int64_t(t + 1) * elements);
    g.graph().setTileMapping(part, TileId(t));
    g.graph().setTileMapping(g.graph().addVertex(make, "Make", {{"out", part}}), TileId(t));
    g.graph().setTileMapping(g.graph().addVertex(use, "Fast", {{"x", part}}), TileId(t));
  }
  g.main().add(program::execute(make));
  g.main().add(program::execute(use));
}

// Little work where a fault is of the rest, so that the rest is seen.
FaultGraph graphFor(const std::string& rule) {
  if (rule == "memory.exchange-code" || rule == "time.small-messages") return FaultGraph(1, kManyTiles, 0);
  if (rule == "time.low-amp-use" || rule == "time.sync-waits" || rule == "time.spread-exchange")
    return FaultGraph(1, kTiles, 500);
  if (rule == "time.host-waits") return FaultGraph(1, kTiles, 2000);
  if (rule == "time.copies-between-ipus") return FaultGraph(2, kTiles, 500);
  return FaultGraph(rule == "time.pipeline-bubble" ? 2 : 1);
}

void addFault(FaultGraph& g, const std::string& rule) {
  std::vector<int64_t> sizes(kTiles, 0);
  if (rule == "memory.fullest-tiles") {
    sizes[5] = 40000;
    g.operation("hoard", sizes, "Fast");
  } else if (rule == "memory.replicated-constants") {
    const auto set = g.graph().addComputeSet("look");
    for (std::size_t t = 0; t < kTiles; ++t) {
      const Tensor table =
          g.graph().addConstant(ElementType::Float, {2000}, std::vector<float>(2000, 1.0f), "table_" + std::to_string(t));
      g.graph().setTileMapping(table, TileId(t));
      const Tensor copy = g.on("used" + std::to_string(t), 2000, t);
      g.main().add(program::copy(table, copy));
      g.graph().setTileMapping(g.graph().addVertex(set, "Fast", {{"x", copy}}), TileId(t));
    }
    g.main().add(program::execute(set));
  } else if (rule == "memory.gaps") {
    sizes[3] = 70000; // 273 KiB behind the boundary of interleaved memory, and little below it
    g.operation("wide", sizes, "Wide");
  } else if (rule == "memory.code-heavy-tiles") {
    sizes[7] = 10;
    g.operation("code", sizes, "Huge");
  } else if (rule == "memory.peak-owners") {
    addTemporary(g, "temporary", 20000);
  } else if (rule == "memory.out-of-memory") {
    sizes[9] = 200000; // 781 KiB
    g.operation("too large", sizes, "Fast");
  } else if (rule == "memory.exchange-code" || rule == "time.small-messages") {
    for (int k = 0; k < 60; ++k) transpose(g, k);
  } else if (rule == "time.unused-tiles") {
    sizes[0] = 40000;
    g.operation("alone", sizes);
  } else if (rule == "time.imbalance") {
    for (std::size_t t = 0; t < kTiles; ++t) sizes[t] = t % 2 ? 30000 : 3000;
    g.operation("uneven", sizes);
  } else if (rule == "time.spread-unused") {
    sizes[0] = 300; // one tile works, a little each time
    for (int k = 0; k < 150; ++k) g.operation("small" + std::to_string(k), sizes);
  } else if (rule == "time.spread-imbalance") {
    for (std::size_t t = 0; t < kTiles; ++t) sizes[t] = t % 2 ? 300 : 30;
    for (int k = 0; k < 150; ++k) g.operation("small" + std::to_string(k), sizes);
  } else if (rule == "time.spread-exchange") {
    const Tensor from = g.graph().addVariable(ElementType::Float, {kTiles, 100}, "from");
    const Tensor to = g.graph().addVariable(ElementType::Float, {kTiles, 100}, "to");
    for (int t = 0; t < kTiles; ++t) {
      g.graph().setTileMapping(from.slice(t, t + 1), TileId(std::size_t(t)));
      g.graph().setTileMapping(to.slice(t, t + 1), TileId(std::size_t((t + 1) % kTiles)));
    }
    for (int k = 0; k < 150; ++k) g.copy(from, to, "shift" + std::to_string(k));
  } else if (rule == "time.serial-tail") {
    std::fill(sizes.begin(), sizes.end(), 1000);
    sizes[31] = 40000;
    g.operation("tail", sizes);
  } else if (rule == "time.sync-waits") {
    const Tensor a = g.on("a", 4, 0), b = g.on("b", 4, 31);
    for (int k = 0; k < 400; ++k) {
      g.copy(a, b, "there");
      g.copy(b, a, "back");
    }
  } else if (rule == "time.host-waits") {
    const Tensor x = g.graph().addVariable(ElementType::Float, {kTiles * 20000}, "images");
    g.graph().mapTensorLinearly(x);
    g.main().add(program::copy(g.graph().addHostToDeviceFifo("images", ElementType::Float, kTiles * 20000), x, "images"));
  } else if (rule == "time.exchange-hot-spot") {
    const Tensor all = g.graph().addVariable(ElementType::Float, {kTiles * 2000}, "all");
    g.graph().mapTensorLinearly(all);
    g.copy(all, g.on("gathered", kTiles * 2000, 4), "gather");
  } else if (rule == "time.low-amp-use") {
    const auto context = g.graph().addContext({}, "product", "model", "Product");
    ops::OpBuilder builder(g.graph(), g.main(), context);
    const Tensor a = g.graph().addVariable(ElementType::Float, {3, 5000}, "a"),
                 b = g.graph().addVariable(ElementType::Float, {5000, 3}, "b");
    g.graph().mapTensorLinearly(a), g.graph().mapTensorLinearly(b);
    for (int k = 0; k < 20; ++k) ops::matmul(builder, a, b);
  } else if (rule == "time.copies-between-ipus") {
    const Tensor from = g.graph().addVariable(ElementType::Float, {kTiles, 20000}, "from");
    const Tensor to = g.graph().addVariable(ElementType::Float, {kTiles, 20000}, "to");
    for (int t = 0; t < kTiles; ++t) {
      g.graph().setTileMapping(from.slice(t, t + 1), TileId(std::size_t(t)));
      g.graph().setTileMapping(to.slice(t, t + 1), TileId(std::size_t(kTiles + t)));
    }
    g.copy(from, to, "over");
  } else if (rule == "time.pipeline-bubble") {
    for (int k = 0; k < 3; ++k) {
      g.operation("first" + std::to_string(k), std::vector<int64_t>(kTiles, 30000 / 3));
      g.copy(g.on("from" + std::to_string(k), 4, 0), g.on("to" + std::to_string(k), 4, kTiles), "over");
      g.operation("second" + std::to_string(k), std::vector<int64_t>(kTiles, 30000 / 3), "Work", kTiles);
      g.copy(g.on("again" + std::to_string(k), 4, kTiles), g.on("back" + std::to_string(k), 4, 0), "back");
    }
  }
}

} // namespace

class InsightsTest : public QObject {
  Q_OBJECT
private slots:
  void aCleanGraphHasNoFindings() {
    FaultGraph g;
    const Insights all = g.insights();
    QVERIFY2(all.list.empty(), listed(all));
    QVERIFY2(all.verdict.text().find("No rule") != std::string::npos, all.verdict.text().c_str());
  }

  void everyRuleFindsItsFault_data() {
    QTest::addColumn<QString>("rule");
    for (const RuleText& rule : ruleTexts())
      QTest::newRow(std::string(rule.id).c_str()) << QString::fromStdString(std::string(rule.id));
  }
  void everyRuleFindsItsFault() {
    QFETCH(QString, rule);
    FaultGraph g = graphFor(rule.toStdString());
    addFault(g, rule.toStdString());
    const Insights all = g.insights();
    QVERIFY2(findingOf(all, rule.toStdString()), listed(all));
    for (const Insight& i : all.list) verifyComplete(i);
  }

  // Tables of one name and shape are copies; worklists are what each vertex needs.
  void worklistsAreNoCopiesOfOne() {
    for (const bool areWorklists : {false, true}) {
      FaultGraph g;
      const auto set = g.graph().addComputeSet("look");
      for (std::size_t t = 0; t < kTiles; ++t) {
        const Tensor table = g.graph().addConstant(ElementType::UInt16, {4000}, std::vector<float>(4000, 1.0f),
                                                   areWorklists ? "conv/worklists" : "conv/table");
        g.graph().setTileMapping(table, TileId(t));
        const Tensor used = g.graph().addVariable(ElementType::UInt16, {4000}, "used" + std::to_string(t));
        g.graph().setTileMapping(used, TileId(t));
        g.main().add(program::copy(table, used));
        g.graph().setTileMapping(g.graph().addVertex(set, "Fast", {{"x", used}}), TileId(t));
      }
      g.main().add(program::execute(set));
      QCOMPARE(bool(findingOf(g.insights(), "memory.replicated-constants")), !areWorklists);
    }
  }

  void theSavingIsThatOfTheFault() {
    FaultGraph g;
    std::vector<int64_t> sizes(kTiles, 0);
    sizes[5] = 40000;
    g.operation("hoard", sizes, "Fast");
    const Insights all = g.insights();
    const Insight* fullest = findingOf(all, "memory.fullest-tiles");
    QVERIFY(fullest);
    QCOMPARE(fullest->where, std::string("tile 5"));
    QVERIFY(fullest->bytes.value() >= 160000 && fullest->bytes.value() < 170000);
    QCOMPARE(fullest->evidence.tiles, std::vector<analyser::TileId>{analyser::TileId(5)});
    int64_t parts = 0;
    for (const Part& part : fullest->parts)
      parts += std::get<analyser::Sentence::Change<analyser::Bytes>>(part.amount).value.value();
    QVERIFY(std::abs(parts - fullest->bytes.value()) < 2048); // medians of categories do not sum to the median
  }

  // A stage that is larger than the others is no tile that is fuller than its neighbours.
  void stagesAreNotMeasuredAgainstEachOther() {
    FaultGraph g(3, kTiles, 0);
    g.operation("large stage", std::vector<int64_t>(kTiles, 20000), "Fast");
    g.operation("small stages", std::vector<int64_t>(2 * kTiles, 100), "Fast", kTiles);
    QVERIFY2(!findingOf(g.insights(), "memory.fullest-tiles"), listed(g.insights()));
    g.operation("hoard", {0, 0, 0, 0, 0, 30000, 30000}, "Fast");
    const Insights all = g.insights();
    const Insight* fullest = findingOf(all, "memory.fullest-tiles");
    QVERIFY2(fullest, listed(all));
    const std::string what = fullest->what.text(std::string::npos);
    QVERIFY2(what.find("of IPU 0: ") != std::string::npos &&
                 what.find("most of it hoard/x5 (+117 KiB). 1 other tile is") != std::string::npos,
             what.c_str());
    for (const std::string& advice : fullest->advice) QVERIFY2(advice.find("about as full") == std::string::npos, advice.c_str());
  }

  // An IPU that is evenly full hides no tile that is fuller than its neighbours on another one.
  void anEvenIpuHidesNoFullTile() {
    FaultGraph g(2, kTiles, 0);
    g.operation("even", std::vector<int64_t>(kTiles, 60000), "Fast");
    g.operation("light", std::vector<int64_t>(kTiles, 100), "Fast", kTiles);
    g.operation("hoard", {0, 0, 0, 40000}, "Fast", kTiles);
    const Insights all = g.insights();
    const Insight* fullest = findingOf(all, "memory.fullest-tiles");
    QVERIFY2(fullest, listed(all));
    QCOMPARE(fullest->where, "tile " + std::to_string(kTiles + 3));
  }

  // As Gain in Liveness: without the owner another step is the peak.
  void theOwnerOfThePeakSavesWhatThePeakFallsBy() {
    FaultGraph g;
    addTemporary(g, "first", 20000);
    addTemporary(g, "second", 15000);
    const Insights all = g.insights();
    const Insight* owner = findingOf(all, "memory.peak-owners");
    QVERIFY(owner);
    QCOMPARE(owner->where, std::string("first"));
    QCOMPARE(owner->bytes.value(), int64_t(kTiles) * 5000 * 4);
    QVERIFY2(owner->what.text().find("another step is the peak") != std::string::npos, owner->what.text().c_str());
  }

  void outOfMemoryComesFirstAndNamesTrials() {
    FaultGraph g;
    addFault(g, "memory.out-of-memory");
    addFault(g, "time.unused-tiles");
    const Insights all = g.insights({{"precision", "fp32"}, {"parameter.training", "1"}});
    QCOMPARE(all.list.front().rule, std::string("memory.out-of-memory"));
    QVERIFY(all.list.front().lacks);
    QVERIFY(findingOf(all, "time.unused-tiles") && !findingOf(all, "time.unused-tiles")->lacks);
    std::set<std::string> titles;
    for (const Trial& trial : all.list.front().trials) {
      titles.insert(trial.title);
      QVERIFY(!trial.options.empty() && trial.options[0].starts_with("--") && !trial.why.empty());
    }
    for (const char* title : {"Half precision", "Recompute activations", "Less room for temporaries"})
      QVERIFY2(titles.count(title), title);
    QVERIFY(titles.count("Half precision, recompute activations"));
  }

  // A change that is in force already is no trial, and stages follow the fullest tile, not the mean.
  void trialsAreChanges() {
    FaultGraph g;
    addFault(g, "memory.out-of-memory"); // one tile needs 1.25 times its memory, the others little
    const Insights all = g.insights({{"precision", "fp16"},
                                     {"parameter.training", "1"},
                                     {"recomputation", "standard"},
                                     {"command_line", "tilescope-cli run x --available-memory 0.3"}});
    const Insight& lacks = all.list.front();
    QVERIFY(lacks.lacks && lacks.share < 1);
    int largest = 0;
    for (const Trial& trial : lacks.trials) {
      for (const char* option : {"--precision", "--recompute", "--available-memory"})
        QVERIFY2(std::find(trial.options.begin(), trial.options.end(), option) == trial.options.end(), trial.title.c_str());
      const auto stages = std::find(trial.options.begin(), trial.options.end(), "--pipeline");
      if (stages != trial.options.end()) largest = std::max(largest, std::stoi(*(stages + 1)));
    }
    QVERIFY2(largest >= 2, std::to_string(largest).c_str());
  }

  // Gaps on a tile that fits, and a name that an option is part of, are neither trouble nor a change in force.
  void whatFitsIsNoCauseAndNamesAreNoOptions() {
    FaultGraph g;
    addFault(g, "memory.gaps");
    QVERIFY(findingOf(g.insights(), "memory.gaps"));
    addFault(g, "memory.out-of-memory");
    const Insights all = g.insights({{"precision", "fp32"}, {"command_line", "tilescope-cli run 'my --available-memory.onnx'"}});
    QVERIFY2(!findingOf(all, "memory.gaps"), listed(all));
    const Insight& lacks = all.list.front();
    QVERIFY(lacks.lacks);
    QVERIFY(std::any_of(lacks.trials.begin(), lacks.trials.end(),
                        [](const Trial& t) { return t.options.front() == "--available-memory"; }));
    QVERIFY2(all.verdict.text().find("does not fit: tile 9 lacks ") != std::string::npos, all.verdict.text().c_str());
    // One total, and what adds up to it.
    QVERIFY2(lacks.what.text().ends_with(", gaps included."), lacks.what.text().c_str());
    const auto gaps = std::find_if(lacks.parts.begin(), lacks.parts.end(), [](const Part& p) { return p.name == "Gaps"; });
    QVERIFY(gaps != lacks.parts.end() && std::get<analyser::Bytes>(gaps->amount) > analyser::Bytes(100'000));
  }

  // A model that is trained by an option of the run says so in its command line alone.
  void aTrainedModelIsOfferedWhatTrainingSaves() {
    for (const bool trains : {false, true}) {
      FaultGraph g;
      addFault(g, "memory.out-of-memory");
      const Insights all = g.insights(
          {{"precision", "fp32"}, {"command_line", trains ? "tilescope-cli run m.onnx --train" : "tilescope-cli run m.onnx"}});
      const Insight& lacks = all.list.front();
      QVERIFY(lacks.lacks);
      for (const char* option : {"--recompute", "--offload"})
        QCOMPARE(std::any_of(lacks.trials.begin(), lacks.trials.end(),
                             [option](const Trial& t) {
                               return std::find(t.options.begin(), t.options.end(), option) != t.options.end();
                             }),
                 trains);
    }
  }

  // More IPUs are the advice only where nothing else is left to try.
  void moreIpusComeLast() {
    FaultGraph g(1, kTiles, 0);
    g.operation("too large", std::vector<int64_t>(kTiles, 200000), "Fast");
    const Insights all = g.insights({{"precision", "fp32"}, {"parameter.training", "1"}});
    QVERIFY(all.list.front().lacks);
    QVERIFY2(all.list.front().advice.front().ends_with("then add IPUs."), all.list.front().advice.front().c_str());
    const Insights last = g.insights({{"precision", "fp16"}, {"command_line", "tilescope-cli run x --available-memory=0.3"}});
    QVERIFY2(last.list.front().advice.front().ends_with("it needs more IPUs."), last.list.front().advice.front().c_str());
  }

  // The many do not count an operation that a rule for one operation names.
  void theWasteOfManyIsThatOfSmallOperations() {
    FaultGraph g;
    addFault(g, "time.unused-tiles");
    QVERIFY(!findingOf(g.insights(), "time.spread-unused"));
    addFault(g, "time.spread-unused");
    const Insights all = g.insights();
    const Insight* spread = findingOf(all, "time.spread-unused");
    QVERIFY2(spread, listed(all));
    double parts = 0;
    for (const Part& part : spread->parts) parts += std::get<analyser::Sentence::Percent>(part.amount).fraction;
    QVERIFY(std::abs(parts - spread->share) < 0.001);
    QVERIFY(spread->evidence.operation.valid() && spread->evidence.step.valid()); // the first is the even one
    const std::string worst = "small" + std::to_string(spread->evidence.operation.value() - 2);
    QVERIFY2(spread->what.text().find(worst + ".") != std::string::npos, spread->what.text().c_str());
    QVERIFY2(spread->what.text().find("150 operations") != std::string::npos, spread->what.text().c_str());
  }

  // Twice the samples do not fit where a tile is nearly full.
  void aLargerBatchIsProposedWhereThereIsRoom() {
    for (const bool isNearlyFull : {false, true}) {
      FaultGraph g;
      std::vector<int64_t> sizes(kTiles, 0);
      sizes[5] = 140'000; // 547 KiB
      if (isNearlyFull) g.operation("hoard", sizes, "Fast");
      addFault(g, "time.spread-unused");
      const Insights all = g.insights({{"batch_size", "4"}, {"parameter.batch", "4"}});
      const Insight* spread = findingOf(all, "time.spread-unused");
      QVERIFY2(spread, listed(all));
      const bool isProposed =
          std::any_of(spread->trials.begin(), spread->trials.end(), [](const Trial& t) { return t.title == "Batch 8"; });
      QCOMPARE(isProposed, !isNearlyFull);
      QVERIFY(!spread->trials.empty());
    }
  }

  void findingsAreRankedBySaving() {
    FaultGraph g;
    for (const char* rule : {"time.unused-tiles", "time.imbalance", "time.host-waits"}) addFault(g, rule);
    const Insights all = g.insights();
    QVERIFY(all.list.size() >= 3);
    for (std::size_t i = 1; i < all.list.size(); ++i) QVERIFY(all.list[i - 1].share >= all.list[i].share);
  }

  // Memory that is free makes no run faster: what it costs there stands behind the cycles, and before them where tiles are full.
  void memoryCountsWhereItIsScarce() {
    for (const auto& [elements, first] :
         {std::pair<int64_t, const char*>{60'000, "time.imbalance"}, {100'000, "memory.fullest-tiles"}}) {
      FaultGraph g;
      std::vector<int64_t> sizes(kTiles, 0);
      sizes[5] = elements;
      g.operation("hoard", sizes, "Fast");
      addFault(g, "time.imbalance");
      const Insights all = g.insights();
      QVERIFY2(all.list.size() >= 2 && all.list.front().rule == first, listed(all));
    }
  }

  void aReportWithoutExecutionIsJudgedToo() {
    const tests::TinyReport report(tests::ReportShape{2, 8, 7});
    const auto session = analyser::Session::open(report.path().string());
    const Insights all = analyser::insights::insights(*session);
    for (const Insight& i : all.list) verifyComplete(i);
    QVERIFY(!all.verdict.empty());
  }
};

TILESCOPE_TEST(InsightsTest)
#include "insights_test.moc"
