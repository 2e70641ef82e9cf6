// Programs that overflow are planned again with less memory for the operations at the peak; fitting or hopeless programs are not.
#include "simcore/compile/compiler.h"
#include "simcore/ops/ops.h"
#include "simcore/run/fit.h"
#include "simcore/run/simulate.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace simcore;
using namespace simcore::graph;
using tests::HostWorld;

namespace {

constexpr int kTiles = 4;
constexpr std::int64_t kRoomy = 512 << 10;

// A product, and an always-live table that leaves `room` bytes per tile.
Workload productBeside(std::int64_t room, const MemoryShares& shares = {}) {
  const auto g = std::make_shared<Graph>(arch::tinyMachine(kTiles));
  Sequence program;
  const ops::OpBuilder b = ops::OpBuilder(*g, program, g->addContext({}, "model", "model", ""))
                               .withMemoryShares(std::make_shared<const MemoryShares>(shares));
  const std::int64_t memory = g->machine().tile.memory.value();
  const Tensor table = g->addVariable(ElementType::Float, {kTiles * (memory - room) / 4}, "table");
  g->mapTensorLinearly(table);
  g->createHostWrite("table", table); // always live
  const Tensor x = g->addVariable(ElementType::Half, {256, 512}, VariableMappingMethod::Linear, "x");
  const Tensor w = g->addVariable(ElementType::Half, {512, 256}, VariableMappingMethod::Linear, "w");
  g->createHostRead("y", ops::matmul(b, x, w));
  Workload load;
  load.name = "product";
  load.graph = g;
  load.programs = {{"main", program.program()}};
  return load;
}

// A table, and an operand that is copied for a function because it is read afterwards, too.
Workload copyBeside(std::int64_t room, const MemoryShares& shares = {}) {
  const auto g = std::make_shared<Graph>(arch::tinyMachine(kTiles));
  Sequence program;
  const ops::OpBuilder b(*g, program, g->addContext({}, "model", "model", ""));
  const Tensor table = g->addVariable(ElementType::Float, {kTiles * (g->machine().tile.memory.value() - room) / 4}, "table");
  g->mapTensorLinearly(table);
  g->createHostWrite("table", table); // always live
  const Tensor x = g->addVariable(ElementType::Half, {512, 512}, VariableMappingMethod::Linear, "x");
  ops::zero(b, x);
  Tensor operand = x;
  if (!shares.count("model/function")) {
    const ops::OpBuilder in = b.within(kOperandCopies, "CallCopy");
    operand = in.output(x.elementType(), x.shape(), "x/argument", in.layoutOf(x));
    program.add(graph::program::copy(x, operand, "copy", in.context()));
  }
  ops::scaledAddTo(b, x, operand, 1);
  g->createHostRead("y", x);
  Workload load;
  load.name = "copy";
  load.graph = g;
  load.programs = {{"main", program.program()}};
  return load;
}

compile::Executable compiled(const Workload& load) { return compile::compile(load.graph, load.programs); }

std::int64_t bytesOfProduct() { return productBeside(1).graph->plans().at(0).temporary.value(); }

// The room with which the first plan overflows by a third of the product's temporary bytes.
std::int64_t roomForLess() {
  const compile::Executable roomy = compiled(productBeside(kRoomy));
  const std::int64_t table = roomy.graph->machine().tile.memory.value() - kRoomy;
  return roomy.allocation.maxTileBytes - table - bytesOfProduct() / 3;
}

run::Replanning planAgain(std::int64_t room, int& built, int most = 2) {
  return {[&built, room](const MemoryShares& shares) {
            ++built;
            return productBeside(room, shares);
          },
          most};
}

} // namespace

class FitTest : public QObject {
  Q_OBJECT
private slots:
  void operationsAtThePeakTakeLess() {
    const std::int64_t room = roomForLess();
    const Workload first = productBeside(room);
    QVERIFY(!compiled(first).allocation.fits());
    int built = 0;
    const auto fitted = run::compileToFit(first, planAgain(room, built), compiled);
    QVERIFY(fitted.executable.allocation.fits());
    QVERIFY(fitted.workload.has_value());
    QCOMPARE(fitted.plans, built + 1);
    QCOMPARE(fitted.shares.size(), std::size_t(1));
    QCOMPARE(fitted.shares.begin()->first, std::string("model/matmul"));
    const auto& plan = fitted.workload->graph->plans().at(0);
    QVERIFY(plan.temporary.value() < bytesOfProduct());
    QVERIFY(double(plan.temporary.value()) <=
            fitted.shares.begin()->second * double(fitted.executable.graph->machine().tile.memory.value()));
    int again = 0; // the same plans every time
    QCOMPARE(run::compileToFit(first, planAgain(room, again), compiled).shares, fitted.shares);
  }

