// Call stacks in Perfetto files: those of our own exports come back as they were, and those of other writers are read.
#include "reports/exchange/proto_writer.h"
#include "tests/reports/exchange/exported.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <map>

using namespace reports;
using namespace reports::exchange;

using tests::Imported;

namespace {

// Every sample: the row's name, its time, and its stack joined by ';'.
using Samples = std::vector<std::tuple<std::string, int64_t, std::string>>;

Samples samplesOf(const Imported& trace) {
  Samples samples;
  std::map<int64_t, std::string> rowNames;
  for (const auto& thread : trace.rows.rows<HostThreadRow>())
    if (thread.kind == "sample") rowNames[thread.trackId] = thread.name;
  const auto slices = trace.slices();
  for (const auto& chunk : trace.rows.rows<InstantChunkRow>()) {
    if (!rowNames.contains(chunk.trackId)) continue;
    for (const Instant& sample : decodeInstants(chunk)) {
      std::map<int64_t, std::string> frames; // by depth
      for (const auto& slice : slices)
        if (slice.track == chunk.trackId && slice.start <= sample.tick && slice.end > sample.tick)
          frames[slice.depth] = slice.name;
      std::string stack;
      for (const auto& [depth, name] : frames) stack += (stack.empty() ? "" : ";") + name;
      samples.emplace_back(rowNames[chunk.trackId], sample.tick, stack);
    }
  }
  std::sort(samples.begin(), samples.end());
  return samples;
}

// Packets of a trace that samples call stacks, by the public schema's field numbers.
class SampledTrace {
public:
  uint64_t writer = 7;
  ProtoWriter interned;
  SampledTrace& text(uint32_t field, uint64_t id, std::string_view content) {
    ProtoWriter entry;
    entry.number(1, id);
    entry.bytes(2, content);
    interned.bytes(field, entry.message());
    return *this;
  }
  SampledTrace& frame(uint64_t id, uint64_t function, uint64_t mapping = 0, uint64_t offset = 0) {
    ProtoWriter entry;
    entry.number(1, id);
    if (function) entry.number(2, function);
    entry.number(3, mapping);
    entry.number(4, offset);
    interned.bytes(6, entry.message());
    return *this;
  }
  SampledTrace& stack(uint64_t id, const std::vector<uint64_t>& frames) {
    ProtoWriter entry;
    entry.number(1, id);
    for (const uint64_t f : frames) entry.number(2, f);
    interned.bytes(7, entry.message());
    return *this;
  }
  // A packet with the data interned since the last packet; `clears` starts the sequence again.
  void packet(uint64_t time, uint32_t field, const ProtoWriter& content, bool clears = false) {
    ProtoWriter p, top;
    p.number(8, time);
    p.number(10, writer);
    if (clears) p.number(13, 1);
    if (!interned.message().empty()) p.bytes(12, interned.message());
    p.bytes(field, content.message());
    interned.clear();
    top.bytes(1, p.message());
    m_bytes += top.message();
  }
  void perfSample(uint64_t time, uint64_t tid, uint64_t stack, bool clears = false) {
    ProtoWriter sample;
    sample.number(1, 3); // CPU
    sample.number(2, 100);
    sample.number(3, tid);
    sample.number(4, stack);
    packet(time, 66, sample, clears);
  }
  const std::string& bytes() const { return m_bytes; }

private:
  std::string m_bytes;
};

} // namespace

