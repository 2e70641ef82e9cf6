// Small models in the forms that exporters write: shape arithmetic, shapes that depend on data, ties of interpolation, old
// opsets. Each runs on the machine and gives what the evaluator gives.
#include "reports/core/error.h"
#include "simcore/compile/compiler.h"
#include "simcore/model/graph/resolve_types.h"
#include "simcore/model/lowering/lowering.h"
#include "simcore/onnx/onnx_file.h"
#include "simcore/prepare/observe_types.h"
#include "simcore/run/engine.h"
#include "tests/simcore/model/model_files.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;
using Integers = std::vector<std::int64_t>;
using Inputs = std::unordered_map<std::string, HostTensor>;

namespace {

HostTensor wave(const Shape& shape) {
  std::vector<float> values(std::size_t(numerics::elementCount(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(float(i) * 1.7f);
  return HostTensor::of(shape, values);
}
void addFloats(onnx::GraphProto* graph, const std::string& name, const HostTensor& value) {
  auto* tensor = graph->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  for (const auto dim : value.shape()) tensor->add_dims(dim);
  tensor->set_raw_data(value.raw().data(), value.byteCount());
}
void setInteger(onnx::NodeProto* node, const std::string& name, std::int64_t value) {
  auto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INT);
  attribute->set_i(value);
}
void setText(onnx::NodeProto* node, const std::string& name, const std::string& value) {
  auto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::STRING);
  attribute->set_s(value);
}
void addOutput(onnx::GraphProto* graph, const std::string& name) { graph->add_output()->set_name(name); }

model::Model resolved(const onnx::ModelProto& proto, const Inputs& inputs, bool observes = false) {
  model::Model model = model::parseOnnx(proto.SerializeAsString(), "exported.onnx", {});
  std::unordered_map<std::string, Shape> shapes;
  for (const auto& [name, value] : inputs) shapes[name] = value.shape();
  model::bindShapes(model, shapes);
  if (!observes) {
    model::resolveTypes(model);
    return model;
  }
  const auto types = model::observeTypes(model, inputs);
  model::resolveTypes(model, {}, &types);
  return model;
}

model::Tensors onMachine(const model::Model& model, const Inputs& inputs) {
  const graph::Workload load = model::lower(model, arch::findMachine("gc200", 1));
  std::vector<compile::NamedProgram> programs;
  for (const auto& named : load.programs) programs.push_back({named.name, named.program});
  reports::NoProgress quiet;
  const auto executable = compile::compile(load.graph, programs, {}, quiet);
  run::Engine engine(executable, {}, nullptr);
  for (const auto& [name, value] : inputs) engine.connectInput(name, {value});
  engine.run(0, "inference", {}, quiet);
  model::Tensors outputs;
  for (const std::string& name : load.outputs)
    outputs.push_back(engine.received(name).at(0).reshaped(model.graph.types.at(name).shape));
  return outputs;
}

void verifyOnMachine(const onnx::ModelProto& proto, const Inputs& inputs, bool observes = false) {
  try {
    const model::Tensors want = model::evaluate(model::parseOnnx(proto.SerializeAsString(), "exported.onnx", {}), inputs);
    const model::Tensors got = onMachine(resolved(proto, inputs, observes), inputs);
    QCOMPARE(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto compared = tests::compare(got[i].cast(want[i].type()), want[i], 1e-6, 1e-6);
      QVERIFY2(compared.same, qPrintable(QString("output %1 by %2").arg(i).arg(compared.worst)));
    }
  } catch (const reports::Error& e) {
    QFAIL(qPrintable(QString(e.what()) + " " + QString::fromStdString(e.where())));
  }
}

} // namespace

class ExportedFormsTest : public QObject {
  Q_OBJECT
private slots:
  // x.view(x.size(0), -1) as PyTorch writes it.
  void dynamicReshapeFoldsAway() {
    onnx::ModelProto proto = tests::emptyModel(11);
    auto* g = proto.mutable_graph();
    tests::addValue(g->add_input(), "x", {-1, 3, 4});
    tests::addIntegers(g, "zero", {0}, true);
    tests::addIntegers(g, "rest", {-1});
    tests::addNode(g, "Shape", {"x"}, {"shape"});
    setInteger(tests::addNode(g, "Gather", {"shape", "zero"}, {"batch"}), "axis", 0);
    auto* unsqueeze = tests::addNode(g, "Unsqueeze", {"batch"}, {"batch1"})->add_attribute();
    unsqueeze->set_name("axes");
    unsqueeze->set_type(onnx::AttributeProto::INTS);
    unsqueeze->add_ints(0);
    setInteger(tests::addNode(g, "Concat", {"batch1", "rest"}, {"target"}), "axis", 0);
    tests::addNode(g, "Reshape", {"x", "target"}, {"flat"});
    tests::addNode(g, "Relu", {"flat"}, {"y"});
    addOutput(g, "y");
    const Inputs inputs{{"x", wave({2, 3, 4})}};
    QCOMPARE(resolved(proto, inputs).graph.nodes.size(), std::size_t(2));
    verifyOnMachine(proto, inputs);
  }

