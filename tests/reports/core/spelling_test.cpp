#include "reports/core/spelling.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace reports;

class SpellingTest : public QObject {
  Q_OBJECT
private slots:
  void oneNameHasManySpellings() {
    for (const char* name : {"vertexCycles", "vertex-cycles", "Vertex cycles", "VERTEX_CYCLES"})
      QVERIFY2(sameName(name, "vertex_cycles"), name);
    QVERIFY(!sameName("vertex_cycle", "vertex_cycles"));
    QCOMPARE(plainSpelling("Bow-Pod 16"), std::string("bowpod16"));
  }
  void aSlipOfTheFingerIsFound() {
    const std::vector<std::string> names{"machine", "ipus", "set", "tolerance"};
    QCOMPARE(likelyMeant("machne", names), std::string("machine"));
    QCOMPARE(likelyMeant("Tolerances", names), std::string("tolerance"));
    QCOMPARE(likelyMeant("ipu", names), std::string("ipus"));
    QCOMPARE(likelyMeant("unit", names), std::string());
    QCOMPARE(likelyMeant("", names), std::string());
    QCOMPARE(likelyMeant(std::string(100'000, 'x'), names), std::string());
  }
  void similarNamesAreSimilar() {
    const std::vector<std::string> names{"total_cycles", "replicas", "clock_hz", "time-limit", "cycles"};
    QCOMPARE(nearestNames("total_cycels", names, 3), std::vector<std::string>{"total_cycles"});
    QCOMPARE(nearestNames("timeout", names, 3), std::vector<std::string>{"time-limit"});
    QCOMPARE(nearestNames("cycles", names, 3), (std::vector<std::string>{"cycles", "total_cycles"}));
    QCOMPARE(nearestNames("unknown", names, 3), std::vector<std::string>());
    QCOMPARE(nearestNames("", names, 3), std::vector<std::string>());
  }
};

TILESCOPE_TEST(SpellingTest)
#include "spelling_test.moc"
