#include "reports/core/error.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cstring>

using namespace simcore;
using namespace simcore::graph;
using numerics::HostTensor;
using run::StreamCallback;
using tests::errorOf;
using tests::HostWorld;
using tests::runOnce;

namespace {

struct Calls {
  int prefetch = 0, fetch = 0, complete = 0, invalidated = 0, refuseAfter = 1 << 30;
  float next = 0;
};

class Counter final : public StreamCallback {
public:
  explicit Counter(Calls& calls) : m_calls(calls) {}
  Result prefetch(void* p) override {
    if (m_calls.prefetch >= m_calls.refuseAfter) return Result::NotAvailable;
    ++m_calls.prefetch;
    give(p);
    return Result::Success;
  }
  void fetch(void* p) override {
    ++m_calls.fetch;
    give(p);
  }
  void complete() override { ++m_calls.complete; }
  void invalidatePrefetched() override { ++m_calls.invalidated; }

private:
  void give(void* p) {
    const float v = m_calls.next++;
    std::memcpy(p, &v, sizeof v);
  }
  Calls& m_calls;
};

// A program that reads one float `times` times and sums what it got, `work` worker cycles between two reads.
struct Reader : HostWorld {
  Tensor x, sum;
  Reader(int64_t times, int64_t depth, int64_t work) {
    Codelet c;
    c.name = "Accumulate";
    c.fields = {{"x", FieldDirection::Input}, {"sum", FieldDirection::InOut}};
    c.compute = [](VertexFields& f) { f.mutableValues<float>("sum")[0] += f.values<float>("x")[0]; };
    c.cycles = [work](const auto&) { return work; };
    graph->addCodelet(c);
    x = variable(ElementType::Float, {1}, "x");
    sum = variable(ElementType::Float, {1}, "sum");
    StreamOptions options;
    options.bufferingDepth = depth;
    const auto in = graph->addHostToDeviceFifo("in", ElementType::Float, 1, options);
    const auto set = graph->addComputeSet("accumulate");
    graph->setTileMapping(graph->addVertex(set, "Accumulate", {{"x", x}, {"sum", sum}}), TileId(0));
    main.add(program::repeat(times, Sequence({program::copy(in, x), program::execute(set)})));
  }
};

int64_t cyclesWith(int64_t depth, bool prefetch, bool callback, int64_t work) {
  Reader w(10, depth, work);
  run::EngineOptions options;
  options.prefetch = prefetch;
  run::Engine e(w.compile(), options, nullptr);
  Calls calls;
  if (callback)
    e.connectStreamToCallback("in", std::make_unique<Counter>(calls));
  else
    e.connectInput("in", {HostTensor::vector<float>({1})});
  runOnce(e);
  return e.cycle();
}

} // namespace

