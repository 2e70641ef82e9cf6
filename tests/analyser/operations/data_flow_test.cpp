#include "analyser/operations/data_flow.h"
#include "analyser/operations/layered_layout.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <set>

using namespace analyser;
using namespace analyser::operations;

namespace {

// fwd/conv -> fwd/relu -> bwd/conv, and the output of bwd/conv for the next iteration of fwd/conv.
std::vector<TreeRow> smallTree() {
  std::vector<TreeRow> tree(5);
  tree[0] = {"fwd", -1, 0, -1, 2, {}};
  tree[1] = {"conv", 0, 1, 0, 1, {}};
  tree[2] = {"relu", 0, 1, 1, 1, {}};
  tree[3] = {"bwd", -1, 0, -1, 1, {}};
  tree[4] = {"conv", 3, 1, 2, 1, {}};
  return tree;
}

DataFlow smallFlow() {
  DataFlow flow;
  flow.isKnown = true;
  flow.edges = {{0, 1, 10, false}, {0, 2, 10, false}, {1, 2, 11, false}, {2, 0, 12, true}};
  flow.variables = {{10, {"conv/out", "half [64]", Bytes(128)}},
                    {11, {"relu/out", "half [64]", Bytes(256)}},
                    {12, {"weights", "float [8]", Bytes(32)}}};
  return flow;
}

} // namespace

class DataFlowTest : public QObject {
  Q_OBJECT
private slots:
  void foldersJoinTheEdgesOfWhatTheyHold() {
    const OperationGraph graph = operationGraph(smallTree(), smallFlow(), std::vector<bool>(5, false));
    QCOMPARE(graph.nodes.size(), std::size_t(2));
    QCOMPARE(graph.edges.size(), std::size_t(2)); // fwd -> bwd, and back for the next round
    QCOMPARE(graph.edges[0].bytes, Bytes(128 + 256));
    QCOMPARE(graph.edges[0].variables, (std::vector<int64_t>{11, 10})); // largest first
    QVERIFY(!graph.edges[0].carried && graph.edges[1].carried);
  }

  void openFoldersShowTheirParts() {
    std::vector<bool> open(5, false);
    open[0] = true;
    const OperationGraph graph = operationGraph(smallTree(), smallFlow(), open);
    QCOMPARE(graph.nodes.size(), std::size_t(3));
    QCOMPARE(graph.nodes[0].row, 1);
    QCOMPARE(graph.nodes[2].row, 3);
    QCOMPARE(graph.edges.size(), std::size_t(4));
    // A folder inside a collapsed one stays collapsed, even if it is marked as open.
    open = {false, true, true, true, true};
    QCOMPARE(operationGraph(smallTree(), smallFlow(), open).nodes.size(), std::size_t(2));
  }

  // An operation that only forwards data is drawn as an arrow; a folder with only such operations has no box either.
  void whatArrowsStandForHasNoBox() {
    DataFlow flow = smallFlow();
    flow.edges = {{0, 1, 10, false}};
    flow.isArrow = {false, false, true};
    const OperationGraph graph = operationGraph(smallTree(), flow, std::vector<bool>(5, true));
    QCOMPARE(graph.nodes.size(), std::size_t(2));
    QCOMPARE(graph.nodes[0].row, 1);
    QCOMPARE(graph.nodes[1].row, 2);
    QCOMPARE(graph.edges.size(), std::size_t(1));
  }

  void opensWhatCanBeRead() {
    QCOMPARE(openUpTo(smallTree(), 2), (std::vector<bool>{false, false, false, true, false}));
    QCOMPARE(openUpTo(smallTree(), 3), (std::vector<bool>{true, false, false, true, false}));
    QVERIFY(openUpTo({}, 3).empty());
    std::vector<TreeRow> wide(26); // one folder of 25: more than 3, and better than one box
    wide[0] = {"model", -1, 0, -1, 25, {}};
    for (int i = 1; i < 26; ++i) wide[std::size_t(i)] = {"layer", 0, 1, i - 1, 1, {}};
    QVERIFY(openUpTo(wide, 3)[0]);
    QVERIFY(!openUpTo(wide, 2)[0]); // too many boxes: it stays collapsed
    // If a sibling is too large to open, a small folder stays closed too: otherwise it would look like most of the graph.
    std::vector<TreeRow> passes{{"fwd", -1, 0, -1, 30, {}}, {"wu", -1, 0, -1, 3, {}}};
    for (int i = 0; i < 33; ++i) passes.push_back({"operation", i < 30 ? 0 : 1, 1, i, 1, {}});
    QVERIFY(!openUpTo(passes, 10)[0] && !openUpTo(passes, 10)[1]);
    QVERIFY(openUpTo(passes, 40)[0] && openUpTo(passes, 40)[1]);
  }

  void dotNamesBoxesAndData() {
    std::vector<TreeRow> tree = smallTree();
    tree[0].title = "a \"quoted\" name";
    const OperationGraph graph = operationGraph(tree, smallFlow(), std::vector<bool>(5, false));
    const std::string text = dotText(graph, tree, smallFlow(), "small");
    QVERIFY(text.find("digraph \"small\"") == 0);
    QVERIFY2(text.find("a \\\"quoted\\\" name\\n0 cycles") != std::string::npos, text.c_str());
    QVERIFY2(text.find("n0 -> n1 [label=\"2 variables\\n384 B\"]") != std::string::npos, text.c_str());
    QVERIFY2(text.find("style=dashed") != std::string::npos, text.c_str());
  }

