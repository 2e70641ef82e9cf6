#include "reports/core/error.h"
#include "simcore/model/graph/resolve_types.h"
#include "simcore/model/lowering/lowering.h"
#include "simcore/onnx/onnx_file.h"
#include "tests/simcore/model/model_files.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;

namespace {

// y = reshape(x, concat(shape(x)[0:1], [-1])), the shape arithmetic exporters write.
onnx::ModelProto reshapeModel() {
  onnx::ModelProto model = tests::emptyModel(13);
  auto* graph = model.mutable_graph();
  tests::addValue(graph->add_input(), "x", {-1, 3, 4});
  tests::addValue(graph->add_output(), "y", {});
  tests::addIntegers(graph, "zero", {0});
  tests::addIntegers(graph, "one", {1});
  tests::addIntegers(graph, "rest", {-1});
  tests::addNode(graph, "Shape", {"x"}, {"shape"});
  tests::addNode(graph, "Slice", {"shape", "zero", "one"}, {"first"});
  auto* concat = tests::addNode(graph, "Concat", {"first", "rest"}, {"target"});
  auto* axis = concat->add_attribute();
  axis->set_name("axis");
  axis->set_type(onnx::AttributeProto::INT);
  axis->set_i(0);
  tests::addNode(graph, "Reshape", {"x", "target"}, {"y"});
  tests::addNode(graph, "Exp", {"x"}, {"unread"});
  return model;
}

void addBranch(onnx::NodeProto* node, const char* name, const char* type) {
  auto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::GRAPH);
  auto* graph = attribute->mutable_g();
  graph->set_name(name);
  tests::addValue(graph->add_output(), std::string(name) + "_out", {});
  tests::addNode(graph, type, {"x"}, {std::string(name) + "_out"});
}

onnx::ModelProto branchModel(bool constantCondition) {
  onnx::ModelProto model = tests::emptyModel(13);
  auto* graph = model.mutable_graph();
  tests::addValue(graph->add_input(), "x", {4});
  tests::addValue(graph->add_output(), "y", {4});
  if (constantCondition) {
    auto* tensor = graph->add_initializer();
    tensor->set_name("condition");
    tensor->set_data_type(onnx::TensorProto::BOOL);
    tensor->add_int32_data(1);
  } else {
    auto* input = graph->add_input();
    tests::addValue(input, "condition", {});
    input->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::BOOL);
  }
  auto* node = tests::addNode(graph, "If", {"condition"}, {"y"});
  addBranch(node, "then_branch", "Neg");
  addBranch(node, "else_branch", constantCondition ? "NoSuchOperator" : "Abs");
  return model;
}

} // namespace

class ResolveTypesTest : public QObject {
  Q_OBJECT
private slots:
  // Inputs that a planner relies on are checked before; mutated model files lack them.
  void nodesThatLackInputsAreNamed() {
    for (const auto& [type, inputs, part] : {std::tuple("RNN", std::vector<std::string>{"x"}, "of RNN is missing"),
                                             std::tuple("RNN", std::vector<std::string>{"x", "x", "x"}, "input 1 of RNN is"),
                                             std::tuple("Expand", std::vector<std::string>{}, "Expand")}) {
      onnx::ModelProto proto = tests::emptyModel(13);
      tests::addValue(proto.mutable_graph()->add_input(), "x", {2, 3, 4});
      tests::addValue(proto.mutable_graph()->add_output(), "y", {});
      tests::addNode(proto.mutable_graph(), type, inputs, {"y"});
      std::string why;
      try {
        model::Model model = model::parseOnnx(proto.SerializeAsString(), "lacking.onnx", {});
        model::bindShapes(model, {});
        model::resolveTypes(model);
      } catch (const reports::Error& error) {
        why = error.what();
      }
      QVERIFY2(why.find("node 'node_y'") != std::string::npos && why.find(part) != std::string::npos, why.c_str());
    }
  }

