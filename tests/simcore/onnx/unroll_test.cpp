// Loops with a known number of rounds whose values have a type only in each round: lists of parts that differ in size, values that grow.
#include "tests/simcore/model/model_files.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include "reports/core/progress.h"
#include "simcore/onnx/onnx_file.h"
#include "simcore/prepare/prepare.h"

#include <QTest>

#include <memory>

using simcore::model::Model;
using simcore::numerics::HostTensor;
using simcore::numerics::Shape;

namespace {

void addBoolean(onnx::GraphProto* graph, const std::string& name, bool value) {
  auto* tensor = graph->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::BOOL);
  tensor->add_int32_data(value);
}

// A model of input x [2, 6] and output y, with a Loop of `rounds` rounds whose body `fill` writes.
struct Looped {
  onnx::ModelProto model = tests::emptyModel(14);
  onnx::GraphProto* graph = model.mutable_graph();
  onnx::GraphProto* body = nullptr;
  std::unique_ptr<onnx::AttributeProto> attribute = std::make_unique<onnx::AttributeProto>();

  Looped(std::int64_t rounds, const std::vector<std::string>& carried, const std::vector<std::string>& results) {
    tests::addValue(graph->add_input(), "x", {2, 6});
    graph->add_output()->set_name("y");
    tests::addIntegers(graph, "rounds", {rounds}, true);
    tests::addIntegers(graph, "one", {1}), tests::addIntegers(graph, "zero", {0});
    addBoolean(graph, "go", true);
    std::vector<std::string> inputs{"rounds", "go"};
    inputs.insert(inputs.end(), carried.begin(), carried.end());
    attribute->set_name("body");
    attribute->set_type(onnx::AttributeProto::GRAPH);
    body = attribute->mutable_g();
    body->set_name("body");
    body->add_input()->set_name("i"), body->add_input()->set_name("goes");
    loopInputs = inputs, loopResults = results;
  }
  void addLoop() {
    auto* node = tests::addNode(graph, "Loop", loopInputs, loopResults);
    node->mutable_attribute()->AddAllocated(attribute.release());
  }
  void gives(const std::vector<std::string>& outputs) {
    tests::addNode(body, "Identity", {"goes"}, {"goes_on"});
    body->add_output()->set_name("goes_on");
    for (const auto& name : outputs) body->add_output()->set_name(name);
  }
  std::vector<std::string> loopInputs, loopResults;

  HostTensor ran() const {
    const Model file = simcore::model::parseOnnx(model.SerializeAsString(), "looped.onnx", {});
    std::vector<float> values(12);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(i);
    const HostTensor x = HostTensor::of({2, 6}, values);
    simcore::model::ModelRequest request;
    request.given = {{"x", x}};
    reports::NoProgress progress;
    const auto resolved = simcore::model::resolveModel(file, request, {}, progress);
    for (const auto& node : resolved.model.graph.nodes)
      if (node.opType == "Loop") return HostTensor::scalar(-1.0f);
    return simcore::model::evaluate(resolved.model, {{"x", x}}).at(0);
  }
};

void setAxis(onnx::NodeProto* node, std::int64_t axis) {
  auto* attribute = node->add_attribute();
  attribute->set_name("axis");
  attribute->set_type(onnx::AttributeProto::INT), attribute->set_i(axis);
}

} // namespace

class UnrollTest : public QObject {
  Q_OBJECT
private slots:
  // torch.tensor_split: limits from a list, parts of 1, 2 and 3 columns into another.
  void listsOfUnequalParts() {
    Looped net(3, {"empty"}, {"parts"});
    tests::addIntegers(net.graph, "a", {0}), tests::addIntegers(net.graph, "b", {1}), tests::addIntegers(net.graph, "c", {3});
    tests::addIntegers(net.graph, "d", {6});
    tests::addNode(net.graph, "SequenceConstruct", {"a", "b", "c", "d"}, {"limits"});
    tests::addNode(net.graph, "SequenceEmpty", {}, {"empty"});
    net.body->add_input()->set_name("list");
    tests::addIntegers(net.body, "step", {1}, true);
    tests::addNode(net.body, "Add", {"i", "step"}, {"next"});
    tests::addNode(net.body, "SequenceAt", {"limits", "i"}, {"from"});
    tests::addNode(net.body, "SequenceAt", {"limits", "next"}, {"to"});
    tests::addNode(net.body, "Slice", {"x", "from", "to", "one"}, {"part"});
    tests::addNode(net.body, "SequenceInsert", {"list", "part"}, {"longer"});
    net.gives({"longer"});
    net.addLoop();
    tests::addIntegers(net.graph, "last", {-1}, true), tests::addIntegers(net.graph, "second", {1}, true);
    tests::addNode(net.graph, "SequenceAt", {"parts", "last"}, {"p2"});
    tests::addNode(net.graph, "SequenceAt", {"parts", "second"}, {"p1"});
    setAxis(tests::addNode(net.graph, "Concat", {"p2", "p1"}, {"y"}), 1);
    const std::vector<float> expected{3, 4, 5, 1, 2, 9, 10, 11, 7, 8};
    QVERIFY(net.ran().identicalTo(HostTensor::of({2, 5}, expected)));
  }

  // A carried value that becomes longer, and a result of each round.
  void valuesThatGrow() {
    Looped net(2, {"x"}, {"all", "sums"});
    net.body->add_input()->set_name("state");
    setAxis(tests::addNode(net.body, "Concat", {"state", "x"}, {"longer"}), 1);
    tests::addNode(net.body, "ReduceSum", {"longer"}, {"sum"});
    net.gives({"longer", "sum"});
    net.addLoop();
    tests::addIntegers(net.graph, "column", {2});
    tests::addNode(net.graph, "Reshape", {"sums", "column"}, {"row"});
    tests::addNode(net.graph, "Shape", {"all"}, {"shape"});
    auto* cast = tests::addNode(net.graph, "Cast", {"shape"}, {"size"});
    auto* to = cast->add_attribute();
    to->set_name("to"), to->set_type(onnx::AttributeProto::INT), to->set_i(onnx::TensorProto::FLOAT);
    setAxis(tests::addNode(net.graph, "Concat", {"row", "size"}, {"y"}), 0);
    const std::vector<float> expected{132, 198, 2, 18};
    QVERIFY(net.ran().identicalTo(HostTensor::of({4}, expected)));
  }

  // A list that is read at the end only: rounds of one shape stay a loop on the machine.
  void plainListsStayLoops() {
    Looped net(3, {"empty"}, {"parts"});
    tests::addNode(net.graph, "SequenceEmpty", {}, {"empty"});
    net.body->add_input()->set_name("list");
    tests::addNode(net.body, "Sin", {"x"}, {"part"});
    tests::addNode(net.body, "SequenceInsert", {"list", "part"}, {"longer"});
    net.gives({"longer"});
    net.addLoop();
    setAxis(tests::addNode(net.graph, "ConcatFromSequence", {"parts"}, {"y"}), 1);
    QCOMPARE(net.ran().at(0), -1.0);
  }
};

TILESCOPE_TEST(UnrollTest)
#include "unroll_test.moc"
