// What poplibs does where mathematics leaves a choice: gradients at kinks, sums of nothing, shapes of results.
#include "tests/simcore/poplar/library_bench.h"

#include "poplin/ConvParams.hpp"
#include "poplin/MatMul.hpp"
#include "popnn/Loss.hpp"
#include "popnn/NonLinearity.hpp"
#include "popops/Reduce.hpp"
#include "poputil/exceptions.hpp"

using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using popnn::NonLinearityType;
using tests::LibraryBench;

class LibraryChoicesTest : public QObject {
  Q_OBJECT

  using Row = std::vector<float>;

private slots:
  // poplibs looks at the value that it is given, also if it is the activation's result, as in its recurrent layers.
  void hardSigmoidLooksAtTheGivenValue() {
    LibraryBench b;
    const Tensor x = b.input({5}, {-3, -2.5, 0, 1, 4}), d = b.input({5}, {1, 2, 3, 4, 5});
    b.keep("back", popnn::nonLinearityInputGradient(b.graph, NonLinearityType::HARD_SIGMOID, x, d, b.prog));
    b.run();
    QVERIFY(tests::isNear(b.values("back"), {0, 0.4F, 0.6F, 0.8F, 0}));
  }

  void aSumOfNoProductsIsZero() {
    LibraryBench b;
    const Tensor x = b.input({2, 0}, {}), y = b.input({0, 3}, {}), c = b.input({2, 3}, {1, 2, 3, 4, 5, 6});
    const Tensor right = poplin::createMatMulInputRHS(b.graph, FLOAT, {2, 0}, {0, 3}, "right");
    b.keep("product", poplin::matMul(b.graph, x, right, b.prog));
    poplin::matMulAcc(b.graph, c, 1, x, y, b.prog);
    b.keep("sum", c);
    b.run();
    QCOMPARE(b.values("product"), Row(6));
    QCOMPARE(b.values("sum"), (Row{1, 2, 3, 4, 5, 6}));
  }

  // Among logarithms a scale is added, and an update adds the numbers whose logarithms are in the output.
  void sumsOfLogarithmsAreScaledAndUpdated() {
    LibraryBench b;
    const Tensor x = b.input({2, 2}, {1, 3, 0, 0}), scale = b.input({}, {0.5F}), out = b.input({2}, {2, -1});
    const auto logOf = [](double first, double second) { return float(std::log(std::exp(first) + std::exp(second))); };
    b.keep("scaled", popops::reduce(b.graph, x, {1}, {popops::Operation::LOG_ADD, false, scale}, b.prog));
    popops::reduceWithOutput(b.graph, x, out, {1}, {popops::Operation::LOG_ADD, true, scale}, b.prog);
    b.keep("updated", out);
    std::vector<poplar::ComputeSet> sets;
    QVERIFY_EXCEPTION_THROWN(popops::reduceWithOutput(b.graph, x, out, {1}, {popops::Operation::LOG_ADD, true}, sets),
                             poputil::poplibs_error);
    b.run();
    const float first = logOf(1, 3) + 0.5F, second = logOf(0, 0) + 0.5F;
    QVERIFY(tests::isNear(b.values("scaled"), {first, second}));
    QVERIFY(tests::isNear(b.values("updated"), {logOf(2, first), logOf(-1, second)}));
    QVERIFY_EXCEPTION_THROWN(poplin::ConvParams(FLOAT, 1, {}, {}, 4, 4, 1).validate(), poputil::poplibs_error);
  }

  void topKKeepsADimension() {
    LibraryBench b;
    const Tensor x = b.input({2, 4}, {1, 4, 3, 2, 8, 5, 6, 7});
    Tensor places;
    const Tensor values = popnn::topK(b.graph, x, places, 2, true, b.prog);
    QCOMPARE(values.shape(), (std::vector<std::size_t>{2, 1, 2}));
    QCOMPARE(places.shape(), (std::vector<std::size_t>{2, 1, 2}));
    b.keep("values", values.squeeze({1}));
    b.keep("places", places.squeeze({1}));
    b.run();
    QCOMPARE(b.values("values"), (Row{4, 3, 8, 7}));
    QCOMPARE(b.values("places"), (Row{1, 2, 0, 3}));
  }

  void parametersOfAConvolutionAreReadFromJson() {
    std::istringstream in(R"({"dataType": "half", "outputType": "float", "batchSize": 3, "numConvGroups": 2,
      "inputChannelsPerConvGroup": 4, "outputChannelsPerConvGroup": 5, "inputFieldShape": [9, 7], "kernelShape": [3, 1],
      "inputTransform": {"paddingLower": [1, 0], "flip": [false, true]}, "outputTransform": {"stride": [2, 1]}})");
    poplin::ConvParams params;
    in >> params;
    QVERIFY(params.inputType == HALF && params.outputType == FLOAT);
    QCOMPARE(params.inputFieldShape, (std::vector<std::size_t>{9, 7}));
    QCOMPARE(params.getNumOutputChans(), std::size_t(10));
    QCOMPARE(params.inputTransform.paddingLower, (std::vector<unsigned>{1, 0}));
    QCOMPARE(params.inputTransform.flip, (std::vector<bool>{false, true}));
    QCOMPARE(params.kernelTransform.dilation, (std::vector<unsigned>{1, 1}));
    QCOMPARE(params.getOutputFieldShape(), (std::vector<std::size_t>{4, 7}));
    for (const char* text : {"", "[]", "{\"batchSize\": \"many\"}", "{\"dataType\": \"int\"}"}) {
      std::istringstream bad(text);
      QVERIFY_EXCEPTION_THROWN(bad >> params, poputil::poplibs_error);
    }
  }
};

TILESCOPE_TEST(LibraryChoicesTest)
#include "library_choices_test.moc"
