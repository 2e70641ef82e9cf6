// Clocks, tracks, ends and older writers as in Perfetto's own importer: each case comes from a difference to its tests.
#include "tests/reports/exchange/perfetto_packets.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace reports;
using namespace reports::exchange;
using tests::Imported;
using namespace tests::perfetto;

namespace {

std::vector<std::string> processNames(const Imported& trace) {
  std::vector<std::string> names; // in the order that they are shown in
  for (const auto& row : trace.rows.rows<HostProcessRow>()) names.push_back(row.name);
  return names;
}
std::string clockReading(int clock, int64_t time) { return message({{1, clock}, {2, time}}); }

} // namespace

class PerfettoWritersTest : public QObject {
  Q_OBJECT
private slots:
  // Older events name track 0 although their writer has another default track: they belong to the thread that the writer described.
  void olderEventsOfTrackZeroAreOfTheWritersThread() {
    Packets p;
    p.add(0, {{41, 1},
              {60, message({{1, 70}, {4, message({{1, 300}, {2, 301}, {5, "worker"}})}})},
              {59, message({{11, message({{11, 70}})}})}});
    const auto older = [&](int64_t time, const char* name, std::vector<Field> legacy) {
      std::vector<Field> event{{11, 0}, {6, message(legacy)}};
      if (*name) event.emplace_back(23, name);
      p.add(time, {Field(11, message(event))});
    };
    older(100, "work", {{2, 'B'}});
    older(150, "", {{2, 'E'}});
    older(200, "async", {{2, 'b'}, {10, 5}});
    older(260, "async", {{2, 'e'}, {10, 5}});
    older(300, "elsewhere", {{2, 'X'}, {3, 0}, {18, 42}});
    p.event(400, kInstantEvent, {{11, 0}, {23, "of the default track"}});
    const Imported trace = p.import();
    const auto lines = shown(trace);
    QVERIFY2(std::find(lines.begin(), lines.end(), "process 300/worker: work 0+50") != lines.end(),
             qPrintable(QString::fromStdString(fmt::format("{}", fmt::join(lines, "; ")))));
    QVERIFY(std::find(lines.begin(), lines.end(), "process 300/async: async 100+60") != lines.end());
    QVERIFY(std::find(lines.begin(), lines.end(), "process 42/events of the process: elsewhere 200+0") != lines.end());
    QCOMPARE(trace.rows.rows<HostThreadRow>().size(), std::size_t(4));
  }

  // An end that matches an outer slice by category also ends the open slices inside it; their own later ends match nothing.
  void whatIsOpenInsideAnEndedSliceEndsWithIt() {
    Packets p;
    p.event(100, kBeginEvent, {{22, "a"}, {23, "around"}});
    p.event(110, kBeginEvent, {{22, "b"}, {23, "inside"}});
    p.event(120, kEndEvent, {{22, "a"}});
    p.event(130, kEndEvent, {{22, "b"}});
    const Imported trace = p.import();
    const auto lines = shown(trace);
    const auto isShown = [&](std::string_view line) {
      return std::any_of(lines.begin(), lines.end(), [&](const std::string& l) { return l.ends_with(line); });
    };
    QVERIFY2(isShown("around 0+20") && isShown("inside 10+10"),
             qPrintable(QString::fromStdString(fmt::format("{}", fmt::join(lines, "; ")))));
    QCOMPARE(trace.counts().mended[std::size_t(Mend::EndedWithin)], int64_t(1));
    QCOMPARE(trace.counts().mended[std::size_t(Mend::UnmatchedEnds)], int64_t(1));
    QCOMPARE(trace.counts().mended[std::size_t(Mend::UnclosedBegins)], int64_t(0));
  }

