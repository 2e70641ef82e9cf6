// Blocks are timed as in the trace, in a buffer of limited size: counts, cycles, lost records, the cost of a flush.
#include "reports/rows/slice_decode.h"
#include "simcore/run/engine_options.h"
#include "simcore/run/simulate.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <map>
#include <numeric>

using namespace simcore;
using namespace simcore::graph;
using reports::BlockRecord;
using reports::BlockRecordKind;
using tests::errorOf;
using tests::has;
using tests::HostWorld;

namespace {

using Options = std::map<std::string, std::string>;

struct Timed {
  tests::RowCollector rows;
  compile::Executable executable;
  std::vector<std::pair<int64_t, BlockRecord>> records; // with their tiles

  std::vector<BlockRecord> named(const std::string& name, BlockRecordKind kind) const {
    std::vector<BlockRecord> list;
    for (const auto& [tile, r] : records)
      if (rows.text(r.nameId) == name && r.kind == kind) list.push_back(r);
    return list;
  }
  int64_t cyclesOfRuns() const {
    int64_t sum = 0;
    for (const auto& run : rows.rows<reports::RunRow>()) sum += run.cycles;
    return sum;
  }
};

Timed timed(HostWorld& world, const Options& given, const run::EngineOptions& engineOptions = {}, int runs = 1) {
  run::EngineOptionSet options;
  for (const auto& [name, value] : given) options.set(name, value, "test");
  Timed t;
  reports::NoProgress none;
  compile::CompileOptions compileOptions;
  compileOptions.blocks = run::blockBufferOf(options, world.graph->machine());
  t.executable = compile::compile(world.graph, {{"main", world.main.program()}}, {}, none, {}, compileOptions);
  reports::StringPool strings(t.rows);
  run::ExecutionRecorder recorder(t.executable, strings, t.rows, engineOptions.maxSlices, run::blockFilterOf(options));
  run::Engine engine(t.executable, engineOptions, &recorder);
  for (int i = 0; i < runs; ++i) tests::runOnce(engine);
  recorder.finish();
  for (const auto& row : t.rows.rows<reports::BlockChunkRow>())
    for (const BlockRecord& r : reports::decodeBlocks(row)) t.records.emplace_back(row.tile, r);
  return t;
}

// Start and cycles of the slices of a name in the trace.
std::vector<std::pair<int64_t, int64_t>> slicesNamed(const tests::RowCollector& rows, const std::string& name) {
  std::vector<std::pair<int64_t, int64_t>> list;
  for (const auto& chunk : rows.rows<reports::SliceChunkRow>()) {
    const auto slices = reports::decodeChunk(chunk);
    for (std::size_t i = 0; i < slices.size(); ++i)
      if (rows.text(slices.names[i]) == name) list.emplace_back(slices.starts[i], slices.durations[i]);
  }
  return list;
}

std::vector<std::pair<int64_t, int64_t>> times(const std::vector<BlockRecord>& records) {
  std::vector<std::pair<int64_t, int64_t>> list;
  for (const auto& r : records) list.emplace_back(r.startCycle, r.cycles);
  return list;
}

int64_t executions(const std::vector<BlockRecord>& records) {
  return std::accumulate(records.begin(), records.end(), int64_t(0), [](int64_t n, const auto& r) { return n + r.executions; });
}

// A Block of two steps, `count` times in a loop.
HostWorld loopOf(int count) {
  HostWorld w;
  const Tensor x = w.variable(ElementType::Float, {10}, "x");
  Sequence stage;
  stage.add(w.addOne(x));
  stage.add(w.addOne(x));
  w.main.add(program::repeat(count, Sequence{program::block(stage, "stage")}));
  return w;
}

const reports::ReportIssueRow* issueAt(const tests::RowCollector& rows, const std::string& place) {
  for (const auto& row : rows.rows<reports::ReportIssueRow>())
    if (row.place == place) return &row;
  return nullptr;
}

} // namespace

