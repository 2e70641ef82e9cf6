// Products that swap the roles of their operands: the rows of the first are the weights.
#include "simcore/ops/conv/conv_problem.h"
#include "simcore/ops/conv/convolution.h"
#include "tests/simcore/ops/library_world.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using namespace simcore::ops;

class SwappedOperandsTest : public QObject {
  Q_OBJECT
private slots:
  // One row against a matrix: its columns pass the row, so that each of its elements is loaded once at the full rate; the matrix unit alone
  // would load a block of weights for a single position.
  void aRowStaysAndTheMatrixPasses() {
    const auto machine = arch::findMachine("gc200", 1);
    for (const ElementType type : {ElementType::Half, ElementType::Float}) {
      ConvParams p;
      p.type = p.partials = type;
      p.product = true;
      p.inChannels = p.outChannels = 4096;
      const ConvPlan plan = planConvolution(machine, p);
      QVERIFY2(plan.swapped, plan.text().c_str());
      QVERIFY(plan.text().find("operands swapped") != std::string::npos);
      QVERIFY(jsonText(plan.details()).find("\"operands_swapped\":true") != std::string::npos);
      const int64_t least = 4096 * 4096 * elementBytes(type) / (machine.tilesPerIpu * machine.tile.dataPathBytes);
      QVERIFY2(plan.computeCycles >= least && plan.computeCycles < 2 * least, qPrintable(QString::number(plan.computeCycles)));
      p.product = false; // the same as a convolution, which keeps the roles of its operands
      QVERIFY(3 * plan.cycles() < 2 * planConvolution(machine, p).cycles());
      p.product = true;
      p.in = {4096, 1}; // many rows gain little
      const ConvPlan many = planConvolution(machine, p);
      p.product = false;
      QVERIFY(double(many.computeCycles) > 0.9 * double(planConvolution(machine, p).computeCycles));
    }
  }

  // Rows that do not fill a group of the matrix unit are filled with zeros: these take memory, cycles and places among the partial sums.
  void rowsFillTheirGroups() {
    const auto machine = arch::findMachine("gc200", 1);
    ConvParams p;
    p.type = p.partials = ElementType::Half;
    p.product = true;
    p.inChannels = 512, p.outChannels = 256;
    const auto costsOf = [&](int64_t rows) {
      p.in = {rows, 1};
      for (const ConvForm& form : formsOf(machine.tile, p)) {
        if (!form.swapped || form.method != ConvMethod::Amp) continue;
        ConvPlan plan;
        plan.method = form.method, plan.swapped = true;
        plan.outSplit = 16, plan.inSplit = 2;
        estimate(machine, p, form, plan);
        return std::pair(plan, rearrangeCosts(p, form, plan));
      }
      return std::pair<ConvPlan, RearrangeCosts>();
    };
    const auto [full, ofFull] = costsOf(16);
    const auto [few, ofFew] = costsOf(3);
    QCOMPARE(few.computeCycles, full.computeCycles);
    QCOMPARE(few.reduceCycles, full.reduceCycles);
    QVERIFY(few.temporaryBytes >= full.temporaryBytes);
    QVERIFY(full.transformCycles == 0 && few.transformCycles > 0);
    QVERIFY(ofFull.operandElements == 0 && ofFull.resultElements == 0);
    QCOMPARE(ofFew.operandElements, int64_t(3 * 512 / 32)); // the rows, and the result
    QCOMPARE(ofFew.resultElements, int64_t(3 * 256 / 32));
    QVERIFY(ofFew.input && !ofFew.weights);
  }

  // What vertices with swapped operands compute is the product, also of rows that do not fill a group.
  void swappedOperandsGiveTheRightNumbers() {
    for (const int64_t rows : {1, 3, 17}) {
      ConvParams p;
      p.type = p.partials = ElementType::Float;
      p.product = true;
      p.in = {rows, 1}, p.inChannels = 40, p.outChannels = 300;
      QVERIFY(rows > 3 || planConvolution(arch::tinyMachine(30), p).swapped);
      std::vector<float> a, b;
      for (int64_t i = 0; i < rows * 40; ++i) a.push_back(float(i * 7 % 11) - 5);
      for (int64_t i = 0; i < 40 * 300; ++i) b.push_back(float(i * 13 % 17) - 8);
      std::vector<double> y;
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < 300; ++c) {
          double sum = 0;
          for (int64_t k = 0; k < 40; ++k) sum += double(a[std::size_t(r * 40 + k)]) * double(b[std::size_t(k * 300 + c)]);
          y.push_back(sum);
        }
      tests::bothWays("product",
                      [&](auto& w) {
                        return std::vector{ops::matmul(w.builder, w.floats({rows, 40}, a), w.floats({40, 300}, b))};
                      },
                      {y});
    }
  }
};

TILESCOPE_TEST(SwappedOperandsTest)
#include "swapped_operands_test.moc"
