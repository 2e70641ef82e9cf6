// Extensions of the format in Chrome traces of many writers, and the data in them that must not be lost.
#include "tests/reports/exchange/exported.h"
#include "tests/reports/exchange/perfetto_packets.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>

using namespace reports;
using namespace reports::exchange;
using nlohmann::json;
using tests::Imported;
using tests::importText;

namespace {

// JSON with single quotes.
std::string plain(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}
Imported importPlain(const std::string& text) { return importText(plain(text)); }

// name, depth, start and duration in microseconds
using Lane = std::tuple<std::string, int64_t, int64_t, int64_t>;
std::vector<Lane> lanesOf(const Imported& trace) {
  std::vector<Lane> lanes;
  for (const auto& s : trace.slices()) lanes.emplace_back(s.name, s.depth, s.start / 1000, (s.end - s.start) / 1000);
  std::sort(lanes.begin(), lanes.end());
  return lanes;
}
json detailsNamed(const Imported& trace, const std::string& name) {
  for (const auto& s : trace.slices())
    if (s.name == name) return json::parse(s.details.empty() ? "{}" : s.details);
  return {};
}
json detailsOfInstant(const Imported& trace, const std::string& name) {
  std::vector<std::string> details;
  for (const auto& chunk : trace.rows.rows<DetailsChunkRow>())
    for (auto& text : decodeDetails(chunk)) details.push_back(std::move(text));
  for (const auto& chunk : trace.rows.rows<InstantChunkRow>())
    for (const Instant& i : decodeInstants(chunk))
      if (trace.rows.text(i.name) == name && i.details >= 0) return json::parse(details.at(std::size_t(i.details)));
  return {};
}
std::string fact(const Imported& trace, const std::string& key) {
  for (const auto& row : trace.rows.rows<MetadataRow>())
    if (row.key == key) return row.value;
  return {};
}

} // namespace

class ChromeMendsTest : public QObject {
  Q_OBJECT
private slots:
  // clang's sums over the run are not threads: they are one row apart, and no thread is counted for them.
  void totalsOfClangAreNoThreads() {
    const tests::Imported trace = tests::importText(
        R"({"traceEvents":[{"pid":1,"tid":1,"ph":"X","ts":5,"dur":20,"name":"Frontend","args":{"detail":"a.cpp"}},)"
        R"({"pid":1,"tid":2,"ph":"X","ts":0,"dur":90,"name":"Total Frontend","args":{"count":3,"avg ms":30}},)"
        R"({"pid":1,"tid":3,"ph":"X","ts":0,"dur":70,"name":"Total Backend","args":{"count":1,"avg ms":70}},)"
        R"({"pid":1,"tid":4,"ph":"X","ts":0,"dur":7,"name":"Total of my own","args":{"count":1}}]})");
    QCOMPARE(trace.counts().threads, int64_t(2)); // 1 and 4
    std::vector<std::string> kinds;
    for (const auto& thread : trace.rows.rows<reports::HostThreadRow>())
      kinds.push_back(thread.name + ':' + thread.kind.value_or(""));
    std::sort(kinds.begin(), kinds.end());
    QCOMPARE(kinds, (std::vector<std::string>{"thread 1:", "thread 4:", "totals:total"}));
  }

