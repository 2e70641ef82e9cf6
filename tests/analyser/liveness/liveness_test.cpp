#include "analyser/liveness/liveness.h"
#include "analyser/memory/tile_memory.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace analyser;

class LivenessTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    m_session = Session::open(m_report.path().string());
    m_liveness = liveness::liveness(*m_session);
  }
  void theCurveIsTheSumOfWhatIsAlive() {
    const auto& curve = m_liveness.curve;
    QVERIFY(!curve.notAlwaysLive.empty());
    QCOMPARE(m_liveness.steps.size(), curve.notAlwaysLive.size());
    for (std::size_t step = 0; step < curve.notAlwaysLive.size(); ++step) {
      const auto at = liveness::liveAt(*m_session, int64_t(step));
      QCOMPARE(at.notAlwaysLiveBytes, curve.notAlwaysLive[step]);
      QCOMPARE(at.alwaysLiveBytes, curve.alwaysLive);
      QCOMPARE(at.name, m_liveness.steps[step].name);
    }
  }
  void peakIsTheFirstLargest() {
    const auto& values = m_liveness.curve.notAlwaysLive;
    const auto top = std::max_element(values.begin(), values.end());
    QCOMPARE(m_liveness.curve.peak, *top);
    QCOMPARE(m_liveness.curve.peakStep, int64_t(top - values.begin()));
    QVERIFY2(m_liveness.verdict.text().starts_with("Peak "), m_liveness.verdict.text().c_str());
  }
  // The IPU with the fullest tile decides, and its figures include only its own tiles.
  void theFullestTilesIpuDecides() {
    const std::string scope = liveness::scopeOf(liveness::decidingIpu(*m_session));
    const auto tiles = memory::tileMemory(*m_session);
    QCOMPARE(scope, "ipu." + std::to_string(memory::fullestTile(tiles).value() / std::size_t(tiles.tilesPerIpu)));
    const auto of = liveness::liveness(*m_session, scope);
    QVERIFY2(of.verdict.text().starts_with("IPU "), of.verdict.text().c_str());
    QCOMPARE(of.curve.capacity, m_session->machine().memoryPerIpu());
    const auto owner =
        liveness::liveAt(*m_session, of.curve.peakStep, liveness::scopeBytes(*m_session, scope)).notAlwaysLive.front();
    QVERIFY2(of.verdict.text().find("the largest " + owner.name + " (") != std::string::npos, of.verdict.text().c_str());
    const tests::TinyReport one({.ipus = 1});
    QVERIFY(!liveness::decidingIpu(*Session::open(one.path().string())));
    // Without the layout of the tiles, a report is judged by all IPUs together.
    const tests::TinyReport bare;
    tests::tamper(bare.path(), "DELETE FROM tile_variables");
    QVERIFY(!liveness::decidingIpu(*Session::open(bare.path().string())));
  }
  // If a program does not fit, the overflowing tile decides: all tiles together may have room.
  void aTileThatOverflowsDecides() {
    QCOMPARE(liveness::decidingScope(*m_session), liveness::scopeOf(liveness::decidingIpu(*m_session)));
    const auto tile = std::find_if(m_liveness.scopes.begin(), m_liveness.scopes.end(),
                                   [](const std::string& scope) { return scope.starts_with("tile."); });
    QVERIFY(tile != m_liveness.scopes.end());
    const tests::TinyReport full;
    tests::tamper(full.path(), "INSERT OR REPLACE INTO tile_series SELECT 'memory.overflow', unit, 1000, 1000, " +
                                   tile->substr(5) + ", tiles, by_tile FROM tile_series WHERE name = 'memory.total'");
    QCOMPARE(liveness::decidingScope(*Session::open(full.path().string())), *tile);
  }
  void ipuCurvesSumToAll() {
    QCOMPARE(m_liveness.scopes.front(), std::string("all"));
    const auto a = liveness::curve(*m_session, "ipu.0"), b = liveness::curve(*m_session, "ipu.1");
    QCOMPARE(a.capacity + b.capacity, m_liveness.curve.capacity);
    for (std::size_t i = 0; i < a.notAlwaysLive.size(); ++i)
      QCOMPARE(a.notAlwaysLive[i] + b.notAlwaysLive[i], m_liveness.curve.notAlwaysLive[i]);
  }
  void differencesAccountForTheChange() {
    const auto& values = m_liveness.curve.notAlwaysLive;
    for (std::size_t i = 1; i < values.size(); ++i) {
      Bytes change;
      for (const auto& d :
           liveness::difference(liveness::liveAt(*m_session, int64_t(i) - 1), liveness::liveAt(*m_session, int64_t(i))))
        change += d.difference();
      QCOMPARE(change, values[i] - values[i - 1]);
    }
    const auto third = liveness::liveAt(*m_session, 3);
    QVERIFY(liveness::difference(third, third).empty());
    // The difference of an IPU counts only changes on its tiles.
    const auto bytes = liveness::scopeBytes(*m_session, "ipu.1");
    const liveness::Curve curve = liveness::curve(*m_session, "ipu.1");
    Bytes change;
    for (const auto& d : liveness::difference(liveness::liveAt(*m_session, 0, bytes), liveness::liveAt(*m_session, 5, bytes)))
      change += d.difference();
    QCOMPARE(change, curve.notAlwaysLive[5] - curve.notAlwaysLive[0]);
    QCOMPARE(liveness::tilesOfScope(m_session->machine(), "ipu.1").front(),
             TileId(std::size_t(m_session->machine().tilesPerIpu)));
    QCOMPARE(liveness::tilesOfScope(m_session->machine(), "tile.3"), std::vector<TileId>{TileId(3)});
    QVERIFY(liveness::tilesOfScope(m_session->machine(), "all").empty());
  }
  void lifetimesCoverTheCurve() {
    std::vector<Bytes> sum(m_liveness.curve.notAlwaysLive.size());
    for (const auto& life : liveness::lifetimes(*m_session, 1000))
      for (const auto& interval : life.intervals)
        for (int64_t step = interval.begin; step < interval.end; ++step) sum[std::size_t(step)] += life.variable.bytes;
    QCOMPARE(sum, m_liveness.curve.notAlwaysLive);
    QCOMPARE(liveness::lifetimes(*m_session, 2).size(), std::size_t(2));
  }
  void anUnknownScopeIsEmpty() { QVERIFY(liveness::curve(*m_session, "ipu.99").notAlwaysLive.empty()); }

private:
  tests::TinyReport m_report;
  std::shared_ptr<Session> m_session;
  liveness::Liveness m_liveness;
};

TILESCOPE_TEST(LivenessTest)
#include "liveness_test.moc"
