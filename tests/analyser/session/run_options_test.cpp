#include "analyser/session/run_options.h"

#include "analyser/session/repeat.h"
#include "analyser/session/shell_line.h"

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
  void linesAreReadBackAsTheSameWords() {
    for (const std::string odd :
         {"a b", "it's", "", "a\tb", "two\nlines\n", "\"x\"", "\\", "$HOME", "a\u2003b", "a;b", "a\u00a0"}) {
      const std::vector<std::string> words{"run", odd, "-o"};
      QCOMPARE(shellWords(shellLine(words)), words);
    }
  }
  void aReportRepeatsWhatItMaySet() {
    const Repeat repeat =
        repeatOf("tilescope-cli run mlp --machine=bow --set batch=16 --fp8-scale -3 --no-outline --shape 'x y=1x3' "
                 "--input x=/a/x.npy --input rate=16000 --tags /b/t.json -o a.tsr --json --force",
                 "mlp");
    QCOMPARE(repeat.graph, std::string("mlp"));
    QCOMPARE(repeat.options, (std::vector<std::string>{"--machine", "bow", "--set", "batch=16", "--fp8-scale", "-3",
                                                       "--no-outline", "--shape", "x y=1x3", "--input", "rate=16000"}));
    QCOMPARE(repeat.reading, (std::vector<std::string>{"--input", "x=/a/x.npy", "--tags", "/b/t.json"}));
    QCOMPARE(repeat.left, (std::vector<std::string>{"-o", "--json", "--force"}));
    QVERIFY(repeatOf("make-report", "mlp").graph.empty());
    QVERIFY(repeatOf("tilescope-cli run --machine bow", "--save-model=x").graph.empty());
  }
  // One argument in a report stays one argument, and never becomes another option.
  void aReportCannotSetWhatWrites() {
    for (const char* written : {"--save-model x",
                                "--save-model=x",
                                "--outputs x",
                                "--outputs=x",
                                "-o x",
                                "-ox",
                                "--report=x",
                                "--force",
                                "--memory-limit 1TiB",
                                "--unheard-of 1",
                                "--machine --force",
                                "--checkpoint --save-model=x",
                                "--set 'a'",
                                "--seed 1e",
                                "--recompute 'a b'",
                                "--tag 'a\nb=c'",
                                "--tag '=x'",
                                "--no-outline=yes",
                                "--engine-option autoReport.all=true",
                                "--engine-option=autoReport.directory=/x"}) {
      const Repeat repeat = repeatOf(std::string("tilescope-cli run mlp ") + written, "");
      const bool isNumber = std::string(written) == "--seed 1e"; // the command refuses it
      QVERIFY2((repeat.options.empty() || isNumber) && repeat.reading.empty(), written);
      QVERIFY2(!repeat.left.empty() || isNumber, written);
    }
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
