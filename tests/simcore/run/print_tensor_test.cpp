#include "simcore/run/print_tensor.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <sstream>

using namespace simcore;
using namespace simcore::graph;
using numerics::HostTensor;
using run::printedTensor;
using tests::HostWorld;
using tests::runOnce;

class PrintTensorTest : public QObject {
  Q_OBJECT
private slots:
  void vectorsAreOneLineMatricesOneLineARow() {
    QCOMPARE(printedTensor("v", HostTensor::vector<float>({7, 6, 4.5f, 2.5f})),
             std::string("v: [7.0000000 6.0000000 4.5000000 2.5000000]\n"));
    QCOMPARE(printedTensor("v3", HostTensor::of<float>({2, 2}, std::vector<float>{5, 4.5f, 4, 3.5f})),
             std::string("v3: [\n  [5.0000000 4.5000000]\n  [4.0000000 3.5000000]\n]\n"));
    QCOMPARE(printedTensor("deep", HostTensor::of<int32_t>({1, 2, 1}, std::vector<int32_t>{-1, 2})),
             std::string("deep: [\n  [\n    [-1]\n    [2]\n  ]\n]\n"));
    QCOMPARE(printedTensor("s", HostTensor::scalar<uint32_t>(4'000'000'000u)), std::string("s: 4000000000\n"));
    QCOMPARE(printedTensor("none", HostTensor(ElementType::Float, {0})), std::string("none: []\n"));
  }

  void digitsCountThoseBeforeThePoint() {
    PrintFormat f = PrintFormat::formatted();
    QCOMPARE(printedTensor("v", HostTensor::vector<float>({1.5f, -100.25f})), std::string("v: [1.5000000 -100.2500000]\n"));
    QCOMPARE(printedTensor("v", HostTensor::vector<float>({1.5f, -100.25f}), f), std::string("v: [   1.50000 -100.25000]\n"));
    QCOMPARE(printedTensor("v", HostTensor::vector<float>({0.5f, 0}), f), std::string("v: [0.5000000 0.0000000]\n"));
    QCOMPARE(printedTensor("v", HostTensor::vector<float>({1e9f, 1}), f), std::string("v: [1.0000000e+09 1.0000000e+00]\n"));
    QCOMPARE(printedTensor("v", HostTensor::vector<float>({0x1p-17f}), f), std::string("v: [7.6293945e-06]\n"));
    f.digits = 3;
    QCOMPARE(printedTensor("v", HostTensor::vector<float>({1.5f, 20}), f), std::string("v: [ 1.5 20.0]\n"));
    f.floats = PrintFormat::Floats::Scientific;
    QCOMPARE(printedTensor("v", HostTensor::vector<float>({1.5f, 20}), f), std::string("v: [1.50e+00 2.00e+01]\n"));
    f.digits = 0;
    QCOMPARE(printedTensor("v", HostTensor::vector<float>({1.5f, 20}), f), std::string("v: [1.5 20]\n"));
  }

  void longTensorsAreCutAndLongLinesSplit() {
    std::vector<int32_t> many(1001);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = int32_t(i);
    PrintFormat f = PrintFormat::formatted();
    QCOMPARE(printedTensor("i", HostTensor::of<int32_t>({1001}, many), f),
             std::string("i: [   0    1    2 ...  998  999 1000]\n"));
    many.resize(1000);
    f.threshold = 999;
    f.edgeItems = 1;
    QCOMPARE(printedTensor("m", HostTensor::of<int32_t>({4, 250}, many), f),
             std::string("m: [\n  [  0 ... 249]\n  ...\n  [750 ... 999]\n]\n"));
    f.edgeItems = 0;
    QCOMPARE(printedTensor("m", HostTensor::of<int32_t>({1000}, many), f), std::string("m: [...]\n"));
    many.resize(5);
    f.lineWidth = 8;
    QCOMPARE(printedTensor("v", HostTensor::of<int32_t>({5}, many), f), std::string("v: [0 1\n  2 3 4]\n"));
    QCOMPARE(printedTensor("v", HostTensor::of<int32_t>({1, 5}, many), f), std::string("v: [\n  [0 1\n    2 3\n    4]\n]\n"));
    f = {0, 0, 0, 0, PrintFormat::Floats::None, true, ',', '{', '}'};
    QCOMPARE(printedTensor("v", HostTensor::of<int32_t>({2, 2}, {-1, 2, 3, 4}), f), std::string("v: {\n  {-1,2}\n  {3,4}\n}\n"));
    QCOMPARE(PrintFormat::ofNumbers(f.numbers()), f);
    QCOMPARE(PrintFormat::ofNumbers(PrintFormat().numbers()), PrintFormat());
  }

  void theProgramPrintsWhenItGetsThere() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Int32, {2}, "x");
    w.main.add(program::repeat(2, Sequence({w.addOne(x), program::printTensor("after", x)})));
    w.main.add(program::printTensor(x.slice(0, 1)));
    PrintFormat braces;
    braces.open = '{';
    braces.close = '}';
    w.main.add(program::printTensor("braces", x, braces));
    const compile::Executable& compiled = w.compile();
    for (const auto& step : compiled.program.steps) // all tiles wait for the host
      if (step.kind == compile::StepKind::PrintTensor)
        QCOMPARE(step.cycles.sum(), step.duration.value() * compiled.graph->machine().tilesPerIpu);
    run::Engine e(compiled, {}, nullptr);
    std::ostringstream out;
    e.setPrintTensorStream(out);
    runOnce(e);
    QCOMPARE(out.str(), std::string("after: [1 1]\nafter: [2 2]\nx: [2]\nbraces: {2 2}\n"));
  }
};

TILESCOPE_TEST(PrintTensorTest)
#include "print_tensor_test.moc"
