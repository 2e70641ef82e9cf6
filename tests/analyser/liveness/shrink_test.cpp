#include "analyser/liveness/shrink.h"

#include "reports/sqlite/reader.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace analyser;

class ShrinkTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { m_session = Session::open(m_report.path().string()); }

  // The curve counted from the tile's variables equals the curve that the report stores for its fullest tile.
  void curvesOfTilesAreThoseStored() {
    int compared = 0;
    for (const std::string& scope : liveness::scopes(*m_session)) {
      const auto stored = liveness::curve(*m_session, scope);
      std::vector<TileId> tiles;
      if (scope.starts_with("tile.")) tiles = {TileId(std::stoul(scope.substr(5)))};
      if (scope.starts_with("ipu."))
        for (std::size_t t = 0; t < 8; ++t) tiles.emplace_back(std::stoul(scope.substr(4)) * 8 + t);
      if (tiles.empty()) continue;
      const auto counted = liveness::curveOfTiles(*m_session, tiles, liveness::bytesOnTiles(*m_session, tiles));
      QCOMPARE(counted.notAlwaysLive, stored.notAlwaysLive);
      QCOMPARE(counted.alwaysLive, stored.alwaysLive);
      QCOMPARE(counted.peakStep, stored.peakStep);
      QCOMPARE(counted.capacity, stored.capacity);
      ++compared;
    }
    QVERIFY(compared >= 2);
  }
  void partsAreThePeak() {
    const auto curve = liveness::curve(*m_session, "all");
    const auto shrink = liveness::shrinkOf(*m_session, curve, {});
    Bytes always, atPeak;
    for (const auto& part : shrink.parts) {
      always += part.alwaysLive, atPeak += part.atPeak;
      QVERIFY(part.gain >= part.alwaysLive);
      QVERIFY(part.gain <= part.alwaysLive + part.atPeak);
    }
    QCOMPARE(always, curve.alwaysLive);
    QCOMPARE(atPeak, curve.peak);
    QCOMPARE(shrink.peak, curve.alwaysLive + curve.peak);
    QVERIFY2(shrink.verdict.text().starts_with("The peak of "), shrink.verdict.text().c_str());
  }
  // Removing one variable lowers the peak by exactly its gain.
  void gainsAreWhatTheCurveWouldBe() {
    const auto curve = liveness::curve(*m_session, "all");
    const auto at = liveness::liveAt(*m_session, curve.peakStep);
    const liveness::Gains gainsWithout(std::make_shared<const liveness::LifeIndex>(*m_session), curve);
    const auto gains = gainsWithout.of(at.notAlwaysLive);
    QCOMPARE(gains.size(), at.notAlwaysLive.size());
    const auto lives = liveness::lifetimes(*m_session, 100000);
    for (std::size_t i = 0; i < gains.size(); ++i) {
      auto rest = curve.notAlwaysLive;
      for (const auto& life : lives)
        if (life.variable.variable == at.notAlwaysLive[i].variable)
          for (const auto& interval : life.intervals)
            for (int64_t step = interval.begin; step < interval.end; ++step) rest[std::size_t(step)] -= life.variable.bytes;
      QCOMPARE(curve.peak - *std::max_element(rest.begin(), rest.end()), gains[i]);
    }
    const auto always = gainsWithout.of(at.alwaysLive);
    for (std::size_t i = 0; i < always.size(); ++i) QCOMPARE(always[i], at.alwaysLive[i].bytes);
  }
  void lifetimesOfAScopeAreOfItsTiles() {
    const auto bytes = liveness::scopeBytes(*m_session, "ipu.1");
    const auto lives = liveness::lifetimes(*m_session, 1000, bytes);
    std::vector<Bytes> sum(liveness::curve(*m_session, "ipu.1").notAlwaysLive.size());
    for (const auto& life : lives)
      for (const auto& interval : life.intervals)
        for (int64_t step = interval.begin; step < interval.end; ++step) sum[std::size_t(step)] += life.variable.bytes;
    QCOMPARE(sum, liveness::curve(*m_session, "ipu.1").notAlwaysLive);
    QCOMPARE(liveness::lifetimes(*m_session, 2, bytes).size(), std::size_t(2));
  }
  // A variable is written first at the step where its life begins and read last where it ends.
  void aStepBeginsAndEndsLives() {
    for (const auto& life : liveness::lifetimes(*m_session, 1000))
      for (const auto& interval : life.intervals)
        for (const int64_t step : {interval.begin, interval.end - 1}) {
          const auto at = liveness::liveAt(*m_session, step);
          const auto v = std::find_if(at.notAlwaysLive.begin(), at.notAlwaysLive.end(),
                                      [&](const auto& x) { return x.variable == life.variable.variable; });
          QVERIFY(v != at.notAlwaysLive.end());
          QVERIFY(v->live == interval);
        }
  }

private:
  tests::TinyReport m_report{{.ipus = 2, .tilesPerIpu = 8, .operations = 6}};
  std::shared_ptr<Session> m_session;
};

TILESCOPE_TEST(ShrinkTest)
#include "shrink_test.moc"
