// Invalid nodes that a file may hold: each gives one error that names the node; none takes minutes or overflows.
#include "reports/core/error.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/graph/resolve_types.h"
#include "simcore/onnx/onnx_file.h"
#include "simcore/placement/model_work.h"
#include "simcore/prepare/observe_types.h"
#include "tests/simcore/model/model_files.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QTest>

using namespace simcore;

namespace {

// A model of one node that reads x [2, 3], with constants of the test's own.
struct OneNode {
  onnx::ModelProto proto = tests::emptyModel(13);
  onnx::NodeProto* node = nullptr;

  OneNode(const std::string& type, const std::vector<std::string>& inputs) {
    auto* graph = proto.mutable_graph();
    tests::addValue(graph->add_input(), "x", {2, 3});
    tests::addValue(graph->add_output(), "y", {});
    node = tests::addNode(graph, type, inputs, {"y"});
  }
  std::string error() const {
    return tests::errorOf([&] {
      model::Model model = model::parseOnnx(proto.SerializeAsString(), "wrong.onnx", {});
      model::bindShapes(model, {{"x", {2, 3}}});
      model::resolveTypes(model);
    });
  }
};

} // namespace

class WrongNodesTest : public QObject {
  Q_OBJECT
private slots:
  void inputsThatAnOperatorDoesNotHave() {
    for (const char* type : {"Relu", "Exp", "LeakyRelu"}) {
      const std::string error = OneNode(type, {"x", "x", "x"}).error();
      QVERIFY2(tests::has(error, std::string(type) + " has 1 input, not 3"), error.c_str());
      QVERIFY2(tests::has(error, "node_y") && tests::has(error, "wrong.onnx"), error.c_str());
    }
    QVERIFY(tests::has(OneNode("Add", {"x", "x", "x"}).error(), "Add has 2 inputs, not 3"));
    for (const auto& [type, inputs] :
         {std::pair("Relu", std::vector<std::string>{"x", ""}), {"Add", {"x", "x"}}, {"Sum", {"x", "x", "x"}}})
      QCOMPARE(OneNode(type, inputs).error(), std::string());
  }
  void anAttributeOfTheWrongKindNamesItsNode() {
    OneNode softmax("Softmax", {"x"});
    auto* axis = softmax.node->add_attribute();
    axis->set_name("axis");
    axis->set_type(onnx::AttributeProto::STRING);
    axis->set_s("hello");
    const std::string error = softmax.error();
    for (const char* part : {"wrong.onnx", "node_y", "attribute 'axis' has the wrong kind"})
      QVERIFY2(tests::has(error, part), error.c_str());
  }
  void repeatsThatOverflow() {
    OneNode tile("Tile", {"x", "repeats"});
    tests::addIntegers(tile.proto.mutable_graph(), "repeats", {std::int64_t(1) << 62, 1});
    const std::string error = tile.error();
    QVERIFY2(tests::has(error, "too large") && !tests::has(error, "negative"), error.c_str());
  }
  void scalesThatNoSizeHas() {
    for (const float scale : {3e38f, -1.0f, std::numeric_limits<float>::quiet_NaN()}) {
      OneNode resize("Resize", {"x", "", "scales"});
      auto* scales = resize.proto.mutable_graph()->add_initializer();
      scales->set_name("scales");
      scales->set_data_type(onnx::TensorProto::FLOAT);
      scales->add_dims(2);
      for (const float value : {1.0f, scale}) scales->add_float_data(value);
      const std::string error = resize.error();
      QVERIFY2(tests::has(error, "node_y") && tests::has(error, "of 3"), error.c_str());
    }
  }
  void aWindowThatIsNoVector() {
    OneNode stft("STFT", {"x", "step", "length"}); // the length is in the place of the window
    stft.proto.mutable_opset_import(0)->set_version(17);
    for (const char* name : {"step", "length"}) tests::addIntegers(stft.proto.mutable_graph(), name, {1}, true);
    const std::string error = stft.error();
    QVERIFY2(tests::has(error, "node_y") && tests::has(error, "is not a vector but scalar"), error.c_str());
  }
  // A scalar has no last dimension, which would be the number of coordinates of an index.
  void placesThatAreNone() {
    OneNode scatter("ScatterND", {"x", "places", "x"});
    tests::addIntegers(scatter.proto.mutable_graph(), "places", {0}, true);
    QVERIFY2(tests::has(scatter.error(), "node_y") &&
                 tests::has(scatter.error(), "indices of ScatterND need at least one dimension"),
             scatter.error().c_str());
    for (const char* type : {"GatherElements", "ScatterElements"}) {
      OneNode elements(type,
                       type[0] == 'G' ? std::vector<std::string>{"x", "places"} : std::vector<std::string>{"x", "places", "x"});
      tests::addIntegers(elements.proto.mutable_graph(), "places", {0});
      QVERIFY2(tests::has(elements.error(), "indices of the shape 1 do not fit data of the shape 2x3"), elements.error().c_str());
    }
  }
  // Three batches of data and two of indices: their rows divide into none.
  void batchesThatDiffer() {
    OneNode gather("GatherND", {"x", "places"});
    tests::addIntegers(gather.proto.mutable_graph(), "places", {0, 0, 0});
    auto* places = gather.proto.mutable_graph()->mutable_initializer(0);
    places->clear_dims();
    for (const std::int64_t dim : {3, 1}) places->add_dims(dim);
    auto* batch = gather.node->add_attribute();
    batch->set_name("batch_dims");
    batch->set_type(onnx::AttributeProto::INT);
    batch->set_i(1);
    const std::string error = gather.error();
    QVERIFY2(tests::has(error, "batch dimensions of data 2x3 and indices 3x1 differ"), error.c_str());
  }
  // Types are inferred first, whether numbers are computed or not.
  void operandsThatDoNotFit_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<std::vector<std::int64_t>>("second");
    QTest::addColumn<std::vector<std::int64_t>>("third");
    QTest::addColumn<QString>("words");
    using Dims = std::vector<std::int64_t>;
    QTest::newRow("Gemm") << "Gemm" << Dims{3, 4} << Dims{5} << "shapes 2x4 and 5 do not broadcast";
    QTest::newRow("Gemm, larger") << "Gemm" << Dims{3, 4} << Dims{7, 2, 4} << "does not broadcast to 2x4";
    QTest::newRow("layer norm") << "LayerNormalization" << Dims{3} << Dims{2} << "shapes 2x3 and 2 do not broadcast";
    QTest::newRow("quantised") << "QuantizeLinear" << Dims{2} << Dims{} << "input 1 of QuantizeLinear has the shape 2";
    QTest::newRow("type of points") << "QuantizeLinear" << Dims{} << Dims{} << "elements of type float";
    QTest::newRow("read back") << "DequantizeLinear" << Dims{0} << Dims{} << "input 1 of DequantizeLinear has the shape 0";
  }
  void operandsThatDoNotFit() {
    QFETCH(QString, type);
    QFETCH(std::vector<std::int64_t>, second);
    QFETCH(std::vector<std::int64_t>, third);
    QFETCH(QString, words);
    OneNode node(type.toStdString(), {"x", "second", "third"});
    node.proto.mutable_opset_import(0)->set_version(17);
    for (const auto& [name, dims] : {std::pair("second", second), std::pair("third", third)}) {
      auto* value = node.proto.mutable_graph()->add_input();
      tests::addValue(value, name, dims);
    }
    const std::string error = tests::errorOf([&] {
      model::Model model = model::parseOnnx(node.proto.SerializeAsString(), "wrong.onnx", {});
      model::bindShapes(model, {{"x", {2, 3}}, {"second", second}, {"third", third}});
      model::resolveTypes(model);
    });
    QVERIFY2(tests::has(error, words.toStdString()) && tests::has(error, "node_y"), error.c_str());
  }

  // The work of every iteration of a loop counts, including captured tensors.
  void loopsOfTooMuchWorkAreNamed() {
    const auto errorOf = [](std::int64_t rounds) {
      onnx::ModelProto proto = tests::emptyModel(13);
      auto* graph = proto.mutable_graph();
      tests::addValue(graph->add_input(), "x", {1024, 1024});
      tests::addValue(graph->add_input(), "w", {1024, 1024});
      tests::addIntegers(graph, "rounds", {rounds}, true);
      auto* loop = tests::addNode(graph, "Loop", {"rounds", "", "x"}, {"y"});
      auto* body = loop->add_attribute();
      body->set_name("body");
      body->set_type(onnx::AttributeProto::GRAPH);
      for (const char* name : {"i", "go", "state"}) tests::addValue(body->mutable_g()->add_input(), name, {});
      body->mutable_g()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::INT64);
      body->mutable_g()->mutable_input(1)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::BOOL);
      tests::addNode(body->mutable_g(), "Identity", {"go"}, {"goesOn"});
      tests::addNode(body->mutable_g(), "MatMul", {"state", "w"}, {"next"});
      for (const char* name : {"goesOn", "next"}) tests::addValue(body->mutable_g()->add_output(), name, {});
      tests::addValue(graph->add_output(), "y", {});
      return tests::errorOf([&] {
        model::Model model = model::parseOnnx(proto.SerializeAsString(), "loop.onnx", {});
        model::bindShapes(model, {{"x", {1024, 1024}}, {"w", {1024, 1024}}});
        model::resolveTypes(model);
        model::requireAffordableNumbers(model);
      });
    };
    QCOMPARE(errorOf(1600), std::string());
    const std::string error = errorOf(2100);
    QVERIFY2(tests::has(error, "node_y") && tests::has(error, "the numbers of this Loop take 2.7e+12"), error.c_str());
  }

  void everyOperatorHasAnEstimate() {
    for (const model::Operator* op : model::allOperators()) {
      model::Node node;
      node.opType = op->type, node.domain = op->domain, node.opset = 17;
      node.inputs = {"a", "b", "c"}, node.outputs = {"y"};
      const model::TensorType type{numerics::ElementType::Float, {8, 8, 8}};
      const model::Call call(node, {{{type}}, {{type}}, {{type}}}, {}, {});
      QVERIFY2(model::hostWork(*op, call) >= 3 * 512 * model::kWorkOfAnElement, op->type);
    }
  }

  // Twice the size is more than twice the work for what sorts, compares pairs or multiplies.
  void someWorkGrowsFasterThanItsElements() {
    const auto workOf = [](const char* type, const std::vector<numerics::Shape>& shapes) {
      model::Node node;
      node.opType = type, node.opset = 17, node.outputs = {"y"};
      std::vector<std::optional<model::Call::Operand>> operands;
      for (const auto& shape : shapes) {
        node.inputs.push_back("x" + std::to_string(operands.size()));
        operands.push_back(model::Call::Operand{{numerics::ElementType::Float, shape}});
      }
      return model::workBeyondElements(model::operatorFor(node), model::Call(node, operands, {}, {}));
    };
    QVERIFY(workOf("TopK", {{1 << 20}, {1}}) > 2.05 * workOf("TopK", {{1 << 19}, {1}}));
    QVERIFY(workOf("Unique", {{1 << 20}}) > 2.05 * workOf("Unique", {{1 << 19}}));
    QVERIFY(workOf("NonMaxSuppression", {{1, 200, 4}, {1, 2, 200}}) >
            3 * workOf("NonMaxSuppression", {{1, 100, 4}, {1, 2, 100}}));
    QVERIFY(workOf("MatMul", {{64, 64}, {64, 64}}) > 7 * workOf("MatMul", {{32, 32}, {32, 32}}));
    QCOMPARE(workOf("Relu", {{64}}), 0.0);
  }

  // Nodes that are affordable one by one are not all together: in the run, and where shapes follow from numbers.
  void manyNodesOfMuchWorkAreNamed() {
    const auto sorts = [](int count) {
      onnx::ModelProto proto = tests::emptyModel(13);
      auto* graph = proto.mutable_graph();
      tests::addValue(graph->add_input(), "v0", {100, 100'000});
      tests::addIntegers(graph, "k", {100'000});
      for (int i = 0; i < count; ++i)
        tests::addNode(graph, "TopK", {"v" + std::to_string(i), "k"}, {"v" + std::to_string(i + 1), ""});
      tests::addValue(graph->add_output(), "v" + std::to_string(count), {});
      model::Model model = model::parseOnnx(proto.SerializeAsString(), "sorts.onnx", {});
      model::bindShapes(model, {{"v0", {100, 100'000}}});
      model::resolveTypes(model);
      return model;
    };
    QCOMPARE(tests::errorOf([&] { model::requireAffordableNumbers(sorts(20)); }), std::string());
    QCOMPARE(tests::errorOf([&] { model::requireSmallForVertices(sorts(0)); }), std::string());
    const std::string error = tests::errorOf([&] { model::requireAffordableNumbers(sorts(400)); });
    QVERIFY2(tests::has(error, "node_v") && tests::has(error, "the numbers up to this TopK take 2.2e+12"), error.c_str());
    const std::string vertices = tests::errorOf([&] { model::requireSmallForVertices(sorts(1)); });
    QVERIFY2(tests::has(vertices, "too large to be computed vertex by vertex"), vertices.c_str());
    const std::string observed = tests::errorOf([&] {
      model::observeTypes(sorts(400), {{"v0", numerics::HostTensor(numerics::ElementType::Float, {100, 100'000})}}, {});
    });
    QVERIFY2(tests::has(observed, "its shapes depend on its numbers"), observed.c_str());
  }

  void aLoopWithoutEndEnds() {
    onnx::ModelProto proto = tests::emptyModel(13);
    auto* graph = proto.mutable_graph();
    tests::addValue(graph->add_input(), "x", {1});
    tests::addValue(graph->add_output(), "y", {1});
    auto* truth = graph->add_initializer();
    truth->set_name("go");
    truth->set_data_type(onnx::TensorProto::BOOL);
    truth->add_int32_data(1);
    auto* attribute = tests::addNode(graph, "Loop", {"", "go", "x"}, {"y"})->add_attribute();
    attribute->set_name("body");
    attribute->set_type(onnx::AttributeProto::GRAPH);
    auto* body = attribute->mutable_g();
    body->set_name("body");
    for (const char* name : {"trip", "again", "in"}) tests::addValue(body->add_input(), name, {});
    body->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::INT64);
    body->mutable_input(1)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::BOOL);
    for (const char* name : {"againOut", "out"}) tests::addValue(body->add_output(), name, {});
    tests::addNode(body, "Identity", {"again"}, {"againOut"});
    tests::addNode(body, "Identity", {"in"}, {"out"});
    QElapsedTimer clock;
    clock.start();
    const std::string error = tests::errorOf([&] {
      model::Model model = model::parseOnnx(proto.SerializeAsString(), "endless.onnx", {});
      model::bindShapes(model, {{"x", {1}}});
      model::resolveTypes(model);
      model::evaluate(model, {{"x", numerics::HostTensor::vector(std::vector<float>{1})}});
    });
    QVERIFY2(tests::has(error, "has not ended after 1000000 iterations") && tests::has(error, "trip count"), error.c_str());
    QVERIFY2(clock.elapsed() < 60'000, "a loop without an end took too long");
  }
};

TILESCOPE_TEST(WrongNodesTest)
#include "wrong_nodes_test.moc"
