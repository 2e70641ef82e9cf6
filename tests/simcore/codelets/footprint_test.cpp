#include "tests/support/test_main.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/convolution.h"
#include "simcore/codelets/copy.h"
#include "simcore/codelets/elementwise.h"
#include "simcore/codelets/launch.h"
#include "simcore/codelets/loss.h"
#include "simcore/codelets/nonlinearity.h"
#include "simcore/codelets/pooling.h"
#include "simcore/codelets/random.h"
#include "simcore/codelets/reduce.h"
#include "simcore/codelets/slice.h"
#include "simcore/codelets/sparse.h"
#include "simcore/codelets/vertex_state.h"

#include <QTest>

#include <set>

using namespace simcore::codelets;

namespace {

// The codelets on a tile of a small convolution net in training (validation cases A41 and A42).
std::vector<VertexSpec> trainingCodelets() {
  const ElementType f = ElementType::Float;
  const ReduceTypes sum{ReduceOp::Add, f, f};
  Conv1x1 conv1x1;
  conv1x1.types = {f, f};
  ConvNx1 conv;
  conv.types = {f, f};
  const MapStep whiten[] = {{BinaryOp::Subtract, f}, {BinaryOp::Multiply, f}};
  return {convPartial1x1Spec(conv1x1),
          convPartialNx1Spec(conv),
          convReduceSingleInputSpec(f, f),
          convReduceMultiInputSpec(f, f, 4),
          nonLinearity1DSpec(NonLinearity::Relu, f, Placement::InPlace),
          nonLinearityGrad1DSpec(NonLinearity::Relu, f),
          poolingSpec(PoolKind::Max, PoolPass::Forward, f, {}),
          poolingSpec(PoolKind::Max, PoolPass::Backward, f, {}),
          broadcastVectorInnerSpec(BinaryOp::Add, f, Placement::InPlace),
          scaledAddSpec(f, f),
          scaledAddSpec(f, f, {ScaledAddForm::AxPlusBy, false}),
          fusedMapSpec(whiten, f, 3),
          broadcastScalar1DSpec(BinaryOp::VarianceToInvStdDev, f),
          reduceToScalarSpec(sum),
          reduceStridedSpec(sum),
          unaryOp1DSpec(UnaryOp::Exp, f),
          unaryOp1DSpec(UnaryOp::Log, f),
          broadcastVectorOuterSpec(BinaryOp::Subtract, f),
          fillSpec(f),
          transposeSpec(f, true),
          copy2DSpec(8, 1),
          stridedCopySpec(f),
          lossTransformSpec(LossKind::CrossEntropy, f)};
}

} // namespace

class FootprintTest : public QObject {
  Q_OBJECT

private slots:
  // 8.8 KiB of vertex code and 372 B of stack on a tile were published for such a program; the gate is a factor of 2.
  void codeAndStackOfATrainingTile() {
    Bytes code = kRuntimeCode, stack{0};
    std::set<std::string> names;
    for (const VertexSpec& spec : trainingCodelets()) {
      QVERIFY2(names.insert(spec.name).second, spec.name.c_str());
      QVERIFY(spec.code.value() >= 100 && spec.code.value() <= 2048 && spec.code.value() % 8 == 0);
      code += spec.code;
      stack = std::max(stack, spec.workerStack);
    }
    QVERIFY2(std::abs(code.value() - 9011) < 2000, qPrintable(QString::number(code.value())));
    QCOMPARE(tileStackBytes(stack, 6).value(), 372);
  }

  void fusedCodeGrowsWithSteps() {
    QVERIFY(fusedCodeBytes(1, 0) < fusedCodeBytes(2, 0));
    QVERIFY(fusedCodeBytes(2, 0) < fusedCodeBytes(2, 1));
    QCOMPARE(fusedCodeBytes(0, 9).value() % 8, 0);
  }

  // Field layouts of ipu-reference 8.
  void stateLayout() {
    VertexState state;
    state.onePtr().scalar(1).scalar(2).span();
    QCOMPARE(state.state().value(), 4 + 1 + 1 + 2 + 8);
    QCOMPARE(state.edgePointers().value(), 12);
    QCOMPARE(state.edges(), 2);
    VertexState odd;
    odd.onePtr().scalar(1);
    QCOMPARE(odd.state().value(), 8);
    VertexState rows;
    rows.vectorList(1000).numbers(3, 2);
    QCOMPARE(rows.state().value(), 12);
    QCOMPARE(rows.listDescriptors().value(), 4000);
    QCOMPARE(rows.fieldData().value(), 8);
    QCOMPARE(rows.edges(), 1000);
    VertexState pointers;
    pointers.pointers(10).constantVector(18, 2).constantList(6, 18, 2);
    QCOMPARE(pointers.state().value(), 4 + 4 + 8);
    QCOMPARE(pointers.fieldData().value(), 40);
    QCOMPARE(pointers.listDescriptors().value(), 24);
    QCOMPARE(pointers.constants().value(), 72);
    QCOMPARE(pointers.edges(), 17);
  }

  void launchByFamily() {
    QCOMPARE(launchOverhead(convPartial1x1Spec({})).value(), 4);
    QCOMPARE(launchOverhead(convCastSpec(ElementType::Float, ElementType::Half)).value(), 55);
    QCOMPARE(launchOverhead(binaryOp1DSpec(BinaryOp::Add, ElementType::Float)).value(), 55);
    QCOMPARE(launchOverhead(VertexSpec{}).value(), 55);
  }

  void everyElementTypeHasAName() {
    for (int type = 0; type < simcore::numerics::kElementTypeCount; ++type)
      QVERIFY(std::string(codeletTypeName(ElementType(type))).size() > 2);
  }
};

TILESCOPE_TEST(FootprintTest)
#include "footprint_test.moc"
