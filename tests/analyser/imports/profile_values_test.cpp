// Values of profiles: objects and bytes of a heap and the events of perf are not added up, and the headline is about threads.
#include "analyser/host/host_timeline.h"
#include "reports/sqlite/writer.h"
#include "tests/reports/exchange/imported.h"
#include "tests/reports/exchange/pprof_profile.h"
#include "tests/support/called_tracks.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace analyser;
using host::MeasuredValue;

class ProfileValuesTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;
  std::shared_ptr<Session> m_session;

  host::HostTimeline opened(const std::string& text, const std::string& name) {
    std::ofstream(m_folder / name, std::ios::binary) << text;
    reports::exchange::ImportRequest request;
    request.files = {m_folder / name};
    const auto file = m_folder / (name + ".tsr");
    std::filesystem::remove(file);
    reports::Writer writer(file);
    reports::NoProgress progress;
    reports::exchange::importTraces(request, writer, progress, {});
    writer.commit();
    m_session = Session::open(file.string());
    return host::HostTimeline(*m_session);
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
