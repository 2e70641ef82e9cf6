// The data of the difference views: a report does not differ from itself, and swapped reports give the opposite sign.
#include "analyser/compare/host_difference.h"
#include "analyser/compare/insights_difference.h"
#include "analyser/compare/liveness_difference.h"
#include "analyser/compare/memory_difference.h"
#include "tests/support/error_text.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace analyser;
using namespace analyser::compare;

class ViewDifferencesTest : public QObject {
  Q_OBJECT

  const tests::TinyReport m_one{{.ipus = 1, .tilesPerIpu = 8, .operations = 3}},
      m_two{{.ipus = 2, .tilesPerIpu = 8, .operations = 5, .scale = 4}};
  std::shared_ptr<Session> m_a, m_b;

private slots:
  void initTestCase() {
    m_a = Session::open(m_one.path().string());
    m_b = Session::open(m_two.path().string());
  }

  void nothingDiffersFromItself() {
    const std::vector<TileId> some{TileId(1), TileId(5)};
    for (const auto& tiles : {std::vector<TileId>{}, some}) {
      QVERIFY(variablesDifference(*m_a, *m_a, tiles).empty());
    }
    for (const auto& label : hostDifference(*m_a, *m_a).labels) QCOMPARE(label.difference(), int64_t(0));
    for (const auto& d : insightsDifference(*m_a, *m_a).list) QVERIFY(d.presence == Presence::Both && d.change.value_or(0) == 0);
  }

  void onlyTilesOfOneMachineHoldNothingInTheOther() {
    for (const auto& v : variablesDifference(*m_a, *m_b, std::vector<TileId>{TileId(12)}))
      QCOMPARE(v.presence, Presence::OtherOnly);
  }

  // The differing variables explain the difference of the tiles; vertex code and similar parts count as variables, too.
  void variablesOfTilesMirror() {
    const std::vector<TileId> tiles{TileId(0), TileId(3)};
    const auto there = variablesDifference(*m_a, *m_b, tiles), back = variablesDifference(*m_b, *m_a, tiles);
    QVERIFY(!there.empty());
    QCOMPARE(there.size(), back.size());
    Bytes sum, mirrored;
    for (const auto& v : there) sum += v.bytes();
    for (const auto& v : back) mirrored += v.bytes();
    QCOMPARE(sum, Bytes() - mirrored);
    QVERIFY(std::is_sorted(there.begin(), there.end(), [](const auto& x, const auto& y) {
      return std::abs(x.bytes().value()) > std::abs(y.bytes().value());
    }));
  }

  void stepsPairByNameAndNumber() {
    const auto a = liveness::liveness(*m_a), b = liveness::liveness(*m_b);
    int paired = 0;
    for (int64_t step = 0; step < int64_t(a.steps.size()); ++step) {
      const auto match = matchingStep(a, step, b);
      if (!match) continue;
      ++paired;
      QCOMPARE(b.steps[std::size_t(*match)].name, a.steps[std::size_t(step)].name);
      QCOMPARE(matchingStep(b, *match, a).value_or(-1), step); // and back
    }
    QVERIFY(paired > 3);
    QVERIFY(!matchingStep(a, -1, b) && !matchingStep(a, int64_t(a.steps.size()), b));
  }

  void labelsOfTheHostMirror() {
    const auto there = hostDifference(*m_a, *m_b), back = hostDifference(*m_b, *m_a);
    QVERIFY(!there.labels.empty());
    QCOMPARE(there.labels.size(), back.labels.size());
    for (const auto& l : there.labels)
      QVERIFY(std::any_of(back.labels.begin(), back.labels.end(), [&](const auto& m) {
        return m.label == l.label && m.channel == l.channel && m.difference() == -l.difference();
      }));
    QVERIFY(!there.verdict.empty());
  }

  void findingsAreNewGoneOrBoth() {
    const auto there = insightsDifference(*m_a, *m_b), back = insightsDifference(*m_b, *m_a);
    const auto count = [](const InsightsDifference& d, Presence p) {
      return std::count_if(d.list.begin(), d.list.end(), [p](const auto& i) { return i.presence == p; });
    };
    QCOMPARE(count(there, Presence::OtherOnly), count(back, Presence::BaseOnly));
    QCOMPARE(count(there, Presence::BaseOnly), count(back, Presence::OtherOnly));
    QCOMPARE(std::size_t(count(there, Presence::BaseOnly) + count(there, Presence::Both)), insights::insights(*m_a).list.size());
    QCOMPARE(std::size_t(count(there, Presence::OtherOnly) + count(there, Presence::Both)), insights::insights(*m_b).list.size());
  }
  // The change is in cycles, not in shares, because the runs differ in length.
  void aFindingCostsWhatItTakes() {
    const tests::TinyReport one{{.ipus = 1, .tilesPerIpu = 8, .operations = 3}},
        doubled{{.ipus = 1, .tilesPerIpu = 8, .operations = 3, .scale = 2}};
    for (const double samples : {0.0, 2.0}) { // samples of the second report per sample of the first; 0: unknown
      if (samples > 0) {
        tests::tamper(one.path(), "INSERT INTO metadata (key, value) VALUES ('samples', '10')");
        tests::tamper(doubled.path(), "INSERT INTO metadata (key, value) VALUES ('samples', '20')");
      }
      const auto there = insightsDifference(*Session::open(one.path().string()), *Session::open(doubled.path().string()));
      bool any = false;
      for (const auto& d : there.list) {
        QCOMPARE(d.change.has_value(), d.presence == Presence::Both);
        if (d.presence != Presence::Both || d.base.savesMemory() || d.other.savesMemory()) continue;
        const double expected = double(d.other.cycles.value()) / double(d.base.cycles.value()) / std::max(1.0, samples) - 1;
        QVERIFY(std::abs(*d.change - expected) < 1e-9);
        any = true;
      }
      QVERIFY(any);
    }
  }
  // The same finding at another operation has moved: it is not a new finding plus a removed one.
  void aFindingAtAnotherPlaceHasMoved() {
    const tests::TinyReport renamed{{.ipus = 1, .tilesPerIpu = 8, .operations = 3}};
    tests::tamper(renamed.path(), "UPDATE operation SET name = replace(name, 'model/', 'net/old/')");
    const auto other = Session::open(renamed.path().string());
    const auto there = insightsDifference(*m_a, *other), back = insightsDifference(*other, *m_a);
    const auto moved = [](const InsightsDifference& d) {
      return std::count_if(d.list.begin(), d.list.end(), [](const auto& i) { return i.isMoved; });
    };
    QVERIFY(moved(there) > 0);
    QCOMPARE(moved(there), moved(back));
    for (const auto& d : there.list) {
      QVERIFY(d.presence == Presence::Both);
      QCOMPARE(d.base.rule, d.other.rule);
      QCOMPARE(d.base.what.parts().size(), d.other.what.parts().size());
      if (d.isMoved) QCOMPARE(d.base.where.substr(d.base.where.rfind('/')), d.other.where.substr(d.other.where.rfind('/')));
    }
    const tests::TinyReport copied{{.ipus = 1, .tilesPerIpu = 8, .operations = 3}}; // the same model from another file
    tests::tamper(copied.path(), "UPDATE operation SET name = replace(name, 'model/', 'new/')");
    QCOMPARE(moved(insightsDifference(*m_a, *Session::open(copied.path().string()))), moved(insightsDifference(*m_a, *m_a)));
    QVERIFY2(tests::has(there.verdict.text(), "moved to another place."), there.verdict.text().c_str());
  }
};

TILESCOPE_TEST(ViewDifferencesTest)
#include "view_differences_test.moc"
