#include "analyser/program/follow_calls.h"
#include "analyser/program/model_layers.h"
#include "analyser/program/program_tree.h"
#include "analyser/program/step_search.h"
#include "reports/core/error.h"
#include "reports/sqlite/reader.h"
#include "reports/sqlite/writer.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"

#include <QTest>
#include <set>

using namespace analyser;
using program::Node;

class ProgramTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    m_session = Session::open(m_report.path().string());
    m_program = program::programTree(*m_session);
  }
  void everyStepIsInTheTreeOnce() {
    QCOMPARE(int64_t(m_program.nodes.size()), m_session->reader().count<reports::ProgramStepRow>());
    QCOMPARE(m_program.roots.size(), std::size_t(3));
    QCOMPARE(m_program.nodes[std::size_t(m_program.roots[2])].kind, std::string("Function"));
    std::size_t links = m_program.roots.size();
    for (std::size_t i = 0; i < m_program.nodes.size(); ++i) {
      QCOMPARE(m_program.indexOf(m_program.nodes[i].id), int(i));
      for (const int child : m_program.childrenOf(int(i))) {
        QCOMPARE(m_program.nodes[std::size_t(child)].parent, int(i));
        QVERIFY(child > int(i)); // depth-first
        ++links;
      }
    }
    QCOMPARE(links, m_program.nodes.size());
    QCOMPARE(m_program.indexOf(reports::ProgramStepId(99999)), -1);
    QVERIFY(m_program.issues.empty());
  }
  void F13_parentsInACycleAreLeftOutAndTold() {
    const tests::TinyReport report;
    const auto of = [](const std::string& path) { return program::programTree(*Session::open(path)); };
    const std::size_t all = of(report.path().string()).nodes.size();
    // Two steps that are each other's parents, and one that is its own.
    tests::tamper(report.path(),
                  "CREATE TEMP TABLE leaf AS SELECT id FROM main.program_step WHERE id NOT IN (SELECT parent_id FROM "
                  "main.program_step WHERE parent_id IS NOT NULL) ORDER BY id LIMIT 3;"
                  "UPDATE main.program_step SET parent_id = (SELECT max(id) FROM leaf) WHERE id = (SELECT min(id) FROM "
                  "leaf); UPDATE main.program_step SET parent_id = (SELECT min(id) FROM leaf) WHERE id = (SELECT max(id) "
                  "FROM leaf); UPDATE main.program_step SET parent_id = id WHERE id = (SELECT id FROM leaf ORDER BY id "
                  "LIMIT 1 OFFSET 1)");
    const auto tree = of(report.path().string());
    QCOMPARE(tree.nodes.size(), all - 3);
    QCOMPARE(tree.issues.size(), std::size_t(1));
    QVERIFY2(tree.issues[0].find("their own ancestors") != std::string::npos, tree.issues[0].c_str());
  }
  void F13_aChainOfAMillionStepsIsATree() {
    const tests::TinyReport report;
    tests::tamper(report.path(),
                  "WITH RECURSIVE n(i) AS (SELECT 1000000 UNION ALL SELECT i + 1 FROM n WHERE i < 1999999) INSERT INTO "
                  "program_step (id, parent_id, position, kind, name_id, activity, code_bytes) SELECT i, CASE WHEN i > "
                  "1000000 THEN i - 1 END, 0, 'Sequence', 0, 8, 0 FROM n");
    const auto tree = program::programTree(*Session::open(report.path().string()));
    int deepest = 0;
    for (const Node& n : tree.nodes) deepest = std::max(deepest, n.depth);
    QCOMPARE(deepest, 999'999);
  }
  // A step that takes other cycles at each execution has a profile for each time, and older reports one that no execution took.
  void oneExecutionIsOneThatTookPlace() {
    const tests::TinyReport report;
    const auto step = Session::open(report.path().string())->reader().first<reports::StepProfileRow>("executions > 0", {});
    QVERIFY(step);
    const std::string id = std::to_string(step->programStepId);
    std::string copies;
    for (const auto& [cycles, executions] : {std::pair("60", "1"), {"90", "2"}})
      copies +=
          "INSERT INTO step_profile SELECT (SELECT max(id) + 1 FROM step_profile), program_step_id, ipu, " + std::string(cycles) +
          ", " + executions +
          ", active_tiles, busy_cycles, bytes_in, bytes_out, flops, first_tile, tiles, cycles_by_tile, slice_executions FROM "
          "step_profile WHERE id = " +
          std::to_string(step->id) + ";";
    tests::tamper(report.path(), "DELETE FROM step_profile WHERE program_step_id = " + id +
                                     " AND id != " + std::to_string(step->id) + ";" + copies +
                                     "UPDATE step_profile SET executions = 0, cycles = 7 WHERE id = " + std::to_string(step->id));
    const auto session = Session::open(report.path().string());
    const auto details = program::stepDetails(*session, reports::ProgramStepId(std::size_t(step->programStepId)));
    QCOMPARE(details.cycles, Cycles(60));
    QCOMPARE(details.leastCycles, Cycles(60));
    QCOMPARE(details.mostCycles, Cycles(90));
    QCOMPARE(details.executions, int64_t(3));
  }
  void parentsAreTheSumOfTheirChildren() {
    for (std::size_t i = 0; i < m_program.nodes.size(); ++i) {
      const Node& n = m_program.nodes[i];
      if (!n.children) continue;
      Cycles cycles;
      Bytes bytes;
      for (const int child : m_program.childrenOf(int(i))) {
        cycles += m_program.nodes[std::size_t(child)].cycles;
        bytes += m_program.nodes[std::size_t(child)].bytes;
      }
      QCOMPARE(n.cycles, cycles);
      QCOMPARE(n.bytes, bytes);
    }
  }
  // The inclusive cost of the control programs (with calls) is the total; a function costs as much as its calls.
  void inclusiveCostsOfTheProgramsAreTheWhole() {
    Cycles sum;
    for (const int root : m_program.roots)
      if (const Node& n = m_program.nodes[std::size_t(root)]; n.kind != "Function") sum += n.inclusive;
    QCOMPARE(sum, m_program.total);
    reports::Flops work, workOfPrograms;
    Bytes bytes, bytesOfPrograms;
    for (const int root : m_program.roots) {
      const Node& n = m_program.nodes[std::size_t(root)];
      work += n.flops, bytes += n.bytes;
      if (n.kind != "Function") workOfPrograms += n.inclusiveFlops, bytesOfPrograms += n.inclusiveBytes;
    }
    QVERIFY(work.value() > 0 && bytes > Bytes());
    QCOMPARE(workOfPrograms.value(), work.value());
    QCOMPARE(bytesOfPrograms, bytes);
    for (std::size_t i = 0; i < m_program.nodes.size(); ++i) {
      const Node& n = m_program.nodes[i];
      QVERIFY(n.inclusive >= n.cycles);
      if (n.callee.valid())
        QCOMPARE(n.inclusive, m_program.nodes[std::size_t(m_program.indexOf(n.callee))].inclusive); // its one call
    }
  }
  void controlStepsCountExecutions() {
    int repeats = 0;
    for (const Node& n : m_program.nodes)
      if (n.kind == "Repeat") {
        ++repeats;
        QCOMPARE(n.executions, int64_t(1));
        for (const int child : m_program.childrenOf(m_program.indexOf(n.id)))
          QCOMPARE(m_program.nodes[std::size_t(child)].executions, *n.repeatCount);
      }
    QVERIFY(repeats > 0);
  }
  void rootsSayWhatTheyHold() {
    const auto roots = program::rootsOf(m_program);
    QCOMPARE(roots.size(), m_program.roots.size());
    int64_t steps = 0;
    for (const auto& root : roots) {
      steps += root.steps;
      const Node& n = m_program.nodes[std::size_t(root.node)];
      QCOMPARE(root.calls, int64_t(n.kind == "Function" ? 1 : 0));
      QCOMPARE(root.firstCall >= 0, n.kind == "Function");
      if (root.firstCall >= 0) QCOMPARE(m_program.nodes[std::size_t(root.firstCall)].callee, n.id);
    }
    QCOMPARE(steps, int64_t(m_program.nodes.size())); // those that the verdict and the summary count
  }
  // Siblings with the same name are distinguished by their paths.
  void titlesOfSiblingsDiffer() {
    for (std::size_t i = 0; i < m_program.nodes.size(); ++i) {
      std::map<std::pair<std::string, std::string>, std::string> names;
      for (const int child : m_program.childrenOf(int(i))) {
        const Node& n = m_program.nodes[std::size_t(child)];
        const auto [at, isNew] = names.try_emplace({n.kind, n.title}, n.name);
        QVERIFY2(isNew, n.title.c_str()); // by their whole names, or by their ids
      }
    }
  }
  // The parts of all tiles sum to the step.
  void stepsArePartsOfTheirTiles() {
    const auto tiles = std::size_t(m_session->machine().tiles());
    int withVertices = 0, withBytes = 0;
    for (const Node& n : m_program.nodes) {
      if (n.children > 0) continue;
      const program::StepDetails all = program::stepDetails(*m_session, n.id);
      int64_t vertices = 0, active = 0;
      Cycles busy;
      Bytes received, sent;
      for (std::size_t t = 0; t < tiles; ++t) {
        const std::vector<TileId> one{TileId(t)};
        const program::StepDetails part = program::partOnTiles(all, one);
        for (const auto& v : part.vertices) {
          vertices += v.vertices;
          QVERIFY(v.tiles == 1 && v.vertices > 0);
        }
        busy += part.busyCycles, active += part.activeTiles, received += part.bytesIn, sent += part.bytesOut;
      }
      int64_t wanted = 0;
      for (const auto& v : all.vertices) wanted += v.vertices;
      QCOMPARE(vertices, wanted);
      withVertices += wanted > 0;
      Cycles cycles;
      for (const Cycles c : all.cyclesByTile) cycles += c;
      QCOMPARE(busy, cycles);
      QVERIFY(active <= int64_t(all.cyclesByTile.size()));
      Bytes in;
      for (const Bytes b : all.bytesInByTile) in += b;
      if (all.bytesInByTile.empty()) continue;
      QCOMPARE(received, in);
      withBytes += in > Bytes();
    }
    QVERIFY(withVertices > 0 && withBytes > 0);
  }
  void layersAreNamedByTheModel() {
    for (const auto& [name, layer] : {std::pair{"layer0/attention/query.weight", "layer0"},
                                      {"fc1.weight", "fc1"},
                                      {"Conv.10", "Conv.10"}, // one node of many: what they have in common is their kind
                                      {"p2o.Conv.1", "p2o.Conv.1"},
                                      {"/encoder/layer.0/query/MatMul", "encoder"}, // as PyTorch exports it
                                      {"into layer1/attention/query", "layer1"},
                                      {"out of NormWhiten", "NormWhiten"},
                                      {"function of stage2/block0/relu", "stage2"},
                                      {"small parameters", "small parameters"},
                                      {".hidden", ".hidden"},
                                      {"", ""}})
      QCOMPARE(program::layerOfName(name), std::string(layer));
    for (const auto& [path, pass] : {std::pair{"bert/bwd/layer0/attention/query/GemmLhsGrad", "bwd"},
                                     {"wu/fc1.weight", "wu"},
                                     {"bert/bwd/recompute/layer2/norm", "recompute"},
                                     {"bwd", "bwd"},
                                     {"bert/fwd", "fwd"},
                                     {"bert/layer1/bwd", ""},
                                     {"bert", ""}})
      QCOMPARE(std::string(program::passOfPath(path)), std::string(pass));
    for (const auto& [path, layer] : {std::pair{"bert/bwd/layer0/attention/query/GemmLhsGrad", "layer0"},
                                      {"bert/layer1/norm", "layer1"},
                                      {"bert/bwd/recompute/layer2/norm", "layer2"},
                                      {"bert/wu/fc1.weight", "fc1"},
                                      {"bert/fwd", ""},
                                      {"bert", ""},
                                      {"", ""}})
      QCOMPARE(program::layerOfPath(path), std::string(layer));
    std::set<std::string> found;
    for (const Node& n : m_program.nodes) {
      if (n.name.find("conv0/") != std::string::npos) QCOMPARE(n.layer, std::string("conv0"));
      if (!n.layer.empty()) found.insert(n.layer);
    }
    const auto layers = program::layersOf(m_program);
    QCOMPARE(std::set<std::string>(layers.begin(), layers.end()), found);
    QCOMPARE(layers.size(), found.size());
    QVERIFY(found.contains("conv0") && found.size() > 1);
  }

  // The cycles of matches never exceed the run: a call, its function and the steps inside count once.
  void foundStepsCountOnce() {
    const auto of = [&](const std::string& part) {
      return program::findSteps(m_program, [&](const std::string& words) { return containsText(words, part); });
    };
    QCOMPARE(of("").cycles, m_program.total);
    QCOMPARE(of("").share, 1.0);
    QCOMPARE(of("").nodes.size(), m_program.nodes.size());
    QVERIFY(of("no step is called so").nodes.empty() && of("no step is called so").cycles == Cycles());
    const auto one = of("conv0/compute");
    QCOMPARE(one.nodes.size(), std::size_t(1));
    QCOMPARE(one.cycles, m_program.nodes[std::size_t(one.nodes[0])].cycles);
    // The kinds of steps sum to the total.
    Cycles leaves;
    for (const char* kind : {"OnTileExecute", "OnTileCopy", "DoExchange", "GlobalExchange", "Sync", "StreamCopy"})
      leaves += of(kind).cycles;
    QCOMPARE(leaves, m_program.total);
    for (const Node& n : m_program.nodes)
      if (n.callee.valid()) { // the only call, which has all of the function's cycles
        const auto call = program::findSteps(m_program, [&](const std::string& words) { return words == n.name; });
        QCOMPARE(call.cycles, n.inclusive);
        QCOMPARE(
            program::findSteps(m_program, [](const std::string& words) { return words == "Call" || words == "Function"; }).cycles,
            n.inclusive);
      }
  }

  void leavesCountExecutions() {
    const auto found = program::search(m_program, "CONV0/compute");
    QCOMPARE(found.size(), std::size_t(1));
    const Node& n = m_program.nodes[std::size_t(found[0])];
    QCOMPARE(n.executions, int64_t(4)); // the loop runs four times
    QCOMPARE(n.label, std::string("compute"));
    QVERIFY(n.cycles > Cycles());
  }
  void detailsOfAComputeStep() {
    const auto found = program::search(m_program, "conv0/compute");
    const auto d = program::stepDetails(*m_session, m_program.nodes[std::size_t(found[0])].id);
    QCOMPARE(d.operation, std::string("model/conv0"));
    QCOMPARE(d.vertices.size(), std::size_t(1));
    QCOMPARE(d.vertices[0].vertices, int64_t(96)); // six on each of 16 tiles
    QCOMPARE(d.vertices[0].tiles, int64_t(16));
    QCOMPARE(d.cyclesByTile.size(), std::size_t(8));
    QCOMPARE(d.cycles, *std::max_element(d.cyclesByTile.begin(), d.cyclesByTile.end()));
    Cycles busy;
    for (const Cycles c : d.cyclesByTile) busy += c;
    QCOMPARE(d.busyCycles, busy);
    QVERIFY(d.balance > 0.9 && d.balance <= 1);
    QCOMPARE(d.executions, int64_t(4));
    QVERIFY(d.livenessStep.has_value());
    QCOMPARE(d.debug.size(), std::size_t(3));
  }
  void detailsOfAnExchange() {
    const auto found = program::search(m_program, "conv0/exchange");
    const auto d = program::stepDetails(*m_session, m_program.nodes[std::size_t(found[0])].id);
    QCOMPARE(d.exchangeKind, std::string("internal"));
    QCOMPARE(d.bytesInByTile.size(), std::size_t(16));
    Bytes sum;
    for (const Bytes b : d.bytesInByTile) sum += b;
    const auto row =
        m_session->reader().first<reports::ExchangeRow>("name_id = ?", {int64_t(m_session->findText(d.exchange)->value())});
    QCOMPARE(sum, Bytes(row->totalBytes));
  }
  void detailsOfAStream() {
    const auto found = program::search(m_program, "images/copy");
    QCOMPARE(program::stepDetails(*m_session, m_program.nodes[std::size_t(found[0])].id).stream, std::string("images"));
  }
  void aStepThatIsNotThereIsAnError() {
    QVERIFY_EXCEPTION_THROWN(program::stepDetails(*m_session, reports::ProgramStepId(4711)), reports::Error);
  }
  void circlesAreReportedNotFollowed() {
    const tests::TemporaryFolder folder;
    const auto path = folder / "circle.tsr";
    reports::Writer writer(path);
    tests::writeSyntheticReport(writer);
    // Two steps that are each other's parent, and one with a missing parent.
    const auto first = int64_t(m_program.nodes.size());
    for (int64_t i = 0; i < 3; ++i) {
      reports::ProgramStepRow row;
      row.id = first + i;
      row.parentId = i == 2 ? 1'000'000 : first + (1 - i);
      row.kind = "Sequence";
      row.activity = int64_t(reports::Activity::Scope);
      writer.add(row);
    }
    writer.commit();
    const auto session = Session::open(path.string());
    const auto tree = program::programTree(*session);
    QCOMPARE(tree.issues.size(), std::size_t(2));
    QCOMPARE(tree.nodes.size(), m_program.nodes.size() + 1);
  }

private:
  tests::TinyReport m_report;
  std::shared_ptr<Session> m_session;
  program::Program m_program;
  // With I/O tiles the main program only has calls, so the number of its runs comes from the functions.
  void aProgramThatOnlyCallsTakesWhatIsCalled() {
    const auto node = [](std::size_t id, int parent, int depth, int children, const char* kind) {
      Node n;
      n.id = reports::ProgramStepId(id), n.parent = parent, n.depth = depth, n.children = children, n.kind = kind;
      return n;
    };
    program::Program p;
    p.nodes = {node(0, -1, 0, 1, "ControlProgram"), node(1, 0, 1, 1, "Repeat"), node(2, 1, 2, 0, "Call"),
               node(3, -1, 0, 1, "Function"), node(4, 3, 1, 0, "OnTileExecute")};
    p.nodes[1].repeatCount = 4;
    p.nodes[2].callee = reports::ProgramStepId(std::size_t(3));
    p.nodes[4].executions = 8, p.nodes[4].cycles = Cycles(800), p.nodes[4].flops = reports::Flops(int64_t(16));
    p.roots = {0, 3};
    for (int i = 0; i < 5; ++i) p.byId.emplace_back(p.nodes[std::size_t(i)].id, i);
    program::followCalls(p);
    QCOMPARE(p.nodes[0].executions, int64_t(2));
    QCOMPARE(p.nodes[2].executions, int64_t(8));
    QCOMPARE(p.nodes[2].inclusive, Cycles(800));
    QCOMPARE(p.nodes[0].inclusive, Cycles(800));
    QCOMPARE(p.nodes[0].inclusiveFlops.value(), int64_t(16));
  }
};

TILESCOPE_TEST(ProgramTest)
#include "program_test.moc"
