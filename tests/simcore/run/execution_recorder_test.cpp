#include "simcore/run/execution_recorder.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using namespace simcore::graph;
using tests::HostWorld;

namespace {

tests::RowCollector recorded(HostWorld& world, int64_t maxSlices) {
  tests::RowCollector rows;
  reports::StringPool strings(rows);
  const auto& executable = world.compile();
  run::ExecutionRecorder recorder(executable, strings, rows, maxSlices);
  run::Engine engine(executable, {}, &recorder);
  tests::runOnce(engine);
  recorder.finish();
  return rows;
}

// An operation on the second of two IPUs, with one vertex per tile of the given sizes.
void addOperation(HostWorld& world, const std::string& name, std::vector<int64_t> sizes) {
  Graph& graph = *world.graph;
  const auto context = graph.addContext({}, name, "library", "AddOne");
  const auto set = graph.addComputeSet(name, context);
  int tile = int(graph.machine().tilesPerIpu);
  for (const int64_t n : sizes) {
    const Tensor x = world.variable(ElementType::Float, {n}, name + std::to_string(tile), tile);
    graph.setTileMapping(graph.addVertex(set, "AddOne", {{"x", x}}), reports::TileId(std::size_t(tile++)));
  }
  world.main.add(program::execute(set));
}

double balanceOf(const tests::RowCollector& rows, const std::string& name) {
  for (const auto& row : rows.rows<reports::OperationRow>())
    if (row.name == name) return row.balance.value_or(-1);
  return -2;
}

} // namespace

class ExecutionRecorderTest : public QObject {
  Q_OBJECT
private slots:
  void balanceIsThatOfTheTilesThatCompute() {
    HostWorld world(4, 2);
    addOperation(world, "even", {100, 100, 100});
    addOperation(world, "uneven", {600, 1, 1});
    const auto rows = recorded(world, 1000);
    QCOMPARE(balanceOf(rows, "even"), 1.0);
    const double uneven = balanceOf(rows, "uneven");
    QVERIFY2(uneven > 1.0 / 3 && uneven < 0.6, qPrintable(QString::number(uneven)));
  }

  // A program that stops itself is recorded up to its stop, and the next run has only its own cycles.
  void aRunThatAnErrorEndsIsTold() {
    tests::HostWorld w;
    const Tensor flag = w.variable(ElementType::Int32, {1}, "flag"), x = w.variable(ElementType::Float, {8}, "x");
    w.main.add(w.addOne(x));
    w.main.add(program::block(Sequence(program::abortOnCondition(flag, "stop")), "checked"));
    w.main.add(w.addOne(x));
    w.compile();
    tests::RowCollector rows;
    reports::StringPool strings(rows);
    run::ExecutionRecorder recorder(*w.executable, strings, rows, 1000);
    run::Engine engine(*w.executable, {}, &recorder);
    engine.writeTensor(flag, numerics::HostTensor::vector<int32_t>({1}));
    QVERIFY(!tests::errorOf([&] { engine.run(0, "stops"); }).empty());
    engine.writeTensor(flag, numerics::HostTensor::vector<int32_t>({0}));
    engine.run(0, "goes on");
    recorder.finish();
    const auto runs = rows.rows<reports::RunRow>();
    QCOMPARE(runs.size(), std::size_t(2));
    QCOMPARE(runs[0].name, std::string("stops"));
    QVERIFY(runs[0].cycles > 0 && runs[1].cycles > runs[0].cycles);
    QCOMPARE(runs[1].startCycle, runs[0].cycles);
    for (const auto& r : runs)
      QCOMPARE(r.computeCycles + r.exchangeCycles + r.syncCycles + r.hostCycles + r.idleCycles, r.cycles);
    QCOMPARE(runs[1].computeCycles, 2 * runs[0].computeCycles);
  }

  // An inner function in an outer one; the second call of the outer one is for another operation, twice.
  void stepsOfAFunctionBelongToTheOperationThatCalledIt() {
    HostWorld world;
    Graph& graph = *world.graph;
    const auto first = graph.addContext({}, "first", "model", "AddOne"),
               second = graph.addContext({}, "second", "model", "AddOne"), own = graph.addContext({}, "own", "model", "AddOne");
    const Tensor x = world.variable(ElementType::Float, {100}, "x");
    const auto set = graph.addComputeSet("set", graph.addContext(own, "inside", "", ""));
    graph.setTileMapping(graph.addVertex(set, "AddOne", {{"x", x}}), reports::TileId(0));
    const FunctionId inner = graph.addFunction("inner", program::execute(set));
    const FunctionId outer = graph.addFunction("outer", Sequence{program::call(inner, "", {}, {{own, first}})}.program());
    world.main.add(program::call(inner));
    world.main.add(program::call(outer));
    world.main.add(program::repeat(2, Sequence{program::call(outer, "", {}, {{first, second}})}));
    const auto rows = recorded(world, 1000);
    std::map<std::string, reports::OperationRow> operations;
    std::vector<std::string> order;
    for (const auto& row : rows.rows<reports::OperationRow>()) operations[row.name] = row, order.push_back(row.name);
    QCOMPARE(order, (std::vector<std::string>{"own", "first", "second"}));
    const int64_t once = operations["own"].computeCycles;
    QVERIFY(once > 0);
    QCOMPARE(operations["first"].computeCycles, once);
    QCOMPARE(operations["second"].computeCycles, 2 * once);
    QCOMPARE(operations["own"].vertices, int64_t(1)); // there once
    QCOMPARE(operations["second"].vertices, int64_t(0));
  }

  void aTraceOfBoundedSizeSaysWhereItEnds() {
    HostWorld world;
    const Tensor x = world.variable(ElementType::Float, {10}, "x");
    for (int i = 0; i < 6; ++i) world.main.add(world.addOne(x));
    QVERIFY(recorded(world, 1000).rows<reports::ReportIssueRow>().empty());
    const auto rows = recorded(world, 4);
    const auto& issues = rows.rows<reports::ReportIssueRow>();
    QCOMPARE(issues.size(), std::size_t(1));
    QCOMPARE(issues[0].severity, std::string("warning"));
    QVERIFY(issues[0].count > 0);
    QVERIFY2(issues[0].message.find("trace ends at cycle") != std::string::npos, issues[0].message.c_str());
    QCOMPARE(rows.rows<reports::RunRow>().at(0).cycles, recorded(world, 1000).rows<reports::RunRow>().at(0).cycles);
  }
};

TILESCOPE_TEST(ExecutionRecorderTest)
#include "execution_recorder_test.moc"
