// Typical uses in programs written for Poplar, one test for each cluster of uses (from the ranked list of public programs).
#include "reports/core/error.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <sstream>

using namespace simcore;
using namespace simcore::graph;
using numerics::HostTensor;
using tests::errorOf;
using tests::has;
using tests::HostWorld;

namespace {
std::vector<double> valuesOf(const HostTensor& t) { return t.toDoubles(); }
} // namespace

class PoplarUserTest : public QObject {
  Q_OBJECT
private slots:
  // Variables, constants of every form, slices, a stream out, handles, a print: the first tutorial.
  void variablesConstantsAndHandles() {
    Graph graph(arch::tinyMachine(4));
    const Tensor v1 = graph.addVariable(ElementType::Float, {4}, "v1");
    for (std::size_t i = 0; i < 4; ++i) graph.setTileMapping(v1[int64_t(i)], TileId(i));
    const Tensor c1 = graph.addConstant<float>(ElementType::Float, {4}, {1.0, 1.5, 2.0, 2.5}, "c1");
    const Tensor c2 = graph.addConstant(ElementType::Int32, {2, 2}, 7, "c2");
    const Tensor c3 = graph.addConstant(ElementType::Half, {2}, std::vector<double>{0.5, 3}, "c3");
    for (const Tensor& c : {c1, c2, c3}) graph.setTileMapping(c, TileId(0));
    Sequence prog;
    prog.add(program::copy(c1, v1));
    const Tensor v2 = graph.addVariable(ElementType::Float, {2, 4}, VariableMappingMethod::Linear, "v2"),
                 v3 = graph.addVariable(ElementType::Float, {2, 4}, VariableMappingMethod::Linear, "v3");
    prog.add(program::copy(v1, v2.slice(1, 2).reshape({4})));
    prog.add(program::copy(v2, v3));
    prog.add(program::printTensor("v3-row", v3[1]));
    graph.createHostRead("v3", v3);
    graph.createHostWrite("v2", v2);
    const auto shared = std::make_shared<Graph>(std::move(graph));
    const auto executable = compile::compile(shared, {{"main", prog.program()}});
    run::Engine engine(executable, {}, nullptr);
    std::ostringstream out;
    engine.setPrintTensorStream(out);
    const std::vector<float> row{9, 8, 7, 6, 0, 0, 0, 0};
    engine.writeTensor("v2", row.data(), row.data() + 8);
    engine.run(0);
    std::vector<float> h(8);
    engine.readTensor("v3", h.data(), h.data() + 8);
    QCOMPARE(h, (std::vector<float>{9, 8, 7, 6, 1, 1.5f, 2, 2.5f}));
    QCOMPARE(out.str(), std::string("v3-row: [1.0000000 1.5000000 2.0000000 2.5000000]\n"));
    QCOMPARE(valuesOf(engine.readTensor(c2)), (std::vector<double>{7, 7, 7, 7}));
    QCOMPARE(valuesOf(engine.readTensor(c3)), (std::vector<double>{0.5, 3}));
  }

