// Vertices with compiled code, written here by hand: objects as a compiler lays them out, and bodies that count what they do.
#include "reports/rows/block_records.h"
#include "reports/rows/slice_decode.h"
#include "simcore/run/block_filter.h"
#include "simcore/run/engine_options.h"
#include "simcore/run/execution_recorder.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>
#include <tbb/global_control.h>

#include <cstring>
#include <functional>

using namespace simcore;
using namespace simcore::graph;
using numerics::HostTensor;
using tests::errorOf;
using tests::has;
using tests::HostWorld;

namespace {

thread_local Counters t_counters;
Counters* counters() { return &t_counters; }
void count(int64_t cycles) {
  t_counters.cycles += cycles;
  t_counters.budget -= cycles;
  if (t_counters.budget < 0) t_counters.exhausted();
}

template<class T> struct Vector {
  T* data;
  uint64_t size;
};

// `turns` iterations; each takes 4 cycles.
struct Turns {
  int32_t* turns;
  Vector<float> x;
};
bool turn(void* object, unsigned) {
  auto& v = *static_cast<Turns*>(object);
  for (int32_t t = 0; t < *v.turns; ++t) {
    count(4);
    for (uint64_t i = 0; i < v.x.size; ++i) v.x.data[i] += 1;
  }
  return true;
}

std::shared_ptr<NativeBody> bodyOf(bool (*f)(void*, unsigned), std::vector<NativeBody::FieldPlace> fields, int64_t bytes) {
  auto native = std::make_shared<NativeBody>();
  native->objectBytes = bytes;
  native->fields = std::move(fields);
  native->compute = native->counted = f;
  native->counters = counters;
  return native;
}

struct TurnsWorld : HostWorld {
  Tensor turns, x;
  std::shared_ptr<NativeBody> native = bodyOf(turn, {{offsetof(Turns, turns)}, {offsetof(Turns, x)}}, sizeof(Turns));

  explicit TurnsWorld(int vertices = 1) : HostWorld(vertices) {
    native->sourceFile = "turns.cpp", native->sourceLine = 7;
    Codelet c;
    c.name = "Turns";
    c.fields = {{"turns", FieldDirection::Input, ElementType::Int32, FieldShape::Scalar}, {"x", FieldDirection::InOut}};
    c.native = native;
    graph->addCodelet(c);
    turns = graph->addVariable(ElementType::Int32, {vertices}, "turns");
    x = graph->addVariable(ElementType::Float, {vertices, 3}, "x");
    const auto set = graph->addComputeSet("turn");
    for (int i = 0; i < vertices; ++i) {
      const reports::TileId tile{std::size_t(i)};
      graph->setTileMapping(turns[i], tile);
      graph->setTileMapping(x[i], tile);
      const auto v = graph->addVertex(set, "Turns", {{"x", x[i]}, {"turns", turns[i]}}); // not in the order of the fields
      graph->setTileMapping(v, tile);
    }
    main.add(program::block(Sequence(program::execute(set)), "turns"));
  }
};

// One vertex of one field of four floats (or of `elements`), whose body is a function of this test.
struct Wrong : HostWorld {
  std::shared_ptr<NativeBody> native;
  Tensor x;
  Wrong(bool (*f)(void*, unsigned), bool dependsOnData, int64_t elements = 4)
      : HostWorld(arch::findMachine("gc200", 1)), native(bodyOf(f, {{0}}, sizeof(Vector<float>))) {
    native->dependsOnData = dependsOnData;
    Codelet c;
    c.name = "Wrong";
    c.fields = {{"x", FieldDirection::InOut}};
    c.native = native;
    graph->addCodelet(c);
    x = variable(ElementType::Float, {elements}, "x", 2);
    const auto set = graph->addComputeSet("work");
    graph->setTileMapping(graph->addVertex(set, "Wrong", {{"x", x}}), reports::TileId(2));
    main.add(program::execute(set));
  }
  std::string error(int runs = 1) {
    run::EngineOptions options;
    options.vertices.maxInstructions = 100'000;
    run::Engine e(compile(), options, nullptr);
    std::string text;
    for (int i = 0; i < runs && text.empty(); ++i) text = errorOf([&] { e.run(); });
    return text;
  }
};

Vector<float>& floats(void* object) { return *static_cast<Vector<float>*>(object); }
volatile float g_sink;
volatile int g_zero;

// Faults that a sanitizer would report before the processor raises a signal.
__attribute__((noinline, no_sanitize("undefined"))) float divided() { return float(7 / g_zero); }
__attribute__((noinline, no_sanitize("undefined"))) void writeTo(std::uintptr_t address) {
  *reinterpret_cast<volatile float*>(address) = 1;
}

__attribute__((noinline)) bool deepStack(void* object) {
  volatile char room[1 << 20];
  for (int i = (1 << 20) - 1; i >= 0; i -= 512) room[i] = char(i);
  floats(object).data[0] = float(room[77]);
  return true;
}

} // namespace

