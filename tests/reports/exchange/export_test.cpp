// Exported traces have the same counts when our importers read them again; folded stacks equal the published ones.
#include "reports/exchange/proto_writer.h"
#include "tests/reports/exchange/exported.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <nlohmann/json.hpp>

using namespace reports;
using namespace reports::exchange;

using tests::exported;
using tests::importTo;

namespace {

std::string contentOf(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A trace as Chrome JSON, through a report.
std::string chromeAgain(const std::string& trace) {
  tests::TemporaryFolder folder;
  std::ofstream(folder / "a.json") << trace;
  importTo(folder / "a.tsr", folder / "a.json");
  return exported(folder / "a.tsr", exportChromeJson);
}

const char* const kSmall = "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"p\"}},"
                           "{\"ph\":\"X\",\"name\":\"outer\",\"cat\":\"c\",\"pid\":1,\"tid\":2,\"ts\":1000.5,\"dur\":50,\"args\":"
                           "{\"a\":\"b\",\"n\":[1,2]}},"
                           "{\"ph\":\"X\",\"name\":\"inner\",\"cat\":\"c\",\"pid\":1,\"tid\":2,\"ts\":1010,\"dur\":20},"
                           "{\"ph\":\"X\",\"name\":\"other\",\"cat\":\"d\",\"pid\":1,\"tid\":3,\"ts\":1040,\"dur\":5},"
                           "{\"ph\":\"s\",\"name\":\"f\",\"cat\":\"f\",\"id\":1,\"pid\":1,\"tid\":2,\"ts\":1010},"
                           "{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"f\",\"cat\":\"f\",\"id\":1,\"pid\":1,\"tid\":3,\"ts\":1040},"
                           "{\"ph\":\"i\",\"name\":\"mark\",\"pid\":1,\"tid\":2,\"ts\":1020,\"s\":\"t\"},"
                           "{\"ph\":\"C\",\"name\":\"mem\",\"pid\":1,\"ts\":1000.5,\"args\":{\"used\":5.25}},"
                           "{\"ph\":\"C\",\"name\":\"mem\",\"pid\":1,\"ts\":1030,\"args\":{\"used\":7}}]";

} // namespace

class ExportTest : public QObject {
  Q_OBJECT
private slots:
  // Arguments that are not an object, or not JSON at all, still give a valid file.
  void argumentsAreJson() {
    const std::string text = chromeAgain(R"([{"ph":"X","name":"a","args":"str","pid":1,"tid":1,"ts":1,"dur":5},)"
                                         R"({"ph":"i","name":"d","args":"a\u0022b","pid":1,"tid":1,"ts":2,"s":"t"},)"
                                         R"({"ph":"X","name":"n","args":{"loss":NaN},"pid":1,"tid":1,"ts":10,"dur":5}])");
    QVERIFY2(nlohmann::json::accept(text), text.c_str());
    const auto events = nlohmann::json::parse(text).at("traceEvents");
    int found = 0;
    for (const auto& event : events) {
      if (event.at("name") == "a") {
        ++found;
        QCOMPARE(event.at("args").at("value").get<std::string>(), std::string("str"));
      }
      if (event.at("name") == "d") {
        ++found;
        QCOMPARE(event.at("args").at("value").get<std::string>(), std::string("a\"b"));
      }
      if (event.at("name") == "n") {
        ++found;
        QCOMPARE(event.at("args").at("loss").get<std::string>(), std::string("NaN"));
      }
    }
    QCOMPARE(found, 3);
  }

  // Arrows keep their names and bind to their slices, even if the flow event comes before the slice at which it ends.
  void arrowsKeepTheirNamesAndSlices() {
    const char* const trace =
        R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":10,"dur":10},{"ph":"X","name":"b","pid":1,"tid":2,"ts":30,"dur":10},)"
        R"({"ph":"X","name":"c","pid":2,"tid":3,"ts":50,"dur":10},)"
        R"({"ph":"s","name":"req","id":7,"pid":1,"tid":1,"ts":15},{"ph":"t","name":"req","id":7,"pid":1,"tid":2,"ts":32},)"
        R"({"ph":"f","name":"req","id":7,"pid":2,"tid":3,"ts":45}])";
    const tests::Imported before = tests::importText(trace), after = tests::importText(chromeAgain(trace), "again.json");
    QCOMPARE(before.counts().flows, int64_t(1));
    QCOMPARE(before.counts().flowArrows, int64_t(2));
    QCOMPARE(after.counts().flowArrows, before.counts().flowArrows);
    QCOMPARE(after.counts().flows, before.counts().flows);
    QCOMPARE(after.mended(Mend::FlowsWithoutSlice), int64_t(0));
    for (const auto& chunk : after.rows.rows<FlowChunkRow>())
      for (const Flow& flow : decodeFlows(chunk)) QCOMPARE(after.rows.text(flow.name), std::string("req"));
  }

