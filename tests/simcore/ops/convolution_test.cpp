#include "simcore/ops/conv_problem.h"
#include "simcore/ops/convolution.h"
#include "simcore/run/engine.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using namespace simcore::ops;
using graph::program::execute;

namespace {

ConvParams params(ElementType type, int64_t batch, int64_t groups, int64_t in, int64_t out, int64_t size, int64_t kernel,
                  int64_t stride = 1, int64_t pad = 0, int64_t dilation = 1) {
  ConvParams p;
  p.type = type;
  p.batch = batch;
  p.groups = groups;
  p.inChannels = in;
  p.outChannels = out;
  p.in = {size, size + 1};
  p.kernel = {kernel, kernel};
  p.stride = {stride, stride};
  p.padLow = p.padHigh = {pad, pad};
  p.dilation = {dilation, dilation};
  return p;
}

} // namespace

class ConvolutionTest : public QObject {
  Q_OBJECT
private slots:
  void everyPlanFitsTheMachineAndCoversTheWork() {
    for (auto type : {ElementType::Half, ElementType::Float})
      for (const auto& p :
           {params(type, 1, 1, 3, 32, 224, 3, 2, 1), params(type, 1, 1, 64, 64, 55, 1), params(type, 4, 1, 128, 256, 7, 3, 1, 1),
            params(type, 1, 32, 1, 1, 56, 3, 1, 1), params(type, 2, 8, 4, 4, 13, 5, 2, 2), params(type, 1, 1, 1, 1, 1, 1),
            params(type, 1, 1, 7, 11, 13, 3, 1, 1, 2), params(type, 3, 5, 2, 3, 6, 2)}) {
        const auto machine = arch::findMachine("gc200", 1);
        const ConvPlan plan = planConvolution(machine, p);
        QVERIFY(plan.tiles() >= 1 && plan.tiles() <= machine.tilesPerIpu);
        QVERIFY2(plan.fits, plan.text().c_str());
        QVERIFY(plan.computeCycles > 0);
        // No tile can do more than its peak.
        const double perCycle = type == ElementType::Half ? 128 : 32;
        QVERIFY2(double(p.flops()) <= double(plan.computeCycles) * perCycle * double(plan.tiles()) * 1.001, plan.text().c_str());
      }
  }

  void moreMemoryNeverMakesAPlanSlower() {
    const auto machine = arch::findMachine("gc200", 1);
    const auto p = params(ElementType::Half, 8, 1, 256, 256, 28, 3, 1, 1);
    int64_t last = INT64_MAX;
    for (double proportion : {0.02, 0.05, 0.1, 0.3, 0.6}) {
      const ConvPlan plan = planConvolution(machine, p, {proportion});
      if (!plan.fits) continue;
      QVERIFY(plan.cycles() <= last);
      QVERIFY(plan.temporaryBytes <= int64_t(proportion * double(machine.tile.memory.value())));
      last = plan.cycles();
    }
    QVERIFY(last < INT64_MAX);
  }

  void loweredWorkIsTheConvolutionsWork() {
    // Cells that tile batch, channels and field exactly: vertex flops are at least the op's, and padding of grains is all
    // that they are more.
    for (const auto& p :
         {params(ElementType::Float, 2, 1, 8, 16, 9, 3, 1, 1), params(ElementType::Float, 1, 6, 1, 1, 12, 3, 1, 1),
          params(ElementType::Float, 1, 1, 5, 7, 11, 2, 2)}) {
      auto g = std::make_shared<Graph>(arch::tinyMachine(24));
      Sequence body;
      const auto root = g->addContext({}, "test", "model", "Conv");
      const OpBuilder b(*g, body, root);
      const Tensor x = g->addVariable(p.type, {p.batch, p.groups * p.inChannels, p.in[0], p.in[1]}, "x", root);
      const Tensor w = g->addVariable(p.type, {p.groups * p.outChannels, p.inChannels, p.kernel[0], p.kernel[1]}, "w", root);
      g->mapTensorLinearly(x);
      const Tensor y = convolution(b, x, w, p);
      QCOMPARE(y.shape(), (Shape{p.batch, p.groups * p.outChannels, p.out(0), p.out(1)}));
      reports::NoProgress none;
      const auto e = compile::compile(g, {{"main", body.program()}}, {}, none);
      int64_t flops = 0;
      for (const auto& s : e.program.steps) flops += s.flops;
      QVERIFY2(flops >= p.flops(), qPrintable(QString("%1 of %2").arg(flops).arg(p.flops())));
      QCOMPARE(g->plans().size(), std::size_t(1));
      // Everything the op made is on tiles of the machine and no tile holds what nobody asked for.
      QVERIFY(e.allocation.fits());
    }
  }

  void oddShapesGiveTheRightNumbersThroughTheEngine() {
    const auto p = params(ElementType::Float, 1, 1, 1, 1, 3, 2);
    auto g = std::make_shared<Graph>(arch::tinyMachine(5));
    Sequence body;
    const OpBuilder b(*g, body, g->addContext({}, "t", "model", "Conv"));
    const Tensor x = g->addVariable(p.type, {1, 1, 3, 4}, "x"), w = g->addVariable(p.type, {1, 1, 2, 2}, "w");
    g->mapTensorLinearly(x);
    const Tensor y = convolution(b, x, w, p);
    reports::NoProgress none;
    const auto e = compile::compile(g, {{"main", body.program()}}, {}, none);
    run::Engine engine(e, {}, nullptr);
    engine.writeTensor(x, numerics::HostTensor::vector<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
    engine.writeTensor(w, numerics::HostTensor::vector<float>({1, 0, 0, 1}));
    engine.run(0, "main", {}, none);
    QCOMPARE(engine.readTensor(y).toDoubles(), (std::vector<double>{7, 9, 11, 15, 17, 19}));
    QVERIFY(engine.cycle() > 0);
  }

  void aProductThatNeedsAllItsInputsSplitsThemAndReduces() {
    auto g = std::make_shared<Graph>(arch::findMachine("gc200", 1));
    Sequence body;
    const OpBuilder b(*g, body, g->addContext({}, "t", "model", "MatMul"));
    const Tensor x = g->addVariable(ElementType::Float, {1, 8192}, "x"), w = g->addVariable(ElementType::Float, {8192, 8}, "w");
    g->mapTensorLinearly(x);
    matmul(b, x, w);
    reports::NoProgress none;
    const auto e = compile::compile(g, {{"main", body.program()}}, {}, none);
    const bool reduced =
        std::any_of(g->computeSets().begin(), g->computeSets().end(), [](const auto& s) { return s.name == "Reduce"; });
    QVERIFY(reduced); // one output row on 1472 tiles: only the input channels can be cut
  }
};

TILESCOPE_TEST(ConvolutionTest)
#include "convolution_test.moc"
