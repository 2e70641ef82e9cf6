// Tiles reserved for the host: their steps overlap with the work of the other tiles, both synchronise for copies between them, and
// the report counts no cycle twice.
#include "reports/rows/slice_decode.h"
#include "simcore/run/hidden_transfers.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <array>
#include <set>

using namespace simcore;
using namespace simcore::graph;
using numerics::HostTensor;
using reports::Activity;

namespace {

constexpr int kTiles = 8, kIoTiles = 2, kBatches = 9;

arch::Machine machineWith(int ioTiles, int ipus = 1) {
  arch::Machine machine = arch::tinyMachine(kTiles, ipus);
  machine.ioTiles = ioTiles;
  return machine;
}

// Batches of `elements` values, each loaded into a buffer, copied to the working tiles, and processed by `steps` supersteps. The
// next one is loaded in the program between copy and work.
struct Batches {
  tests::HostWorld world;
  Tensor buffer, x, sum;

  Batches(int ioTiles, int64_t elements, int steps) : world(machineWith(ioTiles)) {
    Graph& g = *world.graph;
    buffer = world.variable(ElementType::Float, {elements}, "buffer", kTiles - 1);
    x = world.variable(ElementType::Float, {elements}, "x");
    const StreamId in = g.addHostToDeviceFifo("in", ElementType::Float, elements);
    Sequence body;
    body.add(program::copy(buffer, x, "toWork"));
    body.add(program::copy(in, buffer, "load"));
    for (int s = 0; s < steps; ++s) body.add(world.addOne(x));
    world.main.add(program::copy(in, buffer, "first"));
    world.main.add(program::repeat(kBatches, body));
  }
};

// Cycles of one execution of the steps of a kind of a program of Batches.
struct Parts {
  int64_t load = 0, copy = 0, work = 0;

  explicit Parts(const compile::Executable& e) {
    bool working = false; // the first transfer is before the loop
    for (const auto& s : e.program.steps) {
      if (s.kind == compile::StepKind::Repeat) working = true;
      if (!working) continue;
      const bool host = s.activity == Activity::HostStream || (s.activity == Activity::Sync && s.name == "External");
      (host ? load : s.activity == Activity::Compute ? work : copy) += s.duration.value();
    }
  }
};

struct Timed {
  tests::RowCollector rows;
  int64_t cycles = 0;
  std::vector<double> x;

  Timed(Batches& b, run::EngineOptions options = {}) {
    const auto& e = b.world.compile();
    reports::StringPool strings(rows);
    run::ExecutionRecorder recorder(e, strings, rows, 1'000'000);
    run::Engine engine(e, options, &recorder);
    std::vector<HostTensor> values;
    for (int i = 0; i <= kBatches; ++i)
      values.push_back(HostTensor::full(ElementType::Float, {b.x.numElements()}, double(100 * i)));
    engine.connectInput("in", std::move(values));
    tests::runOnce(engine);
    cycles = engine.cycle();
    if (options.numbers) x = engine.readTensor(b.x).toDoubles();
    recorder.finish();
  }
  const reports::RunRow& run() const { return rows.rows<reports::RunRow>().at(0); }
};

} // namespace

class IoTilesTest : public QObject {
  Q_OBJECT
private slots:
  void aBatchTakesTheLongerOfBoth_data() {
    QTest::addColumn<int>("elements");
    QTest::addColumn<int>("steps");
    QTest::newRow("work is longer") << 64 << 40;
    QTest::newRow("transfers are longer") << 64 << 2;
  }
  void aBatchTakesTheLongerOfBoth() {
    QFETCH(int, elements);
    QFETCH(int, steps);
    Batches apart(kIoTiles, elements, steps), together(0, elements, steps);
    const Timed beside(apart), inTurn(together);
    const Parts p(*apart.world.executable);
    QVERIFY(p.load > 0 && p.copy > 0 && p.work > 0);
    QCOMPARE(p.work > p.load, steps == 40);
    QCOMPARE(beside.cycles, p.load + kBatches * (p.copy + std::max(p.load, p.work)));
    QCOMPARE(inTurn.cycles, p.load + kBatches * (p.copy + p.load + p.work));
    QCOMPARE(beside.x, inTurn.x);
    QCOMPARE(beside.x.at(0), 100.0 * (kBatches - 1) + steps);
    // The run's cycles by activity add up to its total; hidden host cycles are separate.
    const auto& run = beside.run();
    QCOMPARE(run.computeCycles + run.exchangeCycles + run.syncCycles + run.hostCycles + run.idleCycles, run.cycles);
    QCOMPARE(run.computeCycles, kBatches * p.work);
    QCOMPARE(run.hiddenHostCycles, kBatches * std::min(p.load, p.work));
    QCOMPARE(run.hostCycles, p.load + kBatches * (p.load - std::min(p.load, p.work)));
    QCOMPARE(run.idleCycles, int64_t(0));
    QCOMPARE(inTurn.run().hiddenHostCycles, int64_t(0));
  }

