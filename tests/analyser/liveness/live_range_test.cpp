#include "analyser/liveness/life_index.h"

#include "reports/sqlite/statement.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace analyser;

class LiveRangeTest : public QObject {
  Q_OBJECT

  static int64_t sql(Session& session, const std::string& query) {
    reports::Statement statement(session.reader().connection(), query);
    return statement.step() ? std::get<int64_t>(statement.value(0)) : -1;
  }

private slots:
  // The figures of a range are those that a query gives.
  void aRangeSaysWhatSqlSays() {
    const tests::TinyReport report{{.ipus = 1, .tilesPerIpu = 8, .operations = 6}};
    const auto session = Session::open(report.path().string());
    const auto curve = liveness::curve(*session, "all");
    const liveness::LifeIndex lives(*session);
    const auto steps = int64_t(curve.notAlwaysLive.size());
    QVERIFY(steps > 8);
    for (const auto& [first, end] : {std::pair<int64_t, int64_t>{0, steps}, {steps / 3, steps / 2}, {steps - 3, steps}, {2, 3}}) {
      const auto range = lives.during(*session, {first, end}, curve);
      const std::string a = std::to_string(first), b = std::to_string(end),
                        overlaps = " FROM variable_lifetime WHERE always_live = 0 AND first_step < " + b + " AND end_step > " + a;
      QCOMPARE(int64_t(range.variables.size()), sql(*session, "SELECT count(DISTINCT variable_id)" + overlaps));
      QCOMPARE(range.bytes.value(),
               sql(*session, "SELECT coalesce(sum(bytes), 0) FROM (SELECT DISTINCT variable_id, bytes" + overlaps + ")"));
      QCOMPARE(range.births, sql(*session, "SELECT count(*)" + overlaps + " AND first_step >= " + a));
      QCOMPARE(range.deaths, sql(*session, "SELECT count(*)" + overlaps + " AND end_step <= " + b));
      const auto point = " FROM liveness_point WHERE scope = 'all' AND ordinal >= " + a + " AND ordinal < " + b;
      QCOMPARE(range.peak.value(), sql(*session, "SELECT max(not_always_live_bytes)" + point));
      QCOMPARE(curve.notAlwaysLive[std::size_t(range.peakStep)], range.peak);
      for (const auto& row : range.variables) QVERIFY(row.variable.live.overlaps({first, end}));
      QVERIFY(std::is_sorted(range.variables.begin(), range.variables.end(),
                             [](const auto& x, const auto& y) { return x.variable.bytes > y.variable.bytes; }));
    }
    // A range of one step is what liveAt() says of it.
    const auto one = lives.during(*session, {4, 5}, curve);
    const auto at = lives.at(*session, 4);
    QCOMPARE(one.variables.size(), at.notAlwaysLive.size());
    QCOMPARE(one.bytes, at.notAlwaysLiveBytes);
  }
};

TILESCOPE_TEST(LiveRangeTest)
#include "live_range_test.moc"
