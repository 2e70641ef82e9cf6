#include "analyser/host/counters.h"
#include "analyser/host/host_timeline.h"
#include "analyser/trace/call_tree.h"
#include "tests/support/called_tracks.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace analyser;
using host::HostTimeline;

class HostTimelineTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    m_session = Session::open(m_report.path().string());
    m_host = std::make_unique<HostTimeline>(*m_session);
  }
  void cleanupTestCase() { m_host.reset(); }

  void processesAndThreads() {
    QCOMPARE(m_host->processes().size(), std::size_t(1));
    QCOMPARE(m_host->processes()[0].threads.size(), std::size_t(2));
    QCOMPARE(m_host->processes()[0].threads[0].name, std::string("main"));
    QCOMPARE(m_host->processes()[0].threads[0].depths, 3);
    QCOMPARE(m_host->channel(0), std::string("compile"));
    QCOMPARE(m_host->channel(200), std::string("(no channel)"));
  }
  // Cut slices count apart: durations come from slices that are whole inside the range.
  void figuresOfARangeAgree() {
    const auto all = m_host->range();
    for (const int64_t end : {all.size() / 7, all.size() / 3, all.size()})
      for (const auto& label : m_host->statistics({all.begin, all.begin + end})) {
        QVERIFY2(label.min <= label.median && label.median <= label.p95 && label.p95 <= label.max, label.label.c_str());
        const auto parts = m_host->durations({all.begin, all.begin + end}, label.name, label.category, 1000);
        QCOMPARE(int64_t(parts.size()), label.whole());
        QVERIFY(label.cut >= 0 && label.cut <= label.count);
        QCOMPARE(parts.empty() ? 0 : *std::max_element(parts.begin(), parts.end()), label.max);
        QVERIFY(label.wholeSum <= label.sum && (label.cut > 0 || label.wholeSum == label.sum));
      }
  }
  void statisticsPerLabel() {
    const auto list = m_host->statistics(m_host->range());
    const auto find = [&](const std::string& label) {
      return *std::find_if(list.begin(), list.end(), [&](const auto& l) { return l.label == label; });
    };
    const auto compile = find("compile"), step = find("pass step");
    QCOMPARE(compile.count, int64_t(1));
    QCOMPARE(compile.total, int64_t(900'000));
    QCOMPARE(compile.self, int64_t(900'000 - 3 * 290'000)); // less its three passes
    QCOMPARE(step.count, int64_t(12));
    QCOMPARE(step.total, int64_t(12 * 60'000));
    QCOMPARE(step.self, step.total);
    QCOMPARE(step.channel, std::string("compile"));
    // Self times sum to the time that is covered by at least one slice.
    int64_t self = 0;
    for (const auto& l : list) self += l.self;
    QCOMPARE(self, int64_t(900'000 + 2'000'000 + 5 * 200'000));
  }
  void onlyTheTimeInsideTheRangeCounts() {
    const auto list = m_host->statistics({300'000, 600'000});
    QCOMPARE(list.size(), std::size_t(3)); // compile, its second pass and the steps of that
    QCOMPARE(list[0].label, std::string("compile"));
    QCOMPARE(list[0].total, int64_t(300'000)); // of 900'000
    QCOMPARE(list[0].cut, int64_t(1));
    QCOMPARE(list[0].whole(), int64_t(0)); // so it has no mean
    for (const auto& l : list) QVERIFY2(l.max <= 300'000, l.label.c_str());
  }
  void quantilesAreDurationsThatOccur() {
    for (const auto& l : m_host->statistics(m_host->range())) {
      QVERIFY(l.min <= l.median && l.median <= l.p95 && l.p95 <= l.max);
      if (l.min == l.max) QCOMPARE(l.p95, l.max);
    }
  }
  void instantsDetailsAndFlows() {
    const auto track = m_host->processes()[0].threads[0].track;
    QCOMPARE(m_host->processes()[0].threads[0].instants, int64_t(4));
    const auto all = m_host->instants(track, m_host->range(), 100);
    QCOMPARE(all.size(), std::size_t(4));
    QCOMPARE(m_host->instants(track, {1, 600'000}, 100).size(), std::size_t(1));
    QCOMPARE(m_host->instants(track, m_host->range(), 2).size(), std::size_t(2));
    QVERIFY(m_host->details(all[0].details).find("batch") != std::string::npos);
    QCOMPARE(m_host->details(-1), std::string());
    QCOMPARE(m_host->details(1 << 20), std::string());
    const auto stream = m_host->processes()[0].threads[1].track;
    const auto slices = m_host->slices().slices(stream, 0, m_host->range(), 10);
    QCOMPARE(slices[1].number, int64_t(1));
    QCOMPARE(m_host->flowsOf(stream, slices[0], 10).size(), std::size_t(1));
    QCOMPARE(m_host->flowsOf(stream, slices[1], 10).size(), std::size_t(1));
    QVERIFY(m_host->flowsOf(stream, slices[2], 10).empty());
  }
  // In a tree, the total of a node is the sum of its children and its self time; the roots sum to the covered time.
  void callTreeAddsUp() {
    const auto nodes = trace::callTree(m_host->slices(), tests::calledTracks(*m_host), m_host->range(), 1000);
    std::vector<int64_t> inside(nodes.size());
    int64_t roots = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      QVERIFY(nodes[i].parent < int(i));
      (nodes[i].parent < 0 ? roots : inside[std::size_t(nodes[i].parent)]) += nodes[i].total;
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) QCOMPARE(nodes[i].self + inside[i], nodes[i].total);
    QCOMPARE(roots, int64_t(900'000 + 2'000'000 + 5 * 200'000));
    QCOMPARE(trace::callTree(m_host->slices(), tests::calledTracks(*m_host), m_host->range(), 2).size(), std::size_t(2));
  }
  void countersKeepTheirExtremes() {
    const auto charts = host::counterCharts(*m_session);
    QCOMPARE(charts.size(), std::size_t(1));
    QCOMPARE(charts[0].name, std::string("resident memory"));
    const auto& series = charts[0].series[0];
    QCOMPARE(series.samples, int64_t(200));
    for (const int pixels : {1, 7, 50, 5000}) {
      const auto points = host::counterPoints(*m_session, series.id, m_host->range(), pixels);
      double low = points[0].min, high = points[0].max;
      for (const auto& p : points) low = std::min(low, p.min), high = std::max(high, p.max);
      QCOMPARE(low, series.min);
      QCOMPARE(high, series.max);
      QVERIFY(points.size() <= std::size_t(2 * pixels + 2));
    }
    // The first point is the value that holds when the range begins.
    const auto later = host::counterPoints(*m_session, series.id, {1'000'000, 1'001'000}, 100);
    QVERIFY(!later.empty() && later[0].ticks.begin < 1'000'000);
  }
  void verdictNamesTheLongest() {
    const auto verdict = m_host->verdict().text();
    QVERIFY2(verdict.find("Engine::run") != std::string::npos, verdict.c_str());
    QVERIFY2(verdict.find("2 threads") != std::string::npos, verdict.c_str());
  }

private:
  tests::TinyReport m_report;
  std::shared_ptr<Session> m_session;
  std::unique_ptr<HostTimeline> m_host;
};

TILESCOPE_TEST(HostTimelineTest)
#include "host_timeline_test.moc"
