#include "simcore/codelets/slice.h"
#include "simcore/compile/compiler.h"
#include "simcore/ops/conv/conv_problem.h"
#include "simcore/ops/conv/convolution.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/run/engine.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <map>

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
        // No tile can exceed its peak.
        const double perCycle = type == ElementType::Half ? 128 : 32;
        QVERIFY2(double(p.flops()) <= double(plan.computeCycles) * perCycle * double(plan.tiles()) * 1.001, plan.text().c_str());
      }
  }

  // If a plan with the matrix unit does not fit, the product is cut into slices; dot products without it would fit as a whole, but
  // take ten times as long.
  void slicesMakeRoomForTheMatrixUnit() {
    const auto machine = arch::findMachine("gc200", 1);
    for (const int64_t n : {80'000, 100'000, 130'000}) {
      ConvParams p;
      p.type = ElementType::Half;
      p.product = true;
      p.in = {1024, 1};
      p.inChannels = 1024;
      p.outChannels = n;
      const ConvPlan plan = planConvolution(machine, p);
      QVERIFY2(plan.fits && plan.method == ConvMethod::Amp, plan.text().c_str());
      QVERIFY2(double(p.flops()) > 0.3 * 128 * double(plan.computeCycles) * double(machine.tilesPerIpu), plan.text().c_str());
    }
  }

  // Serial slices of a layer's product are taken from weights that were laid out for the layer (poplin ConvModel.cpp); a product
  // alone knows the layout of its weights.
  void slicesOfALayerAreTakenFromItsWeights() {
    const auto machine = arch::findMachine("gc200", 1);
    ConvParams p;
    p.type = p.partials = ElementType::Half;
    p.product = true;
    p.in = {1024, 1};
    p.inChannels = 1024;
    p.outChannels = 4096;
    const ConvOptions options{0.2, ElementType::Half};
    const ConvPlan alone = planConvolution(machine, p, options);
    QVERIFY2(alone.serial() > 1, alone.text().c_str());
    p.pass = ProductPass::Forward;
    ConvPlan layer = alone;
    const ConvParams slice = slicedParams(p, layer);
    const SliceCosts costs = sliceCosts(slice, layer);
    QCOMPARE(costs.weightElements, reports::ceilDiv(int64_t(1024 * 4096), alone.tiles()));
    for (const ConvForm& form : formsOf(machine.tile, slice))
      if (form.method == alone.method && form.swapped == alone.swapped) estimate(machine, slice, form, layer);
    int64_t taken = 0;
    for (const int64_t n : {costs.weightSlice, costs.inputSlice})
      if (n > 0) taken += codelets::dynamicSlice1D(machine.tile, codelets::SliceDirection::Slice, p.type, n, 1).cycles.value();
    // Two bytes an element at four a cycle to its tile, one element a cycle there.
    QCOMPARE(layer.cycles(), alone.cycles() + alone.serial() * taken + costs.weightElements / 2 + costs.weightElements);
    QVERIFY(planConvolution(machine, p, options).cycles() >= alone.cycles());

    const auto slicesIn = [&](bool ofLayer) {
      graph::Graph g(machine);
      const auto context = g.addContext({}, "product", "model", "MatMul");
      graph::Sequence body;
      const OpBuilder b(g, body, context);
      const auto left = g.addVariable(ElementType::Half, {1024, 1024}, "a", context),
                 right = g.addVariable(ElementType::Half, {1024, 4096}, "b", context);
      g.mapTensorLinearly(left);
      ConvOptions o = options;
      o.pass = ofLayer ? ProductPass::Forward : ProductPass::None;
      matmul(b, left, right, {}, o);
      return std::count_if(g.computeSets().begin(), g.computeSets().end(),
                           [](const auto& set) { return set.name.find("DynamicSlice") != std::string::npos; });
    };
    QCOMPARE(slicesIn(false), 0);
    QCOMPARE(slicesIn(true), 1);
  }

  // Of a dot product of halves, a number of channels that is not a multiple of four takes longer than the next multiple.
  void theLastPartIsNotSlowerThanThePlanSays() {
    const auto machine = arch::findMachine("gc200", 1);
    for (const ElementType type : {ElementType::Half, ElementType::Float})
      for (const auto& [m, k, n] :
           std::vector<std::array<int64_t, 3>>{{3, 777, 777}, {1, 1001, 333}, {7, 85, 10}, {33, 65, 129}}) {
        ConvParams p;
        p.type = type;
        p.product = true;
        p.in = {m, 1};
        p.inChannels = k;
        p.outChannels = n;
        const ConvPlan plan = planConvolution(machine, p);
        ConvForm form;
        for (const ConvForm& f : formsOf(machine.tile, p))
          if (f.method == plan.method && f.swapped == plan.swapped && f.inGrain == plan.inGrain) form = f;
        ConvPart part = largestPart(p, form, plan);
        part.inChannels = k - (k - 1) / part.inChannels * part.inChannels;
        QVERIFY2(partialCost(machine.tile, p, form, part).cycles.value() <= plan.computeCycles, plan.text().c_str());
      }
    const auto cyclesOf = [&](ElementType type) {
      ConvParams p;
      p.type = type;
      p.product = true;
      p.pass = ProductPass::Forward;
      p.in = {3, 1};
      p.inChannels = p.outChannels = 777;
      return planConvolution(machine, p).cycles();
    };
    QVERIFY(cyclesOf(ElementType::Half) <= cyclesOf(ElementType::Float));
  }

  // A block of one row or column is its own transpose.
  void blocksOfOneRowAreNotTransposed() {
    const auto machine = arch::findMachine("gc200", 1);
    ConvParams p;
    p.type = p.partials = ElementType::Half;
    p.product = true;
    p.pass = ProductPass::Backward;
    p.in = {16, 1};
    p.inChannels = p.outChannels = 64;
    ConvForm form = formsOf(machine.tile, p)[0];
    ConvPlan plan;
    plan.inSplit = 16;
    QCOMPARE(weightTransposeCost(machine.tile, p, form, plan).elements, int64_t(64 * 64 / 16));
    form.outGrain = 1;
    QCOMPARE(weightTransposeCost(machine.tile, p, form, plan).elements, int64_t(0));
  }

  // The products of a layer's backward pass rearrange operands, and so do products whose channels do not fill their groups (poplin
  // ConvModel.cpp, addTransformCycleEstimate).
  void productsOfTheBackwardPassLayOperandsOutAnew() {
    const auto machine = arch::findMachine("gc200", 1);
    const auto costsOf = [&](ProductPass pass, int64_t in, int64_t out) {
      ConvParams p;
      p.type = p.partials = ElementType::Half;
      p.product = true;
      p.pass = pass;
      p.in = {1024, 1};
      p.inChannels = in;
      p.outChannels = out;
      ConvPlan plan;
      plan.method = ConvMethod::Amp;
      plan.outSplit = 16;
      plan.fieldSplit = {64, 1};
      return rearrangeCosts(p, formsOf(machine.tile, p)[0], plan);
    };
    const auto isFor = [](const RearrangeCosts& c, int64_t operands, int64_t operandCycles, int64_t result,
                          int64_t resultCycles) {
      return c.operandElements == operands && c.operandCycles == operandCycles && c.resultElements == result &&
             c.resultCycles == resultCycles;
    };
    // 1,024 x 512 elements of input and 1,024 x 768 of the result on 1,024 tiles: 5/4 cycles per element.
    QVERIFY(isFor(costsOf(ProductPass::Forward, 512, 768), 0, 0, 0, 0));
    QVERIFY(isFor(costsOf(ProductPass::Backward, 512, 768), 512, 640, 0, 0));
    QVERIFY(isFor(costsOf(ProductPass::Update, 512, 768), 512, 640, 768, 960));
    QVERIFY(isFor(costsOf(ProductPass::None, 510, 766), 0, 0, 0, 0));
    // Weights of 512 x 776 (the last group is half full) and the result; 5/3 cycles per element if channels do not fill vectors.
    QVERIFY(isFor(costsOf(ProductPass::Forward, 512, 776), 388, 485, 776, 970));
    QVERIFY(isFor(costsOf(ProductPass::Forward, 512, 766), 383, 479, 766, 1277));
    QVERIFY(isFor(costsOf(ProductPass::Forward, 511, 768), 511 + 384, 1119, 0, 0)); // input and weights, 511 x 768 of these

    // The program does as its plan says: one step for the operands in each serial slice, one for the result.
    const auto stepsOf = [&](ProductPass pass) {
      graph::Graph g(machine);
      const auto context = g.addContext({}, "product", "model", "MatMul");
      graph::Sequence body;
      const OpBuilder b(g, body, context);
      const auto left = g.addVariable(ElementType::Half, {1024, 512}, "a", context),
                 right = g.addVariable(ElementType::Half, {512, 768}, "b", context);
      g.mapTensorLinearly(left);
      ConvOptions o;
      o.pass = pass;
      matmul(b, left, right, {}, o);
      reports::NoProgress quiet;
      const auto e = compile::compile(g.snapshot(), {{"main", body.program()}}, {}, quiet);
      std::map<std::string, int> steps;
      for (const auto& x : e.program.exchanges)
        for (const char* name : {"rearrangeOperands", "rearrangeResult", "transposeWeights"})
          steps[name] += x.name.find(name) != std::string::npos;
      return steps;
    };
    using Steps = std::map<std::string, int>;
    QCOMPARE(stepsOf(ProductPass::Forward), (Steps{{"rearrangeOperands", 0}, {"rearrangeResult", 0}, {"transposeWeights", 0}}));
    QCOMPARE(stepsOf(ProductPass::Backward), (Steps{{"rearrangeOperands", 1}, {"rearrangeResult", 0}, {"transposeWeights", 1}}));
    QCOMPARE(stepsOf(ProductPass::Update), (Steps{{"rearrangeOperands", 1}, {"rearrangeResult", 1}, {"transposeWeights", 0}}));
  }

  // Padding of the matrix unit does not count as FLOPs.
  void flopsAreThoseOfTheProblem() {
    for (const auto& [m, k, n] : {std::array<int64_t, 3>{1, 64, 1}, {5, 17, 3}, {16, 16, 16}, {33, 7, 129}}) {
      arch::Machine machine = arch::tinyMachine(4);
      graph::Graph g(machine);
      const auto context = g.addContext({}, "product", "model", "MatMul");
      graph::Sequence body;
      const OpBuilder b(g, body, context);
      const auto left = g.addVariable(ElementType::Half, {m, k}, "a", context),
                 right = g.addVariable(ElementType::Half, {k, n}, "b", context);
      g.mapTensorLinearly(left);
      matmul(b, left, right);
      int64_t flops = 0;
      for (const auto& set : g.computeSets())
        if (set.name.find("Convolve") != std::string::npos)
          for (const auto& run : set.runs) flops += run.flops * run.perTile * run.tiles.size();
      QCOMPARE(flops, 2 * m * k * n);
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

  // Plans are cached per problem; a machine that differs in any value that the planner reads is another problem.
  void plansAreKeptApartByAllThatThePlannerReads() {
    const auto p = params(ElementType::Half, 8, 1, 256, 256, 28, 3, 1, 1);
    const auto machine = arch::findMachine("gc200", 1);
    const ConvPlan plan = planConvolution(machine, p);
    auto small = machine;
    small.tile.memory = reports::Bytes(machine.tile.memory.value() / 16);
    const ConvPlan cramped = planConvolution(small, p);
    QCOMPARE(cramped.memoryBound, int64_t(kAvailableMemoryProportion * double(small.tile.memory.value())));
    QVERIFY(!cramped.fits || cramped.temporaryBytes <= cramped.memoryBound);
    auto slow = machine;
    slow.exchange.bytesPerCycle /= 4;
    QVERIFY(planConvolution(slow, p).cycles() > plan.cycles());
    auto narrow = machine;
    narrow.tile.convUnitsHalf /= 2;
    QVERIFY(planConvolution(narrow, p).cycles() > plan.cycles());
    QCOMPARE(jsonText(planConvolution(machine, p).details()), jsonText(plan.details()));
  }

  void loweredWorkIsTheConvolutionsWork() {
    // Cells that tile batch, channels and field exactly: vertex FLOPs are at least those of the operation; only padding of grains
    // adds more.
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
      // All variables of the operation fit on the machine's tiles.
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

  // The thresholds and depths of poplin.
  void manyPartialSumsAreAddedInStages() {
    const auto fanIns = [](int64_t ways) {
      std::vector<int64_t> fan;
      for (const ConvReduceStage& s : reduceStages(1000 * ways, ways)) fan.push_back(s.fanIn);
      return fan;
    };
    QCOMPARE(fanIns(2), (std::vector<int64_t>{2}));
    QCOMPARE(fanIns(15), (std::vector<int64_t>{15}));
    QCOMPARE(fanIns(16), (std::vector<int64_t>{4, 4}));
    QCOMPARE(fanIns(57), (std::vector<int64_t>{8, 8}));
    QCOMPARE(fanIns(125), (std::vector<int64_t>{5, 5, 5}));
    for (int64_t ways = 2; ways < 1472; ++ways) {
      int64_t product = 1;
      for (const ConvReduceStage& s : reduceStages(4096, ways)) product *= s.fanIn;
      QVERIFY2(product >= ways, qPrintable(QString::number(ways))); // nothing is left out
      QCOMPARE(reduceStages(4096, ways).back().share, reports::ceilDiv(4096, ways));
    }
  }

  // If an estimate ends early, its plan exceeds the limit; otherwise the estimate is complete.
  void estimatesEndOnlyForPlansThatTakeMore() {
    const auto machine = arch::findMachine("gc200", 1);
    const ConvParams whole = params(ElementType::Float, 1, 1, 600, 12, 14, 1);
    int ended = 0;
    for (const int64_t slices : {1, 2})
      for (const int64_t ins : {1, 5, 50, 300})
        for (const int64_t outs : {1, 3})
          for (const ConvForm& form : formsOf(machine.tile, whole)) {
            ConvPlan plan;
            plan.method = form.method;
            plan.inSerial = slices;
            plan.inSplit = ins / slices;
            plan.outSplit = outs;
            plan.fieldSplit = {2, 1};
            if (plan.inSplit == 0) continue;
            const ConvParams slice = slicedParams(whole, plan);
            QVERIFY(estimate(machine, slice, form, plan));
            for (const int64_t most : {plan.cycles() / 2, plan.cycles() - 1, plan.cycles(), plan.cycles() + 1}) {
              ConvPlan again = plan;
              again.computeCycles = again.exchangeCycles = again.reduceCycles = again.transformCycles = 0;
              if (estimate(machine, slice, form, again, most)) {
                QCOMPARE(again.cycles(), plan.cycles());
              } else {
                QVERIFY(plan.cycles() > most);
                ++ended;
              }
            }
          }
    QVERIFY(ended > 10);
  }

  // One output position and a kernel as large as the image, as in the gradient of weights: only the kernel can be cut.
  void largeKernelsAreCutOverTiles() {
    const auto machine = arch::findMachine("gc200", 1);
    ConvParams p = params(ElementType::Float, 1, 1, 16, 8, 26, 26);
    p.in = {26, 26};
    const ConvPlan plan = planConvolution(machine, p);
    ConvPlan whole = plan;
    whole.kernelSplit = {1, 1};
    for (const ConvForm& f : formsOf(machine.tile, p))
      if (f.method == plan.method && f.combineGroups == plan.combineGroups) estimate(machine, p, f, whole);
    QVERIFY2(plan.partialSums() > 100 && plan.tiles() > 100, plan.text().c_str());
    if (plan.kernelSplit[0] * plan.kernelSplit[1] > 1) QVERIFY(plan.cycles() < whole.cycles());
  }

  // Numbers of a convolution whose kernel is cut; its plan on this machine cuts it.
  void kernelsInPartsGiveTheRightNumbers() {
    const auto p = params(ElementType::Float, 1, 1, 8, 2, 5, 5);
    auto g = std::make_shared<Graph>(arch::tinyMachine(30));
    g->setVertexByVertex(true);
    Sequence body;
    const OpBuilder b(*g, body, g->addContext({}, "t", "model", "Conv"));
    const Tensor x = g->addVariable(p.type, {1, 8, 5, 6}, "x"), w = g->addVariable(p.type, {2, 8, 5, 5}, "w");
    g->mapTensorLinearly(x);
    const Tensor y = convolution(b, x, w, p);
    const ConvPlan plan = planConvolution(g->machine(), p);
    QVERIFY2(plan.partialSums() > 1, plan.text().c_str());
    reports::NoProgress none;
    const auto e = compile::compile(g, {{"main", body.program()}}, {}, none);
    run::Engine engine(e, {}, nullptr);
    std::vector<float> image(240), weights(400);
    double expected[4] = {};
    for (std::size_t i = 0; i < image.size(); ++i) image[i] = float(i % 7) - 3;
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = float(i % 5) - 1;
    for (std::size_t o = 0; o < 2; ++o)
      for (std::size_t at = 0; at < 2; ++at)
        for (std::size_t c = 0; c < 8; ++c)
          for (std::size_t k = 0; k < 25; ++k)
            expected[o * 2 + at] += double(weights[(o * 8 + c) * 25 + k]) * double(image[c * 30 + k / 5 * 6 + k % 5 + at]);
    engine.writeTensor(x, numerics::HostTensor::vector<float>(image));
    engine.writeTensor(w, numerics::HostTensor::vector<float>(weights));
    engine.run(0, "main", {}, none);
    QCOMPARE(engine.readTensor(y).toDoubles(), (std::vector<double>(expected, expected + 4)));
  }

  // Results of a reduction stay on the tiles that computed them, so the next operation uses as many tiles.
  void everyTileOfAReductionKeepsAShare() {
    for (const auto& p : {params(ElementType::Half, 1, 1, 1024, 256, 14, 1), params(ElementType::Half, 1, 1, 2048, 512, 7, 1),
                          params(ElementType::Half, 1, 1, 512, 512, 7, 3, 1, 1)}) {
      auto g = std::make_shared<Graph>(arch::findMachine("gc200", 1));
      Sequence body;
      const OpBuilder b(*g, body, g->addContext({}, "t", "model", "Conv"), false);
      const Tensor x = g->addVariable(p.type, {p.batch, p.inChannels, p.in[0], p.in[1]}, "x"),
                   w = g->addVariable(p.type, {p.outChannels, p.inChannels, p.kernel[0], p.kernel[1]}, "w");
      g->mapTensorLinearly(x);
      const ConvPlan plan = planConvolution(g->machine(), p);
      QVERIFY2(plan.partialSums() > 1, plan.text().c_str());
      const Tensor y = convolution(b, x, w, p);
      const int64_t tiles = g->variable(y.wholeVariable()).bytesByTile().activeTiles();
      QVERIFY2(tiles > plan.tiles() * 2 / 3 && tiles <= plan.tiles(),
               qPrintable(QString("%1 tiles: %2").arg(tiles).arg(plan.text().c_str())));
    }
  }

  // A tile computes whole groups of channels, and they stay there: 1,024 channels over 22 tiles are 48 per tile, not 47.
  void resultsLieInTheChannelGroupsOfTheirPlan() {
    arch::Machine machine = arch::findMachine("c600", 1);
    machine.tilesPerIpu = 1408; // 64 of an IPU's tiles serve the host
    ConvParams p = params(ElementType::Half, 32, 1, 256, 1024, 14, 1);
    p.in = {14, 14};
    p.partials = ElementType::Half;
    auto g = std::make_shared<Graph>(machine);
    Sequence body;
    const OpBuilder b(*g, body, g->addContext({}, "t", "model", "Conv"), false);
    const Tensor x = g->addVariable(p.type, {32, 256, 14, 14}, "x"), w = g->addVariable(p.type, {1024, 256, 1, 1}, "w");
    g->mapTensorLinearly(x);
    const ConvPlan plan = planConvolution(machine, p);
    QVERIFY2(plan.partialSums() == 1 && plan.serial() == 1 && 64 % plan.outSplit != 0, plan.text().c_str());
    const auto& layout = b.layoutOf(convolution(b, x, w, p));
    QCOMPARE(layout.splits()[1], plan.outSplit);
    for (int64_t cell = 0; cell < layout.cells(); ++cell) QCOMPARE(layout.cell(cell).dims[1].size() % 16, int64_t(0));
  }

  // A bias is added to groups of 16 channels, whatever share of them a tile has: the vector formula is for multiples of 8, and one element
  // at a time takes ten times as long.
  void aBiasCostsTheSameForAnyShareOfChannels() {
    const auto cyclesOf = [](int64_t ways) {
      graph::Graph g(arch::findMachine("gc200", 1));
      Sequence body;
      const OpBuilder b(g, body, g.addContext({}, "t", "model", "Bias"), false);
      const Tensor x = g.addVariable(ElementType::Half, {8, 1024, 14, 14}, "x"),
                   bias = g.addVariable(ElementType::Half, {1024}, "b");
      g.variable(x.wholeVariable()).distribution =
          graph::Distribution({8, 1024, 14, 14}, {1, ways, 1, 1}, {1, 1, 1, 1}, 0, b.tileRange());
      g.mapTensorLinearly(bias);
      addBias(b, x, bias);
      int64_t most = 0;
      for (const auto& set : g.computeSets())
        if (set.name.ends_with("addBias"))
          for (const auto& run : set.runs) most = std::max(most, run.cycles);
      return most;
    };
    const int64_t even = cyclesOf(16);
    for (const int64_t ways : {22, 43, 171}) // 47, 24 and 6 channels
      QVERIFY2(cyclesOf(ways) * ways < even * 16 * 3 / 2, qPrintable(QString("%1 ways: %2").arg(ways).arg(cyclesOf(ways))));
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