  // Lanes are not nesting: a chain of slightly overlapping slices alternates between two lanes, and slices inside one of them use
  // a lane below both.
  void overlappingSlicesReuseLanes() {
    std::string text = "[";
    for (int i = 0; i < 6000; ++i) text += fmt::format("{{'ph':'X','name':'k','pid':1,'tid':1,'ts':{},'dur':12}},", i * 10);
    const Imported chain = importPlain(text);
    QCOMPARE(chain.rows.rows<TrackRow>().at(0).depths, int64_t(2));
    int64_t sum = 0;
    for (const auto& s : chain.slices()) sum += s.end - s.start;
    QCOMPARE(sum, int64_t(6000) * 12000);
    QCOMPARE(chain.mended(Mend::OverlappingSlices), int64_t(5999));
    const Imported nested = importPlain("[{'ph':'X','name':'a','pid':1,'tid':1,'ts':0,'dur':10},"
                                        "{'ph':'X','name':'b','pid':1,'tid':1,'ts':5,'dur':10},"
                                        "{'ph':'X','name':'in b','pid':1,'tid':1,'ts':6,'dur':2},"
                                        "{'ph':'X','name':'c','pid':1,'tid':1,'ts':11,'dur':10},"
                                        "{'ph':'X','name':'in c','pid':1,'tid':1,'ts':12,'dur':2}]");
    QVERIFY(lanesOf(nested) ==
            (std::vector<Lane>{{"a", 0, 0, 10}, {"b", 1, 5, 10}, {"c", 0, 11, 10}, {"in b", 2, 6, 2}, {"in c", 2, 12, 2}}));
    // In folded stacks, too, overlapping slices are siblings; only a slice that another one encloses is its child.
    const std::string folded = tests::exportedAgain(plain("[{'ph':'X','name':'a','pid':1,'tid':1,'ts':0,'dur':10},"
                                                          "{'ph':'X','name':'b','pid':1,'tid':1,'ts':5,'dur':10},"
                                                          "{'ph':'X','name':'in b','pid':1,'tid':1,'ts':6,'dur':2}]"),
                                                    exportFolded);
    QCOMPARE(folded, std::string("process 1;thread 1;a 10000\nprocess 1;thread 1;b 8000\nprocess 1;thread 1;b;in b 2000\n"));
  }
  // More simultaneous spans than a track has lanes: the cut ones are counted.
  void tooManyLanesAreCounted() {
    std::string text = "[";
    for (int i = 0; i < 5000; ++i)
      text += fmt::format("{{'ph':'b','cat':'c','name':'n','id':{},'pid':1,'tid':1,'ts':{}}},", i, i);
    text += "{'ph':'i','name':'end','pid':1,'tid':1,'ts':6000}]";
    const auto before = std::chrono::steady_clock::now();
    const Imported trace = importPlain(text);
    QVERIFY(std::chrono::steady_clock::now() - before < std::chrono::seconds(5));
    QCOMPARE(trace.mended(Mend::UnclosedAsync), int64_t(5000));
    QCOMPARE(trace.mended(Mend::SlicesCut), int64_t(5000 - 4096));
  }

  void endsPairByName() {
    const Imported trace =
        importPlain("[{'ph':'b','name':'whole','cat':'j','id':7,'pid':5,'tid':5,'ts':0},"
                    "{'ph':'b','name':'first','cat':'j','id':7,'pid':5,'tid':5,'ts':0},"
                    "{'ph':'b','name':'second','cat':'j','id':7,'pid':5,'tid':5,'ts':1},"
                    "{'ph':'e','name':'first','cat':'j','id':7,'pid':5,'tid':5,'ts':3},"
                    "{'ph':'e','name':'second','cat':'j','id':7,'pid':5,'tid':5,'ts':4},"
                    "{'ph':'e','name':'whole','cat':'j','id':7,'pid':5,'tid':5,'ts':5},"
                    "{'ph':'B','name':'x','pid':2,'tid':1,'ts':100},{'ph':'B','name':'y','pid':2,'tid':1,'ts':140},"
                    "{'ph':'E','name':'x','pid':2,'tid':1,'ts':150},{'ph':'E','name':'y','pid':2,'tid':1,'ts':204},"
                    "{'ph':'B','name':'p','pid':2,'tid':2,'ts':1},{'ph':'E','name':'other','pid':2,'tid':2,'ts':3}]");
    QVERIFY(
        lanesOf(trace) ==
        (std::vector<Lane>{
            {"first", 1, 0, 3}, {"p", 0, 1, 2}, {"second", 2, 1, 3}, {"whole", 0, 0, 5}, {"x", 0, 100, 50}, {"y", 1, 140, 64}}));
    QCOMPARE(trace.mended(Mend::MisnamedEnds), int64_t(1));
  }

