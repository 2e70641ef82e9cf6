// Questions about an imported trace: slices by their arguments, groups, sums beside threads, sampled profiles, and the host's work while
// the device of another report waits.
#include "analyser/host/arguments.h"
#include "analyser/host/slice_list.h"
#include "analyser/host/waits.h"
#include "reports/core/error.h"
#include "reports/sqlite/reader.h"
#include "reports/sqlite/writer.h"
#include "tests/reports/exchange/imported.h"
#include "tests/support/called_tracks.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace analyser;

class HostQuestionsTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;
  std::optional<reports::exchange::LaidRuns> m_laid; // of the last import

  std::shared_ptr<Session> opened(const std::string& text, reports::exchange::ImportRequest request = {},
                                  const std::string& name = "a.json") {
    std::ofstream(m_folder / name, std::ios::binary) << text;
    request.files = {m_folder / name};
    const auto file = m_folder / (name + ".tsr");
    std::filesystem::remove(file);
    reports::Writer writer(file);
    reports::NoProgress progress;
    m_laid = reports::exchange::importTraces(request, writer, progress, {}).laid;
    writer.commit();
    return Session::open(file.string());
  }
  static constexpr const char* kBatches =
      R"([{"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"load","args":{"batch":1,"shape":{"dims":[3,224]},"kind":"train"}},)"
      R"({"ph":"X","pid":1,"tid":1,"ts":20,"dur":30,"name":"load","args":{"batch":2,"shape":{"dims":[3,112]},"kind":"train"}},)"
      R"({"ph":"X","pid":1,"tid":1,"ts":60,"dur":40,"name":"load","args":{"batch":2,"kind":"test"}},)"
      R"({"ph":"X","pid":1,"tid":1,"ts":110,"dur":5,"name":"idle"}])";

