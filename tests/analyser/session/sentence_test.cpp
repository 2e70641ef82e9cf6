#include "analyser/session/sentence.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace analyser;

class SentenceTest : public QObject {
  Q_OBJECT
private slots:
  void printsEveryKindOfPart() {
    Sentence s;
    s << "Peak " << reports::Bytes(2048) << " at step " << int64_t(1234) << " after " << reports::Cycles(1500) << ", "
      << Sentence::Percent{0.25} << ", " << Sentence::Change<reports::Bytes>{reports::Bytes(1024)} << ", "
      << Sentence::Change<reports::Cycles>{reports::Cycles(-3)} << ", " << reports::Nanoseconds(1'500'000);
    QCOMPARE(s.text(), std::string("Peak 2.00 KiB at step 1,234 after 1,500 cycles, 25.0 %, +1.00 KiB, -3 cycles, 1.50 ms"));
  }
  void namesAreShortenedAndMadeVisible() {
    Sentence s("Most of it ");
    s << Sentence::Name{"a/very/long/path/to/the/weights\n"} << ".";
    QCOMPARE(s.text(11), std::string("Most of it a/ver…s\\x0a."));
    QCOMPARE(s.text(100), std::string("Most of it a/very/long/path/to/the/weights\\x0a."));
  }
  void emptyUntilSomethingIsSaid() {
    Sentence s;
    QVERIFY(s.empty() && s.text().empty());
    s << "x";
    QVERIFY(!s.empty());
  }
};

TILESCOPE_TEST(SentenceTest)
#include "sentence_test.moc"
