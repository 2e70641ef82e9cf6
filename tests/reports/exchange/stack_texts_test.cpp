// Call stacks as text: `perf script` with several events, folded stacks with odd lines.
#include "tests/reports/exchange/exported.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <fmt/format.h>

#include <map>
#include <set>

using namespace reports;
using namespace reports::exchange;

class StackTextsTest : public QObject {
  Q_OBJECT
private slots:
  void linesOfOldMacs() {
    QCOMPARE(tests::exportedAgain("main;a 5\rmain;b 7\r", exportFolded), std::string("main;a 5\nmain;b 7\n"));
    const tests::Imported perf = tests::importText("pr 1/1 [0] 1.000100: 10 cycles: \r\t1 a (x)\r\r"
                                                   "pr 1/1 [0] 1.000200: 10 cycles: \r\t1 b (x)\r\r",
                                                   "a.perf");
    QCOMPARE(perf.counts().samples, int64_t(2));
    QCOMPARE(tests::exportedAgain("main;a 5", exportFolded), std::string("main;a 5\n")); // no line end at all
  }

  // Cycles and cache misses of one thread are two lanes and two categories, and are not added.
  void eventsOfPerfStayApart() {
    const std::string text = "pr 1/1 [0] 1.000100: 10 cycles: \n\t1 a (x)\n\t2 main (x)\n\n"
                             "pr 1/1 [0] 1.000200: 10 cache-misses: \n\t1 a (x)\n\t2 main (x)\n\n"
                             "pr 1/1 [0] 1.000300: 10 cycles: \n\t1 b (x)\n\t2 main (x)\n\n";
    const tests::Imported trace = tests::importText(text, "a.perf");
    QCOMPARE(trace.counts().samples, int64_t(3));
    QCOMPARE(trace.counts().threads, int64_t(1)); // it is one thread of the program
    std::vector<std::string> lanes, categories;
    for (const auto& row : trace.rows.rows<HostThreadRow>()) lanes.push_back(row.name);
    for (const auto& row : trace.rows.rows<ChannelRow>()) categories.push_back(row.name);
    QCOMPARE(lanes, (std::vector<std::string>{"thread 1: cycles", "thread 1: cache-misses"}));
    QCOMPARE(categories, (std::vector<std::string>{"cycles", "cache-misses"}));
    QCOMPARE(tests::exportedAgain(text, exportFolded),
             std::string("cache-misses;pr;main;a 10\ncycles;pr;main;a 10\ncycles;pr;main;b 10\n"));
  }
  void oneEventKeepsItsThread() {
    const std::string text = "pr 1/1 [0] 1.000100: 10 cycles: \n\t1 a (x)\n\n";
    const tests::Imported trace = tests::importText(text, "a.perf");
    QCOMPARE(trace.rows.rows<HostThreadRow>().at(0).name, std::string("thread 1"));
    QCOMPARE(tests::exportedAgain(text, exportFolded), std::string("pr;a 10\n"));
  }