private slots:
  void argumentsAreATree() {
    const auto arguments = host::argumentsOf(R"({"a":1,"shape":{"dims":[3,"x"],"none":{}},"b":null})");
    QStringList paths;
    for (const auto& a : arguments) paths << QString::fromStdString(a.path + (a.isLeaf ? "=" + a.value : ""));
    QCOMPARE(paths, (QStringList{"a=1", "shape", "shape.dims", "shape.dims[0]=3", "shape.dims[1]=x", "shape.none={}", "b=null"}));
    QCOMPARE(arguments[3].parent, 2);
    QVERIFY(arguments[0].isNumber && !arguments[4].isNumber);
    QCOMPARE(host::argumentsOf("no object").front().value, std::string("no object"));
    QVERIFY(host::argumentsOf("").empty());
    QCOMPARE(host::argumentsOf("{\"a\":[" + std::string(5000, '1') + "]}", 1).size(), std::size_t(1));
    host::argumentsOf(std::string(100'000, '[')); // ends
  }
  // A stranger's text may be nested as deep as it is long; its printer recurses.
  void deepArgumentsAreOneText() {
    const auto nested = [](std::size_t levels) { return "{\"a\":" + std::string(levels, '[') + std::string(levels, ']') + "}"; };
    const auto arguments = host::argumentsOf(nested(200'000));
    QCOMPARE(arguments.size(), std::size_t(1));
    QVERIFY(arguments.front().isLeaf && arguments.front().key.empty());
    QCOMPARE(host::argumentsOf(nested(50)).front().path, std::string("a"));
    const auto objects = [](int levels) {
      std::string text;
      for (int i = 0; i < levels; ++i) text += "{\"a\":";
      return text + "1" + std::string(std::size_t(levels), '}');
    };
    QCOMPARE(host::argumentsOf(objects(100'000)).size(), std::size_t(1));
    QVERIFY(host::argumentsOf(objects(40)).size() > 30);
  }
  void typedTextsNameAnArgument() {
    const auto matches = [](const char* typed, const char* json) {
      const auto argument = host::typedArgument(typed);
      if (!argument) return -1;
      int count = 0;
      for (const auto& a : host::argumentsOf(json)) count += argument->matches(a);
      return count;
    };
    const char* json = R"({"batch":17,"my.batch":17.0,"x":{"batch":"17"},"batches":17,"dims":[17,2]})";
    QCOMPARE(matches("batch=17", json), 3); // by its path or the end of it
    QCOMPARE(matches("x.batch = 17", json), 1);
    QCOMPARE(matches("BATCH=\"17\"", json), 3);
    QCOMPARE(matches("dims[0]=17", json), 1);
    QCOMPARE(matches("batch=1", json), 0);
    QCOMPARE(matches("conv", json), -1);
    QCOMPARE(matches("=17", json), -1);
    QCOMPARE(matches("a b=17", json), -1);
  }
  void slicesHaveTheirArgumentsAsColumns() {
    const auto session = opened(kBatches);
    host::HostTimeline timeline(*session);
    const auto list = host::slicesIn(timeline, timeline.range(), 100);
    QCOMPARE(list.count, int64_t(4));
    QCOMPARE(list.keys, (std::vector<std::string>{"batch", "kind", "shape.dims[0]", "shape.dims[1]"}));
    const auto columns = host::sliceColumns(list);
    QCOMPARE(int(columns.size()), 8);
    QVERIFY(columns[4].kind == columns::Kind::Count && columns[5].kind == columns::Kind::Text);
    QCOMPARE(std::get<int64_t>(columns[4].value(list.rows[2])), int64_t(2));
    QVERIFY(std::holds_alternative<std::monostate>(columns[4].value(list.rows[3])));
    QCOMPARE(host::slicesIn(timeline, timeline.range(), 2).rows.back().begin, int64_t(20'000)); // the earliest
    QCOMPARE(host::slicesIn(timeline, timeline.range(), 2).count, int64_t(4));
  }
  // The limit counts the slices that are meant, not the earliest ones.
  void onlySlicesThatAreMeant() {
    const auto session = opened(kBatches);
    host::HostTimeline timeline(*session);
    const auto with = [&](std::string_view key, const char* value) {
      const host::SliceOnly only{std::string(key), [value](const std::string& text) { return text == value; }};
      const auto list = host::slicesIn(timeline, timeline.range(), 1, {}, only);
      return std::pair(list.count, list.rows.empty() ? int64_t(-1) : list.rows.front().begin);
    };
    using Found = std::pair<int64_t, int64_t>;
    QCOMPARE(with(host::kByName, "idle"), (Found{1, 110'000}));
    QCOMPARE(with("kind", "test"), (Found{1, 60'000}));
    QCOMPARE(with("batch", "2"), (Found{2, 20'000}));
    QCOMPARE(with("batch", ""), (Found{1, 110'000})); // without it
    QCOMPARE(with(host::kByThread, "none such"), (Found{0, -1}));
  }
  void groupsTellWholeAndCutSlicesApart() {
    const auto session = opened(kBatches);
    host::HostTimeline timeline(*session);
    const auto groups = host::groupsBy(timeline, {0, 80'000}, "batch");
    QCOMPARE(groups.size(), std::size_t(2));
    QCOMPARE(groups[0].value, std::string("2"));
    QCOMPARE(groups[0].count, int64_t(2));
    QCOMPARE(groups[0].cut, int64_t(1));
    QCOMPARE(groups[0].total, int64_t(50'000));
    QCOMPARE(groups[0].longest, int64_t(30'000)); // the cut one is longer
    QCOMPARE(host::groupsBy(timeline, timeline.range(), std::string(host::kByName)).size(), std::size_t(2));
    QCOMPARE(host::groupsBy(timeline, timeline.range(), std::string(host::kByThread)).size(), std::size_t(1));
  }
  void detailsWithAnArgument() {
    const auto session = opened(kBatches);
    const auto typed = host::typedArgument("batch=2");
    const auto with = host::detailsWith(
        *session, [](const std::string&) { return true; }, [&](const host::Argument& a) { return typed->matches(a); });
    QCOMPARE(std::count(with.begin(), with.end(), true), std::ptrdiff_t(2));
  }
  void missingTextsAreRefused() {
    opened(kBatches);
    tests::tamper(m_folder / "a.json.tsr", "UPDATE details_chunk SET first_id = 1000000000000000");
    const auto session = Session::open((m_folder / "a.json.tsr").string());
    const auto is = [](const auto&) { return true; };
    QVERIFY_EXCEPTION_THROWN(host::detailsWith(*session, is, is), reports::Error);
  }
  // Sums that clang writes as slices are not counted as work.
  void totalsAreNotCounted() {
    const auto session =
        opened(R"([{"pid":1,"tid":1,"ph":"X","ts":5,"dur":20,"name":"Frontend"},)"
               R"({"pid":1,"tid":2,"ph":"X","ts":0,"dur":90,"name":"Total Frontend","args":{"count":3,"avg ms":30}}])");
    host::HostTimeline timeline(*session);
    const auto list = timeline.statistics(timeline.range());
    QCOMPARE(list.size(), std::size_t(1));
    QCOMPARE(list[0].label, std::string("Frontend"));
    QVERIFY(!timeline.isSampled());
    QCOMPARE(tests::calledTracks(timeline).size(), std::size_t(1));
  }
  void aProfileIsSampled() {
    const auto session = opened("main;f 3\nmain;g 2\n", {}, "a.folded");
    QVERIFY(host::HostTimeline(*session).isSampled());
  }

  // A recording beside a simulated report: each Engine::run of it is linked to a run, the device keeps its own time, and the time
  // between runs is named by the host's work.
  void theHostWhileTheDeviceWaits() {
    const tests::TinyReport report;
    std::vector<int64_t> cycles;
    double clock = 0;
    int64_t tracks = 0, strings = 0;
    std::string title;
    {
      const auto device = Session::open(report.path().string());
      for (const auto& run : device->reader().rows<reports::RunRow>("1 ORDER BY start_cycle")) cycles.push_back(run.cycles);
      clock = double(device->machine().clockHz);
      tracks = int64_t(device->reader().rows<reports::TrackRow>("kind <> 'host_thread'").size());
      strings = int64_t(device->texts().size());
      title = device->identity().title;
    }
    QVERIFY(cycles.size() >= 2);
    const double first = double(cycles[0]) / clock * 1e6; // microseconds
    const int64_t next = int64_t(first) + 1000;
    const std::string text = R"([{"ph":"X","pid":1,"tid":1,"ts":0,"dur":)" + std::to_string(first + 100) +
                             R"(,"name":"Engine::run"},)" + R"({"ph":"X","pid":1,"tid":1,"ts":)" + std::to_string(first + 200) +
                             R"(,"dur":600,"name":"load"},)" + R"({"ph":"X","pid":1,"tid":1,"ts":)" + std::to_string(next) +
                             R"(,"dur":1,"name":"Engine::run"},)" + R"({"ph":"X","pid":1,"tid":1,"ts":)" +
                             std::to_string(next + 2000) + R"(,"dur":1,"name":"Engine::run"}])";
    reports::exchange::ImportRequest request;
    request.device = reports::exchange::DeviceBeside{report.path()};
    const auto session = opened(text, request);
    QVERIFY(m_laid);
    QCOMPARE(m_laid->slices, int64_t(3));
    QCOMPARE(m_laid->runs, int64_t(cycles.size()));
    QCOMPARE(session->identity().title, title); // the workload is the run's
    QVERIFY(int64_t(session->texts().size()) > strings);
    QCOMPARE(int64_t(session->reader().rows<reports::TrackRow>("kind <> 'host_thread'").size()), tracks);
    host::HostTimeline timeline(*session);
    QCOMPARE(timeline.processes().size(), std::size_t(1)); // the simulator's own host is gone
    const auto& runs = timeline.device().runs();
    QCOMPARE(runs.size(), std::min<std::size_t>(3, cycles.size()));
    QVERIFY(std::abs(double(runs[0].host.size()) - first * 1e3) < 10); // its own time
    QVERIFY(runs[1].host.size() <= 1000);                              // at most its slice
    const auto waits = host::waitsOf(timeline);
    QVERIFY(waits);
    QVERIFY(waits->labels.size() >= 2);
    QCOMPARE(waits->labels[0].label, std::string("load"));
    QCOMPARE(waits->labels[0].total, Nanoseconds(600'000));
    Nanoseconds all;
    for (const auto& label : waits->labels) all += label.total;
    QCOMPARE(all, waits->idle);
    QVERIFY(timeline.verdict().text().find("most time in “load”: 600 µs, ") != std::string::npos);
    bool isSaid = false; // three slices, two runs
    for (const auto& issue : session->reader().rows<reports::ReportIssueRow>())
      isSaid |= issue.message.find("Engine::run") != std::string::npos;
    QCOMPARE(isSaid, cycles.size() != 3);
    // Runs of two threads that overlap: the device waits from the end of the longer one. The second link is in the first one's time.
    tests::tamper(m_folder / "a.json.tsr", "UPDATE run_link SET start_tick = 10, end_tick = 20 WHERE start_tick > 0");
    const auto changed = Session::open((m_folder / "a.json.tsr").string());
    host::HostTimeline overlapping(*changed);
    QCOMPARE(overlapping.device().runs().size(), std::size_t(2));
    const auto once = host::waitsOf(overlapping);
    QVERIFY(once);
    QCOMPARE(once->span, Nanoseconds(runs[0].host.size()));
    QCOMPARE(once->idle, Nanoseconds());
    // Two threads whose slices overlap: each slice has its run, in the order of their starts, and the report says so.
    const std::string threads = R"([{"ph":"X","pid":1,"tid":1,"ts":0,"dur":900,"name":"Engine::run"},)"
                                R"({"ph":"X","pid":1,"tid":1,"ts":10,"dur":5,"name":"Engine::run, inside"},)"
                                R"({"ph":"X","pid":1,"tid":2,"ts":500,"dur":900,"name":"Engine::run"}])";
    const auto both = opened(threads, request);
    const auto links = both->reader().rows<reports::RunLinkRow>("1 ORDER BY start_tick");
    QCOMPARE(links.size(), std::size_t(2));
    QVERIFY(links[0].trackId != links[1].trackId);
    bool isOverlapSaid = false;
    for (const auto& issue : both->reader().rows<reports::ReportIssueRow>())
      isOverlapSaid |=
          issue.message.find("1 of the slices") != std::string::npos && issue.message.find("another thread") != std::string::npos;
    QVERIFY(isOverlapSaid);
    // The simulator's own report has no such question: its host time is that of the simulation.
    const auto own = Session::open(report.path().string());
    host::HostTimeline ownTimeline(*own);
    QVERIFY(!host::waitsOf(ownTimeline));
  }
};

TILESCOPE_TEST(HostQuestionsTest)
#include "host_questions_test.moc"