class PerfettoSamplesTest : public QObject {
  Q_OBJECT
private slots:
  void exportedSamplesComeBack() {
    const char* const trace =
        R"({"traceEvents":[{"ph":"X","name":"slice","pid":1,"tid":5,"ts":0,"dur":90}],)"
        R"("stackFrames":{"1":{"name":"main"},"2":{"name":"work","parent":"1"},"3":{"name":"idle","parent":"1"},)"
        R"("4":{"name":"main","parent":"2"}},"samples":[{"pid":1,"tid":5,"ts":10,"sf":"2"},{"pid":1,"tid":5,"ts":20,"sf":"4"},)"
        R"({"pid":1,"tid":5,"ts":30,"sf":"4"},{"pid":1,"tid":5,"ts":45.001,"sf":"3"},{"pid":1,"tid":6,"ts":12,"sf":"1"}]})";
    const Imported before = tests::importText(trace);
    QCOMPARE(before.counts().samples, int64_t(5));
    tests::TemporaryFolder folder;
    std::ofstream(folder / "a.json") << trace;
    tests::importTo(folder / "a.tsr", folder / "a.json");
    ExportCounts counts;
    const std::string bytes = tests::exported(folder / "a.tsr", exportPerfetto, {}, &counts);
    QCOMPARE(counts.samples, int64_t(5));
    QCOMPARE(counts.slices, int64_t(1)); // frames are not exported as slices
    const Imported after = tests::importText(bytes, "b.pftrace");
    QCOMPARE(after.counts().samples, before.counts().samples);
    QCOMPARE(after.counts().slices, before.counts().slices);
    QVERIFY(samplesOf(after) == samplesOf(before));
    QCOMPARE(samplesOf(after).size(), std::size_t(5));
    QCOMPARE(std::get<2>(samplesOf(after).at(1)), std::string("main;work;main"));
  }

  // Threads of perf script, whose frames are slices too.
  void samplesOfPerfComeBack() {
    const char* const script = "prog  10/11 100.000001: cycles: \n\t  1 inner (/bin/prog)\n\t  2 outer (/bin/prog)\n\n"
                               "prog  10/11 100.000005: cycles: \n\t  2 outer (/bin/prog)\n\n"
                               "prog  10/12 100.000003: cycles: \n\t  1 inner (/bin/prog)\n\t  2 outer (/bin/prog)\n\n";
    const Imported before = tests::importText(script, "a.perf");
    QCOMPARE(before.counts().samples, int64_t(3));
    const Imported after = tests::importText(tests::exportedAgain(script, exportPerfetto), "b.pftrace");
    const auto withoutRows = [](Samples samples) {
      for (auto& sample : samples) std::get<0>(sample).clear();
      std::sort(samples.begin(), samples.end());
      return samples;
    };
    QVERIFY(withoutRows(samplesOf(after)) == withoutRows(samplesOf(before)));
  }

  // As traced_perf writes: frames without a symbol are a file and an offset; an id means another stack after the sequence restarts.
  void stacksOfPerf() {
    SampledTrace trace;
    ProtoWriter mapping;
    mapping.number(1, 4);
    mapping.number(7, 1);
    mapping.number(7, 2);
    trace.text(5, 1, "main").text(5, 2, "work").text(17, 1, "lib").text(17, 2, "libc.so");
    trace.interned.bytes(19, mapping.message());
    trace.frame(1, 1).frame(2, 2).frame(3, 0, 4, 0x1f0).stack(9, {1, 2, 3}).stack(10, {1});
    trace.perfSample(1000, 101, 9, true);
    trace.perfSample(3000, 101, 10);
    trace.perfSample(2000, 102, 10);
    trace.text(5, 1, "other").frame(1, 1).stack(9, {1});
    trace.perfSample(5000, 101, 9, true);
    trace.perfSample(6000, 101, 10); // of before the sequence began anew
    const Imported imported = tests::importText(trace.bytes(), "a.pftrace");
    const std::string one = "call stacks of thread 101", two = "call stacks of thread 102";
    const Samples expected{
        {one, 0, "main;work;libc.so+0x1f0"}, {one, 2000, "main"}, {one, 4000, "other"}, {one, 5000, "#10"}, {two, 1000, "main"}};
    QVERIFY(samplesOf(imported) == expected);
    QCOMPARE(imported.counts().samples, int64_t(5));
    QCOMPARE(imported.counts().slices, int64_t(0));
    QCOMPARE(imported.mended(Mend::UnknownNames), int64_t(1));
    QCOMPARE(imported.mended(Mend::PacketsNotShown), int64_t(0));
  }