class NativeVerticesTest : public QObject {
  Q_OBJECT
private slots:
  void timeDependsOnData() {
    TurnsWorld w;
    run::EngineOptionSet given;
    given.set("profiler.blocks.filter", "turns", "test");
    compile::CompileOptions options;
    options.blocks = run::blockBufferOf(given, w.graph->machine());
    reports::NoProgress none;
    const auto executable = compile::compile(w.graph, {{"main", w.main.program()}}, {}, none, {}, options);
    tests::RowCollector rows;
    reports::StringPool strings(rows);
    run::ExecutionRecorder recorder(executable, strings, rows, 1000, run::blockFilterOf(given));
    run::Engine e(executable, {}, &recorder);
    std::vector<int64_t> durations;
    for (int32_t n = 100; n <= 500; n += 100) {
      e.writeTensor(w.turns, HostTensor::vector<int32_t>({n}));
      const int64_t before = e.cycle();
      e.run();
      durations.push_back(e.cycle() - before);
    }
    e.writeTensor(w.turns, HostTensor::vector<int32_t>({300})); // as one before
    e.run();
    QCOMPARE(e.readTensor(w.x).at(2), 1800.0);
    for (std::size_t i = 1; i < durations.size(); ++i) QCOMPARE(durations[i] - durations[i - 1], int64_t(100 * 4 * 6));
    recorder.finish();
    std::vector<int64_t> profiles;
    int64_t twice = 0;
    for (const auto& p : rows.rows<reports::StepProfileRow>())
      if (p.executions > 0 && p.cycles >= 2400) {
        profiles.push_back(p.cycles);
        twice += p.executions == 2;
      }
    QCOMPARE(profiles, (std::vector<int64_t>{2400, 4800, 7200, 9600, 12000}));
    QCOMPARE(twice, int64_t(1));
    std::vector<int64_t> blocks, slices;
    for (const auto& row : rows.rows<reports::BlockChunkRow>())
      for (const auto& block : reports::decodeBlocks(row)) blocks.push_back(block.cycles);
    QCOMPARE(blocks, (std::vector<int64_t>{2400, 4800, 7200, 9600, 12000, 7200}));
    for (const auto& chunk : rows.rows<reports::SliceChunkRow>()) {
      const auto decoded = reports::decodeChunk(chunk);
      for (std::size_t i = 0; i < decoded.size(); ++i)
        if (rows.text(decoded.names[i]) == "turn") slices.push_back(decoded.durations[i]);
    }
    QCOMPARE(slices, blocks);
    for (const auto& run : rows.rows<reports::RunRow>()) QVERIFY(run.computeCycles >= 2400);
    const auto sets = rows.rows<reports::ComputeSetRow>();
    const auto set = *std::find_if(sets.begin(), sets.end(), [&](const auto& s) { return rows.text(s.nameId) == "turn"; });
    // 300 iterations on average
    QCOMPARE(set.maxCycles, int64_t(12000));
    QCOMPARE(set.totalCycles, int64_t(7200));
    QCOMPARE(set.activeTiles, int64_t(1));
    QCOMPARE(set.workerCycles, int64_t(1200));
    reports::ComputeSetVerticesRow vertices;
    for (const auto& row : rows.rows<reports::ComputeSetVerticesRow>())
      if (row.computeSetId == set.id) vertices = row;
    QCOMPARE(vertices.cycles, int64_t(1200));
    QCOMPARE(vertices.cyclesFrom.value_or(""), std::string("code"));
    const auto type = rows.rows<reports::VertexTypeRow>().at(std::size_t(vertices.vertexTypeId));
    QCOMPARE(rows.text(type.fileId.value()), std::string("turns.cpp"));
    QCOMPARE(type.line.value_or(0), int64_t(7));
  }