  void programsThatFitArePlannedOnce() {
    int built = 0;
    const auto fitted = run::compileToFit(productBeside(kRoomy), planAgain(kRoomy, built), compiled);
    QVERIFY(fitted.executable.allocation.fits());
    QCOMPARE(built, 0);
    QVERIFY(!fitted.workload.has_value());
    QVERIFY(run::sharesToFit(fitted.executable).empty());
  }

  void withoutRetriesTheFirstPlanStays() {
    const std::int64_t room = roomForLess();
    int built = 0;
    const auto fitted = run::compileToFit(productBeside(room), planAgain(room, built, 0), compiled);
    QVERIFY(!fitted.executable.allocation.fits());
    QCOMPARE(built, 0);
  }

  // However often a program is planned again, the answer is the same if none of the plans fits.
  void whatDoesNotFitIsTheFirstPlan() {
    const std::int64_t room = roomForLess();
    const Workload first = productBeside(room);
    const std::int64_t bytes = compiled(first).allocation.maxTileBytes;
    for (const int most : {0, 1, 2, 4}) {
      const auto build = [&](const MemoryShares&) { return productBeside(room + 512); }; // smaller, and still too large
      const auto fitted = run::compileToFit(first, {build, most}, compiled);
      QVERIFY(!fitted.executable.allocation.fits());
      QCOMPARE(fitted.executable.allocation.maxTileBytes, bytes);
      QVERIFY(!fitted.workload.has_value() && fitted.shares.empty());
      QCOMPARE(fitted.plans > 1, most > 0);
    }
  }

  // If plans never get smaller, each search uses all of its allowed plans: first with small requests, then as if all gaps stayed.
  void searchesThatDoNotHelpEnd() {
    const std::int64_t room = roomForLess();
    const Workload first = productBeside(room);
    std::vector<MemoryShares> asked;
    const auto build = [&](const MemoryShares& shares) {
      asked.push_back(shares);
      return productBeside(room);
    };
    constexpr int kMost = 3;
    const auto fitted = run::compileToFit(first, {build, kMost}, compiled);
    QVERIFY(!fitted.executable.allocation.fits());
    QVERIFY(!fitted.workload.has_value()); // none is better than the first
    QCOMPARE(asked.size(), std::size_t(2 * kMost - 1));
    QCOMPARE(fitted.plans, int(asked.size()) + 1);
    // The second search continues from the second plan, with shares at most as large as in the first search.
    for (const auto& [operation, share] : asked[kMost]) QVERIFY(share <= asked[0].at(operation));
  }

  // If a few bytes are still missing after both searches, planning restarts from the first plan with a larger reserve.
  void plansThatLackLittleKeepMoreFree() {
    const std::int64_t lacking = roomForLess() + bytesOfProduct() / 3 - 64;
    const Workload first = productBeside(lacking);
    constexpr int kMost = 3;
    std::vector<MemoryShares> asked;
    const auto build = [&](const MemoryShares& shares) { // code takes the saved bytes, unless more were saved
      asked.push_back(shares);
      return productBeside(asked.size() >= 2 * kMost ? kRoomy : lacking);
    };
    const auto fitted = run::compileToFit(first, {build, kMost}, compiled);
    QVERIFY(fitted.executable.allocation.fits());
    QVERIFY(asked.size() >= std::size_t(2 * kMost));
    const auto& [operation, share] = *asked[2 * kMost - 1].begin();
    const double saved = asked[0].at(operation) - share, eighth = 1.0 / (run::kReservePart * 7 / 8) - 1.0 / run::kReservePart;
    QVERIFY2(std::abs(saved - eighth) < 0.1 * eighth, std::to_string(saved).c_str());
  }

