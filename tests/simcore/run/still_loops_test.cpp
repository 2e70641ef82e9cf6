// Iterations of a loop that leave every value as it was are not computed, but recorded as if they were.
#include "reports/rows/slice_decode.h"
#include "simcore/graph/lasting_kernel.h"
#include "simcore/run/execution_recorder.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cstddef>

using namespace simcore;
using namespace simcore::graph;
using numerics::HostTensor;

namespace {

int g_limitedCalls = 0; // one vertex, so one thread at a time
thread_local Counters t_limitedCounters;

// y = min(y + x, limit); the time is the sum.
struct Limited {
  const int32_t *x, *limit;
  int32_t* y;
};
bool addLimited(void* object, unsigned) {
  auto& v = *static_cast<Limited*>(object);
  ++g_limitedCalls;
  *v.y = std::min(*v.y + *v.x, *v.limit);
  t_limitedCounters.cycles += *v.y;
  t_limitedCounters.budget -= *v.y;
  return true;
}

struct LimitedWorld : tests::HostWorld {
  Tensor x, limit, y;
  explicit LimitedWorld(int64_t iterations, bool mayStandStill) {
    auto native = std::make_shared<NativeBody>();
    native->objectBytes = sizeof(Limited);
    native->fields = {{offsetof(Limited, x)}, {offsetof(Limited, limit)}, {offsetof(Limited, y)}};
    native->compute = native->counted = addLimited;
    native->counters = [] { return &t_limitedCounters; };
    native->dependsOnData = true;
    static MachineHooks hooks;
    if (!mayStandStill) native->hooks = [] { return &hooks; };
    Codelet c;
    c.name = "Limited";
    for (const char* name : {"x", "limit", "y"})
      c.fields.push_back({name, FieldDirection::Input, ElementType::Int32, FieldShape::Scalar});
    c.fields.back().direction = FieldDirection::InOut;
    c.native = native;
    graph->addCodelet(c);
    x = variable(ElementType::Int32, {1}, "x");
    limit = variable(ElementType::Int32, {1}, "limit");
    y = variable(ElementType::Int32, {1}, "y");
    const auto set = graph->addComputeSet("limited");
    graph->setTileMapping(graph->addVertex(set, "Limited", {{"x", x[0]}, {"limit", limit[0]}, {"y", y[0]}}), reports::TileId(0));
    Sequence inner(program::execute(set));
    main.add(program::repeat(iterations, inner));
  }
};

struct LoopRun {
  int32_t y = 0;
  int64_t cycle = 0;
  int calls = 0;
  std::vector<int64_t> slices;
};
LoopRun runLimited(int64_t iterations, int32_t x, bool mayStandStill, int runs = 1) {
  LimitedWorld w(iterations, mayStandStill);
  const auto& executable = w.compile();
  tests::RowCollector rows;
  reports::StringPool strings(rows);
  run::ExecutionRecorder recorder(executable, strings, rows, 100'000, {});
  run::Engine e(executable, {}, &recorder);
  e.writeTensor(w.x, HostTensor::vector<int32_t>({x}));
  e.writeTensor(w.limit, HostTensor::vector<int32_t>({20}));
  g_limitedCalls = 0;
  for (int i = 0; i < runs; ++i) {
    if (i == 2) e.writeTensor(w.limit, HostTensor::vector<int32_t>({30}));
    e.run();
  }
  LoopRun result{int32_t(e.readTensor(w.y).at(0)), e.cycle(), g_limitedCalls, {}};
  recorder.finish();
  for (const auto& chunk : rows.rows<reports::SliceChunkRow>())
    for (const int64_t d : reports::decodeChunk(chunk).durations) result.slices.push_back(d);
  return result;
}

} // namespace

class StillLoopsTest : public QObject {
  Q_OBJECT
private slots:
  void iterationsWithoutChangeAreNotComputed() {
    const LoopRun still = runLimited(1000, 3, true), all = runLimited(1000, 3, false);
    QCOMPARE(still.y, 20);
    QCOMPARE(all.calls, 1000);
    QCOMPARE(still.calls, 1 + 8); // the first is run twice; the seventh reaches the limit; the eighth is compared
    QCOMPARE(still.cycle, all.cycle);
    QCOMPARE(still.slices, all.slices);
  }
  void aLoopThatChangesIsComputedToItsEnd() {
    for (const int64_t iterations : {1, 7, 8, 9, 20}) QCOMPARE(runLimited(iterations, 1, true).calls, 1 + int(iterations));
    QCOMPARE(runLimited(20, 1, true).y, 20);
  }
  // The second run finds the values of the first; the third finds another limit.
  void aRunThatFindsTheSameValuesComputesNothing() {
    const LoopRun still = runLimited(100, 20, true, 3), all = runLimited(100, 20, false, 3);
    QCOMPARE(still.calls, 1 + 4 + 0 + 4);
    QCOMPARE(still.y, 30);
    QCOMPARE(still.cycle, all.cycle);
    QCOMPARE(still.slices, all.slices);
  }
  // y = min(y + 3, 20) as an operation of a library; once it counts its own executions.
  void operationsOfLibrariesStandStillToo() {
    for (const bool counts : {false, true}) {
      tests::HostWorld w;
      const Tensor y = w.variable(ElementType::Int32, {1}, "y");
      int calls = 0;
      const auto kernel = [&calls](const std::vector<HostTensor>& inputs) {
        ++calls;
        return std::vector<HostTensor>{HostTensor::vector<int32_t>({int32_t(std::min<int64_t>(inputs[0].integerAt(0) + 3, 20))})};
      };
      HostKernel used = kernel;
      if (counts)
        used = LastingKernel{[&kernel](const std::vector<HostTensor>& inputs, LastingState&) { return kernel(inputs); }};
      Sequence body(program::hostCompute("limited", {}, {y}, {y}, used));
      w.main.add(program::repeat(1000, body));
      run::Engine e(w.compile(), {}, nullptr);
      e.run();
      QCOMPARE(e.readTensor(y).at(0), 20.0);
      QCOMPARE(calls, counts ? 1000 : 8);
    }
  }
};

TILESCOPE_TEST(StillLoopsTest)
#include "still_loops_test.moc"