  void detailsAreOneObject() {
    const Imported trace =
        importPlain("[{'ph':'X','name':'nan','pid':1,'tid':1,'ts':1,'dur':1,'args':{'v':NaN,'i':-Infinity,'p':-nan,'q':.5,'r':+1,"
                    "'s':undefined,'w':3,'n':18446744073709551615}},"
                    "{'ph':'X','name':'comma','pid':1,'tid':1,'ts':3,'dur':1,'args':{'a':[1,2,],'b':1,}},"
                    "{'ph':'X','name':'twice','pid':1,'tid':1,'ts':5,'dur':1,'args':{'a':1,'a':2}},"
                    "{'ph':'X','name':'path','pid':1,'tid':1,'ts':7,'dur':1,'args':{'f':'C:\\new\\table.py','g':'a\\u00e4'}},"
                    "{'ph':'X','name':'no json','pid':1,'tid':1,'ts':9,'dur':1,'args':{'f':{oops}}},"
                    "{'ph':'X','name':'list','pid':1,'tid':1,'ts':11,'dur':1,'args':[1,2]},"
                    "{'ph':'B','name':'both','pid':1,'tid':2,'ts':1,'args':{'status':'started','same':1,'only b':2}},"
                    "{'ph':'E','pid':1,'tid':2,'ts':2,'args':{'status':'failed','same':1,'only e':3}}]");
    const json nan = detailsNamed(trace, "nan");
    QCOMPARE(nan.at("w").get<int>(), 3);
    QCOMPARE(nan.at("v").get<std::string>(), std::string("NaN"));
    QCOMPARE(nan.at("i").get<std::string>(), std::string("-Infinity"));
    QCOMPARE(nan.at("n").get<uint64_t>(), UINT64_MAX);
    QVERIFY(detailsNamed(trace, "comma") == json::parse(R"({"a":[1,2],"b":1})"));
    QVERIFY(detailsNamed(trace, "twice") == json::parse(R"x({"a":1,"a (2)":2})x"));
    QVERIFY(detailsNamed(trace, "path") == json::parse(R"({"f":"C:\\new\\table.py","g":"aä"})"));
    QVERIFY(detailsNamed(trace, "no json") == json::parse(R"({"f":"{oops}"})"));
    QVERIFY(detailsNamed(trace, "list") == json::parse(R"({"value":[1,2]})"));
    QVERIFY(detailsNamed(trace, "both") ==
            json::parse(R"x({"status (begin)":"started","only b":2,"status":"failed","same":1,"only e":3})x"));
    QCOMPARE(trace.mended(Mend::DetailsMended), int64_t(6));
  }

  void pathsOfWindowsKeepTheirBackslashes() {
    const Imported trace =
        importPlain("[{'ph':'X','name':'torch\\cuda\\__init__.py(219): _lazy_init','pid':1,'tid':1,'ts':1,'dur':1},"
                    "{'ph':'X','name':'C:\\Users\\x\\new\\m.py(3): f','pid':1,'tid':1,'ts':3,'dur':1},"
                    "{'ph':'X','name':'torch\\nn\\functional.py(5): relu','pid':1,'tid':1,'ts':5,'dur':1},"
                    "{'ph':'X','name':'D:\\temp','pid':1,'tid':1,'ts':7,'dur':1},"
                    "{'ph':'X','name':'two\\nlines \\u00e4 \\\\','pid':1,'tid':1,'ts':9,'dur':1}]");
    QCOMPARE(trace.names(),
             (std::vector<std::string>{R"(torch\cuda\__init__.py(219): _lazy_init)", R"(C:\Users\x\new\m.py(3): f)",
                                       R"(torch\nn\functional.py(5): relu)", R"(D:\temp)", "two\nlines ä \\"}));
    QCOMPARE(trace.mended(Mend::BareBackslashes), int64_t(4));
  }

  // A path without a wrong escape is one only beside others that have them: elsewhere it stays what JSON says.
  void pathsOfWindowsAreToldByTheirWriter() {
    const auto of = [](const char* other) {
      return importPlain(
          "[{'ph':'X','name':'src\\ntdll\\rtl.c','pid':1,'tid':1,'ts':1,'dur':1,'args':{'f':'lib\\run.h:12','t':'a\\nb'}},"
          "{'ph':'X','name':'a [D:\\bin\\nvcc.exe]','pid':1,'tid':1,'ts':3,'dur':1},"
          "{'ph':'X','name':'done.\\nNext: [a]\\n1','pid':1,'tid':1,'ts':5,'dur':1},"
          "{'ph':'X','name':'" +
          std::string(other) + "','pid':1,'tid':1,'ts':7,'dur':1}]");
    };
    const Imported bare = of(R"(\\srv\share\x)");
    QCOMPARE(bare.names(), (std::vector<std::string>{R"(src\ntdll\rtl.c)", R"(a [D:\bin\nvcc.exe])", "done.\nNext: [a]\n1",
                                                     R"(\\srv\share\x)"}));
    QVERIFY(detailsNamed(bare, R"(src\ntdll\rtl.c)") == json::parse(R"({"f":"lib\\run.h:12","t":"a\nb"})"));
    QCOMPARE(bare.mended(Mend::BareBackslashes), int64_t(3));
    QCOMPARE(bare.mended(Mend::DetailsMended), int64_t(1));
    const Imported plainFile = of("other");
    QCOMPARE(plainFile.names(),
             (std::vector<std::string>{"src\ntdll\rtl.c", R"(a [D:\bin\nvcc.exe])", "done.\nNext: [a]\n1", "other"}));
    QVERIFY(detailsNamed(plainFile, "src\ntdll\rtl.c") == json::parse(R"({"f":"lib\run.h:12","t":"a\nb"})"));
    QCOMPARE(plainFile.mended(Mend::BareBackslashes), int64_t(1)); // a drive before a backspace
    QCOMPARE(plainFile.mended(Mend::DetailsMended), int64_t(0));
  }