class HostStreamsTest : public QObject {
  Q_OBJECT
private slots:
  void memoryWithAnEndIsACircle() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Float, {2}, "x");
    const auto in = w.graph->addHostToDeviceFifo("in", ElementType::Float, 2),
               out = w.graph->addDeviceToHostFifo("out", ElementType::Float, 2);
    w.main.add(program::repeat(3, Sequence({program::copy(in, x), w.addOne(x), program::copy(x, out)})));
    run::Engine e(w.compile(), {}, nullptr);
    float from[] = {1, 2, 3, 4}, to[6] = {};
    e.connectStream("in", from, from + 4);
    e.connectStream("out", to, to + 6);
    runOnce(e);
    QCOMPARE((std::vector<float>(to, to + 6)), (std::vector<float>{2, 3, 4, 5, 2, 3}));
    // The circular buffer continues where the last run stopped.
    runOnce(e);
    QCOMPARE((std::vector<float>(to, to + 6)), (std::vector<float>{4, 5, 2, 3, 4, 5}));
    // Without an end pointer every transfer uses the same address.
    e.connectStream("in", from + 2);
    runOnce(e);
    QCOMPARE((std::vector<float>(to, to + 6)), (std::vector<float>{4, 5, 4, 5, 4, 5}));
  }

  void callbacksArePrefetchedCompletedAndInvalidated() {
    Reader w(5, 2, 10);
    const Tensor other = w.variable(ElementType::Float, {1}, "other");
    run::Engine e(w.compile({{"main", w.main.program()}, {"other", Sequence({w.addOne(other)}).program()}}), {}, nullptr);
    Calls calls;
    e.connectStreamToCallback("in", std::make_unique<Counter>(calls));
    runOnce(e);
    QCOMPARE(e.readTensor(w.sum).at(0), 0.0 + 1 + 2 + 3 + 4);
    QCOMPARE(calls.prefetch, 7); // five were used, two are ready
    QCOMPARE(calls.fetch, 0);
    QCOMPARE(calls.complete, 5);
    runOnce(e); // the same program uses the data already prefetched
    QCOMPARE(e.readTensor(w.sum).at(0), 45.0);
    QCOMPARE(calls.invalidated, 0);
    runOnce(e, 1);
    QCOMPARE(calls.invalidated, 1);
    QCOMPARE(e.readTensor(other).at(0), 1.0);
  }

  void whatIsNotPrefetchedIsFetched() {
    Reader w(5, 1, 10);
    run::Engine e(w.compile(), {}, nullptr);
    Calls calls;
    calls.refuseAfter = 2;
    e.connectStreamToCallback("in", std::make_unique<Counter>(calls));
    runOnce(e);
    QCOMPARE(calls.prefetch, 2);
    QCOMPARE(calls.fetch, 3);
    QCOMPARE(calls.complete, 5);
    QCOMPARE(e.readTensor(w.sum).at(0), 10.0);
    int called = 0;
    e.connectStreamToCallback("in", [&](void* p) {
      const float v = 100;
      std::memcpy(p, &v, sizeof v);
      ++called;
    });
    runOnce(e);
    QCOMPARE(called, 5);
    QCOMPARE(e.readTensor(w.sum).at(0), 510.0);
  }

  void prefetchAndBuffersHideTheHost() {
    const int64_t slow = 20'000; // 120,000 tile cycles between two reads: more than a callback takes
    const int64_t plain = cyclesWith(1, true, false, slow);
    // Nothing hidden: ten callbacks of 78,000 cycles.
    QCOMPARE(cyclesWith(1, false, true, slow), plain + 10 * 78'000);
    // The program waits only for the first callback, from the start of the run; the others run while it works.
    const int64_t ahead = cyclesWith(1, true, true, slow);
    QVERIFY(ahead > plain + 70'000 && ahead <= plain + 78'000);
    // A program with less work than a callback's time waits for the host, however many buffers there are.
    QVERIFY(cyclesWith(4, true, true, 10) > cyclesWith(1, true, false, 10) + 9 * 60'000);
    // More than one buffer helps only if the work comes in bursts; here it is even.
    QCOMPARE(cyclesWith(3, true, true, slow), ahead);
  }

  void waitsAreProfilesOfTheirOwn() {
    Reader w(4, 1, 10);
    tests::RowCollector rows;
    reports::StringPool strings(rows);
    run::EngineOptions options;
    options.prefetch = false;
    const auto& executable = w.compile();
    run::ExecutionRecorder recorder(executable, strings, rows, 1000);
    run::Engine e(executable, options, &recorder);
    Calls calls;
    e.connectStreamToCallback("in", std::make_unique<Counter>(calls));
    runOnce(e);
    recorder.finish();
    int64_t waited = 0, total = 0;
    for (const auto& p : rows.rows<reports::StepProfileRow>()) {
      total += p.cycles * p.executions;
      if (p.cycles > 78'000) waited += p.executions;
    }
    QCOMPARE(waited, int64_t(4));
    QCOMPARE(total, e.cycle());
    QCOMPARE(rows.rows<reports::RunRow>().at(0).hostCycles + rows.rows<reports::RunRow>().at(0).computeCycles +
                 rows.rows<reports::RunRow>().at(0).syncCycles,
             e.cycle());
  }

  void callbacksTakeResultsToo() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Half, {2}, "x");
    const auto out = w.graph->addDeviceToHostFifo("out", ElementType::Half, 2);
    w.main.add(program::copy(x, out));
    run::Engine e(w.compile(), {}, nullptr);
    e.writeTensor(x, HostTensor::vector<float>({0.5f, 3}));
    std::vector<float> got;
    e.connectStreamToCallback("out", [&](void* p) {
      const auto* halves = static_cast<const numerics::Half*>(p);
      got = {float(halves[0]), float(halves[1])};
    });
    runOnce(e);
    QCOMPARE(got, (std::vector<float>{0.5f, 3}));
  }

  void hostHandlesReadAndWrite() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Float, {2, 3}, "x");
    w.graph->createHostWrite("x-in", x.transpose());
    w.graph->createHostRead("x-row", x[1]);
    w.graph->createHostRead("x-in", x.transpose());
    w.main.add(w.addOne(x.flatten()));
    run::Engine e(w.compile(), {}, nullptr);
    const std::vector<float> in{1, 2, 3, 4, 5, 6}; // by column
    e.writeTensor("x-in", in.data(), in.data() + 6);
    runOnce(e);
    std::vector<float> row(3);
    e.readTensor("x-row", row.data(), row.data() + 3);
    QCOMPARE(row, (std::vector<float>{3, 5, 7}));
    QCOMPARE(e.readTensor("x-in").toDoubles(), (std::vector<double>{2, 3, 4, 5, 6, 7}));
    QVERIFY(errorOf([&] { e.writeTensor("x-row", row.data(), row.data() + 3); }).find("x-row") != std::string::npos);
    QVERIFY(errorOf([&] { e.readTensor("x-row", row.data(), row.data() + 2); }).find("12") != std::string::npos);
    QVERIFY(errorOf([&] { e.readTensor("nobody", row.data(), row.data() + 3); }).find("nobody") != std::string::npos);
  }

  void mistakesNameTheStream() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Float, {2}, "x"), y = w.variable(ElementType::Float, {3}, "y");
    const auto in = w.graph->addHostToDeviceFifo("in", ElementType::Float, 2);
    QVERIFY(errorOf([&] { w.graph->addDeviceToHostFifo("in", ElementType::Float, 2); }).find("in") != std::string::npos);
    w.main.add(program::copy(in, y));
    const std::string text = errorOf([&] { w.compile(); });
    QVERIFY2(text.find("in") != std::string::npos && text.find("3 float") != std::string::npos, text.c_str());
    HostWorld v;
    const Tensor z = v.variable(ElementType::Float, {2}, "z");
    v.main.add(program::copy(v.graph->addHostToDeviceFifo("data", ElementType::Float, 2), z));
    run::Engine e(v.compile(), {}, nullptr);
    float memory[3];
    QVERIFY(errorOf([&] { runOnce(e); }).find("data") != std::string::npos);
    QVERIFY(errorOf([&] { e.connectStream("data", memory, memory + 3); }).find("data") != std::string::npos);
    QVERIFY(errorOf([&] { e.connectStream("nope", memory, memory + 2); }).find("nope") != std::string::npos);
  }
};

TILESCOPE_TEST(HostStreamsTest)
#include "host_streams_test.moc"