  // A flow id that is used repeatedly, and a flow with several ends, give the same flows after both exports.
  // Arrows of Perfetto may leave and reach instants, and do so again after an export.
  void arrowsOfInstantsComeBack() {
    ProtoWriter trace;
    const auto event = [&](uint64_t time, uint64_t type, const char* name, uint32_t flow) {
      ProtoWriter e, p;
      e.number(9, type);
      e.bytes(23, name);
      if (flow) e.fixed(flow, 7);
      p.number(8, time);
      p.number(10, 1);
      p.bytes(11, e.message());
      trace.bytes(1, p.message());
    };
    event(100, 1, "loop", 0), event(200, 3, "enqueue", 47), event(300, 3, "dequeue", 48), event(400, 2, "", 0);
    tests::TemporaryFolder folder;
    std::ofstream(folder / "a.pftrace", std::ios::binary) << trace.message();
    tests::importTo(folder / "a.tsr", folder / "a.pftrace");
    const tests::Imported again = tests::importText(tests::exported(folder / "a.tsr", exportPerfetto), "b.pftrace");
    const auto flows = decodeFlows(again.rows.rows<FlowChunkRow>().at(0));
    QCOMPARE(flows.size(), std::size_t(1));
    QVERIFY(flows[0].from == (SlicePlace{0, 0, 0, true}));
    QVERIFY(flows[0].to == (SlicePlace{0, 0, 1, true}));
    QCOMPARE(flows[0].toTick - flows[0].fromTick, int64_t(100));
  }
  void flowsOfOneIdStayApart() {
    const char* const trace =
        R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":10,"dur":9},{"ph":"X","name":"b","pid":1,"tid":2,"ts":20,"dur":9},)"
        R"({"ph":"X","name":"c","pid":1,"tid":3,"ts":30,"dur":9},{"ph":"X","name":"d","pid":1,"tid":4,"ts":40,"dur":9},)"
        R"({"ph":"s","name":"q","id":7,"pid":1,"tid":1,"ts":15},{"ph":"t","name":"q","id":7,"pid":1,"tid":2,"ts":22},)"
        R"({"ph":"f","bp":"e","name":"q","id":7,"pid":1,"tid":3,"ts":31},)"
        R"({"ph":"s","name":"q","id":7,"pid":1,"tid":3,"ts":32},{"ph":"f","bp":"e","name":"q","id":7,"pid":1,"tid":4,"ts":41},)"
        R"({"ph":"s","name":"fork","id":8,"pid":1,"tid":1,"ts":16},{"ph":"f","bp":"e","name":"fork","id":8,"pid":1,"tid":2,"ts":21},)"
        R"({"ph":"f","bp":"e","name":"fork","id":8,"pid":1,"tid":4,"ts":44}])";
    using Arrow = std::tuple<std::string, std::string, int64_t, int64_t>; // name, number, ends
    const auto arrowsOf = [](const tests::Imported& imported) {
      std::vector<Arrow> arrows;
      std::map<int64_t, std::string> numbers; // by the number of the report: the name of the first arrow and how many there were
      for (const auto& chunk : imported.rows.rows<FlowChunkRow>())
        for (const Flow& flow : decodeFlows(chunk)) {
          if (!flow.number) throw std::runtime_error("a flow without a number");
          const auto number = numbers.emplace(*flow.number, std::to_string(numbers.size())).first->second;
          arrows.push_back({imported.rows.text(flow.name), number, flow.fromTick, flow.toTick});
        }
      return arrows;
    };
    const tests::Imported before = tests::importText(trace), after = tests::importText(chromeAgain(trace), "again.json");
    QCOMPARE(before.counts().flows, int64_t(3));
    QCOMPARE(before.counts().flowArrows, int64_t(5));
    QCOMPARE(arrowsOf(before).size(), std::size_t(5));
    QVERIFY(arrowsOf(after) == arrowsOf(before));
    QCOMPARE(after.counts().flows, int64_t(3));
    tests::TemporaryFolder folder;
    std::ofstream(folder / "a.json") << trace;
    importTo(folder / "a.tsr", folder / "a.json");
    const tests::Imported proto = tests::importText(exported(folder / "a.tsr", exportPerfetto), "b.pftrace");
    QCOMPARE(proto.counts().flowArrows, int64_t(5));
    QCOMPARE(proto.counts().flows, int64_t(4)); // two chains, and two arrows of the fork
  }

