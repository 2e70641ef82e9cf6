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
  void runsAreCalledInShort() {
    QCOMPARE(
        shortRun("tilescope-cli run mnist-train --no-numbers --precision fp32 --set batch=16 --report /a/b.tsr --progress none"),
        std::string("mnist-train --precision fp32 batch=16"));
    QCOMPARE(shortRun("tilescope-cli run 'my model.onnx' -o"), std::string("my model.onnx"));
    QCOMPARE(shortRun("tilescope-cli import trace.json"), std::string());
    QCOMPARE(shortRun(""), std::string());
  }
};

TILESCOPE_TEST(RunOptionsTest)
#include "run_options_test.moc"
