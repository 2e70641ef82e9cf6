// Tensors that are written without operands, and loops with an index, on the whole machine and in a virtual graph.
#include "reports/core/error.h"
#include "simcore/ops/ops.h"
#include "simcore/run/engine.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using namespace simcore::ops;

namespace {
std::vector<double> madeBy(const std::function<Tensor(Graph&, const OpBuilder&)>& make, bool vertexByVertex) {
  const auto top = std::make_shared<Graph>(arch::tinyMachine(16));
  top->setVertexByVertex(vertexByVertex);
  Graph part = top->createVirtualGraph(3, 10);
  Sequence s;
  const Tensor out = make(part, OpBuilder(part, s, top->addContext({}, "test", "model", "Test")));
  const auto e = compile::compile(top, {{"main", s.program()}});
  run::Engine engine(e, {}, nullptr);
  engine.run();
  return engine.readTensor(out).toDoubles();
}
} // namespace

class FillAndLoopTest : public QObject {
  Q_OBJECT
private slots:
  void fillsAndCounts() {
    for (const bool cells : {false, true}) {
      for (const auto type : {ElementType::Float, ElementType::Half, ElementType::Int32})
        QCOMPARE(madeBy(
                     [&](Graph& g, const OpBuilder& b) {
                       const Tensor t = g.addVariable(type, {3, 67}, graph::VariableMappingMethod::Linear, "t");
                       fill(b, t, 3);
                       return t;
                     },
                     cells),
                 std::vector<double>(3 * 67, 3.0));
      const auto counted = madeBy(
          [](Graph& g, const OpBuilder& b) {
            const Tensor t = g.addVariable(ElementType::Int32, {5, 41}, graph::VariableMappingMethod::Linear, "t");
            iota(b, t, 7, 2);
            return t;
          },
          cells);
      for (std::size_t i = 0; i < counted.size(); ++i) QCOMPARE(counted[i], 7.0 + 2.0 * double(i));
    }
  }

  // A row of x for every index that the loop visits.
  void aLoopKnowsItsIndex() {
    for (const bool cells : {false, true}) {
      const auto picked = madeBy(
          [](Graph& g, const OpBuilder& b) {
            const Tensor x = sliceableVariable(b, ElementType::Float, 9, 5, "x"),
                         y = sliceableVariable(b, ElementType::Float, 9, 5, "y");
            iota(b, x, 0);
            fill(b, y, -1);
            countedLoop(b, 1, 8, 3, [&](const OpBuilder& body, const Tensor& index) {
              dynamicUpdate(body, y, dynamicSlice(body, x, index), index);
            });
            countedLoop(b, 4, 4, 1, [&](const OpBuilder&, const Tensor&) { QFAIL("the loop has no iteration"); });
            (void)g;
            return y;
          },
          cells);
      for (std::size_t i = 0; i < picked.size(); ++i) QCOMPARE(picked[i], i / 5 % 3 == 1 ? double(i) : -1.0);
    }
    Graph g(arch::tinyMachine(4));
    Sequence s;
    const OpBuilder b(g, s, g.addContext({}, "test", "model", "Test"));
    QVERIFY_THROWS_EXCEPTION(reports::Error, countedLoop(b, 0, 4, 0, {}));
  }
};

TILESCOPE_TEST(FillAndLoopTest)
#include "fill_and_loop_test.moc"