  void shapeArithmeticFoldsAway() {
    model::Model model = model::parseOnnx(reshapeModel().SerializeAsString(), "m", {});
    model::bindShapes(model, {{"x", {5, 3, 4}}});
    const auto summary = model::resolveTypes(model);
    QCOMPARE(summary.foldedNodes, std::size_t(3));
    QCOMPARE(summary.removedNodes, std::size_t(1));
    QCOMPARE(model.graph.nodes.size(), std::size_t(1));
    QCOMPARE(model.graph.types.at("y").shape, (numerics::Shape{5, 12}));
  }

  void onlyTheBranchTakenIsLookedAt() {
    model::Model model = model::parseOnnx(branchModel(true).SerializeAsString(), "m", {});
    model::bindShapes(model, {});
    QCOMPARE(model::resolveTypes(model).inlinedBranches, std::size_t(1));
    const auto x = numerics::HostTensor::vector<float>({1, -2, 3, -4});
    QCOMPARE(model::evaluate(model, {{"x", x}})[0].toDoubles(), (std::vector<double>{-1, 2, -3, 4}));
  }

  void conditionsMayBeData() {
    model::Model model = model::parseOnnx(branchModel(false).SerializeAsString(), "m", {});
    model::bindShapes(model, {});
    QCOMPARE(model::resolveTypes(model).inlinedBranches, std::size_t(0));
    const auto x = numerics::HostTensor::vector<float>({1, -2, 3, -4});
    for (const bool condition : {true, false}) {
      const auto y = model::evaluate(model, {{"x", x}, {"condition", numerics::HostTensor::scalar(condition)}});
      QCOMPARE(y[0].at(1), 2.0);
      QCOMPARE(y[0].at(0), condition ? -1.0 : 1.0);
    }
  }

  void shapesThatDependOnDataAreRefused() {
    onnx::ModelProto proto = tests::emptyModel(13);
    auto* graph = proto.mutable_graph();
    tests::addValue(graph->add_input(), "x", {4});
    tests::addValue(graph->add_output(), "y", {});
    tests::addNode(graph, "NonZero", {"x"}, {"y"});
    model::Model model = model::parseOnnx(proto.SerializeAsString(), "m.onnx", {});
    model::bindShapes(model, {});
    try {
      model::resolveTypes(model);
      QFAIL("no error");
    } catch (const reports::Error& error) {
      QCOMPARE(int(error.code()), int(reports::ErrorCode::Unsupported));
      QVERIFY(std::string(error.what()).find("m.onnx: node 'node_y'") == 0);
    }
  }

  void contextsCarryTheNode() {
    model::Model model = model::parseOnnx(branchModel(true).SerializeAsString(), "m", {});
    model::bindShapes(model, {});
    model::resolveTypes(model);
    const auto load = model::lower(model, arch::tinyMachine(8));
    bool found = false;
    for (const auto& context : load.graph->contexts()) found = found || (context.layer == "onnx" && context.kind == "Neg");
    QVERIFY(found);
    QCOMPARE(load.outputs, (std::vector<std::string>{"y"}));
    QVERIFY(load.inputs.count("x") == 1);
  }

  void weightsAreKeptOnce() {
    onnx::ModelProto proto = tests::emptyModel(13);
    auto* graph = proto.mutable_graph();
    tests::addValue(graph->add_input(), "x", {8, 8});
    tests::addValue(graph->add_output(), "y", {8, 8});
    auto* weight = graph->add_initializer();
    weight->set_name("w");
    weight->set_data_type(onnx::TensorProto::FLOAT);
    weight->add_dims(8);
    weight->add_dims(8);
    for (int i = 0; i < 64; ++i) weight->add_float_data(float(i));
    tests::addNode(graph, "MatMul", {"x", "w"}, {"h"});
    tests::addNode(graph, "MatMul", {"h", "w"}, {"y"});
    model::Model model = model::parseOnnx(proto.SerializeAsString(), "m", {});
    model::bindShapes(model, {});
    model::resolveTypes(model);
    const auto load = model::lower(model, arch::tinyMachine(8));
    int weights = 0;
    for (const auto& variable : load.graph->variables()) weights += variable.initial.has_value();
    QCOMPARE(weights, 1);
  }
};

TILESCOPE_TEST(ResolveTypesTest)
#include "resolve_types_test.moc"
