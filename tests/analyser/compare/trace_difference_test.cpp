#include "analyser/compare/trace_difference.h"

#include "analyser/session/session.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <map>

using namespace analyser;
using namespace analyser::compare;

class TraceDifferenceTest : public QObject {
  Q_OBJECT

  const tests::TinyReport m_base{{.ipus = 1, .tilesPerIpu = 8, .operations = 3}},
      m_scaled{{.ipus = 1, .tilesPerIpu = 8, .operations = 3, .scale = 3}},
      m_longer{{.ipus = 1, .tilesPerIpu = 8, .operations = 4}};

  // Each report with its slices.
  struct Opened {
    explicit Opened(const tests::TinyReport& report) : session(Session::open(report.path().string())), slices(*session, "ipu") {}
    std::shared_ptr<Session> session;
    trace::Slices slices;
  };

private slots:
  void nothingGotSlowerThanItself() {
    Opened a(m_base), b(m_base);
    QVERIFY(slowerSteps(a.slices, b.slices).empty());
  }

  void growthIsThatOfTheSlicesLargestFirst() {
    Opened a(m_base), b(m_scaled);
    const auto steps = slowerSteps(a.slices, b.slices);
    QVERIFY(!steps.empty());
    std::map<std::string, int64_t> before, after; // every step by name, counted here by itself
    for (auto [opened, ticks] : {std::pair{&a, &before}, {&b, &after}})
      for (const trace::Track& track : opened->slices.tracks())
        for (int depth = 0; depth < track.depths; ++depth)
          opened->slices.forEach(track.id, depth, opened->slices.range(), {}, [&](const trace::Slice& slice) {
            if (slice.category != uint8_t(reports::Activity::Scope))
              (*ticks)[opened->session->text(slice.name)] += slice.duration();
          });
    std::size_t grown = 0;
    for (const auto& [name, ticks] : after) grown += ticks > before[name];
    QCOMPARE(steps.size(), grown);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      QCOMPARE(steps[i].base, before[steps[i].name]);
      QCOMPARE(steps[i].other, after[steps[i].name]);
      if (i > 0) QVERIFY(steps[i - 1].difference() >= steps[i].difference());
      const auto& place = steps[i].inOther;
      const auto slice = b.slices.sliceAt(place.track, place.depth, place.ticks.begin);
      QVERIFY(slice && slice->ticks.begin == place.ticks.begin && slice->ticks.end == place.ticks.end);
      QCOMPARE(b.session->text(slice->name), steps[i].name);
    }
  }

  // The k-th executions of both reports are compared; the location shown is that of the execution that grew most.
  void thePlaceIsTheExecutionThatGrewMost() {
    Opened a(m_base), b(m_scaled);
    const auto durations = [](Opened& opened) {
      std::map<std::string, std::vector<trace::Slice>> all;
      for (const trace::Track& track : opened.slices.tracks())
        for (int depth = 0; depth < track.depths; ++depth)
          opened.slices.forEach(track.id, depth, opened.slices.range(), {},
                                [&](const trace::Slice& s) { all[opened.session->text(s.name)].push_back(s); });
      return all;
    };
    const auto before = durations(a), after = durations(b);
    int later = 0; // steps whose first execution did not grow most
    for (const auto& step : slowerSteps(a.slices, b.slices)) {
      const auto& x = before.at(step.name);
      const auto& y = after.at(step.name);
      int64_t most = 0;
      for (std::size_t k = 0; k < y.size(); ++k) most = std::max(most, y[k].duration() - (k < x.size() ? x[k].duration() : 0));
      QCOMPARE(step.inOther.ticks.size() - step.inBase.ticks.size(), most);
      later += step.inOther.ticks.begin != y.front().ticks.begin;
    }
    QVERIFY(later > 0);
  }

  void aStepOfTheOtherAloneIsNew() {
    Opened a(m_base), b(m_longer);
    bool hasNew = false;
    for (const auto& step : slowerSteps(a.slices, b.slices)) {
      QCOMPARE(step.isNew(), step.base == 0);
      hasNew = hasNew || step.isNew();
    }
    QVERIFY(hasNew);
  }
};

TILESCOPE_TEST(TraceDifferenceTest)
#include "trace_difference_test.moc"