  // A detector's tail: the number of remaining boxes depends on the values of the run.
  void dataDependentShapesAreObserved() {
    onnx::ModelProto proto = tests::emptyModel(13);
    auto* g = proto.mutable_graph();
    tests::addValue(g->add_input(), "boxes", {1, 12, 4});
    tests::addValue(g->add_input(), "scores", {1, 2, 12});
    tests::addIntegers(g, "most", {5}, true);
    addFloats(g, "overlap", HostTensor::vector(std::vector<float>{0.5f}));
    addFloats(g, "least", HostTensor::vector(std::vector<float>{0.1f}));
    tests::addIntegers(g, "column", {2}, true);
    tests::addNode(g, "Sigmoid", {"scores"}, {"p"});
    tests::addNode(g, "NonMaxSuppression", {"boxes", "p", "most", "overlap", "least"}, {"chosen"});
    setInteger(tests::addNode(g, "Gather", {"chosen", "column"}, {"which"}), "axis", 1);
    setInteger(tests::addNode(g, "Gather", {"boxes", "which"}, {"kept"}), "axis", 1);
    tests::addNode(g, "Relu", {"kept"}, {"y"});
    addOutput(g, "y");
    addOutput(g, "chosen");
    const Inputs inputs{{"boxes", wave({1, 12, 4})}, {"scores", wave({1, 2, 12})}};
    QVERIFY_EXCEPTION_THROWN(resolved(proto, inputs), reports::Error);
    verifyOnMachine(proto, inputs, true);
  }

  // A slice whose end is a value of the run.
  void computedSlices() {
    onnx::ModelProto proto = tests::emptyModel(13);
    auto* g = proto.mutable_graph();
    tests::addValue(g->add_input(), "x", {6, 4});
    tests::addIntegers(g, "zero", {0});
    setInteger(tests::addNode(g, "ArgMax", {"x"}, {"peak"}), "axis", 0); // [1, 4]
    tests::addIntegers(g, "first", {0}, true);
    tests::addIntegers(g, "flatShape", {-1});
    tests::addNode(g, "Reshape", {"peak", "flatShape"}, {"peaks"});
    tests::addNode(g, "Gather", {"peaks", "first"}, {"end0"});
    tests::addNode(g, "Reshape", {"end0", "flatShape"}, {"end"});
    tests::addNode(g, "Slice", {"x", "zero", "end", "zero"}, {"y"});
    addOutput(g, "y");
    HostTensor x = wave({6, 4});
    verifyOnMachine(proto, {{"x", x}}, true);
  }

  void bidirectionalLayersOfARecurrentNet() {
    onnx::ModelProto proto = tests::emptyModel(14);
    auto* g = proto.mutable_graph();
    tests::addValue(g->add_input(), "x", {5, 2, 3});
    addFloats(g, "w", wave({2, 16, 3}));
    addFloats(g, "r", wave({2, 16, 4}));
    addFloats(g, "b", wave({2, 32}));
    auto* lstm = tests::addNode(g, "LSTM", {"x", "w", "r", "b"}, {"y", "h", "c"});
    setInteger(lstm, "hidden_size", 4);
    setText(lstm, "direction", "bidirectional");
    for (const char* name : {"y", "h", "c"}) addOutput(g, name);
    verifyOnMachine(proto, {{"x", wave({5, 2, 3})}});
  }

  // 11.5 / 2.3 - 0.5 is 4.5 in float and above it in double: the pixel is the fourth.
  void nearestPixelsAreChosenInFloat() {
    onnx::ModelProto proto = tests::emptyModel(13);
    auto* g = proto.mutable_graph();
    tests::addValue(g->add_input(), "x", {1, 1, 1, 7});
    addFloats(g, "scales", HostTensor::vector(std::vector<float>{1, 1, 1, 2.3f}));
    tests::addNode(g, "Resize", {"x", "", "scales"}, {"y"});
    addOutput(g, "y");
    const Inputs inputs{{"x", wave({1, 1, 1, 7})}};
    const auto y = model::evaluate(model::parseOnnx(proto.SerializeAsString(), "resize.onnx", {}), inputs)[0];
    QCOMPARE(y.count(), 16);
    QCOMPARE(y.at(11), inputs.at("x").at(4));
    verifyOnMachine(proto, inputs);
  }

