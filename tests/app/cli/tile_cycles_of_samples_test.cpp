// Wasted tile-cycles of real runs: the profiles of all steps and the slices of the trace must give the same number, to the cycle.
#include "analyser/operations/data_flow.h"
#include "analyser/operations/operation_steps.h"
#include "analyser/operations/rollup.h"
#include "analyser/program/program_tree.h"
#include "analyser/session/debug_contexts.h"
#include "analyser/summary/summary.h"
#include "analyser/trace/pipeline.h"
#include "analyser/trace/tile_cycles.h"
#include "reports/sqlite/reader.h"
#include "tests/app/cli/cli_runner.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <set>

using namespace analyser;
using trace::TileTime;

class TileCyclesOfSamplesTest : public QObject {
  Q_OBJECT
private slots:
  // Layers that are lowered alike share a function; each has its own part of the function's cost.
  void layersThatShareAFunctionHaveEqualCosts() {
    const tests::TemporaryFolder folder;
    const std::string file = (folder / "report.tsr").string();
    const auto ran = tests::cli({"run", "bert", "--set", "layers=6", "--set", "hidden=64", "--no-numbers", "-o", file});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    const auto session = Session::open(file);
    QVERIFY(session->reader().first<reports::CallContextRow>("1 = 1", {}));
    const auto all = operations::operations(*session);
    std::map<std::string, const operations::Operation*> byName;
    trace::TileCycles sum, ofSteps;
    for (const auto& o : all.rows) {
      byName[o.name] = &o;
      sum += o.tileCycles;
      // One IPU without I/O tiles: an operation's tile-cycles are its cycles times all tiles.
      QVERIFY2(std::abs(o.tileCycles.total() - o.total.value() * session->machine().tiles()) <= session->machine().tiles(),
               o.name.c_str());
    }
    const auto *third = byName.at("bert/fwd/layer3/attention/query"), *fourth = byName.at("bert/fwd/layer4/attention/query");
    QCOMPARE(third->kind, std::string("Gemm"));
    QVERIFY(third->compute > Cycles());
    QCOMPARE(third->total, fourth->total);
    QCOMPARE(third->tileCycles, fourth->tileCycles);
    // Bytes are divided like cycles, and none is lost: they sum to those of the variables and of the code.
    QVERIFY(third->codeBytes > Bytes() && third->temporaryBytes > Bytes() && third->vertices > 0);
    const auto isNear = [](Bytes a, Bytes b) { return std::abs((a - b).value()) < 64; }; // rounding remainders of all steps
    QVERIFY(isNear(third->codeBytes, fourth->codeBytes));
    QVERIFY(isNear(third->memory(), fourth->memory()));
    QVERIFY(isNear(third->temporaryBytes, fourth->temporaryBytes));
    int64_t temporary = 0;
    const OperationNames contexts(*session);
    session->reader().forEach<reports::VariableRow>("always_live = 0 AND debug_context_id IS NOT NULL", {},
                                                    [&](const reports::VariableRow& variable) {
                                                      if (contexts.contextOf(variable.debugContextId))
                                                        temporary += variable.totalBytes;
                                                    });
    QCOMPARE(all.totals.temporaryBytes.value(), temporary);
    // The rows of the debug layer agree: the first caller of a function does not carry the cost of the others.
    const operations::Operations layer = operations::operationsOfLayer(*session, third->layer).operations;
    std::map<reports::DebugContextId, const operations::Operation*> ofLayer;
    for (const auto& o : layer.rows) ofLayer[o.debugContext] = &o;
    int64_t compared = 0;
    for (const auto& o : all.rows) {
      const auto same = ofLayer.find(o.debugContext);
      if (same == ofLayer.end()) continue;
      const int64_t off = (same->second->total - o.total).value(); // one of them gets the rounding remainder
      QVERIFY2(std::abs(off) <= 50, (o.name + " is off by " + std::to_string(off)).c_str());
      ++compared;
    }
    QVERIFY(compared > 100);
    // The rules judge all operations that share a function together.
    const auto groups = operations::alike(all);
    const auto query = std::find_if(groups.begin(), groups.end(),
                                    [](const auto& g) { return g.totals.name == "bert/fwd/layer0/attention/query"; });
    QVERIFY(query != groups.end());
    QVERIFY(query->members.size() >= 6);
    QVERIFY2(query->name().text().ends_with(" alike"), query->name().text().c_str());
    std::size_t members = 0;
    for (const auto& group : groups) members += group.members.size();
    QCOMPARE(members, all.rows.size());
    // Calls of one function have the names of the operations for which they run.
    const auto program = program::programTree(*session);
    std::map<std::string, int> named; // by the layer
    for (const auto& node : program.nodes)
      for (const char* part : {"/layer2/", "/layer3/", "/layer4/"})
        if (node.callee.valid() && node.name.find(part) != std::string::npos) ++named[part];
    QCOMPARE(named.size(), std::size_t(3));
    // An operation's steps are those of the function, with the operation's share of the executions.
    const auto steps = operations::operationSteps(*session, all);
    const int row = int(fourth - all.rows.data());
    Cycles ofFourth;
    for (const auto& step : steps)
      if (step.operation == row) ofFourth += step.node.cycles;
    QCOMPARE(ofFourth, fourth->total);
    // The costliest step of an operation is one of its own steps, and none of these costs more.
    for (std::size_t i = 0; i < all.rows.size(); ++i) {
      Cycles most, shown;
      for (const auto& step : steps) {
        if (step.operation != int(i)) continue;
        most = std::max(most, step.node.cycles);
        if (step.node.id == all.rows[i].costliestStep) shown = std::max(shown, step.node.cycles);
      }
      QVERIFY2(shown == most, all.rows[i].name.c_str());
    }
    // Data flows from layer to layer, not from every layer to the one for which the function was made.
    const auto flow = operations::dataFlow(*session, all);
    const auto reads = std::count_if(flow.edges.begin(), flow.edges.end(), [&](const auto& edge) { return edge.to == row; });
    QVERIFY(reads > 0);
    // A slice of the trace names the layer that ran.
    trace::ExecutionTrace execution(*session);
    std::set<std::string> ran4;
    execution.slices().forEach(execution.tracks().front().id, 5, execution.range(), {}, [&](const trace::Slice& slice) {
      ran4.insert(execution.details(execution.tracks().front().id, slice).operation);
    });
    QVERIFY(ran4.contains("bert/fwd/layer4/attention/query"));
  }
  // Activations flow from stage to stage and gradients flow back, each as its own arrow, although one copy moves all of them.
  void arrowsLeadFromStageToStage() {
    const tests::TemporaryFolder folder;
    const std::string file = (folder / "stages.tsr").string();
    const auto ran = tests::cli({"run", "bert-pipeline", "--set", "layers=4", "--set", "hidden=64", "--no-numbers", "-o", file});
    QCOMPARE(ran.code, 0);
    const auto session = Session::open(file);
    const auto all = operations::operations(*session);
    const auto tree = operations::ipuTree(all);
    const std::vector<bool> folded(tree.size(), false);
    const auto graphOf = [&](operations::Transfers transfers) {
      return operations::operationGraph(tree, operations::dataFlow(*session, all, transfers), folded);
    };
    std::set<std::pair<std::string, std::string>> arrows;
    const auto graph = graphOf(operations::Transfers::Arrows);
    const auto titleOf = [&](int node) { return tree[std::size_t(graph.nodes[std::size_t(node)].row)].title; };
    for (const auto& edge : graph.edges) arrows.emplace(titleOf(edge.from), titleOf(edge.to));
    for (int ipu = 0; ipu + 1 < session->machine().ipus; ++ipu) {
      const std::string here = "IPU " + std::to_string(ipu), next = "IPU " + std::to_string(ipu + 1);
      QVERIFY(arrows.contains({here, next}) && arrows.contains({next, here}));
    }
    QVERIFY(!arrows.contains({"IPU 1", "IPU 3"}));              // no data jumps over a stage
    QCOMPARE(int(graph.nodes.size()), session->machine().ipus); // operations that only copy have no box
    QCOMPARE(int(graphOf(operations::Transfers::Operations).nodes.size()), session->machine().ipus + 1);
  }
  // If a loop was simulated once and multiplied, each step has one slice for all iterations: no time counts as idle.
  void aFoldedPipelineWorksAsMuchAMicroBatch() {
    const tests::TemporaryFolder folder;
    const auto pipelineOf = [&](const std::string& microBatches) {
      const std::string file = (folder / (microBatches + ".tsr")).string();
      // The automatic cut also weighs the update, so it differs for few micro-batches.
      const auto ran = tests::cli({"run", "bert-pipeline", "--set", "layers=4", "--set", "hidden=64", "--shard", "layers:1,1,1,1",
                                   "--accumulation", microBatches, "--no-numbers", "-o", file});
      const auto session = ran.code == 0 ? Session::open(file) : nullptr;
      if (!session) return std::pair(std::optional<trace::Pipeline>(), false);
      trace::ExecutionTrace execution(*session);
      return std::pair(trace::pipeline(execution), summary::summarise(*session).runs.front().foldedIterations > 0);
    };
    const auto [few, fewFolded] = pipelineOf("16");
    const auto [many, manyFolded] = pipelineOf("1024");
    QVERIFY(few && many && !fewFolded && manyFolded);
    QVERIFY(!few->isOfRuns && !many->isOfRuns);
    for (std::size_t s = 0; s < few->stages.size(); ++s) {
      const double ratio = double(many->stages[s].perMicroBatch.value()) / double(few->stages[s].perMicroBatch.value());
      QVERIFY2(std::abs(ratio - 1) < 0.1, std::to_string(ratio).c_str());
    }
    QVERIFY2(many->bubble < few->bubble, many->verdict.text().c_str());
  }
  // The shares of the trace's range equal those of the run, and each name counts all executions of its steps.
  void aFoldedTraceIsAsBusyAsItsRun() {
    const tests::TemporaryFolder folder;
    const std::string file = (folder / "folded.tsr").string();
    QCOMPARE(tests::cli({"run", "bert-pipeline", "--set", "layers=4", "--set", "hidden=64", "--accumulation", "1024",
                         "--no-numbers", "-o", file})
                 .code,
             0);
    const auto session = Session::open(file);
    const auto summary = summary::summarise(*session);
    QVERIFY(summary.runs.front().foldedIterations > 0);
    trace::ExecutionTrace execution(*session);
    const auto shares = execution.proportions(execution.range()).ipus;
    int64_t leastIdle = INT64_MAX;
    for (const auto& ipu : shares) leastIdle = std::min(leastIdle, ipu.shares.back().cycles.value());
    QCOMPARE(Cycles(leastIdle), summary.cycles.idle);
    // The tile-cycles of the whole range, slice by slice, are those of the steps.
    trace::TileCycles ofSlices;
    for (const auto& ipu : trace::tileCyclesOfRange(execution, execution.range())) ofSlices += ipu.cost;
    QVERIFY(ofSlices == trace::tileCyclesOfRuns(*session));
    const auto names = execution.statistics(execution.range());
    QVERIFY(std::any_of(names.begin(), names.end(), [](const auto& n) { return n.count >= 1024; }));
    // Half of a folded slice has half of its executions and the same shares of waste.
    trace::Slice folded, single;
    const trace::Track& track = execution.tracks().front();
    for (int depth = 0; depth < track.depths; ++depth)
      execution.slices().forEach(track.id, depth, execution.range(), {}, [&](const trace::Slice& s) {
        const bool isStep = s.ref >= 0 && s.category != uint8_t(reports::Activity::Scope);
        const trace::Profile* p = isStep ? execution.profile(s.ref) : nullptr;
        if (p && p->perSlice > 100 && s.category == uint8_t(reports::Activity::Compute) && s.duration() > folded.duration())
          folded = s;
      });
    QVERIFY(folded.duration() > 0);
    const trace::Profile& profile = *execution.profile(folded.ref);
    const int64_t perSlice = profile.perSlice, one = folded.duration() / perSlice;
    const reports::TickRange half{folded.ticks.begin, folded.ticks.begin + folded.duration() / 2};
    const auto costOf = [&](reports::TickRange range) {
      return trace::tileCyclesOfRange(execution, range, {}, {track.id}).front().cost;
    };
    const auto whole = costOf(folded.ticks), part = costOf(half);
    for (int k = 0; k < trace::kTileTimes; ++k)
      QVERIFY(std::abs(whole.share(trace::TileTime(k)) - part.share(trace::TileTime(k))) < 0.01);
    const auto inHalf = execution.statistics(half, {}, {}, track.ipu);
    const auto same = std::find_if(inHalf.begin(), inHalf.end(),
                                   [&](const auto& n) { return n.name == folded.name && n.category == folded.category; });
    QVERIFY(same != inHalf.end());
    QVERIFY2(std::abs(same->count - perSlice / 2) <= 1, std::to_string(same->count).c_str());
    QVERIFY(std::abs(same->mean() - double(one)) < 0.02 * double(one));
    // A slice of one execution also has the number of all executions of its step.
    for (int depth = 0; depth < track.depths && single.duration() == 0; ++depth)
      execution.slices().forEach(track.id, depth, execution.range(), {}, [&](const trace::Slice& s) {
        if (single.duration() > 0 || s.ref < 0 || s.category != folded.category || s.name != folded.name) return;
        const trace::Profile* p = execution.profile(s.ref);
        if (p && p->perSlice == 1 && p->programStep == profile.programStep) single = s;
      });
    QVERIFY(single.duration() > 0);
    const auto ofFolded = execution.details(track.id, folded), ofSingle = execution.details(track.id, single);
    QCOMPARE(ofFolded.inSlice, perSlice);
    QCOMPARE(ofSingle.inSlice, int64_t(1));
    QCOMPARE(ofFolded.executions, ofSingle.executions);
    QVERIFY(ofSingle.executions >= perSlice);
  }
  void stepsAndTraceAgree_data() {
    QTest::addColumn<QString>("options");
    QTest::newRow("one IPU") << "mnist-train";
    QTest::newRow("halo") << "halo-exchange";
    QTest::newRow("sharded") << "mlp --ipus 2";
    QTest::newRow("pipeline") << "bert-pipeline --set layers=4 --set hidden=64";
    QTest::newRow("I/O tiles") << "mnist-train --io-tiles 32 --batches-per-step 3";
  }
  void stepsAndTraceAgree() {
    QFETCH(QString, options);
    const tests::TemporaryFolder folder;
    std::vector<std::string> words{"run"};
    for (const QString& word : options.split(' ')) words.push_back(word.toStdString());
    const std::string file = (folder / "report.tsr").string();
    for (const std::string& word : {std::string("--no-numbers"), std::string("-o"), file}) words.push_back(word);
    const auto ran = tests::cli(words);
    QVERIFY2(ran.code == 0, ran.err.c_str());

    const auto session = Session::open(file);
    trace::ExecutionTrace execution(*session);
    trace::TileCycles fromTrace, fromSteps;
    const auto proportions = execution.proportions(execution.range());
    for (const trace::IpuTileCycles& ipu : trace::tileCyclesOfRange(execution, execution.range())) {
      // Each IPU has the cycles of its own tiles, even if a step is listed once for all IPUs.
      const auto same =
          std::find_if(proportions.ipus.begin(), proportions.ipus.end(), [&](const auto& p) { return p.track == ipu.track; });
      QVERIFY(same != proportions.ipus.end());
      const auto of = [&](TileTime kind) { return double(ipu.cost[kind]); };
      const double inCompute = of(TileTime::Busy) + of(TileTime::Unused) + of(TileTime::Imbalance);
      if (inCompute > 0) QVERIFY2(std::abs(same->computeBalance - of(TileTime::Busy) / inCompute) < 0.02, qPrintable(options));
      // One meaning of busy.
      QVERIFY2(std::abs(same->tileUtilisation * double(ipu.cost.total()) - of(TileTime::Busy)) <= of(TileTime::Busy) * 0.001,
               qPrintable(options));
      QCOMPARE(ipu.cost.total(), ipu.tiles * execution.range().size());
      fromTrace += ipu.cost;
    }
    std::map<int64_t, int64_t> onIpus;
    for (const auto& [step, cost] : trace::tileCyclesBySteps(*session)) {
      fromSteps += cost.cost;
      for (const auto& [ipu, cycles] : cost.onIpus) onIpus[ipu] += cycles;
    }
    if (!options.contains("io-tiles")) // whose two sets of tiles work at once
      for (const auto& track : execution.tracks()) {
        int64_t busy = 0;
        for (int depth = 0; depth < track.depths; ++depth) {
          const auto ticks = execution.slices().busyTicks(track.id, depth, execution.range());
          for (int a = 0; a < int(reports::Activity::Idle); ++a) busy += ticks.ticks[std::size_t(a)];
        }
        QCOMPARE(onIpus[int64_t(track.ipu->value())], busy);
      }
    for (const TileTime kind :
         {TileTime::Busy, TileTime::Unused, TileTime::Imbalance, TileTime::Exchange, TileTime::Sync, TileTime::Host})
      QVERIFY2(fromSteps[kind] == fromTrace[kind], trace::tileTimeName(kind).data());
    QVERIFY(fromSteps[TileTime::Busy] > 0);
    QCOMPARE(trace::tileCyclesOfRuns(*session), fromTrace);
    const auto averages = summary::summarise(*session).tileAverages;
    const auto meanOf = [&](TileTime kind) {
      return Cycles(std::llround(double(fromTrace[kind]) / double(session->machine().tiles())));
    };
    QCOMPARE(averages.sync, meanOf(TileTime::Sync));
    QCOMPARE(averages.hostExchange, meanOf(TileTime::Host));

    const auto json = nlohmann::json::parse(tests::cli({"summary", file, "--json"}).out);
    int64_t sum = 0;
    for (const auto& [name, value] : json["tile_cycles"].items())
      if (name != "total" && name != "wasted") sum += value.get<int64_t>();
    QCOMPARE(sum, json["tile_cycles"]["total"].get<int64_t>());
    QCOMPARE(sum, int64_t(session->machine().tiles()) * json["total_cycles"].get<int64_t>());
  }
};

TILESCOPE_TEST(TileCyclesOfSamplesTest)
#include "tile_cycles_of_samples_test.moc"