  // Each operation of the report reads the output of the one before it.
  void dataIsFollowedFromStepToStep() {
    const tests::TinyReport report{tests::ReportShape{1, 8, 7}};
    const auto session = Session::open(report.path().string());
    const Operations all = operations::operations(*session);
    const DataFlow flow = dataFlow(*session, all);
    QVERIFY(flow.isKnown && flow.issue.empty());
    QCOMPARE(flow.edges.size(), all.rows.size() - 1);
    for (std::size_t i = 0; i < flow.edges.size(); ++i) {
      QCOMPARE(flow.edges[i].from, int(i));
      QCOMPARE(flow.edges[i].to, int(i) + 1);
      QVERIFY(!flow.edges[i].carried);
      const DataVariable& variable = flow.variables.at(flow.edges[i].variable);
      QCOMPARE(variable.name, all.rows[i].name + "/out");
      QCOMPARE(variable.type, std::string("float [16x8x16]"));
      QVERIFY(variable.bytes > Bytes(0));
    }
  }

  void aReportWithoutUsesHasNoEdges() {
    const tests::TinyReport report{tests::ReportShape{1, 8, 7}};
    tests::tamper(report.path(), "DELETE FROM step_variables");
    const auto session = Session::open(report.path().string());
    const DataFlow flow = dataFlow(*session, operations::operations(*session));
    QVERIFY(!flow.isKnown && flow.edges.empty());
  }

  void damagedUsesAreAnError() {
    const tests::TinyReport report{tests::ReportShape{1, 8, 7}};
    tests::tamper(report.path(), "UPDATE step_variables SET read_count = 1152921504606846976");
    const auto session = Session::open(report.path().string());
    const Operations all = operations::operations(*session);
    QVERIFY_EXCEPTION_THROWN((void)dataFlow(*session, all), reports::Error);
  }

  // When calls were followed up to the limit of all uses, such a program took half a minute and gigabytes.
  void aStepThatCallsItselfIsDamage() {
    const tests::TinyReport report{tests::ReportShape{1, 8, 7}};
    tests::tamper(
        report.path(),
        "UPDATE program_step SET callee_id = parent_id WHERE id = (SELECT max(id) FROM program_step WHERE parent_id NOT NULL)");
    const auto session = Session::open(report.path().string());
    const Operations all = operations::operations(*session);
    try {
      (void)dataFlow(*session, all);
      QFAIL("followed");
    } catch (const reports::Error& error) {
      QVERIFY2(std::string(error.what()).find("calls itself") != std::string::npos, error.what());
    }
  }

  void layersLeadOnwards() {
    // A diamond, and an edge over all of it.
    const std::vector<LayoutEdge> edges{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {0, 4}};
    const LayeredLayout layout = layeredLayout(5, edges);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      QVERIFY(layout.nodes[std::size_t(edges[e].from)].x < layout.nodes[std::size_t(edges[e].to)].x);
      for (std::size_t i = 1; i < layout.edges[e].size(); ++i) QVERIFY(layout.edges[e][i - 1].x < layout.edges[e][i].x);
    }
    QCOMPARE(layout.edges[5].size(), std::size_t(4)); // two bends
    QCOMPARE(layout.crossings, int64_t(0));
    checkApart(layout, {});
  }

  void aTangleIsUntangled() {
    // Two layers of six, each node with its opposite: as written, every pair of edges crosses.
    std::vector<LayoutEdge> edges;
    for (int i = 0; i < 6; ++i) edges.push_back({i, 11 - i});
    QCOMPARE(layeredLayout(12, edges).crossings, int64_t(0));
  }

  void backwardEdgesAndLoneNodesStayInside() {
    const LayeredLayout layout = layeredLayout(4, {{0, 1}, {1, 0}, {2, 2}});
    for (const LayoutPoint& p : layout.nodes) QVERIFY(p.x >= 0 && p.x <= layout.width && p.y >= 0 && p.y <= layout.height);
    QVERIFY(layout.edges[1].front().x > layout.edges[1].back().x);
    checkApart(layout, {});
    QCOMPARE(layeredLayout(0, {}).width, 0.0);
  }

  void tenThousandNodesKeepApart() {
    std::vector<LayoutEdge> edges;
    uint32_t random = 1;
    for (int i = 1; i < 10'000; ++i)
      for (int k = 0; k < 3; ++k) {
        random = random * 1664525u + 1013904223u;
        edges.push_back({std::max(0, i - 1 - int(random >> 8) % 40), i});
      }
    const LayeredLayout layout = layeredLayout(10'000, edges);
    QCOMPARE(layout.nodes.size(), std::size_t(10'000));
    checkApart(layout, {});
  }

private:
  // No two boxes of a layer overlap.
  static void checkApart(const LayeredLayout& layout, const LayoutSizes& sizes) {
    std::map<long, std::set<double>> layers;
    for (const LayoutPoint& p : layout.nodes) {
      std::set<double>& layer = layers[std::lround(p.x)];
      const auto after = layer.lower_bound(p.y);
      if (after != layer.end()) QVERIFY(*after - p.y >= sizes.nodeHeight + sizes.rowGap - 1e-6);
      if (after != layer.begin()) QVERIFY(p.y - *std::prev(after) >= sizes.nodeHeight + sizes.rowGap - 1e-6);
      layer.insert(p.y);
    }
  }
};

TILESCOPE_TEST(DataFlowTest)
#include "data_flow_test.moc"