class BlockTimerTest : public QObject {
  Q_OBJECT
private slots:
  void nothingIsTimedUnlessAskedFor() {
    HostWorld w = loopOf(3);
    const Timed t = timed(w, {{"profiler.blocks.bufferSize", "500"}});
    QVERIFY(t.records.empty());
    for (const auto& s : t.executable.storage) QVERIFY(s.name != "blockProfilingBuffer");
    QVERIFY(t.executable.program.blockFlushes.empty());
  }

  void cyclesAreThoseOfTheTrace() {
    HostWorld w = loopOf(5);
    const Timed t = timed(w, {{"profiler.blocks.filter", "st.*"}});
    const auto records = t.named("stage", BlockRecordKind::Block);
    QCOMPARE(records.size(), std::size_t(5));
    QCOMPARE(times(records), slicesNamed(t.rows, "stage"));
    QCOMPARE(executions(records), int64_t(5));
    for (const auto& r : records) // without host computations rows are numbered as steps
      QVERIFY(t.executable.program.steps.at(std::size_t(r.step)).kind == compile::StepKind::Block);
    // Blocks whose slices exceed the limit of the trace are timed too.
    run::EngineOptions few;
    few.maxSlices = 3;
    QCOMPARE(times(timed(w, {{"profiler.blocks.filter", "stage"}}, few).named("stage", BlockRecordKind::Block)), times(records));
  }

  void theBufferIsMemoryOfTheTile() {
    HostWorld w = loopOf(1);
    const Timed t = timed(w, {{"profiler.blocks.filter", "stage"}, {"profiler.blocks.tile", "2"}});
    bool found = false;
    for (const auto& s : t.executable.storage) {
      if (s.name != "blockProfilingBuffer") continue;
      found = true;
      QVERIFY(s.alwaysLive && s.category == reports::MemoryCategory::InstrumentationResults);
      QCOMPARE(s.bytes.dense(4), (std::vector<int64_t>{0, 0, 1000, 0}));
    }
    QVERIFY(found);
    QCOMPARE(t.records.at(0).first, int64_t(2));
  }

  void whatDoesNotFitIsLost() {
    HostWorld w = loopOf(100);
    const Timed t = timed(w, {{"profiler.blocks.filter", "stage"}, {"profiler.blocks.implicitFlush", "false"}});
    QCOMPARE(t.named("stage", BlockRecordKind::Block).size(), std::size_t(41)); // of 24 bytes in 1,000
    const auto lost = t.named("stage", BlockRecordKind::Overflow);
    QCOMPARE(lost.size(), std::size_t(1));
    QCOMPARE(executions(lost), int64_t(59));
    const auto slices = slicesNamed(t.rows, "stage");
    QCOMPARE(lost[0].startCycle, slices[41].first);
    QCOMPARE(lost[0].endCycle(), slices[99].first + slices[99].second);
    const auto* issue = issueAt(t.rows, "Block profiling");
    QVERIFY(issue);
    QCOMPARE(issue->message, std::string("59 of 100 executions of Blocks were lost: the buffer of 1000 bytes was full"));
    QCOMPARE(issue->count, int64_t(59));
    // The host reads the buffer after each run.
    const Timed twice = timed(w, {{"profiler.blocks.filter", "stage"}, {"profiler.blocks.implicitFlush", "false"}}, {}, 2);
    QCOMPARE(executions(twice.named("stage", BlockRecordKind::Block)), int64_t(82));
    // A buffer that is large enough loses nothing.
    const Timed all = timed(w, {{"profiler.blocks.filter", "stage"},
                                {"profiler.blocks.implicitFlush", "false"},
                                {"profiler.blocks.bufferSize", "2400"}});
    QCOMPARE(executions(all.named("stage", BlockRecordKind::Block)), int64_t(100));
    QVERIFY(!issueAt(all.rows, "Block profiling"));
  }

