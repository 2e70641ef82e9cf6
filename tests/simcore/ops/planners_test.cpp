// What all planners of library ops have in common: the order of candidates, and the share of a tile's memory they keep to.
#include "simcore/arch/machine.h"
#include "simcore/ops/conv/convolution.h"
#include "simcore/ops/linalg/determinant.h"
#include "simcore/ops/pool/max_unpool.h"
#include "simcore/ops/slice/slices.h"
#include "simcore/ops/vision/roi_align.h"
#include "tests/simcore/ops/library_world.h"
#include "tests/support/test_main.h"

#include <functional>

using namespace simcore;
using namespace simcore::ops;

namespace {
struct Candidate {
  int number = 0;
  PlanCost given;
  PlanCost cost() const { return given; }
};
int chosen(const std::vector<PlanCost>& costs) {
  Cheapest<Candidate> best;
  for (std::size_t i = 0; i < costs.size(); ++i) best.offer({int(i), costs[i]});
  return best.plan().number;
}
} // namespace

class PlannersTest : public QObject {
  Q_OBJECT
private slots:
  void theCheapestThatFitsIsChosen() {
    QCOMPARE(chosen({{100, 8}, {90, 80}, {95, 1}}), 1);
    QCOMPARE(chosen({{90, 800, false}, {100, 8}, {80, 900, false}}), 1);
    QCOMPARE(chosen({{90, 80}, {90, 40}, {90, 60}}), 1);                        // equal cycles: fewer bytes
    QCOMPARE(chosen({{90, 80, true, 3}, {90, 80, true, 2}}), 1);                // equal bytes: the planner's own order
    QCOMPARE(chosen({{90, 80}, {90, 80}}), 0);                                  // equal: the first
    QCOMPARE(chosen({{10, 800, false}, {90, 700, false}, {5, 900, false}}), 1); // nothing fits: fewest bytes
    QVERIFY_THROWS_EXCEPTION(std::logic_error, Cheapest<Candidate>().plan());
  }

  // A smaller share never makes a plan faster, and what fits keeps to it.
  void plansKeepToTheShareOfMemoryTheyAreGiven() {
    const auto machine = arch::findMachine("gc200", 1);
    numerics::RegionParameters regions;
    regions.height = regions.width = 7;
    regions.samples = 2;
    const std::vector<std::pair<const char*, std::function<PlanCost(double)>>> planners = {
        {"look-up", [&](double m) { return planLookUp(machine, ElementType::Float, 200000, 256, 4096, m).cost(); }},
        {"determinant", [&](double m) { return planDeterminant(machine, ElementType::Float, 1, 2048, m).cost(); }},
        {"regions",
         [&](double m) {
           return planRegions(machine, ElementType::Float, codelets::RegionRead::Bilinear, {2, 256, 50, 68}, 512, regions, m)
               .cost();
         }},
        {"unpool", [&](double m) { return planUnpool(machine, ElementType::Float, 64, 100000, 25000, false, m).cost(); }},
    };
    for (const auto& [name, plan] : planners) {
      int64_t last = INT64_MAX;
      bool changed = false;
      for (const double share : {0.01, 0.05, 0.2, 0.6}) {
        const PlanCost cost = plan(share);
        if (!cost.fits) continue;
        QVERIFY2(cost.temporaryBytes <= int64_t(share * double(machine.tile.memory.value())), name);
        QVERIFY2(cost.cycles <= last, name);
        changed = changed || (last != INT64_MAX && cost.cycles < last);
        last = cost.cycles;
      }
      QVERIFY2(last < INT64_MAX, name);
      QVERIFY2(changed || !plan(0.01).fits, name);
    }
  }

  // Ops plan with the share of their builder.
  void opsTakeTheShareOfTheirBuilder() {
    const auto temporary = [](double share, const std::function<void(const OpBuilder&, tests::LibraryWorld&)>& op) {
      tests::LibraryWorld w(64, false);
      op(w.builder.withAvailableMemory(share), w);
      return w.graph->plans().at(0).temporary.value();
    };
    const auto product = [](const OpBuilder& b, tests::LibraryWorld& w) {
      matmul(b, w.graph->addVariable(ElementType::Float, {512, 512}, "a"),
             w.graph->addVariable(ElementType::Float, {512, 512}, "b"));
    };
    const auto unpooling = [](const OpBuilder& b, tests::LibraryWorld& w) {
      unpool(b, w.graph->addVariable(ElementType::Float, {8, 4096}, "x"),
             w.graph->addVariable(ElementType::Int64, {8, 4096}, "places"), 16384, false);
    };
    for (const auto& op : {std::function<void(const OpBuilder&, tests::LibraryWorld&)>(product),
                           std::function<void(const OpBuilder&, tests::LibraryWorld&)>(unpooling)})
      QVERIFY(temporary(0.03, op) < temporary(0.6, op));
  }
};

TILESCOPE_TEST(PlannersTest)
#include "planners_test.moc"
