#include "analyser/session/run_options.h"

#include "tests/support/test_main.h"

#include <QTest>

using namespace analyser;

class RunOptionsTest : public QObject {
  Q_OBJECT
private slots:
  void wordsAreThoseOfAShell() {
    QCOMPARE(shellWords("  a 'b c'\t\"d \\\" e\" f\\ g '' h'i'"),
             (std::vector<std::string>{"a", "b c", "d \" e", "f g", "", "hi"}));
    QCOMPARE(shellWords("a 'open end"), (std::vector<std::string>{"a", "open end"}));
    QVERIFY(shellWords("").empty() && shellWords(" \n").empty());
    QCOMPARE(shellWords("'a\\b' c\\"), (std::vector<std::string>{"a\\b", "c\\"}));
  }
};

TILESCOPE_TEST(RunOptionsTest)
#include "run_options_test.moc"
