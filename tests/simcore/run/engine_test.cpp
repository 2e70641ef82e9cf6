#include "reports/core/error.h"
#include "simcore/run/engine.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <sstream>

using namespace simcore;
using namespace simcore::graph;
using numerics::HostTensor;

namespace {

struct World {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>(arch::tinyMachine(4));
  Sequence main;
  compile::Executable executable;

  World() {
    Codelet add;
    add.name = "AddOne";
    add.fields = {{"x", FieldDirection::InOut}};
    add.compute = [](VertexFields& f) {
      for (float& v : f.mutableValues<float>("x")) v += 1;
    };
    add.cycles = [](const auto& sizes) { return 5 + sizes.at("x"); };
    graph->addCodelet(add);
    Codelet below;
    below.name = "Below";
    below.fields = {{"x", FieldDirection::Input}, {"flag", FieldDirection::Output}};
    below.state = {"limit"};
    below.compute = [](VertexFields& f) {
      f.mutableValues<bool>("flag")[0] = double(f.values<float>("x")[0]) < f.state("limit");
    };
    below.cycles = [](const auto&) { return int64_t(6); };
    graph->addCodelet(below);
  }
  Tensor variable(ElementType type, int64_t n, const std::string& name) {
    const Tensor t = graph->addVariable(type, {n}, name);
    graph->setTileMapping(t, TileId(0));
    return t;
  }
  Program run(const std::string& codelet, const std::vector<std::pair<std::string, Tensor>>& edges, double limit = -1) {
    const auto set = graph->addComputeSet(codelet);
    const auto v = graph->addVertex(set, codelet, edges);
    if (limit >= 0) graph->setInitialValue(v, "limit", limit);
    graph->setTileMapping(v, TileId(0));
    return program::execute(set);
  }
  run::Engine engine(run::EngineOptions options = {}) {
    reports::NoProgress none;
    executable = compile::compile(graph, {{"main", main.program()}}, {}, none);
    return run::Engine(executable, options, nullptr);
  }
};

void go(run::Engine& e) {
  reports::NoProgress none;
  e.run(0, "main", {}, none);
}

} // namespace

class EngineTest : public QObject {
  Q_OBJECT
private slots:
  void aLoopRunsAsOftenAsItsDataSays() {
    World w;
    const Tensor x = w.variable(ElementType::Float, 1, "x"), flag = w.variable(ElementType::Bool, 1, "flag");
    Sequence condition, body;
    condition.add(w.run("Below", {{"x", x}, {"flag", flag}}, 7));
    body.add(w.run("AddOne", {{"x", x}}));
    w.main.add(program::repeatWhile(true, condition, flag, body));
    auto e = w.engine();
    go(e);
    QCOMPARE(e.readTensor(x).at(0), 7.0);
    int64_t told = 0; // cost of sending the result to all tiles, once per test
    for (const auto& s : w.executable.program.steps)
      if (s.kind == compile::StepKind::Sync || s.kind == compile::StepKind::DoExchange) told += s.duration.value();
    QVERIFY(told > w.graph->machine().exchange.internalSync.value());
    QCOMPARE(e.cycle(), 8 * told + 8 * 36 + 7 * 36); // eight tests, seven bodies, six tile cycles a worker cycle
  }

  // Like Poplar's Copy: both sides have the same number of elements, copied in order, for any shapes and tiles.
  void aCopyNeedsOnlyAsManyElements() {
    World w;
    const Tensor from = w.graph->addVariable(ElementType::Float, {2, 3}, "from"), to = w.variable(ElementType::Float, 6, "to");
    const Tensor back = w.graph->addVariable(ElementType::Float, {3, 1, 2}, "back");
    w.graph->setTileMapping(from, TileId(1));
    w.graph->setTileMapping(back, TileId(2));
    w.main.add(program::copy(from.transpose(), to, "line up"));
    w.main.add(program::copy(to, back, "fold"));
    auto e = w.engine();
    e.writeTensor(from, HostTensor::vector<float>({1, 2, 3, 4, 5, 6}).reshaped({2, 3}));
    go(e);
    QCOMPARE(e.readTensor(to).toDoubles(), (std::vector<double>{1, 4, 2, 5, 3, 6}));
    QCOMPARE(e.readTensor(back).toDoubles(), (std::vector<double>{1, 4, 2, 5, 3, 6}));
    QVERIFY((e.readTensor(back).shape() == numerics::Shape{3, 1, 2}));
    QVERIFY(e.cycle() > 0);
  }

