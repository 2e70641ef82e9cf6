#include "reports/core/error.h"
#include "simcore/compile/compiler.h"
#include "simcore/compile/liveness.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

using namespace simcore;
using namespace simcore::graph;
using compile::StepKind;

namespace {

// A graph on a small machine with one codelet that copies `in` to `out` in 10 worker cycles.
struct World {
  std::shared_ptr<Graph> graph;
  Sequence main;

  explicit World(int tiles = 4) : graph(std::make_shared<Graph>(arch::tinyMachine(tiles))) {
    Codelet c;
    c.name = "Work";
    c.fields = {{"in", FieldDirection::Input}, {"out", FieldDirection::Output}};
    c.cycles = [](const auto&) { return int64_t(10); };
    graph->addCodelet(c);
  }
  Tensor variable(const std::string& name, int64_t n, int tile) {
    const Tensor t = graph->addVariable(ElementType::Float, {n}, name);
    graph->setTileMapping(t, TileId(std::size_t(tile)));
    return t;
  }
  void work(const Tensor& in, const Tensor& out, int tile, Sequence& into) {
    const auto set = graph->addComputeSet("work");
    graph->setTileMapping(graph->addVertex(set, "Work", {{"in", in}, {"out", out}}), TileId(std::size_t(tile)));
    into.add(program::execute(set));
  }
  compile::Executable build() {
    reports::NoProgress none;
    return compile::compile(graph, {{"main", main.program()}}, {}, none);
  }
};

std::vector<StepKind> kinds(const compile::Executable& e) {
  std::vector<StepKind> list;
  for (int o : e.program.ordinals) list.push_back(e.program.steps[std::size_t(o)].kind);
  return list;
}

const compile::Storage& storageOf(const compile::Executable& e, const std::string& name) {
  return *std::find_if(e.storage.begin(), e.storage.end(), [&](const auto& s) { return s.name == name; });
}

} // namespace

class CompilerTest : public QObject {
  Q_OBJECT
private slots:
  void aCopyWithinATileNeedsNoExchange() {
    World w;
    const Tensor a = w.variable("a", 8, 1), b = w.variable("b", 8, 1), c = w.variable("c", 8, 2);
    w.main.add(program::copy(a, b));
    QCOMPARE(kinds(w.build()), (std::vector{StepKind::OnTileCopy}));
    w.main.add(program::copy(b, c));
    const auto e = w.build();
    QCOMPARE(kinds(e), (std::vector{StepKind::OnTileCopy, StepKind::Sync, StepKind::DoExchange}));
    const auto& x = e.program.exchanges[0];
    QCOMPARE(x.bytesIn.at(2), int64_t(32));
    QCOMPARE(x.bytesOut.at(1), int64_t(32));
    QCOMPARE(x.bytesIn.sum(), int64_t(32));
  }

  void remoteOperandsComeBeforeAndResultsGoAfter() {
    World w;
    const Tensor a = w.variable("a", 6, 0), b = w.variable("b", 6, 3);
    w.work(a, b, 1, w.main);
    const auto e = w.build();
    QCOMPARE(kinds(e),
             (std::vector{StepKind::Sync, StepKind::DoExchange, StepKind::OnTileExecute, StepKind::Sync, StepKind::DoExchange}));
    QCOMPARE(e.program.exchanges[0].bytesIn.at(1), int64_t(24));
    QCOMPARE(e.program.exchanges[1].bytesIn.at(3), int64_t(24));
    // One worker vertex of 10 cycles: six tile cycles each.
    QCOMPARE(e.program.steps[std::size_t(e.program.ordinals[2])].cycles.at(1), int64_t(60));
    QCOMPARE(e.program.steps[std::size_t(e.program.ordinals[2])].cycles.sum(), int64_t(60));
  }

  void sixVerticesOnATileTakeAsLongAsOne() {
    World w;
    const auto set = w.graph->addComputeSet("six");
    for (int i = 0; i < 7; ++i) {
      const Tensor a = w.variable("a", 2, 0), b = w.variable("b", 2, 0);
      w.graph->setTileMapping(w.graph->addVertex(set, "Work", {{"in", a}, {"out", b}}), TileId(0));
    }
    w.main.add(program::execute(set));
    QCOMPARE(w.build().program.steps.back().cycles.at(0), int64_t(120)); // 6 + 1: two rounds
  }