  void resultsAndTimesDoNotDependOnThreads() {
    std::vector<std::pair<std::vector<double>, int64_t>> all;
    for (const std::size_t threads : {1, 2, 8}) {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      TurnsWorld w(48);
      run::Engine e(w.compile(), {}, nullptr);
      std::vector<int32_t> turns;
      for (int i = 0; i < 48; ++i) turns.push_back(7 * i % 31);
      e.writeTensor(w.turns, HostTensor::vector(turns));
      e.run();
      all.emplace_back(e.readTensor(w.x).toDoubles(), e.cycle());
    }
    QVERIFY(all[0] == all[1] && all[0] == all[2]);
  }

  void theErrorOfTheLowestVertexIsTold() {
    for (const std::size_t threads : {1, 8}) {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      TurnsWorld w(48);
      run::EngineOptions options;
      options.vertices.maxInstructions = 1000;
      run::Engine e(w.compile(), options, nullptr);
      std::vector<int32_t> turns(48, 3);
      for (int i = 17; i < 48; i += 5) turns[std::size_t(i)] = 1'000'000;
      e.writeTensor(w.turns, HostTensor::vector(turns));
      const std::string text = errorOf([&] { e.run(); });
      QVERIFY2(has(text, "Turns, vertex 17") && has(text, "tile 17") && has(text, "1000 instructions"), text.c_str());
      e.writeTensor(w.turns, HostTensor::vector(std::vector<int32_t>(48, 1)));
      e.run(); // it goes on
    }
  }

  // A vertex's own estimate comes first on a device that uses estimates.
  void estimatesWinWhereTheyShall() {
    for (const bool estimatesWin : {false, true}) {
      TurnsWorld w;
      w.graph->setPerfEstimate({ComputeSetId(0), 0}, 1000);
      run::EngineOptions options;
      options.vertices.estimatesWin = estimatesWin;
      run::Engine e(w.compile(), options, nullptr);
      e.writeTensor(w.turns, HostTensor::vector<int32_t>({10}));
      const int64_t before = e.cycle();
      e.run();
      QCOMPARE((e.cycle() - before) / 1000, estimatesWin ? 6 : 0);
    }
  }

  void aFormIsCountedOnce() {
    static int counted, plain;
    counted = plain = 0;
    HostWorld w;
    Codelet c;
    c.name = "Once";
    c.fields = {{"x", FieldDirection::InOut}};
    const auto native = bodyOf(
        [](void* v, unsigned) {
          ++plain;
          floats(v).data[0] += 1;
          return true;
        },
        {{0}}, sizeof(Vector<float>));
    native->counted = [](void* v, unsigned) {
      ++counted;
      count(10 * int64_t(floats(v).size));
      floats(v).data[0] += 1;
      return true;
    };
    native->dependsOnData = false;
    c.native = native;
    w.graph->addCodelet(c);
    const Tensor x = w.variable(ElementType::Float, {7}, "x");
    const auto set = w.graph->addComputeSet("once");
    for (const auto& [begin, end] : std::vector<std::pair<int, int>>{{0, 2}, {2, 4}, {4, 6}, {6, 7}})
      w.graph->setTileMapping(w.graph->addVertex(set, "Once", {{"x", x.slice(begin, end)}}), reports::TileId(0));
    w.main.add(program::execute(set));
    run::Engine e(w.compile(), {}, nullptr);
    for (int i = 0; i < 4; ++i) e.run();
    QCOMPARE(counted, 6); // two sizes, watched at both ends at first, at one later
    QCOMPARE(plain, 12);
    QCOMPARE(e.cycle() % (20 * 6), int64_t(0)); // the slowest of four on six workers
    QCOMPARE(e.readTensor(x).at(6), 4.0);
  }

