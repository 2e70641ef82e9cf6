#include "simcore/compile/compiler.h"
#include "simcore/ops/conv/conv_problem.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace simcore;
using namespace simcore::ops;

class BusSharingTest : public QObject {
  Q_OBJECT
private slots:
  void theFastestSplitDecides() {
    ConvParams product, convolution;
    product.product = true;
    ConvPlan plan;
    plan.outSplit = 4;
    plan.fieldSplit = {8, 1};
    QVERIFY(busSharing(product, plan).input && !busSharing(product, plan).weights);
    QVERIFY(busSharing(convolution, plan).weights && !busSharing(convolution, plan).input); // rows vary fastest
    plan.outSplit = 5;
    QVERIFY(!busSharing(product, plan).input); // pairs of tiles straddle two rows
    plan.outSplit = 1;
    QVERIFY(busSharing(product, plan).weights);
    plan.outSplit = 4;
    plan.inSplit = 2;
    QVERIFY(busSharing(product, plan).input);
    QVERIFY(!busSharing(convolution, plan).weights); // neighbours hold different input channels
  }

  void sharedInputHalvesItsShareOfTheExchange() {
    const auto machine = arch::findMachine("gc200", 1);
    ConvParams p;
    p.inChannels = 4096;
    p.outChannels = 1024;
    p.in = {4096, 1};
    const auto exchangeOf = [&](bool product) {
      p.product = product;
      ConvPlan plan;
      plan.method = ConvMethod::Amp;
      plan.outSplit = 8;
      plan.inSplit = 184; // so that rows are not cut
      estimate(machine, p, formsOf(machine.tile, p)[0], plan);
      return plan.exchangeCycles - machine.exchange.baseLatency.value();
    };
    const double ratio = double(exchangeOf(true)) / double(exchangeOf(false));
    QVERIFY2(ratio > 0.49 && ratio < 0.51, std::to_string(ratio).c_str()); // all of it is input
  }

  // The exchange follows the plan: neighbours on a bus receive the same rows.
  void loweringPutsSharersOnOneBus() {
    graph::Graph g(arch::findMachine("gc200", 1));
    graph::Sequence main;
    const auto root = g.addContext({}, "root", "model", "");
    const auto a = g.addVariable(graph::ElementType::Half, {2048, 2048}, "a", root),
               b = g.addVariable(graph::ElementType::Half, {2048, 2048}, "b", root);
    g.mapTensorLinearly(a);
    matmul(OpBuilder(g, main, root, false), a, b);
    reports::NoProgress quiet;
    const auto e = compile::compile(g.snapshot(), {{"main", main.program()}}, {}, quiet);
    int shared = 0;
    for (const auto& x : e.program.exchanges) {
      shared += !x.sharedIn.empty();
      for (int64_t t = 0; t + 1 < g.tiles(); t += 2) {
        QCOMPARE(x.sharedIn.at(t), x.sharedIn.at(t + 1));
        QVERIFY(x.sharedIn.at(t) <= x.bytesIn.at(t) && x.sharedIn.at(t) <= x.bytesIn.at(t + 1));
      }
    }
    QVERIFY(shared > 0);
  }

  // If products use a table part by part, each product sends only its part.
  void partsOfAVariableAreSentAlone() {
    const auto sentFor = [](int64_t parts) {
      graph::Graph g(arch::findMachine("gc200", 1));
      graph::Sequence main;
      const auto root = g.addContext({}, "root", "model", "");
      const auto a = g.addVariable(graph::ElementType::Half, {1024, 1024}, "a", root),
                 table = g.addVariable(graph::ElementType::Half, {parts * 1024, 2048}, "table", root);
      g.mapTensorLinearly(a);
      g.mapTensorLinearly(table);
      matmul(OpBuilder(g, main, root, false), a, table.slice(0, 1024));
      reports::NoProgress quiet;
      const auto e = compile::compile(g.snapshot(), {{"main", main.program()}}, {}, quiet);
      int64_t sent = 0;
      for (const auto& x : e.program.exchanges) sent += x.bytesOut.sum();
      return double(sent);
    };
    const double whole = sentFor(1), quarter = sentFor(4);
    QVERIFY(whole > 2 * 1024 * 2048);
    QVERIFY2(std::abs(quarter / whole - 1) < 0.02, (std::to_string(quarter) + " and " + std::to_string(whole)).c_str());
  }
};

TILESCOPE_TEST(BusSharingTest)
#include "bus_sharing_test.moc"
