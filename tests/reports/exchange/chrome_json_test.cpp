// Chrome traces written for the test: every form, every phase letter, and broken events.
#include "tests/reports/exchange/imported.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <random>

using namespace reports;
using namespace reports::exchange;
using tests::Imported;
using tests::importText;

namespace {
// JSON with single quotes.
std::string q(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}
const std::string kX = q("{'ph':'X','name':'a','cat':'c','pid':1,'tid':2,'ts':10,'dur':5}");

int64_t storedSlices(const Imported& trace) {
  int64_t n = 0;
  for (const auto& row : trace.rows.rows<SliceChunkRow>()) n += row.slices;
  return n;
}
} // namespace

class ChromeJsonTest : public QObject {
  Q_OBJECT
private slots:
  void everyForm_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<int>("slices");
    QTest::newRow("array") << "[" + kX + "," + kX + "]" << 2;
    QTest::newRow("object") << q("{'traceEvents':[") + kX + q("],'displayTimeUnit':'ns'}") << 1;
    QTest::newRow("events last") << q("{'a':{'b':[']}']},'c':1,'traceEvents':[") + kX + "]}" << 1;
    QTest::newRow("no end") << "[" + kX + ",\n" + kX << 2;
    QTest::newRow("comma at the end") << "[" + kX + ",\n" << 1;
    QTest::newRow("comma too many") << "[" + kX + ",]" << 1;
    QTest::newRow("torn event") << "[" + kX + "," + kX.substr(0, 30) << 1;
    QTest::newRow("byte order mark") << "\xef\xbb\xbf[" + kX + "]" << 1;
    QTest::newRow("empty array") << std::string("[]") << 0;
    QTest::newRow("other elements") << "[1,\"x\",null," + kX + ",[" + kX + "]]" << 1;
    QTest::newRow("spaces") << "\n [ \n" + kX + " \t, " + kX + "\n ] \n" << 2;
  }
  void everyForm() {
    QFETCH(std::string, text);
    QFETCH(int, slices);
    const Imported trace = importText(text, "t.json", TraceFormat::Chrome);
    QCOMPARE(trace.counts().slices, int64_t(slices));
    QCOMPARE(storedSlices(trace), int64_t(slices));
  }

  void slicesNestByTime() {
    const Imported trace = importText(q("["
                                        "{'ph':'X','name':'inner','pid':1,'tid':1,'ts':2.5,'dur':1,'args':{'n':1}},"
                                        "{'ph':'X','name':'outer','pid':1,'tid':1,'ts':1,'dur':10},"
                                        "{'ph':'B','name':'pair','pid':1,'tid':1,'ts':4,'args':{'b':1}},"
                                        "{'ph':'E','pid':1,'tid':1,'ts':'5.0005','args':{'e':2}},"
                                        "{'ph':'X','name':'point','pid':1,'tid':1,'ts':11,'dur':0}]"));
    const std::vector<Imported::Slice> wanted{{0, 0, 0, 10000, "outer", ""},
                                              {0, 0, 10000, 10000, "point", ""},
                                              {0, 1, 1500, 2500, "inner", q("{'n':1}")},
                                              {0, 1, 3000, 4001, "pair", q("{'b':1,'e':2}")}};
    QVERIFY(trace.slices() == wanted);
    QCOMPARE(trace.counts().durationNanoseconds, int64_t(10000));
  }

  void beginsAndEndsPairInOrderOfTime() {
    const Imported trace = importText(q("["
                                        "{'ph':'E','pid':1,'tid':1,'ts':9},{'ph':'B','name':'a','pid':1,'tid':1,'ts':1},"
                                        "{'ph':'B','name':'b','pid':1,'tid':1,'ts':2},{'ph':'E','pid':1,'tid':1,'ts':3},"
                                        "{'ph':'E','pid':1,'tid':1,'ts':10},{'ph':'B','name':'open','pid':1,'tid':1,'ts':11},{'"
                                        "ph':'i','name':'x','pid':1,'tid':1,'ts':20}]"));
    QCOMPARE(trace.counts().slices, int64_t(2));
    QCOMPARE(trace.mended(Mend::UnmatchedEnds), int64_t(1));
    QCOMPARE(trace.mended(Mend::UnclosedBegins), int64_t(1));
    const std::vector<Imported::Slice> wanted{
        {0, 0, 0, 8000, "a", ""}, {0, 0, 10000, 19000, "open", ""}, {0, 1, 1000, 2000, "b", ""}};
    QVERIFY(trace.slices() == wanted);
  }

  void everyPhase() {
    const Imported trace =
        importText(q("["
                     "{'ph':'M','name':'process_name','pid':7,'args':{'name':'worker \\u00fc'}},"
                     "{'ph':'M','name':'process_labels','pid':7,'args':{'labels':'gpu'}},"
                     "{'ph':'M','name':'thread_name','pid':7,'tid':8,'args':{'name':'main'}},"
                     "{'ph':'M','name':'thread_sort_index','pid':7,'tid':8,'args':{'sort_index':-3}},"
                     "{'ph':'M','name':'num_cpus','pid':7,'args':{'number':8}},"
                     "{'ph':'X','name':'x','pid':7,'tid':8,'ts':0,'dur':100},"
                     "{'ph':'i','name':'i','pid':7,'tid':8,'ts':1,'s':'g'},{'ph':'I','name':'I','pid':7,'tid':8,'ts':2,'s':'p'},"
                     "{'ph':'R','name':'R','pid':7,'tid':8,'ts':3},"
                     "{'ph':'C','name':'mem','pid':7,'ts':4,'args':{'used':1.5,'free':-2}},{'ph':'C','name':'mem','pid':7,'ts':5,"
                     "'args':{'used':3,'x':'y'}},"
                     "{'ph':'C','name':'mem','pid':7,'id':'q','ts':5,'args':{'used':3}},"
                     "{'ph':'b','cat':'n','name':'job','id':1,'pid':7,'tid':8,'ts':6},{'ph':'b','cat':'n','name':'part','id':1,'"
                     "pid':7,'tid':9,'ts':7},"
                     "{'ph':'n','cat':'n','name':'step','id':1,'pid':7,'tid':8,'ts':8},"
                     "{'ph':'e','cat':'n','name':'part','id':1,'pid':7,'tid':8,'ts':9},{'ph':'e','cat':'n','name':'job','id':1,'"
                     "pid':7,'tid':8,'ts':10},"
                     "{'ph':'S','cat':'o','name':'old','id':'0x1','pid':7,'tid':8,'ts':6},{'ph':'T','cat':'o','name':'old','id':'"
                     "0x1','pid':7,'tid':8,'ts':7},"
                     "{'ph':'p','cat':'o','name':'old','id':'0x1','pid':7,'tid':8,'ts':8},{'ph':'F','cat':'o','name':'old','id':'"
                     "0x1','pid':7,'tid':8,'ts':9},"
                     "{'ph':'N','name':'Tree','id':1,'pid':7,'tid':8,'ts':1},{'ph':'O','name':'Tree','id':1,'pid':7,'tid':8,'ts':"
                     "2,'args':{'snapshot':{}}},"
                     "{'ph':'D','name':'Tree','id':1,'pid':7,'tid':8,'ts':3},"
                     "{'ph':'P','name':'sample','pid':7,'tid':8,'ts':1},{'ph':'v','name':'dump','pid':7,'tid':8,'ts':1},{'ph':'V'"
                     ",'name':'dump','pid':7,'tid':8,'ts':1},"
                     "{'ph':'c','name':'clock_sync','pid':7,'tid':8,'ts':1},{'ph':'(','name':'c','id':1,'pid':7,'tid':8,'ts':1},{"
                     "'ph':')','name':'c','id':1,'pid':7,'tid':8,'ts':2},"
                     "{'ph':'?','name':'who','pid':7,'tid':8,'ts':1},{'name':'no phase'}]"));
    const ImportCounts& c = trace.counts();
    QCOMPARE(c.slices, int64_t(1));
    QCOMPARE(c.instants, int64_t(3));
    QCOMPARE(c.counterSamples, int64_t(3));
    QCOMPARE(c.counterValues, int64_t(4));
    QCOMPARE(c.counterSeries, int64_t(3));
    QCOMPARE(c.asyncSlices, int64_t(4));
    QCOMPARE(c.otherInstants, int64_t(10));
    QCOMPARE(c.metadataEvents, int64_t(5));
    QCOMPARE(c.processes, int64_t(1));
    QCOMPARE(trace.mended(Mend::MetadataNotShown), int64_t(1));
    QCOMPARE(trace.mended(Mend::CounterValuesNotNumbers), int64_t(1));
    QCOMPARE(trace.mended(Mend::EventsOfUnknownKind), int64_t(1));
    QCOMPARE(trace.mended(Mend::NotEvents), int64_t(1));
    QCOMPARE(trace.rows.rows<HostProcessRow>().at(0).name, std::string("worker ü (gpu)"));
    QCOMPARE(trace.rows.rows<HostThreadRow>().at(0).name, std::string("main"));
    QCOMPARE(trace.rows.rows<HostThreadRow>().at(0).sortOrder, std::optional<int64_t>(-3));
    QCOMPARE(trace.rows.rows<CounterSeriesRow>().size(), std::size_t(3));
  }

  void flowsBindToSlicesAndMayReuseIds() {
    std::string text = "[";
    for (int i = 0; i < 3; ++i) {
      const std::string t = std::to_string(i * 100);
      text += q("{'ph':'X','name':'from','pid':1,'tid':1,'ts':") + t +
              q(",'dur':10},{'ph':'s','cat':'f','name':'f','id':5,'pid':1,'tid':1,'ts':") + t +
              q("},{'ph':'X','name':'to','pid':1,'tid':2,'ts':") + std::to_string(i * 100 + 50) +
              q(",'dur':10},{'ph':'f','bp':'e','cat':'f','name':'f','id':5,'pid':1,'tid':2,'ts':") +
              std::to_string(i * 100 + 55) + "},";
    }
    text += q("{'ph':'f','cat':'f','name':'f','id':6,'pid':1,'tid':2,'ts':1},{'ph':'s','cat':'f','name':'f','id':7,'pid':1,'tid':"
              "2,'ts':900},"
              "{'ph':'X','name':'out','bind_id':'0x9','flow_out':true,'pid':1,'tid':1,'ts':500,'dur':3},"
              "{'ph':'X','name':'both','bind_id':'0x9','flow_in':true,'flow_out':true,'pid':1,'tid':2,'ts':510,'dur':3},"
              "{'ph':'X','name':'in','bind_id':'0x9','flow_in':true,'pid':1,'tid':1,'ts':520,'dur':3}]");
    const Imported trace = importText(text);
    QCOMPARE(trace.counts().flows, int64_t(4));
    QCOMPARE(trace.counts().flowArrows, int64_t(5));
    QCOMPARE(trace.mended(Mend::FlowsWithoutStart), int64_t(1));
    QCOMPARE(trace.mended(Mend::FlowsWithoutEnd), int64_t(1));
    const auto flows = decodeFlows(trace.rows.rows<FlowChunkRow>().at(0));
    for (int64_t i = 0; i < 3; ++i) {
      QVERIFY(flows[std::size_t(i)].from == (SlicePlace{0, 0, i}));
      QVERIFY(flows[std::size_t(i)].to == (SlicePlace{1, 0, i}));
      QCOMPARE(flows[std::size_t(i)].fromTick, i * 100000);
      QCOMPARE(flows[std::size_t(i)].toTick, i * 100000 + 55000);
    }
  }

  // An id that begins again before it ends: tasks of a queue end in order; if an end is missing, the newest begin gets the end.
  void flowsThatBeginAgain() {
    std::string slices;
    for (int i = 0; i < 9; ++i)
      slices +=
          q("{'ph':'X','name':'") + std::to_string(i) + q("','pid':1,'tid':1,'ts':") + std::to_string(i * 10) + ",\"dur\":5},";
    const auto arrowsOf = [&](const std::string& phases, int64_t withoutEnd) {
      std::string text = "[" + slices;
      for (std::size_t i = 0; i < phases.size(); ++i)
        text += q("{'ph':'") + phases[i] + q("','bp':'e','cat':'c','name':'f','id':5,'pid':1,'tid':1,'ts':") +
                std::to_string(i * 10 + 1) + "},";
      const Imported trace = importText(text);
      if (trace.mended(Mend::FlowsWithoutEnd) != withoutEnd) return std::string("other flows without an end");
      std::string arrows;
      for (const auto& chunk : trace.rows.rows<FlowChunkRow>())
        for (const Flow& flow : decodeFlows(chunk))
          arrows +=
              std::to_string(flow.from.slice) + ">" + std::to_string(flow.to.slice) + "#" + std::to_string(*flow.number) + " ";
      return arrows;
    };
    QCOMPARE(arrowsOf("ssff", 0), std::string("0>2#0 1>3#1 "));
    QCOMPARE(arrowsOf("ssfsff", 0), std::string("0>2#0 1>4#1 3>5#2 "));
    QCOMPARE(arrowsOf("ssttff", 0), std::string("0>2#0 1>3#1 2>4#0 3>5#1 "));
    QCOMPARE(arrowsOf("ssf", 1), std::string("1>2#1 "));
    QCOMPARE(arrowsOf("ssfsf", 1), std::string("1>2#1 3>4#2 "));
    QCOMPARE(arrowsOf("sff", 0), std::string("0>1#0 0>2#0 "));
  }

  void oddValuesAreCounted() {
    const Imported trace = importText(
        q("["
          "{'ph':'X','name':'negative','pid':1,'tid':1,'ts':5,'dur':-3},"
          "{'ph':'X','name':'no time','pid':1,'tid':1,'dur':1},"
          "{'ph':'X','name':'huge','pid':1,'tid':1,'ts':1e30,'dur':1e30},"
          "{'ph':'X','name':'NaN','pid':1,'tid':1,'ts':NaN,'dur':1},"
          "{'ph':'X','name':'text pid','pid':'Spans','tid':'x','ts':-7,'dur':1},"
          "{'ph':'X','name':'no pid','ts':1,'dur':1},"
          "{'ph':'X','name':'overlaps','pid':1,'tid':3,'ts':0,'dur':10},{'ph':'X','name':'over','pid':1,'tid':3,'ts':5,'dur':10},"
          "{'ph':'X','name':'no dur','pid':1,'tid':1,'ts':6}]"));
    QCOMPARE(trace.counts().slices, int64_t(6)); // all but the huge one and those without a time
    QCOMPARE(storedSlices(trace), int64_t(6));
    QCOMPARE(trace.mended(Mend::NegativeDurations), int64_t(1));
    QCOMPARE(trace.mended(Mend::EventsWithoutTime), int64_t(2));
    QCOMPARE(trace.mended(Mend::EventsWithoutProcess), int64_t(1));
    QCOMPARE(trace.mended(Mend::OverlappingSlices), int64_t(1));
    QCOMPARE(trace.counts().processes, int64_t(2));
    int64_t kept = 0;
    for (const auto& issue : trace.rows.rows<ReportIssueRow>())
      kept += issue.message.find("drawn on the next free lane") != std::string::npos;
    QCOMPARE(kept, int64_t(1));
  }

  // After text that is not JSON, reading continues with the next event.
  void brokenEventsAreSkipped() {
    const Imported trace = importText("[" + kX + q(",{'ph':'X' 'name':oops},") + kX + ",{bad}," + kX + "]");
    QCOMPARE(trace.counts().slices, int64_t(3));
    QCOMPARE(trace.mended(Mend::UnreadableEvents), int64_t(2));
  }

  void cutAnywhere() {
    std::string text = q("{'otherData':{'a':[1,2,{'b':'\\u00e4\\'}'}]},'traceEvents':[");
    for (int i = 0; i < 50; ++i)
      text += (i ? "," : "") + std::string(q("{'ph':'X','name':'n\\n")) + std::to_string(i % 5) + q("','pid':1,'tid':1,'ts':") +
              std::to_string(i * 10) + q(",'dur':5,'args':{'deep':[[[{'x':']'}]]]}}");
    text += q("],'end':1}");
    int64_t before = 0;
    for (std::size_t cut = text.find("]]]}}") + 5; cut < text.size(); cut += 3) { // behind the first event
      const Imported trace = importText(text.substr(0, cut), "t.json", TraceFormat::Chrome);
      QVERIFY(trace.counts().slices >= before && trace.counts().slices <= 50);
      QVERIFY(trace.mended(Mend::TornFile) == 1);
      before = trace.counts().slices;
    }
    QCOMPARE(before, int64_t(50));
  }

  void deepNestingAndLongNames() {
    std::string text = "[";
    for (int i = 0; i < 100000; ++i) text += q("{'ph':'B','name':'d','pid':1,'tid':1,'ts':") + std::to_string(i) + "},";
    for (int i = 0; i < 100000; ++i) text += q("{'ph':'E','pid':1,'tid':1,'ts':") + std::to_string(100000 + i) + "},";
    text += q("{'ph':'X','pid':1,'tid':2,'ts':1,'dur':1,'name':'") + std::string(3 << 20, 'n') + "\"," + q("'args':") +
            std::string(100000, '[') + std::string(100000, ']') + "}]";
    const Imported trace = importText(text);
    QCOMPARE(trace.counts().slices, int64_t(100001));
    QCOMPARE(storedSlices(trace), int64_t(100001));
  }

  void nothingKnownIsOneClearError() {
    for (const char* text : {"", "hello world", "<html></html>", "{\"a\":1}"}) {
      try {
        importText(text, "x.txt");
        QFAIL("imported");
      } catch (const Error& error) {
        QVERIFY(error.code() == ErrorCode::InvalidInput && !error.advice().empty());
      }
    }
    ImportRequest request;
    request.files = {"/no/such/file.json"};
    QVERIFY_EXCEPTION_THROWN(tests::importFiles(request), Error);
    const tests::TemporaryFolder folder;
    request.files = {folder.path()};
    QVERIFY_EXCEPTION_THROWN(tests::importFiles(request), Error);
  }

  void severalFilesAreAligned() {
    tests::TemporaryFolder folder;
    std::ofstream(folder / "a.json") << q(
        "[{'ph':'X','name':'go','pid':1,'tid':1,'ts':1000,'dur':1},{'ph':'X','name':'a','pid':1,'tid':1,'ts':900,'dur':1}]");
    std::ofstream(folder / "b.json") << q("[{'ph':'X','name':'go','pid':1,'tid':1,'ts':50,'dur':1}]");
    ImportRequest request;
    request.files = {folder / "a.json", folder / "b.json"};
    const auto starts = [&](Alignment::By by, std::vector<int64_t> offsets = {}) {
      request.alignment = {by, by == Alignment::By::Marker ? "go" : "", std::move(offsets)};
      std::vector<std::pair<std::string, int64_t>> all;
      for (const auto& s : tests::importFiles(request).slices()) all.emplace_back(s.name, s.start / 1000);
      return all;
    };
    using List = std::vector<std::pair<std::string, int64_t>>;
    QVERIFY(starts(Alignment::By::Marker) == (List{{"a", 0}, {"go", 100}, {"go", 100}}));
    QVERIFY(starts(Alignment::By::Start) == (List{{"a", 0}, {"go", 100}, {"go", 0}}));
    QVERIFY(starts(Alignment::By::Absolute) == (List{{"a", 850}, {"go", 950}, {"go", 0}}));
    QVERIFY(starts(Alignment::By::Start, {0, 7000}) == (List{{"a", 0}, {"go", 100}, {"go", 7}}));
    request.alignment = {Alignment::By::Marker, "nowhere", {}};
    QVERIFY_EXCEPTION_THROWN(tests::importFiles(request), Error);
  }

  // One event per line, as loggers write them.
  void eventsOneALine() {
    const tests::Imported trace = tests::importText(kX + "\n" + kX + "\nnot an event\n{\"ph\":\"X\" oops}\n" + kX + "\n");
    QCOMPARE(trace.counts().slices, int64_t(3));
    QCOMPARE(trace.mended(Mend::UnreadableEvents), int64_t(2));
    QCOMPARE(trace.mended(Mend::TornFile), int64_t(0));
    QCOMPARE(tests::importText("{\"version\":1}\n" + kX + ",\n" + kX).counts().slices, int64_t(2));
    const tests::Imported cut = tests::importText(kX + "\n" + kX.substr(0, 20));
    QCOMPARE(cut.counts().slices, int64_t(1));
    QCOMPARE(cut.mended(Mend::TornFile), int64_t(1));
  }
  // Joined packed files hold several traces one after the other. Other text between them is counted.
  void whatFollowsTheTrace() {
    const std::string object = "{\"traceEvents\":[" + kX + "]}";
    for (const std::string& text : {"[" + kX + "][" + kX + "]", object + "\n" + object, "[" + kX + "]\n" + object}) {
      const tests::Imported trace = tests::importText(text);
      QCOMPARE(trace.counts().slices, int64_t(2));
      for (const int64_t n : trace.result.total.mended) QCOMPARE(n, int64_t(0));
    }
    for (const std::string& text : {"[" + kX + "] end of trace", object + ";"}) {
      const tests::Imported trace = tests::importText(text);
      QCOMPARE(trace.counts().slices, int64_t(1));
      QCOMPARE(trace.mended(Mend::TrailingContent), int64_t(1));
    }
  }
};

TILESCOPE_TEST(ChromeJsonTest)
#include "chrome_json_test.moc"
