// Perfetto traces written for the test with the public schema's field numbers: events that stay separate, fields that are kept.
#include "tests/reports/exchange/perfetto_packets.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>

using namespace reports;
using namespace reports::exchange;
using nlohmann::json;
using tests::Imported;
using namespace tests::perfetto;
using Lines = std::vector<std::string>;

class PerfettoEventsTest : public QObject {
  Q_OBJECT
private slots:
  // Sums start again when a writer's state is cleared, and each writer has its own.
  void incrementalCounters() {
    Packets p;
    const auto counter = [&](uint32_t sequence, bool clears) {
      p.sequence = sequence;
      p.add(0, {{13, clears ? 1 : 0}, {60, message({{1, 10}, {2, "n"}, {8, message({{4, 1000}, {5, 1}})}})}});
    };
    counter(1, true), counter(2, true);
    p.sequence = 1, p.event(10, kCounterEvent, {{11, 10}, {30, 100}});
    p.sequence = 2, p.event(20, kCounterEvent, {{11, 10}, {30, 50}});
    p.sequence = 1, p.event(30, kCounterEvent, {{11, 10}, {30, 10}});
    counter(1, true);
    p.event(40, kCounterEvent, {{11, 10}, {30, 7}});
    QCOMPARE(counters(p.import())["host/n"], (std::vector<double>{100000, 50000, 110000, 7000}));
  }
  // The same name on two threads, or on two tracks, gives two series.
  void countersAreOfTheirTrack() {
    Packets p;
    p.thread(2, 5, 6, "loader 0").thread(3, 5, 7, "loader 1");
    const std::string descriptor = message({{3, 2}});
    for (const int uuid : {12, 13, 14, 15})
      p.describe({{1, uuid}, {5, uuid < 14 ? uuid - 10 : 0}, {2, "depth"}, {8, descriptor}})
          .event(100, kCounterEvent, {{11, uuid}, {30, uuid}});
    const auto all = counters(p.import());
    QCOMPARE(all.size(), std::size_t(4));
    QCOMPARE(all.at("process 5/loader 0 > depth"), std::vector<double>{12});
    QCOMPARE(all.at("process 5/loader 1 > depth"), std::vector<double>{13});
    QCOMPARE(all.at("host/depth (2)"), std::vector<double>{15});
  }
  void arrowsEndAtInstants() {
    Packets p;
    p.thread(1, 5, 6, "A").thread(2, 5, 7, "B");
    p.slice(100, 200, {{11, 1}, {23, "send"}, {36, 9}}).event(250, kInstantEvent, {{11, 2}, {23, "other"}});
    p.event(300, kInstantEvent, {{11, 2}, {23, "received"}, {42, 9}}).event(50, kInstantEvent, {{11, 2}, {23, "early"}});
    const Imported trace = p.import();
    const auto flows = decodeFlows(trace.rows.rows<FlowChunkRow>().at(0));
    QCOMPARE(flows.size(), std::size_t(1));
    QVERIFY(flows[0].from == (SlicePlace{0, 0, 0, false}));
    QVERIFY(flows[0].to == (SlicePlace{1, 0, 2, true})); // the third in order of time
    QCOMPARE(trace.counts().flows, int64_t(1));
  }
  // An arrow's end binds to the slice of its own event, even if another slice has the same begin and end.
  void arrowsBindToTheirSlice() {
    Packets p;
    p.thread(1, 5, 6, "A");
    p.event(100, kBeginEvent, {{11, 1}, {23, "outer"}, {36, 9}}).event(100, kBeginEvent, {{11, 1}, {23, "inner"}, {42, 9}});
    p.event(200, kEndEvent, {{11, 1}}).event(200, kEndEvent, {{11, 1}});
    const auto flows = decodeFlows(p.import().rows.rows<FlowChunkRow>().at(0));
    QVERIFY(flows.at(0).from == (SlicePlace{0, 0, 0}));
    QVERIFY(flows.at(0).to == (SlicePlace{0, 1, 0}));
  }
  void flowsOfBindIds() {
    Packets p;
    p.thread(1, 1, 1, "a").thread(2, 2, 2, "b");
    const auto bound = [](const char* name, int track, int direction) {
      return std::vector<Field>{{11, track}, {23, name}, {6, message({{2, int('X')}, {3, 10}, {8, 1}, {13, direction}})}};
    };
    for (const auto& [time, name, track, direction] : {std::tuple(10000, "out", 1, 2), std::tuple(30000, "in", 2, 1),
                                                       std::tuple(50000, "both", 1, 3), std::tuple(70000, "last", 2, 1)})
      p.add(time, {Field(11, message(bound(name, track, direction)))});
    const Imported trace = p.import();
    std::set<std::tuple<int64_t, int64_t, int64_t>> arrows; // track, slice, slice it reaches
    for (const Flow& f : decodeFlows(trace.rows.rows<FlowChunkRow>().at(0)))
      arrows.insert({f.from.track, f.from.slice, f.to.slice});
    QVERIFY(arrows == (std::set<std::tuple<int64_t, int64_t, int64_t>>{{0, 0, 0}, {0, 0, 1}, {0, 1, 1}}));
    QCOMPARE(trace.mended(Mend::FlowsWithoutEnd), int64_t(0));
  }
  // Ids of asynchronous work are unique only within a process and a category.
  void asynchronousIds() {
    Packets p;
    p.thread(1, 10, 10, "a").thread(2, 20, 20, "b");
    const auto async = [&](int64_t time, int track, const char* category, const char* name, char phase) {
      p.add(time, {Field(11, message({{11, track}, {22, category}, {23, name}, {6, message({{2, int(phase)}, {10, 1}})}}))});
    };
    async(1000, 1, "net", "load", 'b'), async(2000, 2, "disk", "write", 'b');
    async(3000, 1, "net", "load", 'e'), async(9000, 2, "disk", "write", 'e');
    const Imported trace = p.import();
    QCOMPARE(shown(trace), (Lines{"process 10/load: load 0+2000", "process 20/write: write 1000+7000"}));
    QCOMPARE(trace.rows.rows<ChannelRow>().size(), std::size_t(2)); // net, disk
  }
  void fieldsAreDetails() {
    Packets p;
    p.thread(1, 5, 6, "A");
    const std::string interned =
        message({{4, message({{1, 1}, {2, "foo.cc"}, {3, "Foo"}, {4, 12}})}, {20, message({{1, 1}, {2, "disk full"}})}});
    p.add(100, {Field(12, interned),
                Field(11, message({{9, 1}, {11, 1}, {23, "log"}, {21, message({{1, 1}, {2, 1}, {3, 5}})}, {17, 10}}))});
    p.event(200, kEndEvent, {{11, 1}, {17, 15}, {99, "x"}});
    const std::string stack = message({{1, message({{1, "main"}})}, {1, message({{1, "leaf"}, {2, "leaf.cc"}, {3, 42}})}});
    p.slice(300, 400, {{11, 1}, {23, "stack"}, {55, stack}, {53, "id 7"}});
    const Imported trace = p.import();
    QVERIFY(detailsOfSlice(trace, "log") ==
            json::parse(R"({"source":{"file":"foo.cc","function":"Foo","line":12},"message":"disk full",
                                                          "priority":"warning","thread_start_ns":10000,"thread_duration_ns":5000})"));
    QVERIFY(detailsOfSlice(trace, "stack") == json::parse(R"x({"stack":["main","leaf (leaf.cc:42)"],"correlation_id":"id 7"})x"));
    QCOMPARE(trace.mended(Mend::EventFieldsNotShown), int64_t(1));
    QVERIFY(issues(trace).find("track_event field 99 (1)") != std::string::npos);
  }
  void parentsAreShownInTheirOrder() {
    Packets p;
    p.describe({{1, 1}, {3, message({{1, 5}, {6, "server"}})}});
    for (const int device : {0, 1}) {
      const int parent = 10 + 10 * device;
      p.describe({{1, parent}, {5, 1}, {2, "device " + std::to_string(device)}, {11, 3}});
      p.describe({{1, parent + 1}, {5, parent}, {2, "compute"}, {12, 2}})
          .describe({{1, parent + 2}, {5, parent}, {2, "copy"}, {12, 1}});
      p.slice(100, 200, {{11, parent + 1}, {23, "matmul"}}).slice(300, 400, {{11, parent + 2}, {23, "h2d"}});
    }
    QCOMPARE(shown(p.import()), (Lines{"server/device 0 > copy: h2d 200+100", "server/device 0 > compute: matmul 0+100",
                                       "server/device 1 > copy: h2d 200+100", "server/device 1 > compute: matmul 0+100"}));
  }
  // A cycle of parents does not hang the import.
  void parentsInACircle() {
    Packets p;
    p.describe({{1, 1}, {5, 2}, {2, "a"}}).describe({{1, 2}, {5, 1}, {2, "b"}}).slice(1, 2, {{11, 1}, {23, "x"}});
    QCOMPARE(p.import().counts().slices, int64_t(1));
  }
  void machinesAndLivesOfPidsStayApart() {
    Packets p;
    p.thread(2, 5, 5, "main").slice(100, 200, {{11, 2}, {23, "on host"}});
    p.sequence = 9, p.machine = 4000000000u;
    p.describe({{1, 3}, {3, message({{1, 5}, {6, "init"}})}})
        .thread(2, 5, 5, "guest main")
        .slice(150, 900, {{11, 2}, {23, "in guest"}});
    p.machine = 0;
    for (const int start : {1000, 2000})
      p.describe({{1, start}, {3, message({{1, 60}, {6, start == 1000 ? "cargo" : "api"}, {7, start}})}})
          .slice(start, start + 10, {{11, start}, {23, "own"}});
    const Imported trace = p.import();
    QCOMPARE(shown(trace), (Lines{"process 5/main: on host 0+100", "init (machine 4000000000)/guest main: in guest 50+750",
                                  "cargo/cargo: own 900+10", "api/api: own 1900+10"}));
    std::vector<int64_t> pids;
    for (const auto& row : trace.rows.rows<HostProcessRow>()) pids.push_back(row.pid.value_or(-1));
    QCOMPARE(pids, (std::vector<int64_t>{5, 5, 60, 60}));
    QCOMPARE(trace.mended(Mend::PidsUsedAgain), int64_t(1));
  }
  // As in Perfetto: another track that describes the pid or tid with another name belongs to a later process or thread.
  void numbersDescribedAgain() {
    Packets p;
    p.thread(1, 5, 1, "t1").describe({{1, 10}, {3, message({{1, 5}, {6, "p1"}})}}).thread(3, 5, 1, "t3");
    p.describe({{1, 20}, {3, message({{1, 5}, {6, "p2"}})}}).thread(4, 5, 4, "t4").thread(1, 5, 1, "t1 again");
    for (const int track : {1, 3, 4, 10, 20})
      p.slice(100 * track, 100 * track + 10, {{11, track}, {23, "on " + std::to_string(track)}});
    std::vector<std::string> lines = shown(p.import());
    std::sort(lines.begin(), lines.end());
    QCOMPARE(lines, (Lines{"p1/p1: on 10 900+10", "p1/t1 again: on 1 0+10", "p1/t3: on 3 200+10", "p2/p2: on 20 1900+10",
                           "p2/t4: on 4 300+10"}));
  }
  void states() {
    Packets p;
    p.describe({{1, 1}, {2, "power"}, {18, ""}}).describe({{1, 2}, {2, "plain"}});
    p.event(1000, kStateEvent, {{11, 1}, {23, "active"}}).event(3000, kStateEvent, {{11, 1}, {23, "idle"}});
    p.event(4000, kStateEvent, {{11, 1}}).event(5000, kStateEvent, {{11, 2}, {23, "no state track"}});
    const Imported trace = p.import();
    QCOMPARE(shown(trace), (Lines{"host/power: active 0+2000", "host/power: idle 2000+1000"}));
    QCOMPARE(trace.mended(Mend::EventsOfUnknownKind), int64_t(1));
  }
  void arrowsOfStates() {
    Packets p;
    p.describe({{1, 1}, {2, "power"}, {18, ""}}).describe({{1, 2}, {2, "gpu"}});
    p.event(100, kStateEvent, {{11, 1}, {23, "on"}}).event(200, kStateEvent, {{11, 1}, {23, "off"}, {36, 5}});
    p.event(300, kInstantEvent, {{11, 2}, {23, "asleep"}, {42, 5}});
    p.slice(320, 330, {{11, 2}, {23, "wake"}, {36, 6}}).event(400, kStateEvent, {{11, 1}, {42, 6}});
    p.slice(500, 510, {{11, 2}, {23, "again"}, {36, 7}}).event(600, kStateEvent, {{11, 1}, {23, "on"}, {42, 7}});
    const Imported trace = p.import();
    const auto flows = decodeFlows(trace.rows.rows<FlowChunkRow>().at(0));
    QCOMPARE(flows.size(), std::size_t(3));
    const auto isArrow = [&](const SlicePlace& from, const SlicePlace& to) {
      return std::any_of(flows.begin(), flows.end(), [&](const Flow& f) { return f.from == from && f.to == to; });
    };
    QVERIFY(isArrow({0, 0, 1}, {1, 0, 0, true})); // off, asleep
    QVERIFY(isArrow({1, 0, 0}, {0, 0, 1}));       // wake, the end of off
    QVERIFY(isArrow({1, 0, 1}, {0, 0, 2}));       // again, on
    QCOMPARE(trace.mended(Mend::FlowsWithoutEnd) + trace.mended(Mend::FlowsWithoutSlice), int64_t(0));
  }
  // An event without a track belongs to the thread that its writer described; two writers never share a row.
  void eventsWithoutATrack() {
    Packets p;
    for (const int writer : {1, 2})
      p.sequence = uint32_t(writer), p.thread(uint64_t(writer), 5, 5 + writer, "t" + std::to_string(writer));
    p.sequence = 1, p.event(100, kBeginEvent, {{23, "a"}});
    p.sequence = 2, p.event(150, kBeginEvent, {{23, "b"}});
    p.sequence = 1, p.event(200, kEndEvent, {});
    p.sequence = 2, p.event(900, kEndEvent, {});
    p.sequence = 3, p.event(100, kBeginEvent, {{23, "c"}});
    p.sequence = 4, p.event(300, kEndEvent, {});
    const Imported trace = p.import();
    QCOMPARE(shown(trace), (Lines{"process 5/t1: a 0+100", "process 5/t2: b 50+750", "host/default track of writer 4: c 0+800"}));
    QCOMPARE(trace.mended(Mend::UnmatchedEnds), int64_t(1));
  }
  void descriptorsMayComeLater() {
    Packets p;
    p.slice(100, 200, {{11, 1}, {23, "a"}}).event(150, kCounterEvent, {{11, 2}, {30, 3}});
    p.sequence = 2;
    p.thread(1, 5, 6, "worker")
        .describe({{1, 2}, {5, 1}, {2, "n"}, {8, message({{4, 10}, {6, "W"}})}})
        .slice(300, 400, {{11, 1}, {23, "b"}});
    const Imported trace = p.import();
    QCOMPARE(shown(trace), (Lines{"process 5/worker: a 0+100", "process 5/worker: b 200+100"}));
    QCOMPARE(counters(trace).at("process 5/worker > n"), std::vector<double>{30});
  }
  void timesInMicroseconds() {
    Packets p;
    p.add({}, {Field(44, message({{1, 5}, {2, 6}, {5, "worker"}, {6, 1000}, {7, 500}}))});
    p.add({}, {Field(11, message({{1, 10}, {9, 1}, {23, "a"}, {2, 3}}))})
        .add({}, {Field(11, message({{1, 20}, {9, 2}, {2, 4}}))});
    p.add({}, {Field(11, message({{16, 1100}, {9, 1}, {23, "b"}}))}).add({}, {Field(11, message({{16, 1200}, {9, 2}}))});
    p.add({}, {Field(11, message({{9, 3}, {23, "no time"}}))});
    const Imported trace = p.import();
    QCOMPARE(shown(trace), (Lines{"process 5/worker: a 0+20000", "process 5/worker: b 90000+100000"}));
    QVERIFY(detailsOfSlice(trace, "a") == json::parse(R"({"thread_start_ns":503000,"thread_duration_ns":4000})"));
    QCOMPARE(trace.mended(Mend::EventsWithoutTime), int64_t(1));
    QCOMPARE(trace.counts().durationNanoseconds, int64_t(190000));
  }
  // Times of another clock before the first snapshot wait for it.
  void clocksThatAreRelatedLater() {
    Packets p;
    p.add(5000, {{58, 3}, Field(60, message({{1, 1}, {4, message({{1, 5}, {2, 6}})}}))});
    p.add(5000, {{58, 3}, Field(11, message({{9, 1}, {11, 1}, {23, "a"}}))});
    p.sequence = 2;
    p.add({}, {Field(6, message({{1, message({{1, 6}, {2, 100000}})}, {1, message({{1, 3}, {2, 6000}})}}))});
    p.sequence = 1;
    p.add(7000, {{58, 3}, Field(11, message({{9, 2}, {11, 1}}))}).slice(102000, 103000, {{11, 1}, {23, "b"}});
    const Imported trace = p.import();
    QCOMPARE(shown(trace), (Lines{"process 5/thread 6: a 0+2000", "process 5/thread 6: b 3000+1000"}));
    QCOMPARE(trace.mended(Mend::UnknownClocks), int64_t(0));
  }
  // After a loss, events that need the lost state are left out until the state is cleared.
  void lossesOfState() {
    Packets p;
    const auto packet = [&](int64_t time, int flags, bool follows, const char* name) {
      p.add(time, {{13, flags}, {42, follows ? 1 : 0}, Field(11, message({{9, 3}, {23, name}}))});
    };
    packet(1, 2, false, "before"), packet(2, 1, false, "first"), packet(3, 2, false, "second"), packet(4, 2, true, "lost");
    packet(5, 2, false, "lost too"), packet(6, 0, false, "needs none"), packet(7, 3, false, "again");
    const Imported trace = p.import();
    QCOMPARE(trace.counts().instants, int64_t(4));
    QCOMPARE(trace.mended(Mend::PacketsWithoutState), int64_t(3));
    QCOMPARE(trace.mended(Mend::PacketsLost), int64_t(1));
  }
  void schedulingOfThreads() {
    Packets p;
    p.add({}, {Field(2, message({{1, message({{1, 100}, {3, "server"}})}, {2, message({{1, 101}, {3, 100}})}}))});
    const auto change = [](int64_t time, int from, int state, const char* to, int next) {
      return Field(
          2, message({{1, time}, {2, from}, {4, message({{1, "prev"}, {2, from}, {4, state}, {5, to}, {6, next}, {7, 120}})}}));
    };
    const Field waking(2, message({{1, 5000}, {2, 0}, {20, message({{1, "worker"}, {2, 101}})}}));
    const Field frequency(2, message({{1, 5200}, {2, 0}, {11, message({{1, 1800000}, {2, 3}})}}));
    const Field unknown(2, message({{1, 5300}, {2, 0}, {50, message({{1, 1}})}}));
    p.add({}, {Field(1, message({{1, 0},
                                 change(1000, 0, 0, "worker", 101),
                                 change(2000, 101, 2, "swapper", 0),
                                 waking,
                                 frequency,
                                 unknown,
                                 change(5100, 0, 0, "worker", 101),
                                 change(6000, 101, 1, "swapper", 0)}))});
    const Imported trace = p.import();
    QCOMPARE(shown(trace),
             (Lines{"server/states of worker: Running 0+1000", "server/states of worker: Uninterruptible sleep 1000+3000",
                    "server/states of worker: Runnable 4000+100", "server/states of worker: Running 4100+900",
                    "host/CPU 0: worker 0+1000", "host/CPU 0: worker 4100+900"}));
    QVERIFY(detailsOfSlice(trace, "worker") == json::parse(R"({"tid":101,"priority":120,"end_state":"D"})"));
    QCOMPARE(counters(trace).at("host/CPU 3 frequency"), std::vector<double>{1800000});
    QVERIFY(issues(trace).find("ftrace binder_transaction (1)") != std::string::npos);
  }
  // The kernel writes a bundle per CPU: a thread that moves is first seen on one CPU from start to end, then on the next one.
  void threadThatChangesItsCpuHasOneStateAtATime() {
    const Lines states{"process 100/states of worker: Running 0+1000",    "process 100/states of worker: Runnable 1000+500",
                       "process 100/states of worker: Running 1500+1500", "process 100/states of worker: Sleeping 3000+1000",
                       "process 100/states of worker: Runnable 4000+100", "process 100/states of worker: Running 4100+900"};
    const auto statesOf = [](const Packets& p) {
      Lines lines = shown(p.import());
      std::erase_if(lines, [](const std::string& line) { return line.find("states of worker") == std::string::npos; });
      return lines;
    };
    const auto withThread = [](Packets& p) {
      p.add({}, {Field(2, message({{1, message({{1, 100}})}, {2, message({{1, 101}, {2, "worker"}, {3, 100}})}}))});
    };
    Packets plain;
    withThread(plain);
    const auto change = [](int64_t time, int from, int state, int next) {
      return Field(2, message({{1, time}, {2, from}, {4, message({{2, from}, {4, state}, {6, next}})}}));
    };
    plain.add(
        {},
        {Field(
            1,
            message(
                {{1, 0}, change(1000, 0, 0, 101), change(2000, 101, 0, 0), change(5100, 0, 0, 101), change(6000, 101, 1, 0)}))});
    plain.add({}, {Field(1, message({{1, 1},
                                     change(2500, 0, 0, 101),
                                     change(4000, 101, 1, 0),
                                     Field(2, message({{1, 5000}, {2, 0}, {20, message({{2, 101}})}}))}))});
    QCOMPARE(statesOf(plain), states);
    // Compact switches: times are differences; the thread that leaves is the one that was on the CPU.
    Packets compact;
    withThread(compact);
    const auto switches = [](int cpu, const std::vector<std::array<int, 3>>& changes, std::optional<int> wakingTime) {
      std::vector<Field> all{{5, "worker"}};
      for (const auto& [time, state, next] : changes) {
        all.emplace_back(1, time), all.emplace_back(2, state), all.emplace_back(3, next);
        all.emplace_back(4, 120), all.emplace_back(6, next == 101 ? 0 : 1);
      }
      if (wakingTime) all.emplace_back(7, *wakingTime), all.emplace_back(8, 101);
      return Field(1, message({{1, cpu}, {4, message(all)}}));
    };
    compact.add({}, {switches(0, {{1000, 0, 101}, {1000, 0, 0}, {3100, 0, 101}, {900, 1, 0}}, {})});
    compact.add({}, {switches(1, {{2500, 0, 101}, {1500, 1, 0}}, 5000)});
    QCOMPARE(statesOf(compact), states);
  }
  void systemNumbers() {
    Packets p;
    p.add(100, {Field(7, message({{1, message({{1, 2}, {2, 1024}})}, {11, 1800000}, {11, 900000}}))});
    p.add(200, {Field(9, message({{1, message({{1, 7}, {3, 2048}})}}))});
    p.add(300, {Field(52, message({{1, message({{1, message({{1, 1}, {2, "clock"}})}})}, {2, message({{1, 1}, {2, 5}})}}))});
    p.add(400, {Field(24 + 29, message({{2, 50}, {11, 1}, {17, "draw"}, {3, 2}, {10, 9}}))});
    const Imported trace = p.import();
    const auto all = counters(trace);
    QCOMPARE(all.at("host/memory free"), std::vector<double>{1024});
    QCOMPARE(all.at("host/CPU 1 frequency"), std::vector<double>{900000});
    QCOMPARE(all.at("process 7/RSS"), std::vector<double>{2048});
    QCOMPARE(all.at("host/GPU 0 clock"), std::vector<double>{5});
    QCOMPARE(shown(trace), (Lines{"host/GPU 1 > queue 2: draw 300+50"}));
    QVERIFY(detailsOfSlice(trace, "draw") == json::parse(R"({"submission_id":9})"));
  }
  // From the kernel's events: in the series of the polled sizes, by process.
  void memoryOfProcesses() {
    Packets p;
    p.add({}, {Field(2, message({{1, message({{1, 10}, {3, "app"}})}, {2, message({{1, 11}, {3, 10}})}}))});
    p.add(50, {Field(9, message({{1, message({{1, 10}, {4, 2}})}}))});
    const auto size = [](int64_t time, int tid, int current, int space, int member, int bytes) {
      return Field(2, message({{1, time}, {2, tid}, {313, message({{4, space}, {3, current}, {1, member}, {2, bytes}})}}));
    };
    const auto other = [](int64_t time, uint32_t kind) {
      return Field(2, message({{1, time}, {2, 10}, {kind, message({{9, 1}})}}));
    };
    p.add({}, {Field(1, message({{1, 1},
                                 size(100, 11, 1, 3, 1, 4096),
                                 size(200, 99, 0, 3, 1, 8192), // another thread frees pages of the app
                                 size(300, 99, 0, 4, 1, 4096), // of nobody known
                                 size(400, 11, 1, 3, 0, 1024),
                                 Field(2, message({{1, 500}, {2, 11}, {326, message({{3, 10}, {2, -900}})}})),
                                 other(600, 330),
                                 other(700, 9999)}))});
    const Imported trace = p.import();
    QVERIFY(counters(trace) == (std::map<std::string, std::vector<double>>{
                                   {"app/RSS anon", {2, 4, 8}}, {"app/RSS file", {1}}, {"app/OOM score", {-900}}}));
    const std::string said = issues(trace);
    for (const char* kind : {"ftrace rss_stat of an unknown process (1)", "ftrace sys_exit (1)", "ftrace event 9999 (1)"})
      QVERIFY2(said.find(kind) != std::string::npos, said.c_str());
    QCOMPARE(trace.mended(Mend::PacketsNotShown), int64_t(3));
  }
  // A complete trace without any packet that we show is not an error: the import counts the kinds of packets.
  void kindsThatAreNotShownAreNamed() {
    Packets p;
    p.add(100, {{41, 1}, Field(63, message({{1, 2}}))}).add(200, {Field(63, message({{1, 2}}))}).add(300, {Field(7000, "x")});
    p.add({}, {Field(33, message({{1, 2}}))}); // how it was recorded
    const Imported trace = p.import();
    QCOMPARE(trace.mended(Mend::PacketsNotShown), int64_t(3));
    QVERIFY2(issues(trace).find("gpu_log (2), packet field 7000 (1)") != std::string::npos, issues(trace).c_str());
    QCOMPARE(trace.rows.rows<ReportIssueRow>().size(), std::size_t(1)); // said once
  }
  // Chrome's events in packets: what a thread's own clock and its instructions say is kept, whatever the kind.
  void threadNumbersOfLegacyEvents() {
    Packets p;
    const auto legacy = [](const char* name, int phase, std::vector<Field> more, std::vector<Field> event = {}) {
      std::vector<Field> fields{{2, phase}};
      fields.insert(fields.end(), more.begin(), more.end());
      event.emplace_back(22, "c");
      event.emplace_back(23, name);
      event.emplace_back(6, message(fields));
      return Field(11, message(event));
    };
    p.add(1000, {legacy("whole", 'X', {{3, 2}, {4, 1}, {5, 55}})});
    p.add(5000, {legacy("begun", 'B', {{4, 4}})});
    p.add(6000, {legacy("begun", 'E', {{5, 7}})});
    p.add(7000, {legacy("work", 'b', {{6, 3}}, {{17, 20}})});
    p.add(8000, {legacy("work", 'e', {{6, 3}}, {{17, 26}})});
    const Imported trace = p.import();
    QVERIFY(detailsOfSlice(trace, "whole").at("thread_instruction_delta") == 55);
    QVERIFY(detailsOfSlice(trace, "whole").at("thread_duration_ns") == 1000);
    QVERIFY(detailsOfSlice(trace, "begun").at("thread_duration_us") == 4);
    QVERIFY(detailsOfSlice(trace, "begun").at("thread_instruction_delta") == 7);
    QVERIFY(detailsOfSlice(trace, "work") == json::parse(R"({"thread_start_ns":20000,"thread_end_ns":26000})"));
  }
  void marksOfTracks() {
    Packets p;
    std::vector<Field> bundle{{1, 1}};
    int64_t time = 0;
    for (const char* mark : {"G|100|Requests|load page|7", "H|100|Requests|load page|7", "N|100|Requests|mark",
                             "G|100|Requests|again|8", "H|100|Requests|8", "S|100|x|0", "S|100|x|0", "F|100|x|0"})
      bundle.emplace_back(2, message({{1, time += 100}, {2, 42}, {3, message({{2, mark}})}}));
    p.add({}, {Field(1, message(bundle))});
    const Imported trace = p.import();
    QCOMPARE(shown(trace), (Lines{"process 100/Requests: load page 0+100", "process 100/Requests: again 300+100",
                                  "process 100/x: x 500+200", "process 100/x: x 600+100"}));
    QCOMPARE(trace.counts().otherInstants, int64_t(1));
    QCOMPARE(trace.mended(Mend::UnclosedAsync), int64_t(1));
  }
  // The kernel's trace as text, in a file of its own and beside Chrome's events.
  void kernelAsText() {
    const std::string text =
        "# tracer: nop\n#\n"
        "  a worker-12  (   10) [000] ...1     5.000000: tracing_mark_write: B|10|step\n"
        "  a worker-12  (   10) [000] ...1     5.000002: tracing_mark_write: E|10\n"
        "  <idle>-0     (-----) [001] d..3     5.000003: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 "
        "prev_state=R ==> next_comm=a worker next_pid=12 next_prio=120\n"
        "  a worker-12 [001] d..3     5.000005: sched_switch: prev_comm=a worker prev_pid=12 prev_prio=120 "
        "prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120\n"
        "  <idle>-0     (-----) [001] d..3     5.000007: sched_waking: comm=a worker pid=12 prio=120 target_cpu=001\n"
        "  <idle>-0     (-----) [001] d..3     5.000008: softirq_raise: vec=7\nno line of it\n";
    const Imported trace = tests::importText(text, "a.txt");
    QCOMPARE(int(trace.result.files.at(0).format), int(TraceFormat::Ftrace));
    const Lines wanted{"process 10/a worker: step 0+2000", "process 10/states of a worker: Running 3000+2000",
                       "process 10/states of a worker: Sleeping 5000+2000", "process 10/states of a worker: Runnable 7000+1000",
                       "host/CPU 1: a worker 3000+2000"};
    QCOMPARE(shown(trace), wanted);
    QCOMPARE(trace.mended(Mend::LinesNotRead), int64_t(1));
    QCOMPARE(trace.mended(Mend::EventsOfUnknownKind), int64_t(1));
    QVERIFY(issues(trace).find("softirq_raise (1)") != std::string::npos);
    const json whole{{"traceEvents", json::array()}, {"systemTraceEvents", text}};
    QCOMPARE(shown(tests::importText(whole.dump(), "a.json")), wanted);
  }
  void threadStatesOfChrome() {
    const Imported trace = tests::importText(
        R"([{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main"}},{"ph":"X","name":"x","pid":1,"tid":2,"ts":0,"dur":1},)"
        R"({"ph":"T","cat":"thread_state","name":"Running","pid":1,"tid":2,"ts":1,"dur":5,"args":{"cpu":0}},)"
        R"({"ph":"T","cat":"thread_state","name":"D","pid":1,"tid":2,"ts":6,"dur":2}])");
    QCOMPARE(shown(trace), (Lines{"process 1/main: x 0+1000", "process 1/states of main: Running 1000+5000",
                                  "process 1/states of main: D 6000+2000"}));
  }
  void endsNameTheirSlice() { // and end what is open inside it, as Perfetto does
    Packets p;
    p.thread(1, 5, 6, "A");
    p.event(100, kBeginEvent, {{11, 1}, {23, "x"}}).event(140, kBeginEvent, {{11, 1}, {23, "y"}});
    p.event(150, kEndEvent, {{11, 1}, {23, "x"}}).event(204, kEndEvent, {{11, 1}, {23, "y"}});
    QCOMPARE(shown(p.import()), (Lines{"process 5/A: x 0+50", "process 5/A: y 40+10"}));
  }
};

TILESCOPE_TEST(PerfettoEventsTest)
#include "perfetto_events_test.moc"
