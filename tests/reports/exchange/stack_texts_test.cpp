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
             std::string("cache-misses;pr;main;a 1\ncycles;pr;main;a 1\ncycles;pr;main;b 1\n"));
  }
  void oneEventKeepsItsThread() {
    const std::string text = "pr 1/1 [0] 1.000100: 10 cycles: \n\t1 a (x)\n\n";
    const tests::Imported trace = tests::importText(text, "a.perf");
    QCOMPARE(trace.rows.rows<HostThreadRow>().at(0).name, std::string("thread 1"));
    QCOMPARE(tests::exportedAgain(text, exportFolded), std::string("pr;a 1\n"));
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
  // Two counts a line, as difffolded.pl writes them, are two profiles; a frame of one alone is not in the other.
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
    // Frames that end with a number are no first counts where other stacks have none.
    QCOMPARE(tests::exportedAgain("main;worker 3 5\nmain;b 2\n", exportFolded), std::string("main;b 2\nmain;worker 3 5\n"));
  }
  void proseIsNoStack() {
    for (const char* text : {"some words\nand 5\n", "a letter; of\nmany words\nand then 7\n", "a;b -3\n"})
      QVERIFY_EXCEPTION_THROWN(tests::importText(text, "a.txt"), Error);
  }
};

TILESCOPE_TEST(StackTextsTest)
#include "stack_texts_test.moc"
