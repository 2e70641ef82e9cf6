// Values of profiles: objects and bytes of a heap and the events of perf are not added up, and the headline is about threads.
#include "analyser/compare/comparison_columns.h"
#include "analyser/compare/host_difference.h"
#include "analyser/host/host_columns.h"
#include "analyser/host/host_timeline.h"
#include "analyser/host/slice_list.h"
#include "analyser/html/report_page.h"
#include "reports/sqlite/writer.h"
#include "tests/reports/exchange/imported.h"
#include "tests/reports/exchange/pprof_profile.h"
#include "tests/support/called_tracks.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <QTest>

using namespace analyser;
using host::MeasuredValue;

class ProfileValuesTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;
  std::shared_ptr<Session> m_session;

  std::shared_ptr<Session> imported(const std::string& text, const std::string& name) {
    std::ofstream(m_folder / name, std::ios::binary) << text;
    reports::exchange::ImportRequest request;
    request.files = {m_folder / name};
    const auto file = m_folder / (name + ".tsr");
    std::filesystem::remove(file);
    reports::Writer writer(file);
    reports::NoProgress progress;
    reports::exchange::importTraces(request, writer, progress, {});
    writer.commit();
    return Session::open(file.string());
  }
  host::HostTimeline opened(const std::string& text, const std::string& name) {
    m_session = imported(text, name);
    return host::HostTimeline(*m_session);
  }
  nlohmann::json hostOfThePage(const std::string& text, const std::string& name) {
    const std::string page = html::reportPage(*imported(text, name)), begin = "<script id=\"data\" type=\"application/json\">";
    const auto from = page.find(begin) + begin.size();
    return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from))["host"];
  }
  static tests::ProfileWriter heap() {
    tests::ProfileWriter w;
    w.type("alloc_objects", "count"), w.type("alloc_space", "bytes");
    w.type("inuse_objects", "count"), w.type("inuse_space", "bytes");
    w.sample({2, 1}, {1'000'000, 16'000'000, 1'000, 16'384});
    w.sample({3, 1}, {2, 64'000'000, 2, 1'048'576});
    w.function(1, "main"), w.function(2, "many"), w.function(3, "big");
    for (uint64_t i = 1; i <= 3; ++i) w.location(i, i, {i});
    return w;
  }
  static QString text(const Sentence& sentence) { return QString::fromStdString(sentence.text()); }