  void durationsThatAreNoNumbersAreCounted() {
    const Imported trace =
        importPlain("[{'ph':'X','name':'a','pid':1,'tid':1,'ts':1,'dur':NaN},{'ph':'X','name':'b','pid':1,'tid':1,"
                    "'ts':2,'dur':Infinity},{'ph':'X','name':'c','pid':1,'tid':1,'ts':3,'dur':'abc'},"
                    "{'ph':'X','name':'d','pid':1,'tid':1,'ts':4,'dur':null},{'ph':'X','name':'e','pid':1,'tid':1,'ts':5}]");
    QCOMPARE(trace.counts().slices, int64_t(5));
    QCOMPARE(trace.mended(Mend::DurationsNotNumbers), int64_t(3));
  }

  void stacksOfEventsAreKept() {
    const Imported trace =
        importPlain("{'traceEvents':[{'ph':'i','name':'list','pid':1,'tid':1,'ts':1,'s':'t','stack':['a','b']},"
                    "{'ph':'I','name':'frame','pid':1,'tid':1,'ts':2,'sf':'3','args':{'k':1}},"
                    "{'ph':'X','name':'slice','pid':1,'tid':1,'ts':3,'dur':1,'sf':2},"
                    "{'ph':'B','name':'pair','pid':1,'tid':1,'ts':5,'sf':2},{'ph':'E','pid':1,'tid':1,'ts':6,'args':{'e':1}},"
                    "{'ph':'i','name':'lost','pid':1,'tid':1,'ts':7,'sf':'9'}],"
                    "'stackFrames':{'1':{'name':'main'},'2':{'parent':'1','name':'work'},'3':{'parent':'2','name':'leaf'}}}");
    QVERIFY(detailsOfInstant(trace, "list") == json::parse(R"({"stack":["a","b"]})"));
    QVERIFY(detailsOfInstant(trace, "frame") == json::parse(R"({"k":1,"stack":["main","work","leaf"]})"));
    QVERIFY(detailsNamed(trace, "slice") == json::parse(R"({"stack":["main","work"]})"));
    QVERIFY(detailsNamed(trace, "pair") == json::parse(R"({"stack":["main","work"],"e":1})"));
    QCOMPARE(trace.mended(Mend::UnknownNames), int64_t(1));
  }

  void threadClockAndFactsOfTheFileAreKept() {
    const Imported trace = importPlain(
        "{'traceEvents':[{'ph':'X','pid':1,'tid':1,'ts':100,'dur':1000,'tts':5000,'tdur':20,'name':'x','cname':'bad'},"
        "{'ph':'B','name':'b','pid':1,'tid':1,'ts':2000,'tts':6000},{'ph':'E','pid':1,'tid':1,'ts':3000,'tts':6007.5}],"
        "'otherData':{'version':'1'},'metadata':{'source':'DevTools'},'displayTimeUnit':'ns'}");
    QVERIFY(detailsNamed(trace, "x") == json::parse(R"({"thread_start_ns":5000000,"thread_duration_ns":20000})"));
    QVERIFY(detailsNamed(trace, "b") == json::parse(R"({"thread_start_ns":6000000,"thread_duration_ns":7500})"));
    QVERIFY(json::parse(fact(trace, "trace.metadata")) == json::parse(R"({"source":"DevTools"})"));
    QVERIFY(json::parse(fact(trace, "trace.otherData")) == json::parse(R"({"version":"1"})"));
    QCOMPARE(trace.mended(Mend::MembersNotShown), int64_t(1)); // cname
  }

