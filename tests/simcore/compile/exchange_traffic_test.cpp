#include "simcore/compile/compiler.h"
#include "simcore/compile/exchange_plan.h"
#include "simcore/compile/exchange_traffic.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using namespace simcore::graph;
using compile::RemoteTouches;
using compile::StepKind;

namespace {

Tensor onTile(Graph& g, const std::string& name, int64_t n, std::size_t tile) {
  const Tensor t = g.addVariable(ElementType::Float, {n}, name);
  g.setTileMapping(t, TileId(tile));
  return t;
}

Traffic reads(const Graph& g, const std::vector<std::pair<Tensor, int64_t>>& touches) {
  RemoteTouches remote(g, RemoteTouches::Direction::ToUser);
  for (const auto& [view, tile] : touches) remote.add(view, tile);
  return remote.traffic();
}

compile::Exchange exchangeOf(const Traffic& t) {
  compile::Exchange e;
  e.add(t);
  return e;
}

std::vector<StepKind> kindsOf(const std::shared_ptr<Graph>& g, const Sequence& main) {
  reports::NoProgress quiet;
  const auto e = compile::compile(g, {{"main", main.program()}}, {}, quiet);
  std::vector<StepKind> kinds;
  for (int o : e.program.ordinals) kinds.push_back(e.program.steps[std::size_t(o)].kind);
  return kinds;
}

const std::vector<StepKind> kOneExchange{StepKind::Sync, StepKind::DoExchange, StepKind::OnTileCopy};
const std::vector<StepKind> kTwoExchanges{StepKind::Sync, StepKind::DoExchange, StepKind::Sync, StepKind::DoExchange};

} // namespace

class ExchangeTrafficTest : public QObject {
  Q_OBJECT
private slots:
  // x has four floats on tile 0 and two on tile 1, y three on tile 1 and three on tile 2.
  void pairsOfACopyAreKnown() {
    Graph g(arch::tinyMachine(8));
    const Tensor x = g.addVariable(ElementType::Float, {6}, "x"), y = g.addVariable(ElementType::Float, {6}, "y");
    g.setTileMapping(x.slice(0, 4), TileId(0));
    g.setTileMapping(x.slice(4, 6), TileId(1));
    g.setTileMapping(y.slice(0, 3), TileId(1));
    g.setTileMapping(y.slice(3, 6), TileId(2));
    const compile::CopyParts parts = compile::copyParts(g, x, y);
    QCOMPARE(parts.traffic.pairs.runs(), (Pairs{{1, 1, 0, 1, 1, 0, 12}, {2, 1, 0, 1, 1, 0, 4}, {2, 1, 1, 1, 1, 0, 8}}));
    QVERIFY(parts.traffic.linkPairs.empty());
  }

  // Results go to the tiles that hold them.
  void pairsOfResultsGoHome() {
    Graph g(arch::tinyMachine(8));
    const Tensor x = onTile(g, "x", 10, 3);
    RemoteTouches written(g, RemoteTouches::Direction::FromUser);
    written.add(x.slice(0, 4), 1);
    written.add(x.slice(4, 6), 3);
    written.add(x.slice(6, 10), 2);
    QCOMPARE(written.traffic().pairs.runs(), (Pairs{{3, 1, 1, 2, 1, 0, 16}}));
  }

  void aBroadcastLeavesOnceAndMeetsBothTilesOfABus() {
    Graph g(arch::tinyMachine(8));
    const Tensor x = onTile(g, "x", 100, 0);
    const Traffic t = reads(g, {{x, 0}, {x, 1}, {x, 2}, {x, 3}});
    QCOMPARE(t.bytesOut.sum(), int64_t(400));
    QCOMPARE(t.bytesIn.sum(), int64_t(3 * 400)); // tile 0 has it
    QCOMPARE(t.messagesOut.at(0), int64_t(3));
    QCOMPARE(t.sharedIn.at(1), int64_t(0)); // its neighbour is the sender
    QCOMPARE(t.sharedIn.at(2), int64_t(400));
    QCOMPARE(t.sharedIn.at(3), int64_t(400));
    QCOMPARE(t.pairs.runs(), (Pairs{{1, 3, 0, 1, 1, 0, 400}})); // each has the bytes it takes
  }