  // Two sessions of one event are two rows: the samples of one do not end those of the other. A skipped sample is counted.
  void sessionsOfTheSameEvent() {
    SampledTrace trace;
    ProtoWriter defaults, sampleDefaults, timebase, skipped;
    timebase.number(4, 1);
    sampleDefaults.bytes(1, timebase.message());
    defaults.bytes(12, sampleDefaults.message());
    const auto begin = [&](uint64_t writer, const char* function) {
      trace.writer = writer;
      trace.text(5, 1, function).frame(1, 1).stack(1, {1});
      trace.packet(1, 59, defaults, true);
    };
    begin(1, "main"), begin(2, "other");
    const auto sample = [&](uint64_t writer, uint64_t time) { trace.writer = writer, trace.perfSample(time, 6, 1); };
    sample(1, 1000), sample(2, 1500), sample(1, 2000), sample(2, 4500);
    skipped.number(18, 3);
    trace.packet(5000, 66, skipped);
    const Imported imported = tests::importText(trace.bytes(), "a.pftrace");
    const std::string one = "call stacks of thread 6: cpu-clock, writer 1", two = "call stacks of thread 6: cpu-clock, writer 2";
    QVERIFY(samplesOf(imported) == (Samples{{one, 0, "main"}, {one, 1000, "main"}, {two, 500, "other"}, {two, 3500, "other"}}));
    QCOMPARE(imported.mended(Mend::SamplesSkipped), int64_t(1));
    QCOMPARE(imported.mended(Mend::SamplesWithoutStack), int64_t(0));
    QCOMPARE(imported.counts().samples, int64_t(4));
  }

  // The channel says what the samples count, so that page faults are not shown as a time.
  void theEventOfTheOnlySessionIsKnown() {
    SampledTrace trace;
    ProtoWriter defaults, sampleDefaults, timebase;
    timebase.number(4, 2);
    sampleDefaults.bytes(1, timebase.message());
    defaults.bytes(12, sampleDefaults.message());
    trace.text(5, 1, "main").frame(1, 1).stack(1, {1});
    trace.packet(1, 59, defaults, true);
    trace.perfSample(1000, 6, 1), trace.perfSample(2000, 6, 1);
    const Imported imported = tests::importText(trace.bytes(), "a.pftrace");
    QCOMPARE(samplesOf(imported).front(), (Samples{{"call stacks of thread 6", 0, "main"}}.front()));
    const auto& channels = imported.rows.rows<ChannelRow>();
    QVERIFY(std::any_of(channels.begin(), channels.end(), [](const ChannelRow& c) { return c.name == "page-faults"; }));
  }

  // As browsers write: the thread is described once, times are differences in microseconds.
  void streamedStacks() {
    SampledTrace trace;
    ProtoWriter thread, profile, packed;
    thread.number(1, 100);
    thread.number(2, 103);
    thread.bytes(5, "renderer");
    thread.number(6, 50); // microseconds that the first sample counts from
    trace.text(5, 1, "main").text(5, 2, "work").frame(1, 1).frame(2, 2).stack(1, {1}).stack(2, {1, 2});
    trace.packet(1000, 44, thread, true);
    for (const uint64_t stack : {1, 2}) profile.number(1, stack);
    for (const uint64_t gap : {10, 20}) profile.number(2, gap);
    trace.packet(1000, 54, profile);
    packed.bytes(1, std::string("\x01", 1));
    packed.bytes(2, std::string("\x05", 1));
    trace.packet(1000, 54, packed);
    const Imported imported = tests::importText(trace.bytes(), "a.pftrace");
    const std::string row = "call stacks of renderer";
    const Samples expected{{row, 0, "main"}, {row, 20000, "main;work"}, {row, 25000, "main"}};
    QVERIFY(samplesOf(imported) == expected);
  }
};

TILESCOPE_TEST(PerfettoSamplesTest)
#include "perfetto_samples_test.moc"