  void objectsAreAsACompilerLaysThemOut() {
    struct All {
      Vector<Vector<const numerics::Half>> rows;
      int64_t big;
      uint16_t few[3];
      const uint8_t* one;
      Vector<float> out;
    };
    HostWorld w;
    Codelet c;
    c.name = "All";
    c.fields = {{"rows", FieldDirection::Input, ElementType::Half, FieldShape::VectorList, VectorLayout::DeltaN},
                {"one", FieldDirection::Input, ElementType::UInt8, FieldShape::Scalar},
                {"out", FieldDirection::Output, ElementType::Float, FieldShape::Vector, VectorLayout::OnePtr}};
    const auto native = bodyOf(
        [](void* object, unsigned) {
          auto& v = *static_cast<All*>(object);
          float sum = 0;
          for (uint64_t r = 0; r < v.rows.size; ++r)
            for (uint64_t i = 0; i < v.rows.data[r].size; ++i) sum += float(v.rows.data[r].data[i]);
          const float values[] = {sum, float(v.big == (int64_t(1) << 53) + 1), float(v.few[0] + v.few[1] + v.few[2]),
                                  float(*v.one)};
          std::memcpy(v.out.data, values, sizeof values);
          ++v.few[1]; // a member keeps what the body wrote
          return true;
        },
        {{offsetof(All, rows)}, {offsetof(All, one)}, {offsetof(All, out)}}, sizeof(All));
    native->state = {{"big", offsetof(All, big), ElementType::Int64, 1}, {"few", offsetof(All, few), ElementType::UInt16, 3}};
    c.native = native;
    w.graph->addCodelet(c);
    const Tensor half = w.variable(ElementType::Half, {2, 3}, "half"), one = w.variable(ElementType::UInt8, {1}, "one"),
                 out = w.variable(ElementType::Float, {4}, "out");
    const auto set = w.graph->addComputeSet("all");
    // The second row is in two pieces.
    const auto v = w.graph->addVertex(set, "All", {{"one", one}, {"out", out}});
    w.graph->connect(v["rows"], std::vector<Tensor>{half[0], concat(half[1].slice(2, 3), half[1].slice(0, 1))});
    w.graph->setInitialValue(v["big"], (int64_t(1) << 53) + 1);
    w.graph->setInitialValue(v["few"], std::vector<int>{1, 2, 3});
    w.graph->setTileMapping(v, reports::TileId(0));
    w.main.add(program::execute(set));
    run::Engine e(w.compile(), {}, nullptr);
    e.writeTensor(half, HostTensor::of<float>({2, 3}, std::vector<float>{1, 2, 3, 0.5f, 100, 10}));
    e.writeTensor(one, HostTensor::vector<uint8_t>({200}));
    e.run();
    QCOMPARE(e.readTensor(out).toDoubles(), (std::vector<double>{16.5, 1, 6, 200}));
    e.run();
    QCOMPARE(e.readTensor(out).at(2), 7.0);
    QVERIFY(has(errorOf([&] { w.graph->setInitialValue(v["few"], std::vector<int>{1}); }), "3 elements"));
  }

