// Profiles of speedscope: units, weights and odd cases.
#include "tests/reports/exchange/exported.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

using namespace reports;
using namespace reports::exchange;

namespace {

std::string fileOf(const std::string& profiles) {
  return R"({"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"main"},{"name":"f"},{"name":"g"}]},)"
         R"("name":"app","profiles":[)" +
         profiles + "]}";
}

const std::string kTimes = R"({"type":"sampled","name":"cpu","unit":"milliseconds","startValue":5,"endValue":10,)"
                           R"("samples":[[0,1],[0,2],[0,1]],"weights":[1,2.5,3]})";
const std::string kBytes = R"({"type":"sampled","name":"heap","unit":"bytes","startValue":0,"endValue":1030,)"
                           R"("samples":[[0,1],[0]],"weights":[1024,6]})";
const std::string kCalls = R"({"type":"evented","name":"calls","unit":"none","startValue":0,"endValue":7,"events":[)"
                           R"({"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":1},{"type":"C","frame":1,"at":3.5},)"
                           R"({"type":"C","frame":0,"at":7}]})";

} // namespace

class SpeedscopeTest : public QObject {
  Q_OBJECT
private slots:
  // Stacks count by the weights of their samples: times in nanoseconds, others in their unit.
  void weightsComeOutAgain() {
    QCOMPARE(tests::exportedAgain(fileOf(kTimes), exportFolded), std::string("main;f 4000000\nmain;g 2500000\n"));
    QCOMPARE(tests::exportedAgain(fileOf(kBytes), exportFolded), std::string("main 6\nmain;f 1024\n"));
    QCOMPARE(tests::exportedAgain(fileOf(kCalls), exportFolded), std::string("main 4.5\nmain;f 2.5\n"));
    QCOMPARE(tests::exportedAgain(fileOf(R"({"type":"sampled","unit":"none","samples":[[0],[0]]})"), exportFolded),
             std::string("main 2\n"));
  }

  // The source location of a frame is the metadata of its slices; two frames with the same name stay separate.
  void framesKeepTheirSource() {
    const std::string text = R"({"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[)"
                             R"({"name":"main","file":"a b.cpp","line":7,"col":3},{"name":"main","file":"c.cpp"},{"name":"f"}]},)"
                             R"("profiles":[{"type":"sampled","unit":"seconds","samples":[[0,2],[1,2]],"weights":[1,1]},)"
                             R"({"type":"evented","unit":"seconds","endValue":2,"events":[{"type":"O","frame":0,"at":0},)"
                             R"({"type":"C","frame":0,"at":2}]}]})";
    const std::string again = tests::exportedAgain(text, exportChromeJson);
    for (const char* const place : {R"("args":{"file":"a b.cpp","line":7,"col":3})", R"("args":{"file":"c.cpp"})"})
      QVERIFY2(again.find(place) != std::string::npos, again.c_str());
    QCOMPARE(tests::exportedAgain(text, exportFolded).find("main;f 2000000000") != std::string::npos, true);
    int mains = 0;
    for (const auto& slice : tests::importText(text).slices()) mains += slice.name == "main";
    QCOMPARE(mains, 3);
  }

  // Bytes are not added to milliseconds: each unit has its own process and category, and starts where the times start.
  void unitsStayApart() {
    const std::string all = fileOf(kTimes + "," + kBytes + "," + kCalls);
    QCOMPARE(tests::exportedAgain(all, exportFolded),
             std::string("call stack (bytes);main 6\ncall stack (bytes);main;f 1024\ncall stack;main;f 4000000\n"
                         "call stack;main;g 2500000\nframe (none);main 4.5\nframe (none);main;f 2.5\n"));
    const tests::Imported trace = tests::importText(all);
    std::vector<std::string> processes;
    for (const auto& row : trace.rows.rows<HostProcessRow>()) processes.push_back(row.name);
    std::sort(processes.begin(), processes.end());
    QCOMPARE(processes, (std::vector<std::string>{"app (bytes)", "app (milliseconds)", "app (none)"}));
    for (const auto& slice : trace.slices()) QVERIFY(slice.name != "main" || slice.start == 0);
    QCOMPARE(trace.counts().processes, int64_t(3));
    QCOMPARE(trace.counts().threads, int64_t(3));
    int64_t notices = 0;
    for (const auto& issue : trace.rows.rows<ReportIssueRow>())
      notices += issue.message.find("have no time") != std::string::npos;
    QCOMPARE(notices, int64_t(2));
  }

  void kindsThatAreNotKnownAreCounted() {
    const tests::Imported trace = tests::importText(fileOf(kTimes + R"(,{"type":"weird","name":"x"},{"name":"empty"})"));
    QCOMPARE(trace.mended(Mend::ProfilesNotRead), int64_t(2));
    QCOMPARE(trace.counts().samples, int64_t(3));
    const tests::Imported older = tests::importText(fileOf(R"({"name":"x","unit":"none","samples":[[0,1]],"weights":[1]})"));
    QCOMPARE(older.mended(Mend::ProfilesNotRead), int64_t(0)); // an older file names no type
    QCOMPARE(older.counts().samples, int64_t(1));
  }

  // A close event belongs to the open event of its frame and never ends another frame.
  void strayClosesAreCounted() {
    const tests::Imported trace = tests::importText(
        fileOf(R"({"type":"evented","unit":"milliseconds","startValue":0,"endValue":10,"events":[{"type":"C","frame":1,"at":0},)"
               R"({"type":"O","frame":0,"at":1},{"type":"C","frame":2,"at":6},{"type":"C","frame":0,"at":10}]})"));
    QCOMPARE(trace.mended(Mend::UnmatchedEnds), int64_t(2));
    QCOMPARE(trace.counts().slices, int64_t(1));
    QCOMPARE(trace.slices().at(0).end - trace.slices().at(0).start, int64_t(9'000'000));
  }

  void missingWeightsAreCounted() {
    const tests::Imported trace =
        tests::importText(fileOf(R"({"type":"sampled","unit":"none","samples":[[0],[1],[2],[0]],"weights":[1,"x",-2]})"));
    QCOMPARE(trace.mended(Mend::WeightsNotNumbers), int64_t(3));
  }

  // Every whole sample of a cut file is read; text behind the file is counted.
  void cutAndContinued() {
    const std::string whole = fileOf(kBytes + "," + kTimes);
    const std::size_t second = whole.find("[0,2],[0,1]");
    const tests::Imported cut = tests::importText(whole.substr(0, second + 7));
    QCOMPARE(cut.mended(Mend::TornFile), int64_t(1));
    QCOMPARE(cut.counts().samples, int64_t(4)); // two of bytes, two of the cut profile
    QCOMPARE(cut.mended(Mend::TrailingContent), int64_t(0));
    const tests::Imported more = tests::importText(whole + " {}");
    QCOMPARE(more.mended(Mend::TrailingContent), int64_t(1));
    QCOMPARE(more.counts().samples, int64_t(5));
  }
};

TILESCOPE_TEST(SpeedscopeTest)
#include "speedscope_test.moc"
