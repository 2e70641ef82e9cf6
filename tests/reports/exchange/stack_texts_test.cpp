// Call stacks as text: `perf script` with several events, folded stacks with odd lines.
#include "tests/reports/exchange/exported.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace reports;
using namespace reports::exchange;

class StackTextsTest : public QObject {
  Q_OBJECT
private slots:
  // Cycles and cache misses of one thread are two lanes and two categories, and are not added.
  void eventsOfPerfStayApart() {
    const std::string text = "pr 1/1 [0] 1.000100: 10 cycles: \n\t1 a (x)\n\t2 main (x)\n\n"
                             "pr 1/1 [0] 1.000200: 10 cache-misses: \n\t1 a (x)\n\t2 main (x)\n\n"
                             "pr 1/1 [0] 1.000300: 10 cycles: \n\t1 b (x)\n\t2 main (x)\n\n";
    const tests::Imported trace = tests::importText(text, "a.perf");
    QCOMPARE(trace.counts().samples, int64_t(3));
    QCOMPARE(trace.counts().threads, int64_t(1)); // it is one thread of the program
    std::vector<std::string> lanes, categories;
    for (const auto& row : trace.rows.rows<HostThreadRow>()) lanes.push_back(row.name);
    for (const auto& row : trace.rows.rows<ChannelRow>()) categories.push_back(row.name);
    QCOMPARE(lanes, (std::vector<std::string>{"thread 1: cycles", "thread 1: cache-misses"}));
    QCOMPARE(categories, (std::vector<std::string>{"cycles", "cache-misses"}));
    QCOMPARE(tests::exportedAgain(text, exportFolded),
             std::string("cache-misses;pr;main;a 10\ncycles;pr;main;a 10\ncycles;pr;main;b 10\n"));
  }
  void oneEventKeepsItsThread() {
    const std::string text = "pr 1/1 [0] 1.000100: 10 cycles: \n\t1 a (x)\n\n";
    const tests::Imported trace = tests::importText(text, "a.perf");
    QCOMPARE(trace.rows.rows<HostThreadRow>().at(0).name, std::string("thread 1"));
    QCOMPARE(tests::exportedAgain(text, exportFolded), std::string("pr;a 10\n"));
  }