  void whatSeveralVerticesOfATileReadComesOnce() {
    Graph g(arch::tinyMachine(8));
    const Tensor x = onTile(g, "x", 100, 0);
    const Traffic t = reads(g, {{x.slice(0, 60), 5}, {x.slice(40, 100), 5}, {x.slice(10, 20), 5}});
    QCOMPARE(t.bytesIn.at(5), int64_t(400));
    QCOMPARE(t.bytesOut.at(0), int64_t(400));
    QCOMPARE(t.messagesIn.at(5), int64_t(1));
  }

  void neighboursShareWhatOverlapsOnly() {
    Graph g(arch::tinyMachine(8));
    const Tensor x = onTile(g, "x", 100, 0);
    const Traffic t = reads(g, {{x.slice(0, 60), 4}, {x.slice(40, 100), 5}});
    QCOMPARE(t.sharedIn.at(4), int64_t(80));
    QCOMPARE(t.sharedIn.at(5), int64_t(80));
    QCOMPARE(t.bytesOut.at(0), int64_t(400));
    const Traffic apart = reads(g, {{x.slice(0, 60), 3}, {x.slice(40, 100), 4}}); // not on one bus
    QVERIFY(apart.sharedIn.empty());
  }

  // 1,000 words take 1,000 cycles, or 500 if the neighbour receives the same words.
  void twoTilesOfABusReceiveTheSameInHalfTheTime() {
    Graph g(arch::tinyMachine(8));
    const Tensor x = onTile(g, "x", 500, 0), y = onTile(g, "y", 500, 1);
    const Tensor both = concat(x, y);
    const auto cyclesAt = [&](const Traffic& t, int64_t tile) {
      return compile::internalExchangeCycles(g.machine(), exchangeOf(t)).at(tile);
    };
    const Traffic alone = reads(g, {{both, 4}}), paired = reads(g, {{both, 4}, {both, 5}});
    QCOMPARE(cyclesAt(alone, 4) - cyclesAt(paired, 4), int64_t(500));
    QCOMPARE(cyclesAt(paired, 4), cyclesAt(paired, 5));
  }

  void fartherSendersTakeLonger() {
    Graph g(arch::findMachine("gc200", 1));
    const Tensor x = onTile(g, "x", 10, 0);
    const auto cyclesTo = [&](int64_t tile) {
      return compile::internalExchangeCycles(g.machine(), exchangeOf(reads(g, {{x, tile}}))).at(tile);
    };
    int64_t nearest = INT64_MAX, farthest = 0;
    for (int64_t tile = 1; tile < g.tiles(); tile += 7) {
      QCOMPARE(cyclesTo(tile), 10 + 25 + g.machine().distance(0, int(tile)).value());
      nearest = std::min(nearest, cyclesTo(tile));
      farthest = std::max(farthest, cyclesTo(tile));
    }
    QVERIFY(farthest - nearest > 40 && farthest - nearest <= 61);
  }

  void resultsGoHome() {
    Graph g(arch::tinyMachine(8));
    const Tensor x = onTile(g, "x", 100, 3);
    RemoteTouches remote(g, RemoteTouches::Direction::FromUser);
    remote.add(x.slice(0, 10), 1);
    remote.add(x.slice(10, 30), 2);
    remote.add(x.slice(30, 40), 3);
    const Traffic t = remote.traffic();
    QCOMPARE(t.bytesIn.at(3), int64_t(120));
    QCOMPARE(t.bytesOut.at(1), int64_t(40));
    QCOMPARE(t.bytesOut.at(2), int64_t(80));
    QCOMPARE(t.bytesOut.at(3), int64_t(0));
  }

  void otherIpusAreReachedOverLinks() {
    Graph g(arch::tinyMachine(4, 2));
    const Tensor x = onTile(g, "x", 100, 0);
    const Traffic t = reads(g, {{x, 1}, {x, 6}});
    QCOMPARE(t.bytesIn.sum(), int64_t(400));
    QCOMPARE(t.linkBytesIn.at(6), int64_t(400));
    QCOMPARE(t.linkBytesOut.at(0), int64_t(400));
    QCOMPARE(t.linkFlows.size(), std::size_t(1));
  }