  void aRepeatMultipliesTimeAndNumbers() {
    World w;
    const Tensor x = w.variable(ElementType::Float, 3, "x");
    Sequence body;
    body.add(w.run("AddOne", {{"x", x}}));
    w.main.add(program::repeat(10, body));
    auto e = w.engine();
    go(e);
    QCOMPARE(e.readTensor(x).toDoubles(), (std::vector<double>{10, 10, 10}));
    QCOMPARE(e.cycle(), int64_t(10 * 6 * 8));
    run::EngineOptions timeOnly;
    timeOnly.numbers = false;
    timeOnly.shownIterations = 2;
    auto folded = w.engine(timeOnly);
    go(folded);
    QCOMPARE(folded.cycle(), e.cycle()); // folding changes what is stored, never the time
  }

  // A progress bar that moves only after a whole loop is useless.
  void progressMovesWithTheTurnsOfALoop() {
    struct Steps final : reports::Progress {
      std::vector<double> seen;
      void phase(std::string_view) override {}
      void update(double fraction) override { seen.push_back(fraction); }
    } steps;
    World w;
    const Tensor x = w.variable(ElementType::Float, 3, "x");
    Sequence inner, outer;
    inner.add(w.run("AddOne", {{"x", x}}));
    outer.add(program::repeat(50, inner));
    w.main.add(program::repeat(40, outer));
    auto e = w.engine();
    e.run(0, "main", {}, steps);
    QCOMPARE(e.readTensor(x).at(0), 2000.0);
    QVERIFY(steps.seen.size() > 90 && steps.seen.size() < 1100); // every part in a thousand at most
    QVERIFY(std::is_sorted(steps.seen.begin(), steps.seen.end()));
    QVERIFY(steps.seen[steps.seen.size() / 2] > 0.4 && steps.seen[steps.seen.size() / 2] < 0.6);
    QCOMPARE(steps.seen.back(), 1.0);
  }

  void aProgramOfYearsIsRefused() {
    World w;
    const Tensor x = w.variable(ElementType::Float, 3, "x");
    Sequence inner, outer;
    inner.add(w.run("AddOne", {{"x", x}}));
    outer.add(program::repeat(int64_t(1) << 40, inner, "inner"));
    w.main.add(program::repeat(int64_t(1) << 40, outer, "outer")); // more than 64 bits count
    auto e = w.engine();
    const std::string error = tests::errorOf([&] { go(e); });
    QVERIFY2(tests::has(error, "1.2e+24 steps") && tests::has(error, "main") && tests::has(error, "a 64-bit counter"),
             error.c_str());
  }
  void aProgramOfHoursRunsWithoutNumbersOnly() {
    World w;
    const Tensor x = w.variable(ElementType::Float, 3, "x");
    Sequence body;
    body.add(w.run("AddOne", {{"x", x}}));
    w.main.add(program::repeat(int64_t(1) << 40, body));
    auto e = w.engine();
    const std::string error = tests::errorOf([&] { go(e); });
    QVERIFY2(tests::has(error, "1.1e+12 steps") && tests::has(error, "without numbers"), error.c_str());
    run::EngineOptions timeOnly;
    timeOnly.numbers = false;
    auto folded = w.engine(timeOnly);
    go(folded);
    QCOMPARE(folded.cycle(), (int64_t(1) << 40) * 6 * 8);
  }

  void branchesFollowTheirPredicate() {
    for (double start : {1.0, 9.0}) {
      World w;
      const Tensor x = w.variable(ElementType::Float, 1, "x"), y = w.variable(ElementType::Float, 1, "y"),
                   flag = w.variable(ElementType::Bool, 1, "flag");
      w.main.add(w.run("Below", {{"x", x}, {"flag", flag}}, 5));
      Sequence yes, no;
      yes.add(w.run("AddOne", {{"x", y}}));
      w.main.add(program::ifElse(flag, yes, no));
      auto e = w.engine();
      e.writeTensor(x, HostTensor::vector<float>({float(start)}));
      go(e);
      QCOMPARE(e.readTensor(y).at(0), start < 5 ? 1.0 : 0.0);
    }
  }

