// The proposed trials for a program that does not fit: changes not yet in force, with plausible forecasts.
#include "analyser/insights/machine_catalogue.h"
#include "simcore/arch/machine.h"
#include "tests/analyser/insights/fault_graph.h"
#include "tests/support/test_main.h"

#include <set>

using namespace analyser::insights;
using namespace simcore;
using namespace tests;

namespace {
bool hasPart(const Insight& finding, const char* name) {
  return std::any_of(finding.parts.begin(), finding.parts.end(), [name](const Part& p) { return p.name == name; });
}
} // namespace

class FitRuleTest : public QObject {
  Q_OBJECT

private slots:
  void outOfMemoryComesFirstAndNamesTrials() {
    FaultGraph g;
    addFault(g, "memory.out-of-memory");
    addActivation(g, 20000);
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
    for (const char* title : {"Half precision", "Recompute activations", "Lower available memory proportion"})
      QVERIFY2(titles.count(title), title);
    QVERIFY(titles.count("Half precision, recompute activations"));
  }

  // A change that is already in force is not proposed, and the number of stages follows the fullest tile, not the mean.
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

  // Gaps on a tile that fits are not a finding, and an option inside a file name is not a change in force.
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
    QVERIFY2(all.verdict.text().starts_with("Does not fit: tile 9 lacks "), all.verdict.text().c_str());
    // One total, and parts that add up to it.
    QVERIFY2(lacks.what.text().ends_with(", gaps included."), lacks.what.text().c_str());
    const auto gaps = std::find_if(lacks.parts.begin(), lacks.parts.end(), [](const Part& p) { return p.name == "Gaps"; });
    QVERIFY(gaps != lacks.parts.end() && std::get<analyser::Bytes>(gaps->amount) > analyser::Bytes(100'000));
  }

  // If a run option trains the model, only the command line of the report shows it.
  void aTrainedModelIsOfferedWhatTrainingSaves() {
    for (const bool trains : {false, true}) {
      FaultGraph g;
      addFault(g, "memory.out-of-memory");
      addActivation(g, 20000);
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

  // If no single change is enough, several are combined into one trial, and so are the tensors that they offload.
  void changesAreTriedTogether() {
    FaultGraph g;
    addFault(g, "memory.out-of-memory");
    addActivation(g, 20000);
    const auto update = g.graph().addComputeSet("update"); // reads its previous value: always live
    g.graph().setTileMapping(g.graph().addVertex(update, "Fast", {{"x", g.on("model/fc1/firstMoment", 1000, 1)}}),
                             FaultGraph::tile(1));
    g.main().add(program::execute(update));
    const Insights all = g.insights({{"precision", "fp32"}, {"parameter.training", "1"}, {"batch_size", "1"}});
    const auto has = [&](const std::vector<std::string>& words) {
      return std::any_of(all.list.front().trials.begin(), all.list.front().trials.end(), [&](const Trial& t) {
        return std::all_of(words.begin(), words.end(), [&](const auto& word) {
          return std::find(t.options.begin(), t.options.end(), word) != t.options.end();
        });
      });
    };
    QVERIFY(has({"fp16", "standard", "optimiser"}));
    QVERIFY(has({"fp16", "standard", "optimiser,weights"}));
  }

  // Recomputation does not remove temporaries of the operation at the peak: they would be made again.
  void temporariesAreNoActivations() {
    FaultGraph g(1, kTiles, 0);
    auto& graph = g.graph();
    const auto context = graph.addContext({}, "scratch", "library", "Operation");
    const auto make = graph.addComputeSet("make", context), use = graph.addComputeSet("use", context);
    const Tensor scratch = graph.addVariable(ElementType::Float, {200'000}, "values", context); // 1.2 times a tile
    graph.setTileMapping(scratch, FaultGraph::tile(0));
    graph.setTileMapping(graph.addVertex(make, "Make", {{"out", scratch}}), FaultGraph::tile(0));
    graph.setTileMapping(graph.addVertex(use, "Fast", {{"x", scratch}}), FaultGraph::tile(0));
    g.main().add(program::execute(make));
    g.main().add(program::execute(use));
    const Insights all = g.insights({{"precision", "fp32"}, {"parameter.training", "1"}});
    const Insight& lacks = all.list.front();
    QVERIFY(lacks.lacks);
    const auto part = [&](const char* name) { return hasPart(lacks, name); };
    QVERIFY(part("Temporaries at the peak"));
    QVERIFY(!part("Activations and other values at the peak"));
    QVERIFY(std::none_of(lacks.trials.begin(), lacks.trials.end(),
                         [](const Trial& t) { return t.title.find("ecompute") != std::string::npos; }));
  }

  // A gradient also waits, for the update, but the backward pass makes it, so recomputation does not save its memory.
  void gradientsThatWaitAreNoActivations() {
    for (const bool isGradient : {false, true}) {
      FaultGraph g(1, kTiles, 0);
      auto& graph = g.graph();
      const auto pass = graph.addContext({}, isGradient ? "bwd" : "fwd", "", "");
      const auto maker = graph.addContext(pass, "product", "library", "Operation");
      const Tensor kept = graph.addVariable(ElementType::Float, {200'000}, "out", maker); // 1.2 times a tile
      graph.setTileMapping(kept, FaultGraph::tile(0));
      const auto make = graph.addComputeSet("make", maker);
      graph.setTileMapping(graph.addVertex(make, "Make", {{"out", kept}}), FaultGraph::tile(0));
      g.main().add(program::execute(make));
      for (const char* name : {"a", "b", "c"}) g.operation(name, {10, 10}, "Fast");
      const auto reader = graph.addContext({}, "wu", "library", "Operation");
      const auto use = graph.addComputeSet("use", reader);
      graph.setTileMapping(graph.addVertex(use, "Fast", {{"x", kept}}), FaultGraph::tile(0));
      g.main().add(program::execute(use));
      const Insights all = g.insights({{"precision", "fp32"}, {"parameter.training", "1"}});
      const Insight& lacks = all.list.front();
      QVERIFY(lacks.lacks);
      const auto part = [&](const char* name) { return hasPart(lacks, name); };
      QCOMPARE(part("Gradients and values of the update, live at the peak"), isGradient);
      QCOMPARE(part("Activations and other values at the peak"), !isGradient);
      QCOMPARE(std::any_of(lacks.trials.begin(), lacks.trials.end(),
                           [](const Trial& t) { return t.title == "Recompute activations"; }),
               !isGradient);
    }
  }

  // Accumulated gradients do not count as optimiser state; another option halves them.
  void sumsOfGradientsAreNoState() {
    FaultGraph g(1, kTiles, 0);
    g.operation("w/accumulator", std::vector<int64_t>(kTiles, 200000), "Fast");
    const Insights all =
        g.insights({{"precision", "fp16"}, {"parameter.training", "1"}, {"command_line", "tilescope-cli run x"}});
    const Insight& lacks = all.list.front();
    QVERIFY(lacks.lacks);
    const auto part = [&](const std::string& beginning) {
      return std::any_of(lacks.parts.begin(), lacks.parts.end(), [&](const Part& p) { return p.name.starts_with(beginning); });
    };
    QVERIFY(part("Gradients summed over micro-batches") && !part("State of the optimiser"));
    const auto tries = [&](const std::string& option) {
      return std::any_of(lacks.trials.begin(), lacks.trials.end(), [&](const Trial& t) { return t.options.front() == option; });
    };
    QVERIFY(tries("--half-sums") && !tries("--half-state") && !tries("--offload=optimiser"));
    // Trials on the same number of IPUs come before trials with more IPUs.
    const auto more = std::find_if(lacks.trials.begin(), lacks.trials.end(), [](const Trial& t) {
      return std::find(t.options.begin(), t.options.end(), "--ipus") != t.options.end();
    });
    QVERIFY(more != lacks.trials.end());
    QVERIFY(std::all_of(more, lacks.trials.end(), [](const Trial& t) {
      return std::find(t.options.begin(), t.options.end(), "--ipus") != t.options.end();
    }));
  }

  // The advice is more IPUs only if no other trial is left.
  void moreIpusComeLast() {
    FaultGraph g(1, kTiles, 0);
    g.operation("too large", std::vector<int64_t>(kTiles, 200000), "Fast");
    const Insights all = g.insights({{"precision", "fp32"}, {"parameter.training", "1"}});
    QVERIFY(all.list.front().lacks);
    QVERIFY2(all.list.front().advice.front().ends_with("then add IPUs."), all.list.front().advice.front().c_str());
    const Insights last = g.insights({{"precision", "fp16"}, {"command_line", "tilescope-cli run x --available-memory=0.3"}});
    QVERIFY2(last.list.front().advice.front().ends_with("it needs more IPUs."), last.list.front().advice.front().c_str());
  }

  // The `larger` machine has the same tiles per IPU and more IPUs; the `next` machine's chip has more tiles.
  void machinesGrowIntoThoseOfTheCatalogue() {
    int growing = 0;
    for (const arch::Machine& machine : arch::machineCatalogue()) {
      const CatalogueMachine* known = catalogueMachine(machine.name);
      QVERIFY2(known, machine.name.c_str());
      QCOMPARE(known->mostIpus, machine.ipuCounts.back());
      if (!known->larger.empty()) {
        const arch::Machine larger = arch::findMachine(known->larger, 0);
        QCOMPARE(larger.name, known->larger);
        QVERIFY2(larger.ipuCounts.back() > known->mostIpus, machine.name.c_str());
        QCOMPARE(larger.tilesPerIpu, machine.tilesPerIpu);
        ++growing;
      }
      if (!known->next.empty()) QVERIFY(arch::findMachine(known->next, 0).tilesPerIpu > machine.tilesPerIpu);
    }
    QVERIFY(growing > 5 && !catalogueMachine("gc2")->next.empty() && !catalogueMachine("tiny8"));
  }

  // A number of stages is not offered if a stage would not fit on an IPU, or if the machine has too few IPUs.
  void noStagesThatCannotBe() {
    const std::string name = "m2000";
    for (const char* replicas :
         {"2", "32"}) { // four stages or more: of 32 replicas they are more than any machine of the kind has
      FaultGraph g(1, kTiles, 0, name);
      g.operation("too large", std::vector<int64_t>(kTiles, 600'000), "Fast"); // 3.7 times a tile
      const Insights all = g.insights({{"precision", "fp16"}, {"replicas", replicas}});
      bool isOffered = false;
      for (const Trial& trial : all.list.front().trials) {
        const auto valueOf = [&](const char* option) {
          const auto at = std::find(trial.options.begin(), trial.options.end(), option);
          return at == trial.options.end() ? std::string() : *(at + 1);
        };
        if (valueOf("--ipus").empty()) continue;
        isOffered = true;
        const auto machine = valueOf("--machine").empty() ? name : valueOf("--machine");
        QVERIFY2(std::stoi(valueOf("--ipus")) <= arch::findMachine(machine, 0).ipuCounts.back(), trial.title.c_str());
      }
      QCOMPARE(isOffered, replicas == std::string("2"));
    }
  }
};

TILESCOPE_TEST(FitRuleTest)
#include "fit_rule_test.moc"