  void viewsOfEveryKind() {
    HostWorld w;
    const Tensor t = w.variable(ElementType::Int32, {2, 3}, "t");
    w.graph->setInitialValue(t, std::vector<int32_t>{0, 1, 2, 3, 4, 5});
    const Tensor n = w.graph->cloneN(ElementType::Int32, t, 3, "n");
    QCOMPARE(n.shape(), (Shape{3, 2, 3}));
    for (int64_t i = 0; i < 3; ++i) w.main.add(program::copy(i == 1 ? t.reverse(1) : t, n[i]));
    run::Engine e(w.compile(), {}, nullptr);
    e.run();
    QCOMPARE(valuesOf(e.readTensor(t.upsample(2, 1))), (std::vector<double>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}));
    QCOMPARE(valuesOf(e.readTensor(t.upsample(3, 0).slice(2, 4))), (std::vector<double>{0, 1, 2, 3, 4, 5}));
    QCOMPARE(valuesOf(e.readTensor(n.index({1, 0}))), (std::vector<double>{2, 1, 0}));
    QCOMPARE(valuesOf(e.readTensor(n.dimShuffle({2, 0, 1})[2])), (std::vector<double>{2, 5, 0, 3, 2, 5}));
    QCOMPARE(valuesOf(e.readTensor(t.subSample(2, 1).flatten())), (std::vector<double>{0, 2, 3, 5}));
    QCOMPARE(t.slice({0, 1}, {2, 3}).getDebugStr(), std::string("t [2x2]"));
    QVERIFY(has(errorOf([&] { t.upsample(0, 1); }), "tensor t [2x3]"));
    QVERIFY(has(errorOf([&] { t.slice(1, 5); }), "tensor t [2x3]"));
  }

  void tensorsBeginWhereTheLastOneEnded() {
    HostWorld w(8);
    int64_t tile = 6;
    const Tensor a = w.graph->addVariable(ElementType::Float, {96}, "a"), b = w.graph->addVariable(ElementType::Float, {32}, "b");
    tile = w.graph->mapTensorLinearlyWithOffset(a, tile);
    QCOMPARE(tile, int64_t(1)); // three tiles: 6, 7, 0
    QCOMPARE(w.graph->mapTensorLinearlyWithOffset(b, tile), int64_t(2));
    const auto mapping = w.graph->getTileMapping(a);
    QVERIFY(!mapping[6].empty() && !mapping[7].empty() && !mapping[0].empty() && mapping[1].empty());
    QVERIFY(has(errorOf([&] { w.graph->mapTensorLinearlyWithOffset(b, 8); }), "tile 8"));
  }

  // vector<Program>(n) with holes, a program that was declared only, Programs in place of bodies.
  void programsThatWereOnlyDeclared() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Float, {1}, "x");
    std::vector<Program> programs(2);
    programs[1] = w.addOne(x);
    Sequence all{programs[0], programs[1], program::repeat(2, Sequence(programs[1]))};
    all.add(Program());
    run::Engine e(w.compile({{"nothing", programs[0]}, {"all", all.program()}}), {}, nullptr);
    e.run(0);
    e.run(1, "named");
    QCOMPARE(e.readTensor(x).at(0), 3.0);
  }

  void hostFunctions() {
    HostWorld w;
    const Tensor a = w.variable(ElementType::Float, {3}, "a"), b = w.variable(ElementType::Int32, {1}, "b", 2),
                 sum = w.variable(ElementType::Float, {1}, "sum", 1), count = w.variable(ElementType::Int32, {1}, "count");
    w.graph->setInitialValue(a, std::vector<float>{1, 2, 4});
    w.graph->setInitialValue(b, 10);
    const HostFunction f = w.graph->addHostFunction("sumOf", {{ElementType::Float, 3}, {ElementType::Int32, 1}},
                                                    {{ElementType::Float, 1}, {ElementType::Int32, 1}});
    const HostFunction tell = w.graph->addHostFunction("tell", {{ElementType::Float, 1}}, {});
    w.main.add(program::repeat(2, Sequence{program::call(f, {a, b}, {sum, count}), program::copy(sum, a.slice(0, 1))}));
    w.main.add(program::call(tell, {sum}, {}));
    run::Engine e(w.compile(), {}, nullptr);
    int32_t calls = 0;
    e.connectHostFunction("sumOf", [&](const std::vector<const void*>& in, const std::vector<void*>& out) {
      const auto* x = static_cast<const float*>(in[0]);
      *static_cast<float*>(out[0]) = x[0] + x[1] + x[2] + float(*static_cast<const int32_t*>(in[1]));
      *static_cast<int32_t*>(out[1]) = ++calls;
    });
    float told = 0;
    e.connectHostFunction("tell", [&](const auto& in, const auto&) { told = *static_cast<const float*>(in[0]); });
    e.run();
    QCOMPARE(e.readTensor(sum).at(0), 17.0 + 6 + 10);
    QCOMPARE(e.readTensor(count).integerAt(0), int64_t(2));
    QCOMPARE(told, 33.0f);
    QVERIFY(e.cycle() > 2 * 80'000); // the host is in the way

    QVERIFY(has(errorOf([&] { program::call(f, {a}, {sum, count}); }), "host function sumOf"));
    const std::string wrong = errorOf([&] { program::call(f, {a, sum}, {sum, count}); });
    QVERIFY2(has(wrong, "input 1") && has(wrong, "sum [1]") && has(wrong, "int32"), wrong.c_str());
    QVERIFY(has(errorOf([&] { e.connectHostFunction("other", {}); }), "other"));
    QVERIFY(has(errorOf([&] { w.graph->addHostFunction("tell", {}, {}); }), "tell"));
  }

  // cycleCount measures the cycles between its barriers, on the given tile.
  void cyclesThatAProgramMeasures() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Float, {100}, "x"), y = w.variable(ElementType::Float, {10}, "y", 1);
    Sequence one{w.addOne(x), w.addOne(y, 1)}, two{w.addOne(x)};
    const Tensor first = w.graph->cycleCount(one, TileId(0)), second = w.graph->cycleCount(two, TileId(1), SyncType::External);
    w.main.add(one);
    w.main.add(program::repeat(3, two));
    run::Engine e(w.compile(), {}, nullptr);
    e.run();
    const auto words = valuesOf(e.readTensor(first));
    QCOMPARE(words[1], 0.0);
    QVERIFY2(words[0] > 6 * 105 && words[0] < 6 * 105 + 400, std::to_string(words[0]).c_str());
    const double again = e.readTensor(second).at(0);
    QVERIFY2(again > 6 * 105 && again < words[0] + 400, std::to_string(again).c_str());
    QVERIFY(has(errorOf([&] { w.graph->cycleCount(one, TileId(4)); }), "tile 4"));
  }

  void profilingIsOnWhenAsked() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Float, {4}, "x");
    w.main.add(w.addOne(x));
    tests::RowCollector rows;
    reports::StringPool strings(rows);
    w.compile();
    run::ExecutionRecorder recorder(*w.executable, strings, rows, 1000);
    run::Engine e(*w.executable, {}, &recorder);
    e.disableExecutionProfiling();
    e.run();
    e.enableExecutionProfiling();
    e.run();
    e.disableExecutionProfiling();
    e.run();
    recorder.finish();
    QCOMPARE(rows.rows<reports::RunRow>().size(), std::size_t(1));
    QCOMPARE(e.readTensor(x).at(3), 3.0);
  }

  void pictures() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Float, {4}, "in \"x\""), y = w.variable(ElementType::Float, {4}, "y");
    w.main.add(w.addOne(x, 2));
    w.main.add(program::copy(x, y));
    std::ostringstream computeGraph, vertexGraph;
    w.graph->outputComputeGraph(computeGraph, {w.main.program()});
    w.graph->outputVertexGraph(vertexGraph);
    QCOMPARE(computeGraph.str(), std::string("digraph compute {\n"
                                             "  c0 [label=\"addOne\"];\n"
                                             "  v0 [shape=box,label=\"in \\\"x\\\" 4 float\"];\n"
                                             "  v0 -> c0;\n"
                                             "  c0 -> v0;\n"
                                             "  v1 [shape=box,label=\"y 4 float\"];\n"
                                             "  v0 -> v1;\n"
                                             "}\n"));
    QVERIFY(has(vertexGraph.str(), "AddOne on tile 2") && has(vertexGraph.str(), "c0_0 -> v0 [label=\"x\"]"));
  }

  // Each IPU that runs a part of a branch needs the predicate: it crosses links to these IPUs and to no others.
  void predicatesReachEveryIpuThatNeedsThem() {
    const auto linksOf = [](int bodyIpu) {
      HostWorld w(4, 3);
      const Tensor flag = w.variable(ElementType::Int32, {1}, "flag"), x = w.variable(ElementType::Float, {8}, "x", 4 * bodyIpu);
      w.graph->setInitialValue(flag, 1);
      w.main.add(program::ifElse(flag, w.addOne(x, 4 * bodyIpu), Sequence(), "choose"));
      const auto& program = w.compile().program;
      std::vector<std::pair<int, int>> flows;
      PerTile told;
      for (const auto& e : program.exchanges) {
        for (const auto& f : e.linkFlows) flows.push_back({f.from, f.to});
        told.add(e.bytesIn);
      }
      run::Engine engine(*w.executable, {}, nullptr);
      engine.run();
      if (engine.readTensor(x).at(7) != 1.0) flows.clear();
      return std::pair(flows, told.activeTiles());
    };
    QVERIFY(linksOf(0).first.empty());
    QCOMPARE(linksOf(0).second, int64_t(3));
    QCOMPARE(linksOf(2).first, (std::vector<std::pair<int, int>>{{0, 2}}));
    QCOMPARE(linksOf(2).second, int64_t(3 + 4));
  }

  void fieldsOfOneSize() {
    HostWorld w;
    Codelet four;
    four.name = "TakesFour";
    four.fields = {{"x", FieldDirection::InOut, ElementType::Float}};
    four.fields[0].size = 4;
    w.graph->addCodelet(four);
    const Tensor x = w.variable(ElementType::Float, {8}, "x");
    const auto set = w.graph->addComputeSet("cs");
    w.graph->connect(w.graph->addVertex(set, "TakesFour")["x"], x.slice(0, 4));
    const std::string error = errorOf([&] { w.graph->connect(w.graph->addVertex(set, "TakesFour")["x"], x); });
    QVERIFY2(has(error, "4 elements") && has(error, "x [8]") && has(error, "TakesFour.x") && has(error, "cs"), error.c_str());
  }
};

TILESCOPE_TEST(PoplarUserTest)
#include "poplar_user_test.moc"
