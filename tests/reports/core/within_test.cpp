// Locations of errors, and options in texts.
#include "reports/core/option.h"
#include "reports/core/within.h"
#include "tests/support/test_main.h"

#include <QTest>

class WithinTest : public QObject {
  Q_OBJECT
private slots:
  void theResultPasses() {
    QCOMPARE(reports::within("file", [] { return 7; }), 7);
    bool ran = false;
    reports::within("file", [&] { ran = true; });
    QVERIFY(ran);
  }
  void anErrorGetsThePlace() {
    const auto node = [] { return std::string("node 'a'"); };
    try {
      reports::within("file", [&] {
        reports::within(node, [] { throw reports::Error(reports::ErrorCode::InvalidInput, "no", "input 0", "give it"); });
      });
      QFAIL("no error");
    } catch (const reports::Error& error) {
      QCOMPARE(error.where(), std::string("file: node 'a': input 0"));
      QCOMPARE(error.message(), std::string("no"));
      QCOMPARE(error.advice(), std::string("give it"));
    }
  }
  // A cancelled run is not an error of the file that it read.
  void aCancellationPassesAsItIs() {
    try {
      reports::within("file", [] { throw reports::Cancelled(); });
      QFAIL("no cancellation");
    } catch (const reports::Cancelled& cancelled) {
      QVERIFY(cancelled.where().empty());
    }
  }
  void optionsAreSpelledByTheProgram() {
    const auto flag = [](std::string_view name) { return "--" + std::string(name); };
    QCOMPARE(reports::withOptions(reports::option("shape") + " x=1: give " + reports::option("batch-size"), flag),
             std::string("--shape x=1: give --batch-size"));
    QCOMPARE(reports::withOptions("no {mark} here, {option open", flag), std::string("no {mark} here, {option open"));
    QVERIFY(reports::isOption(reports::option("shape") + " x"));
    QVERIFY(!reports::isOption("node 'a'"));
  }
};

TILESCOPE_TEST(WithinTest)
#include "within_test.moc"