  void aFlushCostsTheRunAndLosesNothing() {
    HostWorld w = loopOf(100);
    const Timed kept = timed(w, {{"profiler.blocks.filter", "stage"}, {"profiler.blocks.implicitFlush", "false"}}),
                flushed = timed(w, {{"profiler.blocks.filter", "stage"}});
    QCOMPARE(executions(flushed.named("stage", BlockRecordKind::Block)), int64_t(100));
    const auto flushes = flushed.named("BlockFlush", BlockRecordKind::Flush);
    QCOMPARE(flushes.size(), std::size_t(2)); // after 41 and 82
    int64_t cost = 0;
    for (const auto& f : flushes) cost += f.cycles;
    const auto& host = w.graph->machine().host;
    QVERIFY(cost > 2 * (host.begin.value() + host.handshake.value() + host.end.value()));
    QCOMPARE(flushed.cyclesOfRuns(), kept.cyclesOfRuns() + cost);
    const auto& run = flushed.rows.rows<reports::RunRow>()[0];
    QCOMPARE(run.computeCycles + run.exchangeCycles + run.syncCycles + run.hostCycles + run.idleCycles, run.cycles);
    QCOMPARE(run.hostCycles > 0, true);
    for (const auto& b : flushed.named("stage", BlockRecordKind::Block)) // no Block waits for it: it is between two
      for (const auto& f : flushes) QVERIFY(b.endCycle() <= f.startCycle || f.endCycle() <= b.startCycle);
  }

  void scopesAndProgramsAreTimedAsInBlocks() {
    HostWorld w;
    const auto layer = w.graph->addContext({}, "layer", "", ""), inner = w.graph->addContext(layer, "inner", "", "");
    const Tensor x = w.variable(ElementType::Float, {10}, "x");
    const auto add = [&](DebugContextId context, const char* name) {
      const auto set = w.graph->addComputeSet(name, context);
      w.graph->setTileMapping(w.graph->addVertex(set, "AddOne", {{"x", x}}), reports::TileId(0));
      return program::execute(set);
    };
    Sequence body;
    body.add(add(layer, "first"));
    body.add(add(inner, "second"));
    body.add(add(inner, "third"));
    w.main.add(program::repeat(4, body)); // one layer alone in a loop: its turns are apart
    const Timed t = timed(w, {{"profiler.programs.filter", "layer|.*inner"}});
    const auto layers = t.named("layer", BlockRecordKind::Program), inners = t.named("layer/inner", BlockRecordKind::Program);
    QCOMPARE(layers.size(), std::size_t(4));
    QCOMPARE(times(inners), slicesNamed(t.rows, "inner"));
    for (std::size_t i = 0; i < 4; ++i) {
      QVERIFY(layers[i].startCycle < inners[i].startCycle);
      QCOMPARE(layers[i].endCycle(), inners[i].endCycle());
      QCOMPARE(layers[i].step, int64_t(-1));
      if (i > 0) QVERIFY(layers[i].startCycle >= layers[i - 1].endCycle());
    }
    const Timed steps = timed(w, {{"profiler.programs.filter", "third"}});
    QCOMPARE(times(steps.named("layer/inner/third", BlockRecordKind::Program)), slicesNamed(steps.rows, "third"));
  }

  void aFunctionIsTimedForTheLayerThatCallsIt() {
    HostWorld w;
    Graph& graph = *w.graph;
    const auto first = graph.addContext({}, "first", "model", "AddOne"),
               second = graph.addContext({}, "second", "model", "AddOne");
    const Tensor x = w.variable(ElementType::Float, {10}, "x");
    const auto set = graph.addComputeSet("set", graph.addContext(first, "inside", "", ""));
    graph.setTileMapping(graph.addVertex(set, "AddOne", {{"x", x}}), reports::TileId(0));
    const FunctionId shared = graph.addFunction("shared", program::execute(set));
    w.main.add(program::call(shared));
    w.main.add(program::call(shared, "", {}, {{first, second}}));
    const Timed t = timed(w, {{"profiler.programs.filter", "first|second"}});
    QCOMPARE(t.named("first", BlockRecordKind::Program).size(), std::size_t(1));
    QCOMPARE(t.named("second", BlockRecordKind::Program).size(), std::size_t(1));
  }

