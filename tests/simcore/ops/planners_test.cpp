// Rules of all planners of library ops: the order of candidates, and the share of a tile's memory that they may use.
#include "simcore/arch/machine.h"
#include "simcore/compile/exchange_plan.h"
#include "simcore/ops/conv/conv_problem.h"
#include "simcore/ops/conv/convolution.h"
#include "simcore/ops/linalg/determinant.h"
#include "simcore/ops/move/movement.h"
#include "simcore/ops/plan/exchange_estimate.h"
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

  // Planners and compiler use the same formula, except for the barrier and a partly filled word.
  void anExchangeCostsWhatTheCompilerSays() {
    const auto machine = arch::findMachine("gc200", 1);
    const int64_t nearest = machine.exchange.baseLatency.value(), barrier = machine.exchange.internalSync.value();
    for (const int64_t senders : {0, 1, 2, 40})
      for (const int64_t bytes : {4, 4000, 4001}) {
        compile::Exchange e;
        e.bytesIn.add({0, 1}, bytes);
        e.messagesIn.add({0, 1}, senders);
        e.latencyIn.add({0, 1}, nearest);
        const int64_t compiled = compile::internalExchangeCycles(machine, e).max(), rest = bytes % 4 != 0;
        QCOMPARE(exchangeEstimate(machine, double(bytes), senders, Barrier::LeftOut), compiled - rest);
        QCOMPARE(exchangeEstimate(machine, double(bytes), senders), compiled - rest + barrier);
        QCOMPARE(compiled, bytes / 4 + rest + std::max<int64_t>(0, senders - 1) * 7 + 25); // ipu-reference 5.2
      }
  }

  // A smaller share never makes a plan faster, and a plan that fits stays within its share.
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

  // A plan with less available memory never uses more, whether or not a plan fits.
  void lessMemoryNeverTakesMore() {
    const auto machine = arch::findMachine("gc200", 1);
    std::vector<ConvParams> problems;
    for (const auto& [images, ins, outs, field, kernel] : {std::array<int64_t, 5>{8, 64, 256, 56, 1},
                                                           {4, 64, 64, 56, 3},
                                                           {4, 512, 512, 7, 3},
                                                           {2, 3, 64, 112, 7},
                                                           {16, 1024, 256, 14, 1}}) {
      ConvParams p;
      p.type = ElementType::Half;
      p.batch = images, p.inChannels = ins, p.outChannels = outs;
      p.in = {field, field}, p.kernel = {kernel, kernel}, p.padLow = p.padHigh = {kernel / 2, kernel / 2};
      problems.push_back(p);
    }
    for (const auto& [rows, inner, columns] :
         {std::array<int64_t, 3>{4096, 768, 3072}, {1024, 1024, 30528}, {384, 384, 64}, {16, 4096, 4096}}) {
      ConvParams p;
      p.type = ElementType::Half;
      p.in = {rows, 1}, p.inChannels = inner, p.outChannels = columns, p.product = true;
      problems.push_back(p);
    }
    for (std::size_t i = 0; i < problems.size(); ++i) {
      int64_t last = INT64_MAX;
      for (const double share : {0.9, 0.6, 0.4, 0.25, 0.15, 0.1, 0.07, 0.04, 0.02, 0.01}) {
        const ConvPlan plan = planConvolution(machine, problems[i], {share});
        const std::string where =
            std::to_string(i) + " with " + std::to_string(share) + ": " + std::to_string(plan.temporaryBytes);
        QVERIFY2(plan.temporaryBytes <= last, where.c_str());
        last = plan.temporaryBytes;
      }
    }
  }

  // Vertices transpose blocks of one channel group by one; without whole vectors, elements are moved one by one.
  void transposesGoInBlocks() {
    const auto planOf = [](ElementType type, int64_t rows, int64_t columns) {
      graph::Graph g(arch::findMachine("gc200", 1));
      graph::Sequence program;
      const OpBuilder b(g, program, g.addContext({}, "turn", "model", "Transpose"), false);
      const Tensor x = g.addVariable(type, {rows, columns}, "x");
      g.mapTensorLinearly(x);
      transpose(b, x, {1, 0});
      return std::pair(g.plans().at(0).method, g.plans().at(0).predicted.value());
    };
    const auto blocks = planOf(ElementType::Half, 2048, 1024), single = planOf(ElementType::Half, 2047, 1024),
               words = planOf(ElementType::Int32, 2048, 1024);
    QCOMPARE(blocks.first, std::string("blocks transposed"));
    QCOMPARE(single.first, std::string("element by element"));
    QCOMPARE(words.first, std::string("blocks transposed"));
    QVERIFY2(blocks.second * 4 < single.second,
             (std::to_string(blocks.second) + " and " + std::to_string(single.second)).c_str());
  }

  // Operations are planned with the memory share of their builder.
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

  // One operation may have its own share, which only has an effect if it is below the common one.
  void operationsMayHaveSharesOfTheirOwn() {
    const auto temporary = [](double all, const MemoryShares& shares) {
      tests::LibraryWorld w(64, false);
      matmul(w.builder.withAvailableMemory(all).withMemoryShares(std::make_shared<const MemoryShares>(shares)),
             w.graph->addVariable(ElementType::Float, {512, 512}, "a"),
             w.graph->addVariable(ElementType::Float, {512, 512}, "b"));
      return w.graph->plans().at(0).temporary.value();
    };
    QVERIFY(temporary(0.6, {{"test/matmul", 0.03}}) < temporary(0.6, {}));
    QCOMPARE(temporary(0.6, {{"test/matmul", 0.03}}), temporary(0.03, {}));
    QCOMPARE(temporary(0.03, {{"test/matmul", 0.6}}), temporary(0.03, {}));
    QCOMPARE(temporary(0.6, {{"test/other", 0.03}}), temporary(0.6, {}));
  }

  // The planner prunes splits by a lower bound: no cut of the field takes fewer cycles, and one cut of the costliest form is close.
  void theLeastOfAPartIsABoundForEverySplitOfTheField() {
    const auto tile = arch::findMachine("gc200", 1).tile;
    int bounds = 0;
    double nearest = 0;
    for (const ElementType type : {ElementType::Half, ElementType::Float})
      for (const int64_t channels : {1, 7, 36, 800})
        for (const int64_t stride : {0, 1, 2}) // 0: a product of matrices
          for (const int64_t batch : {1, 5}) {
            ConvParams p;
            p.type = p.partials = type;
            p.batch = batch, p.inChannels = channels, p.outChannels = 12;
            p.in = {9, 14}, p.stride = {std::max<int64_t>(1, stride), std::max<int64_t>(1, stride)};
            if (stride == 0) {
              p.product = true;
              p.batch = 1, p.in = {9 * 14 * batch, 1};
            }
            for (const ConvForm& form : formsOf(tile, p))
              for (int64_t rows = 1; rows <= p.out(0); ++rows)
                for (int64_t columns = 1; columns <= p.out(1); ++columns) {
                  ConvPlan plan;
                  plan.method = form.method;
                  plan.fieldSplit = {rows, columns};
                  const ConvPart part = largestPart(p, form, plan);
                  const int64_t positions = p.batch * reports::ceilDiv(p.out(0) * p.out(1), rows * columns);
                  const int64_t least = leastPartialCycles(tile, p, form, part, positions),
                                cycles = partialCost(tile, p, form, part).cycles.value();
                  QVERIFY2(least <= cycles, convMethodName(form.method));
                  bounds += least > 0;
                  nearest = std::max(nearest, double(least) / double(cycles));
                }
          }
    QVERIFY(bounds > 1000);
    QCOMPARE(nearest, 1.0);
  }
};

TILESCOPE_TEST(PlannersTest)
#include "planners_test.moc"