  // A sample weighs as many events as its period says, in folded stacks too.
  void periodsAreWeights() {
    std::string text;
    for (const char* const sample : {"1.000001: 1 page-faults: \n\t1 cold (x)\n", "1.000002: 1 page-faults: \n\t1 cold (x)\n",
                                     "1.000003: 98 page-faults: \n\t3 hot (x)\n"})
      text += std::string("app 10/10 ") + sample + "\t2 main (x)\n\n";
    QCOMPARE(tests::exportedAgain(text, exportFolded), std::string("app;main;cold 2\napp;main;hot 98\n"));
    int64_t hot = 0, cold = 0; // drawn in these shares, as far as the next sample leaves time
    for (const auto& s : tests::importText(text, "a.perf").slices())
      (s.name == "hot" ? hot : cold) += s.name == "hot" || s.name == "cold" ? s.end - s.start : 0;
    QCOMPARE(hot, 49 * cold);
  }
  // A thread that sleeps is not drawn as busy until its next sample.
  void aSleepingThreadIsNotBusy() {
    std::string text;
    for (int i = 0; i < 100; ++i) text += "busy 1/1 1." + std::to_string(100000 + i * 1000) + ": 1 cycles: \n\t1 work (x)\n\n";
    text += "idle 2/2 1.100000: 1 cycles: \n\t1 wait (x)\n\nidle 2/2 9.000000: 1 cycles: \n\t1 wait (x)\n\n";
    for (const auto& slice : tests::importText(text, "a.perf").slices())
      if (slice.name == "wait") QCOMPARE(slice.end - slice.start, int64_t(1'000'000));
  }
  // Periods of a clock are in nanoseconds; with few samples, the shortest gap is the length of a sample.
  void aLongSleepOfFewSamples() {
    const auto asked = [](const char* event, const char* period) {
      std::string text;
      for (const char* time : {"1.000000", "10.310000", "10.320000"})
        text += std::string("app 10 [000] ") + time + ": " + period + " " + event +
                ": \n\t1 work (/bin/a b/app (deleted))\n\t2 main (x)\n\n";
      int64_t longest = 0;
      for (const auto& slice : tests::importText(text, "a.perf").slices()) {
        if (slice.name == "work") longest = std::max(longest, slice.end - slice.start);
        if (slice.name.find("work") != std::string::npos && slice.name != "work") return int64_t(-1);
      }
      return longest;
    };
    QCOMPARE(asked("cpu-clock", "250000"), int64_t(250'000));
    QCOMPARE(asked("task-clock:u", "250000"), int64_t(250'000));
    QCOMPARE(asked("cycles", "1"), int64_t(20'000'000)); // two that touch
  }
  // As perf writes them with -F: any part of the header may be missing.
  void headersWithoutParts_data() {
    QTest::addColumn<QString>("header");
    QTest::addColumn<QString>("command");
    QTest::addColumn<qlonglong>("tid");
    QTest::addColumn<bool>("hasTime");
    QTest::newRow("all") << "my app 10/11 [002] 1.5: 7 cycles:u: "
                         << "my_app" << 11ll << true;
    QTest::newRow("no command") << " 3245 [002] 1.5: cycles: "
                                << "thread_3245" << 3245ll << true;
    QTest::newRow("no command, no CPU") << "12/3245 1.5: cycles: "
                                        << "thread_3245" << 3245ll << true;
    QTest::newRow("no ids") << "java 1.5: cycles: "
                            << "java" << -1ll << true;
    QTest::newRow("no time") << "java  3245 cpu-clock: "
                             << "java" << 3245ll << false;
    QTest::newRow("no time, a period") << "java  12/3245 [001] 250000 cpu-clock:pppH: "
                                       << "java" << 3245ll << false;
    QTest::newRow("only command and tid") << "java 3245"
                                          << "java" << 3245ll << false;
  }
  void headersWithoutParts() {
    QFETCH(QString, header);
    QFETCH(QString, command);
    QFETCH(qlonglong, tid);
    QFETCH(bool, hasTime);
    const std::string one = header.toStdString() + "\n\t7f1e leaf (/lib/x.so)\n\t7f1d run (/lib/x.so)\n\n";
    const tests::Imported trace = tests::importText(one + one, "a.txt");
    QCOMPARE(trace.result.files.at(0).format, TraceFormat::PerfScript);
    QCOMPARE(trace.counts().samples, int64_t(2));
    const auto slices = trace.slices();
    QCOMPARE(slices.at(0).name, command.toStdString());
    QCOMPARE(slices.back().name, std::string("leaf"));
    QVERIFY(!hasTime || slices.back().details == R"({"dso":"/lib/x.so"})");
    const auto threads = trace.rows.rows<HostThreadRow>();
    if (hasTime) QCOMPARE(threads.at(0).tid.value_or(-1), int64_t(tid));
    if (!hasTime) QCOMPARE(threads.at(0).name, std::string("all stacks"));
  }
  // Only the argument list is removed from a name.
  void namesAreKeptWhole_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("kept");
    for (const auto& [name, kept] :
         {std::pair("std::function<int (int, int)>::operator()(int, int) const", "std::function<int (int, int)>::operator()"),
          std::pair("std::function<int (char)>::operator()(char) const", "std::function<int (char)>::operator()"),
          std::pair("core::ptr::drop_in_place<(alloc::string::String, u8)>",
                    "core::ptr::drop_in_place<(alloc::string::String, u8)>"),
          std::pair("(anonymous namespace)::f(int)", "(anonymous namespace)::f"), std::pair("Foo::operator()", "Foo::operator()"),
          std::pair("Foo::operator()()", "Foo::operator()"),
          std::pair("std::unique_ptr<A>::operator->() const", "std::unique_ptr<A>::operator->"),
          std::pair("net/http.(*Client).Do", "net/http.(*Client).Do"), std::pair("main.(*T)", "main.(*T)"),
          std::pair("f()::{lambda(int)#1}::operator()(int) const", "f()::{lambda(int)#1}::operator()"),
          std::pair("plain", "plain"), std::pair("g(int&) &&", "g"), std::pair("foo<'a'>", "foo<'a'>")})
      QTest::newRow(name) << name << kept;
  }
  void namesAreKeptWhole() {
    QFETCH(QString, name);
    QFETCH(QString, kept);
    const auto names =
        tests::importText("app 1/1 1.5: cycles: \n\t1 " + name.toStdString() + " (/bin/app)\n\n", "a.perf").names();
    QCOMPARE(names, (std::vector<std::string>{"app", kept.toStdString()}));
  }
  void inlinedFunctionsAreFrames() {
    QCOMPARE(tests::importText("app 1/1 1.5: cycles: \n\t1 outer->inner(int) (x)\n\n", "a.perf").names(),
             (std::vector<std::string>{"app", "outer", "inner"}));
  }
  // Text from PowerShell in either byte order, with or without a byte order mark, packed or not.
  void utf16IsText() {
    const std::u16string wide = u"main;\u00e4;b 3\r\nmain;\U0001F600 2\r\n";
    for (const bool isBig : {false, true})
      for (const bool isMarked : {true, false}) {
        std::string bytes;
        for (const char16_t c : (isMarked ? u"\ufeff" : u"") + (isMarked ? wide : u"a;bcdefgh 1\n" + wide))
          for (const int shift : {isBig ? 8 : 0, isBig ? 0 : 8}) bytes += char(c >> shift & 0xff);
        const std::string start = isMarked ? "" : "a;bcdefgh 1\n";
        QCOMPARE(tests::exportedAgain(bytes, exportFolded), start + "main;\u00e4;b 3\nmain;\U0001F600 2\n");
      }
  }
  // Many texts end their lines with numbers: folded stacks have frames.
  void linesWithNumbersAreNoStacks() {
    QVERIFY_EXCEPTION_THROWN(tests::importText("processor 0\nsiblings 2\ncores 2\n", "a.txt"), Error);
    QCOMPARE(tests::importText("processor 0\nsiblings 2\ncores 2\n", "a.txt", TraceFormat::Folded).counts().samples, int64_t(4));
  }

  // One bad line does not take the others with it.
  void goodLinesLoad_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("bad");
    QTest::addColumn<QString>("again");
    QTest::newRow("a line without a number") << "a;b 3\nno number\n" << 1 << "a;b 3\n";
    QTest::newRow("a negative weight") << "a;b 3\na;c -1\n" << 1 << "a;b 3\n";
    QTest::newRow("only empty frames") << "a;b 3\n;; 2\n" << 1 << "a;b 3\n";
    QTest::newRow("an empty frame") << "a;;b 3\n" << 0 << "a;(no name);b 3\n";
    QTest::newRow("a fraction") << "a;b 3\na 1.5\n" << 0 << "a 1.5\na;b 3\n";
    QTest::newRow("a weight beyond all times") << "a;b 99999999999999999999\na;c 1\n" << 1 << "a;c 1\n";
  }
  void goodLinesLoad() {
    QFETCH(QString, text);
    QFETCH(int, bad);
    QFETCH(QString, again);
    QCOMPARE(tests::importText(text.toStdString(), "a.folded").mended(Mend::LinesNotRead), int64_t(bad));
    QCOMPARE(tests::exportedAgain(text.toStdString(), exportFolded), again.toStdString());
  }
  // Two counts a line, as difffolded.pl writes them, are two profiles; a frame that only one of them has is missing in the other.
  void differentialStacksAreTwoProfiles() {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "main;read 1 1\n"; // the first fifty lines tell
    text += "main;read 12 4\nmain;parse;lex 3 9.5\nmain;gone 2 0\nmain;new 0 7\nmain only one 5\n";
    const tests::Imported trace = tests::importText(text, "a.folded");
    std::vector<std::string> lanes;
    for (const auto& row : trace.rows.rows<HostThreadRow>()) lanes.push_back(row.name);
    QCOMPARE(lanes, (std::vector<std::string>{"first profile", "second profile"}));
    QCOMPARE(trace.counts().threads, int64_t(2));
    QCOMPARE(trace.counts().samples, int64_t(77 + 80)); // 20.5
    QCOMPARE(trace.mended(Mend::LinesNotRead), int64_t(1));
    for (const auto& slice : trace.slices()) QVERIFY2(slice.end > slice.start, slice.name.c_str());
    QCOMPARE(tests::exportedAgain(text, exportFolded),
             std::string("first profile;main;gone 2\nfirst profile;main;parse;lex 3\nfirst profile;main;read 72\n"
                         "second profile;main;new 7\nsecond profile;main;parse;lex 9.5\nsecond profile;main;read 64\n"));
    // A number at the end of a frame is not a first count if other stacks have only one count.
    QCOMPARE(tests::exportedAgain("main;worker 3 5\nmain;b 2\n", exportFolded), std::string("main;b 2\nmain;worker 3 5\n"));
  }
  void proseIsNoStack() {
    for (const char* text : {"some words\nand 5\n", "a letter; of\nmany words\nand then 7\n", "a;b -3\n"})
      QVERIFY_EXCEPTION_THROWN(tests::importText(text, "a.txt"), Error);
  }
};

TILESCOPE_TEST(StackTextsTest)
#include "stack_texts_test.moc"
