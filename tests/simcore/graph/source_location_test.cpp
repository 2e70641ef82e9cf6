// The source location of a debug context, from its details.
#include "simcore/graph/source_location.h"

#include "reports/core/error.h"
#include "simcore/arch/machine.h"
#include "simcore/graph/graph.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <QTest>

using namespace simcore;

class SourceLocationTest : public QObject {
  Q_OBJECT
private slots:
  void detailsKeepWhatTheySay() {
    const graph::SourceLocation here = graph::SourceLocation::current();
    QCOMPARE(graph::withSource("", graph::kNoSource), std::string());
    QCOMPARE(graph::withSource("no object", graph::kNoSource), std::string("no object"));
    QCOMPARE(graph::withSource(R"({"source": 3})", here), std::string(R"({"source": 3})"));
    for (const char* odd : {"[1, 2]", "no object", "{"})
      QVERIFY_THROWS_EXCEPTION(reports::Error, (void)graph::withSource(odd, here));
  }

  void aContextKnowsWhoMadeIt() {
    graph::Graph g(arch::findMachine("gc200", 1));
    const int line = __LINE__ + 1;
    const auto made = g.addContext({}, "layer", "user", "", R"({"op": "Conv"})");
    const auto other = g.addContext({}, "library call", "library", "", {}, graph::kNoSource);
    const auto details = nlohmann::json::parse(g.contexts().at(made.value()).details);
    QVERIFY(details["op"] == "Conv");
    QVERIFY(details["source"]["file"] == "tests/simcore/graph/source_location_test.cpp"); // without the folder of the build
    QCOMPARE(details["source"]["line"].get<int>(), line);
    QVERIFY(details["source"]["function"] == "aContextKnowsWhoMadeIt");
    QVERIFY(g.contexts().at(other.value()).details.empty());
  }
};

TILESCOPE_TEST(SourceLocationTest)
#include "source_location_test.moc"