  // A sample weighs as many events as its period says, in folded stacks too.
  void periodsAreWeights() {
    std::string text;
    for (const char* const sample : {"1.000001: 1 page-faults: \n\t1 cold (x)\n", "1.000099: 1 page-faults: \n\t1 cold (x)\n",
                                     "1.000197: 98 page-faults: \n\t3 hot (x)\n"})
      text += std::string("app 10/10 ") + sample + "\t2 main (x)\n\n";
    QCOMPARE(tests::exportedAgain(text, exportFolded), std::string("app;main;cold 2\napp;main;hot 98\n"));
    int64_t hot = 0, cold = 0; // drawn in these shares, as far as the next sample leaves time
    for (const auto& s : tests::importText(text, "a.perf").slices())
      (s.name == "hot" ? hot : cold) += s.name == "hot" || s.name == "cold" ? s.end - s.start : 0;
    QCOMPARE(hot, 49 * cold);
  }
  // perf looks for the period that gives the frequency it was asked for: the first samples of a thread stand for very little. Nothing is
  // drawn for longer than samples lie apart, or beyond another thread's sample on the same CPU.
  void aRampOfPeriodsTakesItsTime() {
    constexpr int kThreads = 40;
    std::string text;
    for (int thread = 0; thread < kThreads; ++thread)
      for (const auto& [at, period] : {std::pair(0, 1), {5, 3}, {10, 40}, {15, 5000}, {45, 90000}, {345, 900000}})
        text += fmt::format("cc {} [003] 7.{:06}: {} cycles: \n\t1 f{} (x)\n\n", 100 + thread, thread * 800 + at, period, period);
    int64_t busy = 0, largest = 0;
    for (const auto& s : tests::importText(text, "a.perf").slices()) {
      if (s.depth == 0) busy += s.end - s.start;
      if (s.name == "f900000") largest = std::max(largest, s.end - s.start);
    }
    QVERIFY2(busy <= kThreads * 500'000, std::to_string(busy).c_str()); // one CPU has no more
    QVERIFY2(busy >= kThreads * 300'000, std::to_string(busy).c_str());
    QVERIFY2(largest > 100'000 && largest <= 300'000, std::to_string(largest).c_str());
  }
  void aSampleTakesNoLongerThanIsKnown_data() {
    QTest::addColumn<QString>("samples"); // time in microseconds, CPU, thread, period
    QTest::addColumn<qlonglong>("most");
    QTest::newRow("powers of ten") << "0,0,1,1 1000,0,1,10 2000,0,1,100 3000,0,1,1000 4000,0,1,10000 5000,0,1,100000"
                                   << 1'000'000ll;
    QTest::newRow("one without a period") << "0,0,1,4000 1000,0,2, 4000,1,3,70000" << 4'000'000ll;
    QTest::newRow("each thread once") << "0,0,1,9 100,0,2,900000 200,0,3,7" << 100'000ll;
    QTest::newRow("a large one first") << "0,0,1,900000000 1000,1,2,1000 2000,1,2,1000 3000,1,2,1000" << 1'000'000ll;
  }
  void aSampleTakesNoLongerThanIsKnown() {
    QFETCH(QString, samples);
    QFETCH(qlonglong, most);
    std::string text;
    for (const QString& sample : samples.split(' ')) {
      const QStringList part = sample.split(',');
      text += fmt::format("app {} [{:03}] 5.{:06}: {} cycles:u: \n\t1 work{} (x)\n\n", part[2].toInt(), part[1].toInt(),
                          part[0].toInt(), part[3].toStdString(), part[0].toInt());
    }
    int64_t longest = 0;
    for (const auto& s : tests::importText(text, "a.perf").slices())
      if (s.name.starts_with("work")) longest = std::max(longest, s.end - s.start);
    QVERIFY2(longest > 0 && longest <= most, std::to_string(longest).c_str());
  }
  // A CPU that runs another thread no longer runs this one.
  void anotherThreadOfTheCpuEndsASample() {
    std::string text;
    for (int i = 0; i < 4; ++i)
      text += fmt::format("a 1/1 [000] 1.{:06}: cpu-clock: \n\t1 mine (x)\n\nb 2/2 [000] 1.{:06}: cpu-clock: \n\t1 other (x)\n\n",
                          i * 1000, i * 1000 + 300);
    std::map<std::string, std::set<int64_t>> durations;
    for (const auto& s : tests::importText(text, "a.perf").slices()) durations[s.name].insert(s.end - s.start);
    QCOMPARE(durations["mine"], std::set<int64_t>{300'000});
    QCOMPARE(durations["other"], (std::set<int64_t>{700'000, 1'000'000})); // nothing comes after the last one
  }
  // A thread that sleeps is not drawn as busy until its next sample.
  void aSleepingThreadIsNotBusy() {
    std::string text;
    for (int i = 0; i < 100; ++i) text += "busy 1/1 1." + std::to_string(100000 + i * 1000) + ": 1 cycles: \n\t1 work (x)\n\n";
    text += "idle 2/2 1.100000: 1 cycles: \n\t1 wait (x)\n\nidle 2/2 9.000000: 1 cycles: \n\t1 wait (x)\n\n";
    for (const auto& slice : tests::importText(text, "a.perf").slices())
      if (slice.name == "wait") QCOMPARE(slice.end - slice.start, int64_t(1'000'000));
  }
  // Periods of a clock are in nanoseconds; with few samples, the shortest gap is the length of a sample.
  void aLongSleepOfFewSamples() {
    const auto asked = [](const char* event, const char* period) {
      std::string text;
      for (const char* time : {"1.000000", "10.310000", "10.320000"})
        text += std::string("app 10 [000] ") + time + ": " + period + " " + event +
                ": \n\t1 work (/bin/a b/app (deleted))\n\t2 main (x)\n\n";
      int64_t longest = 0;
      for (const auto& slice : tests::importText(text, "a.perf").slices()) {
        if (slice.name == "work") longest = std::max(longest, slice.end - slice.start);
        if (slice.name.find("work") != std::string::npos && slice.name != "work") return int64_t(-1);
      }
      return longest;
    };
    QCOMPARE(asked("cpu-clock", "250000"), int64_t(250'000));
    QCOMPARE(asked("task-clock:u", "250000"), int64_t(250'000));
    QCOMPARE(asked("cycles", "1"), int64_t(20'000'000)); // two that touch
  }
  // As perf writes them with -F: any part of the header may be missing.
  void headersWithoutParts_data() {
    QTest::addColumn<QString>("header");
    QTest::addColumn<QString>("command");
    QTest::addColumn<qlonglong>("tid");
    QTest::addColumn<bool>("hasTime");
    QTest::newRow("all") << "my app 10/11 [002] 1.5: 7 cycles:u: "
                         << "my_app" << 11ll << true;
    QTest::newRow("no command") << " 3245 [002] 1.5: cycles: "
                                << "thread_3245" << 3245ll << true;
    QTest::newRow("no command, no CPU") << "12/3245 1.5: cycles: "
                                        << "thread_3245" << 3245ll << true;
    QTest::newRow("no ids") << "java 1.5: cycles: "
                            << "java" << -1ll << true;
    QTest::newRow("no time") << "java  3245 cpu-clock: "
                             << "java" << 3245ll << false;
    QTest::newRow("no time, a period") << "java  12/3245 [001] 250000 cpu-clock:pppH: "
                                       << "java" << 3245ll << false;
    QTest::newRow("only command and tid") << "java 3245"
                                          << "java" << 3245ll << false;
    QTest::newRow("only a period") << "   1000000 cycles:u: "
                                   << "samples" << -1ll << false;
    QTest::newRow("a command and a period") << "my app       7000 cycles:u: "
                                            << "my_app" << -1ll << false;
    QTest::newRow("only a tid") << "   3245 cycles:u: "
                                << "thread_3245" << 3245ll << false;
    QTest::newRow("a CPU and a period") << "[002]       7000 cycles:u: "
                                        << "samples" << -1ll << false;
    QTest::newRow("only an event") << "cycles: "
                                   << "samples" << -1ll << false;
    QTest::newRow("stacks alone") << ""
                                  << "samples" << -1ll << false;
  }
  void aPeriodAloneIsAWeight() {
    QCOMPARE(tests::exportedAgain(
                 "   2000000 cycles:u: \n\t1 a (/x)\n\t2 main (/x)\n\n    500000 cycles:u: \n\t3 b (/x)\n\t2 main (/x)\n\n",
                 exportFolded),
             std::string("samples;main;a 2000000\nsamples;main;b 500000\n"));
  }
  // Paths may have blanks and parentheses.
  void pathsOfFramesAreWhole_data() {
    QTest::addColumn<QString>("frame");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("path");
    QTest::newRow("an offset") << "f(int)::{lambda(int)#1}::operator()(int) const+0x3 (/opt/my app (v3)/run (new))"
                               << "f(int)::{lambda(int)#1}::operator()"
                               << "/opt/my app (v3)/run (new)";
    QTest::newRow("no offset") << "g(char) (/opt/my app (v3))"
                               << "g"
                               << "/opt/my app (v3)";
    QTest::newRow("removed") << "h()+0x1f (/opt/a (1) (deleted))"
                             << "h"
                             << "/opt/a (1) (deleted)";
    QTest::newRow("unknown") << "[unknown] (/opt/lib (x).so)"
                             << "[lib (x).so]"
                             << "/opt/lib (x).so";
    QTest::newRow("one that does not match") << "k (/opt/a)b)"
                                             << "k"
                                             << "/opt/a)b";
    QTest::newRow("the kernel") << "do_idle+0x10 ([kernel.kallsyms])"
                                << "do_idle"
                                << "[kernel.kallsyms]";
  }
  void pathsOfFramesAreWhole() {
    QFETCH(QString, frame);
    QFETCH(QString, name);
    QFETCH(QString, path);
    const auto slices = tests::importText("app 1/1 1.5: cycles: \n\t1 " + frame.toStdString() + "\n\n", "a.perf").slices();
    QCOMPARE(slices.size(), std::size_t(2));
    QCOMPARE(slices[1].name, name.toStdString());
    QCOMPARE(slices[1].details, "{\"dso\":\"" + path.toStdString() + "\"}");
  }
  void headersWithoutParts() {
    QFETCH(QString, header);
    QFETCH(QString, command);
    QFETCH(qlonglong, tid);
    QFETCH(bool, hasTime);
    const std::string one = header.toStdString() + "\n\t7f1e leaf (/lib/x.so)\n\t7f1d run (/lib/x.so)\n\n";
    const tests::Imported trace = tests::importText(one + one, "a.txt");
    QCOMPARE(trace.result.files.at(0).format, TraceFormat::PerfScript);
    QCOMPARE(trace.counts().samples, int64_t(2));
    const auto slices = trace.slices();
    QCOMPARE(slices.at(0).name, command.toStdString());
    QCOMPARE(slices.back().name, std::string("leaf"));
    QVERIFY(!hasTime || slices.back().details == R"({"dso":"/lib/x.so"})");
    const auto threads = trace.rows.rows<HostThreadRow>();
    if (hasTime) QCOMPARE(threads.at(0).tid.value_or(-1), int64_t(tid));
    if (!hasTime) QCOMPARE(threads.at(0).name, std::string("all stacks"));
  }
  // Only the argument list is removed from a name.
  void namesAreKeptWhole_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("kept");
    for (const auto& [name, kept] :
         {std::pair("std::function<int (int, int)>::operator()(int, int) const", "std::function<int (int, int)>::operator()"),
          std::pair("std::function<int (char)>::operator()(char) const", "std::function<int (char)>::operator()"),
          std::pair("core::ptr::drop_in_place<(alloc::string::String, u8)>",
                    "core::ptr::drop_in_place<(alloc::string::String, u8)>"),
          std::pair("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
          std::pair("Foo::operator()", "Foo::operator()"),
          std::pair("Foo::operator()()", "Foo::operator()"),
          std::pair("std::unique_ptr<A>::operator->() const", "std::unique_ptr<A>::operator->"),
          std::pair("net/http.(*Client).Do", "net/http.(*Client).Do"),
          std::pair("main.(*T)", "main.(*T)"),
          std::pair("f()::{lambda(int)#1}::operator()(int) const", "f()::{lambda(int)#1}::operator()"),
          std::pair("bool (*get(int))(char)", "bool (*get(int))(char)"),
          std::pair("int (&table())[3]", "int (&table())[3]"),
          std::pair("void (Shape::*slot(int))(int)", "void (Shape::*slot(int))(int)"),
          std::pair("std::vector<int (*)(char)> make<int (*)(char)>(int (*)(char))",
                    "std::vector<int (*)(char)> make<int (*)(char)>"),
          std::pair("<fn(u32) -> bool as FnOnce<(u32,)>>::call_once", "<fn(u32) -> bool as FnOnce<(u32,)>>::call_once"),
          std::pair("decltype (((declval<T>)())->size()) sizeOf<Vec>(Vec const&)",
                    "decltype (((declval<T>)())->size()) sizeOf<Vec>"),
          std::pair("bool operator< <int>(A<int> const&)", "bool operator< <int>"),
          std::pair("plain", "plain"),
          std::pair("g(int&) &&", "g"),
          std::pair("foo<'a'>", "foo<'a'>")})
      QTest::newRow(name) << name << kept;
  }
  void namesAreKeptWhole() {
    QFETCH(QString, name);
    QFETCH(QString, kept);
    const auto names =
        tests::importText("app 1/1 1.5: cycles: \n\t1 " + name.toStdString() + " (/bin/app)\n\n", "a.perf").names();
    QCOMPARE(names, (std::vector<std::string>{"app", kept.toStdString()}));
  }
  void inlinedFunctionsAreFrames() {
    QCOMPARE(tests::importText("app 1/1 1.5: cycles: \n\t1 outer->inner(int) (x)\n\n", "a.perf").names(),
             (std::vector<std::string>{"app", "outer", "inner"}));
    const tests::Imported trace =
        tests::importText("app 1/1 1.5: cycles: \n\t1 push(int)+0x0 (inlined)\n\t1 main+0x4 (/bin/app)\n\n", "a.perf");
    QCOMPARE(trace.names(), (std::vector<std::string>{"app", "main", "push"}));
    for (const auto& slice : trace.slices()) QVERIFY2(slice.details.find("inlined") == std::string::npos, slice.details.c_str());
  }
  void inlinedFunctionsOfTemplatesAreFrames() {
    QCOMPARE(tests::importText("app 1/1 1.5: cycles: \n\t1 f<int>->A::operator<->g (x)\n\n", "a.perf").names(),
             (std::vector<std::string>{"app", "f<int>", "A::operator<", "g"}));
  }
  // Scheduling as `perf script` prints it, raw or by libtraceevent: a lane for each CPU, states of each thread, no samples.
  void switchesAreLanesAndStates() {
    for (const char* form : {"raw", "printed"}) {
      const bool isRaw = form == std::string_view("raw");
      const auto change = [&](const char* before, int previous, const char* state, const char* after, int next) {
        const std::string p = std::to_string(previous), n = std::to_string(next);
        return isRaw ? std::string("prev_comm=") + before + " prev_pid=" + p + " prev_prio=120 prev_state=" + state +
                           " ==> next_comm=" + after + " next_pid=" + n + " next_prio=120"
                     : std::string(before) + ":" + p + " [120] " + state + " ==> " + after + ":" + n + " [120]";
      };
      const std::string text = "swapper     0 [001]  1.000100: sched:sched_switch: " + change("swapper/1", 0, "R", "my app", 7) +
                               "\nmy app     7/7 [001]  1.000300: sched:sched_switch: " + change("my app", 7, "S", "other", 9) +
                               "\nother     9 [001]  1.000350: sched:sched_waking: " +
                               (isRaw ? "comm=my app pid=7 prio=120 target_cpu=001" : "my app:7 [120] CPU:001") +
                               "\nother     9 [001]  1.000400: sched:sched_switch: " + change("other", 9, "R+", "my app", 7) +
                               "\nmy app     7 [001]  1.000500: sched:sched_switch: " + change("my app", 7, "D", "swapper/1", 0) +
                               "\nswapper     0 [001]  1.000600: sched:sched_stat_iowait: comm=my app pid=7 delay=3 [ns]\n";
      const tests::Imported trace = tests::importText(text, "a.perf");
      std::map<int64_t, std::string> kinds; // by track
      for (const auto& thread : trace.rows.rows<reports::HostThreadRow>()) kinds[thread.trackId] = thread.kind.value_or("");
      std::map<std::string, std::vector<std::string>> rows; // by kind
      for (const auto& s : trace.slices())
        rows[kinds[s.track]].push_back(s.name + ' ' + std::to_string(s.start / 1000) + '-' + std::to_string(s.end / 1000));
      std::sort(rows["state"].begin(), rows["state"].end());
      QCOMPARE(rows["cpu"], (std::vector<std::string>{"my app 0-200", "other 200-300", "my app 300-400"}));
      QVERIFY2(std::count(rows["state"].begin(), rows["state"].end(), "Sleeping 200-250") == 1, form);
      QVERIFY2(std::count(rows["state"].begin(), rows["state"].end(), "Runnable 250-300") == 1, form);
      QCOMPARE(trace.counts().samples, int64_t(1)); // what is not shown as scheduling stays a sample
      QVERIFY(trace.counts().notShown.empty());
    }
  }
  // Tracepoints of the same groups that no lane shows are samples, as those of others are.
  void otherTracepointsAreSamples() {
    const tests::Imported trace =
        tests::importText("w 1/1 [000] 10.000100: sched:sched_process_exec: filename=/bin/true pid=1\n"
                          "w 1/1 [000] 10.000200: sched:sched_stat_runtime: comm=w pid=1 runtime=1000 [ns]\n"
                          "w 1/1 [000] 10.000300: power:cpu_idle: state=1 cpu_id=0\n"
                          "w 1/1 [000] 10.000400: syscalls:sys_enter_read: fd: 3\n",
                          "a.perf");
    QCOMPARE(trace.counts().samples, int64_t(4));
    QVERIFY(trace.counts().notShown.empty());
    std::set<std::string> names;
    for (const auto& s : trace.slices()) names.insert(s.name);
    for (const char* name : {"sched:sched_process_exec", "sched:sched_stat_runtime", "power:cpu_idle", "syscalls:sys_enter_read"})
      QVERIFY2(names.count(name), name);
  }
  // A switch with a stack is a sample, too: the stack at which the thread left its CPU.
  void aSwitchWithAStackIsASample() {
    const tests::Imported trace = tests::importText(
        "app 7 [001] 1.000300: sched:sched_switch: app:7 [120] S ==> other:9 [120]\n\t1 schedule (x)\n\n", "a.perf");
    QCOMPARE(trace.counts().samples, int64_t(1));
    bool hasFrame = false;
    for (const auto& s : trace.slices()) hasFrame |= s.name == "schedule";
    QVERIFY(hasFrame);
  }

  // A thread may be called anything; the times of perf have six decimals or nine.
  void commandsMayHoldTimes() {
    const tests::Imported trace =
        tests::importText("puma 5.6: worke   100/101   [000]  10.000000:     250000 cycles:u: \n\t55d0a1 a (/bin/p)\n\n"
                          "puma 5.6: worke   100/101   [000]  10.001000:     250000 cycles:u: \n\t55d0a1 b (/bin/p)\n\n",
                          "a.perf");
    QCOMPARE(trace.rows.rows<HostThreadRow>().at(0).name, std::string("thread 101"));
    QCOMPARE(trace.counts().durationNanoseconds, int64_t(1'000'000));
    QCOMPARE(trace.names(), (std::vector<std::string>{"puma_5.6:_worke", "a", "b"}));
  }
  void aFrameMayFollowTheTime() {
    const tests::Imported trace =
        tests::importText("prog   100   10.000000:      55d0a1 b\nprog   100   10.001000:      55d0a1 c (/bin/x)\n", "a.perf");
    QCOMPARE(trace.names(), (std::vector<std::string>{"prog", "b", "c"}));
  }
  // Two quick samples tell how long a million cycles take; the thread slept between the others.
  void sleepsAreNotWork() {
    std::string text;
    for (const char* time : {"10.000000", "10.001000", "15.000000", "20.000000"})
      text += std::string("app 1/1 [000] ") + time + ": 1000000 cycles: \n\t55d0a1 a (/bin/p)\n\n";
    for (const bool hasPeriods : {true, false}) {
      std::string shown = text;
      for (std::size_t at; !hasPeriods && (at = shown.find("1000000 ")) != std::string::npos;) shown.erase(at, 8);
      for (const auto& slice : tests::importText(shown, "a.perf").slices()) QVERIFY(slice.end - slice.start <= 2'000'001);
    }
  }
  // perf script --show-switch-events --show-mmap-events: a thread that leaves its CPU ends its sample, and other records are not samples.
  void recordsAreNoSamples() {
    const tests::Imported trace =
        tests::importText("p 1/1 [000] 10.000000: 1000000 cpu-clock:u: \n\t55d0a1 a (/bin/p)\n\n"
                          "p 1/1 [000] 10.000500: PERF_RECORD_SWITCH_CPU_WIDE OUT          next pid/tid:     0/0    \n"
                          "p 1/1 [000] 10.900000: PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:     0/0    \n"
                          "p 1/1 [000] 10.901000: 1000000 cpu-clock:u: \n\t55d0a1 b (/bin/p)\n\n"
                          "p 1/1 [000] 10.902000: PERF_RECORD_MMAP2 1/1: [0x55d0(0x1000) @ 0 08:01 1 2]: r-xp /usr/bin/prog\n",
                          "a.perf");
    QCOMPARE(trace.counts().samples, int64_t(2));
    QCOMPARE(trace.counts().notShown.at("PERF_RECORD_MMAP2"), int64_t(1));
    for (const auto& slice : trace.slices())
      if (slice.name == "a") QCOMPARE(slice.end - slice.start, int64_t(500'000));
  }
  // perf script -F +srcline: the place follows its frame.
  void sourceLinesAreNoFrames() {
    const tests::Imported trace = tests::importText(
        "p 1/1 1.5: 9 cycles: \n\t55d0a1 a (/bin/p)\n  my prog.c:12\n\t55d0a2 main (/bin/p)\n  prog.c:20\n\n", "a.perf");
    QCOMPARE(trace.names(), (std::vector<std::string>{"p", "main", "a"}));
    QCOMPARE(trace.counts().notShown.at("source lines of frames"), int64_t(2));
  }
  void listsAreNoStacks() {
    for (const char* text : {"total:\n   12 apples\n    5 pears\n", "Dependencies:\n  1 abc (>= 2)\n  2 def\n"})
      QVERIFY_EXCEPTION_THROWN(tests::importText(text, "a.txt"), Error);
    QCOMPARE(tests::importText("cycles: \n\t   55d0f3 f\n\t   55d0a1 main\n\n", "a.txt").counts().samples, int64_t(1));
  }
  // Text from PowerShell in either byte order, with or without a byte order mark, packed or not.
  void utf16IsText() {
    const std::u16string wide = u"main;\u00e4;b 3\r\nmain;\U0001F600 2\r\n";
    for (const bool isBig : {false, true})
      for (const bool isMarked : {true, false}) {
        std::string bytes;
        for (const char16_t c : (isMarked ? u"\ufeff" : u"") + (isMarked ? wide : u"a;bcdefgh 1\n" + wide))
          for (const int shift : {isBig ? 8 : 0, isBig ? 0 : 8}) bytes += char(c >> shift & 0xff);
        const std::string start = isMarked ? "" : "a;bcdefgh 1\n";
        QCOMPARE(tests::exportedAgain(bytes, exportFolded), start + "main;\u00e4;b 3\nmain;\U0001F600 2\n");
      }
  }
  // Many texts end their lines with numbers: folded stacks have frames.
  void linesWithNumbersAreNoStacks() {
    QVERIFY_EXCEPTION_THROWN(tests::importText("processor 0\nsiblings 2\ncores 2\n", "a.txt"), Error);
    QCOMPARE(tests::importText("processor 0\nsiblings 2\ncores 2\n", "a.txt", TraceFormat::Folded).counts().samples, int64_t(4));
  }

  // One bad line does not take the others with it.
  void goodLinesLoad_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("bad");
    QTest::addColumn<QString>("again");
    QTest::newRow("a line without a number") << "a;b 3\nno number\n" << 1 << "a;b 3\n";
    QTest::newRow("a negative weight") << "a;b 3\na;c -1\n" << 1 << "a;b 3\n";
    QTest::newRow("only empty frames") << "a;b 3\n;; 2\n" << 1 << "a;b 3\n";
    QTest::newRow("an empty frame") << "a;;b 3\n" << 0 << "a;(no name);b 3\n";
    QTest::newRow("a fraction") << "a;b 3\na 1.5\n" << 0 << "a 1.5\na;b 3\n";
    QTest::newRow("a weight beyond all times") << "a;b 99999999999999999999\na;c 1\n" << 1 << "a;c 1\n";
  }
  void goodLinesLoad() {
    QFETCH(QString, text);
    QFETCH(int, bad);
    QFETCH(QString, again);
    QCOMPARE(tests::importText(text.toStdString(), "a.folded").mended(Mend::LinesNotRead), int64_t(bad));
    QCOMPARE(tests::exportedAgain(text.toStdString(), exportFolded), again.toStdString());
  }
  // Two counts a line, as difffolded.pl writes them, are two profiles; a frame that only one of them has is missing in the other.
  void differentialStacksAreTwoProfiles() {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "main;read 1 1\n"; // the first fifty lines tell
    text += "main;read 12 4\nmain;parse;lex 3 9.5\nmain;gone 2 0\nmain;new 0 7\nmain only one 5\n";
    const tests::Imported trace = tests::importText(text, "a.folded");
    std::vector<std::string> lanes;
    for (const auto& row : trace.rows.rows<HostThreadRow>()) lanes.push_back(row.name);
    QCOMPARE(lanes, (std::vector<std::string>{"first profile", "second profile"}));
    QCOMPARE(trace.counts().threads, int64_t(2));
    QCOMPARE(trace.counts().samples, int64_t(77 + 80)); // 20.5
    QCOMPARE(trace.mended(Mend::LinesNotRead), int64_t(1));
    for (const auto& slice : trace.slices()) QVERIFY2(slice.end > slice.start, slice.name.c_str());
    QCOMPARE(tests::exportedAgain(text, exportFolded),
             std::string("first profile;main;gone 2\nfirst profile;main;parse;lex 3\nfirst profile;main;read 72\n"
                         "second profile;main;new 7\nsecond profile;main;parse;lex 9.5\nsecond profile;main;read 64\n"));
    // A number at the end of a frame is not a first count if other stacks have only one count.
    QCOMPARE(tests::exportedAgain("main;worker 3 5\nmain;b 2\n", exportFolded), std::string("main;b 2\nmain;worker 3 5\n"));
  }
  // `perf script --header`: the recorded command may have line breaks.
  void theHeadOfARecordingIsNoSample() {
    const tests::Imported trace =
        tests::importText("# ========\n# cmdline : perf record -- python3 -c \nimport json\nx = 1: 2\n \n"
                          "# ========\n#\npr 1/1 1.000100: 10 cycles: \n\t1 a (x)\n\n",
                          "a.perf");
    QCOMPARE(trace.counts().samples, int64_t(1));
    QCOMPARE(trace.mended(Mend::LinesNotRead), int64_t(0));
  }
  // `perf script --deltatime`: each time is that since the previous sample, of any thread.
  void timesSinceThePreviousSampleAreAddedUp() {
    std::string deltas, times;
    for (int64_t i = 0, at = 0, step = 0; i < 40; ++i, step = 900 + 7 * (i * i % 13), at += step)
      for (const auto& [text, time] : {std::pair(&deltas, step), {&times, at}})
        *text += fmt::format("a {0}/{0} 0.{1:06}: cpu-clock: \n\t1 f{2} (x)\n\n", 1 + i % 2, time, i);
    const auto starts = [](const std::string& text) {
      std::map<std::string, int64_t> found;
      for (const auto& slice : tests::importText(text, "a.perf").slices()) found[slice.name] = slice.start;
      return found;
    };
    QCOMPARE(starts(deltas), starts(times));
    const auto issues = tests::importText(deltas, "a.perf").rows.rows<ReportIssueRow>();
    QVERIFY(std::any_of(issues.begin(), issues.end(),
                        [](const auto& issue) { return issue.message.find("since the previous sample") != std::string::npos; }));
    QVERIFY(tests::importText(times, "a.perf").rows.rows<ReportIssueRow>().empty());
  }
  void proseIsNoStack() {
    for (const char* text : {"some words\nand 5\n", "a letter; of\nmany words\nand then 7\n", "a;b -3\n"})
      QVERIFY_EXCEPTION_THROWN(tests::importText(text, "a.txt"), Error);
  }
};

TILESCOPE_TEST(StackTextsTest)
#include "stack_texts_test.moc"