  void everySetHasATrackOfItsOwn() {
    Batches b(kIoTiles, 64, 3);
    const Timed t(b);
    const auto& tracks = t.rows.rows<reports::TrackRow>();
    QCOMPARE(tracks.size(), std::size_t(2));
    QCOMPARE(tracks[0].kind, std::string("ipu"));
    QCOMPARE(tracks[1].kind, std::string("ipu_io"));
    QCOMPARE(tracks[1].name, std::string("IPU 0 I/O tiles"));
    std::array<std::set<Activity>, 2> seen;
    for (const auto& chunk : t.rows.rows<reports::SliceChunkRow>()) {
      const auto slices = reports::decodeChunk(chunk);
      for (std::size_t i = 0; i < slices.size(); ++i) {
        seen.at(std::size_t(chunk.trackId)).insert(Activity(slices.categories[i]));
        if (i) QVERIFY(slices.starts[i] >= slices.end(i - 1)); // disjoint, without the writer's help
      }
    }
    QVERIFY(t.rows.rows<reports::ReportIssueRow>().empty());
    QVERIFY(seen[0].count(Activity::Compute) && !seen[0].count(Activity::HostStream));
    QVERIFY(seen[1].count(Activity::HostStream) && !seen[1].count(Activity::Compute));
    for (const auto& track : seen) QVERIFY(track.count(Activity::InternalExchange)); // where both meet
  }

  void foldingDoesNotChangeTheTime() {
    Batches b(kIoTiles, 64, 3);
    run::EngineOptions folded;
    folded.numbers = false;
    folded.shownIterations = 2;
    const Timed whole(b), part(b, folded);
    QCOMPARE(part.cycles, whole.cycles);
    QVERIFY(part.run().foldedIterations > 0);
    QCOMPARE(part.run().hiddenHostCycles, whole.run().hiddenHostCycles);
    QCOMPARE(part.run().hostCycles, whole.run().hostCycles);
  }

  // Both sets of tiles have one link: their transfers take turns.
  void theLinkIsShared() {
    tests::HostWorld w(machineWith(kIoTiles));
    const Tensor a = w.variable(ElementType::Float, {1000}, "a", kTiles - 1), b = w.variable(ElementType::Float, {1000}, "b");
    w.main.add(program::copy(w.graph->addHostToDeviceFifo("ins", ElementType::Float, 1000), a));
    w.main.add(program::copy(w.graph->addHostToDeviceFifo("other", ElementType::Float, 1000), b));
    const auto& e = w.compile();
    int64_t transfers = 0;
    for (const auto& s : e.program.steps)
      if (s.activity == Activity::HostStream) transfers += s.duration.value();
    run::EngineOptions timeOnly;
    timeOnly.numbers = false;
    run::Engine engine(e, timeOnly, nullptr);
    tests::runOnce(engine);
    QVERIFY(engine.cycle() >= transfers);
  }

  // One tile receives at the rate of its exchange port, however fast the link is.
  void aFewTilesAreSlowerThanTheLink() {
    const auto cycles = [](int tiles) {
      tests::HostWorld w(machineWith(kIoTiles));
      const Tensor x = w.graph->addVariable(ElementType::Float, {4000}, "x");
      for (int t = 0; t < tiles; ++t)
        w.graph->setTileMapping(x.slice(4000 / tiles * t, 4000 / tiles * (t + 1)), TileId(std::size_t(t)));
      w.main.add(program::copy(w.graph->addHostToDeviceFifo("in", ElementType::Float, 4000), x));
      for (const auto& s : w.compile().program.steps)
        if (s.kind == compile::StepKind::StreamCopyMid) return s.duration.value() - w.graph->machine().host.handshake.value();
      return int64_t(0);
    };
    QCOMPARE(cycles(1), int64_t(16000 / 4));
    QCOMPARE(cycles(2), int64_t(8000 / 4));
    QCOMPARE(cycles(5), int64_t(16000 / 15.1));
  }

  void hiddenTimeIsWhatBothHave() {
    run::HiddenTransfers h;
    for (const auto& r : {reports::TickRange{10, 20}, {20, 30}, {40, 50}}) h.work(r);
    for (const auto& r : {reports::TickRange{0, 12}, {15, 45}, {48, 60}}) h.transfer(r);
    QCOMPARE(h.sums().hidden, int64_t(2 + 15 + 5 + 2));
    QCOMPARE(h.sums().exposed, int64_t(10 + 10 + 10));
    QCOMPARE(run::HiddenTransfers().sums().hidden, int64_t(0));
  }

  void setsAreNumberedIpuByIpu() {
    const compile::TileSets sets(machineWith(kIoTiles, 2)), whole(machineWith(0, 2));
    QCOMPARE(sets.count(), 4);
    QCOMPARE(whole.count(), 2);
    QCOMPARE(sets.tiles(2), (TileRange{8, 14}));
    QCOMPARE(sets.tiles(3), (TileRange{14, 16}));
    QCOMPARE(whole.tiles(1), (TileRange{8, 16}));
    const PerTile io = PerTile::uniform({15, 16}, 1), across = PerTile::uniform({5, 7}, 1), none;
    QCOMPARE(sets.touchedBy({&io}), (std::vector<bool>{false, false, false, true}));
    QCOMPARE(sets.touchedBy({&across, &none}), (std::vector<bool>{true, true, false, false}));
    QCOMPARE(sets.touchedBy({&none}), std::vector<bool>(4, true));
    QCOMPARE(whole.touchedBy({&across}), (std::vector<bool>{true, false}));
  }
};

TILESCOPE_TEST(IoTilesTest)
#include "io_tiles_test.moc"
