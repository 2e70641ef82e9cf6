#include "analyser/host/host_timeline.h"
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
  void statisticsPerLabel() {
    const auto list = m_host->statistics(m_host->range());
    const auto find = [&](const std::string& label) {
      return *std::find_if(list.begin(), list.end(), [&](const auto& l) { return l.label == label; });
    };
    const auto compile = find("compile"), step = find("pass step");
    QCOMPARE(compile.count, int64_t(1));
    QCOMPARE(compile.total, Nanoseconds(900'000));
    QCOMPARE(compile.self, Nanoseconds(900'000 - 3 * 290'000)); // less its three passes
    QCOMPARE(step.count, int64_t(12));
    QCOMPARE(step.total, Nanoseconds(12 * 60'000));
    QCOMPARE(step.self, step.total);
    QCOMPARE(step.channel, std::string("compile"));
    // Self times sum to the time any slice covers.
    Nanoseconds self;
    for (const auto& l : list) self += l.self;
    QCOMPARE(self, Nanoseconds(900'000 + 2'000'000 + 5 * 200'000));
  }
  void onlyTheTimeInsideTheRangeCounts() {
    const auto list = m_host->statistics({300'000, 600'000});
    QCOMPARE(list.size(), std::size_t(3)); // compile, its second pass and the steps of that
    QCOMPARE(list[0].label, std::string("compile"));
    QCOMPARE(list[0].total, Nanoseconds(300'000)); // of 900'000
    for (const auto& l : list) QVERIFY2(l.max <= Nanoseconds(300'000), l.label.c_str());
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
