// A reader finds every event of every thread that a program recorded, also of a program that was killed.
#include "reports/core/error.h"
#include "reports/recording/recording_reader.h"
#include "reports/recording/tilescope_trace.h"
#include "tests/reports/recording/recorded_events.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>
#include <fstream>
#include <random>
#include <thread>

#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trace = tilescope_trace;

namespace {

trace::Channel& work() {
  static trace::Channel channel("work");
  return channel;
}

} // namespace

class RecordingTest : public QObject {
  Q_OBJECT
  tests::TemporaryFolder m_folder;

  std::string record(const std::string& name, const std::function<void()>& program, trace::Options options = {}) {
    options.directory = m_folder.path().string();
    options.file = name;
    if (!trace::start(options)) return {};
    program();
    const std::string file = trace::fileName();
    trace::stop();
    return file;
  }

private slots:
  void everyKindOfEvent() {
    const std::string file = record("kinds.tsrec", [] {
      trace::nameThread("main thread");
      {
        const trace::Scope outer(work(), "outer", R"({"epoch": 3})");
        trace::instant(work(), "flag", R"({"a": 1})");
        TILESCOPE_TRACE_SCOPE(work(), "inner");
      }
      trace::begin(work(), "first");
      trace::begin(work(), "second");
      trace::end(work(), "first"); // not the innermost
      trace::end(work(), "second");
      const trace::Series loss = trace::Graph("Loss", "%").addSeries("training");
      loss.add(1.5);
      loss.add(-2);
      trace::Heatmap("weights", {-1, 0, 1}).add({-5, -0.5, 0, 0.5, 1, 7});
    });
    const RecordedEvents events = readBack(file);
    QCOMPARE(events.threads.size(), std::size_t(1));
    const auto& thread = events.threads.begin()->second;
    QCOMPARE(thread.name, std::string("main thread"));
    QCOMPARE(thread.slices.size(), std::size_t(4));
    QCOMPARE(thread.slices[0].label, std::string("outer"));
    QCOMPARE(thread.slices[0].channel, std::string("work"));
    QCOMPARE(thread.slices[0].metadata, std::string(R"({"epoch": 3})"));
    QCOMPARE(thread.slices[1].label, std::string("inner"));
    QCOMPARE(thread.slices[1].depth, std::size_t(1));
    QVERIFY(thread.slices[1].start >= thread.slices[0].start && thread.slices[1].end <= thread.slices[0].end);
    QCOMPARE(thread.slices[2].label, std::string("first"));
    QVERIFY(thread.slices[2].end <= thread.slices[3].end);
    QCOMPARE(thread.unmatched, std::size_t(0));
    QCOMPARE(thread.instants.size(), std::size_t(1));
    QCOMPARE(thread.instants[0].metadata, std::string(R"({"a": 1})"));
    QCOMPARE(events.seriesNames.begin()->second, std::string("Loss|%|training"));
    QVERIFY((events.samples.begin()->second == std::vector<double>{1.5, -2}));
    QVERIFY((events.edges.begin()->second == std::vector<double>{-1, 0, 1}));
    QVERIFY((events.histograms == std::vector<std::vector<uint32_t>>{{1, 1, 2, 2}}));
    QVERIFY(events.isOrdered);
  }

  void eightThreadsLoseNothing() {
    constexpr int kThreads = 8, kSlices = 20'000;
    const std::string file = record("threads.tsrec", [] {
      std::vector<std::thread> threads;
      for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([t] {
          trace::nameThread("worker " + std::to_string(t));
          for (int i = 0; i < kSlices; ++i) {
            const trace::Scope outer(work(), "step " + std::to_string(i % 700));
            const trace::Scope inner(work(), i % 2 ? "odd" : "even");
          }
        });
      for (std::thread& thread : threads) thread.join();
    });
    QCOMPARE(trace::lostEvents(), uint64_t(0));
    const RecordedEvents events = readBack(file);
    QCOMPARE(events.threads.size(), std::size_t(kThreads));
    QVERIFY(events.isOrdered);
    std::set<std::string> names;
    for (const auto& [number, thread] : events.threads) {
      names.insert(thread.name);
      QCOMPARE(thread.slices.size(), std::size_t(2 * kSlices));
      for (int i = 0; i < kSlices; ++i) {
        const auto& outer = thread.slices[std::size_t(2 * i)];
        const auto& inner = thread.slices[std::size_t(2 * i + 1)];
        QVERIFY(outer.label == "step " + std::to_string(i % 700) && inner.label == (i % 2 ? "odd" : "even"));
        QVERIFY(outer.end >= inner.end && inner.end >= inner.start && outer.depth == 0 && inner.depth == 1);
      }
    }
    QCOMPARE(names.size(), std::size_t(kThreads));
  }

