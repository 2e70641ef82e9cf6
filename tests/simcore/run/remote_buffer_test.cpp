#include "reports/core/error.h"
#include "simcore/run/simulate.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using namespace simcore::graph;
using compile::StepKind;
using numerics::HostTensor;
using tests::errorOf;
using tests::HostWorld;
using tests::runOnce;

class RemoteBufferTest : public QObject {
  Q_OBJECT
private slots:
  void rowsComeAndGoByIndex() {
    HostWorld w;
    const RemoteBuffer buffer = w.graph->addRemoteBuffer("weights", ElementType::Float, 3, 4);
    QCOMPARE(buffer.handle, std::string("weights"));
    const Tensor x = w.variable(ElementType::Float, {3}, "x"), row = w.variable(ElementType::Int32, {1}, "row");
    // Every row is loaded, incremented by one, and stored; the index is data.
    Sequence body;
    body.add(program::copy(buffer, x, row));
    body.add(w.addOne(x));
    body.add(program::copy(x, buffer, row));
    body.add(w.addOne(row));
    w.main.add(program::repeat(4, body));
    run::Engine e(w.compile(), {}, nullptr);
    for (int64_t r = 0; r < 4; ++r) {
      const float values[] = {float(r), float(10 * r), -1};
      e.copyToRemoteBuffer(values, "weights", r);
    }
    runOnce(e);
    for (int64_t r = 0; r < 4; ++r) {
      float values[3];
      e.copyFromRemoteBuffer("weights", values, r);
      QCOMPARE(values[0], float(r + 1));
      QCOMPARE(values[1], float(10 * r + 1));
      QCOMPARE(values[2], 0.0f);
    }
  }

  void severalRowsMoveAtOnceAndRowZeroNeedsNoIndex() {
    HostWorld w;
    const RemoteBuffer buffer = w.graph->addRemoteBuffer("rows", ElementType::Half, 2, 5);
    const Tensor two = w.variable(ElementType::Half, {2, 2}, "two"), first = w.variable(ElementType::Half, {2}, "first"),
                 rows = w.graph->addConstant(HostTensor::vector<uint32_t>({4, 1}), "rows");
    w.graph->setTileMapping(rows, TileId(0));
    w.main.add(program::copy(buffer, two, rows));
    w.main.add(program::copy(two[0], buffer));
    w.main.add(program::copy(buffer, first));
    run::Engine e(w.compile(), {}, nullptr);
    const numerics::Half a[] = {numerics::Half(1.5f), numerics::Half(2.5f)}, b[] = {numerics::Half(3), numerics::Half(4)};
    e.copyToRemoteBuffer(a, "rows", 4);
    e.copyToRemoteBuffer(b, "rows", 1);
    runOnce(e);
    QCOMPARE(e.readTensor(two).toDoubles(), (std::vector<double>{1.5, 2.5, 3, 4}));
    QCOMPARE(e.readTensor(first).toDoubles(), (std::vector<double>{1.5, 2.5}));
  }

  void timeIsThatOfTheHostLinkInThreePhases() {
    HostWorld w;
    const int64_t n = 10'000;
    const RemoteBuffer buffer = w.graph->addRemoteBuffer("b", ElementType::Float, n, 2);
    // Over all four tiles: fewer would take longer than the link.
    const Tensor x = w.graph->addVariable(ElementType::Float, {n}, VariableMappingMethod::Linear, "x");
    w.main.add(program::copy(buffer, x));
    const auto& e = w.compile();
    std::vector<StepKind> kinds;
    for (int o : e.program.ordinals) kinds.push_back(e.program.steps[std::size_t(o)].kind);
    QCOMPARE(kinds, (std::vector{StepKind::Sync, StepKind::StreamCopyBegin, StepKind::StreamCopyMid, StepKind::StreamCopyEnd}));
    const auto& host = w.graph->machine().host;
    QCOMPARE(e.program.steps[std::size_t(e.program.ordinals[2])].duration.value(),
             host.handshake.value() + int64_t(4.0 * double(n) / host.bytesPerCycle));
    QCOMPARE(e.program.exchanges[0].bytesIn.at(0), n); // a quarter of 4 n
  }

  void theReportTellsBufferAndCopies() {
    Workload load;
    load.name = "remote";
    load.graph = std::make_shared<Graph>(arch::tinyMachine(4));
    auto& g = *load.graph;
    g.addHostToDeviceFifo("unused", ElementType::Float, 1);
    const RemoteBuffer buffer = g.addRemoteBuffer("big", ElementType::Float, 100, 7);
    const Tensor x = g.addVariable(ElementType::Float, {100}, VariableMappingMethod::Linear, "x");
    Sequence body;
    body.add(program::copy(x, buffer));
    load.programs = {{"main", Sequence({program::repeat(3, body)}).program()}};
    tests::RowCollector rows;
    run::HostTimeline timeline("test");
    reports::NoProgress none;
    run::simulate(load, {}, rows, timeline, {}, none);
    const auto& streams = rows.rows<reports::StreamRow>();
    QCOMPARE(streams.size(), std::size_t(2));
    QCOMPARE(streams[1].name, std::string("big"));
    QCOMPARE(streams[1].direction, std::string("remote_buffer"));
    QCOMPARE(streams[1].rows, int64_t(7));
    QCOMPARE(streams[1].hostBytes, int64_t(7 * 400));
    const auto& copies = rows.rows<reports::StreamCopyRow>();
    QCOMPARE(copies.size(), std::size_t(1));
    QCOMPARE(copies[0].streamId, streams[1].id);
    QCOMPARE(copies[0].bytes, int64_t(400));
    QCOMPARE(copies[0].executions, int64_t(3));
  }

  void mistakesNameTheBuffer() {
    HostWorld w;
    const RemoteBuffer buffer = w.graph->addRemoteBuffer("weights", ElementType::Float, 3, 4);
    const Tensor x = w.variable(ElementType::Float, {3}, "x"), y = w.variable(ElementType::Float, {4}, "y"),
                 row = w.variable(ElementType::Int32, {1}, "row");
    QVERIFY(errorOf([&] { program::copy(buffer, y); }).find("weights") != std::string::npos);
    QVERIFY(errorOf([&] { program::copy(buffer, x, x.slice(0, 1)); }).find("integers") != std::string::npos);
    QVERIFY(errorOf([&] { w.graph->addRemoteBuffer("weights", ElementType::Float, 1); }).find("weights") != std::string::npos);
    QVERIFY(errorOf([&] { program::copy(RemoteBuffer(), x); }).find("addRemoteBuffer") != std::string::npos);
    w.main.add(program::copy(buffer, x, row));
    run::Engine e(w.compile(), {}, nullptr);
    e.writeTensor(row, HostTensor::vector<int32_t>({4}));
    const std::string text = errorOf([&] { runOnce(e); });
    QVERIFY2(text.find("weights") != std::string::npos && text.find("row 4") != std::string::npos, text.c_str());
    QVERIFY(errorOf([&] { e.copyToRemoteBuffer(nullptr, "nothing", 0); }).find("nothing") != std::string::npos);
  }
};

TILESCOPE_TEST(RemoteBufferTest)
#include "remote_buffer_test.moc"
