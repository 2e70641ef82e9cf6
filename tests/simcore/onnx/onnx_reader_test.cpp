// A file that is not a valid model gives one clear error that names the file and the node.
#include "reports/core/error.h"
#include "reports/core/regular_file.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/graph/graph.h"
#include "simcore/model/graph/resolve_types.h"
#include "simcore/onnx/onnx_file.h"
#include "simcore/onnx/tensor_files.h"
#include "simcore/onnx/tensor_proto.h"
#include "tests/simcore/model/model_files.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace simcore;
using reports::Error;
using reports::ErrorCode;

namespace {

onnx::ModelProto goodModel() {
  onnx::ModelProto model = tests::emptyModel(13);
  auto* graph = model.mutable_graph();
  tests::addValue(graph->add_input(), "x", {2, 3});
  tests::addValue(graph->add_output(), "y", {2, 3});
  tests::addNode(graph, "Relu", {"x"}, {"y"});
  return model;
}

std::string failure(const std::string& bytes) {
  try {
    model::Model read = model::parseOnnx(bytes, "model.onnx", {});
    model::bindShapes(read, {});
    model::resolveTypes(read);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
std::string failure(const onnx::ModelProto& model) { return failure(model.SerializeAsString()); }

#define EXPECT_FAILURE(model, text)                                                                                              \
  do {                                                                                                                           \
    const std::string what = failure(model);                                                                                     \
    QVERIFY2(what.find(text) != std::string::npos && what.find("model.onnx") == 0, what.c_str());                                \
  } while (false)

} // namespace

class OnnxReaderTest : public QObject {
  Q_OBJECT
private slots:
  void aModelIsCalledAsItsFileOrItsFolder() {
    QCOMPARE(model::modelName("nets/bert.onnx"), std::string("bert"));
    QCOMPARE(model::modelName("nets/bert/model.onnx"), std::string("bert"));
    QCOMPARE(model::modelName("./model.onnx"), std::filesystem::current_path().filename().string());
    QCOMPARE(model::modelName("nets/../model.onnx"), std::filesystem::current_path().filename().string());
  }
  void goodModelIsRead() { QCOMPARE(failure(goodModel()), std::string("no error")); }

  void cutAndForeignFiles() {
    const std::string bytes = goodModel().SerializeAsString();
    for (std::size_t length = 1; length + 1 < bytes.size(); ++length) {
      const std::string what = failure(bytes.substr(0, length));
      QVERIFY2(what != "no error" && what.find("model.onnx") == 0, what.c_str());
    }
    EXPECT_FAILURE(std::string("\x89PNG\r\n\x1a\n and more"), "not a whole ONNX model");
    EXPECT_FAILURE(std::string(1000, '\0'), "not a");
    QVERIFY_EXCEPTION_THROWN((void)model::readOnnx("/nowhere/model.onnx"), Error);
    QTemporaryDir folder;
    const auto empty = tests::fs::path(folder.path().toStdString()) / "empty.onnx";
    std::ofstream(empty).close();
    QVERIFY_EXCEPTION_THROWN((void)model::readOnnx(empty), Error);
    QVERIFY_EXCEPTION_THROWN((void)model::readOnnx(folder.path().toStdString()), Error);
  }

  void unknownOperatorIsNamed() {
    auto model = goodModel();
    model.mutable_graph()->mutable_node(0)->set_op_type("Frobnicate");
    model.mutable_graph()->mutable_node(0)->set_name("x");
    QCOMPARE(failure(model), std::string("model.onnx: node 'x': operator Frobnicate (opset 13) is not supported"));
  }

  void wrongGraphs() {
    auto cycle = goodModel();
    tests::addNode(cycle.mutable_graph(), "Add", {"x", "b"}, {"a"});
    tests::addNode(cycle.mutable_graph(), "Relu", {"a"}, {"b"});
    EXPECT_FAILURE(cycle, "cycle");
    auto missing = goodModel();
    tests::addNode(missing.mutable_graph(), "Relu", {"ghost"}, {"z"});
    EXPECT_FAILURE(missing, "node 'node_z': nothing defines the input 'ghost'");
    auto twice = goodModel();
    tests::addNode(twice.mutable_graph(), "Neg", {"x"}, {"y"});
    EXPECT_FAILURE(twice, "defined twice");
    auto old = goodModel();
    old.mutable_opset_import(0)->set_version(3);
    old.mutable_graph()->mutable_node(0)->set_op_type("Clip"); // another form than in opset 6
    EXPECT_FAILURE(old, "operator Clip (opset 3) is not supported");
    auto young = goodModel();
    young.mutable_opset_import(0)->set_version(25);
    EXPECT_FAILURE(young, "(opset 25) is not supported");
    auto noOutput = goodModel();
    noOutput.mutable_graph()->mutable_output(0)->set_name("nobody");
    EXPECT_FAILURE(noOutput, "nobody");
  }

  void unsortedNodesAreSorted() {
    auto model = goodModel();
    model.mutable_graph()->mutable_node(0)->set_input(0, "later");
    tests::addNode(model.mutable_graph(), "Neg", {"x"}, {"later"});
    const model::Model read = model::parseOnnx(model.SerializeAsString(), "m", {});
    QCOMPARE(read.graph.nodes[0].opType, std::string("Neg"));
  }

  void hugeAndNegativeDimensions() {
    auto huge = goodModel();
    auto* dims = huge.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
    dims->mutable_dim(0)->set_dim_value(std::int64_t(1) << 62);
    EXPECT_FAILURE(huge, "too large");
    auto tensor = goodModel();
    auto* weight = tensor.mutable_graph()->add_initializer();
    weight->set_name("w");
    weight->set_data_type(onnx::TensorProto::FLOAT);
    weight->add_dims(std::int64_t(1) << 40);
    weight->add_dims(std::int64_t(1) << 40);
    EXPECT_FAILURE(tensor, "too large");
    weight->clear_dims();
    weight->add_dims(-4);
    EXPECT_FAILURE(tensor, "negative");
    weight->set_dims(0, 4);
    weight->set_raw_data("abc");
    EXPECT_FAILURE(tensor, "has 3 bytes");
    weight->set_raw_data(std::string(16, 'x'));
    weight->add_float_data(1);
    EXPECT_FAILURE(tensor, "has its values twice");
  }

  void symbolicDimensionAsksForAShape() {
    auto model = goodModel();
    model.mutable_graph()
        ->mutable_input(0)
        ->mutable_type()
        ->mutable_tensor_type()
        ->mutable_shape()
        ->mutable_dim(0)
        ->set_dim_param("batch");
    EXPECT_FAILURE(model, "'batch'");
    model::Model read = model::parseOnnx(model.SerializeAsString(), "m", {});
    QVERIFY_EXCEPTION_THROWN(model::bindShapes(read, {{"x", {2, 4}}}), Error); // 3 in the file
    QVERIFY_EXCEPTION_THROWN(model::bindShapes(read, {{"z", {2, 3}}}), Error);
    model::bindShapes(read, {{"x", {5, 3}}});
    model::resolveTypes(read);
    QCOMPARE(read.graph.types.at("y").shape, (numerics::Shape{5, 3}));
  }

  void deepNestingIsBounded() {
    onnx::ModelProto model = goodModel();
    onnx::GraphProto* graph = model.mutable_graph();
    for (int depth = 0; depth < 1000; ++depth) {
      auto* node = tests::addNode(graph, "If", {"x"}, {"deep" + std::to_string(depth)});
      auto* attribute = node->add_attribute();
      attribute->set_name("then_branch");
      attribute->set_type(onnx::AttributeProto::GRAPH);
      graph = attribute->mutable_g();
    }
    const std::string what = failure(model);
    QVERIFY2(what.find("model.onnx") == 0, what.c_str());
  }

  void externalDataStaysInTheFolder() {
    QTemporaryDir temporary;
    const tests::fs::path root = temporary.path().toStdString(), inside = root / "inside";
    tests::fs::create_directories(inside / "sub");
    std::ofstream(root / "secret.bin") << std::string(64, 's');
    std::ofstream(inside / "data.bin") << std::string(64, 'd');
    tests::fs::create_symlink(root / "secret.bin", inside / "link.bin");
    tests::fs::create_directory_symlink(root, inside / "up");
    tests::fs::create_hard_link(root / "secret.bin", inside / "hard.bin");
    QCOMPARE(reports::readFileBelow(inside, "data.bin", 60, 4, "model").size(), std::size_t(4));
    QCOMPARE(reports::readFileBelow(inside, "./data.bin", 0, 0, "model").size(), std::size_t(0));
  }

  void externalDataRefusals_data() {
    QTest::addColumn<QByteArray>("location");
    for (const char* location : {"../secret.bin", "sub/../../secret.bin", "/etc/passwd", "link.bin", "up/secret.bin", "hard.bin",
                                 "", ".", "sub", "nothing.bin"})
      QTest::newRow(*location ? location : "empty") << QByteArray(location);
    QTest::newRow("NUL") << QByteArray("data.bin\0.txt", 13);
  }
  void externalDataRefusals() {
    QFETCH(QByteArray, location);
    QTemporaryDir temporary;
    const tests::fs::path root = temporary.path().toStdString(), inside = root / "inside";
    tests::fs::create_directories(inside / "sub");
    std::ofstream(root / "secret.bin") << std::string(64, 's');
    std::ofstream(inside / "data.bin") << std::string(64, 'd');
    tests::fs::create_symlink(root / "secret.bin", inside / "link.bin");
    tests::fs::create_directory_symlink(root, inside / "up");
    tests::fs::create_hard_link(root / "secret.bin", inside / "hard.bin");
    QVERIFY_EXCEPTION_THROWN((void)reports::readFileBelow(inside, location.toStdString(), 0, 8, "model"), Error);
    QVERIFY_EXCEPTION_THROWN((void)reports::readFileBelow(inside, "data.bin", 60, 5, "model"), Error);
    QVERIFY_EXCEPTION_THROWN((void)reports::readFileBelow(inside, "data.bin", -1, 5, "model"), Error);
  }

  void functionsAreExpanded() {
    onnx::ModelProto model = goodModel();
    model.add_opset_import()->set_domain("mine");
    model.mutable_opset_import(1)->set_version(1);
    auto* function = model.add_functions();
    function->set_name("Twice");
    function->set_domain("mine");
    function->add_input("a");
    function->add_output("b");
    onnx::NodeProto* add = function->add_node();
    add->set_op_type("Add");
    add->add_input("a");
    add->add_input("a");
    add->add_output("b");
    auto* call = model.mutable_graph()->mutable_node(0);
    call->set_op_type("Twice");
    call->set_domain("mine");
    const model::Model read = model::parseOnnx(model.SerializeAsString(), "m", {});
    QCOMPARE(read.graph.nodes[0].opType, std::string("Add"));
    const auto y = model::evaluate(read, {{"x", numerics::HostTensor::full(numerics::ElementType::Float, {2, 3}, 4)}});
    QCOMPARE(y[0].toDoubles(), std::vector<double>(6, 8.0));
    add->set_op_type("Twice"); // calls itself
    add->set_domain("mine");
    EXPECT_FAILURE(model, "without end");
  }

  // The inputs and initialisers of a subgraph belong to the call, too; an attribute may come from the calling node.
  void bodiesOfLoopsInFunctionsBelongToTheCall() {
    onnx::ModelProto model = goodModel();
    model.add_opset_import()->set_domain("mine");
    model.mutable_opset_import(1)->set_version(1);
    auto* function = model.add_functions();
    function->set_name("AddOften");
    function->set_domain("mine");
    for (const char* input : {"times", "a"}) function->add_input(input);
    function->add_output("sum");
    onnx::NodeProto* step = function->add_node();
    step->set_op_type("Constant");
    step->add_output("step");
    auto* value = step->add_attribute();
    value->set_name("value_float");
    value->set_type(onnx::AttributeProto::FLOAT);
    value->set_ref_attr_name("by");
    onnx::NodeProto* loop = function->add_node();
    loop->set_op_type("Loop");
    for (const char* input : {"times", "", "a"}) loop->add_input(input);
    loop->add_output("sum");
    auto* body = loop->add_attribute();
    body->set_name("body");
    body->set_type(onnx::AttributeProto::GRAPH);
    for (const char* name : {"i", "go", "so_far"}) body->mutable_g()->add_input()->set_name(name);
    tests::addNode(body->mutable_g(), "Identity", {"go"}, {"go_on"});
    tests::addNode(body->mutable_g(), "Add", {"so_far", "step"}, {"next"});
    for (const char* name : {"go_on", "next"}) body->mutable_g()->add_output()->set_name(name);

    onnx::GraphProto* graph = model.mutable_graph();
    graph->clear_node();
    auto* times = graph->add_initializer();
    times->set_name("three");
    times->set_data_type(onnx::TensorProto::INT64);
    times->add_int64_data(3);
    const auto call = [&](const std::string& from, const std::string& to, float by) {
      onnx::NodeProto* node = tests::addNode(graph, "AddOften", {"three", from}, {to});
      node->set_domain("mine");
      auto* attribute = node->add_attribute();
      attribute->set_name("by");
      attribute->set_type(onnx::AttributeProto::FLOAT);
      attribute->set_f(by);
    };
    call("x", "between", 1);
    call("between", graph->output(0).name(), 10);
    const model::Model read = model::parseOnnx(model.SerializeAsString(), "m", {});
    const auto y = model::evaluate(read, {{"x", numerics::HostTensor::full(numerics::ElementType::Float, {2, 3}, 4)}});
    QCOMPARE(y[0].toDoubles(), std::vector<double>(6, 4 + 3 * 1.0 + 3 * 10.0));
  }
};

TILESCOPE_TEST(OnnxReaderTest)
#include "onnx_reader_test.moc"