  // A layer copies in, calls, and copies out; in between, another layer calls the same function.
  void aLayerMayBeginAndEndInAFunction() {
    HostWorld w;
    Graph& graph = *w.graph;
    const auto first = graph.addContext({}, "first", "model", "AddOne"),
               second = graph.addContext({}, "second", "model", "AddOne");
    const Tensor x = w.variable(ElementType::Float, {10}, "x");
    const auto add = [&](DebugContextId context, const char* name) {
      const auto set = graph.addComputeSet(name, context);
      graph.setTileMapping(graph.addVertex(set, "AddOne", {{"x", x}}), reports::TileId(0));
      return program::execute(set);
    };
    const FunctionId shared =
        graph.addFunction("shared", Sequence{add(graph.addContext(first, "inside", "", ""), "set")}.program());
    Sequence body;
    body.add(add(first, "in"));
    body.add(program::call(shared, "layer"));
    body.add(add(first, "out"));
    body.add(add(second, "in"));
    body.add(program::call(shared, "layer", {}, {{first, second}}));
    body.add(add(second, "out"));
    w.main.add(program::repeat(5, body));
    const Timed t = timed(w, {{"profiler.programs.filter", "first|second|.*set|layer"}}); // calls are named, too
    QCOMPARE(t.named("layer", BlockRecordKind::Program).size(), std::size_t(10));
    for (const char* layer : {"first", "second"}) {
      const auto layers = t.named(layer, BlockRecordKind::Program),
                 sets = t.named(layer + std::string("/inside/set"), BlockRecordKind::Program);
      QCOMPARE(layers.size(), std::size_t(5));
      QCOMPARE(sets.size(), std::size_t(5));
      for (std::size_t i = 0; i < 5; ++i) {
        QCOMPARE(layers[i].cycles, layers[0].cycles);
        QVERIFY(layers[i].startCycle < sets[i].startCycle && sets[i].endCycle() < layers[i].endCycle());
      }
    }
  }

  // Calls in a row: each step in them is an execution of its own, the layer around them is one.
  void callsInARowAreOneOfTheLayer() {
    HostWorld w;
    Graph& graph = *w.graph;
    const auto layer = graph.addContext({}, "layer", "model", "AddOne");
    const Tensor x = w.variable(ElementType::Float, {10}, "x");
    const auto set = graph.addComputeSet("set", layer);
    graph.setTileMapping(graph.addVertex(set, "AddOne", {{"x", x}}), reports::TileId(0));
    const FunctionId shared = graph.addFunction("shared", program::execute(set));
    w.main.add(program::call(shared, "call"));
    w.main.add(program::call(shared, "call"));
    const auto out = graph.addComputeSet("out", layer);
    graph.setTileMapping(graph.addVertex(out, "AddOne", {{"x", x}}), reports::TileId(0));
    w.main.add(program::execute(out)); // the layer began in a call, and ends behind it
    const Timed t = timed(w, {{"profiler.programs.filter", "layer|.*set|call"}});
    QCOMPARE(t.named("call", BlockRecordKind::Program).size(), std::size_t(2));
    const auto layers = t.named("layer", BlockRecordKind::Program), sets = t.named("layer/set", BlockRecordKind::Program);
    QCOMPARE(layers.size(), std::size_t(1));
    QCOMPARE(sets.size(), std::size_t(2));
    QCOMPARE(layers[0].startCycle, sets[0].startCycle);
    QVERIFY(layers[0].endCycle() > sets[1].endCycle());
  }

  // As in Poplar, an IPU that does not take part has no record.
  void eachIpuTimesItsOwn() {
    HostWorld w(4, 2);
    const Tensor x = w.variable(ElementType::Float, {10}, "x"), y = w.variable(ElementType::Float, {20}, "y", 5);
    w.main.add(program::block(Sequence{w.addOne(x)}, "stage0"));
    w.main.add(program::block(Sequence{w.addOne(y, 5)}, "stage1"));
    const Timed t = timed(w, {{"profiler.blocks.filter", "stage."}, {"profiler.blocks.tile", "3"}});
    QCOMPARE(t.records.size(), std::size_t(2));
    QCOMPARE(t.records[0].first, int64_t(3));
    QCOMPARE(t.rows.text(t.records[0].second.nameId), std::string("stage0"));
    QCOMPARE(t.records[1].first, int64_t(7));
    QCOMPARE(t.rows.text(t.records[1].second.nameId), std::string("stage1"));
    for (const auto& s : t.executable.storage)
      if (s.name == "blockProfilingBuffer") QCOMPARE(s.bytes.dense(8), (std::vector<int64_t>{0, 0, 0, 1000, 0, 0, 0, 1000}));
  }

