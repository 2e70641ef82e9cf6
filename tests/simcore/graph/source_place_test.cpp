// Where a debug context was made, as its details tell it.
#include "simcore/graph/source_place.h"

#include "simcore/arch/machine.h"
#include "simcore/graph/graph.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <QTest>

using namespace simcore;

class SourcePlaceTest : public QObject {
  Q_OBJECT
private slots:
  void functionsAreNamedWithoutTheirTypes() {
    const std::pair<const char*, const char*> cases[] = {
        {"std::string simcore::samples::{anonymous}::embeddings(Network&, const std::string&)", "embeddings"},
        {"int main(int, char**)", "main"},
        {"std::map<int, std::string> f(std::vector<int>)", "f"},
        {"T* twice(T*) [with T = int]", "twice"},
        {"simcore::samples::helloTiles()::<lambda(const Parameters&)>", "helloTiles"},
        {"a::B<c::D>::name() const", "name"},
        {"", ""},
        {">>odd<", ">>odd<"}};
    for (const auto& [signature, name] : cases) QCOMPARE(graph::functionName(signature), std::string(name));
  }

  void aContextKnowsWhoMadeIt() {
    graph::Graph g(arch::findMachine("gc200", 1));
    const int line = __LINE__ + 1;
    const auto made = g.addContext({}, "layer", "user", "", R"({"op": "Conv"})");
    const auto other = g.addContext({}, "library call", "library", "", {}, graph::kNoSource);
    const auto details = nlohmann::json::parse(g.contexts().at(made.value()).details);
    QVERIFY(details["op"] == "Conv");
    QVERIFY(details["source"]["file"] == "tests/simcore/graph/source_place_test.cpp"); // without the folder of the build
    QCOMPARE(details["source"]["line"].get<int>(), line);
    QVERIFY(details["source"]["function"] == "aContextKnowsWhoMadeIt");
    QVERIFY(g.contexts().at(other.value()).details.empty());
  }
};

TILESCOPE_TEST(SourcePlaceTest)
#include "source_place_test.moc"