  void independentCopiesShareAnExchange() {
    auto g = std::make_shared<Graph>(arch::tinyMachine(8));
    const Tensor a = onTile(*g, "a", 64, 0), b = onTile(*g, "b", 64, 1), c = onTile(*g, "c", 64, 2), d = onTile(*g, "d", 64, 3);
    Sequence apart, dependent;
    apart.add(program::copy(a, b));
    apart.add(program::copy(c, d));
    QCOMPARE(kindsOf(g, apart), kOneExchange);
    dependent.add(program::copy(a, b));
    dependent.add(program::copy(b, c)); // reads what the first writes
    QCOMPARE(kindsOf(g, dependent), kTwoExchanges);
    Sequence overwriting;
    overwriting.add(program::copy(a, b));
    overwriting.add(program::copy(c, a)); // writes what the first reads
    QCOMPARE(kindsOf(g, overwriting), kTwoExchanges);
  }

  // The exchange moves words: halves that begin or end inside a word are packed before it and unpacked after it.
  void partsOfWordsAreGatheredAndScattered() {
    auto g = std::make_shared<Graph>(arch::tinyMachine(8));
    const auto half = [&](const char* name, std::size_t tile) {
      const Tensor t = g->addVariable(ElementType::Half, {64}, name);
      g->setTileMapping(t, TileId(tile));
      return t;
    };
    const Tensor a = half("a", 0), b = half("b", 1);
    const auto kinds = [&](const Tensor& from, const Tensor& to) {
      Sequence main;
      main.add(program::copy(from, to));
      return kindsOf(g, main);
    };
    QCOMPARE(kinds(a.slice(0, 8), b.slice(2, 10)), (std::vector{StepKind::Sync, StepKind::DoExchange}));
    QCOMPARE(kinds(a.slice(1, 9), b.slice(2, 10)), (std::vector{StepKind::OnTileCopy, StepKind::Sync, StepKind::DoExchange}));
    QCOMPARE(kinds(a.slice(2, 10), b.slice(1, 9)), (std::vector{StepKind::Sync, StepKind::DoExchange, StepKind::OnTileCopy}));
    QCOMPARE(kinds(a.slice(0, 3), b.slice(0, 3)),
             (std::vector{StepKind::OnTileCopy, StepKind::Sync, StepKind::DoExchange, StepKind::OnTileCopy}));
  }

  void singleElementsAreCopiedSlowerThanStretches() {
    auto g = std::make_shared<Graph>(arch::tinyMachine(8));
    const Tensor a = onTile(*g, "a", 1024, 0), b = onTile(*g, "b", 1024, 0);
    const auto cyclesOf = [&](const Tensor& from, const Tensor& to) {
      Sequence main;
      main.add(program::copy(from, to));
      reports::NoProgress quiet;
      const auto e = compile::compile(g, {{"main", main.program()}}, {}, quiet);
      return e.program.steps[std::size_t(e.program.ordinals[0])].duration.value();
    };
    const int64_t whole = cyclesOf(a, b),
                  rows = cyclesOf(a.reshape({8, 128}).slice(0, 64, 1), b.reshape({8, 128}).slice(0, 64, 1)),
                  transposed = cyclesOf(a.reshape({32, 32}).transpose(), b.reshape({32, 32}));
    QVERIFY(2 * rows > whole && transposed > 4 * whole);
  }

  void copiesOfDifferentPartsOfOneVariableAreIndependent() {
    auto g = std::make_shared<Graph>(arch::tinyMachine(8));
    const Tensor x = g->addVariable(ElementType::Float, {8, 16}, "x");
    for (int64_t i = 0; i < 8; ++i) g->setTileMapping(x[i], TileId(std::size_t(i)));
    Sequence rows, chain;
    rows.add(program::copy(x[0], x[1]));
    rows.add(program::copy(x[2], x[3]));
    QCOMPARE(kindsOf(g, rows), kOneExchange);
    chain.add(program::copy(x[0], x[1]));
    chain.add(program::copy(x[1], x[2]));
    QCOMPARE(kindsOf(g, chain), kTwoExchanges);
  }
};

TILESCOPE_TEST(ExchangeTrafficTest)
#include "exchange_traffic_test.moc"
