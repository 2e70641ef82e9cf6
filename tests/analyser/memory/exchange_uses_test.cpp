#include "analyser/memory/exchange_uses.h"
#include "analyser/program/program_tree.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace analyser;
using namespace analyser::memory;

namespace {
reports::AmountRuns amountsOf(const std::vector<int64_t>& bytes) { return {reports::packRuns(bytes), bytes.size(), "bytes"}; }
} // namespace

class ExchangeUsesTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { m_session = Session::open(m_report.path().string()); }

  // An exchange has as many executions as its step in the view Program.
  void exchangesRanAsOftenAsTheirSteps() {
    const auto program = analyser::program::programTree(*m_session);
    int ran = 0;
    for (const ExchangeUse& use : exchangesOn(*m_session, {}).uses) {
      const int node = program.indexOf(use.step);
      if (node < 0) continue;
      QCOMPARE(use.executions, program.nodes[std::size_t(node)].executions);
      QCOMPARE(use.receivedInAll, use.received * use.executions);
      ran += use.executions > 0;
    }
    QVERIFY(ran > 0);
    Bytes single, summed;
    for (const ExchangeUse& use : exchangesOn(*m_session, {}).uses) single += use.receivedInAll;
    for (const ExchangeUse& use : byOperation(exchangesOn(*m_session, {}).uses)) summed += use.receivedInAll;
    QVERIFY(single > Bytes());
    QCOMPARE(summed, single);
  }

  // The bytes of the single tiles sum to the bytes of all tiles.
  void exchangesOfTilesSumToAll() {
    const auto all = exchangesOn(*m_session, {}).uses;
    QVERIFY(!all.empty());
    std::map<std::string, std::pair<Bytes, Bytes>> sums;
    for (std::size_t t = 0; t < 16; ++t) {
      const std::vector<TileId> one{TileId(t)};
      for (const ExchangeUse& use : exchangesOn(*m_session, one).uses) {
        auto& [in, out] = sums[use.name + std::to_string(use.step.valid() ? use.step.value() : 0)];
        in += use.received, out += use.sent;
        QVERIFY(use.received > Bytes() || use.sent > Bytes());
      }
    }
    for (const ExchangeUse& use : all) {
      const auto& [in, out] = sums[use.name + std::to_string(use.step.valid() ? use.step.value() : 0)];
      QCOMPARE(in, use.received);
      QCOMPARE(out, use.sent);
      QCOMPARE(use.received, use.total);
    }
    for (std::size_t i = 1; i < all.size(); ++i) QVERIFY(all[i - 1].code >= all[i].code);
  }
  // The exchange code of the single tiles sums to that of all tiles, and partners are the tiles at the other end.
  void codeOfExchangesIsOfTiles() {
    const auto tiles = std::size_t(m_session->machine().tiles());
    int known = 0, estimated = 0;
    std::map<std::size_t, Bytes> byStep;
    for (std::size_t t = 0; t < 16; ++t) {
      const std::vector<TileId> one{TileId(t)};
      for (const ExchangeUse& use : exchangesOn(*m_session, one).uses) {
        QVERIFY(use.codeHere);
        byStep[use.step.value()] += *use.codeHere;
        if (!use.partners.areEstimated &&
            use.kind == "internal") { // the synthetic report has pairs of every second exchange: a tile and the one behind it
          QCOMPARE(use.partners.senders.size(), std::size_t(1));
          QCOMPARE(use.partners.senders.front().tile, TileId((t + 1) % tiles));
          QCOMPARE(use.partners.senders.front().bytes, double(use.received.value()));
          QCOMPARE(use.partners.receivers.front().tile, TileId((t + tiles - 1) % tiles));
          ++known;
        } else if (use.kind == "internal") {
          double received = 0;
          for (const Partner& p : use.partners.senders) received += p.bytes;
          QCOMPARE(std::llround(received), use.received.value());
          QVERIFY(use.partners.senderCount < use.senders + 1);
          ++estimated;
        }
        for (const auto* side : {&use.partners.senders, &use.partners.receivers})
          for (const Partner& p : *side) QVERIFY(p.tile != TileId(t));
      }
    }
    QVERIFY(known > 0 && estimated > 0);
    const auto all = exchangesOn(*m_session, {}).uses;
    for (const ExchangeUse& use : all) {
      QCOMPARE(byStep[use.step.value()], use.code);
      QCOMPARE(*use.codeHere, use.code);
    }
  }
  // Bytes between selected tiles count on both sides; those of the others are sums over the selection.
  void partnersOfSeveralTilesAreSums() {
    const std::vector<TileId> both{TileId(3), TileId(4)};
    bool found = false;
    for (const ExchangeUse& use : exchangesOn(*m_session, both).uses) {
      if (use.partners.areEstimated || use.kind != "internal") continue;
      found = true;
      double received = 0;
      QCOMPARE(use.partners.senders.size(), std::size_t(2)); // 4 and 5
      for (const Partner& p : use.partners.senders) received += p.bytes;
      QCOMPARE(received, double(use.received.value()));
      QCOMPARE(use.partners.receivers.size(), std::size_t(2)); // 2 and 3
      QVERIFY(use.partners.senders[0].bytes >= use.partners.senders[1].bytes);
    }
    QVERIFY(found);
  }
  // If only the bytes per tile are known, a tile receives from all senders of its IPU in proportion to their sent bytes.
  void bytesOfUnknownPairsAreSharedOut() {
    const std::vector<int64_t> in{0, 100, 60, 40, 8, 0, 0, 0}, out{90, 0, 10, 100, 0, 8, 0, 0};
    const auto partnersOf = [&](std::vector<TileId> selection, const char* kind, bool hasOtherReplicas = false) {
      PartnerFinder finder(twoIpus(), hasOtherReplicas, selection);
      return finder.of(rowOf(kind), amountsOf(in), amountsOf(out));
    };
    const Partners first = partnersOf({TileId(1)}, "internal");
    QVERIFY(first.areEstimated && first.receivers.empty());
    QCOMPARE(first.senderCount, int64_t(3));
    QCOMPARE(first.senders[0].tile, TileId(3));
    QCOMPARE(first.senders[0].bytes, 50.0);
    QCOMPARE(first.senders[1].bytes, 45.0); // tile 0
    QCOMPARE(first.senders[2].bytes, 5.0);
    const Partners both = partnersOf({TileId(2)}, "internal"); // nothing from itself
    QCOMPARE(both.senderCount, int64_t(2));
    QCOMPARE(both.senders[1].bytes, 60.0 * 90 / 190);
    QCOMPARE(both.receivers[0].bytes, 100.0 * 10 / 200);         // to tile 1
    QCOMPARE(both.receivers[1].bytes, 40.0 * 10 / 100);          // to tile 3, which sends 100 of 200 itself
    const Partners single = partnersOf({TileId(4)}, "internal"); // tile 5 is the only one that sends on its IPU
    QVERIFY(!single.areEstimated);
    QCOMPARE(single.senders[0].tile, TileId(5));
    QCOMPARE(single.senders[0].bytes, 8.0);
    const Partners far = partnersOf({TileId(4)}, "global"); // from the other IPU only
    QCOMPARE(far.senderCount, int64_t(3));
    QCOMPARE(far.senders[0].bytes, 8.0 * 100 / 200);
    // If the replica has two IPUs, a global copy may stay within the replica.
    QVERIFY(partnersOf({TileId(4)}, "global", true).end == Partners::End::Unknown);
    Machine lone = twoIpus();
    lone.ipus = 1;
    const std::vector<TileId> zero{TileId(0)};
    PartnerFinder ofReplica(lone, true, zero);
    const std::vector<int64_t> four{4, 4, 4, 4};
    QVERIFY(ofReplica.of(rowOf("global"), amountsOf(four), amountsOf(four)).end == Partners::End::OtherReplicas);
    // Bytes without a known sender have their own row, so that the sum equals that of the exchanges.
    PartnerFinder imported(lone, false, zero);
    QVERIFY(imported.of(rowOf("internal"), amountsOf(four), amountsOf({0, 0, 0, 0})).senders.empty());
    QCOMPARE(imported.sums().size(), std::size_t(1));
    QVERIFY(imported.sums().front().end == Partners::End::Unknown && imported.sums().front().received == Bytes(4));
    QVERIFY(partnersOf({TileId(4)}, "host").end == Partners::End::Host);
  }
  // Estimated bytes are rounded so that the partners' bytes sum to those of the exchanges, for any selection of tiles.
  void partnersSumToTheExchanges() {
    for (const std::vector<TileId>& selection :
         {std::vector<TileId>{}, {TileId(0)}, {TileId(3), TileId(4), TileId(11)}, std::vector<TileId>{TileId(15)}}) {
      const ExchangesOfTiles all = exchangesOn(*m_session, selection);
      Bytes received, sent, ofPartners, toPartners;
      for (const ExchangeUse& use : all.uses) received += use.received, sent += use.sent;
      for (const PartnerUse& use : all.partners) {
        // Without a selection there is one row per tile with its sent and received bytes, including the host's.
        QVERIFY(use.tile.valid() || !selection.empty());
        ofPartners += selection.empty() ? use.sent : use.received, toPartners += selection.empty() ? use.received : use.sent;
        QVERIFY(use.estimated <= use.received + use.sent);
        QVERIFY(use.exchanges > 0 && use.exchanges <= int64_t(all.uses.size()));
      }
      QCOMPARE(ofPartners, received);
      if (selection.empty()) QCOMPARE(toPartners, sent); // else a word counts for each receiver
    }
  }
  void operationsSumTheirExchanges() {
    const auto use = [](const char* name, const char* operation, const char* kind, int64_t bytes) {
      ExchangeUse row;
      row.name = name;
      row.operation = operation;
      row.kind = kind;
      row.code = Bytes(bytes);
      row.codeHere = Bytes(bytes / 2);
      row.received = Bytes(3 * bytes);
      row.sent = Bytes(2 * bytes);
      row.senders = bytes;
      row.busiest = TileId(std::size_t(bytes));
      row.busiestBytes = Bytes(bytes);
      row.cycles = Cycles(bytes);
      row.executions = 2;
      return row;
    };
    const auto sums = byOperation({use("a", "conv", "internal", 30), use("x", "", "host", 20), use("b", "conv", "internal", 10),
                                   use("c", "add", "internal", 50), use("d", "add", "global", 1), use("y", "", "host", 2)});
    QCOMPARE(sums.size(), std::size_t(4));
    QCOMPARE(sums[0].name, std::string("add"));
    QCOMPARE(sums[0].kind, std::string());
    const ExchangeUse& conv = sums[1];
    QCOMPARE(conv.name, std::string("conv"));
    QCOMPARE(conv.kind, std::string("internal"));
    QCOMPARE(conv.exchanges, int64_t(2));
    QVERIFY(conv.code == Bytes(40) && conv.codeHere == Bytes(20) && conv.received == Bytes(120) && conv.sent == Bytes(80));
    QVERIFY(conv.cycles == Cycles(40) && conv.executions == 0 && conv.senders == 30 && !conv.busiest.valid());
    QCOMPARE(sums[2].name, std::string("x")); // of no operation: on its own
    QCOMPARE(sums[3].name, std::string("y"));
  }

private:
  static Machine twoIpus() {
    Machine machine;
    machine.ipus = 2, machine.tilesPerIpu = 4;
    return machine;
  }
  static reports::ExchangeRow rowOf(const char* kind) {
    reports::ExchangeRow row;
    row.kind = kind;
    return row;
  }
  tests::TinyReport m_report{tests::ReportShape{2, 8, 5}};
  std::shared_ptr<Session> m_session;
};

TILESCOPE_TEST(ExchangeUsesTest)
#include "exchange_uses_test.moc"
