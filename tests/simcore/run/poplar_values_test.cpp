// Guarantees about values and lifetimes that Poplar programs rely on: initial values of views, replicas that differ, engines that
// own their executables, and errors without side effects.
#include "reports/core/error.h"
#include "simcore/ops/collective/collectives.h"
#include "simcore/run/device.h"
#include "tests/simcore/run/host_world.h"
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
std::vector<double> doublesOf(const run::Engine& e, const Tensor& t) { return e.readTensor(t).toDoubles(); }

// Two replicas; the stream gives each its own numbers.
struct ReplicatedWorld : HostWorld {
  Tensor x;
  explicit ReplicatedWorld(int64_t elements, int replicas = 2)
      : HostWorld([&] {
          arch::Machine m = arch::tinyMachine(4);
          m.replicas = replicas;
          return m;
        }()) {
    x = variable(ElementType::Float, {elements}, "x");
    main.add(program::copy(graph->addHostToDeviceFifo("in", ElementType::Float, elements), x));
    m_options.replicas = replicas;
  }
  ops::OpBuilder builder() { return ops::OpBuilder(*graph, main, graph->addContext({}, "test", "user", "")); }
  // The values of `out` of all replicas, one replica after the other.
  std::vector<float> run(const Tensor& out, std::vector<float> in) {
    main.add(program::copy(out, graph->addDeviceToHostFifo("out", ElementType::Float, out.numElements())));
    run::Engine e(compile(), m_options, nullptr);
    std::vector<float> got(std::size_t(out.numElements() * m_options.replicas));
    e.connectStream("in", in.data(), in.data() + in.size());
    e.connectStream("out", got.data(), got.data() + got.size());
    e.run();
    return got;
  }

private:
  run::EngineOptions m_options;
};
} // namespace