  // Members of an event that its kind does not display are counted by name.
  void membersThatAreNotShown() {
    const Imported trace = importPlain(
        "[{'ph':'X','name':'a','pid':1,'tid':1,'ts':0,'dur':5,'cname':'good','icount':7,'zeta':9,'tdur':'x'},"
        "{'ph':'C','name':'c','pid':1,'ts':1,'tts':55,'args':{'v':1}},{'ph':'C','name':'c','pid':1,'ts':5,'args':5},"
        "{'ph':'i','name':'h','pid':1,'tid':1,'ts':2,'tts':'NaN','dur':3},{'ph':'i','name':'h','pid':1,'tid':1,'ts':2,'dur':0},"
        "{'ph':'B','name':'b','pid':1,'tid':1,'ts':10},{'ph':'E','name':'b','pid':1,'tid':1,'ts':15,'tts':7,'sf':2},"
        "{'ph':'b','name':'as','cat':'x','id':1,'pid':1,'ts':1,'sf':1},{'ph':'n','name':'as','cat':'x','id':1,'pid':1,'ts':1,'sf'"
        ":2},"
        "{'ph':'e','name':'as','cat':'x','id':1,'pid':1,'ts':2,'sf':2},"
        "{'ph':'s','name':'f','id':3,'pid':1,'tid':1,'ts':11,'sf':2,'args':{'q':5}},{'ph':'f','name':'f','id':3,'pid':1,'tid':1,"
        "'ts':12,'args':{}}]");
    QVERIFY(trace.counts().notShown == (std::map<std::string, int64_t>{{"member cname", 1},
                                                                       {"member icount", 1},
                                                                       {"member zeta", 1},
                                                                       {"member tdur that is not a number", 1},
                                                                       {"member tts that is not a number", 1},
                                                                       {"member tts of a counter", 1},
                                                                       {"member dur of a mark", 1},
                                                                       {"member sf of an end", 2},
                                                                       {"member sf of a begin", 1},
                                                                       {"member sf of a mark", 1},
                                                                       {"member sf of a flow", 1},
                                                                       {"member args of a flow", 1}}));
    QCOMPARE(trace.mended(Mend::MembersNotShown), int64_t(13));
    QCOMPARE(trace.mended(Mend::CounterValuesNotNumbers), int64_t(1));
    QVERIFY(detailsNamed(trace, "b") == json::parse(R"({"thread_end_ns":7000})"));
  }

  // A process id that is reused later under another name.
  void pidsUsedAgain() {
    const Imported trace = importPlain("[{'ph':'M','name':'process_name','pid':60,'ts':0,'args':{'name':'cargo'}},"
                                       "{'ph':'X','name':'compile','pid':60,'tid':60,'ts':10,'dur':50},"
                                       "{'ph':'M','name':'process_name','pid':60,'ts':70,'args':{'name':'api'}},"
                                       "{'ph':'X','name':'serve','pid':60,'tid':60,'ts':80,'dur':50},"
                                       "{'ph':'X','name':'late','pid':60,'tid':60,'ts':20,'dur':1},"
                                       "{'ph':'M','name':'process_name','pid':1,'args':{'name':'a'}},"
                                       "{'ph':'M','name':'process_name','pid':1,'args':{'name':'b'}},"
                                       "{'ph':'X','name':'one','pid':1,'tid':1,'ts':20,'dur':1}]");
    std::map<int64_t, std::string> processes, tracks;
    for (const auto& row : trace.rows.rows<HostProcessRow>()) processes[row.id] = row.name;
    for (const auto& row : trace.rows.rows<HostThreadRow>()) tracks[row.trackId] = processes[row.processId];
    std::map<std::string, std::string> of;
    for (const auto& s : trace.slices()) of[s.name] = tracks[s.track];
    QVERIFY(of == (std::map<std::string, std::string>{{"compile", "cargo"}, {"late", "cargo"}, {"serve", "api"}, {"one", "b"}}));
    QCOMPARE(trace.mended(Mend::PidsUsedAgain), int64_t(1));
    QCOMPARE(trace.mended(Mend::NamesReplaced), int64_t(1)); // a is now b
    QVERIFY(tests::perfetto::issues(trace).find("a is now b") != std::string::npos);
    QCOMPARE(trace.counts().processes, int64_t(3));
  }

  void eventsWithoutTidAreOfTheMainThread() {
    const Imported trace = importPlain("[{'ph':'X','name':'outer','pid':4,'tid':4,'ts':0,'dur':10},"
                                       "{'ph':'X','name':'inner','pid':4,'ts':2,'dur':3}]");
    QVERIFY(lanesOf(trace) == (std::vector<Lane>{{"inner", 1, 2, 3}, {"outer", 0, 0, 10}}));
    QCOMPARE(trace.counts().threads, int64_t(1));
  }

  void numbersAsTextCount() {
    const Imported trace = importPlain("[{'ph':'C','name':'n','pid':1,'ts':1,'args':{'a':'1.5','b':'x'}},"
                                       "{'ph':'C','name':'n','pid':1,'ts':2,'args':{'a':'2'}},"
                                       "{'ph':'C','name':'n','pid':1,'ts':90,'args':{'a':'0x10','b':null}}]");
    QCOMPARE(trace.counts().counterValues, int64_t(2));
    QCOMPARE(trace.counts().counterSamples, int64_t(2)); // the third has no number, so its time does not extend the trace
    QCOMPARE(trace.counts().durationNanoseconds, int64_t(1000));
    QCOMPARE(trace.mended(Mend::CounterValuesNotNumbers), int64_t(3));
    QCOMPARE(trace.rows.rows<CounterSeriesRow>().at(0).maxValue, 2.0);
  }

