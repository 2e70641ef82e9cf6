// The host part of a report has the events of the simulator and its threads, and each run of the device has a host slice.
#include "reports/recording/tilescope_trace.h"
#include "simcore/run/reported_engine.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <atomic>
#include <set>
#include <thread>

using namespace simcore;
using namespace simcore::graph;
using tests::HostWorld;

class HostTimelineTest : public QObject {
  Q_OBJECT
private slots:
  void runsAreLinkedToTheirHostSlices() {
    HostWorld w;
    run::Workload load;
    load.name = "host";
    load.graph = w.graph;
    w.main.add(program::copy(w.variable(ElementType::Float, {64}, "from", 1), w.variable(ElementType::Float, {64}, "to", 2)));
    load.programs = {{"main", w.main.program()}};
    tests::RowCollector rows;
    reports::NoProgress quiet;
    {
      run::HostTimeline timeline("host");
      run::ReportedEngine reported(load, {}, rows, timeline, {}, quiet);
      reported.engine().run(0, "first");
      reported.engine().disableExecutionProfiling();
      reported.engine().run(0, "not recorded");
      reported.engine().enableExecutionProfiling();
      std::thread([] {
        static const tilescope_trace::Channel channel("own");
        tilescope_trace::nameThread("helper");
        const tilescope_trace::Scope scope(channel, "beside");
      }).join();
      reported.engine().run(0, "second");
      reported.finish();
    }
    QVERIFY(!tilescope_trace::isRecording());
    const auto& links = rows.rows<reports::RunLinkRow>();
    const auto& runs = rows.rows<reports::RunRow>();
    QCOMPARE(links.size(), std::size_t(2));
    QCOMPARE(runs.size(), std::size_t(2));
    for (std::size_t i = 0; i < 2; ++i) {
      QCOMPARE(links[i].runId, runs[i].id);
      QCOMPARE(links[i].depth, int64_t(0));
      QVERIFY(links[i].startTick < links[i].endTick);
    }
    QVERIFY(links[0].endTick <= links[1].startTick);
    QVERIFY(links[1].slice >= links[0].slice + 2); // the run that was not recorded lies between
    std::set<std::string> threads, channels;
    for (const auto& row : rows.rows<reports::HostThreadRow>()) threads.insert(row.name);
    for (const auto& row : rows.rows<reports::ChannelRow>()) channels.insert(row.name);
    QVERIFY(threads.count("main") && threads.count("helper"));
    QVERIFY(channels.count("engine") && channels.count("compile") && channels.count("own"));
    QVERIFY(rows.rows<reports::HostProcessRow>().at(0).startUnixNanoseconds.value_or(0) > 0);
  }

  // Sessions of two threads share a recording, which begins and ends while the other one reads it.
  void timelinesOfTwoThreads() {
    std::atomic<int> written{0}, failed{0};
    const auto work = [&] {
      for (int i = 0; i < 100; ++i) {
        try {
          run::HostTimeline timeline("session");
          timeline.span("work", "engine");
          tests::RowCollector rows;
          timeline.writeTo(
              rows, [](const std::string&) { return int64_t(0); }, 0);
          written += rows.rows<reports::HostProcessRow>().size() == 1;
        } catch (const reports::Error&) {
          ++failed;
        }
      }
    };
    std::thread other(work);
    work();
    other.join();
    QCOMPARE(failed.load(), 0);
    QCOMPARE(written.load(), 200);
    QVERIFY(!tilescope_trace::isRecording());
  }
};

TILESCOPE_TEST(HostTimelineTest)
#include "host_timeline_test.moc"