  void nestedValuesOfOlderWritersAreKept() {
    const auto number = [](int v) { return message({{5, v}}); };
    const std::string list = message({{1, 2}, {4, message({{8, "s"}})}, {4, message({{7, 1}})}});
    Packets p;
    p.event(1, kInstantEvent, {{23, "i"}});
    p.slice(1, 2,
            {{23, "work"}, {4, message({{10, "d"}, {8, message({{1, 1}, {2, "n"}, {2, "list"}, {3, number(4)}, {3, list}})}})}});
    QCOMPARE(detailsOfSlice(p.import(), "work").dump(), std::string(R"({"d":{"list":["s",true],"n":4}})"));
  }

  // A snapshot relates its clocks, with or without the boot clock.
  void clocksWithoutBoottime() {
    const auto of = [](std::optional<int> primary, int first, int second) {
      std::vector<Field> snapshot{{1, clockReading(first, 5000)}, {1, clockReading(second, 1000)}};
      if (primary) snapshot.emplace_back(2, *primary);
      Packets p;
      p.add({}, {Field(6, message(snapshot))});
      const auto slice = [&](int64_t time, int clock, const char* name) {
        p.add(time, {{58, clock}, Field(11, message({{9, 1}, {23, name}, {11, clock}}))});
        p.add(time + 10, {{58, clock}, Field(11, message({{9, 2}, {11, clock}}))});
      };
      slice(2000, second, "a"), slice(6000, first, "b");
      return p.import();
    };
    const Imported trace = of(5, 3, 5);
    for (const auto& s : trace.slices()) QCOMPARE(s.start, int64_t(0)); // the same moment
    QCOMPARE(trace.slices().size(), std::size_t(2));
    QCOMPARE(trace.mended(Mend::UnknownClocks), int64_t(0));
    for (const auto& s : of({}, 1, 3).slices()) QCOMPARE(s.start, int64_t(0));
    const auto clockOf = [](const Imported& t) { return t.rows.rows<HostProcessRow>().at(0).clock.value_or(""); };
    QCOMPARE(clockOf(trace), std::string("monotonic_raw"));
    QCOMPARE(clockOf(of({}, 1, 3)), std::string("monotonic"));
  }

