// The facts of a plan as JSON: order, kinds of values, and names that need quotes.
#include "simcore/ops/plan/plan_facts.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

using namespace simcore::ops;

namespace {
std::string json(std::string text) { // with double quotes
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}
} // namespace

class PlanFactsTest : public QObject {
  Q_OBJECT

private slots:
  void valuesKeepTheirKindAndOrder() {
    const std::vector<std::string> steps{"add", "mul"};
    const std::array<int64_t, 2> field{3, 4};
    const std::size_t tiles = 5;
    const PlanFacts facts{{"tiles", tiles},
                          {"fits", true},
                          {"share", 0.25},
                          {"method", "a \"b\""},
                          {"steps", steps},
                          {"kernel", field},
                          {"next", {}},
                          {"splits", std::vector<int64_t>{1, 2}},
                          {"partition", {{"rows", 7}, {"deep", {{"cut", 2}}}}}};
    QCOMPARE(jsonText(facts),
             json("{'tiles':5,'fits':true,'share':0.25,'method':'a \\'b\\'','steps':['add','mul'],'kernel':[3,4],"
                  "'next':null,'splits':[1,2],'partition':{'rows':7,'deep':{'cut':2}}}"));
  }
  void oneFactIsAnObject() {
    QCOMPARE(jsonText({{"predicted", {{"draw", int64_t(9)}}}}), json("{'predicted':{'draw':9}}"));
    QCOMPARE(jsonText(PlanFacts()), std::string("{}"));
  }
};

TILESCOPE_TEST(PlanFactsTest)
#include "plan_facts_test.moc"
