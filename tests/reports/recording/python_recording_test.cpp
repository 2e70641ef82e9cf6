// A reader finds everything that a Python program recorded; wrong options and signals never end the program.
#include "tests/reports/recording/recorded_events.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <string>

class PythonRecordingTest : public QObject {
  Q_OBJECT
  tests::TemporaryFolder m_folder;

private slots:
  // No value of the environment variable ends the program; events recorded in a signal handler are complete.
  void pythonRecordsWithinEventsAndSurvivesItsOptions() {
    if (std::system("python3 -c '' 2>/dev/null") != 0) QSKIP("python3 is not installed");
    std::ofstream((m_folder.path() / "timer.py").string()) << R"(
import signal, tilescope_trace as trace
work, timer, ticks = trace.Channel("work"), trace.Channel("timer"), 0
def tick(*_):
    global ticks
    ticks += 1
    with trace.scope(timer, "tick %d" % ticks): trace.instant(timer, "in a handler", {"n": ticks})
class Late:
    def __del__(self): trace.instant(timer, "deleted")
signal.signal(signal.SIGALRM, tick)
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
rounds = 0
while ticks < 200:
    rounds += 1
    late = Late()
    with trace.scope(work, "label %d" % rounds, {"i": rounds}): pass
signal.setitimer(signal.ITIMER_REAL, 0)
del late
assert trace.lost_events() == 0
trace.stop()
print(rounds, ticks)
)";
    const std::string modules = std::string(TILESCOPE_SOURCE_DIR) + "/reports/recording/python";
    const auto run = [&](const std::string& options, const std::string& program) {
      ::setenv("TILESCOPE_TRACE", options.c_str(), 1);
      const int code = std::system(("cd '" + m_folder.path().string() + "' && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='" + modules +
                                    "' timeout 60 python3 " + program + " >said.txt 2>&1")
                                       .c_str());
      ::unsetenv("TILESCOPE_TRACE");
      return code;
    };
    QCOMPARE(run("{\"file\": \"within.tsrec\"}", "timer.py"), 0);
    std::size_t rounds = 0, ticks = 0;
    std::ifstream((m_folder.path() / "said.txt").string()) >> rounds >> ticks;
    const RecordedEvents events = readBack((m_folder.path() / "within.tsrec").string());
    QCOMPARE(events.slices(), rounds + ticks);
    QCOMPARE(events.threads.begin()->second.instants.size(), rounds + ticks);
    QCOMPARE(events.threads.begin()->second.unmatched, std::size_t(0));
    QVERIFY(events.isOrdered);
    for (const char* odd : {"", "{", "null", "7", "{\"duration\": 1e999}", "{\"duration\": NaN}", "{\"file\": \"a\\u0000b\"}",
                            "{\"file\": \"\\ud800\"}", "{\"channels\": [{}, []]}", "{\"limit\": -5}",
                            "{\"directory\": \"/nowhere\"}", "{\"file\": \"..\"}", "{\"limit\": 99999999999999999999999}"})
      QVERIFY2(run(odd, "-c 'import tilescope_trace as t; t.instant(t.Channel(\"c\"), \"x\")'") == 0, odd);
    QCOMPARE(run(std::string(100'000, '['), "-c 'import tilescope_trace'"), 0);
    const std::filesystem::path pipe = m_folder.path() / "pipe"; // never replaced, as no device or link is
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    QCOMPARE(run("{\"file\": \"" + pipe.string() + "\"}", "-c 'import tilescope_trace'"), 0);
    QVERIFY(std::filesystem::is_fifo(pipe));
  }

  // An event that cannot be recorded is dropped and counted; the program and later events go on.
  void whatCannotBeRecordedIsLost() {
    if (std::system("python3 -c '' 2>/dev/null") != 0) QSKIP("python3 is not installed");
    std::ofstream((m_folder.path() / "odd.py").string()) << R"(
import tilescope_trace as trace
class Odd:
    def __str__(self): raise ValueError("no text")
work = trace.Channel("work")
trace.Heatmap("too wide", range(20000)).add([1.0])
trace.instant(work, Odd())
trace.instant(work, "after")
assert trace.lost_events() == 2, trace.lost_events()
trace.stop()
)";
    ::setenv("TILESCOPE_TRACE", "{\"file\": \"odd.tsrec\"}", 1);
    const int code = std::system(("cd '" + m_folder.path().string() + "' && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='" +
                                  TILESCOPE_SOURCE_DIR + "/reports/recording/python' timeout 60 python3 odd.py")
                                     .c_str());
    ::unsetenv("TILESCOPE_TRACE");
    QCOMPARE(code, 0);
    const RecordedEvents events = readBack((m_folder.path() / "odd.tsrec").string());
    QCOMPARE(events.threads.begin()->second.instants.size(), std::size_t(1));
  }

  void python() {
    if (std::system("python3 -c '' 2>/dev/null") != 0) QSKIP("python3 is not installed");
    const std::string program = (m_folder.path() / "program.py").string();
    std::ofstream(program) << R"(
import threading, libpvti as pvti, tilescope_trace as trace
channel = pvti.createTraceChannel("work")
def run():
    for i in range(5000):
        with pvti.Tracepoint(channel, "step %d" % (i % 9)): pass
threads = [threading.Thread(target=run, name="worker %d" % i) for i in range(3)]
for t in threads: t.start()
for t in threads: t.join()
class Images:
    def __getitem__(self, i): return i
    def load(self): return 7
data = pvti.instrument(Images(), ["__getitem__", "load"], channel)
assert data[3] == 3 and data.load() == 7 and isinstance(data, Images)
@pvti.instrument_fn(channel)
def traced(x): return x + 1
assert traced(1) == 2 and traced.__name__ == "traced"
class Tools:
    @staticmethod
    def static(x): return x + 1
    @classmethod
    def of_class(cls): return cls.__name__
trace.instrument(Tools, ["static", "of_class"], channel)
assert Tools().static(5) == 6 and Tools.of_class() == "Tools"
@trace.traced(channel)
def values(n):
    got = []
    for i in range(n): got.append((yield i))
    return got
walk = values(2)
assert next(walk) == 0 and walk.send("a") == 1
try: walk.send("b")
except StopIteration as end: assert end.value == ["a", "b"]
import asyncio
@trace.traced(channel)
async def later():
    await asyncio.sleep(0)
    return 7
assert asyncio.run(later()) == 7
pvti.Tracepoint.begin(channel, "by hand"); pvti.Tracepoint.end(channel, "by hand")
pvti.Tracepoint.event(channel, "flag", pvti.createJsonMetadata('{"a": 1}'))
pvti.Graph("Loss", "%").addSeries("training").add(0.5)
pvti.HeatmapDouble("w", [-1, 0, 1], "2^x").add([-5, -0.5, 0, 0.5, 1, 7])
assert trace.lost_events() == 0
)";
    const std::string modules = std::string(TILESCOPE_SOURCE_DIR) + "/reports/recording/python";
    const std::string command = "cd '" + m_folder.path().string() + "' && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='" + modules +
                                "' PVTI_OPTIONS='{\"file\": \"python.tsrec\"}' python3 program.py";
    QCOMPARE(std::system(command.c_str()), 0);
    const RecordedEvents events = readBack((m_folder.path() / "python.tsrec").string());
    QCOMPARE(events.threads.size(), std::size_t(4));
    QCOMPARE(events.slices(), std::size_t(15'000 + 4 + 2 + 3 + 1)); // of the generator each step, of the coroutine all of it
    QCOMPARE(events.seriesNames.begin()->second, std::string("Loss|%|training"));
    QVERIFY((events.histograms == std::vector<std::vector<uint32_t>>{{1, 1, 2, 2}}));
    QVERIFY(events.isOrdered);
    std::size_t instants = 0;
    for (const auto& [number, thread] : events.threads) {
      instants += thread.instants.size();
      QCOMPARE(thread.unmatched, std::size_t(0));
    }
    QCOMPARE(instants, std::size_t(1));
  }
};

TILESCOPE_TEST(PythonRecordingTest)
#include "python_recording_test.moc"
