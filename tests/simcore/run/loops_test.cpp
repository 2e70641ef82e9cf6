// Loops that end by data: random numbers that continue between iterations, and limits for endless loops.
#include "simcore/ops/ops.h"
#include "simcore/run/engine_options.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>
#include <thread>

using namespace simcore;
using namespace simcore::graph;
using numerics::HostTensor;
using tests::errorOf;
using tests::has;
using tests::HostWorld;

namespace {

// A world with random numbers: `draw` fills `x`, and the rows of `kept` are copies of `x`.
struct DrawingWorld : HostWorld {
  Tensor x, kept;
  Sequence draw;

  explicit DrawingWorld(const ops::RandomSeed& seed = 7) : HostWorld(4) {
    x = graph->addVariable(ElementType::Float, {64}, VariableMappingMethod::Linear, "x");
    kept = graph->addVariable(ElementType::Float, {8, 64}, VariableMappingMethod::Linear, "kept");
    ops::fillRandom(ops::OpBuilder(*graph, draw, graph->addContext({}, "draw", "user", "")), x, {}, seed);
  }
  Sequence drawInto(int64_t row) { return Sequence{draw.program(), program::copy(x, kept[row])}; }
};

std::vector<double> rowOf(const run::Engine& e, const DrawingWorld& w, int64_t row) {
  return e.readTensor(w.kept[row]).toDoubles();
}

// The error of an endless Engine::run that a stop request ends.
std::string stoppedWith(run::Engine& engine, reports::Progress& progress, std::stop_token stop) {
  return errorOf([&] { engine.run(0, "endless", stop, progress); });
}

} // namespace

class LoopsTest : public QObject {
  Q_OBJECT
private slots:
  // Iterations, repeated executions and repeated runs continue the generators; a new engine restarts them.
  void generatorsGoOn() {
    DrawingWorld w;
    const Tensor counter = w.variable(ElementType::Int32, {1}, "counter");
    w.main.add(w.drawInto(0));
    w.main.add(w.drawInto(1)); // the same program again
    w.main.add(program::repeat(3, w.drawInto(2)));
    run::Engine e(w.compile(), {}, nullptr), again(*w.executable, {}, nullptr);
    std::set<std::vector<double>> seen;
    for (int i = 0; i < 4; ++i) {
      e.run();
      for (const int64_t row : {0, 1, 2}) seen.insert(rowOf(e, w, row));
      if (i != 0) continue;
      again.run();
      for (const int64_t row : {0, 1, 2}) QCOMPARE(rowOf(again, w, row), rowOf(e, w, row));
    }
    QCOMPARE(seen.size(), std::size_t(12));
  }

  // Several draws of a tile give the same sequence as one long draw: no number is skipped or repeated.
  void roundsAreOneSequence() {
    const auto drawn = [](int64_t n, int64_t rounds) {
      Graph graph(arch::tinyMachine(1));
      const Tensor x = graph.addVariable(ElementType::Float, {n}, VariableMappingMethod::Linear, "x"),
                   all = graph.addVariable(ElementType::Float, {rounds, n}, VariableMappingMethod::Linear, "all");
      Sequence main, draw;
      ops::fillRandom(ops::OpBuilder(graph, draw, graph.addContext({}, "draw", "user", "")), x, {}, 3);
      for (int64_t r = 0; r < rounds; ++r) main.add(Sequence{draw.program(), program::copy(x, all[r])});
      const auto shared = std::make_shared<Graph>(std::move(graph));
      run::Engine e(compile::compile(shared, {{"main", main.program()}}), {}, nullptr);
      e.run();
      return e.readTensor(all).toDoubles();
    };
    QCOMPARE(drawn(24, 5), drawn(120, 1)); // 24: two rounds of six workers with two floats each
  }

  // Seed words on the machine determine the numbers of every iteration.
  void wordsSeedEveryRound() {
    HostWorld s;
    const Tensor words = s.variable(ElementType::UInt32, {2}, "words"), x = s.variable(ElementType::Float, {16}, "x"),
                 kept = s.variable(ElementType::Float, {3, 16}, "kept");
    Sequence draw;
    ops::fillRandom(ops::OpBuilder(*s.graph, draw, s.graph->addContext({}, "draw", "user", "")), x, {}, ops::RandomSeed(words));
    for (int64_t i = 0; i < 3; ++i) s.main.add(Sequence{draw.program(), program::copy(x, kept[i])});
    run::Engine e(s.compile(), {}, nullptr);
    e.writeTensor(words, HostTensor::vector<uint32_t>({1, 2}));
    e.run();
    QCOMPARE(e.readTensor(kept[0]).toDoubles(), e.readTensor(kept[2]).toDoubles());
    const auto before = e.readTensor(kept[0]).toDoubles();
    e.writeTensor(words, HostTensor::vector<uint32_t>({1, 3}));
    e.run();
    QVERIFY(before != e.readTensor(kept[0]).toDoubles());
  }

