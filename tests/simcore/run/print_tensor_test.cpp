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

  void theProgramPrintsWhenItGetsThere() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Int32, {2}, "x");
    w.main.add(program::repeat(2, Sequence({w.addOne(x), program::printTensor("after", x)})));
    w.main.add(program::printTensor(x.slice(0, 1)));
    const compile::Executable& compiled = w.compile();
    for (const auto& step : compiled.program.steps) // all tiles wait for the host
      if (step.kind == compile::StepKind::PrintTensor)
        QCOMPARE(step.cycles.sum(), step.duration.value() * compiled.graph->machine().tilesPerIpu);
    run::Engine e(compiled, {}, nullptr);
    std::ostringstream out;
    e.setPrintTensorStream(out);
    runOnce(e);
    QCOMPARE(out.str(), std::string("after: [1 1]\nafter: [2 2]\nx: [2]\n"));
  }
};

TILESCOPE_TEST(PrintTensorTest)
#include "print_tensor_test.moc"