  // More labels than a thread's table can hold, and labels longer than a record.
  void labelsWithoutEnd() {
    constexpr int kLabels = 20'000;
    const std::string file = record("labels.tsrec", [] {
      for (int i = 0; i < kLabels; ++i) const trace::Scope scope(work(), "label " + std::to_string(i));
      const trace::Scope scope(work(), std::string(200'000, 'x'));
    });
    const RecordedEvents events = readBack(file);
    const auto& slices = events.threads.begin()->second.slices;
    QCOMPARE(slices.size(), std::size_t(kLabels + 1));
    for (int i = 0; i < kLabels; ++i) QVERIFY(slices[std::size_t(i)].label == "label " + std::to_string(i));
    QCOMPARE(slices.back().label, std::string(trace::format::kMostStringBytes, 'x'));
  }

  void aKilledProgramLosesNothing() {
    auto* done = static_cast<std::atomic<int64_t>*>(
        mmap(nullptr, sizeof(std::atomic<int64_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
      new (done) std::atomic<int64_t>(0);
      const std::string file = (m_folder.path() / ("killed" + std::to_string(round) + ".tsrec")).string();
      const pid_t child = fork();
      if (child == 0) {
        trace::Options options;
        options.directory = m_folder.path().string();
        options.file = "killed" + std::to_string(round) + ".tsrec";
        trace::start(options);
        for (int64_t i = 0;; ++i) {
          const trace::Scope scope(work(), "slice " + std::to_string(i % 97));
          done->store(i);
        }
      }
      QVERIFY(child > 0);
      const int64_t until = int64_t(random() % 30'000);
      while (done->load() < until) sched_yield();
      kill(child, SIGKILL);
      int status = 0;
      QCOMPARE(waitpid(child, &status, 0), child);
      const RecordedEvents events = readBack(file);
      QVERIFY(int64_t(events.slices()) >= done->load()); // the last may have begun or not
      QVERIFY(int64_t(events.slices()) <= done->load() + 2);
      QVERIFY(events.isOrdered);
    }
    munmap(done, sizeof *done);
  }

  // Killed at any moment, even while the file is created: an existing file opens, and lacks at most the events of the last 100 ms.
  // TILESCOPE_KILLS=200 does it as often as a person wants to see.
  void aFileOfAKilledProgramOpens() {
    constexpr int kThreads = 4;
    constexpr auto kMostMissing = std::chrono::milliseconds(100);
    struct Shared {
      std::atomic<int64_t> times[kThreads]; // end of each thread's last slice, of the monotonic clock
    };
    auto* shared = static_cast<Shared*>(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    const int rounds = qEnvironmentVariableIntValue("TILESCOPE_KILLS") > 0 ? qEnvironmentVariableIntValue("TILESCOPE_KILLS") : 20;
    std::mt19937 random(13);
    int files = 0;
    for (int round = 0; round < rounds; ++round) {
      for (auto& time : shared->times) new (&time) std::atomic<int64_t>(0);
      const std::string name = "moment" + std::to_string(round) + ".tsrec";
      const pid_t child = fork();
      if (child == 0) {
        trace::Options options;
        options.directory = m_folder.path().string();
        options.file = name;
        trace::start(options);
        std::vector<std::thread> threads;
        for (int t = 0; t < kThreads; ++t)
          threads.emplace_back([&, t] {
            trace::nameThread(std::to_string(t));
            for (int64_t i = 0;; ++i) {
              { const trace::Scope scope(work(), "slice " + std::to_string(i % 97)); }
              shared->times[t] = std::chrono::steady_clock::now().time_since_epoch().count();
            }
          });
        for (std::thread& thread : threads) thread.join();
      }
      QVERIFY(child > 0);
      // waits because the kill must come at a random moment
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 40'000));
      kill(child, SIGKILL);
      int status = 0;
      QCOMPARE(waitpid(child, &status, 0), child);
      const auto file = m_folder.path() / name;
      if (!std::filesystem::exists(file)) continue; // killed before it began to record
      ++files;
      reports::RecordingReader reader(file);
      RecordedEvents events;
      reader.read(events);
      QVERIFY(events.isOrdered);
      for (const auto& [number, thread] : events.threads) {
        if (thread.name.empty()) continue;
        const int64_t last = shared->times[std::stoi(thread.name)];
        const int64_t kept = reader.header().startMonotonic + thread.last;
        QVERIFY2(kept >= last - std::chrono::nanoseconds(kMostMissing).count(), qPrintable(QString::number(last - kept)));
      }
      std::filesystem::remove(file);
    }
    QVERIFY(files > rounds / 2);
    munmap(shared, sizeof *shared);
  }

  void aFileThatGrowsIsReadOn() {
    trace::Options options;
    options.directory = m_folder.path().string();
    options.file = "grows.tsrec";
    QVERIFY(trace::start(options));
    reports::RecordingReader reader(trace::fileName());
    RecordedEvents events;
    std::size_t recorded = 0;
    for (int round = 0; round < 40; ++round) {
      for (int i = 0; i < 531; ++i, ++recorded) const trace::Scope scope(work(), "a");
      reader.read(events);
      QCOMPARE(events.slices(), recorded);
    }
    trace::stop();
    reader.read(events);
    QCOMPARE(events.slices(), recorded);
    QCOMPARE(reader.damagedChunks(), int64_t(0));
  }

  void aForkHasARecordingOfItsOwn() {
    const std::string file = record("parent.tsrec", [] {
      const trace::Scope scope(work(), "parent");
      const pid_t child = fork();
      if (child == 0) {
        { const trace::Scope own(work(), "child"); }
        trace::stop();
        _exit(trace::fileName().find(std::to_string(getpid())) == std::string::npos);
      }
      int status = 1;
      waitpid(child, &status, 0);
      QCOMPARE(status, 0);
      const RecordedEvents events = readBack(trace::fileName() + "." + std::to_string(child));
      QCOMPARE(events.slices(), std::size_t(1));
      QCOMPARE(events.threads.begin()->second.slices[0].label, std::string("child"));
    });
    const RecordedEvents events = readBack(file);
    QCOMPARE(events.slices(), std::size_t(1));
  }

  void channelsAndSwitches() {
    trace::Channel other("other"), off("off", false);
    trace::Options options;
    options.channels = {"work", "off"};
    const std::string file = record(
        "channels.tsrec",
        [&] {
          QVERIFY(work().isActive() && !other.isActive() && !off.isActive());
          for (trace::Channel* channel : {&work(), &other, &off}) const trace::Scope scope(*channel, "x");
          off.enable(true);
          const trace::Scope scope(off, "y");
        },
        options);
    QVERIFY(!work().isActive());
    { const trace::Scope unrecorded(work(), "after the end"); }
    QCOMPARE(readBack(file).slices(), std::size_t(2));
  }

  void theLimitIsKeptAndSaid() {
    trace::Options options;
    options.limitBytes = 300'000;
    const std::string file = record(
        "limit.tsrec",
        [] {
          for (int i = 0; i < 50'000; ++i) const trace::Scope scope(work(), "x");
        },
        options);
    QVERIFY(std::filesystem::file_size(file) <= 300'000);
    reports::RecordingReader reader(file);
    RecordedEvents events;
    reader.read(events);
    QVERIFY(reader.lostEvents() > 0);
    std::size_t ended = 0;
    for (const auto& slice : events.threads.begin()->second.slices) ended += slice.end >= 0;
    QCOMPARE(events.slices() + ended + reader.lostEvents(), uint64_t(100'000));
  }

  void optionsOfTheEnvironment() {
    QVERIFY(!trace::parseOptions(nullptr).enable);
    QVERIFY(trace::parseOptions("no json").enable);
    QVERIFY(!trace::parseOptions(R"({"enable": false})").enable);
    QVERIFY(!trace::parseOptions(R"({"enable": "0"})").enable);
    const trace::Options options =
        trace::parseOptions(R"({"directory": "/x", "channels": ["a", 3, "b"], "duration": 1.5, "limit": 77, "file": 4})");
    QCOMPARE(options.directory, std::string("/x"));
    QVERIFY((options.channels == std::vector<std::string>{"a", "b"}));
    QCOMPARE(options.durationSeconds, 1.5);
    QCOMPARE(options.limitBytes, uint64_t(77));
    QVERIFY(options.file.empty());
  }

  void noFolder() {
    trace::Options options;
    options.directory = (m_folder.path() / "absent").string();
    QVERIFY(!trace::start(options));
    QVERIFY(!trace::isRecording());
  }

  // A device, a pipe or a link is never replaced.
  void onlyARegularFileIsReplaced() {
    trace::Options options;
    options.directory = m_folder.path().string();
    options.file = "pipe";
    QCOMPARE(::mkfifo((m_folder.path() / "pipe").c_str(), 0600), 0);
    QVERIFY(!trace::start(options));
    QVERIFY(std::filesystem::is_fifo(m_folder.path() / "pipe"));
  }

  // Every byte may be wrong or missing; the rest is read without a crash.
  void damagedFiles() {
    const std::string file = record("whole.tsrec", [] {
      const trace::Series series = trace::Graph("g").addSeries("s");
      for (int i = 0; i < 4000; ++i) {
        const trace::Scope scope(work(), "slice " + std::to_string(i % 50), R"({"i": 1})");
        series.add(i);
      }
    });
    std::ifstream stream(file, std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(stream)), {});
    const std::string damaged = (m_folder.path() / "damaged.tsrec").string();
    std::mt19937 random(11);
    for (int round = 0; round < 300; ++round) {
      std::string bytes = whole;
      if (round % 3 == 0) bytes.resize(random() % bytes.size());
      for (unsigned i = 0; i < random() % 20 && !bytes.empty(); ++i) bytes[random() % bytes.size()] = char(random());
      std::ofstream(damaged, std::ios::binary) << bytes;
      try {
        readBack(damaged);
      } catch (const reports::Error&) {
      }
    }
    std::ofstream(damaged, std::ios::binary) << whole.substr(0, 4096 + 65536 + 30'000);
    reports::RecordingReader reader(damaged);
    RecordedEvents events;
    reader.read(events);
    QVERIFY(events.slices() > 1300 && events.slices() < 1350);
    QVERIFY(reader.damagedChunks() > 0);
  }

  // Labels and metadata of a program are private.
  void onlyTheUserReadsARecording() {
    const mode_t before = ::umask(0);
    const std::string file = record("private.tsrec", [] { trace::instant(work(), "i"); });
    ::umask(before);
    struct stat status {};
    QCOMPARE(::stat(file.c_str(), &status), 0);
    QCOMPARE(status.st_mode & 07777, mode_t(0600));
  }

  // A signal handler records during the program's own events, malloc and output: all events are complete, and nothing deadlocks.
  void aTimerRecordsWithinEvents() {
    static std::atomic<int> ticks;
    ticks = 0;
    work(); // made before its handler uses it
    int rounds = 0;
    const std::string file = record("timer.tsrec", [&] {
      trace::instant(work(), "first"); // what a thread needs is made by its first event
      struct sigaction action {
      }, old{};
      action.sa_handler = [](int) {
        const trace::Scope scope(work(), "tick");
        trace::instant(work(), "in a handler", "{\"n\": 1}");
        ++ticks;
      };
      action.sa_flags = SA_RESTART;
      sigaction(SIGALRM, &action, &old);
      sigevent toThisThread{}; // a signal of the process may go to another thread, e.g. one of Qt's
      toThisThread.sigev_notify = SIGEV_THREAD_ID;
      toThisThread.sigev_signo = SIGALRM;
      toThisThread._sigev_un._tid = gettid();
      timer_t timer{};
      QCOMPARE(timer_create(CLOCK_MONOTONIC, &toThisThread, &timer), 0);
      const itimerspec every{{0, 2'000'000}, {0, 2'000'000}};
      timer_settime(timer, 0, &every, nullptr);
      std::vector<std::string> others;
      for (; ticks < 300; ++rounds) {
        const trace::Scope scope(work(), "label " + std::to_string(rounds), "{}");
        others.emplace_back(std::size_t(rounds % 2000), 'x');
        if (others.size() > 100) others.clear();
      }
      timer_delete(timer);
      sigaction(SIGALRM, &old, nullptr);
      QCOMPARE(trace::lostEvents(), std::uint64_t(0));
    });
    const RecordedEvents events = readBack(file);
    QCOMPARE(events.slices(), std::size_t(rounds) + std::size_t(ticks));
    QVERIFY(events.isOrdered);
    QCOMPARE(events.threads.size(), std::size_t(1));
    QCOMPARE(events.threads.begin()->second.instants.size(), std::size_t(ticks) + 1);
    QCOMPARE(events.threads.begin()->second.unmatched, std::size_t(0));
  }
};

TILESCOPE_TEST(RecordingTest)
#include "recording_test.moc"