  void dropoutMasksDifferFromRoundToRound() {
    HostWorld w;
    const Tensor ones = w.variable(ElementType::Float, {200}, "ones"), kept = w.variable(ElementType::Float, {2, 200}, "kept");
    w.graph->setInitialValue(ones, 1.0f);
    Sequence draw;
    const Tensor y = ops::dropout(ops::OpBuilder(*w.graph, draw, w.graph->addContext({}, "d", "user", "")), ones, 0.5, 2, 9);
    for (int64_t i = 0; i < 2; ++i) w.main.add(Sequence{draw.program(), program::copy(y, kept[i])});
    run::Engine e(w.compile(), {}, nullptr);
    e.run();
    const auto first = e.readTensor(kept[0]).toDoubles(), second = e.readTensor(kept[1]).toDoubles();
    int equal = 0;
    for (std::size_t i = 0; i < first.size(); ++i) equal += first[i] == second[i];
    QVERIFY2(equal > 60 && equal < 140, std::to_string(equal).c_str());
  }

  // A loop in which nothing changes, or that alternates between two states, is detected long before the limit of iterations.
  void aLoopWhereNothingChangesIsFoundOut() {
    for (const bool flips : {false, true}) {
      HostWorld w;
      const Tensor always = w.variable(ElementType::Int32, {1}, "always"), a = w.variable(ElementType::Float, {4}, "a"),
                   b = w.variable(ElementType::Float, {4}, "b", 1);
      w.graph->setInitialValue(always, 1);
      w.graph->setInitialValue(b, 2.0f);
      const Tensor t = w.variable(ElementType::Float, {4}, "t");
      Sequence body;
      if (flips) body = Sequence{program::copy(a, t), program::copy(b, a), program::copy(t, b)};
      w.main.add(program::repeatWhileTrue(Sequence(), always, body, "until converged"));
      run::EngineOptions options;
      options.maxIterations = 1 << 20;
      run::Engine e(w.compile(), options, nullptr);
      const std::string error = errorOf([&] { e.run(); });
      QVERIFY2(has(error, "until converged") && has(error, "never ends"), error.c_str());
      QVERIFY2(has(error, flips ? "2 iterations before" : "1 iteration before"), error.c_str());
    }
  }

  // A loop that waits for the host, draws random numbers, or counts is not reported as endless, even if no variable changes.
  void aLoopThatMayStillEndGoesOn() {
    constexpr int kRounds = 70'000;
    HostWorld w;
    const Tensor goOn = w.variable(ElementType::Int32, {1}, "goOn");
    const StreamId asked = w.graph->addHostToDeviceFifo("asked", ElementType::Int32, 1);
    w.main.add(program::repeatWhileTrue(Sequence{program::copy(asked, goOn)}, goOn, Sequence()));
    run::Engine e(w.compile(), {}, nullptr);
    int calls = 0;
    e.connectStreamToCallback("asked", [&](void* to) { *static_cast<int32_t*>(to) = ++calls < kRounds; });
    e.run();
    QCOMPARE(calls, kRounds);
  }

  void theLimitOfRoundsIsAnOption() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Int32, {1}, "x");
    w.graph->setInitialValue(x, 1);
    w.main.add(program::repeatWhileTrue(Sequence(), x, Sequence(w.addOne(x)), "count"));
    run::EngineOptions options;
    options.maxIterations = 20;
    run::Engine e(w.compile(), options, nullptr);
    const std::string error = errorOf([&] { e.run(); });
    QVERIFY2(has(error, "after 20 iterations") && has(error, "count") && has(error, "tilescope.maxLoopRounds"), error.c_str());
    QCOMPARE(e.readTensor(x).integerAt(0), int64_t(21));
  }

  // As on the real machine, the host gives up.
  void theHostWaitsSoLong() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Float, {1}, "x"), go = w.variable(ElementType::Int32, {1}, "go");
    w.graph->setInitialValue(go, 1);
    const auto set = w.graph->addComputeSet("slow");
    const VertexRef v = w.graph->addVertex(set, "AddOne", {{"x", x}});
    w.graph->setTileMapping(v, reports::TileId(0));
    w.graph->setPerfEstimate(v, 100'000'000); // half a second of the machine for six workers
    w.main.add(program::repeatWhileTrue(Sequence(), go, Sequence(program::execute(set)), "slowly"));
    run::EngineOptions options;
    options.hostSyncTimeout = 60;
    run::Engine e(w.compile(), options, nullptr);
    const std::string error = errorOf([&] { e.run(); });
    QVERIFY2(has(error, "slowly") && has(error, "60 seconds") && has(error, "target.hostSyncTimeout"), error.c_str());
    const double seconds = double(e.cycle()) / w.graph->machine().clockHz;
    QVERIFY2(seconds > 60 && seconds < 61, std::to_string(seconds).c_str());
  }

  // A stop request ends a loop in its next iteration.
  void aLoopCanBeStopped() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Int32, {1}, "x");
    w.graph->setInitialValue(x, 1);
    w.main.add(program::repeatWhileTrue(Sequence(), x, Sequence(w.addOne(x)), "count"));
    run::Engine e(w.compile(), {}, nullptr);
    std::stop_source stop;
    struct StopAt final : reports::Progress {
      std::stop_source& source;
      explicit StopAt(std::stop_source& s) : source(s) {}
      void phase(std::string_view) override {}
      void update(double) override { source.request_stop(); }
    } progress(stop);
    reports::Progress& asProgress = progress;
    const std::string error = stoppedWith(e, asProgress, stop.get_token());
    QVERIFY2(!error.empty() && e.readTensor(x).integerAt(0) < 10, error.c_str());
  }
};

TILESCOPE_TEST(LoopsTest)
#include "loops_test.moc"
