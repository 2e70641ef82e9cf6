#include "simcore/compile/exchange_plan.h"
#include "simcore/compile/ipu_links.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace simcore;
using compile::linkLoad;

class LadderTest : public QObject {
  Q_OBJECT
private slots:
  void pairsHaveTwiceTheLinksOfRails() {
    const auto m = arch::tinyMachine(4, 8);
    const auto pair = linkLoad(m, {{0, 1, 1'000'000}}), rail = linkLoad(m, {{0, 2, 1'000'000}});
    QCOMPARE(pair.hops, 1);
    QCOMPARE(rail.hops, 1);
    QVERIFY(std::abs(rail.seconds / pair.seconds - 2) < 1e-9);
    QVERIFY(std::abs(pair.seconds - 1e6 / (m.link.bytesPerSecond * 4)) < 1e-12);
  }

  void whatPassesThroughLoadsEveryLink() {
    const auto m = arch::tinyMachine(4, 8);
    QCOMPARE(linkLoad(m, {{0, 7, 8}}).hops, 4); // three rails and a rung
    const double one = linkLoad(m, {{0, 2, 1000}}).seconds;
    QVERIFY(std::abs(linkLoad(m, {{0, 4, 1000}, {2, 4, 1000}}).seconds / one - 2) < 1e-9); // they meet on the rail from 2 to 4
    QVERIFY(std::abs(linkLoad(m, {{0, 4, 1000}, {4, 2, 1000}}).seconds / one - 1) < 1e-9); // directions do not
  }

  void ringsHaveTwoWaysRound() {
    const auto torus = arch::findMachine("pod64", 64), ladder = arch::findMachine("bow-pod256", 64);
    QCOMPARE(linkLoad(ladder, {{0, 62, 8}}).hops, 31);
    QCOMPARE(linkLoad(torus, {{0, 62, 8}}).hops, 1); // over the closing link
    QCOMPARE(linkLoad(torus, {{0, 32, 8}}).hops, 16);
    QCOMPARE(linkLoad(torus, {{60, 3, 8}}).hops, 4);                           // three rails and a rung
    QCOMPARE(linkLoad(arch::findMachine("pod64", 32), {{0, 30, 8}}).hops, 15); // half of the machine has ends
  }

  void senderAndReceiverAreFoundFromTheBytes() {
    const auto m = arch::tinyMachine(4, 4);
    compile::Exchange e;
    e.bytesOut = graph::PerTile::uniform({0, 4}, 100);
    e.bytesIn = graph::PerTile::uniform({8, 16}, 50);
    const auto flows = compile::flowsOf(m, e);
    QCOMPARE(flows.size(), std::size_t(2));
    QVERIFY((flows[0] == graph::LinkFlow{0, 2, 200}) && (flows[1] == graph::LinkFlow{0, 3, 200}));
  }

  // Data that is not contiguous travels in pieces; all flows wait for the one with the most pieces.
  void piecesTakeTime() {
    const auto m = arch::tinyMachine(4, 4);
    compile::Exchange e;
    e.linkFlows = {{0, 1, 4000}, {1, 0, 4000}};
    const int64_t whole = compile::globalExchangeCycles(m, e).value();
    e.linkFlows = {{0, 1, 4000, 500}, {1, 0, 4000, 1000}};
    const int64_t pieces = compile::globalExchangeCycles(m, e).value();
    QVERIFY(std::abs(double(pieces - whole) - 1000 * m.link.secondsPerPiece * m.clockHz) <= 1);
    QVERIFY(double(whole) >= m.link.setUpSeconds * m.clockHz);
  }
};

TILESCOPE_TEST(LadderTest)
#include "ipu_links_test.moc"