  void aVariableLivesFromFirstWriteToLastRead() {
    World w;
    const Tensor a = w.variable("a", 4, 0), b = w.variable("b", 4, 0), c = w.variable("c", 4, 0);
    w.work(a, b, 0, w.main);
    w.work(b, c, 0, w.main);
    w.work(c, a, 0, w.main);
    const auto e = w.build();
    QCOMPARE(storageOf(e, "b").live, (std::vector<reports::Range<int64_t>>{{0, 2}}));
    QCOMPARE(storageOf(e, "c").live, (std::vector<reports::Range<int64_t>>{{1, 3}}));
    QCOMPARE(storageOf(e, "a").live, (std::vector<reports::Range<int64_t>>{{0, 1}, {2, 3}})); // from run to run
  }

  void whatALoopCarriesLivesThroughIt() {
    World w;
    const Tensor before = w.variable("before", 4, 0), carried = w.variable("carried", 4, 0), local = w.variable("local", 4, 0),
                 x = w.variable("x", 4, 0);
    w.work(x, before, 0, w.main); // ordinal 0
    Sequence body;
    w.work(carried, local, 0, body);  // 1: reads what the iteration before wrote
    w.work(local, x, 0, body);        // 2
    w.work(before, carried, 0, body); // 3
    w.main.add(program::repeat(5, body));
    w.work(x, local, 0, w.main); // 4
    const auto e = w.build();
    QCOMPARE(storageOf(e, "before").live, (std::vector<reports::Range<int64_t>>{{0, 4}}));
    QCOMPARE(storageOf(e, "carried").live, (std::vector<reports::Range<int64_t>>{{0, 2}, {3, 5}}));
  }

  void whatIsAliveAtACallLivesThroughTheFunction() {
    World w;
    const Tensor a = w.variable("a", 4, 0), b = w.variable("b", 4, 0), in = w.variable("in", 4, 0), out = w.variable("out", 4, 0);
    Sequence f;
    w.work(in, out, 0, f);
    const auto function = w.graph->addFunction("f", f.program());
    w.work(in, a, 0, w.main);
    w.main.add(program::call(function));
    w.work(a, b, 0, w.main);
    const auto e = w.build();
    const int64_t inside = 3; // main has ordinals 0 to 2
    const auto& live = storageOf(e, "a").live;
    QVERIFY(std::any_of(live.begin(), live.end(), [&](const auto& r) { return r.contains(inside); }));
    const int callee = e.program.steps[std::size_t(e.program.ordinals[1])].callee;
    QVERIFY(callee >= 0 && e.program.steps[std::size_t(callee)].kind == StepKind::Function);
  }

  void nothingAliveAtTheSameTimeOverlaps() {
    World w(3);
    std::vector<Tensor> chain{w.variable("v0", 64, 0)};
    for (int i = 1; i < 12; ++i) {
      chain.push_back(w.variable("v" + std::to_string(i), 16 * (1 + i % 5), 0));
      w.work(chain[std::size_t(i) - 1], chain.back(), 0, w.main);
      if (i % 3 == 0) w.work(chain[std::size_t(i) / 2], chain.back(), 0, w.main);
    }
    const auto e = w.build();
    for (const auto& layout : e.allocation.layouts) {
      int64_t own = 0;
      for (const auto& p : layout.placements) own += p.ownBytes;
      QCOMPARE(own, layout.totalBytes);
      QVERIFY(layout.totalBytes >= layout.liveLowerBound);
      QVERIFY(layout.extentBytes >= layout.totalBytes);
      for (const auto& p : layout.placements)
        for (const auto& q : layout.placements) {
          if (&p == &q || p.address + p.size <= q.address || q.address + q.size <= p.address) continue;
          const auto &a = e.storage[p.storage], &b = e.storage[q.storage];
          QVERIFY2(!a.alwaysLive && !b.alwaysLive, (a.name + " and " + b.name).c_str());
          for (const auto& x : a.live)
            for (const auto& y : b.live) QVERIFY2(!x.overlaps(y), (a.name + " and " + b.name).c_str());
        }
    }
    QVERIFY(std::any_of(e.allocation.layouts.begin(), e.allocation.layouts.end(), [&](const auto& l) { // the chain reuses memory
      int64_t sum = 0;
      for (const auto& p : l.placements) sum += p.size;
      return sum > l.totalBytes;
    }));
  }