  // A request that more than doubles the cycles is dropped if the program fits without it.
  void dearRequestsAreTakenBack() {
    const compile::Executable roomy = compiled(productBeside(kRoomy));
    const std::int64_t table = roomy.graph->machine().tile.memory.value() - kRoomy,
                       room = roomy.allocation.maxTileBytes - table - bytesOfProduct() * 13 / 16;
    const Workload first = productBeside(room);
    const MemoryShares next = run::sharesToFit(compiled(first));
    QCOMPARE(next.size(), std::size_t(1));
    const auto cyclesOf = [](const Workload& load) { return load.graph->plans().at(0).predicted; };
    QVERIFY2(cyclesOf(productBeside(kRoomy, next)) > cyclesOf(first) + cyclesOf(first), "the request is cheap");
    std::vector<MemoryShares> asked;
    const auto build = [&](const MemoryShares& shares) { // something else made room meanwhile
      asked.push_back(shares);
      return productBeside(kRoomy, shares);
    };
    const auto fitted = run::compileToFit(first, {build, 2}, compiled);
    QVERIFY(fitted.executable.allocation.fits());
    QVERIFY(asked.size() >= 2 && asked.size() <= 4);
    QCOMPARE(asked.front(), next);
    QCOMPARE(cyclesOf(*fitted.workload), cyclesOf(first));
  }

  // Bytes that the plan that fits leaves free are given back, even if the first plan would not fit.
  void freeBytesAreGivenBack() {
    const compile::Executable roomy = compiled(productBeside(kRoomy));
    const std::int64_t table = roomy.graph->machine().tile.memory.value() - kRoomy,
                       room = roomy.allocation.maxTileBytes - table - bytesOfProduct() * 13 / 16,
                       more = room + bytesOfProduct() / 2;
    QVERIFY(!compiled(productBeside(more)).allocation.fits());
    const Workload first = productBeside(room);
    const MemoryShares next = run::sharesToFit(compiled(first));
    const auto build = [&](const MemoryShares& shares) { return productBeside(more, shares); }; // other plans made room meanwhile
    const auto fitted = run::compileToFit(first, {build, 3}, compiled);
    QVERIFY(fitted.executable.allocation.fits());
    const auto cyclesOf = [](const Workload& load) { return load.graph->plans().at(0).predicted; };
    QVERIFY2(cyclesOf(*fitted.workload) < cyclesOf(productBeside(more, next)), "nothing was given back");
    QVERIFY(fitted.shares.at("model/matmul") > next.at("model/matmul"));
  }

  // The table alone overflows, so planning the product again cannot help.
  void hopelessProgramsArePlannedOnce() {
    int built = 0;
    const auto fitted = run::compileToFit(productBeside(-4096), planAgain(-4096, built), compiled);
    QVERIFY(!fitted.executable.allocation.fits());
    QCOMPARE(built, 0);
    QCOMPARE(fitted.plans, 1);
  }

  // The room lacks half of the copy's size, so leaving the copy out is enough.
  void copiesOfOperandsAreLeftOut() {
    const compile::Executable roomy = compiled(copyBeside(kRoomy));
    const std::int64_t table = roomy.graph->machine().tile.memory.value() - kRoomy, copy = 512 * 512 * 2 / kTiles,
                       room = roomy.allocation.maxTileBytes - table - copy / 2;
    const Workload first = copyBeside(room);
    const compile::Executable full = compiled(first);
    QVERIFY(!full.allocation.fits());
    const MemoryShares none{{"model/function", 0.0}};
    QCOMPARE(run::sharesToFit(full), none);
    QVERIFY(run::sharesToFit(full, none).empty()); // copies are already excluded
    const auto build = [&](const MemoryShares& shares) { return copyBeside(room, shares); };
    const auto fitted = run::compileToFit(first, {build, 2}, compiled);
    QVERIFY(fitted.executable.allocation.fits());
    QCOMPARE(fitted.shares, none);
  }

  void reportsSayWhichSharesWereUsed() {
    const std::int64_t room = roomForLess();
    int built = 0;
    run::SimulateOptions options;
    options.engine.numbers = false;
    options.replanning = planAgain(room, built);
    tests::RowCollector rows;
    run::HostTimeline timeline("fit");
    reports::NoProgress quiet;
    const auto result = run::simulate(productBeside(room), options, rows, timeline, {}, quiet);
    QVERIFY(result.fits);
    QCOMPARE(result.plans, built + 1);
    std::map<std::string, std::string> facts;
    for (const auto& row : rows.rows<reports::MetadataRow>()) facts[row.key] = row.value;
    QCOMPARE(facts["plans"], std::to_string(result.plans));
    QVERIFY(facts["available_memory_of_operations"].starts_with(R"({"model/matmul":0.)"));
  }
};

TILESCOPE_TEST(FitTest)
#include "fit_test.moc"