  void aSwitchTakesItsCaseOrTheDefault() {
    for (int32_t selector : {3, 8, 99}) {
      World w;
      const Tensor x = w.variable(ElementType::Float, 1, "x"), s = w.variable(ElementType::Int32, 1, "s");
      Sequence once, twice, none;
      once.add(w.run("AddOne", {{"x", x}}));
      twice.add(w.run("AddOne", {{"x", x}}));
      twice.add(w.run("AddOne", {{"x", x}}));
      w.main.add(program::switchOn(s, {{3, once}, {8, twice}}, none));
      auto e = w.engine();
      e.writeTensor(s, HostTensor::vector<int32_t>({selector}));
      go(e);
      QCOMPARE(e.readTensor(x).at(0), selector == 3 ? 1.0 : selector == 8 ? 2.0 : 0.0);
    }
  }

  void functionsShareTheirCodeAndRunAtEveryCall() {
    World w;
    const Tensor x = w.variable(ElementType::Float, 1, "x");
    Sequence f;
    f.add(w.run("AddOne", {{"x", x}}));
    const auto function = w.graph->addFunction("f", f.program());
    for (int i = 0; i < 3; ++i) w.main.add(program::call(function));
    auto e = w.engine();
    go(e);
    QCOMPARE(e.readTensor(x).at(0), 3.0);
  }

  void streamsDeliverInOrderAndRepeatTheLast() {
    World w;
    const Tensor x = w.variable(ElementType::Float, 2, "x");
    const auto in = w.graph->addHostToDeviceFifo("in", ElementType::Float, 2),
               out = w.graph->addDeviceToHostFifo("out", ElementType::Float, 2);
    Sequence body;
    body.add(program::copy(in, x));
    body.add(program::copy(x, out));
    w.main.add(program::repeat(3, body));
    auto e = w.engine();
    QVERIFY_THROWS_EXCEPTION(reports::Error, go(e)); // nothing connected
    e.connectInput("in", {HostTensor::vector<float>({1, 2}), HostTensor::vector<float>({3, 4})});
    go(e);
    QCOMPARE(e.received("out").size(), std::size_t(3));
    QCOMPARE(e.received("out")[0].toDoubles(), (std::vector<double>{1, 2}));
    QCOMPARE(e.received("out")[2].toDoubles(), (std::vector<double>{3, 4}));
  }

  void printTensorPrintsRowsInBrackets() {
    World w;
    const Tensor x = w.variable(ElementType::Float, 4, "x");
    w.main.add(program::printTensor("x", x.reshape({2, 2})));
    std::ostringstream text;
    run::EngineOptions options;
    options.printStream = &text;
    auto e = w.engine(options);
    e.writeTensor(x, HostTensor::vector<float>({1, 2, 3, 4.5f}));
    go(e);
    QCOMPARE(text.str(), std::string("x: [\n  [1.0000000 2.0000000]\n  [3.0000000 4.5000000]\n]\n"));
  }

  void anAbortCarriesItsMessageAndAnEndlessLoopEnds() {
    World w;
    const Tensor flag = w.variable(ElementType::Bool, 1, "flag");
    w.main.add(program::abortOnCondition(flag, "negative loss"));
    auto e = w.engine();
    go(e);
    e.writeTensor(flag, HostTensor::vector<uint8_t>({1}).cast(ElementType::Bool));
    try {
      go(e);
      QFAIL("the program went on");
    } catch (const reports::Error& error) {
      QVERIFY(std::string(error.what()).find("negative loss") != std::string::npos);
    }
    World loop;
    const Tensor always = loop.variable(ElementType::Bool, 1, "always");
    loop.graph->setInitialValue(always, HostTensor::full(ElementType::Bool, {1}, 1));
    Sequence condition, body;
    loop.main.add(program::repeatWhile(true, condition, always, body));
    run::EngineOptions options;
    options.maxIterations = 1000;
    auto endless = loop.engine(options);
    QVERIFY_THROWS_EXCEPTION(reports::Error, go(endless));
  }

  void halfVariablesRoundAsHalf() {
    World w;
    const Tensor h = w.variable(ElementType::Half, 2, "h");
    auto e = w.engine();
    e.writeTensor(h, HostTensor::vector<float>({1.0f / 3, 2049}));
    QCOMPARE(e.readTensor(h).at(0), 0.333251953125);
    QCOMPARE(e.readTensor(h).at(1), 2048.0); // ties to even
  }
};

TILESCOPE_TEST(EngineTest)
#include "engine_test.moc"