  void streamCopiesAreTimedOnTheirTile() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Float, {10}, "x", 2);
    const auto out = w.graph->addDeviceToHostFifo("out", ElementType::Float, 10);
    w.main.add(program::repeat(20, Sequence({program::copy(x, out), program::block(Sequence{w.addOne(x, 2)}, "stage")})));
    Options options{{"profiler.blocks.filter", "stage"}, {"profiler.blocks.implicitFlush", "false"}};
    QCOMPARE(timed(w, options).records.size(), std::size_t(20));
    options["debug.instrumentExternalExchange"] = "true";
    const Timed t = timed(w, options);
    std::map<compile::StepKind, int64_t> copies;
    int64_t end = 0;
    for (const auto& [tile, r] : t.records) {
      if (tile == 0) continue; // of the Blocks
      QCOMPARE(tile, int64_t(2));
      QVERIFY(r.startCycle >= end); // the parts follow one another
      end = r.endCycle();
      ++copies[t.executable.program.steps.at(std::size_t(r.step)).kind];
    }
    // 41 records fit into the buffer.
    QCOMPARE(copies[compile::StepKind::StreamCopyBegin], int64_t(14));
    QCOMPARE(copies[compile::StepKind::StreamCopyMid], int64_t(14));
    QCOMPARE(copies[compile::StepKind::StreamCopyEnd], int64_t(13));
    QVERIFY(issueAt(t.rows, "Block profiling"));
    options["profiler.blocks.implicitFlush"] = "true";
    int64_t all = 0;
    for (const auto& [tile, r] : timed(w, options).records) all += tile == 2 ? r.executions : 0;
    QCOMPARE(all, int64_t(3 * 20));
  }

  void foldedTurnsCountAll() {
    HostWorld w = loopOf(1000);
    run::EngineOptions fast;
    fast.numbers = false;
    const Timed t = timed(w, {{"profiler.blocks.filter", "stage"}}, fast),
                whole = timed(w, {{"profiler.blocks.filter", "stage"}});
    const auto records = t.named("stage", BlockRecordKind::Block);
    QCOMPARE(records.size(), std::size_t(65)); // 64 iterations are simulated one by one
    QCOMPARE(executions(records), int64_t(1000));
    QCOMPARE(records.back().cycles, records.back().executions * records.front().cycles);
    QCOMPARE(executions(t.named("BlockFlush", BlockRecordKind::Flush)), int64_t(1000 / 41));
    QCOMPARE(t.cyclesOfRuns(), whole.cyclesOfRuns());
  }

  void aFilterThatMatchesNothingSaysSo() {
    HostWorld w = loopOf(2);
    const Timed t = timed(w, {{"profiler.blocks.filter", "stag"}});
    const auto* issue = issueAt(t.rows, "profiler.blocks.filter");
    QVERIFY(issue && has(issue->message, "no Block that ran matches 'stag'"));
    QVERIFY(t.records.empty());
  }

  void mistakesNameTheOption() {
    HostWorld w(4, 1);
    const auto refusal = [&](const Options& options) { return errorOf([&] { timed(w, options); }); };
    QVERIFY(has(refusal({{"profiler.blocks.filter", "(a"}}), "profiler.blocks.filter"));
    QVERIFY(has(refusal({{"profiler.blocks.filter", "a"}, {"profiler.blocks.tile", "4"}}), "profiler.blocks.tile"));
    QVERIFY(has(refusal({{"profiler.blocks.filter", "a"}, {"profiler.blocks.bufferSize", "23"}}), "profiler.blocks.bufferSize"));
    QVERIFY(has(refusal({{"profiler.programs.filter", "a"}, {"profiler.blocks.bufferSize", "1000000000"}}),
                "profiler.blocks.bufferSize"));
  }
};

TILESCOPE_TEST(BlockTimerTest)
#include "block_timer_test.moc"