private slots:
  void valuesOfAHeapAreApart() {
    host::HostTimeline last = opened(heap().bytes(), "heap.pb");
    const auto values = host::valuesOf(last);
    QCOMPARE(values.size(), std::size_t(4));
    QCOMPARE(values[0].name, std::string("inuse_space")); // pprof shows the last type
    QCOMPARE(values[0].unit, MeasuredValue::Unit::Bytes);
    QCOMPARE(values[2].name, std::string("alloc_objects")); // behind the other value in bytes
    QCOMPARE(values[2].unit, MeasuredValue::Unit::Count);
    const auto calls = trace::callTree(last.slices(), values[0].tracks, last.range(), 100);
    QCOMPARE(values[0].amount(calls[0].total), int64_t(16'384 + 1'048'576));
    QCOMPARE(text(last.verdict()), QString("1.02 MiB of inuse_space; “big” takes most: 1.00 MiB (98.5 %)."));
    const QString objects = text(last.verdict(values, 2));
    QVERIFY2(objects.contains("alloc_objects; “many” takes most: 1,000,000 (100 %)"), qPrintable(objects));

    tests::ProfileWriter named = heap();
    named.shownFirst("alloc_objects"); // the file says what to show
    host::HostTimeline first = opened(named.bytes(), "heap2.pb");
    QCOMPARE(host::valuesOf(first)[0].id, std::string("alloc_objects (count)"));
  }
  void samplesAndTimeOfACpuProfile() {
    tests::ProfileWriter w;
    w.type("samples", "count"), w.type("cpu", "nanoseconds");
    w.sample({1}, {3, 30'000'000});
    w.function(1, "main"), w.location(1, 1, {1});
    host::HostTimeline timeline = opened(w.bytes(), "cpu.pb");
    const auto values = host::valuesOf(timeline);
    QCOMPARE(values.size(), std::size_t(2));
    QCOMPARE(values[0].unit, MeasuredValue::Unit::Time);
    QCOMPARE(text(timeline.verdict()), QString("30.0 ms of cpu; “main” takes most: 30.0 ms (100 %)."));
    QCOMPARE(text(timeline.verdict(values, 1)), QString("3 samples; “main” takes most: 3 (100 %)."));
  }
  void eventsOfPerfAreApart() {
    std::string text;
    for (int i = 0; i < 5; ++i)
      text += "app 50 [000] 100.00" + std::to_string(i) +
              "000: 1000000 cpu-clock:\n\t 1000 work+0x1 (/bin/app)\n\t 2000 main+0x2 " + "(/bin/app)\n\napp 50 [000] 100.00" +
              std::to_string(i) + "200: 500 cache-misses:\n\t 3000 miss+0x1 (/bin/app)\n\t 2000 main+0x2 (/bin/app)\n\n";
    host::HostTimeline timeline = opened(text, "a.perf");
    const auto values = host::valuesOf(timeline);
    QCOMPARE(values.size(), std::size_t(2));
    QCOMPARE(values[0].id, std::string("cpu-clock"));
    QCOMPARE(values[1].id, std::string("cache-misses"));
    for (std::size_t i = 0; i < 2; ++i)
      for (const auto& node : trace::callTree(timeline.slices(), values[i].tracks, timeline.range(), 100))
        QVERIFY(m_session->text(node.name) != (i == 0 ? "miss" : "work"));
    QVERIFY(ProfileValuesTest::text(timeline.verdict()).contains("on 1 thread; “work” takes most (cpu-clock): 5.00 ms"));
  }
  // Events that count are summed as events, at the times of their samples; clocks are time.
  void eventsThatCountAreSummed() {
    const auto sample = [](const std::string& time, const std::string& period, const std::string& event, const char* leaf) {
      return "app 50 [000] 100." + time + ": " + period + " " + event + ":\n\t 3000 " + leaf +
             "+0x1 (/bin/app)\n\t 2000 main+0x2 (/bin/app)\n\n";
    };
    const std::string text = sample("000000", "500", "cache-misses", "miss") + sample("001000", "700", "cache-misses", "miss") +
                             sample("002000", "300", "cache-misses", "load") + sample("003000", "1000000", "cpu-clock", "work") +
                             sample("004000", "1000000", "cpu-clock", "work");
    host::HostTimeline timeline = opened(text, "events.perf");
    const auto values = host::valuesOf(timeline);
    QCOMPARE(values.size(), std::size_t(2));
    const MeasuredValue &misses = values[0], &clock = values[1];
    QVERIFY(misses.events && misses.unit == MeasuredValue::Unit::Count && misses.isInTime);
    QVERIFY(!clock.events && clock.isPlainTime());
    QCOMPARE(ProfileValuesTest::text(timeline.verdict(values, 0)),
             QString("1,500 cache-misses on 1 thread; “miss” takes most: 1,200 (80.0 %)."));
    std::map<std::string, int64_t> self;
    for (const auto& s : timeline.statistics(timeline.range(), values, 0)) self[s.label] = s.self;
    QCOMPARE(self, (std::map<std::string, int64_t>{{"app", 0}, {"main", 0}, {"miss", 1'200}, {"load", 300}}));
    const auto calls = trace::callTree(timeline.slices(), misses.tracks, timeline.range(), 100, {}, {}, misses.weigh());
    QCOMPARE(misses.amount(calls[0].total), int64_t(1'500));
    // A part of the time has its own samples, and the times of the clock are not mixed in.
    const auto begin = timeline.range().begin;
    const auto part = timeline.statistics({begin, begin + 1'500'000}, values, 0);
    QCOMPARE(part.front().total, int64_t(1'200));
    for (const auto& s : timeline.statistics(timeline.range(), values, 1)) QVERIFY(s.label != "miss" && s.label != "load");
    // Rows and groups of slices have the unit of the value.
    const auto list = host::slicesIn(timeline, timeline.range(), 100, {}, {}, {values, 0});
    for (const auto& row : list.rows) QVERIFY(row.name != "miss" || row.amount == 1'200);
    const auto columns = host::sliceColumns(list);
    QCOMPARE(columns[std::size_t(columns::indexOf(columns, "duration"))].title, std::string("cache-misses"));
    const auto groups = host::groupsBy(timeline, timeline.range(), std::string(host::kByName), {}, {values, 0});
    QCOMPARE(groups.front().total, int64_t(1'500));
  }
  void statisticsOfAHeapAreInItsUnit() {
    host::HostTimeline timeline = opened(heap().bytes(), "heap3.pb");
    const auto values = host::valuesOf(timeline);
    const auto list = timeline.statistics(timeline.range(), values, 0);
    QCOMPARE(list.size(), std::size_t(3)); // of inuse_space alone
    QCOMPARE(list.front().total, int64_t(16'384 + 1'048'576));
    const auto columns = host::labelColumns(values[0]);
    QCOMPARE(columns[std::size_t(columns::indexOf(columns, "total"))].kind, columns::Kind::Bytes);
    for (const auto& column : columns) QVERIFY(column.kind != columns::Kind::Nanoseconds);
    const auto slices = host::slicesIn(timeline, timeline.range(), 100, {}, {}, {values, 0});
    for (const auto& column : host::sliceColumns(slices)) QVERIFY(column.kind != columns::Kind::Nanoseconds);
    QCOMPARE(values[0].range, (trace::TickRange{0, (16'384 + 1'048'576) * int64_t(1'000)}));
  }
  void heapsAreComparedInTheirUnit() {
    tests::ProfileWriter larger = heap();
    larger.sample({3, 1}, {0, 0, 1, 1'048'576});
    const auto a = imported(heap().bytes(), "heap_a.pb"), b = imported(larger.bytes(), "heap_b.pb");
    const auto found = compare::hostDifference(*a, *b);
    QCOMPARE(found.unit, compare::Unit::Bytes);
    QCOMPARE(found.base, int64_t(16'384 + 1'048'576));
    QCOMPARE(found.other, int64_t(16'384 + 2 * 1'048'576));
    QCOMPARE(found.labels.front().difference(), int64_t(1'048'576));
    QCOMPARE(text(found.verdict), QString("B has 98.5 % more of “inuse_space”; most of the change is in “big”."));
    for (const auto& column : compare::labelColumns(found.unit))
      QVERIFY(column.kind != columns::Kind::Nanoseconds && column.kind != columns::Kind::NanosecondsDelta);
    const auto whole = compare::compare(*a, *b);
    QCOMPARE(whole.totals.back().key, std::string("host.bytes"));
    QCOMPARE(text(whole.findings.front().text), QString("big +1.00 MiB"));
    QVERIFY(compare::compare(*a, *a).empty());
  }
  void anotherValueIsNotCompared() {
    const auto a = imported(heap().bytes(), "heap_c.pb"),
               b = imported(R"([{"ph":"X","pid":1,"tid":1,"ts":0,"dur":30,"name":"compute"}])", "times.json");
    const auto found = compare::hostDifference(*a, *b);
    QVERIFY(found.labels.empty());
    QCOMPARE(text(found.verdict), QString("A measures “inuse_space” on the host and B “time”, which are not compared."));
  }
  // The axis of the page begins with an instant before the first slice; the first slice is drawn at its own time.
  void thePageDrawsSlicesAtTheirTimes() {
    const auto host = hostOfThePage(R"([{"ph":"i","s":"t","pid":1,"tid":1,"ts":100,"name":"start"},)"
                                    R"({"ph":"X","pid":1,"tid":1,"ts":150,"dur":30,"name":"compute"}])",
                                    "early.json");
    const int64_t begin = host["range"][0], first = host["tracks"][0]["lanes"][0][0];
    QCOMPARE(first, int64_t(50'000));
    QCOMPARE(host["range"][1].get<int64_t>() - begin, int64_t(80'000));
    QCOMPARE(host["unit"].get<std::string>(), std::string("nanoseconds"));
  }
  void thePageDrawsOneValueInItsUnit() {
    const auto host = hostOfThePage(heap().bytes(), "heap_d.pb");
    QCOMPARE(host["unit"].get<std::string>(), std::string("bytes"));
    QCOMPARE(host["tracks"].size(), std::size_t(1));
    QCOMPARE(host["range"][1].get<int64_t>() / host["ticks_per_unit"].get<int64_t>(), int64_t(16'384 + 1'048'576));
  }
  // Stacks without times are numbers of samples.
  void foldedStacksAreCounts() {
    host::HostTimeline timeline = opened("main;f 30\nmain;g 10\n", "a.folded");
    QCOMPARE(text(timeline.verdict()), QString("40 samples; “f” takes most: 30 (75.0 %)."));
  }
  // Neither a state of the scheduler nor an asynchronous span is the work of a thread, however long.
  void theHeadlineNamesWorkOfThreads() {
    host::HostTimeline timeline = opened(R"([{"ph":"X","pid":1,"tid":1,"ts":0,"dur":30,"name":"compute"},)"
                                         R"({"ph":"b","pid":1,"id":1,"cat":"net","ts":0,"name":"request"},)"
                                         R"({"ph":"e","pid":1,"id":1,"cat":"net","ts":100,"name":"request"}])",
                                         "a.json");
    QCOMPARE(text(timeline.verdict()), QString("100 µs on 1 thread; “compute” takes most: 30.0 µs (30.0 %)."));
    host::HostTimeline spans = opened(R"([{"ph":"b","pid":1,"id":1,"cat":"net","ts":0,"name":"request"},)"
                                      R"({"ph":"e","pid":1,"id":1,"cat":"net","ts":100,"name":"request"}])",
                                      "b.json");
    QCOMPARE(text(spans.verdict()), QString("100 µs without slices of threads."));
  }
  // A file of speedscope may have sampled and exact profiles.
  void profilesOfSpeedscopeAreSampled() {
    const host::HostTimeline timeline = opened(
        R"({"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"main"}]},"profiles":[)"
        R"({"type":"sampled","name":"a","unit":"milliseconds","startValue":0,"endValue":3,"samples":[[0]],"weights":[3]},)"
        R"({"type":"evented","name":"b","unit":"milliseconds","startValue":0,"endValue":3,"events":[)"
        R"({"type":"O","at":0,"frame":0},{"type":"C","at":3,"frame":0}]}]})",
        "a.speedscope.json");
    QVERIFY(timeline.isSampled());
  }
  // A hidden channel's calls are left out; what they call belongs to their callers.
  void hiddenSlicesAreNotCalls() {
    host::HostTimeline timeline = opened(R"([{"ph":"X","pid":1,"tid":1,"cat":"a","ts":0,"dur":100,"name":"outer"},)"
                                         R"({"ph":"X","pid":1,"tid":1,"cat":"b","ts":10,"dur":80,"name":"middle"},)"
                                         R"({"ph":"X","pid":1,"tid":1,"cat":"a","ts":20,"dur":50,"name":"inner"}])",
                                         "c.json");
    const auto nodes = trace::callTree(timeline.slices(), tests::calledTracks(timeline), timeline.range(), 100, {},
                                       [&](const trace::Slice& s) { return timeline.channel(s.category) != "b"; });
    QCOMPARE(nodes.size(), std::size_t(2));
    QCOMPARE(m_session->text(nodes[1].name), std::string("inner"));
    QCOMPARE(nodes[1].parent, 0);
    QCOMPARE(nodes[0].self, int64_t(50'000));
  }
};

TILESCOPE_TEST(ProfileValuesTest)
#include "profile_values_test.moc"
