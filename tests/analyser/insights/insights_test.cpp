// One test per rule: a graph with exactly that fault and a graph without faults, compiled and run by the simulator.
#include "analyser/insights/largest.h"
#include "reports/sqlite/reader.h"
#include "tests/analyser/insights/fault_graph.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"

#include <set>

using namespace analyser::insights;
using namespace simcore;
using namespace simcore::graph;
using namespace tests;

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

  // Tables with the same name and shape count as copies; worklists do not, because each vertex needs its own.
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

  // A pipeline stage that is larger than the others does not make its tiles "fullest tiles": only tiles of one IPU are compared.
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

  // An evenly full IPU does not hide a tile of another IPU that is fuller than its neighbours.
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

  // A tile that holds a third of the fullest tile's bytes is not a finding, however far it exceeds the rest of its IPU.
  void aTileWithRoomToSpareIsNoFinding() {
    FaultGraph g(2, kTiles, 0);
    g.operation("even", std::vector<int64_t>(kTiles, 60000), "Fast");
    g.operation("light", std::vector<int64_t>(kTiles, 100), "Fast", kTiles);
    g.operation("less", {0, 0, 0, 20000}, "Fast", kTiles);
    QVERIFY2(!findingOf(g.insights(), "memory.fullest-tiles"), listed(g.insights()));
  }

  // A program made only of compute sets has no operations, so the rules judge its steps.
  void aProgramBuiltByHandIsJudgedByItsSteps() {
    FaultGraph g(1, kTiles, 0);
    g.operation("few", {40000, 40000, 40000, 40000}, "Work", 0, false);
    const Insights all = g.insights();
    const Insight* unused = findingOf(all, "time.unused-tiles");
    QVERIFY(unused);
    QCOMPARE(unused->where, std::string("few"));
    QCOMPARE(unused->evidence.view, std::string("program"));
    QVERIFY(unused->evidence.step.valid());
    QVERIFY2(unused->what.text().find("4 of 32 tiles") != std::string::npos, unused->what.text().c_str());
  }

  // IPUs without work are counted; the working IPUs are not reported as waiting for them.
  void idleIpusAreNamed() {
    FaultGraph g(4, kTiles, 0);
    g.operation("even", std::vector<int64_t>(2 * kTiles, 20000));
    const Insights all = g.insights();
    const Insight* idle = findingOf(all, "time.idle-ipus");
    QVERIFY2(idle, listed(all));
    QCOMPARE(idle->where, std::string("2 of 4 IPUs"));
    QCOMPARE(idle->what.text(), std::string("2 of 4 IPUs do nothing in the whole run: IPU 2, 3."));
    QCOMPARE(idle->share, 0.5);
    QVERIFY2(idle->advice.front().find("{option replicas} 2") != std::string::npos, idle->advice.front().c_str());
    QVERIFY2(!findingOf(all, "time.pipeline-bubble"), listed(all));
  }

  // A badly cut model has many copies: the largest are findings of their own, the others share one finding.
  void manyCopiesAreNoFlood() {
    FaultGraph g(2, kTiles, 500);
    for (int k = 0; k < 7; ++k) {
      const Tensor from = g.graph().addVariable(ElementType::Float, {kTiles, 20000}, "from" + std::to_string(k));
      const Tensor to = g.graph().addVariable(ElementType::Float, {kTiles, 20000}, "to" + std::to_string(k));
      for (int t = 0; t < kTiles; ++t) {
        g.graph().setTileMapping(from.slice(t, t + 1), TileId(std::size_t(t)));
        g.graph().setTileMapping(to.slice(t, t + 1), TileId(std::size_t(kTiles + t)));
      }
      g.copy(from, to, "over" + std::to_string(k));
    }
    const Insights all = g.insights();
    std::vector<const Insight*> copies;
    for (const Insight& i : all.list)
      if (i.rule == "time.copies-between-ipus") copies.push_back(&i);
    QCOMPARE(copies.size(), std::size_t(4));
    const auto others =
        std::find_if(copies.begin(), copies.end(), [](const Insight* i) { return i->where == "many operations"; });
    QVERIFY2(others != copies.end() && (*others)->what.text().starts_with("4 more operations"), listed(all));
  }

  // If IPUs are fed one after the other, the program waits for the sum of their transfers, not only for the longest.
  void transfersThatTakeTurnsAddUp() {
    FaultGraph g(2, kTiles, 0);
    const auto feed = [&](const std::string& name, int ipu) {
      const Tensor x = g.graph().addVariable(ElementType::Float, {kTiles, 5000}, name);
      for (int t = 0; t < kTiles; ++t) g.graph().setTileMapping(x.slice(t, t + 1), TileId(std::size_t(ipu * kTiles + t)));
      g.main().add(program::copy(g.graph().addHostToDeviceFifo(name, ElementType::Float, kTiles * 5000), x, name));
      return x;
    };
    const Tensor first = feed("first", 0);
    g.copy(first.slice(0, 1).flatten(), g.on("over", 5000, kTiles), "over"); // the second IPU waits for it
    feed("second", 1);
    const Insights all = g.insights();
    const Insight* host = findingOf(all, "time.host-waits");
    QVERIFY2(host, listed(all));
    QCOMPARE(host->parts.size(), std::size_t(2));
    analyser::Cycles sum, most;
    for (const Part& part : host->parts) {
      const auto cycles = std::get<analyser::Cycles>(part.amount);
      sum += cycles, most = std::max(most, cycles);
    }
    QVERIFY2(host->cycles > most && host->cycles <= sum, listed(all));
    QVERIFY2(double(host->cycles.value()) > 0.9 * double(sum.value()), listed(all));
  }

  // The saving is the Gain of the Liveness view: without the owner another step is the peak. The owner is not the largest variable
  // at the peak if one of the same size follows, but the variable that is live with both.
  void theOwnerOfThePeakIsTheOneThatSavesMost() {
    FaultGraph g;
    const auto useLong = makeTemporary(g, "long", 15000);
    addTemporary(g, "first", 20000);
    addTemporary(g, "second", 19900);
    g.main().add(useLong);
    const Insights all = g.insights();
    const Insight* owner = findingOf(all, "memory.peak-owners");
    QVERIFY(owner);
    QCOMPARE(owner->where, std::string("long"));
    QCOMPARE(owner->bytes.value(), int64_t(kTiles) * 15000 * 4);
  }

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

  // An operation that leaves a quarter of its tiles idle is not bad; if it takes half of the run, it wastes an eighth of the run.
  void wasteOfTheRunIsNamedHoweverSmallAPart() {
    FaultGraph g;
    std::vector<int64_t> sizes(kTiles, 20000);
    std::fill(sizes.end() - kTiles / 4, sizes.end(), 0);
    g.operation("wide", sizes);
    const Insights all = g.insights();
    const Insight* unused = findingOf(all, "time.unused-tiles");
    QVERIFY2(unused, listed(all));
    QCOMPARE(unused->where, std::string("wide"));
    QVERIFY(std::abs(unused->share - 0.125) < 0.01);
  }

  // The rule for many small operations does not count an operation that has a finding of its own.
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

  // A batch of twice the samples is not proposed if a tile is nearly full.
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

  // Memory findings rank below cycle findings while tiles have room (more room saves no time), and above them if tiles are full.
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

  // The largest part of each kind equals the result of an SQL query, on all tiles and on one tile.
  void theLargestPartsAreThoseOfTheReport() {
    const tests::TinyReport report(tests::ReportShape{2, 8, 7});
    const auto session = analyser::Session::open(report.path().string());
    const auto largest = [&](std::span<const reports::TileId> tiles, LargestPart::Kind kind) {
      const auto parts = largestParts(*session, tiles, 3);
      for (std::size_t i = 1; i < parts.size(); ++i)
        if (parts[i].kind == parts[i - 1].kind && parts[i].bytes > parts[i - 1].bytes) qFatal("not in order");
      const auto first = std::find_if(parts.begin(), parts.end(), [&](const LargestPart& part) { return part.kind == kind; });
      return first == parts.end() ? int64_t(-1) : first->bytes.value();
    };
    const auto number = [&](const char* sql) {
      reports::Statement statement(session->reader().connection(), sql);
      int64_t value = -1;
      if (statement.step()) statement.read(0, value, sql);
      return value;
    };
    QCOMPARE(largest({}, LargestPart::Kind::Variable),
             number("SELECT total_bytes FROM variable WHERE always_live = 1 AND category = 0 ORDER BY 1 DESC"));
    QCOMPARE(largest({}, LargestPart::Kind::ExchangeCode), number("SELECT max(code_bytes) FROM exchange"));
    // Every tile with a vertex of the type has its code.
    QCOMPARE(largest({}, LargestPart::Kind::VertexCode),
             number("SELECT max(bytes) FROM (SELECT t.code_bytes * count(DISTINCT c.tile) AS bytes FROM compute_set_tile c "
                    "JOIN vertex_type t ON t.id = c.vertex_type_id WHERE c.vertices > 0 GROUP BY t.id)"));
    QCOMPARE(largest({}, LargestPart::Kind::VertexState),
             number("SELECT sum(state_bytes) FROM compute_set_vertices GROUP BY vertex_type_id ORDER BY 1 DESC"));
    const reports::TileId one[] = {reports::TileId(3)};
    for (const auto kind : {LargestPart::Kind::Variable, LargestPart::Kind::ExchangeCode, LargestPart::Kind::VertexState})
      QVERIFY(largest(one, kind) < largest({}, kind));
  }

  void aReportWithoutExecutionIsJudgedToo() {
    const tests::TinyReport report(tests::ReportShape{2, 8, 7, 0, 40});
    const auto ofTime = [&] {
      const auto session = analyser::Session::open(report.path().string());
      const Insights all = analyser::insights::insights(*session);
      for (const Insight& i : all.list) verifyComplete(i);
      [&] { QVERIFY(!all.verdict.empty()); }();
      return std::count_if(all.list.begin(), all.list.end(), [](const Insight& i) { return !i.savesMemory(); });
    };
    QVERIFY(ofTime() > 0);
    tests::tamper(report.path(), "DELETE FROM run; DELETE FROM run_link; DELETE FROM step_profile; DELETE FROM slice_chunk; "
                                 "DELETE FROM slice_level; DELETE FROM stream_copy");
    QCOMPARE(ofTime(), std::ptrdiff_t(0)); // nothing ran, so nothing lost time
  }
};

TILESCOPE_TEST(InsightsTest)
#include "insights_test.moc"