  void theLivenessPeakIsTheSumOfWhatIsAlive() {
    World w;
    Tensor last = w.variable("v", 4, 0);
    for (int i = 0; i < 9; ++i) {
      const Tensor next = w.variable("v", 8 + 8 * (i % 4), i % 4);
      w.work(last, next, (i + 1) % 4, w.main);
      last = next;
    }
    const auto e = w.build();
    for (std::size_t o = 0; o < e.liveCurve.size(); ++o) {
      int64_t sum = 0;
      for (const auto& s : e.storage)
        for (const auto& r : s.live)
          if (r.contains(int64_t(o))) sum += s.bytes.sum();
      QCOMPARE(e.liveCurve[o], sum);
    }
    for (int64_t t = 0; t < 4; ++t) {
      const auto curve = compile::livenessCurve(e.storage, int64_t(e.program.ordinals.size()), {t, t + 1});
      const auto& layout = e.allocation.layouts[e.allocation.layoutOfTile[std::size_t(t)]];
      QCOMPARE(layout.peakNotAlwaysLiveBytes, *std::max_element(curve.begin(), curve.end()));
    }
  }

  void codeLiesBelowTheInterleavedRegion() {
    World w;
    const Tensor a = w.variable("a", 60000, 0), b = w.variable("b", 60000, 0);
    w.work(a, b, 0, w.main);
    const auto e = w.build();
    const auto& layout = e.allocation.layouts[e.allocation.layoutOfTile[0]];
    for (const auto& p : layout.placements)
      if (reports::isCode(e.storage[p.storage].category))
        QVERIFY(p.address + p.size <= e.graph->machine().tile.interleavedStart.value());
    QVERIFY(e.allocation.fits());
  }

  void tooMuchIsAnOverflowAndNotAnError() {
    World w;
    const Tensor a = w.variable("a", 120000, 0), b = w.variable("b", 120000, 0);
    w.work(a, b, 0, w.main);
    const auto e = w.build();
    QVERIFY(!e.allocation.fits());
    QCOMPARE(e.allocation.overflowTiles, int64_t(1));
    QCOMPARE(e.allocation.maxTile, int64_t(0));
    const auto& layout = e.allocation.layouts[e.allocation.layoutOfTile[0]];
    QVERIFY(layout.overflowBytes >= 960000 - e.graph->machine().tile.memory.value());
  }

  void racesInAComputeSetNameVariableAndVertices() {
    for (const auto& [first, second, expectRace] :
         std::vector<std::tuple<int, int, bool>>{{0, 3, true}, {0, 4, false}, {2, 2, true}}) {
      World w;
      const Tensor in = w.variable("in", 4, 0), out = w.variable("shared", 8, 0);
      const auto set = w.graph->addComputeSet("both");
      for (int begin : {first, second})
        w.graph->setTileMapping(w.graph->addVertex(set, "Work", {{"in", in}, {"out", out.slice(begin, begin + 4)}}), TileId(0));
      w.main.add(program::execute(set));
      if (!expectRace) {
        w.build();
        continue;
      }
      try {
        w.build();
        QFAIL("two writers of one element were accepted");
      } catch (const reports::Error& e) {
        QVERIFY(std::string(e.what()).find("shared") != std::string::npos &&
                std::string(e.what()).find("both") != std::string::npos);
      }
    }
    World w; // one writes what another reads
    const Tensor a = w.variable("a", 4, 0), b = w.variable("b", 4, 0), c = w.variable("c", 4, 0);
    const auto set = w.graph->addComputeSet("cs");
    w.graph->setTileMapping(w.graph->addVertex(set, "Work", {{"in", a}, {"out", b}}), TileId(0));
    w.graph->setTileMapping(w.graph->addVertex(set, "Work", {{"in", b.slice(3, 4)}, {"out", c}}), TileId(0));
    w.main.add(program::execute(set));
    QVERIFY_THROWS_EXCEPTION(reports::Error, w.build());
  }

  void anUnmappedVariableOrVertexIsNamed() {
    World w;
    const Tensor a = w.graph->addVariable(ElementType::Float, {4}, "lost"), b = w.variable("b", 4, 0);
    w.main.add(program::copy(a, b));
    try {
      w.build();
      QFAIL("an unmapped variable was compiled");
    } catch (const reports::Error& e) {
      QVERIFY(std::string(e.what()).find("lost") != std::string::npos);
    }
    World v;
    const auto set = v.graph->addComputeSet("cs");
    v.graph->addVertex(set, "Work", {{"in", v.variable("x", 1, 0)}, {"out", v.variable("y", 1, 0)}});
    v.main.add(program::execute(set));
    QVERIFY_THROWS_EXCEPTION(reports::Error, v.build());
  }
};

TILESCOPE_TEST(CompilerTest)
#include "compiler_test.moc"