  // Values of a counter at one time come in one event, as they came in.
  void countersOfSeveralSeriesStayOneEvent() {
    const char* const trace =
        R"([{"ph":"C","name":"m","pid":1,"ts":1,"args":{"x":1,"y":2}},{"ph":"C","name":"m","pid":1,"ts":2,"args":{"x":3}},)"
        R"({"ph":"C","name":"m","pid":1,"ts":3,"args":{"x":4,"y":5}},{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}])";
    const tests::Imported before = tests::importText(trace), after = tests::importText(chromeAgain(trace), "again.json");
    QCOMPARE(after.counts().counterSamples, before.counts().counterSamples);
    QCOMPARE(after.counts().counterValues, before.counts().counterValues);
  }

  // Two processes with the same thread number have two threads.
  void threadsOfTwoProcessesMayShareATid() {
    const char* const trace =
        R"([{"ph":"M","name":"process_name","pid":42,"args":{"name":"A"}},{"ph":"M","name":"process_name","pid":52,"args":{"name":"B"}},)"
        R"({"ph":"X","name":"a","pid":42,"tid":7,"ts":1,"dur":2},{"ph":"X","name":"b","pid":52,"tid":7,"ts":2,"dur":3}])";
    tests::TemporaryFolder folder;
    std::ofstream(folder / "a.json") << trace;
    importTo(folder / "a.tsr", folder / "a.json");
    const tests::Imported after = tests::importText(exported(folder / "a.tsr", exportPerfetto), "b.pftrace");
    QCOMPARE(after.counts().processes, int64_t(2));
    QCOMPARE(after.counts().threads, int64_t(2));
    for (const auto& slice : after.slices()) QCOMPARE(slice.end - slice.start, int64_t(slice.name == "a" ? 2000 : 3000));
  }

  void readAgain_data() {
    QTest::addColumn<QString>("format");
    QTest::newRow("chrome") << "chrome";
    QTest::newRow("perfetto") << "perfetto";
  }
  void readAgain() {
    QFETCH(QString, format);
    tests::TemporaryFolder folder;
    std::ofstream(folder / "a.json") << kSmall;
    importTo(folder / "a.tsr", folder / "a.json");
    const bool chrome = format == "chrome";
    const std::string text = exported(folder / "a.tsr", chrome ? exportChromeJson : exportPerfetto);
    const tests::Imported before = tests::importText(kSmall);
    const tests::Imported after = tests::importText(text, chrome ? "b.json" : "b.pftrace");
    QCOMPARE(after.counts().slices, before.counts().slices);
    QCOMPARE(after.counts().instants, before.counts().instants);
    QCOMPARE(after.counts().counterSamples, before.counts().counterSamples);
    QCOMPARE(after.counts().flows, before.counts().flows);
    QCOMPARE(after.counts().threads, before.counts().threads);
    QCOMPARE(after.counts().processes, before.counts().processes);
    QCOMPARE(after.counts().durationNanoseconds, before.counts().durationNanoseconds);
    const auto a = before.slices(), b = after.slices();
    QCOMPARE(b.size(), a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      QCOMPARE(b[i].name, a[i].name);
      QCOMPARE(b[i].start, a[i].start);
      QCOMPARE(b[i].end, a[i].end);
    }
    for (int i = 0; i < kMendCount; ++i) QCOMPARE(after.mended(Mend(i)), int64_t(0));
  }

  void deviceAndHostShareOneAxis() {
    tests::TinyReport report;
    ExportCounts both, host, device;
    const std::string text = exported(report.path(), exportChromeJson, {}, &both);
    exported(report.path(), exportChromeJson, {false, true, {}, false}, &host);
    exported(report.path(), exportChromeJson, {true, false, {}, false}, &device);
    QCOMPARE(both.slices, host.slices + device.slices);
    QVERIFY(host.slices > 0 && device.slices > 0);
    QCOMPARE(both.flows, host.flows + 1); // from Engine::run to the run
    const tests::Imported again = tests::importText(text);
    QCOMPARE(again.counts().slices, both.slices);
    QCOMPARE(again.counts().flows, both.flows);
    const tests::Imported perfetto = tests::importText(exported(report.path(), exportPerfetto), "x.pftrace");
    QCOMPARE(perfetto.counts().slices, both.slices);
    QCOMPARE(perfetto.counts().counterSamples, both.counterSamples);
  }