  void aMultiVertexRunsOnEachWorker() {
    Wrong w(
        [](void* v, unsigned worker) {
          floats(v).data[worker] = float(worker) + 1;
          count(worker == 3 ? 50 : 20);
          return true;
        },
        true, 6);
    Codelet c = w.graph->codelets().back();
    c.name = "Multi";
    c.kind = Codelet::Kind::Multi;
    w.graph->addCodelet(c);
    const auto set = w.graph->addComputeSet("multi");
    w.graph->setTileMapping(w.graph->addVertex(set, "Multi", {{"x", w.x}}), reports::TileId(2));
    run::Engine e(w.compile({{"main", program::execute(set)}}), {}, nullptr);
    e.run();
    QCOMPARE(e.readTensor(w.x).toDoubles(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
    QCOMPARE(e.cycle() / 100, int64_t(3)); // six workers take turns, the slowest has 50
  }

  void accessesOutsideNameFieldAndElement() {
    const auto told = [](const std::string& text, const char* what) {
      return has(text, what) && has(text, "Wrong.x, vertex 0 of work, tile 2") && has(text, "'x', which has 4");
    };
    for (const bool dependsOnData : {false, true}) {
      std::string text = Wrong([](void* v, unsigned) { return floats(v).data[4] = 1, true; }, dependsOnData).error();
      QVERIFY2(told(text, "writes element 4"), text.c_str());
      text = Wrong([](void* v, unsigned) { return g_sink = floats(v).data[4], true; }, dependsOnData).error();
      QVERIFY2(told(text, "reads element 4"), text.c_str());
      text = Wrong([](void* v, unsigned) { return floats(v).data[-1] = 1, true; }, dependsOnData).error();
      QVERIFY2(told(text, "writes element -1"), text.c_str());
      text = Wrong([](void* v, unsigned) { return g_sink = floats(v).data[-2], true; }, dependsOnData).error();
      QVERIFY2(told(text, "reads element -2"), text.c_str());
    }
  }

  // As on the machine, which checks no accesses: what is written there is lost when the vertex ends.
  void accessesBesideAFieldPassIfAsked() {
    run::EngineOptions options;
    options.vertices.zerosBeside = true;
    const std::set<std::pair<std::string, std::string>> none, x{{"Wrong", "x"}};
    const auto check = [&](bool (*f)(void*, unsigned), bool dependsOnData, double value, const auto& reads, const auto& writes) {
      Wrong w(f, dependsOnData);
      run::Engine e(w.compile(), options, nullptr);
      for (int i = 0; i < 3; ++i) e.run();
      QCOMPARE(e.readTensor(w.x).at(0), value);
      QVERIFY(e.readsBeside() == reads && e.writesBeside() == writes);
    };
    for (const bool d : {false, true}) {
      check([](void* v, unsigned) { return floats(v).data[0] += 1 + floats(v).data[4] + floats(v).data[30'000], true; }, d, 3, x,
            none);
      check([](void* v, unsigned) { return floats(v).data[0] += 1 + floats(v).data[3], true; }, d, 3, none, none);
      check([](void* v, unsigned) { return floats(v).data[0] += floats(v).data[5'000] += 7, true; }, d, 21, x, x);
      check([](void* v, unsigned) { return floats(v).data[0] += floats(v).data[-1] = 7, true; }, d, 21, none, x);
    }
  }

  void faultsEndTheRunAndNotTheProcess() {
    const auto text = [](bool (*f)(void*, unsigned)) { return Wrong(f, true).error(); };
    const auto told = [](const std::string& e, const char* what) {
      return has(e, what) && has(e, "Wrong, vertex 0 of work, tile 2");
    };
    std::string e = text([](void* v, unsigned) { return floats(v).data[0] = divided(), true; });
    QVERIFY2(told(e, "divides"), e.c_str());
    e = text([](void*, unsigned) { return writeTo(std::uintptr_t(g_zero)), true; });
    QVERIFY2(told(e, "null pointer"), e.c_str());
    e = text([](void*, unsigned) {
      for (;;) count(1);
      return true;
    });
    QVERIFY2(told(e, "did not end after 100000 instructions"), e.c_str());
    e = text([](void* v, unsigned) { return deepStack(v); });
    QVERIFY2(told(e, "stack"), e.c_str());
    e = text([](void*, unsigned) {
      __builtin_trap();
      return true;
    });
    QVERIFY2(told(e, "stopped itself"), e.c_str());
  }

  void aVertexReadsWhatWasBeforeItWrote() {
    HostWorld w;
    Codelet c;
    c.name = "Shift";
    c.fields = {{"in", FieldDirection::Input}, {"out", FieldDirection::Output}};
    c.compute = [](VertexFields& f) {
      for (std::size_t i = 0; i < 3; ++i) f.mutableValues<float>("out")[i] = f.values<float>("in")[i];
    };
    w.graph->addCodelet(c);
    const Tensor x = w.variable(ElementType::Float, {4}, "x");
    const auto set = w.graph->addComputeSet("shift");
    w.graph->setTileMapping(w.graph->addVertex(set, "Shift", {{"in", x.slice(0, 3)}, {"out", x.slice(1, 4)}}),
                            reports::TileId(0));
    w.main.add(program::execute(set));
    run::Engine e(w.compile(), {}, nullptr);
    e.writeTensor(x, HostTensor::vector<float>({1, 2, 3, 4}));
    e.run();
    QCOMPARE(e.readTensor(x).toDoubles(), (std::vector<double>{1, 1, 2, 3}));
  }

  // Results of the run that finds accesses at the other end are dropped.
  void bothEndsAreGuardedAndTheBodyCountsOnce() {
    for (const bool dependsOnData : {false, true}) {
      Wrong w([](void* v, unsigned) { return floats(v).data[0] += 1, true; }, dependsOnData);
      run::Engine e(w.compile(), {}, nullptr);
      for (int runs = 1; runs < 4; ++runs) {
        e.run();
        QCOMPARE(e.readTensor(w.x).at(0), double(runs));
      }
    }
  }

  void aVariableKeepsTheAddressOfAField() {
    static thread_local float* kept = nullptr;
    for (const bool dependsOnData : {false, true}) {
      Wrong w(
          [](void* v, unsigned) {
            if (kept) *kept += 1;
            kept = floats(v).data + 1;
            return true;
          },
          dependsOnData);
      auto globals = std::make_shared<std::vector<NativeBody::Global>>();
      globals->push_back({[]() -> void* { return &kept; }, sizeof kept});
      w.native->globals = globals;
      run::Engine e(w.compile(), {}, nullptr);
      for (int runs = 0; runs < 5; ++runs) {
        e.run();
        QCOMPARE(e.readTensor(w.x).at(1), double(runs));
      }
    }
    // A pointer to the vertex object that a vertex keeps is invalid in its next run.
    static thread_local Vector<float>* self = nullptr;
    Wrong w(
        [](void* v, unsigned) {
          if (self) g_sink = self->data[0];
          self = &floats(v);
          return true;
        },
        true);
    auto globals = std::make_shared<std::vector<NativeBody::Global>>();
    globals->push_back({[]() -> void* { return &self; }, sizeof self});
    w.native->globals = globals;
    const std::string error = w.error(2);
    QVERIFY2(has(error, "memory that is not its own"), error.c_str());
  }

  void eachTileHasGlobalsOfItsOwn() {
    static thread_local int32_t calls = 10;
    static_cast<void>(calls);
    auto globals = std::make_shared<std::vector<NativeBody::Global>>();
    globals->push_back({[]() -> void* { return &calls; }, sizeof calls});
    TurnsWorld w(5);
    w.native->globals = globals;
    w.native->compute = w.native->counted = [](void* v, unsigned) {
      static_cast<Turns*>(v)->x.data[0] = float(++calls);
      count(1);
      return true;
    };
    run::Engine e(w.compile(), {}, nullptr);
    e.run();
    e.run();
    for (int i = 0; i < 5; ++i) QCOMPARE(e.readTensor(w.x).at(3 * i), 12.0);
    QCOMPARE(calls, 10);
  }
};

TILESCOPE_TEST(NativeVerticesTest)
#include "native_vertices_test.moc"