  void clangAligns() {
    tests::TemporaryFolder folder;
    for (const auto& [file, begin] : {std::pair("a.json", "1641999834929426"), std::pair("b.json", "1641999838882752")})
      std::ofstream(folder / file)
          << plain("{'traceEvents':[{'ph':'X','name':'go','pid':1,'tid':1,'ts':0,'dur':9}],'beginningOfTime':") << begin << "}";
    ImportRequest request;
    request.files = {folder / "a.json", folder / "b.json"};
    request.alignment.by = Alignment::By::Absolute;
    const auto slices = tests::importFiles(request).slices();
    QCOMPARE(slices.at(1).start - slices.at(0).start, int64_t(3953326000));
  }

  // A name without a time replaces the earlier one everywhere, and threads have no begin or end. Repeating the same name is not a change.
  void namesReplaceEarlierOnes() {
    const auto name = [](const char* what, const char* text, const char* more = "") {
      return fmt::format("{{'ph':'M','name':'{}','pid':3,'tid':4,{}'args':{{'name':'{}'}}}},", what, more, text);
    };
    const auto work = [](int at) { return fmt::format("{{'ph':'X','name':'w','pid':3,'tid':4,'ts':{},'dur':2}},", at); };
    const Imported trace =
        importPlain("[" + name("process_name", "first") + work(0) + name("process_name", "second") + work(10) +
                    name("process_name", "second") + name("process_name", "first") + name("thread_name", "reader", "'ts':1,") +
                    name("thread_name", "writer", "'ts':12,") + name("thread_name", "writer") + work(20) + "{}]");
    QCOMPARE(trace.mended(Mend::NamesReplaced), int64_t(3));
    QCOMPARE(trace.rows.rows<HostThreadRow>().at(0).name, std::string("writer"));
    QVERIFY(tests::perfetto::issues(trace).find("first is now second, second is now first, reader is now writer") !=
            std::string::npos);
  }
  // Weights of samples count, and a sample that names no process is of the one that has its thread.
  void weighedSamples() {
    const std::string text = plain(
        "{'traceEvents':[{'ph':'X','name':'x','pid':8,'tid':5,'ts':0,'dur':90}],"
        "'stackFrames':{'1':{'name':'main'},'2':{'name':'busy','parent':'1'},'3':{'name':'calm','parent':'1'}},"
        "'samples':[{'tid':5,'ts':10,'name':'cycles','sf':'2','weight':70},{'tid':5,'ts':20,'name':'cycles','sf':3,'weight':'5'},"
        "{'tid':5,'ts':30,'name':'misses','sf':2,'weight':4.5},{'tid':5,'ts':40,'name':'misses','sf':2,'weight':'many'},"
        "{'tid':6,'ts':50,'sf':'1'}]}");
    const Imported trace = importText(text);
    QCOMPARE(trace.mended(Mend::WeightsNotNumbers), int64_t(1));
    QCOMPARE(trace.mended(Mend::EventsWithoutProcess), int64_t(1)); // thread 6
    std::map<int64_t, std::optional<int64_t>> pids;
    for (const auto& row : trace.rows.rows<HostProcessRow>()) pids[row.id] = row.pid;
    int rows = 0;
    for (const auto& row : trace.rows.rows<HostThreadRow>())
      if (row.tid == 5) {
        QCOMPARE(pids[row.processId].value_or(-1), int64_t(8));
        ++rows;
      }
    QCOMPARE(rows, 3); // the thread and its two events
    const std::string folded = tests::exportedAgain(text, exportFolded);
    for (const char* line : {"main;busy 70\n", "main;calm 5\n", "main;busy 4.5\n", "main 1\n"})
      QVERIFY2(folded.find(line) != std::string::npos, folded.c_str());
  }
  // Clocks of threads of asynchronous work: a difference only within one thread.
  void threadClocksOfAsyncWork() {
    const Imported trace = importPlain("[{'ph':'b','cat':'c','id':1,'name':'one','pid':1,'tid':1,'ts':0,'tts':50},"
                                       "{'ph':'e','cat':'c','id':1,'name':'one','pid':1,'tid':1,'ts':9,'tts':53.5},"
                                       "{'ph':'S','cat':'c','id':2,'name':'two','pid':1,'tid':1,'ts':0,'tts':60},"
                                       "{'ph':'F','cat':'c','id':2,'name':'two','pid':1,'tid':2,'ts':9,'tts':7}]");
    QVERIFY(detailsNamed(trace, "one") == json::parse(R"({"thread_start_ns":50000,"thread_duration_ns":3500})"));
    QVERIFY(detailsNamed(trace, "two") == json::parse(R"({"thread_start_ns":60000})"));
    QCOMPARE(trace.mended(Mend::MembersNotShown), int64_t(1));
    QCOMPARE(trace.counts().notShown.at("member tts of another thread"), int64_t(1));
  }
  // Callers in a circle are cut where it closes.
  void circlesOfCallers() {
    const Imported profile = importText(
        plain("{'nodes':[{'id':1,'callFrame':{'functionName':'a'},'children':[2]},"
              "{'id':2,'callFrame':{'functionName':'b'},'children':[3]},{'id':3,'callFrame':{'functionName':'c'},'children':[1]},"
              "{'id':4,'callFrame':{'functionName':'self'},'parent':4},{'id':5,'callFrame':{'functionName':'in c'},'parent':3}],"
              "'startTime':0,'endTime':400,'samples':[3,4,5],'timeDeltas':[100,100,100]}"),
        "x.cpuprofile");
    QCOMPARE(profile.mended(Mend::StacksCut), int64_t(2));
    QVERIFY(lanesOf(profile) == (std::vector<Lane>{{"a", 0, 0, 100},
                                                   {"a", 0, 200, 100},
                                                   {"b", 1, 0, 100},
                                                   {"b", 1, 200, 100},
                                                   {"c", 2, 0, 100},
                                                   {"c", 2, 200, 100},
                                                   {"in c", 3, 200, 100},
                                                   {"self", 0, 100, 100}}));
    const Imported chrome =
        importPlain("{'traceEvents':[],'stackFrames':{'1':{'name':'a','parent':'2'},'2':{'name':'b','parent':'1'}},"
                    "'samples':[{'pid':1,'tid':1,'ts':1,'sf':'1'}]}");
    QCOMPARE(chrome.mended(Mend::StacksCut), int64_t(1));
    QCOMPARE(chrome.names(), (std::vector<std::string>{"b", "a"}));
  }