  // Sizes that are data of the run: the kernel is not used, because it would hold more than its result.
  void aResultBeyondTheMemoryIsRefusedBeforeItIsComputed() {
    for (const char* type : {"Resize", "Expand", "Tile", "ConstantOfShape"}) {
      onnx::ModelProto proto = tests::emptyModel(13);
      auto* g = proto.mutable_graph();
      tests::addValue(g->add_input(), "x", {1});
      auto* size = g->add_input();
      tests::addValue(size, "n", {1});
      size->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::INT64);
      const std::string name = type;
      auto* node = tests::addNode(g, type, {"x", "n"}, {"y"});
      if (name == "ConstantOfShape") node->mutable_input()->DeleteSubrange(0, 1);
      if (name == "Resize") {
        node->clear_input();
        for (const char* input : {"x", "", "", "n"}) node->add_input(input);
      }
      addOutput(g, "y");
      const model::Model model = model::parseOnnx(proto.SerializeAsString(), "huge.onnx", {});
      const Inputs inputs{{"x", wave({1})}, {"n", HostTensor::vector(std::vector<std::int64_t>{std::int64_t(1) << 40})}};
      const std::string error = tests::errorOf([&] { (void)model::observeTypes(model, inputs); });
      QVERIFY2(error.find("the numbers of this " + name) != std::string::npos &&
                   (error.find("bytes are free") != std::string::npos ||
                    error.find("multiply-adds on this computer") != std::string::npos),
               error.c_str());
    }
  }

  // Opset 6: broadcasting along an axis, flags that later became inputs, attributes without a kind.
  void oldFiles() {
    onnx::ModelProto proto = tests::emptyModel(6);
    auto* g = proto.mutable_graph();
    tests::addValue(g->add_input(), "x", {1, 3, 4, 4});
    addFloats(g, "bias", wave({3}));
    auto* add = tests::addNode(g, "Add", {"x", "bias"}, {"s"});
    for (const auto& [name, value] : {std::pair<const char*, int>{"broadcast", 1}, {"axis", 1}}) {
      auto* attribute = add->add_attribute(); // as the first version of the format: no kind
      attribute->set_name(name);
      attribute->set_i(value);
    }
    setInteger(tests::addNode(g, "Dropout", {"s"}, {"d"}), "is_test", 1);
    setInteger(tests::addNode(g, "Softmax", {"d"}, {"y"}), "axis", 1);
    addOutput(g, "y");
    const Inputs inputs{{"x", wave({1, 3, 4, 4})}};
    verifyOnMachine(proto, inputs);
    const auto y = model::evaluate(model::parseOnnx(proto.SerializeAsString(), "old.onnx", {}), inputs)[0];
    double sum = 0;
    for (const double v : y.toDoubles()) sum += v;
    QVERIFY(std::abs(sum - 1) < 1e-5); // everything from the axis on is one dimension
  }

  // A scale and a bias for each group until opset 20, for each channel since.
  void groupNormalizationOfEitherForm() {
    for (const int opset : {18, 21}) {
      onnx::ModelProto proto = tests::emptyModel(opset);
      auto* g = proto.mutable_graph();
      tests::addValue(g->add_input(), "x", {2, 6, 5});
      addFloats(g, "scale", wave({opset < 21 ? 3 : 6}));
      addFloats(g, "bias", wave({opset < 21 ? 3 : 6}));
      setInteger(tests::addNode(g, "GroupNormalization", {"x", "scale", "bias"}, {"y"}), "num_groups", 3);
      addOutput(g, "y");
      const Inputs inputs{{"x", wave({2, 6, 5})}};
      verifyOnMachine(proto, inputs);
      // The last channel has the mean and deviation of channels 4 and 5.
      const auto y = model::evaluate(model::parseOnnx(proto.SerializeAsString(), "norm.onnx", {}), inputs)[0];
      double sum = 0, squares = 0;
      for (std::int64_t i = 20; i < 30; ++i) {
        const double v = inputs.at("x").at(i);
        sum += v;
        squares += v * v;
      }
      const double deviation = std::sqrt(squares / 10 - sum * sum / 100 + 1e-5);
      const double parameter = wave({6}).at(opset < 21 ? 2 : 5);
      QVERIFY(std::abs(y.at(29) - ((inputs.at("x").at(29) - sum / 10) / deviation * parameter + parameter)) < 1e-4);
    }
  }

  // A few numbers in a file must not ask for all of the memory.
  void hugeConstantsAreRefused() {
    for (const Integers& shape : {Integers{100'000, 100'000}, Integers{1'000'000'000, 1'000'000'000}, Integers{-1}}) {
      onnx::ModelProto proto = tests::emptyModel(13);
      auto* g = proto.mutable_graph();
      tests::addIntegers(g, "shape", shape);
      tests::addNode(g, "ConstantOfShape", {"shape"}, {"y"});
      addOutput(g, "y");
      QVERIFY_EXCEPTION_THROWN(resolved(proto, {}), reports::Error);
    }
  }
};

TILESCOPE_TEST(ExportedFormsTest)
#include "exported_forms_test.moc"