  void foldedStacksAddUp() {
    tests::TemporaryFolder folder;
    std::ofstream(folder / "a.json") << kSmall;
    importTo(folder / "a.tsr", folder / "a.json");
    QCOMPARE(exported(folder / "a.tsr", exportFolded),
             std::string("p;thread 2;outer 30000\np;thread 2;outer;inner 20000\np;thread 3;other 5000\n"));
    QCOMPARE(exported(folder / "a.tsr", exportFolded, {true, true, TickRange{5'000, 20'000}, false}),
             std::string("p;thread 2;outer 4500\np;thread 2;outer;inner 10500\n"));
    std::ofstream(folder / "b.folded") << "a;b 3\na;b;c 4\nd 1\n";
    importTo(folder / "b.tsr", folder / "b.folded");
    QCOMPARE(exported(folder / "b.tsr", exportFolded), std::string("a;b 3\na;b;c 4\nd 1\n"));
  }

  void sampledStacksEqualThePublishedOnes() {
    const std::filesystem::path traces = TILESCOPE_SOURCE_DIR "/../shared/traces/perf-script/";
    if (!std::filesystem::exists(traces)) QSKIP("../shared/traces is not here");
    tests::TemporaryFolder folder;
    importTo(folder / "a.tsr", traces / "flamegraph-example.txt.gz");
    QCOMPARE(exported(folder / "a.tsr", exportFolded), contentOf(traces / "flamegraph-example.expected-folded.txt"));
  }

  void nothingToExportIsAnError() {
    tests::TemporaryFolder folder;
    std::ofstream(folder / "a.json") << kSmall;
    importTo(folder / "a.tsr", folder / "a.json");
    QVERIFY_EXCEPTION_THROWN(exported(folder / "a.tsr", exportChromeJson, {true, false, {}, false}), Error);
  }

  // A report of counters alone: no slice, but values and their process.
  void countersAlone() {
    const char* const trace = R"([{"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}},)"
                              R"({"ph":"C","name":"mem","pid":1,"ts":1,"args":{"used":5.25,"free":1}},)"
                              R"({"ph":"C","name":"mem","pid":1,"ts":3,"args":{"used":7}}])";
    tests::TemporaryFolder folder;
    std::ofstream(folder / "a.json") << trace;
    importTo(folder / "a.tsr", folder / "a.json");
    const auto verifySame = [&](const tests::Imported& again) {
      QCOMPARE(again.counts().counterValues, int64_t(3));
      QCOMPARE(again.counts().counterSeries, int64_t(2));
      QCOMPARE(again.counts().slices, int64_t(0));
      QCOMPARE(again.rows.rows<HostProcessRow>().at(0).name, std::string("p"));
      QCOMPARE(again.counts().durationNanoseconds, int64_t(2000));
    };
    verifySame(tests::importText(exported(folder / "a.tsr", exportChromeJson), "b.json"));
    verifySame(tests::importText(exported(folder / "a.tsr", exportPerfetto), "b.pftrace"));
    std::ofstream(folder / "b.pvti").flush();
    Reader reader(folder / "a.tsr");
    NoProgress progress;
    exportPvti(reader, {}, folder / "b.pvti", progress, {});
    ImportRequest request;
    request.files = {folder / "b.pvti"};
    verifySame(tests::importFiles(request));
    QVERIFY_EXCEPTION_THROWN(exported(folder / "a.tsr", exportFolded), Error);
    QVERIFY_EXCEPTION_THROWN(exported(folder / "a.tsr", exportChromeJson, {true, false, {}, false}), Error);
  }
  // Counters belong to the host: an export of the device alone has none.
  void countersAreOfTheHost() {
    const tests::TinyReport report;
    for (const auto write : {exportChromeJson, exportPerfetto}) {
      ExportCounts both, device;
      exported(report.path(), write, {}, &both);
      exported(report.path(), write, {true, false, {}, false}, &device);
      QVERIFY(both.counterSamples > 0);
      QCOMPARE(device.counterSamples, int64_t(0));
    }
  }
};

TILESCOPE_TEST(ExportTest)
#include "export_test.moc"
