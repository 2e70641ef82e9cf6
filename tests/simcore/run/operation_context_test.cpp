// The operation that a step belongs to.
#include "simcore/run/operation_context.h"

#include "simcore/arch/machine.h"
#include "tests/support/test_main.h"

#include <QTest>

using simcore::graph::DebugContextId;

class OperationContextTest : public QObject {
  Q_OBJECT

private slots:
  // A whole model may be in a branch: its nodes are the operations, and the If has only its own steps.
  void nodesWithinControlFlowAreTheOperations() {
    simcore::graph::Graph g(simcore::arch::machineCatalogue().front());
    const auto root = g.addContext({}, "model", "model", "");
    const auto branch = g.addContext(root, "If_25", "onnx", "If"), loop = g.addContext(branch, "Loop_3", "onnx", "Loop"),
               node = g.addContext(loop, "Conv_140", "onnx", "Conv"), call = g.addContext(node, "conv", "library", "conv"),
               ofLoop = g.addContext(loop, "copy", "library", "copy"), plain = g.addContext(root, "Relu_1", "onnx", "Relu"),
               inPlain = g.addContext(plain, "Relu_2", "onnx", "Relu"), alone = g.addContext({}, "call", "library", "call");
    const auto operationOf = [&](DebugContextId context) { return simcore::run::operationContext(g, context); };
    QCOMPARE(operationOf(call), int64_t(node.value()));
    QCOMPARE(operationOf(ofLoop), int64_t(loop.value())); // the innermost
    QCOMPARE(operationOf(branch), int64_t(branch.value()));
    QCOMPARE(operationOf(inPlain), int64_t(plain.value())); // else the outermost
    QCOMPARE(operationOf(alone), int64_t(alone.value()));
    QCOMPARE(operationOf(root), int64_t(-1));
  }
};

TILESCOPE_TEST(OperationContextTest)
#include "operation_context_test.moc"