  // A packet that sets its writer's clock and has an event already waits for the first snapshot, too.
  void theFirstEventOfAWritersClockWaits() {
    Packets p;
    p.add(1000, {{41, 1}, {59, message({{58, 3}})}, Field(11, message({{9, 1}, {11, 1}, {23, "a"}}))});
    p.add(3000, {Field(11, message({{9, 2}, {11, 1}}))});
    p.sequence = 2;
    p.add({}, {Field(6, message({{1, clockReading(6, 100'000)}, {1, clockReading(3, 500)}}))});
    p.sequence = 1;
    p.event(5000, kInstantEvent, {{11, 1}, {23, "i"}});
    const Imported trace = p.import();
    QCOMPARE(shown(trace), (std::vector<std::string>{"host/track 1: a 0+2000"}));
    QCOMPARE(trace.counts().durationNanoseconds, int64_t(4000));
    QCOMPARE(trace.mended(Mend::UnknownClocks), int64_t(0));
  }

  // The units of a writer's clock are kept when its state is cleared.
  void unitsOfAClockStayWhenTheStateIsCleared() {
    Packets p;
    p.add({}, {Field(6, message({{1, message({{1, 6}, {2, 5'000'000}})}, {1, message({{1, 64}, {2, 0}, {3, 1}, {4, 1000}})}}))});
    p.add({}, {{41, 1}});
    p.add(3, {{58, 64}, Field(11, message({{9, 1}, {23, "work"}}))});
    p.add(4, {{58, 64}, Field(11, message({{9, 2}}))});
    const auto slices = p.import().slices();
    QCOMPARE(slices.size(), std::size_t(1));
    QCOMPARE(slices[0].end - slices[0].start, int64_t(4000)); // 5.003 to 5.007 ms
  }

  // An end that has a category ends the innermost slice of that category.
  void endsOfACategory() {
    Packets p;
    p.event(10, kBeginEvent, {{23, "outer"}, {22, "a"}}).event(20, kBeginEvent, {{23, "inner"}, {22, "b"}});
    p.event(30, kEndEvent, {{22, "a"}}).event(40, kEndEvent, {});
    const auto durationOf = [](const Imported& trace, const std::string& name) {
      for (const auto& s : trace.slices())
        if (s.name == name) return s.end - s.start;
      return int64_t(-1);
    };
    QCOMPARE(durationOf(p.import(), "outer"), int64_t(20));
    QCOMPARE(durationOf(p.import(), "inner"), int64_t(10)); // with the outer one
    const Imported text = tests::importText(R"([{"ph":"B","pid":1,"tid":1,"ts":10,"name":"outer","cat":"a"},
      {"ph":"B","pid":1,"tid":1,"ts":20,"name":"inner","cat":"b"}, {"ph":"E","pid":1,"tid":1,"ts":30,"cat":"a"},
      {"ph":"E","pid":1,"tid":1,"ts":40}, {}])");
    QCOMPARE(durationOf(text, "outer"), int64_t(20'000));
    QCOMPARE(text.mended(Mend::NotEvents), int64_t(0)); // some writers end their list with {}
  }

  // Ranks order processes and threads only if the trace asks for explicit order.
  void explicitOrderOfProcessesAndThreads() {
    for (const bool isExplicit : {true, false}) {
      Packets p;
      if (isExplicit) p.describe({{1, 0}, {19, 1}, {20, 1}});
      p.describe({{1, 1}, {3, message({{1, 10}, {6, "A"}})}, {12, 5}});
      p.describe({{1, 2}, {3, message({{1, 20}, {6, "B"}})}, {12, -5}});
      p.describe({{1, 3}, {5, 1}, {4, message({{1, 10}, {2, 11}, {5, "A1"}})}, {12, 42}});
      p.describe({{1, 4}, {5, 1}, {4, message({{1, 10}, {2, 12}, {5, "A2"}})}, {12, -1}});
      p.describe({{1, 5}, {5, 2}, {4, message({{1, 20}, {2, 21}, {5, "B1"}})}});
      for (int track = 3; track <= 5; ++track) p.event(track, kInstantEvent, {{11, track}, {23, "x"}});
      const Imported trace = p.import();
      QCOMPARE(processNames(trace), isExplicit ? (std::vector<std::string>{"B", "A"}) : (std::vector<std::string>{"A", "B"}));
      for (const auto& row : trace.rows.rows<HostThreadRow>())
        if (row.name != "B1") QCOMPARE(row.sortOrder.has_value(), isExplicit);
    }
  }

  // A relative time without a reference time, or with an impossible one, is not a time.
  void differencesToNothing() {
    Packets none;
    none.describe({{1, 70}, {4, message({{1, 300}, {2, 301}})}});
    none.add({}, {Field(11, message({{9, 3}, {11, 70}, {23, "lost"}, {1, 5}}))});
    none.add({}, {Field(11, message({{9, 3}, {11, 70}, {23, "kept"}, {16, 5'000'000}}))});
    QCOMPARE(none.import().counts().instants, int64_t(1));
    QCOMPARE(none.import().mended(Mend::EventsWithoutTime), int64_t(1));
    Packets impossible;
    impossible.add({}, {Field(44, message({{1, 300}, {2, 301}, {6, -5'000'000'000'000'000}}))});
    impossible.add({}, {Field(11, message({{9, 3}, {23, "lost"}, {1, 3}}))});
    impossible.add(1'000'000, {Field(11, message({{9, 3}, {23, "kept"}}))});
    QCOMPARE(impossible.import().counts().instants, int64_t(1));
    // Relative times of samples without a stack also advance the writer's clock.
    Packets moved;
    moved.add({}, {Field(44, message({{1, 300}, {2, 301}, {6, 1000}}))});
    moved.add({}, {Field(11, message({{9, 1}, {23, "work"}, {1, 0}}))});
    moved.add({}, {Field(54, message({{2, 500}}))});
    moved.add({}, {Field(11, message({{9, 2}, {1, 5}}))});
    QCOMPARE(moved.import().slices().at(0).end - moved.import().slices().at(0).start, int64_t(505'000));
  }

  void processesOfAMachineKeepItsName() {
    Packets p;
    p.machine = 5;
    p.describe({{1, 1}, {3, message({{1, 300}, {6, "first"}})}});
    p.describe({{1, 2}, {3, message({{1, 300}, {6, "second"}})}});
    p.event(1, kInstantEvent, {{11, 1}, {23, "x"}}).event(2, kInstantEvent, {{11, 2}, {23, "y"}});
    p.event(3, kInstantEvent, {{11, 0}, {23, "z"}});
    p.machine = 0;
    p.event(4, kInstantEvent, {{11, 0}, {23, "z"}});
    auto names = processNames(p.import());
    std::sort(names.begin(), names.end());
    QCOMPARE(names, (std::vector<std::string>{"first (machine 5)", "host", "host (machine 5)", "second (machine 5)"}));
  }

  // GPUs of two writers and of another machine: each writer numbers its queues, stages and counters.
  void workOfGpusIsOfItsWriterAndMachine() {
    Packets p;
    const auto writer = [&](uint32_t sequence, uint32_t machine) { p.sequence = sequence, p.machine = machine; };
    const auto names = [](const std::string& prefix) {
      return message(
          {{2, message({{1, prefix + "q0"}})}, {2, message({{1, prefix + "q1"}})}, {3, message({{1, prefix + "s0"}})}});
    };
    const auto stage = [&](int64_t time, int gpu, int queue, int duration) {
      p.add(time, {Field(53, message({{2, duration}, {3, queue}, {4, 0}, {11, gpu}}))});
    };
    const auto counter = [&](int64_t time, const std::string& name, int value) {
      std::vector<Field> event{{3, 0}, {2, message({{1, 1}, {2, value}})}};
      if (!name.empty()) event.emplace_back(1, message({{1, message({{1, 1}, {2, name}})}}));
      p.add(time, {Field(52, message(event))});
    };
    for (const int gpu : {0, 1}) {
      writer(uint32_t(gpu + 1), 0);
      p.add(1000, {Field(53, message({{7, names("g" + std::to_string(gpu))}, {11, gpu}}))});
    }
    writer(1, 0), stage(2000, 0, 0, 10), stage(3000, 0, 1, 11), counter(4000, "util", 5);
    writer(2, 0), stage(2000, 1, 0, 20), counter(4000, "heat", 70);
    writer(3, 7), stage(2500, 0, 0, 40), counter(4000, "other", 50);
    p.add(4000, {Field(1, message({{1, 0}, {2, message({{1, 4000}, {11, message({{1, 900}, {2, 3}})}})}}))});
    writer(1, 0), counter(4500, "", 6);
    const Imported trace = p.import();
    QCOMPARE(shown(trace),
             (std::vector<std::string>{"host/GPU 0 > g0q0: g0s0 0+10", "host/GPU 0 > g0q1: g0s0 1000+11",
                                       "host/GPU 1 > g1q0: g1s0 0+20", "host (machine 7)/GPU 0 > queue 0: stage 0 500+40"}));
    QVERIFY(counters(trace) == (std::map<std::string, std::vector<double>>{{"host/GPU 0 util", {5, 6}},
                                                                           {"host/GPU 0 heat", {70}},
                                                                           {"host (machine 7)/GPU 0 other", {50}},
                                                                           {"host (machine 7)/CPU 3 frequency", {900}}}));
  }

  void fieldsOfTracksThatAreNotShownAreNamed() {
    Packets p;
    p.describe(
        {{1, 60}, {3, message({{1, 300}, {6, "app"}, {2, "/bin/app"}})}, {14, "what it is"}, {6, message({{7, "org.app"}})}});
    p.event(1, kInstantEvent, {{11, 60}, {23, "x"}});
    const std::string said = issues(p.import());
    for (const char* field : {"description (1)", "chrome_process (1)", "cmdline (1)"})
      QVERIFY2(said.find(field) != std::string::npos, said.c_str());
  }
};

TILESCOPE_TEST(PerfettoWritersTest)
#include "perfetto_writers_test.moc"
