// The senders and receivers of an exchange have the figures of SQL, and the sentence that says why names both layouts.
#include "analyser/program/exchange_traffic.h"
#include "analyser/program/program_tree.h"
#include "analyser/query/query.h"
#include "reports/sqlite/reader.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace analyser;
using namespace analyser::program;

class ExchangeTrafficTest : public QObject {
  Q_OBJECT

  static int64_t number(Session& session, const std::string& sql) {
    const auto result = query::run(session, sql);
    return result.rows.empty() ? -1 : std::get<int64_t>(result.rows[0][0]);
  }

private slots:
  void figuresAreThoseOfSql() {
    const tests::TinyReport report(tests::ReportShape{1, 8, 4});
    const auto session = Session::open(report.path().string());
    int known = 0, unknown = 0;
    for (const auto& node : programTree(*session).nodes) {
      if (!node.exchange.valid()) continue;
      const auto traffic = exchangeTraffic(*session, node.exchange);
      const std::string of = " WHERE exchange_id = " + std::to_string(node.exchange.value());
      QCOMPARE(traffic.received.value(), number(*session, "SELECT sum(bytes_in) FROM exchange_tile" + of));
      QCOMPARE(traffic.senderCount, number(*session, "SELECT count(*) FROM exchange_tile" + of + " AND bytes_out > 0"));
      QCOMPARE(traffic.pairCount, number(*session, "SELECT count(*) FROM exchange_pair" + of));
      (traffic.knowsPairs ? known : unknown) += 1;
      for (std::size_t i = 1; i < traffic.pairs.size(); ++i) QVERIFY(traffic.pairs[i - 1].bytes >= traffic.pairs[i].bytes);
      if (!traffic.knowsPairs) continue;
      const auto& most = traffic.pairs.front();
      QCOMPARE(most.bytes.value(), number(*session, "SELECT max(bytes) FROM exchange_pair" + of));
      QCOMPARE(number(*session, "SELECT bytes FROM exchange_pair" + of + " AND sender = " + std::to_string(most.from.value()) +
                                    " AND receiver = " + std::to_string(most.to.value())),
               most.bytes.value());
      for (const auto& receiver : traffic.receivers) QCOMPARE(receiver.partners.value_or(0), int64_t(1));
    }
    QVERIFY(known > 0 && unknown > 0);
  }

  void theReasonNamesBothLayouts() {
    const tests::TinyReport report(tests::ReportShape{1, 8, 4});
    const auto session = Session::open(report.path().string());
    bool isTold = false;
    for (const auto& node : programTree(*session).nodes) {
      if (node.kind != "DoExchange") continue;
      const auto traffic = exchangeTraffic(*session, node.exchange);
      QCOMPARE(traffic.operands.size(), std::size_t(1));
      QVERIFY(traffic.operands[0].variable.valid() && !traffic.operands[0].name.empty());
      const std::string why = reasonOf(traffic).text();
      QVERIFY2(why.find("held by rows in 8 parts on 8 tiles, wanted by columns in 8 parts on 8 tiles.") != std::string::npos,
               why.c_str());
      QVERIFY2(why.starts_with("8 tiles send to 8 tiles"), why.c_str());
      QCOMPARE(reasonOfStep(*session, node.id).text(), why);
      isTold = true;
    }
    QVERIFY(isTold);
  }

  void wholeAndUnknownAreTold() {
    const auto told = [](const std::string& held, int64_t heldTiles, const std::string& wanted, int64_t wantedTiles) {
      return reasonOf(ExchangeOperand{{}, "x", Bytes(8), held, wanted, heldTiles, wantedTiles}).text();
    };
    QCOMPARE(told("whole", 1, "whole", 7), std::string("x, 8 B: held whole on 1 tile, wanted whole by each of 7 tiles."));
    QCOMPARE(told("", 3, "batch in 2, rows in 4", 8),
             std::string("x, 8 B: held on 3 tiles, wanted by batch in 2, rows in 4 parts on 8 tiles."));
    QCOMPARE(told("partial sums", 2, "", 1), std::string("x, 8 B: held as partial sums, on 2 tiles, wanted on 1 tile."));
  }
};

TILESCOPE_TEST(ExchangeTrafficTest)
#include "exchange_traffic_test.moc"