class PoplarValuesTest : public QObject {
  Q_OBJECT
private slots:
  void initialValuesOfViews() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Int32, {2, 3}, "x"), y = w.variable(ElementType::Half, {4}, "y");
    w.graph->setInitialValue(x.slice(1, 3, 1), std::vector<int>{1, 2, 4, 5});
    w.graph->setInitialValue(x[1][2], 50);
    w.graph->setInitialValue(y.slice(0, 2), 0.5f);
    run::EngineOptions checked;
    checked.checkReads = true;
    run::Engine e(w.compile(), checked, nullptr);
    QCOMPARE(doublesOf(e, x.slice(1, 3, 1)), (std::vector<double>{1, 2, 4, 50}));
    QCOMPARE(doublesOf(e, y.slice(0, 2)), (std::vector<double>{0.5, 0.5}));
    const std::string hole = errorOf([&] { e.readTensor(x); });
    QVERIFY2(has(hole, "element 0 of variable 'x'"), hole.c_str());
    // After one initial value for the whole variable, all of its elements can be read.
    w.graph->setInitialValue(y, 1.0f);
    w.graph->setInitialValue(y[3], 2.0f);
    run::Engine again(w.compile(), checked, nullptr);
    QCOMPARE(doublesOf(again, y), (std::vector<double>{1, 1, 1, 2}));

    QVERIFY(has(errorOf([&] { w.graph->setInitialValue(y.slice(0, 2), std::vector<float>{1, 2, 3}); }), "y [2]"));
    QVERIFY(has(errorOf([&] { w.graph->setInitialValue(y[0].expand({0}).broadcast(2, 0), std::vector<float>{1, 2}); }), "twice"));
  }

  // Halves as a host program writes them to a stream and reads them from one.
  void halvesCrossAsTheyAreOnTheMachine() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Half, {4}, "x");
    w.main.add(program::copy(w.graph->addHostToDeviceFifo("in", ElementType::Half, 4), x));
    w.main.add(program::copy(x, w.graph->addDeviceToHostFifo("out", ElementType::Half, 4)));
    run::Engine e(w.compile(), {}, nullptr);
    std::vector<float> values{1.5f, -65504, 0.1f, 2049};
    std::vector<uint16_t> in(4), out(4);
    run::copyFloatToDeviceHalf(values.data(), in.data(), 4);
    QCOMPARE(in[0], uint16_t(0x3e00));
    e.connectStream("in", in.data(), in.data() + 4);
    e.connectStream("out", out.data(), out.data() + 4);
    e.run();
    QCOMPARE(out, in);
    run::copyDeviceHalfToFloat(out.data(), values.data(), 4);
    QCOMPARE(values, (std::vector<float>{1.5f, -65504, 0.0999755859375f, 2048}));
  }

  void anEngineOwnsAnExecutableThatIsMovedIn() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Float, {2}, "x");
    w.main.add(w.addOne(x));
    const auto make = [&] {
      w.compile();
      run::Engine e(std::move(*w.executable), {}, nullptr);
      w.executable.reset();
      return e;
    };
    run::Engine e = make();
    e.run();
    run::Engine moved = std::move(e);
    moved.run();
    QCOMPARE(doublesOf(moved, x), (std::vector<double>{2, 2}));
    QVERIFY(has(errorOf([&] { moved.run(1); }), "program 1 does not exist"));
  }

  void replicasKnowWhichTheyAre() {
    ReplicatedWorld w(1, 3);
    const Tensor index = w.graph->addReplicationIndexConstant("replica");
    w.graph->setTileMapping(index, TileId(1));
    QCOMPARE(w.graph->getReplicationFactor(), 3);
    const Tensor shown = w.variable(ElementType::UInt32, {}, "shown");
    w.main.add(program::copy(index, shown));
    const Tensor two = w.variable(ElementType::Float, {1}, "two");
    w.main.add(program::switchOn(shown, {{0, Sequence{program::copy(w.x, two)}}}, Sequence()));
    QCOMPARE(w.run(w.x, {5, 6, 7}), (std::vector<float>{5, 6, 7}));
    const auto stream = w.graph->addDeviceToHostFifo("replicas", ElementType::UInt32, 1);
    Sequence out{program::copy(index, stream)};
    run::EngineOptions options;
    options.replicas = 3;
    run::Engine e(w.compile({{"out", out.program()}}), options, nullptr);
    std::vector<uint32_t> indices(3);
    e.connectStream("replicas", indices.data(), indices.data() + 3);
    e.run();
    QCOMPARE(indices, (std::vector<uint32_t>{0, 1, 2}));
  }

  // After an error in one replica, the host reads the values of the first replica.
  void anErrorOfOneReplica() {
    ReplicatedWorld w(1, 3);
    const Tensor index = w.graph->addReplicationIndexConstant("replica"), x = w.variable(ElementType::Float, {1}, "last");
    w.graph->setTileMapping(index, TileId(1));
    const RemoteBuffer rows = w.graph->addRemoteBuffer("rows", ElementType::Float, 1, 2);
    run::EngineOptions options;
    options.replicas = 3;
    run::Engine e(w.compile({{"read", program::copy(rows, x, index)}}), options, nullptr);
    QVERIFY(has(errorOf([&] { e.run(); }), "row 2"));
    QCOMPARE(e.readTensor(index).integerAt(0), int64_t(0));
    const float value = 4;
    QVERIFY(has(errorOf([&] { e.copyToRemoteBuffer(&value, "rows", 2); }), "row 2"));
  }

  void aBroadcastStreamGivesAllReplicasTheSame() {
    ReplicatedWorld w(1);
    const Tensor all = w.variable(ElementType::Float, {1}, "all");
    StreamOptions options;
    options.mode = ReplicatedStreamMode::Broadcast;
    w.main.add(program::copy(w.graph->addHostToDeviceFifo("all", ElementType::Float, 1, options), all));
    const auto set = w.graph->addComputeSet("add");
    Codelet add;
    add.name = "Add";
    add.fields = {{"to", FieldDirection::InOut, ElementType::Float}, {"x", FieldDirection::Input, ElementType::Float}};
    add.compute = [](VertexFields& f) { f.mutableValues<float>("to")[0] += f.values<float>("x")[0]; };
    w.graph->addCodelet(add);
    w.graph->setTileMapping(w.graph->addVertex(set, "Add", {{"to", w.x}, {"x", all}}), TileId(0));
    w.main.add(program::execute(set));
    const auto out = w.graph->addDeviceToHostFifo("out", ElementType::Float, 1);
    w.main.add(program::copy(w.x, out));
    run::EngineOptions engine;
    engine.replicas = 2;
    run::Engine e(w.compile(), engine, nullptr);
    std::vector<float> in{1, 2}, shared{10, 20}, got(4);
    e.connectStream("in", in.data(), in.data() + 2);
    e.connectStream("all", shared.data(), shared.data() + 2);
    e.connectStream("out", got.data(), got.data() + 4);
    e.run();
    e.run();
    QCOMPARE(got, (std::vector<float>{11, 12, 21, 22}));
  }

  void aCallbackOfEachReplica() {
    struct Counter final : run::StreamCallback {
      explicit Counter(float from) : next(from) {}
      void fetch(void* data) override { *static_cast<float*>(data) = next++; }
      float next;
    };
    ReplicatedWorld w(1);
    w.main.add(program::copy(w.x, w.graph->addDeviceToHostFifo("out", ElementType::Float, 1)));
    run::EngineOptions options;
    options.replicas = 2;
    run::Engine e(w.compile(), options, nullptr);
    e.connectStreamToCallback("in", 0, std::make_unique<Counter>(10.0f));
    e.connectStreamToCallback("in", 1, std::make_unique<Counter>(20.0f));
    std::vector<float> got(4);
    e.connectStream("out", got.data(), got.data() + 4);
    e.run();
    e.run();
    QCOMPARE(got, (std::vector<float>{10, 20, 11, 21}));
    QVERIFY(has(errorOf([&] { e.connectStreamToCallback("in", 2, std::make_unique<Counter>(0.0f)); }), "replica 2"));
  }

  // gcl's collectives between replicas combine the values of all.
  void collectivesBetweenReplicas() {
    using ops::CollectiveOp;
    const std::vector<float> in{1, 2, 3, 10, 20, 30};
    const auto reduced = [&](CollectiveOp op) {
      ReplicatedWorld w(3);
      ops::allReduce(w.builder(), op, {w.x});
      return w.run(w.x, in);
    };
    QCOMPARE(reduced(CollectiveOp::Add), (std::vector<float>{11, 22, 33, 11, 22, 33}));
    QCOMPARE(reduced(CollectiveOp::Mean), (std::vector<float>{5.5f, 11, 16.5f, 5.5f, 11, 16.5f}));
    QCOMPARE(reduced(CollectiveOp::Maximum), (std::vector<float>{10, 20, 30, 10, 20, 30}));
    QCOMPARE(reduced(CollectiveOp::Minimum), (std::vector<float>{1, 2, 3, 1, 2, 3}));
    QCOMPARE(reduced(CollectiveOp::Multiply), (std::vector<float>{10, 40, 90, 10, 40, 90}));
    ReplicatedWorld scatter(3);
    const Tensor share = ops::reduceScatter(scatter.builder(), CollectiveOp::Add, {scatter.x}).at(0);
    QCOMPARE(scatter.run(share, in), (std::vector<float>{11, 22, 33, 0})); // the last share is padded
    ReplicatedWorld gather(3);
    const Tensor all = ops::allGather(gather.builder(), {gather.x}).at(0);
    QCOMPARE(gather.run(all, in), (std::vector<float>{1, 2, 3, 10, 20, 30, 1, 2, 3, 10, 20, 30}));
    ReplicatedWorld each(4);
    const Tensor parts = ops::allToAll(each.builder(), {each.x.reshape({2, 2})}).at(0);
    QCOMPARE(each.run(parts.flatten(), {0, 1, 2, 3, 10, 11, 12, 13}), (std::vector<float>{0, 1, 10, 11, 2, 3, 12, 13}));
  }

  // Each pair of neighbours has its own sum and uses only its own link.
  void neighboursSumAmongThemselves() {
    ReplicatedWorld w(2, 4);
    ops::sumOverNeighbours(w.builder(), w.x, 2);
    QCOMPARE(w.run(w.x, {1, 2, 10, 20, 100, 200, 1000, 2000}), (std::vector<float>{11, 22, 11, 22, 1100, 2200, 1100, 2200}));
    for (const auto& exchange : w.executable->program.exchanges)
      for (const auto& flow : exchange.linkFlows) QVERIFY(std::max(flow.from, flow.to) < 2);
    ReplicatedWorld three(2, 4);
    QVERIFY(has(errorOf([&] { ops::sumOverNeighbours(three.builder(), three.x, 3); }), "cannot be put into groups of 3"));
  }

  void mistakesLeaveNothingBehind() {
    HostWorld w;
    const Tensor none, x = w.variable(ElementType::Float, {3}, "x");
    for (const auto& use : std::vector<std::function<void()>>{
             [&] { none.shape(); }, [&] { none.elementType(); }, [&] { none.flatten(); }, [&] { none[0]; },
             [&] { none.contiguousRegions(); }, [&] { w.graph->setTileMapping(none, TileId(0)); },
             [&] { w.main.add(program::copy(none, x)); }})
      QVERIFY(has(errorOf(use), "declared without a value"));

    Codelet two;
    two.name = "Two";
    two.fields = {{"a", FieldDirection::Input, ElementType::Float}, {"n", FieldDirection::Input, ElementType::Float}};
    w.graph->addCodelet(two);
    const auto set = w.graph->addComputeSet("set");
    QVERIFY(has(errorOf([&] { w.graph->addVertex(set, "Two", {{"a", x}, {"b", x}}); }), "no field 'b'"));
    QCOMPARE(w.graph->computeSet(set).vertices.size(), std::size_t(0));
    const VertexRef v = w.graph->addVertex(set, "Two", {{"a", x}});
    w.graph->connect(v["n"], 2.0);
    const std::size_t variables = w.graph->variables().size();
    QVERIFY(has(errorOf([&] { w.graph->connect(v["n"], 3.0); }), "connected already"));
    QCOMPARE(w.graph->variables().size(), variables);
    w.graph->setTileMapping(v, TileId(2));
    w.graph->setPerfEstimate(v, 100, 7);
    w.main.add(program::execute(set));
    const auto& cost = w.compile().program.costs.at(set.value());
    QCOMPARE(cost.flops, int64_t(7));
    QCOMPARE(cost.workerCycles, int64_t(100));
    QVERIFY(has(errorOf([&] { program::switchOn(x[0], {}, Sequence()); }), "x [scalar]"));
  }
};

TILESCOPE_TEST(PoplarValuesTest)
#include "poplar_values_test.moc"