  // A bare backslash before the last quote of a string does not take the rest of the file.
  void stringsThatEndInABackslash() {
    const std::string more = "{'name':'after','ph':'X','pid':1,'tid':1,'ts':50,'dur':5}";
    const std::string rest = "'ph':'X','pid':1,'tid':1,'ts':1,'dur':5";
    const std::string inside = "{" + rest + ",'name':'in','args':{'path':'D:\\bin\\'}}";
    for (const auto& [event, name] : std::vector<std::pair<std::string, std::string>>{
             {"{'name':'C:\\dir\\'," + rest + "}", "C:\\dir\\"},
             {"{" + rest + ",'name':'C:\\new\\'}", "C:\\new\\"},
             {inside, "in"},
             {"{" + rest + ",'name':'in', 'args' : { 'path':'D:\\x\\' , 'list':['E:\\']}}", "in"}}) {
      for (const std::string& text : {"[" + event + "," + more + "]", "{'traceEvents':[" + event + ", " + more + "]}",
                                      "[" + event + ",\n" + more + "\n", event + "\n" + more + "\n"}) {
        const Imported trace = importPlain(text);
        QCOMPARE(trace.names(), (std::vector<std::string>{name, "after"}));
        QVERIFY(trace.mended(Mend::BareBackslashes) + trace.mended(Mend::DetailsMended) > 0);
        QCOMPARE(trace.mended(Mend::UnreadableEvents), int64_t(0));
      }
    }
    std::string large = "[" + inside; // longer than the part that is read at once
    int64_t slices = 1;
    for (; large.size() < (3u << 20); ++slices) large += "," + more;
    QCOMPARE(importPlain(large + "]").counts().slices, slices);
    // Events that stay unreadable, and whose escaped form would go on for ever, cost little each.
    std::string many = "[" + more;
    constexpr int kMany = 20'000;
    for (int i = 0; i < kMany; ++i) many += ",{'n':'\\','b':[[[[," + more;
    const Imported unreadable = importPlain(many + "]");
    QCOMPARE(unreadable.counts().slices, int64_t(1 + kMany));
    QCOMPARE(unreadable.mended(Mend::UnreadableEvents), int64_t(kMany));
    // Escaped quotes stay what they are.
    const Imported quoted = importPlain("[{'name':'say \\'}','ph':'X','pid':1,'tid':1,'ts':1,'dur':1}]");
    QCOMPARE(quoted.names(), (std::vector<std::string>{"say \"}"}));
  }

  // Without samples, the counts of hits are the profile.
  void profilesOfHitCounts() {
    const std::string nodes = "{'nodes':[{'id':1,'callFrame':{'functionName':'(root)'},'hitCount':0,'children':[2]},"
                              "{'id':2,'callFrame':{'functionName':'a'},'hitCount':1,'children':[3]},"
                              "{'id':3,'callFrame':{'functionName':'b'},'hitCount':3}]";
    const Imported timed = importText(plain(nodes + ",'startTime':1000,'endTime':1400}"), "x.cpuprofile");
    QVERIFY(lanesOf(timed) == (std::vector<Lane>{{"a", 0, 0, 400}, {"b", 1, 100, 300}}));
    QCOMPARE(timed.counts().samples, int64_t(4));
    QCOMPARE(timed.mended(Mend::SamplesWithoutTime), int64_t(4));
    const Imported untimed = importText(plain(nodes + "}"), "x.cpuprofile");
    QVERIFY(lanesOf(untimed) == (std::vector<Lane>{{"a", 0, 0, 4000}, {"b", 1, 1000, 3000}}));
    QCOMPARE(untimed.mended(Mend::SamplesOfUnknownTime), int64_t(4));
    const Imported endless =
        importText(plain("{'nodes':[{'id':1,'callFrame':{'functionName':'a'},'hitCount':9000000000000000000}]}"), "x.cpuprofile");
    QCOMPARE(endless.counts().samples, int64_t(0));
    QCOMPARE(endless.mended(Mend::ProfilesNotRead), int64_t(1));
  }

  // A profile in pieces, as DevTools writes it, and in a file of its own.
  void javaScriptProfiles() {
    const std::string nodes =
        "'nodes':[{'id':1,'callFrame':{'functionName':'(root)'}},"
        "{'id':2,'parent':1,'callFrame':{'functionName':'main','url':'app.js','lineNumber':1,'columnNumber':0}},"
        "{'id':3,'parent':2,'callFrame':{'functionName':'','url':'app.js','lineNumber':9}}]";
    const std::vector<Lane> wanted{{"(anonymous)", 1, 500, 1000}, {"(anonymous)", 1, 2000, 500}, {"main", 0, 0, 2500}};
    const Imported file = importText(
        plain("{" + nodes + ",'startTime':1000,'endTime':3600,'samples':[2,3,3,2,3],'timeDeltas':[100,500,500,500,500]}"),
        "x.cpuprofile");
    QCOMPARE(int(file.result.files.at(0).format), int(TraceFormat::CpuProfile));
    QVERIFY(lanesOf(file) == wanted);
    QCOMPARE(file.counts().samples, int64_t(5));
    for (const char* wrapper : {"{'cpuProfile':{", "{'id':3,'result':{'profile':{"}) {
      const std::string ends = std::string(wrapper).find("result") == std::string::npos ? "}}" : "}}}";
      QVERIFY(lanesOf(importText(
                  plain(wrapper + nodes +
                        ",'startTime':1000,'endTime':3600,'samples':[2,3,3,2,3],'timeDeltas':[100,500,500,500,500]" + ends),
                  "x.cpuprofile")) == wanted);
    }
    QVERIFY(detailsNamed(file, "main") == json::parse(R"({"file":"app.js","line":2,"col":1})"));
    const std::string chunk = "{'ph':'P','name':'ProfileChunk','id':'0x1','pid':9,'tid':2,'ts':1200,'args':{'data':{";
    const Imported pieces =
        importPlain("[{'ph':'M','name':'thread_name','pid':9,'tid':1,'args':{'name':'Main'}},"
                    "{'ph':'P','name':'Profile','id':'0x1','pid':9,'tid':1,'ts':1100,'args':{'data':{'startTime':1000}}}," +
                    chunk + "'cpuProfile':{" + nodes + ",'samples':[2,3]},'timeDeltas':[100,500]}}}," + chunk +
                    "'cpuProfile':{'samples':[3,2,3]},'timeDeltas':[500,500,500]}}}]");
    QVERIFY(lanesOf(pieces) == wanted);
    QCOMPARE(pieces.counts().samples, int64_t(5));
    QCOMPARE(pieces.rows.rows<HostThreadRow>().at(0).name, std::string("call stacks of Main"));
    // Weights, as the exporter sums them: the time until the next sample.
    QCOMPARE(
        tests::exportedAgain(
            plain("{" + nodes + ",'startTime':1000,'endTime':3600,'samples':[2,3,3,2,3],'timeDeltas':[100,500,500,500,500]}"),
            exportFolded),
        std::string("main 1000000\nmain;(anonymous) 1500000\n"));
  }
};

TILESCOPE_TEST(ChromeMendsTest)
#include "chrome_mends_test.moc"
